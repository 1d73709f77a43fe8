"""Numbers of a workbook's cells → text, and days where the cell's format shows one.

A number is written as people read it: without a fraction that is none, with at most 15 digits where
it has one. Formats are those of ECMA-376, part 1, 18.8.30 and 18.8.31.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Context, Decimal
from typing import Literal

FormatKind = Literal["number", "day", "moment", "part"]
"""What a format shows: a number; a day; a day and a time; a part of these (a year, a time)."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?")
_MOST_DIGITS = 30
_EXCEL_DIGITS = Context(prec=15)
_SECONDS_A_DAY = 86_400
_LAST_SERIAL = 2_958_465
"""9999-12-31."""

_LEAP_DAY_1900 = 60
"""A day that Excel has and the calendar has not."""

_LITERAL = re.compile(r'"[^"]*(?:"|\Z)|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*(?:\]|\Z)', re.IGNORECASE)
_N_FORMAT_CHARS = 255
_KINDS: dict[int, FormatKind] = {
    **dict.fromkeys((14, 15, 27, 30, 31, 34, 35, 36, 50, 55, 56, 57, 58), "day"),
    22: "moment",
    **dict.fromkeys((16, 17, 18, 19, 20, 21, 28, 29, 32, 33, 45, 46, 47), "part"),
    **dict.fromkeys((51, 52, 53, 54), "part"),
}
"""Formats without a code of their own, those of Korean Excel from 27 on."""


def read_number(text: str) -> str | None:
    """Return a number as people write it, None where it is none or absurdly large."""
    number = _parse(text)
    if number is None:
        return None
    if number == number.to_integral_value():
        return f"{number.to_integral_value():f}" if number else "0"
    return f"{_EXCEL_DIGITS.create_decimal(number).normalize():f}"


def read_day(text: str, kind: FormatKind, *, is_from_1904: bool) -> str | None:
    """Return a serial number's day as `YYYY-MM-DD`, None where it is no day.

    Args:
        text: The serial number.
        kind: `day`, or `moment`: then a time that is not midnight stands behind the day.
        is_from_1904: Whether the workbook counts from 1904-01-01.
    """
    number = _parse(text)
    if number is None or not 0 <= number < _LAST_SERIAL + 1:
        return None
    serial, fraction = divmod(number, 1)
    day = _day_of(int(serial), is_from_1904=is_from_1904)
    seconds = round(fraction * _SECONDS_A_DAY) if kind == "moment" else 0
    if day is None or seconds == _SECONDS_A_DAY:
        return None
    time = f" {timedelta(seconds=seconds)!s:0>8}" if seconds else ""
    return f"{day.isoformat()}{time}"


def read_format(number: int, code: str | None) -> FormatKind:
    """Return what a number format shows: by its own code, else by its number."""
    if code is None:
        return _KINDS.get(number, "number")
    letters = _LITERAL.sub("", code[:_N_FORMAT_CHARS]).partition(";")[0].lower()
    if letters == "general" or not any(letter in letters for letter in "ymdhs"):
        return "number"
    if not ("y" in letters and "d" in letters):
        return "part"
    return "moment" if "h" in letters else "day"


def _parse(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if not number or abs(number.adjusted()) < _MOST_DIGITS else None


def _day_of(serial: int, *, is_from_1904: bool) -> date | None:
    if is_from_1904:
        return _count_from(date(1904, 1, 1), serial)
    if serial in {0, _LEAP_DAY_1900}:
        return None
    return _count_from(date(1899, 12, 31 if serial < _LEAP_DAY_1900 else 30), serial)


def _count_from(start: date, n_days: int) -> date | None:
    is_in_calendar = n_days <= (date.max - start).days
    return start + timedelta(n_days) if is_in_calendar else None
