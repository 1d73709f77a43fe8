"""What the answers of a run cost: how long each took, and what it takes on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dmf_crawler.acquire.raw_folder import INDEX, read_lines
from dmf_crawler.acquire.raw_index import AnswerLine, decode_line


@dataclass(frozen=True, slots=True)
class AnswerCost:
    """One answer that a run itself received.

    Attributes:
        status: HTTP status.
        elapsed_s: From the start of the request to its last byte.
        n_bytes: Of the file that keeps its body; 0 where it is gone.
    """

    status: int
    elapsed_s: float
    n_bytes: int


def measure_answers(folder: Path) -> Iterator[AnswerCost]:
    """Yield what each answer of a run's folder cost; nothing where the folder is gone."""
    lines = read_lines(folder) if (folder / INDEX).is_file() else ()
    for line in (decode_line(text) for _, text in lines):
        if isinstance(line, AnswerLine) and line.sent:
            path = folder / line.file
            n_bytes = path.stat().st_size if path.is_file() else 0
            yield AnswerCost(line.status, line.elapsed_s, n_bytes)
