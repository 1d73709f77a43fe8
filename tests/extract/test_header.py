"""What names the columns of a table, which rows it has, and how far both are looked for."""

from __future__ import annotations

import pytest

from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from tests.extract.pages import LABELS, html_page, raw_page, some_fields, some_selectors

ROWS = [some_fields(number) for number in (1, 2, 3)]
HTML = html_page(ROWS)
HEAD = HTML[HTML.index("<thead>") + len("<thead>") : HTML.index("</thead>")]
TITLE = "<tr><td colspan=15>제목</td></tr>"


def _read(html: str) -> str:
    """What becomes of a page: "read" where the three rows are, else the code of the fault."""
    table = read_page(raw_page(html), some_selectors())
    if isinstance(table, PageTable):
        assert [row.fields for row in table.rows] == ROWS
        return "read"
    assert isinstance(table, Fault)
    return table.code


# --- where a header is looked for --------------------------------------------------------------


@pytest.mark.parametrize(("n_titles", "outcome"), [(5, "read"), (6, "layout_table")])
def test_the_header_is_among_the_first_six_rows(n_titles, outcome):
    html = HTML.replace("<thead>", "").replace("</thead>\n<tbody>", "")

    assert _read(html.replace(HEAD, TITLE * n_titles + HEAD)) == outcome


@pytest.mark.parametrize(("n_titles", "outcome"), [(11, "read"), (12, "layout_table")])
def test_of_a_thead_the_header_is_among_the_first_twelve_rows(n_titles, outcome):
    above = "<tr>" + "<th>가</th><th>나</th>" + "</tr>"

    assert _read(HTML.replace(HEAD, above * n_titles + HEAD)) == outcome


def test_a_row_of_two_cells_outside_the_thead_is_no_title():
    """Rows that may be records are left out by nobody: two above the header are its names, too."""
    html = HTML.replace("<thead>", "").replace("</thead>\n<tbody>", "")
    two = "<tr><td colspan=7>가</td><td colspan=8>나</td></tr>"

    assert _read(html.replace(HEAD, two * 2 + HEAD)) == "read"
    assert _read(html.replace(HEAD, two * 3 + HEAD)) == "layout_table"


def _header_in(n_rows: int) -> str:
    """The page, the name of the status told in so many rows."""
    parts = ["취소/", "취하", "구", "분"]
    parts = [*parts[: n_rows - 1], "".join(parts[n_rows - 1 :])]
    texts = ["순번", *LABELS.values()]
    first = "".join(
        f"<th>{parts[0]}</th>" if text == LABELS["status"] else f"<th rowspan={n_rows}>{text}</th>"
        for text in texts
    )
    others = "".join(f"<tr><th>{part}</th></tr>" for part in parts[1:])
    return HTML.replace(HEAD, f"<tr>{first}</tr>{others}").replace(
        "취소/취하구분</span>", "</span>"
    )


@pytest.mark.parametrize(
    ("n_rows", "outcome"), [(1, "read"), (2, "read"), (3, "read"), (4, "missing_column")]
)
def test_so_many_rows_together_name_a_column(n_rows, outcome):
    assert _read(_header_in(n_rows)) == outcome


@pytest.mark.parametrize("attribute", ["abbr", "title", "aria-label"])
def test_a_header_may_be_named_by_what_it_says_of_itself(attribute):
    html = HTML.replace("<th>신청인</th>", f"<th {attribute}=신청인>회사</th>")
    html = html.replace('s-th">신청인<', 's-th">회사<')

    assert _read(html) == "read"
    assert _read(html.replace(attribute, "data-x")) == "missing_column"


def test_a_text_that_names_a_column_comes_before_what_its_attributes_say():
    html = HTML.replace("<th>신청인</th>", "<th title=성분명>신청인</th>")

    assert _read(html.replace("<th>성분명</th>", "<th title=신청인>성분명</th>")) == "read"


def test_the_foot_of_a_table_has_no_records():
    """Whichever selector finds the rows: here the one that asks for no body."""
    html = HTML.replace("<thead>", "").replace("</thead>\n<tbody>", "")
    foot = "<tfoot><tr><td colspan=14>합계</td><td>3</td></tr></tfoot>"
    end = html.rindex("</table>")

    assert _read(html[:end] + foot + html[end:]) == "read"
    as_row = foot.replace("<tfoot>", "").replace("</tfoot>", "")
    assert _read(html[:end] + as_row + html[end:]) == "spanned_cell"


# --- rows and columns --------------------------------------------------------------------------


def test_so_many_rows_a_table_may_have_and_no_more():
    """Two rows of text among spacers; the head is a row, too."""
    end = HTML.rindex("</tbody>")
    spacers = "<tr><td></td></tr>"

    assert _read(HTML[:end] + spacers * (5_000 - 4) + HTML[end:]) == "read"
    assert _read(HTML[:end] + spacers * (5_000 - 3) + HTML[end:]) == "page_too_complex"


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ("<td></td>" * 200, "read"),
        ("<td></td>" * 201, "page_too_complex"),
        ("<td colspan=200></td>", "read"),
        ("<td colspan=201></td>", "page_too_complex"),
        ("<td colspan=999999></td>", "page_too_complex"),
        (f"<td colspan={'1' * 5_000}></td>", "page_too_complex"),
        (f"<td colspan={'0' * 5_000}15></td>", "read"),
    ],
)
def test_so_many_columns_a_row_may_have_and_no_more(cells, outcome):
    below = f"<table><tr>{cells}</tr></table>"

    assert _read(HTML.replace("</body>", f"{below}</body>")) == outcome


def test_no_cell_reaches_out_of_its_section():
    number = "<td>3</td>"
    html = HTML.replace("<td>2</td>", "<td rowspan=9>2</td>")
    html = html.replace(f"<tr>\n{number}", f"</tbody><tbody><tr>\n{number}")

    assert _read(html) == "read"
    assert _read(html.replace("</tbody><tbody>", "")) == "ragged_row"


def test_a_cell_from_above_is_covered_by_none_beside_it():
    cell = '<td><span class="s-th">대상의약품</span>별표1</td>'
    html = HTML.replace(f"<td>1</td>\n{cell}", "<td>1</td>" + cell.replace("<td", "<td rowspan=2"))
    html = html.replace(f"<td>2</td>\n{cell}", "<td colspan=2>2</td>")
    assert html.count(cell) == 1

    assert _read(html) == "read"


def _with_roles(html: str, *, spelled: str = "{}") -> str:
    """The page with its table drawn by other elements."""
    html = html.replace("<tr>", "<div role=row>").replace("</tr>", "</div>")
    for tag, role in (("th", "columnheader"), ("td", "cell")):
        html = html.replace(f"<{tag}>", f"<div role='{spelled.format(role)}'>")
        html = html.replace(f"</{tag}>", "</div>")
    for tag in ("thead", "tbody"):
        html = html.replace(f"<{tag}>", "<div role=rowgroup>").replace(f"</{tag}>", "</div>")
    return html.replace('<table class="tb_list">', "<div role=table>").replace("</table>", "</div>")


FLAT = html_page(
    [row | {name: () for name in row if name.startswith("maker")} for row in ROWS]
).replace("<table><tbody></tbody></table>", "")


def _companies(html: str) -> list[object]:
    table = read_page(raw_page(html), some_selectors())
    assert isinstance(table, PageTable), table
    return [row.fields["company"] for row in table.rows]


@pytest.mark.parametrize("spelled", ["{}", " {} ", "\n{}"])
def test_a_role_is_read_without_its_blanks(spelled):
    assert _companies(_with_roles(FLAT, spelled=spelled)) == ["한국화이자제약(주)"] * 3


def test_a_role_is_read_in_upper_case_and_its_cells_may_span():
    html = _with_roles(FLAT)
    cell = "<div role='cell'><span class=\"s-th\">신청인</span>한국화이자제약(주)</div>"
    assert html.count(cell) == 3
    start, *_ = html.partition(cell)
    spanning = cell.replace("role='cell'", "role=CELL aria-rowspan=3")
    html = start + spanning + html[len(start) + len(cell) :].replace(cell, "")

    assert _companies(html) == ["한국화이자제약(주)"] * 3


def test_a_cell_drawn_by_its_role_may_span_columns():
    html = FLAT.replace('<span class="s-th">', "<i>")
    for label in LABELS.values():
        html = html.replace(f"<i>{label}</span>", "")
    html = _with_roles(html)
    two = "<div role='cell'>\n  </div>\n" * 2
    assert html.count(two) == 3
    html = html.replace(two, "<div role='cell' aria-colspan=2>\n  </div>\n")

    assert _companies(html) == ["한국화이자제약(주)"] * 3
