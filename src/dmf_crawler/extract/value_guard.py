"""Does a cell show its whole value and nothing else?

A redesign can cut values, put marks behind them or lay out a list of values anew. What then stands
in the cells looks like values. Where it can be told, the page is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lxml.etree import _Element as Element
from lxml.html.defs import tags

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import cell_text, find_unread, hides, squeeze
from dmf_crawler.extract.column import CellColumn, flatten, read_parts
from dmf_crawler.extract.inner import find_inner, split_lines
from dmf_crawler.extract.selectors import FieldLocator
from dmf_crawler.extract.value import find_full_text, is_cut, may_be_cut
from dmf_crawler.model.run import Fault

_MOST_HIDDEN = 100
"""Parts of a cell; it would take too long to see whether so many are in sight elsewhere."""

_LEAST_CUT = 2
"""So many values of a page do not end in an ellipsis by chance."""

_LEAST_MARKS = 2
_MOST_KINDS = 3
"""Of marks in a column; more are words of the values."""

_LEAST_ROWS = 5
_MARK_TAGS = frozenset(
    {
        *("a", "b", "div", "em", "font", "i", "ins", "label", "mark", "p", "small", "span"),
        *("strong", "u"),
    }
)
_EMPHASIS = frozenset({"b", "em", "i", "mark", "strong", "u"})
_MARKABLE = _MARK_TAGS | {"sup"}
_PART_TAGS = frozenset({"table", "ul", "ol", "dl", "div", "p", "li"})
_BADGES = frozenset(
    {
        *("new", "n", "hot", "up", "update"),
        *("신규", "새글", "최신", "변경", "수정", "정정", "추가"),
    }
)
_FOOTNOTE = re.compile(r"[*†‡※]+|주?\s*\d{1,2}\s*\)")
_BULLETS = frozenset("·•‧∙▪▫■□◆◇○●◦※▶►▷☞-–—*")
_SEVERAL = re.compile(r"[,;]|\s/\s|외\s*\d+")
_COUNT = re.compile(r"\d+[.)]?")
_CELLS = frozenset({"td", "th"})
_TAGS = tags | {"bdi", "data", "dialog", "main", "picture", "search", "slot", "template"}
"""What HTML knows; the library's list is of 2012."""

_STRUCK = ("del", "s", "strike")


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
        One of the faults `unread_value`, `odd_value`, `odd_nested`, `cut_value`; or None.
    """
    with_parts = [(column.row_nos[index], column.cells[index]) for index in column.odd]
    for row_no, cell in with_parts:
        if len(cell) and not cell_text(cell, labels).strip() and (found := find_unread(cell)):
            return faults.unread_value(row_no, header, found)
        if found := _find_aside(cell, labels, is_nested=field.nested != ""):
            return faults.odd_value(row_no, header, found)
    return (
        _check_marks(with_parts, labels, header, len(column.cells))
        or (_check_nested(column, labels, header) if field.nested else None)
        or _check_cut(column, header, field)
    )


def _find_aside(cell: Element, labels: frozenset[Element], *, is_nested: bool) -> str:
    """Return a text in a cell that is no part of its value; "" for none.

    It is an element that HTML does not know (a value with a `<` as such), nobody sees it, it is
    struck out, it stands there twice, or it is a block beside the one value.
    Of several values some may wait for a click; they count if they are not there already.
    """
    if struck := next(filter(None, (_text_of(each, labels) for each in cell.iter(*_STRUCK))), ""):
        return struck
    if unknown := next((each.tag for each in _walk(cell, labels) if _is_unknown(each)), ""):
        return f"<{unknown}>"
    hidden = [each for each in _walk(cell, labels) if hides(each)]
    if hidden:
        seen = squeeze(cell_text(cell, labels.union(hidden)))
        for each in hidden:
            text = cell_text(each, labels).strip()
            if text and (not is_nested or squeeze(text) in seen or len(hidden) > _MOST_HIDDEN):
                return text
    if not is_nested and (block := _find_block(cell, labels)):
        return block
    texts = [squeeze(cell_text(each, labels)) for each in cell if each not in labels]
    shown = [text for text in texts if text]
    return shown[0] if len(shown) > 1 == len(set(shown)) and not _has_inner(cell) else ""


def _walk(element: Element, labels: frozenset[Element]) -> Iterator[Element]:
    """Yield what is inside an element, labels and what is in them left out."""
    for child in element:
        if child not in labels:
            yield child
            yield from _walk(child, labels)


def _is_unknown(element: Element) -> bool:
    """Say whether HTML knows no such element; those with `-` or `:` are a site's own."""
    return element.tag not in _TAGS and "-" not in element.tag and ":" not in element.tag


def _find_block(cell: Element, labels: frozenset[Element]) -> str:
    """Return the last block inside a cell that is not all of its text; "" for none."""
    blocks = [each for each in find_inner(cell, labels) if cell_text(each, labels).strip()]
    whole = squeeze(cell_text(cell, labels)) if blocks else ""
    odd = [each for each in blocks if squeeze(cell_text(each, labels)) != whole]
    return cell_text(odd[-1], labels).strip() if odd else ""


def _text_of(element: Element, labels: frozenset[Element]) -> str:
    return "" if element in labels else cell_text(element, labels).strip()


def _has_inner(cell: Element) -> bool:
    return any(each.tag in _PART_TAGS or each.tag == "br" for each in cell)


def _check_marks(
    cells: Sequence[tuple[int, Element]], labels: frozenset[Element], column: str, n_rows: int
) -> Fault | None:
    """Refuse marks beside values: known ones, or the same few in several rows."""
    places: dict[str, list[int]] = {}
    for row_no, cell in cells:
        for element, text in _find_marks(cell, labels):
            is_last = not _text_beside(element, labels, is_before=False)
            if element.tag == "sup" and _FOOTNOTE.fullmatch(text):
                return faults.odd_value(row_no, column, text)
            if is_last and text.casefold() in _BADGES:
                return faults.odd_value(row_no, column, text)
            if element.tag in _MARK_TAGS and (is_last or _is_before_value(element, labels)):
                places.setdefault(text, []).append(row_no)
    if not places or len(places) > _MOST_KINDS:
        return None
    text, row_nos = max(places.items(), key=lambda item: len(item[1]))
    is_everywhere = len(row_nos) == n_rows
    if len(row_nos) >= (_LEAST_ROWS if is_everywhere else _LEAST_MARKS):
        return faults.odd_value(row_nos[0], column, text)
    return None


def _is_before_value(element: Element, labels: frozenset[Element]) -> bool:
    """Say whether a mark may stand before a value; a part of one that is set off is none."""
    is_joined = (element.tail or "")[:1].strip() != ""
    if is_joined and element.tag in _EMPHASIS:
        return False
    return not _text_beside(element, labels, is_before=True)


def _text_beside(element: Element, labels: frozenset[Element], *, is_before: bool) -> str:
    """Return the nearest text before or behind an element, inside the one that it stands in."""
    holder = element.getparent()
    if text := ((holder.text if is_before and holder is not None else element.tail) or "").strip():
        return text
    for each in element.itersiblings(preceding=is_before):
        if text := (_text_of(each, labels) or (each.tail or "").strip()):
            return text
    return ""


def _find_marks(cell: Element, labels: frozenset[Element]) -> Iterator[tuple[Element, str]]:
    """Yield each element that stands beside other text of a cell, or of a cell inside it."""
    for holder in find_inner(cell, labels) or [cell]:
        if not len(holder):
            continue
        whole = squeeze(cell_text(holder, labels))
        for child in holder:
            if child in labels or child.tag not in _MARKABLE:
                continue
            text = squeeze(cell_text(child, labels))
            if text and text != whole:
                yield child, text


def _check_cut(column: CellColumn, header: str, field: FieldLocator) -> Fault | None:
    """Refuse values that are cut and whose rest is nowhere, or in a title that nobody reads."""
    n_cut = 0
    if not may_be_cut(flatten(column)):
        return None
    for index, said in enumerate(column.nested if field.nested else column.texts):
        texts = (said,) if isinstance(said, str) else said or ()
        for text in filter(is_cut, texts):
            has_rest = find_full_text(column.cells[index], text) != ""
            n_cut += not (has_rest and field.prefers_title)
            is_sure = has_rest and not field.prefers_title
            is_all_cut = not text.strip(" .…⋯") and text.strip() not in field.placeholders
            if n_cut >= _LEAST_CUT or is_sure or is_all_cut:
                return faults.cut_value(column.row_nos[index], header, text.strip()[-20:])
    return None


# --- nested values -------------------------------------------------------------------------------


def _check_nested(column: CellColumn, labels: frozenset[Element], header: str) -> Fault | None:
    """Refuse lists of values whose parts are not told apart, or are more than values."""
    texts_of: list[Sequence[str]] = [texts or () for texts in column.nested]
    n_flat = 0
    for index in column.odd:
        cell = column.cells[index]
        inner = find_inner(cell, labels)
        texts = read_parts(inner, labels) if inner else split_lines(cell, labels)
        if found := _find_oddity(cell, inner, texts, labels):
            return faults.odd_nested(column.row_nos[index], header, found)
        n_flat += not inner and len(texts) == 1
        texts_of[index] = texts
    every = (text.strip() for texts in texts_of for text in texts)
    first = next((text for text in every if len(text) > 1), "")
    if n_flat < len(column.cells) and first[:1] not in _BULLETS:
        return None  # as nearly always
    n_several = sum(len(texts) > 1 for texts in texts_of)
    stripped = [text.strip() for texts in texts_of for text in texts]
    values = [text for text in stripped if len(text) > 1]
    is_marked = len(values) >= _LEAST_ROWS and all(value[0] in _BULLETS for value in values)
    if n_several and is_marked:
        return faults.odd_nested(1, header, f"값마다 '{values[0][0]}' 표시")
    if n_flat == len(column.cells) >= _LEAST_ROWS and any(map(_may_be_several, values)):
        return faults.odd_nested(1, header, "모든 칸에 값이 하나씩, 안쪽 표 없음")
    return None


def _find_oddity(
    cell: Element, inner: Sequence[Element], texts: Sequence[str], labels: frozenset[Element]
) -> str:
    """Say in Korean why the values inside a cell cannot be told apart; "" where they can."""
    if inner:
        if any(_count_parts(each, labels) > 1 for each in inner if each.tag not in _CELLS):
            return "값을 가르는 것이 없음"
        if {each.tag for each in inner} >= _CELLS:
            return "안쪽 표에 머리글"
        return "안쪽 표에 열이 여러 개" if _has_columns(inner, texts) else ""
    return "값을 가르는 것이 없음" if len(texts) == 1 and _count_parts(cell, labels) > 1 else ""


def _may_be_several(text: str) -> bool:
    return _SEVERAL.search(text) is not None


def _has_columns(inner: Sequence[Element], texts: Sequence[str]) -> bool:
    """Say whether the cells of an inner table are more than one value a row, or a row of values."""
    rows = Counter(each.getparent() for each in inner if each.tag in {"td", "th"})
    is_wide = len(rows) < sum(rows.values())
    return is_wide and (len(rows) > 1 or _COUNT.fullmatch(texts[0].strip()) is not None)


def _count_parts(cell: Element, labels: frozenset[Element]) -> int:
    """Return how many elements of a cell have a text."""
    return sum(1 for _ in _parts(cell, labels))


def _parts(cell: Element, labels: frozenset[Element]) -> Iterator[Element]:
    for child in cell:
        if child not in labels and child.tag != "br" and cell_text(child, labels).strip():
            yield child
