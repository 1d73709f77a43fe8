"""G-8, run time: has the crawl taken much longer than its like before? It only warns."""

from __future__ import annotations

from statistics import median

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits


def judge_run_time(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-8: the seconds of this crawl against the median of the last ones of its kind."""
    seconds, before = evidence.duration_s, evidence.past.durations_s
    if seconds is None:
        return _not_yet("보관된 페이지를 다시 읽은 것이라 수집 시간이 없습니다.")
    if len(before) < limits.slow_after:
        return _not_yet(
            f"수집 시간은 같은 종류의 실행이 {limits.slow_after}회가 되면 판단합니다. 지금은 "
            f"{len(before)}회입니다."
        )
    usual = median(before)
    limit = limits.slow_factor * usual
    if seconds <= limit:
        sentence = f"수집에 {_show(seconds)} 걸렸습니다(평소 {_show(usual)})."
        return Gate("G-8", Outcome.PASS, seconds, limit, sentence, limit_from=LimitFrom.HISTORY)
    return Gate(
        "G-8",
        Outcome.WARN,
        seconds,
        limit,
        f"수집에 {_show(seconds)} 걸려 최근 {len(before)}회의 중앙값 {_show(usual)}의 "
        f"{limits.slow_factor:g}배를 넘었습니다. 사이트가 느린지, 이 PC의 네트워크에 문제가 없는지 "
        "확인하십시오.",
        limit_from=LimitFrom.HISTORY,
    )


def _not_yet(sentence: str) -> Gate:
    return Gate("G-8", Outcome.PASS, None, None, sentence)


def _show(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}분 {rest}초" if minutes else f"{seconds:.1f}초"
