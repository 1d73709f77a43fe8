"""Columns inserted, moved, renamed, removed, merged."""

from __future__ import annotations

import random
from functools import partial

from dmf_crawler.workbench.redesign.kind import REGISTER, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    find_column,
    insert_column,
    make,
    move_column,
    pick,
    quote,
    remove_column,
    strip_text,
    text_of,
)

_ALIASES = {
    "등록번호": ("DMF번호", "원료의약품등록번호"),
    "성분명": ("주성분명", "원료명"),
    "신청인": ("업체명", "등록업체"),
    "제조국가": ("제조국",),
    "최초등록일자": ("최초등록일", "등록일자"),
    "취소/취하구분": ("취하/취소구분", "상태"),
    "담당부서": ("담당 부서", "작성부서"),
    "등록일": ("등록일자", "작성일"),
}
"""Column → other names that the shipped selectors files know."""

_STRANGE_NAMES = {"신청인": "의뢰업체", "담당부서": "작성 주체"}
"""Column → a name that they do not know."""


def insert_unknown(page: SavedPage, rng: random.Random) -> None:
    """Insert a column with content and a header that nobody knows."""
    header = pick(rng, "비고", "처리상태", "관리구분")
    cells = [f"<td>{pick(rng, '해당없음', '검토완료', '')}</td>" for _ in page.rows]
    insert_column(page, rng.randrange(2, len(page.headers)), f"<th>{header}</th>", cells)


def insert_running_number(page: SavedPage, rng: random.Random) -> None:
    """Insert a second column of running numbers under the header that is ignored."""
    header = page.headers[0]
    cells = [f"<td>{number}</td>" for number in range(1, len(page.rows) + 1)]
    insert_column(page, rng.randrange(1, len(page.headers)), f"<th>{header}</th>", cells)


def insert_checkboxes(page: SavedPage, rng: random.Random) -> None:
    """Put a box to tick in front of each row."""
    box = '<td><input type="checkbox" name="chk" title="선택"></td>'
    insert_column(page, 0, '<th><input type="checkbox" id="chkAll"></th>', [box] * len(page.rows))


def move_one(page: SavedPage, rng: random.Random) -> None:
    """Move a column to the end."""
    move_column(page, find_column(page, "신청인", "담당부서"), len(page.headers))


def shuffle(page: SavedPage, rng: random.Random) -> None:
    """Put the columns in another order."""
    order = list(range(len(page.headers)))
    while order == sorted(order):
        rng.shuffle(order)
    for row in (page.header, *page.rows):
        cells = cells_of(row)
        for cell in cells:
            detach(cell)
        row.extend([cells[index] for index in order])


def drop_number(page: SavedPage, rng: random.Random) -> None:
    """Leave the running numbers out."""
    remove_column(page, 0)


def drop_one(page: SavedPage, rng: random.Random) -> None:
    """Leave out a column that is read."""
    remove_column(page, find_column(page, "최종연차보고년도", "담당부서"))


def rename_within(page: SavedPage, rng: random.Random, *, labels_too: bool) -> None:
    """Rename a column to a name that the selectors file knows."""
    old = rng.choice([header for header in page.headers if header in _ALIASES])
    rename_column(page, old, rng.choice(_ALIASES[old]), labels_too=labels_too)


def rename_beyond(page: SavedPage, rng: random.Random, *, labels_too: bool) -> None:
    """Rename a column to a name that the selectors file does not know."""
    old = page.headers[find_column(page, *_STRANGE_NAMES)]
    rename_column(page, old, _STRANGE_NAMES[old], labels_too=labels_too)


def rename_column(page: SavedPage, old: str, new: str, *, labels_too: bool) -> None:
    """Rename a column, in its header alone or in its cells' labels, too."""
    index = page.headers.index(old)
    labels = [page.label_of(cell) for cell in page.columns[index]]
    page.header_of(index).text = new
    for label in labels if labels_too else ():
        if label is not None:
            label.text = new


def swap_headers(page: SavedPage, rng: random.Random) -> None:
    """Exchange two headers and leave the cells where they are."""
    first = find_column(page, "성분명", "제목")
    second = find_column(page, "신청인", "담당부서")
    one, other = page.header_of(first), page.header_of(second)
    one.text, other.text = other.text, one.text


def merge_status(page: SavedPage, rng: random.Random) -> None:
    """Write the day of withdrawal behind the status, in one column."""
    status, day = find_column(page, "취소/취하구분"), find_column(page, "취소/취하일자")
    columns = page.columns
    for target, origin in zip(columns[status], columns[day], strict=True):
        span = make(f"<span>({quote(strip_text(origin))})</span>")
        target.append(span)
    page.header_of(status).text = "취소/취하 구분(일자)"
    remove_column(page, day)


def draw_status(page: SavedPage, rng: random.Random) -> None:
    """Show a column as icons."""
    for cell in page.columns[find_column(page, "취소/취하구분", "담당부서")]:
        label, text = page.label_of(cell), strip_text(cell)
        for child in list(cell):
            if child is not label:
                cell.remove(child)
        if label is not None:
            label.tail = None
        cell.append(make(f'<img src="/img/ico_{len(text)}.png" alt="{quote(text)}">'))


def hide_number(page: SavedPage, rng: random.Random) -> None:
    """Hide the running numbers."""
    for row in (page.header, *page.rows):
        cells_of(row)[0].set("style", "display:none")


def insert_hidden(page: SavedPage, rng: random.Random) -> None:
    """Insert a hidden column of internal numbers."""
    cells = [f'<td style="display: none">{rng.randrange(10**6, 10**7)}</td>' for _ in page.rows]
    insert_column(page, len(page.headers), '<th style="display: none">SEQ</th>', cells)


def insert_spacer(page: SavedPage, rng: random.Random) -> None:
    """Insert an empty column for the look of it."""
    cells = ['<td class="gap"></td>'] * len(page.rows)
    insert_column(page, 2, '<th class="gap"></th>', cells)


def freeze(page: SavedPage, rng: random.Random) -> None:
    """Put the first three columns into a table of their own that does not scroll."""
    frozen = make('<table class="tb_list"><thead></thead><tbody></tbody></table>')
    for section, rows in ((frozen[0], [page.header]), (frozen[1], page.rows)):
        for row in rows:
            left = make("<tr></tr>")
            left.extend(cells_of(row)[:3])
            section.append(left)
    page.table.addprevious(frozen)


def lengthen_rows(page: SavedPage, rng: random.Random) -> None:
    """End each row with an empty cell that has no header."""
    for row in page.rows:
        row.append(make("<td></td>"))


def drop_empty(page: SavedPage, rng: random.Random) -> None:
    """Leave out the cells that hold no value."""
    for cell in page.cells:
        if not strip_text(cell):
            detach(cell)


def name_fields(page: SavedPage, rng: random.Random) -> None:
    """Rename a column beyond the aliases, and name its cells' field in a data attribute."""
    for cell in page.columns[find_column(page, "신청인")]:
        cell.set("data-field", "company")
    rename_column(page, "신청인", "의뢰업체", labels_too=True)


def add_long_name(page: SavedPage, rng: random.Random) -> None:
    """Write behind a date's header how dates are written; the labels stay."""
    header = page.header_of(find_column(page, "최초등록일자", "등록일"))
    header.text = f"{text_of(header)}(YYYY-MM-DD)"


KINDS = (
    Kind("column_unknown", "columns", "A column under a header that nobody knows is inserted.",
         "refuse_ok", on_tree(insert_unknown)),
    Kind("column_ignored", "columns", "A second column of running numbers is inserted.",
         "same", on_tree(insert_running_number)),
    Kind("column_checkbox", "columns", "Each row begins with a box to tick.",
         "same", on_tree(insert_checkboxes)),
    Kind("column_spacer", "columns", "An empty column without header is inserted as a gap.",
         "same", on_tree(insert_spacer)),
    Kind("column_hidden", "columns", "A column that no browser shows is inserted.",
         "same", on_tree(insert_hidden)),
    Kind("column_moved", "columns", "A column moves to the end.", "same", on_tree(move_one)),
    Kind("columns_shuffled", "columns", "The columns stand in another order.",
         "same", on_tree(shuffle)),
    Kind("number_removed", "columns", "The running numbers are gone.",
         "same", on_tree(drop_number)),
    Kind("number_hidden", "columns", "The column of running numbers is hidden.",
         "same", on_tree(hide_number)),
    Kind("column_removed", "columns", "A column that is read is gone.",
         "refuse_ok", on_tree(drop_one)),
    Kind("column_renamed", "columns", "A header changes to one of its aliases.",
         "same", on_tree(partial(rename_within, labels_too=False))),
    Kind("column_renamed_with_labels", "columns",
         "A header and the labels of its cells change to one of its aliases.",
         "same", on_tree(partial(rename_within, labels_too=True))),
    Kind("column_renamed_strangely", "columns",
         "A header changes to an unknown name; the labels in the cells stay.",
         "same", on_tree(partial(rename_beyond, labels_too=False))),
    Kind("column_renamed_wholly", "columns",
         "A header and the labels of its cells change to an unknown name.",
         "refuse_ok", on_tree(partial(rename_beyond, labels_too=True))),
    Kind("column_named_by_data", "columns",
         "A header and its labels change to an unknown name; data-field names the cells.",
         "same", on_tree(name_fields), REGISTER),
    Kind("header_with_format", "columns", "A header says how its dates are written.",
         "same", on_tree(add_long_name)),
    Kind("columns_frozen", "columns",
         "The first columns are a table of their own, beside the rest.",
         "refuse_ok", on_tree(freeze)),
    Kind("rows_longer", "columns", "Each row has one empty cell more than there are headers.",
         "same", on_tree(lengthen_rows)),
    Kind("empty_cells_removed", "columns",
         "Empty cells are left out; only labels tell what is what.",
         "refuse_ok", on_tree(drop_empty), REGISTER),
    Kind("headers_swapped", "columns",
         "Two headers are exchanged, the cells and their labels stay where they are.",
         "refuse_ok", on_tree(swap_headers)),
    Kind("columns_merged", "columns", "The day of withdrawal stands behind the status.",
         "refuse_ok", on_tree(merge_status), REGISTER),
    Kind("column_of_icons", "columns", "A column is shown as icons with alternative texts.",
         "refuse_ok", on_tree(draw_status)),
)  # fmt: skip
