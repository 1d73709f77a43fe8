"""Which failed requests are sent again, and after how long; pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from dmf_crawler.model.page import FetchedPage
from dmf_crawler.settings import Politeness

RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
RETRY_CODES = frozenset(
    {
        "dns_error",
        "connect_error",
        "proxy_error",
        "timeout",
        "connection_reset",
        "truncated_body",
    }
)
MAX_RETRY_AFTER = timedelta(days=365)
"""More than that is a mistake, and near the end of the calendar it cannot be computed with."""


def backoff_s(
    n_failed: int, politeness: Politeness, *, uniform: Callable[[float, float], float]
) -> float:
    """Return the wait after `n_failed` tries (at least 1): exponential, varied, capped."""
    wait_s = politeness.backoff_base_s * politeness.backoff_factor ** (n_failed - 1)
    ratio = politeness.backoff_jitter_ratio
    return min(wait_s * (1.0 + uniform(-ratio, ratio)), politeness.backoff_cap_s)


def retry_after(page: FetchedPage) -> datetime | None:
    """Return the moment before which an answer of status 300 or more wants no request, or None.

    Both forms of RFC 9110, 10.2.3 are read: seconds (a finite number, 0 or more) and an HTTP date.
    Of several fields, or of several numbers in one, the longest wait counts. A moment further away
    than `MAX_RETRY_AFTER` counts as that.
    """
    if page.status < 300:
        return None
    values = [value for name, value in page.headers if name.lower() == "retry-after"]
    moments = [moment for value in values for moment in _read_moments(value, page.fetched_at)]
    return min(max(moments), page.fetched_at + MAX_RETRY_AFTER) if moments else None


def _read_moments(value: str, fetched_at: datetime) -> Iterator[datetime]:
    """Yield the moments that one field names; what is no moment is passed over."""
    try:
        waits_s = [float(part) for part in value.split(",")]
    except ValueError:
        moment = _read_http_date(value)
        if moment is not None:
            yield moment
        return
    for wait_s in waits_s:
        if math.isfinite(wait_s) and wait_s >= 0:
            yield fetched_at + timedelta(seconds=min(wait_s, MAX_RETRY_AFTER.total_seconds()))


def _read_http_date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # a year of twenty digits
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
