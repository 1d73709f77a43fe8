"""The piece of a kept answer of the open API that says one value, as it came."""

from __future__ import annotations

import re
from io import BytesIO
from xml.parsers.expat import ParserCreate

from dmf_crawler.extract.decode import decode_page
from dmf_crawler.extract.json_places import JsonPlace, find_json_places
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

_ITEM_PATH = ["response", "body", "items", "item"]


def find_piece(page: RawPage, row_no: int, name: str) -> tuple[str, str]:
    """Find one value of an item.

    Args:
        page: A kept answer that `read_api_page` reads.
        row_no: 1-based among its items.
        name: Of the value, as the answer calls it; "" for the whole item.

    Returns:
        Place (`items/item[3]/ENTP_NAME`) and text as it came, names and quotes or tags with it; the
        whole item where it has no such name.

    Raises:
        ValueError: The answer has no such item, or was never read.
    """
    decoded = decode_page(page.body, page.content_type)
    text = "" if isinstance(decoded, Fault) else decoded.strip()
    pieces = (_cut_xml if text.startswith("<") else _cut_json)(text, row_no)
    if "" not in pieces:
        raise ValueError(f"answer {page.sha256} has no item {row_no}")
    place = f"items/item[{row_no}]"
    return (f"{place}/{name}", pieces[name]) if name and name in pieces else (place, pieces[""])


def _cut_xml(text: str, row_no: int) -> dict[str, str]:
    """Return the elements of an item by name, the item itself under ""."""
    source = text.encode()
    pieces: dict[str, str] = {}
    opened: list[tuple[str, int]] = []
    n_items = 0
    parser = ParserCreate("utf-8")  # whatever its declaration says, it has been decoded

    def open_element(tag: str, _attributes: dict[str, str]) -> None:
        nonlocal n_items
        opened.append((tag, parser.CurrentByteIndex))
        n_items += [each for each, _ in opened] == _ITEM_PATH

    def close_element(tag: str) -> None:
        path = [each for each, _ in opened]
        _, start = opened.pop()
        depth = len(_ITEM_PATH)
        if n_items == row_no and path[:depth] == _ITEM_PATH and len(path) <= depth + 1:
            end = _find_end(source, tag, parser.CurrentByteIndex)
            pieces["" if len(path) == depth else tag] = source[start:end].decode()

    parser.StartElementHandler, parser.EndElementHandler = open_element, close_element
    parser.ParseFile(BytesIO(source))
    return pieces


def _find_end(source: bytes, tag: str, at: int) -> int:
    """Return the index behind an element, of which expat has named its end tag.

    Of an element without one (<NAME/>) it has named what comes behind it.
    """
    end_tag = re.compile(rb"</%s\s*>" % re.escape(tag.encode())).match(source, at)
    return end_tag.end() if end_tag else at


def _cut_json(text: str, row_no: int) -> dict[str, str]:
    """Return the members of an item by name, the item itself under ""."""
    places = find_json_places(text)
    objects = [place for place in places if place.kind == "{"]
    has_response = any(place.names == ("response",) for place in objects)
    top = ("response", "body") if has_response else ("body",)
    items = [place for place in objects if place.names == (*top, "items", "item")]
    items = items or [place for place in objects if place.names == (*top, "items")]
    if not 1 <= row_no <= len(items):
        return {}
    item = items[row_no - 1]
    pieces = {
        place.names[-1]: text[place.start : place.end]
        for place in places
        if _is_member(place, item)
    }
    return pieces | {"": text[item.value_start : item.end]}


def _is_member(place: JsonPlace, item: JsonPlace) -> bool:
    is_inside = item.value_start < place.start and place.end < item.end
    return is_inside and place.names[:-1] == item.names
