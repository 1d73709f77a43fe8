"""How the workbook, the open API and a watched page are asked for; pure."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from dmf_crawler.acquire.frontier import PATH_SAFE
from dmf_crawler.boards import ExportSource, OpenApiSource, WatchedPage
from dmf_crawler.model.page import PageRequest
from dmf_crawler.secret import mark_of


def export_request(base_url: str, source: ExportSource, *, pass_no: int = 1) -> PageRequest:
    """Return the request for the site's own workbook.

    Args:
        base_url: Scheme, host and port of the site, without a final slash.
        source: How it is asked for.
        pass_no: 1-based; 2 when the list changed meanwhile.
    """
    url = base_url + quote(source.path, safe=PATH_SAFE)
    form = urlencode(source.params)
    is_post = source.method == "POST"
    return PageRequest(
        url if is_post or not form else f"{url}?{form}",
        "export",
        pass_no=pass_no,
        method=source.method,
        body=form if is_post else None,
        read_timeout_s=source.read_timeout_s,
        request_deadline_s=source.request_deadline_s,
    )


def api_request(
    base_url: str, source: OpenApiSource, page_no: int, *, pass_no: int = 1
) -> PageRequest:
    """Return the request for one page of the open API; a mark stands in the place of its key.

    Args:
        base_url: Scheme, host and port of the site, without a final slash.
        source: How it is asked for.
        page_no: 1-based.
        pass_no: 1-based.
    """
    form = urlencode(
        source.params
        | {
            source.key_param: mark_of(source.key_variable),
            source.page_param: str(page_no),
            source.size_param: str(source.page_size),
        }
    )
    url = base_url + quote(source.path, safe=PATH_SAFE)
    return PageRequest(f"{url}?{form}", "api", page_no, pass_no, secret=source.key_variable)


def page_request(base_url: str, page: WatchedPage, *, pass_no: int = 1) -> PageRequest:
    """Return the request for a watched page, which is never conditional.

    Args:
        base_url: Scheme, host and port of the site, without a final slash.
        page: Which page.
        pass_no: 1-based; a calibration asks for it several times.
    """
    url = base_url + quote(page.path, safe=PATH_SAFE)
    form = urlencode(page.params)
    return PageRequest(f"{url}?{form}" if form else url, "page", pass_no=pass_no)
