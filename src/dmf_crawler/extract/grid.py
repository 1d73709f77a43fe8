"""A table as people see it: rows of cells, one a column, whatever spans and wrappers make it so.

Rows and cells count for the table that they belong to; a table inside a cell is that cell's
content. What is a table, a row or a cell is said by its tag, or by its ARIA role (WAI-ARIA 1.2,
5.3.3) where the site draws tables with other elements. Elements that are none of these, such as a
form around rows, are looked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract.paths import find_elements

Cells = tuple[Element, ...]

MAX_COLUMNS = 200
"""Of one row; HTML lets one cell span a thousand."""

MAX_ROWS = 5_000
"""Of one table; a page has a thousand records, each perhaps twice, and what stands between."""

_PART_OF_TAG = {
    **{tag: tag for tag in ("table", "thead", "tbody", "tfoot")},
    "tr": "row",
    "td": "cell",
    "th": "cell",
}
_PART_OF_ROLE = {
    **dict.fromkeys(("table", "grid", "treegrid"), "table"),
    "rowgroup": "tbody",
    "row": "row",
    **dict.fromkeys(("cell", "gridcell", "columnheader", "rowheader"), "cell"),
}
_N_SPAN_DIGITS = 6
_NO_END = 1_000_000
"""Rows: more than a section can have."""

_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_ROLE_TABLES = XPath("descendant-or-self::*/@role[. = 'table' or . = 'grid' or . = 'treegrid']/..")
_CELL_TAGS = frozenset({"td", "th"})
_FIRST_TABLE_WITHIN = XPath("descendant::table[1]")
_FIRST_TABLE_AFTER = XPath("following::table[1]")
_HAS_TEXT = XPath("boolean(*/text()[normalize-space()])")
"""Of a section: whether a row of it has a text outside its cells."""

_HAS_ATTRIBUTES = XPath("boolean(*/*/@*)")
"""Of a section: whether a cell of it has an attribute."""

_OWN_PLACE = (1, 1)
"""What a cell without spans covers: one column, one row."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """One row.

    Attributes:
        element: The row's own element.
        section: `thead`, `tbody` or `tfoot`.
        cells: The cell in each column; one that spans several rows or columns stands in each.
        is_spanned: Whether some cell covers more than its own place.
        is_plain: Whether its element holds these cells and nothing else, not even a text.
    """

    element: Element
    section: str
    cells: Cells
    is_spanned: bool = False
    is_plain: bool = False

    @property
    def n_distinct(self) -> int:
        """How many different cells it shows."""
        return len(set(self.cells)) if self.is_spanned else len(self.cells)


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A table that claims more rows or columns than any list has."""

    n_found: int
    limit: int


def find_table_within(element: Element) -> Element | None:
    """Return the first table inside an element."""
    return next(iter(find_elements(_FIRST_TABLE_WITHIN, element)), None)


def find_table_after(table: Element) -> Element | None:
    """Return the first table after the end of another one."""
    return next(iter(find_elements(_FIRST_TABLE_AFTER, table)), None)


def find_role_tables(document: Element) -> Iterator[Element]:
    """Yield what is a table by its role alone, in page order."""
    yield from (each for each in find_elements(_ROLE_TABLES, document) if each.tag != "table")


def read_grid(table: Element) -> list[GridRow] | TooLarge:
    """Return all rows of a table, its spans laid out (WHATWG HTML, 4.9.12.1)."""
    rows: list[GridRow] = []
    pending: dict[int, tuple[Element, int]] = {}  # column → a cell from above, rows that it covers
    last_section = None
    facts: dict[Element, tuple[bool, bool]] = {}  # section → has it text or attributes
    for group, section, row in _own_rows(table, table, "tbody"):
        if len(rows) >= MAX_ROWS:
            return TooLarge(len(rows) + 1, MAX_ROWS)
        if group is not last_section:
            pending, last_section = {}, group  # no cell reaches out of its section
            if group not in facts:  # markup may change between sections again and again
                facts[group] = bool(_HAS_TEXT(group)), bool(_HAS_ATTRIBUTES(group))
        has_text, has_attributes = facts[group]
        own, is_plain = _own_cells(row)
        is_plain = is_plain and row.getparent() is group
        is_bare = is_plain and not has_attributes
        spans = [] if is_bare else [_read_spans(cell) for cell in own if cell.keys()]
        if not pending and spans.count(_OWN_PLACE) == len(spans):
            if len(own) > MAX_COLUMNS:
                return TooLarge(len(own), MAX_COLUMNS)
            rows.append(GridRow(row, section, own, is_plain=is_plain and not has_text))
            continue
        spans = [_read_spans(cell) for cell in own]
        cells = _lay_out(own, spans, pending)
        if len(cells) > MAX_COLUMNS:
            return TooLarge(len(cells), MAX_COLUMNS)
        rows.append(GridRow(row, section, cells, is_spanned=True))
    return rows


def _own_cells(row: Element) -> tuple[Cells, bool]:
    """Return a row's own cells, and whether it holds nothing else."""
    cells = tuple(row)
    if cells and _CELL_TAGS.issuperset([cell.tag for cell in cells]):
        return cells, True
    return tuple(_descend_cells(row)), False


def part_of(element: Element) -> str:
    """Return what an element is in a table: table, thead, tbody, tfoot, row, cell or nothing."""
    part = _PART_OF_TAG.get(element.tag)
    if part is not None:
        return part
    role = element.get("role")
    return "" if role is None else _PART_OF_ROLE.get(role.strip().lower(), "")


def _own_rows(
    parent: Element, group: Element, section: str
) -> Iterator[tuple[Element, str, Element]]:
    """Yield the section's element, its kind, and each row."""
    for child in parent:
        part = part_of(child)
        if part == "row":
            yield group, section, child
        elif part in _SECTIONS:
            yield from _own_rows(child, child, part)
        elif not part and len(child):
            yield from _own_rows(child, group, section)


def _descend_cells(parent: Element) -> Iterator[Element]:
    for child in parent:
        part = part_of(child)
        if part == "cell":
            yield child
        elif not part and len(child):
            yield from _descend_cells(child)


def _read_spans(cell: Element) -> tuple[int, int]:
    """Return how many columns and rows a cell covers; 0 rows mean all that the section has left."""
    columns = _read_span(cell.get("colspan") or cell.get("aria-colspan"), least=1)
    rows = _read_span(cell.get("rowspan") or cell.get("aria-rowspan"), least=0)
    return columns, rows


def _read_span(text: str | None, *, least: int) -> int:
    digits = (text or "").strip()
    if not (digits.isascii() and digits.isdigit()):
        return 1
    number = int(digits.lstrip("0")[:_N_SPAN_DIGITS] or "0")
    return number if number >= least else 1


def _lay_out(
    own: Cells, spans: Sequence[tuple[int, int]], pending: dict[int, tuple[Element, int]]
) -> Cells:
    """Return the cell of each column; notes in `pending` those that reach further down.

    Where a cell would cover one from above it ends, so that the row is found to be too short.
    """
    cells: list[Element] = []
    for cell, (n_columns, n_rows) in zip(own, spans, strict=True):
        _take_from_above(cells, pending)
        column = len(cells)
        for place in range(column, min(column + n_columns, MAX_COLUMNS + 1)):
            if place in pending:
                break
            cells.append(cell)
            if n_rows != 1:
                pending[place] = cell, (n_rows or _NO_END) - 1
    _take_from_above(cells, pending)
    return tuple(cells)


def _take_from_above(cells: list[Element], pending: dict[int, tuple[Element, int]]) -> None:
    """Append the cells from above that stand in the next columns."""
    while len(cells) in pending:
        place = len(cells)
        cell, n_left = pending.pop(place)
        cells.append(cell)
        if n_left > 1:
            pending[place] = cell, n_left - 1
