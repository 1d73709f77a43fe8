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
from dataclasses import dataclass

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract import row_faults as faults
from dmf_crawler.extract.cell import NEVER_TEXT, cell_text, hides, squeeze
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

_MOST_BUTTONS = 10_000
_HIDEABLE = XPath("descendant-or-self::*[@hidden or @style]")
_INLINE = frozenset(
    {
        *(
            "a",
            "abbr",
            "b",
            "bdi",
            "cite",
            "code",
            "data",
            "em",
            "font",
            "i",
            "ins",
            "kbd",
            "label",
        ),
        *("mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u", "var"),
    }
)
_NOTHING: frozenset[Element] = frozenset()


@dataclass(frozen=True, slots=True)
class Labels:
    """What stands inside cells and is no part of a value.

    Attributes:
        drop: Labels that people see, as `drop` finds them.
        all: These, what is never text, what nobody sees, and buttons beside a value.
    """

    drop: frozenset[Element]
    all: frozenset[Element]


def find_labels(document: Element, selectors: Selectors) -> Labels:
    """Find the labels of a page."""
    drop: set[Element] = set()
    for path in selectors.drop:
        drop.update(find_elements(path, document))
    never = set(document.iter(*NEVER_TEXT))
    unseen = {each for each in find_elements(_HIDEABLE, document) if _is_aside(each)}
    for path in selectors.unseen:
        unseen.update(each for each in find_elements(path, document) if each.tag in _INLINE)
    found = frozenset(drop | never | unseen)
    return Labels(frozenset(drop), found | _find_buttons(document, found))


def _is_aside(element: Element) -> bool:
    """Say whether an element is text in a line that its own markup keeps from being seen.

    A hidden block, or a row of a hidden table, may wait for a click: its text counts.
    """
    return element.tag in _INLINE and hides(element)


def _find_buttons(document: Element, labels: frozenset[Element]) -> frozenset[Element]:
    """Return the buttons that stand in a cell beside its value."""
    found = set()
    for button in document.iter("button"):
        cell = next((each for each in button.iterancestors() if part_of(each) == "cell"), None)
        if cell is not None and cell_text(cell, labels | {button}).strip():
            found.add(button)
            if len(found) > _MOST_BUTTONS:
                break
    return frozenset(found)


def find_own_names(
    rows: Sequence[Cells],
    labels: Labels,
    names: Mapping[int, Collection[str]],
) -> frozenset[Element]:
    """Return the elements that say their column's name in columns in which `drop` found nothing.

    The header of a table inside a cell is such an element, too.

    Args:
        rows: The cells of the data rows.
        labels: What is known already.
        names: Index of a column → forms of the texts by which it goes.
    """
    found: set[Element] = set()
    for index, forms in names.items():
        cells = list(dict.fromkeys(row[index] for row in rows))
        if not any(map(len, cells)):
            continue
        found.update(_find_inner_headers(cells, forms))
        if any(_has_label(cell, labels.drop) for cell in cells):
            continue
        for place in (0, -1):
            own = [_label_at(cell, place, forms) for cell in cells]
            if all(each is not None for each in own):
                found.update(each for each in own if each is not None)
                break
    return frozenset(found)


def _has_label(cell: Element, drop: frozenset[Element]) -> bool:
    return any(child in drop for child in cell)


def _find_inner_headers(cells: Sequence[Element], forms: Collection[str]) -> Iterator[Element]:
    if next(cells[0].iter("thead"), None) is None:
        return
    for cell in cells:
        for head in cell.iter("thead"):
            if text_form(cell_text(head, _NOTHING)) in forms:
                yield head


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


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Forms of all texts by which a column's field goes, and by which the others go."""

    own: frozenset[str]
    others: frozenset[str]


# --- do they hold a value? -----------------------------------------------------------------------


def check_labels(
    cells: Sequence[Element], labels: Labels, column: str, names: ColumnNames
) -> Fault | None:
    """Refuse a label that is not the one of its column: without its end tag it holds the value.

    Args:
        cells: Of one column.
        labels: What is no part of a value.
        column: The column's header as shown.
        names: By which texts this and the other fields go.

    Returns:
        The fault `label_differs`, `label_of_other_column` or `label_kept`, or None.
    """
    own = [
        (row_no, cell)
        for row_no, cell in enumerate(cells, start=1)
        if not _is_empty(cell, labels, names)
    ]
    inner = [(row_no, each) for row_no, cell in own for each in cell.iterdescendants(*_CELLS)]
    for group in (own, inner):
        found = [(row_no, tuple(_label_texts(cell, labels.drop))) for row_no, cell in group]
        if fault := _compare_labels(found, column, n_rows=len(cells)):
            return fault
        forms = {text_form(text) for text in found[0][1]} if found else set()
        if forms & (names.others - names.own):
            return faults.label_of_other_column(found[0][1], column)
    return _find_kept(cells, labels.all, column)


def _is_empty(cell: Element, labels: Labels, names: ColumnNames) -> bool:
    """Say whether a cell has neither a value nor a label that could hold one.

    It may lack the label, or, where it covers several columns, have that of another one.
    """
    if not len(cell):
        return not (cell.text and cell.text.strip())
    known = names.own | names.others
    if any(text_form(text) not in known for text in _label_texts(cell, labels.drop)):
        return False
    return not cell_text(cell, labels.all).strip()


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
