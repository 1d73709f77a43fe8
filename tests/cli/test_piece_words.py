"""Pieces of a change as a person reads them."""

from __future__ import annotations

from datetime import date

import pytest

from dmf_crawler.cli.piece_words import MOST_SHOWN_PIECES, change_json, describe_pieces
from dmf_crawler.model.change import FieldChange, Grade
from dmf_crawler.model.detail import tell_file
from dmf_crawler.model.record import FieldKind, Value
from dmf_crawler.model.report import ChangedBack

LONG = (
    "무균 원료로서 미분화 공정을 거쳐 충전하는 것으로 하며 차광하여 보관하고 쓴다. " * 2
    + "10 mg 이상"
)


def a_change(before: Value | None, after: Value | None, kind: FieldKind) -> FieldChange:
    return FieldChange("f", before, after, kind, Grade.SUBSTANTIVE)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (("가", "나"), ("나", "가", "다"), ["1번째 -> 2번째 자리 옮김: '가'", "3번째 추가: '다'"]),
        (("가", "나"), ("나",), ["1번째 삭제: '가'"]),
        (
            ("㈜가",),
            ("(주)가",),
            ["1번째 표기만 바뀜: '㈜가' -> '(주)가' (다른 부분: '㈜' -> '(주)')"],
        ),
        (("가\x1b",), ("나",), [r"1번째 바뀜: '가\x1b' -> '나'"]),
        (
            ("Hetero, Unit-I", "나"),
            ("Hetero, Unit-II", "나"),
            ["1번째 바뀜: 'Hetero, Unit-I' -> 'Hetero, Unit-II' (다른 부분: 'I' -> 'II')"],
        ),
    ],
)
def test_a_list_says_which_value_changed_how(before, after, lines):
    assert describe_pieces(a_change(before, after, FieldKind.LIST)) == lines


def test_a_long_text_says_which_words_changed_and_a_short_one_needs_no_pieces():
    after = LONG.replace("이상", "이하")

    assert describe_pieces(a_change(LONG, after, FieldKind.TEXT)) == [
        f"{len(LONG) - 1}자째 바뀜: '이상' -> '이하'"
    ]
    assert describe_pieces(a_change("10 mg 이상", "10 mg 이하", FieldKind.TEXT)) == []


def test_files_are_named_and_told_apart_by_their_digests():
    before = (tell_file("공고.hwp", sha256="a" * 64), tell_file("옛.pdf", sha256="b" * 64), "x")
    after = (tell_file("공고.hwp", sha256="c" * 64), tell_file("새.pdf", sha256="b" * 64))

    assert describe_pieces(a_change(before, after, FieldKind.ATTACHMENTS)) == [
        f"내용 바뀜: '공고.hwp' ({'a' * 16} -> {'c' * 16})",
        "이름 바뀜: '옛.pdf' -> '새.pdf'",
        "삭제: 'x'",
    ]


def test_of_many_pieces_and_of_a_long_one_the_beginning_is_told():
    before = tuple(f"{n} 제조소" for n in range(MOST_SHOWN_PIECES + 5))
    lines = describe_pieces(a_change(before, ("가" * 200,), FieldKind.LIST))

    assert len(lines) == MOST_SHOWN_PIECES + 1
    assert lines[-1] == "외 6곳"
    assert f"1번째 추가: '{'가' * 80}'… [전체 200자]" in lines


def test_in_json_a_change_has_its_pieces_and_what_it_changed_back():
    change = a_change(("가", "나1"), ("가", "나2"), FieldKind.LIST)

    assert change_json(change, ChangedBack(date(2026, 12, 1), 3)) == {
        "field": "f",
        "before": ("가", "나1"),
        "after": ("가", "나2"),
        "kind": "list",
        "grade": "substantive",
        "pieces": [
            {
                "kind": "replaced",
                "before": "나1",
                "after": "나2",
                "at_before": 1,
                "at_after": 1,
                "parts": (
                    {
                        "kind": "replaced",
                        "before": "1",
                        "after": "2",
                        "at_before": 1,
                        "at_after": 1,
                        "parts": (),
                    },
                ),
            }
        ],
        "changed_back": {"on": "2026-12-01", "days_ago": 3},
    }
    assert change_json(change, None)["changed_back"] is None
