"""Runs that were killed, and the files that they were in the middle of writing."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from dmf_crawler.acquire.raw_folder import remove_unfinished
from dmf_crawler.config import Home
from dmf_crawler.persist.earlier_runs import last_ended_runs
from dmf_crawler.persist.runs import end_abandoned_runs, running_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.whole_file import UNFINISHED_SUFFIX


def end_killed_runs(home: Home, store: Store, now: datetime) -> tuple[str, ...]:
    """Mark runs that never ended as FAILED; remove half-written files of theirs and of a report.

    The caller holds the lock, so nobody is writing them. A run that ended because nothing could be
    written may have left a file, too: nothing could be removed either. The files go first: a run
    that is marked is not looked at again.

    Args:
        home: The home folder.
        store: Its history.
        now: When they are found.
    """
    for row in (*running_runs(store), *last_ended_runs(store)):
        remove_unfinished(home.root / row.raw_dir)
    with suppress(OSError):  # held open by another program, or the folder is out of reach
        for path in home.reports.glob(f"DMF_*{UNFINISHED_SUFFIX}"):
            path.unlink()
    return end_abandoned_runs(store, now)
