from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.frontier import (
    FIRST_RANK,
    DueReason,
    Frontier,
    PlannedDetail,
    RowLink,
    count_new_validators,
    count_pages,
    due_validators,
    foresee,
    full_check_start,
    list_request,
    plan_details,
    plan_file,
    robots_request,
)
from dmf_crawler.boards import HtmlSource
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.page import PageRequest, RequestIdentity
from dmf_crawler.model.run import KST

BASE = "https://list.example"
SOURCE = HtmlSource(path="/bbs/21")


def test_robots_txt_lies_at_the_root_of_the_site():
    request = robots_request(BASE)

    assert (request.url, request.kind, request.method) == (f"{BASE}/robots.txt", "robots", "GET")


def test_a_get_list_carries_constant_parameters_page_and_size_in_this_order():
    source = HtmlSource(path="/pbp/L/getList", params={"sort": "", "searchYn": "true"})

    request = list_request(BASE, source, 3, 100)

    assert request.url == f"{BASE}/pbp/L/getList?sort=&searchYn=true&page=3&limit=100"
    assert (request.method, request.body) == ("GET", None)
    assert (request.kind, request.page_no, request.pass_no) == ("list", 3, 1)


def test_a_post_list_carries_the_same_parameters_as_a_form_body():
    source = HtmlSource(path="/pbp/L", method="POST", params={"searchYn": "true"})

    request = list_request(BASE, source, 1, 50, pass_no=2, kind="recheck")

    assert (request.url, request.method) == (f"{BASE}/pbp/L", "POST")
    assert request.body == "searchYn=true&page=1&limit=50"
    assert (request.kind, request.pass_no) == ("recheck", 2)


def test_page_and_size_win_over_constant_parameters_of_the_same_name():
    source = HtmlSource(path="/L", params={"page": "9", "x": "1"}, size_param="rows")

    assert list_request(BASE, source, 2, 10).url == f"{BASE}/L?x=1&page=2&rows=10"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_an_address_is_ascii_whatever_the_parameters_hold(value: str):
    source = HtmlSource(path="/목록", params={"q": value})

    url = list_request(BASE, source, 1, 10).url

    assert url.isascii()
    assert dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))["q"] == value


@pytest.mark.parametrize(
    ("total", "size", "n_pages"),
    [(0, 100, 0), (1, 100, 1), (100, 100, 1), (101, 100, 2), (12_000, 10, 1_200)],
)
def test_pages_are_counted_up_to_the_last_partly_filled_one(total: int, size: int, n_pages: int):
    assert count_pages(total, size) == n_pages


@pytest.mark.parametrize(("n_left", "fits"), [(121, True), (120, True), (119, False)])
def test_pages_2_to_n_and_page_1_again_must_fit_the_requests_left(n_left: int, fits: bool):
    fault = foresee(12_000, 100, n_requests_left=n_left, seconds_left=9_999, delay_s=2)

    assert (fault is None) is fits


@pytest.mark.parametrize(("seconds_left", "fits"), [(240, True), (239.9, False), (-5, False)])
def test_pages_2_to_n_and_page_1_again_must_fit_the_time_left(seconds_left: float, fits: bool):
    fault = foresee(12_000, 100, n_requests_left=500, seconds_left=seconds_left, delay_s=2)

    assert (fault is None) is fits


@pytest.mark.parametrize(
    ("n_left", "seconds_left", "fits"),
    [(51, 102.0, True), (50, 102.0, False), (51, 101.9, False)],
)
def test_pages_that_an_earlier_run_kept_cost_neither_requests_nor_time(
    n_left: int, seconds_left: float, fits: bool
):
    """Killed at page 70 of 120: 50 pages and page 1 again remain."""
    fault = foresee(
        12_000, 100, n_requests_left=n_left, seconds_left=seconds_left, delay_s=2, n_kept=69
    )

    assert (fault is None) is fits
    assert fault is None or "51번" in fault.message


@pytest.mark.parametrize(("n_left", "fits"), [(1, True), (0, False)])
def test_of_a_list_that_was_kept_whole_page_1_again_must_still_fit(n_left: int, fits: bool):
    fault = foresee(12_000, 100, n_requests_left=n_left, seconds_left=9_999, delay_s=2, n_kept=119)

    assert (fault is None) is fits


def test_a_budget_that_cannot_hold_names_total_working_page_size_need_and_rest():
    """At 10 rows a page the list needs 1,200 requests; the run stops before page 2 and says so."""
    fault = foresee(12_000, 10, n_requests_left=498, seconds_left=1_500, delay_s=2)

    assert fault is not None
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("budget_exceeded", 4, False)
    for part in ("12,000건", "10건씩", "1,200번", "498번", "page_size", "requests_per_day"):
        assert part in fault.message


def test_a_time_that_cannot_hold_names_seconds_needed_and_left():
    fault = foresee(12_000, 100, n_requests_left=498, seconds_left=100, delay_s=30)

    assert fault is not None
    assert (fault.code, fault.exit_code) == ("budget_exceeded", 4)
    for part in ("120번", "3,600초", "100초", "run_deadline_s"):
        assert part in fault.message


# --- the queue ---------------------------------------------------------------------------------


def a_list_page(page_no: int, *, pass_no: int = 1, kind: str = "list") -> PageRequest:
    return list_request(BASE, SOURCE, page_no, 10, pass_no=pass_no, kind=kind)


def a_detail(number: int, kind: str = "detail") -> PageRequest:
    return PageRequest(f"{BASE}/bbs/21/{number}", kind)


def fill(*requests: PageRequest) -> Frontier:
    frontier = Frontier()
    for request in requests:
        frontier.add(request)
    return frontier


def test_robots_come_before_lists_before_details_before_files_and_breadth_first_in_each():
    robots, pages = robots_request(BASE), [a_list_page(1), a_list_page(2)]
    details = [a_detail(9), a_detail(3)]
    files = [a_detail(91, "file"), a_detail(31, "file")]

    frontier = fill(files[0], details[0], pages[0], details[1], robots, files[1], pages[1])

    assert list(frontier) == [robots, *pages, *details, *files]
    assert frontier.next() is None


def test_page_1_once_more_waits_in_the_line_of_the_list():
    recheck = a_list_page(1, kind="recheck")

    frontier = fill(a_detail(1), a_list_page(1), recheck, a_list_page(1, pass_no=2))

    assert [request.kind for request in frontier] == ["list", "recheck", "list", "detail"]


def test_what_is_added_while_the_queue_is_emptied_gets_its_turn():
    frontier, seen = fill(a_list_page(1)), []
    for request in frontier:
        seen.append(request)
        if request.kind == "list" and request.page_no < 3:
            frontier.add(a_detail(request.page_no))
            frontier.add(a_list_page(request.page_no + 1))

    assert [request.kind for request in seen] == ["list"] * 3 + ["detail"] * 2


def test_the_same_request_is_visited_once():
    frontier = Frontier()

    assert frontier.add(a_detail(1))
    assert not frontier.add(a_detail(1))
    assert frontier.next() == a_detail(1)
    assert not frontier.add(replace(a_detail(1), validators=(("If-None-Match", "x"),)))
    assert not frontier.add(a_detail(1, "file")), "method, address and body are the same"
    assert frontier.next() is None


def test_method_and_form_body_are_part_of_what_is_visited():
    form = PageRequest(f"{BASE}/a", "detail", method="POST", body="x=1")

    frontier = Frontier()

    for request in (
        form,
        replace(form, body="x=2"),
        replace(form, method="GET", body=None),
        replace(form, url=f"{BASE}/b"),
    ):
        assert frontier.add(request)
        assert not frontier.add(request)


def test_another_pass_and_the_recheck_of_a_list_page_are_other_visits():
    frontier = Frontier()

    for pass_no in (1, 2, 3):
        for kind in ("list", "recheck"):
            assert frontier.add(a_list_page(1, pass_no=pass_no, kind=kind))
            assert not frontier.add(a_list_page(1, pass_no=pass_no, kind=kind))


def test_parts_of_a_request_do_not_run_into_each_other():
    frontier = fill(PageRequest(f"{BASE}/a", "detail", method="POST", body="b"))

    assert frontier.add(PageRequest(f"{BASE}/ab", "detail", method="POST", body=""))


def test_a_kind_without_a_turn_is_refused():
    with pytest.raises(KeyError):
        Frontier().add(PageRequest(BASE, "unknown"))


def test_within_a_turn_what_failed_before_comes_last_and_what_waits_longest_first():
    frontier = Frontier()
    yesterday = DAY - timedelta(days=1)
    ranks = [(True, date.min), (False, DAY), FIRST_RANK, (False, yesterday)]
    for number, rank in enumerate(ranks):
        frontier.add(a_detail(number), rank)
    frontier.add(a_list_page(1), (True, DAY))

    assert list(frontier) == [a_list_page(1), *map(a_detail, (2, 3, 1, 0))]


def test_the_same_body_under_two_addresses_is_seen_once():
    frontier = Frontier()
    digests = [sha256(body).hexdigest() for body in (b"a", b"b", b"a", b"b", b"c")]

    assert [frontier.has_seen(digest) for digest in digests] == [False, False, True, True, False]


KINDS = st.sampled_from(["robots", "list", "recheck", "detail", "file"])
REQUESTS = st.builds(
    lambda kind, number, pass_no: PageRequest(f"{BASE}/{number}", kind, pass_no=pass_no),
    KINDS,
    st.integers(0, 5),
    st.integers(1, 2),
)


@given(st.lists(REQUESTS | st.none(), max_size=40))
def test_the_queue_equals_a_naive_reference(steps: list[PageRequest | None]):
    """A list that is searched from its front at every step; None takes the next request."""
    turns = [{"robots"}, {"list", "recheck"}, {"detail"}, {"file"}]
    frontier, visited = Frontier(), set()
    waiting: list[PageRequest] = []
    for request in steps:
        if request is None:
            due = [each for turn in turns for each in waiting if each.kind in turn]
            assert frontier.next() == (due[0] if due else None)
            for first in due[:1]:
                waiting.remove(first)
            continue
        is_list = request.kind in {"list", "recheck"}
        visit = (request.url, (request.kind, request.pass_no) if is_list else None)
        assert frontier.add(request) is (visit not in visited)
        waiting += [request] if visit not in visited else []
        visited.add(visit)


def test_a_visit_costs_little_memory():
    """120,000 pages are to fit into some 20 MB, however long their addresses are."""
    frontier = Frontier()
    n_visits, path = 5_000, "x" * 900

    tracemalloc.start()
    for number in range(n_visits):
        frontier.add(PageRequest(f"{BASE}/{path}/{number}", "detail"))
        frontier.next()
    n_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert n_bytes / n_visits < 200


# --- details and files -------------------------------------------------------------------------

DAY = date(2026, 11, 30)
VISITED_AT = datetime(2026, 11, 30, 6, 3, tzinfo=KST)
ASKED_BY = "us"


def a_known(number: int, *, kind: str = "detail", **changes: Any) -> KnownPage:
    page = KnownPage(
        identity=("GET", f"{BASE}/bbs/21/{number}", ""),
        kind=kind,
        etag='"e1"',
        last_modified="Mon, 30 Nov 2026 00:00:00 GMT",
        n_new_validators=0,
        sha256="0" * 64,
        raw_dir="raw/x",
        asked_by=ASKED_BY,
        fetched_at=VISITED_AT,
        full_checked_on=DAY,
        row_digest=f"row {number}",
    )
    return replace(page, **changes)


def a_link(number: int, row_digest: str = "") -> RowLink:
    return RowLink(f"{BASE}/bbs/21/{number}", row_digest or f"row {number}")


def plan(
    links: Iterable[RowLink],
    known: Iterable[KnownPage],
    *,
    total_rose: bool = False,
    cycle_start: date = DAY,
    asked_by: str = ASKED_BY,
) -> tuple[PlannedDetail, ...]:
    return plan_details(
        tuple(links),
        {page.identity: page for page in known},
        rose_at=VISITED_AT + timedelta(hours=2) if total_rose else None,
        cycle_start=cycle_start,
        asked_by=asked_by,
    )


def by_number(planned: Iterable[PlannedDetail]) -> list[tuple[int, str]]:
    return [(int(each.request.url.rpartition("/")[2]), each.reason.value) for each in planned]


def test_nothing_is_due_of_a_list_that_is_known_and_unchanged():
    assert plan([a_link(2), a_link(1)], [a_known(1), a_known(2)]) == ()


def test_new_pages_come_first_then_changed_ones_then_the_full_check_then_all_others():
    old = DAY - timedelta(days=3)
    links = [a_link(8), a_link(7), a_link(6, "other"), a_link(5), a_link(4), a_link(3, "other"),
             a_link(2), a_link(1)]  # fmt: skip
    known = [a_known(8), a_known(6), a_known(5, full_checked_on=old), a_known(3),
             a_known(2), a_known(1, full_checked_on=old)]  # fmt: skip

    assert by_number(plan(links, known, total_rose=True)) == [
        (7, "new"), (4, "new"), (6, "changed"), (3, "changed"), (5, "weekly"), (1, "weekly"),
        (8, "total"), (2, "total"),
    ]  # fmt: skip
    assert by_number(plan(links, known))[-1] == (1, "weekly")


def test_new_and_changed_pages_stay_newest_first_however_long_ago_they_were_checked():
    links = [a_link(5), a_link(4, "other"), a_link(3), a_link(2, "other"), a_link(1, "other")]
    known = [a_known(4), a_known(2, full_checked_on=DAY - timedelta(days=3)), a_known(1)]

    assert by_number(plan(links, known)) == [
        (5, "new"), (3, "new"), (4, "changed"), (2, "changed"), (1, "changed"),
    ]  # fmt: skip


def test_after_a_risen_total_the_pages_that_the_budget_left_over_stay_due():
    """Also where the list rose twice on a day: a visit of the same day may have been before it."""
    rose_at = VISITED_AT + timedelta(hours=2)
    ages = {1: timedelta(hours=2), 2: timedelta(seconds=1), 3: timedelta(), 4: -timedelta(hours=1)}
    known = [a_known(number, fetched_at=rose_at - age) for number, age in ages.items()]

    planned = plan_details(
        tuple(map(a_link, (4, 3, 2, 1))),
        {page.identity: page for page in known},
        rose_at=rose_at,
        cycle_start=DAY,
        asked_by=ASKED_BY,
    )

    assert by_number(planned) == [(2, "total"), (1, "total")]


def test_a_page_of_which_files_are_still_to_come_is_planned_last_and_for_nothing_else():
    old = DAY - timedelta(days=3)
    known = [a_known(4, is_whole=False), a_known(3, is_whole=False, full_checked_on=old),
             a_known(2, is_whole=False, row_digest="other"), a_known(1)]  # fmt: skip

    planned = by_number(plan([a_link(n) for n in (4, 3, 2, 1)], known))

    assert planned == [(2, "changed"), (3, "weekly"), (4, "files")]


def test_of_the_full_check_the_pages_that_have_waited_longest_come_first():
    """With a budget for a part of them alone, the oldest would otherwise never be checked."""
    known = [a_known(n, full_checked_on=DAY - timedelta(days=1 + n % 2)) for n in range(1, 6)]

    planned = plan([a_link(n) for n in (5, 4, 3, 2, 1)], known, cycle_start=DAY)

    assert by_number(planned) == [(n, "weekly") for n in (5, 3, 1, 4, 2)]


def test_a_full_check_that_the_budget_spreads_over_days_reaches_every_page_in_every_cycle():
    pages = {n: a_known(n, full_checked_on=DAY - timedelta(days=30)) for n in range(40)}
    links = [a_link(n) for n in reversed(range(40))]
    start = DAY
    for day in (DAY + timedelta(days=n) for n in range(28)):
        start = full_check_start(day, start, every_days=7)
        for detail in plan(links, pages.values(), cycle_start=start)[:5]:
            number = int(detail.request.url.rpartition("/")[2])
            pages[number] = replace(pages[number], full_checked_on=day)

    oldest = min(page.full_checked_on for page in pages.values())
    assert oldest > DAY + timedelta(days=28 - 14)


def test_only_what_a_risen_total_alone_makes_due_is_asked_conditionally():
    known = [
        a_known(1),
        a_known(2),
        a_known(3, full_checked_on=DAY - timedelta(days=1)),
        a_known(4, etag="", last_modified=""),
        a_known(5, etag=""),
        a_known(6, n_new_validators=3),
    ]
    links = [a_link(1), a_link(2, "other"), *map(a_link, (3, 4, 5, 6, 7))]

    sent = {
        int(each.request.url.rpartition("/")[2]): dict(each.request.validators)
        for each in plan(links, known, total_rose=True)
    }

    modified = {"If-Modified-Since": "Mon, 30 Nov 2026 00:00:00 GMT"}
    assert sent == {
        1: {"If-None-Match": '"e1"'} | modified, 2: {}, 3: {}, 4: {}, 5: modified, 6: {}, 7: {}
    }  # fmt: skip


def test_a_request_for_a_detail_page_is_plain():
    (detail,) = plan([a_link(1)], [])

    assert detail == PlannedDetail(PageRequest(f"{BASE}/bbs/21/1", "detail"), DueReason.NEW)


def test_a_pinned_row_and_its_place_in_the_list_are_one_page():
    links = [a_link(1, "pinned"), a_link(3), a_link(1)]

    assert by_number(plan(links, [a_known(3)])) == [(1, "new")]
    for row_digest in ("row 1", "pinned"):
        assert plan(links, [a_known(3), a_known(1, row_digest=row_digest)]) == ()
    assert by_number(plan(links, [a_known(3), a_known(1, row_digest="x")])) == [(1, "changed")]


PAGES = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from(["same", "other"]), st.integers(0, 3)),
    max_size=12,
)


@given(PAGES, st.sets(st.integers(0, 8)), st.booleans(), st.integers(0, 3))
def test_every_page_is_planned_once_for_its_first_reason(
    rows: list[tuple[int, str, int]], known_numbers: set[int], total_rose: bool, cycle: int
):
    days = {number: DAY - timedelta(days=age) for number, _, age in rows}
    known = [a_known(n, row_digest="same", full_checked_on=days.get(n, DAY)) for n in known_numbers]
    cycle_start = DAY - timedelta(days=cycle)

    planned = plan(
        [a_link(number, digest) for number, digest, _ in rows],
        known,
        total_rose=total_rose,
        cycle_start=cycle_start,
    )

    reasons = dict(by_number(planned))
    assert len(reasons) == len(planned)
    for number, _, _ in rows:
        is_same = (number, "same") in {(n, digest) for n, digest, _ in rows}
        due = [
            ("new", number not in known_numbers),
            ("changed", not is_same),
            ("weekly", days[number] < cycle_start),
            ("total", total_rose),
        ]
        assert reasons.get(number) == next((reason for reason, is_due in due if is_due), None)
    assert reasons.keys() <= {number for number, _, _ in rows}
    order = list(DueReason)
    assert [order.index(each.reason) for each in planned] == sorted(
        order.index(each.reason) for each in planned
    )


FILE_URL = f"{BASE}/bbs/21/7"


def plan_known_file(*pages: KnownPage, changed_at: datetime | None = None) -> PageRequest | None:
    known: dict[RequestIdentity, KnownPage] = {page.identity: page for page in pages}
    return plan_file(
        PageRequest(FILE_URL, "file", max_body_bytes=1_000),
        known,
        changed_at=changed_at,
        cycle_start=DAY,
        asked_by=ASKED_BY,
    )


def test_a_file_is_due_when_unknown_when_its_page_changed_and_in_the_full_check():
    old = a_known(7, kind="file", full_checked_on=DAY - timedelta(days=1))
    plain = PageRequest(FILE_URL, "file", max_body_bytes=1_000)

    assert plan_known_file() == plain
    assert plan_known_file(a_known(7, kind="file")) is None
    assert plan_known_file(old) == plain
    later = VISITED_AT + timedelta(seconds=1)
    assert plan_known_file(old, changed_at=later) == plain
    conditional = plan_known_file(a_known(7, kind="file"), changed_at=later)
    assert conditional == replace(plain, validators=a_known(7).validators)


@pytest.mark.parametrize("ago", [timedelta(), timedelta(seconds=1), timedelta(days=1)])
def test_a_file_that_was_asked_for_since_its_page_changed_is_not_due(ago):
    assert plan_known_file(a_known(7, kind="file"), changed_at=VISITED_AT - ago) is None


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, ["If-None-Match", "If-Modified-Since"]),
        ({"etag": ""}, ["If-Modified-Since"]),
        ({"n_new_validators": 2}, ["If-None-Match", "If-Modified-Since"]),
        ({"n_new_validators": 3}, []),
        ({"asked_by": "another proxy"}, []),
        ({"etag": '"a\r\nX: y"'}, ["If-Modified-Since"]),
        ({"etag": '"\u00e9"'}, ["If-Modified-Since"]),
        ({"etag": "x" * 513}, ["If-Modified-Since"]),
        ({"etag": 'W/"x"', "last_modified": ""}, ["If-None-Match"]),
    ],
)
def test_validators_are_sent_only_where_they_say_something(changes, names):
    assert [name for name, _ in due_validators(a_known(1, **changes), asked_by=ASKED_BY)] == names


def test_validators_that_change_at_every_fetch_are_sent_no_more_until_they_stay():
    known, sent = a_known(1), []
    for etag in ('"a"', '"b"', '"c"', '"d"', '"d"', '"d"'):
        sent.append(bool(due_validators(known, asked_by=ASKED_BY)))
        n_new = count_new_validators(known, etag, known.last_modified)
        known = replace(known, etag=etag, n_new_validators=n_new)

    assert sent == [True, True, True, False, False, True]


def test_new_validators_are_counted_from_the_second_visit():
    assert count_new_validators(None, '"a"', "") == 0
    assert count_new_validators(a_known(1, n_new_validators=2), '"e1"', "Tue") == 3
    assert count_new_validators(a_known(1, etag="", last_modified=""), "", "") == 0


SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("day", "last", "start"),
    [
        (DAY, None, DAY),
        (SUNDAY, SUNDAY - timedelta(days=1), SUNDAY),
        (SUNDAY, SUNDAY, SUNDAY),
        (DAY, SUNDAY, SUNDAY),
        (SUNDAY + timedelta(days=6), SUNDAY, SUNDAY),
        (DAY, DAY - timedelta(days=7), DAY),
        (DAY, DAY - timedelta(days=70), DAY),
        (DAY, DAY - timedelta(days=6), DAY - timedelta(days=6)),
        (DAY, DAY + timedelta(days=2), DAY + timedelta(days=2)),
    ],
)
def test_a_full_check_begins_on_sundays_and_after_seven_days(day, last, start):
    assert full_check_start(day, last, every_days=7) == start


def test_a_full_check_may_begin_more_often():
    assert full_check_start(DAY, DAY - timedelta(days=2), every_days=2) == DAY
    assert full_check_start(DAY, DAY - timedelta(days=1), every_days=2) == DAY - timedelta(days=1)
