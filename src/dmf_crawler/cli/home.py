"""Which home folder a command works in, its configuration, its lock and its log.

The only module that reads the environment and the current folder.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from dmf_crawler.config import Home, load_home
from dmf_crawler.errors import ConfigError, LockHeldError, StoredDataError
from dmf_crawler.model import kst

LOG = logging.getLogger("dmf_crawler")
MARK = Path("config") / "settings.yaml"


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
        "--home 폴더 를 붙이거나 환경 변수 DMF_HOME 을 정하세요.",
    )


def open_home(given: Path | None) -> Home:
    """Find the home folder and check its whole configuration."""
    return load_home(find_home(given))


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
            f"다른 실행이 {home.root} 에서 진행 중입니다. 끝난 뒤에 다시 실행하세요.",
        ) from None
    except OSError as error:
        raise StoredDataError(
            "home_not_writable",
            f"{home.lock.parent} 에 쓸 수 없습니다({error}). 폴더 권한과 디스크 공간을 확인하세요.",
        ) from error
    try:
        yield
    finally:
        lock.release()


class _JsonLines(logging.Formatter):
    """One JSON object a line: at, level, event and whatever the call named in `extra`."""

    _OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

    def format(self, record: logging.LogRecord) -> str:
        at = kst(datetime.fromtimestamp(record.created).astimezone()).isoformat()
        line = {"at": at, "level": record.levelname, "event": record.getMessage()}
        line |= {key: value for key, value in record.__dict__.items() if key not in self._OWN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


@contextmanager
def write_log(home: Home, day: date) -> Iterator[None]:
    """Send the program's log records to logs/dmf-YYYY-MM-DD.jsonl while inside."""
    try:
        home.logs.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(home.logs / f"dmf-{day}.jsonl", encoding="utf-8")
    except OSError as error:
        raise StoredDataError(
            "home_not_writable",
            f"로그 폴더 {home.logs} 에 쓸 수 없습니다({error}). 폴더 권한을 확인하세요.",
        ) from error
    handler.setFormatter(_JsonLines())
    LOG.addHandler(handler)
    level, propagates = LOG.level, LOG.propagate
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
        LOG.propagate = propagates
        handler.close()
