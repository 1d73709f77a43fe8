"""How often a list changes: an estimate from days on which it had changed or not; pure.

Only whether it had changed counts, not how much: a list with five changes each working day changes
5 days of 7. The estimate serves a sentence in the report; alarms look at counts (`burst`, `stall`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from dmf_crawler.model.past import Observation
from dmf_crawler.model.rate import FEWEST_OBSERVATIONS, ChangeRate, Rate

_N_STEPS = 1_000
"""Steps of the integration: with 14 to 731 observations the bounds are right to 1 %."""

_STEP = math.pi / 2 / _N_STEPS

_TAIL = 0.025
"""Chance of a rate below the lower, and of one above the upper bound."""


@dataclass(frozen=True, slots=True)
class _Visits:
    """Visits at one distance from the visit before.

    Attributes:
        gap: Days.
        n_changed: Of them, how many saw a change.
        n_same: How many did not.
    """

    gap: float
    n_changed: int
    n_same: int


def estimate_change_rate(observations: Sequence[Observation]) -> ChangeRate:
    """Return how often a list changes: of late, and on the whole.

    Args:
        observations: Oldest first, the one of this run included.
    """
    if len(observations) < FEWEST_OBSERVATIONS:
        return ChangeRate(len(observations))
    return ChangeRate(
        len(observations),
        recent=estimate_rate(observations[-FEWEST_OBSERVATIONS:]),
        whole=estimate_rate(observations),
    )


def estimate_rate(observations: Sequence[Observation]) -> Rate:
    """Return changes a day as a Poisson rate, with a 95 % interval.

    Counting changes alone is biased low, because two changes between visits look like one.

    Args:
        observations: At least one.

    Source: Cho 2003. With equal distances this is its estimator -ln((n - X + 0.5) / (n + 0.5)),
    with unequal ones the rate of greatest likelihood after half a further visit, at the mean
    distance, that saw no change: the same estimator where distances are equal, and finite where
    every visit saw a change. The interval is that of Jeffreys (Brown 2001).
    """
    visits = _sort_visits(observations)
    low, high = _find_bounds(visits)
    n_changed = sum(each.n_changed for each in visits)
    is_changed_always = n_changed == len(observations)
    return Rate(
        per_day=_find_likeliest(visits) if n_changed else 0.0,
        low=low if n_changed else 0.0,
        high=None if is_changed_always else high,
    )


def _sort_visits(observations: Sequence[Observation]) -> tuple[_Visits, ...]:
    changed = Counter(each.n_days for each in observations if each.n_events)
    same = Counter(each.n_days for each in observations if not each.n_events)
    return tuple(_Visits(gap, changed[gap], same[gap]) for gap in sorted({*changed, *same}))


def _find_likeliest(visits: Sequence[_Visits]) -> float:
    """Return the rate at which the likelihood stops rising.

    There the days that visits with a change would have had to wait for it, gap / (e^(rate gap) - 1)
    each, are as many as the days without a change.
    """
    n = sum(each.n_changed + each.n_same for each in visits)
    n_days = sum(each.gap * (each.n_changed + each.n_same) for each in visits)
    days_same = sum(each.gap * each.n_same for each in visits) + 0.5 * n_days / n
    low, high = 0.0, 700.0 / visits[-1].gap
    for _ in range(80):
        rate = (low + high) / 2
        rising = sum(
            each.n_changed * each.gap / math.expm1(rate * each.gap)
            for each in visits
            if each.n_changed
        )
        low, high = (rate, high) if rising > days_same else (low, rate)
    return (low + high) / 2


def _find_bounds(visits: Sequence[_Visits]) -> tuple[float, float]:
    """Return the rates below and above which lies the tail of Jeffreys' posterior.

    With equal distances this is a beta distribution of the chance that a visit sees a change,
    since Jeffreys' prior does not depend on what is measured. It is summed over an angle:
    e^(-rate) = cos²(angle) for the shortest distance, in which the posterior has no poles.
    """
    shortest = visits[0].gap
    logs = []
    for step in range(_N_STEPS):
        angle = (step + 0.5) * _STEP
        density = _log_posterior(visits, _turn_into_rate(angle, shortest))
        logs.append(density + math.log(math.tan(angle)))
    most = max(logs)
    weights = [math.exp(each - most) for each in logs]
    tail = _TAIL * math.fsum(weights)
    low = _find_angle(weights, tail)
    high = math.pi / 2 - _find_angle(weights[::-1], tail)
    return _turn_into_rate(low, shortest), _turn_into_rate(high, shortest)


def _turn_into_rate(angle: float, shortest: float) -> float:
    return -2 * math.log(math.cos(angle)) / shortest


def _log_posterior(visits: Sequence[_Visits], rate: float) -> float:
    """Return the logarithm of likelihood times the root of Fisher's information."""
    log_likelihood, information = 0.0, 0.0
    for each in visits:
        days = rate * each.gap
        log_likelihood -= each.n_same * days
        if each.n_changed:
            log_likelihood += each.n_changed * math.log(-math.expm1(-days))
        weight = each.gap * each.gap * (each.n_changed + each.n_same)
        information += weight * math.exp(-days) / -math.expm1(-days)
    return log_likelihood + 0.5 * math.log(information)


def _find_angle(weights: Sequence[float], tail: float) -> float:
    """Return the angle up to which the weights come up to a sum that is less than all of them."""
    sums = [0.0, *accumulate(weights)]
    place = bisect_left(sums, tail) - 1
    return (place + (tail - sums[place]) / weights[place]) * _STEP
