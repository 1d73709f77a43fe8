"""One HTTP connection that keeps its word: it ends at a deadline, and a cut header is no answer.

Used by `dmf_crawler.world` alone; apart from it for length.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from contextvars import ContextVar
from http.client import HTTPResponse, IncompleteRead
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection


class Deadline:
    """Cuts the connection when the time of a whole request is up.

    The library's timeouts are for single reads, so a server that sends a byte now and then would
    hold a request for ever, also in the middle of the header.

    Attributes:
        is_over: Whether it has struck.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._strike)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.is_over = False

    def watch(self, connected: socket.socket) -> None:
        """Cut this socket when the time is up, or at once when it already is."""
        with self._lock:
            self._socket = connected
            if self.is_over:
                _cut(connected)

    def _strike(self) -> None:
        with self._lock:
            self.is_over = True
            if self._socket is not None:
                _cut(self._socket)

    def __enter__(self) -> None:
        self._token = _DEADLINE.set(self)
        self._timer.start()

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        self._timer.join()
        _DEADLINE.reset(self._token)


_DEADLINE: ContextVar[Deadline] = ContextVar("_DEADLINE")


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):  # the peer was faster
        # Not connected.shutdown: for TLS that would change the object under the reading thread.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


class _LastLine:
    """A stream that remembers the last line read from it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.line = b""

    def readline(self, limit: int = -1) -> bytes:
        self.line = self.stream.readline(limit)
        return self.line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _WholeHeaderResponse(HTTPResponse):
    """An answer whose header must end in a blank line.

    The library lets a connection that ends in the header pass: a cut robots.txt would be an empty
    one, which allows everything.
    """

    def begin(self) -> None:
        header = _LastLine(self.fp)
        self.fp: Any = header
        super().begin()
        if self.fp is header:
            self.fp = header.stream
        if header.line.strip(b"\r\n") or not header.line:
            raise IncompleteRead(b"")


class _WatchedConnection(HTTPConnection):
    """A connection whose wait for an answer ends at the deadline."""

    response_class = _WholeHeaderResponse

    def getresponse(self) -> Any:
        """Wait for the answer's header."""
        _DEADLINE.get().watch(self.sock)
        return super().getresponse()


class _WatchedTlsConnection(_WatchedConnection, HTTPSConnection): ...


class _WatchedPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _WatchedConnection


class _WatchedTlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedTlsConnection


class WatchedAdapter(HTTPAdapter):
    """Makes requests use the watched connections."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Build the pool manager."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _WatchedPool, "https": _WatchedTlsPool}

    def close(self) -> None:
        """Close the connection, which the pool manager would only forget."""
        for key in list(self.poolmanager.pools.keys()):
            self.poolmanager.pools[key].close()
        super().close()
