"""The values that travel between the stages, in order of appearance.

All are frozen. A type that only one stage uses stays in that stage. Words: a *run* is one crawl of
one board; it keeps *pages*; a page holds one *table*; its rows become *records*; the records of
all pages are one *snapshot*; a *gate* judges it; a *change* is the difference of one key to the
last accepted list; an *event* is a change in the history; a *version* is a record between two
changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from enum import StrEnum

KST = timezone(timedelta(hours=9), "KST")
"""Korea Standard Time; no daylight saving since 1988, so a fixed offset is exact."""

DAY_STARTS_AT_HOUR = 6
"""A day is 06:00 to 06:00 KST (docs/data_model.md)."""

Value = str | tuple[str, ...]
"""One cell after label and placeholder removal: text, or a nested column's values in order."""

Fields = Mapping[str, Value]
"""Field id → value, in the order of the selectors file, without 순번."""


class RunStatus(StrEnum):
    """How a run stands; only OK changed records and events."""

    RUNNING = "RUNNING"
    OK = "OK"
    HELD = "HELD"
    REJECTED = "REJECTED"
    FAILED = "FAILED"


class EventType(StrEnum):
    """What happened to one record in one run."""

    NEW = "NEW"
    MODIFIED = "MODIFIED"
    WITHDRAWN = "WITHDRAWN"
    REAPPEARED = "REAPPEARED"


class Reason(StrEnum):
    """Why an event has its type, where the type alone does not say it."""

    STATUS = "status"  # WITHDRAWN: the site says 취하, 취소 or 말소
    MISSING = "missing"  # WITHDRAWN: gone from enough consistent reads in a row
    DELISTED = "delisted"  # MODIFIED: already withdrawn by status, now gone from the list too
    RETURNED = "returned"  # REAPPEARED: a closed record stands in the list again
    REKEYED = "rekeyed"  # its number no longer identifies it: MODIFIED closes, NEW continues it
    RESTORED = "restored"  # REAPPEARED: the status went back to 정상


class Grade(StrEnum):
    """How much a value changed (docs/data_model.md, grades); everything but SAME is kept."""

    SAME = "same"
    COSMETIC = "cosmetic"
    MINOR = "minor"
    SUBSTANTIVE = "substantive"
    MAJOR = "major"


class FieldKind(StrEnum):
    """What a column holds; the grade of a change is worded by it, never its recording."""

    KEY = "key"
    EXACT = "exact"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    ENUM = "enum"
    TEXT = "text"


class Outcome(StrEnum):
    """What a gate says of a run."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    WARN = "warn"
    HOLD = "hold"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Fault:
    """An expected reason why a page, or a run, cannot go on.

    Attributes:
        code: Stable English word, e.g. `robots_disallowed`, `missing_column`, `race`.
        message: Korean: what, found, expected, next step.
        exit_code: 4, 6 or 7 (docs/operations.md).
        is_retryable: Whether asking for the same page again may help.
    """

    code: str
    message: str
    exit_code: int
    is_retryable: bool = False


# --- a run -------------------------------------------------------------------------------------


def kst(moment: datetime) -> datetime:
    """Return an aware moment in KST, whole seconds."""
    return moment.astimezone(KST).replace(microsecond=0)


def day_of(moment: datetime) -> date:
    """Return the day (06:00 to 06:00 KST) that an aware moment belongs to."""
    return (moment.astimezone(KST) - timedelta(hours=DAY_STARTS_AT_HOUR)).date()


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of one board.

    Attributes:
        run_id: `20261130T060000-dmf_registry`, then `-2`, `-3` where taken; sorts by time.
        board_id: Which board.
        started_at: Aware, KST, whole seconds; the `valid_from` of what it records.
        day: The day it belongs to; names raw folder, report and budget.
    """

    run_id: str
    board_id: str
    started_at: datetime
    day: date


# --- acquire -----------------------------------------------------------------------------------

Headers = tuple[tuple[str, str], ...]
"""HTTP header fields in order, names as sent or received."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request as `world.send` takes it; headers are complete, redirects not followed."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer: any status, decoded content coding, complete body."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first field of that name, in any case, or None."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What to ask the site for.

    Attributes:
        url: Absolute.
        kind: `robots`, `list` or `recheck` (page 1 once more at the end of a pass).
        page_no: 1-based; 0 for robots.txt.
        pass_no: 1-based; a race makes the crawl read the whole list again.
        method: GET or POST.
        body: Form body of a POST, already encoded, else None.
    """

    url: str
    kind: str
    page_no: int = 0
    pass_no: int = 1
    method: str = "GET"
    body: str | None = None


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One answered request, before it is kept.

    Attributes:
        request: What was asked.
        url: Where the answer came from, after redirects inside the scope.
        status: HTTP status.
        request_headers: As sent.
        headers: As received.
        body: The bytes.
        fetched_at: Aware, when the last byte was there.
        elapsed_s: Seconds from the start of the request to its last byte.
        attempt: 1 for the first try.
    """

    request: PageRequest
    url: str
    status: int
    request_headers: Headers
    headers: Headers
    body: bytes
    fetched_at: datetime
    elapsed_s: float
    attempt: int = 1

    def header(self, name: str) -> str | None:
        """Return the first received field of that name, in any case, or None."""
        return Reply(self.status, self.headers, b"").header(name)


@dataclass(frozen=True, slots=True)
class RawPage:
    """One kept page, as the raw store gives it back: bytes that match their digest.

    Attributes:
        request: What was asked.
        url: Where the answer came from.
        status: HTTP status.
        content_type: The received Content-Type, or "".
        sha256: 64 hex digits of `body`.
        body: The bytes.
        fetched_at: Aware.
        attempt: 1 for the first try.
    """

    request: PageRequest
    url: str
    status: int
    content_type: str
    sha256: str
    body: bytes
    fetched_at: datetime
    attempt: int = 1


# --- extract -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a page's table, by field.

    Attributes:
        fields: Field id → value; what gets compared and stored.
        shown: Field id → text exactly as it stood in the cell, only where it differs from the
            value (outer white space, placeholder); nested values joined with U+001F.
        row_no: 1-based among the data rows of its page.
    """

    fields: Fields
    shown: Mapping[str, str]
    row_no: int


@dataclass(frozen=True, slots=True)
class PageTable:
    """One page, read.

    Attributes:
        page_no: 1-based.
        rows: n_rows rows in page order.
        announced_total: How many records the site says the whole list has.
        source: SHA-256 of the page.
        url: Where it came from.
        fallbacks_used: Fields whose primary selector found nothing, with the one that served.
    """

    page_no: int
    rows: tuple[PageRow, ...]
    announced_total: int
    source: str
    url: str
    fallbacks_used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the list, with where it came from.

    Attributes:
        key: Natural key: canonical 등록번호 without blanks, Latin in upper case; or
            `number|applicant|first date` where the number does not identify it.
        fields: Field id → value.
        shown: As in `PageRow`.
        source: SHA-256 of the page.
        url: The page's address.
        row_no: 1-based row on that page.
    """

    key: str
    fields: Fields
    shown: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    url: str = ""
    row_no: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole list as one consistent read showed it.

    Attributes:
        records: Key → record, in list order.
        announced_total: What the site said it has; equal to the number of rows read.
        n_pages: Pages it was read from.
        fallbacks_used: Fields served by a fallback selector on any page.
        split_numbers: Canonical numbers shared by several records (each has a composite key).
        n_without_number: Records that had no number and got a composite key.
    """

    records: Mapping[str, Record]
    announced_total: int
    n_pages: int
    fallbacks_used: tuple[str, ...] = ()
    split_numbers: tuple[str, ...] = ()
    n_without_number: int = 0


# --- judge -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gate:
    """What one gate saw.

    Attributes:
        code: `G-0` … `G-14` (docs/operations.md, gates).
        outcome: pass, warn, hold or reject.
        observed: The number seen, None where the gate does not apply or could not be computed.
        limit: The number it was held against, None where there is none.
        message: One Korean sentence.
        fault_code: For a refusal, the English code of the reason (`missing_column`, …).
    """

    code: str
    outcome: Outcome
    observed: float | None
    limit: float | None
    message: str
    fault_code: str = ""


# --- persist -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A key as the history knows it before this run.

    Attributes:
        key: Natural key.
        fields: The last version's values.
        is_current: Whether that version is open (also when its status is withdrawn).
        missing_since: Day of the first consistent read without it, None when it was there.
        n_missing_reads: Consistent reads in a row (one a day) without it.
        last_missed_on: Day of the last of them, None when it was there.
    """

    key: str
    fields: Fields
    is_current: bool
    missing_since: date | None = None
    n_missing_reads: int = 0
    last_missed_on: date | None = None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One changed field: before and after, with the grade of the change."""

    field: str
    before: Value | None
    after: Value | None
    kind: FieldKind
    grade: Grade


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one key since the last accepted list; becomes one event.

    Attributes:
        kind: NEW, MODIFIED, WITHDRAWN or REAPPEARED.
        key: Natural key.
        after: The record now; for a key that is gone, None.
        changes: Changed fields in the order of the selectors file; empty for NEW.
        reason: See `Reason`; None for NEW and plain MODIFIED.
        missing_since: First day without it, for reasons `missing` and `delisted`.
    """

    kind: EventType
    key: str
    after: Record | None
    changes: tuple[FieldChange, ...] = ()
    reason: Reason | None = None
    missing_since: date | None = None

    @property
    def closes(self) -> bool:
        """Whether no version of the key is current afterwards."""
        if self.reason is Reason.REKEYED:
            return self.kind is EventType.MODIFIED
        return self.reason in (Reason.MISSING, Reason.DELISTED)

    @property
    def is_cosmetic(self) -> bool:
        """Whether it is a MODIFIED whose every changed field is cosmetic."""
        return (
            self.kind is EventType.MODIFIED
            and self.reason is None
            and all(change.grade is Grade.COSMETIC for change in self.changes)
        )


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The difference of one snapshot to the last accepted list.

    Attributes:
        changes: At most one a key, ordered by key.
        missing: Keys absent from this read and not (yet) withdrawn for it, ordered.
        came_back: Keys that were missing and are there again before they were due, ordered.
        backfilled: Keys of current records that only gained fields of a newer selectors file.
    """

    changes: tuple[Change, ...]
    missing: tuple[str, ...] = ()
    came_back: tuple[str, ...] = ()
    backfilled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """Keys by what happened to them; `MODIFIED` leaves the merely cosmetic ones to `COSMETIC`."""

    NEW: int = 0
    MODIFIED: int = 0
    WITHDRAWN: int = 0
    REAPPEARED: int = 0
    COSMETIC: int = 0


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What became of one run; the JSON of `run` and `reparse` (docs/operations.md).

    Attributes:
        run: Which run.
        status: OK, HELD, REJECTED or FAILED.
        exit_code: 0, 1, 3, 4, 5, 6 or 7.
        gates: All gates in order; empty when the crawl ended before them.
        counts: What was recorded, or (HELD, REJECTED by a number) would have been. The baseline
            counts its records as NEW.
        n_rows: Records read, None when no list could be read.
        n_requests: HTTP requests sent, robots.txt included.
        n_pages: List pages in the snapshot.
        missing: Keys that are missing and not yet withdrawn for it.
        is_baseline: Whether it is the board's first accepted run.
        fault: Why it is not OK; None when it is.
        report: Path of the workbook, None when none was written.
        warnings: Korean sentences for 요약 and the log.
    """

    run: Run
    status: RunStatus
    exit_code: int
    gates: tuple[Gate, ...] = ()
    counts: Counts = Counts()
    n_rows: int | None = None
    n_requests: int = 0
    n_pages: int = 0
    missing: int = 0
    is_baseline: bool = False
    fault: Fault | None = None
    report: str | None = None
    warnings: tuple[str, ...] = ()


# --- publish -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a board as people see it: field id, Korean header, whether it is nested."""

    field: str
    label_ko: str
    is_nested: bool = False


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
        missing_since: Day since which it is missing from the list (확인 중), or None.
        n_missing_reads: Reads in a row without it.
    """

    key: str
    fields: Fields
    valid_from: datetime
    valid_to: datetime | None
    url: str = ""
    source: str = ""
    row_no: int = 0
    run_id: str = ""
    missing_since: date | None = None
    n_missing_reads: int = 0


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of 실행로그."""

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


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one workbook shows.

    Attributes:
        day: The day it is of.
        written_at: Aware, KST.
        boards: One a list board.
        runs: The last 30 runs of all boards, newest first.
        missing_runs: Consistent reads after which a vanished row counts as withdrawn.
    """

    day: date
    written_at: datetime
    boards: tuple[BoardReport, ...]
    runs: tuple[RunRow, ...]
    missing_runs: int
