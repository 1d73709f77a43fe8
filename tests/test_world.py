"""The real world: clock, sleep, dice, and what `send` sends to and gets from a real server."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.settings import Politeness
from dmf_crawler.wire import MAX_INTERIM_ANSWERS
from dmf_crawler.world import World, real_world
from tests.acquire.loopback import Loopback, Step, answer, hang_up, reset, serve

PAGE = b"<p>" + b"DMF " * 1_000
HEADERS = (("User-Agent", "DMF-Crawler/1.0"), ("Accept-Language", "ko-KR"), ("Accept", "text/html"))


SMALL = Politeness(max_body_bytes=1_000)


@pytest.fixture
def world() -> Iterator[World]:
    with real_world(Politeness()) as opened:
        yield opened


def send(*steps: Step, politeness: Politeness | None = None, method: str = "GET") -> Reply:
    """Send one request to a server that answers with these steps."""
    with serve(Loopback({"/": steps})) as site, real_world(politeness or Politeness()) as world:
        return world.send(Request(method, f"{site.base_url}/", HEADERS))


def code_of(*steps: Step, politeness: Politeness | None = None) -> str:
    with pytest.raises(SendError) as caught:
        send(*steps, politeness=politeness)
    assert "127.0.0.1" in caught.value.message
    return caught.value.code


# --- clock, sleep, dice ------------------------------------------------------------------------


def test_the_clock_is_aware_and_goes_forward(world: World):
    first, second = world.now(), world.now()

    assert first.tzinfo is UTC
    assert abs(first - datetime.now(UTC)) < timedelta(minutes=1)
    assert second >= first


def test_the_clock_of_the_pc_stays_the_pcs_whatever_a_rehearsal_pretends():
    start = datetime.fromisoformat("2026-11-30T06:00:00+09:00")
    for starts_at in (None, start):
        with real_world(Politeness(), starts_at=starts_at) as world:
            before, found, after = datetime.now(UTC), world.pc_now(), datetime.now(UTC)

        assert found.tzinfo is UTC
        assert before <= found <= after


def test_a_rehearsal_starts_its_clock_where_it_likes():
    start = datetime.fromisoformat("2026-11-30T06:00:00+09:00")
    with real_world(Politeness(), starts_at=start) as world:
        before, now, after = world.monotonic(), world.now(), world.monotonic()

        assert now.tzinfo is UTC
        assert start <= now < start + timedelta(minutes=1)
        assert world.now() - now >= timedelta(0)
        assert before <= after


def test_sleep_sleeps_at_least_as_long_as_it_should(world: World):
    before = world.monotonic()
    world.sleep(0.001)

    assert world.monotonic() - before >= 0.001


def test_dice_stay_between_their_limits_and_differ(world: World):
    thrown = {world.uniform(0.25, 0.75) for _ in range(100)}

    assert len(thrown) > 1
    assert all(0.25 <= value <= 0.75 for value in thrown)


# --- what is sent ------------------------------------------------------------------------------


def test_only_our_headers_are_sent():
    with (
        serve(Loopback({"/a/../b": [answer("200 OK")]})) as site,
        real_world(Politeness()) as world,
    ):
        world.send(Request("GET", f"{site.base_url}/a/../b?q=%7e%EB#x", HEADERS))
        host = site.base_url.removeprefix("http://")

        request_line, *fields = site.heads[0].decode().rstrip().split("\r\n")
        assert request_line == "GET /a/../b?q=%7E%EB HTTP/1.1"
        assert sorted(fields) == [
            "Accept-Encoding: gzip, deflate",
            "Accept-Language: ko-KR",
            "Accept: text/html",
            f"Host: {host}",
            "User-Agent: DMF-Crawler/1.0",
        ]


def test_without_a_user_agent_the_library_does_not_add_its_own():
    with serve(Loopback({"/": [answer("200 OK")]})) as site, real_world(Politeness()) as world:
        world.send(Request("GET", f"{site.base_url}/"))

        assert b"user-agent" not in site.heads[0].lower()


def test_a_form_is_posted_as_it_stands():
    with serve(Loopback({"/": [answer("200 OK")]})) as site, real_world(Politeness()) as world:
        world.send(Request("POST", f"{site.base_url}/", HEADERS, b"page=1&q=%EB%AA%A9"))

        head = site.heads[0].lower()
        assert site.bodies == [b"page=1&q=%EB%AA%A9"]
        assert b"content-type: application/x-www-form-urlencoded\r\n" in head
        assert b"content-length: 18\r\n" in head


def test_one_connection_is_kept_and_no_cookie_comes_back():
    page = answer("200 OK", b"1", Set_Cookie="JSESSIONID=1; Path=/")
    with serve(Loopback({"/": [page]})) as site, real_world(Politeness()) as world:
        for _ in range(3):
            world.send(Request("GET", f"{site.base_url}/", HEADERS))

        assert site.n_connections == 1
        assert not any(b"cookie" in head.lower() for head in site.heads)


def test_redirects_and_errors_are_answers_and_not_followed():
    location = answer("302 Found", b"moved", Location="/other")

    reply = send(location)

    assert (reply.status, reply.header("location"), reply.body) == (302, "/other", b"moved")
    assert send(answer("503 Busy", b"later", Retry_After="5")).header("Retry-After") == "5"


def test_the_body_of_a_redirect_is_capped_too():
    reply = answer("302 Found", b"x" * 1_001, Location="/other")

    assert code_of(reply, politeness=SMALL) == "oversize"


# --- what comes back ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("identity", PAGE),
        ("gzip", gzip.compress(PAGE, mtime=0)),  # the same test id in every process
        ("GZIP", gzip.compress(PAGE, mtime=0) + b"\0\0"),
        ("x-gzip", gzip.compress(PAGE, mtime=0)),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)[2:-4]),
    ],
)
def test_the_body_comes_back_decoded_with_the_headers_as_received(coding: str, body: bytes):
    reply = send(answer("200 OK", body, Content_Encoding=coding, X_One="1"))

    assert reply.body == PAGE
    assert reply.header("content-encoding") == coding
    assert reply.header("x-one") == "1"


def test_repeated_header_fields_stay_apart():
    raw = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"

    assert [value for name, value in send(raw).headers if name == "Set-Cookie"] == ["a=1", "b=2"]


def test_a_chunked_body_comes_back_whole():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    assert send(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").body == b"abcde"


def test_a_body_without_a_length_ends_with_the_connection():
    """The client cannot see whether it was cut: the page's own end marker must."""
    assert send(b"HTTP/1.1 200 OK\r\n\r\nabc", hang_up).body == b"abc"


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_an_answer_without_a_body_may_carry_a_coding(status: str):
    assert send(f"HTTP/1.1 {status}\r\nContent-Encoding: gzip\r\n\r\n".encode()).body == b""


@pytest.mark.parametrize("status", [200, 302, 403, 404, 429, 500, 503])
def test_an_answer_without_body_and_length_is_judged_by_its_status(status: int):
    """Small servers answer so; only a header that does not end is a cut answer."""
    reply = send(f"HTTP/1.0 {status} Whatever\r\nRetry-After: 7\r\n\r\n".encode(), hang_up)

    assert (reply.status, reply.body, reply.header("Retry-After")) == (status, b"", "7")


@pytest.mark.parametrize(
    "steps",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", hang_up),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", hang_up),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", hang_up),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", hang_up),
        (b"HTTP/1.1 200", hang_up),
        (b"HTTP/1.1 200 OK\r\nContent-Len", hang_up),
        (b"HTTP/1.1 200 OK\r\nX-A: b\r\n", hang_up),
        (b"HTTP/1.1 404 Not Found\r\n", hang_up),
        (answer("200 OK", gzip.compress(PAGE)[:-20], Content_Encoding="gzip"),),
        (answer("200 OK", gzip.compress(PAGE)[:-8], Content_Encoding="gzip"),),
        (answer("200 OK", gzip.compress(PAGE) + b"rest", Content_Encoding="gzip"),),
        (answer("200 OK", b"no gzip at all", Content_Encoding="gzip"),),
        (answer("200 OK", b"\xff no deflate", Content_Encoding="deflate"),),
    ],
)
def test_a_cut_or_damaged_body_is_never_taken_for_a_whole_one(steps: tuple[Step, ...]):
    """F8 and rules: requests itself accepts half a gzip stream."""
    assert code_of(*steps) == "truncated_body"


@pytest.mark.parametrize(
    "steps", [(reset,), (hang_up,), (b"HTTP", hang_up), (b"what is HTTP?\r\n\r\n", hang_up)]
)
def test_a_connection_that_ends_before_the_answer_is_named_so(steps: tuple[Step, ...]):
    assert code_of(*steps) == "connection_reset"


EARLY_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"


@pytest.mark.parametrize(
    "interim",
    [
        EARLY_HINTS,
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\n\r\n" + EARLY_HINTS,
        EARLY_HINTS * MAX_INTERIM_ANSWERS,
    ],
    ids=["103", "100", "102 and 103", "the most"],
)
def test_interim_answers_are_skipped(interim: bytes):
    """RFC 9110, 15.2: the library takes a 103 for the answer."""
    reply = send(interim + answer("200 OK", b"page", X_One="1"))

    assert (reply.status, reply.body, reply.header("X-One")) == (200, b"page", "1")
    assert reply.header("Link") is None


@pytest.mark.parametrize(
    "steps",
    [
        (EARLY_HINTS * (MAX_INTERIM_ANSWERS + 1), answer("200 OK")),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", answer("200 OK")),
    ],
    ids=["one too many", "another protocol"],
)
def test_interim_answers_without_end_and_another_protocol_are_no_answer(steps: tuple[Step, ...]):
    assert code_of(*steps) == "request_error"


@pytest.mark.parametrize("interim", [EARLY_HINTS, EARLY_HINTS[:-2], EARLY_HINTS[:40]])
def test_a_connection_that_ends_after_an_interim_answer_was_reset(interim: bytes):
    assert code_of(interim, hang_up) == "connection_reset"


def test_an_unknown_coding_cannot_be_read():
    assert code_of(answer("200 OK", b"x", Content_Encoding="br")) == "request_error"


@pytest.mark.parametrize(
    "reply",
    [
        answer("200 OK", b"x" * 1_001),
        answer("200 OK", gzip.compress(b"x" * 1_000_000), Content_Encoding="gzip"),
        answer("200 OK", zlib.compress(b"x" * 1_001), Content_Encoding="deflate"),
        answer("200 OK", b"x" * 200_000),
    ],
)
def test_a_body_over_the_cap_stops_before_or_after_unpacking(reply: bytes):
    assert code_of(reply, politeness=SMALL) == "oversize"


@pytest.mark.parametrize("max_bytes", [10, 2_000])
def test_the_cap_of_a_request_wins_over_the_setting(max_bytes: int):
    body = b"x" * max_bytes
    site = Loopback({"/": [answer("200 OK", body)], "/longer": [answer("200 OK", body + b"x")]})
    with serve(site), real_world(SMALL) as world:
        request = Request("GET", f"{site.base_url}/", HEADERS, max_body_bytes=max_bytes)

        assert world.send(request).body == body
        with pytest.raises(SendError, match="oversize"):
            world.send(replace(request, url=f"{site.base_url}/longer"))


def test_a_body_at_the_cap_is_whole():
    body = b"x" * 1_000

    assert send(answer("200 OK", body), politeness=SMALL).body == body
    packed = answer("200 OK", gzip.compress(body), Content_Encoding="gzip")
    assert send(packed, politeness=SMALL).body == body
