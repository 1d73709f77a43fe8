"""How the workbook and the open API are asked for."""

from __future__ import annotations

import pytest

from dmf_crawler.acquire.source_request import api_request, export_request
from dmf_crawler.boards import ExportSource, OpenApiSource

BASE = "https://site.go.kr"


def test_the_workbook_is_one_address_with_times_of_its_own():
    request = export_request(BASE, ExportSource(path="/pbp/CCBAC03/getExcel"))
    assert request.identity == ("GET", f"{BASE}/pbp/CCBAC03/getExcel", "")
    assert (request.kind, request.page_no, request.pass_no) == ("export", 0, 1)
    assert (request.read_timeout_s, request.request_deadline_s) == (120.0, 300.0)
    assert request.secret == ""


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [("GET", "/x?a=1&b=%ED%95%9C", None), ("POST", "/x", "a=1&b=%ED%95%9C")],
)
def test_constant_parameters_of_the_workbook_go_where_the_method_wants_them(method, url, body):
    source = ExportSource(path="/x", method=method, params={"a": "1", "b": "한"})
    request = export_request(BASE, source, pass_no=2)
    assert (request.url, request.body, request.pass_no) == (BASE + url, body, 2)


def test_a_page_of_the_open_api_names_its_key_and_does_not_hold_it():
    source = OpenApiSource(path="/1471000/MdcDmfInfoService02/getMdcDmfList02")
    request = api_request(BASE, source, 3, pass_no=2)
    assert request.url == (
        f"{BASE}/1471000/MdcDmfInfoService02/getMdcDmfList02"
        "?type=json&serviceKey=~DMF_OPENAPI_KEY~&pageNo=3&numOfRows=500"
    )
    assert request.secret == "DMF_OPENAPI_KEY"
    assert (request.kind, request.page_no, request.pass_no) == ("api", 3, 2)


def test_the_same_page_of_another_service_is_just_another_path():
    source = OpenApiSource(
        path="/1471000/MdcDmfInfoService01/getMdcDmfList01",
        params={},
        key_variable="OTHER_KEY",
        key_param="k",
        page_param="p",
        size_param="n",
        page_size=10,
    )
    url = api_request(BASE, source, 1).url
    assert url == f"{BASE}/1471000/MdcDmfInfoService01/getMdcDmfList01?k=~OTHER_KEY~&p=1&n=10"
