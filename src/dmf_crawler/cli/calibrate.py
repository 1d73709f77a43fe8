"""`calibrate`: how far a watched page moves by itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from dmf_crawler.boards import Board
from dmf_crawler.calibration import Calibrated, calibrate_page
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.model.watched_page import Calibration
from dmf_crawler.page_watch import open_page_watch
from dmf_crawler.persist.runs import end_abandoned_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.world import real_world


def calibrate(arguments: argparse.Namespace) -> Answer:
    """Ask for a page a few times and record how far its readings lie apart.

    Raises:
        UsageError: `no_such_board`, `page_board_needed`.
    """
    home = open_home(arguments.home)
    board = _choose_page(home, arguments.board)
    settings = home.settings
    with (
        hold_lock(home),
        real_world(settings.politeness, settings.http, starts_at=arguments.now) as world,
        write_log(home.logs, world.now),
        Store(home.database) as store,
    ):
        end_abandoned_runs(store, world.now())
        watch = open_page_watch(home, board, store, sleep=world.sleep)
        calibrated = calibrate_page(watch, world)
        fault, run_id = calibrated.fault, calibrated.run_id
        code = fault.code if fault else None
        LOG.info("page_calibrated", extra={"run_id": run_id, "board": board.id, "code": code})
    payload = _tell_json(board, calibrated)
    if fault is not None:
        text = f"{board.name_ko} ({board.id}): 보정하지 못했습니다. [{fault.code}] {fault.message}"
        return Answer(fault.exit_code, payload, text, (fault.code, fault.message))
    return Answer(0, payload, "\n".join(_tell(board, calibrated)))


def _choose_page(home: Home, board_id: str) -> Board:
    (board,) = choose_boards(home, [board_id])
    if board.kind == "page":
        return board
    pages = ", ".join(each.id for each in home.page_boards) or "없음"
    raise UsageError(
        "page_board_needed",
        f"{board_id} 은 목록 게시판이라 보정할 것이 없습니다. kind: page 인 게시판을 적으십시오"
        f"(켜져 있는 것: {pages}).",
    )


def _tell_json(board: Board, calibrated: Calibrated) -> dict[str, Any]:
    measured = calibrated.calibration
    return {
        "board": board.id,
        "raw": calibrated.run_id,
        "n_requests": calibrated.n_requests,
        "n_reads": measured.n_reads if measured else 0,
        "largest_distance": measured.largest_distance if measured else None,
        "threshold": measured.threshold if measured else None,
        "most_moving": measured.most_moving if measured else None,
        "moving": list(calibrated.moving),
        "warnings": list(calibrated.warnings),
    }


def _tell(board: Board, calibrated: Calibrated) -> Iterator[str]:
    measured = calibrated.calibration
    if measured is None:
        return
    yield (
        f"{board.name_ko} ({board.id}): {measured.n_reads}번 읽어 보정했습니다(요청 "
        f"{calibrated.n_requests:,}회, 페이지 {calibrated.run_id})."
    )
    yield f"  {_say_meaning(measured)}"
    if calibrated.moving:
        moving = ", ".join(f"'{each[:60]}'" for each in calibrated.moving[:5])
        yield (
            f"  움직인 부분: {moving}. selectors 파일의 drop이나 volatile에 적고 다시 보정하면 "
            "어떤 차이도 노이즈로 넘기지 않습니다."
        )
    yield from (f"  주의: {each}" for each in calibrated.warnings)


def _say_meaning(measured: Calibration) -> str:
    if measured.threshold is None:
        return (
            "읽을 때마다 비교하는 글이 똑같았습니다. 저절로 움직이지 않는 페이지이므로 앞으로 "
            "어떤 차이도 내용 변경으로 봅니다."
        )
    return (
        f"읽을 때마다 글이 조금씩 달랐습니다(가장 큰 거리 {measured.largest_distance}비트, 움직인 "
        f"문단·항목·칸 많아야 {measured.most_moving}개). 앞으로 마지막으로 기록한 글과의 거리가 "
        f"{measured.threshold}비트 이하이고, 달라진 문단이 그보다 많지 않고, 날짜·금액이나 "
        "허용·금지하는 말이 그대로이면 노이즈로, 아니면 내용 변경으로 봅니다."
    )
