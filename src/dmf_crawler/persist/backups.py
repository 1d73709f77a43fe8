"""A whole copy of the history: kept before a newer program changes its tables."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

N_KEPT = 2
"""So many copies stay, those of the newest versions."""

SLEEP_S = 0.05
"""Between two looks whether another program has let go of a file."""

_NAME = re.compile(r"\.v([0-9]+)\.bak")


def backup_path(path: Path, version: int) -> Path:
    """Return what the copy of a history of some version is called."""
    return path.with_name(f"{path.name}.v{version}.bak")


def find_backups(path: Path) -> tuple[Path, ...]:
    """Return the copies beside a history, the one of the newest version first."""
    found = {}
    with suppress(OSError):  # a folder that cannot be listed has none to offer
        for each in path.parent.iterdir():
            if match := _NAME.fullmatch(each.name.removeprefix(path.name)):
                found[int(match[1])] = each
    return tuple(found[version] for version in sorted(found, reverse=True))


def make_backup(path: Path, version: int, *, busy_timeout_s: float) -> Path:
    """Copy a history before its tables are changed; return the copy.

    The caller holds the write lock, so nothing is written meanwhile. A copy of this version that is
    there stays until the new one is whole.

    Raises:
        OSError: It could not be written.
        sqlite3.Error: Likewise; of code SQLITE_CORRUPT where the history is damaged.
    """
    target = backup_path(path, version)
    part = target.with_name(f"{target.name}.part")
    try:
        remove_database(part)
        _copy_whole(path, part, version, busy_timeout_s)
        with part.open("r+b") as file:
            os.fsync(file.fileno())
        part.replace(target)
        _settle_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            remove_database(part)
        raise
    return target


def _copy_whole(path: Path, part: Path, version: int, busy_timeout_s: float) -> None:
    """Copy, and prove that the copy can be read; raises `OSError`, `sqlite3.Error`."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    with (
        closing(sqlite3.connect(address, uri=True, timeout=busy_timeout_s)) as source,
        closing(sqlite3.connect(part, isolation_level=None)) as target,
    ):
        copy_database(source, target, busy_timeout_s=busy_timeout_s)
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without side files
        damage = target.execute("PRAGMA quick_check(1)").fetchone()[0]
        found = target.execute("PRAGMA user_version").fetchone()[0]
        if damage != "ok" or found != version:
            error = sqlite3.DatabaseError(f"{damage}, user_version {found}")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error


def copy_database(
    source: sqlite3.Connection, target: sqlite3.Connection, *, busy_timeout_s: float
) -> None:
    """Copy all pages; `Connection.backup` by itself would wait for ever for a locked file.

    Raises:
        sqlite3.Error: Of code SQLITE_BUSY where one of both stays locked.
    """
    source.backup(target, progress=_give_up_after(busy_timeout_s), sleep=SLEEP_S)


def _give_up_after(busy_timeout_s: float) -> Callable[[int, int, int], None]:
    n_left = int(busy_timeout_s / SLEEP_S) + 1

    def look(status: int, _n_remaining: int, _n_pages: int) -> None:
        nonlocal n_left
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            n_left -= 1
            if n_left < 0:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = status
                raise error

    return look


def remove_old_backups(path: Path) -> None:
    """Remove all but the newest copies; one that is held open stays until the next time."""
    for each in find_backups(path)[N_KEPT:]:
        with suppress(OSError):
            each.unlink()


def remove_database(path: Path) -> None:
    """Remove a file of SQLite's with its side files; raises `OSError`."""
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _settle_folder(folder: Path) -> None:
    """Let a new name survive a power cut; Windows sees to that itself."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
