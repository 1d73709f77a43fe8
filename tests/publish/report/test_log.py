from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from dmf_crawler.model.change import Counts, EventType, Grade, Reason
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import ChangedBack
from dmf_crawler.model.reuse import GaveWay
from dmf_crawler.model.run import RunStatus
from dmf_crawler.publish.report.cells import FILL, Tone
from tests.publish.builders import (
    DAY,
    a_board,
    a_change,
    a_record,
    a_report,
    a_run_row,
    an_event,
)
from tests.publish.report.reading import (
    cell_rows,
    column_of,
    fill_of,
    link_of,
    text_rows,
    write_and_read,
)


def test_the_history_tells_each_event_newest_first(tmp_path: Path) -> None:
    history = [
        an_event(EventType.MODIFIED, "A", changes=[a_change(grade=Grade.COSMETIC)]),
        an_event(EventType.WITHDRAWN, "B", reason=Reason.MISSING, days_ago=1),
        an_event(EventType.NEW, "A", days_ago=30),
    ]
    board = a_board(records=[a_record("A")], history=history)
    workbook = write_and_read(a_report(board), tmp_path)
    assert text_rows(workbook, "이력") == [
        ["일시", "등록번호", "구분", "정도", "변경 내용", "사유", "비고", "run_id"],
        [
            "2026-11-30 06:00:12",
            "A",
            "변경",
            "표기",
            "신청인: (주)삼오제약 → 국전약품(주)",
            "",
            "",
            "20261130T060012-dmf_registry",
        ],
        [
            "2026-11-29 06:00:12",
            "B",
            "취하",
            "",
            "",
            "목록에서 사라짐",
            "",
            "20261129T060012-dmf_registry",
        ],
        ["2026-10-31 06:00:12", "A", "신규", "", "", "", "", "20261031T060012-dmf_registry"],
    ]
    cells = cell_rows(workbook, "이력")[1:]
    assert [link_of(row[1]) for row in cells] == ["'전체현황'!A2", "", "'전체현황'!A2"]
    assert [fill_of(row[2]) for row in cells] == [
        FILL[tone].lstrip("#") for tone in (Tone.CHANGED, Tone.WITHDRAWN, Tone.NEW)
    ]


def test_the_history_names_each_value_that_was_changed_back(tmp_path: Path) -> None:
    event = an_event(
        EventType.MODIFIED, "A", changes=[a_change(), a_change("target"), a_change("maker")]
    )
    back = {"maker": ChangedBack(DAY, 0), "company": ChangedBack(DAY - timedelta(days=3), 3)}
    board = a_board(history=[replace(event, changed_back=back)])
    header, row = text_rows(write_and_read(a_report(board), tmp_path), "이력")
    assert row[column_of(header, "비고")] == (
        "신청인: 3일 전(2026-11-27) 바뀐 값이 되돌아옴\n"
        "제조소명: 같은 날(2026-11-30) 바뀐 값이 되돌아옴"
    )


def test_the_histories_of_several_boards_are_one_table_by_time(tmp_path: Path) -> None:
    first = a_board(history=[an_event(number="A"), an_event(number="B", days_ago=2)])
    second = replace(
        a_board(history=[an_event(number="C", days_ago=1)]), board_id="recalls", name_ko="회수"
    )
    rows = text_rows(write_and_read(a_report(first, second), tmp_path), "이력")
    assert rows[0][:3] == ["일시", "게시판", "등록번호"]
    assert [row[1:3] for row in rows[1:]] == [
        ["원료의약품등록(DMF) 현황", "A"],
        ["회수", "C"],
        ["원료의약품등록(DMF) 현황", "B"],
    ]


def test_empty_logs_say_so(tmp_path: Path) -> None:
    workbook = write_and_read(a_report(a_board()), tmp_path)
    assert text_rows(workbook, "이력")[1:] == [["기록된 변동이 없습니다."]]
    assert text_rows(workbook, "실행로그")[1:] == [["기록된 실행이 없습니다."]]


def test_the_run_log_has_one_line_a_run_with_numbers_as_numbers(tmp_path: Path) -> None:
    runs = [
        a_run_row(n_rows=12_003, counts=Counts(NEW=4, MODIFIED=3, WITHDRAWN=2, REAPPEARED=1)),
        replace(
            a_run_row(RunStatus.HELD, is_baseline=True),
            error_code="gate_hold",
            reject_reason="G-5: 목록에서 사라진 건이 많습니다.",
            missing=7,
        ),
        replace(a_run_row(RunStatus.RUNNING, n_rows=None), finished_at=None, duration_ms=None),
    ]
    workbook = write_and_read(a_report(a_board(), runs=runs), tmp_path)
    header, *rows = [[cell.value for cell in row] for row in cell_rows(workbook, "실행로그")]
    assert header == [
        "run_id",
        "기준일",
        "시작",
        "종료",
        "상태",
        "건수",
        "요청 수",
        "소요(초)",
        "신규",
        "변경",
        "취하",
        "재등장",
        "확인 중",
        "기준선",
        "전체 재확인",
        "셀렉터 버전",
        "재사용률",
        "물러난 셀렉터",
        "결정",
        "오류 코드",
        "사유",
    ]
    assert rows[0] == [
        "20261130T060012-dmf_registry",
        "2026-11-30",
        "2026-11-30 06:00:12",
        "2026-11-30 06:12:17",
        "정상",
        12_003,
        123,
        725.4,
        4,
        3,
        2,
        1,
        0,
        None,
        None,
        1,
        None,
        None,
        None,
        None,
        None,
    ]
    assert rows[1][4] == "보류"
    assert rows[1][12:17] == [7, "예", None, 1, None]
    assert rows[1][17:] == [None, None, "gate_hold", "G-5: 목록에서 사라진 건이 많습니다."]
    assert rows[2][3:8] == [None, "진행 중", None, 123, None]


def test_the_run_log_tells_the_full_check_and_what_it_had_still_to_do(tmp_path: Path) -> None:
    done = replace(a_run_row(), full_check_from=date(2026, 11, 29))
    runs = [replace(done, full_check_left=1_012), done, a_run_row()]
    rows = text_rows(write_and_read(a_report(a_board(), runs=runs), tmp_path), "실행로그")
    column = column_of(rows[0], "전체 재확인")
    assert [row[column] for row in rows[1:]] == ["2026-11-29\n남음 1,012", "2026-11-29", ""]


def test_the_run_log_tells_how_much_primary_selectors_found_and_which_gave_way(
    tmp_path: Path,
) -> None:
    fallen = replace(a_run_row(), reuse_rate=13 / 15)
    whole = replace(a_run_row(board_id="recalls"), reuse_rate=1.0)
    gave_way = (
        GaveWay("row", "table tbody tr", 0, (("table tr", 2),)),
        GaveWay("company", "header_text 신청인", 1, (("css td.a", 1), ("css td.b", 1))),
    )
    report = replace(
        a_report(a_board(), runs=[fallen, whole, a_run_row(board_id="notices")]),
        given_way={fallen.run.run_id: gave_way, "another run": gave_way},
    )

    rows = text_rows(write_and_read(report, tmp_path), "실행로그")

    rates, given_way = column_of(rows[0], "재사용률"), column_of(rows[0], "물러난 셀렉터")
    assert [row[rates] for row in rows[1:3]] == ["86.7%", "100.0%"]
    assert not any(rows[3][rates:])
    assert rows[1][given_way] == (
        "행: table tbody tr → table tr\n신청인: header_text 신청인 → css td.a, css td.b"
    )
    assert not any(rows[2][given_way:])


def test_the_run_log_tells_what_became_of_a_held_run(tmp_path: Path) -> None:
    at = a_run_row().run.started_at
    ends = [
        Decision(Decided.APPROVED, at, "공고로 확인"),
        Decision(Decided.REJECTED, at),
        Decision(Decided.SUPERSEDED, None),
        None,
    ]
    runs = [replace(a_run_row(), decision=decision) for decision in ends]
    rows = text_rows(write_and_read(a_report(a_board(), runs=runs), tmp_path), "실행로그")
    column = column_of(rows[0], "결정")
    assert ["".join(row[column : column + 1]) for row in rows[1:]] == [
        "승인 2026-11-30 06:00:12\n공고로 확인",
        "거부 2026-11-30 06:00:12",
        "결정 없이 끝남",
        "",
    ]


def test_runs_of_a_board_that_is_no_longer_reported_are_named_by_their_id(tmp_path: Path) -> None:
    runs = [a_run_row(), a_run_row(board_id="recalls")]
    rows = text_rows(write_and_read(a_report(a_board(), runs=runs), tmp_path), "실행로그")
    board_column = column_of(rows[0], "게시판")
    assert [row[board_column] for row in rows[1:]] == ["원료의약품등록(DMF) 현황", "recalls"]
