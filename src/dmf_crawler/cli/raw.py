"""`raw export`: a run's kept pages as one file in the standard form of web archives."""

from __future__ import annotations

import argparse

from dmf_crawler import __version__
from dmf_crawler.acquire.warc import write_warc
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import hold_lock, open_home
from dmf_crawler.persist.runs import get_run
from dmf_crawler.reparse import find_kept_folder


def export(arguments: argparse.Namespace) -> Answer:
    """Write a WARC file of a run's pages.

    Under the lock: a run at work is not whole, and nothing may be pruned meanwhile.
    """
    home = open_home(arguments.home)
    with hold_lock(home):
        with open_store(home, under_lock=True) as store:
            row = get_run(store, arguments.warc)
        folder = find_kept_folder(row, home)
        run_id = folder.name  # of a correction, the run that asked
        out_file = arguments.out or home.root / "var" / "warc" / f"{run_id}.warc.gz"
        n_records = write_warc(
            folder, out_file, run_id=run_id, software=f"dmf-crawler/{__version__}"
        )
    text = f"{out_file} 에 기록 {n_records:,}건을 썼습니다."
    return Answer(0, {"file": str(out_file), "n_records": n_records}, text)
