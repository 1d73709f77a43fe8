"""An XPath 1.0 as a tree, so that one can ask what it is made of.

A text alone does not say it: `*` and `div` are names or operators, `[5]` may stand in quotes, and
`/` is a root or a joint, by what stands before it (W3C XPath 1.0, 3.7).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_TOKEN = re.compile(
    r"""[ \t\r\n]*(
        "[^"]*" | '[^']*'                                          # texts
      | (?: [0-9]+ (?:\.[0-9]*)? | \.[0-9]+ ) (?: [eE][+-]?[0-9]* )?   # numbers
      | [A-Za-z_\x80-\U0010ffff] [-.0-9A-Za-z_\x80-\U0010ffff]*    # names
      | :: | // | \.\. | != | <= | >= | [][()/@.,|+=<>*-]
      | $
    )""",
    re.VERBOSE,
)
_LEVELS = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))
"""Operators, the weakest first."""

_NODE_TYPES = frozenset({"comment", "text", "processing-instruction", "node"})
_FUNCTIONS = frozenset({
    *("last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat"),
    *("starts-with", "contains", "substring-before", "substring-after", "substring"),
    *("string-length", "normalize-space", "translate", "boolean", "not", "true", "false", "lang"),
    *("number", "sum", "floor", "ceiling", "round"),
})  # fmt: skip
"""All that there are; lxml notices others only where it has to call them."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A text in quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """Operands with operators of one level between them; `-` before a single one."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `axis::test[predicates]`, its short forms written out."""

    axis: str
    test: str
    predicates: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from somewhere.

    Attributes:
        is_absolute: Whether it starts at the root.
        start: What it starts from, None for the element itself or the root.
        predicates: What `start` must fulfil.
        steps: From there.
    """

    is_absolute: bool = False
    start: Expression | None = None
    predicates: tuple[Expression, ...] = ()
    steps: tuple[Step, ...] = ()


Expression: TypeAlias = Literal | Number | Call | Operation | Path

_SELF = Step("self", "node()")
_PARENT = Step("parent", "node()")
_ANY_BELOW = Step("descendant-or-self", "node()")


def parse_xpath(text: str) -> Expression | None:
    """Return the tree of an XPath without variables and name spaces, None of what is none."""
    try:
        reader = _Reader(_split(text))
        tree = reader.read_expression()
        reader.take("")
    except (ValueError, IndexError, RecursionError):  # another token, no more, or far too many
        return None
    return tree


def _split(text: str) -> list[str]:
    """Return the tokens and an empty one that stands for the end."""
    tokens: list[str] = []
    end = 0
    while not tokens or tokens[-1]:
        match = _TOKEN.match(text, end)
        if match is None:
            raise ValueError(text)
        tokens.append(match[1])
        end = match.end()
    return tokens


class _Reader:
    """Takes tokens from the left; raises `ValueError` where another one is expected."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def _next(self) -> str:
        return self._tokens[self._place]

    def take(self, *expected: str) -> str:
        """Return the next token and go on."""
        token = self._next
        if expected and token not in expected:
            raise ValueError(token)
        self._place += 1
        return token

    def read_expression(self, level: int = 0) -> Expression:
        """Read operands and the operators of a level or stronger ones."""
        if level == len(_LEVELS):
            return self._read_signed()
        operands, operators = [self.read_expression(level + 1)], []
        while self._next in _LEVELS[level]:
            operators.append(self.take())
            operands.append(self.read_expression(level + 1))
        return Operation(tuple(operators), tuple(operands)) if operators else operands[0]

    def _read_signed(self) -> Expression:
        signs = []
        while self._next == "-":
            signs.append(self.take())
        paths = [self._read_path()]
        while self._next == "|":
            self.take()
            paths.append(self._read_path())
        union = Operation(("|",) * (len(paths) - 1), tuple(paths)) if paths[1:] else paths[0]
        return Operation(("-",), (union,)) if signs else union

    def _read_path(self) -> Expression:
        if self._starts_value():
            start = self._read_value()
            predicates = self._read_predicates()
            if self._next not in {"/", "//"}:
                return Path(start=start, predicates=predicates) if predicates else start
            return Path(start=start, predicates=predicates, steps=tuple(self._read_steps()))
        if self._next == "/" and not self._starts_step(self._tokens[self._place + 1]):
            self.take()
            return Path(is_absolute=True)
        is_absolute = self._next in {"/", "//"}
        steps = [] if is_absolute else [self._read_step()]
        return Path(is_absolute, steps=(*steps, *self._read_steps()))

    def _starts_value(self) -> bool:
        first = self._next
        if _is_name(first):
            return self._tokens[self._place + 1] == "(" and first not in _NODE_TYPES
        return first[:1] in {"(", "'", '"'} or _is_number(first)

    @staticmethod
    def _starts_step(token: str) -> bool:
        return token in {".", "..", "@", "*"} or _is_name(token)

    def _read_value(self) -> Expression:
        first = self.take()
        if first == "(":
            inner = self.read_expression()
            self.take(")")
            return inner
        if first[0] in "'\"":
            return Literal(first[1:-1])
        if _is_number(first):
            return Number(first)
        if first not in _FUNCTIONS:
            raise ValueError(first)
        self.take("(")
        arguments: list[Expression] = []
        while self._next != ")":
            if arguments:
                self.take(",")
            arguments.append(self.read_expression())
        self.take(")")
        return Call(first, tuple(arguments))

    def _read_steps(self) -> list[Step]:
        """Read what stands behind slashes."""
        steps = []
        while self._next in {"/", "//"}:
            if self.take() == "//":
                steps.append(_ANY_BELOW)
            steps.append(self._read_step())
        return steps

    def _read_step(self) -> Step:
        if self._next in {".", ".."}:
            return _SELF if self.take() == "." else _PARENT
        axis = "child"
        if self._next == "@":
            self.take()
            axis = "attribute"
        elif self._tokens[self._place + 1 : self._place + 2] == ["::"]:
            axis = self.take()
            self.take("::")
        test = self.take()
        if test in _NODE_TYPES and self._next == "(":
            self.take()
            if self._next != ")":  # the name of a processing instruction
                self.take()
            self.take(")")
            test += "()"
        elif test != "*" and not _is_name(test):
            raise ValueError(test)
        return Step(axis, test, self._read_predicates())

    def _read_predicates(self) -> tuple[Expression, ...]:
        predicates = []
        while self._next == "[":
            self.take()
            predicates.append(self.read_expression())
            self.take("]")
        return tuple(predicates)


def _is_name(token: str) -> bool:
    return token[:1] == "_" or token[:1].isalpha() or token[:1] > "\x7f"


def _is_number(token: str) -> bool:
    return token[:1].isdecimal() or (token[:1] == "." and token[1:2].isdecimal())
