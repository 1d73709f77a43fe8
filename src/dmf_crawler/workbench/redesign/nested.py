"""The tables inside the cells of 제조소명, 제조소소재지 and 제조국가: one value a site."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import REGISTER, Acceptable, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    find_column,
    make,
    parent_of,
    quote,
    remove_column,
    value_of,
    wrap,
)

_COLUMNS = ("제조소명", "제조소소재지", "제조국가")

Write = Callable[[Sequence[str]], str]
"""HTML of each site's value → HTML of what stands in the cell; may be text alone."""


def _tables(page: SavedPage) -> Iterator[Element]:
    for cell in page.cells:
        yield from list(cell.iterchildren("table"))


def _values(table: Element) -> list[str]:
    """Return the HTML of the innermost cells' values; one that was cut keeps its title."""
    return [value_of(cell) for cell in table.iter("td")]


def rewrite(page: SavedPage, rng: random.Random, *, write: Write) -> None:
    """Write something else in place of each table."""
    for table in list(_tables(page)):
        cell = parent_of(table)
        holder = make(f"<div>{write(_values(table))}</div>")
        label = table.getprevious()
        detach(table)
        _append_text(cell, label, holder.text or "")
        cell.extend(list(holder))


def _append_text(cell: Element, label: Element | None, text: str) -> None:
    if label is None:
        cell.text = (cell.text or "") + text
    else:
        label.tail = (label.tail or "") + text


def write_lines(values: Sequence[str]) -> str:
    """Return lines."""
    return "<br>".join(values)


def write_each(values: Sequence[str], *, tag: str, inside: str = "") -> str:
    """Return an element a value, in another element where there is one."""
    text = "".join(f"<{tag}>{value}</{tag.split(maxsplit=1)[0]}>" for value in values)
    return f"<{inside}>{text}</{inside.split(maxsplit=1)[0]}>" if inside else text


def write_commas(values: Sequence[str]) -> str:
    """Return the values in one line."""
    return ", ".join(values)


def write_first(values: Sequence[str]) -> str:
    """Return the first value, and how many there are besides."""
    return f"{values[0]} 외 {len(values) - 1}" if len(values) > 1 else "".join(values)


def write_table(values: Sequence[str], *, row: str, head: str = "", section: str = "") -> str:
    """Return a table.

    Args:
        values: The HTML of each value.
        row: HTML of a row, `{}` for the value and `{n}` for its number.
        head: HTML in front of the rows.
        section: Tag around the rows, "" for none.
    """
    rows = "".join(row.replace("{n}", str(n)).replace("{}", v) for n, v in enumerate(values, 1))
    body = f"<{section}>{rows}</{section}>" if section else rows
    return f'<table class="tb_in">{head}{body}</table>'


def write_across(values: Sequence[str]) -> str:
    """Return a table of one row."""
    return f"<table><tr>{''.join(f'<td>{value}</td>' for value in values)}</tr></table>"


def head_tables(page: SavedPage, rng: random.Random) -> None:
    """Give each table a thead with the column's name."""
    for name in _COLUMNS:
        for cell in page.columns[find_column(page, name)]:
            for table in cell.iterchildren("table"):
                head = make(f"<table><thead><tr><th>{name}</th></tr></thead></table>")[0]
                table.insert(0, head)


def wrap_tables(page: SavedPage, rng: random.Random) -> None:
    """Put each table into boxes that scroll."""
    for table in list(_tables(page)):
        wrap(table, make('<div class="in_wrap"><div class="scroll"></div></div>'))


def wrap_inner(page: SavedPage, rng: random.Random) -> None:
    """Put each site's value into an element of its own inside its cell."""
    for table in list(_tables(page)):
        for cell in list(table.iter("td")):
            box = make('<p class="site"></p>')
            box.text, cell.text = cell.text, None
            cell.append(box)


def deepen(page: SavedPage, rng: random.Random) -> None:
    """Put each table into a table of one cell."""
    for table in list(_tables(page)):
        wrap(table, make("<table><tr><td></td></tr></table>"))


def merge_columns(page: SavedPage, rng: random.Random) -> None:
    """Write name, address and country of all sites as one table in one column."""
    columns = [find_column(page, name) for name in _COLUMNS]
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    for row in page.rows:
        cells = cells_of(row)
        tables = [next(cells[index].iterchildren("table"), None) for index in columns]
        values = [[] if table is None else _values(table) for table in tables]
        lines = [
            "".join(f"<td>{each[n] if n < len(each) else ''}</td>" for each in values)
            for n in range(max(map(len, values)))
        ]
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        cells[columns[0]].clear()
        cells[columns[0]].append(
            make(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        )
    page.header_of(columns[0]).text = "제조소"
    for index in reversed(columns[1:]):
        remove_column(page, index)


def hide_rest(page: SavedPage, rng: random.Random) -> None:
    """Hide all sites but the first behind a button, in rows that a script shows."""
    for table in list(_tables(page)):
        for row in list(table.iter("tr"))[1:]:
            row.set("style", "display:none")
        table.addnext(make('<button type="button" class="btn_more">더보기</button>'))


def add_flags(page: SavedPage, rng: random.Random) -> None:
    """Put a flag in front of each country."""
    for cell in page.columns[find_column(page, "제조국가")]:
        for inner in list(cell.iter("td"))[1:]:
            flag = make(f'<img src="/img/flag.png" alt="{inner.text or ""}">')
            flag.tail, inner.text = f" {inner.text or ''}", None
            inner.insert(0, flag)


def _kind(name: str, sentence: str, write: Write, acceptable: Acceptable = "same") -> Kind:
    redesign = on_tree(partial(rewrite, write=write))
    return Kind(name, "nested", sentence, acceptable, redesign, REGISTER)


def quote_bullets(values: Sequence[str]) -> str:
    """Return lines with a bullet each."""
    return "<br>".join(f"{quote('·')} {value}" for value in values)


KINDS = (
    _kind("nested_lines", "The sites are lines with br between them.", write_lines),
    _kind("nested_ul", "The sites are a list of li.", partial(write_each, tag="li", inside="ul")),
    _kind("nested_ol", "The sites are a numbered list of li.",
          partial(write_each, tag="li", inside='ol class="num"')),
    _kind("nested_div", "Each site is a div.", partial(write_each, tag="div")),
    _kind("nested_p", "Each site is a p.", partial(write_each, tag="p")),
    _kind("nested_dd", "The sites are dd of a dl.", partial(write_each, tag="dd", inside="dl")),
    _kind("nested_spans", "Each site is a span; only a style sheet breaks the lines.",
          partial(write_each, tag='span class="site"'), "refuse_ok"),
    _kind("nested_commas", "The sites stand in one line, with commas that names have, too.",
          write_commas, "refuse_ok"),
    _kind("nested_first", "Only the first site is there, and how many there are besides.",
          write_first, "refuse_ok"),
    _kind("nested_bullets", "A bullet stands in front of each site.",
          quote_bullets, "refuse_ok"),
    _kind("nested_without_tbody", "The inner tables have rows and no tbody.",
          partial(write_table, row="<tr><td>{}</td></tr>")),
    _kind("nested_with_class", "The inner tables have class, colgroup and tbody.",
          partial(write_table, row='<tr class="r"><td class="c">{}</td></tr>', section="tbody",
                  head="<colgroup><col></colgroup>")),
    _kind("nested_of_th", "The inner cells are th.",
          partial(write_table, row="<tr><th>{}</th></tr>", section="tbody")),
    _kind("nested_across", "The sites stand side by side in one inner row.", write_across),
    _kind("nested_numbered", "An inner column without name numbers the sites.",
          partial(write_table, row="<tr><td>{n}</td><td>{}</td></tr>", section="tbody"),
          "refuse_ok"),
    _kind("nested_numbered_th", "The number of each site is the header of its inner row.",
          partial(write_table, row='<tr><th scope="row">{n}</th><td>{}</td></tr>',
                  section="tbody"), "refuse_ok"),
    Kind("nested_headed", "nested", "The inner tables have a thead with the column's name.",
         "same", on_tree(head_tables), REGISTER),
    Kind("nested_wrapped", "nested", "The inner tables stand in boxes that scroll.",
         "same", on_tree(wrap_tables), REGISTER),
    Kind("nested_values_wrapped", "nested", "Each site's name stands in a p in its inner cell.",
         "same", on_tree(wrap_inner), REGISTER),
    Kind("nested_deeper", "nested", "Each inner table stands in an inner table of one cell.",
         "same", on_tree(deepen), REGISTER),
    Kind("nested_rest_hidden", "nested", "All sites but the first wait, hidden, for a click.",
         "same", on_tree(hide_rest), REGISTER),
    Kind("nested_with_images", "nested", "A flag stands in front of each country.",
         "same", on_tree(add_flags), REGISTER),
    Kind("nested_merged", "nested", "Names, addresses and countries are one table in one column.",
         "refuse_ok", on_tree(merge_columns), REGISTER),
)  # fmt: skip
