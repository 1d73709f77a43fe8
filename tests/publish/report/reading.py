"""Reads a written workbook back the way a spreadsheet program does."""

from __future__ import annotations

import re
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell
from openpyxl.worksheet.worksheet import Worksheet

from dmf_crawler.model.report import Report
from dmf_crawler.publish.report.workbook import write_report

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def write_and_read(report: Report, folder: Path) -> Workbook:
    """Write a report and load the file."""
    return load_workbook(write_report(report, folder / "DMF_2026-11-30.xlsx"))


def cell_rows(workbook: Workbook, name: str) -> list[list[Cell]]:
    """Return a sheet's cells, row by row."""
    return plain_rows(sheet_of(workbook, name))


def plain_rows(sheet: Worksheet) -> list[list[Cell]]:
    """Return a sheet's cells; those that a merged range covers count as empty."""
    return [
        [
            cell if isinstance(cell, Cell) else Cell(sheet, row_no, column_no)
            for column_no, cell in enumerate(row, start=1)
        ]
        for row_no, row in enumerate(sheet.iter_rows(), start=1)
    ]


def sheet_of(workbook: Workbook, name: str) -> Worksheet:
    """Return a worksheet."""
    sheet = workbook[name]
    assert isinstance(sheet, Worksheet)
    return sheet


def text_rows(workbook: Workbook, name: str) -> list[list[str]]:
    """Return a sheet's values as text, "" for an empty cell; trailing empty cells are cut."""
    rows = [[text_of(cell) for cell in row] for row in cell_rows(workbook, name)]
    for row in rows:
        while row and not row[-1]:
            row.pop()
    return rows


def text_of(cell: Cell) -> str:
    """Return a cell's text with the escapes of Office Open XML (ST_Xstring) undone."""
    if cell.value is None:
        return ""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), str(cell.value))


def link_of(cell: Cell) -> str:
    """Return where a cell leads: `'sheet'!A1` or an address; "" for nowhere."""
    if cell.hyperlink is None:
        return ""
    return cell.hyperlink.location or cell.hyperlink.target or ""


def fill_of(cell: Cell) -> str:
    """Return a cell's background as six hex digits, "" for none."""
    return cell.fill.fgColor.rgb[2:] if cell.fill.fill_type else ""


def column_of(header: list[str], label: str) -> int:
    """Return the index of the one column with that header."""
    assert header.count(label) == 1
    return header.index(label)
