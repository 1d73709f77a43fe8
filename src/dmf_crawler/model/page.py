"""What is asked of the site and what comes back, as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

Headers = tuple[tuple[str, str], ...]
"""HTTP header fields in order, names as sent or received."""


RequestIdentity = tuple[str, str, str]
"""Method, address and form body of a request ("" for none)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request as `world.send` takes it; headers are complete, redirects not followed.

    Attributes:
        method: GET or POST.
        url: Absolute.
        headers: All that are sent, but for Host, Connection and Accept-Encoding.
        body: Form body, or None.
        max_body_bytes: A larger answer is dropped; None takes the setting's cap.
        secret: Name of the key whose mark stands in the address (`secret.mark_of`), "" for none.
        read_timeout_s: Between two pieces of the answer; None takes the setting.
        request_deadline_s: For the whole request; None takes the setting.
    """

    method: str
    url: str
    headers: Headers = ()
    body: bytes | None = None
    max_body_bytes: int | None = None
    secret: str = ""
    read_timeout_s: float | None = None
    request_deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer: any status, decoded content coding, complete body."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first field of that name, in any case, or None."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What to ask the site for.

    Attributes:
        url: Absolute.
        kind: `robots`, `list`, `recheck` (page 1 once more at the end of a pass), `detail`,
            `file` (what hangs on a detail page), `export` (the workbook), `total` and
            `total_recheck` (page 1 of the list, for its total, before and after the workbook),
            `api` (a page of the open API), or `page` (a whole page that is watched).
        page_no: 1-based for pages of lists, else 0.
        pass_no: 1-based; a race makes the crawl read the whole list again.
        method: GET or POST.
        body: Form body of a POST, already encoded, else None.
        validators: Conditional header fields (RFC 9110, 13.1), empty for an unconditional request.
        max_body_bytes: A larger answer is dropped; None takes the setting's cap.
        label: For a file the text of the link to it, which names it where the answer does not.
        secret: As in `Request`.
        read_timeout_s: As in `Request`.
        request_deadline_s: As in `Request`.
    """

    url: str
    kind: str
    page_no: int = 0
    pass_no: int = 1
    method: str = "GET"
    body: str | None = None
    validators: Headers = ()
    max_body_bytes: int | None = None
    label: str = ""
    secret: str = ""
    read_timeout_s: float | None = None
    request_deadline_s: float | None = None

    @property
    def identity(self) -> RequestIdentity:
        """Method, address and body: what makes two requests the same."""
        return self.method, self.url, self.body or ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One answered request, before it is kept.

    Attributes:
        request: What was asked.
        url: Where the answer came from, after redirects inside the scope.
        status: HTTP status.
        request_headers: As sent.
        headers: As received.
        body: The bytes.
        fetched_at: Aware, when the last byte was there.
        elapsed_s: Seconds from the start of the request to its last byte.
        attempt: 1 for the first try.
    """

    request: PageRequest
    url: str
    status: int
    request_headers: Headers
    headers: Headers
    body: bytes
    fetched_at: datetime
    elapsed_s: float
    attempt: int = 1

    def header(self, name: str) -> str | None:
        """Return the first received field of that name, in any case, or None."""
        return Reply(self.status, self.headers, b"").header(name)


@dataclass(frozen=True, slots=True)
class RawPage:
    """One kept page, as the raw store gives it back: bytes that match their digest.

    Attributes:
        request: What was asked.
        url: Where the answer came from.
        status: HTTP status; 304 where the body is that of an earlier answer.
        content_type: The received Content-Type, or "".
        sha256: 64 hex digits of `body`.
        body: The bytes.
        fetched_at: Aware.
        attempt: 1 for the first try.
        headers: As received; of a 304 with those of the earlier answer that it did not repeat.
        taken_from: The run whose body this is, where it was not sent in this run; else "".
        file_name: For a file the name that it is kept under, made safe; else "".
    """

    request: PageRequest
    url: str
    status: int
    content_type: str
    sha256: str
    body: bytes
    fetched_at: datetime
    attempt: int = 1
    headers: Headers = ()
    taken_from: str = ""
    file_name: str = ""

    def header(self, name: str) -> str | None:
        """Return the first received field of that name, in any case, or None."""
        return Reply(self.status, self.headers, b"").header(name)

    @property
    def is_usable(self) -> bool:
        """Whether there is a page to read: a 200, or a 304 with the body that it stands for."""
        return self.status == 200 or (self.status == 304 and bool(self.taken_from))

    @property
    def has_length(self) -> bool:
        """Whether the answer said where its body ends; without that a cut one looks whole."""
        codings = (self.header("Transfer-Encoding") or "").lower().split(",")
        length = (self.header("Content-Length") or "").strip()
        return "chunked" in map(str.strip, codings) or (length.isascii() and length.isdigit())


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that got no answer, and why."""

    request: PageRequest
    code: str
