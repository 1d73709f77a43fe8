"""A site's terms of use: who has read them, and what in a page forbids crawling."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class ForbiddingPassage:
    """A passage of a fetched page that forbids crawling.

    Attributes:
        pattern: The regular expression of the settings that found it.
        passage: The sentence around it, on one line, at most 300 characters.
        url: The page's address.
        source: SHA-256 of the page.
    """

    pattern: str
    passage: str
    url: str
    source: str


@dataclass(frozen=True, slots=True)
class TermsStop:
    """A passage for which nothing is asked of a site until a person decides.

    Attributes:
        site: Scheme, host and port.
        board_id: The board whose run found it.
        run_id: That run; of a dry one the history has no line.
        found: The passage.
        found_at: Aware, KST.
    """

    site: str
    board_id: str
    run_id: str
    found: ForbiddingPassage
    found_at: datetime


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person has read a site's robots.txt and terms of use: when (aware, KST), and their note."""

    at: datetime
    note: str


@dataclass(frozen=True, slots=True)
class TermsState:
    """What is known of one site's terms.

    Attributes:
        site: Scheme, host and port.
        confirmed_at: Aware, KST; when a person last said that the terms allow this, None: never.
        note: What the person wrote.
        due_since: Day since which they have to be read (again), None while they have not to.
        why_due: Korean sentence, "" while they are not due.
        stop: The passage for which runs are stopped, None for none.
    """

    site: str
    confirmed_at: datetime | None
    note: str = ""
    due_since: date | None = None
    why_due: str = ""
    stop: ForbiddingPassage | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that a person must not miss; told once.

    Attributes:
        key: What it is about: a second one with the same key is not told.
        day: The day it belongs to.
        code: Stable English word.
        title: Korean, at most 64 characters.
        text: Korean with the next step, at most 200 characters.
        raised_at: Aware, KST.
    """

    key: str
    day: date
    code: str
    title: str
    text: str
    raised_at: datetime
