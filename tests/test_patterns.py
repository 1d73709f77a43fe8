"""Regular expressions of the configuration: what they need, and which may take too long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.patterns import compile_pattern
from dmf_crawler.terms_words import EXCEPTED, FORBIDDING

SHIPPED = (*FORBIDDING, *EXCEPTED)


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("크롤링", [{"크롤링"}]),
        ("크롤링.{0,9}금지", [{"크롤링"}, {"금지"}]),
        (r"(?i)\bCrawl\b", [{"crawl"}]),
        ("(?:가나|다라)마", [{"마"}, {"가나", "다라"}]),
        ("(?:가나|[다라])마", [{"마"}]),
        ("(?:가나)?마", [{"마"}]),
        ("(?:가나){1,3}마", [{"가나"}, {"마"}]),
        ("가(?=나)다(?!라)(?<!마)", [{"가"}, {"다"}]),
        ("웹 로봇", [{"웹"}, {"로봇"}]),  # white space may be another one
        ("(?i)ſtraße", [{"tra"}, {"e"}]),  # only letters with one lower form
        ("[가나]+", []),
        ("가(?:나|다)", [{"가"}]),  # the parser makes a class of one-letter choices
    ],
)
def test_what_every_match_must_contain(pattern: str, needs: list[set[str]]):
    assert [set(words) for words in compile_pattern(pattern).needs] == needs


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(?:a|aa){2,}b",
        r"(\w+\s*)+:",
        "a.*b.*c",
        "(?:.{0,60}?가){1,9}",
        "(?:(?:a{0,9}){0,9}){0,9}b",
    ],
)
def test_a_pattern_that_may_take_too_long_is_refused(pattern: str):
    with pytest.raises(ValueError, match="너무 오래 걸릴 수 있습니다"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{3,2}", "*", "(?P<n>a)(?P<n>b)", "[[a]b"])
def test_what_is_no_pattern_is_refused(pattern: str):
    with pytest.raises(ValueError, match="정규식이 아닙니다"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["a*", "", "(?:가|나)?", "^"])
def test_a_pattern_that_matches_everything_is_refused(pattern: str):
    with pytest.raises(ValueError, match="빈 글과도 맞습니다"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["a.*b", "크롤링[^.]{0,60}?로봇[^.]{0,60}?금지", *SHIPPED])
def test_usual_patterns_are_taken(pattern: str):
    assert compile_pattern(pattern).regex.pattern == pattern


def test_the_shipped_patterns_need_words_and_so_cost_next_to_nothing():
    assert [pattern for pattern in SHIPPED if not compile_pattern(pattern).needs] == []


PIECES = st.sampled_from(
    ["가", "나다", "A", "b", "[가나]", "(?:가|나다)", "(?:b|)", " ", ".", r"\s"]
)
REPEATS = st.sampled_from(["", "?", "{0,2}", "{1,2}", "{2}", "*?"])
PARTS = st.builds(lambda piece, repeat: f"(?:{piece}){repeat}", PIECES, REPEATS)
PATTERNS = st.builds(
    lambda parts, flag: flag + "".join(parts),
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from(["", "(?i)"]),
)


@given(PATTERNS, st.text(alphabet="가나다AaBb  ", max_size=12))
def test_a_text_without_the_words_never_has_a_match(pattern: str, text: str):
    try:
        compiled = compile_pattern(pattern)
    except ValueError:
        return
    if re.search(pattern, text):
        assert compiled.may_match(text.lower().__contains__)
