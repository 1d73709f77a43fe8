"""Which pages are due, in which order, how they are asked for, and what the budget holds; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from hashlib import blake2b
from heapq import heappop, heappush
from urllib.parse import quote, urlencode

from dmf_crawler.boards import HtmlSource
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.page import Headers, PageRequest, RequestIdentity
from dmf_crawler.model.run import Fault

PATH_SAFE = "/%:@!$&'()*+,;=~"
"""Characters of a configured path that stand as they are (RFC 3986 pchar and `%`)."""

DIGEST_BYTES = 16
SUNDAY = 7


def robots_request(base_url: str) -> PageRequest:
    """Return the request for a site's robots.txt."""
    return PageRequest(url=f"{base_url}/robots.txt", kind="robots")


def list_request(
    base_url: str,
    source: HtmlSource,
    page_no: int,
    page_size: int,
    *,
    pass_no: int = 1,
    kind: str = "list",
) -> PageRequest:
    """Return the request for one page of a list.

    The constant parameters come first in the order of the configuration, then page number and page
    size, so that the same page always has the same address.

    Args:
        base_url: Scheme, host and port of the site, without a final slash.
        source: How the list is asked for.
        page_no: 1-based.
        page_size: Rows asked for a page.
        pass_no: 1-based; 2 when the list is read for the second time.
        kind: `list`, `recheck` for page 1 once more at the end of a pass, or `total` and
            `total_recheck` for page 1 around the workbook.
    """
    paging = {source.page_param: str(page_no), source.size_param: str(page_size)}
    constant = {name: value for name, value in source.params.items() if name not in paging}
    form = urlencode(constant | paging)
    url = base_url + quote(source.path, safe=PATH_SAFE)
    if source.method == "POST":
        return PageRequest(url, kind, page_no, pass_no, method="POST", body=form)
    return PageRequest(f"{url}?{form}", kind, page_no, pass_no)


def count_pages(announced_total: int, page_size: int) -> int:
    """Return how many pages of `page_size` rows (at least 1) hold `announced_total` rows."""
    return -(-announced_total // page_size)


def foresee(
    announced_total: int,
    page_size: int,
    *,
    n_requests_left: int,
    seconds_left: float,
    delay_s: float,
    n_kept: int = 0,
) -> Fault | None:
    """Say, after page 1, why the rest of the list cannot be read, or None when it can.

    The rest is pages 2 to n and page 1 once more, which shows whether the list changed meanwhile.
    A list that does not fit is not begun: half a list proves nothing and costs the site the same.

    Args:
        announced_total: Rows that the site says the list has.
        page_size: Rows that page 1 really had, which may be fewer than were asked for.
        n_requests_left: Requests that may still be sent today.
        seconds_left: Until the run's deadline.
        delay_s: Pause between two requests.
        n_kept: Of the rest, pages that need not be asked for; below 0, so many more requests.
    """
    n_needed = count_pages(announced_total, page_size) - n_kept
    if n_needed > n_requests_left:
        return Fault(
            "budget_exceeded",
            f"목록 {announced_total:,}건을 한 쪽에 {page_size:,}건씩 읽으려면 요청이 "
            f"{n_needed:,}번 더 필요하지만 오늘 남은 요청은 {n_requests_left:,}번입니다. 2쪽부터는 "
            "요청하지 않았습니다. config/boards.yaml의 page_size를 늘리거나 config/settings.yaml의 "
            "requests_per_day를 늘려 주십시오.",
            exit_code=4,
        )
    seconds_needed = n_needed * delay_s
    if seconds_needed > seconds_left:
        return Fault(
            "budget_exceeded",
            f"목록 {announced_total:,}건을 한 쪽에 {page_size:,}건씩 읽으려면 요청 "
            f"{n_needed:,}번, 최소 {seconds_needed:,.0f}초가 필요하지만 남은 시간은 "
            f"{max(seconds_left, 0):,.0f}초입니다. 2쪽부터는 요청하지 않았습니다. "
            "config/boards.yaml의 page_size를 늘리거나 config/settings.yaml의 run_deadline_s를 "
            "늘려 주십시오.",
            exit_code=4,
        )
    return None


# --- one queue for one host --------------------------------------------------------------------

Rank = tuple[bool, date]
"""Whether a request was in vain before, and since when it waits: the lower goes first."""

FIRST_RANK: Rank = (False, date.min)

LIST_KINDS = ("list", "recheck", "total", "export", "total_recheck", "api")
"""Kinds that make the list, of whatever source; each pass asks for them anew."""

PASS_KINDS = (*LIST_KINDS, "page")
"""Kinds that each pass asks for anew; a watched page is a board of its own."""

TURNS = {"robots": 0, **dict.fromkeys(PASS_KINDS, 1), "detail": 2, "file": 3}
"""Kind → turn; a page 1 once more waits in the line of the list."""


class Frontier:
    """What is still to be asked of one host, and what was asked before: each visit once.

    robots.txt comes before the list, the list before details, details before files; within one of
    these the lowest rank goes first, and of equal ones the first that came (breadth first). Of what
    was asked, digests of 16 bytes are remembered, so a list of 120,000 pages takes little memory.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Rank, int, PageRequest]] = []
        self._n_added = 0
        self._visits: set[bytes] = set()
        self._bodies: set[bytes] = set()

    def add(self, request: PageRequest, rank: Rank = FIRST_RANK) -> bool:
        """Put a request into the queue; return False where the same visit was added before.

        Args:
            request: What to ask for.
            rank: Whether it was asked for in vain before, and since when it waits.
        """
        visit = _digest_visit(request)
        if visit in self._visits:
            return False
        self._visits.add(visit)
        self._n_added += 1
        heappush(self._waiting, (TURNS[request.kind], rank, self._n_added, request))
        return True

    def next(self) -> PageRequest | None:
        """Take the request whose turn it is, None when nothing waits."""
        return heappop(self._waiting)[-1] if self._waiting else None

    def __iter__(self) -> Iterator[PageRequest]:
        """Take one request after the other, those included that are added meanwhile."""
        return iter(self.next, None)

    def has_seen(self, sha256: str) -> bool:
        """Say whether a body came before, under whatever address, and remember it.

        Args:
            sha256: 64 hex digits.
        """
        body = bytes.fromhex(sha256)[:DIGEST_BYTES]
        is_known = body in self._bodies
        self._bodies.add(body)
        return is_known


def _digest_visit(request: PageRequest) -> bytes:
    """Return what two requests for the same visit share; each pass visits its pages anew."""
    parts: tuple[str, ...] = request.identity
    if request.kind in PASS_KINDS:
        parts += (request.kind, str(request.pass_no))
    return blake2b("\0".join(parts).encode(), digest_size=DIGEST_BYTES).digest()


# --- what lies behind the list -----------------------------------------------------------------

MAX_NEW_VALIDATORS = 3
"""After so many visits in a row with other validators each time they say nothing."""

MAX_VALIDATOR_CHARS = 512


class DueReason(StrEnum):
    """Why a detail page is asked for, in the order of their turns."""

    NEW = "new"
    CHANGED = "changed"
    WEEKLY = "weekly"
    TOTAL = "total"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class RowLink:
    """A row's link to its detail page.

    Attributes:
        url: In normal form.
        row_digest: Digest of the row, by which a changed row is seen.
    """

    url: str
    row_digest: str


@dataclass(frozen=True, slots=True)
class PlannedDetail:
    """A detail page that is due, and why."""

    request: PageRequest
    reason: DueReason


def plan_details(
    links: Sequence[RowLink],
    known: Mapping[RequestIdentity, KnownPage],
    *,
    rose_at: datetime | None,
    cycle_start: date,
    asked_by: str,
) -> tuple[PlannedDetail, ...]:
    """Return every detail page that is due, each once, in the order in which they are asked for.

    Unknown pages first, then those of changed rows, then those not fully checked since
    `cycle_start`, then, after a risen total, all others; last those of which only files are still
    to come, which need not be asked for themselves. Each group is newest first; of the full
    check those that have waited longest come before, so that none waits for ever where the
    budget holds only a part of them. Only what a risen total alone makes due is conditional: a row
    that changed is better evidence than a validator.

    Args:
        links: In list order, newest first; a pinned row may lead to the same page as another.
        known: What the history knows of detail pages and files.
        rose_at: Start of the run that last found the list longer than before, None for never:
            pages that nobody has asked for since then are due.
        cycle_start: Day since which every page must have had an unconditional answer.
        asked_by: Digest of who asks.
    """
    digests: dict[str, set[str]] = {}
    for link in links:
        digests.setdefault(link.url, set()).add(link.row_digest)
    planned = []
    for url, row_digests in digests.items():
        request = PageRequest(url, "detail")
        page = known.get(request.identity)
        reason = _find_reason(page, row_digests, rose_at=rose_at, cycle_start=cycle_start)
        if reason is DueReason.TOTAL and page is not None:
            request = replace(request, validators=due_validators(page, asked_by=asked_by))
        if reason is not None:
            planned.append((_turn_of(reason, page), PlannedDetail(request, reason)))
    return tuple(detail for _, detail in sorted(planned, key=lambda each: each[0]))


def _find_reason(
    page: KnownPage | None, row_digests: set[str], *, rose_at: datetime | None, cycle_start: date
) -> DueReason | None:
    if page is None:
        return DueReason.NEW
    if page.row_digest not in row_digests:
        return DueReason.CHANGED
    if page.full_checked_on < cycle_start:
        return DueReason.WEEKLY
    if rose_at is not None and page.fetched_at < rose_at:
        return DueReason.TOTAL
    return None if page.is_whole else DueReason.FILES


def _turn_of(reason: DueReason, page: KnownPage | None) -> tuple[int, date]:
    waits_since = page.full_checked_on if page and reason is DueReason.WEEKLY else date.min
    return list(DueReason).index(reason), waits_since


def plan_file(
    request: PageRequest,
    known: Mapping[RequestIdentity, KnownPage],
    *,
    changed_at: datetime | None,
    cycle_start: date,
    asked_by: str,
) -> PageRequest | None:
    """Return the request for a file of a detail page, None where it is not due.

    Args:
        request: As it would be sent unconditionally.
        known: What the history knows of detail pages and files.
        changed_at: When the page that links to it was last found to be another than before, None
            where nothing is left of that; a file that nobody has asked for since then is asked
            for conditionally.
        cycle_start: Day since which every file must have had an unconditional answer.
        asked_by: Digest of who asks.
    """
    page = known.get(request.identity)
    if page is None or page.full_checked_on < cycle_start:
        return request
    if changed_at is None or page.fetched_at >= changed_at:
        return None
    return replace(request, validators=due_validators(page, asked_by=asked_by))


def due_validators(known: KnownPage, *, asked_by: str) -> Headers:
    """Return the conditional header fields that may be sent; none where they would say nothing.

    They would where somebody else asked (other headers may get another page), where they were
    different at each of the last visits, and where they cannot stand in a header field.
    """
    if known.asked_by != asked_by or known.n_new_validators >= MAX_NEW_VALIDATORS:
        return ()
    return tuple(
        (name, value)
        for name, value in known.validators
        if len(value) <= MAX_VALIDATOR_CHARS and value.isascii() and value.isprintable()
    )


def count_new_validators(known: KnownPage | None, etag: str, last_modified: str) -> int:
    """Return on how many visits in a row, this one included, the validators were other ones.

    Args:
        known: The page as the visit before left it, None before the first.
        etag: As received, "" for none.
        last_modified: As received, "" for none.
    """
    if known is None or (etag, last_modified) == (known.etag, known.last_modified):
        return 0
    return known.n_new_validators + 1


def full_check_start(day: date, last: date | None, *, every_days: int) -> date:
    """Return the day on which the current full check began: this day, or the last one's.

    Args:
        day: The run's day.
        last: Start of the last full check, None before the first.
        every_days: At the latest after so many days a full check begins; on Sundays anyway.
    """
    if last is None or day.isoweekday() == SUNDAY or (day - last).days >= every_days:
        return day
    return last
