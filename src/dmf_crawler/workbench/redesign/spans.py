"""Merged cells, cells that are headers of their rows, records over several rows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import REGISTER, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    find_column,
    make,
    make_row,
    strip_text,
    text_of,
    value_of,
)

_MERGED = ("대상의약품", "신청인", "취소/취하구분", "담당부서")
"""Columns whose equal neighbours are merged."""


def merge_neighbours(page: SavedPage, rng: random.Random) -> None:
    """Merge equal neighbours of some columns into one cell that reaches down."""
    columns = page.columns
    for index in [page.headers.index(header) for header in _MERGED if header in page.headers]:
        for run in _equal_runs(columns[index]):
            run[0].set("rowspan", str(len(run)))
            for cell in run[1:]:
                detach(cell)


def _equal_runs(cells: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield two or more neighbours whose texts are equal and not empty, or else nothing."""
    run = [cells[0]]
    for one, other in pairwise(cells):
        if strip_text(one) and strip_text(one) == strip_text(other):
            run.append(other)
            continue
        if len(run) > 1:
            yield run
        run = [other]
    if len(run) > 1:
        yield run


def merge_empty(page: SavedPage, rng: random.Random) -> None:
    """Merge two empty cells side by side into one."""
    for row in page.rows:
        cells = cells_of(row)
        for one, other in pairwise(cells):
            if not (text_of(one) and strip_text(one)) and not strip_text(other):
                one.set("colspan", "2")
                detach(other)
                break


def span_one(page: SavedPage, rng: random.Random) -> None:
    """Say of each cell that it covers its own place."""
    for cell in [*cells_of(page.header), *page.cells]:
        cell.set("colspan", "1")
        cell.set("rowspan", "1")


def head_rows(page: SavedPage, rng: random.Random, *, headers: tuple[str, ...]) -> None:
    """Write one cell of each row as its header."""
    for cell in page.columns[find_column(page, *headers)]:
        cell.tag = "th"
        cell.set("scope", "row")


def head_all(page: SavedPage, rng: random.Random) -> None:
    """Write all cells as th."""
    for cell in page.cells:
        cell.tag = "th"


def span_sites(page: SavedPage, rng: random.Random) -> None:
    """Write one row a manufacturing site; the other cells reach over all sites of a record."""
    columns = [find_column(page, name) for name in ("제조소명", "제조소소재지", "제조국가")]
    for row in page.rows:
        cells = cells_of(row)
        sites = [list(cells[index].iter("td"))[1:] for index in columns]
        n_sites = max(1, *map(len, sites))
        for index, cell in enumerate(cells):
            if index not in columns and n_sites > 1:
                cell.set("rowspan", str(n_sites))
        last = row
        for number in range(1, n_sites):
            written = "".join(_site(each, number, n_sites) for each in sites)
            last.addnext(make_row(f"<tr>{written}</tr>"))
            last = _next(last)
        for index, each in zip(columns, sites, strict=True):
            _replace_table(cells[index], each[0] if each else None)
            if len(each) < 2 <= n_sites:
                cells[index].set("rowspan", str(n_sites))


def _site(sites: Sequence[Element], number: int, n_sites: int) -> str:
    """Return the cell of one site; the last value of a shorter column reaches down."""
    if number >= len(sites):
        return ""
    rest = n_sites - number if number == len(sites) - 1 else 1
    span = f' rowspan="{rest}"' if rest > 1 else ""
    return f"<td{span}>{value_of(sites[number])}</td>"


def _next(row: Element) -> Element:
    following = row.getnext()
    if following is None:
        raise ValueError("a row was added behind this one")
    return following


def _replace_table(cell: Element, site: Element | None) -> None:
    """Put a site's value in place of the table in a cell."""
    table = next(cell.iter("table"), None)
    if table is not None:
        if site is not None:
            table.addnext(make(f"<span>{value_of(site)}</span>"))
        detach(table)


def halve(page: SavedPage, rng: random.Random) -> None:
    """Write each record in two rows, and the headers, too."""
    half = len(page.headers) // 2
    for row in (page.header, *page.rows):
        second = make_row("<tr></tr>")
        second.extend(cells_of(row)[half:])
        if len(cells_of(second)) > half:
            cells_of(row)[0].set("colspan", "2")
        row.addnext(second)


def transpose(page: SavedPage, rng: random.Random) -> None:
    """Write a row a field, and a column a record."""
    columns = [cells_of(page.header), *map(cells_of, page.rows)]
    table = make('<table class="tb_list"><tbody></tbody></table>')
    for cells in zip(*columns, strict=True):
        row = make_row("<tr></tr>")
        row.extend(cells)
        table[0].append(row)
    page.table.addprevious(table)
    detach(page.table)


KINDS = (
    Kind("cells_merged_down", "spans", "Equal neighbours of some columns are one cell.",
         "same", on_tree(merge_neighbours)),
    Kind("cells_merged_empty", "spans", "Two empty cells side by side are one cell.",
         "same", on_tree(merge_empty), REGISTER),
    Kind("spans_of_one", "spans", "Each cell says that it covers one row and one column.",
         "same", on_tree(span_one)),
    Kind("number_as_header", "spans", "The running number is the header of its row.",
         "same", on_tree(partial(head_rows, headers=("순번", "번호")))),
    Kind("value_as_header", "spans", "A value is the header of its row.",
         "same", on_tree(partial(head_rows, headers=("등록번호", "제목")))),
    Kind("cells_as_headers", "spans", "All cells are th.", "same", on_tree(head_all)),
    Kind("site_a_row", "spans", "Each site has a row; the other cells reach over a record's sites.",
         "same", on_tree(span_sites), REGISTER),
    Kind("record_in_two_rows", "spans", "Each record, and the header, takes two rows.",
         "refuse_ok", on_tree(halve)),
    Kind("table_transposed", "spans", "A row is a field, and a column a record.",
         "refuse_ok", on_tree(transpose)),
)  # fmt: skip
