"""How much sooner many saved days are read again by two processes than by one.

    python scripts/bench/reparse.py [DAYS] [ROUNDS]

Lives so many days (default 6) of a rehearsal site with 12,000 rows, then reads all of them again in
each round, with `--jobs 1` and with `--jobs 2`, each a fresh process. Printed are the median
seconds by the wall clock and the median of the rounds' ratios; the answers must be the same. Run it
with the Python of .venv, on a machine with two cores that does nothing else.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

JOBS = (1, 2)


def main(arguments: list[str]) -> int:
    n_days, n_rounds = [*map(int, arguments), *(6, 3)[len(arguments) :]]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        lived = ask("rehearse", "--days", str(n_days), "--keep", str(home))
        assert len(lived["days"]) == n_days
        rounds = [read_again(home) for _ in range(n_rounds)]
    n_runs = sum(len(day["boards"]) for day in lived["days"])
    print(f"{n_days} days, {n_runs} runs, medians of {n_rounds} rounds\n")
    print("| jobs | seconds | times as fast |")
    print("|---:|---:|---:|")
    for position, jobs in enumerate(JOBS):
        seconds = statistics.median(each[position] for each in rounds)
        ratio = statistics.median(each[0] / each[position] for each in rounds)
        print(f"| {jobs} | {seconds:.1f} | {ratio:.2f} |")
    return 0


def read_again(home: Path) -> list[float]:
    """Return the seconds that it takes with each number of jobs."""
    seconds, answers = [], []
    for jobs in JOBS:
        words = ["--home", str(home), "--since", "2000-01-01", "--until", "2099-12-31"]
        started = time.perf_counter()
        answers.append(ask("reparse", *words, "--jobs", str(jobs)))
        seconds.append(time.perf_counter() - started)
    assert answers[0]["runs"]
    assert all(answer == answers[0] for answer in answers)
    return seconds


def ask(*words: str) -> dict[str, Any]:
    """Return what a command of a fresh process answers; raises where it fails."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "dmf_crawler", *words, "--json"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
