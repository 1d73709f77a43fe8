from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler import alignment
from dmf_crawler.alignment import align, align_by_weight
from dmf_crawler.model.detail import split_file, tell_file
from dmf_crawler.model.record import FieldKind, Value
from dmf_crawler.pieces import Piece, PieceKind, changed_pieces
from dmf_crawler.text import canonical, list_values

WORDS = [
    "가나제약",
    "(주)",
    "㈜",
    "2026-09-22",
    "10",
    "mg",
    "이상",
    "이하",
    "하고",
    "Hetero",
    "Labs",
    ",",
    ".",
    "\n",
    "-",
    "취하",
]
texts = st.lists(st.sampled_from([*WORDS, " ", "  ", "\n"]), max_size=12).map("".join)
makers = st.lists(st.sampled_from(["가", "나", "㈜ 다", "(주)다", "", "가 1"]), max_size=7).map(
    tuple
)
names = st.sampled_from(["공고.hwp", "공 고.hwp", "붙임.pdf", "붙임 (2).pdf"])
files = st.lists(
    st.one_of(
        st.builds(tell_file, names, sha256=st.sampled_from(["0" * 64, "a" * 64, "b" * 64])),
        st.builds(tell_file, names, code=st.sampled_from(["http_404", "oversize"])),
        names,
    ),
    max_size=6,
).map(tuple)
kinds = st.sampled_from(FieldKind)


def put_into_text(before: str, pieces: Sequence[Piece]) -> str:
    """Return a text with its pieces put in; each must stand where it says."""
    after, end = "", 0
    for piece in pieces:
        assert piece.at_before is not None
        after += before[end : piece.at_before]
        assert len(after) == piece.at_after
        assert before[piece.at_before :].startswith(piece.before)
        after += piece.after
        end = piece.at_before + len(piece.before)
    return after + before[end:]


def put_into_list(before: Sequence[str], pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return a list with its pieces put in: all that went, taken out, then what came, in order."""
    for piece in pieces:
        assert piece.at_before is None or before[piece.at_before] == piece.before
        if piece.parts:
            assert put_into_text(piece.before, piece.parts) == piece.after
    gone = {piece.at_before for piece in pieces}
    after = [value for place, value in enumerate(before) if place not in gone]
    for piece in pieces:
        if piece.at_after is not None:
            after.insert(piece.at_after, piece.after)
    return tuple(after)


def tell(before: Value | None, after: Value | None, kind: FieldKind = FieldKind.LIST):
    """Return kind, text before and text after of each piece."""
    return [
        (str(piece.kind), piece.before, piece.after)
        for piece in changed_pieces(before, after, kind)
    ]


# --- laws ----------------------------------------------------------------------------------------


@given(texts, texts, kinds.filter(lambda kind: kind is not FieldKind.ATTACHMENTS))
def test_the_pieces_of_a_text_put_into_it_give_the_text_after(before, after, kind):
    pieces = changed_pieces(before, after, kind)

    assert put_into_text(before, pieces) == after
    assert bool(pieces) == (before != after)


@given(makers, makers, kinds)
def test_the_pieces_of_a_list_put_into_it_give_the_list_after(before, after, kind):
    pieces = changed_pieces(before, after, kind)

    assert put_into_list(before, pieces) == after
    assert bool(pieces) == (before != after)


@given(files, files)
def test_the_pieces_of_files_put_into_them_give_the_files_after(before, after):
    assert put_into_list(before, changed_pieces(before, after, FieldKind.ATTACHMENTS)) == after


@given(texts, texts)
def test_pieces_are_typed_differently_alone_just_where_the_whole_text_is(before, after):
    pieces = changed_pieces(before, after, FieldKind.TEXT)
    is_respelled = all(piece.kind is PieceKind.RESPELLED for piece in pieces)

    assert is_respelled == (canonical(before) == canonical(after))


@given(makers, makers)
def test_every_value_that_a_list_lost_or_gained_is_told_once(before, after):
    pieces = changed_pieces(before, after, FieldKind.LIST)

    n_gone = sum(each.kind is PieceKind.REMOVED for each in pieces)
    n_come = sum(each.kind is PieceKind.ADDED for each in pieces)
    assert len(after) == len(before) + n_come - n_gone
    places = [each.at_after for each in pieces if each.at_after is not None]
    assert len(set(places)) == len(places)


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_as_many_equal_elements_as_possible_are_paired(old, new):
    pairs = align(old, new)

    assert pairs is not None
    assert pairs == sorted(pairs)
    assert all(old[i] == new[j] for i, j in pairs)
    by_weight = align_by_weight(len(old), len(new), lambda i, j: old[i] == new[j])
    assert by_weight is not None
    assert len(pairs) == len(by_weight)


# --- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (("가", "나"), ("가", "나", "다"), [("added", "", "다")]),
        (("가", "나", "다"), ("가", "다"), [("removed", "나", "")]),
        (("가", "나"), ("나", "가"), [("moved", "가", "가")]),
        (("가", "나"), ("가", "다"), [("replaced", "나", "다")]),
        (("가", "나"), ("다", "라"), [("replaced", "가", "다"), ("replaced", "나", "라")]),
        (("㈜가", "나"), ("(주) 가", "나"), [("respelled", "㈜가", "(주) 가")]),
        (("인도",), ("인도", "인도"), [("added", "", "인도")]),
        (("인도", "인도", "인도"), ("인도",), [("removed", "인도", ""), ("removed", "인도", "")]),
        (("㈜가", "(주)가"), ("(주)가",), [("removed", "㈜가", "")]),
        (
            ("Hetero Labs Unit-I", "나"),
            ("Hetero Labs Unit-II", "다", "나"),
            [("replaced", "Hetero Labs Unit-I", "Hetero Labs Unit-II"), ("added", "", "다")],
        ),
        (("가", "나", "다"), ("다", "라", "가"), [("replaced", "나", "라"), ("moved", "가", "가")]),
        (None, ("가",), [("added", "", "가")]),
        ("가", ("가", "나"), [("added", "", "나")]),
        ("", (), []),
    ],
)  # fmt: skip
def test_a_list_tells_which_value_came_went_moved_or_was_replaced(before, after, told):
    assert tell(before, after) == told


def test_a_replaced_value_tells_its_differing_part():
    (piece,) = changed_pieces(("가나(팔탄공장)",), ("가나(평택공장)",), FieldKind.LIST)

    assert piece.parts == (Piece(PieceKind.REPLACED, "팔탄공장", "평택공장", 3, 3),)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("10 mg 이상", "10 mg 이하", [("replaced", "이상", "이하")]),
        ("2026-09-22 시행", "2026-09-23 시행", [("replaced", "2026-09-22", "2026-09-23")]),
        ("가 나", "가 나 다", [("added", "", " 다")]),
        ("가 나 다 라", "가 라", [("removed", "나 다 ", "")]),
        ("옛 글 하나를 둔다", "새 말 하나를 둔다", [("replaced", "옛 글", "새 말")]),
        ("1 23", "12 3", [("replaced", "1 23", "12 3")]),
        ("가  나", "가 나", [("respelled", "  ", " ")]),
        ("변경. 나 10", "변경 나 20", [("removed", ".", ""), ("replaced", "10", "20")]),
        ("나.\n\n사", "나\n\n사", [("removed", ".", "")]),
        ("나.\n\n사 1", "나\n\n사 2", [("removed", ".", ""), ("replaced", "1", "2")]),
        ("한미(주)", "㈜한미", [("respelled", "", "㈜"), ("respelled", "(주)", "")]),
        (None, "가", [("added", "", "가")]),
    ],
)
def test_a_text_tells_the_words_that_differ(before, after, told):
    assert tell(before, after, FieldKind.TEXT) == told


def test_a_date_is_told_whole():
    assert tell("2026. 9. 22", "2026. 9. 23", FieldKind.DATE) == [
        ("replaced", "2026. 9. 22", "2026. 9. 23")
    ]


def test_files_tell_what_was_added_removed_replaced_and_renamed():
    before = (
        tell_file("공고.hwp", sha256="a" * 64),
        tell_file("옛이름.pdf", sha256="b" * 64),
        tell_file("삭제.pdf", sha256="c" * 64),
        tell_file("막힘.pdf", code="robots_disallowed"),
    )
    after = (
        tell_file("새이름.pdf", sha256="b" * 64),
        tell_file("공고.hwp", sha256="d" * 64),
        tell_file("추가.pdf", sha256="e" * 64),
        tell_file("막힘.pdf", sha256="f" * 64),
    )

    assert tell(before, after, FieldKind.ATTACHMENTS) == [
        ("renamed", before[1], after[0]),
        ("replaced", before[0], after[1]),
        ("removed", before[2], ""),
        ("added", "", after[2]),
        ("replaced", before[3], after[3]),
    ]


def test_a_file_at_another_place_of_its_page_is_moved():
    files = tuple(tell_file(name, sha256=name * 64) for name in "ab")

    assert tell(files, files[::-1], FieldKind.ATTACHMENTS) == [("moved", files[0], files[0])]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("공고 (1).hwp (sha256:0123456789abcdef)", ("공고 (1).hwp", "0123456789abcdef", "")),
        ("공고.hwp (http_404)", ("공고.hwp", "", "http_404")),
        ("공고.hwp", ("공고.hwp", "", "")),
        ("", ("", "", "")),
    ],
)
def test_what_a_record_says_of_a_file_is_taken_apart(text, parts):
    assert split_file(text) == parts


# --- bounds --------------------------------------------------------------------------------------


def test_one_word_of_a_million_characters_is_found():
    long = "무균 원료로서 10 mg 이상을 충전한다.\n" * 45_000
    after = long[:500_000] + "취하 " + long[500_000:]

    pieces = changed_pieces(long, after, FieldKind.TEXT)

    assert len(pieces) == 1
    assert put_into_text(long, pieces) == after


def test_too_many_differing_words_are_told_as_lines_and_too_many_lines_as_one_piece(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_EDITS", 4)
    before = "가 나 다\n같은 줄\n라 마 바"

    in_lines = changed_pieces(before, "사 아 자\n같은 줄\n차 카 타", FieldKind.TEXT)
    whole = changed_pieces(before, "사 아\n자\n다른 줄\n차 카\n타 바", FieldKind.TEXT)

    assert [piece.before for piece in in_lines] == ["가 나 다\n", "라 마 바"]
    assert [piece.before for piece in whole] == ["가 나 다\n같은 줄\n라 마"]


def test_a_text_that_would_cost_too_many_steps_is_told_whole(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_STEPS", 1_000)
    before, after = "가" + "나 " * 2_000 + "가", "다" + "나 " * 1_990 + "다"

    (piece,) = changed_pieces(before, after, FieldKind.TEXT)

    assert (piece.before, piece.after) == (before, after)


def test_a_list_too_long_to_be_aligned_is_compared_place_by_place():
    before = tuple(f"{n} 제조소" for n in range(600))
    after = ("처음", *before[:-1])  # aligned, it would be one that came and one that went

    pieces = changed_pieces(before, after, FieldKind.LIST)

    assert put_into_list(before, pieces) == after
    assert sum(piece.kind is PieceKind.MOVED for piece in pieces) == 599


def test_values_of_a_text_are_one_and_of_nothing_none():
    assert (list_values("가"), list_values(""), list_values(None), list_values(("", "가"))) == (
        ("가",),
        (),
        (),
        ("", "가"),
    )
