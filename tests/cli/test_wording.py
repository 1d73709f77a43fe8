"""Run summaries as JSON and as Korean lines."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import pytest

from dmf_crawler.cli.wording import (
    STATUS_KO,
    count_words,
    summary_json,
    summary_text,
    worst_error,
    worst_exit_code,
)
from dmf_crawler.model.change import Counts
from dmf_crawler.model.run import KST, Fault, Run, RunStatus
from dmf_crawler.model.verdict import Gate, Outcome, RunSummary
from dmf_crawler.model.watched_page import Movement

RUN = Run("20261201T060000-x", "x", datetime(2026, 12, 1, 6, tzinfo=KST), date(2026, 12, 1))
OK = RunSummary(RUN, RunStatus.OK, 0, n_rows=1234, n_pages=13, n_requests=15)


def failed(exit_code: int, code: str = "why") -> RunSummary:
    return RunSummary(
        RUN, RunStatus.FAILED, exit_code, fault=Fault(code, "말이 됩니다.", exit_code)
    )


@pytest.mark.parametrize(
    ("codes", "worst"),
    [
        ([], 0),
        ([0], 0),
        ([0, 6], 6),
        ([6, 3], 3),
        ([3, 4], 4),
        ([4, 7, 0], 7),
        ([7, 5], 5),
        ([0, 1, 5], 1),
        ([0, 2], 2),
        ([1, 99], 99),
    ],
)
def test_worst_exit_code_is_chosen_in_the_order_of_the_contract(codes, worst):
    assert worst_exit_code([failed(code) for code in codes]) == worst


def test_error_of_the_answer_is_that_of_the_first_worst_board():
    summaries = [OK, failed(6, "a"), failed(4, "b"), failed(4, "c")]
    assert worst_error(summaries) == ("b", "말이 됩니다.")
    assert worst_error([OK]) is None
    assert worst_error([]) is None


def test_every_status_has_a_korean_word():
    assert set(STATUS_KO) == set(RunStatus)


def test_json_has_every_key_of_the_contract():
    gate = Gate("G-5", Outcome.HOLD, 0.2, 0.1, "말이 됩니다.")
    value = summary_json(replace(OK, gates=(gate,), counts=Counts(NEW=2), warnings=("w",)))
    assert set(value) >= {
        *("run_id", "board", "date", "status", "exit_code", "n_rows", "n_requests"),
        *("is_baseline", "counts", "missing", "report", "gates", "error"),
    }
    assert value["gates"] == [
        {
            "code": "G-5",
            "outcome": "hold",
            "observed": 0.2,
            "limit": 0.1,
            "message": "말이 됩니다.",
        }
    ]
    assert value["counts"] == {
        "NEW": 2,
        "MODIFIED": 0,
        "WITHDRAWN": 0,
        "REAPPEARED": 0,
        "COSMETIC": 0,
    }
    assert value["error"] is None
    assert summary_json(failed(6))["error"] == {"code": "why", "message": "말이 됩니다."}


def test_counts_name_only_what_there_is_of_the_rare_kinds():
    assert count_words(Counts(1234, 2, 3, 4)) == "신규 1,234  변경 2  취하 3  재등장 4"
    assert count_words(Counts(COSMETIC=5), 6).endswith("표기만 5  확인 중 6")


def test_text_of_a_run_tells_warnings_and_the_report():
    text = summary_text(replace(OK, warnings=("예비 셀렉터입니다.",), report="r.xlsx"))
    assert text.splitlines() == [
        "2026-12-01 x: 정상  쪽 13  요청 15  건수 1,234  신규 0  변경 0  취하 0  재등장 0",
        "  주의: 예비 셀렉터입니다.",
        "  보고서: r.xlsx",
    ]


def test_text_of_a_page_tells_how_it_moved_instead_of_counts():
    page = replace(OK, n_rows=1, n_pages=1, movement=Movement.FIELD, warnings=("바뀌었습니다.",))
    assert summary_text(page).splitlines() == [
        "2026-12-01 x: 정상  요청 15  항목 변경",
        "  주의: 바뀌었습니다.",
    ]
    first = replace(page, movement=Movement.FIRST, is_baseline=True, warnings=())
    assert summary_text(first) == "2026-12-01 x: 정상  요청 15  최초 수집"
    assert summary_json(page)["movement"] == "field"
    assert summary_json(OK)["movement"] is None


def test_text_of_a_run_tells_what_its_gates_warn_of_and_not_what_they_pass():
    gates = (
        Gate("G-4", Outcome.WARN, 1, 3, "새 형식이 있습니다."),
        Gate("G-5", Outcome.PASS, 0, 0.1, "지나갑니다."),
        Gate("G-6", Outcome.WARN, 0.9, 1, "예비 셀렉터로 읽었습니다."),
    )
    assert summary_text(replace(OK, gates=gates, warnings=("w",))).splitlines()[1:] == [
        "  주의: w",
        "  주의: 새 형식이 있습니다.",
        "  주의: 예비 셀렉터로 읽었습니다.",
    ]


def test_text_of_a_baseline_is_one_line_and_of_a_failure_its_reason():
    assert "최초 수집(기준선) 1,234건" in summary_text(replace(OK, is_baseline=True))
    assert summary_text(failed(6)) == "2026-12-01 x: 실패 [why] 말이 됩니다."
