"""Other tables around, before and behind the list, and copies of it."""

from __future__ import annotations

import random
import re
from copy import deepcopy
from functools import partial

from lxml.etree import Comment
from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    iter_rows,
    make,
    parent_of,
    quote,
    strip_text,
    wrap,
    write_element,
)

_DIGIT = re.compile("[0-9]")

_OTHER_REGISTER = (
    '<table class="tb_list"><thead><tr><th>순번</th><th>제품명</th><th>업체명</th><th>회수사유</th>'
    "<th>제조번호</th></tr></thead><tbody><tr><td>1</td><td>가나정</td><td>다라제약(주)</td>"
    "<td>품질부적합</td><td>A001</td></tr></tbody></table>"
)
_CALENDAR = (
    '<div class="calendar"><table><caption>2026년 11월</caption><thead><tr>'
    + "".join(f"<th>{day}</th>" for day in "일월화수목금토")
    + "</tr></thead><tbody>"
    + "".join(
        f"<tr>{''.join(f'<td>{7 * week + day}</td>' for day in range(1, 8))}</tr>"
        for week in range(4)
    )
    + "</tbody></table></div>"
)
_SEARCH = (
    '<form><table class="tb_base"><tbody><tr><th>성분명</th><td><input name="a"></td>'
    '<th>등록번호</th><td><input name="b"></td></tr><tr><th>신청인</th><td><input name="c"></td>'
    '<th>제목</th><td><input name="d"></td></tr></tbody></table></form>'
)
_LOGIN = (
    '<form action="/login"><table class="login"><tr><th>아이디</th><td><input name="id"></td></tr>'
    '<tr><th>비밀번호</th><td><input type="password" name="pw"></td></tr></table></form>'
)
_MENU = (
    '<table class="menu"><tr><td><a href="/a">의약품</a></td><td><a href="/b">의약외품</a></td>'
    '<td><a href="/c">원료</a></td></tr></table>'
)


def split(page: SavedPage, rng: random.Random) -> None:
    """Continue the list in a second table with the same header."""
    half = len(page.rows) // 2
    twin = _copy(page.table)
    rows = [row for row in iter_rows(twin) if row.find("th") is None]
    for row in page.rows[half:]:
        detach(row)
    for row in rows[:half]:
        detach(row)
    page.table.addnext(twin)


def add_recent(page: SavedPage, rng: random.Random) -> None:
    """Put a table of the same columns with the newest three rows in front."""
    twin = _copy(page.table)
    for row in [row for row in iter_rows(twin) if row.find("th") is None][3:]:
        detach(row)
    page.table.addprevious(make("<h3>최근 등록 3건</h3>"))
    page.table.addprevious(twin)


def add_few(page: SavedPage, rng: random.Random) -> None:
    """Put a small table with two of the columns and the newest three rows in front."""
    indexes = [1, 2]
    cells = [
        "".join(f"<td>{quote(strip_text(cells_of(row)[index]))}</td>" for index in indexes)
        for row in page.rows[:3]
    ]
    head = "".join(f"<th>{page.headers[index]}</th>" for index in indexes)
    body = "".join(f"<tr>{cell}</tr>" for cell in cells)
    table = f'<table class="tb_list"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    page.body.insert(0, make(table))


def add_namesake(page: SavedPage, rng: random.Random, *, is_before: bool) -> None:
    """Put a table of the same columns with other records beside the list."""
    twin = _other_records(page, rng)
    if is_before:
        page.table.addprevious(make("<h3>구 등록 목록</h3>"))
        page.table.addprevious(twin)
    else:
        page.table.addnext(twin)
        page.table.addnext(make("<h3>구 등록 목록</h3>"))


def add_hidden_copy(page: SavedPage, rng: random.Random) -> None:
    """Put a hidden copy of the whole list in front, as for printing."""
    page.table.addprevious(_hide(_copy(page.table)))


def add_hidden_other(page: SavedPage, rng: random.Random) -> None:
    """Put a hidden table of the same columns with other records in front."""
    page.table.addprevious(_hide(_other_records(page, rng)))


def _copy(table: Element) -> Element:
    twin = deepcopy(table)
    twin.tail = None
    return twin


def _hide(table: Element) -> Element:
    box = make('<div id="printArea" style="display:none"></div>')
    box.append(table)
    return box


def _other_records(page: SavedPage, rng: random.Random) -> Element:
    """Return a copy of the list with every digit changed."""
    twin = _copy(page.table)
    shift = rng.randrange(1, 10)
    for row in [row for row in iter_rows(twin) if row.find("th") is None]:
        for element in row.iter():
            if isinstance(element.tag, str):
                element.text = _shift(element.text, shift)
                element.tail = _shift(element.tail, shift)
            if href := element.get("href"):
                element.set("href", _shift(href, shift) or "")
    return twin


def _shift(text: str | None, by: int) -> str | None:
    return text and _DIGIT.sub(lambda digit: str((int(digit[0]) + by) % 10), text)


def put_in_layout(page: SavedPage, rng: random.Random) -> None:
    """Put everything into a layout table, the menu in its left column."""
    body = page.body
    layout = make(
        '<table width="980" border="0"><tr><td valign="top"><ul><li>메뉴</li></ul></td>'
        '<td class="content"></td></tr></table>'
    )
    content = layout[0][1]
    for child in list(body):
        content.append(child)
    body.append(layout)


def put_in_cell(page: SavedPage, rng: random.Random) -> None:
    """Put the list alone into a table of one cell, for its frame."""
    wrap(page.table, make('<table class="frame"><tbody><tr><td></td></tr></tbody></table>'))


def put_in_divs(page: SavedPage, rng: random.Random) -> None:
    """Put the list into boxes in boxes."""
    box = '<section class="cont"><div class="tbl_wrap"><div><div></div></div></div></section>'
    wrap(page.table, make(box))


def put_in_main(page: SavedPage, rng: random.Random) -> None:
    """Put everything into the landmarks of HTML 5."""
    main = make('<main id="content"><article></article></main>')
    for child in list(page.body):
        main[0].append(child)
    page.body.append(make('<header><h1><a href="/">의약품안전나라</a></h1></header>'))
    page.body.append(main)
    page.body.append(make("<footer>대표전화 1577-1255</footer>"))


def add_before(page: SavedPage, rng: random.Random, *, html: str) -> None:
    """Put something in front of all content."""
    page.body.insert(0, make(html))


def add_other_register(page: SavedPage, rng: random.Random) -> None:
    """Put another register with columns of its own in front."""
    page.table.addprevious(make(_OTHER_REGISTER))


def comment_out_copy(page: SavedPage, rng: random.Random) -> None:
    """Leave the list as it was yesterday in a comment in front of it."""
    page.table.addprevious(Comment(write_element(_other_records(page, rng)).replace("--", "")))


def comment_out_list(page: SavedPage, rng: random.Random) -> None:
    """Put the whole list into a comment, for a script to draw."""
    text = write_element(page.table).replace("--", "")
    page.table.addprevious(Comment(text))
    page.table.addprevious(make('<div id="grid"></div>'))
    detach(page.table)


def hide_list(page: SavedPage, rng: random.Random) -> None:
    """Put the list into a template, for a script to draw."""
    box = make("<template></template>")
    parent = parent_of(page.table)
    parent.insert(parent.index(page.table), box)
    box.append(page.table)


def print_twice(page: SavedPage, rng: random.Random) -> None:
    """Show the whole list twice."""
    page.table.addnext(_copy(page.table))


SNIPPETS = {
    "calendar": _CALENDAR,
    "search": _SEARCH,
    "login": _LOGIN,
    "menu": _MENU,
}
"""Name of another table → its HTML."""

KINDS = (
    Kind("list_split", "tables", "The list goes on in a second table with the same header.",
         "same", on_tree(split)),
    Kind("recent_before", "tables",
         "A table of the same columns with the newest three rows stands in front.",
         "refuse_ok", on_tree(add_recent)),
    Kind("recent_few_columns", "tables",
         "A small table of two of the columns with the newest three rows stands in front.",
         "same", on_tree(add_few)),
    Kind("namesake_before", "tables",
         "A table of the same columns with other records stands in front.",
         "refuse_ok", on_tree(partial(add_namesake, is_before=True))),
    Kind("namesake_behind", "tables",
         "A table of the same columns with other records stands behind.",
         "refuse_ok", on_tree(partial(add_namesake, is_before=False))),
    Kind("list_twice", "tables", "The whole list stands there twice, in sight.",
         "refuse_ok", on_tree(print_twice)),
    Kind("copy_hidden", "tables", "A hidden copy of the list stands in front.",
         "same", on_tree(add_hidden_copy)),
    Kind("namesake_hidden", "tables",
         "A hidden table of the same columns with other records stands in front.",
         "same", on_tree(add_hidden_other)),
    Kind("copy_in_comment", "tables", "A comment in front holds a list of other records.",
         "same", on_tree(comment_out_copy)),
    Kind("list_in_comment", "tables", "The list stands in a comment, for a script to draw.",
         "refuse_ok", on_tree(comment_out_list)),
    Kind("list_in_template", "tables", "The list stands in a template, for a script to draw.",
         "refuse_ok", on_tree(hide_list)),
    Kind("layout_around", "tables", "A layout table holds everything, the menu beside the list.",
         "same", on_tree(put_in_layout)),
    Kind("frame_around", "tables", "A table of one cell holds the list.",
         "same", on_tree(put_in_cell)),
    Kind("boxes_around", "tables", "Boxes in boxes hold the list.", "same", on_tree(put_in_divs)),
    Kind("landmarks_around", "tables", "header, main and footer hold everything.",
         "same", on_tree(put_in_main)),
    Kind("other_register_before", "tables",
         "Another register with columns of its own stands in front.",
         "same", on_tree(add_other_register)),
    *(
        Kind(f"{name}_before", "tables", f"A {name} table stands in front.",
             "same", on_tree(partial(add_before, html=html)))
        for name, html in SNIPPETS.items()
    ),
)  # fmt: skip
