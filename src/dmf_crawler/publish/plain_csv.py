"""Text files of comma-separated values that any program reads (RFC 4180, UTF-8 with a BOM).

Three things are said in a cell that csv itself cannot say, each so that it can be taken back:

- A text that a spreadsheet would take for a formula, or that begins with an apostrophe, has one
  apostrophe more in front.
- Several values of one cell stand one a line. Inside a value a backslash is written twice, a line
  feed as backslash n; a single empty value is one backslash.
- Where nothing may be lost (`exact_cell`), no value at all (NULL) is an empty cell, and a text
  without characters is one apostrophe.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from dmf_crawler.model.listing import StoredCell
from dmf_crawler.model.record import Value

_FORMULA = re.compile("[=+\\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]")
"""What a formula begins with, full-width signs included, and the apostrophe itself."""

EMPTY_VALUE = "\\"


def text_cell(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def value_cell(value: Value | None, *, is_nested: bool = False) -> str:
    """Return a value as a cell: empty for none, several values one a line.

    Args:
        value: Of one field.
        is_nested: Whether its column holds several values, even where this one is a plain text.
    """
    if value is None:
        return ""
    if isinstance(value, str) and not is_nested:
        return text_cell(value)
    return text_cell(join_values((value,) if isinstance(value, str) else value))


def join_values(values: Sequence[str]) -> str:
    """Return several values as one text, one a line; `split_values` takes it apart again."""
    if list(values) == [""]:
        return EMPTY_VALUE
    return "\n".join(value.replace("\\", "\\\\").replace("\n", "\\n") for value in values)


def split_values(text: str) -> tuple[str, ...]:
    """Return the values that `join_values` made a text of."""
    if text in {"", EMPTY_VALUE}:
        return ("",) if text else ()
    return tuple(
        re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], line)
        for line in text.split("\n")
    )


def exact_cell(value: StoredCell) -> str:
    """Return what a column holds so that nothing of it is lost; bytes in Base64."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, str):
        return text_cell(value) or "'"
    return repr(value)


def write_csv(file: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Write a header and rows of cells; return the number of rows, the header left out."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(header)
        n_rows = 0
        for row in rows:
            writer.writerow(row)
            n_rows += 1
    finally:
        text.detach()
    return n_rows
