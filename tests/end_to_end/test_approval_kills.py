"""`approve` is killed at random moments: the run is held or accepted whole, never between."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.processes import environment

N_KILLS = 10
ROWS = Life(n_rows=300).rows
HELD = "20261201T060000-dmf_registry"


@pytest.fixture
def held(tmp_path) -> Path:
    """A home with a held run, to be copied."""
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "held", site.base_url)
        home.run("2026-11-30")
        site.rows = ROWS[:50] + ROWS[54:]
        assert home.run("2026-12-01")["status"] == "HELD"
    return home.root


def start_approval(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-X", "utf8", "-m", "dmf_crawler", "approve", HELD),
            *("--home", str(root), "--now", "2026-12-01T09:00:00+09:00"),
        ],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def time_approval(held: Path, root: Path) -> float:
    """Approve in a copy to the end; return its seconds."""
    shutil.copytree(held, root)
    started = time.monotonic()
    assert start_approval(root).wait() == 0
    return time.monotonic() - started


@pytest.mark.slow
def test_a_killed_approval_leaves_the_run_held_or_accepted(held, tmp_path):
    seed = int(os.environ.get("DMF_TEST_SEED", random.SystemRandom().randrange(10**6)))
    print(f"seed {seed}: set DMF_TEST_SEED to repeat")
    rng = random.Random(seed)
    whole_s = min(time_approval(held, tmp_path / "first"), time_approval(held, tmp_path / "whole"))
    whole = RehearsalHome(tmp_path / "whole")
    untouched = RehearsalHome(held).history_content()

    n_killed = 0
    for number in range(8 * N_KILLS):
        if n_killed == N_KILLS:
            break
        home = RehearsalHome(shutil.copytree(held, tmp_path / f"home{number}"))
        process = start_approval(home.root)
        try:
            process.wait(timeout=rng.uniform(0.3, 0.95) * whole_s)
        except subprocess.TimeoutExpired:
            process.kill()
            n_killed += 1
        process.wait()
        settle(home, untouched, whole)
        shutil.rmtree(home.root)

    assert n_killed == N_KILLS


def settle(home: RehearsalHome, untouched: object, whole: RehearsalHome) -> None:
    """Prove what a killed approval left; finish it as an operator would."""
    exit_code, proof = home.command("verify")
    assert (exit_code, proof["ok"]) == (0, True), proof
    ((status, decision),) = home.rows(
        f"SELECT status, decision FROM crawl_run WHERE run_id = '{HELD}'"
    )
    assert (status, decision) in {("HELD", ""), ("OK", "approved")}
    words: tuple[str, ...]
    if status == "HELD":
        assert home.history_content() == untouched
        words = ("approve", HELD, "--now", "2026-12-01T09:00:00+09:00")
    else:
        words = ("report", "--date", "2026-12-01")
    assert home.command(*words)[0] == 0
    assert home.history_content() == whole.history_content()
    assert (home.root / "reports/DMF_2026-12-01.xlsx").is_file()
