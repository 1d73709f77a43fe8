"""Builders for the site's workbook: written by openpyxl, or part by part as nobody should."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from openpyxl import Workbook

from dmf_crawler.model.record import Value
from tests.extract.pages import LABELS

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

HEADER = ["순번", *LABELS.values()]


def list_row(number: int, fields: Mapping[str, Value]) -> list[Any]:
    """Return the cells of one record, sites joined, blanks empty."""
    texts = [value if isinstance(value, str) else "@".join(value) for value in fields.values()]
    return [number, *(text or None for text in texts)]


def list_rows(records: Sequence[Mapping[str, Value]]) -> list[list[Any]]:
    """Return header and rows of a list."""
    return [HEADER, *(list_row(number, each) for number, each in enumerate(records, start=1))]


def save(workbook: Workbook) -> bytes:
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def a_workbook(rows: Sequence[Sequence[Any]], **others: Sequence[Sequence[Any]]) -> bytes:
    """Return a workbook of the sheet `Sheet1`, and of others by their names."""
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, sheet_rows in {"Sheet1": rows, **others}.items():
        sheet = workbook.create_sheet(name)
        for row in sheet_rows:
            sheet.append(list(row))
    return save(workbook)


def sheet_xml(rows: Sequence[Sequence[str]], after: str = "", row_attributes: str = "") -> str:
    """Return a sheet of inline texts; a cell that begins with `<` stands as it is written."""
    body = "".join(f"<row{row_attributes}>{''.join(map(_write_cell, row))}</row>" for row in rows)
    return f"{_HEAD}<worksheet {MAIN}><sheetData>{body}</sheetData>{after}</worksheet>"


def _write_cell(text: str) -> str:
    if text.startswith("<"):
        return text
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def a_package(sheet: str, parts: Mapping[str, str | bytes | None] | None = None) -> bytes:
    """Return a package of one sheet, other parts added, replaced, or with None dropped."""
    all_parts: dict[str, str | bytes | None] = {
        "[Content_Types].xml": f"{_HEAD}<Types/>",
        "_rels/.rels": (
            f'{_HEAD}<Relationships {_RELATIONS}><Relationship Id="rId1" '
            f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": workbook_xml("목록"),
        "xl/_rels/workbook.xml.rels": relations_xml(
            worksheet="worksheets/sheet1.xml", sharedStrings="sharedStrings.xml",
            styles="styles.xml",
        ),
        "xl/worksheets/sheet1.xml": sheet,
    }  # fmt: skip
    return pack(all_parts | dict(parts or {}))


def pack(parts: Mapping[str, str | bytes | None], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, part in parts.items():
            if part is not None:
                archive.writestr(name, part)
    return buffer.getvalue()


def unpack(body: bytes) -> dict[str, str | bytes | None]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def workbook_xml(*names: str, properties: str = "") -> str:
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="worksheet{number}"/>'
        for number, name in enumerate(names, start=1)
    )
    return (
        f'{_HEAD}<workbook {MAIN} xmlns:r="{_DOCUMENT}">{properties}'
        f"<sheets>{sheets}</sheets></workbook>"
    )


def relations_xml(**targets: str) -> str:
    """Return relationships by kind; the id of each is its kind with a 1."""
    listed = "".join(
        f'<Relationship Id="{kind}1" Type="{_DOCUMENT}/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f"{_HEAD}<Relationships {_RELATIONS}>{listed}</Relationships>"


def styles_xml(*formats: str) -> str:
    """Return styles 0 (General) and 1 to n: a built-in number, or a code of its own."""
    codes = [text for text in formats if not text.isdigit()]
    listed = "".join(
        f'<numFmt numFmtId="{164 + at}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for at, code in enumerate(codes)
    )
    numbers = [text if text.isdigit() else str(164 + codes.index(text)) for text in formats]
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in ["0", *numbers])
    return (
        f'{_HEAD}<styleSheet {MAIN}><numFmts>{listed}</numFmts><cellStyleXfs><xf numFmtId="14"/>'
        f"</cellStyleXfs><cellXfs>{styles}</cellXfs></styleSheet>"
    )


def shared_xml(*texts: str) -> str:
    """Return shared texts, each the inside of its `si`."""
    listed = "".join(f"<si>{text}</si>" for text in texts)
    return f"{_HEAD}<sst {MAIN}>{listed}</sst>"
