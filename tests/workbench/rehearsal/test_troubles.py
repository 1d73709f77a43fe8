"""List pages that go wrong; README item 9."""

import gzip
import http.client
import os
import socket
import struct
import threading
import zlib
from dataclasses import replace
from typing import get_args

import pytest

from dmf_crawler.workbench.rehearsal.answers import html_answer
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches, TroubleKind
from dmf_crawler.workbench.rehearsal.troubles import answer_trouble
from tests.workbench.rehearsal.browser import (
    AGENT,
    LIST,
    RESETS,
    connect,
    get,
    read_cells,
    read_column,
)


def trouble_site(site, kind, **how):
    site.switches = Switches(troubles=(PageTrouble(kind, **how),))
    return site


@pytest.mark.parametrize("kind", get_args(TroubleKind))
def test_every_kind_of_trouble_is_an_answer(kind):
    answer = html_answer("<tbody>약</tbody>")
    assert answer_trouble(PageTrouble(kind), answer, f"{LIST}?page=1").status >= 200


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_status_codes(site, status):
    got = get(trouble_site(site, f"status_{status}"))
    assert got.status == status
    assert "retry-after" not in got.headers


@pytest.mark.parametrize("retry_after", ["120", "Mon, 30 Nov 2026 21:30:00 GMT"])
@pytest.mark.parametrize("kind", ["status_429", "status_503"])
def test_retry_after_in_seconds_and_as_a_date(site, kind, retry_after):
    got = get(trouble_site(site, kind, retry_after=retry_after))
    assert got.headers["retry-after"] == retry_after


def test_trouble_comes_to_the_first_requests_of_each_page_named(site):
    trouble_site(site, "status_500", pages=frozenset({2, 3}), times=2)
    statuses = {
        page: [get(site, params={"page": page}).status for _ in range(3)] for page in (1, 2, 3)
    }
    assert statuses == {1: [200] * 3, 2: [500, 500, 200], 3: [500, 500, 200]}


def test_trouble_without_a_number_of_times_stays(site):
    trouble_site(site, "status_500")
    assert {get(site, params={"page": "x"}).status for _ in range(4)} == {500}


def test_assigning_switches_starts_the_counting_anew(site):
    for _ in range(2):
        trouble_site(site, "status_500", times=1)
        assert [get(site).status, get(site).status] == [500, 200]


def test_the_first_trouble_that_is_due_wins(site):
    first, second = PageTrouble("status_500", times=1), PageTrouble("status_503", times=2)
    site.switches = Switches(troubles=(first, second))
    assert [get(site).status for _ in range(4)] == [500, 503, 503, 200]


@pytest.mark.parametrize(
    ("kind", "location"),
    [
        ("redirect_login", "/member/login"),
        ("redirect_elsewhere", "http://elsewhere.invalid/pbp/CCBAC03/getList"),
    ],
)
def test_redirects_out_of_the_list(site, kind, location):
    got = get(trouble_site(site, kind))
    assert (got.status, got.headers["location"], got.body) == (302, location, b"")


def test_a_redirect_inside_the_list_leads_to_the_page(site):
    page = get(site, params={"page": 2}).text
    got = get(trouble_site(site, "redirect_inside"), params={"page": 2})
    assert (got.status, got.headers["location"]) == (302, f"{LIST}?page=2&moved=1")
    assert get(site, got.headers["location"]).text == page


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("error_page", '<div class="mpage_errwrap"><p>오류가 발생하였습니다'),
        ("maintenance", "시스템 점검 중"),
        ("login", "로그인"),
        ("script_only", '<script src="'),
    ],
)
def test_pages_with_200_that_are_no_list(site, kind, mark):
    got = get(trouble_site(site, kind))
    assert got.status == 200
    assert mark in got.text
    assert "<table" not in got.text


def test_an_empty_body(site):
    got = get(trouble_site(site, "empty_body"))
    assert (got.status, got.body) == (200, b"")


def test_a_page_without_charset(site):
    page = get(site).text
    got = get(trouble_site(site, "no_charset"))
    assert got.headers["content-type"] == "text/html"
    assert got.text == page.replace('<meta charset="utf-8">', "")


def test_a_page_in_korean_legacy_encoding(site):
    page = get(site).text
    got = get(trouble_site(site, "euc_kr"))
    assert got.headers["content-type"] == "text/html;charset=EUC-KR"
    text = got.body.decode("cp949")
    assert '<meta charset="euc-kr">' in text
    assert read_column(text, 2) == read_column(page, 2)


def test_mojibake_is_in_values_and_not_in_headers(site):
    text = get(trouble_site(site, "mojibake")).text
    head, _, values = text.partition("<tbody>")
    assert "\ufffd" in values
    assert "\ufffd" not in head


def test_a_stale_page_is_what_the_list_was(site, rows):
    before = get(site, params={"page": 2}).text
    site.rows = rows[5:]
    trouble_site(site, "stale", pages=frozenset({2}))
    assert get(site, params={"page": 2}).text == before
    assert get(site, params={"page": 1}).text != before
    assert 'title="총 132 건"' in get(site, params={"page": 1}).text


# --- on the wire -----------------------------------------------------------------------------


def test_a_reset_in_the_middle_of_the_body(site):
    trouble_site(site, "reset")
    with pytest.raises(RESETS):
        get(site)


@pytest.mark.parametrize("kind", ["truncated_length", "truncated_chunked"])
def test_a_truncated_body_that_a_client_can_tell(site, kind):
    trouble_site(site, kind)
    with pytest.raises(http.client.IncompleteRead) as caught:
        get(site)
    assert len(caught.value.partial) > 0


def test_a_truncated_body_that_a_client_cannot_tell(site):
    page = get(site).body
    got = get(trouble_site(site, "truncated_close"))
    assert "content-length" not in got.headers
    assert got.body == page[: len(page) // 2]


def test_half_a_gzip_stream(site):
    page = get(site).body
    got = get(trouble_site(site, "truncated_gzip"))
    assert got.headers["content-encoding"] == "gzip"
    assert page.startswith(zlib.decompressobj(wbits=31).decompress(got.body))
    with pytest.raises((EOFError, struct.error)):
        gzip.decompress(got.body)


def test_a_dripping_body_comes_whole_in_the_end(site):
    page = get(site).body
    trouble_site(site, "drip")
    site.switches = replace(site.switches, drip_pause_s=0.001, drip_bytes=len(page) // 3)
    assert get(site).body == page


@pytest.mark.parametrize("resets", [False, True])
def test_a_client_that_leaves_a_dripping_page_leaves_no_open_request(site, resets):
    trouble_site(site, "drip")
    site.switches = replace(site.switches, drip_pause_s=3600.0)
    connection = connect(site)
    connection.request("GET", LIST, headers=AGENT)
    if resets:
        linger = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.getresponse().close()
    connection.close()
    assert site.wait_until_idle()
    assert not site.log[0].ended_at_s < site.log[0].arrived_at_s


def test_a_hanging_page_answers_nothing_and_ends_with_the_client(site):
    arrived = threading.Event()
    site.on_request = lambda _: arrived.set()
    trouble_site(site, "hang")
    connection = connect(site)
    connection.request("GET", LIST, headers=AGENT)
    assert arrived.wait(20)
    assert not site.wait_until_idle(timeout_s=0)
    connection.close()
    assert site.wait_until_idle()
    assert site.log[0].status == 0
    site.on_request = None
    site.switches = Switches()
    assert get(site).status == 200
    assert site.log[1].n_open_at_arrival == 0


def test_a_page_is_compressed_for_whom_accepts_it(site):
    plain = get(site)
    site.switches = Switches(gzip=True)
    packed = get(site, headers={**AGENT, "Accept-Encoding": "gzip, deflate"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert (
        "content-encoding"
        not in get(site, headers={**AGENT, "Accept-Encoding": "identity"}).headers
    )


def test_a_repaired_site_shows_its_list_again(site):
    trouble_site(site, "script_only", times=1)
    assert get(site).status == 200
    assert len(read_cells(get(site).text)) == 10
