"""What a list's own history says of the values that the program started with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dmf_crawler.model.rate import ChangeRate


@dataclass(frozen=True, slots=True)
class Spread:
    """How numbers are spread: how many, least, median, the one that 95 % do not pass, most."""

    n: int
    least: float
    median: float
    high: float
    most: float


@dataclass(frozen=True, slots=True)
class Lived:
    """What a board's own days were like; each sequence oldest first, one number a day or answer.

    Attributes:
        n_days: Days on which its list was accepted.
        change_rate: How often it changes, None where nothing was estimated.
        events: Events of a day.
        growth: Change of the number of rows from one accepted day to the next, as a share.
        new_rows: Rows of a day that were not there before.
        withdrawn: Rows of a day withdrawn by status.
        gone: Withdrawn and newly vanished rows of a day, as a share of the list.
        departures: What G-9 saw in each run that it judged.
        response_s: Seconds that each answer took.
        n_refused: Answers that said too many requests, or not now (429, 503).
        requests: Requests of a day to the board's host.
        page_bytes: What each kept page takes on the disk.
        day_bytes: What each day's pages take.
        holds: Code of the reason → runs that a gate held or refused for it.
    """

    n_days: int
    change_rate: ChangeRate | None = None
    events: Sequence[int] = ()
    growth: Sequence[float] = ()
    new_rows: Sequence[int] = ()
    withdrawn: Sequence[int] = ()
    gone: Sequence[float] = ()
    departures: Sequence[float] = ()
    response_s: Sequence[float] = ()
    n_refused: int = 0
    requests: Sequence[int] = ()
    page_bytes: Sequence[int] = ()
    day_bytes: Sequence[int] = ()
    holds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tuned:
    """One value that the program started with, beside what the history says of it.

    Attributes:
        name: English, stable.
        label_ko: What it is called.
        key: The key to change in config/settings.yaml, "" where there is none.
        now: Its value, "" where it has none any more.
        spread: What was seen, None where nothing was.
        unit_ko: What the spread counts.
        n_holds: Runs that it held or refused.
        proposed: The value proposed, "" for none.
        reason: Korean sentence: why that value, or what took its place.
    """

    name: str
    label_ko: str
    key: str
    now: str
    spread: Spread | None
    unit_ko: str
    n_holds: int
    proposed: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewPoint:
    """A decision of the design that its own figures say should be looked at again.

    Attributes:
        name: English, stable.
        message: Korean: what was seen, the point at which to look again, what to consider.
    """

    name: str
    message: str
