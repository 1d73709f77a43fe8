"""Classes and ids changed, hashed, removed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from dmf_crawler.workbench.redesign.kind import NOTICES, Kind, on_tree
from dmf_crawler.workbench.redesign.page import SavedPage

_PINNED = "notice"
"""Class of pinned rows, which other selectors than those of the list depend on: a kind apart."""


def _change_classes(page: SavedPage, change: Callable[[str], str]) -> None:
    for element in page.document.iter():
        css_class = element.get("class")
        if css_class and css_class != _PINNED:
            element.set("class", " ".join(map(change, css_class.split())))


def hash_classes(page: SavedPage, rng: random.Random) -> None:
    """Give every class the hash that a build of CSS modules gives it."""
    hashes: dict[str, str] = {}

    def change(name: str) -> str:
        stem = re.sub(r"\W", "_", name)
        return hashes.setdefault(name, f"{stem}__{rng.getrandbits(30):06x}")

    _change_classes(page, change)


def replace_classes(page: SavedPage, rng: random.Random) -> None:
    """Give every class a name that says nothing."""
    names: dict[str, str] = {}
    _change_classes(page, lambda name: names.setdefault(name, f"css-{rng.getrandbits(24):06x}"))


def drop_classes(page: SavedPage, rng: random.Random) -> None:
    """Take every class away."""
    for element in page.document.iter():
        if element.get("class") not in {None, _PINNED}:
            del element.attrib["class"]


def change_table_class(page: SavedPage, rng: random.Random) -> None:
    """Give the list's table other classes."""
    page.table.set("class", "table table-hover tbl_col")


def add_classes(page: SavedPage, rng: random.Random) -> None:
    """Add classes of a framework to all that has one, and to every cell."""
    _change_classes(page, lambda name: f"{name} d-block text-break")
    for cell in page.cells:
        cell.set("class", "text-center align-middle")


def change_label_class(page: SavedPage, rng: random.Random) -> None:
    """Give the labels another class."""
    for _, label in page.labelled():
        label.set("class", "tbl-label")


def change_pinned_class(page: SavedPage, rng: random.Random) -> None:
    """Give the pinned rows another class."""
    for row in page.rows:
        if row.get("class") == _PINNED:
            row.set("class", "top_fix")


def add_ids(page: SavedPage, rng: random.Random) -> None:
    """Give table, rows and cells ids, as scripts that resize columns do."""
    page.table.set("id", "JColResizer0")
    for number, row in enumerate(page.rows):
        row.set("id", f"row_{number}_{rng.getrandbits(16)}")
        for index, cell in enumerate(row.iterchildren("td")):
            cell.set("id", f"cell_{number}_{index}")


KINDS = (
    Kind("classes_hashed", "classes", "Every class bears the hash of a build.",
         "same", on_tree(hash_classes)),
    Kind("classes_replaced", "classes", "Every class has another name.",
         "same", on_tree(replace_classes)),
    Kind("classes_removed", "classes", "There are no classes.", "same", on_tree(drop_classes)),
    Kind("classes_added", "classes", "Every class has further ones beside it.",
         "same", on_tree(add_classes)),
    Kind("table_class_changed", "classes", "The table has another class.",
         "same", on_tree(change_table_class)),
    Kind("label_class_changed", "classes", "The labels have another class.",
         "same", on_tree(change_label_class)),
    Kind("ids_added", "classes", "Table, rows and cells have ids.", "same", on_tree(add_ids)),
    Kind("pinned_class_changed", "classes",
         "Pinned rows have another class; only 공지 in place of a number tells them apart.",
         "refuse_ok", on_tree(change_pinned_class), NOTICES),
)  # fmt: skip
