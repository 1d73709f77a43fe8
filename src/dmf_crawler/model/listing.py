"""What leaves the history as files: the list of a day, plain tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from dmf_crawler.model.record import Column
from dmf_crawler.model.report import RunRow, VersionRow

StoredCell = str | int | float | bytes | None
"""What one column of a row of the history holds."""


@dataclass(frozen=True, slots=True)
class KnownBoard:
    """A board that the history can be asked about, switched on or not.

    Attributes:
        board_id: Which board.
        name_ko: Its Korean name, its id where the configuration does not have it any more.
        columns: Its columns in order; of a board that is switched off what its newest record has.
        key_field: Field id of the number that people know a record by, "" where it has none.
        status_field: Field id of the status, "" where it has none.
    """

    board_id: str
    name_ko: str
    columns: tuple[Column, ...]
    key_field: str = ""
    status_field: str = ""


@dataclass(frozen=True, slots=True)
class ListOfDay:
    """The whole list of a board as it stood at the end of a day.

    Attributes:
        board: Its columns include every field that one of the records has.
        day: 06:00 to 06:00 KST.
        accepted: The last accepted run up to then: nothing later is in the list.
        records: In the order of the workbook; missing ones are in it, and marked.
    """

    board: KnownBoard
    day: date
    accepted: RunRow
    records: tuple[VersionRow, ...]

    @property
    def n_missing(self) -> int:
        """Records that were gone from the list and not yet withdrawn for it (확인 중)."""
        return sum(record.missing_since is not None for record in self.records)

    def count_statuses(self) -> Mapping[str, int]:
        """Return how many records have each status, the most frequent first."""
        counted = Counter(
            str(record.fields.get(self.board.status_field, "")) for record in self.records
        )
        return dict(counted.most_common())


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of an exported history.

    Attributes:
        name: Below the folder.
        n_rows: Rows of a csv file, its header left out; None of another file.
        n_bytes: Its size.
        sha256: Of its bytes.
    """

    name: str
    n_rows: int | None
    n_bytes: int
    sha256: str
