"""Does an answer say that nobody may crawl? A keyword test first, then the settings' patterns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from dmf_crawler.extract.sentences import read_joined, read_sentences
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.terms import ForbiddingPassage
from dmf_crawler.patterns import MOST_CHARACTERS, Pattern, compile_pattern
from dmf_crawler.settings import TermsRules

MOST_PASSAGE_CHARACTERS = 300

_OVERLAP = 300
"""Of two pieces of a very long sentence: what is shorter stands whole in one of them."""

_BEFORE = 100
"""Characters shown before what was found in a long sentence."""

Decided = Collection[tuple[str, str]]
"""Pattern and passage of what a person has decided on."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    forbidding: tuple[Pattern, ...]
    excepted: tuple[Pattern, ...]


def find_forbidding(
    page: RawPage, rules: TermsRules, *, decided: Decided = ()
) -> ForbiddingPassage | None:
    """Return the first passage of an answer that forbids crawling, None for none.

    What is searched: every answer that is text, as `sentences.read_sentences` reads it.
    Not searched: files that are no text (workbooks, PDF, images); scripts, comments and attributes
    of a page.

    Args:
        page: As the raw store gave it back.
        rules: Patterns that forbid, and patterns of passages that mean something else.
        decided: Passages that a person has decided on; the next one is returned.
    """
    patterns = _compile(rules.forbidding, rules.excepted)
    if not any(_find_likely(read_joined(page), patterns.forbidding)):
        return None
    found = (
        ForbiddingPassage(pattern, passage, page.url, page.sha256)
        for sentence in read_sentences(page)
        for pattern, passage in find_in_sentence(sentence, patterns)
    )
    return next((each for each in found if (each.pattern, each.passage) not in decided), None)


def _find_likely(text: str, patterns: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns of which a text has all words; the others have no match in it."""
    lowered = text.lower()
    has_word = cache(lowered.__contains__)
    return (each for each in patterns if each.may_match(has_word))


def find_in_sentence(sentence: str, patterns: _Patterns) -> Iterator[tuple[str, str]]:
    """Yield pattern and passage of everything in a sentence that forbids crawling."""
    for piece in _cut(sentence):
        likely = list(_find_likely(piece, patterns.forbidding))
        masked = _mask(piece, patterns.excepted) if likely else piece
        for pattern in likely:
            if match := pattern.regex.search(masked):
                yield pattern.text, _quote(piece, match.start())


@lru_cache(maxsize=8)
def _compile(forbidding: tuple[str, ...], excepted: tuple[str, ...]) -> _Patterns:
    return _Patterns(tuple(map(compile_pattern, forbidding)), tuple(map(compile_pattern, excepted)))


def _cut(sentence: str) -> Iterator[str]:
    """Yield a sentence in pieces that can be searched in bounded time, nearly always one."""
    step = MOST_CHARACTERS - _OVERLAP
    for start in range(0, max(len(sentence) - _OVERLAP, 1), step):
        yield sentence[start : start + MOST_CHARACTERS]


def _mask(piece: str, excepted: Sequence[Pattern]) -> str:
    """Blot out what means something else: no pattern reaches over the line feeds there."""
    for pattern in _find_likely(piece, excepted):
        piece = pattern.regex.sub(lambda match: "\n" * len(match[0]), piece)
    return piece


def _quote(piece: str, position: int) -> str:
    """Return the passage around a place, short enough for a message and fit to be stored."""
    if len(piece) > MOST_PASSAGE_CHARACTERS:
        start = max(0, min(position - _BEFORE, len(piece) - MOST_PASSAGE_CHARACTERS))
        piece = piece[start : start + MOST_PASSAGE_CHARACTERS]
    return piece.encode("utf-8", "replace").decode("utf-8")
