"""Where other sources of a list differ from it and a run was accepted all the same."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, timedelta

from dmf_crawler.model.difference import Difference, SourceDifferences
from dmf_crawler.model.record import Value
from dmf_crawler.model.run import Run
from dmf_crawler.persist.store import Store


def accepted_differences(
    store: Store, board_id: str, primary: str, source: str
) -> tuple[Difference, ...]:
    """Return how two sources differed in the last accepted run that compared them, by key."""
    rows = store.rows(
        "SELECT natural_key, field, here_json, there_json FROM source_difference"
        " WHERE board_id = ? AND primary_source = ? AND source = ? ORDER BY natural_key, field",
        (board_id, primary, source),
    )
    return tuple(
        Difference(
            row["natural_key"], row["field"], _load(row["here_json"]), _load(row["there_json"])
        )
        for row in rows
    )


def recently_changed(store: Store, board_id: str, *, day: date, n_days: int) -> frozenset[str]:
    """Return the keys with an event in the days before a day, the baseline's left out.

    Args:
        store: The history.
        board_id: Which board.
        day: Up to this one, which counts too: it may have had a run already.
        n_days: How many days before it.
    """
    rows = store.rows(
        "SELECT DISTINCT e.natural_key FROM crawl_run c JOIN dmf_event e ON e.run_id = c.run_id"
        " WHERE c.board_id = ? AND c.day BETWEEN ? AND ? AND c.is_baseline = 0",
        (board_id, str(day - timedelta(days=n_days)), str(day)),
    )
    return frozenset(row["natural_key"] for row in rows)


def record_differences(store: Store, run: Run, compared: Iterable[SourceDifferences]) -> None:
    """Replace what is known of the sources that a run compared; the caller holds the transaction.

    Of a source that the run did not compare everything stays as it was.
    """
    for each in compared:
        store.execute(
            "DELETE FROM source_difference"
            " WHERE board_id = ? AND primary_source = ? AND source = ?",
            (run.board_id, each.primary, each.source),
        )
        store.execute_many(
            "INSERT INTO source_difference VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    run.board_id,
                    each.primary,
                    each.source,
                    found.key,
                    found.field,
                    _dump(found.here),
                    _dump(found.there),
                    run.run_id,
                )
                for found in each.differences
            ),
        )


def _dump(value: Value | None) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _load(text: str) -> Value | None:
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value
