"""What lies behind a list's rows: detail pages, their files, and what the history knows of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime

from dmf_crawler.model.page import Headers, RequestIdentity
from dmf_crawler.model.record import Delivery, Fields

BODY = "body"
"""Field id of a detail page's text."""

FILES = "files"
"""Field id of a detail page's files: one value a file, name and digest."""

N_DIGEST_DIGITS = 16
_FILE = re.compile(r"(?s)(.*) \((?:sha256:([0-9a-f]{16})|([a-z0-9_]+))\)")


def tell_file(name: str, *, sha256: str = "", code: str = "") -> str:
    """Return what a record says of a file: its name, with digest or why it was not received."""
    return f"{name} ({f'sha256:{sha256[:N_DIGEST_DIGITS]}' if sha256 else code})"


def split_file(text: str) -> tuple[str, str, str]:
    """Return name, first 16 digits of the digest and code of a text that `tell_file` made.

    Either of the last two is "", both are where it did not make the text.
    """
    parts = _FILE.fullmatch(text)
    return (parts[1], parts[2] or "", parts[3] or "") if parts else (text, "", "")


@dataclass(frozen=True, slots=True)
class FileLink:
    """A link to a file on a detail page.

    Attributes:
        href: As it stands there.
        label: Its text.
        is_followed: False where the link says nofollow.
    """

    href: str
    label: str
    is_followed: bool = True


@dataclass(frozen=True, slots=True)
class DetailPage:
    """One detail page, read.

    Attributes:
        body: Text of the configured region, blocks and lines apart, outer white space gone.
        files: Links to files in page order.
        follows_links: False where the page asks robots not to follow its links.
        links_base: What its links are relative to.
        fields: Field id → value, of what is read there besides.
        delivered: One a field that stands there: the selector that found it.
    """

    body: str
    files: tuple[FileLink, ...] = ()
    follows_links: bool = True
    links_base: str = ""
    fields: Fields = field(default_factory=dict)
    delivered: tuple[Delivery, ...] = ()


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of the request for a file.

    Attributes:
        name: Safe name, "" where it was not received.
        sha256: Of its bytes, "" where it was not received.
        code: Why it was not received and will not be on another day either, "" where it was.
    """

    name: str = ""
    sha256: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A detail page or file as the last accepted visit left it.

    Attributes:
        identity: Method, address, body.
        kind: `detail` or `file`.
        etag: As received, "" for none.
        last_modified: As received, "" for none.
        n_new_validators: Visits in a row on which the validators differed from those before.
        sha256: Of the body.
        raw_dir: Folder of the run that holds the body, relative to the home folder.
        asked_by: Digest of the request headers and the proxy that asked.
        fetched_at: Aware, when that visit had its last byte.
        full_checked_on: Day of the last visit with an unconditional answer.
        row_digest: Digest of the list row that led to it; "" for a file.
        content_digest: Digest of what was read from a detail page; "" for a file. Its bytes may be
            others at every visit (counters, tokens).
        is_whole: False while files of a detail page are still to come.
    """

    identity: RequestIdentity
    kind: str
    etag: str
    last_modified: str
    n_new_validators: int
    sha256: str
    raw_dir: str
    asked_by: str
    fetched_at: datetime
    full_checked_on: date
    row_digest: str = ""
    content_digest: str = ""
    is_whole: bool = True

    @property
    def validators(self) -> Headers:
        """Conditional header fields for the next request, as the server itself worded them."""
        fields = (("If-None-Match", self.etag), ("If-Modified-Since", self.last_modified))
        return tuple((name, value) for name, value in fields if value)
