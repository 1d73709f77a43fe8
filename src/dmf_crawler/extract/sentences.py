"""What an answer of any kind says to people, as sentences: pages, robots.txt, the open API.

Not a parser: a page that is cut, broken or too large for `markup` is read all the same, fast, and
nothing of it is ever a value.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from dmf_crawler.extract.decode import decode_page, drop_controls
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

_GAP = "\x00"
"""Between two blocks; no text has it."""

_JOINT = "\x01"
"""Where an element in a line began or ended, until entities are resolved."""

_READABLE_TYPE = re.compile(r"text/|[/+](?:json|xml)\b|xhtml|javascript", re.IGNORECASE)
_UNSEEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style|template)\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_INLINE = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s"
    r"|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"<[bB][rR](?=[\s/>])[^<>]*>")
_TAG = re.compile("<[a-zA-Z/!?][^<>]*>")
_EMPTY_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_JSON_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_JSON_ESCAPE = re.compile(r"\\[nrtbf]")
_UNPRINTED = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DOTLESS = re.compile("[\u0130\u0131]")
"""Latin letters that `re` takes for an i where case is ignored, and `str.lower` does not."""

_SENTENCE_END = re.compile(r"(?<=[.!?。]) ")


def read_sentences(page: RawPage) -> Iterator[str]:
    """Yield what an answer says, sentence by sentence, each on one line.

    Of HTML and XML the text, entities resolved; scripts, styles and comments are no text, and an
    element that stands in a line does not part what is around it. Of a robots.txt the comments. Of
    any other text all of it. Compatibility forms (full-width letters and the like) are their plain
    ones, characters without a width are gone. Of a file that is no text (a workbook, a PDF, an
    image): nothing.
    """
    for block in _read(page, is_parted=True).split(_GAP):
        line = " ".join(block.split())
        if line:
            yield from _SENTENCE_END.split(line)


def read_joined(page: RawPage) -> str:
    """Return the same characters in one piece, in a third of the time.

    Whatever stands in a sentence without white space stands in it, too; not the other way round.
    """
    return _read(page, is_parted=False).replace(_GAP, "")


def _read(page: RawPage, *, is_parted: bool) -> str:
    """Return an answer's text, its blocks apart; also its elements in lines unless `is_parted`."""
    if not _is_readable(page):
        return ""
    text = _decode(page)
    start = text.lstrip()[:1]
    if start == "<" or "html" in page.content_type.lower():
        text = _read_markup(text, is_parted=is_parted)
    elif page.request.kind == "robots":
        text = _read_comments(text)
    elif start in {"{", "["}:
        text = _read_json(text)
    else:
        text = _EMPTY_LINES.sub(_GAP, text)
    return _normalize(text).replace(_JOINT, "")


def _is_readable(page: RawPage) -> bool:
    """Say whether an answer is text: what is asked for as a page always is, whatever it says."""
    if page.request.kind not in {"file", "export"}:
        return True
    return _READABLE_TYPE.search(page.content_type) is not None


def _decode(page: RawPage) -> str:
    """Return an answer's text; where no charset fits, what can be read of it as UTF-8."""
    text = decode_page(page.body, page.content_type)
    if isinstance(text, Fault):
        return drop_controls(page.body.decode("utf-8", "replace"))
    return text


def _read_markup(text: str, *, is_parted: bool) -> str:
    text = _UNSEEN.sub(_JOINT, text)
    if "<![CDATA[" in text:
        text = _CDATA.sub(_JOINT, text)
    if is_parted:
        text = _LINE_BREAK.sub(" ", _INLINE.sub(_JOINT, text))
    text = _TAG.sub(_GAP, text)
    return html.unescape(text) if "&" in text else text


def _read_comments(text: str) -> str:
    """Return the comments of a robots.txt; lines that follow each other belong together."""
    lines = []
    for line in text.splitlines():
        rule, sign, comment = line.partition("#")
        lines.append(comment.lstrip("#") if sign and not rule.strip() else f"{_GAP}{comment}{_GAP}")
    return "\n".join(line if line.strip() else _GAP for line in lines)


def _read_json(text: str) -> str:
    text = _JSON_CODE.sub(lambda match: chr(int(match[1], 16)), text)
    return _JSON_ESCAPE.sub(" ", text).replace('"', _GAP)


def _normalize(text: str) -> str:
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return _DOTLESS.sub("i", _UNPRINTED.sub("", text))
