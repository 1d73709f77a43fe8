"""Histories that are read from a source which lacks columns and lists no withdrawn records."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from dmf_crawler.model.change import EventType, KnownRecord, Reason
from dmf_crawler.model.record import Record, Snapshot, Value
from dmf_crawler.persist.completion import complete_records
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.recording import known_records, load_fields
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import (
    BOARD,
    KINDS,
    RULES,
    Diary,
    Read,
    a_record,
    a_snapshot,
    known_from,
    moment,
    values,
)

LIVE_ONLY = replace(RULES, lists_withdrawn=False)
LACKS = ("status",)


@pytest.fixture
def diary(tmp_path) -> Iterator[Diary]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield Diary(store)


def by_api(*records: Record) -> Snapshot:
    """Return what the open API says of a list: live records, fewer columns, makers in one text."""
    return a_snapshot(*(_of_api(each) for each in records if each.fields["status"] == "정상"))


def _of_api(record: Record) -> Record:
    fields: dict[str, Value] = {
        name: (",".join(value),) if isinstance(value, tuple) and value else value
        for name, value in record.fields.items()
        if name not in LACKS
    }
    return replace(record, fields=fields)


def read_api(diary: Diary, *records: Record, day: int) -> Read:
    known = known_records(diary.store, BOARD)
    completed = complete_records(by_api(*records), known, KINDS)
    return diary.take(completed, at=moment(day), rules=LIVE_ONLY)


def stored(diary: Diary) -> dict[str, Mapping[str, Value]]:
    rows = diary.store.rows("SELECT natural_key, payload_json FROM dmf_record WHERE is_current = 1")
    return {row["natural_key"]: load_fields(row["payload_json"]) for row in rows}


def kinds(read: Read) -> list[tuple[str, EventType]]:
    return [(change.key, change.kind) for change in read.change_set.changes]


def assert_sound(diary: Diary) -> None:
    assert [check for check in verify_history(diary.store) if not check.ok] == []


LIST = (a_record("A"), a_record("B", status="취하"), a_record("C", maker_names=("Bayer AG",)))


def test_another_source_of_the_same_list_makes_no_event(diary):
    diary.read(*LIST, at=moment(0))
    there, back = read_api(diary, *LIST, day=1), diary.read(*LIST, at=moment(2))
    assert kinds(there) == kinds(back) == []
    assert stored(diary) == {record.key: record.fields for record in LIST}
    assert_sound(diary)


def test_a_withdrawn_record_that_the_source_cannot_list_is_neither_missing_nor_gone(diary):
    diary.read(*LIST, at=moment(0))
    for day in range(1, 8):
        read = read_api(diary, *LIST, day=day)
        assert (read.change_set.missing, read.change_set.unlisted) == ((), ("B",))
    assert (
        values(diary.store, "SELECT n_unlisted FROM crawl_run ORDER BY started_at") == [0] + [1] * 7
    )
    seen = values(diary.store, "SELECT last_seen_run FROM dmf_record WHERE natural_key = 'B'")
    assert seen == ["20261130T060000-dmf_registry"]
    assert_sound(diary)


def test_a_live_record_that_the_source_does_not_list_is_missing(diary):
    diary.read(*LIST, at=moment(0))
    reads = [read_api(diary, *LIST[1:], day=day) for day in range(1, 5)]
    assert [read.change_set.missing for read in reads] == [("A",)] * 3 + [()]
    ((change),) = reads[-1].change_set.changes
    assert (change.key, change.kind, change.reason) == ("A", EventType.WITHDRAWN, Reason.MISSING)
    assert_sound(diary)


def test_reads_that_cannot_list_a_record_end_its_spell(diary):
    """Only consistent reads in a row withdraw: what cannot be seen is no evidence."""
    diary.read(*LIST, at=moment(0))
    diary.read(LIST[0], LIST[2], at=moment(1))
    diary.read(LIST[0], LIST[2], at=moment(2))
    read_api(diary, *LIST, day=3)
    again = diary.read(LIST[0], LIST[2], at=moment(4))
    assert again.change_set.missing == ("B",)
    spells = [
        tuple(row)
        for row in diary.store.rows(
            "SELECT n_reads, ended_as, ended_run IS NULL FROM missing_spell"
        )
    ]
    assert spells == [(2, None, 0), (1, None, 1)]
    assert_sound(diary)


def test_a_change_keeps_in_its_event_and_version_what_the_source_lacks(diary):
    diary.read(*LIST, at=moment(0))
    renamed = a_record("A", company="국전약품(주)")
    read = read_api(diary, renamed, *LIST[1:], day=1)
    ((change),) = read.change_set.changes
    assert [each.field for each in change.changes] == ["company"]
    assert stored(diary)["A"] == renamed.fields
    assert_sound(diary)


def test_a_record_that_is_new_there_is_filled_in_by_the_next_whole_source(diary):
    diary.read(*LIST, at=moment(0))
    new = a_record("D")
    read_api(diary, new, *LIST, day=1)
    assert "status" not in stored(diary)["D"]
    assert values(diary.store, "SELECT is_joined FROM dmf_record WHERE natural_key = 'D'") == [1]
    back = diary.read(new, *LIST, at=moment(2))
    assert kinds(back) == []
    assert stored(diary)["D"] == new.fields
    assert values(diary.store, "SELECT is_joined FROM dmf_record WHERE natural_key = 'D'") == [0]
    assert_sound(diary)


def test_makers_that_changed_there_are_put_in_one_by_one_by_the_next_whole_source(diary):
    diary.read(*LIST, at=moment(0))
    moved = a_record("A", maker_names=("Bayer AG", "Hetero Drugs Limited, Unit-II"))
    ((change),) = read_api(diary, moved, *LIST[1:], day=1).change_set.changes
    assert change.changes[0].after == ("Bayer AG,Hetero Drugs Limited, Unit-II",)
    assert kinds(diary.read(moved, *LIST[1:], at=moment(2))) == []
    assert stored(diary)["A"] == moved.fields
    merged = a_record("A", maker_names=("Bayer AG,Hetero Drugs Limited, Unit-II",))
    assert kinds(diary.read(merged, *LIST[1:], at=moment(3))) == [("A", EventType.MODIFIED)], (
        "between two reads of pages every difference counts"
    )
    assert_sound(diary)


def test_a_change_on_the_day_of_the_return_has_no_change_of_form_in_it(diary):
    diary.read(*LIST, at=moment(0))
    new = a_record("D")
    read_api(diary, new, *LIST, day=1)
    renamed = a_record("D", company="국전약품(주)")
    ((change),) = diary.read(renamed, *LIST, at=moment(2)).change_set.changes
    assert [each.field for each in change.changes] == ["company"]
    assert stored(diary)["D"] == renamed.fields
    assert_sound(diary)


def test_a_record_that_comes_back_there_has_what_was_known_of_it(diary):
    diary.read(*LIST, at=moment(0))
    for day in range(1, 5):
        diary.read(*LIST[1:], at=moment(day))
    read = read_api(diary, *LIST, day=5)
    assert kinds(read) == [("A", EventType.REAPPEARED)]
    assert stored(diary)["A"] == LIST[0].fields
    assert_sound(diary)


def test_a_number_shared_with_a_withdrawn_record_goes_on_under_its_own_key():
    known = known_from(a_record("A|갑|2026", status="취하"), a_record("A|을|2026"))
    snapshot = a_snapshot(a_record("A|병|2026"), split_numbers=["A"])
    change_set = diff_snapshot(known, snapshot, day=moment(1).date(), rules=LIVE_ONLY)
    assert change_set.unlisted == ("A|갑|2026",)
    assert {change.key: change.reason for change in change_set.changes} == {
        "A|을|2026": Reason.REKEYED,
        "A|병|2026": Reason.REKEYED,
    }


@dataclass(frozen=True)
class World:
    """A list that lives at random, and what may be said of it."""

    rng: random.Random

    def live(self, records: Sequence[Record]) -> list[Record]:
        """Change a few records, add one now and then, withdraw one."""
        lived = [self._change(record) if self.rng.random() < 0.2 else record for record in records]
        if self.rng.random() < 0.5:
            lived.append(a_record(f"N{self.rng.randrange(10**9)}", maker_names=self._makers()))
        return lived

    def _change(self, record: Record) -> Record:
        name = self.rng.choice(["company", "maker_names", "status"])
        choices: dict[str, Value] = {
            "company": f"회사{self.rng.randrange(9)}",
            "maker_names": self._makers(),
            "status": self.rng.choice(["정상", "취하"]),
        }
        return replace(record, fields={**record.fields, name: choices[name]})

    def _makers(self) -> tuple[str, ...]:
        names = ["Bayer AG", "Roche, Inc", "Hetero", "A,B"]
        return tuple(self.rng.choices(names, k=self.rng.randrange(4)))


@pytest.mark.parametrize("seed", range(8))
def test_after_days_of_any_source_the_pages_have_the_last_word(tmp_path, seed):
    """The list ends up as the pages show it, and the history verifies, whatever was read before."""
    print(seed)
    world, records = World(random.Random(seed)), [a_record(f"R{number}") for number in range(8)]
    with Store(tmp_path / "dmf.sqlite3") as store:
        diary = Diary(store)
        diary.read(*records, at=moment(0))
        for day in range(1, 12):
            records = world.live(records)
            if world.rng.random() < 0.6:
                read_api(diary, *records, day=day)
            else:
                diary.read(*records, at=moment(day))
        last = diary.read(*records, at=moment(12))
        assert stored(diary) == {record.key: record.fields for record in records}
        assert last.change_set.missing == ()
        assert kinds(diary.read(*records, at=moment(13))) == []
        assert_sound(diary)


def test_what_no_source_joined_is_compared_letter_by_letter():
    """Without a read of the open API nothing is lenient."""
    known = {"A": KnownRecord("A", a_record("A", maker_names=("A,B",)).fields, is_current=True)}
    read = a_snapshot(a_record("A", maker_names=("A", "B")))
    change_set = diff_snapshot(known, read, day=moment(1).date(), rules=RULES)
    assert [change.kind for change in change_set.changes] == [EventType.MODIFIED]
