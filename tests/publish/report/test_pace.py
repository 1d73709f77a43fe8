from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dmf_crawler.model.rate import ChangeRate, Delay, Rate
from dmf_crawler.model.report import BoardReport
from dmf_crawler.model.verdict import Outcome
from dmf_crawler.publish.report.blocks import Note
from dmf_crawler.publish.report.pace import describe_pace
from tests.publish.builders import a_board, a_gate, a_record, a_report
from tests.publish.report.reading import text_rows, write_and_read

WHOLE, RECENT = Rate(0.8, 0.5, 1.25), Rate(0.5, 0.25, 1.0)
RATE = ChangeRate(60, RECENT, WHOLE)
HOUR = 3600.0


def a_lived_board(rate: ChangeRate | None = RATE, **other: object) -> BoardReport:
    """Return a board of a list that has been watched for two months."""
    board = replace(a_board(records=[a_record()]), change_rate=rate, n_accepted_days=61)
    return replace(board, **other)  # type: ignore[arg-type]


def say(label: str, board: BoardReport) -> str:
    """Return what is said under a label."""
    (text,) = (line.text for line in describe_pace(board, 4) if line.label == label)
    return text


def test_the_pace_of_a_list_is_said_with_its_interval():
    assert say("변동 주기", a_lived_board()) == (
        "이 목록은 평균 1.2일에 한 번 바뀝니다(비교한 날 60일, 95% 구간 0.8일 ~ 2.0일)."
        " 최근 14일만 보면 평균 2.0일에 한 번 바뀝니다."
    )


@pytest.mark.parametrize("n", [1, 13])
def test_too_little_is_said_to_be_too_little(n):
    board = a_lived_board(ChangeRate(n))

    assert say("변동 주기", board) == (
        f"관측 부족({n}일): 비교한 날이 14일이 될 때까지 하루 0.5번 바뀐다고 어림합니다."
    )
    assert "79%" in say("기대 최신도", board)
    assert "1.8시간" in say("기대 최신도", board)


def test_a_list_that_never_or_always_changed_has_one_bound():
    never = say("변동 주기", a_lived_board(ChangeRate(60, Rate(0, 0, 0.2), Rate(0, 0, 0.004))))
    always = Rate(3.4, 1.8, None)
    every_day = say("변동 주기", a_lived_board(ChangeRate(14, always, always)))

    assert "바뀐 적이 없습니다(비교한 날 60일, 95% 구간 250일 ~ 끝없음)" in never
    assert "비교한 날마다 바뀌었습니다(비교한 날 14일, 95% 구간 하루보다 짧음 ~ 0.6일)" in every_day


def test_freshness_and_age_are_those_of_the_whole_estimate():
    text = say("기대 최신도", a_lived_board())

    assert "69%" in text  # (1 - e^-0.8) / 0.8
    assert "2.7시간" in text  # (1/2 - (1 - 0.6883) / 0.8) days


def test_the_delay_is_that_of_the_runs():
    board = a_lived_board(delay=Delay(24 * HOUR + 720, 72 * HOUR + 720, 96 * HOUR + 720, 30))

    text = say("실제 지연", board)

    assert "길어도 24시간 12분" in text
    assert "최근 채택한 31일 가운데 가장 길었던 때는 72시간 12분" in text
    assert "연속 4회" in text
    assert "길어도 96시간 12분" in text
    short = replace(board, delay=Delay(24 * HOUR, 24 * HOUR, None, 2))
    assert "사라진" not in say("실제 지연", short)


@pytest.mark.parametrize("code", ["G-7", "G-14"])
def test_a_stall_and_a_burst_stand_out_and_nothing_else_is_repeated(code):
    warned = a_gate(code, Outcome.WARN, message="평일 9일째 변동이 없습니다.")
    others = [a_gate("G-6", Outcome.WARN), a_gate("G-7", Outcome.PASS), a_gate("G-14")]

    lines = describe_pace(replace(a_lived_board(), gates=(warned, *others)), 4)

    assert [line for line in lines if line.label == "주의"] == [
        Note("주의", "평일 9일째 변동이 없습니다.", is_strong=True)
    ]


@pytest.mark.parametrize(
    ("n_days", "has_line", "is_strong"),
    [(2, True, False), (29, True, False), (30, True, True), (31, False, False)],
)
def test_tune_is_announced_on_day_thirty(n_days, has_line, is_strong):
    lines = [
        line
        for line in describe_pace(a_lived_board(n_accepted_days=n_days), 4)
        if line.label == "기준값"
    ]

    assert [line.is_strong for line in lines] == ([is_strong] if has_line else [])
    assert all("tune" in line.text for line in lines)


def test_before_the_second_accepted_day_nothing_is_said():
    assert describe_pace(a_lived_board(None, n_accepted_days=1), 4) == ()


def test_the_section_stands_between_the_gates_and_the_run(tmp_path: Path):
    board = replace(a_lived_board(), gates=(a_gate(),))

    rows = [row[0] for row in text_rows(write_and_read(a_report(board), tmp_path), "요약") if row]

    places = [
        next(place for place, text in enumerate(rows) if text.startswith(start))
        for start in ("게이트:", "변동 주기와 지연", "변동 주기", "기대 최신도", "이 목록을 만든")
    ]
    assert places[0] < places[1] <= places[2] < places[3] < places[4]
    without = write_and_read(a_report(a_board(records=[a_record()])), tmp_path)
    assert not [row for row in text_rows(without, "요약") if row and row[0].startswith("변동 주기")]
