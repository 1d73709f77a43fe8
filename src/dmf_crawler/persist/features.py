"""What each column of a list looked like on a day: the yardstick of later days; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dmf_crawler.model.past import Features
from dmf_crawler.model.record import Snapshot


def measure_features(
    snapshot: Snapshot, field_names: Iterable[str], counts: Mapping[str, Mapping[str, int]]
) -> Features:
    """Return per field how many cells are empty and distinct, and what was counted that day.

    Args:
        snapshot: As its source says.
        field_names: The fields that the source has.
        counts: Field id, or `row` for the list itself → name of a count → number.
    """
    shape = {name: _measure(snapshot, name) for name in field_names}
    return {name: {**shape.get(name, {}), **counts.get(name, {})} for name in {**counts, **shape}}


def _measure(snapshot: Snapshot, name: str) -> dict[str, float]:
    values = [record.fields.get(name, "") for record in snapshot.records.values()]
    return {
        "n_rows": len(values),
        "n_empty": sum(not value for value in values),
        "n_distinct": len(set(values)),
    }
