"""The office behind the list: what happens to the register from one day to the next.

Rates follow README.md, item 7. Nothing happens on a day off, except that a row which was
lost by mistake may stay lost.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice

from dmf_crawler.workbench.rehearsal import edits
from dmf_crawler.workbench.rehearsal.companies import rename_company
from dmf_crawler.workbench.rehearsal.numbers import target_of
from dmf_crawler.workbench.rehearsal.register import LIVE, Grower, ListRow
from dmf_crawler.workbench.rehearsal.working_days import (
    ONE_DAY,
    is_working_day,
    list_working_days,
)

BULK_FREE_DAYS = 14
"""First days without a rename, report wave, burst or change of form alone: a history settles."""

MOST_ROWS_LOST = 3
"""Rows that vanish within any four days; a gate may hold a day with more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often things happen: weights of 0, 1, 2, … a working day, or a chance a working day.

    Attributes:
        new_rows: New registrations, mean 3.
        bumped_documents: 문서번호 and 최종변경일자 change.
        withdrawn_rows: 정상 → 취하 or 취소.
        corrected_addresses: A letter of an address.
        late_reports: 최종연차보고년도 outside the yearly wave.
        polished: A change of form alone, about three a month.
        restored: 취하 → 정상, about two a year.
        glitch: A row vanishes and is back within three days, about five a year.
        long_loss: A row vanishes for one to four weeks, about one a year.
        lost_for_good: A live row vanishes, about one a year.
        delisted: A withdrawn row leaves the list, about two a year.
        burst: 30 new rows at once, about one a year.
        rename: A company gets a new name in all its rows, about two a year.
        report_wave: Whether 최종연차보고년도 rises in most rows on five days of January.
        mass_withdrawal: 30 to 250 rows are withdrawn at once; never in an ordinary life.
        irregular: Share of rows whose texts are written as no other; none in an ordinary life.
    """

    new_rows: tuple[float, ...] = (8, 14, 20, 20, 16, 11, 7, 4)
    bumped_documents: tuple[float, ...] = (15, 30, 30, 15, 10)
    withdrawn_rows: tuple[float, ...] = (45, 35, 15, 5)
    corrected_addresses: tuple[float, ...] = (60, 30, 10)
    late_reports: tuple[float, ...] = (70, 25, 5)
    polished: float = 0.15
    restored: float = 0.008
    glitch: float = 0.02
    long_loss: float = 0.005
    lost_for_good: float = 0.005
    delisted: float = 0.008
    burst: float = 0.004
    rename: float = 0.008
    report_wave: bool = True
    mass_withdrawal: float = 0.0
    irregular: float = 0.0


ORDINARY_PACE = Pace()
MESSY_PACE = Pace(
    new_rows=(10, 12, 14, 14, 13, 11, 9, 7, 5, 3, 2),
    withdrawn_rows=(50, 25, 12, 6, 4, 2, 1),
    corrected_addresses=(50, 30, 12, 8),
    polished=0.3,
    glitch=0.03,
    mass_withdrawal=0.006,
    irregular=0.05,
)
"""More goes on, texts are written in many ways, at times many rows are withdrawn at once."""


class Office:
    """The register and the people who keep it.

    Args:
        rows: The list on the morning of `first_day`, newest first.
        rng: Source of chance.
        first_day: Day before the first one that is lived.
        pace: How often things happen.
    """

    def __init__(
        self, rows: Sequence[ListRow], rng: random.Random, first_day: date, pace: Pace
    ) -> None:
        self._rng = rng
        self._pace = pace
        self._first_day = first_day
        self._rows = {row.reg_no: row for row in reversed(rows)}  # oldest first
        self._grower = Grower(rng, tuple(self._rows))
        self._fill_on: dict[str, date] = {}
        self._lost: dict[str, tuple[date, date | None]] = {}  # since, back on (None: never)
        self._n_renamed = 0
        self._pool: Iterator[ListRow] = iter(())
        for row in rows:
            registered_on = date.fromisoformat(row.registered_on)
            if not row.target and (first_day - registered_on).days <= 11:
                self._plan_fill(row, registered_on, first_day)

    def list_rows(self) -> tuple[ListRow, ...]:
        """Return what the site shows, newest first."""
        return tuple(row for key, row in reversed(self._rows.items()) if key not in self._lost)

    def live_day(self, day: date) -> None:
        """Do what happens on `day`."""
        self._find_lost_rows(day)
        if not is_working_day(day):
            return
        # Half a thousand rows are more than any ordinary day touches; each is dealt once.
        shown = [row for key, row in self._rows.items() if key not in self._lost]
        live = [row for row in shown if row.status == LIVE and _is_settled(row, day)]
        gone = [row for row in shown if row.status != LIVE]
        self._pool = iter(self._rng.sample(live, min(len(live), 500)))
        self._fill_targets(day)
        self._edit_rows(day)
        self._lose_rows(day, gone)
        if (day - self._first_day).days >= BULK_FREE_DAYS:
            self._do_bulk_work(day, live)
        self._register_rows(day, self._draw(self._pace.new_rows))

    def _edit_rows(self, day: date) -> None:
        rng, pace = self._rng, self._pace
        is_settled = (day - self._first_day).days >= BULK_FREE_DAYS
        polished = pace.polished if is_settled else 0.0
        work: tuple[tuple[tuple[float, ...], Callable[[ListRow], ListRow]], ...] = (
            (pace.bumped_documents, lambda row: edits.bump_document(row, day)),
            (pace.withdrawn_rows, lambda row: edits.withdraw_row(row, day, rng)),
            (pace.corrected_addresses, lambda row: edits.correct_address(row, rng)),
            (pace.late_reports, lambda row: edits.raise_report_year(row, day)),
            ((1 - polished, polished), lambda row: edits.polish_row(row, rng)),
        )
        for weights, edit in work:
            for row in islice(self._pool, self._draw(weights)):
                self._put(edit(row))

    def _register_rows(self, day: date, n_rows: int) -> None:
        known = list(self._rows.values())
        for _ in range(n_rows):
            parent = self._rng.choice(known) if known and self._rng.random() < 0.5 else None
            row = self._grower.grow_row(day, parent)
            if self._pace.irregular and self._rng.random() < self._pace.irregular:
                row = edits.write_irregularly(row, self._rng)
            if self._rng.random() < 0.7:
                row = replace(row, document_no=f"v0.0.0/{day.year}")
            self._put(row)
            self._plan_fill(row, day, day)

    def _plan_fill(self, row: ListRow, registered_on: date, after: date) -> None:
        first = max(registered_on + timedelta(days=2), after + ONE_DAY)
        days = list_working_days(first, registered_on + timedelta(days=11))
        if days:
            self._fill_on[row.reg_no] = self._rng.choice(days)

    def _fill_targets(self, day: date) -> None:
        for key in [key for key, due in self._fill_on.items() if due <= day]:
            del self._fill_on[key]
            self._put(replace(self._rows[key], target=target_of(key)))

    def _lose_rows(self, day: date, gone: Sequence[ListRow]) -> None:
        """Let a row vanish, or a withdrawn one come back to life, now and then."""
        rng, pace = self._rng, self._pace
        if gone and rng.random() < pace.restored:
            self._put(edits.restore_row(rng.choice(gone)))
        is_due_at_work = is_working_day(day + 3 * ONE_DAY)  # the fourth read without the row
        if rng.random() < pace.glitch:
            back_on = list_working_days(day + ONE_DAY, day + 3 * ONE_DAY)
            if back_on:
                self._lose(next(self._pool, None), day, rng.choice(back_on))
        if rng.random() < pace.long_loss and is_due_at_work:
            back_on = list_working_days(day + 7 * ONE_DAY, day + 28 * ONE_DAY)
            self._lose(next(self._pool, None), day, rng.choice(back_on))
        if rng.random() < pace.lost_for_good and is_due_at_work:
            self._lose(next(self._pool, None), day, None)
        if gone and rng.random() < pace.delisted and is_due_at_work:
            self._lose(self._rows[rng.choice(gone).reg_no], day, None)

    def _lose(self, row: ListRow | None, day: date, back_on: date | None) -> None:
        recent = [key for key, (since, _) in self._lost.items() if (day - since).days < 4]
        if row is not None and row.reg_no not in self._lost and len(recent) < MOST_ROWS_LOST:
            self._lost[row.reg_no] = (day, back_on)

    def _find_lost_rows(self, day: date) -> None:
        for key in [key for key, (_, back_on) in self._lost.items() if back_on == day]:
            del self._lost[key]
            if self._rng.random() < 0.2:  # a row may come back changed
                self._put(edits.bump_document(self._rows[key], day))

    def _do_bulk_work(self, day: date, live: Sequence[ListRow]) -> None:
        rng, pace = self._rng, self._pace
        if pace.report_wave and day in list_wave_days(day.year):
            self._raise_report_years(day, live)
        if live and rng.random() < pace.rename:
            self._rename_company(rng.choice(live).company)
        if rng.random() < pace.burst:
            self._register_rows(day, 30)
        if pace.mass_withdrawal and rng.random() < pace.mass_withdrawal:
            for row in rng.sample(live, min(len(live), rng.randint(30, 250))):
                self._put(edits.withdraw_row(self._rows[row.reg_no], day, rng))

    def _raise_report_years(self, day: date, live: Sequence[ListRow]) -> None:
        days = list_wave_days(day.year)
        n_days_left = len(days) - days.index(day)
        due = [row for row in live if row.registered_on[:4] < str(day.year)]
        due = [row for row in due if row.report_year < str(day.year - 1)]
        for row in self._rng.sample(due, len(due) // (n_days_left + 1)):
            self._put(edits.raise_report_year(self._rows[row.reg_no], day))

    def _rename_company(self, old: str) -> None:
        new = rename_company(old, self._n_renamed)
        self._n_renamed += 1
        for key, row in list(self._rows.items()):
            if key not in self._lost:
                self._rows[key] = edits.rename_in_row(row, old, new)

    def _put(self, row: ListRow) -> None:
        self._rows[row.reg_no] = row

    def _draw(self, weights: Sequence[float]) -> int:
        return self._rng.choices(range(len(weights)), weights)[0]


def list_wave_days(year: int) -> list[date]:
    """Return the five working days of January on which most yearly reports are entered."""
    return list_working_days(date(year, 1, 1), date(year, 1, 31))[5:10]


def _is_settled(row: ListRow, day: date) -> bool:
    """Return whether a row is old enough to be edited: its target was filled long ago."""
    return row.registered_on < (day - timedelta(days=30)).isoformat()
