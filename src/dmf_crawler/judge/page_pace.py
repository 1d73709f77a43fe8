"""Whether the noise of a watched page grows, and whether the page has stopped moving.

Noise that grows slowly is a template that is being rebuilt, or a region that no longer fits; one
day it would be taken for content, or hide some. A page that always moved and does not any more may
be an old copy out of a cache, or what is shown to robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from dmf_crawler.model.watched_page import Movement, PageVisitRow
from dmf_crawler.settings import PageRules


def tell_pace(visits: Sequence[PageVisitRow], rules: PageRules) -> tuple[str, ...]:
    """Return what is to be said of a page's pace: Korean sentences, none where all is as usual.

    Args:
        visits: Accepted visits, in any order.
        rules: How much is unusual.
    """
    in_order = sorted(visits, key=lambda visit: (visit.day, visit.run_id))
    told = (_tell_creeping(in_order, rules), _tell_silence(in_order, rules))
    return tuple(sentence for sentence in told if sentence)


def _tell_creeping(visits: Sequence[PageVisitRow], rules: PageRules) -> str:
    """Say that the last reads with noise moved further than those before, "" where they did not."""
    noise = [
        visit.distance
        for visit in visits
        if visit.movement is Movement.NOISE and visit.distance is not None
    ]
    before, last = noise[: -rules.creeping_reads], noise[-rules.creeping_reads :]
    if len(before) < rules.creeping_reads:
        return ""
    usual, now = fmean(before), fmean(last)
    if now - usual < rules.creeping_bits:
        return ""
    return (
        f"저절로 움직이는 정도가 커지고 있습니다(최근 {len(last)}회 평균 거리 {now:.1f}비트, 그 전 "
        f"{len(before)}회 {usual:.1f}비트). 평소와 같아야 합니다. 페이지를 열어 보고 selectors "
        "파일의 region, drop, volatile이 아직 맞는지 확인한 뒤 calibrate로 다시 재어 주십시오."
    )


def _tell_silence(visits: Sequence[PageVisitRow], rules: PageRules) -> str:
    """Say that a page which used to move has been the same for too long, "" where it has not.

    How often it moved is told by the reads before the silence, two more than there were taken as
    without movement: a few reads say little about what is usual. A silence that is no longer than
    an earlier one is never unusual.
    """
    is_same = [visit.is_same_bytes for visit in visits if visit.movement is not Movement.FIRST]
    n_silent = _trailing(is_same)
    before = is_same[: len(is_same) - n_silent]
    n_moved = before.count(False)
    share = n_moved / (len(before) + 2)
    if not n_moved or (1 - share) ** n_silent >= rules.silent_probability:
        return ""
    if n_silent <= _longest_run(before):
        return ""
    return (
        f"늘 조금씩 바뀌던 페이지가 {n_silent}회째 한 글자도 바뀌지 않습니다(그 전 {len(before)}회 "
        f"가운데 {n_moved}회 바뀜). 오래된 사본이나 차단된 페이지일 수 있습니다. 브라우저로 연 "
        "페이지와 보관된 페이지를 비교해 주십시오."
    )


def _trailing(is_same: Sequence[bool]) -> int:
    """Return how many of the last reads in a row were the same as the one before."""
    return next((number for number, same in enumerate(reversed(is_same)) if not same), len(is_same))


def _longest_run(is_same: Sequence[bool]) -> int:
    longest = run = 0
    for same in is_same:
        run = run + 1 if same else 0
        longest = max(longest, run)
    return longest
