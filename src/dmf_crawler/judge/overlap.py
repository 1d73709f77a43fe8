"""G-2, G-5 and G-11: today's list against the last accepted one, counted against limits.

The counts are those of `tally`; a limit is what the list's own accepted days make likely, kept
between a floor and a cap. Beyond the outer fuse (`gone_ratio`) no approval helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.examples import ASK_A_PERSON, MOST_EXAMPLES
from dmf_crawler.judge.limits import Limit, limit_of
from dmf_crawler.judge.tally import Tally, find_absent
from dmf_crawler.model.change import Reason
from dmf_crawler.model.past import (
    N_BACKWARD,
    N_CHANGED,
    N_EMPTIED,
    N_ENTERED,
    N_EXCHANGED,
    N_NEW_VALUES,
    N_ODD,
    N_RESTORED,
    N_REWORDED,
    N_SCRAMBLED,
    N_UNKNOWN,
    N_VANISHED,
    N_WITHDRAWN,
)
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.settings import DailyLimit, GateLimits

NOTHING_BEFORE = "비교할 채택된 목록이 아직 없습니다(최초 수집)."

_N_TOLD = 3
_OBJECT = {"건": "을", "가지": "를"}
"""The particle that marks each unit as an object."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A count beside its limit.

    Attributes:
        what: Korean: what was counted, with its number and unit.
        number: The count.
        limit: The limit.
        examples: Where.
        unit: Korean: what the count is of.
    """

    what: str
    number: int
    limit: Limit
    examples: tuple[Example, ...]
    unit: str = "건"

    @property
    def is_above(self) -> bool:
        """Whether the limit is passed."""
        return self.number > self.limit.number

    @property
    def severity(self) -> float:
        """How many times the limit it is."""
        return self.number / max(1, self.limit.number)


def judge_row_count(evidence: Evidence, tally: Tally, limits: GateLimits) -> Gate:
    """Return G-2: is the list about as long as the last accepted one, with few rows new in it?"""
    n_rows, n_before = len(evidence.snapshot.records), evidence.n_listed
    if not evidence.known:
        return Gate("G-2", Outcome.PASS, None, None, NOTHING_BEFORE)
    if n_before <= 0:
        sentence = "이력에 현재 목록의 기록이 한 건도 없어 건수를 비교할 수 없습니다."
        return Gate("G-2", Outcome.HOLD, None, None, sentence, "not_computed")
    n_entered = evidence.past.count_today(tally.count(N_ENTERED), N_ENTERED)
    change = (n_rows - n_before) / n_before
    if abs(change) > limits.rows_change_ratio:
        sentence = (
            f"목록이 {n_before:,}건에서 {n_rows:,}건으로 {change:+.1%} 달라졌습니다(한도 "
            f"{limits.rows_change_ratio:.0%}). {ASK_A_PERSON}"
        )
        return Gate(
            "G-2",
            Outcome.HOLD,
            change,
            limits.rows_change_ratio,
            sentence,
            "row_count_jump",
            LimitFrom.SETTING,
            tally.shown(N_ENTERED) if change > 0 else tally.shown(N_VANISHED),
        )
    limit = limit_of(evidence, N_ENTERED, limits.new_rows, limits)
    if n_entered > limit.number:
        sentence = (
            f"오늘 새로 올라온 행 {n_entered:,}건: {limit.reason_ko}건을 넘었습니다. 대량 등록이 "
            f"{ASK_A_PERSON}"
        )
        return Gate(
            "G-2",
            Outcome.HOLD,
            n_entered,
            limit.number,
            sentence,
            "many_new_rows",
            limit.limit_from,
            tally.shown(N_ENTERED),
        )
    sentence = (
        f"목록이 {n_before:,}건에서 {n_rows:,}건으로 바뀌었고, 새로 올라온 행은 {n_entered:,}건"
        f"입니다({limit.reason_ko}건)."
    )
    return Gate("G-2", Outcome.PASS, n_entered, limit.number, sentence, "", limit.limit_from)


def judge_gone(evidence: Evidence, tally: Tally, limits: GateLimits) -> Gate:
    """Return G-5: how many records were withdrawn, restored, or are no longer there?"""
    if not evidence.known:
        return Gate("G-5", Outcome.PASS, None, None, NOTHING_BEFORE)
    n_before = evidence.n_listed
    if n_before <= 0:
        sentence = "이력에 현재 목록의 기록이 한 건도 없어 사라진 비율을 계산할 수 없습니다."
        return Gate("G-5", Outcome.HOLD, None, None, sentence, "not_computed")
    n_withdrawn, n_absent = tally.count(N_WITHDRAWN), len(find_absent(evidence))
    ratio = (n_withdrawn + n_absent) / n_before
    shown = tally.shown(N_VANISHED) + tally.shown(N_WITHDRAWN)
    # Of a list of nine one row is more than the fuse, and a list without it would be refused for
    # ever: so few rows are left to the limit of a day.
    if ratio > limits.gone_ratio and n_withdrawn + n_absent > limits.vanished.floor:
        sentence = (
            f"취하 {n_withdrawn:,}건과 사라진 행 {n_absent:,}건은 목록의 {ratio:.2%}입니다(한도 "
            f"{limits.gone_ratio:.0%}). 목록이 잘린 것으로 보고 거부했습니다. 승인으로도 넘길 수 "
            "없습니다. 사이트와 보관된 페이지를 확인하십시오."
        )
        return Gate(
            "G-5",
            Outcome.REJECT,
            ratio,
            limits.gone_ratio,
            sentence,
            "mass_withdrawal",
            LimitFrom.FUSE,
            shown[:MOST_EXAMPLES],
        )
    found = [each for each in _list_gone(evidence, tally, limits) if each.is_above]
    if found:
        return _hold("G-5", found, "many_withdrawals")
    limit = limit_of(evidence, N_WITHDRAWN, limits.withdrawn, limits)
    n_withdrawn = evidence.past.count_today(n_withdrawn, N_WITHDRAWN)
    sentence = (
        f"오늘 취하 {n_withdrawn:,}건({limit.reason_ko}건), 목록에서 사라진 행 {n_absent:,}건"
        "입니다."
    )
    return Gate("G-5", Outcome.PASS, n_withdrawn, limit.number, sentence, "", limit.limit_from)


def _list_gone(evidence: Evidence, tally: Tally, limits: GateLimits) -> Iterator[Counted]:
    for name, what, bound in (
        (N_VANISHED, "목록에서 새로 사라진 행", limits.vanished),
        (N_WITHDRAWN, "취하", limits.withdrawn),
        (N_RESTORED, "취하에서 정상으로 돌아온 행", limits.withdrawn),
    ):
        yield from _count_both(evidence, tally, limits, (name, what, bound))
    rekeyed = [
        change.key
        for change in evidence.change_set.changes
        if change.reason is Reason.REKEYED
        and change.key in evidence.known
        and evidence.known[change.key].is_current
    ]
    yield Counted(
        f"{evidence.number_label}을(를) 다른 행과 함께 쓰게 된 행 {len(rekeyed):,}건",
        len(rekeyed),
        Limit(limits.new_off_pattern_hold, LimitFrom.SETTING, 0),
        tuple(Example(key) for key in rekeyed[:MOST_EXAMPLES]),
    )


def _count_both(
    evidence: Evidence, tally: Tally, limits: GateLimits, counted: tuple[str, str, DailyLimit]
) -> Iterator[Counted]:
    """Yield a count of the list with the limit of a day, then that of the last days together."""
    name, what, bound = counted
    number = evidence.past.count_today(tally.count(name), name)
    limit = limit_of(evidence, name, bound, limits)
    of_day = Counted(f"{what} {number:,}건", number, limit, tally.shown(name))
    yield of_day
    if number and not of_day.is_above:
        limit = _limit_sum(evidence, (name, ROW), bound, limits)
        yield _add_up(of_day, (name, ROW, what), limit, evidence, limits)


def judge_overlap(evidence: Evidence, tally: Tally, limits: GateLimits) -> Gate:
    """Return G-11: field by field, did no more change than an ordinary day changes?"""
    if not evidence.known:
        return Gate("G-11", Outcome.PASS, None, None, NOTHING_BEFORE)
    if evidence.n_listed <= 0:
        sentence = "이력에 현재 목록의 기록이 한 건도 없어 값을 비교할 수 없습니다."
        return Gate("G-11", Outcome.HOLD, None, None, sentence, "not_computed")
    n_scrambled = tally.count(N_SCRAMBLED)
    counted = [
        Counted(
            f"{limits.scrambled_fields}개 항목 이상이 한꺼번에 바뀐 행 {n_scrambled:,}건",
            n_scrambled,
            _fixed(limits.scrambled_rows),
            tally.shown(N_SCRAMBLED),
        )
    ]
    for column in evidence.columns:
        counted += _list_field(column, evidence, tally, limits)
    found = [each for each in counted if each.is_above]
    if found:
        return _hold("G-11", found, "unusual_changes")
    worst = max(counted, key=lambda each: each.severity)
    n_changed = sum(tally.count(N_CHANGED, column.field) for column in evidence.columns)
    sentence = "바뀐 값이 없습니다."
    if n_changed:
        sentence = (
            f"바뀐 값 {n_changed:,}개가 모두 평소의 하루에 있을 만한 만큼입니다. 한도에 가장 "
            f"가까운 것은 {worst.what}입니다(한도 {worst.limit.number:,}{worst.unit})."
        )
    return Gate(
        "G-11", Outcome.PASS, worst.number, worst.limit.number, sentence, "", worst.limit.limit_from
    )


def _list_field(
    column: JudgedColumn, evidence: Evidence, tally: Tally, limits: GateLimits
) -> Iterator[Counted]:
    """Yield each count of one field with its limit."""
    field, label = column.field, column.label_ko
    moved = "바뀌지 않아야 하는데 바뀐 행" if column.moves == "never" else "때가 되돌아간 행"
    for name, what, unit, bound in (
        (N_NEW_VALUES, "새 값", "가지", limits.new_values),
        (N_REWORDED, "다른 말로 바뀐 행", "건", limits.new_values),
        (N_EMPTIED, "값이 비거나 줄어든 칸", "건", limits.emptied),
        (N_ODD, "형식이나 내용이 이상한 새 값", "가지", limits.odd_values),
        (N_EXCHANGED, "다른 행에 있던 값으로 바뀐 칸", "건", limits.exchanged_values),
        (N_BACKWARD, moved, "건", limits.moved_dates),
        (N_UNKNOWN, "처음 보는 값이 든 행", "건", limits.unknown_words),
    ):
        number = evidence.past.count_today(tally.count(name, field), name, field)
        said = f"{label} 열의 {what}"
        limit = (
            limit_of(evidence, name, bound, limits, of=field)
            if isinstance(bound, DailyLimit)
            else _fixed(bound)
        )
        examples = tally.shown(name, field)
        of_day = Counted(f"{said} {number:,}{unit}", number, limit, examples, unit)
        yield of_day
        if number and not of_day.is_above:
            limit = _limit_sum(evidence, (name, field), bound, limits)
            yield _add_up(of_day, (name, field, said), limit, evidence, limits)
    if field not in tally.is_forward:
        number = tally.count(N_CHANGED, field)
        yield Counted(
            f"{label} 열이 바뀐 행 {number:,}건",
            number,
            _limit_rows(evidence, field, limits),
            tally.shown(N_CHANGED, field),
        )


def _limit_sum(
    evidence: Evidence, counted: tuple[str, str], bound: DailyLimit | int, limits: GateLimits
) -> Limit:
    """Return the limit of what the last days and this read bring together: twice that of a day."""
    name, field = counted
    n_before = limits.creeping_days
    if isinstance(bound, int):
        return Limit(2 * bound, LimitFrom.SETTING, 0, n_before + 1)
    both = DailyLimit(floor=2 * bound.floor, cap=2 * bound.cap)
    return limit_of(evidence, name, both, limits, of=field, n_before=n_before)


def _add_up(
    of_day: Counted,
    counted: tuple[str, str, str],
    limit: Limit,
    evidence: Evidence,
    limits: GateLimits,
) -> Counted:
    """Return a count of the last days together: damage that stays below the limit of each.

    What a person let pass is not counted again, nor what came before it.
    """
    name, field, what = counted
    number, today, n_days = of_day.number, evidence.past.earlier_today, limits.creeping_days
    days = evidence.past.days[-n_days:] if today is None or not today.was_held else ()
    for day in reversed(days):
        if day.was_held:
            break
        number += int(day.feature(name, field) or 0)
    said = f"{what} 최근 {n_days}일과 오늘 모두 {number:,}{of_day.unit}"
    return replace(of_day, what=said, number=number, limit=limit)


def _limit_rows(evidence: Evidence, field: str, limits: GateLimits) -> Limit:
    """Return how many rows of the list may change in one field on a day."""
    share, n_rows = limits.changed_rows, evidence.n_listed
    floor, cap = (max(share.least, int(each * n_rows)) for each in (share.floor, share.cap))
    bound = DailyLimit(floor=floor, cap=cap)
    return limit_of(evidence, N_CHANGED, bound, limits, of=field)


def _fixed(number: int) -> Limit:
    return Limit(number, LimitFrom.SETTING, 0)


def _hold(gate: str, found: Sequence[Counted], fault_code: str) -> Gate:
    """Return a gate that holds, with everything above its limit, the worst first."""
    ordered = sorted(found, key=lambda each: -each.severity)
    worst = ordered[0]
    told = [
        f"{'오늘 ' if each.limit.n_summed == 1 else ''}{each.what}: "
        f"{each.limit.reason_ko}{each.unit}{_OBJECT[each.unit]} 넘었습니다."
        for each in ordered[:_N_TOLD]
    ]
    if len(ordered) > _N_TOLD:
        told.append(f"그 밖에 한도를 넘은 것이 {len(ordered) - _N_TOLD}가지 있습니다.")
    return Gate(
        gate,
        Outcome.HOLD,
        worst.number,
        worst.limit.number,
        f"{' '.join(told)} {ASK_A_PERSON}",
        fault_code,
        worst.limit.limit_from,
        tuple(_mix(ordered)),
    )


def _mix(found: Sequence[Counted]) -> list[Example]:
    """Return examples of everything above its limit in turn, each place once."""
    turns = [
        each.examples[turn]
        for turn in range(MOST_EXAMPLES)
        for each in found
        if turn < len(each.examples)
    ]
    return list(dict.fromkeys(turns))[:MOST_EXAMPLES]
