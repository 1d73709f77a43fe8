"""`run`: the boards one after the other, each standing alone, then the day's workbook."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from dmf_crawler.boards import Board
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import LOG, hold_lock, open_home, read_keys, write_log
from dmf_crawler.cli.previews import settle_previews
from dmf_crawler.cli.wording import summary_json, summary_text, worst_error, worst_exit_code
from dmf_crawler.config import Home
from dmf_crawler.crawl import CrawlOptions
from dmf_crawler.daily_report import publish_day, report_path
from dmf_crawler.errors import DmfCrawlerError, LockHeldError, StoredDataError, UsageError
from dmf_crawler.killed import end_killed_runs
from dmf_crawler.model.run import Fault, Run, RunStatus, day_of, kst
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.page_run import run_page
from dmf_crawler.page_watch import AnyWatch, PageWatch, open_boards, read_board_selectors
from dmf_crawler.persist.attempts import (
    attempts_of_day,
    begin_attempt,
    end_attempt,
    is_board_closed,
    refuse_attempt,
)
from dmf_crawler.persist.decisions import approved_days
from dmf_crawler.persist.gate_results import write_gates
from dmf_crawler.persist.runs import end_abandoned_runs, find_runs, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.pipeline import USUAL_OPTIONS, run_board
from dmf_crawler.run_line import refuse_gates
from dmf_crawler.terms import raise_terms_alerts
from dmf_crawler.world import World, real_world

RECENT = timedelta(days=2)
"""An approval so old has had its workbook, or its day somebody who moved it away."""


def run(arguments: argparse.Namespace) -> Answer:
    """Run the chosen boards once."""
    home = open_home(arguments.home)
    boards = choose_boards(home, arguments.board)
    for board in home.enabled_boards:  # everything is checked before anything is fetched
        read_board_selectors(home, board)
    if arguments.scheduled:
        summaries, note = run_scheduled(home, boards, starts_at=arguments.now)
        return _answer_runs(summaries, note)
    options = CrawlOptions(is_full=arguments.full, is_dry=arguments.dry_run)
    summaries = run_once(home, boards, starts_at=arguments.now, options=options)
    return _answer_runs(summaries)


def _answer_runs(summaries: list[RunSummary], note: str = "") -> Answer:
    lines = [note] if note else []
    lines += [summary_text(summary) for summary in summaries]
    return Answer(
        worst_exit_code(summaries),
        {"runs": [summary_json(summary) for summary in summaries]},
        "\n".join(lines),
        worst_error(summaries),
    )


def choose_boards(home: Home, wanted: Sequence[str] | None) -> tuple[Board, ...]:
    """Return the enabled boards, or those of them that were asked for.

    Raises:
        UsageError: `no_such_board`, `no_boards`.
    """
    boards = home.enabled_boards
    unknown = [name for name in wanted or () if name not in {board.id for board in boards}]
    if unknown:
        raise UsageError(
            "no_such_board",
            f"켜져 있는 게시판에 {unknown[0]} 이 없습니다. "
            f"쓸 수 있는 이름: {', '.join(board.id for board in boards) or '없음'}.",
        )
    if not boards:
        raise UsageError(
            "no_boards", "config/boards.yaml에 enabled: true인 게시판이 없습니다. 하나를 켜십시오."
        )
    return tuple(board for board in boards if not wanted or board.id in wanted)


def run_once(
    home: Home,
    boards: Sequence[Board],
    *,
    starts_at: datetime | None,
    options: CrawlOptions = USUAL_OPTIONS,
) -> list[RunSummary]:
    """Run boards under the lock, one that fails not stopping the next; write the workbook."""
    keys, settings = read_keys(boards), home.settings
    with (
        hold_lock(home),
        real_world(settings.politeness, settings.http, starts_at=starts_at, secrets=keys) as world,
        write_log(home.logs, world.now),
        Store(home.database) as store,
    ):
        watches = open_boards(home, store, sleep=world.sleep)
        chosen = [watch for watch in watches if watch.board in boards]
        return run_boards(chosen, world, options=options, reported=watches)


def run_boards(
    watches: Sequence[AnyWatch],
    world: World,
    *,
    reported: Sequence[AnyWatch],
    options: CrawlOptions = USUAL_OPTIONS,
) -> list[RunSummary]:
    """Run boards one after the other; write the workbook when one is accepted.

    The caller holds the lock, so a run that is still RUNNING was killed.

    Args:
        watches: The boards to run.
        world: Clock, network and dice.
        reported: All boards that the workbook is of.
        options: What was asked for on the command line.
    """
    for run_id in end_killed_runs(watches[0].home, watches[0].store, world.now()):
        LOG.warning("run_was_killed", extra={"run_id": run_id})
    summaries = [_run_watch(watch, world, options=options) for watch in watches]
    if not options.is_dry:
        raise_terms_alerts(watches[0].home, watches[0].store, world.now())
    if not options.is_dry and any(summary.status is RunStatus.OK for summary in summaries):
        summaries = publish_accepted(reported, summaries, world)
    return summaries if options.is_dry else settle_previews(summaries, reported, world)


def run_scheduled(
    home: Home, boards: Sequence[Board], *, starts_at: datetime | None
) -> tuple[list[RunSummary], str]:
    """Run the boards that are still due today, if an attempt is; a note says why not.

    A start beside a run at work is no failure for the schedule: it is logged.
    """
    keys, settings = read_keys(boards), home.settings
    with (
        real_world(settings.politeness, settings.http, starts_at=starts_at, secrets=keys) as world,
        write_log(home.logs, world.now),
    ):
        try:
            with hold_lock(home), Store(home.database) as store:
                watches = open_boards(home, store, sleep=world.sleep)
                chosen = [watch for watch in watches if watch.board in boards]
                return _attempt(chosen, watches, world)
        except LockHeldError as error:
            LOG.info("scheduled_start_ignored", extra={"code": error.code})
            return [], error.message


def _attempt(
    watches: Sequence[AnyWatch], reported: Sequence[AnyWatch], world: World
) -> tuple[list[RunSummary], str]:
    store, now = watches[0].store, world.now()
    day = day_of(now)
    end_killed_runs(watches[0].home, store, now)
    attempts = attempts_of_day(store, day)
    for attempt in attempts:
        if attempt.ended_at is None:
            LOG.warning("attempt_was_killed", extra={"started_at": attempt.started_at.isoformat()})
    due = [
        watch
        for watch in watches
        if not is_board_closed(find_runs(store, board_id=watch.board.id, since=day, until=day))
    ]
    unreported = _find_unreported(reported, now)
    note = f"{day} 의 수집은 이미 끝났습니다."
    if due or unreported:
        note = refuse_attempt(attempts, now)
    if note:
        LOG.info("scheduled_start_ignored", extra={"reason": note})
        return [], note
    attempt_id, exit_code = begin_attempt(store, day, now), 1
    try:
        if due:
            summaries = run_boards(due, world, reported=reported)
            exit_code = worst_exit_code(summaries)
            return summaries, ""
        paths = [publish_day(reported, each, written_at=world.now()) for each in unreported]
        exit_code = 0
    except DmfCrawlerError as error:
        exit_code = error.exit_code
        raise
    finally:
        end_attempt(store, attempt_id, world.now(), exit_code)
    told = ", ".join(map(str, paths))
    LOG.info("report_written", extra={"path": told})
    return [], f"쓰지 못했던 보고서를 다시 썼습니다: {told}"


def _find_unreported(watches: Sequence[AnyWatch], now: datetime) -> list[date]:
    """Return the accepted days without a workbook: it was locked, or the process was killed.

    That is today, and days on which a run was held that somebody has approved since yesterday.
    """
    store, day = watches[0].store, day_of(now)
    since = now - RECENT
    days = {each for watch in watches for each in approved_days(store, watch.board.id, since=since)}
    if any(
        row.status is RunStatus.OK and not row.reparse_of
        for row in find_runs(store, since=day, until=day)
    ):
        days.add(day)
    return [each for each in sorted(days) if not report_path(watches[0].home, each).is_file()]


def _run_watch(watch: AnyWatch, world: World, *, options: CrawlOptions) -> RunSummary:
    if isinstance(watch, PageWatch):
        return guard_run(watch, world, lambda: run_page(watch, world, options=options))
    with show_progress(watch.board.name_ko, sys.stderr) as bar:

        def on_progress(n_read: int, n_all: int) -> None:
            if bar is not None:
                bar.total = n_all
                bar.update(n_read - bar.n)

        return guard_run(
            watch,
            world,
            lambda: run_board(watch, world, on_progress=on_progress, options=options),
        )


def guard_run(watch: AnyWatch, world: World, act: Callable[[], RunSummary]) -> RunSummary:
    """Run something on one board; what goes wrong becomes its summary, with a log entry.

    Raises:
        UsageError: What was asked for cannot be: no board's fault.
    """
    LOG.info("run_started", extra={"board": watch.board.id})
    try:
        summary = act()
    except UsageError:
        raise
    except DmfCrawlerError as error:
        LOG.exception("run_failed", extra={"board": watch.board.id, "code": error.code})
        summary = _fail(watch, world, Fault(error.code, error.message, error.exit_code))
    except Exception as error:  # noqa: BLE001 - one board's bug must not stop the next board
        LOG.exception("bug", extra={"board": watch.board.id})
        summary = _fail(
            watch, world, bug_fault(error, watch.home.logs, "이력은 바뀌지 않았습니다.")
        )
    for gate in summary.gates:
        LOG.info("gate", extra={"run_id": summary.run.run_id, "gate": asdict(gate)})
    LOG.info(
        "run_finished",
        extra={
            "counts": asdict(summary.counts),
            "n_rows": summary.n_rows,
            "missing": summary.missing,
            "run_id": summary.run.run_id,
            "status": str(summary.status),
            "exit_code": summary.exit_code,
            "n_requests": summary.n_requests,
            "code": summary.fault.code if summary.fault else None,
        },
    )
    return summary


def bug_fault(error: Exception, logs: Path, state: str) -> Fault:
    """Say that something happened which nobody foresaw, and in which state that leaves us."""
    message = (
        f"프로그램 오류입니다({type(error).__name__}: {error}). {state} "
        f"{logs} 의 로그를 개발자에게 보내 주십시오."
    )
    return Fault("bug", message, 1)


def _fail(watch: AnyWatch, world: World, fault: Fault) -> RunSummary:
    """Mark the run that an exception ended as FAILED; one that had not begun has no line there."""
    now = kst(world.now())
    run = Run(f"{now:%Y%m%dT%H%M%S}-{watch.board.id}", watch.board.id, now, day_of(now))
    n_requests, gates = 0, refuse_gates(fault, is_page=watch.board.kind == "page")
    try:
        ended = end_abandoned_runs(
            watch.store, now, code=fault.code, reason=fault.message, exit_code=fault.exit_code
        )
        for row in (get_run(watch.store, run_id) for run_id in ended):
            if row.run.board_id == watch.board.id:
                run, n_requests = row.run, row.n_requests
                with watch.store.atomic():
                    write_gates(watch.store, run, gates)
    except StoredDataError as error:  # the next start marks it as killed
        LOG.exception("run_not_closed", extra={"run_id": run.run_id, "code": error.code})
    return RunSummary(
        run, RunStatus.FAILED, fault.exit_code, gates=gates, n_requests=n_requests, fault=fault
    )


def publish_accepted(
    watches: Sequence[AnyWatch], summaries: Sequence[RunSummary], world: World
) -> list[RunSummary]:
    """Write the workbook of each day on which a run was accepted; runs may lie across 06:00."""
    accepted = [summary for summary in summaries if summary.status is RunStatus.OK]
    told: dict[str, RunSummary] = {}
    for day in sorted({summary.run.day for summary in accepted}):
        of_day = [summary for summary in accepted if summary.run.day == day]
        told |= {each.run.run_id: each for each in _publish_day(watches, of_day, day, world)}
    return [
        told[summary.run.run_id] if summary.status is RunStatus.OK else summary
        for summary in summaries
    ]


def _publish_day(
    watches: Sequence[AnyWatch], accepted: Sequence[RunSummary], day: date, world: World
) -> list[RunSummary]:
    """Write one workbook; when that fails, the accepted runs stay, and say so."""
    try:
        path = str(publish_day(watches, day, written_at=world.now()))
    except StoredDataError as error:
        LOG.exception("report_not_written", extra={"code": error.code})
        fault = Fault(error.code, error.message, error.exit_code)
    except Exception as error:  # noqa: BLE001 - what was accepted must still be told
        LOG.exception("bug")
        fault = bug_fault(
            error, watches[0].home.logs, "이력은 기록되었고 보고서만 쓰지 못했습니다."
        )
    else:
        LOG.info("report_written", extra={"path": path})
        return [replace(summary, report=path) for summary in accepted]
    return [replace(summary, exit_code=fault.exit_code, fault=fault) for summary in accepted]


def show_progress(
    title: str, stream: TextIO | None, *, unit: str = "쪽", total: int | None = None
) -> AbstractContextManager[Any]:
    """Return a progress bar on a terminal, or nothing where the stream is none."""
    if stream is None or not stream.isatty():
        return nullcontext()
    # ASCII: a Korean console's code page has no block characters.
    return tqdm(desc=title, unit=unit, total=total, ascii=True, leave=False, file=stream)
