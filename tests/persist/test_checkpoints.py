from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from dmf_crawler.model.run import Checkpoint
from dmf_crawler.persist.checkpoints import note_checkpoint, read_checkpoints
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, moment

CHECKPOINT = Checkpoint(
    run_id=f"20261130T060000-{BOARD}",
    board_id=BOARD,
    phase="list",
    pass_no=2,
    n_done=70,
    n_pages=121,
    n_requests=193,
    delay_s=2.25,
    last_fault="timeout: 응답이 늦습니다.",
    noted_at=moment(0, hour=7) + timedelta(microseconds=250_001),
    noted_at_pc=moment(9, hour=23) + timedelta(microseconds=999_999),
    ends_at=moment(0, hour=8),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def test_a_history_without_a_crawl_has_no_checkpoint(store):
    assert read_checkpoints(store) == ()


def test_a_checkpoint_is_read_as_it_was_noted_to_the_microsecond_of_both_clocks(store):
    """The next run's rest is counted from it: a second cut off would make it too short."""
    note_checkpoint(store, CHECKPOINT)

    assert read_checkpoints(store) == (CHECKPOINT,)


def test_moments_are_read_in_korean_time_and_an_unknown_end_stays_unknown(store):
    noted_at = moment(0).astimezone(UTC)
    checkpoint = replace(CHECKPOINT, noted_at=noted_at, noted_at_pc=noted_at, ends_at=None)
    note_checkpoint(store, checkpoint)

    (found,) = read_checkpoints(store)
    assert found.noted_at.isoformat() == "2026-11-30T06:00:00+09:00"
    assert found.noted_at_pc.isoformat() == "2026-11-30T06:00:00+09:00"
    assert found.ends_at is None


def test_a_board_has_one_checkpoint_that_of_its_last_crawl(store):
    other = replace(CHECKPOINT, board_id="notices", run_id="20261130T070000-notices")
    later = replace(CHECKPOINT, run_id=f"20261201T060000-{BOARD}", n_done=1)
    for each in (CHECKPOINT, other, later):
        note_checkpoint(store, each)

    assert read_checkpoints(store) == (later, other)
