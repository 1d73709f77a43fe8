"""Write points of a process, counted one by one, and what happens at a chosen one of them.

A write point is a moment at which the process is about to change what is on the disk. Files tell of
them in `file_points`, SQLite in `engine_points`; both ask `Points.reach` and `Points.write` here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

Kind = Literal["kill", "torn", "power", "full", "full_once", "readonly", "held", "held_once"]
"""What goes wrong.

    kill        the process ends at once, before the point
    torn        it ends in the middle of the write
    power       as kill, and what was not yet synchronised is gone
    full        from the point on nothing can grow, to the end of the command
    full_once   that one write has no room; the next has
    readonly    from the point on nothing can be opened for writing, made, renamed or removed
    held        from the point on another program holds that one file, or the database
    held_once   it lets go after two tries
"""

DEADLY: tuple[Kind, ...] = ("kill", "torn", "power")
LASTING: tuple[Kind, ...] = ("full", "full_once", "readonly", "held", "held_once")

WRITES = frozenset({"write", "db_write"})
GROWS = WRITES | {"create", "mkdir", "link", "db_create", "rows"}
NAMES = frozenset({"create", "open", "mkdir", "link", "rename", "remove", "rmdir"})
HOLDABLE = frozenset({"create", "open", "rename", "remove", "rmdir", "db_lock"})
SILENT = frozenset({"db_lock"})
"""Not a change of the disk: no place to die at."""

KILLED = 99
"""Exit status of a process that died at its point."""

N_TRIES = 2


@dataclass(frozen=True, slots=True)
class Point:
    """One write point: what was to be done to which file (relative to the home)."""

    what: str
    path: str

    def allows(self, kind: Kind) -> bool:
        """Say whether a fault of a kind is one of its own at this point."""
        if kind in {"kill", "power"}:
            return self.what not in SILENT
        ways = {
            "torn": WRITES,
            "full": GROWS,
            "full_once": GROWS,
            "readonly": NAMES | {"db_open", "db_create"},
            "held": HOLDABLE,
            "held_once": HOLDABLE,
        }
        return self.what in ways[kind]


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault at the point of a number (from 0)."""

    kind: Kind
    at: int


class Unsynced(Protocol):
    """What a part of the machine loses with the power."""

    def lose(self) -> None:
        """Take back what was written and not synchronised."""


@dataclass
class Points:
    """The points of one process so far.

    Attributes:
        fault: What happens, None to count only.
        seen: In order.
        unsynced: Asked when the power goes.
    """

    fault: Fault | None = None
    seen: list[Point] = field(default_factory=list)
    unsynced: list[Unsynced] = field(default_factory=list)
    _held: str = ""
    _n_tries: int = 0

    def reach(self, point: Point, half: Callable[[], object] = lambda: None) -> int:
        """Count a point; return the errno of what goes wrong there, 0 for nothing.

        Args:
            point: What is about to be done.
            half: Does half of it, for a write that is torn.
        """
        number = len(self.seen)
        self.seen.append(point)
        if self.fault is None or number < self.fault.at:
            return 0
        if number == self.fault.at:
            if self.fault.kind in DEADLY:
                self._die(self.fault.kind, half)
            self._held = point.path
        return self._fail(self.fault.kind, point, is_at=number == self.fault.at)

    def meets(self, path: str) -> int:
        """Return the errno of opening a file to read it: another program may hold it."""
        return self._hold(path) if self._held and self.fault is not None else 0

    def _die(self, kind: Kind, half: Callable[[], object]) -> None:
        if kind == "torn":
            half()
        if kind == "power":
            for part in self.unsynced:
                part.lose()
        os._exit(KILLED)

    def _fail(self, kind: Kind, point: Point, *, is_at: bool) -> int:
        if kind == "full" or (kind == "full_once" and is_at):
            return errno.ENOSPC if point.what in GROWS else 0
        if kind == "readonly":
            return errno.EACCES if point.allows(kind) else 0
        return self._hold(point.path) if point.what in HOLDABLE else 0

    def _hold(self, path: str) -> int:
        """Return EACCES, as Windows tells a sharing violation, while the file is held."""
        if self.fault is None or self.fault.kind not in {"held", "held_once"} or path != self._held:
            return 0
        self._n_tries += 1
        return 0 if self.fault.kind == "held_once" and self._n_tries > N_TRIES else errno.EACCES
