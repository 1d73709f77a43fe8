"""How long a day of 12,000 rows takes to judge, beside how long it takes to read.

    python scripts/bench/judge.py [ROUNDS]

120 pages of 100 rows are read by our reader in this process; then the same day is judged: what it
brings is counted against the last accepted list, what its columns look like is measured, and all
gates say what they see. The difference to the last list, which is made before, is timed apart. The
day is judged with 30, with 250 and with 1,000 accepted days of history behind it (as many of them
as the limits are made of, and the observations of two years), in turn. CPU seconds of this process,
after one round that warms up; printed are the medians, 5 rounds unless told otherwise.

It ends with exit code 1 where judging takes half of what reading takes, or more, or where a longer
history makes it take over a tenth longer.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TypeVar

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.features import measure_columns
from dmf_crawler.judge.gates import judge_snapshot
from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.past import Observation
from dmf_crawler.model.record import Fields, Snapshot, Value
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.workbench.known_history import History
from dmf_crawler.workbench.perturb.breakage import Body, Extraction
from dmf_crawler.workbench.rehearsal.markup import RowRenderer
from dmf_crawler.workbench.rehearsal.pages import ListPage, write_list_page
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES
from dmf_crawler.workbench.simulation import PAGE_SIZE, Reader, Simulation

N_ROWS = 12_000
N_LIVED = 40
HISTORIES = (30, 250, 1_000)
OBSERVED_DAYS = 731

T = TypeVar("T")


def main(arguments: list[str]) -> int:
    n_rounds = int(arguments[0]) if arguments else 5
    reader = Reader()
    simulation = Simulation(reader, N_ROWS, seed=20_261_130)
    for _ in range(N_LIVED):
        simulation.advance()
    bodies = save_pages(simulation)
    history, day = simulation.history, simulation.next_scene().day
    pages = Extraction([()] * len(bodies), 0, bodies)

    def read_day() -> tuple[Snapshot, History, date]:
        """Return the day as read, and the history as it is got: no value is the same object."""
        snapshot = reader.read(pages)
        assert isinstance(snapshot, Snapshot)
        return snapshot, replace(history, known=copy_values(history.known)), day

    def compare_day(got: tuple[Snapshot, History, date]) -> ChangeSet:
        return diff_snapshot(got[1].known, got[0], day=got[2], rules=reader.rules)

    reading = measure(lambda: None, lambda _: reader.read_rows(pages), n_rounds)
    print(f"{len(simulation.life.rows):,} rows, medians of {n_rounds} rounds, CPU time\n")
    print("| what | s | of reading |")
    print("|---|---:|---:|")
    print(f"| reading {len(bodies)} pages | {reading:.3f} | 1.00 |")
    differing = measure(read_day, compare_day, n_rounds)
    print(f"| difference to the last list | {differing:.3f} | {differing / reading:.2f} |")
    took = compare_histories(reader, read_day, n_rounds)
    for n_days, taken in zip(HISTORIES, took, strict=True):
        what = f"counting and all gates, {n_days:,} days known"
        print(f"| {what} | {taken:.3f} | {taken / reading:.2f} |")
    growth = max(took) / took[0]
    print(f"\n{max(took) / reading:.2f} x reading (under 0.5 wanted), ", end="")
    print(f"{growth:.2f} x with a longer history (at most 1.1 wanted)")
    return 0 if max(took) < 0.5 * reading and growth <= 1.1 else 1


def compare_histories(
    reader: Reader, read_day: Callable[[], tuple[Snapshot, History, date]], n_rounds: int
) -> list[float]:
    """Return the median CPU seconds of judging with each length of history, in turn."""
    rounds: dict[int, list[float]] = {n_days: [] for n_days in HISTORIES}
    for number in range(n_rounds + 1):
        snapshot, history, day = read_day()
        changes = diff_snapshot(history.known, snapshot, day=day, rules=reader.rules)
        first = number % len(HISTORIES)  # whoever comes first finds the tidiest memory
        for n_days in (*HISTORIES[first:], *HISTORIES[:first]):
            longer = lengthen(history, n_days, reader.limits.history_days)
            longer = replace(longer, known=copy_values(history.known))
            evidence = reader.collect_evidence(longer, copy_read(snapshot), changes, day)
            gc.collect()
            started = time.process_time()
            judge(reader, evidence)
            rounds[n_days].append(time.process_time() - started)
    return [statistics.median(seconds[1:]) for seconds in rounds.values()]


def judge(reader: Reader, evidence: Evidence) -> object:
    looks = measure_columns(evidence.snapshot, [column.field for column in evidence.columns])
    evidence = replace(evidence, features=looks)
    return judge_snapshot(evidence, reader.limits, reader.cross_check)


def copy_values(known: Mapping[str, KnownRecord]) -> dict[str, KnownRecord]:
    """Return records as a history would give them: every text is made anew from JSON."""
    return {
        key: replace(record, fields=copy_fields(record.fields)) for key, record in known.items()
    }


def copy_read(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot as if it were read once more."""
    records = {
        key: replace(record, fields=copy_fields(record.fields))
        for key, record in snapshot.records.items()
    }
    return replace(snapshot, records=records)


def copy_fields(fields: Fields) -> dict[str, Value]:
    copied = json.loads(json.dumps(dict(fields)))
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in copied.items()
    }


def save_pages(simulation: Simulation) -> dict[int, Body]:
    """Return the bodies of all pages of today's list."""
    rows, renderer = simulation.life.rows, RowRenderer(USUAL_SWITCHES)
    bodies = {}
    for index, start in enumerate(range(0, len(rows), PAGE_SIZE)):
        shown = rows[start : start + PAGE_SIZE]
        page = ListPage(shown, start + 1, len(rows), index + 1, PAGE_SIZE, {})
        bodies[index] = Body(write_list_page(page, renderer, USUAL_SWITCHES).encode())
    return bodies


def lengthen(history: History, n_days: int, most: int) -> History:
    """Return a history of so many accepted days, made of the days that there are, over and over."""
    days = list(history.days)
    last = days[-1].day
    repeated = [
        replace(days[-1 - i % len(days)], day=last - timedelta(days=i)) for i in range(n_days)
    ][::-1]
    observations = [Observation(each.day, 1, 5) for each in repeated[-OBSERVED_DAYS:]]
    return History(dict(history.known), deque(repeated[-most:]), deque(observations), most)


def measure(prepare: Callable[[], T], work: Callable[[T], object], n_rounds: int) -> float:
    """Return the median CPU seconds of a piece of work, the first round left out.

    What it works with is made anew before each round and not counted.
    """
    seconds = []
    for _ in range(n_rounds + 1):
        got = prepare()
        started = time.process_time()
        work(got)
        seconds.append(time.process_time() - started)
    return statistics.median(seconds[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
