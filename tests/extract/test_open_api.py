"""The open API: XML and JSON say the same, every refusal is named, two passes make one list."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.api_answer import MAX_ANSWER_BYTES
from dmf_crawler.extract.dedup import merge_api_passes
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery, PageTable, Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.text import strip_blanks
from dmf_crawler.workbench.rehearsal.open_api import OpenApi
from dmf_crawler.workbench.rehearsal.pages import write_error_page
from dmf_crawler.workbench.rehearsal.register import LIVE, ListRow, grow_register
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.extract.pages import (
    LABELS,
    URL,
    a_table,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

SELECTORS = some_selectors()
GOLDEN = sorted(
    path
    for path in (Path(__file__).parents[1] / "data" / "api").iterdir()
    if not path.name.endswith(".expected.json")
)
NAMES = {
    "target": "NOTICE_CODE",
    "reg_no": "DMF_PERMIT_NO",
    "ingredient_name": "INGR_KOR_NAME",
    "company": "ENTP_NAME",
    "maker_names": "MNFCTR_NAME",
    "maker_addresses": "MNFCTR_PLACE",
    "maker_countries": "MANUF_COUNTRY_CODE_NM",
    "registered_on": "DMF_PERMIT_DATE",
}
KEY = "sEcReTkEy+/=="
"""A service key that an error page repeats."""


def _item(number: int = 1, **changes: object) -> dict[str, object]:
    texts = {
        NAMES[field]: value if isinstance(value, str) else ",".join(value)
        for field, value in some_fields(number).items()
        if field in NAMES
    }
    return texts | {"BIZRNO": "1208150000"} | changes


def _fields(number: int = 1, **changes: Value) -> dict[str, Value]:
    """What is read of `_item`: several sites are one text."""
    fields: dict[str, Value] = {}
    for field, value in some_fields(number).items():
        if field in NAMES:
            fields[field] = value if isinstance(value, str) else (",".join(value),)
    return fields | changes


def _json(
    items: object, *, page_no: object = 1, total: object = 3, size: object = 500, **header: object
) -> RawPage:
    body = {"pageNo": page_no, "numOfRows": size, "totalCount": total, "items": items}
    head = {"resultCode": "00", "resultMsg": "NORMAL SERVICE."} | header
    return _answer(json.dumps({"header": head, "body": body}, ensure_ascii=False))


def _xml(items: Sequence[Mapping[str, object]], *, total: int = 3, inside: str = "") -> str:
    listed = "".join(f"<item>{_elements(item)}</item>" for item in items)
    numbers = _elements({"pageNo": 1, "numOfRows": 500, "totalCount": total})
    return (
        "<response><header><resultCode>00</resultCode></header>"
        f"<body>{numbers}<items>{listed}</items>{inside}</body></response>"
    )


def _elements(values: Mapping[str, object]) -> str:
    return "".join(f"<{name}>{escape(str(text))}</{name}>" for name, text in values.items())


def _error(code: str, text: str = "SERVICE ERROR") -> str:
    return (
        f"<OpenAPI_ServiceResponse>\n<cmmMsgHeader><errMsg>{text}</errMsg>"
        f"<returnAuthMsg>{text}</returnAuthMsg><returnReasonCode>{code}</returnReasonCode>"
        "</cmmMsgHeader></OpenAPI_ServiceResponse>"
    )


def _answer(text: str | bytes, page_no: int = 1) -> RawPage:
    return raw_page(text, content_type="", page_no=page_no)


def _read(page: RawPage | str, **changes: object) -> PageTable:
    page = page if isinstance(page, RawPage) else _answer(page)
    table = read_api_page(page, some_selectors(**changes) if changes else SELECTORS)
    assert isinstance(table, PageTable), table
    return table


def _refuse(page: RawPage | str | bytes, code: str, exit_code: int, *, again: bool = False) -> str:
    page = page if isinstance(page, RawPage) else _answer(page)
    fault = read_api_page(page, SELECTORS)
    assert isinstance(fault, Fault), fault
    assert (fault.code, fault.exit_code, fault.is_retryable) == (code, exit_code, again)
    assert len(fault.message) < 600
    assert KEY not in fault.message
    fault.message.encode("cp949")
    return fault.message


# --- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_golden_answer_reads_as_expected(path):
    table = _read(_answer(path.read_bytes()))
    found = {
        "page_no": table.page_no,
        "announced_total": table.announced_total,
        "rows": [
            {"row_no": row.row_no, "fields": row.fields, "shown": row.shown} for row in table.rows
        ],
    }
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(found)) == expected
    for row in table.rows:
        assert list(row.fields) == [name for name in LABELS if name in row.fields]


def test_there_are_golden_answers():
    assert len(GOLDEN) >= 3


def test_a_table_says_where_it_came_from_and_what_delivered_its_fields():
    page = _json([_item(1), _item(2)])
    table = _read(page)
    assert (table.page_no, table.announced_total) == (1, 3)
    assert (table.source, table.url) == (page.sha256, URL)
    assert table.delivered == tuple(
        Delivery(field, 0, f"openapi {name}") for field, name in NAMES.items()
    )
    assert [row.row_no for row in table.rows] == [1, 2]


@pytest.mark.parametrize(
    ("items", "n_rows"),
    [
        ([_item(1), _item(2)], 2),
        ({"item": [_item(1), _item(2)]}, 2),
        ({"item": _item(1)}, 1),
        ({"item": []}, 0),
        ([], 0),
        ({}, 0),
        ("", 0),
        (None, 0),
    ],
)
def test_items_may_come_in_every_form(items, n_rows):
    for page in (_json(items), _answer(_wrapped(items))):
        table = _read(page)
        assert [row.fields for row in table.rows] == [_fields(1), _fields(2)][:n_rows]
        assert table.announced_total == 3


def _wrapped(items: object) -> str:
    answer: Any = json.loads(_json(items).body)
    if items is None:
        del answer["body"]["items"]
    return json.dumps({"response": answer})


def test_xml_may_have_no_items_a_declaration_comments_and_a_byte_order_mark():
    assert _read(_xml([]).replace("<items></items>", "")).rows == ()
    text = f'\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- 1 -->{_xml([_item(1)])}\n'
    assert [row.fields for row in _read(text).rows] == [_fields(1)]


def test_numbers_are_read_as_they_are_written():
    text = str(_json([_item(1, INGR_KOR_NAME=0)]).body, "utf-8")
    assert text.count('"INGR_KOR_NAME": 0') == 1
    for number in ("1.10", "10000000000000000000000000001", "1e5", "-0"):
        table = _read(text.replace('"INGR_KOR_NAME": 0', f'"INGR_KOR_NAME": {number}'))
        assert table.rows[0].fields["ingredient_name"] == number


def test_a_field_that_one_item_lacks_is_empty_and_one_that_all_lack_is_not_there():
    item = _item(1)
    del item["NOTICE_CODE"]
    assert [row.fields for row in _read(_json([item, _item(2)])).rows] == [
        _fields(1, target=""), _fields(2)
    ]  # fmt: skip
    table = _read(_json([item]))
    assert list(table.rows[0].fields) == list(_fields())[1:]
    assert "target" not in {used.field for used in table.delivered}


def test_a_nested_field_may_be_joined_or_the_first():
    mapping = selectors_mapping()
    mapping["fields"]["maker_names"]["nested"] = "join"
    mapping["fields"]["maker_countries"]["nested"] = "first"
    fields = _read(_json([_item(1)]), **mapping).rows[0].fields
    assert fields["maker_names"] == _fields()["maker_names"][0]
    assert fields["maker_countries"] == "스위스,아일랜드"


def test_control_characters_are_no_text():
    table = _read(_json([_item(1, ENTP_NAME="대\x00웅\x1f제\r\n약")]))
    assert table.rows[0].fields["company"] == "대웅제\r\n약"


VALUES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffd\ufffe\uffff")
    | st.sampled_from("\n\t <&>\"'\\"),
    max_size=15,
)


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES.values(), VALUES)), max_size=2))
@settings(max_examples=40, deadline=None)
def test_xml_and_json_say_the_same(items):
    items = [item | {"DMF_PERMIT_NO": f"1{item['DMF_PERMIT_NO']}"} for item in items]
    expected = []
    for item in items:
        texts = {name: strip_blanks(text) for name, text in item.items()}
        texts = {name: "" if text == "-" else text for name, text in texts.items()}
        expected.append({
            field: ((texts[name],) if texts[name] else ()) if field.startswith("maker") else
            texts[name]
            for field, name in NAMES.items()
        })  # fmt: skip
    for page in (_json(items), _answer(_xml(items))):
        assert [row.fields for row in _read(page).rows] == expected


@pytest.mark.parametrize("service", ["01", "02"])
@pytest.mark.parametrize("form", ["xml", "json"])
@pytest.mark.parametrize("shape", ["list", "item"])
def test_the_rehearsal_sites_answers_hold_the_live_rows_of_its_register(service, form, shape):
    register = grow_register(300, 3, date(2026, 11, 30))
    switches = Switches(open_api_order="stable", open_api_items=shape)
    live = [row for row in register if row.status == LIVE]
    pages = [_ask(OpenApi(), register, switches, page_no, 100, service, form)
             for page_no in range(1, len(live) // 100 + 3)]  # fmt: skip
    tables = [_read(page) for page in pages]
    assert {table.announced_total for table in tables} == {len(live)}
    assert tables[-1].rows == ()
    rows = [row.fields for table in tables for row in table.rows]
    assert rows == [_of_register(row, service, form) for row in live]


def _ask(
    api: OpenApi, register: Sequence[ListRow], switches: Switches, page_no: int, size: int,
    service: str = "02", form: str = "json",
) -> RawPage:  # fmt: skip
    params = {"serviceKey": "rehearsal-key", "pageNo": str(page_no), "numOfRows": str(size),
              "type": form}  # fmt: skip
    answer = api.answer(service, params, register, switches, date(2026, 11, 30))
    return raw_page(answer.body, content_type=answer.content_type, page_no=page_no)


def _of_register(row: ListRow, service: str, form: str) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for field in NAMES:
        value = getattr(row, field)
        text = (value if isinstance(value, str) else ",".join(value)).strip()
        text = text.replace("\r\n", "\n") if form == "xml" else text  # XML 1.0, 2.11
        fields[field] = text if isinstance(value, str) else (text,) * bool(text)
    return fields if service == "02" else {key: fields[key] for key in fields if key != "target"}


# --- errors under 200 --------------------------------------------------------------------------


REASONS = [
    ("01", "api_error", True, "서버 안에서"),
    ("04", "api_error", True, "서버 안에서"),
    ("05", "api_error", True, "제때"),
    ("10", "api_request", False, "500 이하"),
    ("12", "api_service_gone", False, "15057075"),
    ("20", "api_key_denied", False, "인증키"),
    ("22", "api_quota", False, "오늘은 더 요청하지"),
    ("23", "api_too_fast", True, "1초"),
    ("29", "api_refused", False, "29"),
    ("30", "api_key_unknown", False, "한 시간"),
    ("31", "api_key_expired", False, "연장"),
    ("32", "api_key_address", False, "IP 주소"),
    ("99", "api_error", True, "서버 안에서"),
    ("77", "api_refused", False, "77"),
]


@pytest.mark.parametrize(("reason", "code", "again", "named"), REASONS)
def test_every_reason_code_has_a_name_and_a_next_step(reason, code, again, named):
    header = {"resultCode": reason, "resultMsg": f"key {KEY}"}
    bodies = [
        f'<?xml version="1.0" encoding="UTF-8"?>{_error(reason)}',
        _error(f" {reason}\n", text=f"no such key {KEY}"),
        f"<response><header>{_elements(header)}</header></response>",
        json.dumps({"header": header}),
        json.dumps({"response": {"header": header, "body": None}}),
        json.dumps({"OpenAPI_ServiceResponse": {"cmmMsgHeader": {"returnReasonCode": reason}}}),
    ]
    for body in bodies:
        message = _refuse(body, code, 6, again=again)
        assert f"결과 코드 {reason}" in message
        assert named in message


@pytest.mark.parametrize("reason", ["", "serviceKey=" + KEY, "<b/>", "０１"])
def test_a_reason_that_is_no_code_is_not_repeated(reason):
    assert "읽을 수 없음" in _refuse(_error(reason), "api_refused", 6)


def test_the_rehearsal_sites_errors_are_named():
    register = grow_register(5, 3, date(2026, 11, 30))
    api, switches = OpenApi(), Switches(open_api_quota=1)
    assert isinstance(read_api_page(_ask(api, register, switches, 1, 5), SELECTORS), PageTable)
    _refuse(_ask(api, register, switches, 1, 5), "api_quota", 6)
    other_key = Switches(open_api_key="another")
    _refuse(_ask(OpenApi(), register, other_key, 1, 5), "api_key_unknown", 6)
    gone = Switches(open_api_01_ends_on=date(2026, 11, 30))
    _refuse(_ask(OpenApi(), register, gone, 1, 5, "01"), "api_service_gone", 6)
    _refuse(_ask(OpenApi(), register, Switches(), 1, 501), "api_request", 6)
    encoded_twice = Switches(open_api_key="rehearsal%2Dkey")
    forbidden = OpenApi().answer(
        "02", {"serviceKey": "rehearsal%252Dkey"}, register, encoded_twice, date(2026, 11, 30)
    )
    assert "두 번 인코딩" in _refuse(forbidden.body, "not_an_api_answer", 6)


LOGIN = f"<html><a href='/x?serviceKey={KEY}'>{KEY}</a><input type='password'></html>"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        pytest.param("", "빈 내용", id="nothing"),
        pytest.param(" \n", "빈 내용", id="blanks"),
        pytest.param(LOGIN, "로그인 페이지", id="login"),
        pytest.param(f"<!DOCTYPE html>\n<html>{KEY}</html>", "HTML 페이지", id="html"),
        pytest.param(write_error_page(), "오류 안내 페이지", id="error page"),
        pytest.param(f"<html><body>{KEY}<br></body></html>", "HTML 페이지", id="no xml"),
        pytest.param(f"<other>{KEY}</other>", "다른 XML", id="other xml"),
        pytest.param("Unexpected errors", "'Unexpected errors'", id="a known word"),
        pytest.param(f"No such key: {KEY}", "다른 내용", id="an unknown word"),
        pytest.param("[]", "JSON", id="a list"),
        pytest.param('{"header": {"resultCode": "00"', "끝까지 읽을 수 없는 JSON", id="cut json"),
        pytest.param('{"header": {"resultCode": "00\\', "끝까지 읽을 수 없는 JSON", id="cut text"),
        pytest.param('{"header": {}} x', "끝까지 읽을 수 없는 JSON", id="more behind"),
        pytest.param("<response><header><resultCode>00", "끝까지 읽을 수 없는 XML", id="cut xml"),
        pytest.param("<?xml version='1.0'?><resp", "끝까지 읽을 수 없는 XML", id="cut sooner"),
        pytest.param("<response>&nbsp;</response>", "끝까지 읽을 수 없는 XML", id="an entity"),
        pytest.param(b"PK\x03\x04 \x80", "ZIP", id="zip"),
    ],
)
def test_what_is_no_answer_is_named_and_not_quoted(body, named):
    assert named in _refuse(body, "not_an_api_answer", 6, again=True)


@pytest.mark.parametrize("form", ["xml", "json"])
def test_an_answer_cut_anywhere_is_refused_and_never_short(form):
    items = [_item(1), _item(2)]
    body = _json(items).body if form == "json" else _xml(items).encode()
    for end in range(1, len(body) - 1, 5):
        fault = read_api_page(_answer(body[:end]), SELECTORS)
        assert isinstance(fault, Fault), end
        assert fault.code in {"not_an_api_answer", "mojibake"}, (end, fault)


# --- odd answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(("found", "asked"), [(2, 1), (1, 2), (0, 1)])
def test_another_page_than_the_one_asked_for_is_refused(found, asked):
    page = replace(_json([_item()], page_no=found), request=_answer("x", asked).request)
    message = _refuse(page, "api_wrong_page", 6, again=True)
    assert f"{asked}쪽 대신 {found}쪽" in message


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(_json([_item(1), _item(2)], total=1), id="more items than records"),
        pytest.param(_json([dict.fromkeys(_item(), "-")]), id="an empty record"),
        pytest.param(_json([_item(1), _item(2)], size=1), id="more items than the page has"),
        pytest.param(_json([], total=-1), id="negative"),
        pytest.param(_json([], total="many"), id="no number"),
        pytest.param(_json([], total=None), id="null"),
        pytest.param(_json([], total=1.5), id="a fraction"),
        pytest.param(_json([], total="12345678901"), id="far too many"),
        pytest.param(_json([], total="٣"), id="a foreign digit"),
        pytest.param(_json([], page_no=""), id="no page number"),
        pytest.param(_json([], resultCode=""), id="no result code"),
        pytest.param(_json([], resultCode=["00"]), id="a list for a code"),
        pytest.param(_json("text"), id="a text for items"),
        pytest.param(_json({"item": "text"}), id="a text for an item"),
        pytest.param(_json({"items": []}), id="another name for item"),
        pytest.param(_json(["text"]), id="a text among the items"),
        pytest.param(_json([_item(ENTP_NAME=["a"])]), id="a list for a value"),
        pytest.param(_json([_item(ENTP_NAME={})]), id="an object for a value"),
        pytest.param(_json([_item(ENTP_NAME=True)]), id="a yes for a value"),
        pytest.param(_json([_item(ENTP_NAME=float("nan"))]), id="nan"),
        pytest.param(_answer('{"header": {"resultCode": "00"}, "body": []}'), id="no body"),
        pytest.param(_answer('{"body": {}}'), id="no header"),
        pytest.param(_answer('{"response": 1}'), id="a number for the response"),
        pytest.param(_answer("<response/>"), id="an empty response"),
        pytest.param(_answer(_xml([]).replace("<totalCount>3</totalCount>", "")), id="no total"),
        pytest.param(_answer(_xml([], inside="text")), id="text beside elements"),
        pytest.param(_answer(_xml([], inside="<items/>")), id="items twice"),
        pytest.param(_answer(_xml([_item()]).replace("item>", "row>")), id="rows for items"),
        pytest.param(_answer(_xml([_item()]).replace("<ENTP_NAME>", "<ENTP_NAME><b/>")),
                     id="an element in a value"),
        pytest.param(_answer(_xml([_item()]).replace("<item>", "<item>text")), id="text in item"),
    ],
)  # fmt: skip
def test_an_answer_of_another_structure_is_refused(page):
    _refuse(page, "odd_api_answer", 4)


def test_a_name_twice_in_one_item_is_refused():
    twice = "<ENTP_NAME>a</ENTP_NAME></item>"
    assert "두 번" in _refuse(_xml([_item()]).replace("</item>", twice), "odd_api_answer", 4)
    text = str(_json([_item()]).body, "utf-8").replace('"BIZRNO"', '"ENTP_NAME"')
    assert "두 번" in _refuse(text, "odd_api_answer", 4)


def test_a_name_that_no_field_has_is_refused_in_its_own_letters():
    assert "'MAKER'" in _refuse(_json([_item(), _item(MAKER="")]), "unknown_column", 4)
    assert "'entp_name'" in _refuse(_json([_item(entp_name="a")]), "unknown_column", 4)
    item = _item()
    table = _read(_json([item | {"MAKER": "x"}]), ignored_api_names=["BIZRNO", "MAKER"])
    assert table.rows[0].fields == _fields()


@pytest.mark.parametrize("field", ["reg_no", "company", "registered_on", "ingredient_name"])
def test_what_tells_records_apart_must_be_there(field):
    item = _item()
    del item[NAMES[field]]
    assert f"'{LABELS[field]}'" in _refuse(_json([item]), "missing_column", 4)


@pytest.mark.parametrize("escaped", ["\\ufffd", "\\ud800", "\\udc00\\ud800"])
def test_an_escape_that_is_no_character_is_refused(escaped):
    body = str(_json([_item(ENTP_NAME="대x웅")]).body, "utf-8").replace("대x웅", f"대{escaped}웅")
    assert "'ENTP_NAME'" in _refuse(body, "mojibake", 4)
    paired = body.replace(escaped, "\\ud83d\\ude00")
    assert _read(paired).rows[0].fields["company"] == "대😀웅"


@pytest.mark.parametrize("body", [f"{{{KEY}\ufffd{KEY}".encode(), b"<response>\xff</response>"])
def test_broken_bytes_are_refused_and_not_quoted(body):
    _refuse(body, "mojibake", 4)


# --- hostile answers ---------------------------------------------------------------------------


ENTITIES = (
    '<!DOCTYPE response [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c SYSTEM "file:///etc/passwd">]>'
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ENTITIES + _xml([_item(ENTP_NAME="x")]), id="entities"),
        pytest.param("<!doctype response>" + _xml([]), id="a small doctype"),
        pytest.param(_xml([]).replace("<body>", "<body" + ' a=""' * 500 + ">"), id="a long tag"),
        pytest.param("<response>" + "<a/>" * 300_001 + "</response>", id="many elements"),
        pytest.param('{"header": ' + "[" * 13, id="deep json"),
        pytest.param('{"header": ' + '{"a":' * 100_000, id="very deep json"),
        pytest.param('{"header": [' + "1," * 400_001, id="many values"),
        pytest.param('{"header": "' + "\\" * 1_000_000 + '"}}' + "{" * 20, id="backslashes"),
    ],
)
def test_an_answer_that_is_meant_to_hurt_is_refused(text):
    _refuse(text, "odd_api_answer", 4)


def test_very_deep_xml_is_refused():
    _refuse("<response>" + "<a>" * 5_000 + "</a>" * 5_000 + "</response>",
            "not_an_api_answer", 6, again=True)  # fmt: skip


def test_a_very_large_answer_is_refused():
    _refuse(_answer(b" " * MAX_ANSWER_BYTES + b"{}"), "odd_api_answer", 4)


def test_brackets_inside_texts_are_no_depth():
    name = "[조품 제조원 ①] {\\" + '"' + "[[[[[[[[[[[[[[["
    assert _read(_json([_item(MNFCTR_NAME=name)])).rows[0].fields["maker_names"] == (name,)


def test_an_answer_with_a_changed_byte_is_refused_or_has_as_many_rows():
    seed = 15057075
    random = Random(seed)
    items = [_item(1), _item(2)]
    for body in (_json(items).body, _xml(items).encode()):
        for _ in range(200):
            changed = bytearray(body)
            at = random.randrange(len(body))
            changed[at] = random.randrange(256)
            table = read_api_page(_answer(bytes(changed)), SELECTORS)
            assert isinstance(table, Fault) or len(table.rows) == 2, (seed, at)


# --- several passes ----------------------------------------------------------------------------


def _pass(*pages: Sequence[int], total: int) -> list[PageTable]:
    return [
        a_table([_fields(number) for number in numbers], page_no=page_no, total=total)
        for page_no, numbers in enumerate(pages, start=1)
    ]


def _merge(*passes: Sequence[PageTable], **options: frozenset[str]) -> Snapshot:
    snapshot = merge_api_passes(passes, SELECTORS, **options)
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def _refuse_passes(code: str, *passes: Sequence[PageTable]) -> str:
    fault = merge_api_passes(passes, SELECTORS)
    assert isinstance(fault, Fault), fault
    assert (fault.code, fault.exit_code, fault.is_retryable) == (code, 4, code == "race")
    fault.message.encode("cp949")
    return fault.message


def _numbers(snapshot: Snapshot) -> list[int]:
    return sorted(int(key.rpartition("-")[2]) for key in snapshot.records)


def test_what_one_pass_misses_another_has():
    first, second = _pass([1, 2], [2, 4], total=4), _pass([1, 2], [3, 4], total=4)
    assert "서로 다른 3건" in _refuse_passes("race", first)
    snapshot = _merge(first, second)
    assert _numbers(snapshot) == [1, 2, 3, 4]
    assert (snapshot.announced_total, snapshot.n_pages) == (4, 4)
    assert [record.fields for record in snapshot.records.values()] == [
        _fields(number) for number in (1, 2, 4, 3)
    ]


def test_a_record_knows_the_page_that_showed_it_first():
    snapshot = _merge(_pass([1, 2], [2], total=3), _pass([3, 1], [2], total=3))
    sources = {key[-1]: int(record.source, 16) for key, record in snapshot.records.items()}
    assert sources == {"1": 1, "2": 1, "3": 1}
    assert {key[-1]: record.row_no for key, record in snapshot.records.items()} == {
        "1": 1, "2": 2, "3": 1
    }  # fmt: skip


def test_which_names_delivered_the_fields_is_counted_once_a_record():
    tables = [_read(_json([_item(1), _item(2)], total=2))]
    snapshot = _merge(tables, tables)
    assert snapshot.delivered == {
        Delivery(field, 0, f"openapi {name}"): 2 for field, name in NAMES.items()
    }


@pytest.mark.parametrize(
    ("passes", "named"),
    [
        ([_pass([1, 2], total=2), _pass([1, 2], total=3)], "2건이기도 하고 3건이기도"),
        ([_pass([1], [2], total=2), _pass([1, 3], total=2)], "서로 다른 3건"),
        ([_pass([1, 2], total=4), _pass([2, 1], total=4)], "2번 읽어 서로 다른 2건"),
    ],
)
def test_passes_that_make_no_list_are_a_race(passes, named):
    assert named in _refuse_passes("race", *passes)


def test_one_record_with_two_contents_is_a_race():
    other = a_table([_fields(1, ingredient_name="다른 성분")], total=1)
    message = _refuse_passes("race", _pass([1], total=1), [other])
    assert "내용이 서로 다릅니다" in message
    assert "20260922-211-J-1" in message


@pytest.mark.parametrize("passes", [[], [[]], [_pass([], total=0)], [_pass([], [], total=5)]])
def test_passes_without_records_are_an_empty_list(passes):
    _refuse_passes("empty_list", *passes)


def test_a_number_with_two_applicants_is_two_records():
    rows = [_fields(1), _fields(1, company="다른 회사"), _fields(2)]
    snapshot = _merge([a_table(rows, total=3)], [a_table(rows[::-1], total=3)])
    assert snapshot.split_numbers == ("20260922-211-J-1",)
    assert len(snapshot.records) == 3
    split = _merge(_pass([2], total=1), split_numbers=frozenset({"20260922-211-J-2"}))
    assert list(split.records) == ["20260922-211-J-2|(주)한국화이자제약|2026-09-22"]


def test_rows_without_number_are_told_apart_by_ingredient():
    rows = [_fields(1, reg_no=""), _fields(2, reg_no="")]
    snapshot = _merge([a_table(rows, total=2)])
    assert snapshot.n_without_number == 2
    assert len(snapshot.records) == 2


def test_a_field_that_some_answers_leave_out_is_empty_there_and_one_that_all_do_is_absent():
    first = _fields(1, target="")
    second = _fields(2)
    without = {field: value for field, value in first.items() if field != "target"}
    tables = [a_table([without], total=2), a_table([second], page_no=2, total=2)]
    records = _merge(tables, [a_table([second, first], total=2)]).records.values()
    assert [record.fields for record in records] == [first, second]
    assert list(next(iter(records)).fields) == list(_fields())
    alone = _merge([a_table([without], total=1)]).records.values()
    assert [record.fields for record in alone] == [without]


def test_the_unstable_order_of_the_rehearsal_site_is_overcome_or_told():
    """Whatever a pass misses, a snapshot is complete or is none."""
    seed = 7
    register = grow_register(400, 3, date(2026, 11, 30))
    live = {row.reg_no for row in register if row.status == LIVE}
    n_told = 0
    for api_seed in range(seed, seed + 6):
        passes: list[list[PageTable]] = []
        snapshot: Snapshot | Fault | None = None
        for of_pass in itertools.islice(_passes(OpenApi(api_seed), register, len(live)), 12):
            passes.append(of_pass)
            snapshot = merge_api_passes(passes, SELECTORS)
            if isinstance(snapshot, Snapshot):
                break
            n_told += 1
            assert snapshot.code == "race"
        assert isinstance(snapshot, Snapshot), (api_seed, snapshot)
        assert {record.fields["reg_no"] for record in snapshot.records.values()} == live
    assert n_told, seed


def _passes(api: OpenApi, register: Sequence[ListRow], n_live: int) -> Iterator[list[PageTable]]:
    """Yield pass after pass over pages of 10, each call in another order."""
    while True:
        yield [
            _read(_ask(api, register, Switches(), page_no, 10))
            for page_no in range(1, -(-n_live // 10) + 1)
        ]


# --- limits --------------------------------------------------------------------------------------


def test_what_an_answer_leaves_out_is_the_empty_value_of_its_field():
    without = {name: text for name, text in _item(2).items() if name != "MNFCTR_NAME"}
    (first, second) = (_read(_json([_item(1)], total=2)), _read(_json([without], total=2)))
    assert "maker_names" not in second.rows[0].fields

    snapshot = merge_api_passes([[first, replace(second, page_no=2)]], SELECTORS)

    assert isinstance(snapshot, Snapshot), snapshot
    assert [each.fields["maker_names"] for each in snapshot.records.values()] == [
        _fields(1)["maker_names"], ()
    ]  # fmt: skip


def test_two_contents_of_one_record_are_told_in_their_order():
    first, second = _read(_json([_item(1)], total=1)), _read(_json([_item(1, NOTICE_CODE="별표2")]))
    second = replace(second, announced_total=1, page_no=2)

    fault = merge_api_passes([[first, second]], SELECTORS)

    assert isinstance(fault, Fault)
    assert fault.code == "race"
    assert "1페이지 1행과 2페이지 1행" in fault.message


@pytest.mark.parametrize(
    ("depth", "said"), [(12, "값이 있을 자리에 다른 것이"), (13, "12단계보다 깊습니다")]
)
def test_so_deep_an_answer_may_be_and_no_deeper(depth, said):
    nested = json.loads("[" * (depth - 4) + "]" * (depth - 4))
    message = _refuse(_json([_item(BIZRNO=nested)]), "odd_api_answer", 4)
    assert said in message


@pytest.mark.parametrize(("n_more", "code"), [(0, "not_an_api_answer"), (1, "odd_api_answer")])
def test_so_many_marks_and_texts_an_answer_may_have_and_no_more(n_more, code):
    """More are refused before anything is parsed; so many commas without values are no JSON."""
    text = '{"a":[' + "," * (400_001 - 6 + n_more) + "]}"

    fault = read_api_page(_answer(text), SELECTORS)

    assert isinstance(fault, Fault)
    assert fault.code == code


@pytest.mark.parametrize(("n_chars", "is_refused"), [(1_000, False), (1_001, True)])
def test_so_long_a_tag_may_be_and_no_longer(n_chars, is_refused):
    start = "<response "
    tag = start + "a='" + "x" * (n_chars - len(start) - 3) + "'"
    assert len(tag) == n_chars + 1
    text = _xml([_item()]).replace("<response", tag, 1)

    table = read_api_page(_answer(text), SELECTORS)

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, Fault):
        assert (table.code, "긴 태그" in table.message) == ("odd_api_answer", True)


def test_numbers_have_at_most_nine_digits_and_the_code_may_have_blanks_around_it():
    assert _read(_json([_item()], total="999999999")).announced_total == 999_999_999
    assert "totalCount" in _refuse(_json([_item()], total="1" + "0" * 9), "odd_api_answer", 4)
    assert _read(_json([_item()], resultCode=" 00\n")).announced_total == 3


@pytest.mark.parametrize(("n_more", "is_refused"), [(0, False), (1, True)])
def test_so_many_bytes_an_answer_may_have_and_no_more(n_more, is_refused):
    body = _json([_item()]).body

    table = read_api_page(_answer(body + b" " * (MAX_ANSWER_BYTES - len(body) + n_more)), SELECTORS)

    assert isinstance(table, Fault) == is_refused
