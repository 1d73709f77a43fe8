"""What the gates look at: one list as read, and what the history knew before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.past import Features, Past
from dmf_crawler.model.record import FieldKind, Snapshot
from dmf_crawler.model.reuse import Deliveries


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What the values of one field look like, where they are not empty.

    Attributes:
        field: Field id.
        label_ko: Its Korean label.
        pattern: Matches the whole value; None for any.
        words: All values there are; empty where they are no closed set.
        date_formats: `strptime` formats, one of which each value is written in; empty for any.
        min_length: Fewest characters, None for any number.
        max_length: Most characters, None for any number.
        is_unique: Whether no two records have the same value.
    """

    field: str
    label_ko: str
    pattern: re.Pattern[str] | None = None
    words: frozenset[str] = frozenset()
    date_formats: tuple[str, ...] = ()
    min_length: int | None = None
    max_length: int | None = None
    is_unique: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether any value fulfils it."""
        return self == ValueRule(self.field, self.label_ko)


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """What the gates know of one field.

    Attributes:
        field: Field id.
        label_ko: Its Korean label.
        kind: What it holds.
        moves: "never": the value of a record stays; "forward": a date or year only grows; "".
        has_known_words: Whether its values come from a vocabulary that hardly ever grows.
        date_formats: `strptime` formats of its dates; empty for ISO 8601.
        is_required: Whether the selectors file says that no record lacks it.
    """

    field: str
    label_ko: str
    kind: FieldKind
    moves: str = ""
    has_known_words: bool = False
    date_formats: tuple[str, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the gates look at.

    Attributes:
        snapshot: The list as read.
        change_set: Its difference to the last accepted list.
        known: What the history knew before; empty for the first run.
        number_field: Field id of the registration number.
        number_label: Its Korean label.
        number_pattern: What a number looks like, None where the board has no pattern.
        status_field: Field id of the status, "" where the board has none.
        status_words: All statuses that there are; empty where the board does not say.
        min_rows: Records that the list has at least.
        rules: What values look like; pattern of the number and words of the status apart.
        labels: Field id → Korean label.
        deliveries_before: What selectors found in the board's last accepted run, and of each field
            of the detail pages in the last one that measured it; empty where nothing was measured.
        day: The day of the read.
        columns: The fields that the source has, in the order of the stored record.
        country_field: Field id of what rows are grouped by when equal fields are counted, "" for
            none.
        past: The accepted days before.
        duration_s: What the crawl took; None where nothing was crawled (a re-parse).
        features: What each column looks like (`judge.features`).
    """

    snapshot: Snapshot
    change_set: ChangeSet
    known: Mapping[str, KnownRecord]
    number_field: str
    number_label: str
    number_pattern: re.Pattern[str] | None
    status_field: str
    status_words: frozenset[str]
    min_rows: int
    rules: tuple[ValueRule, ...]
    labels: Mapping[str, str]
    deliveries_before: Deliveries
    day: date = date.min
    columns: tuple[JudgedColumn, ...] = ()
    country_field: str = ""
    past: Past = field(default_factory=Past)
    duration_s: float | None = None
    features: Features = field(default_factory=dict)

    @property
    def n_listed(self) -> int:
        """Records of the last accepted list, those left out that the source does not list."""
        n_current = sum(record.is_current for record in self.known.values())
        return n_current - len(self.change_set.unlisted)
