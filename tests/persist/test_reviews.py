from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from dmf_crawler.errors import UsageError
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.watched_page import Movement, PageState
from dmf_crawler.persist.reviews import (
    all_reviews,
    finish_review,
    reviews_of_day,
    waiting_reviews,
)
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import moment
from tests.persist.page_days import BOARD, PAGE_URL, PageDiary, live_five_days

DONE_AT = moment(5, hour=10)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        live_five_days(opened)
        yield opened


def test_changes_of_text_and_fields_wait_and_nothing_else_does(store: Store):
    second, first = waiting_reviews(store)
    assert (first.movement, first.day) == (Movement.CONTENT, date(2026, 12, 2))
    assert (second.movement, second.day) == (Movement.FIELD, date(2026, 12, 4))
    assert (first.distance, first.threshold, first.why) == (9, 3, "글이 달라졌습니다.")
    assert first.is_terms
    assert (first.done_at, first.note) == (None, "")


def test_both_states_are_those_that_the_history_kept(store: Store):
    """Noise between them is none: the state before is the one that stood in the history."""
    second, first = waiting_reviews(store)
    assert first.before == {"effective_on": "2026-01-05", BODY: "제1조\n조회 1"}
    assert first.after == {"effective_on": "2026-01-05", BODY: "제1조\n제2조\n조회 3"}
    assert second.before == first.after
    assert second.after["effective_on"] == "2026-12-01"
    run_id = f"20261130T060000-{BOARD}"
    assert first.before_at == PageState(
        run_id,
        date(2026, 11, 30),
        date(2026, 12, 1),
        PAGE_URL,
        "00" * 32,
        f"raw/2026-11-30/{BOARD}/{run_id}",
    )
    assert first.after_at is not None
    assert (first.after_at.run_id, first.after_at.source) == (first.run_id, "02" * 32)


def test_later_changes_leave_what_an_earlier_one_shows(store: Store):
    _, before = waiting_reviews(store)
    PageDiary(store).read(6, "딴 글", Movement.CONTENT)
    assert waiting_reviews(store)[-1] == before


def test_they_are_found_by_board_by_day_and_up_to_a_day(store: Store):
    PageDiary(store, "other_page").read(2, "가", Movement.FIRST, distance=None)
    PageDiary(store, "other_page").read(3, "나", Movement.CONTENT)
    assert [item.board_id for item in waiting_reviews(store)] == ["other_page", BOARD, BOARD]
    assert len(waiting_reviews(store, BOARD)) == 2
    assert [item.day.day for item in waiting_reviews(store, BOARD, until=date(2026, 12, 3))] == [2]
    assert [item.day.day for item in reviews_of_day(store, BOARD, date(2026, 12, 4))] == [4]
    assert reviews_of_day(store, BOARD, date(2026, 12, 3)) == ()


def test_what_somebody_has_looked_at_no_longer_waits(store: Store):
    second, first = waiting_reviews(store)
    done = finish_review(store, first.review_id, "확인함", DONE_AT)
    assert (done.done_at, done.note) == (DONE_AT, "확인함")
    assert waiting_reviews(store) == (second,)
    assert all_reviews(store) == (second, done)
    assert reviews_of_day(store, BOARD, first.day) == (done,)
    assert all(check.ok for check in verify_history(store))


def test_an_unknown_number_and_one_that_is_done_are_refused(store: Store):
    first = waiting_reviews(store)[-1]
    finish_review(store, first.review_id, "확인함", DONE_AT)
    before = all_reviews(store)
    with pytest.raises(UsageError) as unknown:
        finish_review(store, 99, "x", DONE_AT)
    with pytest.raises(UsageError) as again:
        finish_review(store, first.review_id, "다시", DONE_AT)
    assert (unknown.value.code, again.value.code) == ("no_such_review", "review_done")
    assert "2026-12-05 10:00 에 이미 확인했습니다, 메모: 확인함" in again.value.message
    assert all_reviews(store) == before
