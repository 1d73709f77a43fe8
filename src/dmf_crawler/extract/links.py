"""Where a page leads, and whether it lets robots follow."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml.etree import XPath
from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import NEVER_TEXT
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.model.detail import FileLink
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import Identity

DEFAULT_PRODUCT_TOKEN = Identity().product_token
"""Our name where the caller does not say another."""

_REFUSALS = frozenset({"nofollow", "none"})
_SEPARATORS = re.compile("[,;|]")
_TEXT_TYPES = ("/json", "/javascript", "/xml", "+xml", "+json")
_TEXT_ENDINGS = (
    *(".txt", ".csv", ".tsv", ".json", ".xml", ".svg", ".rtf", ".md", ".log"),
    *(".htm", ".html", ".xhtml", ".mht"),
)
"""Files that are text by their name."""

_BINARY_STARTS = (b"%PDF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")
_MARKUP_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!--|\?xml|(?:!doctype\s+html|html|head|body|script)\b)",
    re.IGNORECASE,
)


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
    if not page.body.strip():
        return Fault(
            "empty_file",
            f"첨부파일이 빈 내용으로 왔습니다: {page.url}. 다음 실행에서 다시 받습니다. 계속되면 "
            "브라우저로 열어 확인해 주십시오.",
            exit_code=6,
        )
    media_type = page.content_type.partition(";")[0].strip().lower()
    is_text = media_type.startswith("text/") or media_type.endswith(_TEXT_TYPES)
    head = page.body[:1024]
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        head = head.decode("utf-16", "replace").encode("ascii", "replace")
    # Some servers call every download text/html: what it begins with says more.
    is_binary = b"\0" in head or head.startswith(_BINARY_STARTS)
    if is_binary or page.file_name.lower().endswith(_TEXT_ENDINGS):
        return None
    if is_text or _MARKUP_START.match(head):
        return Fault(
            "not_the_file",
            f"첨부파일 대신 다른 내용(오류, 로그인, 점검 안내 등)이 왔습니다: {page.url}. 다음 "
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
