"""`status`: the crawl at work, seen from another terminal, or how the last one ended.

It takes no lock and changes nothing, so it may be asked at any moment.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.wording import STATUS_KO, count_words, error_json
from dmf_crawler.config import Home
from dmf_crawler.crawl import ENDED
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import KST, Checkpoint, Run, RunStatus, day_of, kst
from dmf_crawler.persist.checkpoints import read_checkpoints
from dmf_crawler.persist.earlier_runs import last_ended_runs
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.world import real_world

SILENCE = timedelta(minutes=5)
"""A crawl that noted nothing for so long, beside the pause that it keeps, may have been killed."""

UNRECORDED = re.compile(r"(\d{8}T\d{6})-[a-z0-9_]+-(dry|calibrate)(?:-\d+)?", re.ASCII)
"""The id of a dry run or a calibration, with its start in KST."""

PHASES_KO: Mapping[str, str] = {
    "robots": "robots.txt 확인",
    "list": "목록",
    "export": "엑셀 파일",
    "api": "공공데이터 API",
    "details": "상세 페이지와 첨부파일",
    "page": "감시 페이지",
}


@dataclass(frozen=True, slots=True)
class Work:
    """A run at work.

    Attributes:
        run: Which run.
        checkpoint: How far its crawl has come, None before its first request was answered.
        is_dry: No line of the history will hold it.
    """

    run: Run
    checkpoint: Checkpoint | None
    is_dry: bool = False

    @property
    def is_crawled(self) -> bool:
        """Say whether the crawl is over, so that the run is only judged and recorded."""
        return self.checkpoint is not None and self.checkpoint.phase == ENDED

    @property
    def noted_at(self) -> datetime:
        """When something was last heard of it, by its own clock."""
        return kst(self.checkpoint.noted_at) if self.checkpoint else self.run.started_at

    def silence(self, pc_now: datetime) -> timedelta:
        """Return how long nothing was heard of it; by the PC's clock, which nobody rehearses."""
        noted_at = self.checkpoint.noted_at_pc if self.checkpoint else self.run.started_at
        return pc_now - noted_at

    def is_silent(self, pc_now: datetime) -> bool:
        """Say whether it noted nothing for longer than a crawl at work would."""
        pause = timedelta(seconds=self.checkpoint.delay_s if self.checkpoint else 0)
        return self.silence(pc_now) > SILENCE + pause


def status(arguments: argparse.Namespace) -> Answer:
    """Show the crawl at work, or when the last one ended and how, board by board."""
    home = open_home(arguments.home)
    if not home.database.is_file():
        return Answer(0, {"running": [], "last": []}, "아직 수집한 적이 없습니다.")
    with real_world(home.settings.politeness) as world:
        pc_now = world.pc_now()
    with Store(home.database, for_reading=True) as store:
        return tell_status(home, store, pc_now)


def tell_status(home: Home, store: Store, pc_now: datetime) -> Answer:
    """Return what a history says at a moment of crawls at work and of those that ended."""
    with store.reading():
        works, last = _find_works(store), last_ended_runs(store)
    names = {board.id: f"{board.name_ko} ({board.id})" for board in home.enabled_boards}
    payload = {
        "running": [_work_json(work, pc_now) for work in works],
        "last": [_last_json(row) for row in last],
    }
    lines = [
        *(_say_work(work, names.get(work.run.board_id), pc_now) for work in works),
        *([] if works else ["진행 중인 수집이 없습니다."]),
        *(_say_last(row, names.get(row.run.board_id)) for row in last),
    ]
    return Answer(0, payload, "\n".join(lines))


def _find_works(store: Store) -> tuple[Work, ...]:
    """Return the runs at work; beside one that the history knows there is no dry one."""
    checkpoints = read_checkpoints(store)
    of_run = {checkpoint.run_id: checkpoint for checkpoint in checkpoints}
    runs = [row.run for row in find_runs(store) if row.status is RunStatus.RUNNING]
    if runs:
        return tuple(Work(run, of_run.get(run.run_id)) for run in runs)
    dry_runs = ((_read_dry_run(checkpoint), checkpoint) for checkpoint in checkpoints)
    return tuple(
        Work(run, checkpoint, is_dry=True)
        for run, checkpoint in dry_runs
        if run is not None and checkpoint.phase != ENDED
    )


def _read_dry_run(checkpoint: Checkpoint) -> Run | None:
    """Return the dry run that a checkpoint is of, from its id; None where it is of another run."""
    match = UNRECORDED.fullmatch(checkpoint.run_id)
    if match is None:
        return None
    started_at = datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=KST)
    return Run(checkpoint.run_id, checkpoint.board_id, started_at, day_of(started_at))


def _work_json(work: Work, pc_now: datetime) -> dict[str, Any]:
    checkpoint = work.checkpoint
    ends_at = checkpoint.ends_at if checkpoint else None
    return {
        "board": work.run.board_id,
        "run_id": work.run.run_id,
        "is_dry": work.is_dry,
        "started_at": work.run.started_at.isoformat(),
        "phase": checkpoint.phase if checkpoint else "",
        "page": checkpoint.n_done if checkpoint else 0,
        "n_pages": checkpoint.n_pages if checkpoint else 0,
        "pass_no": checkpoint.pass_no if checkpoint else 1,
        "n_requests": checkpoint.n_requests if checkpoint else 0,
        "delay_s": checkpoint.delay_s if checkpoint else None,
        "last_fault": checkpoint.last_fault if checkpoint else "",
        "noted_at": work.noted_at.isoformat(),
        "ends_at": ends_at.isoformat() if ends_at else None,
        "is_silent": work.is_silent(pc_now),
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


def _say_work(work: Work, name: str | None, pc_now: datetime) -> str:
    run, checkpoint = work.run, work.checkpoint
    act = "판정 중" if work.is_crawled else "수집 중"
    kind = ""
    if work.is_dry:
        kind = ", 보정(calibrate)" if "-calibrate" in run.run_id else ", 시험 실행(--dry-run)"
    head = f"{name or run.board_id}: {act}{kind}, {run.started_at:%Y-%m-%d %H:%M:%S} 시작"
    lines = [head, f"  {_say_progress(checkpoint)}" if checkpoint else "  첫 응답을 기다립니다."]
    if checkpoint and checkpoint.last_fault:
        lines.append(f"  마지막 오류: {checkpoint.last_fault}")
    return "\n".join([*lines, f"  마지막 기록 {work.noted_at:%H:%M:%S}{_say_end(work, pc_now)}"])


def _say_end(work: Work, pc_now: datetime) -> str:
    """Say when a run will probably end, or that it may have ended already."""
    if work.is_silent(pc_now):
        what = "이력은 그대로입니다" if work.is_dry else "다음 실행이 이어받거나 정리합니다"
        return f", 그 뒤로 소식이 없습니다(강제 종료되었을 수 있음). {what}."
    ends_at = work.checkpoint.ends_at if work.checkpoint else None
    if ends_at is None or ends_at <= work.noted_at + work.silence(pc_now):
        return ""
    return f", {kst(ends_at):%H:%M}쯤 끝날 것으로 보입니다."


def _say_progress(checkpoint: Checkpoint) -> str:
    if checkpoint.phase == ENDED:
        return f"수집을 마쳤습니다. 요청 {checkpoint.n_requests:,}회"
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
