"""How text reaches a terminal, a file or nobody, and a bug its log."""

from __future__ import annotations

import io
import os
import traceback
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TextIO

PIECES_AT_ONCE = 10_000
"""So many small pieces of a text are written together."""


def report_bug(error: Exception, given: Path | None, err: TextIO | None) -> None:
    """Show the exception being handled with its traceback; keep it in the home's log."""
    write_out(traceback.format_exc(), err)
    try:
        import_module("dmf_crawler.cli.home").log_bug(given, error)
    except Exception:  # noqa: BLE001 - the answer must come even where no log can be written
        write_out(traceback.format_exc(), err)


def let_print_all(stream: TextIO | None) -> TextIO | None:
    """Escape what the stream's code page lacks: a company's name must not end a command."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def write_out(text: str, stream: TextIO | None) -> None:
    """Write a text and a line end; it does not matter whether anybody reads it."""
    write_pieces((text,), stream)


def write_pieces(pieces: Iterable[str], stream: TextIO | None) -> None:
    """Write a text that need not be in memory as a whole, and a line end, as `write_out` does."""
    if stream is None:  # pythonw has none; print() would take the other one
        return
    try:
        each = iter(pieces)
        while some := "".join(islice(each, PIECES_AT_ONCE)):
            stream.write(some)
        print(file=stream, flush=True)
    except OSError:  # nobody reads any more; what the command did and its exit code stand
        with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())  # else Python fails once more when it ends
