"""What somebody with another program could do to a history, its guards taken away meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a history without its triggers and checks; they are there again afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        triggers = connection.execute(TRIGGERS).fetchall()
        connection.execute("BEGIN")
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")


def tamper(path: Path, *statements: str) -> None:
    """Change the file behind its back, and leave no trace of how."""
    with unguarded(path) as connection:
        for statement in statements:
            connection.execute(statement)
