"""What one read brings, counted key by key and field by field."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from dmf_crawler.judge.known_values import KnownColumn, shape_of
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.past import (
    N_BACKWARD,
    N_CHANGED,
    N_EMPTIED,
    N_ENTERED,
    N_EXCHANGED,
    N_NEW_VALUES,
    N_ODD,
    N_RESTORED,
    N_REWORDED,
    N_SCRAMBLED,
    N_UNKNOWN,
    N_VANISHED,
    N_WITHDRAWN,
)
from tests.judge.days import LIMITS, a_row, changed, evidence, rows, tally_of

BEFORE = rows(1_200)
OF_ROWS = (N_VANISHED, N_ENTERED, N_WITHDRAWN, N_RESTORED, N_SCRAMBLED)
OF_FIELDS = (
    *(N_CHANGED, N_NEW_VALUES, N_EMPTIED, N_ODD, N_EXCHANGED, N_BACKWARD, N_UNKNOWN),
    N_REWORDED,
)


def with_changes(changes, before=BEFORE):
    """Return a read in which some rows have other values: index → fields."""
    return [
        changed(record, **changes[index]) if index in changes else record
        for index, record in enumerate(before)
    ]


def count(after, name, of="row", before=BEFORE, **other):
    return tally_of(evidence(before, after, **other)).count(name, of)


def test_the_same_list_brings_nothing():
    tally = tally_of(evidence(BEFORE, BEFORE))
    assert {name: tally.count(name) for name in OF_ROWS} == dict.fromkeys(OF_ROWS, 0)
    assert {tally.count(name, field) for field in BEFORE[0].fields for name in OF_FIELDS} == {0}
    assert tally.examples == {}


# --- rows ----------------------------------------------------------------------------------------


def test_rows_that_enter_and_vanish_are_counted_with_where_they_stand():
    tally = tally_of(evidence(BEFORE, [*BEFORE[2:], a_row(5_000), a_row(5_001), a_row(5_002)]))
    assert (tally.count(N_VANISHED), tally.count(N_ENTERED)) == (2, 3)
    assert [each.key for each in tally.shown(N_VANISHED)] == sorted(r.key for r in BEFORE[:2])
    assert {each.source for each in tally.shown(N_VANISHED)} == {""}  # no page of today has them
    first = tally.shown(N_ENTERED)[0]
    assert (first.before, first.after, first.source) == (None, first.key, "page-50")


def test_a_row_that_was_missing_before_did_not_vanish_today():
    missing = KnownRecord("X", a_row(9_000).fields, True, date(2026, 11, 29), 2, date(2026, 11, 30))
    assert count(BEFORE, N_VANISHED, known={"X": missing}) == 0


def test_a_closed_record_that_returns_enters():
    closed = KnownRecord(BEFORE[0].key, BEFORE[0].fields, is_current=False)
    assert count(BEFORE, N_ENTERED, known={closed.key: closed}) == 1


def test_withdrawals_and_restorations_by_status_are_counted_apart():
    before = with_changes({n: {"status": "취하"} for n in (7, 8, 9)})
    after = with_changes({n: {"status": "취하"} for n in (1, 2)}, BEFORE)
    tally = tally_of(evidence(before, after))
    assert (tally.count(N_WITHDRAWN), tally.count(N_RESTORED)) == (2, 3)
    assert {(each.before, each.after) for each in tally.shown(N_WITHDRAWN)} == {("정상", "취하")}


@pytest.mark.parametrize(("n_fields", "n_rows"), [(4, 0), (5, 1)])
def test_a_row_of_which_many_fields_changed_is_scrambled(n_fields, n_rows):
    new = {"company": "하", "makers": ("B",), "country": "일본", "year": "2026", "document": "x"}
    fields = dict(list(new.items())[:n_fields])
    assert count(with_changes({3: fields}), N_SCRAMBLED) == n_rows


# --- fields --------------------------------------------------------------------------------------


def test_a_renamed_company_changes_many_rows_and_brings_one_value():
    old = BEFORE[5].fields["company"]
    after = [
        changed(each, company="새로운제약(주)") if each.fields["company"] == old else each
        for each in BEFORE
    ]
    tally = tally_of(evidence(BEFORE, after))
    assert tally.count(N_CHANGED, "company") == 13
    assert tally.count(N_NEW_VALUES, "company") == 1


def test_cells_that_were_filled_and_are_empty_are_counted():
    after = with_changes({0: {"company": ""}, 1: {"makers": ()}, 3: {"makers": ("", "")}})
    assert count(after, N_EMPTIED, "company") == 1
    assert count(after, N_EMPTIED, "makers") == 2


def test_a_list_of_values_that_lost_some_or_says_one_twice_is_counted():
    before = with_changes({n: {"makers": ("Maker Aa Ltd.", "Maker Ba Ltd.")} for n in range(9)})
    shorter = with_changes({0: {"makers": ("Maker Aa Ltd.",)}}, before)
    assert count(shorter, N_EMPTIED, "makers", before=before) == 1
    twice = with_changes({0: {"makers": ("Maker Aa Ltd.", "Maker Aa Ltd.")}}, before)
    assert count(twice, N_ODD, "makers", before=before) == 1
    other = with_changes({0: {"makers": ("Maker Aa Ltd.", "Maker Ca Ltd.")}}, before)
    assert count(other, N_ODD, "makers", before=before) == 0


def test_one_text_in_many_empty_cells_is_odd_in_each_of_them():
    before = with_changes({n: {"document": ""} for n in range(20)})
    after = with_changes({n: {"document": "-"} for n in range(20)})
    assert count(after, N_ODD, "document", before=before) == 20


@pytest.mark.parametrize(
    ("day", "n_odd"), [("1970-01-01", 1), ("2026-12-02", 0), ("2026-12-03", 1), ("2024-02-30", 1)]
)
def test_a_day_that_cannot_be_is_odd(day, n_odd):
    assert count(with_changes({1: {"changed_on": day}}), N_ODD, "changed_on") == n_odd


def test_rows_of_which_one_known_word_becomes_another_are_counted_but_for_the_status():
    after = with_changes({0: {"country": "중국", "status": "취하"}, 1: {"country": ""}})
    assert count(after, N_REWORDED, "country") == 1
    assert count(after, N_REWORDED, "status") == 0


@pytest.mark.parametrize(
    ("fields", "of", "n_odd"),
    [
        ({"company": "아주 새로운 제약(주)"}, "company", 1),  # no company has blanks
        ({"company": "차차제약(주)"}, "company", 0),
        ({"company": "2025"}, "company", 1),  # a year, known in another column
        ({"country": "정상"}, "country", 1),
        ({"company": "가나제약(주"}, "company", 1),
        ({"makers": ("Maker Aa Ltd",)}, "makers", 1),  # cut short
        ({"makers": ("Maker Zz &amp; Co.",)}, "makers", 1),
        ({"makers": ("Maker Zz <b>Ltd.</b>",)}, "makers", 1),
        ({"makers": ("Maker \ufffd Ltd.",)}, "makers", 1),
        ({"makers": ("Maker Zz Ltd.",)}, "makers", 0),
        ({"makers": ("Maker Zz Ltd.", "Maker Qq Ltd.")}, "makers", 0),
        ({"changed_on": "2020-01-05"}, "changed_on", 0),  # a day may stand in any column of days
        ({"document": "v0.9.0/2026"}, "document", 0),
        ({"document": "0.9.0/2026"}, "document", 1),
        ({"status": ""}, "status", 0),
    ],
)
def test_values_that_do_not_belong_into_a_column_are_odd(fields, of, n_odd):
    assert BEFORE[0].fields["makers"] == ("Maker Aa Ltd.",)
    assert count(with_changes({0: fields}), N_ODD, of) == n_odd


def test_what_was_odd_in_the_text_before_is_not_news():
    before = with_changes({0: {"makers": ("Maker <Unit-1> Ltd.",)}})
    after = with_changes({0: {"makers": ("Maker <Unit-2> Ltd.",)}})
    assert count(after, N_ODD, "makers", before=before) == 0


def test_one_thing_that_explains_many_odd_rows_counts_once():
    old = BEFORE[5].fields["company"]
    after = [
        changed(each, company="ABC") if each.fields["company"] == old else each for each in BEFORE
    ]
    assert count(after, N_ODD, "company") == 1
    junk = with_changes({n: {"company": "ABC"} for n in range(20)})
    assert count(junk, N_ODD, "company") == 20  # one new value in place of twenty


def test_the_number_is_left_to_the_gate_that_looks_at_numbers():
    after = with_changes({0: {"reg_no": "엉뚱한 번호"}})
    assert count(after, N_ODD, "reg_no") == 0


def test_values_of_other_changed_rows_mean_that_rows_have_slipped():
    companies = [record.fields["company"] for record in BEFORE]
    slipped = with_changes({n: {"company": companies[n + 1]} for n in range(9)})
    assert count(slipped, N_EXCHANGED, "company") == 8  # the last one's is of an unchanged row
    assert count(slipped, N_ODD, "company") == 0


def test_of_statuses_and_words_nobody_says_that_they_slipped():
    swapped = {0: "중국", 1: "인도", 2: "인도", 3: "대한민국", 4: "대한민국", 5: "인도"}
    after = with_changes({n: {"country": country} for n, country in swapped.items()})
    assert count(after, N_EXCHANGED, "country") == 0


def test_a_fixed_date_that_changes_and_a_growing_one_that_goes_back_are_counted():
    after = with_changes(
        {
            1: {"first_on": "2021-05-05", "changed_on": "2022-01-01", "year": "2024"},
            3: {"changed_on": "2024-12-31", "year": "2026"},
            0: {"changed_on": "2024-12-31"},  # was empty
            5: {"changed_on": ""},  # emptied is another count
            7: {"changed_on": "언젠가"},  # nobody can say
        }
    )
    tally = tally_of(evidence(BEFORE, after))
    assert [tally.count(N_BACKWARD, of) for of in ("first_on", "changed_on", "year")] == [1, 1, 1]


def test_words_that_no_record_had_are_counted_by_row_in_a_vocabulary_alone():
    after = with_changes({n: {"country": "가상국", "company": f"가{n}제약(주)"} for n in range(4)})
    assert count(after, N_UNKNOWN, "country") == 4
    assert count(after, N_UNKNOWN, "company") == 0


@pytest.mark.parametrize(
    ("years", "is_forward"),
    [
        (["2026"], True),
        (["2026", "2027", "2028"], True),
        (["2026", "2027", "2028", "2029"], False),
        (["2026", "2024"], False),
    ],
)
def test_a_wave_of_reports_goes_forward_in_a_few_new_values(years, is_forward):
    after = with_changes({n: {"year": years[n % len(years)]} for n in range(100)})
    assert ("year" in tally_of(evidence(BEFORE, after)).is_forward) is is_forward


def test_a_field_that_may_go_anywhere_is_never_forward():
    after = with_changes({n: {"document": "v9.0.0/2026"} for n in range(100)})
    assert "document" not in tally_of(evidence(BEFORE, after)).is_forward


def test_at_most_ten_places_are_shown_different_ones_first():
    same = {n: {"company": "가가제약(주)"} for n in range(1, 40)}
    after = with_changes({**same, 50: {"company": "나나제약(주)"}})
    shown = tally_of(evidence(BEFORE, after)).shown(N_CHANGED, "company")
    assert len(shown) == 2  # of new values, one place each
    scrambled = {"company": "하", "makers": ("B",), "country": "X", "year": "1", "document": "x"}
    after = with_changes(dict.fromkeys(range(40), scrambled))
    tally = tally_of(evidence(BEFORE, after))
    assert (tally.count(N_SCRAMBLED), len(tally.shown(N_SCRAMBLED))) == (40, 10)
    assert len({each.before for each in tally.shown(N_SCRAMBLED)}) == 10


def test_cosmetic_changes_are_changes_of_a_read_too():
    after = with_changes({n: {"document": " v0.1.0/2025"} for n in range(1, 200, 5)})
    assert count(after, N_CHANGED, "document") == 40


# --- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shape"),
    [("20260922-104-F", "9-9-A"), ("가나 Ltd.", "가_A."), ("", ""), ("㈜가", "㈜가")],
)
def test_a_shape_has_one_sign_for_each_run(text, shape):
    assert shape_of(text) == shape


@pytest.mark.parametrize(
    ("texts", "is_closed"),
    [
        (["1"] * 100, True),
        (["1"] * 99, False),  # too few to say so
        (["1"] * 199 + ["가"], True),  # one of two hundred seen once: 0.5 %
        (["1"] * 99 + ["가"], False),
    ],
)
def test_a_column_is_closed_when_a_new_shape_is_unlikely(texts, is_closed):
    assert KnownColumn(texts).has_few_shapes(LIMITS.closed_ratio) is is_closed


def test_records_without_the_field_count_as_empty_cells():
    before = [replace(each, fields={"reg_no": each.key}) for each in BEFORE]
    assert count(before, N_CHANGED, "company", before=before) == 0
