"""Is this still the list that we know? If so, its rows, and where each field stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

from lxml.etree import _Element as Element

from dmf_crawler.extract import table_faults as faults
from dmf_crawler.extract.cell import cell_text
from dmf_crawler.extract.column import CellColumn, read_column, read_nested_column
from dmf_crawler.extract.grid import Cells
from dmf_crawler.extract.header import Header
from dmf_crawler.extract.labels import Labels, find_labels, find_own_names, has_class
from dmf_crawler.extract.paths import find_among, find_elements
from dmf_crawler.extract.places import Places, Search, locate_fields
from dmf_crawler.extract.row_guard import (
    ListRow,
    check_cells,
    check_columns,
    check_numbers,
    check_running_numbers,
    find_records,
)
from dmf_crawler.extract.selectors import Locator, Selectors, text_form
from dmf_crawler.extract.table_choice import Choice, choose_tables
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import LABEL, ROW
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form


@dataclass(frozen=True, slots=True)
class GuardedTable:
    """The list, complete with every column of the selectors file.

    Attributes:
        elements: The table itself; several where the list is one in sections.
        rows: n_rows × n_columns cells, header rows and a "no result" row left out.
        row_elements: n_rows.
        is_pinned: n_rows, whether the row is pinned on top of every page.
        columns: Field id → index of its column.
        attributes: Field id → locator, for fields that are an attribute somewhere in the row.
        texts: Field id → n_rows texts, for fields that are neither a whole cell nor an attribute.
        labels: Elements inside cells that are not part of a value.
        contents: Field id → what its column says.
        has_spans: Whether some cell stands in several rows or columns.
        is_no_result: Whether the table says in words that the list is empty.
        delivered: Which selector found the rows, and each field.
        losers: Korean, one a table of the page that is not the list.
    """

    elements: tuple[Element, ...]
    rows: tuple[Cells, ...]
    row_elements: tuple[Element, ...]
    is_pinned: tuple[bool, ...]
    columns: dict[str, int]
    attributes: dict[str, Locator]
    labels: frozenset[Element]
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    contents: dict[str, CellColumn] = field(default_factory=dict)
    has_spans: bool = False
    is_no_result: bool = False
    delivered: tuple[Delivery, ...] = ()
    losers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundList:
    """The rows of the list before its fields are placed.

    Attributes:
        document: Root of the page.
        choice: The table, or tables.
        records: Its rows, without those that say nothing of their own.
        found_by: The selector that found them.
        labels: What is known so far.
    """

    document: Element
    choice: Choice
    records: tuple[ListRow, ...]
    found_by: tuple[Delivery, ...]
    labels: Labels

    @property
    def search(self) -> Search:
        """What its fields are looked for in."""
        return Search(
            self.document,
            self.choice.headers[0],
            [each.row.element for each in self.records],
            [each.row.cells for each in self.records],
            self.labels.all,
        )


def find_list(document: Element, selectors: Selectors) -> FoundList | Fault:
    """Find the list and its rows.

    Returns:
        The list; or a fault of `choose_tables` or `find_records`.
    """
    labels = find_labels(document, selectors)
    choice = choose_tables(document, labels.all, selectors)
    if isinstance(choice, Fault):
        return choice
    rows, found_by = _select_rows(choice.headers, document, selectors)
    records = find_records(rows, labels.all, _find_duplicates(rows, document, selectors))
    if isinstance(records, Fault):
        return records
    return FoundList(document, choice, records, found_by, labels)


def guard_table(document: Element, selectors: Selectors) -> GuardedTable | Fault:
    """Find the list on a page, or say why it is not there.

    Args:
        document: Root of a page parsed without comments.
        selectors: The board's.

    Returns:
        The table; or a fault of `find_list`, `check_cells`, `locate_fields`, `check_numbers`,
        `check_columns` or `check_running_numbers`, or `too_many_rows`.
    """
    found = find_list(document, selectors)
    if isinstance(found, Fault):
        return found
    records, labels = found.records, found.labels
    if len(records) > selectors.file.row.max_expected:
        return faults.too_many_rows(len(records), selectors.file.row.max_expected)
    is_pinned = _find_pinned(records, document, selectors)
    is_no_result = _is_no_result(records, is_pinned, labels.all, selectors)
    if is_no_result:
        records = tuple(compress(records, is_pinned))
        is_pinned = (True,) * len(records)
    found = replace(found, records=records)
    placed = _place_all(found, is_pinned, selectors)
    if isinstance(placed, Fault):
        return placed
    all_labels, places, contents = placed
    return GuardedTable(
        elements=tuple(header.table for header in found.choice.headers),
        rows=tuple(each.row.cells for each in records),
        row_elements=tuple(each.row.element for each in records),
        is_pinned=is_pinned,
        columns=places.columns,
        attributes=places.attributes,
        texts=places.texts,
        labels=all_labels,
        contents=contents,
        has_spans=any(each.row.is_spanned for each in records),
        is_no_result=is_no_result,
        delivered=(*found.found_by, *places.delivered),
        losers=found.choice.losers,
    )


def _place_all(
    found: FoundList, is_pinned: Sequence[bool], selectors: Selectors
) -> tuple[frozenset[Element], Places, dict[str, CellColumn]] | Fault:
    """Place and read all fields, and return all labels: those that `drop` does not know, too."""
    header, records, labels = found.choice.headers[0], found.records, found.labels
    search = found.search
    places = locate_fields(search, selectors)
    if isinstance(places, Fault):
        n_fields = len(selectors.header_fields)
        if 2 * header.n_known >= n_fields:
            return places
        return faults.layout_table(found.document, [(header.texts, header.n_known)], n_fields)
    if fault := check_cells(records, labels.all):
        return fault
    names = {
        places.columns[each.field]: each.names | {text_form(header.texts[index])}
        for each in selectors.fields
        if (index := places.columns.get(each.field)) is not None
    }
    if own_names := find_own_names(search.cells, labels, names):
        labels = replace(labels, all=labels.all | own_names)
        places.delivered.append(Delivery(LABEL, 1, "열 이름과 같은 요소"))
    contents = _read_columns(records, places.columns, labels, selectors)
    headers = {name: header.texts[index] for name, index in places.columns.items()}
    fault = (
        check_numbers(records, places.columns, selectors.file.key.number)
        or check_columns(contents, labels, headers, selectors)
        or check_running_numbers(records, is_pinned, labels.all)
    )
    return fault or (labels.all, places, contents)


def _read_columns(
    rows: Sequence[ListRow], columns: Mapping[str, int], labels: Labels, selectors: Selectors
) -> dict[str, CellColumn]:
    has_spans = any(each.row.is_spanned for each in rows)
    nested = {each.field for each in selectors.fields if each.nested}
    contents = {}
    for name, index in columns.items():
        cells = [each.row.cells[index] for each in rows]
        read = read_nested_column if name in nested else read_column
        if not has_spans:
            contents[name] = read(cells, labels)
            continue
        first = {cell: row_no for row_no, cell in reversed([*enumerate(cells, start=1)])}
        own = list(dict.fromkeys(cells))
        contents[name] = replace(read(own, labels), row_nos=[first[cell] for cell in own])
    return contents


def _find_duplicates(
    rows: Iterable[ListRow], document: Element, selectors: Selectors
) -> frozenset[Element]:
    """Return the rows that the selectors file calls duplicates, or whose class hides them."""
    elements = [each.row.element for each in rows]
    hidden = [each for each in elements if has_class(each, selectors.unseen_classes)]
    return frozenset(hidden).union(
        each for path in selectors.duplicates for each in find_among(path, elements, document)
    )


def _select_rows(
    headers: Sequence[Header], document: Element, selectors: Selectors
) -> tuple[list[ListRow], tuple[Delivery, ...]]:
    """Return the rows that the selectors find in the list, and which of them found them."""
    own = {row.element: ListRow(row, header) for header in headers for row in header.rows}
    # Tables may stand inside each other: their rows are not in page order then.
    elements = list(own) if len(headers) == 1 else [each for each in document.iter() if each in own]
    for position, (css, path) in enumerate(selectors.rows):
        rows = [own[element] for element in find_among(path, elements, document)]
        if rows:
            return rows, (Delivery(ROW, position, f"css {css}"),)
    return [], ()


def _find_pinned(
    records: Sequence[ListRow], document: Element, selectors: Selectors
) -> tuple[bool, ...]:
    """Say of each row whether the selector finds the row itself or something in it."""
    if selectors.pinned is None:
        return (False,) * len(records)
    own = {each.row.element for each in records}
    hits = find_elements(selectors.pinned, document)
    pinned = {
        next((each for each in (hit, *hit.iterancestors()) if each in own), None) for hit in hits
    }
    return tuple(each.row.element in pinned for each in records)


def _is_no_result(
    records: Sequence[ListRow],
    is_pinned: Sequence[bool],
    labels: frozenset[Element],
    selectors: Selectors,
) -> bool:
    """Whether the only row that is not pinned says in words that the list is empty."""
    others = [each for each, pinned in zip(records, is_pinned, strict=True) if not pinned]
    if len(others) != 1 or others[0].row.n_distinct != 1:
        return False
    form = key_form(cell_text(others[0].row.cells[0], labels))
    return any(text in form for text in selectors.no_result)
