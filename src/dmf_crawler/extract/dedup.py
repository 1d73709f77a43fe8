"""The tables of one pass over the list → one snapshot, unique by key, or the reason why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dmf_crawler.extract import list_faults as faults
from dmf_crawler.extract.joining import Identity, JoinedRow, Joining, place_twins
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.record import Delivery, PageTable, Record, Snapshot
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.run import Fault

KeptTables = Mapping[tuple[int, str, int], PageTable | Fault]
"""Pass, kind (`list` or `recheck`) and page number → what was read there."""


def merge_last_pass(
    tables: KeptTables, selectors: Selectors, *, split_numbers: frozenset[str] = frozenset()
) -> Snapshot | Fault | None:
    """Unite the pages of the last pass that says anything.

    That is a pass that was read to its end (page 1 once more), or one that was given up because
    its pages could no longer make a list. A pass that was merely cut short says nothing.

    Args:
        tables: All list pages that a run kept.
        selectors: The board's.
        split_numbers: As in `merge_pages`.

    Returns:
        As `merge_pages`; `repeated_page` or `race` for a pass that was given up; the first fault
        of a page; None where no pass says anything.
    """
    places = sorted(tables)  # within a pass `list` before `recheck`
    for pass_no in sorted({place[0] for place in places}, reverse=True):
        of_pass = [tables[place] for place in places if place[0] == pass_no]
        readable = list(_take_readable(of_pass))
        if (pass_no, "recheck", 1) in tables:
            if len(readable) < len(of_pass):
                return next(table for table in of_pass if isinstance(table, Fault))
            *pages, recheck = readable
            return merge_pages(pages, recheck, selectors, split_numbers=split_numbers)
        if fault := _find_early_fault(readable, selectors):
            return fault
    return None


def _take_readable(tables: Iterable[PageTable | Fault]) -> Iterator[PageTable]:
    for table in tables:
        if isinstance(table, Fault):
            return
        yield table


def _find_early_fault(tables: Iterable[PageTable], selectors: Selectors) -> Fault | None:
    """Say for which fault a pass was given up before its end, None where for none."""
    joining = Joining(selectors.file.key)
    joined = (joining.add(table) for table in tables)
    return next((rows for rows in joined if isinstance(rows, Fault)), None)


def merge_pages(
    tables: Iterable[PageTable],
    recheck: PageTable,
    selectors: Selectors,
    *,
    split_numbers: frozenset[str] = frozenset(),
) -> Snapshot | Fault:
    """Unite the pages of one pass.

    Args:
        tables: Pages 1 to n in order, at least one.
        recheck: Page 1, read once more after page n.
        selectors: The board's.
        split_numbers: Key forms of numbers that several records bore on an earlier day; they keep
            their composite keys.

    Returns:
        The snapshot, records that are pinned and stand nowhere else at its end; or a fault: `race`
        (retryable: read again), `repeated_page`, `short_list`, `empty_list`, `duplicate_rows`.
    """
    joining = Joining(selectors.file.key)
    rows: list[JoinedRow] = []
    delivered: Counter[Delivery] = Counter()
    for table in tables:
        added = joining.add(table)
        if isinstance(added, Fault):
            return added
        rows += added
        delivered.update(dict.fromkeys(table.delivered, len(table.rows)))
    on_top = joining.finish(recheck)
    if isinstance(on_top, Fault):
        return on_top
    rows = [*on_top, *rows, *joining.pinned_only]
    keyed = _key_rows(rows, split_numbers, is_moved=joining.is_moved)
    if isinstance(keyed, Fault):
        return keyed
    return Snapshot(
        records={key: _make_record(key, joined) for key, joined in keyed.rows.items()},
        announced_total=len(rows),
        n_pages=joining.n_pages,
        delivered=_add_primaries(delivered, selectors),
        split_numbers=tuple(sorted(keyed.split_numbers)),
        n_without_number=keyed.n_without_number,
        links={
            key: (joined.table.links_base, joined.row.link)
            for key, joined in keyed.rows.items()
            if joined.row.link and joined.table.follows_links
        },
    )


def _add_primaries(delivered: Mapping[Delivery, int], selectors: Selectors) -> dict[Delivery, int]:
    """Return what was delivered, with 0 rows for each primary selector that gave way altogether."""
    primaries = {field.field: field.primary.source for field in selectors.fields}
    primaries[ROW] = selectors.rows[0][0]
    kept = {used.field for used in delivered if not used.position}
    gone = dict.fromkeys(used.field for used in delivered if used.field not in kept)
    return {Delivery(field, 0, primaries.get(field, "")): 0 for field in gone} | dict(delivered)


def _make_record(key: str, joined: JoinedRow) -> Record:
    return Record(
        key=key,
        fields=joined.row.fields,
        shown=joined.row.shown,
        source=joined.table.source,
        url=joined.table.url,
        row_no=joined.row.row_no,
    )


# --- keys --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _KeyedRows:
    """Rows by key, in list order, and how the unusual keys came about."""

    rows: Mapping[str, JoinedRow]
    split_numbers: frozenset[str]
    n_without_number: int


def _key_rows(
    rows: Sequence[JoinedRow], split_numbers: frozenset[str], *, is_moved: bool
) -> _KeyedRows | Fault:
    """Give every row its key; a number that does not identify its row is joined by two fields."""
    if fault := _find_twins(rows, is_moved=is_moved):
        return fault
    n_bearers = Counter(joined.identity[0] for joined in rows)
    split = {number for number, n in n_bearers.items() if n > 1 or number in split_numbers} - {""}
    keyed: dict[str, JoinedRow] = {}
    for joined in rows:
        number, ingredient, *rest = joined.identity
        name = number
        if not number or number in split:
            name = "|".join([number or ingredient, *rest])
        # A number that is written like a composite key.
        if (first := keyed.setdefault(name, joined)) is not joined:
            return faults.twins(place_twins(first, joined), is_moved=False)
    return _KeyedRows(keyed, frozenset(split), n_bearers[""])


def _find_twins(rows: Sequence[JoinedRow], *, is_moved: bool) -> Fault | None:
    seen: dict[Identity, JoinedRow] = {}
    for joined in rows:
        if (first := seen.setdefault(joined.identity, joined)) is not joined:
            return faults.twins(place_twins(first, joined), is_moved=is_moved)
    return None
