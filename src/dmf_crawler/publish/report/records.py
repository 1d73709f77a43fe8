"""전체현황: the current list, cell by cell as the site shows it, then columns of our own."""

from __future__ import annotations

from collections.abc import Mapping

from dmf_crawler.model.change import EventType
from dmf_crawler.model.report import BoardReport, VersionRow
from dmf_crawler.model.run import kst
from dmf_crawler.publish.report.cells import Cell, Sheet, Tone
from dmf_crawler.publish.report.columns import key_column, measure_widths, value_cell
from dmf_crawler.publish.report.tally import select_events
from dmf_crawler.secret import has_mark

OWN_COLUMNS = ("확인 중 시작일", "유효 시작일", "원본 페이지")
OWN_WIDTHS = (13.0, 13.0, 13.0)

EVENT_TONES: Mapping[EventType, Tone] = {
    EventType.NEW: Tone.NEW,
    EventType.MODIFIED: Tone.CHANGED,
    EventType.WITHDRAWN: Tone.WITHDRAWN,
    EventType.REAPPEARED: Tone.REAPPEARED,
}


def write_records(sheet: Sheet, board: BoardReport) -> None:
    """Write the list in its order; the number of a record with an event carries its colour.

    The records follow the header without a gap: `columns.find_places` counts on it.
    """
    sheet.set_widths([*measure_widths(board), *OWN_WIDTHS])
    labels = [column.label_ko for column in board.columns]
    sheet.write_header([*labels, *OWN_COLUMNS], n_own=len(OWN_COLUMNS))
    tones = {event.key: EVENT_TONES[event.event_type] for event in select_events(board)}
    for record in board.records:
        sheet.write_row(_record_cells(board, record, tones.get(record.key, Tone.PLAIN)))
    sheet.freeze(n_columns=board.columns.index(key_column(board)) + 1)
    sheet.filter(n_columns=len(labels) + len(OWN_COLUMNS))


def _record_cells(board: BoardReport, record: VersionRow, tone: Tone) -> list[Cell]:
    is_missing = record.missing_since is not None
    cells = [
        value_cell(
            column,
            record.fields,
            tone=_tone_of(is_key=column.field == board.key_field, tone=tone, is_missing=is_missing),
        )
        for column in board.columns
    ]
    rest = Tone.MISSING if is_missing else Tone.PLAIN
    return [
        *cells,
        Cell(record.missing_since.isoformat() if record.missing_since else None, tone=rest),
        Cell(f"{kst(record.valid_from):%Y-%m-%d}", tone=rest),
        Cell(_source_text(record), tone=rest, link=_source_link(record)),
    ]


def _tone_of(*, is_key: bool, tone: Tone, is_missing: bool) -> Tone:
    if is_key and tone is not Tone.PLAIN:
        return tone
    return Tone.MISSING if is_missing else Tone.PLAIN


def _source_link(record: VersionRow) -> str:
    """Return what a click opens; an address without its key opens nothing."""
    return record.detail_url or ("" if has_mark(record.url) else record.url)


def _source_text(record: VersionRow) -> str:
    if not record.detail_url and has_mark(record.url):
        return "공공데이터 API"
    if record.detail_url or not record.url:
        return "열기" if record.detail_url else ""
    return f"열기 ({record.row_no}행)" if record.row_no else "열기"
