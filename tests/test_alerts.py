"""What a person must not miss is told once, in every place; that it cannot be told ends nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from dmf_crawler.alerts import (
    HEADING,
    MOST_TEXT_CHARACTERS,
    MOST_TITLE_CHARACTERS,
    alert_path,
    raise_alert,
)
from dmf_crawler.config import Home
from dmf_crawler.model.run import KST
from dmf_crawler.model.terms import Alert
from dmf_crawler.persist.alerts import alerts_of_day
from dmf_crawler.persist.store import Store
from dmf_crawler.settings import Settings

DAY = date(2026, 12, 1)
ALERT = Alert(
    "a", DAY, "terms_due", "읽을 때", "약관을 읽으십시오.", datetime(2026, 12, 1, 6, 5, tzinfo=KST)
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, Settings(), {}, (), {})


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with Store(home.database) as opened:
        yield opened


def lines_of(home: Home) -> list[str]:
    content = alert_path(home, DAY).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return content.decode("utf-8-sig").splitlines()


def test_an_alert_stands_in_history_log_and_file(home, store, caplog):
    with caplog.at_level(logging.WARNING, "dmf_crawler"):
        assert raise_alert(home, store, ALERT)

    assert alerts_of_day(store, DAY) == (ALERT,)
    (record,) = caplog.records
    assert (record.message, record.__dict__["code"]) == ("alert", "terms_due")
    assert alert_path(home, DAY) == home.root / "reports/ALERT_2026-12-01.txt"
    assert lines_of(home) == [
        HEADING,
        "2026-12-01 06:05:00 [terms_due] 읽을 때: 약관을 읽으십시오.",
    ]
    assert "사내용" in HEADING


def test_the_same_alert_is_told_once_and_another_is_added(home, store, caplog):
    assert raise_alert(home, store, ALERT)
    assert not raise_alert(home, store, replace(ALERT, text="다른 글"))
    assert len(caplog.records) == 1
    assert raise_alert(home, store, replace(ALERT, key="b", title="둘째"))
    assert [line.partition("] ")[2] for line in lines_of(home)[1:]] == [
        "읽을 때: 약관을 읽으십시오.",
        "둘째: 약관을 읽으십시오.",
    ]


def test_title_and_text_are_one_line_each_and_short(home, store):
    long = replace(ALERT, title="제 목\n" * 90, text="내\n용 " * 300)
    assert raise_alert(home, store, long)
    (told,) = alerts_of_day(store, DAY)
    assert (len(told.title), len(told.text)) == (MOST_TITLE_CHARACTERS, MOST_TEXT_CHARACTERS)
    assert len(lines_of(home)) == 2


def test_a_file_that_cannot_be_written_is_logged_and_written_with_the_next_alert(
    home, store, caplog
):
    obstacle = alert_path(home, DAY)
    obstacle.mkdir(parents=True)

    assert raise_alert(home, store, ALERT)

    assert [record.message for record in caplog.records] == ["alert", "alert_not_told"]
    assert alerts_of_day(store, DAY) == (ALERT,)
    obstacle.rmdir()
    raise_alert(home, store, replace(ALERT, key="b"))
    assert len(lines_of(home)) == 3


def test_a_history_that_cannot_be_written_is_logged(home, caplog):
    with Store(home.database):
        pass
    with Store(home.database, for_reading=True) as store:
        assert not raise_alert(home, store, ALERT)
    assert [record.message for record in caplog.records] == ["alert_not_told"]
    assert not alert_path(home, DAY).exists()
