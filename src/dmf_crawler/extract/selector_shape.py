"""What a selector is made of, whatever it is written in: its steps, and what it hangs on.

`css_shape` and `xpath_shape` say it of a CSS selector and of an XPath.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

_DATA_ATTRIBUTES = ("data-", "itemprop", "role", "aria-")


class Anchor(IntEnum):
    """What a selector hangs on; the lower, the longer it lives."""

    ID = 1
    DATA = 2
    HEADER = 3
    STRUCTURE = 4
    LABEL = 5
    CLASS = 6


@dataclass(frozen=True, slots=True)
class Shape:
    """What a selector, or a part of one, is made of.

    Attributes:
        depth: Steps of its longest chain.
        is_absolute: Whether it starts at the root.
        is_positional: Whether it counts elements.
        asks_siblings: Whether it asks for an element beside another one that nothing tells apart;
            the negation of that is a position, the first or the last.
        anchor: The best thing it hangs on.
    """

    depth: int = 0
    is_absolute: bool = False
    is_positional: bool = False
    asks_siblings: bool = False
    anchor: Anchor = Anchor.STRUCTURE


def join_shapes(shapes: Iterable[Shape], anchor: Anchor) -> Shape:
    """Return the shape of parts that stand beside each other, and hang on something together."""
    parts = list(shapes)
    return Shape(
        depth=max((each.depth for each in parts), default=0),
        is_absolute=any(each.is_absolute for each in parts),
        is_positional=any(each.is_positional for each in parts),
        asks_siblings=any(each.asks_siblings for each in parts),
        anchor=anchor,
    )


def anchor_of_attribute(name: str) -> Anchor:
    """Return what a selector hangs on that asks for an attribute."""
    if name == "id":
        return Anchor.ID
    if name == "class":
        return Anchor.CLASS
    return Anchor.DATA if name.startswith(_DATA_ATTRIBUTES) else Anchor.STRUCTURE


def best_anchor(anchors: Iterable[Anchor]) -> Anchor:
    """Return the best of what must all be there; a class makes mere structure worse."""
    found = {Anchor.STRUCTURE, *anchors}
    if min(found) < Anchor.STRUCTURE:
        return min(found)
    return Anchor.LABEL if Anchor.LABEL in found else max(found)


def worst_anchor(anchors: Iterable[Anchor]) -> Anchor:
    """Return the worst of what need not all be there."""
    return max(anchors, default=Anchor.STRUCTURE)


def negated_anchor(anchor: Anchor) -> Anchor:
    """Return what hangs on the absence of something: on a class all the same, else on nothing."""
    return anchor if anchor is Anchor.CLASS else Anchor.STRUCTURE
