"""Rows of the list as HTML, each rendered once (README, items 2 and 3)."""

from __future__ import annotations

import html
import re
from operator import attrgetter

from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow
from dmf_crawler.workbench.rehearsal.switches import Switches

_LONG = 40  # characters; longer values carry a title attribute
_marks_of = attrgetter(
    "label_in_number",
    "value_in_span",
    "empty_mark",
    "nested_tbody",
    "truncates_long_values",
    "columns",
    "label_class",
    "nested",
    "mobile_rows",
)


class RowRenderer:
    """Renders rows for one set of markup switches and remembers them.

    A row object is rendered once in its life: a list of 12,000 rows of which five change costs
    five renderings the next day. The cache holds the rows too, so that an `id` stays theirs.

    Args:
        switches: Only the markup switches count.
    """

    def __init__(self, switches: Switches) -> None:
        self._switches = switches
        self._marks = _marks_of(switches)
        self._columns = _list_columns(switches)
        self._rendered: dict[int, tuple[ListRow, str]] = {}

    def suits(self, switches: Switches) -> bool:
        """Return whether rows would look the same under other switches."""
        return bool(_marks_of(switches) == self._marks)

    def render_row(self, row: ListRow, number: int) -> str:
        """Return the `tr` of a row, and its hidden twin where there is one.

        Args:
            row: What to show.
            number: 순번.
        """
        known = self._rendered.get(id(row))
        if known is None:
            known = self._rendered[id(row)] = (row, self._render_cells(row))
        cells = f"<td>{self._label_number()}{number}</td>{known[1]}"
        if not self._switches.mobile_rows:
            return f"<tr>{cells}</tr>\n"
        hidden = f'<tr class="mobile-tr" style="display:none">{cells}</tr>\n'
        return f'<tr class="pc-tr">{cells}</tr>\n{hidden}'

    def render_headers(self) -> str:
        """Return the header row."""
        texts = ["순번", *(header for header, _, _ in self._columns)]
        return "<tr>" + "".join(f'<th scope="col">{text}</th>' for text in texts) + "</tr>"

    def _label_number(self) -> str:
        return self._label("순번") if self._switches.label_in_number else ""

    def _label(self, text: str) -> str:
        return f'<span class="{self._switches.label_class}">{text}</span>'

    def _render_cells(self, row: ListRow) -> str:
        cells = [
            f"{_OLD_COLUMN if field == 'document_no' else ''}"
            f"<td>{self._label(label)}{self._render_value(row, field)}</td>"
            for _, label, field in self._columns
        ]
        return "".join(cells)

    def _render_value(self, row: ListRow, field: str) -> str:
        value = getattr(row, field) if field else ""
        if isinstance(value, str):
            return self._wrap(self._render_text(value)) if value else self._render_empty()
        if self._switches.nested == "text":
            text = "<br>".join(html.escape(one, quote=False) for one in value)
            return self._wrap(text) if value else self._render_empty()
        lines = "".join(f"<tr>{self._render_site(one)}</tr>" for one in value)
        if self._switches.nested_tbody:
            lines = f"<tbody>{lines}</tbody>"
        return f"<table>{lines}</table>"

    def _render_site(self, value: str) -> str:
        title = f' title="{html.escape(value)}"' if len(value) > _LONG else ""
        return f"<td{title}>{html.escape(self._shorten(value), quote=False)}</td>"

    def _render_text(self, value: str) -> str:
        shown = self._shorten(value)
        text = html.escape(shown, quote=False)
        return text if shown == value else f'<span title="{html.escape(value)}">{text}</span>'

    def _render_empty(self) -> str:
        mark = self._switches.empty_mark
        return self._wrap(mark) if mark else ""

    def _wrap(self, text: str) -> str:
        return f"<span>{text}</span>" if self._switches.value_in_span else text

    def _shorten(self, value: str) -> str:
        if self._switches.truncates_long_values and len(value) > _LONG:
            return value[: _LONG - 1] + "…"
        return value


_OLD_COLUMN = '<!-- <td><span class="s-th">제조번호</span></td> -->'


def turn_into_grid(markup: str) -> str:
    """Return a table's markup with a div in place of every table element."""
    return re.sub(r"<(/?)(?:table|thead|tbody|tr|th|td)\b", r"<\1div", markup)


def _list_columns(switches: Switches) -> list[tuple[str, str, str]]:
    """Return header, label and field of each column but 순번; an added column has field ""."""
    columns = [(header, header, field) for field, header in COLUMNS]
    ingredient, company = columns[2], columns[3]
    match switches.columns:
        case "added":
            columns.insert(4, ("비고", "비고", ""))
        case "renamed":
            columns[3] = ("업체명", "업체명", "company")
        case "reordered":
            columns[2:4] = [company, ingredient]
        case "removed":
            del columns[10]
        case "moved_cells":
            columns[2:4] = [(ingredient[0], *company[1:]), (company[0], *ingredient[1:])]
    return columns
