"""One run's visit to the site: robots.txt, the list, the detail pages; every byte on disk.

Each page is looked at as soon as it is kept, from the disk, so that an error page is asked for
again and a list that changed meanwhile is read again. What the pages say is not used further:
`pipeline.process` reads the same bytes afresh.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import full_check_start
from dmf_crawler.details import find_unread, list_detail_urls
from dmf_crawler.follow import DetailPlan, Follower, describe_followed
from dmf_crawler.list_visit import Progress, read_list
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.persist.checkpoints import read_checkpoints
from dmf_crawler.persist.earlier_runs import (
    last_full_check,
    last_identity,
    last_rise,
    n_killed,
    note_taken_over,
)
from dmf_crawler.persist.host_waits import host_wait
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.runs import find_runs, last_accepted_run
from dmf_crawler.robots_gate import pass_robots
from dmf_crawler.snapshot import read_snapshot
from dmf_crawler.visit import KeptPages, Visit, find_kept_pages
from dmf_crawler.watch import Watch
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
    kept = KeptPages() if options.is_full or options.is_dry else find_kept_pages(run, watch)
    visit = Visit(run, watch, _make_fetcher(run, watch, world), world, kept)
    _rest_after_last_run(watch, world)
    visit.note_checkpoint()
    warnings = [*_warn_of_identity(watch)]
    crawled = Crawled(None, 0, identity=watch.identity)
    gate, told = pass_robots(visit)
    warnings += told
    fault = gate if isinstance(gate, Fault) else read_list(visit, on_progress)
    if fault is None:
        crawled, told = _check_details(visit, crawled, options)
        warnings += told
    warnings += _tell_taken_over(visit)
    visit.begin_phase(ENDED)
    return replace(
        crawled, fault=fault, n_requests=visit.fetcher.n_requests, warnings=tuple(warnings)
    )


def _make_fetcher(run: Run, watch: Watch, world: World) -> Fetcher:
    settings, site = watch.home.settings, watch.home.site_of(watch.board)
    source, details = watch.board.html, watch.board.details
    scopes = {"list": source.scope, "recheck": source.scope}
    if details is not None:
        scopes |= {"detail": details.scope, "file": details.file_scope}
    # A run that was killed may have had a request on its way of which no line tells.
    n_sent = watch.raw_store.n_requests(run.day, watch.host) + n_killed(watch.store, run.day)
    limits = FetchLimits(
        n_requests=settings.budget.requests_per_day - n_sent,
        deadline_s=world.monotonic() + settings.budget.run_deadline_s,
        scopes=scopes,
        blocked=site.blocked,
        not_before=host_wait(watch.store, watch.host),
    )
    return Fetcher(
        world=world, identity=settings.identity, politeness=settings.politeness, limits=limits
    )


def _rest_after_last_run(watch: Watch, world: World) -> None:
    """Keep the pause between two requests also between two runs, or two boards of one run.

    It is the pause that was in force when the last request ended; a whole one from now where a
    crawl was cut short and may have had one more request on its way.
    """
    politeness, rests_s = watch.home.settings.politeness, [0.0]
    for checkpoint in read_checkpoints(watch.store):
        delay_s = max(checkpoint.delay_s, politeness.min_delay_s)
        since_s = (world.now() - checkpoint.noted_at).total_seconds()
        longest_s = 2 * delay_s + politeness.backoff_cap_s + politeness.request_deadline_s
        if checkpoint.phase != ENDED and since_s <= longest_s:
            rests_s.append(delay_s)
        rests_s.append(min(delay_s - since_s, delay_s))
    if max(rests_s) > 0:
        world.sleep(max(rests_s))


def _tell_taken_over(visit: Visit) -> tuple[str, ...]:
    if not visit.n_taken_over:
        return ()
    note_taken_over(visit.watch.store, visit.run, visit.n_taken_over)
    sentence = (
        f"오늘 앞서 중단된 실행이 받아 둔 {visit.n_taken_over:,}쪽을 이어받아 나머지만 "
        "요청했습니다."
    )
    return (sentence,)


def _warn_of_identity(watch: Watch) -> tuple[str, ...]:
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
        rose_at=_rose_at(visit, len(snapshot.records)),
        is_full=options.is_full,
        is_conditional=cycle_start != run.day,
        failed=_failed_before(watch, run.day),
    )
    followed = Follower(visit, details, plan).follow(snapshot)
    told = describe_followed(followed)
    if not list_detail_urls(snapshot):  # nothing was checked, and nothing counts as checked
        return crawled, (*told, NO_LINKS)
    left = followed.n_full_left
    return replace(crawled, full_check_from=cycle_start, full_check_left=left), told


def _rose_at(visit: Visit, n_records: int) -> datetime | None:
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
