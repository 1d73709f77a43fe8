"""What lies behind the list's rows, from a run's kept pages: text, files, and what to remember.

Read by `pipeline.process` from the run's own raw folder, so a re-parse sees what the run saw.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from dmf_crawler.acquire.frontier import count_new_validators
from dmf_crawler.acquire.urls import LinkRefusal
from dmf_crawler.extract.detail import describe_file, read_detail
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.detail import (
    BODY,
    FILES,
    DetailPage,
    FileLink,
    FileOutcome,
    KnownPage,
)
from dmf_crawler.model.page import PageRequest, RawPage, RequestIdentity
from dmf_crawler.model.record import Fields, Record, Snapshot, Value
from dmf_crawler.model.run import Fault, day_of
from dmf_crawler.snapshot import USABLE, forbids_following
from dmf_crawler.watch import Watch

FINAL_FILE_CODES = frozenset({"oversize", "robots_disallowed", "request_error"})
"""Why a file was not received that will be so on another day, too."""


def digest_row(record: Record) -> str:
    """Return a digest of what the list says of a record: a changed one makes its details due."""
    listed = {name: value for name, value in record.fields.items() if name not in {BODY, FILES}}
    return _digest(listed)


@dataclass(slots=True)
class Details:
    """The detail pages and files in a run's folder; of several answers the last counts.

    Attributes:
        pages: Address → the page, read, or why it could not be.
        raw_pages: Address → the kept page, without its body.
        files: Address → what became of the file.
        raw_files: Address → the kept file, without its body.
        bases: Address of a page → the first address under which the same bytes came: what its
            links are relative to, so that the same page leads to the same files.
    """

    pages: dict[str, DetailPage | Fault] = field(default_factory=dict)
    raw_pages: dict[str, RawPage] = field(default_factory=dict)
    files: dict[str, FileOutcome] = field(default_factory=dict)
    raw_files: dict[str, RawPage] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)

    def add_page(self, page: RawPage, watch: Watch) -> None:
        """Take up a kept detail page."""
        url = page.request.url
        self.pages[url] = read_detail_page(page, watch)
        self.raw_pages[url] = replace(page, body=b"")
        same = (other for other, raw in self.raw_pages.items() if raw.sha256 == page.sha256)
        self.bases[url] = self.bases.get(next(same), url)

    def add_file(self, page: RawPage) -> None:
        """Take up a kept answer for a file, of any status."""
        url = page.request.url
        self.files.pop(url, None)
        if page.status in USABLE:
            self.files[url] = FileOutcome(page.file_name, page.sha256)
            self.raw_files[url] = replace(page, body=b"")
        elif _is_final(page.status):
            self.files[url] = FileOutcome(code=f"http_{page.status}")


def read_details(watch: Watch, folder: Path) -> Details:
    """Read the kept detail pages and files of a run."""
    details = Details()
    if watch.detail_rules is None:
        return details
    for request, code in watch.raw_store.failures(folder):
        if request.kind == "file" and code in FINAL_FILE_CODES:
            details.files[request.url] = FileOutcome(code=code)
    for page in watch.raw_store.pages(folder):
        if page.request.kind == "detail" and page.status in USABLE:
            details.add_page(page, watch)
        elif page.request.kind == "file":
            details.add_file(page)
    return details


def find_unread(watch: Watch, folder: Path) -> frozenset[str]:
    """Return the addresses of detail pages that a run asked for in vain, or could not read.

    A folder that is gone, or damaged, tells of fewer.
    """
    raw_store = watch.raw_store
    unread: dict[str, bool] = {}
    for page in raw_store.answers(folder):
        if page.request.kind == "detail":
            body = raw_store.find_body(folder, page.sha256) if page.status in USABLE else None
            detail = None if body is None else read_detail_page(replace(page, body=body), watch)
            unread[page.request.url] = not isinstance(detail, DetailPage)
    for request, _ in raw_store.failures(folder):
        if request.kind == "detail":
            unread.setdefault(request.url, True)
    return frozenset(url for url, is_unread in unread.items() if is_unread)


def digest_content(page: DetailPage, url: str, watch: Watch) -> str:
    """Return a digest of a detail page's text and of the addresses of its files."""
    addresses = [str(watch.find_file(url, link.href)) for link in page.files]
    return _digest([page.body, *addresses])


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_detail_page(page: RawPage, watch: Watch) -> DetailPage | Fault:
    """Read one kept detail page; a header that says nofollow counts as if the page did."""
    detail = read_detail(page, watch.selectors, watch.product_token)
    if isinstance(detail, DetailPage) and forbids_following(page, watch):
        return replace(detail, follows_links=False)
    return detail


def _is_final(status: int) -> bool:
    """Say whether the same request would be answered so on another day, too."""
    return 300 <= status < 500 and status not in {408, 425, 429}


def add_details(
    snapshot: Snapshot, details: Details, known: Mapping[str, KnownRecord], watch: Watch
) -> Snapshot:
    """Return the snapshot with text and files of each record's detail page.

    A record whose page was not asked for, or not all of whose files are there, keeps what the
    history knows of it; what it knows nothing of yet is left out and filled in later.
    """
    if watch.detail_rules is None:
        return snapshot
    records = {
        key: replace(
            record,
            fields={
                **record.fields,
                **_known_details(known.get(key)),
                **_read_fields(record, details, watch),
            },
        )
        for key, record in snapshot.records.items()
    }
    return replace(snapshot, records=records)


def _known_details(known: KnownRecord | None) -> Fields:
    if known is None:
        return {}
    return {name: known.fields[name] for name in (BODY, FILES) if name in known.fields}


def _read_fields(record: Record, details: Details, watch: Watch) -> Fields:
    page = details.pages.get(record.detail_url)
    if page is None or isinstance(page, Fault):
        return {}
    fields: dict[str, Value] = {BODY: page.body}
    files = list_files(page, details.bases[record.detail_url], details.files, watch)
    if files is not None:
        fields[FILES] = files
    return fields


def list_files(
    page: DetailPage, url: str, outcomes: Mapping[str, FileOutcome], watch: Watch
) -> tuple[str, ...] | None:
    """Return one value a file of a detail page, None while it is not known of every one.

    Args:
        page: The page, read.
        url: What its links are relative to.
        outcomes: Address of a file → what became of it.
        watch: The board.
    """
    values = []
    for link in page.files:
        file_url = watch.find_file(url, link.href)
        if isinstance(file_url, LinkRefusal):
            values.append(f"{link.label} (받지 않음: {file_url})")
        elif not page.follows_links:
            values.append(f"{link.label} (받지 않음: nofollow)")
        elif file_url in outcomes:
            values.append(_describe_outcome(link, outcomes[file_url]))
        else:
            return None
    return tuple(values)


def _describe_outcome(link: FileLink, outcome: FileOutcome) -> str:
    if outcome.code:
        return f"{link.label} (받지 못함: {outcome.code})"
    return describe_file(outcome.name, outcome.sha256)


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
        base = details.bases[record.detail_url]
        content = digest_content(page, base, watch)
        is_same = before is not None and before.is_whole and before.content_digest == content
        file_urls = _list_file_urls(page, base, watch)
        seen = replace(
            _learn(raw, before, learning),
            row_digest=digest_row(record),
            content_digest=content,
            is_whole=all(
                url in details.files or (is_same and _is_checked(url, known, learning))
                for url in file_urls
            ),
        )
        learnt.append((key, seen))
        raw_files = [details.raw_files[url] for url in file_urls if url in details.raw_files]
        learnt += [
            (key, _learn(raw_file, known.get(raw_file.request.identity), learning))
            for raw_file in raw_files
        ]
    return learnt


def _list_file_urls(page: DetailPage, url: str, watch: Watch) -> list[str]:
    """Return the addresses of a detail page's files that may be asked for."""
    found = [watch.find_file(url, link.href) for link in page.files if page.follows_links]
    return [each for each in found if not isinstance(each, LinkRefusal)]


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
