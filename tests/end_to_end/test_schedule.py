"""Starts by the schedule: what is due once a day is done once a day."""

from __future__ import annotations

import json

import pytest
from filelock import FileLock

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.end_to_end.homes import new_home


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(Life(n_rows=120).rows) as site:
        yield site, new_home(tmp_path / "home", site.base_url)


def start(home, moment):
    return home.command("run", "--scheduled", "--now", f"2026-12-01T{moment}:00+09:00")


def test_a_closed_day_is_not_begun_again(stage):
    site, home = stage
    assert start(home, "06:00")[1]["runs"][0]["status"] == "OK"
    site.clear_log()

    exit_code, payload = start(home, "06:30")

    assert (exit_code, payload["runs"], payload["error"]) == (0, [], None)
    assert site.log == []
    assert home.rows("SELECT count(*) FROM attempt") == [(1,)]


def test_an_unreachable_site_is_tried_four_times_and_no_more(stage):
    site, home = stage
    site.switches = Switches(robots="server_error")
    codes = [start(home, moment)[0] for moment in ("06:00", "06:10", "06:30", "07:00", "07:30")]
    assert codes == [7, 0, 7, 7, 7]
    site.clear_log()

    exit_code, payload = start(home, "08:00")

    assert (exit_code, payload["runs"]) == (0, [])
    assert site.log == []


def test_what_a_gate_refused_is_tried_once_more(stage):
    site, home = stage
    site.switches = Switches(n_withheld_rows=2)
    assert [start(home, moment)[0] for moment in ("06:00", "06:30", "07:00")] == [4, 4, 0]


def test_a_start_beside_a_run_at_work_is_logged_and_no_failure(stage):
    site, home = stage
    (home.root / "var").mkdir(exist_ok=True)
    with FileLock(home.root / "var/run.lock"):
        exit_code, payload = start(home, "06:00")
    assert (exit_code, payload["runs"]) == (0, [])
    assert site.log == []
    (log,) = home.root.glob("logs/*.jsonl")
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert {"event": "scheduled_start_ignored", "code": "lock_held"}.items() <= lines[-1].items()


def test_a_correction_does_not_stand_for_the_days_crawl(stage):
    _, home = stage
    yesterday = home.run("2026-11-30")
    exit_code, _ = home.command(
        *("reparse", "--run", yesterday["run_id"], "--apply"),
        *("--now", "2026-12-01T06:30:00+09:00"),
    )
    assert exit_code == 0

    exit_code, payload = start(home, "07:00")

    assert exit_code == 0
    assert payload["runs"][0]["n_requests"] > 0


def test_a_report_that_could_not_be_written_is_written_by_the_next_attempt(stage):
    site, home = stage
    obstacle = home.root / "reports/DMF_2026-12-01.xlsx"
    obstacle.mkdir(parents=True)
    exit_code, payload = start(home, "06:00")
    assert (exit_code, payload["runs"][0]["error"]["code"]) == (5, "report_not_written")
    assert start(home, "06:30")[0] == 5  # the obstacle is still there
    obstacle.rmdir()
    site.clear_log()

    exit_code, payload = start(home, "07:00")

    assert (exit_code, payload["error"]) == (0, None)
    assert obstacle.is_file()
    assert site.log == []
    assert start(home, "07:30")[1]["runs"] == []


def test_a_killed_attempt_is_reported_at_the_next_start(stage):
    _, home = stage
    start(home, "06:00")
    sql = "UPDATE attempt SET ended_at = NULL, exit_code = NULL"
    home.execute(sql)

    start(home, "06:30")

    (log,) = home.root.glob("logs/*.jsonl")
    assert '"attempt_was_killed"' in log.read_text(encoding="utf-8")
