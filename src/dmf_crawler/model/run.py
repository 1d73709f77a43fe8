"""One crawl of one board: its identity, its day, how it stands, why it cannot go on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from enum import StrEnum

KST = timezone(timedelta(hours=9), "KST")
"""Korea Standard Time; no daylight saving since 1988, so a fixed offset is exact."""


DAY_STARTS_AT_HOUR = 6
"""A day is 06:00 to 06:00 KST (docs/data_model.md)."""

ONE_DAY = timedelta(days=1)


class RunStatus(StrEnum):
    """How a run stands; only OK changed records and events."""

    RUNNING = "RUNNING"
    OK = "OK"
    HELD = "HELD"
    REJECTED = "REJECTED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Fault:
    """An expected reason why a page, or a run, cannot go on.

    Attributes:
        code: Stable English word, e.g. `robots_disallowed`, `missing_column`, `race`.
        message: Korean: what, found, expected, next step.
        exit_code: 4, 6 or 7, and 1 where the program itself is not right (docs/operations.md).
        is_retryable: Whether asking for the same page again may help.
    """

    code: str
    message: str
    exit_code: int
    is_retryable: bool = False


def kst(moment: datetime) -> datetime:
    """Return an aware moment in KST, whole seconds."""
    return moment.astimezone(KST).replace(microsecond=0)


def day_of(moment: datetime) -> date:
    """Return the day (06:00 to 06:00 KST) that an aware moment belongs to."""
    return (moment.astimezone(KST) - timedelta(hours=DAY_STARTS_AT_HOUR)).date()


def end_of_day(day: date) -> datetime:
    """Return the moment at which a day is over, the first one that does not belong to it."""
    return datetime.combine(day + ONE_DAY, time(DAY_STARTS_AT_HOUR), KST)


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of one board.

    Attributes:
        run_id: `20261130T060000-dmf_registry`, then `-2`, `-3` where taken; sorts by time.
        board_id: Which board.
        started_at: Aware, KST, whole seconds; the `valid_from` of what it records.
        day: The day it belongs to; names raw folder, report and budget.
    """

    run_id: str
    board_id: str
    started_at: datetime
    day: date


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a crawl has come, noted after every request.

    Attributes:
        run_id: Which run.
        board_id: Which board.
        phase: `robots`, `list`, `export` (the workbook), `api` (the open API), `details`, or
            `ended` when the crawl is over.
        pass_no: 1-based; which reading of the list.
        n_done: Pages of this phase that are on disk.
        n_pages: Pages that this phase has, 0 while that is not known.
        n_requests: Sent by this run so far.
        delay_s: Pause before the next request.
        last_fault: Code and Korean sentence of the last failed request, "" for none.
        noted_at: Aware, by the run's clock.
        noted_at_pc: Aware, by the PC's clock, which a rehearsed run does not follow.
        ends_at: When the crawl is expected to end, None while that is not known.
    """

    run_id: str
    board_id: str
    phase: str
    pass_no: int
    n_done: int
    n_pages: int
    n_requests: int
    delay_s: float
    last_fault: str
    noted_at: datetime
    noted_at_pc: datetime
    ends_at: datetime | None
