"""Does the reader survive a redesign: the same records, a refusal, or wrong ones?

The truth is the rehearsal site's; what the reader says of the untouched page does not count.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.workbench.redesign.kind import Kind
from dmf_crawler.workbench.redesign.specimen import Specimen

_URL = "http://127.0.0.1:8000/list?page=1"
_FETCHED_AT = datetime(2026, 11, 30, tzinfo=UTC)

Verdict = Literal["same", "refused", "wrong"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page after one redesign.

    Attributes:
        verdict: `same` where all records are the truth's, in order, and the total, too.
        detail: The fault's code, or the first difference; "" where there is none.
    """

    verdict: Verdict
    detail: str = ""


def save_page(specimen: Specimen, kind: Kind | None, *, seed: int = 0) -> RawPage:
    """Return a page after a redesign as it is sent and kept."""
    html, charset, content_type = specimen.html, "utf-8", "text/html;charset=UTF-8"
    if kind is not None:
        html = kind.redesign(html, dice_of(specimen, kind, seed))
        charset, content_type = kind.charset, kind.content_type
    body = html.encode(charset)
    return RawPage(
        request=PageRequest(_URL, "list", 1),
        url=_URL,
        status=200,
        content_type=content_type,
        sha256=hashlib.sha256(body).hexdigest(),
        body=body,
        fetched_at=_FETCHED_AT,
    )


def dice_of(specimen: Specimen, kind: Kind, seed: int) -> random.Random:
    """Return the source of chance of one redesign of one page."""
    return random.Random(f"{seed}/{specimen.name}/{kind.name}")


def compare(result: PageTable | Fault, specimen: Specimen) -> Outcome:
    """Compare what the reader says with what the site put on the page."""
    if isinstance(result, Fault):
        return Outcome("refused", result.code)
    if difference := find_difference([row.fields for row in result.rows], specimen):
        return Outcome("wrong", difference)
    if result.announced_total != specimen.total:
        return Outcome("wrong", f"total {result.announced_total}, not {specimen.total}")
    return Outcome("same")


def find_difference(records: Sequence[Mapping[str, Value]], specimen: Specimen) -> str:
    """Return the first difference between records and the truth, "" where there is none."""
    if len(records) != len(specimen.truth):
        return f"{len(records)} rows, not {len(specimen.truth)}"
    for row_no, (found, true) in enumerate(zip(records, specimen.truth, strict=True), start=1):
        for name, value in true.items():
            if _strip(found.get(name, "")) != value:
                return f"row {row_no} {name}: {found.get(name)!r}, not {value!r}"
    return ""


def _strip(value: Value) -> Value:
    if isinstance(value, str):
        return value.replace("\r\n", "\n").strip()
    return tuple(text.replace("\r\n", "\n").strip() for text in value)
