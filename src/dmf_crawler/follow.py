"""After the list: the detail pages that are due, and the files that hang on them.

The list is complete by then and stands whatever happens here. What does not fit into the run, or
cannot be had today, is due next day, and is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import TypeVar

from dmf_crawler.acquire.frontier import (
    DueReason,
    PlannedDetail,
    RowLink,
    plan_details,
    plan_file,
)
from dmf_crawler.acquire.retry import RETRY_CODES
from dmf_crawler.acquire.urls import LinkRefusal
from dmf_crawler.boards import DetailSource
from dmf_crawler.detail_memory import digest_content, digest_row
from dmf_crawler.details import list_detail_urls, read_detail_page
from dmf_crawler.extract.links import judge_file
from dmf_crawler.model.detail import DetailPage, KnownPage
from dmf_crawler.model.page import PageRequest, RawPage, RequestIdentity
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import Fault
from dmf_crawler.visit import StoredBody, Visit
from dmf_crawler.watch import Watch

T = TypeVar("T")

STOPPING = frozenset({"budget_exceeded", "time_budget", "retry_after", "terms_forbid"})
"""Faults that are of the whole run, not of one page."""

SITE_CODES = frozenset({"redirect_to_other_page", "maintenance_page"})
"""Faults that say of the whole site that it has no time for us."""

MAX_FAULTS_IN_A_ROW = 3
"""A site that fails so often is left in peace until tomorrow."""

MAX_LATE_FAULTS = 6
"""So many pages and files that were in vain before are tried in vain once more in a run."""

UNEQUAL_ANSWERS = Fault(
    "unequal_answers",
    "길이를 알리지 않는 첨부파일을 두 번 받았으나 내용이 서로 달랐습니다. 잘렸을 수 있으므로 믿지 "
    "않고, 다음 실행에서 다시 받습니다. 계속되면 브라우저로 열어 확인해 주십시오.",
    exit_code=6,
)


@dataclass(frozen=True, slots=True)
class DetailPlan:
    """What the history says about detail pages before this run.

    Attributes:
        known: Pages and files of earlier runs.
        asked_by: Digest of who asks; validators that another one received are not sent.
        cycle_start: Day since which every page must have been asked for unconditionally.
        rose_at: Start of the run that last found the list longer than before, None for never.
        is_full: Whether everything is asked for, whatever the history says.
        is_conditional: Whether validators may be sent; not on the day a full check begins.
        failed: Addresses that the last run could not read; they wait behind the others.
    """

    known: Mapping[RequestIdentity, KnownPage]
    asked_by: str
    cycle_start: date
    rose_at: datetime | None
    is_full: bool = False
    is_conditional: bool = True
    failed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Followed:
    """How far the detail pages came.

    Attributes:
        n_left: Pages and files that were due and are due next day.
        n_full_left: Those of them that the full check has still to see.
        faults: Code → how many pages or files ended with it.
        is_stopped: Whether something ended the following before its end.
    """

    n_left: int = 0
    n_full_left: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    is_stopped: bool = False


class Follower:
    """Asks for the detail pages of one board, newest first, and then for their files.

    Requests leave through the visit's frontier: each once, and breadth first, so that all texts
    are there before the first file.
    """

    def __init__(self, visit: Visit[Watch], source: DetailSource, plan: DetailPlan) -> None:
        self._visit = visit
        self._source = source
        self._plan = plan
        self._n_asked = 0
        self._n_faults_in_a_row = 0
        self._n_late_faults = 0
        self._detail_urls: frozenset[str] = frozenset()
        self.followed = Followed()

    def follow(self, snapshot: Snapshot) -> Followed:
        """Ask for every page and file that is due, as far as the run may go."""
        self._detail_urls = list_detail_urls(snapshot)
        planned = self._plan_details(snapshot)
        reasons = {detail.request.identity: detail.reason for detail in planned}
        for detail in planned:
            is_late = detail.request.url in self._plan.failed
            self._visit.frontier.add(detail.request, (is_late, date.min))
        self._visit.begin_phase("details", min(len(planned), self._source.max_requests))
        for request in self._visit.frontier:
            if self._is_over(request):
                self.followed.n_left += 1
                self.followed.n_full_left += self._is_unchecked(request)
                continue
            if request.kind == "file":
                self._follow_file(request)
            else:
                self._follow_detail(request, reasons[request.identity])
            self._visit.note_progress(self._visit.n_done + 1)
        return self.followed

    def _follow_file(self, request: PageRequest) -> None:
        found = self._ask(request, _look_at_file)
        if not isinstance(found, Fault) and not (found.has_length or found.taken_from):
            # Where no length is told a file that was cut looks whole: two answers must agree.
            first, found = found, self._ask(replace(request, validators=()), _look_at_file)
            if not isinstance(found, Fault) and found.sha256 != first.sha256:
                found = UNEQUAL_ANSWERS
                self._count_fault(request, found)
        if isinstance(found, Fault):
            self.followed.n_full_left += self._is_unchecked(request)

    def _plan_details(self, snapshot: Snapshot) -> Sequence[PlannedDetail]:
        plan = self._plan
        return plan_details(
            list_row_links(snapshot, self._visit.watch),
            {} if plan.is_full else plan.known,
            rose_at=plan.rose_at,
            cycle_start=plan.cycle_start,
            asked_by=plan.asked_by,
        )

    def _is_over(self, request: PageRequest) -> bool:
        is_late = request.url in self._plan.failed
        return (
            self.followed.is_stopped
            or self._n_asked >= self._source.max_requests
            or (is_late and self._n_late_faults >= MAX_LATE_FAULTS)
        )

    def _is_unchecked(self, request: PageRequest) -> bool:
        known = self._plan.known.get(request.identity)
        return known is None or known.full_checked_on < self._plan.cycle_start

    def _follow_detail(self, request: PageRequest, reason: DueReason) -> None:
        found = self._read_detail(request, reason)
        if isinstance(found, Fault):
            self.followed.n_full_left += self._is_unchecked(request)
            return
        raw, page = found
        if self._visit.frontier.has_seen(raw.sha256):
            self._visit.log("same_content", url=request.url)
            return
        known = self._plan.known.get(request.identity)
        content = digest_content(page, self._visit.watch)
        changed_at: datetime | None = self._visit.world.now()
        if known is not None and known.content_digest == content:
            changed_at = None if known.is_whole else known.fetched_at
        for link, url in self._visit.watch.list_files(page):
            if not isinstance(url, LinkRefusal):
                self._plan_file(url, link.label, changed_at)

    def _read_detail(
        self, request: PageRequest, reason: DueReason
    ) -> tuple[RawPage, DetailPage] | Fault:
        """Ask for a page; one of which only files are missing is on disk already."""
        if reason is DueReason.FILES:
            raw = self._visit.take_known(request, self._plan.known[request.identity])
            page = None if raw is None else self._read_page(raw)
            if raw is not None and isinstance(page, DetailPage):
                return raw, page
        return self._ask(request, self._look_at_detail)

    def _read_page(self, raw: RawPage) -> DetailPage | Fault:
        return read_detail_page(raw, self._visit.watch, self._detail_urls)

    def _look_at_detail(self, raw: RawPage) -> tuple[RawPage, DetailPage] | Fault:
        page = self._read_page(raw)
        return page if isinstance(page, Fault) else (raw, page)

    def _plan_file(self, url: str, label: str, changed_at: datetime | None) -> None:
        """Put a file that is due into the frontier; one that is not is taken over where need be."""
        request = PageRequest(url, "file", max_body_bytes=self._source.max_file_bytes, label=label)
        due = plan_file(
            request,
            {} if self._plan.is_full else self._plan.known,
            changed_at=changed_at,
            cycle_start=self._plan.cycle_start,
            asked_by=self._plan.asked_by,
        )
        if due is None and changed_at is not None:
            # Its page is told anew, so the file's name and digest belong into this run's folder.
            known = self._plan.known[request.identity]
            due = request if self._visit.take_known(request, known) is None else None
        known_file = self._plan.known.get(request.identity)
        waits_since = known_file.full_checked_on if known_file else date.min
        rank = (url in self._plan.failed, waits_since)
        if due is not None and self._visit.frontier.add(due, rank):
            n_pages = self._visit.n_pages + 1
            self._visit.n_pages = min(n_pages, self._source.max_requests)

    def _ask(self, request: PageRequest, look: Callable[[RawPage], T | Fault]) -> T | Fault:
        """Ask for a page or file, conditionally only where the body that a 304 means is there."""
        visit, stored = self._visit, self._find_stored(request)
        if stored is None:
            request = replace(request, validators=())
        forbidden = visit.fetcher.forbid(request)
        if forbidden is not None:
            visit.note_unsent(request, forbidden.code)
            self._count_fault(request, forbidden)
            return forbidden
        n_before = visit.fetcher.n_requests
        found = visit.ask(request, look, stored=stored)
        self._n_asked += visit.fetcher.n_requests - n_before
        if isinstance(found, Fault):
            self._count_fault(request, found)
        else:
            self._n_faults_in_a_row = 0
        return found

    def _count_fault(self, request: PageRequest, fault: Fault) -> None:
        faults = self.followed.faults
        if fault.code in STOPPING:
            self.followed.is_stopped = True
            self.followed.n_left += 1
            return
        faults[fault.code] = faults.get(fault.code, 0) + 1
        if request.url in self._plan.failed:
            self._n_late_faults += 1
            return
        # A page that came and cannot be read is no sign of a server in trouble.
        is_refusal = fault.code == "http_status" and fault.is_retryable
        is_site = is_refusal or fault.code in RETRY_CODES or fault.code in SITE_CODES
        self._n_faults_in_a_row += is_site
        if self._n_faults_in_a_row >= MAX_FAULTS_IN_A_ROW:
            self.followed.is_stopped = True

    def _find_stored(self, request: PageRequest) -> StoredBody | None:
        """Return the body that a 304 would stand for, None where it is gone: nobody asks then."""
        known = self._plan.known.get(request.identity)
        if known is None or not request.validators or not self._plan.is_conditional:
            return None
        watch = self._visit.watch
        body = watch.raw_store.find_body(watch.home.root / known.raw_dir, known.sha256)
        run_id = PurePosixPath(known.raw_dir).name
        return None if body is None else StoredBody(body, run_id)


def list_row_links(snapshot: Snapshot, watch: Watch) -> Sequence[RowLink]:
    """Return the list's links to detail pages in its order, newest first."""
    return tuple(
        RowLink(record.detail_url, digest_row(record, watch))
        for record in snapshot.records.values()
        if record.detail_url
    )


def _look_at_file(raw: RawPage) -> RawPage | Fault:
    return judge_file(raw) or raw


def describe_followed(followed: Followed) -> tuple[str, ...]:
    """Return Korean sentences about what was due and was not received."""
    sentences = []
    if followed.n_left:
        sentences.append(
            f"상세 페이지와 첨부파일 {followed.n_left:,}건을 오늘 다 받지 못했습니다. "
            "다음 실행에서 이어서 받습니다."
        )
    if followed.faults:
        counts = ", ".join(f"{code} {n:,}건" for code, n in sorted(followed.faults.items()))
        sentences.append(
            f"읽지 못한 상세 페이지나 첨부파일이 있습니다({counts}). 목록은 영향을 받지 않았으며, "
            "다시 받을 수 있는 것은 다음 실행에서 다시 받습니다."
        )
    return tuple(sentences)
