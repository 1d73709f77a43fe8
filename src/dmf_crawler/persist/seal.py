"""The seal of the history: bytes that changed although nobody wrote are noticed before they speak.

SQLite has no checksum of what lies in its file. So when a writer closes the history, size, time of
the last change and digest of the file are noted beside it. A file that says it was not changed
since, but whose bytes differ, is damaged: a disk that forgets, a cable, memory. A file that was
written (a backup put back, another program) has another time; nothing can be said of it here, and
`verify` proves it.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from dmf_crawler.errors import StoreError

SUFFIX = ".seal"


def seal_path(path: Path) -> Path:
    """Return where the seal of a history lies."""
    return path.with_name(path.name + SUFFIX)


def write_seal(path: Path) -> None:
    """Seal a history that has just been closed; one that others still have open stays unsealed.

    Where the seal cannot be written, or only half of it, there is none: half of it is no JSON.
    """
    with suppress(OSError):
        state = None if _has_log(path) else _look(path)
        if state is not None:
            seal_path(path).write_text(json.dumps(state), encoding="utf-8")


def break_seal(path: Path) -> None:
    """Remove the seal of a history that is about to be written.

    Two writes can lie between two ticks of the file system's clock: the time alone would not tell
    that the file is another one. On Windows a seal that another command is just reading cannot be
    removed; it is emptied.

    Raises:
        OSError: It can neither be removed nor emptied.
    """
    try:
        seal_path(path).unlink(missing_ok=True)
    except PermissionError:
        seal_path(path).write_bytes(b"")


def is_broken(path: Path) -> bool:
    """Say whether a closed history's bytes differ from the sealed ones though nobody wrote them."""
    try:
        sealed = _read(path)
        if sealed is None or _has_log(path) or sealed["changed_ns"] != path.stat().st_mtime_ns:
            return False
        state = _look(path)
        if state in (None, sealed):
            return False
        # Whoever began to write meanwhile has removed the seal first.
        return not _has_log(path) and _read(path) == sealed
    except OSError:  # opening it says what is wrong
        return False


def seal_broken(path: Path) -> StoreError:
    """Return the error of a history whose seal is broken."""
    return StoreError(
        "seal_broken",
        f"이력 {path} 의 내용이 마지막으로 닫은 뒤에 바뀌었습니다. 아무도 쓰지 않은 파일이므로 "
        "디스크나 메모리의 손상입니다. verify 명령으로 어디가 손상되었는지 보고, 홈 폴더의 var 를 "
        "백업에서 되살리십시오. 백업이 없고 verify 의 다른 증명에 모두 이상이 없으면 "
        f"{seal_path(path).name} 파일을 지우고 계속할 수 있습니다. 디스크도 점검하십시오.",
    )


def _has_log(path: Path) -> bool:
    """Say whether SQLite's log is there: somebody has the history open, or was killed."""
    return path.with_name(path.name + "-wal").exists()


def _look(path: Path) -> dict[str, Any] | None:
    """Return size, time and digest of a file; None where it changes meanwhile."""
    before = path.stat()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "blake2b").hexdigest()
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return None
    return {"size": after.st_size, "changed_ns": after.st_mtime_ns, "blake2b": digest}


def _read(path: Path) -> dict[str, Any] | None:
    try:
        sealed = json.loads(seal_path(path).read_text(encoding="utf-8"))
        is_ours = sealed.keys() == {"size", "changed_ns", "blake2b"}
    except (OSError, ValueError, AttributeError):
        return None
    return sealed if is_ours else None
