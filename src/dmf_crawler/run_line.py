"""One run's line in the history: opened, refused, closed; the same for lists and whole pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from dmf_crawler.crawl import Crawled
from dmf_crawler.judge.gates import refuse_read
from dmf_crawler.judge.page_gates import refuse_page_read
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.verdict import Gate, RunSummary
from dmf_crawler.persist.runs import begin_dry_run, begin_run, finish_run
from dmf_crawler.watch import OpenBoard
from dmf_crawler.world import World

Clock = Callable[[], datetime]

NOT_CRAWLED = Crawled(None, 0)
"""What a re-parse has asked of the site: nothing."""

EXIT_CODES = {RunStatus.OK: 0, RunStatus.HELD: 3, RunStatus.REJECTED: 4}


def begin(watch: OpenBoard, world: World, *, selector_version: int, is_dry: bool) -> Run:
    """Give a run its id; no line of the history holds a dry one, only its raw folder."""
    if not is_dry:
        return begin_run(
            watch.store,
            watch.board.id,
            world.now(),
            selector_version=selector_version,
            identity=watch.identity,
        )
    return find_free_folder(watch, begin_dry_run(watch.store, watch.board.id, world.now()))


def find_free_folder(watch: OpenBoard, named: Run) -> Run:
    """Return a run that the history does not know under a name whose raw folder is not taken."""
    run, number = named, 1
    while watch.raw_store.folder(run).exists():
        number += 1
        run = replace(named, run_id=f"{named.run_id}-{number}")
    return run


def refuse(run: Run, fault: Fault, *, is_page: bool = False) -> RunSummary:
    """Return the summary of a run that read nothing: REJECTED by a gate, else FAILED."""
    status = RunStatus.REJECTED if fault.exit_code == 4 else RunStatus.FAILED
    gates = refuse_gates(fault, is_page=is_page)
    return RunSummary(run, status, fault.exit_code, gates=gates, fault=fault)


def refuse_gates(fault: Fault, *, is_page: bool) -> tuple[Gate, ...]:
    """Return what the gates say of a board of either kind that could not be read."""
    return refuse_page_read(fault) if is_page else refuse_read(fault)


def close(watch: OpenBoard, summary: RunSummary, now: Clock) -> RunSummary:
    """Record a run that changes nothing but its own line; what it saw counts as nothing."""
    with watch.store.atomic():
        finish_run(watch.store, summary, now())
    return summary


def add_crawl(summary: RunSummary, crawled: Crawled) -> RunSummary:
    """Return a summary with what the crawl itself has to say."""
    return replace(
        summary,
        n_requests=crawled.n_requests,
        warnings=(*crawled.warnings, *summary.warnings),
        identity=crawled.identity,
        full_check_from=crawled.full_check_from,
        full_check_left=crawled.full_check_left,
    )
