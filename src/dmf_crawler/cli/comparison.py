"""Kept runs read again and compared with the history, here or in several processes at once.

A worker has one run at a time, so that one that dies takes no other's run with it (the pool of
`concurrent.futures` gives up every run when a process dies, and cannot say which was at fault). It
opens the home for itself, only reads, and leaves the log to the process that started it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path

from dmf_crawler.cli.run import bug_fault
from dmf_crawler.config import load_home
from dmf_crawler.errors import DmfCrawlerError
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.page_watch import AnyWatch, open_board
from dmf_crawler.persist.store import Store
from dmf_crawler.reparse import compare_with_recorded

MOST_WORKERS = 60
"""Windows waits for 63 things at once."""

_SPAWN = multiprocessing.get_context("spawn")
"""The only way of Windows: a worker inherits nothing."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of one run.

    Attributes:
        position: Of the run among those that were asked for.
        summary: FAILED where the run could not be compared.
        traceback: Of a bug, for the log; "" where there was none.
    """

    position: int
    summary: RunSummary
    traceback: str = ""


Task = tuple[int, RunRow]
"""The position of a run, and the run."""


def usable_cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def compare_here(
    rows: Sequence[RunRow], watches: Mapping[str, AnyWatch]
) -> Generator[Compared, None, None]:
    """Compare runs one after the other, whatever becomes of one.

    Args:
        rows: The runs.
        watches: Board id → its board, opened.
    """
    for position, row in enumerate(rows):
        watch = watches[row.run.board_id]
        yield _guard((position, row), watch.home.logs, partial(compare_with_recorded, row, watch))


def compare_in_workers(
    rows: Sequence[RunRow], root: Path, n_workers: int
) -> Generator[Compared, None, None]:
    """Compare runs in processes of their own; yield each as it ends. No worker outlives this.

    Args:
        rows: The runs.
        root: The home folder.
        n_workers: How many processes at once.
    """
    waiting = deque(enumerate(rows))
    workers: list[_Worker] = []
    try:
        while waiting and len(workers) < n_workers:
            workers.append(_Worker(root, waiting.popleft()))
        while workers:
            ready = wait([worker.pipe for worker in workers])
            for worker in [each for each in workers if each.pipe in ready]:
                compared = worker.receive()
                if waiting and worker.is_alive:
                    worker.send(waiting.popleft())
                else:
                    worker.stop()
                    workers.remove(worker)
                    if waiting:
                        workers.append(_Worker(root, waiting.popleft()))
                yield compared
    finally:
        for worker in workers:
            worker.stop()


# --- workers -----------------------------------------------------------------------------------


class _Worker:
    """A process that compares one run after the other.

    Args:
        root: The home folder.
        task: Its first run.

    Attributes:
        pipe: A task goes out, a `Compared` comes back.
    """

    def __init__(self, root: Path, task: Task) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(root, theirs), daemon=True)
        with _interrupts_deferred():
            self._process.start()
        theirs.close()  # else the pipe would stay open when the process is gone
        self.send(task)

    @property
    def is_alive(self) -> bool:
        """Whether the process can take another run."""
        return self._process.is_alive()

    def send(self, task: Task) -> None:
        """Give it a run."""
        self._task = task
        with suppress(OSError):  # it has just died, which `receive` will find
            self.pipe.send(task)

    def receive(self) -> Compared:
        """Return what became of the run; waits for it."""
        try:
            compared: Compared = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            position, row = self._task
            return Compared(position, _failed(row, _worker_killed(row, self._process.exitcode)))
        return compared

    def stop(self) -> None:
        """End the process; it only reads, so nothing is left half done."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Start a process that Ctrl+C passes by, from its first moment; what comes is told after.

    Windows hands nothing down like this: there a worker is deaf to it once it is at work.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(root: Path, pipe: Connection) -> None:
    """Compare the runs that come through a pipe, until it is closed or the process is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it decides when it ends
    with suppress(EOFError, OSError):  # of the pipe alone: nobody is there any more
        while True:
            task: Task = pipe.recv()
            _, row = task
            pipe.send(_guard(task, root / "logs", partial(_compare_alone, root, row)))


def _compare_alone(root: Path, row: RunRow) -> RunSummary:
    home = load_home(root)
    board = next(board for board in home.enabled_boards if board.id == row.run.board_id)
    with Store(home.database, for_reading=True) as store:
        return compare_with_recorded(row, open_board(home, board, store))


# --- what goes wrong ---------------------------------------------------------------------------


def _guard(task: Task, logs: Path, compare: Callable[[], RunSummary]) -> Compared:
    """Compare one run; what goes wrong becomes its summary."""
    position, row = task
    try:
        return Compared(position, compare())
    except DmfCrawlerError as error:
        return Compared(position, _failed(row, Fault(error.code, error.message, error.exit_code)))
    except Exception as error:  # noqa: BLE001 - one run's bug must not stop the next run
        fault = bug_fault(error, logs, "이력은 바뀌지 않았습니다.")
        return Compared(position, _failed(row, fault), traceback.format_exc())


def _failed(row: RunRow, fault: Fault) -> RunSummary:
    return RunSummary(row.run, RunStatus.FAILED, fault.exit_code, fault=fault)


def _worker_killed(row: RunRow, process_exit_code: int | None) -> Fault:
    return Fault(
        "worker_killed",
        f"실행 {row.run.run_id} 을 읽던 작업 프로세스가 도중에 끝났습니다(종료 코드 "
        f"{process_exit_code}). 이 실행은 비교하지 못했습니다. 메모리가 모자라거나 다른 "
        f"프로그램이 끝낸 것일 수 있습니다. reparse --run {row.run.run_id} 로 이 실행만 다시 "
        "읽어 보고, 같은 일이 되풀이되면 개발자에게 알려 주십시오.",
        exit_code=1,
    )
