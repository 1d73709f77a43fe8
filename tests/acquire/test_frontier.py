from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.frontier import count_pages, foresee, list_request, robots_request
from dmf_crawler.settings import HtmlSource

BASE = "https://list.example"


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
