"""A whole page, watched on the rehearsal site: fetched, judged, kept, calibrated, asked about.

Judged by the site's log, by the commands' JSON and by the history itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from dmf_crawler.config import load_home
from dmf_crawler.persist.store import Store
from dmf_crawler.prune import plan_prune
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, TroubleKind
from dmf_crawler.workbench.rehearsal.terms import ARTICLES, TermsText
from dmf_crawler.workbench.rehearsal.terms_page import TERMS_PATH
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.end_to_end.killing import run_and_kill

BOARD = "nedrug_terms"
DAYS = [f"2026-12-{number:02}" for number in range(1, 29)]
ALL_NOISE = frozenset({"counter", "clock", "order", "token", "banner"})


@dataclass
class Page:
    """The terms of use on a site, with a home that watches them alone."""

    site: RehearsalSite
    home: RehearsalHome

    def switch(self, **switches: Any) -> None:
        self.site.switches = replace(self.site.switches, **switches)

    def run(self, day: str, *words: str, hour: int = 6) -> dict[str, Any]:
        """Run it once; only what this run asked for is in the site's log afterwards."""
        self.site.clear_log()
        return self.home.run(day, *words, hour=hour)

    def asked(self) -> list[str]:
        return [request.path for request in self.site.log]

    def calibrate(self, day: str, hour: int = 7) -> tuple[int, dict[str, Any]]:
        self.site.clear_log()
        return self.home.command("calibrate", BOARD, "--now", f"{day}T{hour:02}:00:00+09:00")

    def threshold(self, bits: int) -> None:
        """Let the page be calibrated so."""
        self.home.execute(
            "INSERT INTO page_calibration (board_id, measured_at, n_reads, largest_distance,"
            f" threshold, schema_version) VALUES ('{BOARD}', '2026-12-01T07:00:00+09:00', 5,"
            f" {bits - 1}, {bits}, 1)"
        )

    def visits(self) -> list[tuple[Any, ...]]:
        return self.home.rows("SELECT movement, distance, threshold FROM page_visit ORDER BY rowid")

    def events(self) -> list[tuple[Any, ...]]:
        return self.home.rows("SELECT event_type, natural_key FROM dmf_event ORDER BY event_id")

    def body(self) -> str:
        ((text,),) = self.home.rows(
            "SELECT json_extract(payload_json, '$.body') FROM dmf_record WHERE is_current = 1"
        )
        return str(text)

    def assert_verifies(self) -> None:
        exit_code, proof = self.home.command("verify")
        assert exit_code == 0, [check for check in proof["checks"] if not check["ok"]]


@pytest.fixture
def page(tmp_path):
    with RehearsalSite((), terms=TermsText()) as site:
        home = new_home(tmp_path / "home", site.base_url, with_terms=True)
        home.switch("dmf_registry", enabled=False)
        yield Page(site, home)


# --- a page's days -------------------------------------------------------------------------------


def test_days_of_a_page_are_told_apart_and_the_history_verifies(page):
    first = page.run(DAYS[0])
    assert page.asked() == ["/robots.txt", TERMS_PATH]
    assert (first["status"], first["is_baseline"], first["movement"]) == ("OK", True, "first")
    assert (first["n_rows"], first["n_pages"], first["n_requests"]) == (1, 1, 2)
    assert first["counts"]["NEW"] == 1

    quiet = page.run(DAYS[1])  # counter, clock, order and token are others by now
    assert (quiet["movement"], sum(quiet["counts"].values())) == ("none", 0)
    assert page.asked() == ["/robots.txt", TERMS_PATH]
    assert quiet["report"].endswith(f"DMF_{DAYS[1]}.xlsx")

    page.switch(terms_change="content")
    changed = page.run(DAYS[2])
    assert (changed["movement"], changed["counts"]["MODIFIED"]) == ("content", 1)
    assert "어기면 이용을 제한" in page.body()
    assert any("review list" in warning for warning in changed["warnings"])

    page.switch(terms_change="none")
    page.site.terms = TermsText(articles=page.site.terms.articles, effective_on="2027. 1. 1.")
    field = page.run(DAYS[3])
    assert (field["movement"], field["counts"]["MODIFIED"]) == ("field", 1)
    assert page.run(DAYS[4])["movement"] == "none"

    assert page.events() == [("NEW", BOARD), ("MODIFIED", BOARD), ("MODIFIED", BOARD)]
    assert [movement for movement, _, _ in page.visits()] == [
        *("first", "none", "content", "field", "none")
    ]
    waiting = page.home.rows("SELECT run_id, is_terms, done_at FROM page_review")
    assert waiting == [(changed["run_id"], 1, None), (field["run_id"], 1, None)]
    prints = page.home.rows(
        "SELECT r.body_simhash = p.simhash FROM dmf_record r"
        " JOIN page_visit p ON p.run_id = r.first_seen_run"
    )
    assert prints == [(1,), (1,), (1,)]
    page.assert_verifies()


def test_a_page_of_two_states_by_turns_says_that_it_returned(page):
    page.run(DAYS[0])
    page.switch(terms_change="content")
    first = page.run(DAYS[1])
    assert not any("되돌아왔습니다" in warning for warning in first["warnings"])
    page.switch(terms_change="none")
    page.run(DAYS[2])
    page.switch(terms_change="content")
    page.run(DAYS[3])
    reasons = [why for (why,) in page.home.rows("SELECT why FROM page_visit ORDER BY rowid")]
    assert [f"{DAYS[0]} 에 처음" in why for why in reasons] == [False, False, True, False]
    assert [f"{DAYS[1]} 에 처음" in why for why in reasons] == [False, False, False, True]
    page.assert_verifies()


def test_gates_say_that_the_page_was_allowed_found_and_whole(page):
    run = page.run(DAYS[0])
    assert [(gate["code"], gate["outcome"]) for gate in run["gates"]] == [
        *(("G-0", "pass"), ("G-6", "pass"), ("G-10", "pass"))
    ]
    page.switch(terms_page="moved")
    moved = page.run(DAYS[1])
    (region,) = [gate for gate in moved["gates"] if gate["code"] == "G-6"]
    assert region["outcome"] == "warn"
    assert "#content" in region["message"]
    assert moved["status"] == "OK"


def test_a_page_in_another_charset_or_behind_a_redirect_says_the_same(page):
    page.run(DAYS[0])
    page.switch(troubles=(PageTrouble("euc_kr", place="terms"),))
    assert page.run(DAYS[1])["movement"] == "none"
    page.switch(troubles=(PageTrouble("redirect_inside", place="terms"),))
    assert page.run(DAYS[2])["movement"] == "none"
    assert page.asked() == ["/robots.txt", TERMS_PATH, TERMS_PATH]


def test_a_page_outside_its_own_scope_is_a_mistake_in_the_configuration(page):
    page.home.edit("config/boards.yaml", "scope: [/cmn/terms]", "scope: [/cmn/other]")
    exit_code, answer = page.home.command("run")
    assert (exit_code, answer["error"]["code"]) == (2, "invalid_value")
    assert "boards.2.page.scope" in answer["error"]["message"]
    assert page.asked() == []


def test_a_selectors_file_of_another_board_or_with_a_mistake_is_named(page):
    page.home.edit(f"selectors/{BOARD}.yaml", f"board_id: {BOARD}", "board_id: other")
    message = page.home.command("run")[1]["error"]["message"]
    assert f"selectors/{BOARD}.yaml" in message
    assert "board_id" in message
    page.home.edit(f"selectors/{BOARD}.yaml", "board_id: other", f"board_id: {BOARD}")
    page.home.edit(f"selectors/{BOARD}.yaml", 'region: "#content"', 'region: "#content["')
    assert "region" in page.home.command("run")[1]["error"]["message"]
    exit_code, answer = page.home.command("selectors", "check")
    assert (exit_code, answer["error"]["code"]) == (2, "selectors_refused")


# --- calibration ---------------------------------------------------------------------------------


def test_what_moves_by_itself_is_noise_once_it_was_measured_and_never_replaces_the_kept_state(page):
    page.switch(terms_noise=ALL_NOISE)
    exit_code, measured = page.calibrate(DAYS[0], hour=5)
    assert exit_code == 0
    assert page.asked() == ["/robots.txt", *[TERMS_PATH] * 5]
    assert measured["n_reads"] == 5
    assert measured["threshold"] == measured["largest_distance"] + 1
    assert page.home.rows("SELECT count(*) FROM crawl_run") == [(0,)]
    folder = page.home.root / f"raw/2026-11-30/{BOARD}" / measured["raw"]
    assert (folder / "index.jsonl").is_file()

    page.run(DAYS[0])
    kept = page.body()
    moved = [page.run(day)["movement"] for day in DAYS[1:5]]
    assert set(moved) <= {"none", "noise"}
    assert "noise" in moved
    assert page.body() == kept
    assert page.events() == [("NEW", BOARD)]
    assert {threshold for _, _, threshold in page.visits()} == {measured["threshold"]}

    page.switch(terms_change="content")
    assert page.run(DAYS[5])["movement"] == "content"
    page.assert_verifies()


def test_small_steps_are_held_against_the_last_kept_state_and_end_as_content(page):
    """Each day moves little from the day before; only the kept state shows how far it went."""
    page.switch(terms_noise=frozenset())
    page.run(DAYS[0])
    page.threshold(8)
    for number, step in enumerate(STEPS):
        articles = [
            (heading, f"{text} {step}" if number <= place <= number + 1 else text)
            for place, (heading, text) in enumerate(page.site.terms.articles)
        ]
        page.site.terms = replace(page.site.terms, articles=tuple(articles))
        if page.run(DAYS[number + 1])["movement"] != "noise":
            break
    *noise, last = page.visits()[1:]
    assert len(noise) >= 2
    assert {movement for movement, _, _ in noise} == {"noise"}
    assert last[0] == "content"
    assert last[1] > 8
    assert page.events() == [("NEW", BOARD), ("MODIFIED", BOARD)]
    page.assert_verifies()


STEPS = (
    "바다가 푸르고 물결이 잔잔하다.",
    "산이 높고 골짜기가 깊다.",
    "강물이 맑고 자갈이 둥글다.",
    "들판이 넓고 바람이 시원하다.",
    "숲이 깊고 나무가 굵다.",
    "하늘이 높고 구름이 희다.",
)


def test_a_calibration_keeps_the_pause_between_its_requests_and_a_run_rests_after_it(page):
    page.home.edit("config/settings.yaml", "min_delay_s: 0.0", "min_delay_s: 0.1")
    page.home.edit("config/settings.yaml", "calibration_reads: 5", "calibration_reads: 3")
    assert page.calibrate(DAYS[0], hour=7)[0] == 0
    page.home.execute("UPDATE checkpoint SET delay_s = 1.5")  # the site was slow just then
    page.home.run(DAYS[0], hour=7)  # as if at the very moment at which the calibration began
    pauses_s = [
        later.arrived_at_s - earlier.ended_at_s for earlier, later in pairwise(page.site.log)
    ]
    assert len(pauses_s) == 5
    assert min(pauses_s) >= 0.1
    assert pauses_s[3] >= 1.5


def test_status_shows_a_calibration_at_work(page):
    told: list[dict[str, Any]] = []

    def look(request):
        if request.path == TERMS_PATH and not told:
            told.append(page.home.command("status")[1])

    page.site.on_request = look
    page.calibrate(DAYS[0])
    (work,) = told[0]["running"]
    assert (work["board"], work["phase"], work["is_dry"]) == (BOARD, "page", True)
    assert work["run_id"].endswith("-calibrate")
    assert page.home.command("status")[1]["running"] == []


def test_a_page_that_never_moves_has_no_threshold(page):
    exit_code, measured = page.calibrate(DAYS[0])
    assert exit_code == 0
    assert (measured["largest_distance"], measured["threshold"]) == (None, None)


def test_a_page_that_changes_while_it_is_measured_is_not_calibrated(page):
    asked: list[str] = []

    def amend(request):
        asked.append(request.path)
        if asked.count(TERMS_PATH) == 3:
            page.switch(terms_change="effective_date")

    page.site.on_request = amend
    exit_code, refused = page.calibrate(DAYS[0])
    assert (exit_code, refused["error"]["code"]) == (4, "page_changed_meanwhile")
    assert page.home.rows("SELECT count(*) FROM page_calibration") == [(0,)]


def test_a_calibration_with_another_selectors_file_counts_no_more(page):
    page.switch(terms_noise=ALL_NOISE)
    page.calibrate(DAYS[0], hour=7)
    page.home.edit(f"selectors/{BOARD}.yaml", "schema_version: 1", "schema_version: 2")
    run = page.run(DAYS[0], hour=8)
    assert any("calibrate" in warning for warning in run["warnings"])
    assert page.visits() == [("first", None, None)]


def test_requests_of_a_calibration_count_for_the_day(page):
    page.home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 7")
    assert page.calibrate(DAYS[0], hour=7)[0] == 0  # six of them
    run = page.run(DAYS[0], hour=8)
    assert (run["exit_code"], run["error"]["code"]) == (4, "budget_exceeded")
    assert page.asked() == ["/robots.txt"]


@pytest.mark.parametrize(
    ("board", "code"), [("dmf_registry", "page_board_needed"), ("nowhere", "no_such_board")]
)
def test_only_a_page_board_is_calibrated(page, board, code):
    page.home.switch("dmf_registry", enabled=True)
    exit_code, answer = page.home.command("calibrate", board)
    assert (exit_code, answer["error"]["code"]) == (2, code)
    assert page.asked() == []


# --- pages that are none -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switches", "exit_code", "code"),
    [
        ({"terms_page": "gone"}, 6, "http_status"),
        ({"troubles": "error_page"}, 6, "error_page"),
        ({"troubles": "maintenance"}, 6, "maintenance_page"),
        ({"troubles": "login"}, 6, "login_page"),
        ({"troubles": "empty_body"}, 6, "empty_page"),
        ({"troubles": "truncated_length"}, 6, "truncated_body"),
        ({"troubles": "redirect_login"}, 6, "redirect_out_of_scope"),
        ({"robots_text": "User-agent: *\nDisallow: /cmn/\n"}, 7, "robots_disallowed"),
        ({"robots": "server_error"}, 7, "robots_unreachable"),
    ],
)
def test_what_is_not_the_page_leaves_the_history_as_it_is(page, switches, exit_code, code):
    page.run(DAYS[0])
    before = page.home.history_content()
    if isinstance(kind := switches.get("troubles"), str):
        trouble: TroubleKind = kind  # type: ignore[assignment]
        switches = {"troubles": (PageTrouble(trouble, place="terms"),)}
    page.switch(**switches)
    run = page.run(DAYS[1])
    assert (run["exit_code"], run["error"]["code"]) == (exit_code, code)
    assert run["status"] == "FAILED"
    assert page.home.history_content() == before
    if exit_code == 7:
        assert TERMS_PATH not in page.asked()
        assert run["gates"][0]["outcome"] == "reject"
    page.assert_verifies()


def test_a_page_without_its_region_is_refused(page):
    page.home.edit(f"selectors/{BOARD}.yaml", '["main"]', "[]")
    page.run(DAYS[0])
    before = page.home.history_content()
    page.switch(terms_page="no_region")
    run = page.run(DAYS[1])
    assert (run["status"], run["exit_code"]) == ("REJECTED", 4)
    assert run["error"]["code"] == "no_page_region"
    assert [gate["outcome"] for gate in run["gates"]] == ["pass", "hold", "reject"]
    assert page.home.history_content() == before


def test_a_field_that_is_found_no_more_is_no_empty_value(page):
    page.run(DAYS[0])
    before = page.home.history_content()
    file = f"selectors/{BOARD}.yaml"
    page.home.edit(file, 'selector: ".effective"', 'selector: ".moved"')
    run = page.run(DAYS[1])
    assert (run["exit_code"], run["error"]["code"]) == (4, "page_field_lost")
    assert "시행일: '2026. 1. 1.'" in run["error"]["message"]
    assert page.home.history_content() == before
    compared = page.home.command("reparse", "--date", DAYS[0])[1]
    assert [each["error"]["code"] for each in compared["runs"]] == ["page_field_lost"]

    # Who says that the page has it no more takes it out of the file.
    text = (page.home.root / file).read_text(encoding="utf-8")
    page.home.edit(file, text[text.index("fields:\n") :], "")
    assert page.run(DAYS[2])["movement"] == "none"
    page.switch(terms_change="content")
    assert page.run(DAYS[3])["movement"] == "content"
    assert page.run(DAYS[4])["movement"] == "none"
    changed = page.home.rows(
        "SELECT json_extract(changes_json, '$[0].field'), json_array_length(changes_json)"
        " FROM dmf_event WHERE event_type = 'MODIFIED'"
    )
    assert changed == [("body", 1)]
    page.assert_verifies()


def test_a_text_that_is_too_short_is_refused(page):
    page.site.terms = TermsText(articles=ARTICLES[:1])
    page.home.edit(f"selectors/{BOARD}.yaml", "min_characters: 200", "min_characters: 500")
    run = page.run(DAYS[0])
    assert (run["exit_code"], run["error"]["code"]) == (4, "short_page_text")
    assert page.events() == []


def test_a_detector_that_sees_nothing_stops_the_run(page):
    page.run(DAYS[0])
    page.threshold(64)  # nothing is content any more
    page.switch(terms_change="content")
    run = page.run(DAYS[1])
    assert (run["exit_code"], run["error"]["code"]) == (1, "canary_failed")
    assert page.events() == [("NEW", BOARD)]


# --- from one run to the next --------------------------------------------------------------------


def test_a_killed_run_leaves_a_history_that_verifies_and_the_next_start_does_the_day(page):
    page.run(DAYS[0])
    before = page.home.history_content()
    run_and_kill(page.site, page.home, DAYS[1], lambda request: request.path == TERMS_PATH)
    page.assert_verifies()
    assert page.home.history_content() == before

    page.switch(terms_change="content")
    run = page.run(DAYS[1], hour=7)
    assert (run["status"], run["movement"]) == ("OK", "content")
    assert page.asked() == ["/robots.txt", TERMS_PATH]
    killed = page.home.rows("SELECT error_code FROM crawl_run WHERE status = 'FAILED'")
    assert killed == [("killed",)]
    page.assert_verifies()


def test_a_dry_run_leaves_only_its_pages(page):
    page.run(DAYS[0])
    before = page.home.history_content()
    page.switch(terms_change="content")
    run = page.run(DAYS[1], "--dry-run")
    assert (run["status"], run["movement"], run["report"]) == ("OK", "content", None)
    assert page.home.history_content() == before
    assert page.home.rows("SELECT count(*) FROM crawl_run") == [(1,)]
    assert (page.home.root / f"raw/{DAYS[1]}/{BOARD}" / run["run_id"]).is_dir()


def test_a_scheduled_start_runs_the_page_once_a_day(page):
    first = page.home.command("run", "--scheduled", "--now", f"{DAYS[0]}T06:00:00+09:00")[1]
    assert [run["movement"] for run in first["runs"]] == ["first"]
    page.site.clear_log()
    again = page.home.command("run", "--scheduled", "--now", f"{DAYS[0]}T07:00:00+09:00")[1]
    assert (again["runs"], page.asked()) == ([], [])


def test_a_failed_page_does_not_stop_the_lists_beside_it(tmp_path):
    with RehearsalSite(Life(n_rows=20).rows, terms=TermsText()) as site:
        home = new_home(tmp_path / "home", site.base_url, with_terms=True)
        site.switches = replace(site.switches, terms_page="gone")
        exit_code, answer = home.command("run", "--now", f"{DAYS[0]}T06:00:00+09:00")
        assert exit_code == 6
        statuses = {run["board"]: run["status"] for run in answer["runs"]}
        assert statuses == {"dmf_registry": "OK", BOARD: "FAILED"}
        assert answer["runs"][0]["report"]


# --- questions about a page ----------------------------------------------------------------------


def test_commands_answer_for_a_page(page):
    page.run(DAYS[0])
    page.switch(terms_change="effective_date")
    page.run(DAYS[1])

    exit_code, told = page.home.command("history", BOARD)
    assert exit_code == 0
    assert [event["event_type"] for event in told["events"]] == ["NEW", "MODIFIED"]
    assert len(told["versions"]) == 2

    where: dict[str, Any] = {}
    for field, value in (("body", page.body()), ("effective_on", "2027. 3. 1.")):
        exit_code, where = page.home.command("where", BOARD, field)
        assert (exit_code, where["value"], where["is_same"]) == (0, value, True)
        assert where["page"].endswith(".html.gz")
    assert 'class="effective"' in where["html"]
    before = page.home.command("where", BOARD, "시행일", "--date", DAYS[0])[1]
    assert before["value"] == "2026. 1. 1."
    assert page.home.command("where", BOARD, "nothing")[0] == 2

    assert len(page.home.command("runs")[1]["runs"]) == 2
    status = page.home.command("status")[1]
    assert [each["board"] for each in status["last"]] == [BOARD]
    (file,) = page.home.command("selectors", "check")[1]["files"]
    assert (file["board"], file["pages"], file["refused"]) == (BOARD, 1, [])
    page.home.edit(
        f"selectors/{BOARD}.yaml", "volatile:  ", "volatile:\n  - '[0-9]{4}-[0-9]{4}'\n  # "
    )
    exit_code, blind = page.home.command("selectors", "check")
    assert (exit_code, blind["error"]["code"]) == (2, "selectors_refused")
    assert "숫자 하나가 바뀜 → 변경 없음" in blind["error"]["message"]
    (told,) = [
        check
        for check in page.home.command("doctor")[1]["checks"]
        if (check["name"], check["board"]) == ("selectors", BOARD)
    ]
    assert (told["outcome"], "canary_failed" in told["found"]) == ("fail", True)
    page.home.edit(f"selectors/{BOARD}.yaml", "  - '[0-9]{4}-[0-9]{4}'\n", "")
    checks = page.home.command("doctor")[1]["checks"]
    of_page = {check["name"]: check["outcome"] for check in checks if check["board"] == BOARD}
    assert of_page["selectors"] == "ok"
    assert "last_accepted" in of_page
    assert page.home.command("tune", "--board", BOARD)[1]["error"]["code"] == "list_board_needed"
    assert page.home.command("tune")[1]["boards"] == []
    assert page.home.command("report", "--date", DAYS[0])[0] == 0


# --- kept pages read again -----------------------------------------------------------------------


def counts_of(answer: dict[str, Any]) -> list[int]:
    return [sum(run["counts"].values()) for run in answer["runs"]]


def test_pages_that_are_read_again_say_what_was_recorded(page):
    page.switch(terms_noise=ALL_NOISE)
    page.calibrate(DAYS[0], hour=7)
    page.run(DAYS[0], hour=8)
    page.run(DAYS[1])
    page.switch(terms_change="content")
    page.run(DAYS[2])
    answer = page.home.command("reparse", "--since", DAYS[0], "--until", DAYS[2], "--jobs", "1")[1]
    assert counts_of(answer) == [0, 0, 0]
    exit_code, applied = page.home.command(
        "reparse", "--date", DAYS[2], "--apply", "--now", f"{DAYS[2]}T12:00:00+09:00"
    )
    assert (exit_code, counts_of(applied)) == (0, [0])
    assert len(page.events()) == 2
    page.assert_verifies()


def test_repaired_selectors_are_no_change_of_the_page_until_a_correction_records_them(page):
    page.run(DAYS[0])
    page.home.edit(f"selectors/{BOARD}.yaml", 'drop: ["nav",', 'drop: ["h4", "nav",')
    assert page.run(DAYS[1])["movement"] == "none"
    assert "관련 사이트" in page.body()

    answer = page.home.command("reparse", "--date", DAYS[1])[1]
    assert counts_of(answer) == [1]
    exit_code, applied = page.home.command(
        "reparse", "--date", DAYS[1], "--apply", "--now", f"{DAYS[1]}T12:00:00+09:00"
    )
    assert (exit_code, counts_of(applied)) == (0, [1])
    assert "관련 사이트" not in page.body()
    assert page.home.rows("SELECT count(*) FROM page_review") == [(0,)]
    assert page.run(DAYS[2])["movement"] == "none"
    assert counts_of(page.home.command("reparse", "--date", DAYS[2])[1]) == [0]
    page.assert_verifies()


def test_a_field_that_newer_selectors_read_is_filled_in_and_is_no_change(page):
    page.run(DAYS[0])
    page.home.edit(
        f"selectors/{BOARD}.yaml",
        "fields:\n",
        'fields:\n  title:\n    label_ko: 제목\n    selector: "#content h2"\n',
    )
    run = page.run(DAYS[1])
    assert (run["movement"], sum(run["counts"].values())) == ("none", 0)
    titles = page.home.rows("SELECT json_extract(payload_json, '$.title') FROM dmf_record")
    assert titles == [("의약품안전나라 이용약관",)]
    page.assert_verifies()


def test_each_state_of_a_page_outlives_the_retention(page):
    page.run(DAYS[0])
    page.run(DAYS[1])
    page.calibrate(DAYS[1])
    page.switch(terms_change="content")
    changed = page.run(DAYS[2])
    page.run(DAYS[3])
    later = page.run("2027-10-01")
    home = load_home(page.home.root)
    with Store(home.database) as store:
        plan = plan_prune(home, store, today=date(2027, 10, 2))
    kept = {each.run_id: str(each.reason) for each in plan.kept}
    assert kept[changed["run_id"]] == "kept_state"
    removed = {path.name for path in plan.raw}
    assert any(name.endswith("-calibrate") for name in removed)
    assert later["run_id"] not in removed
