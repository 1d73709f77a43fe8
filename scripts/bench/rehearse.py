"""How long a whole rehearsal takes: the figure that README.md states.

    python scripts/bench/rehearse.py [RUNS]

Runs the full list (three days, 12,000 rows) in a fresh process each time and prints minimum,
median and maximum. Run it with the Python of .venv, on a machine that does nothing else.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main(arguments: list[str]) -> int:
    n_runs = int(arguments[0]) if arguments else 5
    seconds = []
    for number in range(n_runs):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            started = time.perf_counter()
            ended = subprocess.run(
                [
                    *(sys.executable, "-X", "utf8", "-m", "dmf_crawler", "rehearse", "--json"),
                    *("--keep", str(Path(folder) / "home")),
                ],
                check=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
            seconds.append(time.perf_counter() - started)
        result = json.loads(ended.stdout)
        if result["false_events"] or result["missed_events"]:
            print("the rehearsal found something else than what happened")
            return 1
        days = result["days"]
        print(
            f"run {number + 1}: {seconds[-1]:.1f} s, {len(days)} days, "
            f"{sum(day['n_requests'] for day in days)} requests"
        )
    print(
        f"{n_runs} runs: min {min(seconds):.1f} s, median {statistics.median(seconds):.1f} s, "
        f"max {max(seconds):.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
