"""One kept detail page → its text and its links to files, or the reason why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import NEVER_TEXT, cell_text
from dmf_crawler.extract.column import read_inner
from dmf_crawler.extract.labels import find_labels
from dmf_crawler.extract.links import (
    DEFAULT_PRODUCT_TOKEN,
    lets_follow,
    read_base,
    read_file_links,
)
from dmf_crawler.extract.locating import find_between, locate, read_json_ld
from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.other_pages import DETAIL, name_other_page, read_shown_text
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.extract.quoting import quote_texts, shorten
from dmf_crawler.extract.selectors import DetailLocator, FieldLocator, Locator, Selectors
from dmf_crawler.extract.value import full_text, nested_value, read_one_attribute, unite, value_of
from dmf_crawler.model.detail import BODY, FILES, DetailPage, FileLink
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery, Value
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
        `too_many_files`, `no_detail_field`.

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
    detail = _read_region(regions[0], document, details)
    if isinstance(detail, Fault):
        return detail
    found = _read_fields(document, selectors)
    if isinstance(found, Fault):
        return found
    return replace(
        detail,
        follows_links=lets_follow(document, product_token),
        links_base=read_base(document, page.url),
        fields={each.field: each.value for each in found},
        delivered=tuple(each.delivery for each in found if each.delivery is not None),
    )


def _read_region(region: Element, document: Element, details: DetailLocator) -> DetailPage | Fault:
    """Read text and files; a page that has neither, and no picture, is none."""
    body = _read_body(region, document, details)
    if isinstance(body, Fault):
        return body
    files = _read_files(document, details)
    if isinstance(files, Fault):
        return files
    if not body and not files and next(region.iter("img"), None) is None:
        return _empty_detail()
    return DetailPage(body, files)


@dataclass(frozen=True, slots=True)
class _FoundField:
    """One field of a page; `delivery` says which selector found it, None where none did."""

    field: str
    value: Value
    delivery: Delivery | None


def _read_fields(document: Element, selectors: Selectors) -> list[_FoundField] | Fault:
    """Read the fields of a detail page; one that is not there is empty, unless it is required."""
    labels = find_labels(document, selectors).all
    fields: list[_FoundField] = []
    for field in selectors.details.fields if selectors.details else ():
        found = _find_field(field, document, labels)
        if not found.value and field.is_required:
            return _missing_field(field)
        fields.append(found)
    return fields


def find_all_selectors(page: RawPage, selectors: Selectors) -> tuple[Delivery, ...] | Fault:
    """Try every selector of a detail page's region, files and fields, also those not needed.

    Returns:
        Those that find what they need; or the fault of `parse_page`.

    Raises:
        ValueError: The selectors have no `details`.
    """
    details, file = selectors.details, selectors.file.details
    if details is None or file is None:
        raise ValueError(f"selectors of {selectors.file.board_id} have no details")
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault):
        return document
    labels = find_labels(document, selectors).all
    found = []
    if len(find_elements(details.region, document)) == 1:
        found.append(Delivery(BODY, 0, f"css {file.region}"))
    if details.files and find_elements(details.files, document):
        found.append(Delivery(FILES, 0, f"css {file.files}"))
    for field in details.fields:
        found += [
            Delivery(field.field, position, locator.source)
            for position, locator in enumerate(field.locators)
            if _find_values(locator, document, labels, field) is not None
        ]
    return tuple(found)


def _find_field(field: FieldLocator, document: Element, labels: frozenset[Element]) -> _FoundField:
    """Try a field's locators in turn; what none of them finds is empty."""
    empty: Value = () if field.nested == "list" else ""
    for position, locator in enumerate(field.locators):
        value = _find_values(locator, document, labels, field)
        if value is not None:
            used = Delivery(field.field, position, locator.source)
            return _FoundField(field.field, value or empty, used)
    return _FoundField(field.field, empty, None)


def _find_values(
    locator: Locator, document: Element, labels: frozenset[Element], field: FieldLocator
) -> Value | None:
    """Return what a locator finds in exactly one place of a page, None where it does not."""
    if locator.strategy == "json_ld":
        texts = read_json_ld(document, locator)
    elif locator.strategy == "between":
        between = find_between(locator, document)
        texts = [] if between is None else [between]
    else:
        elements = locate(locator, document, labels)
        if len(elements) != 1:
            return None
        if locator.strategy != "attr":
            return _read_element(field, elements[0], labels)
        attribute = read_one_attribute(locator, elements)
        texts = [] if attribute is None else [attribute]
    return _fit(value_of(texts[0], field), field) if len(texts) == 1 else None


def _read_element(
    field: FieldLocator, element: Element, labels: frozenset[Element]
) -> Value | None:
    if field.nested:
        texts = read_inner(element, labels)
        return None if texts is None else nested_value(element, texts, labels, field)
    text = cell_text(element, labels)
    return value_of(full_text(element, text) if field.prefers_title else text, field)


def _fit(text: str, field: FieldLocator) -> Value:
    return unite((text,), field) if field.nested else text


def _missing_field(field: FieldLocator) -> Fault:
    wanted = ", ".join(locator.source for locator in field.locators)
    return Fault(
        "no_detail_field",
        f"게시글에 필수 항목 {field.label_ko}의 값이 없습니다(셀렉터: {shorten(wanted)}). 한 곳에 "
        f"있어야 합니다. {_NEXT}",
        exit_code=6,
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
