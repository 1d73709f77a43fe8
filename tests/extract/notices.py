"""Builders for the pages of a notice board, written as the site writes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import msgspec
import yaml

from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.page import PageRequest, RawPage
from tests.extract.pages import PAGES, SELECTORS_PATH, raw_page

NOTICE_PAGES = PAGES / "notices"
NOTICE_PATH = SELECTORS_PATH.with_name("mfds_notice.yaml")
LIST_URL = "http://127.0.0.1:8000/bbs/21?page=1&limit=10"
DETAIL_URL = "http://127.0.0.1:8000/bbs/21/301"
WRAP = '<div class="mpage_errwrap" style="display:none">오류가 발생하였습니다</div>'


def notice_mapping() -> dict[str, Any]:
    """The shipped selectors file as plain values, free to be changed."""
    mapping: dict[str, Any] = yaml.safe_load(Path(NOTICE_PATH).read_text(encoding="utf-8"))
    return mapping


def notice_selectors(**changes: object) -> Selectors:
    return compile_selectors(msgspec.convert(notice_mapping() | changes, SelectorsFile))


@dataclass(frozen=True)
class Post:
    """One row of the list."""

    post_id: int
    title: str = "의약품 안전사용 안내"
    department: str = "의약품관리과"
    posted_on: str = "2026-11-30"
    link: str = '<a href="/bbs/21/{post_id}?page=1&amp;limit=10&amp;searchYn=">{title}</a>'
    is_pinned: bool = False


def html_list(
    posts: Sequence[Post], *, total: int | None = None, head: str = "", empty: str = ""
) -> str:
    """One list page; `empty` is the text of a row that stands for an empty list."""
    rows = "\n".join(_html_row(len(posts) - index, post) for index, post in enumerate(posts))
    if empty:
        rows += f'<tr><td colspan="5">{empty}</td></tr>'
    n = len([post for post in posts if not post.is_pinned]) if total is None else total
    names = ("번호", "제목", "담당부서", "등록일", "조회수")
    header = "".join(f"<th>{name}</th>" for name in names)
    return (
        f'<!DOCTYPE html>\n<html lang="ko"><head><meta charset="utf-8">{head}</head>\n<body>'
        f'<p title="총 {n:,} 건">총 <strong>{n:,}</strong> 건</p>'
        f'<table class="tb_list"><thead><tr>{header}</tr></thead>\n<tbody>{rows}</tbody></table>'
        f"{WRAP}</body></html>\n"
    )


def _html_row(number: int, post: Post) -> str:
    link = post.link.format(post_id=post.post_id, title=escape(post.title))
    values = {
        "제목": link,
        "담당부서": escape(post.department),
        "등록일": post.posted_on,
        "조회수": str(number * 17),
    }
    cells = "".join(f'<td><span class="s-th">{n}</span>{v}</td>' for n, v in values.items())
    if post.is_pinned:
        return f'<tr class="notice"><td>공지</td>{cells}</tr>'
    return f"<tr><td>{number}</td>{cells}</tr>"


def list_of(posts: Sequence[Post], **markup: Any) -> RawPage:
    return raw_page(html_list(posts, **markup))


def html_detail(body: str, files: str = "", *, head: str = "") -> str:
    """One detail page."""
    return (
        f'<!DOCTYPE html>\n<html lang="ko"><head><meta charset="utf-8">{head}</head>\n<body>'
        f'<nav><a href="/bbs/21">목록</a></nav><h2 class="view_title">제목</h2>'
        f'<div class="view_cont">{body}</div><div class="file_list">{files}</div>'
        f"{WRAP}</body></html>\n"
    )


def raw_detail(html: str | bytes) -> RawPage:
    page = raw_page(html)
    return replace(page, request=PageRequest(DETAIL_URL, "detail"), url=DETAIL_URL)
