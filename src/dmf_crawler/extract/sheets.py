"""XML parts of a workbook → its sheets as rows of cells; nothing is computed, nothing followed.

Macros, links to other files, charts and pictures are left alone; a formula is told from a value and
never evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dmf_crawler.extract import workbook_faults as faults
from dmf_crawler.extract.book import (
    Book,
    SilentReader,
    read_book,
    read_count,
    read_flag,
    unescape,
)
from dmf_crawler.extract.number_format import FormatKind, read_day, read_number
from dmf_crawler.extract.package import Parts
from dmf_crawler.extract.part_walk import walk_part
from dmf_crawler.model.run import Fault

MAX_CELLS = 1_000_000
"""Of all sheets; twelve thousand rows of sixteen columns are 200,000."""

MAX_CHARS = 32_000_000
"""Of all cells, shared texts counted where they stand; twelve thousand rows have 6,000,000."""

MAX_CELL_CHARS = 32_767
"""Excel's own limit."""

MAX_COLUMNS = 256
MAX_MERGES = 10_000

_MOST_ROWS = 1_048_576
_REFERENCE = re.compile("([A-Z]{1,3})([1-9][0-9]{0,6})")
_ISO_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T(00:00:00(?:\.0+)?|[0-9:.]+))?Z?")
_TEXT_TYPES = ("s", "inlineStr", "str")

CellKind = Literal["text", "number", "day", "formula", "boolean", "error", "odd"]
"""Text, number and day are values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell that is not empty.

    Attributes:
        column: 1-based.
        kind: What it holds.
        text: The value; where it is none what stands there, for people.
    """

    column: int
    kind: CellKind
    text: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row that has a cell.

    Attributes:
        number: 1-based, as Excel shows it.
        cells: From left to right.
        is_hidden: Whether Excel does not show it.
    """

    number: int
    cells: tuple[Cell, ...]
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Cells that are one: where, as the file says it, its first and last row, its first column."""

    reference: str
    first_row: int
    last_row: int
    column: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, its rows from top to bottom, its merged cells."""

    name: str
    rows: tuple[SheetRow, ...]
    merges: tuple[Merge, ...]


def name_column(column: int) -> str:
    """Return the letters of a 1-based column."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def read_sheets(
    parts: Parts, *, max_cells: int = MAX_CELLS, max_chars: int = MAX_CHARS
) -> list[Sheet] | Fault:
    """Read all sheets.

    Args:
        parts: Of the workbook.
        max_cells: With more in all sheets together it is refused, empty ones counted.
        max_chars: With more characters in them as well.

    Returns:
        The sheets in order, charts left out; or one of the faults `not_a_workbook`,
        `damaged_workbook` (both retryable), `workbook_too_large`.
    """
    book = read_book(parts)
    if isinstance(book, Fault):
        return book
    sheets: list[Sheet] = []
    n_left, n_chars_left = max_cells, max_chars
    for name, part in book.sheets:
        if part not in parts:
            return faults.damaged_workbook("시트의 내용이 없음")
        reader = _SheetReader(book, n_left, n_chars_left)
        if fault := walk_part(parts[part], reader):
            return fault
        n_left, n_chars_left = n_left - reader.n_cells, n_chars_left - reader.n_chars
        sheets.append(Sheet(name, tuple(reader.rows), tuple(reader.merges)))
    return sheets


class _SheetReader(SilentReader):
    """The rows, cells and merged cells of one sheet.

    Args:
        book: What all sheets share.
        n_left: How many cells may still come.
        n_chars_left: How many characters.
    """

    def __init__(self, book: Book, n_left: int, n_chars_left: int) -> None:
        super().__init__()
        self.rows: list[SheetRow] = []
        self.merges: list[Merge] = []
        self.n_cells = self.n_chars = 0
        self._book = book
        self._n_left = n_left
        self._n_chars_left = n_chars_left
        self._row = self._column = 0
        self._is_hidden = self._is_formula = self._is_sound = self._is_open = False
        self._cells: list[Cell] = []
        self._type = self._style = ""
        self._pieces: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in {"v", "t"}:
            self._is_open = not self._is_sound
        elif name == "c":
            self._start_cell(attributes)
        elif name == "f":
            self._is_formula = True
        elif name == "row":
            self._start_row(attributes)
        elif name == "rPh":
            self._is_sound = True
        elif name == "mergeCell":
            self._add_merge(attributes.get("ref", ""))

    def end(self, name: str) -> None:
        if name in {"v", "t"}:
            self._is_open = False
        elif name == "c":
            self._end_cell()
        elif name == "row" and self._cells:
            self.rows.append(SheetRow(self._row, tuple(self._cells), self._is_hidden))
        elif name == "rPh":
            self._is_sound = False

    def text(self, text: str) -> None:
        if self._is_open:
            self._pieces.append(text)

    def _start_row(self, attributes: Mapping[str, str]) -> None:
        number = read_count(attributes["r"]) if "r" in attributes else self._row + 1
        if not self._row < number <= _MOST_ROWS:
            self.fault = faults.damaged_workbook(f"{self._row}행 다음 행의 번호")
        self._row, self._column, self._cells = number, 0, []
        self._is_hidden = read_flag(attributes, "hidden")

    def _start_cell(self, attributes: Mapping[str, str]) -> None:
        self.n_cells += 1
        row, column = self._row, self._column + 1
        if "r" in attributes:
            row, column = _read_reference(attributes["r"])
        if row != self._row or column <= self._column:
            self.fault = faults.damaged_workbook(f"{self._row}행에 있는 칸의 위치")
        elif self.n_cells > self._n_left or column > MAX_COLUMNS:
            self.fault = faults.too_large(f"한도는 칸 {MAX_CELLS:,}개, 열 {MAX_COLUMNS}개")
        self._column = column
        self._type, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._pieces, self._is_formula = [], False

    def _end_cell(self) -> None:
        text = "".join(self._pieces)
        if self._is_formula:
            self._cells.append(Cell(self._column, "formula", text))
            return
        kind, value = self._read_value(text)
        self.n_chars += len(value)
        if len(value) > MAX_CELL_CHARS or self.n_chars > self._n_chars_left:
            self.fault = faults.too_large(
                f"한도는 글자 {MAX_CHARS:,}자, 한 칸에 {MAX_CELL_CHARS:,}자"
            )
        if value:
            self._cells.append(Cell(self._column, kind, value))

    def _read_value(self, text: str) -> tuple[CellKind, str]:
        if self._type in _TEXT_TYPES:
            is_shared = self._type == "s" and text
            return "text", self._find_text(read_count(text)) if is_shared else unescape(text)
        if not text:
            return "text", ""
        if self._type == "n":
            return _read_numeric(text, self._find_format(), is_from_1904=self._book.is_from_1904)
        if self._type == "d":
            return _read_iso_day(text)
        return ("boolean" if self._type == "b" else "error" if self._type == "e" else "odd"), text

    def _find_text(self, index: int) -> str:
        if index < len(self._book.texts):
            return self._book.texts[index]
        self.fault = faults.damaged_workbook(f"{self._row}행에 있는 칸의 글자가 없음")
        return ""

    def _find_format(self) -> FormatKind:
        index = read_count(self._style)
        if index < len(self._book.formats):
            return self._book.formats[index]
        if index:
            self.fault = faults.damaged_workbook(f"{self._row}행에 있는 칸의 서식이 없음")
        return "number"

    def _add_merge(self, reference: str) -> None:
        first, _, last = reference.partition(":")
        (first_row, column), (last_row, _) = _read_reference(first), _read_reference(last or first)
        if not 0 < first_row <= last_row:
            self.fault = faults.damaged_workbook("합쳐진 칸의 위치")
        elif len(self.merges) >= MAX_MERGES:
            self.fault = faults.too_large(f"합쳐진 칸이 한도 {MAX_MERGES:,}개를 넘음")
        self.merges.append(Merge(reference, first_row, last_row, column))


def _read_reference(reference: str) -> tuple[int, int]:
    """Return row and column of `F12`, zeros where it is no such place."""
    match = _REFERENCE.fullmatch(reference.replace("$", ""))
    if match is None:
        return 0, 0
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]), column


def _read_numeric(text: str, shown: FormatKind, *, is_from_1904: bool) -> tuple[CellKind, str]:
    if shown == "part":
        return "odd", text
    if shown == "number":
        number = read_number(text)
        return ("odd", text) if number is None else ("number", number)
    day = read_day(text, shown, is_from_1904=is_from_1904)
    return ("odd", text) if day is None else ("day", day)


def _read_iso_day(text: str) -> tuple[CellKind, str]:
    match = _ISO_DAY.fullmatch(text)
    if match is None:
        return "odd", text
    is_midnight = not (match[2] or "").replace("0", "").strip(":.")
    return "day", match[1] if is_midnight else f"{match[1]} {match[2]}"
