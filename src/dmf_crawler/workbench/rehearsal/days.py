"""The day clock: a list that lives, and for each day the truth that a crawler must record.

The truth follows the contract of the crawler, decided here without its code:
what must be recorded on a day, compared with the last accepted list, when every day is accepted.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from dmf_crawler.workbench.rehearsal import edits
from dmf_crawler.workbench.rehearsal.office import ORDINARY_PACE, Office, Pace
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow, grow_register
from dmf_crawler.workbench.rehearsal.working_days import ONE_DAY

MISSING_RUNS = 4
"""Reads in a row without a row after which it counts as withdrawn."""

# With it the default life shows every ordinary kind of change in its first two days.
_OFFICE_SEED = 289

KINDS = ("NEW", "MODIFIED", "WITHDRAWN", "REAPPEARED")

Columns = Sequence[tuple[str, str]]
"""Field id and Korean header of each value that must be recorded, in the site's order."""


class Row(Protocol):
    """One row of a list: its values are attributes named by field ids."""

    @property
    def key(self) -> str:
        """What identifies it."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether it is not withdrawn by status."""
        ...


class LivedList(Protocol):
    """A list that lives from day to day, and tells the truth of each."""

    day: date

    @property
    def rows(self) -> Sequence[Row]:
        """The list as the site shows it today, newest first."""
        ...

    @property
    def columns(self) -> Columns:
        """What must be recorded of each row."""
        ...

    def advance(self) -> DayTruth:
        """Go to the next calendar day and live it."""
        ...


@dataclass(frozen=True, slots=True)
class Happening:
    """What must be recorded of one key on one day.

    Attributes:
        kind: NEW, MODIFIED, WITHDRAWN or REAPPEARED.
        key: What identifies its row.
        fields: Ids of all changed fields, in column order; empty for NEW and for a vanished row.
        reason: "", `status`, `missing`, `delisted`, `restored` or `returned`.
        is_cosmetic: A MODIFIED whose every changed field says the same in another form; it counts
            as COSMETIC.
    """

    kind: str
    key: str
    fields: tuple[str, ...] = ()
    reason: str = ""
    is_cosmetic: bool = False


@dataclass(frozen=True, slots=True)
class DayTruth:
    """What must be recorded on one day.

    Attributes:
        day: The day.
        happenings: At most one a key, ordered by key.
        counts: Keys by NEW, MODIFIED, WITHDRAWN, REAPPEARED and COSMETIC.
        missing: Keys that are gone and not (yet) withdrawn for it, ordered.
    """

    day: date
    happenings: tuple[Happening, ...]
    counts: dict[str, int]
    missing: tuple[str, ...]


class Life:
    """The register as it lives from `first_day` on.

    Attributes:
        day: Today.
        rows: The list as the site shows it today, newest first.
        columns: What must be recorded of each row.

    Args:
        n_rows: Size on the first day.
        seed: The same seed lives the same life.
        first_day: Its list is the baseline: nothing of it counts.
        pace: How often things happen.
    """

    def __init__(
        self,
        n_rows: int = 12_000,
        seed: int = 20261130,
        first_day: date = date(2026, 11, 30),
        pace: Pace = ORDINARY_PACE,
    ) -> None:
        rows = grow_register(n_rows, seed, first_day)
        if pace.irregular:
            rows = _write_irregularly(rows, random.Random(seed), pace.irregular)
        self._office = Office(rows, random.Random(seed + _OFFICE_SEED), first_day, pace)
        self.day = first_day
        self.rows = self._office.list_rows()
        self.columns = COLUMNS
        self._ledger = Ledger(self.rows)

    def advance(self) -> DayTruth:
        """Go to the next calendar day and live it."""
        self.day += ONE_DAY
        self._office.live_day(self.day)
        self.rows = self._office.list_rows()
        return self._ledger.record_day(self.day, self.rows)


def _write_irregularly(rows: Sequence[ListRow], rng: random.Random, share: float) -> list[ListRow]:
    return [edits.write_irregularly(row, rng) if rng.random() < share else row for row in rows]


class Ledger:
    """What is on record after the accepted reads so far.

    Args:
        rows: The baseline.
        columns: What must be recorded of each row.
    """

    def __init__(self, rows: Sequence[Row], columns: Columns = COLUMNS) -> None:
        self._columns = columns
        self._current = {row.key: row for row in rows}
        self._closed: dict[str, Row] = {}
        self._n_missed: dict[str, int] = {}

    def record_day(self, day: date, rows: Sequence[Row]) -> DayTruth:
        """Record one accepted read and return what had to be recorded."""
        shown = {row.key: row for row in rows}
        happenings = [
            happening
            for key, row in shown.items()
            if self._current.get(key) is not row or key in self._n_missed
            if (happening := self._record_row(key, row))
        ]
        for key in self._current.keys() - shown.keys():
            self._n_missed[key] = self._n_missed.get(key, 0) + 1
            if self._n_missed[key] == MISSING_RUNS:
                happenings.append(self._close(key))
        happenings.sort(key=lambda happening: happening.key)
        return DayTruth(
            day, tuple(happenings), _count_kinds(happenings), tuple(sorted(self._n_missed))
        )

    def _record_row(self, key: str, row: Row) -> Happening | None:
        self._n_missed.pop(key, None)
        before = self._current.get(key)
        self._current[key] = row
        if before is not None:
            return self._compare_rows(before, row)
        if (closed := self._closed.pop(key, None)) is not None:
            return Happening("REAPPEARED", key, self._list_changes(closed, row), "returned")
        return Happening("NEW", key)

    def _close(self, key: str) -> Happening:
        row = self._current.pop(key)
        self._closed[key] = row
        del self._n_missed[key]
        if row.is_live:
            return Happening("WITHDRAWN", key, (), "missing")
        return Happening("MODIFIED", key, (), "delisted")

    def _compare_rows(self, before: Row, after: Row) -> Happening | None:
        fields = self._list_changes(before, after)
        if not fields:
            return None
        if before.is_live and not after.is_live:
            return Happening("WITHDRAWN", after.key, fields, "status")
        if after.is_live and not before.is_live:
            return Happening("REAPPEARED", after.key, fields, "restored")
        is_cosmetic = all(_form(before, field) == _form(after, field) for field in fields)
        return Happening("MODIFIED", after.key, fields, is_cosmetic=is_cosmetic)

    def _list_changes(self, before: Row, after: Row) -> tuple[str, ...]:
        fields = (field for field, _ in self._columns)
        return tuple(field for field in fields if getattr(before, field) != getattr(after, field))


def _form(row: Row, field: str) -> tuple[str, ...]:
    """Return a field without what is form alone: the spelling of 주식회사, and white space."""
    value = getattr(row, field)
    return tuple(_bare(text) for text in ((value,) if isinstance(value, str) else value))


def _bare(text: str) -> str:
    text = re.sub("㈜|주식회사", "(주)", unicodedata.normalize("NFC", text))
    return re.sub(r"(?<![A-Za-z0-9])\s+|\s+(?![A-Za-z0-9])", "", re.sub(r"\s+", " ", text))


def _count_kinds(happenings: Sequence[Happening]) -> dict[str, int]:
    counted = Counter(
        "COSMETIC" if happening.is_cosmetic else happening.kind for happening in happenings
    )
    return {kind: counted[kind] for kind in (*KINDS, "COSMETIC")}
