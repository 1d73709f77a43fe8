"""The workbook of a day, asked of the history, and beside it what changed on watched pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from dmf_crawler.config import Home
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.extract.watched_page import PageSelectors, compare_form
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.report import Report
from dmf_crawler.model.watched_page import PageReport, ReviewItem
from dmf_crawler.page_watch import AnyWatch, PageWatch
from dmf_crawler.persist.alerts import alerts_of_day
from dmf_crawler.persist.page_visits import page_report, visit_of_run
from dmf_crawler.persist.questions import report_of_day
from dmf_crawler.persist.reviews import reviews_of_day, waiting_reviews
from dmf_crawler.publish.page_diff import write_diff
from dmf_crawler.publish.report.workbook import write_report
from dmf_crawler.terms import tell_states
from dmf_crawler.watch import Watch


def publish_day(watches: Sequence[AnyWatch], day: date, *, written_at: datetime) -> Path:
    """Write the workbook of a day from the history, after the files that it leads to.

    Raises:
        UsageError: `nothing_accepted`: no board has an accepted run on that day.
        StoredDataError: `report_not_written`, `page_diff_not_written`; an older file of that name
            stays as it is.
    """
    first = watches[0]
    report = collect_day(watches, day, written_at=written_at)
    if not _has_accepted(report):
        raise UsageError(
            "nothing_accepted",
            f"{day} 에 채택된 실행이 없어 보고서를 만들 수 없습니다. "
            "runs 명령으로 채택된 날을 확인하십시오.",
        )
    try:
        first.home.reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoredDataError(
            "report_not_written",
            f"보고서 폴더 {first.home.reports} 를 만들 수 없습니다({error}). 권한을 확인하십시오.",
        ) from error
    for page in report.pages:
        for item in {item.review_id: item for item in (*page.waiting, *page.found)}.values():
            write_diff(item, page, first.home.reports)
    return write_report(report, report_path(first.home, day))


def _has_accepted(report: Report) -> bool:
    """Tell whether a list or a page was accepted on the report's day."""
    lists = (board.accepted.run.day for board in report.boards if board.accepted is not None)
    pages = (page.last.day for page in report.pages if page.last is not None)
    return report.day in {*lists, *pages}


def collect_day(watches: Sequence[AnyWatch], day: date, *, written_at: datetime) -> Report:
    """Return what the workbook of a day shows."""
    home, store = watches[0].home, watches[0].store
    rules = home.settings
    report = report_of_day(
        store,
        tuple(watch.report_request for watch in watches if isinstance(watch, Watch)),
        day,
        written_at=written_at,
        rules=(rules.report.history_days, rules.report.log_runs, rules.history.missing_runs),
        changed_back_days=rules.report.changed_back_days,
    )
    visits = {row.run.run_id: visit_of_run(store, row.run.run_id) for row in report.runs}
    return replace(
        report,
        pages=tuple(_collect_page(each, day) for each in watches if isinstance(each, PageWatch)),
        page_visits={run_id: visit for run_id, visit in visits.items() if visit is not None},
        terms=tell_states(home, store, day),
        alerts=alerts_of_day(store, day),
    )


def _collect_page(watch: PageWatch, day: date) -> PageReport:
    """Return what the report of a day says of a page board.

    What waits is what nobody has looked at by now: a report that is written again asks nobody to
    do what is done.
    """
    store, board_id = watch.store, watch.board.id
    waiting = waiting_reviews(store, board_id, until=day)
    found = reviews_of_day(store, board_id, day)
    return replace(
        page_report(store, watch.report_request, day),
        waiting=tuple(tell_forms(item, watch.selectors) for item in waiting),
        found=tuple(tell_forms(item, watch.selectors) for item in found),
    )


def tell_forms(item: ReviewItem, selectors: PageSelectors) -> ReviewItem:
    """Add which lines of a changed text differ in what moves by itself, as is read today."""
    before, after = (set(str(each.get(BODY, "")).split("\n")) for each in (item.before, item.after))
    lines = sorted(before ^ after)
    forms = {line: "".join(compare_form((line,), selectors)) for line in lines}
    return replace(item, forms=forms)


def report_path(home: Home, day: date) -> Path:
    """Return where the workbook of a day stands."""
    return home.reports / f"DMF_{day}.xlsx"
