"""Bytes of an xlsx file → its XML parts, or the reason why they are not to be had.

An xlsx file is a ZIP archive of XML parts (ECMA-376, part 2). Nothing that its directory says is
believed: bytes are counted while they are unpacked. Parts that are no XML (macros, pictures) stay
packed.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from dmf_crawler.extract import workbook_faults as faults
from dmf_crawler.extract.other_answers import name_answer
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

MAX_ENTRIES = 500
"""A workbook of one list has about ten."""

MAX_UNPACKED_BYTES = 64 * 1024 * 1024
"""Of all XML parts; twelve thousand rows are about 12 MB."""

MAX_RATIO = 100
"""Unpacked to packed bytes of one part, as Apache POI has it; a list has 10 to 20."""

_N_FREE_BYTES = 1024 * 1024
"""A part of up to so many bytes may be packed as well as it can."""

_N_CHUNK_BYTES = 64 * 1024
_ZIP_START = b"PK\x03\x04"
_ENTRY_START = b"PK\x01\x02"
_CONTENT_TYPES = "[content_types].xml"
_XML_ENDINGS = (".xml", ".rels")
_ENCRYPTED = 0x1
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")

# What zipfile says of archives that are none: it checks some fields, and trips over others.
_DAMAGES = (
    BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)

Parts = Mapping[str, bytes]
"""Name of a part in lower case, as names are compared (ECMA-376) → its XML."""


def open_package(page: RawPage) -> Parts | Fault:
    """Unpack a workbook's XML parts.

    Returns:
        The parts; or one of the faults `not_a_workbook`, `damaged_workbook` (both retryable),
        `workbook_too_large`.
    """
    if not page.body.startswith(_ZIP_START):
        return faults.not_a_workbook(name_answer(page))
    n_entries = page.body.count(_ENTRY_START)
    if n_entries > MAX_ENTRIES:  # before a directory is made of them
        return faults.too_large(f"안에 든 파일 {n_entries:,}개, 한도 {MAX_ENTRIES:,}개")
    try:
        with ZipFile(io.BytesIO(page.body)) as archive:
            return _unpack(archive)
    except _DAMAGES as error:
        return faults.damaged_workbook(type(error).__name__)


def _unpack(archive: ZipFile) -> Parts | Fault:
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    names = [_name_part(entry) for entry in entries]
    if len(set(names)) != len(names):
        return faults.damaged_workbook("같은 이름이 두 번 있음")
    if fault := _check_names(names):
        return fault
    parts: dict[str, bytes] = {}
    n_left = MAX_UNPACKED_BYTES
    for name, entry in zip(names, entries, strict=True):
        if name.endswith(_XML_ENDINGS):
            part = _unpack_part(archive, entry, n_left)
            if isinstance(part, Fault):
                return part
            parts[name] = part
            n_left -= len(part)
    return parts


def _name_part(entry: ZipInfo) -> str:
    return entry.filename.replace("\\", "/").removeprefix("/").lower()


def _check_names(names: list[str]) -> Fault | None:
    if "xl/workbook.bin" in names:
        return faults.not_a_workbook("이진 엑셀(.xlsb) 파일")
    if _CONTENT_TYPES not in names or not any(name.startswith("xl/") for name in names):
        return faults.not_a_workbook("엑셀이 아닌 ZIP 파일")
    return None


def _unpack_part(archive: ZipFile, entry: ZipInfo, n_left: int) -> bytes | Fault:
    """Unpack one part, as far as it is within the limits."""
    if entry.flag_bits & _ENCRYPTED:
        return faults.not_a_workbook("암호가 걸린 ZIP 파일")
    if entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        return faults.damaged_workbook(f"압축 방식 {entry.compress_type}")
    part = bytearray()
    with archive.open(entry) as stream:
        while chunk := stream.read(_N_CHUNK_BYTES):
            part += chunk
            if len(part) > n_left:
                return faults.too_large(f"압축을 풀면 한도 {MAX_UNPACKED_BYTES:,}바이트를 넘음")
            if len(part) > max(_N_FREE_BYTES, MAX_RATIO * entry.compress_size):
                return faults.too_large(f"{MAX_RATIO}배가 넘게 압축되어 있음")
    text = part.replace(b"\0", b"") if b"\0" in part else part  # UTF-16 hides no declaration
    if any(declaration in text for declaration in _DECLARATIONS):
        return faults.too_large("XML에 DTD나 ENTITY 선언이 있음")
    return bytes(part)
