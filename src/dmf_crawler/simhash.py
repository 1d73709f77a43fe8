"""SimHash: 64 bits by which the size of a change in a long text can be told.

Charikar's fingerprint (STOC 2002) over the overlapping three-character pieces of a text, since
neither Korean without blanks nor Japanese has words that could be cut out. Two texts of which a
small part differs have fingerprints that differ in few bits. It measures how much changed, never
what it means: a negation weighs as much as a comma (docs/trust.md), so it alone never decides that
nothing changed.

Definition, which `tests/test_simhash.py` also writes as the plain loop: each piece votes for every
bit, by the bits of its own hash (BLAKE2b, 8 bytes, of its UTF-8). A bit is set where more than half
of the pieces have it; where exactly half have it, as happens in short texts, it is that of the
smallest hash. A text of up to three characters is one piece; the empty text is 0.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

BITS = 64
_PIECE = 3
_N_KEPT = 1 << 15
"""Hashes of pieces that are kept: a long Korean text has a few thousand."""

_SIGN = 1 << (BITS - 1)


def simhash(text: str) -> int:
    """Return the fingerprint of a text, 0 to 2**64 - 1.

    The votes are counted for all bits at once: the hashes stand side by side in one big integer,
    whose halves are added until one lane is left. A sum is kept as planes, one big integer for each
    binary digit. Takes time linear in the text's length.
    """
    last = len(text) - _PIECE
    if last <= 0:
        return int.from_bytes(_hash_piece(text), "big") if text else 0
    hashes = [_hash_piece(text[start : start + _PIECE]) for start in range(last + 1)]
    planes = _count_votes(int.from_bytes(b"".join(hashes), "big"), len(hashes))
    return _decide(planes, len(hashes), int.from_bytes(min(hashes), "big"))


def distance(left: int, right: int) -> int:
    """Return in how many bits two fingerprints differ: 0 to 64, about 32 where nothing is alike."""
    return (left ^ right).bit_count()


def to_signed(fingerprint: int) -> int:
    """Return a fingerprint as SQLite can keep it: its INTEGER has 63 bits and a sign."""
    return fingerprint - 2 * _SIGN if fingerprint & _SIGN else fingerprint


@lru_cache(maxsize=_N_KEPT)
def _hash_piece(piece: str) -> bytes:
    # A lone half of a surrogate pair has no UTF-8; it counts as what it is.
    return blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()


def _count_votes(lanes: int, n_lanes: int) -> list[int]:
    """Add up lanes of 64 single bits; return the binary digits of the 64 sums, lowest first."""
    planes = [lanes]
    while n_lanes > 1:
        n_lanes = (n_lanes + 1) // 2
        width = BITS * n_lanes
        mask = (1 << width) - 1
        carry = 0
        for digit, plane in enumerate(planes):
            low, high = plane & mask, plane >> width
            either = low ^ high
            planes[digit] = either ^ carry
            carry = (low & high) | (either & carry)
        planes.append(carry)
    return planes


def _decide(planes: list[int], n_votes: int, tie: int) -> int:
    """Return the bits that more than half of the votes have; a tie gives the one of `tie`."""
    half = n_votes // 2
    every = 2 * _SIGN - 1
    more, equal = 0, every
    for digit in reversed(range(len(planes))):
        plane = planes[digit]
        if half >> digit & 1:
            equal &= plane
        else:
            more |= equal & plane
            equal &= ~plane
    return more if n_votes % 2 else more | (equal & tie)
