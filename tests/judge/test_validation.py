"""G-4, the part that holds every value against the rules of its field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from dmf_crawler.judge.evidence import Evidence, ValueRule
from dmf_crawler.judge.known_values import shape_of
from dmf_crawler.judge.validation import InvalidValue, find_invalid
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import Record, Value
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.settings import GateLimits
from tests.judge.test_gates import LIMITS, evidence, judge, known, rows

DAY = ValueRule("registered_on", "최초등록일자", date_formats=("%Y-%m-%d", "%Y.%m.%d"))
YEAR = ValueRule("report_year", "연차보고년도", pattern=re.compile(r"^\d{4}$"))
COUNTRY = ValueRule("country", "제조국가", words=frozenset({"인도", "중국"}))
NAME = ValueRule("company", "신청인", min_length=3, max_length=5)
NUMBER = ValueRule("reg_no", "등록번호", is_unique=True)


def a_list(field: str, *values: Value) -> dict[str, Record]:
    """Return records A, B, C … that have one field."""
    keyed = zip("ABCDEFGH", values, strict=False)
    return {key: Record(key, {field: value}) for key, value in keyed}


def accepted(records: Mapping[str, Record]) -> dict[str, KnownRecord]:
    return {key: KnownRecord(key, each.fields, is_current=True) for key, each in records.items()}


def reasons(rule: ValueRule, *values: Value) -> list[str]:
    """Return which rule each of the values breaks in a first list."""
    records = a_list(rule.field, *values)
    found = {each.key: each.why for each in find_invalid(rule, records, {})}
    return [found.get(key, "") for key in records]


# --- one value --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "day",
    [
        "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-1-5", "26-01-05", "20260105",
        "2026-01-05 ", "2026-01-05\n", " 2026-01-05", "2026/01/05", "2026-01-05T00:00", "미정",
        "２０２６-01-05", "2026–01–05", "0000-01-01", "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_day_of_the_calendar_in_one_of_the_forms_is_no_date(day):
    assert reasons(DAY, day) == ["날짜"]


@pytest.mark.parametrize("day", ["2026-01-05", "2024-02-29", "2026.12.31", "1999-12-31"])
def test_a_day_in_any_of_the_forms_is_a_date(day):
    assert reasons(DAY, day) == [""]


@pytest.mark.parametrize(
    ("rule", "values", "expected"),
    [
        (YEAR, ["2026", "26", "2026\n", "2026년", "年"], ["", "형식", "형식", "형식", "형식"]),
        (COUNTRY, ["인도", "인 도", "인도네시아"], ["", "", "정해진 값"]),
        (NAME, ["가나", "가나다", "가나다라마", "가나다라마바"], ["길이", "", "", "길이"]),
        (replace(NAME, min_length=None), ["가", "가나다라마바"], ["", "길이"]),
        (replace(NAME, max_length=None), ["가", "가" * 9999], ["길이", ""]),
        (replace(NAME, min_length=0, max_length=0), ["가"], ["길이"]),
        (NUMBER, ["1", "2", "1", "1 "], ["중복", "", "중복", ""]),
    ],
)
def test_each_rule_is_held_against_the_whole_value(rule, values, expected):
    assert reasons(rule, *values) == expected


@pytest.mark.parametrize("rule", [DAY, YEAR, COUNTRY, NAME, NUMBER], ids=lambda rule: rule.field)
def test_an_empty_value_breaks_no_rule(rule):
    assert reasons(rule, "", "", (), ("", "")) == ["", "", "", ""]
    assert find_invalid(rule, {"A": Record("A", {})}, {}) == []


def test_of_a_list_each_element_is_held_against_the_rule():
    assert reasons(NAME, ("가나다", "가"), ("가나다", "라마바"), ("", "가나다")) == ["길이", "", ""]
    (invalid,) = find_invalid(COUNTRY, a_list("country", ("인도", "화성", "목성")), {})
    assert invalid == InvalidValue("A", "화성", "정해진 값")


def test_one_record_may_say_the_same_twice_where_no_two_may():
    assert reasons(NUMBER, ("1", "1"), ("2",), ("2", "3")) == ["", "중복", "중복"]


# --- what was accepted before -----------------------------------------------------------------


def test_the_very_value_that_was_accepted_is_not_told_again():
    records = a_list("registered_on", "미정", "2026-02-30", ("미정",))

    assert len(find_invalid(DAY, records, {})) == 3
    assert find_invalid(DAY, records, accepted(records)) == []


def test_an_odd_value_of_the_shape_that_was_odd_before_is_known():
    before = accepted(a_list("registered_on", "2025.7", "2025.7", "2025-07-01", "미정"))
    now = a_list("registered_on", "2026.11", "2026-11", "2026-13-01", "2026.11")

    assert [each.key for each in find_invalid(DAY, now, before)] == ["B", "C", "D"]


def test_the_shape_of_a_value_that_was_right_excuses_no_wrong_one():
    before = accepted(a_list("registered_on", "2026-01-05"))

    assert find_invalid(DAY, a_list("registered_on", "2026-05-99"), before)


def test_another_odd_word_is_told_though_all_words_have_one_shape():
    before = accepted(a_list("country", "화성"))

    assert find_invalid(COUNTRY, a_list("country", "목성"), before)


def test_a_value_is_known_for_its_own_key_alone():
    before = accepted(a_list("registered_on", "미정"))
    now = a_list("registered_on", "미정", "미정")

    assert [each.key for each in find_invalid(DAY, now, before)] == ["B"]


def test_of_a_number_that_a_new_record_shares_the_new_one_is_told():
    before = accepted(a_list("reg_no", "1"))

    (invalid,) = find_invalid(NUMBER, a_list("reg_no", "1", "1"), before)

    assert (invalid.key, invalid.why) == ("B", "중복")


def test_a_list_that_gained_an_odd_element_is_told_of_that_one():
    before = accepted(a_list("country", ("화성", "인도")))

    (invalid,) = find_invalid(COUNTRY, a_list("country", ("인도", "화성", "목성")), before)

    assert invalid.text == "목성"


@pytest.mark.parametrize(
    ("text", "shape"), [("수6580-16-ND(19)", "가9-9-A(9)"), ("v0.1 판", "A9.9_가"), ("", "")]
)
def test_a_shape_is_what_kinds_of_characters_follow_each_other(text, shape):
    assert shape_of(text) == shape


# --- the gate ---------------------------------------------------------------------------------


def with_days(
    n_odd: int, n_rows: int = 100, *, rules: tuple[ValueRule, ...] = (DAY,), first: bool = True
) -> Evidence:
    """Return a list in which so many records have no day of registration that is one."""
    days = [f"어제{n}" if n < n_odd else "2026-01-05" for n in range(n_rows)]
    records = [
        replace(row, fields={**row.fields, "registered_on": day})
        for row, day in zip(rows(n_rows), days, strict=True)
    ]
    given = evidence(records, known_before=known("1000-001") if first else None)
    return replace(given, rules=rules)


@pytest.mark.parametrize(
    ("n_odd", "outcome"),
    [
        (0, Outcome.PASS),
        (1, Outcome.WARN),
        (5, Outcome.WARN),
        (6, Outcome.HOLD),
        (99, Outcome.HOLD),
    ],
)
def test_more_than_five_of_a_hundred_values_that_break_a_rule_are_held(n_odd, outcome):
    gate = judge(with_days(n_odd), "G-4")

    assert gate.outcome is outcome
    if n_odd:
        assert (gate.observed, gate.limit) == (n_odd / 100, 0.05)
        assert f"최초등록일자 값 {n_odd}건" in gate.message
        shown = ", ".join(f"'어제{n}'({1000 + n}-001, 날짜)" for n in range(min(n_odd, 3)))
        assert shown in gate.message
        assert "어제3" not in gate.message
    assert gate.fault_code == ("invalid_values" if outcome is Outcome.HOLD else "")


def test_the_limit_is_a_setting():
    assert judge(with_days(6), "G-4", GateLimits(invalid_ratio=0.06)).outcome is Outcome.WARN
    assert judge(with_days(1), "G-4", GateLimits(invalid_ratio=0.0)).outcome is Outcome.HOLD


def test_a_share_just_above_the_limit_does_not_read_like_the_limit():
    gate = judge(with_days(601, 12_000), "G-4")

    assert gate.outcome is Outcome.HOLD
    assert "601건(5.01%)" in gate.message


def test_what_was_accepted_is_neither_told_nor_held_on_the_next_day():
    gate = judge(with_days(99, first=False), "G-4")

    assert (gate.outcome, gate.observed) == (Outcome.PASS, 1.0)


def test_the_field_with_most_of_them_is_held():
    shorter = replace(NAME, max_length=4)  # each name has more; that of one key is known
    gate = judge(with_days(6, rules=(DAY, shorter)), "G-4")

    assert (gate.outcome, gate.observed) == (Outcome.HOLD, 0.99)
    assert gate.message.startswith("신청인 값 99건(99.00%)")


def test_several_fields_are_told_one_after_the_other_and_not_without_end():
    rules = tuple(replace(DAY, label_ko=f"항목{n}") for n in range(8))

    gate = judge(with_days(1, rules=rules), "G-4")

    assert gate.outcome is Outcome.WARN
    assert [f"항목{n} " in gate.message for n in range(8)] == [n < 5 for n in range(8)]
    assert "그 밖에 3개 항목" in gate.message


def test_what_numbers_say_is_told_first_and_keeps_its_number():
    given = with_days(1)
    odd = Record("DMF-7", {"reg_no": "DMF-7", "company": "가나제약(주)"})
    snapshot = replace(given.snapshot, records={**given.snapshot.records, odd.key: odd})

    gate = judge(replace(given, snapshot=snapshot), "G-4")

    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.WARN, 100 / 101, 0.95)
    first, second = gate.message.index("처음 보는 형식"), gate.message.index("최초등록일자 값 1건")
    assert first < second


def gate_with(given: Evidence, **changes: object) -> Gate:
    return judge(replace(given, **changes), "G-4", LIMITS)  # type: ignore[arg-type]


def test_numbers_off_their_pattern_and_unknown_statuses_come_before_the_rules():
    given = with_days(50)
    first, *others = given.snapshot.records.values()
    odd = replace(first, fields={**first.fields, "status": "자진취하"})
    snapshot = replace(given.snapshot, records={each.key: each for each in (odd, *others)})

    assert gate_with(given, number_pattern=re.compile("x")).fault_code == "pattern_mismatch"
    assert gate_with(given, snapshot=snapshot).fault_code == "unknown_status"
    assert gate_with(given, number_pattern=None).fault_code == "invalid_values"


def test_a_long_value_is_shortened_and_stays_on_one_line():
    (invalid,) = find_invalid(DAY, a_list("registered_on", "가\n나\t" + "다" * 3000), {})

    assert str(invalid) == f"'가 나 {'다' * 56}…'(A, 날짜)"
