from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.robots_seen import (
    MAX_KEPT_BYTES,
    RobotsSeen,
    last_robots,
    record_robots,
)
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import BOARD, moment

RULES = b"User-agent: *\nDisallow: /\xea\xb0\x80\x00\xff\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def test_a_host_that_was_never_asked_has_no_robots(store):
    assert last_robots(store, "127.0.0.1") is None


def test_the_last_answer_of_each_host_is_kept_to_the_byte(store):
    first = begin_run(store, BOARD, moment(0), selector_version=1)
    second = begin_run(store, BOARD, moment(1), selector_version=1)
    record_robots(store, "a.example", first, 200, b"")
    record_robots(store, "b.example", first, 404, b"none")
    record_robots(store, "a.example", second, 200, RULES)

    assert last_robots(store, "a.example") == RobotsSeen(
        second.day, second.run_id, 200, hashlib.sha256(RULES).hexdigest(), RULES
    )
    assert last_robots(store, "b.example") == RobotsSeen(
        first.day, first.run_id, 404, hashlib.sha256(b"none").hexdigest(), b"none"
    )


def test_of_a_huge_answer_the_first_500_kib_and_the_digest_of_all_are_kept(store):
    run = begin_run(store, BOARD, moment(0), selector_version=1)
    body = bytes(MAX_KEPT_BYTES) + b"the rest"

    record_robots(store, "a.example", run, 200, body)

    seen = last_robots(store, "a.example")
    assert seen is not None
    assert len(seen.body) == 512_000
    assert seen.sha256 == hashlib.sha256(body).hexdigest()


def test_a_dry_run_which_is_no_line_of_the_history_cannot_replace_the_answer(store):
    run = begin_run(store, BOARD, moment(0), selector_version=1, is_dry=True)

    with pytest.raises(StoreError):
        record_robots(store, "a.example", run, 200, RULES)

    assert last_robots(store, "a.example") is None
