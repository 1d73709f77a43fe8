"""Who has to read a site's terms, since when and why; and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.alerts import alert_path
from dmf_crawler.config import Home, load_home
from dmf_crawler.daily_report import collect_day
from dmf_crawler.model.run import KST, Run, day_of
from dmf_crawler.model.terms import Confirmation, ForbiddingPassage
from dmf_crawler.persist.alerts import alerts_of_day
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import confirm_terms, open_stops
from dmf_crawler.terms import (
    NEVER_READ,
    list_sites,
    needs_reading,
    raise_terms_alerts,
    refuse_stopped,
    stop_site,
    tell_states,
    terms_state,
)
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearse import make_home
from tests.real_homes import REAL, REGISTER, TERMS, add_accepted, edit, make_real_home

SIX = datetime(2026, 12, 1, 6, tzinfo=KST)
DAY = date(2026, 12, 1)
FOUND = ForbiddingPassage("금지", "크롤링을 금지합니다.", f"{REAL}/terms", "ab" * 32)


def days(number: float) -> datetime:
    return SIX + timedelta(days=number)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_real_home(tmp_path / "home", with_terms=True)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with Store(home.database) as opened:
        yield opened


def state_on(home: Home, store: Store | None, day: date):
    (site,) = list_sites(home)
    return terms_state(store, site, home.settings.terms, day)


def told(store: Store, day: date) -> list[str]:
    return [alert.code for alert in alerts_of_day(store, day)]


# --- which sites ---------------------------------------------------------------------------------


def test_the_sites_are_those_that_enabled_boards_ask(home):
    (site,) = list_sites(home)
    assert (site.base_url, site.names, site.checked_on) == (REAL, ("nedrug",), "2026-11-30")
    assert [*site.boards] == [REGISTER, TERMS]
    assert site.terms_boards == {TERMS}


def test_the_site_of_a_cross_check_is_one_too(home):
    edit(home.root, "boards", "cross_checks: []          # s", "cross_checks: [openapi]   # s")
    sites = list_sites(load_home(home.root))
    assert [site.base_url for site in sites] == [REAL, "https://apis.data.go.kr"]
    assert [*sites[1].boards] == [REGISTER]


# --- due or not ----------------------------------------------------------------------------------


def test_terms_that_nobody_has_read_are_due_since_the_first_run(home, store):
    before = state_on(home, None, DAY)
    assert (before.due_since, before.why_due) == (DAY, NEVER_READ)
    assert state_on(home, store, DAY) == before
    add_accepted(store, REGISTER, SIX)
    assert state_on(home, store, date(2026, 12, 20)).due_since == DAY


def test_terms_are_due_again_after_the_days_of_the_settings(home, store):
    add_accepted(store, REGISTER, SIX)
    confirm_terms(store, REAL, Confirmation(days(1), "읽음"))

    fresh = state_on(home, store, date(2027, 3, 1))
    assert (fresh.due_since, fresh.why_due, fresh.note) == (None, "", "읽음")
    assert fresh.confirmed_at == days(1)
    old = state_on(home, store, date(2027, 3, 2))
    assert old.due_since == date(2027, 3, 2)
    assert "90일" in old.why_due
    assert state_on(home, store, date(2027, 5, 1)).due_since == date(2027, 3, 2)
    confirm_terms(store, REAL, Confirmation(datetime(2027, 5, 1, 7, tzinfo=KST), "다시 읽음"))
    assert state_on(home, store, date(2027, 5, 1)).due_since is None


def test_of_several_reasons_all_are_told_and_the_earliest_day_counts(home, store):
    confirm_terms(store, REAL, Confirmation(SIX, "읽음"))
    add_accepted(store, TERMS, days(2), "field")
    state = state_on(home, store, date(2027, 3, 1))
    assert state.due_since == date(2026, 12, 3)
    assert "90일" in state.why_due
    assert "2026-12-03" in state.why_due


@pytest.mark.parametrize(
    ("movement", "is_due"),
    [("first", False), ("none", False), ("noise", False), ("content", True), ("field", True)],
)
def test_a_change_of_the_terms_after_the_reading_makes_them_due(home, store, movement, is_due):
    confirm_terms(store, REAL, Confirmation(SIX, "읽음"))
    add_accepted(store, TERMS, days(2), movement)
    add_accepted(store, TERMS, days(3), "none")
    state = state_on(home, store, date(2026, 12, 5))
    assert state.due_since == (date(2026, 12, 3) if is_due else None)
    assert ("2026-12-03" in state.why_due) is is_due
    confirm_terms(store, REAL, Confirmation(days(4), "바뀐 약관도 읽음"))
    assert state_on(home, store, date(2026, 12, 5)).due_since is None


def test_a_change_before_the_reading_and_of_another_page_does_not(home, store):
    add_accepted(store, TERMS, SIX, "content")
    add_accepted(store, "another_page", days(2), "content")
    confirm_terms(store, REAL, Confirmation(days(1), "읽음"))
    assert state_on(home, store, date(2026, 12, 5)).due_since is None


def test_a_rehearsal_is_never_asked_for(tmp_path):
    make_home(tmp_path / "rehearsal", "http://127.0.0.1:9")
    rehearsal = load_home(tmp_path / "rehearsal")
    with Store(rehearsal.database) as store:
        add_accepted(store, REGISTER, SIX)
        (site,) = list_sites(rehearsal)
        assert terms_state(store, site, rehearsal.settings.terms, DAY).due_since is None
        asked = terms_state(store, site, rehearsal.settings.terms, DAY, asks=lambda _: True)
        assert asked.due_since == DAY
        raise_terms_alerts(rehearsal, store, SIX)
        assert told(store, DAY) == []
        assert tell_states(rehearsal, store, DAY) == ()
    assert not (rehearsal.root / "reports").exists()


@pytest.mark.parametrize(
    ("base_url", "is_asked"),
    [
        (REAL, True),
        ("https://localhost.example.kr", True),
        ("http://127.0.0.1:8765", False),
        ("http://localhost", False),
    ],
)
def test_whether_a_site_has_terms_is_told_by_its_address(base_url, is_asked):
    assert needs_reading(base_url) is is_asked


# --- stops ---------------------------------------------------------------------------------------


def stop(home: Home, store: Store):
    run = Run("20261201T060000-dmf_registry", REGISTER, SIX, DAY)
    return stop_site(home, store, run, REAL, [FOUND], at=SIX)


def test_all_passages_of_a_page_are_one_stop_for_a_person(home, store):
    run = Run("20261201T060000-dmf_registry", REGISTER, SIX, DAY)
    other = replace(FOUND, passage="로봇을 금합니다.")
    fault = stop_site(home, store, run, REAL, [FOUND, other], at=SIX)
    assert f"'{FOUND.passage}' 외 1개" in fault.message
    assert refuse_stopped(store, REAL) == fault
    assert len(alerts_of_day(store, DAY)) == 1
    assert len(confirm_terms(store, REAL, Confirmation(days(1), "허용됨"))) == 2
    assert refuse_stopped(store, REAL) is None


def test_a_stop_is_recorded_told_and_refuses_its_site_alone(home, store):
    fault = stop(home, store)

    assert (fault.code, fault.exit_code, fault.is_retryable) == ("terms_forbid", 7, False)
    for piece in (FOUND.passage, FOUND.url, "terms confirm", "게시판을 꺼"):
        assert piece in fault.message
    assert refuse_stopped(store, REAL) == fault
    assert refuse_stopped(store, "https://apis.data.go.kr") is None
    (alert,) = alerts_of_day(store, DAY)
    assert (alert.code, FOUND.passage in alert.text) == ("terms_forbid", False)
    assert state_on(home, store, DAY).stop == FOUND

    confirm_terms(store, REAL, Confirmation(days(1), "허용됨"))
    assert refuse_stopped(store, REAL) is None
    assert state_on(home, store, DAY).stop == FOUND  # so it was that day
    assert state_on(home, store, day_of(days(1))).stop is None


def test_a_stop_that_could_not_be_told_is_told_by_the_next_run(home, store):
    home.reports.write_text("a file where the folder should be", encoding="utf-8")
    stop(home, store)
    assert len(open_stops(store, REAL)) == 1
    home.reports.unlink()

    raise_terms_alerts(home, store, SIX)

    assert "[terms_forbid]" in alert_path(home, DAY).read_text(encoding="utf-8-sig")
    assert told(store, DAY).count("terms_forbid") == 1


# --- what is told --------------------------------------------------------------------------------


def test_each_due_period_is_told_once(home, store):
    add_accepted(store, REGISTER, SIX)
    for number in range(3):
        raise_terms_alerts(home, store, days(number))
    assert [told(store, day_of(days(number))) for number in range(3)] == [["terms_due"], [], []]

    confirm_terms(store, REAL, Confirmation(days(3), "읽음"))
    for number in (4, 92, 93, 94):
        raise_terms_alerts(home, store, days(number))
    again = [told(store, day_of(days(number))) for number in (4, 92, 93, 94)]
    assert again == [[], [], ["terms_due"], []]


def test_a_change_of_the_terms_is_told_once_with_the_next_step(home, store):
    confirm_terms(store, REAL, Confirmation(SIX, "읽음"))
    add_accepted(store, TERMS, days(2), "content")
    for number in (2, 3):
        raise_terms_alerts(home, store, days(number))
    alerts = alerts_of_day(store, day_of(days(2)))
    assert [alert.code for alert in alerts] == ["terms_changed", "terms_due"]
    assert "의약품안전나라 이용약관" in alerts[0].text
    assert all("terms confirm --note" in alert.text for alert in alerts)
    assert told(store, day_of(days(3))) == []


def test_every_alert_fits_and_has_no_row_of_data(home, store):
    add_accepted(store, REGISTER, SIX)
    add_accepted(store, TERMS, SIX, "field")
    stop(home, store)
    raise_terms_alerts(home, store, SIX)
    alerts = alerts_of_day(store, DAY)
    assert {alert.code for alert in alerts} == {"terms_forbid", "terms_changed", "terms_due"}
    for alert in alerts:
        assert len(alert.title) <= 64
        assert len(alert.text) <= 200
        assert not alert.text.endswith("…")
        assert alert.text.endswith("십시오.")


def test_a_history_that_cannot_be_read_ends_nothing(home, store, caplog):
    store.execute("DROP TABLE terms_confirmation")
    raise_terms_alerts(home, store, SIX)
    assert [record.message for record in caplog.records] == ["alert_not_told"]


def test_the_report_of_a_day_has_the_states_and_what_was_told(home, store):
    add_accepted(store, REGISTER, SIX)
    stop(home, store)
    raise_terms_alerts(home, store, SIX)
    watch = open_watch(home, home.list_boards[0], store)

    report = collect_day([watch], DAY, written_at=SIX)

    (state,) = report.terms
    assert (state.site, state.due_since, state.stop) == (REAL, DAY, FOUND)
    assert [alert.code for alert in report.alerts] == ["terms_forbid", "terms_due"]
