"""CSS selectors and relative XPaths, compiled once."""

from __future__ import annotations

import re
from typing import cast

from cssselect import HTMLTranslator
from cssselect.xpath import XPathExpr
from lxml.etree import XPath
from lxml.etree import _Element as Element

_CLASS = re.compile(r"\.([A-Za-z_][\w-]*)", re.ASCII)


class _Translator(HTMLTranslator):
    """Translates CSS so that a class that stands alone is found without taking words apart."""

    def xpath_attrib_includes(self, xpath: XPathExpr, name: str, value: str | None) -> XPathExpr:
        words = super().xpath_attrib_includes(XPathExpr(), name, value).condition
        if value and words != "0":  # one word
            words = f"{name} = {self.xpath_literal(value)} or ({words})"
        return xpath.add_condition(words)


def compile_css(css: str) -> XPath:
    """Translate CSS into a compiled XPath; raises `cssselect.SelectorError`."""
    return XPath(_Translator().css_to_xpath(css), smart_strings=False)


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


def find_elements(path: XPath, root: Element) -> list[Element]:
    """Return the elements below a root that a compiled selector finds, in page order.

    An XPath that finds texts, numbers or attributes finds no element.
    """
    found = path(root)
    if not isinstance(found, list) or (found and not isinstance(found[0], Element)):
        return []
    return cast("list[Element]", found)
