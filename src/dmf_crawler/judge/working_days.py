"""What an office's working days brought, from what each visit found; pure.

A visit finds what the office did since the visit before. One at 06:00 on Saturday finds Friday's
work, those on Sunday and Monday find none: each counts for the last working day before its own, so
that a week has five days and nothing that was found is left out. Public holidays are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dmf_crawler.model.past import Observation

_FRIDAY = 4


@dataclass(frozen=True, slots=True)
class Work:
    """What one working day, or several in a row that no visit parted, brought.

    Attributes:
        until: The last of them.
        n_days: How many, at least 1.
        n_events: Events found.
    """

    until: date
    n_days: int
    n_events: int


def list_work(observations: Sequence[Observation]) -> tuple[Work, ...]:
    """Return what the working days brought, oldest first.

    Args:
        observations: Oldest first, at most one a day.
    """
    works: list[Work] = []
    for each in observations:
        until = _last_working_day(each.day)
        n_days = count_working_days(_last_working_day(_visited_before(each)), until)
        if n_days:
            works.append(Work(until, n_days, each.n_events))
        elif works:  # a visit at the weekend, or one more of a Monday
            last = works.pop()
            works.append(Work(until, last.n_days, last.n_events + each.n_events))
    return tuple(works)


def count_working_days(after: date, until: date) -> int:
    """Return how many days from Monday to Friday lie after a day, up to another one."""
    weeks, days = divmod((until - after).days, 7)
    return weeks * 5 + sum(
        (until - timedelta(days=back)).weekday() <= _FRIDAY for back in range(days)
    )


def count_quiet(works: Sequence[Work]) -> Iterator[int]:
    """Yield the lengths in days of all runs without an event; 0 between two events."""
    quiet = 0
    for work in works:
        if work.n_events:
            yield quiet
            quiet = 0
        else:
            quiet += work.n_days
    yield quiet


def _visited_before(observation: Observation) -> date:
    return observation.day - timedelta(days=observation.n_days)


def _last_working_day(day: date) -> date:
    """Return the last day from Monday to Friday before a day."""
    return day - timedelta(days=max(1, day.weekday() - _FRIDAY) if day.weekday() else 3)
