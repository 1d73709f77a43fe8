"""A run's kept list pages → one snapshot, the addresses of detail pages resolved.

Of pages, none but those in the run's own raw folder are read, so a re-parse sees what the run saw.
Used by `pipeline.process` and, between list and details of a visit, by `crawl`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dmf_crawler.acquire.robots import says_nofollow
from dmf_crawler.acquire.robots_file import MAX_ROBOTS_BYTES
from dmf_crawler.acquire.urls import LinkRefusal, follow_link
from dmf_crawler.extract.dedup import merge_last_pass
from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageTable, Snapshot
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.recording import split_numbers
from dmf_crawler.watch import Watch


def read_snapshot(watch: Watch, folder: Path) -> Snapshot | Fault:
    """Read the last pass of a run's kept list pages into one snapshot, detail addresses resolved.

    A pass counts when it was read to its end or given up; one that was cut short says nothing.
    """
    tables: dict[tuple[int, str, int], PageTable | Fault] = {}
    for page in watch.raw_store.pages(folder):
        request = page.request
        if request.kind in {"list", "recheck"} and page.status == 200:
            # A page that was asked for again after a fault: the last answer counts.
            place = request.pass_no, request.kind, request.page_no
            tables[place] = read_list_page(page, watch)
    known_split = split_numbers(watch.store, watch.board.id)
    snapshot = merge_last_pass(tables, watch.selectors, split_numbers=known_split)
    if snapshot is None:
        return _name_incomplete(tables)
    return snapshot if isinstance(snapshot, Fault) else _resolve_links(snapshot, watch)


def read_robots_answer(watch: Watch, folder: Path) -> tuple[int, bytes] | None:
    """Return status and (parsed part of the) body of a run's last robots.txt, None for none."""
    answer = None
    for page in watch.raw_store.pages(folder):
        if page.request.kind == "robots":
            answer = page.status, page.body[:MAX_ROBOTS_BYTES]
    return answer


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


def _name_incomplete(tables: dict[tuple[int, str, int], PageTable | Fault]) -> Fault:
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
