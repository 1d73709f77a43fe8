"""Every strategy finds its field in a list, on its own, and is told from the others."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dmf_crawler.extract.hits import Hits, _count_labels, count_page_hits
from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.table_guard import FoundList, find_list
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from tests.extract.pages import (
    html_page,
    list_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

ROWS = [some_fields(number) for number in (1, 2, 3)]
COMPANIES = ["한국화이자제약(주)"] * 3


def _mapping(**selector: object) -> dict[str, Any]:
    """The shipped selectors, the applicant found by something else."""
    mapping = selectors_mapping()
    fallback = {"strategy": "css", "selector": "td[data-x]"}
    mapping["fields"]["company"] = {"label_ko": "신청인", "fallbacks": [fallback], **selector}
    return mapping


def _companies(html: str, **selector: object) -> list[object]:
    table = read_page(raw_page(html), some_selectors(**_mapping(**selector)))
    assert isinstance(table, PageTable), table
    return [row.fields["company"] for row in table.rows]


def _json_ld(*values: object, **top: object) -> str:
    data = {"@type": "ItemList", "items": [{"item": {"company": value}} for value in values], **top}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


JSON_LD = {"strategy": "json_ld", "path": "items[*].item.company"}


@pytest.mark.parametrize(
    "selector",
    [
        {"strategy": "header_text", "header_aliases": ["신청 인"]},
        {"strategy": "label", "labels": ["신청인"]},
        {"strategy": "css", "selector": "td:has(> span:contains('신청인'))"},
        {"strategy": "xpath", "selector": "./td[span = '신청인']"},
        {"strategy": "xpath", "selector": ".//span[. = '신청인']"},
        {"strategy": "between", "left": "신청인</span>", "right": "</td>"},
    ],
)
def test_a_field_is_found(selector):
    assert _companies(html_page(ROWS), **selector) == COMPANIES


@pytest.mark.parametrize("attribute", ["data-label", "data-title", "data-th", "aria-label"])
def test_a_label_may_be_an_attribute_of_the_cell(attribute):
    html = html_page(ROWS).replace(
        '<td><span class="s-th">신청인</span>', f"<td {attribute}=신청인>"
    )
    html = html.replace("<th>신청인</th>", "<th>이름</th>")
    assert _companies(html, strategy="label", labels=["신청인"]) == COMPANIES


def test_a_label_may_be_a_th_before_the_cell():
    cell = '<td><span class="s-th">신청인</span>'
    html = html_page(ROWS).replace("<th>신청인</th>", "<th>항목</th><th>이름</th>")
    html = html.replace(cell, "<th>신청 인</th><td>")
    mapping = _mapping(strategy="label", labels=["신청인"]) | {"ignored_headers": ["순번", "항목"]}

    table = read_page(raw_page(html), some_selectors(**mapping))

    assert isinstance(table, PageTable), table
    assert [row.fields for row in table.rows] == ROWS
    other = html.replace("<th>신청 인</th><td>", "<th>신청 인</th><th></th><td>")
    fault = read_page(raw_page(other), some_selectors(**mapping))
    assert isinstance(fault, Fault)
    assert (fault.code, "'신청인'" in fault.message) == ("missing_column", True)


def test_a_th_before_the_first_cell_is_a_cell_of_its_own():
    html = html_page(ROWS).replace("<td>2</td>", "<th>순번</th><td>2</td>")

    fault = read_page(raw_page(html), some_selectors())

    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("ragged_row", 4)
    assert "2번째 행에 칸이 16개" in fault.message


def test_what_stands_between_two_delimiters_is_decoded_without_its_tags():
    html = html_page(ROWS).replace("한국화이자제약(주)", "A &amp; B <b>(주)</b> &amp;lt;")
    values = _companies(html, strategy="between", left="신청인</span>", right="</td>")
    assert values == ["A & B (주) &lt;"] * 3


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("<td>", "</td>", id="in every column"),
        pytest.param("</span>화", "</td>", id="in a later column, too"),
        pytest.param("없는 글자", "</td>", id="left is nowhere"),
        pytest.param("신청인</span>", "</zz>", id="right is nowhere"),
        pytest.param("화", "</td>", id="left twice in a cell"),
        pytest.param("</span>", '<span class="s-th">', id="right before left alone"),
    ],
)
def test_delimiters_that_are_not_in_exactly_one_column_find_nothing(left, right):
    rows = [row | {"company": "화이자 화성", "linked_document_no": "화-1"} for row in ROWS]
    html = html_page(rows).replace("<th>신청인</th>", "<th>이름</th>")

    assert (
        _companies(html, strategy="between", left="신청인</span>", right="</td>")
        == ["화이자 화성"] * 3
    )
    selectors = some_selectors(**_mapping(strategy="between", left=left, right=right))
    fault = read_page(raw_page(html), selectors)
    assert isinstance(fault, Fault)
    assert (fault.code, "'신청인'" in fault.message) == ("missing_column", True)


def test_a_value_ends_at_the_first_right_delimiter_behind_the_left_one():
    html = html_page(ROWS).replace("한국화이자제약(주)", "<span>화이자</span><span>제약</span>")

    values = _companies(html, strategy="between", left="신청인</span><span>", right="</span>")

    assert values == ["화이자"] * 3


def test_delimiters_that_miss_one_row_find_nothing():
    between = {"strategy": "between", "left": "신청인</span>", "right": "(주)"}
    html = html_page(ROWS)

    assert _companies(html, **between) == ["한국화이자제약"] * 3
    fault = read_page(
        raw_page(html.replace("(주)", "㈜", 1)), some_selectors(**_mapping(**between))
    )
    assert isinstance(fault, Fault)
    assert fault.code == "missing_column"


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (_json_ld("가", "나", 3), "items[*].item.company"),
        (_json_ld("가", "나", 3), "items.item.company"),
        ("<script type='APPLICATION/LD+JSON'>[" + _json_ld("가", "나", 3).split(">", 1)[1][:-9]
         + "]</script>", "items[*].item.company"),
        (_json_ld() + _json_ld("가", "나", 3), "items[*].item.company"),
    ],
)  # fmt: skip
def test_a_field_may_stand_in_json_ld(script, path):
    html = (
        html_page(ROWS)
        .replace("<th>신청인</th>", "<th>순번</th>")
        .replace("</head>", f"{script}</head>")
    )
    assert _companies(html, strategy="json_ld", path=path) == ["가", "나", "3"]
    with_returns = html.replace("{", "{\n").replace("\n", "\r\n")
    assert _companies(with_returns, strategy="json_ld", path=path) == ["가", "나", "3"]


@pytest.mark.parametrize(
    "script",
    [
        _json_ld("가", "나"),
        _json_ld("가", "나", "다", "라"),
        _json_ld("가", "나", None),
        _json_ld("가", "나", True),
        _json_ld("가", "나", {"name": "다"}),
        "<script type='application/ld+json'>{</script>",
        "<script type='application/ld+json'>" + "[" * 90 + "]" * 90 + "</script>",
        "<script>" + _json_ld("가", "나", "다").split(">", 1)[1],
    ],
)
def test_json_ld_that_has_not_one_value_a_row_finds_nothing(script):
    html = (
        html_page(ROWS)
        .replace("<th>신청인</th>", "<th>순번</th>")
        .replace("</head>", f"{script}</head>")
    )
    fault = read_page(raw_page(html), some_selectors(**_mapping(**JSON_LD)))
    assert isinstance(fault, Fault)
    assert (fault.code, "'신청인'" in fault.message) == ("missing_column", True)


# --- the value ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        ("keep", "한 국\n 화이자 \t제약"),
        ("lines", "한 국\n화이자 제약"),
        ("collapse", "한 국 화이자 제약"),
    ],
)
def test_white_space_inside_a_value_is_as_the_file_says(policy, value):
    html = html_page(ROWS).replace("한국화이자제약(주)", " 한 국\n 화이자 \t제약 ")
    selectors = some_selectors(**_mapping(header_aliases=["신청인"], white_space=policy))
    table = read_page(raw_page(html), selectors)
    assert isinstance(table, PageTable)
    assert table.rows[0].fields["company"] == value
    assert table.rows[0].shown["company"] == " 한 국\n 화이자 \t제약 "


@pytest.mark.parametrize(
    ("nested", "value"),
    [
        ("list", ("Lonza AG", "", "Pfizer")),
        ("join", "Lonza AG\nPfizer"),
        ("first", "Lonza AG"),
    ],
)
def test_a_nested_table_becomes_what_the_file_says(nested, value):
    mapping = selectors_mapping()
    mapping["fields"]["maker_names"]["nested"] = nested
    rows = [row | {"maker_names": ("Lonza AG", "", "Pfizer")} for row in ROWS]
    table = read_page(list_page(rows), some_selectors(**mapping))
    assert isinstance(table, PageTable)
    assert [row.fields["maker_names"] for row in table.rows] == [value] * 3


@pytest.mark.parametrize(
    "cell",
    ["Lonza AG<br>Pfizer", "Lonza AG<br/> Pfizer<br>", "<ul><li>Lonza AG</li><li>Pfizer</ul>",
     "<div>Lonza AG</div>\n<div>Pfizer</div>", "<p>Lonza AG<p>Pfizer"],
)  # fmt: skip
def test_lines_and_blocks_stand_for_the_rows_of_a_nested_table(cell):
    rows = [row | {"maker_names": "@@"} for row in ROWS]
    html = html_page(rows).replace("@@", cell)
    table = read_page(raw_page(html), some_selectors())
    assert isinstance(table, PageTable), table
    assert [row.fields["maker_names"] for row in table.rows] == [("Lonza AG", "Pfizer")] * 3


def test_a_field_may_have_placeholders_of_its_own():
    rows = [row | {"company": "해당없음", "target": "해당없음"} for row in ROWS]
    mapping = _mapping(header_aliases=["신청인"], placeholders=["해당없음"])
    table = read_page(list_page(rows), some_selectors(**mapping))
    assert isinstance(table, PageTable)
    assert [(row.fields["company"], row.fields["target"]) for row in table.rows] == [
        ("", "해당없음")
    ] * 3


# --- what each selector finds ---------------------------------------------------------------------


def test_every_selector_is_tried_on_a_page_whether_it_is_needed_or_not():
    mapping = _mapping(header_aliases=["신청인"], fallbacks=[
        {"strategy": "label", "labels": ["신청인"]},
        {"strategy": "css", "selector": "td"},
        {"strategy": "attr", "selector": "td span", "attr": "class"},
        {"strategy": "between", "left": "신청인</span>", "right": "</td>"},
        JSON_LD,
    ])  # fmt: skip
    html = html_page(ROWS).replace("</head>", f"{_json_ld('가', '나')}</head>")
    label = '<td><span class="s-th">신청인</span>'
    html = html.replace(label, "<td>", 1)
    hits = count_page_hits(raw_page(html), some_selectors(**mapping))
    assert isinstance(hits, Hits)
    assert hits.n_rows == 3
    found = {
        (each.field, each.position): n for each, n in hits.found if each.field in {"company", "row"}
    }
    assert found == {
        ("row", 0): 3, ("row", 1): 3, ("row", 2): 0,
        ("company", 0): 3, ("company", 1): 2, ("company", 2): 0, ("company", 3): 3,
        ("company", 4): 2, ("company", 5): 2,
    }  # fmt: skip
    assert hits.headers["company"] == "신청인"


class _Counted(list[Any]):
    """Notes how often something in it is looked at."""

    n_taken = 0

    def __iter__(self) -> Iterator[Any]:
        for each in super().__iter__():
            self.n_taken += 1
            yield each

    def __contains__(self, each: object) -> bool:
        self.n_taken += len(self)
        return super().__contains__(each)


def test_rows_with_labels_are_counted_without_looking_through_all_rows_for_each_label():
    rows = [some_fields(number) for number in range(1, 51)]
    selectors = some_selectors(drop=["span.s-th", "b.none"])
    document = parse_page(list_page(rows), "</html>")
    assert not isinstance(document, Fault)
    listed = find_list(document, selectors)
    assert isinstance(listed, FoundList)
    counted = _Counted(listed.search.rows)
    found = list(_count_labels(replace(listed.search, rows=counted), selectors))
    assert [n_rows for _, n_rows in found] == [50, 0]
    assert counted.n_taken <= len(rows) * len(found)


def test_tables_that_are_not_the_list_are_told_with_their_reason():
    menu = "<table><caption>메뉴</caption><tr><th>구분</th><th>내용</th></tr></table>"
    hits = count_page_hits(list_page(ROWS, before=menu), some_selectors())
    assert isinstance(hits, Hits)
    assert hits.losers == ("'메뉴' 0/14: 머리글이 모자람",)


def test_a_page_without_the_list_has_no_hits_but_a_reason():
    fault = count_page_hits(raw_page("<p>없음</p></html>"), some_selectors())
    assert isinstance(fault, Fault)
    assert fault.code == "no_table"
