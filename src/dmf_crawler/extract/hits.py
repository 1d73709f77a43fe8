"""How many rows of a page each selector of a file finds, the ones that are not needed, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.paths import find_elements
from dmf_crawler.extract.places import Search, count_hits, find_header
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
        losers: Korean, one a table of the page that is not the list.
    """

    n_rows: int
    found: tuple[tuple[Delivery, int], ...]
    headers: dict[str, str]
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
    return Hits(len(search.rows), tuple(found), headers, choice.losers)


def _count_rows(
    document: Element, choice: Choice, selectors: Selectors
) -> Iterator[tuple[Delivery, int]]:
    own = {row.element for header in choice.headers for row in header.rows}
    for position, (css, path) in enumerate(selectors.rows):
        n_rows = sum(element in own for element in find_elements(path, document))
        yield Delivery(ROW, position, f"css {css}"), n_rows


def _count_labels(search: Search, selectors: Selectors) -> Iterator[tuple[Delivery, int]]:
    for position, (css, path) in enumerate(zip(selectors.file.drop, selectors.drop, strict=True)):
        holders = {cell for cells in search.cells for cell in cells}
        rows = {
            row
            for label in find_elements(path, search.document)
            for row in search.rows
            if label.getparent() in holders and row in set(label.iterancestors())
        }
        yield Delivery(LABEL, position, f"css {css}"), len(rows)
