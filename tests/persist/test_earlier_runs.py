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
    last_rise,
    n_killed,
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
    "refused": replace(
        TIMEOUT, status=RunStatus.REJECTED, exit_code=4, fault=Fault("race", "바뀝니다.", 4)
    ),
    "no budget": replace(
        TIMEOUT,
        status=RunStatus.REJECTED,
        exit_code=4,
        fault=Fault("budget_exceeded", "모자랍니다.", 4),
    ),
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
        (["no budget"], [0]),
        ([KILLED, "no budget", "at work"], [1, 0]),
        (["accepted", "no budget"], [1]),
        ([KILLED, "refused", "no budget"], [2]),
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


def test_the_last_full_check_is_that_of_the_last_accepted_run(store):
    assert last_full_check(store, BOARD) is None
    check(store, 0, SUNDAY)
    check(store, 1, date(2026, 12, 1), RunStatus.HELD)

    assert last_full_check(store, BOARD) == SUNDAY
    assert last_full_check(store, "notices") is None


def test_a_correction_that_knows_nothing_of_a_full_check_leaves_the_last_one(store):
    diary = Diary(store)
    diary.read(a_record("A"), at=moment(0))
    run = check(store, 1, SUNDAY)
    diary.read(a_record("A", status="취하"), at=moment(2), correct=get_run(store, run.run_id))

    assert last_full_check(store, BOARD) == SUNDAY


def test_a_correction_tells_of_the_full_check_that_its_pages_took_part_in(store):
    """Of a refused run whose pages were accepted after all the check counts, too."""
    refused = check(store, 0, SUNDAY, RunStatus.REJECTED)
    correction = begin_run(
        store, BOARD, moment(1), selector_version=1, reparse_of=get_run(store, refused.run_id)
    )
    with store.atomic():
        finish_run(
            store, RunSummary(correction, RunStatus.OK, 0, full_check_from=SUNDAY), moment(1)
        )

    assert last_full_check(store, BOARD) == SUNDAY


def test_a_history_from_before_full_checks_has_none(store):
    Diary(store).read(a_record("A"), at=moment(0))

    assert last_full_check(store, BOARD) is None


def test_who_asked_is_told_by_the_last_accepted_run_that_asked(store):
    """Until a run is accepted whose report tells of it, a change is told by each."""
    assert last_identity(store, BOARD) == ""
    lives = [("accepted", "first"), ("accepted", "second"), ("accepted", "")]
    lives += [(ending, "third") for ending in ("held", "refused", "timeout")]
    for hour, (ending, identity) in enumerate(lives, start=6):
        run = begin_run(store, BOARD, moment(0, hour=hour), selector_version=1, identity=identity)
        with store.atomic():
            finish_run(store, replace(FAILURES[ending], run=run), run.started_at)
    begin_run(store, BOARD, moment(0, hour=20), selector_version=1, identity="third")

    assert last_identity(store, BOARD) == "second"
    assert last_identity(store, "notices") == ""


def test_killed_runs_of_a_day_are_counted_whatever_their_board(store):
    """Each may have had a request on its way that no line of its raw folder tells of."""
    live(store, KILLED, "timeout", "a bug", KILLED, "accepted", "at work")
    live(store, KILLED, board_id="notices")

    assert n_killed(store, DAY) == 4, "the run at work was killed when the other board began"
    assert n_killed(store, date(2026, 12, 1)) == 0


def test_a_correction_that_was_killed_had_no_request_on_its_way(store):
    (crawl,) = live(store, "accepted")
    row = get_run(store, crawl.run_id)
    begin_run(store, BOARD, moment(0, hour=9), selector_version=1, reparse_of=row)
    end_abandoned_runs(store, moment(0, hour=9))

    assert n_killed(store, DAY) == 0


@pytest.mark.parametrize(
    ("reads", "rose_at"),
    [
        ("", None),
        ("A", None),
        ("A AB", moment(1)),
        ("A AB AB A", moment(1)),
        ("AB A AB", moment(2)),
        ("A AB ABC", moment(2)),
        ("ABC AB A", None),
    ],
)
def test_a_list_last_rose_at_the_start_of_the_read_that_found_it_longer(store, reads, rose_at):
    diary = Diary(store)
    for day, keys in enumerate(reads.split()):
        diary.read(*map(a_record, keys), at=moment(day))

    assert last_rise(store, BOARD) == rose_at
    assert last_rise(store, "notices") is None


def test_a_list_did_not_rise_by_a_read_that_was_not_accepted(store):
    diary = Diary(store)
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), a_record("B"), at=moment(1), status=RunStatus.HELD)

    assert last_rise(store, BOARD) is None


def test_a_correction_finds_a_rise_at_the_start_of_the_run_whose_pages_it_read(store):
    """What that run asked for came after its start, however late the correction is."""
    diary = Diary(store)
    diary.read(a_record("A"), at=moment(0))
    pages = [a_record("A"), a_record("B")]
    refused = diary.read(*pages, at=moment(1), status=RunStatus.REJECTED).run
    diary.read(*pages, at=moment(1, hour=20), correct=get_run(store, refused.run_id))

    assert last_rise(store, BOARD) == moment(1)


def test_the_last_crawl_that_ended_is_told_of_every_board(store):
    assert last_ended_runs(store) == ()
    accepted, held, _ = live(store, "accepted", "held", "at work")
    (other,) = live(store, "timeout", board_id="notices")
    row = get_run(store, accepted.run_id)
    correction = begin_run(store, BOARD, moment(1), selector_version=1, reparse_of=row)
    with store.atomic():
        finish_run(store, RunSummary(correction, RunStatus.OK, 0), moment(1))

    assert [row.run for row in last_ended_runs(store)] == [held, other]
