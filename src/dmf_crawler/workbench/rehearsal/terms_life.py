"""The terms of use as they live: the same for months, amended on days that are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Literal

from dmf_crawler.workbench.rehearsal.days import DayTruth, Ledger
from dmf_crawler.workbench.rehearsal.terms import COLUMNS, TermsText
from dmf_crawler.workbench.rehearsal.working_days import ONE_DAY

Amendment = Literal["text", "date", "both"]

AMENDMENTS: Mapping[int, Amendment] = {2: "text", 5: "date", 9: "both", 40: "text", 100: "both"}
"""Days after the first on which the terms are amended: an article, 시행일, or both."""


class TermsLife:
    """The page as it lives from `first_day` on.

    What moves by itself is no part of it: the site adds that at every visit.

    Attributes:
        day: Today.
        columns: What must be recorded.

    Args:
        first_day: Its text is the baseline: nothing of it counts.
        amendments: Days after the first → what is amended.
    """

    def __init__(
        self,
        first_day: date = date(2026, 11, 30),
        amendments: Mapping[int, Amendment] = AMENDMENTS,
    ) -> None:
        self.day = first_day
        self.columns = COLUMNS
        self._first_day = first_day
        self._amendments = amendments
        self._terms = TermsText()
        self._ledger = Ledger(self.rows, COLUMNS)

    @property
    def terms(self) -> TermsText:
        """What the page says today."""
        return self._terms

    @property
    def rows(self) -> tuple[TermsText]:
        """The page's one record."""
        return (self._terms,)

    def advance(self) -> DayTruth:
        """Go to the next calendar day and live it."""
        self.day += ONE_DAY
        n_days = (self.day - self._first_day).days
        amendment = self._amendments.get(n_days)
        if amendment in {"text", "both"}:
            heading, text = self._terms.articles[2]
            amended = (heading, f"{text} {n_days}차 개정으로 제공하는 자료의 범위를 넓혔습니다.")
            articles = (*self._terms.articles[:2], amended, *self._terms.articles[3:])
            self._terms = replace(self._terms, articles=articles)
        if amendment in {"date", "both"}:
            shown = f"{self.day.year}. {self.day.month}. {self.day.day}."
            self._terms = replace(self._terms, effective_on=shown)
        return self._ledger.record_day(self.day, self.rows)
