"""Where each field of the list stands: in a column, in an attribute, or beside the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from dmf_crawler.extract import table_faults as faults
from dmf_crawler.extract.cell import cell_text, find_unread
from dmf_crawler.extract.grid import Cells
from dmf_crawler.extract.header import Header
from dmf_crawler.extract.locating import find_between, locate, read_json_ld
from dmf_crawler.extract.selectors import FieldLocator, Locator, Selectors
from dmf_crawler.extract.value import read_one_attribute
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.run import Fault


@dataclass(frozen=True, slots=True)
class Places:
    """Where the fields stand.

    Attributes:
        columns: Field id → index of its column.
        attributes: Field id → locator, for fields that are an attribute somewhere in the row.
        texts: Field id → n_rows texts, for fields that are neither a whole cell nor an attribute.
        delivered: Which selector found each field.
    """

    columns: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, Locator] = field(default_factory=dict)
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    delivered: list[Delivery] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Search:
    """What fields are looked for in.

    Attributes:
        document: Root of the page.
        header: The list's.
        rows: n_rows row elements.
        cells: n_rows × n_columns.
        labels: Elements inside cells that are not part of a value.
    """

    document: Element
    header: Header
    rows: Sequence[Element]
    cells: Sequence[Cells]
    labels: frozenset[Element]


def locate_fields(search: Search, selectors: Selectors) -> Places | Fault:
    """Place every field; a column that no field reads is as much a fault as a missing one."""
    header = search.header
    if len(header.columns) != sum(1 for each in header.fields if each):
        return faults.ambiguous_column(header.texts, header.fields)
    free = {index for index, each in enumerate(header.fields) if each is None}
    places = Places()
    missing = [each.label_ko for each in selectors.fields if not _place(each, search, places, free)]
    if missing:
        return faults.missing_column(missing, header.texts)
    if unknown := sorted(index for index in free if not _says_nothing(index, search)):
        return faults.unknown_column([header.texts[index] for index in unknown])
    return places


def _says_nothing(index: int, search: Search) -> bool:
    """Say whether a column that no field reads has nothing to be read.

    No browser shows it, or it is a gap, or boxes to tick: no header, and no cell with a text.
    """
    if index in search.header.hidden:
        return True
    column = [cells[index] for cells in search.cells if index < len(cells)]
    return not search.header.texts[index] and not any(
        cell_text(cell, search.labels).strip() or find_unread(cell) for cell in column
    )


def _place(each: FieldLocator, search: Search, places: Places, free: set[int]) -> bool:
    """Note where one field stands; False where neither its selector nor a fallback finds it."""
    for position, locator in enumerate(each.locators):
        if _place_by(locator, each.field, search, places, free):
            places.delivered.append(Delivery(each.field, position, locator.source))
            return True
    return False


def _place_by(locator: Locator, name: str, search: Search, places: Places, free: set[int]) -> bool:
    if locator.strategy == "attr":
        found = not search.rows or has_attribute(locator, search.rows)  # of none, any is right
        places.attributes.update({name: locator} if found else {})
        return found
    if locator.strategy == "json_ld":
        values = read_json_ld(search.document, locator)
        found = len(values) == len(search.rows)
        places.texts.update({name: tuple(values)} if found else {})
        return found
    column = _find_column(locator, name, search)
    # Another field's column is no place for this one, whatever a fallback says.
    if column is None or column not in {*free, search.header.columns.get(name)}:
        return False
    if locator.strategy == "between":
        places.texts[name] = tuple(
            find_between(locator, cells[column]) or "" for cells in search.cells
        )
    places.columns[name] = column
    free.discard(column)
    return True


def _find_column(locator: Locator, name: str, search: Search) -> int | None:
    """Return the one column in which a locator finds exactly one element of every row."""
    if locator.strategy == "header_text":
        column = search.header.columns.get(name)
        names = enumerate(search.header.names)
        columns = (
            {index for index, forms in names if not locator.texts.isdisjoint(forms)}
            if column is None
            else {column}
        )
    elif locator.strategy == "between":
        columns = {_column_between(locator, cells) for cells in search.cells}
    else:
        columns = {
            _column_of(locate(locator, row, search.labels), cells)
            for row, cells in zip(search.rows, search.cells, strict=True)
        }
    only = columns.pop() if len(columns) == 1 else -1
    return only if only >= 0 else None


def _column_of(hits: Sequence[Element], cells: Cells) -> int:
    """Return the index of the cell that holds the only element found in a row, else -1."""
    if len(hits) != 1:
        return -1
    holders = {hits[0], *hits[0].iterancestors()}
    return next((index for index, cell in enumerate(cells) if cell in holders), -1)


def _column_between(locator: Locator, cells: Cells) -> int:
    hits = [index for index, cell in enumerate(cells) if find_between(locator, cell) is not None]
    return hits[0] if len(hits) == 1 else -1


def has_attribute(locator: Locator, rows: Sequence[Element]) -> bool:
    """Whether the attribute says one thing in every row."""
    found = (locate(locator, row, frozenset()) for row in rows)
    return all(read_one_attribute(locator, hits) is not None for hits in found)


def find_header(locator: Locator, name: str, search: Search) -> str:
    """Return the header over what a locator finds, "" where it finds no column."""
    if locator.strategy in {"attr", "json_ld"}:
        return ""
    column = _find_column(locator, name, search)
    return "" if column is None else search.header.texts[column]


def count_hits(locator: Locator, name: str, search: Search) -> int:
    """Return in how many rows a locator finds what it needs, whatever column that is in."""
    if locator.strategy == "header_text":
        return len(search.rows) if _find_column(locator, name, search) is not None else 0
    if locator.strategy == "json_ld":
        return min(len(read_json_ld(search.document, locator)), len(search.rows))
    if locator.strategy == "between":
        return sum(_column_between(locator, cells) >= 0 for cells in search.cells)
    found = [locate(locator, row, search.labels) for row in search.rows]
    if locator.strategy == "attr":
        return sum(read_one_attribute(locator, hits) is not None for hits in found)
    return sum(
        _column_of(hits, cells) >= 0 for hits, cells in zip(found, search.cells, strict=True)
    )
