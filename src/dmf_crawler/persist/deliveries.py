"""Which selectors found the values of each run's list."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import Deliveries, GaveWay, find_given_way
from dmf_crawler.persist.store import Store


def write_deliveries(store: Store, run_id: str, deliveries: Deliveries) -> None:
    """Write what selectors found in a run, instead of what they found before somebody decided.

    The caller holds the transaction.
    """
    store.execute("DELETE FROM delivery WHERE run_id = ?", (run_id,))
    store.execute_many(
        "INSERT INTO delivery (run_id, field, position, selector, n_rows) VALUES (?, ?, ?, ?, ?)",
        (
            (run_id, used.field, used.position, used.selector, n_rows)
            for used, n_rows in deliveries.items()
        ),
    )


def deliveries_of(store: Store, run_id: str) -> Deliveries:
    """Return what selectors found in a run, in the order of the selectors file."""
    return _read_deliveries(store, [run_id]).get(run_id, {})


def last_deliveries(store: Store, board_id: str, fields: Iterable[str]) -> Deliveries:
    """Return of each field what selectors found in the last accepted run that measured it.

    Fields of detail pages are measured only where a run received such pages.
    """
    rows = store.rows(
        "SELECT d.*, max(c.started_at) OVER (PARTITION BY d.field) = c.started_at AS is_last"
        " FROM delivery d JOIN crawl_run c USING (run_id) WHERE c.board_id = ?1"
        " AND c.status = 'OK' AND d.field IN (SELECT value FROM json_each(?2))"
        " AND EXISTS (SELECT 1 FROM delivery m WHERE m.run_id = d.run_id AND m.field = d.field"
        " AND m.n_rows > 0) ORDER BY d.rowid",
        (board_id, json.dumps(list(fields))),
    )
    return {_read_delivery(row): row["n_rows"] for row in rows if row["is_last"]}


def given_way(store: Store, run_ids: Iterable[str]) -> Mapping[str, tuple[GaveWay, ...]]:
    """Return per run the fields of which others than their primary selectors found values.

    Runs in which none gave way, or in which nothing was measured, are left out.
    """
    of_runs = _read_deliveries(store, run_ids)
    found = {run_id: find_given_way(deliveries) for run_id, deliveries in of_runs.items()}
    return {run_id: fields for run_id, fields in found.items() if fields}


def _read_deliveries(store: Store, run_ids: Iterable[str]) -> dict[str, dict[Delivery, int]]:
    rows = store.rows(
        "SELECT * FROM delivery WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        (json.dumps(list(run_ids)),),
    )
    found: dict[str, dict[Delivery, int]] = {}
    for row in rows:
        found.setdefault(row["run_id"], {})[_read_delivery(row)] = row["n_rows"]
    return found


def _read_delivery(row: sqlite3.Row) -> Delivery:
    return Delivery(row["field"], row["position"], row["selector"])
