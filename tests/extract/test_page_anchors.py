"""What the attributes of a page would find in place of a class."""

from itertools import count
from typing import Any

import pytest

from dmf_crawler.extract.hits import Hits, count_page_hits
from dmf_crawler.extract.page_anchors import PageAnchors
from tests.extract.pages import html_page, raw_page, selectors_mapping, some_fields, some_selectors

LABEL = '<td><span class="s-th">신청인</span>'
ROWS = [some_fields(n, company=f"회사{n}") for n in (1, 2, 3)]


def _mapping(strategy: str = "css", selector: str = "td.company", **keys: Any) -> dict[str, Any]:
    mapping = selectors_mapping()
    mapping["fields"]["company"] = {
        "label_ko": "신청인",
        "strategy": strategy,
        "selector": selector,
        "fallbacks": [{"strategy": "css", "selector": "td"}],
        **keys,
    }
    return mapping


def _anchors(html: str, mapping: dict[str, Any]) -> dict[str, PageAnchors]:
    hits = count_page_hits(raw_page(html), some_selectors(**mapping))
    assert isinstance(hits, Hits), hits
    return hits.anchors


def _of_company(html: str, mapping: dict[str, Any] | None = None) -> set[str]:
    return set(_anchors(html, mapping or _mapping())["company"].usable)


def _page(cell: str, rows: list[dict[str, Any]] | None = None) -> str:
    """A page whose cells of applicants are written so, `{n}` the number of the row."""
    html, numbers = html_page(rows or ROWS), count(1)
    while LABEL in html:
        html = html.replace(LABEL, cell.format(n=next(numbers)), 1)
    return html


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('<td class=company data-field="company">', {'data-field="company"'}),
        ("<td class=company itemprop=name>", {'itemprop="name"'}),
        ("<td class=company id=company data-x=y>", {'id="company"', 'data-x="y"'}),
        ("<td class=company id=row_{n}>", set()),
        ("<td class=company data-id=a{n} data-name=회사{n}>", set()),
        ('<td class=company data-col="4">', set()),
        ("<td class=company data-x>", set()),
        ("<td class=company data-x=" + "y" * 81 + ">", set()),
        ("<td class=company title=신청인 role=cell>", set()),
        ("<td class=company>", set()),
    ],
)
def test_an_attribute_names_a_field_that_says_the_same_in_every_row(cell, expected):
    assert _of_company(_page(cell)) == expected


def test_an_attribute_of_another_cell_too_names_none():
    html = _page("<td class=company data-x=y data-field=company>")
    one = html.replace('<td><span class="s-th">성분명', '<td data-x=y><span class="s-th">성분명', 1)
    assert _of_company(html) == {'data-field="company"', 'data-x="y"'}
    assert _of_company(one) == {'data-field="company"'}


def test_an_attribute_that_one_row_lacks_names_none():
    html = _page("<td class=company data-field=company>")
    assert _of_company(html.replace(" data-field=company", "", 1)) == set()


def test_rows_in_which_the_selector_finds_nothing_say_nothing():
    html = _page("<td class=company data-field=company>")
    one = html.replace("<td class=company data-field=company>", "<td>", 1)
    assert _of_company(one) == {'data-field="company"'}
    assert "company" not in _anchors(html_page(ROWS), _mapping())


def test_an_attribute_may_be_the_value_where_all_values_are_the_same():
    rows = [row | {"company": "한국화이자제약(주)"} for row in ROWS]
    html = _page("<td class=company data-code=pfizer>", rows)
    assert _of_company(html) == set()
    assert _anchors(html, _mapping())["company"].attributes == {'data-code="pfizer"'}


def test_the_cell_around_what_is_found_counts_the_row_around_it_does_not():
    html = _page("<td data-field=company><b class=company data-in=side>").replace(
        "<tr>\n<td>", "<tr data-kind=item>\n<td>"
    )
    mapping = _mapping(selector="td > .company")
    assert _of_company(html, mapping) == {'data-field="company"', 'data-in="side"'}


def test_several_elements_in_a_row_have_no_anchor():
    html = _page("<td data-field=company><a class=view href=/{n}></a><b class=view>")
    mapping = _mapping("attr", ".view", attr="href")
    assert _of_company(html, mapping) == set()
    assert _of_company(html.replace("<b class=view>", "<b>"), mapping) == {'data-field="company"'}


def test_of_an_attribute_its_value_must_differ():
    html = _page("<td><a class=view data-view=post href=/bbs/{n}>글</a>")
    mapping = _mapping("attr", "a.view", attr="href")
    assert _of_company(html, mapping) == {'data-view="post"'}
    assert _of_company(html.replace("/bbs/2", "/bbs/1").replace("/bbs/3", "/bbs/1"), mapping) == (
        set()
    )


def test_an_xpath_is_looked_at_too_and_what_hangs_on_no_class_is_not():
    html = _page("<td class=company data-field=company>")
    path = "./td[contains(concat(' ', normalize-space(@class), ' '), ' company ')]"
    assert _of_company(html, _mapping("xpath", path)) == {'data-field="company"'}
    assert _anchors(html, _mapping("css", "td[data-field=company]")) == {}
    assert _anchors(html, selectors_mapping()) == {}


# --- rows -----------------------------------------------------------------------------------------


def _of_rows(html: str, primary: str) -> set[str]:
    mapping = selectors_mapping()
    mapping["row"] |= {"primary": primary, "fallbacks": ["table tr"]}
    return set(_anchors(html, mapping)["row"].usable)


def _with_rows(tag: str, rows: list[dict[str, Any]] | None = None) -> str:
    html, numbers = html_page(rows or ROWS), count(1)
    while "<tr>\n" in html:
        html = html.replace("<tr>\n", tag.format(n=next(numbers)), 1)
    return html


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<tr class=item data-row={n}>", {"data-row"}),
        ("<tr class=item data-kind=item>", {"data-kind", 'data-kind="item"'}),
        ("<tr class=item itemprop=itemListElement>", {"itemprop", 'itemprop="itemListElement"'}),
        ("<tr class=item id=row_{n}>", set()),
        ("<tr class=item id=row>", set()),
        ("<tr class=item>", set()),
    ],
)
def test_an_attribute_of_every_row_finds_the_rows(tag, expected):
    assert _of_rows(_with_rows(tag), "tr.item") == expected


def test_an_attribute_of_other_rows_of_the_list_too_does_not():
    html = _with_rows("<tr class=item data-row={n} data-kind=item>")
    other = html.replace("class=item data-row=1 data-kind=item", "data-row=1 data-kind=ad", 1)
    assert _of_rows(other, "tr.item") == {'data-kind="item"'}


def test_an_attribute_that_one_row_lacks_does_not():
    html = _with_rows("<tr class=item data-row={n}>")
    assert _of_rows(html.replace(" data-row=1", ""), "tr.item") == set()


def test_the_table_of_all_rows_and_its_parts_may_have_an_id():
    html = html_page(ROWS).replace('class="tb_list"', 'class="tb_list" id="boardList" data-n="3"')
    html = html.replace("<tbody><tr>\n", '<tbody data-list="dmf"><tr>\n', 1)
    both = {'id="boardList"', 'data-list="dmf"'}
    assert _of_rows(html, ".tb_list tr") == both
    twice = html.replace("</body>", '<p id="boardList"></p></body>')
    assert _of_rows(twice, ".tb_list tr") == {'data-list="dmf"'}
    some = html.replace("<tr>\n<td>2<", "<tr class=ad>\n<td>2<")
    assert _of_rows(some, ".tb_list tr:not(.ad)") == set()
    wrapped = html_page(ROWS).replace("<table class", '<div id="wrap"><table class')
    assert _of_rows(wrapped, ".tb_list tr") == set()


def test_a_class_that_finds_no_row_has_no_anchor():
    mapping = selectors_mapping()
    mapping["row"] |= {"primary": "tr.none", "fallbacks": ["table tr"]}
    assert _anchors(html_page(ROWS), mapping) == {}


# --- several pages --------------------------------------------------------------------------------


def test_what_holds_on_two_pages_holds_on_each():
    one = PageAnchors(frozenset({"data-a", "data-b"}), frozenset({"가"}))
    other = PageAnchors(frozenset({"data-b", "data-c"}), frozenset({"나", "다"}))
    assert (one.usable, one.join(one).usable) == (frozenset(), frozenset())
    assert one.join(other).usable == other.join(one).usable == {"data-b"}
    assert len(one.join(other).texts) == 2
