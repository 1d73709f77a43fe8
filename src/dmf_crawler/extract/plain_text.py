"""What a part of a page says, as lines of text."""

from __future__ import annotations

from collections.abc import Callable

from lxml.etree import _Element as Element
from lxml.etree import iterwalk

CELLS = frozenset({"td", "th"})
LINES = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul"),
    }
)
"""Elements before and after which a line ends."""


def read_text(root: Element, is_left_out: Callable[[Element], bool]) -> str:
    """Return the text of an element, one line a block.

    Cells of a row stand apart by a blank. White space in a line is one blank; a line feed ends a
    line inside `pre` alone. Empty lines are dropped. Takes time and memory linear in the page.

    Args:
        root: Parsed without comments.
        is_left_out: Says of which elements neither text nor content counts.
    """
    parts: list[str] = []
    n_open_pre = 0
    walker = iterwalk(root, events=("start", "end"))
    for event, element in walker:
        parts.append(_gap_at(element))
        if element.tag == "pre":
            n_open_pre += 1 if event == "start" else -1
        text = element.text if event == "start" else element.tail
        if event == "start" and is_left_out(element):
            walker.skip_subtree()
        elif text and (event == "start" or element is not root):
            parts.append(text if n_open_pre else text.replace("\n", " "))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _gap_at(element: Element) -> str:
    """Return what stands between the texts before and after a start or an end of an element."""
    if element.tag in LINES:
        return "\n"
    return " " if element.tag in CELLS else ""
