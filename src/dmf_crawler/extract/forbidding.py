"""Does an answer say that nobody may crawl? A keyword test first, then sentence by sentence."""

from __future__ import annotations

from collections.abc import Collection

from dmf_crawler.extract.sentences import read_joined, read_sentences
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.terms import ForbiddingPassage
from dmf_crawler.prohibition import compile_prohibition
from dmf_crawler.settings import TermsRules


def find_forbidding(
    page: RawPage, rules: TermsRules, *, decided: Collection[str] = ()
) -> ForbiddingPassage | None:
    """Return the first passage of an answer that forbids crawling, None for none.

    What is searched: every answer that is text, as `sentences.read_sentences` reads it.
    Not searched: files that are no text (workbooks, PDF, images); scripts, comments and attributes
    of a page.

    Args:
        page: As the raw store gave it back.
        rules: Patterns that forbid, and patterns of passages that mean something else.
        decided: Passages that a person has decided on, whichever pattern found them; the next one
            is returned.
    """
    if not compile_prohibition(rules).may_stand_in(read_joined(page)):
        return None
    return search_sentences(page, rules, decided=decided)


def search_sentences(
    page: RawPage, rules: TermsRules, *, decided: Collection[str] = ()
) -> ForbiddingPassage | None:
    """Return the same without the keyword test, at ten times the cost."""
    prohibition = compile_prohibition(rules)
    found = (
        ForbiddingPassage(pattern, passage, page.url, page.sha256)
        for sentence in read_sentences(page)
        for pattern, passage in prohibition.find_in(sentence)
    )
    return next((each for each in found if each.passage not in decided), None)
