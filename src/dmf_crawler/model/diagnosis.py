"""What `doctor` found at one place of this machine, the configuration or what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a place is: as it should be, to be looked at by a person, or in the way of a run."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One check and its result.

    Attributes:
        name: English, stable.
        outcome: How it is.
        found: Korean: what was found.
        next_step: Korean: what to do, "" where nothing is to be done.
        board: The board that was looked at, "" where the check is of no single one.
    """

    name: str
    outcome: Health
    found: str
    next_step: str = ""
    board: str = ""
