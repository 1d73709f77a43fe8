"""One kind of redesign: its name, what a person would say of it, and the function that does it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dmf_crawler.workbench.redesign.page import SavedPage, read_saved, write_saved

Redesign = Callable[[str, random.Random], str]
"""A saved list page and a source of chance → the page after the redesign."""

TreeChange = Callable[[SavedPage, random.Random], None]

Board = Literal["dmf_registry", "mfds_notice"]

Acceptable = Literal["same", "refuse_ok"]
"""`same`: a person would say that the data are all there and unambiguous, so the same records are
wanted. `refuse_ok`: they are gone, or not to be told apart, so a refusal is the right answer."""

BOTH: tuple[Board, ...] = ("dmf_registry", "mfds_notice")
REGISTER: tuple[Board, ...] = ("dmf_registry",)
NOTICES: tuple[Board, ...] = ("mfds_notice",)

_UTF_8 = "text/html;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of redesign.

    Attributes:
        name: Stable, English.
        group: What of the page it is about.
        sentence: What the site did.
        acceptable: As in `Acceptable`.
        redesign: Does it; the same page and seed give the same result.
        boards: On whose list pages it makes sense.
        charset: In which the page is sent.
        content_type: With which header.
    """

    name: str
    group: str
    sentence: str
    acceptable: Acceptable
    redesign: Redesign
    boards: tuple[Board, ...] = BOTH
    charset: str = "utf-8"
    content_type: str = _UTF_8


def on_tree(change: TreeChange) -> Redesign:
    """Return the redesign that a change of a page's tree is."""

    def redesign(html: str, rng: random.Random) -> str:
        page = read_saved(html)
        change(page, rng)
        return write_saved(page)

    return redesign
