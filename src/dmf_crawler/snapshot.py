"""A run's kept pages → one snapshot of the list, of whatever source; detail addresses resolved.

Of pages, none but those in the run's own raw folder are read, so a re-parse sees what the run saw.
Used by `pipeline.process` and, between list and details of a visit, by `crawl`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dmf_crawler.acquire.frontier import count_pages
from dmf_crawler.acquire.robots import says_nofollow
from dmf_crawler.acquire.robots_file import MAX_ROBOTS_BYTES
from dmf_crawler.acquire.urls import LinkRefusal, follow_link
from dmf_crawler.boards import LEAST_API_PASSES, MOST_EXPORT_ROWS, SourceName
from dmf_crawler.extract.dedup import merge_api_passes, merge_export, merge_last_pass
from dmf_crawler.extract.list_faults import race
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageTable, Snapshot
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.recording import split_numbers
from dmf_crawler.watch import OpenBoard, Watch

SOURCE_OF_KIND: Mapping[str, SourceName] = {
    "list": "html",
    "recheck": "html",
    "total": "export",
    "export": "export",
    "total_recheck": "export",
    "api": "openapi",
}
"""Kind of request → the source that it was sent for."""

Place = tuple[int, str, int]
"""Pass, kind and page number."""


def find_primary(watch: Watch, folder: Path) -> SourceName:
    """Return the source that a run's list was read from: what it asked for first.

    The board's own, as it is configured now, where the folder tells of none.
    """
    return next(_find_sources(watch, folder), watch.board.primary)


def has_source(watch: Watch, folder: Path, source: SourceName) -> bool:
    """Say whether a run asked for anything of a source."""
    return source in _find_sources(watch, folder)


def _find_sources(watch: Watch, folder: Path) -> Iterator[SourceName]:
    for visit in watch.raw_store.told_visits(folder):
        if visit.request.kind in SOURCE_OF_KIND:
            yield SOURCE_OF_KIND[visit.request.kind]


def read_snapshot(watch: Watch, folder: Path) -> Snapshot | Fault:
    """Read a run's kept pages of its primary source into one snapshot."""
    return read_source(watch, folder, find_primary(watch, folder))


def read_source(
    watch: Watch, folder: Path, source: SourceName, *, beside: Snapshot | None = None
) -> Snapshot | Fault:
    """Read a run's kept pages of one source into one snapshot.

    Args:
        watch: The board.
        folder: The run's.
        source: Which source.
        beside: For a cross-check the list that it is compared with: numbers that do not identify a
            record there do not here either.
    """
    known_split = split_numbers(watch.store, watch.board.id)
    if beside is not None:
        known_split |= frozenset(beside.split_numbers)
    if source == "html":
        return _read_pages(watch, folder, known_split)
    if source == "export":
        return _read_export(watch, folder, known_split)
    return _read_api(watch, folder, known_split)


def read_robots_answer(watch: OpenBoard, folder: Path) -> tuple[int, bytes] | None:
    """Return status and (parsed part of the) body of the last robots.txt of a board's own site.

    None where a run did not ask for it.
    """
    answer = None
    for page in watch.raw_store.pages(folder):
        if page.request.url == f"{watch.base_url}/robots.txt":
            answer = page.status, page.body[:MAX_ROBOTS_BYTES]
    return answer


# --- the site's own pages ------------------------------------------------------------------------


def _read_pages(watch: Watch, folder: Path, known_split: frozenset[str]) -> Snapshot | Fault:
    """Read the last pass of list pages, detail addresses resolved.

    A pass counts when it was read to its end or given up; one that was cut short says nothing.
    """
    tables: dict[Place, PageTable | Fault] = {}
    for page in _kept_pages(watch, folder, "html"):
        # A page that was asked for again after a fault: the last answer counts.
        tables[place_of(page)] = read_list_page(page, watch)
    snapshot = merge_last_pass(tables, watch.selectors, split_numbers=known_split)
    if snapshot is None:
        return _name_incomplete(tables)
    return snapshot if isinstance(snapshot, Fault) else _resolve_links(snapshot, watch)


def _kept_pages(watch: Watch, folder: Path, source: SourceName) -> Iterator[RawPage]:
    """Yield a run's usable answers of one source."""
    for page in watch.raw_store.pages(folder):
        if SOURCE_OF_KIND.get(page.request.kind) == source and page.status == 200:
            yield page


def place_of(page: RawPage) -> Place:
    """Return where an answer stands among those of its source."""
    return page.request.pass_no, page.request.kind, page.request.page_no


def read_list_page(page: RawPage, watch: Watch) -> PageTable | Fault:
    """Read one kept list page; a header that says nofollow counts as if the page did."""
    table = read_page(page, watch.selectors, watch.product_token)
    if isinstance(table, PageTable) and forbids_following(page, watch):
        return replace(table, follows_links=False)
    return table


def forbids_following(page: RawPage, watch: Watch) -> bool:
    """Say whether an answer's header asks us not to follow the page's links."""
    tags = [value for name, value in page.headers if name.lower() == "x-robots-tag"]
    return says_nofollow(tags, watch.product_token)


def _resolve_links(snapshot: Snapshot, watch: Watch) -> Snapshot:
    """Return the snapshot with the address of each record's detail page, where it has one."""
    if watch.detail_rules is None:
        return snapshot
    records = dict(snapshot.records)
    for key, (base, link) in snapshot.links.items():
        url = follow_link(base, link, watch.detail_rules)
        if not isinstance(url, LinkRefusal):
            records[key] = replace(records[key], detail_url=url)
    return replace(snapshot, records=records)


# --- the site's workbook -------------------------------------------------------------------------


def export_rows(watch: Watch) -> int:
    """Return how many rows the site writes into one workbook at most."""
    source = watch.board.export
    return MOST_EXPORT_ROWS if source is None else source.max_rows


def _read_export(watch: Watch, folder: Path, known_split: frozenset[str]) -> Snapshot | Fault:
    """Read the workbook of the last pass; page 1 around it must be the same before and after."""
    most_rows = export_rows(watch)
    tables: dict[Place, PageTable | Fault] = {}
    for page in _kept_pages(watch, folder, "export"):
        tables[place_of(page)] = (
            read_workbook(page, watch.selectors, most_rows=most_rows)
            if page.request.kind == "export"
            else read_list_page(page, watch)
        )
    workbooks = [place for place in tables if place[1] == "export"]
    if not workbooks:
        return _name_incomplete(tables)
    pass_no = max(workbooks)[0]
    table, total = tables[pass_no, "export", 0], _find_total(tables, pass_no)
    if isinstance(table, Fault):
        return table
    if isinstance(total, Fault):
        return total
    return merge_export(table, watch.selectors, announced_total=total, split_numbers=known_split)


def _find_total(tables: Mapping[Place, PageTable | Fault], pass_no: int) -> int | Fault | None:
    """Return what page 1 announced around a workbook, None where nobody asked for it."""
    if (pass_no, "total", 1) not in tables:
        return None
    before, after = (tables.get((pass_no, kind, 1)) for kind in ("total", "total_recheck"))
    if before is None or after is None:
        return _name_incomplete({})
    if isinstance(before, Fault):
        return before
    if isinstance(after, Fault):
        return after
    if not shows_same(before, after):
        return race("엑셀 파일을 받기 전과 받은 뒤의 1페이지가 다릅니다")
    return after.announced_total


def shows_same(before: PageTable, after: PageTable) -> bool:
    """Say whether page 1 is the same before and after the workbook."""
    rows = ([row.fields for row in (*table.pinned, *table.rows)] for table in (before, after))
    return before.announced_total == after.announced_total and next(rows) == next(rows)


# --- the open API --------------------------------------------------------------------------------


def _read_api(watch: Watch, folder: Path, known_split: frozenset[str]) -> Snapshot | Fault:
    """Read all passes that were read to their end."""
    tables: dict[Place, PageTable | Fault] = {}
    for page in _kept_pages(watch, folder, "openapi"):
        tables[place_of(page)] = read_api_page(page, watch.selectors)
    passes = []
    for pass_no in sorted({place[0] for place in tables}):
        of_pass = [table for place, table in sorted(tables.items()) if place[0] == pass_no]
        readable = [table for table in of_pass if isinstance(table, PageTable)]
        if len(readable) == len(of_pass) and _is_whole(readable):
            passes.append(readable)
    if len(passes) < LEAST_API_PASSES:
        return _name_incomplete(tables)
    return unite_passes(passes, watch, known_split)


def unite_passes(
    passes: Sequence[Sequence[PageTable]], watch: Watch, known_split: frozenset[str]
) -> Snapshot | Fault:
    """Unite all passes over the open API; where the list changed meanwhile, the last of them.

    Args:
        passes: At least `LEAST_API_PASSES`, all pages of each.
        watch: The board.
        known_split: Numbers that several records bear.

    Returns:
        The snapshot; or a fault of `merge_api_passes`, a race where even the last passes differ.
    """
    merged: Snapshot | Fault | None = None
    for n_left_out in range(len(passes) - LEAST_API_PASSES + 1):
        merged = merge_api_passes(passes[n_left_out:], watch.selectors, split_numbers=known_split)
        if not (isinstance(merged, Fault) and merged.is_retryable):
            return merged
    return merged or _name_incomplete({})


def _is_whole(tables: list[PageTable]) -> bool:
    first = tables[0]
    n_pages = max(count_pages(first.announced_total, max(len(first.rows), 1)), 1)
    return first.page_no == 1 and len(tables) == n_pages


def _name_incomplete(tables: Mapping[Place, PageTable | Fault]) -> Fault:
    faults = [table for table in tables.values() if isinstance(table, Fault)]
    if faults:
        return faults[-1]
    return Fault(
        "incomplete_pages",
        f"저장된 목록 페이지가 {len(tables)}쪽뿐이고 끝까지 읽은 기록이 없습니다. "
        "이 실행은 도중에 끝났으므로 다시 읽을 수 없습니다. 같은 날의 다른 실행을 고르십시오.",
        exit_code=6,
        is_retryable=True,
    )
