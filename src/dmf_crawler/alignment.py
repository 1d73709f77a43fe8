"""Which elements of two sequences belong together, in an order that both keep; pure.

The work of every function is bounded, whatever the sequences are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST_EDITS = 500
"""Elements, added and removed ones together, by which two sequences may differ to be aligned."""

MOST_STEPS = 2_000_000
"""Comparisons of elements that one alignment may cost."""

MOST_CELLS = 250_000
"""Pairs of elements that an alignment by weight may weigh: 500 by 500."""

Pairs = list[tuple[int, int]]
"""0-based places in the first and in the second sequence, both growing."""


def trim(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Return how many elements are the same at the beginning, and at the end of the rest."""
    most = min(len(old), len(new))
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def align(old: Sequence[object], new: Sequence[object]) -> Pairs | None:
    """Pair as many equal elements as possible (Myers 1986).

    Returns:
        The pairs; None where the sequences differ by more than `MOST_EDITS` elements, or where it
        would take more than `MOST_STEPS` comparisons to find out.
    """
    head, tail = trim(old, new)
    middle = _align_middle(old[head : len(old) - tail], new[head : len(new) - tail])
    if middle is None:
        return None
    ends = [(len(old) - n, len(new) - n) for n in range(tail, 0, -1)]
    return [(n, n) for n in range(head)] + [(i + head, j + head) for i, j in middle] + ends


def _align_middle(old: Sequence[object], new: Sequence[object]) -> Pairs | None:
    """Walk along the diagonals of the edit graph, furthest first, one edit more at a time."""
    furthest = {1: 0}
    rounds: list[dict[int, int]] = []
    n_steps = 0
    for n_edits in range(MOST_EDITS + 1):
        rounds.append(furthest.copy())
        for diagonal in range(-n_edits, n_edits + 1, 2):
            start = x = _step(furthest, diagonal, n_edits)[0]
            while x < len(old) and 0 <= x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            n_steps += x - start + 1
            if x >= len(old) and x - diagonal >= len(new):
                return _trace_back(rounds, len(old), len(new))
        if n_steps > MOST_STEPS:
            break
    return None


def _step(furthest: dict[int, int], diagonal: int, n_edits: int) -> tuple[int, int]:
    """Return where one more edit leads on a diagonal, and from which diagonal it comes."""
    is_added = diagonal == -n_edits or (
        diagonal != n_edits and furthest[diagonal - 1] < furthest[diagonal + 1]
    )
    if is_added:
        return furthest[diagonal + 1], diagonal + 1
    return furthest[diagonal - 1] + 1, diagonal - 1


def _trace_back(rounds: Sequence[dict[int, int]], n_old: int, n_new: int) -> Pairs:
    pairs: Pairs = []
    x, diagonal = n_old, n_old - n_new
    for n_edits in range(len(rounds) - 1, -1, -1):
        start, came_from = _step(rounds[n_edits], diagonal, n_edits)
        pairs += [(i, i - diagonal) for i in range(x - 1, start - 1, -1)]
        x, diagonal = start - (came_from < diagonal), came_from
    return pairs[::-1]


def align_by_weight(n_old: int, n_new: int, weigh: Callable[[int, int], float]) -> Pairs | None:
    """Pair elements so that their weights sum up to the most.

    Args:
        n_old: Length of the first sequence.
        n_new: Length of the second.
        weigh: Places in both → weight of the pair, 0 for one that must not be.

    Returns:
        The pairs; None where there are more than `MOST_CELLS` of them to choose from.
    """
    if n_old * n_new > MOST_CELLS:
        return None
    weights = [[weigh(i, j) for j in range(n_new)] for i in range(n_old)]
    best = [[0.0] * (n_new + 1) for _ in range(n_old + 1)]
    for i in range(n_old - 1, -1, -1):
        for j in range(n_new - 1, -1, -1):
            paired = best[i + 1][j + 1] + weights[i][j] if weights[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: Pairs = []
    i = j = 0
    while i < n_old and j < n_new:
        if weights[i][j] and best[i][j] == best[i + 1][j + 1] + weights[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
