"""One run's visit to the site: robots.txt, page 1, all pages, page 1 again; every byte on disk.

Each page is looked at as soon as it is kept, from the disk, so that an error page is asked for
again and a list that changed meanwhile is read again. What the pages say is not used further:
`pipeline.process` reads the same bytes afresh.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import count_pages, foresee, list_request, robots_request
from dmf_crawler.acquire.robots import RobotsGate, read_robots
from dmf_crawler.errors import SendError
from dmf_crawler.extract.dedup import merge_pages
from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault, Run
from dmf_crawler.persist.recording import split_numbers
from dmf_crawler.persist.runs import host_wait, last_finish, set_host_wait
from dmf_crawler.watch import Watch
from dmf_crawler.world import World

Progress = Callable[[int, int], None]
"""Told after each page how many are read and how many there are (in this pass)."""

LOG = logging.getLogger(__name__)

SIZE_REFUSALS = frozenset({"http_status", "error_page", "redirect_out_of_scope"})
"""How a site may answer a page size that it does not allow; the next smaller one is tried.

A status that says "not now" (5xx, 429) is none: a server in trouble is not asked for more.
"""


@dataclass(frozen=True, slots=True)
class Crawled:
    """How a crawl ended.

    Attributes:
        fault: Why there is no whole list on disk, None where there is.
        n_requests: Requests sent, robots.txt and retries included.
        warnings: Korean sentences about robots.txt.
    """

    fault: Fault | None
    n_requests: int
    warnings: tuple[str, ...] = ()


def crawl(run: Run, watch: Watch, world: World, *, on_progress: Progress) -> Crawled:
    """Keep every page of one consistent read of the list, or say why not."""
    settings, host = watch.home.settings, urlsplit(watch.base_url).hostname or ""
    limits = FetchLimits(
        n_requests=settings.budget.requests_per_day - watch.raw_store.n_requests(run.day, host),
        deadline_s=world.monotonic() + settings.budget.run_deadline_s,
        scope=watch.board.html.scope,
        not_before=host_wait(watch.store, host),
    )
    fetcher = Fetcher(
        world=world, identity=settings.identity, politeness=settings.politeness, limits=limits
    )
    _rest_after_last_run(watch, world)
    visit = Visit(run, watch, fetcher, world.now)
    try:
        gate = visit.pass_robots()
        fault = gate if isinstance(gate, Fault) else visit.read_list(on_progress)
    finally:  # what the server asked for holds whatever else goes wrong
        if fetcher.not_before is not None:
            set_host_wait(watch.store, host, fetcher.not_before)
    return Crawled(fault, fetcher.n_requests, () if isinstance(gate, Fault) else gate.warnings)


def _rest_after_last_run(watch: Watch, world: World) -> None:
    """Keep the pause between two requests also between two runs, or two boards of one run.

    The end of a run is known to the second, and lies behind its last answer.
    """
    delay_s = watch.home.settings.politeness.min_delay_s
    last = last_finish(watch.store)
    if last is None or not delay_s:
        return
    rest_s = delay_s + 1 - (world.now() - last).total_seconds()
    if rest_s > 0:
        world.sleep(min(rest_s, delay_s + 1))


@dataclass(frozen=True, slots=True)
class Visit:
    """One run's visit to the site: what is asked, kept and looked at, page by page."""

    run: Run
    watch: Watch
    fetcher: Fetcher
    now: Callable[[], datetime]

    def pass_robots(self) -> RobotsGate | Fault:
        """Ask robots.txt before anything else; say why the list must not be asked for."""
        answer = self.fetcher.fetch(
            robots_request(self.watch.base_url), keep=self._keep, on_failure=self._note
        )
        product_token = self.watch.home.settings.identity.product_token
        gate = read_robots(answer, product_token=product_token)
        if isinstance(gate, Fault):
            return gate
        for warning in gate.warnings:
            LOG.warning("robots_warning", extra={"run_id": self.run.run_id, "detail": warning})
        self.fetcher.obey(gate)
        return gate.forbid(self._list_request(1, self.watch.board.html.page_size).url) or gate

    def read_list(self, on_progress: Progress) -> Fault | None:
        """Read page 1, all pages, page 1 again; all of it again while the list changes meanwhile.

        A race that stays after the last pass is not named here: `process` finds it in the bytes.
        """
        known_split = split_numbers(self.watch.store, self.watch.board.id)
        page_size, first = self._read_first_page()
        for pass_no in range(1, self.watch.home.settings.budget.max_passes + 1):
            if isinstance(first, Fault):
                return first
            fault = self._find_short_page(first) or self._foresee(first)
            if fault is not None:
                return fault if pass_no == 1 else None
            tables = self._read_pass(first, page_size, pass_no, on_progress)
            if isinstance(tables, Fault):
                return tables
            merged = merge_pages(
                tables[:-1], tables[-1], self.watch.selectors, split_numbers=known_split
            )
            if not isinstance(merged, Fault) or not merged.is_retryable:
                return None
            self._log("list_changed_meanwhile", pass_no=pass_no, code=merged.code)
            if pass_no < self.watch.home.settings.budget.max_passes:
                first = self._read(self._list_request(1, page_size, pass_no=pass_no + 1))
        return None

    def _read_first_page(self) -> tuple[int, PageTable | Fault]:
        """Read page 1 with the first page size that the site does not refuse."""
        source = self.watch.board.html
        page_size = source.page_size
        first = self._read(self._list_request(1, page_size))
        for smaller in source.page_size_fallbacks:
            if not isinstance(first, Fault) or first.code not in SIZE_REFUSALS:
                break
            if first.code == "http_status" and first.is_retryable:
                break
            page_size = smaller
            first = self._read(self._list_request(1, page_size))
        return page_size, first

    def _find_short_page(self, first: PageTable) -> Fault | None:
        """Say that page 1 has too few rows to be one of many (the owner's G-1)."""
        least = min(self.watch.selectors.file.row.min_expected, first.announced_total)
        if len(first.rows) >= least:
            return None
        return Fault(
            "short_page",
            f"첫 쪽에 {len(first.rows):,}건뿐입니다(최소 {least:,}건, 사이트의 총 "
            f"{first.announced_total:,}건). 2쪽부터는 요청하지 않았습니다. "
            "사이트가 바뀌었는지 원본 페이지를 확인하십시오.",
            exit_code=4,
        )

    def _foresee(self, first: PageTable) -> Fault | None:
        return foresee(
            first.announced_total,
            max(len(first.rows), 1),
            n_requests_left=self.fetcher.n_requests_left(),
            seconds_left=self.fetcher.seconds_left(),
            delay_s=self.fetcher.throttle.delay_s,
        )

    def _read_pass(
        self, first: PageTable, page_size: int, pass_no: int, on_progress: Progress
    ) -> Sequence[PageTable] | Fault:
        """Read pages 2 to n and page 1 once more; how many rows a page has, page 1 showed."""
        n_pages = max(count_pages(first.announced_total, max(len(first.rows), 1)), 1)
        self._log(
            "list_found",
            pass_no=pass_no,
            announced_total=first.announced_total,
            n_rows_a_page=len(first.rows),
            n_pages=n_pages,
        )
        requests = [
            self._list_request(number, page_size, pass_no=pass_no)
            for number in range(2, n_pages + 1)
        ]
        requests.append(self._list_request(1, page_size, pass_no=pass_no, kind="recheck"))
        tables = [first]
        for request in requests:
            on_progress(len(tables), n_pages + 1)
            table = self._read(request)
            if isinstance(table, Fault):
                return table
            tables.append(table)
        on_progress(len(tables), n_pages + 1)
        return tables

    def _list_request(
        self, page_no: int, page_size: int, *, pass_no: int = 1, kind: str = "list"
    ) -> PageRequest:
        source = self.watch.board.html
        return list_request(
            self.watch.base_url, source, page_no, page_size, pass_no=pass_no, kind=kind
        )

    def _read(self, request: PageRequest) -> PageTable | Fault:
        """Fetch, keep and look at one page; what is looked at is what the disk gives back."""
        tables: list[PageTable] = []

        def keep_and_look(page: FetchedPage) -> Fault | None:
            raw = self.watch.raw_store.put(self.run, page)
            if page.status != 200:
                return None
            table = read_page(raw, self.watch.selectors)
            if isinstance(table, Fault):
                self._log(
                    "page_unusable", page_no=request.page_no, attempt=page.attempt, code=table.code
                )
                return table
            tables.append(table)
            return None

        answer = self.fetcher.fetch(request, keep=keep_and_look, on_failure=self._note)
        return answer if isinstance(answer, Fault) else tables[-1]

    def _keep(self, page: FetchedPage) -> None:
        self.watch.raw_store.put(self.run, page)

    def _log(self, event: str, **details: object) -> None:
        LOG.info(event, extra={"run_id": self.run.run_id, **details})

    def _note(self, request: PageRequest, error: SendError, attempt: int) -> None:
        self._log("request_failed", page_no=request.page_no, attempt=attempt, code=error.code)
        self.watch.raw_store.note_failure(
            self.run, request, code=error.code, at=self.now(), attempt=attempt
        )
