"""`reparse`: kept pages read again, offline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import date
from functools import partial

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.comparison import (
    MOST_WORKERS,
    Compared,
    compare_here,
    compare_in_workers,
    usable_cpus,
)
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.cli.previews import settle_previews
from dmf_crawler.cli.run import guard_run, show_progress
from dmf_crawler.cli.wording import (
    STATUS_KO,
    count_words,
    summary_json,
    summary_text,
    worst_error,
    worst_exit_code,
)
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.killed import end_killed_runs
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.page_watch import AnyWatch, open_boards
from dmf_crawler.persist.runs import find_runs, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.reparse import record_correction
from dmf_crawler.world import World, real_world

Advance = Callable[[], object]
"""Told after each run."""


def reparse(arguments: argparse.Namespace) -> Answer:
    """Read kept pages again and show, or record, what differs."""
    home = open_home(arguments.home)
    with (
        hold_lock(home),
        open_store(home, under_lock=True) as store,
        real_world(home.settings.politeness, starts_at=arguments.now) as world,
        write_log(home.logs, world.now),
    ):
        rows = _choose_runs(store, arguments)
        end_killed_runs(home, store, world.now())
        watches = {watch.board.id: watch for watch in open_boards(home, store)}
        unknown = [row for row in rows if row.run.board_id not in watches]
        if unknown:
            raise UsageError(
                "no_such_board",
                f"{unknown[0].run.run_id} 의 게시판이 켜져 있지 않습니다. "
                "config/boards.yaml에서 켠 뒤 다시 실행하십시오.",
            )
        progress = show_progress(
            "다시 읽기", None if arguments.json else sys.stderr, unit="실행", total=len(rows)
        )
        with progress as bar:
            advance = bar.update if bar is not None else _show_nothing
            summaries = (
                _record_all(rows, watches, world, advance)
                if arguments.apply
                else _compare_all(rows, watches, home, arguments.jobs, advance)
            )
        if arguments.apply:
            summaries = settle_previews(summaries, tuple(watches.values()), world)
    return Answer(
        worst_exit_code(summaries),
        {"runs": [summary_json(summary) for summary in summaries]},
        "\n".join(
            summary_text(summary) if arguments.apply else _difference_text(summary)
            for summary in summaries
        ),
        worst_error(summaries),
    )


def _record_all(
    rows: Sequence[RunRow], watches: Mapping[str, AnyWatch], world: World, advance: Advance
) -> list[RunSummary]:
    """Record a correction for each run, one after the other."""
    summaries = []
    for row in rows:
        watch = watches[row.run.board_id]
        act = partial(record_correction, row, watch, now=world.now)
        summaries.append(guard_run(watch, world, act))
        advance()
    return summaries


def _compare_all(
    rows: Sequence[RunRow],
    watches: Mapping[str, AnyWatch],
    home: Home,
    n_jobs: int | None,
    advance: Advance,
) -> list[RunSummary]:
    """Compare runs, several at once; where one cannot be read, that does not stop the others."""
    n_workers = min(n_jobs or usable_cpus(), len(rows), MOST_WORKERS)
    ended = (
        compare_in_workers(rows, home.root, n_workers)
        if n_workers > 1
        else compare_here(rows, watches)
    )
    summaries = {}
    with closing(ended):
        for compared in ended:
            _log_failure(compared)
            summaries[compared.position] = compared.summary
            advance()
    return [summaries[position] for position in range(len(rows))]


def _log_failure(compared: Compared) -> None:
    summary = compared.summary
    if summary.fault is None:
        return
    details = {
        "run_id": summary.run.run_id,
        "code": summary.fault.code,
        "detail": summary.fault.message,
    }
    if compared.traceback:
        LOG.error("bug", extra={**details, "traceback": compared.traceback})
    else:
        LOG.warning("run_not_compared", extra=details)


def _show_nothing() -> None:
    """Be what a progress bar would be where there is none."""


def _choose_runs(store: Store, arguments: argparse.Namespace) -> Sequence[RunRow]:
    """Return the runs that the options name, oldest first.

    Raises:
        UsageError: `usage` unless exactly one way to choose is given; `no_such_run`.
    """
    ways = [arguments.run, arguments.date, arguments.since or arguments.until]
    if sum(way is not None for way in ways) != 1 or bool(arguments.since) != bool(arguments.until):
        raise UsageError(
            "usage", "--run ID, --date D, 또는 --since D --until D 가운데 하나를 적으십시오."
        )
    if arguments.run:
        return (get_run(store, arguments.run),)
    since, until = arguments.since or arguments.date, arguments.until or arguments.date
    if since > until:
        raise UsageError(
            "usage", f"--since {since} 이 --until {until} 보다 늦습니다. 두 날을 바꾸어 적으십시오."
        )
    found = find_runs(store, since=since, until=until)[::-1]
    rows = _choose_reads(found, is_applied=arguments.apply)
    if not rows:
        raise UsageError(
            "no_such_run",
            f"{since} 부터 {until} 까지 목록을 읽은 실행이 없습니다. runs 명령으로 확인하십시오.",
        )
    return rows


def _choose_reads(rows: Sequence[RunRow], *, is_applied: bool) -> Sequence[RunRow]:
    """Return the runs of some days that stand for them, oldest first.

    Per board and day the accepted ones, where there is none the refused or held ones; those that
    failed before they had read the list, and corrections, which have no pages of their own, are
    left out. What is to be recorded is the newest of each board alone: older pages would undo it.
    """
    reads: dict[tuple[str, date], list[RunRow]] = {}
    for row in rows:
        if not row.reparse_of and row.status is not RunStatus.FAILED:
            reads.setdefault((row.run.board_id, row.run.day), []).append(row)
    chosen = [
        row
        for of_day in reads.values()
        for row in ([each for each in of_day if each.status is RunStatus.OK] or of_day)
    ]
    if is_applied:
        chosen = list({row.run.board_id: row for row in chosen}.values())
    return chosen


def _difference_text(summary: RunSummary) -> str:
    if summary.fault is not None:
        return (
            f"{summary.run.run_id}: {STATUS_KO[summary.status]} "
            f"[{summary.fault.code}] {summary.fault.message}"
        )
    differs = any(
        (
            summary.counts.NEW,
            summary.counts.MODIFIED,
            summary.counts.WITHDRAWN,
            summary.counts.REAPPEARED,
            summary.counts.COSMETIC,
            summary.missing,
        )
    )
    verdict = count_words(summary.counts, summary.missing) if differs else "차이 없음"
    return f"{summary.run.run_id}: {summary.n_rows or 0:,}건, 기록과의 차이: {verdict}"
