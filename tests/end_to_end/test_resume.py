"""A crawl that was cut short goes on where it ended, within its day, and never across a race.

Judged by what the site was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from tests.end_to_end.homes import new_home
from tests.end_to_end.killing import run_and_kill
from tests.end_to_end.spoiling import SpoiltSite, in_turn, with_status

LIFE = Life(n_rows=120)
DAY = "2026-12-01"


@pytest.fixture
def stage(tmp_path):
    """Twelve pages of ten rows and one accepted day."""
    with RehearsalSite(LIFE.rows[7:]) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.edit("config/boards.yaml", "page_size: 100", "page_size: 10")
        assert home.run("2026-11-30")["n_rows"] == 113
        site.clear_log()
        yield site, home


def asked(site: RehearsalSite) -> Sequence[str]:
    """Return what was asked for: page numbers, or the path of what is no list page."""
    pages = [request.params.get("page", request.path) for request in site.log]
    site.clear_log()
    return pages


def kill_at_page(site, home, number, *words):
    run_and_kill(site, home, DAY, lambda request: request.params.get("page") == str(number), *words)
    asked(site)


def test_a_killed_run_goes_on_behind_its_last_page(stage):
    site, home = stage
    site.rows = LIFE.rows[6:]
    kill_at_page(site, home, 8)

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(8, 13)), "1"]
    assert (run["status"], run["n_rows"], run["counts"]["NEW"]) == ("OK", 114, 1)
    assert run["n_requests"] == 7
    assert home.command("verify")[0] == 0


def test_the_pages_taken_over_are_in_the_new_run_s_own_folder(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    run = home.run(DAY, hour=9)
    (killed,) = home.root.glob(f"raw/{DAY}/dmf_registry/20261201T06*")
    for path in killed.iterdir():
        path.unlink()

    exit_code, payload = home.command("reparse", "--run", run["run_id"])

    assert exit_code == 0
    counts = payload["runs"][0]["counts"]
    assert not any(counts.values())
    assert payload["runs"][0]["n_rows"] == 113


def test_what_is_left_is_foreseen_to_the_request_and_a_refusal_leaves_the_pages_to_the_next(stage):
    """Nine were sent by the killed run, the last one unanswered; seven are left, robots.txt too."""
    site, home = stage
    kill_at_page(site, home, 8)
    home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 15")
    assert home.run(DAY, hour=9)["error"]["code"] == "budget_exceeded"
    assert asked(site) == ["/robots.txt"]
    home.edit("config/settings.yaml", "requests_per_day: 15", "requests_per_day: 17")

    run = home.run(DAY, hour=10)

    assert run["status"] == "OK"
    assert asked(site) == ["/robots.txt", *map(str, range(8, 13)), "1"]


def test_pages_of_another_page_size_are_neither_taken_over_nor_counted_on(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    home.edit("config/boards.yaml", "page_size: 10\n", "page_size: 20\n")
    home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 16")
    assert home.run(DAY, hour=9)["error"]["code"] == "budget_exceeded"
    assert asked(site) == ["/robots.txt", "1"]
    home.edit("config/settings.yaml", "requests_per_day: 16", "requests_per_day: 500")

    run = home.run(DAY, hour=10)

    assert run["status"] == "OK"
    assert asked(site) == ["/robots.txt", *map(str, range(2, 7)), "1"], "page 1 is of this size"


def test_a_run_that_resumed_and_was_killed_in_its_turn_leaves_all_pages_to_the_next(stage):
    site, home = stage
    kill_at_page(site, home, 5)
    kill_at_page(site, home, 9)

    run = home.run(DAY, hour=9)

    assert run["status"] == "OK"
    assert asked(site) == ["/robots.txt", *map(str, range(9, 13)), "1"]
    counts = home.rows("SELECT n_taken_over FROM crawl_run ORDER BY started_at, rowid")
    assert counts[-1] == (8,)


def test_a_run_that_was_killed_while_it_took_over_loses_nothing(stage):
    """Its folder is cut back to robots.txt and two pages, as such a kill leaves it."""
    site, home = stage
    kill_at_page(site, home, 8)
    kill_at_page(site, home, 8)
    _, second = sorted(home.root.glob(f"raw/{DAY}/dmf_registry/*/index.jsonl"))
    lines = second.read_bytes().splitlines(keepends=True)
    assert len(lines) == 8
    second.write_bytes(b"".join(lines[:3]))

    run = home.run(DAY, hour=9)

    assert run["status"] == "OK"
    assert asked(site) == ["/robots.txt", *map(str, range(8, 13)), "1"]


def test_page_1_once_more_is_asked_for_though_it_was_kept(stage):
    """Killed in the second pass, after the first one had been found to be of two lists."""
    site, home = stage
    pages = []

    def is_due(request):
        pages.append(request.params.get("page"))
        if pages.count("6") == 1:
            site.rows = (LIFE.rows[6], *LIFE.rows[8:])
        return pages.count("5") == 2

    run_and_kill(site, home, DAY, is_due)
    assert asked(site) == ["/robots.txt", *map(str, range(1, 13)), *map(str, [1, *range(1, 6)])]

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", "1", *map(str, range(5, 13)), "1"]
    assert (run["status"], run["n_rows"], run["counts"]["NEW"]) == ("OK", 113, 1)
    assert home.command("verify")[0] == 0


def test_on_the_next_day_everything_is_asked_for_again(stage):
    site, home = stage
    kill_at_page(site, home, 8)

    home.run("2026-12-02")

    assert asked(site) == ["/robots.txt", *map(str, range(1, 13)), "1"]


def test_the_race_checks_cover_the_seam(stage):
    """A row goes while nobody crawls: the first half is of another list than the second."""
    site, home = stage
    kill_at_page(site, home, 8)
    site.rows = LIFE.rows[7:40] + LIFE.rows[41:]

    run = home.run(DAY, hour=9)

    pages = asked(site)
    assert pages[:2] == ["/robots.txt", "8"]
    assert pages[-13:] == [*map(str, range(1, 13)), "1"]
    assert (run["status"], run["n_rows"], run["missing"]) == ("OK", 112, 1)


def test_a_row_added_on_top_at_the_seam_is_found_without_reading_all_again(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    site.rows = LIFE.rows[6:]

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(8, 13)), "1"]
    assert (run["status"], run["n_rows"], run["counts"]["NEW"]) == ("OK", 114, 1)


def test_a_site_that_failed_in_the_middle_is_asked_for_the_rest_alone(stage):
    site, home = stage
    trouble = PageTrouble("status_503", pages=frozenset({6}))
    site.switches = replace(site.switches, troubles=(trouble,))
    assert home.run(DAY)["exit_code"] == 6
    asked(site)
    site.switches = replace(site.switches, troubles=())

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(6, 13)), "1"]
    assert run["status"] == "OK"


def test_a_full_run_takes_nothing_over(stage):
    site, home = stage
    kill_at_page(site, home, 8)

    home.run(DAY, "--full", hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(1, 13)), "1"]


def fail_at_page(site, home, number):
    """Leave the pages before this one to the next run."""
    site.switches = replace(
        site.switches, troubles=(PageTrouble("status_503", pages=frozenset({number})),)
    )
    run = home.run(DAY)
    assert run["exit_code"] == 6
    asked(site)
    site.switches = replace(site.switches, troubles=())
    return run


def test_a_dry_run_takes_nothing_over(stage):
    site, home = stage
    fail_at_page(site, home, 8)

    home.run(DAY, "--dry-run", hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(1, 13)), "1"]


def test_a_run_that_got_no_further_than_robots_txt_does_not_hide_the_one_before(stage):
    site, home = stage
    fail_at_page(site, home, 8)
    site.switches = replace(site.switches, robots="reset")
    assert home.run(DAY, hour=7)["exit_code"] == 6
    site.switches = replace(site.switches, robots="text")
    asked(site)

    home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", *map(str, range(8, 13)), "1"]


def test_a_page_that_was_kept_after_the_day_had_ended_is_asked_for_again(stage):
    site, home = stage
    fail_at_page(site, home, 8)
    (index,) = home.root.glob(f"raw/{DAY}/dmf_registry/*/index.jsonl")
    lines = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["page_no"] == 5:
            line["fetched_at"] = "2026-12-02T06:00:00+09:00"
    index.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", "5", *map(str, range(8, 13)), "1"]


def test_a_page_that_came_with_an_error_status_is_asked_for_again_though_it_looks_whole(tmp_path):
    with SpoiltSite(LIFE.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        site.spoilt = {"/pbp/CCBAC03/getList": in_turn(*[None] * 2, with_status(503))}
        home.edit("config/boards.yaml", "page_size: 100", "page_size: 10")
        failed = home.run(DAY)
        assert (failed["exit_code"], failed["n_requests"]) == (6, 6)
        site.spoilt = {}
        asked(site)

        assert home.run(DAY, hour=9)["status"] == "OK"

        assert asked(site) == ["/robots.txt", *map(str, range(3, 13)), "1"]


def test_an_accepted_run_in_between_ends_what_was_left(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    home.run(DAY, hour=9)
    asked(site)

    home.run(DAY, hour=10)

    assert asked(site) == ["/robots.txt", *map(str, range(1, 13)), "1"]


def test_robots_txt_is_asked_again_and_a_new_rule_ends_the_resumed_run(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    site.switches = replace(site.switches, robots_text="User-agent: *\nDisallow: /pbp\n")

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt"]
    assert run["error"]["code"] == "robots_disallowed"


def test_a_resumed_run_says_so(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    home.run(DAY, hour=9)

    (told,) = home.rows(
        "SELECT warnings_json FROM crawl_run WHERE status = 'OK' AND day > '2026-12'"
    )
    assert "7쪽을 이어받아" in told[0]
    resumed, killed, first = home.command("runs")[1]["runs"]
    assert [run["n_taken_over"] for run in (resumed, killed, first)] == [7, 0, 0]


def test_a_damaged_kept_page_is_asked_for_again(stage):
    site, home = stage
    kill_at_page(site, home, 8)
    (index,) = home.root.glob(f"raw/{DAY}/dmf_registry/*/index.jsonl")
    lines = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    (third,) = (line for line in lines if line["page_no"] == 3)
    (index.parent / third["file"]).write_bytes(b"no gzip")

    run = home.run(DAY, hour=9)

    assert asked(site) == ["/robots.txt", "3", *map(str, range(8, 13)), "1"]
    assert run["status"] == "OK"
