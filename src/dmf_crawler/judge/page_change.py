"""How a watched page differs from its last kept state: none, noise, content or field.

Fields come first. Text that is the same in the form that is compared is no change, whatever the
bytes. A difference is noise only where the page was calibrated, where its fingerprint is as near as
calibration saw it move by itself, where it has as many blocks as before and no more of them are
others than calibration saw, and where nothing that can be news came, went or changed places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import reduce
from itertools import combinations, islice
from operator import and_

from dmf_crawler.judge.telling import MOST_NAMED, name_difference, telling_parts
from dmf_crawler.model.change import FieldChange, Grade
from dmf_crawler.model.record import FieldKind, Fields
from dmf_crawler.model.run import Fault
from dmf_crawler.model.watched_page import Calibration, Movement, PageJudgement, PageReading
from dmf_crawler.settings import PageRules
from dmf_crawler.simhash import distance, simhash
from dmf_crawler.text import critical_parts, grade_values

MOST_THRESHOLD = 15
"""Texts that have nothing in common differ in 32 bits, give or take 4: at 16 they begin to be
called noise."""

NO_LABELS: Mapping[str, str] = {}

_N_NAMED = 5


def judge_page(
    before: PageReading | None,
    after: PageReading,
    rules: PageRules,
    *,
    calibration: Calibration | None,
    kinds: Mapping[str, FieldKind],
    labels: Mapping[str, str] = NO_LABELS,
) -> PageJudgement:
    """Judge a page against its last kept state.

    Args:
        before: The last kept state, None for the first read.
        after: What was read now.
        rules: How pages are compared.
        calibration: How far the page moves by itself; None: any difference is content.
        kinds: Field id → what it holds.
        labels: Field id → Korean name, for what is told.
    """
    threshold = calibration.threshold if calibration else None
    if before is None:
        why = "처음 읽은 페이지라 비교할 것이 없습니다. 지금 내용이 기준이 됩니다."
        return PageJudgement(Movement.FIRST, None, threshold, why=why)
    most_moving = calibration.most_moving if calibration else None
    text = _judge_text(before, after, rules, threshold, most_moving)
    changes = compare_fields(before.fields, after.fields, kinds)
    if not changes:
        return text
    told = _quote([labels.get(change.field, change.field) for change in changes])
    is_cosmetic = all(change.grade is Grade.COSMETIC for change in changes)
    kind = "표기가" if is_cosmetic else "값이"
    why = f"항목 {len(changes)}개의 {kind} 달라졌습니다({told}). 글은: {text.why}"
    movement = Movement.FIELD
    if is_cosmetic and text.movement is Movement.CONTENT:
        movement = Movement.CONTENT
    return PageJudgement(movement, text.distance, threshold, changes, text.tokens, why)


def compare_fields(
    before: Fields, after: Fields, kinds: Mapping[str, FieldKind]
) -> tuple[FieldChange, ...]:
    """Return every field whose value differs, in the order of the selectors file.

    A field that the kept state does not have, since the selectors file is newer, is no change.
    """
    changes = []
    for field, value in after.items():
        kind = kinds.get(field, FieldKind.TEXT)
        if field in before and before[field] != value:
            grade = grade_values(before[field], value, kind)
            changes.append(FieldChange(field, before[field], value, kind, grade))
    return tuple(changes)


def moving_blocks(readings: Sequence[PageReading]) -> tuple[str, ...]:
    """Return the compared blocks that are not in all of some reads, in page order, at most 50.

    What they name in `drop` or `volatile` leaves nothing that moves by itself, and so no difference
    that could be taken for noise.
    """
    counts = [Counter(reading.compared) for reading in readings]
    steady = reduce(and_, counts)
    moving = (each for reading in readings for each in reading.compared)
    return tuple(islice(dict.fromkeys(each for each in moving if each not in steady), MOST_NAMED))


def text_of(reading: PageReading) -> str:
    """Return the compared text as one."""
    return "\n".join(reading.compared)


def calibrate(
    readings: Sequence[PageReading],
    rules: PageRules,
    *,
    measured_at: datetime,
    labels: Mapping[str, str] = NO_LABELS,
) -> Calibration | Fault:
    """Measure how much a page moves by itself, by reads shortly after another.

    Args:
        readings: At least two, in any order.
        rules: `margin_bits` lie between the largest distance and the threshold.
        measured_at: Aware.
        labels: Field id → Korean name, for what is told.

    Returns:
        The calibration; or a fault: `page_changed_meanwhile` where a field, the number of blocks,
        or a part of the text that can be news was not the same in all reads; `page_too_restless`
        where the threshold would call unrelated texts the same.

    Raises:
        ValueError: There are fewer than two readings.
    """
    if len(readings) < 2:
        raise ValueError(f"{len(readings)} readings cannot be compared")
    texts = [text_of(reading) for reading in readings]
    if fault := _find_real_change(readings, texts, labels):
        return fault
    if len(set(texts)) == 1:
        return Calibration(measured_at, len(readings), None, None)
    prints = [simhash(text) for text in texts]
    largest = max(distance(left, right) for left, right in combinations(prints, 2))
    threshold = largest + rules.margin_bits
    if threshold > MOST_THRESHOLD:
        return _too_restless(largest, rules.margin_bits)
    moving = max(_count_moved(one, other) for one, other in combinations(readings, 2))
    return Calibration(measured_at, len(readings), largest, threshold, moving)


def _judge_text(
    before: PageReading,
    after: PageReading,
    rules: PageRules,
    threshold: int | None,
    most_moving: int | None,
) -> PageJudgement:
    if before.compared == after.compared:
        why = "비교하는 글이 지난번과 똑같습니다."
        return PageJudgement(Movement.NONE, 0, threshold, why=why)
    old, new = text_of(before), text_of(after)
    bits = distance(simhash(old), simhash(new))
    is_short = min(len(old), len(new)) < rules.short_characters
    critical = critical_parts(old), critical_parts(new)
    telling = telling_parts(old), telling_parts(new)
    tokens = tuple(dict.fromkeys((*name_difference(*telling), *name_difference(*critical))))
    why = ""
    # In a short text every number and Latin word counts as well.
    if telling[0] != telling[1] or (is_short and critical[0] != critical[1]):
        why = _tell_parts(tokens, is_short=is_short)
    why = why or _tell_blocks(before, after, most_moving) or _tell_distance(bits, threshold)
    if why:
        why = f"{why}(거리 {bits}비트)."
        return PageJudgement(Movement.CONTENT, bits, threshold, tokens=tokens, why=why)
    why = (
        f"글이 조금 달라졌으나 이 페이지의 평소 움직임 안입니다(거리 {bits}비트, 기준 "
        f"{threshold}비트). 날짜·기간·금액이나 허용·금지·부정하는 말은 그대로입니다."
    )
    return PageJudgement(Movement.NOISE, bits, threshold, tokens=tokens, why=why)


def _tell_parts(told: Sequence[str], *, is_short: bool) -> str:
    """Say which parts that can be news came, went or changed places."""
    if not told:
        return (
            "날짜·숫자·허용·금지 같은 말의 순서가 바뀌었습니다. 순서에 뜻이 없는 부분이면 "
            "selectors 파일의 unordered에 적어 주십시오"
        )
    if is_short:
        return f"짧은 글에서 숫자·날짜·영문·상태·부정어가 달라졌습니다: {_quote(told)} "
    return f"날짜·기간·금액이나 상태·부정어가 달라졌습니다: {_quote(told)} "


def _tell_blocks(before: PageReading, after: PageReading, most_moving: int | None) -> str:
    """Say that other blocks changed than those that move by themselves, "" for none."""
    n_before, n_after = len(before.compared), len(after.compared)
    if n_before != n_after:
        return f"글의 문단·항목·칸이 {n_before:,}개에서 {n_after:,}개로 달라졌습니다"
    n_moved = _count_moved(before, after)
    if most_moving is not None and n_moved > most_moving:
        return (
            f"글의 문단·항목·칸 {n_moved:,}개가 달라졌습니다. 이 페이지에서 저절로 움직이는 것은 "
            f"많아야 {most_moving:,}개입니다"
        )
    return ""


def _tell_distance(bits: int, threshold: int | None) -> str:
    """Say that a text moved further than by itself, "" where it did not."""
    if threshold is None:
        return (
            "글이 달라졌습니다. 이 페이지는 저절로 움직이는 정도를 재지 않았거나 잴 때 움직이지 "
            "않았으므로, 어떤 차이도 내용 변경으로 봅니다"
        )
    if bits > threshold:
        return f"글이 이 페이지의 평소 움직임(거리 {threshold}비트 이하)보다 많이 달라졌습니다"
    return ""


def _count_moved(before: PageReading, after: PageReading) -> int:
    """Return how many blocks of a read the other one, of as many blocks, does not have."""
    return (Counter(before.compared) - Counter(after.compared)).total()


def _quote(parts: Sequence[str]) -> str:
    rest = f" 등 {len(parts)}개" if len(parts) > _N_NAMED else ""
    return ", ".join(part[:40] for part in parts[:_N_NAMED]) + rest


# --- calibration --------------------------------------------------------------------------------


def _find_real_change(
    readings: Sequence[PageReading], texts: Sequence[str], labels: Mapping[str, str]
) -> Fault | None:
    """Say what was not the same in all reads although it can be news, None for nothing."""
    first = readings[0]
    parts = telling_parts(texts[0])
    for reading, text in zip(readings[1:], texts[1:], strict=True):
        if reading.fields != first.fields:
            changed = [
                labels.get(field, field)
                for field in {**first.fields, **reading.fields}
                if first.fields.get(field) != reading.fields.get(field)
            ]
            return _changed_meanwhile(f"항목 {_quote(changed)}의 값")
        n_first, n_blocks = len(first.compared), len(reading.compared)
        if n_first != n_blocks:
            return _changed_meanwhile(f"문단·항목·칸의 수 {n_first:,}개, {n_blocks:,}개")
        others = telling_parts(text)
        if others != parts:
            told = name_difference(parts, others)
            return _changed_meanwhile(_quote(told) if told else "날짜·기간·상태어의 순서")
    return None


def _changed_meanwhile(what: str) -> Fault:
    return Fault(
        "page_changed_meanwhile",
        f"재는 동안 페이지의 내용이 달라졌습니다({what}). 잴 때는 저절로 움직이는 부분만 달라야 "
        "합니다. 잠시 뒤 다시 재고, 계속되면 그 부분을 selectors 파일의 drop, unordered, "
        "volatile에 적어 주십시오.",
        exit_code=4,
    )


def _too_restless(largest: int, margin: int) -> Fault:
    return Fault(
        "page_too_restless",
        f"페이지가 저절로 너무 많이 움직입니다(가장 큰 거리 {largest}비트 + 여유 {margin}비트, "
        f"한도 {MOST_THRESHOLD}비트). 이대로는 진짜 변경을 알아볼 수 없습니다. selectors 파일의 "
        "region을 좁히거나 움직이는 부분을 drop, volatile에 적은 뒤 다시 재어 주십시오.",
        exit_code=4,
    )
