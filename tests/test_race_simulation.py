"""Thousands of crawls of a list that changes meanwhile, and what the history makes of them.

Each crawl is lived through for a week: a day at rest, a day on which the list changes between any
two requests, five quiet days. The crawl, the merging and the comparison are the real ones; the site
is a list in memory. An oracle that knows the list at every moment complains about whatever the
history says wrongly.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import pytest

from dmf_crawler.consistent_read import read_consistent
from dmf_crawler.extract.dedup import merge_last_pass, merge_pages
from dmf_crawler.extract.joining import PassCheck
from dmf_crawler.model.change import ChangeSet, EventType, KnownRecord
from dmf_crawler.model.record import PageTable, Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.diff import DiffRules, diff_snapshot
from tests.extract.pages import a_table, paged, some_selectors

SEED = 20261201
N_CRAWLS = 2_000
MAX_PASSES = 3
MISSING_RUNS = 4
DAY = date(2026, 12, 1)
SELECTORS = some_selectors()
RULES = DiffRules(
    kinds=SELECTORS.kinds,
    status_field="status",
    withdrawn_words=frozenset({"취하"}),
    live_words=frozenset({"정상"}),
    missing_runs=MISSING_RUNS,
)

Row = dict[str, Value]
Event = tuple[str, float]
"""What happens (insert, delete, move), and to which part of the list (0 top, 1 end)."""

Read = Callable[[int, int, str], PageTable | Fault]


def a_row(number: int) -> Row:
    return {
        "reg_no": f"R{number}",
        "ingredient_name": "",
        "company": "C",
        "registered_on": "",
        "changed_on": "0",
    }


@dataclass
class Site:
    """A list that changes between two requests; it remembers how it stood at every moment.

    Rows come, and go to when they are changed, on top (newest first) or at the end.

    Attributes:
        may_hide: Whether rows came at the end and went behind page 1 between the same two requests:
            neither a total nor page 1 tells of it.
    """

    rows: list[Row]
    size: int
    is_newest_first: bool
    schedule: Mapping[int, Sequence[Event]] = field(default_factory=dict)
    n_requests: int = 0
    moments: list[list[Row]] = field(default_factory=list)
    n_inserted: int = 0
    may_hide: bool = False

    def read(self, page_no: int, _pass_no: int, _kind: str) -> PageTable:
        self.n_requests += 1
        events = self.schedule.get(self.n_requests, ())
        n_deleted_behind_page_1 = sum(self.change(*event) for event in events)
        is_appended = not self.is_newest_first and any(kind == "insert" for kind, _ in events)
        self.may_hide |= is_appended and n_deleted_behind_page_1 > 0
        self.moments.append(self.rows)
        start = (page_no - 1) * self.size
        return a_table(self.rows[start : start + self.size], page_no=page_no, total=len(self.rows))

    def change(self, kind: str, place: float) -> bool:
        """Let one thing happen; say whether a row went that does not stand on page 1."""
        rest, position = list(self.rows), int(place * len(self.rows))
        if kind == "insert":
            self.n_inserted += 1
            row = a_row(1_000 + self.n_inserted)
        else:
            row = rest.pop(position)
            row = row | {"changed_on": str(int(str(row["changed_on"])) + 1)}
        if kind != "delete":
            rest.insert(0 if self.is_newest_first else len(rest), row)
        self.rows = rest
        return kind == "delete" and position >= self.size


@dataclass(frozen=True)
class Crawl:
    """One crawl: what it made of the list, and how often it began again."""

    result: Snapshot | Fault
    n_passes: int


def crawl(read: Read) -> Crawl:
    """Read a list as a run does, keep what was read, and unite it as `process` does."""
    kept: dict[tuple[int, str, int], PageTable | Fault] = {}

    def read_and_keep(page_no: int, pass_no: int, kind: str) -> PageTable | Fault:
        kept[pass_no, kind, page_no] = table = read(page_no, pass_no, kind)
        return table

    fault = read_consistent(
        read_and_keep,
        max_passes=MAX_PASSES,
        check=lambda: PassCheck(SELECTORS),
        may_go_on=lambda _first, _pass_no: None,
        on_page=lambda _n_done, _n_pages, _pass_no: None,
    )
    result = merge_last_pass(kept, SELECTORS)
    assert result is not None
    if fault is not None:
        assert result == fault, "the kept pages name the fault for which the crawl ended"
    return Crawl(result, max(pass_no for pass_no, _, _ in kept))


def plan_crawl(dice: random.Random) -> Site:
    """Draw a list and up to four events before any of the requests of its first two passes."""
    n_rows, size = dice.randint(20, 60), dice.randint(3, 7)
    n_pages = -(-n_rows // size)
    schedule: dict[int, list[Event]] = {}
    moment = 0
    for _ in range(dice.randint(0, 4)):
        if not moment or dice.random() < 0.6:  # else at once with the event before
            moment = dice.randint(2, dice.choice([1, 1, 2]) * (n_pages + 1))
        event = dice.choice(["insert", "delete", "move"]), dice.random()
        schedule.setdefault(moment, []).append(event)
    rows = [a_row(number) for number in range(n_rows)]
    return Site(rows, size, dice.random() < 0.5, schedule)


# --- a week ------------------------------------------------------------------------------------


@dataclass
class Week:
    """What the history knows day by day, and what an oracle has to say against it."""

    known: dict[str, KnownRecord] = field(default_factory=dict)
    rules: DiffRules = RULES
    n_absences: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)

    def take(self, snapshot: Snapshot, day: date) -> ChangeSet:
        """Record one accepted read, and compare its withdrawals with the oracle's own count."""
        change_set = diff_snapshot(self.known, snapshot, day=day, rules=self.rules)
        for key in self.known.keys() - snapshot.records.keys():
            self.n_absences[key] += self.known[key].is_current
        for key in snapshot.records:
            self.n_absences.pop(key, None)
        due = {key for key, n in self.n_absences.items() if n == MISSING_RUNS}
        closed = {change.key for change in change_set.changes if change.closes}
        if due & self.current != closed:
            self.complaints.append(f"{day}: due {due & self.current}, withdrawn {closed}")
        self._remember(snapshot, change_set, closed, day)
        return change_set

    def _remember(
        self, snapshot: Snapshot, change_set: ChangeSet, closed: set[str], day: date
    ) -> None:
        for key, record in snapshot.records.items():
            self.known[key] = KnownRecord(key, record.fields, is_current=True)
        for key in change_set.missing:
            before = self.known[key]
            self.known[key] = replace(
                before,
                missing_since=before.missing_since or day,
                n_missing_reads=before.n_missing_reads + 1,
                last_missed_on=day,
            )
        for key in closed:
            self.known[key] = replace(self.known[key], is_current=False)

    @property
    def current(self) -> set[str]:
        return {key for key, record in self.known.items() if record.is_current}


@dataclass(frozen=True)
class Lived:
    """A week that was lived through.

    Attributes:
        crawl: The crawl during which the list changed.
        is_torn: Whether it was accepted with a list that never stood so at any one moment.
        missing_wrongly: Rows of the list that it did not show, and that were known.
        complaints: What the oracle has to say.
    """

    crawl: Crawl
    is_torn: bool
    missing_wrongly: frozenset[str]
    complaints: Sequence[str]


def live_week(site: Site, rules: DiffRules = RULES, read: Read | None = None) -> Lived:
    """Live a week with one crawl during which the list changes."""
    week = Week(rules=rules)
    week.take(read_at_rest(site), DAY)
    crawled = crawl(read or site.read)
    is_torn, missing = False, frozenset[str]()
    if isinstance(crawled.result, Snapshot):
        shown = [dict(record.fields) for record in crawled.result.records.values()]
        is_torn = shown not in site.moments
        change_set = week.take(crawled.result, DAY + timedelta(days=1))
        missing = frozenset(change_set.missing) & _keys(site)
        _judge(week, change_set, site)
    at_rest = read_at_rest(site)
    for day in range(2, 7):
        change_set = week.take(at_rest, DAY + timedelta(days=day))
        _judge(week, change_set, site)
        if not _keys(site) <= week.current:
            week.complaints.append(f"day {day}: not known {_keys(site) - week.current}")
    if week.current != _keys(site):
        week.complaints.append(f"known at the end, not listed: {week.current - _keys(site)}")
    if is_torn and not site.may_hide:
        week.complaints.append("the list never stood as it was accepted")
    return Lived(crawled, is_torn, missing, week.complaints)


def _judge(week: Week, change_set: ChangeSet, site: Site) -> None:
    """Complain about a withdrawal of what is in the list, and about what never was in it."""
    once_listed = {str(row["reg_no"]) for rows in site.moments for row in rows}
    for change in change_set.changes:
        if change.kind is EventType.WITHDRAWN and change.key in _keys(site):
            week.complaints.append(f"{change.key} is withdrawn and in the list")
        if change.kind is EventType.NEW and change.key not in once_listed:
            week.complaints.append(f"{change.key} is new and never was in the list")


def read_at_rest(site: Site) -> Snapshot:
    """Return the list as it stands, read while nothing happens."""
    tables = paged(site.rows, site.size)
    snapshot = merge_pages(tables, tables[0], SELECTORS)
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def _keys(site: Site) -> set[str]:
    return {str(row["reg_no"]) for row in site.rows}


# --- the simulation ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lived() -> list[tuple[Site, Lived]]:
    print(f"seed {SEED}")
    dice = random.Random(SEED)
    sites = [plan_crawl(dice) for _ in range(N_CRAWLS)]
    return [(site, live_week(site)) for site in sites]


def test_no_crawl_of_a_changing_list_makes_a_false_withdrawal_or_loses_a_new_row(lived):
    """Whatever changes when: after the quiet days the history is the list, and never lied."""
    wrong = [(number, week.complaints) for number, (_, week) in enumerate(lived) if week.complaints]

    assert wrong == [], (SEED, wrong[:3])


def test_the_simulated_crawls_met_every_kind_of_ending(lived):
    """A simulation without races, refusals and second passes would prove nothing."""
    n_raced = sum(week.crawl.n_passes > 1 for _, week in lived)
    codes = Counter(
        week.crawl.result.code for _, week in lived if isinstance(week.crawl.result, Fault)
    )
    n_united = sum(
        week.crawl.n_passes == 1
        and isinstance(week.crawl.result, Snapshot)
        and len(site.moments[0]) < len(site.rows)
        for site, week in lived
    )
    print(f"{N_CRAWLS} crawls: {n_raced} read again, {n_united} united, refused {dict(codes)}")

    assert len(lived) >= 2_000
    assert n_raced > 500
    assert n_united > 50
    assert codes["race"] > 10
    assert codes["duplicate_rows"] > 10, "a row moved to the end is read twice"
    assert {site.is_newest_first for site, _ in lived} == {True, False}


def test_a_row_that_goes_as_another_comes_at_the_end_hides_one_for_a_day_only(lived):
    """The one change that no check sees; the four reads until a withdrawal are there for it."""
    torn = [(site, week) for site, week in lived if week.is_torn]

    assert any(week.missing_wrongly for _, week in torn)
    assert not any(site.is_newest_first for site, _ in torn)


# --- the simulation can fail -------------------------------------------------------------------


def _live_many(n_crawls: int, live: Callable[[Site], Lived]) -> Counter[str]:
    """Return how often the oracle complains of what."""
    dice = random.Random(SEED)
    weeks = [live(plan_crawl(dice)) for _ in range(n_crawls)]
    return Counter(" ".join(line.split()[-3:]) for week in weeks for line in week.complaints)


def test_the_oracle_complains_where_page_1_is_not_compared():
    def read_page_1_once(site: Site) -> Lived:
        first: dict[int, PageTable] = {}

        def read(page_no: int, pass_no: int, kind: str) -> PageTable:
            table = site.read(page_no, pass_no, kind)
            if kind == "recheck":
                return replace(first[pass_no], announced_total=table.announced_total)
            return first.setdefault(pass_no, table) if page_no == 1 else table

        return live_week(site, read=read)

    assert _live_many(200, read_page_1_once)["it was accepted"] > 0


def test_the_oracle_complains_where_a_vanished_row_is_withdrawn_at_once():
    at_once = replace(RULES, missing_runs=1)

    complaints = _live_many(200, lambda site: live_week(site, rules=at_once))

    assert complaints["in the list"] > 0
