"""G-13: another source must say the same, but for what is known to differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dmf_crawler.boards import CrossCheckRules
from dmf_crawler.judge.cross_check import (
    Checked,
    Comparison,
    KnownDifferences,
    compare_sources,
    judge_cross_checks,
)
from dmf_crawler.judge.gates import decide
from dmf_crawler.model.difference import Difference
from dmf_crawler.model.record import Record, Snapshot, Value
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome

LABELS = {"company": "신청인", "makers": "제조소명"}
WITHDRAWN = frozenset({"취하", "취소"})
NOTHING_KNOWN = KnownDifferences("status", WITHDRAWN, lists_withdrawn=True)
LIVE_ONLY = replace(NOTHING_KNOWN, lists_withdrawn=False)
ANY_ORDER = replace(NOTHING_KNOWN, any_order=True)
RENAMED = Difference("A", "company", "가나제약", "가나약품")


def a_list(*records: Record) -> Snapshot:
    return Snapshot({each.key: each for each in records}, len(records), 1)


def a_record(key: str, **fields: Value) -> Record:
    usual: dict[str, Value] = {"company": "가나제약", "makers": ("Bayer AG",), "status": "정상"}
    return Record(key, usual | fields, source=f"page-{key}", url=f"https://site/{key}", row_no=7)


def compare_values(
    field: str, here: Value, there: Value, known: KnownDifferences = NOTHING_KNOWN
) -> Comparison:
    first, second = (a_list(a_record("A", **{field: value})) for value in (here, there))
    return compare_sources(first, second, known)


def some(n: int, *, name: str = "D", field: str = "company") -> tuple[Difference, ...]:
    return tuple(Difference(f"{name}{i}", field, f"가{i}", f"나{i}") for i in range(n))


def found(*new: Difference, **others: Any) -> Comparison:
    places = {each.key: a_record(each.key) for each in new}
    return Comparison(9, new, places=places, **others)


def judge(rules: CrossCheckRules | None = None, /, **checks: Checked) -> Gate:
    return judge_cross_checks(checks, rules or CrossCheckRules(), LABELS)


# --- comparing -----------------------------------------------------------------------------------


def test_the_same_list_in_another_order_is_the_same():
    here, there = a_list(a_record("A"), a_record("B")), a_list(a_record("B"), a_record("A"))
    assert compare_sources(here, there, NOTHING_KNOWN) == Comparison(2)


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
    assert compare_values(field, here, there) == Comparison(1)


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
    compared = compare_values(field, here, there)
    assert compared.new == (Difference("A", field, here, there),)
    assert (compared.known, compared.late) == ((), ())


def test_columns_that_one_source_lacks_are_not_compared():
    here = a_list(a_record("A"))
    there = a_list(Record("A", {"company": "가나제약"}))
    assert compare_sources(here, there, NOTHING_KNOWN).new == ()
    assert compare_sources(there, here, NOTHING_KNOWN).new == ()


@pytest.mark.parametrize("status", ["취하", "취소", " 취하 "])
def test_withdrawn_records_that_a_source_cannot_list_are_left_out(status):
    here, there = a_list(a_record("A"), a_record("B", status=status)), a_list(a_record("A"))
    assert compare_sources(here, there, LIVE_ONLY).new == ()
    assert compare_sources(there, here, LIVE_ONLY).new == ()
    assert compare_sources(here, there, NOTHING_KNOWN).new == (Difference("B", "", "B", None),)


def test_a_record_in_force_that_a_source_of_those_alone_lacks_is_a_difference():
    here, there = a_list(a_record("A"), a_record("B")), a_list(a_record("A"))
    assert compare_sources(here, there, LIVE_ONLY).new == (Difference("B", "", "B", None),)


def test_keys_that_one_list_lacks_are_told_of_each_with_the_page_that_has_them():
    compared = compare_sources(a_list(a_record("A")), a_list(a_record("B")), NOTHING_KNOWN)
    assert compared.new == (Difference("A", "", "A", None), Difference("B", "", None, "B"))
    assert compared.n_compared == 0
    assert {key: place.source for key, place in compared.places.items()} == {
        "A": "page-A",
        "B": "page-B",
    }


def test_of_a_record_that_both_have_the_page_of_the_list_is_shown():
    there = replace(a_record("A", company="가나약품"), source="answer of the open API")
    compared = compare_sources(a_list(a_record("A")), a_list(there), NOTHING_KNOWN)
    assert [place.source for place in compared.places.values()] == ["page-A"]


# --- what is known -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (("Bayer AG", "Roche"), ("Roche", "Bayer AG")),
        (("Bayer AG", "Roche, Inc"), ("Roche, Inc,Bayer AG",)),
        (("Bayer AG", "Roche"), ("Roche , BayerAG,",)),
    ],
)
def test_where_order_says_nothing_the_parts_are_compared(here, there):
    assert compare_values("makers", here, there, ANY_ORDER) == Comparison(1)
    assert compare_values("makers", there, here, ANY_ORDER) == Comparison(1)
    assert compare_values("makers", here, there).new


@pytest.mark.parametrize(
    ("field", "here", "there"),
    [
        ("makers", ("Bayer", "Bayer", "Roche"), ("Bayer", "Roche")),
        ("makers", ("Bayer",), ("Roche",)),
        ("company", "가나,다라", "다라,가나"),
    ],
)
def test_whatever_the_order_all_parts_must_be_there_and_a_plain_text_has_none(field, here, there):
    assert len(compare_values(field, here, there, ANY_ORDER).new) == 1


def test_fields_that_are_ignored_are_not_compared_and_others_are():
    known = replace(NOTHING_KNOWN, ignored_fields=frozenset({"company"}))
    here, there = a_record("A"), a_record("A", company="가나약품", makers=("Roche",))
    compared = compare_sources(a_list(here), a_list(there), known)
    assert [each.field for each in compared.new] == ["makers"]


@pytest.mark.parametrize("keys", ["recent", "changed"])
def test_what_changed_lately_may_be_late_in_one_source(keys):
    lately = frozenset({"A", "C"})
    known = replace(NOTHING_KNOWN, recent=lately)
    if keys == "changed":
        known = replace(NOTHING_KNOWN, changed=lately)
    here = a_list(a_record("A"), a_record("B"))
    there = a_list(a_record("A", company="가나약품"), a_record("B"), a_record("C"))
    compared = compare_sources(here, there, known)
    assert compared.late == (RENAMED, Difference("C", "", None, "C"))
    assert compared.new == compared.left_known == ()
    assert compared.n_changed_late == (2 if keys == "changed" else 0)


def test_of_another_record_nothing_is_late():
    known = replace(NOTHING_KNOWN, recent=frozenset({"B"}), changed=frozenset({"C"}))
    assert compare_values("company", "가나제약", "가나약품", known).new == (RENAMED,)


def test_what_stood_when_a_run_was_accepted_is_known_whatever_else_changed_there():
    known = replace(NOTHING_KNOWN, accepted=[RENAMED], recent=frozenset({"A"}))
    compared = compare_values("company", "가나제약", "가나약품", known)
    assert (compared.known, compared.new, compared.late) == ((RENAMED,), (), ())
    assert compared.left_known == (RENAMED,), "it stays known"


@pytest.mark.parametrize(
    "accepted",
    [
        replace(RENAMED, key="B"),
        replace(RENAMED, field="makers"),
        replace(RENAMED, here="다라제약"),
        replace(RENAMED, there="다라제약"),
        Difference("A", "", "A", None),
    ],
)
def test_a_difference_that_is_not_just_the_accepted_one_is_new(accepted):
    known = replace(NOTHING_KNOWN, accepted=[accepted])
    assert compare_values("company", "가나제약", "가나약품", known).new == (RENAMED,)


def test_a_record_that_only_one_side_has_is_known_for_that_side_alone():
    known = replace(NOTHING_KNOWN, accepted=[Difference("A", "", "A", None)])
    assert compare_sources(a_list(a_record("A")), a_list(), known).new == ()
    assert compare_sources(a_list(), a_list(a_record("A")), known).new == (
        Difference("A", "", None, "A"),
    )


def test_where_order_says_nothing_an_accepted_difference_stays_known_in_any_order():
    accepted = Difference("A", "makers", ("Bayer", "Roche"), ("Merck,Roche",))
    known = replace(NOTHING_KNOWN, accepted=[accepted])
    values = ("makers", ("Roche", "Bayer"), ("Roche,Merck",))
    assert compare_values(*values, replace(known, any_order=True)).new == ()
    assert len(compare_values(*values, known).new) == 1


# --- the gate ------------------------------------------------------------------------------------


def test_without_a_cross_check_there_is_no_number():
    gate = judge()
    assert (gate.code, gate.outcome) == ("G-13", Outcome.PASS)
    assert (gate.observed, gate.limit, gate.limit_from) == (None, None, None)
    assert "설정되어 있지 않습니다" in gate.message


def test_a_list_that_agrees_passes():
    gate = judge(openapi=Comparison(9_150))
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, 0, 0)
    assert gate.limit_from is LimitFrom.SETTING
    assert gate.message == "openapi: 함께 있는 9,150건의 공통 항목이 모두 같습니다."


@pytest.mark.parametrize(
    ("n_new", "most_new", "outcome", "code"),
    [
        (0, 0, Outcome.PASS, ""),
        (1, 0, Outcome.HOLD, "sources_differ"),
        (1, 2, Outcome.WARN, ""),
        (2, 2, Outcome.WARN, ""),
        (3, 2, Outcome.HOLD, "sources_differ"),
    ],
)
def test_more_differences_than_allowed_hold_and_fewer_warn(n_new, most_new, outcome, code):
    gate = judge(CrossCheckRules(most_new=most_new), openapi=found(*some(n_new)))
    assert (gate.outcome, gate.fault_code) == (outcome, code)
    assert (gate.observed, gate.limit, gate.limit_from) == (n_new, most_new, LimitFrom.SETTING)
    assert len(gate.examples) == n_new
    assert ("approve" in gate.message) == (outcome is Outcome.HOLD)
    assert ("기록은 이 목록을 따릅니다" in gate.message) == (outcome is Outcome.WARN)


def test_differences_of_all_sources_are_added_up():
    rules = CrossCheckRules(most_new=3)
    gate = judge(rules, openapi=found(*some(2)), export=found(*some(2, name="E")))
    assert (gate.outcome, gate.observed) == (Outcome.HOLD, 4)
    assert [each.key for each in gate.examples] == ["D0", "E0", "D1", "E1"]


def test_the_sentence_of_a_held_run_says_what_differs_and_what_to_do():
    keys = Difference("H1", "", "H1", None), Difference("T1", "", None, "T1")
    gate = judge(openapi=found(RENAMED, *some(3), *keys))
    assert gate.message == (
        "openapi: 함께 있는 9건을 비교했고 새로운 차이가 6개 있습니다(다른 값 4개, 이 목록에만 "
        "1건, openapi에만 1건). 예: A 신청인 '가나제약' / '가나약품'; H1 이 목록에만; T1 다른 "
        "쪽에만. 어느 쪽이 맞는지 사이트에서 확인하십시오. 이 목록이 맞으면 approve, 아니면 reject "
        "명령으로 결정하십시오. 받아들인 차이는 그대로인 동안 다시 묻지 않습니다."
    )


def test_known_and_late_differences_pass_with_their_numbers():
    known, late = some(12, name="K"), some(1_004, name="L")
    gate = judge(
        CrossCheckRules(lag_days=3),
        openapi=found(known=known, late=late, n_changed=1_000, n_changed_late=990),
    )
    assert (gate.outcome, gate.observed, gate.examples) == (Outcome.PASS, 0, ())
    assert gate.message == (
        "openapi: 함께 있는 9건을 비교했고 새로운 차이는 없습니다. 전에 받아들인 차이 12개는 "
        "그대로여서 세지 않았습니다. 최근 3일 안이나 이번에 바뀐 기록의 차이 1,004개(이번에 "
        "바뀌거나 사라진 1,000건 가운데 990건)는 한쪽에 늦게 반영된 것일 수 있어 따로 셉니다."
    )


def test_a_long_or_broken_value_is_shown_short_and_on_one_line():
    new = Difference("D", "makers", ("가" * 90,), ("a\n=cmd()", "b"))
    message = judge(export=found(new)).message
    assert f"D 제조소명 '{'가' * 40}…' / 'a =cmd() | b'" in message
    assert "\n" not in message


def test_ten_examples_have_all_kinds_and_the_page_of_the_record():
    here = [Difference(f"H{i}", "", f"H{i}", None) for i in range(30)]
    there = [Difference("T0", "", None, "T0")]
    gate = judge(openapi=found(*some(40), *some(2, name="M", field="makers"), *here, *there))
    shown = [(each.key[0], each.field) for each in gate.examples]
    assert len(shown) == 10
    assert shown[:4] == [("D", "company"), ("H", ""), ("M", "makers"), ("T", "")]
    assert gate.examples[0] == Example(
        "D0", "company", "가0", "나0", "page-D0", "https://site/D0", 7
    )
    assert [(each.before, each.after) for each in gate.examples if each.key == "T0"] == [
        (None, "T0")
    ]


def test_one_renamed_company_in_many_rows_is_shown_once_before_other_values():
    same = [Difference(f"S{i:02}", "company", "가나제약", "가나약품") for i in range(30)]
    gate = judge(openapi=found(*same, Difference("Z", "company", "다라", "마바")))
    assert [each.key for each in gate.examples][:3] == ["S00", "Z", "S01"]


@pytest.mark.parametrize(
    ("when_missing", "outcome", "code"),
    [("hold", Outcome.HOLD, "source_missing"), ("warn", Outcome.WARN, "")],
)
def test_a_source_that_could_not_be_read_has_no_number_and_never_passes(
    when_missing, outcome, code
):
    rules = CrossCheckRules(when_missing=when_missing)
    gate = judge(rules, openapi=Fault("api_quota", "횟수를 모두 썼습니다.", 6))
    assert (gate.outcome, gate.fault_code, gate.observed) == (outcome, code, None)
    assert "[api_quota] 횟수를 모두 썼습니다." in gate.message
    assert ("approve" in gate.message) == (outcome is Outcome.HOLD)


def test_of_two_sources_each_has_its_sentence_and_one_that_is_missing_holds():
    gate = judge(export=Comparison(5), openapi=Fault("timeout", "늦었습니다.", 6))
    assert (gate.outcome, gate.observed) == (Outcome.HOLD, 0)
    assert gate.fault_code == "source_missing"
    assert gate.message.startswith("export: 함께 있는 5건의")
    assert "openapi: 읽지 못해" in gate.message


def test_differences_are_the_worse_news_than_a_missing_source():
    gate = judge(export=found(RENAMED), openapi=Fault("timeout", "늦었습니다.", 6))
    assert (gate.fault_code, gate.observed) == ("sources_differ", 1)


def test_a_source_that_was_not_asked_for_passes_without_a_number():
    gate = judge(openapi=None)
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, None, None)
    assert "비교하지 못했습니다" in gate.message


def test_it_holds_the_run():
    assert decide([judge(openapi=found(RENAMED))]) is RunStatus.HELD
