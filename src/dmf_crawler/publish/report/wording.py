"""The Korean words of the workbook, and values as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from dmf_crawler.model.change import EventType, FieldChange, Grade, Reason
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.record import Column, Value
from dmf_crawler.model.report import ChangedBack, EventRow
from dmf_crawler.model.run import RunStatus, kst
from dmf_crawler.model.verdict import LimitFrom, Outcome
from dmf_crawler.model.watched_page import Movement

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

LIMIT_WORDS: Mapping[LimitFrom, str] = {
    LimitFrom.RULE: "고정된 규칙",
    LimitFrom.SETTING: "설정 파일",
    LimitFrom.SELECTORS: "셀렉터 파일",
    LimitFrom.SITE: "사이트가 알린 값",
    LimitFrom.FLOOR: "설정의 하한",
    LimitFrom.HISTORY: "이 목록의 지난 채택일",
    LimitFrom.CAP: "설정의 상한",
    LimitFrom.FUSE: "승인으로도 넘을 수 없는 한도",
}

DECISION_WORDS: Mapping[Decided, str] = {
    Decided.APPROVED: "승인",
    Decided.REJECTED: "거부",
    Decided.SUPERSEDED: "결정 없이 끝남",
}

STATUS_WORDS: Mapping[RunStatus, str] = {
    RunStatus.RUNNING: "진행 중",
    RunStatus.OK: "정상",
    RunStatus.HELD: "보류",
    RunStatus.REJECTED: "거부",
    RunStatus.FAILED: "실패",
}

MOVEMENT_WORDS: Mapping[Movement, str] = {
    Movement.FIRST: "최초 수집",
    Movement.NONE: "변동 없음",
    Movement.NOISE: "잡음",
    Movement.CONTENT: "내용 변경",
    Movement.FIELD: "항목 변경",
}

MAX_WHOLE_CHARACTERS = 600
"""A changed text up to this length is shown whole, before and after."""

MAX_EXCERPT_CHARACTERS = 400
N_AROUND = 40
"""Characters before and after a difference that show where it stands."""

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


def show_movement(movement: Movement, distance: int | None, threshold: int | None) -> str:
    """Return how much a page moved and what would be noise: `잡음 (거리 2, 임계값 3)`."""
    word = MOVEMENT_WORDS[movement]
    return word if distance is None else f"{word} (거리 {distance}, 임계값 {show_bits(threshold)})"


def show_bits(threshold: int | None) -> str:
    """Return a calibrated distance, `없음` where any difference is content."""
    return "없음" if threshold is None else f"{threshold}"


def show_decision(decision: Decision | None) -> str:
    """Return how a held run ended and when, and on a line of its own the note; "" for none."""
    if decision is None:
        return ""
    parts = f"{DECISION_WORDS[decision.what]} {show_moment(decision.at)}".strip()
    return f"{parts}\n{decision.note}" if decision.note else parts


def label_of(field: str, columns: Iterable[Column]) -> str:
    """Return a field's Korean header, or its id where no column of that field is left."""
    return next((column.label_ko for column in columns if column.field == field), field)


def shorten_change(change: FieldChange) -> tuple[Value | None, Value | None]:
    """Return before and after; of long texts only the part in which they differ.

    What is left out is told in brackets. A list of values stays whole: its places matter.
    """
    before, after = change.before or "", change.after or ""
    if isinstance(before, tuple) or isinstance(after, tuple):
        return change.before, change.after
    if max(len(before), len(after)) <= MAX_WHOLE_CHARACTERS:
        return change.before, change.after
    n_head = _count_equal(before, after)
    n_tail = _count_equal(before[n_head:][::-1], after[n_head:][::-1])
    return (
        _cut_out(before, n_head, len(before) - n_tail),
        _cut_out(after, n_head, len(after) - n_tail),
    )


def _count_equal(first: str, second: str) -> int:
    """Return how many characters two texts have in common from their beginning on."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(second)))


def _cut_out(text: str, start: int, end: int) -> str:
    """Return text from start to end, the beginning of it where that is long, with its surroundings.

    Args:
        text: Of which a part is shown.
        start: Where it differs from the other text, 0-based.
        end: Where both texts are the same again.
    """
    first = max(start - N_AROUND, 0)
    last = min(end + N_AROUND, len(text), first + MAX_EXCERPT_CHARACTERS)
    if (first, last) == (0, len(text)):
        return text
    shown = f"{'… ' if first else ''}{text[first:last].strip()}{' …' if last < len(text) else ''}"
    left = f", 다른 곳 {end - start:,}자 중 앞부분" if last < end else ""
    return f"{shown} [전체 {len(text):,}자{left}]"


def show_changed_back(back: ChangedBack | None) -> str:
    """Return which earlier change a value's change undid, "" for none."""
    if back is None:
        return ""
    when = f"{back.days_ago:,}일 전" if back.days_ago else "같은 날"
    return f"{when}({back.on.isoformat()}) 바뀐 값이 되돌아옴"


def describe_changed_back(event: EventRow, columns: Sequence[Column]) -> str:
    """Return `항목: …`, one line a field of an event whose earlier change was undone."""
    return "\n".join(
        f"{label_of(change.field, columns)}: {show_changed_back(event.changed_back[change.field])}"
        for change in event.changes
        if change.field in event.changed_back
    )


def describe_changes(changes: Iterable[FieldChange], columns: Sequence[Column]) -> str:
    """Return `항목: 이전 → 이후`, one line a changed field."""
    return "\n".join(_describe_change(change, columns) for change in changes)


def _describe_change(change: FieldChange, columns: Sequence[Column]) -> str:
    before, after = map(_inline, shorten_change(change))
    return f"{label_of(change.field, columns)}: {before} → {after}"


def drop_turning(text: str) -> str:
    """Return a text without the characters that would turn a sentence of ours around."""
    return _TURNS_TEXT.sub("", text)


def _inline(value: Value | None) -> str:
    parts = [] if value is None else [value] if isinstance(value, str) else list(value)
    text = " / ".join(" ".join(part.split()) for part in parts)
    return drop_turning(text) or "(빈 값)"
