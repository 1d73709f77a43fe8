"""The name of a downloaded file: read from what the server says, then made safe; pure.

RFC 6266 and 5987 as they are lived: a parameter `filename*` with its charset, else `filename` in
plain bytes (UTF-8 or CP949) or percent-encoded. A header is untrusted; what comes out is one path
segment that every file system takes and that starts no program when somebody opens it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote_to_bytes, urlsplit

MAX_CHARS = 60
MAX_UTF8_BYTES = 180
"""Leaves room for a digest before the name: most file systems end at 255 bytes."""

MAX_EXTENSION_CHARS = 20
MAX_HEADER_CHARS = 8192
FALLBACK = "file"
INERT = ".bin"

_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "iso-8859-1": "latin-1",
    "us-ascii": "ascii",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "ksc5601": "cp949",
    "cp949": "cp949",
    "ms949": "cp949",
    "windows-949": "cp949",
}
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_BLANKS = " \t"  # not str.strip's own: bytes of Korean text that came as Latin-1 are blanks to it
_REFUSED = frozenset('<>:"/\\|?*')

# Letters and marks that show nothing, so that two different names would look the same.
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"}
)
# What Windows runs, installs, mounts or takes settings from at a double click.
_STARTING_WORDS = """
ahk appinstaller application appref-ms appx appxbundle bat chm cmd com cpl diagcab dll drv exe
gadget hlp hta img inf ins iso isp jar jnlp job js jse library-ms lnk msc msh msi msix
msixbundle msp mst msu ocx pif prf prg ps1 ps1xml ps2 psc1 psd1 psm1 py pyc pyo pyw pyz pyzw reg
scf scr sct search-ms settingcontent-ms shb shs sys theme url vb vbe vbs vhd vhdx website ws wsc
wsf wsh xbap xll
"""
_STARTING = frozenset(_STARTING_WORDS.split())


def safe_file_name(content_disposition: str | None, url: str, label: str = "") -> str:
    """Return under which name to keep a file: of its header, else its label, else its address.

    Args:
        content_disposition: The header's value, its bytes as Latin-1; None where there is none.
        url: Where the file came from.
        label: Text of the link that led to it, where that may stand for the name.

    Returns:
        1 to 60 characters in NFC, the extension kept; never a path, a device of Windows, or
        anything that it would start.
    """
    candidates = (_read_header(content_disposition or ""), label, _last_segment(url))
    cleaned = (_clean(candidate) for candidate in candidates)
    name = _shorten(next((name for name in cleaned if name), FALLBACK), MAX_CHARS)
    if _extension(name)[1:].lower() in _STARTING:
        name = _shorten(name, MAX_CHARS - len(INERT)) + INERT
    return name


# --- what the server says ------------------------------------------------------------------------


def _read_header(value: str) -> str:
    """Return the name in a Content-Disposition, "" where there is none that can be read."""
    fields: dict[str, str] = {}
    for name, text in _split_fields(value[:MAX_HEADER_CHARS]):
        fields.setdefault(name, text)
    return _decode_extended(fields.get("filename*", "")) or _decode_plain(
        fields.get("filename", "")
    )


def _split_fields(value: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters of a header, names in lower case, quotes undone; never backwards."""
    at = 0
    while at < len(value):
        end = _find_end(value, at)
        name, is_pair, text = value[at:end].partition("=")
        if is_pair:
            yield name.strip(_BLANKS).lower(), _unquote(text.strip(_BLANKS))
        at = end + 1


def _find_end(value: str, at: int) -> int:
    """Return where the parameter that begins at a place ends: at a semicolon outside quotes."""
    is_quoted = False
    while at < len(value) and (is_quoted or value[at] != ";"):
        if value[at] == '"':
            is_quoted = not is_quoted
        elif value[at] == "\\" and is_quoted:
            at += 1
        at += 1
    return min(at, len(value))


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    inner = text[1:-1] if text.endswith('"') and len(text) > 1 else text[1:]
    # A backslash before anything else is that of a path, as some servers send it.
    return inner.replace('\\"', '"').replace("\\\\", "\\")


def _decode_extended(text: str) -> str:
    """Return the text of `charset'language'percent-encoded` (RFC 5987), "" where it is none."""
    charset, _, rest = text.partition("'")
    _, is_complete, encoded = rest.partition("'")
    codec = _CHARSETS.get(charset.strip(_BLANKS).lower())
    if codec is None or not is_complete or not encoded.isascii():
        return ""
    with suppress(UnicodeDecodeError):
        return unquote_to_bytes(encoded).decode(codec)
    return ""


def _decode_plain(text: str) -> str:
    """Return a name whose bytes came as Latin-1 or percent-encoded."""
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:  # somebody has decoded it already
        return text
    if _is_percent_encoded(text):
        raw = unquote_to_bytes(raw)
    for codec in ("utf-8", "cp949"):
        with suppress(UnicodeDecodeError):
            return raw.decode(codec)
    return text


def _is_percent_encoded(text: str) -> bool:
    """Say whether a name is ASCII and every percent sign of it begins an encoded byte."""
    pieces = text.split("%")[1:]
    return text.isascii() and all(
        len(piece) >= 2 and piece[0] in _HEX_DIGITS and piece[1] in _HEX_DIGITS for piece in pieces
    )


def _last_segment(url: str) -> str:
    """Return the last segment of an address's path that is not empty, decoded."""
    with suppress(ValueError):
        path = urlsplit(url).path.rstrip("/").rpartition("/")[2]
        return _decode_plain(path.partition(";")[0])
    return ""


# --- made safe -----------------------------------------------------------------------------------


def _clean(text: str) -> str:
    """Return the last segment of a name without what a file system, or an eye, trips over."""
    text = unicodedata.normalize("NFC", text.replace("\\", "/").rpartition("/")[2])
    shown = "".join(map(_clean_char, text))
    name = unicodedata.normalize("NFC", " ".join(shown.split())).strip(". ")
    if name.partition(".")[0].rstrip(" ").lower() in _DEVICES:
        return f"_{name}"
    return name


def _clean_char(char: str) -> str:
    """Return a character, a blank for any white space, "" for what shows nothing."""
    if char.isspace():
        return " "
    # Cc controls, Cf directions and joiners, Cs halves, Co private use, Cn not assigned
    if unicodedata.category(char).startswith("C") or ord(char) in _INVISIBLE:
        return ""
    return "_" if char in _REFUSED else char


def _extension(name: str) -> str:
    """Return the extension with its dot, "" where there is none or it is too long for one."""
    stem, dot, extension = name.rpartition(".")
    return dot + extension if stem and len(extension) <= MAX_EXTENSION_CHARS else ""


def _shorten(name: str, max_chars: int) -> str:
    """Cut a name to a number of characters, and to the bytes of most file systems, at its stem."""
    extension = _extension(name)
    stem = name.removesuffix(extension)[: max_chars - len(extension)]
    while len((stem + extension).encode()) > MAX_UTF8_BYTES - len(INERT):
        stem = stem[:-1]
    return (stem.rstrip(". ") + extension).strip(". ") or FALLBACK
