"""What 요약 says of watched pages, of a site's terms of use, and of what people were told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from dmf_crawler.model.report import Report
from dmf_crawler.model.terms import Alert, TermsState
from dmf_crawler.model.watched_page import Movement, PageReport, PageVisitRow
from dmf_crawler.publish.report.blocks import (
    Note,
    link_to_sheet,
    write_heading,
    write_line,
    write_notes,
)
from dmf_crawler.publish.report.cells import Role, Sheet
from dmf_crawler.publish.report.wording import (
    MOVEMENT_WORDS,
    drop_turning,
    show_bits,
    show_moment,
    show_movement,
)

COUNTED = (Movement.NONE, Movement.NOISE, Movement.CONTENT, Movement.FIELD)

REVIEW_SHEET = "검토대기"


def has_reviews(report: Report) -> bool:
    """Tell whether a change waits for a person, so that the workbook has a sheet for it."""
    return any(page.waiting for page in report.pages)


def write_page(sheet: Sheet, page: PageReport, day: date) -> None:
    """Write the block of a watched page."""
    write_heading(sheet, page.name_ko)
    for alert in page_alerts(page):
        write_line(sheet, alert, Role.ALERT)
    write_line(sheet, page_sentence(page, day))
    sheet.skip_row()
    write_notes(sheet, describe_page(page))


def write_terms(sheet: Sheet, terms: Sequence[TermsState]) -> None:
    """Write who confirmed which site's terms of use, and when."""
    if not terms:
        return
    write_heading(sheet, "이용약관 확인")
    for state in terms:
        write_notes(sheet, describe_terms(state))


def write_alerts(sheet: Sheet, alerts: Sequence[Alert]) -> None:
    """Write what people were told that day."""
    if not alerts:
        return
    write_heading(sheet, "이날 알린 것")
    told = (Note(show_moment(each.raised_at), f"{each.title}: {each.text}") for each in alerts)
    write_notes(sheet, told)


def page_sentence(page: PageReport, day: date) -> str:
    """Return what the day's read of a page found, in one sentence."""
    last = page.last
    if last is None:
        return "아직 채택한 수집이 없어 보여 드릴 것이 없습니다."
    if last.day != day:
        found = MOVEMENT_WORDS[last.movement]
        return f"이날 채택한 수집이 없습니다. 마지막은 {last.day.isoformat()}의 '{found}'입니다."
    return _say_movement(last)


def _say_movement(last: PageVisitRow) -> str:
    if last.movement is Movement.FIRST:
        return (
            f"최초 수집(기준): 글 {last.n_characters:,}자를 기록했습니다."
            " 변경 비교는 다음 실행부터 시작됩니다."
        )
    same = " (받은 페이지가 글자 하나까지 같음)" if last.is_same_bytes else ""
    return {
        Movement.NONE: f"변동이 없습니다{same}.",
        Movement.NOISE: "저절로 움직이는 폭 안에서만 달라졌습니다(잡음). 변경으로 보지 않습니다.",
        Movement.CONTENT: "글의 내용이 바뀌었습니다.",
        Movement.FIELD: "항목의 값이 바뀌었습니다.",
    }[last.movement]


def page_alerts(page: PageReport) -> list[str]:
    """Return what a reader must not miss of a page."""
    alerts = [page.notice] if page.notice else []
    if page.waiting:
        alerts.append(
            f"사람이 확인해야 할 변경이 {len(page.waiting):,}건 있습니다. {REVIEW_SHEET} 시트에서"
            ' 비교 파일을 열어 보고 review done 번호 --note "확인한 내용" 을 실행하십시오.'
        )
    return [*alerts, *page.warnings]


def describe_page(page: PageReport) -> tuple[Note, ...]:
    """Return the lines of a page's block, below its sentences."""
    link = link_to_sheet(REVIEW_SHEET) if page.waiting else ""
    return (
        Note("주소", page.url, link=page.url),
        Note("마지막 읽기", _say_last(page.last)),
        Note("누적", _say_rates(page)),
        _say_calibration(page),
        Note("검토 대기", f"{len(page.waiting):,}건", bool(page.waiting), link),
    )


def _say_last(last: PageVisitRow | None) -> str:
    if last is None:
        return "없음"
    moved = show_movement(last.movement, last.distance, last.threshold)
    is_told_above = last.movement in {Movement.CONTENT, Movement.FIELD}  # as the run's warning
    why = f" {last.why}" if last.why and not is_told_above else ""
    return f"{last.day.isoformat()} {moved}, 견준 글 {last.n_characters:,}자.{why}"


def _say_rates(page: PageReport) -> str:
    n_all = sum(page.rates.get(movement, 0) for movement in COUNTED)
    if not n_all:
        return "아직 견준 적이 없습니다."
    counts = ", ".join(
        f"{MOVEMENT_WORDS[movement]} {page.rates.get(movement, 0):,}회"
        f"({page.rates.get(movement, 0) / n_all:.0%})"
        for movement in COUNTED
    )
    return f"견준 {n_all:,}회 가운데 {counts}"


def _say_calibration(page: PageReport) -> Note:
    found = page.calibration
    if found is None:
        text = (
            "이 페이지가 저절로 얼마나 움직이는지 잰 적이 없어 작은 차이도 모두 변경으로 봅니다."
            f" calibrate {page.board_id} 명령을 한 번 실행하십시오."
        )
        return Note("임계값", text, is_strong=True)
    measured = f"{show_moment(found.measured_at)}에 {found.n_reads}회 읽어 잼"
    if found.threshold is None:
        text = f"없음: 다른 점은 모두 변경으로 봅니다. 읽을 때마다 같았습니다({measured})."
    else:
        text = (
            f"{show_bits(found.threshold)}비트까지는 잡음으로 봅니다"
            f"(가장 컸던 거리 {found.largest_distance}비트, {measured})."
        )
    return Note("임계값", text)


# --- terms of use --------------------------------------------------------------------------------


def terms_alerts(terms: TermsState) -> list[str]:
    """Return what a person has to do about a site's terms."""
    alerts = []
    if terms.stop is not None:
        passage = drop_turning(" ".join(terms.stop.passage.split()))
        alerts.append(
            f"{terms.site} 의 페이지에 수집을 금지하는 말이 있어 이 사이트의 실행을 멈췄습니다:"
            f' "{passage}" ({terms.stop.url}) 사람이 읽고 판단하기 전에는 다시 수집하지 않습니다.'
            ' 허용된다고 판단하면 terms confirm --note "판단한 까닭" 을 실행하고, 아니면 게시판을'
            " 끄십시오."
        )
    if terms.due_since is not None:
        why = f" {terms.why_due}" if terms.why_due else ""
        alerts.append(
            f"{terms.site} 의 이용약관을 사람이 읽어야 합니다({terms.due_since.isoformat()}부터)."
            f'{why} 약관을 읽고 terms confirm --note "읽은 내용과 판단" 을 실행하십시오.'
        )
    return alerts


def describe_terms(terms: TermsState) -> tuple[Note, ...]:
    """Return the lines of the block on a site's terms."""
    if terms.confirmed_at is None:
        return (Note(terms.site, "확인한 적이 없습니다.", is_strong=True),)
    note = f" 메모: {terms.note}" if terms.note else ""
    return (Note(terms.site, f"{show_moment(terms.confirmed_at)}에 확인했습니다.{note}"),)
