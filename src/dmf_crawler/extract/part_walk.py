"""One XML part of a workbook, walked from its start to its end without making a tree of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol
from xml.parsers.expat import ExpatError, ParserCreate

from dmf_crawler.extract import workbook_faults as faults
from dmf_crawler.model.run import Fault

MAX_ELEMENTS = 4_000_000
"""Of one part; a cell has two."""

MAX_DEPTH = 64
"""A cell's text is seven deep."""

_N_CHUNK_BYTES = 64 * 1024
_SHEET_SPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/package/2006/relationships",
)
"""Transitional and strict workbooks (ECMA-376, parts 4 and 1), and relationships (part 2)."""


class PartReader(Protocol):
    """What is told of the elements of a part.

    Attributes:
        fault: Why the rest is not worth reading, None while it is.
    """

    fault: Fault | None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's start: local name, "" where it is of a foreign namespace."""

    def end(self, name: str) -> None:
        """Take its end."""

    def text(self, text: str) -> None:
        """Take text, whole or in pieces."""


class _Guard:
    """Counts what an XML part has, and names elements for its reader."""

    def __init__(self, reader: PartReader) -> None:
        self._reader = reader
        self._n_elements = 0
        self._depth = 0
        self.is_beyond = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._n_elements += 1
        self._depth += 1
        if self._n_elements > MAX_ELEMENTS or self._depth > MAX_DEPTH:
            self.is_beyond = True
        if not (self.is_beyond or self._reader.fault):
            self._reader.start(_local_name(name), attributes)

    def end(self, name: str) -> None:
        self._depth -= 1
        if not (self.is_beyond or self._reader.fault):
            self._reader.end(_local_name(name))


def walk_part(part: bytes, reader: PartReader) -> Fault | None:
    """Tell a reader what is in a part.

    Args:
        part: XML without DTD, in UTF-8 (or UTF-16 with a byte order mark) whatever it declares.
        reader: Is told; a fault that it notes ends the walk.

    Returns:
        The reader's fault, or one of `damaged_workbook` (retryable), `workbook_too_large`, or None.
    """
    guard = _Guard(reader)
    parser = ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.StartElementHandler = guard.start
    parser.EndElementHandler = guard.end
    parser.CharacterDataHandler = reader.text
    try:
        for start in range(0, len(part), _N_CHUNK_BYTES):
            parser.Parse(part[start : start + _N_CHUNK_BYTES], False)  # noqa: FBT003
            if reader.fault or guard.is_beyond:
                break
        else:
            parser.Parse(b"", True)  # noqa: FBT003
    except ExpatError as error:
        return faults.damaged_workbook(f"XML {error.lineno}행 {error.offset}째 글자")
    if guard.is_beyond:
        return faults.too_large(f"XML 요소 {MAX_ELEMENTS:,}개나 깊이 {MAX_DEPTH}을 넘음")
    return reader.fault


@lru_cache(maxsize=512)
def _local_name(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return local if space in _SHEET_SPACES else ""
