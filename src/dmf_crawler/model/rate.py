"""How often a list changes, and how late a report can be for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

PRIOR_PER_DAY = 0.5
"""Changes a day that a list is taken to have while too little was observed: the owner's guess."""

FEWEST_OBSERVATIONS = 14
"""Observations below which nothing is estimated, and those that a recent estimate is made of."""

_SMALL = 1e-4
"""Below this rate the formulas lose their digits; their series have lost less than 1e-8."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Changes a day, with the bounds of a 95 % interval.

    Attributes:
        per_day: 0 or more.
        low: 0 where no visit saw a change.
        high: None where every visit saw a change: daily visits cannot tell how often then.
    """

    per_day: float
    low: float
    high: float | None

    @property
    def days_between(self) -> float | None:
        """Days from one change to the next on average, None where there was none."""
        return 1 / self.per_day if self.per_day else None

    @property
    def freshness(self) -> float:
        """Chance that a list that is visited once a day is as the site has it, at any moment.

        Source: Cho 2000, (1 - e^-r) / r.
        """
        if self.per_day < _SMALL:
            return 1 - self.per_day / 2
        return -math.expm1(-self.per_day) / self.per_day

    @property
    def age_days(self) -> float:
        """Days for which such a list has not been as the site has it, on average over all moments.

        Source: Cho 2000, 1/2 - 1/r + (1 - e^-r) / r².
        """
        if self.per_day < _SMALL:
            return self.per_day / 6
        return 0.5 - (1 - self.freshness) / self.per_day


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """How often a list changes, as estimated on a day that was accepted.

    Attributes:
        n_observations: Accepted days that could be compared with one before.
        recent: Of the last 14 of them, None below 14.
        whole: Of all of them (the history is read two years back), None below 14.
    """

    n_observations: int
    recent: Rate | None = None
    whole: Rate | None = None


@dataclass(frozen=True, slots=True)
class Delay:
    """How late a report can be, as its runs really were.

    Attributes:
        this_s: From the start of the accepted run on the day before this one's to the end of this
            one: what changed just after the former was found by the latter.
        longest_s: The longest such time among the last accepted days.
        vanished_s: As `this_s`, for a row that vanished and was now, at the last of the reads that
            it takes, recorded as withdrawn; None while there are fewer accepted days.
        n_days: Accepted days that `longest_s` was found among.
    """

    this_s: float
    longest_s: float
    vanished_s: float | None
    n_days: int
