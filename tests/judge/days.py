"""Lists of several columns, known before and read today, for the gates that compare them."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.known_values import KnownValues
from dmf_crawler.judge.tally import Tally, count_day
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.past import Past, PastDay
from dmf_crawler.model.record import Delivery, FieldKind, Record, Snapshot, Value
from dmf_crawler.model.reuse import ROW
from dmf_crawler.persist.diff import DiffRules, diff_snapshot
from dmf_crawler.settings import GateLimits

TODAY = date(2026, 12, 1)
LIMITS = GateLimits()
COUNTRIES = ("인도", "중국", "대한민국")

COLUMNS = (
    JudgedColumn("reg_no", "등록번호", FieldKind.KEY, is_required=True),
    JudgedColumn("company", "신청인", FieldKind.NAME, is_required=True),
    JudgedColumn("makers", "제조소명", FieldKind.NAME),
    JudgedColumn("country", "제조국가", FieldKind.NAME, has_known_words=True),
    JudgedColumn("first_on", "최초등록일자", FieldKind.DATE, moves="never"),
    JudgedColumn("changed_on", "최종변경일자", FieldKind.DATE, moves="forward"),
    JudgedColumn("year", "연차보고년도", FieldKind.NUMBER, moves="forward"),
    JudgedColumn("status", "상태", FieldKind.ENUM, has_known_words=True),
    JudgedColumn("document", "문서번호", FieldKind.EXACT),
)
RULES = DiffRules(
    kinds={column.field: column.kind for column in COLUMNS},
    status_field="status",
    withdrawn_words=frozenset({"취하", "취소"}),
    live_words=frozenset({"정상"}),
    missing_runs=4,
)


def a_row(number: int, **fields: Value) -> Record:
    """Return an ordinary record; its texts differ from those of most others."""
    key = f"2020{number % 12 + 1:02}01-1-A-{number}"
    usual: dict[str, Value] = {
        "reg_no": key,
        "company": f"{_word(number % 97)}제약(주)",
        "makers": (f"Maker {_latin(number % 193)} Ltd.",),
        "country": COUNTRIES[number % 3],
        "first_on": str(date(2020, 1, 1) + timedelta(days=number % 900)),
        "changed_on": str(date(2023, 1, 1) + timedelta(days=number % 400)) if number % 2 else "",
        "year": "2025",
        "status": "정상",
        "document": f"v0.{number % 5}.0/2025",
    }
    return Record(
        key, usual | fields, source=f"page-{number // 100}", url="/list", row_no=number % 100 + 1
    )


def _word(number: int) -> str:
    return chr(ord("가") + 28 * number) + chr(ord("나") + number)


def _latin(number: int) -> str:
    return chr(ord("A") + number % 26) + chr(ord("a") + number // 26)


def rows(n_rows: int = 3_000) -> list[Record]:
    """Return so many ordinary records."""
    return [a_row(number) for number in range(n_rows)]


def changed(record: Record, **fields: Value) -> Record:
    """Return a record with other values."""
    return replace(record, fields={**record.fields, **fields})


def evidence(before: Sequence[Record], after: Sequence[Record], **other: Any) -> Evidence:
    """Return what the gates look at when one list follows another."""
    known = {each.key: KnownRecord(each.key, each.fields, is_current=True) for each in before}
    known |= other.pop("known", {})
    snapshot = Snapshot(
        {each.key: each for each in after},
        len(after),
        1,
        delivered={Delivery("reg_no", 0, "header_text 등록번호"): len(after)},
    )
    usual: dict[str, Any] = {
        "snapshot": snapshot,
        "change_set": diff_snapshot(known, snapshot, day=TODAY, rules=RULES),
        "known": known,
        "number_field": "reg_no",
        "number_label": "등록번호",
        "number_pattern": re.compile(r"\d{8}-\d-A-\d+"),
        "status_field": "status",
        "status_words": frozenset({"정상", "취하", "취소"}),
        "min_rows": 1,
        "rules": (),
        "labels": {column.field: column.label_ko for column in COLUMNS},
        "deliveries_before": {},
        "day": TODAY,
        "columns": COLUMNS,
        "country_field": "country",
    }
    return Evidence(**usual | other)


def tally_of(given: Evidence, limits: GateLimits = LIMITS) -> Tally:
    """Return what a read brings."""
    return count_day(given, KnownValues(given.known, given.columns), limits)


def past(
    counts: Mapping[tuple[str, str], Sequence[int]], *, held: Sequence[int] = (), gap: int = 1
) -> Past:
    """Return accepted days with these daily counts, the last one `gap` days before today.

    Args:
        counts: Field id (or `row`) and name of a count → one number a day, oldest first.
        held: Indexes of days that a person let pass.
        gap: Days since the last of them.
    """
    n_days = max((len(each) for each in counts.values()), default=0)
    return Past(
        tuple(
            PastDay(
                TODAY - timedelta(days=gap + n_days - 1 - index),
                _features(counts, index),
                index in held,
            )
            for index in range(n_days)
        )
    )


def _features(
    counts: Mapping[tuple[str, str], Sequence[int]], index: int
) -> dict[str, dict[str, float]]:
    features: dict[str, dict[str, float]] = {ROW: {}}
    for (of, name), numbers in counts.items():
        features.setdefault(of, {})[name] = numbers[index]
    return features


def tail_of_sum(counts: Sequence[int], n_days: int, least: int) -> float:
    """Return the chance that so many days together bring at least `least`, term from term.

    Of the negative binomial with the counts' mean and variance, of Poisson's distribution where
    they vary no more than their mean.
    """
    mean = n_days * sum(counts) / len(counts)
    if mean == 0:
        return float(least <= 0)
    variance = n_days * statistics.variance(counts)
    size = mean * mean / (variance - mean) if variance > mean else math.inf
    share = mean / (size + mean)  # 0 for Poisson
    chance = math.exp(-mean) if size == math.inf else (1 - share) ** size
    below = []
    for k in range(least):
        below.append(chance)
        chance *= mean / (k + 1) if size == math.inf else share * (k + size) / (k + 1)
    return 1 - math.fsum(below)
