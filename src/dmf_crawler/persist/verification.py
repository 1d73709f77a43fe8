"""The history proves itself: the event log, replayed from nothing, gives the current table.

Each check is a law of docs/data_model.md; the first offender is named.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dmf_crawler.errors import StoreError
from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.record import FieldKind, Fields, Value
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.persist.recording import GRADES, TYPED_COLUMNS, load_changes, load_fields
from dmf_crawler.persist.run_proofs import (
    prove_days,
    prove_gates,
    prove_known_pages,
    prove_missing,
    prove_page_visits,
    prove_run_counts,
    prove_runs,
    prove_split_numbers,
)
from dmf_crawler.persist.store import Store
from dmf_crawler.text import is_same_joined

MISSING_REASONS = (Reason.MISSING, Reason.DELISTED)
REASONS: Mapping[str, tuple[str | None, ...]] = {
    EventType.NEW: (None, Reason.REKEYED),
    EventType.MODIFIED: (None, Reason.DELISTED, Reason.REKEYED),
    EventType.WITHDRAWN: (Reason.STATUS, Reason.MISSING, Reason.REKEYED),
    EventType.REAPPEARED: (Reason.RETURNED, Reason.RESTORED, Reason.REKEYED),
}
"""Event → why it may have happened."""


@dataclass(frozen=True, slots=True)
class Check:
    """One proof: its name, whether it holds, and the first offender (or what was counted)."""

    name: str
    ok: bool
    detail: str


def verify_history(store: Store) -> tuple[Check, ...]:
    """Run every proof over the whole history, all on the same state of it."""
    with store.reading():
        return tuple(_run(name, prove, store) for name, prove in PROOFS)


def _run(name: str, prove: Callable[[Store], Iterator[str]], store: Store) -> Check:
    try:
        offender = next(prove(store), None)
    except StoreError as error:
        offender = error.message
    return Check(name, offender is None, offender or "이상 없음")


# --- the file ----------------------------------------------------------------------------------


def _prove_integrity(store: Store) -> Iterator[str]:
    """Yield what SQLite itself finds wrong with the file."""
    for row in store.rows("PRAGMA integrity_check"):
        if row[0] != "ok":
            yield str(row[0])
    for row in store.rows("PRAGMA foreign_key_check"):
        yield f"{row[0]} {row[1]}행이 없는 {row[2]} 을 가리킵니다"


def _prove_schema(store: Store) -> Iterator[str]:
    """Yield tables, indexes and triggers that are not as the program made them."""
    listing = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    found = {row["name"]: row["sql"] for row in store.rows(listing)}
    fresh = sqlite3.connect(":memory:")
    try:
        for migrate in MIGRATIONS:
            migrate(fresh)
        for name, sql in fresh.execute(listing):
            if found.get(name) != sql:
                yield f"{name}: 정의가 {'다릅니다' if name in found else '없습니다'}"
    finally:
        fresh.close()


# --- the event log -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _State:
    """Where the events so far lead one key: its last values, and whether it is in the list."""

    fields: Fields
    is_open: bool


def _prove_replay(store: Store) -> Iterator[str]:
    """Yield every key whose replayed events do not lead to its current version."""
    states: dict[tuple[str, str], _State] = {}
    for row in store.rows(
        "SELECT e.*, c.status AS run_status, c.started_at, c.board_id AS run_board"
        " FROM event_interval e LEFT JOIN crawl_run c ON c.run_id = e.run_id ORDER BY e.event_id"
    ):
        fault = _find_run_fault(row) or _say_unreadable(_replay_step, states, row)
        if fault:
            yield f"{row['natural_key']}: 사건 {row['event_id']}({row['event_type']}): {fault}"
    yield from _compare_with_current(store, states)


def _say_unreadable(find_fault: Callable[..., str], *arguments: object) -> str:
    """Return the fault that is found, or that a stored value cannot be read."""
    try:
        return find_fault(*arguments)
    except StoreError as error:
        return error.message


def _find_run_fault(row: sqlite3.Row) -> str:
    """Return why an event does not belong to its run, or ""."""
    if row["run_status"] != "OK":
        return "채택되지 않은 실행의 사건입니다"
    if (row["run_board"], row["started_at"]) != (row["board_id"], row["occurred_at"]):
        return "게시판이나 시각이 실행과 다릅니다"
    return ""


def _replay_step(states: dict[tuple[str, str], _State], row: sqlite3.Row) -> str:
    """Take one event; return why it cannot follow on the events of its key so far, or ""."""
    key = (row["board_id"], row["natural_key"])
    before, after = states.get(key), load_fields(row["record_json"])
    states[key] = _State(after, not row["closes"])
    fault = _find_form_fault(row)
    if fault:
        return fault
    is_new = row["event_type"] == EventType.NEW
    if before is None:
        return "" if is_new else "신규 없이 시작합니다"
    if is_new:
        return "이미 있던 기록의 신규입니다"
    if before.is_open == (row["reason"] == Reason.RETURNED):
        return "목록에 있는 기록의 재등장입니다" if before.is_open else "닫힌 기록에 일어났습니다"
    return _find_value_fault(before.fields, after, row)


def _find_form_fault(row: sqlite3.Row) -> str:
    """Return what of an event does not go together, whatever was before, or ""."""
    if row["reason"] not in REASONS.get(row["event_type"], ()):
        return f"사유 {row['reason']} 는 이 사건의 것이 아닙니다"
    if (row["missing_since"] is None) != (row["reason"] not in MISSING_REASONS):
        return "목록에 없던 첫날이 사유와 맞지 않습니다"
    changes = load_changes(row["changes_json"])
    for change in changes:
        if change.grade not in GRADES or change.kind not in tuple(FieldKind):
            return f"{change.field} 의 종류나 등급이 없는 말입니다"
    grades = [change.grade for change in changes]
    if row["grade"] != (max(grades, key=GRADES.index) if grades else None):
        return "등급이 변경 내용과 다릅니다"
    return ""


def _find_value_fault(before: Fields, after: Fields, row: sqlite3.Row) -> str:
    """Return which value an event does not explain, or "".

    A field that only one side has came or went with a selectors file; it needs no explanation.
    """
    if row["reason"] == Reason.REKEYED:  # its changes lead to the record under the new key
        is_kept = all(_is_same(value, after.get(name)) for name, value in before.items())
        return "" if is_kept else "닫힌 기록의 마지막 값이 다릅니다"
    changes = {change.field: change for change in load_changes(row["changes_json"])}
    for name, change in changes.items():
        if name in before and not _is_same(before[name], change.before):
            return f"{name} 의 이전 값이 그때의 값과 다릅니다"
        if after.get(name) != change.after or change.before == change.after:
            return f"{name} 의 이후 값이 기록과 다릅니다"
    for name in before.keys() & after.keys() - changes.keys():
        if not _is_same(before[name], after[name]):
            return f"{name} 의 값이 변경 내용 없이 바뀌었습니다"
    is_plain = row["event_type"] == EventType.MODIFIED and row["reason"] is None
    return "바뀐 값이 없습니다" if is_plain and not changes else ""


def _is_same(before: Value | None, after: Value | None) -> bool:
    """Say whether a value stayed; the values of a text that the open API joined may follow it."""
    return before == after or is_same_joined(before or (), after or ())


def _compare_with_current(store: Store, states: Mapping[tuple[str, str], _State]) -> Iterator[str]:
    current = {
        (row["board_id"], row["natural_key"]): row["payload_json"]
        for row in store.rows("SELECT * FROM dmf_record WHERE is_current = 1")
    }
    replayed = {key: state.fields for key, state in states.items() if state.is_open}
    for key in sorted(current.keys() ^ replayed.keys()):
        where = "현재 표에만" if key in current else "사건 기록에만"
        yield f"{key[1]}: {where} 있습니다"
    for key in sorted(current.keys() & replayed.keys()):
        fault = _say_unreadable(_find_differing, replayed[key], current[key])
        if fault:
            yield f"{key[1]}: {fault}"


def _find_differing(recorded: Fields, payload_json: str) -> str:
    """Return which values of an event its version does not have, or "".

    A field that a newer selectors file added stands in the version alone, without an event.
    """
    payload = load_fields(payload_json)
    differing = [name for name, value in recorded.items() if not _is_same(payload.get(name), value)]
    return f"{', '.join(differing)} 의 값이 사건 기록과 다릅니다" if differing else ""


# --- the versions ------------------------------------------------------------------------------


def _prove_intervals(store: Store) -> Iterator[str]:
    """Yield versions that overlap, have no length, or leave a gap that no event explains."""
    for row in store.rows(
        "SELECT * FROM (SELECT board_id, natural_key, valid_from, valid_to,"
        " lead(valid_from) OVER key_history AS next FROM dmf_record"
        " WINDOW key_history AS (PARTITION BY board_id, natural_key ORDER BY valid_from, sk))"
        " WHERE (valid_to IS NOT NULL AND valid_to <= valid_from)"
        " OR (next IS NOT NULL AND (valid_to IS NULL OR valid_to > next))"
    ):
        yield f"{row['natural_key']}: {row['valid_from']} 부터의 판이 다음 판과 겹칩니다"
    for row in store.rows(
        "SELECT * FROM (SELECT board_id, natural_key, valid_to,"
        " lead(valid_from) OVER key_history AS next FROM dmf_record"
        " WINDOW key_history AS (PARTITION BY board_id, natural_key ORDER BY valid_from, sk)) v"
        " WHERE v.valid_to < v.next AND NOT EXISTS (SELECT 1 FROM event_interval e"
        " WHERE e.board_id = v.board_id AND e.natural_key = v.natural_key"
        " AND e.occurred_at = v.valid_to AND e.closes)"
    ):
        yield f"{row['natural_key']}: {row['valid_to']} 에서 {row['next']} 사이가 비어 있습니다"


def _prove_one_current(store: Store) -> Iterator[str]:
    """Yield keys with more than one current version, and open versions that are not current."""
    for row in store.rows(
        "SELECT natural_key FROM dmf_record WHERE is_current = 1"
        " GROUP BY board_id, natural_key HAVING count(*) > 1"
    ):
        yield f"{row['natural_key']}: 현재 판이 둘 이상입니다"
    for row in store.rows(
        "SELECT natural_key FROM dmf_record WHERE is_current <> (valid_to IS NULL)"
    ):
        yield f"{row['natural_key']}: is_current 와 valid_to 가 어긋납니다"


def _prove_events_and_versions(store: Store) -> Iterator[str]:
    """Yield versions without the event that opened them, and events without their version.

    A version holds what its event holds, from that event to the next one of its key; what its event
    says stood before stood in the version before.
    """
    payloads: dict[tuple[str, str], Fields] = {}
    for row in store.rows(
        "SELECT r.natural_key, r.valid_from FROM dmf_record r LEFT JOIN event_interval e"
        " ON e.run_id = r.first_seen_run AND e.natural_key = r.natural_key AND NOT e.closes"
        " WHERE e.event_id IS NULL"
    ):
        yield f"{row['natural_key']}: {row['valid_from']} 부터의 판에 사건이 없습니다"
    for row in store.rows(
        "SELECT e.board_id AS board, e.natural_key AS key, e.event_id, e.occurred_at, e.next_at,"
        " e.changes_json, e.record_json, r.*"
        " FROM event_interval e LEFT JOIN dmf_record r ON r.board_id = e.board_id"
        " AND r.natural_key = e.natural_key AND r.first_seen_run = e.run_id"
        " WHERE NOT e.closes ORDER BY e.event_id"
    ):
        fault = _say_unreadable(_match_step, payloads, row)
        if fault:
            yield f"{row['key']}: 사건 {row['event_id']}: {fault}"


def _match_step(payloads: dict[tuple[str, str], Fields], row: sqlite3.Row) -> str:
    """Take one event that opened a version; return how the version differs from it, or ""."""
    if row["sk"] is None:
        return "이 사건의 판이 없습니다"
    before = payloads.get((row["board"], row["key"]), {})
    payload = payloads[row["board"], row["key"]] = load_fields(row["payload_json"])
    if (row["valid_from"], row["valid_to"]) != (row["occurred_at"], row["next_at"]):
        return f"{row['valid_from']} 부터의 판의 기간이 사건과 다릅니다"
    for change in load_changes(row["changes_json"]):
        if not _is_same(before.get(change.field, change.before), change.before):
            return f"{change.field} 의 이전 값이 이전 판과 다릅니다"
    for name in TYPED_COLUMNS:
        value = payload.get(name)
        if row[name] != (value if isinstance(value, str) else None):
            return f"{name} 열이 판의 값과 다릅니다"
    return _find_source_fault(row, payload) or _find_differing(
        load_fields(row["record_json"]), row["payload_json"]
    )


def _find_source_fault(row: sqlite3.Row, payload: Fields) -> str:
    """Return what a version says wrongly of where it comes from, or ""."""
    if not re.fullmatch("[0-9a-f]{64}", row["source_sha256"]):
        return "출처 쪽의 지문(SHA-256)이 아닙니다"
    if not load_fields(row["shown_json"]).keys() <= payload.keys():
        return "화면에 보인 글이 없는 항목의 것입니다"
    return "" if row["is_joined"] in {0, 1} else "is_joined 가 0이나 1이 아닙니다"


PROOFS: tuple[tuple[str, Callable[[Store], Iterator[str]]], ...] = (
    ("sqlite_integrity", _prove_integrity),
    ("schema", _prove_schema),
    ("event_replay", _prove_replay),
    ("intervals", _prove_intervals),
    ("one_current_version", _prove_one_current),
    ("events_match_versions", _prove_events_and_versions),
    ("runs", prove_runs),
    ("run_counts", prove_run_counts),
    ("gates", prove_gates),
    ("days", prove_days),
    ("missing_spells", prove_missing),
    ("split_numbers", prove_split_numbers),
    ("known_pages", prove_known_pages),
    ("page_visits", prove_page_visits),
)
