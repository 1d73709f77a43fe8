from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.model.report import Report
from dmf_crawler.model.run import KST
from dmf_crawler.model.terms import Alert, ForbiddingPassage, TermsState
from dmf_crawler.model.watched_page import Calibration, Movement, PageReport
from dmf_crawler.publish.report.page_notes import page_sentence
from tests.publish.builders import DAY, a_board, a_record, a_report, a_run_row
from tests.publish.page_builders import BOARD, PAGE_URL, RUN, a_page, a_review, a_visit
from tests.publish.report.reading import text_rows, write_and_read

SITE = "https://nedrug.mfds.go.kr"
CONFIRMED_AT = datetime(2026, 8, 30, 9, 0, tzinfo=KST)


def a_report_with(page: PageReport | None = None, *terms: TermsState) -> Report:
    board = a_board(records=[a_record("A")])
    return replace(a_report(board), pages=(page,) if page else (), terms=terms)


def summary_of(report: Report, folder: Path) -> list[list[str]]:
    return text_rows(write_and_read(report, folder), "요약")


def block_of(page: PageReport, folder: Path) -> list[list[str]]:
    """Return the rows below a page's heading, up to the next heading."""
    rows = summary_of(a_report_with(page), folder)
    start = max(n for n, row in enumerate(rows) if row == [page.name_ko]) + 1
    end = next(n for n, row in enumerate(rows) if row[:1] == ["변동이 보고서에 나타나기까지"])
    return [row for row in rows[start:end] if row]


def test_a_page_has_a_block_with_its_last_read_its_rates_and_its_calibration(
    tmp_path: Path,
) -> None:
    visit = replace(a_visit(Movement.NOISE, 2), why="저절로 움직이는 폭 안입니다.")
    page = replace(a_page(), last=visit)
    assert block_of(page, tmp_path) == [
        ["저절로 움직이는 폭 안에서만 달라졌습니다(잡음). 변경으로 보지 않습니다."],
        ["주소", PAGE_URL],
        [
            "마지막 읽기",
            "2026-11-30 잡음 (거리 2, 임계값 3), 견준 글 812자. 저절로 움직이는 폭 안입니다.",
        ],
        [
            "누적",
            (
                "견준 28회 가운데 변동 없음 24회(86%), 잡음 3회(11%), 내용 변경 0회(0%), "
                "항목 변경 1회(4%)"
            ),
        ],
        [
            "임계값",
            "3비트까지는 잡음으로 봅니다(가장 컸던 거리 2비트, 2026-11-03 09:30:00에 5회 읽어 잼).",
        ],
        ["검토 대기", "0건"],
    ]


def test_what_must_not_be_missed_stands_first_and_is_counted_above(tmp_path: Path) -> None:
    page = replace(
        a_page(a_review()),
        notice="마지막 실행 X 은 채택되지 않았습니다: 페이지가 없습니다.",
        warnings=("잡음이 커지고 있습니다.",),
    )
    block = block_of(page, tmp_path)
    assert block[0] == [page.notice]
    assert block[1][0].startswith("사람이 확인해야 할 변경이 1건 있습니다. 검토대기 시트에서")
    assert block[2] == ["잡음이 커지고 있습니다."]
    assert block[-1] == ["검토 대기", "1건"]
    rows = summary_of(a_report_with(page), tmp_path)
    assert [
        page.name_ko,
        "먼저 볼 것이 3건 있습니다(아래 붉은 글씨). 항목의 값이 바뀌었습니다.",
    ] in rows


@pytest.mark.parametrize(
    ("calibration", "told"),
    [
        (None, "calibrate nedrug_terms 명령을 한 번 실행하십시오."),
        (
            Calibration(CONFIRMED_AT, 5, None, None),
            "읽을 때마다 같았습니다(2026-08-30 09:00:00에 5회 읽어 잼).",
        ),
    ],
)
def test_a_page_without_a_threshold_says_what_that_means(
    tmp_path: Path, calibration: Calibration | None, told: str
) -> None:
    rows = block_of(replace(a_page(), calibration=calibration), tmp_path)
    assert next(row[1] for row in rows if row[0] == "임계값").endswith(told)


def test_the_sentence_says_what_the_day_brought() -> None:
    page = a_page()
    first = replace(page, last=a_visit(Movement.FIRST, None))
    assert page_sentence(first, DAY).startswith("최초 수집(기준): 글 812자를 기록했습니다.")
    same = replace(page, last=replace(a_visit(Movement.NONE, 0), is_same_bytes=True))
    assert page_sentence(same, DAY) == "변동이 없습니다 (받은 페이지가 글자 하나까지 같음)."
    assert page_sentence(a_page(movement=Movement.CONTENT), DAY) == "글의 내용이 바뀌었습니다."
    assert page_sentence(page, DAY + timedelta(days=1)) == (
        "이날 채택한 수집이 없습니다. 마지막은 2026-11-30의 '항목 변경'입니다."
    )
    assert page_sentence(replace(page, last=None), DAY).startswith("아직 채택한 수집이 없어")


def test_a_page_that_was_never_read_has_a_block_all_the_same(tmp_path: Path) -> None:
    page = replace(a_page(), last=None, rates={}, calibration=None)
    rows = block_of(page, tmp_path)
    assert ["마지막 읽기", "없음"] in rows
    assert ["누적", "아직 견준 적이 없습니다."] in rows


def test_a_report_of_a_page_alone_is_a_whole_workbook(tmp_path: Path) -> None:
    report = replace(a_report(), pages=(a_page(a_review()),), runs=(a_run_row(board_id=BOARD),))
    workbook = write_and_read(report, tmp_path)
    assert workbook.sheetnames == ["요약", "신규", "변경", "취하", "이력", "실행로그", "검토대기"]
    assert text_rows(workbook, "신규")[1] == ["새로 등록된 건이 없습니다."]


# --- terms of use --------------------------------------------------------------------------------


def test_terms_that_were_confirmed_are_told_with_the_note(tmp_path: Path) -> None:
    state = TermsState(SITE, CONFIRMED_AT, "제5조 확인")
    rows = summary_of(a_report_with(None, state), tmp_path)
    assert [SITE, "2026-08-30 09:00:00에 확인했습니다. 메모: 제5조 확인"] in rows
    assert not [row for row in rows if row and "terms confirm" in row[0]]


def test_terms_that_have_to_be_read_are_told_in_the_first_lines(tmp_path: Path) -> None:
    state = TermsState(SITE, None, due_since=date(2026, 11, 28), why_due="확인한 적이 없습니다.")
    rows = summary_of(a_report_with(None, state), tmp_path)
    (told,) = rows[2]
    assert told.startswith(
        f"{SITE} 의 이용약관을 사람이 읽어야 합니다(2026-11-28부터). 확인한 적이"
    )
    assert told.endswith('약관을 읽고 terms confirm --note "읽은 내용과 판단" 을 실행하십시오.')
    assert [SITE, "확인한 적이 없습니다."] in rows


def test_a_passage_that_stopped_a_site_is_quoted_without_turning_our_words(tmp_path: Path) -> None:
    passage = ForbiddingPassage(
        "크롤링.*금지", "크롤링을\n\u202e금지합니다.", f"{SITE}/a", "ab" * 32
    )
    state = TermsState(SITE, CONFIRMED_AT, stop=passage)
    told = summary_of(a_report_with(None, state), tmp_path)[2][0]
    assert '"크롤링을 금지합니다."' in told
    assert f"({SITE}/a)" in told
    assert "다시 수집하지 않습니다" in told


def test_what_people_were_told_that_day_stands_in_a_block_of_its_own(tmp_path: Path) -> None:
    alert = Alert("k", DAY, "terms_due", "약관을 읽으십시오", "90일이 지났습니다.", CONFIRMED_AT)
    rows = summary_of(replace(a_report_with(), alerts=(alert,)), tmp_path)
    at = rows.index(["이날 알린 것"])
    assert rows[at + 1] == ["2026-08-30 09:00:00", "약관을 읽으십시오: 90일이 지났습니다."]
    assert ["이날 알린 것"] not in summary_of(a_report_with(), tmp_path)


# --- 실행로그 ------------------------------------------------------------------------------------


def test_the_run_log_tells_what_a_page_board_found_instead_of_counts(tmp_path: Path) -> None:
    run = a_run_row(board_id=BOARD, n_rows=1)
    run = replace(run, run=replace(run.run, run_id=RUN))
    report = replace(a_report_with(a_page()), runs=(a_run_row(), run), page_visits={RUN: a_visit()})
    header, of_list, of_page = text_rows(write_and_read(report, tmp_path), "실행로그")
    assert header[:2] == ["run_id", "게시판"]
    at = header.index("페이지")
    assert header[at - 1 : at + 2] == ["확인 중", "페이지", "기준선"]
    assert of_page[1] == "의약품안전나라 이용약관"
    assert of_page[at] == "항목 변경 (거리 9, 임계값 3)"
    counts = [header.index(name) for name in ("건수", "신규", "변경", "취하", "확인 중")]
    assert [of_page[n] for n in counts] == [""] * 5
    assert [of_list[n] for n in counts] == ["2", "0", "0", "0", "0"]
    assert of_list[at] == ""
