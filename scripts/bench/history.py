"""What a day costs, and how long questions take, after a month and after five years of history.

    python scripts/bench/history.py [YEARS] [ROWS] [ROUNDS]

A list of so many rows (5 years, 12,000 by default) lives day by day and is recorded by the
program's own comparison and store (`workbench/long_history.py`). After 30 days, after each year and
at the end the home folder is copied; in the copy the next days are run for real from a rehearsal
site, and timed from the kept pages to the workbook: reading, comparing, judging, recording; then
the workbook. The crawl before it is bounded by its pauses and not timed. CPU seconds of this
process, medians of ROUNDS days (5); beside them what a day with the same rows costs that knows 30
days alone, since the list itself grows, too. Then questions are asked as a person would ask them:
whole commands, seconds.

It ends with exit code 1 where a day after YEARS costs over 1.3 times what it cost after 30 days.
"""

from __future__ import annotations

import io
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

from dmf_crawler.cli.commands import run_command
from dmf_crawler.config import Home, load_home
from dmf_crawler.crawl import CrawlOptions, crawl
from dmf_crawler.daily_report import publish_day
from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, RunStatus
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from dmf_crawler.pipeline import process
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.long_history import LongHistory
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearse import make_home
from dmf_crawler.workbench.simulation import BOARD, Reader
from dmf_crawler.world import World, real_world

FIRST_MARK = 30
YEAR = 365
MOST_TIMES = 1.3
SEED = 20_261_201
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """What a day costs: CPU seconds from kept pages to history, then of the workbook."""

    record_s: float
    report_s: float

    @property
    def whole_s(self) -> float:
        return self.record_s + self.report_s


@dataclass(frozen=True, slots=True)
class Mark:
    """The history after so many days.

    Attributes:
        n_days: Days recorded.
        n_rows: Rows of the list then.
        n_versions: Versions of records.
        n_events: Events.
        mib: Size of the database.
        cost: What the next days cost.
        same_rows: What they cost with as many rows and 30 days of history.
        asked: Question → seconds of the whole command.
    """

    n_days: int
    n_rows: int
    n_versions: int
    n_events: int
    mib: float
    cost: Cost
    same_rows: Cost
    asked: dict[str, float]


def main(arguments: list[str]) -> int:
    years, n_rows, n_rounds = (*map(int, arguments), *(5, 12_000, 5)[len(arguments) :])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        marks = list(grow(Path(folder), years * YEAR, n_rows, n_rounds))
    print("\n".join(tell_days(marks)), end="\n\n")
    print("\n".join(tell_questions(marks)))
    times = marks[-1].cost.whole_s / marks[0].cost.whole_s
    print(f"\nA day after {marks[-1].n_days:,} days costs {times:.2f} times what it cost after 30.")
    return int(times > MOST_TIMES)


def grow(folder: Path, n_days: int, n_rows: int, n_rounds: int) -> Iterator[Mark]:
    """Live so many days; yield what stands after 30 days, each year and the last day."""
    reader = Reader()
    home = make_bench_home(folder / "home")
    with Store(home.database) as store:
        lived = LongHistory(store, Life(n_rows, SEED), reader=reader)
        marks = sorted({FIRST_MARK, *range(YEAR, n_days, YEAR), n_days})
        for mark in marks:
            lived.grow(mark - lived.n_days)
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            print(f"{mark:,} days recorded", file=sys.stderr, flush=True)
            yield measure(folder, home, store, lived.life, reader, n_rounds)


def make_bench_home(root: Path) -> Home:
    """Make a home for one board, without pauses; its site is named by each copy."""
    make_home(root, "http://127.0.0.1:8000", delay_s=0.0)
    _edit(root / "config/settings.yaml", "requests_per_day: 500", "requests_per_day: 5000")
    _edit(root / "config/settings.yaml", "delay_factor: 5.0", "delay_factor: 0.0")
    _edit(root / "config/boards.yaml", "enabled: rehearsal", "enabled: false")
    return load_home(root)


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no '{old}'"
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")


def measure(
    folder: Path, home: Home, store: Store, life: Life, reader: Reader, n_rounds: int
) -> Mark:
    """Run the next days for real in a copy; then in a home that knows 30 days of as many rows."""
    copy = folder / "copy"
    shutil.copytree(home.root, copy)
    size = home.database.stat().st_size / MIB
    counts = [
        store.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"]
        for table in ("dmf_record", "dmf_event", "crawl_run")
    ]
    cost = run_days(copy, life, n_rounds)
    asked = ask(copy, store, life.day)
    shutil.rmtree(copy)
    short = make_bench_home(folder / "short")
    with Store(short.database) as young:
        days = LongHistory(young, Life(len(life.rows), SEED), reader=reader)
        days.grow(FIRST_MARK)
    same_rows = run_days(short.root, days.life, n_rounds)
    shutil.rmtree(short.root)
    return Mark(counts[2], len(life.rows), counts[0], counts[1], size, cost, same_rows, asked)


def run_days(root: Path, life: Life, n_rounds: int) -> Cost:
    """Return what the days after today cost; a first one, which is not counted, warms up."""
    costs = []
    rows = list(life.rows)
    with RehearsalSite(rows) as site:
        _edit(root / "config/boards.yaml", "http://127.0.0.1:8000", site.base_url)
        home = load_home(root)
        for number in range(1, n_rounds + 2):
            day = life.day + timedelta(days=number)
            at = datetime.combine(day, clock_time(DAY_STARTS_AT_HOUR), KST)
            with real_world(home.settings.politeness, starts_at=at) as world:
                costs.append(run_day(home, world, day))
    return Cost(
        statistics.median(cost.record_s for cost in costs[1:]),
        statistics.median(cost.report_s for cost in costs[1:]),
    )


def run_day(home: Home, world: World, day: date) -> Cost:
    """Crawl one day, then time what is made of its pages."""
    with Store(home.database) as store:
        watch = open_watch(home, home.list_boards[0], store, sleep=world.sleep)
        run = begin_run(store, BOARD, world.now(), selector_version=1)
        crawled = crawl(run, watch, world, on_progress=lambda *_: None, options=CrawlOptions())
        assert crawled.fault is None, crawled.fault
        started = time.process_time()
        summary = process(run, watch, watch.raw_store.folder(run), now=world.now, crawled=crawled)
        recorded = time.process_time()
        assert summary.status is RunStatus.OK, summary.fault
        publish_day([watch], day, written_at=world.now())
        return Cost(recorded - started, time.process_time() - recorded)


# --- questions ------------------------------------------------------------------------------------


def ask(root: Path, store: Store, today: date) -> dict[str, float]:
    """Return the seconds of whole commands, medians of three."""
    busiest = store.rows(
        "SELECT natural_key FROM dmf_event GROUP BY natural_key ORDER BY count(*) DESC, 1 LIMIT 1"
    )[0]["natural_key"]
    first = date.fromisoformat(store.rows("SELECT min(day) AS day FROM crawl_run")[0]["day"])
    middle = first + (today - first) / 2
    applicant = store.rows(
        "SELECT company FROM dmf_record GROUP BY company ORDER BY count(*) DESC, 1 LIMIT 1"
    )[0]["company"]
    questions: dict[str, Sequence[str]] = {
        "`history` of the busiest record": ("history", busiest),
        "`as-of` today": ("as-of", str(today)),
        "`as-of` half way back": ("as-of", str(middle)),
        "`changes` of the last 7 days": ("changes", "--since", str(today - timedelta(days=7))),
        "`changes` of one applicant, all years": (
            *("changes", "--since", str(first), "--applicant", applicant),
        ),
        "`verify`": ("verify",),
    }
    return {name: _time(lambda words=words: _run(root, words)) for name, words in questions.items()}


def _run(root: Path, words: Sequence[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    exit_code = run_command([*words, "--json", "--home", str(root)], stdout=out, stderr=err)
    # A history without kept pages of its own does not verify; the proofs are made all the same.
    assert exit_code == 0 or words[0] == "verify", out.getvalue()[:1000]


def _time(act: Callable[[], None]) -> float:
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


# --- tables ---------------------------------------------------------------------------------------


def tell_days(marks: Sequence[Mark]) -> Iterator[str]:
    first = marks[0].cost.whole_s
    yield (
        "| days | rows | versions | events | MiB | from pages to history s | workbook s"
        " | of day 30 | as many rows, 30 days s |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for mark in marks:
        cost = mark.cost
        yield (
            f"| {mark.n_days:,} | {mark.n_rows:,} | {mark.n_versions:,} | {mark.n_events:,}"
            f" | {mark.mib:.1f} | {cost.record_s:.2f} | {cost.report_s:.2f}"
            f" | {cost.whole_s / first:.2f} | {mark.same_rows.whole_s:.2f} |"
        )


def tell_questions(marks: Sequence[Mark]) -> Iterator[str]:
    first, last = marks[0], marks[-1]
    yield f"| question | after {first.n_days} days s | after {last.n_days:,} days s |"
    yield "|---|---:|---:|"
    for name, seconds in last.asked.items():
        yield f"| {name} | {first.asked[name]:.2f} | {seconds:.2f} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
