"""What the pages say: rows, records, one snapshot of the whole list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Value = str | tuple[str, ...]
"""One cell after label and placeholder removal: text, or a nested column's values in order."""


Fields = Mapping[str, Value]
"""Field id → value, in the order of the selectors file, without 순번."""


class FieldKind(StrEnum):
    """What a column holds. It grades a change, and decides no recording (docs/data_model.md)."""

    KEY = "key"
    EXACT = "exact"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    ENUM = "enum"
    TEXT = "text"  # free text
    LIST = "list"  # texts in an order that means something: positions pair with other columns
    ATTACHMENTS = "attachments"  # a set of files, each with its digest


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a page's table, by field.

    Attributes:
        fields: Field id → value; what gets compared and stored.
        shown: Field id → text exactly as it stood in the cell, only where it differs from the
            value (outer white space, placeholder); nested values joined with U+001F.
        row_no: 1-based among the data rows of its page.
        link: The row's link to its detail page as it stands in the page, "" where it has none or
            where it says that it is not to be followed.
    """

    fields: Fields
    shown: Mapping[str, str]
    row_no: int
    link: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Which selector found the values of a field.

    Attributes:
        field: Field id, or `row` for the rows themselves.
        position: 0 for the primary selector, 1 for the first fallback.
        selector: Strategy and what it looks for, such as `css td.reg-no`.
    """

    field: str
    position: int
    selector: str


@dataclass(frozen=True, slots=True)
class PageTable:
    """One page, read.

    Attributes:
        page_no: 1-based.
        rows: n_rows rows in page order, without the pinned ones.
        announced_total: How many records the site says the whole list has.
        source: SHA-256 of the page.
        url: Where it came from.
        delivered: One a field: the selector that found its values on this page; none of a page
            without rows.
        pinned: Rows that the site pins on top of every page, whatever their place in the list.
        follows_links: False where the page asks robots not to follow its links.
        links_base: What its links are relative to.
    """

    page_no: int
    rows: tuple[PageRow, ...]
    announced_total: int
    source: str
    url: str
    delivered: tuple[Delivery, ...] = ()
    pinned: tuple[PageRow, ...] = ()
    follows_links: bool = True
    links_base: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the list, with where it came from.

    Attributes:
        key: Natural key: canonical 등록번호 without blanks, Latin in upper case; or
            `number|applicant|first date` where the number does not identify it.
        fields: Field id → value.
        shown: As in `PageRow`.
        source: SHA-256 of the page.
        url: The page's address.
        row_no: 1-based row on that page.
        detail_url: Address of its detail page in normal form, "" where it has none in scope.
        is_joined: Whether a nested column holds one text that its source may have joined from the
            values of several sites.
    """

    key: str
    fields: Fields
    shown: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    url: str = ""
    row_no: int = 0
    detail_url: str = ""
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole list as one consistent read showed it.

    Attributes:
        records: Key → record, in list order.
        announced_total: What the site says it has, pinned records that it leaves out added; equal
            to the number of records.
        n_pages: Pages it was read from.
        delivered: Which selectors found the values, each with the number of rows; a field's
            primary one stands there with 0 where another one found them all.
        split_numbers: Canonical numbers shared by several records (each has a composite key).
        n_without_number: Records that had no number and got a composite key.
        links: Key → what the page's links are relative to, and the row's link as it stands there;
            only where there is one that may be followed.
    """

    records: Mapping[str, Record]
    announced_total: int
    n_pages: int
    delivered: Mapping[Delivery, int] = field(default_factory=dict)
    split_numbers: tuple[str, ...] = ()
    n_without_number: int = 0
    links: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a board as people see it: field id, Korean header, whether it is nested."""

    field: str
    label_ko: str
    is_nested: bool = False
