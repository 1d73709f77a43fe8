"""Which attributes of a page would find what a selector finds, so that it need not hang on a class.

An attribute would if nothing else has it: of a field no other element of its row, of the rows no
other row of the list. What is different in every row (`id="row_17"`) finds no field, and a value
without a letter (`data-col="4"`) is a position or a number of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import cell_text
from dmf_crawler.extract.grid import part_of
from dmf_crawler.extract.header import Header
from dmf_crawler.extract.locating import locate
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.places import Search
from dmf_crawler.extract.selectors import Locator
from dmf_crawler.extract.value import read_one_attribute

_T = TypeVar("_T")

_N_VALUE_CHARS = 80
"""A longer value names nothing."""

_ENOUGH_TEXTS = 2


@dataclass(frozen=True, slots=True)
class PageAnchors:
    """What else finds what a selector finds.

    Attributes:
        attributes: Attributes as HTML writes them, `name="value"`, or `name` where any value does.
        texts: What was found says, two different texts at most.
    """

    attributes: frozenset[str]
    texts: frozenset[str]

    @property
    def usable(self) -> frozenset[str]:
        """The attributes, unless all that was found says the same: they may be a value then."""
        return self.attributes if len(self.texts) >= _ENOUGH_TEXTS else frozenset()

    def join(self, other: PageAnchors) -> PageAnchors:
        """Return what holds on the pages of both."""
        texts = sorted(self.texts | other.texts)[:_ENOUGH_TEXTS]
        return PageAnchors(self.attributes & other.attributes, frozenset(texts))


def find_field_anchors(locator: Locator, search: Search) -> PageAnchors | None:
    """Return the attributes, of what a locator finds or of its cell, that say the same in each row.

    Returns:
        They; None where the locator finds nothing.
    """
    attributes: frozenset[str] | None = None
    texts: set[str] = set()
    for row in search.rows:
        hits = locate(locator, row, search.labels)
        if not hits:
            continue
        single = _single_out(hits[0], row) if len(hits) == 1 else frozenset()
        attributes = single if attributes is None else attributes & single
        if not attributes:
            return PageAnchors(frozenset(), frozenset())
        if len(texts) < _ENOUGH_TEXTS:
            is_attribute = locator.strategy == "attr"
            own = read_one_attribute(locator, hits) if is_attribute else None
            texts.add(own or cell_text(hits[0], search.labels))
    return None if attributes is None else PageAnchors(attributes, frozenset(texts))


def _single_out(found: Element, row: Element) -> frozenset[str]:
    """Return the attributes of an element, or of one around it, that nothing else in a row has."""
    own = {text for each in _around(found, row) for text in _attributes_of(each)}
    if not own:
        return frozenset()
    counts = Counter(text for each in row.iter("*") for text in _attributes_of(each))
    return frozenset(text for text in own if counts[text] == 1)


def _around(found: Element, row: Element) -> Iterator[Element]:
    """Yield an element and what stands around it inside its row."""
    yield found
    if found is not row:
        yield from takewhile(lambda each: each is not row, found.iterancestors())


def find_row_anchors(
    path: XPath, headers: Sequence[Header], document: Element
) -> PageAnchors | None:
    """Return the attributes that all rows, or their table, have, and no other row of the list.

    Returns:
        They; None where the selector finds no row of the list.
    """
    own = {row.element for header in headers for row in header.rows}
    rows = [each for each in find_elements(path, document) if each in own]
    if not rows:
        return None
    others = own.difference(rows)
    attributes = _shared([_names_of(each) for each in rows], [_names_of(each) for each in others])
    attributes |= _shared([_data_of(each) for each in rows], [_data_of(each) for each in others])
    holders = _shared([_holders_of(each) for each in rows], [_holders_of(each) for each in others])
    of_holders = {text for each in holders for text in _attributes_of(each)}
    if of_holders:
        counts = Counter(text for each in document.iter("*") for text in _attributes_of(each))
        attributes |= {text for text in of_holders if counts[text] == 1}
    texts: set[str] = set()
    for each in rows:
        texts.add(cell_text(each, frozenset()))
        if len(texts) >= _ENOUGH_TEXTS:
            break
    return PageAnchors(frozenset(attributes), frozenset(texts))


def _holders_of(row: Element) -> set[Element]:
    """Return what stands around a row, up to its table."""
    holders = set()
    for each in row.iterancestors():
        holders.add(each)
        if part_of(each) == "table":
            break
    return holders


def _names_of(row: Element) -> set[str]:
    """Return the names of a row's attributes; that it has an id tells a row from nothing."""
    return {name for name in map(str, row.keys()) if _is_data(name)}


def _data_of(row: Element) -> set[str]:
    return {text for text in _attributes_of(row) if not text.startswith("id=")}


def _attributes_of(element: Element) -> Iterator[str]:
    """Yield the ids, and what the page says of its data, as HTML writes them."""
    for name in map(str, element.keys()):
        if name == "id" or _is_data(name):
            value = element.get(name) or ""
            if len(value) <= _N_VALUE_CHARS and any(map(str.isalpha, value)):
                yield f'{name}="{value}"'


def _is_data(name: str) -> bool:
    return name.startswith("data-") or name == "itemprop"


def _shared(own: Sequence[set[_T]], others: Sequence[set[_T]]) -> set[_T]:
    """Return what is in all of these and in none of the others."""
    return own[0].intersection(*own[1:]).difference(*others)
