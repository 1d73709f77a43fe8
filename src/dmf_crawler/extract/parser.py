"""One kept page → its rows by field, or the reason why it cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import cast

from lxml.etree import _Element as Element

from dmf_crawler.extract.circles import without_search
from dmf_crawler.extract.column import CellColumn, Texts, flatten
from dmf_crawler.extract.links import DEFAULT_PRODUCT_TOKEN, lets_follow, read_base, read_link
from dmf_crawler.extract.locating import locate
from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.row_faults import empty_row, no_numbers
from dmf_crawler.extract.selectors import FieldLocator, Selectors
from dmf_crawler.extract.table_faults import no_rows, strange_numbers
from dmf_crawler.extract.table_guard import GuardedTable, guard_table
from dmf_crawler.extract.total import no_total, read_total
from dmf_crawler.extract.value import (
    full_text,
    full_texts,
    may_be_cut,
    read_one_attribute,
    unite,
    values_of,
)
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageRow, PageTable, Value
from dmf_crawler.model.run import Fault

SHOWN_SEPARATOR = "\x1f"
"""Joins the shown texts of a nested cell; decoding leaves no control character in a page."""

_LEAST_UNNUMBERED_FIRST, _LEAST_UNNUMBERED = 2, 10
_LEAST_STRANGE_FIRST, _LEAST_STRANGE = 3, 20


@without_search()
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
        `stray_text`, `empty_row`, `no_numbers`, `other_register`.
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
    read = PageTable(
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
    return _judge_numbers(read, selectors) or read


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
class _Reading:
    """One field of some cells.

    Attributes:
        values: n_cells, None where text stands beside the table inside the cell.
        shown: Index of a cell → its text as it stood there, where the value says another.
    """

    values: Sequence[Value | None]
    shown: Mapping[int, str]


def _read_rows(table: GuardedTable, selectors: Selectors) -> tuple[PageRow, ...] | Fault:
    readings = [_read_field(field, table) for field in selectors.fields]
    shown = _gather_shown(readings, len(table.row_elements), selectors)
    names = [field.field for field in selectors.fields]
    may_stray = any(None in reading.values for reading in readings)
    rows = []
    values_of_rows = zip(*(reading.values for reading in readings), strict=True)
    for row_no, values in enumerate(values_of_rows, start=1):
        if may_stray and None in values:
            return _stray_text(row_no, selectors.fields[values.index(None)].label_ko)
        if not any(values):
            return empty_row(row_no)
        fields = cast("dict[str, Value]", dict(zip(names, values, strict=True)))
        link = _read_row_link(table.row_elements[row_no - 1], selectors)
        rows.append(PageRow(fields, shown[row_no - 1], row_no, link))
    return tuple(rows)


def _judge_numbers(table: PageTable, selectors: Selectors) -> Fault | None:
    """Refuse a page none of whose rows has a number, or has one of this register.

    Of the first page, with the newest records, half of the numbers must look like ours. Behind it
    the list may have old ones that nobody has seen, but not a page of nothing else.
    """
    key, n_rows = selectors.file.key.number, len(table.rows)
    is_first = table.page_no <= 1
    numbers = [str(row.fields[key]) for row in table.rows if row.fields[key]]
    if not numbers and n_rows >= (_LEAST_UNNUMBERED_FIRST if is_first else _LEAST_UNNUMBERED):
        return no_numbers(selectors.file.fields[key].label_ko or key, n_rows)
    pattern = selectors.number_pattern
    if pattern is None or len(numbers) < (_LEAST_STRANGE_FIRST if is_first else _LEAST_STRANGE):
        return None
    n_ours = sum(pattern.fullmatch(number) is not None for number in numbers)
    is_ours = 2 * n_ours >= len(numbers) if is_first else n_ours > 0
    return None if is_ours else strange_numbers(numbers, selectors)


def _gather_shown(
    readings: Sequence[_Reading], n_rows: int, selectors: Selectors
) -> list[dict[str, str]]:
    """Return of each row, by field, the texts that the values do not say."""
    shown: list[dict[str, str]] = [{} for _ in range(n_rows)]
    for field, reading in zip(selectors.fields, readings, strict=True):
        for place, text in reading.shown.items():
            shown[place][field.field] = text
    return shown


def _read_row_link(row: Element, selectors: Selectors) -> str:
    return "" if selectors.details is None else read_link(selectors.details.link, row)


def _read_field(field: FieldLocator, table: GuardedTable) -> _Reading:
    if field.field in table.texts:
        return _read_texts(table.texts[field.field], field)
    if locator := table.attributes.get(field.field):
        hits = (locate(locator, row, table.labels) for row in table.row_elements)
        return _read_texts([read_one_attribute(locator, each) or "" for each in hits], field)
    column = table.contents[field.field]
    reading = _read_cells(column, table.labels, field)
    if not table.has_spans:
        return reading
    places = {cell: place for place, cell in enumerate(column.cells)}
    index = table.columns[field.field]
    of_rows = [places[cells[index]] for cells in table.rows]
    said = reading.shown
    shown = {row: said[place] for row, place in enumerate(of_rows) if place in said}
    return _Reading([reading.values[place] for place in of_rows], shown)


def _read_cells(column: CellColumn, labels: frozenset[Element], field: FieldLocator) -> _Reading:
    prefers_title = field.prefers_title and may_be_cut(flatten(column))
    if field.nested:
        nested = column.nested
        if prefers_title:
            nested = [
                texts and full_texts(cell, texts, labels)
                for cell, texts in zip(column.cells, nested, strict=True)
            ]
        return _read_nested(column.nested, field, nested)
    if not prefers_title:
        return _read_texts(column.texts, field)
    return _read_texts(column.texts, field, list(map(full_text, column.cells, column.texts)))


def _read_texts(
    texts: Sequence[str], field: FieldLocator, whole: Sequence[str] | None = None
) -> _Reading:
    """Read texts, or what they are as a whole where they were cut."""
    values = values_of(whole or texts, field)
    if values == texts:
        return _Reading(values, {})
    pairs = enumerate(zip(texts, values, strict=True))
    return _Reading(values, {place: text for place, (text, value) in pairs if text != value})


def _read_nested(
    texts_of: Sequence[Texts | None], field: FieldLocator, whole: Sequence[Texts | None]
) -> _Reading:
    """Read cells of several texts, or what these are as a whole where they were cut."""
    flat = list(chain(*filter(None, whole)))
    united = values_of(flat, field)
    if whole is texts_of and united == flat:
        return _Reading([texts and unite(texts, field) for texts in texts_of], {})
    rest = iter(united)
    values: list[Value | None] = []
    shown: dict[int, str] = {}
    for place, texts in enumerate(texts_of):
        value = None if texts is None else unite(tuple(islice(rest, len(texts))), field)
        values.append(value)
        if texts is None or value == texts:
            continue
        text = SHOWN_SEPARATOR.join(texts)
        if text != (value if isinstance(value, str) else SHOWN_SEPARATOR.join(value or ())):
            shown[place] = text
    return _Reading(values, shown)


# --- faults ------------------------------------------------------------------------------------


def _stray_text(row_no: int, label: str) -> Fault:
    return Fault(
        "stray_text",
        f"{row_no}번째 행의 {label} 칸에서 안쪽 표 밖에 글자가 있습니다. 값은 모두 안쪽 표에 "
        "있어야 합니다. 이름표라면 selectors 파일의 drop에 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )
