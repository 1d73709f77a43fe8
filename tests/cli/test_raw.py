from __future__ import annotations

from argparse import Namespace
from datetime import timedelta
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.home import hold_lock
from dmf_crawler.cli.raw import export
from dmf_crawler.config import load_home
from dmf_crawler.errors import LockHeldError, UsageError
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import Run
from dmf_crawler.persist.runs import begin_run, end_abandoned_runs, get_run
from dmf_crawler.persist.store import Store
from tests.fakes.world import START

URL = "https://site.example/list"


@pytest.fixture
def run(empty_home: Path) -> Run:
    """A run with one kept page."""
    home = load_home(empty_home)
    with Store(home.database) as store:
        run = begin_run(store, "dmf_registry", START, selector_version=1)
        end_abandoned_runs(store, START)
    page = FetchedPage(PageRequest(URL, "list"), URL, 200, (), (), b"<p>1</p>", START, 0.5)
    RawStore(home.raw).put(run, page)
    return run


def ask_for(home: Path, run_id: str, out: Path | None = None) -> Namespace:
    return Namespace(home=home, action="export", warc=run_id, out=out)


def kinds_of(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file, check_digests="raise")]


def test_a_run_is_exported_into_the_home(empty_home: Path, run: Run):
    answer = export(ask_for(empty_home, run.run_id))

    path = empty_home / "var" / "warc" / f"{run.run_id}.warc.gz"
    assert answer.exit_code == 0
    assert answer.payload == {"file": str(path), "n_records": 3}
    assert f"{path} 에 기록 3건을 썼습니다." in answer.text
    assert kinds_of(path) == ["warcinfo", "response", "request"]


def test_another_file_may_be_named_and_is_never_overwritten(
    empty_home: Path, run: Run, tmp_path: Path
):
    out = tmp_path / "evidence" / "x.warc.gz"
    export(ask_for(empty_home, run.run_id, out))

    with pytest.raises(UsageError, match="file_exists"):
        export(ask_for(empty_home, run.run_id, out))
    assert len(kinds_of(out)) == 3


def test_a_correction_is_exported_as_the_run_that_asked(empty_home: Path, run: Run):
    with Store(load_home(empty_home).database) as store:
        first = get_run(store, run.run_id)
        correction = begin_run(
            store, run.board_id, START + timedelta(hours=1), selector_version=1, reparse_of=first
        )

    answer = export(ask_for(empty_home, correction.run_id))

    assert Path(answer.payload["file"]).name == f"{run.run_id}.warc.gz"


def test_a_run_without_pages_is_said(empty_home: Path, run: Run):
    folder = RawStore(load_home(empty_home).raw).folder(run)
    folder.rename(folder.with_name("elsewhere"))

    with pytest.raises(UsageError, match="no_kept_pages"):
        export(ask_for(empty_home, run.run_id))
    with pytest.raises(UsageError, match="no_such_run"):
        export(ask_for(empty_home, "20200101T060000-dmf_registry"))


def test_nothing_is_exported_beside_a_run_at_work(empty_home: Path, run: Run):
    with hold_lock(load_home(empty_home)), pytest.raises(LockHeldError):
        export(ask_for(empty_home, run.run_id))
