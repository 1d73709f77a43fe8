"""A selector that will not survive a redesign is refused, and told why."""

from typing import Any

import msgspec
import pytest

from dmf_crawler.extract.page_anchors import PageAnchors
from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selector_lint import (
    LintFinding,
    lint_anchors,
    lint_headers,
    lint_selectors,
)
from dmf_crawler.extract.selectors_file import SelectorsFile
from tests.extract.notices import notice_mapping
from tests.extract.pages import selectors_mapping


def _lint(mapping: dict[str, Any]) -> list[LintFinding]:
    file = msgspec.convert(mapping, SelectorsFile)
    assert check_selectors(file) == []
    return lint_selectors(file)


def _with_company(**selector: object) -> dict[str, Any]:
    mapping = selectors_mapping()
    mapping["fields"]["company"] = {"label_ko": "신청인", **selector}
    return mapping


def _with_fallback(strategy: str, text: str) -> dict[str, Any]:
    return _with_company(
        header_aliases=["신청인"], fallbacks=[{"strategy": strategy, "selector": text}]
    )


@pytest.mark.parametrize("make_mapping", [selectors_mapping, notice_mapping])
def test_nothing_is_to_be_said_of_the_shipped_files(make_mapping):
    assert _lint(make_mapping()) == []


@pytest.mark.parametrize(
    ("strategy", "text", "word"),
    [
        ("xpath", "/html/body/table", "절대"),
        ("xpath", "//td[@data-field='company']", "절대"),
        ("xpath", "(//td)[@data-field='company']", "절대"),
        ("xpath", "./td | //td", "절대"),
        ("xpath", "./td[/html]", "절대"),
        ("xpath", "id('company')", "절대"),
        ("xpath", "id ('company')", "절대"),
        ("xpath", ".//td[. = id('company')]", "절대"),
        ("xpath", "(//td)", "절대"),
        ("xpath", ".//td | //td", "절대"),
        ("xpath", "./td or /html", "절대"),
        ("xpath", "./td or/html", "절대"),
        ("xpath", "/descendant::td", "절대"),
        ("xpath", "td[count(//tr) > 1]", "절대"),
        ("xpath", "ancestor::html//td", "절대"),
        ("xpath", "ancestor-or-self::body/descendant::td", "절대"),
        ("xpath", "ancestor::*//td[@data-field='company']", "절대"),
        ("xpath", "ancestor :: node()[not(..)]//td", "절대"),
        ("xpath", "./td[5]", "몇 번째"),
        ("xpath", "./td[position() = 5]", "몇 번째"),
        ("xpath", "./td[last()]", "몇 번째"),
        ("xpath", "./td[5.0]", "몇 번째"),
        ("xpath", "./td[ (5) ]", "몇 번째"),
        ("xpath", "./td[4+1]", "몇 번째"),
        ("xpath", "./td[- -5]", "몇 번째"),
        ("xpath", "./td[10 div 2]", "몇 번째"),
        ("xpath", "(./td)[5]", "몇 번째"),
        ("xpath", "(./td)[5]/a", "몇 번째"),
        ("xpath", "./td[number(3)]", "몇 번째"),
        ("xpath", "./td[string-length('12345')]", "몇 번째"),
        ("xpath", "./td[count(../th)]", "몇 번째"),
        ("xpath", "./td[last ( )]", "몇 번째"),
        ("xpath", "./td[position () = 5]", "몇 번째"),
        ("xpath", "./td[not(position() != 5)]", "몇 번째"),
        ("xpath", "./td[count(preceding-sibling::td)=4]", "몇 번째"),
        ("xpath", "./td[count(preceding::td | preceding::th) mod 15 = 4]", "몇 번째"),
        ("xpath", "./td[sum(following-sibling::td/@colspan) = 4]", "몇 번째"),
        ("xpath", "./td[not(preceding-sibling::td)]", "몇 번째"),
        ("xpath", "./td[not(@data-x) and not(following-sibling::*)]", "몇 번째"),
        ("xpath", "./th/following-sibling::td/following-sibling::td", "몇 번째"),
        ("xpath", "./td[span[2] = '신청인']", "몇 번째"),
        ("css", "td:nth-child(5)", "몇 번째"),
        ("css", "td:nth-of-type(5) a", "몇 번째"),
        ("css", "td:NTH-LAST-CHILD(2)", "몇 번째"),
        ("css", "td:has(> span:nth-child(1))", "몇 번째"),
        ("css", "td:is(:nth-child(5))", "몇 번째"),
        ("css", "td:is(.company, td:Nth-Of-Type(5))", "몇 번째"),
        ("css", "td:where(td:nth-last-of-type(5)) a", "몇 번째"),
        ("css", "td:not(:nth-child(n+2))", "몇 번째"),
        ("css", "td:has(a, :is(:has(b:nth-child(2))))", "몇 번째"),
        ("css", "td:first-child > a", "몇 번째"),
        ("css", "td:LAST-child", "몇 번째"),
        ("css", "td:first-of-type", "몇 번째"),
        ("css", "td:not(td:last-of-type)", "몇 번째"),
        ("css", "td:not(td ~ td)", "몇 번째"),
        ("css", "td:not(:has(+ td))", "몇 번째"),
        ("css", "th + td + td", "몇 번째"),
        ("css", "td:has(+ td ~ td)", "몇 번째"),
        ("css", "div > div > div > div > div > td", "6개"),
        ("css", "td:has(a b i u s)", "6개"),
        ("css", "tr td:has(> a b, > b i u s)", "6개"),
        ("css", "td:not(a b:has(i u s em) td)", "6개"),
        ("css", "td:is(:has(a b i u s))", "6개"),
        ("xpath", "./a/b/c/d/e/f", "6개"),
        ("xpath", "./a/b/c[d/e/f]", "6개"),
        ("xpath", "./a[b[c/d[e/f]]]", "6개"),
        ("xpath", "./td[not(.//a/b) or count(a/b/c/d/e) > 1]", "6개"),
        ("xpath", "(./a/b/c)[@data-x]/d[e/f = '신청인']", "6개"),
    ],
)
def test_what_breaks_with_the_next_redesign_is_refused(strategy, text, word):
    (finding,) = _lint(_with_fallback(strategy, text))
    assert finding.is_refused
    assert finding.key == ("fields", "company", "fallbacks", 0, "selector")
    assert finding.found == text
    assert word in finding.why


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("css", "td td td td"),
        ("css", "tbody > tr td a span"),
        ("xpath", "./a/b/c/d"),
        ("xpath", ".//a/b//c/d/e"),
        ("css", "td:has(a b i)"),
        ("css", "tr td:has(> a b)"),
        ("xpath", "./td[a/b/c]"),
        ("xpath", "./td[@data-x and a/b[c = '신청인']]/@data-y"),
    ],
)
def test_a_chain_of_more_than_three_steps_is_advised_against(strategy, text):
    (finding,) = _lint(_with_fallback(strategy, text))
    assert not finding.is_refused
    assert "권장" in finding.why


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("xpath", "./td[@data-field='company']"),
        ("xpath", ".//td[span[contains(., '/신청인[2]')]]"),
        ("xpath", ".//a[contains(@href, '//')]"),
        ("xpath", "td[.//span]"),
        ("xpath", "./td /a"),
        ("xpath", "./td[a/ b]"),
        ("xpath", "./td[* /b = 2 div 1]"),
        ("xpath", "./td['5' and @data-x]"),
        ("xpath", "./td[. = '[5] position() /html']"),
        ("xpath", "./td[@rowspan = 2]"),
        ("xpath", "./td[@colspan = 1 + 1]"),
        ("xpath", "./td[string-length(.) > 3]"),
        ("xpath", "./td[count(a) = 1]"),
        ("xpath", "./td[substring(., 1, 2) = '주)']"),
        ("xpath", "./td[preceding-sibling::th]"),
        ("xpath", "./td[string-length(preceding-sibling::th) > 3]"),
        ("xpath", "./td[not(a[preceding-sibling::b])]"),
        ("xpath", "./th/following-sibling::td[@data-field='x']/following-sibling::td"),
        ("xpath", "./td/a/b[text() = '신청인']"),
        ("xpath", "./td[not(preceding-sibling::td[@data-field='company'])]"),
        ("xpath", "./th[. = '신청인']/following-sibling::td"),
        ("xpath", "./td[ancestor::table[@id='boardList']]"),
        ("xpath", "./td[ancestor::*[@id='boardList']]"),
        ("xpath", "./div[mod/div]"),
        ("css", 'td:has(> span.s-th:contains("신청인"))'),
        ("css", "td:only-child"),
        ("css", "td:not(td:only-of-type)"),
        ("css", "th + td"),
        ("css", "th ~ td[data-field] ~ td"),
        ("css", "td:not(td[data-field=company] ~ td)"),
        ("css", "td:has(+ td)"),
        ("css", "td[title=':nth-child(5)']"),
        ("css", "td.company"),
    ],
)
def test_a_relative_selector_that_counts_nothing_is_fine(strategy, text):
    assert _lint(_with_fallback(strategy, text)) == []


@pytest.mark.parametrize(
    "better",
    [
        {"strategy": "header_text", "header_aliases": ["신청인"]},
        {"strategy": "css", "selector": "#company"},
        {"strategy": "css", "selector": "td[data-field=company]"},
        {"strategy": "css", "selector": "td[itemprop=company]"},
        {"strategy": "xpath", "selector": "./td[@id='company']"},
        {"strategy": "json_ld", "path": "items[*].company"},
    ],
)
def test_a_class_is_not_the_primary_selector_where_there_is_a_better_one(better):
    mapping = _with_company(strategy="css", selector="td.company", fallbacks=[better])
    (finding,) = _lint(mapping)
    assert finding.is_refused
    assert finding.key == ("fields", "company", "selector")
    assert "최후 수단" in finding.why


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("css", "td:is(.company)"),
        ("css", "td:where(td, .company)"),
        ("css", "td:is([data-field=company], .company)"),
        ("css", "td:has(> span.company)"),
        ("css", "td:not(.company)"),
        ("css", "td[class~=company]"),
        ("css", 'td[class*="comp"]'),
        ("css", "td[CLASS^=comp]"),
        ("css", "td[data-field!=reg_no].company"),
        ("css", "td:not([data-field]).company"),
        ("xpath", "./td[@class='company']"),
        ("xpath", "./td[contains(@class, 'company')]"),
        ("xpath", "./td[contains(concat(' ', normalize-space(@class), ' '), ' company ')]"),
        ("xpath", "./td[contains(concat(' ', normalize-space( attribute::class ), ' '), ' c ')]"),
        ("xpath", "./td[not(contains(@class, 'reg'))]"),
        ("xpath", "./td[@class='company' and not(@id)]"),
        ("xpath", "./td[@class='company' and @id != 'reg']"),
        ("xpath", "./td[@class='company' and @data-field = '']"),
        ("xpath", "./td[@class='company' and count(@data-field) = 0]"),
        ("xpath", "./td[@class='company' and not(. = '신청인')]"),
        ("xpath", "./td[@class='company' and normalize-space() != '']"),
        ("xpath", "./td[@class='company' or @data-field='company']"),
        ("xpath", "./td[@class='company'] | ./td[@data-field='company']"),
        ("xpath", ".//@class[. = 'company']/.."),
        ("xpath", "./td[@*[normalize-space() = 'company']]"),
        ("xpath", "./td[@class='company'][text()]"),
        ("xpath", "./td[@class='company' and local-name(.) = 'td']"),
    ],
)
def test_whatever_asks_for_a_class_hangs_on_it(strategy, text):
    better = {"strategy": "css", "selector": "td[data-field=company]"}
    mapping = _with_company(strategy=strategy, selector=text, fallbacks=[better])
    (finding,) = _lint(mapping)
    assert finding.is_refused
    assert "최후 수단" in finding.why
    mapping["fields"]["company"]["fallbacks"] = [{"strategy": "css", "selector": "td"}]
    (finding,) = _lint(mapping)
    assert not finding.is_refused


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("css", "td:is(#company)"),
        ("css", "td.company[data-field=company]"),
        ("css", "td.company:has([data-field=company])"),
        ("css", 'td.company:has(> span:contains("신청인"))'),
        ("css", "td:is([data-field=company], #company)"),
        ("xpath", "./td[@id='company' and @class='x']"),
        ("xpath", "./td[@id != '']"),
        ("xpath", "./td[@class='x'][@data-field='company']"),
        ("xpath", "./td[span[@class='s-th'] = '신청인']"),
        ("xpath", "./td[contains(normalize-space(.), '신청인')]"),
        ("xpath", "./td[@class='x' and starts-with(normalize-space(), '신청인')]"),
        ("xpath", "./td[@title='class' and @headers='@class']"),
        ("xpath", "./td[not(@id)]"),
    ],
)
def test_what_has_something_better_than_a_class_does_not_hang_on_it(strategy, text):
    other = {"strategy": "css", "selector": "#company"}
    assert _lint(_with_company(strategy=strategy, selector=text, fallbacks=[other])) == []


@pytest.mark.parametrize(
    "text", ["./td[not(@id)]", "./td[@id = '']", "./td[count(@id) = 0]", "./td[@id != 'x']"]
)
def test_an_id_that_must_not_be_there_is_no_anchor(text):
    other = {"strategy": "xpath", "selector": text}
    (finding,) = _lint(_with_company(strategy="css", selector="td.company", fallbacks=[other]))
    assert not finding.is_refused
    other["selector"] = "./td[@id]"
    (finding,) = _lint(_with_company(strategy="css", selector="td.company", fallbacks=[other]))
    assert finding.is_refused


@pytest.mark.parametrize(
    "other", [{"strategy": "css", "selector": "td"}, {"strategy": "label", "labels": ["신청인"]}]
)
def test_a_class_may_be_the_primary_selector_where_there_is_none(other):
    mapping = _with_company(strategy="css", selector="td.company", fallbacks=[other])
    (finding,) = _lint(mapping)
    assert not finding.is_refused


def test_rows_are_not_found_by_a_class_where_there_is_an_id():
    mapping = selectors_mapping()
    mapping["row"] = {"primary": ".tbl_list tr", "fallbacks": ["#boardList tbody tr"]}
    (finding,) = _lint(mapping)
    assert (finding.is_refused, finding.key) == (True, ("row", "primary"))


def test_a_class_is_refused_where_the_page_has_a_header():
    mapping = _with_company(
        strategy="css", selector="td.company", fallbacks=[{"strategy": "css", "selector": "td"}]
    )
    file = msgspec.convert(mapping, SelectorsFile)
    (finding,) = lint_headers(file, {"company": "신청인", "reg_no": "등록번호"})
    assert (finding.is_refused, finding.key) == (True, ("fields", "company", "selector"))
    assert "'신청인'" in finding.why
    assert lint_headers(file, {"reg_no": "등록번호"}) == []


def test_a_class_is_refused_where_the_page_has_an_attribute_that_finds_the_same():
    mapping = _with_company(
        strategy="css", selector="td.company", fallbacks=[{"strategy": "css", "selector": "td"}]
    )
    mapping["row"]["primary"] = ".tbl_list tr"
    file = msgspec.convert(mapping, SelectorsFile)
    texts = frozenset({"가", "나"})
    by_field = PageAnchors(frozenset({'data-field="company"', 'id="company"'}), texts)
    by_row = PageAnchors(frozenset({"data-row"}), texts)
    found = lint_anchors(file, {"company": by_field, "row": by_row})
    assert [(each.is_refused, each.key, each.found) for each in found] == [
        (True, ("fields", "company", "selector"), "td.company"),
        (True, ("row", "primary"), ".tbl_list tr"),
    ]
    assert 'data-field="company", id="company" 속성' in found[0].why
    assert "data-row 속성" in found[1].why
    same = PageAnchors(by_field.attributes, frozenset({"가"}))
    nothing = PageAnchors(frozenset(), texts)
    assert lint_anchors(file, {"company": same, "row": nothing}) == []


def test_what_a_file_leaves_open_is_advised_against():
    mapping = selectors_mapping()
    mapping["status"] = None
    mapping["fields"]["detail_url"] = {"strategy": "attr", "selector": "a", "attr": "href"}
    findings = _lint(mapping)
    assert [finding.key for finding in findings] == [
        ("status",),
        ("fields", "detail_url", "fallbacks"),
    ]
    assert not any(finding.is_refused for finding in findings)


def test_detail_pages_are_judged_too():
    mapping = notice_mapping()
    mapping["details"] |= {
        "region": "div:nth-child(2)",
        "fields": {
            "author": {
                "label_ko": "작성자",
                "strategy": "xpath",
                "selector": "//dd",
                "fallbacks": [{"strategy": "label", "labels": ["작성자"]}],
            }
        },
    }
    assert [(finding.key, finding.is_refused) for finding in _lint(mapping)] == [
        (("details", "region"), True),
        (("details", "fields", "author", "selector"), True),
    ]
