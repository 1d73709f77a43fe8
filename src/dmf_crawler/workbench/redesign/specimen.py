"""Saved pages to redesign, each with the records that the rehearsal site put on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from dmf_crawler.workbench.redesign.kind import Board
from dmf_crawler.workbench.rehearsal.listing import RefusedPageSize, cut_page
from dmf_crawler.workbench.rehearsal.markup import RowRenderer
from dmf_crawler.workbench.rehearsal.notice_board import cut_notice_page
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notice_pages import Visit, write_notice_list
from dmf_crawler.workbench.rehearsal.notices import LIST_COLUMNS
from dmf_crawler.workbench.rehearsal.pages import write_list_page
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow, grow_register
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES, Switches

FIRST_DAY = date(2026, 11, 30)
_HOST = "127.0.0.1:8000"

Truth = Mapping[str, str | tuple[str, ...]]
"""Field id → value as the site's database has it, white space around it left out."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A saved list page.

    Attributes:
        name: What is particular about it.
        board: Whose list it is.
        html: As the site wrote it.
        truth: Its records in order, those pinned on top left out.
        total: How many records the site says that the whole list has.
    """

    name: str
    board: Board
    html: str
    truth: tuple[Truth, ...]
    total: int


def save_register_page(
    name: str, *, n_rows: int, seed: int, page_no: int = 1, limit: int = 10, **switches: object
) -> Specimen:
    """Return a page of a register that is grown for it.

    Args:
        name: What is particular about it.
        n_rows: Of the whole register.
        seed: Of its growth.
        page_no: 1-based.
        limit: Rows a page.
        switches: Of the site, where they are not the usual ones.
    """
    rows = tuple(grow_register(n_rows, seed, FIRST_DAY))
    chosen: Switches = replace(USUAL_SWITCHES, **switches)  # type: ignore[arg-type]
    page = cut_page(rows, {"page": str(page_no), "limit": str(limit)}, chosen)
    if isinstance(page, RefusedPageSize):
        raise TypeError(f"the site refuses limit={limit}")
    html = write_list_page(page, RowRenderer(chosen), chosen)
    return Specimen(name, "dmf_registry", html, tuple(map(_truth_of, page.rows)), page.total)


def save_notice_page(name: str, *, page_no: int = 1, **switches: object) -> Specimen:
    """Return a page of the notice board's list as it stands on its first day."""
    chosen: Switches = replace(USUAL_SWITCHES, **switches)  # type: ignore[arg-type]
    page = cut_notice_page(NoticeLife().rows, {"page": str(page_no)}, chosen)
    if isinstance(page, RefusedPageSize):
        raise TypeError("the site refuses its own page size")
    html = write_notice_list(page, Visit(_HOST, 1, chosen))
    truth = tuple(
        {"post_id": post.post_id}
        | {field: _clean(getattr(post, field)) for field, _ in LIST_COLUMNS}
        for post in page.posts
    )
    return Specimen(name, "mfds_notice", html, truth, page.total)


def _truth_of(row: ListRow) -> Truth:
    truth: dict[str, str | tuple[str, ...]] = {}
    for field, _ in COLUMNS:
        value = getattr(row, field)
        truth[field] = _clean(value) if isinstance(value, str) else tuple(map(_clean, value))
    return truth


def _clean(text: str) -> str:
    """Return a value as HTML can carry it: it knows LF alone, and white space around is nothing."""
    return text.replace("\r\n", "\n").strip()
