"""The canary sings for the usual rules, and names the pattern that is judged wrongly."""

from dataclasses import replace

import pytest

from dmf_crawler import canary
from dmf_crawler.canary import prove_detector
from dmf_crawler.extract.watched_page import PageSelectors, read_watched_page
from dmf_crawler.judge import page_change
from dmf_crawler.judge.telling import telling_parts
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.watched_page import Movement, PageJudgement, PageReading
from dmf_crawler.settings import PageRules
from dmf_crawler.text import canonical
from tests.extract.watched import page_selectors

RULES = PageRules()


@pytest.mark.parametrize(
    "rules",
    [RULES, PageRules(short_characters=5_000), PageRules(margin_bits=0), PageRules(margin_bits=8)],
)
def test_the_detector_detects(rules):
    assert prove_detector(rules) is None


@pytest.mark.parametrize("threshold", [0, 3, page_change.MOST_THRESHOLD])
def test_the_detector_detects_with_a_board_s_own_calibration(threshold):
    patterns = (r"조회\s*수?\s*[:：]?\s*[0-9,]+", r"최종 갱신: \d{4}-\d{2}-\d{2}")
    assert prove_detector(RULES, volatile=patterns, threshold=threshold) is None


def test_a_passage_that_moves_in_the_canary_too_is_no_failure():
    assert prove_detector(RULES, volatile=("오늘의 [가-힣]{1,6}: [가-힣]{1,10}",)) is None


def _failure(
    rules: PageRules = RULES, volatile: tuple[str, ...] = (), threshold: int | None = None
) -> str:
    fault = prove_detector(rules, volatile=volatile, threshold=threshold)
    assert fault is not None
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("canary_failed", 1, False)
    assert fault.message.endswith("주십시오.")
    assert len(fault.message) < 500
    return fault.message


@pytest.mark.parametrize(
    ("volatile", "pattern"),
    [
        ("[0-9]{4}년 [0-9]{1,2}월 [0-9]{1,2}일", "한국어, 짧은 글: 시행일이 바뀜 → 변경 없음"),
        ("[0-9]{4}年[0-9]+月[0-9]+日", "일본어, 짧은 글: 시행일이 바뀜 → 변경 없음"),
        ("[0-9-]{10}", "영어, 짧은 글: 시행일이 바뀜 → 변경 없음"),
        ("[있없]다", "한국어, 짧은 글: 허용이 금지로 바뀜 → 변경 없음"),
        ("[0-9]{4}-[0-9]{4}", "한국어, 짧은 글: 숫자 하나가 바뀜 → 변경 없음"),
        ("맑은 강가에 .{0,40}", "한국어, 짧은 글: 평범한 문장이 더해짐 → 변경 없음"),
        ("자동화된 .{0,40}", "한국어, 짧은 글: 금지하는 문장이 더해짐 → 변경 없음"),
    ],
)
def test_a_passage_that_eats_news_is_named(volatile, pattern):
    assert pattern in _failure(volatile=(volatile,))


def test_a_threshold_that_calls_everything_noise_is_named():
    assert "긴 글: 전혀 다른 글로 바뀜 → 잡음" in _failure(threshold=64)


def test_a_short_text_without_its_rule_is_named():
    message = _failure(PageRules(short_characters=0), threshold=64)
    assert "한국어, 짧은 글: 숫자 하나가 바뀜 → 잡음(옳은 판단: 내용 변경)" in message


def test_a_margin_that_reaches_too_far_is_named():
    assert "page_too_restless" in _failure(PageRules(margin_bits=16))


@pytest.mark.parametrize("movement", list(Movement))
def test_a_judge_that_always_says_the_same_is_named(movement, monkeypatch):
    said = PageJudgement(movement, 0, None)
    monkeypatch.setattr("dmf_crawler.canary.judge_page", lambda *_, **__: said)
    assert "옳은 판단" in _failure()


def _read_without_comparing(page: RawPage, selectors: PageSelectors) -> PageReading:
    reading = read_watched_page(page, selectors)
    assert isinstance(reading, PageReading)
    return replace(reading, compared=())


def test_a_reader_that_reads_nothing_is_named(monkeypatch):
    monkeypatch.setattr("dmf_crawler.canary.read_watched_page", _read_without_comparing)
    assert "시행일이 바뀜 → 변경 없음" in _failure()


def test_a_reader_that_refuses_is_named(monkeypatch):
    lost = page_selectors(region="#no")
    monkeypatch.setattr("dmf_crawler.canary.compile_page", lambda _: lost)
    assert "no_page_region" in _failure()


def test_neutral_sentences_are_neutral():
    """Else the threshold would not be put to the test."""
    for language in canary._LANGUAGES:
        sentences = (*language.page.neutral, language.other_neutral, language.page.rotating)
        for sentence in (*sentences, *language.other_rotating):
            assert telling_parts(canonical(sentence)) == []
