"""What people were told, so that the same thing is told once."""

from __future__ import annotations

from datetime import date, datetime

from dmf_crawler.model.run import KST, kst
from dmf_crawler.model.terms import Alert
from dmf_crawler.persist.store import Store


def record_alert(store: Store, alert: Alert) -> bool:
    """Record an alert; say whether it is new: one with the same key was told already.

    Raises:
        StoreError: `write_failed`.
    """
    with store.atomic():
        cursor = store.execute(
            "INSERT OR IGNORE INTO alert (alert_key, day, code, title, text, raised_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(alert.key, str(alert.day), alert.code, alert.title, alert.text),
                kst(alert.raised_at).isoformat(),
            ),
        )
    return cursor.rowcount == 1


def alerts_of_day(store: Store, day: date) -> tuple[Alert, ...]:
    """Return what people were told on a day, oldest first."""
    rows = store.rows("SELECT * FROM alert WHERE day = ? ORDER BY alert_id", (str(day),))
    return tuple(
        Alert(
            row["alert_key"],
            day,
            row["code"],
            row["title"],
            row["text"],
            datetime.fromisoformat(row["raised_at"]).astimezone(KST),
        )
        for row in rows
    )
