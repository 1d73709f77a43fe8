"""Where in a kept answer a value stands: XPath, line, markup of its element; what it says today.

In the site's workbook it is a cell (`Sheet1!F12`), in an answer of the open API a name of an item.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml.etree import _Element as Element
from lxml.html import tostring

from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.labels import find_labels
from dmf_crawler.extract.locating import locate
from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.table_guard import GuardedTable, guard_table
from dmf_crawler.extract.value import read_attribute
from dmf_crawler.extract.workbook import find_cell as find_workbook_cell
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Fields, PageTable
from dmf_crawler.model.run import Fault

MAX_HTML_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class FoundCell:
    """The element that a value was read from.

    Attributes:
        xpath: In the page's tree; of an attribute with its name at the end. In another answer the
            place as that is named there.
        line: Of the page's source, None where the parser does not say.
        html: Its markup, at most 2,000 characters, what no terminal should obey escaped.
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
    table = document if isinstance(document, Fault) else guard_table(document, selectors)
    if isinstance(table, Fault):  # read_page has read the very same bytes
        return table
    fields = _fields_of_row(read, row_no)
    if fields is None or row_no > len(table.rows):
        return _no_such_row(row_no, len(table.rows))
    element, attribute = _find_element(table, field, row_no)
    return _describe(element, fields, attribute=attribute)


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
    value = fields.get(field, "")
    text = value if isinstance(value, str) else "".join(value)
    name = selectors.file.fields[field].api_name
    return _tell_text(
        f"items/item[{row_no}]/{name}" if name else f"items/item[{row_no}]", text, fields
    )


def find_detail(page: RawPage, selectors: Selectors, field: str = BODY) -> FoundCell | Fault:
    """Find one field of a kept detail page, of a board that has such pages.

    Returns:
        The element of the field, of `files` and of one that stands in no element the region; or
        the fault of `read_detail`.
    """
    read = read_detail(page, selectors)
    if isinstance(read, Fault):
        return read
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault) or selectors.details is None:  # read_detail has read it
        raise ValueError(f"a detail page that was read cannot be parsed: {page.sha256}")
    (region,) = find_elements(selectors.details.region, document)
    labels = find_labels(document, selectors).all
    locators = (
        locator
        for each in selectors.details.fields
        if each.field == field
        for locator in each.locators
    )
    hits = (locate(locator, document, labels) for locator in locators)
    element = next((found[0] for found in hits if len(found) == 1), region)
    return _describe(element, {**read.fields, BODY: read.body})


def _tell_text(place: str, text: str, fields: Fields) -> FoundCell:
    shown = escape_unprintable(text[:MAX_HTML_CHARS])
    return FoundCell(place, None, _cut(shown, is_cut=len(text) > MAX_HTML_CHARS), fields)


def escape_unprintable(text: str) -> str:
    """Return a text on one line, with all that no printable character is written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def _fields_of_row(table: PageTable, row_no: int) -> Fields | None:
    rows = (row for row in (*table.rows, *table.pinned) if row.row_no == row_no)
    return next((row.fields for row in rows), None)


def _find_element(table: GuardedTable, field: str, row_no: int) -> tuple[Element, str]:
    """Return the element that holds a value, and the attribute that does, "" for its text.

    Of a value that stands beside the table (JSON-LD) it is the row.
    """
    row = table.row_elements[row_no - 1]
    if locator := table.attributes.get(field):
        hits = locate(locator, row, table.labels)
        telling = (each for each in hits if read_attribute(locator, each))
        return next(telling, hits[0]), locator.attr
    if field not in table.columns:
        return row, ""
    return table.rows[row_no - 1][table.columns[field]], ""


def _describe(element: Element, fields: Fields, *, attribute: str = "") -> FoundCell:
    xpath = element.getroottree().getpath(element)
    html = tostring(element, encoding="unicode", with_tail=False)
    return FoundCell(
        xpath=f"{xpath}/@{attribute}" if attribute else xpath,
        line=getattr(element, "sourceline", None),  # lxml's stubs know no type of it
        html=_cut(escape_unprintable(html[:MAX_HTML_CHARS]), is_cut=len(html) > MAX_HTML_CHARS),
        fields=fields,
    )


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
