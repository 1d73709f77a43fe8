from __future__ import annotations

from dataclasses import replace

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.publish.report.tally import is_cosmetic, tally_board
from tests.publish.builders import a_board, a_change, a_missing_record, a_record, an_event

COSMETIC = a_change(grade=Grade.COSMETIC)


def test_each_record_is_counted_under_what_it_did() -> None:
    board = a_board(
        records=[
            a_record("A"),
            a_record("B", status="취하"),
            a_missing_record("C", days=1, n_reads=2),
        ],
        events=[
            an_event(EventType.NEW, "A"),
            an_event(EventType.MODIFIED, "B", changes=[a_change(), a_change("target"), COSMETIC]),
            an_event(EventType.MODIFIED, "D", changes=[COSMETIC]),
            an_event(EventType.MODIFIED, "E", reason=Reason.DELISTED),
            an_event(EventType.WITHDRAWN, "F", reason=Reason.MISSING),
            an_event(EventType.REAPPEARED, "G", reason=Reason.RETURNED),
        ],
    )
    tally = tally_board(board)
    assert (tally.n_new, tally.n_changed, tally.n_withdrawn, tally.n_reappeared) == (1, 2, 1, 1)
    assert (tally.n_changed_fields, tally.n_cosmetic, tally.n_events) == (2, 1, 5)
    assert (tally.n_missing, tally.n_records, tally.n_normal) == (1, 3, 2)


def test_a_mere_change_of_key_counts_nowhere() -> None:
    events = [
        an_event(EventType.MODIFIED, "A", reason=Reason.REKEYED),
        an_event(EventType.NEW, "A|(주)가|2020-05-11", reason=Reason.REKEYED),
    ]
    tally = tally_board(a_board(events=events))
    assert (tally.n_events, tally.n_cosmetic) == (0, 0)


def test_two_runs_of_a_day_count_a_record_once() -> None:
    events = [
        an_event(EventType.MODIFIED, "A", changes=[COSMETIC]),
        an_event(EventType.MODIFIED, "A", changes=[a_change()]),
        an_event(EventType.MODIFIED, "A", changes=[a_change("target")]),
    ]
    tally = tally_board(a_board(events=events))
    assert (tally.n_changed, tally.n_cosmetic, tally.n_changed_fields) == (1, 0, 2)


def test_a_board_without_a_status_has_no_number_of_normal_records() -> None:
    assert tally_board(replace(a_board(records=[a_record()]), status_field="")).n_normal is None


def test_a_record_that_left_the_list_is_never_merely_cosmetic() -> None:
    delisted = an_event(EventType.MODIFIED, changes=[COSMETIC], reason=Reason.DELISTED)
    assert not is_cosmetic(delisted)
    assert is_cosmetic(replace(delisted, reason=None))
    assert not is_cosmetic(an_event(EventType.NEW))
