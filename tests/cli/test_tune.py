from __future__ import annotations

from pathlib import Path

from dmf_crawler.config import load_home
from dmf_crawler.persist.store import Store
from tests.cli.asking import at, say

NAMES = [
    "change_rate_prior", "rows_change_ratio", "new_rows", "gone_ratio", "withdrawn",
    "profile_factor", "simhash_k", "min_delay_s", "requests_per_day", "raw_days",
]  # fmt: skip


def test_each_parameter_is_told_with_what_two_days_saw(lived_home: Path):
    answer = at(lived_home, "tune").json

    assert answer["exit_code"] == 0
    (board,) = answer["boards"]
    assert (board["board"], board["n_days"]) == ("dmf_registry", 2)
    told = {each["name"]: each for each in board["parameters"]}
    assert [*told] == NAMES
    assert told["requests_per_day"]["now"] == "500"
    assert told["requests_per_day"]["seen"]["n"] == 2
    assert told["requests_per_day"]["seen"]["min"] >= 3
    assert told["min_delay_s"]["seen"]["min"] > 0
    assert told["raw_days"]["seen"]["median"] > 100
    assert told["new_rows"]["seen"]["n"] == 1  # the baseline is no measure of a day
    assert told["simhash_k"] == {
        "name": "simhash_k", "key": "", "now": "", "seen": None, "holds": 0, "proposed": "",
        "reason": told["simhash_k"]["reason"],
    }  # fmt: skip
    assert {each["holds"] for each in told.values()} == {0}
    assert answer["review"] == []


def test_a_person_is_told_the_same_and_that_thirty_days_are_not_over(lived_home: Path):
    text = say(lived_home, "tune", "--board", "dmf_registry").out

    assert "채택한 날 2일" in text
    assert "30일이 되기 전이라" in text
    for key in ("gates.rows_change_ratio", "gates.gone_ratio", "budget.requests_per_day"):
        assert f"[{key}]" in text
    assert "다시 검토할 설계 결정: 없습니다." in text


def test_a_home_without_history_says_so(empty_home: Path):
    assert at(empty_home, "tune").error_code == "no_history"


def test_a_board_that_is_not_there_is_named(lived_home: Path):
    assert at(lived_home, "tune", "--board", "nothing").error_code == "no_such_board"


def test_a_history_without_a_run_says_so(empty_home: Path):
    with Store(load_home(empty_home).database):
        pass

    assert at(empty_home, "tune").error_code == "nothing_accepted"
