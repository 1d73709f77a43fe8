"""The site's own workbook: one request, between two looks at page 1 of the list.

Page 1 says how many records there are, which is what the workbook must hold; page 1 once more
afterwards says that the list did not change meanwhile.
"""

from __future__ import annotations

from dmf_crawler.acquire.frontier import list_request
from dmf_crawler.acquire.source_request import export_request
from dmf_crawler.boards import ExportSource
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.hosts import Hosts
from dmf_crawler.list_visit import Progress, find_page_size, html_of, read_first_page
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from dmf_crawler.snapshot import shows_same
from dmf_crawler.visit import Visit
from dmf_crawler.watch import Watch

N_STEPS = 3
"""Page 1, the workbook, page 1 once more."""


def read_export(hosts: Hosts[Watch], on_progress: Progress, *, needs_total: bool) -> Fault | None:
    """Ask for the workbook, page 1 before and after; all of it again while page 1 changes.

    A race that stays after the last pass is not named here: `process` finds it in the bytes.

    Args:
        hosts: Where it is asked for.
        on_progress: Told after each request.
        needs_total: Whether page 1 is asked for, too: where no other source of this run has told
            how many records there are.
    """
    watch = hosts.watch
    if not needs_total or watch.board.html is None:
        workbook = _read_workbook(hosts, 1)
        on_progress(1, 1)
        return workbook if isinstance(workbook, Fault) else None
    for pass_no in range(1, watch.home.settings.budget.max_passes + 1):
        is_same = _read_between(hosts, pass_no, on_progress)
        if isinstance(is_same, Fault):
            return is_same
        if is_same:
            return None
    return None


def _read_between(hosts: Hosts[Watch], pass_no: int, on_progress: Progress) -> bool | Fault:
    """Ask for page 1, workbook and page 1 again; say whether page 1 stayed the same."""
    pages = _enter_list(hosts)
    if isinstance(pages, Fault):
        return pages
    pages.begin_phase("export", N_STEPS)
    pages.pass_no = pass_no
    page_size, before = find_page_size(pages, kind="total", pass_no=pass_no)
    if isinstance(before, Fault):
        return before
    on_progress(1, N_STEPS)
    workbook = _read_workbook(hosts, pass_no)
    if isinstance(workbook, Fault):
        return workbook
    on_progress(2, N_STEPS)
    pages = _enter_list(hosts)
    if isinstance(pages, Fault):
        return pages
    after = read_first_page(pages, page_size, kind="total_recheck", pass_no=pass_no)
    on_progress(N_STEPS, N_STEPS)
    return after if isinstance(after, Fault) else shows_same(before, after)


def _enter_list(hosts: Hosts[Watch]) -> Visit[Watch] | Fault:
    watch = hosts.watch
    source = html_of(watch)
    return hosts.enter("html", list_request(watch.base_url, source, 1, source.page_size))


def _read_workbook(hosts: Hosts[Watch], pass_no: int) -> PageTable | Fault:
    watch = hosts.watch
    source = export_of(watch)
    base_url = watch.home.base_url_of(watch.board, "export")
    request = export_request(base_url, source, pass_no=pass_no)
    visit = hosts.enter("export", request)
    if isinstance(visit, Fault):
        return visit
    visit.begin_phase("export", N_STEPS)
    visit.pass_no = pass_no
    return visit.ask_in_turn(
        request, lambda raw: read_workbook(raw, watch.selectors, most_rows=source.max_rows)
    )


def export_of(watch: Watch) -> ExportSource:
    """Return how a board's workbook is asked for.

    Raises:
        RuntimeError: It has none; the configuration was checked before.
    """
    if watch.board.export is None:
        raise RuntimeError(f"{watch.board.id} has no export section")
    return watch.board.export
