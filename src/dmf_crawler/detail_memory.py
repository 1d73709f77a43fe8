"""What later visits need to know of the detail pages and files that a run received."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from dmf_crawler.acquire.frontier import count_new_validators
from dmf_crawler.acquire.urls import LinkRefusal
from dmf_crawler.details import Details
from dmf_crawler.model.detail import N_DIGEST_DIGITS, DetailPage, KnownPage
from dmf_crawler.model.page import PageRequest, RawPage, RequestIdentity
from dmf_crawler.model.record import Record, Snapshot
from dmf_crawler.model.run import Fault, day_of
from dmf_crawler.watch import Watch


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
