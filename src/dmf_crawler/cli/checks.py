"""One check of `doctor`: made, or why it could not be made."""

from __future__ import annotations

from collections.abc import Callable

from dmf_crawler.errors import DmfCrawlerError
from dmf_crawler.model.diagnosis import Diagnosis, Health


def look(name: str, check: Callable[[], Diagnosis], board: str = "") -> Diagnosis:
    """Return what a check finds, or the error that it ends with as what was found."""
    try:
        return check()
    except DmfCrawlerError as error:
        return Diagnosis(
            name,
            Health.FAIL,
            f"[{error.code}] {error.message}",
            "설명대로 고친 뒤 doctor 를 다시 실행하십시오.",
            board,
        )


def not_looked_at(name: str) -> Diagnosis:
    """Say that a check could not be made because one above it failed: that is not well."""
    return Diagnosis(
        name,
        Health.WARN,
        "확인하지 못했습니다.",
        "위에 나온 것을 먼저 고치고 doctor 를 다시 실행하십시오.",
    )
