"""What a selectors file says wrongly although its types are right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from cssselect import SelectorError
from lxml.etree import Element, XPath, XPathError

from dmf_crawler.extract.paths import compile_css, compile_xpath
from dmf_crawler.extract.selectors import text_form
from dmf_crawler.extract.selectors_file import (
    DetailSelector,
    FallbackSelector,
    FieldSelector,
    SelectorsFile,
    Validate,
)
from dmf_crawler.extract.xpath_tree import parse_xpath
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.record import FieldKind

FIELD_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_JSON_PATH = re.compile(r"[^.\[\]\s]+(?:\[\*\])?(?:\.[^.\[\]\s]+(?:\[\*\])?)*")
_BARE_TAG = re.compile("[a-z][a-z0-9]*")
_EMPTY_PAGE = Element("html")

_NEEDED = {
    "header_text": ("header_aliases",),
    "label": ("labels",),
    "css": ("selector",),
    "xpath": ("selector",),
    "attr": ("selector", "attr"),
    "between": ("left", "right"),
    "json_ld": ("path",),
}
"""Strategy → the keys that it cannot do without."""

_EXPECTED = {
    "header_aliases": "열 머리글 1개 이상",
    "labels": "이름표 글자 1개 이상",
    "selector": "셀렉터",
    "attr": "읽을 속성의 이름",
    "extract": "strategy: attr일 때만 쓰는 값",
    "left": "값 바로 앞의 HTML",
    "right": "값 바로 뒤의 HTML",
    "path": "JSON-LD에서 따라갈 이름",
}


@dataclass(frozen=True, slots=True)
class SelectorFault:
    """One thing that is wrong in a selectors file.

    Attributes:
        key: Keys and list positions from the top of the file to the value.
        found: Korean or the value itself.
        expected: Korean.
    """

    key: tuple[str | int, ...]
    found: str
    expected: str


def check_selectors(file: SelectorsFile) -> list[SelectorFault]:
    """Find every fault that types cannot express, in the order of the file's sections."""
    checks: tuple[Callable[[SelectorsFile], Iterator[SelectorFault]], ...] = (
        _check_rows,
        _check_patterns,
        _check_names,
        _check_roles,
        _check_fields,
        _check_aliases,
        _check_details,
        _check_sources,
    )
    return [fault for check in checks for fault in check(file)]


def _check_rows(file: SelectorsFile) -> Iterator[SelectorFault]:
    yield from check_css(("row", "primary"), file.row.primary)
    for position, css in enumerate(file.row.fallbacks):
        yield from check_css(("row", "fallbacks", position), css)
    if file.row.pinned:
        yield from check_css(("row", "pinned"), file.row.pinned)
    for position, css in enumerate(file.row.duplicates):
        yield from check_css(("row", "duplicates", position), css)
    for position, css in enumerate(file.drop):
        yield from check_css(("drop", position), css)
    for position, css in enumerate(file.unseen):
        yield from check_css(("unseen", position), css)
    if file.row.min_expected > file.row.max_expected:
        yield SelectorFault(
            ("row", "min_expected"), str(file.row.min_expected), "max_expected 이하의 수"
        )


def _check_patterns(file: SelectorsFile) -> Iterator[SelectorFault]:
    if not file.total.patterns:
        yield SelectorFault(("total", "patterns"), "빈 목록", "전체 건수를 찾는 정규식 1개 이상")
    for position, pattern in enumerate(file.total.patterns):
        yield from _check_pattern(("total", "patterns", position), pattern, least_groups=1)
    if not file.end_marker:
        yield SelectorFault(("end_marker",), "빈 값", "페이지 끝을 나타내는 문자열")


def _check_names(file: SelectorsFile) -> Iterator[SelectorFault]:
    labels: dict[str, str] = {}
    for field, selector in file.fields.items():
        if not FIELD_ID.fullmatch(field):
            yield SelectorFault(
                ("fields", field), field, "영문 소문자로 시작하는 소문자·숫자·밑줄 40자 이내"
            )
        label = selector.label_ko or field
        if (first := labels.setdefault(label, field)) != field:
            yield SelectorFault(
                ("fields", field, "label_ko"),
                f"{label} (fields.{first}와 같음)",
                "항목마다 다른 이름",
            )


def _check_roles(file: SelectorsFile) -> Iterator[SelectorFault]:
    roles = [
        (("key", "number"), file.key.number),
        (("key", "applicant"), file.key.applicant),
        (("key", "first_date"), file.key.first_date),
        (("key", "ingredient"), file.key.ingredient),
    ]
    if file.status is not None:
        roles.append((("status", "field"), file.status.field))
        if not file.status.withdrawn:
            yield SelectorFault(("status", "withdrawn"), "빈 목록", "취하를 뜻하는 값 1개 이상")
    if file.compare_within and file.compare_within not in file.fields:
        yield SelectorFault(
            ("compare_within",), file.compare_within, "fields에 있는 항목 이름 또는 빈 값"
        )
    for path, field in roles:
        if field not in file.fields:
            yield SelectorFault(path, field, "fields에 있는 항목 이름")
        elif file.fields[field].nested == "list":
            yield SelectorFault(path, f"{field} (nested: list)", "값이 하나인 항목")


def _check_fields(file: SelectorsFile) -> Iterator[SelectorFault]:
    for field, selector in file.fields.items():
        yield from _check_field(("fields", field), selector)


def _check_field(path: tuple[str | int, ...], selector: FieldSelector) -> Iterator[SelectorFault]:
    yield from _check_locator(path, selector)
    if not _has_alternative(selector):
        yield SelectorFault((*path, "fallbacks"), "빈 목록", "대체 선택자 1개 이상")
    for position, fallback in enumerate(selector.fallbacks):
        yield from _check_locator((*path, "fallbacks", position), fallback)
    yield from _check_validate((*path, "validate"), selector.validate)
    if selector.kind is FieldKind.LIST and selector.nested != "list":
        yield SelectorFault((*path, "kind"), "list", "nested: list 인 항목의 kind")
    if selector.kind is FieldKind.ATTACHMENTS:
        yield SelectorFault((*path, "kind"), "attachments", "다른 kind (첨부파일은 details.files)")


def _has_alternative(selector: FieldSelector) -> bool:
    """Say whether a field is still found when one text or selector gives way.

    Each further alias is an alternative. An attribute of the row's only element of a kind (`a`)
    hangs on nothing that a redesign could rename.
    """
    if selector.strategy == "attr" and _BARE_TAG.fullmatch(selector.selector):
        return True
    texts = {text_form(text) for text in (*selector.header_aliases, *selector.labels)}
    return bool(selector.fallbacks) or len(texts) > 1


def _check_locator(
    path: tuple[str | int, ...], selector: FieldSelector | FallbackSelector
) -> Iterator[SelectorFault]:
    strategy, needed = selector.strategy, _NEEDED[selector.strategy]
    for key, expected in _EXPECTED.items():
        value = getattr(selector, key)
        if key in needed and not value:
            empty = "빈 목록" if isinstance(value, tuple) else "빈 값"
            yield SelectorFault((*path, key), empty, expected)
        elif value and key not in needed and (key, strategy) != ("extract", "attr"):
            found = ", ".join(value) if isinstance(value, tuple) else repr(value)
            yield SelectorFault((*path, key), found, f"strategy: {strategy}에서 쓰지 않는 값")
    if strategy in {"css", "attr"} and selector.selector:
        yield from check_css((*path, "selector"), selector.selector)
    if strategy == "xpath" and selector.selector:
        yield from _check_xpath((*path, "selector"), selector.selector)
    if selector.extract:
        yield from _check_pattern(
            (*path, "extract"), selector.extract, least_groups=1, most_groups=1
        )
    if selector.path and not _JSON_PATH.fullmatch(selector.path):
        yield SelectorFault((*path, "path"), repr(selector.path), "이름.이름[*].이름 꼴")


def _check_validate(path: tuple[str | int, ...], rules: Validate) -> Iterator[SelectorFault]:
    if rules.pattern is not None:
        yield from _check_pattern((*path, "pattern"), rules.pattern)
    for position, date_format in enumerate(rules.date_formats):
        if not _is_date_format(date_format):
            yield SelectorFault(
                (*path, "date_formats", position), date_format, "연·월·일이 모두 있는 날짜 형식"
            )
    if rules.max_length is not None and (rules.min_length or 0) > rules.max_length:
        yield SelectorFault((*path, "min_length"), str(rules.min_length), "max_length 이하의 수")


def _check_aliases(file: SelectorsFile) -> Iterator[SelectorFault]:
    """Yield the headers that would name two columns, or a column that is to be ignored."""
    owners = {text_form(text): "ignored_headers" for text in file.ignored_headers}
    for field, selector in file.fields.items():
        aliases: list[tuple[tuple[str | int, ...], str]] = [
            (("header_aliases", position), alias)
            for position, alias in enumerate(selector.header_aliases)
        ]
        for number, fallback in enumerate(selector.fallbacks):
            aliases += [
                (("fallbacks", number, "header_aliases", position), alias)
                for position, alias in enumerate(fallback.header_aliases)
            ]
        for path, alias in aliases:
            owner = owners.setdefault(text_form(alias), f"fields.{field}")
            if owner != f"fields.{field}":
                yield SelectorFault(
                    ("fields", field, *path), f"{alias} ({owner}에도 있음)", "한 곳에만 있는 머리글"
                )


def _check_details(file: SelectorsFile) -> Iterator[SelectorFault]:
    details = file.details
    if details is None:
        return
    for field in (BODY, FILES):
        if field in file.fields or field in details.fields:
            yield SelectorFault(
                ("fields", field), field, "details가 쓰지 않는 항목 이름(body, files 말고)"
            )
    yield from check_css(("details", "link"), details.link)
    yield from check_css(("details", "region"), details.region)
    if details.files:
        yield from check_css(("details", "files"), details.files)
    for position, css in enumerate(details.drop):
        yield from check_css(("details", "drop", position), css)
    yield from _check_detail_fields(file, details)
    yield from _check_detail_labels(file, details)


def _check_detail_fields(file: SelectorsFile, details: DetailSelector) -> Iterator[SelectorFault]:
    for field, selector in details.fields.items():
        path = ("details", "fields", field)
        if field in file.fields or not FIELD_ID.fullmatch(field):
            yield SelectorFault(path, field, "목록의 fields와 다른 소문자 이름")
        strategies = [selector.strategy, *(each.strategy for each in selector.fallbacks)]
        if "header_text" in strategies:
            yield SelectorFault((*path, "strategy"), "header_text", "label 등 다른 전략")
        yield from _check_field(path, selector)


def _check_detail_labels(file: SelectorsFile, details: DetailSelector) -> Iterator[SelectorFault]:
    """Yield the label that a field, or the other of the two, already has."""
    owners = {
        selector.label_ko or field: f"fields.{field}" for field, selector in file.fields.items()
    }
    for field, selector in details.fields.items():
        label = selector.label_ko or field
        if (owner := owners.setdefault(label, f"details.fields.{field}")).startswith("fields."):
            yield SelectorFault(
                ("details", "fields", field, "label_ko"),
                f"{label} ({owner}와 같음)",
                "항목마다 다른 이름",
            )
    for key, label in (
        ("body_label_ko", details.body_label_ko),
        ("files_label_ko", details.files_label_ko),
    ):
        if (owner := owners.setdefault(label, f"details.{key}")) != f"details.{key}":
            yield SelectorFault(("details", key), f"{label} ({owner}와 같음)", "항목마다 다른 이름")


def _check_sources(file: SelectorsFile) -> Iterator[SelectorFault]:
    """Yield what the workbook or the open API could not be read by."""
    if not file.export_joint.strip():
        yield SelectorFault(("export_joint",), "빈 값", "엑셀 칸에서 여러 값을 잇는 글자")
    owners = dict.fromkeys(file.ignored_api_names, "ignored_api_names")
    for field, selector in file.fields.items():
        owner = owners.setdefault(selector.api_name, f"fields.{field}")
        if selector.api_name and owner != f"fields.{field}":
            yield SelectorFault(
                ("fields", field, "api_name"),
                f"{selector.api_name} ({owner}에도 있음)",
                "한 곳에만 있는 이름",
            )


def check_css(path: tuple[str | int, ...], css: str) -> Iterator[SelectorFault]:
    """Yield what is no CSS selector."""
    yield from _check_path(path, css, compile_css, "CSS 선택자")


def _check_xpath(path: tuple[str | int, ...], text: str) -> Iterator[SelectorFault]:
    """Yield what is no XPath, and what calls for a variable, a name space or an unknown function.

    lxml notices the latter only in a row in which it gets so far.
    """
    faults = list(_check_path(path, text, compile_xpath, "XPath"))
    if not faults and parse_xpath(text) is None:
        expected = "변수·이름 공간·없는 함수를 쓰지 않는 XPath 1.0"
        faults = [SelectorFault(path, repr(text), expected)]
    yield from faults


def _check_path(
    path: tuple[str | int, ...], text: str, compile_path: Callable[[str], XPath], kind: str
) -> Iterator[SelectorFault]:
    try:
        compile_path(text)(_EMPTY_PAGE)
    except (SelectorError, XPathError) as error:
        yield SelectorFault(path, f"{text!r} ({error})", f"올바른 {kind}")


def _check_pattern(
    path: tuple[str | int, ...], pattern: str, *, least_groups: int = 0, most_groups: int = 99
) -> Iterator[SelectorFault]:
    try:
        n_groups = re.compile(pattern).groups
    except re.error as error:
        yield SelectorFault(path, f"{pattern!r} ({error})", "올바른 정규식")
        return
    if n_groups < least_groups:
        yield SelectorFault(path, repr(pattern), "찾는 값을 괄호로 묶은 정규식")
    if n_groups > most_groups:
        yield SelectorFault(path, repr(pattern), f"괄호 묶음이 {most_groups}개인 정규식")


def _is_date_format(date_format: str) -> bool:
    """Whether a day survives being written and read in that format."""
    day = datetime(2026, 11, 30)  # noqa: DTZ001  (a calendar day, no moment)
    try:
        return datetime.strptime(day.strftime(date_format), date_format) == day  # noqa: DTZ007
    except ValueError:
        return False
