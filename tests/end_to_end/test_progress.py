"""What somebody who watches a crawl can see of it, request by request, and what it costs.

The clock moves only when the crawler waits: a pause is two seconds, and an answer takes no time
unless a test says so.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from dmf_crawler.cli.home import open_home
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.model.run import Checkpoint, kst
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.checkpoints import read_checkpoints
from dmf_crawler.persist.store import Store
from dmf_crawler.pipeline import run_board
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notices import Attachment
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from dmf_crawler.world import real_world
from tests.end_to_end.homes import Board, new_home
from tests.fakes.world import FakeClock

DAY = "2026-12-01"
# Under Wine, a reset that comes right behind data may be seen as the end of the connection.
RESET_CODES = {"connection_reset"} | ({"truncated_body"} if os.name == "nt" else set())
PLAIN = [post for post in NoticeLife(n_posts=12).rows if not post.attachments][:4]
POSTS = (
    PLAIN[0],
    replace(PLAIN[1], attachments=(Attachment("DOC-900", "첨부.pdf", b"%PDF"),)),
    *PLAIN[2:],
)
IDS = sorted((post.post_id for post in POSTS), key=int, reverse=True)


@dataclass
class Watched(Board):
    """The notice board of four posts on two pages, watched from outside."""

    site: RehearsalSite
    home: Any
    seen: list[tuple[str, Checkpoint]] = field(default_factory=list)
    told: list[tuple[int, int]] = field(default_factory=list)
    latency_s: float = 0.0

    def watch(self, request: LoggedRequest) -> None:
        with closing(Store(self.home.root / "var/dmf.sqlite3", for_reading=True)) as store:
            self.seen += [(request.target, each) for each in read_checkpoints(store)]

    def crawl(
        self,
        day: str = DAY,
        *,
        hour: int = 6,
        board: str = "mfds_notice",
        busy_timeout_ms: int = 10_000,
    ) -> RunSummary:
        """Run on a clock of our own."""
        self.site.clear_log()
        home = open_home(self.home.root)
        clock = FakeClock(datetime.fromisoformat(f"{day}T{hour:02}:00:00+09:00"))
        (chosen,) = (each for each in home.enabled_boards if each.id == board)
        with real_world(home.settings.politeness) as world, Store(home.database) as store:

            def send(request: Request) -> Reply:
                clock.elapsed_s += self.latency_s
                return world.send(request)

            ticking = replace(
                world,
                now=clock.now,
                pc_now=clock.now,
                monotonic=clock.monotonic,
                sleep=clock.sleep,
                send=send,
            )
            store.execute(f"PRAGMA busy_timeout = {busy_timeout_ms}")
            watch = open_watch(home, chosen, store, sleep=clock.sleep)
            return run_board(watch, ticking, on_progress=lambda *page: self.told.append(page))

    def checkpoint(self) -> Checkpoint:
        with closing(Store(self.home.root / "var/dmf.sqlite3", for_reading=True)) as store:
            (checkpoint,) = read_checkpoints(store)
        return checkpoint


@pytest.fixture
def watched(tmp_path):
    with RehearsalSite(Life(n_rows=120).rows, notices=POSTS) as site:
        home = new_home(tmp_path / "home", site.base_url, with_notices=True)
        home.edit("config/settings.yaml", "min_delay_s: 0.0", "min_delay_s: 2.0")
        home.edit("config/boards.yaml", "page_size: 10\n", "page_size: 2\n")
        home.edit("config/boards.yaml", "page_size: 100", "page_size: 10")
        yield Watched(site, home)


def places(seen: Sequence[tuple[str, Checkpoint]]) -> list[tuple[Any, ...]]:
    return [(each.phase, each.pass_no, each.n_done, each.n_pages) for _, each in seen]


def faults(seen: Sequence[tuple[str, Checkpoint]]) -> list[str]:
    return [each.last_fault.partition(":")[0] for _, each in seen]


def test_every_request_is_preceded_by_how_far_the_crawl_has_come(watched):
    """A list that shrinks in the middle is read once more; one post cannot be had."""
    newest, _, _, lost = IDS
    trouble = PageTrouble("status_500", pages=frozenset({int(newest)}), place="detail")
    watched.switch(troubles=(trouble,))

    def shrink(request: LoggedRequest) -> None:
        watched.watch(request)
        if len(watched.seen) == 3:
            watched.site.notices = [post for post in POSTS if post.post_id != lost]

    watched.site.on_request = shrink
    watched.latency_s = 0.5

    summary = watched.crawl()

    assert (summary.exit_code, summary.n_rows) == (0, 3)
    assert places(watched.seen) == [
        ("robots", 1, 0, 0),
        ("list", 1, 0, 0),
        ("list", 1, 1, 3),  # page 2, which shows the race
        ("list", 1, 1, 3),
        ("list", 2, 1, 3),
        ("list", 2, 2, 3),
        *[("details", 1, 0, 3)] * 3,
        ("details", 1, 1, 3),
        ("details", 1, 2, 4),
        ("details", 1, 3, 4),  # the file
    ]
    assert watched.told == [(1, 3), (1, 3), (2, 3), (3, 3)]
    # Of a post that is asked for again, only its end is noted.
    n_noted = [each.n_requests for _, each in watched.seen]
    assert n_noted == [0, 1, 2, 3, 4, 5, 6, 6, 6, 9, 10, 11]
    assert faults(watched.seen) == [*[""] * 9, *["http_status"] * 3]
    for _, each in watched.seen:
        left_s = 2.5 * (each.n_pages - each.n_done)
        expected = kst(each.noted_at + timedelta(seconds=left_s)) if each.n_pages else None
        assert (each.ends_at, each.delay_s) == (expected, 2.0)
    end = watched.checkpoint()
    assert (end.phase, end.n_done, end.n_pages, end.ends_at) == ("ended", 0, 0, None)
    assert end.n_requests == len(watched.site.log) == summary.n_requests


def test_the_last_fault_is_told_though_the_next_answer_was_good(watched):
    first, second = (frozenset({int(post_id)}) for post_id in IDS[:2])
    reset = PageTrouble("reset", pages=first, times=1, place="detail")
    login = PageTrouble("login", pages=second, times=1, place="detail")
    watched.switch(troubles=(reset, login))
    watched.site.on_request = watched.watch

    watched.crawl()

    code = faults(watched.seen)[5]
    assert code in RESET_CODES
    assert faults(watched.seen) == [*[""] * 5, *[code] * 3, *["login_page"] * 3]
    assert [target for target, _ in watched.seen][4:6] == [f"/bbs/21/{IDS[0]}"] * 2
    assert watched.seen[5][1].n_requests == 5, "a request without an answer is noted at once"
    assert "login_page: " in watched.checkpoint().last_fault


def test_what_is_behind_the_list_is_counted_up_to_what_a_run_may_ask_for(watched):
    watched.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 3")
    watched.site.on_request = watched.watch

    watched.crawl()

    assert places(watched.seen)[-3:] == [("details", 1, n_done, 3) for n_done in range(3)]


# --- time and budget -----------------------------------------------------------------------------

LIMITS = {
    "time": ("run_deadline_s: 1500.0", "run_deadline_s: 11.0"),
    "budget": ("requests_per_day: 500", "requests_per_day: 6"),
}
"""Enough for robots.txt, two pages, page 1 once more, and two posts."""


@pytest.mark.parametrize("limit", LIMITS)
def test_what_ends_among_the_posts_stops_at_once_and_is_no_fault(watched, limit):
    watched.home.edit("config/settings.yaml", *LIMITS[limit])

    summary = watched.crawl()

    assert (summary.exit_code, summary.n_rows) == (0, 4)
    assert watched.asked_posts() == IDS[:2]
    assert len(watched.site.log) == 6
    assert "3건을 오늘 다 받지 못했습니다" in watched.warnings(), "a file, too"
    assert "읽지 못한" not in watched.warnings()
    assert summary.full_check_left == 3
    assert watched.home.rows("SELECT full_check_left FROM crawl_run") == [(3,)]
    watched.home.edit("config/settings.yaml", *reversed(LIMITS[limit]))
    watched.crawl("2026-12-02")
    assert watched.asked_posts() == IDS[2:]


@pytest.fixture
def failed(watched):
    """The register of twelve pages, its sixth one not to be had in the first run of the day."""
    watched.switch(troubles=(PageTrouble("status_503", pages=frozenset({6})),))
    assert watched.crawl(board="dmf_registry").exit_code == 6
    watched.switch(troubles=())
    return watched


PASS = [*map(str, range(1, 13)), "1"]


def pages_asked(watched: Watched) -> list[str]:
    return [request.params.get("page", request.path) for request in watched.site.log]


@pytest.mark.parametrize(("deadline_s", "fits"), [(15, False), (17, True)])
def test_what_an_earlier_run_kept_takes_no_time(failed, deadline_s, fits):
    """Seven pages are left, and page 1 once more: eight pauses."""
    failed.home.edit(
        "config/settings.yaml", "run_deadline_s: 1500.0", f"run_deadline_s: {deadline_s}"
    )

    summary = failed.crawl(hour=9, board="dmf_registry")

    assert pages_asked(failed) == ["/robots.txt", *(PASS[5:] if fits else ())]
    assert (summary.fault is None) is fits
    if summary.fault:
        assert summary.fault.code == "budget_exceeded"
        assert "요청 8번, 최소 16초가 필요하지만" in summary.fault.message


@pytest.mark.parametrize(("n_left", "fits"), [(11, True), (10, False)])
def test_the_pages_of_a_second_pass_that_was_cut_short_cost_nothing_either(watched, n_left, fits):
    """What is left: robots.txt, page 1 once more of the first pass, page 5 to 12, page 1."""
    life = Life(n_rows=121).rows
    trouble = PageTrouble("status_503", pages=frozenset({5}))
    watched.site.rows = life[1:]

    def fall(_request: LoggedRequest) -> None:
        pages = pages_asked(watched)
        if pages.count("6") == 1 and pages.count("7") == 0:
            watched.site.rows = (life[0], *life[2:])  # the total stays
        if pages.count("1") == 3 and not watched.site.switches.troubles:
            watched.switch(troubles=(trouble,))

    watched.site.on_request = fall
    assert watched.crawl(board="dmf_registry").exit_code == 6
    assert pages_asked(watched) == ["/robots.txt", *PASS, *PASS[:5], "5", "5"]
    watched.site.on_request = None
    watched.switch(troubles=())
    watched.home.edit(
        "config/settings.yaml", "requests_per_day: 500", f"requests_per_day: {21 + n_left}"
    )

    summary = watched.crawl(hour=9, board="dmf_registry")

    assert pages_asked(watched) == ["/robots.txt", "1", *(PASS[4:] if fits else ())]
    assert (summary.fault is None) is fits


# --- what goes wrong with the history and the disk -----------------------------------------------


def test_a_history_that_is_locked_for_a_while_does_not_end_the_crawl(watched):
    """Somebody reads it with another program while the posts are asked for."""
    opened: list[sqlite3.Connection] = []

    def lock(request: LoggedRequest) -> None:
        if request.path.startswith("/bbs/21/") and not opened:
            path = watched.home.root / "var/dmf.sqlite3"
            opened.append(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
            opened[0].execute("BEGIN IMMEDIATE")
        if request.path.startswith("/cmn/"):
            opened[0].execute("ROLLBACK")

    watched.site.on_request = lock
    summary = watched.crawl(busy_timeout_ms=0)
    opened[0].close()

    assert (summary.exit_code, summary.n_rows) == (0, 4)
    assert len(watched.asked_posts()) == 4
    assert watched.checkpoint().phase == "ended"


def test_a_run_that_an_exception_ended_tells_what_the_site_was_asked_for(watched):
    """Its folder cannot be written to any more after the second page."""

    def spoil(request: LoggedRequest) -> None:
        if request.params.get("page") == "2":
            (index,) = watched.home.root.glob(f"raw/{DAY}/mfds_notice/*/index.jsonl")
            index.rename(index.with_name("before"))
            index.mkdir()

    watched.site.on_request = spoil
    watched.home.edit("config/settings.yaml", "min_delay_s: 2.0", "min_delay_s: 0.0")

    run = watched.run(DAY)

    assert (run["status"], run["error"]["code"]) == ("FAILED", "raw_unwritable")
    assert run["n_requests"] == len(watched.site.log) == 3
    assert watched.home.rows("SELECT n_requests FROM crawl_run") == [(3,)]
