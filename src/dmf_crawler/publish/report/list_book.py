"""The list of a day as a workbook of one sheet, as 전체현황 of the daily one."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

from xlsxwriter.workbook import Workbook

from dmf_crawler.model.listing import ListOfDay
from dmf_crawler.model.report import BoardReport
from dmf_crawler.publish.report.cells import Sheet, add_formats
from dmf_crawler.publish.report.columns import RECORDS_SHEET
from dmf_crawler.publish.report.records import write_records
from dmf_crawler.publish.report.workbook import OPTIONS


def render_list_book(listing: ListOfDay, *, written_at: datetime) -> bytes:
    """Return the bytes of a workbook that shows the list of a day.

    Raises:
        StoredDataError: `report_not_written`: a cell did not arrive.
    """
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        workbook.set_properties(
            {
                "title": f"{listing.board.name_ko} {listing.day} 끝의 목록",
                "subject": "사내용",
                "comments": "사내용: 외부로 배포하지 마십시오.",
                "created": written_at.astimezone(UTC),
            }
        )
        worksheet = workbook.add_worksheet(RECORDS_SHEET)
        sheet = Sheet(worksheet, add_formats(workbook), banner=tell_list(listing))
        sheet.set_page(day=listing.day.isoformat())
        write_records(sheet, _as_board(listing))
    return buffer.getvalue()


def tell_list(listing: ListOfDay) -> str:
    """Return which list it is, on one line: a list of a past day must not be taken for today's."""
    missing = f" (확인 중 {listing.n_missing:,}건)" if listing.n_missing else ""
    return (
        f"사내용 · {listing.board.name_ko} · {listing.day} 끝의 목록 · "
        f"{len(listing.records):,}건{missing} · 마지막 채택 {listing.accepted.run.run_id}"
    )


def _as_board(listing: ListOfDay) -> BoardReport:
    board = listing.board
    return BoardReport(
        board_id=board.board_id,
        name_ko=board.name_ko,
        columns=board.columns,
        key_field=board.key_field or board.columns[0].field,
        status_field=board.status_field,
        accepted=listing.accepted,
        gates=(),
        events=(),
        history=(),
        records=listing.records,
    )
