"""CSS selectors and relative XPaths, compiled once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from cssselect import HTMLTranslator
from cssselect.xpath import XPathExpr
from lxml.etree import XPath
from lxml.etree import _Element as Element

_CLASS = re.compile(r"\.([A-Za-z_][\w-]*)", re.ASCII)


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


class Css(XPath):
    """A compiled CSS selector.

    Attributes:
        test: Says of an element whether the selector finds it; None where that cannot be said.
    """

    def __init__(self, css: str) -> None:
        super().__init__(_Translator().css_to_xpath(css), smart_strings=False)
        backwards = "" if ":" in css else _Backwards().css_to_xpath(css, prefix="self::")
        self.test = XPath(f"boolean({backwards})") if backwards else None


def compile_css(css: str) -> Css:
    """Translate CSS into a compiled XPath; raises `cssselect.SelectorError`."""
    return Css(css)


def class_of(css: str) -> str:
    """Return the class that a selector of nothing else names, "" of any other selector."""
    match = _CLASS.fullmatch(css.strip())
    return match[1] if match else ""


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
    if isinstance(path, Css) and (test := path.test) is not None:
        return [each for each in elements if test(each)]
    found = frozenset(find_elements(path, root))
    return [each for each in elements if each in found]


def find_elements(path: XPath, root: Element) -> list[Element]:
    """Return the elements below a root that a compiled selector finds, in page order.

    An XPath that finds texts, numbers or attributes finds no element.
    """
    found = path(root)
    if not isinstance(found, list) or (found and not isinstance(found[0], Element)):
        return []
    return cast("list[Element]", found)
