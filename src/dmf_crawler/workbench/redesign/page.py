"""A saved list page as a tree: where its list, headers, rows, cells and labels are.

It knows the pages of the rehearsal site and nothing else, and shares no code with the reader.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from lxml.etree import _Element as Element
from lxml.html import document_fromstring, fragment_fromstring, tostring

_DOCTYPE = "<!DOCTYPE html>"
_N_LEAST_COLUMNS = 5
CELLS = ("td", "th")


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page of the rehearsal site, parsed; changed in place.

    Attributes:
        document: The root.
        table: The list.
        header: Its header row.
        rows: Its data rows.
    """

    document: Element
    table: Element
    header: Element
    rows: tuple[Element, ...]

    @property
    def body(self) -> Element:
        """The page's body."""
        return only(self.document.iter("body"))

    @property
    def headers(self) -> list[str]:
        """The texts of the columns' headers."""
        return [text_of(cell) for cell in self.header.iterchildren(*CELLS)]

    @property
    def sections(self) -> list[Element]:
        """The tbody elements of the list."""
        return list(self.table.iterchildren("tbody"))

    @property
    def columns(self) -> list[list[Element]]:
        """n_columns × n_rows body cells."""
        return [list(column) for column in zip(*map(cells_of, self.rows), strict=True)]

    @property
    def cells(self) -> list[Element]:
        """All body cells."""
        return [cell for row in self.rows for cell in cells_of(row)]

    def header_of(self, index: int) -> Element:
        """Return the header cell of a column."""
        return cells_of(self.header)[index]

    def label_of(self, cell: Element) -> Element | None:
        """Return the label element of a body cell, None where it has none."""
        first = next(cell.iterchildren("span"), None)
        if first is None or text_of(first) not in self.headers:
            return None
        return first

    def labelled(self) -> Iterator[tuple[Element, Element]]:
        """Yield every body cell that has a label, with the label."""
        for cell in self.cells:
            if (label := self.label_of(cell)) is not None:
                yield cell, label


def read_saved(html: str) -> SavedPage:
    """Parse a page whose list has a header row of `th`, in its thead or as its first row."""
    document: Element = document_fromstring(html)
    for table in document.iter("table"):
        header = next(iter_rows(table), None)
        if header is not None and len(list(header.iterchildren("th"))) >= _N_LEAST_COLUMNS:
            rows = tuple(row for row in iter_rows(table) if row is not header)
            return SavedPage(document, table, header, rows)
    raise ValueError("not a list page of the rehearsal site: no row of five or more th")


def write_saved(page: SavedPage) -> str:
    """Return a page as HTML text."""
    return write_element(page.document, doctype=_DOCTYPE)


def write_element(element: Element, *, doctype: str | None = None) -> str:
    """Return an element as HTML text, what follows it left out."""
    text: str = tostring(element, encoding="unicode", doctype=doctype, with_tail=False)
    return text.replace("</wbr>", "")  # libxml2 does not know that it is empty


def make(html: str) -> Element:
    """Return the one element that a piece of HTML is."""
    element: Element = fragment_fromstring(html)
    return element


def make_row(html: str) -> Element:
    """Return a table row with its sections' parent left out."""
    return make(f"<table><tbody>{html}</tbody></table>")[0][0]


def iter_rows(table: Element) -> Iterator[Element]:
    """Yield a table's own rows."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in {"thead", "tbody", "tfoot"}:
            yield from child.iterchildren("tr")


def cells_of(row: Element) -> list[Element]:
    """Return a row's own cells."""
    return list(row.iterchildren(*CELLS))


def text_of(element: Element) -> str:
    """Return an element's text, white space collapsed."""
    return " ".join("".join(map(str, element.itertext())).split())


def only(elements: Iterator[Element]) -> Element:
    """Return the first of some elements that must exist."""
    return next(elements)


def parent_of(element: Element) -> Element:
    """Return an element's parent, which it must have."""
    parent = element.getparent()
    if parent is None:
        raise ValueError("the root has no parent")
    return parent


def drop_attribute(element: Element, name: str) -> None:
    """Take an attribute away where there is one."""
    if name in element.attrib:
        del element.attrib[name]


def strip_text(cell: Element) -> str:
    """Return a body cell's text without its label; the whole one where the page has cut it."""
    first = next(cell.iterchildren("span"), None)
    label = "" if first is None else text_of(first)
    text = "".join(map(str, cell.itertext())).strip().removeprefix(label).strip()
    titles = [title for each in cell.iter("td", "span") if (title := each.get("title"))]
    return titles[0].strip() if titles and text.endswith("…") else text


def value_of(cell: Element) -> str:
    """Return what a cell holds as HTML; in a span where the cell has a title."""
    inner = write_element(cell).partition(">")[2].rpartition("</")[0]
    title = cell.get("title")
    return inner if title is None else f'<span title="{escape(title)}">{inner}</span>'


def detach(element: Element) -> None:
    """Take an element out of its parent, the text behind it kept."""
    parent = parent_of(element)
    previous = element.getprevious()
    tail, element.tail = element.tail or "", None
    if previous is None:
        parent.text = (parent.text or "") + tail
    else:
        previous.tail = (previous.tail or "") + tail
    parent.remove(element)


def wrap(element: Element, box: Element) -> Element:
    """Put an element into the innermost first child of a box, and the box where it was."""
    parent = parent_of(element)
    position = parent.index(element)
    box.tail, element.tail = element.tail, None
    parent.remove(element)
    innermost(box).append(element)
    parent.insert(position, box)
    return box


def wrap_content(element: Element, box: Element, *, after: Element | None = None) -> Element:
    """Put what an element holds into the innermost first child of a box, and return that.

    Args:
        element: Keeps the box alone.
        box: Empty but for elements in each other.
        after: A child; only what follows it is moved.
    """
    inner = innermost(box)
    start = 0
    if after is None:
        inner.text, element.text = element.text, None
    else:
        start = element.index(after) + 1
        inner.text, after.tail = after.tail, None
    for child in list(element)[start:]:
        inner.append(child)
    element.append(box)
    return inner


def innermost(box: Element) -> Element:
    """Return the first child of the first child and so on."""
    while len(box):
        box = box[0]
    return box


def insert_column(page: SavedPage, index: int, header: str, cells: Sequence[str]) -> None:
    """Insert a column.

    Args:
        page: Changed.
        index: Of the new column.
        header: HTML of its `th`.
        cells: HTML of its `td`, one a row.
    """
    page.header.insert(index, make(header))
    for row, cell in zip(page.rows, cells, strict=True):
        insert_cell(row, index, make(cell))


def insert_cell(row: Element, index: int, cell: Element) -> None:
    """Insert a cell, comments between the cells not counted."""
    cells = cells_of(row)
    if index < len(cells):
        cells[index].addprevious(cell)
    else:
        row.append(cell)


def move_column(page: SavedPage, origin: int, target: int) -> None:
    """Move a column, header and cells."""
    for row in (page.header, *page.rows):
        cell = cells_of(row)[origin]
        detach(cell)
        insert_cell(row, target, cell)


def remove_column(page: SavedPage, index: int) -> None:
    """Remove a column, header and cells."""
    for row in (page.header, *page.rows):
        detach(cells_of(row)[index])


def find_column(page: SavedPage, *headers: str) -> int:
    """Return the index of the first of some headers that the page has."""
    return next(page.headers.index(header) for header in headers if header in page.headers)


def pick(rng: random.Random, *choices: str) -> str:
    """Return one of some texts."""
    return rng.choice(choices)


def quote(text: str) -> str:
    """Return a text as HTML."""
    return escape(text)
