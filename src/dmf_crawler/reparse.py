"""Kept pages read again, offline: compared with what was recorded, or recorded as a correction."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path, PurePosixPath

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.boards import SourceName
from dmf_crawler.config import Home
from dmf_crawler.crawl import Crawled
from dmf_crawler.details import add_details, read_details
from dmf_crawler.errors import UsageError
from dmf_crawler.kept_page import read_kept_page, refuse_lost_fields
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import Outcome, RunSummary
from dmf_crawler.page_run import judge_reading, process_page
from dmf_crawler.page_watch import AnyWatch, PageWatch
from dmf_crawler.persist.diff import count_changes, diff_snapshot
from dmf_crawler.persist.gate_results import gates_of
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.runs import begin_run, last_accepted_run
from dmf_crawler.pipeline import process
from dmf_crawler.run_line import Clock, refuse
from dmf_crawler.snapshot import find_primary, has_source, read_source
from dmf_crawler.sources import complete_source
from dmf_crawler.watch import Watch

NEVER = 1_000_000
"""So many reads that no missing row is due: a comparison withdraws nothing."""


def compare_with_recorded(row: RunRow, watch: AnyWatch) -> RunSummary:
    """Read a run's pages again, offline; count what differs from what was recorded of them.

    Raises:
        UsageError: `no_kept_pages`.
    """
    folder = find_kept_folder(row, watch.home)
    if isinstance(watch, PageWatch):
        return _compare_page(row, watch, folder)
    return _compare_list(row, watch, folder)


def _compare_page(row: RunRow, watch: PageWatch, folder: Path) -> RunSummary:
    """Hold a run's page against the state that was the kept one after that run."""
    moment = row.run.started_at
    recorded = {
        version.key: KnownRecord(version.key, version.fields, is_current=True)
        for version in list_as_of(watch.store, watch.board.id, moment)
    }
    reading = read_kept_page(watch, folder)
    if not isinstance(reading, Fault):
        reading = refuse_lost_fields(watch, reading, recorded) or reading
    if isinstance(reading, Fault):
        return refuse(row.run, reading, is_page=True)
    judged = judge_reading(watch, reading, recorded, day=row.run.day, moment=moment, corrects=True)
    return RunSummary(
        run=row.run,
        status=RunStatus.OK,
        exit_code=0,
        counts=count_changes(judged.change_set),
        n_rows=1,
        n_pages=1,
        is_baseline=row.is_baseline,
        movement=judged.judgement.movement,
    )


def _compare_list(row: RunRow, watch: Watch, folder: Path) -> RunSummary:
    source = find_primary(watch, folder)
    snapshot = read_source(watch, folder, source)
    if isinstance(snapshot, Fault):
        return refuse(row.run, snapshot)
    recorded = {
        version.key: KnownRecord(
            version.key,
            version.fields,
            is_current=True,
            missing_since=version.missing_since,
            is_joined=version.is_joined,
        )
        for version in list_as_of(watch.store, watch.board.id, row.run.started_at)
    }
    details = read_details(watch, folder, snapshot)
    received = known_pages(watch.store, watch.board.id)
    snapshot = add_details(snapshot, details, recorded, watch, received=received)
    snapshot = complete_source(watch, source, snapshot, recorded)
    patient = replace(watch.rules_of(source), missing_runs=NEVER)
    change_set = diff_snapshot(recorded, snapshot, day=row.run.day, rules=patient)
    unexplained = [key for key in change_set.missing if recorded[key].missing_since is None]
    return RunSummary(
        run=row.run,
        status=RunStatus.OK,
        exit_code=0,
        counts=count_changes(change_set),
        n_rows=len(snapshot.records),
        n_pages=snapshot.n_pages,
        missing=len(unexplained),
        is_baseline=row.is_baseline,
    )


def record_correction(row: RunRow, watch: AnyWatch, *, now: Clock) -> RunSummary:
    """Read a run's pages again and record what differs from the current list as a new run.

    The newest pages may be read again as often as selectors are repaired: an earlier correction
    read the same ones.

    Raises:
        UsageError: `no_kept_pages`; `newer_run_accepted`: older pages would undo newer facts.
    """
    folder = find_kept_folder(row, watch.home)
    accepted = last_accepted_run(watch.store, watch.board.id)
    is_newer = accepted is not None and accepted.run.started_at > row.run.started_at
    if accepted is not None and is_newer and accepted.raw_dir != row.raw_dir:
        raise UsageError(
            "newer_run_accepted",
            f"{row.run.run_id} 보다 새로운 실행 {accepted.run.run_id} 이 이미 채택되었습니다. "
            "지난 페이지로 현재 목록을 되돌릴 수 없습니다. --apply 없이 차이만 확인하십시오.",
        )
    run = begin_run(
        watch.store,
        watch.board.id,
        now(),
        selector_version=watch.selectors.file.schema_version,
        reparse_of=row,
    )
    # The pages are that day's read, so a missing row is not counted once more.
    read_then = replace(run, day=day_read(row))
    crawled = recall_crawl(row, watch)
    if isinstance(watch, PageWatch):
        summary = process_page(
            read_then, watch, folder, now=now, crawled=crawled, purpose="correct"
        )
    else:
        summary = process(read_then, watch, folder, now=now, crawled=crawled)
    return replace(summary, run=run)


def day_read(row: RunRow) -> date:
    """Return the day on which the pages were received that a run reads.

    The raw folder names it: the run may be a correction.
    """
    return date.fromisoformat(PurePosixPath(row.raw_dir).parts[1])


def recall_crawl(row: RunRow, watch: AnyWatch) -> Crawled:
    """Return what the history knows of the crawl whose pages are read again; nothing is sent."""
    return Crawled(
        None,
        0,
        identity=row.identity,
        full_check_from=row.full_check_from,
        full_check_left=row.full_check_left,
        cross_faults=_recall_cross_faults(row, watch) if isinstance(watch, Watch) else {},
    )


def _recall_cross_faults(row: RunRow, watch: Watch) -> dict[SourceName, Fault]:
    """Return the cross-checks that a run asked for in vain: no page in its folder tells of them."""
    gates = gates_of(watch.store, row.run.run_id)
    if all(gate.code != "G-13" or gate.outcome is Outcome.PASS for gate in gates):
        return {}
    folder = watch.home.root / row.raw_dir
    told = (
        "이 원천은 그 실행 때 받지 못했습니다. 까닭은 그 실행의 경고와 로그에 있습니다. 비교하려면 "
        "run 명령으로 다시 수집하십시오."
    )
    return {
        source: Fault("source_missing", told, exit_code=6)
        for source in watch.board.cross_checks
        if not has_source(watch, folder, source)
    }


def find_kept_folder(row: RunRow, home: Home) -> Path:
    """Return the folder of a run's kept pages.

    Raises:
        UsageError: `no_kept_pages`: there are none, or they have been pruned.
    """
    folder = home.root / row.raw_dir
    if not RawStore(home.raw).has_index(folder):
        raise UsageError(
            "no_kept_pages",
            f"실행 {row.run.run_id} 의 페이지가 {row.raw_dir} 에 없습니다. 보존 기간이 지나 "
            "정리되었거나, 요청을 보내기 전에 끝난 실행입니다. 다른 실행을 고르십시오.",
        )
    return folder
