"""CSS selectors and relative XPaths, compiled once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from cssselect import HTMLTranslator
from cssselect.xpath import XPathExpr
from lxml.etree import XPath
from lxml.etree import _Element as Element

_CLASS = re.compile(r"([a-z][a-z0-9]*)?\.([A-Za-z_][\w-]*)", re.ASCII)
_BLANKS = re.compile("[ \t\r\n]+")


class _Translator(HTMLTranslator):
    """A class that stands alone is found without taking words apart."""

    def xpath_attrib_includes(self, xpath: XPathExpr, name: str, value: str | None) -> XPathExpr:
        words = super().xpath_attrib_includes(XPathExpr(), name, value).condition
        if value and words != "0":  # one word
            words = f"{name} = {self.xpath_literal(value)} or ({words})"
        return xpath.add_condition(words)


class _Backwards(_Translator):
    """What stands before an element is looked for from there, not the element from what is before.

    Relative selectors, as in `:has`, cannot be translated so.
    """

    def xpath_descendant_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        return right.add_condition(f"ancestor::{left}")

    def xpath_child_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        return right.add_condition(f"parent::{left}")

    def xpath_direct_adjacent_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        return right.add_condition(f"preceding-sibling::*[1]/self::{left}")

    def xpath_indirect_adjacent_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        return right.add_condition(f"preceding-sibling::{left}")


@lru_cache(maxsize=512)  # a file is checked, then compiled, by each board and worker
def _translate(css: str) -> str:
    return _Translator().css_to_xpath(css)


@lru_cache(maxsize=512)
def _translate_backwards(css: str) -> str:
    return _Backwards().css_to_xpath(css, prefix="self::")


class Css(XPath):
    """A compiled CSS selector.

    Attributes:
        tag: Of a selector that is a class, or a tag and a class: its tag, "" for any.
        class_name: Of such a selector its class; "" of any other one.
        test: Says of an element whether the selector finds it; None where that cannot be said.
        knows_siblings: Whether that may depend on what stands beside an element.
    """

    def __init__(self, css: str) -> None:
        super().__init__(_translate(css), smart_strings=False)
        match = _CLASS.fullmatch(css.strip())
        self.tag, self.class_name = (match[1] or "", match[2]) if match else ("", "")
        backwards = "" if ":" in css else _translate_backwards(css)
        self.test = XPath(f"boolean({backwards})") if backwards else None
        self.knows_siblings = "+" in css or "~" in css

    def finds(self, element: Element) -> bool:
        """Say whether an element of the tag has the class."""
        classes = element.get("class")
        if not classes or classes == self.class_name:
            return bool(classes)
        return self.class_name in classes and self.class_name in _BLANKS.split(classes)


def compile_css(css: str) -> Css:
    """Translate CSS into a compiled XPath; raises `cssselect.SelectorError`."""
    return Css(css)


def compile_xpath(path: str) -> XPath:
    """Compile an XPath without variables, functions of others and name spaces.

    Raises:
        lxml.etree.XPathSyntaxError: It is none.
    """
    return XPath(path, regexp=False, smart_strings=False)


def find_among(path: XPath, elements: Sequence[Element], root: Element) -> list[Element]:
    """Return those of some elements below a root that a compiled selector finds.

    Args:
        path: Compiled.
        elements: In page order.
        root: Of their page.
    """
    if isinstance(path, Css) and path.class_name:
        tag = path.tag
        return [each for each in elements if path.finds(each) and tag in {"", each.tag}]
    if isinstance(path, Css) and path.test is not None:
        return _test_all(path.test, elements, knows_siblings=path.knows_siblings)
    found = frozenset(find_elements(path, root))
    return [each for each in elements if each in found]


def _test_all(test: XPath, elements: Sequence[Element], *, knows_siblings: bool) -> list[Element]:
    """Return the elements that pass: of one tag in one parent, without attributes, all or none."""
    passes: dict[tuple[Element | None, str], bool] = {}
    found = []
    for each in elements:
        if knows_siblings or each.keys():
            is_found = bool(test(each))
        else:
            kind = each.getparent(), each.tag
            if kind not in passes:
                passes[kind] = bool(test(each))
            is_found = passes[kind]
        if is_found:
            found.append(each)
    return found


def find_elements(path: XPath, root: Element) -> list[Element]:
    """Return the elements below a root that a compiled selector finds, in page order.

    An XPath that finds texts, numbers or attributes finds no element.
    """
    if isinstance(path, Css) and path.tag:  # in half the time
        name = path.class_name
        return [
            each for each in root.iter(path.tag) if each.get("class") == name or path.finds(each)
        ]
    found = path(root)
    if not isinstance(found, list) or (found and not isinstance(found[0], Element)):
        return []
    return cast("list[Element]", found)
