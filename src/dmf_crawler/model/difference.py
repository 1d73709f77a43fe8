"""Where two sources of one list say something else."""

from __future__ import annotations

from dataclasses import dataclass

from dmf_crawler.model.record import Value


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a list and another source of it do not agree on.

    Attributes:
        key: Natural key.
        field: Field id, "" for the record as a whole.
        here: The value in the list; of a whole record its key, None where the list lacks it.
        there: The value in the other source, likewise.
    """

    key: str
    field: str
    here: Value | None
    there: Value | None


@dataclass(frozen=True, slots=True)
class SourceDifferences:
    """What an accepted run leaves known of one source that its list was compared with.

    Attributes:
        primary: The source of the list.
        source: The other one.
        differences: Those that count as known from now on.
    """

    primary: str
    source: str
    differences: tuple[Difference, ...]
