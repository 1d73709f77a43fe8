"""`status`: on histories that a crawl is just writing, or has written."""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import hold_lock
from dmf_crawler.cli.status import status, tell_status
from dmf_crawler.config import load_home
from dmf_crawler.crawl import ENDED
from dmf_crawler.errors import StoreError
from dmf_crawler.model.run import Checkpoint, Fault, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.checkpoints import note_checkpoint
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, Diary, a_record, moment

PC_START = datetime(2027, 9, 1, 4, 30, tzinfo=UTC)
"""What the PC's clock says when the runs of these tests, rehearsed ones, start."""

NAME = f"원료의약품등록(DMF) 현황 ({BOARD})"


@pytest.fixture
def store(empty_home: Path) -> Iterator[Store]:
    with Store(empty_home / "var/dmf.sqlite3") as opened:
        yield opened


def begin(store: Store, board_id: str = BOARD) -> Run:
    return begin_run(store, board_id, moment(0), selector_version=1)


def note(store: Store, run: Run, **changed: Any) -> Checkpoint:
    """Note that a run has read 70 of 121 pages after ten minutes."""
    checkpoint = Checkpoint(
        run_id=run.run_id,
        board_id=run.board_id,
        phase="list",
        pass_no=1,
        n_done=70,
        n_pages=121,
        n_requests=73,
        delay_s=2.25,
        last_fault="",
        noted_at=run.started_at + timedelta(minutes=10),
        noted_at_pc=PC_START + timedelta(minutes=10),
        ends_at=run.started_at + timedelta(minutes=14),
    )
    checkpoint = replace(checkpoint, **changed)
    note_checkpoint(store, checkpoint)
    return checkpoint


def tell(home: Path, store: Store, pc_now: datetime | None = None) -> Answer:
    """Ask ten minutes and three seconds after the start of the run, unless said otherwise."""
    pc_now = pc_now or PC_START + timedelta(minutes=10, seconds=3)
    answer = tell_status(load_home(home), store, pc_now)
    assert answer.exit_code == 0
    json.dumps(answer.payload)
    return answer


def test_a_home_in_which_nothing_ran_says_so_and_stays_empty(empty_home):
    answer = status(argparse.Namespace(home=empty_home))

    assert answer == Answer(0, {"running": [], "last": []}, "아직 수집한 적이 없습니다.")
    assert not (empty_home / "var/dmf.sqlite3").exists()


def test_a_crawl_at_work_is_told_from_its_checkpoint(empty_home, store):
    run = begin(store)
    note(store, run)

    answer = tell(empty_home, store)

    assert answer.payload == {
        "running": [
            {
                "board": BOARD,
                "run_id": run.run_id,
                "is_dry": False,
                "started_at": "2026-11-30T06:00:00+09:00",
                "phase": "list",
                "page": 70,
                "n_pages": 121,
                "pass_no": 1,
                "n_requests": 73,
                "delay_s": 2.25,
                "last_fault": "",
                "noted_at": "2026-11-30T06:10:00+09:00",
                "ends_at": "2026-11-30T06:14:00+09:00",
                "is_silent": False,
            }
        ],
        "last": [],
    }
    assert answer.text.splitlines() == [
        f"{NAME}: 수집 중, 2026-11-30 06:00:00 시작",
        "  목록 70/121쪽, 요청 73회, 요청 간격 2.2초",
        "  마지막 기록 06:10:00, 06:14쯤 끝날 것으로 보입니다.",
    ]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"phase": "robots", "n_pages": 0, "n_requests": 1}, "  robots.txt 확인, 요청 1회"),
        ({"phase": "details", "n_done": 3, "n_pages": 9}, "  상세 페이지와 첨부파일 3/9쪽, "),
        ({"pass_no": 2}, "  목록 70/121쪽 (2번째 읽는 중), 요청 73회"),
        ({"phase": "another"}, "  another 70/121쪽"),
        ({"last_fault": "timeout: 늦습니다."}, "  마지막 오류: timeout: 늦습니다."),
        ({"ends_at": None}, "  마지막 기록 06:10:00"),
        ({"ends_at": moment(0)}, "  마지막 기록 06:10:00"),
    ],
)
def test_every_phase_has_its_words(empty_home, store, changed, line):
    note(store, begin(store), **changed)

    lines = tell(empty_home, store).text.splitlines()

    assert any(each.startswith(line) for each in lines), lines
    assert "끝날" not in lines[-1] or "ends_at" not in changed


@pytest.mark.parametrize(
    ("seconds_left", "is_told"), [(0, False), (2, False), (4, True), (86_400, True)]
)
def test_the_expected_end_is_told_until_it_has_come_by_the_clock_of_the_run(
    empty_home, store, seconds_left, is_told
):
    """Three seconds after the last note; the PC's clock is in another year."""
    noted_at = moment(0) + timedelta(minutes=10)
    note(store, begin(store), ends_at=noted_at + timedelta(seconds=seconds_left))

    assert ("쯤 끝날 것으로" in tell(empty_home, store).text) is is_told


def test_what_is_shown_is_the_runs_own_clock_in_whole_seconds(empty_home, store):
    noted_at = moment(0, hour=7) + timedelta(microseconds=999_999)
    note(store, begin(store), noted_at=noted_at.astimezone(UTC))

    answer = tell(empty_home, store)

    assert answer.payload["running"][0]["noted_at"] == "2026-11-30T07:00:00+09:00"
    assert "  마지막 기록 07:00:00" in answer.text


def test_a_crawl_that_is_over_while_its_run_is_not_is_being_judged(empty_home, store):
    run = begin(store)
    note(store, run, phase=ENDED, n_done=0, n_pages=0, ends_at=None)

    answer = tell(empty_home, store)

    assert answer.payload["running"][0]["phase"] == "ended"
    assert answer.text.splitlines() == [
        f"{NAME}: 판정 중, 2026-11-30 06:00:00 시작",
        "  수집을 마쳤습니다. 요청 73회",
        "  마지막 기록 06:10:00",
    ]


def test_a_run_that_was_accepted_is_not_at_work(empty_home, store):
    run = begin(store)
    note(store, run, phase=ENDED)
    with store.atomic():
        finish_run(store, RunSummary(run, RunStatus.OK, 0), moment(0))

    assert tell(empty_home, store).payload["running"] == []


def begin_dry(number: str = "") -> Run:
    """Return a dry run, which is no line of the history; the second one of a second has -2."""
    return Run(f"20261130T060000-{BOARD}-dry{number}", BOARD, moment(0), moment(0).date())


@pytest.mark.parametrize("number", ["", "-2", "-11"])
def test_a_dry_run_at_work_is_told_as_such(empty_home, store, number):
    run = begin_dry(number)
    note(store, run)

    answer = tell(empty_home, store)

    (running,) = answer.payload["running"]
    assert (running["run_id"], running["board"], running["is_dry"]) == (run.run_id, BOARD, True)
    assert (running["started_at"], running["page"]) == ("2026-11-30T06:00:00+09:00", 70)
    assert answer.text.splitlines() == [
        f"{NAME}: 수집 중, 시험 실행(--dry-run), 2026-11-30 06:00:00 시작",
        "  목록 70/121쪽, 요청 73회, 요청 간격 2.2초",
        "  마지막 기록 06:10:00, 06:14쯤 끝날 것으로 보입니다.",
    ]


def test_a_dry_run_that_is_silent_left_nothing_to_take_up(empty_home, store):
    note(store, begin_dry())

    text = tell(empty_home, store, PC_START + timedelta(hours=1)).text

    assert "그 뒤로 소식이 없습니다(강제 종료되었을 수 있음). 이력은 그대로입니다." in text


def test_a_dry_run_whose_crawl_is_over_is_not_at_work(empty_home, store):
    note(store, begin_dry(), phase=ENDED)

    answer = tell(empty_home, store)

    assert answer.payload["running"] == []
    assert answer.text == "진행 중인 수집이 없습니다."


@pytest.mark.parametrize("run_id", [f"20261130T060000-{BOARD}", f"20261130T060000-{BOARD}-2"])
def test_the_checkpoint_of_a_run_that_ended_early_is_no_dry_run(empty_home, store, run_id):
    """A run that met an exception ended in the middle of its list."""
    note(store, Run(run_id, BOARD, moment(0), moment(0).date()))

    assert tell(empty_home, store).payload["running"] == []


def test_beside_a_run_at_work_a_killed_dry_run_of_another_board_is_not_told(empty_home, store):
    """Two runs cannot be at work in one home, and the other one is."""
    note(store, replace(begin_dry(), run_id="20261130T050000-a_board-dry", board_id="a_board"))
    run = begin(store)

    (running,) = tell(empty_home, store).payload["running"]

    assert running["run_id"] == run.run_id


def test_a_crawl_that_waits_for_its_first_answer_is_told_without_a_page(empty_home, store):
    older = begin(store)
    note(store, older)
    with store.atomic():
        finish_run(store, RunSummary(older, RunStatus.OK, 0), moment(0))
    run = begin_run(store, BOARD, moment(0, hour=7), selector_version=1)

    answer = tell(empty_home, store, moment(0, hour=7) + timedelta(seconds=4))

    (running,) = answer.payload["running"]
    assert (running["run_id"], running["phase"], running["page"]) == (run.run_id, "", 0)
    assert (running["delay_s"], running["ends_at"]) == (None, None)
    assert (running["noted_at"], running["is_silent"]) == ("2026-11-30T07:00:00+09:00", False)
    assert "  첫 응답을 기다립니다." in answer.text


@pytest.mark.parametrize(
    ("delay_s", "silent_s", "is_silent"),
    [(2.0, 302, False), (2.0, 303, True), (600.0, 900, False), (600.0, 901, True)],
)
def test_a_crawl_without_news_for_five_minutes_beside_its_pause_may_have_been_killed(
    empty_home, store, delay_s, silent_s, is_silent
):
    checkpoint = note(store, begin(store), delay_s=delay_s)

    answer = tell(empty_home, store, checkpoint.noted_at_pc + timedelta(seconds=silent_s))

    assert answer.payload["running"][0]["is_silent"] is is_silent
    assert ("소식이 없습니다(강제 종료되었을 수 있음)" in answer.text) is is_silent


def test_a_run_that_never_noted_anything_is_silent_from_its_start_on(empty_home, store):
    begin(store)

    assert tell(empty_home, store, moment(0, hour=7)).payload["running"][0]["is_silent"] is True


def test_how_the_last_crawl_of_each_board_ended_is_told(empty_home, store):
    diary = Diary(store)
    diary.read(a_record("A"), at=moment(0))
    accepted = diary.read(a_record("A"), a_record("B"), at=moment(1)).run
    failed = begin_run(store, "notices", moment(1), selector_version=1)
    fault = Fault("timeout", "사이트가 늦습니다. 나중에 다시 실행하십시오.", 6)
    with store.atomic():
        finish_run(store, RunSummary(failed, RunStatus.FAILED, 6, fault=fault), moment(1, hour=7))

    answer = tell(empty_home, store, moment(2))

    assert answer.payload == {
        "running": [],
        "last": [
            {
                "board": BOARD,
                "run_id": accepted.run_id,
                "status": "OK",
                "finished_at": "2026-12-01T06:12:00+09:00",
                "exit_code": 0,
                "error": None,
            },
            {
                "board": "notices",
                "run_id": failed.run_id,
                "status": "FAILED",
                "finished_at": "2026-12-01T07:00:00+09:00",
                "exit_code": 6,
                "error": {"code": fault.code, "message": fault.message},
            },
        ],
    }
    assert answer.text.splitlines() == [
        "진행 중인 수집이 없습니다.",
        f"{NAME}: 마지막 수집 정상, 2026-12-01 06:12:00 끝남",
        "  건수 2  신규 1  변경 0  취하 0  재등장 0",
        "notices: 마지막 수집 실패, 2026-12-01 07:00:00 끝남",
        f"  [timeout] {fault.message}",
    ]


def test_a_baseline_is_told_as_such(empty_home, store):
    Diary(store).read(a_record("A"), at=moment(0))

    assert "최초 수집(기준선) 1건" in tell(empty_home, store).text


def test_status_answers_beside_a_crawl_that_holds_the_lock_and_writes(empty_home, store):
    note(store, begin(store))
    home = load_home(empty_home)

    with hold_lock(home), store.atomic():
        store.execute("UPDATE checkpoint SET n_done = 71")
        answer = status(argparse.Namespace(home=empty_home))

    assert answer.payload["running"][0]["page"] == 70


def test_a_history_of_an_earlier_program_is_left_as_it_is(empty_home):
    path = empty_home / "var/dmf.sqlite3"
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        MIGRATIONS[0](connection)
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    before = path.read_bytes()

    with pytest.raises(StoreError) as refused:
        status(argparse.Namespace(home=empty_home))

    assert refused.value.code == "database_older"
    assert "runs" in refused.value.message
    assert path.read_bytes() == before


def test_a_run_that_ends_while_it_is_asked_for_is_told_once(empty_home, store):
    run = begin(store)
    with Store(empty_home / "var/dmf.sqlite3", for_reading=True) as reader:

        def let_it_end(sql: str) -> None:
            if "row_number()" in sql:  # the second of the two questions
                with store.atomic():
                    finish_run(store, RunSummary(run, RunStatus.OK, 0), moment(0, hour=7))

        reader._connection.set_trace_callback(let_it_end)
        answer = tell(empty_home, reader)

    assert [len(answer.payload[key]) for key in ("running", "last")] == [1, 0]
