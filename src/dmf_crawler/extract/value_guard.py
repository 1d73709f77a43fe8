"""Does a cell show its whole value and nothing else?

A redesign can cut values, put marks behind them or lay out a list of values anew. What then stands
in the cells looks like values. Where it can be told, the page is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import cell_text, find_unread, squeeze
from dmf_crawler.extract.column import CellColumn
from dmf_crawler.extract.inner import find_inner, split_lines
from dmf_crawler.extract.selectors import FieldLocator
from dmf_crawler.extract.value import find_full_text, is_cut
from dmf_crawler.model.run import Fault

_LEAST_CUT = 3
"""So many values of a page do not end in an ellipsis by chance."""

_LEAST_MARKS = 2
_LEAST_ROWS = 5
_MARK_TAGS = frozenset(
    {"span", "em", "strong", "i", "b", "a", "label", "small", "mark", "u", "font"}
)
_BADGES = frozenset({"new", "n", "hot", "up", "update", "신규", "새글", "최신"})
_FOOTNOTE = re.compile(r"[*†‡※]+|주?\s*\d{1,2}\s*\)")
_BULLETS = frozenset("·•‧∙▪▫■□◆◇○●◦※▶►▷☞-–—*")
_ALTERNATIVE_SIGNS = re.compile("외\\s*\\d+")


def check_values(
    column: CellColumn, labels: frozenset[Element], header: str, field: FieldLocator
) -> Fault | None:
    """Refuse a column whose cells show something else than their values.

    Args:
        column: One column.
        labels: What is no part of a value.
        header: The column's header as shown.
        field: The field that is read from it.

    Returns:
        One of the faults `unread_value`, `odd_value`, `odd_nested`; or None.
    """
    with_parts = [(index + 1, column.cells[index]) for index in column.odd]
    for row_no, cell in with_parts:
        if len(cell) and not cell_text(cell, labels).strip() and (found := find_unread(cell)):
            return faults.unread_value(row_no, header, found)
    if field.nested:
        return _check_nested(column, labels, header)
    return _check_marks(with_parts, labels, header, len(column.cells)) or _check_cut(
        column, header, field
    )


def _check_marks(
    cells: Sequence[tuple[int, Element]], labels: frozenset[Element], column: str, n_rows: int
) -> Fault | None:
    """Refuse marks beside values: known ones, or the same in some rows of a column, not in all."""
    places: dict[str, list[int]] = {}
    for row_no, cell in cells:
        for tag, text in _find_marks(cell, labels):
            is_known = _FOOTNOTE.fullmatch(text) if tag == "sup" else text.casefold() in _BADGES
            if is_known:
                return faults.odd_value(row_no, column, text)
            if tag in _MARK_TAGS:
                places.setdefault(text, []).append(row_no)
    for text, row_nos in places.items():
        if _LEAST_MARKS <= len(row_nos) < n_rows and len(places) == 1:
            return faults.odd_value(row_nos[0], column, text)
    return None


def _find_marks(cell: Element, labels: frozenset[Element]) -> Iterator[tuple[str, str]]:
    """Yield tag and text of each element that stands beside the rest of a cell's text."""
    whole = squeeze(cell_text(cell, labels))
    for child in cell:
        if child.tag in _MARK_TAGS or child.tag == "sup":
            text = "" if child in labels else squeeze(cell_text(child, labels))
            if text and text != whole:
                yield child.tag, text


def _check_cut(column: CellColumn, header: str, field: FieldLocator) -> Fault | None:
    """Refuse values that are cut and whose rest is nowhere."""
    n_cut = 0
    for row_no, text in enumerate(column.texts, start=1):
        if not is_cut(text):
            continue
        if not (field.prefers_title and find_full_text(column.cells[row_no - 1], text)):
            n_cut += 1
            if n_cut >= _LEAST_CUT:
                return faults.odd_value(row_no, header, text.strip()[-20:])
    return None


# --- nested values -------------------------------------------------------------------------------


def _check_nested(column: CellColumn, labels: frozenset[Element], header: str) -> Fault | None:
    """Refuse lists of values whose parts are not told apart, or are more than values."""
    values: list[str] = []
    n_flat, n_several = 0, 0
    odd = frozenset(column.odd)
    for index, cell in enumerate(column.cells):
        texts: Sequence[str] = column.nested[index] or ()
        if index in odd:
            inner = find_inner(cell, labels)
            texts = [cell_text(each, labels) for each in inner] or split_lines(cell, labels)
            if inner and _has_columns(inner, texts):
                return faults.odd_nested(index + 1, header, "안쪽 표에 열이 여러 개")
            if not inner and len(texts) == 1 and _count_parts(cell, labels) > 1:
                return faults.odd_nested(index + 1, header, "값을 가르는 것이 없음")
            n_flat += not inner and len(texts) == 1
        n_several += len(texts) > 1
        values += [text for text in map(str.strip, texts) if len(text) > 1]
    is_marked = len(values) >= _LEAST_ROWS and all(value[0] in _BULLETS for value in values)
    if n_several and is_marked:
        return faults.odd_nested(1, header, f"값마다 '{values[0][0]}' 표시")
    if n_flat == len(column.cells) >= _LEAST_ROWS and any(map(_may_be_several, values)):
        return faults.odd_nested(1, header, "모든 칸에 값이 하나씩, 안쪽 표 없음")
    return None


def _may_be_several(text: str) -> bool:
    return "," in text or bool(_ALTERNATIVE_SIGNS.search(text))


def _has_columns(inner: Sequence[Element], texts: Sequence[str]) -> bool:
    """Say whether the cells of an inner table are more than one value a row, or a row of values."""
    rows = Counter(each.getparent() for each in inner if each.tag in {"td", "th"})
    is_wide = len(rows) < sum(rows.values())
    return is_wide and (len(rows) > 1 or texts[0].strip().isdigit())


def _count_parts(cell: Element, labels: frozenset[Element]) -> int:
    """Return how many elements of a cell have a text."""
    return sum(1 for _ in _parts(cell, labels))


def _parts(cell: Element, labels: frozenset[Element]) -> Iterator[Element]:
    for child in cell:
        if child not in labels and child.tag != "br" and cell_text(child, labels).strip():
            yield child
