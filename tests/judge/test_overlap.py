"""G-2, G-5 and G-11 at, below and above their limits."""

from __future__ import annotations

from datetime import date

import pytest

from dmf_crawler.judge.gates import judge_snapshot
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.past import (
    N_CHANGED,
    N_EMPTIED,
    N_ENTERED,
    N_ODD,
    N_VANISHED,
    N_WITHDRAWN,
    Past,
    PastDay,
)
from dmf_crawler.model.record import Record
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.settings import GateLimits
from tests.judge.days import LIMITS, TODAY, a_row, changed, evidence, past, rows

BEFORE = rows(2_000)
CROSS_CHECK = Gate("G-13", Outcome.PASS, None, 0, "다른 원천과 비교하지 않습니다.")


def judge(code: str, after, before=BEFORE, limits: GateLimits = LIMITS, **other) -> Gate:
    gates = judge_snapshot(evidence(before, after, **other), limits, CROSS_CHECK).gates
    return next(gate for gate in gates if gate.code == code)


def seen(gate: Gate):
    return gate.outcome, gate.observed, gate.limit, gate.limit_from


def with_rows(n_changed: int, **fields) -> list[Record]:
    """Return a read in which the first rows have other values; {n} stands for the row's number."""
    return [
        changed(record, **{name: _fill(value, n) for name, value in fields.items()})
        if n < n_changed
        else record
        for n, record in enumerate(BEFORE)
    ]


def _fill(value, number):
    if isinstance(value, tuple):
        return tuple(each.replace("{n}", _letters(number)) for each in value)
    return value.replace("{n}", _letters(number))


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}")


# --- G-2 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_new", "outcome"), [(0, Outcome.PASS), (20, Outcome.PASS), (21, Outcome.HOLD)]
)
def test_new_rows_of_a_day_have_a_floor_without_history(n_new, outcome):
    gate = judge("G-2", [*BEFORE, *(a_row(5_000 + n) for n in range(n_new))])
    assert seen(gate) == (outcome, n_new, 20, LimitFrom.FLOOR)
    assert gate.fault_code == ("many_new_rows" if outcome is Outcome.HOLD else "")
    assert len(gate.examples) == (10 if outcome is Outcome.HOLD else 0)


@pytest.mark.parametrize(("n_new", "outcome"), [(31, Outcome.PASS), (32, Outcome.HOLD)])
def test_a_list_that_is_used_to_more_may_have_more(n_new, outcome):
    used = past({(ROW, N_ENTERED): [14, 15, 16] * 40})
    gate = judge("G-2", [*BEFORE, *(a_row(5_000 + n) for n in range(n_new))], past=used)
    assert seen(gate) == (outcome, n_new, 31, LimitFrom.HISTORY)
    assert "최근 120일 기준 하루 한도 31건" in gate.message


def test_nobody_should_have_more_than_the_cap():
    used = past({(ROW, N_ENTERED): [0, 150] * 40})
    gate = judge("G-2", [*BEFORE, *(a_row(5_000 + n) for n in range(61))], past=used)
    assert seen(gate) == (Outcome.HOLD, 61, 60, LimitFrom.CAP)


@pytest.mark.parametrize(("n_left", "outcome"), [(1_400, Outcome.PASS), (1_399, Outcome.HOLD)])
def test_a_list_that_shrank_by_more_than_a_third_is_held_at_least(n_left, outcome):
    gate = judge("G-2", BEFORE[:n_left])
    assert gate.outcome is outcome
    if outcome is Outcome.HOLD:
        assert (gate.fault_code, gate.limit_from) == ("row_count_jump", LimitFrom.SETTING)
        assert gate.observed == pytest.approx(-0.3005)


# --- G-5 -----------------------------------------------------------------------------------------


def test_the_sentence_tells_number_limit_where_it_came_from_and_what_to_do():
    used = past({(ROW, N_WITHDRAWN): [4, 5, 6] * 30 + [5, 5]})
    gate = judge("G-5", with_rows(46, status="취하"), past=used)
    assert gate.message == (
        "오늘 취하 46건: 최근 92일 기준 하루 한도 15건을 넘었습니다. 사실인지 사이트에서 확인한 뒤 "
        "approve 또는 reject 명령으로 결정하십시오."
    )
    assert seen(gate) == (Outcome.HOLD, 46, 15, LimitFrom.HISTORY)


@pytest.mark.parametrize(
    ("n_gone", "outcome"), [(3, Outcome.PASS), (4, Outcome.HOLD), (201, Outcome.REJECT)]
)
def test_rows_that_vanish(n_gone, outcome):
    gate = judge("G-5", BEFORE[n_gone:])
    assert gate.outcome is outcome
    if outcome is Outcome.REJECT:
        assert (gate.limit_from, gate.observed) == (LimitFrom.FUSE, 0.1005)
        assert "승인으로도" in gate.message
    elif outcome is Outcome.HOLD:
        assert (gate.observed, gate.limit) == (4, 3)
        assert [each.key for each in gate.examples] == sorted(each.key for each in BEFORE[:4])


def test_no_history_of_losses_raises_the_limit_of_vanished_rows_above_ten():
    used = past({(ROW, N_VANISHED): [30] * 40})
    assert seen(judge("G-5", BEFORE[11:], past=used)) == (Outcome.HOLD, 11, 10, LimitFrom.CAP)
    rare = past({(ROW, N_VANISHED): [*[30] * 40, *[0] * 10]})
    assert judge("G-5", BEFORE[10:], past=rare).outcome is Outcome.PASS


@pytest.mark.parametrize(("n_back", "outcome"), [(10, Outcome.PASS), (11, Outcome.HOLD)])
def test_rows_that_are_in_force_again_are_counted_like_withdrawals(n_back, outcome):
    gate = judge("G-5", BEFORE, with_rows(n_back, status="취하"))
    assert gate.outcome is outcome
    assert ("정상으로 돌아온 행 11건" in gate.message) is (outcome is Outcome.HOLD)


def test_several_excesses_are_told_with_examples_of_each():
    gate = judge("G-5", with_rows(40, status="취하")[20:])
    assert gate.outcome is Outcome.HOLD
    assert "새로 사라진 행 20건" in gate.message
    assert "취하 20건" in gate.message
    assert [each.after for each in gate.examples[:4]] == [None, "취하", None, "취하"]


# --- G-11 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "fields", "limit", "words"),
    [
        (12, {"makers": ("Maker {n} Ltd.",)}, 12, "제조소명 열의 새 값"),
        (5, {"makers": ()}, 5, "제조소명 열의 값이 비거나 줄어든 칸"),
        (3, {"company": "20{n}"}, 3, "신청인 열의 형식이나 내용이 이상한 새 값"),
        (3, {"first_on": "2019-01-01"}, 3, "바뀌지 않아야 하는데 바뀐 행"),
        (3, {"year": "2020"}, 3, "때가 되돌아간 행"),
        (3, {"country": "가상국"}, 3, "처음 보는 값이 든 행"),
        (18, {"country": "중국"}, 12, "제조국가 열의 다른 말로 바뀐 행"),
        (100, {"document": "v1.0.0/2026"}, 100, "문서번호 열이 바뀐 행"),
        (
            3,
            {"company": "하", "makers": ("B",), "status": "취하", "year": "2026", "document": "x"},
            3,
            "한꺼번에 바뀐 행",
        ),
    ],
)
def test_each_count_is_held_above_its_limit_and_passes_at_it(n_rows, fields, limit, words):
    at_limit = judge("G-11", with_rows(n_rows, **fields))
    above = judge("G-11", with_rows(n_rows + 1, **fields))
    assert at_limit.outcome is Outcome.PASS, at_limit.message
    assert (above.outcome, above.fault_code) == (Outcome.HOLD, "unusual_changes")
    assert words in above.message
    assert f"한도 {limit}" in above.message
    assert all(each.before != each.after for each in above.examples)
    assert above.examples


@pytest.mark.parametrize(("n_rows", "outcome"), [(4, Outcome.PASS), (5, Outcome.HOLD)])
def test_values_that_slipped_to_the_next_row_are_held(n_rows, outcome):
    companies = [record.fields["company"] for record in BEFORE]
    after = [
        changed(record, company=companies[n + 1]) if n < n_rows else record
        for n, record in enumerate(BEFORE)
    ]
    gate = judge("G-11", after)
    assert gate.outcome is outcome, gate.message
    if outcome is Outcome.HOLD:
        assert "다른 행에 있던 값" in gate.message


def test_the_yearly_wave_of_reports_passes_and_the_same_number_of_other_changes_does_not():
    assert judge("G-11", with_rows(1_800, year="2026")).outcome is Outcome.PASS
    held = judge("G-11", with_rows(1_800, document="v1.0.0/2026"))
    assert (held.outcome, held.observed, held.limit) == (Outcome.HOLD, 1_800, 100)


def test_with_forward_values_off_the_wave_is_held_too():
    gate = judge("G-11", with_rows(1_800, year="2026"), limits=GateLimits(forward_values=0))
    assert gate.outcome is Outcome.HOLD


def test_a_company_may_be_renamed_in_all_its_rows():
    before, after = (
        [changed(each, company=name) if n < 90 else each for n, each in enumerate(BEFORE)]
        for name in ("옛이름제약(주)", "새이름제약(주)")
    )
    assert judge("G-11", after, before).outcome is Outcome.PASS


def test_a_field_that_often_changes_may_change_more_up_to_a_tenth():
    used = past({("document", N_CHANGED): [150] * 40})
    assert judge("G-11", with_rows(190, document="v1.0.0/2026"), past=used).outcome is Outcome.PASS
    used = past({("document", N_CHANGED): [400] * 40})
    gate = judge("G-11", with_rows(201, document="v1.0.0/2026"), past=used)
    assert seen(gate) == (Outcome.HOLD, 201, 200, LimitFrom.CAP)


def test_many_excesses_are_three_sentences_and_a_number():
    junk = {
        "company": "<b>{n}</b>",
        "makers": ("<b>{n}</b>",),
        "first_on": "19{n}",
        "country": "<b>{n}</b>",
        "document": "<b>{n}</b>",
        "year": "1999",
    }
    gate = judge("G-11", with_rows(50, **junk))
    assert gate.message.count("넘었습니다") == 3
    assert "그 밖에 한도를 넘은 것이" in gate.message
    assert len({each.field for each in gate.examples}) > 3
    assert (gate.observed, gate.limit) == (50, 3)  # the worst of them


def test_a_passing_day_names_what_came_closest():
    gate = judge("G-11", with_rows(2, first_on="2019-01-01"))
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.PASS, 2, 3)
    assert "최초등록일자" in gate.message


def creeping(numbers, *, held=()):
    return past({("company", N_ODD): numbers}, held=held)


@pytest.mark.parametrize(
    ("numbers", "n_today", "outcome"),
    [
        ([2, 2], 2, Outcome.PASS),
        ([2, 3], 2, Outcome.HOLD),
        ([2, 3], 0, Outcome.PASS),  # nothing came today
        ([3, 3, *[0] * 9], 1, Outcome.PASS),  # the first day is too long ago
        ([3, 3, *[0] * 8], 1, Outcome.HOLD),
    ],
)
def test_damage_that_stays_below_the_limit_of_each_day_adds_up(numbers, n_today, outcome):
    gate = judge("G-11", with_rows(n_today, company="20{n}"), past=creeping(numbers))
    assert gate.outcome is outcome, gate.message
    if outcome is Outcome.HOLD:
        assert gate.message.startswith("신청인 열의")
        assert "최근 10일과 오늘 모두" in gate.message
        assert ": 11일 한도 6가지를 넘었습니다" in gate.message
        assert gate.limit == 6


@pytest.mark.parametrize(
    ("numbers", "n_today", "outcome"),
    [([9, 9], 2, Outcome.PASS), ([9, 9], 3, Outcome.HOLD), ([9, 9, *[0] * 9], 3, Outcome.PASS)],
)
def test_withdrawals_that_stay_below_the_limit_of_each_day_add_up(numbers, n_today, outcome):
    slow = past({(ROW, N_WITHDRAWN): numbers})
    gate = judge("G-5", with_rows(n_today, status="취하"), past=slow)
    assert gate.outcome is outcome, gate.message
    if outcome is Outcome.HOLD:
        assert "취하 최근 10일과 오늘 모두 21건: 11일 한도 20건을 넘었습니다." in gate.message
        assert gate.limit_from is LimitFrom.FLOOR


def test_the_sum_of_days_has_a_limit_from_the_lists_own_days_too():
    usual = past({(ROW, N_WITHDRAWN): [4, 5, 6] * 20})
    assert judge("G-5", with_rows(6, status="취하"), past=usual).outcome is Outcome.PASS
    busy = past({(ROW, N_WITHDRAWN): [*[1, 2, 3] * 20, *[6] * 10]})
    gate = judge("G-5", with_rows(6, status="취하"), past=busy)
    assert (gate.outcome, gate.observed, gate.limit_from) == ((Outcome.HOLD, 66, LimitFrom.HISTORY))


def test_cells_that_are_emptied_slowly_add_up():
    slow = past({("makers", N_EMPTIED): [3, 3, 3]})
    gate = judge("G-11", with_rows(2, makers=()), past=slow)
    assert (gate.outcome, gate.observed, gate.limit) == (Outcome.HOLD, 11, 10)
    assert judge("G-11", with_rows(1, makers=()), past=slow).outcome is Outcome.PASS


def test_what_a_person_let_pass_is_not_added_up_again():
    held = past({("company", N_ODD): [3, 3, 9, 1]}, held=[2])
    assert judge("G-11", with_rows(3, company="20{n}"), past=held).outcome is Outcome.PASS


# --- short lists ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_gone", "outcome"), [(1, Outcome.PASS), (3, Outcome.PASS), (4, Outcome.REJECT)]
)
def test_a_short_list_may_lose_a_few_rows(n_gone, outcome):
    """It would be refused on every day after, and no approval could pass that."""
    short = rows(9)
    assert judge("G-5", short[n_gone:], short).outcome is outcome


def test_a_day_without_news_says_so():
    assert judge("G-11", BEFORE).message == "바뀐 값이 없습니다."
    assert judge("G-12", BEFORE).message == "새로 올라온 행이 없습니다."


# --- texts from the site -------------------------------------------------------------------------


def test_a_sentence_shows_what_a_terminal_would_obey():
    after = with_rows(1, status="\u202e\x1b[31m취소됨")
    message = judge("G-4", after).message
    assert message.isprintable()
    assert "\\u202e\\x1b[31m취소됨" in message


# --- several runs of one day ---------------------------------------------------------------------


def earlier_today(counts, *, was_held=False):
    return Past(earlier_today=PastDay(TODAY, counts, was_held))


@pytest.mark.parametrize(
    ("n_earlier", "was_held", "outcome"),
    [(6, False, Outcome.PASS), (7, False, Outcome.HOLD), (46, True, Outcome.PASS)],
)
def test_the_runs_of_a_day_share_its_limit(n_earlier, was_held, outcome):
    past_runs = earlier_today({ROW: {N_WITHDRAWN: n_earlier}}, was_held=was_held)
    gate = judge("G-5", with_rows(4, status="취하"), past=past_runs)
    assert gate.outcome is outcome, gate.message
    assert gate.observed == (4 if was_held else n_earlier + 4)


@pytest.mark.parametrize(
    ("n_rows", "outcome"), [(0, Outcome.PASS), (1, Outcome.PASS), (2, Outcome.HOLD)]
)
def test_the_runs_of_a_day_share_the_limits_of_its_fields(n_rows, outcome):
    past_runs = earlier_today({"company": {N_ODD: 2}})
    gate = judge("G-11", with_rows(n_rows, company="20{n}"), past=past_runs)
    assert gate.outcome is outcome, gate.message


# --- what cannot be computed ---------------------------------------------------------------------


@pytest.mark.parametrize("code", ["G-2", "G-5", "G-11", "G-12"])
def test_the_first_run_has_nothing_to_compare_with_and_says_so(code):
    gate = judge(code, BEFORE, [])
    assert (gate.outcome, gate.observed) == (Outcome.PASS, None)
    assert "최초 수집" in gate.message


@pytest.mark.parametrize("code", ["G-2", "G-5", "G-11", "G-12"])
def test_a_history_without_a_current_record_is_no_yardstick_and_is_held(code):
    gone = KnownRecord("X", BEFORE[0].fields, False, date(2026, 11, 1))
    gate = judge(code, BEFORE, [], known={"X": gone})
    assert (gate.outcome, gate.observed, gate.fault_code) == (Outcome.HOLD, None, "not_computed")
