from __future__ import annotations

import hashlib
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.attempts import begin_attempt
from dmf_crawler.persist.backups import backup_path
from dmf_crawler.persist.host_waits import set_host_wait
from dmf_crawler.persist.migrations import MIGRATIONS, split_statements
from dmf_crawler.persist.questions import events_of_key, list_as_of, versions_of_key
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from tests.persist.builders import BOARD, Diary, a_record, content, moment, values

DIGESTS = {
    "schema.sql": "866eae805ffd33aa59b8a4e65c6dca1d2b328ba60feaaa00d27855ce5b28e307",
    "schema_2.sql": "01e71eedc46823f74f0bef9f25116e528c53b8147794ae0ff511c2393911db5e",
    "schema_3.sql": "c1d73e930dc8364b0ea082a6d487a0df080269466db49a8f538367c262142f13",
    "schema_4.sql": "8fd29a81147323f9ef06010158651694c9a253e15ba3b89fdcac7bd8765be683",
    "schema_5.sql": "85b1f8a9136e5c6cee00b13bf08234b79c5b67b2682c50919928302c8f764389",
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


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A history of this version, in which something happened."""
    with Store(tmp_path_factory.mktemp("wanted") / "dmf.sqlite3") as store:
        diary = Diary(store)
        diary.read(*(a_record(f"{n}") for n in range(9)), at=moment(0))
        for day in (1, 2, 3, 4):
            diary.read(a_record("0", company="국전약품(주)"), at=moment(day))
        set_host_wait(store, "a", moment(5))
        begin_attempt(store, moment(5).date(), moment(5))
        yield store


OLDER = range(1, len(MIGRATIONS))


@pytest.mark.parametrize("version", OLDER)
def test_a_file_of_an_older_version_is_brought_up_to_date_with_all_that_it_holds(
    tmp_path, wanted, version
):
    path = tmp_path / "old.sqlite3"
    make_older_version(path, wanted, version)

    with Store(path) as store:
        assert content(store) == content(wanted)
        assert content(store, ["host_wait", "attempt"]) == content(wanted, ["host_wait", "attempt"])
        assert all(check.ok for check in verify_history(store))
        assert values(store, "SELECT sql FROM sqlite_master ORDER BY name") == values(
            wanted, "SELECT sql FROM sqlite_master ORDER BY name"
        )
        for day in range(5):
            assert list_as_of(store, BOARD, moment(day)) == list_as_of(wanted, BOARD, moment(day))
        for key in ("0", "1"):
            assert events_of_key(store, BOARD, key) == events_of_key(wanted, BOARD, key)
            assert versions_of_key(store, BOARD, key) == versions_of_key(wanted, BOARD, key)
        Diary(store).read(a_record("0"), at=moment(6))
        assert all(check.ok for check in verify_history(store))


# --- the backup before it ----------------------------------------------------------------------


def dump(path: Path) -> list[str]:
    """Return everything in a file, as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()
        return [str(version), *connection.iterdump()]


def names_in(folder: Path) -> list[str]:
    """Return what lies in a folder, but for the seal, which comes and goes with every writer."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".seal")


@pytest.mark.parametrize("version", OLDER)
def test_the_file_is_kept_as_it_was_before_its_first_change(tmp_path, wanted, version):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, version)
    before = dump(path)

    Store(path).close()

    backup = f"dmf.sqlite3.v{version}.bak"
    assert names_in(tmp_path) == ["dmf.sqlite3", backup]
    assert dump(tmp_path / backup) == before != dump(path)
    assert names_in(tmp_path) == ["dmf.sqlite3", backup]  # one file, without side files


def test_a_backup_put_in_the_place_of_the_history_is_brought_up_to_date_again(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 3)
    Store(path).close()
    path.unlink()
    backup_path(path, 3).rename(path)

    with Store(path) as store:
        assert content(store) == content(wanted)
    assert names_in(tmp_path) == ["dmf.sqlite3", "dmf.sqlite3.v3.bak"]


def test_what_is_in_the_log_alone_is_in_the_backup_too(tmp_path, wanted):
    """A process that was killed left the log behind, with pages that the file does not have."""
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 4)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("INSERT INTO host_wait VALUES ('b', 'c')")
        Store(path).close()

    assert any("'b','c'" in line for line in dump(backup_path(path, 4)))


@pytest.mark.parametrize("is_there", [True, False])
def test_a_new_file_and_one_that_is_up_to_date_need_no_backup(tmp_path, is_there):
    if is_there:
        (tmp_path / "dmf.sqlite3").touch()
    Store(tmp_path / "dmf.sqlite3").close()
    Store(tmp_path / "dmf.sqlite3").close()

    assert names_in(tmp_path) == ["dmf.sqlite3"]


def test_the_last_two_backups_are_kept(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    others = ["dmf.sqlite3.v1.bak.txt", "dmf.sqlite3.vx.bak", "other.v1.bak"]
    for name in ("dmf.sqlite3.v1.bak", "dmf.sqlite3.v2.bak", "dmf.sqlite3.v3.bak", *others):
        (tmp_path / name).touch()
    make_older_version(path, wanted, 4)

    Store(path).close()

    kept = ["dmf.sqlite3", "dmf.sqlite3.v3.bak", "dmf.sqlite3.v4.bak"]
    assert names_in(tmp_path) == sorted([*kept, *others])


def fail_to_copy(path: Path) -> None:
    """Let the copy find no place: it stands for a full disk, too."""
    backup_path(path, 2).with_name("dmf.sqlite3.v2.bak.part").mkdir()


def test_without_a_backup_nothing_is_changed(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 2)
    backup_path(path, 2).write_bytes(b"an older backup")
    backup_path(path, 1).touch()
    fail_to_copy(path)
    before = dump(path)

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert (refused.value.code, refused.value.exit_code) == ("backup_failed", 5)
    assert str(path) in refused.value.message
    assert dump(path) == before
    assert backup_path(path, 2).read_bytes() == b"an older backup"
    assert backup_path(path, 1).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of a file")
def test_a_disk_without_room_for_the_backup_is_told_and_nothing_is_left_of_it(tmp_path, wanted):
    import resource  # noqa: PLC0415 - not on Windows

    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 2)
    before = dump(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size // 2, limits[1]))
    try:
        with pytest.raises(StoreError) as refused:
            Store(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert refused.value.code == "backup_failed"
    assert dump(path) == before
    assert names_in(tmp_path) == ["dmf.sqlite3"]
    with Store(path) as store:
        assert content(store) == content(wanted)


def test_a_half_written_backup_of_a_killed_process_is_not_taken_for_one(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 2)
    before = dump(path)
    (tmp_path / "dmf.sqlite3.v2.bak.part").write_bytes(b"half")
    (tmp_path / "dmf.sqlite3.v2.bak.part-journal").write_bytes(b"half")

    Store(path).close()

    assert names_in(tmp_path) == ["dmf.sqlite3", "dmf.sqlite3.v2.bak"]
    assert dump(tmp_path / "dmf.sqlite3.v2.bak") == before


def test_a_damaged_file_is_neither_copied_nor_changed(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 2)
    backup_path(path, 2).write_bytes(b"an older backup")
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'dmf_event'"
        (root,) = connection.execute(query).fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert refused.value.code == "database_damaged"
    assert backup_path(path, 2).read_bytes() == b"an older backup"
    assert names_in(tmp_path) == ["dmf.sqlite3", "dmf.sqlite3.v2.bak"]


def test_a_file_whose_migration_fails_stays_as_it_was_and_its_backup_is_named(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE known_page (url TEXT)")
    before = dump(path)

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert (refused.value.code, refused.value.exit_code) == ("migration_failed", 5)
    assert "dmf.sqlite3.v1.bak" in refused.value.message
    assert "판 1" in refused.value.message
    assert dump(path) == before == dump(backup_path(path, 1))
    with closing(sqlite3.connect(path)) as connection:  # repaired, it goes on
        connection.execute("DROP TABLE known_page")
    with Store(path) as store:
        assert content(store) == content(wanted)


def test_a_later_step_that_fails_leaves_those_before_it(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE delivery (url TEXT)")

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert "판 2" in refused.value.message
    assert "dmf.sqlite3.v1.bak" in refused.value.message
    assert dump(path)[0] == "(2,)"


def test_a_migration_waits_for_another_program_and_then_names_it(tmp_path, wanted):
    path = tmp_path / "dmf.sqlite3"
    make_older_version(path, wanted, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as refused:
            Store(path, busy_timeout_s=0.01)

    assert refused.value.code == "database_busy"
    assert dump(path)[0] == "(1,)"


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
