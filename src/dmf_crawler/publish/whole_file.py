"""A file that people open: the whole of it or what was there before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(
    content: bytes, path: Path, *, replace: Callable[[Path, Path], None] = os.replace
) -> None:
    """Write a file by way of a temporary one in the same folder, which is made where it is missing.

    Args:
        content: All of it.
        path: What lies there stays until the new file is complete and on disk.
        replace: Moves the finished file over `path`, as `os.replace`.

    Raises:
        OSError: It could not be written; what lay at `path` is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
