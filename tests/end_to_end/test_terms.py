"""A text that forbids crawling ends the run, and every later one until a person decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from dmf_crawler.workbench.rehearsal.terms_life import TermsLife
from tests.end_to_end.homes import Board, RehearsalHome, new_home

SENTENCE = "이 사이트의 정보를 크롤링 등 자동화된 수단으로 수집하는 행위를 금지합니다."
OTHER = "로봇, 스파이더 등을 이용한 무단 수집을 금합니다."
FORBIDS = Switches(list_text=f"<p>{SENTENCE}</p>")
ROWS = Life(n_rows=120).rows
POSTS = NoticeLife().rows


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(ROWS) as site:
        yield site, new_home(tmp_path / "home", site.base_url)


def ended(run):
    return run["status"], run["exit_code"], run["error"] and run["error"]["code"]


STOPPED = ("FAILED", 7, "terms_forbid")


def test_a_list_page_that_forbids_ends_the_run_at_once(stage):
    site, home = stage
    home.run("2026-12-01")
    before = home.history_content()
    site.switches = FORBIDS
    site.clear_log()

    run = home.run("2026-12-02")

    assert ended(run) == STOPPED
    for piece in (SENTENCE, f"{site.base_url}/pbp/CCBAC03/getList", "terms confirm"):
        assert piece in run["error"]["message"]
    assert [request.path for request in site.log] == ["/robots.txt", "/pbp/CCBAC03/getList"]
    assert home.history_content() == before
    assert [gate["code"] for gate in run["gates"] if gate["outcome"] == "reject"] == ["G-0"]
    ((passage, url, sha256, decided_at),) = home.rows(
        "SELECT passage, source_url, source_sha256, decided_at FROM terms_stop"
    )
    assert (passage, decided_at) == (SENTENCE, None)
    assert url.startswith(f"{site.base_url}/pbp/CCBAC03/getList?")
    kept = home.root.glob(f"raw/*/dmf_registry/{run['run_id']}/*.html.gz")
    assert any(path.name.startswith(sha256[:16]) for path in kept)


def test_until_a_person_decides_no_run_sends_anything(stage):
    site, home = stage
    site.switches = FORBIDS
    home.run("2026-12-01")
    site.switches = Switches()
    site.clear_log()

    assert ended(home.run("2026-12-01", hour=8)) == STOPPED
    assert ended(home.run("2026-12-02", "--full")) == STOPPED
    assert ended(home.run("2026-12-03", "--dry-run")) == STOPPED
    assert (site.log, site.n_connections) == ([], 1)

    exit_code, payload = home.command("terms", "confirm", "--note", "허용됨을 확인", "--now", NOW)

    assert exit_code == 0
    assert [each["passage"] for each in payload["decided"]] == [SENTENCE]
    site.switches = FORBIDS  # the same sentence stops nothing any more
    assert ended(home.run("2026-12-05")) == ("OK", 0, None)
    site.switches = Switches(list_text=f"<p>{SENTENCE}</p><p>{OTHER}</p>")
    site.clear_log()
    assert ended(home.run("2026-12-06")) == STOPPED  # another one does
    assert len(site.log) == 2


NOW = "2026-12-04T07:00:00+09:00"


def test_the_schedule_does_not_try_again_that_day_and_fails_without_network_later(stage):
    site, home = stage
    site.switches = FORBIDS

    def start(moment: str) -> int:
        exit_code, _ = home.command("run", "--scheduled", "--now", f"{moment}:00+09:00")
        return int(exit_code)

    assert start("2026-12-01T06:00") == 7
    n_asked = len(site.log)
    assert [start(f"2026-12-01T{at}") for at in ("06:30", "07:00")] == [0, 0]
    assert [start(f"2026-12-0{day}T06:00") for day in (2, 3)] == [7, 7]
    assert start("2026-12-03T07:00") == 0
    assert len(site.log) == n_asked
    assert home.rows("SELECT day FROM attempt") == [
        ("2026-12-01",), ("2026-12-02",), ("2026-12-03",),
    ]  # fmt: skip


def test_a_robots_txt_that_forbids_in_words_is_the_last_request(stage):
    site, home = stage
    site.switches = Switches(robots_text=f"# {SENTENCE}\nUser-agent: *\nAllow: /\n")
    assert ended(home.run("2026-12-01")) == STOPPED
    assert [request.path for request in site.log] == ["/robots.txt"]


def test_the_alert_and_doctor_tell_of_a_stop(stage):
    site, home = stage
    site.switches = FORBIDS
    home.run("2026-12-01")

    text = (home.root / "reports/ALERT_2026-12-01.txt").read_text(encoding="utf-8-sig")
    assert "[terms_forbid]" in text
    assert SENTENCE not in text
    exit_code, payload = home.command("doctor")
    (check,) = [each for each in payload["checks"] if each["name"] == "terms"]
    assert (exit_code, payload["error"]["code"]) == (7, "terms_forbid")
    assert check["outcome"] == "fail"
    assert SENTENCE in check["found"]
    assert "terms confirm" in check["next"]
    assert not (home.root / "reports/DMF_2026-12-01.xlsx").exists()


# --- the pages behind the list -------------------------------------------------------------------


@pytest.fixture
def board(tmp_path):
    with RehearsalSite(ROWS, notices=POSTS) as site:
        yield Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


def test_a_post_that_forbids_ends_the_run_of_its_board_and_refuses_the_other_board(board):
    board.site.notices = (replace(POSTS[0], blocks=(SENTENCE,)), *POSTS[1:])

    run = board.run("2026-12-01")

    assert ended(run) == STOPPED
    details = board.asked("detail")
    assert [request.path.rpartition("/")[2] for request in details] == [POSTS[0].post_id]
    assert board.site.log[-1] == details[0]
    assert board.home.rows("SELECT count(*) FROM dmf_record") == [(0,)]
    board.site.clear_log()
    refused = board.home.run("2026-12-01", "--board", "dmf_registry", hour=7)
    assert ended(refused) == STOPPED
    assert board.site.log == []


def test_a_stop_that_a_killed_run_could_not_record_is_found_in_what_it_kept(board):
    """The post was kept, and the process died before the stop was on disk."""
    board.site.notices = (replace(POSTS[0], blocks=(SENTENCE,)), *POSTS[1:])
    run = board.run("2026-12-01")
    board.home.execute("DELETE FROM terms_stop")
    board.home.execute(
        "UPDATE crawl_run SET status = 'RUNNING', error_code = NULL, finished_at = NULL"
        f" WHERE run_id = '{run['run_id']}'"
    )

    again = board.run("2026-12-01", hour=7)

    assert ended(again) == STOPPED
    assert board.asked("detail") == []


# --- several hosts -------------------------------------------------------------------------------


@pytest.fixture
def two_sites(tmp_path, monkeypatch):
    monkeypatch.setenv("DMF_OPENAPI_KEY", "rehearsal-key")
    with RehearsalSite(ROWS) as site, RehearsalSite(ROWS) as api:
        home = new_home(tmp_path / "home", site.base_url, api_base_url=api.base_url)
        yield site, api, home


def test_a_stop_of_one_site_does_not_stop_a_board_on_another(two_sites):
    site, api, home = two_sites
    home.choose("openapi")
    api.switches = Switches(robots_text=f"# {SENTENCE}\nUser-agent: *\nAllow: /\n")
    assert ended(home.run("2026-12-01")) == STOPPED
    assert site.log == []
    home.choose("html")
    assert ended(home.run("2026-12-02")) == ("OK", 0, None)
    home.choose("html", "openapi")  # its cross-check alone is refused
    n_asked = len(api.log)
    run = home.run("2026-12-03")
    assert ended(run) == ("HELD", 3, "source_missing")
    assert "[terms_forbid]" in run["error"]["message"]
    assert len(api.log) == n_asked


def test_a_cross_check_that_forbids_ends_the_run_that_finds_it(two_sites):
    _, api, home = two_sites
    home.choose("html", "openapi")
    api.switches = Switches(robots_text=f"# {SENTENCE}\nUser-agent: *\nAllow: /\n")
    assert ended(home.run("2026-12-01")) == STOPPED


# --- the page of the terms -----------------------------------------------------------------------


@pytest.fixture
def terms_home(tmp_path):
    with RehearsalSite(ROWS, terms=TermsLife().terms) as site:
        yield site, new_home(tmp_path / "home", site.base_url, with_terms=True)


def run_terms(home: RehearsalHome, day: str):
    return home.run(day, "--board", "nedrug_terms")


def alerts(home: RehearsalHome) -> list[str]:
    return [code for (code,) in home.rows("SELECT code FROM alert ORDER BY alert_id")]


def test_terms_that_change_are_told_and_terms_that_forbid_stop(terms_home):
    site, home = terms_home
    assert ended(run_terms(home, "2026-12-01")) == ("OK", 0, None)
    assert alerts(home) == []
    site.switches = Switches(terms_change="content")
    assert ended(run_terms(home, "2026-12-02")) == ("OK", 0, None)
    assert alerts(home) == ["terms_changed"]
    assert ended(run_terms(home, "2026-12-03")) == ("OK", 0, None)
    assert alerts(home) == ["terms_changed"]
    site.switches = Switches(terms_change="forbidding")
    assert ended(run_terms(home, "2026-12-04")) == STOPPED
    assert alerts(home) == ["terms_changed", "terms_forbid"]
    site.clear_log()
    exit_code, payload = home.command("calibrate", "nedrug_terms", "--now", NOW)
    assert (exit_code, payload["error"]["code"]) == (7, "terms_forbid")
    assert site.log == []
