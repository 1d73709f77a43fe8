"""A file that is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dmf_crawler.errors import StoredDataError, UsageError

UNFINISHED_SUFFIX = ".part"
"""Of a file that is being written; the next start removes it where a killed process left it."""


@contextmanager
def open_whole(
    path: Path, *, replace: Callable[[Path, Path], None] = os.replace
) -> Iterator[BinaryIO]:
    """Open a file to be written that takes the place of an older one when all is on disk.

    Until then it is `path` with `UNFINISHED_SUFFIX` at its end, in the same folder, which is made
    where it is missing; nothing is left of it when an exception leaves the block.

    Args:
        path: The file.
        replace: Moves the finished file over `path`, as `os.replace`.

    Raises:
        OSError: It could not be written; what lay at `path` is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}{UNFINISHED_SUFFIX}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def open_new(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a person named, to be written whole; nothing is ever overwritten.

    Raises:
        UsageError: `file_exists`.
        StoredDataError: `file_not_written`; nothing is left of it.
    """
    if path.exists():
        raise UsageError(
            "file_exists",
            f"{path} 이 이미 있습니다. 덮어쓰지 않습니다. 다른 이름을 적거나 그 파일을 옮긴 뒤 "
            "다시 실행하십시오.",
        )
    try:
        with open_whole(path) as file:
            yield file
    except OSError as error:
        raise StoredDataError(
            "file_not_written",
            f"{path} 을 쓰지 못했습니다({error.strerror or error}). 아무것도 남지 않았습니다. "
            "폴더의 쓰기 권한과 디스크의 빈 공간을 확인한 뒤 다시 실행하십시오.",
        ) from error
