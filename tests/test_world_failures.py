"""Requests that fail, and what each failure is called: deadline, connection, exceptions beneath."""

from __future__ import annotations

import inspect
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected
from typing import Any

import pytest
import requests
import responses
import urllib3
from urllib3.connection import HTTPConnection

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Request
from dmf_crawler.settings import Politeness
from dmf_crawler.wire import (
    Deadline,
    ProxyLoginError,
    ProxyRefusedError,
    WatchedAdapter,
    _LimitedReads,
    _trust_system,
    resolve_by_system,
)
from dmf_crawler.world import World, name_failure, real_world
from tests.acquire.loopback import CERTIFICATES, Loopback, answer, serve

HEADERS = (("User-Agent", "DMF-Crawler/1.0"),)


@pytest.fixture
def world() -> Iterator[World]:
    with real_world(Politeness()) as opened:
        yield opened


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


@pytest.mark.parametrize("certificate", [None, CERTIFICATES / "address.pem"], ids=["http", "https"])
def test_nothing_is_sent_after_the_deadline(certificate):
    """A name that was long in being looked up does not get a second time of its own."""
    politeness = Politeness(request_deadline_s=1e-9)
    with (
        serve(Loopback({"/": [answer("200 OK")]}), certificate=certificate) as site,
        real_world(politeness) as world,
        pytest.raises(SendError, match="timeout"),
    ):
        world.send(Request("GET", f"{site.base_url}/", HEADERS))

    assert site.n_connections == 0


def test_nothing_is_sent_over_a_kept_connection_after_the_deadline():
    with (
        serve(Loopback({"/": [answer("200 OK")]})) as site,
        closing(WatchedAdapter(proxy="", prefer_ipv4=False, resolve=resolve_by_system)) as adapter,
    ):
        request = requests.Request("GET", f"{site.base_url}/").prepare()
        assert adapter.send(request, timeout=(5, 5)).content == b""
        adapter.deadline.start(0)
        with pytest.raises(requests.ConnectionError, match="deadline"):
            adapter.send(request, timeout=(5, 5))

    assert (site.n_connections, len(site.heads)) == (1, 1)


def test_no_tls_handshake_begins_after_the_deadline():
    """The proxy may have taken all the time for opening the tunnel."""
    deadline = Deadline()
    deadline.start(0)
    ours, theirs = socket.socketpair()
    ours.settimeout(0.05)
    with ours, theirs, pytest.raises(TimeoutError, match="deadline"):
        _trust_system(deadline).wrap_socket(ours, server_hostname="list.example")


def test_the_deadline_also_cuts_a_server_that_never_finishes_the_tls_handshake():
    site = Loopback()
    site.on_connect = site.stall
    with serve(site), real_world(QUICK_DEADLINE) as world:
        url = site.base_url.replace("http:", "https:")
        with pytest.raises(SendError, match="timeout"):
            world.send(Request("GET", url, HEADERS))


def test_each_wait_is_cut_to_what_is_left_of_the_request():
    """A server that drips gets less and less time, not the whole of it at each byte."""
    clock_s = [100.0]
    deadline = Deadline(lambda: clock_s[0])
    assert deadline.limit(30) == 30
    deadline.start(50)
    ours, theirs = socket.socketpair()
    ours.settimeout(30)
    with ours, theirs, _LimitedReads(ours.makefile("rb", 0), ours, deadline) as stream:
        waits_s = []
        for clock_s[0] in (100.0, 119.0, 121.0, 149.0):
            theirs.sendall(b"x")
            assert stream.read(1) == b"x"
            waits_s.append(ours.gettimeout())
        clock_s[0] = 150.0
        theirs.sendall(b"x")
        with pytest.raises(TimeoutError):
            stream.read(1)

    assert waits_s == [30, 30, 29, 1]
    deadline.start(5)
    assert deadline.limit(None) == 5


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


@pytest.mark.parametrize("size", [b"-1", b"-5", b"-ffffff"])
def test_a_chunk_of_less_than_nothing_is_an_answer_that_cannot_be_read(size: bytes):
    """The library would take it for all that ever comes, past the cap."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    with serve(Loopback()) as site, real_world(Politeness()) as world:
        site.answers = {"/": [head + size + b"\r\n" + b"x" * 100_000, site.stall]}
        with pytest.raises(SendError) as caught:
            world.send(Request("GET", f"{site.base_url}/", HEADERS))

    assert caught.value.code == "request_error"


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
    "ProxyError": "proxy_error",
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
    (urllib3.exceptions.ProxyError("proxy", OSError()), "proxy_error"),
    (urllib3.exceptions.ProxyError("proxy", socket.gaierror()), "proxy_error"),
    (urllib3.exceptions.ProtocolError("aborted", ProxyRefusedError("502")), "proxy_error"),
    (urllib3.exceptions.ProtocolError("aborted", ProxyLoginError("407")), "proxy_login"),
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
