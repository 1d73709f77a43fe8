from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.judge.review import find_review_points
from dmf_crawler.judge.tuning import spread_of, tune_parameters
from dmf_crawler.model.rate import ChangeRate, Rate
from dmf_crawler.model.tuning import Lived, Spread, Tuned
from dmf_crawler.settings import DailyLimit, GateLimits, Politeness, Settings

LIVED = Lived(
    n_days=40,
    change_rate=ChangeRate(39, Rate(1.2, 0.7, 2.1), Rate(1.0, 0.6, 1.6)),
    events=[0, 3, 5] * 13,
    growth=[0.001, -0.002, 0.0],
    new_rows=[1, 2, 3, 4] * 10,
    withdrawn=[0, 0, 1, 2] * 10,
    gone=[0.0, 0.001],
    departures=[0.4, 1.5, 2.0],
    response_s=[0.2, 0.4, 1.1],
    requests=[123] * 20,
    page_bytes=[13_000] * 120,
    day_bytes=[1_560_000] * 30,
    holds={"many_withdrawals": 2, "budget_exceeded": 1, "profile_drift": 3},
)
SETTINGS = Settings()


def tuned(name: str, lived: Lived = LIVED, settings: Settings = SETTINGS) -> Tuned:
    """Return what is said of one parameter."""
    (value,) = (each for each in tune_parameters(lived, settings) if each.name == name)
    return value


def test_each_of_the_owners_parameters_has_its_place():
    keys = {each.name: each.key for each in tune_parameters(LIVED, SETTINGS)}

    assert keys == {
        "change_rate_prior": "",
        "rows_change_ratio": "gates.rows_change_ratio",
        "new_rows": "gates.new_rows",
        "gone_ratio": "gates.gone_ratio",
        "withdrawn": "gates.withdrawn",
        "profile_factor": "gates.profile_factor",
        "simhash_k": "",
        "min_delay_s": "politeness.min_delay_s",
        "requests_per_day": "budget.requests_per_day",
        "raw_days": "retention.raw_days",
    }


def test_every_key_is_a_setting_and_tells_its_value():
    for each in tune_parameters(LIVED, SETTINGS):
        if each.key:
            section, name = each.key.split(".")
            value = getattr(getattr(SETTINGS, section), name)
            shown = (
                f"{{floor: {value.floor}, cap: {value.cap}}}"
                if isinstance(value, DailyLimit)
                else f"{value:g}"
            )
            assert each.now == shown


def test_what_is_not_known_yet_proposes_nothing():
    for each in tune_parameters(Lived(n_days=0), SETTINGS):
        assert (each.spread, each.proposed, each.n_holds) == (None, "", 0)
        assert each.reason.endswith("니다.")


def test_ordinary_days_propose_what_there_is():
    proposed = {each.name: each.proposed == each.now for each in tune_parameters(LIVED, SETTINGS)}

    assert [name for name, is_same in proposed.items() if not is_same] == [
        "change_rate_prior",
        "requests_per_day",
    ]
    assert tuned("change_rate_prior").proposed == "1.00"
    assert tuned("requests_per_day").proposed == "400"  # three reads of 123, in fifties


def test_holds_are_told_beside_what_caused_them():
    assert tuned("withdrawn").n_holds == 2
    assert tuned("requests_per_day").n_holds == 1
    assert tuned("profile_factor").n_holds == 3
    assert tuned("gone_ratio").n_holds == 0


@pytest.mark.parametrize(
    ("most", "proposed"), [(7.9, "12"), (8.0, "12"), (8.1, "13"), (20.0, "30")]
)
def test_the_profile_factor_only_rises(most, proposed):
    assert tuned("profile_factor", replace(LIVED, departures=[1.0, most])).proposed == proposed


def test_a_cap_rises_where_ordinary_days_go_beyond_it():
    busy = replace(LIVED, withdrawn=[20, 40, 60, 30, 50] * 10)

    proposed = tuned("withdrawn", busy).proposed

    assert proposed.startswith("{floor: 10, cap: ")
    assert 60 < int(proposed.split()[-1].rstrip("}")) < 150


def test_a_cap_does_not_rise_for_one_bulk_day_or_for_few_days():
    one_bulk_day = replace(LIVED, withdrawn=[*[0, 0, 1, 2] * 25, 115])
    few_days = replace(LIVED, withdrawn=[20, 40, 60, 30, 50])

    for lived in (one_bulk_day, few_days):
        assert tuned("withdrawn", lived).proposed == "{floor: 10, cap: 30}"


@given(
    st.lists(st.floats(0, 1), max_size=20),
    st.lists(st.floats(0, 60), min_size=1, max_size=20),
    st.integers(0, 5),
)
def test_neither_the_outer_fuse_nor_politeness_is_ever_loosened(shares, response_s, n_refused):
    lived = replace(LIVED, growth=shares, gone=shares, response_s=response_s, n_refused=n_refused)

    for name in ("rows_change_ratio", "gone_ratio"):
        assert tuned(name, lived).proposed in {"", tuned(name, lived).now}
    assert float(tuned("min_delay_s", lived).proposed) >= 2.0


def test_a_server_that_refused_is_asked_less_often():
    refused = replace(LIVED, n_refused=3)

    assert tuned("min_delay_s", refused).proposed == "3"
    assert "3번" in tuned("min_delay_s", refused).reason
    slow = Settings(politeness=Politeness(min_delay_s=5.0))
    assert tuned("min_delay_s", LIVED, slow).proposed == "5"


@pytest.mark.parametrize(
    ("day_bytes", "proposed"),
    [(111_000_000, "180"), (112_000_000, "178"), (10_000_000_000, "31")],
)
def test_pages_are_kept_for_as_long_as_they_fit(day_bytes, proposed):
    assert tuned("raw_days", replace(LIVED, day_bytes=[day_bytes])).proposed == proposed


def test_the_simhash_is_named_with_what_took_its_place():
    value = tuned("simhash_k")

    assert (value.now, value.proposed, value.spread) == ("", "", None)
    assert "쓰지 않습니다" in value.reason


def test_other_settings_are_told_as_they_are():
    settings = Settings(gates=GateLimits(gone_ratio=0.05))

    assert tuned("gone_ratio", LIVED, settings).now == "0.05"


# --- spread --------------------------------------------------------------------------------------


def test_numbers_are_told_by_least_median_high_and_most():
    assert spread_of([*range(1, 101)]) == Spread(100, 1, 50.5, 95, 100)
    assert spread_of([7]) == Spread(1, 7, 7, 7, 7)
    assert spread_of([]) is None


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_a_spread_is_in_order_and_95_in_100_lie_within(numbers):
    spread = spread_of(numbers)

    assert spread is not None
    assert spread.least <= spread.median <= spread.most
    assert spread.high <= spread.most
    assert sum(number <= spread.high for number in numbers) >= 0.95 * len(numbers)


# --- review points -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_boards", "seconds", "n_gave_way", "names"),
    [
        (10, 1800.0, 0, []),
        (11, 0.0, 0, ["uneven_schedule"]),
        (1, 1800.1, 0, ["uneven_schedule"]),
        (1, 0.0, 1, ["unstable_site"]),
        (11, 9999.0, 4, ["uneven_schedule", "unstable_site"]),
    ],
)
def test_review_points_are_told_when_they_are_reached(n_boards, seconds, n_gave_way, names):
    points = find_review_points(n_boards=n_boards, longest_day_s=seconds, n_gave_way=n_gave_way)

    assert [point.name for point in points] == names
    assert all("B.7" in point.message for point in points)
