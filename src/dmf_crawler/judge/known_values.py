"""What the columns of the last accepted list hold: their values, and the shapes of these.

Each column is gone through when it is first asked for: an ordinary day changes few of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from dmf_crawler.judge.evidence import JudgedColumn
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import FieldKind, Value

_SHAPES = (
    (re.compile(r"\d+"), "9"),
    (re.compile(r"[가-힣]+"), "가"),
    (re.compile(r"[A-Za-z]+"), "A"),
    (re.compile(r"\s+"), "_"),
)

_ONE_VOCABULARY = frozenset({FieldKind.DATE, FieldKind.NUMBER})
"""Kinds of which all columns share their values: a day may stand in any column of days."""


def shape_of(text: str) -> str:
    """Return the shape of a text: runs of digits, Hangul, Latin letters, blanks as one sign."""
    for pattern, sign in _SHAPES:
        text = pattern.sub(sign, text)
    return text


def elements_of(value: Value | None) -> tuple[str, ...]:
    """Return the texts of a value: itself, or the values of a nested column."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


class KnownColumn:
    """The values of one column of the last accepted list.

    Attributes:
        values: Text → how often; "" for an empty cell.
        n_values: How many there are.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.values = Counter(texts)
        self.n_values = self.values.total()

    @cached_property
    def shapes(self) -> Counter[str]:
        """Shape → how often."""
        shapes: Counter[str] = Counter()
        for text, n_times in self.values.items():
            shapes[shape_of(text)] += n_times
        return shapes

    def has_few_shapes(self, ratio: float) -> bool:
        """Say whether the chance that the next value has a new shape is below a ratio.

        The chance is Good's and Turing's: shapes seen once, as a share of all values (Good 1953).
        Of too few values nothing can be said.
        """
        return self.n_values * ratio >= 1 and self._n_once < ratio * self.n_values

    @property
    def chance_of_new_shape(self) -> float:
        """The chance that the next value has a new shape, 0 to 1, a little above the estimate."""
        return (self._n_once + 0.5) / (self.n_values + 1)

    @cached_property
    def _n_once(self) -> int:
        return sum(n_times == 1 for n_times in self.shapes.values())


class KnownValues:
    """The columns of the last accepted list, by field id."""

    def __init__(self, known: Mapping[str, KnownRecord], columns: Sequence[JudgedColumn]) -> None:
        self._records = [record for record in known.values() if record.is_current]
        self._columns = {column.field: column for column in columns}
        self._found: dict[str, KnownColumn] = {}

    def __len__(self) -> int:
        return len(self._records)

    def column(self, field: str) -> KnownColumn:
        """Return what one column holds."""
        found = self._found.get(field)
        if found is None:
            values = [record.fields.get(field) for record in self._records]
            texts = (text for value in values for text in elements_of(value) or ("",))
            found = self._found[field] = KnownColumn(texts)
        return found

    def find_other(self, text: str, field: str) -> str | None:
        """Return another column that has a text which the field's own has not; None for none."""
        if text in self.column(field).values:
            return None
        kind = self._columns[field].kind
        for other, column in self._columns.items():
            if other == field or (kind in _ONE_VOCABULARY and column.kind is kind):
                continue
            if text in self.column(other).values:
                return other
        return None

    @property
    def records(self) -> Sequence[KnownRecord]:
        """The current records."""
        return self._records

    def select_where(self, field: str, value: Value | None) -> Sequence[KnownRecord]:
        """Return the records that have one value in a field."""
        return [record for record in self._records if record.fields.get(field) == value]
