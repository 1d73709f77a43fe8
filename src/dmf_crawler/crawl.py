"""One run's crawl: robots.txt, the list, details, cross-checks; every byte on disk.

Each page is looked at as soon as it is kept, from the disk, so that an error page is asked for
again and a list that changed meanwhile is read again. What the pages say is not used further:
`pipeline.process` reads the same bytes afresh.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from dmf_crawler.acquire.frontier import full_check_start, list_request
from dmf_crawler.api_visit import first_api_request, openapi_of, read_api
from dmf_crawler.boards import SourceName
from dmf_crawler.details import find_unread, list_detail_urls
from dmf_crawler.export_visit import read_export
from dmf_crawler.follow import DetailPlan, Follower, describe_followed
from dmf_crawler.hosts import Hosts
from dmf_crawler.list_visit import Progress, html_of, read_list
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.persist.checkpoints import read_checkpoints
from dmf_crawler.persist.earlier_runs import (
    last_full_check,
    last_identity,
    last_rise,
    note_taken_over,
)
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.runs import find_runs, last_accepted_run
from dmf_crawler.secret import describe_missing
from dmf_crawler.snapshot import read_snapshot
from dmf_crawler.visit import KeptPages, Visit, find_kept_pages
from dmf_crawler.watch import OpenBoard, Watch
from dmf_crawler.world import World

ENDED = "ended"
"""Phase of a crawl that is over."""


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
        cross_faults: Source of a cross-check → why it is not whole on disk.
        duration_s: What it took; None where nothing was asked for.
    """

    fault: Fault | None
    n_requests: int
    warnings: tuple[str, ...] = ()
    identity: str = ""
    full_check_from: date | None = None
    full_check_left: int = 0
    cross_faults: Mapping[SourceName, Fault] = field(default_factory=dict)
    duration_s: float | None = None


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
    """Keep every page of one consistent read of the list, what is due behind it, cross-checks."""
    kept = KeptPages() if options.is_full or options.is_dry else find_kept_pages(run, watch)
    started_s = world.monotonic()
    deadline_s = started_s + watch.home.settings.budget.run_deadline_s
    hosts = Hosts(run, watch, world, kept, deadline_s)
    rest_after_last_run(watch, world)
    crawled = Crawled(None, 0, identity=watch.identity)
    told: tuple[str, ...] = ()
    fault = _read_source(hosts, watch.board.primary, on_progress)
    if fault is None:
        crawled, told = _go_on(hosts, crawled, options, on_progress)
    told = (*warn_of_identity(watch), *hosts.warnings, *told, *_tell_taken_over(hosts))
    hosts.end(ENDED)
    return replace(
        crawled,
        fault=hosts.stopped or fault,
        n_requests=hosts.n_requests,
        warnings=told,
        duration_s=world.monotonic() - started_s,
    )


def _read_source(hosts: Hosts[Watch], source: SourceName, on_progress: Progress) -> Fault | None:
    """Keep every page of one source, or say why not; robots.txt of its host comes first."""
    watch = hosts.watch
    if source == "export":
        needs_total = watch.board.primary != "html"
        return read_export(hosts, on_progress, needs_total=needs_total)
    if source == "openapi":
        variable = openapi_of(watch).key_variable
        if variable not in hosts.world.keys:
            return Fault("api_key_missing", describe_missing(variable), exit_code=6)
        visit = hosts.enter(source, first_api_request(watch))
        return visit if isinstance(visit, Fault) else read_api(visit, on_progress)
    html = html_of(watch)
    visit = hosts.enter(source, list_request(watch.base_url, html, 1, html.page_size))
    return visit if isinstance(visit, Fault) else read_list(visit, on_progress)


def _go_on(
    hosts: Hosts[Watch], crawled: Crawled, options: CrawlOptions, on_progress: Progress
) -> tuple[Crawled, tuple[str, ...]]:
    """Ask for what comes behind a whole list: details that are due, then cross-checks."""
    board = hosts.watch.board
    if board.details is None and not board.cross_checks:  # the list need not be read now
        return replace(crawled, full_check_from=hosts.run.day), ()
    snapshot = read_snapshot(hosts.watch, hosts.watch.raw_store.folder(hosts.run))
    if isinstance(snapshot, Fault):  # `process` names it; nothing behind such a list is asked for
        return crawled, ()
    crawled, told = _check_details(hosts, snapshot, crawled, options)
    faults = {
        source: fault
        for source in board.cross_checks
        if (fault := _read_source(hosts, source, on_progress)) is not None
    }
    return replace(crawled, cross_faults=faults), told


def rest_after_last_run(watch: OpenBoard, world: World) -> None:
    """Keep the pause between two requests also between two runs, or two boards of one run.

    It is the pause that was in force when the last request ended; a whole one from now where a
    crawl was cut short and may have had one more request on its way.
    """
    politeness, rests_s = watch.home.settings.politeness, [0.0]
    used = [board for board in watch.home.list_boards if "export" in board.used_sources]
    deadlines_s = [board.export.request_deadline_s for board in used if board.export is not None]
    deadlines_s.append(politeness.request_deadline_s)
    for checkpoint in read_checkpoints(watch.store):
        delay_s = max(checkpoint.delay_s, politeness.min_delay_s)
        since_s = (world.now() - checkpoint.noted_at).total_seconds()
        longest_s = 2 * delay_s + politeness.backoff_cap_s + max(deadlines_s)
        if checkpoint.phase != ENDED and since_s <= longest_s:
            rests_s.append(delay_s)
        rests_s.append(min(delay_s - since_s, delay_s))
    if max(rests_s) > 0:
        world.sleep(max(rests_s))


def _tell_taken_over(hosts: Hosts[Watch]) -> tuple[str, ...]:
    if not hosts.n_taken_over:
        return ()
    note_taken_over(hosts.watch.store, hosts.run, hosts.n_taken_over)
    sentence = (
        f"오늘 앞서 중단된 실행이 받아 둔 {hosts.n_taken_over:,}쪽을 이어받아 나머지만 "
        "요청했습니다."
    )
    return (sentence,)


def warn_of_identity(watch: OpenBoard) -> tuple[str, ...]:
    """Say that another one asks than in the last accepted run."""
    last = last_identity(watch.store, watch.board.id)
    if last in {"", watch.identity}:
        return ()
    sentence = (
        "요청하는 쪽의 정보(헤더 또는 프록시)가 마지막으로 채택된 실행과 다릅니다. 사이트의 응답이 "
        f"그 때문에 달라질 수 있습니다. 이전: {last} / 이번: {watch.identity}. 바꾼 적이 없다면 "
        "config/settings.yaml을 확인해 주십시오."
    )
    return (sentence,)


# --- what lies behind the list -------------------------------------------------------------------


def _check_details(
    hosts: Hosts[Watch], snapshot: Snapshot, crawled: Crawled, options: CrawlOptions
) -> tuple[Crawled, tuple[str, ...]]:
    """Ask for the details that are due; a board without any is checked in full by every run."""
    watch, run = hosts.watch, hosts.run
    details = watch.board.details
    if details is None:
        return replace(crawled, full_check_from=run.day), ()
    html = html_of(watch)
    visit = hosts.enter("html", list_request(watch.base_url, html, 1, html.page_size))
    if isinstance(visit, Fault):  # the list came from there
        return crawled, ()
    every_days = watch.home.settings.budget.full_check_days
    last_check = None if options.is_full else last_full_check(watch.store, watch.board.id)
    cycle_start = full_check_start(run.day, last_check, every_days=every_days)
    plan = DetailPlan(
        known=known_pages(watch.store, watch.board.id),
        asked_by=digest_identity(crawled.identity),
        cycle_start=cycle_start,
        rose_at=_rose_at(visit, len(snapshot.records)),
        is_full=options.is_full,
        is_conditional=cycle_start != run.day,
        failed=_failed_before(watch, run.day),
    )
    followed = Follower(visit, details, plan).follow(snapshot)
    told = describe_followed(followed)
    if not list_detail_urls(snapshot):  # nothing was checked, and nothing counts as checked
        return crawled, (*told, NO_LINKS)
    told = (*told, *_tell_unlinked(snapshot))
    left = followed.n_full_left
    return replace(crawled, full_check_from=cycle_start, full_check_left=left), told


def _tell_unlinked(snapshot: Snapshot) -> tuple[str, ...]:
    """Say of how many records nothing but their row is known."""
    n_unlinked = sum(not record.detail_url for record in snapshot.records.values())
    if not n_unlinked:
        return ()
    sentence = (
        f"목록의 {n_unlinked:,}건에 따라갈 수 있는 상세 페이지 링크가 없어(스크립트 링크, 허용된 "
        "경로 밖, 또는 nofollow) 본문과 첨부파일을 비교하지 못합니다. 브라우저로 확인하십시오."
    )
    return (sentence,)


def _rose_at(visit: Visit[Watch], n_records: int) -> datetime | None:
    """Return when the list was last found longer than before: by this run, or an earlier one."""
    store, board_id = visit.watch.store, visit.watch.board.id
    accepted = last_accepted_run(store, board_id)
    if accepted is not None and n_records > (accepted.n_rows or 0):
        return visit.run.started_at
    return last_rise(store, board_id)


def _failed_before(watch: Watch, day: date) -> frozenset[str]:
    """Return the addresses of detail pages that could not be read when last asked for.

    They wait behind the others: pages that are broken for good must not hold up the rest.
    """
    since = day - timedelta(days=watch.home.settings.budget.full_check_days)
    rows = find_runs(watch.store, board_id=watch.board.id, since=since)
    ended = [row for row in rows if row.status is not RunStatus.RUNNING and not row.reparse_of]
    return find_unread(watch, [watch.home.root / row.raw_dir for row in reversed(ended)])


def digest_identity(identity: str) -> str:
    """Return a short digest of who asks, by which validators are told apart."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
