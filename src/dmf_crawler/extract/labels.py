"""Which elements inside cells are labels, and whether one has swallowed a value.

A label is what `drop` finds. Where that finds none in a column, the site may have renamed its
classes: then the first or last element of every cell is the label if in every row it says the
column's own name. A column whose values all begin with its name is refused: its label is there, but
nobody told which element it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import NEVER_TEXT, cell_text, squeeze
from dmf_crawler.extract.column import CellColumn
from dmf_crawler.extract.grid import Cells, part_of
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.selectors import Selectors, text_form
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form

_CELLS = ("td", "th")
_N_LABEL_CHARS = 40
_LONG_NUMBER = re.compile("[0-9]{4}")
_LEAST_ROWS = 3
"""So many values that begin with the column's name do not do so by chance."""

_NOTHING: frozenset[Element] = frozenset()


def find_labels(document: Element, selectors: Selectors) -> frozenset[Element]:
    """Return what `drop` finds on a page, and what is never text."""
    labels = list(document.iter(*NEVER_TEXT))
    for path in selectors.drop:
        labels += find_elements(path, document)
    return frozenset(labels)


def find_own_names(
    rows: Sequence[Cells],
    labels: frozenset[Element],
    names: Mapping[int, Collection[str]],
) -> frozenset[Element]:
    """Return the elements that say their column's name in columns in which `drop` found nothing.

    Args:
        rows: The cells of the data rows.
        labels: What `drop` found.
        names: Index of a column → forms of the texts by which it goes.
    """
    found: set[Element] = set()
    for index, forms in names.items():
        cells = [row[index] for row in rows]
        if not cells or not len(cells[0]) or any(_has_label(cell, labels) for cell in cells):
            continue
        for place in (0, -1):
            own = [_label_at(cell, place, forms) for cell in cells]
            if all(each is not None for each in own):
                found.update(each for each in own if each is not None)
                break
    return frozenset(found)


def _has_label(cell: Element, labels: frozenset[Element]) -> bool:
    return any(child in labels and child.tag not in NEVER_TEXT for child in cell)


def _label_at(cell: Element, place: int, forms: Collection[str]) -> Element | None:
    """Return the element in which the first or last text of a cell says one of the texts."""
    holder = cell
    while len(holder):
        element = holder[place]
        beside = holder.text if place == 0 else element.tail
        if (beside or "").strip():
            return None
        if text_form(cell_text(element, _NOTHING)) in forms:
            return element
        holder = element
    return None


# --- do they hold a value? -----------------------------------------------------------------------


_LabelTexts = list[tuple[int, tuple[str, ...]]]
"""Row number and label texts of cells."""


def check_labels(
    column: CellColumn,
    labels: frozenset[Element],
    header: str,
    strange: Collection[str] = (),
) -> Fault | None:
    """Refuse a label that is not the one of its column: without its end tag it holds the value.

    Args:
        column: One column.
        labels: Elements inside cells that are not part of a value.
        header: Its header as shown.
        strange: Forms of the names of other fields.

    Returns:
        The fault `label_differs`, `label_of_other_column` or `label_kept`, or None.
    """
    for found in _find_label_texts(column, labels):
        if fault := _compare_labels(found, header, n_rows=len(column.cells)):
            return fault
        if found and any(text_form(text) in strange for text in found[0][1]):
            return faults.label_of_other_column(found[0][1], header)
    return _find_kept(column.cells, labels, header)


def _find_label_texts(column: CellColumn, labels: frozenset[Element]) -> Iterator[_LabelTexts]:
    """Yield the labels of a column's cells, and of the cells inside these.

    Where all cells are usual and have the very same label, one speaks for all.
    """
    if not column.odd and len(column.labels) == 1:
        yield [(1, tuple(" ".join(label.split()) for label in column.labels if label is not None))]
        return
    own = [
        (row_no, cell)
        for row_no, cell in enumerate(column.cells, start=1)
        if len(cell) or (cell.text and cell.text.strip())  # nothing needs no label
    ]
    inner = [(row_no, each) for row_no, cell in own for each in cell.iterdescendants(*_CELLS)]
    for group in (own, inner):
        yield [(row_no, tuple(_label_texts(cell, labels))) for row_no, cell in group]


def _compare_labels(found: _LabelTexts, column: str, *, n_rows: int) -> Fault | None:
    """Name the first label that is not that of most cells, or that a page of one row cannot show.

    Args:
        found: Row number and label texts of each cell.
        column: Header of their column.
        n_rows: How many rows the page has.
    """
    counts = Counter(texts for _, texts in found)
    usual = max(counts, key=counts.__getitem__, default=())
    for row_no, texts in found:
        if texts != usual:
            return faults.label_differs(row_no, column, texts, usual)
        if n_rows == 1 and any(map(_holds_value, texts)):
            return faults.swallowing_label(row_no, column, texts)
    return None


def _holds_value(label: str) -> bool:
    return len(label) > _N_LABEL_CHARS or bool(_LONG_NUMBER.search(key_form(label)))


def _label_texts(cell: Element, labels: frozenset[Element]) -> Iterator[str]:
    """Yield the texts of a cell's labels, those of the cells inside it left out."""
    for child in cell:
        if child in labels:
            if child.tag not in NEVER_TEXT:
                yield " ".join(cell_text(child, _NOTHING).split())
        elif part_of(child) != "cell":
            yield from _label_texts(child, labels)


def _find_kept(cells: Sequence[Element], labels: frozenset[Element], column: str) -> Fault | None:
    """Refuse a column all of whose values begin or end with its name."""
    name = squeeze(column)
    if len(cells) < _LEAST_ROWS or not name:
        return None
    for cell in cells:
        text = squeeze(cell_text(cell, labels))
        if not (text.startswith(name) or text.endswith(name)):
            return None
    return faults.label_kept(column)
