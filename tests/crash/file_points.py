"""Write points of ordinary files: what Python is about to ask of the file system.

Opening for writing, making, renaming, linking and removing are told by Python itself (its audit
events); each piece of bytes that leaves a file object, and each fsync, by a file of our own under
the buffer. Nothing of the product knows of it, and what is not hindered really happens.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.crash.faults import Point, Points

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TEMPORARY = "<temp>"
"""Stands for any file in the system's temporary folder: their names are drawn by lot."""

_real_open = io.open
_real_fsync = os.fsync


class FilePoints:
    """Tells `Points` of everything that happens to files in a home and to temporary ones.

    Args:
        points: Counts and decides.
        home: The home folder.
    """

    def __init__(self, points: Points, home: Path) -> None:
        self._points = points
        self._home = home
        self._home_start = f"{home}{os.sep}"
        self._temporary_start = f"{tempfile.gettempdir()}{os.sep}"
        self._synced: dict[tuple[int, int], int] = {}
        self._is_own = False
        points.unsynced.append(self)

    def watch(self) -> None:
        """Begin; it ends with the process."""
        sys.addaudithook(self._hear)
        io.open = builtins.open = self._open
        os.fsync = self._fsync  # type: ignore[assignment]

    def lose(self) -> None:
        """Cut every file in the home back to what was synchronised of it."""
        self._is_own = True
        for path in self._home.rglob("*"):
            state = path.lstat()
            length = self._synced.get((state.st_dev, state.st_ino))
            if length is not None and length < state.st_size:
                os.truncate(path, length)

    # --- what Python tells -----------------------------------------------------------------------

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_own:
            return
        hear = getattr(self, f"_hear_{event.replace('.', '_')}", None)
        if hear is not None:
            hear(*arguments)

    def _hear_open(self, path: Any, _mode: Any, flags: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        if isinstance(flags, int) and flags & WRITING:
            is_new = flags & (os.O_CREAT | os.O_TRUNC) and not os.path.lexists(path)
            self._reach("create" if is_new else "open", path)
        else:
            self._ask(self._points.meets, path)

    def _hear_os_rename(self, source: Any, target: Any, *_: Any) -> None:
        self._reach("rename", target, source)

    def _hear_os_remove(self, path: Any, folder: int) -> None:
        path = _resolve(path, folder)
        if os.path.lexists(path):  # `missing_ok` asks the system for what is not there
            self._reach("remove", path)

    def _hear_os_rmdir(self, path: Any, folder: int) -> None:
        self._reach("rmdir", _resolve(path, folder))

    def _hear_os_mkdir(self, path: Any, _mode: int, folder: int) -> None:
        path = _resolve(path, folder)
        # `exist_ok` asks the system for what is there, `parents` for what has no parent yet.
        if not os.path.lexists(path) and Path(_make_absolute(path)).parent.is_dir():
            self._reach("mkdir", path)

    def _hear_os_link(self, _source: Any, target: Any, *_: Any) -> None:
        self._reach("link", target)

    def _hear_os_truncate(self, path: Any, _length: int) -> None:
        self._reach("write", path)

    def _reach(self, what: str, path: Any, other: Any = None) -> None:
        self._ask(lambda name: self._points.reach(Point(what, name)), path, other)

    def _ask(self, ask: Callable[[str], int], path: Any, other: Any = None) -> None:
        name = self.name(path)
        if name:
            _raise(ask(name), path, other)

    def name(self, path: Any) -> str:
        """Return how a point names a file, "" for one that is none of ours."""
        full = _make_absolute(path)
        if full.startswith(self._home_start):
            return full[len(self._home_start) :].replace(os.sep, "/")
        return TEMPORARY if full.startswith(self._temporary_start) else ""

    # --- what leaves a file object ---------------------------------------------------------------

    def _open(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        is_writing = any(letter in mode for letter in "wax+")
        if isinstance(file, int) or not is_writing or not self.name(file) or opener is not None:
            return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = _WatchedFile(file, mode.replace("b", "").replace("t", ""), self)
        buffered = io.BufferedWriter(raw) if "+" not in mode else io.BufferedRandom(raw)
        if "b" in mode:
            return buffered
        text = io.TextIOWrapper(buffered, encoding, errors, newline)
        text.mode = mode  # type: ignore[misc]
        return text

    def reach_write(self, file: io.FileIO, data: bytes) -> None:
        """Count a write of some bytes; raises what goes wrong."""
        half = bytes(data[: len(data) // 2])
        point = Point("write", self.name(file.name))
        number = self._points.reach(point, lambda: io.FileIO.write(file, half))
        _raise(number, file.name, None)

    def begin(self, file: io.FileIO) -> None:
        """Note that a file was opened: what it holds now will not be lost."""
        state = os.fstat(file.fileno())
        self._synced.setdefault((state.st_dev, state.st_ino), state.st_size)

    def _fsync(self, number: Any) -> None:
        with suppress(OSError):
            name = self.name(Path(f"/proc/self/fd/{number}").readlink())
            _raise(self._points.reach(Point("fsync", name)), name, None)
        _real_fsync(number)
        state = os.fstat(number)
        self._synced[state.st_dev, state.st_ino] = state.st_size


class _WatchedFile(io.FileIO):
    """A file that tells before it writes."""

    def __init__(self, path: Any, mode: str, points: FilePoints) -> None:
        super().__init__(path, mode)
        self._points = points
        points.begin(self)

    def write(self, data: Any) -> int:
        self._points.reach_write(self, data)
        return super().write(data)


def _make_absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - resolve() asks the disk


def _resolve(path: Any, folder: int) -> Any:
    """Return a path that is relative to an open folder as one that stands for itself."""
    if folder < 0:
        return path
    return Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(path)


def _raise(number: int, path: Any, other: Any) -> None:
    if number:
        raise OSError(
            number, os.strerror(number), os.fsdecode(other if other is not None else path)
        )
