"""What the days of a list must leave in the history, told as simply as possible.

A day is a dict of key → fields. The model keeps every accepted day and answers each question by
going through all of them from the first one on: it has no versions, no runs, no SQL, no diff.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from dmf_crawler.model.record import Fields, Value

MISSING_READS = 4
WITHDRAWN = frozenset({"취하", "취소"})
SHARED = "S"
"""The number that several records may come to bear; then each has a key `S|…`."""


@dataclass(frozen=True, slots=True)
class Day:
    """One accepted read: its day, and what the list said."""

    on: date
    listed: Mapping[str, Fields]


@dataclass(frozen=True, slots=True)
class Happened:
    """One event that is to be recorded."""

    key: str
    event: str
    reason: str | None = None
    changes: Mapping[str, tuple[Value | None, Value | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Now:
    """What is known of a key after a day; `event` is what happened on that very day."""

    event: Happened | None
    fields: Fields
    is_listed: bool
    missed_on: frozenset[date] = frozenset()


@dataclass(slots=True)
class Reference:
    """The accepted days so far."""

    days: list[Day] = field(default_factory=list)

    def events(self) -> list[Happened]:
        """Return what is to be recorded of the last day, by key."""
        states = [state for _, state in self._states()]
        return [state.event for state in states if state.event is not None]

    def listed(self) -> dict[str, Fields]:
        """Return the records in force: listed on the last day, or not yet long enough missing."""
        return {key: state.fields for key, state in self._states() if state.is_listed}

    def missing(self) -> dict[str, int]:
        """Return how many days in a row each record has been missing."""
        return {key: len(state.missed_on) for key, state in self._states() if state.missed_on}

    def _states(self) -> Iterator[tuple[str, Now]]:
        """Yield each key that was ever listed with what is known of it after the last day."""
        keys = sorted({key for day in self.days for key in day.listed})
        split = find_split(self.days)
        for key in keys:
            *_, state = live(key, self.days, split)
            if state is not None:
                yield key, state


@dataclass(frozen=True, slots=True)
class Split:
    """When the shared number stopped to identify its record, and under which key that goes on."""

    day_no: int
    heir: str
    fields: Fields


def find_split(days: Sequence[Day]) -> Split | None:
    """Find the first day with several bearers, where the number was in force until then."""
    for day_no, day in enumerate(days):
        heirs = [key for key in day.listed if key.startswith(f"{SHARED}|")]
        if heirs:
            before = [*live(SHARED, days[:day_no], None)][-1:]
            if not (before and before[0] and before[0].is_listed):
                return None
            fields = before[0].fields
            heir = max(heirs, key=lambda key: count_equal(fields, day.listed[key]))
            return Split(day_no, heir, fields)
    return None


def live(key: str, days: Sequence[Day], split: Split | None) -> Iterator[Now | None]:
    """Yield what is known of a key after each day; None before it was ever listed."""
    state: Now | None = None
    for day_no, day in enumerate(days):
        is_split_today = split is not None and split.day_no == day_no
        if is_split_today and split is not None and key == SHARED and state is not None:
            heir = day.listed[split.heir]
            kind, _ = judge_status(state.fields, heir) or ("MODIFIED", None)
            end = Happened(key, kind, "rekeyed", find_changes(state.fields, heir))
            state = Now(end, state.fields, is_listed=False)
        elif key in day.listed:
            event = tell_present(key, state, day.listed[key])
            if is_split_today and split is not None and key == split.heir:
                event = Happened(key, "NEW", "rekeyed")
            state = Now(event, day.listed[key], is_listed=True)
        elif state is not None:
            state = miss(key, state, day.on)
        yield state


def tell_present(key: str, before: Now | None, fields: Fields) -> Happened | None:
    """Return what happened to a key that is listed."""
    if before is None:
        return Happened(key, "NEW")
    changes = find_changes(before.fields, fields)
    if not before.is_listed:
        return Happened(key, "REAPPEARED", "returned", changes)
    kind, reason = judge_status(before.fields, fields) or ("MODIFIED", None)
    return Happened(key, kind, reason, changes) if changes else None


def miss(key: str, before: Now, on: date) -> Now:
    """Return what is known of a key that is not listed; several reads of a day are one."""
    if not before.is_listed:
        return Now(None, before.fields, is_listed=False)
    missed_on = before.missed_on | {on}
    if len(missed_on) < MISSING_READS:
        return Now(None, before.fields, is_listed=True, missed_on=missed_on)
    is_withdrawn = before.fields["status"] in WITHDRAWN
    kind, reason = ("MODIFIED", "delisted") if is_withdrawn else ("WITHDRAWN", "missing")
    return Now(Happened(key, kind, reason), before.fields, is_listed=False)


def judge_status(before: Fields, after: Fields) -> tuple[str, str] | None:
    """Return the event that a changed status makes, None for none."""
    was_withdrawn, is_withdrawn = before["status"] in WITHDRAWN, after["status"] in WITHDRAWN
    if is_withdrawn == was_withdrawn:
        return None
    return ("WITHDRAWN", "status") if is_withdrawn else ("REAPPEARED", "restored")


def find_changes(before: Fields, after: Fields) -> dict[str, tuple[Value | None, Value | None]]:
    """Return each field that differs, with what it was and is."""
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def count_equal(before: Fields, after: Fields) -> int:
    """Count the fields that are the same."""
    return sum(after[name] == value for name, value in before.items())
