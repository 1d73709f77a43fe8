"""CSS selectors and relative XPaths, compiled once."""

from __future__ import annotations

from typing import cast

from cssselect import HTMLTranslator
from lxml.etree import XPath
from lxml.etree import _Element as Element


def compile_css(css: str) -> XPath:
    """Translate CSS into a compiled XPath; raises `cssselect.SelectorError`."""
    return XPath(HTMLTranslator().css_to_xpath(css))


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
