from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Column
from dmf_crawler.publish.report.cells import FILL, Tone
from tests.publish.builders import (
    COLUMNS,
    DAY,
    LABELS,
    LIST_URL,
    STARTED_AT,
    a_board,
    a_change,
    a_missing_record,
    a_record,
    a_report,
    an_event,
)
from tests.publish.report.reading import (
    cell_rows,
    fill_of,
    link_of,
    sheet_of,
    text_of,
    write_and_read,
)


def test_the_first_columns_equal_the_sites_list_cell_by_cell(tmp_path: Path) -> None:
    records = [
        a_record("20260922-211-J-2288"),
        a_record(
            "수173-72-ND", maker=("㈜가나 [미분화공정]", "", "㈜가나 [미분화공정]"), target=""
        ),
        a_record("1673-60-ND", maker=(), maker_address=("=1+1",), company=" 앞뒤 빈칸  "),
    ]
    header, *rows = cell_rows(
        write_and_read(a_report(a_board(records=records)), tmp_path), "전체현황"
    )
    assert [text_of(cell) for cell in header[: len(LABELS)]] == list(LABELS)
    for row, record in zip(rows, records, strict=True):
        for cell, column in zip(row, COLUMNS, strict=False):
            value = record.fields[column.field]
            assert text_of(cell) == (value if isinstance(value, str) else "\n".join(value))
            assert cell.data_type == ("n" if cell.value is None else "s")


def test_our_own_columns_follow_with_the_source_page(tmp_path: Path) -> None:
    records = [
        replace(a_record("A"), valid_from=STARTED_AT - timedelta(days=40)),
        a_missing_record("B", days=2, n_reads=3),
        replace(a_record("C"), url="", row_no=0),
        replace(a_record("D"), row_no=0),
        replace(a_record("E"), url="https://apis.data.go.kr/x?serviceKey=~DMF_OPENAPI_KEY~&p=1"),
    ]
    header, *rows = cell_rows(
        write_and_read(a_report(a_board(records=records)), tmp_path), "전체현황"
    )
    own = slice(len(LABELS), None)
    assert [text_of(cell) for cell in header[own]] == [
        "확인 중 시작일",
        "유효 시작일",
        "원본 페이지",
    ]
    assert [[text_of(cell) for cell in row[own]] for row in rows] == [
        ["", "2026-10-21", "열기 (7행)"],
        [(DAY - timedelta(days=2)).isoformat(), "2026-11-30", "열기 (7행)"],
        ["", "2026-11-30", ""],
        ["", "2026-11-30", "열기"],
        ["", "2026-11-30", "공공데이터 API"],
    ]
    links = [link_of(row[-1]) for row in rows]
    assert links == [LIST_URL, LIST_URL, "", LIST_URL, ""], "nobody can open one without its key"


def test_a_long_text_stands_whole_in_its_cell_and_shows_its_beginning(tmp_path: Path) -> None:
    texts = ["\n".join(f"{n}째 줄" for n in range(2_000)), "가" * 40_000, "한 줄"]
    columns = (*COLUMNS, Column(BODY, "본문"))
    records = [a_record(f"{n}", **{BODY: text}) for n, text in enumerate(texts)]
    board = replace(a_board(records=records), columns=columns)
    sheet = sheet_of(write_and_read(a_report(board), tmp_path), "전체현황")
    found = [sheet.cell(row, len(columns)).value for row in (2, 3, 4)]
    assert (found[0], found[2]) == (texts[0], texts[2])
    assert str(found[1]).endswith("[이하 생략: 전체 40,000자]")
    heights = [sheet.row_dimensions[row].height or 0 for row in (2, 3, 4)]
    assert max(heights) == heights[0] == heights[1] == 84.0
    assert heights[2] < 40


def test_the_header_stays_in_view_and_filters(tmp_path: Path) -> None:
    sheet = sheet_of(write_and_read(a_report(a_board(records=[a_record()])), tmp_path), "전체현황")
    assert sheet.freeze_panes == "C2"
    assert sheet.auto_filter.ref == "A1:Q2"
    assert sheet.print_title_rows == "$1:$1"


def test_a_records_colour_tells_what_happened_to_it(tmp_path: Path) -> None:
    events = [
        an_event(EventType.NEW, "A"),
        an_event(EventType.MODIFIED, "B", changes=[a_change()]),
        an_event(EventType.MODIFIED, "C", changes=[a_change(grade=Grade.COSMETIC)]),
        an_event(EventType.WITHDRAWN, "D", reason=Reason.STATUS),
        an_event(EventType.REAPPEARED, "E", reason=Reason.RESTORED),
    ]
    records = [
        *(a_record(key) for key in "ABCDE"),
        a_missing_record("F", days=1, n_reads=1),
        a_record("G"),
    ]
    workbook = write_and_read(a_report(a_board(records=records, events=events)), tmp_path)
    _, *rows = cell_rows(workbook, "전체현황")
    tones = [Tone.NEW, Tone.CHANGED, None, Tone.WITHDRAWN, Tone.REAPPEARED, Tone.MISSING, None]
    expected = ["" if tone is None else FILL[tone].lstrip("#") for tone in tones]
    assert [fill_of(row[1]) for row in rows] == expected
    grey = FILL[Tone.MISSING].lstrip("#")
    assert [fill_of(row[0]) for row in rows] == ["", "", "", "", "", grey, ""]
