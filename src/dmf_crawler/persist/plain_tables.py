"""The whole history as plain tables, read piece by piece: what `export` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dmf_crawler.model.listing import StoredCell
from dmf_crawler.model.record import Value
from dmf_crawler.persist.recording import load_changes
from dmf_crawler.persist.store import Store

CHUNK = 2_000
"""Rows that are in memory at once."""

FILE_NAMES: Mapping[str, str] = {
    "crawl_run": "runs",
    "dmf_record": "records",
    "dmf_event": "events",
    "gate_result": "gates",
    "gate_example": "gate_examples",
    "missing_spell": "missing",
}
"""Table → name of its file where that is not the table's own."""

EVENT_CHANGES = "event_changes"
EVENT_CHANGE_COLUMNS: Mapping[str, str] = {
    "event_id": "INTEGER",
    "position": "INTEGER",
    **dict.fromkeys(
        ["run_id", "occurred_at", "board_id", "natural_key", "event_type", "field", "kind"], "TEXT"
    ),
    **dict.fromkeys(["grade", "before", "after", "before_json", "after_json"], "TEXT"),
}


@dataclass(frozen=True, slots=True)
class PlainTable:
    """One table of the history.

    Attributes:
        name: As in the database.
        columns: Column → type: TEXT, INTEGER, REAL or BLOB.
    """

    name: str
    columns: Mapping[str, str]

    @property
    def file_name(self) -> str:
        """What its file is called."""
        return f"{FILE_NAMES.get(self.name, self.name)}.csv"


def list_tables(store: Store) -> tuple[PlainTable, ...]:
    """Return every table of the history, what people look for first before the others."""
    rows = store.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    )
    names = sorted(row["name"] for row in rows)
    first = [name for name in ("dmf_record", "dmf_event", "crawl_run") if name in names]
    return tuple(
        PlainTable(
            name,
            {
                row["name"]: row["type"]
                for row in store.rows("SELECT name, type FROM pragma_table_info(?)", (name,))
            },
        )
        for name in (*first, *(name for name in names if name not in first))
    )


def read_table(store: Store, table: PlainTable) -> Iterator[tuple[StoredCell, ...]]:
    """Yield all rows of a table in the order of their recording."""
    columns = ", ".join(f'"{name}"' for name in table.columns)
    sql = f'SELECT rowid, {columns} FROM "{table.name}" WHERE rowid > ? ORDER BY rowid LIMIT ?'  # noqa: S608 - names of the schema
    last = -1
    while rows := store.rows(sql, (last, CHUNK)):
        for row in rows:
            yield tuple(row)[1:]
        last = rows[-1][0]


def read_event_changes(store: Store) -> Iterator[tuple[StoredCell, ...]]:
    """Yield one row a changed field of every event, in the order of `EVENT_CHANGE_COLUMNS`."""
    last = -1
    while rows := store.rows(
        "SELECT * FROM dmf_event WHERE event_id > ? ORDER BY event_id LIMIT ?", (last, CHUNK)
    ):
        for row in rows:
            head = (row["run_id"], row["occurred_at"], row["board_id"], row["natural_key"])
            for position, change in enumerate(load_changes(row["changes_json"]), start=1):
                yield (
                    row["event_id"],
                    position,
                    *head,
                    row["event_type"],
                    change.field,
                    change.kind,
                    change.grade,
                    _on_lines(change.before),
                    _on_lines(change.after),
                    _dump(change.before),
                    _dump(change.after),
                )
        last = rows[-1]["event_id"]


def _on_lines(value: Value | None) -> str | None:
    return "\n".join(value) if isinstance(value, tuple) else value


def _dump(value: Value | None) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
