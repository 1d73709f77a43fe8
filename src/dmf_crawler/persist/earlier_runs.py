"""What earlier runs of a board leave to the next one: kept pages, the full check, who asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.persist.runs import ABANDONED, read_run
from dmf_crawler.persist.store import Store

TRY_AGAIN = 6
"""Exit code of a run that the network, the site or the clock ended early."""


def unfinished_runs(store: Store, board_id: str, day: date) -> tuple[RunRow, ...]:
    """Return the runs of a board and day whose kept pages a later run may take over, newest first.

    They were killed, ended early with exit code 6, or did not begin the list for want of budget;
    after a run that saw the whole list (accepted, held or refused) nothing older counts. A run at
    work and a re-parse are left out.
    """
    rows = store.rows(
        "SELECT * FROM crawl_run WHERE board_id = ? AND day = ? AND reparse_of IS NULL"
        " AND status <> 'RUNNING' ORDER BY started_at DESC, rowid DESC",
        (board_id, str(day)),
    )
    unfinished = []
    for row in map(read_run, rows):
        is_early = row.status is RunStatus.FAILED or row.error_code == "budget_exceeded"
        if not is_early:
            break
        if row.error_code in {ABANDONED, "budget_exceeded"} or row.exit_code == TRY_AGAIN:
            unfinished.append(row)
    return tuple(unfinished)


def note_taken_over(store: Store, run: Run, n_pages: int) -> None:
    """Note that a run at work goes on behind so many pages of one that ended early."""
    with store.atomic():
        store.execute(
            "UPDATE crawl_run SET n_taken_over = ? WHERE run_id = ?", (n_pages, run.run_id)
        )


def taken_over(store: Store) -> Mapping[str, int]:
    """Return how many pages each run took over, by its id; only runs that did."""
    rows = store.rows("SELECT run_id, n_taken_over FROM crawl_run WHERE n_taken_over > 0")
    return {row["run_id"]: row["n_taken_over"] for row in rows}


def n_killed(store: Store, day: date) -> int:
    """Count the runs of a day that were killed: each may have had a request on its way."""
    rows = store.rows(
        "SELECT count(*) AS n FROM crawl_run WHERE day = ? AND error_code = ?"
        " AND reparse_of IS NULL",
        (str(day), ABANDONED),
    )
    return int(rows[0]["n"])


def last_full_check(store: Store, board_id: str) -> date | None:
    """Return when the full check began that the last accepted run took part in, if one did."""
    rows = store.rows(
        "SELECT full_check_from FROM crawl_run WHERE board_id = ? AND status = 'OK'"
        " AND full_check_from IS NOT NULL ORDER BY started_at DESC LIMIT 1",
        (board_id,),
    )
    return date.fromisoformat(rows[0]["full_check_from"]) if rows else None


def last_rise(store: Store, board_id: str) -> datetime | None:
    """Return the start of the last accepted read with more records than the one before, or None.

    A correction counts with the start of the run whose pages it read.
    """
    rows = store.rows(
        "SELECT max(read_at) AS rose_at FROM (SELECT coalesce(o.started_at, c.started_at) AS"
        " read_at, c.n_rows, lag(c.n_rows) OVER (ORDER BY c.started_at) AS n_before"
        " FROM crawl_run c LEFT JOIN crawl_run o ON o.run_id = c.reparse_of"
        " WHERE c.board_id = ? AND c.status = 'OK') WHERE n_rows > n_before",
        (board_id,),
    )
    return datetime.fromisoformat(rows[0]["rose_at"]) if rows[0]["rose_at"] else None


def last_identity(store: Store, board_id: str) -> str:
    """Return who asked in the board's last accepted run, "" before the first."""
    rows = store.rows(
        "SELECT identity FROM crawl_run WHERE board_id = ? AND identity <> '' AND status = 'OK'"
        " ORDER BY started_at DESC, rowid DESC LIMIT 1",
        (board_id,),
    )
    return rows[0]["identity"] if rows else ""


def last_ended_runs(store: Store) -> tuple[RunRow, ...]:
    """Return each board's last crawl that ended, ordered by board."""
    rows = store.rows(
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY board_id"
        " ORDER BY started_at DESC, rowid DESC) AS place FROM crawl_run"
        " WHERE status <> 'RUNNING' AND reparse_of IS NULL) WHERE place = 1 ORDER BY board_id"
    )
    return tuple(read_run(row) for row in rows)
