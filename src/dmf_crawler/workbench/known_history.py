"""What a history would know after the days accepted so far: a plain model of `persist`.

It is made from what the difference of two lists says, and shares no code with the database.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from datetime import date

from dmf_crawler.model.change import Change, ChangeSet, KnownRecord
from dmf_crawler.model.past import Features, Observation, Past, PastDay
from dmf_crawler.model.record import Record, Snapshot
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gates said of one read, and what the read brought.

    Attributes:
        status: OK, HELD or REJECTED.
        gates: All of them; none where no list could be read.
        change_set: The difference; an empty one where no list could be read.
        features: What the history would keep of the day.
        fault: Why no list could be read, None where one could.
    """

    status: RunStatus
    gates: tuple[Gate, ...] = ()
    change_set: ChangeSet = field(default_factory=lambda: ChangeSet(()))
    features: Features = field(default_factory=dict)
    fault: Fault | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether nothing of the read is recorded or published as it is."""
        return self.status is not RunStatus.OK

    @property
    def stopped_by(self) -> tuple[str, ...]:
        """Codes of the gates that held or refused; `read` where no list could be read."""
        if self.fault is not None:
            return ("read",)
        stops = (Outcome.HOLD, Outcome.REJECT)
        return tuple(gate.code for gate in self.gates if gate.outcome in stops)


@dataclass(slots=True)
class History:
    """What the history knows after the accepted days so far: a plain model of `persist`.

    Attributes:
        known: Every key that was ever accepted → its last version.
        days: The last accepted days, oldest first.
        observations: Whether and how much the list changed on them.
        n_days: Accepted days that are kept.
    """

    known: dict[str, KnownRecord] = field(default_factory=dict)
    days: deque[PastDay] = field(default_factory=deque)
    observations: deque[Observation] = field(default_factory=deque)
    n_days: int = 250

    def copy(self) -> History:
        """Return one that goes its own way from here."""
        return History(dict(self.known), deque(self.days), deque(self.observations), self.n_days)

    @property
    def past(self) -> Past:
        """What the gates are told of it."""
        return Past(tuple(self.days), tuple(self.observations))

    def accept(
        self, day: date, snapshot: Snapshot, verdict: Verdict, *, was_held: bool = False
    ) -> None:
        """Record an accepted read."""
        is_first = not self.known
        for change in verdict.change_set.changes:
            self._apply(change)
        for key in verdict.change_set.missing:
            self._note_missing(key, day)
        for key in (*verdict.change_set.came_back, *verdict.change_set.backfilled):
            self.known[key] = _known(snapshot.records[key])
        if not is_first:
            last = self.days[-1].day if self.days else day
            n_events = verdict.change_set.n_events
            self.observations.append(Observation(day, max(1, (day - last).days), n_events))
        self.days.append(PastDay(day, verdict.features, was_held))
        while len(self.days) > self.n_days:
            self.days.popleft()
        while len(self.observations) > 2 * self.n_days:
            self.observations.popleft()

    def _apply(self, change: Change) -> None:
        if change.after is not None:
            self.known[change.key] = _known(change.after)
        elif change.closes:
            before = self.known[change.key]
            self.known[change.key] = KnownRecord(change.key, before.fields, is_current=False)

    def _note_missing(self, key: str, day: date) -> None:
        before = self.known[key]
        self.known[key] = replace(
            before,
            missing_since=before.missing_since or day,
            n_missing_reads=before.n_missing_reads + (before.last_missed_on != day),
            last_missed_on=day,
        )


def _known(record: Record) -> KnownRecord:
    return KnownRecord(record.key, record.fields, is_current=True)
