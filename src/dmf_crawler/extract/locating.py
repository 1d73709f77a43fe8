"""Where a locator finds its value: below a row, or on a detail page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml.etree import _Element as Element
from lxml.html import tostring

from dmf_crawler.extract.cell import cell_text
from dmf_crawler.extract.grid import part_of
from dmf_crawler.extract.json_places import find_json_places
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.selectors import Locator, text_form

_LABEL_TAGS = frozenset({"dt", "th", "label"})
_VALUE_OF = {"dt": "dd", "th": "td"}
"""What the value behind a label must be; behind any other it may be anything."""

_NOTHING: frozenset[Element] = frozenset()
_LABEL_ATTRIBUTES = ("data-label", "data-title", "data-th", "aria-label")
_MARKUP = re.compile("<[^<>]*>")
_JSON_WORDS = frozenset({"true", "false", "null"})
_RETURN = "&#13;"
_MAX_JSON_CHARS = 2_000_000
_MAX_JSON_DEPTH = 50
_MAX_JSON_VALUES = 10_000


def locate(locator: Locator, root: Element, labels: frozenset[Element]) -> list[Element]:
    """Return the elements that a locator finds below a root; of `label` those that hold the value.

    `header_text`, `between` and `json_ld` find no elements.
    """
    if locator.strategy == "label":
        return list(dict.fromkeys(_find_labelled(locator, root, labels)))
    return [] if locator.path is None else find_elements(locator.path, root)


def find_between(locator: Locator, element: Element) -> str | None:
    """Return what stands between the delimiters in an element's HTML, None unless just once.

    That is Kushmerick's LR wrapper (IJCAI 1997) on the markup as the parser understood it:
    attributes in double quotes, end tags where they belong. Tags in the value are taken out, and
    references are decoded.
    """
    left, right = locator.between
    source = tostring(element, encoding="unicode", with_tail=False)
    start = source.find(left)
    if start < 0 or source.find(left, start + 1) >= 0:
        return None
    start += len(left)
    end = source.find(right, start)
    return None if end < 0 else html.unescape(_MARKUP.sub("", source[start:end]))


def _find_labelled(
    locator: Locator, root: Element, labels: frozenset[Element]
) -> Iterator[Element]:
    """Yield what belongs to each label that says one of the texts."""
    for element in root.iter("*"):
        if element in labels or element.tag in _LABEL_TAGS:
            if text_form(cell_text(element, _NOTHING)) in locator.texts:
                yield from _value_of_label(element, labels)
        elif element.attrib and part_of(element) == "cell":
            names = (element.get(name) or "" for name in _LABEL_ATTRIBUTES)
            if any(text_form(name) in locator.texts for name in names if name):
                yield element


def _value_of_label(label: Element, labels: frozenset[Element]) -> Iterator[Element]:
    """Yield the element that a label names: the next cell, the next dd, or the cell it stands in.

    What is a label itself is no value.
    """
    if label in labels:
        holders = (each for each in label.iterancestors() if part_of(each) == "cell")
        yield from islice(holders, 1)
        return
    follower = label.getnext()
    if follower is not None and follower.tag == _VALUE_OF.get(label.tag, follower.tag):
        yield follower


def read_json_ld(document: Element, locator: Locator) -> list[str]:
    """Return all values that a locator's steps find in the page's JSON-LD, in order."""
    return [value for _, value in find_json_ld(document, locator)]


def find_json_ld(document: Element, locator: Locator) -> list[tuple[Element, str]]:
    """Return the values of `read_json_ld`, each with the script that says it."""
    found: list[tuple[Element, str]] = []
    for script in document.iter("script"):
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        for value in _follow(_load_json(_with_returns(script)), locator.steps):
            if len(found) >= _MAX_JSON_VALUES:
                return []
            found.append((script, value))
    return found


def index_json_ld(script: Element, locator: Locator, value_no: int) -> int:
    """Return where in a script's text a value stands, by its name.

    Args:
        script: One of `find_json_ld`.
        locator: Which steps lead to the value.
        value_no: 0-based among the values that they find in this script.

    Returns:
        An index of `script.text`; 0 where a name stands twice in an object, so that the values
        cannot be counted.
    """
    text = _with_returns(script)
    names = tuple(step for step in locator.steps if step != "*")
    hits = [
        (place.start, text[place.value_start : place.end])
        for place in find_json_places(text)
        if place.names == names and place.kind in {'"', ""}
    ]
    hits = [(start, source) for start, source in hits if source not in _JSON_WORDS]
    sources = [json.loads(source, parse_int=str, parse_float=str) for _, source in hits]
    if sources != list(_follow(_load_json(text), locator.steps)):
        return 0
    start, _ = hits[value_no]
    return start + text.count("\r", 0, start) * (len(_RETURN) - 1)


def _with_returns(script: Element) -> str:
    """Return a script's text, in which a parser leaves the references to returns as they stand."""
    return (script.text or "").replace(_RETURN, "\r")


def _load_json(text: str) -> Any:
    """Return what a script says, None of what is no JSON or far too much of it."""
    if len(text) > _MAX_JSON_CHARS or not _is_shallow(text):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _is_shallow(text: str) -> bool:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest <= _MAX_JSON_DEPTH


def _follow(value: Any, steps: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts and numbers at the end of the steps, of every item of a list on the way."""
    if isinstance(value, list):
        rest = steps[1:] if steps[:1] == ("*",) else steps
        for each in value:
            yield from _follow(each, rest)
    elif steps[:1] == ("*",):
        yield from _follow(value, steps[1:])  # a list of one is often written without the list
    elif isinstance(value, dict) and steps:
        yield from _follow(value.get(steps[0]), steps[1:])
    elif isinstance(value, str) and not steps:  # numbers are texts, as they were written
        yield value
