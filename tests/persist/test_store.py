from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.backups import backup_path, copy_database
from dmf_crawler.persist.host_waits import set_host_wait
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.persist.recording import known_records
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.store_errors import not_opened, not_read, not_written
from tests.persist.builders import BOARD, Diary, a_record, content, moment, values


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "var" / "dmf.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.fixture
def diary(store: Store) -> Diary:
    diary = Diary(store)
    diary.read(a_record("A"), a_record("B"), at=moment(0))
    return diary


def alter(path: Path, *statements: str) -> None:
    """Do to the file what somebody with another program could do."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


# --- opening -----------------------------------------------------------------------------------


def test_a_new_store_makes_its_folder_and_file(path):
    with Store(path):
        assert path.is_file()


def test_what_was_written_is_there_after_opening_again(path):
    with Store(path) as store:
        Diary(store).read(a_record("A"), at=moment(0))
        before = content(store)

    with Store(path) as store:
        assert content(store) == before


def test_the_file_is_written_ahead_fully_synchronised_and_keeps_its_references(store):
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    assert [values(store, f"PRAGMA {pragma}")[0] for pragma in pragmas] == ["wal", 2, 1]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        pytest.param(
            lambda path: path.write_bytes(b"no database at all" * 100),
            "database_damaged",
            id="no database",
        ),
        pytest.param(lambda path: path.mkdir(), "database_unusable", id="a folder"),
        pytest.param(
            lambda path: alter(path, "CREATE TABLE crawl_run (url TEXT)"),
            "database_unusable",
            id="another database",
        ),
    ],
)
def test_a_file_that_is_no_history_is_refused_and_left_alone(
    path: Path, damage: Callable[[Path], object], code: str
):
    path.parent.mkdir()
    damage(path)
    before = path.read_bytes() if path.is_file() else None

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert refused.value.code == code
    assert str(path) in refused.value.message
    if before is not None and before.startswith(b"no"):
        assert path.read_bytes() == before


def test_tables_of_another_program_are_left_as_they_are(path):
    path.parent.mkdir()
    alter(path, "CREATE TABLE moz_places (url TEXT)")

    with pytest.raises(StoreError):
        Store(path)

    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert names == [("moz_places",)]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "var").write_text("a file where the folder belongs", encoding="utf-8")

    with pytest.raises(StoreError) as refused:
        Store(tmp_path / "var" / "dmf.sqlite3")

    assert refused.value.code == "database_unusable"


def test_a_file_of_a_newer_program_is_refused_and_left_alone(path):
    Store(path).close()
    newer = len(MIGRATIONS) + 1
    alter(path, f"PRAGMA user_version = {newer}")

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert refused.value.code == "database_newer"
    assert f"판 {newer}" in refused.value.message


def test_a_database_in_memory_cannot_survive_a_power_cut_and_is_refused():
    """It stands for every place where write-ahead logging is not to be had (a network drive)."""
    with pytest.raises(StoreError) as refused:
        Store(Path(":memory:"))

    assert refused.value.code == "database_unusable"
    assert "WAL" in refused.value.message


def test_a_damaged_page_is_named_when_it_is_read(path):
    with Store(path) as store:
        Diary(store).read(*(a_record(f"{n}") for n in range(200)), at=moment(0))
        page_size = values(store, "PRAGMA page_size")[0]
        first_pages = values(store, "SELECT rootpage FROM sqlite_master WHERE name = 'dmf_record'")
    with path.open("r+b") as file:
        file.seek((first_pages[0] - 1) * page_size)
        file.write(b"\xff" * page_size)

    with Store(path) as store, pytest.raises(StoreError) as refused:
        known_records(store, BOARD)

    assert refused.value.code == "database_damaged"


# --- held by another program, full, read-only, damaged -------------------------------------------


@pytest.fixture
def held(path: Path) -> Iterator[Path]:
    """A history that another program has for itself, as a virus scanner or a viewer may."""
    with Store(path) as store:
        Diary(store).read(a_record("A"), at=moment(0))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield path


@pytest.mark.parametrize("for_reading", [True, False])
def test_a_history_that_another_program_holds_is_waited_for_and_then_named(held, for_reading):
    with pytest.raises(StoreError) as refused:
        Store(held, for_reading=for_reading, busy_timeout_s=0.01)

    assert (refused.value.code, refused.value.exit_code) == ("database_busy", 5)
    assert str(held) in refused.value.message
    assert "닫고 다시 실행하십시오" in refused.value.message


def test_a_write_beside_another_one_is_waited_for_and_then_named(path, store, diary):
    before = content(store)

    with Store(path, busy_timeout_s=0.01) as second, store.atomic():
        with pytest.raises(StoreError) as refused:
            set_host_wait(second, "a", moment(0))
        assert content(second) == before  # reading goes on

    assert refused.value.code == "database_busy"
    set_host_wait(store, "a", moment(0))


def test_a_question_to_a_history_that_was_locked_meanwhile_is_refused(path, store, diary):
    """In the mode without a log of its own, readers and writers lock each other out."""
    store.close()
    alter(path, "PRAGMA journal_mode = DELETE")
    with (
        Store(path, for_reading=True, busy_timeout_s=0.01) as reader,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError) as refused:
            known_records(reader, BOARD)

    assert refused.value.code == "database_busy"


def test_copying_gives_up_where_the_copy_stays_locked(store, diary, tmp_path):
    """`Connection.backup` by itself would wait for ever."""
    with (
        closing(sqlite3.connect(tmp_path / "copy", timeout=0)) as target,
        closing(sqlite3.connect(tmp_path / "copy", isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError) as refused:
            copy_database(store._connection, target, busy_timeout_s=0.01)

    assert refused.value.sqlite_errorcode == sqlite3.SQLITE_BUSY


CAUSES = {
    sqlite3.SQLITE_BUSY: "database_busy",
    sqlite3.SQLITE_BUSY | 2 << 8: "database_busy",  # SQLITE_BUSY_SNAPSHOT
    sqlite3.SQLITE_LOCKED: "database_busy",
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_READONLY: "database_readonly",
    sqlite3.SQLITE_READONLY | 6 << 8: "database_readonly",  # SQLITE_READONLY_DIRECTORY
    sqlite3.SQLITE_PERM: "database_readonly",
    sqlite3.SQLITE_CORRUPT: "database_damaged",
    sqlite3.SQLITE_CORRUPT | 2 << 8: "database_damaged",  # SQLITE_CORRUPT_SEQUENCE
    sqlite3.SQLITE_NOTADB: "database_damaged",
}
ASKED: dict[str, Callable[[Path, Exception], StoreError]] = {
    "database_unusable": not_opened,
    "read_failed": not_read,
    "write_failed": not_written,
}


@pytest.mark.parametrize("otherwise", ASKED)
def test_errors_are_told_apart_by_their_code_and_not_by_their_text(path, otherwise):
    told = ASKED[otherwise]
    for code, expected in CAUSES.items():
        error = sqlite3.OperationalError("다른 말")
        error.sqlite_errorcode = code
        assert (told(path, error).code, told(path, error).exit_code) == (expected, 5)
        assert str(path) in told(path, error).message
    for code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_CANTOPEN):
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = code
        assert told(path, error).code == otherwise
    assert told(path, sqlite3.OperationalError("database disk image is malformed")).code == (
        otherwise
    )


def test_a_file_that_may_not_be_written_is_named(store, diary):
    """A file's own mode would not stop the superuser: SQLite is told to give the same answer."""
    store.execute("PRAGMA query_only = ON")

    with pytest.raises(StoreError) as refused:
        set_host_wait(store, "a", moment(0))

    assert refused.value.code == "database_readonly"


def test_a_damaged_history_names_the_newest_copy_of_it(path, store, diary):
    store.close()
    for version in (2, 10, 9):
        backup_path(path, version).write_bytes(b"")
    path.write_bytes(b"no database at all" * 100)

    with pytest.raises(StoreError) as refused:
        Store(path)

    assert "dmf.sqlite3.v10.bak" in refused.value.message
    assert "v9" not in refused.value.message


# --- only for reading --------------------------------------------------------------------------


def test_a_store_for_reading_refuses_every_change(path, store, diary):
    before = content(store)

    with Store(path, for_reading=True) as reader:
        assert content(reader) == before
        with pytest.raises(StoreError) as refused, reader.atomic():
            reader.execute("DELETE FROM host_wait")

    assert refused.value.code == "write_failed"
    assert content(store) == before


def test_a_store_for_reading_sees_what_a_writer_that_is_still_at_work_has_committed(path, store):
    with Store(path, for_reading=True) as reader, store.atomic():
        store.execute("INSERT INTO host_wait VALUES ('a', 'b')")
        assert content(reader, ["host_wait"]) == {"host_wait": []}
    with Store(path, for_reading=True) as reader:
        assert content(reader, ["host_wait"]) == {"host_wait": [("a", "b")]}


def test_a_store_for_reading_leaves_no_file_behind(path):
    Store(path).close()

    with Store(path, for_reading=True) as reader:
        content(reader)

    assert {each.name for each in path.parent.iterdir()} == {path.name, f"{path.name}.seal"}


def test_a_store_for_reading_makes_no_file(path):
    path.parent.mkdir()

    with pytest.raises(StoreError) as refused:
        Store(path, for_reading=True)

    assert refused.value.code == "database_unusable"
    assert list(path.parent.iterdir()) == []


def test_a_store_for_reading_takes_any_name_of_a_folder(tmp_path):
    path = tmp_path / "자료 100%41 #1" / "dmf.sqlite3"
    with Store(path) as store:
        Diary(store).read(a_record("A"), at=moment(0))

    with Store(path, for_reading=True) as reader:
        assert set(known_records(reader, BOARD)) == {"A"}


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_store_for_reading_does_not_bring_an_older_file_up_to_date(path, version):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        for migrate in MIGRATIONS[:version]:
            migrate(connection)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
    before = path.read_bytes()

    with pytest.raises(StoreError) as refused:
        Store(path, for_reading=True)

    assert (refused.value.code, refused.value.exit_code) == ("database_older", 5)
    assert path.read_bytes() == before


# --- transactions ------------------------------------------------------------------------------


def delete_then(store: Store, fail: Callable[[], object]) -> None:
    """Delete something, then fail, in one transaction."""
    with store.atomic():
        store.execute("DELETE FROM drift_baseline")
        fail()


def test_an_exception_inside_undoes_everything(store, diary):
    before = content(store)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        delete_then(store, interrupt)

    assert content(store) == before


def test_a_statement_that_fails_undoes_those_before_it(store, diary):
    before = content(store)
    statement = "INSERT INTO split_number VALUES ('b', 'A', 'no such run')"

    with pytest.raises(StoreError) as refused:
        delete_then(store, lambda: store.execute(statement))

    assert refused.value.code == "write_failed"
    assert content(store) == before


def test_a_transaction_inside_another_is_refused_and_undoes_both(store, diary):
    before = content(store)

    with pytest.raises(StoreError) as refused:
        delete_then(store, lambda: delete_then(store, lambda: None))

    assert refused.value.code == "write_failed"
    assert content(store) == before


def test_a_full_disk_undoes_everything_and_the_store_stays_usable(path, store, diary):
    before = content(store)
    n_pages = values(store, "PRAGMA page_count")[0]
    store.rows(f"PRAGMA max_page_count = {n_pages}")

    with pytest.raises(StoreError) as refused:
        diary.read(*(a_record(f"C{n}") for n in range(500)), at=moment(1))

    assert refused.value.code == "disk_full"
    assert str(path) in refused.value.message
    store.rows("PRAGMA max_page_count = 1000000")
    diary.read(a_record("A"), a_record("B"), at=moment(1, hour=7))
    after = content(store)
    assert after["dmf_event"] == before["dmf_event"]


def test_reading_sees_one_state_whatever_another_process_commits(path, store, diary):
    with Store(path) as other, store.reading():
        n_before = len(store.rows("SELECT * FROM dmf_event"))
        Diary(other).read(a_record("C"), at=moment(1))
        n_meanwhile = len(store.rows("SELECT * FROM dmf_event"))

    assert n_meanwhile == n_before
    assert len(store.rows("SELECT * FROM dmf_event")) == n_before + 1


# --- what the tables refuse --------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE dmf_event SET event_type = 'NEW' WHERE event_id = 1",
        "UPDATE OR REPLACE dmf_event SET event_id = 2 WHERE event_id = 1",
        "DELETE FROM dmf_event WHERE event_id = 1",
        "DELETE FROM dmf_event",
        (
            "INSERT OR REPLACE INTO dmf_event SELECT event_id, run_id, occurred_at, board_id,"
            " natural_key, 'WITHDRAWN', reason, grade, missing_since, changes_json, record_json"
            " FROM dmf_event WHERE event_id = 1"
        ),
        (
            "INSERT OR REPLACE INTO dmf_event SELECT NULL, run_id, occurred_at, board_id,"
            " natural_key, 'WITHDRAWN', reason, grade, missing_since, changes_json, record_json"
            " FROM dmf_event WHERE event_id = 1"
        ),
        "REPLACE INTO dmf_event SELECT * FROM dmf_event",
        (
            "INSERT INTO dmf_event SELECT * FROM dmf_event WHERE true"
            " ON CONFLICT DO UPDATE SET event_type = 'WITHDRAWN'"
        ),
    ],
)
@pytest.mark.parametrize("recursive_triggers", ["ON", "OFF"])
def test_no_program_changes_an_event(path, store, diary, statement, recursive_triggers):
    """Q2: `INSERT OR REPLACE` deletes a row without asking the triggers on DELETE."""
    before = content(store)

    with pytest.raises(sqlite3.DatabaseError, match="append-only"):
        alter(path, f"PRAGMA recursive_triggers = {recursive_triggers}", statement)

    assert content(store) == before


def test_a_key_has_one_event_a_run(store, diary):
    with pytest.raises(StoreError), store.atomic():
        store.execute(
            "INSERT INTO dmf_event SELECT event_id + 10, run_id, occurred_at, board_id,"
            " natural_key, event_type, reason, grade, missing_since, changes_json, record_json"
            " FROM dmf_event"
        )


COPY_OF_A = (
    "INSERT INTO dmf_record (board_id, natural_key, payload_json, source_sha256, source_url,"
    " source_row, valid_from, valid_to, is_current, first_seen_run, last_seen_run)"
    " SELECT board_id, natural_key, payload_json, source_sha256, source_url, source_row,"
    " valid_from, {valid_to}, {is_current}, {run}, last_seen_run FROM dmf_record"
    " WHERE natural_key = 'A'"
)


@pytest.mark.parametrize(
    ("valid_to", "is_current", "run", "why"),
    [
        ("NULL", "1", "first_seen_run", "append-only"),
        ("NULL", "0", "first_seen_run", "CHECK"),
        ("'2027-01-01T06:00:00+09:00'", "1", "first_seen_run", "append-only"),
        ("valid_from", "0", "first_seen_run", "CHECK"),
        ("'2027-01-01T06:00:00+09:00'", "0", "'no such run'", "FOREIGN KEY"),
    ],
    ids=["two current", "open, not current", "closed, current", "no length", "unknown run"],
)
def test_a_version_that_cannot_be_is_refused(store, diary, valid_to, is_current, run, why):
    """Q1: the draft let two current rows of a key and unknown runs in."""
    with pytest.raises(StoreError, match=why), store.atomic():
        store.execute(COPY_OF_A.format(valid_to=valid_to, is_current=is_current, run=run))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE crawl_run SET status = 'PUBLISHED'",
        "UPDATE crawl_run SET status = 'RUNNING'",
        "UPDATE crawl_run SET finished_at = NULL",
        "UPDATE crawl_run SET n_rows = 'many'",
        (
            "INSERT INTO gate_result VALUES ((SELECT run_id FROM crawl_run), 0, 'G-0', 'maybe',"
            " NULL, NULL, '', '')"
        ),
    ],
)
def test_a_run_that_cannot_be_is_refused(store, diary, statement):
    with pytest.raises(StoreError), store.atomic():
        store.execute(statement)


# --- a copy ------------------------------------------------------------------------------------


def test_what_is_done_to_a_copy_is_lost_with_it(store, diary, path):
    before = content(store)

    with store.copied() as copy:
        assert content(copy) == before
        Diary(copy).read(a_record("C"), at=moment(1))
        assert content(copy) != before
        assert content(store) == before

    assert content(store) == before
    assert not list(path.parent.glob("*.copy*"))


def test_a_copy_has_what_was_committed_but_not_yet_moved_out_of_the_log(store, diary, path):
    """In WAL mode the file alone lacks it."""
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0
    with store.copied() as copy:
        assert values(copy, "SELECT natural_key FROM dmf_record ORDER BY 1") == ["A", "B"]


def test_a_copy_goes_even_when_something_fails_inside(store, diary, path):
    with pytest.raises(ZeroDivisionError), store.copied():
        raise ZeroDivisionError
    assert not list(path.parent.glob("*.copy*"))


def test_a_copy_for_which_there_is_no_place_is_told(store, diary, path):
    path.with_name(f"{path.name}.copy").mkdir()
    with pytest.raises(StoreError) as refused, store.copied():
        pytest.fail("no copy")
    assert refused.value.code == "write_failed"
