"""What changed inside a value, piece by piece, for people; pure.

Pieces explain a change and decide nothing: whether and how much a value changed is told by
`text.grade_values`. Put into the value before they give the value after (docs/data_model.md, laws).

Bounds: of a text that differs by more than `alignment.MOST_EDITS` words whole lines are told, and
of one that differs by more lines than that all between its equal ends. Of a list, what differs
between its equal ends is compared place by place where it is longer than 500 values.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from dmf_crawler.alignment import Pairs, align, align_by_weight, trim
from dmf_crawler.model.detail import split_file
from dmf_crawler.model.record import FieldKind, Value
from dmf_crawler.text import canonical, list_values, overlap

LEAST_OVERLAP = 0.3
"""Of trigrams: from here on a value that went and one that came are told as one replaced value."""

_WORD = re.compile(r"\d+(?:[-.,:/]\d+)*|[^\W\d]+|\n|[^\S\n]+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ONE_PIECE = frozenset(
    {FieldKind.KEY, FieldKind.EXACT, FieldKind.DATE, FieldKind.NUMBER, FieldKind.ENUM}
)
_N_AROUND = 2
"""Words on either side of a piece that decide whether it differs in its typing alone."""


class PieceKind(StrEnum):
    """What happened to one piece of a value."""

    ADDED = "added"
    REMOVED = "removed"
    REPLACED = "replaced"  # another text at the same place; other bytes under the same file name
    MOVED = "moved"  # the same value of a list, at another place among the others
    RENAMED = "renamed"  # the same bytes under another file name
    RESPELLED = "respelled"  # typed differently, means the same


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a changed value.

    Attributes:
        kind: What happened to it.
        before: Its text, "" for an added one.
        after: Its text, "" for a removed one.
        at_before: 0-based place in the list, or character of the text, where it stood; None for a
            value added to a list.
        at_after: Where it stands now, likewise; None for a value removed from a list.
        parts: Of a replaced or respelled value of a list, the pieces of its text.
    """

    kind: PieceKind
    before: str
    after: str
    at_before: int | None
    at_after: int | None
    parts: tuple[Piece, ...] = ()


def changed_pieces(before: Value | None, after: Value | None, kind: FieldKind) -> tuple[Piece, ...]:
    """Return what changed inside a value, in the order of the value after.

    Args:
        before: The value before; None is a field that the record did not have.
        after: The value after, likewise.
        kind: The field's. A key, date, number or word of a vocabulary is one piece; of a name or
            a text the words that differ are; of a list its values; of attachments the files.

    Returns:
        Nothing where the texts are the same. Equal values of a list are told one by one.
    """
    if kind is FieldKind.ATTACHMENTS:
        return _order(_find_files(list_values(before), list_values(after)))
    if isinstance(before, tuple) or isinstance(after, tuple):
        return _order(_find_elements(list_values(before), list_values(after), kind))
    return _find_parts(before or "", after or "", kind)


# --- a text --------------------------------------------------------------------------------------


def _find_parts(before: str, after: str, kind: FieldKind) -> tuple[Piece, ...]:
    if before == after:
        return ()
    pieces = [_tell(before, after, 0, 0)] if kind in _ONE_PIECE else _cut_text(before, after)
    if canonical(before) == canonical(after):
        return tuple(replace(piece, kind=PieceKind.RESPELLED) for piece in pieces)
    if all(piece.kind is PieceKind.RESPELLED for piece in pieces):
        # Each means the same where it stands, and all of them together do not.
        return tuple(
            _tell(each.before, each.after, each.at_before, each.at_after) for each in pieces
        )
    return tuple(pieces)


def _cut_text(before: str, after: str) -> list[Piece]:
    """Return the differing words of a text, else its lines, else all between its equal ends."""
    for token in (_WORD, _LINE):
        old, new = token.findall(before), token.findall(after)
        pairs = align(old, new)
        if pairs is not None:
            return list(_tell_gaps(old, new, pairs))
    old, new = _WORD.findall(before), _WORD.findall(after)
    head, tail = trim(old, new)
    pairs = [(n, n) for n in range(head)]
    pairs += [(len(old) - n, len(new) - n) for n in range(tail, 0, -1)]
    return list(_tell_gaps(old, new, pairs))


def _tell_gaps(old: Sequence[str], new: Sequence[str], pairs: Pairs) -> Iterator[Piece]:
    """Yield what stands between paired words; gaps with blanks alone between them are one."""
    at_old, at_new = [0, *accumulate(map(len, old))], [0, *accumulate(map(len, new))]
    gaps: list[list[int]] = []
    i = j = 0
    for next_i, next_j in (*pairs, (len(old), len(new))):
        if (i, j) != (next_i, next_j):
            if gaps and not "".join(old[gaps[-1][1] : i]).strip():
                gaps[-1][1::2] = next_i, next_j
            else:
                gaps.append([i, next_i, j, next_j])
        i, j = next_i + 1, next_j + 1
    for start, end, new_start, new_end in gaps:
        before, after = "".join(old[start:end]), "".join(new[new_start:new_end])
        piece = _tell(before, after, at_old[start], at_new[new_start])
        left = "".join(old[max(0, start - _N_AROUND) : start])
        right = "".join(old[end : end + _N_AROUND])
        right += "|" if end + _N_AROUND < len(old) else ""  # a final full stop is dropped
        if canonical(left + before + right) == canonical(left + after + right):
            piece = replace(piece, kind=PieceKind.RESPELLED)
        yield piece


def _tell(before: str, after: str, at_before: int | None, at_after: int | None) -> Piece:
    kind = PieceKind.REPLACED
    if not (before and after):
        kind = PieceKind.REMOVED if before else PieceKind.ADDED
    return Piece(kind, before, after, at_before, at_after)


# --- a list --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rest:
    """Places of two lists that belong to nothing yet, growing."""

    before: list[int]
    after: list[int]

    def take(self, pairs: Iterable[tuple[int, int]]) -> Pairs:
        """Take pairs of places out and return them."""
        taken = list(pairs)
        gone, come = {i for i, _ in taken}, {j for _, j in taken}
        self.before[:] = [i for i in self.before if i not in gone]
        self.after[:] = [j for j in self.after if j not in come]
        return taken

    def pair_equal(
        self, old: Sequence[Hashable | None], new: Sequence[Hashable | None]
    ) -> Iterator[tuple[int, int]]:
        """Yield pairs of places with the same form, the first with the first; None has none."""
        places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for j in reversed(self.after):
            places[new[j]].append(j)
        for i in self.before:
            if old[i] is not None and places[old[i]]:
                yield i, places[old[i]].pop()


def _find_elements(before: Sequence[str], after: Sequence[str], kind: FieldKind) -> Iterator[Piece]:
    old, new = list(map(canonical, before)), list(map(canonical, after))
    kept = _keep_order(before, after, old, new)
    rest = _Rest(list(range(len(before))), list(range(len(after))))
    for i, j in rest.take(kept):
        if before[i] != after[j]:
            yield _tell_element(PieceKind.RESPELLED, before, after, (i, j), kind)
    moved = rest.take(rest.pair_equal(before, after))
    moved += rest.take(rest.pair_equal(old, new))
    for i, j in moved:
        yield Piece(PieceKind.MOVED, before[i], after[j], i, j)
    replaced: Pairs = []
    if len(before) == len(after):
        replaced = rest.take([(i, i) for i in rest.before if i in set(rest.after)])
    replaced += rest.take(list(_pair_in_gaps(before, after, kept, rest)))
    for i, j in replaced:
        yield _tell_element(PieceKind.REPLACED, before, after, (i, j), kind)
    yield from _tell_rest(before, after, rest)


def _keep_order(
    before: Sequence[str], after: Sequence[str], old: Sequence[str], new: Sequence[str]
) -> Pairs:
    """Pair as many values as possible that mean the same and kept their order."""
    head, tail = trim(before, after)
    n_old, n_new = len(before) - head - tail, len(after) - head - tail

    def weigh(i: int, j: int) -> int:
        """Weigh a value that is typed the same a little more; more values always weigh more."""
        if old[i + head] != new[j + head]:
            return 0
        return len(before) + 1 + (before[i + head] == after[j + head])

    middle = align_by_weight(n_old, n_new, weigh)
    if middle is None:
        middle = [(n, n) for n in range(min(n_old, n_new)) if weigh(n, n)]
    ends = [(len(before) - n, len(after) - n) for n in range(tail, 0, -1)]
    return [(n, n) for n in range(head)] + [(i + head, j + head) for i, j in middle] + ends


def _pair_in_gaps(
    before: Sequence[str], after: Sequence[str], kept: Pairs, rest: _Rest
) -> Iterator[tuple[int, int]]:
    """Yield values that went, each with the one that came in its place between the same others."""
    gaps: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    n_before = _count_below([i for i, _ in kept], rest.before)
    n_after = _count_below([j for _, j in kept], rest.after)
    for i, n in zip(rest.before, n_before, strict=True):
        gaps[n][0].append(i)
    for j, n in zip(rest.after, n_after, strict=True):
        gaps[n][1].append(j)
    for gone, come in gaps.values():
        if len(gone) == len(come):
            yield from zip(gone, come, strict=True)
            continue

        def weigh(i: int, j: int, gone: list[int] = gone, come: list[int] = come) -> float:
            share = overlap(before[gone[i]], after[come[j]])
            return share if share >= LEAST_OVERLAP else 0.0

        if len(gone) * len(come) <= _MOST_OVERLAPS:
            pairs = align_by_weight(len(gone), len(come), weigh) or []
            yield from ((gone[i], come[j]) for i, j in pairs)


_MOST_OVERLAPS = 400
"""Pairs of values between the same two others whose trigrams are compared: 20 by 20."""


def _count_below(limits: Sequence[int], places: Sequence[int]) -> Iterator[int]:
    """Yield for each of growing places how many of growing limits lie below it."""
    n = 0
    for place in places:
        while n < len(limits) and limits[n] < place:
            n += 1
        yield n


def _tell_element(
    kind: PieceKind,
    before: Sequence[str],
    after: Sequence[str],
    places: tuple[int, int],
    field_kind: FieldKind,
) -> Piece:
    i, j = places
    parts = _find_parts(before[i], after[j], field_kind)
    return Piece(kind, before[i], after[j], i, j, parts)


def _tell_rest(before: Sequence[str], after: Sequence[str], rest: _Rest) -> Iterator[Piece]:
    for i in rest.before:
        yield Piece(PieceKind.REMOVED, before[i], "", i, None)
    for j in rest.after:
        yield Piece(PieceKind.ADDED, "", after[j], None, j)


# --- files ---------------------------------------------------------------------------------------


_File = tuple[str, str, str]
_FILE_FORMS: tuple[tuple[PieceKind, Callable[[_File], Hashable | None]], ...] = (
    (PieceKind.MOVED, lambda file: file),
    (PieceKind.RESPELLED, lambda file: (canonical(file[0]), *file[1:])),
    (PieceKind.REPLACED, lambda file: file[0]),
    (PieceKind.REPLACED, lambda file: canonical(file[0])),
    (PieceKind.RENAMED, lambda file: file[1] or None),
)
"""What it means that two files, otherwise unpaired, have the same form; the first that holds."""


def _find_files(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    """Yield what became of files; their order says nothing, and is told as moved nevertheless."""
    old, new = list(map(split_file, before)), list(map(split_file, after))
    rest = _Rest(list(range(len(before))), list(range(len(after))))
    rest.take(_keep_order(before, after, before, after))
    for kind, form in _FILE_FORMS:
        pairs = rest.take(rest.pair_equal(list(map(form, old)), list(map(form, new))))
        for i, j in pairs:
            yield Piece(kind, before[i], after[j], i, j)
    yield from _tell_rest(before, after, rest)


def _order(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Order by place in the value after; what is gone stands where it stood."""
    return tuple(
        sorted(
            pieces,
            key=lambda each: (
                each.at_after if each.at_after is not None else each.at_before or 0,
                each.at_after is not None,
            ),
        )
    )
