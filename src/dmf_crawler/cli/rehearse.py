"""`rehearse`: the whole product on a copy of the site, on this machine alone."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.run import choose_boards, run_once
from dmf_crawler.cli.wording import STATUS_KO, count_words, worst_exit_code
from dmf_crawler.config import Home, load_home
from dmf_crawler.model.change import Counts
from dmf_crawler.persist.questions import events_of_run, list_as_of
from dmf_crawler.persist.store import Store
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearse import (
    BOARD,
    Found,
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
    with RehearsalSite(life.rows) as site:
        make_home(root, site.base_url)
        home = load_home(root)
        say(f"연습 사이트 {site.base_url} 에 {arguments.rows:,}건의 목록을 열었습니다.")
        say(f"홈 폴더: {home.root}")
        days = []
        for day in rehearse_days(site, life, arguments.days, DayRunner(home)):
            days.append(day)
            say(_day_text(day))
        answer = make_answer(home, days)
        if arguments.serve:
            say(answer.text)
            _keep_serving(site, home, life.day + timedelta(days=1), say)
            return Answer(answer.exit_code, answer.payload, "", answer.error)
    return answer


@dataclass(frozen=True, slots=True)
class DayRunner:
    """Runs the rehearsal's board through the same door as `run`."""

    home: Home

    def __call__(self, moment: datetime) -> Found:
        """Run once, as if at a moment."""
        summary = run_once(self.home, choose_boards(self.home, [BOARD]), starts_at=moment)[0]
        with Store(self.home.database) as store:
            return Found(
                summary,
                events_of_run(store, summary.run.run_id),
                list_as_of(store, BOARD, summary.run.started_at),
            )


def make_answer(home: Home, days: list[RehearsedDay]) -> Answer:
    """Sum up the days: exit code 1 when what was found differs from what happened."""
    n_false = sum(day.false_events for day in days)
    n_missed = sum(day.missed_events for day in days)
    exit_code = worst_exit_code([day.summary for day in days])
    if exit_code == 0 and (n_false or n_missed):
        exit_code = 1
    verdict = "찾은 것이 실제와 모두 같습니다." if exit_code == 0 else "실제와 다릅니다."
    payload: dict[str, Any] = {
        "false_events": n_false,
        "missed_events": n_missed,
        "reports": [day.summary.report for day in days if day.summary.report],
        "home": str(home.root),
        "days": [_day_json(day) for day in days],
    }
    text = f"잘못 기록 {n_false:,}건, 놓침 {n_missed:,}건. {verdict}\n보고서 폴더: {home.reports}"
    error = None
    if exit_code:
        faults = [day.summary.fault for day in days if day.summary.fault]
        error = (faults[0].code, faults[0].message) if faults else ("rehearsal_differs", verdict)
    return Answer(exit_code, payload, text, error)


def _day_json(day: RehearsedDay) -> dict[str, Any]:
    return {
        "date": str(day.day),
        "status": str(day.summary.status),
        "truth": day.truth,
        "found": day.found,
        "false_events": day.false_events,
        "missed_events": day.missed_events,
        "n_pages": day.summary.n_pages,
        "n_requests": day.summary.n_requests,
        "n_rows": day.summary.n_rows,
        "report": day.summary.report,
    }


def _day_text(day: RehearsedDay) -> str:
    summary = day.summary
    head = (
        f"\n{day.day} ({WEEKDAYS[day.day.weekday()]})  {STATUS_KO[summary.status]}  "
        f"쪽 {summary.n_pages:,}  요청 {summary.n_requests:,}  건수 {summary.n_rows or 0:,}"
    )
    if summary.fault:
        return f"{head}\n  [{summary.fault.code}] {summary.fault.message}"
    same = "일치" if not (day.false_events or day.missed_events) else "불일치"
    return "\n".join(
        [
            head,
            f"  찾은 것  {_counts_text(day.found, is_baseline=summary.is_baseline)}",
            f"  실제     {_counts_text(day.truth, is_baseline=summary.is_baseline)}   -> {same}",
            f"  보고서   {summary.report}",
        ]
    )


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
