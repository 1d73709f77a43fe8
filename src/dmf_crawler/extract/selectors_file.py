"""The types of selectors/<board>.yaml: the whole vocabulary of a board's selectors.

docs/selectors.md explains each key. `selector_checks.check_selectors` finds what types cannot say;
`selectors.compile_selectors` makes the file ready to use.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from dmf_crawler.config_types import Count, PositiveInt, Struct
from dmf_crawler.model.record import FieldKind

Strategy = Literal["header_text", "label", "css", "xpath", "attr", "between", "json_ld"]
Nested = Literal["", "list", "join", "first"]
WhiteSpace = Literal["keep", "lines", "collapse"]


UNSEEN = (
    *(".blind", ".sr-only", ".sr_only", ".visually-hidden", ".screen-reader-text", ".screen_out"),
    *(".sound_only", ".a11y-hidden", ".hide", ".hidden", ".hid", ".txt_hide", ".d-none"),
    *(".ir", ".IR"),
)
"""Classes by which sites say that people do not see an element."""


class TableSelector(Struct, frozen=True, kw_only=True):
    """What tells the list from another register with the same columns.

    Attributes:
        names: Where the table names itself (caption, summary, aria-label), one of these is in it.
    """

    names: tuple[str, ...] = ()


class RowSelector(Struct, frozen=True, kw_only=True):
    """Which rows of the accepted table are data; CSS, header rows and nested tables left out.

    Attributes:
        primary: Tried first.
        fallbacks: Tried in turn when the ones before find no row.
        pinned: Finds the rows, or something in the rows, that the site pins on top of every page
            whatever their place in the list; "" where it pins none.
        duplicates: Rows that say a row beside them once more, for small screens.
        min_expected: Fewest records of the whole list (gate G-1).
        max_expected: Most rows on a page.
    """

    primary: str
    fallbacks: tuple[str, ...] = ()
    pinned: str = ""
    duplicates: tuple[str, ...] = ()
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
        moves: `never`: the value of a record stays as it is; `forward`: a date or a year only
            grows.
        known_words: Whether the values come from a vocabulary that hardly ever grows: those of
            the list so far.
    """

    pattern: str | None = None
    required: bool = False
    enum: tuple[str, ...] = ()
    date_formats: tuple[str, ...] = ()
    min_length: Count | None = None
    max_length: Count | None = None
    unique: bool = False
    moves: Literal["", "never", "forward"] = ""
    known_words: bool = False


class FallbackSelector(Struct, frozen=True, kw_only=True):
    """Another way to find a field, used only where the ones before find nothing.

    Attributes:
        strategy: As in `FieldSelector`, and so are the others.
        header_aliases: For `header_text`.
        labels: For `label`.
        selector: For `css`, `xpath` and `attr`.
        attr: For `attr`.
        extract: For `attr`.
        left: For `between`.
        right: For `between`.
        path: For `json_ld`.
    """

    strategy: Strategy
    header_aliases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    selector: str = ""
    attr: str = ""
    extract: str = ""
    left: str = ""
    right: str = ""
    path: str = ""


class FieldSelector(Struct, frozen=True, kw_only=True):
    """One field of a record.

    Attributes:
        label_ko: Korean header for people; "" for the field's own id.
        strategy: `header_text`: the column under one of `header_aliases`; `label`: what belongs to
            the label (dt, th, a label element of the cell) that says one of `labels`; `css` and
            `xpath`: the only element below the row that `selector` finds; `attr`: such an element's
            attribute `attr`; `between`: what stands in a cell's HTML between `left` and `right`;
            `json_ld`: what `path` finds in the page's JSON-LD.
        header_aliases: Header texts, compared by `text.key_form`.
        labels: Label texts, compared likewise.
        selector: CSS, or relative XPath, below the row.
        attr: Attribute name.
        extract: Regular expression whose only group is the value inside the attribute; "" for the
            whole attribute.
        left: Literal HTML before the value.
        right: Literal HTML behind it.
        path: Names joined by dots, `[*]` behind the one that holds a list.
        fallbacks: Tried in turn.
        kind: What the column holds.
        nested: What becomes of a table inside the cell: "", there is none; `list`, an ordered
            list of its values; `join`, their text line by line; `first`, the first that is not
            empty.
        title_attr: Whether the cell's `title` replaces a text that ends in an ellipsis.
        white_space: Inside a value: `keep` it as the page has it, `lines` makes one blank of any
            in a line and keeps the line feeds, `collapse` makes one blank of any.
        placeholders: Texts that mean an empty cell when they stand alone, besides those of the
            file.
        validate: What its values look like.
        api_name: Name of the field in the open API's answers, "" where it has none.
    """

    label_ko: str = ""
    strategy: Strategy = "header_text"
    header_aliases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    selector: str = ""
    attr: str = ""
    extract: str = ""
    left: str = ""
    right: str = ""
    path: str = ""
    fallbacks: tuple[FallbackSelector, ...] = ()
    kind: FieldKind = FieldKind.TEXT
    nested: Nested = ""
    title_attr: bool = False
    white_space: WhiteSpace = "keep"
    placeholders: tuple[str, ...] = ()
    validate: Validate = Validate()
    api_name: str = ""


class TotalSelector(Struct, frozen=True, kw_only=True):
    """Where the page says how many records the list has.

    Attributes:
        patterns: Regular expressions on the page's text; group 1 is the number, commas allowed.
    """

    patterns: tuple[str, ...] = (r"총\s*([0-9,]+)\s*건",)


class KeySelector(Struct, frozen=True, kw_only=True):
    """Field ids that identify a record: the number alone, or with applicant and first date."""

    number: str = "reg_no"
    applicant: str = "company"
    first_date: str = "registered_on"
    ingredient: str = "ingredient_name"


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
        fields: Field id → how to find it on the detail page; `header_text` finds none there.
    """

    link: str
    region: str
    files: str = ""
    drop: tuple[str, ...] = ()
    body_label_ko: str = "본문"
    files_label_ko: str = "첨부파일"
    fields: dict[str, FieldSelector] = msgspec.field(default_factory=dict)


class SelectorsFile(Struct, frozen=True, kw_only=True):
    """selectors/<board>.yaml.

    Attributes:
        board_id: The board it is for.
        schema_version: Rises with every change of meaning; stored with each run.
        verified_at: Day on which it was last seen to fit the site.
        row: Which rows are data.
        fields: Field id → how to find it, in the order of the stored record.
        table: What tells the list from another register.
        total: How many records the site says it has.
        key: What identifies a record.
        status: Which field says that a record is withdrawn; None where none does.
        compare_within: Field id: what is rare among the rows that have the same value there is
            looked at in a new row (the country of the maker); "" for all rows.
        details: The pages behind the rows' links; None where they are not read.
        source_url_template: Address of a list page, for people.
        no_result: Texts of the one row that stands for an empty list.
        end_marker: Text without which a page was cut.
        ignored_headers: Columns that are never read, such as a running number.
        drop: CSS of elements inside cells that are labels, not values.
        unseen: CSS of elements inside cells that only a screen reader is told, besides those that
            their own markup hides.
        placeholders: Texts that mean an empty cell when they stand alone.
        export_joint: What joins the values of a nested column in a cell of the site's workbook.
        ignored_api_names: Names in the open API's answers that are never read.
    """

    board_id: str
    schema_version: PositiveInt
    verified_at: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    row: RowSelector
    fields: dict[str, FieldSelector]
    table: TableSelector = TableSelector()
    total: TotalSelector = TotalSelector()
    key: KeySelector = KeySelector()
    status: StatusSelector | None = None
    compare_within: str = ""
    details: DetailSelector | None = None
    source_url_template: str | None = None
    no_result: tuple[str, ...] = ()
    end_marker: str = "</html>"
    ignored_headers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    unseen: tuple[str, ...] = UNSEEN
    placeholders: tuple[str, ...] = ()
    export_joint: str = "@"
    ignored_api_names: tuple[str, ...] = ()
