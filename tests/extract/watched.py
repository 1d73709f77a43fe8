"""Builders for pages that are watched as a whole."""

from typing import Any

import msgspec
import yaml

from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.watched_page import PageSelectors, compile_page, read_watched_page
from dmf_crawler.model.run import Fault
from dmf_crawler.model.watched_page import PageReading
from tests.extract.pages import SELECTORS_PATH, raw_page

TERMS_PATH = SELECTORS_PATH.with_name("nedrug_terms.yaml")
USUAL = {
    "board_id": "terms",
    "schema_version": 1,
    "verified_at": "2026-12-01",
    "region": "#content",
}


def terms_mapping() -> dict[str, Any]:
    """The shipped selectors file of the terms board as plain values."""
    mapping: dict[str, Any] = yaml.safe_load(TERMS_PATH.read_text(encoding="utf-8"))
    return mapping


def a_page_file(**changes: object) -> PageFile:
    return msgspec.convert(USUAL | changes, PageFile)


def page_selectors(**changes: object) -> PageSelectors:
    return compile_page(a_page_file(**changes))


def html_terms(content: str, *, around: str = "") -> str:
    return (
        '<!DOCTYPE html><html lang="ko"><head><meta charset="utf-8"><title>약관</title></head>'
        f'<body>{around}<div id="content">{content}</div></body></html>'
    )


def read_page(html: str | bytes, **changes: object) -> PageReading | Fault:
    return read_watched_page(raw_page(html), page_selectors(**changes))


def read_terms(content: str, **changes: object) -> PageReading:
    """Read a page whose region holds that content."""
    reading = read_page(html_terms(content), **changes)
    assert isinstance(reading, PageReading), reading
    return reading


def refuse(html: str | bytes, **changes: object) -> Fault:
    fault = read_page(html, **changes)
    assert isinstance(fault, Fault), fault
    assert fault.message.endswith("주십시오.")
    fault.message.encode("cp949")
    assert len(fault.message) < 700
    return fault
