"""A real HTTP server on loopback whose answers are written byte by byte.

`http.server` is too polite to cut a body, to drip or to reset, so the answers are raw bytes and
pauses are events of the test, never time. A company's proxy is such a server, too: it is asked for
whole addresses, or for a tunnel.
"""

from __future__ import annotations

import re
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Step = bytes | Callable[[socket.socket], None]

CERTIFICATES = Path(__file__).parents[1] / "data" / "tls"
OPEN_TUNNEL = b"HTTP/1.1 200 Connection Established\r\n\r\n"


def answer(status: str, body: bytes = b"", **headers: str) -> bytes:
    """Return a whole HTTP answer; the connection stays open."""
    fields = {"Content-Length": str(len(body))} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def hang_up(connection: socket.socket) -> None:
    """End the connection in good order."""
    connection.shutdown(socket.SHUT_RDWR)


def reset(connection: socket.socket) -> None:
    """End the connection with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(connection.detach())  # connection.close() would wait for its open files


def tunnel_to(base_url: str) -> Step:
    """Return the step of a proxy that passes on what both sides say, until one hangs up."""
    host, _, port = base_url.rpartition("/")[2].rpartition(":")

    def pass_on(connection: socket.socket) -> None:
        with socket.create_connection((host, int(port))) as target:
            back = threading.Thread(target=_pump, args=(target, connection))
            back.start()
            _pump(connection, target)
            back.join()

    return pass_on


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


@dataclass
class Loopback:
    """What the server answers, by path, and what it was asked.

    `answers`: the steps of the answer for each path, as the request line has it but for the query;
    `heads` and `bodies`: of every request; `n_connections`: accepted so far; `on_connect`: what
    happens before any request; `server_names`: what each TLS client called the server.
    """

    answers: dict[str, Sequence[Step]] = field(default_factory=dict)
    base_url: str = ""
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    n_connections: int = 0
    server_names: list[str | None] = field(default_factory=list)
    on_connect: Callable[[socket.socket], None] = lambda _connection: None
    is_closing: threading.Event = field(default_factory=threading.Event)

    def paths(self) -> list[str]:
        return [head.split(b" ")[1].decode() for head in self.heads]

    def stall(self, _connection: socket.socket) -> None:
        """Say nothing more until the test is over."""
        self.is_closing.wait()


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        with suppress(OSError):  # the client, or a step, has closed the connection
            self.server.site.on_connect(self.connection)
            while self._answer_one():
                pass

    def _answer_one(self) -> bool:
        site = self.server.site
        head = self._read_head()
        if not head:
            return False
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        site.bodies.append(self.rfile.read(int(length[1]) if length else 0))
        site.heads.append(head)
        for step in site.answers[site.paths()[-1].partition("?")[0]]:
            if isinstance(step, bytes):
                self.connection.sendall(step)
            else:
                step(self.connection)
        return True

    def _read_head(self) -> bytes:
        """Read up to the empty line; nothing when the client has hung up or speaks no HTTP."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline(65_536)
            if not line or not (head or b" HTTP/1." in line):
                return b""
            head += line
        return head


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = False
    allow_reuse_address = True

    def __init__(self, site: Loopback, certificate: Path | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self.tls: ssl.SSLContext | None = None
        if certificate is not None:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
            self.tls.sni_callback = lambda _socket, name, _context: site.server_names.append(name)

    def finish_request(self, request: Any, client_address: Any) -> None:
        self.site.n_connections += 1
        if self.tls is None:
            super().finish_request(request, client_address)
            return
        with suppress(OSError), self.tls.wrap_socket(request, server_side=True) as wrapped:
            super().finish_request(wrapped, client_address)


@contextmanager
def serve(site: Loopback, *, certificate: Path | None = None) -> Iterator[Loopback]:
    """Serve the site on a free port until the end of the block; https with a certificate."""
    with _Server(site, certificate) as server:
        scheme = "http" if certificate is None else "https"
        site.base_url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            site.is_closing.set()
            server.shutdown()
            thread.join()
