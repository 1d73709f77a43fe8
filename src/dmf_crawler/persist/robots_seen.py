"""What robots.txt said to each board's last accepted run, so that a change can be told."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

from dmf_crawler.model.run import Run
from dmf_crawler.persist.store import Store


@dataclass(frozen=True, slots=True)
class RobotsSeen:
    """What a board's host answered for robots.txt.

    Attributes:
        day: The day of the run that asked.
        status: HTTP status.
        body: As much of it as is parsed.
    """

    day: date
    status: int
    body: bytes


def last_robots(store: Store, board_id: str) -> RobotsSeen | None:
    """Return what the board's last accepted run was answered, None before the first."""
    rows = store.rows("SELECT * FROM robots_seen WHERE board_id = ?", (board_id,))
    if not rows:
        return None
    row = rows[0]
    return RobotsSeen(date.fromisoformat(row["day"]), row["status"], row["body"])


def record_robots(store: Store, run: Run, status: int, body: bytes) -> None:
    """Record what an accepted run was answered; the caller holds the transaction.

    Args:
        store: The history.
        run: The run.
        status: HTTP status.
        body: As much of the body as is parsed.
    """
    store.execute(
        "INSERT OR REPLACE INTO robots_seen (board_id, day, run_id, status, sha256, body)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            run.board_id,
            str(run.day),
            run.run_id,
            status,
            hashlib.sha256(body).hexdigest(),
            body,
        ),
    )
