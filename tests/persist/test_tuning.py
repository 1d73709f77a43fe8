from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.tuning import (
    count_gave_way,
    last_day,
    longest_day_s,
    read_lived,
    recent_raw_dirs,
)
from tests.persist.builders import BOARD, Diary, a_record, moment
from tests.persist.tampering import tamper


def a_gate(code: str, outcome: Outcome, observed: float, fault_code: str = "") -> Gate:
    return Gate(code, outcome, observed, 12, "문장입니다.", fault_code, LimitFrom.FLOOR)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as store:
        yield store


@pytest.fixture
def diary(store: Store) -> Diary:
    return Diary(store)


@pytest.fixture
def lived(store: Store, diary: Diary) -> Store:
    """A list that gains, changes and loses rows over four days; one of them is held."""
    departures = (0.5, 1.5, 2.5)
    gates = [[a_gate("G-9", Outcome.PASS, departure)] for departure in departures]
    base = [a_record(key) for key in "ABCDEFGHIJ"]
    diary.read(*base, at=moment(0))
    diary.read(*base, a_record("K"), at=moment(1), gates=gates[0])
    held = [
        a_gate("G-5", Outcome.HOLD, 11, "many_withdrawals"),
        a_gate("G-9", Outcome.HOLD, 99, "profile_drift"),
    ]
    diary.read(*base, at=moment(2), status=RunStatus.HELD, gates=held)
    withdrawn = [a_record("A", status="취하"), *base[1:], a_record("K"), a_record("L")]
    diary.read(*withdrawn, at=moment(3), gates=gates[1])
    diary.read(*withdrawn, at=moment(3, hour=9), gates=gates[2])
    return store


def test_what_was_lived_is_read_day_by_day(lived: Store):
    found = read_lived(lived, BOARD, [BOARD], until=moment(3).date(), n_days=250)

    assert found.n_days == 3
    assert found.events == [1, 2]
    assert [*found.growth] == pytest.approx([0.1, 1 / 11])
    assert found.departures == [0.5, 1.5, 2.5]
    assert found.requests == [3, 3, 3, 6]
    assert found.holds["many_withdrawals"] == 1
    assert found.holds["profile_drift"] == 1
    assert "" not in found.holds


def test_requests_are_those_of_all_boards_of_the_host(lived: Store, diary: Diary):
    replace(diary, board_id="notices").read(a_record("A"), at=moment(3, hour=10))

    alone = read_lived(lived, BOARD, [BOARD], until=moment(3).date(), n_days=250)
    both = read_lived(lived, BOARD, [BOARD, "notices"], until=moment(3).date(), n_days=250)

    assert (alone.requests[-1], both.requests[-1]) == (6, 9)


def test_an_empty_history_has_no_day(store: Store):
    assert last_day(store) is None
    assert longest_day_s(store, moment(0).date()) == 0


def test_the_last_day_and_the_longest_are_those_of_any_run(lived: Store):
    assert last_day(lived) == moment(3).date()
    assert longest_day_s(lived, moment(0).date()) == 2 * 720
    assert longest_day_s(lived, moment(9).date()) == 0


def test_the_folders_of_the_last_crawls_come_oldest_first(lived: Store):
    found = recent_raw_dirs(lived, BOARD, 2)

    assert [day for day, _ in found] == [moment(3).date()] * 2
    assert found[0][1] < found[1][1]


@pytest.mark.parametrize(
    ("runs", "n"),
    [
        ([(1.0, 1), (1.0, 1)], 0),
        ([(1.0, 1), (0.9, 1), (0.9, 1), (1.0, 2)], 2),  # gave way, and was replaced
        ([(0.9, 1), (0.9, 1)], 0),  # began before
        ([(1.0, 1), (0.9, 1), (1.0, 1), (0.8, 1)], 2),
        ([], 0),
    ],
)
def test_selectors_that_begin_to_give_way_or_are_replaced_are_counted(store, diary, runs, n):
    for place, (rate, version) in enumerate(runs):
        run = diary.read(a_record("A"), at=moment(place)).run
        tamper(
            store.path,
            f"UPDATE crawl_run SET reuse_rate = {rate}, selector_version = {version}"
            f" WHERE run_id = '{run.run_id}'",
        )

    assert count_gave_way(store, BOARD, moment(0).date()) == n
