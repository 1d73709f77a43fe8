"""Which days the office works: Monday to Friday without Korean public holidays."""

from __future__ import annotations

from datetime import date, timedelta

# 관공서의 공휴일에 관한 규정 and 공휴일에 관한 법률 as amended in 2026 (1 May and 17 July became
# public holidays), substitute days included; lunar days by the almanac of 한국천문연구원. Only
# days from Monday to Friday are listed.
KOREAN_HOLIDAYS = frozenset(
    date.fromisoformat(day)
    for day in (
        "2026-01-01",  # 신정
        "2026-02-16",  # 설날
        "2026-02-17",
        "2026-02-18",
        "2026-03-02",  # 3·1절, substitute
        "2026-05-01",  # 노동절
        "2026-05-05",  # 어린이날
        "2026-05-25",  # 부처님오신날, substitute
        "2026-06-03",  # 지방선거
        "2026-07-17",  # 제헌절
        "2026-08-17",  # 광복절, substitute
        "2026-09-24",  # 추석
        "2026-09-25",
        "2026-10-05",  # 개천절, substitute
        "2026-10-09",  # 한글날
        "2026-12-25",  # 기독탄신일
        "2027-01-01",  # 신정
        "2027-02-08",  # 설날
        "2027-02-09",  # 설날, substitute
        "2027-03-01",  # 3·1절
        "2027-05-03",  # 노동절, substitute
        "2027-05-05",  # 어린이날
        "2027-05-13",  # 부처님오신날
        "2027-07-19",  # 제헌절, substitute
        "2027-08-16",  # 광복절, substitute
        "2027-09-14",  # 추석
        "2027-09-15",
        "2027-09-16",
        "2027-10-04",  # 개천절, substitute
        "2027-10-11",  # 한글날, substitute
        "2027-12-27",  # 기독탄신일, substitute
    )
)
"""Public holidays of 2026 and 2027; other years have weekends alone."""

ONE_DAY = timedelta(days=1)


def is_working_day(day: date) -> bool:
    """Return whether the office is open."""
    return day.weekday() < 5 and day not in KOREAN_HOLIDAYS


def list_working_days(first: date, last: date) -> list[date]:
    """Return the working days from `first` to `last`, both included, in order."""
    n_days = (last - first).days + 1
    days = (first + timedelta(days=offset) for offset in range(n_days))
    return [day for day in days if is_working_day(day)]
