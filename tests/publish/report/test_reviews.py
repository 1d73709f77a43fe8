from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from openpyxl import Workbook

from dmf_crawler.model.detail import BODY
from dmf_crawler.model.report import Report
from dmf_crawler.model.watched_page import Movement, ReviewItem
from dmf_crawler.publish.page_diff import diff_name
from dmf_crawler.publish.report.cells import FILL, Tone
from dmf_crawler.publish.report.reviews import REVIEW_COLUMNS, WHAT_TO_DO, list_passages
from tests.publish.builders import DAY, a_board, a_record, a_report
from tests.publish.page_builders import CLAUSE, PAGE_URL, RUN, TERMS, a_page, a_review
from tests.publish.report.reading import (
    cell_rows,
    column_of,
    fill_of,
    link_of,
    sheet_of,
    text_rows,
    write_and_read,
)

FORMULA = "=cmd|' /C calc'!A0"


REMOVED = """\
− 2. 처는 약관을 변경할 때 시행일 7일 전부터 누리집에 알린다.
− 2. 자동화된 수단으로 자료를 수집하는 것은 허용한다.
− 이 약관은 2026년 1월 5일부터 시행한다."""

ADDED = f"""\
+ 2. 처는 약관을 변경할 때 시행일 30일 전부터 누리집에 알린다.
+ 2. 자동화된 수단으로 자료를 수집하는 것은 허용하지 아니한다.
+ {CLAUSE}
+ 이 약관은 2026년 12월 1일부터 시행한다."""


def a_report_with(*waiting: ReviewItem) -> Report:
    return replace(a_report(a_board(records=[a_record("A")])), pages=(a_page(*waiting),))


def older(item: ReviewItem) -> ReviewItem:
    """Return a change of the day before, of the text alone."""
    body = item.after[BODY]
    return replace(
        item,
        review_id=2,
        run_id="20261129T060400-nedrug_terms",
        day=DAY - timedelta(days=1),
        movement=Movement.CONTENT,
        threshold=None,
        after={**item.before, BODY: body},
    )


def cell_of(workbook: Workbook, row: int, label: str):
    header = text_rows(workbook, "검토대기")[1]
    return cell_rows(workbook, "검토대기")[row][column_of(header, label)]


def test_the_sheet_is_there_only_while_something_waits(tmp_path: Path) -> None:
    names = write_and_read(a_report_with(a_review()), tmp_path).sheetnames
    assert names[-2:] == ["실행로그", "검토대기"]
    done = replace(a_page(), found=(a_review(),))
    report = replace(a_report_with(), pages=(done,))
    assert "검토대기" not in write_and_read(report, tmp_path).sheetnames


def test_it_stands_behind_the_lists_of_further_boards(tmp_path: Path) -> None:
    second = replace(a_board(records=[a_record("B")]), board_id="recalls", name_ko="recalls")
    report = a_report_with(a_review())
    report = replace(report, boards=(*report.boards, second))
    names = write_and_read(report, tmp_path).sheetnames
    assert names[-3:] == ["실행로그", "전체현황_recalls", "검토대기"]


def test_each_change_has_one_row_newest_first(tmp_path: Path) -> None:
    item = a_review()
    workbook = write_and_read(a_report_with(older(item), item), tmp_path)
    top, header, first, second = text_rows(workbook, "검토대기")
    assert top == [WHAT_TO_DO]
    assert "review done 번호" in WHAT_TO_DO
    assert header == list(REVIEW_COLUMNS)
    assert first == [
        *("3", "의약품안전나라 이용약관", "2026-11-30", "항목 변경", "9", "3"),
        *("시행일", "2026-01-05", "2026-12-01"),
        REMOVED,
        ADDED,
        *("열기", "열기", RUN),
    ]
    assert second[:9] == [
        *("2", "의약품안전나라 이용약관", "2026-11-29", "내용 변경", "9", "없음"),
        *("", "", ""),
    ]
    assert cell_of(workbook, 2, "번호").value == 3
    assert cell_of(workbook, 2, "거리").value == 9


def test_links_lead_to_the_file_beside_the_workbook_and_to_the_page(tmp_path: Path) -> None:
    workbook = write_and_read(a_report_with(a_review()), tmp_path)
    assert link_of(cell_of(workbook, 2, "비교 파일")) == diff_name(a_review())
    assert link_of(cell_of(workbook, 2, "원본 페이지")) == PAGE_URL
    summary = cell_rows(workbook, "요약")
    assert "'검토대기'!A1" in {link_of(cell) for row in summary for cell in row}


def test_a_preview_stands_elsewhere_and_names_the_file_instead(tmp_path: Path) -> None:
    report = replace(a_report_with(a_review()), preview_of="20261130T060012-dmf_registry")
    workbook = write_and_read(report, tmp_path)
    header = text_rows(workbook, "검토대기")[2]
    cell = cell_rows(workbook, "검토대기")[3][column_of(header, "비교 파일")]
    assert (cell.value, link_of(cell)) == (diff_name(a_review()), "")


def test_new_values_and_new_text_have_the_colour_of_a_change(tmp_path: Path) -> None:
    workbook = write_and_read(a_report_with(a_review()), tmp_path)
    for label in ("구분", "이후", "새로 생긴 글"):
        assert fill_of(cell_of(workbook, 2, label)) == FILL[Tone.CHANGED][1:]
    for label in ("이전", "없어진 글"):
        assert fill_of(cell_of(workbook, 2, label)) == ""
    assert "검토대기 시트에서는 바뀐 뒤의 값과 새로 생긴 글에 칠합니다." in [
        row[1] for row in text_rows(workbook, "요약") if len(row) > 1
    ]


def test_sentence_and_header_stay_in_view_and_are_printed_on_every_page(tmp_path: Path) -> None:
    sheet = sheet_of(write_and_read(a_report_with(a_review()), tmp_path), "검토대기")
    assert sheet.freeze_panes == "C3"
    assert sheet.print_title_rows == "$1:$2"
    assert sheet.auto_filter.ref == "A2:N3"
    assert [part.center.text for part in (sheet.oddHeader,) if part] == ["사내용"]


def test_nothing_that_the_site_wrote_becomes_a_formula_or_a_link(tmp_path: Path) -> None:
    item = a_review(
        before={"effective_on": FORMULA, BODY: FORMULA},
        after={"effective_on": f"{FORMULA}1", BODY: f"{FORMULA}1"},
    )
    assert item.after_at is not None
    item = replace(item, after_at=replace(item.after_at, url=f"javascript:{FORMULA}"))
    report = a_report_with(item)
    page = replace(report.pages[0], name_ko=FORMULA, labels={"effective_on": FORMULA})
    workbook = write_and_read(replace(report, pages=(page,)), tmp_path)
    rows = [*cell_rows(workbook, "요약"), *cell_rows(workbook, "검토대기")]
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f" or "javascript" in link_of(cell)]
    assert sum(FORMULA in str(cell.value) for cell in cells) >= 6


def test_passages_are_the_first_few_and_shortened_around_what_changed() -> None:
    many = "\n".join(f"제{n}조 이용자는 이 조항에 따른다" for n in range(8))
    item = a_review(before={BODY: TERMS}, after={BODY: f"{TERMS}\n{many}"})
    removed, added = list_passages(item)
    assert removed == ()
    assert added[0] == "+ 제0조 이용자는 이 조항에 따른다"
    assert (len(added), added[-1]) == (6, "외 3곳")
    words = [f"제{n}항" for n in range(100)]
    before, after = (" ".join([*words[:50], what, *words[50:]]) for what in ("허용", "금지"))
    item = a_review(before={BODY: before}, after={BODY: after})
    assert list_passages(item) == (
        ("− … 제46항 제47항 제48항 제49항 허용 제50항 제51항 제52항 제53항 …",),
        ("+ … 제46항 제47항 제48항 제49항 금지 제50항 제51항 제52항 제53항 …",),
    )


def test_a_line_that_only_gained_words_is_not_told_as_gone() -> None:
    before, after = "이용자는 이 약관에 따른다", "이용자는 언제나 이 약관에 따른다"
    item = a_review(before={BODY: before}, after={BODY: after})
    assert list_passages(item) == ((), (f"+ {after}",))


def test_passages_leave_out_what_moves_by_itself_and_turn_no_text_around() -> None:
    item = a_review(
        before={BODY: "조회수 7\n허용한다\n뒤"}, after={BODY: "조회수 8\n허용\u202e하지 않는다\n뒤"}
    )
    item = replace(item, forms={"조회수 7": "", "조회수 8": ""})
    assert list_passages(item) == (("− 허용한다",), ("+ 허용하지 않는다",))
