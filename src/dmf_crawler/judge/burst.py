"""G-14, burst: has more happened of late than the list's own past makes likely? It only warns."""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.limits import clip_highest, find_quantile
from dmf_crawler.judge.working_days import Work, list_work
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits

LEAST_EVENTS = 1
"""One event is no burst, whatever the list was like."""

MOST_EVENTS = 1_000_000
"""More than any list has records."""


def judge_burst(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-14: the events of the last working days against those before.

    Daily counts of edits are clustered, so that the days before are taken for a negative binomial;
    a Poisson tail would warn several times a year. Where several days passed without a visit,
    nobody knows what each of them brought: they do not count among the days before.
    """
    if not evidence.past.observations:
        return _not_yet("지난 목록과 비교한 날이 아직 없어 급증을 판단하지 않습니다.")
    observations = evidence.past.observe(evidence.day, evidence.change_set.n_events)
    before, recent = _part(list_work(observations), limits.burst_days)
    single = [work.n_events for work in before if work.n_days == 1][-limits.history_days :]
    if len(single) < limits.history_after or not recent:
        return _not_yet(
            f"변동의 급증은 견줄 평일이 {limits.history_after}일이 되면 판단합니다. 지금은 "
            f"{len(single)}일입니다."
        )
    n_days = sum(work.n_days for work in recent)
    n_events = sum(work.n_events for work in recent)
    usual = clip_highest(single, limits.clipped_ratio)
    likely = find_quantile(usual, limits.burst_probability, n_days=n_days, most=MOST_EVENTS)
    limit = max(likely, LEAST_EVENTS)
    if n_events <= limit:
        sentence = f"최근 평일 {n_days}일의 변동은 {n_events:,}건입니다(기준 {limit:,}건)."
        return Gate("G-14", Outcome.PASS, n_events, limit, sentence, limit_from=LimitFrom.HISTORY)
    mean = sum(single) / len(single)
    return Gate(
        "G-14",
        Outcome.WARN,
        n_events,
        limit,
        f"최근 평일 {n_days}일의 변동이 {n_events:,}건으로, 그 전 평일 {len(single)}일 기준의 "
        f"{limit:,}건을 넘었습니다(평소 하루 평균 {mean:.1f}건). 일괄 변경이 있었는지, 사이트의 "
        "목록이 달라진 것은 아닌지 변경 시트를 확인하십시오.",
        limit_from=LimitFrom.HISTORY,
    )


def _part(works: Sequence[Work], n_recent: int) -> tuple[Sequence[Work], Sequence[Work]]:
    """Return the work before the last working days, and that of them.

    A visit that found what more days brought than are still wanted is taken whole.
    """
    place, n_days = len(works), 0
    while place and n_days < n_recent:
        place -= 1
        n_days += works[place].n_days
    return works[:place], works[place:]


def _not_yet(sentence: str) -> Gate:
    return Gate("G-14", Outcome.PASS, None, None, sentence)
