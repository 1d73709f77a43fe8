"""How many of something an ordinary day brings: limits from the list's own accepted days.

Daily counts of edits are clustered, so that a Poisson tail alarms several times a year; a negative
binomial fitted by moments does not (docs/trust.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.model.past import PastDay
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.verdict import LimitFrom
from dmf_crawler.settings import DailyLimit, GateLimits


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that a day may reach and not pass.

    Attributes:
        number: The limit.
        limit_from: What decided it: floor, history or cap.
        n_days: Accepted days that it is made of.
        n_summed: Days whose counts together may reach it.
    """

    number: int
    limit_from: LimitFrom
    n_days: int
    n_summed: int = 1

    @property
    def reason_ko(self) -> str:
        """Return where the limit came from, for a sentence."""
        span = "하루" if self.n_summed == 1 else f"{self.n_summed}일"
        match self.limit_from:
            case LimitFrom.HISTORY:
                return f"최근 {self.n_days}일 기준 {span} 한도 {self.number:,}"
            case LimitFrom.CAP:
                return f"이력과 관계없는 {span} 상한 {self.number:,}"
            case _:
                return f"{span} 한도 {self.number:,}"


def limit_of(
    evidence: Evidence,
    name: str,
    bound: DailyLimit,
    limits: GateLimits,
    *,
    of: str = ROW,
    n_before: int = 0,
) -> Limit:
    """Return the limit of one count: between floor and cap, what the list's own days make likely.

    Args:
        evidence: With the accepted days before, and the day of this read: what several days
            bring together may stand in the first list after a gap.
        name: Which count (`model.past`).
        bound: Floor and cap.
        limits: How limits are made of days.
        of: Field id, `row` for a count of the list as a whole.
        n_before: So many accepted days before are added to the count; `bound` is of the sum.
    """
    counts = count_ordinary(evidence.past.days, name, of)
    n_summed = n_days_since(evidence) + n_before
    of_day = 1 + n_before  # floor and cap are of a read, however many days it stands for
    if len(counts) < limits.history_after:
        return Limit(bound.floor, LimitFrom.FLOOR, len(counts), of_day)
    likely = find_quantile(
        clip_highest(counts, limits.clipped_ratio),
        limits.tail_probability,
        n_days=n_summed,
        most=bound.cap + 1,
    )
    if likely <= bound.floor:
        return Limit(bound.floor, LimitFrom.FLOOR, len(counts), of_day)
    if likely > bound.cap:
        return Limit(bound.cap, LimitFrom.CAP, len(counts), of_day)
    return Limit(likely, LimitFrom.HISTORY, len(counts), n_summed)


def n_days_since(evidence: Evidence) -> int:
    """Return how many days' changes stand in this read: 1 where no day was missed."""
    days = evidence.past.days
    return max(1, (evidence.day - days[-1].day).days) if days else 1


def count_ordinary(days: Sequence[PastDay], name: str, of: str = ROW) -> list[int]:
    """Return one count of each accepted day that has it, oldest first.

    A day that a gate held and a person let pass counts once, as no higher than the highest of the
    others: it is one more day, and never raises what an ordinary day may bring.
    """
    counted = [(day.feature(name, of), day.was_held) for day in days]
    ordinary = [int(count) for count, was_held in counted if count is not None and not was_held]
    most = max(ordinary, default=0)
    return [
        min(int(count), most) if was_held else int(count)
        for count, was_held in counted
        if count is not None
    ]


def clip_highest(counts: Sequence[int], ratio: float) -> list[int]:
    """Return counts of which the highest share is taken for no higher than the next below it."""
    n_clipped = math.ceil(len(counts) * ratio) if counts else 0
    if not 0 < n_clipped < len(counts):
        return list(counts)
    most = sorted(counts)[-n_clipped - 1]
    return [min(count, most) for count in counts]


def find_quantile(counts: Sequence[int], tail: float, *, n_days: int = 1, most: int) -> int:
    """Return the smallest k that a sum of days passes with at most a given chance.

    A negative binomial is fitted by moments to the daily counts, or, where they vary no more than
    their mean, a Poisson distribution; n_days independent days add up.

    Args:
        counts: One a day.
        tail: 0 to 1: P(sum > k) is at most this.
        n_days: Days that are summed, at least 1.
        most: Returned where k would be higher.
    """
    mean = sum(counts) / len(counts) if counts else 0.0
    if mean == 0.0:
        return 0
    variance = sum((count - mean) ** 2 for count in counts) / max(1, len(counts) - 1)
    left = 1.0
    for k in range(most):
        left -= math.exp(_log_chance(k, mean * n_days, variance * n_days))
        if left <= tail:
            return k
    return most


def find_poisson_quantile(mean: float, tail: float) -> int:
    """Return the smallest k that a Poisson count passes with at most a given chance."""
    left, k = 1.0 - math.exp(-mean), 0
    while left > tail:
        k += 1
        left -= math.exp(_log_chance(k, mean, mean))
    return k


def _log_chance(k: int, mean: float, variance: float) -> float:
    """Return log P(k) of a count with this mean and variance, mean > 0."""
    if variance <= mean:
        return k * math.log(mean) - mean - math.lgamma(k + 1)
    size = mean * mean / (variance - mean)
    return (
        math.lgamma(k + size)
        - math.lgamma(size)
        - math.lgamma(k + 1)
        + size * math.log(size / (size + mean))
        + k * math.log(mean / (size + mean))
    )
