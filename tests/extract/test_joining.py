"""A pass is judged page by page, and never otherwise than its pages are once they are united."""

import gc
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import FunctionType, ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.dedup import merge_last_pass, merge_pages
from dmf_crawler.extract.joining import PassCheck, has_twins
from dmf_crawler.model.record import PageRow, PageTable, Snapshot, Value
from dmf_crawler.model.run import Fault
from tests.extract.pages import a_table, paged, some_fields, some_selectors

SELECTORS = some_selectors()
SIZE = 3


def _rows(*numbers: int) -> list[dict[str, Value]]:
    return [some_fields(number) for number in numbers]


def _check(tables: Iterable[PageTable], recheck: PageTable) -> Fault | None:
    """Judge a pass as a crawl does: no page is looked at behind a fault."""
    check = PassCheck(SELECTORS)
    for table in tables:
        if fault := check.add(table):
            return fault
    return check.finish(recheck)


def _add_all(tables: Iterable[PageTable]) -> list[str]:
    """Return, page by page, the code of what is wrong with it, "" for nothing."""
    check = PassCheck(SELECTORS)
    faults = [check.add(table) for table in tables]
    return ["" if fault is None else fault.code for fault in faults]


def _pin(tables: Sequence[PageTable], *rows: dict[str, Value]) -> list[PageTable]:
    """Put rows on top of every page."""
    pinned = tuple(PageRow(row, {}, row_no) for row_no, row in enumerate(rows, start=1))
    return [replace(table, pinned=pinned) for table in tables]


def _merge(tables: Sequence[PageTable], recheck: PageTable | None = None) -> Snapshot:
    snapshot = merge_pages(tables, recheck or tables[0], SELECTORS)
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def _numbers(snapshot: Snapshot) -> list[int]:
    return [int(key.rpartition("-")[2]) for key in snapshot.records]


def _code(tables: Sequence[PageTable], recheck: PageTable | None = None) -> str:
    """Return the code that both the check and the merging refuse a pass with, "" for none."""
    fault = _check(tables, recheck or tables[0])
    merged = merge_pages(tables, recheck or tables[0], SELECTORS)
    code = merged.code if isinstance(merged, Fault) else ""
    assert code == ("" if fault is None else fault.code)
    if fault is not None:
        fault.message.encode("cp949")
    return code


# --- what makes going on pointless -------------------------------------------------------------


@pytest.mark.parametrize("shown", [1, 2])
def test_a_page_that_is_an_earlier_one_again_ends_the_pass(shown):
    """The site ignores the page number; every further request would be for nothing."""
    first, second, third = paged(_rows(9, 8, 7, 6, 5, 4, 3, 2, 1), SIZE)
    again = replace((first, second)[shown - 1], page_no=3)
    check = PassCheck(SELECTORS)

    assert (check.add(first), check.add(second)) == (None, None)
    fault = check.add(again)

    assert fault is not None
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("repeated_page", 4, False)
    assert "3쪽 대신" in fault.message
    assert f"{shown}쪽과" in fault.message
    assert merge_pages([first, second, again], first, SELECTORS) == fault
    assert _code([first, second, third]) == ""


def test_one_row_that_is_shown_again_is_a_race_and_no_repeated_page():
    first, second = paged(_rows(2, 1), 1)
    assert _code([first, replace(first, page_no=2)]) == "race"
    assert _code([first, second]) == ""


def test_a_whole_page_of_rows_added_on_top_is_no_repeated_page():
    """Page 2 shows the rows that stood on page 1: its total says why."""
    first, _ = paged(_rows(6, 5, 4, 3, 2, 1), SIZE)
    again = replace(first, page_no=2, announced_total=9)
    assert _add_all([first, again]) == ["", ""]
    assert _code([first, again], a_table(_rows(9, 8, 7), total=9)) == "race", "3 to 1 were not read"


def test_a_page_that_was_shown_whole_before_is_what_the_next_one_goes_on_from():
    first = a_table(_rows(6, 5), total=6)
    second = a_table(_rows(6, 5), page_no=2, total=8)
    third = a_table(_rows(4, 3), page_no=3, total=8)
    torn = a_table(_rows(5, 4), page_no=3, total=9)
    assert _add_all([first, second, third]) == ["", "", ""]
    assert _add_all([first, second, torn]) == ["", "", ""]
    assert _add_all([first, second, replace(third, announced_total=9)]) == ["", "", "race"]


@pytest.mark.parametrize("page_no", [2, 3])
def test_a_total_that_falls_between_two_pages_ends_the_pass(page_no):
    tables = paged(_rows(9, 8, 7, 6, 5, 4, 3, 2, 1), SIZE)
    tables[page_no - 1] = replace(tables[page_no - 1], announced_total=8)

    assert _add_all(tables[:page_no])[-1] == "race"
    assert _code(tables) == "race"


def test_a_total_that_falls_behind_the_last_page_is_a_race_though_the_rest_fits():
    """Two rows came on top, and the upper one went again."""
    first, second = a_table(_rows(4, 3, 2), total=4), a_table(_rows(3, 2, 1), page_no=2, total=6)
    assert _code([first, second], a_table(_rows(6, 5, 4), total=6)) == ""
    assert _code([first, second], a_table(_rows(5, 4, 3), total=5)) == "race"


@pytest.mark.parametrize(
    ("second", "total"),
    [((7, 5, 4), 8), ((6, 5, 4), 8), ((7,), 9), ((), 8), ((7, 7, 7, 7, 7), 12), ((9, 8, 7), 12)],
)
def test_a_page_that_does_not_go_on_as_its_total_says_ends_the_pass(second, total):
    """Its first rows must be exactly the last ones of the page above."""
    tables = [a_table(_rows(9, 8, 7), total=7), a_table(_rows(*second), page_no=2, total=total)]
    is_good = second[0:1] == (7,) and total == 8

    assert _add_all(tables)[-1] == ("" if is_good else "race")


def test_a_page_that_is_not_full_ends_the_pass_once_the_list_has_grown():
    first, second, third = (
        a_table(_rows(9, 8, 7), total=9),
        a_table(_rows(6, 5), page_no=2, total=9),
        a_table(_rows(5, 4, 3), page_no=3, total=10),
    )
    assert _add_all([first, second, third]) == ["", "", "race"]


def test_a_pass_that_was_given_up_is_named_by_the_pages_that_were_kept():
    first, second, third = paged(_rows(9, 8, 7, 6, 5, 4, 3, 2, 1), SIZE)
    fallen = replace(second, announced_total=8)
    whole = {(1, "list", 1): first, (1, "list", 2): second, (1, "list", 3): third}

    def name(tables: dict[tuple[int, str, int], PageTable | Fault]) -> str | None:
        merged = merge_last_pass(tables, SELECTORS)
        return merged.code if isinstance(merged, Fault) else "whole" if merged else None

    again: dict[tuple[int, str, int], PageTable | Fault] = {(2, "list", 1): first}
    assert name({}) is None
    assert name({**whole}) is None, "merely cut short"
    assert name({**whole, (1, "recheck", 1): first}) == "whole"
    assert name({(1, "list", 1): first, (1, "list", 2): fallen}) == "race"
    assert name({(1, "list", 1): first, (1, "list", 2): fallen, **again}) == "race"
    assert name({**whole, (1, "recheck", 1): first, **again}) == "whole"
    assert name({**whole, (1, "recheck", 1): first, **again, (2, "list", 2): fallen}) == "race"
    assert name({**again, (2, "list", 2): replace(first, page_no=2)}) == "repeated_page"


def test_a_page_that_cannot_be_read_is_named_where_the_pass_was_read_to_its_end():
    first, second = paged(_rows(4, 3, 2, 1), SIZE)
    unreadable = Fault("no_table", "표가 없습니다.", 4)
    cut: dict[tuple[int, str, int], PageTable | Fault] = {
        (1, "list", 1): first, (1, "list", 2): unreadable,
    }  # fmt: skip

    assert merge_last_pass(cut, SELECTORS) is None
    assert merge_last_pass({**cut, (1, "recheck", 1): first}, SELECTORS) == unreadable
    behind = {**cut, (1, "list", 3): replace(second, announced_total=2)}
    assert merge_last_pass(behind, SELECTORS) is None, "no page goes on from one that is not read"


def test_the_numbers_that_were_split_before_stay_split_in_the_last_pass():
    (table,) = paged(_rows(1), SIZE)
    merged = merge_last_pass(
        {(1, "list", 1): table, (1, "recheck", 1): table},
        SELECTORS,
        split_numbers=frozenset({"20260922-211-J-1"}),
    )
    assert isinstance(merged, Snapshot)
    assert merged.split_numbers == ("20260922-211-J-1",)


# --- pinned rows -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "expected"),
    [(5, [5, 4, 3, 2, 1, 9, 8]), (7, [5, 4, 3, 2, 1, 9, 8])],
    ids=["the total leaves them out", "the total counts them"],
)
def test_a_pinned_row_on_every_page_is_one_record(total, expected):
    tables = _pin(paged(_rows(5, 4, 3, 2, 1), SIZE, total=total), *_rows(9, 8))
    snapshot = _merge(tables)
    assert _numbers(snapshot) == expected
    assert snapshot.announced_total == 7, "as many as there are records"
    assert snapshot.records["20260922-211-J-9"].source == tables[0].source
    assert _code(tables) == ""


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_pinned_row_that_stands_in_the_list_too_is_the_row_of_the_list(place):
    rows = _rows(5, 4, 3, 2, 1)
    tables = _pin(paged(rows, SIZE), rows[place], *_rows(9))
    snapshot = _merge(tables)
    assert _numbers(snapshot) == [5, 4, 3, 2, 1, 9]
    record = snapshot.records[str(rows[place]["reg_no"])]
    assert (record.source, record.row_no) == (tables[place // SIZE].source, place % SIZE + 1)
    assert _code(tables) == ""


def test_a_pinned_row_and_the_row_of_the_list_are_one_by_their_number():
    """However the pinned one is written, the row of the list wins."""
    tables = _pin(paged(_rows(2, 1), SIZE), some_fields(1, company="다른 회사"))
    snapshot = _merge(tables)
    assert [dict(record.fields) for record in snapshot.records.values()] == _rows(2, 1)
    assert snapshot.split_numbers == ()


def test_a_pinned_row_without_number_is_known_by_the_rest_of_its_identity():
    unnumbered = some_fields(4, reg_no="")
    tables = _pin(paged([*_rows(5), unnumbered], SIZE), unnumbered, some_fields(7, reg_no=""))
    snapshot = _merge(tables)
    assert (len(snapshot.records), snapshot.n_without_number) == (3, 2)


def test_the_same_pinned_row_twice_on_a_page_is_one_record():
    tables = _pin(paged(_rows(2, 1), SIZE), *_rows(9, 9))
    assert _numbers(_merge(tables)) == [2, 1, 9]
    assert _code(tables) == ""


def test_two_pinned_rows_of_one_identity_refuse_the_day():
    """A duplicate never loses a row, wherever it stands."""
    tables = _pin(paged(_rows(2, 1), SIZE), some_fields(9), some_fields(9, status="취하"))
    assert _code(tables) == "duplicate_rows"


@pytest.mark.parametrize("pinned", [(), (8,), (9, 8)], ids=["unpinned", "another one", "one more"])
@pytest.mark.parametrize("page", ["second", "recheck"])
def test_pinned_rows_that_change_during_a_pass_are_a_race(pinned, page):
    tables = _pin(paged(_rows(5, 4, 3, 2, 1), SIZE), *_rows(9))
    recheck = tables[0]
    if page == "second":
        tables[1] = _pin([tables[1]], *_rows(*pinned))[0]
        assert _add_all(tables) == ["", "race"]
    else:
        recheck = _pin([recheck], *_rows(*pinned))[0]
    assert _code(tables, recheck) == "race"


def test_the_order_of_pinned_rows_says_nothing():
    tables = _pin(paged(_rows(5, 4, 3, 2, 1), SIZE), *_rows(9, 8))
    tables[1] = replace(tables[1], pinned=tables[1].pinned[::-1])
    assert _code(tables) == ""


def test_pinned_rows_take_no_part_in_paging_and_in_the_comparison_of_pages():
    """Every page has the same pinned rows; its own rows differ."""
    tables = _pin(paged(_rows(5, 4, 3, 2, 1), 1), *_rows(9, 8))
    assert _add_all(tables) == [""] * 5


def test_rows_added_on_top_are_united_under_pinned_ones():
    first, second = _pin(paged(_rows(4, 3, 2, 1), SIZE, total=6), *_rows(9, 8))
    (recheck,) = _pin([a_table(_rows(5, 4, 3), total=7)], *_rows(9, 8))
    assert _numbers(_merge([first, second], recheck)) == [5, 4, 3, 2, 1, 9, 8]
    assert _code([first, second], recheck) == ""


def test_a_pinned_row_that_comes_into_the_list_on_top_is_one_record():
    first, second = _pin(paged(_rows(4, 3, 2, 1), SIZE), *_rows(9))
    (recheck,) = _pin([a_table(_rows(9, 4, 3), total=5)], *_rows(9))
    assert _numbers(_merge([first, second], recheck)) == [9, 4, 3, 2, 1]


def test_a_page_behind_the_end_that_the_total_asks_for_may_be_empty():
    """Seven records, two of them pinned alone: their total asks for a third page."""
    tables = _pin(paged(_rows(5, 4, 3, 2, 1), SIZE, total=7), *_rows(9, 8))
    (empty,) = _pin([a_table([], page_no=3, total=7)], *_rows(9, 8))
    assert _numbers(_merge([*tables, empty])) == [5, 4, 3, 2, 1, 9, 8]
    assert _code([*tables, empty]) == ""


def test_pinned_rows_never_stand_in_for_a_last_page_that_was_not_read():
    """Three rows on page 3, three pinned ones, a total that leaves these out."""
    tables = _pin(paged(_rows(9, 8, 7, 6, 5, 4, 3, 2, 1), SIZE), *_rows(13, 12, 11))
    assert _code(tables) == ""
    assert _code(tables[:2]) == "short_list"


def test_an_empty_page_in_the_middle_is_refused_though_the_sum_is_right():
    tables = _pin(paged(_rows(6, 5, 4, 3, 2, 1), SIZE), *_rows(9))
    empty = replace(tables[1], rows=())
    fault = merge_pages([tables[0], empty, replace(tables[1], page_no=3)], tables[0], SELECTORS)
    assert isinstance(fault, Fault)
    assert fault.code == "short_list"
    assert "2페이지에 0행" in fault.message


# --- links -------------------------------------------------------------------------------------


def test_the_snapshot_knows_the_link_of_every_row_that_has_one():
    tables = _pin(paged(_rows(4, 3, 2, 1), SIZE), *_rows(9, 4))
    tables = [
        replace(
            table,
            rows=tuple(
                replace(row, link="" if row.row_no == 2 else f"/bbs/{table.page_no}{row.row_no}")
                for row in table.rows
            ),
            pinned=tuple(replace(row, link=f"/pinned/{row.row_no}") for row in table.pinned),
        )
        for table in tables
    ]
    prefix = "20260922-211-J-"
    assert {key: link for key, (_, link) in _merge(tables).links.items()} == {
        f"{prefix}4": "/bbs/11", f"{prefix}2": "/bbs/13", f"{prefix}1": "/bbs/21",
        f"{prefix}9": "/pinned/1",
    }  # fmt: skip


def test_links_of_a_page_that_asks_not_to_be_followed_are_left_out():
    first, second = paged(_rows(4, 3, 2, 1), SIZE)
    linked = [
        replace(table, rows=tuple(replace(row, link="/bbs/1") for row in table.rows))
        for table in (first, second)
    ]
    linked[0] = replace(linked[0], follows_links=False)
    assert list(_merge(linked).links) == ["20260922-211-J-1"]


# --- one logic ---------------------------------------------------------------------------------

_companies = st.sampled_from(["가", "가", "가", "나", "1|가"])
_fields_of_row = st.builds(
    lambda number, company: some_fields(
        number, reg_no=f"{number}" * (number != 6), company=company
    ),
    st.integers(1, 6),
    _companies,
)
_any_table = st.builds(
    lambda rows, total, pinned: _pin([a_table(rows, total=total)], *pinned)[0],
    st.lists(_fields_of_row, max_size=3),
    st.integers(0, 8),
    st.just([]) | st.lists(_fields_of_row, max_size=2),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_any_table, min_size=1, max_size=4), st.booleans(), _any_table)
def test_the_check_of_a_crawl_and_the_merging_never_disagree_over_any_pages(tables, same, other):
    tables = [replace(table, page_no=page_no) for page_no, table in enumerate(tables, start=1)]
    _agree(tables, tables[0] if same else other)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_fields_of_row, min_size=1, max_size=9),
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=3),
    st.lists(_fields_of_row, max_size=2),
    st.booleans(),
)
def test_the_check_of_a_crawl_and_the_merging_never_disagree_over_a_living_list(
    rows, size, changes, pinned, are_counted
):
    """Rows come on top and go anywhere while the list is read."""
    tables = []
    n_pages = -(-len(rows) // size)
    for request_no in range(n_pages + 1):
        for moment, is_insert in changes:
            if moment == request_no > 0:
                rows = [some_fields(50 + moment), *rows] if is_insert else rows[:-1]
        page_no = request_no % n_pages + 1
        part = rows[(page_no - 1) * size : page_no * size]
        total = len(rows) + len(pinned) * are_counted
        tables += _pin([a_table(part, page_no=page_no, total=total)], *pinned)
    _agree(tables[:-1], tables[-1])


def _agree(tables: Sequence[PageTable], recheck: PageTable) -> None:
    """Compare what a crawl and what the merging say of a pass.

    A number that is written like a composite key only shows when there are keys.
    """
    fault, merged = _check(tables, recheck), merge_pages(tables, recheck, SELECTORS)
    is_race = isinstance(merged, Fault) and merged.code == "race"
    assert (fault is not None and fault.code == "race") == is_race
    assert (fault is not None and fault.is_retryable) == is_race
    if fault is not None:
        assert isinstance(merged, Fault)
        assert merged.code == fault.code
    elif isinstance(merged, Fault):
        assert merged.code == "duplicate_rows"


def test_a_number_that_is_written_like_a_composite_key_refuses_the_day():
    rows = [
        some_fields(reg_no="A"),
        some_fields(reg_no="A", company="나"),
        some_fields(reg_no="A|나|2026-09-22"),
    ]
    tables = paged(rows, SIZE)
    fault = merge_pages(tables, tables[0], SELECTORS)
    assert isinstance(fault, Fault)
    assert fault.code == "duplicate_rows"
    assert _check(tables, tables[0]) is None


def test_a_record_and_its_likeness_far_apart_are_found_by_their_digests():
    rows = _rows(*range(12, 0, -1))
    rows[10] = some_fields(12, status="취하")
    assert _code(paged(rows, SIZE)) == "duplicate_rows"


# --- memory ------------------------------------------------------------------------------------


def _pages_of_a_long_list(n_pages: int, n_rows_a_page: int) -> Iterator[PageTable]:
    """Make each page when it is asked for."""
    total = n_pages * n_rows_a_page
    for page_no in range(1, n_pages + 1):
        start = total - (page_no - 1) * n_rows_a_page
        rows = [
            {"reg_no": f"R{n}", "ingredient_name": "", "company": "", "registered_on": ""}
            for n in range(start, start - n_rows_a_page, -1)
        ]
        yield a_table(rows, page_no=page_no, total=total)


def _count_kept_bytes(n_pages: int) -> int:
    """Return the size of a check that has seen so many pages, with all that it holds on to."""
    check = PassCheck(SELECTORS)
    for table in _pages_of_a_long_list(n_pages, 10):
        assert check.add(table) is None
    n_bytes, seen, left = 0, set(), [check]
    while left:
        held: object = left.pop()
        if id(held) in seen or isinstance(held, type | ModuleType | FunctionType):
            continue
        seen.add(id(held))
        n_bytes += sys.getsizeof(held)
        left += gc.get_referents(held)
    return n_bytes


def test_a_check_keeps_at_most_16_bytes_of_each_row():
    few, many = 20, 420
    n_bytes = (_count_kept_bytes(many) - _count_kept_bytes(few)) / (many - few) / 10
    assert 8 <= n_bytes <= 16


@pytest.mark.parametrize("n_digests", [0, 1, 2_047, 2_048, 5_000])
def test_twins_are_found_wherever_they_stand(n_digests):
    seed = 20261202
    dice = random.Random(seed)
    digests = [dice.getrandbits(64) for _ in range(n_digests)]
    assert len(set(digests)) == n_digests, seed
    assert not has_twins(digests)
    for _ in range(min(n_digests, 3)):
        position = dice.randrange(n_digests)
        doubled = [*digests, digests[position]]
        assert has_twins(doubled), (seed, position)
