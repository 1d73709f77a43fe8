"""index.jsonl: one line a request of a run, answered or not."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from dmf_crawler.model.page import FetchedPage, Headers, PageRequest
from dmf_crawler.model.run import kst


class RequestLine(msgspec.Struct, frozen=True, kw_only=True):
    """What index.jsonl says of every request.

    Attributes:
        url: What was asked for.
        method: GET or POST.
        body: Form body of a POST, else null.
        kind: As in `PageRequest`.
        page_no: As in `PageRequest`.
        pass_no: As in `PageRequest`.
        attempt: 1 for the first try.
        fetched_at: KST, when the last byte was there or the request failed.
    """

    url: str
    method: str
    body: str | None
    kind: str
    page_no: int
    pass_no: int
    attempt: int
    fetched_at: Annotated[datetime, Meta(tz=True)]


class FailureLine(RequestLine, frozen=True, kw_only=True):
    """A request without an answer; `code` is that of its `SendError`."""

    code: str


class AnswerLine(RequestLine, frozen=True, kw_only=True):
    """A request with an answer of any status.

    Attributes:
        status: HTTP status.
        final_url: Where the answer came from, after redirects.
        request_headers: As sent.
        headers: As received.
        sha256: Of the decoded body.
        bytes: Length of the decoded body.
        file: Name beside the index.
        elapsed_s: From the start of the request to its last byte.
    """

    status: int
    final_url: str
    request_headers: Headers
    headers: Headers
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    bytes: int
    file: Annotated[str, Meta(pattern=r"^[0-9a-f]{16,64}\.html\.gz$")]
    elapsed_s: float


class _Address(msgspec.Struct, frozen=True):
    """The one thing of a line that the day's budget needs."""

    url: str


def line_of_page(page: FetchedPage, sha256: str, name: str) -> AnswerLine:
    """Return the line of an answer whose body is kept under a name."""
    return AnswerLine(
        **_request_keys(page.request, page.attempt, page.fetched_at),
        status=page.status,
        final_url=page.url,
        request_headers=page.request_headers,
        headers=page.headers,
        sha256=sha256,
        bytes=len(page.body),
        file=name,
        elapsed_s=round(page.elapsed_s, 3),
    )


def line_of_failure(request: PageRequest, *, code: str, at: datetime, attempt: int) -> FailureLine:
    """Return the line of a request without an answer."""
    return FailureLine(**_request_keys(request, attempt, at), code=code)


def _request_keys(request: PageRequest, attempt: int, at: datetime) -> dict[str, Any]:
    return {
        "url": request.url,
        "method": request.method,
        "body": request.body,
        "kind": request.kind,
        "page_no": request.page_no,
        "pass_no": request.pass_no,
        "attempt": attempt,
        "fetched_at": kst(at),
    }


def decode_line(text: bytes) -> AnswerLine | FailureLine | None:
    """Read one line, None where it is neither."""
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=AnswerLine)
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=FailureLine)
    return None


def is_to(host: str, text: bytes) -> bool:
    """Say whether a line is of a request to a host; one that cannot be read counts for any."""
    try:
        return urlsplit(msgspec.json.decode(text, type=_Address).url).hostname == host.lower()
    except (msgspec.MsgspecError, ValueError):
        return True
