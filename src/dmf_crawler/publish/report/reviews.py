"""검토대기: changes of watched pages that a person has still to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Value
from dmf_crawler.model.report import Report
from dmf_crawler.model.watched_page import PageReport, ReviewItem
from dmf_crawler.publish.page_diff import diff_name
from dmf_crawler.publish.report.cells import Cell, Sheet, Tone
from dmf_crawler.publish.report.wording import MOVEMENT_WORDS, drop_turning, show_bits, show_value
from dmf_crawler.publish.side_by_side import Line, lay_side_by_side

REVIEW_COLUMNS = (
    *("번호", "게시판", "기준일", "구분", "거리", "임계값", "바뀐 항목", "이전", "이후"),
    *("없어진 글", "새로 생긴 글", "비교 파일", "원본 페이지", "run_id"),
)
REVIEW_WIDTHS = (
    *(7.0, 22.0, 11.0, 11.0, 7.0, 8.0, 14.0, 24.0, 24.0),
    *(46.0, 46.0, 11.0, 12.0, 32.0),
)

WHAT_TO_DO = (
    "사람이 확인할 변경입니다. 비교 파일을 열어 무엇이 달라졌는지 읽고 원본 페이지와 견주어 본 뒤"
    ' review done 번호 --note "확인한 내용" 을 실행하면 다음 보고서부터 이 시트에서 빠집니다.'
)

MOST_PASSAGES = 5
MOST_PASSAGE_CHARACTERS = 120
N_AROUND = 20
"""Characters before and after the changed words of a passage that show where they stand."""


def write_reviews(sheet: Sheet, report: Report) -> None:
    """Write one row a change, newest first."""
    sheet.set_widths(REVIEW_WIDTHS)
    sheet.write_top(WHAT_TO_DO)
    sheet.write_header(REVIEW_COLUMNS)
    rows = [(page, item) for page in report.pages for item in page.waiting]
    for page, item in sorted(rows, key=lambda row: row[1].review_id, reverse=True):
        sheet.write_row(_cells(report, page, item))
    sheet.freeze(n_columns=2)
    sheet.filter(n_columns=len(REVIEW_COLUMNS))


def _cells(report: Report, page: PageReport, item: ReviewItem) -> list[Cell]:
    removed, added = list_passages(item)
    changed = [name for name in {**item.after, **item.before} if name != BODY]
    changed = [name for name in changed if item.before.get(name) != item.after.get(name)]
    url = item.after_at.url if item.after_at else page.url
    # A preview stands in another folder than the files.
    link = "" if report.preview_of else f"external:{diff_name(item)}"
    return [
        Cell(item.review_id),
        Cell(page.name_ko),
        Cell(item.day.isoformat()),
        Cell(MOVEMENT_WORDS[item.movement], tone=Tone.CHANGED),
        Cell(item.distance),
        Cell(show_bits(None) if item.threshold is None else item.threshold),
        Cell("\n".join(page.labels.get(name, name) for name in changed)),
        Cell("\n".join(_show(item.before.get(name)) for name in changed)),
        Cell("\n".join(_show(item.after.get(name)) for name in changed), tone=Tone.CHANGED),
        Cell("\n".join(removed)),
        Cell("\n".join(added), tone=Tone.CHANGED),
        Cell("열기" if link else diff_name(item), link=link),
        Cell("열기", link=url),
        Cell(item.run_id),
    ]


def _show(value: Value | None) -> str:
    text = drop_turning(" ".join(show_value(value).split()))
    return _shorten(text) if text else "(빈 값)"


def _shorten(text: str) -> str:
    if len(text) <= MOST_PASSAGE_CHARACTERS:
        return text
    return f"{text[:MOST_PASSAGE_CHARACTERS]}… [전체 {len(text):,}자]"


def list_passages(item: ReviewItem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what went from a page's text and what came, the first few, shortened.

    A line that was changed stands in both, with a little of what stands around the changed words.
    What moves by itself is left out.
    """
    before, after = (show_value(fields.get(BODY)) for fields in (item.before, item.after))
    changed = [row for row in lay_side_by_side(before, after, item.forms) if row.is_news]
    return (
        tuple(_first_few([row.before for row in changed], "−")),
        tuple(_first_few([row.after for row in changed], "+")),
    )


def _first_few(lines: Sequence[Line | None], mark: str) -> Iterator[str]:
    shown = [_excerpt(line) for line in lines if line and line.has_changed]
    yield from (f"{mark} {passage}" for passage in shown[:MOST_PASSAGES])
    if len(shown) > MOST_PASSAGES:
        yield f"외 {len(shown) - MOST_PASSAGES:,}곳"


def _excerpt(line: Line) -> str:
    """Return a short line whole, of a long one the changed words with some words around them."""
    text, at, ends = line.text, 0, []
    for part in line.parts:
        if part.is_changed:
            ends += [at, at + len(part.text)]
        at += len(part.text)
    first, last = 0, len(text)
    if len(text) > MOST_PASSAGE_CHARACTERS:
        first, last = max(min(ends) - N_AROUND, 0), min(max(ends) + N_AROUND, len(text))
    shown = _shorten(drop_turning(" ".join(text[first:last].split())))
    return f"{'… ' if first else ''}{shown}{' …' if last < len(text) else ''}"
