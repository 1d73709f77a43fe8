from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.record import Column, Delivery, Record
from dmf_crawler.model.report import BoardReport
from dmf_crawler.model.reuse import GaveWay
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.persist.pages import record_pages
from dmf_crawler.persist.questions import (
    ReportRequest,
    events_of_key,
    events_of_run,
    find_key,
    find_sources,
    list_as_of,
    report_of_day,
    version_at,
    versions_of_key,
)
from dmf_crawler.persist.recording import known_records
from dmf_crawler.persist.runs import get_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import (
    BOARD,
    DIGEST,
    PAGE_URL,
    Diary,
    a_known_page,
    a_record,
    a_snapshot,
    moment,
)

REQUEST = ReportRequest(BOARD, "DMF 현황", (Column("reg_no", "등록번호"),), "reg_no", "status")
GATE = Gate("G-1", Outcome.PASS, 2, 1, "목록 2건을 읽었습니다.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dmf.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.fixture
def diary(store: Store) -> Diary:
    return Diary(store)


def missing_at(store: Store, at: datetime) -> dict[str, tuple[date, int]]:
    """Return the keys that are marked as missing at a moment, since when, for how many reads."""
    return {
        version.key: (version.missing_since, version.n_missing_reads)
        for version in list_as_of(store, BOARD, at)
        if version.missing_since is not None
    }


# --- one record --------------------------------------------------------------------------------


def test_the_events_of_a_key_are_its_whole_life_oldest_first(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A", status="취하", company="국전약품(주)"), a_record("B"), at=moment(1))
    for day in (2, 3, 4, 5):
        diary.read(a_record("B"), at=moment(day))
    diary.read(a_record("A"), a_record("B"), at=moment(6))

    events = events_of_key(store, BOARD, "A")

    assert [(event.event_type, event.reason) for event in events] == [
        (EventType.NEW, None),
        (EventType.WITHDRAWN, Reason.STATUS),
        (EventType.MODIFIED, Reason.DELISTED),
        (EventType.REAPPEARED, Reason.RETURNED),
    ]
    assert [event.occurred_at for event in events] == [moment(day) for day in (0, 1, 5, 6)]
    assert [change.field for change in events[1].changes] == ["company", "status"]
    assert events[1].fields == a_record("A", status="취하", company="국전약품(주)").fields
    assert events[2].missing_since == date(2026, 12, 2)
    assert (events[2].grade, events[2].changes) == (None, ())
    assert events_of_key(store, "notices", "A") == ()


def test_the_events_of_a_run_are_ordered_by_key(store, diary):
    run = diary.read(a_record("B"), a_record("A"), at=moment(0)).run

    assert [event.key for event in events_of_run(store, run.run_id)] == ["A", "B"]
    assert events_of_run(store, "no such run") == ()


def test_the_versions_of_a_key_tell_when_they_held_and_where_they_were_read(store, diary):
    first = diary.read(a_record("A"), at=moment(0)).run
    diary.read(a_record("A", status="취하"), at=moment(1))

    versions = versions_of_key(store, BOARD, "A")

    assert [(version.valid_from, version.valid_to) for version in versions] == [
        (moment(0), moment(1)),
        (moment(1), None),
    ]
    assert versions[0].fields == a_record("A").fields
    assert (versions[0].run_id, versions[0].source, versions[0].url, versions[0].row_no) == (
        first.run_id,
        DIGEST,
        PAGE_URL,
        1,
    )
    assert {version.missing_since for version in versions} == {None}


def test_the_open_version_of_a_missing_record_says_so(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A", status="취하"), a_record("B"), at=moment(1))
    for day in (2, 3):
        diary.read(a_record("B"), at=moment(day))

    closed, current = versions_of_key(store, BOARD, "A")

    assert (closed.missing_since, closed.n_missing_reads) == (None, 0)
    assert (current.missing_since, current.n_missing_reads) == (date(2026, 12, 2), 2)


def test_a_key_is_found_by_key_number_or_shared_number(store, diary):
    shared = [
        a_record("S|가|2026-01-01", reg_no="s"),
        a_record("S|나|2026-01-01", reg_no="s"),
        a_record("S2|가|2026-01-01"),
    ]
    diary.read(a_record("A-1", reg_no="a-1"), a_record("A-11"), *shared, at=moment(0))
    diary.read(
        a_record("A-1", reg_no="a-1", status="취하"), a_record("A-11"), *shared, at=moment(1)
    )
    Diary(store, board_id="notices").read(a_record("A-1"), at=moment(0))

    def found(text: str) -> list[str]:
        return [f"{board}:{key}" for board, key in find_key(store, text)]

    assert found("A-1") == ["dmf_registry:A-1", "notices:A-1"]
    assert found("a-1") == ["dmf_registry:A-1"]
    assert found("S") == ["dmf_registry:S|가|2026-01-01", "dmf_registry:S|나|2026-01-01"]
    assert found("s") == found("S")
    assert found("S|나|2026-01-01") == ["dmf_registry:S|나|2026-01-01"]
    assert found("A-") == []
    assert found("%") == found("_") == []


# --- the list at a moment ----------------------------------------------------------------------


def test_the_list_of_a_moment_is_what_was_accepted_by_then(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    diary.read(a_record("A", company="국전약품(주)"), a_record("B"), a_record("C"), at=moment(1))
    diary.read(a_record("A", status="말소"), at=moment(2), status=RunStatus.HELD)

    def companies(at: datetime) -> dict[str, object]:
        return {version.key: version.fields["company"] for version in list_as_of(store, BOARD, at)}

    before = {"A": "(주)삼오제약", "B": "(주)삼오제약"}
    assert companies(moment(0) - timedelta(seconds=1)) == {}
    assert companies(moment(0)) == companies(moment(1) - timedelta(seconds=1)) == before
    assert (
        companies(moment(1))
        == companies(moment(9))
        == {
            "A": "국전약품(주)",
            "B": "(주)삼오제약",
            "C": "(주)삼오제약",
        }
    )
    assert list_as_of(store, "notices", moment(9)) == ()


def test_the_version_of_a_key_at_a_moment_is_told_with_what_its_page_showed(store, diary):
    shown = replace(a_record("A"), shown={"company": " (주)삼오제약"})
    first = diary.read(shown, a_record("B"), at=moment(0)).run
    second = diary.read(shown, at=moment(1)).run
    third = diary.read(a_record("A", company="국전약품(주)"), at=moment(2)).run

    def ask(at: datetime | None) -> tuple[str, str, str] | None:
        found = version_at(store, BOARD, "A", at)
        if found is None:
            return None
        return found.version.run_id, found.shown.get("company", ""), found.last_seen_run

    before = (first.run_id, " (주)삼오제약", second.run_id)
    now = (third.run_id, "", third.run_id)
    assert ask(moment(0) - timedelta(seconds=1)) is None
    assert ask(moment(0)) == ask(moment(2) - timedelta(seconds=1)) == before
    assert ask(moment(2)) == ask(moment(9)) == ask(None) == ask(moment(2).astimezone(UTC)) == now
    assert version_at(store, BOARD, "C", None) is None
    assert version_at(store, "notices", "A", None) is None


def test_a_closed_record_has_its_last_version_and_none_afterwards(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    for day in (1, 2, 3, 4):
        diary.read(a_record("A"), at=moment(day))

    last = version_at(store, BOARD, "B", None)

    assert last is not None
    assert last.version.valid_to == moment(4)
    assert last == version_at(store, BOARD, "B", moment(4) - timedelta(seconds=1))
    assert version_at(store, BOARD, "B", moment(4)) is None


def test_a_moment_in_another_zone_is_the_same_moment(store, diary):
    diary.read(a_record("A"), at=moment(0))

    assert len(list_as_of(store, BOARD, moment(0).astimezone(UTC))) == 1


def test_a_list_without_days_of_registration_shows_its_highest_number_first(store, diary):
    def a_notice(number: str) -> Record:
        return Record(number, {"post_id": number, "title": "안내"}, {}, DIGEST, PAGE_URL, 1)

    diary.read(a_notice("9"), a_notice("100"), a_notice("44"), at=moment(0))

    assert [row.key for row in list_as_of(store, BOARD, moment(0))] == ["100", "44", "9"]


def test_the_newest_registration_comes_first(store, diary):
    records = [
        a_record("A", registered_on="2026-01-01"),
        a_record("C", registered_on="2026-11-30"),
        a_record("B", registered_on="2026-11-30"),
        a_record("D", registered_on=""),
    ]
    diary.read(*records, at=moment(0))

    assert [version.key for version in list_as_of(store, BOARD, moment(0))] == ["B", "C", "A", "D"]


def test_a_record_that_was_missing_is_in_the_list_and_marked(store, diary):
    both = (a_record("A"), a_record("B"))
    since = date(2026, 12, 1)
    diary.read(*both, at=moment(0))
    diary.read(a_record("A"), at=moment(1))
    diary.read(a_record("A"), at=moment(1, hour=9))
    diary.read(a_record("A"), at=moment(2), status=RunStatus.HELD)
    diary.read(a_record("A"), at=moment(3))
    diary.read(*both, at=moment(4))
    for day in (5, 6, 7, 8):
        diary.read(a_record("A"), at=moment(day))

    assert missing_at(store, moment(0)) == {}
    assert missing_at(store, moment(1)) == missing_at(store, moment(2)) == {"B": (since, 1)}
    assert missing_at(store, moment(3)) == {"B": (since, 2)}
    assert missing_at(store, moment(4)) == {}
    assert missing_at(store, moment(7)) == {"B": (date(2026, 12, 5), 3)}
    assert [version.key for version in list_as_of(store, BOARD, moment(8))] == ["A"]


def test_a_correction_of_a_day_is_no_further_read_without_a_record(store, diary):
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    first = diary.read(a_record("A"), at=moment(1)).run
    diary.read(a_record("A"), at=moment(2), correct=get_run(store, first.run_id))

    assert missing_at(store, moment(2)) == {"B": (date(2026, 12, 1), 1)}
    assert versions_of_key(store, BOARD, "B")[0].n_missing_reads == 1


def test_a_damaged_file_is_named_by_its_path(path, store, diary):
    diary.read(*(a_record(f"{n}") for n in range(300)), at=moment(0))
    (root,) = store.rows("SELECT rootpage FROM sqlite_master WHERE name = 'dmf_record'")
    (size,) = store.rows("PRAGMA page_size")
    store.close()
    with path.open("r+b") as file:
        file.seek((root[0] - 1) * size[0])
        file.write(b"\xff" * size[0])

    with Store(path) as damaged, pytest.raises(StoreError) as refused:
        list_as_of(damaged, BOARD, moment(0))

    assert refused.value.code == "database_damaged"
    assert str(path) in refused.value.message


def test_a_question_costs_no_more_a_record_the_longer_the_history_is(tmp_path):
    """Counted in steps of SQLite's machine, which are the same on every PC."""
    questions = {
        "list_as_of": lambda store: list_as_of(store, BOARD, moment(999)),
        "known_records": lambda store: known_records(store, BOARD),
        "find_key": lambda store: find_key(store, "0007"),
    }
    records = [a_record(f"{n:04}") for n in range(300)]
    n_steps: dict[int, dict[str, int]] = {}
    with Store(tmp_path / "dmf.sqlite3") as store:
        diary = Diary(store)
        diary.read(*records, at=moment(0))
        for day in range(1, 201):
            diary.read(*records[day % 3 :], at=moment(day))
            if day in {20, 200}:
                n_steps[day] = {
                    name: count_steps(store, lambda ask=ask: ask(store))
                    for name, ask in questions.items()
                }

    for name in questions:
        assert n_steps[200][name] <= 2 * n_steps[20][name], name


def count_steps(store: Store, ask) -> int:
    n_hundreds = 0

    def count() -> int:
        nonlocal n_hundreds
        n_hundreds += 1
        return 0

    store._connection.set_progress_handler(count, 100)
    ask()
    store._connection.set_progress_handler(None, 100)
    return n_hundreds * 100


# --- the report of a day -----------------------------------------------------------------------


def report_board(store: Store, day: date, *, history_days: int = 90) -> BoardReport:
    report = report_of_day(
        store,
        (REQUEST,),
        day,
        written_at=moment(9),
        rules=(history_days, 30, 4),
        changed_back_days=30,
    )
    (board,) = report.boards
    return board


def test_a_report_shows_the_day_its_board_and_its_runs(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), a_record("B"), at=moment(1), gates=[GATE])
    diary.read(a_record("A"), a_record("C"), at=moment(2))

    report = report_of_day(
        store,
        (REQUEST,),
        date(2026, 12, 1),
        written_at=moment(1, hour=7).astimezone(UTC) + timedelta(microseconds=5),
        rules=(90, 30, 4),
        changed_back_days=30,
    )

    assert (report.day, report.written_at) == (date(2026, 12, 1), moment(1, hour=7))
    assert (report.missing_runs, len(report.runs)) == (4, 2)
    (board,) = report.boards
    assert (board.board_id, board.name_ko, board.columns) == (BOARD, "DMF 현황", REQUEST.columns)
    assert (board.key_field, board.status_field) == ("reg_no", "status")
    assert board.accepted == get_run(store, "20261201T060000-dmf_registry")
    assert board.gates == (GATE,)
    assert [event.key for event in board.events] == ["B"]
    assert {version.key for version in board.records} == {"A", "B"}
    assert (board.notice, board.missed_days) == ("", 0)
    assert board.warnings == ("예비 셀렉터로 읽었습니다.",)


def test_a_report_tells_of_its_runs_which_selectors_gave_way(store, diary):
    fallback = Delivery("company", 1, "css td.company")
    for day in (0, 1, 2):
        snapshot = replace(a_snapshot(a_record("A")), delivered={fallback: 1} if day else {})
        diary.take(snapshot, at=moment(day))

    report = report_of_day(
        store,
        (REQUEST,),
        date(2026, 12, 1),
        written_at=moment(3),
        rules=(90, 30, 4),
        changed_back_days=30,
    )

    assert report.given_way == {
        "20261201T060000-dmf_registry": (GaveWay("company", "", 0, (("css td.company", 1),)),)
    }
    assert [row.reuse_rate for row in report.runs] == [0.0, None]


def test_a_report_shows_no_entry_of_the_baseline(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), a_record("B"), at=moment(0, hour=9))

    board = report_board(store, date(2026, 11, 30))

    assert [event.key for event in board.events] == ["B"]
    assert [event.key for event in board.history] == ["B"]


def test_the_events_of_a_day_are_those_of_all_its_accepted_runs(store, diary):
    diary.read(a_record("Z"), at=moment(0))
    diary.read(a_record("Z"), a_record("B"), at=moment(1))
    diary.read(a_record("Z"), a_record("B"), a_record("A"), at=moment(1, hour=9))

    board = report_board(store, date(2026, 12, 1))

    assert [event.key for event in board.events] == ["A", "B"]
    assert board.accepted is not None
    assert board.accepted.run.started_at == moment(1, hour=9)


def test_the_history_goes_back_so_many_days_newest_first(store, diary):
    diary.read(a_record("Z"), at=moment(0))
    for day in range(1, 5):
        diary.read(a_record("Z", company=f"회사 {day}"), at=moment(day))

    board = report_board(store, date(2026, 12, 3), history_days=2)

    assert [event.occurred_at for event in board.history] == [moment(3), moment(2)]


def test_a_day_that_was_not_accepted_shows_the_last_accepted_list_and_says_so(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), a_record("B"), at=moment(1))
    held = diary.read(a_record("A", status="취하"), at=moment(2), status=RunStatus.HELD).run

    board = report_board(store, date(2026, 12, 2))

    assert held.run_id in board.notice
    assert "취하가 너무 많습니다." in board.notice
    assert board.events == ()
    assert board.accepted is not None
    assert board.accepted.run.started_at == moment(1)
    assert {version.key for version in board.records} == {"A", "B"}


def test_days_without_an_accepted_run_before_it_are_counted(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A"), at=moment(1), status=RunStatus.FAILED)
    diary.read(a_record("A"), at=moment(4))

    assert report_board(store, date(2026, 12, 4)).missed_days == 3


def test_a_board_that_was_never_accepted_has_an_empty_report(store, diary):
    diary.read(a_record("A"), at=moment(0), status=RunStatus.REJECTED)

    board = report_board(store, date(2026, 11, 30))

    assert (board.accepted, board.records, board.gates, board.events) == (None, (), (), ())
    assert "채택되지 않았습니다" in board.notice
    assert replace(board, notice="") == report_board(store, date(2026, 11, 29))


# --- the owner's SQL ---------------------------------------------------------------------------


def test_the_owners_examples_work_as_written(store, diary):
    diary.read(a_record("A"), at=moment(0))
    diary.read(a_record("A", status="취하"), a_record("B"), at=moment(1))

    listed = store.rows("""
        SELECT natural_key, ingredient_name, company, status
        FROM   dmf_record
        WHERE  board_id = 'dmf_registry'
          AND  valid_from <= '2026-12-01'
          AND  (valid_to IS NULL OR valid_to > '2026-12-01');
    """)
    life = store.rows(
        """
        SELECT occurred_at, event_type, changes_json
        FROM   dmf_event
        WHERE  board_id = 'dmf_registry' AND natural_key = ?
        ORDER  BY occurred_at;
    """,
        ("A",),
    )
    new = store.rows(
        "SELECT natural_key FROM dmf_event WHERE event_type='NEW' AND run_id=?",
        ("20261201T060000-dmf_registry",),
    )
    current = store.rows("SELECT natural_key FROM dmf_record WHERE is_current=1")

    assert [tuple(row) for row in listed] == [("A", "로사르탄칼륨", "(주)삼오제약", "정상")]
    assert [(row["occurred_at"], row["event_type"]) for row in life] == [
        ("2026-11-30T06:00:00+09:00", "NEW"),
        ("2026-12-01T06:00:00+09:00", "WITHDRAWN"),
    ]
    assert [row["natural_key"] for row in new] == ["B"]
    assert {row["natural_key"] for row in current} == {"A", "B"}


# --- kept pages --------------------------------------------------------------------------------


def test_what_must_be_kept_are_the_pages_of_versions_and_the_known_pages_of_each_folder(
    store, diary
):
    first = diary.read(a_record("A"), at=moment(0)).run
    second = diary.read(a_record("A"), at=moment(1)).run
    row = get_run(store, second.run_id)
    correction = diary.read(a_record("A", status="취하"), at=moment(2), correct=row).run
    page = replace(a_known_page(), raw_dir=row.raw_dir)
    with store.atomic():
        record_pages(store, second, [("A", page), ("A", replace(page, identity=("GET", "b", "")))])

    sources = find_sources(store)

    assert [(source.raw_dir, source.day, source.n_pages) for source in sources] == [
        (f"raw/2026-11-30/{BOARD}/{first.run_id}", date(2026, 11, 30), 1),
        (row.raw_dir, date(2026, 12, 1), 1),
        (row.raw_dir, date(2026, 12, 1), 1),
    ]
    assert [source.digests for source in sources] == [
        {DIGEST},
        {page.sha256},
        {DIGEST, page.sha256},
    ]
    assert get_run(store, correction.run_id).run.day == date(2026, 12, 2)
