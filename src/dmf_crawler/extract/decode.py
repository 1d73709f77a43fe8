"""Bytes of a page → text, or the reason why not.

The charset is never guessed from statistics: a page is what it declares, if its bytes agree
strictly, else UTF-8, else CP949. `euc-kr` means CP949 as it does for browsers (WHATWG Encoding);
other declared charsets are not those of a Korean public site and are passed over, because some of
them (ISO-8859-1) decode any bytes without complaint.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from dmf_crawler.model.run import Fault

_CODEC_OF = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    **dict.fromkeys(
        [
            "cp949",
            "euc-kr",
            "euckr",
            "euc_kr",
            "ks_c_5601",
            "ks_c_5601-1987",
            "ks_c_5601-1989",
            "ksc5601",
            "ksc_5601",
            "windows-949",
            "uhc",
            "ms949",
            "korean",
        ],
        "cp949",
    ),
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_N_SNIFFED_BYTES = 1024
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_CONTROL_BYTES = bytes((*range(9), 11, 12, *range(14, 32), 127))
_UPPER_CONTROL = re.compile(b"\xc2[\x80-\x9f]")
_CONTROL_REFERENCE = re.compile(
    "&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|127)(?![0-9])"
    "|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]));?"
)
_CP1252 = {code: bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xC0)}
_TRAILING = "".join({*map(chr, range(0x80, 0xC0)), *_CP1252.values()} - {"\ufffd"})
_TWICE = re.compile(f"(?:[\u00ea-\u00ed][{re.escape(_TRAILING)}]{{2}}){{2,}}")
"""Hangul syllables, three bytes of UTF-8 each, every byte read as a character of its own; one alone
could be what somebody wrote."""

_BYTE_OF = {char: code for code, char in _CP1252.items()}
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


def decode_page(body: bytes, content_type: str) -> str | Fault:
    r"""Decode a page: BOM, header charset, meta charset, UTF-8, CP949, each strictly.

    An XML declaration is removed, and so is every control character but \t, \r and \n, whether it
    stands there as such or as a numeric reference: an HTML parser may stop at one and return half
    a page, and none of them is ever a value. A character cut off at the very end is no mojibake:
    it is dropped, and the missing end marker will tell that the page was cut.

    Args:
        body: As received, content coding undone.
        content_type: The Content-Type header, or "".

    Returns:
        The text; or a fault: `empty_page` (retryable) where nothing but blanks came, `mojibake`
        where no charset fits or the text has U+FFFD.
    """
    tried: list[str] = []
    for codec in _charsets(body, content_type):
        if codec in tried:
            continue
        tried.append(codec)
        try:
            text = codecs.getincrementaldecoder(codec)().decode(body)
        except UnicodeDecodeError:
            continue
        if twice := _find_twice(text):
            return _mojibake(f"두 번 부호화된 글자가 있습니다('{twice}')")
        return _check_text(_clean(text, body), codec)
    return _mojibake(f"{', '.join(tried)} 어느 문자 집합으로도 읽히지 않습니다")


def _find_twice(text: str) -> str:
    """Return the first word that was encoded as UTF-8 twice, "" where there is none."""
    if not any(lead in text for lead in "\u00ea\u00eb\u00ec\u00ed"):
        return ""
    for match in _TWICE.finditer(text):
        codes = [_BYTE_OF.get(char, ord(char)) for char in match[0]]
        try:
            word = bytes(codes).decode("utf-8")
        except ValueError:  # no bytes, or none of UTF-8
            continue
        if all("가" <= syllable <= "힣" for syllable in word):
            return match[0]
    return ""


def _charsets(body: bytes, content_type: str) -> Iterator[str]:
    """Yield the codecs to try, in order; the same one may come twice."""
    yield from (codec for bom, codec in _BOMS if body.startswith(bom))
    declared = [match[1] for match in [_HEADER_CHARSET.search(content_type)] if match]
    if meta := _META_CHARSET.search(body[:_N_SNIFFED_BYTES]):
        declared.append(meta[1].decode("ascii", "replace"))
    yield from (_CODEC_OF[name.lower()] for name in declared if name.lower() in _CODEC_OF)
    yield from ("utf-8", "cp949")


def drop_controls(text: str) -> str:
    r"""Return a text without control characters, \t, \r and \n excepted."""
    return _CONTROLS.sub("", text)


def _clean(text: str, body: bytes) -> str:
    text = _CONTROL_REFERENCE.sub("", text)
    return _XML_DECLARATION.sub("", drop_controls(text) if _may_have_controls(body) else text)


def _may_have_controls(body: bytes) -> bool:
    """Say whether some bytes may be a control character, in any charset that is tried.

    In UTF-8, CP949 and UTF-16 such a character has its own byte, or is two bytes in UTF-8 (as they
    are in CP949, too, for a letter). Bytes are gone through much faster than characters are.
    """
    if len(body.translate(None, _CONTROL_BYTES)) < len(body):
        return True
    return b"\xc2" in body and _UPPER_CONTROL.search(body) is not None


def _check_text(text: str, codec: str) -> str | Fault:
    if not text.strip():
        return Fault(
            "empty_page",
            "받은 페이지에 내용이 없습니다. 내용이 있는 페이지가 와야 합니다. "
            "잠시 뒤 다시 요청하며, 계속되면 브라우저로 사이트를 확인해 주십시오.",
            exit_code=6,
            is_retryable=True,
        )
    if (position := text.find("\ufffd")) >= 0:
        around = text[max(0, position - 10) : position + 10].split()
        return _mojibake(f"{codec}로 읽으니 {position + 1}번째 글자가 깨져 있습니다 ({around})")
    return text


def _mojibake(found: str) -> Fault:
    return Fault(
        "mojibake",
        f"페이지의 글자가 깨졌습니다. {found}. UTF-8이나 CP949로 온전히 읽혀야 합니다. "
        "이 페이지는 쓰지 않습니다. 보관된 페이지와 사이트의 문자 집합을 확인해 주십시오.",
        exit_code=4,
    )
