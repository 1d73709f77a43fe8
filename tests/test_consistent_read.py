"""What a consistent read asks for, and in which order, whatever the site answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from dmf_crawler.consistent_read import read_consistent
from dmf_crawler.extract.joining import PassCheck
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from tests.extract.pages import a_table, paged, some_fields, some_selectors

SELECTORS = some_selectors()
TABLES = paged([some_fields(number) for number in range(9, 0, -1)], 3)
WHOLE = ["list 1", "list 2", "list 3", "recheck 1"]
BROKEN = Fault("connect_error", "연결할 수 없습니다.", 6, is_retryable=True)
REFUSED = Fault("budget_exceeded", "요청이 모자랍니다.", 4)

Answer = Callable[[int, int, str], PageTable | Fault]


def at_rest(page_no: int, _pass_no: int, _kind: str) -> PageTable:
    return TABLES[page_no - 1]


@dataclass
class Reading:
    """A consistent read that notes what it asks for, and what it tells."""

    answer: Answer = at_rest
    max_passes: int = 3
    refusals: Sequence[Fault | None] = (None, None, None)
    asked: dict[int, list[str]] = field(default_factory=dict)
    told: list[tuple[int, int, int]] = field(default_factory=list)
    n_checks: int = 0

    def run(self) -> Fault | None:
        return read_consistent(
            self._read,
            max_passes=self.max_passes,
            check=self._begin_check,
            may_go_on=lambda _first, pass_no: self.refusals[pass_no - 1],
            on_page=lambda *counts: self.told.append(counts),
        )

    def _read(self, page_no: int, pass_no: int, kind: str) -> PageTable | Fault:
        self.asked.setdefault(pass_no, []).append(f"{kind} {page_no}")
        return self.answer(page_no, pass_no, kind)

    def _begin_check(self) -> PassCheck:
        self.n_checks += 1
        return PassCheck(SELECTORS)


def test_a_list_at_rest_is_read_once_and_page_1_twice():
    reading = Reading()
    assert reading.run() is None
    assert reading.asked == {1: WHOLE}
    assert reading.told == [(1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1)]


@pytest.mark.parametrize("table", [TABLES[0], a_table([], total=0)], ids=["full", "empty"])
def test_a_list_of_one_page_is_asked_for_twice(table):
    reading = Reading(lambda *_: replace(table, announced_total=len(table.rows)))
    assert reading.run() is None
    assert reading.asked == {1: ["list 1", "recheck 1"]}
    assert reading.told == [(1, 2, 1), (2, 2, 1)]


@pytest.mark.parametrize("max_passes", [1, 2, 3])
def test_a_list_that_changes_in_every_pass_is_read_up_to_the_last_one(max_passes):
    """The race is not named here: the kept pages show it."""

    def answer(page_no: int, _pass_no: int, kind: str) -> PageTable:
        return replace(TABLES[page_no - 1], announced_total=9 + 5 * (kind == "recheck"))

    reading = Reading(answer, max_passes=max_passes)
    assert reading.run() is None
    assert reading.asked == dict.fromkeys(range(1, max_passes + 1), WHOLE)
    assert reading.n_checks == max_passes


def test_a_pass_that_can_no_longer_be_consistent_is_not_read_on():
    def answer(page_no: int, pass_no: int, _kind: str) -> PageTable:
        is_fallen = (pass_no, page_no) == (1, 2)
        return replace(TABLES[page_no - 1], announced_total=9 - is_fallen)

    reading = Reading(answer)
    assert reading.run() is None
    assert reading.asked == {1: WHOLE[:2], 2: WHOLE}
    assert reading.told[:2] == [(1, 4, 1), (1, 4, 2)]


def test_a_site_that_ignores_the_page_number_is_asked_no_further():
    reading = Reading(lambda page_no, *_: replace(TABLES[0], page_no=page_no))
    fault = reading.run()
    assert fault is not None
    assert fault.code == "repeated_page"
    assert reading.asked == {1: WHOLE[:2]}


def test_pages_that_make_no_list_are_left_to_be_named_and_not_read_again():
    """A missing row is no race: reading it all again would not help."""
    reading = Reading(lambda page_no, *_: replace(TABLES[page_no - 1], announced_total=8))
    assert reading.run() is None
    assert reading.asked == {1: WHOLE}


@pytest.mark.parametrize("place", [(1, "list"), (2, "list"), (1, "recheck")])
@pytest.mark.parametrize("pass_no", [1, 2])
def test_a_page_that_cannot_be_had_ends_the_read(place, pass_no):
    """Also one that may be had later: the fetcher has asked again already."""

    def answer(page_no: int, asked_in: int, kind: str) -> PageTable | Fault:
        if (asked_in, page_no, kind) == (pass_no, *place):
            return BROKEN
        is_fallen = (asked_in, page_no) == (1, 3) and pass_no == 2
        return replace(TABLES[page_no - 1], announced_total=9 - is_fallen)

    reading = Reading(answer)
    assert reading.run() == BROKEN
    assert reading.asked[pass_no][-1] == f"{place[1]} {place[0]}"
    assert max(reading.asked) == pass_no


def test_what_page_1_refuses_is_told_in_the_first_pass_and_left_to_the_pages_later():
    """A race that the budget does not let be read again is still a race."""

    def falls(page_no: int, _pass_no: int, _kind: str) -> PageTable:
        return replace(TABLES[page_no - 1], announced_total=9 - (page_no == 2))

    at_once = Reading(falls, refusals=(REFUSED, None, None))
    assert at_once.run() == REFUSED
    assert at_once.asked == {1: WHOLE[:1]}

    later = Reading(falls, refusals=(None, REFUSED, None))
    assert later.run() is None
    assert later.asked == {1: WHOLE[:2], 2: WHOLE[:1]}
