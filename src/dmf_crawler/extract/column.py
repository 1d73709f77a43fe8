"""One column of the list, each of its cells read once: for the checks, and for the values.

Almost all cells are of two forms: a text with a label or without, and a label with a table whose
cells hold texts alone. These are told, and read, from a few looks; any other one is odd: it is read
element by element, and is looked at by every check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import cell_text, hides, squeeze
from dmf_crawler.extract.inner import find_inner, split_lines
from dmf_crawler.extract.labels import INLINE, Labels

_TABLE_TAGS = frozenset({"table", "thead", "tbody", "tfoot", "tr"})
_CELL_TAGS = frozenset({"td", "th"})

Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellColumn:
    """What the cells of one column say, labels left out, as the source has it.

    Attributes:
        cells: n_cells different ones; less than rows where some span several.
        texts: n_cells, of a column whose cells are one text each.
        nested: n_cells, of a column whose cells hold several; None where text stands beside the
            table inside a cell.
        labels: The different texts of the labels before values, None for a value without label.
        lone_labels: The different texts of the labels in cells without a value.
        odd: Indexes of the cells that are of no usual form; their labels are not told.
        row_nos: n_cells, the row that each stands in, or the first of several, from 1.
    """

    cells: Sequence[Element]
    texts: Sequence[str]
    nested: Sequence[Texts | None]
    labels: Set[str | None]
    lone_labels: Set[str]
    odd: Sequence[int]
    row_nos: Sequence[int]


def flatten(column: CellColumn) -> Iterator[str]:
    """Return all texts of a column; of cells with text beside a table there are none."""
    return chain(column.texts, *filter(None, column.nested))


def read_column(cells: Sequence[Element], labels: Labels) -> CellColumn:
    """Read a column whose cells are one text each.

    Args:
        cells: n_cells different ones.
        labels: What is no part of a value.
    """
    drop = labels.drop
    texts: list[str] = []
    names: set[str | None] = set()
    lone: set[str] = set()
    odd: list[int] = []
    for index, cell in enumerate(cells):
        n_children = len(cell)
        text = cell.text or ""
        if n_children == 0:
            if text.strip():
                names.add(None)
        elif (
            n_children == 1
            and (label := cell[0]) in drop
            and label.tag in INLINE
            and not len(label)
        ):
            text += label.tail or ""
            (names if text.strip() else lone).add(label.text or "")
        else:
            odd.append(index)
            text = cell_text(cell, labels.all)
        texts.append(text)
    return CellColumn(cells, texts, (), names, lone, odd, range(1, len(cells) + 1))


def read_nested_column(cells: Sequence[Element], labels: Labels) -> CellColumn:
    """Read a column in which a table, a list or lines inside a cell are texts of their own.

    Args:
        cells: n_cells different ones.
        labels: What is no part of a value.
    """
    texts: list[Texts | None] = []
    names: set[str | None] = set()
    lone: set[str] = set()
    odd: list[int] = []
    for index, cell in enumerate(cells):
        own = None
        if len(cell) == 2 and _is_plain(label := cell[0], labels):
            beside = (cell.text or "") + (label.tail or "")
            if not beside.strip():
                own = _read_only_cell(cell[1], labels.all) or _read_table(cell[1], labels.all)
        if own is None:
            odd.append(index)
            own = read_inner(cell, labels.all)
        else:
            has_value = own[0].strip() or any(map(str.strip, own))
            (names if has_value else lone).add(label.text or "")
        texts.append(own)
    return CellColumn(cells, (), texts, names, lone, odd, range(1, len(cells) + 1))


def _is_plain(label: Element, labels: Labels) -> bool:
    """Say whether an element is a label that is a text in a line and holds nothing else."""
    return label in labels.drop and label.tag in INLINE and not len(label)


def _read_table(table: Element, labels: frozenset[Element]) -> Texts | None:
    """Return the texts of a table's cells, None of what is more than rows of one text each."""
    elements = list(table.iter())
    if not labels.isdisjoint(elements) or any(map(hides, elements)):
        return None
    texts: list[str] = []
    before = ""
    for element in elements:
        tag, text, tail = element.tag, element.text, element.tail
        if tag == "td" and not len(element) and before != "td":
            texts.append(text or "")
        elif tag not in _TABLE_TAGS or (text and text.strip()):
            return None
        if tail and tail.strip():
            return None
        before = tag
    return tuple(texts) or None


def _read_only_cell(table: Element, labels: frozenset[Element]) -> Texts | None:
    """Return the text of a table that holds one cell and no blank beside it, None of any other."""
    element = table
    while len(element) == 1:
        if element.text or element.tail or element.tag not in _TABLE_TAGS or element in labels:
            return None
        element = element[0]
    if element.tag != "td" or len(element) or element.tail or element in labels:
        return None
    return (element.text or "",)


def read_inner(cell: Element, labels: frozenset[Element]) -> Texts | None:
    """Read the innermost cells of the tables inside a cell; None where text stands beside them.

    Where there is no table, list items, blocks and lines are its texts, as the site has it redrawn.
    """
    inner = find_inner(cell, labels)
    if not inner:
        return tuple(split_lines(cell, labels))
    texts = read_parts(inner, labels)
    return texts if squeeze(cell_text(cell, labels)) == squeeze("".join(texts)) else None


def read_parts(inner: Sequence[Element], labels: frozenset[Element]) -> Texts:
    """Return the texts of what stands inside a cell; a block may have several lines, a cell one."""
    if inner[0].tag in _CELL_TAGS:
        return tuple(cell_text(element, labels) for element in inner)
    return tuple(line for element in inner for line in split_lines(element, labels))
