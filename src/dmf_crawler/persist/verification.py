"""The history proves itself: the event log, replayed from nothing, gives the current table.

Each check is a law of rules.md §5; the first offender is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dmf_crawler.model import EventType, Fields, Reason, Value
from dmf_crawler.persist.recording import load_changes, load_fields
from dmf_crawler.persist.store import Store


@dataclass(frozen=True, slots=True)
class Check:
    """One proof: its name, whether it holds, and the first offender (or what was counted)."""

    name: str
    ok: bool
    detail: str


def verify_history(store: Store) -> tuple[Check, ...]:
    """Run every proof over the whole history."""
    return tuple(_run(name, prove, store) for name, prove in PROOFS)


def _run(name: str, prove: Callable[[Store], Iterator[str]], store: Store) -> Check:
    offender = next(prove(store), None)
    return Check(name, offender is None, offender or "이상 없음")


def _prove_integrity(store: Store) -> Iterator[str]:
    """Yield what SQLite itself finds wrong with the file."""
    for row in store.rows("PRAGMA integrity_check"):
        if row[0] != "ok":
            yield str(row[0])
    for row in store.rows("PRAGMA foreign_key_check"):
        yield f"{row[0]} {row[1]}행이 없는 {row[2]} 을 가리킵니다"


def _prove_replay(store: Store) -> Iterator[str]:
    """Yield every key whose replayed events do not lead to its current version."""
    state: dict[tuple[str, str], Fields | None] = {}
    for row in store.rows(
        "SELECT e.*, c.status AS run_status FROM dmf_event e"
        " LEFT JOIN crawl_run c ON c.run_id = e.run_id ORDER BY e.event_id"
    ):
        key = (row["board_id"], row["natural_key"])
        if row["run_status"] != "OK":
            yield f"{key[1]}: 사건 {row['event_id']} 의 실행이 채택되지 않았습니다"
        after = load_fields(row["record_json"])
        event_type = EventType(row["event_type"])
        reason = Reason(row["reason"]) if row["reason"] else None
        fault = _find_step_fault(state, key, event_type, row["changes_json"], after)
        if fault:
            yield f"{key[1]}: 사건 {row['event_id']}({event_type}): {fault}"
        state[key] = None if _closes(event_type, reason) else after
    yield from _compare_with_current(store, state)


def _closes(event_type: EventType, reason: Reason | None) -> bool:
    if reason is Reason.REKEYED:
        return event_type is EventType.MODIFIED
    return reason in {Reason.MISSING, Reason.DELISTED}


def _find_step_fault(
    state: dict[tuple[str, str], Fields | None],
    key: tuple[str, str],
    event_type: EventType,
    changes_json: str,
    after: Fields,
) -> str:
    """Return why one event cannot follow on the state so far, or ""."""
    if event_type is EventType.NEW:
        return "이미 있던 기록의 신규입니다" if key in state else ""
    if key not in state:
        return "신규 없이 시작합니다"
    before = state[key]
    if before is None and event_type is not EventType.REAPPEARED:
        return "닫힌 기록에 일어났습니다"
    for change in load_changes(changes_json):
        if before is not None and not _same(before.get(change.field), change.before, before):
            return f"{change.field} 의 이전 값이 그때의 값과 다릅니다"
        if after.get(change.field) != change.after:
            return f"{change.field} 의 이후 값이 기록과 다릅니다"
    return ""


def _same(stood: Value | None, before: Value | None, fields: Fields) -> bool:
    """Say whether a before value fits; a field filled in later has none in the older events."""
    return stood == before or (stood is None and bool(fields))


def _compare_with_current(
    store: Store, state: dict[tuple[str, str], Fields | None]
) -> Iterator[str]:
    current = {
        (row["board_id"], row["natural_key"]): load_fields(row["payload_json"])
        for row in store.rows("SELECT * FROM dmf_record WHERE is_current = 1")
    }
    replayed = {key: fields for key, fields in state.items() if fields is not None}
    for key in sorted(current.keys() ^ replayed.keys()):
        where = "현재 표에만" if key in current else "사건 기록에만"
        yield f"{key[1]}: {where} 있습니다"
    for key in sorted(current.keys() & replayed.keys()):
        # A field that a newer selectors file added stands in the table alone, without an event.
        differing = [
            name for name, value in replayed[key].items() if current[key].get(name) != value
        ]
        if differing:
            yield f"{key[1]}: {', '.join(differing)} 의 값이 사건 기록과 다릅니다"


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
        " WHERE v.valid_to < v.next AND NOT EXISTS (SELECT 1 FROM dmf_event e"
        " WHERE e.board_id = v.board_id AND e.natural_key = v.natural_key"
        " AND e.occurred_at = v.valid_to AND e.reason IN ('missing', 'delisted', 'rekeyed'))"
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
    """Yield events without the version that they opened, and versions without their event."""
    for row in store.rows(
        "SELECT r.natural_key, r.valid_from FROM dmf_record r WHERE NOT EXISTS (SELECT 1"
        " FROM dmf_event e WHERE e.board_id = r.board_id AND e.natural_key = r.natural_key"
        " AND e.run_id = r.first_seen_run AND e.occurred_at = r.valid_from)"
    ):
        yield f"{row['natural_key']}: {row['valid_from']} 부터의 판에 사건이 없습니다"
    for row in store.rows(
        "SELECT run_id, n_new, n_rows FROM crawl_run c WHERE status = 'OK' AND"
        " n_new + n_modified + n_withdrawn + n_reappeared + n_cosmetic <> (SELECT count(*)"
        " FROM dmf_event e WHERE e.run_id = c.run_id AND e.reason IS NOT 'rekeyed')"
    ):
        yield f"실행 {row['run_id']}: 집계가 사건 수와 다릅니다"


PROOFS: tuple[tuple[str, Callable[[Store], Iterator[str]]], ...] = (
    ("sqlite_integrity", _prove_integrity),
    ("event_replay", _prove_replay),
    ("intervals", _prove_intervals),
    ("one_current_version", _prove_one_current),
    ("events_match_versions", _prove_events_and_versions),
)
