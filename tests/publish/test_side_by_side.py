from __future__ import annotations

from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.publish.side_by_side import (
    MOST_LINE_CHARACTERS,
    Line,
    Row,
    lay_side_by_side,
    mark_words,
)
from tests.publish.page_builders import CLAUSE, TERMS, changed_terms

texts = st.lists(
    st.sampled_from(["가나", "가 나 다", "1. 2026년", "", "허용한다.", " ", "x" * 700])
).map("\n".join)


def joined(lines: list[Line]) -> str:
    """Return the text that lines were made of; pieces of one line have one number."""
    pieces: dict[int, str] = {}
    for line in lines:
        pieces[line.number] = pieces.get(line.number, "") + line.text
    assert [line.number for line in lines] == sorted(line.number for line in lines)
    return "\n".join(pieces.values())


def marked(row: Row) -> tuple[str, str]:
    """Return a row's two lines with what changed in brackets."""
    sides = []
    for line in (row.before, row.after):
        parts = line.parts if line else ()
        sides.append("".join(f"[{part.text}]" if part.is_changed else part.text for part in parts))
    return sides[0], sides[1]


@given(texts, texts)
def test_every_character_of_both_texts_stands_in_its_line_and_in_order(before, after):
    rows = lay_side_by_side(before, after)
    assert joined([row.before for row in rows if row.before]) == before
    assert joined([row.after for row in rows if row.after]) == after


@given(texts, texts)
def test_an_unchanged_row_has_the_same_line_twice_and_a_changed_one_has_not(before, after):
    for row in lay_side_by_side(before, after):
        both = (row.before and row.before.text, row.after and row.after.text)
        assert row.is_changed is (both[0] != both[1])


@given(texts)
def test_a_text_beside_itself_has_no_change(text):
    assert not any(row.is_changed for row in lay_side_by_side(text, text))


def test_a_negation_a_clause_and_dates_are_found_and_nothing_else():
    changed = [marked(row) for row in lay_side_by_side(TERMS, changed_terms()) if row.is_changed]
    assert changed == [
        (
            "2. 처는 약관을 변경할 때 시행일 [7]일 전부터 누리집에 알린다.",
            "2. 처는 약관을 변경할 때 시행일 [30]일 전부터 누리집에 알린다.",
        ),
        (
            "2. 자동화된 수단으로 자료를 수집하는 것은 [허용한다].",
            "2. 자동화된 수단으로 자료를 수집하는 것은 [허용하지 아니한다].",
        ),
        ("", f"[{CLAUSE}]"),
        (
            "이 약관은 2026년 [1]월 [5]일부터 시행한다.",
            "이 약관은 2026년 [12]월 [1]일부터 시행한다.",
        ),
    ]


def test_a_date_is_one_word():
    assert mark_words("시행 2026-01-05.", "시행 2026-12-05.")[1][1].text == "2026-12-05"


def test_lines_that_differ_in_what_moves_by_itself_are_noise_and_others_are_not():
    before, after = "조회 1,021\n07:21\n제1조 시행 7일", "조회 1,042\n제1조 시행 30일"
    forms = {"조회 1,021": "", "조회 1,042": "", "07:21": "", "제1조 시행 7일": "제1조 시행 7일"}
    rows = lay_side_by_side(before, after, forms | {"제1조 시행 30일": "제1조 시행 30일"})
    assert [(marked(row)[0], row.is_noise) for row in rows] == [
        ("조회 [1,021]", True),
        ("[07:21]", True),
        ("제1조 시행 [7]일", False),
    ]
    unknown = lay_side_by_side(before, after)
    assert [row.is_news for row in unknown] == [True, True, True]


def test_a_very_long_line_is_broken_at_its_sentences_so_that_one_that_changed_is_found():
    sentences = [f"제{n}문장은 여기에서 이렇게 끝난다. " for n in range(200)]
    before = "".join(sentences)
    after = before.replace("제77문장은", "제77문장도")
    changed = [row for row in lay_side_by_side(before, after) if row.is_changed]
    assert [marked(row) for row in changed] == [
        ("제77[문장은] 여기에서 이렇게 끝난다. ", "제77[문장도] 여기에서 이렇게 끝난다. ")
    ]
    one_word = lay_side_by_side("가" * 5_000, "나" * 5_000)
    lengths = [len(row.before.text) for row in one_word if row.before]
    assert max(lengths) == MOST_LINE_CHARACTERS


def test_what_stays_between_very_many_changes_is_unchanged_all_the_same():
    """Too many to be aligned line by line: they are paired by what they have in common."""
    before = [f"제{n}조 이용자는 이 조항에 따른다" for n in range(400)]
    after = [
        line.replace("따른다", "따라야 한다") if n % 4 else line for n, line in enumerate(before)
    ]
    rows = lay_side_by_side("\n".join(before), "\n".join(after))
    assert [row.is_changed for row in rows] == [bool(n % 4) for n in range(400)]


def test_texts_that_have_nothing_in_common_are_laid_out_in_bounded_time():
    """A full comparison of so many lines would take minutes."""
    before = "\n".join(f"{n} 가 {n % 7}" for n in range(3_000))
    after = "\n".join(f"{n} 나 {n % 5}" for n in range(3_000, 6_000))
    started = perf_counter()
    assert len(lay_side_by_side(before, after)) == 6_000
    assert perf_counter() - started < 30
