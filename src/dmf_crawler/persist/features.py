"""What each column of a list looked like on a day: the yardstick of later days; pure."""

from __future__ import annotations

from collections.abc import Iterable

from dmf_crawler.model.change import ChangeSet
from dmf_crawler.model.record import Snapshot


def measure_features(
    snapshot: Snapshot, change_set: ChangeSet, field_names: Iterable[str]
) -> dict[str, dict[str, float]]:
    """Return per field how many cells are empty, distinct and changed: later days' yardstick.

    Args:
        snapshot: As its source says.
        change_set: Its difference to the last accepted list.
        field_names: The fields that the source has.
    """
    changed: dict[str, int] = {}
    for change in change_set.changes:
        for field_change in change.changes:
            changed[field_change.field] = changed.get(field_change.field, 0) + 1
    return {name: _measure(snapshot, name, changed.get(name, 0)) for name in field_names}


def _measure(snapshot: Snapshot, name: str, n_changed: int) -> dict[str, float]:
    values = [record.fields.get(name, "") for record in snapshot.records.values()]
    return {
        "n_rows": len(values),
        "n_empty": sum(not value for value in values),
        "n_distinct": len(set(values)),
        "n_changed": n_changed,
    }
