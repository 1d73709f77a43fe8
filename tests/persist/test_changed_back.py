"""Values that are again what they were before an earlier change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

import pytest

from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.report import BoardReport, ChangedBack, EventRow
from dmf_crawler.persist.questions import ReportRequest, report_of_day
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, Diary, a_record, moment

REQUEST = ReportRequest(BOARD, "DMF 현황", (), "reg_no", "status")


@pytest.fixture
def diary(tmp_path) -> Iterator[Diary]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield Diary(store)


def live(diary: Diary, values: Mapping[int, str], *, field: str = "company") -> None:
    """Let one record have these values, each from a day on."""
    for day, value in values.items():
        diary.read(a_record("A", **{field: value}), a_record("B"), at=moment(day))


def report(diary: Diary, day: int, *, n_days: int = 30, history_days: int = 90) -> BoardReport:
    (board,) = report_of_day(
        diary.store,
        (REQUEST,),
        on(day),
        written_at=moment(day, 9),
        rules=(history_days, 30, 4),
        changed_back_days=n_days,
    ).boards
    return board


def on(day: int) -> date:
    return moment(day).date()


def only(board: BoardReport) -> EventRow:
    (event,) = board.events
    return event


def test_a_value_that_is_what_it_was_before_was_changed_back(diary):
    live(diary, {0: "가", 1: "나", 4: "가"})
    assert only(report(diary, 4)).changed_back == {"company": ChangedBack(on(1), 3)}
    assert only(report(diary, 1)).changed_back == {}


def test_day_and_history_say_the_same(diary):
    live(diary, {0: "가", 1: "나", 4: "가", 5: "다"})
    board = report(diary, 5)
    assert only(board).changed_back == {}
    assert [event.changed_back for event in board.history] == [
        {},
        {"company": ChangedBack(on(1), 3)},
        {},
    ]


@pytest.mark.parametrize(("n_days", "is_told"), [(2, False), (3, True), (4, True)])
def test_it_counts_within_so_many_days(diary, n_days, is_told):
    live(diary, {0: "가", 1: "나", 4: "가"})
    told = only(report(diary, 4, n_days=n_days)).changed_back
    assert told == ({"company": ChangedBack(on(1), 3)} if is_told else {})


def test_a_change_older_than_the_history_is_remembered_for_it(diary):
    live(diary, {0: "가", 1: "나", 20: "가", 22: "다"})
    board = report(diary, 22, history_days=5)
    assert [(event.occurred_at.date(), event.changed_back) for event in board.history] == [
        (on(22), {}),
        (on(20), {"company": ChangedBack(on(1), 19)}),
    ]


def test_a_round_trip_names_the_change_away_from_the_value(diary):
    live(diary, {0: "가", 1: "나", 2: "다", 3: "가"})
    assert only(report(diary, 3)).changed_back == {"company": ChangedBack(on(1), 2)}


def test_of_several_changes_away_the_last_one_counts(diary):
    live(diary, {0: "가", 1: "나", 3: "가", 6: "나"})
    assert only(report(diary, 6)).changed_back == {"company": ChangedBack(on(3), 3)}
    live(diary, {8: "가"})
    assert only(report(diary, 8)).changed_back == {"company": ChangedBack(on(6), 2)}


def test_another_value_field_or_record_is_no_return(diary):
    live(diary, {0: "가", 1: "나", 2: "가나"})
    assert only(report(diary, 2)).changed_back == {}
    diary.read(a_record("A", company="가나"), a_record("B", company="가"), at=moment(3))
    assert only(report(diary, 3)).changed_back == {}
    diary.read(
        a_record("A", company="가나", ingredient_name="나"),
        a_record("B", company="가"),
        at=moment(4),
    )
    assert only(report(diary, 4)).changed_back == {}


def test_within_one_day_it_is_the_same_day(diary):
    live(diary, {0: "가"})
    for hour, value in ((6, "나"), (9, "가")):
        diary.read(a_record("A", company=value), a_record("B"), at=moment(1, hour))
    first, second = sorted(report(diary, 1).events, key=lambda event: event.occurred_at)
    assert (first.changed_back, second.changed_back) == (
        {},
        {"company": ChangedBack(on(1), 0)},
    )


def test_a_status_that_is_in_force_again_was_changed_back(diary):
    live(diary, {0: "정상", 1: "취하", 2: "정상", 3: "취하"}, field="status")
    restored = only(report(diary, 2))
    assert (restored.event_type, restored.reason) == (EventType.REAPPEARED, Reason.RESTORED)
    assert restored.changed_back == {"status": ChangedBack(on(1), 1)}
    withdrawn = only(report(diary, 3))
    assert withdrawn.event_type is EventType.WITHDRAWN
    assert withdrawn.changed_back == {"status": ChangedBack(on(2), 1)}


def test_what_the_baseline_found_was_no_change(diary):
    live(diary, {0: "가", 1: "나"})
    assert only(report(diary, 1)).changed_back == {}
    assert report(diary, 0).events == ()
