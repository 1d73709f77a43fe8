from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from dmf_crawler.model.past import Observation
from dmf_crawler.model.rate import ChangeRate, Delay, Rate
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.past import read_past
from dmf_crawler.persist.rates import (
    change_rate_of,
    count_accepted_days,
    delay_of,
    write_change_rate,
)
from dmf_crawler.persist.recording import known_records, record_accepted
from dmf_crawler.persist.runs import begin_run, get_run
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
    values,
)

RATE = ChangeRate(20, Rate(1.0, 0.5, 2.0), Rate(0.7, 0.4, None))
RUN_S = 720.0
"""Each run of the diary takes twelve minutes."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield store


@pytest.fixture
def diary(store: Store) -> Diary:
    return Diary(store)


def day(n: int) -> date:
    return moment(n).date()


# --- change rate ---------------------------------------------------------------------------------


def test_the_rate_of_a_day_is_the_last_one_up_to_it(store):
    for n, rate in ((1, ChangeRate(1)), (2, RATE)):
        write_change_rate(store, Run(f"run {n}", BOARD, moment(n), day(n)), rate)

    assert change_rate_of(store, BOARD, day(0)) is None
    assert change_rate_of(store, BOARD, day(1)) == ChangeRate(1)
    assert change_rate_of(store, BOARD, day(2)) == change_rate_of(store, BOARD, day(9)) == RATE
    assert change_rate_of(store, "other", day(9)) is None


def test_a_second_run_of_a_day_replaces_its_rate(store):
    for rate in (ChangeRate(1), RATE):
        write_change_rate(store, Run("run", BOARD, moment(1), day(1)), rate)

    assert values(store, "SELECT n_observations FROM change_rate") == [20]


def test_an_accepted_run_writes_its_rate_with_all_else(store, diary):
    diary.read(a_record("A"), at=moment(0))
    run = begin_run(store, BOARD, moment(1), selector_version=1)
    known, snapshot = known_records(store, BOARD), a_snapshot(a_record("A"))
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
    summary = summarise(run, change_set, snapshot, known=known)
    acceptance = replace(accept(summary, snapshot, change_set, known), change_rate=RATE)

    record_accepted(store, acceptance, run.started_at)

    assert change_rate_of(store, BOARD, run.day) == RATE


# --- what was observed ---------------------------------------------------------------------------


def test_a_run_is_told_what_earlier_runs_of_its_day_saw(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), a_record("B"), at=moment(1))
    diary.read(a_record("A", company="다시"), a_record("B"), at=moment(3))
    diary.read(a_record("A", company="또"), a_record("B"), a_record("C"), at=moment(3, hour=9))

    past = read_past(store, BOARD, before=day(3), n_days=250)

    assert past.n_events_today == 3
    assert past.observe(day(3), 2) == (Observation(day(1), 1, 1), Observation(day(3), 2, 5))
    assert read_past(store, BOARD, before=day(4), n_days=250).n_events_today == 0


def test_the_days_before_are_found_without_going_through_all_of_them(store):
    """Else the cost of a run would grow with the square of the years of history."""
    before = "FROM drift_baseline WHERE board_id = 'x' AND observed_on < '9'"
    for query in (
        f"SELECT max(observed_on) {before}",
        f"SELECT DISTINCT observed_on {before} ORDER BY observed_on DESC LIMIT 1 OFFSET 249",
    ):
        (plan,) = [row["detail"] for row in store.rows(f"EXPLAIN QUERY PLAN {query}")]
        assert "(board_id=? AND observed_on<?)" in plan


# --- delay ---------------------------------------------------------------------------------------


def test_a_delay_is_from_the_run_before_to_the_end_of_this_one(store, diary):
    for n in (0, 1, 4, 5):
        diary.read(a_record("A"), at=moment(n))

    hours = 3600.0
    assert delay_of(store, BOARD, day(0), missing_runs=4) is None
    assert delay_of(store, BOARD, day(1), missing_runs=4) == Delay(
        24 * hours + RUN_S, 24 * hours + RUN_S, None, 1
    )
    assert delay_of(store, BOARD, day(5), missing_runs=4) == Delay(
        24 * hours + RUN_S, 72 * hours + RUN_S, None, 3
    )
    assert delay_of(store, BOARD, day(5), missing_runs=3) == Delay(
        24 * hours + RUN_S, 72 * hours + RUN_S, 120 * hours + RUN_S, 3
    )


def test_a_vanished_row_takes_as_many_reads_as_it_must_be_missing_from(store, diary):
    """Gone just after the read of day 0, missing on days 1 to 4, withdrawn at the end of day 4."""
    for n in range(5):
        diary.read(a_record("A"), at=moment(n))

    delay = delay_of(store, BOARD, day(4), missing_runs=4)

    assert delay is not None
    assert delay.vanished_s == 4 * 86_400 + RUN_S


def test_refused_days_add_to_the_delay_and_second_runs_do_not_shorten_it(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), at=moment(1), status=RunStatus.HELD)
    diary.read(a_record("A"), at=moment(2))
    diary.read(a_record("A"), at=moment(2, hour=12))

    delay = delay_of(store, BOARD, day(2), missing_runs=4)

    assert delay is not None
    assert delay.this_s == 2 * 86_400 + RUN_S


def test_a_correction_finds_nothing_sooner(store, diary):
    first = diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), at=moment(1))
    diary.read(a_record("A"), at=moment(2), correct=get_run(store, first.run.run_id))

    delay = delay_of(store, BOARD, day(2), missing_runs=4)

    assert delay is not None
    assert (delay.n_days, delay.this_s) == (1, 86_400 + RUN_S)


@pytest.mark.parametrize("missing_runs", [4, 31])
def test_the_longest_delay_is_looked_for_in_thirty_days(store, diary, missing_runs):
    for n in (0, 10, *range(11, 41)):
        diary.read(a_record("A"), at=moment(n))

    delay = delay_of(store, BOARD, day(40), missing_runs=missing_runs)

    assert delay is not None
    assert (delay.n_days, delay.longest_s) == (30, 86_400 + RUN_S)


# --- days ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("until", "n"), [(-1, 0), (0, 1), (2, 2), (9, 3)])
def test_accepted_days_are_counted_once_each(store, diary, until, n):
    for offset in (0, 1, 3):
        diary.read(a_record("A"), at=moment(offset))
        diary.read(a_record("A"), at=moment(offset, hour=9))
    diary.read(a_record("A"), at=moment(4), status=RunStatus.REJECTED)

    assert count_accepted_days(store, BOARD, moment(0).date() + timedelta(days=until)) == n
