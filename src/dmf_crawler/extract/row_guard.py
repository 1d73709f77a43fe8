"""Which rows of the list are records, and does every cell of theirs stand under its header?

Left out, because they say nothing of their own: the header once more, rows without any text, and
rows that repeat a row beside them for small screens. Any other oddity is refused: a row is read by
the places of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import cell_text, is_hidden, squeeze
from dmf_crawler.extract.column import CellColumn
from dmf_crawler.extract.grid import GridRow, part_of
from dmf_crawler.extract.header import Header, is_header_row
from dmf_crawler.extract.label_guard import ColumnNames, check_labels
from dmf_crawler.extract.labels import Labels
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.value_guard import check_values
from dmf_crawler.model.run import Fault

_MOST_ROW_CHARS = 20_000
"""A longer row repeats no other; it would take too long to see whether it does."""

_TEMPLATE = re.compile(r"\{\{|\$\{|<%")
"""A row that a script fills in."""

_NOTHING: frozenset[Element] = frozenset()


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row of the list, with the header that it stands under."""

    row: GridRow
    header: Header


def find_records(
    rows: Sequence[ListRow], labels: frozenset[Element], duplicates: frozenset[Element]
) -> tuple[ListRow, ...] | Fault:
    """Leave out the rows that say nothing of their own.

    Args:
        rows: In page order.
        labels: Elements inside cells that are not part of a value.
        duplicates: Rows that the selectors file calls duplicates.

    Returns:
        The other rows; or the fault `hidden_row`: one that nobody sees and that no row beside it
        says, too.
    """
    shown: list[ListRow] = []
    waiting: list[tuple[int, ListRow]] = []  # duplicates that the next row may be the original of
    n_lone = sum(each.row.n_distinct == 1 for each in rows)
    # One cell has no columns: a heading, a pager, what a script waits for. Alone it may say more.
    leaves_lone = 0 < n_lone < len(rows)
    unseen_rows = duplicates | _find_hidden(rows)
    for row_no, each in enumerate(rows, start=1):
        is_unseen = each.row.element in unseen_rows
        if _says_nothing(each, labels, is_unseen=is_unseen):
            continue
        if leaves_lone and each.row.n_distinct == 1 and len(each.header.fields) > 1:
            continue
        if is_unseen:
            if not shown or not _repeats(each, shown[-1], labels):
                waiting.append((row_no, each))
            continue
        if any(not _repeats(unseen, each, labels) for _, unseen in waiting):
            break
        waiting = []
        shown.append(each)
    if waiting:
        row_no, unseen = waiting[0]
        return faults.hidden_row(row_no, [cell_text(cell, labels) for cell in unseen.row.cells])
    return _cut_surplus(shown, labels)


def _says_nothing(row: ListRow, labels: frozenset[Element], *, is_unseen: bool) -> bool:
    """Say whether a row is the header once more, or has no text: seen, of one cell; or unseen."""
    if is_header_row(row.row, row.header, labels):
        return True
    if row.row.n_distinct > 1 and not is_unseen:
        return False
    text = cell_text(row.row.element, labels).strip()
    return not text or (is_unseen and _TEMPLATE.search(text) is not None)


def _cut_surplus(rows: Sequence[ListRow], labels: frozenset[Element]) -> tuple[ListRow, ...]:
    """Return the rows without the empty cells behind the last column, if all rows have them."""
    sizes = {len(each.row.cells) - len(each.header.fields) for each in rows}
    if len(sizes) != 1 or max(sizes) <= 0:
        return tuple(rows)
    n_surplus = sizes.pop()
    surplus = [cell for each in rows for cell in each.row.cells[-n_surplus:]]
    if any(cell_text(cell, labels).strip() or len(cell) for cell in surplus):
        return tuple(rows)
    return tuple(
        replace(each, row=replace(each.row, cells=each.row.cells[:-n_surplus], is_plain=False))
        for each in rows
    )


def _find_hidden(rows: Iterable[ListRow]) -> frozenset[Element]:
    """Return the rows that the markup of their own, or of their section, hides."""
    elements = [each.row.element for each in rows]
    sections = {each.getparent() for each in elements}
    hidden = frozenset(section for section in sections if _is_unseen(section))
    return frozenset(
        [each for each in elements if _is_unseen(each) or (hidden and each.getparent() in hidden)]
    )


def _is_unseen(element: Element | None) -> bool:
    """Say whether the markup of a row, or of a section, keeps it from people or from readers."""
    return is_hidden(element) or (element is not None and element.get("aria-hidden") == "true")


def _repeats(unseen: ListRow, seen: ListRow, labels: frozenset[Element]) -> bool:
    """Say whether a row says what another one says, or some of it, however that is laid out."""
    if len(seen.row.cells) != len(seen.header.fields):
        return False
    text = squeeze(cell_text(unseen.row.element, _NOTHING))
    known = squeeze("".join(map(str, seen.row.element.itertext())))
    if not text or max(len(text), len(known)) > _MOST_ROW_CHARS:
        return False
    cells = zip(seen.row.cells, seen.header.fields, strict=True)
    values = (squeeze(cell_text(cell, labels)) for cell, field in cells if field)
    if all(value in text for value in values):
        return True
    headers = squeeze("".join(seen.header.texts))
    texts = (squeeze(str(each)) for each in unseen.row.element.itertext())
    return all(each in known or each in headers for each in texts)


# --- cells ---------------------------------------------------------------------------------------


def check_cells(rows: Iterable[ListRow], labels: frozenset[Element]) -> Fault | None:
    """Refuse rows that are not one cell a column and nothing else: `ragged_row`, `stray_text`."""
    for row_no, each in enumerate(rows, start=1):
        row, n_columns = each.row, len(each.header.fields)
        if len(row.cells) != n_columns or (row.is_spanned and row.n_distinct < 2 <= n_columns):
            return faults.ragged_row(row_no, row.n_distinct, n_columns)
        if loose := _text_between(row, labels):
            return faults.loose_text(row_no, loose)
    return None


def check_numbers(
    rows: Iterable[ListRow], columns: Mapping[str, int], number_field: str
) -> Fault | None:
    """Refuse a row whose number is the cell of another field, too: `spanned_cell`."""
    number = columns.get(number_field)
    if number is None:
        return None
    for row_no, each in enumerate(rows, start=1):
        cells = each.row.cells
        shared = (
            [index for index in columns.values() if cells[index] is cells[number]]
            if each.row.is_spanned
            else []
        )
        if len(shared) > 1:
            return faults.spanned_cell(row_no, [each.header.texts[index] for index in shared])
    return None


def check_columns(
    columns: Mapping[str, CellColumn],
    labels: Labels,
    headers: Mapping[str, str],
    selectors: Selectors,
) -> Fault | None:
    """Refuse a column whose labels differ or are another's, or whose cells show no values.

    Args:
        columns: Field id → the column that it is read from.
        labels: What is no part of a value.
        headers: Field id → the column's header as shown.
        selectors: The board's.
    """
    every = frozenset().union(*selectors.names.values())
    for field in selectors.fields:
        column = columns.get(field.field)
        if column is None or not column.cells:
            continue
        header = headers[field.field]
        names = ColumnNames(own=field.names, every=every)
        fault = check_labels(column, labels, header, names)
        if fault := fault or check_values(column, labels.all, header, field):
            return fault
    return None


def check_running_numbers(
    rows: Sequence[ListRow], is_pinned: Sequence[bool], labels: frozenset[Element]
) -> Fault | None:
    """Refuse a row that stands outside the count although it is not known to be pinned."""
    counted = [(no, each) for no, each in enumerate(rows, start=1) if not is_pinned[no - 1]]
    ignored = [
        index for index, field in enumerate(rows[0].header.fields if rows else ()) if field == ""
    ]
    for index in ignored:
        texts = [
            (no, squeeze(cell_text(each.row.cells[index], labels)).replace(",", ""))
            for no, each in counted
        ]
        numbers = [int(text) for _, text in texts if text.isascii() and text.isdigit()]
        if not len(numbers) < len(texts) <= 2 * len(numbers):
            continue
        if {after - before for before, after in pairwise(numbers)} in ({1}, {-1}):
            return faults.unnumbered_row(*next(each for each in texts if not each[1].isdigit()))
    return None


def _text_between(row: GridRow, labels: frozenset[Element]) -> str:
    """Return what a row holds outside its cells, where an end tag too early leaves a value."""
    if row.is_plain:
        return ""
    own = frozenset(row.cells)
    parts = [row.element.text or ""]
    for child in row.element:
        if child not in own and child not in labels and part_of(child) != "cell":
            parts.append(_text_outside(child, own, labels))
        parts.append(child.tail or "")
    return "".join(parts).strip()


def _text_outside(element: Element, cells: frozenset[Element], labels: frozenset[Element]) -> str:
    """Return the text of what stands around a row's cells."""
    parts = [element.text or ""]
    for child in element:
        if child not in cells and child not in labels:
            parts.append(_text_outside(child, cells, labels))
        parts.append(child.tail or "")
    return "".join(parts)
