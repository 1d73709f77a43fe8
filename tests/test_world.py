"""The real world: clock, sleep, dice, and `send` against a real server on loopback."""

from __future__ import annotations

import gzip
import inspect
import socket
import ssl
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected
from typing import Any

import pytest
import requests
import responses
import urllib3
from urllib3.connection import HTTPConnection

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.settings import Politeness
from dmf_crawler.wire import Deadline
from dmf_crawler.world import World, name_failure, real_world
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
        ("gzip", gzip.compress(PAGE)),
        ("GZIP", gzip.compress(PAGE) + b"\0\0"),
        ("x-gzip", gzip.compress(PAGE)),
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


def test_a_body_at_the_cap_is_whole():
    body = b"x" * 1_000

    assert send(answer("200 OK", body), politeness=SMALL).body == body
    packed = answer("200 OK", gzip.compress(body), Content_Encoding="gzip")
    assert send(packed, politeness=SMALL).body == body


# --- time --------------------------------------------------------------------------------------

QUICK_DEADLINE = Politeness(request_deadline_s=0.05)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Slow",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nabc",
    ],
    ids=["nothing", "header", "body", "chunk", "no length"],
)
def test_the_deadline_of_a_request_cuts_a_server_that_only_seems_to_answer(start: bytes):
    """F8: the library's timeout is per read; 30 s each would never end."""
    with serve(Loopback()) as site, real_world(QUICK_DEADLINE) as world:
        site.answers = {"/": [start, site.stall]}
        with pytest.raises(SendError) as caught:
            world.send(Request("GET", f"{site.base_url}/", HEADERS))

    assert caught.value.code == "timeout"


def test_a_deadline_that_struck_while_connecting_cuts_the_connection_when_it_is_there():
    """A connection that was long in coming does not get a second time of its own."""
    deadline = Deadline(0)
    ours, theirs = socket.socketpair()
    with ours, theirs, deadline:
        deadline._timer.join()
        assert deadline.is_over

        deadline.watch(ours)

        assert theirs.recv(1) == b""


def test_a_silent_server_ends_in_the_read_timeout():
    with serve(Loopback()) as site, real_world(Politeness(read_timeout_s=0.05)) as world:
        site.answers = {"/": [site.stall]}
        with pytest.raises(SendError) as caught:
            world.send(Request("GET", f"{site.base_url}/", HEADERS))

    assert caught.value.code == "timeout"


def test_the_connection_serves_again_after_a_deadline():
    with serve(Loopback()) as site, real_world(Politeness(request_deadline_s=0.2)) as world:
        site.answers = {"/slow": [site.stall], "/": [answer("200 OK", b"1")]}
        with pytest.raises(SendError):
            world.send(Request("GET", f"{site.base_url}/slow", HEADERS))

        assert world.send(Request("GET", f"{site.base_url}/", HEADERS)).body == b"1"


# --- failures before any answer ----------------------------------------------------------------


def test_a_closed_port_refuses(world: World):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(SendError, match="connect_error"):
            world.send(Request("GET", url, HEADERS))


def test_a_server_that_speaks_no_tls_is_a_tls_error():
    def speak_first(connection: socket.socket) -> None:
        connection.sendall(b"220 mail.example ESMTP\r\n")

    with serve(Loopback(on_connect=speak_first)) as site, real_world(Politeness()) as world:
        url = site.base_url.replace("http:", "https:")
        with pytest.raises(SendError, match="tls_error"):
            world.send(Request("GET", url, HEADERS))


@pytest.mark.parametrize(
    "url", ["no address", "ftp://127.0.0.1/", "http://", "http://[::1", "http://127.0.0.1:port/"]
)
def test_an_address_that_cannot_be_asked_is_a_request_error(world: World, url: str):
    with pytest.raises(SendError, match="request_error"):
        world.send(Request("GET", url, HEADERS))


def test_a_header_that_cannot_be_sent_is_a_request_error(world: World):
    with pytest.raises(SendError, match="request_error"):
        world.send(Request("GET", "http://127.0.0.1:9/", (("X", "a\r\nY: b"),)))


# --- the table of exceptions -------------------------------------------------------------------

REQUESTS_CODES = {
    "ChunkedEncodingError": "truncated_body",
    "ConnectTimeout": "timeout",
    "ConnectionError": "connect_error",
    "ContentDecodingError": "truncated_body",
    "HTTPError": "request_error",
    "InvalidHeader": "request_error",
    "InvalidJSONError": "request_error",
    "InvalidProxyURL": "request_error",
    "InvalidSchema": "request_error",
    "InvalidURL": "request_error",
    "JSONDecodeError": "request_error",
    "MissingSchema": "request_error",
    "ProxyError": "connect_error",
    "ReadTimeout": "timeout",
    "RequestException": "request_error",
    "RetryError": "request_error",
    "SSLError": "tls_error",
    "StreamConsumedError": "request_error",
    "Timeout": "timeout",
    "TooManyRedirects": "request_error",
    "URLRequired": "request_error",
    "UnrewindableBodyError": "request_error",
}


def test_every_exception_of_requests_has_its_code():
    theirs = {
        name
        for name, kind in inspect.getmembers(requests.exceptions, inspect.isclass)
        if issubclass(kind, requests.RequestException)
    }

    assert theirs == set(REQUESTS_CODES)


@pytest.mark.parametrize(("name", "code"), REQUESTS_CODES.items())
def test_an_exception_of_requests_becomes_a_send_error(world: World, name: str, code: str):
    kind: Any = getattr(requests.exceptions, name)
    error = kind("x", "y", 0) if name == "JSONDecodeError" else kind("x")
    with responses.RequestsMock() as mock:
        mock.get("http://list.example/", body=error)
        with pytest.raises(SendError) as caught:
            world.send(Request("GET", "http://list.example/", HEADERS))

    assert caught.value.code == code
    assert caught.value.__cause__ is error
    assert "list.example" in caught.value.message


CONNECTION = HTTPConnection("list.example")
OTHERS = [
    (urllib3.exceptions.NameResolutionError("h", CONNECTION, socket.gaierror()), "dns_error"),
    (urllib3.exceptions.NewConnectionError(CONNECTION, "refused"), "connect_error"),
    (urllib3.exceptions.ConnectTimeoutError("slow"), "timeout"),
    (urllib3.exceptions.ReadTimeoutError(Any, "/", "slow"), "timeout"),  # type: ignore[arg-type]
    (urllib3.exceptions.SSLError(ssl.SSLCertVerificationError("self-signed")), "tls_error"),
    (urllib3.exceptions.SSLError(ssl.SSLEOFError("EOF")), "connection_reset"),
    (urllib3.exceptions.ProtocolError("broken", IncompleteRead(b"")), "truncated_body"),
    (urllib3.exceptions.ProtocolError("aborted", RemoteDisconnected("")), "connection_reset"),
    (urllib3.exceptions.ProtocolError("aborted", BadStatusLine("x")), "connection_reset"),
    (urllib3.exceptions.ProtocolError("ended prematurely"), "truncated_body"),
    (urllib3.exceptions.DecodeError("gzip"), "truncated_body"),
    (urllib3.exceptions.ProxyError("proxy", OSError()), "connect_error"),
    (urllib3.exceptions.LocationParseError("x"), "request_error"),
    (urllib3.exceptions.HeaderParsingError([], None), "request_error"),
    (urllib3.exceptions.HTTPError("new kind"), "request_error"),
    (ConnectionResetError(), "connection_reset"),
    (BrokenPipeError(), "connection_reset"),
    (TimeoutError(), "timeout"),
    (socket.gaierror(), "dns_error"),
    (ConnectionRefusedError(), "connect_error"),
    (OSError("anything"), "request_error"),
    (UnicodeError("label too long"), "request_error"),
]


@pytest.mark.parametrize(("error", "code"), OTHERS, ids=lambda value: type(value).__name__)
def test_what_lies_beneath_is_named_too(error: BaseException, code: str):
    assert name_failure(error) == code


@pytest.mark.parametrize(("error", "code"), OTHERS[:9], ids=lambda value: type(value).__name__)
def test_the_cause_is_found_inside_what_requests_makes_of_it(error: Exception, code: str):
    retried = urllib3.exceptions.MaxRetryError(Any, "/", error)  # type: ignore[arg-type]

    assert name_failure(requests.ConnectionError(retried)) == code


def test_an_error_that_contains_itself_does_not_hang():
    error = OSError("x")
    error.__context__ = ValueError(error)

    assert name_failure(error) == "request_error"


def test_a_bug_is_no_failed_request(world: World):
    with responses.RequestsMock() as mock:
        mock.get("http://list.example/", body=ZeroDivisionError())
        with pytest.raises(ZeroDivisionError):
            world.send(Request("GET", "http://list.example/", HEADERS))
