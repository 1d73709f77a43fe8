"""One byte of a stored file, changed: what `verify` says, and what other commands answer."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE_BYTES = 4096
MASK = 0x15
"""Changes a letter of JSON into another one, a digit into another one or a sign."""


@dataclass(frozen=True, slots=True)
class Flip:
    """One byte of a file, by its place; negative from its end."""

    path: str
    at: int

    def apply(self, root: Path) -> None:
        """Change it as a disk that forgets does: the file says that nobody wrote it."""
        path = root / self.path
        state, content = path.stat(), bytearray(path.read_bytes())
        content[self.at] ^= MASK
        path.write_bytes(content)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def spread(path: str, length: int, n_places: int) -> Iterator[Flip]:
    """Yield places at even distances, the first and the last byte among them."""
    for number in range(n_places):
        yield Flip(path, number * (length - 1) // max(n_places - 1, 1))


def list_page_flips(path: str, length: int, *, n_places: int) -> Iterator[Flip]:
    """Yield places in every page of a database, others in each."""
    step = PAGE_BYTES // n_places
    for number in range(length // PAGE_BYTES):
        for place in range(n_places):
            offset = (place * step + number * 397) % PAGE_BYTES
            yield Flip(path, number * PAGE_BYTES + offset)


def read_all(root: Path) -> dict[str, Sequence[Any]] | None:
    """Return every row of every table, None where they cannot be read."""
    try:
        with closing(sqlite3.connect(root / "var/dmf.sqlite3")) as connection:
            connection.text_factory = bytes
            listing = "SELECT name, sql FROM sqlite_master ORDER BY name"
            tables = connection.execute(listing).fetchall()
            return {
                name.decode(): (
                    sql,
                    connection.execute(f'SELECT * FROM "{name.decode()}"').fetchall(),
                )
                for name, sql in tables
                if sql and sql.startswith(b"CREATE TABLE")
            }
    except (sqlite3.Error, UnicodeDecodeError):
        return None
