"""HTTP answers as values, and how they go over the wire, faults included (RFC 9112)."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Literal

HTML = "text/html;charset=UTF-8"

Delivery = Literal[
    "whole", "drip", "hang", "close", "reset", "short_length", "short_chunked", "short_close"
]
"""How an answer goes out; all but `whole` and `drip` end the connection."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer before it is sent.

    Attributes:
        body: The whole body, also where the delivery sends less.
        status: HTTP status.
        content_type: Content-Type; "" sends none.
        headers: Further header fields, bytes in Latin-1.
        delivery: How it goes out.
        wait_s: Pause before the first byte.
    """

    body: bytes
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    delivery: Delivery = "whole"
    wait_s: float = 0.0

    @property
    def ends_connection(self) -> bool:
        """Whether the connection cannot serve another request."""
        return self.delivery not in ("whole", "drip")


def html_answer(text: str, status: int = 200) -> Answer:
    """Return a page in UTF-8."""
    return Answer(text.encode(), status)


def redirect_answer(location: str) -> Answer:
    """Return a 302."""
    return Answer(b"", 302, "", (("Location", location),))


def compress_answer(answer: Answer) -> Answer:
    """Return the answer with a gzip body, as servers send it to whoever accepts it."""
    body = gzip.compress(answer.body, compresslevel=1, mtime=0)
    fields = (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return replace(answer, body=body, headers=answer.headers + fields)


def split_pieces(answer: Answer, date_text: str, drip_bytes: int) -> list[bytes]:
    """Return what goes over the wire, in pieces: one unless the body drips.

    Args:
        answer: What to send.
        date_text: Value of the Date header.
        drip_bytes: Size of a piece of a dripping body.
    """
    if answer.delivery in ("hang", "close"):
        return [b""]
    body = _cut_body(answer)
    head = _write_head(answer, date_text)
    if answer.delivery != "drip":
        return [head + body]
    starts = range(0, len(body), drip_bytes)
    return [head, *(body[start : start + drip_bytes] for start in starts)]


def _cut_body(answer: Answer) -> bytes:
    half = answer.body[: len(answer.body) // 2]
    if answer.delivery in ("reset", "short_length", "short_close"):
        return half
    if answer.delivery == "short_chunked":
        return f"{len(half):x}\r\n".encode() + half + b"\r\n"
    return answer.body


def _write_head(answer: Answer, date_text: str) -> bytes:
    fields = [("Date", date_text)]
    if answer.content_type:
        fields.append(("Content-Type", answer.content_type))
    if answer.status == HTTPStatus.NOT_MODIFIED:
        pass  # what it says of the body's length would be that of a 200 (RFC 9110, 8.6)
    elif answer.delivery == "short_chunked":
        fields.append(("Transfer-Encoding", "chunked"))
    elif answer.delivery != "short_close":
        fields.append(("Content-Length", str(len(answer.body))))
    if answer.ends_connection:
        fields.append(("Connection", "close"))
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in (*fields, *answer.headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
