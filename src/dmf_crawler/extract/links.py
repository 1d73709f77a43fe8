"""Where a page leads, and whether it lets robots follow."""

from __future__ import annotations

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract.css import find_elements
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.extract.row_guard import NEVER_TEXT
from dmf_crawler.model.detail import FileLink
from dmf_crawler.settings import Identity

DEFAULT_PRODUCT_TOKEN = Identity().product_token
"""Our name where the caller does not say another."""

_REFUSALS = frozenset({"nofollow", "none"})


def lets_follow(document: Element, product_token: str) -> bool:
    """Say whether no `<meta>` of a page asks all robots, or us by name, not to follow its links."""
    names = {"robots", product_token.lower()}
    return not any(
        _REFUSALS & _directives(meta.get("content") or "")
        for meta in document.iter("meta")
        if (meta.get("name") or "").strip().lower() in names
    )


def read_link(path: XPath, row: Element) -> str:
    """Return the address behind a row as it stands there, "" where there is none to follow."""
    links = find_elements(path, row)
    return "" if not links or _is_nofollow(links[0]) else links[0].get("href") or ""


def read_file_links(path: XPath, document: Element) -> tuple[FileLink, ...]:
    """Return a page's links to files in page order, without those that are not to be followed.

    An address that several links share, such as an icon and a name, is one file; its label is the
    first that is not empty.
    """
    labels: dict[str, str] = {}
    for link in find_elements(path, document):
        href = link.get("href") or ""
        if href and not _is_nofollow(link):
            labels[href] = labels.get(href) or read_text(link, _is_never_text).replace("\n", " ")
    return tuple(FileLink(href, label) for href, label in labels.items())


def _directives(content: str) -> set[str]:
    """Return the words of a comma list; one with a value (`max-image-preview:none`) is no word."""
    parts = content.lower().split(",")
    return {word for part in parts if ":" not in part for word in part.split()}


def _is_never_text(element: Element) -> bool:
    return element.tag in NEVER_TEXT


def _is_nofollow(link: Element) -> bool:
    return "nofollow" in (link.get("rel") or "").lower().split()
