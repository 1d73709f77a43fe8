"""Years of a list's history, written by the program's own difference and recording.

Nothing is crawled and no page is kept: the list of each day goes straight from the rehearsal's
register into the comparison, so that five years of 12,000 rows take minutes. What tests and
benchmarks ask of such a history is what they would ask of one that was lived.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from dmf_crawler.judge.change_rate import estimate_change_rate
from dmf_crawler.model.change import ChangeSet
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.rate import ChangeRate
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.diff import count_changes, diff_snapshot
from dmf_crawler.persist.recording import Acceptance, record_accepted
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from dmf_crawler.workbench.known_history import History, Verdict
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.simulation import BOARD, Reader

CRAWL_TIME = timedelta(minutes=8)
JUDGED_EVERY = 30
"""Days from one on which all gates are asked to the next; the days between bear its gates."""


class LongHistory:
    """A history that grows day by day, every day accepted.

    Attributes:
        life: The list itself, as the site shows it today.
        history: What is known of it, as a plain model; equal to what the store knows.
        n_days: Days recorded so far.

    Args:
        store: An empty history, written to as the program does, each day in a transaction.
        life: The list; its first day becomes the baseline.
        reader: Reads and judges; made where it is not given.
        judged_every: Days from one that is judged by all gates to the next; 1 for every day.
            A day costs a third of a judged one.
    """

    def __init__(
        self,
        store: Store,
        life: Life,
        *,
        reader: Reader | None = None,
        judged_every: int = JUDGED_EVERY,
    ) -> None:
        self._store = store
        self._reader = reader or Reader()
        self._judged_every = judged_every
        self._last = Verdict(RunStatus.OK)
        self.life = life
        self.history = History(n_days=self._reader.limits.history_days)
        self.n_days = 0

    def grow(self, n_days: int) -> None:
        """Live and record some days more; the first day of all is the baseline."""
        for _ in range(n_days):
            if self.n_days:
                self.life.advance()
            self._record_day(self._reader.take_whole(self.life.rows))
            self.n_days += 1

    def _record_day(self, snapshot: Snapshot) -> None:
        day = self.life.day
        started_at = datetime.combine(day, time(DAY_STARTS_AT_HOUR), KST)
        run = begin_run(self._store, BOARD, started_at, selector_version=1)
        verdict = self._judge(snapshot, day)
        record_accepted(self._store, self._accept(run, snapshot, verdict), started_at + CRAWL_TIME)
        self.history.accept(day, snapshot, verdict, was_held=verdict.is_stopped)

    def _judge(self, snapshot: Snapshot, day: date) -> Verdict:
        """Return what is recorded of a day; what the gates say may be that of an earlier one."""
        if self.n_days % self._judged_every == 0 or self.n_days < 2:
            self._last = self._reader.judge(self.history, snapshot, day)
            return self._last
        change_set = diff_snapshot(self.history.known, snapshot, day=day, rules=self._reader.rules)
        return replace(self._last, status=RunStatus.OK, change_set=change_set)

    def _accept(self, run: Run, snapshot: Snapshot, verdict: Verdict) -> Acceptance:
        """Return what a day writes; what a gate held or refused a person let pass."""
        changes, is_baseline = verdict.change_set, not self.history.known
        summary = RunSummary(
            run,
            RunStatus.OK,
            exit_code=0,
            gates=verdict.gates,
            counts=count_changes(changes),
            n_rows=len(snapshot.records),
            n_pages=snapshot.n_pages,
            n_requests=snapshot.n_pages + 2,
            missing=len(changes.missing),
            is_baseline=is_baseline,
            deliveries=snapshot.delivered,
        )
        if verdict.is_stopped:
            decision = Decision(Decided.APPROVED, run.started_at + CRAWL_TIME, "사이트에서 확인")
            summary = replace(summary, approval=decision)
        return Acceptance(
            summary,
            snapshot,
            changes,
            self.history.known,
            verdict.features,
            change_rate=None if is_baseline else self._estimate_rate(run.day, changes),
        )

    def _estimate_rate(self, day: date, changes: ChangeSet) -> ChangeRate:
        return estimate_change_rate(self.history.past.observe(day, changes.n_events))
