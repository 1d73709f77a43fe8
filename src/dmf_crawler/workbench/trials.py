"""Trials: is a damaged day stopped, and is a day stopped that nothing is wrong with?

A world is a simulated list with its history. Three rules look at the same reads: the gates, the
drafted rule and the item count (`rivals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import TypeVar

from dmf_crawler.model.past import DAILY_COUNTS, N_CHANGED
from dmf_crawler.model.record import Fields
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.run import Fault
from dmf_crawler.workbench.known_history import History, Verdict
from dmf_crawler.workbench.perturb.breakage import Breakage, Scene
from dmf_crawler.workbench.rehearsal.days import DayTruth
from dmf_crawler.workbench.rehearsal.office import MESSY_PACE, ORDINARY_PACE
from dmf_crawler.workbench.rehearsal.working_days import is_working_day
from dmf_crawler.workbench.rivals import DraftedRule, ItemCount, Pages
from dmf_crawler.workbench.simulation import Reader, Simulation, damage_day

P = TypeVar("P")
"""Where a breakage is tried."""

N_DRAWS = 3
"""Trials of one severity on one day, where the smallest one is looked for."""

BULK_ROWS = 30
"""Rows with the same thing happening to them that make a true day a bulk day."""


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """One world and what is done in it.

    Attributes:
        seed: Of its life.
        is_messy: Whether its texts are irregular and its true bulk days many.
        n_rows: Size of its list.
        n_before: Days lived and accepted before anything is tried.
        n_points: Days on which every breakage is tried.
        n_between: Days between two of them.
    """

    seed: int
    is_messy: bool
    n_rows: int
    n_before: int = 60
    n_points: int = 1
    n_between: int = 9


@dataclass(frozen=True, slots=True)
class Trial:
    """One breakage, once.

    Attributes:
        name: Of the breakage.
        severity: How severe it was.
        place: Seed of the world and number of the day.
        is_changed: Whether anything was wrong in what was read.
        stopped_by: Gates that held or refused it; () for a miss.
        on_day: Day of the breakage on which it was stopped, 0 for never.
        drafted: What the drafted rule alarmed on.
        counted: What the item count alarmed on.
        said: What was counted of a miss.
    """

    name: str
    severity: float
    place: str
    is_changed: bool = False
    stopped_by: tuple[str, ...] = ()
    on_day: int = 0
    drafted: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class CleanDay:
    """One day that was read as it is.

    Attributes:
        day: Which.
        place: Seed of the world.
        is_messy: Of the world.
        is_working_day: Whether the office worked; on other days hardly anything happens.
        is_bulk: Whether the same happened to many rows.
        n_before: Accepted days before.
        stopped_by: Gates that held it.
        drafted: What the drafted rule alarmed on.
        counted: What the item count alarmed on.
        said: What the gates said that held it.
    """

    day: date
    place: str
    is_messy: bool
    is_working_day: bool
    is_bulk: bool
    n_before: int
    stopped_by: tuple[str, ...]
    drafted: tuple[str, ...]
    counted: tuple[str, ...]
    said: str = ""


@dataclass(slots=True)
class _Rivals:
    drafted: DraftedRule
    counted: ItemCount

    def learn(self, pages: Pages) -> None:
        self.drafted.learn(pages)
        self.counted.learn(pages)


def _make_rivals(reader: Reader) -> _Rivals:
    fields = reader.watch.selectors.file.fields
    rules = {rule.field: rule.pattern for rule in reader.watch.value_rules}
    patterns = {name: pattern for name, pattern in rules.items() if pattern is not None}
    if reader.watch.selectors.number_pattern is not None:
        patterns["reg_no"] = reader.watch.selectors.number_pattern
    required = [name for name, each in fields.items() if each.validate.required]
    words = reader.rules.withdrawn_words
    drafted = DraftedRule(patterns, required, reader.rules.status_field, words)
    return _Rivals(drafted, ItemCount())


def _start(reader: Reader, plan: WorldPlan) -> tuple[Simulation, _Rivals]:
    pace = MESSY_PACE if plan.is_messy else ORDINARY_PACE
    simulation = Simulation(reader, plan.n_rows, plan.seed, pace)
    rivals = _make_rivals(reader)
    rivals.learn([simulation.fields_of_today()])
    return simulation, rivals


def live_clean_days(reader: Reader, plan: WorldPlan, n_days: int) -> Iterator[CleanDay]:
    """Yield days that are read as they are; a person approves each that is held."""
    simulation, rivals = _start(reader, plan)
    for n_before in range(1, n_days + 1):
        lived = simulation.advance()
        pages = _cut(simulation.fields_of_today())
        verdict = lived.verdict
        yield CleanDay(
            lived.truth.day,
            str(plan.seed),
            plan.is_messy,
            is_working_day(lived.truth.day),
            _is_bulk(lived.truth),
            n_before,
            verdict.stopped_by,
            rivals.drafted.alarms(pages),
            rivals.counted.alarms(pages),
            " ".join(gate.message for gate in verdict.gates if gate.code in verdict.stopped_by),
        )
        rivals.learn(pages)


def _cut(rows: Sequence[Fields]) -> Pages:
    return [rows[start : start + 100] for start in range(0, len(rows), 100)]


def _is_bulk(truth: DayTruth) -> bool:
    by_kind: dict[tuple[str, tuple[str, ...]], int] = {}
    for each in truth.happenings:
        by_kind[each.kind, each.fields] = by_kind.get((each.kind, each.fields), 0) + 1
    return max(by_kind.values(), default=0) >= BULK_ROWS or any(
        truth.counts[kind] >= BULK_ROWS for kind in ("NEW", "WITHDRAWN")
    )


@dataclass(frozen=True, slots=True)
class Point:
    """A day on which breakages are tried, and what was known on its morning.

    Attributes:
        place: Seed of the world and number of the day.
        history: As it was.
        scenes: The day, and those after it for breakages that last.
    """

    place: str
    history: History
    scenes: tuple[Scene, ...]
    _rivals: _Rivals

    def attempt(self, reader: Reader, breakage: Breakage, severity: float, draw: int = 0) -> Trial:
        """Damage the day, and those after it where the breakage lasts, until it is stopped."""
        history, rivals = self.history, self._rivals
        trial = Trial(breakage.name, severity, self.place)
        if breakage.n_days > 1:
            history, rivals = history.copy(), deepcopy(rivals)
        for day_no, scene in enumerate(self.scenes[: breakage.n_days], start=1):
            on_day = replace(scene, day_no=day_no, at_first=self.scenes[0].rows)
            damaged = damage_day(reader, on_day, breakage, severity, f"{self.place}/{draw}")
            verdict = reader.judge(history, damaged.read, scene.day)
            pages = reader.read_rows(damaged.extraction)
            trial = replace(
                trial,
                is_changed=trial.is_changed or damaged.is_changed,
                stopped_by=verdict.stopped_by,
                on_day=day_no if verdict.is_stopped else 0,
                drafted=trial.drafted or rivals.drafted.alarms(pages),
                counted=trial.counted or rivals.counted.alarms(pages),
                said="" if verdict.is_stopped else _quote(verdict),
            )
            if verdict.is_stopped or breakage.n_days == 1:
                return trial
            if not isinstance(damaged.read, Fault):
                history.accept(scene.day, damaged.read, verdict)
            rivals.learn(pages)
        return trial


def live_points(reader: Reader, plan: WorldPlan, n_days_after: int) -> Iterator[Point]:
    """Live a world and yield the days on which every breakage is tried.

    Args:
        reader: Reads and judges.
        plan: Which world, and how many such days.
        n_days_after: Days that the longest breakage lasts.
    """
    simulation, rivals = _start(reader, plan)
    _live(simulation, rivals, plan.n_before)
    for number in range(plan.n_points):
        _live(simulation, rivals, plan.n_between if number else 0)
        while not _is_busy(simulation):
            _live(simulation, rivals, 1)
        history, then = simulation.history.copy(), deepcopy(rivals)
        scenes = []
        for _ in range(n_days_after):
            scenes.append(simulation.next_scene())
            simulation.accept_today()
            rivals.learn(_cut(scenes[-1].rows))
        yield Point(f"{plan.seed}/{number}", history, tuple(scenes), then)


def _is_busy(simulation: Simulation) -> bool:
    """Say whether the office works tomorrow, so that the damage stands among true changes."""
    return is_working_day(date.fromordinal(simulation.life.day.toordinal() + 1))


def _live(simulation: Simulation, rivals: _Rivals, n_days: int) -> None:
    for _ in range(n_days):
        simulation.advance()
        rivals.learn(_cut(simulation.fields_of_today()))


def find_smallest(
    points: Sequence[P], breakage: Breakage, attempt: Callable[[P, float, int], Trial]
) -> float | None:
    """Return the smallest severity of which every trial is stopped, None where there is none.

    Args:
        points: Days on which it is tried.
        breakage: Which.
        attempt: Makes a trial of a point, a severity and the number of the draw: the same damage
            hits other cells, and another field where it may hit several, in each of `N_DRAWS`.
    """
    for severity in breakage.severities:
        is_changed = False
        for point, draw in product(points, range(N_DRAWS)):
            trial = attempt(point, severity, draw)
            is_changed |= trial.is_changed
            if trial.is_changed and not trial.stopped_by:
                break
        else:
            if is_changed:
                return severity
    return None


def _quote(verdict: Verdict) -> str:
    """Return what was counted: of the list as a whole, and of the fields that changed most."""
    parts = []
    fields = sorted(
        (name for name in verdict.features if name != ROW),
        key=lambda name: -verdict.features[name].get(N_CHANGED, 0),
    )
    for name in (ROW, *fields[:2]):
        counts = verdict.features.get(name, {})
        told = [f"{what} {counts[what]:g}" for what in sorted(DAILY_COUNTS) if counts.get(what)]
        parts.append(f"{name}: {', '.join(told) or 'nothing'}")
    return "; ".join(parts)
