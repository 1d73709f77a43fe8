from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from dmf_crawler.model.change import Change, Counts, EventType, Grade, KnownRecord, Reason
from dmf_crawler.model.record import FieldKind, Record
from dmf_crawler.persist.diff import count_changes, diff_snapshot, find_field_changes
from tests.persist.builders import KINDS, RULES, a_record, a_snapshot, known_from

DAY = date(2026, 12, 3)


def missing_for(record: Record, n_reads: int) -> KnownRecord:
    """Return a record that the last n_reads reads, one a day until yesterday, did not have."""
    return KnownRecord(
        record.key,
        record.fields,
        is_current=True,
        missing_since=DAY - timedelta(days=n_reads),
        n_missing_reads=n_reads,
        last_missed_on=DAY - timedelta(days=1),
    )


def the_change(before: Record, after: Record) -> Change:
    """Return the one change between a known and a read record."""
    change_set = diff_snapshot(known_from(before), a_snapshot(after), day=DAY, rules=RULES)
    assert len(change_set.changes) == 1
    return change_set.changes[0]


# --- present -----------------------------------------------------------------------------------


def test_a_key_never_seen_is_new():
    change_set = diff_snapshot({}, a_snapshot(a_record("A")), day=DAY, rules=RULES)

    assert change_set.changes == (Change(EventType.NEW, "A", a_record("A")),)


def test_a_key_first_seen_as_withdrawn_is_new():
    change_set = diff_snapshot({}, a_snapshot(a_record("A", status="취하")), day=DAY, rules=RULES)

    assert [change.kind for change in change_set.changes] == [EventType.NEW]


def test_a_change_names_before_and_after_of_every_differing_field_in_the_order_of_the_selectors():
    change = the_change(
        a_record("A"), a_record("A", maker_names=("Hetero Drugs Limited",), company="국전약품(주)")
    )

    assert (change.kind, change.reason) == (EventType.MODIFIED, None)
    assert [(field.field, field.before, field.after, field.kind) for field in change.changes] == [
        ("company", "(주)삼오제약", "국전약품(주)", FieldKind.NAME),
        (
            "maker_names",
            ("Hetero Labs Limited, Unit-I", "Hetero Drugs Limited"),
            ("Hetero Drugs Limited",),
            FieldKind.NAME,
        ),
    ]


def test_every_column_is_compared_whatever_its_kind():
    """D7: the draft compared only the columns that it had a rule for."""
    before = a_record("A")
    for name in KINDS:
        after = a_record("A", **{name: "다른 값"})
        assert [change.field for change in the_change(before, after).changes] == [name]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("비타민(미분화)", "비타민(무균)"),
        ("10²", "102"),
        ("가나제약 (팔탄공장)", "가나제약 (평택공장)"),
        ("(R)-염산염", "(S)-염산염"),
        ("가(나(다)라)", "가(나(다)마)"),
    ],
)
def test_names_that_only_look_alike_stay_different(before, after):
    """D9 to D13: the drafted normal forms merged these."""
    change = the_change(a_record("A", ingredient_name=before), a_record("A", ingredient_name=after))

    assert change.changes[0].grade not in {Grade.SAME, Grade.COSMETIC}


def test_a_difference_of_typing_alone_is_recorded_as_cosmetic():
    change = the_change(a_record("A"), a_record("A", company="㈜ 삼오제약"))

    assert change.kind is EventType.MODIFIED
    assert change.is_cosmetic


@pytest.mark.parametrize("word", ["취하", "취소", "말소"])
def test_a_status_of_withdrawal_is_a_withdrawal_at_once(word):
    change = the_change(a_record("A"), a_record("A", status=word))

    assert (change.kind, change.reason, change.closes) == (
        EventType.WITHDRAWN,
        Reason.STATUS,
        False,
    )


def test_withdrawn_and_changed_in_one_step_keeps_both():
    """D2: the draft reported the status and lost everything else for ever."""
    change = the_change(a_record("A"), a_record("A", status="취하", company="국전약품(주)"))

    assert change.kind is EventType.WITHDRAWN
    assert [field.field for field in change.changes] == ["company", "status"]


def test_a_status_back_to_normal_is_restored():
    change = the_change(a_record("A", status="취하"), a_record("A"))

    assert (change.kind, change.reason) == (EventType.REAPPEARED, Reason.RESTORED)


@pytest.mark.parametrize("status", ["", "자진취하", "취하처리"])
def test_a_word_that_nobody_knows_restores_nothing(status):
    """Only the word for in force brings a withdrawn record back."""
    change = the_change(a_record("A", status="취하"), a_record("A", status=status))

    assert (change.kind, change.reason) == (EventType.MODIFIED, None)


def test_one_word_of_withdrawal_for_another_is_a_change_like_any_other():
    change = the_change(a_record("A", status="취하"), a_record("A", status="취소"))

    assert (change.kind, change.reason) == (EventType.MODIFIED, None)


@pytest.mark.parametrize("typed", ["취 하", "취\u200b하", "\ucde8\u1112\u1161"])
def test_the_word_of_withdrawal_counts_however_it_is_typed(typed):
    withdrawn = the_change(a_record("A"), a_record("A", status=typed))
    retyped = the_change(a_record("A", status="취하"), a_record("A", status=typed))

    assert (withdrawn.kind, withdrawn.reason) == (EventType.WITHDRAWN, Reason.STATUS)
    assert retyped.is_cosmetic


def test_a_status_that_holds_several_values_is_no_withdrawal():
    change = the_change(a_record("A"), a_record("A", status=("취하", "정상")))

    assert change.kind is EventType.MODIFIED


def test_a_status_column_that_a_newer_selectors_file_adds_withdraws_nobody():
    withdrawn = a_record("A", status="취하")
    before = replace(withdrawn, fields={k: v for k, v in withdrawn.fields.items() if k != "status"})

    change_set = diff_snapshot(known_from(before), a_snapshot(withdrawn), day=DAY, rules=RULES)

    assert change_set.changes == ()
    assert change_set.backfilled == ("A",)


def test_a_status_column_that_a_newer_selectors_file_drops_restores_nobody():
    withdrawn = a_record("A", status="취하")
    after = replace(withdrawn, fields={k: v for k, v in withdrawn.fields.items() if k != "status"})

    change_set = diff_snapshot(known_from(withdrawn), a_snapshot(after), day=DAY, rules=RULES)

    assert change_set.changes == ()


def test_a_board_without_a_status_knows_no_withdrawal_by_status():
    rules = replace(RULES, status_field="", withdrawn_words=frozenset())
    after = a_record("A", status="취하")

    change_set = diff_snapshot(known_from(a_record("A")), a_snapshot(after), day=DAY, rules=rules)

    assert [change.kind for change in change_set.changes] == [EventType.MODIFIED]


def test_a_field_that_only_the_read_record_has_is_filled_up_without_a_change():
    after = a_record("A", document_no="v1.0.0/2026")

    change_set = diff_snapshot(known_from(a_record("A")), a_snapshot(after), day=DAY, rules=RULES)

    assert (change_set.changes, change_set.backfilled) == ((), ("A",))


def test_a_changed_record_with_a_new_field_is_changed_not_filled_up():
    after = a_record("A", document_no="v1.0.0/2026", company="국전약품(주)")

    change_set = diff_snapshot(known_from(a_record("A")), a_snapshot(after), day=DAY, rules=RULES)

    assert [field.field for field in change_set.changes[0].changes] == ["company"]
    assert change_set.backfilled == ()


def test_a_field_outside_the_rules_is_not_compared():
    changes = find_field_changes({"no": "1"}, {"no": "2"}, KINDS)

    assert list(changes) == []


# --- absent ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_reads", [0, 1, 2])
def test_before_the_fourth_read_without_it_a_record_is_missing_and_nothing_more(n_reads):
    known = known_from(a_record("A"))
    if n_reads:
        known["A"] = missing_for(a_record("A"), n_reads)

    change_set = diff_snapshot(known, a_snapshot(a_record("B")), day=DAY, rules=RULES)

    assert change_set.missing == ("A",)
    assert [change.key for change in change_set.changes] == ["B"]


def test_at_the_fourth_read_without_it_a_record_is_withdrawn_as_missing():
    known = {"A": missing_for(a_record("A"), 3)}

    change_set = diff_snapshot(known, a_snapshot(), day=DAY, rules=RULES)

    assert change_set.missing == ()
    assert change_set.changes == (
        Change(
            EventType.WITHDRAWN,
            "A",
            None,
            reason=Reason.MISSING,
            missing_since=DAY - timedelta(days=3),
        ),
    )
    assert change_set.changes[0].closes


def test_two_reads_of_one_day_count_once():
    known = {"A": replace(missing_for(a_record("A"), 3), last_missed_on=DAY)}

    change_set = diff_snapshot(known, a_snapshot(), day=DAY, rules=RULES)

    assert (change_set.missing, change_set.changes) == (("A",), ())


def test_a_record_withdrawn_by_status_that_leaves_the_list_is_delisted():
    known = {"A": missing_for(a_record("A", status="취하"), 3)}

    change_set = diff_snapshot(known, a_snapshot(), day=DAY, rules=RULES)

    (change,) = change_set.changes
    assert (change.kind, change.reason, change.closes) == (
        EventType.MODIFIED,
        Reason.DELISTED,
        True,
    )
    assert change.missing_since == DAY - timedelta(days=3)


def test_with_a_limit_of_one_read_a_record_is_withdrawn_the_day_it_vanishes():
    rules = replace(RULES, missing_runs=1)

    change_set = diff_snapshot(known_from(a_record("A")), a_snapshot(), day=DAY, rules=rules)

    assert change_set.changes[0].missing_since == DAY


def test_a_record_back_before_it_was_due_is_no_change():
    known = {"A": missing_for(a_record("A"), 3)}

    change_set = diff_snapshot(known, a_snapshot(a_record("A")), day=DAY, rules=RULES)

    assert (change_set.changes, change_set.came_back) == ((), ("A",))


def test_a_record_back_with_another_value_is_changed_and_came_back():
    known = {"A": missing_for(a_record("A"), 3)}

    change_set = diff_snapshot(
        known, a_snapshot(a_record("A", status="취하")), day=DAY, rules=RULES
    )

    assert [change.reason for change in change_set.changes] == [Reason.STATUS]
    assert change_set.came_back == ("A",)


def test_a_closed_record_in_the_list_again_has_reappeared_with_what_differs():
    known = {"A": replace(known_from(a_record("A"))["A"], is_current=False)}

    change_set = diff_snapshot(
        known, a_snapshot(a_record("A", company="국전약품(주)")), day=DAY, rules=RULES
    )

    (change,) = change_set.changes
    assert (change.kind, change.reason) == (EventType.REAPPEARED, Reason.RETURNED)
    assert [field.field for field in change.changes] == ["company"]
    assert change_set.came_back == ()


def test_a_closed_record_that_stays_away_is_neither_missing_nor_changed():
    known = {"A": replace(known_from(a_record("A"))["A"], is_current=False)}

    change_set = diff_snapshot(known, a_snapshot(), day=DAY, rules=RULES)

    assert (change_set.changes, change_set.missing) == ((), ())


# --- numbers that several records share -------------------------------------------------------

HEIR = a_record("A|(주)삼오제약|2026-09-22")
OTHER = a_record("A|국전약품(주)|2026-11-30", company="국전약품(주)", registered_on="2026-11-30")


def test_when_a_number_stops_to_identify_a_record_nobody_is_withdrawn():
    snapshot = a_snapshot(OTHER, HEIR, split_numbers=["A"])

    change_set = diff_snapshot(known_from(a_record("A")), snapshot, day=DAY, rules=RULES)

    assert [(change.kind, change.key, change.reason) for change in change_set.changes] == [
        (EventType.MODIFIED, "A", Reason.REKEYED),
        (EventType.NEW, HEIR.key, Reason.REKEYED),
        (EventType.NEW, OTHER.key, None),
    ]
    assert change_set.changes[0].closes
    assert not change_set.changes[1].closes
    assert change_set.missing == ()
    assert count_changes(change_set) == Counts(NEW=1)


def test_what_changed_on_the_way_to_the_new_key_is_kept():
    withdrawn = a_record(HEIR.key, status="취하")
    snapshot = a_snapshot(OTHER, withdrawn, split_numbers=["A"])

    change_set = diff_snapshot(known_from(a_record("A")), snapshot, day=DAY, rules=RULES)

    first = change_set.changes[0]
    assert [(field.field, field.before, field.after) for field in first.changes] == [
        ("status", "정상", "취하")
    ]
    assert (first.kind, first.reason, first.closes) == (EventType.WITHDRAWN, Reason.REKEYED, True)
    assert count_changes(change_set) == Counts(NEW=1, WITHDRAWN=1)


def test_a_renamed_applicant_of_a_shared_number_is_neither_new_nor_missing():
    """The key holds the applicant: the record goes on under another one."""
    renamed = a_record("A|삼오파마|2026-09-22", company="삼오파마")
    snapshot = a_snapshot(OTHER, renamed, split_numbers=["A"])

    change_set = diff_snapshot(known_from(HEIR, OTHER), snapshot, day=DAY, rules=RULES)

    assert [(change.kind, change.key, change.reason) for change in change_set.changes] == [
        (EventType.MODIFIED, HEIR.key, Reason.REKEYED),
        (EventType.NEW, renamed.key, Reason.REKEYED),
    ]
    assert count_changes(change_set) == Counts(MODIFIED=1)
    assert [field.field for field in change_set.changes[0].changes] == ["company"]
    assert change_set.missing == ()


def test_another_record_under_a_shared_number_is_no_heir_of_one_that_is_gone():
    third = a_record("A|대신무약|2027-01-04", company="대신무약", registered_on="2027-01-04")
    snapshot = a_snapshot(OTHER, third, split_numbers=["A"])

    change_set = diff_snapshot(known_from(HEIR, OTHER), snapshot, day=DAY, rules=RULES)

    assert [(change.kind, change.key) for change in change_set.changes] == [
        (EventType.NEW, third.key)
    ]
    assert change_set.missing == (HEIR.key,)


def test_a_record_under_a_composite_key_stays_under_it():
    known = known_from(HEIR, OTHER)
    snapshot = a_snapshot(HEIR, split_numbers=["A"])

    change_set = diff_snapshot(known, snapshot, day=DAY, rules=RULES)

    assert (change_set.changes, change_set.missing) == ((), (OTHER.key,))


def test_a_record_that_has_its_composite_key_already_is_nobodys_heir():
    known = known_from(a_record("A"), HEIR)
    snapshot = a_snapshot(HEIR, split_numbers=["A"])

    change_set = diff_snapshot(known, snapshot, day=DAY, rules=RULES)

    assert (change_set.changes, change_set.missing) == ((), ("A",))


def test_a_closed_record_whose_number_is_shared_later_has_no_heir():
    known = {"A": replace(known_from(a_record("A"))["A"], is_current=False)}
    snapshot = a_snapshot(OTHER, HEIR, split_numbers=["A"])

    change_set = diff_snapshot(known, snapshot, day=DAY, rules=RULES)

    assert {change.reason for change in change_set.changes} == {None}


def test_a_shared_number_none_of_whose_records_is_listed_leaves_its_record_missing():
    snapshot = a_snapshot(a_record("B"), split_numbers=["A", "C"])

    change_set = diff_snapshot(known_from(a_record("A")), snapshot, day=DAY, rules=RULES)

    assert change_set.missing == ("A",)


# --- counts ------------------------------------------------------------------------------------


def test_keys_are_counted_by_what_happened_to_them():
    known = known_from(*(a_record(key) for key in "BCDF"), a_record("E", status="취하"))
    known["F"] = missing_for(a_record("F"), 3)
    snapshot = a_snapshot(
        a_record("A"),
        a_record("B", company="국전약품(주)", status="이관"),
        a_record("C", company="㈜삼오제약"),
        a_record("D", status="취소"),
        a_record("E"),
    )

    change_set = diff_snapshot(known, snapshot, day=DAY, rules=RULES)

    assert count_changes(change_set) == Counts(
        NEW=1, MODIFIED=1, WITHDRAWN=2, REAPPEARED=1, COSMETIC=1
    )
