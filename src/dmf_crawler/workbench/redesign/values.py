"""What the values themselves are shown as: cut, doubled, marked, in form fields."""

from __future__ import annotations

import random
import re
from functools import partial

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import REGISTER, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    detach,
    find_column,
    make,
    quote,
    strip_text,
)

_LONG_WORD = re.compile(r"[A-Za-z가-힣0-9]{6,}")


def add_image_badge(page: SavedPage, rng: random.Random) -> None:
    """Mark the first rows as new with an image."""
    for cell in page.columns[find_column(page, "성분명", "제목")][::4]:
        cell.append(make('<img src="/img/ico_new.gif" alt="새글" width="14">'))


def add_text_badge(page: SavedPage, rng: random.Random) -> None:
    """Mark the first rows as new with a word."""
    for cell in page.columns[find_column(page, "성분명", "제목")][::4]:
        cell.append(make('<span class="badge">NEW</span>'))


def double_values(page: SavedPage, rng: random.Random) -> None:
    """Write the values of a column twice, the one for narrow screens hidden."""
    for cell in page.columns[find_column(page, "신청인", "담당부서")]:
        text, label = strip_text(cell), page.label_of(cell)
        _empty(cell, label)
        cell.append(make(f'<span class="pc">{quote(text)}</span>'))
        cell.append(make(f'<span class="mo" style="display:none">{quote(text)}</span>'))


def _empty(cell: Element, label: Element | None) -> None:
    """Leave nothing in a cell but its label."""
    for child in list(cell):
        if child is not label:
            cell.remove(child)
    cell.text = None
    if label is not None:
        label.tail = None


def allow_breaks(page: SavedPage, rng: random.Random) -> None:
    """Write wbr into long words."""
    for element in list(page.table.iter("td", "a")):
        for node in [element, *element]:
            if node is element and node.text and _LONG_WORD.search(node.text):
                _break(element, node.text)
            elif node is not element and node.tail and _LONG_WORD.search(node.tail):
                _break_tail(node, node.tail)


def _break(element: Element, text: str) -> None:
    middle = _middle_of(text)
    element.text = text[:middle]
    wbr = make("<wbr>")
    wbr.tail = text[middle:]
    element.insert(0, wbr)


def _break_tail(node: Element, text: str) -> None:
    middle = _middle_of(text)
    wbr = make("<wbr>")
    wbr.tail = text[middle:]
    node.addnext(wbr)
    node.tail = text[:middle]


def _middle_of(text: str) -> int:
    match = _LONG_WORD.search(text)
    return match.start() + 3 if match else 0


def cut_values(page: SavedPage, rng: random.Random, *, title_on: str) -> None:
    """Cut the texts of a column.

    Args:
        page: Changed.
        rng: Unused.
        title_on: Which element has the whole text as its title: `cell`, `span`, or "" for none.
    """
    for cell in page.columns[find_column(page, "신청인", "담당부서")]:
        text = strip_text(cell)
        _empty(cell, page.label_of(cell))
        span = make(f"<span>{quote(text[:4])}…</span>")
        if title_on:
            (cell if title_on == "cell" else span).set("title", text)
        cell.append(span)


def into_inputs(page: SavedPage, rng: random.Random) -> None:
    """Show the values of a column in form fields."""
    for cell in page.columns[find_column(page, "신청인", "담당부서")]:
        text = strip_text(cell)
        _empty(cell, page.label_of(cell))
        cell.append(make(f'<input type="text" readonly value="{quote(text)}">'))


def add_note(page: SavedPage, rng: random.Random) -> None:
    """Put a footnote's number behind some values."""
    for cell in page.columns[find_column(page, "신청인", "담당부서")][::3]:
        cell.append(make("<sup>1)</sup>"))


def draw_empty(page: SavedPage, rng: random.Random) -> None:
    """Write a no-break space into each empty cell."""
    for cell in page.cells:
        if not strip_text(cell):
            label = page.label_of(cell)
            if label is None:
                cell.text = "\u00a0"
            else:
                label.tail = "\u00a0"


def draw_empty_as_dash(page: SavedPage, rng: random.Random) -> None:
    """Write a dash into each empty cell."""
    for cell in page.cells:
        if not strip_text(cell) and next(cell.iter("table"), None) is None:
            cell.append(make("<span>-</span>"))


def mark_words(page: SavedPage, rng: random.Random) -> None:
    """Mark a part of each value of a column, as search results do."""
    for cell in page.columns[find_column(page, "성분명", "담당부서")]:
        text, label = strip_text(cell), page.label_of(cell)
        _empty(cell, label)
        marked = make(f"<span><em class='hl'>{quote(text[:2])}</em></span>")[0]
        marked.tail = text[2:]
        cell.append(marked)


def name_times(page: SavedPage, rng: random.Random) -> None:
    """Write each day as a time element."""
    for cell in page.columns[find_column(page, "최초등록일자", "등록일")]:
        text, label = strip_text(cell), page.label_of(cell)
        _empty(cell, label)
        cell.append(make(f'<time datetime="{quote(text)}T00:00:00+09:00">{quote(text)}</time>'))


def add_sort_keys(page: SavedPage, rng: random.Random) -> None:
    """Put a hidden number to sort by in front of each day."""
    for cell in page.columns[find_column(page, "최초등록일자", "등록일")]:
        key = make(f'<span style="display:none">{strip_text(cell).replace("-", "")}</span>')
        label = page.label_of(cell)
        if label is None:
            key.tail, cell.text = cell.text, None
            cell.insert(0, key)
        else:
            key.tail, label.tail = label.tail, None
            label.addnext(key)


def add_blind_text(page: SavedPage, rng: random.Random) -> None:
    """Put words for screen readers, hidden by a class, behind the values of a column."""
    for cell in page.columns[find_column(page, "성분명", "제목")]:
        link = next(cell.iter("a"), cell)
        link.append(make('<span class="blind">새창 열림</span>'))


def drop_number_text(page: SavedPage, rng: random.Random) -> None:
    """Let the style sheet count the rows; the cells of the running numbers are empty."""
    for cell in page.columns[0]:
        for child in list(cell):
            detach(child)
        cell.text = None


KINDS = (
    Kind("badge_image", "values", "An image marks new rows.", "same", on_tree(add_image_badge)),
    Kind("badge_text", "values", "The word NEW stands behind the values of new rows.",
         "refuse_ok", on_tree(add_text_badge)),
    Kind("footnote_in_values", "values", "A footnote's number stands behind some values.",
         "refuse_ok", on_tree(add_note)),
    Kind("values_doubled", "values", "A column has each value twice, one of them hidden.",
         "same", on_tree(double_values)),
    Kind("values_with_wbr", "values", "Long words may be broken.", "same", on_tree(allow_breaks)),
    Kind("values_cut_with_title", "values",
         "The texts of a column are cut; the whole ones are in the cells' titles.",
         "same", on_tree(partial(cut_values, title_on="cell"))),
    Kind("values_cut_with_inner_title", "values",
         "The texts of a column are cut; the whole ones are titles of elements in the cells.",
         "same", on_tree(partial(cut_values, title_on="span"))),
    Kind("values_cut", "values", "The texts of a column are cut, and the rest is nowhere.",
         "refuse_ok", on_tree(partial(cut_values, title_on=""))),
    Kind("values_in_inputs", "values", "The values of a column stand in form fields.",
         "refuse_ok", on_tree(into_inputs)),
    Kind("empty_as_nbsp", "values", "Each empty cell holds a no-break space.",
         "same", on_tree(draw_empty), REGISTER),
    Kind("empty_as_dash", "values", "Each empty cell holds a dash.",
         "same", on_tree(draw_empty_as_dash), REGISTER),
    Kind("values_marked", "values", "A part of each value of a column is marked.",
         "same", on_tree(mark_words)),
    Kind("days_in_time", "values", "Each day is a time element.", "same", on_tree(name_times)),
    Kind("sort_keys_hidden", "values", "A hidden number to sort by stands in front of each day.",
         "same", on_tree(add_sort_keys)),
    Kind("blind_text", "values", "Words for screen readers, hidden by a class, follow values.",
         "same", on_tree(add_blind_text)),
    Kind("number_by_style", "values", "The cells of the running numbers are empty.",
         "same", on_tree(drop_number_text), REGISTER),
)  # fmt: skip
