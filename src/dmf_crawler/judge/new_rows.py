"""G-12: rows that stand in the list for the first time, held against what the others look like.

Nothing known speaks for them: a page that went wrong in its new rows alone shows in no comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.examples import ASK_A_PERSON, MOST_EXAMPLES, example_of_record
from dmf_crawler.judge.known_values import KnownValues, elements_of, shape_of
from dmf_crawler.judge.limits import find_poisson_quantile
from dmf_crawler.judge.oddity import has_residue, is_possible_day
from dmf_crawler.judge.overlap import NOTHING_BEFORE
from dmf_crawler.model.change import EventType, KnownRecord, Reason
from dmf_crawler.model.record import FieldKind, Record, Value
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits

_N_TOLD = 3


@dataclass(frozen=True, slots=True)
class Oddity:
    """What is odd about one field of a new row.

    Attributes:
        record: The row.
        column: The field.
        why: Korean.
        is_certain: Whether it alone is enough to hold the day.
    """

    record: Record
    column: JudgedColumn
    why: str
    is_certain: bool

    @property
    def example(self) -> Example:
        """Return where it stands."""
        return example_of_record(self.record, self.column.field)

    def __str__(self) -> str:
        value = self.record.fields.get(self.column.field)
        text = " ".join(" | ".join(elements_of(value)).split())
        shown = f" '{text[:40]}'" if text else ""
        return f"{self.record.key} {self.column.label_ko}{shown}: {self.why}"


def judge_new_rows(evidence: Evidence, values: KnownValues, limits: GateLimits) -> Gate:
    """Return G-12: do new rows look like rows of this list?

    One certain oddity holds; of doubtful ones several rows, or two in one row.
    """
    if not evidence.known:
        return Gate("G-12", Outcome.PASS, None, None, NOTHING_BEFORE)
    if not len(values):
        sentence = "이력에 현재 목록의 기록이 한 건도 없어 새 행과 견줄 것이 없습니다."
        return Gate("G-12", Outcome.HOLD, None, None, sentence, "not_computed")
    records = find_new_records(evidence)
    oddities = [
        each for record in records for each in find_oddities(record, evidence, values, limits)
    ]
    by_row: dict[str, list[Oddity]] = {}
    for each in oddities:
        by_row.setdefault(each.record.key, []).append(each)
    limit = _limit_rows(len(records), evidence, values, limits)
    is_held = len(by_row) > limit or any(
        len(found) > 1 or found[0].is_certain for found in by_row.values()
    )
    examples = tuple(each.example for each in oddities[:MOST_EXAMPLES])
    if not oddities:
        sentence = "새로 올라온 행이 없습니다."
        if records:
            sentence = f"새로 올라온 행 {len(records):,}건의 값이 모두 이 목록의 값답습니다."
        return Gate("G-12", Outcome.PASS, 0, limit, sentence, "", LimitFrom.SETTING)
    told = "; ".join(map(str, oddities[:_N_TOLD]))
    sentence = (
        f"새로 올라온 행 {len(records):,}건 가운데 {len(by_row):,}건의 값이 이상합니다: {told}."
    )
    if is_held:
        return Gate(
            "G-12",
            Outcome.HOLD,
            len(by_row),
            limit,
            f"{sentence} {ASK_A_PERSON}",
            "odd_new_rows",
            LimitFrom.SETTING,
            examples,
        )
    sentence += (
        f" 우연히 있을 만한 {limit:,}건까지는 보류하지 않습니다. 원본 페이지를 확인하십시오."
    )
    return Gate("G-12", Outcome.WARN, len(by_row), limit, sentence, "", LimitFrom.SETTING, examples)


def _limit_rows(n_records: int, evidence: Evidence, values: KnownValues, limits: GateLimits) -> int:
    """Return how many new rows may have one doubtful value.

    So many that chance brings more of them with less than a small probability, given how often the
    columns' next cell has a new shape; never fewer than one.
    """
    columns = (values.column(column.field) for column in evidence.columns)
    chance = sum(
        each.chance_of_new_shape for each in columns if each.has_few_shapes(limits.closed_ratio)
    )
    likely = find_poisson_quantile(n_records * chance, limits.odd_probability)
    return max(limits.odd_new_rows - 1, likely)


def find_new_records(evidence: Evidence) -> list[Record]:
    """Return the records of rows that stand in the list for the first time, ordered by key."""
    return [
        change.after
        for change in evidence.change_set.changes
        if change.kind is EventType.NEW
        and change.reason is not Reason.REKEYED
        and change.after is not None
    ]


def find_oddities(
    record: Record, evidence: Evidence, values: KnownValues, limits: GateLimits
) -> Iterator[Oddity]:
    """Yield what is odd about a new row, at most one of each field, then equal fields."""
    for column in evidence.columns:
        if column.field == evidence.number_field or column.field not in record.fields:
            continue  # G-4 looks at numbers
        found = _find_oddity(record.fields[column.field], column, evidence, values, limits)
        if found is not None:
            yield Oddity(record, column, *found)
    yield from _find_equal_fields(record, evidence, values, limits)


def _find_oddity(
    value: Value, column: JudgedColumn, evidence: Evidence, values: KnownValues, limits: GateLimits
) -> tuple[str, bool] | None:
    """Return why a value is odd, and whether that is certain."""
    if not any(elements_of(value)):
        if not _is_always_filled(column, values, limits):
            return None
        if column.is_required:
            return "비어 있음", True
        # Of a short list nobody can say that a field is always there.
        has_many = values.column(column.field).n_values * limits.required_before_ratio >= 1
        return ("비어 있음", False) if has_many else None
    days = elements_of(value) if column.kind is FieldKind.DATE else ()
    if not all(is_possible_day(text, column, evidence.day, limits) for text in days if text):
        return "있을 수 없는 날짜", True
    doubts = (_doubt(text, column.field, values, limits) for text in elements_of(value) if text)
    found = [each for each in doubts if each is not None]
    return max(found, key=lambda each: each[1]) if found else None


def is_required(column: JudgedColumn, values: KnownValues, limits: GateLimits) -> bool:
    """Say whether no record lacks a field: the selectors file and the last accepted list agree."""
    return column.is_required and _is_always_filled(column, values, limits)


def _is_always_filled(column: JudgedColumn, values: KnownValues, limits: GateLimits) -> bool:
    known = values.column(column.field)
    return known.values[""] <= limits.required_before_ratio * known.n_values


def _doubt(
    text: str, field: str, values: KnownValues, limits: GateLimits
) -> tuple[str, bool] | None:
    """Return why a text is odd in a column, and whether that is certain."""
    own = values.column(field)
    if text in own.values:
        return None
    if own.has_few_shapes(limits.closed_ratio) and shape_of(text) not in own.shapes:
        return "이 열에 없던 형식", own.has_few_shapes(limits.rigid_ratio)
    if has_residue(text) and not any(map(has_residue, own.values)):
        return "태그나 깨진 글자", False
    if values.find_other(text, field) is not None:
        return "다른 열에만 있던 값", False
    return None


def _find_equal_fields(
    record: Record, evidence: Evidence, values: KnownValues, limits: GateLimits
) -> Iterator[Oddity]:
    """Yield a field that says the same as another, where rows of this list hardly ever do.

    Looked for among the rows of the same country.
    """
    texts = {
        column.field: text
        for column in evidence.columns
        if column.kind is not FieldKind.DATE and (text := _text_of(record, column.field))
    }
    columns = {column.field: column for column in evidence.columns}
    pairs = [pair for pair in combinations(texts, 2) if texts[pair[0]] == texts[pair[1]]]
    if not pairs:
        return
    group = evidence.country_field
    alike = values.select_where(group, record.fields.get(group)) if group else ()
    rows = alike or values.records
    is_certain = len(values) * limits.equal_fields_ratio >= 1  # a short list shows no such share
    for first, second in pairs:
        n_equal = sum(
            bool(text := _text_of(each, first)) and text == _text_of(each, second) for each in rows
        )
        if n_equal < limits.equal_fields_ratio * len(rows):
            why = f"{columns[first].label_ko}과(와) 같은 값"
            yield Oddity(record, columns[second], why, is_certain)


def _text_of(record: Record | KnownRecord, field: str) -> str:
    return "\n".join(elements_of(record.fields.get(field)))
