"""What the history knows of sites' terms of use: who has read them, and what stopped runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from dmf_crawler.model.run import KST, kst
from dmf_crawler.model.terms import Confirmation, ForbiddingPassage, TermsStop
from dmf_crawler.persist.store import Store


@dataclass(frozen=True, slots=True)
class TermsChange:
    """A page of terms that said something else than before: its board, the run, that run's day."""

    board_id: str
    run_id: str
    day: date


# --- stops ---------------------------------------------------------------------------------------


def record_stop(store: Store, stop: TermsStop) -> None:
    """Record that a passage forbids crawling; one that is open already is not told twice.

    Raises:
        StoreError: `write_failed`.
    """
    found = stop.found
    with store.atomic():
        store.execute(
            "INSERT INTO terms_stop (site, board_id, run_id, pattern, passage, source_url,"
            " source_sha256, found_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS"
            " (SELECT 1 FROM terms_stop WHERE site = ?1 AND passage = ?5"
            " AND decided_at IS NULL)",
            (
                *(stop.site, stop.board_id, stop.run_id, found.pattern, found.passage, found.url),
                *(found.source, kst(stop.found_at).isoformat()),
            ),
        )


def open_stops(store: Store, site: str, *, until: datetime | None = None) -> tuple[TermsStop, ...]:
    """Return the stops of a site that nobody had decided on, oldest first.

    Args:
        store: The history.
        site: Scheme, host and port.
        until: As it was at that moment; None for now.
    """
    rows = store.rows(
        "SELECT * FROM terms_stop WHERE site = ?1 AND (?2 IS NULL OR found_at < ?2)"
        " AND (decided_at IS NULL OR decided_at >= ?2) ORDER BY stop_id",
        (site, kst(until).isoformat() if until else None),
    )
    return tuple(_read_stop(row) for row in rows)


def decided_passages(store: Store, site: str) -> frozenset[str]:
    """Return the passages of a site that a person has decided on."""
    rows = store.rows(
        "SELECT passage FROM terms_stop WHERE site = ? AND decided_at IS NOT NULL", (site,)
    )
    return frozenset(row["passage"] for row in rows)


def _read_stop(row: sqlite3.Row) -> TermsStop:
    return TermsStop(
        site=row["site"],
        board_id=row["board_id"],
        run_id=row["run_id"],
        found=ForbiddingPassage(
            row["pattern"], row["passage"], row["source_url"], row["source_sha256"]
        ),
        found_at=datetime.fromisoformat(row["found_at"]).astimezone(KST),
    )


# --- confirmations -------------------------------------------------------------------------------


def confirm_terms(store: Store, site: str, confirmation: Confirmation) -> tuple[TermsStop, ...]:
    """Record that a person has read a site's terms; return the stops that this ends.

    Raises:
        StoreError: `write_failed`.
    """
    at = kst(confirmation.at).isoformat()
    with store.atomic():
        ended = open_stops(store, site)
        store.execute(
            "INSERT INTO terms_confirmation (site, confirmed_at, note) VALUES (?, ?, ?)",
            (site, at, confirmation.note),
        )
        store.execute(
            "UPDATE terms_stop SET decided_at = ?, note = ? WHERE site = ? AND decided_at IS NULL",
            (at, confirmation.note, site),
        )
    return ended


def last_confirmation(store: Store, site: str, *, until: datetime) -> Confirmation | None:
    """Return who has read a site's terms last before a moment, None for nobody."""
    rows = store.rows(
        "SELECT * FROM terms_confirmation WHERE site = ? AND confirmed_at < ?"
        " ORDER BY confirmed_at DESC, confirmation_id DESC LIMIT 1",
        (site, kst(until).isoformat()),
    )
    if not rows:
        return None
    at = datetime.fromisoformat(rows[0]["confirmed_at"]).astimezone(KST)
    return Confirmation(at, rows[0]["note"])


# --- what asks for one ---------------------------------------------------------------------------


def terms_changes(
    store: Store, board_ids: Collection[str], *, since: datetime | None, until: datetime
) -> tuple[TermsChange, ...]:
    """Return the changes of pages of terms that began after a moment, oldest first.

    Args:
        store: The history.
        board_ids: Boards of pages of terms.
        since: None for all.
        until: Runs that began before.
    """
    rows = store.rows(
        "SELECT v.board_id, v.run_id, v.day FROM page_visit v"
        " JOIN crawl_run r ON r.run_id = v.run_id"
        " WHERE v.board_id IN (SELECT value FROM json_each(?1))"
        " AND v.movement IN ('content', 'field')"
        " AND (?2 IS NULL OR r.started_at > ?2) AND r.started_at < ?3 ORDER BY r.started_at",
        (
            json.dumps(sorted(board_ids)),
            kst(since).isoformat() if since else None,
            kst(until).isoformat(),
        ),
    )
    return tuple(
        TermsChange(row["board_id"], row["run_id"], date.fromisoformat(row["day"])) for row in rows
    )


def first_day(store: Store, board_ids: Collection[str]) -> date | None:
    """Return the day of the first run of some boards, None before it."""
    rows = store.rows(
        "SELECT min(day) AS day FROM crawl_run WHERE board_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(board_ids)),),
    )
    return date.fromisoformat(rows[0]["day"]) if rows[0]["day"] else None
