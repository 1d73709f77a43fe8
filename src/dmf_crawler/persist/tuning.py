"""What a board's history holds for `tune`: its own days, and the runs that gates held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from dmf_crawler.model.past import N_ENTERED, N_VANISHED, N_WITHDRAWN
from dmf_crawler.model.tuning import Lived
from dmf_crawler.persist.past import read_past
from dmf_crawler.persist.rates import change_rate_of, count_accepted_days
from dmf_crawler.persist.store import Store


def read_lived(
    store: Store, board_id: str, host_boards: Sequence[str], *, until: date, n_days: int
) -> Lived:
    """Return what the history tells of a board's own days; what the pages tell is left out.

    Args:
        store: The history.
        board_id: Which board.
        host_boards: All boards that ask the same host, this one included.
        until: The last day that is looked at.
        n_days: Accepted days that are looked at, the last ones.
    """
    past = read_past(store, board_id, before=until + timedelta(days=1), n_days=n_days)
    n_rows = _count_rows(store, board_id, n_days)
    gone = [
        (day.feature(N_WITHDRAWN), day.feature(N_VANISHED), n_rows.get(day.day))
        for day in past.days
    ]
    counts = list(n_rows.values())
    return Lived(
        n_days=count_accepted_days(store, board_id, until),
        change_rate=change_rate_of(store, board_id, until),
        events=[each.n_events for each in past.observations],
        growth=[(after - before) / before for before, after in pairwise(counts) if before],
        new_rows=[
            int(number) for day in past.days if (number := day.feature(N_ENTERED)) is not None
        ],
        withdrawn=[int(withdrawn) for withdrawn, _, _ in gone if withdrawn is not None],
        gone=[
            (withdrawn + vanished) / n
            for withdrawn, vanished, n in gone
            if withdrawn is not None and vanished is not None and n
        ],
        departures=_read_departures(store, board_id, n_days),
        requests=_count_requests(store, host_boards, n_days),
        holds=_count_holds(store, board_id),
    )


def _count_rows(store: Store, board_id: str, n_days: int) -> dict[date, int]:
    """Return the length of the list on each accepted day, oldest first."""
    rows = store.rows(
        "SELECT day, n_rows, max(started_at) FROM crawl_run WHERE board_id = ? AND status = 'OK'"
        " AND n_rows IS NOT NULL GROUP BY day"
        " ORDER BY day DESC LIMIT ?",
        (board_id, n_days),
    )
    return {date.fromisoformat(row["day"]): row["n_rows"] for row in reversed(rows)}


def _read_departures(store: Store, board_id: str, n_days: int) -> list[float]:
    rows = store.rows(
        "SELECT g.observed FROM gate_result g JOIN crawl_run c ON c.run_id = g.run_id"
        " WHERE c.board_id = ? AND c.status = 'OK' AND g.code = 'G-9' AND g.observed IS NOT NULL"
        " ORDER BY c.started_at DESC LIMIT ?",
        (board_id, n_days),
    )
    return [row["observed"] for row in reversed(rows)]


def _count_requests(store: Store, board_ids: Sequence[str], n_days: int) -> list[int]:
    rows = store.rows(
        "SELECT sum(n_requests) AS n FROM crawl_run WHERE n_requests > 0"
        " AND board_id IN (SELECT value FROM json_each(?))"
        " GROUP BY day ORDER BY day DESC LIMIT ?",
        (json.dumps(list(board_ids)), n_days),
    )
    return [row["n"] for row in reversed(rows)]


def _count_holds(store: Store, board_id: str) -> dict[str, int]:
    """Return how many runs ended, or were held, for each reason: of gates, and of crawls."""
    rows = store.rows(
        "SELECT code, count(DISTINCT run_id) AS n FROM ("
        " SELECT g.fault_code AS code, g.run_id FROM gate_result g JOIN crawl_run c"
        "  ON c.run_id = g.run_id WHERE c.board_id = ?1 AND g.outcome IN ('hold', 'reject')"
        " UNION SELECT error_code, run_id FROM crawl_run WHERE board_id = ?1 AND error_code <> '')"
        " GROUP BY code",
        (board_id,),
    )
    return {row["code"]: row["n"] for row in rows}


def count_gave_way(store: Store, board_id: str, since: date) -> int:
    """Return how often since a day selectors began to give way, or a newer file replaced them."""
    rows = store.rows(
        "SELECT reuse_rate, selector_version FROM crawl_run WHERE board_id = ? AND status = 'OK'"
        " AND reuse_rate IS NOT NULL AND reparse_of IS NULL AND day >= ? ORDER BY started_at",
        (board_id, str(since)),
    )
    return sum(
        before["selector_version"] != after["selector_version"]
        or after["reuse_rate"] < 1 <= before["reuse_rate"]
        for before, after in pairwise(rows)
    )


def longest_day_s(store: Store, since: date) -> float:
    """Return the longest that the runs of all boards took together on one day since another."""
    rows = store.rows(
        "SELECT max(total_ms) AS most FROM (SELECT sum(duration_ms) AS total_ms FROM crawl_run"
        " WHERE day >= ? AND reparse_of IS NULL AND decision = '' GROUP BY day)",
        (str(since),),
    )
    return (rows[0]["most"] or 0) / 1000


def last_day(store: Store) -> date | None:
    """Return the last day of which the history knows a run, None before any."""
    rows = store.rows("SELECT max(day) AS last FROM crawl_run")
    return date.fromisoformat(rows[0]["last"]) if rows[0]["last"] else None


def recent_raw_dirs(store: Store, board_id: str, n_runs: int) -> tuple[tuple[date, str], ...]:
    """Return day and raw folder of a board's last crawls, oldest first."""
    rows = store.rows(
        "SELECT day, raw_dir FROM crawl_run WHERE board_id = ? AND reparse_of IS NULL"
        " ORDER BY started_at DESC LIMIT ?",
        (board_id, n_runs),
    )
    return tuple((date.fromisoformat(row["day"]), row["raw_dir"]) for row in reversed(rows))
