"""`terms`: what is known of the sites' terms, and that a person has read them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from dmf_crawler.cli.doctor import examine, tell_diagnoses
from dmf_crawler.cli.machine_checks import Machine
from dmf_crawler.config import Home, load_home
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.model.run import KST
from dmf_crawler.model.terms import ForbiddingPassage, TermsStop
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import record_stop
from tests.cli.asking import Asked, at, say
from tests.real_homes import REAL, REGISTER, add_accepted, edit, make_real_home

SIX = datetime(2026, 12, 1, 6, tzinfo=KST)
API = "https://apis.data.go.kr"
PASSAGE = "크롤링을 금지합니다.\u202e"
NOW = "2026-12-02T07:00:00+09:00"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_real_home(tmp_path / "home")


def add_stop(home: Home, site: str = REAL) -> None:
    found = ForbiddingPassage("금지", PASSAGE, f"{site}/terms", "ab" * 32)
    with Store(home.database) as store:
        record_stop(store, TermsStop(site, REGISTER, f"20261201T060000-{REGISTER}", found, SIX))


def confirm(home: Home, *words: str) -> Asked:
    return at(home.root, "terms", "confirm", "--now", NOW, *words)


def use_two_sites(home: Home) -> None:
    edit(home.root, "boards", "cross_checks: []          # s", "cross_checks: [openapi]   # s")


def test_before_the_first_run_the_terms_are_to_be_read(home):
    asked = at(home.root, "terms", "--now", NOW)
    (site,) = asked.json["sites"]
    assert (site["site"], site["names"], site["boards"]) == (REAL, ["nedrug"], [REGISTER])
    assert (site["checked_on"], site["confirmed_at"], site["stops"]) == ("2026-11-30", None, [])
    assert (site["due_since"], bool(site["why_due"])) == ("2026-12-02", True)
    assert not home.database.exists()
    text = say(home.root, "terms", "show", "--now", NOW).out
    assert "마지막 확인: 없음 (설정의 terms_checked_on: 2026-11-30)" in text
    assert 'terms confirm --site nedrug --note "확인한 내용"' in text


def test_a_confirmation_is_recorded_with_its_note_and_ends_the_stops(home):
    add_stop(home)

    asked = confirm(home, "--note", "robots.txt와 약관을 읽음")

    assert asked.exit_code == 0
    (site,) = asked.json["sites"]
    assert (site["confirmed_at"], site["note"]) == (NOW, "robots.txt와 약관을 읽음")
    assert (site["due_since"], site["stops"]) == (None, [])
    assert [stop["passage"] for stop in asked.json["decided"]] == [PASSAGE]
    with Store(home.database) as store:
        (row,) = store.rows("SELECT * FROM terms_confirmation")
        assert tuple(row)[1:] == (REAL, NOW, "robots.txt와 약관을 읽음")
    (log,) = home.logs.glob("*.jsonl")
    assert "terms_confirmed" in log.read_text(encoding="utf-8")
    assert "마지막 확인: 2026-12-02 07:00" in say(home.root, "terms", "--now", NOW).out


def test_an_open_stop_is_shown_with_passage_page_and_next_step(home):
    add_stop(home)
    text = say(home.root, "terms", "--now", NOW).out
    for piece in ("크롤링을 금지합니다.", f"{REAL}/terms", "아무 요청도 보내지 않습니다"):
        assert piece in text
    assert "\u202e" not in text
    (site,) = at(home.root, "terms", "--now", NOW).json["sites"]
    assert site["stops"][0]["sha256"] == "ab" * 32


@pytest.mark.parametrize("words", [[], ["--note", ""], ["--note", "  "]])
def test_a_confirmation_needs_a_note(home, words):
    asked = confirm(home, *words)
    assert (asked.exit_code, asked.error_code) == (2, "note_missing")
    assert not home.database.exists()


def test_of_several_sites_one_has_to_be_named(home):
    use_two_sites(home)
    add_stop(home, API)
    asked = confirm(home, "--note", "읽음")
    assert (asked.exit_code, asked.error_code) == (2, "site_needed")
    assert "nedrug, data_go_kr" in asked.json["error"]["message"]
    assert confirm(home, "--note", "읽음", "--board", REGISTER).json["sites"][0]["site"] == REAL
    assert len(at(home.root, "terms", "--now", NOW).json["sites"][1]["stops"]) == 1
    named = confirm(home, "--note", "읽음", "--site", "data_go_kr")
    assert named.json["sites"][0]["site"] == API
    assert len(named.json["decided"]) == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--site", "data_go_kr"], "no_such_site"),
        (["--site", "x"], "no_such_site"),
        (["--board", "mfds_notice"], "no_such_board"),
        (["--board", "dmf_registry", "--site", "nedrug"], "usage"),
    ],
)
def test_what_no_enabled_board_asks_cannot_be_confirmed(home, words, code):
    asked = confirm(home, "--note", "읽음", *words)
    assert (asked.exit_code, asked.error_code) == (2, code)
    assert not home.database.exists()


@pytest.mark.parametrize("words", [["--note", "읽음"], ["show", "--site", "nedrug"]])
def test_showing_takes_no_note_and_no_site(home, words):
    asked = at(home.root, "terms", *words)
    assert (asked.exit_code, asked.error_code) == (2, "usage")


def test_without_an_enabled_board_nothing_can_be_confirmed(home):
    edit(home.root, "boards", "    enabled: true\n", "    enabled: false\n")
    assert confirm(home, "--note", "읽음").error_code == "no_boards"
    assert at(home.root, "terms").json["sites"] == []


def test_a_confirmation_beside_a_run_at_work_is_refused(home):
    home.lock.parent.mkdir()
    with FileLock(home.lock):
        asked = confirm(home, "--note", "읽음")
    assert (asked.exit_code, asked.error_code) == (8, "lock_held")


def test_a_rehearsal_has_no_terms(lived_home):
    (site,) = at(lived_home, "terms").json["sites"]
    assert (site["due_since"], site["confirmed_at"]) == (None, None)
    assert "연습 사이트" in say(lived_home, "terms").out


# --- doctor --------------------------------------------------------------------------------------


def diagnose(home: Home, now: datetime) -> list[Diagnosis]:
    return list(examine(home.root, Machine(now, lambda _: False, lambda _: 10**12)))


def terms_of(found: list[Diagnosis]) -> Diagnosis:
    (diagnosis,) = [each for each in found if each.name == "terms"]
    return diagnosis


def test_doctor_asks_for_the_reading_again_after_90_days(home):
    never = terms_of(diagnose(home, SIX))
    assert (never.outcome, "terms confirm --site nedrug" in never.next_step) == (Health.WARN, True)
    with Store(home.database) as store:
        add_accepted(store, REGISTER, SIX)
    confirm(home, "--note", "읽음")
    fresh = terms_of(diagnose(home, SIX + timedelta(days=90)))
    assert (fresh.outcome, "2026-12-02" in fresh.found) == (Health.OK, True)
    due = terms_of(diagnose(home, SIX + timedelta(days=91)))
    assert (due.outcome, "2027-03-02 부터" in due.found) == (Health.WARN, True)


def test_doctor_fails_while_a_passage_stops_the_site(home):
    add_stop(home)
    found = diagnose(home, SIX)
    assert terms_of(found).outcome is Health.FAIL
    assert "크롤링을 금지합니다." in terms_of(found).found
    answer = tell_diagnoses(found)
    assert answer.exit_code == 7
    assert answer.error is not None
    assert answer.error[0] == "terms_forbid"


def test_doctor_looks_at_each_site(home):
    use_two_sites(home)
    found = diagnose(load_home(home.root), SIX)
    assert [API in each.found for each in found if each.name == "terms"] == [False, True]
