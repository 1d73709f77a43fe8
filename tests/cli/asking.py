"""One command line in this process, with everything that it answers."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmf_crawler.cli.commands import run_command


@dataclass(frozen=True)
class Asked:
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output; ASCII, so that no code page spoils it."""
        assert self.out.isascii()
        value: dict[str, Any] = json.loads(self.out)
        assert value["exit_code"] == self.exit_code
        error = value["error"]
        assert (error is None) is (self.exit_code == 0)
        assert error is None or (error["code"].isascii() and len(error["message"]) > 10)
        return value

    @property
    def error_code(self) -> str:
        return str(self.json["error"]["code"])


def ask(*words: str) -> Asked:
    out, err = io.StringIO(), io.StringIO()
    exit_code = run_command(words, stdout=out, stderr=err)
    return Asked(exit_code, out.getvalue(), err.getvalue())


def at(home: Path, command: str, *words: str) -> Asked:
    """Ask a home, as JSON."""
    return ask(command, "--home", str(home), "--json", *words)


def say(home: Path, command: str, *words: str) -> Asked:
    """Ask a home, for a person."""
    return ask(command, "--home", str(home), *words)
