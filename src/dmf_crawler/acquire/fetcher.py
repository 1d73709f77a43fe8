"""One polite request at a time: robots, budget, pause, retries, redirects inside the scope.

A page is tried up to `max_attempts` times. Between two tries lies the back-off, or what the server
itself asked for. Each redirect is a request of its own: it pauses, counts, and is checked like any
other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import quote

from dmf_crawler.acquire.identity import make_headers
from dmf_crawler.acquire.path_pattern import is_in_paths
from dmf_crawler.acquire.retry import RETRY_CODES, RETRY_STATUSES, backoff_s, retry_after
from dmf_crawler.acquire.robots import RobotsGate
from dmf_crawler.acquire.throttle import Throttle
from dmf_crawler.acquire.urls import PRINTABLE, is_blocked, resolve_redirect
from dmf_crawler.errors import SendError
from dmf_crawler.model.page import FetchedPage, PageRequest, Reply, Request
from dmf_crawler.model.run import Fault, kst
from dmf_crawler.settings import Identity, Politeness
from dmf_crawler.world import World

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
MAX_ROBOTS_REDIRECTS = 5
"""RFC 9309, 2.3.1.2."""

Keep = Callable[[FetchedPage], Fault | None]
OnFailure = Callable[[PageRequest, SendError, int], None]


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one run may cost.

    Attributes:
        n_requests: Requests that are left of the day when the run starts.
        deadline_s: Reading of the monotonic clock after which nothing is sent.
        scopes: Kind of request → paths, or path patterns, that its redirects may lead to; a kind
            that is not there follows none.
        blocked: Paths, or path patterns, that no redirect leads to.
        not_before: Moment before which the server wants no request, or None.
    """

    n_requests: int
    deadline_s: float
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blocked: tuple[str, ...] = ()
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Try:
    """How one try ended.

    Attributes:
        result: The page, or why there is no usable one.
        page: The HTTP answer that the result is about, None where there was none.
    """

    result: FetchedPage | Fault
    page: FetchedPage | None


class Fetcher:
    """Sends the requests of one run to one host.

    Attributes:
        n_requests: Sent so far: retries, redirects and robots.txt included.
        not_before: No request of anyone before that moment (Retry-After), or None.
        throttle: The pauses between the requests.
        stopped: Why nothing more is sent in this run, None while it may.
    """

    def __init__(
        self,
        *,
        world: World,
        identity: Identity,
        politeness: Politeness,
        limits: FetchLimits,
    ) -> None:
        self._world = world
        self._headers = make_headers(identity)
        self._politeness = politeness
        self._limits = limits
        self._gate: RobotsGate | None = None
        self.throttle = Throttle(
            politeness, monotonic=world.monotonic, sleep=world.sleep, uniform=world.uniform
        )
        self.n_requests = 0
        self.not_before = limits.not_before
        self.stopped: Fault | None = None

    def obey(self, gate: RobotsGate) -> None:
        """Heed a robots.txt from now on: its rules and its crawl-delay."""
        self._gate = gate
        self.throttle.require_delay_s(gate.crawl_delay_s or 0.0)

    def stop(self, fault: Fault) -> None:
        """Send nothing more from now on, not even another try or the next hop; the first counts."""
        self.stopped = self.stopped or fault

    def n_requests_left(self) -> int:
        """Return how many requests may still be sent today."""
        return self._limits.n_requests - self.n_requests

    def seconds_left(self) -> float:
        """Return the seconds until the run's deadline; below 0 after it."""
        return self._limits.deadline_s - self._world.monotonic()

    def fetch(
        self, request: PageRequest, *, keep: Keep, on_failure: OnFailure
    ) -> FetchedPage | Fault:
        """Ask for one page until there is a usable answer or no more try is due.

        Args:
            request: What to ask for.
            keep: Told of every HTTP answer, whatever its status, so that it is on disk before
                anything else happens. For status 200, and for 304 to a conditional request, it
                returns why the page cannot be used, or None; what it returns for another status is
                ignored. It may call `stop`: then that is the answer.
            on_failure: Told of every request that got no answer: request, error, try.

        Returns:
            The page, status 200, or 304 to a conditional request; for robots.txt the last HTTP
            answer of any status, which `robots.read_robots` judges. Else the fault.

        Raises:
            RuntimeError: A page is asked for before `obey`.
        """
        fault = self.forbid(request)
        if fault is not None:
            return fault
        tried = self._try(request, 1, keep=keep, on_failure=on_failure)
        for attempt in range(2, self._politeness.max_attempts + 1):
            if not (isinstance(tried.result, Fault) and tried.result.is_retryable):
                break
            fault = self._back_off(attempt - 1, tried.page)
            if fault is not None:
                tried = _Try(fault, tried.page)
                break
            tried = self._try(request, attempt, keep=keep, on_failure=on_failure)
        if request.kind == "robots" and tried.page is not None:
            return tried.page
        return tried.result

    def forbid(self, request: PageRequest) -> Fault | None:
        """Return why a request must not be sent, or None: `stop`, robots.txt or the block list.

        Raises:
            RuntimeError: Before `obey`.
        """
        if self.stopped or request.kind == "robots":
            return self.stopped
        if is_blocked(request.url, self._limits.blocked):
            return _blocked_fault(request.url)
        if self._gate is None:
            raise RuntimeError("robots.txt comes before every page")
        return self._gate.forbid(request.url)

    # --- one try -------------------------------------------------------------------------------

    def _try(
        self, request: PageRequest, attempt: int, *, keep: Keep, on_failure: OnFailure
    ) -> _Try:
        """Send a request and follow its redirects."""
        is_robots = request.kind == "robots"
        n_hops_left = MAX_ROBOTS_REDIRECTS if is_robots else self._politeness.max_redirects
        hop = request
        while True:
            answer = self._send(hop, attempt, on_failure)
            if isinstance(answer, Fault):
                return _Try(answer, None)
            page = replace(answer, request=request)
            verdict = keep(page)
            if self.stopped:
                return _Try(self.stopped, None)
            if page.status not in REDIRECT_STATUSES:
                is_usable = page.status == 200 or (page.status == 304 and request.validators)
                fault = verdict if is_usable else _status_fault(page)
                return _Try(fault or page, page)
            next_hop = self._next_hop(hop, page) if n_hops_left else None
            if next_hop is None:
                return _Try(_redirect_fault(page), page)
            hop, n_hops_left = next_hop, n_hops_left - 1

    def _next_hop(self, hop: PageRequest, page: FetchedPage) -> PageRequest | None:
        """Return the request that a redirect asks for, None where it may not be followed."""
        url = resolve_redirect(hop.url, page.header("Location") or "")
        if url is None or not (hop.kind == "robots" or self._is_allowed(hop.kind, url)):
            return None
        target = replace(hop, url=url)
        if hop.method == "POST" and page.status not in {307, 308}:
            return replace(target, method="GET", body=None)  # RFC 9110, 15.4
        return target

    def _is_allowed(self, kind: str, url: str) -> bool:
        """Say whether a redirect may lead there: scope, block list, robots.txt."""
        limits = self._limits
        if not is_in_paths(url, limits.scopes.get(kind, ())) or is_blocked(url, limits.blocked):
            return False
        return self._gate is not None and self._gate.allows(url)

    def _send(self, hop: PageRequest, attempt: int, on_failure: OnFailure) -> FetchedPage | Fault:
        """Send one request when its turn has come, and wait for the whole answer."""
        fault = self._wait_for_leave()
        if fault is not None:
            return fault
        with self.throttle.slot() as slot:
            self.n_requests += 1
            reply = self._ask(hop)
            slot.is_success = isinstance(reply, Reply) and (
                200 <= reply.status < 300 or reply.status == 304
            )
        if isinstance(reply, SendError):
            on_failure(hop, reply, attempt)
            return Fault(reply.code, reply.message, 6, is_retryable=reply.code in RETRY_CODES)
        page = FetchedPage(
            request=hop,
            url=hop.url,
            status=reply.status,
            request_headers=(*self._headers, *hop.validators),
            headers=reply.headers,
            body=reply.body,
            fetched_at=self._world.now(),
            elapsed_s=slot.elapsed_s,
            attempt=attempt,
        )
        self._note_retry_after(page)
        return page

    def _ask(self, hop: PageRequest) -> Reply | SendError:
        body = None if hop.body is None else hop.body.encode("ascii")
        headers = (*self._headers, *hop.validators)
        try:
            return self._world.send(
                Request(
                    hop.method,
                    hop.url,
                    headers,
                    body,
                    hop.max_body_bytes,
                    secret=hop.secret,
                    read_timeout_s=hop.read_timeout_s,
                    request_deadline_s=hop.request_deadline_s,
                )
            )
        except SendError as error:
            return error

    # --- waiting -------------------------------------------------------------------------------

    def _wait_for_leave(self) -> Fault | None:
        """Return why nothing may be sent; wait where the server's moment is near."""
        if self.n_requests_left() <= 0:
            return Fault(
                "budget_exceeded",
                f"오늘 보낼 수 있는 요청을 모두 썼습니다(이번 실행 {self.n_requests:,}번). 이 "
                "게시판은 내일 다시 읽습니다. 자주 일어나면 config/settings.yaml의 "
                "requests_per_day를 확인해 주십시오.",
                exit_code=4,
            )
        if self.throttle.due_in_s() >= self.seconds_left():
            return _time_fault()
        if self.not_before is None:
            return None
        wait_s = (self.not_before - self._world.now()).total_seconds()
        if wait_s <= 0:
            return None
        if wait_s > self._politeness.backoff_cap_s:
            return _retry_after_fault(self.not_before)
        return self._sleep(wait_s)

    def _back_off(self, n_failed: int, page: FetchedPage | None) -> Fault | None:
        """Wait before the next try, or return why there is none."""
        moment = None if page is None else retry_after(page)
        if moment is None:
            return self._sleep(backoff_s(n_failed, self._politeness, uniform=self._world.uniform))
        wait_s = (moment - self._world.now()).total_seconds()
        if wait_s > self._politeness.backoff_cap_s:
            return _retry_after_fault(moment)
        return self._sleep(wait_s)

    def _sleep(self, seconds: float) -> Fault | None:
        if seconds >= self.seconds_left():
            return _time_fault()
        if seconds > 0:
            self._world.sleep(seconds)
        return None

    def _note_retry_after(self, page: FetchedPage) -> None:
        moment = retry_after(page)
        if moment is not None and (self.not_before is None or moment > self.not_before):
            self.not_before = moment


# --- reading answers; pure ---------------------------------------------------------------------


def _status_fault(page: FetchedPage) -> Fault:
    """Return the fault of a status that is no page; 304 too, to a request without conditions."""
    return Fault(
        "http_status",
        f"사이트가 HTTP {page.status}로 응답했습니다: {page.url} ({page.attempt}번째 시도). 이 "
        "페이지는 오늘 반영하지 않습니다. 브라우저로 이 주소가 열리는지 확인해 주십시오.",
        exit_code=6,
        is_retryable=page.status in RETRY_STATUSES,
    )


def _blocked_fault(url: str) -> Fault:
    return Fault(
        "blocked_address",
        f"config/boards.yaml의 blocked에 있는 주소이므로 요청하지 않았습니다: {url}. 읽어야 하는 "
        "주소라면 blocked에서 지우고, 아니면 게시판을 꺼 주십시오.",
        exit_code=7,
    )


def _redirect_fault(page: FetchedPage) -> Fault:
    location = quote(page.header("Location") or "", safe=PRINTABLE)[:200]
    return Fault(
        "redirect_out_of_scope",
        f"사이트가 따라갈 수 없는 주소로 넘겼습니다: {page.url} -> "
        f"{location or '(주소 없음)'} (HTTP {page.status}). 같은 사이트의 허용된 "
        "경로 안에서만 따라갑니다. 로그인이나 점검 페이지인지 브라우저로 확인해 주십시오.",
        exit_code=6,
    )


def _retry_after_fault(moment: datetime) -> Fault:
    return Fault(
        "retry_after",
        f"사이트가 {kst(moment):%Y-%m-%d %H:%M:%S} 이후에 다시 요청하라고 했습니다. 그때까지는 "
        "직접 실행해도 요청을 보내지 않습니다.",
        exit_code=6,
    )


def _time_fault() -> Fault:
    return Fault(
        "time_budget",
        "실행에 허용된 시간이 모자라 중단했습니다. 다음 시도에서 다시 읽습니다. 자주 일어나면 "
        "config/settings.yaml의 run_deadline_s와 사이트의 응답 속도를 확인해 주십시오.",
        exit_code=6,
    )
