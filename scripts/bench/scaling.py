"""Where one machine ends: what a host gives in a day, what a PC could read, whom to ask more often.

    python scripts/bench/scaling.py [SEED]

Three tables, those of docs/scaling.md:

- One host. A list of 12,000 rows is crawled in simulated time by the program's own throttle (the
  shipped settings): how long it takes at several latencies, and how many such lists the day's
  budget and the task's half hour allow.
- Many hosts. One process a host, side by side: how many of them a PC's processors could serve,
  from the pauses above and the measured work on a list (CPU_S, docs/benchmarks.md).
- Many boards. 60 boards with drawn rates of change and use share a number of visits a day. Five
  ways to share them are lived through for a year: how much of what people ask for is up to date,
  and how many hours a change that somebody wants waits. Nothing is measured here, so the same seed
  gives the same table.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dmf_crawler.acquire.frontier import count_pages
from dmf_crawler.acquire.throttle import Throttle
from dmf_crawler.settings import Budget, Politeness

N_ROWS = 12_000
PAGE_SIZE = 100
TASK_S = 1_800.0
CPU_S = 8.0
"""What a run of 12,000 rows costs a processor from its start to its workbook, rounded upwards."""

LATENCIES_S = (0.1, 0.3, 0.6, 1.0, 2.0)
N_BOARDS = 60
N_DAYS = 365
VISITS_PER_BOARD = 1.25
HOURS = 24.0
OFTEN_SHARE = 0.25
"""Of the boards the owner's rule (§4.7) asks so many twice a day."""


# --- one host -------------------------------------------------------------------------------------


def crawl_seconds(n_requests: int, latency_s: float, rng: random.Random) -> float:
    """Return how long so many requests take one after the other, at a latency, in seconds."""
    now_s = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    throttle = Throttle(Politeness(), monotonic=lambda: now_s, sleep=sleep, uniform=rng.uniform)
    for _ in range(n_requests):
        with throttle.slot() as turn:
            sleep(latency_s)
            turn.is_success = True
    return now_s


def requests_of_list(n_rows: int = N_ROWS, page_size: int = PAGE_SIZE) -> int:
    """Return the requests of one run: robots.txt, all pages, page 1 once more."""
    return count_pages(n_rows, page_size) + 2


def tell_one_host(rng: random.Random) -> list[str]:
    n_requests = requests_of_list()
    by_budget = Budget().requests_per_day // n_requests
    lines = [
        "| latency | one list of 12,000 rows | lists in half an hour | in the day's budget |",
        "|---:|---:|---:|---:|",
    ]
    for latency_s in LATENCIES_S:
        seconds = crawl_seconds(n_requests, latency_s, rng)
        lines.append(
            f"| {latency_s:g} s | {seconds / 60:.1f} min | {int(TASK_S // seconds)} | {by_budget} |"
        )
    return lines


# --- many hosts -----------------------------------------------------------------------------------


def tell_many_hosts(rng: random.Random) -> list[str]:
    seconds = crawl_seconds(requests_of_list(), 0.3, rng)
    lines = [
        "| processors | hosts side by side before they are busy | lists a day, each host one |",
        "|---:|---:|---:|",
    ]
    for n_processors in (1, 2, 4, 8):
        n_hosts = int(n_processors * seconds / CPU_S)
        n_lists = int(n_processors * 86_400 / CPU_S)
        lines.append(f"| {n_processors} | {n_hosts} | {n_lists:,} |")
    return lines


# --- many boards ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Board:
    """A board of the simulation: changes a day (Poisson), and its share of what people ask for."""

    rate: float
    use: float


Plan = Sequence[float]
"""Visits a day of each board, at even distances; 0: never."""


def draw_boards(rng: random.Random, n_boards: int = N_BOARDS) -> list[Board]:
    """Draw rates of change from once in three months to several a day, and use by Zipf's law."""
    ranks = list(range(1, n_boards + 1))
    rng.shuffle(ranks)
    total = sum(1 / rank for rank in ranks)
    return [Board(rng.lognormvariate(math.log(0.3), 1.6), 1 / rank / total) for rank in ranks]


def plan_evenly(boards: Sequence[Board], visits: float) -> Plan:
    """Give each board the same."""
    return [visits / len(boards)] * len(boards)


def plan_by_rate(boards: Sequence[Board], visits: float) -> Plan:
    """Give each board visits in proportion to its changes: what intuition would do."""
    total = sum(board.rate for board in boards)
    return [visits * board.rate / total for board in boards]


def plan_as_owner(boards: Sequence[Board], visits: float) -> Plan:
    """Ask the quarter with the highest use × rate twice a day, all others once (§4.7)."""
    order = sorted(boards, key=lambda board: board.use * board.rate, reverse=True)
    often = {id(board) for board in order[: round(visits - len(boards))]}
    return [2.0 if id(board) in often else 1.0 for board in boards]


def plan_fresh(boards: Sequence[Board], visits: float) -> Plan:
    """Maximise what is up to date when it is asked for (Azar et al., PNAS 2018).

    With random visits at rate r a board is up to date for r / (r + rate) of the time; of such plans
    the best has r = max(0, sqrt(use × rate / price) - rate): boards with little use for their rate
    get none at all.
    """

    def at(price: float) -> list[float]:
        return [
            max(0.0, math.sqrt(board.use * board.rate / price) - board.rate) for board in boards
        ]

    return at(_find_price(at, visits))


def plan_prompt(boards: Sequence[Board], visits: float) -> Plan:
    """Minimise the hours that a wanted change waits, no board less than once a day.

    A change waits half the distance of two visits, so use × rate / (2 r) is to be small: r grows
    with the square root of use × rate.
    """

    def at(price: float) -> list[float]:
        return [max(1.0, math.sqrt(board.use * board.rate / price)) for board in boards]

    return at(_find_price(at, visits))


def _find_price(at: Callable[[float], Sequence[float]], visits: float) -> float:
    """Return the price of a visit at which so many are wanted, by bisection."""
    low, high = 1e-12, 1e6
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sum(at(middle)) > visits else (low, middle)
    return math.sqrt(low * high)


@dataclass(frozen=True, slots=True)
class Lived:
    """What a plan was worth in a simulated year.

    Attributes:
        fresh: Share of what people ask for that is up to date, 0 to 1.
        wait_h: Mean hours until a change is seen, weighted by use; only of boards that are visited.
        n_never: Boards that are never visited.
    """

    fresh: float
    wait_h: float
    n_never: int


def live(boards: Sequence[Board], plan: Plan, rng: random.Random, n_days: int = N_DAYS) -> Lived:
    """Live through changes and visits."""
    fresh = waited = wanted = 0.0
    for board, visits in zip(boards, plan, strict=True):
        changes = _draw_changes(board.rate, n_days, rng)
        if not visits:
            fresh += board.use * ((changes[0] if changes else n_days) / n_days)
            continue
        stale, waits = _meet(changes, 1 / visits, rng.random() / visits, n_days)
        fresh += board.use * (1 - stale / n_days)
        waited += board.use * sum(waits)
        wanted += board.use * len(waits)
    return Lived(fresh, waited / wanted * HOURS if wanted else 0.0, sum(not each for each in plan))


def _draw_changes(rate: float, n_days: int, rng: random.Random) -> list[float]:
    moments, now = [], rng.expovariate(rate)
    while now < n_days:
        moments.append(now)
        now += rng.expovariate(rate)
    return moments


def _meet(
    changes: Sequence[float], distance: float, first: float, n_days: int
) -> tuple[float, list[float]]:
    """Return the days on which the copy was stale, and how many days each change waited."""
    visits = [first + number * distance for number in range(int((n_days - first) / distance) + 1)]
    visits.append(visits[-1] + distance)
    stale, waits, at = 0.0, [], 0
    for before, visit in pairwise([visits[0] - distance, *visits]):
        oldest = None
        while at < len(changes) and changes[at] < visit:
            if changes[at] >= before:
                oldest = changes[at] if oldest is None else oldest
                waits.append(visit - changes[at])
            at += 1
        if oldest is not None:
            stale += min(visit, n_days) - oldest
    return stale, waits


PLANS: tuple[tuple[str, Callable[[Sequence[Board], float], Plan]], ...] = (
    ("the same for all", plan_evenly),
    ("in proportion to change", plan_by_rate),
    ("the owner's: top quarter by use × change twice a day", plan_as_owner),
    ("freshest (sorted by use ÷ change)", plan_fresh),
    ("soonest, each at least once a day", plan_prompt),
)


def tell_many_boards(seed: int) -> list[str]:
    boards = draw_boards(random.Random(seed))
    visits = VISITS_PER_BOARD * len(boards)
    lines = [
        "| visits | up to date when asked for | a wanted change waits | boards never visited |",
        "|---|---:|---:|---:|",
    ]
    for name, make_plan in PLANS:
        lived = live(boards, make_plan(boards, visits), random.Random(seed))
        lines.append(f"| {name} | {lived.fresh:.1%} | {lived.wait_h:.1f} h | {lived.n_never} |")
    return lines


def main(arguments: list[str]) -> int:
    seed = int(arguments[0]) if arguments else 20_261_201
    rng = random.Random(seed)
    print("\n".join(tell_one_host(rng)), end="\n\n")
    print("\n".join(tell_many_hosts(rng)), end="\n\n")
    print("\n".join(tell_many_boards(seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
