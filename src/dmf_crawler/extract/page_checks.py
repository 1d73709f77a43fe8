"""What the selectors file of a `page` board says wrongly although its types are right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.pattern_bounds import PatternError, bound_pattern
from dmf_crawler.extract.selector_checks import FIELD_ID, SelectorFault, check_css
from dmf_crawler.extract.watched_page import BODY_LABEL
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.record import FieldKind

_EVERYWHERE = frozenset({"*", "html", "body", ":root", "html body", "html > body"})
"""Stand in every page: as a fallback they would read an error page as the one that is watched."""

_NEWS = (
    # Dates, numbers and words that stand alone, as they do in a cell of a table.
    *("2026-12-01", "2026. 12. 1.", "2026.12.01", "2026/12/01", "2026년 12월 1일", "12월 1일"),
    *("2026年12月1日", "12月1日", "12/1/2026", "December 1, 2026", "1 Dec. 2026", "20261201"),
    *("7", "30", "1,234", "3.5", "50%", "30일", "3개월", "10만원", "제3조", "1:10", "09:00~18:00"),
    *("취하", "정상", "없음", "않는다", "금지", "원료의약품", "有効", "禁止", "not", "Registered"),
)
_NO_KINDS = {
    FieldKind.KEY: "key가 아닌 종류(페이지 자체가 키)",
    FieldKind.LIST: "글 하나인 종류(항목은 값 하나만 읽음)",
    FieldKind.ATTACHMENTS: "글 하나인 종류(감시하는 페이지의 첨부는 받지 않음)",
}
_EXPECTED_VOLATILE = (
    "움직이는 부분의 앞뒤 글자까지 적은 정규식(예: '최종 갱신: [0-9-]{10}', '조회수 [0-9,]+')"
)


def check_page_file(file: PageFile) -> list[SelectorFault]:
    """Find every fault that types cannot express, in the order of the file's sections."""
    checks: tuple[Callable[[PageFile], Iterator[SelectorFault]], ...] = (
        _check_selectors,
        _check_volatile,
        _check_marker,
        _check_fields,
    )
    return [fault for check in checks for fault in check(file)]


def _check_selectors(file: PageFile) -> Iterator[SelectorFault]:
    if not _is_day(file.verified_at):
        yield SelectorFault(("verified_at",), file.verified_at, "달력에 있는 날짜")
    yield from check_css(("region",), file.region)
    for key, selectors in (
        ("region_fallbacks", file.region_fallbacks),
        ("drop", file.drop),
        ("unordered", file.unordered),
    ):
        for position, css in enumerate(selectors):
            yield from check_css((key, position), css)
    tried = (file.region, *file.region_fallbacks)
    for position, css in enumerate(file.region_fallbacks):
        if css.strip().lower() in _EVERYWHERE:
            yield SelectorFault(
                ("region_fallbacks", position),
                f"{css} (어느 페이지에나 있음)",
                "감시하는 페이지에만 있는 선택자",
            )
        if css in tried[: position + 1]:
            yield SelectorFault(
                ("region_fallbacks", position), f"{css} (앞에 이미 있음)", "앞에 없는 선택자"
            )


def _check_volatile(file: PageFile) -> Iterator[SelectorFault]:
    for position, text in enumerate(file.volatile):
        path = ("volatile", position)
        try:
            pattern = bound_pattern(text)
        except PatternError as error:
            yield SelectorFault(path, f"{text!r} ({error})", "짧게 끝나는 올바른 정규식")
            continue
        if pattern.search("") is not None:
            yield SelectorFault(path, f"{text!r} (빈 글과 맞음)", _EXPECTED_VOLATILE)
        elif eaten := _find_eaten(pattern):
            yield SelectorFault(path, f"{text!r} ('{eaten}'도 지움)", _EXPECTED_VOLATILE)
    for position, kind in enumerate(file.usual_volatile):
        if kind in file.usual_volatile[:position]:
            yield SelectorFault(
                ("usual_volatile", position), f"{kind} (앞에 이미 있음)", "한 번씩만 적은 종류"
            )


def _find_eaten(pattern: re.Pattern[str]) -> str:
    """Return the first text that can be news by itself and of which a pattern takes a part away.

    A date or a number that moves by itself is told by the words around it, or by `drop`.
    """
    return next((text for text in _NEWS if pattern.search(text)), "")


def _check_marker(file: PageFile) -> Iterator[SelectorFault]:
    if not file.end_marker:
        yield SelectorFault(("end_marker",), "빈 값", "페이지 끝을 나타내는 문자열")


def _check_fields(file: PageFile) -> Iterator[SelectorFault]:
    labels = {BODY_LABEL: BODY}
    places: dict[tuple[str, str], str] = {}
    for field, wanted in file.fields.items():
        path = ("fields", field)
        if field in {BODY, FILES}:
            yield SelectorFault(path, field, "이미 쓰는 이름(body, files)과 다른 이름")
        elif not FIELD_ID.fullmatch(field):
            yield SelectorFault(path, field, "영문 소문자로 시작하는 소문자·숫자·밑줄 40자 이내")
        if not wanted.label_ko.strip():
            yield SelectorFault((*path, "label_ko"), "빈 값", "사람이 읽을 한국어 이름")
        elif (first := labels.setdefault(wanted.label_ko, field)) != field:
            yield SelectorFault(
                (*path, "label_ko"),
                f"{wanted.label_ko} ({first}와 같음)",
                "항목마다 다른 이름",
            )
        yield from check_css((*path, "selector"), wanted.selector)
        if (first := places.setdefault((wanted.selector, wanted.attr), field)) != field:
            yield SelectorFault(
                (*path, "selector"), f"{wanted.selector} ({first}와 같음)", "항목마다 다른 자리"
            )
        if reason := _NO_KINDS.get(wanted.kind):
            yield SelectorFault((*path, "kind"), wanted.kind, reason)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
