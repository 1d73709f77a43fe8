from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dmf_crawler.model.record import FieldKind
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.pages import record_pages
from dmf_crawler.persist.runs import begin_run, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import PROOFS, verify_history
from tests.persist.builders import BOARD, KINDS, RULES, Diary, a_known_page, a_record, moment
from tests.persist.tampering import tamper

NEWER = replace(RULES, kinds={**KINDS, "document_no": FieldKind.EXACT})


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a history in which everything happened that can happen; not to be written to."""
    file = tmp_path_factory.mktemp("lived") / "dmf.sqlite3"
    with Store(file) as store:
        live(Diary(store))
    return file


@pytest.fixture
def path(lived: Path, tmp_path: Path) -> Path:
    """Return a copy of that history, to be spoilt."""
    return Path(shutil.copy(lived, tmp_path))


def live(diary: Diary) -> None:
    """Live a week.

    M changes, C changes twice, W is withdrawn, V vanishes for good, B for a while, D is withdrawn
    and delisted, R returns, S is split, and its second record vanishes at the end.
    """
    stay = [a_record("M"), a_record("C")]
    diary.read(
        *stay,
        *(a_record(key) for key in ("W", "V", "B", "R", "S")),
        a_record("D", status="취하"),
        at=moment(0),
    )
    stay = [a_record("M", company="국전약품(주)"), a_record("C", company="하나")]
    diary.read(*stay, a_record("W", status="취하"), a_record("S"), at=moment(1))
    diary.read(*stay, a_record("N"), at=moment(2), status=RunStatus.HELD)
    stay += [a_record("W", status="취하"), a_record("N")]
    diary.read(*stay, a_record("S"), at=moment(2))
    stay[1] = a_record("C", company="하나", status="이관")
    split = [a_record("S|가|1"), a_record("S|나|2")]
    diary.read(*stay, a_record("B"), *split, at=moment(3), split_numbers=["S"])
    diary.read(*stay, a_record("B"), *split, at=moment(3, hour=9), split_numbers=["S"])
    first = diary.read(*stay, a_record("B"), *split, at=moment(4), split_numbers=["S"]).run
    row = get_run(diary.store, first.run_id)
    diary.read(*stay, a_record("B"), *split, at=moment(5), split_numbers=["S"], correct=row)
    filled = [
        replace(record, fields={**record.fields, "document_no": "v1"})
        for record in (*stay, a_record("B"), a_record("R"), *split)
    ]
    diary.read(*filled, at=moment(5, hour=9), split_numbers=["S"], rules=NEWER)
    filled[0] = a_record("M", company="국전약품(주)", document_no="v2")
    diary.read(*filled[:-1], at=moment(6), split_numbers=["S"], rules=NEWER)
    begin_run(diary.store, BOARD, moment(7), selector_version=1)  # killed
    notices = Diary(diary.store, board_id="notices").read(a_record("M"), at=moment(0)).run
    raw_dir = get_run(diary.store, notices.run_id).raw_dir
    with diary.store.atomic():
        record_pages(diary.store, notices, [("M", replace(a_known_page("/7"), raw_dir=raw_dir))])


def failing(path: Path) -> dict[str, str]:
    """Return the checks that do not hold, with their first offender."""
    with Store(path) as store:
        return {check.name: check.detail for check in verify_history(store) if not check.ok}


def test_a_history_in_which_everything_happened_holds(path):
    with Store(path) as store:
        checks = verify_history(store)

        types = {tuple(row) for row in store.rows("SELECT event_type, reason FROM dmf_event")}

    assert [(check.name, check.ok, check.detail) for check in checks] == [
        (name, True, "이상 없음") for name, _ in PROOFS
    ]
    assert types == {
        ("NEW", None),
        ("NEW", "rekeyed"),
        ("MODIFIED", None),
        ("MODIFIED", "rekeyed"),
        ("MODIFIED", "delisted"),
        ("WITHDRAWN", "status"),
        ("WITHDRAWN", "missing"),
        ("REAPPEARED", "returned"),
    }


def test_a_record_that_was_filled_up_may_get_another_key(tmp_path):
    """What a newer selectors file filled in stands in no event until the key's last one."""
    with Store(tmp_path / "dmf.sqlite3") as store:
        diary = Diary(store)
        diary.read(a_record("S"), at=moment(0))
        filled = a_record("S", document_no="v1")
        diary.read(filled, at=moment(1), rules=NEWER)
        split = [replace(filled, key=key) for key in ("S|가|1", "S|나|2")]
        diary.read(*split, at=moment(2), split_numbers=["S"], rules=NEWER)

    assert failing(tmp_path / "dmf.sqlite3") == {}


def test_an_empty_history_holds(tmp_path):
    assert failing(tmp_path / "dmf.sqlite3") == {}


EVENT_OF_C = "natural_key = 'C' AND event_type = 'MODIFIED' AND changes_json LIKE '%하나%'"
LAST_VERSION_OF_C = "natural_key = 'C' AND is_current = 1"
FIRST_VERSION_OF_C = "natural_key = 'C' AND first_seen_run = '20261130T060000-dmf_registry'"

DAMAGE = {
    "an event is gone": (
        f"DELETE FROM dmf_event WHERE {EVENT_OF_C}",
        {"event_replay": "C", "events_match_versions": "C", "run_counts": "20261201"},
    ),
    "the first event of a key is gone": (
        "DELETE FROM dmf_event WHERE natural_key = 'C' AND event_type = 'NEW'",
        {"event_replay": "C", "events_match_versions": "C", "run_counts": "20261130"},
    ),
    "the withdrawal of a vanished record is gone": (
        "DELETE FROM dmf_event WHERE natural_key = 'V' AND event_type = 'WITHDRAWN'",
        {
            "event_replay": "V",
            "events_match_versions": "V",
            "run_counts": "20261204",
            "missing_spells": "V",
        },
    ),
    "a before value was changed": (
        (
            "UPDATE dmf_event SET changes_json = replace(changes_json, '(주)삼오제약', '둘')"
            f" WHERE {EVENT_OF_C}"
        ),
        {"event_replay": "C", "events_match_versions": "C"},
    ),
    "a before value of a field added later was changed": (
        (
            "UPDATE dmf_event SET changes_json = replace(changes_json, 'v1', 'v0')"
            " WHERE natural_key = 'M' AND changes_json LIKE '%v2%'"
        ),
        {"events_match_versions": "document_no"},
    ),
    "an after value was changed": (
        (
            f"UPDATE dmf_event SET changes_json = replace(changes_json, '하나', '둘')"
            f" WHERE {EVENT_OF_C}"
        ),
        {"event_replay": "C"},
    ),
    "a record in an event was changed": (
        (
            f"UPDATE dmf_event SET record_json = replace(record_json, '로사르탄칼륨', '다른')"
            f" WHERE {EVENT_OF_C}"
        ),
        {"event_replay": "C", "events_match_versions": "C"},
    ),
    "the last record of a key that ended was changed": (
        (
            "UPDATE dmf_event SET record_json = replace(record_json, '로사르탄칼륨', '다른')"
            " WHERE natural_key = 'S' AND reason = 'rekeyed'"
        ),
        {"event_replay": "S"},
    ),
    "the changes of an event were emptied": (
        (
            "UPDATE dmf_event SET changes_json = '[]', grade = NULL, record_json = (SELECT"
            " record_json FROM dmf_event WHERE natural_key = 'C' AND event_type = 'NEW')"
            f" WHERE {EVENT_OF_C}"
        ),
        {"event_replay": "바뀐 값이 없습니다", "events_match_versions": "C"},
    ),
    "an event is of another type": (
        (
            "UPDATE dmf_event SET event_type = 'NEW', reason = NULL WHERE natural_key = 'R'"
            " AND event_type = 'REAPPEARED'"
        ),
        {"event_replay": "R", "run_counts": "20261205T090000"},
    ),
    "a record returned that never left": (
        f"UPDATE dmf_event SET event_type = 'REAPPEARED', reason = 'returned' WHERE {EVENT_OF_C}",
        {"event_replay": "C", "run_counts": "20261201"},
    ),
    "a closed record changed": (
        (
            "UPDATE dmf_event SET event_type = 'MODIFIED', reason = NULL WHERE natural_key = 'R'"
            " AND event_type = 'REAPPEARED'"
        ),
        {"event_replay": "R", "run_counts": "20261205T090000"},
    ),
    "an event is of a run that was not accepted": (
        "UPDATE crawl_run SET status = 'HELD' WHERE run_id = '20261203T060000-dmf_registry'",
        {
            "event_replay": "C",
            "run_counts": "20261203",
            "runs": "20261203",
            "days": "2026-12-03",
            "split_numbers": "S",
        },
    ),
    "an event is of another run": (
        (
            "UPDATE dmf_event SET run_id = '20261130T060000-notices' WHERE natural_key = 'W'"
            " AND event_type = 'WITHDRAWN'"
        ),
        {"event_replay": "W", "events_match_versions": "W", "run_counts": "2026"},
    ),
    "an event happened at another time": (
        (
            "UPDATE dmf_event SET occurred_at = '2026-12-01T06:00:01+09:00'"
            " WHERE natural_key = 'W' AND event_type = 'WITHDRAWN'"
        ),
        {"event_replay": "W", "events_match_versions": "W"},
    ),
    "an event of no key": (
        (
            "INSERT INTO dmf_event SELECT 999, run_id, occurred_at, board_id, 'X', event_type,"
            " reason, grade, missing_since, changes_json, record_json FROM dmf_event"
            " WHERE natural_key = 'N'"
        ),
        {"event_replay": "X", "events_match_versions": "X", "run_counts": "20261202"},
    ),
    "changes that cannot be read": (
        f"UPDATE dmf_event SET changes_json = '[' WHERE {EVENT_OF_C}",
        {"event_replay": "C: 사건 9(MODIFIED): 이력에", "events_match_versions": "C"},
    ),
    "a record in an event cannot be read": (
        "UPDATE dmf_event SET record_json = '{' WHERE natural_key = 'C' AND event_type = 'NEW'",
        {"event_replay": "C: 사건", "events_match_versions": "C: 사건"},
    ),
    "a payload of today was changed": (
        (
            "UPDATE dmf_record SET payload_json = replace(payload_json, '로사르탄칼륨', '다른')"
            f" WHERE {LAST_VERSION_OF_C}"
        ),
        {"event_replay": "C", "events_match_versions": "C"},
    ),
    "a payload of the past was changed": (
        (
            "UPDATE dmf_record SET payload_json = replace(payload_json, '로사르탄칼륨', '다른')"
            f" WHERE {FIRST_VERSION_OF_C}"
        ),
        {"events_match_versions": "C"},
    ),
    "a payload that cannot be read": (
        f"UPDATE dmf_record SET payload_json = 'x' WHERE {LAST_VERSION_OF_C}",
        {"event_replay": "C: 이력에", "events_match_versions": "C: 사건"},
    ),
    "a typed column differs from its payload": (
        f"UPDATE dmf_record SET company = '다른 회사' WHERE {FIRST_VERSION_OF_C}",
        {"events_match_versions": "C"},
    ),
    "a version of the past is gone": (
        f"DELETE FROM dmf_record WHERE {FIRST_VERSION_OF_C}",
        {"events_match_versions": "C", "run_counts": "20261130"},
    ),
    "the version of today is gone": (
        f"DELETE FROM dmf_record WHERE {LAST_VERSION_OF_C}",
        {"event_replay": "C", "events_match_versions": "C", "run_counts": "20261203"},
    ),
    "a version too many": (
        (
            "INSERT INTO dmf_record (board_id, natural_key, payload_json, source_sha256,"
            " source_url, source_row, valid_from, is_current, first_seen_run, last_seen_run)"
            " SELECT board_id, 'X', payload_json, source_sha256, source_url, source_row,"
            " valid_from, 1, first_seen_run, last_seen_run FROM dmf_record"
            f" WHERE {LAST_VERSION_OF_C}"
        ),
        {"event_replay": "X", "events_match_versions": "X", "run_counts": "20261203"},
    ),
    "a version begins earlier": (
        f"UPDATE dmf_record SET valid_from = '2026-12-02T06:00:00+09:00' WHERE {LAST_VERSION_OF_C}",
        {"intervals": "C", "events_match_versions": "C", "run_counts": "20261202"},
    ),
    "a version ends earlier": (
        f"UPDATE dmf_record SET valid_to = '2026-11-30T18:00:00+09:00' WHERE {FIRST_VERSION_OF_C}",
        {"intervals": "C", "events_match_versions": "C", "run_counts": "20261201"},
    ),
    "a closed record left later than its event says": (
        "UPDATE dmf_record SET valid_to = '2026-12-04T09:00:00+09:00' WHERE natural_key = 'V'",
        {"events_match_versions": "V", "run_counts": "20261204"},
    ),
    "a version without length": (
        f"UPDATE dmf_record SET valid_to = valid_from WHERE {FIRST_VERSION_OF_C}",
        {
            "sqlite_integrity": "CHECK",
            "intervals": "C",
            "events_match_versions": "C",
            "run_counts": "2026",
        },
    ),
    "open, but not current": (
        f"UPDATE dmf_record SET is_current = 0 WHERE {LAST_VERSION_OF_C}",
        {"sqlite_integrity": "CHECK", "event_replay": "C", "one_current_version": "C"},
    ),
    "a run is gone": (
        "DELETE FROM crawl_run WHERE run_id = '20261201T060000-dmf_registry'",
        {
            "sqlite_integrity": "crawl_run",
            "event_replay": "C",
            "missing_spells": "20261202",
            "days": "2026-12-01",
        },
    ),
    "a run found more than it recorded": (
        (
            "UPDATE crawl_run SET n_modified = n_modified + 1"
            " WHERE run_id = '20261206T060000-dmf_registry'"
        ),
        {"run_counts": "20261206", "days": "2026-12-06"},
    ),
    "a run read another number of rows": (
        "UPDATE crawl_run SET n_rows = n_rows - 1 WHERE run_id = '20261204T060000-dmf_registry'",
        {"run_counts": "20261204"},
    ),
    "a missing record was missed more often": (
        "UPDATE missing_spell SET n_reads = 3 WHERE ended_run IS NULL",
        {"missing_spells": "S|나|2"},
    ),
    "a missing record was missed earlier": (
        "UPDATE missing_spell SET since_day = '2026-11-01' WHERE ended_run IS NULL",
        {"missing_spells": "S|나|2"},
    ),
    "a missing record is forgotten": (
        "DELETE FROM missing_spell WHERE ended_run IS NULL",
        {"missing_spells": "20261206"},
    ),
    "a closed record is still missing": (
        "UPDATE missing_spell SET natural_key = 'V' WHERE ended_run IS NULL",
        {"missing_spells": "V"},
    ),
    "a detail page is of no run": (
        "UPDATE known_page SET run_id = 'nobody'",
        {"known_pages": "/7: 채택된 실행이 아닌", "sqlite_integrity": "known_page"},
    ),
    "a detail page is of a run that was not accepted": (
        (
            "UPDATE known_page SET board_id = 'dmf_registry',"
            " run_id = (SELECT run_id FROM crawl_run WHERE status = 'REJECTED'),"
            " raw_dir = (SELECT raw_dir FROM crawl_run WHERE board_id = 'dmf_registry')"
        ),
        {"known_pages": "/7: 채택된 실행이 아닌"},
    ),
    "a detail page is of another board's run": (
        (
            "UPDATE known_page SET run_id = (SELECT run_id FROM crawl_run"
            " WHERE board_id = 'dmf_registry' AND status = 'OK')"
        ),
        {"known_pages": "/7: 채택된 실행이 아닌"},
    ),
    "a detail page lies in a folder of a killed run": (
        "UPDATE known_page SET raw_dir = (SELECT raw_dir FROM crawl_run WHERE status = 'RUNNING')",
        {"known_pages": "/7: raw/2026-12-07"},
    ),
    "a detail page is of no record": (
        "UPDATE known_page SET natural_key = 'X'",
        {"known_pages": "/7: 이력에 없는"},
    ),
    "a table is gone": (
        "DROP TABLE host_wait",
        {"schema": "host_wait"},
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_by_the_checks_that_it_concerns(path, name):
    statement, expected = DAMAGE[name]
    tamper(path, statement)

    found = failing(path)

    assert set(found) == set(expected), found
    for check, word in expected.items():
        assert word in found[check]


@pytest.mark.parametrize(
    "trigger", ["dmf_event_no_update", "dmf_event_no_delete", "dmf_event_no_replace"]
)
def test_a_guard_of_the_event_log_that_is_gone_is_named(path, trigger):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TRIGGER {trigger}")

    assert failing(path) == {"schema": f"{trigger}: 정의가 없습니다"}


def test_a_guard_of_the_event_log_that_guards_nothing_is_named(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER dmf_event_no_delete")
        connection.execute(
            "CREATE TRIGGER dmf_event_no_delete BEFORE DELETE ON dmf_event BEGIN SELECT 1; END"
        )

    assert failing(path) == {"schema": "dmf_event_no_delete: 정의가 다릅니다"}


def test_two_current_versions_are_named(path):
    tamper(
        path,
        "DROP INDEX ux_record_current",
        "UPDATE dmf_record SET is_current = 1, valid_to = NULL WHERE natural_key = 'C'",
    )

    found = failing(path)

    assert found["schema"] == "ux_record_current: 정의가 없습니다"
    assert found["one_current_version"] == "C: 현재 판이 둘 이상입니다"
    assert found["intervals"].startswith("C:")


def test_a_damaged_page_fails_the_checks_and_stops_none_of_them(path):
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'dmf_record'"
        (root,) = connection.execute(query).fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)

    found = failing(path)

    assert "event_replay" in found
    assert "sqlite_integrity" in found


def test_a_run_accepted_while_the_history_is_verified_is_no_damage(path):
    """The table is compared with the log as both stood when the first proof began."""
    with Store(path) as store, Store(path) as writer:

        def let_a_run_end(sql: str) -> None:
            if sql == "SELECT * FROM dmf_record WHERE is_current = 1":
                Diary(writer).read(a_record("M"), at=moment(8))

        store._connection.set_trace_callback(let_a_run_end)
        n_before = len(store.rows("SELECT * FROM dmf_event"))

        assert all(check.ok for check in verify_history(store))
        assert len(store.rows("SELECT * FROM dmf_event")) > n_before
