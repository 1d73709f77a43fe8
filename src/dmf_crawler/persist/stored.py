"""Stored text back into values: what cannot be one says so, as damage of the history and no bug."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

from dmf_crawler.errors import StoreError
from dmf_crawler.model.run import KST


def read_moment(text: str) -> datetime:
    """Return a stored moment, in KST.

    Raises:
        StoreError: `value_unreadable`.
    """
    try:
        return datetime.fromisoformat(text).astimezone(KST)
    except (TypeError, ValueError) as error:
        raise _unreadable(text) from error


def read_day(text: str) -> date:
    """Return a stored day; raises as `read_moment`."""
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise _unreadable(text) from error


def read_json(text: str) -> Any:
    """Return what a stored JSON text holds; raises as `read_moment`."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise _unreadable(text) from error


def _unreadable(text: object) -> StoreError:
    return StoreError(
        "value_unreadable",
        f"이력에 저장된 값을 읽지 못했습니다: '{str(text)[:60]}'. 파일이 손상되었을 수 있습니다. "
        "verify 명령으로 확인하고 홈 폴더를 백업에서 되살리십시오.",
    )
