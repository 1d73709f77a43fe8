"""A small register and the days of its history: real stores, records with six fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from dmf_crawler.judge.features import add_counts, measure_columns
from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.record import FieldKind, Record, Snapshot, Value
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import KST, Fault, Run, RunStatus
from dmf_crawler.model.verdict import Gate, RunSummary
from dmf_crawler.persist.diff import DiffRules, count_changes, diff_snapshot
from dmf_crawler.persist.recording import (
    Acceptance,
    known_records,
    record_accepted,
)
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store

BOARD = "dmf_registry"
FIRST_START = datetime(2026, 11, 30, 6, 0, tzinfo=KST)
PAGE_URL = "http://127.0.0.1/list?page=1"
DIGEST = "ab" * 32

KINDS: Mapping[str, FieldKind] = {
    "reg_no": FieldKind.KEY,
    "ingredient_name": FieldKind.NAME,
    "company": FieldKind.NAME,
    "maker_names": FieldKind.NAME,
    "registered_on": FieldKind.DATE,
    "status": FieldKind.ENUM,
}
RULES = DiffRules(
    kinds=KINDS,
    status_field="status",
    withdrawn_words=frozenset({"취하", "취소", "말소"}),
    live_words=frozenset({"정상"}),
    missing_runs=4,
)
STATUSES = {RunStatus.HELD: 3, RunStatus.REJECTED: 4, RunStatus.FAILED: 6}

TABLES = (
    "crawl_run",
    "dmf_record",
    "dmf_event",
    "change_observation",
    "drift_baseline",
    "gate_result",
    "missing_spell",
    "split_number",
    "checkpoint",
    "known_page",
    "robots_seen",
    "delivery",
)


def a_record(key: str, **changed: Value) -> Record:
    """Return a record whose number is its key, or what stands before the | of a composite one."""
    fields: dict[str, Value] = {
        "reg_no": key.partition("|")[0],
        "ingredient_name": "로사르탄칼륨",
        "company": "(주)삼오제약",
        "maker_names": ("Hetero Labs Limited, Unit-I", "Hetero Drugs Limited"),
        "registered_on": "2026-09-22",
        "status": "정상",
    }
    return Record(key, fields | changed, {}, DIGEST, PAGE_URL, 1)


def a_snapshot(*records: Record, split_numbers: Sequence[str] = ()) -> Snapshot:
    """Return a complete read of a list that has these records, in this order."""
    return Snapshot(
        records={record.key: record for record in records},
        announced_total=len(records),
        n_pages=1,
        split_numbers=tuple(split_numbers),
    )


def a_known_page(
    url: str = "http://127.0.0.1/bbs/21/7", *, method: str = "GET", body: str = ""
) -> KnownPage:
    """Return a detail page as the first day's run left it."""
    return KnownPage(
        identity=(method, url, body),
        kind="detail",
        etag='W/"7-1"',
        last_modified="Mon, 30 Nov 2026 00:00:00 GMT",
        n_new_validators=1,
        sha256="cd" * 32,
        raw_dir=f"raw/2026-11-30/{BOARD}/20261130T060000-{BOARD}",
        asked_by="0123456789abcdef",
        fetched_at=FIRST_START + timedelta(minutes=3),
        full_checked_on=FIRST_START.date() - timedelta(days=1),
        row_digest="fedcba9876543210",
        content_digest="0011223344556677",
    )


def known_from(*records: Record) -> dict[str, KnownRecord]:
    """Return these records as the history knows them: current, none of them missing."""
    return {
        record.key: KnownRecord(record.key, record.fields, is_current=True) for record in records
    }


def moment(day: int, hour: int = 6) -> datetime:
    """Return an hour of the n-th day, counted from 0."""
    return FIRST_START + timedelta(days=day, hours=hour - 6)


@dataclass(frozen=True, slots=True)
class Read:
    """One run of a history: what it was and what it found."""

    run: Run
    change_set: ChangeSet
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Diary:
    """A history that lives one read after the other, the way the pipeline writes it."""

    store: Store
    rules: DiffRules = RULES
    board_id: str = BOARD

    def read(
        self,
        *records: Record,
        at: datetime,
        split_numbers: Sequence[str] = (),
        status: RunStatus = RunStatus.OK,
        rules: DiffRules | None = None,
        gates: Sequence[Gate] = (),
        correct: RunRow | None = None,
    ) -> Read:
        """Compare a list with the history; record it where the run is accepted."""
        snapshot = a_snapshot(*records, split_numbers=split_numbers)
        return self.take(
            snapshot, at=at, status=status, rules=rules or self.rules, gates=gates, correct=correct
        )

    def take(
        self,
        snapshot: Snapshot,
        *,
        at: datetime,
        status: RunStatus = RunStatus.OK,
        rules: DiffRules = RULES,
        gates: Sequence[Gate] = (),
        correct: RunRow | None = None,
    ) -> Read:
        """Do what `read` does, with a snapshot."""
        run = begin_run(self.store, self.board_id, at, selector_version=1, reparse_of=correct)
        if correct is not None:  # the pages are those of that day
            run = replace(run, day=correct.run.day)
        known = known_records(self.store, self.board_id)
        change_set = diff_snapshot(known, snapshot, day=run.day, rules=rules)
        summary = summarise(run, change_set, snapshot, status=status, gates=gates, known=known)
        if status is RunStatus.OK:
            acceptance = accept(summary, snapshot, change_set, known, rules)
            record_accepted(self.store, acceptance, run.started_at + timedelta(minutes=12))
        else:
            with self.store.atomic():
                finish_run(self.store, summary, run.started_at + timedelta(minutes=1))
        return Read(run, change_set, snapshot)


def summarise(
    run: Run,
    change_set: ChangeSet,
    snapshot: Snapshot,
    *,
    status: RunStatus = RunStatus.OK,
    gates: Sequence[Gate] = (),
    known: Mapping[str, KnownRecord],
) -> RunSummary:
    """Return the summary of a run that read a list."""
    fault = None
    if status is not RunStatus.OK:
        fault = Fault("many_withdrawals", "취하가 너무 많습니다.", STATUSES[status])
    return RunSummary(
        run=run,
        status=status,
        exit_code=STATUSES.get(status, 0),
        gates=tuple(gates),
        counts=count_changes(change_set),
        n_rows=len(snapshot.records),
        n_requests=3,
        n_pages=snapshot.n_pages,
        missing=len(change_set.missing),
        unlisted=len(change_set.unlisted),
        is_baseline=not known,
        fault=fault,
        warnings=("예비 셀렉터로 읽었습니다.",),
        deliveries=snapshot.delivered,
    )


def accept(
    summary: RunSummary,
    snapshot: Snapshot,
    change_set: ChangeSet,
    known: Mapping[str, KnownRecord],
    rules: DiffRules = RULES,
) -> Acceptance:
    """Return what an accepted run writes."""
    n_changed = Counter(each.field for change in change_set.changes for each in change.changes)
    counts = {name: {"n_changed": n_changed[name]} for name in rules.kinds}
    features = add_counts(measure_columns(snapshot, rules.kinds), counts)
    return Acceptance(summary, snapshot, change_set, known, features)


def content(store: Store, tables: Iterable[str] = TABLES) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of the tables, to compare a history with itself."""
    return {
        table: [tuple(row) for row in store.rows(f"SELECT * FROM {table} ORDER BY rowid")]
        for table in tables
    }


def values(store: Store, sql: str, *parameters: object) -> list[Any]:
    """Return the first column of a query."""
    return [row[0] for row in store.rows(sql, parameters)]
