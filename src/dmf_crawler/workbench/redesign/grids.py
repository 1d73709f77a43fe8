"""The list as something else than a plain table."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from functools import partial

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    detach,
    make,
    quote,
    strip_text,
    wrap,
)

_ROLES = {
    "table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row",
    "th": "columnheader", "td": "cell",
}  # fmt: skip
_GRID_ROLES = {**_ROLES, "table": "grid", "td": "gridcell"}


def become_grid(
    page: SavedPage, rng: random.Random, *, roles: Mapping[str, str], tag: str = "div"
) -> None:
    """Write other elements in place of the list's own table elements, and their roles."""
    for element in [page.table, *_parts(page)]:
        role = roles.get(str(element.tag), "")
        element.tag = tag
        element.attrib.pop("colspan", "")
        if role:
            element.set("role", role)


def _parts(page: SavedPage) -> list[Element]:
    """Return the list's own sections, rows and cells."""
    sections = [each for each in page.table if each.tag in {"thead", "tbody"}]
    rows = [page.header, *page.rows]
    return [*sections, *rows, *(cell for row in rows for cell in cells_of(row))]


def become_grid_wholly(page: SavedPage, rng: random.Random) -> None:
    """Write div with roles in place of all table elements, those inside cells, too."""
    inner = [table for cell in page.cells for table in cell.iter("table")]
    for table in inner:
        for element in list(table.iter(*_ROLES)):
            element.set("role", _ROLES[str(element.tag)])
            element.tag = "div"
    become_grid(page, rng, roles=_ROLES)


def become_wrapped_grid(page: SavedPage, rng: random.Random) -> None:
    """Write div with roles, and boxes without role between rows and cells."""
    rows = [page.header, *page.rows]
    cells = [cell for row in rows for cell in cells_of(row)]
    become_grid(page, rng, roles=_ROLES)
    for cell in cells:
        wrap(cell, make('<div class="col"></div>'))
    for row in rows:
        wrap(row, make('<div class="line"><div></div></div>'))


def name_roles(page: SavedPage, rng: random.Random) -> None:
    """Give the table's own elements the roles that they have anyway."""
    for element in [page.table, *_parts(page)]:
        element.set("role", _ROLES[str(element.tag)])


def deny_roles(page: SavedPage, rng: random.Random) -> None:
    """Say of the inner tables, and of a layout table in front, that they are no tables."""
    for cell in page.cells:
        for table in cell.iter("table"):
            table.set("role", "presentation")
    layout = '<table role="presentation"><tr><td>조회 조건</td><td>전체</td></tr></table>'
    page.table.addprevious(make(layout))


def become_cards(page: SavedPage, rng: random.Random) -> None:
    """Write each record as a card with a list of definitions."""
    cards = []
    for row in page.rows:
        pairs = zip(page.headers, cells_of(row), strict=True)
        terms = "".join(
            f"<dt>{quote(header)}</dt><dd>{quote(strip_text(cell))}</dd>" for header, cell in pairs
        )
        cards.append(f'<div class="card"><dl>{terms}</dl></div>')
    _replace(page, f'<div class="cards">{"".join(cards)}</div>')


def become_list(page: SavedPage, rng: random.Random) -> None:
    """Write each record as an item of a list, its values in spans."""
    items = [
        "".join(f"<span>{quote(strip_text(cell))}</span>" for cell in cells_of(row))
        for row in page.rows
    ]
    _replace(page, f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>")


def become_script(page: SavedPage, rng: random.Random) -> None:
    """Leave the list to a script that asks for it."""
    _replace(page, '<div id="grid"><p>불러오는 중입니다.</p></div>')


def become_data(page: SavedPage, rng: random.Random) -> None:
    """Put the records into a script, for another one to draw."""
    records = [
        dict(zip(page.headers, map(strip_text, cells_of(row)), strict=True)) for row in page.rows
    ]
    text = json.dumps(records, ensure_ascii=False).replace("</", "<\\/")
    box = make('<div id="grid"><script type="application/json"></script></div>')
    box[0].text = text
    page.table.addprevious(box)
    detach(page.table)


def become_frame(page: SavedPage, rng: random.Random) -> None:
    """Leave the list to another page in a frame."""
    _replace(page, '<iframe src="/pbp/CCBAC03/grid" title="목록"></iframe>')


def _replace(page: SavedPage, html: str) -> None:
    page.table.addprevious(make(html))
    detach(page.table)


def add_json_ld(page: SavedPage, rng: random.Random) -> None:
    """Describe the page for search engines in JSON-LD."""
    about = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": "목록",
        "size": "총 7 건",
    }
    script = make('<div><script type="application/ld+json"></script></div>')[0]
    script.text = json.dumps(about, ensure_ascii=False)
    page.body.insert(0, script)


def add_microdata(page: SavedPage, rng: random.Random) -> None:
    """Describe rows and cells for search engines in attributes."""
    page.table.set("itemscope", "")
    for row in page.rows:
        row.set("itemprop", "itemListElement")
        for header, cell in zip(page.headers, cells_of(row), strict=True):
            cell.set("itemprop", re.sub(r"\W", "", header))


KINDS = (
    Kind("grid_of_roles", "grids", "The list is a grid of div with the roles of a table.",
         "same", on_tree(partial(become_grid, roles=_ROLES))),
    Kind("grid_of_grid_roles", "grids", "The list is a grid of div with the roles of a grid.",
         "same", on_tree(partial(become_grid, roles=_GRID_ROLES))),
    Kind("grid_of_spans", "grids", "The list is a grid of span with the roles of a table.",
         "same", on_tree(partial(become_grid, roles=_ROLES, tag="span"))),
    Kind("grid_all_of_roles", "grids", "List and inner tables are div with the roles of a table.",
         "same", on_tree(become_grid_wholly)),
    Kind("grid_wrapped", "grids", "Boxes without role stand between the rows and cells of a grid.",
         "same", on_tree(become_wrapped_grid)),
    Kind("grid_without_roles", "grids", "The list is a grid of div without roles.",
         "refuse_ok", on_tree(partial(become_grid, roles={}))),
    Kind("table_with_roles", "grids", "The table's elements bear the roles that they have.",
         "same", on_tree(name_roles)),
    Kind("table_roles_denied", "grids", "Inner tables and a layout table say that they are none.",
         "same", on_tree(deny_roles)),
    Kind("cards", "grids", "Each record is a card with a list of definitions.",
         "refuse_ok", on_tree(become_cards)),
    Kind("list_of_spans", "grids", "Each record is an item of a list, without any names.",
         "refuse_ok", on_tree(become_list)),
    Kind("drawn_by_script", "grids", "A script asks for the list.",
         "refuse_ok", on_tree(become_script)),
    Kind("drawn_from_json", "grids", "A script draws the list from JSON in the page.",
         "refuse_ok", on_tree(become_data)),
    Kind("list_in_frame", "grids", "Another page in a frame has the list.",
         "refuse_ok", on_tree(become_frame)),
    Kind("json_ld", "grids", "JSON-LD describes the page.", "same", on_tree(add_json_ld)),
    Kind("microdata", "grids", "Attributes of microdata describe rows and cells.",
         "same", on_tree(add_microdata)),
)  # fmt: skip
