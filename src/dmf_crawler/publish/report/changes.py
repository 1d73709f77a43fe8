"""신규, 변경 and 취하: what happened since the last accepted list, one table or block each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.report import BoardReport, EventRow, Report, VersionRow
from dmf_crawler.publish.report.cells import Cell, Role, Sheet, Tone
from dmf_crawler.publish.report.columns import (
    Layout,
    Places,
    columns_but_key,
    identity_columns,
    key_cell,
    lay_out,
)
from dmf_crawler.publish.report.tally import select_changes, select_events
from dmf_crawler.publish.report.wording import (
    GRADE_WORDS,
    describe_changed_back,
    describe_changes,
    label_of,
    shorten_change,
    show_changed_back,
    show_moment,
    show_reason,
    show_value,
)

RETURN_COLUMNS = ("취하 기록일", "재등장 사유", "변경 내용", "비고")
RETURN_WIDTHS = (12.0, 20.0, 30.0, 52.0)
CHANGE_COLUMNS = ("항목", "이전", "이후", "정도", "사유", "비고")
CHANGE_WIDTHS = (16.0, 44.0, 44.0, 8.0, 16.0, 40.0)
WITHDRAWAL_COLUMNS = ("상태", "처음 사라진 날", "사유", "변경 내용", "비고")
WITHDRAWAL_WIDTHS = (10.0, 14.0, 26.0, 60.0, 52.0)
MISSING_COLUMNS = ("상태", "처음 사라진 날", "경과(일)", "확인 횟수")

BASELINE_MESSAGE = "최초 수집(기준선)입니다. 변경 비교는 다음 실행부터 시작됩니다."


def write_arrivals(sheet: Sheet, report: Report, places: Places) -> None:
    """Write 신규: the new records, then a block of those that came back."""
    layout = lay_out(report, columns_but_key)
    sheet.set_widths([*layout.widths, *RETURN_WIDTHS])
    sheet.write_header(layout.header)
    new = list(_events_of(report, EventType.NEW))
    for board, event in new:
        sheet.write_row(_record_cells(layout, board, event, places, Tone.NEW))
    sheet.freeze(n_columns=layout.n_key_columns)
    sheet.filter(n_columns=len(layout.header))
    if not new:
        _write_message(sheet, report, "새로 등록된 건이 없습니다.")
    _write_returned(sheet, report, places, layout)


def _write_returned(sheet: Sheet, report: Report, places: Places, layout: Layout) -> None:
    returned = list(_events_of(report, EventType.REAPPEARED))
    if not returned:
        return
    _write_block_header(
        sheet, f"재등장 {len(returned):,}건", [*layout.header, *RETURN_COLUMNS], len(RETURN_COLUMNS)
    )
    for board, event in returned:
        tone = Tone.REAPPEARED
        sheet.write_row(
            [
                *_record_cells(layout, board, event, places, tone),
                Cell(_withdrawn_on(board, event), tone=tone),
                Cell(show_reason(event.reason), tone=tone),
                Cell(describe_changes(event.changes, board.columns), tone=tone),
                Cell(describe_changed_back(event, board.columns), tone=tone),
            ]
        )


def _withdrawn_on(board: BoardReport, event: EventRow) -> str:
    """Return the day of the last withdrawal before the return, "" when it is older than 이력."""
    moments = (
        row.occurred_at
        for row in board.history
        if row.key == event.key
        and row.event_type is EventType.WITHDRAWN
        and row.occurred_at < event.occurred_at
    )
    return show_moment(max(moments, default=None))[:10]


def write_modified(sheet: Sheet, report: Report, places: Places) -> None:
    """Write 변경: one row a changed field; what is merely cosmetic stands in 이력 alone."""
    layout = lay_out(report, identity_columns)
    sheet.set_widths([*layout.widths, *CHANGE_WIDTHS])
    header = [*layout.header, *CHANGE_COLUMNS]
    sheet.write_header(header)
    changed = list(_events_of(report, EventType.MODIFIED))
    for board, event in changed:
        first = _record_cells(layout, board, event, places, Tone.PLAIN)
        for cells in _change_cells(board, event):
            sheet.write_row([*first, *cells])
    sheet.freeze(n_columns=layout.n_key_columns)
    sheet.filter(n_columns=len(header))
    if not changed:
        _write_message(sheet, report, "값이 바뀐 건이 없습니다.")


def _change_cells(board: BoardReport, event: EventRow) -> Iterator[list[Cell]]:
    """Yield the cells of each changed field; a record that left the list has one more row."""
    reason = show_reason(event.reason)
    for change in select_changes(event):
        before, after = map(show_value, shorten_change(change))
        yield [
            Cell(label_of(change.field, board.columns)),
            Cell(before),
            Cell(after, tone=Tone.CHANGED),
            Cell(GRADE_WORDS[change.grade]),
            Cell(reason),
            Cell(show_changed_back(event.changed_back.get(change.field))),
        ]
    if event.reason is Reason.DELISTED:
        since = f" ({event.missing_since.isoformat()}부터)" if event.missing_since else ""
        yield [
            Cell("목록"),
            Cell("있음"),
            Cell(f"없음{since}", tone=Tone.CHANGED),
            Cell(),
            Cell(reason),
            Cell(),
        ]


def write_withdrawn(sheet: Sheet, report: Report, places: Places) -> None:
    """Write 취하: by status, then vanished for good; then a block of what may yet come back."""
    layout = lay_out(report, identity_columns)
    sheet.set_widths([*layout.widths, *WITHDRAWAL_WIDTHS])
    header = [*layout.header, *WITHDRAWAL_COLUMNS]
    sheet.write_header(header)
    withdrawn = sorted(
        _events_of(report, EventType.WITHDRAWN), key=lambda row: row[1].reason is Reason.MISSING
    )
    for board, event in withdrawn:
        sheet.write_row(
            [
                *_record_cells(layout, board, event, places, Tone.WITHDRAWN),
                *_withdrawal_cells(board, event),
            ]
        )
    sheet.freeze(n_columns=layout.n_key_columns)
    sheet.filter(n_columns=len(header))
    if not withdrawn:
        _write_message(sheet, report, "취하로 기록한 건이 없습니다.")
    _write_missing(sheet, report, places, layout)


def _withdrawal_cells(board: BoardReport, event: EventRow) -> list[Cell]:
    tone = Tone.WITHDRAWN
    return [
        Cell(show_value(event.fields.get(board.status_field)), tone=tone),
        Cell(event.missing_since.isoformat() if event.missing_since else None, tone=tone),
        Cell(show_reason(event.reason), tone=tone),
        Cell(describe_changes(event.changes, board.columns), tone=tone),
        Cell(describe_changed_back(event, board.columns), tone=tone),
    ]


def _write_missing(sheet: Sheet, report: Report, places: Places, layout: Layout) -> None:
    missing = [
        (board, record, record.missing_since)
        for board in report.boards
        for record in board.records
        if record.missing_since is not None
    ]
    if not missing:
        return
    title = (
        f"확인 중 {len(missing):,}건: 목록에서 사라졌으나 아직 취하로 기록하지 않았습니다."
        f" 연속 {report.missing_runs}회 확인하면 취하로 기록합니다."
    )
    _write_block_header(sheet, title, [*layout.header, *MISSING_COLUMNS], 0)
    for board, record, since in missing:
        key = key_cell(board, (record.key, record.fields), places, tone=Tone.MISSING)
        sheet.write_row(
            [
                *layout.cells(board, record.fields, key),
                *_missing_cells(report, board, record, since),
            ]
        )


def _missing_cells(
    report: Report, board: BoardReport, record: VersionRow, since: date
) -> list[Cell]:
    tone = Tone.MISSING
    return [
        Cell(show_value(record.fields.get(board.status_field)), tone=tone),
        Cell(since.isoformat(), tone=tone),
        Cell((report.day - since).days, tone=tone),
        Cell(f"{record.n_missing_reads} / {report.missing_runs}", tone=tone),
    ]


def _events_of(report: Report, event_type: EventType) -> Iterator[tuple[BoardReport, EventRow]]:
    for board in report.boards:
        for event in select_events(board, event_type):
            yield board, event


def _record_cells(
    layout: Layout, board: BoardReport, event: EventRow, places: Places, tone: Tone
) -> list[Cell]:
    key = key_cell(board, (event.key, event.fields), places, tone=tone)
    return layout.cells(board, event.fields, key)


def _write_block_header(sheet: Sheet, title: str, labels: Sequence[str], n_own: int) -> None:
    sheet.skip_row()
    sheet.write_row([Cell(title, Role.HEADING)], height_pt=24.0)
    sheet.write_header(labels, n_own=n_own)


def _write_message(sheet: Sheet, report: Report, message: str) -> None:
    """Write why a table is empty; on a first crawl nothing could be compared."""
    is_baseline = bool(report.boards) and all(
        board.accepted is not None and board.accepted.is_baseline for board in report.boards
    )
    sheet.write_row([Cell(BASELINE_MESSAGE if is_baseline else message, Role.MESSAGE)])
