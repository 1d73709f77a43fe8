"""Has a label swallowed a value, or is one left in it?

A column whose values all begin with its name is refused: its label is there, but nobody told which
element it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import NEVER_TEXT, cell_text, squeeze
from dmf_crawler.extract.column import CellColumn, flatten
from dmf_crawler.extract.grid import part_of
from dmf_crawler.extract.labels import Labels
from dmf_crawler.extract.selectors import text_form
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form

_CELLS = ("td", "th")
_N_LABEL_CHARS = 40
_LONG_NUMBER = re.compile("[0-9]{4}")
_LEAST_ROWS = 3
"""So many values that begin with the column's name do not do so by chance."""

_NOTHING: frozenset[Element] = frozenset()


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Forms of all texts by which a column's field goes, and by which any field goes."""

    own: frozenset[str]
    every: frozenset[str]

    def has(self, text: str) -> bool:
        """Say whether a text is the name of any field."""
        return text_form(text) in self.every

    def has_for_others(self, text: str) -> bool:
        """Say whether a text is the name of other fields alone."""
        form = text_form(text)
        return form in self.every and form not in self.own

    def goes_beyond_own(self, text: str, *, is_alone: bool) -> bool:
        """Say whether a label without value is more than a name: one and a value, or that alone."""
        form = text_form(text)
        if not form or form in self.every:
            return False
        return not is_alone or any(name and form.startswith(name) for name in self.own)


_LabelTexts = list[tuple[int, tuple[str, ...]]]
"""Row number and label texts of cells."""


def check_labels(
    column: CellColumn, labels: Labels, header: str, names: ColumnNames
) -> Fault | None:
    """Refuse a label that is not the one of its column: without its end tag it holds the value.

    Args:
        column: One column.
        labels: What is no part of a value.
        header: The column's header as shown.
        names: By which texts this and the other fields go.

    Returns:
        The fault `label_differs`, `label_of_other_column` or `label_kept`, or None.
    """
    has_values = any(map(str.strip, flatten(column)))
    for found in _find_label_texts(column, labels, names, has_values=has_values):
        if fault := _compare_labels(found, header, n_rows=len(column.cells)):
            return fault
        if found and any(map(names.has_for_others, found[0][1])):
            return faults.label_of_other_column(found[0][1], header)
        if not has_values:
            for row_no, texts in found:
                if any(names.goes_beyond_own(text, is_alone=len(texts) == 1) for text in texts):
                    return faults.label_over_value(row_no, header, texts)
    return _find_kept(column.cells, labels.all, header)


def _find_label_texts(
    column: CellColumn, labels: Labels, names: ColumnNames, *, has_values: bool
) -> Iterator[_LabelTexts]:
    """Yield the labels of a column's cells, and of the cells inside these.

    Where all have the very same label, one speaks for all, unless it may be what hides the values.
    """
    usual = column.labels | {text for text in column.lone_labels if not names.has(text)}
    odd = _read_labels(column, column.odd, labels, names)
    said = {texts for _, texts in odd[0]}
    said.update([() if text is None else (" ".join(text.split()),) for text in usual])
    most = 1 if has_values else 0
    if len(said) <= most and not any(texts for _, texts in odd[1]):
        yield [(1, texts) for texts in said]
    else:
        yield from _read_labels(column, range(len(column.cells)), labels, names)


def _read_labels(
    column: CellColumn, indexes: Iterable[int], labels: Labels, names: ColumnNames
) -> tuple[_LabelTexts, _LabelTexts]:
    """Return the labels of some cells that are not empty, and of the cells inside these."""
    own = [
        (column.row_nos[index], cell)
        for index in indexes
        if not _is_empty(cell := column.cells[index], labels, names)
    ]
    inner = [(row_no, each) for row_no, cell in own for each in cell.iterdescendants(*_CELLS)]
    return _tell(own, labels), _tell(inner, labels)


def _tell(cells: Iterable[tuple[int, Element]], labels: Labels) -> _LabelTexts:
    return [(row_no, tuple(_label_texts(cell, labels.drop))) for row_no, cell in cells]


def _is_empty(cell: Element, labels: Labels, names: ColumnNames) -> bool:
    """Say whether a cell has neither a value nor a label that could hold one.

    It may lack the label, or, where it covers several columns, have that of another one.
    """
    if not len(cell):
        return not (cell.text and cell.text.strip())
    if not all(map(names.has, _label_texts(cell, labels.drop))):
        return False
    return not cell_text(cell, labels.all).strip()


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


def _label_texts(cell: Element, drop: frozenset[Element]) -> Iterator[str]:
    """Yield the texts of a cell's labels, those of the cells inside it left out."""
    for child in cell:
        if child in drop:
            if child.tag not in NEVER_TEXT:
                yield " ".join(cell_text(child, _NOTHING).split())
        elif part_of(child) != "cell":
            yield from _label_texts(child, drop)


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
