"""The schema as an ordered list of functions; each runs once, in one transaction with its record.

`PRAGMA user_version` counts how many have run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from importlib.resources import files


def _run_script(name: str, connection: sqlite3.Connection) -> None:
    script = files("dmf_crawler.persist").joinpath(name).read_text(encoding="utf-8")
    for statement in split_statements(script):
        connection.execute(statement)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    partial(_run_script, "schema.sql"),
    partial(_run_script, "schema_2.sql"),
    partial(_run_script, "schema_3.sql"),
    partial(_run_script, "schema_4.sql"),
    partial(_run_script, "schema_5.sql"),
    partial(_run_script, "schema_6.sql"),
    partial(_run_script, "schema_7.sql"),
)


def split_statements(script: str) -> list[str]:
    """Split a script at its complete statements.

    `executescript` would commit the open transaction; a trigger holds semicolons of its own.
    """
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    if pending.strip():  # a statement without its end: SQLite says what is wrong with it
        statements.append(pending)
    return statements
