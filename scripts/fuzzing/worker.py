"""A process in which one case after the other is read, with limits that no reader can pass."""

import multiprocessing
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from scripts.fuzzing.readers import Case, Found, Outcome, explain_exception, judge, read_case

_CASES_A_PROCESS = 500


@dataclass(frozen=True, slots=True)
class Limits:
    """What one case may take.

    Attributes:
        cpu_s: Seconds of CPU; not on Windows.
        wall_s: When a process is given up that neither answers nor uses its CPU time.
        memory_bytes: Address space of the whole process, Python's own included; not on Windows.
    """

    cpu_s: float = 5.0
    wall_s: float = 120.0
    memory_bytes: int = 1_000_000_000


class Worker:
    """Runs cases in a process of its own, in a new one after each that did not end well.

    Args:
        limits: Of each case.
        read: What is tried; a function that another process can import.
    """

    def __init__(
        self, limits: Limits | None = None, read: Callable[[Case], Found] = read_case
    ) -> None:
        self._limits = limits or Limits()
        self._read = read
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def run(self, case: Case) -> Outcome:
        """Return what became of a case: at the latest after the limit of wall time."""
        if self._n_cases >= _CASES_A_PROCESS or not self._process.is_alive():
            self._stop()
            self._start()
        self._n_cases += 1
        try:
            self._connection.send(case)
            if self._connection.poll(self._limits.wall_s):
                outcome = self._connection.recv()
                assert isinstance(outcome, Outcome)
                return outcome
        except (EOFError, ConnectionError):
            self._process.join(10)
            return self._explain_end()
        self._process.kill()
        detail = f"no answer after {self._limits.wall_s} s"
        return Outcome("hang", is_finding=True, detail=detail, place="hang")

    def _explain_end(self) -> Outcome:
        code = self._process.exitcode
        if code == -getattr(signal, "SIGPROF", 0):
            detail = f"no answer after {self._limits.cpu_s} s of CPU"
            return Outcome("hang", is_finding=True, detail=detail, place="hang")
        return Outcome("death", is_finding=True, detail=f"exit code {code}", place=f"death {code}")

    def _start(self) -> None:
        self._connection, theirs = self._context.Pipe()
        arguments = (theirs, self._limits, self._read)
        self._process = self._context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._n_cases = 0

    def _stop(self) -> None:
        self._connection.close()
        if self._process.is_alive():
            self._process.terminate()
        self._process.join(10)
        self._process.close()


def serve(connection: Connection, limits: Limits, read: Callable[[Case], Found]) -> None:
    """Answer cases until the other end is closed."""
    _limit_memory(limits.memory_bytes)
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        connection.send(run_case(case, limits, read))


def run_case(case: Case, limits: Limits, read: Callable[[Case], Found]) -> Outcome:
    """Read and judge one case; the limit of CPU time ends the process."""
    _limit_cpu(limits.cpu_s)
    try:
        found = read(case)
    except BaseException as error:  # noqa: BLE001  whatever is raised is what is looked for
        return explain_exception(error)
    finally:
        _limit_cpu(0)
    return judge(case, found)


def _limit_cpu(seconds: float) -> None:
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory(n_bytes: int) -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  there is none on Windows

        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
