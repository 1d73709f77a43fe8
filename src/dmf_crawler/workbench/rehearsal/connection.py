"""The wire: a threading HTTP/1.1 server that can also misbehave, and that ends cleanly."""

from __future__ import annotations

import contextlib
import io
import os
import select
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, urlsplit

from dmf_crawler.workbench.rehearsal.answers import Answer, compress_answer, split_pieces
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest, RequestLog
from dmf_crawler.workbench.rehearsal.switches import Switches

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_LOOK_EVERY_S = 0.02
_RESET_ON_CLOSE = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)  # SO_LINGER on, 0 s

AnswerRequest = Callable[[LoggedRequest], tuple[Answer, Switches]]


N_WAITING = 4
"""Connections that fill a queue of length 0 for sure."""


class SilentPort:
    """A port on 127.0.0.1 whose queue is full, so that a further connection is never answered.

    So it is on Linux; Windows refuses a connection that finds the queue full.

    Attributes:
        server_address: Host and port.
    """

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port), backlog=0)
        self._waiting: list[socket.socket] = []
        self.server_address = self._listener.getsockname()

    def start(self) -> None:
        """Fill the queue; nobody ever takes from it."""
        for _ in range(N_WAITING):
            waiting = socket.socket()
            waiting.setblocking(False)  # noqa: FBT003 - the library's own signature
            waiting.connect_ex(self.server_address)
            self._waiting.append(waiting)

    def close(self) -> None:
        """Let all of them go."""
        for waiting in (*self._waiting, self._listener):
            waiting.close()


class SiteServer(ThreadingHTTPServer):
    """Serves answers on 127.0.0.1 in daemon threads.

    Args:
        port: 0 takes a free one.
        answer_request: Returns the answer to a request and the switches it was made under.
        request_log: Where requests are noted.
        now: Aware clock for Date headers.
        certificate: PEM file with key and certificate to serve TLS with; None for plain HTTP.
    """

    allow_reuse_address = os.name != "nt"  # there it would let two sites share a port
    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        port: int,
        answer_request: AnswerRequest,
        request_log: RequestLog,
        now: Callable[[], datetime],
        *,
        certificate: Path | None = None,
    ) -> None:
        self.answer_request = answer_request
        self.request_log = request_log
        self.now = now
        self.closing = threading.Event()
        self._failures: list[BaseException] = []
        self._lock = threading.Lock()
        self._serving: dict[socket.socket, threading.Thread] = {}
        self.connection_ids: dict[socket.socket, int] = {}
        super().__init__(("127.0.0.1", port), _Connection)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self._acceptor = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    def server_bind(self) -> None:
        """Bind without asking DNS for our own name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def start(self) -> None:
        """Begin to accept connections."""
        self._acceptor.start()

    def close(self) -> None:
        """End all connections and wait for their threads; raise the first failure of any."""
        self.closing.set()
        self.shutdown()
        self._acceptor.join()
        self.server_close()
        with self._lock:
            serving = list(self._serving.items())
        for connection, _ in serving:
            _shut_down(connection)
        for _, thread in serving:
            thread.join()
        if self._failures:
            raise self._failures[0]

    def process_request(self, request: object, client_address: object) -> None:
        """Serve a connection in a thread that `close` can wait for."""
        connection = cast("socket.socket", request)
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        with self._lock:
            self._serving[connection] = thread
            self.connection_ids[connection] = self.request_log.open_connection()
        thread.start()

    def shutdown_request(self, request: object) -> None:
        """Close a connection and forget it."""
        connection = cast("socket.socket", request)
        super().shutdown_request(connection)
        with self._lock:
            self._serving.pop(connection, None)
            self.connection_ids.pop(connection, None)

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep a failure for `close`; a client that went away is none."""
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self._failures.append(error)


class _Connection(BaseHTTPRequestHandler):
    """One connection: requests one after the other until either side ends it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: SiteServer

    def setup(self) -> None:
        """Read through a stream that ends when the site closes."""
        super().setup()
        self.connection_id = self.server.connection_ids[self.connection]
        self.rfile.close()
        self.rfile = io.BufferedReader(_ClientReader(self.connection, self.server.closing))

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the request log has it all."""

    def _serve(self) -> None:
        request = self._read_request()
        self.server.request_log.open_request(request)
        try:
            answer, switches = self.server.answer_request(request)
            accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
            if switches.gzip and accepts_gzip and answer.body:
                answer = compress_answer(answer)
            self._send(answer, request, switches)
        finally:
            self.server.request_log.end_request(request)

    def _read_request(self) -> LoggedRequest:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        target = urlsplit(self.path)
        return LoggedRequest(
            arrived_at_s=time.monotonic(),
            method=self.command,
            path=target.path,
            query_text=target.query,
            query=dict(parse_qsl(target.query, keep_blank_values=True)),
            form=dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            connection_id=self.connection_id,
        )

    def _send(self, answer: Answer, request: LoggedRequest, switches: Switches) -> None:
        self.close_connection = self.close_connection or answer.ends_connection
        is_gone = answer.wait_s > 0 and self._pause(answer.wait_s)
        if is_gone or (answer.delivery == "hang" and self._pause(float("inf"))):
            self.close_connection = True
            return
        date_text = format_datetime(self.server.now().astimezone(UTC), usegmt=True)
        pieces = split_pieces(answer, date_text, switches.drip_bytes)
        request.status = answer.status if answer.delivery != "close" else 0
        request.n_bytes = sum(map(len, pieces))
        for piece in pieces[:-1]:
            self.wfile.write(piece)
            if self._pause(switches.drip_pause_s):
                self.close_connection = True
                return
        # Before the last bytes: a client may send its next request the moment it has them.
        self.server.request_log.end_request(request)
        self.wfile.write(pieces[-1])
        if answer.delivery == "reset":
            self._reset()

    def _pause(self, seconds: float) -> bool:
        """Wait; return True at once when the client goes away or the site closes."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.server.closing.is_set():
                return True
            look = min(left, _LOOK_EVERY_S)
            if select.select([self.connection], [], [], look)[0]:
                return not self.connection.recv(1, socket.MSG_PEEK)
        return False

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self.connection.close()


class _ClientReader(io.RawIOBase):
    """What a client sends, until it or the site closes.

    On Windows a shutdown does not wake a thread that is blocked in reading.
    """

    def __init__(self, connection: socket.socket, closing: threading.Event) -> None:
        self._connection = connection
        self._closing = closing

    def readable(self) -> bool:
        """Say that this is a stream to read."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Wait for bytes; return how many came, 0 at the end."""
        while not self._closing.is_set():
            if select.select([self._connection], [], [], _LOOK_EVERY_S)[0]:
                return self._connection.recv_into(buffer)
        return 0


def _shut_down(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client, or the connection's thread, was faster
        connection.shutdown(socket.SHUT_RDWR)
