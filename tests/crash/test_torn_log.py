"""A power cut inside a COMMIT: whatever of SQLite's log is on the disk, the state is old or new.

The log (`-wal`) of an accepting run is cut behind every frame and inside frames, and frames of the
transaction are lost although later ones are there: with each, the history is opened as the next
start would.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crash.faults import Fault
from tests.crash.flips import read_all
from tests.crash.test_write_points import pytestmark  # noqa: F401 - pytest reads it
from tests.crash.visits import Theatre, theatre

HEADER_BYTES, FRAME_HEADER_BYTES, PAGE_BYTES = 32, 24, 4096
FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES
LOG = "var/dmf.sqlite3-wal"
FACTS = ("dmf_record", "dmf_event", "change_observation", "drift_baseline", "missing_spell")


@dataclass(frozen=True, slots=True)
class Cut:
    """What of the log is on the disk: its first bytes, without one frame of them (-1: with all)."""

    length: int
    lost_frame: int = -1

    def of(self, log: bytes) -> bytes:
        content = bytearray(log[: self.length])
        if self.lost_frame >= 0:
            start = HEADER_BYTES + self.lost_frame * FRAME_BYTES
            content[start : start + FRAME_BYTES] = bytes(FRAME_BYTES)
        return bytes(content)


def list_cuts(log: bytes, first: int) -> Iterator[Cut]:
    """Yield the cuts of a log whose last transaction begins with a frame."""
    n_frames = (len(log) - HEADER_BYTES) // FRAME_BYTES
    yield from (Cut(length) for length in (0, 1, HEADER_BYTES - 1))
    for number in range(n_frames + 1):
        end = HEADER_BYTES + number * FRAME_BYTES
        yield Cut(end)
        if number < n_frames and (number >= first or number % 5 == 0):
            yield Cut(end + FRAME_HEADER_BYTES // 2)
            yield Cut(end + FRAME_HEADER_BYTES + (number * 911) % PAGE_BYTES)
    yield from (Cut(len(log), lost) for lost in range(first, n_frames))


def kill_behind_commit(played: Theatre) -> tuple[bytes, int]:
    """Kill a run behind its accepting COMMIT; return the log, and the transaction's first frame."""
    locks = [number for number, point in enumerate(played.points) if point.what == "db_lock"]
    sizes = [
        sum(point.path == LOG and point.what == "db_write" for point in played.points[start:end])
        for start, end in zip(locks, [*locks[1:], len(played.points)], strict=True)
    ]
    accepting = max(range(len(sizes)), key=sizes.__getitem__)
    behind = next(
        number
        for number in range(locks[accepting] + 1, len(played.points))
        if not played.points[number].what.startswith("db_")
    )
    root = played.strike(Fault("kill", behind))
    log = (root / LOG).read_bytes()
    n_frames = (len(log) - HEADER_BYTES) // FRAME_BYTES
    return log, n_frames - sizes[accepting] // 2  # a frame is written in two pieces


def facts(root: Path) -> object:
    content = read_all(root)
    assert content is not None
    return {name: content[name] for name in FACTS}


@pytest.mark.slow
def test_a_log_that_is_cut_anywhere_gives_the_old_or_the_new_state(tmp_path):
    with theatre("run", tmp_path / "run") as played:
        old = facts(played.fresh())
        log, first = kill_behind_commit(played)
        killed = shutil.copytree(played.root, tmp_path / "killed")
        new = facts(played.root)
        ends = Counter[str]()
        for cut in list_cuts(log, first):
            root = played.root
            shutil.copy(killed / "var/dmf.sqlite3", root / "var/dmf.sqlite3")
            (root / LOG).write_bytes(cut.of(log))
            for path in root.glob("var/*-shm"):
                path.unlink()
            found = facts(root)
            assert found in (old, new), cut
            ends["new" if found == new else "old"] += 1
            if cut.length % 7 == 0:
                exit_code, proof = played.verify()
                assert exit_code == 0, (cut, proof)
                ends["verified"] += 1

    print(f"run: log of {len(log):,} bytes, {ends['old'] + ends['new']} states: {dict(ends)}")
    assert old != new
    assert first > 5
    assert ends["old"] > 150
    assert ends["new"] >= 1
    assert ends["verified"] > 10
