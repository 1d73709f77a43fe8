"""The laws of the history, over lists fed day by day into a real store.

What should come out is told by `Register`, which knows nothing of versions, runs and SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.model.record import Fields, Record, Snapshot
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.diff import diff_snapshot, find_field_changes
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.recording import known_records, load_changes, load_fields
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import (
    BOARD,
    KINDS,
    RULES,
    TABLES,
    Diary,
    Read,
    a_record,
    a_snapshot,
    content,
    known_from,
    moment,
)

DAY = date(2026, 12, 1)
WITHDRAWN = {"취하", "취소"}
UNTOUCHED = tuple(table for table in TABLES if table not in {"crawl_run", "gate_result"})

companies = st.sampled_from(["(주)가", "㈜ 가", "나", ""])
statuses = st.sampled_from(["정상", "정상", "취하", "취소"])
makers = st.sampled_from([(), ("x",), ("x", "x"), ("y", "x")])
some_fields = st.fixed_dictionaries(
    {"company": companies, "status": statuses, "maker_names": makers}
)
listings = st.dictionaries(st.sampled_from("ABCD"), some_fields)


def records_of(listing: Mapping[str, Fields]) -> list[Record]:
    return [a_record(key, **fields) for key, fields in listing.items()]


# --- one comparison ----------------------------------------------------------------------------


@given(listings)
def test_a_list_does_not_differ_from_itself(listing):
    records = records_of(listing)

    change_set = diff_snapshot(known_from(*records), a_snapshot(*records), day=DAY, rules=RULES)

    assert (change_set.changes, change_set.missing, change_set.backfilled) == ((), (), ())


@given(listings, listings)
def test_the_changes_from_a_to_b_lead_from_a_to_b(before, after):
    known, snapshot = known_from(*records_of(before)), a_snapshot(*records_of(after))

    change_set = diff_snapshot(known, snapshot, day=DAY, rules=RULES)

    reached = {key: dict(record.fields) for key, record in known.items()}
    for change in change_set.changes:
        assert change.after is not None
        fields = reached.setdefault(change.key, dict(change.after.fields))
        for one in change.changes:
            assert fields[one.field] == one.before
            assert one.after is not None
            fields[one.field] = one.after
    for key in change_set.missing:
        del reached[key]
    assert reached == {key: dict(record.fields) for key, record in snapshot.records.items()}
    n_new = sum(change.key not in known for change in change_set.changes)
    assert len(after) == len(before) + n_new - len(change_set.missing)


@given(listings, listings, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_neither_the_changes_nor_their_order(before, after, random):
    known, records = known_from(*records_of(before)), records_of(after)
    change_set = diff_snapshot(known, a_snapshot(*records), day=DAY, rules=RULES)
    random.shuffle(records)
    shuffled = known_from(*random.sample(records_of(before), len(before)))

    assert diff_snapshot(shuffled, a_snapshot(*records), day=DAY, rules=RULES) == change_set
    keys = [change.key for change in change_set.changes]
    assert keys == sorted(set(keys))
    assert list(change_set.missing) == sorted(change_set.missing)


@given(listings, listings)
def test_the_way_back_undoes_the_way_there(before, after):
    there = diff_snapshot(
        known_from(*records_of(before)), a_snapshot(*records_of(after)), day=DAY, rules=RULES
    )
    back = diff_snapshot(
        known_from(*records_of(after)), a_snapshot(*records_of(before)), day=DAY, rules=RULES
    )

    def swapped(changes):
        return {
            (change.key, one.field, one.after, one.before)
            for change in changes
            for one in change.changes
        }

    straight = {
        (change.key, one.field, one.before, one.after)
        for change in back.changes
        for one in change.changes
    }
    assert swapped(there.changes) == straight
    assert set(there.missing) == {change.key for change in back.changes if not change.changes}


@given(some_fields, some_fields)
def test_every_difference_of_any_column_is_recorded(before, after):
    changes = find_field_changes(before, after, KINDS)

    assert {change.field for change in changes} == {
        name for name in before if before[name] != after[name]
    }


# --- a life of days ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visit:
    """One read of the list: how long after the one before, what it showed, what came of it.

    So many records bear the number S; from the second one on each needs a key of its own.
    """

    days_later: int
    listing: Mapping[str, Fields]
    bearers: Sequence[Fields]
    status: RunStatus


visits = st.lists(
    st.builds(
        Visit,
        days_later=st.sampled_from([1, 1, 1, 2, 0]),
        listing=listings,
        bearers=st.lists(some_fields, max_size=2),
        status=st.sampled_from([RunStatus.OK] * 5 + [RunStatus.HELD, RunStatus.REJECTED]),
    ),
    min_size=1,
    max_size=9,
)


@dataclass(slots=True)
class Register:
    """What is to be recorded of a list, in plain words."""

    listed: dict[str, Fields] = field(default_factory=dict)
    closed: dict[str, Fields] = field(default_factory=dict)
    missed_on: dict[str, set[date]] = field(default_factory=dict)
    is_split: bool = False

    def key_records(self, visit: Visit) -> tuple[list[Record], bool]:
        """Return what the list showed, by key, and whether S no longer identifies a record."""
        is_split = self.is_split or len(visit.bearers) > 1
        bearers = [
            a_record(f"S|{number}" if is_split else "S", **fields)
            for number, fields in enumerate(visit.bearers)
        ]
        # The list is never empty: that would be a fault, not a list.
        return [a_record("Z"), *records_of(visit.listing), *bearers], is_split

    def read(self, records: Sequence[Record], day: date) -> list[tuple[str, str, str | None]]:
        """Take one accepted list; return key, type and reason of its events."""
        seen = {record.key: record.fields for record in records}
        events = self._rekey(seen)
        for key, fields in seen.items():
            event = None if key in events else self._event_of(key, fields)
            if event:
                events[key] = event
            self.closed.pop(key, None)
            self.missed_on.pop(key, None)
            self.listed[key] = fields
        for key in sorted(self.listed.keys() - seen.keys()):
            self.missed_on.setdefault(key, set()).add(day)
            if len(self.missed_on[key]) == RULES.missing_runs:
                is_withdrawn = self.listed[key]["status"] in WITHDRAWN
                events[key] = ("MODIFIED", "delisted") if is_withdrawn else ("WITHDRAWN", "missing")
                del self.missed_on[key]
                self.closed[key] = self.listed.pop(key)
        return [(key, *events[key]) for key in sorted(events)]

    def _rekey(self, seen: Mapping[str, Fields]) -> dict[str, tuple[str, str | None]]:
        heirs = [key for key in seen if key.startswith("S|")]
        self.is_split = self.is_split or bool(heirs)
        if not heirs or "S" not in self.listed:
            return {}
        before = self.listed.pop("S")
        self.missed_on.pop("S", None)
        self.closed["S"] = before
        nearest = max(
            heirs, key=lambda key: sum(seen[key][name] == before[name] for name in before)
        )
        kind, _ = self._event_by_status(before, seen[nearest]) or ("MODIFIED", None)
        return {"S": (kind, "rekeyed"), nearest: ("NEW", "rekeyed")}

    def _event_of(self, key: str, fields: Fields) -> tuple[str, str | None] | None:
        if key in self.closed:
            return ("REAPPEARED", "returned")
        if key not in self.listed:
            return ("NEW", None)
        before = self.listed[key]
        by_status = self._event_by_status(before, fields)
        return by_status or (("MODIFIED", None) if before != fields else None)

    @staticmethod
    def _event_by_status(before: Fields, fields: Fields) -> tuple[str, str | None] | None:
        was_withdrawn, is_withdrawn = before["status"] in WITHDRAWN, fields["status"] in WITHDRAWN
        if is_withdrawn and not was_withdrawn:
            return ("WITHDRAWN", "status")
        if was_withdrawn and not is_withdrawn:
            return ("REAPPEARED", "restored")
        return None


@dataclass(frozen=True, slots=True)
class Lived:
    """One accepted read, and what the register held after it."""

    read: Read
    listed: Mapping[str, Fields]
    missing: Mapping[str, int]
    events: Sequence[tuple[str, str, str | None]]


@dataclass(slots=True)
class Life:
    """A history and its register, living the same visits."""

    diary: Diary
    register: Register = field(default_factory=Register)
    lived: list[Lived] = field(default_factory=list)
    day: int = 0
    hour: int = 6

    def visit(self, visit: Visit) -> Read:
        """Read the list once."""
        self.day += visit.days_later
        self.hour = 6 if visit.days_later else self.hour + 1
        records, is_split = self.register.key_records(visit)
        read = self.diary.read(
            *records,
            at=moment(self.day, self.hour),
            split_numbers=["S"] if is_split and visit.bearers else [],
            status=visit.status,
        )
        if visit.status is RunStatus.OK:
            events = self.register.read(records, read.run.day)
            missing = {key: len(days) for key, days in self.register.missed_on.items()}
            self.lived.append(Lived(read, dict(self.register.listed), missing, events))
        return read


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Return an opener of empty stores: each example lives its own life."""

    @contextmanager
    def open_store() -> Iterator[Store]:
        with Store(tmp_path_factory.mktemp("life") / "dmf.sqlite3") as store:
            yield store

    return open_store


def few(n_examples: int):
    """Return settings for tests on a disk: so many examples, however long each takes."""
    return settings(max_examples=n_examples, deadline=None)


@few(150)
@given(visits)
def test_each_accepted_list_leaves_the_events_that_the_register_foresees(stores, plan):
    """Missing rows, two reads a day, withdrawn and changed, back before and after, split keys."""
    with stores() as store:
        life = Life(Diary(store))
        for visit in plan:
            read = life.visit(visit)
            stored = [
                (row["natural_key"], row["event_type"], row["reason"])
                for row in store.rows(
                    "SELECT * FROM dmf_event WHERE run_id = ? ORDER BY event_id",
                    (read.run.run_id,),
                )
            ]
            assert stored == (life.lived[-1].events if visit.status is RunStatus.OK else [])
            known = known_records(store, BOARD)
            assert {
                key: record.fields for key, record in known.items() if record.is_current
            } == life.register.listed
            assert {
                key: record.n_missing_reads for key, record in known.items() if record.missing_since
            } == {key: len(days) for key, days in life.register.missed_on.items()}


@few(60)
@given(visits)
def test_replaying_the_stored_changes_gives_the_list_after_every_run(stores, plan):
    """From nothing, by the event log alone; the before values are checked on the way."""
    with stores() as store:
        life = Life(Diary(store))
        for visit in plan:
            life.visit(visit)

        state: dict[str, dict[str, object]] = {}
        last: dict[str, dict[str, object]] = {}
        for lived in life.lived:
            for row in store.rows(
                "SELECT * FROM dmf_event WHERE run_id = ? ORDER BY event_id",
                (lived.read.run.run_id,),
            ):
                key = row["natural_key"]
                fields = last.setdefault(key, dict(load_fields(row["record_json"])))
                if row["reason"] != "rekeyed":
                    for change in load_changes(row["changes_json"]):
                        assert fields[change.field] == change.before
                        fields[change.field] = change.after
                state[key] = fields
                is_gone = row["reason"] in {"missing", "delisted"}
                if is_gone or (row["reason"] == "rekeyed" and row["event_type"] != "NEW"):
                    del state[key]
            assert state == lived.listed


@few(60)
@given(visits)
def test_the_list_of_any_day_less_what_was_missing_is_the_list_that_was_read(stores, plan):
    with stores() as store:
        life = Life(Diary(store))
        for visit in plan:
            life.visit(visit)

        for lived in life.lived:
            versions = list_as_of(store, BOARD, lived.read.run.started_at)
            present = {
                version.key: version.fields for version in versions if not version.missing_since
            }
            snapshot: Snapshot = lived.read.snapshot
            assert present == {key: record.fields for key, record in snapshot.records.items()}
            assert {
                version.key: version.n_missing_reads
                for version in versions
                if version.missing_since
            } == lived.missing


@few(60)
@given(visits)
def test_versions_of_a_key_follow_each_other_and_differ(stores, plan):
    with stores() as store:
        life = Life(Diary(store))
        for visit in plan:
            life.visit(visit)

        by_key: dict[str, list[tuple[str, str | None, str]]] = {}
        for row in store.rows("SELECT * FROM dmf_record ORDER BY sk"):
            by_key.setdefault(row["natural_key"], []).append(
                (row["valid_from"], row["valid_to"], row["payload_json"])
            )
        for versions in by_key.values():
            for (start, end, fields), (next_start, _, next_fields) in pairwise(versions):
                assert end is not None
                assert start < end <= next_start
                assert end < next_start or fields != next_fields
            assert sum(end is None for _, end, _ in versions) <= 1
        assert all(check.ok for check in verify_history(store))


@few(60)
@given(visits)
def test_the_same_list_once_more_changes_nothing(stores, plan):
    with stores() as store:
        life = Life(Diary(store))
        for visit in (*plan, replace(plan[-1], status=RunStatus.OK)):
            life.visit(visit)
        tables = ("dmf_event", "missing_spell", "split_number")
        before = content(store, tables)
        versions = store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record")

        life.visit(replace(plan[-1], status=RunStatus.OK, days_later=0))

        assert content(store, tables) == before
        same = store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record")
        assert same == versions


@few(60)
@given(visits, visits)
def test_runs_that_are_not_accepted_change_nothing_but_their_own_lines(stores, plan, refused):
    with stores() as store:
        life = Life(Diary(store))
        for visit in plan:
            life.visit(visit)
        before = content(store, UNTOUCHED)

        for visit in refused:
            life.visit(replace(visit, status=RunStatus.HELD))

        assert content(store, UNTOUCHED) == before


@few(60)
@given(visits)
def test_every_open_version_names_the_last_run_that_saw_it(stores, plan):
    with stores() as store:
        life = Life(Diary(store))
        seen: dict[str, str] = {}
        for visit in plan:
            read = life.visit(visit)
            if visit.status is RunStatus.OK:
                seen |= dict.fromkeys(read.snapshot.records, read.run.run_id)

        for row in store.rows("SELECT * FROM dmf_record WHERE is_current = 1"):
            assert row["last_seen_run"] == seen[row["natural_key"]]
