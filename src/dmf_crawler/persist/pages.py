"""Detail pages and files as the last accepted visit left them: validators, digests, days."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.page import RequestIdentity
from dmf_crawler.model.run import Run, kst
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.stored import read_day, read_moment


def known_pages(store: Store, board_id: str) -> dict[RequestIdentity, KnownPage]:
    """Return every detail page and file of a board by its request, in the order of addresses."""
    rows = store.rows(
        "SELECT * FROM known_page WHERE board_id = ? ORDER BY url, method, body", (board_id,)
    )
    return {page.identity: page for page in map(_read_page, rows)}


def known_detail(store: Store, board_id: str, key: str) -> KnownPage | None:
    """Return the detail page of a record as the last accepted visit left it, None for none."""
    rows = store.rows(
        "SELECT * FROM known_page WHERE board_id = ? AND natural_key = ? AND kind = 'detail'"
        " ORDER BY fetched_at DESC, url LIMIT 1",
        (board_id, key),
    )
    return _read_page(rows[0]) if rows else None


def _read_page(row: sqlite3.Row) -> KnownPage:
    return KnownPage(
        identity=(row["method"], row["url"], row["body"]),
        kind=row["kind"],
        etag=row["etag"],
        last_modified=row["last_modified"],
        n_new_validators=row["n_new_validators"],
        sha256=row["sha256"],
        raw_dir=row["raw_dir"],
        asked_by=row["asked_by"],
        fetched_at=read_moment(row["fetched_at"]),
        full_checked_on=read_day(row["full_checked_on"]),
        row_digest=row["row_digest"],
        content_digest=row["content_digest"],
        is_whole=bool(row["is_whole"]),
    )


def record_pages(store: Store, run: Run, pages: Sequence[tuple[str, KnownPage]]) -> None:
    """Record what an accepted run saw, each with its record's key; the rest stays as it was.

    The caller holds the transaction.
    """
    store.execute_many(
        "INSERT OR REPLACE INTO known_page (board_id, method, url, body, natural_key, kind, etag,"
        " last_modified, n_new_validators, sha256, raw_dir, asked_by, fetched_at, full_checked_on,"
        " row_digest, content_digest, is_whole, run_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                run.board_id,
                *page.identity,
                key,
                page.kind,
                page.etag,
                page.last_modified,
                page.n_new_validators,
                page.sha256,
                page.raw_dir,
                page.asked_by,
                kst(page.fetched_at).isoformat(),
                str(page.full_checked_on),
                page.row_digest,
                page.content_digest,
                page.is_whole,
                run.run_id,
            )
            for key, page in pages
        ),
    )
