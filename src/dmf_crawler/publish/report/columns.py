"""The columns that several sheets share, over one board or many, and where each record stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Column, Fields
from dmf_crawler.model.report import BoardReport, Report, VersionRow
from dmf_crawler.publish.report.cell_text import fit_width
from dmf_crawler.publish.report.cells import Cell, Role, Tone
from dmf_crawler.publish.report.wording import show_value

RECORDS_SHEET = "전체현황"
MAX_SHEET_NAME_UNITS = 31
N_SAMPLED = 1_000
"""Newest records whose values decide a column's width."""

MAX_WIDTH = 24.0
MAX_NESTED_WIDTH = 36.0
PROSE_WIDTH = 60.0
BOARD_WIDTH = 22.0

_UNSAFE_IN_SHEET_NAME = re.compile(r"[\[\]:*?/\\'\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the current records stand in the workbook.

    Attributes:
        sheet_names: Board id → name of its sheet of records.
        rows: (board id, key) → row on that sheet, 1-based.
    """

    sheet_names: Mapping[str, str]
    rows: Mapping[tuple[str, str], int]

    def link_to(self, board_id: str, key: str) -> str:
        """Return the link to a record's row, "" when the key is not current."""
        row = self.rows.get((board_id, key))
        return f"internal:'{self.sheet_names[board_id]}'!A{row}" if row is not None else ""


def find_places(report: Report) -> Places:
    """Return where each current record will stand: in order, below the header row."""
    first = n_top_rows(report) + 2
    names = [RECORDS_SHEET]
    for board in report.boards[1:]:
        names.append(_name_sheet(board.name_ko, taken=names))
    return Places(
        {board.board_id: name for board, name in zip(report.boards, names, strict=False)},
        {
            (board.board_id, record.key): row
            for board in report.boards
            for row, record in enumerate(board.records, start=first)
        },
    )


def n_top_rows(report: Report) -> int:
    """Return how many rows stand above the header of each sheet."""
    return 1 if report.preview_of else 0


def _name_sheet(board_name: str, *, taken: Sequence[str]) -> str:
    wanted = f"{RECORDS_SHEET}_{_UNSAFE_IN_SHEET_NAME.sub(' ', board_name).strip()}"
    name, n = _shorten(wanted, MAX_SHEET_NAME_UNITS), 1
    while name.casefold() in {other.casefold() for other in taken}:
        n += 1
        suffix = f"({n})"
        name = _shorten(wanted, MAX_SHEET_NAME_UNITS - len(suffix)) + suffix
    return name


def _shorten(name: str, n_units: int) -> str:
    return name.encode("utf-16-le")[: 2 * n_units].decode("utf-16-le", errors="ignore").strip()


@dataclass(frozen=True, slots=True)
class Layout:
    """The first columns of a sheet: 게시판 where there are several, the number, then `labels`.

    Attributes:
        labels: Headers of the board columns after the number; boards are joined by header.
        key_label: Header of the number.
        has_board: Whether 게시판 comes first.
        widths: Of all these columns, in characters.
    """

    labels: tuple[str, ...]
    key_label: str
    has_board: bool
    widths: tuple[float, ...]

    @property
    def header(self) -> list[str]:
        """Headers in order."""
        return [*(["게시판"] if self.has_board else []), self.key_label, *self.labels]

    @property
    def n_key_columns(self) -> int:
        """Columns up to and including the number."""
        return 1 + self.has_board

    def cells(self, board: BoardReport, fields: Fields, key: Cell) -> list[Cell]:
        """Return the cells of one record in the tone of its number's cell."""
        columns = {column.label_ko: column for column in board.columns}
        return [
            *([Cell(board.name_ko, tone=key.tone)] if self.has_board else []),
            key,
            *(
                value_cell(columns[label], fields, tone=key.tone)
                if label in columns
                else Cell(tone=key.tone)
                for label in self.labels
            ),
        ]


def lay_out(report: Report, pick: Callable[[BoardReport], Iterable[Column]]) -> Layout:
    """Return the first columns of a sheet with the columns that `pick` chooses of each board."""
    labels = tuple(
        dict.fromkeys(column.label_ko for board in report.boards for column in pick(board))
    )
    key_labels = tuple(dict.fromkeys(key_column(board).label_ko for board in report.boards))
    has_board = len(report.boards) > 1
    widths = _widths_by_label(report.boards)
    return Layout(
        labels,
        key_labels[0] if len(key_labels) == 1 else "번호",
        has_board,
        (
            *([BOARD_WIDTH] if has_board else []),
            max((widths[label] for label in key_labels), default=BOARD_WIDTH),
            *(widths[label] for label in labels),
        ),
    )


def key_column(board: BoardReport) -> Column:
    """Return the column of the number that people know a record by."""
    return next(column for column in board.columns if column.field == board.key_field)


def columns_but_key(board: BoardReport) -> tuple[Column, ...]:
    """Return all columns but the number, in order."""
    return tuple(column for column in board.columns if column.field != board.key_field)


def identity_columns(board: BoardReport) -> tuple[Column, ...]:
    """Return what tells a person which record it is: of the three after the number, plain ones."""
    start = board.columns.index(key_column(board)) + 1
    return tuple(column for column in board.columns[start : start + 3] if not column.is_nested)


def key_cell(
    board: BoardReport, record: tuple[str, Fields], places: Places, *, tone: Tone = Tone.PLAIN
) -> Cell:
    """Return the number of a record (key and fields), linked to its row when it is current."""
    key, fields = record
    number = show_value(fields.get(board.key_field))
    return Cell(number or key, tone=tone, link=places.link_to(board.board_id, key))


def value_cell(column: Column, fields: Fields, *, tone: Tone = Tone.PLAIN) -> Cell:
    """Return a record's value of one column as a cell."""
    role = Role.PROSE if column.field == BODY else Role.TEXT
    return Cell(show_value(fields.get(column.field)), role, tone)


def measure_widths(board: BoardReport) -> list[float]:
    """Return a width for each column of a board, by the values of its newest records."""
    return [_measure_width(board, column) for column in board.columns]


def _measure_width(board: BoardReport, column: Column) -> float:
    if column.field == BODY:
        return PROSE_WIDTH
    most = MAX_NESTED_WIDTH if column.is_nested else MAX_WIDTH
    return fit_width(column.label_ko, _sample(board.records, column.field), most=most)


def _sample(records: Sequence[VersionRow], field: str) -> list[str]:
    return [show_value(record.fields.get(field)) for record in records[:N_SAMPLED]]


def _widths_by_label(boards: Iterable[BoardReport]) -> dict[str, float]:
    widths: dict[str, float] = {}
    for board in boards:
        for column, width in zip(board.columns, measure_widths(board), strict=True):
            widths[column.label_ko] = max(width, widths.get(column.label_ko, 0.0))
    return widths
