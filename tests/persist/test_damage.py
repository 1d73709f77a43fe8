"""Every value of a history damaged once in every row: which check names it, which none can see."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.persist.attempts import begin_attempt
from dmf_crawler.persist.decisions import reject_held
from dmf_crawler.persist.host_waits import set_host_wait
from dmf_crawler.persist.migrations import split_statements
from dmf_crawler.persist.robots_seen import record_robots
from dmf_crawler.persist.runs import get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import PROOFS, verify_history
from tests.persist.builders import BOARD, Diary, a_record, moment
from tests.persist.tampering import TRIGGERS, tamper
from tests.persist.test_verification import live

ANY = "true"
MOST_ROWS = 10
# The cheapest first: that of the whole file last, and not that of the schema, which sees no row.
SEEING = [(name, prove) for name, prove in PROOFS[::-1] if name != "schema"]
STANDS_ALONE = "no other place says the same"
SEEN_IN_RAW = "`raw_sources` compares it with the kept pages"
AT_WORK = "how far something came just now, not what happened"
LAST = "the running number of the last row says nothing that its order does not"

NO_CHANGE = "status <> 'OK'"
CRAWL = """
n_requests selector_version full_check_from full_check_left identity n_taken_over reuse_rate
duration_ms
"""
COUNTS = """
n_rows n_new n_modified n_withdrawn n_reappeared n_cosmetic n_missing n_unlisted is_baseline
"""
VALIDATORS = """
DELETE method url body kind etag last_modified n_new_validators asked_by fetched_at full_checked_on
row_digest content_digest is_whole
"""
SOURCES = "DELETE primary_source source natural_key field here_json there_json"
RATES = """
DELETE observed_on n_observations recent_rate recent_low recent_high whole_rate whole_low whole_high
"""
SILENT = "movement IN ('none', 'noise')"
UNSEEN_RUN = """
status <> 'OK' OR run_id NOT IN (SELECT first_seen_run FROM dmf_record
    UNION SELECT last_seen_run FROM dmf_record UNION SELECT run_id FROM dmf_event)
"""

EXCUSES: tuple[tuple[str, str, str, str], ...] = (
    ("crawl_run", "DELETE", UNSEEN_RUN, "it changed nothing, and a later run saw the same"),
    ("crawl_run", COUNTS, NO_CHANGE, "the run changed nothing; its numbers stand alone"),
    ("crawl_run", "n_pages", ANY, SEEN_IN_RAW),
    ("crawl_run", CRAWL, ANY, STANDS_ALONE),
    ("crawl_run", "reject_reason error_code", NO_CHANGE, STANDS_ALONE),
    ("crawl_run", "exit_code", "status NOT IN ('OK', 'RUNNING')", STANDS_ALONE),
    ("crawl_run", "started_at finished_at", "duration_ms IS NULL", STANDS_ALONE),
    ("crawl_run", "warnings_json", "status = 'RUNNING'", AT_WORK),
    ("crawl_run", "decided_at decision_note", "decision <> ''", STANDS_ALONE),
    ("dmf_record", "sk", ANY, LAST),
    ("dmf_record", "source_url source_row detail_url is_joined", ANY, STANDS_ALONE),
    ("dmf_record", "body_simhash", "board_id <> 'terms'", "NULL for lists; nobody reads it"),
    ("dmf_event", "event_id", ANY, LAST),
    ("drift_baseline", "DELETE field features_json", ANY, "a yardstick of later days, no fact"),
    ("change_rate", RATES, ANY, "computed again every day"),
    ("gate_result", "DELETE code", ANY, STANDS_ALONE),
    ("gate_result", "outcome observed limit_value message", ANY, STANDS_ALONE),
    ("gate_result", "fault_code limit_from", ANY, STANDS_ALONE),
    ("gate_example", "DELETE natural_key field", ANY, STANDS_ALONE),
    ("gate_example", "source_sha256 source_url source_row", ANY, STANDS_ALONE),
    ("delivery", "DELETE field position selector n_rows", ANY, STANDS_ALONE),
    ("missing_spell", "spell_id", ANY, LAST),
    ("known_page", "sha256", ANY, SEEN_IN_RAW),
    ("known_page", VALIDATORS, ANY, "asked for again, should it be wrong"),
    ("robots_seen", "DELETE status sha256 body", ANY, "asked for again by every run"),
    ("source_difference", SOURCES, ANY, "compared again by every run"),
    ("page_visit", "DELETE simhash", SILENT, STANDS_ALONE),
    ("page_visit", "movement distance threshold n_characters why", ANY, STANDS_ALONE),
    ("page_visit", "source_sha256", ANY, SEEN_IN_RAW),
    ("page_review", "review_id board_id is_terms done_at note", ANY, STANDS_ALONE),
    ("page_calibration", "*", ANY, STANDS_ALONE),
    ("terms_confirmation", "*", ANY, STANDS_ALONE),
    ("terms_stop", "*", ANY, STANDS_ALONE),
    ("alert", "*", ANY, STANDS_ALONE),
    ("host_wait", "*", ANY, AT_WORK),
    ("attempt", "*", ANY, AT_WORK),
    ("checkpoint", "*", ANY, AT_WORK),
)
"""Table, columns, rows and why `verify` cannot see that they were changed."""

MORE_ROWS = f"""
INSERT INTO change_rate VALUES ('{BOARD}', '2026-12-05', 20, 0.5, 0.2, 0.9, 0.5, 0.3, NULL);
INSERT INTO source_difference VALUES
    ('{BOARD}', 'html', 'export', 'M', 'company', '"a"', '"b"', '20261205T060000-{BOARD}');
INSERT INTO checkpoint VALUES
    ('{BOARD}', '20261207T060000-{BOARD}', 'list', 1, 2, 3, 4, 2.0, '', 'a', 'b', NULL);
INSERT INTO page_calibration (board_id, measured_at, n_reads, schema_version)
VALUES ('terms', 'then', 5, 1);
INSERT INTO terms_confirmation VALUES (1, 'http://a', 'then', '읽음');
INSERT INTO terms_stop VALUES (1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', NULL, '');
INSERT INTO alert VALUES (1, 'key', 'day', 'code', 'title', 'text', 'then');
INSERT INTO delivery VALUES ('20261206T090000-{BOARD}', 'row', 0, 'css tr', 4);
INSERT INTO gate_example VALUES
    ('20261206T090000-{BOARD}', 'G-5', 0, 'M', '', 'null', '"a"', 'b', 'c', 1);
"""

VISIT = """
INSERT INTO page_visit (run_id, board_id, day, movement, n_characters, simhash, source_sha256)
VALUES ('{run.run_id}', 'terms', '{run.day}', '{movement}', 9, {simhash}, 'b');
UPDATE dmf_record SET body_simhash = {simhash} WHERE first_seen_run = '{run.run_id}';
"""


def live_more(path: Path) -> None:
    """Live the week of `test_verification`, with rows in all the other tables too."""
    gates = [
        Gate("G-1", Outcome.PASS, 1.0, 2.0, "말"),
        Gate("G-5", Outcome.HOLD, 1.0, 2.0, "말", fault_code="many_withdrawals"),
    ]
    with Store(path) as store:
        diary = Diary(store)
        live(diary)
        stay = [a_record("M", company="국전약품(주)", document_no="v2")]
        held = diary.read(*stay, at=moment(6, hour=9), status=RunStatus.HELD, gates=gates).run
        run = diary.read(*stay, at=moment(6, hour=12), status=RunStatus.HELD, gates=gates).run
        reject_held(store, get_run(store, run.run_id), Decision(Decided.REJECTED, moment(6), "왜"))
        del held
        pages = Diary(store, board_id="terms")
        text = [("first", "하나"), ("none", "하나"), ("content", "둘"), ("noise", "둘")]
        for day, (movement, company) in enumerate(text):
            run = pages.read(a_record("terms", company=company), at=moment(day)).run
            with store.atomic():
                for statement in split_statements(
                    VISIT.format(run=run, movement=movement, simhash=day)
                ):
                    store.execute(statement)
                if movement == "content":
                    store.execute(
                        "INSERT INTO page_review VALUES (1, 'terms', ?, 1, NULL, '')", (run.run_id,)
                    )
        with store.atomic():
            record_robots(store, run, 200, b"User-agent: *")
            for statement in split_statements(MORE_ROWS):
                store.execute(statement)
        set_host_wait(store, "a", moment(5))
        begin_attempt(store, moment(5).date(), moment(5))
    assert failing_checks(path) == []


def failing_checks(path: Path) -> list[str]:
    with Store(path) as store:
        return [f"{each.name}: {each.detail}" for each in verify_history(store) if not each.ok]


@dataclass(frozen=True)
class Damage:
    """One thing that is done to one row."""

    table: str
    row: int
    column: str
    statement: str


def damages_of(store: Store) -> Iterator[Damage]:
    """Yield what can be done to every row: it is removed, and each of its values is another."""
    listing = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    for (table,) in store.rows(listing):
        rows = [row[0] for row in store.rows(f"SELECT rowid FROM {table} ORDER BY rowid")]
        assert rows, f"{table} has no row that could be damaged"
        ways = [("DELETE", f"DELETE FROM {table} WHERE rowid = ?")]
        for _, name, kind, is_needed, *_ in store.rows(f"PRAGMA table_info({table})"):
            is_number = kind in {"INTEGER", "REAL"}
            other = f"coalesce({name}, 0) + 1" if is_number else f"coalesce({name} || 'x', 'x')"
            ways.append((name, f"UPDATE {table} SET {name} = {other} WHERE rowid = ?"))
            if not is_needed:
                nothing = f"UPDATE {table} SET {name} = NULL WHERE rowid = ?"
                ways.append((name, f"{nothing} AND {name} IS NOT NULL"))
        for row in {*rows[:: max(1, round(len(rows) / MOST_ROWS))], rows[-1]}:
            yield from (Damage(table, row, *way) for way in ways)


def find_excuse(store: Store, damage: Damage) -> int | None:
    """Return which excuse holds for a damage, asked before it is done."""
    for number, (table, columns, rows, _) in enumerate(EXCUSES):
        if table == damage.table and (columns == "*" or damage.column in columns.split()):
            query = f"SELECT 1 FROM {table} WHERE rowid = ? AND ({rows})"
            if store.rows(query, (damage.row,)):
                return number
    return None


def name_damage(store: Store, damage: Damage) -> str:
    """Do a damage, undo it; return the first check that names it, "" for none, "-" if undone."""
    store.execute("BEGIN")
    store.execute("PRAGMA ignore_check_constraints = ON")
    try:
        if not store.execute(damage.statement, (damage.row,)).rowcount:
            return "-"
        store.execute("PRAGMA ignore_check_constraints = OFF")
        return next((name for name, prove in SEEING if next(prove(store), None)), "")
    except sqlite3.IntegrityError:  # no file can hold this
        return "-"
    finally:
        store.execute("ROLLBACK")


def test_no_value_is_changed_unseen_but_those_that_nothing_else_tells(tmp_path):
    path = tmp_path / "dmf.sqlite3"
    live_more(path)
    named, excused = Counter[str](), Counter[int]()
    unseen: list[Damage] = []
    with Store(path) as store:
        for name, _ in store.rows(TRIGGERS):
            store.execute(f"DROP TRIGGER {name}")
        store.execute("PRAGMA foreign_keys = OFF")
        for damage in damages_of(store):
            excuse = find_excuse(store, damage)
            name = name_damage(store, damage)
            named[name] += 1
            if name == "" and excuse is None:
                unseen.append(damage)
            elif name == "" and excuse is not None:
                excused[excuse] += 1
    n_damages = sum(named.values()) - named["-"]
    print(f"{n_damages} damages, {named['']} of them unseen; first named by {dict(named)}")
    assert unseen == []
    assert n_damages > 1_000
    assert named[""] < n_damages / 3
    assert [EXCUSES[number] for number in range(len(EXCUSES)) if not excused[number]] == []


def test_a_value_that_cannot_be_read_stops_no_check(tmp_path):
    path = tmp_path / "dmf.sqlite3"
    live_more(path)
    for table, column in (
        ("dmf_record", "payload_json"),
        ("dmf_record", "shown_json"),
        ("dmf_event", "changes_json"),
        ("dmf_event", "record_json"),
        ("crawl_run", "warnings_json"),
        ("drift_baseline", "features_json"),
    ):
        tamper(path, f"UPDATE {table} SET {column} = '{{'")
    with Store(path) as store:
        checks = verify_history(store)
    assert [check.name for check in checks] == [name for name, _ in PROOFS]
    assert {check.name for check in checks if not check.ok} >= {"event_replay", "runs", "days"}
