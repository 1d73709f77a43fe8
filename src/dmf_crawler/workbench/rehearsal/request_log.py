"""What was asked of the site: when, on which connection, how many requests open at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class LoggedRequest:
    """One request; the last four are filled in when its answer is known and sent.

    Attributes:
        arrived_at_s: Monotonic seconds when its head and body had been read.
        method: GET or POST.
        path: Without the query.
        query_text: The query as sent.
        query: The decoded query; of equal names the last one.
        form: The decoded body of a form POST.
        headers: Names in lower case.
        connection_id: Which connection it came on, counted from 1.
        n_open_at_arrival: Other requests that had no complete answer then.
        status: HTTP status sent; 0 when the connection ended without an answer.
        n_bytes: Bytes handed to the connection, head included.
        ended_at_s: Monotonic seconds just before the last bytes were handed over, so never later
            than the client has them.
        is_ended: Whether the answer is complete, or given up.
    """

    arrived_at_s: float
    method: str
    path: str
    query_text: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    headers: Mapping[str, str]
    connection_id: int = 0
    n_open_at_arrival: int = 0
    status: int = 0
    n_bytes: int = 0
    ended_at_s: float = 0.0
    is_ended: bool = False

    @property
    def target(self) -> str:
        """Path and query as sent."""
        return f"{self.path}?{self.query_text}" if self.query_text else self.path

    @property
    def params(self) -> dict[str, str]:
        """Query and form together."""
        return {**self.query, **self.form}


@dataclass(slots=True)
class RequestLog:
    """Requests in order of arrival; safe to use from several threads.

    Attributes:
        monotonic: Clock.
        n_connections: Connections accepted so far, also those on which nothing was asked.
    """

    monotonic: Callable[[], float]
    n_connections: int = 0
    _requests: list[LoggedRequest] = field(default_factory=list)
    _n_open: int = 0
    _lock: threading.Condition = field(default_factory=threading.Condition)

    def open_connection(self) -> int:
        """Count a connection; return its number."""
        with self._lock:
            self.n_connections += 1
            return self.n_connections

    def open_request(self, request: LoggedRequest) -> None:
        """Append a request that has just arrived."""
        with self._lock:
            request.n_open_at_arrival = self._n_open
            self._n_open += 1
            self._requests.append(request)

    def end_request(self, request: LoggedRequest) -> None:
        """Note that a request has its answer; a second call changes nothing."""
        with self._lock:
            if not request.is_ended:
                request.is_ended = True
                request.ended_at_s = self.monotonic()
                self._n_open -= 1
                self._lock.notify_all()

    def list_requests(self) -> list[LoggedRequest]:
        """Return the requests so far."""
        with self._lock:
            return list(self._requests)

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Wait until no request is open; return whether that came in time."""
        with self._lock:
            return self._lock.wait_for(lambda: self._n_open == 0, timeout_s)

    def clear(self) -> None:
        """Forget the requests so far; open ones stay open, connections stay counted."""
        with self._lock:
            self._requests.clear()
