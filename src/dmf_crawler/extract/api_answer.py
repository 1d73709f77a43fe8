"""One answer of the open API → its numbers and items, whatever form it has.

XML and JSON say the same: a header with a result code; a body with page number, page size, total
and items. An error comes as XML with status 200, also to those who asked for JSON. The answer is
hostile until read: no DTD, no entity, no deep nesting, no name twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lxml.etree import XMLParser, XMLSyntaxError, fromstring
from lxml.etree import _Element as Element

from dmf_crawler.extract import api_faults as faults
from dmf_crawler.extract.decode import decode_page
from dmf_crawler.extract.other_answers import name_answer
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""Five hundred items with every text as long as the catalogue allows need less."""

MAX_ELEMENTS = 100_000
"""XML elements, or JSON values; five hundred items of nine names need 5,000."""

MAX_DEPTH = 12
"""response, body, items, item, name: five."""

_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)|[\[\]{}:,]', re.DOTALL)
_NO_ERROR = "00"
_NUMBER = re.compile("[0-9]{1,9}")
_HTML = re.compile(r"<html|<!doctype\s+html", re.IGNORECASE)
_LONG_TAG = re.compile("<[^!<>][^<>]{1000}")
"""Many attributes take some releases of libxml2 quadratic time; the API writes none."""

Item = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """What one answer says.

    Attributes:
        page_no: 1-based.
        size: Most items of a page.
        total: Records in all.
        items: Name → text as it stands there, "" where the answer says nothing or null.
    """

    page_no: int
    size: int
    total: int
    items: tuple[Item, ...]


def read_answer(page: RawPage) -> ApiAnswer | Fault:
    """Read one answer.

    Returns:
        The answer; or one of the faults of `api_faults.refused`, `not_an_api_answer`,
        `odd_api_answer`, `mojibake`.
    """
    if len(page.body) > MAX_ANSWER_BYTES:
        return faults.odd_answer(f"{len(page.body):,}바이트입니다(한도 {MAX_ANSWER_BYTES:,})")
    text = decode_page(page.body, page.content_type)
    if isinstance(text, Fault):  # its sentence quotes the answer
        is_ours = page.body.lstrip().startswith((b"<", b"{"))
        return faults.broken_answer() if is_ours else faults.no_answer(name_answer(page))
    text = text.strip()
    if text.startswith("<"):
        return _read_xml(text, page)
    if text.startswith("{"):
        return _read_json(text)
    is_forbidden = text.lower().startswith("forbidden")
    return faults.forbidden() if is_forbidden else faults.no_answer(name_answer(page))


def _make_answer(
    header: Mapping[str, str], body: Mapping[str, str], items: Iterable[Item]
) -> ApiAnswer | Fault:
    """Put the parts together; the result code comes first, since an error has no body."""
    result = header.get("resultCode", "").strip()
    if not result:
        return faults.odd_answer("resultCode가 없습니다")
    if result != _NO_ERROR:
        return faults.refused(result)
    numbers = {}
    for name in ("pageNo", "numOfRows", "totalCount"):
        if not _NUMBER.fullmatch(body.get(name, "").strip()):
            return faults.odd_answer(f"{name}가 수가 아닙니다")
        numbers[name] = int(body[name])
    return ApiAnswer(
        page_no=numbers["pageNo"],
        size=numbers["numOfRows"],
        total=numbers["totalCount"],
        items=tuple(items),
    )


# --- XML ---------------------------------------------------------------------------------------


class _OddAnswerError(Exception):
    """What is odd in an answer; never leaves this module."""


def _read_xml(text: str, page: RawPage) -> ApiAnswer | Fault:
    if fault := _check_xml(text, page):
        return fault
    parser = XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        return _read_root(fromstring(text.encode(), parser), page)
    except XMLSyntaxError:
        return faults.no_answer(_name_broken(page))
    except _OddAnswerError as error:
        return faults.odd_answer(str(error))


def _check_xml(text: str, page: RawPage) -> Fault | None:
    """Refuse what must not be parsed, None where it may."""
    if "<!doctype" in text.lower() or "<!ENTITY" in text:
        is_html = _HTML.search(text[:1024])
        return (
            faults.no_answer(name_answer(page)) if is_html else faults.odd_answer("DTD가 있습니다")
        )
    if text.count("<") > 3 * MAX_ELEMENTS:
        return faults.odd_answer(f"요소가 {MAX_ELEMENTS:,}개보다 많습니다")
    return faults.odd_answer("지나치게 긴 태그가 있습니다") if _LONG_TAG.search(text) else None


def _read_root(root: Element, page: RawPage) -> ApiAnswer | Fault:
    if root.tag == "OpenAPI_ServiceResponse":
        return faults.refused((root.findtext(".//returnReasonCode") or "").strip())
    if root.tag != "response":
        return faults.no_answer(name_answer(page))
    return _read_response(root)


def _name_broken(page: RawPage) -> str:
    kind = name_answer(page)
    is_ours = b"<response" in page.body[:1024] or kind == "다른 XML"
    return "끝까지 읽을 수 없는 XML" if is_ours else kind


def _read_response(root: Element) -> ApiAnswer | Fault:
    parts = _children(root)
    header, body = parts.get("header"), parts.get("body")
    lists = {} if body is None else _children(body)
    items = lists.pop("items", None)
    return _make_answer(
        {} if header is None else _texts(_children(header)),
        _texts(lists),
        [] if items is None else [_read_item(item) for item in items],
    )


def _read_item(item: Element) -> Item:
    if item.tag != "item":
        raise _OddAnswerError("items 안에 item이 아닌 것이 있습니다")
    return _texts(_children(item))


def _children(element: Element) -> dict[str, Element]:
    """Return an element's children by name; text beside them, or a name twice, is refused."""
    children = {}
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        raise _OddAnswerError("항목 밖에 글자가 있습니다")
    for child in element:
        name = str(child.tag)
        if name in children:
            raise _OddAnswerError("한 건에 같은 이름이 두 번 있습니다")
        children[name] = child
    return children


def _texts(elements: Mapping[str, Element]) -> dict[str, str]:
    if any(len(element) for element in elements.values()):
        raise _OddAnswerError("값이 있을 자리에 다른 요소가 있습니다")
    return {name: element.text or "" for name, element in elements.items()}


# --- JSON --------------------------------------------------------------------------------------


def _read_json(text: str) -> ApiAnswer | Fault:
    if fault := _check_json(text):
        return fault
    try:
        tree = json.loads(
            text,
            object_pairs_hook=_refuse_doubles,
            parse_int=str,
            parse_float=str,
            parse_constant=_refuse_constant,
        )
        return _read_object(tree)
    except json.JSONDecodeError:
        return faults.no_answer("끝까지 읽을 수 없는 JSON")
    except _OddAnswerError as error:
        return faults.odd_answer(str(error))


def _check_json(text: str) -> Fault | None:
    """Refuse a text that is nested too deep, or has too many values, before it is parsed."""
    depth = 0
    for n_values, token in enumerate(_JSON_TOKEN.finditer(text)):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        if depth > MAX_DEPTH:
            return faults.odd_answer(f"{MAX_DEPTH}단계보다 깊습니다")
        if n_values > 4 * MAX_ELEMENTS:
            return faults.odd_answer(f"값이 {MAX_ELEMENTS:,}개보다 많습니다")
    return None


def _refuse_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise _OddAnswerError("한 건에 같은 이름이 두 번 있습니다")
    return values


def _refuse_constant(name: str) -> str:
    raise _OddAnswerError(f"값이 {name}입니다")


def _read_object(tree: object) -> ApiAnswer | Fault:
    top = _mapping(tree)
    top = _mapping(top.get("response", top))
    if "OpenAPI_ServiceResponse" in top:
        reason = _mapping(top["OpenAPI_ServiceResponse"]).get("cmmMsgHeader", {})
        return faults.refused(_plain(reason).get("returnReasonCode", ""))
    if "header" not in top:
        raise _OddAnswerError("header가 없습니다")
    body = dict(_mapping(top.get("body") or {}))
    items = [_plain(item) for item in _list_items(body.pop("items", None))]
    return _make_answer(_plain(top["header"]), _plain(body), items)


def _list_items(items: object) -> list[object]:
    """Return the items of a list, of `{item: […]}`, `{item: {…}}`, "" or nothing."""
    if isinstance(items, dict) and set(items) == {"item"}:
        items = items["item"]
        items = [items] if isinstance(items, dict) else items
    if not items:
        return []
    if not isinstance(items, list):
        raise _OddAnswerError("items가 목록이 아닙니다")
    return items


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _OddAnswerError("이름과 값이 있을 자리에 다른 것이 있습니다")
    return value


def _plain(value: object) -> dict[str, str]:
    """Return a mapping of texts; numbers stand there as they were written, null is empty."""
    texts = {}
    for name, text in _mapping(value).items():
        if not isinstance(text, str | None):
            raise _OddAnswerError("값이 있을 자리에 다른 것이 있습니다")
        texts[name] = text or ""
    return texts
