"""Moments before which a server asked not to be asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from dmf_crawler.persist.host_waits import host_wait, set_host_wait
from dmf_crawler.persist.store import Store
from tests.persist.builders import FIRST_START, moment


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "dmf.sqlite3") as opened:
        yield opened


def test_a_server_that_never_asked_to_wait_is_not_waited_for(store):
    assert host_wait(store, "127.0.0.1:80") is None


def test_a_wait_is_remembered_a_host_and_never_shortened(store):
    set_host_wait(store, "a", moment(0, hour=8))
    set_host_wait(store, "a", moment(0, hour=7))
    set_host_wait(store, "b", moment(0, hour=9))

    assert (host_wait(store, "a"), host_wait(store, "b")) == (
        moment(0, hour=8),
        moment(0, hour=9),
    )
    set_host_wait(store, "a", moment(1))
    assert host_wait(store, "a") == moment(1)


def test_a_wait_that_ends_within_a_second_is_never_cut_short(store):
    asked = FIRST_START + timedelta(seconds=3, microseconds=700_000)

    set_host_wait(store, "a", asked)

    assert host_wait(store, "a") == FIRST_START + timedelta(seconds=4)


def test_the_same_wait_in_another_zone_is_the_same_moment(store):
    set_host_wait(store, "a", FIRST_START.astimezone(UTC))

    assert host_wait(store, "a") == FIRST_START
