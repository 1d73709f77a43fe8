"""Two other ways to tell whether a list was read right, to measure the gates against.

`DraftedRule` is what the first draft of this program prescribed: six features of each column
against their own mean and spread (after RAPTURE, Kushmerick 1999), and five limits of shares.
`ItemCount` is what users of Spidermon configure: a number of items, and how many of them have each
field. Both are told the truth every day: a person approves what they alarm on wrongly, and no
damaged day is ever learnt.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dmf_crawler.model.record import Fields, Value

CUT = 0.05
"""The combined likelihood of a column's features below which the draft alarms."""

LEAST_DAYS, MOST_DAYS = 7, 90
MOST_DEVIATIONS = 8.0
LEAST_PAGE_ROWS = 10
ROWS_RATIO, EMPTY_RATIO, PATTERN_RATIO, GONE_RATIO = 0.30, 0.05, 0.95, 0.10

ITEMS_RATIO = 0.9
"""Share of the items of the run before that a user expects at least."""

COVERAGE_RATIO = 0.9
"""Share of the coverage first seen that a user expects of a field which may be empty."""

Pages = Sequence[Sequence[Fields]]


@dataclass(slots=True)
class DraftedRule:
    """Gates G-1 to G-5 and G-9 as they were drafted.

    Args:
        patterns: Field → what its values look like.
        required: Fields that are never empty.
        status_field: Field of the status.
        withdrawn_words: Statuses that mean withdrawn.
    """

    patterns: Mapping[str, re.Pattern[str]]
    required: Sequence[str]
    status_field: str
    withdrawn_words: frozenset[str]
    _history: dict[str, deque[tuple[float, ...]]] = field(default_factory=dict)
    _live: frozenset[Value] = frozenset()
    _n_rows: int = 0
    _texts: dict[tuple[str, Value], tuple[int, int, bool]] = field(default_factory=dict)

    def alarms(self, pages: Pages) -> tuple[str, ...]:
        """Return the gates that would have stopped a read."""
        rows = [row for page in pages for row in page]
        features = self._measure(rows)
        return tuple(dict.fromkeys(self._find_alarms(pages, rows, features)))

    def learn(self, pages: Pages) -> None:
        """Take a day for a right one, whatever the rule said of it."""
        rows = [row for page in pages for row in page]
        for name, measured in self._measure(rows).items():
            self._history.setdefault(name, deque(maxlen=MOST_DAYS)).append(measured)
        self._live = self._find_live(rows)
        self._n_rows = len(rows)

    def _find_alarms(
        self, pages: Pages, rows: Sequence[Fields], features: Mapping[str, tuple[float, ...]]
    ) -> Iterator[str]:
        if not rows or any(len(page) < LEAST_PAGE_ROWS for page in pages[:-1]):
            yield "G-1"
            return
        if self._n_rows and abs(len(rows) - self._n_rows) > ROWS_RATIO * self._n_rows:
            yield "G-2"
        if any(features[name][0] > EMPTY_RATIO for name in self.required):
            yield "G-3"
        if any(features[name][-1] < PATTERN_RATIO for name in self.patterns):
            yield "G-4"
        n_gone = len(self._live - self._find_live(rows))
        if n_gone > GONE_RATIO * max(1, self._n_rows):
            yield "G-5"
        if any(self._is_suspect(name, measured) for name, measured in features.items()):
            yield "G-9"

    def _find_live(self, rows: Sequence[Fields]) -> frozenset[Value]:
        return frozenset(
            row["reg_no"] for row in rows if row[self.status_field] not in self.withdrawn_words
        )

    def _measure(self, rows: Sequence[Fields]) -> dict[str, tuple[float, ...]]:
        names = rows[0] if rows else ()
        return {name: self._measure_column(name, [row[name] for row in rows]) for name in names}

    def _measure_column(self, name: str, values: Sequence[Value]) -> tuple[float, ...]:
        """Return share of empty cells, mean and spread of lengths, and three shares.

        Those of digits, of different values, and of values that match the pattern.
        """
        counts = Counter(values)
        n_filled = n_chars = n_squares = n_digits = n_matching = n_different = 0
        for value, n in counts.items():
            length, digits, matches = self._look_at(name, value)
            if not length:
                continue
            n_filled += n
            n_different += 1
            n_chars += n * length
            n_squares += n * length * length
            n_digits += n * digits
            n_matching += n * matches
        filled = max(1, n_filled)
        mean = n_chars / filled
        return (
            1 - n_filled / max(1, len(values)),
            mean,
            math.sqrt(max(0.0, n_squares / filled - mean * mean)),
            n_digits / max(1, n_chars),
            n_different / filled,
            n_matching / filled if n_filled else 0.0,
        )

    def _look_at(self, name: str, value: Value) -> tuple[int, int, bool]:
        """Return length and digits of a value, and whether it matches; remembered."""
        known = self._texts.get((name, value))
        if known is None:
            text = (value if isinstance(value, str) else ", ".join(value)).strip()
            pattern = self.patterns.get(name)
            matches = pattern is None or pattern.match(text) is not None
            known = len(text), sum(char.isdigit() for char in text), matches
            self._texts[name, value] = known
        return known

    def _is_suspect(self, name: str, measured: Sequence[float]) -> bool:
        """Say whether the geometric mean of the six likelihoods is below the cut."""
        past = self._history.get(name, ())
        if len(past) < LEAST_DAYS:
            return False
        logs = []
        for number, series in zip(measured, zip(*past, strict=True), strict=True):
            mean = sum(series) / len(series)
            spread = math.sqrt(sum((each - mean) ** 2 for each in series) / len(series))
            if spread < 1e-6:
                spread = max(abs(mean) * 0.05, 0.01)
            deviations = min(abs(number - mean) / spread, MOST_DEVIATIONS)
            logs.append(max(-0.5 * deviations * deviations, math.log(1e-12)))
        return bool(sum(logs) / len(logs) < math.log(CUT))


@dataclass(slots=True)
class ItemCount:
    """Enough items, and each field in enough of them.

    A field that every item of the first run had is expected in all of them, another one in nine
    tenths of what was seen then; where a right day has fewer, its user lowers that to nine tenths.
    """

    _n_items: int = 0
    _least: dict[str, float] = field(default_factory=dict)

    def alarms(self, pages: Pages) -> tuple[str, ...]:
        """Return the monitors that would have failed."""
        rows = [row for page in pages for row in page]
        found = []
        if len(rows) < ITEMS_RATIO * self._n_items:
            found.append("item count")
        coverage = _measure_coverage(rows)
        if any(coverage.get(name, 0.0) < least for name, least in self._least.items()):
            found.append("field coverage")
        return tuple(found)

    def learn(self, pages: Pages) -> None:
        """Take a day for a right one."""
        rows = [row for page in pages for row in page]
        self._n_items = len(rows)
        is_first = not self._least
        for name, share in _measure_coverage(rows).items():
            if is_first:
                self._least[name] = 1.0 if share == 1.0 else COVERAGE_RATIO * share
            elif share < self._least[name]:
                self._least[name] = COVERAGE_RATIO * share


def _measure_coverage(rows: Sequence[Fields]) -> dict[str, float]:
    names = rows[0] if rows else ()
    return {name: sum(bool(row[name]) for row in rows) / len(rows) for name in names}
