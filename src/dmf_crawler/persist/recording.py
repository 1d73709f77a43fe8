"""An accepted run → versions, events, observations and baselines, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from dmf_crawler.errors import StoreError
from dmf_crawler.model.change import (
    Change,
    ChangeSet,
    Counts,
    FieldChange,
    Grade,
    KnownRecord,
    Reason,
)
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.difference import SourceDifferences
from dmf_crawler.model.past import Features
from dmf_crawler.model.rate import ChangeRate
from dmf_crawler.model.record import FieldKind, Fields, Record, Snapshot, Value
from dmf_crawler.model.run import Run
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.contradictions import refuse_contradictions
from dmf_crawler.persist.decisions import record_decision, supersede_held
from dmf_crawler.persist.differences import record_differences
from dmf_crawler.persist.page_visits import PageSight, record_page
from dmf_crawler.persist.pages import record_pages
from dmf_crawler.persist.past import write_features
from dmf_crawler.persist.rates import write_change_rate
from dmf_crawler.persist.robots_seen import record_robots
from dmf_crawler.persist.runs import finish_run, refuse_ended
from dmf_crawler.persist.store import Store

GRADES = (Grade.SAME, Grade.COSMETIC, Grade.MINOR, Grade.SUBSTANTIVE, Grade.MAJOR)
TYPED_COLUMNS = ("reg_no", "ingredient_name", "company", "registered_on", "status")


def dump_fields(fields: Fields) -> str:
    """Write values as one JSON object, keys in the order given."""
    return json.dumps(dict(fields), ensure_ascii=False, separators=(",", ":"))


def load_fields(text: str) -> dict[str, Value]:
    """Read what `dump_fields` wrote.

    Raises:
        StoreError: `record_unreadable`.
    """
    try:
        return {name: _load_value(value) for name, value in json.loads(text).items()}
    except (ValueError, AttributeError) as error:
        raise _unreadable(text, error) from error


def dump_changes(changes: Iterable[FieldChange]) -> str:
    """Write changed fields as the list that `dmf_event.changes_json` holds."""
    return json.dumps(
        [
            {
                "field": change.field,
                "before": change.before,
                "after": change.after,
                "kind": change.kind,
                "grade": change.grade,
            }
            for change in changes
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def load_changes(text: str) -> tuple[FieldChange, ...]:
    """Read what `dump_changes` wrote.

    Raises:
        StoreError: `record_unreadable`.
    """
    try:
        return tuple(
            FieldChange(
                item["field"],
                _load_value(item["before"]),
                _load_value(item["after"]),
                FieldKind(item["kind"]),
                Grade(item["grade"]),
            )
            for item in json.loads(text)
        )
    except (ValueError, TypeError, KeyError) as error:
        raise _unreadable(text, error) from error


def _load_value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _unreadable(text: str, error: Exception) -> StoreError:
    return StoreError(
        "record_unreadable",
        f"이력에 저장된 값을 읽지 못했습니다({error}): '{text[:60]}'. "
        "verify 명령으로 확인하고 백업을 되살리십시오.",
    )


def known_records(store: Store, board_id: str) -> dict[str, KnownRecord]:
    """Return every key that was ever accepted with its last version and its missing spell."""
    refuse_contradictions(store, board_id)
    rows = store.rows(
        "SELECT r.natural_key, r.payload_json, r.is_current, r.is_joined,"
        " s.since_day, s.n_reads, s.last_missed_on"
        " FROM dmf_record r LEFT JOIN missing_spell s ON s.board_id = r.board_id"
        " AND s.natural_key = r.natural_key AND s.ended_run IS NULL"
        " WHERE r.sk IN (SELECT max(sk) FROM dmf_record WHERE board_id = ? GROUP BY natural_key)",
        (board_id,),
    )
    return {
        row["natural_key"]: KnownRecord(
            row["natural_key"],
            load_fields(row["payload_json"]),
            bool(row["is_current"]),
            date.fromisoformat(row["since_day"]) if row["since_day"] else None,
            row["n_reads"] or 0,
            date.fromisoformat(row["last_missed_on"]) if row["last_missed_on"] else None,
            bool(row["is_joined"]),
        )
        for row in rows
    }


def split_numbers(store: Store, board_id: str) -> frozenset[str]:
    """Return the numbers that several records share, once found out, for good."""
    rows = store.rows("SELECT number FROM split_number WHERE board_id = ?", (board_id,))
    return frozenset(row["number"] for row in rows)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Everything that one accepted run writes.

    Attributes:
        summary: How the run ended, status OK.
        snapshot: What it read.
        change_set: What differs from the list accepted before.
        known: What the history knew before (`known_records`).
        features: What the list was like that day, and what happened to it.
        pages: Detail pages and files that it saw, each with the key of its record.
        robots: Status and body of its robots.txt, None where its folder has none.
        change_rate: How often the list changes, this day included; None for the baseline.
        compared: Of each other source that the list was compared with, what is known of it now.
        page: What the run of a page board saw; None for a list.
    """

    summary: RunSummary
    snapshot: Snapshot
    change_set: ChangeSet
    known: Mapping[str, KnownRecord]
    features: Features
    pages: Sequence[tuple[str, KnownPage]] = ()
    robots: tuple[int, bytes] | None = None
    change_rate: ChangeRate | None = None
    compared: Sequence[SourceDifferences] = ()
    page: PageSight | None = None


def record_accepted(store: Store, acceptance: Acceptance, finished_at: datetime) -> None:
    """Write an accepted run, one that was held included: all of it or nothing.

    Raises:
        StoreError: `write_failed`, `run_not_open`; the history is as before.
    """
    run = acceptance.summary.run
    with store.atomic():
        refuse_ended(store, run)
        if acceptance.summary.approval is not None:
            record_decision(store, run.run_id, acceptance.summary.approval)
        finish_run(store, acceptance.summary, finished_at)
        supersede_held(store, run, finished_at)
        _write_changes(store, run, acceptance)
        _write_spells(store, run, acceptance)
        _write_seen(store, run, acceptance.change_set.unlisted)
        _write_split_numbers(store, run, acceptance.snapshot)
        record_pages(store, run, acceptance.pages)
        record_differences(store, run, acceptance.compared)
        if acceptance.page is not None:
            record_page(store, run, acceptance.page)
        if acceptance.robots is not None:
            record_robots(store, run, *acceptance.robots)
        if not acceptance.summary.is_baseline:
            _write_observation(store, run, acceptance.summary.counts)
        if acceptance.change_rate is not None:
            write_change_rate(store, run, acceptance.change_rate)
        write_features(store, run, acceptance.features, was_held=acceptance.summary.is_approved)


def _write_changes(store: Store, run: Run, acceptance: Acceptance) -> None:
    start = run.started_at.isoformat()
    changes = acceptance.change_set.changes
    closing = [change.key for change in changes if change.key in acceptance.known]
    store.execute_many(
        "UPDATE dmf_record SET is_current = 0, valid_to = ?"
        " WHERE board_id = ? AND natural_key = ? AND is_current = 1",
        ((start, run.board_id, key) for key in closing),
    )
    store.execute_many(
        "INSERT INTO dmf_record (board_id, natural_key, reg_no, ingredient_name, company,"
        " registered_on, status, detail_url, payload_json, shown_json, source_sha256, source_url,"
        " source_row, is_joined, valid_from, is_current, first_seen_run, last_seen_run)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (_version(run, change.after) for change in changes if change.after is not None),
    )
    store.execute_many(
        "INSERT INTO dmf_event (run_id, occurred_at, board_id, natural_key, event_type, reason,"
        " grade, missing_since, changes_json, record_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (_event(run, change, acceptance.known) for change in changes),
    )
    store.execute_many(
        "UPDATE dmf_record SET reg_no = ?, ingredient_name = ?, company = ?, registered_on = ?,"
        " status = ?, detail_url = ?, payload_json = ?, is_joined = ?"
        " WHERE board_id = ? AND natural_key = ? AND is_current = 1",
        (
            (*_columns(record), int(record.is_joined), run.board_id, record.key)
            for record in (_fill_up(acceptance, key) for key in acceptance.change_set.backfilled)
        ),
    )


def _fill_up(acceptance: Acceptance, key: str) -> Record:
    """Return an open version's record with the values that a newer selectors file added.

    Nothing changed on the site, so there is neither an event nor a new version; what the newer
    file no longer reads stays.
    """
    read = acceptance.snapshot.records[key]
    kept = acceptance.known[key].fields
    unread = {name: kept[name] for name in kept if name not in read.fields}
    return replace(read, fields={**read.fields, **unread})


def _columns(record: Record) -> tuple[str | None, ...]:
    """Return what stands in the typed columns, then the payload."""
    typed = (record.fields.get(name) for name in TYPED_COLUMNS)
    return (
        *(value if isinstance(value, str) else None for value in typed),
        record.detail_url or None,
        dump_fields(record.fields),
    )


def _version(run: Run, record: Record) -> tuple[Any, ...]:
    return (
        run.board_id,
        record.key,
        *_columns(record),
        json.dumps(dict(record.shown), ensure_ascii=False, separators=(",", ":")),
        record.source,
        record.url,
        record.row_no,
        int(record.is_joined),
        run.started_at.isoformat(),
        run.run_id,
        run.run_id,
    )


def _event(run: Run, change: Change, known: Mapping[str, KnownRecord]) -> tuple[Any, ...]:
    fields = change.after.fields if change.after is not None else known[change.key].fields
    grades = [field_change.grade for field_change in change.changes]
    return (
        run.run_id,
        run.started_at.isoformat(),
        run.board_id,
        change.key,
        change.kind,
        change.reason,
        max(grades, key=GRADES.index) if grades else None,
        str(change.missing_since) if change.missing_since else None,
        dump_changes(change.changes),
        dump_fields(fields),
    )


def _write_seen(store: Store, run: Run, unlisted: Sequence[str]) -> None:
    """Note on every open version that this run saw it, but for missing and unlisted ones."""
    store.execute(
        "UPDATE dmf_record SET last_seen_run = ?1 WHERE board_id = ?2 AND is_current = 1"
        " AND natural_key NOT IN (SELECT natural_key FROM missing_spell"
        "  WHERE board_id = ?2 AND ended_run IS NULL)"
        " AND natural_key NOT IN (SELECT value FROM json_each(?3))",
        (run.run_id, run.board_id, json.dumps(unlisted)),
    )


def _write_spells(store: Store, run: Run, acceptance: Acceptance) -> None:
    day = str(run.day)
    change_set = acceptance.change_set
    store.execute_many(
        "INSERT INTO missing_spell (board_id, natural_key, first_run, since_day, last_missed_on,"
        " n_reads) VALUES (?1, ?2, ?3, ?4, ?4, 1)"
        " ON CONFLICT (board_id, natural_key) WHERE ended_run IS NULL DO UPDATE"
        " SET n_reads = n_reads + (last_missed_on <> ?4), last_missed_on = ?4",
        ((run.board_id, key, run.run_id, day) for key in change_set.missing),
    )
    endings: list[tuple[str, str | None]] = [(key, "came_back") for key in change_set.came_back]
    endings += [(key, None) for key in change_set.unlisted]  # the reads in a row end here
    endings += [
        (change.key, "came_back" if change.reason is Reason.REKEYED else "withdrawn")
        for change in change_set.changes
        if change.closes
    ]
    store.execute_many(
        "UPDATE missing_spell SET ended_run = ?, ended_as = ?"
        " WHERE board_id = ? AND natural_key = ? AND ended_run IS NULL",
        ((run.run_id, ended_as, run.board_id, key) for key, ended_as in endings),
    )


def _write_split_numbers(store: Store, run: Run, snapshot: Snapshot) -> None:
    store.execute_many(
        "INSERT OR IGNORE INTO split_number VALUES (?, ?, ?)",
        ((run.board_id, number, run.run_id) for number in snapshot.split_numbers),
    )


def _write_observation(store: Store, run: Run, counts: Counts) -> None:
    changed = int(counts.NEW + counts.MODIFIED + counts.WITHDRAWN + counts.REAPPEARED > 0)
    store.execute(
        "INSERT INTO change_observation VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (board_id, observed_on) DO UPDATE SET"
        " changed = max(changed, excluded.changed), n_new = n_new + excluded.n_new,"
        " n_modified = n_modified + excluded.n_modified,"
        " n_withdrawn = n_withdrawn + excluded.n_withdrawn",
        (
            run.board_id,
            str(run.day),
            changed,
            counts.NEW,
            counts.MODIFIED + counts.REAPPEARED,
            counts.WITHDRAWN,
        ),
    )
