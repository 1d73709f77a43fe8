"""What a killed process was in the middle of writing is gone after the next start."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.config import Home
from dmf_crawler.killed import end_killed_runs
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.runs import begin_run, finish_run, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.settings import Settings
from tests.persist.builders import moment

BOARD = "dmf_registry"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, Settings(), {}, (), {})


def test_half_written_files_of_a_killed_run_and_of_a_report_are_removed(home):
    with Store(home.database) as store:
        run = begin_run(store, BOARD, moment(0), selector_version=1)
        folder = RawStore(home.raw).folder(run)
        (folder / "files").mkdir(parents=True)
        home.reports.mkdir()
        kept = [folder / "index.jsonl", folder / "a.html.gz", home.reports / "DMF_2026-11-30.xlsx"]
        half = [folder / "b.html.gz.tmp", folder / "files/c_d.pdf.tmp",
                home.reports / "DMF_2026-11-30.xlsx.part"]  # fmt: skip
        others = home.reports / "analysis.xlsx.part"
        for path in (*kept, *half, others):
            path.write_bytes(b"")

        assert end_killed_runs(home, store, moment(0) + timedelta(hours=1)) == (run.run_id,)

        assert all(path.exists() for path in (*kept, others))
        assert not any(path.exists() for path in half)
        assert get_run(store, run.run_id).status is RunStatus.FAILED


def test_those_of_a_run_that_could_remove_nothing_are_removed_too(home):
    with Store(home.database) as store:
        run = begin_run(store, BOARD, moment(0), selector_version=1)
        with store.atomic():
            finish_run(store, RunSummary(run, RunStatus.FAILED, 5), moment(0))
        half = RawStore(home.raw).folder(run) / "b.html.gz.tmp"
        half.parent.mkdir(parents=True)
        half.write_bytes(b"")

        assert end_killed_runs(home, store, moment(1)) == ()

        assert not half.exists()


def test_a_run_that_left_no_folder_is_marked_all_the_same(home):
    with Store(home.database) as store:
        run = begin_run(store, BOARD, moment(0), selector_version=1)

        assert end_killed_runs(home, store, moment(1)) == (run.run_id,)
