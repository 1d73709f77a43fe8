"""The gates of a run (docs/operations.md): numbers against limits, each with one Korean sentence.

Here are G-0 robots, G-1 row floor, G-3 required fields and G-10 completeness; the others stand in
modules of their own. All are evaluated in every run, also when one fails. A gate refuses (REJECT)
what no approval may pass, holds (HOLD) what a person must look at. A number that should exist and
does not never passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dmf_crawler.judge.burst import judge_burst
from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.examples import examples_in
from dmf_crawler.judge.known_values import KnownValues
from dmf_crawler.judge.new_rows import is_required, judge_new_rows
from dmf_crawler.judge.overlap import judge_gone, judge_overlap, judge_row_count
from dmf_crawler.judge.profile import judge_profile
from dmf_crawler.judge.reuse import judge_reuse
from dmf_crawler.judge.run_time import judge_run_time
from dmf_crawler.judge.stall import judge_stall
from dmf_crawler.judge.tally import Tally, count_day
from dmf_crawler.judge.values import judge_values
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import GATE_NAMES, Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from dmf_crawler.text import escape_unprintable

NOT_COMPUTED = "목록을 끝까지 읽지 못해 계산할 수 없습니다."
FORBIDDEN, REFUSED = 7, 4
"""Exit codes of what robots.txt or the terms do not allow, and of a list that is none."""
_SEVERITY = (Outcome.PASS, Outcome.WARN, Outcome.HOLD, Outcome.REJECT)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gates say of a list.

    Attributes:
        gates: All of them, in order; G-13 among them.
        tally: What they counted.
    """

    gates: tuple[Gate, ...]
    tally: Tally


def judge_snapshot(evidence: Evidence, limits: GateLimits, cross_check: Gate) -> Judgement:
    """Judge a list that could be read.

    Args:
        evidence: The list, and what was known before.
        limits: Of the gates.
        cross_check: G-13: what other sources say of it.
    """
    values = KnownValues(evidence.known, evidence.columns)
    tally = count_day(evidence, values, limits)
    gates = (
        _pass_robots(),
        _judge_row_floor(evidence),
        judge_row_count(evidence, tally, limits),
        _judge_required(evidence, values, limits),
        judge_values(evidence, limits),
        judge_gone(evidence, tally, limits),
        judge_reuse(evidence),
        judge_stall(evidence, limits),
        judge_run_time(evidence, limits),
        judge_profile(evidence, limits),
        _judge_completeness(evidence.snapshot),
        judge_overlap(evidence, tally, limits),
        judge_new_rows(evidence, values, limits),
        cross_check,
        judge_burst(evidence, limits),
    )
    return Judgement(tuple(map(_make_legible, gates)), tally)


def _make_legible(gate: Gate) -> Gate:
    """Return a gate whose sentence shows what a terminal or a sheet would obey (RTL marks)."""
    return replace(gate, message=escape_unprintable(gate.message))


def refuse_read(fault: Fault) -> tuple[Gate, ...]:
    """Return the gates of a run whose list could not be read whole.

    One of them names the fault: G-0 where robots.txt or the terms forbid the list or cannot be
    had, G-1 where the list is too short, else G-10. None of the others could be computed.
    """
    refused = "G-10"
    if fault.exit_code == FORBIDDEN:
        refused = "G-0"
    elif fault.code in {"empty_list", "short_page"}:
        refused = "G-1"
    gates = []
    for code in GATE_NAMES:
        if code == refused:
            gate = Gate(code, Outcome.REJECT, None, None, fault.message, fault.code)
            gates.append(_make_legible(gate))
        elif code == "G-0" and fault.exit_code == REFUSED:  # else there would be no pages
            gates.append(_pass_robots())
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
    sentence = "robots.txt가 이 목록의 수집을 허용합니다."
    return Gate("G-0", Outcome.PASS, 1, 1, sentence, limit_from=LimitFrom.RULE)


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
            LimitFrom.SELECTORS,
        )
    sentence = f"목록 {n_rows:,}건을 읽었습니다."
    return Gate("G-1", Outcome.PASS, n_rows, evidence.min_rows, sentence, "", LimitFrom.SELECTORS)


def _judge_required(evidence: Evidence, values: KnownValues, limits: GateLimits) -> Gate:
    records = evidence.snapshot.records.values()
    empty = {
        column: [each for each in records if not "".join(each.fields.get(column.field, ""))]
        for column in evidence.columns
        if is_required(column, values, limits)
    }
    worst = max(empty, key=lambda column: len(empty[column]), default=None)
    n_empty = len(empty[worst]) if worst else 0
    ratio = n_empty / len(records) if records else 1.0
    limit = limits.required_empty_ratio
    examples = examples_in(empty[worst], worst.field, evidence.known) if worst else ()
    label = worst.label_ko if worst else ""
    if ratio > limit:
        return Gate(
            "G-3",
            Outcome.REJECT,
            ratio,
            limit,
            f"필수 항목 {label}이(가) {n_empty}건({ratio:.2%}) 비어 있습니다(한도 {limit:.0%}). "
            "사이트의 열이 바뀌었는지 원본 페이지를 확인하십시오.",
            "required_empty",
            LimitFrom.FUSE,
            examples,
        )
    if n_empty:
        sentence = f"필수 항목 {label}이(가) {n_empty}건 비어 있습니다(한도 {limit:.0%})."
        return Gate("G-3", Outcome.WARN, ratio, limit, sentence, "", LimitFrom.FUSE, examples)
    sentence = "필수 항목이 모두 채워져 있습니다."
    return Gate("G-3", Outcome.PASS, ratio, limit, sentence, "", LimitFrom.FUSE)


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
            LimitFrom.SITE,
        )
    return Gate(
        "G-10",
        Outcome.PASS,
        n_rows,
        snapshot.announced_total,
        f"{snapshot.n_pages:,}쪽에서 읽은 {n_rows:,}건이 사이트의 총 "
        f"{snapshot.announced_total:,}건과 같고, 읽는 동안 목록이 바뀌지 않았습니다.",
        limit_from=LimitFrom.SITE,
    )
