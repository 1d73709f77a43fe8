"""The gates of a run (docs/operations.md): numbers against limits, each with one Korean sentence.

G-0 robots, G-1 row floor, G-2 row count, G-3 required fields, G-4 number pattern and statuses,
G-5 withdrawn and missing, G-6 selectors that gave way, G-10 completeness and race; G-13, other
sources, is in `cross_check`. A gate refuses (REJECT) what no approval may pass, holds (HOLD) what a
person must look at. A number that should exist and does not never passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.reuse import judge_reuse
from dmf_crawler.judge.values import judge_values
from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.settings import GateLimits

ASK_A_PERSON = "사실인지 사이트에서 확인하고 운영 안내의 보류 절차를 따르십시오."
NOT_COMPUTED = "목록을 끝까지 읽지 못해 계산할 수 없습니다."
FORBIDDEN = 7
"""Exit code of what robots.txt or the terms do not allow (docs/operations.md)."""
_SEVERITY = (Outcome.PASS, Outcome.WARN, Outcome.HOLD, Outcome.REJECT)


def judge_snapshot(evidence: Evidence, limits: GateLimits) -> tuple[Gate, ...]:
    """Return all gates of a list that could be read."""
    return (
        _pass_robots(),
        _judge_row_floor(evidence),
        _judge_row_count(evidence, limits),
        _judge_required(evidence, limits),
        judge_values(evidence, limits),
        _judge_gone(evidence, limits),
        judge_reuse(evidence),
        _judge_completeness(evidence.snapshot),
    )


def refuse_read(fault: Fault) -> tuple[Gate, ...]:
    """Return the gates of a run whose list could not be read whole.

    Only a fault of the list itself refuses here. Where robots.txt or the terms forbid the list, or
    robots.txt cannot be had, there is no list to judge: such runs carry G-0 alone.
    """
    if fault.exit_code == FORBIDDEN:
        return (Gate("G-0", Outcome.REJECT, 0, 1, fault.message, fault.code),)
    refused = "G-1" if fault.code in {"empty_list", "short_page"} else "G-10"
    gates = [_pass_robots()]
    for code in ("G-1", "G-2", "G-3", "G-4", "G-5", "G-6", "G-10"):
        if code == refused:
            gates.append(Gate(code, Outcome.REJECT, None, None, fault.message, fault.code))
        else:
            gates.append(Gate(code, Outcome.HOLD, None, None, NOT_COMPUTED, "not_computed"))
    return tuple(gates)


def decide(gates: Sequence[Gate]) -> RunStatus:
    """Return what the gates together make of a run: the worst of them decides."""
    worst = max((gate.outcome for gate in gates), key=_SEVERITY.index)
    if worst is Outcome.REJECT:
        return RunStatus.REJECTED
    if worst is Outcome.HOLD:
        return RunStatus.HELD
    return RunStatus.OK


def decisive_gate(gates: Sequence[Gate]) -> Gate:
    """Return the gate with the worst outcome, the first of equals."""
    return max(gates, key=lambda gate: _SEVERITY.index(gate.outcome))


def _pass_robots() -> Gate:
    return Gate("G-0", Outcome.PASS, 1, 1, "robots.txt가 이 목록의 수집을 허용합니다.")


def _judge_row_floor(evidence: Evidence) -> Gate:
    n_rows = len(evidence.snapshot.records)
    if n_rows < evidence.min_rows:
        return Gate(
            "G-1",
            Outcome.REJECT,
            n_rows,
            evidence.min_rows,
            f"목록이 {n_rows:,}건뿐입니다(최소 {evidence.min_rows:,}건). "
            "사이트가 바뀌었는지 원본 페이지를 확인하십시오.",
            "short_list",
        )
    return Gate("G-1", Outcome.PASS, n_rows, evidence.min_rows, f"목록 {n_rows:,}건을 읽었습니다.")


def _judge_row_count(evidence: Evidence, limits: GateLimits) -> Gate:
    n_rows, limit = len(evidence.snapshot.records), limits.rows_change_ratio
    n_before = evidence.n_listed
    if n_before <= 0:
        return Gate("G-2", Outcome.PASS, None, limit, "비교할 채택된 목록이 아직 없습니다.")
    change = (n_rows - n_before) / n_before
    sentence = f"목록이 {n_before:,}건에서 {n_rows:,}건으로 {change:+.1%} 달라졌습니다"
    if abs(change) > limit:
        sentence += f"(한도 {limit:.0%}). {ASK_A_PERSON}"
        return Gate("G-2", Outcome.HOLD, change, limit, sentence, "row_count_jump")
    return Gate("G-2", Outcome.PASS, change, limit, f"{sentence}.")


def _judge_required(evidence: Evidence, limits: GateLimits) -> Gate:
    records = evidence.snapshot.records.values()
    empty = {
        label: sum(not "".join(record.fields.get(name, "")) for record in records)
        for name, label in evidence.required.items()
    }
    label = max(empty, key=lambda name: empty[name], default="")
    n_empty = empty.get(label, 0)
    ratio = n_empty / len(records) if records else 1.0
    limit = limits.required_empty_ratio
    if ratio > limit:
        return Gate(
            "G-3",
            Outcome.REJECT,
            ratio,
            limit,
            f"필수 항목 {label}이(가) {n_empty}건({ratio:.2%}) 비어 있습니다(한도 {limit:.0%}). "
            "사이트의 열이 바뀌었는지 원본 페이지를 확인하십시오.",
            "required_empty",
        )
    if n_empty:
        sentence = f"필수 항목 {label}이(가) {n_empty}건 비어 있습니다(한도 {limit:.0%})."
        return Gate("G-3", Outcome.WARN, ratio, limit, sentence)
    return Gate("G-3", Outcome.PASS, ratio, limit, "필수 항목이 모두 채워져 있습니다.")


def _judge_gone(evidence: Evidence, limits: GateLimits) -> Gate:
    known = evidence.known
    if not known:
        sentence = "비교할 채택된 목록이 아직 없습니다(최초 수집)."
        return Gate("G-5", Outcome.PASS, None, limits.gone_ratio, sentence)
    n_current = evidence.n_listed
    if n_current <= 0:
        sentence = "이력에 현재 목록의 기록이 한 건도 없어 사라진 비율을 계산할 수 없습니다."
        return Gate("G-5", Outcome.HOLD, None, limits.gone_ratio, sentence, "not_computed")
    changes = evidence.change_set.changes
    n_by_status = sum(
        change.kind is EventType.WITHDRAWN and change.reason is not Reason.MISSING
        for change in changes
    )
    # A record that goes on under another key is not gone.
    closed = [change.key for change in changes if change.closes]
    rekeyed = {change.key for change in changes if change.reason is Reason.REKEYED}
    absent = [key for key in (*evidence.change_set.missing, *closed) if key not in rekeyed]
    n_newly_missing = sum(known[key].missing_since is None for key in absent)
    ratio = (n_by_status + len(absent)) / n_current
    if ratio > limits.gone_ratio:
        return Gate(
            "G-5",
            Outcome.REJECT,
            ratio,
            limits.gone_ratio,
            f"취하 {n_by_status}건과 사라진 행 {len(absent)}건은 목록의 {ratio:.2%}입니다"
            f"(한도 {limits.gone_ratio:.0%}). 목록이 잘린 것으로 보고 거부했습니다. "
            "사이트를 확인하십시오.",
            "mass_withdrawal",
        )
    for n_seen, limit, what in (
        (
            sum(known[key].is_current for key in rekeyed & known.keys()),
            limits.new_off_pattern_hold,
            "번호를 다른 행과 함께 쓰게 된 행",
        ),
        (n_by_status, limits.withdrawn.floor, "상태가 취하로 바뀐 행"),
        (n_newly_missing, limits.vanished.floor, "목록에서 새로 사라진 행"),
    ):
        if n_seen > limit:
            return Gate(
                "G-5",
                Outcome.HOLD,
                n_seen,
                limit,
                f"{what}이 {n_seen}건입니다(하루 한도 {limit}건). {ASK_A_PERSON}",
                "many_withdrawals",
            )
    sentence = f"오늘 취하 {n_by_status}건, 목록에서 사라진 행 {len(absent)}건입니다."
    return Gate("G-5", Outcome.PASS, ratio, limits.gone_ratio, sentence)


def _judge_completeness(snapshot: Snapshot) -> Gate:
    n_rows = len(snapshot.records)
    if n_rows != snapshot.announced_total:
        return Gate(
            "G-10",
            Outcome.REJECT,
            n_rows,
            snapshot.announced_total,
            f"읽은 {n_rows:,}건이 사이트의 총 {snapshot.announced_total:,}건과 다릅니다. "
            "이 날의 목록은 쓰지 않습니다. 원본 페이지를 확인하십시오.",
            "short_list",
        )
    return Gate(
        "G-10",
        Outcome.PASS,
        n_rows,
        snapshot.announced_total,
        f"{snapshot.n_pages:,}쪽에서 읽은 {n_rows:,}건이 사이트의 총 "
        f"{snapshot.announced_total:,}건과 같고, 읽는 동안 목록이 바뀌지 않았습니다.",
    )
