"""Two versions of a text side by side: which lines stayed, which words changed; pure.

Every character of both texts stands in exactly one line of the answer, whatever the texts are, and
the time it takes grows little faster than their length: what a site writes cannot make it stall.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

MOST_LINE_CHARACTERS = 600
"""A longer line is broken, at the ends of its sentences where it has any."""

LEAST_SIMILARITY = 0.4
"""Share of common pairs of letters from which two lines count as one that was changed."""

MOST_COMPARED = 10_000
"""Pairs that are compared one by one; larger stretches are not looked into."""

MOST_DEPTH = 24

_SENTENCE_END = re.compile(r"(?<=[.!?。]\s)")
_CLAUSE_END = re.compile(r"(?<=[,;:]\s)")
_WORD = re.compile(r"[0-9][0-9.,:/-]*[0-9]|[0-9]+|[A-Za-z]+|[가-힣]+|\s+|.", re.DOTALL)

Match = tuple[int, int, int]
"""Where equal elements stand in both sequences, and how many there are."""

Window = tuple[int, int, int, int]
"""Start and end in each of two sequences."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a line: the other version has it, too, or not."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one version.

    Attributes:
        number: Of the line in its text, from 1.
        parts: All of it, in order.
    """

    number: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Row:
    """What stands side by side: a line of each version, or of one alone."""

    before: Line | None
    after: Line | None
    is_changed: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or some of one that is too long to be looked at."""

    number: int
    text: str


def lay_side_by_side(before: str, after: str) -> tuple[Row, ...]:
    """Return all lines of two texts, those that belong together in one row."""
    old, new = _split(before), _split(after)
    rows: list[Row] = []
    i = j = 0
    for at_old, at_new, n in find_matches([p.text for p in old], [p.text for p in new]):
        rows += _pair(old[i:at_old], new[j:at_new])
        for one, other in zip(old[at_old : at_old + n], new[at_new : at_new + n], strict=True):
            rows.append(Row(_whole(one), _whole(other), is_changed=False))
        i, j = at_old + n, at_new + n
    return tuple(rows + _pair(old[i:], new[j:]))


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


# --- which lines of a changed stretch belong together --------------------------------------------


def _pair(old: Sequence[_Piece], new: Sequence[_Piece]) -> list[Row]:
    """Return the rows of a stretch in which no line is the same."""
    rows: list[Row] = []
    i = j = 0
    for at_old, at_new in [*_find_pairs(old, new), (len(old), len(new))]:
        rows += [
            Row(_whole(each, is_changed=True), None, is_changed=True) for each in old[i:at_old]
        ]
        rows += [
            Row(None, _whole(each, is_changed=True), is_changed=True) for each in new[j:at_new]
        ]
        if at_old < len(old):
            before, after = mark_words(old[at_old].text, new[at_new].text)
            first, second = Line(old[at_old].number, before), Line(new[at_new].number, after)
            rows.append(Row(first, second, is_changed=True))
        i, j = at_old + 1, at_new + 1
    return rows


def _find_pairs(old: Sequence[_Piece], new: Sequence[_Piece]) -> list[tuple[int, int]]:
    """Return which lines are versions of each other, in order: the likest, all in all."""
    if not old or not new or len(old) * len(new) > MOST_COMPARED:
        return []
    bigrams = [[_count_bigrams(piece.text) for piece in side] for side in (old, new)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_similarity(one, other) for other in bigrams[1]] for one in bigrams[0]]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= LEAST_SIMILARITY else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _count_bigrams(text: str) -> Counter[str]:
    return Counter(one + other for one, other in pairwise(f" {''.join(text.split())} "))


def _similarity(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of pairs of letters that two lines have in common, 0 to 1 (Dice)."""
    return 2 * (one & other).total() / (one.total() + other.total())


# --- words ---------------------------------------------------------------------------------------


def mark_words(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return both versions of a line with the words marked that the other one has not.

    A number with its separators is one word, so that a date is not torn into digits.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    matches = find_matches(old, new)
    return (
        _mark(old, [(at, n) for at, _, n in matches]),
        _mark(new, [(at, n) for _, at, n in matches]),
    )


def _mark(words: Sequence[str], kept: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    parts, done = [], 0
    for at, n in [*kept, (len(words), 0)]:
        parts.append(Part("".join(words[done:at]), is_changed=True))
        parts.append(Part("".join(words[at : at + n]), is_changed=False))
        done = at + n
    return tuple(part for part in parts if part.text)


# --- what two sequences have in common, in order -------------------------------------------------


def find_matches(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """Return the stretches that both sequences have, in order and without overlap.

    Elements that occur once in each of them lead (a patience diff), so that a paragraph is not
    torn apart to save a line; between them what begins and ends alike, and in small stretches
    whatever is the same.
    """
    matches = _matches(old, new, (0, len(old), 0, len(new)), MOST_DEPTH)
    return sorted(match for match in matches if match[2])


def _matches(old: Sequence[str], new: Sequence[str], window: Window, depth: int) -> Iterator[Match]:
    n_head, n_tail = _count_ends(old, new, window)
    i, i_end, j, j_end = window
    yield i, j, n_head
    yield i_end - n_tail, j_end - n_tail, n_tail
    i, i_end, j, j_end = i + n_head, i_end - n_tail, j + n_head, j_end - n_tail
    anchors = _find_anchors(old, new, (i, i_end, j, j_end)) if depth else []
    if anchors:
        starts = [(i - 1, j - 1), *anchors]
        for (at_old, at_new), (next_old, next_new) in pairwise([*starts, (i_end, j_end)]):
            inner = (at_old + 1, next_old, at_new + 1, next_new)
            yield from _matches(old, new, inner, depth - 1)
        yield from ((at_old, at_new, 1) for at_old, at_new in anchors)
    elif (i_end - i) * (j_end - j) <= MOST_COMPARED:
        matcher = SequenceMatcher(None, old[i:i_end], new[j:j_end], autojunk=False)
        blocks = matcher.get_matching_blocks()
        yield from ((i + block.a, j + block.b, block.size) for block in blocks)


def _count_ends(old: Sequence[str], new: Sequence[str], window: Window) -> tuple[int, int]:
    """Return how many elements are the same at the beginning, and then at the end."""
    i, i_end, j, j_end = window
    most, n_head, n_tail = min(i_end - i, j_end - j), 0, 0
    while n_head < most and old[i + n_head] == new[j + n_head]:
        n_head += 1
    while n_tail < most - n_head and old[i_end - n_tail - 1] == new[j_end - n_tail - 1]:
        n_tail += 1
    return n_head, n_tail


def _find_anchors(old: Sequence[str], new: Sequence[str], window: Window) -> list[tuple[int, int]]:
    """Return where elements stand that occur once in each, the longest row of them in order."""
    i, i_end, j, j_end = window
    n_old, n_new = Counter(old[i:i_end]), Counter(new[j:j_end])
    places = {new[at]: at for at in range(j, j_end) if n_new[new[at]] == 1}
    common = [
        (at, places[old[at]]) for at in range(i, i_end) if n_old[old[at]] == 1 and old[at] in places
    ]
    ends: list[int] = []  # the least last place in `new` of a rising row of each length
    last: list[int] = []  # and which of `common` that is
    before: list[int | None] = []
    for index, (_, at) in enumerate(common):
        length = bisect_left(ends, at)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [at]
        last[length : length + 1] = [index]
    row, at_last = [], last[-1] if last else None
    while at_last is not None:
        row.append(common[at_last])
        at_last = before[at_last]
    return row[::-1]
