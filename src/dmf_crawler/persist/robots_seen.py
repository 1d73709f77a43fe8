"""What robots.txt said to each board's last accepted run, so that a change can be told."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

from dmf_crawler.model.run import Run
from dmf_crawler.persist.store import Store

MAX_KEPT_BYTES = 500 * 1024
"""As much of a robots.txt as a crawler must be able to parse (RFC 9309, 2.5)."""


@dataclass(frozen=True, slots=True)
class RobotsSeen:
    """What a board's host answered for robots.txt.

    Attributes:
        day: The day of the run that asked.
        run_id: That run.
        status: HTTP status.
        sha256: Of the whole body.
        body: Its first 500 KiB.
    """

    day: date
    run_id: str
    status: int
    sha256: str
    body: bytes


def last_robots(store: Store, board_id: str) -> RobotsSeen | None:
    """Return what the board's last accepted run was answered, None before the first."""
    rows = store.rows("SELECT * FROM robots_seen WHERE board_id = ?", (board_id,))
    if not rows:
        return None
    row = rows[0]
    return RobotsSeen(
        date.fromisoformat(row["day"]), row["run_id"], row["status"], row["sha256"], row["body"]
    )


def record_robots(store: Store, run: Run, status: int, body: bytes) -> None:
    """Record what an accepted run was answered; the caller holds the transaction."""
    store.execute(
        "INSERT OR REPLACE INTO robots_seen (board_id, day, run_id, status, sha256, body)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            run.board_id,
            str(run.day),
            run.run_id,
            status,
            hashlib.sha256(body).hexdigest(),
            body[:MAX_KEPT_BYTES],
        ),
    )
