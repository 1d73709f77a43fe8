"""Every fetched byte, kept by its digest; the index of a run says what came when and from where.

    raw/YYYY-MM-DD/<board>/<run_id>/index.jsonl            one line a request
    raw/YYYY-MM-DD/<board>/<run_id>/<sha256[:16]>.html.gz  the bytes, once however often they came

Nothing is ever overwritten. A page is on disk before its line is; both survive a power cut. Names
come from digests and from the run, never from an address.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import msgspec

from dmf_crawler.acquire.raw_index import (
    AnswerLine,
    FailureLine,
    RequestLine,
    decode_line,
    is_to,
    line_of_failure,
    line_of_page,
)
from dmf_crawler.errors import RawStoreError
from dmf_crawler.model.page import FetchedPage, PageRequest, RawPage, Reply
from dmf_crawler.model.run import Run

INDEX = "index.jsonl"
MIN_NAME_DIGITS = 16
COMPRESS_LEVEL = 6


@dataclass(frozen=True, slots=True)
class RawProblem:
    """Something in the raw store that does not verify: the file, and what, in Korean."""

    path: Path
    what: str


class RawStore:
    """The folder `raw/` of a home."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, run: Run) -> Path:
        """Return where a run's pages lie."""
        return self._root / run.day.isoformat() / run.board_id / run.run_id

    def put(self, run: Run, page: FetchedPage) -> RawPage:
        """Keep one answer and return what the disk then has of it.

        Raises:
            RawStoreError: It could not be written, or does not read back.
        """
        folder = self.folder(run)
        sha256 = hashlib.sha256(page.body).hexdigest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name = _write_body(folder, sha256, page.body)
            line = line_of_page(page, sha256, name)
            _append(folder / INDEX, line)
        except OSError as error:
            raise _unwritable(folder, error) from error
        return _read_page(folder, line)

    def note_failure(
        self, run: Run, request: PageRequest, *, code: str, at: datetime, attempt: int
    ) -> None:
        """Note a request that got no answer: it, too, counts for the day's budget.

        Raises:
            RawStoreError: It could not be written.
        """
        folder = self.folder(run)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            line = line_of_failure(request, code=code, at=at, attempt=attempt)
            _append(folder / INDEX, line)
        except OSError as error:
            raise _unwritable(folder, error) from error

    def pages(self, folder: Path) -> Iterator[RawPage]:
        """Yield the kept answers in a run's folder, any status, in the order in which they came.

        Raises:
            RawStoreError: There is no index, one of its lines cannot be read, or a page is missing
                or does not match its digest. A last line that is cut is ignored: the process was
                killed while it wrote it.
        """
        for number, text in _read_lines(folder):
            line = _parse_line(folder, number, text)
            if isinstance(line, AnswerLine):
                yield _read_page(folder, line)

    def digests(self, folder: Path) -> tuple[str, ...]:
        """Return the SHA-256 of each answer that a run's index names; none where it is gone."""
        if not (folder / INDEX).is_file():
            return ()
        lines = (decode_line(text) for _, text in _read_lines(folder))
        return tuple(line.sha256 for line in lines if isinstance(line, AnswerLine))

    def n_requests(self, day: date, host: str) -> int:
        """Count the requests of a day to a host name over all runs, answered or not.

        A line that cannot be read counts: it was a request, and the budget must not grow from
        damage.
        """
        indexes = (self._root / day.isoformat()).glob(f"*/*/{INDEX}")
        lines = (line for path in indexes for line in path.read_bytes().split(b"\n") if line)
        return sum(is_to(host, line) for line in lines)

    def verify(self) -> list[RawProblem]:
        """Return everything in the store that does not verify, runs in order of time."""
        folders = sorted(folder for folder in self._root.glob("*/*/*") if folder.is_dir())
        return [problem for folder in folders for problem in verify_run(folder)]


def verify_run(folder: Path) -> list[RawProblem]:
    """Return everything in a run's folder that does not verify, in the order of its index.

    A process that is killed before its first line leaves no index and one page at most.
    """
    if not (folder / INDEX).exists() and len(list(folder.glob("*.html.gz"))) <= 1:
        return []
    problems = []
    try:
        lines = list(_read_lines(folder))
    except RawStoreError as error:
        return [RawProblem(folder / INDEX, error.message)]
    for number, text in lines:
        path = folder / INDEX
        try:
            line = _parse_line(folder, number, text)
            if isinstance(line, AnswerLine):
                path = folder / line.file
                _read_page(folder, line)
        except RawStoreError as error:
            problems.append(RawProblem(path, error.message))
    return problems


# --- writing -----------------------------------------------------------------------------------


def _write_body(folder: Path, sha256: str, body: bytes) -> str:
    """Write a body where it is not there yet; return its name, longer where 16 digits are taken."""
    for n_digits in range(MIN_NAME_DIGITS, len(sha256) + 1, 4):
        path = folder / f"{sha256[:n_digits]}.html.gz"
        if not path.exists():
            _write_whole(path, gzip.compress(body, COMPRESS_LEVEL, mtime=0))
            return path.name
        if _holds(path, body):
            return path.name
    raise _damaged(folder / f"{sha256}.html.gz", "같은 이름의 파일에 다른 내용이 있습니다")


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _holds(path: Path, body: bytes) -> bool:
    try:
        return _unzip(path) == body
    except RawStoreError:  # a damaged file keeps its name, so that `verify` can point to it
        return False


def _append(path: Path, line: RequestLine) -> None:
    with path.open("ab") as file:
        file.write(msgspec.json.encode(line) + b"\n")
        file.flush()
        os.fsync(file.fileno())


# --- reading -----------------------------------------------------------------------------------


def _read_lines(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of the lines of a run's index, a cut last one left out."""
    path = folder / INDEX
    try:
        *whole, last = path.read_bytes().split(b"\n")
    except OSError as error:
        raise _damaged(path, "목록이 없거나 읽을 수 없습니다") from error
    yield from enumerate(whole, start=1)
    if last and decode_line(last) is not None:
        yield len(whole) + 1, last


def _parse_line(folder: Path, number: int, text: bytes) -> AnswerLine | FailureLine:
    line = decode_line(text)
    if line is None:
        raise _damaged(folder / INDEX, f"{number}번째 줄을 읽을 수 없습니다")
    return line


def _read_page(folder: Path, line: AnswerLine) -> RawPage:
    """Return the page of an answered request, its bytes checked against the digest."""
    path = folder / line.file
    body = _unzip(path)
    if hashlib.sha256(body).hexdigest() != line.sha256 or len(body) != line.bytes:
        raise _damaged(path, "내용이 기록된 지문(SHA-256)과 다릅니다")
    answer = Reply(line.status, line.headers, b"")
    return RawPage(
        request=PageRequest(
            line.url, line.kind, line.page_no, line.pass_no, line.method, line.body
        ),
        url=line.final_url,
        status=line.status,
        content_type=answer.header("Content-Type") or "",
        sha256=line.sha256,
        body=body,
        fetched_at=line.fetched_at,
        attempt=line.attempt,
    )


def _unzip(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, "파일이 없거나 압축이 손상되었습니다") from error


def _damaged(path: Path, what: str) -> RawStoreError:
    return RawStoreError(
        "raw_damaged",
        f"보관된 페이지에 문제가 있습니다: {path}: {what}. 백업이 있으면 되돌려 놓고, 없으면 이 "
        "실행은 다시 해석할 수 없습니다. verify 명령으로 나머지를 확인해 주십시오.",
    )


def _unwritable(folder: Path, error: OSError) -> RawStoreError:
    return RawStoreError(
        "raw_unwritable",
        f"받은 페이지를 저장하지 못했습니다: {folder} ({error.strerror or error}). 디스크의 빈 "
        "공간과 폴더의 쓰기 권한을 확인한 뒤 다시 실행해 주십시오.",
    )
