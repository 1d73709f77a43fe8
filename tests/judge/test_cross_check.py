"""G-13: what another source says of the list, told and nothing more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dmf_crawler.judge.cross_check import (
    Checked,
    Comparison,
    KnownDifference,
    compare_sources,
    judge_cross_checks,
)
from dmf_crawler.judge.gates import decide
from dmf_crawler.model.record import Record, Snapshot, Value
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome

LABELS = {"company": "신청인", "makers": "제조소명"}
WITHDRAWN = frozenset({"취하", "취소"})
SAME = KnownDifference("status", WITHDRAWN, lists_withdrawn=True)
LIVE_ONLY = replace(SAME, lists_withdrawn=False)


def a_list(*records: Record) -> Snapshot:
    return Snapshot({each.key: each for each in records}, len(records), 1)


def a_record(key: str, **fields: Value) -> Record:
    usual: dict[str, Value] = {"company": "가나제약", "makers": ("Bayer AG",), "status": "정상"}
    return Record(key, usual | fields)


def compare_values(field: str, here: Value, there: Value) -> Comparison:
    first, second = (a_list(a_record("A", **{field: value})) for value in (here, there))
    return compare_sources(first, second, SAME)


def judge(**checks: Checked) -> Gate:
    return judge_cross_checks(checks, LABELS)


def test_the_same_list_in_another_order_is_the_same():
    here, there = a_list(a_record("A"), a_record("B")), a_list(a_record("B"), a_record("A"))
    assert compare_sources(here, there, SAME) == Comparison(2)


@pytest.mark.parametrize(
    ("field", "here", "there"),
    [
        ("company", "가나 제약", "가나\r\n제약 "),
        ("makers", ("Bayer AG", "Roche, Inc"), ("Bayer AG,Roche, Inc",)),
        ("makers", ("Bayer AG ", "Roche"), ("BayerAG", "Roche")),
        ("makers", (), ("",)),
    ],
)
def test_white_space_and_joined_values_are_no_difference(field, here, there):
    assert compare_values(field, here, there).n_keys == 0


@pytest.mark.parametrize(
    ("field", "here", "there"),
    [
        ("company", "가나제약", "가나약품"),
        ("company", "A,B", "AB"),
        ("makers", ("Bayer AG", "Roche"), ("Roche", "Bayer AG")),
        ("makers", ("Bayer AG",), ()),
    ],
)
def test_anything_else_is_a_difference_with_both_values(field, here, there):
    assert compare_values(field, here, there).differing == {"A": ((field, here, there),)}


def test_columns_that_one_source_lacks_are_not_compared():
    here = a_list(a_record("A"))
    there = a_list(Record("A", {"company": "가나제약"}))
    assert compare_sources(here, there, SAME).n_keys == 0
    assert compare_sources(there, here, SAME).n_keys == 0


@pytest.mark.parametrize("status", ["취하", "취소", " 취하 "])
def test_withdrawn_records_that_a_source_cannot_list_are_left_out(status):
    here, there = a_list(a_record("A"), a_record("B", status=status)), a_list(a_record("A"))
    assert compare_sources(here, there, LIVE_ONLY).n_keys == 0
    assert compare_sources(there, here, LIVE_ONLY).n_keys == 0
    assert compare_sources(here, there, SAME).only_here == ("B",)


def test_keys_that_one_list_lacks_are_told_of_each():
    found = compare_sources(a_list(a_record("A")), a_list(a_record("B"), a_record("C")), LIVE_ONLY)
    assert (found.n_compared, found.only_here, found.only_there) == (0, ("A",), ("B", "C"))
    assert found.n_keys == 3


# --- the gate ------------------------------------------------------------------------------------


def test_without_a_cross_check_there_is_no_number():
    gate = judge()
    assert (gate.code, gate.outcome, gate.observed) == ("G-13", Outcome.PASS, None)
    assert "설정되어 있지 않습니다" in gate.message


def test_a_list_that_agrees_passes():
    gate = judge(openapi=Comparison(9_150))
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, 0, 0)
    assert "9,150건" in gate.message


def test_differences_warn_with_three_examples_of_all_kinds():
    values = (("company", "가나제약", "가나약품"),)
    found = Comparison(9, ("H1", "H2"), ("T1",), {f"D{number}": values for number in range(4)})
    gate = judge(openapi=found)
    assert (gate.outcome, gate.observed) == (Outcome.WARN, 7)
    assert gate.message == (
        "openapi: 함께 있는 9건 가운데 4건의 값이 다르고, 이 목록에만 2건, openapi에만 1건이 "
        "있습니다. 예: D0 신청인 '가나제약' / '가나약품'; H1 이 목록에만; T1 다른 쪽에만. 기록은 "
        "이 목록대로 했습니다. 사이트에서 확인해 주십시오."
    )


def test_a_long_or_broken_value_is_shown_short_and_on_one_line():
    found = Comparison(1, differing={"D": (("makers", ("가" * 90,), ("a\n=cmd()", "b")),)})
    message = judge(export=found).message
    assert f"D 제조소명 '{'가' * 40}…' / 'a =cmd() | b'" in message
    assert "\n" not in message


def test_a_source_that_could_not_be_read_warns_with_its_fault_and_no_number():
    gate = judge(openapi=Fault("api_quota", "횟수를 모두 썼습니다.", 6))
    assert (gate.outcome, gate.observed) == (Outcome.WARN, None)
    assert "[api_quota] 횟수를 모두 썼습니다." in gate.message


def test_of_two_sources_each_has_its_sentence():
    gate = judge(export=Comparison(5), openapi=Fault("timeout", "늦었습니다.", 6))
    assert (gate.outcome, gate.observed) == (Outcome.WARN, 0)
    assert gate.message.startswith("export: 함께 있는 5건의")
    assert "openapi: 읽지 못해" in gate.message


def test_a_source_that_was_not_asked_for_is_no_warning():
    gate = judge(openapi=None)
    assert (gate.outcome, gate.observed) == (Outcome.PASS, None)


def test_whatever_it_sees_it_decides_nothing():
    gates = [
        judge(openapi=Comparison(0, tuple(map(str, range(10_000))))),
        judge(openapi=Fault("race", "바뀌었습니다.", 4)),
    ]
    assert decide(gates) is RunStatus.OK
