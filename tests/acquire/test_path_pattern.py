from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.path_pattern import is_in_paths, matches, normalize_escapes

SITE = "https://list.example"


# --- patterns ----------------------------------------------------------------------------------


def naive_matches(pattern: str, target: str) -> bool:
    """Try everything: exponential, but nothing to get wrong."""
    if pattern == "":
        return True
    if pattern == "$":
        return target == ""
    if pattern[0] == "*":
        return any(naive_matches(pattern[1:], target[i:]) for i in range(len(target) + 1))
    return target[:1] == pattern[0] and naive_matches(pattern[1:], target[1:])


@given(
    pattern=st.text(alphabet="ab/*$", max_size=8),
    target=st.text(alphabet="ab/$", max_size=10).map(lambda text: f"/{text}"),
)
def test_matching_equals_a_naive_reference(pattern: str, target: str):
    assert matches(pattern, target) is naive_matches(pattern, target)


def test_matching_is_linear_in_the_number_of_stars():
    """A backtracking matcher would not end before the sun does."""
    assert not matches("/" + "*a" * 2_000 + "b$", "/" + "a" * 10_000)


# --- configured paths --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "path", "is_in"),
    [
        ("/bbs/21", "/bbs/21", True),
        ("/bbs/21/5?page=1", "/bbs/21", True),
        ("/bbs/21/5", "/bbs/21/", True),
        ("/bbs/210", "/bbs/21", False),
        ("/bbs", "/bbs/21", False),
        ("", "/", True),
        ("?page=1", "/", True),
        ("/bbs/21/5", "/bbs/*/5", True),
        ("/bbs/21/55", "/bbs/*/5", True),
        ("/bbs/21/55", "/bbs/*/5$", False),
        ("/bbs/21", "/bbs/21$", True),
        ("/bbs/21/5", "/bbs/21$", False),
        ("/bbs/21?page=1", "/bbs/21$", False),
        ("/a.pdf", "/*.pdf$", True),
        ("/a.pdf?x=1", "/*.pdf$", False),
        ("/view?mode=write", "/*mode=write", True),
        ("/view#mode=write", "/*mode=write", False),
        ("/%eb%aa%a9/1", "/목", True),
        ("/%EB%AA%A9/1", "/%eb%aa%a9", True),
        ("/%7ea/1", "/~a", True),
        ("/a%2Fb", "/a", False),
        ("/a%2fb", "/a%2F*", True),
        ("/50%/1", "/50%25", True),
        ("/BBS/21", "/bbs/21", False),
    ],
)
def test_an_address_lies_in_a_path(address: str, path: str, is_in: bool):
    assert is_in_paths(SITE + address, ("/other", path)) is is_in
    assert not address or is_in_paths(address, (path,)) is is_in


def test_no_path_holds_nothing():
    assert not is_in_paths(f"{SITE}/", ())


# --- escapes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("/%7euser%2D%5f%2e", "/~user-_."),
        ("/a%2fb%26c%3d%3f%23%5B", "/a%2Fb%26c%3D%3F%23%5B"),
        ("/a/b&c=d?e", "/a/b&c=d?e"),
        ("/목 록", "/%EB%AA%A9%20%EB%A1%9D"),
        ('/"<>\\^`{|}', "/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/100%", "/100%25"),
        ("/%%341", "/%2541"),
        ("/%zz%4", "/%25zz%254"),
        ("/%2541", "/%2541"),
        ("/%00%c1", "/%00%C1"),
        ("/\x07\x7f", "/%07%7F"),
        ("a+b", "a+b"),
    ],
)
def test_each_character_is_written_in_one_way(text: str, normal: str):
    assert normalize_escapes(text) == normal
    assert normalize_escapes(normal) == normal


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escapes_mean_the_same_before_and_after(text: str):
    normal = normalize_escapes(text)

    assert normal.isascii()
    assert normal.isprintable()
    assert unquote(normal, errors="surrogateescape") == unquote(text, errors="surrogateescape")
    assert normalize_escapes(normal) == normal
