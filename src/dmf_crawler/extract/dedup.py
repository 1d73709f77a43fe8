"""Tables of one source → one snapshot, unique by key, or the reason why not.

Pages of the list make one pass (`merge_pages`), the site's workbook is one table (`merge_export`),
and the open API is asked for all of its pages at least twice (`merge_api_passes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dmf_crawler.extract import list_faults as faults
from dmf_crawler.extract.joining import Identity, JoinedRow, Joining, identify, place_twins
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.record import Delivery, PageRow, PageTable, Record, Snapshot, Value
from dmf_crawler.model.reuse import LABEL, ROW
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
        delivered.update(_count_delivered(table))
    on_top = joining.finish(recheck)
    if isinstance(on_top, Fault):
        return on_top
    rows = [*on_top, *rows, *joining.pinned_only]
    snapshot = _make_snapshot(rows, split_numbers, is_moved=joining.is_moved)
    if isinstance(snapshot, Fault):
        return snapshot
    used = _add_primaries(delivered, selectors)
    return replace(snapshot, n_pages=joining.n_pages, delivered=used)


def merge_export(
    table: PageTable,
    selectors: Selectors,
    *,
    announced_total: int | None,
    split_numbers: frozenset[str] = frozenset(),
) -> Snapshot | Fault:
    """Take the site's workbook for the whole list.

    Args:
        table: Its rows.
        selectors: The board's.
        announced_total: How many records the pages of the list announce; None where nobody asked,
            and then nothing tells whether the workbook was cut off.
        split_numbers: As in `merge_pages`.

    Returns:
        The snapshot; or one of the faults `short_list`, `empty_list`, `duplicate_rows`.
    """
    total = len(table.rows) if announced_total is None else announced_total
    if not (total and table.rows):
        return faults.empty_list(total, len(table.rows))
    if len(table.rows) != total:
        return faults.cut_export(len(table.rows), total)
    rows = _join_rows([table], selectors)
    snapshot = _make_snapshot(rows, split_numbers, is_moved=False)
    if isinstance(snapshot, Fault):
        return snapshot
    return replace(snapshot, delivered=_add_primaries(_count_delivered(table), selectors))


def merge_api_passes(
    passes: Sequence[Sequence[PageTable]],
    selectors: Selectors,
    *,
    split_numbers: frozenset[str] = frozenset(),
) -> Snapshot | Fault:
    """Unite all pages of the open API that several passes got.

    The order of its records changes from call to call, so that one pass shows some twice, and
    others not at all. What any pass showed counts, and counts once.

    Args:
        passes: All pages of each pass.
        selectors: The board's.
        split_numbers: As in `merge_pages`.

    Returns:
        The snapshot; or one of the faults `empty_list` or `race` (retryable): the total changed,
        one record had two contents, or there are not yet, or no longer, as many records as the
        total says.
    """
    tables = _fill_fields([table for of_pass in passes for table in of_pass], selectors)
    totals = {table.announced_total for table in tables}
    if len(totals) > 1:
        return faults.race(f"전체가 {min(totals)}건이기도 하고 {max(totals)}건이기도 합니다")
    total = max(totals, default=0)
    rows = _join_rows(tables, selectors)
    if not (total and rows):
        return faults.empty_list(total, len(rows))
    united = _fold_doubles(rows)
    if isinstance(united, Fault):
        return united
    if len(united) != total:
        return faults.race(
            f"{len(passes)}번 읽어 서로 다른 {len(united)}건을 찾았습니다. 사이트가 알린 전체는 "
            f"{total}건입니다"
        )
    snapshot = _make_snapshot(united, split_numbers, is_moved=False)
    if isinstance(snapshot, Fault):
        return snapshot
    delivered = Counter(used for joined in united for used in joined.table.delivered)
    return replace(snapshot, n_pages=len(tables), delivered=dict(delivered))


# --- rows of several tables --------------------------------------------------------------------


def _join_rows(tables: Iterable[PageTable], selectors: Selectors) -> list[JoinedRow]:
    key = selectors.file.key
    return [
        JoinedRow(table, row, identify(row.fields, key)) for table in tables for row in table.rows
    ]


def _fill_fields(tables: Sequence[PageTable], selectors: Selectors) -> list[PageTable]:
    """Give every row the fields that any of the tables has; an answer may leave out empty ones."""
    present = {field for table in tables for row in table.rows[:1] for field in row.fields}
    empty = {
        field.field: () if field.nested == "list" else ""
        for field in selectors.fields
        if field.field in present
    }
    return [replace(table, rows=tuple(_fill(row, empty) for row in table.rows)) for table in tables]


def _fill(row: PageRow, empty: Mapping[str, Value]) -> PageRow:
    fields = {field: row.fields.get(field, value) for field, value in empty.items()}
    return replace(row, fields=fields)


def _fold_doubles(rows: Iterable[JoinedRow]) -> list[JoinedRow] | Fault:
    """Keep the first of the rows that say the same of one record."""
    united: dict[Identity, JoinedRow] = {}
    for joined in rows:
        first = united.setdefault(joined.identity, joined)
        if first.row.fields != joined.row.fields:
            return faults.race(f"{place_twins(first, joined)}의 내용이 서로 다릅니다")
    return list(united.values())


# --- records -----------------------------------------------------------------------------------


def _count_delivered(table: PageTable) -> dict[Delivery, int]:
    return dict.fromkeys(table.delivered, len(table.rows))


def _make_snapshot(
    rows: Sequence[JoinedRow], split_numbers: frozenset[str], *, is_moved: bool
) -> Snapshot | Fault:
    """Give every row its key; the pages and what delivered their fields are left to the caller."""
    keyed = _key_rows(rows, split_numbers, is_moved=is_moved)
    if isinstance(keyed, Fault):
        return keyed
    return Snapshot(
        records={key: _make_record(key, joined) for key, joined in keyed.rows.items()},
        announced_total=len(rows),
        n_pages=1,
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
    primaries[ROW] = f"css {selectors.rows[0][0]}"
    primaries[LABEL] = f"css {', '.join(selectors.file.drop)}"
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
