"""Valid values of everything that a report shows; a test changes what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from dmf_crawler.model.change import Counts, EventType, FieldChange, Grade, Reason
from dmf_crawler.model.record import Column, FieldKind, Value
from dmf_crawler.model.report import BoardReport, EventRow, Report, RunRow, VersionRow
from dmf_crawler.model.run import KST, Run, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome

DAY = date(2026, 11, 30)
STARTED_AT = datetime(2026, 11, 30, 6, 0, 12, tzinfo=KST)
RUN_ID = "20261130T060012-dmf_registry"
LIST_URL = "https://nedrug.mfds.go.kr/pbp/CCBAC03/getList?page=3&limit=100"

COLUMNS = (
    Column("target", "대상의약품"),
    Column("reg_no", "등록번호"),
    Column("ingredient_name", "성분명"),
    Column("company", "신청인"),
    Column("maker", "제조소명", is_nested=True),
    Column("maker_address", "제조소소재지", is_nested=True),
    Column("maker_country", "제조국가", is_nested=True),
    Column("registered_on", "최초등록일자"),
    Column("changed_on", "최종변경일자"),
    Column("annual_report_year", "최종연차보고년도"),
    Column("status", "취소/취하구분"),
    Column("withdrawn_on", "취소/취하일자"),
    Column("document_no", "문서번호"),
    Column("linked_document_no", "연계심사문서번호"),
)
NOTHING = Counts()
LABELS = tuple(column.label_ko for column in COLUMNS)


def some_fields(number: str = "20260922-211-J-2288", **changed: Value) -> dict[str, Value]:
    """Return the values of one record, in the order of the columns."""
    fields: dict[str, Value] = {
        "target": "별표1",
        "reg_no": number,
        "ingredient_name": "로사르탄칼륨",
        "company": "(주)삼오제약",
        "maker": ("Hetero Labs Limited, Unit-I", "Hetero Drugs Limited"),
        "maker_address": ("Survey No. 10, Sangareddy, Telangana", "Bonthapally, Telangana"),
        "maker_country": ("인도", "인도"),
        "registered_on": "2026-09-22",
        "changed_on": "",
        "annual_report_year": "2026",
        "status": "정상",
        "withdrawn_on": "",
        "document_no": "v0.0.0/2026",
        "linked_document_no": "",
    }
    return fields | changed


def a_record(number: str = "20260922-211-J-2288", **changed: Value) -> VersionRow:
    """Return a current record whose key is its number."""
    return VersionRow(
        key=number,
        fields=some_fields(number, **changed),
        valid_from=STARTED_AT,
        valid_to=None,
        url=LIST_URL,
        source="ab" * 32,
        row_no=7,
        run_id=RUN_ID,
    )


def a_missing_record(number: str, *, days: int, n_reads: int) -> VersionRow:
    """Return a current record that has not been in the list for some days."""
    since = DAY - timedelta(days=days)
    return replace(a_record(number), missing_since=since, n_missing_reads=n_reads)


def a_change(
    field: str = "company",
    before: Value | None = "(주)삼오제약",
    after: Value | None = "국전약품(주)",
    *,
    grade: Grade = Grade.SUBSTANTIVE,
) -> FieldChange:
    """Return one changed field."""
    return FieldChange(field, before, after, FieldKind.NAME, grade)


def an_event(
    event_type: EventType = EventType.NEW,
    number: str = "20260922-211-J-2288",
    *,
    changes: Sequence[FieldChange] = (),
    reason: Reason | None = None,
    days_ago: int = 0,
    missing_since: date | None = None,
    fields: Mapping[str, Value] | None = None,
) -> EventRow:
    """Return an event of the run that many days before the report's."""
    occurred_at = STARTED_AT - timedelta(days=days_ago)
    order = list(Grade)
    return EventRow(
        run_id=f"{occurred_at:%Y%m%dT%H%M%S}-dmf_registry",
        occurred_at=occurred_at,
        board_id="dmf_registry",
        key=number,
        event_type=event_type,
        reason=reason,
        grade=max((change.grade for change in changes), key=order.index, default=None),
        changes=tuple(changes),
        fields=fields or some_fields(number),
        missing_since=missing_since,
    )


def a_gate(
    code: str = "G-2",
    outcome: Outcome = Outcome.PASS,
    *,
    observed: float | None = 12_003,
    limit: float | None = 0.3,
    message: str = "행 수가 직전 목록과 비슷합니다.",
) -> Gate:
    """Return what one gate saw."""
    return Gate(code, outcome, observed, limit, message)


def a_run_row(
    status: RunStatus = RunStatus.OK,
    *,
    board_id: str = "dmf_registry",
    is_baseline: bool = False,
    n_rows: int | None = 2,
    counts: Counts = NOTHING,
) -> RunRow:
    """Return one line of the run log."""
    return RunRow(
        run=Run(f"20261130T060012-{board_id}", board_id, STARTED_AT, DAY),
        status=status,
        finished_at=STARTED_AT + timedelta(minutes=12, seconds=5),
        n_rows=n_rows,
        n_requests=123,
        duration_ms=725_400,
        selector_version=1,
        is_baseline=is_baseline,
        counts=counts,
        missing=0,
        error_code="",
        reject_reason="",
        raw_dir="raw/2026-11-30/dmf_registry",
        exit_code=0,
    )


def a_board(
    *,
    records: Sequence[VersionRow] = (),
    events: Sequence[EventRow] = (),
    history: Sequence[EventRow] | None = None,
    gates: Sequence[Gate] = (),
    accepted: RunRow | None = None,
) -> BoardReport:
    """Return a board whose history is its events of the day, unless said otherwise."""
    return BoardReport(
        board_id="dmf_registry",
        name_ko="원료의약품등록(DMF) 현황",
        columns=COLUMNS,
        key_field="reg_no",
        status_field="status",
        accepted=accepted or a_run_row(n_rows=len(records)),
        gates=tuple(gates),
        events=tuple(events),
        history=tuple(events if history is None else history),
        records=tuple(records),
    )


def a_report(*boards: BoardReport, runs: Sequence[RunRow] = (), missing_runs: int = 4) -> Report:
    """Return a report of these boards."""
    return Report(
        day=DAY,
        written_at=STARTED_AT + timedelta(minutes=13),
        boards=boards,
        runs=tuple(runs),
        missing_runs=missing_runs,
    )
