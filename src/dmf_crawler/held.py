"""Runs that a gate held: approved from their kept pages, and shown before that as a workbook.

There is one way to accept a run and one way to write a report. A preview takes both, in a copy of
the history that is thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dmf_crawler.config import Home
from dmf_crawler.daily_report import collect_day
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.page_watch import AnyWatch
from dmf_crawler.persist.decisions import held_runs
from dmf_crawler.persist.runs import get_run, last_accepted_run, warnings_of
from dmf_crawler.persist.store import Store
from dmf_crawler.pipeline import Intent, process
from dmf_crawler.publish.report.wording import DECISION_WORDS, STATUS_WORDS
from dmf_crawler.publish.report.workbook import write_report
from dmf_crawler.reparse import day_read, find_kept_folder, recall_crawl
from dmf_crawler.run_line import Clock
from dmf_crawler.watch import Watch


def check_held(row: RunRow) -> None:
    """Refuse a run that does not wait for a person.

    Raises:
        UsageError: `not_held`.
    """
    if row.status is RunStatus.HELD:
        return
    stands = STATUS_WORDS[row.status]
    if row.decision is not None:
        stands += f", {DECISION_WORDS[row.decision.what]}"
    raise UsageError(
        "not_held",
        f"실행 {row.run.run_id} 은 보류된 실행이 아닙니다(상태: {stands}). 아무것도 바뀌지 "
        "않았습니다. pending 명령으로 보류된 실행을 확인하십시오.",
    )


def approve_held(row: RunRow, watch: Watch, *, note: str, now: Clock) -> RunSummary:
    """Read a held run's pages again, judge them again, and record them with that run's start.

    A gate that refuses, or a page that cannot be read, leaves it held: the summary says why. What
    it was held for does not stop it. The caller has made sure that it is held (`check_held`).

    Raises:
        UsageError: `newer_run_accepted`: it would undo newer facts; `no_kept_pages`.
    """
    accepted = last_accepted_run(watch.store, watch.board.id)
    if accepted is not None and accepted.run.started_at >= row.run.started_at:
        raise UsageError(
            "newer_run_accepted",
            f"{row.run.run_id} 보다 나중에 시작한 실행 {accepted.run.run_id} 이 이미 "
            "채택되었습니다. 지난 페이지로 현재 목록을 되돌릴 수 없으므로 승인하지 않았습니다. "
            "reject 명령으로 이 보류를 끝내고 run 명령으로 오늘의 목록을 수집하십시오.",
        )
    folder = find_kept_folder(row, watch.home)
    is_crawl = not row.reparse_of and row.duration_ms is not None
    crawled = replace(
        recall_crawl(row, watch),
        n_requests=row.n_requests,
        warnings=warnings_of(watch.store, row.run.run_id),
        duration_s=(row.duration_ms or 0) / 1000 if is_crawl else None,
    )
    read_then = replace(row.run, day=day_read(row))
    intent = Intent(approval=Decision(Decided.APPROVED, now(), note))
    summary = process(read_then, watch, folder, now=now, crawled=crawled, intent=intent)
    if summary.status is not RunStatus.OK:
        summary = replace(summary, status=RunStatus.HELD)
    return replace(summary, run=row.run)


# --- previews ------------------------------------------------------------------------------------


def preview_path(home: Home, run: Run) -> Path:
    """Return where the workbook stands that a held run would become."""
    return home.held / f"DMF_{run.day}_{run.run_id}_미채택.xlsx"


def write_preview(run: Run, watches: Sequence[AnyWatch], *, now: Clock) -> Path:
    """Write the workbook that a held run would become if it were accepted now.

    Args:
        run: The held run.
        watches: All boards that the workbook is of.
        now: When it is.

    Raises:
        StoredDataError: `preview_not_written`, or what keeps the pages from being read.
    """
    path = preview_path(watches[0].home, run)
    with watches[0].store.copied() as copy:
        in_copy: list[AnyWatch] = [replace(watch, store=copy) for watch in watches]
        lists = (watch for watch in in_copy if isinstance(watch, Watch))  # no page is ever held
        board = next(watch for watch in lists if watch.board.id == run.board_id)
        row = get_run(copy, run.run_id)
        summary = approve_held(row, board, note="", now=now)
        if summary.fault is not None:
            raise StoredDataError("preview_not_written", summary.fault.message)
        report = collect_day(in_copy, run.day, written_at=now())
    return write_report(replace(report, preview_of=run.run_id), path)


def clear_previews(home: Home, store: Store) -> tuple[Path, ...]:
    """Remove previews of runs that no longer wait, and a copy of the history that was left behind.

    Returns:
        Those that could not be removed: another program has them open.
    """
    store.remove_copy()
    waiting = {preview_path(home, row.run) for row in held_runs(store)}
    left = []
    for path in sorted(home.held.glob("DMF_*")):
        if path in waiting:
            continue
        try:
            path.unlink()
        except OSError:
            left.append(path)
    return tuple(left)
