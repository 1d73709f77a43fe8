"""The same characters in other spellings: references, charsets, padding that nobody sees."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from html.entities import codepoint2name, html5

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import Kind, Redesign, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
)
from dmf_crawler.workbench.redesign.source import change_texts

_CHARACTER = re.compile(r"&[#\w]+;|.", re.DOTALL)


def pad(before: str, after: str) -> Redesign:
    """Return the redesign that pads the text of each cell, the empty ones' too."""

    def change(page: SavedPage, rng: random.Random) -> None:
        for cell in page.cells:
            label = page.label_of(cell)
            inner = list(cell.iter("td"))[1:]
            for one in inner:
                one.text = f"{before}{one.text or ''}{after}"
            if not inner:
                pad_value(cell, label)

    def pad_value(cell: Element, label: Element | None) -> None:
        if label is None:
            cell.text = before + (cell.text or "")
        else:
            label.tail = before + (label.tail or "")
        if len(cell):
            cell[-1].tail = (cell[-1].tail or "") + after
        else:
            cell.text = (cell.text or "") + after

    return on_tree(change)


def refer(write: Callable[[str], str]) -> Redesign:
    """Return the redesign that writes characters as references.

    Args:
        write: A character → what stands in the source for it.
    """

    def redesign(html: str, rng: random.Random) -> str:
        return change_texts(html, lambda text: _CHARACTER.sub(refer_one, text))

    def refer_one(match: re.Match[str]) -> str:
        return match[0] if len(match[0]) > 1 else write(match[0])

    return redesign


def refer_unended(html: str, rng: random.Random) -> str:
    """Write Hangul as decimal references without semicolons, where no digit follows."""
    return change_texts(
        html, lambda text: re.sub(r"([가-힣])(?![0-9;])", lambda m: f"&#{ord(m[1])}", text)
    )


def _decimal(char: str) -> str:
    return char if char.isascii() else f"&#{ord(char)};"


def _hexadecimal(char: str) -> str:
    return char if char.isascii() else f"&#x{ord(char):X};"


def _named(char: str) -> str:
    name = codepoint2name.get(ord(char))
    return f"&{name};" if name and not char.isascii() else _middle_as_decimal(char)


def _middle_as_decimal(char: str) -> str:
    return f"&#{ord(char)};" if char in "()-·" else char


_HTML5_NAMES = {char: f"&{name}" for name, char in html5.items() if name in {
    "lpar;", "rpar;", "comma;", "period;", "colon;", "sol;"}}  # fmt: skip


def _named_as_html5(char: str) -> str:
    return _HTML5_NAMES.get(char, char)


def become_euc_kr(html: str, rng: random.Random) -> str:
    """Declare EUC-KR, and write what CP949 does not have as references."""
    html = html.replace('<meta charset="utf-8">', '<meta charset="euc-kr">', 1)
    return html.encode("cp949", "xmlcharrefreplace").decode("cp949")


def declare_in_http_equiv(html: str, rng: random.Random) -> str:
    """Declare EUC-KR as HTML 4 does."""
    meta = '<META http-equiv="Content-Type" content="text/html; charset=ks_c_5601-1987">'
    html = html.replace('<meta charset="utf-8">', meta, 1)
    return html.encode("cp949", "xmlcharrefreplace").decode("cp949")


def declare_nothing(html: str, rng: random.Random) -> str:
    """Declare no charset."""
    return html.replace('<meta charset="utf-8">', "", 1)


def add_bom(html: str, rng: random.Random) -> str:
    """Begin with a byte order mark."""
    return f"\ufeff{html}"


_HTML = "text/html"


KINDS = (
    Kind("nbsp_around_values", "characters", "No-break spaces stand around the values.",
         "same", pad("\u00a0", "\u00a0\u00a0")),
    Kind("zero_width_around_values", "characters", "Zero-width spaces stand around the values.",
         "same", pad("\u200b", "\u200b\ufeff")),
    Kind("references_decimal", "characters", "Hangul is written as decimal references.",
         "same", refer(_decimal)),
    Kind("references_hexadecimal", "characters", "Hangul is written as hexadecimal references.",
         "same", refer(_hexadecimal)),
    Kind("references_named", "characters", "What has a name is written as an entity.",
         "same", refer(_named)),
    Kind("references_of_html5", "characters", "Punctuation is written as entities of HTML 5.",
         "same", refer(_named_as_html5)),
    Kind("references_unended", "characters", "Decimal references have no semicolons.",
         "same", refer_unended),
    Kind("charset_euc_kr", "characters", "The page is sent in EUC-KR, and says so.",
         "same", become_euc_kr, charset="cp949", content_type=f"{_HTML};charset=EUC-KR"),
    Kind("charset_in_http_equiv", "characters", "The page is sent in CP949, and says so in a meta.",
         "same", declare_in_http_equiv, charset="cp949", content_type=_HTML),
    Kind("charset_undeclared", "characters", "The page is sent in UTF-8 and does not say so.",
         "same", declare_nothing, content_type=_HTML),
    Kind("byte_order_mark", "characters", "The page begins with a byte order mark.",
         "same", add_bom),
)  # fmt: skip
