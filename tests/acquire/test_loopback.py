"""Robots, fetcher and raw store together on real sockets: what is on disk of each request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import list_request, robots_request
from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.acquire.robots import RobotsGate, read_robots
from dmf_crawler.boards import HtmlSource
from dmf_crawler.errors import SendError
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import KST, Fault, Run, day_of
from dmf_crawler.settings import Identity, Politeness
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
            limits=FetchLimits(20, world.monotonic() + 60, {"list": SOURCE.scope}),
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
        site = Loopback({"/robots.txt": robots, "/pbp/L": page or [PAGE]})
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


def test_requests_without_an_answer_are_counted_on_disk(crawl_with):
    with crawl_with([hang_up]) as crawl:
        assert codes(crawl.go()) == ("connection_reset", 6)
        assert set(crawl.site.paths()) == {"/robots.txt"}
        assert crawl.raw.n_requests(RUN.day, "127.0.0.1") == 3


def test_a_page_behind_a_foreign_redirect_is_never_asked_for(crawl_with):
    moved = answer("302 Found", Location="http://localhost:1/login")
    with crawl_with([answer("200 OK", NO_RULES)], [moved]) as crawl:
        assert codes(crawl.go()) == ("redirect_out_of_scope", 6)
        assert [kept.status for kept in crawl.raw.pages(crawl.raw.folder(RUN))] == [200, 302]
