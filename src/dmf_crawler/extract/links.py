"""Where a page leads, and whether it lets robots follow."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract.css import find_elements
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.extract.row_guard import NEVER_TEXT
from dmf_crawler.model.detail import FileLink
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import Identity

DEFAULT_PRODUCT_TOKEN = Identity().product_token
"""Our name where the caller does not say another."""

_REFUSALS = frozenset({"nofollow", "none"})
_SEPARATORS = re.compile("[,;|]")
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE
)
_HTML_ENDINGS = (".htm", ".html", ".xhtml", ".mht")


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
    """Return a page's links to files in page order.

    An address that several links share, such as an icon and a name, is one file; its label is the
    first that is not empty, and it is not followed where one of them says so.
    """
    labels: dict[str, str] = {}
    refused: set[str] = set()
    for link in find_elements(path, document):
        if href := link.get("href") or "":
            labels[href] = labels.get(href) or read_text(link, _is_never_text).replace("\n", " ")
            refused |= {href} if _is_nofollow(link) else set()
    return tuple(FileLink(href, label, href not in refused) for href, label in labels.items())


def read_base(document: Element, page_url: str) -> str:
    """Return what a page's links are relative to (WHATWG HTML, 4.2.3)."""
    base = next((each.get("href") for each in document.iter("base") if each.get("href")), None)
    try:
        return urljoin(page_url, base.strip()) if base else page_url
    except ValueError:  # no address; the links are judged one by one
        return page_url


def judge_file(page: RawPage) -> Fault | None:
    """Say why what came cannot be the file that was asked for, None where it can be."""
    if not page.body:
        return Fault(
            "empty_file",
            f"첨부파일의 내용이 0바이트로 왔습니다: {page.url}. 다음 실행에서 다시 받습니다. "
            "계속되면 브라우저로 열어 확인해 주십시오.",
            exit_code=6,
        )
    is_html = page.content_type.partition(";")[0].strip().lower() in _HTML_TYPES
    is_html = is_html or _HTML_START.match(page.body[:1024]) is not None
    if is_html and not page.file_name.lower().endswith(_HTML_ENDINGS):
        return Fault(
            "html_instead_of_file",
            f"첨부파일 대신 HTML 페이지(오류, 로그인, 점검 안내 등)가 왔습니다: {page.url}. 다음 "
            "실행에서 다시 받습니다. 계속되면 브라우저로 열어 확인해 주십시오.",
            exit_code=6,
        )
    return None


def _directives(content: str) -> set[str]:
    """Return the words of a list; one with a value (`max-image-preview:none`) is no word."""
    parts = _SEPARATORS.split(content.lower())
    return {word for part in parts if ":" not in part for word in part.split()}


def _is_never_text(element: Element) -> bool:
    return element.tag in NEVER_TEXT


def _is_nofollow(link: Element) -> bool:
    return "nofollow" in (link.get("rel") or "").lower().split()
