"""A year of a small list in memory: what is held, what is recorded, and damage of every family."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from dmf_crawler.model.change import Change
from dmf_crawler.model.past import N_ENTERED
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import RunStatus
from dmf_crawler.text import key_form
from dmf_crawler.workbench.perturb.breakage import Body, Breakage, Extraction, Family, Layer
from dmf_crawler.workbench.perturb.catalogue import CATALOGUE, is_held_out
from dmf_crawler.workbench.rehearsal.days import DayTruth, Happening
from dmf_crawler.workbench.rehearsal.markup import RowRenderer
from dmf_crawler.workbench.rehearsal.office import MESSY_PACE
from dmf_crawler.workbench.rehearsal.pages import ListPage, write_list_page
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES
from dmf_crawler.workbench.simulation import PAGE_SIZE, Reader, Simulation, damage_day
from dmf_crawler.workbench.trials import BULK_ROWS, WorldPlan, live_clean_days, live_points

N_ROWS = 1_300
N_DAYS = 365
SAMPLE: dict[Family, Breakage] = {
    kind.family: kind
    for kind in reversed(CATALOGUE)
    if not is_held_out(kind) and kind.layer is not Layer.SECOND_SOURCE and not kind.is_harmless
}
"""The first kind of each family that may be looked at."""


@pytest.mark.slow
def test_a_year_is_recorded_as_it_was_lived_and_no_ordinary_day_is_held(reader):
    simulation = Simulation(reader, N_ROWS, seed=1_209)
    held, seen = [], set()
    for _ in range(N_DAYS):
        lived = simulation.advance()
        change_set = lived.verdict.change_set
        assert lived.verdict.status is not RunStatus.REJECTED, lived.verdict.stopped_by
        assert _told_by(change_set.changes) == _expected(lived.truth)
        assert set(change_set.missing) == {key_form(key) for key in lived.truth.missing}
        seen |= {(each.kind, each.reason) for each in lived.truth.happenings}
        seen |= {("came back", "") for _ in change_set.came_back}
        if lived.verdict.is_stopped:
            held.append(lived)

    assert [each.truth.day for each in held if not _is_bulk(each.truth)] == []
    assert len(held) <= N_DAYS / 60
    assert seen >= {
        *(("NEW", ""), ("MODIFIED", ""), ("WITHDRAWN", "status"), ("WITHDRAWN", "missing")),
        *(("REAPPEARED", "restored"), ("REAPPEARED", "returned"), ("came back", "")),
    }
    current = {key for key, each in simulation.history.known.items() if each.is_current}
    missing = {key for key in current if simulation.history.known[key].missing_since}
    assert current - missing == {key_form(row.key) for row in simulation.life.rows}
    assert len(simulation.history.days) == reader.limits.history_days


def _is_bulk(truth: DayTruth) -> bool:
    return max(truth.counts.values()) >= BULK_ROWS


def _told_by(changes: Iterable[Change]) -> list[Happening]:
    return [
        Happening(
            change.kind,
            change.key,
            tuple(each.field for each in change.changes),
            change.reason or "",
            is_cosmetic=change.is_cosmetic,
        )
        for change in changes
    ]


def _expected(truth: DayTruth) -> list[Happening]:
    happenings = [
        Happening(each.kind, key_form(each.key), each.fields, each.reason, each.is_cosmetic)
        for each in truth.happenings
    ]
    return sorted(happenings, key=lambda each: each.key)


@pytest.fixture(scope="module")
def points(reader):
    """Return two days on which all is tried, at the end of a small list's 40 days and later."""
    plan = WorldPlan(seed=87, is_messy=False, n_rows=N_ROWS, n_before=40, n_points=2)
    return list(live_points(reader, plan, n_days_after=2))


def test_every_family_has_a_kind_that_may_be_looked_at():
    assert set(SAMPLE) == set(Family)


@pytest.mark.parametrize("family", Family)
def test_damage_of_every_family_is_stopped_on_its_day(reader, points, family):
    kind = SAMPLE[family]
    severity = kind.severities[-1] if kind.n_days > 1 else kind.usual[0]
    for point in points:
        trial = point.attempt(reader, kind, severity)
        assert trial.is_changed
        assert trial.on_day == 1, trial.said


def test_a_rejected_day_leaves_the_history_as_it_was(reader, points):
    point = points[0]
    known, n_days = dict(point.history.known), len(point.history.days)
    point.attempt(reader, SAMPLE[Family.COLUMNS], 1.0)

    assert point.history.known == known
    assert len(point.history.days) == n_days


def test_a_day_that_a_person_lets_pass_is_known_as_held(reader):
    simulation = Simulation(reader, 300, seed=11)
    n_before = len(simulation.life.rows)
    scene = simulation.next_scene()
    doubled = next(kind for kind in CATALOGUE if kind.name == "rows_of_another_register_added")
    damaged = damage_day(reader, scene, doubled, 100, "1")
    verdict = reader.judge(simulation.history, damaged.read, scene.day)
    assert verdict.status is RunStatus.HELD
    assert isinstance(damaged.read, Snapshot)
    simulation.history.accept(scene.day, damaged.read, verdict, was_held=True)

    last = simulation.history.days[-1]
    assert last.was_held
    assert (last.feature(N_ENTERED) or 0) >= 100
    assert len(simulation.history.known) >= n_before + 100


def test_a_list_taken_whole_is_the_one_that_is_read_from_its_pages(reader):
    simulation = Simulation(reader, 450, seed=3, pace=MESSY_PACE)
    scene = simulation.next_scene()
    rows, renderer = simulation.life.rows, RowRenderer(USUAL_SWITCHES)
    bodies = {}
    for index, start in enumerate(range(0, len(rows), PAGE_SIZE)):
        shown = rows[start : start + PAGE_SIZE]
        page = ListPage(shown, start + 1, len(rows), index + 1, PAGE_SIZE, {})
        bodies[index] = Body(write_list_page(page, renderer, USUAL_SWITCHES).encode())
    read = reader.read(Extraction([()] * len(bodies), 0, bodies))
    whole = reader.take_whole(rows)

    assert isinstance(read, Snapshot)
    assert list(read.records) == list(whole.records)
    for key, record in read.records.items():
        assert _as_one_line_ending(record.fields) == _as_one_line_ending(whole.records[key].fields)
    assert (read.announced_total, read.n_pages) == (whole.announced_total, whole.n_pages)
    assert set(read.delivered) >= set(whole.delivered)
    assert [dict(row) for row in scene.rows] == [dict(e.fields) for e in whole.records.values()]


def _as_one_line_ending(fields):
    return {name: repr(value).replace("\\r\\n", "\\n") for name, value in fields.items()}


def test_messy_days_know_which_of_them_are_bulk_days(reader):
    plan = WorldPlan(seed=5, is_messy=True, n_rows=400)
    days = list(live_clean_days(reader, plan, 20))

    assert [day.n_before for day in days] == list(range(1, 21))
    assert not any(day.is_bulk for day in days[:13])
    assert sum(day.is_working_day for day in days) in range(12, 16)


def test_a_reader_of_the_shipped_configuration_judges_with_its_limits():
    assert Reader().limits.vanished.floor == 3
