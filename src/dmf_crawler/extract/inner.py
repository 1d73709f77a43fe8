"""The values of a cell that holds several: of the table inside it, or what stands for one."""

from __future__ import annotations

from lxml.etree import _Element as Element

from dmf_crawler.extract.grid import part_of

_BLOCKS = (("li",), ("dd",), ("div", "p"))


def find_inner(cell: Element, labels: frozenset[Element]) -> list[Element]:
    """Return the innermost cells inside a cell; else its list items, or blocks.

    What is a cell by its role alone counts as one.
    """
    if not len(cell):
        return []
    inner = [each for each in cell.iterdescendants("td", "th") if _is_leaf(each, ("td", "th"))]
    if inner:
        return [each for each in inner if not _is_in(each, labels, cell)]
    inner = [each for each in cell.iterdescendants("*") if part_of(each) == "cell"]
    if inner:
        return [each for each in inner if not _is_in(each, labels, cell)]
    for tags in _BLOCKS:
        inner = [each for each in cell.iterdescendants(*tags) if _is_leaf(each, tags)]
        inner = [each for each in inner if not _is_in(each, labels, cell)]
        if inner:
            return inner
    return []


def split_lines(element: Element, labels: frozenset[Element]) -> list[str]:
    """Return an element's text as the lines that `<br>` makes of it; blank ones at the end go."""
    lines = [""]
    _split_into(lines, element, labels)
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return lines


def _split_into(lines: list[str], element: Element, labels: frozenset[Element]) -> None:
    lines[-1] += element.text or ""
    for child in element:
        if child.tag == "br":
            lines.append("")
        elif child not in labels:
            _split_into(lines, child, labels)
        lines[-1] += child.tail or ""


def _is_leaf(element: Element, tags: tuple[str, ...]) -> bool:
    return not len(element) or next(element.iterdescendants(*tags), None) is None


def _is_in(element: Element, labels: frozenset[Element], cell: Element) -> bool:
    """Say whether an element is a label, or part of one."""
    each: Element | None = element
    while each is not None and each is not cell:
        if each in labels:
            return True
        each = each.getparent()
    return False
