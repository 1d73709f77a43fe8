"""Spoiled pages are read or refused: nothing is raised, nothing invented, nothing takes long.

A short form of scripts/fuzz_extract.py. Hypothesis draws the same examples each time, and prints
page, mutations and seed of one that fails.
"""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scripts.fuzzing.corpus import saved_pages
from scripts.fuzzing.mutations import BYTE_MUTATIONS, TAG_MUTATIONS, mutate
from scripts.fuzzing.readers import Case, Outcome, judge, read_case
from tests.extract.pages import html_page, some_fields

SEEDS = {seed.name: seed for seed in saved_pages()}
MUTATIONS = {mutation.__name__: mutation for mutation in (*TAG_MUTATIONS, *BYTE_MUTATIONS)}
MOST_CPU_S = 5.0


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    name=st.sampled_from(sorted(SEEDS)),
    other=st.sampled_from(sorted(SEEDS)),
    mutations=st.lists(st.sampled_from(sorted(MUTATIONS)), min_size=1, max_size=4),
    seed=st.integers(0, 1_000_000),
)
@example(name="header_in_first_row", other="no_result", mutations=["truncate"], seed=1)
def test_a_spoiled_page_is_read_or_refused(name, other, mutations, seed):
    page = SEEDS[name]
    chosen = [MUTATIONS[mutation] for mutation in mutations]
    body = mutate(str(seed), page.body, SEEDS[other].body, chosen)[:200_000]
    case = Case(page.reader, body, page.content_type)
    outcome = judge(case, read_case(case))
    assert not outcome.is_finding, f"{outcome.kind}: {outcome.detail}"


TWO_ROWS = html_page([some_fields(1), some_fields(2)])
CELL = "<td>1</td>"
BODY = "<body>"


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
def test_a_bomb_is_refused_by_its_name_within_seconds(place, bomb, code):
    assert _judge_within_seconds(place, place + bomb).kind == code


@pytest.mark.parametrize("place", [CELL, "<th>신청인</th>", "<td>"])
@pytest.mark.parametrize("span", ["colspan=1000000", "rowspan=65535", f"colspan={'9' * 5_000}"])
def test_a_huge_span_takes_no_time(place, span):
    _judge_within_seconds(place, f"{place[:3]} {span}{place[3:]}")


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
    ],
)
@pytest.mark.parametrize("place", ["신청인</span>", "<body>"])
def test_a_flood_of_text_is_read_or_refused_within_seconds(place, flood):
    _judge_within_seconds(place, place + flood)


def _judge_within_seconds(old: str, new: str) -> Outcome:
    """Read a page of two rows in which the first place of a text has another text."""
    assert old in TWO_ROWS
    case = Case("list", TWO_ROWS.replace(old, new, 1).encode(), "text/html")
    started = time.process_time()
    found = read_case(case)
    assert time.process_time() - started < MOST_CPU_S
    outcome = judge(case, found)
    assert not outcome.is_finding, f"{outcome.kind}: {outcome.detail}"
    return outcome
