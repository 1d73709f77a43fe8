"""Runs in processes of their own, and how they are killed at a chosen request."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome
from tests.processes import environment


def start_run(home: RehearsalHome, day: object, *words: str) -> subprocess.Popen[bytes]:
    """Start `run` as if at six o'clock of a day."""
    return subprocess.Popen(
        [
            *(sys.executable, "-X", "utf8", "-m", "dmf_crawler", "run", "--home", str(home.root)),
            *("--now", f"{day}T06:00:00+09:00", *words),
        ],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def killing(site: RehearsalSite, is_due: Callable[[LoggedRequest], bool]) -> Iterator[list[object]]:
    """Kill the process in the list as soon as the site gets a request that is due."""
    victims: list[object] = []

    def kill(request: LoggedRequest) -> None:
        if is_due(request):
            for victim in victims:
                assert isinstance(victim, subprocess.Popen)
                victim.kill()
                victim.wait()

    site.on_request = kill
    try:
        yield victims
    finally:
        site.on_request = None


def run_and_kill(
    site: RehearsalSite,
    home: RehearsalHome,
    day: object,
    is_due: Callable[[LoggedRequest], bool],
    *words: str,
) -> None:
    """Run until the site gets a request that is due; the request is never answered in time."""
    with killing(site, is_due) as victims:
        process = start_run(home, day, *words)
        victims.append(process)
        process.wait()
    assert process.returncode != 0, "the run ended before it was killed"
    assert site.wait_until_idle()


def kill_when(process: subprocess.Popen[bytes], is_due: Callable[[], bool]) -> None:
    """Kill a run while it waits, as soon as what it left behind shows that it does."""
    while process.poll() is None and not is_due():
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.02)
    assert process.poll() is None, "the run ended before it was killed"
    process.kill()
    process.wait()
