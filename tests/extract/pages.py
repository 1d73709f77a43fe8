"""Builders for the pages of a list, written as the site writes them, and for their tables."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import msgspec
import yaml

from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.extract.table_guard import GuardedTable
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import PageRow, PageTable, Value

SELECTORS_PATH = Path(__file__).parents[2] / "selectors" / "dmf_registry.yaml"
PAGES = Path(__file__).parents[1] / "data" / "pages"
URL = "http://127.0.0.1:8000/pbp/CCBAC03/getList?page=1&limit=100"

LABELS = {
    "target": "대상의약품",
    "reg_no": "등록번호",
    "ingredient_name": "성분명",
    "company": "신청인",
    "maker_names": "제조소명",
    "maker_addresses": "제조소소재지",
    "maker_countries": "제조국가",
    "registered_on": "최초등록일자",
    "changed_on": "최종변경일자",
    "report_year": "최종연차보고년도",
    "status": "취소/취하구분",
    "withdrawn_on": "취소/취하일자",
    "document_no": "문서번호",
    "linked_document_no": "연계심사문서번호",
}


def selectors_mapping() -> dict[str, Any]:
    """The shipped selectors file as plain values, free to be changed."""
    mapping: dict[str, Any] = yaml.safe_load(SELECTORS_PATH.read_text(encoding="utf-8"))
    return mapping


def a_selectors_file(**changes: object) -> SelectorsFile:
    return msgspec.convert(selectors_mapping() | changes, SelectorsFile)


def some_selectors(**changes: object) -> Selectors:
    return compile_selectors(a_selectors_file(**changes))


def some_fields(number: int = 1, **changes: Value) -> dict[str, Value]:
    """A valid record: every column but the two document numbers and the withdrawal filled."""
    fields: dict[str, Value] = {
        "target": "별표1",
        "reg_no": f"20260922-211-J-{number}",
        "ingredient_name": f"성분{number}",
        "company": "한국화이자제약(주)",
        "maker_names": ("Lonza AG", "Pfizer Ireland Pharmaceuticals"),
        "maker_addresses": ("Lonzastrasse, CH-3930 Visp", "Little Connell, Newbridge"),
        "maker_countries": ("스위스", "아일랜드"),
        "registered_on": "2026-09-22",
        "changed_on": "2026-10-01",
        "report_year": "2026",
        "status": "정상",
        "withdrawn_on": "",
        "document_no": f"v0.{number}.0/2026",
        "linked_document_no": "",
    }
    return fields | changes


@dataclass(frozen=True)
class Markup:
    """How a page is written; the defaults are what the real site most likely does."""

    columns: Sequence[str] = tuple(LABELS)
    headers: Mapping[str, str] = field(default_factory=dict)
    extra_headers: Sequence[str] = ()
    count: str = '<p title="총 {total:,} 건">총 <strong>{total:,}</strong> 건</p>'
    before: str = ""
    after: str = '<div class="mpage_errwrap" style="display:none">오류가 발생하였습니다</div>'
    has_thead: bool = True
    has_nested_tbody: bool = True
    has_labels: bool = True
    charset: str = "utf-8"


def html_page(
    rows: Sequence[Mapping[str, Value]], total: int | None = None, markup: Markup | None = None
) -> str:
    """One list page."""
    markup = markup or Markup()
    texts = ["순번", *(markup.headers.get(name, LABELS[name]) for name in markup.columns)]
    header = "".join(f"<th>{text}</th>" for text in (*texts, *markup.extra_headers))
    body = "\n".join(_html_row(row_no, row, markup) for row_no, row in enumerate(rows, start=1))
    head = f"<thead><tr>{header}</tr></thead>" if markup.has_thead else f"<tr>{header}</tr>"
    total_text = markup.count.format(total=len(rows) if total is None else total)
    return (
        f'<!DOCTYPE html>\n<html lang="ko"><head><meta charset="{markup.charset}">'
        f"<title>의약품안전나라</title></head>\n<body>{markup.before}{total_text}\n"
        f'<table class="tb_list">{head}\n<tbody>{body}</tbody></table>'
        f"{markup.after}</body></html>\n"
    )


def _html_row(row_no: int, row: Mapping[str, Value], markup: Markup) -> str:
    cells = "\n".join(_html_cell(name, row[name], markup) for name in markup.columns)
    extra = "".join("<td>x</td>" for _ in markup.extra_headers)
    return f"<tr>\n<td>{row_no}</td>\n{cells}{extra}</tr>"


def _html_cell(name: str, value: Value, markup: Markup) -> str:
    label = f'<span class="s-th">{LABELS[name]}</span>' if markup.has_labels else ""
    if isinstance(value, str):
        return f"<td>{label}{escape(value)}</td>"
    inner = "".join(f"<tr><td>{escape(text)}</td></tr>" for text in value)
    inner = f"<tbody>{inner}</tbody>" if markup.has_nested_tbody else inner
    return f"<td>{label}\n  <table>{inner}</table></td>"


def raw_page(
    html: str | bytes, *, content_type: str = "text/html;charset=UTF-8", page_no: int = 1
) -> RawPage:
    body = html.encode() if isinstance(html, str) else html
    return RawPage(
        request=PageRequest(URL, "list", page_no),
        url=URL,
        status=200,
        content_type=content_type,
        sha256=hashlib.sha256(body).hexdigest(),
        body=body,
        fetched_at=datetime(2026, 11, 30, tzinfo=UTC),
    )


def list_page(
    rows: Sequence[Mapping[str, Value]], total: int | None = None, **markup: Any
) -> RawPage:
    return raw_page(html_page(rows, total, replace(Markup(), **markup)))


def fallbacks_used(page: PageTable | GuardedTable) -> list[str]:
    """Fields whose primary selector found nothing, each with the selector that served."""
    return [f"{used.field}: {used.selector}" for used in page.delivered if used.position]


def a_table(rows: Sequence[Mapping[str, Value]], *, page_no: int = 1, total: int) -> PageTable:
    return PageTable(
        page_no=page_no,
        rows=tuple(PageRow(row, {}, row_no) for row_no, row in enumerate(rows, start=1)),
        announced_total=total,
        source=f"{page_no:064x}",
        url=f"{URL}#{page_no}",
    )


def paged(
    rows: Sequence[Mapping[str, Value]], size: int, *, total: int | None = None
) -> list[PageTable]:
    """Cut a list into pages."""
    announced = len(rows) if total is None else total
    return [
        a_table(rows[start : start + size], page_no=start // size + 1, total=announced)
        for start in range(0, len(rows), size)
    ]
