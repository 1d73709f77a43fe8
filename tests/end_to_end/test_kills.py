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


@pytest.mark.slow
def test_a_killed_run_leaves_a_history_that_verifies_and_the_next_run_completes_the_day(tmp_path):
    seed = int(os.environ.get("DMF_TEST_SEED", random.SystemRandom().randrange(10**6)))
    print(f"seed {seed}: set DMF_TEST_SEED to repeat")
    rng = random.Random(seed)
    life = Life(n_rows=400)
    n_cut_short = 0
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        started = time.monotonic()
        assert start_run(home, life.day).wait() == 0
        whole_s = time.monotonic() - started
        for _ in range(N_KILLS):
            life.advance()
            site.rows = life.rows
            process = start_run(home, life.day)
            try:
                process.wait(timeout=rng.uniform(0.2, 1.0) * whole_s)
            except subprocess.TimeoutExpired:
                process.kill()
                n_cut_short += 1
            process.wait()

            exit_code, proof = home.command("verify")
            assert (exit_code, proof["ok"]) == (0, True), proof
            run = home.run(str(life.day))
            assert run["status"] == "OK", run
            current = home.rows("SELECT reg_no FROM dmf_record WHERE is_current = 1")
            assert {number for (number,) in current} >= {row.reg_no for row in life.rows}
        assert home.command("verify")[0] == 0

    # Every day's events are there exactly once, whoever recorded them.
    days = life.day - date(2026, 11, 30)
    assert days == timedelta(days=N_KILLS)
    accepted = home.rows("SELECT DISTINCT day FROM crawl_run WHERE status = 'OK'")
    assert len(accepted) == N_KILLS + 1
    assert n_cut_short > N_KILLS // 3
    assert home.rows("SELECT count(*) FROM crawl_run WHERE status = 'RUNNING'") == [(0,)]
