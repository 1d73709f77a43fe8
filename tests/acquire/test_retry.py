from __future__ import annotations

from datetime import timedelta

import pytest

from dmf_crawler.acquire.retry import MAX_RETRY_AFTER, backoff_s, retry_after
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import kst
from dmf_crawler.settings import Politeness
from tests.fakes.world import START


def a_page(*values: str, status: int = 503) -> FetchedPage:
    return FetchedPage(
        request=PageRequest("https://list.example/", "list"),
        url="https://list.example/",
        status=status,
        request_headers=(),
        headers=(("Server", "x"), *(("retry-after", value) for value in values)),
        body=b"",
        fetched_at=START,
        elapsed_s=0.1,
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        (" 120 ", 120),
        ("1.5", 1.5),
        ("Sun, 29 Nov 2026 21:10:00 GMT", 600),
        ("Sunday, 29-Nov-26 21:10:00 GMT", 600),
        ("Sun, 29 Nov 2026 21:10:00 -0000", 600),  # parsed without a zone
        ("Sun, 29 Nov 2026 20:00:00 GMT", -3600),
    ],
)
def test_retry_after_is_read_as_seconds_and_as_http_date(value: str, seconds: float):
    assert retry_after(a_page(value)) == START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "values",
    [
        [],
        [""],
        ["-5"],
        ["nan"],
        ["inf"],
        ["3600s"],
        ["soon", ","],
        ["Sun, 99 Nov 2026"],
        ["Fri, 31 Dec 99999999999999999999 23:59:59 GMT"],
        ["Fri, 31 Dec " + "9" * 5_000 + " 23:59:59 GMT"],
        ["Fri, 31 Dec 2027 23:59:59 +99999999"],
    ],
)
def test_what_is_no_moment_is_ignored(values: list[str]):
    """F3: a negative or unreadable value once ended in sleep(-5)."""
    assert retry_after(a_page(*values)) is None


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        (["1", "3600"], 3600),
        (["3600", "1"], 3600),
        (["3600, 3600"], 3600),
        (["1,120 , 5", "60"], 120),
        (["inf, 5"], 5),
        (["soon", "7"], 7),
        (["60", "Sun, 29 Nov 2026 21:10:00 GMT"], 600),
        (["1200", "Sun, 29 Nov 2026 21:10:00 GMT"], 1200),
    ],
)
def test_of_several_waits_the_longest_counts(values: list[str], seconds: float):
    assert retry_after(a_page(*values)) == START + timedelta(seconds=seconds)


@pytest.mark.parametrize("value", ["1e300", "99999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_moment_near_the_end_of_the_calendar_counts_as_a_year(value: str):
    moment = retry_after(a_page(value))

    assert moment == START + MAX_RETRY_AFTER
    assert kst(moment).year == 2027


@pytest.mark.parametrize(("status", "is_read"), [(200, False), (302, True), (403, True)])
def test_only_an_answer_that_is_no_success_asks_to_wait(status: int, is_read: bool):
    assert (retry_after(a_page("5", status=status)) is not None) is is_read


@pytest.mark.parametrize(
    ("n_failed", "dice", "seconds"),
    [(1, 0.5, 2), (2, 0.5, 4), (1, 0.0, 1.5), (1, 1.0, 2.5), (5, 0.5, 32), (6, 0.5, 60)],
)
def test_the_back_off_doubles_varies_by_a_quarter_and_is_capped(
    n_failed: int, dice: float, seconds: float
):
    wait_s = backoff_s(n_failed, Politeness(), uniform=lambda low, high: low + dice * (high - low))

    assert wait_s == pytest.approx(seconds)
