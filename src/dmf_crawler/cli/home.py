"""Which home folder a command works in, its configuration, its lock and its log.

The only module that reads the environment and the current folder.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePath

from filelock import FileLock, Timeout

from dmf_crawler.boards import Board
from dmf_crawler.config import DATABASE, Home, load_home
from dmf_crawler.errors import ConfigError, DmfCrawlerError, LockHeldError, StoredDataError
from dmf_crawler.model.run import day_of, kst
from dmf_crawler.secret import Secret, describe_missing, read_secret
from dmf_crawler.settings import Politeness
from dmf_crawler.world import real_world

LOG = logging.getLogger("dmf_crawler")
MARK = Path("config") / "settings.yaml"
DRIVE_REMOTE = 4


def find_home(given: Path | None) -> Path:
    """Return `--home`, else DMF_HOME, else the nearest parent that has config/settings.yaml.

    Raises:
        ConfigError: `no_home`.
    """
    if given is not None:
        return given
    named = os.environ.get("DMF_HOME")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / MARK).is_file():
            return folder
    raise ConfigError(
        "no_home",
        f"홈 폴더를 찾지 못했습니다. {here} 와 그 위 폴더에 {MARK.as_posix()} 가 없습니다. "
        "--home 폴더 를 붙이거나 환경 변수 DMF_HOME 을 정하십시오.",
    )


def is_network_drive(folder: Path) -> bool:
    """Say whether a folder, its links resolved, is not on a disk of this Windows PC."""
    windows = getattr(ctypes, "windll", None)
    return windows is not None and is_on_network(folder, windows.kernel32.GetDriveTypeW)


def is_on_network(folder: PurePath, tell_type: Callable[[str], int]) -> bool:
    r"""Say whether a folder of Windows' lies on a share or on a drive that stands for one.

    Args:
        folder: Absolute, its links resolved.
        tell_type: GetDriveTypeW. Of a share that it cannot reach it says that there is no such
            drive, so a share is known by its name, with or without `\\?\UNC` before it.
    """
    name = str(folder).upper()
    is_device = name.startswith(("\\\\?\\", "\\\\.\\"))
    if name.startswith("UNC\\", 4) if is_device else name.startswith("\\\\"):
        return True
    return tell_type(folder.anchor) == DRIVE_REMOTE


def find_remote(root: Path, is_remote: Callable[[Path], bool]) -> Path | None:
    """Return what of a home folder lies on a network and must not, None where nothing does.

    `var` may be a link to somewhere else, and so may the history in it.
    """
    places = (root, root / DATABASE.parent, root / DATABASE)
    return next((place for place in places if is_remote(place.resolve())), None)


def open_home(given: Path | None, *, is_remote: Callable[[Path], bool] = is_network_drive) -> Home:
    """Find the home folder and check its whole configuration.

    Raises:
        ConfigError: `no_home`, `home_on_network`, or what is wrong in it.
    """
    root = find_home(given).resolve()
    remote = find_remote(root, is_remote)
    if remote is not None:  # SQLite's WAL does not hold there
        raise ConfigError(
            "home_on_network",
            f"홈 폴더의 {remote} 가 네트워크 드라이브에 있습니다. 이력이 손상될 수 있으므로 "
            "이 PC의 디스크로 옮기십시오. 보고서만 paths.reports_dir 로 네트워크에 둘 수 있습니다.",
        )
    return load_home(root)


def read_keys(boards: Sequence[Board]) -> tuple[Secret, ...]:
    """Return the keys that the sources of some boards need, from the environment.

    One that is missing is left out where it serves a cross-check alone.

    Raises:
        ConfigError: `api_key_missing`: a board's primary source needs it.
    """
    keys: dict[str, Secret] = {}
    for board in boards:
        if board.openapi is None or "openapi" not in board.used_sources:
            continue
        variable = board.openapi.key_variable
        key = read_secret(variable, os.environ.get(variable, ""))
        if key is not None:
            keys[variable] = key
        elif board.primary == "openapi":
            raise ConfigError("api_key_missing", describe_missing(variable))
    return tuple(keys.values())


@contextmanager
def hold_lock(home: Home) -> Iterator[None]:
    """Hold the one lock of a home folder; it dies with the process.

    Raises:
        LockHeldError: `lock_held`.
        StoredDataError: `home_not_writable`.
    """
    try:
        home.lock.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home.lock, timeout=0)
        lock.acquire()
    except Timeout:
        raise LockHeldError(
            "lock_held",
            f"다른 실행이 {home.root} 에서 진행 중입니다. 끝난 뒤에 다시 실행하십시오.",
        ) from None
    except OSError as error:
        raise StoredDataError(
            "home_not_writable",
            f"{home.lock.parent} 에 쓸 수 없습니다({error}). "
            "폴더 권한과 디스크 공간을 확인하십시오.",
        ) from error
    try:
        yield
    finally:
        lock.release()


# JSON leaves them as they are, but many a reader ends a line there.
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


class _JsonLines(logging.Formatter):
    """One JSON object a line: at, level, event and whatever the call named in `extra`.

    `at` is told by the run's own clock, so that a run as if on another day reads as one.
    """

    _OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def format(self, record: logging.LogRecord) -> str:
        at = kst(self._now()).isoformat()
        line = {"at": at, "level": record.levelname, "event": record.getMessage()}
        line |= {key: value for key, value in record.__dict__.items() if key not in self._OWN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str).translate(_LINE_ENDS)


class _LogFile(logging.FileHandler):
    """A log file that may fill the disk: what it cannot take is told, and the run goes on."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        _tell_lost_log(self.baseFilename, record.getMessage())

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:  # what was still to be written
            _tell_lost_log(self.baseFilename, str(error))


def _tell_lost_log(path: str, what: str) -> None:
    if sys.stderr is not None:
        print(f"로그 {path} 에 쓰지 못했습니다: {what}", file=sys.stderr)


@contextmanager
def write_log(folder: Path, now: Callable[[], datetime]) -> Iterator[None]:
    """Send the program's log records to dmf-YYYY-MM-DD.jsonl in a folder while inside.

    An error of ours that leaves is recorded too; a bug is, by `log_bug`.

    Raises:
        StoredDataError: `home_not_writable`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(
            folder / f"dmf-{day_of(now())}.jsonl", encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        raise StoredDataError(
            "home_not_writable",
            f"로그 폴더 {folder} 에 쓸 수 없습니다({error}). 폴더 권한과 디스크 공간을 확인하고, "
            "다른 프로그램이 로그를 열어 두었으면 닫으십시오.",
        ) from error
    handler.setFormatter(_JsonLines(now))
    level, propagates = LOG.level, LOG.propagate
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    except DmfCrawlerError as error:
        LOG.error("command_failed", extra={"code": error.code, "detail": error.message})  # noqa: TRY400 - expected; no traceback
        raise
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
        LOG.propagate = propagates
        handler.close()


def log_bug(given: Path | None, error: Exception) -> None:
    """Write a bug with its traceback into the home folder's log, if a home can be found."""
    try:
        root = find_home(given)
    except ConfigError:
        return
    if (root / MARK).is_file():
        with real_world(Politeness()) as world, write_log(root / "logs", world.now):
            LOG.error("bug", exc_info=error)
