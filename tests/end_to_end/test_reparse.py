"""Kept pages read again: which runs stand for a day, and what a correction may record."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches
from tests.end_to_end.homes import Board, new_home
from tests.end_to_end.spoiling import SpoiltSite, in_turn, with_status

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
    home.edit("config/settings.yaml", "vanished: {floor: 3", "vanished: {floor: 10")

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


def test_a_bad_day_stops_no_other_however_many_are_read_at_once(stage):
    """Five days: one has a spoiled page, one was pruned."""
    _, home = stage
    _, spoiled, pruned, _ = [home.run(f"2026-12-0{day}") for day in range(1, 5)]
    home.kept_pages(spoiled["run_id"])[1].write_bytes(b"spoiled")
    shutil.rmtree(home.kept_pages(pruned["run_id"])[0].parent)
    words = ["reparse", "--since", "2026-11-30", "--until", "2026-12-04", "--jobs"]
    before = home.history_content()

    alone = home.command(*words, "1")
    together = home.command(*words, "2")

    assert together == alone
    exit_code, result = together
    assert exit_code == 2
    assert [run["date"] for run in result["runs"]] == [
        "2026-11-30",
        *(f"2026-12-0{day}" for day in range(1, 5)),
    ]
    errors = [run["error"] and run["error"]["code"] for run in result["runs"]]
    assert errors == [None, None, "raw_damaged", "no_kept_pages", None]
    assert [run["n_rows"] for run in result["runs"]] == [240, 240, None, None, 240]
    assert home.history_content() == before


# --- a board with posts --------------------------------------------------------------------------

PLAIN = [post for post in NoticeLife(n_posts=12).rows if not post.attachments][:2]
POSTS = tuple(replace(post, blocks=("하나", "둘")) for post in PLAIN)


@pytest.fixture
def board(tmp_path):
    with RehearsalSite(ROWS, notices=POSTS) as site:
        yield Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


def drop_first_paragraph(board: Board) -> None:
    board.home.edit("selectors/mfds_notice.yaml", "drop: []", "drop: [\"p:contains('하나')\"]")


def test_the_texts_of_posts_are_compared_too_and_a_baseline_stays_one(board):
    run = board.run("2026-12-01")
    assert run["is_baseline"]
    exit_code, same = board.home.command("reparse", "--run", run["run_id"])
    assert (exit_code, any(same["runs"][0]["counts"].values())) == (0, False)
    assert same["runs"][0]["is_baseline"]
    drop_first_paragraph(board)

    exit_code, other = board.home.command("reparse", "--run", run["run_id"])

    assert (exit_code, other["runs"][0]["counts"]["MODIFIED"]) == (0, 2)
    assert board.fields(POSTS[0].post_id)["body"] == "하나\n둘", "only compared"


def test_a_correction_keeps_what_its_run_knew_of_the_crawl_and_is_of_its_own_day(board):
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 1")
    run = board.run("2026-12-01")
    crawled = "identity, full_check_from, full_check_left"
    (before,) = board.home.rows(f"SELECT {crawled} FROM crawl_run")
    assert before[1:] == ("2026-12-01", 1)
    drop_first_paragraph(board)

    exit_code, result = board.home.command(
        *("reparse", "--run", run["run_id"], "--apply", "--now", "2026-12-03T09:00:00+09:00")
    )

    (correction,) = result["runs"]
    assert (exit_code, correction["status"], correction["date"]) == (0, "OK", "2026-12-03")
    rows = board.home.rows(f"SELECT day, {crawled} FROM crawl_run ORDER BY rowid")
    assert rows == [("2026-12-01", *before), ("2026-12-03", *before)]
    newest = max(POSTS, key=lambda post: int(post.post_id))
    assert board.fields(newest.post_id)["body"] == "둘"


def test_a_run_whose_pages_are_gone_leaves_no_line_of_a_correction(board):
    run = board.run("2026-12-01")
    shutil.rmtree(board.home.root / "raw")

    exit_code, result = board.home.command("reparse", "--run", run["run_id"], "--apply")

    assert (exit_code, result["error"]["code"]) == (2, "no_kept_pages")
    assert board.home.rows("SELECT count(*) FROM crawl_run") == [(1,)]


def test_a_page_that_came_with_an_error_status_is_none_though_it_looks_whole(tmp_path):
    """Page 1 once more, without which nobody knows whether the list changed meanwhile."""
    with SpoiltSite(ROWS[:20]) as site:
        home = new_home(tmp_path / "home", site.base_url)
        site.spoilt = {"/pbp/CCBAC03/getList": in_turn(None, with_status(503))}
        failed = home.run("2026-12-01")
        assert (failed["exit_code"], failed["n_requests"]) == (6, 5)

        exit_code, result = home.command("reparse", "--run", failed["run_id"])

        assert exit_code == 6
        assert result["runs"][0]["error"]["code"] == "incomplete_pages"
