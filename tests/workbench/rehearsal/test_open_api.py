import json
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from lxml import etree

from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.workbench.rehearsal.browser import get

PATHS = {
    service: f"/openapi/1471000/MdcDmfInfoService{service}/getMdcDmfList{service}"
    for service in ("01", "02")
}
STABLE = Switches(open_api_order="stable")


def call(site, service="02", **params):
    return get(site, PATHS[service], {"serviceKey": "rehearsal-key", "type": "json", **params})


def read_json(got):
    answer = json.loads(got.body)
    assert set(answer) == {"header", "body"}
    return answer["body"]


def read_error(got):
    assert got.status == 200
    return etree.fromstring(got.body).findtext(".//returnReasonCode")


def test_the_api_lists_the_live_rows(site, rows):
    site.switches = STABLE
    body = read_json(call(site, numOfRows=500))
    live = [row for row in rows if row.status == "정상"]
    assert body["totalCount"] == len(live)
    assert [item["DMF_PERMIT_NO"] for item in body["items"]] == [row.reg_no for row in live]
    item = next(item for item in body["items"] if item["ENTP_NAME"] == "주식회사 가람")
    assert item["MNFCTR_NAME"] == "Lonza AG ,Same Ltd,Same Ltd"
    assert item["INGR_KOR_NAME"] == 'A & B <5% "C"'
    assert item["NOTICE_CODE"] == rows[1].target


def test_xml_is_the_default_and_holds_the_same(site):
    site.switches = STABLE
    items = read_json(call(site, numOfRows=20))["items"]
    root = etree.fromstring(call(site, numOfRows=20, type="xml").body)
    assert root.findtext("header/resultCode") == "00"
    assert [{field.tag: field.text or "" for field in item} for item in root.iter("item")] == [
        {name: value.replace("\r\n", "\n") for name, value in item.items()} for item in items
    ]
    assert get(site, PATHS["02"], {"serviceKey": "rehearsal-key"}).body.startswith(b"<?xml")


def test_service_01_knows_no_target_and_ends_in_december(rows):
    with RehearsalSite(rows, now=lambda: datetime(2026, 12, 16, 14, 59, tzinfo=UTC)) as site:
        assert "NOTICE_CODE" not in read_json(call(site, "01"))["items"][0]
    with RehearsalSite(rows, now=lambda: datetime(2026, 12, 16, 15, 0, tzinfo=UTC)) as site:
        assert read_error(call(site, "01")) == "12"
        assert read_json(call(site, "02"))["items"]


def test_pages_and_searches(site, rows):
    site.switches = STABLE
    assert len(read_json(call(site, pageNo=2, numOfRows=50))["items"]) == 50
    assert "items" not in read_json(call(site, pageNo=99))
    found = read_json(call(site, entp_name="가람"))
    assert found["totalCount"] == sum("가람" in r.company for r in rows if r.status == "정상")
    assert read_json(call(site, ENTP_NAME="가람"))["totalCount"] > found["totalCount"]


def test_items_may_be_wrapped(site):
    site.switches = Switches(open_api_items="item")
    assert len(read_json(call(site))["items"]["item"]) == 10


def test_the_order_moves_between_two_calls(site):
    pages = [read_json(call(site, numOfRows=500))["items"] for _ in range(4)]
    assert any(page != pages[0] for page in pages)
    numbers = [sorted(item["DMF_PERMIT_NO"] for item in page) for page in pages]
    assert all(page == numbers[0] for page in numbers)


@pytest.mark.parametrize("bad", [{"numOfRows": 501}, {"numOfRows": "x"}, {"pageNo": 0}])
def test_bad_numbers_are_refused(site, bad):
    assert read_error(call(site, **bad)) == "10"


def test_an_unknown_key_is_refused_in_xml_with_200(site):
    assert read_error(call(site, serviceKey="other")) == "30"


def test_a_key_that_was_encoded_twice_is_forbidden(site):
    site.switches = Switches(open_api_key="a+b/c==")
    assert call(site, serviceKey="a+b/c==").status == 200
    assert call(site, serviceKey=quote("a+b/c==", safe="")).status == 403


def test_the_quota_ends(site):
    site.switches = Switches(open_api_quota=2)
    assert [call(site).body[:1] for _ in range(2)] == [b"{", b"{"]
    assert read_error(call(site)) == "22"
