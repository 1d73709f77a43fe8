"""Moments before which a server asked not to be asked (Retry-After), kept across runs."""

from __future__ import annotations

from datetime import datetime, timedelta

from dmf_crawler.model.run import kst
from dmf_crawler.persist.store import Store


def set_host_wait(store: Store, host: str, not_before: datetime) -> None:
    """Remember that a server asked not to be asked before a moment, rounded up to a second."""
    whole = kst(not_before + timedelta(microseconds=999_999))
    with store.atomic():
        store.execute(
            "INSERT INTO host_wait VALUES (?1, ?2)"
            " ON CONFLICT (host) DO UPDATE SET not_before = max(not_before, ?2)",
            (host, whole.isoformat()),
        )


def host_wait(store: Store, host: str) -> datetime | None:
    """Return the moment before which a server must not be asked, if it ever named one."""
    rows = store.rows("SELECT not_before FROM host_wait WHERE host = ?", (host,))
    return datetime.fromisoformat(rows[0]["not_before"]) if rows else None
