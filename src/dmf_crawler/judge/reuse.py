"""G-6: did the primary selectors find the list, or did others have to serve instead?"""

from __future__ import annotations

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.model.reuse import LABEL, ROW, GaveWay, find_given_way, measure_reuse
from dmf_crawler.model.verdict import Gate, Outcome

OTHER_LABELS = {ROW: "행", LABEL: "이름표"}
"""What selectors find besides fields."""

_WHOLE = 1.0
_N_SELECTOR_CHARS = 80


def judge_reuse(evidence: Evidence) -> Gate:
    """Return G-6, which warns and never holds: what others found instead has been read, too."""
    deliveries, before = evidence.snapshot.delivered, evidence.reuse_before
    rate = measure_reuse(deliveries)
    if rate is None:
        sentence = (
            "어느 셀렉터로 값을 찾았는지 남아 있지 않아 재사용률을 계산할 수 없습니다. "
            "개발자에게 알려 주십시오."
        )
        return Gate("G-6", Outcome.WARN, None, _WHOLE, sentence)
    given_way = find_given_way(deliveries)
    if given_way:
        told = " ".join(_tell(gone, evidence) for gone in given_way)
        sentence = (
            f"{_compare(rate, before)} {told} 값은 모두 읽었으나 사이트가 바뀌었습니다. 예비 "
            "셀렉터마저 막히기 전에 selectors check 명령으로 셀렉터 파일을 확인하고 고치십시오."
        )
        return Gate("G-6", Outcome.WARN, rate, _WHOLE, sentence)
    sentence = "모든 항목을 기본 셀렉터로 읽었습니다."
    if before is None:
        sentence += " 비교할 채택된 실행이 아직 없습니다."
        return Gate("G-6", Outcome.PASS, None, _WHOLE, sentence)
    return Gate("G-6", Outcome.PASS, rate, _WHOLE, sentence)


def _compare(rate: float, before: float | None) -> str:
    """Say how many fields the primary selectors found, and whether that were more before."""
    what = "기본 셀렉터로 모두 읽은 항목이"
    if before is None:
        return f"{what} {rate:.1%}입니다."
    if rate < before:
        return f"{what} {before:.1%}에서 {rate:.1%}로 줄었습니다."
    if rate > before:
        return f"{what} {before:.1%}에서 {rate:.1%}로 늘었으나 아직 모자랍니다."
    return f"{what} 지난번과 같이 {rate:.1%}뿐입니다."


def _tell(gone: GaveWay, evidence: Evidence) -> str:
    """Name one field, the primary selector that gave way, and what served instead."""
    label = OTHER_LABELS.get(gone.field) or evidence.labels.get(gone.field, gone.field)
    served = ", ".join(f"'{_shorten(selector)}' {n_rows:,}건" for selector, n_rows in gone.served)
    left = f"{gone.n_by_primary:,}건만 찾아" if gone.n_by_primary else "찾지 못해"
    primary = _shorten(gone.primary)
    return f"{label}: 기본 셀렉터({primary})가 {left} 예비 셀렉터({served})로 읽었습니다."


def _shorten(selector: str) -> str:
    return selector if len(selector) <= _N_SELECTOR_CHARS else f"{selector[:_N_SELECTOR_CHARS]}…"
