from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from openpyxl import Workbook

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.record import Column
from dmf_crawler.model.report import BoardReport, ChangedBack
from dmf_crawler.model.verdict import Outcome
from dmf_crawler.publish.report.cells import FILL, Tone
from tests.publish.builders import (
    DAY,
    a_board,
    a_change,
    a_gate,
    a_missing_record,
    a_record,
    a_report,
    a_run_row,
    an_event,
)
from tests.publish.report.reading import (
    cell_rows,
    fill_of,
    link_of,
    sheet_of,
    text_rows,
    write_and_read,
)


def sentences_of(board: BoardReport, folder: Path) -> list[str]:
    """Return the lines between the board's name and its table of counts."""
    lines = [row[0] if row else "" for row in text_rows(_write(board, folder), "요약")]
    start = lines.index(board.name_ko) + 1
    return lines[start : lines.index("", start)]


def _write(board: BoardReport, folder: Path) -> Workbook:
    return write_and_read(a_report(board), folder)


def a_busy_board() -> BoardReport:
    """Return a board on which a bit of everything happened."""
    return a_board(
        records=[
            a_record("A"),
            a_record("B"),
            a_record("E", status="취하"),
            a_missing_record("F", days=1, n_reads=1),
        ],
        events=[
            an_event(EventType.NEW, "A"),
            an_event(EventType.MODIFIED, "B", changes=[a_change(), a_change("target")]),
            an_event(EventType.MODIFIED, "C", changes=[a_change(grade=Grade.COSMETIC)]),
            an_event(EventType.WITHDRAWN, "E", reason=Reason.STATUS),
            an_event(EventType.REAPPEARED, "B", reason=Reason.RESTORED),
        ],
        accepted=a_run_row(n_rows=3),
    )


def test_the_title_carries_the_day_and_that_it_stays_in_the_house(tmp_path: Path) -> None:
    rows = text_rows(_write(a_board(), tmp_path), "요약")
    assert rows[0] == ["DMF 변동 보고서 2026-11-30 (월)"]
    assert rows[1] == ["사내용: 외부로 배포하지 마십시오. 작성 2026-11-30 06:13:12 (한국 시간)"]


def test_what_happened_is_said_in_sentences(tmp_path: Path) -> None:
    happened, rest, size = sentences_of(a_busy_board(), tmp_path)
    assert happened == (
        "직전에 채택한 수집 이후 신규 1건, 변경 1건(항목 2개), 취하 1건, 재등장 1건이 있었습니다."
    )
    assert rest == (
        "표기만 바뀐 1건은 이력 시트에만 실었습니다."
        " 목록에서 사라진 1건은 확인 중이며, 연속 4회 확인하면 취하로 기록합니다."
    )
    assert size == "현재 목록은 4건이고, 이 가운데 정상은 3건입니다."


def test_values_that_were_changed_back_are_counted_in_the_sentence_on_changes(
    tmp_path: Path,
) -> None:
    cosmetic = a_change("target", grade=Grade.COSMETIC)
    back = {name: ChangedBack(DAY, 0) for name in ("company", "target", "status")}
    events = [
        an_event(EventType.MODIFIED, "A", changes=[a_change(), a_change("maker"), cosmetic]),
        an_event(EventType.REAPPEARED, "B", changes=[a_change("status")], reason=Reason.RESTORED),
    ]
    board = a_board(
        records=[a_record("A")], events=[replace(event, changed_back=back) for event in events]
    )
    assert sentences_of(board, tmp_path)[0] == (
        "직전에 채택한 수집 이후 변경 1건(항목 2개), 재등장 1건이 있었습니다. 이 가운데 값 2개는"
        " 최근 30일 안에 바뀌었다가 되돌아온 것입니다."
    )


def test_a_quiet_day_is_said_to_be_quiet(tmp_path: Path) -> None:
    board = a_board(records=[a_record()])
    assert sentences_of(board, tmp_path) == [
        "직전에 채택한 수집 이후 신규, 변경, 취하, 재등장이 없습니다.",
        "현재 목록은 1건이고, 이 가운데 정상은 1건입니다.",
    ]
    assert sentences_of(replace(board, status_field=""), tmp_path)[1] == "현재 목록은 1건입니다."


def test_a_board_without_an_accepted_run_that_day_shows_an_older_list(tmp_path: Path) -> None:
    """That is no quiet day: nothing is known of it."""
    older = replace(a_run_row().run, day=DAY - timedelta(days=1))
    board = a_board(records=[a_record()], accepted=replace(a_run_row(), run=older))
    assert sentences_of(board, tmp_path) == [
        "이날 채택한 수집이 없어 2026-11-29에 채택한 목록을 보여 드립니다.",
        "현재 목록은 1건이고, 이 가운데 정상은 1건입니다.",
    ]


def test_a_baseline_is_one_line(tmp_path: Path) -> None:
    board = a_board(
        records=[a_record(str(n)) for n in range(1_200)], accepted=a_run_row(is_baseline=True)
    )
    assert sentences_of(board, tmp_path) == [
        "최초 수집(기준선): 1,200건을 등록했습니다. 변경 비교는 다음 실행부터 시작됩니다."
    ]


def test_a_board_without_any_accepted_run_says_so(tmp_path: Path) -> None:
    board = replace(a_board(), accepted=None, notice="첫 수집이 보류되었습니다.")
    assert sentences_of(board, tmp_path) == [
        "첫 수집이 보류되었습니다.",
        "아직 채택한 수집이 없어 보여 드릴 목록이 없습니다.",
    ]
    assert ["이 목록을 만든 수집"] not in text_rows(_write(board, tmp_path), "요약")


def test_what_must_not_be_missed_stands_first_and_in_red(tmp_path: Path) -> None:
    board = replace(
        a_board(),
        notice="오늘 수집은 보류되었습니다.",
        missed_days=2,
        warnings=("번호가 겹칩니다.",),
    )
    assert sentences_of(board, tmp_path)[:3] == [
        "오늘 수집은 보류되었습니다.",
        "이 목록 전에 수집하지 못한 날이 2일 있습니다. 그 사이의 변동은 이번에 함께 기록했습니다.",
        "번호가 겹칩니다.",
    ]
    rows = cell_rows(_write(board, tmp_path), "요약")
    [notice] = [row[0] for row in rows if row[0].value == board.notice]
    assert notice.font.color is not None
    assert notice.font.color.rgb == "FFB3261E"


def test_the_counts_are_numbers_in_their_colours_and_lead_to_their_sheets(tmp_path: Path) -> None:
    rows = cell_rows(_write(a_busy_board(), tmp_path), "요약")
    start = next(n for n, row in enumerate(rows) if row[1].value == "건수") + 1
    counts = [
        (row[0].value, row[1].value, fill_of(row[1]), link_of(row[0]))
        for row in rows[start : start + 8]
    ]
    fill = {tone: colour.lstrip("#") for tone, colour in FILL.items()}
    assert counts == [
        ("신규", 1, fill[Tone.NEW], "'신규'!A1"),
        ("변경", 1, fill[Tone.CHANGED], "'변경'!A1"),
        ("취하", 1, fill[Tone.WITHDRAWN], "'취하'!A1"),
        ("재등장", 1, fill[Tone.REAPPEARED], "'신규'!A1"),
        ("표기 변경만", 1, "", "'이력'!A1"),
        ("확인 중", 1, fill[Tone.MISSING], "'취하'!A1"),
        ("전체 건수", 4, "", "'전체현황'!A1"),
        ("정상 건수", 3, "", "'전체현황'!A1"),
    ]
    assert rows[start + 6][2].value == "사이트 목록 3건과 확인 중 1건"


def test_a_board_without_a_status_counts_none_and_withdraws_by_absence_alone(
    tmp_path: Path,
) -> None:
    rows = text_rows(_write(replace(a_busy_board(), status_field=""), tmp_path), "요약")
    meanings = {row[0]: row[2] for row in rows if len(row) == 3}
    assert meanings["취하"] == "연속 4회 목록에 없던 건"
    assert "정상 건수" not in meanings


def test_several_boards_are_told_line_by_line_before_their_sections(tmp_path: Path) -> None:
    notices = replace(
        a_board(records=[a_record("N")]),
        board_id="notices",
        name_ko="공지",
        status_field="",
        notice="오늘 수집은 보류되었습니다.",
    )
    rows = cell_rows(write_and_read(a_report(a_busy_board(), notices), tmp_path), "요약")
    start = next(n for n, row in enumerate(rows) if row[0].value == "게시판별 요약") + 2
    first, second = ((row[0].value, str(row[1].value)) for row in rows[start : start + 2])
    assert first[0] == a_board().name_ko
    assert first[1].startswith("직전에 채택한 수집 이후 신규 1건")
    assert second == (
        "공지",
        (
            "먼저 볼 것이 1건 있습니다(아래 붉은 글씨). 직전에 채택한 수집 이후 신규, 변경, 취하,"
            " 재등장이 없습니다. 현재 목록은 1건입니다."
        ),
    )
    assert [bool(row[1].font.bold) for row in rows[start : start + 2]] == [False, True]
    assert "게시판별 요약" not in str(text_rows(_write(notices, tmp_path), "요약"))


def test_the_gates_are_shown_with_what_they_saw(tmp_path: Path) -> None:
    gates = [
        a_gate("G-2", observed=0.25, limit=0.3),
        a_gate("G-4", Outcome.WARN, observed=1, limit=3, message="새 형식이 1건 있습니다."),
        a_gate("G-5", Outcome.HOLD),
        a_gate("G-3", Outcome.REJECT),
        a_gate("G-13", observed=None, limit=None, message="둘째 출처가 없습니다."),
    ]
    rows = cell_rows(_write(a_board(gates=gates), tmp_path), "요약")
    start = next(n for n, row in enumerate(rows) if row[0].value == "게이트") + 1
    shown = rows[start : start + 5]
    assert [[cell.value for cell in row] for row in (shown[0], shown[1], shown[4])] == [
        ["G-2 건수와 신규", "통과", 0.25, 0.3, "행 수가 직전 목록과 비슷합니다."],
        ["G-4 번호와 값의 형식", "경고", 1, 3, "새 형식이 1건 있습니다."],
        ["G-13 다른 원천과의 비교", "통과", "해당 없음", "없음", "둘째 출처가 없습니다."],
    ]
    assert [row[1].value for row in shown] == ["통과", "경고", "보류", "거부", "통과"]
    assert [bool(row[1].font.bold) for row in shown] == [False, True, True, True, False]


def test_the_detection_delay_is_said_with_the_real_duration(tmp_path: Path) -> None:
    text = "\n".join(row[0] for row in text_rows(_write(a_board(), tmp_path), "요약") if row)
    assert "24시간과 실행 시간(이번 12분 5초) 안에 나타납니다" in text
    assert "연속 4회 확인한 뒤 취하로 기록합니다" in text
    quick = a_board(accepted=replace(a_run_row(), duration_ms=4_400))
    assert "(이번 4초)" in str(text_rows(_write(quick, tmp_path), "요약"))
    unknown = a_board(accepted=replace(a_run_row(), duration_ms=None))
    assert "실행 시간 안에" in str(text_rows(_write(unknown, tmp_path), "요약"))


def test_of_a_board_with_detail_pages_the_delay_of_their_texts_is_said_too(tmp_path: Path) -> None:
    plain = str(text_rows(_write(a_board(), tmp_path), "요약"))
    columns = (*a_board().columns, Column("body", "본문"))
    text = str(text_rows(_write(replace(a_board(), columns=columns), tmp_path), "요약"))

    assert "본문이나 첨부파일만 바뀐 경우" not in plain
    assert "늦어도 다음 전체 재확인(매주 일요일, 놓치면 7일 안)에 나타납니다" in text


def test_the_run_behind_the_list_is_named(tmp_path: Path) -> None:
    rows = [row[:2] for row in text_rows(_write(a_board(), tmp_path), "요약")]
    start = rows.index(["이 목록을 만든 수집"]) + 1
    assert rows[start : start + 6] == [
        ["run_id", "20261130T060012-dmf_registry"],
        ["기준일", "2026-11-30"],
        ["시작", "2026-11-30 06:00:12"],
        ["종료", "2026-11-30 06:12:17"],
        ["요청 수", "123회"],
        ["셀렉터 버전", "1"],
    ]


def test_colours_and_sheets_are_explained(tmp_path: Path) -> None:
    second = replace(a_board(), board_id="recalls", name_ko="회수·폐기")
    rows = cell_rows(write_and_read(a_report(a_board(), second), tmp_path), "요약")
    labels = [row[0].value for row in rows]
    legend = rows[labels.index("색 안내") + 1 :][:5]
    assert [fill_of(row[0]) for row in legend] == [colour.lstrip("#") for colour in FILL.values()]
    guide = rows[labels.index("시트 안내") + 1 :]
    names = ["신규", "변경", "취하", "전체현황", "이력", "실행로그", "전체현황_회수·폐기"]
    assert [row[0].value for row in guide] == names
    assert [link_of(row[0]) for row in guide] == [f"'{name}'!A1" for name in names]


def test_a_long_sentence_gets_the_height_it_needs(tmp_path: Path) -> None:
    board = replace(a_board(), notice="오늘 수집은 보류되었습니다. " * 30)
    sheet = sheet_of(_write(board, tmp_path), "요약")
    assert sheet["A5"].value == board.notice
    assert (sheet.row_dimensions[5].height or 0) > 80


def test_a_long_sheet_name_is_not_cut_in_the_guide(tmp_path: Path) -> None:
    second = replace(a_board(), board_id="recalls", name_ko="회수·폐기 대상 의약품 목록")
    sheet = sheet_of(write_and_read(a_report(a_board(), second), tmp_path), "요약")
    [row_no] = [
        row[0].row
        for row in sheet.iter_rows()
        if row[0].value == "전체현황_회수·폐기 대상 의약품 목록"
    ]
    assert (sheet.row_dimensions[row_no or 0].height or 0) == 30  # two lines
