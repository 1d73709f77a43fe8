"""Which failed requests are sent again, and after how long; pure."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from dmf_crawler.model.page import FetchedPage
from dmf_crawler.settings import Politeness

RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
RETRY_CODES = frozenset(
    {"dns_error", "connect_error", "timeout", "connection_reset", "truncated_body"}
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
    A moment further away than `MAX_RETRY_AFTER` counts as that.
    """
    value = (page.header("Retry-After") or "").strip()
    if page.status < 300 or not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        moment = _read_http_date(value)
        return None if moment is None else min(moment, page.fetched_at + MAX_RETRY_AFTER)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return page.fetched_at + timedelta(seconds=min(seconds, MAX_RETRY_AFTER.total_seconds()))


def _read_http_date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
