"""이력: what happened lately, newest first. 실행로그: the runs behind it."""

from __future__ import annotations

from collections.abc import Iterable

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
    show_movement,
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
PAGE_COLUMN = "페이지"
"""What a page board's run found, where there is such a board."""

PAGE_WIDTH = 30.0
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
    names = {board.board_id: board.name_ko for board in report.boards}
    names |= {page.board_id: page.name_ko for page in report.pages}
    has_board = len(names.keys() | {row.run.board_id for row in report.runs}) > 1
    columns = [*zip(RUN_COLUMNS, RUN_WIDTHS, strict=True)]
    if report.pages:
        columns.insert(RUN_COLUMNS.index("기준선"), (PAGE_COLUMN, PAGE_WIDTH))
    columns = [("run_id", 32.0), *([("게시판", 22.0)] if has_board else []), *columns]
    sheet.set_widths([width for _, width in columns])
    sheet.write_header([label for label, _ in columns])
    for row in report.runs:
        cells = _run_cells(row, report)
        if has_board:
            cells.insert(1, Cell(names.get(row.run.board_id, row.run.board_id)))
        sheet.write_row(cells)
    sheet.freeze(n_columns=1)
    sheet.filter(n_columns=len(columns))
    if not report.runs:
        sheet.write_row([Cell("기록된 실행이 없습니다.", Role.MESSAGE)])


def _run_cells(row: RunRow, report: Report) -> list[Cell]:
    run = row.run
    board = next((each for each in report.boards if each.board_id == run.board_id), None)
    return [
        Cell(run.run_id),
        Cell(run.day.isoformat()),
        Cell(show_moment(run.started_at)),
        Cell(show_moment(row.finished_at)),
        Cell(STATUS_WORDS[row.status]),
        *_found_cells(row, report),
        Cell("예" if row.is_baseline else ""),
        Cell(_show_full_check(row)),
        Cell(row.selector_version),
        Cell(f"{row.reuse_rate:.1%}" if row.reuse_rate is not None else None),
        Cell(_show_given_way(report.given_way.get(run.run_id, ()), board)),
        Cell("미결정" if run.run_id == report.preview_of else show_decision(row.decision)),
        Cell(row.error_code),
        Cell(row.reject_reason),
    ]


def _found_cells(row: RunRow, report: Report) -> list[Cell]:
    """Return what a run found and what that took; a page is no list, and has no counts."""
    counts, visit = row.counts, report.page_visits.get(row.run.run_id)
    is_page = any(page.board_id == row.run.board_id for page in report.pages)
    found = [counts.NEW, counts.MODIFIED, counts.WITHDRAWN, counts.REAPPEARED, row.missing]
    moved = show_movement(visit.movement, visit.distance, visit.threshold) if visit else ""
    return [
        Cell(None if is_page else row.n_rows),
        Cell(row.n_requests),
        Cell(round(row.duration_ms / 1000, 1) if row.duration_ms is not None else None),
        *(Cell(None if is_page else count) for count in found),
        *([Cell(moved)] if report.pages else []),
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
