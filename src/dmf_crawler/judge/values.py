"""G-4: do numbers look like numbers, are all statuses known, do values look as they should?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.known_values import shape_of
from dmf_crawler.judge.validation import judge_rules
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import Record
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.settings import GateLimits
from dmf_crawler.text import canonical


def judge_values(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-4: the worst of what the numbers, the statuses and the rules of all fields say."""
    by_number = _judge_pattern(evidence, limits)
    if by_number.outcome in {Outcome.HOLD, Outcome.REJECT}:
        return by_number
    unknown = _find_unknown_statuses(evidence)
    if not unknown:
        return judge_rules(by_number, evidence, limits)
    return Gate(
        "G-4",
        Outcome.HOLD,
        len(unknown),
        0,
        f"처음 보는 상태가 {len(unknown)}건 있습니다: {_quote(sorted(set(unknown))[:3])}. "
        "뜻을 확인하고 selectors 파일의 상태 목록에 더한 뒤 운영 안내의 보류 절차를 따르십시오.",
        "unknown_status",
    )


def _judge_pattern(evidence: Evidence, limits: GateLimits) -> Gate:
    pattern = evidence.number_pattern
    if pattern is None:
        sentence = "번호 형식이 정해지지 않은 게시판입니다."
        return Gate("G-4", Outcome.PASS, None, limits.pattern_ratio, sentence)
    records = evidence.snapshot.records
    off = _find_off_pattern(records.values(), evidence.number_field, pattern)
    ratio = (len(records) - len(off)) / len(records) if records else 0.0
    label, n_without = evidence.number_label, evidence.snapshot.n_without_number
    if ratio < limits.pattern_ratio:
        return Gate(
            "G-4",
            Outcome.REJECT,
            ratio,
            limits.pattern_ratio,
            f"{label} 형식에 맞지 않는 값이 {len(off)}건이고 맞는 값은 {ratio:.2%}뿐입니다"
            f"(최소 {limits.pattern_ratio:.0%}). 예: {_quote(off[:3])}. "
            "열이 밀렸는지 원본 페이지를 확인하십시오.",
            "pattern_mismatch",
        )
    if n_without > limits.without_number_hold:
        return Gate(
            "G-4",
            Outcome.HOLD,
            n_without,
            limits.without_number_hold,
            f"{label}이(가) 없는 행이 {n_without}건입니다(한도 {limits.without_number_hold}건). "
            "사실인지 원본 페이지에서 확인하고 운영 안내의 보류 절차를 따르십시오.",
            "without_number",
        )
    # A shape once accepted counts as known; after the first run so do all shapes of its list.
    accepted = _find_off_pattern(evidence.known.values(), evidence.number_field, pattern)
    shapes = {shape_of(number) for number in accepted}
    odd = [number for number in off if evidence.known and shape_of(number) not in shapes]
    return _judge_odd_numbers(odd, ratio, evidence, limits)


def _find_unknown_statuses(evidence: Evidence) -> list[str]:
    """Return the statuses that the selectors file does not list and that were never accepted."""
    if not evidence.status_words:
        return []
    field = evidence.status_field
    words = evidence.status_words | {
        str(record.fields[field]) for record in evidence.known.values() if field in record.fields
    }
    statuses = (
        str(record.fields[field])
        for record in evidence.snapshot.records.values()
        if field in record.fields
    )
    return [status for status in statuses if status not in words and canonical(status) not in words]


def _find_off_pattern(
    records: Iterable[Record | KnownRecord], field: str, pattern: re.Pattern[str]
) -> list[str]:
    """Return the numbers, where there is one, that do not match the whole pattern."""
    numbers = (str(record.fields.get(field, "")) for record in records)
    return [number for number in numbers if number and not pattern.fullmatch(number)]


def _quote(numbers: Sequence[str]) -> str:
    return ", ".join(f"'{number}'" for number in numbers)


def _judge_odd_numbers(
    new_off: Sequence[str], ratio: float, evidence: Evidence, limits: GateLimits
) -> Gate:
    """Judge new numbers of an unknown shape."""
    label, limit = evidence.number_label, limits.new_off_pattern_hold
    examples = _quote(new_off[:3])
    if len(new_off) > limit:
        return Gate(
            "G-4",
            Outcome.HOLD,
            len(new_off),
            limit,
            f"처음 보는 형식의 {label}이(가) {len(new_off)}건 새로 나왔습니다(한도 {limit}건): "
            f"{examples}. 사실인지 원본 페이지에서 확인하고 운영 안내의 보류 절차를 따르십시오.",
            "pattern_mismatch",
        )
    notes = []
    if new_off:
        notes.append(f"처음 보는 형식의 {label} {len(new_off)}건: {examples}.")
    if evidence.snapshot.n_without_number:
        notes.append(f"{label}이(가) 없는 행 {evidence.snapshot.n_without_number}건.")
    if evidence.snapshot.split_numbers:
        shared = ", ".join(evidence.snapshot.split_numbers[:3])
        notes.append(f"여러 행이 같은 {label}을(를) 씁니다: {shared}.")
    if notes:
        return Gate("G-4", Outcome.WARN, ratio, limits.pattern_ratio, " ".join(notes))
    sentence = f"{label}의 {ratio:.1%}가 알려진 형식입니다."
    return Gate("G-4", Outcome.PASS, ratio, limits.pattern_ratio, sentence)
