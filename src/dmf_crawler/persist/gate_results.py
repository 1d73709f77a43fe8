"""What the gates of each run saw, with the places that they saw it in."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dmf_crawler.model.record import Value
from dmf_crawler.model.run import Run
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.persist.store import Store


def write_gates(store: Store, run: Run, gates: Sequence[Gate]) -> None:
    """Write what a run's gates saw, instead of what they saw before somebody decided.

    The caller holds the transaction.
    """
    store.execute("DELETE FROM gate_result WHERE run_id = ?", (run.run_id,))
    store.execute("DELETE FROM gate_example WHERE run_id = ?", (run.run_id,))
    store.execute_many(
        "INSERT INTO gate_result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                run.run_id,
                position,
                gate.code,
                gate.outcome,
                gate.observed,
                gate.limit,
                gate.message,
                gate.fault_code,
                gate.limit_from or "",
            )
            for position, gate in enumerate(gates)
        ),
    )
    store.execute_many(
        "INSERT INTO gate_example VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                run.run_id,
                gate.code,
                position,
                example.key,
                example.field,
                json.dumps(example.before, ensure_ascii=False),
                json.dumps(example.after, ensure_ascii=False),
                example.source,
                example.url,
                example.row_no,
            )
            for gate in gates
            for position, example in enumerate(gate.examples)
        ),
    )


def gates_of(store: Store, run_id: str) -> tuple[Gate, ...]:
    """Return what the gates of a run saw, in order."""
    examples = _examples_of(store, run_id)
    return tuple(
        Gate(
            row["code"],
            Outcome(row["outcome"]),
            row["observed"],
            row["limit_value"],
            row["message"],
            row["fault_code"],
            LimitFrom(row["limit_from"]) if row["limit_from"] else None,
            tuple(examples.get(row["code"], ())),
        )
        for row in store.rows(
            "SELECT * FROM gate_result WHERE run_id = ? ORDER BY position", (run_id,)
        )
    )


def _examples_of(store: Store, run_id: str) -> dict[str, list[Example]]:
    examples: dict[str, list[Example]] = {}
    for row in store.rows(
        "SELECT * FROM gate_example WHERE run_id = ? ORDER BY code, position", (run_id,)
    ):
        example = Example(
            row["natural_key"],
            row["field"],
            _load_value(row["before_json"]),
            _load_value(row["after_json"]),
            row["source_sha256"],
            row["source_url"],
            row["source_row"],
        )
        examples.setdefault(row["code"], []).append(example)
    return examples


def _load_value(text: str) -> Value | None:
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value
