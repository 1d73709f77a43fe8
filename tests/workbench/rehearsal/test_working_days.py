from datetime import date

import pytest

from dmf_crawler.workbench.rehearsal.working_days import (
    KOREAN_HOLIDAYS,
    is_working_day,
    list_working_days,
)


@pytest.mark.parametrize(
    ("day", "works"),
    [
        ("2026-11-30", True),
        ("2026-12-05", False),  # Saturday
        ("2026-12-06", False),  # Sunday
        ("2026-12-25", False),  # 기독탄신일
        ("2027-02-09", False),  # substitute for 설날
        ("2027-06-07", True),  # 현충일 has no substitute
    ],
)
def test_weekends_and_holidays_are_days_off(day, works):
    assert is_working_day(date.fromisoformat(day)) is works


def test_the_holiday_table_names_weekdays_of_both_years():
    assert {day.year for day in KOREAN_HOLIDAYS} == {2026, 2027}
    assert all(day.weekday() < 5 for day in KOREAN_HOLIDAYS)


def test_working_days_are_listed_from_first_to_last():
    days = list_working_days(date(2026, 12, 24), date(2026, 12, 28))
    assert days == [date(2026, 12, 24), date(2026, 12, 28)]
    assert list_working_days(date(2026, 12, 28), date(2026, 12, 24)) == []
