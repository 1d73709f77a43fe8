"""Runs in the history: how each began and ended, and the gates it met."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import date, datetime, timedelta

from dmf_crawler.errors import StoreError, UsageError
from dmf_crawler.model.change import Counts
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Run, RunStatus, day_of, kst
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.deliveries import write_deliveries
from dmf_crawler.persist.gate_results import write_gates
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.stored import read_day, read_json, read_moment

ABANDONED = "killed"
ABANDONED_REASON = (
    "실행이 끝나기 전에 중단되었습니다(강제 종료 또는 정전). 이력은 바뀌지 않았습니다."
)


def begin_run(
    store: Store,
    board_id: str,
    now: datetime,
    *,
    selector_version: int,
    reparse_of: RunRow | None = None,
    identity: str = "",
) -> Run:
    """Give a run its id and record that it is at work.

    The id is made from the start in KST; where it is taken, `-2`, `-3` … follow.

    Args:
        store: The history.
        board_id: Which board.
        now: Aware.
        selector_version: Of the board's selectors file.
        reparse_of: For a correction the run whose pages it reads.
        identity: Who asks, one line; "" where nobody does.

    Raises:
        UsageError: `clock_went_back`.
    """
    with store.atomic():
        run = _name_run(store, board_id, now)
        raw_dir = reparse_of.raw_dir if reparse_of else f"raw/{run.day}/{board_id}/{run.run_id}"
        store.execute(
            "INSERT INTO crawl_run (run_id, board_id, day, started_at, status, selector_version,"
            " raw_dir, reparse_of, identity) VALUES (?, ?, ?, ?, 'RUNNING', ?, ?, ?, ?)",
            (
                run.run_id,
                board_id,
                str(run.day),
                run.started_at.isoformat(),
                selector_version,
                raw_dir,
                (reparse_of.reparse_of or reparse_of.run.run_id) if reparse_of else None,
                identity,
            ),
        )
    return run


def begin_dry_run(store: Store, board_id: str, now: datetime) -> Run:
    """Name a run that the history is not to know; raises as `begin_run`."""
    run = _name_run(store, board_id, now)
    return replace(run, run_id=f"{kst(now):%Y%m%dT%H%M%S}-{board_id}-dry")


def _name_run(store: Store, board_id: str, now: datetime) -> Run:
    stem = f"{kst(now):%Y%m%dT%H%M%S}-{board_id}"
    started_at = _after_last_start(store, board_id, kst(now))
    taken = {
        row["run_id"]
        for row in store.rows("SELECT run_id FROM crawl_run WHERE run_id LIKE ?", (f"{stem}%",))
    }
    run_id, number = stem, 1
    while run_id in taken:
        number += 1
        run_id = f"{stem}-{number}"
    return Run(run_id, board_id, started_at, day_of(started_at))


def _after_last_start(store: Store, board_id: str, started_at: datetime) -> datetime:
    """Return the start, moved one second behind the last accepted run's where it is not later.

    Two accepted runs of a board in the same second would make a version of no length. A start on
    an earlier day means that the clock is wrong.
    """
    row = store.rows(
        "SELECT max(started_at) AS last FROM crawl_run WHERE board_id = ? AND status = 'OK'",
        (board_id,),
    )[0]
    if row["last"] is None or started_at.isoformat() > row["last"]:
        return started_at
    last = datetime.fromisoformat(row["last"])
    after = last + timedelta(seconds=1)
    if day_of(started_at) < day_of(after):
        raise UsageError(
            "clock_went_back",
            f"시작 시각 {started_at.isoformat()} 의 기준일이 마지막 채택 실행 {row['last']} 보다 "
            "이릅니다. PC 시계(또는 --now)를 확인하십시오.",
        )
    return after


def running_runs(store: Store) -> tuple[RunRow, ...]:
    """Return the runs that have not ended: at work, or killed."""
    rows = store.rows("SELECT * FROM crawl_run WHERE status = 'RUNNING' ORDER BY rowid")
    return tuple(read_run(row) for row in rows)


def end_abandoned_runs(
    store: Store,
    now: datetime,
    *,
    code: str = ABANDONED,
    reason: str = ABANDONED_REASON,
    exit_code: int = 1,
) -> tuple[str, ...]:
    """Mark runs that never ended as FAILED; call it while holding the lock.

    At a start these are killed ones; after an exception it is the run that met it.
    """
    with store.atomic():
        rows = store.rows("SELECT run_id, started_at FROM crawl_run WHERE status = 'RUNNING'")
        store.execute_many(
            "UPDATE crawl_run SET status = 'FAILED', finished_at = ?, error_code = ?,"
            " exit_code = ?, reject_reason = ?, n_requests = coalesce((SELECT c.n_requests FROM"
            " checkpoint c WHERE c.run_id = crawl_run.run_id), 0) WHERE run_id = ?",
            (
                (
                    max(kst(now).isoformat(), row["started_at"]),
                    code,
                    exit_code,
                    reason,
                    row["run_id"],
                )
                for row in rows
            ),
        )
    return tuple(row["run_id"] for row in rows)


def finish_run(store: Store, summary: RunSummary, finished_at: datetime) -> None:
    """Record how a run ended and what its gates saw; the caller holds the transaction.

    Who asked and the full check stay as the crawl left them where the summary, made from kept
    pages, knows nothing of them. A held run that is approved ended when its crawl did.

    Raises:
        StoreError: `run_not_open`: it is not at work, and no held run that somebody decides on.
    """
    run = summary.run
    refuse_ended(store, run)
    write_gates(store, run, summary.gates)  # before the run has ended: then they stay for good
    write_deliveries(store, run.run_id, summary.deliveries)
    finished_at = max(kst(finished_at), run.started_at)  # a clock set back meanwhile
    duration = finished_at - run.started_at
    full_check_from = str(summary.full_check_from) if summary.full_check_from else None
    store.execute(
        "UPDATE crawl_run SET status = ?, finished_at = coalesce(finished_at, ?),"
        " reject_reason = ?, error_code = ?,"
        " exit_code = ?, n_rows = ?, n_pages = ?, n_requests = ?, n_new = ?, n_modified = ?,"
        " n_withdrawn = ?, n_reappeared = ?, n_cosmetic = ?, n_missing = ?, n_unlisted = ?,"
        " duration_ms = coalesce(duration_ms, ?), is_baseline = ?, warnings_json = ?,"
        " reuse_rate = ?, selector_version = coalesce(?, selector_version),"
        " identity = coalesce(nullif(?, ''), identity), full_check_left ="
        " iif(? IS NULL, full_check_left, ?), full_check_from = coalesce(?, full_check_from)"
        " WHERE run_id = ?",
        (
            summary.status,
            finished_at.isoformat(),
            summary.fault.message if summary.fault else None,
            summary.fault.code if summary.fault else None,
            summary.exit_code,
            summary.n_rows,
            summary.n_pages,
            summary.n_requests,
            *_numbers(summary.counts),
            summary.missing,
            summary.unlisted,
            int(duration.total_seconds() * 1000),
            int(summary.is_baseline),
            json.dumps(summary.warnings, ensure_ascii=False),
            summary.reuse_rate,
            summary.selector_version,
            summary.identity,
            full_check_from,
            summary.full_check_left,
            full_check_from,
            run.run_id,
        ),
    )


def refuse_ended(store: Store, run: Run) -> None:
    """Refuse to end a run that is neither at work nor held.

    Raises:
        StoreError: `run_not_open`.
    """
    sql = "SELECT 1 FROM crawl_run WHERE run_id = ? AND status IN ('RUNNING', 'HELD')"
    if not store.rows(sql, (run.run_id,)):
        raise StoreError(
            "run_not_open",
            f"실행 {run.run_id} 은 진행 중이거나 보류된 실행이 아니므로 결과를 다시 기록할 수 "
            "없습니다. 아무것도 바뀌지 않았습니다. runs 명령으로 상태를 확인하십시오.",
        )


def _numbers(counts: Counts) -> tuple[int, ...]:
    return (counts.NEW, counts.MODIFIED, counts.WITHDRAWN, counts.REAPPEARED, counts.COSMETIC)


def find_runs(
    store: Store,
    *,
    board_id: str | None = None,
    since: date | None = None,
    until: date | None = None,
    limit: int = -1,
) -> tuple[RunRow, ...]:
    """Return runs newest first, of one board and of days since … until (both included)."""
    rows = store.rows(
        "SELECT * FROM crawl_run WHERE (?1 IS NULL OR board_id = ?1)"
        " AND (?2 IS NULL OR day >= ?2) AND (?3 IS NULL OR day <= ?3)"
        " ORDER BY started_at DESC, rowid DESC LIMIT ?4",
        (
            board_id,
            str(since) if since else None,
            str(until) if until else None,
            limit,
        ),
    )
    return tuple(read_run(row) for row in rows)


def get_run(store: Store, run_id: str) -> RunRow:
    """Return one run.

    Raises:
        UsageError: `no_such_run`.
    """
    rows = store.rows("SELECT * FROM crawl_run WHERE run_id = ?", (run_id,))
    if not rows:
        raise UsageError(
            "no_such_run",
            f"실행 {run_id} 이 이력에 없습니다. runs 명령으로 실행 번호를 확인하십시오.",
        )
    return read_run(rows[0])


def last_accepted_run(
    store: Store, board_id: str, *, until: date | None = None, before: datetime | None = None
) -> RunRow | None:
    """Return a board's last accepted run, on a day up to `until`, started before `before`."""
    rows = store.rows(
        "SELECT * FROM crawl_run WHERE board_id = ?1 AND status = 'OK'"
        " AND (?2 IS NULL OR day <= ?2) AND (?3 IS NULL OR started_at < ?3)"
        " ORDER BY started_at DESC LIMIT 1",
        (board_id, str(until) if until else None, kst(before).isoformat() if before else None),
    )
    return read_run(rows[0]) if rows else None


def warnings_of(store: Store, run_id: str) -> tuple[str, ...]:
    """Return the warnings that a run left."""
    rows = store.rows("SELECT warnings_json FROM crawl_run WHERE run_id = ?", (run_id,))
    return tuple(read_json(rows[0]["warnings_json"])) if rows else ()


def read_run(row: sqlite3.Row) -> RunRow:
    """Return a row of `crawl_run` as a value."""
    started_at = read_moment(row["started_at"])
    finished_at = row["finished_at"]
    return RunRow(
        run=Run(row["run_id"], row["board_id"], started_at, read_day(row["day"])),
        status=RunStatus(row["status"]),
        finished_at=read_moment(finished_at) if finished_at else None,
        n_rows=row["n_rows"],
        n_requests=row["n_requests"],
        duration_ms=row["duration_ms"],
        selector_version=row["selector_version"],
        is_baseline=bool(row["is_baseline"]),
        counts=Counts(
            row["n_new"],
            row["n_modified"],
            row["n_withdrawn"],
            row["n_reappeared"],
            row["n_cosmetic"],
        ),
        missing=row["n_missing"],
        error_code=row["error_code"] or "",
        reject_reason=row["reject_reason"] or "",
        raw_dir=row["raw_dir"],
        exit_code=row["exit_code"],
        reparse_of=row["reparse_of"] or "",
        full_check_from=(read_day(row["full_check_from"]) if row["full_check_from"] else None),
        full_check_left=row["full_check_left"],
        identity=row["identity"],
        reuse_rate=row["reuse_rate"],
        unlisted=row["n_unlisted"],
        decision=_read_decision(row),
    )


def _read_decision(row: sqlite3.Row) -> Decision | None:
    if not row["decision"]:
        return None
    at = read_moment(row["decided_at"]) if row["decided_at"] else None
    return Decision(Decided(row["decision"]), at, row["decision_note"])
