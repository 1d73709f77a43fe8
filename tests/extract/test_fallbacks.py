"""Of several selectors the first that finds anything delivers, and is noted as the one that did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.detail import DetailPage
from dmf_crawler.model.record import Delivery, PageTable, Value
from dmf_crawler.model.run import Fault
from tests.extract.notices import html_detail, notice_mapping, notice_selectors, raw_detail
from tests.extract.pages import (
    html_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)
from tests.extract.workbooks import HEADER, a_workbook, list_row

ROWS = [some_fields(number) for number in (1, 2, 3)]

WAYS: dict[str, dict[str, object]] = {
    "가": {"strategy": "attr", "selector": "td[data-a]", "attr": "data-a"},
    "나": {"strategy": "json_ld", "path": "items[*].name"},
    "다": {"strategy": "attr", "selector": "td[data-b]", "attr": "data-b"},
}
"""What the applicant is called by each way to find it → that way."""

SOURCES = {"가": "attr td[data-a]", "나": "json_ld items[*].name", "다": "attr td[data-b]"}
ORDERS = list(permutations(WAYS))


def _list_html(present: Sequence[str]) -> str:
    """A list whose applicants stand in attributes and in JSON-LD, of each way that is present."""
    data = json.dumps({"items": [{"name": "나"}] * len(ROWS)})
    script = f'<script type="application/ld+json">{data}</script>' if "나" in present else ""
    attributes = "".join(
        f" {WAYS[name]['attr']}={name}" for name in present if "attr" in WAYS[name]
    )
    html = html_page(ROWS).replace("</head>", f"{script}</head>")
    label = '<span class="s-th">대상의약품'
    assert html.count(f"<td>{label}") == len(ROWS)
    return html.replace(f"<td>{label}", f"<td{attributes}>{label}")


def _list_mapping(order: Sequence[str]) -> dict[str, Any]:
    mapping = selectors_mapping()
    first, *others = order
    fallbacks = [WAYS[name] for name in others]
    mapping["fields"]["company"] = {"label_ko": "신청인", **WAYS[first], "fallbacks": fallbacks}
    mapping["ignored_headers"] = ["순번", "신청인"]
    return mapping


def _read_list(html: str, mapping: dict[str, Any]) -> PageTable | Fault:
    return read_page(raw_page(html), some_selectors(**mapping))


@pytest.mark.parametrize("order", ORDERS, ids="".join)
@pytest.mark.parametrize("n_gone", [0, 1, 2])
def test_in_a_list_the_first_that_finds_the_field_delivers_it_and_is_noted(order, n_gone):
    table = _read_list(_list_html(order[n_gone:]), _list_mapping(order))

    assert isinstance(table, PageTable), table
    served = order[n_gone]
    assert [row.fields["company"] for row in table.rows] == [served] * 3
    noted = [each for each in table.delivered if each.field == "company"]
    assert noted == [Delivery("company", n_gone, SOURCES[served])]


def test_a_list_in_which_none_finds_the_field_lacks_it():
    fault = _read_list(_list_html(()), _list_mapping(ORDERS[0]))

    assert isinstance(fault, Fault)
    assert fault.code == "missing_column"


def test_where_all_find_the_very_same_cells_the_primary_is_noted():
    table = _read_list(html_page(ROWS), selectors_mapping())

    assert isinstance(table, PageTable)
    noted = [each for each in table.delivered if each.field == "company"]
    assert noted == [Delivery("company", 0, "header_text 신청인, 업체명, 등록업체")]


@pytest.mark.parametrize(
    ("selectors", "position", "numbers"),
    [
        (("tr.a", "tr.b", "tr.c"), 0, ["1"]),
        (("tr.x", "tr.b", "tr.c"), 1, ["2"]),
        (("tr.x", "tr.y", "tr.c"), 2, ["3"]),
    ],
)
def test_the_first_selector_that_finds_rows_says_which_rows_there_are(selectors, position, numbers):
    html = html_page(ROWS)
    for number, name in zip("123", "abc", strict=True):
        html = html.replace(f"<tr>\n<td>{number}</td>", f"<tr class={name}><td>{number}</td>")
    row = {"primary": selectors[0], "fallbacks": list(selectors[1:])}

    table = _read_list(html, selectors_mapping() | {"row": row})

    assert isinstance(table, PageTable), table
    assert [str(each.fields["reg_no"])[-1] for each in table.rows] == numbers
    noted = [each for each in table.delivered if each.field == "row"]
    assert noted == [Delivery("row", position, f"css {selectors[position]}")]


# --- detail pages ------------------------------------------------------------------------------

DETAIL_WAYS: dict[str, dict[str, object]] = {
    "가": {"strategy": "css", "selector": "b.a"},
    "나": {"strategy": "json_ld", "path": "author"},
    "다": {"strategy": "between", "left": "<u>", "right": "</u>"},
}
DETAIL_HTML = {
    "가": "<b class=a>가</b>",
    "나": '<script type="application/ld+json">{"author": "나"}</script>',
    "다": "<u>다</u>",
}


def _read_author(html: str, order: Sequence[str], **changes: object) -> Value:
    first, *others = order
    field = {**DETAIL_WAYS[first], "fallbacks": [DETAIL_WAYS[name] for name in others], **changes}
    details = notice_mapping()["details"] | {"fields": {"author": field}}
    page = read_detail(raw_detail(html_detail(html)), notice_selectors(details=details))
    assert isinstance(page, DetailPage), page
    return page.fields["author"]


@pytest.mark.parametrize("order", ORDERS, ids="".join)
@pytest.mark.parametrize("n_gone", [0, 1, 2])
def test_on_a_detail_page_the_first_that_finds_the_field_delivers_it(order, n_gone):
    html = "글" + "".join(DETAIL_HTML[name] for name in order[n_gone:])

    assert _read_author(html, order) == order[n_gone]


def test_what_is_found_twice_on_a_detail_page_gives_way_and_what_is_found_empty_does_not():
    others = DETAIL_HTML["나"] + DETAIL_HTML["다"]

    assert _read_author(2 * DETAIL_HTML["가"] + others, "가나다") == "나"
    assert _read_author("글<b class=a> </b>" + others, "가나다") == ""


# --- the workbook ------------------------------------------------------------------------------


def _workbook(*headers: str) -> bytes:
    """A workbook whose applicant stands under the first header, and again under the others."""
    at = HEADER.index("신청인")
    header, row = [*HEADER], list_row(1, some_fields(company="대웅"))
    header[at : at + 1] = headers
    row[at : at + 1] = [f"{name} 대웅" for name in headers]
    return a_workbook([header, row])


def _read_workbook(body: bytes) -> PageTable | Fault:
    mapping = selectors_mapping()
    mapping["fields"]["company"]["fallbacks"] = [
        {"strategy": "css", "selector": "td.company"},
        {"strategy": "header_text", "header_aliases": ["업체"]},
        {"strategy": "header_text", "header_aliases": ["회사"]},
    ]
    return read_workbook(raw_page(body), some_selectors(**mapping), most_rows=10)


@pytest.mark.parametrize(("header", "position"), [("업체명", 0), ("업체", 2), ("회사", 3)])
def test_the_header_that_names_a_column_of_the_workbook_is_noted(header, position):
    table = _read_workbook(_workbook(header))

    assert isinstance(table, PageTable), table
    assert table.rows[0].fields["company"] == f"{header} 대웅"
    noted = [each for each in table.delivered if each.field == "company"]
    assert noted == [Delivery("company", position, f"export {header}")]


@pytest.mark.parametrize("headers", [("업체", "회사"), ("회사", "업체")])
def test_of_two_headers_of_the_workbook_the_first_fallbacks_is_taken(headers):
    fault = _read_workbook(_workbook(*headers))

    assert isinstance(fault, Fault)
    assert fault.code == "unknown_column"
    assert "'회사'" in fault.message
    assert "'업체'" not in fault.message


# --- the announced total, and an empty list ----------------------------------------------------


def _read_total(count: str, *patterns: str) -> PageTable | Fault:
    html = html_page(ROWS)
    start, end = html.index('<p title="총'), html.index("<table")
    html = html[:start] + count + html[end:]
    return _read_list(html, selectors_mapping() | {"total": {"patterns": list(patterns)}})


@pytest.mark.parametrize("count", ["<p>전체 3건</p>", "<p>3 records</p>", "<p title='전체 3건'>"])
def test_each_pattern_of_the_file_finds_the_total(count):
    table = _read_total(count, r"전체\s*(\d+)건", r"([0-9,]+) records")

    assert isinstance(table, PageTable), table
    assert table.announced_total == 3


def test_the_patterns_of_the_file_are_the_only_ones():
    fault = _read_total("<p>총 3 건</p>", r"전체 (\d+)건", r"(\d+) records")

    assert isinstance(fault, Fault)
    assert fault.code == "no_total"
    assert r"total.patterns(전체 (\d+)건, (\d+) records)" in fault.message


def test_patterns_that_agree_are_one_total_and_others_are_told_in_the_order_of_the_file():
    patterns = (r"(\d+) records", r"전체 (\d+)건")
    table = _read_total("<p>전체 3건, 3 records</p>", *patterns)
    fault = _read_total("<p>전체 3건, 4 records</p>", *patterns)

    assert isinstance(table, PageTable), table
    assert table.announced_total == 3
    assert isinstance(fault, Fault)
    assert fault.code == "ambiguous_total"
    assert "(4, 3)" in fault.message


def _read_empty(text: str, *no_result: str) -> PageTable | Fault:
    html = html_page([], 0)
    row = f"<tbody><tr><td colspan=15>{text}</td></tr></tbody>"
    assert "<tbody></tbody>" in html
    html = html.replace("<tbody></tbody>", row)
    return _read_list(html, selectors_mapping() | {"no_result": list(no_result)})


@pytest.mark.parametrize("text", ["등록된 글 이 없습니다", "알림: 자료없음.", "<b>자료 없음</b>"])
def test_each_text_of_the_file_says_that_the_list_is_empty(text):
    table = _read_empty(text, "등록된 글이 없습니다", "자료 없음")

    assert isinstance(table, PageTable), table
    assert table.rows == ()


@pytest.mark.parametrize("no_result", [(), ("등록된 글이 없습니다", "자료 없음")])
def test_the_texts_of_the_file_are_the_only_ones(no_result):
    fault = _read_empty("조회 결과가 없습니다", *no_result)

    assert isinstance(fault, Fault)
    assert fault.code == "ragged_row"
