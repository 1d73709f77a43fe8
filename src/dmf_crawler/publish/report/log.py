"""이력: what happened lately, newest first. 실행로그: the runs behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dmf_crawler.model.record import Column
from dmf_crawler.model.report import BoardReport, EventRow, Report, RunRow
from dmf_crawler.model.reuse import ROW, GaveWay
from dmf_crawler.publish.report.cells import Cell, Role, Sheet
from dmf_crawler.publish.report.columns import Places, key_cell, lay_out
from dmf_crawler.publish.report.records import EVENT_TONES
from dmf_crawler.publish.report.wording import (
    EVENT_WORDS,
    STATUS_WORDS,
    describe_changed_back,
    describe_changes,
    label_of,
    show_decision,
    show_grade,
    show_moment,
    show_reason,
)

HISTORY_COLUMNS = ("구분", "정도", "변경 내용", "사유", "비고", "run_id")
HISTORY_WIDTHS = (9.0, 8.0, 64.0, 24.0, 52.0, 34.0)

RUN_COLUMNS = (
    "기준일",
    "시작",
    "종료",
    "상태",
    "건수",
    "요청 수",
    "소요(초)",
    "신규",
    "변경",
    "취하",
    "재등장",
    "확인 중",
    "기준선",
    "전체 재확인",
    "셀렉터 버전",
    "재사용률",
    "물러난 셀렉터",
    "결정",
    "오류 코드",
    "사유",
)
RUN_WIDTHS = (
    *(11.0, 19.0, 19.0, 8.0, 9.0, 8.0, 9.0),
    *(7.0, 7.0, 7.0, 8.0, 8.0, 8.0),
    *(13.0, 8.0, 9.0, 44.0, 24.0, 20.0, 40.0),
)


def write_history(sheet: Sheet, report: Report, places: Places) -> None:
    """Write the events of all boards, newest first."""
    layout = lay_out(report, pick=lambda board: ())
    sheet.set_widths([20.0, *layout.widths, *HISTORY_WIDTHS])
    header = ["일시", *layout.header, *HISTORY_COLUMNS]
    sheet.write_header(header)
    rows = [(board, event) for board in report.boards for event in board.history]
    for board, event in sorted(rows, key=lambda row: row[1].occurred_at, reverse=True):
        first = layout.cells(
            board, event.fields, key_cell(board, (event.key, event.fields), places)
        )
        sheet.write_row([Cell(show_moment(event.occurred_at)), *first, *_event_cells(board, event)])
    sheet.freeze(n_columns=1 + layout.n_key_columns)
    sheet.filter(n_columns=len(header))
    if not rows:
        sheet.write_row([Cell("기록된 변동이 없습니다.", Role.MESSAGE)])


def _event_cells(board: BoardReport, event: EventRow) -> list[Cell]:
    return [
        Cell(EVENT_WORDS[event.event_type], tone=EVENT_TONES[event.event_type]),
        Cell(show_grade(event.grade)),
        Cell(describe_changes(event.changes, board.columns)),
        Cell(show_reason(event.reason)),
        Cell(describe_changed_back(event, board.columns)),
        Cell(event.run_id),
    ]


def write_runs(sheet: Sheet, report: Report) -> None:
    """Write one line a run, newest first as given."""
    board_ids = {board.board_id for board in report.boards}
    board_ids.update(row.run.board_id for row in report.runs)
    has_board = len(board_ids) > 1
    boards = {board.board_id: board for board in report.boards}
    sheet.set_widths([32.0, *([22.0] if has_board else []), *RUN_WIDTHS])
    header = ["run_id", *(["게시판"] if has_board else []), *RUN_COLUMNS]
    sheet.write_header(header)
    for row in report.runs:
        sheet.write_row(_run_cells(row, boards, report, has_board=has_board))
    sheet.freeze(n_columns=1)
    sheet.filter(n_columns=len(header))
    if not report.runs:
        sheet.write_row([Cell("기록된 실행이 없습니다.", Role.MESSAGE)])


def _run_cells(
    row: RunRow, boards: Mapping[str, BoardReport], report: Report, *, has_board: bool
) -> list[Cell]:
    run, counts, board = row.run, row.counts, boards.get(row.run.board_id)
    return [
        Cell(run.run_id),
        *([Cell(board.name_ko if board else run.board_id)] if has_board else []),
        Cell(run.day.isoformat()),
        Cell(show_moment(run.started_at)),
        Cell(show_moment(row.finished_at)),
        Cell(STATUS_WORDS[row.status]),
        Cell(row.n_rows),
        Cell(row.n_requests),
        Cell(round(row.duration_ms / 1000, 1) if row.duration_ms is not None else None),
        Cell(counts.NEW),
        Cell(counts.MODIFIED),
        Cell(counts.WITHDRAWN),
        Cell(counts.REAPPEARED),
        Cell(row.missing),
        Cell("예" if row.is_baseline else ""),
        Cell(_show_full_check(row)),
        Cell(row.selector_version),
        Cell(f"{row.reuse_rate:.1%}" if row.reuse_rate is not None else None),
        Cell(_show_given_way(report.given_way.get(run.run_id, ()), board)),
        Cell("미결정" if run.run_id == report.preview_of else show_decision(row.decision)),
        Cell(row.error_code),
        Cell(row.reject_reason),
    ]


def _show_given_way(fields: Iterable[GaveWay], board: BoardReport | None) -> str:
    """Return, one line a field, which primary selector gave way and what served instead."""
    columns = (Column(ROW, "행"), *(board.columns if board else ()))
    return "\n".join(
        f"{label_of(gone.field, columns)}: {gone.primary} → "
        f"{', '.join(selector for selector, _ in gone.served)}"
        for gone in fields
    )


def _show_full_check(row: RunRow) -> str:
    """Return the day on which the run's full check began, and what it had still to do."""
    if row.full_check_from is None:
        return ""
    left = f"\n남음 {row.full_check_left:,}" if row.full_check_left else ""
    return f"{row.full_check_from.isoformat()}{left}"
