"""What a day costs, and how long questions take, after a month and after five years of history.

    python scripts/bench/history.py [YEARS] [ROWS] [ROUNDS]

A list of so many rows (5 years, 12,000 by default) lives day by day and is recorded by the
program's own comparison and store (`workbench/long_history.py`). After 30 days, after a year and at
the end the next days are run for real in copies of the home folder, from a rehearsal site, and
timed from the kept pages to the workbook: reading, comparing, judging, recording; then the
workbook. The crawl before it is bounded by its pauses and not timed. Beside it, in turn and so on
the same machine at the same time, two more homes live such days: the one that stood after 30 days,
and one that knows 30 days of as many rows as there are now, since the list itself grows, too. CPU
seconds of this process, medians of ROUNDS days (5) after one that warms up. Then questions are
asked as a person would ask them: whole commands, seconds, medians of three.

It ends with exit code 1 where a record of the list costs over 1.3 times what it cost after 30 days.
"""

from __future__ import annotations

import io
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from functools import partial
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
from dmf_crawler.workbench.rehearsal.register import ListRow
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
class Lived:
    """A home folder and the list of its site on its last day."""

    root: Path
    rows: Sequence[ListRow]
    day: date


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
        first: What they cost in the home that stood after 30 days.
        same_rows: What they cost with as many rows and 30 days of history.
        asked: Question → seconds of the whole command.
    """

    n_days: int
    n_rows: int
    n_versions: int
    n_events: int
    mib: float
    cost: Cost
    first: Cost
    same_rows: Cost
    asked: dict[str, float]


def main(arguments: list[str]) -> int:
    years, n_rows, n_rounds = (*map(int, arguments), *(5, 12_000, 5)[len(arguments) :])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        marks = list(grow(Path(folder), years * YEAR, n_rows, n_rounds))
    print("\n".join(tell_days(marks)), end="\n\n")
    print("\n".join(tell_questions(marks)), end="\n\n")
    first, last = marks[0], marks[-1]
    times, rows = last.cost.whole_s / last.first.whole_s, last.n_rows / first.n_rows
    print(
        f"A day after {last.n_days:,} days costs {times:.2f} times what it cost after 30, with"
        f" {rows:.2f} times the rows: {times / rows:.2f} times a record."
    )
    print(
        f"As many rows with 30 days behind them: {last.cost.whole_s / last.same_rows.whole_s:.2f}"
        " times as much."
    )
    return int(times / rows > MOST_TIMES)


def grow(folder: Path, n_days: int, n_rows: int, n_rounds: int) -> Iterator[Mark]:
    """Live so many days; yield what stands after 30 days, after a year and on the last day."""
    reader = Reader()
    home = make_bench_home(folder / "home")
    first: Lived | None = None
    with Store(home.database) as store:
        lived = LongHistory(store, Life(n_rows, SEED), reader=reader)
        for mark in sorted({FIRST_MARK, min(YEAR, n_days), n_days}):
            lived.grow(mark - lived.n_days)
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            print(f"{mark:,} days recorded", file=sys.stderr, flush=True)
            now = Lived(home.root, tuple(lived.life.rows), lived.life.day)
            if first is None:
                shutil.copytree(home.root, folder / "first")
                first = Lived(folder / "first", now.rows, now.day)
            short = grow_short(folder / "short", len(now.rows), reader)
            yield measure(folder, store, (now, first, short), n_rounds)
            shutil.rmtree(short.root)


def grow_short(root: Path, n_rows: int, reader: Reader) -> Lived:
    """Live 30 days of so many rows."""
    with Store(make_bench_home(root).database) as store:
        lived = LongHistory(store, Life(n_rows, SEED), reader=reader)
        lived.grow(FIRST_MARK)
    return Lived(root, tuple(lived.life.rows), lived.life.day)


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


def measure(folder: Path, store: Store, homes: tuple[Lived, Lived, Lived], n_rounds: int) -> Mark:
    """Run the next days in copies of three homes: this one, the first one, the short one."""
    counts = [
        store.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"]
        for table in ("dmf_record", "dmf_event", "crawl_run")
    ]
    copies = [replace(home, root=folder / f"copy{n}") for n, home in enumerate(homes)]
    for home, copy in zip(homes, copies, strict=True):
        shutil.copytree(home.root, copy.root)
    cost, first, same_rows = run_in_turn(copies, n_rounds)
    asked = ask(copies[0].root, store, homes[0].day)
    for copy in copies:
        shutil.rmtree(copy.root)
    mib = store.path.stat().st_size / MIB
    n_rows = len(homes[0].rows)
    return Mark(counts[2], n_rows, counts[0], counts[1], mib, cost, first, same_rows, asked)


def run_in_turn(homes: Sequence[Lived], n_rounds: int) -> list[Cost]:
    """Return what the days after their last cost each home, lived in turn."""
    costs: list[list[Cost]] = [[] for _ in homes]
    with ExitStack() as stack:
        opened = []
        for home in homes:
            site = stack.enter_context(RehearsalSite(list(home.rows)))
            _edit(home.root / "config/boards.yaml", "http://127.0.0.1:8000", site.base_url)
            opened.append(load_home(home.root))
        for number in range(1, n_rounds + 2):
            for index, home in enumerate(homes):
                day = home.day + timedelta(days=number)
                at = datetime.combine(day, clock_time(DAY_STARTS_AT_HOUR), KST)
                politeness = opened[index].settings.politeness
                with real_world(politeness, starts_at=at) as world:
                    costs[index].append(run_day(opened[index], world, day))
    return [
        Cost(
            statistics.median(cost.record_s for cost in each[1:]),
            statistics.median(cost.report_s for cost in each[1:]),
        )
        for each in costs
    ]


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
    return {name: _time(partial(_run, root, words)) for name, words in questions.items()}


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
    yield (
        "| days | rows | versions | events | MiB | pages to history s | workbook s | day 30 s"
        " | times | times a record | as many rows, 30 days s |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for mark in marks:
        cost, times = mark.cost, mark.cost.whole_s / mark.first.whole_s
        rows = mark.n_rows / marks[0].n_rows
        yield (
            f"| {mark.n_days:,} | {mark.n_rows:,} | {mark.n_versions:,} | {mark.n_events:,}"
            f" | {mark.mib:.1f} | {cost.record_s:.2f} | {cost.report_s:.2f}"
            f" | {mark.first.whole_s:.2f} | {times:.2f} | {times / rows:.2f}"
            f" | {mark.same_rows.whole_s:.2f} |"
        )


def tell_questions(marks: Sequence[Mark]) -> Iterator[str]:
    first, last = marks[0], marks[-1]
    yield f"| question | after {first.n_days} days s | after {last.n_days:,} days s |"
    yield "|---|---:|---:|"
    for name, seconds in last.asked.items():
        yield f"| {name} | {first.asked[name]:.2f} | {seconds:.2f} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
