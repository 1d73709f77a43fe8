from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

import pytest

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.record import Value
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Outcome
from dmf_crawler.publish.report.wording import (
    EVENT_WORDS,
    GRADE_WORDS,
    OUTCOME_WORDS,
    REASON_WORDS,
    STATUS_WORDS,
    describe_changes,
    label_of,
    shorten_change,
    show_grade,
    show_moment,
    show_reason,
    show_value,
)
from tests.publish.builders import COLUMNS, a_change


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (GRADE_WORDS, Grade),
        (EVENT_WORDS, EventType),
        (REASON_WORDS, Reason),
        (OUTCOME_WORDS, Outcome),
        (STATUS_WORDS, RunStatus),
    ],
)
def test_every_kind_has_a_word_of_its_own(
    words: Mapping[StrEnum, str], kind: type[StrEnum]
) -> None:
    assert set(words) == set(kind)
    assert len(set(words.values())) == len(words)


@pytest.mark.parametrize(
    ("value", "shown"),
    [("값", "값"), (("a", "b", "a"), "a\nb\na"), ((), ""), (None, ""), ("", "")],
)
def test_nested_values_stand_one_a_line_in_order(value: Value | None, shown: str) -> None:
    assert show_value(value) == shown


def test_a_change_reads_as_one_line_a_field() -> None:
    changes = [
        a_change("company", "삼오제약", "국전약품"),
        a_change("maker", ("A\r\nB ", "C"), ()),
        a_change("gone_field", None, "새 값"),
    ]
    assert describe_changes(changes, COLUMNS).split("\n") == [
        "신청인: 삼오제약 → 국전약품",
        "제조소명: A B / C → (빈 값)",
        "gone_field: (빈 값) → 새 값",
    ]


LONG = "".join(f"제{n}조 본문입니다. " for n in range(300))


def test_of_a_long_text_the_part_that_changed_is_shown_with_its_surroundings() -> None:
    after = LONG.replace("제150조", "제150조의2")
    assert shorten_change(a_change("body", LONG, after)) == (
        f"… {around('제150조 본문', LONG)} … [전체 {len(LONG):,}자]",
        f"… {around('제150조의2 본문', after)} … [전체 {len(after):,}자]",
    )


def around(part: str, text: str) -> str:
    """Return the difference, which stands before the blank of the part, with 40 on each side."""
    start, end = LONG.index("제150조") + len("제150조"), text.index(part) + part.index(" ")
    return text[start - 40 : end + 40].strip()


def test_a_long_text_that_changed_all_over_is_shown_from_its_first_difference() -> None:
    before, after = shorten_change(a_change("body", "가" * 5_000, "가" * 100 + "나" * 4_000))
    assert before == f"… {'가' * 400} … [전체 5,000자, 다른 곳 4,900자 중 앞부분]"
    assert after == f"… {'가' * 40}{'나' * 360} … [전체 4,100자, 다른 곳 4,000자 중 앞부분]"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("가" * 600, "나" * 600, ("가" * 600, "나" * 600)),
        ("", "나" * 601, ("", f"{'나' * 400} … [전체 601자, 다른 곳 601자 중 앞부분]")),
        (None, "나" * 601, ("", f"{'나' * 400} … [전체 601자, 다른 곳 601자 중 앞부분]")),
        ("가" * 601, "가" * 600, (f"… {'가' * 41} [전체 601자]", f"… {'가' * 40} [전체 600자]")),
        (
            "끝" + "가" * 600,
            "가" * 600,
            (f"끝{'가' * 40} … [전체 601자]", f"{'가' * 40} … [전체 600자]"),
        ),
        (("가" * 700,), ("나",), (("가" * 700,), ("나",))),
        (None, ("나" * 700,), (None, ("나" * 700,))),
    ],
)
def test_short_texts_and_lists_stay_whole_and_long_ones_are_cut_where_nothing_differs(
    before: Value | None, after: Value | None, shown: tuple[Value | None, Value | None]
) -> None:
    assert shorten_change(a_change("body", before, after)) == shown


def test_a_long_change_is_described_on_one_line() -> None:
    text = describe_changes([a_change("company", LONG, LONG + "끝")], COLUMNS)
    assert text.startswith("신청인: … ")
    assert text.endswith(f"끝 [전체 {len(LONG) + 1:,}자]")
    assert len(text) < 200


def test_a_value_cannot_turn_our_words_around() -> None:
    """Bidirectional overrides and isolates are dropped inside a sentence, never in a cell."""
    assert describe_changes([a_change("company", "\u202eabc", "\u2067d")], COLUMNS) == (
        "신청인: abc → d"
    )
    assert show_value("\u202eabc") == "\u202eabc"


def test_a_field_without_a_column_is_shown_by_its_id() -> None:
    assert label_of("company", COLUMNS) == "신청인"
    assert label_of("gone_field", COLUMNS) == "gone_field"


def test_moments_are_shown_in_korean_time() -> None:
    assert show_moment(datetime(2026, 11, 29, 21, 0, 12, tzinfo=UTC)) == "2026-11-30 06:00:12"
    assert show_moment(None) == ""


def test_no_reason_and_no_grade_are_shown_as_nothing() -> None:
    assert (show_reason(None), show_grade(None)) == ("", "")
    assert (show_reason(Reason.DELISTED), show_grade(Grade.MAJOR)) == ("목록에서 제외", "대폭")
