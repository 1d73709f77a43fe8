"""What a home holds, in a form in which two homes can be compared."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.end_to_end.homes import HISTORY_TABLES

LEFTOVERS = ("*.tmp", "*.part", "*.copy", "*.copy-*", "*.pruned", "*-journal")
"""What no command may leave behind for ever."""

_SECOND_TRY = re.compile(r"(?<=\d{8}T\d{6}-)([a-z_]+?)-\d+$")
_SECOND_TRY_IN_SHEET = re.compile(rb"(?<=-dmf_registry)-\d+(?=<)")
_FACT_SHEETS = tuple(f"xl/worksheets/sheet{number}.xml" for number in range(2, 7))
"""신규, 변경, 취하, 전체현황, 이력: 요약 and 실행로그 tell when a run ended and the file was written."""


def _rows(root: Path, table: str) -> list[tuple[Any, ...]]:
    """Return a table's rows; the number that tells a second try of the day is left out."""
    path = root / "var/dmf.sqlite3"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(path)) as connection:
        known = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if connection.execute(known, (table,)).fetchone() is None:
            return []
        return [
            tuple(_SECOND_TRY.sub(r"\1", value) if isinstance(value, str) else value for value in row)
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
        ]


def digest_history(root: Path) -> str:
    """Return a digest of all rows that only an accepted run may change."""
    content = {table: _rows(root, table) for table in HISTORY_TABLES if table != "drift_baseline"}
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def read_statuses(root: Path) -> dict[str, str]:
    """Return the status of each run."""
    with closing(sqlite3.connect(root / "var/dmf.sqlite3")) as connection:
        return dict(connection.execute("SELECT run_id, status FROM crawl_run").fetchall())


def digest_state(root: Path) -> str:
    """Return a digest of everything on which a second start can depend, moments left out."""
    runs = [
        (row[0], row[5], row[8]) if len(row) > 8 else row for row in _rows(root, "crawl_run")
    ]
    files = [_describe(root, path) for path in sorted(root.rglob("*"))]
    content = [digest_history(root), runs, _rows(root, "attempt"), files]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _describe(root: Path, path: Path) -> list[Any]:
    name = path.relative_to(root).as_posix()
    if path.is_dir() or name.startswith(("logs/", "var/dmf.sqlite3", "config/", "selectors/")):
        return [name]
    if path.name == "index.jsonl":  # its moments differ from run to run
        content = path.read_bytes()
        return [name, content.count(b"\n"), content.endswith(b"\n")]
    return [name, path.stat().st_size if path.suffix != ".xlsx" else -1]


def digest_report(path: Path) -> str:
    """Return a digest of the facts in a workbook, "" where there is none; it must be whole."""
    if not path.is_file():
        return ""
    with zipfile.ZipFile(path) as book:
        assert book.testzip() is None
        facts = b"".join(map(book.read, _FACT_SHEETS))
    return hashlib.sha256(_SECOND_TRY_IN_SHEET.sub(b"", facts)).hexdigest()


def find_leftovers(root: Path) -> list[str]:
    """Return what should not be there once a command has ended."""
    found = (path for pattern in LEFTOVERS for path in root.rglob(pattern))
    return sorted(path.relative_to(root).as_posix() for path in found)
