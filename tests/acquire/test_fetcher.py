from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.identity import make_headers
from dmf_crawler.acquire.robots import RobotsGate, read_robots
from dmf_crawler.acquire.robots_file import RobotsRules, parse_robots
from dmf_crawler.errors import SendError
from dmf_crawler.model.page import FetchedPage, PageRequest, Reply
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import Identity, Politeness
from tests.fakes.world import START, Answer, FakeClock, FakeSite, fake_world

BASE = "https://list.example"
URL = f"{BASE}/pbp/L?page=1"
ROBOTS = PageRequest(f"{BASE}/robots.txt", "robots")
LIST = PageRequest(URL, "list", 1)
LIMITS = FetchLimits(500, 1_500, {"list": ("/pbp/L",)})
OPEN = RobotsGate(RobotsRules(), "DMF-Crawler")
UNUSABLE = Fault("maintenance_page", "점검 중입니다.", 6, is_retryable=True)


def ok(body: bytes = b"list") -> Reply:
    return Reply(200, (("Content-Type", "text/html"),), body)


def status(code: int, **headers: str) -> Reply:
    fields = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(code, fields, b"error")


def moved(location: str, code: int = 302) -> Reply:
    return status(code, Location=location)


@dataclass
class Crawl:
    """A fetcher on a fake site, with what it told its caller; dice in the middle: no jitter."""

    answers: Mapping[str, Answer | Sequence[Answer]]
    politeness: Politeness = field(default_factory=Politeness)
    limits: FetchLimits = LIMITS
    gate: RobotsGate | None = OPEN
    verdicts: Sequence[Fault | None] = ()
    latency_s: float = 0.1

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.site = FakeSite(self.clock, self.answers, self.latency_s)
        self.kept: list[FetchedPage] = []
        self.failures: list[tuple[PageRequest, str, int]] = []
        self.fetcher = Fetcher(
            world=fake_world(self.clock, self.site, dice=0.5),
            identity=Identity(),
            politeness=self.politeness,
            limits=self.limits,
        )
        if self.gate is not None:
            self.fetcher.obey(self.gate)

    def fetch(self, request: PageRequest = LIST) -> FetchedPage | Fault:
        return self.fetcher.fetch(request, keep=self._keep, on_failure=self._on_failure)

    def _keep(self, page: FetchedPage) -> Fault | None:
        self.kept.append(page)
        return self.verdicts[len(self.kept) - 1] if len(self.kept) <= len(self.verdicts) else None

    def _on_failure(self, request: PageRequest, error: SendError, attempt: int) -> None:
        self.failures.append((request, error.code, attempt))

    def statuses(self) -> list[int]:
        return [page.status for page in self.kept]

    def gaps_s(self) -> list[float]:
        """Seconds from the end of each request to the start of the next."""
        spans = self.site.spans
        return [after[0] - before[1] for before, after in pairwise(spans)]


def fault_of(result: FetchedPage | Fault) -> tuple[str, int]:
    assert isinstance(result, Fault), result
    assert result.message.endswith(("다.", "오."))
    return result.code, result.exit_code


# --- one answer --------------------------------------------------------------------------------


def test_a_page_is_kept_before_it_is_given_back():
    crawl = Crawl({URL: ok()}, latency_s=0.5)

    page = crawl.fetch()

    assert page == FetchedPage(
        request=LIST,
        url=URL,
        status=200,
        request_headers=make_headers(Identity()),
        headers=(("Content-Type", "text/html"),),
        body=b"list",
        fetched_at=START + timedelta(seconds=0.5),
        elapsed_s=0.5,
        attempt=1,
    )
    assert crawl.kept == [page]
    assert crawl.fetcher.n_requests == 1


def test_every_request_carries_the_same_headers_and_a_post_its_form():
    crawl = Crawl({f"{BASE}/pbp/L": [status(503), ok()]})

    crawl.fetch(PageRequest(f"{BASE}/pbp/L", "list", 1, method="POST", body="page=1&q=%EB%AA%A9"))

    assert [(r.method, r.body, r.headers) for r in crawl.site.requested] == [
        ("POST", b"page=1&q=%EB%AA%A9", make_headers(Identity()))
    ] * 2


VALIDATORS = (("If-None-Match", '"v1"'), ("If-Modified-Since", "Mon, 30 Nov 2026 01:00:00 GMT"))
DETAIL = PageRequest(f"{BASE}/bbs/21/7", "detail", validators=VALIDATORS, max_body_bytes=99)


def test_a_conditional_request_adds_its_validators_and_its_cap():
    crawl = Crawl({DETAIL.url: [ok()]})

    page = crawl.fetch(DETAIL)

    assert isinstance(page, FetchedPage)
    (request,) = crawl.site.requested
    assert request.headers == (*make_headers(Identity()), *VALIDATORS) == page.request_headers
    assert request.max_body_bytes == 99


def test_304_to_a_conditional_request_is_the_page():
    crawl = Crawl({DETAIL.url: [status(304)]})

    page = crawl.fetch(DETAIL)

    assert isinstance(page, FetchedPage)
    assert page.status == 304
    assert len(crawl.kept) == 1


def test_a_304_that_cannot_be_used_is_a_fault_and_asked_for_again_where_that_may_help():
    fault = Fault("truncated_page", "잘렸습니다.", 6, is_retryable=True)
    crawl = Crawl({DETAIL.url: [status(304)] * 3}, verdicts=[fault, fault, fault])

    assert fault_of(crawl.fetch(DETAIL)) == ("truncated_page", 6)
    assert len(crawl.site.requested) == 3


def test_each_kind_of_request_has_a_scope_of_its_own_for_redirects():
    limits = FetchLimits(500, 1_500, {"list": ("/pbp/L",), "detail": ("/bbs/21",)})
    target = f"{BASE}/bbs/21/8"
    answers = {
        DETAIL.url: status(302, Location="/bbs/21/8"),
        URL: status(302, Location="/bbs/21/8"),
        target: ok(),
    }

    assert isinstance(Crawl(answers, limits=limits).fetch(DETAIL), FetchedPage)
    assert fault_of(Crawl(answers, limits=limits).fetch()) == ("redirect_out_of_scope", 6)


def test_a_redirect_to_a_blocked_path_is_not_followed():
    limits = FetchLimits(500, 1_500, {"detail": ("/bbs/21",)}, blocked=("/bbs/21/8",))
    crawl = Crawl({DETAIL.url: status(302, Location="/bbs/21/8")}, limits=limits)

    assert fault_of(crawl.fetch(DETAIL)) == ("redirect_out_of_scope", 6)
    assert len(crawl.site.requested) == 1


def test_304_is_no_page_but_a_success_that_may_shorten_the_delay():
    """T5: 304 was treated as an error."""
    crawl = Crawl({URL: [ok(), status(304)]}, latency_s=4.0)
    crawl.fetch()
    assert crawl.fetcher.throttle.delay_s == pytest.approx(11)
    crawl.site.latency_s = 0.0

    assert fault_of(crawl.fetch()) == ("http_status", 6)
    assert crawl.fetcher.throttle.delay_s == pytest.approx(5.5)


def test_an_error_answer_does_not_shorten_the_delay():
    crawl = Crawl({URL: [ok(), status(404)]}, latency_s=4.0)
    crawl.fetch()
    crawl.site.latency_s = 0.0

    crawl.fetch()

    assert crawl.fetcher.throttle.delay_s == pytest.approx(11)


# --- robots ------------------------------------------------------------------------------------


def test_no_page_is_asked_for_before_robots_txt():
    crawl = Crawl({URL: ok()}, gate=None)

    with pytest.raises(RuntimeError, match="before every page"):
        crawl.fetch()
    assert crawl.site.requested == []


def test_a_forbidden_page_is_never_asked_for():
    gate = RobotsGate(parse_robots(b"User-agent: DMF-Crawler\nDisallow: /pbp\n"), "DMF-Crawler")
    crawl = Crawl({URL: ok()}, gate=gate)

    assert fault_of(crawl.fetch()) == ("robots_disallowed", 7)
    assert crawl.site.requested == []


BLOCKED = replace(LIMITS, blocked=("/pbp/L",))


def test_a_blocked_address_is_never_asked_for_and_named():
    crawl = Crawl({URL: ok()}, limits=BLOCKED)

    result = crawl.fetch()

    assert fault_of(result) == ("blocked_address", 7)
    assert isinstance(result, Fault)
    assert not result.is_retryable
    assert URL in result.message
    assert "blocked" in result.message
    assert crawl.site.requested == []


def test_a_blocked_address_is_named_so_even_where_robots_txt_forbids_it_too():
    """What is to be changed first is our own configuration."""
    gate = RobotsGate(parse_robots(b"User-agent: *\nDisallow: /\n"), "DMF-Crawler")
    crawl = Crawl({}, limits=BLOCKED, gate=gate)

    assert [fault and fault.code for fault in map(crawl.fetcher.forbid, (LIST, DETAIL))] == [
        "blocked_address",
        "robots_disallowed",
    ]


def test_robots_txt_is_asked_for_whatever_is_blocked():
    limits = replace(LIMITS, blocked=("/robots.txt", "/*"))
    crawl = Crawl({ROBOTS.url: ok()}, limits=limits, gate=None)

    assert crawl.fetcher.forbid(ROBOTS) is None
    assert isinstance(crawl.fetch(ROBOTS), FetchedPage)


def test_the_crawl_delay_of_robots_txt_is_kept():
    gate = RobotsGate(parse_robots(b"User-agent: *\nCrawl-delay: 45\n"), "DMF-Crawler")
    crawl = Crawl({URL: ok()}, gate=gate)

    crawl.fetch()
    crawl.fetch()

    assert crawl.gaps_s() == [pytest.approx(45 * 1.05)]


@pytest.mark.parametrize("code", [200, 204, 404, 403])
def test_robots_txt_comes_back_with_any_status_at_once(code: int):
    crawl = Crawl({ROBOTS.url: status(code)}, gate=None)

    page = crawl.fetch(ROBOTS)

    assert isinstance(page, FetchedPage)
    assert page.status == code
    assert crawl.fetcher.n_requests == 1


def test_robots_txt_that_stays_unavailable_comes_back_after_the_retries():
    crawl = Crawl({ROBOTS.url: status(503)}, gate=None)

    page = crawl.fetch(ROBOTS)

    assert isinstance(page, FetchedPage)
    assert (page.status, crawl.fetcher.n_requests) == (503, 3)


def test_robots_txt_that_asks_to_wait_an_hour_is_not_asked_again():
    crawl = Crawl({ROBOTS.url: status(503, Retry_After="3600")}, gate=None)

    gate = read_robots(crawl.fetch(ROBOTS), product_token="DMF-Crawler")

    assert isinstance(gate, Fault)
    assert (gate.code, gate.exit_code) == ("robots_unreachable", 7)
    assert crawl.fetcher.n_requests == 1
    assert crawl.fetcher.not_before == START + timedelta(seconds=3600.1)


def test_robots_txt_without_an_answer_stays_the_fault_it_is():
    crawl = Crawl({ROBOTS.url: SendError("timeout", "응답이 없습니다.")}, gate=None)

    gate = read_robots(crawl.fetch(ROBOTS), product_token="DMF-Crawler")

    assert isinstance(gate, Fault)
    assert (gate.code, gate.exit_code) == ("timeout", 6)


def test_robots_txt_is_followed_up_to_five_times_on_any_path_of_the_host():
    hops = {f"{BASE}/{n}": moved(f"/{n + 1}") for n in range(1, 5)}
    crawl = Crawl({ROBOTS.url: moved("/1"), **hops, f"{BASE}/5": ok()}, gate=None)

    page = crawl.fetch(ROBOTS)

    assert isinstance(page, FetchedPage)
    assert (page.url, page.status, page.request) == (f"{BASE}/5", 200, ROBOTS)
    assert crawl.fetcher.n_requests == 6


@pytest.mark.parametrize("location", ["/robots.txt", "https://other.example/robots.txt", ""])
def test_a_redirect_loop_or_a_foreign_robots_txt_means_unreachable(location: str):
    crawl = Crawl({ROBOTS.url: moved(location, 301)}, gate=None)

    gate = read_robots(crawl.fetch(ROBOTS), product_token="DMF-Crawler")

    assert isinstance(gate, Fault)
    assert (gate.code, gate.exit_code) == ("robots_unreachable", 7)
    assert crawl.fetcher.n_requests == (6 if location == "/robots.txt" else 1)


# --- retries -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_passing_error_status_is_retried_and_every_answer_kept(code: int):
    crawl = Crawl({URL: [status(code), status(code), ok()]})

    page = crawl.fetch()

    assert isinstance(page, FetchedPage)
    assert page.attempt == 3
    assert crawl.statuses() == [code, code, 200]


@pytest.mark.parametrize(
    "code", ["dns_error", "connect_error", "timeout", "connection_reset", "truncated_body"]
)
def test_a_passing_failure_is_retried_and_every_one_is_told(code: str):
    failure = SendError(code, "실패했습니다.")
    crawl = Crawl({URL: [failure, failure, ok()]})

    assert isinstance(crawl.fetch(), FetchedPage)
    assert crawl.failures == [(LIST, code, 1), (LIST, code, 2)]
    assert crawl.fetcher.n_requests == 3


@pytest.mark.parametrize("code", ["tls_error", "oversize", "request_error"])
def test_a_lasting_failure_is_not_retried(code: str):
    """F7: what cannot get better is asked for once."""
    crawl = Crawl({URL: SendError(code, "실패했습니다.")})

    assert fault_of(crawl.fetch()) == (code, 6)
    assert crawl.fetcher.n_requests == 1


@pytest.mark.parametrize("code", [201, 206, 400, 401, 403, 404, 410, 501, 505])
def test_another_status_ends_the_page_at_once(code: int):
    crawl = Crawl({URL: status(code)})

    result = crawl.fetch()

    assert fault_of(result) == ("http_status", 6)
    assert str(code) in getattr(result, "message", "")
    assert crawl.statuses() == [code]


def test_three_tries_are_the_end():
    crawl = Crawl({URL: status(500)})

    assert fault_of(crawl.fetch()) == ("http_status", 6)
    assert crawl.fetcher.n_requests == 3


def test_a_200_that_is_no_list_is_tried_again_when_that_may_help():
    crawl = Crawl({URL: ok()}, verdicts=[UNUSABLE, UNUSABLE])

    page = crawl.fetch()

    assert isinstance(page, FetchedPage)
    assert page.attempt == 3


@pytest.mark.parametrize("verdict", [replace(UNUSABLE, is_retryable=False), UNUSABLE])
def test_a_200_that_stays_no_list_ends_with_that_fault(verdict: Fault):
    crawl = Crawl({URL: ok()}, verdicts=[verdict] * 3)

    assert crawl.fetch() is verdict
    assert crawl.fetcher.n_requests == (3 if verdict.is_retryable else 1)


def test_what_keep_says_of_another_status_is_ignored():
    crawl = Crawl({URL: status(404)}, verdicts=[UNUSABLE])

    assert fault_of(crawl.fetch()) == ("http_status", 6)


def test_the_back_off_doubles():
    crawl = Crawl({URL: status(500)}, politeness=Politeness(min_delay_s=0, delay_factor=0))

    crawl.fetch()

    assert crawl.gaps_s() == [pytest.approx(2), pytest.approx(4)]


def test_a_rehearsal_may_retry_without_waiting():
    crawl = Crawl(
        {URL: status(500)},
        politeness=Politeness(min_delay_s=0, delay_factor=0, backoff_base_s=0),
    )

    crawl.fetch()

    assert crawl.clock.sleeps == []


def test_an_exception_of_the_caller_passes_through_and_frees_the_turn():
    crawl = Crawl({URL: [KeyboardInterrupt(), ok()]})

    with pytest.raises(KeyboardInterrupt):
        crawl.fetch()
    assert isinstance(crawl.fetch(), FetchedPage)


# --- Retry-After -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["20", "Sun, 29 Nov 2026 21:00:20 GMT"])
def test_retry_after_wins_over_the_back_off_in_both_forms(value: str):
    """F1: the HTTP date was read as 2 s."""
    crawl = Crawl({URL: [status(503, Retry_After=value), ok()]}, latency_s=0.0)

    assert isinstance(crawl.fetch(), FetchedPage)
    assert crawl.gaps_s() == [pytest.approx(20)]


def test_a_short_retry_after_wins_too_but_not_over_the_delay():
    crawl = Crawl({URL: [status(503, Retry_After="0"), status(503), ok()]}, latency_s=0.0)

    crawl.fetch()

    assert crawl.gaps_s() == [pytest.approx(2.1), pytest.approx(4)]


@pytest.mark.parametrize("value", ["3600", "61", "Mon, 30 Nov 2026 21:00:00 GMT"])
def test_a_retry_after_beyond_the_cap_ends_the_run(value: str):
    """F2: 3600 s became a knock after 60 s."""
    crawl = Crawl({URL: status(429, Retry_After=value)})

    assert fault_of(crawl.fetch()) == ("retry_after", 6)
    assert crawl.fetcher.n_requests == 1
    assert crawl.clock.sleeps == []
    assert crawl.fetcher.not_before is not None
    assert crawl.fetcher.not_before > START + timedelta(seconds=60)


def test_the_moment_is_remembered_even_when_the_status_is_not_retried():
    crawl = Crawl({URL: [status(403, Retry_After="3600"), ok()]})

    assert fault_of(crawl.fetch()) == ("http_status", 6)
    assert fault_of(crawl.fetch()) == ("retry_after", 6)
    assert crawl.fetcher.n_requests == 1


def test_an_earlier_moment_does_not_shorten_a_later_one():
    past = "Sun, 29 Nov 2026 20:00:00 GMT"
    crawl = Crawl({URL: [status(503, Retry_After="50"), status(403, Retry_After=past)]})

    crawl.fetch()

    assert crawl.fetcher.not_before == START + timedelta(seconds=50.1)


@pytest.mark.parametrize("seconds", [60.5, 3600])
def test_a_run_long_before_the_moment_of_an_earlier_one_sends_nothing(seconds: float):
    limits = FetchLimits(500, 1_500, not_before=START + timedelta(seconds=seconds))
    crawl = Crawl({URL: ok()}, limits=limits)

    result = crawl.fetch()

    assert fault_of(result) == ("retry_after", 6)
    assert "2026-11-30 0" in getattr(result, "message", "")
    assert crawl.site.requested == []
    assert crawl.clock.sleeps == []


@pytest.mark.parametrize("seconds", [0.5, 1, 60])
def test_a_run_shortly_before_the_moment_of_an_earlier_one_waits_for_it(seconds: float):
    """Its first request comes at the moment, not before it and not a pause after it."""
    limits = FetchLimits(500, 1_500, not_before=START + timedelta(seconds=seconds))
    crawl = Crawl({ROBOTS.url: ok()}, limits=limits, gate=None)

    assert isinstance(crawl.fetch(ROBOTS), FetchedPage)
    assert crawl.site.spans[0][0] == pytest.approx(seconds)


def test_a_near_moment_of_an_earlier_run_is_not_waited_for_beyond_the_deadline():
    limits = FetchLimits(500, 20, not_before=START + timedelta(seconds=30))
    crawl = Crawl({URL: ok()}, limits=limits)

    assert fault_of(crawl.fetch()) == ("time_budget", 6)
    assert crawl.site.requested == []
    assert crawl.clock.sleeps == []


def test_a_moment_in_the_past_does_not_hinder():
    crawl = Crawl({URL: ok()}, limits=FetchLimits(500, 1_500, not_before=START))

    assert isinstance(crawl.fetch(), FetchedPage)


def test_a_redirect_with_retry_after_is_followed_after_the_moment():
    target = f"{BASE}/pbp/L/new"
    crawl = Crawl({URL: status(302, Location=target, Retry_After="30"), target: ok()})

    assert isinstance(crawl.fetch(), FetchedPage)
    assert crawl.gaps_s() == [pytest.approx(30)]


# --- redirects ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_inside_the_scope_is_a_paused_counted_kept_request(code: int):
    target = f"{BASE}/pbp/L/list?page=1"
    crawl = Crawl({URL: moved("/pbp/L/list?page=1", code), target: ok()})

    page = crawl.fetch()

    assert isinstance(page, FetchedPage)
    assert (page.request, page.url, page.status) == (LIST, target, 200)
    assert [(kept.request, kept.url) for kept in crawl.kept] == [(LIST, URL), (LIST, target)]
    assert crawl.fetcher.n_requests == 2
    assert crawl.gaps_s()[0] >= 2


@pytest.mark.parametrize(
    "location",
    [
        "https://other.example/pbp/L",
        "http://list.example/pbp/L",
        "/login",
        "/pbp/L/../../login",
        "/pbp/List",
        "",
    ],
)
def test_a_redirect_out_of_the_scope_is_not_followed(location: str):
    """F4: the login page of another host was kept as the list."""
    crawl = Crawl({URL: moved(location)})

    assert fault_of(crawl.fetch()) == ("redirect_out_of_scope", 6)
    assert crawl.statuses() == [302]


def test_the_fault_names_the_target_in_printable_characters():
    crawl = Crawl({URL: moved("/login\x07\x80" + "x" * 999)})

    result = crawl.fetch()

    assert isinstance(result, Fault)
    assert "/login%07" in result.message
    assert result.message.isprintable()
    assert len(result.message) < 500


def test_a_redirect_to_a_forbidden_path_is_not_followed():
    gate = RobotsGate(parse_robots(b"User-agent: *\nDisallow: /pbp/L/new\n"), "DMF-Crawler")
    crawl = Crawl({URL: moved("/pbp/L/new")}, gate=gate)

    assert fault_of(crawl.fetch()) == ("redirect_out_of_scope", 6)
    assert crawl.fetcher.n_requests == 1


def test_a_redirect_loop_ends_at_the_limit():
    crawl = Crawl({URL: moved(URL)}, politeness=Politeness(max_redirects=2))

    assert fault_of(crawl.fetch()) == ("redirect_out_of_scope", 6)
    assert crawl.fetcher.n_requests == 3


@pytest.mark.parametrize(
    ("code", "method", "body"),
    [
        (301, "GET", None),
        (302, "GET", None),
        (303, "GET", None),
        (307, "POST", b"p=1"),
        (308, "POST", b"p=1"),
    ],
)
def test_a_redirected_form_is_sent_again_only_where_the_status_says_so(
    code: int, method: str, body: bytes | None
):
    target = f"{BASE}/pbp/L/new"
    crawl = Crawl({f"{BASE}/pbp/L": moved(target, code), target: ok()})

    crawl.fetch(PageRequest(f"{BASE}/pbp/L", "list", 1, method="POST", body="p=1"))

    assert (crawl.site.requested[1].method, crawl.site.requested[1].body) == (method, body)


def test_a_failure_behind_a_redirect_names_the_address_that_failed():
    target = f"{BASE}/pbp/L/new"
    crawl = Crawl({URL: moved(target), target: [SendError("timeout", "실패했습니다."), ok()]})

    assert isinstance(crawl.fetch(), FetchedPage)
    assert [(request.url, n) for request, _, n in crawl.failures] == [(target, 1)]
    assert [request.url for request in crawl.site.requested] == [URL, target, URL, target]


# --- budgets -----------------------------------------------------------------------------------


def test_the_budget_counts_every_request_and_stops_before_the_next():
    """F8: the caps of a day were not in the code."""
    crawl = Crawl({URL: status(500)}, limits=FetchLimits(2, 1_500))

    assert fault_of(crawl.fetch()) == ("budget_exceeded", 4)
    assert crawl.fetcher.n_requests == 2
    assert crawl.fetcher.n_requests_left() == 0


def test_a_day_without_requests_left_sends_nothing():
    crawl = Crawl({ROBOTS.url: ok()}, limits=FetchLimits(0, 1_500), gate=None)

    assert fault_of(crawl.fetch(ROBOTS)) == ("budget_exceeded", 4)
    assert crawl.site.requested == []


def test_nothing_is_sent_after_the_deadline():
    crawl = Crawl({URL: ok()}, limits=FetchLimits(500, 0.1))
    assert isinstance(crawl.fetch(), FetchedPage)

    assert fault_of(crawl.fetch()) == ("time_budget", 6)
    assert crawl.fetcher.n_requests == 1
    assert crawl.fetcher.seconds_left() == 0


def test_a_pause_that_would_pass_the_deadline_is_not_begun():
    crawl = Crawl({URL: ok()}, limits=FetchLimits(500, 2.0))
    crawl.fetch()

    assert fault_of(crawl.fetch()) == ("time_budget", 6)
    assert crawl.clock.sleeps == []


@pytest.mark.parametrize("answer", [status(503), status(503, Retry_After="30")])
def test_a_wait_that_would_pass_the_deadline_is_not_begun(answer: Reply):
    crawl = Crawl(
        {URL: answer},
        limits=FetchLimits(500, 2.05),
        politeness=Politeness(min_delay_s=0, delay_factor=0),
    )

    assert fault_of(crawl.fetch()) == ("time_budget", 6)
    assert crawl.clock.sleeps == []


def test_a_day_of_trouble_never_knocks_faster_than_the_delay():
    """Politeness proof: whatever the site answers, two seconds lie between any two requests."""
    answers: list[Answer] = [
        status(503),
        SendError("timeout", "실패했습니다."),
        moved(URL),
        status(429, Retry_After="1"),
        status(304),
        ok(),
        status(500),
        SendError("connection_reset", "끊겼습니다."),
        ok(),
    ]
    crawl = Crawl({URL: answers})

    while len(crawl.site.requested) < len(answers):
        crawl.fetch()

    assert min(crawl.gaps_s()) >= 2.0
    assert len(crawl.kept) + len(crawl.failures) == crawl.fetcher.n_requests == len(answers)


def test_moments_are_aware():
    crawl = Crawl({URL: status(503, Retry_After="3600")})
    crawl.fetch()

    assert isinstance(crawl.fetcher.not_before, datetime)
    assert crawl.fetcher.not_before.tzinfo is not None


# --- stopped for good --------------------------------------------------------------------------

STOP = Fault("terms_forbid", "수집을 금지하는 문구를 찾았습니다.", 7)


class StoppedCrawl(Crawl):
    """Whose caller finds, in the first answer that it keeps, that nothing more must be sent."""

    def _keep(self, page: FetchedPage) -> Fault | None:
        self.fetcher.stop(STOP)
        return super()._keep(page)


@pytest.mark.parametrize(
    "answer",
    [ok(), status(503), status(503, Retry_After="1"), status(404), moved("/pbp/L?page=2")],
)
def test_an_answer_that_stops_the_crawl_is_the_last_one(answer):
    crawl = StoppedCrawl({URL: answer, f"{BASE}/pbp/L?page=2": ok()})

    assert crawl.fetch() == STOP

    assert len(crawl.site.requested) == len(crawl.kept) == 1
    assert crawl.clock.sleeps == []
    other = PageRequest(f"{BASE}/pbp/L?page=3", "list", 3)
    assert [crawl.fetch(each) for each in (other, ROBOTS)] == [STOP, STOP]
    assert crawl.fetcher.forbid(other) == STOP
    crawl.fetcher.stop(UNUSABLE)
    assert crawl.fetcher.stopped == STOP
    assert len(crawl.site.requested) == 1


@pytest.mark.parametrize("answer", [ok(b"User-agent: *"), status(503), moved("/other")])
def test_a_robots_txt_that_stops_the_crawl_is_no_answer_to_judge(answer):
    crawl = StoppedCrawl({ROBOTS.url: answer}, gate=None)
    assert crawl.fetch(ROBOTS) == STOP
    assert len(crawl.site.requested) == 1
