"""What the history knows of its boards, the ones included that are switched off by now."""

from __future__ import annotations

from datetime import date

from dmf_crawler.model.record import Fields
from dmf_crawler.persist.recording import load_fields
from dmf_crawler.persist.store import Store


def boards_with_runs(store: Store) -> tuple[str, ...]:
    """Return the id of every board that ever ran, ordered."""
    rows = store.rows("SELECT DISTINCT board_id FROM crawl_run ORDER BY board_id")
    return tuple(row["board_id"] for row in rows)


def accepted_span(store: Store, board_id: str) -> tuple[date, date] | None:
    """Return the first and the last day with an accepted run of a board, None without any."""
    (row,) = store.rows(
        "SELECT min(day) AS first, max(day) AS last FROM crawl_run"
        " WHERE board_id = ? AND status = 'OK'",
        (board_id,),
    )
    if row["first"] is None:
        return None
    return date.fromisoformat(row["first"]), date.fromisoformat(row["last"])


def newest_fields(store: Store, board_id: str) -> Fields:
    """Return the values of the version that was written last for a board; none without any."""
    rows = store.rows(
        "SELECT payload_json FROM dmf_record WHERE board_id = ? ORDER BY sk DESC LIMIT 1",
        (board_id,),
    )
    return load_fields(rows[0]["payload_json"]) if rows else {}
