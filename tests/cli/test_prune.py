from __future__ import annotations

import json
from argparse import Namespace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.home import hold_lock
from dmf_crawler.cli.prune import REASONS_KO, prune, prune_home
from dmf_crawler.config import Home, load_home
from dmf_crawler.errors import LockHeldError, UsageError
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store
from dmf_crawler.prune import KeepReason
from tests.fakes.world import START

BOARD = "dmf_registry"
OLD_LOG = "dmf-2026-11-30.jsonl"


def later() -> datetime:
    """Return a moment at which what was fetched at START is beyond its time."""
    return START + timedelta(days=200)


@pytest.fixture
def home(empty_home: Path) -> Home:
    """A home with an accepted and a refused run of the same day, and a log."""
    home = load_home(empty_home)
    with Store(home.database) as store:
        for hours, status in enumerate((RunStatus.OK, RunStatus.REJECTED)):
            at = START + timedelta(hours=hours)
            run = begin_run(store, BOARD, at, selector_version=1)
            with store.atomic():
                finish_run(store, RunSummary(run, status, 0), at)
            folder = RawStore(home.raw).folder(run)
            folder.mkdir(parents=True)
            (folder / "index.jsonl").write_bytes(b"12345678")
    home.logs.mkdir(exist_ok=True)
    (home.logs / OLD_LOG).write_bytes(b"12")
    return home


ACCEPTED, REFUSED = f"20261130T060000-{BOARD}", f"20261130T070000-{BOARD}"
RAW = [f"raw/2026-11-30/{BOARD}/{REFUSED}"]
LOGS = [f"logs/{OLD_LOG}"]
KEPT = [{"run_id": ACCEPTED, "reason": "last_of_month"}]


def test_a_dry_run_names_what_would_go_and_removes_nothing(home: Home):
    answer = prune_home(home, later, is_dry=True)

    assert answer.exit_code == 0
    assert answer.payload == {
        "dry_run": True, "raw": RAW, "logs": LOGS, "bytes": 10, "kept": KEPT, "failed": [],
    }  # fmt: skip
    assert "페이지 폴더 1개와 로그 1개를 지울 것입니다. 아직 지우지 않았습니다." in answer.text
    assert (home.root / RAW[0]).is_dir()
    assert (home.root / LOGS[0]).is_file()


def test_a_prune_removes_it_and_says_what_stays_and_why(home: Home):
    answer = prune_home(home, later, is_dry=False)

    assert answer.exit_code == 0
    assert answer.payload == {
        "dry_run": False, "raw": RAW, "logs": LOGS, "bytes": 10, "kept": KEPT, "failed": [],
    }  # fmt: skip
    assert answer.text.splitlines() == [
        "페이지 폴더 1개와 로그 1개를 지웠습니다.",
        f"  {RAW[0]}",
        f"  {LOGS[0]}",
        "보존 기간이 지났지만 남겨 둔 페이지 폴더 1개:",
        f"  {ACCEPTED}: 그달의 대표 실행",
    ]
    assert not (home.root / RAW[0]).exists()
    assert not (home.root / LOGS[0]).exists()
    (log,) = home.logs.glob("dmf-2027-*.jsonl")
    line = json.loads(log.read_text(encoding="utf-8"))
    assert (line["event"], line["raw"], line["logs"]) == ("pruned", RAW, LOGS)


def test_the_second_prune_has_nothing_to_do(home: Home):
    prune_home(home, later, is_dry=False)

    answer = prune_home(home, later, is_dry=False)

    assert (answer.exit_code, answer.payload["raw"], answer.payload["bytes"]) == (0, [], 0)
    assert answer.text.startswith("보존 기간이 지나 지울 것이 없습니다.")


def test_what_cannot_be_removed_is_named_and_the_exit_code_says_so(home: Home):
    (home.root / f"{RAW[0]}.pruned").write_bytes(b"")  # the name that it would get is taken

    answer = prune_home(home, later, is_dry=False)

    assert answer.exit_code == 5
    assert answer.error is not None
    assert answer.error[0] == "prune_incomplete"
    assert REFUSED in answer.error[1]
    assert (answer.payload["raw"], answer.payload["logs"]) == ([], LOGS)
    (failed,) = answer.payload["failed"]
    assert (failed["path"], bool(failed["error"])) == (RAW[0], True)
    assert answer.text.splitlines()[0] == "페이지 폴더 0개와 로그 1개를 지웠습니다."


def test_the_command_takes_the_clock_of_this_pc(home: Home):
    """What is older than any retention goes, what is of today stays."""
    today = home.logs / f"dmf-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    today.write_bytes(b"")
    old = home.logs / "dmf-2001-01-01.jsonl"
    old.write_bytes(b"")

    answer = prune(Namespace(home=home.root, dry_run=True))

    assert f"logs/{old.name}" in answer.payload["logs"]
    assert f"logs/{today.name}" not in answer.payload["logs"]


def test_nothing_is_pruned_beside_a_run_at_work(home: Home):
    with hold_lock(home), pytest.raises(LockHeldError):
        prune_home(home, later, is_dry=True)


def test_without_a_history_nobody_knows_what_may_go(empty_home: Path):
    with pytest.raises(UsageError, match="no_history"):
        prune_home(load_home(empty_home), later, is_dry=True)


def test_every_reason_has_its_words():
    assert set(REASONS_KO) == set(KeepReason)
