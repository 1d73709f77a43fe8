"""What changed on a watched page, as one HTML file that any browser shows and prints.

The file is complete in itself: no script, no picture, nothing loaded from anywhere. All that the
site wrote is text in it, and characters that nobody sees are written out. Tables have a border of
their own besides the style's, for programs that read little of a style (LibreOffice).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from dmf_crawler.errors import StoredDataError
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Value
from dmf_crawler.model.watched_page import PageReport, PageState, ReviewItem
from dmf_crawler.publish.page_diff_style import STYLE
from dmf_crawler.publish.report.wording import MOVEMENT_WORDS, show_movement, show_value
from dmf_crawler.publish.side_by_side import Line, Part, Row, lay_side_by_side
from dmf_crawler.publish.whole_file import open_whole

N_CONTEXT = 3  # unchanged lines that are shown before and after a change

MOST_CHANGED_CHARACTERS = 600_000
MOST_FOLDED_CHARACTERS = 400_000
MOST_VALUE_CHARACTERS = 20_000
"""Beyond these the file only says how much it leaves out, and where all of it is."""

ROW_CHARACTERS = 20  # a row counts for so many more: very many short lines are mostly markup

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_WEB = re.compile(r"https?://[!-~]+")
_BLANKS = frozenset("\t\u00a0\u2002\u2003\u2009\u202f\u205f\u3000")
_TWO = (
    '<table class="two" border="1"><thead><tr><th>{}</th>'
    "<th>이전</th><th>이후</th></tr></thead><tbody>"
)


def diff_name(item: ReviewItem) -> str:
    """Return the name of a change's file: ASCII, one a change."""
    return f"DMF_{item.day}_{item.run_id}_diff.html"


def write_diff(
    item: ReviewItem,
    page: PageReport,
    folder: Path,
    *,
    replace: Callable[[Path, Path], None] = os.replace,
) -> Path:
    """Write what changed beside the workbook and return where; one that is as it was, stays.

    Args:
        item: The change, with both states of the page.
        page: Its board.
        folder: Where the workbook stands; made where it is missing.
        replace: Moves the finished file over an older one, as `os.replace`.

    Raises:
        StoredDataError: `page_diff_not_written`; an older file of that name is untouched.
    """
    path, content = folder / diff_name(item), render_diff(item, page).encode("utf-8")
    try:
        if not path.is_file() or path.read_bytes() != content:
            with open_whole(path, replace=replace) as file:
                file.write(content)
    except OSError as error:
        raise StoredDataError(
            "page_diff_not_written",
            f"페이지 비교 파일 {path} 을 쓰지 못했습니다({error}). 이력은 기록되었고 보고서는 쓰지 "
            "않았습니다. 파일을 연 프로그램을 닫고 폴더의 쓰기 권한과 디스크의 여유 공간을 확인한 "
            f"뒤 report --date {item.day.isoformat()} 명령을 실행해 주십시오.",
        ) from error
    return path


def render_diff(item: ReviewItem, page: PageReport) -> str:
    """Return the file's text; the same change gives the same text."""
    title = f"{MOVEMENT_WORDS[item.movement]}: {page.name_ko} ({item.day.isoformat()})"
    before, after = (_text(fields.get(BODY)) for fields in (item.before, item.after))
    rows = lay_side_by_side(before, after, item.forms)
    parts = [
        '<!DOCTYPE html>\n<html lang="ko">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{show_text(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>",
        '<p class="house">사내용: 외부로 배포하지 마십시오.</p>',
        f"<h1>{show_text(title)}</h1>",
        *_tell_what(item, page),
        *_tell_pages(item),
        *_tell_fields(item, page),
        *_tell_text(item, rows),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def show_text(text: str) -> str:
    """Return text as HTML: markup escaped, and what nobody would see written as `⟦U+202E⟧`."""
    if text.isprintable():
        return escape(text)
    return "".join(
        escape(char)
        if char.isprintable() or char in _BLANKS
        else f'<span class="unseen">⟦U+{ord(char):04X}⟧</span>'
        for char in text
    )


def _text(value: Value | None) -> str:
    return show_value(value).replace("\r\n", "\n").replace("\r", "\n")


# --- what happened -------------------------------------------------------------------------------


def _tell_what(item: ReviewItem, page: PageReport) -> Iterator[str]:
    facts = [
        ("게시판", f"{show_text(page.name_ko)} ({show_text(item.board_id)})"),
        ("페이지", _link(item.after_at.url if item.after_at else page.url)),
        ("발견한 날", f"{item.day.isoformat()} (실행 {show_text(item.run_id)})"),
        ("구분", show_text(show_movement(item.movement, item.distance, item.threshold))),
        ("까닭", show_text(item.why or _say_why(item))),
        ("검토 번호", f"{item.review_id}"),
    ]
    yield '<table class="facts" border="1"><tbody>'
    for label, shown in facts:
        yield f'<tr><th scope="row">{label}</th><td>{shown}</td></tr>'
    yield "</tbody></table>"
    yield (
        '<p class="next">아래에서 무엇이 달라졌는지 읽고, 사이트의 페이지와 견주어 본 뒤 '
        f'<code>dmf-crawler review done {item.review_id} --note "확인한 내용"</code> 을 '
        "실행하면 검토대기에서 빠집니다.</p>"
    )
    if item.is_terms:
        yield (
            '<p class="next">이 페이지는 이용약관입니다. 자동 수집을 금지하거나 제한하는 내용이 '
            "새로 생기지 않았는지 확인하고, 허용되면 "
            '<code>dmf-crawler terms confirm --note "확인한 내용"</code> 도 실행하십시오.</p>'
        )


def _say_why(item: ReviewItem) -> str:
    if item.distance is None:
        return "견줄 거리가 없습니다."
    if item.threshold is None:
        return "이 페이지는 저절로 움직이는 폭을 재지 않았으므로 다른 점은 모두 변경입니다."
    return f"글의 지문이 {item.distance}비트 다르고, {item.threshold}비트까지는 잡음으로 봅니다."


def _link(url: str) -> str:
    shown = show_text(url)
    if _WEB.fullmatch(url) is None:
        return shown
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{shown}</a>'


def _tell_pages(item: ReviewItem) -> Iterator[str]:
    before, after = item.before_at, item.after_at
    rows = [
        ("처음 읽은 날", *_each(before, after, lambda state: state.day.isoformat())),
        ("실행", *_each(before, after, lambda state: state.run_id)),
        ("SHA-256", *_each(before, after, lambda state: state.source)),
        ("보관된 페이지", *_each(before, after, _name_file)),
    ]
    yield "<h2>견준 두 페이지</h2>"
    yield _TWO.format("")
    for label, old, new in rows:
        cells = "".join(f"<td>{show_text(text)}</td>" for text in (old, new))
        yield f'<tr><th scope="row">{label}</th>{cells}</tr>'
    yield "</tbody></table>"
    if before is not None:
        yield (
            f'<p class="note">이전 페이지의 글은 {before.day.isoformat()}부터 '
            f"{before.last_day.isoformat()}까지 그대로였습니다. 두 페이지 모두 홈 폴더에 "
            "보관되어 있습니다(보존 기간이 지나면 페이지 파일은 정리되고 글은 이력에 남습니다).</p>"
        )


def _each(
    before: PageState | None, after: PageState | None, show: Callable[[PageState], str]
) -> tuple[str, str]:
    old, new = (show(state) if state else "이력에 없음" for state in (before, after))
    return old, new


def _name_file(state: PageState) -> str:
    return f"{state.raw_dir}/{state.source[:16]}.html.gz"


def _tell_fields(item: ReviewItem, page: PageReport) -> Iterator[str]:
    names = [name for name in {**item.after, **item.before} if name != BODY]
    if not names:
        return
    yield "<h2>항목</h2>"
    yield _TWO.format("항목")
    for name in names:
        old, new = item.before.get(name), item.after.get(name)
        label = show_text(page.labels.get(name, name))
        if old == new:
            cells = f"<td>{_value(old)}</td><td>{_value(new)}</td>"
        else:
            label += ' <span class="changed">바뀜</span>'
            cells = (
                f'<td class="old"><span class="mark">−</span> <del>{_value(old)}</del></td>'
                f'<td class="new"><span class="mark">+</span> <ins>{_value(new)}</ins></td>'
            )
        yield f'<tr><th scope="row">{label}</th>{cells}</tr>'
    yield "</tbody></table>"


def _value(value: Value | None) -> str:
    text = show_value(value)
    if not text:
        return "(빈 값)"
    left = f"\n[이하 생략: 전체 {len(text):,}자]" if len(text) > MOST_VALUE_CHARACTERS else ""
    lines = (text[:MOST_VALUE_CHARACTERS] + left).split("\n")
    return "<br>".join(map(show_text, lines))


# --- the text ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Room:
    """How many characters may still be shown, and how many were left out."""

    n_changed: int = MOST_CHANGED_CHARACTERS
    n_folded: int = MOST_FOLDED_CHARACTERS
    n_left_out: int = 0

    def take(self, row: Row) -> bool:
        """Say whether a row is still shown."""
        size = sum(len(line.text) for line in (row.before, row.after) if line)
        needed = size + ROW_CHARACTERS
        if needed > (self.n_changed if row.is_news else self.n_folded):
            self.n_left_out += size
            return False
        self.n_changed -= needed if row.is_news else 0
        self.n_folded -= 0 if row.is_news else needed
        return True


def _tell_text(item: ReviewItem, rows: Sequence[Row]) -> Iterator[str]:
    yield "<h2>글</h2>"
    if not any(row.is_changed for row in rows):
        yield '<p class="note">글은 글자까지 같습니다.</p>'
    elif not any(row.is_news for row in rows):
        yield '<p class="note">글에서는 저절로 움직이는 곳만 달라졌습니다.</p>'
    yield (
        '<p class="note"><span class="mark">−</span> <del>없어진 글</del>, '
        '<span class="mark">+</span> <ins>새로 생긴 글</ins>. 같은 줄에서는 달라진 낱말에만 '
        "표시합니다. 조회수나 시각처럼 저절로 움직이는 줄에는 "
        '<span class="mark">~</span> 를 붙이고 변경으로 세지 않습니다. '
        "변하지 않은 곳은 접혀 있습니다.</p>"
    )
    room = _Room()
    stretches = [list(_tell_stretch(each, room)) for each in _cut(rows)]
    if room.n_left_out:
        kept = _name_file(item.after_at) if item.after_at else "이력"
        yield (
            f'<p class="left-out">글이 너무 길어 {room.n_left_out:,}자는 생략했습니다. 전체 '
            f"글은 홈 폴더의 {show_text(kept)} 과 이력(var/dmf.sqlite3)에 있습니다.</p>"
        )
    yield (
        '<table class="text" border="1"><thead><tr><th class="no"></th><th>이전</th>'
        '<th class="no"></th><th>이후</th></tr></thead>'
    )
    for stretch in stretches:
        yield from stretch
    yield "</table>"


def _cut(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield changed stretches with some lines around them, and what stands between these."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.is_news:
            first, last = max(at - N_CONTEXT, 0), min(at + N_CONTEXT, len(rows) - 1)
            near[first : last + 1] = [True] * (last - first + 1)
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or near[at] is not near[start]:
            yield rows[start:at]
            start = at


def _tell_stretch(rows: Sequence[Row], room: _Room) -> Iterator[str]:
    """Yield the rows of a stretch; one without a change is folded, with all its lines inside."""
    shown = [row for row in rows if room.take(row)]
    n_left = len(rows) - len(shown)
    left = (
        f'<tr class="gap"><td colspan="4">여기에서 {n_left:,}줄을 생략했습니다.</td></tr>'
        if n_left
        else ""
    )
    body = "\n".join(_show_row(row) for row in shown)
    if any(row.is_news for row in rows) or len(rows) <= N_CONTEXT:
        yield f"<tbody>\n{body}{left}</tbody>"
        return
    what = "변경으로 세지 않은" if any(row.is_changed for row in rows) else "변하지 않은"
    yield (
        '<tbody><tr class="fold"><td colspan="4"><details>'
        f"<summary>{what} {len(rows):,}줄</summary>"
        f'<table class="text" border="1"><tbody>\n{body}{left}</tbody></table>'
        "</details></td></tr></tbody>"
    )


def _show_row(row: Row) -> str:
    if not row.is_changed:
        return f"<tr>{_show_line(row.before, _SAME)}{_show_line(row.after, _SAME)}</tr>"
    old, new = (_MOVED, _MOVED) if row.is_noise else (_OLD, _NEW)
    return f"<tr>{_show_line(row.before, old)}{_show_line(row.after, new)}</tr>"


@dataclass(frozen=True, slots=True)
class _Look:
    """How a line is shown: its class, its mark, the element around changed words."""

    kind: str = ""
    mark: str = ""
    tag: str = ""


_SAME = _Look()
_OLD = _Look("old", "−", "del")
_NEW = _Look("new", "+", "ins")
_MOVED = _Look("moved", "~", "i")


def _show_line(line: Line | None, look: _Look) -> str:
    """Return the two cells of one side: number with its mark, and the line."""
    if line is None:
        return '<td class="no"></td><td class="none"></td>'
    mark = f'<span class="mark">{look.mark}</span> ' if look.mark else ""
    text = "".join(_show_part(part, look.tag) for part in line.parts)
    return f'<td class="no {look.kind}">{mark}{line.number}</td><td class="{look.kind}">{text}</td>'


def _show_part(part: Part, tag: str) -> str:
    shown = show_text(part.text)
    return f"<{tag}>{shown}</{tag}>" if part.is_changed and part.text and tag else shown
