"""The Excel twin of the list: `/pbp/CCBAC03/getExcel` (README, item 8)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from urllib.parse import quote

from openpyxl import Workbook

from dmf_crawler.workbench.rehearsal.answers import Answer, html_answer
from dmf_crawler.workbench.rehearsal.pages import write_error_page
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow
from dmf_crawler.workbench.rehearsal.switches import Switches

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FILE_NAME = "원료의약품등록(DMF)현황.xlsx"
SITE_JOINT = "@"
"""What joins the values of several sites in one cell."""


def build_workbook(rows: Sequence[ListRow]) -> bytes:
    """Return an xlsx: header in row 1, dates as text, blanks empty, sites joined with `@`."""
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("Sheet1")
    sheet.append(["순번", *(header for _, header in COLUMNS)])
    for number, row in enumerate(rows, start=1):
        sheet.append([number, *(_read_cell(row, field) for field, _ in COLUMNS)])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def answer_export(workbook: bytes, switches: Switches) -> Answer:
    """Return the answer to getExcel."""
    if switches.export == "html_error":
        return html_answer(write_error_page())
    return Answer(
        workbook,
        content_type=XLSX,
        headers=_write_disposition(switches),
        delivery="short_length" if switches.export == "truncated" else "whole",
        wait_s=switches.export_delay_s,
    )


def _write_disposition(switches: Switches) -> tuple[tuple[str, str], ...]:
    if switches.export_file_name == "none":
        return ()
    name = quote(FILE_NAME)
    if switches.export_file_name == "raw_utf8":  # bytes of UTF-8 where Latin-1 is expected
        name = FILE_NAME.encode().decode("latin-1")
    return (("Content-Disposition", f'attachment; filename="{name}"'),)


def _read_cell(row: ListRow, field: str) -> str | None:
    value = getattr(row, field)
    text = value if isinstance(value, str) else SITE_JOINT.join(value)
    return text or None
