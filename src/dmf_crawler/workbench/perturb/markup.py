"""Pages whose markup is damaged or not that of the list; their bytes are really read."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from dmf_crawler.workbench.perturb.breakage import (
    Body,
    Breakage,
    Damage,
    Extraction,
    Family,
    Layer,
    Scene,
    Unit,
    cut_into_pages,
)
from dmf_crawler.workbench.rehearsal.markup import RowRenderer
from dmf_crawler.workbench.rehearsal.pages import (
    ListPage,
    write_error_page,
    write_list_page,
    write_login_page,
    write_maintenance_page,
    write_script_page,
)
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES, Switches

PAGE_COUNTS = (1, 3, 10)

Spoil = Callable[[str, random.Random], str]
"""The HTML of one page → the same, damaged."""

_ROW = re.compile(r"<tr><td>\d+</td>.*?</tr>\n", re.DOTALL)


def of_bodies(spoil: Callable[[str, random.Random], Body], switches: Switches) -> Damage:
    """Return a damage of the bytes of so many pages in the middle of the list."""

    def apply(scene: Scene, severity: float, rng: random.Random) -> Extraction:
        whole = cut_into_pages(scene.rows, scene.page_size)
        chosen = rng.sample(range(1, len(whole.pages) - 1), int(severity))
        bodies = {i: spoil(_write(scene, i, switches), rng) for i in sorted(chosen)}
        return Extraction(whole.pages, whole.total, bodies)

    return apply


def of_html(spoil: Spoil, switches: Switches = USUAL_SWITCHES) -> Damage:
    """Return a damage of the HTML of so many pages."""
    return of_bodies(lambda html, rng: Body(spoil(html, rng).encode()), switches)


def _write(scene: Scene, index: int, switches: Switches) -> str:
    start = index * scene.page_size
    rows = scene.listed[start : start + scene.page_size]
    page = ListPage(rows, start + 1, len(scene.listed), index + 1, scene.page_size, {})
    return write_list_page(page, RowRenderer(switches), switches)


def _instead(page: str) -> Damage:
    return of_html(lambda _html, _rng: page)


def _keep(html: str, _rng: random.Random) -> str:
    return html


def _cut(html: str, rng: random.Random) -> str:
    """Cut the page anywhere between its rows' begin and end."""
    first, last = html.index("<tbody>"), html.rindex("</tbody>")
    return html[: rng.randrange(first, last)]


def _cut_and_close(html: str, rng: random.Random) -> str:
    """Cut the page behind a row and close it, as a proxy or a template that failed does."""
    end = rng.choice([match.end() for match in _ROW.finditer(html)][:-1])
    rest = html[html.rindex('<div id="paging_div">') :]
    return f"{html[:end]}</tbody></table>{rest}"


def _pick_row(html: str, rng: random.Random) -> re.Match[str]:
    return rng.choice(list(_ROW.finditer(html)))


def _in_one_row(change: Callable[[str, random.Random], str]) -> Spoil:
    def spoil(html: str, rng: random.Random) -> str:
        row = _pick_row(html, rng)
        return html[: row.start()] + change(row[0], rng) + html[row.end() :]

    return spoil


def _drop_cell(row: str, rng: random.Random) -> str:
    cells = list(re.finditer(r'<td><span class="s-th">.*?(?=<td><span|</tr>\n$)', row, re.DOTALL))
    cell = rng.choice(cells[1:])
    return row[: cell.start()] + row[cell.end() :]


def _add_cell(row: str, rng: random.Random) -> str:
    places = [match.start() for match in re.finditer(r'<td><span class="s-th">', row)]
    at = rng.choice(places)
    return f"{row[:at]}<td></td>{row[at:]}"


def _span_cell(row: str, rng: random.Random) -> str:
    places = [match.start() for match in re.finditer(r'<td><span class="s-th">', row)]
    at = rng.choice(places[:-1])
    return f'{row[:at]}<td colspan="2">{row[at + 4 :]}'


def _lose_row(_row: str, _rng: random.Random) -> str:
    return ""


def _double_row(row: str, _rng: random.Random) -> str:
    return row + row


def _join_rows(html: str, rng: random.Random) -> str:
    """Lose the border between two rows."""
    row = _pick_row(html, rng)
    end = row.end() - len("</tr>\n")
    return html[:end] + html[row.end() :].replace("<tr>", "", 1)


def _comment_out(html: str, rng: random.Random) -> str:
    """Open a comment that swallows all up to the end of the next one."""
    row = _pick_row(html, rng)
    return f"{html[: row.start()]}<!-- {html[row.start() :]}"


def _lose_end_of_table(html: str, rng: random.Random) -> str:
    """Lose one end tag of a table inside a cell."""
    places = [match.start() for match in re.finditer("</tbody></table></td>", html)]
    at = rng.choice(places)
    return html[:at] + html[at + len("</tbody></table>") :]


def _unlabel(html: str, _rng: random.Random) -> str:
    """Let the labels in the cells stand there as plain text."""
    return re.sub(r'<span class="s-th">(.*?)</span>', r"\1 ", html)


def _shorten(html: str, _rng: random.Random) -> str:
    """Take away the titles that hold the whole of shortened values."""
    return re.sub(r' title="[^"]*"', "", html)


def _exchange_headers(html: str, _rng: random.Random) -> str:
    """Exchange two headers and leave the cells and their labels."""
    marked = html.replace(">최초등록일자</th>", ">\0</th>", 1)
    marked = marked.replace(">최종변경일자</th>", ">최초등록일자</th>", 1)
    return marked.replace(">\0</th>", ">최종변경일자</th>", 1)


def _escape_twice(html: str, _rng: random.Random) -> str:
    return html.replace("&amp;", "&amp;amp;").replace("&lt;", "&amp;lt;")


def _announce_nothing(html: str, _rng: random.Random) -> str:
    return re.sub(r'<p title="총.*?</p>', "<p></p>", html)


def _announce_little(html: str, _rng: random.Random) -> str:
    return re.sub(r'<p title="총.*?</p>', "<p>총 <strong>100</strong> 건</p>", html)


def _append_list(html: str, _rng: random.Random) -> str:
    """Show the list a second time below itself."""
    table = re.search(r'<table class="tb_list">.*</table>', html, re.DOTALL)
    return html if table is None else html.replace(table[0], table[0] * 2, 1)


def _replace_every(pattern: str, by: str) -> Spoil:
    return lambda html, _rng: re.sub(pattern, by, html)


def _bytes(encode: Callable[[str], bytes], content_type: str) -> Damage:
    return of_bodies(lambda html, _rng: Body(encode(html), content_type), USUAL_SWITCHES)


def _page(name: str, damage: Damage, symptom: str, family: Family = Family.MARKUP) -> Breakage:
    return Breakage(
        name, family, Layer.STRUCTURE, damage, symptom, Unit.PAGES, PAGE_COUNTS, (1, 10)
    )


_LATIN = "text/html;charset=ISO-8859-1"
_UTF_8 = "text/html;charset=UTF-8"
_ENCODING = Family.ENCODING

BREAKAGES = (
    _page("html_cut", of_html(_cut), "쪽의 뒷부분이 오지 않았다."),
    _page("html_cut_and_closed", of_html(_cut_and_close), "쪽의 끝 행들이 없다."),
    _page("cell_lost_in_a_row", of_html(_in_one_row(_drop_cell)), "한 행에 칸이 하나 모자란다."),
    _page("cell_added_in_a_row", of_html(_in_one_row(_add_cell)), "한 행에 칸이 하나 더 있다."),
    _page("cell_spans_two", of_html(_in_one_row(_span_cell)), "한 칸이 두 열에 걸쳐 있다."),
    _page("row_lost_in_markup", of_html(_in_one_row(_lose_row)), "쪽에 한 행이 없다."),
    _page("row_doubled_in_markup", of_html(_in_one_row(_double_row)), "한 행이 두 번 있다."),
    _page("rows_joined_in_markup", of_html(_join_rows), "두 행이 한 행으로 이어져 있다."),
    _page("comment_not_closed", of_html(_comment_out), "행 하나의 앞부분이 주석 속에 있다."),
    _page("inner_table_not_closed", of_html(_lose_end_of_table), "안쪽 표가 끝나지 않는다."),
    _page("labels_as_text", of_html(_unlabel), "값 앞에 이름표가 글자로 붙어 있다."),
    _page(
        "values_shortened",
        of_html(_shorten, Switches(truncates_long_values=True)),
        "긴 값이 …로 줄어 있다.",
    ),
    _page("cells_moved", of_html(_keep, Switches(columns="moved_cells")), "머리글과 칸이 다르다."),
    _page("headers_exchanged", of_html(_exchange_headers), "두 열의 머리글이 뒤바뀌어 있다."),
    _page("column_removed", of_html(_keep, Switches(columns="removed")), "상태 열이 없다."),
    _page("escaped_twice", of_html(_escape_twice), "값에 &amp;amp;가 있다."),
    _page("total_missing", of_html(_announce_nothing), "쪽에 총 건수가 없다."),
    _page("total_of_one_page", of_html(_announce_little), "쪽의 총 건수가 다르다."),
    _page("list_shown_twice", of_html(_append_list), "쪽에 목록이 두 번 있다."),
    _page(
        "rows_without_cells",
        of_html(_replace_every(r"<td><span class=\"s-th\">.*?</td>", "<td></td>")),
        "칸이 모두 비어 있다.",
    ),
    _page(
        "page_of_recalls",
        of_html(_keep, Switches(list_form="other_register")),
        "다른 게시판의 쪽이 왔다.",
    ),
    _page("login_page", _instead(write_login_page()), "로그인 쪽이 왔다."),
    _page("error_page", _instead(write_error_page()), "오류 쪽이 왔다."),
    _page("maintenance_page", _instead(write_maintenance_page()), "점검 안내 쪽이 왔다."),
    _page("script_page", _instead(write_script_page()), "브라우저가 있어야 하는 쪽이 왔다."),
    _page("nothing_at_all", _instead(""), "빈 쪽이 왔다."),
    _page(
        "utf8_called_latin1",
        _bytes(str.encode, _LATIN),
        "쪽의 문자 집합이 잘못 알려져 있다.",
        _ENCODING,
    ),
    _page(
        "cp949_called_latin1",
        _bytes(lambda html: html.encode("cp949", "replace"), _LATIN),
        "CP949 쪽을 Latin-1이라고 한다.",
        _ENCODING,
    ),
    _page(
        "cp949_called_utf8",
        _bytes(lambda html: html.encode("cp949", "replace"), _UTF_8),
        "CP949 쪽을 UTF-8이라고 한다.",
        _ENCODING,
    ),
    _page(
        "page_doubly_encoded",
        _bytes(lambda html: html.encode().decode("latin-1").encode(), _UTF_8),
        "쪽 전체가 두 번 부호화되어 있다.",
        _ENCODING,
    ),
    _page(
        "page_in_utf16",
        _bytes(lambda html: html.encode("utf-16"), _UTF_8),
        "쪽이 UTF-16으로 되어 있다.",
        _ENCODING,
    ),
    _page(
        "bytes_replaced",
        _bytes(lambda html: re.sub("[뷰펜쉘핏퀸튜]", "\ufffd", html).encode(), _UTF_8),
        "드문 글자 자리에 �가 있다.",
        _ENCODING,
    ),
    _page(
        "bytes_lost",
        _bytes(lambda html: html.encode()[:9000] + html.encode()[9001:], _UTF_8),
        "쪽의 바이트 하나가 없다.",
        _ENCODING,
    ),
)
