"""Runs compared in processes of their own: the same answers, and what becomes of one that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from dmf_crawler.cli.comparison import Compared, compare_here, compare_in_workers, usable_cpus
from dmf_crawler.config import load_home
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import Watch, open_watch
from tests.processes import environment

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


@pytest.fixture
def watch(lived_home: Path) -> Iterator[Watch]:
    home = load_home(lived_home)
    with Store(home.database, for_reading=True) as store:
        yield open_watch(home, home.enabled_boards[0], store)


@pytest.fixture
def rows(watch: Watch) -> list[RunRow]:
    """The two runs of the home, oldest first."""
    return list(find_runs(watch.store)[::-1])


def in_order(ended: Iterable[Compared]) -> list[Compared]:
    return sorted(ended, key=lambda compared: compared.position)


def test_workers_say_what_this_process_says(watch, rows):
    here = list(compare_here(rows, {watch.board.id: watch}))
    assert [compared.summary.status for compared in here] == [RunStatus.OK, RunStatus.OK]
    assert in_order(compare_in_workers(rows, watch.home.root, 2)) == here


def test_a_worker_reads_one_run_after_the_other(watch, rows):
    compared = list(compare_in_workers([*rows, *rows], watch.home.root, 1))
    assert [each.position for each in compared] == [0, 1, 2, 3]
    assert [each.summary.run for each in compared] == [row.run for row in (*rows, *rows)]


def test_there_is_a_processor_to_use():
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


# --- killed, interrupted -----------------------------------------------------------------------


class Trap:
    """A kept page made a pipe: who reads it waits, and is found by it."""

    def __init__(self, page: Path) -> None:
        page.unlink()
        os.mkfifo(page)
        self._page = page

    @contextmanager
    def catch(self, is_over: Callable[[], bool]) -> Iterator[int]:
        """Wait until a process reads the page; yield its id while it does."""
        writer = None
        while writer is None:
            assert not is_over(), "nobody read the page"
            with suppress(OSError):  # nobody does yet
                writer = os.open(self._page, os.O_WRONLY | os.O_NONBLOCK)
        try:
            while (reader := self._find_reader()) is None:  # it is just opening the page
                assert not is_over(), "the reader has gone"
            yield reader
        finally:
            os.close(writer)

    def _find_reader(self) -> int | None:
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            process_id = int(link.parts[2])
            with suppress(OSError):  # it has ended, or closed it
                if link.readlink() == self._page and process_id != os.getpid():
                    return process_id
        return None


def first_page(watch: Watch, row: RunRow) -> Path:
    return min((watch.home.root / row.raw_dir).glob("*.gz"))


@on_linux
@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_killed_worker_takes_its_own_run_with_it_and_no_other(watch, rows, n_workers):
    trap, is_over = Trap(first_page(watch, rows[0])), threading.Event()

    def kill() -> None:
        with trap.catch(is_over.is_set) as process_id:
            os.kill(process_id, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        killed, *others = in_order(compare_in_workers([*rows, rows[1]], watch.home.root, n_workers))
    finally:
        is_over.set()
        killer.join()
    summary = killed.summary
    assert (summary.run, summary.status, summary.exit_code) == (rows[0].run, RunStatus.FAILED, 1)
    assert summary.fault is not None
    assert summary.fault.code == "worker_killed"
    assert "-9" in summary.fault.message
    assert [each.summary.status for each in others] == [RunStatus.OK, RunStatus.OK]


def workers_of(process_id: int) -> list[int]:
    """Return the processes that one has started by `multiprocessing`."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            is_child = f"PPid:\t{process_id}\n" in status.read_text(encoding="utf-8")
            if is_child and b"spawn_main" in status.with_name("cmdline").read_bytes():
                found.append(int(status.parts[2]))
    return found


@on_linux
@pytest.mark.parametrize("reached", ["the terminal's processes", "one process"])
def test_ctrl_c_ends_quickly_and_leaves_no_worker(watch, rows, reached):
    """A terminal sends it to the workers, too; they keep quiet."""
    trap = Trap(first_page(watch, rows[0]))
    words = ["--since", str(rows[0].run.day), "--until", str(rows[1].run.day), "--jobs", "2"]
    with (
        subprocess.Popen(
            [sys.executable, "-B", "-m", "dmf_crawler", "reparse", "--json", *words],
            cwd=watch.home.root,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process,
        trap.catch(lambda: process.poll() is not None) as reader,
    ):
        workers = workers_of(process.pid)
        assert reader in workers
        send = os.killpg if reached == "the terminal's processes" else os.kill
        send(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["error"]["code"], err) == (1, "interrupted", b"")
    assert [each for each in workers if Path(f"/proc/{each}").exists()] == []
