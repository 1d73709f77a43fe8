"""Do the values that a reader found occur in the body at all?"""

import html
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html.parser import HTMLParser

_TAG = re.compile(r"<!\[CDATA\[|<![^>]*>|<[^<>]*>")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_CODECS = ("utf-8-sig", "cp949", "utf-16")


def find_invented(body: bytes, values: Iterable[str]) -> list[str]:
    """Return the values that no reading of a body has, white space and invisible ones aside."""
    sources = _sources_of_package(body) if body.startswith(b"PK") else _sources(body)
    wanted = {value for value in values if _squeeze(value)}
    if body.startswith(b"PK"):  # numbers and days are not written there as they are read
        wanted = {value for value in wanted if any(map(str.isalpha, value))}
    for source in sources:
        for text in _plain_texts(source):
            found = _squeeze(text)
            wanted = {value for value in wanted if not _occurs(value, found)}
            if not wanted:
                return []
    return sorted(wanted)


def _sources(body: bytes) -> Iterator[str]:
    for codec in _CODECS:
        source = body.decode(codec, "ignore")
        yield source
        with suppress(ValueError, RecursionError):
            yield "\n".join(_texts_of(json.loads(source)))


def _texts_of(tree: object) -> Iterator[str]:
    if isinstance(tree, dict | list):
        for child in tree.values() if isinstance(tree, dict) else tree:
            yield from _texts_of(child)
    else:
        yield str(tree)


def _sources_of_package(body: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for entry in archive.infolist():
            if entry.filename.lower().endswith(".xml"):
                for codec in ("utf-8-sig", "utf-16"):
                    source = archive.read(entry).decode(codec, "ignore")
                    yield source
                    yield _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), source)


def _occurs(value: str, text: str) -> bool:
    """Say whether a text has a value; markup inside textarea is text to some, none to others."""
    if _squeeze(value) in text:
        return True
    parts = _TAG.split(value)
    return len(parts) > 1 and all(
        _squeeze(part) in text or _squeeze(html.unescape(part)) in text for part in parts
    )


def _plain_texts(source: str) -> Iterator[str]:
    """Yield the page's text as different readers would have it."""
    yield source
    yield html.unescape(_TAG.sub("", source))
    without = re.sub(
        r"<!--.*?--!?>|<(script|style|template)\b.*?</\1\s*>", "", source, flags=re.S | re.I
    )
    yield html.unescape(_TAG.sub("", without))
    labels = re.sub(r"<span[^<>]*s-th[^<>]*>[^<]*</span>", "", without)
    yield html.unescape(_TAG.sub("", labels))
    yield html.unescape(source)
    reader = _TextReader()
    with suppress(AssertionError):  # which it raises at some marked sections
        reader.feed(source)
        reader.close()
    yield "".join(reader.parts)


class _TextReader(HTMLParser):
    """Python's own reader, that shares nothing with lxml."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _squeeze(text: str) -> str:
    """Leave out white space, invisible characters, and what `html.unescape` has for a NUL."""
    shown = (char for char in text if unicodedata.category(char)[0] not in "CZ")
    return "".join(shown).replace("\ufffd", "")
