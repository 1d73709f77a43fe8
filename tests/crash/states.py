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

_SECOND_MOMENT = re.compile(r"(T06|T06:)30(?=00-|:00\+)")
_SECOND_TRY = re.compile(r"(?<=\d{8}T\d{6}-)([a-z_]+?)-\d+$")
_SECOND_TRY_IN_SHEET = re.compile(rb"(?<=-)(dmf_registry|mfds_notice)-\d+(?=<)")
_STYLE = re.compile(rb' s="\d+"')  # their numbers depend on what 요약 and 실행로그 tell
_FACT_SHEETS = tuple(f"xl/worksheets/sheet{number}.xml" for number in range(2, 7))
"""신규, 변경, 취하, 전체현황, 이력; 요약 and 실행로그 tell moments, too."""


def _rows(root: Path, table: str, *, is_exact: bool = False) -> list[dict[str, Any]]:
    """Return a table's rows; what tells a second try of the day is left out unless `is_exact`."""
    path = root / "var/dmf.sqlite3"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(path)) as connection:
        known = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if connection.execute(known, (table,)).fetchone() is None:
            return []
        cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
    if is_exact:
        return rows
    return [
        {name: _as_first(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]


def _as_first(text: str) -> str:
    """Return a text as a first try of the day would have written it."""
    return _SECOND_TRY.sub(r"\1", _SECOND_MOMENT.sub(r"\g<1>00", text))


def digest_history(root: Path) -> dict[str, str]:
    """Return a digest for each board of all rows that only an accepted run of it may change."""
    rows = [
        (row["board_id"], table, *row.values())
        for table in HISTORY_TABLES
        if table != "drift_baseline"
        for row in _rows(root, table)
    ]
    boards = sorted({row[0] for row in rows})
    return {board: _digest([row for row in rows if row[0] == board]) for board in boards}


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def read_statuses(root: Path) -> dict[str, str]:
    """Return the status of each run."""
    return {row["run_id"]: row["status"] for row in _rows(root, "crawl_run", is_exact=True)}


def digest_state(root: Path) -> str:
    """Return a digest of everything on which a second start can depend, moments left out."""
    runs = [(row["run_id"], row["status"], row["error_code"]) for row in _rows(root, "crawl_run")]
    attempts = [(row["day"], row["exit_code"]) for row in _rows(root, "attempt")]
    files = [_describe(root, path) for path in sorted(root.rglob("*"))]
    return _digest([digest_history(root), runs, attempts, files])


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
    facts = _SECOND_TRY_IN_SHEET.sub(rb"\1", facts).replace(b"T0630", b"T0600")
    facts = _STYLE.sub(b"", facts.replace(b" 06:30", b" 06:00"))
    return hashlib.sha256(facts).hexdigest()


def find_torn_workbooks(root: Path) -> list[str]:
    """Return the workbooks in a home, previews too, that are not whole."""
    torn = []
    for path in sorted(root.rglob("*.xlsx")):
        try:
            with zipfile.ZipFile(path) as book:
                is_whole = book.testzip() is None
        except zipfile.BadZipFile:
            is_whole = False
        if not is_whole:
            torn.append(path.relative_to(root).as_posix())
    return torn


def find_leftovers(root: Path) -> list[str]:
    """Return what should not be there once a command has ended."""
    found = (path for pattern in LEFTOVERS for path in root.rglob(pattern))
    return sorted(path.relative_to(root).as_posix() for path in found)
