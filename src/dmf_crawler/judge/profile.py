"""G-9, profile: does each column still look like itself?

Where keys overlap, comparing them sees more (G-11). This gate is a voice in the very first runs,
and it explains: a column that looks like another one of the last list has probably changed place
with it. A feature of a column is held against its own accepted days, never a mean of features: in a
mean one column that broke is lost among those that did not (docs/trust.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.examples import choose_examples, example_of, example_of_record
from dmf_crawler.judge.features import (
    DENSITIES,
    DISTINCT,
    EMPTY,
    FIRST,
    LENGTH,
    N_ROWS,
    count_filled,
)
from dmf_crawler.model.past import PastDay
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits

N_DAYS = 30
"""Accepted days that a column's usual look is made of."""

LEAST_VALUES = 20
"""Fewer values say nothing of a column."""

FEW_ROWS = 12
"""Rows that may change altogether on an ordinary day, however short the list is."""

SIMILAR_RATIO = 0.1
"""How many different values there are is only compared among about as many values."""

LEAST_CHANGE: Mapping[str, float] = {
    EMPTY: 0.05,
    DISTINCT: 0.05,
    LENGTH: 0.25,  # of the usual length
    **dict.fromkeys(DENSITIES, 0.12),
    **dict.fromkeys(FIRST, 0.10),
}
"""What a feature may change by on any day, whatever its past.

The largest company renamed in all its rows, 300 of 12,000, changes none by more than 0.09.
"""

DISTINCT_RATIO = 0.35
"""Of a column with few different values, this share of them may come or go, at most."""

MAD_TO_SIGMA = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""

NAMES_KO: Mapping[str, str] = {
    EMPTY: "빈 칸의 비율",
    DISTINCT: "서로 다른 값의 비율",
    LENGTH: "평균 글자 수",
    "digits": "숫자의 비율",
    "hangul": "한글의 비율",
    "latin": "영문자의 비율",
    "blanks": "빈칸 문자의 비율",
    "first_digit": "숫자로 시작하는 값의 비율",
    "first_hangul": "한글로 시작하는 값의 비율",
    "first_latin": "영문자로 시작하는 값의 비율",
}


@dataclass(frozen=True, slots=True)
class _Departure:
    """How far one feature of a column is from what it was.

    Attributes:
        column: The column.
        feature: Which feature.
        now: Today.
        usual: Median of the accepted days.
        multiple: As a multiple of its usual spread; the limit is `profile_factor`.
        limit_from: Whether its own days or the least change decided.
    """

    column: JudgedColumn
    feature: str
    now: float
    usual: float
    multiple: float
    limit_from: LimitFrom


def judge_profile(evidence: Evidence, limits: GateLimits) -> Gate:
    """Return G-9: the feature that is farthest from what it was on the accepted days."""
    days = evidence.past.days[-N_DAYS:]
    unmeasured = [
        column.label_ko
        for column in evidence.columns
        if days
        and EMPTY in days[-1].features.get(column.field, {})
        and EMPTY not in evidence.features.get(column.field, {})
    ]
    if unmeasured:
        sentence = f"{', '.join(unmeasured)} 열의 모양을 재지 못해 지난 날과 견줄 수 없습니다."
        return Gate("G-9", Outcome.HOLD, None, None, sentence, "not_computed")
    departures = [
        departure
        for column in evidence.columns
        for departure in _measure_column(column, evidence, days, limits)
    ]
    if not departures:
        return Gate("G-9", Outcome.PASS, None, None, "열의 모양을 견줄 지난 날이 아직 없습니다.")
    worst = max(departures, key=lambda each: each.multiple)
    observed, limit = round(worst.multiple, 3), limits.profile_factor
    if observed <= limit:
        sentence = f"{len(evidence.columns)}개 열의 모양이 모두 최근 {len(days)}일과 비슷합니다."
        return Gate("G-9", Outcome.PASS, observed, limit, sentence, limit_from=worst.limit_from)
    return Gate(
        "G-9",
        Outcome.HOLD,
        observed,
        limit,
        _describe(worst, evidence, days),
        "profile_drift",
        worst.limit_from,
        _find_examples(worst.column.field, evidence),
    )


def _measure_column(
    column: JudgedColumn, evidence: Evidence, days: Sequence[PastDay], limits: GateLimits
) -> list[_Departure]:
    today = evidence.features.get(column.field, {})
    last = next((each for day in reversed(days) if (each := day.features.get(column.field))), {})
    departures = []
    for feature in LEAST_CHANGE:
        earlier = [
            number for day in days if (number := day.feature(feature, column.field)) is not None
        ]
        if feature in today and feature in last and _is_comparable(feature, today, last):
            least = _find_least(feature, today, median(earlier), n_more=_count_more(today, last))
            departures.append(_measure(column, feature, today[feature], earlier, least, limits))
    return departures


def _is_comparable(feature: str, today: Mapping[str, float], last: Mapping[str, float]) -> bool:
    n_now, n_before = count_filled(today), count_filled(last)
    if feature == EMPTY:
        return True
    if min(n_now, n_before) < LEAST_VALUES:
        return False
    return feature != DISTINCT or abs(n_now - n_before) <= SIMILAR_RATIO * n_before


def _measure(
    column: JudgedColumn,
    feature: str,
    now: float,
    earlier: Sequence[float],
    least: float,
    limits: GateLimits,
) -> _Departure:
    """Return how far a feature is from both its median and the last accepted day.

    Far from the median alone is a list that has changed for good, on a day that was believed; far
    from the last day alone is one that is back. Cells that are filled are never a loss.
    """
    usual, last = median(earlier), earlier[-1]
    departure = min(abs(now - usual), abs(now - last))
    if feature == EMPTY and now < max(usual, last):
        departure = 0.0
    spread = MAD_TO_SIGMA * median(abs(number - usual) for number in earlier)
    allowed = limits.profile_factor * spread
    return _Departure(
        column=column,
        feature=feature,
        now=now,
        usual=usual,
        multiple=limits.profile_factor * departure / max(allowed, least),
        limit_from=LimitFrom.HISTORY if allowed > least else LimitFrom.FLOOR,
    )


def _count_more(today: Mapping[str, float], last: Mapping[str, float]) -> int:
    """Return how many rows a list has grown by: whatever they hold, nothing has changed."""
    return max(0, int(today[N_ROWS] - last[N_ROWS]))


def _find_least(
    feature: str, today: Mapping[str, float], usual: float, *, n_more: int = 0
) -> float:
    """Return what a feature may change by on any day."""
    least = LEAST_CHANGE[feature]
    few = (FEW_ROWS + n_more) / (today[N_ROWS] if feature == EMPTY else count_filled(today))
    if feature == EMPTY:
        return max(least, few)
    if feature == LENGTH:
        return max(least, few) * usual
    if feature == DISTINCT:
        return max(few, min(least, DISTINCT_RATIO * usual))
    return max(least, few)


# --- what people are told ------------------------------------------------------------------------


def _describe(worst: _Departure, evidence: Evidence, days: Sequence[PastDay]) -> str:
    label = worst.column.label_ko
    now, usual = _show(worst.feature, worst.now), _show(worst.feature, worst.usual)
    what = f"{NAMES_KO[worst.feature]} {now}(최근 {len(days)}일 {usual})"
    sentences = [f"{label} 열의 모양이 평소와 다릅니다: {what}."]
    other = _find_likeness(worst.column, evidence, days[-1])
    if other is not None:
        is_yesterday = days[-1].day == evidence.day - timedelta(days=1)
        when = "어제" if is_yesterday else "지난 목록"
        sentences.append(f"오늘의 {label} 열이 {when}의 {other.label_ko} 열을 닮았습니다.")
    sentences.append(
        "사이트의 열이 바뀌었거나 밀리지 않았는지 확인한 뒤 approve 또는 reject 명령으로 "
        "결정하십시오."
    )
    return " ".join(sentences)


def _find_likeness(column: JudgedColumn, evidence: Evidence, last: PastDay) -> JudgedColumn | None:
    """Return the other column whose look on the last day is like this one's today, if any is."""
    today = evidence.features[column.field]
    distances = [
        (distance, other)
        for other in evidence.columns
        if other.field != column.field
        and (distance := _find_distance(today, last.features.get(other.field, {}))) is not None
    ]
    nearest = min(distances, key=lambda each: each[0], default=None)
    return nearest[1] if nearest else None


def _find_distance(today: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Return how far two looks are apart; None where a feature differs by more than it may."""
    if not today.keys() >= LEAST_CHANGE.keys() or not other.keys() >= LEAST_CHANGE.keys():
        return None
    parts = [
        abs(today[feature] - other[feature]) / _find_least(feature, today, other[feature])
        for feature in LEAST_CHANGE
    ]
    return sum(parts) if max(parts) <= 1 else None


def _show(feature: str, number: float) -> str:
    return f"{number:.1f}자" if feature == LENGTH else f"{number:.1%}"


def _find_examples(field: str, evidence: Evidence) -> tuple[Example, ...]:
    """Return records that have another value in a column than they had; else new ones."""
    changes = evidence.change_set.changes
    changed = [
        example_of(change, field, each)
        for change in changes
        for each in change.changes
        if each.field == field
    ]
    new = (example_of_record(change.after, field) for change in changes if change.after)
    return choose_examples(changed or new)
