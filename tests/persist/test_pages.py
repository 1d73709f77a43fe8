from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.pages import known_detail, known_pages, record_pages
from dmf_crawler.persist.recording import record_accepted
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import (
    BOARD,
    RULES,
    Diary,
    a_known_page,
    a_record,
    a_snapshot,
    accept,
    moment,
    summarise,
    values,
)

FIRST = a_known_page("http://127.0.0.1/bbs/21/7")
SECOND = replace(
    a_known_page("http://127.0.0.1/cmn/edms/down/1"),
    kind="file",
    etag="",
    last_modified="",
    row_digest="",
    content_digest="",
    is_whole=False,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def test_a_board_that_was_never_visited_has_no_known_pages(store):
    assert known_pages(store, BOARD) == {}


def test_pages_are_known_as_they_were_recorded_by_their_request(store):
    run = Diary(store).read(a_record("A"), at=moment(0)).run
    with store.atomic():
        record_pages(store, run, [("A", SECOND), ("A", FIRST)])

    found = known_pages(store, BOARD)

    assert found == {FIRST.identity: FIRST, SECOND.identity: SECOND}
    assert list(found) == [FIRST.identity, SECOND.identity]
    assert known_pages(store, "notices") == {}


def test_the_detail_page_of_a_record_is_the_one_seen_last_and_no_file(store):
    run = Diary(store).read(a_record("A"), a_record("B"), at=moment(0)).run
    moved = replace(FIRST, identity=("GET", "http://127.0.0.1/bbs/21/8", ""), fetched_at=moment(1))
    file = replace(SECOND, fetched_at=moment(2))
    with store.atomic():
        record_pages(store, run, [("A", FIRST), ("A", moved), ("A", file)])

    assert known_detail(store, BOARD, "A") == moved
    assert known_detail(store, BOARD, "B") is None
    assert known_detail(store, "notices", "A") is None


def test_a_later_visit_replaces_what_it_saw_and_leaves_the_rest(store):
    diary = Diary(store)
    first = diary.read(a_record("A"), at=moment(0)).run
    second = diary.read(a_record("A"), at=moment(1)).run
    later = replace(
        FIRST,
        etag='"8"',
        fetched_at=moment(1),
        content_digest="8899aabbccddeeff",
        is_whole=False,
        n_new_validators=0,
    )
    with store.atomic():
        record_pages(store, first, [("A", FIRST), ("A", SECOND)])
    with store.atomic():
        record_pages(store, second, [("A", later)])

    assert known_pages(store, BOARD) == {FIRST.identity: later, SECOND.identity: SECOND}
    rows = store.rows("SELECT natural_key, run_id FROM known_page ORDER BY url")
    assert [tuple(row) for row in rows] == [("A", second.run_id), ("A", first.run_id)]


def test_the_moment_of_a_visit_is_kept_in_korean_time_and_whole_seconds(store):
    """It is compared with the starts of runs, which have whole seconds, too."""
    run = Diary(store).read(a_record("A"), at=moment(0)).run
    fetched_at = (moment(0, hour=7) + timedelta(microseconds=999_999)).astimezone(UTC)
    with store.atomic():
        record_pages(store, run, [("A", replace(FIRST, fetched_at=fetched_at))])

    assert values(store, "SELECT fetched_at FROM known_page") == ["2026-11-30T07:00:00+09:00"]
    assert known_pages(store, BOARD)[FIRST.identity].fetched_at == moment(0, hour=7)


def test_method_and_form_body_belong_to_a_page(store):
    run = Diary(store).read(a_record("A"), at=moment(0)).run
    pages = [
        a_known_page(method="GET"),
        a_known_page(method="POST"),
        a_known_page(method="POST", body="id=1"),
    ]
    with store.atomic():
        record_pages(store, run, [("A", page) for page in pages])

    assert set(known_pages(store, BOARD).values()) == set(pages)


def accept_with_pages(store: Store, at: datetime, known: Mapping[str, KnownRecord]) -> None:
    """Record a run that saw A and its detail page, compared with what is known."""
    run = begin_run(store, BOARD, at, selector_version=1)
    snapshot = a_snapshot(a_record("A"))
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
    summary = summarise(run, change_set, snapshot, known=known)
    acceptance = accept(summary, snapshot, change_set, known)
    record_accepted(store, replace(acceptance, pages=[("A", FIRST)]), at)


def test_an_accepted_run_records_the_pages_that_it_saw(store):
    accept_with_pages(store, moment(0), {})

    assert known_pages(store, BOARD) == {FIRST.identity: FIRST}


def test_a_run_that_cannot_be_recorded_leaves_no_page(store):
    Diary(store).read(a_record("A"), at=moment(0))

    with pytest.raises(StoreError):  # a second current version of A
        accept_with_pages(store, moment(1), {})

    assert known_pages(store, BOARD) == {}
    assert values(store, "SELECT status FROM crawl_run ORDER BY started_at") == ["OK", "RUNNING"]
