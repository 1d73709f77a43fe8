"""One HTTP connection that keeps its word: it ends at a deadline, and a cut header is no answer.

Used by `dmf_crawler.world` alone; apart from it for length. Neither a setting nor an environment
variable turns the check of a server's certificate off, or a proxy on.
"""

from __future__ import annotations

import io
import logging
import math
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPResponse, IncompleteRead, parse_headers
from typing import Any

import requests
import truststore
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError

MAX_INTERIM_ANSWERS = 20

# Its own log tells whole addresses, and an address may carry a key; its errors tell enough.
logging.getLogger("urllib3").propagate = False

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
"""Family, type, protocol, canonical name, socket address: as `socket.getaddrinfo` gives it."""
Resolve = Callable[[str, int], Sequence[AddressInfo]]
"""Host and port to addresses, at least one; raises `socket.gaierror`."""


class ProxyRefusedError(OSError):
    """The proxy does not open a tunnel to the host."""


class ProxyLoginError(ProxyRefusedError):
    """The proxy wants a user name first."""


# --- time --------------------------------------------------------------------------------------


class Deadline:
    """The moment at which a request is over, whatever it waits for.

    The library's timeouts are for single reads, so a server that sends a byte now and then would
    hold a request for ever, also in the middle of the header. Here each single wait is cut to what
    is left of the request: no second thread has to break it off. The look-up of a name alone takes
    as long as the system lets it.
    """

    def __init__(self, monotonic: Callable[[], float] = time.perf_counter) -> None:
        self._monotonic = monotonic
        self._ends_at_s = math.inf

    def start(self, seconds: float) -> None:
        """Begin a request that may take that long."""
        self._ends_at_s = self._monotonic() + seconds

    def limit(self, timeout_s: float | None) -> float:
        """Return how long a wait of up to `timeout_s` seconds (None: for ever) may last: above 0.

        Raises:
            TimeoutError: No time is left.
        """
        left_s = self._ends_at_s - self._monotonic()
        if left_s <= 0:
            raise TimeoutError("the deadline of the request is over")
        return left_s if timeout_s is None else min(timeout_s, left_s)


class _LimitedReads(io.RawIOBase):
    """The bytes of a socket, each read ending at the deadline."""

    def __init__(self, raw: io.RawIOBase, connected: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._socket = connected
        self._timeout_s = connected.gettimeout()
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._deadline.limit(self._timeout_s))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LineReader(io.BufferedReader):
    """A stream that remembers the last line read from it."""

    line = b""

    def readline(self, limit: int | None = -1, /) -> bytes:
        self.line = super().readline(limit)
        return self.line


# --- answers -----------------------------------------------------------------------------------


class _WatchedResponse(HTTPResponse):
    """An answer that ends at the deadline and whose header must end in a blank line.

    The library lets a connection that ends in the header pass: a cut robots.txt would be an empty
    one, which allows everything.
    """

    def __init__(
        self, connected: socket.socket, *args: Any, deadline: Deadline, **kwargs: Any
    ) -> None:
        super().__init__(connected, *args, **kwargs)
        self.fp: Any = _LineReader(_LimitedReads(self.fp.detach(), connected, deadline))

    def begin(self) -> None:
        header = self.fp
        super().begin()
        if header.line.strip(b"\r\n") or not header.line:
            raise IncompleteRead(b"")

    def _read_status(self) -> tuple[str, int, str]:
        """Return the status line of the final answer (RFC 9110, 15.2), interim ones skipped.

        Raises:
            ValueError: Interim answers without end, or the switch to another protocol.
        """
        for _ in range(MAX_INTERIM_ANSWERS + 1):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status >= HTTPStatus.OK:
                return version, status, reason
            if status == HTTPStatus.SWITCHING_PROTOCOLS:
                raise ValueError("the server switches to another protocol")
            parse_headers(self.fp)
        raise ValueError(f"more than {MAX_INTERIM_ANSWERS} interim answers")

    def _safe_read(self, amt: int) -> bytes:
        """Read so many bytes; the library takes a chunk of -1 for all that ever comes."""
        if amt < 0:
            raise ValueError(f"a chunk of {amt} bytes")
        piece: bytes = super()._safe_read(amt)  # type: ignore[misc]
        return piece


class _TunnelAnswer(_WatchedResponse):
    """A proxy's answer to CONNECT."""

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()
        if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            raise ProxyLoginError(f"CONNECT: {status}")
        if status != HTTPStatus.OK:
            raise ProxyRefusedError(f"CONNECT: {status}")
        return version, status, reason


# --- connections -------------------------------------------------------------------------------


def resolve_by_system(host: str, port: int) -> Sequence[AddressInfo]:
    """Return a host's addresses as the operating system finds and sorts them."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


@dataclass(frozen=True, slots=True)
class _Route:
    """How the connections of an adapter reach a host, and until when."""

    deadline: Deadline
    resolve: Resolve
    prefer_ipv4: bool

    def find_addresses(self, host: str, port: int) -> list[str]:
        """Return the host's addresses in the order in which to try them."""
        found = self.resolve(host, port)
        if self.prefer_ipv4:
            found = sorted(found, key=lambda info: info[0] != socket.AF_INET)
        return [info[4][0] for info in found]


class _WatchedConnection(HTTPConnection):
    """A connection on which nothing is waited for beyond the deadline."""

    def __init__(self, *args: Any, route: _Route, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._route = route
        self.response_class: Any = partial(_WatchedResponse, deadline=route.deadline)

    def _new_conn(self) -> socket.socket:
        """Connect to the first of the host's addresses that answers.

        The address replaces the name for the connection alone: Host, SNI and the check of the
        certificate keep the name.
        """
        name, timeout_s = self._dns_host, self.timeout
        try:
            *first, last = self._route.find_addresses(name, self.port)
            for address in first:
                with suppress(ConnectTimeoutError):  # a refused connection is one, too
                    return self._connect_to(address, timeout_s)
            return self._connect_to(last, timeout_s)
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        finally:
            self._dns_host, self.timeout = name, timeout_s

    def _connect_to(self, address: str, timeout_s: Any) -> socket.socket:
        self._dns_host, self.timeout = address, self._route.deadline.limit(timeout_s)
        return super()._new_conn()

    def _tunnel(self) -> None:
        usual = self.response_class
        self.response_class = partial(_TunnelAnswer, deadline=self._route.deadline)
        try:
            super()._tunnel()
        finally:
            self.response_class = usual

    def send(self, data: Any) -> None:
        """Send a part of the request."""
        if self.sock is None:
            self.connect()
        self.sock.settimeout(self._route.deadline.limit(self.timeout))
        super().send(data)


class _WatchedTlsConnection(_WatchedConnection, HTTPSConnection): ...


class _WatchedPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _WatchedConnection


class _WatchedTlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedTlsConnection


class _SystemTrust(truststore.SSLContext):
    """TLS by what the operating system trusts; the handshake ends at the deadline."""

    deadline: Deadline

    def wrap_socket(self, sock: socket.socket, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        sock.settimeout(self.deadline.limit(sock.gettimeout()))
        return super().wrap_socket(sock, *args, **kwargs)


def _trust_system(deadline: Deadline) -> _SystemTrust:
    context = _SystemTrust(ssl.PROTOCOL_TLS_CLIENT)
    context.deadline = deadline
    context.hostname_checks_common_name = False  # RFC 9525, 2: a name counts where it is listed
    return context


class WatchedAdapter(HTTPAdapter):
    """Sends requests over one watched connection.

    Attributes:
        deadline: To be started for each request.
        proxies: What `send` wants as `proxies`.

    Args:
        proxy: `http://host:port`, or "" for none. The environment's is never looked at.
        prefer_ipv4: Try a host's IPv4 addresses first.
        resolve: Looks names up.
    """

    def __init__(self, *, proxy: str, prefer_ipv4: bool, resolve: Resolve) -> None:
        self.deadline = Deadline()
        self.proxies = dict.fromkeys(("http", "https"), proxy) if proxy else {}
        self._route = _Route(self.deadline, resolve, prefer_ipv4)
        self._trust = _trust_system(self.deadline)
        super().__init__(pool_connections=1, pool_maxsize=1, pool_block=True)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Build the pool manager."""
        super().init_poolmanager(*args, **kwargs)
        self._watch(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """Return the pool manager of the way through the proxy."""
        manager = super().proxy_manager_for(proxy, **kwargs)
        self._watch(manager)
        return manager

    def _watch(self, manager: Any) -> None:
        manager.pool_classes_by_scheme = {
            "http": partial(_WatchedPool, route=self._route),
            "https": partial(_WatchedTlsPool, route=self._route),
        }

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        """Return host and TLS parameters of a connection: verified, whatever is asked for."""
        host, _ = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {"ssl_context": self._trust, "cert_reqs": "CERT_REQUIRED"}

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Load no certificates: the library would trust its own bundle on top of the system."""

    def close(self) -> None:
        """Close the connection, which the pool manager would only forget."""
        for manager in (self.poolmanager, *self.proxy_manager.values()):
            for key in list(manager.pools.keys()):
                manager.pools[key].close()
        super().close()
