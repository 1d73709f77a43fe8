"""Regular expressions that stand in the configuration: what they need, and whether they end; pure.

Python's `re` cannot be stopped once it searches. So a pattern is read before it is used: one that
may try too many ways from one place of a text is refused, and what every match must contain is
found, so that most texts need not be searched at all.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

MOST_CHARACTERS = 1_000
"""Of a text that is searched in one piece; a repeat without an end has no more."""

MOST_WAYS = 200_000
"""In which a pattern may be tried from one place; two gaps of 60 are fewer, two `.*` more."""

MOST_LOOKS = 100
"""Ways of a look ahead or behind that cost as good as nothing."""

# The standard library's own reader of patterns: a second one would read some of them otherwise.
_PARSER: Any = import_module("re._parser")
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_LOOKS = frozenset({"ASSERT", "ASSERT_NOT"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, compiled.

    Attributes:
        text: As it was written.
        regex: The same.
        needs: Groups of words, in lower case and without blanks; a text without a word of each
            group has no match.
    """

    text: str
    regex: re.Pattern[str]
    needs: tuple[frozenset[str], ...]

    def may_match(self, has_word: Callable[[str], bool]) -> bool:
        """Say whether a text may have a match, from what its `lower()` contains alone."""
        return all(any(map(has_word, words)) for words in self.needs)


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Pattern:
    """Compile a pattern.

    Raises:
        ValueError: It is none, matches the empty text, or may take too long; in Korean.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what a later Python will read otherwise
            regex, tree = re.compile(text), _PARSER.parse(text)
            is_empty = regex.search("") is not None
    except (re.error, FutureWarning, DeprecationWarning, RecursionError, OverflowError) as error:
        raise ValueError(f"정규식이 아닙니다: {error}") from error
    if is_empty:
        raise ValueError("빈 글과도 맞습니다")
    if _count_ways(tree) > MOST_WAYS:
        raise ValueError(
            "너무 오래 걸릴 수 있습니다: 반복 안의 반복이나 이어진 .* 대신 {0,60}처럼 길이를 "
            "정하십시오"
        )
    needs = sorted(_find_needs(tree), key=len)  # few words are soonest asked for
    return Pattern(text, regex, tuple(needs))


# --- how many ways -------------------------------------------------------------------------------


def _count_ways(items: Iterable[Any], *, is_repeated: bool = False) -> int:
    """Return in how many ways a sequence may be tried, `MOST_WAYS` + 1 for any more.

    What a choice outside every repeat adds is a constant factor, and left out.
    """
    n_ways = 1
    for item in items:
        n_ways = min(n_ways * _count_ways_of(item, is_repeated=is_repeated), MOST_WAYS + 1)
    return n_ways


def _count_ways_of(item: Any, *, is_repeated: bool) -> int:
    kind, argument = str(item[0]), item[1]
    if kind in _REPEATS:
        least, most, inner = argument
        return _count_repeats(int(least), int(most), inner)
    if kind == "BRANCH":
        return _count_branches(argument[1], is_repeated=is_repeated)
    if kind in _LOOKS:  # looked at once at each place, and never again otherwise
        n_ways = _count_ways(argument[1])
        return 1 if n_ways <= MOST_LOOKS else n_ways
    inner_sequences = _inner_sequences(kind, argument)
    return max((_count_ways(each, is_repeated=is_repeated) for each in inner_sequences), default=1)


def _count_branches(branches: Iterable[Any], *, is_repeated: bool) -> int:
    """Return the ways of a choice; of branches that begin otherwise only one can be gone."""
    of_beginnings: dict[str, int] = {}
    for branch in branches:
        n_ways = _count_ways(branch, is_repeated=is_repeated)
        is_literal = len(branch) and str(branch[0][0]) == "LITERAL"
        beginning = chr(branch[0][1]).lower() if is_literal else ""
        before = of_beginnings.get(beginning, 0)
        of_beginnings[beginning] = before + n_ways if is_repeated else max(before, n_ways)
    of_any = of_beginnings.pop("", 0)
    most = max(of_beginnings.values(), default=0)
    return most + of_any if is_repeated else max(most, of_any)


def _count_repeats(least: int, most: int, inner: Any) -> int:
    if most > 1 and _is_blank(inner):  # white space is one blank by then, there or not
        return 1
    n_repeats = min(most, MOST_CHARACTERS)
    n_inner = _count_ways(inner, is_repeated=n_repeats > 1)
    if n_inner == 1:
        return max(n_repeats - least, 0) + 1
    n_ways = 1
    for _ in range(n_repeats):
        n_ways = min(n_ways * n_inner, MOST_WAYS + 1)
    return n_ways


def _is_blank(inner: Any) -> bool:
    """Say whether a repeat is of white space alone: a blank, or the class of them."""
    items = list(inner)
    if len(items) != 1:
        return False
    kind, argument = str(items[0][0]), items[0][1]
    if kind == "IN" and len(argument) == 1:
        return str(argument[0][1]) == "CATEGORY_SPACE"
    return kind == "LITERAL" and chr(argument).isspace()


# --- what a match must contain -------------------------------------------------------------------


def _find_needs(items: Iterable[Any]) -> Iterator[frozenset[str]]:
    """Yield groups of words of which every match of a sequence has at least one each."""
    run = ""
    for item in items:
        kind, argument = str(item[0]), item[1]
        char = chr(argument) if kind == "LITERAL" else ""
        if char and _has_one_lower_form(char):
            run += char.lower()
            continue
        if kind == "AT":  # takes no character
            continue
        if run:
            yield frozenset({run})
            run = ""
        yield from _find_needs_of(kind, argument)
    if run:
        yield frozenset({run})


def _has_one_lower_form(char: str) -> bool:
    """Say whether a character, even where case is ignored, matches one lower form alone.

    A Latin letter then matches a few other characters, too: these are gone from texts by the time
    they are searched (`extract.sentences`), and so is every white space but the blank.
    """
    return (char.isascii() and not char.isspace()) or "가" <= char <= "힣"


def _find_needs_of(kind: str, argument: Any) -> Iterator[frozenset[str]]:
    if kind == "BRANCH":
        of_branches = [list(_find_needs(branch)) for branch in argument[1]]
        if all(of_branches):
            # Of equals the last: what ends a Korean phrase tells more than what begins it.
            rarest = (max(reversed(needs), key=_shortest) for needs in of_branches)
            yield frozenset(word for words in rarest for word in words)
    elif kind not in _LOOKS and not (kind in _REPEATS and int(argument[0]) == 0):
        for inner in _inner_sequences(kind, argument):
            yield from _find_needs(inner)


def _shortest(words: frozenset[str]) -> int:
    """Return the length of the shortest word: the longer it is, the rarer."""
    return min(map(len, words))


def _inner_sequences(kind: str, argument: Any) -> Iterator[Any]:
    """Yield what stands inside a part that is no branch: all of it, once."""
    if kind in _REPEATS:
        yield argument[2]
    elif kind == "SUBPATTERN":
        yield argument[3]
    elif kind == "ATOMIC_GROUP":
        yield argument
