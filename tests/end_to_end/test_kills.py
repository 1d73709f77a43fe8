"""The process is killed at random moments: the history verifies, the next run completes the day."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from datetime import date, timedelta

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.processes import environment

N_KILLS = 30
FIRST_DAY = date(2026, 11, 30)
LAST_DAY = FIRST_DAY + timedelta(days=3 * N_KILLS)
"""A run that ends before it is killed costs a day; so many are enough on any machine."""


def start_run(home: RehearsalHome, day: date) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-X", "utf8", "-m", "dmf_crawler", "run", "--home", str(home.root)),
            *("--now", f"{day}T06:00:00+09:00"),
        ],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def time_run(home: RehearsalHome, day: date) -> float:
    """Run once to the end; return its seconds."""
    started = time.monotonic()
    assert start_run(home, day).wait() == 0
    return time.monotonic() - started


@pytest.mark.slow
def test_a_killed_run_leaves_a_history_that_verifies_and_the_next_run_completes_the_day(tmp_path):
    seed = int(os.environ.get("DMF_TEST_SEED", random.SystemRandom().randrange(10**6)))
    print(f"seed {seed}: set DMF_TEST_SEED to repeat")
    rng = random.Random(seed)
    life = Life(n_rows=400)
    n_killed = 0
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        whole_s = min(time_run(home, life.day), time_run(home, life.day))
        while n_killed < N_KILLS and life.day < LAST_DAY:
            life.advance()
            site.rows = life.rows
            process = start_run(home, life.day)
            try:
                process.wait(timeout=rng.uniform(0.15, 0.95) * whole_s)
            except subprocess.TimeoutExpired:
                process.kill()
                n_killed += 1
            process.wait()

            exit_code, proof = home.command("verify")
            assert (exit_code, proof["ok"]) == (0, True), proof
            run = home.run(str(life.day))
            assert run["status"] == "OK", run
            current = home.rows("SELECT reg_no FROM dmf_record WHERE is_current = 1")
            assert {number for (number,) in current} >= {row.reg_no for row in life.rows}
        assert home.command("verify")[0] == 0

    assert n_killed == N_KILLS
    # Every day's events are there exactly once, whoever recorded them.
    accepted = home.rows("SELECT DISTINCT day FROM crawl_run WHERE status = 'OK'")
    assert len(accepted) == (life.day - FIRST_DAY).days + 1
    assert home.rows("SELECT count(*) FROM crawl_run WHERE status = 'RUNNING'") == [(0,)]
