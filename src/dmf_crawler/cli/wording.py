"""Run summaries as JSON and as Korean lines."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dmf_crawler.model.change import Counts
from dmf_crawler.model.record import Value
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Outcome, RunSummary
from dmf_crawler.publish.report.wording import MOVEMENT_WORDS, show_decision

STATUS_KO = {
    RunStatus.RUNNING: "진행 중",
    RunStatus.OK: "정상",
    RunStatus.HELD: "보류",
    RunStatus.REJECTED: "거부",
    RunStatus.FAILED: "실패",
}
HELD = 3
"""Exit code of a run that waits for a person."""

WORST_FIRST = (1, 5, 7, 4, 3, 6, 0)
"""Exit codes of several boards, the worst first (docs/operations.md)."""


def worst_exit_code(summaries: Iterable[RunSummary]) -> int:
    """Return the process's exit code for the boards' own."""
    return min((summary.exit_code for summary in summaries), key=_rank, default=0)


def worst_error(summaries: Sequence[RunSummary]) -> tuple[str, str] | None:
    """Return code and message of the first board whose exit code is the process's."""
    worst = worst_exit_code(summaries)
    faults = [summary.fault for summary in summaries if summary.exit_code == worst]
    return next(((fault.code, fault.message) for fault in faults if fault), None)


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: Hangul takes two a letter."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _rank(exit_code: int) -> int:
    return WORST_FIRST.index(exit_code) if exit_code in WORST_FIRST else -1


def summary_json(summary: RunSummary) -> dict[str, Any]:
    """Return the JSON of one run; other programs rely on its keys."""
    return {
        "run_id": summary.run.run_id,
        "board": summary.run.board_id,
        "date": str(summary.run.day),
        "status": str(summary.status),
        "exit_code": summary.exit_code,
        "n_rows": summary.n_rows,
        "n_pages": summary.n_pages,
        "n_requests": summary.n_requests,
        "is_baseline": summary.is_baseline,
        "movement": str(summary.movement) if summary.movement else None,
        "counts": asdict(summary.counts),
        "missing": summary.missing,
        "report": summary.report,
        "preview": summary.preview,
        "gates": [
            {
                "code": gate.code,
                "outcome": str(gate.outcome),
                "observed": gate.observed,
                "limit": gate.limit,
                "message": gate.message,
            }
            for gate in summary.gates
        ],
        "warnings": list(summary.warnings),
        "error": (
            {"code": summary.fault.code, "message": summary.fault.message}
            if summary.fault
            else None
        ),
    }


def row_json(row: RunRow, n_taken_over: int = 0) -> dict[str, Any]:
    """Return the JSON of one past run, which took over so many pages of an unfinished one."""
    return {
        "run_id": row.run.run_id,
        "board": row.run.board_id,
        "date": str(row.run.day),
        "started_at": row.run.started_at.isoformat(),
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
        "status": str(row.status),
        "exit_code": row.exit_code,
        "n_rows": row.n_rows,
        "n_requests": row.n_requests,
        "duration_ms": row.duration_ms,
        "is_baseline": row.is_baseline,
        "counts": asdict(row.counts),
        "missing": row.missing,
        "selector_version": row.selector_version,
        "raw_dir": row.raw_dir,
        "full_check_from": str(row.full_check_from) if row.full_check_from else None,
        "full_check_left": row.full_check_left,
        "n_taken_over": n_taken_over,
        "identity": row.identity,
        "reuse_rate": row.reuse_rate,
        "decision": str(row.decision.what) if row.decision else None,
        "decided_at": (row.decision.at.isoformat() if row.decision and row.decision.at else None),
        "decision_note": row.decision.note if row.decision else "",
        "error": error_json(row),
    }


def error_json(row: RunRow) -> dict[str, str] | None:
    """Return code and message of what ended a past run, None where nothing did."""
    if not row.error_code:
        return None
    return {"code": row.error_code, "message": row.reject_reason}


def row_text(row: RunRow, n_taken_over: int = 0) -> str:
    """Say a past run on one line."""
    parts = [
        row.run.run_id,
        STATUS_KO[row.status],
        f"건수 {row.n_rows or 0:,}",
        f"요청 {row.n_requests:,}",
        count_words(row.counts, row.missing),
    ]
    if n_taken_over:
        parts.append(f"이어받은 쪽 {n_taken_over:,}")
    if row.full_check_from:
        left = f"(남음 {row.full_check_left:,})" if row.full_check_left else ""
        parts.append(f"전체 재확인 {row.full_check_from}{left}")
    if row.reuse_rate is not None and row.reuse_rate < 1:
        parts.append(f"셀렉터 재사용률 {row.reuse_rate:.1%}")
    if row.error_code:
        parts.append(f"[{row.error_code}] {row.reject_reason}")
    if row.decision:
        parts.append(f"결정: {' '.join(show_decision(row.decision).split())}")
    return "  ".join(parts)


def count_words(counts: Counts, missing: int = 0) -> str:
    """Say counts in Korean."""
    words = (
        f"신규 {counts.NEW:,}  변경 {counts.MODIFIED:,}  취하 {counts.WITHDRAWN:,}  "
        f"재등장 {counts.REAPPEARED:,}"
    )
    if counts.COSMETIC:
        words += f"  표기만 {counts.COSMETIC:,}"
    return words + (f"  확인 중 {missing:,}" if missing else "")


def _say_held(summary: RunSummary) -> list[str]:
    """Return what is to be done about a run that was held just now, one step a line."""
    if summary.exit_code != HELD:
        return []
    lines = [f"  주의: {warning}" for warning in summary.warnings]
    if summary.preview:
        lines.append(f"  미리보기(미채택): {summary.preview}")
    lines.append("  다음: pending 명령으로 사유와 예를 보고 approve 또는 reject 로 결정하십시오.")
    return lines


def name_home(given: Path | None) -> str:
    """Return the words that name a home folder on a command line, "" where none was given."""
    if given is None:
        return ""
    text = str(given)
    quoted = shlex.quote(text) if os.name == "posix" else f'"{text}"'
    return f" --home {quoted}"


def quote_value(value: Value | None) -> str:
    """Return a value in quotes, on one line, with what a terminal would obey escaped."""
    if value is None:
        return "(없음)"
    return " / ".join(map(repr, [value] if isinstance(value, str) else value)) or "(빈 값)"


def summary_text(summary: RunSummary) -> str:
    """Say in Korean what became of a run."""
    head = f"{summary.run.day} {summary.run.board_id}: {STATUS_KO[summary.status]}"
    if summary.fault is not None:
        told = f"{head} [{summary.fault.code}] {summary.fault.message}"
        return "\n".join([told, *_say_held(summary)])
    if summary.movement is not None:
        told = f"{head}  요청 {summary.n_requests:,}  {MOVEMENT_WORDS[summary.movement]}"
        return "\n".join([told, *_say_accepted(summary)])
    if summary.is_baseline:
        words = f"최초 수집(기준선) {summary.n_rows or 0:,}건"
    else:
        words = count_words(summary.counts, summary.missing)
    numbers = f"쪽 {summary.n_pages:,}  요청 {summary.n_requests:,}  건수 {summary.n_rows or 0:,}"
    return "\n".join([f"{head}  {numbers}  {words}", *_say_accepted(summary)])


def _say_accepted(summary: RunSummary) -> list[str]:
    """Return what an accepted run warns of, and where the workbook is."""
    warned = [gate.message for gate in summary.gates if gate.outcome is Outcome.WARN]
    lines = [f"  주의: {warning}" for warning in (*summary.warnings, *warned)]
    return [*lines, f"  보고서: {summary.report}"] if summary.report else lines
