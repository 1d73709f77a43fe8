"""A checked selectors file, compiled once: CSS into XPath, patterns into regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lxml.etree import XPath

from dmf_crawler.extract.paths import compile_css, compile_xpath
from dmf_crawler.extract.selectors_file import (
    DetailSelector,
    FallbackSelector,
    FieldSelector,
    Nested,
    SelectorsFile,
    Strategy,
    WhiteSpace,
)
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.record import Column, FieldKind
from dmf_crawler.text import key_form

_SORT_MARKS = re.compile(
    "(?:[\u2190-\u21ff\u25b2-\u25c5\u2b05-\u2b0d\u23f6\u23f7:*]|오름차순|내림차순|정렬하기|정렬)+$"
)
"""Arrows and words of a column that can be sorted, and what may follow a label."""

_N_KEPT_CHARS = 100
_MOST_CHARS = 5_000
"""Of a header or label; longer than any that a selectors file names."""

"""Of longer texts the form is not kept: no header is as long."""


@dataclass(frozen=True, slots=True)
class Locator:
    """One compiled way to find a field.

    Attributes:
        strategy: As in the file.
        source: How the file words it, for people.
        path: XPath below the row, of `css`, `xpath` and `attr`.
        attr: Attribute name, "" to read the element's text.
        extract: Finds the value inside the attribute; None where all of it is the value.
        texts: Forms (`text_form`) of the header aliases or labels.
        between: What stands before and behind the value.
        steps: Names to follow in the page's JSON-LD, "*" for every item of a list.
    """

    strategy: Strategy
    source: str
    path: XPath | None = None
    attr: str = ""
    extract: re.Pattern[str] | None = None
    texts: frozenset[str] = frozenset()
    between: tuple[str, str] = ("", "")
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldLocator:
    """One field, compiled.

    Attributes:
        field: Field id.
        label_ko: Korean header.
        primary: Tried first.
        fallbacks: Tried in turn.
        nested: As in `FieldSelector`.
        prefers_title: Whether the cell's `title` replaces a text that ends in an ellipsis.
        white_space: As in `FieldSelector`.
        placeholders: Texts that mean an empty cell when they stand alone.
        names: Forms of all texts by which a page may call it.
        is_required: Whether an empty value is a fault.
    """

    field: str
    label_ko: str
    primary: Locator
    fallbacks: tuple[Locator, ...]
    nested: Nested
    prefers_title: bool
    white_space: WhiteSpace
    placeholders: frozenset[str]
    names: frozenset[str]
    is_required: bool

    @property
    def locators(self) -> tuple[Locator, ...]:
        """All ways to find it, in the order in which they are tried."""
        return (self.primary, *self.fallbacks)


@dataclass(frozen=True, slots=True)
class DetailLocator:
    """`DetailSelector`, compiled; `files` is None where the board has none."""

    link: XPath
    region: XPath
    files: XPath | None
    drop: tuple[XPath, ...]
    fields: tuple[FieldLocator, ...]


@dataclass(frozen=True, slots=True)
class Selectors:
    """A board's selectors, ready to use.

    Attributes:
        file: What they were made from.
        columns: The fields as people see them, in order, those of the detail pages last.
        fields: One a field of the list, in order.
        headers: Form of a header → the field whose primary selector it belongs to.
        names: Field id → forms of all texts by which a page may call it.
        header_fields: Fields that a header can name.
        table_names: Key forms of the names that the list's table may have.
        rows: Ways to find the data rows, primary first, each with its CSS.
        pinned: Finds pinned rows, or something in them; None where the site pins none.
        duplicates: Find rows that say a row beside them once more.
        drop: XPaths of labels inside cells.
        unseen: XPaths of what only a screen reader is told, those of a class alone left out.
        unseen_classes: Classes of what only a screen reader is told.
        total: Patterns of the announced total.
        number_pattern: What a number looks like, None where the file does not say.
        no_result: Key forms of the texts that stand for an empty list.
        ignored_headers: Forms of the columns that are never read.
        details: How detail pages are found and read, None where they are not.
    """

    file: SelectorsFile
    columns: tuple[Column, ...]
    fields: tuple[FieldLocator, ...]
    headers: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    header_fields: frozenset[str]
    table_names: tuple[str, ...]
    rows: tuple[tuple[str, XPath], ...]
    pinned: XPath | None
    duplicates: tuple[XPath, ...]
    drop: tuple[XPath, ...]
    unseen: tuple[XPath, ...]
    unseen_classes: frozenset[str]
    total: tuple[re.Pattern[str], ...]
    number_pattern: re.Pattern[str] | None
    no_result: tuple[str, ...]
    ignored_headers: frozenset[str]
    details: DetailLocator | None

    @property
    def kinds(self) -> Mapping[str, FieldKind]:
        """Field id → kind, those of the detail pages last."""
        kinds = {field: _kind_of(selector) for field, selector in self.file.fields.items()}
        if self.file.details is None:
            return kinds
        of_details = {field: _kind_of(each) for field, each in self.file.details.fields.items()}
        return kinds | of_details | {BODY: FieldKind.TEXT, FILES: FieldKind.ATTACHMENTS}


def _kind_of(selector: FieldSelector) -> FieldKind:
    """Return the kind of a field; several values that are plain text are a list."""
    is_list = selector.nested == "list" and selector.kind is FieldKind.TEXT
    return FieldKind.LIST if is_list else selector.kind


def text_form(text: str) -> str:
    """Return the form by which headers and labels are compared: sort marks and a colon dropped.

    A text that is far too long for either is cut; what marks the cut makes it equal to none.
    """
    if len(text) > _MOST_CHARS:
        text = " ".join(text.split())
        text = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
    return _form_of(text) if len(text) <= _N_KEPT_CHARS else _SORT_MARKS.sub("", key_form(text))


@lru_cache(maxsize=1_000)
def _form_of(text: str) -> str:
    """Headers and labels are the same on every page."""
    return _SORT_MARKS.sub("", key_form(text))


def compile_selectors(file: SelectorsFile) -> Selectors:
    """Compile a file in which `check_selectors` found no fault."""
    number = file.fields[file.key.number].validate.pattern
    fields = _compile_fields(file.fields, file.placeholders)
    unseen = [compile_css(css) for css in file.unseen]
    return Selectors(
        file=file,
        columns=_name_columns(file),
        fields=fields,
        names={each.field: each.names for each in fields},
        headers={
            text_form(alias): field
            for field, selector in file.fields.items()
            for alias in selector.header_aliases
        },
        header_fields=frozenset(
            field for field, selector in file.fields.items() if selector.header_aliases
        ),
        table_names=tuple(key_form(name) for name in file.table.names),
        rows=tuple((css, compile_css(css)) for css in (file.row.primary, *file.row.fallbacks)),
        pinned=compile_css(file.row.pinned) if file.row.pinned else None,
        duplicates=tuple(compile_css(css) for css in file.row.duplicates),
        drop=tuple(compile_css(css) for css in file.drop),
        unseen=tuple(each for each in unseen if each.tag or not each.class_name),
        unseen_classes=frozenset(each.class_name for each in unseen if not each.tag) - {""},
        total=tuple(re.compile(pattern) for pattern in file.total.patterns),
        number_pattern=re.compile(number) if number else None,
        no_result=tuple(key_form(text) for text in file.no_result),
        ignored_headers=_text_forms(file.ignored_headers),
        details=_compile_details(file.details, file) if file.details else None,
    )


def _name_columns(file: SelectorsFile) -> tuple[Column, ...]:
    details = file.details
    fields = file.fields | (details.fields if details else {})
    columns = [
        Column(field, selector.label_ko or field, selector.nested == "list")
        for field, selector in fields.items()
    ]
    if details:
        columns.append(Column(BODY, details.body_label_ko))
        columns.append(Column(FILES, details.files_label_ko, is_nested=True))
    return tuple(columns)


def _compile_details(selector: DetailSelector, file: SelectorsFile) -> DetailLocator:
    return DetailLocator(
        link=compile_css(selector.link),
        region=compile_css(selector.region),
        files=compile_css(selector.files) if selector.files else None,
        drop=tuple(compile_css(css) for css in selector.drop),
        fields=_compile_fields(selector.fields, file.placeholders),
    )


def _compile_fields(
    fields: Mapping[str, FieldSelector], placeholders: Iterable[str]
) -> tuple[FieldLocator, ...]:
    return tuple(
        FieldLocator(
            field=field,
            label_ko=selector.label_ko or field,
            primary=compile_locator(selector),
            fallbacks=tuple(compile_locator(fallback) for fallback in selector.fallbacks),
            nested=selector.nested,
            prefers_title=selector.title_attr,
            white_space=selector.white_space,
            placeholders=frozenset((*placeholders, *selector.placeholders)),
            names=_text_forms(_find_names(selector)),
            is_required=selector.validate.required,
        )
        for field, selector in fields.items()
    )


def _find_names(selector: FieldSelector) -> Iterable[str]:
    yield from (selector.label_ko, *selector.header_aliases, *selector.labels)
    for fallback in selector.fallbacks:
        yield from (*fallback.header_aliases, *fallback.labels)


def compile_locator(selector: FieldSelector | FallbackSelector) -> Locator:
    """Compile one way to find a field."""
    strategy = selector.strategy
    path: XPath | None = None
    if strategy in {"css", "attr"}:
        path = compile_css(selector.selector)
    elif strategy == "xpath":
        path = compile_xpath(selector.selector)
    return Locator(
        strategy=strategy,
        source=f"{strategy} {word_locator(selector)}",
        path=path,
        attr=selector.attr if strategy == "attr" else "",
        extract=re.compile(selector.extract) if selector.extract else None,
        texts=_text_forms((*selector.header_aliases, *selector.labels)),
        between=(selector.left, selector.right),
        steps=tuple(selector.path.replace("[*]", ".*").split(".")) if selector.path else (),
    )


def word_locator(selector: FieldSelector | FallbackSelector) -> str:
    """Return what a selector looks for, for people."""
    if selector.strategy == "header_text":
        return ", ".join(selector.header_aliases)
    if selector.strategy == "label":
        return ", ".join(selector.labels)
    if selector.strategy == "between":
        return f"{selector.left} … {selector.right}"
    return selector.path if selector.strategy == "json_ld" else selector.selector


def _text_forms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(text_form(text) for text in texts) - {""}
