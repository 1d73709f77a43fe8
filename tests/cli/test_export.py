"""`export`: plain files from which the history can be rebuilt with the csv module alone."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dmf_crawler.persist.plain_tables import CHUNK, list_tables
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.recording import known_records
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.history_readme import read_meanings
from tests.cli.asking import at, say
from tests.cli.told import ODD
from tests.persist.builders import BOARD, moment

READ_AS: dict[str, Callable[[str], Any]] = {
    "TEXT": str,
    "INTEGER": int,
    "REAL": float,
    "BLOB": base64.b64decode,
}


@pytest.fixture(scope="module")
def exported(told: Path, tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("exported") / "이력"
    answer = at(told, "export", str(folder)).json
    assert answer["folder"] == str(folder)
    return folder


def read_cells(path: Path) -> list[dict[str, str]]:
    """Read a file as its README says: the csv module and nothing of the program."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def read_value(cell: str, kind: str = "TEXT") -> Any:
    """Return what a cell of a table holds: empty is no value, one apostrophe is taken away."""
    if cell == "":
        return None
    return READ_AS[kind](cell[1:] if cell.startswith("'") else cell)


def read_text(cell: str) -> str:
    value = read_value(cell)
    assert isinstance(value, str)
    return value


def test_every_row_of_every_table_comes_back_as_it_is_stored(told, exported):
    with Store(told / "var/dmf.sqlite3") as store:
        tables = list_tables(store)
        assert {table.name for table in tables} == {
            row["name"]
            for row in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not row["name"].startswith("sqlite")
        }
        for table in tables:
            stored = [tuple(row) for row in store.rows(f'SELECT * FROM "{table.name}"')]
            read = [
                tuple(read_value(row[name], kind) for name, kind in table.columns.items())
                for row in read_cells(exported / table.file_name)
            ]
            assert read == stored, table.name


def test_the_current_list_is_rebuilt_from_the_versions(told, exported):
    current = {
        read_text(row["natural_key"]): json.loads(read_text(row["payload_json"]))
        for row in read_cells(exported / "records.csv")
        if row["valid_to"] == ""
    }
    answer = at(told, "as-of", "2026-12-08").json
    assert current == {record["key"]: record["fields"] for record in answer["records"]}


@pytest.mark.parametrize("day", range(9))
def test_the_list_of_any_day_is_rebuilt_from_the_versions(told, exported, day):
    end = moment(day, hour=30).isoformat()
    versions = [
        row
        for row in read_cells(exported / "records.csv")
        if row["valid_from"] < end and (row["valid_to"] == "" or row["valid_to"] >= end)
    ]
    with Store(told / "var/dmf.sqlite3") as store:
        listed = list_as_of(store, BOARD, moment(day, hour=29))
    assert sorted(read_text(row["natural_key"]) for row in versions) == sorted(
        version.key for version in listed
    )


def test_the_events_replayed_from_the_first_to_the_last_give_the_current_list(told, exported):
    replayed: dict[str, Any] = {}
    for row in read_cells(exported / "events.csv"):
        key, reason = read_text(row["natural_key"]), row["reason"]
        leaves = reason in {"missing", "delisted"}
        if leaves or (reason == "rekeyed" and row["event_type"] != "NEW"):
            del replayed[key]
            continue
        before = replayed.get(key, {})
        after = json.loads(read_text(row["record_json"]))
        for change in json.loads(read_text(row["changes_json"])):
            assert before.get(change["field"], change["before"]) == change["before"]
            assert after[change["field"]] == change["after"]
        replayed[key] = after
    with Store(told / "var/dmf.sqlite3") as store:
        known = known_records(store, BOARD)
    assert replayed == {
        key: json.loads(json.dumps(record.fields))
        for key, record in known.items()
        if record.is_current
    }


def test_the_changed_fields_are_those_of_the_events(exported):
    told_by_events = [
        (row["event_id"], str(position), change)
        for row in read_cells(exported / "events.csv")
        for position, change in enumerate(json.loads(read_text(row["changes_json"])), start=1)
    ]
    rows = read_cells(exported / "event_changes.csv")
    assert len(rows) == len(told_by_events) > 2
    for row, (event_id, position, change) in zip(rows, told_by_events, strict=True):
        assert (row["event_id"], row["position"]) == (event_id, position)
        assert (row["field"], row["grade"]) == (change["field"], change["grade"])
        assert json.loads(read_text(row["before_json"])) == change["before"]
        assert json.loads(read_text(row["after_json"])) == change["after"]


def test_the_current_list_stands_there_under_korean_headers_too(exported):
    rows = read_cells(exported / "list_dmf_registry.csv")
    odd = next(row for row in rows if row["등록번호"] == ODD.key)
    assert odd["신청인"] == f"'{ODD.fields['company']}"
    assert len(rows) == 5


def test_no_cell_of_any_file_is_a_formula(exported):
    for path in exported.glob("*.csv"):
        for row in read_cells(path):
            cells = [cell for cell in row.values() if not re.fullmatch(r"-?[0-9.e+-]+", cell)]
            assert [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


# --- the folder ---------------------------------------------------------------------------------


def test_the_sums_are_those_of_the_files_and_the_digest_is_that_of_the_tables(told, exported):
    lines = (exported / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {name: sha256 for sha256, name in (line.split("  ") for line in lines)}
    assert {path.name for path in exported.iterdir()} == {*sums, "SHA256SUMS"}
    for name, sha256 in sums.items():
        assert hashlib.sha256((exported / name).read_bytes()).hexdigest() == sha256
    of_tables = "".join(f"{line}\n" for line in lines if line.endswith(".csv"))
    digest = hashlib.sha256(of_tables.encode()).hexdigest()
    assert digest in (exported / "README.txt").read_text(encoding="utf-8-sig")


def test_the_same_history_gives_the_same_tables(told, exported, tmp_path):
    answer = at(told, "export", str(tmp_path / "again")).json
    assert answer["digest"] in (exported / "README.txt").read_text(encoding="utf-8-sig")
    assert {file["name"]: file["n_rows"] for file in answer["files"]}["events.csv"] == 10


def test_the_readme_says_in_both_languages_what_everything_is(told, exported):
    text = (exported / "README.txt").read_text(encoding="utf-8-sig")
    assert text.startswith("사내용")
    assert "The whole history" in text
    assert re.search(r"dmf-crawler \S+ 이\(가\) \d{4}-", text)
    with Store(told / "var/dmf.sqlite3") as store:
        tables = {table.name: table for table in list_tables(store)}
    for path in exported.glob("*.csv"):
        assert f"\n{path.name}" in text
    for table in tables.values():
        for column in ("", *table.columns):
            meaning = read_meanings()[table.name, column]
            assert f"{meaning.ko} / {meaning.en}" in text, (table.name, column)
    known = {name for name, _ in read_meanings()}
    assert known == {*tables, "event_changes", "fields"}


def test_every_meaning_is_of_a_column_that_there_is(told):
    with Store(told / "var/dmf.sqlite3") as store:
        columns = {(table.name, name) for table in list_tables(store) for name in table.columns}
    named = {(t, c) for t, c in read_meanings() if c and t not in {"event_changes", "fields"}}
    assert named == columns


def test_a_folder_must_be_empty_or_missing(told, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    assert at(told, "export", str(folder)).exit_code == 0
    asked = at(told, "export", str(folder))
    assert (asked.exit_code, asked.error_code) == (2, "folder_not_empty")
    assert asked.json["files"] == []
    (tmp_path / "file").write_bytes(b"")
    assert at(told, "export", str(tmp_path / "file")).error_code == "folder_not_empty"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out"]


def test_people_are_told_where_to_begin(told, tmp_path):
    asked = say(told, "export", str(tmp_path / "out"))
    assert "먼저 README.txt 를 보십시오" in asked.out
    assert "사내용" in asked.out


def test_nothing_is_left_of_a_folder_that_could_not_be_written(told, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    asked = at(told, "export", str(tmp_path / "file/below/out"))
    assert (asked.exit_code, asked.error_code) == (5, "file_not_written")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nothing_is_left_where_the_history_is_damaged(told_home, tmp_path):
    with Store(told_home / "var/dmf.sqlite3") as store, store.atomic():
        store.execute("DROP TRIGGER dmf_event_no_update")
        store.execute("UPDATE dmf_event SET changes_json = '{' WHERE event_id = 7")
    asked = at(told_home, "export", str(tmp_path / "out"))
    assert (asked.exit_code, asked.error_code) == (5, "record_unreadable")
    assert [path.name for path in tmp_path.iterdir()] == ["told"]


def test_rows_are_read_in_pieces_and_none_is_lost_between_them(told_home, tmp_path):
    with Store(told_home / "var/dmf.sqlite3") as store, store.atomic():
        store.execute_many(
            "INSERT INTO host_wait VALUES (?, ?)", ((str(n), "x") for n in range(2 * CHUNK + 1))
        )
    assert at(told_home, "export", str(tmp_path / "out")).exit_code == 0
    rows = read_cells(tmp_path / "out/host_wait.csv")
    assert [row["host"] for row in rows] == [str(n) for n in range(2 * CHUNK + 1)]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_other_people_may_read_the_folder(exported):
    assert exported.stat().st_mode & 0o777 == 0o755
