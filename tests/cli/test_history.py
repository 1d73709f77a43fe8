"""`runs`, `history`, `report`, `verify`: on a home after two days of 60 rows."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
from datetime import date, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest

from dmf_crawler.cli.history import (
    MOST_SHOWN_KEYS,
    _event_line,
    _mark_changed_back,
    _tell_pieces,
    _verify_sources,
)
from dmf_crawler.config import load_home
from dmf_crawler.model.change import EventType, FieldChange, Grade, Reason
from dmf_crawler.model.record import Column, FieldKind
from dmf_crawler.model.report import EventRow
from dmf_crawler.model.run import KST
from dmf_crawler.persist.questions import find_sources
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import Check
from tests.cli.asking import at, say
from tests.persist.tampering import tamper


def query(home: Path, sql: str) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(home / "var/dmf.sqlite3")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def change(home: Path, sql: str) -> None:
    tamper(home / "var/dmf.sqlite3", sql)


def changed_key(home: Path) -> str:
    ((key,),) = query(
        home, "SELECT natural_key FROM dmf_event WHERE event_type = 'MODIFIED' LIMIT 1"
    )
    return key


# --- runs ---------------------------------------------------------------------------------------


def test_runs_are_listed_newest_first(lived):
    runs = at(lived, "runs").json["runs"]
    assert [run["status"] for run in runs] == ["OK", "OK"]
    assert runs[0]["run_id"] > runs[1]["run_id"]
    assert (runs[1]["is_baseline"], runs[1]["n_rows"], runs[1]["error"]) == (True, 60, None)
    assert [run["exit_code"] for run in runs] == [0, 0]


def test_runs_are_cut_at_the_limit(lived):
    (run,) = at(lived, "runs", "--limit", "1").json["runs"]
    assert run == at(lived, "runs").json["runs"][0]


def test_runs_for_people_are_one_line_each(lived, lived_home):
    lines = say(lived, "runs").out.splitlines()
    assert len(lines) == 2
    assert all("정상" in line and "dmf_registry" in line for line in lines)
    change(
        lived_home,
        "UPDATE crawl_run SET status = 'FAILED', error_code = 'timeout', reject_reason = '느림'",
    )
    assert "실패" in say(lived_home, "runs").out
    assert "[timeout] 느림" in say(lived_home, "runs").out


def test_runs_tell_the_full_check_and_the_pages_that_were_taken_over(lived_home):
    run_id = at(lived_home, "runs").json["runs"][0]["run_id"]
    change(
        lived_home,
        "UPDATE crawl_run SET full_check_from = '2026-11-29', full_check_left = 3,"
        f" n_taken_over = 70, identity = 'DMF-Crawler/1.0' WHERE run_id = '{run_id}'",
    )

    newest, oldest = at(lived_home, "runs").json["runs"]
    keys = ("full_check_from", "full_check_left", "n_taken_over", "identity")
    assert [newest[key] for key in keys] == ["2026-11-29", 3, 70, "DMF-Crawler/1.0"]
    assert oldest["n_taken_over"] == 0
    first, second = say(lived_home, "runs").out.splitlines()
    assert "이어받은 쪽 70  전체 재확인 2026-11-29(남음 3)" in first
    assert "이어받은" not in second


def test_runs_tell_how_much_their_primary_selectors_found(lived_home):
    newest, oldest = at(lived_home, "runs").json["runs"]
    assert (newest["reuse_rate"], oldest["reuse_rate"]) == (1.0, 1.0)
    change(lived_home, f"UPDATE crawl_run SET reuse_rate = 0.9 WHERE run_id = '{newest['run_id']}'")

    assert at(lived_home, "runs").json["runs"][0]["reuse_rate"] == 0.9
    first, second = say(lived_home, "runs").out.splitlines()
    assert "셀렉터 재사용률 90.0%" in first
    assert "재사용률" not in second


def test_history_without_a_run_says_so(empty_home):
    Store(empty_home / "var/dmf.sqlite3").close()
    assert say(empty_home, "runs").out == "실행이 없습니다.\n"
    assert at(empty_home, "runs").json["runs"] == []


# --- history ------------------------------------------------------------------------------------


def test_history_of_a_key_has_its_events_and_versions(lived):
    key = changed_key(lived)
    value = at(lived, "history", key).json
    assert (value["key"], value["board"]) == (key, "dmf_registry")
    assert [event["event_type"] for event in value["events"]] == ["NEW", "MODIFIED"]
    assert value["events"][0]["changes"] == []
    assert all(one["pieces"] for one in value["events"][1]["changes"])
    assert {one["changed_back"] for one in value["events"][1]["changes"]} == {None}
    assert [version["is_current"] for version in value["versions"]] == [False, True]
    assert value["versions"][0]["valid_to"] == value["versions"][1]["valid_from"]
    assert len(value["versions"][0]["source_sha256"]) == 64
    assert value["versions"][1]["record"] == value["events"][1]["record"]


def test_history_for_people_names_columns_in_korean(lived):
    key = changed_key(lived)
    first, *events = say(lived, "history", key).out.splitlines()
    assert first == f"{key} (dmf_registry)"
    assert re.match(r"  \d{4}-\d\d-\d\d 06:00  신규", events[0])
    assert "  변경  " in events[1]
    changed = at(lived, "history", key).json["events"][1]["changes"][0]["field"]
    assert changed not in events[1]
    assert " -> " in events[1]


def test_history_of_a_board_that_is_off_shows_field_ids(lived_home):
    path = lived_home / "config/boards.yaml"
    text = path.read_text(encoding="utf-8").replace("enabled: true", "enabled: false")
    path.write_text(text, encoding="utf-8")
    key = changed_key(lived_home)
    changed = at(lived_home, "history", key).json["events"][1]["changes"][0]["field"]
    assert f"  {changed}: " in say(lived_home, "history", key).out


def test_number_is_found_as_shown_and_in_other_spellings(lived):
    ((shown, key),) = query(lived, "SELECT reg_no, natural_key FROM dmf_record LIMIT 1")
    for spelling in (shown, key, f" {shown} ", key.lower()):
        assert at(lived, "history", spelling).json["key"] == key


@pytest.mark.parametrize("word", ["nothing", "", "%", "'; DROP TABLE dmf_record"])
def test_unknown_key_is_answered_plainly(lived, word):
    asked = at(lived, "history", word)
    assert (asked.exit_code, asked.error_code) == (2, "no_such_key")
    assert (asked.json["events"], asked.json["versions"]) == ([], [])


def test_number_that_several_records_share_names_some_of_them(lived_home):
    change(lived_home, "UPDATE dmf_record SET reg_no = 'SHARED'")
    asked = at(lived_home, "history", "SHARED")
    assert (asked.exit_code, asked.error_code) == (2, "ambiguous_key")
    assert asked.json["error"]["message"].count(", ") == MOST_SHOWN_KEYS - 1
    change(lived_home, "UPDATE dmf_record SET reg_no = natural_key WHERE sk > 2")
    message = at(lived_home, "history", "SHARED").json["error"]["message"]
    assert "2건" in message
    assert " 등" not in message.partition("2건")[2]


def test_change_is_shown_on_one_line_whatever_the_site_wrote():
    event = EventRow(
        "r",
        datetime(2026, 12, 1, 6, tzinfo=KST),
        "b",
        "k",
        EventType.WITHDRAWN,
        Reason.STATUS,
        Grade.MAJOR,
        (
            FieldChange("a", None, "x\n\x1b[31my", FieldKind.TEXT, Grade.MAJOR),
            FieldChange("m", ("p", "q"), (), FieldKind.TEXT, Grade.MAJOR),
        ),
        {},
    )
    line = _event_line(event, [Column("a", "상태")])
    assert line == (
        "  2026-12-01 06:00  취하 (상태가 취하·취소로 바뀜)  "
        r"상태: (없음) -> 'x\n\x1b[31my'; m: 'p' / 'q' -> (빈 값)"
    )


def test_a_long_text_that_changed_is_shown_where_it_differs():
    before = "가" * 5_000 + "전" + "나" * 5_000
    body = FieldChange("b", before, before.replace("전", "후"), FieldKind.TEXT, Grade.MINOR)
    event = EventRow(
        "r",
        datetime(2026, 12, 1, 6, tzinfo=KST),
        "b",
        "k",
        EventType.MODIFIED,
        None,
        None,
        (body,),
        {},
    )
    line = _event_line(event, [Column("b", "본문")])
    assert f"'… {'가' * 40}전{'나' * 40} … [전체 10,001자]' -> '… 가" in line


def test_what_was_changed_back_is_told_below_its_event(lived):
    def an_event(day: int, before: str, after: str) -> EventRow:
        change = FieldChange("a", before, after, FieldKind.TEXT, Grade.MAJOR)
        at = datetime(2026, 12, day, 6, tzinfo=KST)
        return EventRow("r", at, "b", "k", EventType.MODIFIED, None, None, (change,), {})

    there, back = _mark_changed_back(
        load_home(lived), [an_event(1, "x", "y"), an_event(4, "y", "x")]
    )

    columns = [Column("a", "상태")]
    assert [*_tell_pieces(there, columns)] == []
    assert [*_tell_pieces(back, columns)] == ["      상태 3일 전(2026-12-01) 바뀐 값이 되돌아옴"]


# --- report -------------------------------------------------------------------------------------


def test_report_is_written_again_from_the_history(lived_home):
    reports = sorted((lived_home / "reports").iterdir())
    assert len(reports) == 2
    for path in reports:
        path.unlink()
    value = at(lived_home, "report").json
    assert Path(value["report"]) == reports[1]
    assert openpyxl.load_workbook(reports[1], read_only=False).sheetnames[0] == "요약"
    assert not reports[0].exists()
    assert say(lived_home, "report").out == f"보고서: {reports[1]}\n"


def test_report_of_an_earlier_day_is_chosen_by_date_or_run(lived_home):
    first = at(lived_home, "runs").json["runs"][1]
    for words in (["--date", first["date"]], ["--run", first["run_id"]]):
        assert at(lived_home, "report", *words).json["report"].endswith(f"DMF_{first['date']}.xlsx")


def test_report_of_a_day_before_the_first_is_refused(lived_home):
    asked = at(lived_home, "report", "--date", "2001-01-01")
    assert (asked.exit_code, asked.error_code) == (2, "nothing_accepted")
    assert asked.json["report"] is None


def test_report_of_an_unknown_run_is_refused(lived_home):
    asked = at(lived_home, "report", "--run", "20260101T000000-x")
    assert (asked.exit_code, asked.error_code) == (2, "no_such_run")


def test_report_without_an_accepted_run_is_refused(empty_home):
    Store(empty_home / "var/dmf.sqlite3").close()
    asked = at(empty_home, "report")
    assert (asked.exit_code, asked.error_code) == (2, "nothing_accepted")


def test_report_that_cannot_be_written_ends_with_5_and_is_logged(lived_home):
    path = lived_home / "config/settings.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("reports_dir: reports", "reports_dir: config/boards.yaml"), encoding="utf-8"
    )
    asked = at(lived_home, "report")
    assert (asked.exit_code, asked.error_code) == (5, "report_not_written")
    logs = "".join(log.read_text(encoding="utf-8") for log in (lived_home / "logs").iterdir())
    assert '"event": "command_failed", "code": "report_not_written"' in logs


# --- verify -------------------------------------------------------------------------------------


def content_of(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.parent.name in {"raw", "reports", "logs", "config"}
    }


def test_history_of_two_days_verifies_and_stays_as_it_is(lived_home):
    before = content_of(lived_home)
    value = at(lived_home, "verify").json
    assert value["ok"] is True
    assert len(value["checks"]) > 3
    assert all(check["ok"] and check["name"] and check["detail"] for check in value["checks"])
    spoken = say(lived_home, "verify")
    assert len(spoken.out.splitlines()) == len(value["checks"])
    assert spoken.err == ""
    assert content_of(lived_home) == before


def test_spoiled_page_is_the_first_offender(lived_home):
    page = sorted(lived_home.glob("raw/*/*/*/*.gz"))[0]
    page.write_bytes(page.read_bytes()[:-9])
    asked = at(lived_home, "verify")
    assert (asked.exit_code, asked.error_code) == (5, "not_verified")
    assert asked.json["ok"] is False
    (broken,) = [check for check in asked.json["checks"] if not check["ok"]]
    assert broken["name"] == "raw_digests"
    assert broken["next"].startswith("이력은 그대로 쓸 수 있습니다")
    assert page.name in broken["detail"]
    assert page.name in asked.json["error"]["message"]


def test_spoiled_history_does_not_verify(lived_home):
    change(lived_home, "DELETE FROM dmf_record WHERE sk = 1")
    asked = at(lived_home, "verify")
    assert (asked.exit_code, asked.error_code) == (5, "not_verified")
    lines = say(lived_home, "verify").out.splitlines()
    offenders = [line for line in lines if line.startswith("이상  ")]
    remedies = [line for line in lines if line.startswith("  할 일: ")]
    assert len(offenders) == len(remedies) > 1
    assert all("var/dmf.sqlite3 을 백업에서" in line for line in remedies)
    assert lines[lines.index(offenders[0]) + 1] == remedies[0]


def test_every_check_that_does_not_hold_names_a_record_or_a_run(lived_home):
    """Whatever was changed behind the program's back, the first offender is told by name."""
    key = changed_key(lived_home)
    change(lived_home, f"UPDATE dmf_record SET company = 'x' WHERE natural_key = '{key}'")
    change(lived_home, "UPDATE crawl_run SET n_new = n_new + 1 WHERE is_baseline = 1")
    checks = at(lived_home, "verify").json["checks"]
    told = {check["name"]: check["detail"] for check in checks if not check["ok"]}
    assert told.keys() == {"events_match_versions", "run_counts"}
    assert told["events_match_versions"].startswith(f"{key}: ")
    assert re.match(r"실행 \d{8}T\d{6}-dmf_registry: ", told["run_counts"])


def remove_first_folder(home: Path) -> Path:
    folder = sorted(home.glob("raw/*/*/*"))[0]
    shutil.rmtree(folder)
    return folder


def verify_sources_on(home: Path, today: date) -> Check:
    with Store(home / "var/dmf.sqlite3") as store:
        return _verify_sources(load_home(home), find_sources(store), today=today)


@pytest.mark.parametrize(("age_days", "ok"), [(0, False), (179, False), (180, True), (400, True)])
def test_a_folder_may_be_gone_once_it_is_older_than_the_retention(lived_home, age_days, ok):
    folder = remove_first_folder(lived_home)
    day = date.fromisoformat(folder.parts[-3])

    check = verify_sources_on(lived_home, day + timedelta(days=age_days))

    assert check.ok is ok
    if ok:
        assert check.detail == "이상 없음 (보존 기간 180일이 지나 정리된 실행 1건)"
    else:
        assert (
            f"{'/'.join(folder.parts[-4:])} 에 보관된 페이지가 모자랍니다(찾은 것 0" in check.detail
        )


def test_a_folder_of_any_age_that_is_there_must_be_whole(lived_home):
    (sorted(lived_home.glob("raw/*/*/*"))[0] / "index.jsonl").unlink()

    assert not verify_sources_on(lived_home, date(2099, 1, 1)).ok


def test_a_history_that_lies_in_the_future_grows_old_by_its_own_days(lived_home):
    folder = remove_first_folder(lived_home)
    day = date.fromisoformat(folder.parts[-3])
    change(
        lived_home,
        f"UPDATE crawl_run SET day = '{day + timedelta(days=200)}' WHERE is_baseline = 0",
    )

    check = verify_sources_on(lived_home, date(2020, 1, 1))
    assert (check.ok, "정리된 실행 1건" in check.detail) == (True, True)
