"""Changes of watched pages that a person has to look at (검토대기), and what was looked at."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime

from dmf_crawler.errors import UsageError
from dmf_crawler.model.run import KST, kst
from dmf_crawler.model.watched_page import Movement, PageState, ReviewItem
from dmf_crawler.persist.recording import load_fields
from dmf_crawler.persist.store import Store

_REVIEWS = (
    "SELECT w.review_id, w.board_id, w.run_id, w.is_terms, w.done_at, w.note, c.started_at,"
    " v.day, v.movement, v.distance, v.threshold, v.why FROM page_review w"
    " JOIN page_visit v ON v.run_id = w.run_id JOIN crawl_run c ON c.run_id = w.run_id WHERE "
)


def waiting_reviews(
    store: Store, board_id: str | None = None, *, until: date | None = None
) -> tuple[ReviewItem, ...]:
    """Return the changes that nobody has looked at yet, newest first.

    Args:
        store: The history.
        board_id: Of this board alone; None for all.
        until: Found on this day or before; None for all.
    """
    return _read(
        store,
        "w.done_at IS NULL AND (?1 IS NULL OR w.board_id = ?1) AND (?2 IS NULL OR v.day <= ?2)",
        (board_id, str(until) if until else None),
    )


def all_reviews(store: Store, board_id: str | None = None) -> tuple[ReviewItem, ...]:
    """Return all changes of one board or of all, looked at or not, newest first."""
    return _read(store, "?1 IS NULL OR w.board_id = ?1", (board_id,))


def reviews_of_day(store: Store, board_id: str, day: date) -> tuple[ReviewItem, ...]:
    """Return what a board's accepted runs of a day found, looked at or not, newest first."""
    return _read(store, "w.board_id = ?1 AND v.day = ?2", (board_id, str(day)))


def finish_review(store: Store, review_id: int, note: str, at: datetime) -> ReviewItem:
    """Note that a person has looked at a change, and return it.

    Raises:
        UsageError: `no_such_review`, `review_done`; nothing was written.
        StoreError: `write_failed`.
    """
    with store.atomic():
        found = _read(store, "w.review_id = ?1", (review_id,))
        if not found:
            raise UsageError(
                "no_such_review",
                f"검토 번호 {review_id} 는 없습니다. 아무것도 바뀌지 않았습니다. "
                "review list --all 로 번호를 확인하십시오.",
            )
        if found[0].done_at is not None:
            noted = f", 메모: {found[0].note}" if found[0].note else ""
            raise UsageError(
                "review_done",
                f"검토 번호 {review_id} 는 {found[0].done_at:%Y-%m-%d %H:%M} 에 이미 확인했습니다"
                f"{noted}. 아무것도 바뀌지 않았습니다. 아직 남은 것은 review list 로 보십시오.",
            )
        store.execute(
            "UPDATE page_review SET done_at = ?, note = ? WHERE review_id = ?",
            (kst(at).isoformat(), note, review_id),
        )
        (item,) = _read(store, "w.review_id = ?1", (review_id,))
    return item


def _read(
    store: Store, condition: str, parameters: tuple[str | int | None, ...]
) -> tuple[ReviewItem, ...]:
    rows = store.rows(_REVIEWS + condition + " ORDER BY w.review_id DESC", parameters)
    return tuple(_read_review(store, row) for row in rows)


def _read_review(store: Store, row: sqlite3.Row) -> ReviewItem:
    after, before = _read_states(store, row["board_id"], row["started_at"])
    return ReviewItem(
        review_id=row["review_id"],
        board_id=row["board_id"],
        run_id=row["run_id"],
        day=date.fromisoformat(row["day"]),
        movement=Movement(row["movement"]),
        is_terms=bool(row["is_terms"]),
        distance=row["distance"],
        before=load_fields(before["payload_json"]) if before else {},
        after=load_fields(after["payload_json"]) if after else {},
        done_at=datetime.fromisoformat(row["done_at"]).astimezone(KST) if row["done_at"] else None,
        note=row["note"],
        threshold=row["threshold"],
        why=row["why"],
        before_at=_page_state(before) if before else None,
        after_at=_page_state(after) if after else None,
    )


def _read_states(
    store: Store, board_id: str, started_at: str
) -> tuple[sqlite3.Row | None, sqlite3.Row | None]:
    """Return the version that a run opened and the one before it, both as the history kept them."""
    rows = store.rows(
        "SELECT r.payload_json, r.source_sha256, r.source_url, r.first_seen_run,"
        " first.day, first.raw_dir, last.day AS last_day FROM dmf_record r"
        " JOIN crawl_run first ON first.run_id = r.first_seen_run"
        " JOIN crawl_run last ON last.run_id = r.last_seen_run"
        " WHERE r.board_id = ?1 AND r.natural_key = ?1 AND r.valid_from <= ?2"
        " ORDER BY r.valid_from DESC LIMIT 2",
        (board_id, started_at),
    )
    after, before = (*rows, None, None)[:2]
    return after, before


def _page_state(row: sqlite3.Row) -> PageState:
    return PageState(
        run_id=row["first_seen_run"],
        day=date.fromisoformat(row["day"]),
        last_day=date.fromisoformat(row["last_day"]),
        url=row["source_url"],
        source=row["source_sha256"],
        raw_dir=row["raw_dir"],
    )
