"""The process that the harness ends: it runs real commands, and dies or fails at chosen points.

    python -m tests.crash.driver

Reads one JSON object a line from standard input and answers each with one. Everything is imported
once; each command then runs in a fork of this process, which is what dies. Where there is no fork
(Windows) each command is a process of its own: slower, so fewer points are visited there.
"""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dmf_crawler import document
from dmf_crawler.cli.commands import COMMANDS, run_command
from tests.crash.engine_points import EnginePoints, load_engine
from tests.crash.faults import Fault, Points
from tests.crash.file_points import FilePoints
from tests.processes import environment

CAN_FORK = hasattr(os, "fork")


def prepare() -> None:
    """Import what commands import late; let no time pass."""
    sys.dont_write_bytecode = True
    time.sleep = lambda _seconds: None
    time.perf_counter = lambda: 0.0  # as if no time passed: a slow machine's runs are the same
    os.fsync = _skip_fsync  # type: ignore[assignment]
    gc.disable()
    document.parse_document = cache(document.parse_document)  # the same files again and again
    for command in COMMANDS:
        command.load()


def _skip_fsync(_file: int) -> None:
    """Cost no time: no power is cut here but by `FilePoints.lose`."""


def run_here(home: Path, words: Sequence[str]) -> dict[str, Any]:
    """Run a command with --json in this process; return its answer."""
    out, err = io.StringIO(), io.StringIO()
    sys.stderr = err
    try:
        all_words = [words[0], "--home", str(home), "--json", *words[1:]]
        exit_code = run_command(all_words, stdout=out, stderr=err)
    finally:
        sys.stderr = sys.__stderr__
    payload = json.loads(out.getvalue())
    return {"exit_code": exit_code, "payload": payload, "said": err.getvalue()}


def run_watched(home: Path, words: Sequence[str], fault: Fault | None) -> dict[str, Any]:
    """Run a command with every write point counted; the fault may end this process."""
    points = Points(fault)
    files = FilePoints(points, home)
    library = load_engine()
    if library is None:
        raise AssertionError("the SQLite of this Python cannot be reached through ctypes")
    EnginePoints(points, library, files.name).watch()
    files.watch()
    answer = run_here(home, words)
    points.fault = None
    return {**answer, "points": [[point.what, point.path] for point in points.seen]}


def run_forked(home: Path, words: Sequence[str], fault: Fault | None) -> dict[str, Any]:
    """Run it in a fork; the answer of one that died is its exit status alone."""
    reader, writer = os.pipe()
    gc.freeze()  # else each child would copy what it only looks at
    child = os.fork()
    if child == 0:
        status = 98
        try:
            os.close(reader)
            content = json.dumps(run_watched(home, words, fault)).encode()
            while content:
                content = content[os.write(writer, content) :]
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    pieces = []
    while piece := os.read(reader, 1 << 16):
        pieces.append(piece)
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"status": status, **(json.loads(b"".join(pieces)) if status == 0 else {})}


def run_spawned(request: dict[str, Any]) -> dict[str, Any]:
    """Run it in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "tests.crash.driver"],
        input=json.dumps({**request, "do": "alone"}) + "\n",
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    answer = json.loads(ended.stdout) if ended.returncode == 0 else {}
    return {"status": ended.returncode, **answer}


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Do what a line asks for: `watched`, or `plain`, without counting."""
    home, words = Path(request["home"]), request["words"]
    fault = Fault(*request["fault"]) if request.get("fault") else None
    if request["do"] == "plain":
        return run_here(home, words)
    if request["do"] == "alone":
        return run_watched(home, words, fault)
    return run_forked(home, words, fault) if CAN_FORK else run_spawned(request)


def main() -> None:
    """Answer until there is no line left."""
    prepare()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    for line in sys.stdin:
        answers.write(json.dumps(answer_request(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
