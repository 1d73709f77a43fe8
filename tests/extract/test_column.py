"""The usual forms of a cell are read as any other one is: text, labels, table, what is no text."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import _Element as Element
from lxml.html import document_fromstring

from dmf_crawler.extract.cell import cell_text
from dmf_crawler.extract.column import (
    CellColumn,
    read_column,
    read_inner,
    read_nested_column,
)
from dmf_crawler.extract.labels import Labels, find_labels
from dmf_crawler.extract.paths import compile_css, find_elements
from dmf_crawler.extract.row_guard import check_columns
from tests.extract.pages import LABELS, some_selectors

ROWS = compile_css("#list > tbody > tr")
SELECTORS = some_selectors(drop=[".s-th"])

_text = st.sampled_from(
    ["", "", "대웅", " ", "\n\t", "&nbsp;", "a&#13;&#10;b", "-", "2019-01-17", "신청인 대웅", "…"]
)
_label = st.sampled_from(
    [
        *['<span class="s-th">신청인</span>'] * 6,
        *['<span class="s-th">제조소명</span>'] * 4,
        *('<span class="s-th"> 신청인 </span>', '<span class="s-th"></span>'),
        *('<span class="s-th">대상의약품</span>', '<span class="s-th">신<b>청</b>인</span>'),
        *('<b class="s-th">신청인</b>', '<div class="s-th">신청인</div>', '<br class="s-th">'),
        *('<img class="s-th" alt="신청인">', '<p class="s-th">신청인</p>'),
        *("<span>신청인</span>", "<script>x</script>", "<i><b class='s-th'>신청인</b></i>"),
    ]
)
_inner = st.sampled_from(
    [
        *["<td>{}</td>"] * 8,
        *("<th>{}</th>", "<td title='대웅제약'>{}</td>", "<td>{}<br>{}</td>"),
        *("<td class='s-th'>{}</td>", "<td><span class='s-th'>제조소</span>{}</td>"),
        *("<td><table><tr><td>{}</td></tr></table></td>", "<td><img alt='{}'></td>"),
        *("<script>{}</script>", "{}", "<span class='s-th'></span>", "<input value='{}'>"),
    ]
)
_row = st.lists(st.tuples(_inner, _text), max_size=2).map(
    lambda cells: "<tr>" + "".join(cell.format(text, text) for cell, text in cells) + "</tr>"
)


@st.composite
def _tables(draw):
    rows = "".join(draw(st.lists(_row, max_size=3)))
    body = f"<tbody>{rows}</tbody>" if draw(st.booleans()) else rows
    return draw(st.sampled_from(["<table>", "<table>\n", "<table>외", "<table class='s-th'>"])) + (
        f"{body}</table>"
    )


_table = _tables()
_other = st.sampled_from(
    [
        *("<br>", "<a href='#'>대웅</a>", "<p>가</p><p>나</p>", "<ul><li>가<li>나</ul>"),
        *(
            "<span hidden>대웅</span>",
            "<img alt='그림'>",
            "<input value='x'>",
            "<style>b{}</style>",
        ),
    ]
)
_usual = st.tuples(_label, _text)
_cell = st.one_of(
    *[_usual.map("".join)] * 3,
    *[st.tuples(_label, st.sampled_from(["", "\n"]), _table, st.sampled_from(["", "\n", "외"]))
      .map("".join)] * 3,
    _text,
    st.tuples(_text, _label, _text).map("".join),
    st.lists(st.one_of(_text, _label, _table, _other), max_size=4).map("".join),
)  # fmt: skip
_column = st.lists(_cell, min_size=1, max_size=5) | st.tuples(_cell, st.integers(2, 4)).map(
    lambda drawn: [drawn[0]] * drawn[1]
)


def _parse(cells: list[str]) -> tuple[list[Element], Labels]:
    html = "".join(f"<tr><td>{cell}</td></tr>" for cell in cells)
    document = document_fromstring(f"<table id='list'><tbody>{html}</tbody></table>")
    return [row[0] for row in find_elements(ROWS, document)], find_labels(document, SELECTORS)


def _check(field: str, column: CellColumn, labels: Labels) -> object:
    return check_columns({field: column}, labels, {field: LABELS[field]}, SELECTORS)


def _doubt_all(column: CellColumn) -> CellColumn:
    nothing: frozenset[str] = frozenset()
    return replace(column, labels=nothing, lone_labels=nothing, odd=range(len(column.cells)))


@settings(max_examples=300, deadline=None)
@given(_column)
def test_a_cell_of_one_text_is_read_like_any_other(texts):
    cells, labels = _parse(texts)
    column = read_column(cells, labels)
    assert list(column.texts) == [cell_text(cell, labels.all) for cell in cells]
    for field in ("company", "report_year"):
        assert _check(field, column, labels) == _check(field, _doubt_all(column), labels)


@settings(max_examples=300, deadline=None)
@given(_column)
def test_a_cell_of_several_texts_is_read_like_any_other(texts):
    cells, labels = _parse(texts)
    column = read_nested_column(cells, labels)
    assert list(column.nested) == [read_inner(cell, labels.all) for cell in cells]
    for field in ("maker_names", "maker_countries"):
        assert _check(field, column, labels) == _check(field, _doubt_all(column), labels)


@pytest.mark.parametrize(
    "cell",
    [
        "<div class='s-th'>제조소명</div><table><tr><td>대웅</td></tr></table>",
        "<span class='s-th'>제조<b>소명</b></span><table><tr><td>대웅</td></tr></table>",
        "<span class='s-th'>제조소명</span><table class='s-th'><tr><td>대웅</td></tr></table>",
        "<span class='s-th'>제조소명</span><table><tr class='s-th'><td>대웅</td></tr></table>",
        "<span class='s-th'>제조소명</span><table><tr><td class='s-th'>대웅</td></tr></table>",
        "<span class='s-th'>제조소명</span><table><tr><td>가<tr><td class='s-th'>나</table>",
        "<span class='s-th'>제조소명</span><table><tr><td>가<tr hidden><td>나</table>",
    ],
)
def test_what_is_no_usual_form_is_odd_and_read_part_by_part(cell):
    cells, labels = _parse([cell])
    column = read_nested_column(cells, labels)
    assert list(column.odd) == [0]
    assert list(column.nested) == [read_inner(cells[0], labels.all)]


@pytest.mark.parametrize(
    ("cell", "is_nested"),
    [
        ("", False),
        ("대웅", False),
        ('<span class="s-th">신청인</span>', False),
        ('<span class="s-th">신청인</span>대웅\n', False),
        (
            '<span class="s-th">신청인</span><table><tr><td>대웅<tr><td></table>',
            True,
        ),
        ('\n<span class="s-th">신청인</span>\n<table>\n<tr>\n<td>-</table>\n', True),
    ],
)
def test_the_usual_forms_are_not_odd(cell, is_nested):
    cells, labels = _parse([cell])
    column = (read_nested_column if is_nested else read_column)(cells, labels)
    assert not column.odd
