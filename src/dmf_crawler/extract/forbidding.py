"""Does an answer say that nobody may crawl? A keyword test first, then sentence by sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from dmf_crawler.extract.sentences import read_joined, read_sentences
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.terms import ForbiddingPassage
from dmf_crawler.prohibition import Prohibition, compile_prohibition
from dmf_crawler.settings import TermsRules

MOST_PASSAGES = 50
"""Of one answer; those beyond are found once these have been decided on."""


def find_forbidding(
    page: RawPage, rules: TermsRules, *, decided: Collection[str] = ()
) -> tuple[ForbiddingPassage, ...]:
    """Return the passages of an answer that forbid crawling, in its order, each once.

    All of them, so that a person decides on a page once and not sentence by sentence.
    What is searched: every answer that is text, as `sentences.read_sentences` reads it.
    Not searched: files that are no text (workbooks, PDF, images); scripts, comments and attributes
    of a page.

    Args:
        page: As the raw store gave it back.
        rules: Patterns that forbid, and patterns of passages that mean something else.
        decided: Passages that a person has decided on, whichever pattern found them; left out.
    """
    prohibition = compile_prohibition(rules).narrow(read_joined(page))
    if not prohibition.forbidding:
        return ()
    return tuple(islice(_find_all(page, prohibition, set(decided)), MOST_PASSAGES))


def _find_all(
    page: RawPage, prohibition: Prohibition, known: set[str]
) -> Iterator[ForbiddingPassage]:
    for sentence in read_sentences(page):
        for pattern, passage in prohibition.find_in(sentence):
            if passage not in known:
                known.add(passage)
                yield ForbiddingPassage(pattern, passage, page.url, page.sha256)
