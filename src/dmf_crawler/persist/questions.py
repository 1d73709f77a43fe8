"""Questions to the history: one record's life, the list on any day, what a report needs."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.record import Column
from dmf_crawler.model.report import BoardReport, EventRow, Report, VersionRow
from dmf_crawler.model.run import ONE_DAY, RunStatus, end_of_day, kst
from dmf_crawler.persist.changed_back import mark_changed_back
from dmf_crawler.persist.decisions import decided_runs
from dmf_crawler.persist.deliveries import given_way
from dmf_crawler.persist.gate_results import gates_of
from dmf_crawler.persist.rates import change_rate_of, count_accepted_days, delay_of
from dmf_crawler.persist.recording import load_changes, load_fields
from dmf_crawler.persist.runs import find_runs, last_accepted_run, warnings_of
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.stored import read_day, read_moment

_EVENTS = (
    "SELECT e.*, c.day AS run_day FROM dmf_event e JOIN crawl_run c ON c.run_id = e.run_id"
    " WHERE e.board_id = ? "
)


def events_of_key(store: Store, board_id: str, key: str) -> tuple[EventRow, ...]:
    """Return everything that happened to one key, oldest first."""
    rows = store.rows(_EVENTS + "AND e.natural_key = ? ORDER BY e.event_id", (board_id, key))
    return tuple(read_event(row) for row in rows)


def events_of_run(store: Store, run_id: str) -> tuple[EventRow, ...]:
    """Return everything that one run recorded, ordered by key."""
    rows = store.rows(
        "SELECT e.* FROM dmf_event e WHERE e.run_id = ? ORDER BY e.natural_key", (run_id,)
    )
    return tuple(read_event(row) for row in rows)


def versions_of_key(store: Store, board_id: str, key: str) -> tuple[VersionRow, ...]:
    """Return all versions of one key, oldest first."""
    rows = store.rows(
        "SELECT r.*, s.since_day, s.n_reads FROM dmf_record r LEFT JOIN missing_spell s"
        " ON s.board_id = r.board_id AND s.natural_key = r.natural_key AND s.ended_run IS NULL"
        " AND r.is_current = 1 WHERE r.board_id = ? AND r.natural_key = ? ORDER BY r.valid_from",
        (board_id, key),
    )
    return tuple(_version_row(row) for row in rows)


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of a record, with what its page showed and the last run that saw it.

    Attributes:
        version: The version.
        shown: Field id → text as it stood in the cell, only where it differs from the value.
        last_seen_run: The last accepted run in which the record stood so.
    """

    version: VersionRow
    shown: Mapping[str, str]
    last_seen_run: str


def version_at(
    store: Store, board_id: str, key: str, moment: datetime | None
) -> StoredVersion | None:
    """Return the version of a key that held at a moment, or its last one; None for none."""
    at = kst(moment).isoformat() if moment else None
    rows = store.rows(
        "SELECT *, NULL AS since_day, NULL AS n_reads FROM dmf_record"
        " WHERE board_id = ?1 AND natural_key = ?2 AND (?3 IS NULL OR valid_from <= ?3"
        " AND (valid_to IS NULL OR valid_to > ?3)) ORDER BY valid_from DESC LIMIT 1",
        (board_id, key, at),
    )
    if not rows:
        return None
    shown = {name: str(text) for name, text in load_fields(rows[0]["shown_json"]).items()}
    return StoredVersion(_version_row(rows[0]), shown, rows[0]["last_seen_run"])


@dataclass(frozen=True, slots=True)
class Source:
    """What the raw folder of an accepted run must hold.

    Attributes:
        raw_dir: The folder, relative to the home.
        day: The day of the crawl.
        n_pages: List pages that the run read.
        digests: Pages that versions were read from; detail pages and files that are known by it.
    """

    raw_dir: str
    day: date
    n_pages: int
    digests: frozenset[str]


def find_sources(store: Store) -> tuple[Source, ...]:
    """Return what every accepted run's raw folder must hold, oldest first."""
    rows = store.rows(
        "WITH digest AS (SELECT first_seen_run AS run_id, source_sha256 AS sha256 FROM dmf_record"
        " UNION SELECT c.run_id, p.sha256 FROM known_page p JOIN crawl_run c"
        "  ON c.board_id = p.board_id AND c.raw_dir = p.raw_dir)"
        " SELECT c.raw_dir, a.day, c.n_pages, group_concat(d.sha256) AS digests"
        " FROM crawl_run c JOIN accepted_read a ON a.run_id = c.run_id"
        " LEFT JOIN digest d ON d.run_id = c.run_id GROUP BY c.run_id ORDER BY c.started_at"
    )
    return tuple(
        Source(
            row["raw_dir"],
            read_day(row["day"]),
            row["n_pages"] or 0,
            frozenset(filter(None, (row["digests"] or "").split(","))),
        )
        for row in rows
    )


def find_key(store: Store, text: str) -> tuple[tuple[str, str], ...]:
    """Return (board id, natural key) of every key that a person can mean by a text.

    That is the natural key itself, a 등록번호 as shown, or a number that composite keys share.
    """
    rows = store.rows(
        "WITH RECURSIVE board (id) AS (SELECT min(board_id) FROM crawl_run UNION ALL"  # by leaps
        "  SELECT (SELECT min(board_id) FROM crawl_run WHERE board_id > id) FROM board"
        "  WHERE id IS NOT NULL)"
        " SELECT board_id, natural_key FROM dmf_record WHERE reg_no = ?1"
        " UNION SELECT board_id, natural_key FROM dmf_record"
        "  WHERE board_id IN board AND natural_key = ?1"
        " UNION SELECT board_id, natural_key FROM dmf_record"  # | to }, the character behind it
        "  WHERE board_id IN board AND natural_key >= ?1 || '|' AND natural_key < ?1 || '}'"
        " ORDER BY board_id, natural_key",
        (text,),
    )
    found = tuple((row["board_id"], row["natural_key"]) for row in rows)
    return tuple(each for each in found if each[1] == text) or found


def list_as_of(store: Store, board_id: str, moment: datetime) -> tuple[VersionRow, ...]:
    """Return the list as it stood at a moment, newest registration first.

    What has no day of registration (notices) stands by its number, highest first. Records that
    were missing then, but not yet withdrawn for it, are in it and marked.
    """
    at = kst(moment).isoformat()
    rows = store.rows(
        "WITH missing AS (SELECT s.natural_key, s.since_day, (SELECT count(DISTINCT a.day)"
        "  FROM accepted_read a WHERE a.board_id = s.board_id"
        "  AND a.started_at BETWEEN s.since AND :moment) AS n_reads FROM missing_interval s"
        "  WHERE s.board_id = :board AND s.since <= :moment"
        "  AND (s.until IS NULL OR s.until > :moment))"
        " SELECT r.*, m.since_day, m.n_reads FROM dmf_record r"
        " LEFT JOIN missing m ON m.natural_key = r.natural_key"
        " WHERE r.board_id = :board AND r.valid_from <= :moment"
        " AND (r.valid_to IS NULL OR r.valid_to > :moment)"
        " ORDER BY r.registered_on DESC,"
        " iif(r.registered_on IS NULL, length(r.natural_key), NULL) DESC,"
        " iif(r.registered_on IS NULL, r.natural_key, NULL) DESC, r.natural_key",
        {"board": board_id, "moment": at},
    )
    return tuple(_version_row(row) for row in rows)


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which board a report shows, and how people know it; fields as in `BoardReport`."""

    board_id: str
    name_ko: str
    columns: tuple[Column, ...]
    key_field: str
    status_field: str


def report_of_day(
    store: Store,
    boards: tuple[ReportRequest, ...],
    day: date,
    *,
    written_at: datetime,
    rules: tuple[int, int, int],
    changed_back_days: int,
) -> Report:
    """Collect everything that the workbook of a day shows.

    Args:
        store: The history.
        boards: One a list board.
        day: Which day.
        written_at: When the workbook is written.
        rules: Days of 이력, runs of 실행로그, `missing_runs`.
        changed_back_days: Within so many days a change counts as undone by a later one.
    """
    _, log_runs, missing_runs = rules
    runs = find_runs(store, until=day, limit=log_runs)
    return Report(
        day=day,
        written_at=kst(written_at),
        boards=tuple(
            _board_report(store, board, day, rules, changed_back_days) for board in boards
        ),
        runs=runs,
        missing_runs=missing_runs,
        given_way=given_way(store, [row.run.run_id for row in runs]),
        changed_back_days=changed_back_days,
    )


def _board_report(
    store: Store,
    board: ReportRequest,
    day: date,
    rules: tuple[int, int, int],
    changed_back_days: int,
) -> BoardReport:
    history_days, _, missing_runs = rules
    board_id = board.board_id
    accepted = last_accepted_run(store, board_id, until=day)
    last = next(iter(find_runs(store, board_id=board_id, until=day, limit=1)), None)
    before = last_accepted_run(store, board_id, until=day - timedelta(days=1))
    history = _read_history(store, board_id, day, history_days, changed_back_days)
    notice = ""
    if last is not None and last.status in {RunStatus.HELD, RunStatus.REJECTED, RunStatus.FAILED}:
        notice = (
            f"마지막 실행 {last.run.run_id} 은 채택되지 않았습니다: {last.reject_reason} "
            "아래 내용은 마지막으로 채택된 목록입니다."
        )
    return BoardReport(
        board_id=board_id,
        name_ko=board.name_ko,
        columns=board.columns,
        key_field=board.key_field,
        status_field=board.status_field,
        accepted=accepted,
        gates=gates_of(store, accepted.run.run_id) if accepted else (),
        events=tuple(sorted((e for e, on in history if on == day), key=lambda event: event.key)),
        history=tuple(event for event, _ in history),
        records=list_as_of(store, board_id, accepted.run.started_at) if accepted else (),
        notice=notice,
        missed_days=(day - before.run.day).days - 1 if before else 0,
        warnings=warnings_of(store, accepted.run.run_id) if accepted else (),
        decided=decided_runs(store, board_id, since=before.run.day if before else None, until=day),
        change_rate=change_rate_of(store, board_id, day),
        delay=delay_of(store, board_id, day, missing_runs=missing_runs),
        n_accepted_days=count_accepted_days(store, board_id, day),
    )


def _read_history(
    store: Store, board_id: str, day: date, history_days: int, changed_back_days: int
) -> list[tuple[EventRow, date]]:
    """Return the events of the days up to one, newest first, with what in them was changed back."""
    since = day - timedelta(days=history_days - 1)
    first = since - timedelta(days=changed_back_days)  # what these changed may be undone later
    events = _events_between(store, board_id, first, day)
    marked = [*mark_changed_back(reversed(events), n_days=changed_back_days)]
    return [(event, on) for event, on in reversed(marked) if on >= since]


def _events_between(
    store: Store, board_id: str, since: date, until: date
) -> list[tuple[EventRow, date]]:
    """Return events of accepted runs after the baseline with their day, newest first."""
    rows = store.rows(
        _EVENTS + "AND e.occurred_at >= ? AND e.occurred_at < ? AND c.is_baseline = 0"
        " ORDER BY e.occurred_at DESC, e.natural_key",
        (board_id, end_of_day(since - ONE_DAY).isoformat(), end_of_day(until).isoformat()),
    )
    return [(read_event(row), read_day(row["run_day"])) for row in rows]


def read_event(row: sqlite3.Row) -> EventRow:
    """Return a row of `dmf_event` as a value."""
    return EventRow(
        run_id=row["run_id"],
        occurred_at=read_moment(row["occurred_at"]),
        board_id=row["board_id"],
        key=row["natural_key"],
        event_type=EventType(row["event_type"]),
        reason=Reason(row["reason"]) if row["reason"] else None,
        grade=Grade(row["grade"]) if row["grade"] else None,
        changes=load_changes(row["changes_json"]),
        fields=load_fields(row["record_json"]),
        missing_since=read_day(row["missing_since"]) if row["missing_since"] else None,
    )


def _version_row(row: sqlite3.Row) -> VersionRow:
    valid_to = row["valid_to"]
    return VersionRow(
        key=row["natural_key"],
        fields=load_fields(row["payload_json"]),
        valid_from=read_moment(row["valid_from"]),
        valid_to=read_moment(valid_to) if valid_to else None,
        url=row["source_url"],
        source=row["source_sha256"],
        row_no=row["source_row"],
        run_id=row["first_seen_run"],
        detail_url=row["detail_url"] or "",
        missing_since=read_day(row["since_day"]) if row["since_day"] else None,
        n_missing_reads=row["n_reads"] or 0,
        is_joined=bool(row["is_joined"]),
    )
