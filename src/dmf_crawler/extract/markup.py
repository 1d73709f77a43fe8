"""One kept page → its HTML tree, whole, or the reason why not."""

from __future__ import annotations

import re
from itertools import islice
from typing import cast

from lxml.etree import HTMLParser, ParserError, XPath, iterwalk
from lxml.etree import _Element as Element
from lxml.html import document_fromstring

from dmf_crawler.extract.decode import decode_page
from dmf_crawler.extract.quoting import shorten
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

_COMMENT_END = re.compile("--!?>")
_NUMERIC_REFERENCE = re.compile("&#(?:[xX]0*([0-9a-fA-F]*)|0*([0-9]*))")
_N_REFERENCE_DIGITS = 12
_LAST_CODE = 0x10FFFF
_NO_CHARACTERS = frozenset({0xFFFD, *range(0xD800, 0xE000)})
MAX_LIST_ELEMENTS = 150_000
"""A thousand rows with sixty elements each, twice."""

MAX_LIST_CHARS = 8_000_000
"""Of a page's source; a thousand rows have two million."""

MAX_DETAIL_ELEMENTS = 30_000
"""More than a long notice with tables has."""

MAX_ANCESTORS = 3_000_000
"""Of all elements together: twenty each at the most elements."""

MAX_ATTRIBUTES = 5_000
"""Of one tag; libxml2 compares each with all others."""

_MAX_DEPTH = 256
"""libxml2 stops with a fatal error at an element that would have so many ancestors."""

_N_TAIL_CHARS = 4096
"""A whole page has its end marker among its last characters."""

_TAG_START = re.compile("<(?=[a-zA-Z])")
_ATTRIBUTE = (
    r"""[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"""  # its name may begin with "="
    r"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*+)?+)?+"""
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_TAG = re.compile(rf"<[a-zA-Z][^\t\n\f\r />]*+(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES + 1}}}+")
_TAG_END = re.compile(">")
_N_TRIES = 8
_TAG_BLANKS = "\t\n\f\r "
_N_BLANKS = 64
"""Looked at in search of an equals sign before a quote; behind more blanks there may be one."""

_MAX_READS = 20
"""So many times the text's length is read in search of attributes; a page needs less than one."""

_COUNT = XPath("count(//*)")
_FATAL = 3
"""libxml2's error level after which it stops and returns what it has."""


def parse_page(
    page: RawPage, end_marker: str, *, max_elements: int = MAX_LIST_ELEMENTS
) -> Element | Fault:
    """Decode a page and parse all of it.

    Args:
        page: A kept page.
        end_marker: Text without which the page was cut, in any case.
        max_elements: A page with more is refused: selectors take quadratic time on some.

    Returns:
        The root, without comments; or the fault of `decode_page`, or one of `truncated_page`
        (retryable), `unparsable_page`, `mojibake`, `page_too_complex`.
    """
    text = decode_page(page.body, page.content_type)
    if isinstance(text, Fault):
        return text
    if fault := _find_text_fault(text, end_marker, max_elements):
        return fault
    text = _keep_returns(text)
    parser = HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False, no_network=True)
    try:
        document: Element = document_fromstring(text, parser=parser)
    except (ParserError, ValueError) as error:  # ValueError: a second XML declaration
        return _unparsable_page(str(error))
    # Past a fatal error (nesting too deep) the rest of the page is silently missing.
    fatal = next((entry for entry in parser.error_log if entry.level >= _FATAL), None)
    if fatal:
        return _unparsable_page(f"{fatal.line}행: {fatal.message}")
    return _find_tree_fault(document, max_elements) or document


def _find_text_fault(text: str, end_marker: str, max_elements: int) -> Fault | None:
    """Say why a page's source must not be parsed, None where it may."""
    marker = end_marker.lower()
    if marker not in text[-_N_TAIL_CHARS:].lower() and marker not in text.lower():
        return _truncated_page(text, end_marker)
    if len(text) > MAX_LIST_CHARS:
        return too_complex(len(text), MAX_LIST_CHARS)
    n_tags, most = text.count("<"), 3 * max_elements  # start and end of each, and some more
    if n_tags > most:
        return too_complex(n_tags, most)
    if _may_have_many_attributes(text) and (n_found := _count_attributes(text)) > MAX_ATTRIBUTES:
        return too_complex(n_found, MAX_ATTRIBUTES)
    # Comments are only taken out where it matters.
    if _has_broken_reference(text) and _has_broken_reference(_drop_comments(text)):
        return _broken_reference()
    return None


def _may_have_many_attributes(text: str) -> bool:
    """Say whether a tag of a text may have too many attributes; almost no text has such a tag.

    A tag ends at the first ">" outside quotes. Where each piece of the text has such a one, no tag
    reaches over a whole piece: it is shorter than two, and an attribute takes two characters.
    """
    openings = {'"': -1, "'": -1}  # the last of each quote before the place that is looked at
    place = 0
    for start in range(0, len(text) - MAX_ATTRIBUTES + 1, MAX_ATTRIBUTES):
        for match in islice(_TAG_END.finditer(text, start, start + MAX_ATTRIBUTES), _N_TRIES):
            end = match.start()
            for quote, last in openings.items():
                openings[quote] = max(last, text.rfind(quote, place, end))
            place = end
            if not any(_may_open_value(text, opening) for opening in openings.values()):
                break
        else:
            return True
    return False


def _may_open_value(text: str, place: int) -> bool:
    """Say whether a quote may begin the value of an attribute; what stands before it says so."""
    before = text[max(0, place - _N_BLANKS) : max(0, place)].rstrip(_TAG_BLANKS)
    return before.endswith("=") or (not before and place >= _N_BLANKS)


def _count_attributes(text: str) -> int:
    """Return how many attributes a tag of a text has at most, the many ones only.

    Whatever may begin a tag is read as one (WHATWG HTML, 13.2.5.32 to 40), in comments and scripts,
    too: what is one there depends on what was before.
    """
    most, n_read = 0, 0
    for start in _TAG_START.finditer(text):
        tag = _TAG.match(text, start.start())
        length = 0 if tag is None else tag.end() - tag.start()
        n_read += length
        if n_read > _MAX_READS * len(text):
            return MAX_ATTRIBUTES + 1
        if tag is not None and length > 2 * MAX_ATTRIBUTES:  # each has a character and a blank
            n_found = len(_ATTRIBUTES.findall(tag.group())) - 1  # the tag's name looks like one
            most = max(most, n_found)
    return most


def _find_tree_fault(document: Element, max_elements: int) -> Fault | None:
    """Say that selectors would take too long on a tree, None where they would not."""
    n_elements = int(cast("float", _COUNT(document)))
    if n_elements <= max_elements and n_elements * _MAX_DEPTH <= MAX_ANCESTORS:
        return None
    n_elements, n_ancestors = _measure(document)
    if n_elements > max_elements:
        return too_complex(n_elements, max_elements)
    return too_complex(n_ancestors, MAX_ANCESTORS) if n_ancestors > MAX_ANCESTORS else None


def _measure(document: Element) -> tuple[int, int]:
    """Return how many elements a tree has, and how many ancestors these have in all."""
    n_elements = n_ancestors = depth = 0
    for event, _ in iterwalk(document, events=("start", "end")):
        if event == "start":
            n_elements, n_ancestors, depth = n_elements + 1, n_ancestors + depth, depth + 1
        else:
            depth -= 1
    return n_elements, n_ancestors


def _keep_returns(text: str) -> str:
    """Write the carriage returns of values as references; those between tags become line feeds.

    HTML turns CR LF into LF, and some releases of libxml2 do; a reference is kept by all.
    """
    parts: list[str] = []
    done = 0
    while (found := text.find("\r", done)) >= 0 and (end := text.find("<", found)) >= 0:
        start = text.rfind(">", done, end) + 1
        run = text[start:end]
        if start and "<" not in run:  # no tag's inside
            parts += text[done:start], _keep_returns_of(run)
        else:
            parts.append(text[done:end])
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def _keep_returns_of(run: str) -> str:
    if run.strip():
        return run.replace("\r", "&#13;")
    return run.replace("\r\n", "\n").replace("\r", "\n")


def _has_broken_reference(text: str) -> bool:
    """Say whether a numeric reference names no character; releases of libxml2 differ on these."""
    codes = (
        int((hexadecimal or decimal)[:_N_REFERENCE_DIGITS] or "0", 16 if hexadecimal else 10)
        for hexadecimal, decimal in _NUMERIC_REFERENCE.findall(text)
    )
    return any(code > _LAST_CODE or code in _NO_CHARACTERS for code in codes)


def _drop_comments(text: str) -> str:
    """Return a page's source without its comments; one without end is kept with all that follows.

    A scan, since the regular expression for a comment looks for the end of each anew.
    """
    parts = []
    start = 0
    while (opening := text.find("<!--", start)) >= 0:
        # `<!-->` is a whole comment (WHATWG HTML, 13.2.5.43).
        end = _COMMENT_END.search(text, opening + 2)
        if end is None:
            break
        parts.append(text[start:opening])
        start = end.end()
    return "".join([*parts, text[start:]])


# --- faults ------------------------------------------------------------------------------------


def _truncated_page(text: str, end_marker: str) -> Fault:
    return Fault(
        "truncated_page",
        f"페이지가 중간에서 끊겼습니다. 끝 표시 {end_marker}가 없습니다(마지막 글자: "
        f"'{' '.join(text[-40:].split())}'). 끝까지 받아야 합니다. 잠시 뒤 다시 요청하며, "
        "계속되면 네트워크와 프록시를 확인해 주십시오.",
        exit_code=6,
        is_retryable=True,
    )


def _unparsable_page(reason: str) -> Fault:
    return Fault(
        "unparsable_page",
        f"페이지의 HTML을 끝까지 읽을 수 없습니다({shorten(reason)}). 온전히 읽혀야 "
        "합니다. 보관된 페이지를 열어 보고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def too_complex(found: int, limit: int) -> Fault:
    """Refuse a page that would take too long to read."""
    return Fault(
        "page_too_complex",
        f"페이지의 HTML이 지나치게 복잡합니다({found:,}, 한도 {limit:,}). 이 페이지는 읽지 "
        "않습니다. 보관된 페이지를 열어 보고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def _broken_reference() -> Fault:
    return Fault(
        "mojibake",
        "페이지에 글자가 아닌 문자 참조가 있어 U+FFFD로 읽힙니다. 모든 글자가 온전해야 합니다. "
        "이 페이지는 쓰지 않습니다. 보관된 페이지를 확인해 주십시오.",
        exit_code=4,
    )
