from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError, UsageError
from dmf_crawler.model.change import Counts
from dmf_crawler.model.run import KST, Checkpoint, Fault, Run, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome, RunSummary
from dmf_crawler.persist.checkpoints import note_checkpoint
from dmf_crawler.persist.gate_results import gates_of
from dmf_crawler.persist.runs import (
    begin_dry_run,
    begin_run,
    end_abandoned_runs,
    find_runs,
    finish_run,
    get_run,
    last_accepted_run,
    warnings_of,
)
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, FIRST_START, Diary, a_record, content, moment, values

OTHER_BOARD = "notices"
GATES = (
    Gate("G-0", Outcome.PASS, 1, 1, "수집이 허용됩니다."),
    Gate("G-5", Outcome.HOLD, 11, 10, "취하가 11건입니다.", "many_withdrawals"),
    Gate("G-2", Outcome.PASS, None, None, "해당 없음"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def begin(store: Store, at: datetime, board_id: str = BOARD) -> Run:
    return begin_run(store, board_id, at, selector_version=1)


def end(store: Store, run: Run, status: RunStatus, at: datetime | None = None) -> None:
    fault = None if status is RunStatus.OK else Fault("race", "목록이 바뀌었습니다.", 4)
    with store.atomic():
        finish_run(store, RunSummary(run, status, 0, fault=fault), at or run.started_at)


# --- beginning ---------------------------------------------------------------------------------


def test_a_run_is_named_by_its_start_in_korea_and_its_board(store):
    run = begin(store, datetime(2026, 11, 29, 21, 0, 0, 999_999, tzinfo=UTC))

    assert run == Run(
        "20261130T060000-dmf_registry",
        BOARD,
        datetime(2026, 11, 30, 6, tzinfo=KST),
        date(2026, 11, 30),
    )
    row = get_run(store, run.run_id)
    assert (row.run, row.status, row.finished_at) == (run, RunStatus.RUNNING, None)
    assert row.raw_dir == "raw/2026-11-30/dmf_registry/20261130T060000-dmf_registry"


def test_before_six_a_run_belongs_to_the_day_before(store):
    run = begin(store, datetime(2026, 12, 1, 5, 59, 59, tzinfo=KST))

    assert (run.run_id[:8], run.day) == ("20261201", date(2026, 11, 30))


def test_runs_of_one_second_are_numbered(store):
    runs = [begin(store, FIRST_START) for _ in range(3)]

    assert [run.run_id for run in runs] == [
        "20261130T060000-dmf_registry",
        "20261130T060000-dmf_registry-2",
        "20261130T060000-dmf_registry-3",
    ]


def test_a_board_whose_name_begins_like_another_takes_no_number_of_it(store):
    begin(store, FIRST_START, "dmf_registry_2")

    assert begin(store, FIRST_START, "dmf_registry").run_id == "20261130T060000-dmf_registry"


def test_an_accepted_run_of_the_same_second_lets_the_next_one_start_a_second_later(store):
    """Two accepted runs in one second would make a version of no length."""
    end(store, begin(store, FIRST_START), RunStatus.OK)

    second = begin(store, FIRST_START)

    assert second.run_id == "20261130T060000-dmf_registry-2"
    assert second.started_at == FIRST_START + timedelta(seconds=1)


@pytest.mark.parametrize("status", [RunStatus.HELD, RunStatus.REJECTED, RunStatus.FAILED])
def test_a_run_that_was_not_accepted_moves_no_start(store, status):
    end(store, begin(store, FIRST_START), status)

    assert begin(store, FIRST_START).started_at == FIRST_START


def test_an_accepted_run_of_another_board_moves_no_start(store):
    end(store, begin(store, FIRST_START, OTHER_BOARD), RunStatus.OK)

    assert begin(store, FIRST_START).started_at == FIRST_START


def test_a_clock_set_back_within_the_day_starts_behind_the_last_accepted_run(store):
    end(store, begin(store, moment(0, hour=9)), RunStatus.OK)

    run = begin(store, moment(0, hour=7))

    assert run.started_at == moment(0, hour=9) + timedelta(seconds=1)
    assert run.run_id == "20261130T070000-dmf_registry"


def test_a_clock_set_back_to_an_earlier_day_is_refused(store):
    end(store, begin(store, moment(3)), RunStatus.OK)
    before = content(store)

    with pytest.raises(UsageError) as refused:
        begin(store, moment(2, hour=23))

    assert refused.value.code == "clock_went_back"
    assert content(store) == before


def test_a_dry_run_leaves_no_trace(store):
    before = content(store)

    run = begin_dry_run(store, BOARD, FIRST_START)

    assert run == Run("20261130T060000-dmf_registry-dry", BOARD, FIRST_START, date(2026, 11, 30))
    assert content(store) == before


def test_a_dry_run_is_named_by_its_start_and_begins_behind_the_last_accepted_run(store):
    end(store, begin(store, FIRST_START), RunStatus.OK)

    run = begin_dry_run(store, BOARD, FIRST_START)

    assert run.run_id == "20261130T060000-dmf_registry-dry"
    assert run.started_at == FIRST_START + timedelta(seconds=1)


def test_a_dry_run_is_refused_by_a_clock_set_back_to_an_earlier_day(store):
    end(store, begin(store, moment(3)), RunStatus.OK)

    with pytest.raises(UsageError) as refused:
        begin_dry_run(store, BOARD, moment(2, hour=23))

    assert refused.value.code == "clock_went_back"


def test_a_correcting_run_names_the_run_whose_pages_it_reads(store):
    first = begin(store, FIRST_START)
    end(store, first, RunStatus.OK)

    correction = begin_run(
        store, BOARD, moment(1), selector_version=2, reparse_of=get_run(store, first.run_id)
    )

    row = get_run(store, correction.run_id)
    assert (row.raw_dir, row.selector_version) == (get_run(store, first.run_id).raw_dir, 2)
    assert values(store, "SELECT reparse_of FROM crawl_run") == [None, first.run_id]


# --- ending ------------------------------------------------------------------------------------


def test_the_end_of_a_run_is_kept_with_its_numbers_gates_and_warnings(store):
    run = begin(store, FIRST_START)
    summary = RunSummary(
        run=run,
        status=RunStatus.HELD,
        exit_code=3,
        gates=GATES,
        counts=Counts(1, 2, 3, 4, 5),
        n_rows=12_003,
        n_requests=123,
        n_pages=121,
        missing=6,
        fault=Fault("many_withdrawals", "취하가 11건입니다.", 3),
        warnings=("예비 셀렉터로 읽었습니다.",),
    )

    with store.atomic():
        finish_run(store, summary, FIRST_START + timedelta(minutes=12))

    row = get_run(store, run.run_id)
    assert (row.status, row.exit_code, row.error_code) == (RunStatus.HELD, 3, "many_withdrawals")
    assert row.reject_reason == "취하가 11건입니다."
    assert (row.n_rows, row.n_requests, row.missing) == (12_003, 123, 6)
    assert row.counts == Counts(1, 2, 3, 4, 5)
    assert (row.finished_at, row.duration_ms) == (FIRST_START + timedelta(minutes=12), 720_000)
    assert gates_of(store, run.run_id) == GATES
    assert warnings_of(store, run.run_id) == ("예비 셀렉터로 읽었습니다.",)


def test_a_run_that_could_read_no_list_has_no_number_of_rows(store):
    run = begin(store, FIRST_START)

    end(store, run, RunStatus.FAILED)

    assert get_run(store, run.run_id).n_rows is None
    assert gates_of(store, run.run_id) == ()


@pytest.mark.parametrize("status", [RunStatus.OK, RunStatus.REJECTED, RunStatus.FAILED])
def test_a_run_ends_once(store, status):
    run = begin(store, FIRST_START)
    end(store, run, status)
    before = content(store)

    with pytest.raises(StoreError) as refused:
        end(store, run, RunStatus.REJECTED)

    assert refused.value.code == "run_not_open"
    assert content(store) == before


def test_a_run_that_never_began_does_not_end(store):
    with pytest.raises(StoreError) as refused:
        end(store, Run("20261130T060000-x", "x", FIRST_START, date(2026, 11, 30)), RunStatus.OK)

    assert refused.value.code == "run_not_open"


@pytest.mark.parametrize("status", [RunStatus.OK, RunStatus.REJECTED])
def test_a_held_run_ends_as_a_person_decides(store, status):
    run = begin(store, FIRST_START)
    end(store, run, RunStatus.HELD)

    end(store, run, status, at=moment(0, hour=10))

    assert get_run(store, run.run_id).status is status


def test_a_clock_set_back_meanwhile_makes_no_negative_duration(store):
    run = begin(store, FIRST_START)

    end(store, run, RunStatus.OK, at=FIRST_START - timedelta(hours=1))

    row = get_run(store, run.run_id)
    assert (row.finished_at, row.duration_ms) == (FIRST_START, 0)


def test_an_accepted_run_ends_the_older_held_ones_of_its_board(store):
    held = [begin(store, moment(day)) for day in (0, 1)]
    other = begin(store, moment(1), OTHER_BOARD)
    for run in (*held, other):
        end(store, run, RunStatus.HELD)

    accepted = Diary(store).read(a_record("A"), at=moment(2)).run
    later = begin(store, moment(2, hour=7))
    end(store, later, RunStatus.HELD)

    rows = {row.run.run_id: row for row in find_runs(store)}
    for run in held:
        row = rows[run.run_id]
        assert (row.status, row.error_code) == (RunStatus.REJECTED, "superseded")
        assert accepted.run_id in row.reject_reason
    assert rows[other.run_id].status is RunStatus.HELD
    assert rows[later.run_id].status is RunStatus.HELD


def test_a_run_without_an_end_was_killed(store):
    killed = begin(store, FIRST_START)
    ended = begin(store, FIRST_START)
    end(store, ended, RunStatus.OK)

    assert end_abandoned_runs(store, moment(1)) == (killed.run_id,)

    row = get_run(store, killed.run_id)
    assert (row.status, row.error_code, row.exit_code) == (RunStatus.FAILED, "killed", 1)
    assert row.finished_at == moment(1)
    assert get_run(store, ended.run_id).status is RunStatus.OK
    assert end_abandoned_runs(store, moment(2)) == ()


def test_the_requests_of_a_killed_run_are_those_that_its_crawl_noted(store):
    noted, unnoted = begin(store, FIRST_START), begin(store, moment(0, hour=7), OTHER_BOARD)
    for run_id, board_id, n_requests in (
        (noted.run_id, BOARD, 72),
        ("20261129T060000-notices", OTHER_BOARD, 5),
    ):
        checkpoint = Checkpoint(
            run_id=run_id,
            board_id=board_id,
            phase="list",
            pass_no=1,
            n_done=70,
            n_pages=121,
            n_requests=n_requests,
            delay_s=2.0,
            last_fault="",
            noted_at=FIRST_START,
            noted_at_pc=FIRST_START,
            ends_at=None,
        )
        note_checkpoint(store, checkpoint)

    end_abandoned_runs(store, moment(1))

    assert get_run(store, noted.run_id).n_requests == 72
    assert get_run(store, unnoted.run_id).n_requests == 0, "the checkpoint of an earlier run"


def test_a_killed_run_is_not_ended_before_its_start(store):
    run = begin(store, moment(1))

    end_abandoned_runs(store, moment(0), code="bug", reason="프로그램 오류입니다.", exit_code=5)

    row = get_run(store, run.run_id)
    assert (row.finished_at, row.error_code, row.exit_code) == (moment(1), "bug", 5)


# --- questions ---------------------------------------------------------------------------------


def test_runs_are_found_newest_first_by_board_and_day(store):
    runs = [begin(store, moment(day)) for day in range(4)]
    other = begin(store, moment(2), OTHER_BOARD)

    found = find_runs(store, board_id=BOARD, since=date(2026, 12, 1), until=date(2026, 12, 2))

    assert [row.run for row in found] == [runs[2], runs[1]]
    assert [row.run for row in find_runs(store, limit=3)] == [runs[3], other, runs[2]]


def test_a_run_that_does_not_exist_is_named(store):
    with pytest.raises(UsageError) as refused:
        get_run(store, "20261130T060000-x")

    assert refused.value.code == "no_such_run"
    assert "20261130T060000-x" in refused.value.message


def test_a_run_that_does_not_exist_has_no_warnings(store):
    assert warnings_of(store, "20261130T060000-x") == ()


def test_the_last_accepted_run_is_found_up_to_a_day_and_before_a_moment(store):
    accepted = []
    for day, status in enumerate((RunStatus.OK, RunStatus.OK, RunStatus.HELD, RunStatus.OK)):
        run = begin(store, moment(day))
        end(store, run, status)
        accepted.append(run)

    def last(**until: date | datetime) -> Run | None:
        row = last_accepted_run(store, BOARD, **until)  # type: ignore[arg-type]
        return row.run if row else None

    assert last() == accepted[3]
    assert last(until=date(2026, 12, 2)) == accepted[1]
    assert last(before=moment(1)) == accepted[0]
    assert last(until=date(2026, 11, 29)) is None
    assert last_accepted_run(store, OTHER_BOARD) is None


# --- who asked, and the full check ------------------------------------------------------------


def test_a_run_remembers_who_asked_and_the_full_check_that_it_took_part_in(store):
    run = begin(store, FIRST_START)
    summary = RunSummary(
        run,
        RunStatus.HELD,
        3,
        identity="DMF-Crawler/1.0",
        full_check_from=date(2026, 11, 29),
        full_check_left=12,
    )
    with store.atomic():
        finish_run(store, summary, FIRST_START)

    row = get_run(store, run.run_id)
    assert (row.identity, row.full_check_from, row.full_check_left) == (
        "DMF-Crawler/1.0",
        date(2026, 11, 29),
        12,
    )


def test_who_asks_is_known_of_a_run_from_its_start_on(store):
    """A killed run must tell, too, whose pages it kept."""
    run = begin_run(store, BOARD, FIRST_START, selector_version=1, identity="DMF-Crawler/1.0")
    assert get_run(store, run.run_id).identity == "DMF-Crawler/1.0"

    end_abandoned_runs(store, moment(1))

    assert get_run(store, run.run_id).identity == "DMF-Crawler/1.0"
    assert get_run(store, begin(store, moment(2)).run_id).identity == ""


def test_a_decision_from_kept_pages_leaves_who_asked_and_the_full_check_as_they_were(store):
    run = begin(store, FIRST_START)
    asked = RunSummary(
        run, RunStatus.HELD, 3, identity="a", full_check_from=date(2026, 11, 29), full_check_left=2
    )
    with store.atomic():
        finish_run(store, asked, FIRST_START)
        finish_run(store, RunSummary(run, RunStatus.OK, 0), FIRST_START)

    row = get_run(store, run.run_id)
    assert (row.status, row.identity, row.full_check_from, row.full_check_left) == (
        RunStatus.OK,
        "a",
        date(2026, 11, 29),
        2,
    )


def test_a_gate_belongs_to_its_run_alone(store):
    run = begin(store, FIRST_START)
    held = RunSummary(run, RunStatus.HELD, 3, gates=GATES)
    with store.atomic():
        finish_run(store, held, FIRST_START)

    with store.atomic():
        finish_run(store, replace(held, status=RunStatus.OK, gates=GATES[:1]), FIRST_START)

    assert gates_of(store, run.run_id) == GATES[:1]
