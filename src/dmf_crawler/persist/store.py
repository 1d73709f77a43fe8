"""The SQLite file that holds the history: opened, migrated, written in whole transactions.

One writer at a time (the run lock sees to that); WAL with full synchronisation, so that what was
committed survives a power cut.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.backups import (
    copy_database,
    make_backup,
    remove_database,
    remove_old_backups,
)
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.persist.seal import break_seal, is_broken, seal_broken, write_seal
from dmf_crawler.persist.store_errors import (
    not_backed_up,
    not_migrated,
    not_opened,
    not_read,
    not_written,
)

BUSY_TIMEOUT_S = 10.0

Values = Iterable[Any] | dict[str, Any]
"""What a statement's parameters stand for, by position or by name."""


class Store:
    """An open history.

    Args:
        path: The file.
        for_reading: Neither make nor migrate the file, and refuse every change: what may look at
            a history beside a run at work, without the lock.
        is_sealed: Whether a broken seal refuses the file and a writer renews the seal; not for a
            copy that is thrown away, and not for whoever looks at damage.
        busy_timeout_s: How long to wait for another program that holds the file.

    Attributes:
        path: The file.
        is_damaged: Whether its seal was broken when it was opened.

    Raises:
        StoreError: `seal_broken` where its bytes changed though nobody wrote them;
            `database_unusable` where the file is no database of ours or cannot be opened,
            `database_damaged`, `database_busy`, `database_readonly`; `database_newer` where a newer
            program made it, `database_older` where it would have to be migrated before it can be
            read; `backup_failed`, `migration_failed`, `disk_full` where that did not succeed.
    """

    def __init__(
        self,
        path: Path,
        *,
        for_reading: bool = False,
        is_sealed: bool = True,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self.path = path
        self._for_reading = for_reading
        self._is_sealed = is_sealed
        self._busy_timeout_s = busy_timeout_s
        self.is_damaged = is_broken(path)
        if is_sealed and self.is_damaged:
            raise seal_broken(path)
        try:
            if is_sealed and not for_reading:
                break_seal(path)
            self._connection = self._connect()
        except (OSError, sqlite3.Error) as error:
            raise not_opened(path, error) from error
        try:
            self._set_up()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.Error):
                raise not_opened(path, error) from error
            raise

    def _connect(self) -> sqlite3.Connection:
        if not self._for_reading:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return sqlite3.connect(self.path, timeout=self._busy_timeout_s, isolation_level=None)
        # `rw` and not `ro`: a reader that may not write leaves SQLite's side files behind.
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        return sqlite3.connect(
            address, uri=True, timeout=self._busy_timeout_s, isolation_level=None
        )

    def _set_up(self) -> None:
        self._connection.row_factory = sqlite3.Row
        if self._for_reading:
            self._connection.execute("PRAGMA query_only = ON")
        else:
            self._prepare_writing()
        version = self._version()
        if version > len(MIGRATIONS):
            raise StoreError(
                "database_newer",
                f"{self.path} 는 더 새로운 프로그램이 만든 자료입니다(판 {version}, "
                f"이 프로그램은 {len(MIGRATIONS)}까지). 프로그램을 새 판으로 바꾸십시오.",
            )
        if version < len(MIGRATIONS):
            self._migrate()

    def _prepare_writing(self) -> None:
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA synchronous = FULL")
        mode = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreError(
                "database_unusable",
                f"{self.path} 에서 WAL 모드를 쓸 수 없습니다(찾은 값 {mode}). "
                "네트워크 드라이브가 아닌 이 PC의 디스크에 홈 폴더를 두십시오.",
            )

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _migrate(self) -> None:
        """Bring an older file up to date, each step whole or not at all.

        What is missing is asked again inside the transaction: another process may have done it.
        """
        if self._for_reading:
            raise StoreError(
                "database_older",
                f"이력 {self.path} 는 이전 판의 프로그램이 만든 자료입니다(판 {self._version()}, "
                f"이 프로그램은 {len(MIGRATIONS)}). runs 명령을 한 번 실행하면 새 판으로 바뀝니다. "
                "그 뒤에 다시 실행하십시오.",
            )
        backup, is_new = None, False
        for number, migrate in enumerate(MIGRATIONS, 1):
            try:
                with self._transaction():
                    version = self._version()
                    self._refuse_foreign(version)
                    if version >= number:
                        continue
                    is_new = is_new or version == 0
                    if not is_new and backup is None:
                        backup = self._back_up(version)
                    migrate(self._connection)
                    self._connection.execute(f"PRAGMA user_version = {number}")
            except sqlite3.Error as error:
                raise not_migrated(self.path, error, version=number - 1, backup=backup) from error
        remove_old_backups(self.path)

    def _back_up(self, version: int) -> Path:
        try:
            return make_backup(self.path, version, busy_timeout_s=self._busy_timeout_s)
        except (OSError, sqlite3.Error) as error:
            raise not_backed_up(self.path, error, version=version) from error

    def _refuse_foreign(self, version: int) -> None:
        """Refuse tables that no migration of ours made."""
        if version == 0 and self._connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise StoreError(
                "database_unusable",
                f"{self.path} 는 이 프로그램이 만든 이력이 아닙니다(다른 표가 들어 있음). "
                "파일을 다른 곳으로 옮기고 다시 실행하거나 백업을 되살리십시오.",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; an open transaction is rolled back."""
        self._connection.close()
        if self._is_sealed and not self._for_reading:
            write_seal(self.path)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Do everything inside or nothing.

        Raises:
            StoreError: `write_failed`, `database_busy`, `disk_full`, `database_readonly`,
                `database_damaged`; the transaction was rolled back.
        """
        if self._for_reading:
            raise StoreError(
                "write_failed",
                f"이력 {self.path} 은 읽기만 하려고 열었습니다. 아무것도 바뀌지 않았습니다. "
                "개발자에게 알려 주십시오.",
            )
        try:
            with self._transaction():
                yield
        except sqlite3.Error as error:
            raise not_written(self.path, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def copied(self) -> Iterator[Store]:
        """Open a copy of the history beside it; what is done to the copy is lost with it.

        Raises:
            StoreError: `write_failed`, `disk_full`: there is no room for it; `database_busy`.
        """
        self.remove_copy()
        timeout_s = self._busy_timeout_s
        try:
            with closing(sqlite3.connect(self._copy_path)) as target:
                copy_database(self._connection, target, busy_timeout_s=timeout_s)
            with Store(self._copy_path, is_sealed=False) as copy:
                yield copy
        except sqlite3.Error as error:
            raise not_written(self._copy_path, error) from error
        finally:
            self.remove_copy()

    @property
    def _copy_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.copy")

    def remove_copy(self) -> None:
        """Remove a copy of the history, with SQLite's side files: one that was killed left it."""
        with suppress(OSError):  # held open by another program: the next copy removes it
            remove_database(self._copy_path)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Ask several questions of one state, whatever another process commits meanwhile."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def execute(self, sql: str, parameters: Values = ()) -> sqlite3.Cursor:
        """Run one statement of ours with bound values; a change belongs into `atomic`."""
        values = parameters if isinstance(parameters, dict) else tuple(parameters)
        return self._connection.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[Iterable[Any]]) -> None:
        """Run one statement of ours for each row of values."""
        self._connection.executemany(sql, (tuple(row) for row in rows))

    def rows(self, sql: str, parameters: Values = ()) -> list[sqlite3.Row]:
        """Return all rows of a query.

        Raises:
            StoreError: `read_failed`, `database_busy`, `database_damaged`.
        """
        try:
            return self.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            raise not_read(self.path, error) from error

    def find_damage(self) -> str:
        """Return the first thing that SQLite finds wrong with the file in a quick look, or "".

        Raises:
            StoreError: `database_damaged`: it is too damaged to be looked through.
        """
        answer = str(self.rows("PRAGMA quick_check(1)")[0][0])
        return "" if answer == "ok" else answer
