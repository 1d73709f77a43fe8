"""Events as a csv file: one row a changed field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import BinaryIO

from dmf_crawler.model.change import FieldChange
from dmf_crawler.model.listing import KnownBoard
from dmf_crawler.model.report import EventRow
from dmf_crawler.publish.list_files import KEY_LABEL
from dmf_crawler.publish.plain_csv import text_cell, value_cell, write_csv
from dmf_crawler.publish.report.wording import (
    EVENT_WORDS,
    label_of,
    show_grade,
    show_reason,
)

CHANGE_COLUMNS = (
    KEY_LABEL,
    "게시판",
    "성분명",
    "신청인",
    "기준일",
    "일시",
    "구분",
    "사유",
    "항목",
    "이전",
    "이후",
    "정도",
    "처음 사라진 날",
    "실행",
)
TELLING_FIELDS = ("ingredient_name", "company")
"""What tells people which record it is, in the order of the columns above."""


def write_changes_csv(
    file: BinaryIO,
    events: Iterable[tuple[EventRow, date]],
    boards: Mapping[str, KnownBoard],
) -> int:
    """Write events with their days and return the number of rows.

    One row a changed field; an event without any (신규, a record that vanished) has one row.
    """
    rows = (row for event, day in events for row in _list_rows(event, day, boards))
    return write_csv(file, CHANGE_COLUMNS, rows)


def _list_rows(event: EventRow, day: date, boards: Mapping[str, KnownBoard]) -> Iterator[list[str]]:
    board = boards[event.board_id]
    changes: tuple[FieldChange | None, ...] = event.changes or (None,)
    for change in changes:
        yield [
            text_cell(event.key),
            text_cell(board.name_ko),
            *(value_cell(event.fields.get(name)) for name in TELLING_FIELDS),
            str(day),
            event.occurred_at.isoformat(),
            EVENT_WORDS[event.event_type],
            show_reason(event.reason),
            text_cell(label_of(change.field, board.columns)) if change else "",
            value_cell(change.before) if change else "",
            value_cell(change.after) if change else "",
            show_grade(change.grade) if change else "",
            str(event.missing_since) if event.missing_since else "",
            event.run_id,
        ]
