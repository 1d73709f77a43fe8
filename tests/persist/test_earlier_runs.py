from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.earlier_runs import (
    last_ended_runs,
    last_full_check,
    last_identity,
    note_taken_over,
    taken_over,
    unfinished_runs,
)
from dmf_crawler.persist.runs import begin_run, end_abandoned_runs, finish_run, get_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, Diary, a_record, moment

DAY = date(2026, 11, 30)
SUNDAY = date(2026, 11, 29)
KILLED = "killed"
TIMEOUT = RunSummary(
    Run("", "", moment(0), DAY), RunStatus.FAILED, 6, fault=Fault("timeout", "늦습니다.", 6)
)
FAILURES = {
    "timeout": TIMEOUT,
    "a bug": replace(TIMEOUT, exit_code=1, fault=Fault("bug", "오류입니다.", 1)),
    "robots unreachable": replace(
        TIMEOUT, exit_code=7, fault=Fault("robots_unreachable", "답하지 않습니다.", 7)
    ),
    "accepted": replace(TIMEOUT, status=RunStatus.OK, exit_code=0, fault=None),
    "held": replace(TIMEOUT, status=RunStatus.HELD, exit_code=3),
    "refused": replace(TIMEOUT, status=RunStatus.REJECTED, exit_code=4),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def begin(store: Store, at: datetime, board_id: str = BOARD) -> Run:
    return begin_run(store, board_id, at, selector_version=1)


def live(store: Store, *endings: str, board_id: str = BOARD) -> list[Run]:
    """Let one run an hour end in each of these ways; `at work` leaves the last one open."""
    runs = []
    for hour, ending in enumerate(endings, start=6):
        run = begin(store, moment(0, hour=hour), board_id)
        runs.append(run)
        if ending == KILLED:
            end_abandoned_runs(store, run.started_at)
        elif ending in FAILURES:
            with store.atomic():
                finish_run(store, replace(FAILURES[ending], run=run), run.started_at)
    return runs


@pytest.mark.parametrize(
    ("endings", "unfinished"),
    [
        ([], []),
        (["at work"], []),
        ([KILLED], [0]),
        (["timeout"], [0]),
        ([KILLED, "at work"], [0]),
        ([KILLED, "timeout", "at work"], [1, 0]),
        (["timeout", "robots unreachable"], [0]),
        (["timeout", "a bug"], [0]),
        (["robots unreachable"], []),
        (["a bug"], []),
        ([KILLED, "accepted"], []),
        ([KILLED, "held"], []),
        ([KILLED, "refused"], []),
        (["timeout", "accepted", KILLED, "at work"], [2]),
    ],
    ids=lambda value: " ".join(map(str, value)) or "none",
)
def test_pages_of_a_killed_or_early_ended_run_may_be_taken_over(store, endings, unfinished):
    runs = live(store, *endings)

    found = [row.run for row in unfinished_runs(store, BOARD, DAY)]

    assert found == [runs[number] for number in unfinished]


def test_pages_of_another_day_or_board_are_not_taken_over(store):
    live(store, KILLED)

    assert unfinished_runs(store, BOARD, date(2026, 12, 1)) == ()
    assert unfinished_runs(store, "notices", DAY) == ()


def test_a_killed_correction_of_kept_pages_is_no_unfinished_crawl(store):
    (crawl,) = live(store, "timeout")
    row = get_run(store, crawl.run_id)
    begin_run(store, BOARD, moment(0, hour=9), selector_version=1, reparse_of=row)
    end_abandoned_runs(store, moment(0, hour=9))

    assert [row.run for row in unfinished_runs(store, BOARD, DAY)] == [crawl]


def test_a_run_knows_how_many_pages_it_took_over(store):
    first, second = live(store, KILLED, "at work")
    note_taken_over(store, second, 70)

    assert taken_over(store) == {second.run_id: 70}
    assert first.run_id not in taken_over(store)


def check(store: Store, day: int, since: date | None, status: RunStatus = RunStatus.OK) -> Run:
    """Let a run end on a day that took part in the full check of another."""
    run = begin(store, moment(day))
    summary = RunSummary(run, status, 0, full_check_from=since, full_check_left=5)
    with store.atomic():
        finish_run(store, summary, moment(day))
    return run


def test_the_last_full_check_is_that_of_the_last_accepted_crawl(store):
    assert last_full_check(store, BOARD) is None
    check(store, 0, SUNDAY)
    check(store, 1, date(2026, 12, 1), RunStatus.HELD)

    assert last_full_check(store, BOARD) == SUNDAY
    assert last_full_check(store, "notices") is None


def test_a_correction_of_kept_pages_checks_nothing(store):
    diary = Diary(store)
    diary.read(a_record("A"), at=moment(0))
    run = check(store, 1, SUNDAY)
    diary.read(a_record("A", status="취하"), at=moment(2), correct=get_run(store, run.run_id))

    assert last_full_check(store, BOARD) == SUNDAY


def test_a_history_from_before_full_checks_has_none(store):
    Diary(store).read(a_record("A"), at=moment(0))

    assert last_full_check(store, BOARD) is None


def test_who_asked_is_told_by_the_last_run_that_asked(store):
    assert last_identity(store, BOARD) == ""
    for hour, identity in enumerate(["first", "second", ""], start=6):
        run = begin(store, moment(0, hour=hour))
        summary = replace(FAILURES["robots unreachable"], run=run, identity=identity)
        with store.atomic():
            finish_run(store, summary, run.started_at)

    assert last_identity(store, BOARD) == "second"
    assert last_identity(store, "notices") == ""


def test_the_last_crawl_that_ended_is_told_of_every_board(store):
    assert last_ended_runs(store) == ()
    accepted, held, _ = live(store, "accepted", "held", "at work")
    (other,) = live(store, "timeout", board_id="notices")
    row = get_run(store, accepted.run_id)
    correction = begin_run(store, BOARD, moment(1), selector_version=1, reparse_of=row)
    with store.atomic():
        finish_run(store, RunSummary(correction, RunStatus.OK, 0), moment(1))

    assert [row.run for row in last_ended_runs(store)] == [held, other]
