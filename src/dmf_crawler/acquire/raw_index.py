"""index.jsonl: one line a request of a run, answered or not."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from dmf_crawler.model.page import FetchedPage, Headers, PageRequest, RequestIdentity
from dmf_crawler.model.run import kst


class RequestLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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
        sent: False where this run sent nothing: the page was taken over from an earlier run, or
            the request was forbidden.
    """

    url: str
    method: str
    body: str | None
    kind: str
    page_no: int
    pass_no: int
    attempt: int
    fetched_at: Annotated[datetime, Meta(tz=True)]
    sent: bool = True

    @property
    def identity(self) -> RequestIdentity:
        """As in `PageRequest`."""
        return self.method, self.url, self.body or ""


class FailureLine(RequestLine, frozen=True, kw_only=True, omit_defaults=True):
    """A request without an answer; `code` is that of its `SendError`, or of what forbade it."""

    code: str


class AnswerLine(RequestLine, frozen=True, kw_only=True, omit_defaults=True):
    """A request with an answer of any status.

    Attributes:
        status: HTTP status.
        final_url: Where the answer came from, after redirects.
        request_headers: As sent.
        headers: As received.
        sha256: Of the decoded body.
        bytes: Length of the decoded body.
        file: Name below the folder of the index.
        elapsed_s: From the start of the request to its last byte.
        taken_from: The run whose body it is, where another received it; else "".
        file_name: Of a file, the name that it is kept under; else "".
        stored_headers: Of a 304, the fields of the earlier answer that it did not send again.
    """

    status: int
    final_url: str
    request_headers: Headers
    headers: Headers
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    bytes: int
    file: Annotated[
        str,
        Meta(
            pattern=r"^(?:[0-9a-f]{16,64}\.html\.gz"
            r'|files/[0-9a-f]{16,64}_[^\x00-\x1f\x7f<>:"/\\|?*]+)\Z'
        ),
    ]
    elapsed_s: float
    taken_from: str = ""
    file_name: str = ""
    stored_headers: Headers = ()


class _Sent(msgspec.Struct, frozen=True):
    """The two things of a line that the day's budget needs."""

    url: str
    sent: bool = True


def line_of_page(
    page: FetchedPage,
    sha256: str,
    name: str,
    *,
    file_name: str = "",
    taken_from: str = "",
    earlier: AnswerLine | None = None,
) -> AnswerLine:
    """Return the line of an answer whose body is kept under a name.

    Args:
        page: The answer.
        sha256: Of its body.
        name: Of the file that holds the body.
        file_name: As in `AnswerLine`.
        taken_from: As in `AnswerLine`.
        earlier: The line of the answer that a 304 stands for.
    """
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
        taken_from=taken_from,
        file_name=file_name,
        stored_headers=_fields_left_out(earlier, page.headers) if earlier else (),
    )


def line_taken_over(line: AnswerLine, name: str, run_id: str) -> AnswerLine:
    """Return the line of a page that an earlier run received, its body kept under a name here."""
    return replace(line, file=name, sent=False, taken_from=line.taken_from or run_id)


def line_of_failure(
    request: PageRequest, *, code: str, at: datetime, attempt: int, sent: bool = True
) -> FailureLine:
    """Return the line of a request without an answer."""
    return FailureLine(**_request_keys(request, attempt, at), code=code, sent=sent)


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


def _fields_left_out(earlier: AnswerLine, headers: Headers) -> Headers:
    """Return the header fields of an earlier answer whose names a later one did not send."""
    names = {name.lower() for name, _ in headers}
    return tuple(field for field in headers_of(earlier) if field[0].lower() not in names)


def request_of(line: RequestLine) -> PageRequest:
    """Return what a line says was asked for."""
    return PageRequest(line.url, line.kind, line.page_no, line.pass_no, line.method, line.body)


def headers_of(line: AnswerLine) -> Headers:
    """Return the header fields of a kept body: a 304 updates those it came with (RFC 9111, 3.2)."""
    return (*line.headers, *line.stored_headers)


def encode_line(line: RequestLine) -> bytes:
    """Return one line with its end."""
    return msgspec.json.encode(line) + b"\n"


def decode_line(text: bytes) -> AnswerLine | FailureLine | None:
    """Read one line, None where it is neither."""
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=AnswerLine)
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=FailureLine)
    return None


def was_sent_to(host: str, text: bytes) -> bool:
    """Say whether a line is of a request that went to a host.

    One that cannot be read counts for any.
    """
    try:
        line = msgspec.json.decode(text, type=_Sent)
        return line.sent and urlsplit(line.url).hostname == host.lower()
    except (msgspec.MsgspecError, ValueError):
        return True
