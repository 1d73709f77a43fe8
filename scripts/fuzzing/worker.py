"""A process in which one case after the other is read, with limits that no reader can pass."""

import multiprocessing
import signal
import sys
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from scripts.fuzzing.readers import Case, Outcome, explain_exception, judge, read_case

CPU_S = 5.0
"""What one page may take."""

WALL_S = 120.0
"""When a process is given up that neither answers nor uses its CPU time."""

MEMORY_BYTES = 2_000_000_000
"""Address space of the whole process: a body of 20 MB, decoded and as a tree, and Python."""

_CASES_A_PROCESS = 500


class Worker:
    """Runs cases in a process of its own, in a new one after each that did not end well."""

    def __init__(self) -> None:
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
        """Return what became of a case: at the latest after `WALL_S`."""
        if self._n_cases >= _CASES_A_PROCESS or not self._process.is_alive():
            self._stop()
            self._start()
        self._n_cases += 1
        try:
            self._connection.send(case)
            if self._connection.poll(WALL_S):
                outcome = self._connection.recv()
                assert isinstance(outcome, Outcome)
                return outcome
        except (EOFError, ConnectionError):
            self._process.join(10)
        return self._explain_end()

    def _explain_end(self) -> Outcome:
        code = self._process.exitcode
        if code is None or code == -getattr(signal, "SIGPROF", 0):
            limit = f"{WALL_S:.0f} s" if code is None else f"{CPU_S} s of CPU"
            return Outcome("hang", is_finding=True, detail=f"not done after {limit}", place="hang")
        return Outcome("death", is_finding=True, detail=f"exit code {code}", place=f"death {code}")

    def _start(self) -> None:
        self._connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._n_cases = 0

    def _stop(self) -> None:
        self._connection.close()
        if self._process.is_alive():
            self._process.terminate()
        self._process.join(10)


def serve(connection: Connection) -> None:
    """Answer cases until the other end is closed."""
    _limit_memory()
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        connection.send(run_case(case))


def run_case(case: Case) -> Outcome:
    """Read and judge one case; the limit of CPU time ends the process."""
    _limit_cpu(CPU_S)
    try:
        found = read_case(case)
    except BaseException as error:  # noqa: BLE001  whatever is raised is what is looked for
        return explain_exception(error)
    finally:
        _limit_cpu(0)
    return judge(case, found)


def _limit_cpu(seconds: float) -> None:
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  there is none on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
