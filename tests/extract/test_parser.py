"""Cells become values: the golden pages, one rule at a time, and an independent second reader."""

import gc
import json
import re
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from scripts.fuzzing.readers import Case
from tests.extract.pages import (
    LABELS,
    PAGES,
    URL,
    Markup,
    fallbacks_used,
    html_page,
    list_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

GOLDEN = sorted(PAGES.glob("*.html"))
SELECTORS = some_selectors()


def _as_json(table: PageTable) -> Any:
    rows = [{"row_no": row.row_no, "fields": row.fields, "shown": row.shown} for row in table.rows]
    values = {
        "announced_total": table.announced_total,
        "fallbacks_used": fallbacks_used(table),
        "rows": rows,
    }
    return json.loads(json.dumps(values))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_page_reads_as_expected(path):
    table = read_page(raw_page(path.read_bytes(), content_type="text/html"), SELECTORS)
    assert isinstance(table, PageTable), table
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    expected.pop("other_tables", None)  # test_shapes
    assert _as_json(table) == expected
    assert all(list(row["fields"]) == list(LABELS) for row in expected["rows"])


def test_every_golden_page_has_an_expectation_and_the_reverse():
    stems = {path.name.removesuffix(".expected.json") for path in PAGES.glob("*.expected.json")}
    assert stems == {path.stem for path in GOLDEN}
    assert len(stems) >= 4


def test_a_table_says_where_it_came_from():
    page = list_page([some_fields()], 7)
    table = read_page(page, SELECTORS)
    assert isinstance(table, PageTable)
    assert (table.page_no, table.source, table.url) == (1, page.sha256, URL)


def _cell(old: str, new: str) -> str:
    """One page of one row, one cell rewritten."""
    html = html_page([some_fields()])
    assert html.count(old) == 1
    return html.replace(old, new)


def _read(html: str, **changes: object) -> tuple[dict[str, Value], dict[str, str]]:
    table = read_page(raw_page(html), some_selectors(**changes) if changes else SELECTORS)
    assert isinstance(table, PageTable), table
    return dict(table.rows[0].fields), dict(table.rows[0].shown)


COMPANY = '<span class="s-th">신청인</span>한국화이자제약(주)'


@pytest.mark.parametrize(
    ("cell", "value", "shown"),
    [
        ('<span class="s-th">신청인</span>대웅', "대웅", None),
        ('<span class="x s-th y">신청인</span><span>대웅</span>', "대웅", None),
        ('\n <span class="s-th">신청인</span>\n 대웅 \n', "대웅", "\n \n 대웅 \n"),
        ("<a href='#'>대<b>웅</b></a>제약", "대웅제약", None),
        ("대웅\r\n제약  본사", "대웅\r\n제약  본사", None),
        ("대웅&#13;&#10;", "대웅", "대웅\r\n"),
        ("&nbsp;대웅&nbsp;", "대웅", "\u00a0대웅\u00a0"),
        ("대웅&nbsp;제약", "대웅\u00a0제약", None),
        ("대웅<br>제약<br/>", "대웅\n제약", "대웅\n제약\n"),
        ("-", "", "-"),
        (" - ", "", " - "),
        ("- 대웅", "- 대웅", None),
        ("㈜대웅 Ⅲ ß &amp; &lt;", "㈜대웅 Ⅲ ß & <", None),
        ("대웅<!-- 옛 이름 -->제약", "대웅제약", None),
        ("대웅<script>alert(1)</script><style>b{}</style>제약", "대웅제약", None),
        ('<span class="s-th">신청인</span>', "", None),
        ("신청인", "신청인", None),
        ("<table><tr><td>대웅</td></tr></table>", "대웅", None),
    ],
)
def test_a_cell_is_read_as_the_source_has_it_without_its_label(cell, value, shown):
    fields, all_shown = _read(_cell(COMPANY, cell))
    assert fields == some_fields(company=value)
    assert all_shown == ({} if shown is None else {"company": shown})


NAMES = (
    "<table><tbody><tr><td>Lonza AG</td></tr><tr><td>Pfizer Ireland Pharmaceuticals</td></tr>"
    "</tbody></table>"
)


@pytest.mark.parametrize(
    ("cell", "values", "shown"),
    [
        ("<table><tr><td>가</td></tr><tr><td>가</td></tr></table>", ("가", "가"), None),
        ("<table><tr><td>가</td></tr></table><table><tr><td>나</td></tr></table>",
         ("가", "나"), None),
        ("<table><tr><td> 가 </td></tr><tr><td>나</td></tr></table>", ("가", "나"), " 가 \x1f나"),
        ("<table><tr><td>가</td></tr><tr><td></td></tr></table>", ("가", ""), None),
        ("<table><tr><td>-</td></tr><tr><td>나</td></tr></table>", ("", "나"), "-\x1f나"),
        ("<table><tr><td></td></tr></table>", (), None),
        ("<table><tr><td>-</td></tr></table>", (), "-"),
        ("<table><tbody></tbody></table>", (), None),
        ("<table></table>", (), None),
        ("", (), None),
        ("-", (), "-"),
        ("가, 나", ("가, 나",), None),
        ("<table><tr><td><table><tr><td>가</td></tr></table></td></tr></table>", ("가",), None),
        ("<table><tr><th>가</th></tr></table>", ("가",), None),
        ('<table><tr><td><span class="s-th">제조소명</span>가</td></tr></table>', ("가",), None),
    ],
)  # fmt: skip
def test_a_nested_table_is_an_ordered_list(cell, values, shown):
    label = '<span class="s-th">제조소명</span>\n  '
    fields, all_shown = _read(_cell(label + NAMES, '<span class="s-th">제조소명</span>' + cell))
    assert fields == some_fields(maker_names=values)
    assert all_shown == ({} if shown is None else {"maker_names": shown})


@pytest.mark.parametrize(
    "cell", ["외 2개소" + NAMES, NAMES + "외", NAMES.replace("<td>Lonza", "외<td>Lonza")]
)
def test_text_beside_a_nested_table_is_not_lost_in_silence(cell):
    fault = read_page(raw_page(_cell(NAMES, cell)), SELECTORS)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("stray_text", 4)
    assert "1번째 행의 제조소명" in fault.message


@pytest.mark.parametrize(
    ("cell", "value", "shown"),
    [
        (
            '<td title="한국화이자제약(주) 본사">한국화이자…',
            "한국화이자제약(주) 본사",
            "한국화이자…",
        ),
        ('<td title="한국화이자제약(주)">한국화이자...', "한국화이자제약(주)", "한국화이자..."),
        ('<td title="신청인의 이름">한국화이자', "한국화이자", None),
        ('<td title=" ">한국화이자…', "한국화이자…", None),
        ("<td>한국화이자…", "한국화이자…", None),
    ],
)
def test_a_shortened_text_gives_way_to_the_title_where_the_file_says_so(cell, value, shown):
    mapping = selectors_mapping()
    mapping["fields"]["company"]["title_attr"] = True
    fields, all_shown = _read(_cell(f"<td>{COMPANY}", cell), **mapping)
    assert fields["company"] == value
    assert all_shown == ({} if shown is None else {"company": shown})
    mapping["fields"]["company"]["title_attr"] = False
    page = _cell(f"<td>{COMPANY}", cell)
    if shown is not None:  # the rest is there, and nobody would read it
        fault = read_page(raw_page(page), some_selectors(**mapping))
        assert isinstance(fault, Fault)
        assert fault.code == "cut_value"
        return
    assert _read(page, **mapping)[0]["company"] == cell.partition(">")[2]


def test_shortened_names_in_a_nested_table_have_titles_of_their_own():
    mapping = selectors_mapping()
    mapping["fields"]["maker_names"]["title_attr"] = True
    cell = "<table><tr><td title='Lonza AG'>Lonza…</td></tr><tr><td>Pfizer</td></tr></table>"
    fields, shown = _read(_cell(NAMES, cell), **mapping)
    assert fields["maker_names"] == ("Lonza AG", "Pfizer")
    assert shown == {"maker_names": "Lonza…\x1fPfizer"}


def test_lines_beside_a_shortened_one_are_kept():
    mapping = selectors_mapping()
    mapping["fields"]["maker_names"]["title_attr"] = True
    cell = '<td><span class="s-th">제조소명</span>\n  ' + NAMES
    page = _cell(cell, "<td title='Lonza AG'>Lonza…<br>Pfizer")
    assert _read(page, **mapping)[0]["maker_names"] == ("Lonza AG", "Pfizer")
    page = _cell(cell, "<td title='Lonza AG'>Lonza…")
    assert _read(page, **mapping)[0]["maker_names"] == ("Lonza AG",)


# --- the page as a whole -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ('<p title="총 12,003 건">총 <strong>12,003</strong> 건</p>', 12_003),
        ("<p>총 <strong class='n'> 12,003 </strong> 건</p>", 12_003),
        ("<p>총 1건</p>", 1),
        ("<!-- 총 5 건 --><p>총 7 건</p>", 7),
        ("<p>총 , 건 총 8 건</p>", 8),
        ("<p>총&nbsp;30&nbsp;건</p>", 30),
        ("<p>총 <b>1</b>2<i></i>,003 건</p>", 12_003),
        ("<p>총</p><ul><li>5</li></ul>건", 5),
        ("<ul title='총 5 건'><li>총 1</li><li>00 건</li></ul>", 5),
        ("<p>총 5 건</p><p>총 10<sup>2</sup> 건</p>", 5),
        ("<script>var t = '총 100 건';</script><p>총 7 건</p>", 7),
        ("<style>/* 총 100 건 */</style><p>총 7 건</p>", 7),
        ("<noscript>총 100 건</noscript><p>총 7 건</p>", 7),
        ("<template><p title='총 100 건'>총 100 건</p></template><p>총 7 건</p>", 7),
        ("<p data-text='총 100 건'>총 7 건</p><input value='총 100 건'>", 7),
        ("<p title='총 12,003 건'></p>", 12_003),
        ("<p>총 5 건</p><p>총 05 건</p><p title='검색 결과 총 5건'></p>", 5),
    ],
)
def test_the_announced_total_is_found_however_it_is_marked_up(count, expected):
    table = read_page(list_page([some_fields()], count=count), SELECTORS)
    assert isinstance(table, PageTable)
    assert table.announced_total == expected


@pytest.mark.parametrize("total", [9, "9"])
def test_what_a_value_of_the_list_says_is_no_total(total):
    rows = [some_fields(1, company=f"기록 총 {total} 건 회사"), some_fields(2)]
    page = html_page(rows).replace("<td>1</td>", "<td title='총 7 건'>1</td>")
    table = read_page(raw_page(page), SELECTORS)
    assert isinstance(table, PageTable)
    assert table.announced_total == 2
    fault = read_page(list_page(rows, count=""), SELECTORS)
    assert isinstance(fault, Fault)
    assert fault.code == "no_total"


@pytest.mark.parametrize(
    "other",
    [
        "<p>한 쪽에 총 100 건</p>",
        "<select title='총 100 건씩'></select>",
        "<p hidden>총 <b>100</b> 건</p>",
    ],
)
def test_two_different_totals_are_refused_wherever_they_stand(other):
    for place in ("before", "after"):
        fault = read_page(list_page([some_fields()], 9_149, **{place: other}), SELECTORS)
        assert isinstance(fault, Fault)
        assert (fault.code, fault.exit_code, fault.is_retryable) == ("ambiguous_total", 4, False)
        assert "9,149" in fault.message
        assert "100" in fault.message
        assert len(fault.message) < 400
        fault.message.encode("cp949")


def test_a_page_full_of_totals_has_a_short_message():
    count = "".join(f"<p>총 {number} 건</p>" for number in range(1_000))
    fault = read_page(list_page([some_fields()], count=count), SELECTORS)
    assert isinstance(fault, Fault)
    assert "1000가지" in fault.message
    assert len(fault.message) < 400


@pytest.mark.parametrize(
    "count",
    [
        "",
        "<p>전체 7 건</p>",
        "<p>총 9999999999 건</p>",
        "<p>총 3,0 건</p>",
        "<p>총 ٣٠ 건</p>",
        "<!-- 총 7 건 -->",
        "<script>'총 7 건'</script>",
        "<ul><li>총 1</li><li>00 건</li></ul>",
    ],
)
def test_a_page_without_total_is_refused(count):
    fault = read_page(list_page([some_fields()], count=count), SELECTORS)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("no_total", 4)
    assert "total.patterns" in fault.message


def test_a_page_cut_anywhere_is_refused_and_never_short():
    body = html_page([some_fields(1), some_fields(2)]).encode()
    for end in range(0, body.rindex(b"</html>") + 6, 7):
        fault = read_page(raw_page(body[:end]), SELECTORS)
        assert isinstance(fault, Fault), end
        assert fault.code == ("truncated_page" if end else "empty_page")
        assert (fault.exit_code, fault.is_retryable) == (6, True)


def test_the_end_marker_may_be_in_upper_case():
    html = html_page([some_fields()]).replace("</html>", "</HTML>")
    assert _read(html)[0] == some_fields()


def test_an_undecodable_page_is_refused_by_its_reason():
    fault = read_page(raw_page(b"\xff</html>"), SELECTORS)
    assert isinstance(fault, Fault)
    assert fault.code == "mojibake"


def test_line_ends_inside_tags_and_between_them_are_no_text():
    html = _cell(COMPANY, "<b>대웅\n제약</b>").replace("<td>", '<td class="x" >')
    html = html.replace(" ", "\n").replace("\n", "\r\n")
    assert _read(html)[0]["company"] == "대웅\r\n제약"


@pytest.mark.parametrize(
    "reference",
    [
        "&#xD800;",
        "&#57343;",
        "&#xFFFD;",
        "&#x110000;",
        "&#99999999999999999999;",
        "&#x00000000000000000D800;",
        "<!--> &#xD800; <!-- -->",
        "<!-- --!> &#xD800; <!-- -->",
        "<!-- &#xD800;",
    ],
)
def test_a_reference_to_no_character_is_mojibake(reference):
    fault = read_page(raw_page(_cell(COMPANY, f"대{reference}웅")), SELECTORS)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("mojibake", 4)


def test_a_reference_to_no_character_in_a_comment_is_nothing():
    html = _cell(COMPANY, "대<!-- &#xD800; -->웅<!-- &#xFFFD; <!-- -->")
    assert _read(html)[0] == some_fields(company="대웅")


@pytest.mark.parametrize(
    ("reference", "char"), [("&#00000065;", "A"), ("&#x0000000041;", "A"), ("&#0000000038;", "&")]
)
def test_a_reference_may_have_any_number_of_leading_zeros(reference, char):
    assert _read(_cell(COMPANY, f"대{reference}웅"))[0] == some_fields(company=f"대{char}웅")


@pytest.mark.parametrize(
    ("comments", "code"),
    [("<!--" * 400_000, "table"), ("<!--" * 400_000 + "&#xD800;", "mojibake")],
)
def test_comments_without_end_are_no_burden(comments, code, worker):
    """Looking for the end of each anew would take hours.

    They are only looked through where the page has a reference to no character.
    """
    html = html_page([some_fields()], markup=Markup(after=f"<!-- &#xD800; --><p>{comments}"))

    outcome = worker.run(Case("list", html.encode(), "text/html"))

    assert outcome.kind == code, outcome.detail
    assert outcome.records == ((some_fields(),) if code == "table" else ())


MANY_ATTRIBUTES = " ".join(f"a{n}='>'" for n in range(5_001))
FEW_VALUES = " ".join(f"a{n}='>'" if n % 500 == 0 else f"a{n}" for n in range(5_001))


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("<" * 450_001, id="source"),
        pytest.param("<br>" * 150_000, id="elements"),
        pytest.param("<div>" * 200 + "<i></i>" * 15_000, id="ancestors"),
        pytest.param(f"<p {MANY_ATTRIBUTES}>", id="attributes"),
        pytest.param(f"<p {MANY_ATTRIBUTES.replace(' ', '/')}>", id="attributes without blanks"),
        pytest.param(f"<p {FEW_VALUES}>", id="attributes of few values"),
        pytest.param(f"""<p x=b" {MANY_ATTRIBUTES} y=c">""", id="quotes that are none"),
        pytest.param(f"<p {MANY_ATTRIBUTES.replace(' ', ' <b ')}>", id="tags that are none"),
        pytest.param(
            f"""<script>a<b x="</script><p {MANY_ATTRIBUTES}><i y="">""", id="after a script"
        ),
    ],
)
def test_a_page_that_selectors_would_take_too_long_on_is_refused(before):
    fault = read_page(list_page([some_fields()], before=before), SELECTORS)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("page_too_complex", 4)


def test_a_long_tag_of_few_attributes_is_read():
    before = f"<p title='{'a = b ' * 6_000}' class='x'>"
    assert isinstance(read_page(list_page([some_fields()], before=before), SELECTORS), PageTable)


def test_a_tag_of_the_most_attributes_is_read():
    before = f"<p {MANY_ATTRIBUTES.rpartition(' ')[0]}>"
    assert isinstance(read_page(list_page([some_fields()], before=before), SELECTORS), PageTable)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 3)), min_size=1, max_size=12),
    st.sampled_from(["'>'", '"<"', "'\"'", "'", '"', ">"]),
    st.sampled_from([" ", "/", "\n"]),
)
def test_the_attributes_of_a_tag_are_counted_whatever_stands_between(runs, value, gap):
    """Values that hold the end of a tag, or seem to, stand between runs of bare names."""
    names = iter(range(20_000))
    parts = [
        gap.join([*(f"a{next(names)}" for _ in range(n_names)), f"b{next(names)} = {value}"])
        for n_names, repeat in runs
        for _ in range(repeat)
    ]
    tag = f"<p {gap.join(parts)} {value}>"
    page = read_page(list_page([some_fields()], before=tag), SELECTORS)
    code = page.code if isinstance(page, Fault) else "read"
    has_many = sum((n_names + 1) * repeat for n_names, repeat in runs) + 1 > 5_000
    if value in {"'>'", '"<"', "'\"'"}:
        assert code == ("page_too_complex" if has_many else "read")
    elif value == ">":  # there the tag ends
        assert code == "read"
    else:  # the tag goes on to the next such quote, maybe of the page; some names are in values
        assert code in {"read", "no_table", *(["page_too_complex"] if has_many else [])}
    if isinstance(page, PageTable):
        assert [row.fields for row in page.rows] == [some_fields()]


@pytest.mark.parametrize("n_blanks", [0, 1, 62, 63, 64, 65, 200])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_the_end_of_a_tag_in_a_value_is_none_however_many_blanks_stand_before_it(n_blanks, quote):
    """Where no equals sign is in sight before a quote, there may be one."""
    value = f"={' ' * n_blanks}{quote}>{quote}"
    attributes = [f"a{number}{value}" for number in range(5_001)]

    fault = read_page(list_page([some_fields()], before=f"<p {' '.join(attributes)}>"), SELECTORS)
    table = read_page(
        list_page([some_fields()], before=f"<p {' '.join(attributes[1:])}>"), SELECTORS
    )

    assert isinstance(fault, Fault)
    assert fault.code == "page_too_complex"
    assert isinstance(table, PageTable), table


@pytest.mark.parametrize(("n_missing", "code"), [(0, "no_table"), (1, "page_too_complex")])
def test_so_often_a_page_is_read_in_search_of_attributes_and_no_more(n_missing, code):
    """What looks like a tag inside a tag is read again: here 20 times the length of the page."""
    n_tags = 1_000
    tag = "<p" + " <bbbbbbbbb" * n_tags  # its reading, and that of each of the others to its end
    n_read = len(tag) + sum(10 + 11 * behind for behind in range(n_tags))
    n_read += len("<html aaaaaaa") + len("<body")
    start, end = f"<html aaaaaaa><body>{tag}>", "</html>"
    n_chars, rest = divmod(n_read, 20)
    assert rest == 0
    page = start + "글" * (n_chars - len(start) - len(end) - n_missing) + end

    fault = read_page(raw_page(page), SELECTORS)

    assert isinstance(fault, Fault)
    assert fault.code == code


def test_a_large_page_is_read():
    before = "<p>" + "<br>" * 100_000 + "</p>" + "<div>" * 150 + "<i></i>" * 10_000 + "</div>" * 150
    assert isinstance(read_page(list_page([some_fields()], before=before), SELECTORS), PageTable)


def test_a_page_nested_too_deep_to_be_read_whole_is_refused():
    fault = read_page(list_page([some_fields()], before="<div>" * 400), SELECTORS)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("unparsable_page", 4)


@pytest.mark.parametrize("n_nested", range(248, 260))
def test_no_element_of_a_page_that_is_read_has_256_ancestors(n_nested):
    """What a page of few elements may cost is known from it."""
    page = raw_page("<html><body>" + "<div>" * n_nested + "</html>")
    document = parse_page(page, "</html>")
    if isinstance(document, Fault):
        assert (document.code, n_nested >= 255) == ("unparsable_page", True)
    else:
        assert max(len(list(each.iterancestors())) for each in document.iter()) == n_nested + 1


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(list_page([some_fields(1), some_fields(2)]), id="list"),
        pytest.param(list_page([some_fields()], before="<table><tr><th>x</table>"), id="tables"),
        pytest.param(list_page([some_fields()], before="<table>" * 3), id="tables in tables"),
        pytest.param(raw_page(_cell(NAMES, NAMES + "외")), id="stray text"),
        pytest.param(raw_page("<p>점검 중</p></html>"), id="no list"),
    ],
)
def test_reading_makes_no_circles_of_objects(page):
    """Else a page and all its elements stay in memory until Python looks for such circles."""
    read_page(page, SELECTORS)
    gc.collect()
    gc.disable()
    try:
        read_page(page, SELECTORS)
        assert not gc.isenabled()
        assert gc.collect() == 0
    finally:
        gc.enable()
    read_page(page, SELECTORS)
    assert gc.isenabled()


@pytest.mark.parametrize("html", ["</html>", "<!-- -->\n</html>"])
def test_a_page_without_any_element_is_refused(html):
    fault = read_page(raw_page(html), SELECTORS)
    assert isinstance(fault, Fault)
    assert fault.code == "unparsable_page"


def test_control_characters_do_not_cut_the_page():
    html = _cell(COMPANY, "대\x00웅&#0;")
    assert _read(html)[0] == some_fields(company="대웅")


def test_a_declared_charset_inside_the_page_does_not_confuse_the_parser():
    page = raw_page(html_page([some_fields()], markup=Markup(charset="euc-kr")))
    table = read_page(page, SELECTORS)
    assert isinstance(table, PageTable)
    assert table.rows[0].fields == some_fields()


@given(st.binary(max_size=300))
def test_any_bytes_are_a_fault_and_never_an_exception(body):
    assert isinstance(read_page(raw_page(body), SELECTORS), Fault)
    assert isinstance(read_page(raw_page(body + b"<table></html>"), SELECTORS), Fault)


# --- an independent second reader --------------------------------------------------------------

_ENDS = re.compile(r"\A[\s\-–—*·•]+|[\s….⋯]+\Z")
_texts = st.text(
    st.one_of(
        st.characters(
            codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="\ufffd"
        ),
        st.sampled_from("\r\n\t -…<>&"),
    ),
    max_size=12,
).map(
    lambda text: text if text.strip() == "-" else _ENDS.sub("", text)
)  # a list of marked or cut values is refused


@st.composite
def _rows(draw):
    """Rows whose columns take turns with a few drawn texts."""
    texts = draw(st.lists(_texts, min_size=5, max_size=9))
    n_rows = draw(st.integers(1, 3))
    values = iter(texts * (n_rows * len(LABELS)))
    sizes = iter(draw(st.lists(st.integers(1, 3), min_size=4, max_size=4)) * (n_rows * 3))
    return [
        {
            name: tuple(next(values) for _ in range(next(sizes)))
            if name.startswith("maker")
            else next(values)
            for name in LABELS
        }
        for _ in range(n_rows)
    ]


def _any_number() -> Selectors:
    mapping = selectors_mapping()
    del mapping["fields"]["reg_no"]["validate"]["pattern"]
    return some_selectors(**mapping)


ANY_NUMBER = _any_number()


@settings(max_examples=60, deadline=None)
@given(_rows(), st.booleans(), st.booleans())
def test_beautifulsoup_reads_the_same_values(rows, has_tbody, has_labels):
    rows = [row | {"reg_no": "1" + _ENDS.sub("", row["reg_no"])} for row in rows]  # else refused
    page = list_page(rows, has_nested_tbody=has_tbody, has_labels=has_labels)
    table = read_page(page, ANY_NUMBER)
    assert isinstance(table, PageTable), table
    assert [row.fields for row in table.rows] == _read_by_soup(page.body.decode())


def _read_by_soup(html: str) -> list[dict[str, Value]]:
    soup = BeautifulSoup(html, "html.parser")
    for label in soup.select("span.s-th"):
        label.decompose()
    body = soup.select_one("table.tb_list > tbody")
    assert isinstance(body, Tag)
    return [
        dict(zip(LABELS, map(_soup_value, row.find_all("td", recursive=False)[1:]), strict=True))
        for row in body.find_all("tr", recursive=False)
    ]


def _soup_value(cell: Tag) -> Value:
    def text_of(tag: Tag) -> str:
        text = tag.get_text().strip()
        return "" if text == "-" else text

    if cell.table is None:
        return text_of(cell)
    values = tuple(text_of(inner) for inner in cell.table.find_all("td"))
    return () if values == ("",) else values


# --- numbers of a page ---------------------------------------------------------------------------


def _outcome(numbers: list[str], page_no: int) -> str:
    """What becomes of a page whose records have these numbers: "read", or the code of its fault."""
    rows = [some_fields(1, reg_no=number) for number in numbers]
    page = raw_page(html_page(rows, 9_149), page_no=page_no)
    table = read_page(page, SELECTORS)
    return table.code if isinstance(table, Fault) else "read"


OURS, STRANGE = "20260922-211-J-1", "제1호"


@pytest.mark.parametrize(
    ("numbers", "page_no", "code"),
    [
        ([""], 1, "read"),
        (["", ""], 1, "no_numbers"),
        (["", OURS], 1, "read"),
        ([""] * 9, 2, "read"),
        ([""] * 10, 2, "no_numbers"),
        ([STRANGE] * 2, 1, "read"),
        ([STRANGE] * 3, 1, "other_register"),
        ([STRANGE, STRANGE, OURS, OURS], 1, "read"),
        ([STRANGE, STRANGE, STRANGE, OURS, OURS], 1, "other_register"),
        ([STRANGE, STRANGE, OURS, "", ""], 1, "other_register"),
        ([STRANGE] * 19, 2, "read"),
        ([STRANGE] * 20, 2, "other_register"),
        ([STRANGE] * 20 + [OURS], 2, "read"),
    ],
)
def test_numbers_say_whether_the_page_is_of_this_register(numbers, page_no, code):
    assert _outcome(numbers, page_no) == code


def test_what_a_cell_over_several_rows_showed_goes_with_each_of_them():
    rows = [some_fields(number, company=f" 회사{number} ") for number in (1, 2, 3, 4)]
    label = '<span class="s-th">신청인</span>'
    html = html_page(rows).replace(f"<td>{label} 회사1 ", f"<td rowspan=2>{label} 회사1 ")
    html = html.replace(f"<td>{label} 회사2 </td>", "").replace(" 회사3 ", "회사3")

    table = read_page(raw_page(html), SELECTORS)

    assert isinstance(table, PageTable), table
    assert [row.fields["company"] for row in table.rows] == ["회사1", "회사1", "회사3", "회사4"]
    assert [row.shown.get("company") for row in table.rows] == [
        " 회사1 ", " 회사1 ", None, " 회사4 "
    ]  # fmt: skip
