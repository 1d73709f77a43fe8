from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

import pytest

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.gates import (
    NOT_COMPUTED,
    decide,
    decisive_gate,
    judge_snapshot,
    refuse_read,
)
from dmf_crawler.model.change import Change, ChangeSet, EventType, KnownRecord, Reason
from dmf_crawler.model.record import Delivery, FieldKind, Record, Snapshot, Value
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import GATE_NAMES, Gate, Outcome
from dmf_crawler.settings import DailyLimit, GateLimits

LIMITS = GateLimits()
PATTERN = re.compile(r"\d{4,5}-\d{3}")
REQUIRED = {"reg_no": "등록번호", "company": "신청인"}


def a_record(number: str, key: str = "", company: Value = "가나제약(주)") -> Record:
    return Record(key or number, {"reg_no": number, "company": company})


def known(*numbers: str) -> dict[str, KnownRecord]:
    return {
        number: KnownRecord(number, a_record(number).fields, is_current=True) for number in numbers
    }


def evidence(
    records: list[Record],
    *,
    changes: list[Change] | None = None,
    missing: list[str] | None = None,
    known_before: Mapping[str, KnownRecord] | None = None,
    pattern: re.Pattern[str] | None = PATTERN,
    required: Mapping[str, str] = REQUIRED,
    **of_snapshot: object,
) -> Evidence:
    """Return evidence of a list that was read whole, and equal to the one before."""
    same = {
        record.key: KnownRecord(record.key, record.fields, is_current=True) for record in records
    }
    return Evidence(
        snapshot=Snapshot(
            **{
                "records": {record.key: record for record in records},
                "announced_total": len(records),
                "n_pages": 2,
                "delivered": {Delivery("reg_no", 0, "header_text 등록번호"): len(records)},
                **of_snapshot,
            }  # type: ignore[arg-type]
        ),
        change_set=ChangeSet(tuple(changes or ()), tuple(missing or ())),
        known=same if known_before is None else known_before,
        number_field="reg_no",
        number_label="등록번호",
        number_pattern=pattern,
        status_field="status",
        status_words=frozenset({"정상", "취하", "취소", "말소"}),
        min_rows=10,
        rules=(),
        labels=REQUIRED,
        deliveries_before={Delivery("reg_no", 0, "header_text 등록번호"): 20},
        columns=tuple(
            JudgedColumn(name, label, FieldKind.NAME, is_required=True)
            for name, label in required.items()
        ),
    )


CROSS_CHECK = Gate("G-13", Outcome.PASS, None, 0, "다른 원천과 비교하지 않습니다.")


def judge(given: Evidence, code: str, limits: GateLimits = LIMITS) -> Gate:
    """Return what one gate says."""
    gates = judge_snapshot(given, limits, CROSS_CHECK).gates
    (gate,) = (gate for gate in gates if gate.code == code)
    return gate


def rows(n: int, company: Value = "가나제약(주)") -> list[Record]:
    return [a_record(f"{1000 + number}-001", company=company) for number in range(n)]


def test_an_ordinary_day_passes_every_gate_and_each_says_so_in_a_sentence():
    gates = judge_snapshot(evidence(rows(100)), LIMITS, CROSS_CHECK).gates

    assert [gate.code for gate in gates] == [*GATE_NAMES]
    assert {gate.outcome for gate in gates} == {Outcome.PASS}
    assert {gate.fault_code for gate in gates} == {""}
    assert all(re.search(r"니다(?:\([^()]*\))?\.\Z", gate.message) for gate in gates)
    assert decide(gates) is RunStatus.OK


# --- G-1, G-10: is it the whole list? ---------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "outcome"), [(9, Outcome.REJECT), (10, Outcome.PASS), (11, Outcome.PASS)]
)
def test_a_list_below_the_row_floor_is_refused(n_rows, outcome):
    gate = judge(evidence(rows(n_rows)), "G-1")

    assert (gate.outcome, gate.observed, gate.limit) == (outcome, n_rows, 10)
    assert f"{n_rows}건" in gate.message
    assert gate.fault_code == ("short_list" if outcome is Outcome.REJECT else "")


@pytest.mark.parametrize(
    ("total", "outcome"), [(19, Outcome.REJECT), (20, Outcome.PASS), (21, Outcome.REJECT)]
)
def test_a_list_that_is_not_as_long_as_announced_is_refused(total, outcome):
    gate = judge(evidence(rows(20), announced_total=total), "G-10")

    assert (gate.outcome, gate.observed, gate.limit) == (outcome, 20, total)
    assert "20건" in gate.message
    assert f"{total}건" in gate.message


# --- G-3: required fields ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_empty", "outcome"),
    [(0, Outcome.PASS), (1, Outcome.WARN), (5, Outcome.WARN), (6, Outcome.REJECT)],
)
def test_required_cells_may_be_empty_in_five_of_a_hundred_rows(n_empty, outcome):
    records = [*rows(100 - n_empty), *(a_record(f"2-{n}", company="") for n in range(n_empty))]

    gate = judge(evidence(records, known_before={}), "G-3")

    assert (gate.outcome, gate.observed, gate.limit) == (outcome, n_empty / 100, 0.05)
    assert gate.fault_code == ("required_empty" if outcome is Outcome.REJECT else "")
    if n_empty:
        assert f"신청인이(가) {n_empty}건" in gate.message


def test_the_emptiest_required_field_is_the_one_that_is_named():
    records = [*rows(97), a_record("", "a"), a_record("", "b", company=""), a_record("1-1")]

    gate = judge(evidence(records, known_before={}), "G-3")

    assert (gate.observed, gate.outcome) == (0.02, Outcome.WARN)
    assert "등록번호" in gate.message


@pytest.mark.parametrize("empty", ["", (), ("",), ("", "")])
def test_a_required_cell_without_any_text_is_empty(empty):
    gate = judge(evidence([*rows(99), a_record("1-1", company=empty)], known_before={}), "G-3")

    assert gate.outcome is Outcome.WARN


def test_a_required_field_that_a_record_does_not_have_is_empty():
    gate = judge(evidence(rows(100), required={"status": "상태"}, known_before={}), "G-3")

    assert (gate.outcome, gate.observed) == (Outcome.REJECT, 1.0)


def test_a_board_without_required_fields_passes():
    gate = judge(evidence(rows(100, company=""), required={}, known_before={}), "G-3")

    assert gate.outcome is Outcome.PASS


def test_a_share_just_above_the_limit_does_not_read_like_the_limit():
    """601 of 12,000 is 5.01 %, not "5.0 % (limit 5 %)"."""
    records = [*rows(11_399), *(a_record(f"2-{n}", company="") for n in range(601))]

    gate = judge(evidence(records, known_before={}), "G-3")

    assert gate.outcome is Outcome.REJECT
    assert "601건(5.01%)" in gate.message


# --- G-4: numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_off", "outcome"), [(0, Outcome.PASS), (5, Outcome.PASS), (6, Outcome.REJECT)]
)
def test_numbers_must_match_in_ninety_five_of_a_hundred_rows(n_off, outcome):
    records = [*rows(100 - n_off), *(a_record(f"DMF{n}") for n in range(n_off))]

    gate = judge(evidence(records), "G-4")

    assert (gate.outcome, gate.observed, gate.limit) == (outcome, (100 - n_off) / 100, 0.95)
    if outcome is Outcome.REJECT:
        assert gate.fault_code == "pattern_mismatch"
        assert "6건" in gate.message
        assert "'DMF0', 'DMF1', 'DMF2'" in gate.message
        assert "DMF3" not in gate.message


@pytest.mark.parametrize(
    ("n_rows", "n_off", "ratio"), [(20, 1, 0.95), (12_000, 600, 0.95), (1000, 64, 0.936)]
)
def test_a_share_of_exactly_the_limit_passes_whatever_its_binary_fraction(n_rows, n_off, ratio):
    """1 - 64 / 1000 is less than 0.936 in floating point."""
    records = [*rows(n_rows - n_off), *(a_record(f"DMF{n}") for n in range(n_off))]

    gate = judge(evidence(records), "G-4", GateLimits(pattern_ratio=ratio))

    assert gate.outcome is Outcome.PASS


def test_a_line_feed_behind_a_number_is_off_the_pattern():
    """R5.6h: `match` with `$` accepts it."""
    gate = judge(
        evidence([*rows(99), a_record("2026-001\n")], known_before=known("1000-001")), "G-4"
    )

    assert gate.outcome is Outcome.WARN


@pytest.mark.parametrize(
    ("n_new", "outcome"),
    [(0, Outcome.PASS), (1, Outcome.WARN), (3, Outcome.WARN), (4, Outcome.HOLD)],
)
def test_more_than_three_new_numbers_of_an_unknown_shape_are_held(n_new, outcome):
    records = [*rows(200), *(a_record(f"DMF-{n}") for n in range(n_new))]

    gate = judge(evidence(records, known_before=known("1000-001")), "G-4")

    assert gate.outcome is outcome
    if n_new:
        assert f"{n_new}건" in gate.message
        assert "'DMF-0'" in gate.message
    if outcome is Outcome.HOLD:
        assert (gate.observed, gate.limit, gate.fault_code) == (4, 3, "pattern_mismatch")


def test_a_shape_once_accepted_is_known_with_other_digits_and_letters():
    records = [*rows(200), *(a_record(f"수{n}-{n}-ND") for n in range(9))]

    gate = judge(evidence(records, known_before=known("1000-001", "허77-12-AB")), "G-4")

    assert gate.outcome is Outcome.PASS


def test_the_shape_of_numbers_on_the_pattern_excuses_none_off_it():
    records = [*rows(200), *(a_record(f"{n}-1") for n in range(4))]

    gate = judge(evidence(records, known_before=known("1000-001")), "G-4")

    assert gate.outcome is Outcome.HOLD


def test_in_the_first_run_every_shape_is_new_and_none_is_held():
    records = [*rows(200), *(a_record(f"DMF-{n}") for n in range(9))]

    assert judge(evidence(records, known_before={}), "G-4").outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("n_without", "outcome"), [(0, Outcome.PASS), (5, Outcome.WARN), (6, Outcome.HOLD)]
)
def test_more_than_five_rows_without_a_number_are_held(n_without, outcome):
    records = [*rows(200), *(a_record("", f"가|나|{n}") for n in range(n_without))]

    gate = judge(evidence(records, n_without_number=n_without), "G-4")

    assert gate.outcome is outcome
    if n_without:
        assert f"{n_without}건" in gate.message
    if outcome is Outcome.HOLD:
        assert (gate.observed, gate.limit, gate.fault_code) == (6, 5, "without_number")


def test_numbers_that_several_rows_share_are_named():
    gate = judge(evidence(rows(20), split_numbers=("A", "B", "C", "D")), "G-4")

    assert gate.outcome is Outcome.WARN
    assert "A, B, C." in gate.message


def test_a_board_without_a_pattern_says_that_the_gate_does_not_apply():
    gate = judge(evidence([a_record(f"x{n}") for n in range(20)], pattern=None), "G-4")

    assert (gate.outcome, gate.observed) == (Outcome.PASS, None)


@pytest.mark.parametrize(("n_without", "outcome"), [(1, Outcome.WARN), (6, Outcome.HOLD)])
def test_without_a_pattern_rows_without_a_number_are_told_all_the_same(n_without, outcome):
    records = [*rows(200), *(a_record("", f"가|나|{n}") for n in range(n_without))]

    gate = judge(evidence(records, pattern=None, n_without_number=n_without), "G-4")

    assert gate.outcome is outcome
    assert f"{n_without}건" in gate.message


def test_it_is_told_what_becomes_of_a_row_without_a_number():
    gate = judge(evidence([*rows(20), a_record("", "가|나|다")], n_without_number=1), "G-4")

    assert "그 항목이 바뀌면 같은 행이라도 신규와 취하로 기록됩니다" in gate.message


# --- G-5: withdrawn and missing ---------------------------------------------------------------


def by_status(*keys: str) -> list[Change]:
    return [Change(EventType.WITHDRAWN, key, a_record(key), reason=Reason.STATUS) for key in keys]


def due(*keys: str) -> list[Change]:
    return [Change(EventType.WITHDRAWN, key, None, reason=Reason.MISSING) for key in keys]


def many_known(n: int) -> dict[str, KnownRecord]:
    return known(*(f"{1000 + number}-001" for number in range(n)))


@pytest.mark.parametrize(
    ("n_withdrawn", "outcome"), [(0, Outcome.PASS), (10, Outcome.PASS), (11, Outcome.HOLD)]
)
def test_more_than_ten_withdrawals_by_status_in_a_day_are_held(n_withdrawn, outcome):
    before = many_known(1000)
    changes = by_status(*list(before)[:n_withdrawn])

    gate = judge(evidence(rows(1000), changes=changes, known_before=before), "G-5")

    assert gate.outcome is outcome
    assert f"{n_withdrawn}건" in gate.message
    if outcome is Outcome.HOLD:
        assert (gate.observed, gate.limit, gate.fault_code) == (11, 10, "many_withdrawals")


@pytest.mark.parametrize(
    ("n_missing", "outcome"), [(0, Outcome.PASS), (3, Outcome.PASS), (4, Outcome.HOLD)]
)
def test_more_than_three_rows_newly_gone_are_held(n_missing, outcome):
    before = many_known(1000)

    gate = judge(evidence(rows(1000), missing=list(before)[:n_missing], known_before=before), "G-5")

    assert gate.outcome is outcome
    assert f"{n_missing}건" in gate.message
    if outcome is Outcome.HOLD:
        assert (gate.observed, gate.limit, gate.fault_code) == (4, 3, "many_withdrawals")


def test_rows_gone_for_days_are_not_held_again_while_they_wait_or_when_they_are_due():
    before = many_known(1000)
    for key in list(before)[:9]:
        before[key] = KnownRecord(
            key, before[key].fields, True, date(2026, 12, 1), 3, date(2026, 12, 3)
        )
    keys = list(before)

    waiting = evidence(rows(1000), missing=keys[:9], known_before=before)
    ending = evidence(rows(1000), changes=due(*keys[:9]), known_before=before)

    assert judge(waiting, "G-5").outcome is Outcome.PASS
    assert judge(ending, "G-5").outcome is Outcome.PASS
    assert "사라진 행 9건" in judge(ending, "G-5").message


def test_rows_that_vanish_and_are_due_at_once_are_newly_gone():
    """With `missing_runs: 1` the first read without a row is the last."""
    before = many_known(1000)

    gate = judge(evidence(rows(1000), changes=due(*list(before)[:4]), known_before=before), "G-5")

    assert gate.outcome is Outcome.HOLD


@pytest.mark.parametrize("how", ["missing", "due", "status", "all three"])
@pytest.mark.parametrize(
    ("n_gone", "outcome"), [(99, Outcome.HOLD), (100, Outcome.HOLD), (101, Outcome.REJECT)]
)
def test_more_than_a_tenth_of_the_list_gone_is_refused_whatever_the_way(how, n_gone, outcome):
    before = many_known(1000)
    keys = list(before)[:n_gone]
    third = n_gone // 3
    ways: dict[str, Callable[[], Evidence]] = {
        "missing": lambda: evidence(rows(1000), missing=keys, known_before=before),
        "due": lambda: evidence(rows(1000), changes=due(*keys), known_before=before),
        "status": lambda: evidence(rows(1000), changes=by_status(*keys), known_before=before),
        "all three": lambda: evidence(
            rows(1000),
            missing=keys[:third],
            changes=[*by_status(*keys[third : 2 * third]), *due(*keys[2 * third :])],
            known_before=before,
        ),
    }

    gate = judge(ways[how](), "G-5")

    assert gate.outcome is outcome
    if outcome is Outcome.REJECT:
        assert (gate.observed, gate.limit, gate.fault_code) == (0.101, 0.1, "mass_withdrawal")
        assert "10.10%" in gate.message


def test_records_that_left_long_ago_do_not_count_into_the_size_of_the_list():
    before = many_known(1000)
    for key in list(before)[500:]:
        before[key] = KnownRecord(key, before[key].fields, is_current=False)

    gate = judge(evidence(rows(449), missing=list(before)[:51], known_before=before), "G-5")

    assert (gate.outcome, gate.observed) == (Outcome.REJECT, 0.102)


def test_a_record_that_goes_on_under_another_key_is_not_gone():
    before = many_known(20)
    keys = list(before)
    changes = [Change(EventType.MODIFIED, key, None, reason=Reason.REKEYED) for key in keys[:3]] + [
        Change(EventType.NEW, f"{key}|가|나", a_record(key), reason=Reason.REKEYED)
        for key in keys[:3]
    ]

    gate = judge(evidence(rows(20), changes=changes, known_before=before), "G-5")

    assert (gate.outcome, gate.observed) == (Outcome.PASS, 0)
    assert "사라진 행 0건" in gate.message


def test_a_record_already_withdrawn_that_leaves_the_list_is_gone():
    before = many_known(20)
    changes = [
        Change(EventType.MODIFIED, key, None, reason=Reason.DELISTED) for key in list(before)[:4]
    ]

    gate = judge(evidence(rows(20), changes=changes, known_before=before), "G-5")

    assert (gate.outcome, gate.observed) == (Outcome.REJECT, 0.2)


def test_changes_and_returns_are_no_withdrawals():
    before = many_known(20)
    changes = [
        Change(EventType.MODIFIED, "1000-001", a_record("1000-001")),
        Change(EventType.REAPPEARED, "1001-001", a_record("1001-001"), reason=Reason.RESTORED),
        Change(EventType.NEW, "9", a_record("9")),
    ]

    gate = judge(evidence(rows(20), changes=changes, known_before=before), "G-5")

    assert (gate.outcome, gate.observed) == (Outcome.PASS, 0)


def test_the_first_run_has_nothing_that_could_be_gone():
    gate = judge(evidence(rows(20), known_before={}), "G-5")

    assert (gate.outcome, gate.observed) == (Outcome.PASS, None)
    assert "최초 수집" in gate.message


def test_a_share_that_cannot_be_computed_though_there_is_a_history_is_held():
    before = {"A": KnownRecord("A", {}, is_current=False)}

    gate = judge(evidence(rows(20), known_before=before), "G-5")

    assert (gate.outcome, gate.observed, gate.fault_code) == (Outcome.HOLD, None, "not_computed")


def test_limits_are_settings():
    before = many_known(1000)
    keys = list(before)
    given = evidence(rows(1000), missing=keys[:4], known_before=before)

    assert (
        judge(given, "G-5", GateLimits(vanished=DailyLimit(floor=4, cap=10))).outcome
        is Outcome.PASS
    )
    assert judge(given, "G-5", GateLimits(gone_ratio=0.003)).outcome is Outcome.REJECT


# --- the verdict ------------------------------------------------------------------------------


def gates(*outcomes: Outcome) -> list[Gate]:
    return [
        Gate(f"G-{number}", outcome, None, None, "", outcome.value)
        for number, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ((Outcome.PASS,), RunStatus.OK),
        ((Outcome.PASS, Outcome.WARN), RunStatus.OK),
        ((Outcome.HOLD, Outcome.WARN), RunStatus.HELD),
        ((Outcome.HOLD, Outcome.REJECT, Outcome.PASS), RunStatus.REJECTED),
    ],
)
def test_the_worst_gate_decides(outcomes, status):
    assert decide(gates(*outcomes)) is status


def test_a_status_that_nobody_knows_is_held_where_numbers_have_no_pattern():
    first, *others = rows(50)
    odd = replace(first, fields={**first.fields, "status": "자진취하"})

    gate = judge(evidence([*others, odd], known_before=many_known(50), pattern=None), "G-4")

    assert (gate.outcome, gate.fault_code) == (Outcome.HOLD, "unknown_status")


def test_the_first_of_the_worst_gates_is_decisive():
    seen = gates(Outcome.WARN, Outcome.HOLD, Outcome.PASS, Outcome.HOLD)

    assert decisive_gate(seen).code == "G-1"


@pytest.mark.parametrize("code", ["robots_disallowed", "robots_unreachable", "terms_forbid"])
def test_where_the_list_may_not_be_asked_for_there_is_no_list_to_judge(code):
    robots, *others = refuse_read(Fault(code, "robots.txt가 금지합니다.", 7))

    assert robots == Gate("G-0", Outcome.REJECT, None, None, "robots.txt가 금지합니다.", code)
    assert {(gate.outcome, gate.fault_code) for gate in others} == {(Outcome.HOLD, "not_computed")}
    assert [gate.code for gate in others] == [*GATE_NAMES][1:]


def test_a_site_that_did_not_answer_leaves_nothing_to_judge_not_even_robots():
    seen = {gate.code: gate for gate in refuse_read(Fault("timeout", "답이 없습니다.", 6))}

    assert (seen["G-0"].outcome, seen["G-0"].observed) == (Outcome.HOLD, None)
    assert (seen["G-10"].outcome, seen["G-10"].fault_code) == (Outcome.REJECT, "timeout")
    assert [*seen] == [*GATE_NAMES]


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("empty_list", "G-1"),
        ("short_list", "G-10"),
        ("race", "G-10"),
        ("duplicate_rows", "G-10"),
        ("missing_column", "G-10"),
        ("budget_exceeded", "G-10"),
    ],
)
def test_what_could_not_be_computed_for_want_of_a_list_never_passes(code, refused):
    seen = refuse_read(Fault(code, "목록을 읽지 못했습니다.", 4))

    assert [gate.code for gate in seen] == [*GATE_NAMES]
    by_code = {gate.code: gate for gate in seen}
    assert by_code.pop("G-0").outcome is Outcome.PASS
    assert by_code.pop(refused) == Gate(
        refused, Outcome.REJECT, None, None, "목록을 읽지 못했습니다.", code
    )
    assert {(gate.outcome, gate.message) for gate in by_code.values()} == {
        (Outcome.HOLD, NOT_COMPUTED)
    }
    assert decide(seen) is RunStatus.REJECTED
    assert decisive_gate(seen).fault_code == code


@pytest.mark.parametrize(
    ("n_before", "n_rows", "outcome"),
    [
        (100, 130, Outcome.PASS),
        (100, 131, Outcome.HOLD),
        (100, 70, Outcome.PASS),
        (100, 69, Outcome.HOLD),
        (0, 100, Outcome.PASS),
    ],
)
def test_a_list_may_grow_or_shrink_by_thirty_of_a_hundred(n_before, n_rows, outcome):
    gate = judge(evidence(rows(n_rows), known_before=many_known(n_before)), "G-2")

    assert gate.outcome is outcome
    if outcome is Outcome.HOLD:
        assert "100건에서" in gate.message
        assert gate.fault_code == "row_count_jump"


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("정상", Outcome.PASS),
        ("취 하", Outcome.PASS),
        ("자진취하", Outcome.HOLD),
        ("", Outcome.HOLD),
    ],
)
def test_a_status_that_nobody_knows_is_held(status, outcome):
    """D6: an unknown word is neither a withdrawal nor its end."""
    first, *others = rows(50)
    odd = replace(first, fields={**first.fields, "status": status})

    gate = judge(evidence([*others, odd], known_before=many_known(50)), "G-4")

    assert gate.outcome is outcome


def test_a_status_once_accepted_is_known():
    first, *others = rows(50)
    odd = replace(first, fields={**first.fields, "status": "자진취하"})
    before = {**many_known(50), odd.key: KnownRecord(odd.key, odd.fields, is_current=True)}

    assert judge(evidence([*others, odd], known_before=before), "G-4").outcome is Outcome.PASS


@pytest.mark.parametrize(("n_shared", "outcome"), [(3, Outcome.PASS), (4, Outcome.HOLD)])
def test_more_than_three_numbers_newly_shared_are_held(n_shared, outcome):
    """A list that shows every row twice would give them all another key for good."""
    before = many_known(50)
    changes = [
        Change(EventType.MODIFIED, key, None, reason=Reason.REKEYED)
        for key in list(before)[:n_shared]
    ]

    gate = judge(evidence(rows(50), changes=changes, known_before=before), "G-5")

    assert gate.outcome is outcome


# --- where limits come from, and what is shown ------------------------------------------------


def test_every_gate_with_a_limit_says_where_it_came_from():
    gates = judge_snapshot(evidence(rows(100)), LIMITS, CROSS_CHECK).gates

    without = [gate.code for gate in gates if gate.limit is not None and gate.limit_from is None]

    assert without == ["G-13"]  # given from outside


@pytest.mark.parametrize(
    ("code", "field", "values", "shown"),
    [
        ("G-3", "company", ["", "", ""], ""),
        ("G-4", "reg_no", ["가-1", "나나-2", "다다다-3", "라-라-4", "마마-마-5"], "가-1"),
        ("G-4", "status", ["자진취하", "직권취소"], "자진취하"),
    ],
)
def test_what_is_wrong_is_shown_with_key_field_and_both_values(code, field, values, shown):
    records = [replace(each, source="page-1", row_no=7) for each in rows(120)]
    before = {each.key: KnownRecord(each.key, each.fields, True) for each in records}
    for number, value in enumerate(values):
        fields = {**records[number].fields, field: value}
        records[number] = replace(records[number], fields=fields)

    gate = judge(evidence(records, known_before=before), code)

    assert gate.outcome is not Outcome.PASS
    assert len(gate.examples) == len(values)
    first = gate.examples[0]
    assert (first.key, first.field, first.after) == (records[0].key, field, shown)
    assert first.before == before[records[0].key].fields.get(field)
    assert (first.source, first.row_no) == ("page-1", 7)
