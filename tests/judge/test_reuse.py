"""G-6 and the number behind it: which selectors found the values, and which gave way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.reuse import judge_reuse
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import Deliveries, GaveWay, find_given_way, measure_reuse
from dmf_crawler.model.verdict import Outcome
from tests.judge.test_gates import evidence, rows

ROWS = Delivery("row", 0, "table tbody tr")
NUMBER = Delivery("reg_no", 0, "header_text 등록번호")
COMPANY = Delivery("company", 0, "header_text 신청인, 업체명")
COMPANY_BY_CELL = Delivery("company", 1, "css td.company")
COMPANY_BY_MARK = Delivery("company", 2, "css td[data-field]")
WHOLE = {ROWS: 20, NUMBER: 20, COMPANY: 20}
GONE = {COMPANY: 0, ROWS: 20, NUMBER: 20, COMPANY_BY_CELL: 20}


ALL_GONE = {COMPANY_BY_CELL: 20, ROWS: 20, Delivery("reg_no", 1, "label 등록번호"): 20}
AUTHOR = Delivery("author", 0, "label 담당자")
AUTHOR_BY_CELL = Delivery("author", 1, "css .who dd")


def seen(deliveries: Deliveries, before: Deliveries) -> Evidence:
    given = evidence(rows(20))
    snapshot = replace(given.snapshot, delivered=deliveries)
    labels = {**given.labels, "author": "담당자"}
    return replace(given, snapshot=snapshot, deliveries_before=before, labels=labels)


# --- the number -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deliveries", "rate"),
    [
        (WHOLE, 1.0),
        (GONE, 2 / 3),
        ({COMPANY: 12, NUMBER: 20, COMPANY_BY_CELL: 8}, 1 / 2),
        ({COMPANY_BY_CELL: 20}, 0.0),
        ({NUMBER: 20, COMPANY_BY_CELL: 0}, 1.0),
        ({NUMBER: 0}, None),
        ({}, None),
    ],
)
def test_the_rate_is_the_share_of_fields_that_the_primary_selector_alone_found(deliveries, rate):
    assert measure_reuse(deliveries) == rate


def test_what_gave_way_is_told_with_all_that_served_instead():
    deliveries = {ROWS: 20, COMPANY: 3, COMPANY_BY_CELL: 10, COMPANY_BY_MARK: 7}

    assert find_given_way(deliveries) == (
        GaveWay(
            "company",
            "header_text 신청인, 업체명",
            3,
            (("css td.company", 10), ("css td[data-field]", 7)),
        ),
    )
    assert find_given_way(WHOLE) == ()


# --- the gate ---------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [WHOLE, GONE])
def test_a_list_that_primary_selectors_found_passes(before):
    gate = judge_reuse(seen(WHOLE, before))

    assert (gate.code, gate.outcome, gate.observed, gate.limit) == ("G-6", Outcome.PASS, 1.0, 1.0)


def test_the_first_run_has_nothing_to_compare_with():
    gate = judge_reuse(seen(WHOLE, {}))

    assert (gate.outcome, gate.observed) == (Outcome.PASS, None)
    assert "비교할 채택된 실행이 아직 없습니다" in gate.message


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (WHOLE, "100.0%에서 66.7%로 줄었습니다"),
        (GONE, "지난번과 같이 66.7%뿐입니다"),
        (ALL_GONE, "33.3%에서 66.7%로 늘었으나 아직 모자랍니다"),
        ({}, "읽은 항목이 66.7%입니다"),
    ],
)
def test_a_selector_that_gave_way_is_named_with_what_served_and_what_to_do(before, words):
    gate = judge_reuse(seen(GONE, before))

    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.WARN, 2 / 3, 1.0)
    assert gate.fault_code == ""
    assert words in gate.message
    assert "신청인: 기본 셀렉터(header_text 신청인, 업체명)가 찾지 못해" in gate.message
    assert "예비 셀렉터('css td.company' 20건)로 읽었습니다" in gate.message
    assert "selectors check" in gate.message


def test_a_selector_that_gave_way_on_some_pages_says_how_many_it_still_found():
    gate = judge_reuse(seen({COMPANY: 1200, COMPANY_BY_CELL: 8}, WHOLE))

    assert "기본 셀렉터(header_text 신청인, 업체명)가 1,200건만 찾아" in gate.message


def test_the_rows_themselves_count_and_have_a_name():
    fallback = Delivery("row", 1, "table tr")

    gate = judge_reuse(seen({replace(ROWS): 0, fallback: 20, NUMBER: 20}, WHOLE))

    assert (gate.outcome, gate.observed) == (Outcome.WARN, 0.5)
    assert "행: 기본 셀렉터(table tbody tr)가 찾지 못해" in gate.message


def test_a_rate_that_nobody_measured_never_passes():
    gate = judge_reuse(seen({}, WHOLE))

    assert (gate.outcome, gate.observed) == (Outcome.WARN, None)


def test_a_long_selector_is_shortened():
    long = Delivery("company", 1, "css " + "div > " * 200 + "td")

    gate = judge_reuse(seen({COMPANY: 0, long: 20}, WHOLE))

    assert len(gate.message) < 500


# --- fields of detail pages -------------------------------------------------------------------


def test_a_day_without_detail_pages_is_compared_with_their_lists_alone():
    """Their field had given way when it was last measured; that is no rise of the list's rate."""
    before = {**WHOLE, AUTHOR: 0, AUTHOR_BY_CELL: 9}

    assert judge_reuse(seen(WHOLE, before)).outcome is Outcome.PASS
    assert "100.0%에서 66.7%로 줄었습니다" in judge_reuse(seen(GONE, before)).message


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ({**WHOLE, AUTHOR: 9}, "100.0%에서 75.0%로 줄었습니다"),
        ({**WHOLE, AUTHOR: 0, AUTHOR_BY_CELL: 3}, "지난번과 같이 75.0%뿐입니다"),
        ({**GONE, AUTHOR: 0, AUTHOR_BY_CELL: 3}, "50.0%에서 75.0%로 늘었으나"),
        (WHOLE, "읽은 항목이 75.0%입니다."),
    ],
)
def test_a_field_of_detail_pages_is_compared_with_the_last_time_it_was_measured(before, words):
    gate = judge_reuse(seen({**WHOLE, AUTHOR: 1, AUTHOR_BY_CELL: 8}, before))

    assert (gate.outcome, gate.observed) == (Outcome.WARN, 0.75)
    assert words in gate.message
    assert "담당자: 기본 셀렉터(label 담당자)가 1건만 찾아" in gate.message


def test_a_field_that_gave_way_without_substitute_is_named_where_it_had_values():
    given = seen({**WHOLE, AUTHOR: 0}, {**WHOLE, AUTHOR: 20})
    (first, *others) = given.snapshot.records
    known = {
        key: replace(each, fields={**each.fields, "author": "" if key == first else "홍길동"})
        for key, each in given.known.items()
    }

    gate = judge_reuse(replace(given, known=known))

    assert (gate.outcome, gate.observed) == (Outcome.WARN, 1.0)
    assert f"담당자: 전에는 값이 있던 {len(others)}건의 상세 페이지" in gate.message
    assert "읽은 항목이 100.0%입니다" in gate.message
    assert "값은 모두 읽었으나" not in gate.message
    assert judge_reuse(given).outcome is Outcome.PASS  # it never had one


def test_a_field_that_some_pages_still_have_is_not_lost():
    given = seen({**WHOLE, AUTHOR: 1}, {**WHOLE, AUTHOR: 20})
    known = {
        key: replace(each, fields={**each.fields, "author": "홍길동"})
        for key, each in given.known.items()
    }

    assert judge_reuse(replace(given, known=known)).outcome is Outcome.PASS
