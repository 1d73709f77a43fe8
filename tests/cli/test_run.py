"""`run`: boards one after the other, each standing alone, then the day's workbook."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.run import choose_boards, guard_run, publish_accepted, show_progress
from dmf_crawler.errors import StoreError, UsageError
from dmf_crawler.model.run import KST, Run, RunStatus
from dmf_crawler.model.verdict import GATE_NAMES, Outcome, RunSummary
from dmf_crawler.persist.gate_results import gates_of
from dmf_crawler.persist.runs import begin_run, find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.settings import Politeness
from dmf_crawler.watch import Watch, open_watch
from dmf_crawler.world import World, real_world
from tests.cli.asking import at, say

NOW = "2026-12-31T06:00:00+09:00"
STARTED = datetime(2026, 12, 31, 6, tzinfo=KST)


def log_lines(root: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted((root / "logs").glob("dmf-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def add_board(root: Path, board: str, path: str) -> None:
    """Put another board on the same site before the first."""
    file = root / "config/boards.yaml"
    entry = (
        f"\nboards:\n  - id: {board}\n    name_ko: 다른 목록\n    site: nedrug\n    html:\n"
        f"      path: {path}\n      scope: [{path}]\n"
    )
    text = file.read_text(encoding="utf-8")
    assert "\nboards:\n" in text
    file.write_text(text.replace("\nboards:\n", entry), encoding="utf-8")
    selectors = (root / "selectors/dmf_registry.yaml").read_text(encoding="utf-8")
    (root / f"selectors/{board}.yaml").write_text(
        selectors.replace("board_id: dmf_registry", f"board_id: {board}"), encoding="utf-8"
    )


# --- a whole run --------------------------------------------------------------------------------


def test_accepted_run_is_told_as_json_with_its_report(site_home):
    asked = at(site_home, "run", "--now", NOW)
    (run,) = asked.json["runs"]
    assert (asked.exit_code, asked.err) == (0, "")
    assert (run["run_id"], run["date"]) == ("20261231T060000-dmf_registry", "2026-12-31")
    assert (run["status"], run["n_rows"], run["is_baseline"], run["error"]) == (
        "OK",
        60,
        True,
        None,
    )
    assert Path(run["report"]) == site_home / "reports/DMF_2026-12-31.xlsx"
    assert Path(run["report"]).is_file()
    assert run["counts"]["NEW"] == 60
    assert {gate["outcome"] for gate in run["gates"]} == {"pass"}


def test_accepted_run_is_told_to_people_with_its_report(site_home):
    asked = say(site_home, "run", "--now", NOW)
    assert (asked.exit_code, asked.err) == (0, "")
    assert "2026-12-31 dmf_registry: 정상" in asked.out
    assert "최초 수집(기준선) 60건" in asked.out
    assert "DMF_2026-12-31.xlsx" in asked.out


def test_run_leaves_a_log_that_names_no_one(site_home):
    settings = site_home / "config/settings.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('contact: ""', "contact: ra@example.co.kr"), encoding="utf-8")
    at(site_home, "run", "--now", NOW)
    lines = log_lines(site_home)
    assert [line["event"] for line in lines][-2:] == ["run_finished", "report_written"]
    assert {str(line["at"])[:16] for line in lines} == {NOW[:16]}
    assert lines[-2]["run_id"] == "20261231T060000-dmf_registry"
    assert (lines[-2]["status"], lines[-2]["exit_code"], lines[-2]["code"]) == ("OK", 0, None)
    (log,) = (site_home / "logs").iterdir()
    written = log.read_text(encoding="utf-8").lower()
    assert not [word for word in ("ra@example", "user-agent", "cookie") if word in written]


def test_dry_run_leaves_history_and_reports_alone(site_home):
    asked = at(site_home, "run", "--now", NOW, "--dry-run")
    assert asked.json["runs"][0]["report"] is None
    assert asked.json["runs"][0]["n_rows"] == 60
    assert not (site_home / "reports").exists()
    assert at(site_home, "runs").json["runs"] == []


def test_second_run_of_a_day_records_nothing_new(site_home):
    at(site_home, "run", "--now", NOW)
    (run,) = at(site_home, "run", "--now", "2026-12-31T07:00:00+09:00").json["runs"]
    assert set(run["counts"].values()) == {0}
    assert run["is_baseline"] is False


def test_site_that_is_down_ends_with_6_and_no_report(empty_home):
    asked = at(empty_home, "run", "--now", NOW)
    (run,) = asked.json["runs"]
    assert (asked.exit_code, run["status"], asked.error_code) == (6, "FAILED", "connect_error")
    assert run["error"]["code"] == "connect_error"
    assert run["report"] is None
    assert not (empty_home / "reports").exists()
    spoken = say(empty_home, "run", "--now", "2026-12-31T07:00:00+09:00")
    assert spoken.exit_code == 6
    assert "실패 [connect_error]" in spoken.out
    assert spoken.err.startswith("오류 [connect_error]")


@pytest.mark.parametrize("word", ["other", "DMF_REGISTRY", ""])
def test_board_that_is_not_there_is_named_with_the_known_ones(site_home, word):
    asked = at(site_home, "run", "--board", word)
    assert (asked.exit_code, asked.error_code) == (2, "no_such_board")
    assert "dmf_registry" in asked.json["error"]["message"]
    assert not (site_home / "var").exists()


def test_home_without_an_enabled_board_has_nothing_to_run(site_home):
    path = site_home / "config/boards.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("enabled: true", "enabled: false"),
        encoding="utf-8",
    )
    for command in ("run", "report"):
        if command == "report":
            Store(site_home / "var/dmf.sqlite3").close()
        asked = at(site_home, command)
        assert (asked.exit_code, asked.error_code) == (2, "no_boards")


def test_board_named_twice_runs_once(site_home):
    home = open_home(site_home)
    assert len(choose_boards(home, ["dmf_registry", "dmf_registry"])) == 1
    assert len(choose_boards(home, None)) == 1


def test_broken_selectors_end_the_run_before_anything_is_fetched(site_home, site):
    path = site_home / "selectors/dmf_registry.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("schema_version: 1", "schema_version: x"),
        encoding="utf-8",
    )
    asked = at(site_home, "run")
    assert (asked.exit_code, asked.error_code) == (2, "invalid_value")
    assert "selectors/dmf_registry.yaml" in asked.json["error"]["message"]
    assert site.log == []
    assert not (site_home / "var").exists()


def test_board_that_fails_does_not_stop_the_next_and_the_worst_code_counts(site_home):
    add_board(site_home, "aaa", "/nowhere")
    asked = at(site_home, "run", "--now", NOW)
    failed, accepted = asked.json["runs"]
    assert (failed["board"], failed["status"]) == ("aaa", "FAILED")
    assert (accepted["board"], accepted["status"]) == ("dmf_registry", "OK")
    assert accepted["report"] is not None
    assert failed["report"] is None
    assert asked.exit_code == failed["exit_code"] != 0
    assert asked.json["error"] == failed["error"]


def test_killed_run_is_closed_by_the_next_and_logged(site_home):
    with Store(site_home / "var/dmf.sqlite3") as store:
        killed = begin_run(
            store, "dmf_registry", datetime(2026, 12, 30, 6, tzinfo=KST), selector_version=1
        )
    at(site_home, "run", "--now", NOW)
    rows = {row["run_id"]: row for row in at(site_home, "runs").json["runs"]}
    assert rows[killed.run_id]["status"] == "FAILED"
    assert rows[killed.run_id]["error"]["code"] == "killed"
    assert {"run_was_killed"} == {
        line["event"] for line in log_lines(site_home) if line.get("run_id") == killed.run_id
    }


def test_report_that_cannot_be_written_leaves_the_run_accepted_and_ends_with_5(site_home):
    (site_home / "reports").write_bytes(b"")
    asked = at(site_home, "run", "--now", NOW)
    (run,) = asked.json["runs"]
    assert (asked.exit_code, asked.error_code) == (5, "report_not_written")
    assert (run["status"], run["exit_code"], run["report"]) == ("OK", 5, None)
    assert at(site_home, "runs").json["runs"][0]["status"] == "OK"
    assert at(site_home, "verify").exit_code == 0


def test_clock_that_went_back_is_refused_and_no_run_begins(site_home):
    at(site_home, "run", "--now", NOW)
    asked = at(site_home, "run", "--now", "2026-12-01T06:00:00+09:00")
    assert (asked.exit_code, asked.error_code) == (2, "clock_went_back")
    assert len(at(site_home, "runs").json["runs"]) == 1


# --- what goes wrong inside ---------------------------------------------------------------------


@contextmanager
def watching(root: Path) -> Iterator[tuple[Watch, World]]:
    home = open_home(root)
    with (
        real_world(Politeness(), starts_at=STARTED) as world,
        Store(home.database) as store,
    ):
        yield open_watch(home, home.boards[0], store), world


def begin(watch: Watch) -> Run:
    return begin_run(watch.store, watch.board.id, STARTED, selector_version=1)


def test_bug_in_a_run_marks_it_failed_with_exit_code_1(empty_home):
    with watching(empty_home) as (watch, world):

        def act() -> RunSummary:
            begin(watch)
            raise KeyError("x")

        summary = guard_run(watch, world, act)
        (row,) = find_runs(watch.store)
        gates = gates_of(watch.store, row.run.run_id)
    assert (summary.status, summary.exit_code) == (RunStatus.FAILED, 1)
    assert gates == summary.gates
    assert len(gates) == len(GATE_NAMES)
    assert not any(gate.outcome is Outcome.PASS for gate in gates)
    assert summary.fault is not None
    assert "KeyError" in summary.fault.message
    assert (row.run, row.status, row.error_code) == (summary.run, RunStatus.FAILED, "bug")


def test_error_of_ours_in_a_run_keeps_its_code(empty_home):
    with watching(empty_home) as (watch, world):

        def act() -> RunSummary:
            begin(watch)
            raise StoreError("write_failed", "디스크가 가득 찼습니다.")

        summary = guard_run(watch, world, act)
        (row,) = find_runs(watch.store)
    assert (summary.exit_code, row.exit_code, row.error_code) == (5, 5, "write_failed")


def test_error_before_a_run_began_blames_no_earlier_run(lived_home):
    with watching(lived_home) as (watch, world):
        before = find_runs(watch.store)

        def act() -> RunSummary:
            raise KeyError("x")

        summary = guard_run(watch, world, act)
        assert find_runs(watch.store) == before
    assert summary.run.run_id == "20261231T060000-dmf_registry"
    assert summary.run.run_id not in {row.run.run_id for row in before}
    assert (summary.status, str(summary.run.day)) == (RunStatus.FAILED, "2026-12-31")


def test_run_that_began_before_a_later_failed_one_is_the_one_that_is_closed(empty_home):
    """With --now a failed run may have a later start than the one at work."""
    with watching(empty_home) as (watch, world):
        begin_run(
            watch.store, watch.board.id, datetime(2027, 1, 9, 6, tzinfo=KST), selector_version=1
        )
        guard_run(watch, world, _raise)

        def act() -> RunSummary:
            begin(watch)
            raise KeyError("x")

        assert guard_run(watch, world, act).run.started_at == STARTED


def _raise() -> RunSummary:
    raise KeyError("x")


def test_history_that_cannot_be_written_still_ends_with_a_summary(empty_home):
    with watching(empty_home) as (watch, world):
        run = begin(watch)
        other = sqlite3.connect(watch.store.path)
        other.execute("DROP TABLE crawl_run")
        other.commit()
        other.close()
        summary = guard_run(watch, world, _raise)
    assert (summary.status, summary.exit_code) == (RunStatus.FAILED, 1)
    assert summary.run.started_at == run.started_at


def test_bug_in_the_report_leaves_the_accepted_run_told(lived_home):
    with watching(lived_home) as (watch, world):
        run = find_runs(watch.store)[0].run
        summaries = [
            RunSummary(run, RunStatus.OK, 0),
            RunSummary(run, RunStatus.HELD, 3),
        ]
        unfit: Any = None
        told = publish_accepted([replace(watch, selectors=unfit)], summaries, world)
    assert [(summary.status, summary.exit_code) for summary in told] == [
        (RunStatus.OK, 1),
        (RunStatus.HELD, 3),
    ]
    assert told[0].fault is not None
    assert "이력은 기록되었고" in told[0].fault.message


def test_question_that_makes_no_sense_is_no_fault_of_the_board(empty_home):
    def act() -> RunSummary:
        raise UsageError("clock_went_back", "시계를 확인하십시오.")

    with watching(empty_home) as (watch, world), pytest.raises(UsageError):
        guard_run(watch, world, act)


# --- progress -----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_in_its_code_page():
    terminal = Terminal()
    with show_progress("원료의약품등록(DMF) 현황", terminal) as bar:
        bar.total = 4
        bar.update(2)
        bar.refresh()
    assert "원료의약품등록" in terminal.getvalue()
    assert "2/4" in terminal.getvalue()
    terminal.getvalue().encode("cp949")


def test_run_on_a_terminal_shows_how_far_it_is(site_home, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert at(site_home, "run", "--now", NOW).exit_code == 0
    assert "원료의약품등록(DMF) 현황" in terminal.getvalue()


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_progress_is_not_shown_where_no_terminal_is(stream):
    with show_progress("x", stream) as bar:
        assert bar is None
