from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dmf_crawler.persist.migrations import MIGRATIONS, split_statements
from dmf_crawler.persist.store import Store
from tests.persist.builders import values


def test_a_new_file_is_brought_to_the_newest_version(tmp_path: Path):
    with Store(tmp_path / "dmf.sqlite3") as store:
        assert values(store, "PRAGMA user_version") == [len(MIGRATIONS)]


def test_an_up_to_date_file_is_opened_while_another_process_writes(tmp_path: Path):
    """Nothing is migrated twice: opening asks for no lock."""
    with Store(tmp_path / "dmf.sqlite3") as store, store.atomic():
        store.execute("INSERT INTO host_wait VALUES ('a', 'b')")
        with Store(tmp_path / "dmf.sqlite3") as second:
            assert values(second, "SELECT count(*) FROM host_wait") == [0]


def test_the_owners_tables_have_the_owners_columns(tmp_path: Path):
    wanted = {
        "crawl_run": "run_id board_id started_at finished_at status reject_reason n_rows"
        " duration_ms selector_version raw_dir",
        "dmf_record": "sk board_id natural_key reg_no ingredient_name company registered_on status"
        " detail_url payload_json body_simhash valid_from valid_to is_current first_seen_run"
        " last_seen_run",
        "dmf_event": "event_id run_id occurred_at board_id natural_key event_type changes_json"
        " record_json",
        "change_observation": "board_id observed_on changed n_new n_modified n_withdrawn",
        "drift_baseline": "board_id field observed_on features_json",
    }
    with Store(tmp_path / "dmf.sqlite3") as store:
        for table, columns in wanted.items():
            found = values(store, f"SELECT name FROM pragma_table_info('{table}')")
            assert set(columns.split()) <= set(found)


@pytest.mark.parametrize(
    ("script", "statements"),
    [
        ("", []),
        ("\n  \n", []),
        ("SELECT 1;\nSELECT 2;\n", ["SELECT 1;\n", "SELECT 2;\n"]),
        ("SELECT 1; -- one; two\n", ["SELECT 1; -- one; two\n"]),
        ("SELECT\n  ';'\n;\n", ["SELECT\n  ';'\n;\n"]),
        ("SELECT 1;\nSELECT 2", ["SELECT 1;\n", "SELECT 2"]),
    ],
)
def test_a_script_is_split_at_its_complete_statements(script, statements):
    assert split_statements(script) == statements


def test_a_trigger_with_semicolons_of_its_own_is_one_statement():
    trigger = (
        "CREATE TRIGGER t BEFORE DELETE ON a\n"
        "    BEGIN SELECT 1; SELECT RAISE (ABORT, 'no; never'); END;\n"
    )

    assert split_statements("CREATE TABLE a (b);\n" + trigger) == ["CREATE TABLE a (b);\n", trigger]


def test_the_statement_that_a_script_forgot_to_end_is_not_forgotten():
    (statement,) = split_statements("CREATE TRIGGER t BEFORE DELETE ON a BEGIN SELECT 1;\n")

    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(sqlite3.Error):
        connection.execute(statement)


def test_migrations_leave_the_transaction_to_the_store():
    """A step that committed by itself could leave half a schema behind."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for migrate in MIGRATIONS:
            migrate(connection)
        assert connection.in_transaction
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
