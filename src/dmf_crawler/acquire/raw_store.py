"""Every fetched byte, kept by its digest; the index of a run says what came when and from where.

    raw/YYYY-MM-DD/<board>/<run_id>/    one run's folder (`raw_folder`)

Nothing is ever overwritten. A folder alone is enough to read its run again: a body that an earlier
run received (a 304, a page taken over) is kept in it once more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from dmf_crawler.acquire.file_name import safe_file_name
from dmf_crawler.acquire.raw_folder import (
    FILES,
    INDEX,
    UNFINISHED_SUFFIX,
    Link,
    Sleep,
    act_patiently,
    append_line,
    bring_body,
    damaged,
    find_body,
    find_file,
    page_of,
    parse_index,
    parse_line,
    read_lines,
    read_page,
    unwritable,
    write_body,
)
from dmf_crawler.acquire.raw_index import (
    AnswerLine,
    decode_line,
    line_of_failure,
    line_of_page,
    line_taken_over,
    request_of,
    was_sent_to,
)
from dmf_crawler.errors import RawStoreError
from dmf_crawler.model.page import FailedRequest, FetchedPage, PageRequest, RawPage
from dmf_crawler.model.run import Run

PRUNED_SUFFIX = ".pruned"
"""Ends the name of a run's folder that is being removed."""


@dataclass(frozen=True, slots=True)
class RawProblem:
    """Something in the raw store that does not verify: the file, and what, in Korean."""

    path: Path
    what: str


class RawStore:
    """The folder `raw/` of a home.

    Args:
        root: That folder.
        sleep: Waits for a file that another program holds for a moment; None gives up at once.
        link: Gives a kept body one more name.
    """

    def __init__(self, root: Path, *, sleep: Sleep | None = None, link: Link = os.link) -> None:
        self._root = root
        self._sleep = sleep
        self._link = link
        self._answers: tuple[tuple[Path, int], tuple[AnswerLine, ...]] = ((Path(), 0), ())

    def folder(self, run: Run) -> Path:
        """Return where a run's pages lie."""
        return self._root / run.day.isoformat() / run.board_id / run.run_id

    # --- writing ---------------------------------------------------------------------------------

    def put(self, run: Run, page: FetchedPage, *, taken_from: str = "") -> RawPage:
        """Keep one answer and return what the disk then has of it.

        Args:
            run: The run at work.
            page: The answer; of a 304 with the body that it stands for.
            taken_from: The run that received this body, where a 304 stands for it; its header
                fields count, too, where the 304 does not repeat them.

        Raises:
            RawStoreError: It could not be written, or does not read back.
        """
        folder = self.folder(run)
        sha256 = hashlib.sha256(page.body).hexdigest()
        earlier = self._find_earlier(run, taken_from, page.request, sha256) if taken_from else None
        file_name = ""
        if page.request.kind == "file" and (page.status == 200 or taken_from):
            file_name = _name_file(page, earlier)
        with _writing(folder):
            name = write_body(folder, page.body, sha256, file_name=file_name, sleep=self._sleep)
            line = line_of_page(
                page, sha256, name, file_name=file_name, taken_from=taken_from, earlier=earlier
            )
            append_line(folder, line, self._sleep)
        return read_page(folder, line, self._sleep)

    def take_over(self, run: Run, page: RawPage, source: Path, run_id: str) -> RawPage:
        """Keep a page of an earlier run in this run's folder, as a request that was not sent.

        Its moment, try and header fields stay as they were.

        Args:
            run: The run at work.
            page: As `pages` gave it; its body is not looked at.
            source: The earlier run's folder.
            run_id: The earlier run.

        Raises:
            RawStoreError: It is not there, is damaged, or could not be written.
        """
        line = next((each for each in self._answers_of(source) if _is_of(each, page)), None)
        if line is None:
            raise damaged(source / INDEX, f"목록에 {page.request.url} 의 줄이 없습니다")
        folder = self.folder(run)
        with _writing(folder):
            name = bring_body(source, folder, line, link=self._link, sleep=self._sleep)
            line = line_taken_over(line, name, run_id)
            append_line(folder, line, self._sleep)
        return read_page(folder, line, self._sleep)

    def note_failure(
        self,
        run: Run,
        request: PageRequest,
        *,
        code: str,
        at: datetime,
        attempt: int,
        sent: bool = True,
    ) -> None:
        """Note a request that got no answer; one that was sent counts for the day's budget.

        Raises:
            RawStoreError: It could not be written.
        """
        folder = self.folder(run)
        line = line_of_failure(request, code=code, at=at, attempt=attempt, sent=sent)
        with _writing(folder):
            append_line(folder, line, self._sleep)

    def _find_earlier(
        self, run: Run, run_id: str, request: PageRequest, sha256: str
    ) -> AnswerLine | None:
        """Return the last line of the same request and body in an earlier run, if it is there."""
        for folder in self._root.glob(f"*/{run.board_id}/{run_id}"):
            for line in reversed(self._answers_of(folder)):
                if line.sha256 == sha256 and line.identity == request.identity:
                    return line
        return None

    def _answers_of(self, folder: Path) -> tuple[AnswerLine, ...]:
        """Return the readable answers in a run's index; those of the last one stay at hand."""
        index = folder / INDEX
        state = (index, index.stat().st_size if index.is_file() else 0)
        if self._answers[0] != state:
            lines = (decode_line(text) for _, text in read_lines(folder)) if state[1] else ()
            answers = tuple(line for line in lines if isinstance(line, AnswerLine))
            self._answers = (state, answers)
        return self._answers[1]

    # --- reading ---------------------------------------------------------------------------------

    def pages(self, folder: Path) -> Iterator[RawPage]:
        """Yield the kept answers in a run's folder, any status, in the order in which they came.

        Raises:
            RawStoreError: There is no index, one of its lines cannot be read, or a page is missing
                or does not match its digest. A last line that is cut is ignored: the process was
                killed while it wrote it.
        """
        for line in parse_index(folder):
            if isinstance(line, AnswerLine):
                yield read_page(folder, line, self._sleep)

    def visits(self, folder: Path) -> Iterator[RawPage | FailedRequest]:
        """Yield every request of a run with what became of it, in order; raises as `pages`."""
        for line in parse_index(folder):
            if isinstance(line, AnswerLine):
                yield read_page(folder, line)
            else:
                yield FailedRequest(request_of(line), line.code)

    def told_visits(self, folder: Path) -> Iterator[RawPage | FailedRequest]:
        """Yield what can be read of a run's index, pages without their bodies.

        For whoever can do without the rest: a folder that is gone, or damaged, tells of less.
        """
        lines = read_lines(folder) if self.has_index(folder) else ()
        for line in (decode_line(text) for _, text in lines):
            if isinstance(line, AnswerLine):
                yield page_of(line, b"")
            elif line is not None:
                yield FailedRequest(request_of(line), line.code)

    def answers(self, folder: Path) -> Iterator[RawPage]:
        """Yield the pages of `told_visits`."""
        for line in self._answers_of(folder):
            yield page_of(line, b"")

    def find_body(self, folder: Path, sha256: str) -> bytes | None:
        """Return the body of a digest from a run's folder, None where it is missing or damaged."""
        return find_body(folder, sha256, self._sleep)

    def find_file(self, folder: Path, sha256: str) -> tuple[Path, bytes] | None:
        """Return file and body of a digest in a run's folder, None where missing or damaged."""
        return find_file(folder, sha256, self._sleep)

    def has_index(self, folder: Path) -> bool:
        """Say whether a run's folder is there, with its index."""
        return (folder / INDEX).is_file()

    def digests(self, folder: Path) -> tuple[str, ...]:
        """Return the SHA-256 of each answer that a run's index names; none where it is gone."""
        if not self.has_index(folder):
            return ()
        lines = (decode_line(text) for _, text in read_lines(folder))
        return tuple(line.sha256 for line in lines if isinstance(line, AnswerLine))

    def n_requests(self, day: date, host: str) -> int:
        """Count the requests of a day that went to a host name, over all runs, answered or not.

        A line that cannot be read counts: it was a request, and the budget must not grow from
        damage.
        """
        indexes = (self._root / day.isoformat()).glob(f"*/*/{INDEX}")
        lines = (text for path in indexes for text in self._read_index(path).split(b"\n"))
        return sum(was_sent_to(host, text) for text in lines if text)

    def _read_index(self, path: Path) -> bytes:
        try:
            return act_patiently(path.read_bytes, self._sleep)
        except OSError as error:
            raise damaged(path, "목록을 읽을 수 없습니다") from error

    def verify(self) -> list[RawProblem]:
        """Return everything in the store that does not verify, runs in order of time."""
        folders = sorted(
            folder
            for folder in self._root.glob("*/*/*")
            if folder.is_dir() and folder.suffix != PRUNED_SUFFIX
        )
        return [problem for folder in folders for problem in verify_run(folder)]


def _name_file(page: FetchedPage, earlier: AnswerLine | None) -> str:
    if earlier is not None and earlier.file_name:
        return earlier.file_name
    return safe_file_name(page.header("Content-Disposition"), page.url, page.request.label)


def _is_of(line: AnswerLine, page: RawPage) -> bool:
    asked = page.request
    return (
        line.sha256 == page.sha256
        and line.identity == asked.identity
        and (line.kind, line.pass_no, line.page_no) == (asked.kind, asked.pass_no, asked.page_no)
        and (line.fetched_at, line.attempt, line.status)
        == (page.fetched_at, page.attempt, page.status)
    )


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise unwritable(folder, error) from error


def verify_run(folder: Path) -> list[RawProblem]:
    """Return everything in a run's folder that does not verify, in the order of its index.

    A process that is killed before its first line leaves no index and one page at most.
    """
    if not (folder / INDEX).exists() and _count_bodies(folder) <= 1:
        return []
    problems = []
    try:
        lines = list(read_lines(folder))
    except RawStoreError as error:
        return [RawProblem(folder / INDEX, error.message)]
    for number, text in lines:
        path = folder / INDEX
        try:
            line = parse_line(folder, number, text)
            if isinstance(line, AnswerLine):
                path = folder / line.file
                read_page(folder, line)
        except RawStoreError as error:
            problems.append(RawProblem(path, error.message))
    return problems


def _count_bodies(folder: Path) -> int:
    bodies = (*folder.glob("*.html.gz"), *folder.glob(f"{FILES}/*"))
    return sum(path.suffix != UNFINISHED_SUFFIX for path in bodies)
