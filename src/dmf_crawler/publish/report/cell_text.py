"""Text as a cell can hold it, and how much room it takes; pure.

Excel's limits that a writer must keep: 32,767 UTF-16 units a cell, 2,079 units a link; XML 1.0
allows neither control characters nor lone surrogates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

MAX_CELL_UNITS = 32_767
MAX_LINK_UNITS = 2_079
LOST_AT_LINE_END = 2.0
"""Half-width characters that a broken line leaves empty, on average."""

_NEVER_IN_XML = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SAFE_LINK = re.compile(
    r"internal:'[^']+'![A-Z]+[0-9]+|https?://[!-~]+|external:[A-Za-z0-9_][A-Za-z0-9_.-]*\.html"
)


def clean_text(text: str) -> str:
    """Return text as a cell can hold it.

    Line ends become LF, the line break of a cell; control characters, lone surrogates and
    noncharacters are dropped; text beyond Excel's limit is cut and ends with a note saying so.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _NEVER_IN_XML.sub("", text)
    if len(text) <= MAX_CELL_UNITS // 2:
        return text
    return _cut(text)


def _cut(text: str) -> str:
    encoded = text.encode("utf-16-le")
    if len(encoded) <= 2 * MAX_CELL_UNITS:
        return text
    note = f"\n[이하 생략: 전체 {len(text):,}자]"
    kept = encoded[: 2 * (MAX_CELL_UNITS - len(note))]
    return kept.decode("utf-16-le", errors="ignore") + note


def is_safe_link(link: str) -> bool:
    """Tell whether Excel takes a link.

    That is one into this workbook, http(s) in printable ASCII, or an HTML file beside the workbook.
    """
    return len(link) <= MAX_LINK_UNITS and _SAFE_LINK.fullmatch(link) is not None


def display_width(text: str) -> float:
    """Return how wide the widest line is, in half-width characters.

    The mean of characters and UTF-8 bytes: 1 for ASCII, 2 for Hangul, 1.5 for accented Latin.
    """
    return max(
        (len(line) + len(line.encode("utf-8", "surrogatepass"))) / 2 for line in text.split("\n")
    )


def count_lines(text: str, width: float) -> int:
    """Return how many lines text takes in a cell of that width; breaking at words costs some."""
    if 2 * len(text) < width and "\n" not in text:
        return 1
    return sum(
        1 if measured <= width else math.ceil(measured / (width - LOST_AT_LINE_END))
        for measured in map(display_width, text.split("\n"))
    )


def fit_width(label: str, values: Iterable[str], *, most: float) -> float:
    """Return a column width for nine in ten values, 8 to `most`; a header may take two lines."""
    widths = sorted(display_width(value) for value in values)
    usual = widths[(len(widths) - 1) * 9 // 10] if widths else 0.0
    return min(max(usual + 2, display_width(label) / 2 + 4, 8.0), most)
