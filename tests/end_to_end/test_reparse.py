"""Kept pages read again: which runs stand for a day, and what a correction may record."""

from __future__ import annotations

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches
from tests.end_to_end.homes import new_home

ROWS = Life(n_rows=240).rows
BROKEN = Switches(troubles=(PageTrouble("error_page", frozenset({2})),))


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        assert home.run("2026-11-30")["status"] == "OK"
        yield site, home


def test_a_day_is_its_accepted_runs_not_what_failed_before(stage):
    site, home = stage
    site.switches = BROKEN
    assert home.run("2026-12-01")["status"] == "FAILED"
    site.switches = Switches()
    good = home.run("2026-12-01", hour=8)

    exit_code, result = home.command("reparse", "--date", "2026-12-01")

    assert exit_code == 0
    assert [run["run_id"] for run in result["runs"]] == [good["run_id"]]


def test_of_several_days_the_newest_read_is_recorded(stage):
    site, home = stage
    site.rows = ROWS[4:]
    held = home.run("2026-12-01")
    assert held["status"] == "HELD"
    home.edit("config/settings.yaml", "missing_hold: 3", "missing_hold: 10")

    exit_code, result = home.command(
        *("reparse", "--since", "2026-11-30", "--until", "2026-12-01", "--apply"),
        *("--now", "2026-12-01T09:00:00+09:00"),
    )

    assert exit_code == 0
    (run,) = result["runs"]
    assert (run["status"], run["missing"], run["is_baseline"]) == ("OK", 4, False)
    assert home.rows(f"SELECT reparse_of FROM crawl_run WHERE run_id = '{run['run_id']}'") == [
        (held["run_id"],)
    ]
    assert home.command("verify")[0] == 0


def test_older_pages_never_undo_newer_facts(stage):
    _, home = stage
    first = home.rows("SELECT run_id FROM crawl_run")[0][0]
    home.run("2026-12-01")

    exit_code, result = home.command("reparse", "--run", first, "--apply")

    assert (exit_code, result["error"]["code"]) == (2, "newer_run_accepted")


def test_a_page_that_the_selectors_cannot_read_is_that_very_fault(stage):
    _, home = stage
    home.edit("selectors/dmf_registry.yaml", 'end_marker: "</html>"', 'end_marker: "</never>"')

    exit_code, result = home.command("reparse", "--date", "2026-11-30")

    assert exit_code == 6
    assert result["runs"][0]["error"]["code"] == "truncated_page"


def test_a_run_that_ended_half_way_has_nothing_to_read(stage):
    site, home = stage
    site.switches = BROKEN
    failed = home.run("2026-12-01")

    exit_code, result = home.command("reparse", "--run", failed["run_id"])

    assert exit_code == 6
    assert result["runs"][0]["error"]["code"] == "error_page"


def test_comparing_and_correcting_count_no_missing_day_of_their_own(stage):
    """A vanished row at its third read: neither a comparison nor a correction withdraws it."""
    site, home = stage
    site.rows = ROWS[:100] + ROWS[101:]
    _, _, last = [home.run(f"2026-12-{day}") for day in ("01", "02", "03")]
    assert (last["missing"], last["counts"]["WITHDRAWN"]) == (1, 0)

    exit_code, compared = home.command("reparse", "--run", last["run_id"])
    assert exit_code == 0
    assert sum(compared["runs"][0]["counts"].values()) == compared["runs"][0]["missing"] == 0
    exit_code, corrected = home.command(
        "reparse", "--run", last["run_id"], "--apply", "--now", "2026-12-04T05:30:00+09:00"
    )
    assert exit_code == 0
    assert sum(corrected["runs"][0]["counts"].values()) == 0
    assert home.rows("SELECT n_reads FROM missing_spell") == [(3,)]

    assert home.run("2026-12-04")["counts"]["WITHDRAWN"] == 1
    assert home.command("verify")[0] == 0


def test_a_correction_of_a_correction_is_still_the_read_of_that_day(stage):
    site, home = stage
    site.rows = ROWS[:100] + ROWS[101:]
    last = home.run("2026-12-01")
    for moment in ("2026-12-02T07:00:00", "2026-12-03T07:00:00"):
        _, result = home.command(
            "reparse", "--run", last["run_id"], "--apply", "--now", f"{moment}+09:00"
        )
        last = result["runs"][0]
        assert last["status"] == "OK"

    assert home.rows("SELECT n_reads FROM missing_spell") == [(1,)]
