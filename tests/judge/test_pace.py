"""G-7, G-8 and G-14: gates that watch the pace of a list, and only warn."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.judge.burst import judge_burst
from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.run_time import judge_run_time
from dmf_crawler.judge.stall import judge_stall
from dmf_crawler.model.change import Change, ChangeSet, EventType, Reason
from dmf_crawler.model.past import Observation, Past, PastDay
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from tests.judge.days import LIMITS, evidence, rows, tail_of_sum

SATURDAY = date(2026, 11, 28)
LIST = rows(3)


def working_days(counts: Sequence[int], n_today: int, *, gap: int = 1) -> Evidence:
    """Return the evidence of a run whose list had so many events on each working day before.

    The visits are those of Tuesday to Saturday mornings, the last one is this run's.
    """
    days: list[date] = []
    day = SATURDAY
    while len(days) <= len(counts):
        if 1 <= day.weekday() <= 5:
            days.append(day)
        day -= timedelta(days=1)
    days.reverse()
    observations = [
        Observation(each, (each - before).days, n)
        for each, before, n in zip(days, [days[0] - timedelta(days=1), *days], counts, strict=False)
    ]
    changes = tuple(Change(EventType.NEW, f"key {n}", LIST[0]) for n in range(n_today))
    return replace(
        evidence(LIST, LIST, day=SATURDAY),
        change_set=ChangeSet(changes),
        past=Past(
            days=(PastDay(SATURDAY - timedelta(days=gap), {}),), observations=tuple(observations)
        ),
    )


def seen(gate: Gate) -> tuple[Outcome, float | None, float | None]:
    return gate.outcome, gate.observed, gate.limit


# --- G-7: stall ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_quiet", "outcome"),
    [(0, Outcome.PASS), (5, Outcome.PASS), (6, Outcome.WARN), (7, Outcome.WARN)],
)
def test_a_silence_that_has_one_chance_in_ten_thousand_is_warned_of(n_quiet, outcome):
    """One working day in five was quiet: p0 = 40.5 / 201, ln 1e-4 / ln p0 = 5.7."""
    before = [0, 1, 1, 2, 1] * 40
    quiet = [*[0] * (n_quiet - 1), 0][:n_quiet]
    given_days = working_days([*before, *quiet[:-1]], 0) if n_quiet else working_days(before, 1)

    gate = judge_stall(given_days, LIMITS)

    n_in_base = 201 if n_quiet == 0 else 200
    chance = (40 + 0.5) / (n_in_base + 1)
    assert math.ceil(math.log(1e-4) / math.log(chance)) == 6
    assert seen(gate) == (outcome, n_quiet, 6)
    assert gate.limit_from is LimitFrom.HISTORY
    assert f"{n_quiet}일" in gate.message


def test_a_list_that_changes_every_day_is_never_expected_to_rest_less_than_two_days():
    before = [3] * 250

    assert seen(judge_stall(working_days(before, 0), LIMITS)) == (Outcome.PASS, 1, 2)
    assert seen(judge_stall(working_days([*before, 0], 0), LIMITS)) == (Outcome.WARN, 2, 2)


@pytest.mark.parametrize(("n_quiet", "outcome"), [(9, Outcome.PASS), (10, Outcome.WARN)])
def test_a_silence_no_longer_than_the_longest_seen_may_be_a_holiday(n_quiet, outcome):
    """Nine days of silence in the past, at the new year: nine days are no reason to warn."""
    before = [*[2] * 100, *[0] * 9, *[2] * 100]

    gate = judge_stall(working_days([*before, *[0] * (n_quiet - 1)], 0), LIMITS)

    assert seen(gate) == (outcome, n_quiet, 10)
    if outcome is Outcome.WARN:
        assert "가장 길게 멈춘 것은 9일" in gate.message


def test_the_silence_in_progress_does_not_raise_its_own_limit():
    before = [2] * 100
    limits = [
        judge_stall(working_days([*before, *[0] * n], 0), LIMITS).limit for n in (1, 5, 40, 140)
    ]

    assert len(set(limits)) == 1


@pytest.mark.parametrize(("n_days", "observed"), [(28, None), (29, 0), (30, 0)])
def test_a_stall_is_judged_from_thirty_working_days_on(n_days, observed):
    gate = judge_stall(working_days([1] * n_days, 1), LIMITS)

    assert (gate.outcome, gate.observed) == (Outcome.PASS, observed)
    if observed is None:
        assert gate.limit is None
        assert "30일이 되면" in gate.message
        assert f"지금은 {n_days + 1}일" in gate.message


def test_mere_changes_of_form_or_key_do_not_end_a_silence():
    base = working_days([*[2] * 100, 0, 0, 0], 0)
    rekeyed = Change(EventType.NEW, "new key", LIST[0], reason=Reason.REKEYED)
    given_days = replace(base, change_set=ChangeSet((rekeyed,)))

    assert judge_stall(given_days, LIMITS).observed == 4


def test_an_earlier_run_of_the_day_ends_a_silence_too():
    base = working_days([*[2] * 100, 0, 0, 0], 0)
    given_days = replace(base, past=replace(base.past, n_events_today=1))

    assert judge_stall(given_days, LIMITS).observed == 0


def test_the_first_run_and_the_second_say_that_there_is_no_past():
    given_days = evidence(LIST, LIST, day=SATURDAY)

    for gate in (judge_stall(given_days, LIMITS), judge_burst(given_days, LIMITS)):
        assert seen(gate) == (Outcome.PASS, None, None)
        assert gate.message.endswith("니다.")


# --- G-14: burst ---------------------------------------------------------------------------------


def clustered(rng: random.Random, mean: float, size: float = 1.5) -> int:
    """Return a count of a day on which edits come in clusters."""
    left, n, chance = rng.gammavariate(size, mean / size), 0, rng.random()
    product = chance
    while product > math.exp(-left):
        product *= rng.random()
        n += 1
    return n


BEFORE = [clustered(random.Random(n), 3) for n in range(250)]


def recent_of(total: int) -> tuple[list[int], int]:
    """Return ten working days that sum up to a total: nine before, and today's."""
    return [total // 10] * 9, total - 9 * (total // 10)


def test_events_of_ten_working_days_that_have_one_chance_in_a_thousand_are_warned_of():
    limit = judge_burst(working_days([*BEFORE, *[3] * 9], 3), LIMITS).limit
    assert limit is not None
    at, above = int(limit), int(limit) + 1

    assert seen(judge_burst(working_days([*BEFORE, *recent_of(at)[0]], recent_of(at)[1]), LIMITS))[
        :2
    ] == (Outcome.PASS, at)
    gate = judge_burst(working_days([*BEFORE, *recent_of(above)[0]], recent_of(above)[1]), LIMITS)
    assert seen(gate) == (Outcome.WARN, above, limit)
    assert f"{above}건" in gate.message
    assert gate.limit_from is LimitFrom.HISTORY
    highest = sorted(BEFORE)[-6]  # the highest 2 % count as no higher than the next below
    clipped = [min(count, highest) for count in BEFORE]
    assert tail_of_sum(clipped, 10, above) <= 0.001 < tail_of_sum(clipped, 10, at)


def test_three_times_the_usual_is_found_within_ten_working_days():
    rng = random.Random(3)
    found = 0
    for _ in range(20):
        counts = [clustered(rng, 9) for _ in range(10)]
        gate = judge_burst(working_days([*BEFORE, *counts[:9]], counts[9]), LIMITS)
        found += gate.outcome is Outcome.WARN

    assert found >= 16


def test_ordinary_days_are_hardly_ever_a_burst():
    rng = random.Random(4)
    counts = [*BEFORE, *(clustered(rng, 3) for _ in range(120))]
    warned = [
        n
        for n in range(260, 370)
        if judge_burst(working_days(counts[:n], counts[n]), LIMITS).outcome is Outcome.WARN
    ]

    assert warned == []


def test_one_event_is_no_burst_however_quiet_the_list_was():
    quiet = [0] * 250

    assert seen(judge_burst(working_days(quiet, 1), LIMITS)) == (Outcome.PASS, 1, 1)
    assert seen(judge_burst(working_days(quiet, 2), LIMITS)) == (Outcome.WARN, 2, 1)


@pytest.mark.parametrize(("n_before", "is_judged"), [(29, False), (30, True), (31, True)])
def test_a_burst_is_judged_from_thirty_days_before_the_recent_ones_on(n_before, is_judged):
    gate = judge_burst(working_days([3] * (n_before + 9), 3), LIMITS)

    assert gate.outcome is Outcome.PASS
    assert (gate.observed is not None) is is_judged
    if not is_judged:
        assert f"지금은 {n_before}일" in gate.message


def test_a_visit_that_found_what_several_days_brought_is_held_against_so_many():
    """Ten days of holiday, then 45 events at once: 15 working days' worth, no burst."""
    base = working_days([3] * 100, 0)
    long_ago = replace(
        base,
        day=SATURDAY + timedelta(days=21),
        change_set=ChangeSet(tuple(Change(EventType.NEW, f"{n}", LIST[0]) for n in range(45))),
        past=replace(base.past, days=(PastDay(SATURDAY, {}),)),
    )

    gate = judge_burst(long_ago, LIMITS)

    assert gate.outcome is Outcome.PASS
    assert "최근 평일 15일" in gate.message


def test_days_without_a_visit_say_nothing_of_what_is_usual():
    """Who knows which of the five days brought the 60 events?"""
    base = working_days([3] * 100, 3)
    first = base.past.observations[0]
    weeks = [
        Observation(first.day - timedelta(days=7 * before), 7, 60) for before in range(9, 0, -1)
    ]
    longer = replace(base.past, observations=(*weeks, *base.past.observations))

    assert judge_burst(replace(base, past=longer), LIMITS).limit == judge_burst(base, LIMITS).limit


@given(st.lists(st.integers(0, 20), min_size=45, max_size=80), st.integers(0, 20))
def test_more_events_today_never_end_a_warning(counts, n_today):
    fewer = judge_burst(working_days(counts, n_today), LIMITS)
    more = judge_burst(working_days(counts, n_today + 1), LIMITS)

    assert fewer.limit == more.limit
    assert (fewer.outcome, more.outcome) != (Outcome.WARN, Outcome.PASS)


# --- G-8: run time -------------------------------------------------------------------------------


def crawled(seconds: float | None, before: Sequence[float]) -> Evidence:
    """Return the evidence of a crawl that took so long, after others."""
    base = evidence(LIST, LIST)
    return replace(base, duration_s=seconds, past=Past(durations_s=tuple(before)))


@pytest.mark.parametrize(
    ("seconds", "outcome"),
    [(299.0, Outcome.PASS), (300.0, Outcome.PASS), (300.1, Outcome.WARN)],
)
def test_three_times_the_median_duration_is_warned_of(seconds, outcome):
    gate = judge_run_time(crawled(seconds, [90, 80, 100, 5000, 100, 120, 130]), LIMITS)

    assert seen(gate) == (outcome, seconds, 300.0)
    assert gate.limit_from is LimitFrom.HISTORY
    assert "1분 40초" in gate.message


@pytest.mark.parametrize(("n_before", "is_judged"), [(6, False), (7, True), (8, True)])
def test_a_duration_is_judged_from_seven_runs_of_the_kind_on(n_before, is_judged):
    gate = judge_run_time(crawled(999.0, [10.0] * n_before), LIMITS)

    assert gate.outcome is (Outcome.WARN if is_judged else Outcome.PASS)
    assert (gate.observed is not None) is is_judged


def test_what_was_not_crawled_took_no_time():
    gate = judge_run_time(crawled(None, [10.0] * 9), LIMITS)

    assert seen(gate) == (Outcome.PASS, None, None)


def test_the_factor_is_a_setting():
    assert judge_run_time(crawled(31.0, [10.0] * 9), GateLimits(slow_factor=4)).limit == 40
