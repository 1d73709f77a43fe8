"""One run's visit to the site: robots.txt, the list, the detail pages; every byte on disk.

Each page is looked at as soon as it is kept, from the disk, so that an error page is asked for
again and a list that changed meanwhile is read again. What the pages say is not used further:
`pipeline.process` reads the same bytes afresh.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlsplit

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits, describe_identity
from dmf_crawler.acquire.frontier import foresee, full_check_start, list_request, robots_request
from dmf_crawler.acquire.robots import RobotsGate, describe_change, read_robots
from dmf_crawler.consistent_read import read_consistent
from dmf_crawler.extract.joining import PassCheck
from dmf_crawler.follow import DetailPlan, Follower, describe_followed
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault, Run
from dmf_crawler.persist.earlier_runs import (
    last_full_check,
    last_identity,
    last_rise,
    note_taken_over,
)
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.robots_seen import last_robots, record_robots
from dmf_crawler.persist.runs import host_wait, last_accepted_run, last_finish, set_host_wait
from dmf_crawler.snapshot import read_list_page, read_snapshot
from dmf_crawler.visit import KeptPages, Visit, find_kept_pages
from dmf_crawler.watch import Watch
from dmf_crawler.world import World

Progress = Callable[[int, int], None]
"""Told after each page how many are read and how many there are (in this pass)."""

SIZE_REFUSALS = frozenset({"http_status", "error_page", "redirect_out_of_scope"})
"""How a site may answer a page size that it does not allow; the next smaller one is tried.

A status that says "not now" (5xx, 429) is none: a server in trouble is not asked for more.
"""


NO_LINKS = (
    "목록에 따라갈 수 있는 상세 페이지 링크가 하나도 없습니다(링크 없음, 허용된 경로 밖, 또는 "
    "nofollow). 셀렉터의 details.link와 config/boards.yaml의 details.scope를 확인해 주십시오."
)


@dataclass(frozen=True, slots=True)
class Crawled:
    """How a crawl ended.

    Attributes:
        fault: Why there is no whole list on disk, None where there is.
        n_requests: Requests sent, robots.txt and retries included.
        warnings: Korean sentences for 요약.
        identity: Who asked, one line.
        full_check_from: Day on which the full check began that the crawl took part in.
        full_check_left: Pages that it has still to do.
    """

    fault: Fault | None
    n_requests: int
    warnings: tuple[str, ...] = ()
    identity: str = ""
    full_check_from: date | None = None
    full_check_left: int = 0


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What was asked for on the command line.

    Attributes:
        is_full: Nothing is conditional, and nothing is taken over from an earlier run.
        is_dry: The history stays as it is.
    """

    is_full: bool = False
    is_dry: bool = False


def crawl(
    run: Run, watch: Watch, world: World, *, on_progress: Progress, options: CrawlOptions
) -> Crawled:
    """Keep every page of one consistent read of the list and what is due behind it."""
    fetcher = _make_fetcher(run, watch, world)
    kept = KeptPages() if options.is_full or options.is_dry else find_kept_pages(run, watch)
    visit = Visit(run, watch, fetcher, world, kept)
    host = urlsplit(watch.base_url).hostname or ""
    _rest_after_last_run(watch, world)
    try:
        return _visit_site(visit, host, options, on_progress)
    finally:  # what the server asked for holds whatever else goes wrong
        if fetcher.not_before is not None:
            set_host_wait(watch.store, host, fetcher.not_before)


def _make_fetcher(run: Run, watch: Watch, world: World) -> Fetcher:
    settings, site = watch.home.settings, watch.home.site_of(watch.board)
    host = urlsplit(watch.base_url).hostname or ""
    source, details = watch.board.html, watch.board.details
    scopes = {"list": source.scope, "recheck": source.scope}
    if details is not None:
        scopes |= {"detail": details.scope, "file": details.file_scope}
    limits = FetchLimits(
        n_requests=settings.budget.requests_per_day - watch.raw_store.n_requests(run.day, host),
        deadline_s=world.monotonic() + settings.budget.run_deadline_s,
        scopes=scopes,
        blocked=site.blocked,
        not_before=host_wait(watch.store, host),
    )
    return Fetcher(
        world=world, identity=settings.identity, politeness=settings.politeness, limits=limits
    )


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


def _visit_site(visit: Visit, host: str, options: CrawlOptions, on_progress: Progress) -> Crawled:
    """Ask for robots.txt, the list and the details, in this order, as far as each allows."""
    settings = visit.watch.home.settings
    identity = describe_identity(settings.identity, settings.http.proxy)
    warnings = [*_warn_of_identity(visit.watch, identity)]
    gate = pass_robots(visit, host, is_recorded=not options.is_dry)
    crawled = Crawled(None, 0, identity=identity)
    if isinstance(gate, Fault):
        return replace(
            crawled, fault=gate, n_requests=visit.fetcher.n_requests, warnings=tuple(warnings)
        )
    warnings += gate.warnings
    fault = read_list(visit, on_progress)
    if visit.n_taken_over:
        note_taken_over(visit.watch.store, visit.run, visit.n_taken_over)
        warnings.append(
            f"중단된 실행 {visit.kept.run_id} 이 받아 둔 {visit.n_taken_over:,}쪽을 이어받아 "
            "나머지만 요청했습니다."
        )
    if fault is None:
        crawled, told = _check_details(visit, crawled, options)
        warnings += told
    return replace(
        crawled, fault=fault, n_requests=visit.fetcher.n_requests, warnings=tuple(warnings)
    )


def _warn_of_identity(watch: Watch, identity: str) -> tuple[str, ...]:
    last = last_identity(watch.store, watch.board.id)
    if last in {"", identity}:
        return ()
    sentence = (
        "요청하는 쪽의 정보(헤더 또는 프록시)가 지난 실행과 다릅니다. 사이트의 응답이 그 때문에 "
        f"달라질 수 있습니다. 이전: {last} / 이번: {identity}"
    )
    return (sentence,)


# --- robots.txt ----------------------------------------------------------------------------------


def pass_robots(visit: Visit, host: str, *, is_recorded: bool) -> RobotsGate | Fault:
    """Ask robots.txt before anything else; say why the list must not be asked for."""
    watch = visit.watch
    answer = visit.ask_robots(robots_request(watch.base_url))
    gate = read_robots(answer, product_token=watch.product_token)
    if isinstance(gate, Fault) or isinstance(answer, Fault):
        return gate
    gate = replace(gate, warnings=(*gate.warnings, *_tell_change(watch, host, answer)))
    if is_recorded:
        record_robots(watch.store, host, visit.run, answer.status, answer.body)
    for warning in gate.warnings:
        visit.log("robots_warning", detail=warning)
    visit.fetcher.obey(gate)
    return gate.forbid(_list_request(watch, 1, watch.board.html.page_size).url) or gate


def _tell_change(watch: Watch, host: str, answer: FetchedPage) -> tuple[str, ...]:
    """Return what robots.txt says otherwise than at the last visit of any board."""
    before = last_robots(watch.store, host)
    if before is None:
        return ()
    if before.status != answer.status:
        sentence = (
            f"robots.txt의 응답이 {before.day} 의 HTTP {before.status} 에서 HTTP {answer.status} "
            "로 바뀌었습니다. 사이트의 robots.txt를 확인해 주십시오."
        )
        return (sentence,)
    change = describe_change(before.body, answer.body, watch.product_token)
    return (f"{before.day} 이후 {change}",) if change else ()


# --- the list ------------------------------------------------------------------------------------


def read_list(visit: Visit, on_progress: Progress) -> Fault | None:
    """Read page 1, all pages, page 1 again; all of it again while the list changes meanwhile.

    A race that stays after the last pass is not named here: `process` finds it in the bytes.
    """
    watch = visit.watch
    page_size, first = _find_page_size(visit)
    if isinstance(first, Fault):
        return first
    first_read = {1: first}

    def read(page_no: int, pass_no: int, kind: str) -> PageTable | Fault:
        if kind == "list" and page_no == 1 and pass_no in first_read:
            return first_read.pop(pass_no)
        request = _list_request(watch, page_no, page_size, pass_no=pass_no, kind=kind)
        return visit.ask_in_turn(request, lambda raw: read_list_page(raw, watch))

    def may_go_on(table: PageTable, pass_no: int) -> Fault | None:
        visit.log("list_found", pass_no=pass_no, announced_total=table.announced_total)
        return _find_short_page(table, watch) or _foresee(table, pass_no, visit)

    def on_page(n_done: int, n_pages: int, pass_no: int) -> None:
        visit.n_done, visit.n_pages, visit.pass_no = n_done, n_pages, pass_no
        visit.note_checkpoint()
        on_progress(n_done, n_pages)

    return read_consistent(
        read,
        max_passes=watch.home.settings.budget.max_passes,
        check=lambda: PassCheck(watch.selectors),
        may_go_on=may_go_on,
        on_page=on_page,
    )


def _find_page_size(visit: Visit) -> tuple[int, PageTable | Fault]:
    """Read page 1 with the first page size that the site does not refuse."""
    source = visit.watch.board.html
    visit.begin_phase("list")
    sizes = iter(dict.fromkeys((source.page_size, *source.page_size_fallbacks)))
    page_size = next(sizes)
    first = _read_first_page(visit, page_size)
    for smaller in sizes:
        if not isinstance(first, Fault) or first.code not in SIZE_REFUSALS:
            break
        if first.code == "http_status" and first.is_retryable:
            break
        page_size = smaller
        first = _read_first_page(visit, page_size)
    return page_size, first


def _read_first_page(visit: Visit, page_size: int) -> PageTable | Fault:
    request = _list_request(visit.watch, 1, page_size)
    return visit.ask_in_turn(request, lambda raw: read_list_page(raw, visit.watch))


def _list_request(
    watch: Watch, page_no: int, page_size: int, *, pass_no: int = 1, kind: str = "list"
) -> PageRequest:
    source = watch.board.html
    return list_request(watch.base_url, source, page_no, page_size, pass_no=pass_no, kind=kind)


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


def _foresee(first: PageTable, pass_no: int, visit: Visit) -> Fault | None:
    """Say that the rest of the list does not fit; what an earlier run kept costs nothing."""
    n_kept, delay_s = visit.kept.count(pass_no), visit.fetcher.throttle.delay_s
    return foresee(
        first.announced_total,
        max(len(first.rows), 1),
        n_requests_left=visit.fetcher.n_requests_left() + n_kept,
        seconds_left=visit.fetcher.seconds_left() + n_kept * delay_s,
        delay_s=delay_s,
    )


# --- what lies behind the list -------------------------------------------------------------------


def _check_details(
    visit: Visit, crawled: Crawled, options: CrawlOptions
) -> tuple[Crawled, tuple[str, ...]]:
    """Ask for the details that are due; a board without any is checked in full by every run."""
    watch, run = visit.watch, visit.run
    details = watch.board.details
    if details is None:
        return replace(crawled, full_check_from=run.day), ()
    every_days = watch.home.settings.budget.full_check_days
    last_check = None if options.is_full else last_full_check(watch.store, watch.board.id)
    cycle_start = full_check_start(run.day, last_check, every_days=every_days)
    snapshot = read_snapshot(watch, watch.raw_store.folder(run))
    if isinstance(snapshot, Fault):  # `process` names it; nothing behind such a list is asked for
        return crawled, ()
    plan = DetailPlan(
        known=known_pages(watch.store, watch.board.id),
        asked_by=digest_identity(crawled.identity),
        cycle_start=cycle_start,
        rose_on=_rose_on(visit, len(snapshot.records)),
    )
    followed = Follower(visit, details, plan).follow(snapshot)
    crawled = replace(crawled, full_check_from=cycle_start, full_check_left=followed.n_full_left)
    told = describe_followed(followed)
    if not any(record.detail_url for record in snapshot.records.values()):
        told = (*told, NO_LINKS)
    return crawled, told


def _rose_on(visit: Visit, n_records: int) -> date | None:
    """Return the day on which the list was last found longer than before: today, or earlier."""
    store, board_id = visit.watch.store, visit.watch.board.id
    accepted = last_accepted_run(store, board_id)
    if accepted is not None and n_records > (accepted.n_rows or 0):
        return visit.run.day
    return last_rise(store, board_id)


def digest_identity(identity: str) -> str:
    """Return a short digest of who asks, by which validators are told apart."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
