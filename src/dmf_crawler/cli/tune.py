"""`tune`: the values that the program started with, held against what the history saw."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from dmf_crawler.acquire.measures import measure_answers
from dmf_crawler.boards import Board
from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.judge.review import GAVE_WAY_DAYS, find_review_points
from dmf_crawler.judge.tuning import tune_parameters
from dmf_crawler.model.tuning import Lived, ReviewPoint, Spread, Tuned
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.tuning import (
    count_gave_way,
    last_day,
    longest_day_s,
    read_lived,
    recent_raw_dirs,
)
from dmf_crawler.publish.report.pace import TUNE_DAY

N_CRAWLS = 30
"""Crawls whose answers are looked at."""

REFUSALS = frozenset({429, 503})


def tune(arguments: argparse.Namespace) -> Answer:
    """Show each parameter with what was seen, the holds that it caused, and a proposal."""
    home = open_home(arguments.home)
    boards = choose_boards(home, arguments.board)
    with open_store(home) as store:
        lived = [(board, _read_board(home, store, board)) for board in boards]
        points = _find_points(home, store)
    tuned = [(board, each, tune_parameters(each, home.settings)) for board, each in lived]
    payload = {
        "boards": [_board_json(board, each, values) for board, each, values in tuned],
        "review": [asdict(point) for point in points],
    }
    lines = [line for board, each, values in tuned for line in _say_board(board, each, values)]
    return Answer(0, payload, "\n".join([*lines, *_say_points(points)]))


def _read_board(home: Home, store: Store, board: Board) -> Lived:
    until = last_day(store)
    if until is None:
        raise UsageError(
            "nothing_accepted",
            "이력에 실행이 없어 견줄 것이 없습니다. 먼저 run 하십시오.",
        )
    same_host = [other.id for other in home.enabled_boards if other.site == board.site]
    n_days = home.settings.gates.history_days
    lived = read_lived(store, board.id, same_host, until=until, n_days=n_days)
    return _add_answers(home, store, board, lived)


def _add_answers(home: Home, store: Store, board: Board, lived: Lived) -> Lived:
    """Return what the history tells with what the kept pages of the last crawls tell."""
    response_s: list[float] = []
    page_bytes: list[int] = []
    of_day: dict[str, int] = {}
    n_refused = 0
    for day, raw_dir in recent_raw_dirs(store, board.id, N_CRAWLS):
        for answer in measure_answers(home.root / raw_dir):
            response_s.append(answer.elapsed_s)
            page_bytes.append(answer.n_bytes)
            of_day[str(day)] = of_day.get(str(day), 0) + answer.n_bytes
            n_refused += answer.status in REFUSALS
    return replace(
        lived,
        response_s=response_s,
        n_refused=n_refused,
        page_bytes=page_bytes,
        day_bytes=list(of_day.values()),
    )


def _find_points(home: Home, store: Store) -> tuple[ReviewPoint, ...]:
    until = last_day(store)
    if until is None:
        return ()
    since = until - timedelta(days=GAVE_WAY_DAYS - 1)
    return find_review_points(
        n_boards=len(home.enabled_boards),
        longest_day_s=longest_day_s(store, since),
        n_gave_way=sum(count_gave_way(store, board.id, since) for board in home.enabled_boards),
    )


# --- what people and programs are told ----------------------------------------------------------


def _board_json(board: Board, lived: Lived, values: Sequence[Tuned]) -> dict[str, Any]:
    return {
        "board": board.id,
        "n_days": lived.n_days,
        "parameters": [
            {
                "name": value.name,
                "key": value.key,
                "now": value.now,
                "seen": _spread_json(value.spread),
                "holds": value.n_holds,
                "proposed": value.proposed,
                "reason": value.reason,
            }
            for value in values
        ],
    }


def _spread_json(spread: Spread | None) -> dict[str, float] | None:
    if spread is None:
        return None
    return {
        "n": spread.n,
        "min": spread.least,
        "median": spread.median,
        "p95": spread.high,
        "max": spread.most,
    }


def _say_board(board: Board, lived: Lived, values: Sequence[Tuned]) -> list[str]:
    lines = [f"{board.name_ko} ({board.id}): 채택한 날 {lived.n_days:,}일"]
    if lived.n_days < TUNE_DAY:
        lines.append(f"  {TUNE_DAY}일이 되기 전이라 아래의 제안은 참고만 하십시오.")
    for value in values:
        lines += _say_value(value)
    return lines


def _say_value(value: Tuned) -> list[str]:
    now = f" 지금 {value.now}" if value.now else ""
    key = f" [{value.key}]" if value.key else ""
    lines = [f"  {value.label_ko}{key}:{now}" if now else f"  {value.label_ko}{key}"]
    if value.spread is not None:
        lines.append(f"    관측: {value.unit_ko} {_say_spread(value.spread)}")
    if value.proposed:
        same = "" if value.proposed != value.now else " (그대로)"
        lines.append(f"    보류·거부 {value.n_holds:,}회, 제안 {value.proposed}{same}")
    return [*lines, f"    {value.reason}"]


def _say_spread(spread: Spread) -> str:
    return (
        f"최소 {_show(spread.least)}, 중앙 {_show(spread.median)}, 95% {_show(spread.high)}, "
        f"최대 {_show(spread.most)} ({spread.n:,}개)"
    )


def _show(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def _say_points(points: Sequence[ReviewPoint]) -> list[str]:
    if not points:
        return ["다시 검토할 설계 결정: 없습니다."]
    return ["다시 검토할 설계 결정:", *(f"  {point.message}" for point in points)]
