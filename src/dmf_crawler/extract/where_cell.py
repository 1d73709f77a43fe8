"""Where in a kept answer a value stands: XPath, line, markup of its element; what it says today.

In the site's workbook it is a cell (`Sheet1!F12`), in an answer of the open API the piece that says
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml.etree import _Element as Element
from lxml.html import tostring

from dmf_crawler.extract.api_piece import find_piece
from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.labels import find_labels
from dmf_crawler.extract.locating import (
    find_between,
    find_json_ld,
    index_json_ld,
    locate,
)
from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.selectors import FieldLocator, Locator, Selectors
from dmf_crawler.extract.table_guard import GuardedTable, guard_table
from dmf_crawler.extract.value import read_attribute
from dmf_crawler.extract.workbook import find_cell as find_workbook_cell
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery, Fields, PageTable
from dmf_crawler.model.run import Fault
from dmf_crawler.text import escape_unprintable

MAX_HTML_CHARS = 2_000

_N_CHARS_BEFORE = 100
"""Of a long element so much is shown before a value, even if each character must be escaped."""


@dataclass(frozen=True, slots=True)
class FoundCell:
    """The element that a value was read from.

    Attributes:
        xpath: In the page's tree; of an attribute with its name at the end. In another answer the
            place as that is named there.
        line: Of the page's source, None where the parser does not say.
        html: Its markup, at most 2,000 characters, what no terminal should obey escaped; of a
            longer script the part that says the value. In another answer the text as it came.
        fields: Field id → value of the whole row, or of the detail page, as it is read today; on a
            detail page without what takes more than this page.
    """

    xpath: str
    line: int | None
    html: str
    fields: Fields


def find_cell(page: RawPage, selectors: Selectors, field: str, row_no: int) -> FoundCell | Fault:
    """Find the cell of one field in a row of a kept list page.

    Args:
        page: A kept list page.
        selectors: The board's of today.
        field: Id of a field of the list.
        row_no: 1-based among the data rows of the page.

    Returns:
        The cell; or the fault of `read_page`, or `no_such_row`.
    """
    read = read_page(page, selectors)
    if isinstance(read, Fault):
        return read
    document = parse_page(page, selectors.file.end_marker)
    if isinstance(document, Fault):  # read_page has read the very same bytes
        return document
    table = guard_table(document, selectors)
    if isinstance(table, Fault):
        return table
    fields = _fields_of_row(read, row_no)
    if fields is None or row_no > len(table.rows):
        return _no_such_row(row_no, len(table.rows))
    return _describe(_find_spot(document, table, selectors, field, row_no), fields)


def find_in_workbook(
    page: RawPage, selectors: Selectors, field: str, row_no: int, *, most_rows: int
) -> FoundCell | Fault:
    """Find the cell of one field in a row of a kept workbook; as `find_cell`."""
    read = read_workbook(page, selectors, most_rows=most_rows)
    if isinstance(read, Fault):
        return read
    fields = _fields_of_row(read, row_no)
    place = find_workbook_cell(page, selectors, row_no, field)
    if fields is None or isinstance(place, Fault):
        return _no_such_row(row_no, len(read.rows))
    sheet, coordinate, text = place
    return _tell_text(f"{sheet}!{coordinate}", text, fields)


def find_in_answer(
    page: RawPage, selectors: Selectors, field: str, row_no: int
) -> FoundCell | Fault:
    """Find the item of one record in a kept answer of the open API; as `find_cell`."""
    read = read_api_page(page, selectors)
    if isinstance(read, Fault):
        return read
    fields = _fields_of_row(read, row_no)
    if fields is None:
        return _no_such_row(row_no, len(read.rows))
    place, text = find_piece(page, row_no, selectors.file.fields[field].api_name)
    return _tell_text(place, text, fields)


def find_detail(page: RawPage, selectors: Selectors, field: str = BODY) -> FoundCell | Fault:
    """Find one field of a kept detail page, of a board that has such pages.

    Returns:
        The element in which the selector that serves today finds the field; of text and files, and
        of a field that the page has not, the region. Or the fault of `read_detail`.
    """
    read = read_detail(page, selectors)
    if isinstance(read, Fault):
        return read
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault) or selectors.details is None:  # read_detail has read it
        raise ValueError(f"a detail page that was read cannot be parsed: {page.sha256}")
    (region,) = find_elements(selectors.details.region, document)
    locator = _find_locator(selectors.details.fields, read.delivered, field)
    spot = _Spot(region)
    if locator is not None:
        spot = _find_located(locator, document, find_labels(document, selectors).all)
    return _describe(spot, {**read.fields, BODY: read.body})


def _find_locator(
    fields: Iterable[FieldLocator], delivered: Iterable[Delivery], field: str
) -> Locator | None:
    """Return the locator that found a field, None where none did."""
    position = next((used.position for used in delivered if used.field == field), None)
    if position is None:
        return None
    return next(each.locators[position] for each in fields if each.field == field)


def _tell_text(place: str, text: str, fields: Fields) -> FoundCell:
    return FoundCell(place, None, _cut_around(text, 0), fields)


def _fields_of_row(table: PageTable, row_no: int) -> Fields | None:
    rows = (row for row in (*table.rows, *table.pinned) if row.row_no == row_no)
    return next((row.fields for row in rows), None)


@dataclass(frozen=True, slots=True)
class _Spot:
    """An element that holds a value; its attribute that does; where in its markup it begins."""

    element: Element
    attribute: str = ""
    start: int = 0


def _find_spot(
    document: Element, table: GuardedTable, selectors: Selectors, field: str, row_no: int
) -> _Spot:
    """Return where a value of the list stands."""
    if locator := table.attributes.get(field):
        hits = locate(locator, table.row_elements[row_no - 1], table.labels)
        telling = (each for each in hits if read_attribute(locator, each))
        return _Spot(next(telling, hits[0]), locator.attr)
    if field in table.columns:
        return _Spot(table.rows[row_no - 1][table.columns[field]])
    beside = _find_locator(selectors.fields, table.delivered, field)
    if beside is None:
        raise ValueError(f"field {field} of a table that was read stands nowhere")
    return _find_in_script(beside, document, row_no - 1)


def _find_located(locator: Locator, document: Element, labels: frozenset[Element]) -> _Spot:
    """Return where a locator has found the value of a detail page's field."""
    if locator.strategy == "json_ld":
        return _find_in_script(locator, document, 0)
    if locator.strategy == "between":
        return _find_innermost(locator, document)
    (element,) = locate(locator, document, labels)
    return _Spot(element, locator.attr)


def _find_in_script(locator: Locator, document: Element, value_no: int) -> _Spot:
    """Return the script that says the value of that number among all of the page."""
    scripts = [script for script, _ in find_json_ld(document, locator)]
    script = scripts[value_no]
    start = index_json_ld(script, locator, value_no - scripts.index(script))
    return _Spot(script, start=max(_write_markup(script).find(script.text or ""), 0) + start)


def _find_innermost(locator: Locator, document: Element) -> _Spot:
    """Return the smallest element whose markup has both delimiters and what is between them."""
    element, value = document, find_between(locator, document)
    while True:
        inner = (each for each in element if find_between(locator, each) == value)
        child = next(inner, None)
        if child is None:
            return _Spot(element, start=max(_write_markup(element).find(locator.between[0]), 0))
        element = child


def describe_element(element: Element, attribute: str, fields: Fields) -> FoundCell:
    """Return where an element, or an attribute of it, stands in its page."""
    return _describe(_Spot(element, attribute), fields)


def _describe(spot: _Spot, fields: Fields) -> FoundCell:
    element = spot.element
    xpath = element.getroottree().getpath(element)
    return FoundCell(
        xpath=f"{xpath}/@{spot.attribute}" if spot.attribute else xpath,
        line=getattr(element, "sourceline", None),  # lxml's stubs know no type of it
        html=_cut_around(_write_markup(element), spot.start),
        fields=fields,
    )


def _write_markup(element: Element) -> str:
    return str(tostring(element, encoding="unicode", with_tail=False))


def _cut_around(text: str, start: int) -> str:
    """Return a text that is short enough, else its beginning, or what begins near a place in it."""
    is_far = len(escape_unprintable(text[:start])) > MAX_HTML_CHARS // 2
    start = max(start - _N_CHARS_BEFORE, 0) if is_far else 0
    end = start + MAX_HTML_CHARS
    shown = ("…" if start else "") + escape_unprintable(text[start:end])
    return _cut(shown, is_cut=len(text) > end)


def _cut(text: str, *, is_cut: bool) -> str:
    if len(text) <= MAX_HTML_CHARS and not is_cut:
        return text
    return f"{text[: MAX_HTML_CHARS - 1]}…"


def _no_such_row(row_no: int, n_rows: int) -> Fault:
    return Fault(
        "no_such_row",
        f"보관된 페이지에서 지금 셀렉터로 찾은 행은 {n_rows:,}건이라 기록된 {row_no:,}번째 행이 "
        "없습니다. 셀렉터 파일의 row가 그때와 다릅니다. 그때의 셀렉터 파일로 다시 확인하십시오.",
        exit_code=4,
    )
