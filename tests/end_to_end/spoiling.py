"""A rehearsal site some of whose answers are replaced, one address at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from dmf_crawler.workbench.rehearsal.answers import Answer, redirect_answer
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite

Spoil = Callable[[Answer], Answer]
"""From the answer as it should be to the one that is sent."""


class SpoiltSite(RehearsalSite):
    """Answers as the rehearsal site does, but for the addresses that are spoilt.

    Attributes:
        spoilt: Path → what becomes of its answers; may be assigned at any time.
    """

    spoilt: Mapping[str, Spoil] = MappingProxyType({})

    def answer_request(self, request: LoggedRequest) -> Answer:
        answer = super().answer_request(request)
        spoil = self.spoilt.get(request.path)
        return answer if spoil is None else spoil(answer)


def with_status(status: int) -> Spoil:
    """Return the body as it should be, which a 304 has none, under another status."""
    return lambda answer: replace(answer, status=status, body=b"" if status == 304 else answer.body)


def to(location: str) -> Spoil:
    """Lead elsewhere."""
    return lambda _answer: redirect_answer(location)


def with_html(text: str, content_type: str = "application/octet-stream") -> Spoil:
    """Return a page, whatever should be there."""
    return lambda _answer: Answer(text.encode(), content_type=content_type)


def with_words(old: str, new: str) -> Spoil:
    """Return the page with one piece replaced; the piece must be there."""

    def spoil(answer: Answer) -> Answer:
        assert old.encode() in answer.body, old
        return replace(answer, body=answer.body.replace(old.encode(), new.encode()))

    return spoil


def with_header(name: str, value: str) -> Spoil:
    """Return the answer with one more header field."""
    return lambda answer: replace(answer, headers=(*answer.headers, (name, value)))


def in_turn(*spoils: Spoil | None) -> Spoil:
    """Spoil one answer after the other in these ways, None not at all; the last one stays."""
    ways: Iterator[Spoil | None] = iter(spoils[:-1])

    def spoil(answer: Answer) -> Answer:
        way = next(ways, spoils[-1])
        return answer if way is None else way(answer)

    return spoil


def without_length(answer: Answer) -> Answer:
    """Return the whole answer without saying where it ends."""
    return replace(answer, body=answer.body * 2, delivery="short_close")  # half of which is sent


def cut_without_length(answer: Answer) -> Answer:
    """Return half of the answer without saying where it ends."""
    return replace(answer, delivery="short_close")


def cut_by_reset(answer: Answer) -> Answer:
    """Return half of the answer, and reset the connection."""
    return replace(answer, delivery="reset")
