"""Faults named apart: one table of how a request or a page can end, each on a real server.

What counts is what was really asked for: the server's log, or that of the look-up of names where no
server is reached.
"""

from __future__ import annotations

import hashlib
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.robots import RobotsGate
from dmf_crawler.acquire.robots_file import RobotsRules
from dmf_crawler.errors import SendError
from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.links import judge_file
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.page import FetchedPage, PageRequest, RawPage
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import Http, Identity, Politeness
from dmf_crawler.wire import AddressInfo, resolve_by_system
from dmf_crawler.world import _CODES, _SENTENCES, World, real_world
from tests.acquire.loopback import CERTIFICATES, Loopback, Step, answer, hang_up, reset, serve
from tests.extract.notices import html_detail, notice_selectors
from tests.extract.pages import html_page, some_fields, some_selectors
from tests.pages import read

FAST = Politeness(min_delay_s=0, delay_factor=0, backoff_base_s=0)
IMPATIENT = Politeness(
    min_delay_s=0, delay_factor=0, backoff_base_s=0, read_timeout_s=0.1, request_deadline_s=0.2
)
SMALL = Politeness(min_delay_s=0, delay_factor=0, backoff_base_s=0, max_body_bytes=100)
NO_REQUEST_LEFT = 0
PAGE = html_page([some_fields(1), some_fields(2)])
POST = html_detail("<p>본문</p>")
UTF_8 = "text/html; charset=utf-8"
NEXT_STEP = re.compile("십시오|다시 (읽|요청)|보내지 않습니다")
NO_SINGLE_PAGE = {"incomplete_pages", "redirect_to_other_page", "unequal_answers"}
"""Faults that are seen among several pages; they have tests of their own."""


@dataclass(frozen=True)
class Trial:
    """A place to ask for, and how often somebody there was asked."""

    url: str
    world: World
    n_asked: Callable[[], int]


Place = Callable[[], AbstractContextManager[Trial]]


@dataclass(frozen=True)
class Case:
    """How a request ends at a place: exit code, tries, and what it is limited to."""

    code: str
    exit_code: int
    n_asked: int
    place: Place
    kind: str = "list"
    n_requests: int = 20
    time_s: float = 60.0


# --- places ------------------------------------------------------------------------------------


def site(*steps: Step, politeness: Politeness = FAST) -> Place:
    """A server that answers with these steps every time."""

    @contextmanager
    def opened() -> Iterator[Trial]:
        with serve(Loopback({"/bbs/21": steps})) as running, real_world(politeness) as world:
            yield Trial(f"{running.base_url}/bbs/21", world, lambda: len(running.heads))

    return opened


def html(text: str | bytes, content_type: str = UTF_8) -> Place:
    """A server that answers 200 with this page."""
    body = text.encode() if isinstance(text, str) else text
    return site(answer("200 OK", body, Content_Type=content_type))


@contextmanager
def silence() -> Iterator[Trial]:
    """A server that takes requests and never answers."""
    running = Loopback()
    running.answers = {"/": [running.stall]}
    with serve(running), real_world(IMPATIENT) as world:
        yield Trial(f"{running.base_url}/", world, lambda: len(running.heads))


@contextmanager
def drip() -> Iterator[Trial]:
    """A server that sends a byte before every read timeout, and would do so for ever."""

    def send_bytes(connection: socket.socket) -> None:
        while not running.is_closing.wait(0.005):
            connection.sendall(b"x")

    running = Loopback({"/": [b"HTTP/1.1 200 OK\r\n\r\n", send_bytes]})
    with serve(running), real_world(IMPATIENT) as world:
        yield Trial(f"{running.base_url}/", world, lambda: len(running.heads))


@contextmanager
def unknown_authority() -> Iterator[Trial]:
    """A server whose certificate nobody vouches for; a request never reaches it."""
    with (
        serve(Loopback(), certificate=CERTIFICATES / "address.pem") as running,
        real_world(FAST) as world,
    ):
        yield Trial(f"{running.base_url}/", world, lambda: running.n_connections)


def proxy(*steps: Step) -> Place:
    """A proxy that answers CONNECT with these steps."""

    @contextmanager
    def opened() -> Iterator[Trial]:
        with (
            serve(Loopback({"list.example:443": steps})) as running,
            real_world(FAST, Http(proxy=running.base_url)) as world,
        ):
            yield Trial("https://list.example/", world, lambda: len(running.heads))

    return opened


class Names:
    """The system's look-up of names, and its log."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[AddressInfo]:
        self.asked.append(host)
        return resolve_by_system(host, port)


@contextmanager
def unknown_host() -> Iterator[Trial]:
    """A name that no host ever has (RFC 6761, 6.4)."""
    names = Names()
    with real_world(FAST, resolve=names) as world:
        yield Trial("http://list.invalid/", world, lambda: len(names.asked))


@contextmanager
def closed_port() -> Iterator[Trial]:
    """A port that somebody holds and nobody listens at."""
    names = Names()
    with socket.socket() as taken, real_world(FAST, resolve=names) as world:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        yield Trial(url, world, lambda: len(names.asked))


# --- the table ---------------------------------------------------------------------------------

NO_ANSWER = [
    Case("dns_error", 6, 3, unknown_host),
    Case("connect_error", 6, 3, closed_port),
    Case("proxy_error", 6, 3, proxy(answer("502 Bad Gateway"))),
    Case("proxy_login", 6, 1, proxy(answer("407 Proxy Authentication Required"))),
    Case("tls_error", 6, 1, unknown_authority),
    Case("timeout", 6, 3, silence),
    Case("timeout", 6, 3, drip),
    Case("connection_reset", 6, 3, site(reset)),
    Case("connection_reset", 6, 3, site(hang_up)),
    Case("truncated_body", 6, 3, site(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", hang_up)),
    Case("truncated_body", 6, 3, site(b"HTTP/1.1 200 OK\r\nX-A: b\r\n", hang_up)),
    Case("oversize", 6, 1, site(answer("200 OK", b"x" * 101), politeness=SMALL)),
    Case("request_error", 6, 1, site(answer("200 OK", b"x", Content_Encoding="br"))),
]
NO_PAGE = [
    *(Case("http_status", 6, 3, site(answer(f"{n} x"))) for n in (429, 500, 502, 503, 504)),
    *(Case("http_status", 6, 1, site(answer(f"{n} x"))) for n in (201, 204, 304, 401, 403, 404)),
    *(Case("http_status", 6, 1, site(answer(f"{n} x"))) for n in (400, 407, 410, 501)),
    Case("redirect_out_of_scope", 6, 1, site(answer("302 Found", Location="/login"))),
    Case("redirect_out_of_scope", 6, 1, site(answer("302 Found", Location="http://localhost:1/"))),
    Case("redirect_out_of_scope", 6, 1, site(answer("301 Moved"))),
    Case("redirect_out_of_scope", 6, 6, site(answer("302 Found", Location="/bbs/21"))),
    Case("retry_after", 6, 1, site(answer("503 Busy", Retry_After="3600"))),
    Case("time_budget", 6, 0, html(PAGE), time_s=0),
    Case("budget_exceeded", 4, 0, html(PAGE), n_requests=NO_REQUEST_LEFT),
]
NO_LIST = [
    Case("empty_page", 6, 3, site(answer("200 OK"))),
    Case("empty_page", 6, 3, html(" \n")),
    Case("truncated_page", 6, 3, html(PAGE[: len(PAGE) // 2])),
    Case("error_page", 6, 3, html("<html><body>오류가 발생하였습니다</body></html>")),
    Case("login_page", 6, 3, html("<html><form><input type=password></form></html>")),
    Case("maintenance_page", 6, 3, html("<html><p>시스템 점검 중입니다</p></html>")),
    Case("script_only_page", 4, 1, html("<html><script>draw()</script></html>")),
    Case("no_table", 4, 1, html(f"<html><p>{'내용은 있으나 표가 없습니다. ' * 9}</p></html>")),
    Case("mojibake", 4, 1, html(PAGE.encode("utf-16-be"))),
    Case("mojibake", 4, 1, html(b"<html>\xff\xff\xff</html>")),
    Case("mojibake", 4, 1, html(PAGE.replace("한국", "한\ufffd"))),
    Case("unparsable_page", 4, 1, html(f"<html>{'<b>' * 3_000}x</html>")),
]
REGION = '<div class="view_cont">본문</div>'
LINK = '<div class="file_list"><a href="/cmn/edms/down/{}">a</a></div>'
NO_DETAIL = [
    Case(code, 6, 1, html(f"<html>{body}</html>"), "detail")
    for code, body in {
        "no_detail_region": "<p>본문</p>",
        "several_detail_regions": REGION * 2,
        "empty_detail": REGION.replace("본문", ""),
        "detail_too_long": REGION.replace("본문", "가" * 1_000_001),
        "too_many_files": REGION + "".join(map(LINK.format, range(101))),
    }.items()
]
MANY = "<i></i>" * 200_000
TOO_COMPLEX = [
    Case("page_too_complex", 4, 1, html(f"<html>{MANY}</html>")),
    Case("page_too_complex", 4, 1, html(html_detail(MANY[: len(MANY) // 5])), "detail"),
]
NO_FILE = [
    Case("empty_file", 6, 1, site(answer("200 OK", Content_Type="application/pdf")), "file"),
    Case("not_the_file", 6, 1, html("<html>로그인</html>"), "file"),
    Case("not_the_file", 6, 1, html("\n<!DOCTYPE html><p>점검", "application/pdf"), "file"),
]
NO_WORKBOOK = [
    Case("not_a_workbook", 6, 3, html("<html>오류가 발생하였습니다</html>"), "export"),
    Case("not_a_workbook", 6, 3, site(answer("200 OK")), "export"),
    Case("damaged_workbook", 6, 3, html(b"PK\x03\x04 half of a file", "x/xlsx"), "export"),
]


def refusal(code: str) -> Place:
    """The open API's own error: XML with 200."""
    reason = f"<returnReasonCode>{code}</returnReasonCode>"
    header = f"<cmmMsgHeader><errMsg>SERVICE ERROR</errMsg>{reason}</cmmMsgHeader>"
    return html(f"<OpenAPI_ServiceResponse>{header}</OpenAPI_ServiceResponse>", "application/xml")


OTHER_PAGE = (
    '{"header": {"resultCode": "00"}, "body": {"pageNo": 2, "numOfRows": 1, "totalCount": 0}}'
)
NO_API_ANSWER = [
    Case("api_wrong_page", 6, 3, html(OTHER_PAGE, "application/json"), "api"),
    Case("not_an_api_answer", 6, 3, html("<html>점검 중입니다</html>"), "api"),
    Case("not_an_api_answer", 6, 1, html("Forbidden", "text/plain"), "api"),
    *(Case("api_error", 6, 3, refusal(code), "api") for code in ("01", "04", "05", "99")),
    *(
        Case(f"api_{name}", 6, n_asked, refusal(code), "api")
        for code, name, n_asked in (
            ("10", "request", 1),
            ("12", "service_gone", 1),
            ("20", "key_denied", 1),
            ("22", "quota", 1),
            ("23", "too_fast", 3),
            ("30", "key_unknown", 1),
            ("31", "key_expired", 1),
            ("32", "key_address", 1),
            ("77", "refused", 1),
        )
    ),
]
CASES = [
    *(*NO_ANSWER, *NO_PAGE, *NO_LIST, *NO_DETAIL, *TOO_COMPLEX, *NO_FILE),
    *(*NO_WORKBOOK, *NO_API_ANSWER),
]


def fetch(case: Case, trial: Trial) -> FetchedPage | Fault:
    """Ask for the page as a crawl does: each answer is looked at before it counts."""
    fetcher = Fetcher(
        world=trial.world,
        identity=Identity(),
        politeness=FAST,
        limits=FetchLimits(
            case.n_requests, trial.world.monotonic() + case.time_s, {case.kind: ("/bbs/21",)}
        ),
    )
    fetcher.obey(RobotsGate(RobotsRules(), "DMF-Crawler"))
    request = PageRequest(trial.url, case.kind, 1)
    result = fetcher.fetch(request, keep=look_at, on_failure=note)
    assert fetcher.n_requests == case.n_asked
    return result


def look_at(page: FetchedPage) -> Fault | None:
    raw = RawPage(
        request=page.request,
        url=page.url,
        status=page.status,
        content_type=page.header("Content-Type") or "",
        sha256=hashlib.sha256(page.body).hexdigest(),
        body=page.body,
        fetched_at=page.fetched_at,
    )
    if page.request.kind == "file":
        found: object = judge_file(raw)
    elif page.request.kind == "detail":
        found = read_detail(raw, notice_selectors())
    elif page.request.kind == "export":
        found = read_workbook(raw, some_selectors(), most_rows=10_000)
    elif page.request.kind == "api":
        found = read_api_page(raw, some_selectors())
    else:
        found = read_page(raw, some_selectors())
    return found if isinstance(found, Fault) else None


def note(_request: PageRequest, error: SendError, _attempt: int) -> None:
    assert error.code in _SENTENCES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_fault_has_its_name_its_exit_code_and_its_retry_rule(case: Case):
    with case.place() as trial:
        result = fetch(case, trial)

    assert isinstance(result, Fault), result
    assert (result.code, result.exit_code) == (case.code, case.exit_code)
    assert trial.n_asked() == case.n_asked  # after the server has ended, so that its log is whole
    check_sentence(result.message)


def check_sentence(message: str) -> None:
    """It is Korean, whole, and says what happens next or is to be done."""
    assert re.search("[가-힣]", message)
    assert message.endswith(("다.", "오."))
    assert NEXT_STEP.search(message), message


@pytest.mark.parametrize("kind", ["list", "detail"])
def test_a_page_that_is_what_it_should_be_is_no_fault(kind: str):
    """Else every case above might fail for a reason of its own."""
    text = PAGE if kind == "list" else POST
    case = Case("", 0, 1, html(text), kind)
    with case.place() as trial:
        assert isinstance(fetch(case, trial), FetchedPage)


def test_every_fault_of_a_request_and_of_operations_is_in_the_table():
    section = read("docs/operations.md").partition("\n### The site did not give its list")[2]
    explained = re.findall(r"^\| `([a-z_]+)` \|", section.partition("\n### ")[0], re.MULTILINE)
    tried = {case.code for case in CASES}

    assert len(explained) > 15
    assert set(explained) - tried == NO_SINGLE_PAGE
    assert {code for code, _ in _CODES} | _SENTENCES.keys() == {case.code for case in NO_ANSWER}


@pytest.mark.parametrize("code", sorted(_SENTENCES))
def test_every_sentence_of_a_failed_request_names_the_host_and_the_next_step(code: str):
    assert "{host}" in _SENTENCES[code]
    check_sentence(_SENTENCES[code])
    _SENTENCES[code].encode("cp949")
