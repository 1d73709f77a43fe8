"""Is this still the table we know?

Most tables of the web are layout (Cafarella 2008), so none is trusted for its place or class: the
list is the table whose own header row has the headers of the selectors file. Rows and cells count
for the table they belong to, a table inside a cell is that cell's content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from lxml.etree import _Element as Element

from dmf_crawler.extract import table_faults as faults
from dmf_crawler.extract.css import find_elements
from dmf_crawler.extract.row_guard import (
    NEVER_TEXT,
    Cells,
    cell_text,
    check_header,
    check_rows,
    check_visible,
)
from dmf_crawler.extract.selectors import FieldLocator, Locator, Selectors
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form


@dataclass(frozen=True, slots=True)
class GuardedTable:
    """A table that has every column of the selectors file.

    Attributes:
        element: The table itself.
        rows: n_rows × n_columns cells, header rows and a "no result" row left out.
        is_pinned: n_rows, whether the row is pinned on top of every page.
        columns: Field id → index of its column.
        attributes: Field id → locator, for fields that are an attribute somewhere in the row.
        labels: Elements inside cells that are not part of a value.
        is_no_result: Whether the table says in words that the list is empty.
        delivered: Which selector found the rows, and each field.
    """

    element: Element
    rows: tuple[Cells, ...]
    is_pinned: tuple[bool, ...]
    columns: dict[str, int]
    attributes: dict[str, Locator]
    labels: frozenset[Element]
    is_no_result: bool = False
    delivered: tuple[Delivery, ...] = ()


def guard_table(document: Element, selectors: Selectors) -> GuardedTable | Fault:
    """Find the list on a page, or say why it is not there.

    Args:
        document: Root of a page parsed without comments.
        selectors: The board's.

    Returns:
        The table; or one of the faults `login_page`, `maintenance_page`, `error_page` (retryable),
        `script_only_page`, `no_table`, `layout_table`, `missing_column`, `unknown_column`,
        `ambiguous_column`, `ambiguous_table`, `hidden_row`, or one of `row_guard.check_header` and
        `row_guard.check_rows`.
    """
    labels = _find_labels(document, selectors)
    headers = _read_headers(document, labels, selectors)
    if not headers:
        return faults.explain_no_table(document)
    most = max(header.n_known for header in headers)
    if most == 0:
        return faults.layout_table(document, [header.texts for header in headers])
    best = [header for header in headers if header.n_known == most]
    if len(best) > 1:
        return faults.ambiguous_table([header.texts for header in best])
    return _guard_rows(best[0], labels, document, selectors)


# --- headers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    """One table's header row.

    Attributes:
        table: Which table.
        rows: Its header rows, none of them data.
        cells: n_columns cells of the row that names the columns.
        texts: Its headers as shown.
        forms: Their key forms.
        fields: n_columns: field id, "" for an ignored column, None for an unknown one.
    """

    table: Element
    rows: frozenset[Element] = frozenset()
    cells: Cells = ()
    texts: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    fields: tuple[str | None, ...] = ()

    @property
    def n_known(self) -> int:
        """How many different fields it names."""
        return len(set(filter(None, self.fields)))


def _find_labels(document: Element, selectors: Selectors) -> frozenset[Element]:
    labels: set[Element] = set(document.iter(*NEVER_TEXT))
    for path in selectors.drop:
        labels.update(find_elements(path, document))
    return frozenset(labels)


def _read_headers(
    document: Element, labels: frozenset[Element], selectors: Selectors
) -> list[_Header]:
    """Read the header of every table, but not of those inside the cells of a complete list."""
    headers = []
    contents: set[Element] = set()
    for table in document.iter("table"):
        if table not in contents:
            header = _read_header(table, labels, selectors)
            headers.append(header)
            if header.n_known == len(selectors.fields):
                contents.update(table.iter("table"))
    return headers


def _read_header(table: Element, labels: frozenset[Element], selectors: Selectors) -> _Header:
    """Read the header row that names most fields: of thead, else the first row."""
    rows = list(_own_rows(table, ("thead",))) or list(_own_rows(table))[:1]
    headers = [_name_columns(table, rows, row, labels, selectors) for row in rows]
    return max(headers, key=lambda header: header.n_known, default=_Header(table))


def _name_columns(
    table: Element,
    rows: list[Element],
    row: Element,
    labels: frozenset[Element],
    selectors: Selectors,
) -> _Header:
    cells = _own_cells(row)
    texts = tuple(cell_text(cell, labels).strip() for cell in cells)
    forms = tuple(key_form(text) for text in texts)
    fields = tuple(
        "" if form in selectors.ignored_headers else selectors.headers.get(form) for form in forms
    )
    return _Header(table, frozenset(rows), cells, texts, forms, fields)


def _own_rows(table: Element, sections: Sequence[str] = ()) -> Iterator[Element]:
    """Yield a table's own rows, of all its sections or only of some."""
    for child in table:
        if child.tag == "tr" and not sections:
            yield child
        elif child.tag in (sections or ("thead", "tbody", "tfoot")):
            yield from child.iterchildren("tr")


def _own_cells(row: Element) -> Cells:
    return tuple(row.iterchildren("td", "th"))


# --- rows and columns --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Search:
    """What is known while the fields' places are looked for.

    Attributes:
        header: The accepted table's.
        rows: The cells of the data rows.
        columns: Field id → index of its column; grows.
        attributes: Field id → locator; grows.
        free: Indexes of the columns that no field reads; shrinks.
        delivered: As in `GuardedTable`; grows.
    """

    header: _Header
    rows: tuple[Cells, ...]
    columns: dict[str, int]
    attributes: dict[str, Locator]
    free: set[int]
    delivered: list[Delivery]


def _guard_rows(
    header: _Header, labels: frozenset[Element], document: Element, selectors: Selectors
) -> GuardedTable | Fault:
    rows, found_by = _select_rows(header, document, selectors)
    hidden = check_visible(rows)
    is_pinned = _find_pinned(rows, document, selectors)
    pinned = tuple(compress(rows, is_pinned))
    is_no_result = _is_no_result(rows, is_pinned, labels, selectors)
    if is_no_result:
        rows, is_pinned = pinned, (True,) * len(pinned)
    places = _locate_fields(header, rows, selectors)
    if isinstance(places, Fault):
        return places
    fault = (
        hidden
        or check_header(header.cells, [_own_cells(row) for row in header.rows])
        or check_rows(rows, labels, header.texts, frozenset(places.columns.values()))
    )
    if fault:
        return fault
    return GuardedTable(
        element=header.table,
        rows=rows,
        is_pinned=is_pinned,
        columns=places.columns,
        attributes=places.attributes,
        labels=labels,
        is_no_result=is_no_result,
        delivered=(*found_by, *places.delivered),
    )


def _select_rows(
    header: _Header, document: Element, selectors: Selectors
) -> tuple[tuple[Cells, ...], tuple[Delivery, ...]]:
    """Return the cells of the data rows, and what found them, if anything did."""
    own = set(_own_rows(header.table)) - header.rows
    for position, (css, path) in enumerate(selectors.rows):
        rows = tuple(_own_cells(row) for row in find_elements(path, document) if row in own)
        if rows:
            return rows, (Delivery("row", position, css),)
    return (), ()


def _find_pinned(
    rows: tuple[Cells, ...], document: Element, selectors: Selectors
) -> tuple[bool, ...]:
    """Say of each row whether the selector finds the row itself or something in it."""
    if selectors.pinned is None:
        return (False,) * len(rows)
    own = {row_of(cells) for cells in rows}
    hits = find_elements(selectors.pinned, document)
    pinned = {
        next((each for each in (hit, *hit.iterancestors()) if each in own), None) for hit in hits
    }
    return tuple((row := row_of(cells)) is not None and row in pinned for cells in rows)


def _is_no_result(
    rows: tuple[Cells, ...],
    is_pinned: tuple[bool, ...],
    labels: frozenset[Element],
    selectors: Selectors,
) -> bool:
    """Whether the only row that is not pinned says in words that the list is empty."""
    others = [cells for cells, pinned in zip(rows, is_pinned, strict=True) if not pinned]
    if len(others) != 1 or len(others[0]) != 1:
        return False
    form = key_form(cell_text(others[0][0], labels))
    return any(text in form for text in selectors.no_result)


def _locate_fields(
    header: _Header, rows: tuple[Cells, ...], selectors: Selectors
) -> _Search | Fault:
    """Place every field; a column that no field reads is as much a fault as a missing one."""
    columns = {field: index for index, field in enumerate(header.fields) if field}
    if len(columns) != sum(1 for field in header.fields if field):
        return faults.ambiguous_column(header.texts, header.fields)
    free = {index for index, field in enumerate(header.fields) if field is None}
    search = _Search(header, rows, columns, {}, free, [])
    missing = [field.label_ko for field in selectors.fields if not _place(field, search)]
    if missing:
        return faults.missing_column(missing, header.texts)
    if free:
        return faults.unknown_column([header.texts[index] for index in sorted(free)])
    return search


def _place(field: FieldLocator, search: _Search) -> bool:
    """Note where one field stands; False where neither its selector nor a fallback finds it."""
    if field.primary.strategy == "header_text" and field.field in search.columns:
        search.delivered.append(Delivery(field.field, 0, field.primary.source))
        return True
    if field.primary.strategy == "attr" and not search.rows:  # of no rows any attribute is right
        search.attributes[field.field] = field.primary
        return True
    for position, locator in enumerate((field.primary, *field.fallbacks)):
        if _place_by(locator, field.field, search):
            search.delivered.append(Delivery(field.field, position, locator.source))
            return True
    return False


def _place_by(locator: Locator, field: str, search: _Search) -> bool:
    if locator.strategy == "attr":
        if not _has_attribute(locator, search.rows):
            return False
        search.attributes[field] = locator
        return True
    column = _find_column(locator, search.header, search.rows)
    # Another field's column is no place for this one, whatever a fallback says.
    if column not in {*search.free, search.columns.get(field)} or column is None:
        return False
    search.columns[field] = column
    search.free.discard(column)
    return True


def _find_column(locator: Locator, header: _Header, rows: tuple[Cells, ...]) -> int | None:
    """Return the one column in which a locator finds exactly one element of every row."""
    if locator.path is None:
        columns = {index for index, form in enumerate(header.forms) if form in locator.headers}
    else:
        columns = {_column_of(locator, cells) for cells in rows}
    only = columns.pop() if len(columns) == 1 else -1
    return only if only >= 0 else None


def _column_of(locator: Locator, cells: Cells) -> int:
    """Return the index of the cell that holds the locator's only element in a row, else -1."""
    hits = find_in_row(locator, cells)
    if len(hits) != 1:
        return -1
    holders = {hits[0], *hits[0].iterancestors()}
    return next((index for index, cell in enumerate(cells) if cell in holders), -1)


def _has_attribute(locator: Locator, rows: tuple[Cells, ...]) -> bool:
    """Whether every row has exactly one such element, and it has the attribute."""
    found = [find_in_row(locator, cells) for cells in rows]
    return bool(found) and all(
        len(hits) == 1 and hits[0].get(locator.attr) is not None for hits in found
    )


def find_in_row(locator: Locator, cells: Cells) -> list[Element]:
    """Return what a locator's XPath finds in the row that these cells belong to."""
    row = row_of(cells)
    return [] if row is None or locator.path is None else find_elements(locator.path, row)


def row_of(cells: Cells) -> Element | None:
    """Return the row that cells belong to, None of no cells."""
    return cells[0].getparent() if cells else None
