"""G-6: did the primary selectors find the list, or did others have to serve instead?"""

from __future__ import annotations

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.model.reuse import (
    LABEL,
    ROW,
    Deliveries,
    GaveWay,
    find_given_way,
    find_measured,
    measure_reuse,
)
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome

OTHER_LABELS = {ROW: "행", LABEL: "이름표"}
"""What selectors find besides fields."""

_WHOLE = 1.0
_GIVEN_WAY_ADVICE = (
    "값은 모두 읽었으나 사이트가 바뀌었습니다. 예비 셀렉터마저 막히기 전에 selectors check "
    "명령으로 셀렉터 파일을 확인하고 고치십시오."
)
_LOST_ADVICE = (
    "보관된 상세 페이지를 열어 값이 정말 없는지 확인하고, 있으면 셀렉터 파일의 details.fields를 "
    "고친 뒤 reparse 명령으로 그 실행을 다시 읽으십시오."
)
_N_SELECTOR_CHARS = 80


def judge_reuse(evidence: Evidence) -> Gate:
    """Return G-6, which warns and never holds."""
    deliveries, before = evidence.snapshot.delivered, evidence.deliveries_before
    rate = measure_reuse(deliveries)
    if rate is None:
        sentence = (
            "어느 셀렉터로 값을 찾았는지 남아 있지 않아 재사용률을 계산할 수 없습니다. "
            "개발자에게 알려 주십시오."
        )
        return Gate("G-6", Outcome.WARN, None, _WHOLE, sentence, limit_from=LimitFrom.RULE)
    told, lost = _tell_given_way(evidence), _tell_lost(evidence)
    if told or lost:
        advice = _LOST_ADVICE if lost else _GIVEN_WAY_ADVICE
        sentence = " ".join([_compare(deliveries, before), *told, *lost, advice])
        return Gate("G-6", Outcome.WARN, rate, _WHOLE, sentence, limit_from=LimitFrom.RULE)
    sentence = "모든 항목을 기본 셀렉터로 읽었습니다."
    if not before:
        sentence += " 비교할 채택된 실행이 아직 없습니다."
        return Gate("G-6", Outcome.PASS, None, _WHOLE, sentence, limit_from=LimitFrom.RULE)
    return Gate("G-6", Outcome.PASS, rate, _WHOLE, sentence, limit_from=LimitFrom.RULE)


def _compare(deliveries: Deliveries, before: Deliveries) -> str:
    """Say how many fields the primary selectors found, and whether that were more before.

    Compared are the fields that were measured today: those of detail pages are not every day.
    """
    what = "기본 셀렉터로 모두 읽은 항목이"
    fields, gone = find_measured(deliveries), {each.field for each in find_given_way(deliveries)}
    rate = (len(fields) - len(gone)) / len(fields)
    # Of a field that nobody measured before nobody knows whether its selector gave way only now.
    is_first = not before or gone - find_measured(before) - OTHER_LABELS.keys()
    if is_first or not gone:
        return f"{what} {rate:.1%}입니다."
    gone_before = fields & {each.field for each in find_given_way(before)}
    rate_before = (len(fields) - len(gone_before)) / len(fields)
    if rate < rate_before:
        return f"{what} {rate_before:.1%}에서 {rate:.1%}로 줄었습니다."
    if rate > rate_before:
        return f"{what} {rate_before:.1%}에서 {rate:.1%}로 늘었으나 아직 모자랍니다."
    return f"{what} 지난번과 같이 {rate:.1%}뿐입니다."


def _tell_given_way(evidence: Evidence) -> list[str]:
    return [_tell(gone, evidence) for gone in find_given_way(evidence.snapshot.delivered)]


def _tell_lost(evidence: Evidence) -> list[str]:
    """Name the fields of detail pages that no selector finds any more.

    A field that a page need not have may be gone for good; but where not one of the pages that were
    received has it, and some had it before, the site has changed rather than all of them.
    """
    deliveries = evidence.snapshot.delivered
    measured = find_measured(deliveries)
    sentences = []
    for used in deliveries:
        n_lost = 0 if used.position or used.field in measured else _count_lost(used.field, evidence)
        if n_lost:
            label = evidence.labels.get(used.field, used.field)
            sentences.append(
                f"{label}: 전에는 값이 있던 {n_lost:,}건의 상세 페이지에서 기본 셀렉터"
                f"({_shorten(used.selector)})도 예비 셀렉터도 값을 찾지 못해 빈 값으로 읽었습니다."
            )
    return sentences


def _count_lost(field: str, evidence: Evidence) -> int:
    """Return how many records had a value of a field and have none now."""
    return sum(
        bool(evidence.known[key].fields.get(field)) and not record.fields.get(field)
        for key, record in evidence.snapshot.records.items()
        if key in evidence.known
    )


def _tell(gone: GaveWay, evidence: Evidence) -> str:
    """Name one field, the primary selector that gave way, and what served instead."""
    label = OTHER_LABELS.get(gone.field) or evidence.labels.get(gone.field, gone.field)
    served = ", ".join(f"'{_shorten(selector)}' {n_rows:,}건" for selector, n_rows in gone.served)
    left = f"{gone.n_by_primary:,}건만 찾아" if gone.n_by_primary else "찾지 못해"
    primary = _shorten(gone.primary)
    return f"{label}: 기본 셀렉터({primary})가 {left} 예비 셀렉터({served})로 읽었습니다."


def _shorten(selector: str) -> str:
    return selector if len(selector) <= _N_SELECTOR_CHARS else f"{selector[:_N_SELECTOR_CHARS]}…"
