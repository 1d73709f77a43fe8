"""Dates that are other dates, or written otherwise."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Unit
from dmf_crawler.workbench.perturb.rows import (
    DATES,
    FEW_AND_PAGE,
    ROW_COUNTS,
    of_cells,
    one_of,
)

_EPOCH = date(1970, 1, 1)


def _of_days(change: Callable[[date], str], fields: tuple[str, ...] = DATES) -> Damage:
    """Return a damage of cells that hold a day."""

    def write(value: Value, _row: Fields, _rng: random.Random) -> Value:
        try:
            return change(date.fromisoformat(str(value)))
        except ValueError:
            return value

    return of_cells(one_of(fields), write)


def _swap_day_and_month(day: date) -> str:
    return f"{day.year}-{day.day:02d}-{day.month:02d}" if day.day != day.month else str(day)


def _change_digit(value: Value, _row: Fields, rng: random.Random) -> Value:
    """Change one digit so that it is still a day."""
    text = str(value)
    for _ in range(20):
        at = rng.choice((3, 6, 8, 9))
        changed = text[:at] + rng.choice("0123456789") + text[at + 1 :]
        try:
            date.fromisoformat(changed)
        except ValueError:
            continue
        if changed != text and changed[:4] <= "2026":
            return changed
    return value


def _dates(
    name: str, damage: Damage, symptom: str, usual: tuple[float, ...] = FEW_AND_PAGE
) -> Breakage:
    return Breakage(
        name, Family.DATES, Layer.OVERLAP, damage, symptom, Unit.ROWS, ROW_COUNTS, usual
    )


_FIXED = ("registered_on",)
_MOVING = ("changed_on", "withdrawn_on")

BREAKAGES = (
    _dates(
        "digit_of_first_date_changed",
        of_cells(one_of(_FIXED), _change_digit),
        "최초등록일자의 숫자 하나가 다르다.",
    ),
    _dates(
        "digit_of_other_dates_changed",
        of_cells(one_of(_MOVING), _change_digit),
        "변경일자나 취하일자의 숫자 하나가 다르다.",
    ),
    _dates(
        "dates_a_day_early",
        _of_days(lambda day: str(day - timedelta(days=1))),
        "날짜가 하루 이르다(시간대가 잘못되었다).",
        (100, 1.0),
    ),
    _dates(
        "dates_a_day_late",
        _of_days(lambda day: str(day + timedelta(days=1)), _FIXED + _MOVING[:1]),
        "날짜가 하루 늦다.",
        (100, 1.0),
    ),
    _dates(
        "dates_of_this_century",
        _of_days(lambda day: f"{day:%y-%m-%d}"),
        "연도가 두 자리다.",
        (20, 1.0),
    ),
    _dates(
        "dates_without_separators",
        _of_days(lambda day: f"{day:%Y%m%d}"),
        "날짜에 구분 기호가 없다.",
        (20, 1.0),
    ),
    _dates(
        "dates_with_dots", _of_days(lambda day: f"{day:%Y.%m.%d}"), "날짜가 점으로 나뉘어 있다."
    ),
    _dates(
        "dates_in_words",
        _of_days(lambda day: f"{day.year}년 {day.month}월 {day.day}일"),
        "날짜가 '2026년 1월 2일'처럼 적혀 있다.",
    ),
    _dates("days_and_months_exchanged", _of_days(_swap_day_and_month), "월과 일이 뒤바뀌어 있다."),
    _dates("dates_with_time", _of_days(lambda day: f"{day} 00:00:00"), "날짜에 시각이 붙어 있다."),
    _dates(
        "dates_as_serial_numbers",
        _of_days(lambda day: str((day - date(1899, 12, 30)).days)),
        "날짜가 Excel의 일련번호다.",
    ),
    _dates(
        "dates_as_milliseconds",
        _of_days(lambda day: str((day - _EPOCH).days * 86_400_000)),
        "날짜가 긴 숫자다.",
    ),
    _dates("dates_cut_to_the_month", _of_days(lambda day: f"{day:%Y-%m}"), "날짜에 일이 없다."),
    _dates(
        "dates_of_the_epoch", _of_days(lambda _day: "1970-01-01"), "날짜가 모두 1970-01-01이다."
    ),
    _dates(
        "dates_a_year_late",
        _of_days(lambda day: f"{day.year + 1}{str(day)[4:]}", _MOVING),
        "연도가 하나 크다.",
    ),
)
