"""CSS selectors, compiled once."""

from __future__ import annotations

from typing import cast

from cssselect import HTMLTranslator
from lxml.etree import XPath
from lxml.etree import _Element as Element


def compile_css(css: str) -> XPath:
    """Translate CSS into a compiled XPath; raises `cssselect.SelectorError`."""
    return XPath(HTMLTranslator().css_to_xpath(css))


def find_elements(path: XPath, root: Element) -> list[Element]:
    """Return the elements below a root that a compiled CSS selector finds, in page order."""
    return cast("list[Element]", path(root))
