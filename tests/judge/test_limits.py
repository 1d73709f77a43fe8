"""Limits from the list's own accepted days."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.judge.limits import (
    clip_highest,
    count_ordinary,
    find_quantile,
    limit_of,
    n_days_since,
)
from dmf_crawler.model.past import N_WITHDRAWN, Past
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.verdict import LimitFrom
from dmf_crawler.settings import DailyLimit, GateLimits
from tests.judge.days import evidence, past, rows, tail_of_sum

LIMITS = GateLimits()
BOUND = DailyLimit(floor=10, cap=30)
COUNTS = st.lists(st.integers(0, 40), min_size=2, max_size=120)
SEED = 20261201


def a_day(known_days: Past):
    return evidence(rows(5), rows(5), past=known_days)


def of_withdrawals(counts, **other):
    return past({(ROW, N_WITHDRAWN): counts}, **other)


def poisson_tail(mean: float, k: int) -> float:
    """Return P(more than k), summed from the other side."""
    return sum(
        math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(k + 1, k + 200)
    )


@pytest.mark.parametrize("mean", [0.2, 1.0, 4.0])
def test_counts_that_vary_no_more_than_their_mean_have_the_quantile_of_poisson(mean):
    n_days = 1000
    counts = [math.ceil(mean * (day + 1)) - math.ceil(mean * day) for day in range(n_days)]
    k = find_quantile(counts, 1e-4, most=100)
    true_mean = sum(counts) / n_days
    assert poisson_tail(true_mean, k) <= 1e-4 < poisson_tail(true_mean, k - 1)


def test_clustered_counts_have_a_higher_quantile_than_even_ones():
    even, clustered = [2] * 100, [0] * 90 + [20] * 10
    assert sum(even) == sum(clustered)
    assert find_quantile(clustered, 1e-4, most=500) > 3 * find_quantile(even, 1e-4, most=500)


def test_an_ordinary_day_passes_the_quantile_hardly_ever():
    """Drawn from a negative binomial by its own definition: a Poisson of a gamma."""
    dice = random.Random(SEED)

    def draw() -> int:
        mean, n, product = dice.gammavariate(0.5, 4.0), 0, dice.random()
        while product > math.exp(-mean):
            product *= dice.random()
            n += 1
        return n

    limit = find_quantile([draw() for _ in range(20_000)], 1e-3, most=500)
    n_above = sum(draw() > limit for _ in range(50_000))
    assert 10 <= n_above <= 150, f"seed {SEED}"  # 50 expected


def test_nothing_ever_happened_so_nothing_is_likely():
    assert find_quantile([0] * 50, 1e-4, most=100) == 0
    assert find_quantile([], 1e-4, most=100) == 0


@given(COUNTS, st.integers(1, 9))
def test_more_days_together_are_never_less(counts, n_days):
    one, more = (find_quantile(counts, 1e-3, n_days=each, most=400) for each in (1, n_days))
    assert one <= more


@given(COUNTS)
def test_the_quantile_is_the_smallest_number_that_is_passed_so_seldom(counts):
    k = find_quantile(counts, 1e-3, most=2_000)
    assert tail_of_sum(counts, 1, k + 1) <= 1e-3 + 1e-9
    assert k == 0 or tail_of_sum(counts, 1, k) >= 1e-3 - 1e-9  # and no smaller one would do


@pytest.mark.parametrize(
    ("counts", "clipped"),
    [
        ([1, 2, 3, 50], [1, 2, 3, 3]),  # the highest 2 % of four are one
        ([5] * 98 + [90, 80], [5] * 98 + [5, 5]),
        ([7], [7]),
        ([], []),
    ],
)
def test_the_highest_days_count_as_no_higher_than_the_rest(counts, clipped):
    assert clip_highest(counts, 0.02) == clipped


def test_nothing_is_clipped_where_no_share_is_to_be():
    assert clip_highest([1, 50], 0.0) == [1, 50]


def test_a_day_that_was_approved_counts_once_as_no_higher_than_the_others():
    days = of_withdrawals([1, 0, 46, 2], held=[2]).days
    assert count_ordinary(days, N_WITHDRAWN) == [1, 0, 2, 2]
    assert count_ordinary(of_withdrawals([46], held=[0]).days, N_WITHDRAWN) == [0]


def test_a_day_of_an_older_version_that_did_not_count_is_no_day():
    assert count_ordinary(of_withdrawals([1, 2]).days, "n_odd", "company") == []


@pytest.mark.parametrize(
    ("counts", "number", "limit_from"),
    [
        ([0] * 29, 10, LimitFrom.FLOOR),
        ([25] * 29, 10, LimitFrom.FLOOR),  # a day more, and the history speaks
        ([25] * 30, 30, LimitFrom.CAP),
        ([0, 1] * 30, 10, LimitFrom.FLOOR),
        ([4, 5, 6] * 30, 15, LimitFrom.HISTORY),
    ],
)
def test_the_limit_lies_between_floor_and_cap(counts, number, limit_from):
    limit = limit_of(a_day(of_withdrawals(counts)), N_WITHDRAWN, BOUND, LIMITS)
    assert (limit.number, limit.limit_from, limit.n_days) == (number, limit_from, len(counts))


def test_changes_of_missed_days_stand_in_one_list():
    counts = [4, 5, 6] * 30
    next_day, after_a_week = (
        limit_of(a_day(of_withdrawals(counts, gap=gap)), N_WITHDRAWN, BOUND, LIMITS)
        for gap in (1, 3)
    )
    assert (next_day.number, after_a_week.number) == (15, 30)
    assert n_days_since(a_day(of_withdrawals(counts, gap=3))) == 3
    assert n_days_since(a_day(Past())) == 1


def test_a_limit_says_how_many_days_together_may_reach_it():
    past_days = of_withdrawals([4, 5, 6] * 30, gap=2)
    limit = limit_of(a_day(past_days), N_WITHDRAWN, BOUND, LIMITS)
    assert limit.reason_ko == f"최근 90일 기준 2일 한도 {limit.number}"
    assert limit.limit_from is LimitFrom.HISTORY


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([4, 5, 6] * 30, "최근 90일 기준 하루 한도 15"),
        ([25] * 30, "이력과 관계없는 하루 상한 30"),
        ([], "하루 한도 10"),
    ],
)
def test_a_limit_says_where_it_came_from(counts, words):
    assert limit_of(a_day(of_withdrawals(counts)), N_WITHDRAWN, BOUND, LIMITS).reason_ko == words
