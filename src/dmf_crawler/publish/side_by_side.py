"""Two versions of a text side by side: which lines stayed, which words changed; pure.

Every character of both texts stands in exactly one line of the answer, and the work is bounded
(`alignment`), whatever a site has written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dmf_crawler.alignment import Pairs, align, align_by_weight, trim

MOST_LINE_CHARACTERS = 600
"""A longer line is broken, at the ends of its sentences where it has any."""

LEAST_SIMILARITY = 0.25
"""Share of common trigrams from which two lines are told as one that was changed."""

_SENTENCE_END = re.compile(r"(?<=[.!?。]\s)")
_CLAUSE_END = re.compile(r"(?<=[,;:]\s)")
_WORD = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*|[^\W\d_]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a line: the other version has it, too, or not."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one version, or some of a very long one.

    Attributes:
        number: Of the line in its text, from 1.
        parts: All of it, in order.
    """

    number: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(part.text for part in self.parts)

    @property
    def has_changed(self) -> bool:
        """Whether it says anything that the other version does not."""
        return any(part.is_changed and part.text.strip() for part in self.parts)


@dataclass(frozen=True, slots=True)
class Row:
    """What stands side by side: a line of each version, or of one alone.

    Attributes:
        before: None where the line is new.
        after: None where it is gone.
        is_changed: Whether anything differs.
        is_noise: Whether that is merely what moves by itself.
    """

    before: Line | None
    after: Line | None
    is_changed: bool
    is_noise: bool = False

    @property
    def is_news(self) -> bool:
        """Whether something differs that does not move by itself."""
        return self.is_changed and not self.is_noise


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line before it is compared, or some of a very long one."""

    number: int
    text: str


def lay_side_by_side(
    before: str, after: str, forms: Mapping[str, str] | None = None
) -> tuple[Row, ...]:
    """Return all lines of two texts, those that belong together in one row.

    Args:
        before: One text.
        after: The other.
        forms: Line → what of it is compared; what has the same form, or an empty one, is noise.
    """
    old, new = _split(before), _split(after)
    rows: list[Row] = []
    i = j = 0
    for at_old, at_new in [*_align([p.text for p in old], [p.text for p in new]), (None, None)]:
        rows += _pair(old[i:at_old], new[j:at_new])
        if at_old is not None and at_new is not None:
            rows.append(Row(_whole(old[at_old]), _whole(new[at_new]), is_changed=False))
            i, j = at_old + 1, at_new + 1
    return tuple(replace(row, is_noise=_is_noise(row, forms or {})) for row in rows)


def _is_noise(row: Row, forms: Mapping[str, str]) -> bool:
    lines = [line.text for line in (row.before, row.after) if line is not None]
    if not row.is_changed or any(line not in forms for line in lines):
        return False
    first, *others = (forms[line] for line in lines)
    return first == others[0] if others else not first


def mark_words(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return both versions of a line with the words marked that the other one has not.

    A number with its separators is one word, so that a date is not torn into digits.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    pairs = _align(old, new)
    return _mark(old, {i for i, _ in pairs}), _mark(new, {j for _, j in pairs})


def _align(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Pair equal elements; where the sequences differ too much, only those at both ends."""
    pairs = align(old, new)
    if pairs is not None:
        return pairs
    head, tail = trim(old, new)
    ends = [(len(old) - n, len(new) - n) for n in range(tail, 0, -1)]
    return [(n, n) for n in range(head)] + ends


def _mark(words: Sequence[str], kept: set[int]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for at, word in enumerate(words):
        is_changed = at not in kept
        if parts and parts[-1].is_changed is is_changed:
            parts[-1] = Part(parts[-1].text + word, is_changed)
        else:
            parts.append(Part(word, is_changed))
    return tuple(parts)


def _split(text: str) -> list[_Piece]:
    lines = text.split("\n") if text else []
    return [_Piece(number, piece) for number, line in enumerate(lines, 1) for piece in _break(line)]


def _break(line: str) -> Iterator[str]:
    """Yield a line whole, or at the ends of its sentences, its clauses, or where it must be."""
    pieces = [line]
    for end in (_SENTENCE_END, _CLAUSE_END):
        pieces = [
            part
            for piece in pieces
            for part in (end.split(piece) if len(piece) > MOST_LINE_CHARACTERS else [piece])
        ]
    for piece in pieces:
        for start in range(0, len(piece) or not line, MOST_LINE_CHARACTERS):
            yield piece[start : start + MOST_LINE_CHARACTERS]


def _whole(piece: _Piece, *, is_changed: bool = False) -> Line:
    return Line(piece.number, (Part(piece.text, is_changed),))


def _pair(old: Sequence[_Piece], new: Sequence[_Piece]) -> list[Row]:
    """Return the rows of a stretch in which no line is the same."""
    grams = [[_trigrams(piece.text) for piece in side] for side in (old, new)]

    def weigh(i: int, j: int) -> float:
        one, other = grams[0][i], grams[1][j]
        alike = len(one & other) / len(one | other)
        return alike if alike >= LEAST_SIMILARITY else 0.0

    rows: list[Row] = []
    i = j = 0
    pairs = align_by_weight(len(old), len(new), weigh) or []
    for at_old, at_new in [*pairs, (len(old), len(new))]:
        rows += [
            Row(_whole(each, is_changed=True), None, is_changed=True) for each in old[i:at_old]
        ]
        rows += [
            Row(None, _whole(each, is_changed=True), is_changed=True) for each in new[j:at_new]
        ]
        if at_old < len(old):
            before, after = mark_words(old[at_old].text, new[at_new].text)
            first, second = Line(old[at_old].number, before), Line(new[at_new].number, after)
            rows.append(Row(first, second, is_changed=before != after))
        i, j = at_old + 1, at_new + 1
    return rows


def _trigrams(text: str) -> set[str]:
    letters = "".join(text.split())
    return {letters[start : start + 3] for start in range(max(1, len(letters) - 2))}
