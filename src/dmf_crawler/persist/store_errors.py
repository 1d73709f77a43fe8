"""What an error of SQLite means for the people at this PC, told by its code, never by its text."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from dmf_crawler.errors import StoreError
from dmf_crawler.model.run import KST
from dmf_crawler.persist.backups import backup_path, find_backups

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_READONLY = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def not_opened(path: Path, error: Exception) -> StoreError:
    """Return why a history cannot be opened."""
    return _name_cause(path, error) or StoreError(
        "database_unusable",
        f"이력 {path} 를 열 수 없습니다({error}). 파일이나 폴더의 권한과 디스크의 빈 공간을 "
        "확인하고, 이 파일을 열어 둔 프로그램을 닫은 뒤 다시 실행하십시오.",
    )


def not_read(path: Path, error: Exception) -> StoreError:
    """Return why a question to a history got no answer."""
    return _name_cause(path, error) or StoreError(
        "read_failed",
        f"이력 {path} 를 읽지 못했습니다({error}). "
        "verify 명령으로 확인하고, 손상되었으면 백업을 되살리십시오.",
    )


def not_written(path: Path, error: Exception) -> StoreError:
    """Return why a transaction was rolled back."""
    return _name_cause(path, error) or StoreError(
        "write_failed",
        f"이력 {path} 에 쓰지 못했습니다({error}). 아무것도 바뀌지 않았습니다. "
        "디스크 공간과 쓰기 권한을 확인한 뒤 다시 실행하십시오.",
    )


def not_backed_up(path: Path, error: Exception, *, version: int) -> StoreError:
    """Return why a history was not copied before it was to be brought up to date from `version`."""
    if _code_of(error) in _DAMAGED:
        return not_opened(path, error)
    return StoreError(
        "backup_failed",
        f"이력 {path} 를 새 판으로 바꾸기 전에 백업 {backup_path(path, version).name} 을 만들지 "
        f"못했습니다({error}). 아무것도 바뀌지 않았습니다. 이 디스크에 이력의 두 배만큼 빈 공간이 "
        "있는지, 폴더에 쓸 수 있는지 확인하고, 이 파일들을 열어 둔 프로그램(백신 검사 등)을 "
        "닫은 뒤 다시 실행하십시오.",
    )


def not_migrated(path: Path, error: Exception, *, version: int, backup: Path | None) -> StoreError:
    """Return why a history could not be brought up to date; it is of `version` still."""
    if _code_of(error) in _BUSY:
        return not_written(path, error)
    kept = f" 바꾸기 전의 이력은 백업 {backup.name} 에도 있습니다." if backup else ""
    return StoreError(
        "migration_failed",
        f"이력 {path} 를 새 판으로 바꾸지 못했습니다({error}). 이력은 판 {version} 그대로이고 "
        f"기록은 잃지 않았습니다.{kept} 디스크 공간과 쓰기 권한을 확인한 뒤 다시 실행하고, "
        "되풀이되면 개발자에게 알려 주십시오.",
    )


def _code_of(error: Exception) -> int | None:
    """Return SQLite's primary code, None where the error is not SQLite's."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _name_cause(path: Path, error: Exception) -> StoreError | None:
    """Return what people can do something about, whatever was asked of the file."""
    code = _code_of(error)
    if code in _BUSY:
        return StoreError(
            "database_busy",
            f"다른 프로그램이 이력 {path} 를 붙잡고 놓지 않습니다. 기다렸지만 읽거나 쓸 수 "
            "없었고, 아무것도 바뀌지 않았습니다. 이 파일을 열어 둔 프로그램(데이터베이스 보기, "
            "백업, 백신 검사)을 닫고 다시 실행하십시오.",
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            "disk_full",
            f"디스크가 가득 차 이력 {path} 에 쓰지 못했습니다. 아무것도 바뀌지 않았습니다. "
            "이 디스크에 빈 공간을 만든 뒤 다시 실행하십시오.",
        )
    if code in _READONLY:
        return StoreError(
            "database_readonly",
            f"이력 {path} 이나 그 폴더가 읽기 전용이거나 쓸 권한이 없습니다({error}). 아무것도 "
            "바뀌지 않았습니다. 파일과 폴더의 '읽기 전용' 속성을 끄고 쓰기 권한을 준 뒤 다시 "
            "실행하십시오.",
        )
    if code in _DAMAGED:
        return StoreError(
            "database_damaged",
            f"이력 {path} 이 손상되었거나 이력 파일이 아닙니다({error}). 파일을 지우지 말고 홈 "
            f"폴더를 백업에서 되살린 뒤 verify 를 실행하십시오.{_name_backup(path)}",
        )
    return None


def _name_backup(path: Path) -> str:
    for backup in find_backups(path):
        made = datetime.fromtimestamp(backup.stat().st_mtime, KST)
        return (
            f" 홈 폴더의 백업이 없으면 프로그램이 {made:%Y-%m-%d}에 만든 {backup.name} 이 "
            "있습니다. 그 뒤의 기록은 들어 있지 않습니다."
        )
    return ""
