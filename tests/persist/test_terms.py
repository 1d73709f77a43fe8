"""What the history knows of terms: stops, confirmations, changes, and what people were told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest

from dmf_crawler.model.run import KST
from dmf_crawler.model.terms import Alert, Confirmation, ForbiddingPassage, TermsStop
from dmf_crawler.persist.alerts import alerts_of_day, record_alert
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import (
    confirm_terms,
    decided_passages,
    last_confirmation,
    open_stops,
    record_stop,
)

SITE, OTHER = "https://one.example", "https://two.example"
SIX = datetime(2026, 12, 1, 6, tzinfo=KST)
FOUND = ForbiddingPassage("금지", "크롤링 금지", f"{SITE}/terms", "ab" * 32)
STOP = TermsStop(SITE, "dmf_registry", "20261201T060000-dmf_registry", FOUND, SIX)


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store(tmp_path / "history.sqlite3") as opened:
        yield opened


def test_a_stop_is_open_for_its_site_alone_until_a_person_decides(store):
    record_stop(store, STOP)

    assert open_stops(store, SITE) == (STOP,)
    assert open_stops(store, OTHER) == ()
    assert decided_passages(store, SITE) == frozenset()

    confirm_terms(store, OTHER, Confirmation(SIX, "다른 사이트"))
    assert open_stops(store, SITE) == (STOP,)

    ended = confirm_terms(store, SITE, Confirmation(SIX + timedelta(hours=1), "읽음"))

    assert ended == (STOP,)
    assert open_stops(store, SITE) == ()
    assert decided_passages(store, SITE) == {FOUND.passage}
    assert decided_passages(store, OTHER) == frozenset()
    (row,) = store.rows("SELECT decided_at, note FROM terms_stop")
    assert tuple(row) == ("2026-12-01T07:00:00+09:00", "읽음")


def test_the_same_passage_is_one_stop_while_it_is_open(store):
    record_stop(store, STOP)
    record_stop(store, STOP)
    assert len(open_stops(store, SITE)) == 1
    confirm_terms(store, SITE, Confirmation(SIX, "읽음"))
    record_stop(store, STOP)
    assert len(open_stops(store, SITE)) == 1


def test_stops_and_confirmations_are_known_as_they_were_at_a_moment(store):
    record_stop(store, STOP)
    confirm_terms(store, SITE, Confirmation(SIX + timedelta(days=1), "첫 확인"))
    confirm_terms(store, SITE, Confirmation(SIX + timedelta(days=9), "둘째 확인"))

    assert open_stops(store, SITE, until=SIX) == ()
    assert open_stops(store, SITE, until=SIX + timedelta(hours=1)) == (STOP,)
    assert open_stops(store, SITE, until=SIX + timedelta(days=2)) == ()
    assert last_confirmation(store, SITE, until=SIX) is None
    noted = [last_confirmation(store, SITE, until=SIX + timedelta(days=n)) for n in (2, 10)]
    assert [each.note for each in noted if each] == ["첫 확인", "둘째 확인"]
    assert noted[0] == Confirmation(SIX + timedelta(days=1), "첫 확인")


def test_what_people_were_told_is_told_once(store):
    alert = Alert("key", date(2026, 12, 1), "terms_due", "제목", "내용", SIX)

    assert record_alert(store, alert)
    assert not record_alert(store, alert)

    assert alerts_of_day(store, date(2026, 12, 1)) == (alert,)
    assert alerts_of_day(store, date(2026, 12, 2)) == ()
