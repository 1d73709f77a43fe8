"""ETag, Last-Modified and what a conditional request gets (RFC 9110, 8.8 and 13.1)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from email.utils import format_datetime

from dmf_crawler.model.run import KST
from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.switches import Validators

_SMALL_HOURS_S = 6 * 3600
_NEVER_CHANGED = format_datetime(datetime(2026, 6, 1, tzinfo=UTC), usegmt=True)


def answer_conditionally(
    answer: Answer,
    asked: Mapping[str, str],
    kind: Validators,
    *,
    posted_on: str,
    n_visits: int,
) -> Answer:
    """Return an answer with its validators, or 304 where the request has the same ones.

    Args:
        answer: A 200.
        asked: Header fields of the request, names in lower case.
        kind: Which validators the site gives.
        posted_on: `YYYY-MM-DD`; when the content is from.
        n_visits: Grows with each request.
    """
    if kind == "none":
        return answer
    etag, last_modified = _make_validators(answer.body, kind, posted_on, n_visits)
    fields = [("ETag", etag)] if etag else []
    fields += [("Last-Modified", last_modified)] if last_modified else []
    if _is_fresh(asked, kind, etag, last_modified):
        kept = [field for field in answer.headers if field[0] != "Content-Disposition"]
        return Answer(b"", 304, "", (*kept, *fields))
    return replace(answer, headers=(*answer.headers, *fields))


def _make_validators(
    body: bytes, kind: Validators, posted_on: str, n_visits: int
) -> tuple[str, str]:
    if kind == "lying":
        return '"1"', _NEVER_CHANGED
    if kind == "churning":
        return f'"{n_visits}"', ""
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    # Another text has another time in the small hours of its day, whenever the site was started.
    day = datetime.combine(datetime.fromisoformat(posted_on), time(), KST)
    changed_at = day + timedelta(seconds=zlib.crc32(body) % _SMALL_HOURS_S)
    last_modified = format_datetime(changed_at.astimezone(UTC), usegmt=True)
    return etag if kind != "last_modified" else "", last_modified if kind != "etag" else ""


def _is_fresh(asked: Mapping[str, str], kind: Validators, etag: str, last_modified: str) -> bool:
    if_none_match = asked.get("if-none-match")
    if_modified_since = asked.get("if-modified-since")
    if kind == "lying":
        return if_none_match is not None or if_modified_since is not None
    if if_none_match is not None:  # it takes precedence
        tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
        return bool(etag) and (etag in tags or "*" in tags)
    return bool(last_modified) and if_modified_since == last_modified
