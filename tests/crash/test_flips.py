"""One byte of what is stored changes: it is seen, or makes no difference; nothing wrong is told.

Twice over: as a disk that forgets does it (the file's time stays), and as a program that writes
would (the file has another time, so that no seal speaks).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.crash.flips import Flip, list_page_flips, read_all, spread
from tests.crash.machine import Machine
from tests.crash.scenes import SCENES, SECOND, SECOND_RUN, Words, copy_home, play, run_at
from tests.crash.states import digest_report
from tests.crash.visits import ALL, NEXT_STEPS, named_codes

DATABASE = "var/dmf.sqlite3"
THIRD = "2026-12-02"


class Damaged:
    """A home with two accepted days, damaged again and again.

    Attributes:
        root: Untouched.
        commands: What is asked of a damaged home.
    """

    def __init__(self, root: Path, work: Path, machine: Machine, key: str) -> None:
        self.root = root
        self._work = work
        self._machine = machine
        self.commands: dict[str, Words] = {
            "history": ("history", key),
            "report": ("report", "--date", SECOND),
            "reparse": ("reparse", "--run", SECOND_RUN, "--jobs", "1"),
            "run": run_at(THIRD),
        }
        self._damage: Flip | None = None
        self._is_rot = True
        self._content = read_all(root)
        self._right = {name: self._answer(name) for name in self.commands}

    def flip(self, flip: Flip, *, is_rot: bool) -> None:
        """Damage a fresh copy from now on."""
        self._damage, self._is_rot = flip, is_rot

    def verify(self) -> str:
        """Return `seen` or `harmless`; nothing else may come of a damage."""
        root = self._fresh()
        exit_code, proof = self._machine.run(root, ["verify"])
        if exit_code == 0:
            assert read_all(root) == self._content, f"{self._damage} is not seen"
            return "harmless"
        assert exit_code == 5, proof
        self._check_error(proof["error"])
        return "seen"

    def ask(self, name: str) -> str:
        """Return `right` or `refused`; nothing else may be told of a damaged home."""
        answer = self._answer(name)
        if answer == self._right[name]:
            return "right"
        exit_code, _, error = answer
        assert exit_code in {2, 5, 6}, (self._damage, name, answer)
        self._check_error(error)
        return "refused"

    def _check_error(self, error: Any) -> None:
        assert error["code"] in named_codes(), error
        assert any(step in error["message"] for step in NEXT_STEPS), error

    def _fresh(self) -> Path:
        root = copy_home(self.root, self._work)
        if self._damage is not None:
            self._damage.apply(root)
            if not self._is_rot:
                os.utime(root / self._damage.path)
        return root

    def _answer(self, name: str) -> tuple[int, Any, Any]:
        root = self._fresh()
        exit_code, payload = self._machine.run(root, self.commands[name])
        error = payload["error"]
        if name == "report":
            return exit_code, digest_report(root / f"reports/DMF_{SECOND}.xlsx"), error
        if name == "run":
            kept = ("status", "counts", "n_rows", "missing")
            return exit_code, [[run[each] for each in kept] for run in payload["runs"]], error
        return exit_code, payload, error


@contextmanager
def damaging(tmp_path: Path) -> Iterator[Damaged]:
    with play(SCENES["report"], tmp_path) as stage, Machine(tmp_path / "temp") as machine:
        stage.site.rows = stage.life.rows
        changed = "SELECT natural_key FROM dmf_event WHERE event_type = 'MODIFIED'"
        ((key,), *_) = stage.home.rows(changed)
        yield Damaged(stage.home.root, tmp_path / "work", machine, key)


def tell(what: str, seen: Counter[str], n_asked: Counter[str]) -> None:
    print(f"{what}: {seen.total()} flips, {dict(seen)}; asked: {dict(n_asked)}")


@pytest.mark.slow
def test_a_byte_of_the_history_that_a_disk_forgot_is_seen_before_anything_is_told(tmp_path):
    with damaging(tmp_path) as home:
        seen, asked = Counter[str](), Counter[str]()
        size = (home.root / DATABASE).stat().st_size
        flips = list(list_page_flips(DATABASE, size, n_places=8 if ALL else 1))
        for number, flip in enumerate(flips):
            home.flip(flip, is_rot=True)
            seen[home.verify()] += 1
            names = list(home.commands)
            for name in names if ALL else names[number % 8 : number % 8 + 1]:
                asked[f"{name} {home.ask(name)}"] += 1
        tell("history, forgotten", seen, asked)

    assert seen == {"seen": len(flips)}
    assert len(flips) > 80
    assert set(asked) == {f"{name} refused" for name in home.commands}


@pytest.mark.slow
def test_a_kept_page_or_index_that_a_byte_changed_in_is_seen_or_the_same(tmp_path):
    with damaging(tmp_path) as home:
        seen, asked = Counter[str](), Counter[str]()
        folder = home.root / f"raw/{SECOND}/dmf_registry/{SECOND_RUN}"
        for path in sorted(folder.iterdir()):
            name = path.relative_to(home.root).as_posix()
            for number, flip in enumerate(spread(name, path.stat().st_size, 40 if ALL else 6)):
                home.flip(flip, is_rot=number % 2 == 0)
                seen[home.verify()] += 1
                asked[f"reparse {home.ask('reparse')}"] += 1
        tell("kept pages", seen, asked)

    assert seen["seen"] > 12
    assert asked["reparse refused"] > 12


@pytest.mark.slow
def test_a_run_records_nothing_that_a_byte_written_into_the_history_made(tmp_path):
    """Without a seal: a byte that a program wrote, or that changed behind a killed run."""
    with damaging(tmp_path) as home:
        asked = Counter[str]()
        size = (home.root / DATABASE).stat().st_size
        flips = list(list_page_flips(DATABASE, size, n_places=2 if ALL else 1))
        for flip in flips if ALL else flips[::4]:
            home.flip(flip, is_rot=False)
            asked[f"run {home.ask('run')}"] += 1
        tell("history, written", Counter(), asked)

    assert asked["run refused"] > 3
