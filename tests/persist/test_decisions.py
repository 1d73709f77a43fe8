from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.persist.decisions import (
    approved_days,
    decided_runs,
    held_runs,
    reject_held,
)
from dmf_crawler.persist.past import read_past
from dmf_crawler.persist.recording import known_records, record_accepted
from dmf_crawler.persist.runs import begin_run, finish_run, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import (
    BOARD,
    Diary,
    Read,
    a_record,
    accept,
    content,
    moment,
    summarise,
)

NOTE = "사이트에서 확인"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


@pytest.fixture
def diary(store: Store) -> Diary:
    """A board whose first list was accepted."""
    diary = Diary(store)
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    return diary


def hold(diary: Diary, day: int) -> Read:
    return diary.read(a_record("A", status="취하"), at=moment(day), status=RunStatus.HELD)


def approve(store: Store, held: Read, *, at: int) -> None:
    known = known_records(store, BOARD)
    summary = replace(
        summarise(held.run, held.change_set, held.snapshot, known=known),
        approval=Decision(Decided.APPROVED, moment(at, hour=10), NOTE),
        selector_version=7,
    )
    acceptance = accept(summary, held.snapshot, held.change_set, known)
    record_accepted(store, acceptance, moment(at, hour=10))


def test_runs_that_wait_are_those_of_all_boards_oldest_first(store, diary):
    first, second = hold(diary, 1), hold(diary, 2)
    other = begin_run(store, "other", moment(0), selector_version=1)
    with store.atomic():
        fault = Fault("many_withdrawals", "취하가 많습니다.", 3)
        summary = summarise(other, first.change_set, first.snapshot, known={})
        finish_run(store, replace(summary, status=RunStatus.HELD, fault=fault), moment(0))

    waiting = [row.run.run_id for row in held_runs(store)]

    assert waiting == [other.run_id, first.run.run_id, second.run.run_id]


def test_an_approved_run_keeps_what_its_crawl_was_and_tells_who_let_it_pass(store, diary):
    """It ended when its crawl did; the decision has a moment of its own."""
    held = hold(diary, 1)
    before = get_run(store, held.run.run_id)

    approve(store, held, at=3)

    after = get_run(store, held.run.run_id)
    assert after.status is RunStatus.OK
    assert after.decision == Decision(Decided.APPROVED, moment(3, hour=10), NOTE)
    assert (after.finished_at, after.duration_ms) == (before.finished_at, before.duration_ms)
    assert after.selector_version == 7
    assert approved_days(store, BOARD, since=moment(3)) == (date(2026, 12, 1),)
    assert approved_days(store, BOARD, since=moment(3, hour=11)) == ()
    assert approved_days(store, "other", since=moment(3)) == ()
    assert all(check.ok for check in verify_history(store))


def test_only_a_run_that_a_person_let_pass_is_marked_among_the_days(store, diary):
    approve(store, hold(diary, 1), at=1)
    diary.read(a_record("A", status="취하"), at=moment(2))

    past = read_past(store, BOARD, before=date(2026, 12, 31), n_days=250)

    assert [day.was_held for day in past.days] == [False, True, False]


def test_a_rejected_run_keeps_what_its_gates_saw_and_changes_nothing_else(store, diary):
    held = hold(diary, 1)
    row = get_run(store, held.run.run_id)
    tables = ("dmf_record", "dmf_event", "drift_baseline", "missing_spell", "gate_result")
    before = content(store, tables)

    reject_held(store, row, Decision(Decided.REJECTED, moment(1, hour=9), NOTE))

    after = get_run(store, held.run.run_id)
    assert (after.status, after.error_code) == (RunStatus.REJECTED, "rejected")
    assert row.reject_reason in after.reject_reason
    assert after.decision == Decision(Decided.REJECTED, moment(1, hour=9), NOTE)
    assert (after.n_rows, after.counts, after.finished_at) == (
        *(row.n_rows, row.counts, row.finished_at),
    )
    assert content(store, tables) == before


@pytest.mark.parametrize("status", [RunStatus.OK, RunStatus.REJECTED, RunStatus.FAILED])
def test_what_does_not_wait_is_not_rejected(store, diary, status):
    ended = diary.read(a_record("A"), at=moment(1), status=status)
    before, row = content(store), get_run(store, ended.run.run_id)

    with pytest.raises(StoreError) as refused:
        reject_held(store, row, Decision(Decided.REJECTED, moment(1)))

    assert refused.value.code == "run_not_open"
    assert content(store) == before


def test_a_newer_accepted_run_ends_what_waits_and_says_when(store, diary):
    """Of the same second too: it could not be approved any more."""
    held = hold(diary, 1)
    same = diary.read(a_record("A"), a_record("B"), at=moment(1))

    ended = get_run(store, held.run.run_id)

    assert same.run.started_at == held.run.started_at
    assert ended.decision is not None
    assert ended.decision.what is Decided.SUPERSEDED
    assert ended.decision.at == same.run.started_at + timedelta(minutes=12)


def test_what_became_of_held_runs_is_told_for_the_days_between(store, diary):
    rejected = hold(diary, 1)
    reject_held(
        store,
        get_run(store, rejected.run.run_id),
        Decision(Decided.REJECTED, moment(1, hour=9)),
    )
    approved = hold(diary, 2)
    approve(store, approved, at=3)
    hold(diary, 3)

    def told(since: int | None, until: int) -> list[str]:
        first = moment(since).date() if since is not None else None
        rows = decided_runs(store, BOARD, since=first, until=moment(until).date())
        return [row.run.run_id for row in rows]

    assert told(None, 9) == [rejected.run.run_id, approved.run.run_id]
    assert told(1, 1) == [rejected.run.run_id]
    assert told(2, 9) == [approved.run.run_id]
    assert told(3, 9) == []
