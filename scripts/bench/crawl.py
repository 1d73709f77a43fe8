"""Is a crawl bounded by courtesy alone, and does its memory stay flat?

    python scripts/bench/crawl.py time [RUNS] [DELAY_S]
    python scripts/bench/crawl.py memory [RUNS]

`time`: the full list (12,000 rows) is crawled from a rehearsal site in another process with the
shipped settings but for the delay (default 0.5 s; a longer one only makes the share smaller). What
is prescribed is that delay, each time stretched by the jitter that was drawn: printed is how much
longer the crawl took than these pauses add up to.

`memory`: 12,000 and 120,000 rows without pauses, each in a fresh process, the day's budget raised
by setting. Printed is how much the peak of the process rose above its size before the crawl
(Linux: VmHWM of /proc/self/status).

Only the stage `crawl` is measured, with all that it does for a page: fetch, keep, read, check.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from dmf_crawler.config import Home, load_home
from dmf_crawler.crawl import CrawlOptions, crawl
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearse import make_home
from dmf_crawler.world import real_world

MIB = 1024 * 1024


def main(arguments: list[str]) -> int:
    match arguments:
        case ["serve", n_rows]:
            return serve(int(n_rows))
        case ["crawl", base_url, delay_s]:
            return crawl_once(base_url, float(delay_s))
        case ["time", *rest]:
            return compare_times(int(rest[0]) if rest else 5, float((rest[1:] or ["0.5"])[0]))
        case ["memory", *rest]:
            return compare_memory(int(rest[0]) if rest else 5)
    print(__doc__, file=sys.stderr)
    return 2


def serve(n_rows: int) -> int:
    """Serve a list of so many rows until standard input ends."""
    with RehearsalSite(Life(n_rows=n_rows).rows) as site:
        print(site.base_url, flush=True)
        sys.stdin.read()
    return 0


def crawl_once(base_url: str, delay_s: float) -> int:
    """Crawl once and print what it took as JSON."""
    pauses: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = _make_home(Path(folder) / "home", base_url, delay_s)
        with (
            real_world(home.settings.politeness) as world,
            Store(home.database) as store,
        ):

            def draw(low: float, high: float) -> float:
                share = world.uniform(low, high)
                pauses.append(delay_s * (1 + share))
                return share

            watch = open_watch(home, home.enabled_boards[0], store, sleep=world.sleep)
            run = begin_run(store, watch.board.id, world.now(), selector_version=1)
            before = _peak_bytes()
            started = time.perf_counter()
            crawled = crawl(
                run,
                watch,
                replace(world, uniform=draw),
                on_progress=lambda _n_read, _n_all: None,
                options=CrawlOptions(),
            )
            took_s = time.perf_counter() - started
            rose = _peak_bytes() - before
    assert crawled.fault is None, crawled.fault
    print(
        json.dumps(
            {
                "took_s": took_s,
                "pauses_s": sum(pauses),
                "n_requests": crawled.n_requests,
                "rose_bytes": rose,
            }
        )
    )
    return 0


def _make_home(root: Path, base_url: str, delay_s: float) -> Home:
    make_home(root, base_url, delay_s=delay_s)
    _edit(root / "config/settings.yaml", "requests_per_day: 500", "requests_per_day: 5000")
    if not delay_s:  # the server's own time would make pauses, and here they are not the point
        _edit(root / "config/settings.yaml", "delay_factor: 5.0", "delay_factor: 0.0")
    _edit(root / "config/boards.yaml", "enabled: rehearsal", "enabled: false")
    return load_home(root)


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has no single {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def _peak_bytes() -> int:
    """Return the highest resident size of this process so far; 0 where the system tells none."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    line = next(
        line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) * 1024


def _measure(n_rows: int, delay_s: float) -> dict[str, float]:
    """Crawl a list of so many rows in a fresh process, the site in another one."""
    site = subprocess.Popen(
        [sys.executable, __file__, "serve", str(n_rows)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert site.stdin is not None
    assert site.stdout is not None
    try:
        base_url = site.stdout.readline().strip()
        ended = subprocess.run(
            [sys.executable, __file__, "crawl", base_url, str(delay_s)],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    finally:
        site.stdin.close()
        site.stdout.close()
        site.wait()
    result: dict[str, float] = json.loads(ended.stdout)
    return result


def compare_times(n_runs: int, delay_s: float) -> int:
    shares = []
    for number in range(n_runs):
        result = _measure(12_000, delay_s)
        shares.append(result["took_s"] / result["pauses_s"] - 1)
        print(
            f"run {number + 1}: {result['n_requests']:.0f} requests, pauses "
            f"{result['pauses_s']:.1f} s, crawl {result['took_s']:.1f} s, +{shares[-1]:.1%}",
            flush=True,
        )
    print(
        f"{n_runs} runs, delay {delay_s:g} s: min +{min(shares):.1%}, median "
        f"+{statistics.median(shares):.1%}, max +{max(shares):.1%}"
    )
    return 0


def compare_memory(n_runs: int) -> int:
    rises: dict[int, list[float]] = {12_000: [], 120_000: []}
    for number in range(n_runs):
        for n_rows, of_size in rises.items():
            result = _measure(n_rows, 0.0)
            of_size.append(result["rose_bytes"] / MIB)
            print(
                f"run {number + 1}: {n_rows:,} rows, {result['n_requests']:.0f} requests, "
                f"+{of_size[-1]:.1f} MiB",
                flush=True,
            )
    medians = {n_rows: statistics.median(of_size) for n_rows, of_size in rises.items()}
    print(
        f"{n_runs} runs each: 12,000 rows +{medians[12_000]:.1f} MiB, "
        f"120,000 rows +{medians[120_000]:.1f} MiB (medians)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
