"""The tables of one pass over the list → one snapshot, unique by key, or the reason why not.

A list that is read page by page can change while it is read: an insert shifts rows down and shows
one twice, a delete shifts them up and hides one. So page 1 is read once more at the end. A pass
counts only if nothing moved, or if rows were only added on top, newest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dmf_crawler.extract.quoting import shorten
from dmf_crawler.extract.selectors import KeySelector, Selectors
from dmf_crawler.model.record import Fields, PageRow, PageTable, Record, Snapshot
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form


def merge_pages(
    tables: Sequence[PageTable],
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
        The snapshot; or a fault: `race` (retryable: read again), `short_list`, `empty_list`,
        `duplicate_rows`.
    """
    is_stable = _is_stable(tables, recheck)
    placed = _join_stable(tables) if is_stable else _join_inserted(tables, recheck)
    if isinstance(placed, Fault):
        return placed
    keyed = _key_rows(placed, selectors.file.key, split_numbers, is_stable=is_stable)
    if isinstance(keyed, Fault):
        return keyed
    used = (name for table in (*tables, recheck) for name in table.fallbacks_used)
    return Snapshot(
        records={key: _make_record(key, place) for key, place in keyed.places.items()},
        announced_total=recheck.announced_total,
        n_pages=len(tables),
        fallbacks_used=tuple(dict.fromkeys(used)),
        split_numbers=tuple(sorted(keyed.split_numbers)),
        n_without_number=keyed.n_without_number,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A row and the page that it stands on."""

    table: PageTable
    row: PageRow

    def __str__(self) -> str:
        return f"{self.table.page_no}페이지 {self.row.row_no}행"


def _make_record(key: str, place: _Place) -> Record:
    return Record(
        key=key,
        fields=place.row.fields,
        shown=place.row.shown,
        source=place.table.source,
        url=place.table.url,
        row_no=place.row.row_no,
    )


# --- one consistent list -----------------------------------------------------------------------


def _is_stable(tables: Sequence[PageTable], recheck: PageTable) -> bool:
    """Whether the announced totals of all pages and the rows of page 1 stayed the same."""
    totals = {table.announced_total for table in (*tables, recheck)}
    return len(totals) == 1 and _fields(tables[0].rows) == _fields(recheck.rows)


def _join_stable(tables: Sequence[PageTable]) -> list[_Place] | Fault:
    """Return the rows of a read during which nothing moved, checked against the total."""
    total, page_size = tables[0].announced_total, len(tables[0].rows)
    places = [_Place(table, row) for table in tables for row in table.rows]
    if not total or not page_size:
        return _empty_list(total, len(places))
    if len(places) != total:
        return _short_list(f"모두 {len(places)}행을 읽었습니다", f"사이트가 알린 전체 {total}건")
    for table in tables[:-1]:
        if len(table.rows) != page_size:
            found = f"{table.page_no}페이지에 {len(table.rows)}행이 있습니다"
            return _short_list(found, f"1페이지와 같은 {page_size}행")
    return places


def _join_inserted(tables: Sequence[PageTable], recheck: PageTable) -> list[_Place] | Fault:
    """Unite pages between which rows were only added on top of the list.

    Each page says by its total how many rows were added since the page before: exactly so many of
    its first rows must be the last ones of that page, once more.
    """
    first = tables[0]
    n_new = recheck.announced_total - first.announced_total
    n_kept = len(recheck.rows) - n_new
    if n_new < 1 or n_kept < 1:
        return _race(
            f"전체 {first.announced_total}건이 {recheck.announced_total}건으로, 또는 1페이지의 "
            "행이 바뀌었습니다"
        )
    if _fields(recheck.rows[n_new:]) != _fields(first.rows[:n_kept]):
        return _race("1페이지가 맨 위에 추가된 행 말고도 달라졌습니다")
    places = [_Place(recheck, row) for row in recheck.rows[:n_new]]
    places += [_Place(first, row) for row in first.rows]
    for above, table in pairwise(tables):
        n_shifted = table.announced_total - above.announced_total
        if not _continues(above, table, n_shifted, page_size=len(first.rows)):
            return _race(f"{table.page_no}페이지가 앞 페이지에 이어지지 않습니다")
        places += [_Place(table, row) for row in table.rows[n_shifted:]]
    if len(places) != recheck.announced_total:
        return _race(f"합친 행이 {len(places)}개로 전체 {recheck.announced_total}건과 다릅니다")
    return places


def _continues(above: PageTable, table: PageTable, n_shifted: int, *, page_size: int) -> bool:
    """Whether a page goes on where the one above ended, n_shifted rows shown twice."""
    if not 0 <= n_shifted <= len(table.rows) or len(above.rows) != page_size:
        return False
    overlap = above.rows[len(above.rows) - n_shifted :]
    return _fields(overlap) == _fields(table.rows[:n_shifted])


def _fields(rows: Iterable[PageRow]) -> list[Fields]:
    return [row.fields for row in rows]


# --- keys --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _KeyedRows:
    """Rows by key, in list order, and how the unusual keys came about."""

    places: Mapping[str, _Place]
    split_numbers: frozenset[str]
    n_without_number: int


def _key_rows(
    places: Sequence[_Place],
    key: KeySelector,
    split_numbers: frozenset[str],
    *,
    is_stable: bool,
) -> _KeyedRows | Fault:
    """Give every row its key; a number that does not identify its row is joined by two fields."""
    numbers = [_form_of(place, key.number) for place in places]
    n_bearers = Counter(numbers)
    split = {number for number, n in n_bearers.items() if n > 1 or number in split_numbers} - {""}
    keyed: dict[str, _Place] = {}
    for place, number in zip(places, numbers, strict=True):
        name = number
        if not number or number in split:
            rest = [_form_of(place, field) for field in (key.applicant, key.first_date)]
            name = "|".join([number or _form_of(place, key.ingredient), *rest])
        if (first := keyed.setdefault(name, place)) is not place:
            return _doubled(first, place, name, is_stable=is_stable)
    return _KeyedRows(keyed, frozenset(split), n_bearers[""])


def _form_of(place: _Place, field: str) -> str:
    value = place.row.fields[field]
    return key_form(value if isinstance(value, str) else "|".join(value))


def _doubled(first: _Place, second: _Place, key: str, *, is_stable: bool) -> Fault:
    """Tell a row shown twice because the list moved from two records that are the same."""
    is_next_page = second.table.page_no - first.table.page_no == 1
    if not is_stable or (is_next_page and first.row.fields == second.row.fields):
        return _race(f"같은 행이 {first}과 {second}에 두 번 있습니다({shorten(key)})")
    return Fault(
        "duplicate_rows",
        f"번호, 신청인, 최초 등록일이 같은 행이 {first}과 {second}에 있습니다({shorten(key)}). "
        "한 건은 한 번만 있어야 합니다. 이 날의 목록은 쓰지 않습니다. 사이트에서 이 번호를 조회해 "
        "확인해 주십시오.",
        exit_code=4,
    )


# --- faults ------------------------------------------------------------------------------------


def _race(found: str) -> Fault:
    return Fault(
        "race",
        f"목록을 읽는 동안 목록이 바뀌었습니다. {found}. 처음부터 끝까지 같은 목록이어야 합니다. "
        "처음부터 다시 읽으며, 계속되면 이 날의 목록은 쓰지 않습니다.",
        exit_code=4,
        is_retryable=True,
    )


def _short_list(found: str, expected: str) -> Fault:
    return Fault(
        "short_list",
        f"목록의 행 수가 맞지 않습니다. {found}. {expected}이어야 합니다. 이 날의 목록은 쓰지 "
        "않습니다. 보관된 페이지와 사이트의 전체 건수를 확인해 주십시오.",
        exit_code=4,
    )


def _empty_list(total: int, n_rows: int) -> Fault:
    return Fault(
        "empty_list",
        f"목록이 비어 있습니다. 사이트가 알린 전체는 {total}건이고 읽은 행은 {n_rows}개입니다. "
        "한 건 이상이어야 합니다. 이 날의 목록은 쓰지 않습니다. 브라우저로 목록을 확인해 주십시오.",
        exit_code=4,
    )
