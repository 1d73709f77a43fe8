"""What holds from one run, or board, to the next: courtesy to the site, and what people are told.

Judged by the site's log, by the history and by the workbook.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from dmf_crawler.cli.home import hold_lock, open_home
from dmf_crawler.cli.run import run_boards
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from dmf_crawler.world import real_world
from tests.end_to_end.homes import Board, RehearsalHome, new_home
from tests.end_to_end.killing import kill_when, run_and_kill, start_run

DAY, NEXT_DAY, THIRD_DAY = "2026-12-01", "2026-12-02", "2026-12-03"
START = datetime.fromisoformat(f"{DAY}T06:00:00+09:00")
LIST_PATH = "/pbp/CCBAC03/getList"
REGISTRY = ("--board", "dmf_registry")
NOTICES = ("--board", "mfds_notice")
PAUSE_S = 0.3
OTHER_ROBOTS = "User-agent: *\nDisallow: /other\n"
ROBOTS_TOLD = "robots.txt에서 우리에게 적용되는 내용이 바뀌었습니다"
IDENTITY_TOLD = "요청하는 쪽의 정보"


@pytest.fixture
def stage(tmp_path):
    """A register of one page and a notice board of two posts without files."""
    posts = [post for post in NoticeLife(n_posts=12).rows if not post.attachments][:2]
    with RehearsalSite(Life(n_rows=20).rows, notices=posts) as site:
        yield Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


def keep_pause(home: RehearsalHome) -> None:
    home.edit("config/settings.yaml", "min_delay_s: 0.0", f"min_delay_s: {PAUSE_S}")


def run_both(home: RehearsalHome, day: str) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = home.command("run", "--now", f"{day}T06:00:00+09:00")[1]["runs"]
    return runs


def pauses_s(site: RehearsalSite) -> Sequence[float]:
    """Return the seconds from the end of each answer to the next request."""
    return [later.arrived_at_s - earlier.ended_at_s for earlier, later in pairwise(site.log)]


def is_list_page(request: LoggedRequest) -> bool:
    return request.path == LIST_PATH


def fail_list(board: Board) -> None:
    board.switch(troubles=(PageTrouble("status_503", pages=frozenset({1})),))


# --- the pause -----------------------------------------------------------------------------------


def test_the_pause_holds_between_two_boards_of_a_run(stage):
    keep_pause(stage.home)

    runs = run_both(stage.home, DAY)

    assert [run["status"] for run in runs] == ["OK", "OK"]
    assert [request.path for request in stage.site.log].count("/robots.txt") == 2
    assert min(pauses_s(stage.site)) >= PAUSE_S
    assert not any(request.n_open_at_arrival for request in stage.site.log)


def test_the_crawl_delay_of_one_board_holds_before_the_next_has_read_robots_txt(stage):
    stage.switch(robots_text=f"User-agent: *\nCrawl-delay: {PAUSE_S}\n")

    run_both(stage.home, DAY)

    pauses = pauses_s(stage.site)
    (second,) = (
        number for number, request in enumerate(stage.site.log[1:]) if request.path == "/robots.txt"
    )
    assert pauses[second] >= PAUSE_S


@pytest.mark.parametrize("ends", ["accepted", "dry", "failed", "reset", "with an exception"])
def test_the_pause_holds_between_two_runs_however_the_first_ends(stage, ends):
    """The second begins at once, on a clock that goes on."""
    keep_pause(stage.home)
    folder = stage.home.root / f"raw/{DAY}/dmf_registry"
    match ends:
        case "failed":
            fail_list(stage)
        case "reset":
            stage.switch(troubles=(PageTrouble("reset", pages=frozenset({1}), times=1),))
            stage.home.edit("config/settings.yaml", "max_attempts: 3", "max_attempts: 1")
        case "with an exception":
            folder.parent.mkdir(parents=True)
            folder.write_text("no folder", encoding="utf-8")
    words = ("--dry-run",) if ends == "dry" else ()
    stage.home.command("run", "--now", START.isoformat(), *REGISTRY, *words)
    n_first = len(stage.site.log)
    assert n_first
    if ends == "with an exception":
        folder.unlink()
    stage.switch(troubles=())

    # The run's own clock started a little before its first request.
    later = START + timedelta(seconds=time.monotonic() - stage.site.log[0].arrived_at_s)
    stage.home.command("run", "--now", later.isoformat(), *REGISTRY)

    assert len(stage.site.log) == n_first + 3
    assert min(pauses_s(stage.site)) >= PAUSE_S


@pytest.mark.parametrize(
    ("path", "words", "is_by_robots"),
    [
        (LIST_PATH, (), False),
        (LIST_PATH, (), True),
        (LIST_PATH, ("--dry-run",), False),
        ("/robots.txt", (), False),
    ],
    ids=["our pause", "crawl-delay", "dry", "before the first answer"],
)
def test_the_pause_holds_after_a_run_that_was_killed(stage, path, words, is_by_robots):
    """Nothing tells when its last request ended: the next run waits a whole pause first."""
    if is_by_robots:
        stage.switch(robots_text=f"User-agent: *\nCrawl-delay: {PAUSE_S}\n")
    else:
        keep_pause(stage.home)
    run_and_kill(
        stage.site, stage.home, DAY, lambda request: request.path == path, *REGISTRY, *words
    )
    n_killed = len(stage.site.log)

    stage.home.command("run", "--now", f"{DAY}T06:01:00+09:00", *REGISTRY)

    assert len(stage.site.log) == n_killed + 3
    assert min(pauses_s(stage.site)) >= PAUSE_S


# --- Retry-After and the day's budget ------------------------------------------------------------


def test_retry_after_holds_though_its_run_was_killed_while_it_waited(stage):
    trouble = PageTrouble("status_503", pages=frozenset({1}), retry_after="30")
    stage.switch(troubles=(trouble,))
    process = start_run(stage.home, DAY, *REGISTRY)
    kill_when(
        process,
        lambda: bool(
            any(request.status == 503 and request.is_ended for request in stage.site.log)
            and stage.home.rows("SELECT not_before FROM host_wait")
        ),
    )
    stage.home.edit("config/settings.yaml", "backoff_cap_s: 60.0", "backoff_cap_s: 10.0")
    stage.site.clear_log()

    run = stage.home.run(DAY, *REGISTRY)

    assert run["error"]["code"] == "retry_after"
    assert stage.site.log == []


def test_a_long_retry_after_of_one_board_holds_for_the_next(stage):
    trouble = PageTrouble("status_503", pages=frozenset({1}), retry_after="3600")
    stage.switch(troubles=(trouble,))

    runs = run_both(stage.home, DAY)

    assert [run["error"]["code"] for run in runs] == ["retry_after", "retry_after"]
    assert [request.path for request in stage.site.log] == ["/robots.txt", LIST_PATH]


def test_a_short_retry_after_of_one_board_is_waited_for_by_the_next(stage):
    stage.home.edit("config/settings.yaml", "max_attempts: 3", "max_attempts: 1")
    stage.switch(troubles=(PageTrouble("status_503", pages=frozenset({1}), retry_after="1"),))

    runs = run_both(stage.home, DAY)

    assert [run["status"] for run in runs] == ["FAILED", "OK"]
    assert pauses_s(stage.site)[1] >= 1.0


def test_the_budget_of_a_day_holds_however_often_a_run_is_killed(stage):
    """What a killed run had on its way when it ended counts, too."""
    stage.home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 5")
    for _ in range(2):
        run_and_kill(stage.site, stage.home, DAY, is_list_page, *REGISTRY)

    run = stage.home.run(DAY, *REGISTRY, hour=9)

    assert run["error"]["code"] == "budget_exceeded"
    assert len(stage.site.log) == 5


# --- what robots.txt says, and who asks ----------------------------------------------------------


@pytest.mark.parametrize("ends", ["fails", "is refused", "is killed"])
def test_what_changed_is_told_until_an_accepted_run_has_told_it(stage, ends):
    stage.home.run(DAY, *REGISTRY)
    stage.switch(robots_text=OTHER_ROBOTS)
    stage.home.edit("config/settings.yaml", "ko-KR,ko;q=0.9", "ko-KR")
    match ends:
        case "fails":
            fail_list(stage)
        case "is refused":
            stage.switch(n_withheld_rows=2)
    if ends == "is killed":
        run_and_kill(stage.site, stage.home, NEXT_DAY, is_list_page, *REGISTRY)
    else:
        assert stage.home.run(NEXT_DAY, *REGISTRY)["status"] != "OK"
        assert ROBOTS_TOLD in stage.warnings()
        assert IDENTITY_TOLD in stage.warnings()
    stage.switch(troubles=(), n_withheld_rows=0)

    run = stage.home.run(NEXT_DAY, *REGISTRY, hour=9)

    assert run["status"] == "OK"
    assert ROBOTS_TOLD in stage.warnings()
    assert IDENTITY_TOLD in stage.warnings()
    stage.home.run(THIRD_DAY, *REGISTRY)
    assert stage.warnings() == ""


def test_what_robots_txt_says_otherwise_is_told_the_right_way_round(stage):
    first = stage.home.run(DAY, *REGISTRY)
    assert first["warnings"] == [], "nobody was there before"
    stage.switch(robots_text="User-agent: *\nDisallow: /admin/\nDisallow: /other\n")

    (told,) = stage.home.run(NEXT_DAY, *REGISTRY)["warnings"]

    assert "추가 'Disallow: /other', 삭제 'Allow: /'." in told
    assert f"{DAY} 이후" in told
    stage.switch(robots="not_found")
    changed, allowed = stage.home.run(THIRD_DAY, *REGISTRY)["warnings"]
    assert f"{NEXT_DAY} 의 HTTP 200 에서 HTTP 404 로 바뀌었습니다" in changed
    assert "HTTP 404로 응답하여 제한이 없는 것으로" in allowed


def test_a_change_of_robots_txt_that_forbids_us_is_told_by_the_run_that_it_ends(stage):
    stage.home.run(DAY, *REGISTRY)
    stage.switch(robots_text="User-agent: *\nDisallow: /pbp\n")

    run = stage.home.run(NEXT_DAY, *REGISTRY)

    assert run["error"]["code"] == "robots_disallowed"
    assert ROBOTS_TOLD in stage.warnings()


def test_every_board_tells_what_changed_since_its_own_last_accepted_run(stage):
    run_both(stage.home, DAY)
    stage.switch(robots_text=OTHER_ROBOTS)
    stage.home.run(NEXT_DAY, *REGISTRY)

    runs = run_both(stage.home, THIRD_DAY)

    assert [ROBOTS_TOLD in " ".join(run["warnings"]) for run in runs] == [False, True]


def test_pages_that_somebody_else_received_are_not_taken_over(stage):
    """A run is of one identity, its kept pages of earlier runs included."""
    last = min(stage.site.notices, key=lambda post: int(post.post_id)).post_id
    run_and_kill(
        stage.site, stage.home, DAY, lambda request: request.path == f"/bbs/21/{last}", *NOTICES
    )
    n_killed = len(stage.site.log)
    stage.home.edit("config/settings.yaml", "ko-KR,ko;q=0.9", "ko-KR")

    run = stage.run(DAY, hour=9)

    assert run["status"] == "OK"
    assert len(stage.site.log) == n_killed == 5
    assert {request.headers["accept-language"] for request in stage.site.log} == {"ko-KR"}
    assert "이어받아" not in stage.warnings()


# --- the workbook --------------------------------------------------------------------------------


def test_a_run_of_one_board_leaves_the_other_in_the_workbook(stage):
    run_both(stage.home, DAY)
    before = stage.home.sheets(DAY)
    assert any("공지" in name for name in before)

    stage.home.run(DAY, *REGISTRY, hour=9)

    assert stage.home.sheets(DAY) == before


def test_a_scheduled_second_attempt_for_one_board_leaves_the_other_in_the_workbook(stage):
    stage.switch(troubles=(PageTrouble("status_503", pages=frozenset({1}), place="notice_list"),))
    first = stage.home.command("run", "--scheduled", "--now", f"{DAY}T06:00:00+09:00")[1]
    assert [run["status"] for run in first["runs"]] == ["OK", "FAILED"]
    before = stage.home.sheets(DAY)
    stage.switch(troubles=())

    second = stage.home.command("run", "--scheduled", "--now", f"{DAY}T06:30:00+09:00")[1]

    assert [(run["board"], run["status"]) for run in second["runs"]] == [("mfds_notice", "OK")]
    assert set(before) <= set(stage.home.sheets(DAY))


def test_two_boards_of_a_run_across_six_o_clock_are_each_in_the_workbook_of_their_day(stage):
    home, skipped = open_home(stage.home.root), timedelta()

    def skip_to_next_day(request: LoggedRequest) -> None:
        nonlocal skipped
        if is_list_page(request):
            skipped = timedelta(hours=1)

    stage.site.on_request = skip_to_next_day
    with (
        hold_lock(home),
        real_world(home.settings.politeness, starts_at=START - timedelta(minutes=30)) as world,
        Store(home.database) as store,
    ):
        jumping = replace(world, now=lambda: world.now() + skipped)
        watches = [
            open_watch(home, board, store, sleep=world.sleep) for board in home.enabled_boards
        ]
        summaries = run_boards(watches, jumping, reported=watches)

    days = ["2026-11-30", DAY]
    assert [str(summary.run.day) for summary in summaries] == days
    for summary, day in zip(summaries, days, strict=True):
        assert summary.report == str(stage.home.root / f"reports/DMF_{day}.xlsx")
        assert stage.home.sheets(day)


# --- a dry run -----------------------------------------------------------------------------------


def test_a_dry_run_leaves_history_and_reports_alone_and_nothing_to_take_over(stage):
    """It notes how far it has come, and when the site may be asked again; nothing else."""

    def read_all() -> dict[str, list[tuple[Any, ...]]]:
        tables = stage.home.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in tables} - {"checkpoint", "host_wait"}
        return {name: stage.home.rows(f"SELECT * FROM {name}") for name in names}

    stage.run(DAY)
    before = read_all()
    stage.switch(
        robots_text=OTHER_ROBOTS, troubles=(PageTrouble("status_503", times=3, place="detail"),)
    )
    title = replace(stage.site.notices[0], title="다른 제목")
    stage.site.notices = (title, *stage.site.notices[1:])

    stage.run(NEXT_DAY, "--dry-run")

    assert stage.asked_posts()
    assert read_all() == before
    assert [path.name for path in stage.home.root.glob("reports/*")] == [f"DMF_{DAY}.xlsx"]
    stage.run(NEXT_DAY, hour=9)
    assert ROBOTS_TOLD in stage.warnings()
    assert [request.path for request in stage.site.log] == [
        *("/robots.txt", "/bbs/21", "/bbs/21", f"/bbs/21/{title.post_id}")
    ]
