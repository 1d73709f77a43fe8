"""The page of the terms of use as HTML, with what moves by itself (README, item 14)."""

from __future__ import annotations

import html
import itertools
from dataclasses import replace
from datetime import datetime

from dmf_crawler.workbench.rehearsal.answers import Answer, html_answer
from dmf_crawler.workbench.rehearsal.pages import write_error_page, write_frame
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.switches import Switches
from dmf_crawler.workbench.rehearsal.terms import FORBIDDING, RELATED_SITES, TITLE, TermsText
from dmf_crawler.workbench.rehearsal.troubles import (
    MOVED_PARAMETER,
    TroubleCount,
    answer_trouble,
)

TERMS_PATH = "/cmn/terms"

COUNTER, CLOCK, BANNER = "조회수 ", "현재 시각 ", "오늘의 안내 "
"""How lines begin that are others at every visit."""

NOISE = (COUNTER, CLOCK, BANNER)

_ELSEWHERE = (
    "이용약관을 보는 곳이 새 화면으로 옮겨 갔습니다. 새 화면은 휴대전화의 앱이나 안내 책자에서 "
    "찾을 수 있습니다. 찾는 곳을 모르면 대표 전화로 물어봐 주십시오."
)

_BANNERS = (
    "의약품 부작용은 한국의약품안전관리원에 알려 주십시오",
    "약은 서늘하고 그늘진 곳에 두어 주십시오",
    "먹다 남은 약은 가까운 약국에 되돌려 주십시오",
    "찾는 약의 이름을 위의 칸에 적어 보십시오",
)


class TermsPage:
    """Answers for the page, and remembers how often it was asked for.

    Args:
        trouble_count: Shared with the rest of the site.
    """

    def __init__(self, trouble_count: TroubleCount) -> None:
        self._trouble_count = trouble_count
        self._visits = itertools.count(1)

    def answer(
        self, request: LoggedRequest, terms: TermsText, switches: Switches, now: datetime
    ) -> Answer:
        """Return what a request for the page gets."""
        n_visits = next(self._visits)
        is_moved = MOVED_PARAMETER in request.params
        trouble = self._trouble_count.meet(switches.troubles, "terms", 1, is_moved=is_moved)
        if switches.terms_page == "gone":
            return html_answer(write_error_page(), 404)
        text = write_terms_page(change_terms(terms, switches), n_visits, switches, now)
        answer = html_answer(text)
        return answer_trouble(trouble, answer, request.target) if trouble else answer


def change_terms(terms: TermsText, switches: Switches) -> TermsText:
    """Return the terms as the switches change them."""
    match switches.terms_change:
        case "content":
            heading, text = terms.articles[4]
            changed = text.replace("안 됩니다", "안 되며, 어기면 이용을 제한할 수 있습니다", 1)
            articles = (*terms.articles[:4], (heading, changed), *terms.articles[5:])
            return replace(terms, articles=articles)
        case "effective_date":
            return replace(terms, effective_on="2027. 3. 1.")
        case "forbidding":
            return replace(terms, articles=(*terms.articles, FORBIDDING))
    return terms


def write_terms_page(terms: TermsText, n_visits: int, switches: Switches, now: datetime) -> str:
    """Return the page at one visit.

    Args:
        terms: What it says.
        n_visits: How often it was asked for, this time included.
        switches: How the site behaves.
        now: Aware; what its clock shows.
    """
    parts = [
        '<div class="location">홈 &gt; 이용안내 &gt; 이용약관</div>',
        f"<h2>{TITLE}</h2>",
        f'<p>시행일 <span class="effective">{html.escape(terms.effective_on)}</span></p>',
        *_write_noise(n_visits, switches, now),
        *(
            f"<h3>{html.escape(head)}</h3>\n<p>{html.escape(text)}</p>"
            for head, text in terms.articles
        ),
        _write_related(n_visits, switches),
        '<div class="sns_share"><a href="#">공유</a></div>',
    ]
    content = "\n".join(parts)
    match switches.terms_page:
        case "moved":
            content = f'<main class="view">\n{content}\n</main>'
        case "no_region":
            content = f'<div class="popup"><p>{_ELSEWHERE}</p></div>'
        case _:
            content = f'<div id="content">\n{content}\n</div>'
    return write_frame("이용약관", f"{_write_token(n_visits, switches)}{content}")


def _write_noise(n_visits: int, switches: Switches, now: datetime) -> list[str]:
    kinds = switches.terms_noise
    lines = []
    if "counter" in kinds:
        lines.append(f'<p class="hit">{COUNTER}{1_000 + 7 * n_visits:,}</p>')
    if "clock" in kinds:
        shown = f"{now.hour:02}:{now.minute:02}:{(now.second + n_visits) % 60:02}"
        lines.append(f"<p>{CLOCK}{shown}</p>")
    if "banner" in kinds:
        lines.append(f'<p class="banner">{BANNER}{_BANNERS[n_visits % len(_BANNERS)]}</p>')
    return lines


def _write_related(n_visits: int, switches: Switches) -> str:
    turn = n_visits % len(RELATED_SITES) if "order" in switches.terms_noise else 0
    sites = (*RELATED_SITES[turn:], *RELATED_SITES[:turn])
    items = "".join(f"<li>{html.escape(name)}</li>" for name in sites)
    return f'<h4>관련 사이트</h4>\n<ul class="related_sites">{items}</ul>'


def _write_token(n_visits: int, switches: Switches) -> str:
    if "token" not in switches.terms_noise:
        return ""
    token = f"{n_visits:032x}"
    return (
        f'<input type="hidden" name="_csrf" value="{token}">\n'
        f'<script>var csrfToken = "{token}";</script>\n'
    )
