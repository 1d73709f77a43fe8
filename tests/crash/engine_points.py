"""Write points inside SQLite: each piece that the engine itself hands to the file system.

SQLite reaches the disk through a table of functions (a "VFS"). This one is SQLite's own but for
the functions that change a file, which tell `Points` first. So a statement is not one point but as
many as it really writes, a COMMIT as many as the log gets pieces and a checkpoint as many as the
file gets pages; and an error comes from the engine itself, as it would where the disk is full.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import pathlib
import sys
from collections.abc import Callable
from contextlib import suppress
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

from tests.crash.faults import Point, Points

OK, BUSY, IOERR_WRITE, IOERR_FSYNC, IOERR_DELETE, FULL, CANTOPEN = 0, 5, 778, 1034, 2570, 13, 14
OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE = 0x1, 0x2, 0x4
SHM_LOCK, SHM_EXCLUSIVE = 2, 8
WRITE_LOCK = 0

_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)
_SIZE = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64))
_SLEEP = CFUNCTYPE(c_int, c_void_p, c_int)
_SHM_LOCK = CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int)


class _Vfs(Structure):
    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        *((f"function_{number}", c_void_p) for number in range(7)),
        ("sleep", _SLEEP),
        *((f"function_{number}", c_void_p) for number in range(7, 13)),
    )


class _Methods(Structure):
    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", _READ),
        ("write", _READ),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("size", _SIZE),
        *((f"function_{number}", c_void_p) for number in range(6)),
        ("shm_map", c_void_p),
        ("shm_lock", _SHM_LOCK),
        *((f"function_{number}", c_void_p) for number in range(6, 10)),
    )


@dataclass
class _Piece:
    """What stood where something not yet synchronised was written."""

    at: int
    before: bytes
    length: int


def load_engine() -> Any:
    """Return the library of SQLite that Python itself uses, None where it cannot be reached."""
    for name in (_sqlite3.__file__, "sqlite3.dll" if sys.platform == "win32" else None):
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(name)
            library.sqlite3_vfs_find.restype = POINTER(_Vfs)
            library.sqlite3_vfs_find.argtypes = [c_char_p]
            library.sqlite3_vfs_register.argtypes = [POINTER(_Vfs), c_int]
            library.sqlite3_malloc.restype = c_void_p
            return library
    return None


class EnginePoints:
    """Tells `Points` of everything that SQLite writes.

    Args:
        points: Counts and decides.
        library: From `load_engine`.
        name: Returns how a point names a file.
    """

    def __init__(self, points: Points, library: Any, name: Callable[[str], str]) -> None:
        self._points = points
        self._library = library
        self._name = name
        self._real: Any = library.sqlite3_vfs_find(None).contents
        self._vfs = _Vfs.from_buffer_copy(self._real)
        self._methods: dict[int, _Methods] = {}
        self._kept: list[Any] = []
        self._paths: dict[int, str] = {}
        self._pieces: dict[str, list[_Piece]] = {}
        points.unsynced.append(self)

    def watch(self) -> None:
        """Begin, for every database opened from now on; it ends with the process."""
        self._vfs.name = b"points"
        self._vfs.open = _OPEN(self._open)
        self._vfs.delete = _DELETE(self._delete)
        self._vfs.sleep = _SLEEP(lambda _vfs, microseconds: microseconds)
        if self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1) != OK:
            raise AssertionError("SQLite did not take our functions")

    def lose(self) -> None:
        """Take back every piece that was not synchronised."""
        for path, pieces in self._pieces.items():
            with suppress(FileNotFoundError):
                number = os.open(path, os.O_RDWR)
                for piece in reversed(pieces):
                    os.pwrite(number, piece.before, piece.at)
                    os.ftruncate(number, piece.length)
                os.close(number)

    # --- SQLite's functions ----------------------------------------------------------------------

    def _open(self, _vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name else ""
        if path and flags & OPEN_READWRITE:
            is_new = flags & OPEN_CREATE and not pathlib.Path(path).exists()
            number = self._reach("db_create" if is_new else "db_open", path)
            if number and is_new:
                return CANTOPEN
            if number:  # as on a disk that cannot be written: SQLite opens it to read
                flags = flags & ~(OPEN_READWRITE | OPEN_CREATE) | OPEN_READONLY
        code: int = self._real.open(ctypes.addressof(self._real), name, file, flags, out)
        if code == OK and path:
            self._paths[file] = path
            if flags & OPEN_READONLY and out:
                out[0] = flags
            self._replace_methods(file)
        return code

    def _replace_methods(self, file: int) -> None:
        """Put our functions in the place of those that a file just opened is used through."""
        place = ctypes.cast(file, POINTER(c_void_p))
        address = place[0]
        if not address:
            return
        if address not in self._methods:
            real = _Methods.from_address(address)
            ours = _Methods.from_buffer_copy(real)
            ours.write = _READ(self._make_write(real))
            ours.truncate = _TRUNCATE(self._make_truncate(real))
            ours.sync = _SYNC(self._make_sync(real))
            if real.version >= 2 and real.shm_lock:
                ours.shm_lock = _SHM_LOCK(self._make_shm_lock(real))
            self._methods[address] = ours
        place[0] = ctypes.addressof(self._methods[address])

    def _make_write(self, real: _Methods) -> Callable[..., int]:
        def write(file: int, data: int, length: int, at: int) -> int:
            path = self._paths[file]
            half = lambda: real.write(file, data, length // 2, at)  # noqa: E731
            if self._reach("db_write", path, half):
                return FULL
            self._remember(real, file, at, length)
            return int(real.write(file, data, length, at))

        return write

    def _make_truncate(self, real: _Methods) -> Callable[..., int]:
        def truncate(file: int, length: int) -> int:
            if self._reach("db_truncate", self._paths[file]):
                return IOERR_WRITE
            size = self._size(real, file)
            if size > length:
                self._remember(real, file, length, size - length)
            return int(real.truncate(file, length))

        return truncate

    def _make_sync(self, real: _Methods) -> Callable[..., int]:
        def sync(file: int, flags: int) -> int:
            path = self._paths[file]
            if self._reach("db_sync", path):
                return IOERR_FSYNC
            code = int(real.sync(file, flags))
            self._pieces.pop(path, None)
            return code

        return sync

    def _make_shm_lock(self, real: _Methods) -> Callable[..., int]:
        def shm_lock(file: int, offset: int, n_locks: int, flags: int) -> int:
            is_writer = offset == WRITE_LOCK and flags == SHM_LOCK | SHM_EXCLUSIVE
            if is_writer and self._reach("db_lock", self._paths[file]):
                return BUSY
            return int(real.shm_lock(file, offset, n_locks, flags))

        return shm_lock

    def _delete(self, _vfs: int, name: bytes, is_synced: int) -> int:
        if self._reach("db_delete", os.fsdecode(name)):
            return IOERR_DELETE
        return int(self._real.delete(ctypes.addressof(self._real), name, is_synced))

    # --- what is asked of them -------------------------------------------------------------------

    def _reach(self, what: str, path: str, half: Callable[[], object] = lambda: None) -> int:
        name = self._name(path)
        return self._points.reach(Point(what, name), half) if name else 0

    def _size(self, real: _Methods, file: int) -> int:
        size = c_int64()
        real.size(file, ctypes.byref(size))
        return size.value

    def _remember(self, real: _Methods, file: int, at: int, length: int) -> None:
        """Keep what a write is about to replace."""
        size = self._size(real, file)
        n_before = max(0, min(length, size - at))
        before = ctypes.create_string_buffer(n_before) if n_before else None
        if before is not None:
            real.read(file, ctypes.addressof(before), n_before, at)
        piece = _Piece(at, before.raw if before is not None else b"", size)
        self._pieces.setdefault(self._paths[file], []).append(piece)
