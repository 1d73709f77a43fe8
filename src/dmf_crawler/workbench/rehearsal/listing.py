"""What a list request asks for → the rows of the page that it gets (README, items 1 and 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dmf_crawler.workbench.rehearsal.pages import SEARCH_FIELDS, ListPage
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.switches import Switches

# The list has no English column; the site searches English names all the same.
_ENGLISH_NAMES = {
    "losartan": "로사르탄",
    "rosuvastatin": "로수바스타틴",
    "simvastatin": "심바스타틴",
    "famotidine": "파모티딘",
    "tadalafil": "타다라필",
    "topiramate": "토피라메이트",
    "acetaminophen": "아세트아미노펜",
    "metformin": "메트포르민",
}
ODD_NUMBER = "접수-2026-미부여"


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list a page shows.

    Attributes:
        page_no: 1-based.
        limit: Rows that a full page has.
    """

    page_no: int
    limit: int

    @property
    def start(self) -> int:
        """Index of the page's first row."""
        return (self.page_no - 1) * self.limit


@dataclass(frozen=True, slots=True)
class RefusedPageSize:
    """A `limit` that the site does not accept."""

    limit: int


def cut_page(
    rows: Sequence[ListRow], params: Mapping[str, str], switches: Switches
) -> ListPage | RefusedPageSize:
    """Return the page that the parameters ask for; unknown parameters change nothing."""
    found = search_rows(rows, params)
    window = find_window(len(found), params, switches)
    if isinstance(window, RefusedPageSize):
        return window
    start, limit = window.start, window.limit
    shown = found[: len(found) - switches.n_withheld_rows]
    searched = {name: params[name] for name in SEARCH_FIELDS if name in params}
    return ListPage(
        shown[start : start + limit], start + 1, len(found), window.page_no, limit, searched
    )


def find_window(
    n_rows: int, params: Mapping[str, str], switches: Switches
) -> Window | RefusedPageSize:
    """Return which part of a list the parameters ask for."""
    limit = _read_positive(params.get("limit", ""), switches.default_page_size)
    if switches.page_size != "honoured" and limit > switches.largest_page_size:
        if switches.page_size != "capped":
            return RefusedPageSize(limit)
        limit = switches.largest_page_size
    n_pages = max(1, -(-n_rows // limit))
    page_no = _read_positive(params.get("page", ""), 1)
    if page_no > n_pages and switches.past_end != "empty":
        page_no = n_pages if switches.past_end == "last_page" else 1
    return Window(page_no, limit)


def search_rows(rows: Sequence[ListRow], params: Mapping[str, str]) -> Sequence[ListRow]:
    """Return the rows that contain what is searched, or all where nothing is."""
    korean, english, number, company = (params.get(name, "").strip() for name in SEARCH_FIELDS)
    if not (korean or english or number or company):
        return rows
    in_korean = next((k for e, k in _ENGLISH_NAMES.items() if e in english.lower()), english)
    return [
        row
        for row in rows
        if korean in row.ingredient_name
        and in_korean in row.ingredient_name
        and number in row.reg_no
        and company in row.company
    ]


def disturb_register(rows: tuple[ListRow, ...], switches: Switches) -> tuple[ListRow, ...]:
    """Return the rows with the odd and the doubled number that the switches ask for."""
    disturbed = list(rows)
    if switches.odd_number and disturbed:
        disturbed[len(rows) // 2] = replace(disturbed[len(rows) // 2], reg_no=ODD_NUMBER)
    if switches.duplicated_number and disturbed:
        twin = replace(disturbed[len(rows) // 3], company="쌍둥이제약(주)")
        disturbed.insert(len(rows) // 3 + 1, twin)
    return tuple(disturbed) if len(disturbed) != len(rows) or switches.odd_number else rows


def _read_positive(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else otherwise
