"""A list that its own events contradict is not compared with the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.contradictions import refuse_contradictions
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, Diary, a_record, moment
from tests.persist.tampering import tamper, unguarded

DAMAGE = {
    "a letter of the version": "UPDATE dmf_record SET payload_json ="
    " replace(payload_json, '국전', '국견') WHERE natural_key = 'A' AND is_current = 1",
    "a key of the version": "UPDATE dmf_record SET payload_json ="
    " replace(payload_json, '\"company\"', '\"compamy\"') WHERE natural_key = 'A'",
    "a version without event": "UPDATE dmf_record SET natural_key = 'a' WHERE natural_key = 'A'",
    "the version of a closed record": "UPDATE dmf_record SET payload_json ="
    " replace(payload_json, '국전', '국견') WHERE natural_key = 'B'",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield store


@pytest.fixture
def diary(store):
    """Two records, one of which was changed; the other one is gone for good."""
    diary = Diary(store)
    diary.read(a_record("A"), a_record("B", company="국전약품(주)"), at=moment(0))
    for day in (1, 2, 3, 4):
        diary.read(a_record("A", company="국전약품(주)"), at=moment(day))
    return diary


def test_a_history_as_it_was_recorded_is_let_through(diary, store):
    refuse_contradictions(store, BOARD)


@pytest.mark.parametrize("sql", DAMAGE.values(), ids=DAMAGE)
def test_a_version_that_its_event_contradicts_is_refused(diary, store, sql):
    with unguarded(store.path) as connection:
        assert connection.execute(sql).rowcount > 0

    with pytest.raises(StoreError) as caught:
        refuse_contradictions(store, BOARD)

    assert caught.value.code == "record_contradicted"
    assert "verify" in caught.value.message


def test_a_value_that_is_no_json_any_more_is_refused(diary, store):
    tamper(store.path, "UPDATE dmf_record SET payload_json = '{' || payload_json")

    with pytest.raises(StoreError, match="read_failed"):
        refuse_contradictions(store, BOARD)


def test_a_field_that_a_newer_selectors_file_added_needs_no_event(diary, store):
    more = "json_set(payload_json, '$.more', 'x')"
    tamper(store.path, f"UPDATE dmf_record SET payload_json = {more}")

    refuse_contradictions(store, BOARD)


def test_another_board_is_not_looked_at(diary, store):
    tamper(store.path, "UPDATE dmf_record SET payload_json = '{}'")

    refuse_contradictions(store, "another")
