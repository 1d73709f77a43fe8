"""A list that lives day by day in memory, judged every day: no network, no database, no clock.

What the history would know is kept by a model of it (`known_history`); what is read, compared and
judged is the program's own code.
"""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from dmf_crawler.config import load_home
from dmf_crawler.extract.dedup import merge_pages
from dmf_crawler.extract.parser import read_page
from dmf_crawler.judge.cross_check import judge_cross_checks
from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.features import add_counts, measure_columns
from dmf_crawler.judge.gates import decide, judge_snapshot
from dmf_crawler.model.change import ChangeSet
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import Delivery, Fields, PageRow, PageTable, Record, Snapshot
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.persist.diff import diff_snapshot
from dmf_crawler.persist.store import Store
from dmf_crawler.text import key_form
from dmf_crawler.watch import Watch, open_watch
from dmf_crawler.workbench.known_history import History, Verdict
from dmf_crawler.workbench.perturb.breakage import Body, Breakage, Extraction, Scene
from dmf_crawler.workbench.rehearsal.days import DayTruth, Life
from dmf_crawler.workbench.rehearsal.office import ORDINARY_PACE, Pace
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow
from dmf_crawler.workbench.rehearse import make_home, stripped

BOARD = "dmf_registry"
PAGE_SIZE = 100
N_EARLIER = 30
"""Days whose lists are kept for stale copies."""

_URL = "http://127.0.0.1:8000/list"
_NO_PAGE = hashlib.sha256().hexdigest()
"""Source of a record that was read from no page."""

_FETCHED_AT = datetime(2026, 11, 30, tzinfo=UTC)
_FIELDS = tuple(name for name, _ in COLUMNS)


class Reader:
    """What reads and judges a list, set up once as the shipped configuration says."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            make_home(home, "http://127.0.0.1:8000")
            loaded = load_home(home)
            board = next(board for board in loaded.boards if board.id == BOARD)
            with Store(loaded.database) as store:  # closed again: only what is set up counts
                self.watch: Watch = open_watch(loaded, board, store)
        selectors = self.watch.selectors
        self.limits = loaded.settings.gates
        self.rules = self.watch.rules_of("html")
        self.cross_check = judge_cross_checks({}, board.cross_check_rules, {})  # no other source
        self._delivered = tuple(
            Delivery(each.field, 0, each.primary.source) for each in selectors.fields
        )
        self._columns = self.watch.judged_columns(_FIELDS)
        self._value_rules = self.watch.value_rules
        self._records: dict[int, tuple[ListRow, Record]] = {}

    def record_of(self, row: ListRow) -> Record:
        """Return a row as it is read; the same object as long as the row stays as it is."""
        kept = self._records.get(id(row))
        if kept is None:
            fields = {name: _read_value(getattr(row, name)) for name in _FIELDS}
            record = Record(key_form(row.reg_no), fields, source=_NO_PAGE, url=_URL)
            kept = self._records[id(row)] = (row, record)
        return kept[1]

    def take_whole(self, rows: Sequence[ListRow]) -> Snapshot:
        """Return the snapshot of a list that is read as it is, without its pages being read."""
        records = {record.key: record for record in map(self.record_of, rows)}
        return Snapshot(
            records,
            announced_total=len(rows),
            n_pages=-(-len(rows) // PAGE_SIZE),
            delivered=dict.fromkeys(self._delivered, len(rows)),
        )

    def read(self, extraction: Extraction) -> Snapshot | Fault:
        """Return what the pages of an extraction make: those that came as bytes are really read."""
        tables: list[PageTable] = []
        for index, rows in enumerate(extraction.pages):
            body = extraction.bodies.get(index)
            table = self._read_body(index, body) if body else self._table(index, rows, extraction)
            if isinstance(table, Fault):
                return table
            tables.append(table)
        return merge_pages(tables, tables[0], self.watch.selectors)

    def read_rows(self, extraction: Extraction) -> list[list[Fields]]:
        """Return the rows of each page by themselves, none of a page that cannot be read."""
        pages = []
        for index, rows in enumerate(extraction.pages):
            if body := extraction.bodies.get(index):
                table = self._read_body(index, body)
                read = () if isinstance(table, Fault) else table.rows
                pages.append([row.fields for row in read])
            else:
                pages.append(list(rows))
        return pages

    def _read_body(self, index: int, body: Body) -> PageTable | Fault:
        request = PageRequest(f"{_URL}?page={index + 1}", "list", index + 1)
        sha256 = hashlib.sha256(body.content).hexdigest()
        page = RawPage(
            request, request.url, 200, body.content_type, sha256, body.content, _FETCHED_AT
        )
        return read_page(page, self.watch.selectors)

    def _table(self, index: int, rows: Sequence[Fields], extraction: Extraction) -> PageTable:
        page_rows = tuple(PageRow(fields, {}, no) for no, fields in enumerate(rows, start=1))
        return PageTable(index + 1, page_rows, extraction.total, "", _URL, self._delivered)

    def judge(self, history: History, read: Snapshot | Fault, day: date) -> Verdict:
        """Compare a read with the history and return what the gates say."""
        if isinstance(read, Fault):
            return Verdict(RunStatus.REJECTED, fault=read)
        change_set = diff_snapshot(history.known, read, day=day, rules=self.rules)
        evidence = self.collect_evidence(history, read, change_set, day)
        judgement = judge_snapshot(evidence, self.limits, self.cross_check)
        looks = evidence.features
        # What a first list brings is no measure of a day.
        features = add_counts(looks, judgement.tally.counts) if history.known else looks
        return Verdict(decide(judgement.gates), judgement.gates, change_set, features)

    def collect_evidence(
        self, history: History, read: Snapshot, change_set: ChangeSet, day: date
    ) -> Evidence:
        """Return what the gates look at, as `pipeline` puts it together."""
        file = self.watch.selectors.file
        return Evidence(
            snapshot=read,
            change_set=change_set,
            known=history.known,
            number_field=file.key.number,
            number_label=file.fields[file.key.number].label_ko,
            number_pattern=self.watch.selectors.number_pattern,
            status_field=self.rules.status_field,
            status_words=self.watch.status_words,
            min_rows=file.row.min_expected,
            rules=self._value_rules,
            labels={column.field: column.label_ko for column in self.watch.selectors.columns},
            deliveries_before=dict.fromkeys(self._delivered, len(history.known)),
            day=day,
            columns=self._columns,
            country_field=file.compare_within,
            past=history.past,
            features=measure_columns(read, _FIELDS),
        )


def _read_value(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Return a value of the site's database as it is read from a page."""
    read = stripped(value)
    return () if read == ("",) else read


@dataclass(frozen=True, slots=True)
class SimulatedDay:
    """One day of a list that is read as it is.

    Attributes:
        truth: What had to be recorded.
        verdict: What the gates said; a person lets a held day pass.
    """

    truth: DayTruth
    verdict: Verdict


class Simulation:
    """A list that lives, and a history that follows it.

    Attributes:
        life: The list.
        history: What is known of it.

    Args:
        reader: Reads and judges.
        n_rows: Size on the first day.
        seed: The same seed lives the same life.
        pace: How often things happen.
    """

    def __init__(self, reader: Reader, n_rows: int, seed: int, pace: Pace = ORDINARY_PACE) -> None:
        self._reader = reader
        self.life = Life(n_rows, seed, pace=pace)
        self.history = History(n_days=reader.limits.history_days)
        self._other = [reader.record_of(row).fields for row in Life(n_rows, seed + 7_919).rows]
        self._earlier: deque[Sequence[Fields]] = deque(maxlen=N_EARLIER)
        self._accept(self.life.day, self._read_today())

    def advance(self) -> SimulatedDay:
        """Live a day, read it as it is, and record it; a person approves it where it is held."""
        self._earlier.appendleft(self.fields_of_today())
        truth = self.life.advance()
        snapshot = self._read_today()
        return SimulatedDay(truth, self._accept(truth.day, snapshot))

    def _accept(self, day: date, snapshot: Snapshot) -> Verdict:
        verdict = self._reader.judge(self.history, snapshot, day)
        if verdict.status is not RunStatus.REJECTED:
            self.history.accept(day, snapshot, verdict, was_held=verdict.is_stopped)
        return verdict

    def _read_today(self) -> Snapshot:
        return self._reader.take_whole(self.life.rows)

    def fields_of_today(self) -> tuple[Fields, ...]:
        """Return the rows of today's list as they are read."""
        return tuple(self._reader.record_of(row).fields for row in self.life.rows)

    def next_scene(self) -> Scene:
        """Live a day without reading it, and return what a breakage may do with it."""
        self._earlier.appendleft(self.fields_of_today())
        self.life.advance()
        rows = self.fields_of_today()
        return Scene(
            day=self.life.day,
            listed=self.life.rows,
            rows=rows,
            earlier=tuple(self._earlier),
            other=self._other,
            page_size=PAGE_SIZE,
            at_first=rows,
        )

    def accept_today(self) -> Verdict:
        """Read the day as it is after all, and record it."""
        return self._accept(self.life.day, self._read_today())


@dataclass(frozen=True, slots=True)
class Damaged:
    """A damaged read of one day.

    Attributes:
        extraction: What was got.
        read: What it was read as.
        is_changed: Whether anything in it is not as it should be.
    """

    extraction: Extraction
    read: Snapshot | Fault
    is_changed: bool


def damage_day(
    reader: Reader, scene: Scene, breakage: Breakage, severity: float, seed: str
) -> Damaged:
    """Return what a breakage makes of a day; the same seed gives the same."""
    rng = random.Random(f"{seed}/{breakage.name}/{severity}")
    extraction = breakage.damage(scene, severity, rng)
    read = reader.read(extraction)
    return Damaged(extraction, read, _is_changed(scene, read))


def _is_changed(scene: Scene, read: Snapshot | Fault) -> bool:
    if isinstance(read, Fault):
        return True
    true: Mapping[str, Fields] = {key_form(str(row["reg_no"])): row for row in scene.rows}
    return true.keys() != read.records.keys() or any(
        record.fields != true[key] for key, record in read.records.items()
    )
