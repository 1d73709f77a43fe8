"""Which table of the page is the list, and why the others are not.

Most tables of the web are layout (Cafarella 2008), so none is trusted for its place or class: the
list is the table whose own header names most fields. Of several that name as many, those are left
out that nobody sees, that go by another name, that have no rows or other numbers, and that say
once more what another one says. What then still are several is one list in sections if its running
number goes on from one to the next; else the page is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lxml.etree import _Element as Element

from dmf_crawler.extract import table_faults as faults
from dmf_crawler.extract.cell import cell_text, hides, squeeze
from dmf_crawler.extract.grid import (
    TooLarge,
    find_role_tables,
    find_table_after,
    find_table_within,
)
from dmf_crawler.extract.header import Header, read_header
from dmf_crawler.extract.markup import too_complex
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form, strip_blanks

LEAST_NUMBERS = 3
"""Of fewer rows nobody says that their numbers are those of another register."""

MAX_TABLES = 2_000
"""Of a page, those inside the cells of the list left out."""

MAX_ALIKE = 20
"""Tables with the header of the list."""

_NAMING_ATTRIBUTES = ("summary", "aria-label", "title")

Tables = Sequence[Header]


@dataclass(frozen=True, slots=True)
class Choice:
    """The tables that are the list.

    Attributes:
        headers: One or more, in page order.
        losers: Korean, one a table that is not the list: how many fields it names, and why not;
            those inside the list left out.
    """

    headers: tuple[Header, ...]
    losers: tuple[str, ...] = ()


def choose_tables(
    document: Element, labels: frozenset[Element], selectors: Selectors
) -> Choice | Fault:
    """Choose the list among the tables of a page.

    Returns:
        The choice; or one of the faults of `other_pages.name_other_page`, `no_table`,
        `layout_table`, `ambiguous_table`, `other_register`, `page_too_complex`.
    """
    headers = _read_headers(document, labels, selectors)
    if isinstance(headers, Fault):
        return headers
    if not headers:
        return faults.explain_no_table(document)
    most = max(header.n_known for header in headers)
    if most == 0:
        return faults.layout_table(
            document, [(each.texts, 0) for each in headers], len(selectors.header_fields)
        )
    best = [header for header in headers if header.n_known == most]
    judge = _Judge(selectors, labels)
    losers = [(each, "머리글이 모자람") for each in headers if each.n_known < most]
    return _choose_best(best, losers, judge)


def _choose_best(
    best: list[Header], losers: list[tuple[Header, str]], judge: _Judge
) -> Choice | Fault:
    """Narrow down the tables with the best header to those that are the list."""
    rules = judge.rules if 1 < len(best) <= MAX_ALIKE else ()
    for why, keeps in rules:
        kept = [header for header in best if keeps(header, best)]
        if kept and len(kept) < len(best):
            losers += [(each, why) for each in best if each not in kept]
            best = kept
    if len(best) > MAX_ALIKE or (len(best) > 1 and not judge.goes_on(best)):
        return faults.ambiguous_table([header.texts for header in best])
    stranger = judge.find_stranger(best)
    if stranger is not None:
        return stranger
    lists = {each.table for each in best}
    told = [judge.tell(*each) for each in losers if lists.isdisjoint(each[0].table.iterancestors())]
    return Choice(tuple(best), tuple(told))


def _read_headers(
    document: Element, labels: frozenset[Element], selectors: Selectors
) -> list[Header] | Fault:
    """Read the header of every table, but not of those inside the cells of a complete list.

    What is a table by its role alone is only looked at where no real table names a field.
    """
    headers: list[Header] = []
    complete: set[Element] = set()
    for tables in (_walk_tables(document, complete), find_role_tables(document)):
        for table in tables:
            header = read_header(table, labels, selectors)
            if isinstance(header, TooLarge):
                return too_complex(header.n_found, header.limit)
            headers.append(header)
            if len(headers) > MAX_TABLES:
                return too_complex(len(headers), MAX_TABLES)
            if header.n_known == len(selectors.header_fields):
                complete.add(table)
        if any(header.n_known for header in headers):
            break
    return headers


def _walk_tables(document: Element, complete: Container[Element]) -> Iterator[Element]:
    """Yield all tables but those inside one that is found to be complete when it was yielded."""
    table = find_table_within(document)
    while table is not None:
        yield table
        within = None if table in complete else find_table_within(table)
        table = find_table_after(table) if within is None else within


def name_of_table(table: Element) -> str:
    """Return what a table calls itself: caption, summary, aria-label; "" where it does not."""
    captions = [cell_text(each, frozenset()) for each in table.iterchildren("caption")]
    names = [*captions, *(table.get(name) or "" for name in _NAMING_ATTRIBUTES)]
    return " ".join(" ".join(names).split())


class _Judge:
    """Tells the list from tables with the same columns."""

    def __init__(self, selectors: Selectors, labels: frozenset[Element]) -> None:
        self._selectors = selectors
        self._labels = labels

    @property
    def rules(self) -> tuple[tuple[str, Callable[[Header, Tables], bool]], ...]:
        """Why a table is left out, and what the others are that are kept.

        Made when asked for: kept here they would know this object and it them, and the whole page
        would stay in memory until the next search for such circles.
        """
        return (
            ("화면에 보이지 않음", lambda header, _: _is_seen(header.table)),
            ("이름이 다름", lambda header, _: self._has_name(header)),
            ("행이 없음", lambda header, _: bool(header.rows)),
            ("번호의 모양이 다름", lambda header, _: not self._has_strange_numbers(header)),
            ("다른 표에 있는 행뿐임", self._is_no_excerpt),
        )

    def tell(self, header: Header, why: str) -> str:
        """Return what is said of a table that is not the list."""
        name = name_of_table(header.table) or " ".join(" ".join(header.texts).split())
        return f"'{name[:40]}' {header.n_known}/{len(self._selectors.header_fields)}: {why}"

    def find_stranger(self, tables: Tables) -> Fault | None:
        """Name the table that is another register with the same columns."""
        for header in tables:
            name = name_of_table(header.table)
            if name and self._selectors.table_names and not self._has_name(header):
                return faults.other_name(name, self._selectors.file.table.names)
        return None

    def goes_on(self, tables: Tables) -> bool:
        """Say whether the running numbers of several tables are those of one list."""
        for index, field in enumerate(tables[0].fields):
            if field != "" or any(table.fields != tables[0].fields for table in tables):
                continue
            shown = [row for table in tables for row in self._read_column(table, index)]
            if all(text.isascii() and text.isdigit() and len(text) < 10 for text in shown):
                steps = {int(after) - int(before) for before, after in pairwise(shown)}
                if steps in ({1}, {-1}):
                    return True
        return False

    def _has_name(self, header: Header) -> bool:
        names = self._selectors.table_names
        form = key_form(name_of_table(header.table))
        return not names or any(name in form for name in names)

    def _has_strange_numbers(self, header: Header) -> bool:
        pattern = self._selectors.number_pattern
        if pattern is None:
            return False
        numbers = self._read_numbers(header)
        if len(numbers) < LEAST_NUMBERS:
            return False
        return 2 * sum(pattern.fullmatch(number) is not None for number in numbers) < len(numbers)

    def _read_numbers(self, header: Header) -> list[str]:
        column = header.columns.get(self._selectors.file.key.number)
        if column is None:
            return []
        label = squeeze(header.texts[column])  # may stand in the cell unknown to `drop`
        texts = (text.removeprefix(label) for text in self._read_column(header, column))
        return [text for text in (strip_blanks(each).lstrip(":") for each in texts) if text]

    def _read_column(self, header: Header, index: int) -> list[str]:
        return [
            squeeze(cell_text(row.cells[index], self._labels))
            for row in header.rows
            if len(row.cells) == len(header.fields)
        ]

    def _is_no_excerpt(self, header: Header, others: Tables) -> bool:
        """Say whether a table has a row that no table before it, nor a longer one, has."""
        own = self._read_rows(header)
        for other in others:
            if other is header:
                continue
            rows = self._read_rows(other)
            is_first = others.index(header) < others.index(other)
            if own <= rows and not (own == rows and is_first):
                return False
        return True

    def _read_rows(self, header: Header) -> frozenset[tuple[str, ...]]:
        columns = sorted(header.columns.values())
        return frozenset(
            tuple(squeeze(cell_text(row.cells[index], self._labels)) for index in columns)
            for row in header.rows
            if len(row.cells) == len(header.fields)
        )


def _is_seen(table: Element) -> bool:
    return not any(hides(element) for element in (table, *table.iterancestors()))
