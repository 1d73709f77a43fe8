"""What a person must not miss: told once, and kept where people look.

A row of the history, a line of the log, the day's reports/ALERT_YYYY-MM-DD.txt, and 요약 of the
day's workbook. What cannot be told is logged and changes nothing else.
"""

from __future__ import annotations

import logging
from datetime import date
from pathlib import Path

from dmf_crawler.config import Home
from dmf_crawler.errors import StoreError
from dmf_crawler.model.run import kst
from dmf_crawler.model.terms import Alert
from dmf_crawler.persist.alerts import alerts_of_day, record_alert
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.whole_file import open_whole

MOST_TITLE_CHARACTERS = 64
MOST_TEXT_CHARACTERS = 200
HEADING = "사내용: 회사 밖으로 내보내지 마십시오. 자세한 내용은 그날의 보고서와 doctor 를 보십시오."

LOG = logging.getLogger(__name__)


def make_alert(alert: Alert) -> Alert:
    """Return an alert with its title and text on one line each, and short enough."""
    return Alert(
        alert.key,
        alert.day,
        alert.code,
        _shorten(alert.title, MOST_TITLE_CHARACTERS),
        _shorten(alert.text, MOST_TEXT_CHARACTERS),
        kst(alert.raised_at),
    )


def raise_alert(home: Home, store: Store, alert: Alert) -> bool:
    """Tell people something, once; say whether it was new.

    The day's file is written anew from the history each time: one that could not be written is
    whole again with the next alert of its day, or the next run.

    Args:
        home: The home folder.
        store: Its history; must not be inside a transaction.
        alert: What to tell: counts and where to look, never rows of data.
    """
    alert, is_new = make_alert(alert), False
    try:
        is_new = record_alert(store, alert)
        if is_new:
            told = {"code": alert.code, "title": alert.title, "detail": alert.text}
            LOG.warning("alert", extra=told)
            renew_alert_file(home, store, alert.day)
    except (OSError, StoreError) as error:  # what it is about stands, whether it can be told or not
        LOG.exception("alert_not_told", extra={"code": alert.code, "detail": str(error)})
    return is_new


def renew_alert_file(home: Home, store: Store, day: date) -> None:
    """Let a day's file have all that was told that day, a line each; none where nothing was.

    Raises:
        OSError: It could not be written; what lay there is untouched.
        StoreError: `read_failed`.
    """
    alerts, path = alerts_of_day(store, day), alert_path(home, day)
    lines = [HEADING, *(_line_of(alert) for alert in alerts)]
    content = "\r\n".join([*lines, ""]).encode("utf-8-sig")  # Notepad and Excel know it by the BOM
    if not alerts or (path.is_file() and path.read_bytes() == content):
        return
    with open_whole(path) as file:
        file.write(content)


def alert_path(home: Home, day: date) -> Path:
    """Return where the alerts of a day stand."""
    return home.reports / f"ALERT_{day}.txt"


def _line_of(alert: Alert) -> str:
    return f"{alert.raised_at:%Y-%m-%d %H:%M:%S} [{alert.code}] {alert.title}: {alert.text}"


def _shorten(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
