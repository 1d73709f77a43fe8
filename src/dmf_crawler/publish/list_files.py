"""The list of a day as a csv file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from dmf_crawler.model.listing import ListOfDay
from dmf_crawler.model.record import Column, Value
from dmf_crawler.model.report import VersionRow
from dmf_crawler.publish.plain_csv import text_cell, value_cell, write_csv

KEY_LABEL = "키 (사내용)"
"""The first header: whoever opens the file sees that it must not leave the house."""

OWN_COLUMNS = (
    "확인 중 시작일",
    "확인 횟수",
    "유효 시작",
    "합쳐진 값",
    "상세 페이지",
    "원본 주소",
    "원본 행",
    "원본 지문(SHA-256)",
    "기록한 실행",
)


def write_list_csv(file: BinaryIO, listing: ListOfDay) -> int:
    """Write the list of a day and return its number of records.

    Its key, the board's columns under their Korean names, then what is known of each record.
    """
    nested = {column.field: _is_nested(column, listing) for column in listing.board.columns}
    header = label_columns(listing.board.columns, own=(KEY_LABEL, *OWN_COLUMNS))
    return write_csv(file, [KEY_LABEL, *header, *OWN_COLUMNS], _list_rows(listing, nested))


def label_columns(columns: Sequence[Column], *, own: Sequence[str]) -> list[str]:
    """Return a header for each column; one that would stand twice has its field id behind it."""
    labels = [*(column.label_ko for column in columns), *own]
    return [
        column.label_ko
        if labels.count(column.label_ko) == 1
        else f"{column.label_ko} ({column.field})"
        for column in columns
    ]


def _is_nested(column: Column, listing: ListOfDay) -> bool:
    return column.is_nested or any(
        isinstance(record.fields.get(column.field), tuple) for record in listing.records
    )


def _list_rows(listing: ListOfDay, nested: dict[str, bool]) -> Iterator[list[str]]:
    for record in listing.records:
        values: list[tuple[Value | None, bool]] = [
            (record.fields.get(field), is_nested) for field, is_nested in nested.items()
        ]
        cells = [value_cell(value, is_nested=is_nested) for value, is_nested in values]
        yield [text_cell(record.key), *cells, *_own_cells(record)]


def _own_cells(record: VersionRow) -> list[str]:
    is_missing = record.missing_since is not None
    return [
        str(record.missing_since) if record.missing_since else "",
        str(record.n_missing_reads) if is_missing else "",
        record.valid_from.isoformat(),
        "1" if record.is_joined else "",
        text_cell(record.detail_url),
        text_cell(record.url),
        str(record.row_no) if record.row_no else "",
        record.source,
        record.run_id,
    ]
