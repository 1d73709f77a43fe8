"""Which pages are due, how they are asked for, and whether the budget holds them all; pure."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from dmf_crawler.model.page import PageRequest
from dmf_crawler.model.run import Fault
from dmf_crawler.settings import HtmlSource

PATH_SAFE = "/%:@!$&'()*+,;=~"
"""Characters of a configured path that stand as they are (RFC 3986 pchar and `%`)."""


def robots_request(base_url: str) -> PageRequest:
    """Return the request for a site's robots.txt."""
    return PageRequest(url=f"{base_url}/robots.txt", kind="robots")


def list_request(
    base_url: str,
    source: HtmlSource,
    page_no: int,
    page_size: int,
    *,
    pass_no: int = 1,
    kind: str = "list",
) -> PageRequest:
    """Return the request for one page of a list.

    The constant parameters come first in the order of the configuration, then page number and page
    size, so that the same page always has the same address.

    Args:
        base_url: Scheme, host and port of the site, without a final slash.
        source: How the list is asked for.
        page_no: 1-based.
        page_size: Rows asked for a page.
        pass_no: 1-based; 2 when the list is read for the second time.
        kind: `list`, or `recheck` for page 1 once more at the end of a pass.
    """
    paging = {source.page_param: str(page_no), source.size_param: str(page_size)}
    constant = {name: value for name, value in source.params.items() if name not in paging}
    form = urlencode(constant | paging)
    url = base_url + quote(source.path, safe=PATH_SAFE)
    if source.method == "POST":
        return PageRequest(url, kind, page_no, pass_no, method="POST", body=form)
    return PageRequest(f"{url}?{form}", kind, page_no, pass_no)


def count_pages(announced_total: int, page_size: int) -> int:
    """Return how many pages of `page_size` rows (at least 1) hold `announced_total` rows."""
    return -(-announced_total // page_size)


def foresee(
    announced_total: int,
    page_size: int,
    *,
    n_requests_left: int,
    seconds_left: float,
    delay_s: float,
) -> Fault | None:
    """Say, after page 1, why the rest of the list cannot be read, or None when it can.

    The rest is pages 2 to n and page 1 once more, which shows whether the list changed meanwhile.
    A list that does not fit is not begun: half a list proves nothing and costs the site the same.

    Args:
        announced_total: Rows that the site says the list has.
        page_size: Rows that page 1 really had, which may be fewer than were asked for.
        n_requests_left: Requests that may still be sent today.
        seconds_left: Until the run's deadline.
        delay_s: Pause between two requests.
    """
    n_needed = count_pages(announced_total, page_size)
    if n_needed > n_requests_left:
        return Fault(
            "budget_exceeded",
            f"목록 {announced_total:,}건을 한 쪽에 {page_size:,}건씩 읽으려면 요청이 "
            f"{n_needed:,}번 더 필요하지만 오늘 남은 요청은 {n_requests_left:,}번입니다. 2쪽부터는 "
            "요청하지 않았습니다. config/boards.yaml의 page_size를 늘리거나 config/settings.yaml의 "
            "requests_per_day를 늘려 주십시오.",
            exit_code=4,
        )
    seconds_needed = n_needed * delay_s
    if seconds_needed > seconds_left:
        return Fault(
            "budget_exceeded",
            f"목록 {announced_total:,}건을 한 쪽에 {page_size:,}건씩 읽으려면 요청 "
            f"{n_needed:,}번, 최소 {seconds_needed:,.0f}초가 필요하지만 남은 시간은 "
            f"{max(seconds_left, 0):,.0f}초입니다. 2쪽부터는 요청하지 않았습니다. "
            "config/boards.yaml의 page_size를 늘리거나 config/settings.yaml의 run_deadline_s를 "
            "늘려 주십시오.",
            exit_code=4,
        )
    return None
