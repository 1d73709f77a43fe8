"""The history's file is sealed when it is closed: damage is told from what somebody wrote."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.seal import break_seal, is_broken, seal_path
from dmf_crawler.persist.store import Store

APPLICATION_ID = 71
"""In the file's header: the last byte of a number that SQLite keeps for whoever wants to set it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A history that was closed."""
    path = tmp_path / "dmf.sqlite3"
    with Store(path):
        pass
    return path


def flip(path: Path, *, keeps_time: bool) -> None:
    """Change a byte that SQLite reads over: a disk that forgets, or a program that writes."""
    state, content = path.stat(), bytearray(path.read_bytes())
    content[APPLICATION_ID] ^= 1
    path.write_bytes(content)
    moment = state.st_mtime_ns + (0 if keeps_time else 1_000_000_000)
    os.utime(path, ns=(moment, moment))


def test_a_file_whose_bytes_changed_though_nobody_wrote_them_is_refused(path):
    flip(path, keeps_time=True)

    with pytest.raises(StoreError) as caught:
        Store(path)

    assert caught.value.code == "seal_broken"
    assert str(path) in caught.value.message
    assert "verify" in caught.value.message


def test_readers_refuse_it_too(path):
    flip(path, keeps_time=True)

    with pytest.raises(StoreError, match="seal_broken"):
        Store(path, for_reading=True)


def test_whoever_looks_at_damage_is_let_in_and_does_not_renew_the_seal(path):
    flip(path, keeps_time=True)

    with Store(path, is_sealed=False) as store:
        assert store.is_damaged
    with pytest.raises(StoreError, match="seal_broken"):
        Store(path)


def test_without_its_seal_it_is_opened_again(path):
    flip(path, keeps_time=True)
    seal_path(path).unlink()

    with Store(path) as store:
        assert not store.is_damaged


def test_a_file_that_somebody_wrote_is_opened_and_sealed_anew(path):
    """A backup that was put back, say: nothing can be said of it here."""
    flip(path, keeps_time=False)
    with Store(path):
        pass
    flip(path, keeps_time=True)

    with pytest.raises(StoreError, match="seal_broken"):
        Store(path)


def test_a_seal_that_may_not_be_removed_is_emptied(path, monkeypatch):
    """Windows removes no file that another command is just reading."""

    def refuse(self: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "held open", str(self))

    with monkeypatch.context() as held:
        held.setattr(Path, "unlink", refuse)
        break_seal(path)

    flip(path, keeps_time=True)
    with Store(path) as store:
        assert not store.is_damaged


def test_what_another_connection_has_open_is_not_sealed(path):
    assert seal_path(path).exists()
    with closing(sqlite3.connect(path)) as other:
        other.execute("SELECT count(*) FROM crawl_run").fetchall()
        with Store(path) as store, store.atomic():
            store.execute("INSERT INTO attempt (day, started_at) VALUES ('a', 'b')")
        assert not seal_path(path).exists()  # the writer has taken the old one away
        with Store(path) as store:
            assert not store.is_damaged


@pytest.mark.parametrize("content", ["", "[]", "{", '{"size": 1}', "null"])
def test_a_seal_that_cannot_be_read_is_none(path, content):
    seal_path(path).write_text(content, encoding="utf-8")
    flip(path, keeps_time=True)

    with Store(path) as store:
        assert not store.is_damaged


def test_a_seal_that_cannot_be_written_stops_nobody(path):
    with Store(path) as store:
        seal_path(path).mkdir()
        with store.atomic():
            store.execute("INSERT INTO attempt (day, started_at) VALUES ('a', 'b')")

    assert seal_path(path).is_dir()


def test_half_a_seal_is_none(path):
    whole = seal_path(path).read_bytes()
    flip(path, keeps_time=True)
    for size in range(len(whole)):
        seal_path(path).write_bytes(whole[:size])
        assert not is_broken(path)
    seal_path(path).write_bytes(whole)
    assert is_broken(path)


def test_a_copy_leaves_no_seal_behind(path):
    with Store(path) as store, store.copied():
        pass

    names = {each.name for each in path.parent.iterdir()}
    assert names == {"dmf.sqlite3", "dmf.sqlite3.seal"}


def test_a_second_write_within_one_tick_of_the_clock_is_no_damage(path):
    """File systems tell the time in steps: two writes may bear the same one."""
    tick = path.stat().st_mtime_ns
    with Store(path) as store, store.atomic():
        store.execute("INSERT INTO attempt (day, started_at) VALUES ('a', 'b')")
    os.utime(path, ns=(tick, tick))
    with Store(path) as store:
        assert not store.is_damaged


def test_whoever_reads_while_another_begins_to_write_is_told_of_no_damage(path):
    """The writer removes the seal before it touches the file."""
    flip(path, keeps_time=True)
    with pytest.raises(StoreError, match="seal_broken"):
        Store(path, for_reading=True)
    break_seal(path)
    with Store(path, for_reading=True) as store:
        assert not store.is_damaged
