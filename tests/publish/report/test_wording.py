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
