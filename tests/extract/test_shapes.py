"""Tables and bytes as they come: a page of each shape, beside what a person reads there.

`<name>.expected.json` holds the records of a page that must be read, `<name>.refused.json` code and
words of the fault of one that must not. Either may name the received `content_type` and replace
keys of the selectors file (`selectors`). `other_tables` says why the tables that are not the list
lost, where there are any.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from dmf_crawler.extract.hits import Hits, count_page_hits
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault
from tests.extract.pages import LABELS, PAGES, raw_page, some_selectors

SHAPES = PAGES / "shapes"
READ = sorted(SHAPES.glob("*.expected.json"))
REFUSED = sorted(SHAPES.glob("*.refused.json"))
SELECTORS = some_selectors()


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def _open(path: Path) -> tuple[RawPage, Selectors, Any]:
    """The page beside an expectation, what it is to be read with, and the expectation."""
    expected = json.loads(path.read_text(encoding="utf-8"))
    body = path.with_name(f"{_name(path)}.html").read_bytes()
    changes = expected.get("selectors")
    selectors = some_selectors(**changes) if changes else SELECTORS
    page = raw_page(body, content_type=expected.get("content_type", "text/html"))
    return page, selectors, expected


def _read(path: Path) -> tuple[PageTable | Fault, Any]:
    page, selectors, expected = _open(path)
    return read_page(page, selectors), expected


@pytest.mark.parametrize("path", READ, ids=_name)
def test_a_page_is_read_as_a_person_reads_it(path):
    table, expected = _read(path)
    assert isinstance(table, PageTable), table
    rows = [{"row_no": row.row_no, "fields": dict(row.fields)} for row in table.rows]
    assert json.loads(json.dumps(rows)) == expected["rows"]
    assert table.announced_total == expected["announced_total"]
    assert all(list(row["fields"]) == list(LABELS) for row in expected["rows"])
    assert len(rows) >= 3


@pytest.mark.parametrize("path", [*READ, *sorted(PAGES.glob("*.expected.json"))], ids=_name)
def test_each_other_table_of_a_page_has_its_reason(path):
    page, selectors, expected = _open(path)
    hits = count_page_hits(page, selectors)
    assert isinstance(hits, Hits), hits
    assert list(hits.losers) == expected.get("other_tables", [])


def test_some_pages_have_other_tables():
    pages = [*READ, *PAGES.glob("*.expected.json")]
    with_others = [path for path in pages if "other_tables" in path.read_text(encoding="utf-8")]
    assert len(with_others) >= 3


@pytest.mark.parametrize("path", REFUSED, ids=_name)
def test_a_page_is_refused_with_its_reason(path):
    fault, expected = _read(path)
    assert isinstance(fault, Fault), [row.fields for row in fault.rows]
    assert fault.code == expected["code"], fault.message
    assert expected["says"]
    assert [word for word in expected["says"] if word not in fault.message] == [], fault.message


def test_every_page_has_one_expectation_and_the_reverse():
    assert sorted(map(_name, [*READ, *REFUSED])) == sorted(map(_name, SHAPES.glob("*.html")))
    assert len(READ) >= 50
    assert len(REFUSED) >= 25
    assert len(list(SHAPES.iterdir())) == 2 * (len(READ) + len(REFUSED))
