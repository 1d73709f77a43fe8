"""The visible text of a part of a page, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import hides
from dmf_crawler.extract.plain_text import CELLS, LINES

Blocks = tuple[str, ...]
"""Paragraphs, items, cells and lines, white space collapsed, none of them empty."""

_NEVER_SHOWN = frozenset({"head", "script", "style", "template", "noscript", "svg", "datalist"})
_BREAKING = LINES | CELLS | {"details", "legend", "option", "optgroup", "select", "summary"}
_KEEPS_LINES = frozenset({"pre", "textarea"})


def read_blocks(
    root: Element,
    dropped: Set[Element] = frozenset(),
    unordered: Set[Element] = frozenset(),
    compare_form: Callable[[str], str] = str,
) -> Blocks:
    """Return the text of an element that a browser shows, in blocks.

    A block ends at a block-level element, at `<br>`, a cell, an item, and at each child of an
    unordered element. A picture counts with its alternative text. What the markup hides, scripts
    and styles do not count. Takes linear time, but for the sorting.

    Args:
        root: Parsed without comments, at most 256 levels deep, as libxml2 does.
        dropped: Elements that are not part of the text.
        unordered: Elements whose children are sorted; text between these comes before them.
        compare_form: What of a block they are sorted by.
    """
    reader = _Reader(dropped, unordered, cache(compare_form))
    reader.read(root, keeps_lines=False)
    return tuple(reader.finish())


class _Reader:
    """Blocks that are complete, and the pieces of the one that is not."""

    def __init__(
        self, dropped: Set[Element], unordered: Set[Element], compare_form: Callable[[str], str]
    ) -> None:
        self._dropped = dropped
        self._unordered = unordered
        self._compare_form = compare_form
        self._blocks: list[str] = []
        self._pieces: list[str] = []

    def read(self, element: Element, *, keeps_lines: bool) -> None:
        """Take in what an element shows, without its tail."""
        if element.tag in _BREAKING:
            self._end_block()
        if element not in self._dropped and element.tag not in _NEVER_SHOWN and not hides(element):
            keeps_lines = keeps_lines or element.tag in _KEEPS_LINES
            if element.tag == "img":
                self._add(f" {element.get('alt') or ''} ", keeps_lines=False)
            self._add(element.text or "", keeps_lines=keeps_lines)
            if element in self._unordered:
                self._read_unordered(element, keeps_lines=keeps_lines)
            else:
                for child in element:
                    self.read(child, keeps_lines=keeps_lines)
                    self._add(child.tail or "", keeps_lines=keeps_lines)
        if element.tag in _BREAKING:
            self._end_block()

    def finish(self) -> list[str]:
        """End the last block and return all of them."""
        self._end_block()
        return self._blocks

    def _read_unordered(self, element: Element, *, keeps_lines: bool) -> None:
        groups = []
        for child in element:
            reader = _Reader(self._dropped, self._unordered, self._compare_form)
            reader.read(child, keeps_lines=keeps_lines)
            groups.append(reader.finish())
            self._end_block()
            self._add(child.tail or "", keeps_lines=keeps_lines)
        self._end_block()
        # What moves by itself, and so is not compared, shall not move the rest.
        groups.sort(key=lambda group: (list(map(self._compare_form, group)), group))
        for group in groups:
            self._blocks += group

    def _add(self, text: str, *, keeps_lines: bool) -> None:
        if not keeps_lines or "\n" not in text:
            self._pieces.append(text)
            return
        for number, line in enumerate(text.split("\n")):
            if number:
                self._end_block()
            self._pieces.append(line)

    def _end_block(self) -> None:
        if block := " ".join("".join(self._pieces).split()):
            self._blocks.append(block)
        self._pieces.clear()
