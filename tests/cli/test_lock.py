"""One writer at a time: which commands wait for the lock, and which work beside a run."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dmf_crawler.cli.commands import COMMANDS
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.persist.seal import seal_path
from tests.cli.asking import at
from tests.processes import environment

DAY = "2026-12-01"

WRITING: dict[str, list[list[str]]] = {
    "run": [[], ["--full"], ["--dry-run"]],
    "reparse": [["--date", DAY], ["--date", DAY, "--apply"], ["--run", "RUN"]],
    "approve": [["RUN"]],
    "reject": [["RUN"]],
    "report": [[]],
    "verify": [[]],  # what a run is just writing would look broken
    "raw": [["export", "--warc", "RUN"]],
    "prune": [[], ["--dry-run"]],
    "calibrate": [["nedrug_terms"]],
    "terms": [["confirm", "--note", "읽음"]],
    "review": [["done", "1", "--note", "봄"]],
}
"""What writes, or must not be disturbed, in every form that it has."""

READING: dict[str, list[list[str]]] = {
    "status": [[]],
    "selectors": [["check"]],
    "pending": [[]],
    "runs": [[]],
    "history": [["KEY"]],
    "where": [["KEY", "company"]],
    "doctor": [[]],
    "tune": [[]],
    "as-of": [[DAY]],
    "changes": [["--since", DAY, "--until", DAY]],
    "review": [["list"]],
    "terms": [["show"]],
}
"""What only looks, and answers the same beside a run at work."""

ELSEWHERE = {"rehearse", "init", "export"}
"""Works in a folder of its own."""

WRITER = """
import sys
from pathlib import Path
from dmf_crawler.cli.home import hold_lock, open_home
from dmf_crawler.persist.store import Store
home = open_home(Path(sys.argv[1]))
with hold_lock(home):
    if sys.argv[2] == "locked":
        print("at work", flush=True)
        sys.stdin.read()
        sys.exit()
    with Store(home.database) as store, store.atomic():
        store.execute("DELETE FROM drift_baseline")
        store.execute("UPDATE dmf_record SET company = '아직 아님' WHERE is_current = 1")
        print("at work", flush=True)
        sys.stdin.read()
        sys.exit()  # nothing of it is committed
"""


@contextmanager
def at_work(home: Path, where: str = "amid a transaction") -> Iterator[None]:
    """Let another process hold the lock, `locked` alone or amid a transaction."""
    with subprocess.Popen(
        [sys.executable, "-X", "utf8", "-c", WRITER, str(home), where],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline().split() == [b"at", b"work"]
            yield
        finally:
            other.communicate()  # its input ends, and so does it


def names_of(words: list[str], home: Path) -> list[str]:
    """Put a real run and a real key into a command line."""
    with closing(sqlite3.connect(home / "var/dmf.sqlite3")) as connection:
        (run,) = connection.execute("SELECT max(run_id) FROM crawl_run").fetchone()
        (key,) = connection.execute("SELECT max(natural_key) FROM dmf_event").fetchone()
    return [{"RUN": run, "KEY": key}.get(word, word) for word in words]


def digests(home: Path) -> dict[str, str]:
    """Return what is in every file, but for those that SQLite keeps while a file is open."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.rglob("*")
        if path.is_file() and path.suffix not in {".sqlite3-wal", ".sqlite3-shm", ".seal"}
    }


def lines_of(commands: dict[str, list[list[str]]], home: Path) -> list[list[str]]:
    """Return every command line of these that this program has."""
    known = {command.name for command in COMMANDS}
    return [
        [name, *names_of(words, home)]
        for name, forms in commands.items()
        if name in known
        for words in forms
    ]


def test_every_command_is_known_to_write_or_only_to_read():
    known = {command.name for command in COMMANDS}
    assert known <= WRITING.keys() | READING.keys() | ELSEWHERE


def switch_page_on(home: Path) -> None:
    path = home / "config/boards.yaml"
    before, board, after = path.read_text(encoding="utf-8").partition("  - id: nedrug_terms\n")
    assert board
    after = after.replace("enabled: false", "enabled: true", 1)
    path.write_text(before + board + after, encoding="utf-8")


def test_what_writes_is_refused_beside_a_run_and_changes_nothing(lived_home):
    switch_page_on(lived_home)
    lines = lines_of(WRITING, lived_home)
    assert len(lines) >= 12
    with at_work(lived_home):
        before = digests(lived_home)
        for words in lines:
            asked = at(lived_home, *words)
            assert (words, asked.exit_code, asked.error_code) == (words, 8, "lock_held")
        assert digests(lived_home) == before


def test_what_reads_answers_the_same_beside_a_run_and_changes_nothing(lived_home):
    lines = lines_of(READING, lived_home)
    assert len(lines) >= 8
    sealed = seal_path(lived_home / "var/dmf.sqlite3").stat().st_mtime_ns
    alone = {tuple(words): at(lived_home, *words) for words in lines}
    assert {asked.exit_code for words, asked in alone.items() if words[0] != "doctor"} == {0}
    assert seal_path(lived_home / "var/dmf.sqlite3").stat().st_mtime_ns == sealed
    before = digests(lived_home)
    with at_work(lived_home):
        for words in lines:
            asked = at(lived_home, *words)
            if words[0] == "doctor":
                checks = {each["name"]: each["outcome"] for each in asked.json["checks"]}
                assert (checks["lock"], checks["history"]) == ("warn", "ok")
            else:
                assert (asked.exit_code, asked.out) == (0, alone[tuple(words)].out)
        assert digests(lived_home) == before
    assert digests(lived_home) == before


def test_a_start_by_the_schedule_beside_a_run_is_no_failure(lived_home):
    with at_work(lived_home):
        asked = at(lived_home, "run", "--scheduled")
    assert asked.exit_code == 0


# --- a history of an older program -------------------------------------------------------------


@pytest.fixture
def old_home(lived_home: Path) -> Path:
    """A home whose history lacks the last migration, which only adds triggers."""
    with closing(sqlite3.connect(lived_home / "var/dmf.sqlite3", isolation_level=None)) as old:
        for (name,) in old.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name NOT LIKE 'dmf_event_%'"
        ).fetchall():
            old.execute(f"DROP TRIGGER {name}")
        old.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    return lived_home


def version_of(home: Path) -> int:
    with closing(sqlite3.connect(home / "var/dmf.sqlite3")) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_an_older_history_is_brought_up_to_date_under_the_lock_by_what_reads(old_home):
    backup = old_home / f"var/dmf.sqlite3.v{len(MIGRATIONS) - 1}.bak"
    assert at(old_home, "runs").exit_code == 0
    assert (version_of(old_home), backup.is_file()) == (len(MIGRATIONS), True)
    assert at(old_home, "verify").json["ok"] is True


def test_an_older_history_is_left_alone_beside_a_run(old_home):
    before = digests(old_home)
    with at_work(old_home, "locked"):
        asked = at(old_home, "runs")
    assert (asked.exit_code, asked.error_code) == (8, "lock_held")
    assert digests(old_home) == before
