"""Values that break the rules of the selectors file: recorded, told once, held where many do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from dmf_crawler.config import load_home
from dmf_crawler.judge.evidence import ValueRule
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome, new_home

ROWS = Life(n_rows=60).rows


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        first = home.run("2026-11-30")
        assert (first["status"], gate_4(first)["outcome"]) == ("OK", "pass")
        yield site, home


def gate_4(run: dict[str, Any]) -> dict[str, Any]:
    (gate,) = (gate for gate in run["gates"] if gate["code"] == "G-4")
    return dict(gate)


def with_days(n_odd: int, day: str = "2026-02-30") -> Sequence[ListRow]:
    return tuple(replace(row, changed_on=day) for row in ROWS[:n_odd]) + tuple(ROWS[n_odd:])


def recorded_days(home: RehearsalHome, row: ListRow) -> list[str]:
    return [
        day
        for (day,) in home.rows(
            "SELECT json_extract(payload_json, '$.changed_on') FROM dmf_record"
            f" WHERE natural_key = '{row.reg_no}' ORDER BY sk"
        )
    ]


def test_a_day_that_the_calendar_does_not_have_is_recorded_and_told_once(stage):
    site, home = stage
    site.rows = with_days(2)

    told, quiet = home.run("2026-12-01"), home.run("2026-12-02")

    assert (told["status"], told["counts"]["MODIFIED"]) == ("OK", 2)
    assert gate_4(told)["outcome"] == "warn"
    assert "최종변경일자 값 2건이" in gate_4(told)["message"]
    assert f"'2026-02-30'({ROWS[0].reg_no}, 날짜)" in gate_4(told)["message"]
    assert gate_4(quiet)["outcome"] == "pass"
    assert recorded_days(home, ROWS[0])[-1] == "2026-02-30"


def test_many_of_them_are_held_and_accepted_they_are_known(stage):
    site, home = stage
    site.rows = with_days(4)

    held = home.run("2026-12-01")

    assert (held["status"], held["error"]["code"]) == ("HELD", "invalid_values")
    assert gate_4(held)["observed"] == 4 / 60
    home.edit("config/settings.yaml", "invalid_ratio: 0.05", "invalid_ratio: 0.10")
    words = ("--apply", "--now", "2026-12-01T09:00:00+09:00")
    assert home.command("reparse", "--run", held["run_id"], *words)[0] == 0
    home.edit("config/settings.yaml", "invalid_ratio: 0.10", "invalid_ratio: 0.05")
    assert gate_4(home.run("2026-12-02"))["outcome"] == "pass"


def test_the_shipped_file_has_rules_for_all_but_the_numbers_pattern_and_the_statuses(stage):
    _, home = stage
    loaded = load_home(home.root)
    with Store(loaded.database) as store:
        rules = {
            rule.field: rule for rule in open_watch(loaded, loaded.boards[0], store).value_rules
        }

    days = ("%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d")
    assert rules["reg_no"] == ValueRule("reg_no", "등록번호", min_length=7, max_length=40)
    assert rules["changed_on"] == ValueRule("changed_on", "최종변경일자", date_formats=days)
    assert rules["report_year"].pattern is not None
    assert rules.keys() == {
        *("reg_no", "ingredient_name", "company", "registered_on", "changed_on"),
        *("report_year", "withdrawn_on"),
    }
