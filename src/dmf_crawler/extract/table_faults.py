"""Why a page has no list that can be read: one fault per reason, worded for people."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.etree import _Element as Element

from dmf_crawler.extract.other_pages import LIST, name_login_page, name_other_page, read_shown_text
from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.run import Fault

_NEXT_SELECTORS = "보관된 페이지를 열어 보고 selectors 파일을 고친 뒤 다시 실행해 주십시오."
_N_QUOTED_TABLES = 3


def explain_no_table(document: Element) -> Fault:
    """Name the kind of page that has no table at all."""
    text = quote_texts([read_shown_text(document, LIST)])
    return name_other_page(document, LIST) or Fault(
        "no_table",
        f"페이지에 표가 하나도 없습니다(본문: {text}). 목록 표가 있어야 합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def layout_table(
    document: Element, tables: Sequence[tuple[Sequence[str], int]], n_fields: int
) -> Fault:
    """Say why each table of the page is not the list; a login form may be laid out in one.

    Args:
        document: Root of the page.
        tables: Headers as shown, and how many fields they name.
        n_fields: How many they should name.
    """
    if login := name_login_page(document, LIST):
        return login
    reasons = [
        f"표 {number}({n_known}/{n_fields}) {quote_texts(texts) if any(texts) else '머리글 없음'}"
        for number, (texts, n_known) in enumerate(tables[:_N_QUOTED_TABLES], start=1)
    ]
    return Fault(
        "layout_table",
        f"페이지의 표 {len(tables)}개 가운데 목록의 머리글이 있는 표가 없습니다"
        f"({'; '.join(reasons)}). selectors 파일의 header_aliases에 있는 머리글이 있어야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def ambiguous_table(headers: Sequence[Sequence[str]]) -> Fault:
    """Refuse to choose between two tables that both look like the list."""
    return Fault(
        "ambiguous_table",
        f"목록의 머리글이 똑같이 맞는 표가 {len(headers)}개 있습니다({quote_texts(headers[0])}). "
        f"한 개여야 합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def other_name(name: str, names: Sequence[str]) -> Fault:
    """Name the table that calls itself something else than the list."""
    return Fault(
        "other_register",
        f"목록과 열이 같은 다른 표입니다. 표의 이름이 {quote_texts([name])}입니다. selectors "
        f"파일의 table.names({quote_texts(names)}) 가운데 하나가 들어 있어야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def strange_numbers(numbers: Sequence[str], selectors: Selectors) -> Fault:
    """Name the table most of whose numbers are none of this register."""
    key = selectors.file.key.number
    label = selectors.file.fields[key].label_ko or key
    return Fault(
        "other_register",
        f"목록과 열이 같은 다른 표로 보입니다. {label} 값의 반 넘게 형식에 맞지 않습니다(예: "
        f"{quote_texts(numbers[:3])}). selectors 파일의 validate.pattern에 맞는 번호여야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def no_rows(total: int) -> Fault:
    """Say that a list of many has no row on its first page."""
    return Fault(
        "no_rows",
        f"목록 표에 머리글만 있고 행이 없습니다. 사이트가 알린 전체는 {total:,}건입니다. 행이 같은 "
        f"표 안에 있어야 합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def too_many_rows(n_rows: int, most: int) -> Fault:
    """Say that a page has more rows than the file allows."""
    return Fault(
        "too_many_rows",
        f"목록 표에 행이 {n_rows:,}개 있습니다. selectors 파일의 row.max_expected는 {most:,}개 "
        f"이하입니다. 다른 표의 행이 섞였는지 확인해 주십시오. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def missing_column(labels: Sequence[str], found: Sequence[str]) -> Fault:
    """Name the columns that neither a header nor a fallback finds."""
    return Fault(
        "missing_column",
        f"목록 표에 없는 열이 있습니다: {quote_texts(labels)}. 찾은 머리글: {quote_texts(found)}. "
        "이름이 바뀐 열이면 selectors 파일의 header_aliases에 새 이름을 더하고 schema_version을 "
        "올린 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def unknown_column(texts: Sequence[str]) -> Fault:
    """Name the columns that no field would compare."""
    return Fault(
        "unknown_column",
        f"목록 표에 모르는 열이 있습니다: {quote_texts(texts)}. 모든 열이 비교 대상이어야 합니다. "
        "selectors 파일의 fields에 이 열을 더하거나, 비교하지 않을 열이면 ignored_headers에 "
        "더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def ambiguous_column(texts: Sequence[str], fields: Sequence[str | None]) -> Fault:
    """Name the headers that stand for the same field."""
    doubled = [
        text
        for text, field in zip(texts, fields, strict=True)
        if field and list(fields).count(field) > 1
    ]
    return Fault(
        "ambiguous_column",
        f"같은 항목의 머리글이 두 번 이상 있습니다({quote_texts(doubled)}). 항목마다 열이 하나여야 "
        f"합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )
