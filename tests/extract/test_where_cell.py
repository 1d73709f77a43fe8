"""The element that a value was read from: found again, described, safe to be shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lxml import html as lxml_html

from dmf_crawler.extract.parser import SHOWN_SEPARATOR, read_page
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.where_cell import (
    MAX_HTML_CHARS,
    FoundCell,
    find_cell,
    find_detail,
)
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.text import escape_unprintable
from tests.extract.notices import (
    Post,
    html_detail,
    list_of,
    notice_mapping,
    notice_selectors,
    raw_detail,
)
from tests.extract.pages import (
    LABELS,
    PAGES,
    html_page,
    list_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

SELECTORS = some_selectors()
NOTICES = notice_selectors()
NAMES = {
    field: ["".join(alias.split()) for alias in each["header_aliases"]]
    for field, each in selectors_mapping()["fields"].items()
}
THREE = [some_fields(number) for number in (1, 2, 3)]


def find(page: RawPage, field: str, row_no: int = 1, selectors: Selectors = SELECTORS) -> FoundCell:
    found = find_cell(page, selectors, field, row_no)
    assert isinstance(found, FoundCell), found
    return found


def test_a_cell_has_its_place_its_line_its_markup_and_the_values_of_its_row():
    page = list_page(THREE)

    found = find(page, "company", 2)

    assert found.xpath == "/html/body/table/tbody/tr[2]/td[5]"
    assert found.html == '<td><span class="s-th">신청인</span>한국화이자제약(주)</td>'
    lines = page.body.decode().split("\n")
    assert found.line is not None
    assert "신청인" in lines[found.line - 1]
    assert found.fields == THREE[1]


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.html")), ids=lambda path: path.stem)
def test_every_cell_of_every_golden_page_is_what_its_xpath_finds_in_a_tree_of_its_own(path):
    """The XPath alone leads there, on a tree that nobody has shown the selectors."""
    page = raw_page(path.read_bytes(), content_type="text/html")
    table = read_page(page, SELECTORS)
    assert isinstance(table, PageTable)
    tree = parse_alone(page)
    header = tree.xpath("//tr[*[normalize-space() = '순번']]")[0]
    for row in table.rows:
        for field, value in row.fields.items():
            found = find(page, field, row.row_no)
            (element,) = tree.xpath(found.xpath)
            assert found.fields == row.fields
            assert element.sourceline == found.line
            cells = tree.xpath(f"{found.xpath}/../*")
            assert squeeze_all(header[cells.index(element)]) in NAMES[field]
            text = squeeze_all(element).removeprefix(squeeze(LABELS[field]))
            shown = row.shown.get(field, "".join(list_of_texts(value)))
            assert text == squeeze(shown.replace(SHOWN_SEPARATOR, ""))


def list_of_texts(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def squeeze_all(element: Any) -> str:
    return squeeze("".join(element.itertext()))


def squeeze(text: str) -> str:
    return "".join(text.split())


def parse_alone(page: RawPage) -> Any:
    for charset in ("utf-8", "cp949"):
        try:
            text = page.body.decode(charset)
        except UnicodeDecodeError:
            continue
        parser = lxml_html.HTMLParser(remove_comments=True, remove_pis=True)
        return lxml_html.document_fromstring(text, parser=parser).getroottree()
    raise AssertionError


def test_a_nested_value_is_found_as_the_whole_cell():
    found = find(list_page([some_fields()]), "maker_names")

    assert found.xpath.endswith("/td[6]")
    assert "<table><tbody><tr><td>Lonza AG</td></tr>" in found.html


def test_a_fallback_finds_the_cell_under_a_header_that_nobody_knows():
    page = list_page(THREE, headers={"company": "회사"})

    assert find(page, "company", 3).html.endswith("한국화이자제약(주)</td>")


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("", "empty_page"),
        (html_page(THREE).replace("</html>", ""), "truncated_page"),
        (html_page(THREE).replace("신청인", "회사"), "missing_column"),
    ],
)
def test_a_page_that_todays_selectors_cannot_read_is_that_very_fault(html, code):
    found = find_cell(raw_page(html), SELECTORS, "company", 1)

    assert isinstance(found, Fault)
    assert found.code == code


@pytest.mark.parametrize("row_no", [0, 4, 10**9])
def test_a_row_that_todays_selectors_do_not_find_is_said(row_no):
    found = find_cell(list_page(THREE), SELECTORS, "company", row_no)

    assert isinstance(found, Fault)
    assert (found.code, found.exit_code) == ("no_such_row", 4)
    assert f"{row_no:,}번째" in found.message


def test_another_row_selector_finds_another_record_in_that_row():
    mapping = selectors_mapping()["row"] | {"primary": "table tbody tr + tr"}

    found = find(list_page(THREE), "reg_no", 1, some_selectors(row=mapping))

    assert found.fields["reg_no"] == THREE[1]["reg_no"]


# --- attributes, pinned rows ------------------------------------------------------------------


def test_a_value_that_is_an_attribute_is_found_in_its_element():
    posts = [Post(7), Post(302)]

    found = find(list_of(posts), "post_id", 2, NOTICES)

    assert found.xpath == "/html/body/table/tbody/tr[2]/td[2]/a/@href"
    assert found.html.startswith('<a href="/bbs/21/302?page=1&amp;limit=10&amp;searchYn=">')
    assert found.fields["post_id"] == "302"


def test_a_pinned_row_counts_among_the_rows_of_its_page():
    posts = [Post(9, is_pinned=True), Post(8)]

    assert find(list_of(posts), "post_id", 1, NOTICES).fields["post_id"] == "9"
    assert find(list_of(posts), "post_id", 2, NOTICES).fields["post_id"] == "8"


# --- detail pages -----------------------------------------------------------------------------


def test_the_body_of_a_post_is_its_region():
    found = find_detail(raw_detail(html_detail("<p>하나</p>\n<p>둘</p>")), NOTICES)

    assert isinstance(found, FoundCell)
    assert found.xpath == "/html/body/div[1]"
    assert found.html == '<div class="view_cont"><p>하나</p>\\n<p>둘</p></div>'
    assert found.fields == {"body": "하나\n둘"}


def test_a_post_without_its_region_is_that_very_fault():
    page = raw_detail(html_detail("본문").replace("view_cont", "other"))

    found = find_detail(page, NOTICES)

    assert isinstance(found, Fault)
    assert found.code == "no_detail_region"


def test_a_board_without_detail_pages_has_no_region():
    with pytest.raises(ValueError, match="details"):
        find_detail(raw_detail(html_detail("본문")), notice_selectors(details=None))
    assert notice_mapping()["details"] is not None


# --- other strategies -------------------------------------------------------------------------


def json_ld(*values: object) -> str:
    """Return a script whose values are read from `items[*].item.company`."""
    items = [{"item": {"name": "x", "company": value, "none": None}} for value in values]
    text = json.dumps({"items": items}, ensure_ascii=False)
    return f'<script type="application/ld+json">{text}</script>'


def company_by(**selector: object) -> Selectors:
    mapping = selectors_mapping()
    fallback = {"strategy": "json_ld", "path": "items[*].item.company"}
    mapping["fields"]["company"] = {"label_ko": "신청인", "fallbacks": [fallback], **selector}
    return some_selectors(**mapping)


def page_with(script: str) -> RawPage:
    html = html_page(THREE).replace("<th>신청인</th>", "<th>순번</th>")
    return raw_page(html.replace("</head>", f"{script}</head>"))


def test_a_value_of_the_list_that_json_ld_says_is_found_in_its_script():
    page = page_with(json_ld() + json_ld("가", "나") + json_ld(3))
    selectors = company_by(strategy="css", selector="td[data-x]")  # gives way

    found = [find(page, "company", row_no, selectors) for row_no in (1, 2, 3)]

    assert [each.xpath for each in found] == [
        *["/html/head/script[2]"] * 2,
        "/html/head/script[3]",
    ]
    assert found[0].html == json_ld("가", "나")
    assert [each.fields["company"] for each in found] == ["가", "나", "3"]


@pytest.mark.parametrize("line_end", ["", "\n", "\r\n"])
def test_of_a_long_script_the_part_is_shown_that_says_the_value(line_end):
    """Also where another record has the same value, and where characters must be escaped."""
    script = json_ld("가", chr(0x202E) * 900, "가").replace('"name": ', f'{line_end * 100}"name": ')

    found = find(page_with(script), "company", 3, company_by(strategy="css", selector="td[data-x]"))

    assert found.html.startswith("…")
    assert '"company": "가", "none": null}}]}</script>' in found.html
    assert found.html.index('"company": "가"') < MAX_HTML_CHARS
    assert len(found.html) <= MAX_HTML_CHARS


def test_a_script_with_a_name_twice_is_shown_from_its_beginning():
    script = json_ld("가", "나", "다" * 3_000).replace('"name": "x"', '"company": "x"')

    found = find(page_with(script), "company", 2, company_by(strategy="css", selector="td[data-x]"))

    assert found.fields["company"] == "나"
    assert found.html.startswith("<script")


def find_by(html: str, **field: object) -> FoundCell:
    """Find the field `author` on a detail page."""
    details = notice_mapping()["details"] | {"fields": {"author": field}}
    found = find_detail(raw_detail(html_detail(html)), notice_selectors(details=details), "author")
    assert isinstance(found, FoundCell), found
    return found


AUTHOR = '<dl><dt>담당자</dt><dd class="who" title="홍길동">홍길동</dd></dl>'
AUTHOR_SCRIPT = '<script type="application/ld+json">{"author": {"name": "홍길동"}}</script>'


@pytest.mark.parametrize(
    ("field", "place", "html"),
    [
        ({"strategy": "label", "labels": ["담당자"]}, "dl/dd", '<dd class="who" title="홍길동">'),
        ({"strategy": "css", "selector": "dd"}, "dl/dd", '<dd class="who" title="홍길동">'),
        ({"strategy": "attr", "selector": "dd", "attr": "title"}, "dl/dd/@title", "<dd "),
        ({"strategy": "between", "left": 'title="홍길동">', "right": "</dd>"}, "dl/dd", "<dd "),
        ({"strategy": "between", "left": "담당자</dt>", "right": "</dl>"}, "dl", "<dl>"),
        ({"strategy": "json_ld", "path": "author.name"}, "script", AUTHOR_SCRIPT),
    ],
)
def test_a_field_of_a_detail_page_is_found_where_its_selector_finds_it(field, place, html):
    found = find_by(AUTHOR_SCRIPT + AUTHOR, **field)

    assert found.xpath == f"/html/body/div[1]/{place}"
    assert found.html.startswith(html)
    assert found.fields["author"] == "홍길동"


@pytest.mark.parametrize(
    "fallback",
    [
        {"strategy": "between", "left": "<dd>", "right": "</dd>"},
        {"strategy": "json_ld", "path": "author.name"},
    ],
)
def test_a_field_of_a_detail_page_is_found_where_the_fallback_that_served_finds_it(fallback):
    html = "<dl><dt>이름</dt><dd>홍길동</dd></dl>" + AUTHOR_SCRIPT

    found = find_by(html, strategy="label", labels=["담당자"], fallbacks=[fallback])

    assert found.xpath.endswith("script" if fallback["strategy"] == "json_ld" else "dd")
    assert "홍길동" in found.html


def test_a_value_far_behind_in_a_long_element_is_shown():
    html = f"<p>{'가' * 5_000}담당자: 홍길동 (042)<b>끝</b></p>"

    found = find_by(html, strategy="between", left="담당자: ", right=" (042)")

    assert found.xpath == "/html/body/div[1]/p"
    assert "담당자: 홍길동 (042)" in found.html


def test_a_field_that_a_detail_page_has_not_is_looked_for_in_its_region():
    found = find_by("<p>본문</p>", strategy="css", selector="dd")

    assert (found.xpath, found.fields["author"]) == ("/html/body/div[1]", "")


# --- hostile markup ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("가\x9b31m나", "가31m나", id="escape"),
        pytest.param("가&#155;31m나", "가›31m나", id="escape by reference"),
        pytest.param("가\x85나", "가나", id="next line"),
        pytest.param("가\u202e나\u2066다", r"가\u202e나\u2066다", id="override"),
        pytest.param("가\u2028나\u2029다", r"가\u2028나\u2029다", id="separator"),
        pytest.param("가\u200b\ufeff나", r"가\u200b\ufeff나", id="invisible"),
        pytest.param("가\ue000나", r"가\ue000나", id="private"),
        pytest.param("가\U000e0041나", r"가\U000e0041나", id="tag character"),
        pytest.param("가\r\n나\n다\t라", r"가\r\n나\n다\t라", id="lines"),
        pytest.param("가\u00a0나", r"가\xa0나", id="blank"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(value, shown):
    html = html_page([some_fields(target="@@")]).replace("@@", value)

    found = find(raw_page(html), "target")

    assert found.html == f'<td><span class="s-th">대상의약품</span>{shown}</td>'
    assert found.html.isprintable()


def test_attributes_and_names_of_elements_are_escaped_too():
    link = '<a href="/bbs/21/{post_id}" title="&#8238;x&#155;"><x-\u202e>제목'

    found = find(list_of([Post(7, link=link)]), "post_id", 1, NOTICES)

    assert found.html.isprintable()
    assert found.html == (r'<a href="/bbs/21/7" title="\u202ex›"><x-\u202e>제목</x-\u202e></a>')


@pytest.mark.parametrize("n_chars", [MAX_HTML_CHARS // 2, 10 * MAX_HTML_CHARS])
@pytest.mark.parametrize("char", ["가", "\u202e"])
def test_a_cut_of_the_markup_is_bounded(n_chars, char):
    found = find(list_page([some_fields(target="시작" + char * n_chars)]), "target")

    assert len(found.html) <= MAX_HTML_CHARS
    assert found.html.startswith("<td>")
    is_whole = char == "가" and n_chars < MAX_HTML_CHARS
    assert found.html.endswith("</td>") is is_whole
    assert found.html.endswith("…") is not is_whole


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("한글 abc", "한글 abc"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\nb", "a\\nb"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("", ""),
    ],
)
def test_unprintable_characters_are_written_as_escapes(text, escaped):
    assert escape_unprintable(text) == escaped
