"""What each column of a list looks like on a day: the yardstick of later days; pure.

Cells are not looked at one by one: a column is joined to one text, whose bytes are turned into
classes of characters (digit, Hangul, Latin, blank, other) in one pass, and counted. Long texts
count by their beginning, so that one long post does not speak for a whole column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from dmf_crawler.model.past import Features
from dmf_crawler.model.record import Fields, Snapshot, Value

LENGTH = "mean_length"
EMPTY = "share_empty"
DISTINCT = "share_distinct"
DENSITIES = ("digits", "hangul", "latin", "blanks")
"""Shares of the characters of a column."""
FIRST = ("first_digit", "first_hangul", "first_latin")
"""Shares of its values, by their first character."""

N_ROWS, N_EMPTY, N_DISTINCT = "n_rows", "n_empty", "n_distinct"

MOST_CHARACTERS = 64
"""Of each value, those that count."""

_CLASSES = (b"9", b"H", b"A", b"_")
"""Classes of characters, in the order of `DENSITIES`; all others are one more."""


def _make_table() -> bytes:
    """Return the class of each first byte of a character in UTF-8.

    Of Hangul syllables it is one of four, which hardly anything else begins with.
    """
    table = bytearray(b"." * 256)
    members = (
        b"0123456789",
        bytes(range(0xEA, 0xEE)),
        bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B)),
        b" \t\r\n",
    )
    for name, of_class in zip(_CLASSES, members, strict=True):
        for byte in of_class:
            table[byte] = name[0]
    return bytes(table)


_TABLE = _make_table()
_REST_OF_CHARACTER = bytes(range(0x80, 0xC0))
_FIRST_OF = itemgetter(0)


def measure_columns(snapshot: Snapshot, field_names: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return what each field looks like: later days' yardstick.

    Args:
        snapshot: As its source says.
        field_names: The fields that the source has.
    """
    fields = [record.fields for record in snapshot.records.values()]
    return {name: _measure(_list_values(fields, name)) for name in field_names}


def add_counts(looks: Features, counts: Mapping[str, Mapping[str, float]]) -> Features:
    """Return what the columns look like with what was counted that day, the list's own included."""
    return {name: {**looks.get(name, {}), **counts.get(name, {})} for name in {**counts, **looks}}


def _list_values(fields: Sequence[Fields], name: str) -> list[Value]:
    try:
        return list(map(itemgetter(name), fields))
    except KeyError:  # a record that its source leaves without the field
        return [each.get(name, "") for each in fields]


def count_filled(features: Mapping[str, float]) -> int:
    """Return how many cells of a column had a value; 0 where nobody counted."""
    return int(features.get(N_ROWS, 0) - features.get(N_EMPTY, 0))


def _measure(values: list[Value]) -> dict[str, float]:
    n_rows = len(values)
    filled = [value for value in values if value]
    n_filled = len(filled)
    n_distinct = len(set(values))
    counts: dict[str, float] = {
        N_ROWS: n_rows,
        N_EMPTY: n_rows - n_filled,
        N_DISTINCT: n_distinct,
    }
    if not n_rows:
        return counts
    counts[EMPTY] = _round((n_rows - n_filled) / n_rows)
    if not n_filled:
        return counts
    counts[DISTINCT] = _round((n_distinct - (n_filled < n_rows)) / n_filled)
    texts = _cut(filled)
    classes = _classify("".join(texts))
    counts[LENGTH] = _round(len(classes) / n_filled)
    for name, of_class in zip(DENSITIES, _CLASSES, strict=True):
        counts[name] = _round(_count(classes, of_class) / len(classes))
    firsts = _classify("".join(map(_FIRST_OF, texts)))
    for name, of_class in zip(FIRST, _CLASSES[:3], strict=True):
        counts[name] = _round(_count(firsts, of_class) / n_filled)
    return counts


def _cut(values: Sequence[Value]) -> list[str]:
    """Return values as texts, each by its beginning; an empty one as a blank."""
    texts = [value if isinstance(value, str) else ", ".join(value) or " " for value in values]
    if max(map(len, texts)) <= MOST_CHARACTERS:
        return texts
    return [text[:MOST_CHARACTERS] for text in texts]


def _classify(text: str) -> bytes:
    """Return one byte a character: its class."""
    return text.encode("utf-8", "replace").translate(_TABLE, _REST_OF_CHARACTER)


def _count(classes: bytes, of_class: bytes) -> int:
    """Count a class; taking it out is faster than to count it."""
    return len(classes) - len(classes.translate(None, of_class))


def _round(number: float) -> float:
    """Return a number as it is kept: six digits tell more than any limit asks for."""
    return round(number, 6)
