"""What differs from the last accepted list, key by key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from dmf_crawler.model.record import FieldKind, Fields, Record, Value


class EventType(StrEnum):
    """What happened to one record in one run."""

    NEW = "NEW"
    MODIFIED = "MODIFIED"
    WITHDRAWN = "WITHDRAWN"
    REAPPEARED = "REAPPEARED"


class Reason(StrEnum):
    """Why an event has its type, where the type alone does not say it."""

    STATUS = "status"  # WITHDRAWN: the site says 취하, 취소 or 말소
    MISSING = "missing"  # WITHDRAWN: gone from enough consistent reads in a row
    DELISTED = "delisted"  # MODIFIED: already withdrawn by status, now gone from the list too
    RETURNED = "returned"  # REAPPEARED: a closed record stands in the list again
    REKEYED = "rekeyed"  # its number no longer identifies it: NEW continues it, the other closes
    RESTORED = "restored"  # REAPPEARED: the status went back to 정상


class Grade(StrEnum):
    """How much a value changed (docs/data_model.md, grades); everything but SAME is kept."""

    SAME = "same"
    COSMETIC = "cosmetic"
    MINOR = "minor"
    SUBSTANTIVE = "substantive"
    MAJOR = "major"


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A key as the history knows it before this run.

    Attributes:
        key: Natural key.
        fields: The last version's values.
        is_current: Whether that version is open (also when its status is withdrawn).
        missing_since: Day of the first consistent read without it, None when it was there.
        n_missing_reads: Consistent reads in a row (one a day) without it.
        last_missed_on: Day of the last of them, None when it was there.
        is_joined: As in `Record`.
    """

    key: str
    fields: Fields
    is_current: bool
    missing_since: date | None = None
    n_missing_reads: int = 0
    last_missed_on: date | None = None
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One changed field: before and after, with the grade of the change."""

    field: str
    before: Value | None
    after: Value | None
    kind: FieldKind
    grade: Grade


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one key since the last accepted list; becomes one event.

    Attributes:
        kind: NEW, MODIFIED, WITHDRAWN or REAPPEARED.
        key: Natural key.
        after: The record now; for a key that is gone, None.
        changes: Changed fields in the order of the selectors file; empty for NEW.
        reason: See `Reason`; None for NEW and plain MODIFIED.
        missing_since: First day without it, for reasons `missing` and `delisted`.
    """

    kind: EventType
    key: str
    after: Record | None
    changes: tuple[FieldChange, ...] = ()
    reason: Reason | None = None
    missing_since: date | None = None

    @property
    def closes(self) -> bool:
        """Whether no version of the key is current afterwards."""
        if self.reason is Reason.REKEYED:
            return self.kind is not EventType.NEW
        return self.reason in (Reason.MISSING, Reason.DELISTED)

    @property
    def is_rekeyed_with_changes(self) -> bool:
        """Whether the record goes on under another key and changed in the same step."""
        return self.reason is Reason.REKEYED and bool(self.changes)

    @property
    def is_cosmetic(self) -> bool:
        """Whether it is a MODIFIED whose every changed field is cosmetic."""
        return (
            self.kind is EventType.MODIFIED
            and (self.reason is None or self.is_rekeyed_with_changes)
            and all(change.grade is Grade.COSMETIC for change in self.changes)
        )


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The difference of one snapshot to the last accepted list.

    Attributes:
        changes: At most one a key, ordered by key.
        missing: Keys absent from this read and not (yet) withdrawn for it, ordered.
        came_back: Keys that were missing and are there again before they were due, ordered.
        backfilled: Keys of current records that only gained fields of a newer selectors file, or
            of a source that has more of them.
        unlisted: Keys of current records, withdrawn by status, that the source does not list at
            all: nothing is known of them, ordered.
    """

    changes: tuple[Change, ...]
    missing: tuple[str, ...] = ()
    came_back: tuple[str, ...] = ()
    backfilled: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[Change, ...]:
        """What counts as having happened: a mere change of key does not."""
        return tuple(
            change
            for change in self.changes
            if change.reason is not Reason.REKEYED or change.is_rekeyed_with_changes
        )

    @property
    def n_events(self) -> int:
        """How many keys something happened to that is more than cosmetic."""
        return sum(not change.is_cosmetic for change in self.counted)


@dataclass(frozen=True, slots=True)
class Counts:
    """Keys by what happened to them; `MODIFIED` leaves the merely cosmetic ones to `COSMETIC`."""

    NEW: int = 0
    MODIFIED: int = 0
    WITHDRAWN: int = 0
    REAPPEARED: int = 0
    COSMETIC: int = 0
