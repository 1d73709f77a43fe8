"""Texts of a workbook's cell or of the open API → the value of a field, as pages make theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dmf_crawler.extract.decode import drop_controls
from dmf_crawler.extract.parser import SHOWN_SEPARATOR
from dmf_crawler.extract.selectors import FieldLocator
from dmf_crawler.extract.value import unite, value_of
from dmf_crawler.model.record import Value

_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffd]")


def read_value(texts: Sequence[str], field: FieldLocator) -> tuple[Value, str | None]:
    """Return a field's value, and how it was shown where that differs.

    Args:
        texts: Of a nested field one a value, of any other field exactly one.
        field: Which field.
    """
    values = tuple(value_of(text, field) for text in texts)
    value = unite(values, field) if field.nested else values[0]
    shown = SHOWN_SEPARATOR.join(texts)
    plain = value if isinstance(value, str) else SHOWN_SEPARATOR.join(value)
    return value, None if shown == plain else shown


def clean_text(text: str) -> str | None:
    """Return a text without control characters, None where some of it is no character."""
    return None if _NO_CHARACTER.search(text) else drop_controls(text)
