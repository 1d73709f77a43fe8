"""Does every cell of the list stand under its header, with its value outside its label?

A row is read by the positions of its cells, and an element of `drop` takes its text out of the
value. Markup that would make either of them wrong is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form

NEVER_TEXT = ("script", "style", "template")
_CELLS = ("td", "th")
_SPANS = ("colspan", "rowspan")
_ONE = ("", "1")
_N_LABEL_CHARS = 40
_LONG_NUMBER = re.compile("[0-9]{4}")

_NOTHING: frozenset[Element] = frozenset()

Cells = tuple[Element, ...]


def cell_text(element: Element, labels: frozenset[Element]) -> str:
    """Return an element's text as the source has it, labels left out, `<br>` as a line feed."""
    if not len(element):
        return element.text or ""
    parts = [element.text or ""]
    for child in element:
        if child.tag == "br":
            parts.append("\n")
        elif child not in labels:
            parts.append(cell_text(child, labels))
        parts.append(child.tail or "")
    return "".join(parts)


def is_hidden(element: Element | None) -> bool:
    """Say whether an element's own markup keeps it from being shown; a table's never does."""
    if element is None or element.tag == "table":
        return False
    style = "".join((element.get("style") or "").split()).lower()
    return element.get("hidden") is not None or "display:none" in style


def check_header(cells: Cells, other_rows: Sequence[Cells]) -> Fault | None:
    """Refuse a header row whose cells are not one column each.

    Args:
        cells: Of the row that names the columns.
        other_rows: The table's other header rows; a cell of theirs may reach down into that row.

    Returns:
        The fault `spanned_cell`, or None.
    """
    for cell in cells:
        if span := _find_span(cell, _SPANS):
            return faults.spanned_cell("머리글", cell_text(cell, _NOTHING), span)
    for cell in (cell for row in other_rows for cell in row):
        if span := _find_span(cell, ("rowspan",)):
            return faults.spanned_cell("머리글", cell_text(cell, _NOTHING), span)
    return None


def check_visible(rows: Sequence[Cells]) -> Fault | None:
    """Refuse a row that no browser shows: the fault `hidden_row`, or None."""
    for row_no, cells in enumerate(rows, start=1):
        row = cells[0].getparent() if cells else None
        if row is not None and (is_hidden(row) or is_hidden(row.getparent())):
            return faults.hidden_row(row_no, [cell_text(cell, _NOTHING) for cell in cells])
    return None


def check_rows(
    rows: Sequence[Cells],
    labels: frozenset[Element],
    texts: Sequence[str],
    read: Collection[int],
) -> Fault | None:
    """Refuse rows that cannot be read cell by cell.

    Args:
        rows: The cells of the data rows.
        labels: Elements inside cells that are not part of a value.
        texts: n_columns headers as shown.
        read: Indexes of the columns that fields are read from.

    Returns:
        One of the faults `ragged_row`, `stray_text`, `spanned_cell`, `repeated_header`,
        `label_differs`; or None.
    """
    for row_no, cells in enumerate(rows, start=1):
        if fault := _check_cells(row_no, cells, labels, texts):
            return fault
        if read and all(_shows(cells[index], texts[index], labels) for index in read):
            return faults.repeated_header(row_no, texts)
    for index in sorted(read):
        if fault := _check_labels([row[index] for row in rows], labels, texts[index]):
            return fault
    return None


def _check_cells(
    row_no: int, cells: Cells, labels: frozenset[Element], texts: Sequence[str]
) -> Fault | None:
    """Refuse a row that is not one cell a column and nothing else."""
    if len(cells) != len(texts):
        return faults.ragged_row(row_no, len(cells), len(texts))
    if loose := _text_between(cells, labels):
        return faults.loose_text(row_no, loose)
    for cell, text in zip(cells, texts, strict=True):
        if span := _find_span(cell, _SPANS):
            return faults.spanned_cell(f"{row_no}번째 행", text, span)
    return None


def _shows(cell: Element, header: str, labels: frozenset[Element]) -> bool:
    return key_form(cell_text(cell, labels)) == key_form(header)


def _text_between(cells: Cells, labels: frozenset[Element]) -> str:
    """Return what a row holds outside its cells, where an end tag too early leaves a value."""
    row = cells[0].getparent()
    if row is None:
        return ""
    parts = [row.text or ""]
    for child in row:
        if child.tag not in _CELLS and child not in labels:
            parts.append(cell_text(child, labels))
        parts.append(child.tail or "")
    return "".join(parts).strip()


def _find_span(cell: Element, names: Sequence[str]) -> str:
    """Return how a cell covers more than its own place, "" where it does not."""
    spans = ((name, (cell.get(name) or "").strip()) for name in names)
    return next((f"{name}={value}" for name, value in spans if value not in _ONE), "")


# --- labels ------------------------------------------------------------------------------------


def _check_labels(
    cells: Sequence[Element], labels: frozenset[Element], column: str
) -> Fault | None:
    """Refuse a label that is not the one of its column: without its end tag it holds the value."""
    own = list(enumerate(cells, start=1))
    inner = [(row_no, each) for row_no, cell in own for each in cell.iterdescendants(*_CELLS)]
    for group in (own, inner):
        found = [(row_no, tuple(_label_texts(cell, labels))) for row_no, cell in group]
        if fault := _compare_labels(found, column, n_rows=len(cells)):
            return fault
    return None


def _compare_labels(
    found: Sequence[tuple[int, tuple[str, ...]]], column: str, *, n_rows: int
) -> Fault | None:
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
        elif child.tag not in _CELLS:
            yield from _label_texts(child, labels)
