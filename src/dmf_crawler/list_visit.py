"""The list of one visit: the page size that works, all pages, once more while it changes."""

from __future__ import annotations

from collections.abc import Callable

from dmf_crawler.acquire.frontier import count_pages, foresee, list_request
from dmf_crawler.boards import HtmlSource
from dmf_crawler.consistent_read import read_consistent
from dmf_crawler.extract.joining import PassCheck
from dmf_crawler.model.page import PageRequest
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from dmf_crawler.snapshot import read_list_page
from dmf_crawler.visit import Visit
from dmf_crawler.watch import Watch

Progress = Callable[[int, int], None]
"""Told after each page how many are read and how many there are (in this pass)."""

SIZE_REFUSALS = frozenset({"http_status", "error_page", "redirect_out_of_scope"})
"""How a site may answer a page size that it does not allow; the next smaller one is tried.

A status that says "not now" (5xx, 429) is none: a server in trouble is not asked for more.
"""


def read_list(visit: Visit[Watch], on_progress: Progress) -> Fault | None:
    """Read page 1, all pages, page 1 again; all of it again while the list changes meanwhile.

    A race that stays after the last pass is not named here: `process` finds it in the bytes.
    """
    watch = visit.watch
    visit.begin_phase("list")
    page_size, first = find_page_size(visit)
    if isinstance(first, Fault):
        return first
    first_read = {1: first}

    def read(page_no: int, pass_no: int, kind: str) -> PageTable | Fault:
        if kind == "list" and page_no == 1:
            if pass_no in first_read:
                return first_read.pop(pass_no)
            # The list is another one: what an earlier run saw behind its rows says nothing of it.
            visit.kept = visit.kept.without_details()
        request = _list_request(watch, page_no, page_size, pass_no=pass_no, kind=kind)
        return visit.ask_in_turn(request, lambda raw: read_list_page(raw, watch))

    def may_go_on(table: PageTable, pass_no: int) -> Fault | None:
        visit.log("list_found", pass_no=pass_no, announced_total=table.announced_total)
        return _find_short_page(table, watch) or _foresee(table, pass_no, page_size, visit)

    def on_page(n_done: int, n_pages: int, pass_no: int) -> None:
        visit.pass_no = pass_no
        visit.note_progress(n_done, n_pages)
        on_progress(n_done, n_pages)

    return read_consistent(
        read,
        max_passes=watch.home.settings.budget.max_passes,
        check=lambda: PassCheck(watch.selectors),
        may_go_on=may_go_on,
        on_page=on_page,
    )


def find_page_size(
    visit: Visit[Watch], *, kind: str = "list", pass_no: int = 1
) -> tuple[int, PageTable | Fault]:
    """Read page 1 with the first page size that the site does not refuse."""
    source = html_of(visit.watch)
    sizes = iter(dict.fromkeys((source.page_size, *source.page_size_fallbacks)))
    page_size = next(sizes)
    first = read_first_page(visit, page_size, kind=kind, pass_no=pass_no)
    for smaller in sizes:
        if not isinstance(first, Fault) or first.code not in SIZE_REFUSALS:
            break
        if first.code == "http_status" and first.is_retryable:
            break
        page_size = smaller
        first = read_first_page(visit, page_size, kind=kind, pass_no=pass_no)
    return page_size, first


def read_first_page(
    visit: Visit[Watch], page_size: int, *, kind: str = "list", pass_no: int = 1
) -> PageTable | Fault:
    """Ask for page 1 with one page size."""
    request = _list_request(visit.watch, 1, page_size, kind=kind, pass_no=pass_no)
    return visit.ask_in_turn(request, lambda raw: read_list_page(raw, visit.watch))


def _list_request(
    watch: Watch, page_no: int, page_size: int, *, pass_no: int = 1, kind: str = "list"
) -> PageRequest:
    source = html_of(watch)
    return list_request(watch.base_url, source, page_no, page_size, pass_no=pass_no, kind=kind)


def html_of(watch: Watch) -> HtmlSource:
    """Return how a board's pages are asked for.

    Raises:
        RuntimeError: It has none; the configuration was checked before.
    """
    if watch.board.html is None:
        raise RuntimeError(f"{watch.board.id} has no html section")
    return watch.board.html


def _find_short_page(first: PageTable, watch: Watch) -> Fault | None:
    """Say that page 1 has too few rows to be one of many (the owner's G-1)."""
    least = min(watch.selectors.file.row.min_expected, first.announced_total)
    if len(first.rows) >= least:
        return None
    return Fault(
        "short_page",
        f"첫 쪽에 {len(first.rows):,}건뿐입니다(최소 {least:,}건, 사이트의 총 "
        f"{first.announced_total:,}건). 2쪽부터는 요청하지 않았습니다. "
        "사이트가 바뀌었는지 원본 페이지를 확인하십시오.",
        exit_code=4,
    )


def _foresee(first: PageTable, pass_no: int, asked_size: int, visit: Visit[Watch]) -> Fault | None:
    """Say that the rest of the list does not fit; what an earlier run kept costs nothing."""
    page_size = max(len(first.rows), 1)
    rest = (
        _list_request(visit.watch, number, asked_size, pass_no=pass_no)
        for number in range(2, count_pages(first.announced_total, page_size) + 1)
    )
    return foresee(
        first.announced_total,
        page_size,
        n_kept=sum(map(visit.kept.has, rest)),
        n_requests_left=visit.fetcher.n_requests_left(),
        seconds_left=visit.fetcher.seconds_left(),
        delay_s=visit.fetcher.throttle.delay_s,
    )
