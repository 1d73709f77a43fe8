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
from dmf_crawler.publish.report.cells import FONT, Sheet, Tone, add_formats
from dmf_crawler.publish.report.changes import write_arrivals, write_modified, write_withdrawn
from dmf_crawler.publish.report.columns import find_places
from dmf_crawler.publish.report.log import write_history, write_runs
from dmf_crawler.publish.report.page_notes import REVIEW_SHEET, has_reviews
from dmf_crawler.publish.report.records import write_records
from dmf_crawler.publish.report.reviews import write_reviews
from dmf_crawler.publish.report.summary import title_of, write_summary
from dmf_crawler.publish.whole_file import open_whole

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
        StoredDataError: `report_not_written`, `preview_not_written`; what lay at `path` is
            untouched.
    """
    try:
        content = _render(report)
        with open_whole(path, replace=replace) as file:
            file.write(content)
    except PermissionError as error:
        if report.preview_of:
            raise _preview_not_written(path, error) from error
        raise StoredDataError(
            "report_not_written",
            f"보고서 {path} 파일을 쓰지 못했습니다. Excel 같은 다른 프로그램이 파일을 열어 두었거나"
            " 폴더에 쓰기 권한이 없습니다. 이전 보고서는 그대로 있습니다. 파일을 닫은 뒤"
            f" report --date {report.day.isoformat()} 명령을 실행해 주십시오.",
        ) from error
    except (OSError, XlsxFileError) as error:
        if report.preview_of:
            raise _preview_not_written(path, error) from error
        raise StoredDataError(
            "report_not_written",
            f"보고서 {path} 파일을 쓰지 못했습니다({error}). 이전 보고서는 그대로 있습니다."
            " 폴더와 임시 폴더의 쓰기 권한, 디스크의 여유 공간을 확인한 뒤"
            f" report --date {report.day.isoformat()} 명령을 실행해 주십시오.",
        ) from error
    return path


def _preview_not_written(path: Path, error: Exception) -> StoredDataError:
    return StoredDataError(
        "preview_not_written",
        f"미리보기 {path} 파일을 쓰지 못했습니다({error}). 같은 이름의 파일이 열려 있으면 닫고, "
        "폴더의 쓰기 권한과 디스크의 여유 공간을 확인해 주십시오.",
    )


def _render(report: Report) -> bytes:
    """Return the workbook's bytes; the rows lie in the system's temporary folder meanwhile."""
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        workbook.set_properties(
            {
                "title": title_of(report),
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

    def add(name: str, tone: Tone = Tone.PLAIN) -> Sheet:
        banner, mark = _mark(report)
        sheet = Sheet(workbook.add_worksheet(name), formats, banner=banner)
        sheet.set_page(day=report.day.isoformat(), tone=tone, mark=mark)
        return sheet

    write_summary(add("요약"), report, places)
    write_arrivals(add("신규", Tone.NEW), report, places)
    write_modified(add("변경", Tone.CHANGED), report, places)
    write_withdrawn(add("취하", Tone.WITHDRAWN), report, places)
    records = [(places.sheet_names[board.board_id], board) for board in report.boards]
    for name, board in records[:1]:
        write_records(add(name), board)
    write_history(add("이력"), report, places)
    write_runs(add("실행로그"), report)
    for name, board in records[1:]:
        write_records(add(name), board)
    if has_reviews(report):
        write_reviews(add(REVIEW_SHEET, Tone.CHANGED), report)


def _mark(report: Report) -> tuple[str, str]:
    """Return what stands across the top of every sheet and on every printed page, "" for a report.

    A preview must not be taken for a report, whichever sheet of it somebody sees.
    """
    if not report.preview_of:
        return "", ""
    banner = (
        f"미채택 미리보기: 보류된 실행 {report.preview_of} 을 승인하면 이렇게 됩니다. "
        "인용하거나 전달하지 마십시오."
    )
    return banner, "미채택 미리보기"
