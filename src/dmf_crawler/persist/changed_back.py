"""Which changed values are again what they were before an earlier change; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from dmf_crawler.model.record import Value
from dmf_crawler.model.report import ChangedBack, EventRow

Dated = tuple[EventRow, date]
"""An event and the day of its run."""


def mark_changed_back(events: Iterable[Dated], *, n_days: int) -> Iterator[Dated]:
    """Yield events with what in them was changed back.

    A value is changed back where an earlier event of the key, at most so many days before, changed
    the field away from it. The last such event counts.

    Args:
        events: Of one board, oldest first.
        n_days: How far back an earlier change may lie.
    """
    left: dict[tuple[str, str, Value | None], date] = {}
    for event, day in events:
        undone = {
            change.field: ChangedBack(on, (day - on).days)
            for change in event.changes
            if (on := left.get((event.key, change.field, change.after))) is not None
            and (day - on).days <= n_days
        }
        for change in event.changes:
            left[event.key, change.field, change.before] = day
        yield (replace(event, changed_back=undone) if undone else event), day
