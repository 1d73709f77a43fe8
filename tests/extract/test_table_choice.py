"""Every table that is not the list has one reason, and a score: how many fields it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from dmf_crawler.extract.hits import Hits, count_page_hits
from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.table_guard import GuardedTable, guard_table
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from tests.extract.pages import LABELS, html_page, raw_page, some_fields, some_selectors

ROWS = [some_fields(number) for number in (1, 2, 3)]
OTHERS = [some_fields(number) for number in (4, 5, 6)]
STRANGE = [some_fields(number, reg_no=f"제{number}호") for number in (4, 5, 6)]
HEADERS = " ".join(["순번", *LABELS.values()])


def _table(rows: Sequence[Mapping[str, Value]], attributes: str = "", inside: str = "") -> str:
    html = html_page(rows)
    table = html[html.index("<table") : html.rindex("</table>") + len("</table>")]
    return table.replace('<table class="tb_list">', f"<table {attributes}>{inside}", 1)


def _html(*tables: str) -> str:
    return f"<html><body><p>총 3 건</p>{''.join(tables)}</body></html>"


def _losers(*tables: str, **changes: object) -> tuple[str, ...]:
    """Why the tables of a page are not the list; the one with the rows 1 to 3 is."""
    page, selectors = raw_page(_html(*tables)), some_selectors(**changes)
    table = read_page(page, selectors)
    assert isinstance(table, PageTable), table
    assert [row.fields for row in table.rows] == ROWS
    hits = count_page_hits(page, selectors)
    assert isinstance(hits, Hits), hits
    document = parse_page(page, "</html>")
    assert not isinstance(document, Fault)
    guarded = guard_table(document, selectors)
    assert isinstance(guarded, GuardedTable)
    assert guarded.losers == hits.losers
    return hits.losers


def _refuse(*tables: str, **changes: object) -> Fault:
    fault = read_page(raw_page(_html(*tables)), some_selectors(**changes))
    assert isinstance(fault, Fault), fault
    return fault


LIST = _table(ROWS)
DMF = {"table": {"names": ["원료의약품", "DMF"]}}


def test_the_only_table_has_no_losers():
    assert _losers(LIST) == ()


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    ("other", "changes", "why"),
    [
        pytest.param(
            _table(OTHERS, "hidden"), {}, "화면에 보이지 않음", id="its own markup hides it"
        ),
        pytest.param(
            f"<div style='display: none'><p>{_table(OTHERS)}</p></div>",
            {},
            "화면에 보이지 않음",
            id="something around it is hidden",
        ),
        pytest.param(_table([]), {}, "행이 없음", id="without rows"),
        pytest.param(_table(STRANGE), {}, "번호의 모양이 다름", id="numbers of another register"),
        pytest.param(_table(ROWS[1:]), {}, "다른 표에 있는 행뿐임", id="an excerpt"),
        pytest.param(_table(ROWS[::-1][:1]), {}, "다른 표에 있는 행뿐임", id="one row of it"),
    ],
)
def test_each_reason_is_given_to_a_table_that_names_all_fields(other, changes, why, is_first):
    tables = (other, LIST) if is_first else (LIST, other)

    assert _losers(*tables, **changes) == (f"'{HEADERS[:40]}' 14/14: {why}",)


@pytest.mark.parametrize("is_first", [True, False])
def test_another_name_is_a_reason_where_the_file_has_names(is_first):
    ours = _table(ROWS, inside="<caption>원료 의약품 등록</caption>")
    other = _table(OTHERS, inside="<caption>의약외품</caption>")
    tables = (other, ours) if is_first else (ours, other)

    assert _losers(*tables, **DMF) == ("'의약외품' 14/14: 이름이 다름",)
    assert _refuse(*tables).code == "ambiguous_table"


def test_of_two_equal_tables_the_second_is_the_excerpt():
    again = _table(ROWS, 'summary="두 번째"')

    assert _losers(LIST, again) == ("'두 번째' 14/14: 다른 표에 있는 행뿐임",)


@pytest.mark.parametrize("n_fields", [0, 1, 13])
def test_a_table_that_names_fewer_fields_is_told_with_their_number(n_fields):
    texts = ["구분", *list(LABELS.values())[:n_fields]]
    other = f"<table title=다른표><tr>{''.join(f'<th>{text}</th>' for text in texts)}</tr></table>"

    assert _losers(other, LIST) == (f"'다른표' {n_fields}/14: 머리글이 모자람",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("summary='가  나'", "가 나"),
        ("aria-label=다", "다"),
        ("title=라", "라"),
        ("title=라 aria-label=다 summary=가", "가 다 라"),
        (f"title={'마' * 41}", "마" * 40),
        ("data-name=바", HEADERS[:40]),
    ],
)
def test_a_table_is_called_as_it_calls_itself(name, said):
    assert _losers(LIST, _table(OTHERS, f"hidden {name}")) == (
        f"'{said}' 14/14: 화면에 보이지 않음",
    )


def test_a_caption_comes_before_the_other_names():
    other = _table(OTHERS, "hidden summary=나", "<caption>가</caption>")

    assert _losers(LIST, other) == ("'가 나' 14/14: 화면에 보이지 않음",)


def test_the_reason_is_the_first_rule_that_leaves_a_table_out():
    """Each of the tables breaks all the rules behind its own, too."""
    named = "<caption>{}</caption>"
    ours = _table(ROWS, inside=named.format("DMF"))
    tables = (
        _table(STRANGE, "hidden", named.format("의약외품 1")),
        _table([], inside=named.format("의약외품 2")),
        _table([], inside=named.format("DMF 3")),
        _table(STRANGE, inside=named.format("DMF 4")),
        _table(ROWS[:2], inside=named.format("DMF 5")),
        ours,
        "<table><tr><th>신청인</th></tr></table>",
    )

    assert _losers(*tables, **DMF) == (
        "'신청인' 1/14: 머리글이 모자람",
        "'의약외품 1' 14/14: 화면에 보이지 않음",
        "'의약외품 2' 14/14: 이름이 다름",
        "'DMF 3' 14/14: 행이 없음",
        "'DMF 4' 14/14: 번호의 모양이 다름",
        "'DMF 5' 14/14: 다른 표에 있는 행뿐임",
    )


def test_a_rule_that_would_leave_no_table_leaves_none_out():
    hidden = _table(ROWS, "hidden"), _table(ROWS[:1], "hidden summary=발췌")

    assert _losers(*hidden) == ("'발췌' 14/14: 다른 표에 있는 행뿐임",)


@pytest.mark.parametrize(
    ("numbers", "is_left_out"),
    [
        (["제1호", "제2호"], False),
        (["제1호", "제2호", "20260922-211-J-9"], True),
        (["제1호", "20260922-211-J-8", "20260922-211-J-9", "제2호"], False),
        (["제1호", "제2호", "제3호", "20260922-211-J-9"], True),
    ],
)
def test_numbers_are_strange_where_most_of_three_or_more_are(numbers, is_left_out):
    rows = [some_fields(7, reg_no=number) for number in numbers]
    tables = _table(rows, "summary=가"), LIST

    if is_left_out:
        assert _losers(*tables) == ("'가' 14/14: 번호의 모양이 다름",)
    else:
        assert _refuse(*tables).code == "ambiguous_table"


def test_so_many_tables_with_the_header_of_the_list_are_compared_and_no_more():
    hidden = [_table([], "hidden summary=가")] * 19

    assert _losers(LIST, *hidden) == ("'가' 14/14: 화면에 보이지 않음",) * 19
    assert _refuse(LIST, *hidden, hidden[0]).code == "ambiguous_table"


def test_so_many_tables_may_stand_on_a_page_and_no_more():
    menu = "<table><tr><td>메뉴</td></tr></table>"

    assert len(_losers(LIST, menu * 1_999)) == 1_999
    assert _refuse(LIST, menu * 2_000).code == "page_too_complex"


def test_a_list_in_sections_has_no_losers_but_the_other_tables():
    """Rows 1 and 2, then row 3: the running number goes on from table to table."""
    html = LIST
    head = html[html.index("<thead>") : html.index("</thead>") + len("</thead>")]
    split = f"</tbody></table><table>{head}<tbody><tr>\n<td>3</td>"
    sections = html.replace("<tr>\n<td>3</td>", split)

    assert _losers(sections, "<table title=끝><tr><td>x</td></tr></table>") == (
        "'끝' 0/14: 머리글이 모자람",
    )
    counted_anew = sections.replace("<td>3</td>", "<td>1</td>")
    assert _refuse(counted_anew).code == "ambiguous_table"
