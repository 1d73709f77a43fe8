"""Which rows of the list are records, and does every cell of theirs stand under its header?

Left out, because they say nothing of their own: the header once more, rows without any text, and
rows that repeat a row beside them for small screens. Any other oddity is refused: a row is read by
the places of its cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import cell_text, find_unread, is_hidden, squeeze
from dmf_crawler.extract.column import CellColumn
from dmf_crawler.extract.grid import GridRow, part_of
from dmf_crawler.extract.header import Header, is_header_row
from dmf_crawler.extract.labels import check_labels
from dmf_crawler.model.run import Fault

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
    for row_no, each in enumerate(rows, start=1):
        if is_header_row(each.row, each.header, labels) or _is_blank(each.row, labels):
            continue
        if each.row.element in duplicates or _is_unseen(each.row.element):
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
    return tuple(shown)


def _is_blank(row: GridRow, labels: frozenset[Element]) -> bool:
    """Say whether a row keeps others apart and says nothing: no cell, or one without text."""
    if row.n_distinct > 1:
        return False
    return not cell_text(row.element, labels).strip()


def _is_unseen(row: Element) -> bool:
    return is_hidden(row) or is_hidden(row.getparent())


def _repeats(unseen: ListRow, seen: ListRow, labels: frozenset[Element]) -> bool:
    """Say whether a row says what another one says, or some of it, however that is laid out."""
    if len(seen.row.cells) != len(seen.header.fields):
        return False
    cells = zip(seen.row.cells, seen.header.fields, strict=True)
    values = [squeeze(cell_text(cell, labels)) for cell, field in cells if field]
    text = squeeze(cell_text(unseen.row.element, _NOTHING))
    if text and all(value in text for value in values):
        return True
    known = "\n".join([*map(squeeze, seen.header.texts), *map(squeeze, _texts(seen))])
    return any(map(squeeze, _texts(unseen))) and all(
        squeeze(text) in known for text in _texts(unseen)
    )


def _texts(row: ListRow) -> Iterator[str]:
    return (str(text) for text in row.row.element.itertext())


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
    labels: frozenset[Element],
    headers: Mapping[str, str],
    names: Mapping[str, frozenset[str]],
) -> Fault | None:
    """Refuse a column whose labels differ or are another's, or whose values are no text.

    Args:
        columns: Field id → the column that it is read from.
        labels: Elements inside cells that are not part of a value.
        headers: Field id → the column's header as shown.
        names: Field id → forms of all texts by which it goes.
    """
    for field, column in columns.items():
        strange = frozenset().union(*(names[other] for other in names if other != field))
        if fault := check_labels(column, labels, headers[field], strange - names[field]):
            return fault
        for index in column.odd:
            cell = column.cells[index]
            if len(cell) and not cell_text(cell, labels).strip() and (found := find_unread(cell)):
                return faults.unread_value(index + 1, headers[field], found)
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
        texts = [(no, squeeze(cell_text(each.row.cells[index], labels))) for no, each in counted]
        numbers = [int(text) for _, text in texts if text.isascii() and text.isdigit()]
        steps = {after - before for before, after in pairwise(numbers)}
        if len(numbers) < len(texts) and 2 * len(numbers) >= len(texts) and steps in ({1}, {-1}):
            return faults.unnumbered_row(*next(each for each in texts if not each[1].isdigit()))
    return None


def _text_between(row: GridRow, labels: frozenset[Element]) -> str:
    """Return what a row holds outside its cells, where an end tag too early leaves a value."""
    own = frozenset(row.cells)
    parts = [row.element.text or ""]
    for child in row.element:
        if child not in own and child not in labels and part_of(child) != "cell":
            parts.append(_text_outside(child, own, labels))
        parts.append(child.tail or "")
    return "".join(parts).strip()


def _text_outside(element: Element, cells: frozenset[Element], labels: frozenset[Element]) -> str:
    """Return the text of what stands around a row's cells."""
    if not len(element):
        return "" if element.tag in _VOID else element.text or ""
    parts = [element.text or ""]
    for child in element:
        if child not in cells and child not in labels:
            parts.append(_text_outside(child, cells, labels))
        parts.append(child.tail or "")
    return "".join(parts)


_VOID = frozenset({"br", "hr", "img", "input", "wbr"})
