"""G-7, stall: has the list not changed for longer than its own past makes likely? It only warns."""

from __future__ import annotations

import math

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.working_days import Work, count_quiet, list_work
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits

LEAST_DAYS = 2
"""No list stalls in a day."""


def judge_stall(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-7: working days in a row without a change.

    The limit is the run of quiet days that has `stall_probability` if each day is quiet with the
    chance that one was before; but holidays are not known, so it is always longer than the longest
    quiet run that was seen. The run in progress does not count into either.
    """
    if not evidence.past.observations:
        return _not_yet("지난 목록과 비교한 날이 아직 없어 멈춤을 판단하지 않습니다.")
    observations = evidence.past.observe(evidence.day, evidence.change_set.n_events)
    works = list_work(observations)[-limits.history_days :]
    quiet_runs = list(count_quiet(works))
    n_quiet, before = quiet_runs[-1], _cut_quiet_end(works)
    n_days = sum(work.n_days for work in before)
    if n_days < limits.history_after:
        return _not_yet(
            f"변동의 멈춤은 비교한 평일이 {limits.history_after}일이 되면 판단합니다. 지금은 "
            f"{n_days}일입니다."
        )
    likely = _find_limit(before, n_days, limits)
    longest = max(quiet_runs[:-1], default=0)
    limit = max(likely, longest + 1)
    if n_quiet < limit:
        sentence = f"변동 없는 평일이 연속 {n_quiet}일입니다(주의 기준 {limit}일)."
        return Gate("G-7", Outcome.PASS, n_quiet, limit, sentence, limit_from=LimitFrom.HISTORY)
    return Gate(
        "G-7",
        Outcome.WARN,
        n_quiet,
        limit,
        f"평일 {n_quiet}일째 변동이 없습니다. 최근 평일 {n_days}일 기준으로는 {limit}일부터 드문 "
        f"일입니다(그동안 가장 길게 멈춘 것은 {longest}일). 긴 연휴가 아니라면 사이트의 목록이 "
        "갱신되고 있는지 브라우저로 확인하십시오.",
        limit_from=LimitFrom.HISTORY,
    )


def _cut_quiet_end(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Return what came before the run of quiet days in progress."""
    n_kept = max((place for place, work in enumerate(works, 1) if work.n_events), default=0)
    return works[:n_kept]


def _find_limit(works: tuple[Work, ...], n_days: int, limits: GateLimits) -> int:
    n_quiet = sum(work.n_days for work in works if not work.n_events)
    chance = (n_quiet + 0.5) / (n_days + 1)
    return max(LEAST_DAYS, math.ceil(math.log(limits.stall_probability) / math.log(chance)))


def _not_yet(sentence: str) -> Gate:
    return Gate("G-7", Outcome.PASS, None, None, sentence)
