"""The site's kept workbook → its rows by field, or the reason why it cannot be read.

The list is the sheet whose header row names most fields, wherever it stands; columns are known by
their headers, as on a page (`table_guard`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dmf_crawler.extract import row_faults, table_faults
from dmf_crawler.extract import workbook_faults as faults
from dmf_crawler.extract.cell_value import clean_text, read_value
from dmf_crawler.extract.package import open_package
from dmf_crawler.extract.quoting import shorten
from dmf_crawler.extract.selectors import FieldLocator, Selectors, text_form
from dmf_crawler.extract.sheets import Cell, Sheet, SheetRow, name_column, read_sheets
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery, PageRow, PageTable, Value
from dmf_crawler.model.run import Fault

N_HEADER_ROWS = 20
"""The header stands among so many first rows of its sheet."""

MAX_VALUES = 500
"""Of one cell; a record has five sites at most."""

_N_HEADER_CHARS = 200
_VALUE_KINDS = ("text", "number", "day")


def read_workbook(page: RawPage, selectors: Selectors, *, most_rows: int) -> PageTable | Fault:
    """Read the site's workbook.

    Args:
        page: The kept file.
        selectors: The board's.
        most_rows: How many rows the site writes into one file at most, its header not counted.

    Returns:
        The rows, their number as the announced total. Or one of the faults `not_a_workbook`,
        `damaged_workbook` (both retryable), `workbook_too_large`, `no_list_sheet`,
        `ambiguous_sheet`, `missing_column`, `unknown_column`, `ambiguous_column`, `merged_cells`,
        `hidden_row`, `blank_row`, `repeated_header`, `stray_text`, `formula_cell`,
        `unreadable_cell`, `mojibake`, `workbook_capped`.
    """
    found = _find_list(page, selectors)
    if isinstance(found, Fault):
        return found
    if len(found.rows) == most_rows:
        return faults.capped(most_rows)
    rows = []
    for row_no, sheet_row in enumerate(found.rows, start=1):
        row = _read_row(row_no, sheet_row, found, selectors)
        if isinstance(row, Fault):
            return row
        rows.append(row)
    return PageTable(
        page_no=page.request.page_no,
        rows=tuple(rows),
        announced_total=len(rows),
        source=page.sha256,
        url=page.url,
        delivered=found.delivered,
    )


def find_cell(
    page: RawPage, selectors: Selectors, row_no: int, field_id: str
) -> tuple[str, str, str] | Fault:
    """Say where a value stands in the site's workbook.

    Args:
        page: The kept file.
        selectors: The board's.
        row_no: 1-based among the data rows.
        field_id: Which field.

    Returns:
        Name of the sheet, place of the cell (`F12`), and its text as it stands there; or a fault of
        `read_workbook`, or `no_such_cell`.
    """
    found = _find_list(page, selectors)
    if isinstance(found, Fault):
        return found
    column = found.columns.get(field_id)
    if column is None or not 1 <= row_no <= len(found.rows):
        return faults.no_such_cell(row_no, field_id, len(found.rows))
    row = found.rows[row_no - 1]
    texts = [cell.text for cell in row.cells if cell.column == column]
    return found.sheet, f"{name_column(column)}{row.number}", "".join(texts)


# --- the sheet ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    """The row of one sheet that names most fields.

    Attributes:
        sheet: Which sheet.
        row_number: Which row, 0 for none.
        texts: Column → header as shown; blank ones left out.
        fields: Column → field id, "" for an ignored column, None for an unknown one.
    """

    sheet: Sheet
    row_number: int = 0
    texts: Mapping[int, str] = field(default_factory=dict)
    fields: Mapping[int, str | None] = field(default_factory=dict)

    @property
    def n_known(self) -> int:
        """How many different fields it names."""
        return len(set(filter(None, self.fields.values())))


@dataclass(frozen=True, slots=True)
class _List:
    """The list as it stands in its sheet.

    Attributes:
        sheet: Name of the sheet.
        texts: As in `_Header`.
        ignored: Columns that are never read.
        columns: Field id → column.
        rows: Data rows; none is missing between them.
        delivered: Which header named each field.
    """

    sheet: str
    texts: Mapping[int, str]
    ignored: frozenset[int]
    columns: Mapping[str, int]
    rows: tuple[SheetRow, ...]
    delivered: tuple[Delivery, ...]


def _find_list(page: RawPage, selectors: Selectors) -> _List | Fault:
    parts = open_package(page)
    sheets = parts if isinstance(parts, Fault) else read_sheets(parts)
    if isinstance(sheets, Fault):
        return sheets
    headers = [_find_header(sheet, selectors) for sheet in sheets]
    most = max((header.n_known for header in headers), default=0)
    if most == 0:
        return faults.no_list_sheet([(sheet.name, _first_texts(sheet)) for sheet in sheets])
    best = [header for header in headers if header.n_known == most]
    if len(best) > 1:
        return faults.ambiguous_sheet([header.sheet.name for header in best])
    return _place_fields(best[0], selectors)


def _first_texts(sheet: Sheet) -> list[str]:
    return [cell.text for row in sheet.rows[:1] for cell in row.cells]


def _find_header(sheet: Sheet, selectors: Selectors) -> _Header:
    rows = [row for row in sheet.rows[:N_HEADER_ROWS] if row.number <= N_HEADER_ROWS]
    headers = [_name_columns(sheet, row, selectors) for row in rows]
    return max(headers, key=lambda header: header.n_known, default=_Header(sheet))


def _name_columns(sheet: Sheet, row: SheetRow, selectors: Selectors) -> _Header:
    texts = {cell.column: cell.text.strip() for cell in row.cells if cell.text.strip()}
    forms = {column: _form(text) for column, text in texts.items()}
    fields = {
        column: "" if form in selectors.ignored_headers else selectors.headers.get(form)
        for column, form in forms.items()
    }
    return _Header(sheet, row.number, texts, fields)


def _place_fields(header: _Header, selectors: Selectors) -> _List | Fault:
    """Give every field its column: by its own headers, else by those of a fallback."""
    columns = {each: column for column, each in header.fields.items() if each}
    if len(columns) != sum(1 for each in header.fields.values() if each):
        return table_faults.ambiguous_column(
            list(header.texts.values()), list(header.fields.values())
        )
    free = {column for column, each in header.fields.items() if each is None}
    delivered = []
    for locator in selectors.fields:
        position, column = _find_column(locator, columns, header, free, selectors)
        if column:
            columns[locator.field] = column
            free.discard(column)
            text = f"export {shorten(header.texts[column])}"
            delivered.append(Delivery(locator.field, position, text))
    missing = [each.label_ko for each in selectors.fields if each.field not in columns]
    if missing:
        return table_faults.missing_column(missing, list(header.texts.values()))
    if free:
        return table_faults.unknown_column([header.texts[column] for column in sorted(free)])
    return _take_rows(header, columns, tuple(delivered))


def _find_column(
    locator: FieldLocator,
    columns: Mapping[str, int],
    header: _Header,
    free: set[int],
    selectors: Selectors,
) -> tuple[int, int]:
    """Return which of a field's ways finds its column, and the column; 0 for none."""
    if column := columns.get(locator.field):
        return 0, column
    fallbacks = selectors.file.fields[locator.field].fallbacks
    for position, fallback in enumerate(fallbacks, start=1):
        forms = {text_form(alias) for alias in fallback.header_aliases}
        hits = [column for column in free if _form(header.texts[column]) in forms]
        if len(hits) == 1:
            return position, hits[0]
    return 0, 0


# --- rows --------------------------------------------------------------------------------------


def _take_rows(
    header: _Header, columns: Mapping[str, int], delivered: tuple[Delivery, ...]
) -> _List | Fault:
    """Take the rows below the header down to the last that says something."""
    below = [row for row in header.sheet.rows if row.number > header.row_number]
    while below and _is_blank(below[-1]):
        below.pop()
    for number, row in enumerate(below, start=header.row_number + 1):
        if row.number != number or _is_blank(row):
            return faults.blank_row(_place(header.sheet.name, f"{number}행"))
        if row.is_hidden:
            return row_faults.hidden_row(number, [cell.text for cell in row.cells])
        if _repeats(row, header, columns):
            return faults.repeated_header(number, list(header.texts.values()))
    last = below[-1].number if below else header.row_number
    for merge in header.sheet.merges:
        if merge.first_row <= last and merge.last_row >= header.row_number:
            place = _place(header.sheet.name, merge.reference)
            text = header.texts.get(merge.column, name_column(merge.column))
            return faults.merged_cells(place, text, merge.reference)
    return _List(
        sheet=header.sheet.name,
        texts=header.texts,
        ignored=frozenset(column for column, each in header.fields.items() if each == ""),
        columns=columns,
        rows=tuple(below),
        delivered=delivered,
    )


def _is_blank(row: SheetRow) -> bool:
    return not any(cell.text.strip() or cell.kind == "formula" for cell in row.cells)


def _repeats(row: SheetRow, header: _Header, columns: Mapping[str, int]) -> bool:
    texts = {cell.column: cell.text for cell in row.cells}
    return all(
        _form(texts.get(column, "")) == _form(header.texts[column]) for column in columns.values()
    )


def _form(text: str) -> str:
    """Return the form under which headers are compared; a longer text is none."""
    return text_form(text) if len(text) <= _N_HEADER_CHARS else text


def _read_row(row_no: int, row: SheetRow, found: _List, selectors: Selectors) -> PageRow | Fault:
    texts = _read_texts(row, found, selectors.file.export_joint)
    if isinstance(texts, Fault):
        return texts
    values: dict[str, Value] = {}
    all_shown: dict[str, str] = {}
    for locator in selectors.fields:
        text = texts.get(found.columns[locator.field], "")
        parts = text.split(selectors.file.export_joint) if locator.nested else [text]
        value, shown = read_value(parts, locator)
        values[locator.field] = value
        if shown is not None:
            all_shown[locator.field] = shown
    if not any(values.values()):
        return faults.blank_row(_place(found.sheet, f"{row.number}행"))
    return PageRow(values, all_shown, row_no)


def _read_texts(row: SheetRow, found: _List, joint: str) -> dict[int, str] | Fault:
    """Return column → text, without the columns that are never read."""
    texts: dict[int, str] = {}
    for cell in row.cells:
        if cell.column in found.ignored:
            continue
        text = clean_text(cell.text)
        is_odd = text is None or cell.kind not in _VALUE_KINDS or text.count(joint) >= MAX_VALUES
        is_stray = cell.column not in found.texts and bool(cell.text.strip())
        if is_odd or is_stray:
            place = _place(found.sheet, f"{name_column(cell.column)}{row.number}")
            return _explain_cell(cell, place, is_stray=is_stray and not is_odd)
        texts[cell.column] = text or ""
    return texts


def _explain_cell(cell: Cell, place: str, *, is_stray: bool) -> Fault:
    """Say why a cell's text is no value."""
    if is_stray:
        return faults.stray_cell(place, cell.text)
    if cell.kind == "formula":
        return faults.formula_cell(place)
    if cell.kind not in _VALUE_KINDS:
        kind = {"boolean": "참/거짓 값", "error": "오류 값"}.get(cell.kind, "알 수 없는 값")
        return faults.unreadable_cell(place, f"{kind} {shorten(cell.text)}")
    if clean_text(cell.text) is None:
        return faults.broken_text(place)
    return faults.too_large(f"{place}에 값이 {MAX_VALUES}개보다 많음")


def _place(sheet: str, place: str) -> str:
    return f"{shorten(sheet)}!{place}"
