"""What a list was like on the days that were accepted: what its own limits are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from dmf_crawler.model.reuse import ROW

N_VANISHED, N_ENTERED, N_SCRAMBLED = "n_vanished", "n_entered", "n_scrambled"
N_WITHDRAWN, N_RESTORED = "n_withdrawn", "n_restored"
"""Counts of the list as a whole; they stand under `row`."""

N_CHANGED, N_NEW_VALUES, N_EMPTIED, N_ODD = "n_changed", "n_new_values", "n_emptied", "n_odd"
N_EXCHANGED, N_BACKWARD, N_UNKNOWN = "n_exchanged", "n_backward", "n_unknown"
N_REWORDED = "n_reworded"
"""Counts of each field."""

DAILY_COUNTS = frozenset(
    {
        *(N_VANISHED, N_ENTERED, N_SCRAMBLED, N_WITHDRAWN, N_RESTORED),
        *(N_CHANGED, N_NEW_VALUES, N_EMPTIED, N_ODD, N_EXCHANGED, N_BACKWARD, N_UNKNOWN),
        N_REWORDED,
    }
)
"""Features that count what happened on a day: several runs of a day add up. The others describe
the list as it stands, and the last run of a day counts."""

Features = Mapping[str, Mapping[str, float]]
"""Field id, or `row` for the list itself → name of a feature → number."""


@dataclass(frozen=True, slots=True)
class PastDay:
    """One accepted day of a board.

    Attributes:
        day: 06:00 to 06:00 KST.
        features: What its list was like, and what happened to it.
        was_held: Whether a gate held it and a person let it pass.
    """

    day: date
    features: Features
    was_held: bool = False

    def feature(self, name: str, of: str = ROW) -> float | None:
        """Return one number of the day; None where the version of that day did not count it."""
        return self.features.get(of, {}).get(name)


@dataclass(frozen=True, slots=True)
class Observation:
    """Whether a list had changed since the accepted day before; the baseline has none.

    Attributes:
        day: The accepted day.
        n_days: Days since the accepted one before it, 1 where none was missed.
        n_events: Keys with an event that is more than cosmetic.
    """

    day: date
    n_days: int
    n_events: int


@dataclass(frozen=True, slots=True)
class Past:
    """What the history knows of a board's accepted days before this run.

    Attributes:
        days: The last accepted days, oldest first, at most as many as the limits are made of.
        observations: All observations of the last two years, oldest first.
        durations_s: Seconds that the last accepted runs of the same kind took, oldest first.
        n_events_today: Events of the accepted runs of this day, before this run.
        earlier_today: What these runs brought; None where there are none.
    """

    days: tuple[PastDay, ...] = ()
    observations: tuple[Observation, ...] = ()
    durations_s: tuple[float, ...] = field(default=())
    n_events_today: int = 0
    earlier_today: PastDay | None = None

    def count_today(self, number: int, name: str, of: str = ROW) -> int:
        """Return a count of this run with that of the day's earlier runs, if it is not 0.

        What a person let pass is not counted again.
        """
        earlier = self.earlier_today
        if not number or earlier is None or earlier.was_held:
            return number
        return number + int(earlier.feature(name, of) or 0)

    def observe(self, day: date, n_events: int) -> tuple[Observation, ...]:
        """Return all observations, the one of this run's day included."""
        n_days = (day - self.days[-1].day).days if self.days else 1
        today = Observation(day, max(1, n_days), self.n_events_today + n_events)
        return (*self.observations, today)
