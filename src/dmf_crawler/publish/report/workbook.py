"""Write the daily workbook: the whole file or none of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC
from io import BytesIO
from pathlib import Path

from xlsxwriter.exceptions import XlsxFileError
from xlsxwriter.workbook import Workbook

from dmf_crawler.errors import StoredDataError
from dmf_crawler.model.report import Report
from dmf_crawler.publish.report.cells import FONT, Formats, Sheet, Tone, add_formats
from dmf_crawler.publish.report.changes import write_arrivals, write_modified, write_withdrawn
from dmf_crawler.publish.report.columns import find_places
from dmf_crawler.publish.report.log import write_history, write_runs
from dmf_crawler.publish.report.records import write_records
from dmf_crawler.publish.report.summary import write_summary

OPTIONS = {
    "constant_memory": True,  # rows go to disk at once, so every sheet is written from the top
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "default_format_properties": {"font_name": FONT, "font_size": 10},
}


def write_report(
    report: Report, path: Path, *, replace: Callable[[Path, Path], None] = os.replace
) -> Path:
    """Write a report's workbook and return its path; the same report gives the same bytes.

    A temporary file in the same folder takes the place of an older report only when it is
    complete and on disk.

    Args:
        report: What to show.
        path: The xlsx file; its folder is made where it is missing.
        replace: Moves the finished file over `path`, as `os.replace`.

    Raises:
        StoredDataError: `report_not_written`; what lay at `path` is untouched.
    """
    try:
        _write_atomically(_render(report), path, replace=replace)
    except PermissionError as error:
        raise StoredDataError(
            "report_not_written",
            f"보고서 {path} 파일을 쓰지 못했습니다. Excel 같은 다른 프로그램이 파일을 열어 두었거나"
            " 폴더에 쓰기 권한이 없습니다. 이전 보고서는 그대로 있습니다. 파일을 닫은 뒤"
            f" report --date {report.day.isoformat()} 명령을 실행해 주십시오.",
        ) from error
    except (OSError, XlsxFileError) as error:
        raise StoredDataError(
            "report_not_written",
            f"보고서 {path} 파일을 쓰지 못했습니다({error}). 이전 보고서는 그대로 있습니다."
            " 폴더와 디스크의 여유 공간을 확인한 뒤"
            f" report --date {report.day.isoformat()} 명령을 실행해 주십시오.",
        ) from error
    return path


def _write_atomically(content: bytes, path: Path, *, replace: Callable[[Path, Path], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _render(report: Report) -> bytes:
    """Return the workbook's bytes; the rows lie in the system's temporary folder meanwhile."""
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        workbook.set_properties(
            {
                "title": f"DMF 변동 보고서 {report.day.isoformat()}",
                "subject": "사내용",
                "comments": "사내용: 외부로 배포하지 마십시오.",
                "created": report.written_at.astimezone(UTC),
            }
        )
        _write_sheets(report, workbook)
    return buffer.getvalue()


def _write_sheets(report: Report, workbook: Workbook) -> None:
    """Write all sheets; their order here is their order in the file."""
    formats = add_formats(workbook)
    places = find_places(report)
    day = report.day.isoformat()
    write_summary(_add_sheet(workbook, formats, "요약", day=day), report, places)
    write_arrivals(_add_sheet(workbook, formats, "신규", day=day, tone=Tone.NEW), report, places)
    write_modified(
        _add_sheet(workbook, formats, "변경", day=day, tone=Tone.CHANGED), report, places
    )
    write_withdrawn(
        _add_sheet(workbook, formats, "취하", day=day, tone=Tone.WITHDRAWN), report, places
    )
    records = [(places.sheet_names[board.board_id], board) for board in report.boards]
    for name, board in records[:1]:
        write_records(_add_sheet(workbook, formats, name, day=day), board)
    write_history(_add_sheet(workbook, formats, "이력", day=day), report, places)
    write_runs(_add_sheet(workbook, formats, "실행로그", day=day), report)
    for name, board in records[1:]:
        write_records(_add_sheet(workbook, formats, name, day=day), board)


def _add_sheet(
    workbook: Workbook, formats: Formats, name: str, *, day: str, tone: Tone = Tone.PLAIN
) -> Sheet:
    sheet = Sheet(workbook.add_worksheet(name), formats)
    sheet.set_page(day=day, tone=tone)
    return sheet
