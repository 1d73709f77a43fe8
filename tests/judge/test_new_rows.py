"""G-12: rows that stand in the list for the first time."""

from __future__ import annotations

import pytest

from dmf_crawler.judge.gates import judge_snapshot
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.settings import GateLimits
from tests.judge.days import LIMITS, a_row, changed, evidence, rows

BEFORE = rows(3_000)
CROSS_CHECK = Gate("G-13", Outcome.PASS, None, 0, "다른 원천과 비교하지 않습니다.")


def judge(*new, before=BEFORE, limits: GateLimits = LIMITS) -> Gate:
    gates = judge_snapshot(evidence(before, [*before, *new]), limits, CROSS_CHECK).gates
    return next(gate for gate in gates if gate.code == "G-12")


def a_new_row(number: int = 7_000, **fields):
    return a_row(number, **fields)


def test_rows_like_the_others_pass():
    gate = judge(*(a_new_row(7_000 + n) for n in range(9)))
    assert (gate.outcome, gate.observed) == (Outcome.PASS, 0)
    assert "9건" in gate.message


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"company": ""}, "비어 있음"),
        ({"first_on": "2026-13-01"}, "있을 수 없는 날짜"),
        ({"first_on": "2026/12/01"}, "있을 수 없는 날짜"),
        ({"first_on": "1989-12-31"}, "있을 수 없는 날짜"),
        ({"changed_on": "2026-12-03"}, "있을 수 없는 날짜"),
        ({"year": "26년"}, "없던 형식"),
        ({"document": "문서 없음"}, "없던 형식"),
        ({"company": "Maker", "makers": ("Maker",)}, "같은 값"),
    ],
)
def test_one_certain_oddity_holds_the_day_and_says_where(fields, why):
    gate = judge(a_new_row(**fields))
    assert (gate.outcome, gate.fault_code) == (Outcome.HOLD, "odd_new_rows")
    assert why in gate.message
    assert gate.examples[0].key == a_new_row().key
    assert (gate.examples[0].source, gate.examples[0].before) == ("page-70", None)


@pytest.mark.parametrize(
    "fields",
    [
        {"first_on": "1990-01-01"},
        {"changed_on": "2026-12-02"},  # tomorrow: another time zone
        {"changed_on": ""},
        {"company": "처음보는제약(주)"},
        {"makers": ("Maker Zz Ltd.", "Maker Yy Ltd.")},
    ],
)
def test_what_may_well_be_is_nothing_odd(fields):
    assert judge(a_new_row(**fields)).outcome is Outcome.PASS


def test_an_empty_cell_is_doubtful_where_hardly_any_record_has_one():
    assert judge(a_new_row(makers=())).outcome is Outcome.WARN
    assert judge(a_new_row(makers=()), a_new_row(7_001, makers=())).outcome is Outcome.HOLD
    before = [changed(each, makers=()) if n < 4 else each for n, each in enumerate(BEFORE)]
    assert judge(a_new_row(makers=()), before=before).outcome is Outcome.PASS


def test_where_odd_shapes_are_not_rare_chance_may_bring_several():
    """Of a column in which every hundredth value has a shape of its own."""
    before = [
        changed(each, makers=(f"{'.' * n}x",)) if n < 25 else each for n, each in enumerate(BEFORE)
    ]
    odd = [a_new_row(7_000 + n, makers=(f"{'-' * (n + 1)}x",)) for n in range(4)]
    usual = [a_new_row(7_100 + n) for n in range(60)]
    assert judge(*odd[:2], before=before).outcome is Outcome.HOLD
    assert judge(*odd[:2], *usual, before=before).outcome is Outcome.WARN
    assert judge(*odd, *usual[:20], before=before).outcome is Outcome.HOLD


def test_one_doubtful_value_warns_two_rows_or_two_fields_hold():
    strange = {0: ("독특제약(주)",), 1: ("별난제약(주)",)}  # makers, never applicants
    before = [
        changed(each, makers=strange[n]) if n in strange else each for n, each in enumerate(BEFORE)
    ]
    doubtful = a_new_row(7_000, company="독특제약(주)")
    gate = judge(doubtful, before=before)
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.WARN, 1, 1)
    assert "다른 열에만 있던 값" in gate.message
    second = a_new_row(7_001, company="별난제약(주)")
    assert judge(doubtful, second, before=before).outcome is Outcome.HOLD
    patient = GateLimits(odd_new_rows=3)
    assert judge(doubtful, second, before=before, limits=patient).outcome is Outcome.WARN
    both = changed(doubtful, document="2025")
    assert judge(both, before=before, limits=patient).outcome is Outcome.HOLD


def test_broken_characters_in_an_open_column_are_doubtful():
    before = [
        changed(each, makers=(f"{'.' * (n % 60)}M{'.' * (n // 60)}x",))
        for n, each in enumerate(BEFORE)
    ]
    assert judge(a_new_row(makers=("M\ufffd",)), before=before).outcome is Outcome.WARN


def test_equal_fields_are_usual_where_rows_of_that_country_often_are_so():
    domestic = [
        changed(each, makers=(str(each.fields["company"]),))
        if each.fields["country"] == "대한민국" and n % 2
        else each
        for n, each in enumerate(BEFORE)
    ]
    equal = a_new_row(company="가가제약(주)", makers=("가가제약(주)",))
    at_home, abroad = (changed(equal, country=country) for country in ("대한민국", "인도"))
    assert judge(at_home, before=domestic).outcome is Outcome.PASS
    assert judge(abroad, before=domestic).outcome is Outcome.HOLD


def test_a_field_that_was_empty_in_some_accepted_rows_is_not_required():
    before = [changed(each, company="") if n < 4 else each for n, each in enumerate(BEFORE)]
    assert judge(a_new_row(company=""), before=before).outcome is Outcome.PASS
    before = [changed(each, company="") if n < 3 else each for n, each in enumerate(BEFORE)]
    assert judge(a_new_row(company=""), before=before).outcome is Outcome.HOLD


@pytest.mark.parametrize(("n_rows", "outcome"), [(99, Outcome.WARN), (200, Outcome.HOLD)])
def test_in_a_short_list_one_row_with_equal_fields_only_warns(n_rows, outcome):
    equal = a_new_row(company="Maker", makers=("Maker",))
    assert judge(equal, before=BEFORE[:n_rows]).outcome is outcome


def test_numbers_are_left_to_the_gate_that_looks_at_numbers():
    odd = changed(a_new_row(), reg_no="엉뚱한 번호")
    assert judge(odd).outcome is Outcome.PASS


def test_rows_that_return_are_no_new_rows():
    gate = judge()
    assert "새로 올라온 행이 없습니다" in gate.message
