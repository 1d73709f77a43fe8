"""What runs, days, gates, missing spells and pages say of each other.

Each yields its offenders, the first of which `verify` names.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator

from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.store import Store

# --- the runs ----------------------------------------------------------------------------------


def prove_runs(store: Store) -> Iterator[str]:
    """Yield runs that cannot have begun, ended or been decided on so."""
    baselines = {
        row["run_id"]
        for row in store.rows(
            "SELECT run_id, min(started_at) FROM crawl_run WHERE status = 'OK' GROUP BY board_id"
        )
    }
    for row in store.rows(
        "SELECT c.*, o.raw_dir AS dir_read,"
        " date(substr(c.started_at, 1, 19), '-6 hours') AS day_is,"
        " (julianday(c.finished_at) - julianday(c.started_at)) * 86400 AS lasted_s"
        " FROM crawl_run c LEFT JOIN crawl_run o ON o.run_id = c.reparse_of ORDER BY c.started_at"
    ):
        fault = _find_beginning_fault(row) or _find_end_fault(row) or _find_decision_fault(row)
        if row["status"] == RunStatus.OK and row["is_baseline"] != (row["run_id"] in baselines):
            fault = fault or "첫 채택 실행이라는 표시가 다릅니다"
        if fault:
            yield f"실행 {row['run_id']}: {fault}"


def _find_beginning_fault(row: sqlite3.Row) -> str:
    if not re.fullmatch(rf"\d{{8}}T\d{{6}}-{re.escape(row['board_id'])}(-\d+)?", row["run_id"]):
        return "실행 번호가 그 게시판의 것이 아닙니다"
    if row["day"] != row["day_is"]:
        return "기준일이 시작 시각과 다릅니다"
    own_dir = f"raw/{row['day']}/{row['board_id']}/{row['run_id']}"
    if row["raw_dir"] != (row["dir_read"] if row["reparse_of"] else own_dir):
        return "페이지 폴더가 그 실행의 것이 아닙니다"
    return ""


def _find_end_fault(row: sqlite3.Row) -> str:
    """Return what does not go together at a run's end; SQLite's checks see to the status."""
    if row["status"] == RunStatus.RUNNING:
        return "" if row["exit_code"] is None else "끝나지 않은 실행에 종료 코드가 있습니다"
    lasted_ms = None if row["lasted_s"] is None else round(row["lasted_s"]) * 1000
    if lasted_ms is None or lasted_ms < 0 or row["duration_ms"] not in {None, lasted_ms}:
        return "끝난 시각이 시작이나 걸린 시간과 맞지 않습니다"
    is_good = row["status"] == RunStatus.OK
    if is_good != (row["exit_code"] == 0) or row["exit_code"] is None:
        return "종료 코드가 상태와 맞지 않습니다"
    if is_good != (row["error_code"] is None) or is_good != (row["reject_reason"] is None):
        return "사유가 상태와 맞지 않습니다"
    has_texts = _is_list_of_texts(row["warnings_json"])
    if not has_texts or not 0 <= (row["reuse_rate"] or 0) <= 1:
        return "경고나 기본 셀렉터의 몫을 읽지 못했습니다"
    return ""


def _find_decision_fault(row: sqlite3.Row) -> str:
    decision, status = row["decision"], row["status"]
    ends_as = {"": status, "approved": "OK", "rejected": "REJECTED", "superseded": "REJECTED"}
    if ends_as.get(decision) != status:
        return "결정이 상태와 맞지 않습니다"
    is_ended_so = row["error_code"] in {"rejected", "superseded"}
    if is_ended_so != (decision in {"rejected", "superseded"} and row["error_code"] == decision):
        return "결정이 사유와 맞지 않습니다"
    # An older program did not note when a run was superseded.
    if (row["decided_at"] is None) != (not decision) and decision != "superseded":
        return "결정한 시각이 결정과 맞지 않습니다"
    return "" if decision or not row["decision_note"] else "결정 없이 의견만 있습니다"


def _is_list_of_texts(text: str) -> bool:
    try:
        told = json.loads(text)
    except ValueError:
        return False
    return isinstance(told, list) and all(isinstance(each, str) for each in told)


def prove_run_counts(store: Store) -> Iterator[str]:
    """Yield runs whose numbers are not those of their events, versions and missing rows."""
    for row in store.rows(
        "SELECT c.run_id FROM crawl_run c LEFT JOIN dmf_event e"
        " ON e.run_id = c.run_id AND (e.reason IS NOT 'rekeyed' OR e.changes_json <> '[]')"
        " WHERE c.status = 'OK'"
        " GROUP BY c.run_id HAVING total(e.event_type = 'NEW') <> c.n_new"
        " OR total(e.event_type = 'MODIFIED') <> c.n_modified + c.n_cosmetic"
        " OR total(e.event_type = 'WITHDRAWN') <> c.n_withdrawn"
        " OR total(e.event_type = 'REAPPEARED') <> c.n_reappeared"
    ):
        yield f"실행 {row['run_id']}: 집계가 사건 수와 다릅니다"
    for row in store.rows(
        "SELECT run_id, n_rows + n_missing + n_unlisted AS n_listed, sum(coalesce(n_opened, 0)"
        "  - coalesce(n_closed, 0)) OVER (PARTITION BY board_id ORDER BY started_at) AS n_versions"
        " FROM crawl_run c LEFT JOIN (SELECT board_id AS b, valid_from AS t, count(*) AS n_opened"
        "  FROM dmf_record GROUP BY b, t) ON b = board_id AND t = started_at"
        " LEFT JOIN (SELECT board_id AS b2, valid_to AS t2, count(*) AS n_closed"
        "  FROM dmf_record GROUP BY b2, t2) ON b2 = board_id AND t2 = started_at"
        " WHERE status = 'OK' ORDER BY started_at"
    ):
        if row["n_listed"] != row["n_versions"]:
            yield f"실행 {row['run_id']}: 목록의 건수가 이 실행까지의 판과 다릅니다"


def prove_missing(store: Store) -> Iterator[str]:
    """Yield spells of missing keys that do not follow from the accepted runs.

    A spell counts one read a day, from its first run until the run that ended it; a correction
    read the pages of the run that it corrects.
    """
    for row in store.rows(
        "SELECT s.*, count(DISTINCT a.day) AS n_days, min(a.day) AS first_day,"
        " max(a.day) AS last_day, EXISTS (SELECT 1 FROM dmf_record r WHERE r.board_id = s.board_id"
        "  AND r.natural_key = s.natural_key AND r.is_current = 1) AS is_listed,"
        " EXISTS (SELECT 1 FROM dmf_record r WHERE r.board_id = s.board_id"
        "  AND r.natural_key = s.natural_key) AS is_known,"
        " (SELECT e.missing_since FROM dmf_event e WHERE e.run_id = s.ended_run"
        "  AND e.natural_key = s.natural_key AND e.reason IN ('missing', 'delisted')) AS closing,"
        " (SELECT c.n_unlisted FROM crawl_run c WHERE c.run_id = s.ended_run) AS n_unlisted"
        " FROM missing_interval s LEFT JOIN accepted_read a ON a.board_id = s.board_id"
        " AND a.started_at >= s.since AND (s.until IS NULL OR a.started_at < s.until)"
        " GROUP BY s.spell_id ORDER BY s.spell_id"
    ):
        fault = _find_spell_fault(row)
        if fault:
            yield f"{row['natural_key']}: {fault}"
    for row in store.rows(
        "SELECT c.run_id FROM crawl_run c LEFT JOIN missing_interval s ON s.board_id = c.board_id"
        " AND s.since <= c.started_at AND (s.until IS NULL OR s.until > c.started_at)"
        " WHERE c.status = 'OK' GROUP BY c.run_id HAVING count(s.spell_id) <> c.n_missing"
    ):
        yield f"실행 {row['run_id']}: 확인 중인 건수가 기록과 다릅니다"


def _find_spell_fault(row: sqlite3.Row) -> str:
    counted = (row["n_days"], row["first_day"], row["last_day"])
    if counted != (row["n_reads"], row["since_day"], row["last_missed_on"]):
        return "목록에 없던 기간이 채택된 실행과 다릅니다"
    if row["ended_run"] is None and not row["is_listed"]:
        return "닫힌 기록을 아직 찾고 있습니다"
    if (row["closing"] is not None) != (row["ended_as"] == "withdrawn"):
        return "목록에 없던 기간의 끝이 사건과 다릅니다"
    if row["ended_run"] and not row["ended_as"] and not row["n_unlisted"]:
        return "목록에 없던 기간이 까닭 없이 끝났습니다"
    if row["closing"] not in {None, row["since_day"]} or not row["is_known"]:
        return "목록에 없던 첫날이나 기록이 이력과 다릅니다"
    return ""


def prove_gates(store: Store) -> Iterator[str]:
    """Yield runs whose gates, or their examples, are not whole or do not lead to their status."""
    for row in store.rows(
        "SELECT c.run_id, c.status, c.decision, max(g.position) + 1 AS n_last,"
        " count(DISTINCT g.position) AS n,"
        " total(g.outcome = 'hold') AS n_hold, total(g.outcome = 'reject') AS n_reject"
        " FROM gate_result g JOIN crawl_run c ON c.run_id = g.run_id GROUP BY c.run_id"
    ):
        if row["n_last"] != row["n"]:
            yield f"실행 {row['run_id']}: 게이트 결과가 빠졌습니다"
        stops = row["n_reject"] or (row["n_hold"] and row["decision"] != "approved")
        if (row["status"] == RunStatus.OK and stops) or (
            row["status"] == RunStatus.HELD and not row["n_hold"]
        ):
            yield f"실행 {row['run_id']}: 게이트 결과가 상태와 맞지 않습니다"
    for row in store.rows(
        "SELECT e.run_id, e.code FROM gate_example e LEFT JOIN gate_result g"
        " ON g.run_id = e.run_id AND g.code = e.code"
        " GROUP BY e.run_id, e.code HAVING g.code IS NULL OR g.outcome = 'pass'"
        " OR max(e.position) <> count(*) - 1 OR NOT min(json_valid(e.before_json))"
        " OR NOT min(json_valid(e.after_json))"
    ):
        yield f"실행 {row['run_id']}: {row['code']} 의 예시가 그 게이트와 맞지 않습니다"


# --- the days ----------------------------------------------------------------------------------


def prove_days(store: Store) -> Iterator[str]:
    """Yield days of which something is kept that is not of their accepted runs."""
    yield from _prove_observations(store)
    accepted = {
        (row["board_id"], row["day"]): row["was_held"]
        for row in store.rows(
            "SELECT a.board_id, a.day, max(c.decision = 'approved') AS was_held"
            " FROM accepted_read a JOIN crawl_run c USING (run_id) GROUP BY a.board_id, a.day"
        )
    }
    measured = {
        (row["board_id"], row["observed_on"]): (row["was_held"], row["differs"], row["is_readable"])
        for row in store.rows(
            "SELECT board_id, observed_on, max(was_held) AS was_held,"
            " min(was_held) <> max(was_held) AS differs, min(json_valid(features_json)) AS"
            " is_readable FROM drift_baseline GROUP BY board_id, observed_on"
        )
    }
    boards = {board_id for board_id, _ in measured}
    for board_id, day in sorted({key for key in accepted if key[0] in boards} ^ measured.keys()):
        yield f"{board_id} {day}: 열의 모습이 채택된 날과 맞지 않습니다"
    for key, found in measured.items():
        if found != (accepted.get(key), 0, 1):
            yield f"{key[0]} {key[1]}: 열의 모습이 그날의 실행과 맞지 않습니다"
    for row in store.rows("SELECT * FROM change_rate ORDER BY board_id, observed_on"):
        if (row["board_id"], row["observed_on"]) not in accepted or not _is_rate(row):
            yield f"{row['board_id']} {row['observed_on']}: 변경 빈도가 맞지 않습니다"
    for row in store.rows(
        "SELECT d.natural_key FROM source_difference d LEFT JOIN accepted_read a USING (run_id)"
        " WHERE a.board_id IS NOT d.board_id"
    ):
        yield f"{row['natural_key']}: 원천의 차이가 채택된 실행의 것이 아닙니다"
    for row in store.rows(
        "SELECT r.board_id FROM robots_seen r LEFT JOIN accepted_read a ON a.run_id = r.run_id"
        " WHERE a.board_id IS NOT r.board_id OR a.day IS NOT r.day"
    ):
        yield f"{row['board_id']}: robots.txt 가 채택된 실행의 것이 아닙니다"


def _prove_observations(store: Store) -> Iterator[str]:
    kept = {tuple(row) for row in store.rows("SELECT * FROM change_observation")}
    counted = {
        tuple(row)
        for row in store.rows(
            "SELECT a.board_id, a.day, max(n_new + n_modified + n_withdrawn + n_reappeared > 0),"
            " sum(n_new), sum(n_modified + n_reappeared), sum(n_withdrawn)"
            " FROM accepted_read a JOIN crawl_run c USING (run_id) WHERE NOT c.is_baseline"
            " GROUP BY a.board_id, a.day"
        )
    }
    for board_id, day, *_ in sorted(kept ^ counted, key=str):
        yield f"{board_id} {day}: 그날의 변경 수가 채택된 실행과 다릅니다"


def _is_rate(row: sqlite3.Row) -> bool:
    for name in ("recent", "whole"):
        rate, low, high = (row[f"{name}_{part}"] for part in ("rate", "low", "high"))
        if (rate is None) != (low is None) or (rate is None and high is not None):
            return False
        if rate is not None and not 0 <= low <= rate <= (rate if high is None else high):
            return False
    return bool(row["n_observations"] > 0)


# --- keys --------------------------------------------------------------------------------------


def prove_split_numbers(store: Store) -> Iterator[str]:
    """Yield split numbers that no record bears, and records whose number is not split."""
    for row in store.rows(
        "SELECT s.number FROM split_number s LEFT JOIN accepted_read a ON a.run_id = s.since_run"
        " WHERE a.board_id IS NOT s.board_id OR NOT EXISTS (SELECT 1 FROM dmf_record r"
        "  WHERE r.board_id = s.board_id AND substr(r.natural_key, 1, length(s.number) + 1)"
        "  = s.number || '|')"
    ):
        yield f"{row['number']}: 여러 기록이 쓴다는 번호를 쓰는 기록이 없습니다"
    for row in store.rows(
        "SELECT DISTINCT r.natural_key FROM dmf_record r JOIN dmf_event e"
        " ON e.board_id = r.board_id AND e.natural_key = r.natural_key"
        " WHERE e.event_type = 'NEW' AND e.reason = 'rekeyed' AND NOT EXISTS"
        " (SELECT 1 FROM split_number s WHERE s.board_id = r.board_id"
        "  AND substr(r.natural_key, 1, length(s.number) + 1) = s.number || '|')"
    ):
        yield f"{row['natural_key']}: 번호가 나뉘었다는 기록이 없습니다"


# --- the pages ---------------------------------------------------------------------------------


def prove_known_pages(store: Store) -> Iterator[str]:
    """Yield detail pages and files that no accepted run of their board saw, for a known record."""
    for row in store.rows(
        "SELECT p.url, p.run_id, p.raw_dir, c.status, c.board_id = p.board_id AS is_of_board,"
        " EXISTS (SELECT 1 FROM crawl_run o WHERE o.raw_dir = p.raw_dir"
        "  AND o.board_id = p.board_id AND o.status = 'OK') AS has_folder,"
        " EXISTS (SELECT 1 FROM dmf_record r WHERE r.board_id = p.board_id"
        "  AND r.natural_key = p.natural_key) AS has_record"
        " FROM known_page p LEFT JOIN crawl_run c ON c.run_id = p.run_id ORDER BY p.board_id, p.url"
    ):
        if row["status"] != "OK" or not row["is_of_board"]:
            yield f"{row['url']}: 채택된 실행이 아닌 {row['run_id']} 의 페이지입니다"
        if not row["has_folder"]:
            yield f"{row['url']}: {row['raw_dir']} 은 채택된 실행의 폴더가 아닙니다"
        if not row["has_record"]:
            yield f"{row['url']}: 이력에 없는 기록의 페이지입니다"


def prove_page_visits(store: Store) -> Iterator[str]:
    """Yield runs of watched pages whose visit, event and review do not tell the same.

    A correction records what repaired selectors read otherwise: nobody has to look at that, and the
    page itself may have stayed as it was.
    """
    for row in store.rows(
        "SELECT DISTINCT e.run_id FROM dmf_event e LEFT JOIN page_visit v ON v.run_id = e.run_id"
        " WHERE e.board_id IN (SELECT board_id FROM page_visit) AND v.run_id IS NULL"
    ):
        yield f"실행 {row['run_id']}: 사건은 있으나 방문이 없습니다"
    for row in store.rows(
        "SELECT v.run_id, a.board_id IS v.board_id AND a.day IS v.day AS is_of_run, v.movement,"
        " e.event_type AS event, r.board_id AS reviewed, EXISTS (SELECT 1 FROM dmf_record d"
        "  WHERE d.first_seen_run = v.run_id AND d.body_simhash IS NOT v.simhash) AS differs,"
        " c.reparse_of IS NOT NULL AS is_correction"
        " FROM page_visit v LEFT JOIN crawl_run c ON c.run_id = v.run_id"
        " LEFT JOIN accepted_read a ON a.run_id = v.run_id"
        " LEFT JOIN dmf_event e ON e.run_id = v.run_id"
        " LEFT JOIN page_review r ON r.run_id = v.run_id"
    ):
        if not row["is_of_run"]:
            yield f"실행 {row['run_id']}: 채택된 실행의 방문이 아닙니다"
        if row["differs"]:
            yield f"실행 {row['run_id']}: 글의 지문이 판의 것과 다릅니다"
        has_moved = row["movement"] in {"first", "content", "field"}
        if (row["event"] is not None) != has_moved and not row["is_correction"]:
            yield f"실행 {row['run_id']}: 움직임({row['movement']})이 사건과 맞지 않습니다"
        is_reviewed = row["movement"] in {"content", "field"} and not row["is_correction"]
        if (row["reviewed"] is not None) != is_reviewed:
            yield f"실행 {row['run_id']}: 움직임({row['movement']})이 검토와 맞지 않습니다"
