"""The site's pages as HTML text, but for the notice board's (README, items 2, 4, 9 and 10)."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dmf_crawler.workbench.rehearsal.markup import RowRenderer, turn_into_grid
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.switches import Switches

LIST_PATH = "/pbp/CCBAC03"
SEARCH_FIELDS = ("searchIngrKorName", "searchIngrEngName", "searchDmfPermitNo", "searchItem")


@dataclass(frozen=True, slots=True)
class ListPage:
    """What one list page shows.

    Attributes:
        rows: The page's rows in order.
        first_number: 순번 of the first row.
        total: How many rows the page says that the whole list has.
        page_no: 1-based.
        page_size: Rows a full page has.
        searched: Search parameters as given.
    """

    rows: Sequence[ListRow]
    first_number: int
    total: int
    page_no: int
    page_size: int
    searched: Mapping[str, str]

    @property
    def n_pages(self) -> int:
        """Number of pages of the whole list, at least 1."""
        return max(1, -(-self.total // self.page_size))


def write_list_page(page: ListPage, renderer: RowRenderer, switches: Switches) -> str:
    """Return a page of the list."""
    parts = (
        _write_form(page),
        switches.list_text,
        _LAYOUT_TABLE if switches.layout_tables else "",
        write_total(page.total, switches),
        _write_list(page, renderer, switches),
        write_pager(page.page_no, page.n_pages),
    )
    return write_frame("원료의약품등록(DMF) 현황", "\n".join(parts))


def write_error_page() -> str:
    """Return the error page that comes with 200."""
    text = "오류가 발생하였습니다. 해당 화면 혹은 기능을 찾을 수 없습니다."
    body = f'<div class="mpage_errwrap"><p>{text}</p></div>'
    return f"{_HEAD.format(title='오류')}<body>\n{body}\n</body></html>\n"


def write_maintenance_page() -> str:
    """Return a page that says that the system is being serviced (its real text is unknown)."""
    text = "시스템 점검 중입니다. 서비스 이용에 불편을 드려 죄송합니다. 점검시간: 00:00 ~ 06:00"
    return f"{_HEAD.format(title='서비스 점검 안내')}<body><h1>{text}</h1></body></html>\n"


def write_login_page() -> str:
    """Return a page that asks for a login."""
    form = (
        '<form id="loginForm" action="/member/loginProc" method="post"><h2>로그인</h2>'
        '<input type="text" name="userId"><input type="password" name="userPwd">'
        '<button type="submit">로그인</button></form>'
    )
    return write_frame("로그인", form)


def write_script_page() -> str:
    """Return a page that a browser alone could fill."""
    body = '<div id="app"></div><script src="/js/app.bundle.js"></script>'
    noscript = "<noscript>자바스크립트를 사용할 수 있도록 설정하여 주십시오.</noscript>"
    return f"{_HEAD.format(title='의약품안전나라')}<body>{noscript}{body}</body></html>\n"


def write_home_page() -> str:
    """Return the page at the root."""
    return write_frame("의약품안전나라", f'<a href="{LIST_PATH}">원료의약품등록(DMF) 현황</a>')


_HEAD = (
    '<!DOCTYPE html>\n<html lang="ko">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
)
_MARKER = '<div class="mpage_errwrap" style="display:none">오류가 발생하였습니다</div>'
_LAYOUT_TABLE = (
    '<table class="layout"><tbody><tr><td><img alt="" src="/img/top.gif"></td>'
    "<td>원료의약품등록(DMF) 현황을 조회합니다.</td></tr></tbody></table>\n"
    '<table class="layout"><tr><td>안내</td></tr></table>'
)
_OTHER_REGISTER = (
    '<table class="tb_list"><thead><tr><th>순번</th><th>제품명</th><th>업체명</th><th>회수사유</th>'
    "<th>제조번호</th><th>회수명령일자</th><th>공개종료일</th></tr></thead><tbody>{rows}</tbody></table>"
)


def write_frame(title: str, content: str, *, meta: str = "") -> str:
    """Return a page in the common layout, which holds the marker of the error page hidden.

    Args:
        title: As HTML.
        content: As HTML.
        meta: Further elements of the head.
    """
    head = _HEAD.format(title=f"의약품안전나라 &gt; {title}").replace("</head>", f"{meta}</head>")
    return f'{head}<body>\n<nav id="gnb"></nav>\n{content}\n{_MARKER}\n</body></html>\n'


def _write_form(page: ListPage) -> str:
    hidden = {
        "totalPages": page.n_pages,
        "page": page.page_no,
        "limit": page.page_size,
        "sort": "",
        "sortOrder": "",
        "searchYn": "true",
    }
    fields = [f'<input type="hidden" name="{k}" value="{v}">' for k, v in hidden.items()]
    fields += [
        f'<input type="text" name="{name}" value="{html.escape(page.searched.get(name, ""))}">'
        for name in SEARCH_FIELDS
    ]
    return (
        f'<form id="searchForm" action="{LIST_PATH}/getList" method="get">{"".join(fields)}'
        '<button type="button" id="btnSearch">검색</button></form>'
    )


def write_total(total: int, switches: Switches) -> str:
    """Return how many rows the whole list has, in the words that the switches choose."""
    match switches.total_text:
        case "normal":
            return f'<p title="총 {total:,} 건">총 <strong>{total:,}</strong> 건</p>'
        case "title_only":
            return f'<p title="총 {total:,} 건"></p>'
        case "reworded":
            return f"<p>전체 <strong>{total:,}</strong>개의 자료가 있습니다.</p>"
    return ""


def _write_list(page: ListPage, renderer: RowRenderer, switches: Switches) -> str:
    if switches.list_form == "other_register":
        return _write_other_register(page)
    rows = [renderer.render_row(row, page.first_number + i) for i, row in enumerate(page.rows)]
    if switches.repeats_first_row:
        rows += rows[:1]
    body = "".join(rows) or '<tr><td colspan="15">조회 결과가 없습니다</td></tr>'
    headers = renderer.render_headers()
    if switches.headers == "thead":
        table = f"<thead>{headers}</thead>\n<tbody>\n{body}</tbody>"
    else:
        table = f"<tbody>\n{headers}\n{body}</tbody>"
    table = f'<table class="{switches.table_class}">\n{table}\n</table>'
    return turn_into_grid(table) if switches.list_form == "div_grid" else table


def _write_other_register(page: ListPage) -> str:
    """Return the recall list: other columns, the same look."""
    texts = [(row.ingredient_name, row.company) for row in page.rows]
    rows = [
        f'<tr><td>{i}</td><td><span class="s-th">제품명</span>{html.escape(name)}정</td>'
        f'<td><span class="s-th">업체명</span>{html.escape(company)}</td>'
        '<td><span class="s-th">회수사유</span>품질부적합</td>'
        '<td><span class="s-th">제조번호</span>전 제조번호</td>'
        '<td><span class="s-th">회수명령일자</span>2026-08-19</td>'
        '<td><span class="s-th">공개종료일</span>2027-02-18</td></tr>'
        for i, (name, company) in enumerate(texts, start=page.first_number)
    ]
    return _OTHER_REGISTER.format(rows="\n".join(rows))


def write_pager(page_no: int, n_pages: int) -> str:
    """Return the buttons that lead to the ten pages around one."""
    first = (page_no - 1) // 10 * 10 + 1
    numbers = range(first, min(first + 9, n_pages) + 1)
    buttons = [
        f'<button type="button"{" class=" + chr(34) + "on" + chr(34) if n == page_no else ""}>'
        f"{n}</button>"
        for n in numbers
    ]
    return (
        '<div id="paging_div"><button type="button" class="page_first">«</button>'
        f'<button type="button" class="page_prev">‹</button>{"".join(buttons)}'
        '<button type="button" class="page_next">›</button>'
        '<button type="button" class="page_last">»</button></div>'
    )
