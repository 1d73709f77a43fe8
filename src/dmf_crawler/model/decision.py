"""What became of a run that a gate held."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Decided(StrEnum):
    """How a held run ended."""

    APPROVED = "approved"  # a person let it pass; it was recorded
    REJECTED = "rejected"  # a person says that it is not true
    SUPERSEDED = "superseded"  # a newer run was accepted before anybody decided


@dataclass(frozen=True, slots=True)
class Decision:
    """How, when and why a held run ended.

    Attributes:
        what: approved, rejected or superseded.
        at: Aware; None for one that an older version superseded.
        note: What the person wrote, "" for nothing.
    """

    what: Decided
    at: datetime | None
    note: str = ""
