"""selectors/<board>.yaml → typed, checked, compiled once.

docs/selectors.md explains each key. The caller reads the file and converts it to a `SelectorsFile`;
`selector_checks.check_selectors` finds what types cannot say; `compile_selectors` turns CSS into
XPath and patterns into regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from lxml.etree import XPath
from msgspec import Meta

from dmf_crawler.extract.css import compile_css
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.record import Column, FieldKind
from dmf_crawler.settings import Count, PositiveInt, Struct
from dmf_crawler.text import key_form

Strategy = Literal["header_text", "css", "attr"]
Nested = Literal["", "list", "join", "first"]


class RowSelector(Struct, frozen=True, kw_only=True):
    """Which rows of the accepted table are data; CSS, header rows and nested tables left out.

    Attributes:
        primary: Tried first.
        fallbacks: Tried in turn when the ones before find no row.
        pinned: Finds the rows, or something in the rows, that the site pins on top of every page
            whatever their place in the list; "" where it pins none.
        min_expected: Fewest records of the whole list (gate G-1).
        max_expected: Most rows on a page.
    """

    primary: str
    fallbacks: tuple[str, ...] = ()
    pinned: str = ""
    min_expected: Count = 1
    max_expected: PositiveInt = 1000


class Validate(Struct, frozen=True, kw_only=True):
    """What a value of the field must look like; judged by the gates, not by the parser.

    Attributes:
        pattern: Regular expression that matches the whole value.
        required: Whether an empty value is a fault.
        enum: All values there are; empty when not a closed set.
        date_formats: `strptime` formats, tried in order.
        min_length: Fewest characters of a non-empty value.
        max_length: Most characters.
        unique: Whether no two records may have the same value.
    """

    pattern: str | None = None
    required: bool = False
    enum: tuple[str, ...] = ()
    date_formats: tuple[str, ...] = ()
    min_length: Count | None = None
    max_length: Count | None = None
    unique: bool = False


class FallbackSelector(Struct, frozen=True, kw_only=True):
    """Another way to find a field's cell in every row, used only where the header is missing."""

    strategy: Strategy
    selector: str = ""
    attr: str = ""
    extract: str = ""
    header_aliases: tuple[str, ...] = ()


class FieldSelector(Struct, frozen=True, kw_only=True):
    """One field of a record.

    Attributes:
        label_ko: Korean header for people.
        strategy: `header_text`: the column under one of `header_aliases`; `css`: the only element
            of the row that `selector` finds; `attr`: that element's attribute `attr`.
        header_aliases: Header texts, compared by `text.key_form`.
        selector: CSS, below the row.
        attr: Attribute name.
        extract: Regular expression whose only group is the value inside the attribute; "" for the
            whole attribute.
        fallbacks: Tried in turn.
        kind: What the column holds.
        nested: What becomes of a table inside the cell: "", there is none; `list`, an ordered
            list of its values; `join`, their text line by line; `first`, the first that is not
            empty.
        title_attr: Whether the cell's `title` replaces a text that ends in an ellipsis.
        validate: What its values look like.
        api_name: Name of the field in the open API's answers, "" where it has none.
    """

    label_ko: str
    strategy: Strategy = "header_text"
    header_aliases: tuple[str, ...] = ()
    selector: str = ""
    attr: str = ""
    extract: str = ""
    fallbacks: tuple[FallbackSelector, ...] = ()
    kind: FieldKind = FieldKind.TEXT
    nested: Nested = ""
    title_attr: bool = False
    validate: Validate = Validate()
    api_name: str = ""


class TotalSelector(Struct, frozen=True, kw_only=True):
    """Where the page says how many records the list has.

    Attributes:
        patterns: Regular expressions on the page's text; group 1 is the number, commas allowed.
    """

    patterns: tuple[str, ...]


class KeySelector(Struct, frozen=True, kw_only=True):
    """Field ids that identify a record: the number alone, or with applicant and first date."""

    number: str
    applicant: str
    first_date: str
    ingredient: str


class StatusSelector(Struct, frozen=True, kw_only=True):
    """Field id of the status, and the words that mean withdrawn."""

    field: str
    withdrawn: tuple[str, ...]


class DetailSelector(Struct, frozen=True, kw_only=True):
    """How a row leads to its detail page, and what is read there; all CSS.

    Attributes:
        link: The row's link, below the row.
        region: The one element whose text is the body.
        files: Links to files; "" where the board has none.
        drop: Elements inside the region that are not part of the body.
        body_label_ko: Korean header of the field `body`.
        files_label_ko: Korean header of the field `files`.
    """

    link: str
    region: str
    files: str = ""
    drop: tuple[str, ...] = ()
    body_label_ko: str = "본문"
    files_label_ko: str = "첨부파일"


class SelectorsFile(Struct, frozen=True, kw_only=True):
    """selectors/<board>.yaml.

    Attributes:
        board_id: The board it is for.
        schema_version: Rises with every change of meaning; stored with each run.
        verified_at: Day on which it was last seen to fit the site.
        row: Which rows are data.
        total: How many records the site says it has.
        key: What identifies a record.
        fields: Field id → how to find it, in the order of the stored record.
        status: Which field says that a record is withdrawn; None where none does.
        details: The pages behind the rows' links; None where they are not read.
        source_url_template: Address of a list page, for people.
        no_result: Texts of the one row that stands for an empty list.
        end_marker: Text without which a page was cut.
        ignored_headers: Columns that are never read, such as a running number.
        drop: CSS of elements inside cells that are labels, not values.
        placeholders: Texts that mean an empty cell when they stand alone.
    """

    board_id: str
    schema_version: PositiveInt
    verified_at: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    row: RowSelector
    total: TotalSelector
    key: KeySelector
    fields: dict[str, FieldSelector]
    status: StatusSelector | None = None
    details: DetailSelector | None = None
    source_url_template: str | None = None
    no_result: tuple[str, ...] = ()
    end_marker: str = "</html>"
    ignored_headers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Locator:
    """One compiled way to find a field.

    Attributes:
        strategy: As in the file.
        path: XPath below the row; None for `header_text`.
        attr: Attribute name, "" to read the element's text.
        extract: Finds the value inside the attribute; None where all of it is the value.
        headers: Key forms of the header aliases.
        source: How the file words it, for people.
    """

    strategy: Strategy
    path: XPath | None
    attr: str
    extract: re.Pattern[str] | None
    headers: frozenset[str]
    source: str


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
    """

    field: str
    label_ko: str
    primary: Locator
    fallbacks: tuple[Locator, ...]
    nested: Nested
    prefers_title: bool


@dataclass(frozen=True, slots=True)
class DetailLocator:
    """`DetailSelector`, compiled; `files` is None where the board has none."""

    link: XPath
    region: XPath
    files: XPath | None
    drop: tuple[XPath, ...]


@dataclass(frozen=True, slots=True)
class Selectors:
    """A board's selectors, ready to use.

    Attributes:
        file: What they were made from.
        columns: The fields as people see them, in order, those of the detail pages last.
        fields: One a field, in order.
        headers: Key form of a header → the field whose primary selector it belongs to.
        rows: Ways to find the data rows, primary first, each with its CSS.
        pinned: Finds pinned rows, or something in them; None where the site pins none.
        drop: XPaths of labels inside cells.
        total: Patterns of the announced total.
        number_pattern: What a number looks like, None where the file does not say.
        no_result: Key forms of the texts that stand for an empty list.
        ignored_headers: Key forms of the columns that are never read.
        details: How detail pages are found and read, None where they are not.
    """

    file: SelectorsFile
    columns: tuple[Column, ...]
    fields: tuple[FieldLocator, ...]
    headers: Mapping[str, str]
    rows: tuple[tuple[str, XPath], ...]
    pinned: XPath | None
    drop: tuple[XPath, ...]
    total: tuple[re.Pattern[str], ...]
    number_pattern: re.Pattern[str] | None
    no_result: tuple[str, ...]
    ignored_headers: frozenset[str]
    details: DetailLocator | None

    @property
    def kinds(self) -> Mapping[str, FieldKind]:
        """Field id → kind, those of the detail pages last."""
        kinds = {field: selector.kind for field, selector in self.file.fields.items()}
        return kinds | ({BODY: FieldKind.TEXT, FILES: FieldKind.NAME} if self.details else {})


def compile_selectors(file: SelectorsFile) -> Selectors:
    """Compile a file in which `check_selectors` found no fault."""
    number = file.fields[file.key.number].validate.pattern
    return Selectors(
        file=file,
        columns=_name_columns(file),
        fields=tuple(_compile_field(field, selector) for field, selector in file.fields.items()),
        headers={
            key_form(alias): field
            for field, selector in file.fields.items()
            for alias in selector.header_aliases
        },
        rows=tuple((css, compile_css(css)) for css in (file.row.primary, *file.row.fallbacks)),
        pinned=compile_css(file.row.pinned) if file.row.pinned else None,
        drop=tuple(compile_css(css) for css in file.drop),
        total=tuple(re.compile(pattern) for pattern in file.total.patterns),
        number_pattern=re.compile(number) if number else None,
        no_result=tuple(key_form(text) for text in file.no_result),
        ignored_headers=_header_forms(file.ignored_headers),
        details=_compile_details(file.details) if file.details else None,
    )


def _name_columns(file: SelectorsFile) -> tuple[Column, ...]:
    columns = [
        Column(field, selector.label_ko, selector.nested == "list")
        for field, selector in file.fields.items()
    ]
    if file.details:
        columns.append(Column(BODY, file.details.body_label_ko))
        columns.append(Column(FILES, file.details.files_label_ko, is_nested=True))
    return tuple(columns)


def _compile_details(selector: DetailSelector) -> DetailLocator:
    return DetailLocator(
        link=compile_css(selector.link),
        region=compile_css(selector.region),
        files=compile_css(selector.files) if selector.files else None,
        drop=tuple(compile_css(css) for css in selector.drop),
    )


def _compile_field(field: str, selector: FieldSelector) -> FieldLocator:
    return FieldLocator(
        field=field,
        label_ko=selector.label_ko,
        primary=_compile_locator(selector),
        fallbacks=tuple(_compile_locator(fallback) for fallback in selector.fallbacks),
        nested=selector.nested,
        prefers_title=selector.title_attr,
    )


def _compile_locator(selector: FieldSelector | FallbackSelector) -> Locator:
    by_header = selector.strategy == "header_text"
    wording = ", ".join(selector.header_aliases) if by_header else selector.selector
    return Locator(
        strategy=selector.strategy,
        path=None if by_header else compile_css(selector.selector),
        attr=selector.attr if selector.strategy == "attr" else "",
        extract=re.compile(selector.extract) if selector.extract else None,
        headers=_header_forms(selector.header_aliases),
        source=f"{selector.strategy} {wording}",
    )


def _header_forms(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(key_form(text) for text in texts)
