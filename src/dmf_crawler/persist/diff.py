"""A snapshot against the last accepted list → changes; pure.

Its laws (docs/data_model.md) are tests: diff(a, a) is empty; applying diff(a, b) to a gives b; the
order of rows does not matter, the order of changes is fixed; a key has one change at most, with
everything that differs in it; a missing row is no change until it is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

from dmf_crawler.model.change import (
    Change,
    ChangeSet,
    Counts,
    EventType,
    FieldChange,
    KnownRecord,
    Reason,
)
from dmf_crawler.model.record import FieldKind, Fields, Record, Snapshot
from dmf_crawler.text import canonical, grade_values, is_same_joined

REASONS = {EventType.WITHDRAWN: Reason.STATUS, EventType.REAPPEARED: Reason.RESTORED}
"""Why a record that stands in the list is withdrawn or back: its status says so."""


@dataclass(frozen=True, slots=True)
class DiffRules:
    """What a board says about its fields, and when a vanished row is due.

    Attributes:
        kinds: Field id → kind, in the order of the selectors file.
        status_field: Field id of the status, "" where the board has none.
        withdrawn_words: Statuses that mean withdrawn (취하, 취소, 말소).
        live_words: Statuses that mean in force (정상).
        missing_runs: Consistent reads in a row without a key that make it withdrawn.
        lists_withdrawn: Whether the source that was read lists withdrawn records at all.
    """

    kinds: Mapping[str, FieldKind]
    status_field: str
    withdrawn_words: frozenset[str]
    live_words: frozenset[str]
    missing_runs: int
    lists_withdrawn: bool = True

    def is_withdrawn(self, fields: Fields) -> bool:
        """Say whether the site itself calls a record withdrawn, however the word is typed."""
        return self._has_status(fields, self.withdrawn_words)

    def is_live(self, fields: Fields) -> bool:
        """Say whether the site itself calls a record in force; an unknown word does not."""
        return self._has_status(fields, self.live_words)

    def cannot_list(self, record: KnownRecord) -> bool:
        """Say whether the source tells nothing of a current record that it does not list."""
        return not self.lists_withdrawn and record.is_current and self.is_withdrawn(record.fields)

    def _has_status(self, fields: Fields, words: frozenset[str]) -> bool:
        status = fields.get(self.status_field, "")
        if isinstance(status, str) and status not in words:
            status = canonical(status)
        return status in words


def diff_snapshot(
    known: Mapping[str, KnownRecord], snapshot: Snapshot, *, day: date, rules: DiffRules
) -> ChangeSet:
    """Compare one snapshot with what the history knows.

    Args:
        known: Every key that was ever accepted → its last version.
        snapshot: A complete, consistent read.
        day: The day of the read; several reads of a day count as one towards `missing_runs`.
        rules: The board's.

    Returns:
        Changes ordered by key, and what is missing, came back or was only filled up.
    """
    unlisted = {
        key
        for key, before in known.items()
        if key not in snapshot.records and rules.cannot_list(before)
    }
    rekeyed = _find_rekeyed(known, snapshot, unlisted)
    changes: list[Change] = []
    missing: list[str] = []
    for key in sorted((known.keys() | snapshot.records.keys()) - unlisted):
        before, record = known.get(key), snapshot.records.get(key)
        if key in rekeyed:
            change: Change | None = _change_of_key(
                known[key], snapshot.records[rekeyed[key]], rules
            )
        elif key in rekeyed.values():
            change = Change(EventType.NEW, key, record, reason=Reason.REKEYED)
        elif record is not None:
            change = _change_of_present(before, record, rules)
        else:
            change = _change_of_absent(known[key], day, rules)
            if change is None and known[key].is_current:
                missing.append(key)
        if change is not None:
            changes.append(change)
    return ChangeSet(
        tuple(changes),
        tuple(missing),
        came_back=tuple(_find_came_back(known, snapshot)),
        backfilled=tuple(_find_backfilled(known, snapshot, changes)),
        unlisted=tuple(sorted(unlisted)),
    )


def _find_came_back(known: Mapping[str, KnownRecord], snapshot: Snapshot) -> Iterator[str]:
    """Yield keys that were missing, not yet due, and stand in the list again."""
    for key in sorted(known.keys() & snapshot.records.keys()):
        if known[key].is_current and known[key].missing_since is not None:
            yield key


def _find_backfilled(
    known: Mapping[str, KnownRecord], snapshot: Snapshot, changes: Sequence[Change]
) -> Iterator[str]:
    """Yield unchanged current keys whose record has fields that the history does not have yet.

    Values that it has joined to one text count as such fields.
    """
    changed = {change.key for change in changes}
    for key in sorted(known.keys() & snapshot.records.keys() - changed):
        record, before = snapshot.records[key], known[key]
        has_more = record.fields.keys() - before.fields.keys()
        if has_more or (before.is_joined and not record.is_joined):
            yield key


def _change_of_present(
    before: KnownRecord | None, record: Record, rules: DiffRules
) -> Change | None:
    """Return what happened to a key that stands in the list today."""
    if before is None:
        return Change(EventType.NEW, record.key, record)
    changes = _find_changes(before, record, rules)
    if not before.is_current:
        return Change(EventType.REAPPEARED, record.key, record, changes, Reason.RETURNED)
    kind = _kind_by_status(before.fields, record.fields, changes, rules)
    return Change(kind, record.key, record, changes, REASONS.get(kind)) if changes else None


def _kind_by_status(
    before: Fields, after: Fields, changes: Sequence[FieldChange], rules: DiffRules
) -> EventType:
    """Return what a changed status makes of a change.

    A status column that only one side has (a newer selectors file) says nothing about a change.
    """
    if any(change.field == rules.status_field for change in changes):
        was_withdrawn = rules.is_withdrawn(before)
        if rules.is_withdrawn(after) and not was_withdrawn:
            return EventType.WITHDRAWN
        if was_withdrawn and rules.is_live(after):
            return EventType.REAPPEARED
    return EventType.MODIFIED


def _change_of_key(before: KnownRecord, heir: Record, rules: DiffRules) -> Change:
    """Return the end of a key whose record goes on under another, with what differs there."""
    changes = _find_changes(before, heir, rules)
    kind = _kind_by_status(before.fields, heir.fields, changes, rules)
    return Change(kind, before.key, None, changes, Reason.REKEYED)


def _change_of_absent(before: KnownRecord, day: date, rules: DiffRules) -> Change | None:
    """Return the withdrawal of a key that has been missing long enough, else None."""
    if not before.is_current:
        return None
    n_reads = before.n_missing_reads + (before.last_missed_on != day)
    if n_reads < rules.missing_runs:
        return None
    since = before.missing_since or day
    if rules.is_withdrawn(before.fields):
        return Change(
            EventType.MODIFIED, before.key, None, reason=Reason.DELISTED, missing_since=since
        )
    return Change(EventType.WITHDRAWN, before.key, None, reason=Reason.MISSING, missing_since=since)


def _find_changes(before: KnownRecord, record: Record, rules: DiffRules) -> tuple[FieldChange, ...]:
    """Return the changed fields; what one side alone has joined to one text is no change."""
    is_joined = before.is_joined or record.is_joined
    return tuple(
        change
        for change in find_field_changes(before.fields, record.fields, rules.kinds)
        if not (is_joined and _is_same_joined(change))
    )


def _is_same_joined(change: FieldChange) -> bool:
    return is_same_joined(change.before or (), change.after or ())


def find_field_changes(
    before: Fields, after: Fields, kinds: Mapping[str, FieldKind]
) -> Iterator[FieldChange]:
    """Yield every field that both sides have and that differs, in the order of `kinds`."""
    for name, kind in kinds.items():
        if name in before and name in after and before[name] != after[name]:
            grade = grade_values(before[name], after[name], kind)
            yield FieldChange(name, before[name], after[name], kind, grade)


def _find_rekeyed(
    known: Mapping[str, KnownRecord], snapshot: Snapshot, unlisted: Set[str]
) -> dict[str, str]:
    """Return old key → new key of records whose number stopped to identify them.

    When a second record turns up under a number, both get the key number|applicant|first date.
    The one that was known goes on under its new key: nobody withdrew it. So it does when its
    applicant is renamed later, as long as only one key of the number is gone.
    """
    rekeyed: dict[str, str] = {}
    for number in snapshot.split_numbers:
        heirs = [
            key for key in snapshot.records if key.startswith(f"{number}|") and key not in known
        ]
        gone = [
            key
            for key, before in known.items()
            if (key == number or key.startswith(f"{number}|"))
            and before.is_current
            and key not in snapshot.records
            and key not in unlisted
        ]
        if len(gone) != 1:
            continue
        # A composite key goes on where its applicant or its first date does.
        parts = set(gone[0].split("|")[1:])
        likely = [key for key in heirs if not parts or parts & set(key.split("|")[1:])]
        if likely:
            fields = known[gone[0]].fields
            rekeyed[gone[0]] = max(
                likely,
                key=lambda key: sum(
                    snapshot.records[key].fields.get(name) == value
                    for name, value in fields.items()
                ),
            )
    return rekeyed


def count_changes(change_set: ChangeSet) -> Counts:
    """Count keys by what happened to them; a mere change of key counts nowhere."""
    counted = change_set.counted
    kinds = [change.kind for change in counted if not change.is_cosmetic]
    return Counts(
        NEW=kinds.count(EventType.NEW),
        MODIFIED=kinds.count(EventType.MODIFIED),
        WITHDRAWN=kinds.count(EventType.WITHDRAWN),
        REAPPEARED=kinds.count(EventType.REAPPEARED),
        COSMETIC=len(counted) - len(kinds),
    )
