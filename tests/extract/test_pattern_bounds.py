r"""Patterns are bounded: what they find stays, what could take long is refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.pattern_bounds import MOST_REPEATED, PatternError, bound_pattern


@pytest.mark.parametrize(
    ("pattern", "bounded"),
    [
        ("조회수 [0-9,]+", "조회수 [0-9,]{1,65}"),
        (
            r"조회\s*수?\s*[:：]?\s*[0-9,]+",
            r"조회\s{0,1}수{0,1}\s{0,1}[:：]{0,1}\s{0,1}[0-9,]{1,65}",
        ),
        ("a*?b+?", "a{0,64}?b{1,65}?"),
        ("(?:가|나)?다{2,}", "(?:가|나){0,1}다{2,66}"),
        ("x{3}y{,2}", "x{3,3}y{0,2}"),
        ("(?i)abc", "(?i)abc"),
        ("(?P<n>a)(?=b)(?!c)(?<=d)(?<!e)", "(?P<n>a)(?=b)(?!c)(?<=d)(?<!e)"),
        (r"\(\[\]\|\*", r"\(\[\]\|\*"),
        ("[]*+]x", "[]*+]x"),
        (r"[\]*]y", r"[\]*]y"),
        ("a{}b{c}", "a{}b{c}"),
        (r"\x41\d{8}", r"\x41\d{8,8}"),
        ("(?:[0-9]{4}-){2}", "(?:[0-9]{4,4}-){2,2}"),
        (".{0,20}끝", ".{0,20}끝"),
        ("a++b", "a{1,65}+b"),
    ],
)
def test_a_pattern_is_written_with_ends(pattern, bounded):
    assert bound_pattern(pattern).pattern == bounded


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a*)*",
        "(?:a|b)*c",
        "(?:a?)+",
        "(?:(?:ab)+c)+",
        "([0-9]+,){2,}",
        "조회.*",
        "조회.+끝",
        r"\S+님",
        r"\w*",
        "[^<]+",
        r"(a)\1",
        "(?P<x>a)(?P=x)",
        "(?x)a b",
        "(?s:.)",
        "(?>a)",
        "(?#말)a",
        "(a)(?(1)b|c)",
        "a{1000}",
        "a{0,600}",
        "[0-9]+[a-z]+[가-힣]+[A-Z]+",
        "(",
        "[",
        "a**",
        "a{99999999999999999999}",
        "(" * 5_000 + ")" * 5_000,
    ],
)
def test_what_could_take_long_is_refused(pattern):
    with pytest.raises(PatternError):
        bound_pattern(pattern)


_atoms = st.sampled_from(["a", "b", "[ab]", "[^a]", r"\d", "(?:ab)", "(?:a|b)", "(a)", " ", "1"])
_ends = st.sampled_from(["", "", "*", "+", "?", "{2}", "{0,3}", "{1,}", "*?", "+?"])
_patterns = st.lists(st.tuples(_atoms, _ends), min_size=1, max_size=5).map(
    lambda parts: "".join(atom + end for atom, end in parts)
)


@settings(max_examples=300, deadline=None)
@given(_patterns, st.text("ab1 ", max_size=20).map(lambda text: " ".join(text.split())))
def test_short_texts_match_as_without_ends(pattern, text):
    try:
        bounded = bound_pattern(pattern)
    except PatternError:
        return
    assert [each.span() for each in bounded.finditer(text)] == [
        each.span() for each in re.finditer(pattern, text)
    ]


def test_a_long_run_goes_in_pieces():
    text = "1" * (3 * MOST_REPEATED)
    assert bound_pattern("[0-9]+").sub("", text) == ""
