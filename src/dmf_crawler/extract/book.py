"""What all sheets of a workbook share: their names, shared texts, formats, how days are counted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dmf_crawler.extract import workbook_faults as faults
from dmf_crawler.extract.number_format import FormatKind, read_format
from dmf_crawler.extract.package import Parts
from dmf_crawler.extract.part_walk import PartReader, walk_part
from dmf_crawler.model.run import Fault

MAX_SHEETS = 50

_RELATION_ID = re.compile(r"https?://[^ ]*/officeDocument/(?:2006/)?relationships id")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_NO_COUNT = 10**9


@dataclass(frozen=True, slots=True)
class Book:
    """What all sheets share.

    Attributes:
        sheets: Name and part of each, charts left out.
        texts: Shared texts.
        formats: One a style: what its number format shows.
        is_from_1904: Whether days are counted from 1904.
    """

    sheets: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    formats: tuple[FormatKind, ...]
    is_from_1904: bool


def read_book(parts: Parts) -> Book | Fault:
    """Read what the sheets need.

    Returns:
        It; or one of the faults `not_a_workbook`, `damaged_workbook` (both retryable),
        `workbook_too_large`.
    """
    package = _RelationReader()
    if fault := _walk_optional(parts, "_rels/.rels", package):
        return fault
    name = next(iter(package.of_kind("officeDocument")), "xl/workbook.xml")
    if name not in parts:
        return faults.not_a_workbook("엑셀이 아닌 ZIP 파일")
    folder, _, file_name = name.rpartition("/")
    workbook, relations = _WorkbookReader(), _RelationReader(folder=folder)
    texts, styles = _TextReader(), _StyleReader()
    fault = walk_part(parts[name], workbook) or _walk_optional(
        parts, posixpath.join(folder, "_rels", f"{file_name}.rels"), relations
    )
    for kind, reader in (("sharedStrings", texts), ("styles", styles)):
        for part in relations.of_kind(kind)[:1]:
            fault = fault or _walk_optional(parts, part, reader)
    if fault is None and len(workbook.sheets) > MAX_SHEETS:
        fault = faults.too_large(f"시트 {len(workbook.sheets)}개, 한도 {MAX_SHEETS}개")
    return fault or Book(
        sheets=tuple(relations.find_sheets(workbook.sheets)),
        texts=tuple(texts.texts),
        formats=tuple(styles.formats),
        is_from_1904=workbook.is_from_1904,
    )


def read_count(text: str) -> int:
    """Return a whole number that is not negative; a very large one where it is none."""
    is_count = text.isascii() and text.isdigit() and len(text) <= 9
    return int(text) if is_count else _NO_COUNT


def read_flag(attributes: Mapping[str, str], name: str) -> bool:
    """Say whether an attribute says yes."""
    return attributes.get(name, "") in {"1", "true", "on"}


def unescape(text: str) -> str:
    """Return a text with the characters that XML cannot have, written `_x000D_` (ST_Xstring)."""
    if "_x" not in text:
        return text
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)


def _walk_optional(parts: Parts, name: str, reader: PartReader) -> Fault | None:
    return walk_part(parts[name], reader) if name in parts else None


@dataclass(slots=True)
class SilentReader:
    """A reader of a part that takes nothing; others take what they need."""

    fault: Fault | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's start."""

    def end(self, name: str) -> None:
        """Take its end."""

    def text(self, text: str) -> None:
        """Take text."""


@dataclass(slots=True)
class _RelationReader(SilentReader):
    """Relationships of a part in some folder: id, kind, target."""

    folder: str = ""
    found: list[tuple[str, str, str]] = field(default_factory=list)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode", "Internal") == "Internal":
            target = posixpath.join("/", self.folder, attributes.get("Target", ""))
            part = posixpath.normpath(target).lstrip("/").lower()
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found.append((attributes.get("Id", ""), kind, part))

    def of_kind(self, kind: str) -> list[str]:
        """Return the targets of one kind."""
        return [part for _, each, part in self.found if each == kind]

    def find_sheets(self, sheets: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return name and part of the sheets with cells; no part where the relation is missing."""
        targets = {key: (kind, part) for key, kind, part in self.found}
        placed = [(name, *targets.get(key, ("", ""))) for name, key in sheets]
        return [(name, part) for name, kind, part in placed if kind in {"worksheet", ""}]


@dataclass(slots=True)
class _WorkbookReader(SilentReader):
    """The sheets' names and relationship ids, and how days are counted."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    is_from_1904: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "workbookPr":
            self.is_from_1904 = read_flag(attributes, "date1904")
        elif name == "sheet":
            keys = [value for key, value in attributes.items() if _RELATION_ID.fullmatch(key)]
            self.sheets.append((attributes.get("name", ""), "".join(keys[:1])))


@dataclass(slots=True)
class _StyleReader(SilentReader):
    """What each style of `cellXfs` shows; codes of number formats stand before the styles."""

    formats: list[FormatKind] = field(default_factory=list)
    _codes: dict[int, str] = field(default_factory=dict)
    _is_inside: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            number = read_count(attributes.get("numFmtId", ""))
            self._codes[number] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._is_inside = True
        elif name == "xf" and self._is_inside:
            number = read_count(attributes.get("numFmtId", "0"))
            self.formats.append(read_format(number, self._codes.get(number)))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_inside = False


@dataclass(slots=True)
class _TextReader(SilentReader):
    """Shared texts; how one is pronounced (`rPh`) is no part of it."""

    texts: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _is_text: bool = False
    _is_sound: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "si":
            self._pieces = []
        elif name == "rPh":
            self._is_sound = True
        elif name == "t":
            self._is_text = not self._is_sound

    def end(self, name: str) -> None:
        if name == "si":
            self.texts.append(unescape("".join(self._pieces)))
        elif name == "rPh":
            self._is_sound = False
        elif name == "t":
            self._is_text = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)
