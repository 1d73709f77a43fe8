"""How many rows of a page each selector of a file finds, the ones that are not needed, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.css_shape import shape_of_css
from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.page_anchors import PageAnchors, find_field_anchors, find_row_anchors
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.places import Search, count_hits, find_header
from dmf_crawler.extract.selector_lint import anchor_of
from dmf_crawler.extract.selector_shape import Anchor
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.table_choice import Choice
from dmf_crawler.extract.table_guard import find_list
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import LABEL, ROW
from dmf_crawler.model.run import Fault


@dataclass(frozen=True, slots=True)
class Hits:
    """What the selectors of a file find on a page.

    Attributes:
        n_rows: Records on the page.
        found: Each selector with the number of rows in which it finds what it needs; of `row` the
            number of rows of the list that it finds, header rows left out.
        headers: Field id → the header over what its primary selector finds, "" without one.
        anchors: Field id or `row` → which attributes would find the same as its primary selector;
            of those that hang on a class and find something.
        losers: Korean, one a table of the page that is not the list.
    """

    n_rows: int
    found: tuple[tuple[Delivery, int], ...]
    headers: dict[str, str]
    anchors: dict[str, PageAnchors]
    losers: tuple[str, ...]


def count_page_hits(page: RawPage, selectors: Selectors) -> Hits | Fault:
    """Try every selector on a list page.

    Returns:
        The hits; or the fault of `parse_page` or `find_list`. That a field is
        found by none of its selectors is no fault here.
    """
    document = parse_page(page, selectors.file.end_marker)
    if isinstance(document, Fault):
        return document
    listed = find_list(document, selectors)
    if isinstance(listed, Fault):
        return listed
    search, choice = listed.search, listed.choice
    found = [*_count_rows(document, choice, selectors), *_count_labels(search, selectors)]
    for field in selectors.fields:
        for position, locator in enumerate(field.locators):
            n_hits = count_hits(locator, field.field, search)
            found.append((Delivery(field.field, position, locator.source), n_hits))
    headers = {
        field.field: find_header(field.primary, field.field, search) for field in selectors.fields
    }
    anchors = dict(_find_anchors(search, choice, selectors))
    return Hits(len(search.rows), tuple(found), headers, anchors, choice.losers)


def _find_anchors(
    search: Search, choice: Choice, selectors: Selectors
) -> Iterator[tuple[str, PageAnchors]]:
    css, path = selectors.rows[0]
    if shape_of_css(css).anchor is Anchor.CLASS:
        found = find_row_anchors(path, choice.headers, search.document)
        if found is not None:
            yield ROW, found
    for field in selectors.fields:
        if anchor_of(selectors.file.fields[field.field]) is Anchor.CLASS:
            found = find_field_anchors(field.primary, search)
            if found is not None:
                yield field.field, found


def _count_rows(
    document: Element, choice: Choice, selectors: Selectors
) -> Iterator[tuple[Delivery, int]]:
    own = {row.element for header in choice.headers for row in header.rows}
    for position, (css, path) in enumerate(selectors.rows):
        n_rows = sum(element in own for element in find_elements(path, document))
        yield Delivery(ROW, position, f"css {css}"), n_rows


def _count_labels(search: Search, selectors: Selectors) -> Iterator[tuple[Delivery, int]]:
    own = set(search.rows)
    holders = {cell for cells in search.cells for cell in cells}
    for position, (css, path) in enumerate(zip(selectors.file.drop, selectors.drop, strict=True)):
        rows = {
            next((each for each in label.iterancestors() if each in own), None)
            for label in find_elements(path, search.document)
            if label.getparent() in holders
        }
        yield Delivery(LABEL, position, f"css {css}"), len(rows - {None})
