"""The catalogue of breakage: what each kind says of itself, and that it damages what it says."""

from __future__ import annotations

import random

import pytest

from dmf_crawler.model.record import Snapshot
from dmf_crawler.workbench.perturb.breakage import Breakage, Family, Layer, Unit
from dmf_crawler.workbench.perturb.catalogue import CATALOGUE, is_held_out
from dmf_crawler.workbench.perturb.rows import count_rows, pick_page
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.simulation import Simulation, damage_day
from dmf_crawler.workbench.trials import N_DRAWS, Trial, find_smallest

every_kind = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
READ_RIGHT = {"list_shown_twice", "utf8_called_latin1", "page_in_utf16"}
"""Pages that the reader can tell to be what they are: nothing in the records is wrong."""


@pytest.fixture(scope="module")
def scene(reader):
    simulation = Simulation(reader, 1_300, seed=77)
    for _ in range(29):
        simulation.advance()
    scene = simulation.next_scene()
    assert len(scene.earlier) == 30
    return scene


def test_there_are_enough_kinds_of_every_family_with_names_of_their_own():
    assert len(CATALOGUE) >= 60
    assert len({kind.name for kind in CATALOGUE}) == len(CATALOGUE)
    assert {kind.family for kind in CATALOGUE} == set(Family)
    assert {kind.layer for kind in CATALOGUE} >= set(Layer) - {Layer.PROFILE}


def test_about_half_of_the_kinds_are_held_out_and_some_of_every_family():
    n_held_out = sum(map(is_held_out, CATALOGUE))
    assert 0.4 < n_held_out / len(CATALOGUE) < 0.6
    for half in (True, False):
        assert {kind.family for kind in CATALOGUE if is_held_out(kind) is half} == set(Family)


def test_what_is_held_out_follows_from_the_name_alone():
    names = ("cells_emptied", "page_lost", "widened", "suffixes_lost")
    chosen = [kind for kind in CATALOGUE if kind.name in names]
    assert {kind.name: is_held_out(kind) for kind in chosen} == {
        "cells_emptied": True,
        "page_lost": True,
        "widened": True,
        "suffixes_lost": False,
    }


@every_kind
def test_severities_begin_with_the_smallest(kind: Breakage):
    assert list(kind.severities) == sorted(kind.severities)
    assert kind.usual
    assert kind.symptom.endswith(".")
    assert (kind.unit is Unit.PER_DAY) == (kind.n_days > 1)


@every_kind
def test_a_kind_does_the_same_again_leaves_the_true_list_alone_and_damages_something(
    reader, scene, kind: Breakage
):
    before = [dict(row) for row in scene.rows]
    severity = max(kind.usual)
    first, second = (damage_day(reader, scene, kind, severity, "0") for _ in range(2))

    assert first.extraction == second.extraction
    assert [dict(row) for row in scene.rows] == before
    is_harmless = kind.is_harmless or kind.name in READ_RIGHT
    changed = first.is_changed or any(
        damage_day(reader, scene, kind, severity, seed).is_changed for seed in ("1", "2")
    )
    assert changed != is_harmless


def test_a_severity_is_a_number_of_rows_or_a_share_of_them():
    assert count_rows(1, 200) == 1
    assert count_rows(1.0, 200) == 200
    assert count_rows(0.01, 200) == 2
    assert count_rows(0.0001, 200) == 1
    assert count_rows(500, 200) == 200


def test_rows_in_a_row_stay_within_the_list(scene):
    for seed in range(50):
        places = pick_page(scene.rows, 100, random.Random(seed))
        assert len(places) == 100
        assert places[-1] < len(scene.rows)


def test_a_cell_of_so_many_rows_is_written_and_no_other(reader, scene):
    emptied = next(kind for kind in CATALOGUE if kind.name == "cells_emptied")
    damaged = damage_day(reader, scene, emptied, 8, "a")
    rows = [row for page in damaged.extraction.pages for row in page]
    changed = [(old, new) for old, new in zip(scene.rows, rows, strict=True) if old != new]

    assert len(changed) == 8
    for old, new in changed:
        assert [name for name in old if old[name] != new[name] and not new[name]] != []
        assert sum(old[name] != new[name] for name in old) == 1


def test_pages_that_cannot_be_read_have_no_rows_and_the_others_theirs(reader, scene):
    login = next(kind for kind in CATALOGUE if kind.name == "login_page")
    damaged = damage_day(reader, scene, login, 1, "a")
    pages = reader.read_rows(damaged.extraction)

    assert not isinstance(damaged.read, Snapshot)
    assert sum(not page for page in pages) == 1
    assert sum(map(len, pages)) == len(scene.rows) - 100


def test_the_smallest_severity_is_the_first_of_which_all_trials_are_stopped():
    kind = next(kind for kind in CATALOGUE if kind.severities[:4] == (1, 2, 3, 5))
    tried = []

    def attempt(point: int, severity: float, draw: int) -> Trial:
        tried.append((point, severity, draw))
        seen = ("G-11",) if severity >= 2 + point else ()
        return Trial(kind.name, severity, "", is_changed=True, stopped_by=seen)

    draws = range(N_DRAWS)
    assert find_smallest((0, 1), kind, attempt) == 3
    assert tried == [
        (0, 1, 0),
        *((0, 2, draw) for draw in draws),
        (1, 2, 0),
        *((0, 3, draw) for draw in draws),
        *((1, 3, draw) for draw in draws),
    ]
    assert find_smallest((10**6,), kind, attempt) is None


def test_what_changes_nothing_has_no_smallest_severity():
    kind = CATALOGUE[0]
    assert find_smallest((0,), kind, lambda _, severity, __: Trial(kind.name, severity, "")) is None


def test_an_ordinary_life_is_not_changed_by_what_messy_ones_do_besides():
    life = Life(200, 5)
    counts = [sum(life.advance().counts.values()) for _ in range(30)]
    assert sum(counts) > 50
    assert all(n < 60 for n in counts)
