"""The header row: what its cells hold, and where it stands."""

from __future__ import annotations

import random
from functools import partial

from dmf_crawler.workbench.redesign.kind import REGISTER, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    drop_attribute,
    find_column,
    make,
    parent_of,
    quote,
    text_of,
    wrap_content,
)

_MAKER_COLUMNS = ("제조소명", "제조소소재지", "제조국가")
_EVERY = 4
"""Rows after which a header is repeated; a page of a hundred rows repeats it often."""


def break_lines(page: SavedPage, rng: random.Random) -> None:
    """Break each long header into two lines."""
    for cell in cells_of(page.header):
        text = text_of(cell)
        if len(text) > 3:
            cell.text = text[:-2]
            line = make("<br>")
            line.tail = text[-2:]
            cell.append(line)


def space_out(page: SavedPage, rng: random.Random) -> None:
    """Write blanks and line feeds into and around the headers."""
    for cell in cells_of(page.header):
        text = text_of(cell)
        cell.text = f"\n\t\u00a0{text[:2]}  {text[2:]}\n\t"


def add_arrows(page: SavedPage, rng: random.Random) -> None:
    """Write sort arrows behind the headers."""
    for cell in cells_of(page.header):
        cell.text = f"{text_of(cell)} {rng.choice('▲▼')}"


def add_arrow_elements(page: SavedPage, rng: random.Random) -> None:
    """Put an element with both sort arrows behind each header."""
    for cell in cells_of(page.header):
        cell.append(make('<span class="sort"><i>▲</i><i>▼</i></span>'))


def link(page: SavedPage, rng: random.Random) -> None:
    """Make each header a link that sorts."""
    for index, cell in enumerate(cells_of(page.header)):
        wrap_content(cell, make(f'<a href="#none" onclick="fn_sort({index})"></a>'))


def make_buttons(page: SavedPage, rng: random.Random) -> None:
    """Make each header a button that sorts, with a word for screen readers."""
    for cell in cells_of(page.header):
        button = wrap_content(cell, make('<button type="button" class="btn_sort"></button>'))
        button.append(make('<span class="blind">오름차순 정렬</span>'))


def part(page: SavedPage, rng: random.Random) -> None:
    """Write each header as two elements, to be broken between them."""
    for cell in cells_of(page.header):
        text, cell.text = text_of(cell), None
        cell.append(make(f"<span>{text[:2]}</span>"))
        cell.append(make(f"<span>{text[2:]}</span>"))


def hide_head(page: SavedPage, rng: random.Random) -> None:
    """Hide the header row, as pages made for narrow screens do; the labels speak for it."""
    page.header.set("style", "display:none")


def explain(page: SavedPage, rng: random.Random) -> None:
    """Give the headers title and abbr attributes."""
    for cell in cells_of(page.header):
        cell.set("title", f"{text_of(cell)} 정렬")
        cell.set("abbr", text_of(cell)[:2])


def abbreviate(page: SavedPage, rng: random.Random) -> None:
    """Write abbr elements: short texts, the whole headers in their titles."""
    for header in ("최종연차보고년도", "연계심사문서번호", "담당부서"):
        if header in page.headers:
            cell = page.header_of(page.headers.index(header))
            cell.text = None
            cell.append(make(f'<abbr title="{header}">{header[2:4]}</abbr>'))


def add_footnote(page: SavedPage, rng: random.Random) -> None:
    """Put a footnote's number behind two headers."""
    for number, names in enumerate((("대상의약품", "제목"), ("최종변경일자", "담당부서")), start=1):
        page.header_of(find_column(page, *names)).append(make(f"<sup>주{number})</sup>"))


def use_images(page: SavedPage, rng: random.Random) -> None:
    """Draw the headers as images with alternative texts."""
    for index, cell in enumerate(cells_of(page.header)):
        text, cell.text = text_of(cell), None
        cell.append(make(f'<img src="/img/th_{index:02}.gif" alt="{quote(text)}">'))


def split_rows(page: SavedPage, rng: random.Random, *, names: tuple[str, ...], over: str) -> None:
    """Write two header rows: one header over two or three, the others reach over both."""
    indexes = [find_column(page, name) for name in names]
    cells = cells_of(page.header)
    lower = make("<tr></tr>")
    group = make(f'<th scope="colgroup" colspan="{len(indexes)}">{over}</th>')
    cells[indexes[0]].addprevious(group)
    for index, name in zip(indexes, names, strict=True):
        cells[index].text = name.removeprefix(over)
        lower.append(cells[index])
    for cell in cells_of(page.header):
        if cell is not group:
            cell.set("rowspan", "2")
    page.header.addnext(lower)


def number_columns(page: SavedPage, rng: random.Random) -> None:
    """Write a second header row with the columns' numbers."""
    numbers = "".join(f"<th>({n})</th>" for n in range(1, len(page.headers) + 1))
    page.header.addnext(make(f"<tr>{numbers}</tr>"))


def add_filters(page: SavedPage, rng: random.Random) -> None:
    """Put a row of search fields below the headers."""
    cells = '<th><input type="text" placeholder="검색"></th>' * len(page.headers)
    page.header.addnext(make(f'<tr class="filters">{cells}</tr>'))


def move_to_first_row(page: SavedPage, rng: random.Random) -> None:
    """Make the header row the first row of the first section, without thead."""
    parent = parent_of(page.header)
    detach(page.header)
    page.sections[0].insert(0, page.header)
    if parent.tag == "thead":
        detach(parent)


def use_data_cells(page: SavedPage, rng: random.Random) -> None:
    """Write the header cells as td."""
    for cell in cells_of(page.header):
        cell.tag = "td"
        drop_attribute(cell, "scope")


def move_and_use_data_cells(page: SavedPage, rng: random.Random) -> None:
    """Make the header row the first row of the section, its cells td in bold."""
    if parent_of(page.header).tag == "thead":
        move_to_first_row(page, rng)
    use_data_cells(page, rng)
    for cell in cells_of(page.header):
        wrap_content(cell, make("<b></b>"))


def repeat(page: SavedPage, rng: random.Random) -> None:
    """Repeat the header row every few rows."""
    cells = "".join(f"<th>{text}</th>" for text in page.headers)
    for row in page.rows[_EVERY::_EVERY]:
        row.addprevious(make(f"<tr>{cells}</tr>"))


def repeat_in_foot(page: SavedPage, rng: random.Random) -> None:
    """Repeat the header row in a tfoot."""
    cells = "".join(f"<th>{text}</th>" for text in page.headers)
    page.table.append(make(f"<table><tfoot><tr>{cells}</tr></tfoot></table>")[0])


def add_title_row(page: SavedPage, rng: random.Random) -> None:
    """Put a row with the list's name above the headers."""
    n_columns = len(page.headers)
    page.header.addprevious(make(f'<tr><th colspan="{n_columns}">등록 현황 목록</th></tr>'))


def drop_scope(page: SavedPage, rng: random.Random) -> None:
    """Write the header cells without scope, with widths."""
    for cell in cells_of(page.header):
        drop_attribute(cell, "scope")
        cell.set("width", f"{rng.randrange(4, 12)}%")


def drop_header(page: SavedPage, rng: random.Random) -> None:
    """Leave the header row out; the labels in the cells stay."""
    detach(page.header)


def drop_header_and_labels(page: SavedPage, rng: random.Random) -> None:
    """Leave out the header row and the labels in the cells."""
    for _, label in list(page.labelled()):
        detach(label)
    detach(page.header)


def detach_header(page: SavedPage, rng: random.Random) -> None:
    """Put the header row into a table of its own, above the one with the rows."""
    _drop_labels(page)
    table = make('<table class="tb_list tb_head"><thead></thead></table>')
    page.table.addprevious(table)
    detach(page.header)
    table[0].append(page.header)


def clone_header(page: SavedPage, rng: random.Random) -> None:
    """Put a copy of the header row into a table of its own that stays in sight."""
    cells = "".join(f"<th>{text}</th>" for text in page.headers)
    clone = f'<div class="sticky"><table><thead><tr>{cells}</tr></thead></table></div>'
    page.table.addprevious(make(clone))


def _drop_labels(page: SavedPage) -> None:
    for _, label in list(page.labelled()):
        detach(label)


KINDS = (
    Kind("header_broken", "headers", "Long headers are broken into two lines.",
         "same", on_tree(break_lines)),
    Kind("header_blanks", "headers", "Blanks and line feeds stand in and around the headers.",
         "same", on_tree(space_out)),
    Kind("header_arrows", "headers", "A sort arrow stands behind each header.",
         "same", on_tree(add_arrows)),
    Kind("header_arrow_elements", "headers", "An element with sort arrows ends each header.",
         "same", on_tree(add_arrow_elements)),
    Kind("header_links", "headers", "Each header is a link that sorts.", "same", on_tree(link)),
    Kind("header_buttons", "headers",
         "Each header is a button that sorts, with a word for screen readers.",
         "same", on_tree(make_buttons)),
    Kind("header_in_elements", "headers", "Each header is two elements.", "same", on_tree(part)),
    Kind("header_hidden", "headers", "The header row is hidden; the labels speak for it.",
         "same", on_tree(hide_head)),
    Kind("header_titles", "headers", "The headers have title and abbr attributes.",
         "same", on_tree(explain)),
    Kind("header_abbreviated", "headers",
         "Some headers are abbr elements with the whole text in the title.",
         "same", on_tree(abbreviate)),
    Kind("header_footnotes", "headers", "Two headers have a footnote's number.",
         "same", on_tree(add_footnote)),
    Kind("header_images", "headers", "The headers are images with alternative texts.",
         "same", on_tree(use_images)),
    Kind("header_two_rows", "headers", "취소/취하 stands over 구분 and 일자 in two header rows.",
         "same",
         on_tree(partial(split_rows, names=("취소/취하구분", "취소/취하일자"), over="취소/취하")),
         REGISTER),
    Kind("header_two_rows_whole", "headers", "A header stands over three whole headers.",
         "same",
         on_tree(partial(split_rows, names=_MAKER_COLUMNS, over="제조 정보")),
         REGISTER),
    Kind("header_numbers", "headers", "A second header row numbers the columns.",
         "same", on_tree(number_columns)),
    Kind("header_filters", "headers", "A row of search fields stands below the headers.",
         "same", on_tree(add_filters)),
    Kind("header_in_first_row", "headers", "The header row is the first row of tbody.",
         "same", on_tree(move_to_first_row)),
    Kind("header_of_td", "headers", "The header cells are td.", "same", on_tree(use_data_cells)),
    Kind("header_in_first_row_of_td", "headers", "The header is a first row of bold td.",
         "same", on_tree(move_and_use_data_cells)),
    Kind("header_repeated", "headers", "The header row comes again every few rows.",
         "same", on_tree(repeat)),
    Kind("header_in_foot", "headers", "The header row comes again in a tfoot.",
         "same", on_tree(repeat_in_foot)),
    Kind("header_under_title", "headers", "A row with a title stands above the headers.",
         "same", on_tree(add_title_row)),
    Kind("header_without_scope", "headers", "The header cells have widths and no scope.",
         "same", on_tree(drop_scope)),
    Kind("header_removed", "headers", "The header row is gone; the labels stay.",
         "refuse_ok", on_tree(drop_header)),
    Kind("header_and_labels_removed", "headers", "The header row and the labels are gone.",
         "refuse_ok", on_tree(drop_header_and_labels)),
    Kind("header_detached", "headers",
         "The header row alone is one table, the rows without labels another.",
         "refuse_ok", on_tree(detach_header)),
    Kind("header_cloned", "headers",
         "A copy of the header row in a table of its own stays in sight.",
         "same", on_tree(clone_header)),
)  # fmt: skip
