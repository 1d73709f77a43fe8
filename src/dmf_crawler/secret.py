"""A key that a request carries: put in just before it is sent, taken out of all that comes back.

Everywhere else, in addresses, logs, the raw store and messages, a mark stands in its place.
"""

from __future__ import annotations

import html
import re
from urllib.parse import quote, unquote

_SHAPE = re.compile(r"[A-Za-z0-9+/=._~-]{8,500}")
_MARK = re.compile(r"~[A-Z][A-Z0-9_]*_KEY~")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_GAP = "\x00{0,3}"
"""What lies between two letters of a text in UTF-16 or UTF-32."""

MOST_SHOWN = 16
"""So many letters in a row are the key, or its beginning."""


def mark_of(variable: str) -> str:
    """Return what stands in the place of a key, known by the variable that holds it.

    All of its characters mean themselves in every part of an address (RFC 3986, 2.3).
    """
    return f"~{variable}~"


def has_mark(text: str) -> bool:
    """Say whether a key is missing from an address, so that nobody can open it."""
    return _MARK.search(text) is not None


class Secret:
    """A key that shows itself to nobody.

    Args:
        variable: The environment variable that holds it.
        key: As it was issued, not percent-encoded.
    """

    __slots__ = ("_bytes_form", "_encoded", "_mark", "_text_form", "variable")

    def __init__(self, variable: str, key: str) -> None:
        self.variable = variable
        self._mark = mark_of(variable)
        self._encoded = quote(key, safe="")
        forms = [_any_form(letter) for letter in key]
        # An echo may be cut: what begins like the key is taken out, too.
        forms[MOST_SHOWN:] = [f"(?:{form})?" for form in forms[MOST_SHOWN:]]
        pattern = _GAP.join(forms)
        self._text_form = re.compile(pattern, re.IGNORECASE)
        self._bytes_form = re.compile(pattern.encode("ascii"), re.IGNORECASE)

    def __repr__(self) -> str:
        return f"Secret({self._mark})"

    def put_into(self, text: str) -> str:
        """Return an address or a form body with the percent-encoded key in place of its mark."""
        return text.replace(self._mark, self._encoded)

    def take_out_of(self, text: str) -> str:
        """Return a text with the mark in place of the key, however the key is written there."""
        return self._text_form.sub(self._mark, text)

    def take_out_of_bytes(self, content: bytes) -> bytes:
        """Return a body with the mark in place of the key, however the key is written there."""
        return self._bytes_form.sub(self._mark.encode("ascii"), content)


def read_secret(variable: str, text: str) -> Secret | None:
    """Return the key that a variable holds, None where that can be none.

    Issuers hand keys out in two forms: one that is already percent-encoded is decoded once, since
    it would be encoded twice otherwise.
    """
    key = text.strip()
    if _ESCAPE.search(key):
        key = unquote(key)
    return Secret(variable, key) if _SHAPE.fullmatch(key) else None


def describe_missing(variable: str) -> str:
    """Say in Korean that a variable holds no key, and what to do."""
    return (
        f"공공데이터 API의 인증키가 없습니다. 환경 변수 {variable} 가 비어 있거나 인증키의 형식이 "
        "아닙니다. 공공데이터포털(data.go.kr)에서 받은 인증키를 이 프로그램을 실행하는 계정의 환경 "
        "변수에 넣고 창을 새로 연 뒤 다시 실행하십시오."
    )


def _any_form(letter: str) -> str:
    """Return a pattern of all ways in which one letter of a key may be written.

    As it is, in small or capital letters; percent-encoded, up to four times over; in JSON and in
    HTML. A `+` that was decoded as part of a form is a blank.
    """
    forms = [letter, html.escape(letter), f"&#{ord(letter)};"]
    forms += [" "] if letter == "+" else []
    forms += ["\\/"] if letter == "/" else []
    patterns = [_GAP.join(map(re.escape, form)) for form in dict.fromkeys(forms)]
    digits = f"{ord(letter):02x}"
    patterns += [
        _GAP.join(["%", f"(?:2{_GAP}5{_GAP}){{0,3}}", *code])
        for code in ([digits, "20"] if letter == "+" else [digits])
    ]
    patterns.append(_GAP.join(["\\\\", "u", "0", "0", *digits]))
    patterns.append(_GAP.join(["&", "#", "x", "0{0,4}", *digits, ";"]))
    return f"(?:{'|'.join(patterns)})"
