"""Rows: in sections, with rows between them, doubled for narrow screens, with merged cells."""

from __future__ import annotations

import random
from copy import deepcopy
from functools import partial

from dmf_crawler.workbench.redesign.kind import Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    drop_attribute,
    make,
    make_row,
    parent_of,
    quote,
    strip_text,
    wrap,
)


def split_sections(page: SavedPage, rng: random.Random, *, n_rows: int) -> None:
    """Put every few rows into a section of their own."""
    last = parent_of(page.rows[0])
    for start in range(n_rows, len(page.rows), n_rows):
        section = make("<table><tbody></tbody></table>")[0]
        section.extend(page.rows[start : start + n_rows])
        last.addnext(section)
        last = section


def drop_sections(page: SavedPage, rng: random.Random) -> None:
    """Write all rows right below the table."""
    for row in [page.header, *page.rows]:
        page.table.append(row)
    for section in [each for each in page.table if each.tag in {"thead", "tbody"}]:
        page.table.remove(section)


def add_group_rows(page: SavedPage, rng: random.Random) -> None:
    """Put a row with a heading above every few rows."""
    for number, row in enumerate(page.rows[::4]):
        text = f"{2026 - number}년"
        row.addprevious(make_row(f'<tr><td colspan="{len(page.headers)}">{text}</td></tr>'))


def add_spacers(page: SavedPage, rng: random.Random) -> None:
    """Put a thin empty row between the rows."""
    for row in page.rows[1:]:
        spacer = f'<tr><td colspan="{len(page.headers)}" height="1"></td></tr>'
        row.addprevious(make_row(spacer))


def add_template(page: SavedPage, rng: random.Random) -> None:
    """Leave a hidden row for scripts to copy."""
    cells = "<td></td>" * len(page.headers)
    page.rows[0].addprevious(make_row(f'<tr id="rowTemplate" style="display:none">{cells}</tr>'))


def add_hidden_empty(page: SavedPage, rng: random.Random) -> None:
    """Leave the row that says that nothing was found, hidden."""
    cell = f'<td colspan="{len(page.headers)}">조회 결과가 없습니다</td>'
    page.rows[-1].addnext(make_row(f'<tr id="noData" style="display: none;">{cell}</tr>'))


def add_pager_row(page: SavedPage, rng: random.Random) -> None:
    """Put the pager into a last row."""
    links = " ".join(f'<a href="#none">{n}</a>' for n in range(1, 6))
    page.rows[-1].addnext(
        make_row(f'<tr class="pg"><td colspan="{len(page.headers)}">{links}</td></tr>')
    )


def add_sums(page: SavedPage, rng: random.Random) -> None:
    """Add a tfoot with a sum."""
    n_rest = len(page.headers) - 1
    cells = f'<th>합계</th><td colspan="{n_rest}">{len(page.rows)}건</td>'
    page.table.append(make(f"<table><tfoot><tr>{cells}</tr></tfoot></table>")[0])


def add_totals_first(page: SavedPage, rng: random.Random) -> None:
    """Put a tfoot with a sum above the rows, as HTML 4 has it."""
    add_sums(page, rng)
    foot = page.table[-1]
    page.table.remove(foot)
    parent = parent_of(page.header)
    if parent.tag == "thead":
        parent.addnext(foot)
    else:
        page.table.insert(0, foot)


def describe(page: SavedPage, rng: random.Random) -> None:
    """Add caption, colgroup and summary."""
    names = ", ".join(page.headers)
    page.table.set("summary", f"{names} 정보를 제공하는 표")
    columns = "".join(f'<col style="width:{rng.randrange(3, 12)}%">' for _ in page.headers)
    page.table.insert(0, make(f"<table><colgroup>{columns}</colgroup></table>")[0])
    page.table.insert(0, make(f"<table><caption>목록 - {names}</caption></table>")[0])


# --- for narrow screens ------------------------------------------------------------------------


def double_rows(page: SavedPage, rng: random.Random, *, name: str, value: str) -> None:
    """Write each row twice, the second one hidden by an attribute."""
    for row in page.rows:
        twin = deepcopy(row)
        twin.tail = None
        twin.set(name, value)
        row.addnext(twin)


def add_cards(page: SavedPage, rng: random.Random, *, style: str) -> None:
    """Write behind each row its values once more, as one cell for narrow screens."""
    for row in page.rows:
        pairs = [
            f"<b>{quote(header)}</b> <em>{quote(strip_text(cell))}</em>"
            for header, cell in zip(page.headers, cells_of(row), strict=True)
        ]
        cell = f'<td colspan="{len(pairs)}">{"<br>".join(pairs)}</td>'
        row.addnext(make_row(f'<tr class="mobile-tr"{style}>{cell}</tr>'))


def add_details(page: SavedPage, rng: random.Random) -> None:
    """Put a hidden row with more about it behind each row."""
    for number, row in enumerate(page.rows):
        cell = f'<td colspan="{len(page.headers)}"><p>상세 정보 {number} 불러오는 중</p></td>'
        row.addnext(make_row(f'<tr class="detail" hidden>{cell}</tr>'))


# --- merged cells ------------------------------------------------------------------------------


def wrap_rows(page: SavedPage, rng: random.Random, *, box: str) -> None:
    """Put an element that does not belong there between table and rows."""
    section = parent_of(page.rows[0])
    wrap(section, make(box))


def drop_row_class(page: SavedPage, rng: random.Random) -> None:
    """Stripe the rows."""
    for number, row in enumerate(page.rows):
        drop_attribute(row, "style")
        name = "odd" if number % 2 else "even"
        row.set("class", f"{row.get('class') or ''} {name}".strip())


_HIDDEN = ' style="display:none"'

KINDS = (
    Kind("rows_in_sections", "rows", "Every three rows have a tbody of their own.",
         "same", on_tree(partial(split_sections, n_rows=3))),
    Kind("row_a_section", "rows", "Every row has a tbody of its own.",
         "same", on_tree(partial(split_sections, n_rows=1))),
    Kind("rows_without_section", "rows", "There is neither thead nor tbody.",
         "same", on_tree(drop_sections)),
    Kind("rows_striped", "rows", "The rows have classes of their own.",
         "same", on_tree(drop_row_class)),
    Kind("rows_grouped", "rows", "A row with a heading stands above every few rows.",
         "same", on_tree(add_group_rows)),
    Kind("rows_spaced", "rows", "An empty row stands between the rows.",
         "same", on_tree(add_spacers)),
    Kind("row_template", "rows", "A hidden empty row is there for scripts to copy.",
         "same", on_tree(add_template)),
    Kind("row_nothing_hidden", "rows", "The row that says that nothing was found is there, hidden.",
         "same", on_tree(add_hidden_empty)),
    Kind("row_pager", "rows", "The last row holds the pager.", "same", on_tree(add_pager_row)),
    Kind("foot_with_sum", "rows", "A tfoot holds a sum.", "same", on_tree(add_sums)),
    Kind("foot_first", "rows", "A tfoot with a sum stands above the rows.",
         "same", on_tree(add_totals_first)),
    Kind("table_described", "rows", "The table has caption, colgroup and summary.",
         "same", on_tree(describe)),
    Kind("rows_doubled_style", "rows", "Each row stands twice, one of them with display:none.",
         "same", on_tree(partial(double_rows, name="style", value="display: none"))),
    Kind("rows_doubled_hidden", "rows", "Each row stands twice, one of them with hidden.",
         "same", on_tree(partial(double_rows, name="hidden", value=""))),
    Kind("cards_hidden", "rows", "A hidden cell behind each row repeats it.",
         "same", on_tree(partial(add_cards, style=_HIDDEN))),
    Kind("cards_by_class", "rows",
         "A cell behind each row repeats it; a style sheet hides the class mobile-tr.",
         "same", on_tree(partial(add_cards, style=""))),
    Kind("details_hidden", "rows", "A hidden row behind each row waits for details.",
         "same", on_tree(add_details)),
    Kind("rows_in_form", "rows", "A form stands between table and rows.",
         "same", on_tree(partial(wrap_rows, box='<form name="listForm"></form>'))),
    Kind("rows_in_font", "rows", "A font stands between table and rows.",
         "same", on_tree(partial(wrap_rows, box='<font size="2"></font>'))),
    Kind("rows_in_center", "rows", "A center stands between table and rows.",
         "same", on_tree(partial(wrap_rows, box="<center></center>"))),
)  # fmt: skip
