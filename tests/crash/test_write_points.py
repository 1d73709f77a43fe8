"""Every command is stopped at its write points: the old or the new state verifies, and it goes on.

The points are enumerated, not drawn: see `faults.py`. With DMF_CRASH_POINTS=all each point of each
command meets every kind of fault that it can. The suite visits those of one day's run but for the
inner ones of SQLite's rows of writes (`test_torn_log.py` cuts those), of the others a few at even
distances. How many there are, and how many were visited, is printed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.crash.driver import CAN_FORK
from tests.crash.engine_points import load_engine
from tests.crash.faults import DEADLY, LASTING, Kind
from tests.crash.scenes import SCENES
from tests.crash.visits import ALL, theatre

pytestmark = pytest.mark.skipif(
    load_engine() is None, reason="the SQLite of this Python cannot be reached through ctypes"
)

LEAST_POINTS = {"report": 60, "prune": 15, "reject": 12, "migration": 80}
USUAL_LEAST = 150
"""A command that has fewer is not watched any more."""

FAST: Mapping[Kind, int] = {"kill": 4, "power": 2, "full": 3, "readonly": 1, "held": 1}
MORE: Mapping[str, Mapping[Kind, int]] = {
    "run": {"torn": 5, "power": 6, "full": 6, "full_once": 4, "readonly": 4, "held": 4,
            "held_once": 4},
}  # fmt: skip


LEFT_OUT = {"first_run", "scheduled_run", "reject"}
"""By the suite: they write as `run` and `approve` do."""


def plan(name: str) -> Mapping[Kind, int]:
    """Return which faults a scene meets, each at how many points at most."""
    if ALL:
        return dict.fromkeys((*DEADLY, *LASTING), 10**6)
    return MORE.get(name, FAST)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SCENES if ALL or name not in LEFT_OUT])
def test_a_command_that_is_stopped_leaves_the_old_or_the_new_state(tmp_path, name):
    told = set[str]()
    with theatre(name, tmp_path / name) as played:
        assert len(played.points) >= LEAST_POINTS.get(name, USUAL_LEAST)
        for kind, most in plan(name).items():
            tally = played.visit(kind, most=most if CAN_FORK else 2)

            assert tally.n_visited > 0
            if kind in DEADLY:
                assert tally.ends == {"killed": tally.n_visited}
            else:
                told |= tally.ends.keys() - {"done"}
    assert told, "no fault was ever felt"


@pytest.mark.slow
def test_a_run_killed_at_every_point_leaves_the_old_or_the_new_state(tmp_path):
    with theatre("run", tmp_path / "run") as played:
        tally = played.visit("kill", most=None if CAN_FORK else 10)

        assert tally.n_visited >= (100 if CAN_FORK else 10)
        assert tally.ends == {"killed": tally.n_visited}
