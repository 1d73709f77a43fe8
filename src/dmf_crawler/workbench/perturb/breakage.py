"""What a breakage is, what it is applied to, and what comes out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from dmf_crawler.model.record import Fields
from dmf_crawler.workbench.rehearsal.register import ListRow


class Family(StrEnum):
    """Which part of a list is damaged, and how."""

    COLUMNS = "columns"
    CELLS = "cells"
    TEXT = "text"
    DATES = "dates"
    NESTED = "nested"
    PAGES = "pages"
    MARKUP = "markup"
    ENCODING = "encoding"
    COPIES = "copies"
    REGISTER = "register"
    NEW_ROWS = "new rows"
    SLOW = "slow"
    BULK = "bulk"
    KEYS = "keys"


class Layer(StrEnum):
    """Which layer of the gates should be the first to see it."""

    STRUCTURE = "A"
    OVERLAP = "B"
    NEW_ROWS = "C"
    PROFILE = "D"
    SECOND_SOURCE = "E"


class Unit(StrEnum):
    """What the severity of a breakage counts."""

    ROWS = "rows"
    SHARE = "share of the list"
    PAGES = "pages"
    PER_DAY = "cells a day"
    DAYS = "days old"
    ONE = "occurrence"


@dataclass(frozen=True, slots=True)
class Scene:
    """The true lists that a breakage takes its rows from.

    Attributes:
        day: Today.
        listed: Today's rows as the site's database holds them, newest first.
        rows: The same as they are read: one mapping a row, the same object as long as the row
            stays as it is.
        earlier: The lists of the days before, yesterday's first.
        other: Another register with the same columns.
        page_size: Rows of a full page.
        day_no: Which day of a breakage that lasts, 1 for the first.
        at_first: Today's rows on its first day.
    """

    day: date
    listed: Sequence[ListRow]
    rows: Sequence[Fields]
    earlier: Sequence[Sequence[Fields]]
    other: Sequence[Fields]
    page_size: int
    day_no: int = 1
    at_first: Sequence[Fields] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of one page as they came, and what their header called them."""

    content: bytes
    content_type: str = "text/html;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was got of a list.

    Attributes:
        pages: The rows of each page.
        total: How many rows the pages announce.
        bodies: Index of a page → bytes that are to be read in its place.
    """

    pages: Sequence[Sequence[Fields]]
    total: int
    bodies: dict[int, Body] = field(default_factory=dict)


Damage = Callable[[Scene, float, random.Random], Extraction]
"""Returns what is got of a scene's list when it is damaged so severely."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """One way in which a list is not read as it is.

    Attributes:
        name: Unique.
        family: See `Family`.
        layer: Which layer should see it first.
        damage: What it does.
        symptom: What a person would see who compares the list with the site.
        unit: What its severity counts.
        severities: From the smallest that is tried.
        usual: Those that such a fault usually has; recall is measured with them.
        n_days: Days that it lasts, unless it is seen before.
        is_harmless: No value is wrong: to hold such a day is an error.
    """

    name: str
    family: Family
    layer: Layer
    damage: Damage
    symptom: str
    unit: Unit
    severities: tuple[float, ...]
    usual: tuple[float, ...]
    n_days: int = 1
    is_harmless: bool = False


def cut_into_pages(rows: Sequence[Fields], page_size: int, total: int | None = None) -> Extraction:
    """Return rows on full pages, the last one with the rest.

    Args:
        rows: In list order.
        page_size: Rows of a full page.
        total: What the pages announce; None for as many rows as there are.
    """
    pages = [rows[start : start + page_size] for start in range(0, len(rows), page_size)]
    return Extraction(pages or [()], len(rows) if total is None else total)
