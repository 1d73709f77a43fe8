"""How a block of 요약 is written: headings, sentences, small tables, lines with a label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dmf_crawler.publish.report.cells import Cell, Role, Sheet

WIDTHS = (21.0, 11.0, 11.0, 11.0, 76.0)
"""Of the columns of 요약, in characters."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a block: what it is about, a sentence, whether it must not be missed.

    Attributes:
        link: What a click on the sentence opens, as in `Cell`.
    """

    label: str
    text: str
    is_strong: bool = False
    link: str = ""


def write_heading(sheet: Sheet, text: str) -> None:
    """Write a heading below an empty row."""
    sheet.skip_row()
    write_line(sheet, text, Role.HEADING)


def write_line(sheet: Sheet, text: str, role: Role = Role.NOTE) -> None:
    """Write one text across the sheet."""
    sheet.write_wide([Cell(text, role)])


def write_table_header(sheet: Sheet, *labels: str) -> None:
    """Write a table's header; the last label spans what is left."""
    cells = [Cell(label, Role.HEADER) for label in labels]
    if len(cells) < len(WIDTHS):
        sheet.write_wide(cells)
    else:
        sheet.write_row(cells)


def write_notes(sheet: Sheet, notes: Iterable[Note]) -> None:
    """Write lines with a label."""
    for note in notes:
        role = Role.STRONG if note.is_strong else Role.TEXT
        sheet.write_wide([Cell(note.label, role), Cell(note.text, role, link=note.link)])


def link_to_sheet(name: str) -> str:
    """Return the link to a sheet's first cell."""
    return f"internal:'{name}'!A1"
