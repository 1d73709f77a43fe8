"""`tune`: the values that the program started with, held against what the history saw."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dmf_crawler.boards import Board
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.lived import collect_review_points, read_board
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.judge.tuning import tune_parameters
from dmf_crawler.model.tuning import Lived, ReviewPoint, Spread, Tuned
from dmf_crawler.publish.report.pace import TUNE_DAY


def tune(arguments: argparse.Namespace) -> Answer:
    """Show each parameter with what was seen, the holds that it caused, and a proposal."""
    home = open_home(arguments.home)
    boards = _choose_lists(home, arguments.board)
    with open_store(home) as store:
        lived = [(board, read_board(home, store, board)) for board in boards]
        points = collect_review_points(home, store)
    tuned = [(board, each, tune_parameters(each, home.settings)) for board, each in lived]
    payload = {
        "boards": [_board_json(board, each, values) for board, each, values in tuned],
        "review": [asdict(point) for point in points],
    }
    lines = [line for board, each, values in tuned for line in _say_board(board, each, values)]
    return Answer(0, payload, "\n".join([*lines, *_say_points(points)]))


def _choose_lists(home: Home, wanted: Sequence[str] | None) -> list[Board]:
    """Return the list boards among those that were asked for.

    Raises:
        UsageError: `list_board_needed`: a page has no gate whose limit could be tuned.
    """
    boards = choose_boards(home, wanted)
    pages = [board for board in boards if board.kind == "page"]
    if wanted and pages:
        raise UsageError(
            "list_board_needed",
            f"{pages[0].id} 은 감시 페이지라 견줄 기준값이 없습니다. 저절로 움직이는 정도는 "
            f"calibrate {pages[0].id} 로 잽니다. --board 에는 목록 게시판을 적으십시오.",
        )
    return [board for board in boards if board.kind == "list"]


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
