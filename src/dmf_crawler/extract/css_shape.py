"""What a CSS selector is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cssselect
from cssselect import parser as css_tree

from dmf_crawler.extract.selector_shape import (
    Anchor,
    Shape,
    anchor_of_attribute,
    best_anchor,
    join_shapes,
    negated_anchor,
    worst_anchor,
)

_POSITIONS = frozenset({
    *("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"),
    *("first-child", "last-child", "first-of-type", "last-of-type"),
})  # fmt: skip
"""What finds another element as soon as one is added. `:only-child` finds none then."""

_BESIDE = frozenset("+~")


def shape_of_css(css: str) -> Shape:
    """Return the shape of a sound selector; of several, with a comma between, the worst anchor."""
    return _join_alternatives([_read_chain(each.parsed_tree) for each in cssselect.parse(css)])


def _join_alternatives(shapes: list[Shape]) -> Shape:
    return join_shapes(shapes, worst_anchor(each.anchor for each in shapes))


def _read_chain(tree: css_tree.Tree, leading: str = "") -> Shape:
    """Judge a chain; `leading` is what stands before the first step inside `:has()`."""
    steps: list[tuple[str, css_tree.Tree]] = []
    while isinstance(tree, css_tree.CombinedSelector):
        steps.append((tree.combinator, tree.subselector))
        tree = tree.selector
    steps.append((leading, tree))
    steps.reverse()
    shapes = [Shape(depth=len(steps))]
    for position, (_, step) in enumerate(steps, start=1):
        shapes += [
            replace(each, depth=position + each.depth) if each.depth else each
            for each in _read_step(step)
        ]
    shape = join_shapes(shapes, best_anchor(each.anchor for each in shapes))
    asks_siblings, counts_siblings = _look_beside(steps, leading)
    return replace(
        shape,
        is_positional=shape.is_positional or counts_siblings,
        asks_siblings=shape.asks_siblings or asks_siblings,
    )


def _look_beside(steps: list[tuple[str, css_tree.Tree]], leading: str) -> tuple[bool, bool]:
    """Say whether a chain asks for a sibling that is told by its tag alone, and for one of that."""
    combinators = [combinator for combinator, _ in steps]
    is_bare = [isinstance(step, css_tree.Element) for _, step in steps]
    beside_next = [each in _BESIDE for each in combinators[1:]] + [False]
    asks = any(map(all, zip(is_bare, beside_next, strict=True)))
    counts = any(
        each in _BESIDE and bare and beside
        for each, bare, beside in zip(combinators, is_bare, beside_next, strict=True)
    )
    return asks or (leading in _BESIDE and is_bare[0]), counts


def _read_step(step: css_tree.Tree) -> Iterator[Shape]:
    """Yield the shape of each condition of one step; its depth are the steps that it adds."""
    node: css_tree.Tree | None = step
    while node is not None:
        yield _read_condition(node)
        node = getattr(node, "selector", None)


def _read_condition(node: css_tree.Tree) -> Shape:
    if isinstance(node, css_tree.Relation):
        return _join_alternatives(
            [_read_chain(each.parsed_tree, sign.value or "") for sign, each in node.arguments]
        )
    if isinstance(node, css_tree.Matching | css_tree.SpecificityAdjustment):
        shape = _join_alternatives([_read_chain(each) for each in node.selector_list])
        return replace(shape, depth=shape.depth - 1)  # its last step is the step itself
    if isinstance(node, css_tree.Negation):
        shape = _read_chain(node.subselector)
        return Shape(
            depth=shape.depth - 1,
            is_positional=shape.is_positional or shape.asks_siblings,
            anchor=negated_anchor(shape.anchor),
        )
    if isinstance(node, css_tree.Pseudo):
        return Shape(is_positional=node.ident in _POSITIONS)
    if isinstance(node, css_tree.Function):
        anchor = Anchor.LABEL if node.name == "contains" else Anchor.STRUCTURE
        return Shape(is_positional=node.name in _POSITIONS, anchor=anchor)
    return Shape(anchor=_anchor_of_node(node))


def _anchor_of_node(node: css_tree.Tree) -> Anchor:
    if isinstance(node, css_tree.Hash):
        return Anchor.ID
    if isinstance(node, css_tree.Class):
        return Anchor.CLASS
    if isinstance(node, css_tree.Attrib):
        anchor = anchor_of_attribute(node.attrib.lower())
        return negated_anchor(anchor) if node.operator == "!=" else anchor
    return Anchor.STRUCTURE
