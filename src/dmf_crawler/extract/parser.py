"""One kept page → its rows by field, or the reason why it cannot be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import cell_text, squeeze
from dmf_crawler.extract.inner import find_inner, split_lines
from dmf_crawler.extract.links import DEFAULT_PRODUCT_TOKEN, lets_follow, read_base, read_link
from dmf_crawler.extract.locating import locate
from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.row_faults import empty_row, no_numbers
from dmf_crawler.extract.selectors import FieldLocator, Selectors
from dmf_crawler.extract.table_faults import no_rows
from dmf_crawler.extract.table_guard import GuardedTable, guard_table
from dmf_crawler.extract.total import no_total, read_total
from dmf_crawler.extract.value import full_text, read_one_attribute, value_of
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageRow, PageTable, Value
from dmf_crawler.model.run import Fault

SHOWN_SEPARATOR = "\x1f"
"""Joins the shown texts of a nested cell; decoding leaves no control character in a page."""


def read_page(
    page: RawPage, selectors: Selectors, product_token: str = DEFAULT_PRODUCT_TOKEN
) -> PageTable | Fault:
    """Decode, parse, guard and read one page of the list.

    Args:
        page: A kept list page.
        selectors: The board's.
        product_token: The name by which a page may ask us not to follow its links.

    Returns:
        The rows with the announced total; no rows where the page says that there are none. Or the
        fault of `parse_page` or `guard_table`, or one of `no_total`, `ambiguous_total`, `no_rows`,
        `stray_text`, `empty_row`, `no_numbers`.
    """
    document = parse_page(page, selectors.file.end_marker)
    if isinstance(document, Fault):
        return document
    table = guard_table(document, selectors)
    if isinstance(table, Fault):
        return table
    total = _read_total(page, document, table, selectors)
    if isinstance(total, Fault):
        return total
    rows = _read_rows(table, selectors)
    if isinstance(rows, Fault):
        return rows
    placed = list(zip(rows, table.is_pinned, strict=True))
    return PageTable(
        page_no=page.request.page_no,
        rows=tuple(row for row, is_pinned in placed if not is_pinned),
        announced_total=total,
        source=page.sha256,
        url=page.url,
        delivered=table.delivered,
        pinned=tuple(row for row, is_pinned in placed if is_pinned),
        follows_links=lets_follow(document, product_token),
        links_base=read_base(document, page.url),
    )


def _read_total(
    page: RawPage, document: Element, table: GuardedTable, selectors: Selectors
) -> int | Fault:
    """Return the announced total; 0 where a page that says that the list is empty has none."""
    total = read_total(document, table.elements, selectors)
    if isinstance(total, Fault):
        return total
    if total is None and not table.is_no_result:
        return no_total(selectors)
    if total and page.request.page_no == 1 and not (table.rows or table.is_no_result):
        return no_rows(total)
    return total or 0


# --- cells -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """One field of one row: its value, and the text as it stood in the cell."""

    value: Value
    shown: str


def _read_rows(table: GuardedTable, selectors: Selectors) -> tuple[PageRow, ...] | Fault:
    rows = []
    seen: dict[tuple[str, Element], Reading | None] = {}  # a cell that spans rows is read once
    for row_no, cells in enumerate(table.rows, start=1):
        fields: dict[str, Value] = {}
        shown: dict[str, str] = {}
        for field in selectors.fields:
            reading = _read_field(field, row_no, cells, table, seen)
            if reading is None:
                return _stray_text(row_no, field.label_ko)
            value = fields[field.field] = reading.value
            if reading.shown != (value if isinstance(value, str) else _join(value)):
                shown[field.field] = reading.shown
        if not any(fields.values()):
            return empty_row(row_no)
        link = _read_row_link(table.row_elements[row_no - 1], selectors)
        rows.append(PageRow(fields, shown, row_no, link))
    number = selectors.file.key.number
    if len(rows) > 1 and not any(row.fields[number] for row in rows):
        return no_numbers(selectors.file.fields[number].label_ko or number, len(rows))
    return tuple(rows)


def _read_row_link(row: Element, selectors: Selectors) -> str:
    return "" if selectors.details is None else read_link(selectors.details.link, row)


def _read_field(
    field: FieldLocator,
    row_no: int,
    cells: tuple[Element, ...],
    table: GuardedTable,
    seen: dict[tuple[str, Element], Reading | None],
) -> Reading | None:
    """Read one field of a row; None where text stands beside the table inside the cell."""
    if field.field in table.texts:
        text = table.texts[field.field][row_no - 1]
        return Reading(value_of(text, field), text)
    if locator := table.attributes.get(field.field):
        hits = locate(locator, table.row_elements[row_no - 1], table.labels)
        text = read_one_attribute(locator, hits) or ""
        return Reading(value_of(text, field), text)
    cell = cells[table.columns[field.field]]
    if not table.has_spans:
        return _read_cell(field, cell, table.labels)
    place = field.field, cell
    if place not in seen:
        seen[place] = _read_cell(field, cell, table.labels)
    return seen[place]


def _read_cell(field: FieldLocator, cell: Element, labels: frozenset[Element]) -> Reading | None:
    if field.nested:
        return read_nested(field, cell, labels)
    text = cell_text(cell, labels)
    full = full_text(cell, text) if field.prefers_title else text
    return Reading(value_of(full, field), text)


def read_nested(field: FieldLocator, cell: Element, labels: frozenset[Element]) -> Reading | None:
    """Read the innermost cells of the tables inside a cell.

    Where there is no table, list items, blocks and lines are its values, as the site has it
    redrawn. One empty text is an empty list; several keep their number, since positions pair with
    those of other columns.
    """
    inner = find_inner(cell, labels)
    if inner:
        texts = [cell_text(element, labels) for element in inner]
        if squeeze(cell_text(cell, labels)) != squeeze("".join(texts)):
            return None
    else:
        texts = split_lines(cell, labels)
    whole = list(map(full_text, inner or [cell] * len(texts), texts))
    values = tuple(value_of(text, field) for text in (whole if field.prefers_title else texts))
    return Reading(unite(values, field), _join(texts))


def unite(values: tuple[str, ...], field: FieldLocator) -> Value:
    """Return what a field makes of the values of the table inside its cell."""
    if field.nested == "join":
        return "\n".join(filter(None, values))
    if field.nested == "first":
        return next(filter(None, values), "")
    return () if values == ("",) else values


def _join(texts: Iterable[str]) -> str:
    return SHOWN_SEPARATOR.join(texts)


# --- faults ------------------------------------------------------------------------------------


def _stray_text(row_no: int, label: str) -> Fault:
    return Fault(
        "stray_text",
        f"{row_no}번째 행의 {label} 칸에서 안쪽 표 밖에 글자가 있습니다. 값은 모두 안쪽 표에 "
        "있어야 합니다. 이름표라면 selectors 파일의 drop에 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )
