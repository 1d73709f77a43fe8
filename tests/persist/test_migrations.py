from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.attempts import begin_attempt
from dmf_crawler.persist.host_waits import set_host_wait
from dmf_crawler.persist.migrations import MIGRATIONS, split_statements
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import Diary, a_record, content, moment, values

DIGESTS = {
    "schema.sql": "866eae805ffd33aa59b8a4e65c6dca1d2b328ba60feaaa00d27855ce5b28e307",
    "schema_2.sql": "01e71eedc46823f74f0bef9f25116e528c53b8147794ae0ff511c2393911db5e",
}


def test_a_new_file_is_brought_to_the_newest_version(tmp_path: Path):
    with Store(tmp_path / "dmf.sqlite3") as store:
        assert values(store, "PRAGMA user_version") == [len(MIGRATIONS)]


@pytest.mark.parametrize("name", DIGESTS)
def test_the_scripts_of_files_that_exist_are_never_changed(name):
    """A changed script would make another history of the same version."""
    script = files("dmf_crawler.persist").joinpath(name).read_text(encoding="utf-8")

    assert hashlib.sha256(script.encode("utf-8")).hexdigest() == DIGESTS[name]


def make_older_version(path: Path, wanted: Store, version: int = 1) -> None:
    """Make a file as an older program made it, with what another history holds of its tables."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for migrate in MIGRATIONS[:version]:
            migrate(connection)
        connection.execute(f"PRAGMA user_version = {version}")
        listing = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        for (table,) in connection.execute(listing).fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            rows = wanted.rows(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid")
            connection.executemany(
                f"INSERT INTO {table} ({', '.join(columns)})"
                f" VALUES ({', '.join('?' * len(columns))})",
                [tuple(row) for row in rows],
            )


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_an_older_version_is_brought_up_to_date_with_all_that_it_holds(tmp_path, version):
    with Store(tmp_path / "wanted.sqlite3") as wanted:
        diary = Diary(wanted)
        diary.read(*(a_record(f"{n}") for n in range(9)), at=moment(0))
        for day in (1, 2, 3, 4):
            diary.read(a_record("0", company="국전약품(주)"), at=moment(day))
        set_host_wait(wanted, "a", moment(5))
        begin_attempt(wanted, moment(5).date(), moment(5))
        make_older_version(tmp_path / "old.sqlite3", wanted, version)

        with Store(tmp_path / "old.sqlite3") as store:
            assert content(store) == content(wanted)
            assert content(store, ["host_wait", "attempt"]) == content(
                wanted, ["host_wait", "attempt"]
            )
            assert all(check.ok for check in verify_history(store))
            assert values(store, "SELECT sql FROM sqlite_master ORDER BY name") == values(
                wanted, "SELECT sql FROM sqlite_master ORDER BY name"
            )
            Diary(store).read(a_record("0"), at=moment(6))
            assert all(check.ok for check in verify_history(store))


def test_a_file_whose_migration_fails_stays_as_it_was(tmp_path):
    path = tmp_path / "dmf.sqlite3"
    with Store(tmp_path / "wanted.sqlite3") as wanted:
        Diary(wanted).read(a_record("A"), at=moment(0))
        make_older_version(path, wanted)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE known_page (url TEXT)")

    with pytest.raises(StoreError):
        Store(path)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(crawl_run)")]
        assert "identity" not in columns
        assert connection.execute("SELECT natural_key FROM dmf_record").fetchall() == [("A",)]


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
