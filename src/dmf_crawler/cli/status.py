"""`status`: the crawl at work, seen from another terminal, or how the last one ended.

It takes no lock and changes nothing, so it may be asked at any moment.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.wording import STATUS_KO, count_words, error_json
from dmf_crawler.config import Home
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Checkpoint, RunStatus, kst
from dmf_crawler.persist.checkpoints import read_checkpoints
from dmf_crawler.persist.earlier_runs import last_ended_runs
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.world import real_world

SILENCE = timedelta(minutes=5)
"""A crawl that noted nothing for so long, beside the pause that it keeps, may have been killed."""

PHASES_KO: Mapping[str, str] = {
    "robots": "robots.txt 확인",
    "list": "목록",
    "details": "상세 페이지와 첨부 파일",
}


@dataclass(frozen=True, slots=True)
class Work:
    """A run at work, and its checkpoint; None before its first request was answered."""

    row: RunRow
    checkpoint: Checkpoint | None

    @property
    def noted_at(self) -> datetime:
        """When something was last heard of it."""
        return self.checkpoint.noted_at if self.checkpoint else self.row.run.started_at

    def is_silent(self, now: datetime) -> bool:
        """Say whether it noted nothing for longer than a crawl at work would."""
        pause = timedelta(seconds=self.checkpoint.delay_s if self.checkpoint else 0)
        return now - self.noted_at > SILENCE + pause


def status(arguments: argparse.Namespace) -> Answer:
    """Show the crawl at work, or when the last one ended and how, board by board."""
    home = open_home(arguments.home)
    if not home.database.is_file():
        return Answer(0, {"running": [], "last": []}, "아직 수집한 적이 없습니다.")
    with real_world(home.settings.politeness) as world:
        now = world.now()
    with Store(home.database, for_reading=True) as store:
        return tell_status(home, store, now)


def tell_status(home: Home, store: Store, now: datetime) -> Answer:
    """Return what a history says at a moment of crawls at work and of those that ended."""
    with store.reading():
        works, last = _find_works(store), last_ended_runs(store)
    names = {board.id: f"{board.name_ko} ({board.id})" for board in home.enabled_boards}
    payload = {
        "running": [_work_json(work, now) for work in works],
        "last": [_last_json(row) for row in last],
    }
    lines = [
        *(_say_work(work, names.get(work.row.run.board_id), now) for work in works),
        *([] if works else ["진행 중인 수집이 없습니다."]),
        *(_say_last(row, names.get(row.run.board_id)) for row in last),
    ]
    return Answer(0, payload, "\n".join(lines))


def _find_works(store: Store) -> tuple[Work, ...]:
    checkpoints = {checkpoint.run_id: checkpoint for checkpoint in read_checkpoints(store)}
    rows = [row for row in find_runs(store) if row.status is RunStatus.RUNNING]
    return tuple(Work(row, checkpoints.get(row.run.run_id)) for row in rows)


def _work_json(work: Work, now: datetime) -> dict[str, Any]:
    checkpoint = work.checkpoint
    ends_at = checkpoint.ends_at if checkpoint else None
    return {
        "board": work.row.run.board_id,
        "run_id": work.row.run.run_id,
        "started_at": work.row.run.started_at.isoformat(),
        "phase": checkpoint.phase if checkpoint else "",
        "page": checkpoint.n_done if checkpoint else 0,
        "n_pages": checkpoint.n_pages if checkpoint else 0,
        "pass_no": checkpoint.pass_no if checkpoint else 1,
        "n_requests": checkpoint.n_requests if checkpoint else 0,
        "delay_s": checkpoint.delay_s if checkpoint else None,
        "last_fault": checkpoint.last_fault if checkpoint else "",
        "noted_at": work.noted_at.isoformat(),
        "ends_at": ends_at.isoformat() if ends_at else None,
        "is_silent": work.is_silent(now),
    }


def _last_json(row: RunRow) -> dict[str, Any]:
    return {
        "board": row.run.board_id,
        "run_id": row.run.run_id,
        "status": str(row.status),
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
        "exit_code": row.exit_code,
        "error": error_json(row),
    }


def _say_work(work: Work, name: str | None, now: datetime) -> str:
    run, checkpoint = work.row.run, work.checkpoint
    head = f"{name or run.board_id}: 수집 중, {run.started_at:%Y-%m-%d %H:%M:%S} 시작"
    lines = [head, f"  {_say_progress(checkpoint)}" if checkpoint else "  첫 응답을 기다립니다."]
    if checkpoint and checkpoint.last_fault:
        lines.append(f"  마지막 오류: {checkpoint.last_fault}")
    noted = f"  마지막 기록 {work.noted_at:%H:%M:%S}"
    if work.is_silent(now):
        lines.append(
            f"{noted}, 그 뒤로 소식이 없습니다(강제 종료되었을 수 있음). "
            "다음 실행이 이어받거나 정리합니다."
        )
    elif checkpoint and checkpoint.ends_at and checkpoint.ends_at > now:
        lines.append(f"{noted}, {kst(checkpoint.ends_at):%H:%M}쯤 끝날 것으로 보입니다.")
    else:
        lines.append(noted)
    return "\n".join(lines)


def _say_progress(checkpoint: Checkpoint) -> str:
    phase = PHASES_KO.get(checkpoint.phase, checkpoint.phase)
    pages = f" {checkpoint.n_done:,}/{checkpoint.n_pages:,}쪽" if checkpoint.n_pages else ""
    again = f" ({checkpoint.pass_no}번째 읽는 중)" if checkpoint.pass_no > 1 else ""
    return (
        f"{phase}{pages}{again}, 요청 {checkpoint.n_requests:,}회, "
        f"요청 간격 {checkpoint.delay_s:.1f}초"
    )


def _say_last(row: RunRow, name: str | None) -> str:
    head = f"{name or row.run.board_id}: 마지막 수집 {STATUS_KO[row.status]}"
    if row.finished_at:
        head += f", {row.finished_at:%Y-%m-%d %H:%M:%S} 끝남"
    if row.error_code:
        return f"{head}\n  [{row.error_code}] {row.reject_reason}"
    words = f"최초 수집(기준선) {row.n_rows or 0:,}건"
    if not row.is_baseline:
        words = f"건수 {row.n_rows or 0:,}  {count_words(row.counts, row.missing)}"
    return f"{head}\n  {words}"
