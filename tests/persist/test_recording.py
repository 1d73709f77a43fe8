from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.judge.features import add_counts, measure_columns
from dmf_crawler.model.change import Counts, EventType, FieldChange, Grade, KnownRecord, Reason
from dmf_crawler.model.record import FieldKind, Record, Value
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.past import read_past
from dmf_crawler.persist.recording import (
    Acceptance,
    dump_changes,
    dump_fields,
    known_records,
    load_changes,
    load_fields,
    record_accepted,
    split_numbers,
)
from dmf_crawler.persist.runs import begin_run, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import (
    BOARD,
    DIGEST,
    KINDS,
    PAGE_URL,
    RULES,
    TABLES,
    Diary,
    a_record,
    a_snapshot,
    accept,
    content,
    moment,
    summarise,
    values,
)

ROOT = Path(__file__).parents[2]
HISTORY = tuple(table for table in TABLES if table not in {"crawl_run", "gate_result"})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


@pytest.fixture
def diary(store: Store) -> Diary:
    return Diary(store)


def event_words(store: Store) -> list[tuple[str, str, str | None]]:
    """Return key, type and reason of all events in their order."""
    rows = store.rows("SELECT natural_key, event_type, reason FROM dmf_event ORDER BY event_id")
    return [(row[0], row[1], row[2]) for row in rows]


def events_after_baseline(store: Store) -> list[tuple[str, str, str | None]]:
    rows = store.rows(
        "SELECT natural_key, event_type, reason FROM dmf_event JOIN crawl_run USING (run_id)"
        " WHERE is_baseline = 0 ORDER BY event_id"
    )
    return [(row[0], row[1], row[2]) for row in rows]


# --- values ------------------------------------------------------------------------------------


def test_values_are_read_as_they_were_written():
    fields: dict[str, Value] = {"b": "가\u0000나\n'\"", "a": ("x", ""), "c": (), "d": ""}

    assert load_fields(dump_fields(fields)) == fields
    assert list(load_fields(dump_fields(fields))) == ["b", "a", "c", "d"]


def test_changes_are_read_as_they_were_written():
    changes = (
        FieldChange("maker_names", ("x",), ("x", "y"), FieldKind.NAME, Grade.SUBSTANTIVE),
        FieldChange("note", "", "가", FieldKind.TEXT, Grade.MAJOR),
    )

    assert load_changes(dump_changes(changes)) == changes
    assert json.loads(dump_changes(changes))[0] == {
        "field": "maker_names",
        "before": ["x"],
        "after": ["x", "y"],
        "kind": "name",
        "grade": "substantive",
    }


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '"x"'])
def test_values_that_cannot_be_read_are_named(text):
    with pytest.raises(StoreError) as refused:
        load_fields(text)

    assert refused.value.code == "record_unreadable"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "[7]",
        "[{}]",
        '[{"field": "a", "before": "", "after": "", "kind": "?", "grade": "major"}]',
    ],
)
def test_changes_that_cannot_be_read_are_named(text):
    with pytest.raises(StoreError) as refused:
        load_changes(text)

    assert refused.value.code == "record_unreadable"


# --- the baseline ------------------------------------------------------------------------------


def test_the_first_accepted_run_is_the_baseline(store, diary):
    run = diary.read(a_record("B"), a_record("A", status="취하"), at=moment(0)).run

    assert event_words(store) == [("A", "NEW", None), ("B", "NEW", None)]
    row = get_run(store, run.run_id)
    assert (row.is_baseline, row.counts, row.n_rows) == (True, Counts(NEW=2), 2)
    assert values(store, "SELECT count(*) FROM change_observation") == [0]


def test_a_version_knows_what_it_holds_and_where_it_came_from(store, diary):
    shown = {"company": " (주)삼오제약"}
    record = replace(a_record("A"), shown=shown, row_no=17)

    run = diary.read(record, at=moment(0)).run

    (row,) = store.rows("SELECT * FROM dmf_record")
    assert {name: row[name] for name in ("board_id", "natural_key", "reg_no", "company")} == {
        "board_id": BOARD,
        "natural_key": "A",
        "reg_no": "A",
        "company": "(주)삼오제약",
    }
    assert (row["registered_on"], row["status"], row["detail_url"]) == ("2026-09-22", "정상", None)
    assert (row["source_sha256"], row["source_url"], row["source_row"]) == (DIGEST, PAGE_URL, 17)
    assert (row["valid_from"], row["valid_to"], row["is_current"]) == (
        "2026-11-30T06:00:00+09:00",
        None,
        1,
    )
    assert (row["first_seen_run"], row["last_seen_run"]) == (run.run_id, run.run_id)
    assert list(json.loads(row["payload_json"])) == list(KINDS)
    assert json.loads(row["payload_json"])["maker_names"] == [
        "Hetero Labs Limited, Unit-I",
        "Hetero Drugs Limited",
    ]
    assert json.loads(row["shown_json"]) == shown


# --- changes -----------------------------------------------------------------------------------


def test_a_change_closes_a_version_and_opens_the_next_at_the_start_of_the_run(store, diary):
    diary.read(a_record("A"), at=moment(0))

    diary.read(a_record("A", company="㈜삼오", maker_names=("x",)), at=moment(1))

    rows = store.rows("SELECT valid_from, valid_to, is_current FROM dmf_record ORDER BY sk")
    assert [tuple(row) for row in rows] == [
        ("2026-11-30T06:00:00+09:00", "2026-12-01T06:00:00+09:00", 0),
        ("2026-12-01T06:00:00+09:00", None, 1),
    ]
    (event,) = store.rows("SELECT * FROM dmf_event WHERE event_type = 'MODIFIED'")
    assert event["occurred_at"] == "2026-12-01T06:00:00+09:00"
    assert [change["field"] for change in json.loads(event["changes_json"])] == [
        "company",
        "maker_names",
    ]
    assert json.loads(event["record_json"])["maker_names"] == ["x"]


def test_the_grade_of_an_event_is_the_highest_of_its_changes(store, diary):
    diary.read(a_record("A", note="가나다라마바사"), at=moment(0))

    rules = replace(RULES, kinds={**KINDS, "note": FieldKind.TEXT})
    diary.read(a_record("A", company="㈜삼오제약", note="차카타파하"), at=moment(1), rules=rules)

    (grade,) = values(store, "SELECT grade FROM dmf_event WHERE event_type = 'MODIFIED'")
    assert grade == "major"


def test_a_record_withdrawn_by_status_stays_current(store, diary):
    diary.read(a_record("A"), at=moment(0))

    diary.read(a_record("A", status="취하", company="국전약품(주)"), at=moment(1))

    assert events_after_baseline(store) == [("A", "WITHDRAWN", "status")]
    (row,) = store.rows("SELECT * FROM dmf_record WHERE is_current = 1")
    assert (row["status"], row["company"]) == ("취하", "국전약품(주)")


def test_the_same_list_again_changes_nothing_but_the_log_of_runs(store, diary):
    records = (a_record("A"), a_record("B", status="취하"))
    diary.read(*records, at=moment(0))
    before = content(store, ("dmf_event", "missing_spell", "split_number"))
    versions = store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record")

    run = diary.read(*records[::-1], at=moment(0, hour=9)).run

    assert content(store, ("dmf_event", "missing_spell", "split_number")) == before
    assert store.rows("SELECT sk, payload_json, valid_from, valid_to FROM dmf_record") == versions
    assert set(values(store, "SELECT last_seen_run FROM dmf_record")) == {run.run_id}
    assert get_run(store, run.run_id).counts == Counts()


@pytest.mark.parametrize("status", [RunStatus.HELD, RunStatus.REJECTED, RunStatus.FAILED])
def test_a_run_that_is_not_accepted_changes_nothing_but_its_own_line(store, diary, status):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    before = content(store, HISTORY)

    diary.read(a_record("A", status="취하"), a_record("C"), at=moment(1), status=status)

    assert content(store, HISTORY) == before


def test_a_held_run_that_is_approved_records_its_events_with_its_own_start(store, diary):
    diary.read(a_record("A"), at=moment(0))
    held = diary.read(a_record("A", status="취하"), at=moment(1), status=RunStatus.HELD)

    known = known_records(store, BOARD)
    summary = summarise(held.run, held.change_set, held.snapshot, known=known)
    record_accepted(
        store, accept(summary, held.snapshot, held.change_set, known), moment(1, hour=10)
    )

    (event,) = store.rows("SELECT * FROM dmf_event WHERE event_type = 'WITHDRAWN'")
    assert (event["run_id"], event["occurred_at"]) == (held.run.run_id, "2026-12-01T06:00:00+09:00")
    assert get_run(store, held.run.run_id).status is RunStatus.OK
    assert all(check.ok for check in verify_history(store))


def test_an_approved_run_leaves_a_newer_held_one_to_a_person(store, diary):
    diary.read(a_record("A"), at=moment(0))
    older = diary.read(a_record("A", status="취하"), at=moment(1), status=RunStatus.HELD)
    newer = diary.read(a_record("A", status="취소"), at=moment(2), status=RunStatus.HELD)

    known = known_records(store, BOARD)
    summary = summarise(older.run, older.change_set, older.snapshot, known=known)
    record_accepted(store, accept(summary, older.snapshot, older.change_set, known), moment(3))

    assert get_run(store, newer.run.run_id).status is RunStatus.HELD


def test_a_run_is_not_accepted_twice(store, diary):
    read = diary.read(a_record("A"), at=moment(0))
    before = content(store)

    known = known_records(store, BOARD)
    summary = summarise(read.run, read.change_set, read.snapshot, known=known)
    again = accept(summary, read.snapshot, read.change_set, {})

    with pytest.raises(StoreError) as refused:
        record_accepted(store, again, moment(0, hour=7))

    assert refused.value.code == "run_not_open"
    assert content(store) == before


# --- last seen ---------------------------------------------------------------------------------


def test_every_version_names_the_last_run_that_saw_it(store, diary):
    first = diary.read(a_record("A"), a_record("B"), a_record("C"), at=moment(0)).run
    second = diary.read(a_record("A"), a_record("C", status="취하"), at=moment(1)).run

    rows = store.rows("SELECT natural_key, last_seen_run FROM dmf_record ORDER BY natural_key, sk")
    assert [tuple(row) for row in rows] == [
        ("A", second.run_id),
        ("B", first.run_id),
        ("C", first.run_id),
        ("C", second.run_id),
    ]


def test_boards_do_not_see_each_other(store, diary):
    other = Diary(store, board_id="notices")
    run = diary.read(a_record("A"), a_record("B"), at=moment(0)).run
    other.read(a_record("A"), at=moment(0))
    before = store.rows("SELECT * FROM dmf_record WHERE board_id = ?", (BOARD,))

    other.read(a_record("A", status="취하"), at=moment(1))
    other.read(a_record("C"), at=moment(2))

    assert store.rows("SELECT * FROM dmf_record WHERE board_id = ?", (BOARD,)) == before
    assert set(known_records(store, BOARD)) == {"A", "B"}
    assert known_records(store, BOARD)["A"].missing_since is None
    assert (
        values(store, "SELECT last_seen_run FROM dmf_record WHERE board_id = ?", BOARD)
        == [run.run_id] * 2
    )
    assert all(check.ok for check in verify_history(store))


# --- missing -----------------------------------------------------------------------------------


def test_a_vanished_record_is_withdrawn_at_the_fourth_daily_read_without_it(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    for day in (1, 2, 3):
        diary.read(a_record("A"), at=moment(day))
        diary.read(a_record("A"), at=moment(day, hour=9))
        assert events_after_baseline(store) == []
        assert known_records(store, BOARD)["B"] == KnownRecord(
            "B",
            a_record("B").fields,
            True,
            date(2026, 12, 1),
            day,
            date(2026, 11, 30) + timedelta(day),
        )

    run = diary.read(a_record("A"), at=moment(4)).run

    assert events_after_baseline(store) == [("B", "WITHDRAWN", "missing")]
    (row,) = store.rows("SELECT * FROM dmf_record WHERE natural_key = 'B'")
    assert (row["is_current"], row["valid_to"]) == (0, run.started_at.isoformat())
    (event,) = store.rows("SELECT * FROM dmf_event WHERE event_type = 'WITHDRAWN'")
    assert (event["missing_since"], event["changes_json"]) == ("2026-12-01", "[]")
    assert load_fields(event["record_json"]) == a_record("B").fields
    assert known_records(store, BOARD)["B"] == KnownRecord("B", a_record("B").fields, False)


def test_days_without_an_accepted_read_do_not_count(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A"), at=moment(1))
    diary.read(a_record("A"), at=moment(5), status=RunStatus.HELD)
    diary.read(a_record("A"), at=moment(6), status=RunStatus.REJECTED)

    diary.read(a_record("A"), at=moment(30))

    assert known_records(store, BOARD)["B"].n_missing_reads == 2


def test_a_record_back_in_time_leaves_no_event_and_its_next_absence_counts_anew(store, diary):
    both = (a_record("A"), a_record("B"))
    diary.read(*both, at=moment(0))
    for day in (1, 2, 3):
        diary.read(a_record("A"), at=moment(day))
    diary.read(*both, at=moment(4))

    assert known_records(store, BOARD)["B"].missing_since is None
    for day in (5, 6, 7):
        diary.read(a_record("A"), at=moment(day))

    assert events_after_baseline(store) == []
    assert values(store, "SELECT ended_as FROM missing_spell ORDER BY spell_id") == [
        "came_back",
        None,
    ]
    assert known_records(store, BOARD)["B"].missing_since == date(2026, 12, 5)


def test_a_record_back_later_has_reappeared(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    for day in (1, 2, 3, 4):
        diary.read(a_record("A"), at=moment(day))

    diary.read(a_record("A"), a_record("B", company="국전약품(주)"), at=moment(9))

    assert events_after_baseline(store)[-1] == ("B", "REAPPEARED", "returned")
    rows = store.rows("SELECT valid_from, valid_to FROM dmf_record WHERE natural_key = 'B'")
    assert [(row[0][:10], row[1]) for row in rows] == [
        ("2026-11-30", "2026-12-04T06:00:00+09:00"),
        ("2026-12-09", None),
    ]


def test_a_record_withdrawn_by_status_that_leaves_the_list_is_delisted(store, diary):
    diary.read(a_record("A"), a_record("B", status="취하"), at=moment(0))
    for day in (1, 2, 3, 4):
        diary.read(a_record("A"), at=moment(day))

    assert events_after_baseline(store) == [("B", "MODIFIED", "delisted")]
    assert values(store, "SELECT is_current FROM dmf_record WHERE natural_key = 'B'") == [0]


def test_a_correction_of_a_day_is_no_further_read_without_a_record(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    first = diary.read(a_record("A"), at=moment(1)).run

    diary.read(a_record("A"), at=moment(2), correct=get_run(store, first.run_id))

    assert known_records(store, BOARD)["B"].n_missing_reads == 1
    assert all(check.ok for check in verify_history(store))


# --- shared numbers ----------------------------------------------------------------------------

SPLIT = (
    a_record("A|(주)삼오제약|2026-09-22"),
    a_record("A|국전약품(주)|2026-11-30", company="국전약품(주)", registered_on="2026-11-30"),
)


def test_a_number_that_two_records_share_is_split_for_good_and_withdraws_nobody(store, diary):
    diary.read(a_record("A"), at=moment(0))

    for day in range(1, 8):
        diary.read(*SPLIT, at=moment(day), split_numbers=["A"])
    for day in range(8, 12):
        diary.read(SPLIT[0], at=moment(day), split_numbers=["A"])

    assert events_after_baseline(store) == [
        ("A", "MODIFIED", "rekeyed"),
        (SPLIT[0].key, "NEW", "rekeyed"),
        (SPLIT[1].key, "NEW", None),
        (SPLIT[1].key, "WITHDRAWN", "missing"),
    ]
    assert split_numbers(store, BOARD) == {"A"}
    assert split_numbers(store, "notices") == frozenset()
    assert values(store, "SELECT since_run FROM split_number") == ["20261201T060000-dmf_registry"]
    assert all(check.ok for check in verify_history(store))


def test_a_missing_record_that_comes_back_under_a_composite_key_came_back(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("B"), at=moment(1))

    diary.read(*SPLIT, a_record("B"), at=moment(2), split_numbers=["A"])

    assert values(store, "SELECT ended_as FROM missing_spell") == ["came_back"]
    assert all(check.ok for check in verify_history(store))


# --- a newer selectors file --------------------------------------------------------------------


def test_a_new_field_is_filled_into_open_versions_without_events(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    rules = replace(RULES, kinds={**KINDS, "document_no": FieldKind.EXACT})

    filled = a_record("A", document_no="v1")
    diary.read(filled, at=moment(1), rules=rules)
    diary.read(
        a_record("A", document_no="v2"),
        a_record("B", document_no=""),
        at=moment(2),
        rules=rules,
    )

    assert events_after_baseline(store) == [("A", "MODIFIED", None)]
    rows = store.rows("SELECT natural_key, payload_json FROM dmf_record ORDER BY sk")
    found = [(row["natural_key"], load_fields(row["payload_json"])) for row in rows]
    assert [(key, fields["document_no"]) for key, fields in found] == [
        ("A", "v1"),
        ("B", ""),
        ("A", "v2"),
    ]
    assert found[0][1] == filled.fields
    assert all(check.ok for check in verify_history(store))


def test_the_address_of_a_detail_page_is_written_with_a_version_and_is_no_change(store, diary):
    def linked(record: Record, number: int) -> Record:
        return replace(record, detail_url=f"http://127.0.0.1/bbs/21/{number}")

    diary.read(linked(a_record("A"), 1), a_record("B"), at=moment(0))
    diary.read(linked(a_record("A"), 2), linked(a_record("B", status="취하"), 3), at=moment(1))
    filled = a_record("A", document_no="v1")
    rules = replace(RULES, kinds={**KINDS, "document_no": FieldKind.EXACT})
    diary.read(
        linked(filled, 4), linked(a_record("B", status="취하"), 3), at=moment(2), rules=rules
    )

    assert events_after_baseline(store) == [("B", "WITHDRAWN", "status")]
    assert values(store, "SELECT detail_url FROM dmf_record ORDER BY sk") == [
        "http://127.0.0.1/bbs/21/4",
        None,
        "http://127.0.0.1/bbs/21/3",
    ]
    assert all(check.ok for check in verify_history(store))


def test_what_a_newer_selectors_file_no_longer_reads_stays_in_the_open_version(store, diary):
    diary.read(a_record("A"), at=moment(0))
    newer = replace(
        a_record("A"), fields={"document_no": "v1", **a_record("A").fields, "maker_names": ()}
    )
    fields = {name: value for name, value in newer.fields.items() if name != "maker_names"}

    diary.read(replace(newer, fields=fields), at=moment(1))

    assert known_records(store, BOARD)["A"].fields == {"document_no": "v1", **a_record("A").fields}
    assert events_after_baseline(store) == []
    assert all(check.ok for check in verify_history(store))


# --- observations ------------------------------------------------------------------------------


def test_the_observation_of_a_day_sums_its_runs(store, diary):
    """Q3: a second run of a day broke the draft's table."""
    diary.read(*(a_record(key) for key in "ABCD"), a_record("Z", status="취하"), at=moment(0))

    diary.read(
        *(a_record("A", status="취하"), a_record("B", company="국전약품(주)"), a_record("C")),
        *(a_record("D", company="㈜삼오제약"), a_record("E"), a_record("Z")),
        at=moment(1),
    )
    same = [a_record("A", status="취하"), a_record("B", company="국전약품(주)")]
    same += [a_record("C", status="말소"), a_record("D", company="㈜삼오제약")]
    same += [a_record("E"), a_record("Z")]
    diary.read(*same, at=moment(1, hour=9))
    diary.read(*same, at=moment(1, hour=10))
    diary.read(*same, at=moment(2))
    diary.read(*same[:2], *(a_record(key) for key in "C"), *same[3:], at=moment(2, hour=9))
    diary.read(*same, at=moment(3), status=RunStatus.HELD)

    rows = store.rows("SELECT * FROM change_observation ORDER BY observed_on")
    assert [tuple(row)[1:] for row in rows] == [
        ("2026-12-01", 1, 1, 2, 2),
        ("2026-12-02", 1, 0, 1, 0),
    ]


def test_a_cosmetic_change_alone_is_no_changed_day(store, diary):
    diary.read(a_record("A"), at=moment(0))

    diary.read(a_record("A", company="㈜삼오제약"), at=moment(1))

    assert values(store, "SELECT changed FROM change_observation") == [0]


def test_columns_are_measured_each_day_the_last_accepted_run_counts(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A", company=""), a_record("B"), a_record("C"), at=moment(0, hour=9))
    diary.read(a_record("A", company="다시"), at=moment(1), status=RunStatus.HELD)

    rows = store.rows("SELECT features_json FROM drift_baseline WHERE field = 'company'")
    wanted = {"n_rows": 3, "n_empty": 1, "n_distinct": 2, "n_changed": 1}
    assert [wanted.items() <= json.loads(row[0]).items() for row in rows] == [True]
    assert values(store, "SELECT count(*) FROM drift_baseline") == [len(KINDS)]


def test_what_was_counted_stands_beside_what_a_column_looks_like():
    snapshot = a_snapshot(a_record("A", company="다시", status="취하"), a_record("B"))

    looks = measure_columns(snapshot, ["company", "no_such"])
    features = add_counts(looks, {"row": {"n_entered": 1}, "company": {"n_changed": 1}})

    assert features == {
        "row": {"n_entered": 1},
        "company": {**looks["company"], "n_changed": 1},
        "no_such": looks["no_such"],
    }


def test_what_happened_on_a_day_adds_up_over_its_runs(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A", company="다시"), a_record("B"), at=moment(1))
    diary.read(a_record("A", company="또"), a_record("B", company="다시"), at=moment(1, hour=9))
    diary.read(a_record("A", company="또"), a_record("B", company="다시"), at=moment(1, hour=15))

    (day,) = read_past(store, BOARD, before=moment(2).date(), n_days=1).days
    assert day.feature("n_changed", "company") == 3
    assert read_past(store, BOARD, before=day.day, n_days=1).earlier_today == day
    assert read_past(store, BOARD, before=moment(2).date(), n_days=1).earlier_today is None


# --- all or nothing ----------------------------------------------------------------------------


def busy_day(store: Store) -> Acceptance:
    """Return an acceptance that writes into every table, after a day to compare with."""
    diary = Diary(store)
    diary.read(*(a_record(key) for key in "ABCDE"), at=moment(0))
    diary.read(*(a_record(key) for key in "ABCE"), at=moment(1))
    diary.read(*(a_record(key) for key in "ABCE"), at=moment(2), status=RunStatus.HELD)
    snapshot = a_snapshot(
        a_record("A", status="취하"),
        *(a_record("B", document_no="v1"), a_record("D")),
        *(replace(record, key=record.key.replace("A", "C")) for record in SPLIT),
        split_numbers=["C"],
    )
    run = begin_run(store, BOARD, moment(3), selector_version=1)
    known = known_records(store, BOARD)
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
    assert change_set.missing == ("E",)
    assert change_set.came_back == ("D",)
    assert change_set.backfilled == ("B",)
    return accept(summarise(run, change_set, snapshot, known=known), snapshot, change_set, known)


@pytest.mark.parametrize(
    ("table", "operation"),
    [
        ("crawl_run", "UPDATE"),
        ("dmf_record", "INSERT"),
        ("dmf_record", "UPDATE"),
        ("dmf_record", "UPDATE OF reg_no"),
        ("dmf_record", "UPDATE OF last_seen_run"),
        ("dmf_event", "INSERT"),
        ("missing_spell", "INSERT"),
        ("missing_spell", "UPDATE"),
        ("split_number", "INSERT"),
        ("change_observation", "INSERT"),
        ("drift_baseline", "INSERT"),
    ],
)
def test_a_statement_that_fails_leaves_everything_as_it_was(store, table, operation):
    acceptance = busy_day(store)
    store.execute(
        f"CREATE TRIGGER broken AFTER {operation} ON {table}"
        " BEGIN SELECT RAISE (ABORT, 'disk I/O error'); END"
    )
    before = content(store)

    with pytest.raises(StoreError) as refused:
        record_accepted(store, acceptance, moment(3))

    assert refused.value.code == "write_failed"
    assert content(store) == before
    store.execute("DROP TRIGGER broken")
    record_accepted(store, acceptance, moment(3))
    assert all(check.ok for check in verify_history(store))


def test_what_was_compared_with_an_older_list_is_refused(store):
    """Two processes at once, should the lock ever fail."""
    acceptance = busy_day(store)
    stale = replace(
        acceptance, known={key: known for key, known in acceptance.known.items() if key != "A"}
    )
    before = content(store)

    with pytest.raises(StoreError) as refused:
        record_accepted(store, stale, moment(3))

    assert refused.value.code == "write_failed"
    assert content(store) == before


KILLED = """
import os, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from dmf_crawler.persist.recording import record_accepted
from dmf_crawler.persist.store import Store
from tests.persist.builders import moment
from tests.persist.test_recording import busy_day

statements = 0

def count(sql):
    global statements
    statements += 1
    if statements == {nth} or sql == {last!r}:
        os._exit(9)

with Store(Path(sys.argv[1])) as store:
    acceptance = busy_day(store)
    store._connection.set_trace_callback(count)
    record_accepted(store, acceptance, moment(3))
"""


@pytest.mark.parametrize(
    ("nth", "last"), [(2, ""), (9, ""), (16, ""), (0, "COMMIT")], ids=["2", "9", "16", "commit"]
)
def test_a_process_killed_at_a_statement_leaves_the_history_of_before(tmp_path, nth, last):
    script = KILLED.format(paths=[str(ROOT / "src"), str(ROOT)], nth=nth, last=last)
    path = tmp_path / "killed.sqlite3"

    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)

    assert killed.returncode == 9
    with Store(tmp_path / "whole.sqlite3") as whole:
        busy_day(whole)
        expected = content(whole)
    with Store(path) as store:
        assert content(store) == expected
        assert all(check.ok for check in verify_history(store))


def test_types_and_reasons_are_stored_as_words(store):
    """The owner's SQL compares them with text."""
    record_accepted(store, busy_day(store), moment(3))

    assert set(values(store, "SELECT DISTINCT event_type FROM dmf_event")) <= set(EventType)
    assert set(values(store, "SELECT reason FROM dmf_event WHERE reason IS NOT NULL")) <= set(
        Reason
    )
