from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.judge.working_days import Work, count_quiet, count_working_days, list_work
from dmf_crawler.model.past import Observation

MONDAY = date(2026, 11, 30)


def on(offset: int, n_events: int = 0, *, n_days: int = 1) -> Observation:
    """Return what a visit found so many days after a Monday."""
    return Observation(MONDAY + timedelta(days=offset), n_days, n_events)


def test_a_visit_finds_what_the_working_day_before_brought():
    """Tuesday to Saturday find Monday to Friday."""
    works = list_work([on(offset, offset) for offset in range(1, 6)])

    assert works == tuple(
        Work(MONDAY + timedelta(days=offset - 1), 1, offset) for offset in range(1, 6)
    )


def test_what_is_found_on_sunday_and_monday_counts_for_friday():
    works = list_work([on(5, 1), on(6, 2), on(7, 4), on(8, 8)])

    friday, monday = MONDAY + timedelta(days=4), MONDAY + timedelta(days=7)
    assert works == (Work(friday, 1, 7), Work(monday, 1, 8))


def test_a_first_visit_at_the_weekend_looks_at_no_working_day():
    assert list_work([on(6)]) == ()
    assert list_work([on(6, 3), on(7), on(8, 1)]) == (Work(MONDAY + timedelta(days=7), 1, 1),)


def test_days_without_a_visit_are_counted_together():
    """The visit on Thursday finds what Monday, Tuesday and Wednesday brought."""
    assert list_work([on(3, 6, n_days=3)]) == (Work(MONDAY + timedelta(days=2), 3, 6),)


@pytest.mark.parametrize(
    ("days", "n"), [(0, 0), (1, 1), (4, 4), (5, 4), (6, 4), (7, 5), (14, 10), (365, 261)]
)
def test_working_days_are_monday_to_friday(days, n):
    assert count_working_days(MONDAY, MONDAY + timedelta(days=days)) == n


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 400))
def test_working_days_are_counted_as_on_a_calendar(after, days):
    dates = [after + timedelta(days=each) for each in range(1, days + 1)]

    counted = count_working_days(after, after + timedelta(days=days))

    assert counted == sum(day.weekday() < 5 for day in dates)


@given(
    st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=40),
)
def test_no_event_and_no_working_day_is_lost(start, visits):
    day, observations = start, []
    for n_days, n_events in visits:
        day += timedelta(days=n_days)
        observations.append(Observation(day, n_days, n_events))

    works = list_work(observations)

    between = (each for each in range((day - start).days))
    n_working = sum((start + timedelta(days=each)).weekday() < 5 for each in between)
    assert sum(work.n_days for work in works) == n_working
    if works and observations[0].n_days > 3:
        assert sum(work.n_events for work in works) == sum(each.n_events for each in observations)
    assert list(works) == sorted(works, key=lambda work: work.until)


def test_quiet_runs_are_counted_in_days():
    works = [
        Work(MONDAY, 1, 0), Work(MONDAY, 3, 0), Work(MONDAY, 1, 5), Work(MONDAY, 1, 1),
        Work(MONDAY, 2, 0),
    ]  # fmt: skip

    assert list(count_quiet(works)) == [4, 0, 2]
