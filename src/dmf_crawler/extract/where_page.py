"""Where on a kept page of a `page` board its text, or one of its fields, stands."""

from __future__ import annotations

from lxml.etree import _Element as Element

from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.watched_page import PageSelectors, read_watched_page
from dmf_crawler.extract.where_cell import FoundCell, describe_element
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault


def find_in_page(page: RawPage, selectors: PageSelectors, field: str) -> FoundCell | Fault:
    """Find the element that holds one value of a watched page.

    Args:
        page: A kept page.
        selectors: The board's of today.
        field: Id of a field of the page, or of its text.

    Returns:
        The element; of the text, and of a field that the page has not, the region. Or the fault of
        `read_watched_page`.
    """
    read = read_watched_page(page, selectors)
    if isinstance(read, Fault):
        return read
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault):  # read_watched_page has read the very same bytes
        return document
    fields = {**read.fields, BODY: "\n".join(read.blocks)}
    element, attribute = _find_element(document, selectors, field, read.position)
    return describe_element(element, attribute, fields)


def _find_element(
    document: Element, selectors: PageSelectors, field: str, position: int
) -> tuple[Element, str]:
    if field in selectors.fields:
        path, wanted = selectors.fields[field]
        found = find_elements(path, document)
        if len(found) == 1:
            return found[0], wanted.attr
    (region,) = find_elements(selectors.regions[position][1], document)
    return region, ""
