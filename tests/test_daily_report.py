from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from openpyxl import load_workbook

from dmf_crawler.config import Home, load_home
from dmf_crawler.daily_report import collect_day, publish_day, report_path
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.model.watched_page import Movement
from dmf_crawler.page_watch import AnyWatch, open_boards
from dmf_crawler.persist.reviews import finish_review
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.page_diff import diff_name
from dmf_crawler.workbench.rehearse import make_home
from tests.persist.builders import moment
from tests.persist.page_days import BOARD, live_five_days

FIELD_DAY, CONTENT_DAY = date(2026, 12, 4), date(2026, 12, 2)
WRITTEN_AT = moment(5)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose lists were never read, and whose page was for five days."""
    make_home(tmp_path / "home", "http://127.0.0.1:9")
    return load_home(tmp_path / "home")


@pytest.fixture
def watches(home: Home) -> Iterator[list[AnyWatch]]:
    with Store(home.database) as store:
        live_five_days(store)
        yield open_boards(home, store)


def test_a_day_on_which_a_page_alone_was_accepted_has_a_workbook(home: Home, watches):
    path = publish_day(watches, FIELD_DAY, written_at=WRITTEN_AT)
    assert path == report_path(home, FIELD_DAY)
    names = load_workbook(path).sheetnames
    assert names[:2] + names[-1:] == ["요약", "신규", "검토대기"]


def test_a_day_without_any_accepted_read_has_none(home: Home, watches):
    with pytest.raises(UsageError) as caught:
        publish_day(watches, date(2026, 12, 5), written_at=WRITTEN_AT)
    assert caught.value.code == "nothing_accepted"
    assert not home.reports.exists() or list(home.reports.glob("DMF_*")) == []


def test_every_change_that_waits_has_its_file_beside_the_workbook(home: Home, watches):
    path = publish_day(watches, FIELD_DAY, written_at=WRITTEN_AT)
    sheet = load_workbook(path)["검토대기"]
    links = [cell.hyperlink.target for row in sheet for cell in row if cell.hyperlink]
    files = [link for link in links if link and link.endswith(".html")]
    assert len(files) == 2
    for name in files:
        assert (path.parent / name).is_file()


def test_a_day_that_is_written_again_asks_for_what_waits_now_and_has_its_own_file(
    home: Home, watches
):
    store = watches[0].store
    (page,) = collect_day(watches, CONTENT_DAY, written_at=WRITTEN_AT).pages
    (item,) = page.waiting
    assert page.found == (item,)
    finish_review(store, item.review_id, "확인함", moment(5))
    path = publish_day(watches, CONTENT_DAY, written_at=WRITTEN_AT)
    assert "검토대기" not in load_workbook(path).sheetnames
    assert (path.parent / diff_name(item)).is_file()


def test_a_file_that_cannot_be_written_leaves_no_workbook_that_would_lead_to_it(
    home: Home, watches
):
    (page,) = collect_day(watches, FIELD_DAY, written_at=WRITTEN_AT).pages
    (home.reports / diff_name(page.waiting[0])).mkdir(parents=True)
    with pytest.raises(StoredDataError) as caught:
        publish_day(watches, FIELD_DAY, written_at=WRITTEN_AT)
    assert caught.value.code == "page_diff_not_written"
    assert not report_path(home, FIELD_DAY).exists()


def test_the_report_of_a_day_knows_nothing_of_later_ones(watches):
    report = collect_day(watches, date(2026, 12, 1), written_at=WRITTEN_AT)
    (page,) = report.pages
    assert page.last is not None
    assert (page.last.movement, page.rates[Movement.CONTENT]) == (Movement.NOISE, 0)
    assert page.waiting == page.found == ()
    assert [*report.page_visits] == [
        f"20261201T060000-{BOARD}",
        f"20261130T060000-{BOARD}",
    ]


def test_lines_that_move_by_the_pages_own_pattern_are_told_apart(watches):
    """The shipped selectors file of the terms says that 조회 with a number moves by itself."""
    (page,) = collect_day(watches, CONTENT_DAY, written_at=WRITTEN_AT).pages
    assert page.found[0].forms == {"조회 1": "", "조회 3": "", "제2조": "제2조"}
