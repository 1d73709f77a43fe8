"""Whoever cannot read the rules does not know them: what other crawlers answer by going on.

Each row of the tables is a server on loopback, and is judged by what that server saw: which paths
were asked for, and when. Bytes, sockets and TLS are real; the time between two requests is the
fake clock's, so that pauses of seconds and hours cost none.
"""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import list_request, robots_request
from dmf_crawler.acquire.robots import read_robots
from dmf_crawler.boards import HtmlSource
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import Identity, Politeness
from dmf_crawler.world import real_world
from tests.acquire.loopback import (
    CERTIFICATES,
    Loopback,
    Step,
    answer,
    hang_up,
    reset,
    serve,
)
from tests.fakes.world import FakeClock

ROBOTS = "/robots.txt"
PAGE = "/pbp/L?page=1&limit=100"
SOURCE = HtmlSource(path="/pbp/L", scope=("/pbp/L",))
POLITE = Politeness()
HASTY = Politeness(read_timeout_s=0.05)
"""The only real time in these tests: a server that says nothing is waited for this long."""

ALLOWING = b"User-agent: *\nAllow: /\n"
FORBIDDING = b"User-agent: *\nDisallow: /\n"
OVER_500_KIB = b"#\n" * 300_000
NOTHING_ELSE: Mapping[str, Sequence[Step]] = {}


@dataclass
class ServerLog:
    """What the server saw: path and moment (seconds on the clock) of every request."""

    site: Loopback
    clock: FakeClock
    moments: list[float] = field(default_factory=list)

    def note(self, _connection: socket.socket) -> None:
        self.moments.append(self.clock.elapsed_s)

    def paths(self) -> list[str]:
        return self.site.paths()

    def gaps_s(self) -> list[float]:
        return [after - before for before, after in pairwise(self.moments)]


@contextmanager
def serve_robots(
    steps: Sequence[Step],
    others: Mapping[str, Sequence[Step]] = NOTHING_ELSE,
    *,
    certificate: Path | None = None,
) -> Iterator[ServerLog]:
    """Serve robots.txt, a list page that anyone could have, and other paths."""
    log = ServerLog(Loopback(), FakeClock())
    pages: dict[str, Sequence[Step]] = {
        ROBOTS: steps,
        "/pbp/L": [answer("200 OK", b"<p>list", Content_Type="text/html")],
    }
    pages |= others
    log.site.answers = {path: [log.note, *each] for path, each in pages.items()}
    with serve(log.site, certificate=certificate):
        yield log


def crawl(log: ServerLog, politeness: Politeness = POLITE) -> FetchedPage | Fault:
    """Go the way of a run as far as page 1: robots.txt, its gate, the list."""
    clock = log.clock
    with real_world(politeness) as real:
        world = replace(
            real,
            now=clock.now,
            monotonic=clock.monotonic,
            sleep=clock.sleep,
            uniform=lambda low, _high: low,  # the shortest pauses that there may be
        )
        fetcher = Fetcher(
            world=world,
            identity=Identity(),
            politeness=politeness,
            limits=FetchLimits(n_requests=20, deadline_s=1_500),
        )
        return visit(fetcher, log.site.base_url)


def visit(fetcher: Fetcher, base_url: str) -> FetchedPage | Fault:
    def fetch(request: PageRequest) -> FetchedPage | Fault:
        return fetcher.fetch(request, keep=lambda _page: None, on_failure=lambda *_failure: None)

    gate = read_robots(fetch(robots_request(base_url)), product_token="DMF-Crawler")
    if isinstance(gate, Fault):
        return gate
    fetcher.obey(gate)
    return fetch(list_request(base_url, SOURCE, 1, 100))


def codes(result: FetchedPage | Fault) -> tuple[str, int]:
    assert isinstance(result, Fault), result
    return result.code, result.exit_code


# --- the rules are known, and forbid -----------------------------------------------------------

FORBIDDEN = {
    "200 Disallow: /": [answer("200 OK", FORBIDDING)],
    "byte order mark": [answer("200 OK", b"\xef\xbb\xbf" + FORBIDDING)],
    "lone CR": [answer("200 OK", FORBIDDING.replace(b"\n", b"\r"))],
    "UTF-16": [answer("200 OK", FORBIDDING.decode().encode("utf-16"))],
    "over 500 KiB": [answer("200 OK", FORBIDDING + OVER_500_KIB)],
    "content coding gzip": [answer("200 OK", gzip.compress(FORBIDDING), Content_Encoding="gzip")],
    "gzip that is not announced": [answer("200 OK", gzip.compress(FORBIDDING))],
    "labelled as HTML": [answer("200 OK", FORBIDDING, Content_Type="text/html")],
    "behind a redirect": [answer("301 Moved", Location="/moved")],
    "without Content-Length": [b"HTTP/1.1 200 OK\r\n\r\n" + FORBIDDING, hang_up],
}


@pytest.mark.parametrize("steps", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_a_forbidden_page_is_never_asked_for(steps: Sequence[Step]):
    with serve_robots(steps, {"/moved": [answer("200 OK", FORBIDDING)]}) as log:
        assert codes(crawl(log)) == ("robots_disallowed", 7)
        assert set(log.paths()) <= {ROBOTS, "/moved"}


# --- the rules are not known -------------------------------------------------------------------

BUSY_PAGE = b"<html>busy</html>"
UNREACHABLE = {
    "503 with HTML": [answer("503 Busy", BUSY_PAGE)],
    "503 with rules": [answer("503 Busy", ALLOWING)],
    "500": [answer("500 Error", BUSY_PAGE)],
    "504": [answer("504 Late", b"")],
    "429": [answer("429 Too Many", BUSY_PAGE)],
    "429 with rules": [answer("429 Too Many", ALLOWING)],
}


@pytest.mark.parametrize("steps", UNREACHABLE.values(), ids=UNREACHABLE.keys())
def test_a_server_in_trouble_is_asked_three_times_with_pauses_and_left_alone(steps: Sequence[Step]):
    with serve_robots(steps) as log:
        assert codes(crawl(log)) == ("robots_unreachable", 7)
        assert log.paths() == [ROBOTS] * 3
        assert min(log.gaps_s()) >= POLITE.min_delay_s


@pytest.mark.parametrize("status", ["503 Busy", "429 Too Many"])
@pytest.mark.parametrize("body", [BUSY_PAGE, ALLOWING])
@pytest.mark.parametrize("retry_after", ["5", "Sun, 29 Nov 2026 21:00:05 GMT"])
def test_no_request_comes_before_the_moment_that_the_server_named(status, body, retry_after):
    """Others knock three times within 90 ms and then crawl the page."""
    with serve_robots([answer(status, body, Retry_After=retry_after)]) as log:
        assert codes(crawl(log)) == ("robots_unreachable", 7)
        assert log.paths() == [ROBOTS] * 3
        assert log.moments[1] >= 5
        if retry_after == "5":
            assert min(log.gaps_s()) >= 5


@pytest.mark.parametrize("status", ["503 Busy", "429 Too Many"])
def test_a_server_that_wants_an_hour_is_not_asked_again(status):
    with serve_robots([answer(status, Retry_After="3600")]) as log:
        assert codes(crawl(log)) == ("robots_unreachable", 7)
        assert log.paths() == [ROBOTS]
        assert log.clock.elapsed_s < 3_600, "and nobody waits for it meanwhile"


NO_RULES_KNOWN = {
    "206 with rules": [answer("206 Partial Content", ALLOWING, Content_Range="bytes 0-23/99")],
    "304 to a plain request": [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
    "redirect without an address": [answer("302 Found", ALLOWING)],
    "redirect to another host": [answer("302 Found", ALLOWING, Location="http://localhost:1/r")],
    "binary": [answer("200 OK", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + ALLOWING)],
    "half a gzip stream": [answer("200 OK", gzip.compress(ALLOWING)[:-9])],
}


@pytest.mark.parametrize("steps", NO_RULES_KNOWN.values(), ids=NO_RULES_KNOWN.keys())
def test_an_answer_that_is_not_the_whole_file_forbids_everything(steps: Sequence[Step]):
    with serve_robots(steps) as log:
        assert codes(crawl(log)) == ("robots_unreachable", 7)
        assert log.paths() == [ROBOTS]


def test_a_redirect_loop_forbids_everything():
    loop = [answer("302 Found", Location="/loop")]
    with serve_robots(loop, {"/loop": loop}) as log:
        assert codes(crawl(log)) == ("robots_unreachable", 7)
        assert log.paths() == [ROBOTS, *["/loop"] * 5]
        assert min(log.gaps_s()) >= POLITE.min_delay_s


@pytest.mark.parametrize(("n_redirects", "is_read"), [(5, True), (6, False)])
def test_more_than_five_redirects_forbid_everything(n_redirects: int, is_read: bool):
    hops = {
        f"/hop{number}": [answer("302 Found", Location=f"/hop{number + 1}")]
        for number in range(1, n_redirects)
    }
    hops[f"/hop{n_redirects}"] = [answer("200 OK", ALLOWING)]
    with serve_robots([answer("302 Found", Location="/hop1")], hops) as log:
        result = crawl(log)

        asked = [ROBOTS, *(f"/hop{number}" for number in range(1, 6))]
        if is_read:
            assert isinstance(result, FetchedPage)
            assert log.paths() == [*asked, PAGE]
        else:
            assert codes(result) == ("robots_unreachable", 7)
            assert log.paths() == asked


# --- there is no answer ------------------------------------------------------------------------

NO_ANSWER = {
    "hung up": ([hang_up], "connection_reset"),
    "reset": ([reset], "connection_reset"),
    "cut in the header": ([b"HTTP/1.1 200 OK\r\nContent-Le", hang_up], "truncated_body"),
    "cut in the body": (
        [answer("200 OK", ALLOWING + b"#" * 99)[:-99], hang_up],
        "truncated_body",
    ),
    "half an announced gzip stream": (
        [answer("200 OK", gzip.compress(ALLOWING)[:-9], Content_Encoding="gzip")],
        "truncated_body",
    ),
}


@pytest.mark.parametrize(("steps", "code"), NO_ANSWER.values(), ids=NO_ANSWER.keys())
def test_no_answer_means_no_page(steps: Sequence[Step], code: str):
    with serve_robots(steps) as log:
        assert codes(crawl(log)) == (code, 6)
        assert log.paths() == [ROBOTS] * 3
        assert min(log.gaps_s()) >= POLITE.min_delay_s


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\n", answer("200 OK", ALLOWING)[:-1]])
def test_a_server_that_hangs_is_given_up_and_no_page_is_asked_for(begun: bytes):
    with serve_robots([]) as log:
        log.site.answers[ROBOTS] = [log.note, begun, log.site.stall]
        assert codes(crawl(log, HASTY)) == ("timeout", 6)
        assert log.paths() == [ROBOTS] * 3
        assert min(log.gaps_s()) >= HASTY.min_delay_s


def test_a_server_whose_certificate_nobody_knows_gets_no_request_at_all():
    with serve_robots(
        [answer("200 OK", ALLOWING)], certificate=CERTIFICATES / "address.pem"
    ) as log:
        assert codes(crawl(log)) == ("tls_error", 6)
        assert log.paths() == []
        assert log.site.n_connections == 1


# --- the rules are known, or known not to exist ------------------------------------------------

ALLOWED = {
    "200 Allow: /": [answer("200 OK", ALLOWING)],
    "200 and empty": [answer("200 OK")],
    "204": [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "404": [answer("404 Not Found", FORBIDDING)],
    "403": [answer("403 Forbidden", BUSY_PAGE)],
    "an error page that says 200": [answer("200 OK", BUSY_PAGE, Content_Type="text/html")],
    "over 500 KiB, forbidden behind them": [answer("200 OK", OVER_500_KIB + FORBIDDING)],
}


@pytest.mark.parametrize("steps", ALLOWED.values(), ids=ALLOWED.keys())
def test_an_allowed_page_is_asked_for_after_the_pause(steps: Sequence[Step]):
    with serve_robots(steps) as log:
        assert isinstance(crawl(log), FetchedPage)
        assert log.paths() == [ROBOTS, PAGE]
        assert log.gaps_s() == [pytest.approx(POLITE.min_delay_s)]


@pytest.mark.parametrize(("line", "delay_s"), [(b"Crawl-delay: 7", 7), (b"Request-rate: 1/90", 90)])
def test_the_sites_own_delay_lies_between_robots_txt_and_the_page(line: bytes, delay_s: float):
    with serve_robots([answer("200 OK", ALLOWING + line)]) as log:
        assert isinstance(crawl(log), FetchedPage)
        assert log.gaps_s() == [pytest.approx(delay_s)]


def in_turn(*answers: bytes) -> Callable[[socket.socket], None]:
    """Return a step that gives one answer after the other."""
    left = iter(answers)
    return lambda connection: connection.sendall(next(left))


def test_a_server_that_recovers_is_crawled_after_its_own_moment():
    busy = answer("503 Busy", ALLOWING, Retry_After="9")
    with serve_robots([in_turn(busy, answer("200 OK", ALLOWING))]) as log:
        assert isinstance(crawl(log), FetchedPage)
        assert log.paths() == [ROBOTS, ROBOTS, PAGE]
        assert log.gaps_s()[0] >= 9


def test_a_server_that_recovers_and_forbids_is_obeyed():
    with serve_robots([in_turn(answer("500 Error"), answer("200 OK", FORBIDDING))]) as log:
        assert codes(crawl(log)) == ("robots_disallowed", 7)
        assert log.paths() == [ROBOTS] * 2
