"""`rehearse`: the whole product on a copy of the site, on this machine alone."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.run import choose_boards, run_once
from dmf_crawler.cli.wording import (
    STATUS_KO,
    count_words,
    width_of,
    worst_error,
    worst_exit_code,
)
from dmf_crawler.config import Home, load_home
from dmf_crawler.model.change import Counts
from dmf_crawler.persist.questions import events_of_run, list_as_of
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.report.wording import MOVEMENT_WORDS
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.terms_life import TermsLife
from dmf_crawler.workbench.rehearse import (
    Found,
    RehearsedBoard,
    RehearsedDay,
    make_home,
    rehearse_days,
)

WEEKDAYS = "월화수목금토일"
CTRL_C_WITHIN_S = 0.5
"""On Windows Ctrl+C is seen only between two waits."""


def rehearse(arguments: argparse.Namespace) -> Answer:
    """Live some days of the rehearsal site; compare what was found with what happened."""
    root = arguments.keep or arguments.home or Path(tempfile.mkdtemp(prefix="dmf_rehearsal_"))
    say = _quiet if arguments.json else _say
    life = Life(n_rows=arguments.rows, seed=arguments.seed)
    notices, terms_life = NoticeLife(seed=arguments.seed), TermsLife()
    with RehearsalSite(life.rows, notices=notices.rows, terms=terms_life.terms) as site:
        make_home(root, site.base_url)
        home = load_home(root)
        say(
            f"연습 사이트 {site.base_url} 에 {arguments.rows:,}건의 목록과 "
            f"공지 {len(notices.rows):,}건, 이용약관을 열었습니다."
        )
        say(f"홈 폴더: {home.root}")
        days = []
        names = {board.id: board.name_ko for board in home.boards}
        run_day = DayRunner(home)
        lived = rehearse_days(
            site, life, arguments.days, run_day, notices=notices, terms_life=terms_life
        )
        for day in lived:
            days.append(day)
            say(day_text(day, names))
        answer = make_answer(home, days)
        if arguments.serve:
            say(answer.text)
            _keep_serving(site, home, life.day + timedelta(days=1), say)
            return Answer(answer.exit_code, answer.payload, "", answer.error)
    return answer


@dataclass(frozen=True, slots=True)
class DayRunner:
    """Runs the boards of a rehearsal through the same door as `run`."""

    home: Home

    def __call__(self, moment: datetime) -> dict[str, Found]:
        """Run all of them once, as if at a moment; return what each left, by board id."""
        summaries = run_once(self.home, choose_boards(self.home, None), starts_at=moment)
        with Store(self.home.database, for_reading=True) as store:
            return {
                summary.run.board_id: Found(
                    summary,
                    events_of_run(store, summary.run.run_id),
                    list_as_of(store, summary.run.board_id, summary.run.started_at),
                )
                for summary in summaries
            }


def make_answer(home: Home, days: list[RehearsedDay]) -> Answer:
    """Sum up the days: exit code 1 when what was found differs from what happened."""
    boards = [board for day in days for board in day.boards]
    n_false = sum(board.false_events for board in boards)
    n_missed = sum(board.missed_events for board in boards)
    summaries = [board.summary for board in boards]
    exit_code = worst_exit_code(summaries)
    error = worst_error(summaries)
    if exit_code == 0 and (n_false or n_missed):
        exit_code = 1
    verdict = "찾은 것이 실제와 모두 같습니다." if exit_code == 0 else "실제와 다릅니다."
    payload: dict[str, Any] = {
        "false_events": n_false,
        "missed_events": n_missed,
        "reports": [report for day in days if (report := _report_of(day))],
        "home": str(home.root),
        "days": [_day_json(day) for day in days],
    }
    text = f"잘못 기록 {n_false:,}건, 놓침 {n_missed:,}건. {verdict}\n보고서 폴더: {home.reports}"
    if exit_code and error is None:
        error = ("rehearsal_differs", verdict)
    return Answer(exit_code, payload, text, error)


def _report_of(day: RehearsedDay) -> str | None:
    """Return the day's workbook; it is written when one board was accepted."""
    reports = (board.summary.report for board in day.boards)
    return next((report for report in reports if report), None)


def _day_json(day: RehearsedDay) -> dict[str, Any]:
    """Return sums over the boards, and each by itself; pages, requests, rows are the list's."""
    worst_code = worst_exit_code([board.summary for board in day.boards])
    worst = next(board for board in day.boards if board.summary.exit_code == worst_code)
    return {
        "date": str(day.day),
        "status": str(worst.summary.status),
        "truth": _add_counts(board.truth for board in day.boards),
        "found": _add_counts(board.found for board in day.boards),
        "false_events": sum(board.false_events for board in day.boards),
        "missed_events": sum(board.missed_events for board in day.boards),
        "n_pages": day.summary.n_pages,
        "n_requests": day.summary.n_requests,
        "n_rows": day.summary.n_rows,
        "report": _report_of(day),
        "boards": {board.board_id: _board_json(board) for board in day.boards},
    }


def _board_json(board: RehearsedBoard) -> dict[str, Any]:
    return {
        "status": str(board.summary.status),
        "truth": board.truth,
        "found": board.found,
        "false_events": board.false_events,
        "missed_events": board.missed_events,
        "n_rows": board.summary.n_rows,
        "n_requests": board.summary.n_requests,
    }


def _add_counts(counts: Iterator[dict[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return dict(total)


def day_text(day: RehearsedDay, names: Mapping[str, str]) -> str:
    """Tell a day in Korean: a line a board, a second one where something differs.

    Args:
        day: The day.
        names: Board id → Korean name.
    """
    width = max(width_of(names[board.board_id]) for board in day.boards)
    lines = [f"\n{day.day} ({WEEKDAYS[day.day.weekday()]})"]
    for board in day.boards:
        name = names[board.board_id]
        lines += _board_lines(board, name + " " * (width - width_of(name)))
    return "\n".join([*lines, f"  보고서: {_report_of(day) or '없음'}"])


def _board_lines(board: RehearsedBoard, name: str) -> Iterator[str]:
    summary = board.summary
    head = f"  {name}  {STATUS_KO[summary.status]}"
    if summary.fault:
        yield f"{head}  [{summary.fault.code}] {summary.fault.message}"
        return
    same = "일치" if board.agrees else "불일치"
    yield (
        f"{head}  쪽 {summary.n_pages:>3,}  요청 {summary.n_requests:>3,}  "
        f"건수 {summary.n_rows or 0:>6,}  "
        f"{_found_text(board)}  -> {same}"
    )
    if not board.agrees:
        yield (
            f"    실제: {_counts_text(board.truth, is_baseline=summary.is_baseline)}  "
            f"잘못 기록 {board.false_events:,}건, 놓침 {board.missed_events:,}건"
        )


def _found_text(board: RehearsedBoard) -> str:
    """Return what a run found: of a page how it moved, of a list its counts."""
    summary = board.summary
    if summary.movement is not None:
        return MOVEMENT_WORDS[summary.movement]
    return _counts_text(board.found, is_baseline=summary.is_baseline)


def _counts_text(counts: dict[str, int], *, is_baseline: bool) -> str:
    if is_baseline:
        return f"최초 수집(기준선) {counts['NEW']:,}건"
    return count_words(Counts(**counts))


def _keep_serving(site: RehearsalSite, home: Home, next_day: date, say: Any) -> None:
    """Leave the site up until Ctrl+C; name a command that runs on the day after the last one."""
    say(
        f"\n연습 사이트가 {site.base_url} 에서 계속 돌고 있습니다. 끝내려면 Ctrl+C를 누르십시오.\n"
        f'다른 창에서: "{sys.executable}" -m dmf_crawler run --home "{home.root}" '
        f"--now {next_day}T06:00:00+09:00"
    )
    never = threading.Event()
    try:
        while not never.wait(CTRL_C_WITHIN_S):
            pass
    except KeyboardInterrupt:
        say("연습 사이트를 닫았습니다.")


def _say(text: str) -> None:
    with suppress(BrokenPipeError):  # `rehearse | head`: nobody listens any more
        print(text, flush=True)


def _quiet(text: str) -> None:
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
