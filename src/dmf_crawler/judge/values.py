"""G-4: do numbers look like numbers, are all statuses known, do values look as they should?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.examples import ASK_A_PERSON, examples_in
from dmf_crawler.judge.known_values import shape_of
from dmf_crawler.judge.validation import judge_rules
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import Record
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from dmf_crawler.text import canonical

RecordT = TypeVar("RecordT", Record, KnownRecord)


def judge_values(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-4: the worst of what the numbers, the statuses and the rules of all fields say."""
    by_number = _judge_pattern(evidence, limits)
    if by_number.outcome in {Outcome.HOLD, Outcome.REJECT}:
        return by_number
    unknown = _find_unknown_statuses(evidence)
    if not unknown:
        return judge_rules(by_number, evidence, limits)
    words = [str(record.fields[evidence.status_field]) for record in unknown]
    return Gate(
        "G-4",
        Outcome.HOLD,
        len(unknown),
        0,
        f"처음 보는 상태가 {len(unknown)}건 있습니다: {_quote(sorted(set(words))[:3])}. 뜻을 "
        f"확인하고 selectors 파일의 상태 목록에 더하십시오. {ASK_A_PERSON}",
        "unknown_status",
        LimitFrom.RULE,
        examples_in(unknown, evidence.status_field, evidence.known),
    )


def _judge_pattern(evidence: Evidence, limits: GateLimits) -> Gate:
    """Judge the numbers; a board whose file has no pattern for them may lack some all the same."""
    pattern = evidence.number_pattern
    field, known = evidence.number_field, evidence.known
    records = evidence.snapshot.records
    off = _find_off_pattern(records.values(), field, pattern)
    ratio = None
    if pattern is not None:
        ratio = (len(records) - len(off)) / len(records) if records else 0.0
    label, n_without = evidence.number_label, evidence.snapshot.n_without_number
    if ratio is not None and ratio < limits.pattern_ratio:
        return Gate(
            "G-4",
            Outcome.REJECT,
            ratio,
            limits.pattern_ratio,
            f"{label} 형식에 맞지 않는 값이 {len(off)}건이고 맞는 값은 {ratio:.2%}뿐입니다"
            f"(최소 {limits.pattern_ratio:.0%}). 예: {_quote_numbers(off, field)}. "
            "열이 밀렸는지 원본 페이지를 확인하십시오.",
            "pattern_mismatch",
            LimitFrom.FUSE,
            examples_in(off, field, known),
        )
    if n_without > limits.without_number_hold:
        return Gate(
            "G-4",
            Outcome.HOLD,
            n_without,
            limits.without_number_hold,
            f"{label}이(가) 없는 행이 {n_without}건입니다(한도 {limits.without_number_hold}건). "
            f"{ASK_A_PERSON}",
            "without_number",
            LimitFrom.SETTING,
            examples_in(
                (each for each in records.values() if not each.fields.get(field)), field, known
            ),
        )
    # A shape once accepted counts as known; after the first run so do all shapes of its list.
    accepted = _find_off_pattern(known.values(), field, pattern)
    shapes = {shape_of(str(record.fields[field])) for record in accepted}
    odd = [each for each in off if known and shape_of(str(each.fields[field])) not in shapes]
    return _judge_odd_numbers(odd, ratio, evidence, limits)


def _find_unknown_statuses(evidence: Evidence) -> list[Record]:
    """Return the records with a status that neither the selectors file nor the history knows."""
    if not evidence.status_words:
        return []
    field = evidence.status_field
    words = evidence.status_words | {
        str(record.fields[field]) for record in evidence.known.values() if field in record.fields
    }
    return [
        record
        for record in evidence.snapshot.records.values()
        if field in record.fields
        and (status := str(record.fields[field])) not in words
        and canonical(status) not in words
    ]


def _find_off_pattern(
    records: Iterable[RecordT], field: str, pattern: re.Pattern[str] | None
) -> list[RecordT]:
    """Return the records whose number, where there is one, does not match the whole pattern."""
    if pattern is None:
        return []
    return [
        record
        for record in records
        if (number := str(record.fields.get(field, ""))) and not pattern.fullmatch(number)
    ]


def _quote(numbers: Sequence[str]) -> str:
    return ", ".join(f"'{number}'" for number in numbers)


def _quote_numbers(records: Sequence[Record], field: str) -> str:
    return _quote([str(record.fields.get(field, "")) for record in records[:3]])


def _judge_odd_numbers(
    new_off: Sequence[Record], ratio: float | None, evidence: Evidence, limits: GateLimits
) -> Gate:
    """Judge new numbers of an unknown shape."""
    label, limit = evidence.number_label, limits.new_off_pattern_hold
    quoted = _quote_numbers(new_off, evidence.number_field)
    examples = examples_in(new_off, evidence.number_field, evidence.known)
    if len(new_off) > limit:
        return Gate(
            "G-4",
            Outcome.HOLD,
            len(new_off),
            limit,
            f"처음 보는 형식의 {label}이(가) {len(new_off)}건 새로 나왔습니다(한도 {limit}건): "
            f"{quoted}. {ASK_A_PERSON}",
            "pattern_mismatch",
            LimitFrom.SETTING,
            examples,
        )
    notes = []
    if new_off:
        notes.append(f"처음 보는 형식의 {label} {len(new_off)}건: {quoted}.")
    if evidence.snapshot.n_without_number:
        notes.append(
            f"{label}이(가) 없는 행 {evidence.snapshot.n_without_number}건. 이런 행은 "
            "다른 항목으로 알아보므로, 그 항목이 바뀌면 같은 행이라도 신규와 취하로 기록됩니다."
        )
    if evidence.snapshot.split_numbers:
        shared = ", ".join(evidence.snapshot.split_numbers[:3])
        notes.append(f"여러 행이 같은 {label}을(를) 씁니다: {shared}.")
    if notes:
        sentence = " ".join(notes)
        return Gate(
            "G-4",
            Outcome.WARN,
            ratio,
            None if ratio is None else limits.pattern_ratio,
            sentence,
            "",
            None if ratio is None else LimitFrom.FUSE,
            examples,
        )
    if ratio is None:
        sentence = "번호 형식이 정해지지 않은 게시판입니다."
        return Gate("G-4", Outcome.PASS, None, None, sentence)
    sentence = f"{label}의 {ratio:.1%}가 알려진 형식입니다."
    return Gate("G-4", Outcome.PASS, ratio, limits.pattern_ratio, sentence, "", LimitFrom.FUSE)
