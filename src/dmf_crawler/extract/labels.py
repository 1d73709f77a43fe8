"""Which elements inside cells are labels.

A label is what `drop` finds. Where that finds none in a column, the site may have renamed its
classes: then the first or last element of every cell is the label if in every row it says the
column's own name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import NEVER_TEXT, cell_text, hides, squeeze
from dmf_crawler.extract.grid import Cells, part_of
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.selectors import Selectors, text_form

INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "cite", "code", "data", "em", "font", "i", "ins", "kbd"),
        *("label", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u", "var"),
    }
)
"""Text in a line: one of these that nobody sees is no part of a value. A hidden block, or a row of
a hidden table, may wait for a click: its text counts."""

_BLOCKS = ("div", "p")
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
    drop = frozenset([each for path in selectors.drop for each in find_elements(path, document)])
    others = list(document.iter(*NEVER_TEXT))
    rest = [each for each in document.iter(*INLINE, *_BLOCKS) if each not in drop]
    others += [each for each in rest if _is_unseen(each, selectors)]
    for path in selectors.unseen:
        others += find_elements(path, document)
    labels = drop.union(others) if others else drop
    buttons = _find_buttons(document, labels)
    return Labels(drop, labels | buttons if buttons else labels)


def _is_unseen(element: Element, selectors: Selectors) -> bool:
    if has_class(element, selectors.unseen_classes):
        return True
    return element.tag in INLINE and hides(element)


def has_class(element: Element, classes: frozenset[str]) -> bool:
    """Say whether an element has one of some classes."""
    names = element.get("class")
    return names is not None and not classes.isdisjoint(names.split())


def _find_buttons(document: Element, labels: frozenset[Element]) -> frozenset[Element]:
    """Return the buttons that stand in a cell beside its value: in a cell that has other text."""
    found: list[Element] = []
    lengths: dict[Element, int] = {}  # of the texts of cells, of which there are fewer
    for button in document.iter("button"):
        cell = next((each for each in button.iterancestors() if part_of(each) == "cell"), None)
        if cell is None:
            continue
        if cell not in lengths:
            lengths[cell] = len(squeeze(cell_text(cell, labels)))
        if len(squeeze(cell_text(button, labels))) < lengths[cell]:
            found.append(button)
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
    columns = list(zip(*rows, strict=True)) if rows else []
    has_inner_headers = rows and _has_inner_headers(rows[0][0])
    for index, forms in names.items() if columns else ():
        cells: Sequence[Element] = columns[index]
        if not any(map(len, cells)):
            continue
        if has_inner_headers:
            found.update(_find_inner_headers(cells, forms))
        if any(_has_label(cell, labels.drop) for cell in cells):
            continue
        cells = list(dict.fromkeys(cells))
        for place in (0, -1):
            own = [_label_at(cell, place, forms) for cell in cells]
            if all(each is not None for each in own):
                found.update(each for each in own if each is not None)
                break
    return frozenset(found)


def _has_label(cell: Element, drop: frozenset[Element]) -> bool:
    return any(child in drop for child in cell)


def _has_inner_headers(cell: Element) -> bool:
    """Say whether some cell of a cell's page holds a table with a head."""
    heads = cell.getroottree().iter("thead")
    return any(next(head.iterancestors("td", "th"), None) is not None for head in heads)


def _find_inner_headers(cells: Sequence[Element], forms: Collection[str]) -> Iterator[Element]:
    for cell in dict.fromkeys(cells):
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
