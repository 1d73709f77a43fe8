"""One kept detail page → its text and its links to files, or the reason why it cannot be read."""

from __future__ import annotations

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import NEVER_TEXT
from dmf_crawler.extract.links import (
    DEFAULT_PRODUCT_TOKEN,
    lets_follow,
    read_base,
    read_file_links,
)
from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.other_pages import DETAIL, name_other_page, read_shown_text
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.extract.selectors import DetailLocator, Selectors
from dmf_crawler.model.detail import DetailPage, FileLink
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

_MOST_CHARS = 1_000_000
_MOST_FILES = 100
_NEXT = "보관된 페이지를 열어 보고 selectors 파일의 details를 고친 뒤 다시 실행해 주십시오."


def read_detail(
    page: RawPage, selectors: Selectors, product_token: str = DEFAULT_PRODUCT_TOKEN
) -> DetailPage | Fault:
    """Decode, parse and read one detail page.

    Args:
        page: A kept detail page.
        selectors: Those of a board with `details`.
        product_token: The name by which a page may ask us not to follow its links.

    Returns:
        Text and files; or the fault of `parse_page` or `name_other_page`, or one of
        `no_detail_region`, `several_detail_regions`, `empty_detail`, `detail_too_long`,
        `too_many_files`.

    Raises:
        ValueError: The selectors have no `details`.
    """
    details = selectors.details
    if details is None:
        raise ValueError(f"selectors of {selectors.file.board_id} have no details")
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault):
        return document
    regions = find_elements(details.region, document)
    if len(regions) != 1:
        return _explain_regions(document, len(regions), selectors)
    body = _read_body(regions[0], document, details)
    files = _read_files(document, details)
    if isinstance(body, Fault):
        return body
    if isinstance(files, Fault):
        return files
    if not body and not files and next(regions[0].iter("img"), None) is None:
        return _empty_detail()
    return DetailPage(
        body, files, lets_follow(document, product_token), read_base(document, page.url)
    )


def _read_body(region: Element, document: Element, details: DetailLocator) -> str | Fault:
    dropped = {element for path in details.drop for element in find_elements(path, document)}
    body = read_text(region, lambda element: element in dropped or element.tag in NEVER_TEXT)
    if len(body) > _MOST_CHARS:
        return Fault(
            "detail_too_long",
            f"게시글 본문이 {len(body):,}자입니다. {_MOST_CHARS:,}자 이하여야 합니다. {_NEXT}",
            exit_code=6,
        )
    return body


def _empty_detail() -> Fault:
    """Return the fault of a page without text, picture and file: a post has one of them."""
    return Fault(
        "empty_detail",
        "게시글의 본문 영역에 글자도 그림도 없고 첨부파일도 없습니다. 하나는 있어야 합니다. "
        f"{_NEXT}",
        exit_code=6,
    )


def _read_files(document: Element, details: DetailLocator) -> tuple[FileLink, ...] | Fault:
    files = read_file_links(details.files, document) if details.files else ()
    if len(files) > _MOST_FILES:
        return Fault(
            "too_many_files",
            f"게시글에 첨부파일 링크가 {len(files):,}개 있습니다. {_MOST_FILES}개 이하여야 합니다. "
            f"{_NEXT}",
            exit_code=6,
        )
    return files


def _explain_regions(document: Element, n_regions: int, selectors: Selectors) -> Fault:
    """Say why not exactly one element of the page is the body."""
    region = selectors.file.details.region if selectors.file.details else ""
    if n_regions:
        return Fault(
            "several_detail_regions",
            f"게시글의 본문 영역({region})이 {n_regions:,}곳에 있습니다. 한 곳이어야 합니다. "
            f"{_NEXT}",
            exit_code=6,
        )
    return name_other_page(document, DETAIL) or Fault(
        "no_detail_region",
        f"게시글의 본문 영역({region})이 없습니다(본문: "
        f"{quote_texts([read_shown_text(document, DETAIL)])}). 한 곳 있어야 합니다. {_NEXT}",
        exit_code=6,
    )
