"""Points of a scene, visited one after the other, and what must hold after each."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.crash.faults import DEADLY, KILLED, Fault, Kind, Point
from tests.crash.file_points import TEMPORARY
from tests.crash.machine import Machine
from tests.crash.scenes import SCENES, Scene, Stage, copy_home, play
from tests.crash.states import (
    digest_history,
    digest_report,
    digest_state,
    find_leftovers,
    find_torn_workbooks,
)
from tests.error_codes import find_codes

ALL = os.environ.get("DMF_CRASH_POINTS") == "all"
"""Whether every point of every scene is visited; else those that the suite has time for."""

NEXT_STEPS = ("십시오", "주십시오")
REMEDIES: Mapping[Kind, Sequence[str]] = {
    "full": ("공간",),
    "full_once": ("공간",),
    "readonly": ("권한", "쓸 수 있는지"),
    "held": ("닫", "권한"),
    "held_once": ("닫", "권한"),
}
"""What a message must speak of. Python tells a file that is held as one that is forbidden."""


@cache
def named_codes() -> frozenset[str]:
    """Return every error code of the program but that of a bug."""
    return frozenset(find_codes()) - {"bug"}


@dataclass(frozen=True, slots=True)
class State:
    """What a home's history and report of the day say."""

    history: dict[str, str]
    report: str


@dataclass
class Tally:
    """What became of the points of one scene under one kind of fault."""

    scene: str
    kind: Kind
    n_points: int
    n_visited: int = 0
    ends: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        ends = ", ".join(f"{n} {what}" for what, n in sorted(self.ends.items()))
        return f"{self.scene}: {self.kind} at {self.n_visited} of {self.n_points} points: {ends}"


class Theatre:
    """One scene, its undisturbed play and its points.

    Attributes:
        points: Of the whole command, in order; the same in two plays.
        before: What the home says before the command.
        after: And after it.
    """

    def __init__(self, name: str, stage: Stage, machine: Machine, folder: Path) -> None:
        self.name = name
        self.scene: Scene = SCENES[name]
        self._home = stage.home.root
        self._machine = machine
        self._work = folder / "work"
        self._settled: dict[str, str] = {}
        self.before = self._look(copy_home(self._home, self._work))
        exit_code, answer = self._machine.run(self._work, self.scene.words)
        assert exit_code == self.scene.exit_code, answer
        self.after = self._look(self._work)
        self.points = self._count()
        differing = [
            pair for pair in zip(self.points, self._count(), strict=False) if len({*pair}) > 1
        ]
        assert not differing, f"not the same from play to play: {differing[0]}"

    def _count(self) -> tuple[Point, ...]:
        return self._machine.count(copy_home(self._home, self._work), self.scene.words)

    def _look(self, root: Path) -> State:
        report = self.scene.report
        return State(digest_history(root), digest_report(root / report) if report else "")

    def choose(self, kind: Kind, most: int | None) -> Sequence[int]:
        """Return the numbers of the points to visit.

        Args:
            kind: Points at which it makes a difference.
            most: So many at even distances; None for all but the inner ones of a row of writes to
                one file (of such a row the first, the middle and the last are visited).
        """
        numbers = [number for number, point in enumerate(self.points) if point.allows(kind)]
        if ALL:
            return numbers
        if most is None:
            return [number for number in numbers if number in self._edges()]
        if len(numbers) <= most:
            return numbers
        return [numbers[(2 * number + 1) * len(numbers) // (2 * most)] for number in range(most)]

    def _edges(self) -> set[int]:
        """Return the first, the middle and the last point of each row of equal ones."""
        edges = set[int]()
        for _, row in groupby(enumerate(self.points), key=lambda each: self._alike(each[1])):
            numbers = [number for number, _ in row]
            edges |= {numbers[0], numbers[len(numbers) // 2], numbers[-1]}
        return edges

    def _alike(self, point: Point) -> Point:
        return Point("", TEMPORARY) if point.path == TEMPORARY else point

    def visit(self, kind: Kind, *, most: int | None) -> Tally:
        """Let a fault happen at points of the command, each in a fresh home; check each."""
        n_points = sum(point.allows(kind) for point in self.points)
        tally = Tally(self.name, kind, n_points)
        for number in self.choose(kind, most):
            try:
                end = self._visit_one(Fault(kind, number))
            except AssertionError as error:
                point = self.points[number]
                error.add_note(f"{self.name}: {kind} at point {number}, {point.what} {point.path}")
                raise
            tally.n_visited += 1
            tally.ends[end] += 1
        print(tally)
        return tally

    @property
    def root(self) -> Path:
        """The home of the last play."""
        return self._work

    def fresh(self) -> Path:
        """Return a home in which the command was not yet given."""
        return copy_home(self._home, self._work)

    def strike(self, fault: Fault) -> Path:
        """Let a fault happen in a fresh home; return that."""
        root = self.fresh()
        self._machine.strike(root, self.scene.words, fault)
        return root

    def verify(self) -> tuple[int, dict[str, Any]]:
        """Run `verify` in the home of the last play."""
        return self._machine.run(self._work, ["verify"])

    def _visit_one(self, fault: Fault) -> str:
        root = copy_home(self._home, self._work)
        answer = self._machine.strike(root, self.scene.words, fault)
        if fault.kind in DEADLY:
            assert answer["status"] == KILLED, answer
            end = "killed"
        else:
            assert answer["status"] == 0, answer
            end = self._check_told(answer, fault.kind)
        self._check_history(root)
        if end == "done":
            assert self._look(root) == self.after, (self._look(root), self.after)
        state = digest_state(root)
        if state not in self._settled:  # what follows depends on nothing else
            self._check_second_start(root)
            self._settled[state] = end
        return end

    def _check_told(self, answer: dict[str, Any], kind: Kind) -> str:
        """Check what a command that lived said; return its error code, or `done`."""
        payload = answer["payload"]
        code = payload["error"]["code"] if payload["error"] else ""
        if answer["exit_code"] == self.scene.exit_code and (not code or self.scene.exit_code):
            return "done"
        assert code in named_codes(), answer
        message = payload["error"]["message"]
        assert any(step in message for step in NEXT_STEPS), message
        assert any(word in message for word in REMEDIES[kind]), message
        assert str(self._work) in message, message
        assert answer["exit_code"] in {3, 5}, answer
        return str(code)

    def _check_history(self, root: Path) -> None:
        if not (root / "var/dmf.sqlite3").is_file():
            return
        exit_code, proof = self._machine.run(root, ["verify"])
        assert exit_code == 0, proof
        now = self._look(root)
        for board, history in now.history.items():
            known = (self.before.history.get(board), self.after.history.get(board))
            assert history in known, board
        assert now.report in {self.before.report, self.after.report}
        torn = find_torn_workbooks(root)
        assert torn == [], torn

    def _check_second_start(self, root: Path) -> None:
        """Start the command again, undisturbed: it must end where it would have ended at once."""
        exit_code, answer = self._machine.run(root, self.scene.again(root))
        assert exit_code in {0, self.scene.exit_code}, answer
        assert self._look(root) == self.after, (self._look(root), self.after)
        exit_code, proof = self._machine.run(root, ["verify"])
        assert exit_code == 0, proof
        leftovers = find_leftovers(root)
        assert leftovers == [], leftovers


@contextmanager
def theatre(name: str, folder: Path) -> Iterator[Theatre]:
    """Play a scene in a folder, again and again."""
    try:
        with play(SCENES[name], folder) as stage, Machine(folder / "temp") as machine:
            yield Theatre(name, stage, machine, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
