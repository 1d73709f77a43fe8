"""What lies behind the list's rows, from a run's kept pages: text and files.

Read by `pipeline.process` from the run's own raw folder, so a re-parse sees what the run saw.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dmf_crawler.acquire.urls import LinkRefusal, follow_link, resolve_redirect
from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.links import judge_file
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.detail import (
    BODY,
    FILES,
    N_DIGEST_DIGITS,
    DetailPage,
    FileLink,
    FileOutcome,
    KnownPage,
    split_file,
    tell_file,
)
from dmf_crawler.model.page import FailedRequest, PageRequest, RawPage, RequestIdentity
from dmf_crawler.model.record import Fields, Record, Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.snapshot import forbids_following
from dmf_crawler.watch import Watch

FINAL_FILE_CODES = frozenset({"oversize", "robots_disallowed", "request_error"})
"""Why a file was not received that will be so on another day, too."""


def read_detail_page(
    page: RawPage, watch: Watch, detail_urls: Collection[str]
) -> DetailPage | Fault:
    """Read one kept detail page; a header that says nofollow counts as if the page did.

    Args:
        page: The page.
        watch: Its board.
        detail_urls: The addresses of all detail pages of the list; one of them that came in place
            of another, by a redirect, says nothing of that other.
    """
    if watch.detail_rules is not None and page.url != page.request.url:
        came_from = follow_link(page.url, page.url, watch.detail_rules)
        if came_from != page.request.url and came_from in detail_urls:
            return _redirected(page)
    detail = read_detail(page, watch.selectors, watch.product_token)
    if isinstance(detail, DetailPage) and forbids_following(page, watch):
        return replace(detail, follows_links=False)
    return detail


def _redirected(page: RawPage) -> Fault:
    return Fault(
        "redirect_to_other_page",
        f"상세 페이지 {page.request.url} 대신 다른 글 {page.url} 로 넘겨졌습니다. 그 글의 내용을 "
        "이 글의 것으로 읽지 않습니다. 다음 실행에서 다시 받습니다. 브라우저로 확인해 주십시오.",
        exit_code=6,
    )


# --- what is kept --------------------------------------------------------------------------------


@dataclass(slots=True)
class Details:
    """The detail pages and files in a run's folder; of several answers the last counts.

    Attributes:
        pages: Address → the page, read, or why it could not be.
        raw_pages: Address → the kept page, without its body.
        files: Address → what became of the file; nothing where that is still open.
        raw_files: Address → the kept file, without its body.
    """

    pages: dict[str, DetailPage | Fault] = field(default_factory=dict)
    raw_pages: dict[str, RawPage] = field(default_factory=dict)
    files: dict[str, FileOutcome] = field(default_factory=dict)
    raw_files: dict[str, RawPage] = field(default_factory=dict)
    _bases: dict[str, str] = field(default_factory=dict)  # digest of a page → its links' base
    _hops: dict[str, str] = field(default_factory=dict)  # where a file's redirect led → the file
    _unsure: dict[str, str] = field(default_factory=dict)  # file without a length → its digest

    def add_page(self, raw: RawPage, page: DetailPage | Fault) -> None:
        """Take up a kept detail page.

        The same bytes under another address have the same files: those of the first address.
        """
        if isinstance(page, DetailPage):
            base = self._bases.setdefault(raw.sha256, page.links_base)
            page = replace(page, links_base=base)
        self.pages[raw.request.url] = page
        self.raw_pages[raw.request.url] = replace(raw, body=b"")

    def add_file(self, visit: RawPage | FailedRequest) -> None:
        """Take up what became of a request for a file."""
        url = visit.request.url
        if isinstance(visit, FailedRequest):
            url = self._hops.get(url, url)  # a redirect that led nowhere
        elif url not in self._hops.values():
            self._hops.clear()
        self.files.pop(url, None)
        self.raw_files.pop(url, None)
        if isinstance(visit, FailedRequest):
            if visit.code in FINAL_FILE_CODES:
                self.files[url] = FileOutcome(code=visit.code)
        elif visit.is_usable:
            self._add_received(url, visit)
        elif 300 <= visit.status < 500 and visit.status not in {304, 408, 425, 429}:
            self.files[url] = FileOutcome(code=f"http_{visit.status}")
            target = resolve_redirect(visit.url, visit.header("Location") or "")
            self._hops |= {target: url} if target else {}

    def _add_received(self, url: str, raw: RawPage) -> None:
        is_sure = raw.has_length or raw.taken_from or self._unsure.get(url) == raw.sha256
        self._unsure[url] = raw.sha256
        if is_sure and judge_file(raw) is None:
            self.files[url] = FileOutcome(raw.file_name, raw.sha256)
            self.raw_files[url] = replace(raw, body=b"")


def read_details(watch: Watch, folder: Path, snapshot: Snapshot) -> Details:
    """Read the kept detail pages and files of a run."""
    details = Details()
    if watch.detail_rules is None:
        return details
    detail_urls = list_detail_urls(snapshot)
    for visit in watch.raw_store.visits(folder):
        if visit.request.kind == "file":
            details.add_file(visit)
        elif visit.request.kind == "detail" and isinstance(visit, RawPage) and visit.is_usable:
            details.add_page(visit, read_detail_page(visit, watch, detail_urls))
    return details


def list_detail_urls(snapshot: Snapshot) -> frozenset[str]:
    """Return the addresses of all detail pages that the list links to."""
    return frozenset(each.detail_url for each in snapshot.records.values() if each.detail_url)


def find_unread(watch: Watch, folders: Sequence[Path]) -> frozenset[str]:
    """Return the addresses of pages and files that were last asked for in vain, or not read.

    Args:
        watch: Their board.
        folders: Of runs, oldest first; one that is gone, or damaged, tells of fewer.
    """
    unread: dict[str, bool] = {}
    for folder in folders:
        for visit in watch.raw_store.told_visits(folder):
            if visit.request.kind in {"detail", "file"}:
                unread[visit.request.url] = not _is_readable(visit, watch, folder)
    return frozenset(url for url, is_unread in unread.items() if is_unread)


def _is_readable(visit: RawPage | FailedRequest, watch: Watch, folder: Path) -> bool:
    """Say whether a visit brought what was asked for; a page that was moved waits, too."""
    if isinstance(visit, FailedRequest) or not visit.is_usable:
        return False
    if visit.request.kind == "file":
        return True
    body = watch.raw_store.find_body(folder, visit.sha256)
    return (
        body is not None
        and visit.url == visit.request.url
        and isinstance(read_detail_page(replace(visit, body=body), watch, ()), DetailPage)
    )


# --- fields of the records -----------------------------------------------------------------------


def add_details(
    snapshot: Snapshot,
    details: Details,
    known: Mapping[str, KnownRecord],
    watch: Watch,
    *,
    received: Mapping[RequestIdentity, KnownPage],
) -> Snapshot:
    """Return the snapshot with text and files of each record's detail page.

    A record whose page was not asked for, or not all of whose files are there, keeps what the
    history knows of it; what it knows nothing of yet is left out and filled in later.

    Args:
        snapshot: As the list says.
        details: What is kept of the detail pages and files.
        known: What the history says of each key.
        watch: The board.
        received: What the history knows of files, by which one that is refused is known again.
    """
    if watch.detail_rules is None:
        return snapshot
    records = {}
    for key, record in snapshot.records.items():
        before = known[key].fields if key in known else {}
        kept = {name: before[name] for name in watch.detail_fields if name in before}
        read = _read_fields(record, details, watch, before=_Before(kept, received))
        records[key] = replace(record, fields={**record.fields, **kept, **read})
    return replace(snapshot, records=records)


@dataclass(frozen=True, slots=True)
class _Before:
    """What the history says: of a record, and of files by their requests."""

    fields: Fields
    received: Mapping[RequestIdentity, KnownPage]

    def find_file(self, url: str) -> str | None:
        """Return what the record says of the file that was once received from an address."""
        file = self.received.get(PageRequest(url, "file").identity)
        if file is None:
            return None
        digest = file.sha256[:N_DIGEST_DIGITS]
        texts = self.fields.get(FILES, ())
        return next((text for text in texts if split_file(text)[1] == digest), None)


def _read_fields(record: Record, details: Details, watch: Watch, *, before: _Before) -> Fields:
    page = details.pages.get(record.detail_url)
    if page is None or isinstance(page, Fault):
        return {}
    fields: dict[str, Value] = {**page.fields, BODY: page.body}
    files = []
    for link, url in watch.list_files(page):
        # A site that refuses a file for a day, or asks not to follow its links, has not changed it.
        once = before.find_file(watch.find_file(page.links_base, link.href))
        files.append(_tell_file(link, url, details, once))
    if None not in files:
        fields[FILES] = tuple(text for text in files if text)
    return fields


def _tell_file(
    link: FileLink, url: str | LinkRefusal, details: Details, once: str | None
) -> str | None:
    """Return what a record says of a file, None while that is open; what came once stays."""
    if isinstance(url, LinkRefusal):
        return once or tell_file(link.label, code=str(url))
    outcome = details.files.get(url)
    if outcome is None:
        return None
    if outcome.code:
        return once or tell_file(link.label, code=outcome.code)
    return tell_file(outcome.name, sha256=outcome.sha256)
