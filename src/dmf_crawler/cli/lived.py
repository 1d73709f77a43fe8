"""What a home has lived through, of its history and its kept pages: for `tune` and `doctor`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from dmf_crawler.acquire.measures import measure_answers
from dmf_crawler.boards import Board
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.judge.review import GAVE_WAY_DAYS, find_review_points
from dmf_crawler.model.tuning import Lived, ReviewPoint
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.tuning import (
    count_gave_way,
    last_day,
    longest_day_s,
    read_lived,
    recent_raw_dirs,
)

N_CRAWLS = 30
"""Crawls whose answers are looked at."""

REFUSALS = frozenset({429, 503})


def read_board(home: Home, store: Store, board: Board) -> Lived:
    """Return what a board's own days were like.

    Raises:
        UsageError: `nothing_accepted`.
    """
    until = last_day(store)
    if until is None:
        raise UsageError(
            "nothing_accepted",
            "이력에 실행이 없어 견줄 것이 없습니다. 먼저 run 하십시오.",
        )
    same_host = [other.id for other in home.enabled_boards if other.site == board.site]
    n_days = home.settings.gates.history_days
    lived = read_lived(store, board.id, same_host, until=until, n_days=n_days)
    return add_answers(home, store, board, lived)


def add_answers(home: Home, store: Store, board: Board, lived: Lived) -> Lived:
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


def collect_review_points(home: Home, store: Store | None) -> tuple[ReviewPoint, ...]:
    """Return the decisions of the design that this home's own figures say to look at again.

    Without a history the boards that are switched on are all that is known.
    """
    until = last_day(store) if store else None
    since = until - timedelta(days=GAVE_WAY_DAYS - 1) if until else None
    longest_s, n_gave_way = 0.0, 0
    if store is not None and since is not None:
        longest_s = longest_day_s(store, since)
        n_gave_way = sum(count_gave_way(store, board.id, since) for board in home.list_boards)
    return find_review_points(
        n_boards=len(home.list_boards), longest_day_s=longest_s, n_gave_way=n_gave_way
    )
