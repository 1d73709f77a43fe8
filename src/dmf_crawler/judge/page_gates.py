"""The gates of a whole page: may it be read, what found its region, is there enough of it?

What a list has and a page has not (rows, keys, a total) is judged nowhere: such gates are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.model.run import Fault
from dmf_crawler.model.verdict import Gate, LimitFrom, Outcome
from dmf_crawler.model.watched_page import PageReading
from dmf_crawler.text import escape_unprintable

FORBIDDEN, REFUSED = 7, 4
"""Exit codes of what robots.txt or the terms do not allow, and of a page that is another one."""

_ALLOWED = Gate(
    "G-0",
    Outcome.PASS,
    1,
    1,
    "robots.txt가 이 페이지의 수집을 허용합니다.",
    limit_from=LimitFrom.RULE,
)
_NOT_COMPUTED = "페이지를 읽지 못해 계산할 수 없습니다."


def judge_page_read(
    reading: PageReading, *, regions: Sequence[str], min_characters: int
) -> tuple[Gate, ...]:
    """Judge a page that could be read; none of its gates holds.

    Args:
        reading: What it says.
        regions: Selectors of its region, the primary one first.
        min_characters: Fewest characters that its text must have.
    """
    n_characters = count_characters(reading)
    return (
        _ALLOWED,
        _judge_region(reading, regions),
        Gate(
            "G-10",
            Outcome.PASS,
            n_characters,
            min_characters,
            f"감시 영역의 본문 {n_characters:,}자를 끝까지 읽었습니다(최소 {min_characters:,}자).",
            limit_from=LimitFrom.SELECTORS,
        ),
    )


def count_characters(reading: PageReading) -> int:
    """Return how long the region's text is as people read it."""
    return sum(map(len, reading.blocks))


def _judge_region(reading: PageReading, regions: Sequence[str]) -> Gate:
    """Return G-6, which warns where a fallback had to serve."""
    if reading.position == 0:
        sentence = "감시 영역을 기본 셀렉터로 찾았습니다."
        return Gate("G-6", Outcome.PASS, 1.0, 1.0, sentence, limit_from=LimitFrom.RULE)
    sentence = (
        f"감시 영역: 기본 셀렉터({regions[0]})가 찾지 못해 예비 셀렉터({reading.selector})로 "
        "읽었습니다. 사이트가 바뀌었습니다. 예비 셀렉터마저 막히기 전에 selectors check 명령으로 "
        "셀렉터 파일을 확인하고 고치십시오."
    )
    return Gate("G-6", Outcome.WARN, 0.0, 1.0, sentence, limit_from=LimitFrom.RULE)


def refuse_page_read(fault: Fault) -> tuple[Gate, ...]:
    """Return the gates of a run whose page could not be read.

    G-0 names the fault where robots.txt or the terms forbid the page or cannot be had, else G-10.
    """
    decisive = "G-0" if fault.exit_code == FORBIDDEN else "G-10"
    gates = []
    for code in ("G-0", "G-6", "G-10"):
        if code == decisive:
            message = escape_unprintable(fault.message)
            gates.append(Gate(code, Outcome.REJECT, None, None, message, fault.code))
        elif code == "G-0" and fault.exit_code == REFUSED:  # else there would be no page
            gates.append(_ALLOWED)
        else:
            gates.append(Gate(code, Outcome.HOLD, None, None, _NOT_COMPUTED, "not_computed"))
    return tuple(gates)
