"""What the history tells the gates of a board's accepted days; read in a bounded number of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from sqlite3 import Row

from dmf_crawler.model.past import DAILY_COUNTS, Features, Observation, Past, PastDay
from dmf_crawler.model.run import Run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.stored import read_day, read_json

N_RUNS = 30
"""Runs whose durations are looked at."""

OBSERVED_DAYS = 731
"""How far back changes are counted."""


def read_past(
    store: Store, board_id: str, *, before: date, n_days: int, is_full_check: bool = False
) -> Past:
    """Return a board's accepted days before a day, and how long its runs took.

    Args:
        store: The history.
        board_id: Which board.
        before: Days from this one on are left out; it may be the day of a correction.
        n_days: Accepted days that limits are made of.
        is_full_check: Of which kind of runs the durations are.
    """
    return Past(
        days=_read_days(store, board_id, before, n_days),
        observations=_read_observations(store, board_id, before),
        durations_s=_read_durations(store, board_id, before, is_full_check=is_full_check),
        n_events_today=_count_events(store, board_id, before),
        earlier_today=_read_earlier(store, board_id, before),
    )


def _read_days(store: Store, board_id: str, before: date, n_days: int) -> tuple[PastDay, ...]:
    rows = store.rows(
        "SELECT * FROM drift_baseline WHERE board_id = ?1 AND observed_on < ?2 AND observed_on >="
        " coalesce((SELECT DISTINCT observed_on FROM drift_baseline WHERE board_id = ?1"
        " AND observed_on < ?2 ORDER BY observed_on DESC LIMIT 1 OFFSET ?3), '')"
        " ORDER BY observed_on",
        (board_id, str(before), n_days - 1),
    )
    return _gather_days(rows)


def _read_earlier(store: Store, board_id: str, day: date) -> PastDay | None:
    """Return what the accepted runs of a day itself have brought, None where there are none."""
    rows = store.rows(
        "SELECT * FROM drift_baseline WHERE board_id = ? AND observed_on = ?", (board_id, str(day))
    )
    return next(iter(_gather_days(rows)), None)


def _gather_days(rows: Iterable[Row]) -> tuple[PastDay, ...]:
    days: dict[str, dict[str, Mapping[str, float]]] = {}
    held: set[str] = set()
    for row in rows:
        days.setdefault(row["observed_on"], {})[row["field"]] = read_json(row["features_json"])
        if row["was_held"]:
            held.add(row["observed_on"])
    return tuple(PastDay(read_day(day), features, day in held) for day, features in days.items())


def _read_observations(store: Store, board_id: str, before: date) -> tuple[Observation, ...]:
    """Return what was observed, each with the days since the accepted day before it."""
    rows = store.rows(
        "SELECT o.observed_on, o.n_new + o.n_modified + o.n_withdrawn AS n_events,"
        " (SELECT max(d.observed_on) FROM drift_baseline d WHERE d.board_id = o.board_id"
        "  AND d.observed_on < o.observed_on) AS day_before"
        " FROM change_observation o WHERE o.board_id = ? AND o.observed_on < ?"
        " AND o.observed_on >= ? ORDER BY o.observed_on",
        (board_id, str(before), str(before - timedelta(days=OBSERVED_DAYS))),
    )
    observations = []
    for row in rows:
        day = read_day(row["observed_on"])
        last = read_day(row["day_before"]) if row["day_before"] else day
        observations.append(Observation(day, max(1, (day - last).days), row["n_events"]))
    return tuple(observations)


def _count_events(store: Store, board_id: str, day: date) -> int:
    """Return how many events the accepted runs of a day recorded."""
    rows = store.rows(
        "SELECT n_new + n_modified + n_withdrawn AS n_events FROM change_observation"
        " WHERE board_id = ? AND observed_on = ?",
        (board_id, str(day)),
    )
    return sum(row["n_events"] for row in rows)


def _read_durations(
    store: Store, board_id: str, before: date, *, is_full_check: bool
) -> tuple[float, ...]:
    rows = store.rows(
        "SELECT duration_ms FROM crawl_run WHERE board_id = ? AND status = 'OK' AND day < ?"
        " AND decision = '' AND reparse_of IS NULL AND n_taken_over = 0"
        " AND (full_check_from IS day) = ? ORDER BY started_at DESC LIMIT ?",
        (board_id, str(before), int(is_full_check), N_RUNS),
    )
    return tuple(row["duration_ms"] / 1000 for row in reversed(rows) if row["duration_ms"])


def write_features(store: Store, run: Run, features: Features, *, was_held: bool) -> None:
    """Record what a list was like on a day; the caller holds the transaction.

    Several runs of a day are one day: what happened adds up, what the list is like is replaced.
    """
    rows = store.rows(
        "SELECT field, features_json, was_held FROM drift_baseline"
        " WHERE board_id = ? AND observed_on = ?",
        (run.board_id, str(run.day)),
    )
    earlier = {row["field"]: read_json(row["features_json"]) for row in rows}
    was_held = was_held or any(row["was_held"] for row in rows)
    store.execute_many(
        "INSERT OR REPLACE INTO drift_baseline (board_id, field, observed_on, features_json,"
        " was_held) VALUES (?, ?, ?, ?, ?)",
        (
            (
                run.board_id,
                name,
                str(run.day),
                json.dumps(_add_up(earlier.get(name, {}), numbers)),
                int(was_held),
            )
            for name, numbers in features.items()
        ),
    )


def _add_up(earlier: Mapping[str, float], numbers: Mapping[str, float]) -> dict[str, float]:
    return {
        name: number + earlier.get(name, 0) if name in DAILY_COUNTS else number
        for name, number in numbers.items()
    }
