"""Events found by what happened, when, to what; and that no question reads the whole history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dmf_crawler.model.change import EventType, Grade
from dmf_crawler.model.record import Column
from dmf_crawler.persist.boards import accepted_span, boards_with_runs, newest_fields
from dmf_crawler.persist.event_search import EventSearch, find_events
from dmf_crawler.persist.questions import (
    ReportRequest,
    events_of_key,
    find_key,
    list_as_of,
    report_of_day,
    versions_of_key,
)
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, Diary, a_record, moment

FIRST = date(2026, 11, 30)
ALL = EventSearch(BOARD, FIRST, date(2026, 12, 31))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A history of five days: A renamed, B's makers, C withdrawn, D new, E only typed otherwise."""
    with Store(tmp_path / "dmf.sqlite3") as opened:
        diary = Diary(opened)
        a, b, c, e = (a_record(key, company=f"{key}제약(주)") for key in "ABCE")
        diary.read(a, b, c, e, at=moment(0))
        a = replace(a, fields={**a.fields, "company": "한빛 바이오"})
        diary.read(a, b, c, e, at=moment(1))
        b = replace(b, fields={**b.fields, "maker_names": ("Hetero Labs Limited, Unit-IX",)})
        diary.read(a, b, c, e, at=moment(2, hour=23))
        c = replace(c, fields={**c.fields, "status": "취하"})
        diary.read(a, b, c, e, a_record("D"), at=moment(3, hour=29))  # 05:00: still day 3
        e = replace(e, fields={**e.fields, "company": "주식회사 E제약"})
        diary.read(a, b, c, e, a_record("D"), at=moment(4))
        yield opened


def found(store: Store, **asked: object) -> list[str]:
    search = replace(ALL, **asked)  # type: ignore[arg-type]
    return [f"{on.day} {event.key}" for event, on in find_events(store, search)]


def test_everything_after_the_baseline_is_found_in_the_order_in_which_it_happened(store):
    assert found(store) == ["1 A", "2 B", "3 C", "3 D", "4 E"]
    assert found(store, has_baseline=True)[:4] == ["30 A", "30 B", "30 C", "30 E"]
    assert found(store, board_id="notices") == []


@pytest.mark.parametrize(
    ("since", "until", "keys"),
    [(1, 1, "A"), (2, 3, "BCD"), (3, 3, "CD"), (4, 9, "E"), (5, 9, "")],
)
def test_days_begin_at_six_and_both_ends_count(store, since, until, keys):
    days = {"since": date(2026, 12, since), "until": date(2026, 12, until)}
    assert "".join(each[-1] for each in found(store, **days)) == keys


def test_a_key_a_field_types_and_grades(store):
    assert found(store, key="A") == ["1 A"]
    assert found(store, key="A", has_baseline=True) == ["30 A", "1 A"]
    assert found(store, changed="company") == ["1 A", "4 E"]
    assert found(store, types=[EventType.NEW, EventType.WITHDRAWN]) == ["3 C", "3 D"]
    assert found(store, grades=[Grade.COSMETIC]) == ["4 E"]
    assert found(store, grades=[Grade.COSMETIC], changed="status") == []
    assert found(store, types=[EventType.MODIFIED], changed="maker_names") == ["2 B"]


@pytest.mark.parametrize(
    ("field", "text", "keys"),
    [
        ("company", "한빛바이오", "A"),
        ("company", "A제약", "A"),  # what it was called before
        ("company", "a제약(주)", "A"),
        ("company", "제약(주)", "ABCDE"),  # wherever the mark stands
        ("company", "(주) E제약", "E"),
        ("company", "없는 회사", ""),
        ("maker_names", "unit-ix", "B"),
        ("maker_names", "UNIT - I", "ABCDE"),  # before its change B had it, too
        ("maker_names", "heterodrugs", "ABCDE"),
        ("no_such_field", "a", ""),
    ],
)
def test_a_text_is_found_however_it_is_typed_before_or_after(store, field, text, keys):
    assert "".join(each[-1] for each in found(store, texts={field: text})) == keys


def test_all_conditions_have_to_hold(store):
    texts = {"company": "제약", "maker_names": "unit-ix"}
    assert found(store, texts=texts) == ["2 B"]
    assert found(store, texts=texts, types=[EventType.NEW]) == []


def test_a_number_finds_the_keys_that_share_it_and_no_other_that_begins_so(store):
    shared = [a_record(key) for key in ("S|가|1", "S}가", "S~", "S-1", "SA|나")]
    Diary(store, board_id="z").read(*shared, at=moment(2))
    with store.atomic():
        store.execute("UPDATE dmf_record SET reg_no = 'x' WHERE board_id = 'z'")
    assert find_key(store, "S") == (("z", "S|가|1"),)
    assert len(find_key(store, "x")) == 5


def test_what_is_known_of_boards(store):
    Diary(store, board_id="notices").read(a_record("N"), at=moment(2))
    assert boards_with_runs(store) == (BOARD, "notices")
    assert accepted_span(store, BOARD) == (FIRST, date(2026, 12, 4))
    assert accepted_span(store, "gone") is None
    assert newest_fields(store, "notices") == a_record("N").fields
    assert newest_fields(store, "gone") == {}


# --- what a question costs ---------------------------------------------------------------------

REQUEST = ReportRequest(BOARD, "DMF", (Column("reg_no", "등록번호"),), "reg_no", "status")
QUESTIONS: dict[str, Callable[[Store], object]] = {
    "changes of some days": found,
    "changes of a key": lambda store: found(store, key="A"),
    "history of a key": lambda store: (
        events_of_key(store, BOARD, "A"),
        versions_of_key(store, BOARD, "A"),
    ),
    "the key that a person means": lambda store: find_key(store, "A"),
    "the list of a day": lambda store: list_as_of(store, BOARD, moment(2)),
    "the report of a day": lambda store: report_of_day(
        store,
        (REQUEST,),
        date(2026, 12, 2),
        written_at=moment(2),
        rules=(90, 30, 4),
        changed_back_days=30,
    ),
    "a board's newest fields": lambda store: newest_fields(store, BOARD),
}


def plans_of(store: Store, ask: Callable[[Store], object]) -> list[str]:
    """Return how SQLite goes about each statement that a question asks it."""
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    ask(store)
    store._connection.set_trace_callback(None)
    statements = [sql for sql in asked if sql.lstrip("( ").startswith(("SELECT", "WITH"))]
    assert statements
    return [row["detail"] for sql in statements for row in store.rows(f"EXPLAIN QUERY PLAN {sql}")]


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_all_events_or_all_versions(store, name):
    """An unbounded scan is told as SCAN; what an index leads to as SEARCH."""
    for plan in plans_of(store, QUESTIONS[name]):
        is_newest = name == "a board's newest fields"  # from the end, up to the first of the board
        assert not plan.startswith(("SCAN dmf_", "SCAN e", "SCAN r")) or is_newest, plan


def test_changes_are_found_by_their_day_or_their_key(store):
    by_day = plans_of(store, QUESTIONS["changes of some days"])
    assert any("(board_id=? AND occurred_at>? AND occurred_at<?)" in plan for plan in by_day)
    by_key = plans_of(store, QUESTIONS["changes of a key"])
    assert any("ix_event_key (board_id=? AND natural_key=?)" in plan for plan in by_key)
    report = plans_of(store, QUESTIONS["the report of a day"])
    assert any("(board_id=? AND occurred_at>? AND occurred_at<?)" in plan for plan in report)
    number = plans_of(store, QUESTIONS["the key that a person means"])
    assert any("ix_record_number (reg_no=?)" in plan for plan in number)
    assert any("natural_key>? AND natural_key<?" in plan for plan in number)
