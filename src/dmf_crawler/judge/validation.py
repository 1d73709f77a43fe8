"""G-4, too: do values look as the selectors file says that they do?

Empty values are left to G-3. What was accepted once is not told again: the value that a record had,
or one of the same shape where that one was already odd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dmf_crawler.judge.evidence import Evidence, ValueRule
from dmf_crawler.judge.examples import ASK_A_PERSON, choose_examples, examples_in
from dmf_crawler.judge.known_values import shape_of
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import Record, Value
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from dmf_crawler.text import canonical

LENGTH, PATTERN, WORDS, DATE, UNIQUE = "길이", "형식", "정해진 값", "날짜", "중복"
_BY_VALUE_ALONE = frozenset({WORDS, UNIQUE})
"""Breaches that a value of the same shape does not excuse: all words have one shape."""

_N_EXAMPLES = 3
_N_EXAMPLE_CHARS = 60
_N_FIELDS_TOLD = 5


@dataclass(frozen=True, slots=True)
class InvalidValue:
    """A value that breaks a rule of its field, and was not accepted before.

    Attributes:
        key: Natural key of its record.
        text: The value; of a list the first element that breaks a rule.
        why: Which rule, in Korean.
    """

    key: str
    text: str
    why: str

    def __str__(self) -> str:
        text = " ".join(self.text.split())
        if len(text) > _N_EXAMPLE_CHARS:
            text = f"{text[:_N_EXAMPLE_CHARS]}…"
        return f"'{text}'({self.key}, {self.why})"


def judge_rules(by_number: Gate, evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-4: what the numbers say, and what the rules of all fields add to it."""
    records = evidence.snapshot.records
    found = [
        (rule, invalid)
        for rule in evidence.rules
        if (invalid := find_invalid(rule, records, evidence.known))
    ]
    if not found:
        return by_number
    worst, invalid = max(found, key=lambda each: len(each[1]))
    ratio, limit = len(invalid) / len(records), limits.invalid_ratio
    if ratio > limit:
        sentence = (
            f"{worst.label_ko} 값 {len(invalid):,}건({ratio:.2%})이 셀렉터 파일의 규칙에 맞지 "
            f"않습니다(한도 {limit:.0%}). 예: {_quote(invalid)}. 열이 밀렸거나 형식이 바뀌지 "
            f"않았는지 보십시오. {ASK_A_PERSON}"
        )
        return Gate(
            "G-4",
            Outcome.HOLD,
            ratio,
            limit,
            sentence,
            "invalid_values",
            LimitFrom.SETTING,
            _show(worst, invalid, evidence),
        )
    sentence = _tell_all(found)
    examples = choose_examples(
        example for rule, each in found for example in _show(rule, each, evidence)
    )
    if by_number.outcome is Outcome.WARN:
        return replace(
            by_number,
            message=f"{by_number.message} {sentence}",
            examples=choose_examples((*by_number.examples, *examples)),
        )
    return Gate("G-4", Outcome.WARN, ratio, limit, sentence, "", LimitFrom.SETTING, examples)


def _show(
    rule: ValueRule, invalid: Sequence[InvalidValue], evidence: Evidence
) -> tuple[Example, ...]:
    records = evidence.snapshot.records
    return examples_in((records[each.key] for each in invalid), rule.field, evidence.known)


def find_invalid(
    rule: ValueRule, records: Mapping[str, Record], known: Mapping[str, KnownRecord]
) -> list[InvalidValue]:
    """Return the records' values that break a rule and were not accepted before, in list order."""
    reasons: dict[str, str] = {}  # most days and words stand in many records
    shared = _find_shared(rule, records.values())
    invalid = []
    for key, record in records.items():
        value = record.fields.get(rule.field)
        kept = known.get(key)
        before = kept.fields.get(rule.field) if kept is not None else None
        if not value or value == before:
            continue
        for text in filter(None, _elements(value)):
            why = reasons.get(text)
            if why is None:
                why = reasons[text] = _find_breach(text, rule, shared)
            if why and not _is_known(text, why, before, rule):
                invalid.append(InvalidValue(key, text, why))
                break
    return invalid


def _find_shared(rule: ValueRule, records: Iterable[Record]) -> frozenset[str]:
    """Return the texts that several records have, though each may have its own alone."""
    if not rule.is_unique:
        return frozenset()
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(set(_elements(record.fields.get(rule.field, ""))))
    return frozenset(text for text, n_records in counts.items() if n_records > 1)


def _find_breach(text: str, rule: ValueRule, shared: frozenset[str] = frozenset()) -> str:
    """Say which rule a text breaks, "" for none."""
    if not _has_length(text, rule):
        return LENGTH
    if rule.pattern is not None and not rule.pattern.fullmatch(text):
        return PATTERN
    if rule.words and text not in rule.words and canonical(text) not in rule.words:
        return WORDS
    if rule.date_formats and not any(_is_day(text, each) for each in rule.date_formats):
        return DATE
    return UNIQUE if text in shared else ""


def _has_length(text: str, rule: ValueRule) -> bool:
    least, most = rule.min_length, rule.max_length
    return (least is None or len(text) >= least) and (most is None or len(text) <= most)


def _is_day(text: str, date_format: str) -> bool:
    """Say whether a text is a day of the calendar, written exactly so."""
    try:
        return datetime.strptime(text, date_format).strftime(date_format) == text  # noqa: DTZ007
    except ValueError:
        return False


def _is_known(text: str, why: str, before: Value | None, rule: ValueRule) -> bool:
    """Say whether a record had an odd value before, or one of the same shape that was odd, too."""
    texts = _elements(before or "")
    if text in texts:
        return True
    if why in _BY_VALUE_ALONE:
        return False
    shape = shape_of(text)
    return any(shape_of(each) == shape and _find_breach(each, rule) for each in texts if each)


def _elements(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def _tell_all(found: Sequence[tuple[ValueRule, Sequence[InvalidValue]]]) -> str:
    told = [
        f"{rule.label_ko} 값 {len(invalid):,}건이 셀렉터 파일의 규칙에 맞지 않습니다: "
        f"{_quote(invalid)}."
        for rule, invalid in found[:_N_FIELDS_TOLD]
    ]
    if len(found) > _N_FIELDS_TOLD:
        told.append(f"그 밖에 {len(found) - _N_FIELDS_TOLD}개 항목에도 있습니다.")
    told.append("값은 그대로 기록하며, 채택된 뒤에는 다시 알리지 않습니다. 원본을 확인하십시오.")
    return " ".join(told)


def _quote(invalid: Sequence[InvalidValue]) -> str:
    return ", ".join(map(str, invalid[:_N_EXAMPLES]))
