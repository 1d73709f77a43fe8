"""The two rules that the gates are measured against do what they are said to do."""

from __future__ import annotations

import random
import re

from dmf_crawler.model.record import Fields
from dmf_crawler.workbench.rivals import LEAST_DAYS, DraftedRule, ItemCount

PATTERNS = {"reg_no": re.compile(r"^\d{4}$")}


def _page(n_rows: int = 200, seed: int = 1, **fields: str) -> list[Fields]:
    rng = random.Random(seed)
    return [
        {
            "reg_no": f"{1000 + i}",
            "company": f"회사{rng.randint(1, 40)}",
            "makers": (f"공장 {rng.randint(1, 99)}",),
            "status": "정상",
            **fields,
        }
        for i in range(n_rows)
    ]


def _taught(n_days: int = LEAST_DAYS) -> DraftedRule:
    rule = DraftedRule(PATTERNS, ["reg_no", "company"], "status", frozenset({"취하"}))
    for day in range(n_days):
        rule.learn([_page(seed=day)])
    return rule


def test_the_draft_passes_days_like_those_before():
    assert _taught().alarms([_page(seed=99)]) == ()


def test_the_draft_sees_a_column_whose_texts_are_other_ones():
    assert "G-9" in _taught().alarms([_page(company="아주 긴 다른 글 " * 20)])


def test_the_draft_says_nothing_of_columns_before_a_week_is_known():
    page = [_page(company="아주 긴 다른 글 " * 20)]
    assert _taught(LEAST_DAYS - 1).alarms(page) == ()


def test_the_draft_counts_rows_required_cells_numbers_and_withdrawals():
    rule = _taught()
    assert "G-2" in rule.alarms([_page(139)])
    assert "G-3" in rule.alarms([_page(company="")])
    assert "G-4" in rule.alarms([_page(reg_no="없음")])
    assert "G-5" in rule.alarms([_page(status="취하")])
    assert "G-5" not in rule.alarms([_page(181)])
    assert "G-5" in rule.alarms([_page(179)])


def test_the_draft_looks_at_the_rows_of_every_page_but_the_last():
    rule = _taught()
    page = _page()
    assert rule.alarms([page[:195], page[195:]]) == ()
    assert rule.alarms([page[:5], page[5:]]) == ("G-1",)
    assert rule.alarms([]) == ("G-1",)


def test_items_are_counted_against_the_run_before():
    monitor = ItemCount()
    monitor.learn([_page(200)])
    assert monitor.alarms([_page(180)]) == ()
    assert monitor.alarms([_page(179)]) == ("item count",)
    monitor.learn([_page(100)])
    assert monitor.alarms([_page(100)]) == ()


def test_a_field_that_all_items_had_is_expected_in_all_of_them():
    monitor = ItemCount()
    first = _page(200)
    first[:50] = [{**row, "makers": ()} for row in first[:50]]
    monitor.learn([first])
    page = _page(200)
    page[0] = {**page[0], "company": ""}
    assert monitor.alarms([page]) == ("field coverage",)
    page = _page(200)
    page[:64] = [{**row, "makers": ()} for row in page[:64]]
    assert monitor.alarms([page]) == ()
    page[:66] = [{**row, "makers": ()} for row in page[:66]]
    assert monitor.alarms([page]) == ("field coverage",)


def test_a_user_lowers_what_a_right_day_does_not_reach():
    monitor = ItemCount()
    monitor.learn([_page(200)])
    page = _page(200)
    page[0] = {**page[0], "company": ""}
    monitor.learn([page])
    assert monitor.alarms([page]) == ()
    page[:30] = [{**row, "company": ""} for row in page[:30]]
    assert monitor.alarms([page]) == ("field coverage",)
