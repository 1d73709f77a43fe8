"""One kept page → its rows by field, or the reason why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml.etree import HTMLParser, ParserError
from lxml.etree import _Element as Element
from lxml.html import document_fromstring

from dmf_crawler.extract.decode import decode_page
from dmf_crawler.extract.quoting import shorten
from dmf_crawler.extract.row_guard import cell_text
from dmf_crawler.extract.selectors import FieldLocator, Selectors
from dmf_crawler.extract.table_guard import GuardedTable, find_in_row, guard_table
from dmf_crawler.extract.total import no_total, read_total
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageRow, PageTable, Value
from dmf_crawler.model.run import Fault

SHOWN_SEPARATOR = "\x1f"
"""Joins the shown texts of a nested cell; decoding leaves no control character in a page."""

_COMMENT_END = re.compile("--!?>")
_TEXT_RUN = re.compile(r">[^<>\r]*\r[^<>]*<")
_NUMERIC_REFERENCE = re.compile("&#(?:[xX]0*([0-9a-fA-F]*)|0*([0-9]*))")
_N_REFERENCE_DIGITS = 12
_LAST_CODE = 0x10FFFF
_NO_CHARACTERS = frozenset({0xFFFD, *range(0xD800, 0xE000)})
_FATAL = 3
"""libxml2's error level after which it stops and returns what it has."""


def read_page(page: RawPage, selectors: Selectors) -> PageTable | Fault:
    """Decode, parse, guard and read one page of the list.

    Args:
        page: A kept list page.
        selectors: The board's.

    Returns:
        The rows with the announced total; no rows where the page says that there are none. Or the
        fault of `decode_page` or `guard_table`, or one of `truncated_page` (retryable),
        `unparsable_page`, `no_total`, `ambiguous_total`, `stray_text`, `mojibake`.
    """
    document = _parse(page, selectors.file.end_marker)
    if isinstance(document, Fault):
        return document
    table = guard_table(document, selectors)
    if isinstance(table, Fault):
        return table
    total = read_total(document, table.element, selectors)
    if isinstance(total, Fault):
        return total
    if total is None and not table.is_no_result:
        return no_total(selectors)
    return _read_table(page, table, total or 0, selectors)


def _read_table(
    page: RawPage, table: GuardedTable, total: int, selectors: Selectors
) -> PageTable | Fault:
    rows = _read_rows(table, selectors)
    if isinstance(rows, Fault):
        return rows
    return PageTable(
        page_no=page.request.page_no,
        rows=rows,
        announced_total=total,
        source=page.sha256,
        url=page.url,
        fallbacks_used=table.fallbacks_used,
    )


def _parse(page: RawPage, end_marker: str) -> Element | Fault:
    text = decode_page(page.body, page.content_type)
    if isinstance(text, Fault):
        return text
    if end_marker.lower() not in text.lower():
        return _truncated_page(text, end_marker)
    if _has_broken_reference(text):
        return _broken_reference()
    text = _TEXT_RUN.sub(_keep_returns, text)
    parser = HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False, no_network=True)
    try:
        document: Element = document_fromstring(text, parser=parser)
    except ParserError as error:
        return _unparsable_page(str(error))
    # Past a fatal error (nesting too deep) the rest of the page is silently missing.
    fatal = next((entry for entry in parser.error_log if entry.level >= _FATAL), None)
    if fatal:
        return _unparsable_page(f"{fatal.line}행: {fatal.message}")
    return document


def _keep_returns(run: re.Match[str]) -> str:
    """Write the carriage returns of a value as references, outside tags and between them.

    HTML turns CR LF into LF, and some releases of libxml2 do; a reference is kept by all.
    """
    if run[0][1:-1].strip():
        return run[0].replace("\r", "&#13;")
    return run[0].replace("\r\n", "\n").replace("\r", "\n")


def _has_broken_reference(text: str) -> bool:
    """Say whether a numeric reference names no character; releases of libxml2 differ on these."""
    codes = (
        int((hexadecimal or decimal)[:_N_REFERENCE_DIGITS] or "0", 16 if hexadecimal else 10)
        for hexadecimal, decimal in _NUMERIC_REFERENCE.findall(_drop_comments(text))
    )
    return any(code > _LAST_CODE or code in _NO_CHARACTERS for code in codes)


def _drop_comments(text: str) -> str:
    """Return a page's source without its comments; one without end is kept with all that follows.

    A scan, since the regular expression for a comment looks for the end of each anew.
    """
    parts = []
    start = 0
    while (opening := text.find("<!--", start)) >= 0:
        # `<!-->` is a whole comment (WHATWG HTML, 13.2.5.43).
        end = _COMMENT_END.search(text, opening + 2)
        if end is None:
            break
        parts.append(text[start:opening])
        start = end.end()
    return "".join([*parts, text[start:]])


# --- cells -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """One field of one row: its value, and the text as it stood in the cell."""

    value: Value
    shown: str


def _read_rows(table: GuardedTable, selectors: Selectors) -> tuple[PageRow, ...] | Fault:
    placeholders = frozenset(selectors.file.placeholders)
    rows = []
    for row_no, cells in enumerate(table.rows, start=1):
        fields: dict[str, Value] = {}
        shown: dict[str, str] = {}
        for field in selectors.fields:
            reading = _read_field(field, cells, table, placeholders)
            if reading is None:
                return _stray_text(row_no, field.label_ko)
            value = fields[field.field] = reading.value
            if reading.shown != (value if isinstance(value, str) else _join(value)):
                shown[field.field] = reading.shown
        rows.append(PageRow(fields, shown, row_no))
    return tuple(rows)


def _read_field(
    field: FieldLocator,
    cells: tuple[Element, ...],
    table: GuardedTable,
    placeholders: frozenset[str],
) -> _Reading | None:
    """Read one field of a row; None where text stands beside the table inside the cell."""
    if locator := table.attributes.get(field.field):
        text = find_in_row(locator, cells)[0].get(locator.attr) or ""
        return _Reading(_value_of(text, placeholders), text)
    cell = cells[table.columns[field.field]]
    if field.is_nested:
        return _read_nested(field, cell, table.labels, placeholders)
    text = cell_text(cell, table.labels)
    full = _full_text(cell, text) if field.prefers_title else text
    return _Reading(_value_of(full, placeholders), text)


def _read_nested(
    field: FieldLocator, cell: Element, labels: frozenset[Element], placeholders: frozenset[str]
) -> _Reading | None:
    """Read the innermost cells of the tables inside a cell, or the cell itself where it has none.

    One empty text is an empty list; several keep their number, since positions pair with those of
    other columns.
    """
    inner = [
        element
        for element in cell.iterdescendants("td", "th")
        if next(element.iterdescendants("td", "th"), None) is None
    ]
    texts = [cell_text(element, labels) for element in inner]
    if inner and _squeeze(cell_text(cell, labels)) != _squeeze("".join(texts)):
        return None
    inner, texts = inner or [cell], texts or [cell_text(cell, labels)]
    full = map(_full_text, inner, texts) if field.prefers_title else texts
    values = tuple(_value_of(text, placeholders) for text in full)
    return _Reading(() if values == ("",) else values, _join(texts))


def _full_text(cell: Element, text: str) -> str:
    """Return the cell's title where the text was shortened for display, else the text."""
    title = cell.get("title") or ""
    return title if title.strip() and text.rstrip().endswith(("…", "...")) else text


def _value_of(text: str, placeholders: frozenset[str]) -> str:
    value = text.strip()
    return "" if value in placeholders else value


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _join(texts: Iterable[str]) -> str:
    return SHOWN_SEPARATOR.join(texts)


# --- faults ------------------------------------------------------------------------------------


def _truncated_page(text: str, end_marker: str) -> Fault:
    return Fault(
        "truncated_page",
        f"페이지가 중간에서 끊겼습니다. 끝 표시 {end_marker}가 없습니다(마지막 글자: "
        f"'{' '.join(text[-40:].split())}'). 끝까지 받아야 합니다. 잠시 뒤 다시 요청하며, "
        "계속되면 네트워크와 프록시를 확인해 주십시오.",
        exit_code=6,
        is_retryable=True,
    )


def _unparsable_page(reason: str) -> Fault:
    return Fault(
        "unparsable_page",
        f"페이지의 HTML을 끝까지 읽을 수 없습니다({shorten(reason)}). 목록 표까지 온전히 "
        "읽혀야 합니다. 보관된 페이지를 열어 보고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def _broken_reference() -> Fault:
    return Fault(
        "mojibake",
        "페이지에 글자가 아닌 문자 참조가 있어 U+FFFD로 읽힙니다. 모든 글자가 온전해야 합니다. "
        "이 날의 목록은 쓰지 않습니다. 보관된 페이지를 확인해 주십시오.",
        exit_code=4,
    )


def _stray_text(row_no: int, label: str) -> Fault:
    return Fault(
        "stray_text",
        f"{row_no}번째 행의 {label} 칸에서 안쪽 표 밖에 글자가 있습니다. 값은 모두 안쪽 표에 "
        "있어야 합니다. 이름표라면 selectors 파일의 drop에 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )
