from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.judge.change_rate import estimate_change_rate, estimate_rate
from dmf_crawler.model.past import Observation
from dmf_crawler.model.rate import Rate

START = date(2026, 1, 1)


def visits(n: int, n_changed: int, *, gap: int = 1) -> list[Observation]:
    """Return visits at equal distances; the first of them saw changes."""
    return [
        Observation(START + timedelta(days=gap * place), gap, int(place < n_changed))
        for place in range(n)
    ]


def beta_quantile(a: float, b: float, share: float) -> float:
    """Return a quantile of a beta distribution, summed over p = sin²(angle) in fine steps."""
    n_steps = 40_000
    angles = [(step + 0.5) * math.pi / 2 / n_steps for step in range(n_steps)]
    weights = [
        math.exp((2 * a - 1) * math.log(math.sin(x)) + (2 * b - 1) * math.log(math.cos(x)))
        for x in angles
    ]
    wanted, seen = share * sum(weights), 0.0
    for angle, weight in zip(angles, weights, strict=True):
        seen += weight
        if seen >= wanted:
            return math.sin(angle) ** 2
    return 1.0


# --- the estimate --------------------------------------------------------------------------------


@given(st.integers(1, 700), st.data())
def test_at_equal_distances_it_is_the_estimator_of_the_paper(n, data):
    n_changed = data.draw(st.integers(0, n))

    rate = estimate_rate(visits(n, n_changed))

    assert rate.per_day == pytest.approx(-math.log((n - n_changed + 0.5) / (n + 0.5)), abs=1e-9)


def test_the_estimator_of_the_draft_would_say_a_third_more():
    """-ln((n - X + 0.5) / (n + 1)) of one change in 14 visits; and of none it is not 0."""
    assert estimate_rate(visits(14, 1)).per_day == pytest.approx(0.0715, abs=1e-4)
    assert -math.log(13.5 / 15) == pytest.approx(0.1054, abs=1e-4)
    none = estimate_rate(visits(14, 0))
    assert (none.per_day, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(0.1762, abs=1e-4)


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=60))
@settings(max_examples=40)
def test_twice_the_distances_are_half_the_rate(pairs):
    once = [Observation(START, gap, int(changed)) for gap, changed in pairs]
    twice = [Observation(START, 2 * gap, int(changed)) for gap, changed in pairs]

    slow, fast = estimate_rate(twice), estimate_rate(once)

    assert 2 * slow.per_day == pytest.approx(fast.per_day, abs=1e-9)
    assert 2 * slow.low == pytest.approx(fast.low)
    assert (slow.high is None) is (fast.high is None)
    assert slow.high is None or 2 * slow.high == pytest.approx(fast.high)


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=60))
@settings(max_examples=40)
def test_the_estimate_lies_in_its_interval(pairs):
    rate = estimate_rate([Observation(START, gap, int(changed)) for gap, changed in pairs])

    assert 0 <= rate.low <= rate.per_day
    assert rate.high is None or rate.per_day <= rate.high


def test_the_order_of_the_visits_is_no_matter():
    mixed = [*visits(20, 7), *visits(9, 4, gap=3)]

    assert estimate_rate(mixed) == estimate_rate(mixed[::-1])


def test_where_every_visit_saw_a_change_there_is_no_upper_bound():
    rate = estimate_rate(visits(14, 14))

    assert rate.high is None
    assert rate.low == pytest.approx(1.823, abs=0.01)
    assert rate.per_day == pytest.approx(math.log(29))


@pytest.mark.parametrize(("n", "n_changed"), [(14, 1), (14, 7), (20, 5), (365, 40), (731, 700)])
def test_the_interval_is_that_of_jeffreys(n, n_changed):
    rate = estimate_rate(visits(n, n_changed))
    a, b = n_changed + 0.5, n - n_changed + 0.5

    assert rate.low == pytest.approx(-math.log1p(-beta_quantile(a, b, 0.025)), rel=0.01)
    assert rate.high == pytest.approx(-math.log1p(-beta_quantile(a, b, 0.975)), rel=0.01)


# --- by simulation -------------------------------------------------------------------------------


def live(rng: random.Random, n: int, rate: float, missed: float) -> list[Observation]:
    """Visit a list that changes at random; some visits do not take place."""
    seen: list[Observation] = []
    gap = 0
    while len(seen) < n:
        gap += 1
        if rng.random() >= missed:
            seen.append(Observation(START, gap, int(rng.random() < -math.expm1(-rate * gap))))
            gap = 0
    return seen


@pytest.mark.parametrize(
    ("n", "rate", "missed"),
    [(14, 0.5, 0.0), (60, 0.1, 0.0), (60, 0.5, 0.3), (60, 1.0, 0.15), (120, 0.2, 0.3)],
)
def test_bias_and_coverage_hold_by_simulation(n, rate, missed):
    """Bias at most 3.5 % or three standard errors; coverage .91 to .99, less what chance allows."""
    rng, n_lives = random.Random(f"{n} {rate} {missed}"), 300
    found = [estimate_rate(live(rng, n, rate, missed)) for _ in range(n_lives)]

    mean = sum(each.per_day for each in found) / n_lives
    spread = math.sqrt(sum((each.per_day - mean) ** 2 for each in found) / n_lives)
    covered = sum(each.low <= rate and (each.high is None or rate <= each.high) for each in found)

    assert abs(mean / rate - 1) <= max(0.035, 3 * spread / rate / math.sqrt(n_lives))
    assert 0.89 <= covered / n_lives <= 0.99


# --- what is kept --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "is_estimated"), [(0, False), (13, False), (14, True), (15, True)])
def test_below_fourteen_observations_nothing_is_estimated(n, is_estimated):
    rate = estimate_change_rate(visits(n, 1))

    assert rate.n_observations == n
    assert (rate.recent is not None, rate.whole is not None) == (is_estimated, is_estimated)


def test_the_recent_estimate_is_made_of_the_last_fourteen():
    quiet_then_busy: Sequence[Observation] = [*visits(40, 0), *visits(14, 14)]

    rate = estimate_change_rate(quiet_then_busy)

    assert rate.recent == estimate_rate(visits(14, 14))
    assert rate.whole == estimate_rate(visits(54, 14))


# --- what follows from a rate --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per_day", "freshness", "age_days"),
    [(0.0, 1.0, 0.0), (0.2, 0.9063, 0.0317), (0.5, 0.7869, 0.0739), (1.0, 0.6321, 0.1321)],
)
def test_freshness_and_age_are_those_of_the_paper(per_day, freshness, age_days):
    rate = Rate(per_day, 0.0, None)

    assert rate.freshness == pytest.approx(freshness, abs=1e-4)
    assert rate.age_days == pytest.approx(age_days, abs=1e-4)


def test_freshness_and_age_are_what_a_simulated_copy_has():
    """A copy is taken once a day: is it as the original at a moment, and if not, since when?"""
    rng, rate, n_fresh, age = random.Random(7), 0.7, 0, 0.0
    for _ in range(20_000):
        moment, first_change = rng.random(), rng.expovariate(rate)
        n_fresh += first_change > moment
        age += max(0.0, moment - first_change)

    assert Rate(rate, 0, None).freshness == pytest.approx(n_fresh / 20_000, abs=0.01)
    assert Rate(rate, 0, None).age_days == pytest.approx(age / 20_000, abs=0.01)


@given(st.floats(1e-6, 1e-3))
def test_small_rates_lose_no_digits(per_day):
    rate = Rate(per_day, 0.0, None)

    assert rate.freshness == pytest.approx(1 - per_day / 2 + per_day**2 / 6, abs=1e-8)
    assert rate.age_days == pytest.approx(per_day / 6 - per_day**2 / 24, abs=1e-7)


def test_days_between_changes_are_unknown_without_any():
    assert Rate(0.0, 0.0, 0.2).days_between is None
    assert Rate(0.25, 0.1, 0.5).days_between == 4
