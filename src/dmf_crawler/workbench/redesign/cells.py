"""What stands inside the cells beside label and value, and around them."""

from __future__ import annotations

import random
from functools import partial

from dmf_crawler.workbench.redesign.kind import NOTICES, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    find_column,
    make,
    strip_text,
    wrap_content,
)

_BLOCKS = ("table", "a")


def wrap_values(page: SavedPage, rng: random.Random, *, box: str) -> None:
    """Put each value that is plain text into a box; tables and links stay as they are."""
    for cell in page.cells:
        if next(cell.iter(*_BLOCKS), None) is None:
            wrap_content(cell, make(box), after=page.label_of(cell))


def wrap_all(page: SavedPage, rng: random.Random, *, box: str) -> None:
    """Put what each cell holds, label and value, into a box."""
    for cell in page.cells:
        wrap_content(cell, make(box))


def add_tooltips(page: SavedPage, rng: random.Random) -> None:
    """Give each cell its text as title and aria-label."""
    for cell in page.cells:
        if next(cell.iter("table"), None) is None and (text := strip_text(cell)):
            cell.set("title", text)
            cell.set("aria-label", text)


def add_copy_button(page: SavedPage, rng: random.Random) -> None:
    """Put a button that copies the text into the cells of one column."""
    for cell in page.columns[find_column(page, "등록번호", "등록일")]:
        cell.append(make('<button type="button" class="btn_copy">복사</button>'))


def add_hidden_inputs(page: SavedPage, rng: random.Random) -> None:
    """Put hidden form fields into the first cell of each row."""
    for number, cell in enumerate(page.columns[0]):
        cell.append(make(f'<input type="hidden" name="seq" value="{number + 1}">'))


def use_old_attributes(page: SavedPage, rng: random.Random) -> None:
    """Format table, rows and cells with attributes of HTML 3.2."""
    for name, value in (("border", "1"), ("cellpadding", "0"), ("width", "100%")):
        page.table.set(name, value)
    for number, row in enumerate(page.rows):
        row.set("bgcolor", "#ffffff" if number % 2 else "#f4f4f4")
    for cell in page.cells:
        cell.set("align", "center")
        cell.set("nowrap", "nowrap")


def make_rows_clickable(page: SavedPage, rng: random.Random) -> None:
    """Make each row open a window."""
    for number, row in enumerate(page.rows):
        row.set("onclick", f"fn_view('{number}'); return false;")
        row.set("data-href", f"/pbp/view?no={number}")
        row.set("tabindex", "0")
        row.set("style", "cursor:pointer")


def add_second_link(page: SavedPage, rng: random.Random) -> None:
    """Put a link that shows a preview behind each title."""
    for cell in page.columns[find_column(page, "제목")]:
        cell.append(make('<a href="#none"><img src="/img/eye.png" alt="미리보기"></a>'))


def link_by_script(page: SavedPage, rng: random.Random) -> None:
    """Let a script open the posts; their numbers stand in its call."""
    for link in page.table.iter("a"):
        number = (link.get("href") or "").partition("?")[0].rpartition("/")[2]
        link.set("href", "#none")
        link.set("onclick", f"fn_view('{number}'); return false;")


def link_otherwise(page: SavedPage, rng: random.Random) -> None:
    """Name the posts in a parameter of their addresses."""
    for link in page.table.iter("a"):
        number = (link.get("href") or "").partition("?")[0].rpartition("/")[2]
        link.set("href", f"/bbs/view.do?boardNo=21&postNo={number}")


KINDS = (
    Kind("values_in_div", "cells", "Each value stands in a div.",
         "same", on_tree(partial(wrap_values, box="<div></div>"))),
    Kind("values_in_paragraph", "cells", "Each value stands in a p.",
         "same", on_tree(partial(wrap_values, box="<p></p>"))),
    Kind("values_in_link", "cells", "Each value is a link that opens a window.",
         "same", on_tree(partial(wrap_values, box='<a href="#none" onclick="fn_view()"></a>'))),
    Kind("values_in_font", "cells", "Each value stands in font and b.",
         "same", on_tree(partial(wrap_values, box="<font color='navy'><b></b></font>"))),
    Kind("values_in_spans", "cells", "Each value stands in a span in a span in a div.",
         "same", on_tree(partial(wrap_values, box="<div><span><span></span></span></div>"))),
    Kind("cells_in_div", "cells", "Label and value of each cell stand in a div.",
         "same", on_tree(partial(wrap_all, box='<div class="cell-inner"></div>'))),
    Kind("cells_with_tooltips", "cells", "Each cell has its text as title and aria-label.",
         "same", on_tree(add_tooltips)),
    Kind("cells_with_button", "cells", "A button that copies stands behind the values of a column.",
         "same", on_tree(add_copy_button)),
    Kind("cells_with_hidden_inputs", "cells", "Each row has hidden form fields.",
         "same", on_tree(add_hidden_inputs)),
    Kind("link_beside_title", "cells", "A second link stands behind each title.",
         "same", on_tree(add_second_link), NOTICES),
    Kind("links_by_script", "cells", "Posts are opened by a script.",
         "refuse_ok", on_tree(link_by_script), NOTICES),
    Kind("links_otherwise", "cells", "The addresses of posts have another form.",
         "refuse_ok", on_tree(link_otherwise), NOTICES),
    Kind("attributes_of_old", "cells", "Attributes of HTML 3.2 format table, rows and cells.",
         "same", on_tree(use_old_attributes)),
    Kind("rows_clickable", "cells", "Each row opens a window.",
         "same", on_tree(make_rows_clickable)),
)  # fmt: skip
