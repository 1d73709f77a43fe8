"""Does a text belong into its column, by what the last accepted list holds there?"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from dmf_crawler.judge.evidence import JudgedColumn
from dmf_crawler.judge.known_values import KnownValues, elements_of, shape_of
from dmf_crawler.model.change import FieldChange
from dmf_crawler.settings import GateLimits

_RESIDUE = re.compile(
    r"&(?:[A-Za-z]{2,8}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});|</?[A-Za-z][^<>]*>|<!--|\ufffd"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
"""Markup, entities, characters that a wrong charset leaves."""


def is_odd(
    text: str, field: str, values: KnownValues, limits: GateLimits, *, before: str = ""
) -> bool:
    """Say whether a text does not belong into a column.

    It has markup or broken characters that the text before had not; it is the text before, cut
    short; it stands in another column and never in this one; or the column has few shapes, and
    this is a new one.
    """
    if not text:
        return False
    if has_residue(text) and not has_residue(before):
        return True
    own = values.column(field)
    if text in own.values:
        return False
    if before.startswith(text) or values.find_other(text, field) is not None:
        return True
    return own.has_few_shapes(limits.closed_ratio) and shape_of(text) not in own.shapes


def is_repeated(text: str, change: FieldChange) -> bool:
    """Say whether a nested value has a text more often than before, and had it then."""
    before, after = elements_of(change.before), elements_of(change.after)
    return bool(text) and 0 < before.count(text) < after.count(text)


def is_possible_day(text: str, column: JudgedColumn, today: date, limits: GateLimits) -> bool:
    """Say whether a text is a day of the calendar, neither too old nor later than tomorrow."""
    for date_format in column.date_formats or ("%Y-%m-%d",):
        try:
            day = datetime.strptime(text, date_format).date()  # noqa: DTZ007
        except ValueError:
            continue
        return limits.oldest_year <= day.year and day <= today + timedelta(days=1)
    return False


def has_residue(text: str) -> bool:
    """Say whether a text has markup, an entity, or a character that a wrong charset leaves."""
    return _RESIDUE.search(text) is not None
