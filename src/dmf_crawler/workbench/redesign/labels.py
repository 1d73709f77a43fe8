"""The label that stands in each cell: another element, another place, another text, gone."""

from __future__ import annotations

import random
from functools import partial

from lxml.etree import _Element as Element

from dmf_crawler.workbench.redesign.kind import REGISTER, Kind, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    detach,
    make,
    quote,
    strip_text,
    text_of,
    wrap_content,
)


def change_tag(page: SavedPage, rng: random.Random, *, tag: str) -> None:
    """Write the labels as other elements, class kept."""
    for _, label in page.labelled():
        label.tag = tag


def change_wholly(page: SavedPage, rng: random.Random, *, tag: str, css_class: str) -> None:
    """Write the labels as other elements of another class."""
    for _, label in page.labelled():
        label.tag = tag
        label.set("class", css_class)


def add_colon(page: SavedPage, rng: random.Random) -> None:
    """Write a colon behind the text of each label."""
    for _, label in page.labelled():
        label.text = f"{text_of(label)} : "


def drop_all(page: SavedPage, rng: random.Random) -> None:
    """Leave the labels out."""
    for _, label in list(page.labelled()):
        detach(label)


def drop_of_empty(page: SavedPage, rng: random.Random) -> None:
    """Leave out the labels of empty cells."""
    for cell, label in list(page.labelled()):
        if not strip_text(cell):
            detach(label)


def move_behind(page: SavedPage, rng: random.Random) -> None:
    """Write the labels behind the values."""
    for cell, label in list(page.labelled()):
        detach(label)
        cell.append(label)


def into_attribute(page: SavedPage, rng: random.Random) -> None:
    """Write the labels as attributes, for style sheets to show."""
    for cell, label in list(page.labelled()):
        cell.set("data-label", text_of(label))
        detach(label)


def into_definitions(page: SavedPage, rng: random.Random) -> None:
    """Write label and value of each cell as a list of definitions."""
    for cell, label in list(page.labelled()):
        value = wrap_content(cell, make("<dd></dd>"), after=label)
        label.tag = "dt"
        terms = make("<dl></dl>")
        terms.extend([label, value])
        cell.append(terms)


def hide(page: SavedPage, rng: random.Random) -> None:
    """Hide the labels with a style of their own."""
    for _, label in page.labelled():
        label.set("style", "display:none")


def add_number_label(page: SavedPage, rng: random.Random) -> None:
    """Give the running numbers a label, too."""
    header = page.headers[0]
    for cell in page.columns[0]:
        label = make(f'<span class="s-th">{header}</span>')
        label.tail, cell.text = cell.text, None
        cell.insert(0, label)


def double(page: SavedPage, rng: random.Random) -> None:
    """Write each label twice, for wide and for narrow screens."""
    for _, label in list(page.labelled()):
        second = make(f'<span class="s-th m-only">{quote(text_of(label))}</span>')
        second.tail, label.tail = label.tail, None
        label.addnext(second)


def shorten(page: SavedPage, rng: random.Random) -> None:
    """Write shorter labels; the headers stay."""
    short = {
        "취소/취하구분": "구분",
        "취소/취하일자": "취하일",
        "최종변경일자": "변경",
        "등록일": "일자",
    }
    for _, label in page.labelled():
        label.text = short.get(text_of(label), label.text)


def into_text(page: SavedPage, rng: random.Random) -> None:
    """Write the labels as plain text in front of the values."""
    for _, label in list(page.labelled()):
        label.tail = f"{text_of(label)}: {label.tail or ''}"
        detach(label)


def shift(page: SavedPage, rng: random.Random) -> None:
    """Give each cell the label of the column beside it."""
    labels: list[Element] = [label for _, label in page.labelled()]
    texts = [text_of(label) for label in labels]
    n_columns = len(page.headers) - 1
    for start in range(0, len(labels), n_columns):
        row = texts[start : start + n_columns]
        for label, text in zip(labels[start:], (*row[1:], row[0]), strict=False):
            label.text = text


KINDS = (
    *(
        Kind(f"label_as_{tag}", "labels", f"The labels are {tag} elements of the same class.",
             "same", on_tree(partial(change_tag, tag=tag)))
        for tag in ("em", "strong", "div")
    ),
    Kind("label_as_bold", "labels", "The labels are b elements of another class.",
         "same", on_tree(partial(change_wholly, tag="b", css_class="tit"))),
    Kind("label_as_paragraph", "labels", "The labels are p elements of another class.",
         "same", on_tree(partial(change_wholly, tag="p", css_class="m-tit"))),
    Kind("label_with_colon", "labels", "A colon follows the text of each label.",
         "same", on_tree(add_colon)),
    Kind("labels_removed", "labels", "There are no labels.", "same", on_tree(drop_all)),
    Kind("labels_of_empty_removed", "labels", "Empty cells have no label.",
         "same", on_tree(drop_of_empty), REGISTER),
    Kind("labels_behind", "labels", "The labels stand behind the values.",
         "same", on_tree(move_behind)),
    Kind("labels_as_attribute", "labels", "The labels are data-label attributes of the cells.",
         "same", on_tree(into_attribute)),
    Kind("labels_as_definitions", "labels", "Label and value are dt and dd in each cell.",
         "same", on_tree(into_definitions)),
    Kind("labels_hidden", "labels", "The labels are hidden.", "same", on_tree(hide)),
    Kind("label_of_number", "labels", "The running numbers have a label, too.",
         "same", on_tree(add_number_label)),
    Kind("labels_doubled", "labels", "Each label stands twice.", "same", on_tree(double)),
    Kind("labels_shortened", "labels", "The labels are shorter than the headers.",
         "same", on_tree(shorten)),
    Kind("labels_as_text", "labels",
         "The labels are plain text in front of the values; only their words tell them apart.",
         "refuse_ok", on_tree(into_text)),
    Kind("labels_shifted", "labels", "Each cell has the label of the column beside it.",
         "refuse_ok", on_tree(shift)),
)  # fmt: skip
