"""What a table calls its columns: in one header row or several, in `thead` or before the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import cell_text, hides, shown_text, squeeze
from dmf_crawler.extract.grid import GridRow, TooLarge, read_grid
from dmf_crawler.extract.selectors import Selectors, text_form

MAX_HEADER_ROWS = 3
"""So many rows together name the columns."""

_N_LEADING_ROWS = 6
"""Among so many first rows a header is looked for; before it there may be a title."""

_MOST_HEADS = 12
_N_NAME_CHARS = 300
"""A longer text names no column."""

_NOTHING: frozenset[Element] = frozenset()
_ATTRIBUTES = ("abbr", "title", "aria-label")


@dataclass(frozen=True, slots=True)
class Header:
    """One table's header.

    Attributes:
        table: Which table.
        texts: n_columns headers as shown, those of several rows joined by a blank.
        names: n_columns: forms by which the column may be known, the best first.
        fields: n_columns: field id, "" for an ignored column, None for an unknown one.
        hidden: Indexes of the columns that no browser shows.
        rows: The rows that are no header and no foot, in page order.
        signatures: n_columns texts without white space, of each header row.
        first: Index of the first column of a field, None where there is none.
        first_texts: What the signatures have there.
    """

    table: Element
    texts: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    fields: tuple[str | None, ...] = ()
    hidden: frozenset[int] = frozenset()
    rows: tuple[GridRow, ...] = ()
    signatures: frozenset[tuple[str, ...]] = frozenset()
    first: int | None = None
    first_texts: frozenset[str] = frozenset()

    @property
    def n_known(self) -> int:
        """How many different fields it names."""
        return len(set(filter(None, self.fields)))

    @property
    def columns(self) -> dict[str, int]:
        """Field id → index of the last column that it names."""
        return {field: index for index, field in enumerate(self.fields) if field}


def read_header(
    table: Element, labels: frozenset[Element], selectors: Selectors
) -> Header | TooLarge:
    """Find the rows that name most fields: as few, and as far up, as possible."""
    grid = read_grid(table)
    if isinstance(grid, TooLarge):
        return grid
    best, chosen = Header(table), slice(0)
    for start, chain in _find_chains(grid):
        header = _name_columns(table, chain, labels, selectors)
        if not best.texts or header.n_known > best.n_known:
            best, chosen = header, slice(start, start + len(chain))
        if best.n_known == len(selectors.header_fields):
            break
    if not best.n_known:  # the texts of its first row say why it is no list
        return best
    rows = tuple(row for row in grid[chosen.stop :] if row.section == "tbody")
    signatures = _sign(grid[chosen], labels)
    first = next(index for index, field in enumerate(best.fields) if field)
    texts = frozenset(signature[first] for signature in signatures)
    return replace(best, rows=rows, signatures=signatures, first=first, first_texts=texts)


def is_header_row(row: GridRow, header: Header, labels: frozenset[Element]) -> bool:
    """Say whether a row is one of the header rows once more."""
    if header.first is None or len(row.cells) != len(header.fields):
        return False
    shown = squeeze(cell_text(row.cells[header.first], labels))
    if shown not in header.first_texts:
        return False
    return tuple(squeeze(cell_text(cell, labels)) for cell in row.cells) in header.signatures


def _find_chains(grid: Sequence[GridRow]) -> Iterator[tuple[int, Sequence[GridRow]]]:
    """Yield the rows that may be a header, each with its place; single rows first."""
    n_heads = sum(row.section == "thead" for row in grid[:_MOST_HEADS])
    leading = grid[: max(n_heads, _N_LEADING_ROWS)]
    for n_rows in range(1, MAX_HEADER_ROWS + 1):
        for start in range(len(leading) - n_rows + 1):
            if any(not _may_stand_before(row) for row in leading[:start]):
                break
            chain = leading[start : start + n_rows]
            if chain[0].cells and len({len(row.cells) for row in chain}) == 1:
                yield start, chain


def _may_stand_before(row: GridRow) -> bool:
    """Say whether a row may be a title above the header: no record is lost with it."""
    return row.section == "thead" or row.n_distinct <= 1


def _name_columns(
    table: Element,
    chain: Sequence[GridRow],
    labels: frozenset[Element],
    selectors: Selectors,
) -> Header:
    texts, names, hidden = [], [], set()
    for cells in zip(*(row.cells for row in chain), strict=True):
        own = list(dict.fromkeys(cells))
        shown = [_header_text(cell, labels) for cell in own]
        texts.append(" ".join(filter(None, shown)))
        # All header cells of a column name it, else the lowest one, else what that says of itself.
        said = ("".join(shown), shown[-1], *(own[-1].get(name) or "" for name in _ATTRIBUTES))
        said = tuple(text for text in dict.fromkeys(said) if 0 < len(text) <= _N_NAME_CHARS)
        names.append(tuple(map(text_form, said)))
        if hides(own[-1]):
            hidden.add(len(texts) - 1)
    fields = tuple(_find_field(forms, selectors) for forms in names)
    return Header(table, tuple(texts), tuple(names), fields, frozenset(hidden))


def _header_text(cell: Element, labels: frozenset[Element]) -> str:
    """Return what a cell says; one that holds a table is the header of no column."""
    if len(cell) and next(cell.iterdescendants("table"), None) is not None:
        return ""
    return (shown_text(cell, labels) or shown_text(cell, _NOTHING)).strip()


def _find_field(forms: Sequence[str], selectors: Selectors) -> str | None:
    """Return the field that a column is of, "" of one that is never read, None if unknown."""
    for form in forms:
        if form in selectors.headers:
            return selectors.headers[form]
        if form in selectors.ignored_headers:
            return ""
    return None


def _sign(chain: Sequence[GridRow], labels: frozenset[Element]) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(squeeze(_header_text(cell, labels)) for cell in row.cells) for row in chain
    )
