"""The piece of an answer of the open API that says one value, as it came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import fromstring

from dmf_crawler.extract.api_answer import ApiAnswer, read_answer
from dmf_crawler.extract.api_piece import find_piece
from dmf_crawler.extract.json_places import find_json_places
from dmf_crawler.model.page import RawPage
from tests.extract.pages import raw_page

GOLDEN = sorted(
    path
    for path in (Path(__file__).parents[1] / "data" / "api").iterdir()
    if not path.name.endswith(".expected.json")
)
ITEMS = '{"ENTP_NAME": "가", "N": 7, "A": null},\n {"A":"a\\u0022,}", "ENTP_NAME" : "\\uB098"}'
HEAD = '"header": {"resultCode": "00", "items": {"item": 1}}'


def answer(text: str) -> RawPage:
    return raw_page(text, content_type="")


def json_answer(items: str) -> RawPage:
    numbers = '"pageNo": 1, "numOfRows": 9, "totalCount": 9'
    return answer(f' {{"response": {{{HEAD}, "body": {{{numbers}, "items": {items}}}}}}}\n')


def xml_answer(items: str) -> RawPage:
    return answer(
        '\n<?xml version="1.0" encoding="EUC-KR"?><!-- <item> --><response><header>'
        "<resultCode>00</resultCode></header><body><pageNo>1</pageNo><numOfRows>9</numOfRows>"
        f"<totalCount>9</totalCount><items>{items}</items></body></response>"
    )


@pytest.mark.parametrize("form", ["[%s]", '{"item": [%s]}'])
def test_a_member_of_a_json_item_is_cut_out_with_its_name(form):
    page = json_answer(form % ITEMS)

    assert find_piece(page, 1, "ENTP_NAME") == ("items/item[1]/ENTP_NAME", '"ENTP_NAME": "가"')
    assert find_piece(page, 1, "N") == ("items/item[1]/N", '"N": 7')
    assert find_piece(page, 1, "A") == ("items/item[1]/A", '"A": null')
    assert find_piece(page, 2, "A") == ("items/item[2]/A", '"A":"a\\u0022,}"')
    assert find_piece(page, 2, "ENTP_NAME")[1] == '"ENTP_NAME" : "\\uB098"'


def test_a_single_item_may_stand_without_its_list():
    page = json_answer('{"item": {"ENTP_NAME": "가"}}')

    assert find_piece(page, 1, "ENTP_NAME")[1] == '"ENTP_NAME": "가"'


@pytest.mark.parametrize("name", ["", "BIZRNO"])
def test_of_a_name_that_the_item_has_not_the_whole_item_is_cut_out(name):
    place = "items/item[2]"
    whole = '{"A":"a\\u0022,}", "ENTP_NAME" : "\\uB098"}'
    assert find_piece(json_answer(f"[{ITEMS}]"), 2, name) == (place, whole)
    page = xml_answer("<item><A>1</A></item><item ><A>2</A></item>")
    assert find_piece(page, 2, name) == (place, "<item ><A>2</A></item>")


@pytest.mark.parametrize(
    "piece",
    [
        "<A>가 &amp; 나</A>",
        "<A><![CDATA[가 <item> & 나]]></A>",
        "<A>가<!-- </A> -->나</A>",
        "<A >&#xAC00;</A >",
        "<A/>",
        "<A />",
        "<A></A>",
        '<A x="/>">가</A>',
    ],
)
def test_an_element_of_an_xml_item_is_cut_out_as_it_came(piece):
    page = xml_answer(f"<item><B>나</B><A>다른 것</A></item><item>{piece}<B/></item>")

    assert find_piece(page, 2, "A") == ("items/item[2]/A", piece)
    assert find_piece(page, 1, "A")[1] == "<A>다른 것</A>"


@pytest.mark.parametrize("page", [json_answer(f"[{ITEMS}]"), xml_answer("<item><A>1</A></item>")])
@pytest.mark.parametrize("row_no", [0, 3])
def test_an_item_that_is_not_there_is_a_mistake_of_the_caller(page, row_no):
    with pytest.raises(ValueError, match="no item"):
        find_piece(page, row_no, "A")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_every_piece_of_a_golden_answer_says_what_is_read_there(path):
    page = answer(path.read_bytes().decode())
    read = read_answer(page)
    assert isinstance(read, ApiAnswer)
    for row_no, item in enumerate(read.items, start=1):
        for name, value in item.items():
            place, piece = find_piece(page, row_no, name)
            assert place == f"items/item[{row_no}]/{name}"
            if piece.startswith('"'):
                assert str(json.loads(f"{{{piece}}}")[name] or "") == value
            else:
                assert (fromstring(piece).text or "") == value


# --- places in JSON ----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def walk(value: object, names: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
    found = [(names, value)]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += walk(inner, (*names, name))
    elif isinstance(value, list):
        for inner in value:
            found += walk(inner, names)
    return found


@given(JSON, st.booleans(), st.sampled_from([None, 1]))
def test_every_value_of_a_json_text_is_found_in_order(value, is_ascii, indent):
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)

    places = find_json_places(text)

    found = [(place.names, json.loads(text[place.value_start : place.end])) for place in places]
    assert found == walk(value)
    for place in places:
        if place.start != place.value_start:
            member = json.loads(f"{{{text[place.start : place.end]}}}")
            assert list(member) == [place.names[-1]]
