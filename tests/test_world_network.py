"""The networks of companies: their certificates, their proxy, hosts with two kinds of address."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import requests
import requests.adapters
import truststore

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.settings import Http, Politeness
from dmf_crawler.wire import AddressInfo, Deadline, WatchedAdapter, _Route, resolve_by_system
from dmf_crawler.workbench.rehearsal.server import EXPIRED_CERTIFICATE
from dmf_crawler.world import World, real_world
from tests.acquire.loopback import (
    CERTIFICATES,
    OPEN_TUNNEL,
    Loopback,
    Step,
    answer,
    hang_up,
    serve,
    tunnel_to,
)
from tests.pages import PACKAGE

AUTHORITY = CERTIFICATES / "ca.pem"
ADDRESS = CERTIFICATES / "address.pem"
HEADERS = (("User-Agent", "DMF-Crawler/1.0"), ("Accept", "text/html"))
PAGE = answer("200 OK", b"page")
QUICK = Politeness(request_deadline_s=0.05)

on_linux = pytest.mark.skipif(os.name == "nt", reason="Windows keeps its trust in a store")


def get(world: World, url: str) -> Reply:
    return world.send(Request("GET", url, HEADERS))


def code_of(world: World, url: str) -> str:
    with pytest.raises(SendError) as caught:
        get(world, url)
    return caught.value.code


# --- TLS ---------------------------------------------------------------------------------------


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test's authority one that the system trusts, by OpenSSL's own means."""
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))


@contextmanager
def tls_site(certificate: Path = ADDRESS) -> Iterator[tuple[Loopback, World]]:
    with (
        serve(Loopback({"/": [PAGE]}), certificate=certificate) as site,
        real_world(Politeness()) as world,
    ):
        yield site, world


@on_linux
def test_an_authority_that_the_system_trusts_is_trusted(trusted):
    """A company's TLS inspection signs with an authority that its administrators installed."""
    with tls_site() as (site, world):
        assert get(world, f"{site.base_url}/").body == b"page"
        assert get(world, f"{site.base_url}/").body == b"page"

        assert site.n_connections == 1


def refused(site: Loopback, world: World) -> bool:
    """Say whether the server was refused before a request was sent."""
    return code_of(world, f"{site.base_url}/") == "tls_error" and site.heads == []


def test_an_authority_that_the_system_does_not_know_is_refused():
    with tls_site() as (site, world):
        assert refused(site, world)


@on_linux
def test_a_certificate_for_another_host_is_refused(trusted):
    with tls_site(CERTIFICATES / "other_host.pem") as (site, world):
        assert refused(site, world)


def test_an_expired_certificate_is_refused(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(EXPIRED_CERTIFICATE))
    with tls_site(EXPIRED_CERTIFICATE) as (site, world):
        assert refused(site, world)


def test_only_the_system_is_asked_whom_to_trust(monkeypatch):
    """The library would trust its own bundle, or that of a variable, on top of the system."""
    monkeypatch.setattr(requests.adapters, "DEFAULT_CA_BUNDLE_PATH", str(AUTHORITY))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(AUTHORITY))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(AUTHORITY))
    with tls_site() as (site, world):
        assert refused(site, world)


def test_certificates_are_judged_by_the_operating_systems_own_means():
    """On Linux nothing else shows the difference; on Windows it is the system's own check."""
    with closing(WatchedAdapter(proxy="", prefer_ipv4=False, resolve=resolve_by_system)) as adapter:
        request = requests.Request("GET", "https://list.example/").prepare()
        _, tls = adapter.build_connection_pool_key_attributes(request, verify=True)

    assert isinstance(tls["ssl_context"], truststore.SSLContext)


def test_not_even_a_caller_can_turn_the_check_off():
    with (
        serve(Loopback({"/": [PAGE]}), certificate=ADDRESS) as site,
        closing(WatchedAdapter(proxy="", prefer_ipv4=False, resolve=resolve_by_system)) as adapter,
        pytest.raises(requests.exceptions.SSLError),
    ):
        adapter.send(requests.Request("GET", site.base_url).prepare(), timeout=5, verify=False)


@pytest.mark.parametrize("word", ["verify=False", "CERT_NONE", "check_hostname", "_unverified_"])
def test_the_package_has_no_word_that_turns_the_check_off(word):
    sources = list(PACKAGE.rglob("*.py"))

    assert len(sources) > 50
    assert [path.name for path in sources if word in path.read_text(encoding="utf-8")] == []


# --- proxy -------------------------------------------------------------------------------------


@contextmanager
def company(
    answers: Mapping[str, Sequence[Step]] | None = None, politeness: Politeness | None = None
) -> Iterator[tuple[Loopback, World]]:
    """A proxy, and a world that goes through it."""
    with (
        serve(Loopback(dict(answers or {}))) as proxy,
        real_world(politeness or Politeness(), Http(proxy=proxy.base_url)) as world,
    ):
        yield proxy, world


@contextmanager
def tunnel(
    site: Loopback, politeness: Politeness | None = None
) -> Iterator[tuple[Loopback, World]]:
    """A proxy that opens a tunnel to an https site, and a world that goes through it."""
    with serve(Loopback()) as proxy, serve(site, certificate=ADDRESS):
        proxy.answers = {site.base_url[8:]: [OPEN_TUNNEL, tunnel_to(site.base_url)]}
        with real_world(politeness or Politeness(), Http(proxy=proxy.base_url)) as world:
            yield proxy, world


def test_the_proxy_is_asked_for_the_whole_address_and_given_only_our_headers():
    """The host's name is the proxy's to look up: `list.example` does not exist."""
    with company({"http://list.example/a": [PAGE]}) as (proxy, world):
        for _ in range(3):
            assert get(world, "http://list.example/a?q=%7e%EB").body == b"page"

        line, *fields = proxy.heads[0].decode().rstrip().split("\r\n")
        assert line == "GET http://list.example/a?q=%7E%EB HTTP/1.1"
        assert sorted(fields) == [
            "Accept-Encoding: gzip, deflate",
            "Accept: text/html",
            "Host: list.example",
            "User-Agent: DMF-Crawler/1.0",
        ]
        assert proxy.n_connections == 1


@on_linux
def test_https_goes_through_a_tunnel_that_the_proxy_cannot_look_into(trusted):
    site = Loopback({"/a": [PAGE]})
    with tunnel(site) as (proxy, world):
        for _ in range(3):
            assert get(world, f"{site.base_url}/a").body == b"page"

        host = site.base_url.removeprefix("https://")
        line, *fields = proxy.heads[0].decode().rstrip().split("\r\n")
        assert line.startswith(f"CONNECT {host} HTTP/1.")
        assert [field for field in fields if field != f"Host: {host}"] == []
        assert (proxy.n_connections, site.n_connections, len(proxy.heads)) == (1, 1, 1)
        assert site.heads[0].startswith(b"GET /a HTTP/1.1\r\n")


def test_the_certificate_is_checked_behind_the_tunnel_too():
    site = Loopback({"/": [PAGE]})
    with tunnel(site) as (_, world):
        assert refused(site, world)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_never_used(monkeypatch, name):
    with serve(Loopback()) as proxy, serve(Loopback({"/": [PAGE]})) as site:
        monkeypatch.setenv(name, proxy.base_url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with real_world(Politeness()) as world:
            assert get(world, f"{site.base_url}/").body == b"page"

        assert proxy.n_connections == 0


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        ("403 Forbidden", "proxy_error"),
        ("502 Bad Gateway", "proxy_error"),
        ("503 Busy", "proxy_error"),
        ("204 No Content", "proxy_error"),
        ("407 Proxy Authentication Required", "proxy_login"),
    ],
)
def test_a_proxy_that_opens_no_tunnel_is_named(refusal: str, code: str):
    refused = answer(refusal, b"<html>", Proxy_Authenticate="Basic")
    with company({"list.example:443": [refused]}) as (proxy, world):
        with pytest.raises(SendError) as caught:
            get(world, "https://list.example/")

        assert caught.value.code == code
        assert "list.example" in caught.value.message
        assert proxy.base_url.rpartition(":")[2] not in caught.value.message


def test_a_proxy_that_wants_a_user_name_is_named_for_plain_http_too():
    answers = {"http://list.example/": [answer("407 Who", b"", Content_Encoding="br")]}
    with company(answers) as (_, world):
        assert code_of(world, "http://list.example/") == "proxy_login"


def test_a_407_without_a_proxy_is_an_answer_like_any_other():
    with serve(Loopback({"/": [answer("407 Who")]})) as site, real_world(Politeness()) as world:
        assert get(world, f"{site.base_url}/").status == 407


def test_what_a_proxy_answers_in_place_of_the_site_is_an_answer():
    """For plain http nobody can tell whose answer it is."""
    with company({"http://list.example/": [answer("502 Bad Gateway")]}) as (_, world):
        assert get(world, "http://list.example/").status == 502


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_cannot_be_reached_is_the_proxys_fault(scheme: str):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        for proxy in (f"http://127.0.0.1:{taken.getsockname()[1]}", "http://proxy.invalid:3128"):
            with real_world(Politeness(), Http(proxy=proxy)) as world:
                assert code_of(world, f"{scheme}://list.example/") == "proxy_error"


@pytest.mark.parametrize("start", [(), (b"HTTP/1.1 2",)])
def test_a_proxy_that_hangs_up_has_reset_the_connection(start: tuple[Step, ...]):
    with company({"list.example:443": [*start, hang_up]}) as (_, world):
        assert code_of(world, "https://list.example/") == "connection_reset"


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX-Slow", OPEN_TUNNEL])
def test_the_deadline_holds_while_the_tunnel_is_opened(start: bytes):
    with company(politeness=QUICK) as (proxy, world):
        proxy.answers = {"list.example:443": [start, proxy.stall]}

        assert code_of(world, "https://list.example/") == "timeout"


@on_linux
@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX-Slow", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]
)
def test_the_deadline_holds_inside_the_tunnel(trusted, start: bytes):
    politeness = Politeness(request_deadline_s=0.2)
    site = Loopback()
    site.answers = {"/": [start, site.stall]}
    with tunnel(site, politeness) as (_, world):
        assert code_of(world, f"{site.base_url}/") == "timeout"


def test_the_deadline_holds_for_a_page_that_comes_through_the_proxy():
    with company(politeness=QUICK) as (proxy, world):
        start = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        proxy.answers = {"http://list.example/": [start, proxy.stall]}

        assert code_of(world, "http://list.example/") == "timeout"


# --- kinds of address --------------------------------------------------------------------------


class Names:
    """A look-up of names that knows one host, by addresses in the system's order."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[AddressInfo]:
        self.asked.append(host)
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, 1, 6, "", (address, port))
            for address in self.addresses
        ]


@pytest.mark.parametrize(
    ("prefer_ipv4", "found", "tried"),
    [
        (False, ("::1", "127.0.0.1"), ["::1", "127.0.0.1"]),
        (True, ("::1", "127.0.0.1"), ["127.0.0.1", "::1"]),
        (True, ("::1", "127.0.0.2", "::2", "127.0.0.1"), ["127.0.0.2", "127.0.0.1", "::1", "::2"]),
        (True, ("::1",), ["::1"]),
    ],
)
def test_ipv4_comes_first_where_it_is_preferred_and_there(prefer_ipv4, found, tried):
    assert _Route(Deadline(), Names(*found), prefer_ipv4).find_addresses("a.example", 443) == tried


def port_of(site: Loopback) -> int:
    return int(site.base_url.rpartition(":")[2])


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@contextmanager
def two_addresses(
    site: Loopback,
    *,
    prefer_ipv4: bool,
    certificate: Path | None = None,
    politeness: Politeness | None = None,
) -> Iterator[World]:
    """A world in which any name has the addresses ::1 and 127.0.0.1, and the site has one."""
    names = Names("::1", "127.0.0.1")
    http = Http(prefer_ipv4=prefer_ipv4)
    with (
        serve(site, certificate=certificate),
        real_world(politeness or Politeness(), http, resolve=names) as world,
    ):
        site.base_url = site.base_url.replace("127.0.0.1", "localhost")
        yield world


@on_linux
def test_an_address_replaces_the_name_for_the_connection_alone(trusted):
    """Host, SNI and the check of the certificate keep the name: this one is for it alone."""
    site = Loopback({"/": [PAGE]})
    with two_addresses(site, prefer_ipv4=True, certificate=CERTIFICATES / "localhost.pem") as world:
        for _ in range(2):
            assert get(world, f"{site.base_url}/").body == b"page"

        assert site.server_names == ["localhost"]
        assert f"Host: {site.base_url[8:]}\r\n".encode() in site.heads[0]


@on_linux
def test_a_name_counts_only_where_a_certificate_lists_its_names(trusted):
    """RFC 9525, 2: OpenSSL would take the common name of a certificate that lists none."""
    site = Loopback({"/": [PAGE]})
    certificate = CERTIFICATES / "common_name.pem"
    with two_addresses(site, prefer_ipv4=True, certificate=certificate) as world:
        assert refused(site, world)


@pytest.mark.parametrize("prefer_ipv4", [False, True])
def test_where_one_address_refuses_the_next_is_tried(prefer_ipv4: bool):
    site = Loopback({"/": [PAGE]})
    with two_addresses(site, prefer_ipv4=prefer_ipv4) as world:
        assert get(world, f"{site.base_url}/").body == b"page"


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_the_setting_avoids_an_ipv6_address_that_never_answers():
    """As behind a company's router that lets IPv6 connections in and nothing out."""
    site = Loopback({"/": [PAGE]})
    with (
        two_addresses(site, prefer_ipv4=False, politeness=QUICK) as world,
        socket.create_server(("::1", port_of(site)), family=socket.AF_INET6),
    ):
        assert code_of(world, f"{site.base_url}/") == "timeout"
        assert site.heads == []
    with (
        two_addresses(site, prefer_ipv4=True) as world,
        socket.create_server(("::1", port_of(site)), family=socket.AF_INET6),
    ):
        assert get(world, f"{site.base_url}/").body == b"page"
