"""The notice board's pages as HTML text (README, item 12)."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dmf_crawler.workbench.rehearsal.notices import LIST_COLUMNS, Block, Notice
from dmf_crawler.workbench.rehearsal.pages import write_frame, write_pager, write_total
from dmf_crawler.workbench.rehearsal.switches import Switches

BOARD_PATH = "/bbs/21"
FILE_PATH = "/cmn/edms/down"
CALENDAR_PATH = f"{BOARD_PATH}/calendar"
VIEW_PATH = f"{BOARD_PATH}/view"
"""Shows the post that the parameter `seq` numbers, or `doc` names."""

_LETTERS = str.maketrans("0123456789", "abcdefghij")

_FIRST_VIEWS = 120
_NOFOLLOW = '<meta name="robots" content="nofollow">'
_HEADERS = ("번호", *(header for _, header in LIST_COLUMNS), "조회수")


@dataclass(frozen=True, slots=True)
class Visit:
    """What a page depends on besides the posts.

    Attributes:
        host: The Host header of the request.
        n_visits: How often the board was asked for anything, this request included.
        switches: How the site behaves.
    """

    host: str
    n_visits: int
    switches: Switches


@dataclass(frozen=True, slots=True)
class NoticeListPage:
    """What one page of the board's list shows.

    Attributes:
        pinned: Posts on top.
        posts: The page's posts in the normal order.
        first_number: 번호 of the first of them; it counts down.
        total: How many posts the page says that there are.
        n_pages: Pages of the whole list, at least 1.
        page_no: 1-based.
        page_size: Posts that a full page has, the pinned ones not counted.
    """

    pinned: Sequence[Notice]
    posts: Sequence[Notice]
    first_number: int
    total: int
    n_pages: int
    page_no: int
    page_size: int


def write_notice_list(page: NoticeListPage, visit: Visit) -> str:
    """Return a page of the board's list."""
    switches = visit.switches
    rows = [_write_row(post, "공지", page, visit) for post in page.pinned]
    rows += [
        _write_row(post, str(page.first_number - index), page, visit)
        for index, post in enumerate(page.posts)
    ]
    body = "".join(rows) or f'<tr><td colspan="{len(_HEADERS)}">조회 결과가 없습니다</td></tr>'
    headers = "".join(f'<th scope="col">{header}</th>' for header in _HEADERS)
    parts = (
        _write_traps("beside", visit),
        write_total(page.total, switches),
        _write_table(headers, body, switches),
        write_pager(page.page_no, page.n_pages),
    )
    meta = _NOFOLLOW if "list_meta" in switches.nofollow else ""
    return write_frame("공지", "\n".join(filter(None, parts)), meta=meta)


def write_post(post: Notice, visit: Visit) -> str:
    """Return the page of a post."""
    blocks = "\n  <p>&nbsp;</p>\n".join(map(_write_block, post.blocks))
    info = f"<li>담당부서 {html.escape(post.department)}</li><li>등록일 {post.posted_on}</li>"
    parts = (
        f'<h2 class="view_title">{html.escape(post.title)}</h2>\n<ul class="view_info">{info}</ul>',
        f'<div class="view_cont">\n{blocks}\n</div>',
        f'<div class="file_list">{_write_file_links(post, visit)}</div>',
        f'<a class="btn_list" href="{BOARD_PATH}?page=1&amp;limit=10">목록</a>',
        _write_traps("beside", visit),
    )
    meta = _NOFOLLOW if "detail_meta" in visit.switches.nofollow else ""
    return write_frame(html.escape(post.title), "\n".join(filter(None, parts)), meta=meta)


def write_trap_page(path: str, visit: Visit) -> str:
    """Return the page behind a calendar's link, or behind a link that grows."""
    if path == CALENDAR_PATH:
        return write_frame("달력", _write_link(_write_calendar_href(visit), "다음 달"))
    return write_frame("더 보기", _write_link("more/more", "더 보기"))


def _write_table(headers: str, body: str, switches: Switches) -> str:
    return (
        f'<table class="{switches.table_class}">\n<thead><tr>{headers}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>"
    )


def _write_row(post: Notice, number: str, page: NoticeListPage, visit: Visit) -> str:
    is_nofollow = "list_links" in visit.switches.nofollow
    link = _write_link(_write_post_href(post, page, visit), post.title, is_nofollow=is_nofollow)
    n_views = _FIRST_VIEWS + int(post.post_id) % 1_000 + visit.n_visits
    texts = (link, html.escape(post.department), post.posted_on, f"{n_views:,}")
    cells = "".join(
        f'<td><span class="{visit.switches.label_class}">{header}</span>{text}</td>'
        for header, text in zip(_HEADERS[1:], texts, strict=True)
    )
    css_class = ' class="notice"' if number == "공지" else ""
    return f"<tr{css_class}><td>{number}</td>{cells}</tr>\n"


def name_post(post: Notice) -> str:
    """Return the word by which a post without a number goes."""
    return post.post_id.translate(_LETTERS)


def _write_post_href(post: Notice, page: NoticeListPage, visit: Visit) -> str:
    if post.post_id in visit.switches.unnumbered_posts:
        return _write_view_href(f"doc={name_post(post)}", page, visit)
    path = f"{BOARD_PATH}/{post.post_id}"
    match visit.switches.post_links:
        case "relative":
            path = path.removeprefix("/bbs/")
        case "session":
            path = f"{path};jsessionid={visit.n_visits:032X}"
        case "full_url":
            path = f"HTTP://{visit.host}{path}"
        case "parameter":
            return _write_view_href(f"seq={post.post_id}", page, visit)
        case "script":
            return f"javascript:fnView('{post.post_id}')"
    if not visit.switches.post_link_parameters:
        return path
    return f"{path}?page={page.page_no}&limit={page.page_size}&searchYn="


def _write_view_href(which: str, page: NoticeListPage, visit: Visit) -> str:
    """Return an address in which the post stands at another place at every visit."""
    parameters = [f"page={page.page_no}", f"limit={page.page_size}", "searchYn="]
    if not visit.switches.post_link_parameters:
        parameters.clear()
    parameters.insert(visit.n_visits % (len(parameters) + 1), which)
    return f"{VIEW_PATH}?{'&'.join(parameters)}"


def _write_block(block: Block) -> str:
    """Return a paragraph or table, indented as editors write it."""
    if isinstance(block, str):
        return f"  <p>{html.escape(block, quote=False)}</p>".replace("\n", "<br>\n    ")
    rows = ["".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in row) for row in block]
    return (
        "  <table><tbody>\n"
        + "".join(f"    <tr>{row}</tr>\n" for row in rows)
        + "  </tbody></table>"
    )


def _write_file_links(post: Notice, visit: Visit) -> str:
    is_nofollow = "file_links" in visit.switches.nofollow
    links = [
        _write_link(f"{FILE_PATH}/{file.document_id}", file.name, is_nofollow=is_nofollow)
        for file in post.attachments
    ]
    return "\n".join(filter(None, [*links, _write_traps("among_files", visit)]))


def _write_traps(where: Literal["beside", "among_files"], visit: Visit) -> str:
    """Return the links that nobody should follow; a calendar and its kind stand beside only."""
    growing = f"{BOARD_PATH}/more" if where == "beside" else f"{FILE_PATH}/a/b/a/b/a/b"
    hrefs = {
        "calendar": _write_calendar_href(visit),
        "growing_path": growing,
        "javascript": "javascript:fn_view('1')",
        "other_host": f"http://elsewhere.invalid{BOARD_PATH}/1",
        "login": f"/member/login?returnUrl={BOARD_PATH}",
    }
    wanted = [kind for kind in hrefs if kind in visit.switches.traps]
    if where == "among_files" and "calendar" in wanted:
        wanted.remove("calendar")
    return "".join(_write_link(hrefs[kind], kind) for kind in wanted)


def _write_calendar_href(visit: Visit) -> str:
    return f"{CALENDAR_PATH}?year={2026 + visit.n_visits}&month={visit.n_visits % 12 + 1}"


def _write_link(href: str, text: str, *, is_nofollow: bool = False) -> str:
    rel = ' rel="nofollow"' if is_nofollow else ""
    return f'<a href="{html.escape(href)}"{rel}>{html.escape(text)}</a>'
