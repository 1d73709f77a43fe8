"""How often a list changes, how late its changes are known, and what is unusual: for 요약."""

from __future__ import annotations

from dmf_crawler.model.rate import (
    FEWEST_OBSERVATIONS,
    PRIOR_PER_DAY,
    ChangeRate,
    Delay,
    Rate,
)
from dmf_crawler.model.report import BoardReport
from dmf_crawler.model.verdict import Outcome
from dmf_crawler.publish.report.blocks import Note

TUNE_DAY = 30
"""Accepted days after which a list's own figures say more than the values that it started with."""

WATCHED = ("G-7", "G-14")
"""Gates that watch the pace of a list: stall and burst."""


def describe_pace(board: BoardReport, missing_runs: int) -> tuple[Note, ...]:
    """Return what 요약 says of a board's pace; nothing before its second accepted day."""
    rate = board.change_rate
    if rate is None:
        return ()
    lines = [Note("변동 주기", _say_rate(rate)), Note("기대 최신도", _say_freshness(rate))]
    if board.delay is not None:
        lines.append(Note("실제 지연", _say_delay(board.delay, missing_runs)))
    lines += [
        Note("주의", gate.message, is_strong=True)
        for gate in board.gates
        if gate.code in WATCHED and gate.outcome is Outcome.WARN
    ]
    return (*lines, *_say_tune(board.n_accepted_days))


def _say_rate(rate: ChangeRate) -> str:
    if rate.whole is None or rate.recent is None:
        return (
            f"관측 부족({rate.n_observations}일): 비교한 날이 {FEWEST_OBSERVATIONS}일이 될 때까지 "
            f"하루 {PRIOR_PER_DAY:g}번 바뀐다고 어림합니다."
        )
    recent = f" 최근 {FEWEST_OBSERVATIONS}일만 보면 {_say_interval(rate.recent)}."
    return (
        f"이 목록은 {_say_interval(rate.whole)}(비교한 날 {rate.n_observations:,}일, "
        f"95% 구간 {_say_bounds(rate.whole)}).{recent}"
    )


def _say_interval(rate: Rate) -> str:
    if rate.days_between is None:
        return "바뀐 적이 없습니다"
    if rate.high is None:
        return "비교한 날마다 바뀌었습니다"
    return f"평균 {_show_days(rate.days_between)}에 한 번 바뀝니다"


def _say_bounds(rate: Rate) -> str:
    """Return the bounds of the days between two changes: the higher rate first."""
    shortest = "하루보다 짧음" if rate.high is None else _show_days(1 / rate.high)
    longest = "끝없음" if not rate.low else _show_days(1 / rate.low)
    return f"{shortest} ~ {longest}"


def _say_freshness(rate: ChangeRate) -> str:
    used = rate.whole or Rate(PRIOR_PER_DAY, 0.0, None)
    return (
        "하루에 한 번 확인할 때, 아무 때나 보아 우리 목록이 사이트와 같을 확률은 "
        f"{used.freshness:.0%}이고, 뒤처진 시간은 평균 {used.age_days * 24:.1f}시간입니다."
    )


def _say_delay(delay: Delay, missing_runs: int) -> str:
    text = (
        f"이번에 실린 변동은 사이트에 올라온 지 길어도 {_show_hours(delay.this_s)} 안의 것입니다. "
        f"최근 채택한 {delay.n_days + 1}일 가운데 가장 길었던 때는 {_show_hours(delay.longest_s)}"
        "입니다."
    )
    if delay.vanished_s is None:
        return text
    return (
        f"{text} 사라진 행은 연속 {missing_runs}회 확인한 뒤 취하로 기록하므로 이번에는 길어도 "
        f"{_show_hours(delay.vanished_s)}이 걸립니다."
    )


def _say_tune(n_days: int) -> tuple[Note, ...]:
    if n_days < TUNE_DAY:
        text = (
            f"게이트의 기준값은 아직 출발값입니다(채택 {n_days}일째). 채택한 날이 {TUNE_DAY}일이 "
            "되면 tune 명령으로 이 목록의 실측과 견줄 수 있습니다."
        )
        return (Note("기준값", text),)
    if n_days == TUNE_DAY:
        text = (
            f"채택한 날이 {TUNE_DAY}일이 되었습니다. tune 명령을 실행하여 출발값으로 둔 기준을 이 "
            "목록의 실측과 견주어 보십시오."
        )
        return (Note("기준값", text, is_strong=True),)
    return ()


def _show_days(days: float) -> str:
    return f"{days:.1f}일" if days < 100 else f"{days:,.0f}일"


def _show_hours(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,}시간 {minutes}분"
