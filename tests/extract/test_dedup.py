"""Pages of one pass become one list, or the pass does not count."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.dedup import merge_export, merge_pages
from dmf_crawler.model.record import Delivery, PageTable, Snapshot, Value
from dmf_crawler.model.run import Fault
from tests.extract.pages import a_table, paged, some_fields, some_selectors

SELECTORS = some_selectors()
SIZE = 3


def _rows(*numbers: int) -> list[dict[str, Value]]:
    return [some_fields(number) for number in numbers]


def _merge(
    tables: list[PageTable], recheck: PageTable | None = None, **options: frozenset[str]
) -> Snapshot | Fault:
    return merge_pages(tables, recheck or tables[0], SELECTORS, **options)


def _accept(
    tables: list[PageTable], recheck: PageTable | None = None, **options: frozenset[str]
) -> Snapshot:
    snapshot = _merge(tables, recheck, **options)
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def _refuse(tables: list[PageTable], recheck: PageTable | None = None) -> Fault:
    fault = _merge(tables, recheck)
    assert isinstance(fault, Fault), fault
    assert fault.exit_code == 4
    assert fault.is_retryable == (fault.code == "race")
    fault.message.encode("cp949")
    return fault


def _numbers(snapshot: Snapshot) -> list[int]:
    return [int(key.rpartition("-")[2]) for key in snapshot.records]


# --- a list at rest ----------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 6, 7])
def test_a_list_at_rest_is_united_in_its_order(n_rows):
    rows = _rows(*range(n_rows, 0, -1))
    tables = paged(rows, SIZE)
    snapshot = _accept(tables)
    assert [record.fields for record in snapshot.records.values()] == rows
    assert snapshot.announced_total == n_rows
    assert snapshot.n_pages == len(tables)
    assert (snapshot.split_numbers, snapshot.n_without_number) == ((), 0)


def test_a_record_knows_its_page_and_row():
    tables = paged(_rows(4, 3, 2, 1), SIZE)
    record = _accept(tables).records["20260922-211-J-1"]
    assert (record.key, record.source, record.url, record.row_no) == (
        "20260922-211-J-1", tables[1].source, tables[1].url, 1,
    )  # fmt: skip


def test_what_the_page_showed_goes_with_the_record():
    table = a_table(_rows(1), total=1)
    row = replace(table.rows[0], shown={"company": " 대웅"})
    (record,) = _accept([replace(table, rows=(row,))]).records.values()
    assert record.shown == {"company": " 대웅"}


def test_it_is_counted_how_many_rows_each_selector_delivered():
    tables = paged(_rows(4, 3, 2, 1), SIZE)
    header = Delivery("company", 0, "header_text 신청인")
    fallback = Delivery("company", 1, "css td")
    tables = [
        replace(tables[0], delivered=(header,)),
        replace(tables[1], delivered=(fallback,)),
    ]
    assert _accept(tables).delivered == {header: 3, fallback: 1}


def test_a_primary_selector_that_delivered_nothing_is_named_with_no_rows():
    (table,) = paged(_rows(2, 1), SIZE)
    used = (Delivery("row", 1, "table tr"), Delivery("company", 2, "css td"))

    delivered = _accept([replace(table, delivered=used)]).delivered

    assert delivered == {
        Delivery("row", 0, "css table tbody tr"): 0,
        Delivery("company", 0, "header_text 신청인, 업체명, 등록업체"): 0,
        used[0]: 2,
        used[1]: 2,
    }


@pytest.mark.parametrize(
    "number",
    [" 20260922-211-J-7 ", "20260922-211-j-7", "２０２６０９２２‐211-J-7", "20260922-211-J-7\r\n"],
)
def test_a_key_is_normalised_on_the_way_in(number):
    """Another way of typing a number is neither a withdrawal nor a new record (D3)."""
    tables = paged([some_fields(7, reg_no=number)], SIZE)
    assert list(_accept(tables).records) == ["20260922-211-J-7"]


# --- lists that cannot be right ----------------------------------------------------------------


@pytest.mark.parametrize("total", [0, 12])
def test_an_empty_list_is_refused(total):
    fault = _refuse([a_table([], total=total)])
    assert fault.code == "empty_list"
    assert f"{total}건" in fault.message


def test_rows_under_a_total_of_zero_are_refused():
    assert _refuse([a_table(_rows(1), total=0)]).code == "empty_list"


@pytest.mark.parametrize("total", [3, 5, 7])
def test_another_number_of_rows_than_announced_is_refused(total):
    fault = _refuse(paged(_rows(4, 3, 2, 1), SIZE, total=total))
    assert fault.code == "short_list"
    assert "4행" in fault.message
    assert f"{total}건" in fault.message


def test_a_short_page_in_the_middle_is_named_though_the_sum_is_right():
    parts = (_rows(9, 8, 7), _rows(6, 5), _rows(4, 3, 2, 1))
    tables = [a_table(rows, page_no=n, total=9) for n, rows in enumerate(parts, start=1)]
    fault = _refuse(tables)
    assert fault.code == "short_list"
    assert "2페이지에 2행" in fault.message


def test_a_last_page_served_twice_is_refused():
    tables = paged(_rows(5, 4, 3, 2, 1), SIZE)
    assert _refuse([*tables, replace(tables[1], page_no=3)]).code == "repeated_page"


def test_a_last_page_of_one_row_served_twice_is_refused():
    tables = paged(_rows(4, 3, 2, 1), SIZE)
    assert _refuse([*tables, replace(tables[1], page_no=3)]).code == "short_list"


# --- numbers that do not identify --------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"company": "㈜다른 회사"}, "20260922-211-J-1|(주)다른회사|2026-09-22"),
        ({"registered_on": "2026-09-23"}, "20260922-211-J-1|(주)한국화이자제약|2026-09-23"),
    ],
)
def test_a_number_of_two_records_is_joined_by_applicant_and_first_date(changes, key):
    rows = [some_fields(1), some_fields(2), some_fields(1, **changes)]
    snapshot = _accept(paged(rows, SIZE))
    assert list(snapshot.records) == [
        "20260922-211-J-1|(주)한국화이자제약|2026-09-22",
        "20260922-211-J-2",
        key,
    ]
    assert snapshot.split_numbers == ("20260922-211-J-1",)


def test_a_number_once_split_stays_split():
    numbers = frozenset({"20260922-211-J-1", "20260922-211-J-99"})
    snapshot = _accept(paged(_rows(2, 1), SIZE), split_numbers=numbers)
    assert list(snapshot.records) == [
        "20260922-211-J-2", "20260922-211-J-1|(주)한국화이자제약|2026-09-22",
    ]  # fmt: skip
    assert snapshot.split_numbers == ("20260922-211-J-1",)


def test_rows_without_number_are_kept_and_counted():
    """A missing key is no reason to lose rows (D4)."""
    rows = [some_fields(1), some_fields(2, reg_no=""), some_fields(3, reg_no=" ")]
    snapshot = _accept(paged(rows, SIZE))
    assert list(snapshot.records) == [
        "20260922-211-J-1",
        "성분2|(주)한국화이자제약|2026-09-22",
        "성분3|(주)한국화이자제약|2026-09-22",
    ]
    assert snapshot.n_without_number == 2
    assert snapshot.split_numbers == ()


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([*_rows(9, 8), some_fields(9), *_rows(7)], id="identical, one page"),
        pytest.param([*_rows(9, 8, 7, 6, 5, 4), some_fields(9)], id="identical, far pages"),
        pytest.param(
            [*_rows(9, 8, 7), some_fields(7, document_no="v9.0.0/2026")], id="another value"
        ),
        pytest.param([*_rows(9, 8), some_fields(9, reg_no="20260922-211-j-9 ")], id="typed apart"),
        pytest.param([some_fields(9, reg_no=""), some_fields(9, reg_no="")], id="no number"),
    ],
)
def test_two_rows_with_the_same_identity_refuse_the_day(rows):
    """A duplicate never overwrites a row in silence (D1)."""
    fault = _refuse(paged(rows, SIZE))
    assert fault.code == "duplicate_rows"
    assert "1페이지" in fault.message


def test_a_duplicate_is_named_with_both_pages():
    fault = _refuse(paged([*_rows(9, 8, 7, 6, 5, 4), some_fields(9)], SIZE))
    assert "20260922-211-J-9" in fault.message
    assert "1페이지 1행과 3페이지 1행" in fault.message


# --- a list that changes while it is read ------------------------------------------------------


def test_a_row_shown_at_the_end_of_one_page_and_the_start_of_the_next_is_a_race():
    """The totals of an insert and a delete at once do not tell; the doubled row does."""
    tables = paged([*_rows(9, 8, 7), *_rows(7, 6, 5)], SIZE)
    assert _refuse(tables).code == "race"


@pytest.mark.parametrize(
    "recheck",
    [
        pytest.param(a_table(_rows(9, 8, 7), total=6), id="fewer announced"),
        pytest.param(a_table(_rows(9, 8, 7), total=8), id="more announced, nothing on top"),
        pytest.param(a_table(_rows(7, 9, 8), total=7), id="another order"),
        pytest.param(a_table(_rows(10, 9, 8), total=7), id="one in, one out"),
        pytest.param(a_table(_rows(10, 9, 7), total=8), id="one in, one out of page 1"),
        pytest.param(a_table(_rows(13, 12, 11), total=10), id="a whole new page"),
        pytest.param(a_table([some_fields(9, status="취하"), *_rows(8, 7)], total=7), id="edited"),
        pytest.param(a_table([], total=7), id="nothing"),
    ],
)
def test_any_other_change_of_page_1_is_a_race(recheck):
    assert _refuse(paged(_rows(9, 8, 7, 6, 5, 4, 3), SIZE), recheck).code == "race"


def test_a_total_that_changed_for_a_while_is_a_race():
    first, second, third = paged(_rows(9, 8, 7, 6, 5, 4, 3), SIZE)
    assert _refuse([first, replace(second, announced_total=8), third]).code == "race"
    assert _refuse([first, replace(second, announced_total=6), third]).code == "race"


@pytest.mark.parametrize("n_before", [0, 1, 2])
def test_rows_added_on_top_are_united(n_before):
    """Two new rows, of which n_before came between page 1 and page 2."""
    old = _rows(8, 7, 6, 5, 4)
    middle = [*_rows(*range(9, 9 + n_before))[::-1], *old]
    final = _rows(10, 9, 8, 7, 6, 5, 4)
    first = a_table(old[:SIZE], total=5)
    second = a_table(middle[SIZE : 2 * SIZE], page_no=2, total=len(middle))
    recheck = a_table(final[:SIZE], total=7)
    if n_before == 2:
        assert _refuse([first, second], recheck).code == "race", "row 4 moved to page 3"
        return
    snapshot = _accept([first, second], recheck)
    assert _numbers(snapshot) == [10, 9, 8, 7, 6, 5, 4]
    assert snapshot.announced_total == 7
    assert snapshot.records["20260922-211-J-10"].source == recheck.source


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([((7, 6, 5), 7)], id="a row shown twice, none announced"),
        pytest.param([((6, 5, 4), 8)], id="a row deleted too"),
        pytest.param([((6, 5, 4), 8), ((3, 2), 8)], id="a row deleted too, the sum right"),
        pytest.param([((6, 5, 4), 6), ((3,), 6)], id="a smaller total in between"),
        pytest.param([((6, 5), 7), ((4, 3), 7)], id="a short page, the sum right"),
        pytest.param([((6,), 11)], id="more rows added than the page has"),
    ],
)
def test_pages_that_do_not_go_on_as_their_totals_say_are_a_race(later):
    first, recheck = a_table(_rows(9, 8, 7), total=7), a_table(_rows(10, 9, 8), total=8)
    tables = [
        a_table(_rows(*numbers), page_no=page_no, total=total)
        for page_no, (numbers, total) in enumerate(later, start=2)
    ]
    assert _refuse([first, *tables], recheck).code == "race"


def test_a_total_that_dipped_in_between_is_a_race_though_the_rows_fit():
    first, recheck = a_table(_rows(9, 8, 7), total=4), a_table(_rows(10, 9, 8), total=5)
    assert _refuse([first, a_table(_rows(6), page_no=2, total=3)], recheck).code == "race"


def test_an_insert_above_a_list_of_one_page_is_united():
    first, recheck = a_table(_rows(2, 1), total=2), a_table(_rows(3, 2, 1), total=3)
    assert _numbers(_accept([first], recheck)) == [3, 2, 1]


def test_a_new_row_that_is_an_old_one_is_a_race():
    first, recheck = a_table(_rows(2, 1), total=2), a_table(_rows(1, 2, 1), total=3)
    assert _refuse([first], recheck).code == "race"


@dataclass
class _OnlineList:
    """A list that lives while it is read, newest first."""

    rows: list[dict[str, Value]]
    next_number: int

    def page(self, page_no: int, size: int) -> PageTable:
        rows = self.rows[(page_no - 1) * size : page_no * size]
        return a_table(rows, page_no=page_no, total=len(self.rows))

    def change(self, kind: str, position: int) -> None:
        if kind == "insert":
            self.rows.insert(0, some_fields(self.next_number))
            self.next_number += 1
        elif kind == "delete" and len(self.rows) > 1:
            del self.rows[position % len(self.rows)]
        elif kind == "move":
            self.rows.insert(0, self.rows.pop(position % len(self.rows)))
        elif kind == "delete top":
            del self.rows[0 : len(self.rows) > 1]

    def numbers(self) -> set[str]:
        return {str(row["reg_no"]) for row in self.rows}


_changes = st.tuples(
    st.integers(0, 12),
    st.sampled_from(["insert", "insert", "delete", "move", "delete top"]),
    st.integers(0, 40),
)


def _read_online(
    online: _OnlineList, size: int, changes: Mapping[int, list[tuple[str, int]]]
) -> tuple[Snapshot | Fault, set[str]]:
    """Read a list whose changes come before the n-th request; return what stayed throughout."""
    tables: list[PageTable] = []
    stayed = online.numbers()
    n_pages = -(-len(online.rows) // size)
    for request_no in range(n_pages + 1):
        if request_no:
            for kind, position in changes.get(request_no, []):
                online.change(kind, position)
                stayed &= online.numbers()
        tables.append(online.page(request_no % n_pages + 1, size))
    return merge_pages(tables[:-1], tables[-1], SELECTORS), stayed


@settings(max_examples=400, deadline=None)
@given(st.integers(1, 20), st.integers(1, 5), st.lists(_changes, max_size=4))
def test_no_race_ends_in_a_list_that_misses_a_row(n_rows, size, changes):
    online = _OnlineList(_rows(*range(n_rows, 0, -1)), n_rows + 1)
    by_request: dict[int, list[tuple[str, int]]] = {}
    for request_no, kind, position in changes:
        by_request.setdefault(request_no, []).append((kind, position))
    result, stayed = _read_online(online, size, by_request)
    if isinstance(result, Fault):
        # A shift of a page and more looks like a true duplicate, or like a page not turned; all
        # of them refuse the read.
        assert result.code == "race" or size <= len(changes)
        assert result.code in {"race", "duplicate_rows", "repeated_page"}
        assert changes
    else:
        assert stayed <= result.records.keys()
        assert result.records.keys() == online.numbers()
        assert len(result.records) == result.announced_total


def test_many_random_races_are_all_caught():
    """1,000 seeded reads of 12 pages, one change at a time: caught, or exactly the final list."""
    seed = 20261130
    dice = random.Random(seed)
    n_caught = n_united = 0
    for round_no in range(1_000):
        online = _OnlineList(_rows(*range(60, 0, -1)), 61)
        kind = dice.choice(["insert", "delete", "move"])
        change = {dice.randint(1, 12): [(kind, dice.randint(1, 59))]}
        result, stayed = _read_online(online, 5, change)
        if isinstance(result, Fault):
            n_caught += 1
            assert result.code == "race", (seed, round_no, result)
        else:
            n_united += 1
            assert kind == "insert", (seed, round_no, change)
            assert stayed <= result.records.keys() == online.numbers(), (seed, round_no)
    assert n_caught > 600
    assert n_united > 20


# --- what is said of the rows ------------------------------------------------------------------


def test_split_numbers_are_told_in_order():
    numbers = [9, 3, 7, 1, 8, 2]
    rows = [some_fields(number) for number in numbers]
    rows += [some_fields(number, company="다른 회사") for number in numbers]

    (table,) = paged(rows, 20)

    split = _accept([table]).split_numbers
    assert list(split) == sorted(f"20260922-211-J-{number}" for number in numbers)


def test_a_number_like_a_composite_key_is_named_behind_the_rows_before_it():
    rows = [some_fields(1, company="가"), some_fields(1, company="나"), some_fields(2)]
    (key, *_) = _accept(paged(rows, 5)).records
    rows[2] = rows[2] | {"reg_no": key}

    fault = _refuse(paged(rows, 5))

    assert fault.code == "duplicate_rows"
    assert "1페이지 1행과 1페이지 3행" in fault.message


def test_the_first_row_that_two_pages_show_is_told_though_more_pages_follow():
    """Such a list has moved; it does not hold the same record twice."""
    tables = paged(_rows(5, 4, 3, 3, 2, 1, 0), SIZE)

    fault = _refuse(tables)

    assert fault.code == "race"
    assert "1페이지 3행과 2페이지 1행" in fault.message


def test_an_empty_page_behind_a_short_one_is_none_of_a_list_that_moved():
    first = a_table(_rows(4, 3, 2), page_no=1, total=4)
    second = a_table(_rows(2, 1), page_no=2, total=5)
    third = a_table([], page_no=3, total=5)
    recheck = a_table(_rows(5, 4, 3), page_no=1, total=5)

    assert _numbers(_accept([first, second, third], recheck)) == [5, 4, 3, 2, 1]


def test_of_a_pinned_row_that_stands_there_twice_the_first_is_taken():
    (table,) = paged(_rows(2, 1), SIZE, total=4)
    pinned = a_table(_rows(9, 8, 9), total=3).rows
    table = replace(table, pinned=pinned)
    behind = replace(a_table([], page_no=2, total=4), pinned=pinned)

    snapshot = _accept([table, behind])

    row_nos = {each.key[-1]: each.row_no for each in snapshot.records.values()}
    assert row_nos == {"2": 1, "1": 2, "9": 1, "8": 2}


def test_a_total_that_fell_is_told_from_the_earlier_to_the_later():
    first, second = paged(_rows(6, 5, 4, 3), SIZE)

    fault = _refuse([first, replace(second, announced_total=3)])

    assert fault.code == "race"
    assert "2페이지에서 전체가 4건에서 3건으로 줄었습니다" in fault.message


def test_an_empty_workbook_is_told_with_the_total_of_the_site():
    fault = merge_export(a_table([], total=0), SELECTORS, announced_total=5)

    assert isinstance(fault, Fault)
    assert fault.code == "empty_list"
    assert "전체는 5건이고 읽은 행은 0개" in fault.message
