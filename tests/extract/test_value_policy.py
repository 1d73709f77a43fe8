"""White space and placeholders of a field mean the same in every source: they are its value's."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any

import pytest

from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.detail import DetailPage
from dmf_crawler.model.record import PageTable, Value
from tests.extract.notices import html_detail, notice_mapping, notice_selectors, raw_detail
from tests.extract.pages import (
    list_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)
from tests.extract.workbooks import HEADER, a_workbook, list_row

Read = Callable[..., tuple[Value, str | None]]
"""Reads one text as the field of a source, the field's keys as given: value, and how it was shown.

`nested` makes it a field of several values, the text being the only one.
"""


def _mapping(field: str, changes: dict[str, object], of_file: list[str]) -> dict[str, Any]:
    mapping = selectors_mapping() | {"placeholders": of_file}
    mapping["fields"][field] |= changes
    return mapping


def _field(changes: dict[str, object]) -> str:
    return "maker_addresses" if changes.get("nested") else "company"


def _told(table: object, field: str) -> tuple[Value, str | None]:
    assert isinstance(table, PageTable), table
    (row,) = table.rows
    return row.fields[field], row.shown.get(field)


def _from_list(text: str, of_file: list[str], **changes: object) -> tuple[Value, str | None]:
    field = _field(changes)
    value: Value = (text,) if changes.get("nested") else text
    page = list_page([some_fields() | {field: value}])
    return _told(read_page(page, some_selectors(**_mapping(field, changes, of_file))), field)


def _from_workbook(text: str, of_file: list[str], **changes: object) -> tuple[Value, str | None]:
    field = _field(changes)
    value: Value = (text,) if changes.get("nested") else text
    page = raw_page(a_workbook([HEADER, list_row(1, some_fields() | {field: value})]))
    selectors = some_selectors(**_mapping(field, changes, of_file))
    return _told(read_workbook(page, selectors, most_rows=10), field)


def _from_api(text: str, of_file: list[str], **changes: object) -> tuple[Value, str | None]:
    field = _field(changes)
    mapping = _mapping(field, changes, of_file)
    values = some_fields() | {field: text}
    item = {
        each["api_name"]: values[name]
        for name, each in mapping["fields"].items()
        if each.get("api_name") and isinstance(values[name], str)
    }
    body = {"pageNo": 1, "numOfRows": 10, "totalCount": 1, "items": [item]}
    answer = json.dumps({"header": {"resultCode": "00"}, "body": body}, ensure_ascii=False)
    return _told(read_api_page(raw_page(answer, content_type=""), some_selectors(**mapping)), field)


def _from_detail(text: str, of_file: list[str], **changes: object) -> tuple[Value, str | None]:
    return _read_detail(f"<b class=a>{escape(text)}</b>", of_file, **changes), None


def _read_detail(html: str, of_file: list[str], **changes: object) -> Value:
    field = {"strategy": "css", "selector": "b.a", **changes}
    details = notice_mapping()["details"] | {"fields": {"author": field}}
    selectors = notice_selectors(details=details, placeholders=of_file)
    page = read_detail(raw_detail(html_detail(f"글{html}")), selectors)
    assert isinstance(page, DetailPage), page
    return page.fields["author"]


SOURCES = pytest.mark.parametrize(
    "read",
    [
        pytest.param(_from_list, id="list"),
        pytest.param(_from_workbook, id="workbook"),
        pytest.param(_from_api, id="open api"),
        pytest.param(_from_detail, id="detail page"),
    ],
)


@SOURCES
@pytest.mark.parametrize("nested", ["", "list", "join", "first"])
@pytest.mark.parametrize(
    ("white_space", "value"),
    [
        ("keep", "한 국\n  화이자 \t제약"),
        ("lines", "한 국\n화이자 제약"),
        ("collapse", "한 국 화이자 제약"),
    ],
)
def test_white_space_is_as_the_field_says(read: Read, nested, white_space, value):
    text = " 한 국\n  화이자 \t제약 "
    if read is _from_detail and nested:  # the lines of such a cell are values
        text, value = text.replace("\n", ""), value.replace("\n", " " * (white_space != "keep"))

    found, shown = read(text, ["-"], nested=nested, white_space=white_space)

    assert found == ((value,) if nested == "list" else value)
    assert shown == (None if read is _from_detail else text)


@SOURCES
@pytest.mark.parametrize(("nested", "empty"), [("", ""), ("list", ()), ("join", ""), ("first", "")])
def test_placeholders_of_the_file_and_of_the_field_are_empty_values(read: Read, nested, empty):
    keys = {"nested": nested, "placeholders": ["해당없음", "N/A"]}

    for text in ("-", "미정", "해당없음", " N/A\n"):
        found, shown = read(text, ["-", "미정"], **keys)
        assert (found, text if read is _from_detail else shown) == (empty, text)
    for text in ("- -", "해당", "n/a"):
        whole = (text,) if nested == "list" else text
        assert read(text, ["-", "미정"], **keys) == (whole, None)


@SOURCES
def test_what_is_no_placeholder_in_the_file_is_a_value(read: Read):
    assert read("-", ["미정"], nested="") == ("-", None)
    assert read("해당없음", ["-"], nested="", placeholders=["미정"]) == ("해당없음", None)


@SOURCES
def test_a_placeholder_is_compared_before_its_white_space_is_changed(read: Read):
    keys = {"nested": "", "white_space": "collapse"}

    assert read("해당  없음", ["-"], placeholders=["해당 없음"], **keys)[0] == "해당 없음"
    assert read("해당  없음", ["-"], placeholders=["해당  없음"], **keys)[0] == ""


def test_of_several_values_each_may_be_a_placeholder():
    makers: Value = ("해당없음", "가  나")
    keys: dict[str, object] = {"white_space": "collapse", "placeholders": ["해당없음"]}
    selectors = some_selectors(**_mapping("maker_names", keys, []))
    row = some_fields(maker_names=makers)
    book = raw_page(a_workbook([HEADER, list_row(1, row)]))
    html = "<b class=a>해당없음<br>가  나</b>"

    expected = (("", "가 나"), "해당없음\x1f가  나")
    assert _told(read_page(list_page([row]), selectors), "maker_names") == expected
    assert _told(read_workbook(book, selectors, most_rows=10), "maker_names") == expected
    assert _read_detail(html, [], nested="list", **keys) == ("", "가 나")
    assert _read_detail(html, [], nested="join", **keys) == "가 나"


@pytest.mark.parametrize(
    ("strategy", "html"),
    [
        ({"strategy": "attr", "selector": "b.a", "attr": "title"}, "<b class=a title='{}'>x</b>"),
        ({"strategy": "between", "left": "<u>", "right": "</u>"}, "<u>{}</u>"),
        ({"strategy": "json_ld", "path": "author"},
         '<script type="application/ld+json">{{"author": "{}"}}</script>'),
    ],
    ids=["attr", "between", "json_ld"],
)  # fmt: skip
@pytest.mark.parametrize("nested", ["", "list"])
def test_what_stands_in_no_element_of_a_detail_page_is_treated_alike(strategy, html, nested):
    keys = {**strategy, "selector": strategy.get("selector", ""), "nested": nested}
    keys |= {"white_space": "collapse", "placeholders": ["해당없음"]}

    value, empty = (("가 나",), ()) if nested else ("가 나", "")
    assert _read_detail(html.format(" 가   나 "), ["-"], **keys) == value
    assert _read_detail(html.format("해당없음"), ["-"], **keys) == empty
    assert _read_detail(html.format("-"), ["-"], **keys) == empty
