"""A whole page that is watched: what it says, how much it moved, what a person has to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from dmf_crawler.model.change import FieldChange
from dmf_crawler.model.record import Fields


class Movement(StrEnum):
    """How a page differs from its last kept state."""

    FIRST = "first"  # there is no kept state yet
    NONE = "none"  # the text that is compared is the same
    NOISE = "noise"  # it moved within what calibration saw of this page
    CONTENT = "content"  # it says something else
    FIELD = "field"  # a field of it has another value


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page says.

    Attributes:
        blocks: The region's visible text, one block (paragraph, item, cell) each, as people read
            it: white space collapsed, none of them empty. What moves by itself is still in it;
            what has no order of its own is sorted.
        compared: The same, prepared for comparison, block by block: volatile passages gone,
            canonical form, blocks of which nothing is left dropped.
        fields: Field id → value.
        selector: The one that found the region.
        position: 0 for `region`, 1 for the first of `region_fallbacks`.
        source: SHA-256 of the page.
        url: Where it came from.
        unfound: Fields that not exactly one element holds; their value is "".
    """

    blocks: tuple[str, ...]
    compared: tuple[str, ...]
    fields: Fields = field(default_factory=dict)
    selector: str = ""
    position: int = 0
    source: str = ""
    url: str = ""
    unfound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageJudgement:
    """How much a page moved, and what that makes of it.

    Attributes:
        movement: See `Movement`.
        distance: Bits, 0 to 64, in which the fingerprints of the compared texts differ; None where
            there was nothing to compare with.
        threshold: The calibrated distance up to which it is noise; None where any difference is
            content: never calibrated, or without any noise when it was.
        changes: Changed fields, in the order of the selectors file.
        tokens: Critical parts of the text (numbers, dates, words of status) that came or went.
        why: Korean sentence.
    """

    movement: Movement
    distance: int | None
    threshold: int | None
    changes: tuple[FieldChange, ...] = ()
    tokens: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageVisitRow:
    """What one accepted run saw of a page.

    Attributes:
        run_id: Which run.
        day: Its day.
        movement: See `Movement`.
        distance: As in `PageJudgement`.
        threshold: As in `PageJudgement`.
        n_characters: Of the compared text.
        is_same_bytes: Whether the page was the one before byte by byte.
        why: Korean sentence, "" where none was kept.
    """

    run_id: str
    day: date
    movement: Movement
    distance: int | None
    threshold: int | None
    n_characters: int
    is_same_bytes: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How much a page moves by itself, measured by a few fetches shortly after another.

    Attributes:
        measured_at: Aware, KST.
        n_reads: Fetches that were compared.
        largest_distance: Bits; None where all of them said the same.
        threshold: Up to this distance a difference is noise; None: any difference is content.
        most_moving: As many blocks may be others in noise as in any two of the reads; None where
            all of them said the same, and where that was not measured.
    """

    measured_at: datetime
    n_reads: int
    largest_distance: int | None
    threshold: int | None
    most_moving: int | None = None


@dataclass(frozen=True, slots=True)
class PageState:
    """Where a kept state of a page was read.

    Attributes:
        run_id: The first run that saw it.
        day: That run's.
        last_day: Day of the last accepted run that saw it.
        url: The page's address then.
        source: SHA-256 of the page.
        raw_dir: The run's raw folder, relative to the home folder.
    """

    run_id: str
    day: date
    last_day: date
    url: str
    source: str
    raw_dir: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A change of a page that a person has to look at (검토대기).

    Attributes:
        review_id: Running number.
        board_id: Which board.
        run_id: The run that found it.
        day: Its day.
        movement: `content` or `field`.
        is_terms: Whether the page holds a site's terms of use.
        distance: As in `PageJudgement`.
        before: The kept state before: field id → value, the text as `body`.
        after: The one after.
        done_at: Aware, KST; when a person had looked at it, None while it waits.
        note: What the person wrote.
        threshold: As in `PageJudgement`.
        why: Korean sentence, "" where none was kept.
        before_at: Where the state before was read; None where it is not in the history.
        after_at: Where the one after was.
        forms: Line that one of the two texts has alone → what of it is compared: lines of one form
            differ in what moves by itself. Empty where nobody can say so any more.
    """

    review_id: int
    board_id: str
    run_id: str
    day: date
    movement: Movement
    is_terms: bool
    distance: int | None
    before: Fields
    after: Fields
    done_at: datetime | None = None
    note: str = ""
    threshold: int | None = None
    why: str = ""
    before_at: PageState | None = None
    after_at: PageState | None = None
    forms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageReport:
    """What a report says of one page board.

    Attributes:
        board_id: Which board.
        name_ko: Its Korean name.
        url: The page's address.
        labels: Field id → Korean name.
        last: What the last accepted run saw, None before the first.
        rates: Movement → how many of the accepted reads had it.
        calibration: The one in force, None for none.
        warnings: Korean sentences: creeping noise, a page gone silent, what a run left.
        notice: Korean sentence when the day's last run was not accepted, else "".
        waiting: Changes that a person has still to look at, newest first.
        found: Changes that the day's accepted runs found, looked at or not, newest first.
    """

    board_id: str
    name_ko: str
    url: str
    labels: Mapping[str, str]
    last: PageVisitRow | None
    rates: Mapping[Movement, int]
    calibration: Calibration | None
    warnings: tuple[str, ...] = ()
    notice: str = ""
    waiting: tuple[ReviewItem, ...] = ()
    found: tuple[ReviewItem, ...] = ()
