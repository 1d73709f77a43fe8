"""G-9: does each column still look like itself?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.features import measure_columns
from dmf_crawler.judge.profile import judge_profile
from dmf_crawler.model.past import Past, PastDay
from dmf_crawler.model.record import Record
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from dmf_crawler.workbench.rehearsal.days import Life
from tests.judge.days import COLUMNS, LIMITS, TODAY, a_row, changed, evidence, rows

FIELDS = [column.field for column in COLUMNS]
LIST = rows(1_000)


def after_days(
    days: Sequence[Sequence[Record]], today: Sequence[Record], *, gap: int = 1
) -> Evidence:
    """Return the evidence of a list after the accepted days before it, oldest first."""
    found = evidence(days[-1] if days else (), today)
    past_days = [
        PastDay(
            TODAY - timedelta(days=gap + len(days) - 1 - place),
            measure_columns(evidence((), each).snapshot, FIELDS),
        )
        for place, each in enumerate(days)
    ]
    return replace(
        found,
        past=Past(days=tuple(past_days)),
        features=measure_columns(found.snapshot, FIELDS),
    )


def judge(today: Sequence[Record], *days: Sequence[Record]) -> Gate:
    return judge_profile(after_days(days or [LIST], today), LIMITS)


def with_first(n: int, **fields: object) -> list[Record]:
    """Return the list with other values in its first records."""
    return [changed(each, **fields) if place < n else each for place, each in enumerate(LIST)]  # type: ignore[arg-type]


def test_an_unchanged_list_is_no_multiple_away():
    gate = judge(LIST)

    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, 0, 12)
    assert "9개 열" in gate.message


def test_a_first_run_has_nothing_to_be_held_against():
    gate = judge_profile(after_days([], LIST), LIMITS)

    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, None, None)


@pytest.mark.parametrize(
    ("n_emptied", "outcome"), [(49, Outcome.PASS), (50, Outcome.PASS), (51, Outcome.HOLD)]
)
def test_a_twentieth_of_the_cells_may_be_emptied(n_emptied, outcome):
    """From a share that never varied: the floor alone decides."""
    gate = judge(with_first(n_emptied, company=""))

    assert (gate.outcome, gate.limit_from) == (outcome, LimitFrom.FLOOR)
    assert gate.observed == pytest.approx(12 * n_emptied / 50, abs=0.01)
    if outcome is Outcome.HOLD:
        assert gate.fault_code == "profile_drift"
        assert (
            "신청인 열의 모양이 평소와 다릅니다: 빈 칸의 비율 5.1%(최근 1일 0.0%)" in gate.message
        )
        assert len(gate.examples) == 10
        assert {example.field for example in gate.examples} == {"company"}
        assert gate.examples[0].before == LIST[0].fields["company"]


def test_the_usual_spread_of_a_feature_widens_its_limit():
    """Its share of empty cells goes up and down by two in a hundred: 20 of them are its limit."""
    days = [with_first(100 + 20 * (place % 3), company="") for place in range(30)]
    spread = 1.4826 * 0.02
    at = with_first(140 + round(12 * spread * 1000) - 1, company="")
    above = with_first(142 + round(12 * spread * 1000), company="")

    assert judge(at, *days).outcome is Outcome.PASS
    gate = judge(above, *days)
    assert (gate.outcome, gate.limit_from) == (Outcome.HOLD, LimitFrom.HISTORY)


def test_what_is_longer_ago_than_thirty_accepted_days_is_not_looked_at():
    restless = [with_first(100 + 100 * (place % 2), company="") for place in range(50)]
    today = with_first(60, company="")

    assert judge(today, *restless).outcome is Outcome.PASS
    assert judge(today, *restless, *[LIST] * 30).outcome is Outcome.HOLD


def test_the_factor_is_a_setting():
    found = after_days([LIST], with_first(51, company=""))

    assert judge_profile(found, GateLimits(profile_factor=24)).limit == 24


# --- what is wrong ---------------------------------------------------------------------------


def swap(one: str, other: str) -> list[Record]:
    return [changed(each, **{one: each.fields[other], other: each.fields[one]}) for each in LIST]


def test_two_columns_that_changed_places_are_named():
    gate = judge(swap("company", "status"))

    assert gate.outcome is Outcome.HOLD
    assert (
        "오늘의 신청인 열이 어제의 상태 열을 닮았습니다." in gate.message
        or "오늘의 상태 열이 어제의 신청인 열을 닮았습니다." in gate.message
    )


def test_after_a_gap_the_last_list_is_named_as_such():
    gate = judge_profile(after_days([LIST], swap("company", "status"), gap=3), LIMITS)

    assert "지난 목록의" in gate.message


def test_a_column_that_looks_like_no_other_is_said_to_look_like_none():
    gate = judge([changed(each, company="?" * 40) for each in LIST])

    assert gate.outcome is Outcome.HOLD
    assert "닮았습니다" not in gate.message


def test_a_column_is_never_said_to_look_like_itself():
    """Its names were 8 characters long for a month, then 20 (approved), and 16 today."""
    usual, last, today = (
        [changed(each, company=str(each.fields["company"])[:3] + "가" * n) for each in LIST]
        for n in (5, 17, 13)
    )

    gate = judge(today, *[usual] * 10, last)

    assert gate.outcome is Outcome.HOLD
    assert gate.message.startswith("신청인 열")
    assert "닮았습니다" not in gate.message


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.upper() + " 12345",
        lambda text: text[:3],
        lambda text: "X" + text,
        lambda _: "같은 이름(주)",
        lambda text: "".join(f"&#{ord(c)};" for c in text),
    ],
    ids=["longer", "cut", "other first letter", "all the same", "entities"],
)
def test_damage_to_a_whole_column_is_held(damage: Callable[[str], str]):
    gate = judge([changed(each, company=damage(str(each.fields["company"]))) for each in LIST])

    assert gate.outcome is Outcome.HOLD
    assert gate.message.startswith("신청인 열")


# --- what is not -----------------------------------------------------------------------------


def test_cells_that_are_filled_are_no_loss():
    """Yearly reports fill 92 % of a column within five days of January."""
    empty = [changed(each, year="") for each in LIST]
    filled = [*with_first(0)]
    days: list[list[Record]] = [
        [changed(each, year="2026" if place < n else "") for place, each in enumerate(empty)]
        for n in (30, 30, 200, 400, 600, 800, 950)
    ]

    for place in range(1, len(days)):
        assert judge(days[place], *days[:place]).outcome is Outcome.PASS
    assert judge(filled, *days).outcome is Outcome.PASS


def test_a_list_that_changed_for_good_and_was_approved_is_not_held_again():
    """The draft alarmed on each of the 60 days that followed."""
    moved = with_first(300, company="")
    days = [*[LIST] * 30, moved]

    assert judge(moved, *days[:30]).outcome is Outcome.HOLD
    assert judge(moved, *days).outcome is Outcome.PASS
    assert judge(LIST, *days).outcome is Outcome.PASS  # and it may go back


def test_a_company_renamed_in_all_its_rows_is_no_drift():
    """300 of 12,000 rows: here 25 of 1,000, to the longest name in Latin letters."""
    gate = judge(with_first(25, company="A Very Long Pharmaceutical Company Name Ltd."))

    assert gate.outcome is Outcome.PASS


def test_many_cancellations_in_a_day_are_no_drift():
    gate = judge(with_first(115, status="취하"))

    assert gate.outcome is Outcome.PASS


def test_new_rows_may_hold_anything():
    """A list of 60 rows gets 30 new ones, without a maker's document."""
    small = rows(60)
    new = [a_row(5000 + number, document="", company="Neu GmbH") for number in range(30)]

    gate = judge([*small, *new], small)

    assert gate.outcome is Outcome.PASS


def test_few_values_say_nothing_of_a_column():

    def sparse(text: str) -> list[Record]:
        return [
            changed(each, document=text if place < 19 else "") for place, each in enumerate(LIST)
        ]

    assert judge(sparse("가나다라"), sparse("v1")).outcome is Outcome.PASS


def test_a_column_that_the_last_days_did_not_have_is_not_judged():
    found = after_days([LIST], LIST)
    features = {name: look for name, look in found.past.days[0].features.items() if name != "year"}
    past = Past(days=(PastDay(date(2026, 11, 30), features),))

    assert judge_profile(replace(found, past=past), LIMITS).outcome is Outcome.PASS


def test_a_column_that_nobody_measured_today_does_not_pass():
    found = after_days([LIST], LIST)
    features = {name: look for name, look in found.features.items() if name != "year"}
    gate = judge_profile(replace(found, features=features), LIMITS)
    assert (gate.outcome, gate.observed, gate.fault_code) == (Outcome.HOLD, None, "not_computed")
    assert "연차보고년도" in gate.message


@pytest.mark.parametrize(("n_rows", "seed"), [(60, 1), (60, 2), (400, 3)])
def test_a_hundred_days_of_a_living_list_hold_no_day(n_rows, seed):
    """The rehearsal's register over January: new rows, corrections, bulk days, the report wave."""
    life = Life(n_rows=n_rows, seed=seed, first_day=date(2026, 12, 1))
    names = [name for name, _ in life.columns]
    found, days, held = evidence((), ()), list[PastDay](), list[object]()
    columns = tuple(replace(COLUMNS[1], field=name, label_ko=label) for name, label in life.columns)
    for _ in range(100):
        records = [Record(r.key, {n: getattr(r, n) for n in names}) for r in life.rows]
        snapshot = evidence((), records).snapshot
        looks = measure_columns(snapshot, names)
        today = replace(
            found, snapshot=snapshot, columns=columns, day=life.day, features=looks,
            past=Past(days=tuple(days[-30:])),
        )  # fmt: skip
        gate = judge_profile(today, LIMITS)
        if gate.outcome is not Outcome.PASS:
            held.append((life.day, gate.message))
        days.append(PastDay(life.day, looks))
        life.advance()

    assert held == []
