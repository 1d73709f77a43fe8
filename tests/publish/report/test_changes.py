from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.report import ChangedBack
from dmf_crawler.publish.report.cells import FILL, Tone
from tests.publish.builders import (
    DAY,
    LABELS,
    a_board,
    a_change,
    a_missing_record,
    a_record,
    a_report,
    a_run_row,
    an_event,
    some_fields,
)
from tests.publish.report.reading import (
    cell_rows,
    column_of,
    fill_of,
    link_of,
    sheet_of,
    text_rows,
    write_and_read,
)

NEW_HEADER = ["등록번호", "대상의약품", *LABELS[2:]]


def test_a_new_record_is_shown_whole_and_linked_to_its_row(tmp_path: Path) -> None:
    board = a_board(records=[a_record("A"), a_record("B")], events=[an_event(EventType.NEW, "B")])
    workbook = write_and_read(a_report(board), tmp_path)
    header, row = text_rows(workbook, "신규")
    assert header == NEW_HEADER
    assert row[:5] == [
        "B",
        "별표1",
        "로사르탄칼륨",
        "(주)삼오제약",
        "Hetero Labs Limited, Unit-I\nHetero Drugs Limited",
    ]
    [_, cells] = cell_rows(workbook, "신규")
    assert link_of(cells[0]) == "'전체현황'!A3"
    assert cell_rows(workbook, "전체현황")[2][1].value == "B"
    assert {fill_of(cell) for cell in cells[: len(header)]} == {FILL[Tone.NEW].lstrip("#")}


def test_what_came_back_has_a_block_and_a_colour_of_its_own(tmp_path: Path) -> None:
    back = an_event(
        EventType.REAPPEARED,
        "B",
        reason=Reason.RETURNED,
        changes=[a_change("company", "옛 이름", "새 이름")],
    )
    older = [
        an_event(EventType.WITHDRAWN, "B", reason=Reason.MISSING, days_ago=9),
        an_event(EventType.REAPPEARED, "B", reason=Reason.RETURNED, days_ago=20),
        an_event(EventType.WITHDRAWN, "B", reason=Reason.MISSING, days_ago=30),
        an_event(EventType.WITHDRAWN, "A", reason=Reason.MISSING, days_ago=1),
    ]
    board = a_board(
        records=[a_record("A"), a_record("B")],
        events=[an_event(EventType.NEW, "A"), back],
        history=[back, *older],
    )
    workbook = write_and_read(a_report(board), tmp_path)
    rows = text_rows(workbook, "신규")
    assert [row[0] if row else "" for row in rows] == [
        "등록번호",
        "A",
        "",
        "재등장 1건",
        "등록번호",
        "B",
    ]
    assert rows[4] == [*NEW_HEADER, "취하 기록일", "재등장 사유", "변경 내용", "비고"]
    assert rows[5][-3:] == [
        (DAY - timedelta(days=9)).isoformat(),
        "목록에 다시 나타남",
        "신청인: 옛 이름 → 새 이름",
    ]
    cells = cell_rows(workbook, "신규")[5]
    assert link_of(cells[0]) == "'전체현황'!A3"
    assert {fill_of(cell) for cell in cells} == {FILL[Tone.REAPPEARED].lstrip("#")}
    assert sheet_of(workbook, "신규").auto_filter.ref == "A1:N2"


def test_a_withdrawal_older_than_the_history_leaves_its_date_empty(tmp_path: Path) -> None:
    event = an_event(EventType.REAPPEARED, "A", reason=Reason.RESTORED)
    rows = text_rows(write_and_read(a_report(a_board(events=[event])), tmp_path), "신규")
    date_column = column_of(rows[-2], "취하 기록일")
    assert rows[-1][date_column] == ""
    assert rows[-1][date_column + 1] == "상태가 정상으로 돌아옴"


def test_a_change_is_one_row_a_field_with_before_and_after(tmp_path: Path) -> None:
    changes = [
        a_change("company", "삼오제약", "국전약품", grade=Grade.MAJOR),
        a_change("maker", ("A", "B"), ("A",), grade=Grade.MINOR),
        a_change("document_no", "v0", "v0 ", grade=Grade.COSMETIC),
        a_change("changed_on", "", "2026-11-29"),
    ]
    board = a_board(
        records=[a_record("A")], events=[an_event(EventType.MODIFIED, "A", changes=changes)]
    )
    workbook = write_and_read(a_report(board), tmp_path)
    rows = text_rows(workbook, "변경")
    assert rows[0] == [
        "등록번호",
        "성분명",
        "신청인",
        "항목",
        "이전",
        "이후",
        "정도",
        "사유",
        "비고",
    ]
    assert [row[3:] for row in rows[1:]] == [
        ["신청인", "삼오제약", "국전약품", "대폭"],
        ["제조소명", "A\nB", "A", "경미"],
        ["최종변경일자", "", "2026-11-29", "실질"],
    ]
    for cells in cell_rows(workbook, "변경")[1:]:
        assert link_of(cells[0]) == "'전체현황'!A2"
        assert fill_of(cells[5]) == FILL[Tone.CHANGED].lstrip("#")


def test_a_value_that_was_changed_back_says_so_beside_it(tmp_path: Path) -> None:
    event = an_event(EventType.MODIFIED, "A", changes=[a_change("company"), a_change("target")])
    back = {"target": ChangedBack(DAY - timedelta(days=3), 3)}
    workbook = write_and_read(
        a_report(a_board(events=[replace(event, changed_back=back)])), tmp_path
    )
    header, *rows = text_rows(workbook, "변경")
    said = {row[3]: row[8:] for row in rows}
    assert header[8] == "비고"
    assert said == {"신청인": [], "대상의약품": ["3일 전(2026-11-27) 바뀐 값이 되돌아옴"]}


@pytest.mark.parametrize(
    ("event_type", "reason", "sheet"),
    [
        (EventType.REAPPEARED, Reason.RESTORED, "신규"),
        (EventType.WITHDRAWN, Reason.STATUS, "취하"),
    ],
)
def test_a_status_that_was_changed_back_says_so(event_type, reason, sheet, tmp_path: Path) -> None:
    event = an_event(event_type, "A", reason=reason, changes=[a_change("status", "가", "나")])
    event = replace(event, changed_back={"status": ChangedBack(DAY - timedelta(days=1), 1)})
    workbook = write_and_read(a_report(a_board(events=[event])), tmp_path)
    (row,) = (row for row in text_rows(workbook, sheet) if row[:1] == ["A"])
    assert row[-1] == "취소/취하구분: 1일 전(2026-11-29) 바뀐 값이 되돌아옴"


def test_what_is_merely_cosmetic_stays_out_of_the_changes(tmp_path: Path) -> None:
    event = an_event(EventType.MODIFIED, changes=[a_change(grade=Grade.COSMETIC)])
    workbook = write_and_read(a_report(a_board(events=[event])), tmp_path)
    assert text_rows(workbook, "변경")[1:] == [["값이 바뀐 건이 없습니다."]]
    assert text_rows(workbook, "이력")[1][3] == "표기"


def test_a_record_that_only_goes_on_under_another_key_is_no_news(tmp_path: Path) -> None:
    """When a number stops to identify its record, 이력 alone tells of the two events."""
    events = [
        an_event(EventType.MODIFIED, "A", reason=Reason.REKEYED),
        an_event(EventType.NEW, "A|(주)가|2020-05-11", reason=Reason.REKEYED),
    ]
    workbook = write_and_read(a_report(a_board(events=events)), tmp_path)
    assert text_rows(workbook, "신규")[1:] == [["새로 등록된 건이 없습니다."]]
    assert text_rows(workbook, "변경")[1:] == [["값이 바뀐 건이 없습니다."]]
    assert [row[5] for row in text_rows(workbook, "이력")[1:]] == ["번호가 겹쳐 구분 키를 바꿈"] * 2


def test_a_withdrawn_record_that_left_the_list_has_a_row_without_link(tmp_path: Path) -> None:
    since = DAY - timedelta(days=4)
    events = [
        an_event(EventType.MODIFIED, "A", reason=Reason.DELISTED, missing_since=since),
        an_event(EventType.MODIFIED, "B", reason=Reason.DELISTED),
    ]
    workbook = write_and_read(a_report(a_board(events=events)), tmp_path)
    assert [row[3:] for row in text_rows(workbook, "변경")[1:]] == [
        ["목록", "있음", f"없음 ({since.isoformat()}부터)", "", "목록에서 제외"],
        ["목록", "있음", "없음", "", "목록에서 제외"],
    ]
    assert [link_of(row[0]) for row in cell_rows(workbook, "변경")] == ["", "", ""]


def test_withdrawals_by_status_stand_before_those_that_vanished(tmp_path: Path) -> None:
    since = DAY - timedelta(days=4)
    events = [
        an_event(EventType.WITHDRAWN, "A", reason=Reason.MISSING, missing_since=since),
        an_event(
            EventType.WITHDRAWN,
            "B",
            reason=Reason.STATUS,
            changes=[
                a_change("status", "정상", "취하"),
                a_change("withdrawn_on", "", "2026-11-29"),
            ],
            fields=some_fields("B", status="취하"),
        ),
    ]
    workbook = write_and_read(
        a_report(a_board(records=[a_record("B", status="취하")], events=events)), tmp_path
    )
    rows = text_rows(workbook, "취하")
    assert rows[0][3:] == ["상태", "처음 사라진 날", "사유", "변경 내용", "비고"]
    assert [[row[0], *row[3:]] for row in rows[1:]] == [
        [
            "B",
            "취하",
            "",
            "상태가 취하·취소로 바뀜",
            "취소/취하구분: 정상 → 취하\n취소/취하일자: (빈 값) → 2026-11-29",
        ],
        ["A", "정상", since.isoformat(), "목록에서 사라짐"],
    ]
    assert [link_of(row[0]) for row in cell_rows(workbook, "취하")] == ["", "'전체현황'!A2", ""]


def test_missing_records_are_listed_with_days_and_reads(tmp_path: Path) -> None:
    board = a_board(
        records=[a_record("A"), a_missing_record("B", days=2, n_reads=3), a_record("C")]
    )
    workbook = write_and_read(a_report(board, missing_runs=5), tmp_path)
    rows = text_rows(workbook, "취하")
    assert rows[1:3] == [["취하로 기록한 건이 없습니다."], []]
    title = (
        "확인 중 1건: 목록에서 사라졌으나 아직 취하로 기록하지 않았습니다."
        " 연속 5회 확인하면 취하로 기록합니다."
    )
    assert rows[3] == [title]
    assert rows[4][3:] == ["상태", "처음 사라진 날", "경과(일)", "확인 횟수"]
    assert rows[5][3:] == ["정상", (DAY - timedelta(days=2)).isoformat(), "2", "3 / 5"]
    cells = cell_rows(workbook, "취하")[5]
    assert link_of(cells[0]) == "'전체현황'!A3"
    assert cells[5].value == 2
    assert {fill_of(cell) for cell in cells[:-1]} == {FILL[Tone.MISSING].lstrip("#")}
    assert not fill_of(cells[-1]), "the table above has a column more"


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("신규", "새로 등록된 건이 없습니다."),
        ("변경", "값이 바뀐 건이 없습니다."),
        ("취하", "취하로 기록한 건이 없습니다."),
    ],
)
def test_an_empty_table_says_so(sheet: str, message: str, tmp_path: Path) -> None:
    board = a_board(records=[a_record()])
    assert text_rows(write_and_read(a_report(board), tmp_path), sheet)[1:] == [[message]]
    baseline = replace(board, accepted=a_run_row(is_baseline=True))
    assert text_rows(write_and_read(a_report(baseline), tmp_path), sheet)[1:] == [
        ["최초 수집(기준선)입니다. 변경 비교는 다음 실행부터 시작됩니다."]
    ]


def test_a_record_with_a_composite_key_is_shown_by_its_number(tmp_path: Path) -> None:
    """Where the number is not unique, two applicants share it; where it is empty, the key shows."""
    events = [
        replace(an_event(EventType.NEW), key="20200511-209-J-394|(주)가|2020-05-11"),
        an_event(EventType.NEW, "로사르탄|(주)나|2020-05-11", fields=some_fields("")),
    ]
    rows = text_rows(write_and_read(a_report(a_board(events=events)), tmp_path), "신규")
    assert [row[0] for row in rows[1:]] == ["20260922-211-J-2288", "로사르탄|(주)나|2020-05-11"]


def test_a_long_text_is_shown_where_it_changed(tmp_path: Path) -> None:
    before = "가" * 9_000 + "전" + "나" * 9_000
    event = an_event(
        EventType.MODIFIED, "A", changes=[a_change(before=before, after=before.replace("전", "후"))]
    )
    workbook = write_and_read(a_report(a_board(events=[event])), tmp_path)
    header, row = text_rows(workbook, "변경")
    shown = [row[column_of(header, label)] for label in ("이전", "이후")]
    assert shown == [f"… {'가' * 40}{word}{'나' * 40} … [전체 18,001자]" for word in ("전", "후")]
    assert (sheet_of(workbook, "변경").row_dimensions[2].height or 0) < 120
