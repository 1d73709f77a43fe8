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


# --- each kind of rule, from the selectors file to the gate -----------------------------------

FILE = "selectors/dmf_registry.yaml"
NO_RULES = "    header_aliases: [문서번호]\n    kind: exact\n"
LABEL = "문서번호"


@pytest.fixture(scope="module")
def rehearsal_site():
    with RehearsalSite(ROWS) as site:
        yield site


def with_numbers(*texts: str, last: str | None = None) -> Sequence[ListRow]:
    """The list, its document numbers taking turns; `{n}` is the number of the row."""
    rows = [
        replace(row, document_no=texts[n % len(texts)].format(n=n)) for n, row in enumerate(ROWS)
    ]
    if last is not None:
        rows[-1] = replace(rows[-1], document_no=last)
    return rows


def judge_numbers(
    site: RehearsalSite, home: RehearsalHome, rows: Sequence[ListRow], rule: str
) -> dict[str, dict[str, Any]]:
    """The gates of a first run over these rows, the document number under a rule of its own."""
    home.edit(FILE, NO_RULES, f"{NO_RULES}    validate: {{{rule}}}\n")
    site.rows = rows
    return {gate["code"]: gate for gate in home.run("2026-11-30")["gates"]}


@pytest.mark.parametrize(
    ("rule", "right", "wrong", "why"),
    [
        pytest.param(r"pattern: 'v\d+'", ["v{n}"], "v1a", "형식", id="pattern"),
        pytest.param("enum: [신규, 변경]", ["신규", "변경"], "폐기", "정해진 값", id="enum"),
        pytest.param(
            'date_formats: ["%Y-%m-%d", "%Y.%m.%d"]', ["2026-01-05", "2026.12.31"], "2026/01/05",
            "날짜", id="date formats",
        ),
        pytest.param(
            'date_formats: ["%Y-%m-%d"]', ["2026-01-05"], "2026-02-30", "날짜", id="days"
        ),
        pytest.param("min_length: 3", ["가나다", "가나다라"], "가나", "길이", id="min length"),
        pytest.param("max_length: 3", ["가나다", "가나"], "가나다라", "길이", id="max length"),
        pytest.param("unique: true", ["v{n}"], "v58", "중복", id="unique"),
    ],
)  # fmt: skip
def test_a_rule_of_the_file_is_held_against_every_value(
    rule, right, wrong, why, rehearsal_site, tmp_path
):
    for is_odd, rows in enumerate([with_numbers(*right), with_numbers(*right, last=wrong)]):
        home = new_home(tmp_path / str(is_odd), rehearsal_site.base_url)

        gate = judge_numbers(rehearsal_site, home, rows, rule)["G-4"]

        n_odd = 2 if why == "중복" else 1  # the other one of two equals, too
        assert gate["outcome"] == ("warn" if is_odd else "pass")
        assert (f"{LABEL} 값 {n_odd}건이" in gate["message"]) == bool(is_odd)
        assert (f"'{wrong}'({ROWS[-1].reg_no}, {why})" in gate["message"]) == bool(is_odd)


@pytest.mark.parametrize("rule", ["required: true", "required: false", ""])
def test_an_empty_value_is_told_where_the_file_requires_one(rule, rehearsal_site, tmp_path):
    home = new_home(tmp_path / "home", rehearsal_site.base_url)

    gates = judge_numbers(rehearsal_site, home, with_numbers("v{n}", last=""), rule)

    is_told = rule == "required: true"
    assert gates["G-3"]["outcome"] == ("warn" if is_told else "pass")
    assert (f"필수 항목 {LABEL}이(가) 1건 비어 있습니다" in gates["G-3"]["message"]) == is_told
    assert gates["G-4"]["outcome"] == "pass"


def test_the_pattern_of_the_number_and_the_words_of_the_status_are_those_of_the_file(
    rehearsal_site, tmp_path
):
    home = new_home(tmp_path / "home", rehearsal_site.base_url)
    home.edit(FILE, "pattern: '^(?:", "pattern: '^(?!.*-)(?:")
    rehearsal_site.rows = ROWS

    run = home.run("2026-11-30")

    assert (run["status"], run["error"]["code"]) == ("REJECTED", "other_register")

    home = new_home(tmp_path / "other", rehearsal_site.base_url)
    home.edit(FILE, 'enum: ["정상", "취하", "취소", "말소"]', 'enum: ["취하", "취소", "말소"]')

    run = home.run("2026-11-30")

    assert (run["status"], run["error"]["code"]) == ("HELD", "unknown_status")
    assert "'정상'" in gate_4(run)["message"]
