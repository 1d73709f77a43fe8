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
from dmf_crawler.cli.rehearse import DayRunner, day_text, make_answer
from dmf_crawler.config import load_home, shipped_home
from dmf_crawler.errors import UsageError
from dmf_crawler.model.change import EventType
from dmf_crawler.model.run import KST
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches
from dmf_crawler.workbench.rehearsal.terms_life import TermsLife
from dmf_crawler.workbench.rehearse import (
    NOTICES,
    REGISTER,
    TERMS,
    RehearsedDay,
    compare_board,
    make_home,
    rehearse_days,
)
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
    assert told.count("-> 일치") == 6
    lines = [line for line in told.splitlines() if "-> 일치" in line]
    assert [line.split()[0] for line in lines] == [
        *("원료의약품등록(DMF)", "의약품안전나라", "의약품안전나라"),
        *("원료의약품등록(DMF)", "의약품안전나라", "의약품안전나라"),
    ]
    assert ["최초 수집" in lines[2], "변동 없음" in lines[5]] == [True, True]
    assert str(tmp_path / "home" / "reports" / "DMF_2026-12-01.xlsx") in told


def test_a_folder_that_holds_something_is_not_used(tmp_path):
    (tmp_path / "mine.txt").write_text("keep me", encoding="utf-8")
    err = io.StringIO()

    exit_code = run_command(["rehearse", "--keep", str(tmp_path)], stderr=err)

    assert exit_code == 2
    assert "folder_not_empty" in err.getvalue()
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_home_for_rehearsals_differs_by_hosts_and_delay_alone(tmp_path):
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
        ("    base_url: http://127.0.0.1:8080", "    base_url: https://apis.data.go.kr"),
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


@pytest.fixture(scope="module")
def two_days(tmp_path_factory):
    """A baseline and one more day of both boards: their lives, the truth, what was found."""
    root = tmp_path_factory.mktemp("two_days") / "home"
    life, notices = Life(n_rows=120), NoticeLife(n_posts=12)
    with RehearsalSite(life.rows, notices=notices.rows) as site:
        new_home(root, site.base_url, with_notices=True)
        run_day = DayRunner(load_home(root))
        run_day(datetime.combine(life.day, time(6), KST))
        truths = {REGISTER: life.advance(), NOTICES: notices.advance()}
        site.rows, site.notices = life.rows, notices.rows
        found = run_day(datetime.combine(life.day, time(6), KST))
    return root, {REGISTER: life, NOTICES: notices}, truths, found


@pytest.fixture(params=[REGISTER, NOTICES])
def lived(request, two_days):
    """The second day of one board: its id, its life, the truth and what was found."""
    _, lives, truths, found = two_days
    board_id = request.param
    return board_id, lives[board_id], truths[board_id], found[board_id]


def test_what_agrees_is_neither_false_nor_missed(lived):
    board_id, life, truth, found = lived
    board = compare_board(board_id, life, truth, found)
    assert (board.false_events, board.missed_events) == (0, 0)
    assert board.agrees
    assert sum(board.truth.values()) == len(truth.happenings) > 0


def test_an_event_that_was_not_recorded_is_missed(lived):
    board_id, life, truth, found = lived
    board = compare_board(board_id, life, truth, replace(found, events=found.events[1:]))
    assert (board.false_events, board.missed_events) == (0, 1)


def test_an_event_of_another_kind_is_false_and_the_true_one_missed(lived):
    board_id, life, truth, found = lived
    wrong = replace(found.events[0], event_type=EventType.WITHDRAWN)
    found = replace(found, events=(wrong, *found.events[1:]))
    board = compare_board(board_id, life, truth, found)
    assert (board.false_events, board.missed_events) == (1, 1)


@pytest.mark.parametrize(
    ("board_id", "change"),
    [
        (REGISTER, {"maker_names": ("somebody else",)}),
        (NOTICES, {"title": "다른 제목"}),
        (NOTICES, {"body": "다른 본문"}),
        (NOTICES, {"files": ("다른 파일.pdf (sha256:0123456789abcdef)",)}),
    ],
)
def test_a_record_that_differs_in_one_cell_is_false(two_days, board_id, change):
    _, lives, truths, found = two_days
    records = found[board_id].records
    wrong = replace(records[0], fields={**records[0].fields, **change})
    differing = replace(found[board_id], records=(wrong, *records[1:]))
    board = compare_board(board_id, lives[board_id], truths[board_id], differing)
    assert (board.false_events, board.missed_events) == (1, 0)


def test_a_post_without_its_text_is_false(two_days):
    _, lives, truths, found = two_days
    records = found[NOTICES].records
    fields = {name: value for name, value in records[0].fields.items() if name != "body"}
    lacking = replace(records[0], fields=fields)
    differing = replace(found[NOTICES], records=(lacking, *records[1:]))
    board = compare_board(NOTICES, lives[NOTICES], truths[NOTICES], differing)
    assert (board.false_events, board.missed_events) == (1, 0)


def test_a_record_that_is_not_there_is_missed(lived):
    board_id, life, truth, found = lived
    board = compare_board(board_id, life, truth, replace(found, records=found.records[1:]))
    assert (board.false_events, board.missed_events) == (0, 1)


@pytest.fixture
def differing_day(two_days):
    """The second day, one post missed."""
    _, lives, truths, found = two_days
    lacking = replace(found[NOTICES], records=found[NOTICES].records[1:])
    boards = (
        compare_board(REGISTER, lives[REGISTER], truths[REGISTER], found[REGISTER]),
        compare_board(NOTICES, lives[NOTICES], truths[NOTICES], lacking),
    )
    return RehearsedDay(lives[REGISTER].day, boards)


def test_a_rehearsal_that_differs_does_not_end_well(two_days, differing_day):
    answer = make_answer(load_home(two_days[0]), [differing_day])

    assert answer.exit_code == 1
    assert (answer.payload["false_events"], answer.payload["missed_events"]) == (0, 1)
    assert answer.error is not None
    assert answer.error[0] == "rehearsal_differs"


def test_a_day_sums_its_boards_and_tells_each(two_days, differing_day):
    day = make_answer(load_home(two_days[0]), [differing_day]).payload["days"][0]

    boards = day["boards"]
    assert list(boards) == [REGISTER, NOTICES]
    for name in ("truth", "found"):
        assert day[name] == {
            kind: sum(board[name][kind] for board in boards.values()) for kind in day[name]
        }
    assert [board["missed_events"] for board in boards.values()] == [0, 1]
    assert day["n_rows"] == boards[REGISTER]["n_rows"] > boards[NOTICES]["n_rows"] > 0
    assert (day["date"], day["status"]) == ("2026-12-01", "OK")
    assert {board["status"] for board in boards.values()} == {"OK"}


def test_a_board_that_differs_says_what_really_happened(differing_day):
    told = day_text(differing_day, {REGISTER: "목록", NOTICES: "notices"}).splitlines()

    assert told[2].startswith("  목록     정상")  # Hangul takes two columns a letter
    assert told[3].startswith("  notices  정상")
    assert told[2].endswith("-> 일치")
    assert told[3].endswith("-> 불일치")
    assert told[4].startswith("    실제: 신규 ")
    assert told[4].endswith("잘못 기록 0건, 놓침 1건")


def test_a_page_that_says_what_its_life_does_not_know_is_a_difference(tmp_path):
    """The rehearsal of a page can fail: in an event, and in what was recorded."""
    life, terms = Life(n_rows=20), TermsLife(amendments={})
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url, with_terms=True)
        home.switch(REGISTER, enabled=False)
        days = []
        run_day = DayRunner(load_home(tmp_path / "home"))
        for day in rehearse_days(site, life, 3, run_day, terms_life=terms):
            days.append(day.boards[0])
            if len(days) == 1:
                site.switches = replace(site.switches, terms_change="content")
            else:
                site.switches = replace(site.switches, terms_change="none")
    assert [(board.false_events, board.missed_events) for board in days] == [(0, 0), (2, 0), (1, 0)]
    assert [board.found["MODIFIED"] for board in days] == [0, 1, 1]
    lines = day_text(RehearsedDay(life.day, (days[1],)), {TERMS: "이용약관"}).splitlines()
    assert lines[2].endswith("내용 변경  -> 불일치")


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
    told = day_text(days[0], {REGISTER: "목록"})
    assert "실패  [robots_unreachable]" in told
    assert told.endswith("보고서: 없음")


def test_a_board_that_fails_gives_the_day_its_status_and_leaves_the_other_alone(tmp_path):
    life, notices = Life(n_rows=60), NoticeLife(n_posts=3)
    broken = Switches(troubles=(PageTrouble("login", place="notice_list"),))
    with RehearsalSite(life.rows, switches=broken) as site:
        new_home(tmp_path / "home", site.base_url, with_notices=True)
        home = load_home(tmp_path / "home")
        days = list(rehearse_days(site, life, 1, DayRunner(home), notices=notices))

    day = make_answer(home, days).payload["days"][0]

    assert day["status"] == "FAILED"
    assert {board_id: board["status"] for board_id, board in day["boards"].items()} == {
        REGISTER: "OK",
        NOTICES: "FAILED",
    }
    assert day["boards"][REGISTER]["false_events"] == day["boards"][REGISTER]["missed_events"] == 0
    assert day["report"] is not None


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
