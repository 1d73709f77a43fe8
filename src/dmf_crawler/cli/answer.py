"""What a command has to say, and how it is printed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TextIO

from dmf_crawler.cli.output import write_out, write_pieces


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command has to say.

    Attributes:
        exit_code: Of the process (docs/operations.md).
        payload: The JSON object, without `exit_code` and `error`.
        text: Korean lines for a person.
        error: Code and message, or None.
    """

    exit_code: int
    payload: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    error: tuple[str, str] | None = None


def print_answer(answer: Answer, *, as_json: bool, out: TextIO | None, err: TextIO | None) -> None:
    """Print an answer: its JSON to `out`, or its lines to `out` and its error to `err`."""
    if as_json:
        error = {"code": answer.error[0], "message": answer.error[1]} if answer.error else None
        payload = {"exit_code": answer.exit_code, "error": error, **answer.payload}
        # ASCII only: a Korean console's code page cannot spoil it.
        write_pieces(json.JSONEncoder(ensure_ascii=True, indent=2).iterencode(payload), out)
        return
    if answer.text:
        write_out(answer.text, out)
    if answer.error:
        write_out(f"오류 [{answer.error[0]}] {answer.error[1]}", err)
