"""The server itself: log, connections, closing."""

import gc
import socket
import threading
from datetime import UTC, datetime
from http.client import RemoteDisconnected
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches
from tests.workbench.rehearsal.browser import AGENT, LIST, ask, connect, get


def test_a_request_is_logged_with_all_its_parts(site):
    got = get(site, params={"page": 2, "searchItem": "가 나&다"})
    (request,) = site.log
    assert (request.method, request.path, request.status) == ("GET", LIST, 200)
    assert request.query == request.params == {"page": "2", "searchItem": "가 나&다"}
    assert request.query_text == "page=2&searchItem=%EA%B0%80+%EB%82%98%26%EB%8B%A4"
    assert request.headers["user-agent"] == "test"
    assert len(got.body) < request.n_bytes < len(got.body) + 400
    assert request.is_ended
    assert request.arrived_at_s <= request.ended_at_s
    assert request.n_open_at_arrival == 0


def test_a_form_is_logged_apart_from_the_query(site):
    ask(site, "POST", f"{LIST}?limit=5", body=b"page=2&sort=")
    (request,) = site.log
    assert (request.query, request.form) == ({"limit": "5"}, {"page": "2", "sort": ""})
    assert request.params == {"limit": "5", "page": "2", "sort": ""}


def test_requests_that_overlap_are_seen(site):
    inside, go_on = threading.Event(), threading.Event()

    def hold_first(request):
        if request.params.get("page") == "1":
            inside.set()
            assert go_on.wait(20)

    site.on_request = hold_first
    first = threading.Thread(target=get, args=(site, LIST, {"page": 1}))
    first.start()
    assert inside.wait(20)
    get(site, params={"page": 2})
    go_on.set()
    first.join()
    get(site, params={"page": 3})
    assert [request.n_open_at_arrival for request in site.log] == [0, 1, 0]


def test_the_log_can_be_cleared(site):
    get(site)
    site.clear_log()
    assert site.log == []
    get(site)
    assert len(site.log) == 1


def test_one_connection_serves_many_requests(site):
    connection = connect(site)
    connection.connect()
    used = connection.sock
    for page in range(1, 6):
        connection.request("GET", f"{LIST}?page={page}", headers=AGENT)
        with connection.getresponse() as response:
            assert response.version == 11
            assert len(response.read()) == int(response.headers["Content-Length"])
        assert connection.sock is used
    connection.close()
    assert len(site.log) == 5


def test_connections_are_counted_and_each_request_tells_its_own(site):
    """A connection on which nothing was asked counts; clearing the log forgets none."""
    connection = connect(site)
    for _ in range(2):
        connection.request("GET", LIST, headers=AGENT)
        with connection.getresponse() as response:
            response.read()
    get(site)
    assert [request.connection_id for request in site.log] == [1, 1, 2]
    site.clear_log()
    connection.request("GET", LIST, headers=AGENT)
    with connection.getresponse() as response:
        response.read()
    connection.close()
    assert [request.connection_id for request in site.log] == [1]
    assert site.n_connections == 2
    with connect_silently(site):
        get(site)  # accepted behind it
        assert site.log[-1].connection_id == site.n_connections == 4


def connect_silently(site):
    address = urlsplit(site.base_url)
    return socket.create_connection((address.hostname, address.port), timeout=20)


def test_urllib_can_read_a_page(site):
    request = Request(f"{site.base_url}{LIST}", headers=AGENT)
    with urlopen(request, timeout=20) as response:
        assert response.read().rstrip().endswith(b"</html>")


def test_dates_come_from_the_clock_given(rows):
    with RehearsalSite(rows, now=lambda: datetime(2026, 11, 29, 21, 0, tzinfo=UTC)) as site:
        assert get(site).headers["date"] == "Sun, 29 Nov 2026 21:00:00 GMT"


def test_without_a_user_agent_the_connection_is_closed(site):
    with pytest.raises(RemoteDisconnected):
        get(site, headers={})
    assert site.log[0].status == 0


def test_without_a_user_agent_the_answer_may_be_403_or_the_page(site):
    site.switches = Switches(no_user_agent="status_403")
    assert get(site, headers={}).status == 403
    site.switches = Switches(no_user_agent="answer")
    assert get(site, headers={}).status == 200


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("/", 'href="/pbp/CCBAC03"'),
        ("/member/login", "userPwd"),
        ("/pbp/nowhere", "해당 화면 혹은 기능을 찾을 수 없습니다"),
    ],
)
def test_other_pages(site, path, mark):
    got = get(site, path)
    assert got.status == 200
    assert mark in got.text


def test_rows_and_switches_can_be_read_back(site, rows):
    assert site.rows == rows
    assert site.switches == Switches()
    site.rows = list(rows[:3])
    assert site.rows == rows[:3]


def test_an_empty_list_is_served(site):
    site.rows = ()
    site.switches = Switches(odd_number=True, duplicated_number=True)
    assert 'title="총 0 건"' in get(site).text


def test_a_port_can_be_given(rows):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with RehearsalSite(rows, port=port) as site:
        assert site.base_url == f"http://127.0.0.1:{port}"
        assert get(site).status == 200


def test_closing_ends_idle_and_hanging_connections_without_leftovers(rows):
    threads_before = set(threading.enumerate())
    arrived = threading.Event()
    with RehearsalSite(rows) as site:
        idle, hanging = connect(site), connect(site)
        idle.request("GET", LIST, headers=AGENT)
        with idle.getresponse() as response:
            response.read()
        site.switches = Switches(robots="hang", troubles=(PageTrouble("drip"),), drip_pause_s=3600)
        site.on_request = lambda _: arrived.set()
        hanging.request("GET", "/robots.txt", headers=AGENT)
        assert arrived.wait(20)
    with pytest.raises(RemoteDisconnected):
        hanging.getresponse()
    idle.close()
    hanging.close()
    gc.collect()  # an unclosed socket would warn here, and warnings are errors
    assert set(threading.enumerate()) == threads_before


def test_a_closed_site_refuses_connections(rows):
    with RehearsalSite(rows) as site:
        pass
    with pytest.raises(ConnectionRefusedError):
        get(site)


def test_a_failure_inside_the_site_is_raised_when_it_closes(rows):
    def fail(request):
        raise LookupError(request.path)

    site = RehearsalSite(rows)
    site.on_request = fail
    with pytest.raises(RemoteDisconnected):
        get(site)
    with pytest.raises(LookupError, match="getList"):
        site.close()
