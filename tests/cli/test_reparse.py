"""`reparse`: kept pages read again, offline."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from dmf_crawler.model.report import VersionRow
from dmf_crawler.persist.questions import events_of_key, list_as_of, versions_of_key
from dmf_crawler.persist.store import Store
from tests.cli.asking import at, say
from tests.persist.tampering import tamper, unguarded
from tests.processes import environment


def runs(home: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = at(home, "runs").json["runs"]
    return rows


def log_lines(home: Path) -> list[dict[str, object]]:
    """Return what this day's commands have logged, oldest first."""
    newest = max((home / "logs").glob("*.jsonl"))
    return [json.loads(line) for line in newest.read_text(encoding="utf-8").splitlines()]


def pages(home: Path, run: dict[str, str]) -> list[Path]:
    return sorted((home / run["raw_dir"]).glob("*.gz"))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_pages_say_what_was_recorded(lived_home, jobs):
    last, first = runs(lived_home)
    words = ["--since", first["date"], "--until", last["date"], "--jobs", jobs]
    asked = at(lived_home, "reparse", *words)
    told = asked.json["runs"]
    assert asked.exit_code == 0
    assert [run["run_id"] for run in told] == [first["run_id"], last["run_id"]]
    assert all(set(run["counts"].values()) == {0} and run["missing"] == 0 for run in told)
    lines = say(lived_home, "reparse", "--date", first["date"]).out.splitlines()
    assert lines == [f"{first['run_id']}: 60건, 기록과의 차이: 차이 없음"]


def test_difference_to_what_was_recorded_is_counted(lived_home):
    with unguarded(lived_home / "var/dmf.sqlite3") as connection:
        select = "SELECT sk, payload_json FROM dmf_record WHERE valid_to IS NULL LIMIT 1"
        ((sk, payload),) = connection.execute(select)
        changed = json.dumps(json.loads(payload) | {"company": "다른 회사"}, ensure_ascii=False)
        connection.execute("UPDATE dmf_record SET payload_json = ? WHERE sk = ?", (changed, sk))
    last = runs(lived_home)[0]
    (run,) = at(lived_home, "reparse", "--run", last["run_id"]).json["runs"]
    assert [kind for kind, count in run["counts"].items() if count] == ["MODIFIED"]
    spoken = say(lived_home, "reparse", "--run", last["run_id"])
    assert "기록과의 차이: 신규 0  변경 1  취하 0" in spoken.out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_spoiled_page_ends_its_run_and_not_the_next(lived_home, jobs):
    last, first = runs(lived_home)
    pages(lived_home, first)[0].write_bytes(b"spoiled")
    words = ["--since", first["date"], "--until", last["date"], "--jobs"]
    asked = at(lived_home, "reparse", *words, jobs)
    spoiled, sound = asked.json["runs"]
    assert (asked.exit_code, spoiled["exit_code"], sound["exit_code"]) == (5, 5, 0)
    assert spoiled["run_id"] == first["run_id"]
    assert asked.json["error"] == spoiled["error"]
    line = log_lines(lived_home)[-1]
    assert (line["event"], line["run_id"]) == ("run_not_compared", first["run_id"])
    assert (line["code"], line["detail"]) == tuple(spoiled["error"].values())
    spoken = say(lived_home, "reparse", *words, "1")
    assert f"{first['run_id']}: 실패 [" in spoken.out
    assert f"{last['run_id']}: " in spoken.out
    assert spoken.err.startswith("오류 [")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bug_ends_its_run_and_not_the_next_and_is_logged_with_its_traceback(lived_home, jobs):
    last, first = runs(lived_home)
    # A version that only the first day's list has gets a value of a kind that nobody writes.
    value = "json_set(payload_json, '$.company', 5)"
    change = f"UPDATE dmf_record SET payload_json = {value} WHERE valid_to IS NOT NULL"
    tamper(lived_home / "var/dmf.sqlite3", change)
    words = ["--since", first["date"], "--until", last["date"], "--jobs", jobs]
    asked = at(lived_home, "reparse", *words)
    broken, sound = asked.json["runs"]
    assert (asked.exit_code, asked.error_code, sound["exit_code"]) == (1, "bug", 0)
    assert (broken["run_id"], broken["status"]) == (first["run_id"], "FAILED")
    assert "Error: " in broken["error"]["message"]
    line = log_lines(lived_home)[-1]
    assert (line["event"], line["run_id"]) == ("bug", first["run_id"])
    assert str(line["traceback"]).startswith("Traceback (most recent call last)")


def test_run_without_a_readable_list_is_told_with_an_error(lived_home):
    last, _ = runs(lived_home)
    for page in pages(lived_home, last):
        page.unlink()
    index = lived_home / last["raw_dir"] / "index.jsonl"
    index.write_bytes(b"")
    asked = at(lived_home, "reparse", "--run", last["run_id"])
    assert asked.exit_code == asked.json["runs"][0]["exit_code"] == 6
    assert asked.error_code == asked.json["runs"][0]["error"]["code"]


def test_correction_without_a_difference_records_a_run_and_no_event(lived_home):
    last, _ = runs(lived_home)
    asked = at(
        lived_home,
        "reparse",
        *("--run", last["run_id"], "--apply", "--now", "2027-01-01T06:00:00+09:00"),
    )
    (run,) = asked.json["runs"]
    assert (asked.exit_code, run["status"]) == (0, "OK")
    assert run["run_id"].startswith("20270101T060000-")
    assert set(run["counts"].values()) == {0}
    assert len(runs(lived_home)) == 3
    assert at(lived_home, "verify").exit_code == 0


def misread(home: Path) -> str:
    """Let the history have taken over a wrong value, in every place; return the key."""
    with unguarded(home / "var/dmf.sqlite3") as connection:
        ((sk, key, event_id, payload),) = connection.execute(
            "SELECT r.sk, r.natural_key, e.event_id, r.payload_json FROM dmf_record r"
            " JOIN dmf_event e ON e.run_id = r.first_seen_run AND e.natural_key = r.natural_key"
            " WHERE r.is_current = 1 AND e.event_type = 'NEW' LIMIT 1"
        )
        wrong = json.loads(payload) | {"company": "잘못 읽은 회사"}
        text = json.dumps(wrong, ensure_ascii=False, separators=(",", ":"))
        connection.execute(
            "UPDATE dmf_record SET payload_json = ?, company = '잘못 읽은 회사' WHERE sk = ?",
            (text, sk),
        )
        change = "UPDATE dmf_event SET record_json = ? WHERE event_id = ?"
        connection.execute(change, (text, event_id))
    return str(key)


def everything(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of the tables that tell the past."""
    with closing(sqlite3.connect(home / "var/dmf.sqlite3")) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
            for table in ("crawl_run", "dmf_event", "dmf_record", "gate_result", "delivery")
        }


def stood_then(store: Store, moment: datetime) -> list[VersionRow]:
    """Return the list as of a moment, without when its versions ended: that is known only later."""
    then = list_as_of(store, "dmf_registry", moment)
    return [replace(version, valid_to=None) for version in then]


def test_correction_appends_to_the_past_and_rewrites_none_of_it(lived_home):
    key = misread(lived_home)
    database = lived_home / "var/dmf.sqlite3"
    last, first = runs(lived_home)
    assert at(lived_home, "verify").json["ok"]
    moments = [datetime.fromisoformat(f"{run['date']}T23:00:00+09:00") for run in (first, last)]
    with Store(database, for_reading=True) as store:
        lists = [stood_then(store, moment) for moment in moments]
        versions = versions_of_key(store, "dmf_registry", key)
        events = events_of_key(store, "dmf_registry", key)
    before = everything(lived_home)

    asked = at(
        lived_home,
        "reparse",
        *("--run", last["run_id"], "--apply", "--now", "2027-01-01T06:00:00+09:00"),
    )

    (run,) = asked.json["runs"]
    assert (asked.exit_code, run["counts"]["MODIFIED"]) == (0, 1)
    after = everything(lived_home)
    for table in ("crawl_run", "dmf_event", "gate_result", "delivery"):
        assert after[table][: len(before[table])] == before[table]
    assert len(after["dmf_event"]) == len(before["dmf_event"]) + 1
    is_closed = [row for row in before["dmf_record"] if row[17] == 0]  # is_current
    assert is_closed
    assert [row for row in is_closed if row not in after["dmf_record"]] == []
    with Store(database, for_reading=True) as store:
        assert [stood_then(store, moment) for moment in moments] == lists
        old, new = versions_of_key(store, "dmf_registry", key)[-2:]
        assert (replace(old, valid_to=None), new.fields["company"] != "잘못 읽은 회사") == (
            versions[-1],
            True,
        )
        assert events_of_key(store, "dmf_registry", key)[:-1] == events
    assert at(lived_home, "verify").json["ok"]


def test_correction_that_cannot_read_its_pages_is_recorded_as_failed(lived_home):
    last, _ = runs(lived_home)
    pages(lived_home, last)[0].write_bytes(b"spoiled")
    asked = at(
        lived_home,
        "reparse",
        *("--run", last["run_id"], "--apply", "--now", "2027-01-01T06:00:00+09:00"),
    )
    assert asked.exit_code == 5
    correction = runs(lived_home)[0]
    assert correction["run_id"] == asked.json["runs"][0]["run_id"]
    assert correction["status"] == "FAILED"
    assert "실패" in say(lived_home, "runs").out


def test_the_newest_day_may_be_corrected_once_more(lived_home):
    """Selectors are not always repaired at once; the correction before read the same pages."""
    last, _ = runs(lived_home)
    for hour in ("06", "07"):
        now = f"2027-01-01T{hour}:00:00+09:00"
        asked = at(lived_home, "reparse", "--date", last["date"], "--apply", "--now", now)
        assert asked.exit_code == 0, asked.out
        assert set(asked.json["runs"][0]["counts"].values()) == {0}
    first_correction = runs(lived_home)[1]["run_id"]
    now = "2027-01-01T08:00:00+09:00"
    asked = at(lived_home, "reparse", "--run", first_correction, "--apply", "--now", now)
    assert (asked.exit_code, len(runs(lived_home))) == (0, 5)
    assert at(lived_home, "verify").json["ok"]


def test_correction_of_an_older_day_is_refused(lived_home):
    _, first = runs(lived_home)
    asked = at(lived_home, "reparse", "--run", first["run_id"], "--apply")
    assert (asked.exit_code, asked.error_code) == (2, "newer_run_accepted")
    assert len(runs(lived_home)) == 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--since", "2026-12-01"],
        ["--until", "2026-12-01"],
        ["--run", "x", "--date", "2026-12-01"],
        ["--date", "2026-12-01", "--since", "2026-12-01", "--until", "2026-12-01"],
        ["--since", "2026-12-02", "--until", "2026-12-01"],
    ],
)
def test_exactly_one_way_to_choose_runs_is_wanted(lived_home, words):
    asked = at(lived_home, "reparse", *words)
    assert (asked.exit_code, asked.error_code) == (2, "usage")


@pytest.mark.parametrize(
    "words",
    [
        ["--run", "20260101T000000-x"],
        ["--date", "2001-01-01"],
        ["--since", "2001-01-01", "--until", "2001-01-31"],
    ],
)
def test_runs_that_are_not_there_are_named(lived_home, words):
    asked = at(lived_home, "reparse", *words)
    assert (asked.exit_code, asked.error_code) == (2, "no_such_run")
    assert asked.json["runs"] == []


def test_run_of_a_board_that_is_off_is_refused(lived_home):
    last, _ = runs(lived_home)
    path = lived_home / "config/boards.yaml"
    text = path.read_text(encoding="utf-8").replace("enabled: true", "enabled: false")
    path.write_text(text, encoding="utf-8")
    asked = at(lived_home, "reparse", "--run", last["run_id"])
    assert (asked.exit_code, asked.error_code) == (2, "no_such_board")


@pytest.mark.parametrize(("words", "is_shown"), [([], True), (["--json"], False)])
def test_terminal_shows_how_many_runs_are_read_but_never_beside_json(lived_home, words, is_shown):
    termios = pytest.importorskip("termios", reason="Windows has no pseudo-terminals")
    last, first = runs(lived_home)
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, (24, 80))
        done = subprocess.run(
            [
                *(sys.executable, "-B", "-m", "dmf_crawler", "reparse", "--since", first["date"]),
                *("--until", last["date"], "--jobs", "1", *words),
            ],
            cwd=lived_home,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=True,
        )
        os.write(theirs, b"end")
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stdout
    assert ("0/2" in shown) is is_shown
    assert (shown == "end") is not is_shown
