"""Starts by the schedule: written before any work, so that a killed one is known.

The Windows task fires several times a day; these rules decide whether a start does anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import KST, RunStatus, kst
from dmf_crawler.persist.store import Store

MAX_ATTEMPTS = 4
LEAST_GAP = timedelta(minutes=25)
"""As long as a run may take: a younger attempt without an end may still be at work."""

FINAL_CODES = frozenset({"robots_disallowed", "blocked_address", "terms_forbid", "budget_exceeded"})
"""Errors that another attempt of the same day cannot mend."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One start by the schedule; without `ended_at` it was killed, or is still at work."""

    attempt_id: int
    started_at: datetime
    ended_at: datetime | None
    exit_code: int | None = None


def attempts_of_day(store: Store, day: date) -> tuple[Attempt, ...]:
    """Return the attempts of a day, oldest first."""
    rows = store.rows("SELECT * FROM attempt WHERE day = ? ORDER BY attempt_id", (str(day),))
    return tuple(
        Attempt(
            row["attempt_id"],
            datetime.fromisoformat(row["started_at"]).astimezone(KST),
            datetime.fromisoformat(row["ended_at"]).astimezone(KST) if row["ended_at"] else None,
            row["exit_code"],
        )
        for row in rows
    )


def begin_attempt(store: Store, day: date, now: datetime) -> int:
    """Record that an attempt starts; return its id."""
    with store.atomic():
        cursor = store.execute(
            "INSERT INTO attempt (day, started_at) VALUES (?, ?)",
            (str(day), kst(now).isoformat()),
        )
    return cursor.lastrowid or 0


def end_attempt(store: Store, attempt_id: int, now: datetime, exit_code: int) -> None:
    """Record how an attempt ended."""
    with store.atomic():
        store.execute(
            "UPDATE attempt SET ended_at = ?, exit_code = ? WHERE attempt_id = ?",
            (kst(now).isoformat(), exit_code, attempt_id),
        )


def refuse_attempt(attempts: Sequence[Attempt], now: datetime) -> str:
    """Say in Korean why no further attempt is due now, "" when one is."""
    if len(attempts) >= MAX_ATTEMPTS:
        return f"오늘 {MAX_ATTEMPTS}번 시도했으므로 더 시도하지 않습니다."
    if attempts and now - attempts[-1].started_at < LEAST_GAP:
        minutes = int(LEAST_GAP.total_seconds() // 60)
        return f"마지막 시도가 {minutes}분이 지나지 않아 이번에는 시작하지 않습니다."
    return ""


def is_board_closed(runs: Sequence[RunRow]) -> bool:
    """Say whether a board needs no further attempt that day, from its runs of the day.

    Accepted or held closes it, whatever a person decided since; so does what another attempt cannot
    mend. What a gate refused is tried once more, a race always. A correction read pages of before:
    it closes no day.
    """
    n_refused = 0
    for row in runs:
        if row.reparse_of:
            continue
        was_held = row.status is RunStatus.HELD or row.decision is not None
        if row.status is RunStatus.OK or was_held or row.error_code in FINAL_CODES:
            return True
        n_refused += row.status is RunStatus.REJECTED and row.error_code != "race"
    return n_refused >= 2
