"""A history that the program wrote is neither refused nor said to be damaged, whatever it lived.

Selectors files that read more or fewer columns, lists from the open API, numbers that are shared:
each of them leaves values in versions that stand in no event.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.model.record import FieldKind, Fields, Record, Snapshot
from dmf_crawler.persist.completion import complete_records
from dmf_crawler.persist.contradictions import refuse_contradictions
from dmf_crawler.persist.recording import known_records
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import BOARD, KINDS, RULES, Diary, a_record, a_snapshot, moment

ALL_KINDS: Mapping[str, FieldKind] = {**KINDS, "document_no": FieldKind.EXACT}
OPTIONAL = ("company", "maker_names", "document_no")
SHARED = "S"

values = st.fixed_dictionaries(
    {
        "company": st.sampled_from(["가", "나"]),
        "maker_names": st.sampled_from([(), ("x",), ("x", "y"), ("x, Inc", "y")]),
        "document_no": st.sampled_from(["", "v1"]),
        "status": st.sampled_from(["정상", "정상", "취하"]),
    }
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One read: what the list said, how many records bear S, which columns were read, and how."""

    listing: Mapping[str, Fields]
    bearers: Sequence[Fields]
    columns: frozenset[str]
    is_of_api: bool


readings = st.builds(
    Reading,
    listing=st.dictionaries(st.sampled_from("AB"), values),
    bearers=st.sampled_from([1, 1, 2, 0]).flatmap(
        lambda n: st.lists(values, min_size=n, max_size=n)
    ),
    columns=st.sets(st.sampled_from(OPTIONAL), min_size=1).map(frozenset),
    is_of_api=st.booleans(),
)


def read_list(reading: Reading, store: Store, *, was_split: bool) -> Snapshot:
    """Return what a run reads, filled in from the history where the open API lacks it."""
    is_split = was_split or len(reading.bearers) > 1
    records = [a_record("Z"), *(a_record(key, **each) for key, each in reading.listing.items())]
    records += [
        a_record(f"{SHARED}|{number}" if is_split else SHARED, **fields)
        for number, fields in enumerate(reading.bearers)
    ]
    snapshot = a_snapshot(
        *(_read_record(record, reading) for record in records),
        split_numbers=[SHARED] if is_split and reading.bearers else [],
    )
    if not reading.is_of_api:
        return snapshot
    return complete_records(snapshot, known_records(store, BOARD), ALL_KINDS)


def _read_record(record: Record, reading: Reading) -> Record:
    fields = {
        name: value
        for name, value in record.fields.items()
        if name not in OPTIONAL or name in reading.columns
    }
    makers = fields.get("maker_names")
    if reading.is_of_api and isinstance(makers, tuple) and makers:
        fields["maker_names"] = (", ".join(makers),)
    return replace(record, fields=fields)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a history without a run, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "dmf.sqlite3"
    Store(path).close()
    return path


@settings(max_examples=60, deadline=None, print_blob=True)
@given(st.lists(readings, min_size=2, max_size=7))
def test_whatever_is_read_the_history_holds_and_can_be_compared(empty, tmp_path_factory, plan):
    path = Path(shutil.copy(empty, tmp_path_factory.mktemp("life") / "dmf.sqlite3"))
    with Store(path, is_sealed=False) as store:
        store.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug here
        was_split = False
        for day, reading in enumerate(plan):
            snapshot = read_list(reading, store, was_split=was_split)
            was_split = was_split or bool(snapshot.split_numbers)
            rules = replace(RULES, kinds=ALL_KINDS, lists_withdrawn=not reading.is_of_api)
            Diary(store).take(snapshot, at=moment(day), rules=rules)
            refuse_contradictions(store, BOARD)
        assert [check for check in verify_history(store) if not check.ok] == []
