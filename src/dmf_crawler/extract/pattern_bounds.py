r"""Regular expressions of a selectors file, bounded so that no text can make one take long.

A pattern tries all ways of fitting at every place of a text: `(a+)+b` has 2**n, and even `\d+b`
takes quadratic time on a long number. So a repetition without an end gets one, what is repeated may
not itself be of variable length, and the ways that are left are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_REPEATED = 64
"""What `*` and `+` stand for at most."""

_MOST_COUNTED = 512
"""The largest number that may stand in braces."""

_MOST_WAYS = 300_000
"""In so many ways a pattern may try to fit at one place: three endless repetitions."""

_REPEAT = re.compile(r"(?:([*+?])|\{([0-9]*)(,?)([0-9]*)\})([?+]?)")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_GROUP = re.compile(r"\((?:\?(?:i:|:|P<\w+>|<?[=!]))?")
_BLANKS = frozenset({r"\s", " "})
_ALMOST_ANY = frozenset({".", r"\S", r"\D", r"\W", r"\w"})
"""Without an end they take all that follows with them."""


class PatternError(ValueError):
    """A regular expression that is none, or that could take too long; the reason in Korean."""


def bound_pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern for blocks of text whose white space is collapsed.

    A repetition without an end ends at `MOST_REPEATED`; one of white space at 1, since there is no
    more of it together.

    Raises:
        PatternError: It is no regular expression, refers back to a group, sets a flag other than
            `(?i)` at its start, repeats nearly any character without an end, repeats what is of
            variable length, or has too many repetitions.
    """
    try:
        re.compile(pattern)
        flags, rest = ("(?i)", pattern[4:]) if pattern.startswith("(?i)") else ("", pattern)
        bounded = _Reading(rest).read()
        if bounded.n_ways > _MOST_WAYS:
            raise PatternError("반복(*, +, {})이 너무 많음")
        return re.compile(flags + bounded.text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern as it is bounded, and in how many ways it may fit."""

    text: str
    n_ways: int = 1


class _Reading:
    """One pass over a pattern that `re` has already found to be one."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0

    def read(self) -> _Part:
        """Read alternatives up to the end of the group, or of the pattern."""
        texts, n_ways = [], 0
        while True:
            sequence = self._read_sequence()
            texts.append(sequence.text)
            n_ways += sequence.n_ways
            if self._next() != "|":
                return _Part("|".join(texts), n_ways)
            self._place += 1

    def _next(self) -> str:
        return self._pattern[self._place : self._place + 1]

    def _read_sequence(self) -> _Part:
        texts, n_ways = [], 1
        while self._next() not in {"", "|", ")"}:
            part = self._read_repeated(self._read_one())
            texts.append(part.text)
            n_ways *= part.n_ways
        return _Part("".join(texts), n_ways)

    def _read_one(self) -> _Part:
        """Read a character, an escape, a set or a group."""
        start = self._place
        if self._next() == "(":
            return self._read_group()
        if self._next() == "[" and (found := _CLASS.match(self._pattern, start)):
            self._place = found.end()
        elif self._next() == "\\":
            self._place += 2
            if self._pattern[start + 1 : self._place].isdigit():
                raise PatternError("앞의 묶음을 다시 가리키는 식(\\1)")
        else:
            self._place += 1
        return _Part(self._pattern[start : self._place])

    def _read_group(self) -> _Part:
        opening = _GROUP.match(self._pattern, self._place)
        if opening is None or self._pattern.startswith("?", opening.end()):
            raise PatternError("(?i), (?:…), (?P<이름>…), 앞뒤 확인 말고는 쓰지 않는 (?…)")
        self._place = opening.end()
        inner = self.read()
        self._place += 1
        return _Part(f"{opening[0]}{inner.text})", inner.n_ways)

    def _read_repeated(self, part: _Part) -> _Part:
        found = _REPEAT.match(self._pattern, self._place)
        if found is None or found[0] == "{}":  # braces that are meant as such
            return part
        self._place = found.end()
        least, most = _counts(found)
        if most is None:
            if part.text in _ALMOST_ANY or part.text.startswith("[^"):
                raise PatternError("뒤의 글까지 지울 수 있는 끝없는 반복; .{0,20}처럼 끝을 적을 것")
            most = least + (1 if part.text in _BLANKS else MOST_REPEATED)
        if most > _MOST_COUNTED:
            raise PatternError(f"{_MOST_COUNTED}번이 넘는 반복")
        if part.n_ways > 1 and most > 1:
            raise PatternError("반복이나 선택(|)이 든 묶음의 반복")
        n_ways = part.n_ways if most <= 1 else 1
        return _Part(f"{part.text}{{{least},{most}}}{found[5]}", n_ways + most - least)


def _counts(found: re.Match[str]) -> tuple[int, int | None]:
    """Return how often at least and at most; None for without an end."""
    if sign := found[1]:
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    least, has_comma, most = found[2], found[3], found[4]
    if not has_comma:
        return int(least), int(least)
    return int(least or 0), (int(most) if most else None)
