"""The laws of the history (docs/data_model.md, laws), each over random lists and days.

| law | test |
|---|---|
| 1 | `test_a_list_does_not_differ_from_itself` |
| 2 | `test_the_stored_changes_lead_from_a_list_to_the_next` |
| 3 | `test_the_order_of_rows_changes_neither_the_changes_nor_their_order` |
| 4 | `test_the_way_back_undoes_the_way_there` |
| 5 | `test_each_accepted_list_leaves_one_event_a_key_as_foreseen` |
| 6 | `test_replaying_the_events_gives_the_list_after_every_run` |
| 7 | `test_versions_of_a_key_follow_each_other_and_differ`, |
| | `test_the_list_of_any_moment_less_what_was_missing_is_the_list_that_was_read` |
| 8 | `test_the_same_list_once_more_changes_nothing`, |
| | `test_a_run_cut_short_at_any_statement_changes_nothing_and_can_be_repeated` |
| 9 | `test_the_changes_of_two_days_lead_to_the_second` |
| 10 | `test_a_duplicate_never_loses_a_row` |
| 11 | `test_every_difference_of_any_column_is_recorded` |
| 12 | `test_numbers_that_are_typed_differently_alone_are_one_number` |
| 13 | `test_runs_that_are_not_accepted_change_nothing_but_their_own_lines` |
| 14 | `test_a_record_that_is_back_in_time_leaves_no_event` |
| 15 | `test_withdrawn_and_changed_in_one_step_keeps_both` |
| 16 | `test_kept_pages_read_again_give_the_list_that_they_showed` |
| 17 | tests/test_pieces.py: the pieces of a value put into it give the value after |
| 18–20 | `test_versions_of_a_key_follow_each_other_and_differ` (by `verify`) and |
| | tests/persist/test_verification.py |

What is to come out is told by `Reference`. A failing example is printed with the line that
repeats it (`reproduce_failure`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.extract.dedup import merge_export, merge_pages
from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.change import Grade
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.record import Fields, PageTable, Record, Snapshot
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.persist.diff import diff_snapshot, find_field_changes
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.recording import known_records, load_changes, load_fields
from dmf_crawler.persist.runs import begin_run, end_abandoned_runs, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from dmf_crawler.reparse import day_read
from dmf_crawler.text import canonical, key_form
from tests.extract.pages import a_table, html_page, some_fields, some_selectors
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
from tests.persist.reference_model import SHARED, Day, Happened, Reference

DAY = date(2026, 12, 1)
UNTOUCHED = tuple(table for table in TABLES if table not in {"crawl_run", "gate_result"})

companies = st.sampled_from(["(주)가", "㈜ 가", "나", ""])
statuses = st.sampled_from(["정상", "정상", "취하", "취소"])
makers = st.sampled_from([(), ("x",), ("x", "x"), ("y", "x")])
some_values = st.fixed_dictionaries(
    {"company": companies, "status": statuses, "maker_names": makers}
)
listings = st.fixed_dictionaries(
    dict.fromkeys("ABC", st.one_of(st.none(), some_values, some_values))
).map(lambda listing: {key: values for key, values in listing.items() if values is not None})


def few(n_examples: int) -> Any:
    """Return settings for tests on a disk: so many examples, however long each takes."""
    return settings(max_examples=n_examples, deadline=None, print_blob=True)


def records_of(listing: Mapping[str, Fields]) -> list[Record]:
    return [a_record(key, **fields) for key, fields in listing.items()]


def compare(before: Mapping[str, Fields], after: Mapping[str, Fields]):
    """Return the difference of two lists."""
    known = known_from(*records_of(before))
    return diff_snapshot(known, a_snapshot(*records_of(after)), day=DAY, rules=RULES)


def put_into(state: dict[str, dict[str, object]], changes) -> None:
    """Put changes into a list; each must say what stood there before."""
    for change in changes:
        fields = state.setdefault(change.key, dict(change.after.fields))
        for one in change.changes:
            assert fields[one.field] == one.before
            fields[one.field] = one.after


def values_of(records: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    return {key: dict(record.fields) for key, record in records.items()}


# --- two lists -----------------------------------------------------------------------------------


@given(listings)
def test_a_list_does_not_differ_from_itself(listing):
    change_set = compare(listing, listing)

    assert (change_set.changes, change_set.missing, change_set.backfilled) == ((), (), ())


@given(listings, listings, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_neither_the_changes_nor_their_order(before, after, random):
    change_set = compare(before, after)

    def shuffle(listing: Mapping[str, Fields]) -> dict[str, Fields]:
        return dict(random.sample(list(listing.items()), len(listing)))

    assert compare(shuffle(before), shuffle(after)) == change_set
    keys = [change.key for change in change_set.changes]
    assert keys == sorted(set(keys))
    assert list(change_set.missing) == sorted(change_set.missing)


@given(listings, listings)
def test_the_way_back_undoes_the_way_there(before, after):
    there, back = compare(before, after), compare(after, before)

    assert {
        (change.key, one.field, one.before, one.after, one.grade)
        for change in there.changes
        for one in change.changes
    } == {
        (change.key, one.field, one.after, one.before, one.grade)
        for change in back.changes
        for one in change.changes
    }
    assert set(there.missing) == {change.key for change in back.changes if change.key not in after}
    assert set(back.missing) == {change.key for change in there.changes if change.key not in before}


@given(listings, listings, listings)
def test_the_changes_of_two_days_lead_to_the_second(first, second, third):
    state = values_of(known_from(*records_of(first)))

    for before, after in ((first, second), (second, third)):
        change_set = compare(before, after)
        put_into(state, change_set.changes)
        for key in change_set.missing:
            del state[key]

    assert state == values_of(known_from(*records_of(third)))


texts = st.text("가나 ㈜(주).10²", max_size=6)
values = st.one_of(texts, st.lists(texts, max_size=3).map(tuple))
all_fields = st.fixed_dictionaries(dict.fromkeys(KINDS, values))


@given(all_fields, all_fields)
def test_every_difference_of_any_column_is_recorded(before, after):
    """Whatever its kind; what is typed differently alone is cosmetic, and nothing else is."""
    changes = {change.field: change for change in find_field_changes(before, after, KINDS)}

    assert changes.keys() == {name for name in KINDS if before[name] != after[name]}
    for name, change in changes.items():
        assert (change.before, change.after) == (before[name], after[name])
        assert change.grade is not Grade.SAME
        if isinstance(before[name], str) and isinstance(after[name], str):
            is_typing = canonical(before[name]) == canonical(after[name])
            assert (change.grade is Grade.COSMETIC) == is_typing


@given(all_fields, st.sampled_from(["취하", "취소", "취 하"]))
def test_withdrawn_and_changed_in_one_step_keeps_both(fields, status):
    before = a_record("A")
    after = a_record("A", **fields | {"status": status})

    (change,) = diff_snapshot(known_from(before), a_snapshot(after), day=DAY, rules=RULES).changes

    assert (change.kind, change.reason) == ("WITHDRAWN", "status")
    assert {one.field: one.after for one in change.changes} == {
        name: value for name, value in after.fields.items() if before.fields[name] != value
    }


# --- one read ------------------------------------------------------------------------------------

SELECTORS = some_selectors()
numbers = st.sampled_from(["211-J", "２１１-j", "21 1-J ", "211-K", "211-k", ""])
rows = st.lists(
    st.builds(
        lambda number, company, day: some_fields(
            reg_no=number, company=company, registered_on=f"2026-09-0{day}"
        ),
        numbers,
        st.sampled_from(["가", "나", "가 "]),
        st.integers(1, 2),
    ),
    min_size=1,
    max_size=6,
)


def merge(listing: Sequence[Fields], split: frozenset[str] = frozenset()):
    """Give the rows of a list their keys, or say why that cannot be."""
    table = a_table(listing, total=len(listing))
    return merge_export(table, SELECTORS, announced_total=len(listing), split_numbers=split)


@given(rows, st.sampled_from([frozenset(), frozenset({"211-J"})]))
def test_a_duplicate_never_loses_a_row(listing, split):
    """Rows that agree in number, applicant and first date refuse the day; others get keys."""
    identities = {
        tuple(key_form(str(row[name])) for name in ("reg_no", "company", "registered_on"))
        for row in listing
    }

    merged = merge(listing, split)

    if len(identities) < len(listing):
        assert merged.code == "duplicate_rows"
    else:
        assert [record.fields for record in merged.records.values()] == listing


@given(numbers.filter(bool), numbers.filter(bool))
def test_numbers_that_are_typed_differently_alone_are_one_number(first, second):
    one, other = some_fields(reg_no=first), some_fields(reg_no=second, company="다른 신청인")

    merged = merge([one, other])

    assert isinstance(merged, Snapshot)
    is_one = key_form(first) == key_form(second)
    assert merged.split_numbers == ((key_form(first),) if is_one else ())
    assert [key.split("|")[0] for key in merged.records] == [key_form(first), key_form(second)]
    assert all(("|" in key) == is_one for key in merged.records)


texts_on_a_page = (
    st.text("가나 제약㈜(주)10²&<'", min_size=1, max_size=8).map(str.strip).filter(bool)
)


@few(20)
@given(st.lists(st.tuples(texts_on_a_page, st.lists(texts_on_a_page, max_size=3)), min_size=1))
def test_kept_pages_read_again_give_the_list_that_they_showed(tmp_path_factory, shown):
    """From the raw store, twice: what is read is what the page was written from."""
    written = [
        some_fields(number, company=company, maker_names=tuple(makers))
        for number, (company, makers) in enumerate(shown)
    ]
    raw_store, run = RawStore(tmp_path_factory.mktemp("raw")), a_run()
    raw_store.put(run, a_fetched_page(html_page(written)))

    for _ in range(2):
        (page,) = raw_store.pages(raw_store.folder(run))
        table = read_page(page, SELECTORS)
        assert isinstance(table, PageTable), table
        snapshot = merge_pages([table], table, SELECTORS)
        assert isinstance(snapshot, Snapshot), snapshot
        assert [record.fields for record in snapshot.records.values()] == written


def a_run() -> Run:
    return Run("20261201T060000-dmf_registry", BOARD, moment(1), DAY)


def a_fetched_page(html: str) -> FetchedPage:
    return FetchedPage(
        request=PageRequest("http://127.0.0.1:8000/list", "list"),
        url="http://127.0.0.1:8000/list",
        status=200,
        headers=(("Content-Type", "text/html;charset=UTF-8"),),
        body=html.encode(),
        fetched_at=moment(1),
        elapsed_s=0.1,
        request_headers=(),
    )


# --- a life of days ------------------------------------------------------------------------------

KILLED = RunStatus.RUNNING
REFUSALS = (RunStatus.HELD, RunStatus.REJECTED, RunStatus.FAILED, KILLED)


@dataclass(frozen=True, slots=True)
class Visit:
    """One run: how long after the one before, what the list showed, what became of it.

    So many records bear the number S; from the second one on each needs a key of its own. A
    correction reads the pages of the run before again, on the day of these.
    """

    days_later: int
    listing: Mapping[str, Fields]
    bearers: Sequence[Fields] = ()
    status: RunStatus = RunStatus.OK
    is_correction: bool = False


visits = st.builds(
    Visit,
    days_later=st.sampled_from([1, 1, 1, 2, 0]),
    listing=listings,
    bearers=st.lists(some_values, max_size=2),
    status=st.sampled_from([RunStatus.OK] * 6 + [*REFUSALS]),
    is_correction=st.sampled_from([False] * 5 + [True]),
)


def expand(stays: Sequence[tuple[Visit, int]]) -> list[Visit]:
    """Return the visits, the list standing still for a while after each."""
    plan: list[Visit] = []
    for visit, n_days in stays:
        still = replace(visit, days_later=1, status=RunStatus.OK, is_correction=False)
        plan += [visit, *[still] * (n_days - 1)]
    return plan


plans = st.lists(st.tuples(visits, st.sampled_from([1, 1, 1, 2, 4])), min_size=2, max_size=6).map(
    expand
)


@dataclass(frozen=True, slots=True)
class Lived:
    """One accepted read, and what the reference says after it."""

    read: Read
    listed: Mapping[str, Fields]
    missing: Mapping[str, int]
    events: Sequence[Happened]


@dataclass(slots=True)
class Life:
    """A history and its reference, living the same visits."""

    store: Store
    reference: Reference = field(default_factory=Reference)
    lived: list[Lived] = field(default_factory=list)
    day: int = 0
    hour: int = 6
    is_split: bool = False
    last: Read | None = None

    def live(self, plan: Sequence[Visit]) -> Life:
        for visit in plan:
            self.visit(visit)
        return self

    def visit(self, visit: Visit) -> Read | None:
        """Read the list once; None where the run was killed."""
        self.day += visit.days_later
        self.hour = 6 if visit.days_later else self.hour + 1
        at = moment(self.day, self.hour)
        end_abandoned_runs(self.store, at)
        if visit.status is KILLED:
            begin_run(self.store, BOARD, at, selector_version=1)
            return None
        correct = self._find_corrected() if visit.is_correction else None
        records, split_numbers = self.key_records(visit)
        read = Diary(self.store).read(
            *records, at=at, split_numbers=split_numbers, status=visit.status, correct=correct
        )
        if visit.status in {RunStatus.OK, RunStatus.REJECTED}:
            self.last = read
        if visit.status is RunStatus.OK:
            self.accept(read)
        return read

    def accept(self, read: Read) -> None:
        """Tell the reference of an accepted read."""
        self.is_split = self.is_split or bool(read.snapshot.split_numbers)
        listed = {key: record.fields for key, record in read.snapshot.records.items()}
        self.reference.days.append(Day(read.run.day, listed))
        told = self.reference
        self.lived.append(Lived(read, told.listed(), told.missing(), told.events()))

    def key_records(self, visit: Visit) -> tuple[list[Record], list[str]]:
        """Return what the list showed, by key, and the numbers that no longer tell a record.

        The list is never empty: that would be a fault, not a list.
        """
        is_split = self.is_split or len(visit.bearers) > 1
        bearers = [
            a_record(f"{SHARED}|{number}" if is_split else SHARED, **fields)
            for number, fields in enumerate(visit.bearers)
        ]
        split_numbers = [SHARED] if is_split and bearers else []
        return [a_record("Z"), *records_of(visit.listing), *bearers], split_numbers

    def _find_corrected(self) -> RunRow | None:
        """Return the last run that read a list, with the day of its pages; None before it."""
        if self.last is None:
            return None
        row = get_run(self.store, self.last.run.run_id)
        return replace(row, run=replace(row.run, day=day_read(row)))

    def events_of(self, read: Read) -> list[Any]:
        return self.store.rows(
            "SELECT * FROM dmf_event WHERE run_id = ? ORDER BY event_id", (read.run.run_id,)
        )


@pytest.fixture(scope="module")
def empty_history(tmp_path_factory):
    """Return the file of a history without a run, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "dmf.sqlite3"
    Store(path).close()
    return path


@pytest.fixture(scope="module")
def stores(tmp_path_factory, empty_history):
    """Return an opener of empty histories: each example lives its own life."""

    @contextmanager
    def open_store(make: type[Store] = Store) -> Iterator[Any]:
        path = Path(shutil.copy(empty_history, tmp_path_factory.mktemp("life") / "dmf.sqlite3"))
        with make(path) as store:
            yield store

    return open_store


@few(100)
@given(plans)
def test_each_accepted_list_leaves_one_event_a_key_as_foreseen(stores, plan):
    """Missing, back before and after, withdrawn, twice a day, split keys, corrections."""
    with stores() as store:
        life = Life(store)
        for visit in plan:
            n_before = len(life.reference.listed())
            read = life.visit(visit)
            if read is None or visit.status is not RunStatus.OK:
                continue
            rows = life.events_of(read)
            assert [tell_stored(row) for row in rows] == life.lived[-1].events
            known = known_records(store, BOARD)
            in_force = {key: each.fields for key, each in known.items() if each.is_current}
            assert in_force == life.lived[-1].listed
            assert {
                key: each.n_missing_reads for key, each in known.items() if each.missing_since
            } == life.lived[-1].missing
            n_come = sum(opens(row) for row in rows)
            assert len(in_force) == n_before + n_come - sum(closes(row) for row in rows)


def tell_stored(row: Any) -> Happened:
    changes = {
        change.field: (change.before, change.after) for change in load_changes(row["changes_json"])
    }
    return Happened(row["natural_key"], row["event_type"], row["reason"], changes)


def opens(row: Any) -> bool:
    return bool(row["event_type"] == "NEW" or row["reason"] == "returned")


def closes(row: Any) -> bool:
    is_old_key = row["reason"] == "rekeyed" and row["event_type"] != "NEW"
    return is_old_key or row["reason"] in {"missing", "delisted"}


@few(50)
@given(plans)
def test_replaying_the_events_gives_the_list_after_every_run(stores, plan):
    """From nothing, by the event log alone; the values before are checked on the way."""
    with stores() as store:
        life = Life(store).live(plan)

        state: dict[str, dict[str, object]] = {}
        last: dict[str, dict[str, object]] = {}
        for lived in life.lived:
            for row in life.events_of(lived.read):
                key = row["natural_key"]
                fields = last.setdefault(key, dict(load_fields(row["record_json"])))
                if row["reason"] != "rekeyed":  # leads to the record under the new key
                    for change in load_changes(row["changes_json"]):
                        assert fields[change.field] == change.before
                        fields[change.field] = change.after
                state[key] = fields
                if closes(row):
                    del state[key]
            assert state == lived.listed


@given(listings, listings)
@few(50)
def test_the_stored_changes_lead_from_a_list_to_the_next(stores, before, after):
    """By what the history has of them; four more reads withdraw what is gone."""
    with stores() as store:
        life = Life(store).live([Visit(1, before), *[Visit(1, after)] * 4])

        state: dict[str, dict[str, object]] = {
            key: dict(fields) for key, fields in life.lived[0].listed.items()
        }
        for lived in life.lived[1:]:
            for row in life.events_of(lived.read):
                fields = state.setdefault(row["natural_key"], dict(load_fields(row["record_json"])))
                for change in load_changes(row["changes_json"]):
                    assert fields[change.field] == change.before
                    fields[change.field] = change.after
                if closes(row):
                    del state[row["natural_key"]]
        assert state == values_of(life.lived[-1].read.snapshot.records)


@few(50)
@given(plans)
def test_the_list_of_any_moment_less_what_was_missing_is_the_list_that_was_read(stores, plan):
    """At the start of each accepted run, and until the next one."""
    with stores() as store:
        life = Life(store).live(plan)

        ends = [lived.read.run.started_at for lived in life.lived[1:]]
        for lived, end in zip(life.lived, [*ends, moment(99)], strict=False):
            for at in (lived.read.run.started_at, end - timedelta(seconds=1)):
                versions = list_as_of(store, BOARD, at)
                present = {each.key: each.fields for each in versions if not each.missing_since}
                assert present == values_of(lived.read.snapshot.records)
                missing = {each.key: each.n_missing_reads for each in versions}
                assert {key: n for key, n in missing.items() if n} == lived.missing


@few(50)
@given(plans)
def test_versions_of_a_key_follow_each_other_and_differ(stores, plan):
    with stores() as store:
        Life(store).live(plan)

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


@few(40)
@given(plans)
def test_the_same_list_once_more_changes_nothing(stores, plan):
    again = replace(plan[-1], status=RunStatus.OK, days_later=0, is_correction=False)
    with stores() as store:
        life = Life(store).live([*plan, again])
        tables = ("dmf_event", "missing_spell", "split_number")
        before = content(store, tables)
        versions = store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record")

        life.visit(again)

        assert content(store, tables) == before
        same = store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record")
        assert same == versions


class PowerFailureError(Exception):
    """The power fails."""


class CutStore(Store):
    """A history whose power fails before the n-th statement from now; None for never."""

    n_left: int | None = None

    def execute(self, *arguments: Any) -> Any:
        self._count()
        return super().execute(*arguments)

    def execute_many(self, *arguments: Any) -> None:
        self._count()
        super().execute_many(*arguments)

    def _count(self) -> None:
        if self.n_left is not None:
            if not self.n_left:
                raise PowerFailureError
            self.n_left -= 1


@few(40)
@given(plans, visits, st.integers(0, 30))
def test_a_run_cut_short_at_any_statement_changes_nothing_and_can_be_repeated(
    stores, plan, visit, n_statements
):
    visit = replace(visit, status=RunStatus.OK, is_correction=False)
    with stores(CutStore) as store:
        life = Life(store).live(plan)
        before = content(store, UNTOUCHED)

        store.n_left = n_statements
        try:
            life.visit(visit)
        except PowerFailureError:
            store.n_left = None
            assert content(store, UNTOUCHED) == before
            life.visit(replace(visit, days_later=0))
        store.n_left = None

        read = life.lived[-1].read
        assert [tell_stored(row) for row in life.events_of(read)] == life.lived[-1].events
        assert all(check.ok for check in verify_history(store))


@few(25)
@given(plans, st.lists(visits, min_size=1, max_size=3), st.sampled_from(REFUSALS))
def test_runs_that_are_not_accepted_change_nothing_but_their_own_lines(
    stores, plan, refused, status
):
    with stores() as store:
        life = Life(store).live(plan)
        before = content(store, UNTOUCHED)

        life.live([replace(visit, status=status) for visit in refused])

        assert content(store, UNTOUCHED) == before


others = listings.map(lambda listing: {key: listing[key] for key in listing if key != "A"})


@few(40)
@given(st.lists(st.tuples(others, st.sampled_from([0, 1, 1, 2])), max_size=6), some_values)
def test_a_record_that_is_back_in_time_leaves_no_event(stores, absences, fields):
    """Absent from reads of up to three days, whatever else the list does: as if it had stayed."""
    present = Visit(1, {"A": fields})
    without = [Visit(days_later, listing) for listing, days_later in absences]
    with stores() as store:
        life = Life(store).live([present, *without, present])

        n_days = len({lived.read.run.day for lived in life.lived[1:-1]})
        rows = store.rows("SELECT * FROM dmf_event WHERE natural_key = 'A' ORDER BY event_id")
        told = [(row["event_type"], row["reason"]) for row in rows]
        assert told[0] == ("NEW", None)
        gone = [("MODIFIED", "delisted") if is_withdrawn(fields) else ("WITHDRAWN", "missing")]
        assert told[1:] == ([*gone, ("REAPPEARED", "returned")] if n_days >= 4 else [])


def is_withdrawn(fields: Fields) -> bool:
    return fields["status"] in {"취하", "취소"}


@few(40)
@given(plans)
def test_every_open_version_names_the_last_run_that_saw_it(stores, plan):
    with stores() as store:
        life = Life(store).live(plan)

        seen: dict[str, str] = {}
        for lived in life.lived:
            seen |= dict.fromkeys(lived.read.snapshot.records, lived.read.run.run_id)
        for row in store.rows("SELECT * FROM dmf_record WHERE is_current = 1"):
            assert row["last_seen_run"] == seen[row["natural_key"]]
