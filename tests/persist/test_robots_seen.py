from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.run import Run
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.recording import known_records, record_accepted
from dmf_crawler.persist.robots_seen import RobotsSeen, last_robots, record_robots
from dmf_crawler.persist.runs import begin_dry_run, begin_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import (
    BOARD,
    RULES,
    Diary,
    a_record,
    a_snapshot,
    accept,
    moment,
    summarise,
)

FIRST_RULES = b"User-agent: *\nDisallow:\n"
OTHER_RULES = b"User-agent: *\nDisallow: /\xea\xb0\x80\x00\xff\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def accept_with_robots(
    store: Store,
    at: datetime,
    robots: tuple[int, bytes] | None,
    *,
    known: Mapping[str, KnownRecord] | None = None,
) -> Run:
    """Record a run that saw A, compared with what is known, and was told these rules."""
    run = begin_run(store, BOARD, at, selector_version=1)
    known = known_records(store, BOARD) if known is None else known
    snapshot = a_snapshot(a_record("A"))
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
    summary = summarise(run, change_set, snapshot, known=known)
    acceptance = accept(summary, snapshot, change_set, known)
    record_accepted(store, replace(acceptance, robots=robots), at)
    return run


def seen(run: Run, status: int, body: bytes) -> RobotsSeen:
    return RobotsSeen(run.day, status, body)


def test_a_board_that_was_never_accepted_has_no_robots(store):
    assert last_robots(store, BOARD) is None


def test_what_the_last_accepted_run_was_told_is_kept_to_the_byte(store):
    accept_with_robots(store, moment(0), (404, b"none"))
    second = accept_with_robots(store, moment(1), (200, OTHER_RULES))

    assert last_robots(store, BOARD) == seen(second, 200, OTHER_RULES)


def test_an_empty_answer_is_an_answer(store):
    accept_with_robots(store, moment(0), (200, FIRST_RULES))
    second = accept_with_robots(store, moment(1), (404, b""))

    assert last_robots(store, BOARD) == seen(second, 404, b"")


def test_two_boards_of_one_host_are_told_of_a_change_each(store):
    """A run of one board that tells of a change does not silence the other one."""
    first = Diary(store).read(a_record("A"), at=moment(0)).run
    other = Diary(store, board_id="notices").read(a_record("A"), at=moment(0, hour=7)).run
    with store.atomic():
        record_robots(store, first, 200, FIRST_RULES)
        record_robots(store, other, 200, OTHER_RULES)

    assert last_robots(store, BOARD) == seen(first, 200, FIRST_RULES)
    assert last_robots(store, "notices") == seen(other, 200, OTHER_RULES)


def test_a_run_whose_folder_has_no_answer_leaves_the_last_one(store):
    first = accept_with_robots(store, moment(0), (200, FIRST_RULES))
    accept_with_robots(store, moment(1), None)

    assert last_robots(store, BOARD) == seen(first, 200, FIRST_RULES)


def test_a_run_that_cannot_be_recorded_leaves_the_last_answer(store):
    first = accept_with_robots(store, moment(0), (200, FIRST_RULES))

    with pytest.raises(StoreError):  # a second current version of A
        accept_with_robots(store, moment(1), (200, OTHER_RULES), known={})

    assert last_robots(store, BOARD) == seen(first, 200, FIRST_RULES)


def test_a_dry_run_which_is_no_line_of_the_history_cannot_replace_the_answer(store):
    first = accept_with_robots(store, moment(0), (200, FIRST_RULES))
    dry = begin_dry_run(store, BOARD, moment(1))

    with pytest.raises(StoreError), store.atomic():
        record_robots(store, dry, 200, OTHER_RULES)

    assert last_robots(store, BOARD) == seen(first, 200, FIRST_RULES)
