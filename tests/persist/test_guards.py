"""What no program may change in a history: every guarded table, column by column."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.persist.decisions import reject_held
from dmf_crawler.persist.migrations import split_statements
from dmf_crawler.persist.runs import get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import PROOFS
from tests.persist.builders import BOARD, Diary, a_record, moment
from tests.persist.tampering import TRIGGERS

GUARDED = {
    "alert": "true",
    "crawl_run": "status NOT IN ('RUNNING', 'HELD')",
    "delivery": "true",
    "dmf_event": "true",
    "dmf_record": "is_current = 0",
    "gate_example": "true",
    "gate_result": "true",
    "missing_spell": "ended_run IS NOT NULL",
    "page_calibration": "true",
    "page_review": "done_at IS NOT NULL",
    "page_visit": "true",
    "split_number": "true",
    "terms_confirmation": "true",
    "terms_stop": "decided_at IS NOT NULL",
}
"""Table → the rows of it that nobody may change any more."""

MAY_GO_ON = {
    "crawl_run": "status = 'HELD'",
    "dmf_record": "is_current = 1",
    "missing_spell": "ended_run IS NULL",
    "page_review": "done_at IS NULL",
    "terms_stop": "decided_at IS NULL",
}
"""Table → the rows whose beginning stays, while their end is still to come."""

ENDS = {
    "crawl_run": "finished_at status reject_reason error_code exit_code n_rows n_pages n_requests"
    " n_new n_modified n_withdrawn n_reappeared n_cosmetic n_missing n_unlisted duration_ms"
    " selector_version is_baseline warnings_json full_check_from full_check_left identity"
    " n_taken_over reuse_rate decision decided_at decision_note",
    "dmf_record": "reg_no ingredient_name company registered_on status detail_url payload_json"
    " body_simhash is_joined valid_to is_current last_seen_run",
    "missing_spell": "last_missed_on n_reads ended_run ended_as",
    "page_review": "done_at note",
    "terms_stop": "decided_at note",
}
"""Table → the columns that say how such a row goes on and ends."""

RUN = "20261130T060000-dmf_registry"
SECOND_RUN = "20261201T060000-dmf_registry"


MORE_ROWS = f"""
INSERT INTO delivery VALUES ('{RUN}', 'row', 0, 'css tr', 4);
INSERT INTO gate_example VALUES ('{RUN}', 'G-1', 0, 'A', '', 'null', 'null', 'a', 'b', 1);
INSERT INTO page_visit (run_id, board_id, day, movement, n_characters, simhash, source_sha256)
VALUES
    ('{RUN}', '{BOARD}', '2026-11-30', 'first', 9, -1, 'a'),
    ('{SECOND_RUN}', '{BOARD}', '2026-12-01', 'content', 9, 1, 'b');
INSERT INTO page_calibration (board_id, measured_at, n_reads, schema_version)
VALUES ('terms', 'then', 5, 1);
INSERT INTO page_review VALUES
    (1, 'terms', '{RUN}', 1, 'then', '봄'), (2, 'terms', '{SECOND_RUN}', 1, NULL, '');
INSERT INTO terms_confirmation VALUES (1, 'http://a', 'then', '읽음');
INSERT INTO terms_stop VALUES
    (1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'then', '봄'),
    (2, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', NULL, '');
INSERT INTO alert VALUES (1, 'key', 'day', 'code', 'title', 'text', 'then');
"""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with rows in every guarded table, ended ones and such that go on."""
    path = tmp_path_factory.mktemp("lived") / "dmf.sqlite3"
    with Store(path) as store:
        diary = Diary(store)
        gates = [Gate("G-1", Outcome.WARN, None, None, "말")]
        diary.read(*(a_record(key) for key in "ABCD"), at=moment(0), gates=gates)
        split = [a_record("S|가|1"), a_record("S|나|2")]
        stay = [a_record("A", company="하나"), a_record("B", status="취하")]
        diary.read(*stay, a_record("D"), *split, at=moment(1), split_numbers=["S"], gates=gates)
        diary.read(*stay, a_record("C"), *split, at=moment(2), split_numbers=["S"])
        rejected = diary.read(*stay, at=moment(3), status=RunStatus.HELD, gates=gates).run
        decision = Decision(Decided.REJECTED, moment(3, hour=9), "아님")
        reject_held(store, get_run(store, rejected.run_id), decision)
        diary.read(*stay, at=moment(4), status=RunStatus.HELD, gates=gates)
        with store.atomic():
            for statement in split_statements(MORE_ROWS):
                store.execute(statement)
    return path


@pytest.fixture(params=["ON", "OFF"])
def connection(lived: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """The file as another program opens it: no foreign keys, no checks."""
    with closing(sqlite3.connect(lived, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"PRAGMA recursive_triggers = {request.param}")
        yield connection


def columns_of(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    return {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}


def other(columns: dict[str, str], column: str) -> str:
    """Return another value of a column's type, as SQL."""
    is_text = columns[column] == "TEXT"
    return f"coalesce({column}, '') || 'x'" if is_text else f"coalesce({column}, 0) + 1000"


def rewritings(columns: dict[str, str], table: str, rows: str) -> Iterator[str]:
    """Yield what would change, remove or replace the rows that a condition names."""
    yield f"DELETE FROM {table} WHERE {rows}"
    names = ", ".join(columns)
    for column in columns:
        changed = other(columns, column)
        yield f"UPDATE {table} SET {column} = {changed} WHERE {rows}"
        yield f"UPDATE OR REPLACE {table} SET {column} = {changed} WHERE {rows}"
        picked = ", ".join(changed if each == column else each for each in columns)
        yield f"INSERT OR REPLACE INTO {table} ({names}) SELECT {picked} FROM {table} WHERE {rows}"


def rows_of(
    connection: sqlite3.Connection, table: str, rows: str, columns: Sequence[str] = ("*",)
) -> list[tuple[object, ...]]:
    listing = f"SELECT {', '.join(columns)} FROM {table} WHERE {rows} ORDER BY rowid"
    return connection.execute(listing).fetchall()


def try_out(connection: sqlite3.Connection, statement: str) -> None:
    """Execute a statement; what refuses it must be one of our guards or a table's own rule."""
    with suppress(sqlite3.IntegrityError):
        connection.execute(statement)


@pytest.mark.parametrize("table", GUARDED)
def test_no_program_changes_removes_or_replaces_what_is_past(connection, table):
    past, columns = GUARDED[table], columns_of(connection, table)
    before = rows_of(connection, table, past)
    assert before, "nothing there that a guard could keep"
    n_tried = 0
    for statement in rewritings(columns, table, past):
        connection.execute("BEGIN")
        try_out(connection, statement)
        after = rows_of(connection, table, past)
        connection.execute("ROLLBACK")
        assert [row for row in before if row not in after] == [], statement
        n_tried += 1
    assert n_tried == 3 * len(columns) + 1
    print(f"{table}: {n_tried} attempts refused")


@pytest.mark.parametrize("table", MAY_GO_ON)
def test_what_goes_on_keeps_its_beginning(connection, table):
    rows, columns = MAY_GO_ON[table], columns_of(connection, table)
    beginning = [name for name in columns if name not in ENDS[table].split()]
    before = rows_of(connection, table, rows, beginning)
    assert before
    for column in beginning:
        statement = f"UPDATE {table} SET {column} = {other(columns, column)} WHERE {rows}"
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"DELETE FROM {table} WHERE {rows}")
    assert rows_of(connection, table, rows, beginning) == before


@pytest.mark.parametrize("table", MAY_GO_ON)
def test_what_goes_on_may_end(connection, table):
    columns = columns_of(connection, table)
    for column in ENDS[table].split():
        connection.execute("BEGIN")
        change = f"UPDATE {table} SET {column} = {other(columns, column)} WHERE {MAY_GO_ON[table]}"
        connection.execute(change)
        connection.execute("ROLLBACK")


def test_no_past_row_replaces_another_by_its_number(connection):
    """`UPDATE OR REPLACE` and `INSERT OR REPLACE` take the place of the row that is in the way."""
    before = {table: rows_of(connection, table, past) for table, past in GUARDED.items()}
    for statement in (
        "UPDATE OR REPLACE dmf_record SET sk = 1 WHERE is_current = 1",
        f"UPDATE OR REPLACE crawl_run SET run_id = '{RUN}' WHERE status = 'HELD'",
        "UPDATE OR REPLACE missing_spell SET spell_id = 1 WHERE ended_run IS NULL",
        "UPDATE OR REPLACE page_review SET review_id = 1 WHERE review_id = 2",
        "UPDATE OR REPLACE terms_stop SET stop_id = 1 WHERE stop_id = 2",
    ):
        connection.execute("BEGIN")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
        connection.execute("ROLLBACK")
    assert {table: rows_of(connection, table, past) for table, past in GUARDED.items()} == before


def test_every_table_is_guarded_or_is_said_to_hold_what_changes(connection):
    """A new table is not forgotten: it is a log, or it stands here."""
    changing = {
        "attempt",
        "change_observation",
        "change_rate",
        "checkpoint",
        "drift_baseline",
        "host_wait",
        "known_page",
        "robots_seen",
        "source_difference",
    }
    listing = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    assert {row[0] for row in connection.execute(listing)} == changing | GUARDED.keys()


def test_every_guard_that_is_gone_or_guards_nothing_is_named(tmp_path):
    path = tmp_path / "dmf.sqlite3"
    prove = dict(PROOFS)["schema"]
    with Store(path) as store:
        guards = [tuple(row) for row in store.rows(TRIGGERS)]
        assert len(guards) > 3 * len(GUARDED)
        for name, _ in guards:
            store.execute(f"DROP TRIGGER {name}")
        assert set(prove(store)) == {f"{name}: 정의가 없습니다" for name, _ in guards}
        for _, sql in guards:
            store.execute(f"{sql.rpartition('BEGIN')[0]}BEGIN SELECT 1; END")
        assert set(prove(store)) == {f"{name}: 정의가 다릅니다" for name, _ in guards}
        for name, sql in guards:
            store.execute(f"DROP TRIGGER {name}")
            store.execute(sql)
        assert list(prove(store)) == []
