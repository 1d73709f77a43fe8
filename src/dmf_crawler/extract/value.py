"""A text as it stood on the page → the value of a field."""

from __future__ import annotations

from itertools import islice

from lxml.etree import _Element as Element

from dmf_crawler.extract.column import Texts, find_inner
from dmf_crawler.extract.selectors import FieldLocator, Locator
from dmf_crawler.model.record import Value
from dmf_crawler.text import strip_blanks

_N_ATTRIBUTE_CHARS = 1024
"""An attribute that is longer (no address is) holds no value that a pattern could find."""


def value_of(text: str, field: FieldLocator) -> str:
    """Return a text without outer blanks; "" of a placeholder; white space as the file says.

    The text as it stood goes with the record wherever it is another one (`PageRow.shown`).
    """
    value = strip_blanks(text)
    if value in field.placeholders:
        return ""
    if field.white_space == "keep":
        return value
    if field.white_space == "collapse":
        return " ".join(value.split())
    return "\n".join(filter(None, (" ".join(line.split()) for line in value.splitlines())))


def nested_value(cell: Element, texts: Texts, field: FieldLocator) -> Value:
    """Return what a field makes of the texts inside its cell, titles in place of shortened ones."""
    if field.prefers_title and any(map(is_shortened, texts)):
        holders = find_inner(cell) or [cell]
        if len(holders) == len(texts):  # lines have no titles of their own
            texts = tuple(map(full_text, holders, texts))
    return unite(tuple([value_of(text, field) for text in texts]), field)


def unite(values: Texts, field: FieldLocator) -> Value:
    """Return what a field makes of several values.

    One empty value is an empty list; several keep their number, since positions pair with those of
    other columns.
    """
    if field.nested == "join":
        return "\n".join(filter(None, values))
    if field.nested == "first":
        return next(filter(None, values), "")
    return () if values == ("",) else values


def full_text(cell: Element, text: str) -> str:
    """Return the cell's title where the text was shortened for display, else the text."""
    title = (cell.get("title") or "") if is_shortened(text) else ""
    return title if title.strip() else text


def is_shortened(text: str) -> bool:
    """Say whether a text was cut off for display."""
    return text.rstrip().endswith(("…", "..."))


def read_attribute(locator: Locator, element: Element) -> str:
    """Return an attribute, or what its pattern finds in it, "" where that is not one thing."""
    text = element.get(locator.attr) or ""
    if locator.extract is None:
        return text
    if len(text) > _N_ATTRIBUTE_CHARS:
        return ""
    matches = list(islice(locator.extract.finditer(text.strip()), 2))
    return (matches[0][1] or "") if len(matches) == 1 else ""
