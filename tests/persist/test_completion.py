"""What a source leaves out or joins is filled in from the history, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import Record, Value
from dmf_crawler.persist.completion import complete_records
from tests.persist.builders import KINDS, a_record, a_snapshot, known_from

MAKERS = ("Hetero Labs Limited, Unit-I", "Hetero Drugs Limited")
JOINED = ("Hetero Labs Limited, Unit-I,Hetero Drugs Limited",)


def of_api(key: str = "A", **changed: Value) -> Record:
    """Return a record as the open API has it: no status, makers in one text."""
    record = a_record(key, maker_names=JOINED)
    return replace(
        record,
        fields={name: each for name, each in record.fields.items() if name != "status"} | changed,
    )


def complete(record: Record, *known: Record, is_joined: bool = False) -> Record:
    before = {key: replace(each, is_joined=is_joined) for key, each in known_from(*known).items()}
    return complete_records(a_snapshot(record), before, KINDS).records[record.key]


def test_a_record_that_says_what_is_known_becomes_what_is_known():
    completed = complete(of_api(), a_record("A", status="취하"))
    assert completed.fields == a_record("A", status="취하").fields
    assert list(completed.fields) == list(KINDS)
    assert not completed.is_joined


def test_what_changed_is_what_the_source_says():
    completed = complete(of_api(company="국전약품(주)"), a_record("A"))
    assert completed.fields == a_record("A", company="국전약품(주)").fields


@pytest.mark.parametrize(
    "text",
    [
        "Hetero Labs Limited, Unit-I,Hetero Drugs Limited",
        "Hetero Labs Limited, Unit-I\r\n, Hetero Drugs Limited",
        "HeteroLabs Limited,Unit-I,Hetero  Drugs Limited",
    ],
)
def test_values_in_one_text_are_the_known_ones_whatever_white_space_and_commas(text):
    assert complete(of_api(maker_names=(text,)), a_record("A")).fields["maker_names"] == MAKERS


@pytest.mark.parametrize(
    "value", [("Hetero Labs Limited, Unit-II,Hetero Drugs Limited",), ("Hetero",), ()]
)
def test_other_values_in_one_text_are_other_values(value):
    assert complete(of_api(maker_names=value), a_record("A")).fields["maker_names"] == value


def test_two_lists_of_the_same_letters_are_not_the_same():
    """Only a text that may have been joined is compared without its commas."""
    other = ("Hetero Labs Limited", "Unit-I", "Hetero Drugs Limited")
    assert complete(of_api(maker_names=other), a_record("A")).fields["maker_names"] == other


def test_a_new_record_has_what_the_source_has_and_is_marked():
    completed = complete(of_api())
    assert "status" not in completed.fields
    assert completed.fields["maker_names"] == JOINED
    assert completed.is_joined


def test_one_value_without_a_comma_cannot_be_joined():
    assert not complete(of_api(maker_names=("Bayer AG",))).is_joined


@pytest.mark.parametrize(("is_joined", "expected"), [(True, True), (False, False)])
def test_a_text_that_was_known_as_joined_stays_marked(is_joined, expected):
    known = a_record("A", maker_names=JOINED)
    assert complete(of_api(), known, is_joined=is_joined).is_joined is expected


def test_a_field_that_no_selectors_file_knows_any_more_is_not_brought_back():
    known = {"A": KnownRecord("A", {"old": "x", "status": "정상"}, is_current=True)}
    completed = complete_records(a_snapshot(of_api()), known, KINDS).records["A"]
    assert "old" not in completed.fields
    assert completed.fields["status"] == "정상"


def test_where_it_was_read_from_stays():
    record = of_api()
    completed = complete(record, a_record("A"))
    assert (completed.source, completed.url, completed.row_no) == (
        record.source,
        record.url,
        record.row_no,
    )
