"""What the history tells people: events, versions, runs, one workbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from dmf_crawler.model.change import Counts, EventType, FieldChange, Grade, Reason
from dmf_crawler.model.decision import Decision
from dmf_crawler.model.rate import ChangeRate, Delay
from dmf_crawler.model.record import Column, Fields
from dmf_crawler.model.reuse import GaveWay
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.model.terms import Alert, TermsState
from dmf_crawler.model.verdict import Gate
from dmf_crawler.model.watched_page import PageReport, PageVisitRow


@dataclass(frozen=True, slots=True)
class ChangedBack:
    """An earlier change that a later one undid.

    Attributes:
        on: Day of the earlier change.
        days_ago: How many days before the later one that was.
    """

    on: date
    days_ago: int


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event of the history.

    Attributes:
        run_id: The run that recorded it.
        occurred_at: Aware, KST; that run's start.
        board_id: Which board.
        key: Natural key.
        event_type: NEW, MODIFIED, WITHDRAWN or REAPPEARED.
        reason: See `Reason`, None where the type says it all.
        grade: The highest grade among the changes, None without any.
        changes: Changed fields; empty for NEW.
        fields: The record after it (for a closed one, its last values).
        missing_since: First day without it, for reasons `missing` and `delisted`.
        changed_back: Changed field id → the earlier change that it undid, only where it did.
    """

    run_id: str
    occurred_at: datetime
    board_id: str
    key: str
    event_type: EventType
    reason: Reason | None
    grade: Grade | None
    changes: tuple[FieldChange, ...]
    fields: Fields
    missing_since: date | None = None
    changed_back: Mapping[str, ChangedBack] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a record: its values and when they held.

    Attributes:
        key: Natural key.
        fields: Field id → value.
        valid_from: Aware, KST, inclusive.
        valid_to: Aware, KST, exclusive; None while current.
        url: Page it was read from.
        source: SHA-256 of that page.
        row_no: Row on that page.
        run_id: The run that opened it.
        detail_url: The record's detail page, "" for none.
        missing_since: Day since which it is missing from the list (확인 중), or None.
        n_missing_reads: Reads in a row without it.
        is_joined: As in `Record`.
    """

    key: str
    fields: Fields
    valid_from: datetime
    valid_to: datetime | None
    url: str = ""
    source: str = ""
    row_no: int = 0
    run_id: str = ""
    detail_url: str = ""
    missing_since: date | None = None
    n_missing_reads: int = 0
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of 실행로그.

    Attributes:
        reparse_of: The run whose pages a correction read, else "".
        full_check_from: Day on which the full check began that the run took part in: since then
            nothing counts as checked that was asked for conditionally. None before the first.
        full_check_left: Pages that the full check had still to do after the run.
        identity: Who asked: the constant headers and the proxy, one line.
        reuse_rate: Share of fields that primary selectors alone found, 0 to 1; None when no list
            was read, or by a version that did not measure it.
        unlisted: Withdrawn records that the run's source does not list.
        decision: What became of it after a gate had held it; None where none had, or where it
            still waits.
    """

    run: Run
    status: RunStatus
    finished_at: datetime | None
    n_rows: int | None
    n_requests: int
    duration_ms: int | None
    selector_version: int
    is_baseline: bool
    counts: Counts
    missing: int
    error_code: str
    reject_reason: str
    raw_dir: str
    exit_code: int | None
    reparse_of: str = ""
    full_check_from: date | None = None
    full_check_left: int = 0
    identity: str = ""
    reuse_rate: float | None = None
    unlisted: int = 0
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class BoardReport:
    """What a report says of one list board.

    Attributes:
        board_id: Which board.
        name_ko: Its Korean name.
        columns: The board's columns in order, without 순번.
        key_field: Field id of the number that people know a record by.
        status_field: Field id of the status (정상, 취하, …), "" where the board has none.
        accepted: Last accepted run up to the report's day, None when there is none.
        gates: Gates of that run.
        events: Events of the day's accepted runs, baseline entries left out, ordered by key.
        history: Events of the last 90 days, newest first, baseline entries left out.
        records: The current list at that run, newest registration first.
        notice: Korean sentence when the day's last run was not accepted, else "".
        missed_days: Days without an accepted run before this one, since the accepted one before.
        decided: Runs that a gate held and that have ended, since the accepted day before and that
            day's included.
        warnings: Korean sentences that the accepted run left.
        change_rate: How often the list changes, None before its second accepted day.
        delay: How late its reports were, None before its second accepted day.
        n_accepted_days: Days on which the list was accepted, up to the report's day.
    """

    board_id: str
    name_ko: str
    columns: tuple[Column, ...]
    key_field: str
    status_field: str
    accepted: RunRow | None
    gates: tuple[Gate, ...]
    events: tuple[EventRow, ...]
    history: tuple[EventRow, ...]
    records: tuple[VersionRow, ...]
    notice: str = ""
    missed_days: int = 0
    warnings: tuple[str, ...] = ()
    decided: tuple[RunRow, ...] = ()
    change_rate: ChangeRate | None = None
    delay: Delay | None = None
    n_accepted_days: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one workbook shows.

    Attributes:
        day: The day it is of.
        written_at: Aware, KST.
        boards: One a list board.
        runs: The last 30 runs of all boards, newest first.
        missing_runs: Consistent reads after which a vanished row counts as withdrawn.
        given_way: Run id → fields of which another selector than the primary one found values.
        preview_of: The held run that would have to be accepted for this report; "" where it stands.
        changed_back_days: Within so many days a change counts as undone by a later one.
        pages: One a page board.
        page_visits: Run id → what that run saw, of those runs that read a page.
        terms: One a site whose terms of use a person has to read.
        alerts: What people were told that day, oldest first.
    """

    day: date
    written_at: datetime
    boards: tuple[BoardReport, ...]
    runs: tuple[RunRow, ...]
    missing_runs: int
    given_way: Mapping[str, tuple[GaveWay, ...]] = field(default_factory=dict)
    preview_of: str = ""
    changed_back_days: int = 30
    pages: tuple[PageReport, ...] = ()
    page_visits: Mapping[str, PageVisitRow] = field(default_factory=dict)
    terms: tuple[TermsState, ...] = ()
    alerts: tuple[Alert, ...] = ()
