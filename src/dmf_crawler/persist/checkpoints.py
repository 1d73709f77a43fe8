"""How far a board's crawl has come, noted while it is at work; `status` reads it from outside."""

from __future__ import annotations

from datetime import datetime

from dmf_crawler.model.run import KST, Checkpoint, kst
from dmf_crawler.persist.store import Store


def note_checkpoint(store: Store, checkpoint: Checkpoint) -> None:
    """Note how far a run has come, in place of the board's checkpoint before."""
    ends_at = checkpoint.ends_at
    with store.atomic():
        store.execute(
            "INSERT OR REPLACE INTO checkpoint (board_id, run_id, phase, pass_no, n_done, n_pages,"
            " n_requests, delay_s, last_fault, noted_at, noted_at_pc, ends_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                checkpoint.board_id,
                checkpoint.run_id,
                checkpoint.phase,
                checkpoint.pass_no,
                checkpoint.n_done,
                checkpoint.n_pages,
                checkpoint.n_requests,
                checkpoint.delay_s,
                checkpoint.last_fault,
                checkpoint.noted_at.astimezone(KST).isoformat(),
                checkpoint.noted_at_pc.astimezone(KST).isoformat(),
                kst(ends_at).isoformat() if ends_at else None,
            ),
        )


def read_checkpoints(store: Store) -> tuple[Checkpoint, ...]:
    """Return the last checkpoint of every board, that of an ended run included."""
    return tuple(
        Checkpoint(
            run_id=row["run_id"],
            board_id=row["board_id"],
            phase=row["phase"],
            pass_no=row["pass_no"],
            n_done=row["n_done"],
            n_pages=row["n_pages"],
            n_requests=row["n_requests"],
            delay_s=row["delay_s"],
            last_fault=row["last_fault"],
            noted_at=datetime.fromisoformat(row["noted_at"]).astimezone(KST),
            noted_at_pc=datetime.fromisoformat(row["noted_at_pc"]).astimezone(KST),
            ends_at=datetime.fromisoformat(row["ends_at"]).astimezone(KST)
            if row["ends_at"]
            else None,
        )
        for row in store.rows("SELECT * FROM checkpoint ORDER BY board_id")
    )
