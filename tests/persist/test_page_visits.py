"""What runs saw of a watched page, and how far it moves by itself: written, counted, asked for."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from dmf_crawler.model.run import KST, Fault, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.model.watched_page import Calibration, Movement
from dmf_crawler.persist.page_visits import (
    PageReportRequest,
    count_movements,
    last_calibration,
    last_source,
    last_visit,
    outdated_calibration,
    page_folders,
    page_report,
    visit_of_run,
    visits_of,
    write_calibration,
)
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import moment
from tests.persist.page_days import BOARD, PAGE_URL, PageDiary, live_five_days
from tests.persist.tampering import tamper

REQUEST = PageReportRequest(BOARD, "이용약관", PAGE_URL, {"body": "본문"}, schema_version=1)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield store


def a_calibration(day: int, threshold: int | None = 3) -> Calibration:
    largest = None if threshold is None else threshold - 1
    return Calibration(moment(day), 5, largest, threshold)


def test_visits_come_oldest_first_with_what_each_saw(store):
    assert (visits_of(store, BOARD), last_visit(store, BOARD)) == ((), None)
    assert last_source(store, BOARD) == ""
    live_five_days(store)
    visits = visits_of(store, BOARD)
    assert [visit.movement for visit in visits] == [
        *(Movement.FIRST, Movement.NOISE, Movement.CONTENT, Movement.NONE, Movement.FIELD)
    ]
    assert visits[0].distance is None
    assert last_visit(store, BOARD) == visits[-1]
    assert visit_of_run(store, visits[2].run_id) == visits[2]
    assert visit_of_run(store, "nobody") is None
    assert last_visit(store, BOARD, until=visits[1].day) == visits[1]
    assert visits_of(store, BOARD, until=visits[1].day) == visits[:2]
    assert visits_of(store, "another") == ()


def test_the_same_bytes_as_at_the_visit_before_are_told(store):
    diary = PageDiary(store)
    diary.read(1, "가", Movement.FIRST)
    diary.read(2, "가", Movement.NONE)
    tamper(
        store.path,
        "UPDATE page_visit SET source_sha256 = (SELECT source_sha256 FROM page_visit LIMIT 1)",
    )
    diary.read(3, "가", Movement.NONE)
    assert [visit.is_same_bytes for visit in visits_of(store, BOARD)] == [False, True, False]
    last = visits_of(store, BOARD)[1]
    assert last_visit(store, BOARD, until=last.day) == last


def test_movements_are_counted_and_a_correction_is_no_read(store):
    live_five_days(store)
    counted = count_movements(store, BOARD)
    assert counted == dict.fromkeys(Movement, 1)
    tamper(
        store.path,
        "UPDATE crawl_run SET reparse_of = (SELECT run_id FROM page_visit WHERE movement = 'none')"
        " WHERE run_id = (SELECT run_id FROM page_visit WHERE movement = 'field')",
    )
    assert count_movements(store, BOARD)[Movement.FIELD] == 0
    last = last_visit(store, BOARD)
    assert last is not None
    assert last.movement is Movement.FIELD


def test_only_the_runs_that_found_a_change_are_needed_for_good(store):
    live_five_days(store)
    changed = [
        f"raw/{visit.day}/{BOARD}/{visit.run_id}"
        for visit in visits_of(store, BOARD)
        if visit.movement not in {Movement.NONE, Movement.NOISE}
    ]
    assert page_folders(store) == frozenset(changed)


def test_the_last_calibration_counts_while_the_selectors_file_is_the_same(store):
    assert last_calibration(store, BOARD, schema_version=1) is None
    assert outdated_calibration(store, BOARD, schema_version=1) is None
    write_calibration(store, BOARD, a_calibration(1, threshold=7), schema_version=1)
    write_calibration(store, BOARD, a_calibration(2, threshold=None), schema_version=1)
    assert last_calibration(store, BOARD, schema_version=1) == a_calibration(2, threshold=None)
    assert outdated_calibration(store, BOARD, schema_version=1) is None
    assert last_calibration(store, BOARD, schema_version=2) is None
    assert outdated_calibration(store, BOARD, schema_version=2) == 1
    assert last_calibration(store, "another", schema_version=1) is None


def test_the_report_of_an_earlier_day_knows_nothing_of_a_later_calibration(store):
    live_five_days(store)
    days = [visit.day for visit in visits_of(store, BOARD)]
    late = datetime(days[2].year, days[2].month, days[2].day, 23, tzinfo=KST)
    write_calibration(store, BOARD, Calibration(late, 5, 2, 3), schema_version=1)
    assert page_report(store, REQUEST, days[1]).calibration is None
    report = page_report(store, REQUEST, days[2])
    assert report.calibration == Calibration(late, 5, 2, 3)
    assert report.last is not None
    assert (report.last.movement, report.rates[Movement.FIELD]) == (Movement.CONTENT, 0)
    assert (report.url, report.name_ko, report.notice) == (PAGE_URL, "이용약관", "")


def test_a_day_whose_run_was_not_accepted_says_so(store):
    live_five_days(store)
    run = begin_run(store, BOARD, moment(9), selector_version=1)
    fault = Fault("no_page_region", "영역이 없습니다.", 4)
    with store.atomic():
        finish_run(store, RunSummary(run, RunStatus.REJECTED, 4, fault=fault), moment(9))
    report = page_report(store, REQUEST, run.day)
    assert "영역이 없습니다." in report.notice
    assert report.last is not None
    assert report.last.day < run.day
    assert page_report(store, REQUEST, date(2026, 1, 1)).last is None
