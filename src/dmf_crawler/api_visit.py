"""The open API of one visit: all pages, and all of them again, until they make one list.

The order of its records changes from call to call, so one pass shows some twice and others not at
all (docs/politeness.md).
"""

from __future__ import annotations

from dmf_crawler.acquire.frontier import count_pages, foresee
from dmf_crawler.acquire.source_request import api_request
from dmf_crawler.boards import OpenApiSource
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.list_visit import Progress
from dmf_crawler.model.page import PageRequest
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.recording import split_numbers
from dmf_crawler.snapshot import unite_passes
from dmf_crawler.visit import Visit
from dmf_crawler.watch import Watch


def read_api(visit: Visit[Watch], on_progress: Progress) -> Fault | None:
    """Read all pages at least `n_passes` times, and again while what was read makes no list.

    A list that is none after the last pass is not named here: `process` finds that in the bytes.
    """
    watch, source = visit.watch, openapi_of(visit.watch)
    visit.begin_phase("api")
    passes: list[list[PageTable]] = []
    for pass_no in range(1, source.max_passes + 1):
        tables = _read_pass(visit, source, pass_no, on_progress)
        if isinstance(tables, Fault):
            return tables
        passes.append(tables)
        if pass_no >= source.n_passes:
            known_split = split_numbers(watch.store, watch.board.id)
            merged = unite_passes(passes, watch, known_split)
            if not (isinstance(merged, Fault) and merged.is_retryable):
                return None
    return None


def _read_pass(
    visit: Visit[Watch], source: OpenApiSource, pass_no: int, on_progress: Progress
) -> list[PageTable] | Fault:
    """Read all pages once; how many rows a page has, page 1 shows."""
    tables: list[PageTable] = []
    n_pages = 1
    while len(tables) < n_pages:
        request = _request(visit.watch, source, len(tables) + 1, pass_no)
        table = visit.ask_in_turn(request, lambda raw: read_api_page(raw, visit.watch.selectors))
        if isinstance(table, Fault):
            return table
        tables.append(table)
        if len(tables) == 1:
            n_pages = max(count_pages(table.announced_total, max(len(table.rows), 1)), 1)
            if pass_no == 1 and (refusal := _foresee(table, source, visit)):
                return refusal
        visit.pass_no = pass_no
        visit.note_progress(len(tables), n_pages)
        on_progress(len(tables), n_pages)
    return tables


def _foresee(first: PageTable, source: OpenApiSource, visit: Visit[Watch]) -> Fault | None:
    """Say that the rest of the passes does not fit; page 1 is there, and not asked for again."""
    visit.log("list_found", pass_no=1, announced_total=first.announced_total)
    page_size = max(len(first.rows), 1)
    n_pages = count_pages(first.announced_total, page_size)
    return foresee(
        first.announced_total,
        page_size,
        n_kept=1 - (source.n_passes - 1) * n_pages,
        n_requests_left=visit.fetcher.n_requests_left(),
        seconds_left=visit.fetcher.seconds_left(),
        delay_s=visit.fetcher.throttle.delay_s,
    )


def first_api_request(watch: Watch) -> PageRequest:
    """Return the request for page 1 of the first pass."""
    return _request(watch, openapi_of(watch), 1, 1)


def _request(watch: Watch, source: OpenApiSource, page_no: int, pass_no: int) -> PageRequest:
    base_url = watch.home.base_url_of(watch.board, "openapi")
    return api_request(base_url, source, page_no, pass_no=pass_no)


def openapi_of(watch: Watch) -> OpenApiSource:
    """Return how a board's open API is asked for.

    Raises:
        RuntimeError: It has none; the configuration was checked before.
    """
    if watch.board.openapi is None:
        raise RuntimeError(f"{watch.board.id} has no openapi section")
    return watch.board.openapi
