"""What lies behind the list's rows, from a run's kept pages: text, files, and what to remember.

Read by `pipeline.process` from the run's own raw folder, so a re-parse sees what the run saw.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from dmf_crawler.acquire.frontier import count_new_validators
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
from dmf_crawler.model.run import Fault, day_of
from dmf_crawler.snapshot import forbids_following
from dmf_crawler.watch import Watch

FINAL_FILE_CODES = frozenset({"oversize", "robots_disallowed", "request_error"})
"""Why a file was not received that will be so on another day, too."""


def digest_row(record: Record, watch: Watch) -> str:
    """Return a digest of what the list says of a record: a changed one makes its details due."""
    names = watch.detail_fields
    return _digest({name: value for name, value in record.fields.items() if name not in names})


def digest_content(page: DetailPage, watch: Watch) -> str:
    """Return a digest of a detail page's text and fields and of the addresses of its files."""
    addresses = [str(watch.find_file(page.links_base, link.href)) for link in page.files]
    return _digest([page.body, *addresses, *([dict(page.fields)] if page.fields else [])])


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:N_DIGEST_DIGITS]


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


# --- what later visits need to know --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Learning:
    """Where pages are kept, and who asked for them.

    Attributes:
        raw_dir: The run's raw folder, relative to the home folder.
        asked_by: Digest of the request headers and the proxy.
        cycle_start: Day on which the full check began that the run took part in.
    """

    raw_dir: str
    asked_by: str
    cycle_start: date


def learn_pages(
    snapshot: Snapshot,
    details: Details,
    known: Mapping[RequestIdentity, KnownPage],
    watch: Watch,
    learning: Learning,
) -> list[tuple[str, KnownPage]]:
    """Return what the history is to know of the detail pages and files of this run, by key."""
    learnt: list[tuple[str, KnownPage]] = []
    for key, record in snapshot.records.items():
        page = details.pages.get(record.detail_url)
        if page is None or isinstance(page, Fault):
            continue
        raw = details.raw_pages[record.detail_url]
        before = known.get(raw.request.identity)
        content = digest_content(page, watch)
        is_same = before is not None and before.is_whole and before.content_digest == content
        urls = [url for _, url in watch.list_files(page) if not isinstance(url, LinkRefusal)]
        seen = replace(
            _learn(raw, before, learning),
            row_digest=digest_row(record, watch),
            content_digest=content,
            is_whole=all(
                url in details.files or (is_same and _is_checked(url, known, learning))
                for url in urls
            ),
        )
        learnt.append((key, seen))
        raw_files = [details.raw_files[url] for url in urls if url in details.raw_files]
        learnt += [
            (key, _learn(raw_file, known.get(raw_file.request.identity), learning))
            for raw_file in raw_files
        ]
    return learnt


def _is_checked(url: str, known: Mapping[RequestIdentity, KnownPage], learning: Learning) -> bool:
    """Say whether a file that was not asked for in this run need not have been."""
    file = known.get(PageRequest(url, "file").identity)
    return file is not None and file.full_checked_on >= learning.cycle_start


def _learn(raw: RawPage, before: KnownPage | None, learning: Learning) -> KnownPage:
    if before is not None and before.fetched_at == raw.fetched_at and before.sha256 == raw.sha256:
        return replace(before, raw_dir=learning.raw_dir)  # taken over, not asked for
    is_confirmed = raw.status == 304 and before is not None
    etag, last_modified = raw.header("ETag") or "", raw.header("Last-Modified") or ""
    return KnownPage(
        identity=raw.request.identity,
        kind=raw.request.kind,
        etag=etag,
        last_modified=last_modified,
        n_new_validators=count_new_validators(before, etag, last_modified),
        sha256=raw.sha256,
        raw_dir=learning.raw_dir,
        asked_by=learning.asked_by,
        fetched_at=raw.fetched_at,
        full_checked_on=before.full_checked_on
        if before and is_confirmed
        else day_of(raw.fetched_at),
    )
