"""Robots and fetcher together on real sockets: what other crawlers answer wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import list_request, robots_request
from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.acquire.robots import RobotsGate, read_robots
from dmf_crawler.errors import SendError
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import KST, Fault, Run, day_of
from dmf_crawler.settings import HtmlSource, Identity, Politeness
from dmf_crawler.world import World, real_world
from tests.acquire.loopback import Loopback, Step, answer, hang_up, serve
from tests.fakes.world import START

SOURCE = HtmlSource(path="/pbp/L", scope=("/pbp/L",))
RUN = Run("20261130T060000-b", "b", START.astimezone(KST), day_of(START))
FAST = Politeness(min_delay_s=0, delay_factor=0, backoff_base_s=0)
PAGE = answer("200 OK", b"<p>list", Content_Type="text/html")
NO_RULES = b"User-agent: *\nAllow: /\n"


class Crawl:
    """One run's way to page 1 as the pipeline goes it: robots.txt, then the list."""

    def __init__(self, site: Loopback, world: World, raw: RawStore, politeness: Politeness) -> None:
        self.site, self.raw = site, raw
        self.fetcher = Fetcher(
            world=world,
            identity=Identity(),
            politeness=politeness,
            limits=FetchLimits(20, world.monotonic() + 60, SOURCE.scope),
        )
        self._now = world.now

    def go(self) -> FetchedPage | Fault:
        gate = read_robots(
            self._fetch(robots_request(self.site.base_url)), product_token="DMF-Crawler"
        )
        if isinstance(gate, Fault):
            return gate
        assert isinstance(gate, RobotsGate)
        self.fetcher.obey(gate)
        return self._fetch(list_request(self.site.base_url, SOURCE, 1, 100))

    def _fetch(self, request: PageRequest) -> FetchedPage | Fault:
        return self.fetcher.fetch(request, keep=self._keep, on_failure=self._on_failure)

    def _keep(self, page: FetchedPage) -> Fault | None:
        self.raw.put(RUN, page)
        return None

    def _on_failure(self, request: PageRequest, error: SendError, attempt: int) -> None:
        self.raw.note_failure(RUN, request, code=error.code, at=self._now(), attempt=attempt)


@pytest.fixture
def crawl_with(tmp_path: Path) -> Callable[..., object]:
    @contextmanager
    def opened(
        robots: list[Step], page: list[Step] | None = None, politeness: Politeness = FAST
    ) -> Iterator[Crawl]:
        site = Loopback({"/robots.txt": robots, "/pbp/L": page or [PAGE], "/moved": robots})
        with serve(site), real_world(politeness) as world:
            yield Crawl(site, world, RawStore(tmp_path), politeness)

    return opened


def codes(result: FetchedPage | Fault) -> tuple[str, int]:
    assert isinstance(result, Fault), result
    return result.code, result.exit_code


def test_an_allowed_page_is_fetched_and_on_disk(crawl_with):
    with crawl_with([answer("200 OK", NO_RULES)]) as crawl:
        page = crawl.go()

        assert isinstance(page, FetchedPage)
        assert crawl.site.paths() == ["/robots.txt", "/pbp/L?page=1&limit=100"]
        assert [kept.body for kept in crawl.raw.pages(crawl.raw.folder(RUN))] == [
            NO_RULES,
            b"<p>list",
        ]
        assert crawl.raw.n_requests(RUN.day, "127.0.0.1") == 2


def test_a_forbidden_page_is_not_fetched(crawl_with):
    with crawl_with([answer("200 OK", b"User-agent: *\nDisallow: /\n")]) as crawl:
        assert codes(crawl.go()) == ("robots_disallowed", 7)
        assert crawl.site.paths() == ["/robots.txt"]


def test_a_forbidding_file_with_byte_order_mark_and_lone_cr_is_obeyed(crawl_with):
    body = b"\xef\xbb\xbfUser-agent: *\rDisallow: /pbp\r"
    with crawl_with([answer("200 OK", body)]) as crawl:
        assert codes(crawl.go()) == ("robots_disallowed", 7)


@pytest.mark.parametrize("status", ["503 Busy", "429 Too Many"])
@pytest.mark.parametrize("body", [b"<html>busy</html>", NO_RULES])
def test_an_error_with_retry_after_waits_and_then_fetches_nothing(crawl_with, status, body):
    """Others knock three times in 90 ms and then crawl the page."""
    with crawl_with([answer(status, body, Retry_After="0.01")]) as crawl:
        assert codes(crawl.go()) == ("robots_unreachable", 7)
        assert crawl.site.paths() == ["/robots.txt"] * 3


@pytest.mark.parametrize("status", ["503 Busy", "429 Too Many"])
def test_a_long_retry_after_is_not_answered_with_another_knock(crawl_with, status):
    with crawl_with([answer(status, Retry_After="3600")]) as crawl:
        assert codes(crawl.go()) == ("robots_unreachable", 7)
        assert crawl.site.paths() == ["/robots.txt"]
        assert crawl.fetcher.not_before is not None


def test_no_answer_for_robots_txt_means_no_page(crawl_with):
    with crawl_with([hang_up]) as crawl:
        assert codes(crawl.go()) == ("connection_reset", 6)
        assert set(crawl.site.paths()) == {"/robots.txt"}
        assert crawl.raw.n_requests(RUN.day, "127.0.0.1") == 3


def test_a_redirect_loop_of_robots_txt_means_no_page(crawl_with):
    with crawl_with([answer("302 Found", Location="/moved")]) as crawl:
        assert codes(crawl.go()) == ("robots_unreachable", 7)
        assert crawl.site.paths() == ["/robots.txt", *["/moved"] * 5]


def test_a_robots_txt_above_the_parsing_limit_is_obeyed_up_to_it(crawl_with):
    body = b"User-agent: *\nDisallow: /pbp\n" + b"#\n" * 400_000
    with crawl_with([answer("200 OK", body)]) as crawl:
        assert codes(crawl.go()) == ("robots_disallowed", 7)


def test_a_missing_robots_txt_allows(crawl_with):
    with crawl_with([answer("404 Not Found", b"<html>")]) as crawl:
        assert isinstance(crawl.go(), FetchedPage)


def test_a_page_behind_a_foreign_redirect_is_never_asked_for(crawl_with):
    moved = answer("302 Found", Location="http://localhost:1/login")
    with crawl_with([answer("200 OK", NO_RULES)], [moved]) as crawl:
        assert codes(crawl.go()) == ("redirect_out_of_scope", 6)
        assert [kept.status for kept in crawl.raw.pages(crawl.raw.folder(RUN))] == [200, 302]
