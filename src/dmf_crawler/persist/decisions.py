"""Held runs in the history, and what became of them."""

from __future__ import annotations

from datetime import date, datetime

from dmf_crawler.errors import StoreError
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Run, kst
from dmf_crawler.persist.runs import read_run
from dmf_crawler.persist.store import Store


def held_runs(store: Store) -> tuple[RunRow, ...]:
    """Return the runs of all boards that wait for a person, oldest first."""
    rows = store.rows("SELECT * FROM crawl_run WHERE status = 'HELD' ORDER BY started_at, rowid")
    return tuple(read_run(row) for row in rows)


def decided_runs(
    store: Store, board_id: str, *, since: date | None, until: date
) -> tuple[RunRow, ...]:
    """Return a board's runs of some days (both included) that were held and ended, oldest first."""
    rows = store.rows(
        "SELECT * FROM crawl_run WHERE board_id = ? AND decision <> '' AND day BETWEEN ? AND ?"
        " ORDER BY started_at, rowid",
        (board_id, str(since or ""), str(until)),
    )
    return tuple(read_run(row) for row in rows)


def approved_days(store: Store, board_id: str, *, since: datetime) -> tuple[date, ...]:
    """Return the days of a board's runs that were approved at or after a moment."""
    rows = store.rows(
        "SELECT DISTINCT day FROM crawl_run WHERE board_id = ? AND status = 'OK'"
        " AND decision = ? AND decided_at >= ? ORDER BY day",
        (board_id, Decided.APPROVED, kst(since).isoformat()),
    )
    return tuple(date.fromisoformat(row["day"]) for row in rows)


def record_decision(store: Store, run_id: str, decision: Decision) -> None:
    """Note on a run that is held how that ends; the caller holds the transaction."""
    store.execute(
        "UPDATE crawl_run SET decision = ?, decided_at = ?, decision_note = ? WHERE run_id = ?",
        (*_columns(decision), run_id),
    )


def _columns(decision: Decision) -> tuple[str | None, ...]:
    at = kst(decision.at).isoformat() if decision.at else None
    return (decision.what, at, decision.note)


def reject_held(store: Store, row: RunRow, decision: Decision) -> None:
    """End a held run as REJECTED; what it saw and why it was held stay.

    Raises:
        StoreError: `run_not_open`: it is not held any more; `write_failed`.
    """
    reason = f"사람이 거부했습니다. 보류 사유: {row.reject_reason}"
    with store.atomic():
        cursor = store.execute(
            "UPDATE crawl_run SET status = 'REJECTED', error_code = 'rejected', reject_reason = ?,"
            " decision = ?, decided_at = ?, decision_note = ?"
            " WHERE run_id = ? AND status = 'HELD'",
            (reason, *_columns(decision), row.run.run_id),
        )
        if cursor.rowcount != 1:
            raise StoreError(
                "run_not_open",
                f"실행 {row.run.run_id} 은 더 이상 보류된 실행이 아닙니다. 아무것도 바뀌지 "
                "않았습니다. runs 명령으로 상태를 확인하십시오.",
            )


def supersede_held(store: Store, run: Run, at: datetime) -> None:
    """Reject a board's runs that wait for a person, older than one that was accepted.

    What they saw was compared with a list that no longer stands. A correction reads pages of its
    own day: what was seen after that stays held. The caller holds the transaction.
    """
    store.execute(
        "UPDATE crawl_run SET status = 'REJECTED', error_code = 'superseded', reject_reason = ?,"
        " decision = 'superseded', decided_at = ?"
        " WHERE board_id = ? AND status = 'HELD' AND started_at <= ? AND day <= ?",
        (
            f"더 새로운 실행 {run.run_id} 이 채택되어 이 보류는 끝났습니다. 할 일이 없습니다.",
            kst(at).isoformat(),
            run.board_id,
            run.started_at.isoformat(),
            str(run.day),
        ),
    )
