"""A text as it stood on the page → the value of a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from lxml.etree import _Element as Element

from dmf_crawler.extract.column import Texts
from dmf_crawler.extract.inner import find_inner
from dmf_crawler.extract.selectors import FieldLocator, Locator
from dmf_crawler.model.record import Value
from dmf_crawler.text import strip_blanks

_ELLIPSES = ("…", "...", "⋯")

_N_ATTRIBUTE_CHARS = 1024
"""An attribute that is longer (no address is) holds no value that a pattern could find."""


def value_of(text: str, field: FieldLocator) -> str:
    """Return a text without outer blanks; "" of a placeholder; white space as the file says.

    The text as it stood goes with the record wherever it is another one (`PageRow.shown`).
    """
    return values_of((text,), field)[0]


def values_of(texts: Iterable[str], field: FieldLocator) -> list[str]:
    """Return `value_of` each of some texts."""
    values = list(map(strip_blanks, texts))
    if not field.placeholders.isdisjoint(values):
        values = ["" if value in field.placeholders else value for value in values]
    if field.white_space == "keep":
        return values
    if field.white_space == "collapse":
        return [" ".join(value.split()) for value in values]
    return ["\n".join(_fill_lines(value)) for value in values]


def _fill_lines(value: str) -> Iterator[str]:
    """Yield the lines of a value that say something, each without needless white space."""
    return filter(None, (" ".join(line.split()) for line in value.splitlines()))


def is_cut(text: str) -> bool:
    """Say whether a text was shortened for display."""
    return strip_blanks(text).endswith(_ELLIPSES)


def may_be_cut(texts: Iterable[str]) -> bool:
    """Say whether some of many texts may be cut; that none is can be told at once."""
    whole = "\n".join(texts)
    return any(each in whole for each in _ELLIPSES)


def find_full_text(cell: Element, text: str) -> str:
    """Return the title, of the cell or of something in it, that goes on where a text was cut."""
    start = "".join(strip_blanks(text).split()).rstrip(".…⋯")
    titles = (each.get("title") or "" for each in cell.iter("*")) if start else iter(())
    return next((each for each in titles if each and "".join(each.split()).startswith(start)), "")


def nested_value(
    cell: Element, texts: Texts, labels: frozenset[Element], field: FieldLocator
) -> Value:
    """Return what a field makes of the texts inside a cell, whole ones in place of cut ones."""
    whole = full_texts(cell, texts, labels) if field.prefers_title else texts
    return unite(tuple(values_of(whole, field)), field)


def full_texts(cell: Element, texts: Texts, labels: frozenset[Element]) -> Texts:
    """Return the whole texts inside a cell that shows some of them shortened."""
    if not any(map(is_cut, texts)):
        return texts
    holders = find_inner(cell, labels)
    if len(holders) != len(texts) or len(texts) == 1:  # the cell's own title is that of all
        holders = [cell] * len(texts)
    return tuple(map(full_text, holders, texts))


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
    """Return the whole text of a cell that shows it shortened, else the text."""
    return (find_full_text(cell, text) or text) if is_cut(text) else text


def read_attribute(locator: Locator, element: Element) -> str:
    """Return an attribute, or what its pattern finds in it, "" where that is not one thing."""
    text = element.get(locator.attr) or ""
    if locator.extract is None:
        return text
    if len(text) > _N_ATTRIBUTE_CHARS:
        return ""
    matches = list(islice(locator.extract.finditer(text.strip()), 2))
    return (matches[0][1] or "") if len(matches) == 1 else ""


def read_one_attribute(locator: Locator, elements: Sequence[Element]) -> str | None:
    """Return the only text that the attributes of elements say, None where they say several."""
    texts = {
        read_attribute(locator, each) for each in elements if each.get(locator.attr) is not None
    }
    if len(texts) > 1 and locator.extract is not None:
        texts -= {""}  # other links lead elsewhere
    return texts.pop() if len(texts) == 1 else None
