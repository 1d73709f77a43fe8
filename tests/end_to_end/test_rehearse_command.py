"""The `rehearse` command as a newcomer sees it, and how it tells a difference."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, time
from pathlib import Path

import pytest

from dmf_crawler.cli.commands import run_command
from dmf_crawler.cli.rehearse import DayRunner, make_answer
from dmf_crawler.config import load_home, shipped_home
from dmf_crawler.errors import UsageError
from dmf_crawler.model.change import EventType
from dmf_crawler.model.run import KST
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from dmf_crawler.workbench.rehearse import compare_day, make_home, rehearse_days
from tests.end_to_end.homes import new_home
from tests.processes import environment


def test_each_day_is_told_in_korean_with_what_was_found_and_what_happened(tmp_path, capsys):
    exit_code = run_command(
        ["rehearse", "--keep", str(tmp_path / "home"), "--rows", "120", "--days", "2"],
        stdout=io.StringIO(),
    )

    told = capsys.readouterr().out
    assert exit_code == 0
    for piece in ("연습 사이트 http://127.0.0.1:", "2026-11-30 (월)", "2026-12-01 (화)", "정상"):
        assert piece in told
    assert told.count("-> 일치") == 2
    assert str(tmp_path / "home" / "reports" / "DMF_2026-12-01.xlsx") in told


def test_a_folder_that_holds_something_is_not_used(tmp_path):
    (tmp_path / "mine.txt").write_text("keep me", encoding="utf-8")
    err = io.StringIO()

    exit_code = run_command(["rehearse", "--keep", str(tmp_path)], stderr=err)

    assert exit_code == 2
    assert "folder_not_empty" in err.getvalue()
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_home_for_rehearsals_differs_by_host_and_delay_alone(tmp_path):
    make_home(tmp_path / "home", "http://127.0.0.1:8080")

    differing = [
        (ours, theirs)
        for name in ("boards", "settings")
        for ours, theirs in zip(
            (tmp_path / f"home/config/{name}.yaml").read_text(encoding="utf-8").splitlines(),
            (shipped_home() / f"config/{name}.yaml").read_text(encoding="utf-8").splitlines(),
            strict=True,
        )
        if ours != theirs
    ]
    assert differing == [
        ("    base_url: http://127.0.0.1:8080", "    base_url: https://nedrug.mfds.go.kr"),
        ("  min_delay_s: 0.0", "  min_delay_s: 2.0"),
    ]


PRESS_CTRL_C_AT_A_LINE = """
import _thread, sys, threading
from dmf_crawler.cli.commands import run_command
def press():
    if sys.stdin.readline():
        _thread.interrupt_main()
threading.Thread(target=press, daemon=True).start()
sys.exit(run_command(sys.argv[1:]))
"""


def test_the_site_stays_up_for_work_by_hand_until_ctrl_c(tmp_path):
    words = ["rehearse", "--keep", str(tmp_path / "home"), "--rows", "60", "--days", "1", "--serve"]
    with subprocess.Popen(
        [sys.executable, "-X", "utf8", "-c", PRESS_CTRL_C_AT_A_LINE, *words],
        env=environment(PYTHONIOENCODING="utf-8"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "-m dmf_crawler run --home" in line:
                break
        home = new_home_at(tmp_path / "home")
        out = io.StringIO()
        by_hand = ["run", "--home", str(home), "--now", "2026-12-31T06:00:00+09:00"]
        assert run_command(by_hand, stdout=out) == 0
        rest, _ = process.communicate("\n", timeout=60)
        assert process.returncode == 0

    assert "연습 사이트를 닫았습니다" in rest
    assert "정상" in out.getvalue()


def new_home_at(root: Path) -> Path:
    assert (root / "config/settings.yaml").is_file()
    return root


@pytest.fixture
def lived(tmp_path):
    """A baseline and one more day: the rows, the truth and what was found."""
    life = Life(n_rows=120)
    with RehearsalSite(life.rows) as site:
        new_home(tmp_path / "home", site.base_url)
        run_day = DayRunner(load_home(tmp_path / "home"))
        run_day(datetime.combine(life.day, time(6), KST))
        truth = life.advance()
        site.rows = life.rows
        found = run_day(datetime.combine(life.day, time(6), KST))
    return life, truth, found


def test_what_agrees_is_neither_false_nor_missed(lived):
    life, truth, found = lived
    day = compare_day(life.day, life.rows, truth, found)
    assert (day.false_events, day.missed_events) == (0, 0)
    assert sum(day.truth.values()) == len(truth.happenings) > 0


def test_an_event_that_was_not_recorded_is_missed(lived):
    life, truth, found = lived
    day = compare_day(life.day, life.rows, truth, replace(found, events=found.events[1:]))
    assert (day.false_events, day.missed_events) == (0, 1)


def test_an_event_of_another_kind_is_false_and_the_true_one_missed(lived):
    life, truth, found = lived
    wrong = replace(found.events[0], event_type=EventType.WITHDRAWN)
    day = compare_day(life.day, life.rows, truth, replace(found, events=(wrong, *found.events[1:])))
    assert (day.false_events, day.missed_events) == (1, 1)


def test_a_record_that_differs_in_one_cell_is_false(lived):
    life, truth, found = lived
    first = found.records[0]
    wrong = replace(first, fields={**first.fields, "maker_names": ("somebody else",)})
    day = compare_day(
        life.day, life.rows, truth, replace(found, records=(wrong, *found.records[1:]))
    )
    assert (day.false_events, day.missed_events) == (1, 0)


def test_a_record_that_is_not_there_is_missed(lived):
    life, truth, found = lived
    day = compare_day(life.day, life.rows, truth, replace(found, records=found.records[1:]))
    assert (day.false_events, day.missed_events) == (0, 1)


def test_a_rehearsal_that_differs_does_not_end_well(tmp_path, lived):
    life, truth, found = lived
    day = compare_day(life.day, life.rows, truth, replace(found, records=found.records[1:]))

    answer = make_answer(load_home(tmp_path / "home"), [day])

    assert answer.exit_code == 1
    assert answer.payload["missed_events"] == 1
    assert answer.error is not None
    assert answer.error[0] == "rehearsal_differs"


def test_a_day_that_is_refused_is_told_and_ends_the_rehearsal_with_its_code(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows, switches=Switches(robots="server_error")) as site:
        new_home(tmp_path / "home", site.base_url)
        home = load_home(tmp_path / "home")
        days = list(rehearse_days(site, life, 1, DayRunner(home)))

    answer = make_answer(home, days)

    assert answer.exit_code == 7
    assert answer.error is not None
    assert answer.error[0] == "robots_unreachable"
    assert answer.payload["days"][0]["status"] == "FAILED"


def test_a_changed_shipped_configuration_is_named(tmp_path):
    """In a checkout the shipped folder is the user's own; a rehearsal must find host and delay."""
    shipped = tmp_path / "shipped"
    for folder in ("config", "selectors"):
        shutil.copytree(shipped_home() / folder, shipped / folder)
    boards = shipped / "config/boards.yaml"
    text = boards.read_text(encoding="utf-8")
    boards.write_text(text.replace("nedrug.mfds.go.kr", "example.go.kr"), encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        make_home(tmp_path / "home", "http://127.0.0.1:1", shipped=shipped)

    assert caught.value.code == "shipped_home_changed"


def test_a_slower_pace_in_the_shipped_configuration_does_not_hinder_a_rehearsal(tmp_path):
    shipped = tmp_path / "shipped"
    for folder in ("config", "selectors"):
        shutil.copytree(shipped_home() / folder, shipped / folder)
    settings = shipped / "config/settings.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("min_delay_s: 2.0", "min_delay_s: 5"), encoding="utf-8")

    make_home(tmp_path / "home", "http://127.0.0.1:1", shipped=shipped)

    assert load_home(tmp_path / "home").settings.politeness.min_delay_s == 0
