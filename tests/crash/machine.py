"""The driver, seen from a test: a process that runs commands and survives none of its faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.crash.faults import Fault, Point
from tests.processes import environment

ROOT = Path(__file__).parents[2]


class Machine:
    """Runs commands in homes; a context manager.

    Args:
        temporary: Stands for the system's temporary folder: a killed process leaves files there.
    """

    def __init__(self, temporary: Path) -> None:
        temporary.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", "tests.crash.driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment(TMPDIR=str(temporary), TMP=str(temporary)),
            cwd=ROOT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def run(self, home: Path, words: Sequence[str]) -> tuple[int, dict[str, Any]]:
        """Run a command undisturbed; return its exit code and its JSON."""
        answer = self._ask("plain", home, words)
        return answer["exit_code"], answer["payload"]

    def count(self, home: Path, words: Sequence[str]) -> tuple[Point, ...]:
        """Run a command undisturbed; return its write points."""
        answer = self._ask("watched", home, words)
        assert answer["status"] == 0, answer
        return tuple(Point(what, path) for what, path in answer["points"])

    def strike(self, home: Path, words: Sequence[str], fault: Fault) -> dict[str, Any]:
        """Run a command with a fault; return `status`, and its answer if it lived."""
        return self._ask("watched", home, words, (fault.kind, fault.at))

    def _ask(
        self, what: str, home: Path, words: Sequence[str], fault: tuple[str, int] | None = None
    ) -> dict[str, Any]:
        request = {"do": what, "home": str(home), "words": list(words), "fault": fault}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the driver ended"
        answer: dict[str, Any] = json.loads(line)
        return answer
