"""A selector that will not survive a redesign is refused, and told why."""

from typing import Any

import msgspec
import pytest

from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selector_lint import LintFinding, lint_headers, lint_selectors
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
        ("xpath", "./td[5]", "몇 번째"),
        ("xpath", "./td[position() = 5]", "몇 번째"),
        ("xpath", "./td[last()]", "몇 번째"),
        ("css", "td:nth-child(5)", "몇 번째"),
        ("css", "td:nth-of-type(5) a", "몇 번째"),
        ("css", "td:NTH-LAST-CHILD(2)", "몇 번째"),
        ("css", "td:has(> span:nth-child(1))", "몇 번째"),
        ("css", "div > div > div > div > div > td", "6개"),
        ("css", "td:has(a b i u s em)", "6개"),
        ("xpath", "./a/b/c/d/e/f", "6개"),
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
        ("css", "td:first-child > a"),
        ("css", 'td:has(> span.s-th:contains("신청인"))'),
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
