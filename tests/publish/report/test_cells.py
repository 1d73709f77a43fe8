from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZipFile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.cell import Cell as ReadCell
from xlsxwriter.workbook import Workbook

from dmf_crawler.errors import StoredDataError
from dmf_crawler.publish.report.cell_text import (
    MAX_CELL_UNITS,
    clean_text,
    count_lines,
    display_width,
    fit_width,
    is_safe_link,
)
from dmf_crawler.publish.report.cells import (
    MAX_LINKS,
    Cell,
    Role,
    Sheet,
    add_formats,
)
from dmf_crawler.publish.report.workbook import OPTIONS
from tests.publish.report.reading import cell_rows, link_of, text_of

HOSTILE = [
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    "@SUM(A1:A9)",
    "+1",
    "-1",
    "\tTAB first",
    "{=SUM(A1)}",
    "007",
    "2026-11-30",
    "1E5",
    "TRUE",
    "http://evil.example/",
    "internal:'요약'!A1",
    "mailto:someone@evil.example",
    "\u202eright to left\u202c \u200f",
    "_x000D_ and _x0041_",
    "<r><t>markup</t></r>",
    "<r></r>",
    "</t></is></c>",
    "&amp; & < > \" '",
    "'quoted",
    "  blanks around  ",
    "첫 줄\n둘째 줄",
    "#REF!",
    "[미분화공정] Biochemiestraße → 10²°·Ⅲ 𠮷",
]


def write_rows(rows: Sequence[Sequence[Cell]]) -> list[list[ReadCell]]:
    """Write rows into one sheet and read them back."""
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        sheet = Sheet(workbook.add_worksheet("시험"), add_formats(workbook))
        sheet.set_widths([20.0] * max(len(row) for row in rows))
        for row in rows:
            sheet.write_row(row)
    return cell_rows(openpyxl.load_workbook(buffer), "시험")


@pytest.mark.parametrize("text", HOSTILE)
def test_what_the_site_writes_comes_back_as_the_same_text(text: str) -> None:
    linked = Cell(text, link="internal:'시험'!A1")
    [[plain, with_link]] = write_rows([[Cell(text), linked]])
    assert text_of(plain) == text
    assert text_of(with_link) == text
    assert plain.data_type == with_link.data_type == "s"
    assert link_of(plain) == ""
    assert link_of(with_link) == "'시험'!A1"


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="_<")), min_size=1))
def test_any_text_comes_back_as_its_clean_form(texts: list[str]) -> None:
    rows = write_rows([[Cell(text), Cell("끝")] for text in texts])
    assert [text_of(row[0]) for row in rows] == [clean_text(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\x00b\x0bc\x1fd\x7fe\x85f", "abcdef"),
        ("a\ud800b\udfffc", "abc"),
        ("a\ufffeb\uffffc", "abc"),
        ("a\tb", "a\tb"),
    ],
)
def test_what_no_cell_can_hold_is_dropped(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@pytest.mark.parametrize("text", ["가" * 40_000, "𠮷" * 20_000, "가" * (MAX_CELL_UNITS + 1)])
def test_text_beyond_the_limit_is_cut_with_a_note(text: str) -> None:
    cut = clean_text(text)
    assert len(cut.encode("utf-16-le")) // 2 <= MAX_CELL_UNITS
    kept, note = cut.split("\n")
    assert text.startswith(kept)
    assert note == f"[이하 생략: 전체 {len(text):,}자]"
    [[cell]] = write_rows([[Cell(text)]])
    assert cell.value == cut


def test_text_at_the_limit_is_left_whole() -> None:
    assert clean_text("가" * MAX_CELL_UNITS) == "가" * MAX_CELL_UNITS


def test_numbers_are_numbers_and_what_is_not_finite_is_text() -> None:
    values = (12_003, 0.25, float("inf"), float("nan"))
    [cells] = write_rows([[Cell(value) for value in values]])
    assert [cell.value for cell in cells] == [12_003, 0.25, "inf", "nan"]
    assert [cell.data_type for cell in cells] == ["n", "n", "s", "s"]
    assert [cell.number_format for cell in cells[:2]] == ["#,##0_)", "#,##0.0###_)"]


@pytest.mark.parametrize("value", [None, "", "\x00"])
def test_an_empty_cell_keeps_its_look_and_holds_nothing(value: str | None) -> None:
    [[cell, _]] = write_rows([[Cell(value, link="internal:'시험'!A1"), Cell("x")]])
    assert cell.value is None
    assert link_of(cell) == ""
    assert cell.border.left.style == "thin"


@pytest.mark.parametrize(
    ("link", "is_safe"),
    [
        ("internal:'전체현황'!A15", True),
        ("https://nedrug.mfds.go.kr/pbp/CCBAC03/getList?page=3&limit=100", True),
        ("http://127.0.0.1:8000/", True),
        ("", False),
        ("external:C:\\Windows\\System32\\calc.exe", False),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("ms-excel:ofe|u|http://evil.example/a.xls", False),
        ("mailto:a@b", False),
        ("https://nedrug.mfds.go.kr/a b", False),
        ("https://nedrug.mfds.go.kr/\n", False),
        ("https://a/" + "x" * 2_069, True),
        ("https://a/" + "x" * 2_070, False),
    ],
)
def test_only_a_web_page_or_a_place_in_this_workbook_is_linked(link: str, is_safe: bool) -> None:
    assert is_safe_link(link) is is_safe
    [[cell]] = write_rows([[Cell("글", link=link)]])
    assert cell.value == "글"
    assert bool(link_of(cell)) is is_safe


def test_past_the_most_links_that_excel_takes_the_text_stays() -> None:
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        sheet = Sheet(workbook.add_worksheet("시험"), add_formats(workbook))
        for _ in range(MAX_LINKS + 2):
            sheet.write_row([Cell("글", link="internal:'시험'!A1")])
    with ZipFile(buffer) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode("utf-8")
    assert xml.count("<hyperlink ") == MAX_LINKS
    assert xml.count("<t>글</t>") == MAX_LINKS + 2


def test_a_cell_that_would_silently_be_missing_is_an_error() -> None:
    """XlsxWriter answers -1 for a column that Excel does not have, and goes on."""
    with pytest.raises(StoredDataError) as caught:
        write_rows([[Cell("x")] * 16_385])
    assert caught.value.code == "report_not_written"
    assert "시험 시트 1행 16385열" in caught.value.message


def test_a_row_is_as_high_as_its_longest_cell_needs() -> None:
    buffer = BytesIO()
    with Workbook(buffer, OPTIONS) as workbook:
        sheet = Sheet(workbook.add_worksheet("시험"), add_formats(workbook))
        sheet.set_widths([10.0, 40.0])
        sheet.write_row([Cell("짧음"), Cell("x")])
        sheet.write_row([Cell("한 줄\n두 줄\n세 줄"), Cell("x")])
        sheet.write_row([Cell("아주 긴 글은 높이를 바꾸지 않습니다", Role.MESSAGE)])
        sheet.write_row([Cell("가" * 5_000), Cell("x")])
        sheet.write_row([Cell("가" * 5_000, Role.PROSE), Cell("x")])
        sheet.write_row([Cell("가\n나", Role.PROSE), Cell("x")])
    heights = openpyxl.load_workbook(buffer)["시험"].row_dimensions
    assert [heights[row].height for row in range(1, 7)] == [
        *(None, 43.5, None, 408.75),
        *(84.0, 30.0),
    ]


def test_widths_count_hangul_twice() -> None:
    assert display_width("abc\n가나다") == 6.0
    assert display_width("a\ud800") == 3.0
    assert count_lines("가" * 5, 10.0) == 1
    assert count_lines("가" * 6, 10.0) == 2
    assert count_lines("가\n\n나", 10.0) == 3


def test_a_column_fits_nine_in_ten_values_between_its_bounds() -> None:
    assert fit_width("구분", [], most=30.0) == 8.0
    assert fit_width("구분", ["x" * 10] * 9 + ["x" * 90], most=30.0) == 12.0
    assert fit_width("구분", ["x" * 90], most=30.0) == 30.0
    assert fit_width("최종연차보고년도", ["2026"], most=30.0) == 12.0
