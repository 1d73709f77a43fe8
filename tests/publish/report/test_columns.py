from __future__ import annotations

from dataclasses import replace

import pytest

from dmf_crawler.publish.report.columns import find_places, identity_columns, lay_out
from tests.publish.builders import COLUMNS, a_board, a_record, a_report


def sheet_names_of(*board_names: str) -> list[str]:
    """Return the names of the record sheets of boards with these names."""
    boards = [
        replace(a_board(), board_id=f"board_{n}", name_ko=name)
        for n, name in enumerate(board_names)
    ]
    return list(find_places(a_report(*boards)).sheet_names.values())


def test_the_first_board_has_the_plain_sheet_name() -> None:
    assert sheet_names_of("DMF 현황", "회수·폐기") == ["전체현황", "전체현황_회수·폐기"]


@pytest.mark.parametrize(
    ("board_name", "sheet_name"),
    [
        ("A/B [C]: D?*\\'", "전체현황_A B  C   D"),
        ("가" * 40, "전체현황_" + "가" * 26),
        ("𠮷" * 40, "전체현황_" + "𠮷" * 13),
        ("\x00\ud800", "전체현황_"),
    ],
)
def test_a_sheet_name_is_made_safe_and_short(board_name: str, sheet_name: str) -> None:
    assert sheet_names_of("DMF", board_name)[1] == sheet_name
    assert len(sheet_name.encode("utf-16-le")) // 2 <= 31


def test_equal_sheet_names_are_told_apart_in_any_case() -> None:
    names = sheet_names_of("DMF", "x" * 30, "X" * 31, "x" * 32)
    assert names[1:] == [
        "전체현황_" + "x" * 26,
        "전체현황_" + "X" * 23 + "(2)",
        "전체현황_" + "x" * 23 + "(3)",
    ]


def test_a_record_stands_below_the_header_in_list_order() -> None:
    places = find_places(a_report(a_board(records=[a_record("A"), a_record("B")])))
    assert places.link_to("dmf_registry", "A") == "internal:'전체현황'!A2"
    assert places.link_to("dmf_registry", "B") == "internal:'전체현황'!A3"
    assert places.link_to("dmf_registry", "C") == ""


def test_the_plain_ones_of_the_three_columns_after_the_number_identify_a_record() -> None:
    assert [column.label_ko for column in identity_columns(a_board())] == ["성분명", "신청인"]
    last = replace(a_board(), columns=COLUMNS[2:] + COLUMNS[1:2])
    assert identity_columns(last) == ()


def test_boards_with_other_headers_share_one_table() -> None:
    other = replace(a_board(), board_id="other", columns=COLUMNS[1:4], name_ko="다른 목록")
    layout = lay_out(a_report(a_board(), other), identity_columns)
    assert layout.header == ["게시판", "등록번호", "성분명", "신청인"]
    assert len(layout.widths) == len(layout.header)


def test_boards_that_name_their_number_differently_share_the_general_word() -> None:
    columns = tuple(
        replace(column, label_ko="허가번호") if column.field == "reg_no" else column
        for column in COLUMNS
    )
    other = replace(a_board(), board_id="other", columns=columns)
    assert lay_out(a_report(a_board(), other), identity_columns).key_label == "번호"
    assert lay_out(a_report(other), identity_columns).key_label == "허가번호"
