"""Clock, sleep, network and dice: the only module that touches the outside world.

Everything else takes six callables as arguments. No type of the HTTP library leaves this
module, and none of its failures: each becomes a `SendError`.
"""

from __future__ import annotations

import random
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from urllib.parse import urlsplit

import requests
import urllib3
from urllib3.util import SKIP_HEADER

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.secret import Secret
from dmf_crawler.settings import Http, Politeness
from dmf_crawler.wire import (
    ProxyLoginError,
    ProxyRefusedError,
    Resolve,
    WatchedAdapter,
    resolve_by_system,
)

DIRECT = Http()
"""No proxy, any address."""

PIECE_BYTES = 65_536
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
RAW_DEFLATE = -zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class World:
    """The outside world, as six callables.

    Attributes:
        now: Aware, UTC; the moment at which a rehearsed run pretends to be.
        pc_now: Aware, UTC, whatever a run pretends.
        monotonic: Seconds, never backwards, at least microseconds fine.
        sleep: Seconds.
        send: One request to its complete answer; raises `SendError`.
        uniform: A random number between two limits.
        keys: Names of the keys that `send` can put into a request.
    """

    now: Callable[[], datetime]
    pc_now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]
    send: Callable[[Request], Reply]
    uniform: Callable[[float, float], float]
    keys: frozenset[str] = frozenset()


@contextmanager
def real_world(
    politeness: Politeness,
    http: Http = DIRECT,
    *,
    starts_at: datetime | None = None,
    resolve: Resolve = resolve_by_system,
    secrets: Sequence[Secret] = (),
) -> Iterator[World]:
    """Open the one connection to the outside world; closes it at the end.

    Args:
        politeness: Timeouts, deadline and size cap of a request.
        http: Proxy and kind of address.
        starts_at: Aware moment at which the clock starts, for rehearsals; None for the PC's clock.
        resolve: Looks the names of hosts up.
        secrets: Keys that requests may carry; they stay in here.
    """
    named = {secret.variable: secret for secret in secrets}
    # An adapter and no session, which would add headers, cookies and proxies of the environment,
    # and read the body of a redirect whole, without deadline or cap, even when not following it.
    with closing(
        WatchedAdapter(proxy=http.proxy, prefer_ipv4=http.prefer_ipv4, resolve=resolve)
    ) as adapter:
        yield World(
            now=_make_clock(starts_at),
            pc_now=_make_clock(None),
            # On Windows time.monotonic counts in steps of 16 ms, which would cut pauses short.
            monotonic=time.perf_counter,
            sleep=time.sleep,
            send=partial(_send, adapter, politeness, named),
            uniform=random.SystemRandom().uniform,
            keys=frozenset(named),
        )


def _make_clock(starts_at: datetime | None) -> Callable[[], datetime]:
    if starts_at is None:
        return lambda: datetime.now(UTC)
    start, started = starts_at.astimezone(UTC), time.perf_counter()
    return lambda: start + timedelta(seconds=time.perf_counter() - started)


# --- one request -------------------------------------------------------------------------------


def _send(
    adapter: WatchedAdapter,
    politeness: Politeness,
    secrets: Mapping[str, Secret],
    request: Request,
) -> Reply:
    """Send a request; one that names a key carries it, and nothing that leaves here does.

    The library's errors tell addresses, so behind such a request none of them is kept.
    """
    adapter.deadline.start(request.request_deadline_s or politeness.request_deadline_s)
    if not request.secret:
        try:
            return _exchange(adapter, politeness, request, request.url)
        except _FAILURES as error:
            raise _send_error(name_failure(error), request.url) from error
    secret = secrets[request.secret]
    try:
        return _hide(_exchange(adapter, politeness, request, secret.put_into(request.url)), secret)
    except _FAILURES as error:
        code = name_failure(error)
    except SendError as error:
        code = error.code
    raise _send_error(code, request.url)


def _hide(reply: Reply, secret: Secret) -> Reply:
    headers = tuple(
        (secret.take_out_of(name), secret.take_out_of(value)) for name, value in reply.headers
    )
    return Reply(reply.status, headers, secret.take_out_of_bytes(reply.body))


def _exchange(
    adapter: WatchedAdapter, politeness: Politeness, request: Request, wire_url: str
) -> Reply:
    prepared = requests.Request(
        request.method, request.url, headers=_wire_headers(request), data=request.body
    ).prepare()
    # The library would resolve and unquote the path: robots.txt was asked about this one.
    prepared.url = wire_url
    max_bytes = request.max_body_bytes or politeness.max_body_bytes
    with adapter.send(
        prepared,
        stream=True,
        timeout=(
            politeness.connect_timeout_s,
            request.read_timeout_s or politeness.read_timeout_s,
        ),
        proxies=adapter.proxies,
    ) as response:
        headers = tuple(response.raw.headers.items())
        raw = _read(response, max_bytes, request.url)
    reply = Reply(response.status_code, headers, raw)
    if adapter.proxies and reply.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        raise _send_error("proxy_login", request.url)
    body = _decode(raw, reply.header("Content-Encoding"), max_bytes, request.url)
    return Reply(reply.status, headers, body)


def _wire_headers(request: Request) -> dict[str, str]:
    headers = {"User-Agent": SKIP_HEADER, "Accept-Encoding": "gzip, deflate"}
    if request.body is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    return headers | dict(request.headers)


def _read(response: requests.Response, max_bytes: int, url: str) -> bytes:
    pieces, n_bytes = [], 0
    for piece in response.raw.stream(PIECE_BYTES, decode_content=False):
        n_bytes += len(piece)
        if n_bytes > max_bytes:
            raise _send_error("oversize", url)
        pieces.append(piece)
    return b"".join(pieces)


def _decode(raw: bytes, coding: str | None, max_bytes: int, url: str) -> bytes:
    """Undo the content coding; a stream that ends early or is damaged counts as cut."""
    name = (coding or "identity").strip().lower()
    if name == "identity" or not raw:
        return raw
    if name not in {"gzip", "x-gzip", "deflate"}:
        raise _send_error("request_error", url)
    try:
        return _inflate(raw, GZIP_OR_ZLIB, max_bytes, url)
    except zlib.error as error:
        if name != "deflate":
            raise _send_error("truncated_body", url) from error
    try:
        return _inflate(raw, RAW_DEFLATE, max_bytes, url)  # what some servers call deflate
    except zlib.error as error:
        raise _send_error("truncated_body", url) from error


def _inflate(raw: bytes, window: int, max_bytes: int, url: str) -> bytes:
    stream = zlib.decompressobj(window)
    body = stream.decompress(raw, max_bytes + 1)
    if len(body) > max_bytes:
        raise _send_error("oversize", url)
    if not stream.eof or stream.unused_data.strip(b"\0"):
        raise _send_error("truncated_body", url)
    return body


# --- failures ----------------------------------------------------------------------------------

_FAILURES = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    HTTPException,
    OSError,
    ValueError,  # addresses and header fields that cannot be read, UnicodeError among them
)

_CODES: tuple[tuple[str, tuple[type[BaseException], ...]], ...] = (
    ("proxy_login", (ProxyLoginError,)),
    (
        "proxy_error",
        (ProxyRefusedError, urllib3.exceptions.ProxyError, requests.exceptions.ProxyError),
    ),
    ("dns_error", (urllib3.exceptions.NameResolutionError, socket.gaierror)),
    ("connect_error", (urllib3.exceptions.NewConnectionError, ConnectionRefusedError)),
    ("timeout", (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError)),
    (
        "truncated_body",
        (
            IncompleteRead,
            requests.exceptions.ChunkedEncodingError,
            requests.exceptions.ContentDecodingError,
            urllib3.exceptions.DecodeError,
        ),
    ),
    ("connection_reset", (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)),
    ("tls_error", (requests.exceptions.SSLError, urllib3.exceptions.SSLError, ssl.SSLError)),
    ("connection_reset", (HTTPException,)),
    ("truncated_body", (urllib3.exceptions.ProtocolError,)),  # the last chunk never came
    ("connect_error", (requests.ConnectionError,)),
)
"""Code and what it is seen by, the telling ones first; anything else is `request_error`."""

_SENTENCES = {
    "dns_error": "서버 이름을 찾지 못했습니다({host}). 인터넷 연결과 DNS 설정을 확인해 주십시오.",
    "connect_error": "서버에 연결하지 못했습니다({host}). 인터넷 연결과 방화벽, "
    "config/boards.yaml의 주소를 확인해 주십시오.",
    "proxy_error": "프록시 서버를 거쳐 연결하지 못했습니다({host}). config/settings.yaml의 "
    "http.proxy 주소와 프록시 서버가 이 사이트를 허용하는지 전산 담당자에게 확인해 주십시오.",
    "proxy_login": "프록시 서버가 사용자 이름을 요구했습니다({host}). 사용자 이름이 필요한 "
    "프록시는 지원하지 않습니다. 이 PC에서 이 사이트로 인증 없이 나갈 수 있는지 전산 담당자에게 "
    "확인해 주십시오.",
    "tls_error": "서버의 인증서를 확인하지 못했습니다({host}). PC의 시계와 사내 보안 장비를 "
    "확인해 주십시오. 확인되지 않은 서버에서는 읽지 않습니다.",
    "timeout": "서버가 제시간에 응답을 마치지 않았습니다({host}). 다음 시도에서 다시 읽습니다.",
    "connection_reset": "응답 도중에 연결이 끊겼습니다({host}). 다음 시도에서 다시 읽습니다.",
    "truncated_body": "응답이 잘리거나 손상되어 도착했습니다({host}). 다음 시도에서 다시 읽습니다.",
    "oversize": "응답이 허용된 크기보다 커서 버렸습니다({host}). 주소가 맞는지 확인하고, 맞다면 "
    "config/settings.yaml의 max_body_bytes(첨부파일은 config/boards.yaml의 max_file_bytes)를 늘려 "
    "주십시오.",
    "request_error": "요청을 보낼 수 없거나 응답을 해석할 수 없습니다({host}). "
    "config/boards.yaml의 주소를 확인하고, 맞다면 로그와 함께 개발자에게 알려 주십시오.",
}


def name_failure(error: BaseException) -> str:
    """Return the code of a failed request, from the error and all that led to it."""
    chain = _unwrap(error)
    for code, kinds in _CODES:
        if any(isinstance(each, kinds) for each in chain):
            return code
    return "request_error"


def _unwrap(error: BaseException) -> list[BaseException]:
    """Return an error and every error that it wraps: arguments, `reason`, causes."""
    chain: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        each = waiting.pop()
        if isinstance(each, BaseException) and each not in chain:
            chain.append(each)
            waiting += [*each.args, getattr(each, "reason", None), each.__cause__, each.__context__]
    return chain


def _send_error(code: str, url: str) -> SendError:
    host = url
    with suppress(ValueError):  # the address itself may be what is wrong
        parts = urlsplit(url)
        host = f"{parts.hostname or url}{f':{parts.port}' if parts.port else ''}"
    return SendError(code, _SENTENCES[code].format(host=host))
