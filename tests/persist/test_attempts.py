"""When a start by the schedule does anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from dmf_crawler.model.change import Counts
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import KST, Run, RunStatus
from dmf_crawler.persist.attempts import (
    Attempt,
    attempts_of_day,
    begin_attempt,
    end_attempt,
    is_board_closed,
    refuse_attempt,
)
from dmf_crawler.persist.store import Store

SIX = datetime(2026, 12, 1, 6, tzinfo=KST)
DAY = date(2026, 12, 1)


def minutes(number: int) -> datetime:
    return SIX + timedelta(minutes=number)


def test_an_attempt_is_remembered_with_and_without_an_end(tmp_path):
    with Store(tmp_path / "history.sqlite3") as store:
        killed = begin_attempt(store, DAY, SIX)
        ended = begin_attempt(store, DAY, minutes(30))
        end_attempt(store, ended, minutes(35), 0)

        assert attempts_of_day(store, DAY) == (
            Attempt(killed, SIX, None),
            Attempt(ended, minutes(30), minutes(35), 0),
        )
        assert attempts_of_day(store, DAY + timedelta(days=1)) == ()
        assert [row["exit_code"] for row in store.rows("SELECT exit_code FROM attempt")] == [
            None,
            0,
        ]


@pytest.mark.parametrize(
    ("starts", "now", "is_due"),
    [
        ([], 0, True),
        ([0], 24, False),
        ([0], 25, True),
        ([0, 30, 60], 90, True),
        ([0, 30, 60, 90], 600, False),
    ],
)
def test_an_attempt_is_due_four_times_a_day_and_not_on_top_of_another(starts, now, is_due):
    attempts = [Attempt(number, minutes(start), None) for number, start in enumerate(starts)]

    assert (refuse_attempt(attempts, minutes(now)) == "") is is_due


def ended(status: RunStatus, code: str = "") -> RunRow:
    return RunRow(
        run=Run("r", "board", SIX, DAY),
        status=status,
        finished_at=SIX,
        n_rows=None,
        n_requests=0,
        duration_ms=0,
        selector_version=1,
        is_baseline=False,
        counts=Counts(),
        missing=0,
        error_code=code,
        reject_reason="",
        raw_dir="",
        exit_code=None,
    )


REJECTED = Decision(Decided.REJECTED, SIX)


@pytest.mark.parametrize(
    ("runs", "is_closed"),
    [
        ([], False),
        ([ended(RunStatus.OK)], True),
        ([ended(RunStatus.HELD, "many_withdrawals")], True),
        ([ended(RunStatus.FAILED, "timeout")] * 3, False),
        ([ended(RunStatus.FAILED, "killed")], False),
        ([ended(RunStatus.FAILED, "robots_unreachable")], False),
        ([ended(RunStatus.FAILED, "robots_disallowed")], True),
        ([ended(RunStatus.FAILED, "blocked_address")], True),
        ([ended(RunStatus.REJECTED, "missing_column")], False),
        ([ended(RunStatus.REJECTED, "missing_column")] * 2, True),
        ([ended(RunStatus.REJECTED, "race")] * 3, False),
        ([ended(RunStatus.REJECTED, "budget_exceeded")], True),
        ([replace(ended(RunStatus.REJECTED, "rejected"), decision=REJECTED)], True),
    ],
)
def test_a_board_is_closed_as_the_table_of_exit_codes_says(runs, is_closed):
    assert is_board_closed(runs) is is_closed
