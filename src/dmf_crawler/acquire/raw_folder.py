"""The files in one run's folder of the raw store: written whole, never overwritten, checked.

    index.jsonl                 one line a request
    <sha256[:16]>.html.gz       a page's bytes, once however often they came
    files/<sha256[:16]>_<name>  a file's bytes as they are

A page is on disk before its line is; both survive a power cut. Names come from digests, never from
an address; the name of a file comes behind its digest and has been made safe.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dmf_crawler.acquire.raw_index import (
    AnswerLine,
    FailureLine,
    RequestLine,
    decode_line,
    encode_line,
    headers_of,
    request_of,
)
from dmf_crawler.errors import RawStoreError
from dmf_crawler.model.page import RawPage, Reply

T = TypeVar("T")

Sleep = Callable[[float], None]
"""Takes seconds."""

Link = Callable[[Path, Path], None]
"""Gives an existing file one more name: existing, then new; raises OSError where it cannot."""

INDEX = "index.jsonl"
FILES = "files"
UNFINISHED_SUFFIX = ".tmp"
"""Ends the name of a file that is being written."""

MIN_NAME_DIGITS = 16
COMPRESS_LEVEL = 6

WAITS_S = (0.05, 0.1, 0.25, 0.5, 0.6, 1.0)
"""Waits for whoever holds a file: virus scanners and indexers on Windows let go within these."""


# --- writing -----------------------------------------------------------------------------------


def act_patiently(act: Callable[[], T], sleep: Sleep | None) -> T:
    """Do something with a file, a few times where another program holds it (WinError 5 and 32)."""
    if sleep is None:
        return act()
    for wait_s in WAITS_S:
        try:
            return act()
        except PermissionError:
            sleep(wait_s)
    return act()


def write_body(
    folder: Path, body: bytes, sha256: str, *, file_name: str = "", sleep: Sleep | None = None
) -> str:
    """Write a body where it is not there yet; return its name, longer where 16 digits are taken.

    Args:
        folder: Of the run.
        body: The bytes.
        sha256: Theirs.
        file_name: Safe name of a file; "" for a page.
        sleep: For `act_patiently`.

    Raises:
        RawStoreError: Each of the names holds something else.
        OSError: It could not be written.
    """
    name = ""
    for n_digits in range(MIN_NAME_DIGITS, len(sha256) + 1, 4):
        digits = sha256[:n_digits]
        name = f"{FILES}/{digits}_{file_name}" if file_name else f"{digits}.html.gz"
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            content = body if file_name else gzip.compress(body, COMPRESS_LEVEL, mtime=0)
            _write_whole(path, content, sleep)
            return name
        if _holds(folder, name, body, sleep):
            return name
    raise damaged(folder / name, "같은 이름의 파일에 다른 내용이 있습니다")


def _write_whole(path: Path, content: bytes, sleep: Sleep | None) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_name(f"{path.name}{UNFINISHED_SUFFIX}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        act_patiently(lambda: temporary.replace(path), sleep)
    except OSError:
        with suppress(OSError):  # what cannot be removed now is, by `remove_unfinished`
            temporary.unlink(missing_ok=True)
        raise


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process was in the middle of writing into a run's folder."""
    for path in folder.rglob(f"*{UNFINISHED_SUFFIX}"):
        with suppress(OSError):  # held open by another program: the folder verifies with it, too
            path.unlink()


def _holds(folder: Path, name: str, body: bytes, sleep: Sleep | None) -> bool:
    try:
        return _read_body(folder, name, sleep) == body
    except RawStoreError:  # a damaged file keeps its name, so that `verify` can point to it
        return False


def bring_body(
    source: Path, folder: Path, line: AnswerLine, *, link: Link = os.link, sleep: Sleep | None
) -> str:
    """Return the name in a folder of a body that another run's has: linked, else copied.

    Raises:
        RawStoreError: The other run's is missing or damaged.
        OSError: It could not be written.
    """
    target = folder / line.file
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # another disk, a file system without links
            link(source / line.file, target)
            return line.file
    body = read_page(source, line, sleep).body
    return write_body(folder, body, line.sha256, file_name=line.file_name, sleep=sleep)


def append_line(folder: Path, line: RequestLine, sleep: Sleep | None = None) -> None:
    """Add a line to a run's index; raises `OSError`."""
    with act_patiently(lambda: (folder / INDEX).open("ab"), sleep) as file:
        file.write(encode_line(line))
        file.flush()
        os.fsync(file.fileno())


# --- reading -----------------------------------------------------------------------------------


def read_lines(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of the lines of a run's index.

    A last line that is cut is left out: the process was killed while it wrote it.

    Raises:
        RawStoreError: There is no index.
    """
    path = folder / INDEX
    try:
        *whole, last = path.read_bytes().split(b"\n")
    except OSError as error:
        raise damaged(path, "목록이 없거나 읽을 수 없습니다") from error
    yield from enumerate(whole, start=1)
    if last and decode_line(last) is not None:
        yield len(whole) + 1, last


def parse_line(folder: Path, number: int, text: bytes) -> AnswerLine | FailureLine:
    """Return what a line says; raises `RawStoreError`."""
    line = decode_line(text)
    if line is None:
        raise damaged(folder / INDEX, f"{number}번째 줄을 읽을 수 없습니다")
    return line


def parse_index(folder: Path) -> Iterator[AnswerLine | FailureLine]:
    """Yield what a run's index says, in its order; raises `RawStoreError`."""
    for number, text in read_lines(folder):
        yield parse_line(folder, number, text)


def read_page(folder: Path, line: AnswerLine, sleep: Sleep | None = None) -> RawPage:
    """Return the page of an answered request, its bytes checked against the digest.

    Raises:
        RawStoreError: They are missing, or not those that arrived.
    """
    body = _read_body(folder, line.file, sleep)
    if hashlib.sha256(body).hexdigest() != line.sha256 or len(body) != line.bytes:
        raise damaged(folder / line.file, "내용이 기록된 지문(SHA-256)과 다릅니다")
    return page_of(line, body)


def page_of(line: AnswerLine, body: bytes) -> RawPage:
    """Return the page that a line is of, with a body that the caller answers for."""
    headers = headers_of(line)
    return RawPage(
        request=request_of(line),
        url=line.final_url,
        status=line.status,
        content_type=Reply(line.status, headers, b"").header("Content-Type") or "",
        sha256=line.sha256,
        body=body,
        fetched_at=line.fetched_at,
        attempt=line.attempt,
        headers=headers,
        taken_from=line.taken_from,
        file_name=line.file_name,
    )


def find_body(folder: Path, sha256: str, sleep: Sleep | None = None) -> bytes | None:
    """Return the body of a digest from a run's folder, None where it is missing or damaged."""
    found = find_file(folder, sha256, sleep)
    return None if found is None else found[1]


def find_file(folder: Path, sha256: str, sleep: Sleep | None = None) -> tuple[Path, bytes] | None:
    """Return the file that holds the body of a digest, and that; None as `find_body`."""
    for name in _names_of(folder, sha256[:MIN_NAME_DIGITS]):
        with suppress(RawStoreError):
            body = _read_body(folder, name, sleep)
            if hashlib.sha256(body).hexdigest() == sha256:
                return folder / name, body
    return None


def _names_of(folder: Path, digits: str) -> Iterator[str]:
    """Yield every name that a body may have, the likely one first."""
    yield f"{digits}.html.gz"
    for pattern in (f"{digits}*.html.gz", f"{FILES}/{digits}*_*"):
        for path in sorted(folder.glob(pattern)):
            yield path.relative_to(folder).as_posix()


def _read_body(folder: Path, name: str, sleep: Sleep | None = None) -> bytes:
    path = folder / name
    try:
        content = act_patiently(path.read_bytes, sleep)
        return content if name.startswith(f"{FILES}/") else gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(path, "파일이 없거나 압축이 손상되었습니다") from error


# --- failures ----------------------------------------------------------------------------------


def damaged(path: Path, what: str) -> RawStoreError:
    """Return the error of kept bytes that are not what they should be."""
    return RawStoreError(
        "raw_damaged",
        f"보관된 페이지에 문제가 있습니다: {path}: {what}. 백업이 있으면 되돌려 놓고, 없으면 이 "
        "실행은 다시 해석할 수 없습니다. verify 명령으로 나머지를 확인해 주십시오.",
    )


def unwritable(folder: Path, error: OSError) -> RawStoreError:
    """Return the error of a page that could not be kept."""
    return RawStoreError(
        "raw_unwritable",
        f"받은 페이지를 저장하지 못했습니다: {folder} ({error.strerror or error}). 디스크의 빈 "
        "공간과 폴더의 쓰기 권한을 확인한 뒤 다시 실행해 주십시오.",
    )
