"""The Korean words of the workbook, and values as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from dmf_crawler.model.change import EventType, FieldChange, Grade, Reason
from dmf_crawler.model.record import Column, Value
from dmf_crawler.model.run import RunStatus, kst
from dmf_crawler.model.verdict import Outcome

GRADE_WORDS: Mapping[Grade, str] = {
    Grade.SAME: "같음",
    Grade.COSMETIC: "표기",
    Grade.MINOR: "경미",
    Grade.SUBSTANTIVE: "실질",
    Grade.MAJOR: "대폭",
}

EVENT_WORDS: Mapping[EventType, str] = {
    EventType.NEW: "신규",
    EventType.MODIFIED: "변경",
    EventType.WITHDRAWN: "취하",
    EventType.REAPPEARED: "재등장",
}

REASON_WORDS: Mapping[Reason, str] = {
    Reason.STATUS: "상태가 취하·취소로 바뀜",
    Reason.MISSING: "목록에서 사라짐",
    Reason.DELISTED: "목록에서 제외",
    Reason.RETURNED: "목록에 다시 나타남",
    Reason.REKEYED: "번호가 겹쳐 구분 키를 바꿈",
    Reason.RESTORED: "상태가 정상으로 돌아옴",
}

OUTCOME_WORDS: Mapping[Outcome, str] = {
    Outcome.PASS: "통과",
    Outcome.WARN: "경고",
    Outcome.HOLD: "보류",
    Outcome.REJECT: "거부",
}

STATUS_WORDS: Mapping[RunStatus, str] = {
    RunStatus.RUNNING: "진행 중",
    RunStatus.OK: "정상",
    RunStatus.HELD: "보류",
    RunStatus.REJECTED: "거부",
    RunStatus.FAILED: "실패",
}

# Overrides and isolates of the Unicode bidirectional algorithm: inside a sentence of ours they
# would turn our words around as well.
_TURNS_TEXT = re.compile("[\u202a-\u202e\u2066-\u2069]")


def show_value(value: Value | None) -> str:
    """Return a value as a cell shows it: nested values one per line, in order."""
    if value is None:
        return ""
    return value if isinstance(value, str) else "\n".join(value)


def show_reason(reason: Reason | None) -> str:
    """Return why an event has its type, "" where the type says it all."""
    return REASON_WORDS[reason] if reason is not None else ""


def show_grade(grade: Grade | None) -> str:
    """Return how much changed, "" where nothing can be compared."""
    return GRADE_WORDS[grade] if grade is not None else ""


def show_moment(moment: datetime | None) -> str:
    """Return a moment in KST to the second, "" for none."""
    return f"{kst(moment):%Y-%m-%d %H:%M:%S}" if moment is not None else ""


def label_of(field: str, columns: Iterable[Column]) -> str:
    """Return a field's Korean header, or its id where no column of that field is left."""
    return next((column.label_ko for column in columns if column.field == field), field)


def describe_changes(changes: Iterable[FieldChange], columns: Sequence[Column]) -> str:
    """Return `항목: 이전 → 이후`, one line a changed field."""
    return "\n".join(
        f"{label_of(change.field, columns)}: {_inline(change.before)} → {_inline(change.after)}"
        for change in changes
    )


def _inline(value: Value | None) -> str:
    parts = [] if value is None else [value] if isinstance(value, str) else list(value)
    text = " / ".join(" ".join(part.split()) for part in parts)
    return _TURNS_TEXT.sub("", text) or "(빈 값)"
