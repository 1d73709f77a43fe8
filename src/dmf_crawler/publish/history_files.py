"""The whole history as a folder of plain files: written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.model.listing import StoredCell, WrittenFile
from dmf_crawler.publish.plain_csv import exact_cell, write_csv

README = "README.txt"
SUMS = "SHA256SUMS"


class HistoryFolder:
    """A folder that is being written.

    Attributes:
        files: What is in it so far.

    Args:
        path: Where it is written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.files: list[WrittenFile] = []

    @property
    def digest(self) -> str:
        """SHA-256 of the lines that SHA256SUMS has for the csv files: equal histories have one."""
        lines = [_sum_line(file) for file in self.files if file.name.endswith(".csv")]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def write_table(
        self, name: str, header: Sequence[str], rows: Iterable[Sequence[StoredCell]]
    ) -> None:
        """Write rows so that nothing of them is lost."""
        cells = ([exact_cell(value) for value in row] for row in rows)
        self.write(name, lambda file: write_csv(file, header, cells))

    def write_text(self, name: str, text: str) -> None:
        """Write a text for people: UTF-8 with a BOM, line ends as Windows has them."""
        self.write(name, lambda file: _write_lines(file, text))

    def write(self, name: str, write: Callable[[BinaryIO], int | None]) -> None:
        """Write one file; `write` returns its number of rows, None where it has none."""
        path = self._path / name
        with path.open("xb") as file:
            n_rows = write(file)
            file.flush()
            os.fsync(file.fileno())
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        self.files.append(WrittenFile(name, n_rows, path.stat().st_size, sha256))

    def write_sums(self) -> None:
        """Write the digests of all files, as `sha256sum -c` reads them."""
        lines = "".join(_sum_line(file) for file in self.files)
        self.write(SUMS, lambda file: _write_bytes(file, lines.encode()))


@contextmanager
def new_history_folder(folder: Path) -> Iterator[HistoryFolder]:
    """Open a folder to be filled; it takes its name only when everything is on disk.

    Until then it lies beside, and nothing is left of it when an exception leaves the block.

    Args:
        folder: Empty or missing.

    Raises:
        UsageError: `folder_not_empty`.
        StoredDataError: `file_not_written`.
    """
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(
            "folder_not_empty",
            f"{folder} 이 비어 있지 않습니다. 비어 있거나 아직 없는 폴더를 적으십시오.",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(
            tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".part", dir=folder.parent)
        )
        try:
            yield HistoryFolder(temporary)
            temporary.chmod(0o755)  # mkdtemp lets nobody else read
            if folder.exists():
                folder.rmdir()
            temporary.replace(folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise StoredDataError(
            "file_not_written",
            f"{folder} 에 쓰지 못했습니다({error.strerror or error}). 아무것도 남지 않았습니다. "
            "폴더의 쓰기 권한과 디스크의 빈 공간을 확인한 뒤 다시 실행하십시오.",
        ) from error


def _sum_line(file: WrittenFile) -> str:
    return f"{file.sha256}  {file.name}\n"


def _write_lines(file: BinaryIO, text: str) -> None:
    file.write(text.replace("\n", "\r\n").encode("utf-8-sig"))


def _write_bytes(file: BinaryIO, content: bytes) -> None:
    file.write(content)
