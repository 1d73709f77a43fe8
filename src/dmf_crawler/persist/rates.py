"""How often a list changes and how late its reports were, as the accepted runs left it."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime

from dmf_crawler.model.rate import ChangeRate, Delay, Rate
from dmf_crawler.model.run import Run
from dmf_crawler.persist.store import Store

DELAY_DAYS = 30
"""Accepted days among which the longest delay is looked for."""


def write_change_rate(store: Store, run: Run, rate: ChangeRate) -> None:
    """Record a day's estimate in place of an earlier one; the caller holds the transaction."""
    store.execute(
        "INSERT OR REPLACE INTO change_rate VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.board_id,
            str(run.day),
            rate.n_observations,
            *_numbers(rate.recent),
            *_numbers(rate.whole),
        ),
    )


def _numbers(rate: Rate | None) -> tuple[float | None, float | None, float | None]:
    return (rate.per_day, rate.low, rate.high) if rate else (None, None, None)


def change_rate_of(store: Store, board_id: str, day: date) -> ChangeRate | None:
    """Return how often a list changed as estimated last up to a day; None before any estimate."""
    rows = store.rows(
        "SELECT * FROM change_rate WHERE board_id = ? AND observed_on <= ?"
        " ORDER BY observed_on DESC LIMIT 1",
        (board_id, str(day)),
    )
    if not rows:
        return None
    return ChangeRate(rows[0]["n_observations"], _rate(rows[0], "recent"), _rate(rows[0], "whole"))


def _rate(row: sqlite3.Row, name: str) -> Rate | None:
    per_day = row[f"{name}_rate"]
    return None if per_day is None else Rate(per_day, row[f"{name}_low"], row[f"{name}_high"])


def count_accepted_days(store: Store, board_id: str, until: date) -> int:
    """Return on how many days up to one a board's list was accepted."""
    rows = store.rows(
        "SELECT count(DISTINCT day) AS n FROM accepted_read WHERE board_id = ? AND day <= ?",
        (board_id, str(until)),
    )
    return int(rows[0]["n"])


def delay_of(store: Store, board_id: str, until: date, *, missing_runs: int) -> Delay | None:
    """Return how late a board's reports were up to a day; None below two accepted days.

    What the site changes just after a day's first accepted read began is found by the first one of
    the next accepted day. Corrections read old pages: they find nothing sooner.

    Args:
        store: The history.
        board_id: Which board.
        until: The last day looked at.
        missing_runs: Accepted days in a row without a row after which it counts as withdrawn.
    """
    n_days = max(DELAY_DAYS, missing_runs) + 1
    rows = store.rows(
        "SELECT min(started_at) AS started_at, min(finished_at) AS finished_at FROM crawl_run"
        " WHERE board_id = ? AND status = 'OK' AND reparse_of IS NULL AND day <= ?"
        " GROUP BY day ORDER BY day DESC LIMIT ?",
        (board_id, str(until), n_days),
    )
    starts = [datetime.fromisoformat(row["started_at"]) for row in rows]
    ends = [datetime.fromisoformat(row["finished_at"]) for row in rows]
    gaps = [
        (end - start).total_seconds()
        for end, start in zip(ends[:DELAY_DAYS], starts[1:], strict=False)
    ]
    if not gaps:
        return None
    vanished_s = None
    if len(starts) > missing_runs:
        vanished_s = (ends[0] - starts[missing_runs]).total_seconds()
    return Delay(gaps[0], max(gaps), vanished_s, len(gaps))
