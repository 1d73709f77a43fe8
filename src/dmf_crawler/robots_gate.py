"""Before anything else: may the site be asked at all, and what changed in what it says?"""

from __future__ import annotations

from dmf_crawler.acquire.frontier import list_request, robots_request
from dmf_crawler.acquire.robots import RobotsGate, describe_change, read_robots
from dmf_crawler.model.page import FetchedPage
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.robots_seen import last_robots
from dmf_crawler.visit import Visit
from dmf_crawler.watch import Watch


def pass_robots(visit: Visit) -> tuple[RobotsGate | Fault, tuple[str, ...]]:
    """Ask robots.txt before anything else.

    Returns:
        What it allows, or why the list must not be asked for; and Korean sentences about it.
    """
    watch = visit.watch
    answer = visit.ask_robots(robots_request(watch.base_url))
    gate = read_robots(answer, product_token=watch.product_token)
    told = () if isinstance(answer, Fault) else _tell_change(watch, answer)
    if isinstance(gate, Fault):
        return gate, told
    told += gate.warnings
    for sentence in told:
        visit.log("robots_warning", detail=sentence)
    visit.fetcher.obey(gate)
    source = watch.board.html
    first = list_request(watch.base_url, source, 1, source.page_size)
    return visit.fetcher.forbid(first) or gate, told


def _tell_change(watch: Watch, answer: FetchedPage) -> tuple[str, ...]:
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
