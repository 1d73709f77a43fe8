"""README.txt of an exported history: what its files are, for whoever no longer has the program."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from dmf_crawler.model.listing import WrittenFile
from dmf_crawler.model.run import kst

MEANINGS = Path(__file__).with_name("history_columns.csv")
PROSE = Path(__file__).with_name("history_readme.txt")

WIDTH = 20


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a table or a column of it means, in both languages."""

    ko: str
    en: str


@cache
def read_meanings() -> Mapping[tuple[str, str], Meaning]:
    """Return (table, column) → what it means; the column "" stands for the table itself."""
    with MEANINGS.open(encoding="utf-8", newline="") as file:
        return {
            (row["table"], row["column"]): Meaning(row["ko"], row["en"])
            for row in csv.DictReader(file)
        }


@dataclass(frozen=True, slots=True)
class Described:
    """One csv file with its columns.

    Attributes:
        file: As it was written.
        table: Under what name its meaning is known.
        columns: Column → type.
    """

    file: WrittenFile
    table: str
    columns: Mapping[str, str]


def write_readme(
    described: Sequence[Described],
    lists: Mapping[str, str],
    *,
    digest: str,
    version: str,
    written_at: datetime,
) -> str:
    """Return the text of README.txt.

    Args:
        described: The tables.
        lists: File name of a board's current list → what it is.
        digest: Of the history that was written.
        version: Of the program.
        written_at: Aware.
    """
    at = f"{kst(written_at):%Y-%m-%d %H:%M:%S} KST"
    prose = PROSE.read_text(encoding="utf-8").format(
        made_ko=f"dmf-crawler {version} 이(가) {at} 에 만들었습니다.\n이력의 지문: {digest}",
        made_en=f"Made by dmf-crawler {version} on {at}.\nDigest of the history: {digest}",
        rule="(grep '\\.csv$' SHA256SUMS | sha256sum)",
    )
    parts = [
        prose,
        "파일과 열 / Files and columns\n=============================\n",
        *("\n".join(_describe(each)) + "\n" for each in described),
        *(f"{name}\n  {about}\n" for name, about in lists.items()),
    ]
    return "\n".join(parts)


def _describe(described: Described) -> Iterator[str]:
    meanings = read_meanings()
    about = meanings.get((described.table, ""))
    yield f"{described.file.name} ({described.file.n_rows:,})"
    if about:
        yield f"  {about.ko} / {about.en}"
    for column, kind in described.columns.items():
        meaning = meanings.get((described.table, column))
        told = f"{meaning.ko} / {meaning.en}" if meaning else ""
        yield f"    {column:<{WIDTH}} {kind:<7} {told}".rstrip()
