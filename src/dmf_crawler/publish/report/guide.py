"""The end of 요약: how late a change is shown, what the colours mean, what each sheet has."""

from __future__ import annotations

from dmf_crawler.model.detail import BODY
from dmf_crawler.model.report import Report
from dmf_crawler.publish.report.blocks import link_to_sheet, write_heading, write_line
from dmf_crawler.publish.report.cells import Cell, Sheet, Tone
from dmf_crawler.publish.report.columns import Places
from dmf_crawler.publish.report.page_notes import REVIEW_SHEET, has_reviews

LEGEND: tuple[tuple[str, Tone, str], ...] = (
    ("신규", Tone.NEW, "목록에 새로 등록된 건입니다."),
    ("변경", Tone.CHANGED, "값이 바뀐 건입니다. 변경 시트에서는 바뀐 뒤의 값에 칠합니다."),
    ("취하", Tone.WITHDRAWN, "취하로 기록한 건입니다."),
    ("재등장", Tone.REAPPEARED, "취하로 기록했으나 다시 나타났거나 정상으로 돌아온 건입니다."),
    ("확인 중", Tone.MISSING, "목록에서 사라졌으나 아직 취하로 기록하지 않은 건입니다."),
)

SHEETS: tuple[tuple[str, str], ...] = (
    ("신규", "새로 등록된 건과 재등장한 건"),
    ("변경", "바뀐 항목마다 한 행: 이전 값과 이후 값"),
    ("취하", "취하로 기록한 건과 확인 중인 건"),
    ("이력", "최근 변동을 최신순으로 모은 표(표기 변경 포함)"),
    ("실행로그", "최근 수집 실행의 결과"),
)


def write_end(sheet: Sheet, report: Report, places: Places) -> None:
    """Write what stands below the blocks of the boards."""
    _write_delay(sheet, report)
    _write_legend(sheet, report)
    _write_guide(sheet, report, places)


def _write_delay(sheet: Sheet, report: Report) -> None:
    write_heading(sheet, "변동이 보고서에 나타나기까지")
    durations = [
        board.accepted.duration_ms
        for board in report.boards
        if board.accepted is not None and board.accepted.duration_ms is not None
    ]
    spent = f"(이번 {_show_duration(sum(durations))})" if durations else ""
    write_line(
        sheet,
        f"신규, 변경, 상태에 따른 취하는 사이트에 올라온 뒤 24시간과 실행 시간{spent} 안에"
        " 나타납니다. 목록에서 사라진 행은 그 안에 '확인 중'으로 바로 표시하고, 연속"
        f" {report.missing_runs}회 확인한 뒤 취하로 기록합니다. 보류된 날과 수집하지 못한 날이"
        " 있으면 그만큼 늦어집니다.",
    )
    if any(column.field == BODY for board in report.boards for column in board.columns):
        write_line(
            sheet,
            "게시글의 행은 그대로이고 본문이나 첨부파일만 바뀐 경우에는 늦어도 다음 전체"
            " 재확인(매주 일요일, 놓치면 7일 안)에 나타납니다. 한 번에 다 받지 못한 것은 다음"
            " 날 이어서 받으므로 그만큼 더 늦을 수 있습니다.",
        )


def _show_duration(duration_ms: int) -> str:
    minutes, seconds = divmod(round(duration_ms / 1000), 60)
    return f"{minutes}분 {seconds}초" if minutes else f"{seconds}초"


def _write_legend(sheet: Sheet, report: Report) -> None:
    write_heading(sheet, "색 안내")
    for label, tone, meaning in LEGEND:
        sheet.write_wide([Cell(label, tone=tone), Cell(meaning)])
    if has_reviews(report):
        text = f"{REVIEW_SHEET} 시트에서는 바뀐 뒤의 값과 새로 생긴 글에 칠합니다."
        sheet.write_wide([Cell(REVIEW_SHEET, tone=Tone.CHANGED), Cell(text)])


def _write_guide(sheet: Sheet, report: Report, places: Places) -> None:
    write_heading(sheet, "시트 안내")
    records = [
        (places.sheet_names[board.board_id], f"{board.name_ko}의 현재 목록")
        for board in report.boards
    ]
    last = [(REVIEW_SHEET, "페이지에서 바뀐 곳: 사람이 확인할 것")] if has_reviews(report) else []
    for name, meaning in [*SHEETS[:3], *records[:1], *SHEETS[3:], *records[1:], *last]:
        sheet.write_wide([Cell(name, link=link_to_sheet(name)), Cell(meaning)])
