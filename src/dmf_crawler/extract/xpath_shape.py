"""What an XPath is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dmf_crawler.extract.selector_shape import (
    Anchor,
    Shape,
    anchor_of_attribute,
    best_anchor,
    join_shapes,
    negated_anchor,
    worst_anchor,
)
from dmf_crawler.extract.xpath_tree import (
    Call,
    Expression,
    Literal,
    Number,
    Operation,
    Path,
    Step,
    parse_xpath,
)

_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "div", "mod"})
_NUMBERS = frozenset({
    *("last", "position", "count", "string-length", "number", "sum", "floor", "ceiling", "round")
})  # fmt: skip
"""Functions that say a number; a predicate that is one is a position."""

_TEXTS = frozenset({
    *("string", "concat", "contains", "starts-with", "substring", "substring-before"),
    *("substring-after", "normalize-space", "translate"),
})  # fmt: skip
_TEXTS_OF_CONTEXT = frozenset({"string", "normalize-space"})
"""Functions that without an argument say the text of the element itself."""

_SIBLINGS = frozenset({"preceding-sibling", "following-sibling"})
_BESIDE = _SIBLINGS | {"preceding", "following"}
_ANCESTORS = frozenset({"ancestor", "ancestor-or-self"})
_ROOTS = frozenset({"html", "body"})
_ANY = frozenset({"*", "node()"})
_NOT_COUNTED = frozenset({"attribute", "namespace", "self"})
"""Axes of steps that lead to no other element."""


def shape_of_xpath(text: str) -> Shape:
    """Return the shape of an XPath that `parse_xpath` takes."""
    tree = parse_xpath(text)
    if tree is None:
        raise ValueError(text)
    return _read(tree)


def _read(tree: Expression, *, of_attribute: bool = False) -> Shape:
    """Judge an expression; inside a predicate of an attribute `.` is that, and no element."""
    if isinstance(tree, Literal | Number):
        return Shape()
    if isinstance(tree, Path):
        return _read_path(tree)
    if isinstance(tree, Call):
        return _read_call(tree, of_attribute=of_attribute)
    return _read_operation(tree, of_attribute=of_attribute)


def _read_operation(tree: Operation, *, of_attribute: bool) -> Shape:
    shapes = [_read(each, of_attribute=of_attribute) for each in tree.operands]
    anchors = [each.anchor for each in shapes]
    if tree.operators[0] in {"or", "|"}:
        return join_shapes(shapes, worst_anchor(anchors))
    if tree.operators[0] in _COMPARISONS:
        if _names_label(tree, of_attribute=of_attribute):
            anchors.append(Anchor.LABEL)
        is_blank = any(isinstance(each, Literal) and not each.text for each in tree.operands)
        if is_blank != ("!=" in tree.operators):  # what is not there, or not so
            anchors = [negated_anchor(best_anchor(anchors))]
    return join_shapes(shapes, best_anchor(anchors))


def _read_call(tree: Call, *, of_attribute: bool) -> Shape:
    shapes = [_read(each, of_attribute=of_attribute) for each in tree.arguments]
    anchors = [each.anchor for each in shapes]
    if tree.name in {"contains", "starts-with"} and _names_label(tree, of_attribute=of_attribute):
        anchors.append(Anchor.LABEL)
    shape = join_shapes(shapes, best_anchor(anchors))
    if tree.name in {"last", "position"}:
        return replace(shape, is_positional=True)
    if tree.name == "id":
        return replace(shape, is_absolute=True)
    if tree.name == "not":
        return replace(
            shape,
            is_positional=shape.is_positional or shape.asks_siblings,
            asks_siblings=False,
            anchor=negated_anchor(shape.anchor),
        )
    if tree.name in {"count", "sum", "string-length"}:  # maybe there must be none
        counts = tree.name != "string-length" and any(map(_leads_beside, tree.arguments))
        return replace(
            shape,
            is_positional=shape.is_positional or counts,
            anchor=negated_anchor(shape.anchor),
        )
    return shape


def _leads_beside(tree: Expression) -> bool:
    """Say whether a path, or one of several, counts from an element to those beside it."""
    if isinstance(tree, Operation):
        return any(map(_leads_beside, tree.operands))
    return isinstance(tree, Path) and any(step.axis in _BESIDE for step in tree.steps)


def _read_path(tree: Path) -> Shape:
    shapes, depth = [Shape(is_absolute=tree.is_absolute)], 0
    if tree.start is not None:
        shapes.append(_read(tree.start))
        depth = shapes[-1].depth
        shapes += _read_predicates(tree.predicates, depth)
    for step in tree.steps:
        depth += _is_counted(step)
        shapes += _read_step(step, depth)
    shape = join_shapes(shapes, best_anchor(each.anchor for each in shapes))
    counts = any(
        here.axis in _SIBLINGS and after.axis in _SIBLINGS and not here.predicates
        for here, after in zip(tree.steps, tree.steps[1:], strict=False)
    )
    asks = any(step.axis in _BESIDE for step in tree.steps)
    return replace(
        shape,
        is_positional=shape.is_positional or counts,
        asks_siblings=asks and shape.anchor is Anchor.STRUCTURE,
    )


def _is_counted(step: Step) -> bool:
    return step.axis not in _NOT_COUNTED and step.test != "text()" and not _is_joint(step)


def _is_joint(step: Step) -> bool:
    """Say whether a step is what `//` stands for."""
    return step.axis == "descendant-or-self" and step.test == "node()"


def _read_step(step: Step, depth: int) -> Iterator[Shape]:
    """Yield the shape of a step that so many steps lead to, and of each of its predicates."""
    is_attribute = step.axis == "attribute"
    predicates = list(_read_predicates(step.predicates, depth, of_attribute=is_attribute))
    anchor = Anchor.STRUCTURE
    if is_attribute:  # of any attribute nobody knows that it is not the class
        anchor = Anchor.CLASS if step.test in _ANY else anchor_of_attribute(step.test)
    leads_to_root = step.axis in _ANCESTORS and (
        step.test in _ROOTS
        or (step.test in _ANY and all(each.anchor is Anchor.STRUCTURE for each in predicates))
    )
    yield Shape(depth=depth, is_absolute=leads_to_root, anchor=anchor)
    yield from predicates


def _read_predicates(
    predicates: Sequence[Expression], depth: int, *, of_attribute: bool = False
) -> Iterator[Shape]:
    for each in predicates:
        shape = _read(each, of_attribute=of_attribute)
        yield replace(
            shape,
            depth=depth + shape.depth,
            is_positional=shape.is_positional or _is_number(each),
        )


def _is_number(tree: Expression) -> bool:
    if isinstance(tree, Operation):
        return tree.operators[0] in _ARITHMETIC
    return isinstance(tree, Number) or (isinstance(tree, Call) and tree.name in _NUMBERS)


def _names_label(tree: Operation | Call, *, of_attribute: bool) -> bool:
    """Say whether a comparison asks what an element says."""
    parts = list(_walk_texts(tree))
    return any(isinstance(each, Literal) and each.text.strip() for each in parts) and any(
        _says_text(each, of_attribute=of_attribute) for each in parts
    )


def _walk_texts(tree: Expression) -> Iterator[Expression]:
    """Yield what is compared, and what its text is made of."""
    operands: tuple[Expression, ...] = ()
    if isinstance(tree, Operation):
        operands = tree.operands
    elif isinstance(tree, Call) and tree.name in _TEXTS:
        operands = tree.arguments
    for each in operands:
        yield each
        yield from _walk_texts(each)


def _says_text(tree: Expression, *, of_attribute: bool) -> bool:
    """Say whether that is the text of an element, or of what a path finds."""
    if isinstance(tree, Path):
        steps = tree.steps
        if of_attribute and all(step.axis == "self" for step in steps):
            return False
        return not steps or steps[-1].axis != "attribute"
    if isinstance(tree, Call) and tree.name in _TEXTS_OF_CONTEXT:
        return not tree.arguments and not of_attribute
    return False
