"""Spoiled pages are read or refused: nothing is raised, nothing invented, nothing takes long.

A short form of scripts/fuzz_extract.py. Hypothesis draws the same examples each time, and prints
page, mutations and seed of one that fails.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scripts.fuzzing.corpus import saved_pages
from scripts.fuzzing.mutations import BYTE_MUTATIONS, TAG_MUTATIONS, mutate
from scripts.fuzzing.packages import JSON_MUTATIONS, PACKAGE_MUTATIONS
from scripts.fuzzing.readers import READERS, Case, judge, read_case
from scripts.fuzzing.worker import Worker
from tests.extract.pages import html_page, some_fields
from tests.extract.workbooks import a_workbook, list_rows

SEEDS = {seed.name: seed for seed in saved_pages()}
_SEED = st.integers(0, 1_000_000)
MUTATIONS = {mutation.__name__: mutation for mutation in (*TAG_MUTATIONS, *BYTE_MUTATIONS)}


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    name=st.sampled_from(sorted(SEEDS)),
    other=st.sampled_from(sorted(SEEDS)),
    mutations=st.lists(st.sampled_from(sorted(MUTATIONS)), min_size=1, max_size=4),
    seed=_SEED,
)
@example(name="header_in_first_row", other="no_result", mutations=["truncate"], seed=1)
def test_a_spoiled_page_is_read_or_refused(name, other, mutations, seed):
    page = SEEDS[name]
    chosen = [MUTATIONS[mutation] for mutation in mutations]
    body = mutate(str(seed), page.body, SEEDS[other].body, chosen)[:200_000]
    _judge(Case(page.reader, body, page.content_type))


PACKAGE = a_workbook(list_rows([some_fields(number) for number in range(3)]))
PARTS = {mutation.__name__: mutation for mutation in PACKAGE_MUTATIONS}
ANSWERS = sorted(name for name in SEEDS if name.startswith("api/"))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(mutations=st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=2), seed=_SEED)
def test_a_spoiled_workbook_is_read_or_refused(mutations, seed):
    body = mutate(str(seed), PACKAGE, b"<a>", [PARTS[mutation] for mutation in mutations])
    _judge(Case("workbook", body, ""))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(name=st.sampled_from(ANSWERS), mutation=st.sampled_from(sorted(MUTATIONS)), seed=_SEED)
def test_a_spoiled_answer_of_the_open_api_is_read_or_refused(name, mutation, seed):
    page = SEEDS[name]
    for chosen in (*JSON_MUTATIONS, MUTATIONS[mutation]):
        body = mutate(str(seed), page.body, b"<a>", [chosen])[:200_000]
        _judge(Case("open_api", body, page.content_type))


@pytest.mark.parametrize("reader", sorted(READERS))
@pytest.mark.parametrize(
    "body",
    [
        b"<?xml?><?xml version='1.0' encoding='utf-8'?><html><table></table></html>",
        b"<?xml version='1.0'?>\n<?xml version='1.0' encoding='utf-8'?><response></response>",
        b'<?xml" encoding=""<body',
    ],
)
def test_a_declaration_that_stands_twice_is_no_crash(reader, body):
    _judge(Case(reader, body, "text/html"))


def _judge(case: Case) -> None:
    outcome = judge(case, read_case(case))
    assert not outcome.is_finding, f"{outcome.kind}: {outcome.detail}"


TWO_ROWS = html_page([some_fields(1), some_fields(2)])
CELL = "<td>1</td>"
BODY = "<body>"
HEAD = TWO_ROWS[TWO_ROWS.index("<tr>") : TWO_ROWS.index("</thead>")]
VALUES = ("1", "별표1", "20260922-211-J-1", "성분", "회사", "A", "B", "인도", "2026-09-22", "", "",
          "정상", "", "", "")  # fmt: skip
LONG = "가나다라 " * 20_000


def _run(worker: Worker, html: str) -> str:
    """What becomes of a page in a process with limits: never a finding."""
    outcome = worker.run(Case("list", html.encode(), "text/html"))
    assert not outcome.is_finding, f"{outcome.kind}: {outcome.detail}"
    return outcome.kind


def _page(*parts: str) -> str:
    return f"<!DOCTYPE html>\n<html><body><p>총 3 건</p>{''.join(parts)}</body></html>"


def _table(*parts: str) -> str:
    return f"<table><thead>{HEAD}</thead><tbody>{''.join(parts)}</tbody></table>"


def _row(attribute: str = "", **others: str) -> str:
    """A row whose cells all have an attribute; `c2` is another cell for the third."""
    usual = {f"c{index}": f"<td {attribute}>{value}</td>" for index, value in enumerate(VALUES)}
    return f"<tr>{''.join((usual | others).values())}</tr>"


@pytest.mark.parametrize(
    ("place", "bomb", "code"),
    [
        pytest.param(BODY, "<div>" * 100_000, "unparsable_page", id="depth"),
        pytest.param(BODY, "<b>" * 400_000, "unparsable_page", id="depth of inline elements"),
        pytest.param(BODY, "<table><tr><td>" * 400, "unparsable_page", id="depth of tables"),
        pytest.param(CELL, "<table><tr><td>" * 100_000, "unparsable_page", id="depth in a cell"),
        pytest.param(CELL, "<ul><li>" * 300, "unparsable_page", id="depth of a list in a cell"),
        pytest.param(CELL, "<td></td>" * 1_000_000, "page_too_complex", id="a million cells"),
        pytest.param(CELL, "<td>" * 1_000_000, "page_too_complex", id="a million open cells"),
        pytest.param("<th>순번</th>", "<th></th>" * 1_000_000, "page_too_complex", id="headers"),
        pytest.param("</tbody>", "<tr><td>1</td></tr>" * 300_000, "page_too_complex", id="rows"),
        pytest.param(BODY, "<table></table>" * 300_000, "page_too_complex", id="tables"),
    ],
)  # fmt: skip
def test_a_bomb_is_refused_by_its_name(place, bomb, code, worker):
    assert place in TWO_ROWS
    assert _run(worker, TWO_ROWS.replace(place, place + bomb, 1)) == code


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            _page("<table><tr><th>신청인</th></tr></table>" * 45_000), id="tables with one header"
        ),
        pytest.param(
            _page("<p role=table><i role=row><b role=cell>신청인</b></i></p>" * 40_000),
            id="ARIA tables",
        ),
        pytest.param(_page(_table() * 5_000), id="lists without rows"),
        pytest.param(_page(_table(_row()) * 3_500), id="lists of one row"),
        pytest.param(
            _page("<table><tr><th>신청인</th></tr><tr><td>" * 80, "x" * 1_000_000),
            id="a long text inside many tables",
        ),
        pytest.param(
            _page("<table><thead>", "<tr><th>x</th></tr>" * 40_000, HEAD, "</thead></table>"),
            id="rows of a head",
        ),
        pytest.param(
            _page("<table>", f"<tr><td colspan=15>{LONG * 5}</td></tr>" * 5, HEAD, "</table>"),
            id="long titles",
        ),
        pytest.param(
            _page(_table(_row())).replace("신청인", "신청인" + "㈜a " * 700_000), id="a long header"
        ),
        pytest.param(
            _page(_table(_row(c1=f"<td>{LONG * 10}</td>"), "<tr hidden><td>x</td></tr>" * 30_000)),
            id="hidden rows beside a long one",
        ),
        pytest.param(
            _page(_table(_row("rowspan=0", c2=f"<td rowspan=0>{'9' * 100_000}</td>"),
                         "<tr></tr>" * 40_000)),
            id="a long number that spans rows",
        ),
        pytest.param(
            _page(_table(_row("rowspan=0", c4=f"<td rowspan=0>{LONG * 3}</td>", c2="<td>1</td>"),
                         *(f"<tr><td>20260922-211-J-{n}</td></tr>" for n in range(2, 1_000)))),
            id="a long text that spans the most rows",
        ),
        pytest.param(
            _page(_table(_row("rowspan=0", c5="<td rowspan=0><table>"
                                              + "<tr><td>가</td></tr>" * 30_000 + "</table></td>",
                              c2="<td>1</td>"),
                         *(f"<tr><td>20260922-211-J-{n}</td></tr>" for n in range(2, 1_000)))),
            id="a long table that spans the most rows",
        ),
        pytest.param(
            _page(_table("<tr><td rowspan=0 colspan=200>1</td></tr>", "<tr></tr>" * 100_000)),
            id="two hundred columns that span rows",
        ),
        pytest.param(_page(_table(_row() * 8_000)), id="more rows than a page has"),
        pytest.param(
            _page("<table>", "<col>" * 120_000,
                  "<tr><td>1</td></tr><tbody><tr><td>1</td></tr></tbody>" * 2_400, "</table>"),
            id="rows in and out of sections",
        ),
        pytest.param(_page(_table(*[HEAD + _row()] * 4_000)), id="headers between rows"),
        pytest.param(
            _page(_table(_row("class=x", c4="<td>" + "<span class=s-th>" * 200 + LONG)))
            .replace("<th>신청인</th>", "<th>다른 열</th>"),
            id="labels in labels of an unknown column",
        ),
    ],
)  # fmt: skip
def test_a_page_made_to_take_long_does_not(html, worker):
    _run(worker, html)


@pytest.mark.parametrize("place", [CELL, "<th>신청인</th>", "<td>"])
@pytest.mark.parametrize("span", ["colspan=1000000", "rowspan=65535", f"colspan={'9' * 5_000}"])
def test_a_huge_span_takes_no_time(place, span, worker):
    assert place in TWO_ROWS
    _run(worker, TWO_ROWS.replace(place, f"{place[:3]} {span}{place[3:]}"))


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param("&#65;" * 1_000_000, id="references"),
        pytest.param("&amp;lt;" * 1_000_000, id="entities"),
        pytest.param("&" * 2_000_000, id="ampersands"),
        pytest.param("\r" * 2_000_000, id="returns"),
        pytest.param(" " * 2_000_000, id="blanks"),
        pytest.param("<!--" * 500_000, id="comments without end"),
        pytest.param("<![CDATA[" * 200_000, id="CDATA without end"),
        pytest.param("총 1" * 500_000, id="half totals"),
        pytest.param("\u0301" * 1_000_000, id="combining marks"),
        pytest.param("<span class='s-th'>" * 200 + "</span>" * 200, id="labels in labels"),
        pytest.param("<br>" * 100_000, id="line ends"),
        pytest.param("<button>x</button>" * 40_000, id="buttons"),
        pytest.param("<button></button>" * 40_000, id="blank buttons"),
        pytest.param("<a>x</a><a></a>" * 30_000, id="marks"),
        pytest.param("<i hidden>x</i>" * 60_000, id="hidden texts"),
    ],
)
@pytest.mark.parametrize("place", ["신청인</span>", "<body>"])
def test_a_flood_of_text_takes_no_time(place, flood, worker):
    assert place in TWO_ROWS
    _run(worker, TWO_ROWS.replace(place, place + flood, 1))
