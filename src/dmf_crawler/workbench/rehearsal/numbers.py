"""Registration numbers (등록번호) in every shape that real ones have (README, item 6)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import date

GROUP_J_SINCE = date(2018, 2, 8)
_GROUPS = (  # first day of an era → its groups
    (date(2018, 2, 1), "CDEFGHI"),
    (date(2010, 1, 1), "EFGHI"),
    (date(2007, 1, 1), "BCDEFG"),
    (date(2003, 1, 1), "ABC"),
)


class NumberMill:
    """Hands out numbers and never the same one twice.

    Args:
        rng: Source of chance.
        taken: Numbers that exist already.
    """

    def __init__(self, rng: random.Random, taken: Iterable[str] = ()) -> None:
        self._rng = rng
        self._taken = set(taken)

    def new_number(self, day: date) -> str:
        """Return a number for a manufacturing file that is registered on `day`."""
        while (number := self._draw(day)) in self._taken:
            pass
        self._taken.add(number)
        return number

    def grant_number(self, number: str) -> str:
        """Return a number for another applicant who uses the same file (허여)."""
        base = number.partition("(")[0]
        if self._rng.random() < 0.15:
            suffixes: Iterable[str] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        else:
            suffixes = map(str, range(1, 1000))
        granted = next(
            name for suffix in suffixes if (name := f"{base}({suffix})") not in self._taken
        )
        self._taken.add(granted)
        return granted

    def _draw(self, day: date) -> str:
        dice = self._rng.random()
        if day >= GROUP_J_SINCE and dice < 0.62:
            return self._draw_group_j(day)
        if dice >= 0.85:
            return self._draw_new_substance()
        if day >= date(2010, 4, 1) and dice >= 0.845:
            return f"{day:%Y%m%d}-01-HP-{self._between(1, 30)}-{self._serial()}"
        if day >= GROUP_J_SINCE and dice >= 0.81:
            return f"{day:%Y%m%d}-{self._between(1, 15)}-K-{self._between(1, 99)}-{self._serial()}"
        groups = next(groups for since, groups in _GROUPS if day >= since)
        group = self._rng.choice(groups)
        return (
            f"{day:%Y%m%d}-{self._between(1, 208)}-{group}-{self._between(1, 720)}-{self._serial()}"
        )

    def _draw_group_j(self, day: date) -> str:
        # About 0.73 serials a day since the group exists; given at application, so not in order.
        serial = max(1, int((day - GROUP_J_SINCE).days * 0.73) + self._between(-20, 20))
        return f"{day:%Y%m%d}-{self._between(209, 211)}-J-{serial}"

    def _draw_new_substance(self) -> str:
        if self._rng.random() < 0.7:
            return f"수{self._between(5, 6600)}-{self._between(1, 75)}-ND"
        return f"{self._between(100, 3600)}-{self._between(1, 60)}-ND"

    def _serial(self) -> str:
        return f"{self._between(1, 60):02d}"

    def _between(self, low: int, high: int) -> int:
        return low + int(self._rng.random() * (high - low + 1))


def target_of(number: str) -> str:
    """Return the 대상의약품 that a number's shape stands for."""
    if "-ND" in number:
        return "신물질"
    if "-HP-" in number:
        return "인태반 유래"
    return "별표1의2" if "-K-" in number else "별표1"
