"""`doctor`: each check where all is well, and where it is not."""

from __future__ import annotations

import shutil
import sqlite3
from argparse import Namespace
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from dmf_crawler.acquire.measures import measure_answers
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.doctor import examine, tell_diagnoses
from dmf_crawler.cli.home import hold_lock
from dmf_crawler.cli.lived import collect_review_points
from dmf_crawler.cli.machine_checks import Machine, count_free_bytes
from dmf_crawler.cli.tune import tune
from dmf_crawler.config import load_home, shipped_home
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.model.run import Fault, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.runs import begin_run, finish_run, get_run, last_accepted_run
from dmf_crawler.persist.store import Store
from tests.cli.asking import ask, at, say
from tests.fakes.world import START
from tests.pages import read
from tests.persist.tampering import tamper

BOARD = "dmf_registry"
NAMES = [
    "home_on_local_disk", "configuration", "contact", "selectors", "api_key", "folder_var",
    "folder_raw", "folder_logs", "folder_reports", "lock", "disk_free", "history", "last_accepted",
    "held_runs", "terms", "review_points",
]  # fmt: skip
PLENTY = 10**12


def pc(now: datetime = START, *, free: int = PLENTY, is_remote: bool = False) -> Machine:
    return Machine(now, is_remote=lambda _: is_remote, count_free=lambda _: free)


def look_at(root: Path, machine: Machine | None = None) -> dict[str, Diagnosis]:
    """Return the diagnoses of a home by name, of which each stands there once."""
    found = list(examine(root, machine or pc()))
    assert [each.name for each in found] == NAMES
    return {each.name: each for each in found}


def answer_of(root: Path, machine: Machine | None = None) -> Answer:
    return tell_diagnoses(list(examine(root, machine or pc())))


def error_of(answer: Answer) -> tuple[int, str]:
    assert answer.error is not None
    return answer.exit_code, answer.error[0]


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def add_run(
    root: Path,
    started_at: datetime = START,
    status: RunStatus = RunStatus.OK,
    *,
    lasts: timedelta = timedelta(minutes=5),
    corrects: str = "",
    reuse_rate: float = 1.0,
) -> str:
    with Store(load_home(root).database) as store:
        corrected = get_run(store, corrects) if corrects else None
        run = begin_run(store, BOARD, started_at, selector_version=1, reparse_of=corrected)
        fault = None if status is RunStatus.OK else Fault("row_count_jump", "많습니다.", 3)
        with store.atomic():
            summary = RunSummary(run, status, 0, n_rows=1, fault=fault)
            finish_run(store, summary, started_at + lasts)
    change = f"UPDATE crawl_run SET reuse_rate = {reuse_rate} WHERE run_id = '{run.run_id}'"
    tamper(load_home(root).database, change)
    return run.run_id


@pytest.fixture
def home(empty_home: Path) -> Path:
    """A home whose list was accepted at START, the moment of `pc()`."""
    add_run(empty_home)
    return empty_home


# --- the whole -----------------------------------------------------------------------------------


def test_all_is_well_after_a_day_that_was_lived_through(lived_home: Path):
    with Store(load_home(lived_home).database, for_reading=True) as store:
        row = last_accepted_run(store, BOARD)
    assert row is not None

    answer = answer_of(lived_home, pc(row.run.started_at))

    assert (answer.exit_code, answer.error) == (0, None)
    assert [each["name"] for each in answer.payload["checks"]] == NAMES
    assert {each["outcome"] for each in answer.payload["checks"]} == {"ok"}
    assert {each["next"] for each in answer.payload["checks"]} == {""}
    of_boards = {each["name"]: each["board"] for each in answer.payload["checks"]}
    assert [name for name in NAMES if of_boards[name]] == ["selectors", "last_accepted"]
    assert {line.split()[0] for line in answer.text.splitlines()} == {"정상"}


def test_the_command_answers_with_every_check(lived_home: Path):
    asked = at(lived_home, "doctor")

    told = {each["name"]: each for each in asked.json["checks"]}
    assert [*told] == NAMES
    assert set(told["lock"]) == {"name", "board", "outcome", "found", "next"}
    assert told["configuration"]["outcome"] == "ok"
    assert f"정상  selectors ({BOARD}): " in say(lived_home, "doctor").out


def test_a_home_is_left_as_it_was(empty_home: Path):
    before = sorted(empty_home.rglob("*"))

    look_at(empty_home)
    ask("doctor", "--home", str(empty_home))

    assert sorted(empty_home.rglob("*")) == before


def test_a_home_with_a_history_is_left_as_it_was(home: Path):
    before = {path: path.stat().st_size for path in home.rglob("*") if path.is_file()}

    look_at(home)

    after = {path: path.stat().st_size for path in home.rglob("*") if path.is_file()}
    assert after == before


def test_warnings_alone_are_not_all_well():
    well = Diagnosis("lock", Health.OK, "좋습니다.")
    warned = Diagnosis("held_runs", Health.WARN, "한 건", "pending 하십시오.")

    assert tell_diagnoses([well]).exit_code == 0
    answer = tell_diagnoses([well, warned])

    assert error_of(answer) == (2, "doctor_warnings")
    assert answer.error is not None
    assert "이상 0건, 주의 1건" in answer.error[1]
    assert "held_runs): 한 건 pending 하십시오." in answer.error[1]
    assert answer.text.splitlines() == [
        "정상  lock: 좋습니다.", "주의  held_runs: 한 건", "      할 일: pending 하십시오.",
    ]  # fmt: skip


def test_the_worse_decides_the_exit_code():
    warned = Diagnosis("held_runs", Health.WARN, "한 건", "pending")
    configuration = Diagnosis("selectors", Health.FAIL, "틀림\n둘째 줄", "고치기", BOARD)
    machine = Diagnosis("disk_free", Health.FAIL, "모자람", "비우기")

    answer = tell_diagnoses([warned, configuration])
    assert error_of(answer) == (2, "doctor_configuration")
    assert f"이상  selectors ({BOARD}): 틀림\n      둘째 줄\n" in answer.text

    answer = tell_diagnoses([warned, configuration, machine])
    assert error_of(answer) == (5, "doctor_failed")
    assert answer.error is not None
    assert "첫째(disk_free)" in answer.error[1]


def test_no_home_at_all_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DMF_HOME", raising=False)

    asked = ask("doctor", "--json")

    assert (asked.exit_code, asked.error_code, asked.json["checks"]) == (2, "no_home", [])


@pytest.mark.parametrize("name", NAMES)
def test_every_check_is_explained(name: str):
    section = read("docs/operations.md").partition("\n## What doctor checks\n")[2]
    assert f"`{name}`" in section.partition("\n## ")[0]


# --- configuration -------------------------------------------------------------------------------


def test_a_mistake_in_the_configuration_is_told_and_what_hangs_on_it_is_not_called_well(home: Path):
    rewrite(home / "config/settings.yaml", "max_redirects: 5", "max_redirects: many")

    told = look_at(home)

    assert told["configuration"].outcome is Health.FAIL
    assert "config/settings.yaml" in told["configuration"].found
    assert "[invalid_value]" in told["configuration"].found
    unseen = {name for name, each in told.items() if each.outcome is Health.WARN}
    assert unseen == {
        "contact", "selectors", "api_key", "folder_reports", "last_accepted", "terms",
        "review_points",
    }  # fmt: skip
    assert error_of(answer_of(home)) == (2, "doctor_configuration")


def test_a_folder_without_configuration_is_no_home(tmp_path: Path):
    told = look_at(tmp_path / "none")

    assert "[missing_file]" in told["configuration"].found
    assert not (tmp_path / "none").exists()


def test_boards_that_are_all_off_are_a_mistake(home: Path):
    rewrite(home / "config/boards.yaml", "enabled: true", "enabled: false")

    told = {each.name: each for each in examine(home, pc())}

    assert told["configuration"].outcome is Health.FAIL
    assert "no_boards" in told["configuration"].found
    assert "selectors" not in told


def make_real_home(root: Path, *, contact: str, terms: str) -> Path:
    for folder in ("config", "selectors"):
        shutil.copytree(shipped_home() / folder, root / folder)
    rewrite(root / "config/boards.yaml", "terms_checked_on: null", f"terms_checked_on: {terms}")
    rewrite(root / "config/settings.yaml", 'contact: ""', f'contact: "{contact}"')
    return root


def test_a_contact_is_asked_for_where_a_real_site_is_enabled(tmp_path: Path):
    root = make_real_home(tmp_path, contact="", terms='"2026-12-01"')

    told = look_at(root)

    assert told["contact"].outcome is Health.FAIL
    assert "identity.contact" in told["contact"].next_step
    assert "[contact_missing]" in told["configuration"].found


def test_a_contact_is_missed_beside_other_mistakes_too(tmp_path: Path):
    told = look_at(make_real_home(tmp_path, contact="", terms="null"))

    assert "[terms_not_checked]" in told["configuration"].found
    assert told["contact"].outcome is Health.FAIL


def test_a_contact_that_is_set_is_shown(tmp_path: Path):
    told = look_at(make_real_home(tmp_path, contact="ra@example.com", terms='"2026-12-01"'))

    assert told["configuration"].outcome is Health.OK
    assert told["contact"] == Diagnosis("contact", Health.OK, "담당자 ra@example.com")


def test_no_contact_is_needed_where_all_sites_are_rehearsed(home: Path):
    told = look_at(home)["contact"]

    assert (told.outcome, "필요 없습니다" in told.found) == (Health.OK, True)


def test_selectors_of_a_board_that_cannot_be_used_are_named(home: Path):
    path = home / f"selectors/{BOARD}.yaml"
    rewrite(path, f"board_id: {BOARD}", "board_id: another")

    told = look_at(home)

    assert told["configuration"].outcome is Health.OK
    assert (told["selectors"].outcome, told["selectors"].board) == (Health.FAIL, BOARD)
    assert "another" in told["selectors"].found
    assert error_of(answer_of(home)) == (2, "doctor_configuration")


KEY = "DMF_OPENAPI_KEY"
GOOD_KEY = "0123456789abcdefABCDEF" * 4


def test_no_key_is_needed_where_no_board_uses_the_open_api(home: Path):
    told = look_at(home)["api_key"]

    assert (told.outcome, told.board) == (Health.OK, "")


def test_a_primary_source_without_its_key_is_a_mistake(home: Path, monkeypatch: pytest.MonkeyPatch):
    rewrite(home / "config/boards.yaml", "primary: html             #", "primary: openapi #")
    monkeypatch.delenv(KEY, raising=False)

    told = look_at(home)["api_key"]

    assert (told.outcome, told.board) == (Health.FAIL, BOARD)
    assert "[api_key_missing]" in told.found
    assert error_of(answer_of(home)) == (2, "doctor_configuration")

    monkeypatch.setenv(KEY, GOOD_KEY)
    told = look_at(home)["api_key"]
    assert told.outcome is Health.OK
    assert GOOD_KEY not in told.found


@pytest.mark.parametrize("key", ["", "not a key"])
def test_a_cross_check_without_its_key_is_a_warning(
    key: str, home: Path, monkeypatch: pytest.MonkeyPatch
):
    path = home / "config/boards.yaml"
    rewrite(path, "cross_checks: []          #", "cross_checks: [openapi] #")
    monkeypatch.setenv(KEY, key)

    told = look_at(home)["api_key"]

    assert (told.outcome, told.board) == (Health.WARN, BOARD)
    assert KEY in told.found
    monkeypatch.setenv(KEY, GOOD_KEY)
    assert look_at(home)["api_key"].outcome is Health.OK


# --- the machine ---------------------------------------------------------------------------------


def test_a_home_on_a_network_drive_fails(home: Path):
    told = look_at(home, pc(is_remote=True))["home_on_local_disk"]

    assert told.outcome is Health.FAIL
    assert str(home) in told.found
    assert error_of(answer_of(home, pc(is_remote=True))) == (5, "doctor_failed")


@pytest.mark.parametrize("folder", ["raw", "reports", "logs", "var"])
def test_a_folder_that_takes_no_file_fails(folder: str, empty_home: Path):
    """A file has the folder's name: what no right of the user can pass, on any system."""
    (empty_home / folder).write_bytes(b"")

    told = look_at(empty_home)

    failed = [name for name, each in told.items() if each.outcome is Health.FAIL]
    assert failed == [f"folder_{folder}"]
    assert error_of(answer_of(empty_home)) == (5, "doctor_failed")


@pytest.mark.parametrize("folder", ["raw", "reports", "logs", "var"])
def test_a_file_is_written_into_each_folder_and_removed(folder: str, empty_home: Path):
    (empty_home / folder).mkdir(exist_ok=True)
    (empty_home / folder / ".doctor-trial").mkdir()  # stands in the way of the file

    assert look_at(empty_home)[f"folder_{folder}"].outcome is Health.FAIL

    (empty_home / folder / ".doctor-trial").rmdir()
    told = look_at(empty_home)[f"folder_{folder}"]
    assert (told.outcome, "아직 없습니다" in told.found) == (Health.OK, False)
    assert list((empty_home / folder).iterdir()) == []


def test_reports_are_looked_for_where_the_settings_say(home: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    settings = home / "config/settings.yaml"
    rewrite(settings, "reports_dir: reports", f"reports_dir: {elsewhere.as_posix()}")

    told = look_at(home)["folder_reports"]

    assert (told.outcome, str(elsewhere) in told.found) == (Health.FAIL, True)


def test_a_gigabyte_must_be_free(home: Path):
    assert look_at(home, pc(free=10**9))["disk_free"].outcome is Health.OK

    told = look_at(home, pc(free=10**9 - 1))["disk_free"]

    assert told.outcome is Health.FAIL
    assert "prune" in told.next_step
    assert error_of(answer_of(home, pc(free=10**9 - 1))) == (5, "doctor_failed")


def test_so_much_must_be_free_as_thirty_days_of_pages_take(lived_home: Path):
    """The pages of the two days are made large: what a page takes is what its file has."""
    for body in lived_home.glob(f"raw/*/{BOARD}/*/*.gz"):
        with body.open("r+b") as file:
            file.truncate(20_000_000)
    folders = list(lived_home.glob(f"raw/*/{BOARD}/*"))
    n_bytes = sum(answer.n_bytes for each in folders for answer in measure_answers(each))
    needed = 30 * n_bytes // len(folders)
    assert (len(folders), needed > 10**9) == (2, True)

    told = look_at(lived_home)["disk_free"]

    assert f"필요 {needed / 1e9:,.1f} GB" in told.found
    assert look_at(lived_home, pc(free=needed))["disk_free"].outcome is Health.OK
    assert look_at(lived_home, pc(free=needed - 1))["disk_free"].outcome is Health.FAIL


def test_pages_that_cannot_be_measured_stop_no_check(lived_home: Path):
    """That they are damaged, or gone, is told by `verify`."""
    damaged, gone = lived_home.glob(f"raw/*/{BOARD}/*")
    (damaged / "index.jsonl").write_bytes(b"\xff{no line}\n")
    shutil.rmtree(gone)

    told = look_at(lived_home)["disk_free"]

    assert (told.outcome, "필요 1.0 GB" in told.found) == (Health.OK, True)


def test_a_disk_that_cannot_be_asked_fails(home: Path):
    def refuse(_: Path) -> int:
        raise OSError(5, "no disk")

    told = look_at(home, replace(pc(), count_free=refuse))["disk_free"]

    assert (told.outcome, "no disk" in told.found) == (Health.FAIL, True)


def test_free_bytes_are_those_of_the_disk(tmp_path: Path):
    assert 0 < count_free_bytes(tmp_path) <= shutil.disk_usage(tmp_path).total


def test_a_lock_that_is_held_is_a_warning_and_a_free_one_stays_free(home: Path):
    with hold_lock(load_home(home)):
        told = look_at(home)["lock"]
    assert told.outcome is Health.WARN
    assert "status" in told.next_step

    (home / "var/run.lock").touch()
    assert look_at(home)["lock"].outcome is Health.OK
    with hold_lock(load_home(home)):
        pass


# --- what is stored ------------------------------------------------------------------------------


def test_a_home_before_its_first_run_lacks_a_list_alone(empty_home: Path):
    told = look_at(empty_home)

    warned = [name for name, each in told.items() if each.outcome is not Health.OK]
    assert warned == ["last_accepted"]
    assert "run" in told["last_accepted"].next_step
    assert "아직 없습니다" in told["history"].found
    assert error_of(answer_of(empty_home)) == (2, "doctor_warnings")


def test_a_history_that_is_none_fails(home: Path):
    path = load_home(home).database
    path.write_bytes(b"no database " * 100)

    told = look_at(home)

    assert told["history"].outcome is Health.FAIL
    assert "[database_damaged]" in told["history"].found
    for name in ("last_accepted", "held_runs", "review_points"):
        assert told[name].outcome is Health.WARN
    assert error_of(answer_of(home)) == (5, "doctor_failed")


def test_a_history_of_an_older_program_is_a_warning_and_is_not_migrated(home: Path):
    path = load_home(home).database
    set_version(path, 4)

    told = look_at(home)["history"]

    assert told.outcome is Health.WARN
    assert "[database_older]" in told.found
    assert read_version(path) == 4


def test_a_history_of_a_newer_program_fails(home: Path):
    set_version(load_home(home).database, 99)

    told = look_at(home)["history"]

    assert (told.outcome, "[database_newer]" in told.found) == (Health.FAIL, True)


def set_version(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def read_version(path: Path) -> int:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def test_a_damaged_page_of_the_history_fails(home: Path):
    """The page that an index begins with is overwritten: the file opens, and is not sound."""
    path = load_home(home).database
    connection = sqlite3.connect(path)
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'dmf_event'"
    ).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    told = look_at(home)["history"]

    assert told.outcome is Health.FAIL
    assert "verify" in told.next_step
    assert error_of(answer_of(home)) == (5, "doctor_failed")


@pytest.mark.parametrize(
    ("n_days", "outcome", "words"),
    [
        (0, Health.OK, "오늘"),
        (1, Health.OK, "1일 전"),
        (2, Health.WARN, "2일 전"),
        (40, Health.WARN, "40일 전"),
        (-1, Health.WARN, "보다 늦습니다"),
    ],
)
def test_the_last_accepted_day_may_be_yesterday(
    n_days: int, outcome: Health, words: str, home: Path
):
    told = look_at(home, pc(START + timedelta(days=n_days)))["last_accepted"]

    assert (told.outcome, told.board) == (outcome, BOARD)
    assert "2026-11-30" in told.found
    assert words in told.found
    assert bool(told.next_step) is (outcome is Health.WARN)


def test_a_correction_and_a_refused_run_are_no_new_list(home: Path):
    later = START + timedelta(days=5)
    add_run(home, later, corrects=f"20261130T060000-{BOARD}")
    add_run(home, later + timedelta(hours=1), RunStatus.REJECTED)

    told = look_at(home, pc(later))["last_accepted"]

    assert (told.outcome, "5일 전" in told.found) == (Health.WARN, True)


def test_a_held_run_waits_for_a_decision(home: Path):
    assert look_at(home)["held_runs"].outcome is Health.OK
    run_id = add_run(home, START + timedelta(hours=1), RunStatus.HELD)

    told = look_at(home)["held_runs"]

    assert (told.outcome, run_id in told.found) == (Health.WARN, True)
    assert "pending" in told.next_step
    assert error_of(answer_of(home)) == (2, "doctor_warnings")


def test_a_day_of_more_than_thirty_minutes_is_a_point_of_review(home: Path):
    add_run(home, START + timedelta(hours=1), lasts=timedelta(minutes=25))
    assert look_at(home)["review_points"].outcome is Health.OK  # 30 minutes together
    add_run(home, START + timedelta(hours=2), lasts=timedelta(minutes=1))

    told = look_at(home)["review_points"]

    assert told.outcome is Health.WARN
    assert "31분" in told.found
    assert "B.7" in told.found


def test_selectors_that_gave_way_are_a_point_of_review_that_tune_prints_too(home: Path):
    add_run(home, START + timedelta(days=1), reuse_rate=0.5)

    told = look_at(home, pc(START + timedelta(days=1)))["review_points"]

    assert told.outcome is Health.WARN
    with Store(load_home(home).database, for_reading=True) as store:
        (point,) = collect_review_points(load_home(home), store)
    assert told.found == point.message
    answer = tune(Namespace(home=home, board=None))
    assert answer.payload["review"] == [{"name": "unstable_site", "message": point.message}]
    assert point.message in answer.text


def test_many_boards_are_a_point_of_review_before_the_first_run_too(empty_home: Path):
    home = load_home(empty_home)
    many = [msgspec.structs.replace(home.boards[0], id=f"b{number}") for number in range(11)]

    assert collect_review_points(home, None) == ()
    (point,) = collect_review_points(replace(home, boards=tuple(many)), None)

    assert point.name == "uneven_schedule"
