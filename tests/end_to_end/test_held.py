"""Held runs: what a person is shown, approves or rejects, and what the days after make of it."""

from __future__ import annotations

import io
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from openpyxl import load_workbook

from dmf_crawler.cli.commands import run_command
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome, new_home

ROWS = Life(n_rows=120).rows
GONE = ROWS[50:54]
WITHOUT_GONE = ROWS[:50] + ROWS[54:]
FIRST, HELD_DAY, NEXT, AFTER = "2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03"
HELD = f"{HELD_DAY.replace('-', '')}T060000-dmf_registry"
FACTS = ("dmf_record", "dmf_event", "change_observation", "missing_spell", "split_number")


@pytest.fixture
def stage(tmp_path):
    """A site that has lost four rows, and a home whose second run was held for it."""
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        assert home.run(FIRST)["status"] == "OK"
        site.rows = WITHOUT_GONE
        run = home.run(HELD_DAY)
        assert (run["run_id"], run["status"], run["exit_code"]) == (HELD, "HELD", 3)
        yield site, home


def decide(home: RehearsalHome, *words: str, at: str = f"{NEXT}T05:00") -> tuple[int, Any]:
    return home.command(*words, "--now", f"{at}:00+09:00")


def say(home: RehearsalHome, *words: str) -> str:
    out = io.StringIO()
    run_command([words[0], "--home", str(home.root), *words[1:]], stdout=out, stderr=io.StringIO())
    return out.getvalue()


def run_line(home: RehearsalHome, run_id: str = HELD) -> dict[str, Any]:
    connection = sqlite3.connect(home.root / "var/dmf.sqlite3")
    connection.row_factory = sqlite3.Row
    try:
        (row,) = connection.execute("SELECT * FROM crawl_run WHERE run_id = ?", (run_id,))
        return dict(row)
    finally:
        connection.close()


def previews(home: RehearsalHome) -> list[str]:
    return sorted(path.name for path in (home.root / "var/held").glob("*"))


def cells(path: str | Path, sheet: str) -> list[tuple[Any, ...]]:
    book = load_workbook(path, read_only=True)
    try:
        return [tuple(row) for row in book[sheet].iter_rows(values_only=True)]
    finally:
        book.close()


def text_of(path: str | Path, sheet: str) -> str:
    return "\n".join(str(cell) for row in cells(path, sheet) for cell in row if cell is not None)


# --- pending -------------------------------------------------------------------------------------


def test_pending_tells_reasons_examples_preview_and_the_commands_that_follow(stage):
    _, home = stage

    exit_code, result = home.command("pending")

    assert (exit_code, result["error"]) == (0, None)
    (held,) = result["held"]
    assert (held["run_id"], held["board"], held["date"]) == (HELD, "dmf_registry", HELD_DAY)
    assert (held["n_rows"], held["missing"], held["error"]["code"]) == (116, 4, "many_withdrawals")
    reasons = {gate["code"]: gate for gate in held["gates"]}
    assert all(gate["outcome"] != "pass" for gate in held["gates"])
    gone = reasons["G-5"]
    assert (gone["name"], gone["observed"], gone["limit"]) == ("취하와 사라진 행", 4, 3)
    assert gone["limit_from"] == "floor"
    assert {each["key"] for each in gone["examples"]} == {row.reg_no for row in GONE}
    assert {each["label"] for each in gone["examples"]} == {"등록번호"}
    assert Path(held["preview"]).is_file()
    root = home.root
    assert held["commands"]["approve"].startswith(f"dmf-crawler approve {HELD} --home {root} ")
    assert held["commands"]["reject"].startswith(f"dmf-crawler reject {HELD} --home {root} ")
    assert held["commands"]["reparse"] == f"dmf-crawler reparse --home {root} --run {HELD}"
    text = say(home, "pending")
    for told in (HELD, "[보류] G-5", GONE[0].reg_no, held["preview"], *held["commands"].values()):
        assert told in text


def test_an_example_names_the_page_and_the_row_that_show_it(stage):
    """The kept file is the one that the gate's digest names."""
    _, home = stage
    ((sha256, page),) = home.rows(
        f"SELECT source_sha256, source_url FROM dmf_record WHERE reg_no = '{ROWS[0].reg_no}'"
    )
    home.execute(
        f"UPDATE gate_example SET source_sha256 = '{sha256}', source_url = '{page}',"
        f" source_row = 7, after_json = '\"다른 값\"', field = 'company' WHERE position = 0"
    )
    # the page of the first day: its file lies in that run's folder
    home.execute(f"UPDATE crawl_run SET raw_dir = (SELECT raw_dir FROM crawl_run WHERE day ="
                 f" '{FIRST}') WHERE run_id = '{HELD}'")  # fmt: skip

    _, result = home.command("pending")

    examples = [each for gate in result["held"][0]["gates"] for each in gate["examples"]]
    (told,) = [each for each in examples if each["row"] == 7]
    assert (told["label"], told["after"], told["url"]) == ("신청인", "다른 값", page)
    assert told["file"].endswith(f"/{sha256[:16]}.html.gz")
    assert (home.root / told["file"]).is_file()
    assert f"{told['file']} 7행" in say(home, "pending")


def test_nothing_pending_is_no_failure(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(FIRST)
    assert home.command("pending") == (0, {"exit_code": 0, "error": None, "held": []})
    assert say(home, "pending") == "보류된 실행이 없습니다.\n"


def test_the_run_that_is_held_names_the_command_that_follows(stage):
    site, home = stage
    site.rows = ROWS[:40] + ROWS[44:]
    text = say(home, "run", "--now", f"{NEXT}T06:00:00+09:00")
    assert "pending" in text
    assert "미리보기(미채택): " in text


# --- approve -------------------------------------------------------------------------------------


def test_an_approved_run_is_the_same_run_recorded_with_its_own_start_and_day(stage):
    _, home = stage
    before = run_line(home)

    exit_code, result = decide(home, "approve", HELD, "--note", " 사이트에서  확인함 ")

    (run,) = result["runs"]
    assert (exit_code, result["error"]) == (0, None)
    assert (run["run_id"], run["status"], run["date"]) == (HELD, "OK", HELD_DAY)
    assert (run["n_requests"], run["missing"]) == (before["n_requests"], 4)
    assert Path(run["report"]).name == f"DMF_{HELD_DAY}.xlsx"
    assert {gate["outcome"] for gate in run["gates"] if gate["code"] == "G-5"} == {"hold"}
    after = run_line(home)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {
        *("status", "exit_code", "error_code", "reject_reason"),
        *("decision", "decided_at", "decision_note"),
    }
    assert (after["status"], after["exit_code"], after["decision"]) == ("OK", 0, "approved")
    assert after["decided_at"] == f"{NEXT}T05:00:00+09:00"
    assert after["decision_note"] == "사이트에서 확인함"
    assert home.rows(f"SELECT DISTINCT outcome FROM gate_result WHERE run_id = '{HELD}'"
                     " AND code = 'G-5'") == [("hold",)]  # fmt: skip
    assert set(home.rows("SELECT observed_on, was_held FROM drift_baseline")) == {
        (FIRST, 0),
        (HELD_DAY, 1),
    }
    assert set(home.rows("SELECT since_day, last_missed_on, n_reads FROM missing_spell")) == {
        (HELD_DAY, HELD_DAY, 1)
    }
    assert previews(home) == []
    assert home.command("pending")[1]["held"] == []
    assert home.command("verify")[0] == 0


def live_on(site: RehearsalSite, home: RehearsalHome) -> list[str]:
    """Live three more days without the four rows, and one with two of them back."""
    statuses = [home.run(day)["status"] for day in (NEXT, AFTER, "2026-12-04")]
    site.rows = ROWS[:52] + ROWS[54:]
    return [*statuses, home.run("2026-12-05")["status"]]


def test_a_run_approved_a_day_later_leaves_what_it_would_have_left_on_its_day(tmp_path):
    """A missing row is due on the day on which it would have been due."""
    left = []
    for is_held in (True, False):
        with RehearsalSite(ROWS) as site:
            home = new_home(tmp_path / str(is_held), site.base_url)
            home.run(FIRST)
            site.rows = WITHOUT_GONE
            if not is_held:
                home.edit("config/settings.yaml", "vanished: {floor: 3", "vanished: {floor: 10")
            status = home.run(HELD_DAY)["status"]
            assert status == ("HELD" if is_held else "OK")
            if is_held:
                assert decide(home, "approve", HELD)[0] == 0
                home.edit("config/settings.yaml", "vanished: {floor: 3", "vanished: {floor: 10")
            assert live_on(site, home) == ["OK"] * 4
            left.append({table: home.rows(f"SELECT * FROM {table}") for table in FACTS})
            assert home.command("verify")[0] == 0
    assert strip_pages(left[0]) == strip_pages(left[1])
    events = [row for row in left[0]["dmf_event"] if "missing" in row]
    assert len(events) == 4


def strip_pages(facts: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Leave out what names the page or the port of the site."""
    return {
        table: [
            tuple(value for value in row if not (isinstance(value, str) and is_place(value)))
            for row in rows
        ]
        for table, rows in facts.items()
    }


def is_place(text: str) -> bool:
    return "127.0.0.1" in text or (len(text) == 64 and text.isalnum())


def test_the_baseline_may_be_held_and_approved(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        forget_a_status(home)
        run = home.run(HELD_DAY)
        assert (run["status"], run["error"]["code"]) == ("HELD", "unknown_status")
        preview = Path(run["preview"])
        assert "최초 수집(기준선)" in text_of(preview, "요약")

        exit_code, result = decide(home, "approve", HELD)

        (approved,) = result["runs"]
        assert (exit_code, approved["is_baseline"]) == (0, True)
        assert approved["counts"]["NEW"] == len(ROWS)
        assert home.run(NEXT)["counts"]["NEW"] == 0
        assert home.command("verify")[0] == 0


def forget_a_status(home: RehearsalHome) -> None:
    """Let the selectors file not know the status 취소, which some rows have."""
    assert any(row.status == "취소" for row in ROWS)
    home.edit("selectors/dmf_registry.yaml", '"취하", "취소", "말소"]', '"취하", "말소"]')


def test_what_is_read_again_is_read_with_the_selectors_of_today(tmp_path):
    """Their version stands on the run: its values are theirs."""
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        forget_a_status(home)
        home.run(HELD_DAY)
    home.edit("selectors/dmf_registry.yaml", "schema_version: 1", "schema_version: 2")

    assert decide(home, "approve", HELD)[0] == 0

    assert run_line(home)["selector_version"] == 2


def test_a_held_correction_is_approved_as_the_read_of_its_own_day(stage):
    """`reparse --apply` is judged like a crawl; its missing rows count for the day of the read."""
    _, home = stage
    exit_code, result = decide(home, "reparse", "--run", HELD, "--apply", at=f"{NEXT}T09:00")
    assert (exit_code, result["runs"][0]["status"]) == (3, "HELD")
    correction = result["runs"][0]["run_id"]
    assert result["runs"][0]["preview"]
    assert len(previews(home)) == 2

    exit_code, result = decide(home, "approve", correction, at=f"{AFTER}T09:00")

    assert (exit_code, result["runs"][0]["date"]) == (0, NEXT)
    assert set(home.rows("SELECT since_day, n_reads FROM missing_spell")) == {(HELD_DAY, 1)}
    assert run_line(home)["decision"] == "superseded"
    assert previews(home) == []
    assert home.command("verify")[0] == 0


# --- refusals ------------------------------------------------------------------------------------


def refusal(home: RehearsalHome, *words: str) -> tuple[int, str]:
    """Return exit code and error code of a decision that must change nothing."""
    before = home.history_content(), home.rows("SELECT * FROM crawl_run ORDER BY rowid")
    exit_code, result = decide(home, *words)
    assert (home.history_content(), home.rows("SELECT * FROM crawl_run ORDER BY rowid")) == before
    return exit_code, result["error"]["code"]


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_only_a_run_that_is_held_is_decided_on(stage, command):
    _, home = stage
    first = f"{FIRST.replace('-', '')}T060000-dmf_registry"
    assert refusal(home, command, "20990101T060000-nothing") == (2, "no_such_run")
    assert refusal(home, command, first) == (2, "not_held")
    assert decide(home, "reject", HELD)[0] == 0
    assert refusal(home, command, HELD) == (2, "not_held")
    assert "거부" in decide(home, command, HELD)[1]["error"]["message"]


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_nothing_is_decided_beside_a_run_at_work(stage, command):
    _, home = stage
    with FileLock(home.root / "var/run.lock"):
        assert refusal(home, command, HELD) == (8, "lock_held")


def test_what_is_approved_must_still_have_its_pages(stage):
    _, home = stage
    shutil.rmtree(home.root / "raw" / HELD_DAY)
    assert refusal(home, "approve", HELD) == (2, "no_kept_pages")
    assert decide(home, "reject", HELD)[0] == 0


def test_a_run_is_not_approved_when_something_newer_was_accepted(stage):
    """A correction of the day before leaves it held; approving it would undo the correction."""
    _, home = stage
    first = f"{FIRST.replace('-', '')}T060000-dmf_registry"
    exit_code, _ = decide(home, "reparse", "--run", first, "--apply", at=f"{HELD_DAY}T09:00")
    assert exit_code == 0
    assert run_line(home)["status"] == "HELD"

    assert refusal(home, "approve", HELD) == (2, "newer_run_accepted")


def test_a_board_that_is_switched_off_is_not_approved(stage):
    _, home = stage
    text = (home.root / "config/boards.yaml").read_text(encoding="utf-8")
    assert text.count("enabled: true") == 1
    home.edit("config/boards.yaml", "enabled: true", "enabled: false")
    home.edit("config/boards.yaml", "enabled: false", "enabled: true")  # the notice board alone
    text = (home.root / "config/boards.yaml").read_text(encoding="utf-8")
    first = text.index("enabled: true")
    (home.root / "config/boards.yaml").write_text(
        text[:first] + "enabled: false" + text[first + len("enabled: true") :], encoding="utf-8"
    )
    assert refusal(home, "approve", HELD) == (2, "no_such_board")
    assert len(home.command("pending")[1]["held"]) == 1


def test_no_approval_passes_the_outer_fuse(stage):
    """What a gate refuses by now stays held, with the reason, and exit code 4."""
    _, home = stage
    home.edit("config/settings.yaml", "gone_ratio: 0.10", "gone_ratio: 0.01")
    assert refusal(home, "approve", HELD) == (4, "mass_withdrawal")
    exit_code, result = decide(home, "approve", HELD)
    assert (exit_code, result["runs"][0]["status"]) == (4, "HELD")
    assert result["runs"][0]["report"] is None
    assert len(previews(home)) == 1


def test_pages_that_cannot_be_read_any_more_are_not_approved(stage):
    _, home = stage
    home.edit("selectors/dmf_registry.yaml", "max_expected: 1000", "max_expected: 20")
    assert refusal(home, "approve", HELD) == (4, "too_many_rows")


def test_a_damaged_page_is_told_and_changes_nothing(stage):
    _, home = stage
    home.kept_pages(HELD)[1].write_bytes(b"spoiled")
    assert refusal(home, "approve", HELD) == (5, "raw_damaged")
    assert len(previews(home)) == 1


def test_a_history_that_cannot_be_written_leaves_the_run_held(stage):
    """The last thing that an accepted run writes fails: nothing of it is there."""
    _, home = stage
    home.break_table("stop", "drift_baseline")
    assert refusal(home, "approve", HELD) == (5, "write_failed")
    home.mend_table("stop")
    assert decide(home, "approve", HELD)[0] == 0


@pytest.mark.parametrize("note", ["가" * 1_001, "bell\a"])
def test_a_note_that_no_report_can_carry_is_refused(stage, note):
    _, home = stage
    assert refusal(home, "reject", HELD, "--note", note) == (2, "usage")


# --- reject --------------------------------------------------------------------------------------


def test_a_rejected_run_keeps_pages_reason_and_note_and_records_nothing(stage):
    _, home = stage
    before, pages = home.history_content(), home.kept_pages(HELD)

    exit_code, result = decide(home, "reject", HELD, "--note", "사이트가 잠시 잘못 보였음")

    assert (exit_code, result["error"]) == (0, None)
    (run,) = result["runs"]
    assert (run["status"], run["decision"], run["error"]["code"]) == (
        *("REJECTED", "rejected", "rejected"),
    )
    line = run_line(home)
    assert line["decision_note"] == "사이트가 잠시 잘못 보였음"
    assert "하루 한도 3건" in line["reject_reason"]
    assert home.history_content() == before
    assert home.kept_pages(HELD) == pages
    assert previews(home) == []
    assert home.command("verify")[0] == 0


# --- the days after ------------------------------------------------------------------------------


def test_the_next_day_compares_with_the_last_accepted_list_when_nobody_decided(stage):
    site, home = stage
    site.rows = ROWS[:50] + ROWS[51:]

    run = home.run(NEXT)

    assert (run["status"], run["missing"]) == ("OK", 1)
    line = run_line(home)
    assert (line["status"], line["error_code"]) == ("REJECTED", "superseded")
    assert (line["decision"], line["decided_at"]) == ("superseded", f"{NEXT}T06:00:00+09:00")
    assert previews(home) == []


def test_the_next_day_goes_on_from_an_approved_list(stage):
    """The four rows count as missing for the second time, and hold nothing any more."""
    _, home = stage
    decide(home, "approve", HELD)

    run = home.run(NEXT)

    assert (run["status"], run["missing"]) == ("OK", 4)
    assert set(home.rows("SELECT since_day, n_reads FROM missing_spell")) == {(HELD_DAY, 2)}


def test_the_next_day_is_held_for_the_same_rows_after_a_rejection(stage):
    site, home = stage
    decide(home, "reject", HELD)
    again = home.run(NEXT)
    assert (again["status"], again["missing"]) == ("HELD", 4)
    site.rows = ROWS
    assert home.run(AFTER)["counts"]["REAPPEARED"] == 0
    assert home.rows("SELECT count(*) FROM missing_spell") == [(0,)]


def test_of_two_held_days_either_may_be_approved_first(stage):
    """The older one first: the newer one is judged against it. The newer one ends the older."""
    site, home = stage
    site.rows = ROWS[:50] + ROWS[60:]
    later = home.run(NEXT)
    assert later["status"] == "HELD"
    assert len(previews(home)) == 2

    assert decide(home, "approve", HELD, at=f"{NEXT}T09:00")[0] == 0
    assert previews(home) == [Path(later["preview"]).name]
    exit_code, result = decide(home, "approve", later["run_id"], at=f"{NEXT}T10:00")

    assert (exit_code, result["runs"][0]["missing"]) == (0, 10)
    assert home.rows(
        "SELECT since_day, n_reads, count(*) FROM missing_spell GROUP BY 1, 2 ORDER BY 1"
    ) == [(HELD_DAY, 2, 4), (NEXT, 1, 6)]
    assert home.command("verify")[0] == 0


def test_an_approved_newer_day_ends_the_older_one(stage):
    _, home = stage
    later = home.run(NEXT)["run_id"]
    assert decide(home, "approve", later, at=f"{NEXT}T09:00")[0] == 0
    assert run_line(home)["decision"] == "superseded"
    assert refusal(home, "approve", HELD) == (2, "not_held")


def start(home: RehearsalHome, moment: str) -> tuple[int, Any]:
    return home.command("run", "--scheduled", "--now", f"{moment}:00+09:00")


@pytest.mark.parametrize("decision", ["", "reject", "approve"])
def test_a_held_day_is_not_tried_again_whatever_was_decided(stage, decision):
    site, home = stage
    if decision:
        assert decide(home, decision, HELD, at=f"{HELD_DAY}T07:00")[0] == 0
    site.clear_log()
    assert start(home, f"{HELD_DAY}T08:00")[1]["runs"] == []
    assert site.log == []


def test_a_report_that_an_approval_could_not_write_is_written_by_the_next_start(stage):
    """The process was killed behind the one transaction."""
    _, home = stage
    decide(home, "approve", HELD, at=f"{NEXT}T05:30")
    report = home.root / f"reports/DMF_{HELD_DAY}.xlsx"
    whole = text_of(report, "전체현황")
    report.unlink()
    assert home.run(NEXT)["status"] == "OK"

    exit_code, result = start(home, f"{NEXT}T07:00")

    assert (exit_code, result["runs"]) == (0, [])
    assert text_of(report, "전체현황") == whole


def test_the_reports_tell_that_a_day_was_held_and_what_became_of_it(stage):
    _, home = stage
    _, result = decide(home, "approve", HELD, "--note", "공고로 확인")
    own = result["runs"][0]["report"]
    following = home.run(NEXT)["report"]
    later = home.run(AFTER)["report"]

    for report in (own, following):
        assert f"{HELD} 은 게이트가 보류했고, 사람이 2026-12-02 05:00:00 에 승인" in text_of(
            report, "요약"
        )
        assert "메모: 공고로 확인" in text_of(report, "요약")
    assert HELD not in text_of(later, "요약")
    for report in (own, following, later):
        assert "승인 2026-12-02 05:00:00\n공고로 확인" in text_of(report, "실행로그")


def test_the_next_report_tells_that_a_day_was_rejected(stage):
    site, home = stage
    decide(home, "reject", HELD, "--note", "사이트 오류")
    site.rows = ROWS

    report = home.run(NEXT)["report"]

    assert "거부하여 채택하지 않았습니다. 메모: 사이트 오류" in text_of(report, "요약")
    assert "거부 2026-12-02 05:00:00\n사이트 오류" in text_of(report, "실행로그")


# --- previews ------------------------------------------------------------------------------------


def test_a_preview_is_the_report_that_an_approval_writes_marked_on_every_sheet(stage):
    """Cell by cell, but for the banner above and what 요약 and 실행로그 tell of the decision."""
    _, home = stage
    kept = home.root / "preview.xlsx"
    shutil.copy(home.command("pending")[1]["held"][0]["preview"], kept)
    report = decide(home, "approve", HELD, at=f"{HELD_DAY}T06:00")[1]["runs"][0]["report"]

    preview: Any = load_workbook(kept)
    book: Any = load_workbook(report)
    assert preview.sheetnames == book.sheetnames
    for sheet in preview:
        assert str(sheet["A1"].value).startswith(f"미채택 미리보기: 보류된 실행 {HELD}")
        assert sheet.sheet_properties.tabColor.rgb == "FFB3261E"
        assert "미채택" in sheet.oddHeader.center.text
        assert sheet.print_title_rows.startswith("$1:")
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
        plain = [[cell.value for cell in row] for row in book[sheet.title].iter_rows()]
        if sheet.title == "실행로그":
            at = plain[0].index("결정")
            assert rows[1][at] == "미결정"
            for row in (rows[1], plain[1]):
                row[at] = None
        if sheet.title == "요약":
            assert "미채택" in rows[0][0]
            assert "아직 결정되지 않았습니다" in rows[4][0]
            rows, plain = rows[5:], plain[5:]
        assert list(map(trim, rows)) == list(map(trim, plain))
        assert sheet.freeze_panes is None or sheet.freeze_panes.endswith("3")
    assert "미채택" in preview.properties.title
    told = [cell for row in preview["취하"].iter_rows() for cell in row if cell.hyperlink]
    shown = [[cell.value for cell in row] for row in preview["전체현황"].iter_rows()]
    assert len(told) == 4
    for cell in told:
        assert cell.value in shown[int(cell.hyperlink.location.rpartition("!A")[2]) - 1]


def trim(row: list[Any]) -> list[Any]:
    """Return a row without the empty cells behind it: the banner reaches over all columns."""
    while row and row[-1] is None:
        row = row[:-1]
    return row


def test_what_an_approval_shows_of_a_newer_held_run_is_written_anew(stage):
    """The newer one is to be compared with the list that was accepted just now."""
    site, home = stage
    site.rows = ROWS[:50] + ROWS[56:]
    newer = home.run(NEXT)
    assert newer["status"] == "HELD"
    assert "승인되었습니다" not in say(home, "pending")

    assert decide(home, "approve", HELD, at=f"{NEXT}T07:00")[0] == 0

    told = say(home, "pending")
    assert f"그 뒤에 {HELD} 이 승인되었습니다" in told
    preview = Path(home.command("pending")[1]["held"][0]["preview"])
    shown = text_of(preview, "취하").split("\n", 1)[1]
    assert shown.count("2 / 4") == 4
    run = decide(home, "approve", newer["run_id"], at=f"{NEXT}T08:00")[1]["runs"][0]
    assert text_of(run["report"], "취하") == shown


def test_a_preview_lies_apart_from_the_reports_and_leaves_the_history_as_it_is(stage):
    _, home = stage
    assert previews(home) == [f"DMF_{HELD_DAY}_{HELD}_미채택.xlsx"]
    assert [path.name for path in (home.root / "reports").iterdir()] == [f"DMF_{FIRST}.xlsx"]
    assert home.rows("SELECT count(*) FROM missing_spell") == [(0,)]
    kept = sorted(path.name for path in (home.root / "var").glob("dmf.*"))
    assert kept == ["dmf.sqlite3", "dmf.sqlite3.seal"]
    assert run_line(home)["decision"] == ""


def test_a_preview_that_cannot_be_written_changes_nothing_but_what_is_told(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(FIRST)
        (home.root / "var/held").write_text("in the way", encoding="utf-8")
        site.rows = WITHOUT_GONE

        run = home.run(HELD_DAY)

    assert (run["status"], run["exit_code"], run["preview"]) == ("HELD", 3, None)
    assert "미리보기를 쓰지 못했습니다" in run["warnings"][-1]
    (log,) = home.root.glob(f"logs/dmf-{HELD_DAY}.jsonl")
    assert "preview_not_written" in log.read_text(encoding="utf-8")
    assert home.command("pending")[1]["held"][0]["preview"] is None
    assert "미리보기: 없음" in say(home, "pending")
    assert decide(home, "approve", HELD)[0] == 0


@pytest.mark.parametrize("rows", [ROWS, ROWS[:50] + ROWS[60:]], ids=["accepted", "held"])
def test_what_a_killed_process_left_is_removed_by_the_next_run(stage, rows):
    site, home = stage
    held = home.root / "var/held"
    (held / "DMF_2026-01-01_20260101T060000-dmf_registry_미채택.xlsx").write_bytes(b"old")
    (held / f"DMF_{HELD_DAY}_{HELD}_미채택.xlsx.part").write_bytes(b"half")
    (home.root / "var/dmf.sqlite3.copy").write_bytes(b"half")
    (home.root / "var/dmf.sqlite3.copy-wal").write_bytes(b"half")
    site.rows = rows

    later = home.run(NEXT)

    assert len(previews(home)) == (0 if later["status"] == "OK" else 2)
    assert not list((home.root / "var").glob("*.copy*"))


def test_a_dry_run_that_would_be_held_leaves_no_preview(stage):
    site, home = stage
    site.rows = ROWS[:50] + ROWS[60:]
    run = home.run(NEXT, "--dry-run")
    assert (run["status"], run["preview"]) == ("HELD", None)
    assert not any("미리보기" in warning for warning in run["warnings"])
    assert len(previews(home)) == 1


def test_beside_an_accepted_board_the_days_report_is_written_twice(tmp_path):
    """First with the notice that one board was held, then, approved, with its new list."""
    with RehearsalSite(ROWS, notices=NoticeLife(n_posts=12).rows) as site:
        home = new_home(tmp_path / "home", site.base_url, with_notices=True)
        home.command("run", "--now", f"{FIRST}T06:00:00+09:00")
        site.rows = WITHOUT_GONE
        exit_code, result = home.command("run", "--now", f"{HELD_DAY}T06:00:00+09:00")
        assert exit_code == 3
        assert [run["status"] for run in result["runs"]] == ["HELD", "OK"]
        report = result["runs"][1]["report"]
        assert f"{HELD} 은 채택되지 않았습니다" in text_of(report, "요약")
        assert "확인 중 4건" not in text_of(report, "취하")
        preview = load_workbook(result["runs"][0]["preview"])
        assert all("미채택" in str(sheet["A1"].value) for sheet in preview)

        exit_code, result = decide(home, "approve", HELD)

        assert (exit_code, result["runs"][0]["report"]) == (0, report)
        assert "채택되지 않았습니다" not in text_of(report, "요약")
        assert "확인 중 4건" in text_of(report, "취하")
        assert home.command("verify")[0] == 0
