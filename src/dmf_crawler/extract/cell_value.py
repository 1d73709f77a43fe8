"""Texts of a workbook's cell or of the open API → the value of a field, as pages make theirs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from dmf_crawler.extract.decode import drop_controls
from dmf_crawler.extract.parser import SHOWN_SEPARATOR
from dmf_crawler.extract.selectors_file import Nested
from dmf_crawler.model.record import Value

_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffd]")


def read_value(
    texts: Sequence[str], nested: Nested, placeholders: Collection[str]
) -> tuple[Value, str | None]:
    """Return a field's value, and how it was shown where that differs.

    Args:
        texts: Of a nested field one a value, of any other field exactly one.
        nested: As in `FieldSelector`.
        placeholders: Texts that mean an empty value when they stand alone.
    """
    values = [_read_one(text, placeholders) for text in texts]
    value = _unite(values, nested)
    shown = SHOWN_SEPARATOR.join(texts)
    plain = value if isinstance(value, str) else SHOWN_SEPARATOR.join(value)
    return value, None if shown == plain else shown


def clean_text(text: str) -> str | None:
    """Return a text without control characters, None where some of it is no character."""
    return None if _NO_CHARACTER.search(text) else drop_controls(text)


def _read_one(text: str, placeholders: Collection[str]) -> str:
    value = text.strip()
    return "" if value in placeholders else value


def _unite(values: Sequence[str], nested: Nested) -> Value:
    if nested == "list":
        return () if list(values) == [""] else tuple(values)
    if nested == "join":
        return "\n".join(filter(None, values))
    return next(filter(None, values), "")
