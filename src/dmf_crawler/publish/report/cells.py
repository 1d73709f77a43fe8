"""Write cells safely: text stays text, in one colour language, and no cell is lost unnoticed.

Excel takes 65,530 links a sheet; what a single cell takes stands in `cell_text`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from dmf_crawler.errors import StoredDataError
from dmf_crawler.publish.report.cell_text import (
    MAX_CELL_UNITS,
    clean_text,
    count_lines,
    is_safe_link,
)

FONT = "맑은 고딕"
MAX_LINKS = 65_530
HEADER_HEIGHT_PT = 33.0
LINE_HEIGHT_PT = 13.5
MAX_ROW_HEIGHT_PT = 408.75

A3_FROM_WIDTH = 230.0
"""Wider sheets, in half-width characters, are too small to read on one page of A4."""


class Tone(StrEnum):
    """The colour language of the workbook; 요약 explains it."""

    PLAIN = "plain"
    NEW = "new"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    REAPPEARED = "reappeared"
    MISSING = "missing"


class Role(StrEnum):
    """What a cell is for; decides everything but its colour."""

    TEXT = "text"
    PROSE = "prose"  # a long text, of which a row shows the beginning
    LINK = "link"
    NUMBER = "number"
    DECIMAL = "decimal"
    HEADER = "header"
    OWN_HEADER = "own_header"  # a column that is ours and not the site's
    HEADING = "heading"
    NOTE = "note"
    ALERT = "alert"
    STRONG = "strong"  # a table's cell that must not be missed
    MESSAGE = "message"  # one line in place of a table's rows
    TITLE = "title"
    BANNER = "banner"  # across the top of a sheet that must not be taken for a report


FILL: Mapping[Tone, str] = {
    Tone.NEW: "#DFF2E1",
    Tone.CHANGED: "#FFF0CC",
    Tone.WITHDRAWN: "#FADCD9",
    Tone.REAPPEARED: "#DCE9FA",
    Tone.MISSING: "#E4E4E4",
}

TAB: Mapping[Tone, str] = {
    Tone.NEW: "#3A9B4A",
    Tone.CHANGED: "#E0A100",
    Tone.WITHDRAWN: "#C8403A",
}

BANNER_COLOR = "#B3261E"

_WRAPPED = frozenset(
    {Role.TEXT, Role.PROSE, Role.LINK, Role.STRONG, Role.NOTE, Role.ALERT, Role.BANNER}
)
_TALL = frozenset({Role.TITLE, Role.HEADING, Role.BANNER})
_MOST_LINES: Mapping[Role, int] = {Role.PROSE: 6}
_GRID = {"border": 1, "border_color": "#D0D4D9", "valign": "top"}
_LOOK: Mapping[Role, Mapping[str, object]] = {
    Role.TEXT: {**_GRID, "text_wrap": True},
    Role.PROSE: {**_GRID, "text_wrap": True},
    Role.STRONG: {**_GRID, "text_wrap": True, "bold": True, "font_color": "#B3261E"},
    Role.LINK: {**_GRID, "text_wrap": True, "font_color": "#1155CC", "underline": 1},
    Role.NUMBER: {**_GRID, "align": "right", "num_format": "#,##0_)"},
    Role.DECIMAL: {**_GRID, "align": "right", "num_format": "#,##0.0###_)"},
    Role.HEADER: {
        **_GRID,
        "bold": True,
        "font_color": "#FFFFFF",
        "bg_color": "#1F3A5F",
        "text_wrap": True,
        "align": "center",
        "valign": "vcenter",
    },
    Role.OWN_HEADER: {
        **_GRID,
        "bold": True,
        "font_color": "#FFFFFF",
        "bg_color": "#6B7685",
        "text_wrap": True,
        "align": "center",
        "valign": "vcenter",
    },
    Role.HEADING: {"bold": True, "font_size": 12, "font_color": "#1F3A5F", "valign": "vcenter"},
    Role.NOTE: {"text_wrap": True, "valign": "top"},
    Role.ALERT: {"bold": True, "font_color": "#B3261E", "text_wrap": True, "valign": "top"},
    Role.MESSAGE: {"italic": True, "font_color": "#5F6B7A"},
    Role.BANNER: {
        "bold": True,
        "font_color": "#FFFFFF",
        "bg_color": BANNER_COLOR,
        "text_wrap": True,
        "valign": "vcenter",
    },
    Role.TITLE: {"bold": True, "font_size": 16, "font_color": "#1F3A5F", "valign": "vcenter"},
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell before it is written.

    Attributes:
        value: Text, a number, or None for an empty cell.
        role: What it is for; a number that is not whole is shown as a decimal.
        tone: Its colour.
        link: `internal:'sheet'!A1`, an http(s) address, or `external:` with the name of an HTML
            file beside the workbook; "" for none. An address that Excel would not take, or one link
            too many for the sheet, leaves plain text.
    """

    value: str | float | None = None
    role: Role = Role.TEXT
    tone: Tone = Tone.PLAIN
    link: str = ""


Formats = Mapping[tuple[Role, Tone], Format]
"""The looks of a workbook; every role in every tone."""


def add_formats(workbook: Workbook) -> Formats:
    """Register every role in every tone."""
    return {
        (role, tone): workbook.add_format(
            {**_LOOK[role], **({"bg_color": FILL[tone]} if tone in FILL else {})}
        )
        for role, tone in product(Role, Tone)
    }


class Sheet:
    """One worksheet, written row by row from the top; remembers the next row and the links.

    Attributes:
        name: As on its tab.
        row: Next row, 0-based.
        n_links: Links so far.
        n_top: Rows above the header: one with a banner, one a line of `write_top`.
    """

    def __init__(self, worksheet: Worksheet, formats: Formats, *, banner: str = "") -> None:
        self.name: str = worksheet.name
        self.row = 0
        self.n_top = 1 if banner else 0
        self._banner = banner
        self.n_links = 0
        self._widths: tuple[float, ...] = ()
        self._worksheet = worksheet
        self._formats = formats

    def set_widths(self, widths: Iterable[float]) -> None:
        """Set the columns' widths in characters of the default font; write the banner.

        Before the first row.
        """
        self._widths = tuple(widths)
        for column, width in enumerate(self._widths):
            self._check(self._worksheet.set_column(column, column, width), column)
        if sum(self._widths) > A3_FROM_WIDTH:
            self._worksheet.set_paper(8)  # A3
        if self._banner:
            self.write_wide([Cell(self._banner, Role.BANNER)])
            self._worksheet.repeat_rows(0)

    def set_page(self, *, day: str, tone: Tone = Tone.PLAIN, mark: str = "") -> None:
        """Set up printing (landscape, one page wide, numbered) and the colour of the tab.

        Args:
            day: The report's.
            tone: What the tab's colour says.
            mark: Stands first in the middle of every printed page; a sheet with one has a red tab.
        """
        worksheet = self._worksheet
        worksheet.set_landscape()
        worksheet.set_paper(9)  # A4
        worksheet.set_margins(left=0.4, right=0.4, top=0.7, bottom=0.6)
        worksheet.fit_to_pages(1, 0)
        middle = f"{mark} · 사내용" if mark else "사내용"
        worksheet.set_header(f"&L{self.name.replace('&', '&&')}&C{middle}&R{day}")
        worksheet.set_footer("&C&P / &N")
        worksheet.hide_gridlines(2)
        worksheet.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})
        if mark:
            worksheet.set_tab_color(BANNER_COLOR)
        elif tone in TAB:
            worksheet.set_tab_color(TAB[tone])

    def write_top(self, text: str) -> None:
        """Write a line above the header, which stays in view with it."""
        self.write_wide([Cell(text, Role.NOTE)])
        self.n_top += 1

    def write_row(self, cells: Sequence[Cell], *, height_pt: float | None = None) -> None:
        """Write cells from the first column on.

        Args:
            cells: Not more than there are widths.
            height_pt: Of the row; None for as many lines as its text takes in these widths.
                Excel would fit the height itself when it opens the file, other programs do not.

        Raises:
            StoredDataError: `report_not_written` when a cell did not arrive.
        """
        height_pt = height_pt or self._fit_height(cells)
        if height_pt is not None:
            self._worksheet.set_row(self.row, height_pt)
        for column, cell in enumerate(cells):
            self._write(column, cell)
        self.row += 1

    def write_header(self, labels: Sequence[str], *, n_own: int = 0) -> None:
        """Write a table's header; the last `n_own` columns are marked as ours."""
        n_site = len(labels) - n_own
        roles = [Role.HEADER] * n_site + [Role.OWN_HEADER] * n_own
        cells = [Cell(label, role) for label, role in zip(labels, roles, strict=True)]
        self.write_row(cells, height_pt=HEADER_HEIGHT_PT)

    def write_wide(self, cells: Sequence[Cell]) -> None:
        """Write fewer cells than there are columns; the last one spans all that are left."""
        first, last = len(cells) - 1, cells[-1]
        look = self._formats[last.role, last.tone]
        self._check(
            self._worksheet.merge_range(self.row, first, self.row, len(self._widths) - 1, "", look),
            first,
        )
        n_lines = _count_row_lines(cells, [*self._widths[:first], sum(self._widths[first:])])
        line_pt = LINE_HEIGHT_PT * (1.7 if last.role in _TALL else 1.0)
        self.write_row(cells, height_pt=min(n_lines * line_pt + 3, MAX_ROW_HEIGHT_PT))

    def skip_row(self) -> None:
        """Leave a row empty."""
        self.row += 1

    def freeze(self, *, n_columns: int = 0) -> None:
        """Keep header and first columns in view, and repeat the header on every printed page."""
        n_rows = self.n_top + 1
        self._worksheet.freeze_panes(n_rows, n_columns)
        self._worksheet.repeat_rows(0, n_rows - 1)

    def filter(self, *, n_columns: int) -> None:
        """Put filter buttons on the header, over all rows written so far."""
        first = self.n_top
        code = self._worksheet.autofilter(first, 0, max(self.row - 1, first), n_columns - 1)
        self._check(code, 0)

    def _fit_height(self, cells: Sequence[Cell]) -> float | None:
        n_lines = _count_row_lines(cells, self._widths)
        return min(n_lines * LINE_HEIGHT_PT + 3, MAX_ROW_HEIGHT_PT) if n_lines > 1 else None

    def _write(self, column: int, cell: Cell) -> None:
        value = clean_text(cell.value) if isinstance(cell.value, str) else cell.value
        if value is None or value == "":
            look = self._formats[cell.role, cell.tone]
            self._check(self._worksheet.write_blank(self.row, column, None, look), column)
        elif isinstance(value, str):
            self._write_text(column, value, cell)
        elif math.isfinite(value):
            role = Role.NUMBER if value == int(value) else Role.DECIMAL
            look = self._formats[role, cell.tone]
            self._check(self._worksheet.write_number(self.row, column, value, look), column)
        else:
            self._write_text(column, str(value), cell)

    def _write_text(self, column: int, text: str, cell: Cell) -> None:
        link = cell.link if self.n_links < MAX_LINKS and is_safe_link(cell.link) else ""
        look = self._formats[Role.LINK if link else cell.role, cell.tone]
        if link:
            self.n_links += 1
            self._check(
                self._worksheet.write_url(self.row, column, link, look, string=text), column
            )
        if text.startswith("<r>") and text.endswith("</r>"):
            # XlsxWriter takes such a string for markup of its own; in two runs it escapes it.
            parts = (text[0], look, text[1:], look)
            self._check(self._worksheet.write_rich_string(self.row, column, *parts), column)
        elif not link:
            self._check(self._worksheet.write_string(self.row, column, text, look), column)

    def _check(self, code: int, column: int) -> None:
        """Refuse to go on when XlsxWriter left a cell out, which it tells by its answer alone."""
        if code != 0:
            raise StoredDataError(
                "report_not_written",
                f"보고서의 {self.name} 시트 {self.row + 1}행 {column + 1}열을 쓰지 못했습니다"
                f"(XlsxWriter 응답 {code}, 기대값 0). 이전 보고서는 그대로 있습니다."
                " 로그 파일과 함께 담당 개발자에게 알려 주십시오.",
            )


def _count_row_lines(cells: Sequence[Cell], widths: Sequence[float]) -> int:
    return max(
        (
            min(count_lines(cell.value, width), _MOST_LINES.get(cell.role, MAX_CELL_UNITS))
            for cell, width in zip(cells, widths, strict=False)
            if isinstance(cell.value, str) and cell.role in _WRAPPED
        ),
        default=1,
    )
