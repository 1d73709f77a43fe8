"""The last answer to robots.txt of each host, kept whole so that a change can be told."""

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
    """What a host answered for robots.txt.

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


def last_robots(store: Store, host: str) -> RobotsSeen | None:
    """Return what a host last answered, None when it was never asked."""
    rows = store.rows("SELECT * FROM robots_seen WHERE host = ?", (host,))
    if not rows:
        return None
    row = rows[0]
    return RobotsSeen(
        date.fromisoformat(row["day"]), row["run_id"], row["status"], row["sha256"], row["body"]
    )


def record_robots(store: Store, host: str, run: Run, status: int, body: bytes) -> None:
    """Record what a host answered to a run, in place of the answer before."""
    with store.atomic():
        store.execute(
            "INSERT OR REPLACE INTO robots_seen (host, day, run_id, status, sha256, body)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                host,
                str(run.day),
                run.run_id,
                status,
                hashlib.sha256(body).hexdigest(),
                body[:MAX_KEPT_BYTES],
            ),
        )
