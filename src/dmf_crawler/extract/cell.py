"""What stands in a cell: its text, its labels left out; whether it can be seen."""

from __future__ import annotations

import re

from lxml.etree import _Element as Element

NEVER_TEXT = ("script", "style", "template", "noscript", "svg", "datalist", "select")


_HIDING = re.compile(r"display:none|visibility:(?:hidden|collapse)|font-size:0(?![.\d])")


def cell_text(element: Element, labels: frozenset[Element]) -> str:
    """Return an element's text as the source has it, labels left out, `<br>` as a line feed."""
    text = element.text or ""
    n_children = len(element)
    if not n_children:
        return text
    if n_children == 1 and (child := element[0]) in labels and child.tag != "br":
        return text + (child.tail or "")
    parts = [text]
    for child in element:
        if child.tag == "br":
            parts.append("\n")
        elif child not in labels:
            parts.append(cell_text(child, labels))
        parts.append(child.tail or "")
    return "".join(parts)


def shown_text(element: Element, labels: frozenset[Element]) -> str:
    """Return an element's text; of one that shows pictures alone, their alternative texts."""
    text = cell_text(element, labels)
    if text.strip() or not len(element):
        return text
    return " ".join(each.get("alt") or "" for each in element.iter("img"))


def find_unread(element: Element) -> str:
    """Return what an element without text shows all the same: a picture's text, a field's value."""
    for each in element.iter("img", "input", "option"):
        if each.tag == "img" and (alt := (each.get("alt") or "").strip()):
            return alt
        if each.tag == "option" and each.get("selected") is not None:
            return each.text or ""
        kind = (each.get("type") or "text").lower()
        if each.tag == "input" and kind in {"text", "button"} and each.get("value"):
            return each.get("value") or ""
    return ""


def squeeze(text: str) -> str:
    """Return a text without any white space."""
    return "".join(text.split())


def is_hidden(element: Element | None) -> bool:
    """Say whether an element's own markup keeps it from being shown; a table's never does."""
    if element is None or element.tag == "table":
        return False
    return hides(element)


def hides(element: Element) -> bool:
    """Say whether an element's own markup keeps it, and what is in it, from being shown."""
    if not element.keys():
        return False
    if element.get("hidden") is not None:
        return True
    style = "".join((element.get("style") or "").split()).lower()
    return _HIDING.search(style) is not None
