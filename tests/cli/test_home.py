"""Which home folder is meant, its lock and its log."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path, PureWindowsPath

import pytest

from dmf_crawler.cli.home import (
    LOG,
    find_home,
    hold_lock,
    is_network_drive,
    is_on_network,
    log_bug,
    open_home,
    write_log,
)
from dmf_crawler.errors import ConfigError, LockHeldError, StoredDataError, StoreError
from dmf_crawler.model.run import KST
from tests.cli.asking import at

NOON = datetime(2026, 12, 1, 12, 0, 0, 999, tzinfo=KST)


# --- finding it ---------------------------------------------------------------------------------


def test_home_that_was_given_is_taken_without_a_look(tmp_path, monkeypatch):
    monkeypatch.setenv("DMF_HOME", str(tmp_path / "named"))
    assert find_home(tmp_path / "given") == tmp_path / "given"


def test_environment_names_the_home_before_the_current_folder(empty_home, tmp_path, monkeypatch):
    monkeypatch.setenv("DMF_HOME", str(tmp_path / "named"))
    monkeypatch.chdir(empty_home)
    assert find_home(None) == tmp_path / "named"


@pytest.mark.parametrize("below", [".", "config", "deep/er"])
def test_nearest_parent_with_settings_is_the_home(empty_home, monkeypatch, below):
    monkeypatch.setenv("DMF_HOME", "")
    (empty_home / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(empty_home / below)
    assert find_home(None) == empty_home


def test_nearer_home_wins(empty_home, monkeypatch):
    monkeypatch.delenv("DMF_HOME", raising=False)
    inner = empty_home / "inner/config"
    inner.mkdir(parents=True)
    (inner / "settings.yaml").write_bytes(b"")
    monkeypatch.chdir(inner)
    assert find_home(None) == empty_home / "inner"


def test_no_home_is_said_with_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("DMF_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        find_home(None)
    assert (caught.value.code, caught.value.exit_code) == ("no_home", 2)
    assert str(tmp_path) in caught.value.message
    assert "DMF_HOME" in caught.value.message


def test_home_given_relatively_is_made_absolute(empty_home, monkeypatch):
    monkeypatch.chdir(empty_home.parent)
    home = open_home(Path("empty"))
    assert home.root == empty_home.resolve()


def test_home_on_a_network_drive_is_refused(empty_home):
    with pytest.raises(ConfigError) as caught:
        open_home(empty_home, is_remote=lambda folder: folder == empty_home.resolve())
    assert (caught.value.code, caught.value.exit_code) == ("home_on_network", 2)
    assert str(empty_home) in caught.value.message


@pytest.mark.parametrize("link", ["var", "var/dmf.sqlite3"])
def test_history_that_a_link_puts_on_a_network_drive_is_refused(link, empty_home, tmp_path):
    share = tmp_path / "share"
    share.mkdir()
    shutil.rmtree(empty_home / "var", ignore_errors=True)
    (empty_home / link).parent.mkdir(exist_ok=True)
    (empty_home / link).symlink_to(share)

    with pytest.raises(ConfigError) as caught:
        open_home(empty_home, is_remote=lambda folder: folder.is_relative_to(share.resolve()))

    assert caught.value.code == "home_on_network"
    assert str(empty_home / link) in caught.value.message
    assert open_home(empty_home, is_remote=lambda _: False).root == empty_home.resolve()


@pytest.mark.parametrize(
    ("folder", "told", "is_remote"),
    [
        ("C:\\자료\\dmf", 3, False),
        ("\\\\?\\C:\\dmf", 3, False),
        ("\\\\?\\Volume{0}\\dmf", 1, False),
        ("D:\\dmf", 2, False),  # a USB disk is a disk of this PC
        ("Z:\\dmf", 4, True),  # mapped, or made by subst, and not resolved
        ("\\\\?\\Z:\\dmf", 4, True),
        ("\\\\server\\share\\dmf", 4, True),
        ("\\\\server\\share\\dmf", 1, True),  # Windows cannot reach it just now
        ("//server/share/dmf", 1, True),
        ("\\\\wsl.localhost\\Ubuntu\\dmf", 1, True),
        ("\\\\?\\UNC\\server\\share\\dmf", 1, True),
        ("\\\\?\\unc\\server\\share\\dmf", 1, True),
        ("\\\\.\\UNC\\server\\share\\dmf", 1, True),
    ],
)
def test_network_drives_of_windows_are_known_by_type_and_shares_by_name(
    folder: str, told: int, is_remote: bool
):
    asked: list[str] = []

    def tell_type(root: str) -> int:
        asked.append(root)
        return told

    assert is_on_network(PureWindowsPath(folder), tell_type) is is_remote
    assert asked in ([], [PureWindowsPath(folder).anchor])


def test_disk_of_this_machine_is_no_network_drive(tmp_path):
    assert not is_network_drive(tmp_path)


# --- the lock -----------------------------------------------------------------------------------


def test_lock_is_free_again_after_an_error(empty_home):
    home = open_home(empty_home)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), hold_lock(home):
            raise ZeroDivisionError
    with hold_lock(home), pytest.raises(LockHeldError), hold_lock(home):
        pass


def test_lock_that_cannot_be_made_is_no_lock_held(empty_home):
    (empty_home / "var").write_bytes(b"")
    asked = at(empty_home, "run")
    assert (asked.exit_code, asked.error_code) == (5, "home_not_writable")


# --- the log ------------------------------------------------------------------------------------


def clock() -> datetime:
    return NOON


def lines_of(folder: Path, day: str = "2026-12-01") -> list[dict[str, object]]:
    text = (folder / f"dmf-{day}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_log_line_is_one_json_object_by_the_runs_own_clock(tmp_path):
    with write_log(tmp_path / "logs", clock):
        LOG.info("seen %d", 5, extra={"board": "dmf_registry", "detail": "원료\n2"})
    raw = (tmp_path / "logs/dmf-2026-12-01.jsonl").read_bytes()
    assert raw.count(b"\n") == 1
    assert lines_of(tmp_path / "logs") == [
        {
            "at": "2026-12-01T12:00:00+09:00",
            "level": "INFO",
            "event": "seen 5",
            "board": "dmf_registry",
            "detail": "원료\n2",
        }
    ]


def test_log_is_named_by_the_day_that_begins_at_six(tmp_path):
    with write_log(tmp_path, lambda: datetime(2026, 12, 1, 5, 59, tzinfo=KST)):
        LOG.info("early")
    assert lines_of(tmp_path, "2026-11-30")[0]["event"] == "early"
    with write_log(tmp_path, lambda: datetime(2026, 11, 30, 21, 0, tzinfo=UTC)):
        LOG.info("on time")
    (line,) = lines_of(tmp_path)
    assert line["at"] == "2026-12-01T06:00:00+09:00"


def test_log_goes_on_where_it_ended(tmp_path):
    for word in ("one", "two"):
        with write_log(tmp_path, clock):
            LOG.info(word)
    assert [line["event"] for line in lines_of(tmp_path)] == ["one", "two"]


def test_text_that_no_encoding_can_hold_does_not_lose_the_line(tmp_path):
    with write_log(tmp_path, clock):
        LOG.warning("robots_warning", extra={"detail": "half \ud800 pair\x00\x1e\x85\u2028\u2029"})
    (line,) = lines_of(tmp_path)
    assert str(line["detail"]).startswith("half ")


def test_value_that_json_does_not_know_is_written_as_text(tmp_path):
    with write_log(tmp_path, clock):
        LOG.info("kept", extra={"path": Path("a"), "wait": timedelta(seconds=5)})
    assert lines_of(tmp_path)[0]["path"] == "a"


@contextmanager
def unchanged_logger() -> Iterator[None]:
    before = (LOG.level, LOG.propagate, list(LOG.handlers))
    yield
    assert (LOG.level, LOG.propagate, list(LOG.handlers)) == before


@pytest.mark.parametrize("error", [None, ZeroDivisionError("x"), StoreError("write_failed", "말")])
def test_logger_is_left_as_it_was(tmp_path, error):
    with unchanged_logger():
        try:
            with write_log(tmp_path, clock):
                if error is not None:
                    raise error
        except (ZeroDivisionError, StoreError):
            LOG.debug("left")


def test_every_command_leaves_the_logger_as_it_was(lived_home):
    with unchanged_logger():
        for words in (["runs"], ["report"], ["verify"], ["reparse", "--date", "2026-12-01"]):
            at(lived_home, *words)


def test_error_of_ours_that_ends_a_command_is_logged_without_a_traceback(tmp_path):
    with pytest.raises(StoreError), write_log(tmp_path, clock):
        raise StoreError("write_failed", "디스크가 가득 찼습니다.")
    (line,) = lines_of(tmp_path)
    assert (line["event"], line["code"]) == ("command_failed", "write_failed")
    assert line["detail"] == "디스크가 가득 찼습니다."
    assert "traceback" not in line


def test_log_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "logs").write_bytes(b"")
    with pytest.raises(StoredDataError) as caught, write_log(tmp_path / "logs", clock):
        pass
    assert caught.value.code == "home_not_writable"


def test_debug_records_and_other_loggers_stay_out(tmp_path):
    with write_log(tmp_path, clock):
        LOG.debug("detail")
        logging.getLogger("urllib3").info("chatter")
        logging.getLogger("dmf_crawler.crawl").info("of ours")
    assert [line["event"] for line in lines_of(tmp_path)] == ["of ours"]


def test_bug_without_a_home_has_no_log_to_go_to(tmp_path, monkeypatch):
    monkeypatch.delenv("DMF_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    log_bug(None, ValueError("x"))
    log_bug(tmp_path / "nowhere", ValueError("x"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    os.name == "nt" or not Path("/dev/full").exists(), reason="needs a device that is always full"
)
def test_a_log_that_cannot_be_written_is_told_and_ends_nothing(tmp_path, capsys):
    (tmp_path / "dmf-2026-11-30.jsonl").symlink_to("/dev/full")

    with write_log(tmp_path, lambda: datetime(2026, 11, 30, 6, tzinfo=KST)):
        LOG.info("run_finished")
        LOG.info("report_written")

    told = capsys.readouterr().err
    assert "로그" in told
    assert "Traceback" not in told
