"""What is known of the differences between two sources of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.model.difference import Difference, SourceDifferences
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.differences import accepted_differences, recently_changed
from dmf_crawler.persist.recording import known_records, record_accepted
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import (
    BOARD,
    RULES,
    Diary,
    a_record,
    a_snapshot,
    accept,
    moment,
    summarise,
)

RENAMED = Difference("A-1", "company", "가나제약", "가나약품")
LISTS = Difference("A-2", "makers", ("갑", "을, 병"), ())
ONLY_HERE = Difference("A-3", "", "A-3", None)
ONLY_THERE = Difference("A-4", "", None, "A-4")
ALL = (RENAMED, LISTS, ONLY_HERE, ONLY_THERE)


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield store


def run_once(
    store: Store,
    *compared: SourceDifferences,
    day: int = 0,
    hour: int = 6,
    board_id: str = BOARD,
    was_held: bool = False,
) -> None:
    """Accept a run that compared its list with others, or let a person accept it."""
    run = begin_run(store, board_id, moment(day, hour), selector_version=1)
    known, snapshot = known_records(store, board_id), a_snapshot(a_record("A-1"))
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
    summary = summarise(run, change_set, snapshot, known=known)
    if was_held:
        with store.atomic():
            held = summarise(run, change_set, snapshot, known=known, status=RunStatus.HELD)
            finish_run(store, held, moment(day, hour))
        summary = replace(summary, is_approved=True)
    acceptance = replace(accept(summary, snapshot, change_set, known), compared=compared)
    record_accepted(store, acceptance, run.started_at + timedelta(minutes=5))


def known_of(store: Store, source: str = "openapi", primary: str = "html") -> Sequence[Difference]:
    return accepted_differences(store, BOARD, primary, source)


def test_before_any_comparison_nothing_is_known(store):
    assert known_of(store) == ()


@pytest.mark.parametrize("was_held", [False, True])
def test_what_an_accepted_run_leaves_is_known_as_it_was(store, was_held):
    run_once(store, SourceDifferences("html", "openapi", ALL), was_held=was_held)
    assert known_of(store) == ALL


def test_the_next_accepted_comparison_replaces_it(store):
    run_once(store, SourceDifferences("html", "openapi", ALL))
    run_once(store, SourceDifferences("html", "openapi", (LISTS,)), day=1)
    assert known_of(store) == (LISTS,)
    run_once(store, SourceDifferences("html", "openapi", ()), day=2)
    assert known_of(store) == ()


def test_a_run_that_did_not_compare_a_source_forgets_nothing_of_it(store):
    run_once(store, SourceDifferences("html", "openapi", ALL))
    run_once(store, SourceDifferences("html", "export", (RENAMED,)), day=1)
    run_once(store, day=2)
    assert (known_of(store), known_of(store, "export")) == (ALL, (RENAMED,))


def test_another_primary_source_or_board_has_its_own(store):
    run_once(store, SourceDifferences("html", "openapi", ALL))
    run_once(store, SourceDifferences("openapi", "html", (LISTS,)), day=1)
    run_once(store, SourceDifferences("html", "openapi", ()), board_id="other", day=2)
    assert known_of(store) == ALL
    assert known_of(store, "html", "openapi") == (LISTS,)


def test_a_run_that_cannot_be_recorded_leaves_it_as_it_was(store):
    run_once(store, SourceDifferences("html", "openapi", ALL))
    twice = SourceDifferences("html", "openapi", (LISTS, LISTS))
    with pytest.raises(StoreError):
        run_once(store, twice, day=1)
    assert known_of(store) == ALL


def test_keys_with_an_event_of_the_last_days_changed_recently(store):
    diary = Diary(store)
    keys = ("A-1", "A-2", "A-3", "A-4")
    diary.read(*map(a_record, keys), at=moment(0))
    for day, key in enumerate(keys[1:], 1):
        changed = [
            a_record(each, company=f"{day}") if each == key else a_record(each) for each in keys
        ]
        diary.read(*changed, at=moment(day))
    today = moment(3).date()
    assert recently_changed(store, BOARD, day=today, n_days=0) == {"A-3", "A-4"}
    assert recently_changed(store, BOARD, day=today, n_days=1) == {"A-2", "A-3", "A-4"}
    assert recently_changed(store, BOARD, day=today, n_days=30) == {"A-2", "A-3", "A-4"}
    assert recently_changed(store, "other", day=today, n_days=30) == frozenset()


def test_the_baseline_is_no_change(store):
    Diary(store).read(a_record("A-1"), at=moment(0))
    assert recently_changed(store, BOARD, day=moment(0).date(), n_days=7) == frozenset()
