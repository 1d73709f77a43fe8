from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import GaveWay
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.deliveries import deliveries_of, given_way, last_deliveries
from dmf_crawler.persist.runs import begin_run, finish_run, get_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, FIRST_START, moment, values

ROWS = Delivery("row", 0, "table tbody tr")
HEADER = Delivery("company", 0, "header_text 신청인")
CELL = Delivery("company", 1, "css td.company")
NUMBER = Delivery("reg_no", 0, "header_text 등록번호")
WHOLE = {ROWS: 100, NUMBER: 100, HEADER: 100}
GONE = {HEADER: 0, ROWS: 100, NUMBER: 100, CELL: 100}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def end(store: Store, status: RunStatus, deliveries: dict[Delivery, int], *, day: int = 0) -> Run:
    run = begin_run(store, BOARD, moment(day), selector_version=1)
    fault = None if status is RunStatus.OK else Fault("short_list", "목록이 모자랍니다.", 4)
    summary = RunSummary(run, status, 0, fault=fault, deliveries=deliveries)
    with store.atomic():
        finish_run(store, summary, run.started_at)
    return run


@pytest.mark.parametrize("status", [RunStatus.OK, RunStatus.HELD, RunStatus.REJECTED])
def test_what_selectors_found_is_kept_whatever_became_of_the_list(store, status):
    run = end(store, status, GONE)

    assert deliveries_of(store, run.run_id) == GONE
    assert list(deliveries_of(store, run.run_id)) == list(GONE)
    assert get_run(store, run.run_id).reuse_rate == 2 / 3
    assert get_run(store, end(store, status, WHOLE, day=1).run_id).reuse_rate == 1.0


def test_a_run_that_read_no_list_has_no_rate(store):
    run = end(store, RunStatus.FAILED, {})

    assert deliveries_of(store, run.run_id) == {}
    assert get_run(store, run.run_id).reuse_rate is None


def test_the_fields_that_gave_way_are_found_for_many_runs_at_once(store):
    whole = end(store, RunStatus.OK, WHOLE)
    gone = end(store, RunStatus.OK, GONE, day=1)
    other = end(store, RunStatus.OK, GONE, day=2)

    assert given_way(store, [whole.run_id, gone.run_id, "no such run"]) == {
        gone.run_id: (GaveWay("company", HEADER.selector, 0, ((CELL.selector, 100),)),)
    }
    assert given_way(store, [other.run_id]).keys() == {other.run_id}
    assert given_way(store, []) == {}


def test_a_held_run_that_somebody_decides_is_measured_anew(store):
    held = end(store, RunStatus.HELD, GONE)
    accepted = RunSummary(held, RunStatus.OK, 0, deliveries=WHOLE)

    with store.atomic():
        finish_run(store, accepted, FIRST_START + timedelta(hours=2))

    assert deliveries_of(store, held.run_id) == WHOLE
    assert get_run(store, held.run_id).reuse_rate == 1.0


def test_a_run_that_cannot_be_ended_leaves_nothing_behind(store):
    run = end(store, RunStatus.OK, WHOLE)

    with pytest.raises(Exception, match="run_not_open"), store.atomic():
        finish_run(store, RunSummary(replace(run), RunStatus.OK, 0, deliveries=GONE), moment(1))

    assert deliveries_of(store, run.run_id) == WHOLE
    assert values(store, "SELECT count(*) FROM delivery") == [len(WHOLE)]


def test_of_each_field_the_last_accepted_run_that_measured_it_counts(store):
    author, by_cell = Delivery("author", 0, "label 담당자"), Delivery("author", 1, "css dd")
    end(store, RunStatus.OK, {**WHOLE, author: 9})
    end(store, RunStatus.OK, {**WHOLE, author: 0, by_cell: 4}, day=1)
    end(store, RunStatus.OK, {**GONE, author: 0}, day=2)  # on pages that have none
    end(store, RunStatus.HELD, {**WHOLE, author: 5}, day=3)

    assert last_deliveries(store, BOARD, ["author"]) == {author: 0, by_cell: 4}
    assert last_deliveries(store, BOARD, ["author", "company"]) == {
        author: 0,
        by_cell: 4,
        HEADER: 0,
        CELL: 100,
    }
    assert last_deliveries(store, "other", ["author"]) == {}
    assert last_deliveries(store, BOARD, []) == {}
