"""The page around the list: the announced total, and all that is not the list."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import Kind, on_tree
from dmf_crawler.workbench.redesign.page import SavedPage, detach, make, parent_of, text_of

_TOTAL = re.compile("총 ([0-9,]+) 건")

_NOTICE = (
    '<div class="popup" style="display:none"><h2>시스템 점검 안내</h2>'
    "<p>점검시간: 2026-12-05 00:00 ~ 06:00</p></div>"
)
_NAVIGATION = (
    "<nav><ul><li><a href='/a'>의약품등 정보</a><ul><li><a href='/a/1'>등록번호 조회</a></li>"
    "<li><a href='/a/2'>전체 1,024 품목</a></li></ul></li><li><a href='/login'>로그인</a></li></ul>"
    "</nav>"
)
_FOOTER = (
    "<footer><p>우)28159 충북 청주시 오송읍 오송생명2로 187</p>"
    "<p>오늘 방문자 1,234 명, 전체 방문자 9,876,543 명</p></footer>"
)
_SATISFACTION = (
    '<form class="satisfy"><fieldset><legend>만족도 조사</legend><label><input type="radio" '
    'name="s">매우 만족 (총 5점)</label><button>의견 등록</button></fieldset></form>'
)


def find_total(page: SavedPage) -> tuple[Element, str]:
    """Return the element that announces the total, and the number as it is written there."""
    for element in page.document.iter("p", "div", "span"):
        text = element.get("title") or text_of(element)
        if match := _TOTAL.fullmatch(text):
            return element, match[1]
    raise ValueError("the page announces no total")


def reword_total(page: SavedPage, rng: random.Random, *, write: Callable[[str], str]) -> None:
    """Write another element in place of the one that announces the total."""
    element, total = find_total(page)
    element.addprevious(make(write(total)))
    detach(element)


def move_total_behind(page: SavedPage, rng: random.Random) -> None:
    """Announce the total below the list."""
    element, _ = find_total(page)
    detach(element)
    page.table.addnext(element)


def move_total_into_caption(page: SavedPage, rng: random.Random) -> None:
    """Announce the total in the list's caption."""
    element, total = find_total(page)
    detach(element)
    page.table.insert(0, make(f"<table><caption>총 {total} 건</caption></table>")[0])


def double_total(page: SavedPage, rng: random.Random) -> None:
    """Announce the total above and below the list."""
    _, total = find_total(page)
    page.table.addnext(make(f'<p class="cnt">총 <b>{total}</b>건</p>'))


def drop_total(page: SavedPage, rng: random.Random) -> None:
    """Announce no total."""
    detach(find_total(page)[0])


def add_other_total(page: SavedPage, rng: random.Random) -> None:
    """Announce the total of something else in a box of its own."""
    page.body.append(make('<div class="box">내 관심품목 총 3 건</div>'))


def surround(page: SavedPage, rng: random.Random, *, html: str, is_before: bool) -> None:
    """Put something in front of all content, or behind it."""
    if is_before:
        page.body.insert(0, make(html))
    else:
        page.body.append(make(html))


def move_error_marker(page: SavedPage, rng: random.Random) -> None:
    """Put the hidden marker of the error page in front of all content."""
    marker = next(each for each in page.body.iter("div") if each.get("class") == "mpage_errwrap")
    detach(marker)
    page.body.insert(0, marker)


def fill_head(page: SavedPage, rng: random.Random) -> None:
    """Fill the head with links, styles and scripts that hold tables."""
    head = next(page.document.iter("head"))
    for html in (
        '<link rel="stylesheet" href="/css/a.css">',
        '<meta name="viewport" content="width=device-width">',
        "<script>var a = '<table><tr><th>등록번호</th></tr></table>', t = '총 9 건';</script>",
        "<style>.tb_list td:before { content: attr(data-label); }</style>",
    ):
        head.append(make(f"<div>{html}</div>")[0])


def add_base(page: SavedPage, rng: random.Random) -> None:
    """Say what relative links are relative to."""
    next(page.document.iter("head")).insert(0, make('<div><base href="/bbs/"></div>')[0])


def warn_without_script(page: SavedPage, rng: random.Random) -> None:
    """Warn browsers that run no scripts, and tell robots to count."""
    page.body.insert(
        0,
        make(
            "<noscript><p>자바스크립트를 사용할 수 있도록 설정하여 주십시오. 총 0 건</p>"
            '<img src="/count.gif" alt=""></noscript>'
        ),
    )


def add_tabs(page: SavedPage, rng: random.Random) -> None:
    """Put the list into the first of three tabs, the others hidden and empty."""
    box = make(
        '<div class="tabs"><ul role="tablist"><li role="tab">목록</li><li role="tab">통계</li></ul>'
        '<div role="tabpanel"></div><div role="tabpanel" style="display:none"><p>준비 중</p></div>'
        "</div>"
    )
    parent = parent_of(page.table)
    parent.insert(parent.index(page.table), box)
    page.table.tail = None
    box[1].append(page.table)


def _total_kind(name: str, sentence: str, html: str, *, is_known: bool = True) -> Kind:
    def write(total: str) -> str:
        return html.replace("{}", total).replace("{plain}", total.replace(",", ""))

    return Kind(name, "surroundings", sentence, "same" if is_known else "refuse_ok",
                on_tree(partial(reword_total, write=write)))  # fmt: skip


def _furniture(name: str, sentence: str, html: str, *, is_before: bool = True) -> Kind:
    return Kind(name, "surroundings", sentence, "same",
                on_tree(partial(surround, html=html, is_before=is_before)))  # fmt: skip


KINDS = (
    _total_kind("total_without_blank", "The total is announced without blanks.",
                '<div class="total">(총{}건)</div>'),
    _total_kind("total_in_elements", "The total's words and number are elements of their own.",
                '<div class="total"><span>총</span> <em class="num">{}</em> <span>건</span></div>'),
    _total_kind("total_without_comma", "The total has no comma.", "<p>총 <b>{plain}</b>건</p>"),
    _total_kind("total_with_page", "The total stands beside the number of pages.",
                '<p>전체 게시물 총 <strong>{}</strong>건 (현재 1/24 페이지)</p>'),
    _total_kind("total_in_paragraphs", "The total stands in a list beside other figures.",
                "<ul><li>총 {}건</li><li>오늘 3건</li><li>2026-11-30 기준</li></ul>"),
    _total_kind("total_reworded", "The total is announced in other words.",
                "<p>전체 <strong>{}</strong>개의 자료가 있습니다.</p>", is_known=False),
    Kind("total_behind", "surroundings", "The total is announced below the list.",
         "same", on_tree(move_total_behind)),
    Kind("total_in_caption", "surroundings", "The total is announced in the list's caption.",
         "same", on_tree(move_total_into_caption)),
    Kind("total_twice", "surroundings", "The total is announced above and below the list.",
         "same", on_tree(double_total)),
    Kind("total_missing", "surroundings", "No total is announced.",
         "refuse_ok", on_tree(drop_total)),
    Kind("total_of_other", "surroundings", "The total of something else is announced, too.",
         "refuse_ok", on_tree(add_other_total)),
    Kind("error_marker_moved", "surroundings", "The hidden marker of the error page moves.",
         "same", on_tree(move_error_marker)),
    Kind("head_filled", "surroundings", "The head holds styles, and scripts that hold tables.",
         "same", on_tree(fill_head)),
    Kind("base_added", "surroundings", "The head says what links are relative to.",
         "same", on_tree(add_base)),
    Kind("noscript_added", "surroundings", "A noscript warning with a total of its own is added.",
         "same", on_tree(warn_without_script)),
    Kind("tabs_added", "surroundings", "The list stands in the first of some tabs.",
         "same", on_tree(add_tabs)),
    _furniture("navigation_added", "Menus with figures and a link to log in are added.",
               _NAVIGATION),
    _furniture("notice_added", "A hidden notice of maintenance is added.", _NOTICE),
    _furniture("footer_added", "A footer with figures is added.", _FOOTER, is_before=False),
    _furniture("satisfaction_added", "A form that asks for opinions is added.", _SATISFACTION,
               is_before=False),
)  # fmt: skip
