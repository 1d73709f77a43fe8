"""Before anything else: may a host be asked at all, and what changed in what it says?"""

from __future__ import annotations

from dmf_crawler.acquire.frontier import robots_request
from dmf_crawler.acquire.robots import RobotsGate, describe_change, read_robots
from dmf_crawler.model.page import FetchedPage
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.robots_seen import last_robots
from dmf_crawler.visit import Visit
from dmf_crawler.watch import OpenBoard, W


def pass_robots(visit: Visit[W]) -> tuple[RobotsGate | Fault, tuple[str, ...]]:
    """Ask a host's robots.txt before anything else of it.

    Returns:
        What it says, or why nothing must be asked for; and Korean sentences about it, those of
        changes for the board's own site alone.
    """
    watch = visit.watch
    answer = visit.ask_robots(robots_request(visit.base_url))
    if visit.fetcher.stopped is not None:
        return visit.fetcher.stopped, ()
    is_own = visit.base_url == watch.base_url
    gate = read_robots(answer, product_token=watch.product_token)
    told = _tell_change(watch, answer) if is_own and not isinstance(answer, Fault) else ()
    if isinstance(gate, Fault):
        return gate, told
    told += gate.warnings
    for sentence in told:
        visit.log("robots_warning", detail=sentence)
    visit.fetcher.obey(gate)
    return gate, told


def _tell_change(watch: OpenBoard, answer: FetchedPage) -> tuple[str, ...]:
    """Return what robots.txt says otherwise than at the board's last accepted run."""
    before = last_robots(watch.store, watch.board.id)
    if before is None:
        return ()
    if before.status != answer.status:
        sentence = (
            f"robots.txt의 응답이 {before.day} 의 HTTP {before.status} 에서 HTTP {answer.status} "
            "로 바뀌었습니다. 사이트의 robots.txt를 확인해 주십시오."
        )
        return (sentence,)
    change = describe_change(before.body, answer.body, watch.product_token)
    if not change:
        return ()
    return (f"{before.day} 이후 {change} 규칙은 그대로 지켰습니다. 의도를 확인해 주십시오.",)
