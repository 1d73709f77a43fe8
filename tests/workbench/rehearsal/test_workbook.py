import http.client
import io
from dataclasses import replace

import openpyxl
import pytest

from dmf_crawler.workbench.rehearsal.register import COLUMNS
from dmf_crawler.workbench.rehearsal.switches import Switches
from dmf_crawler.workbench.rehearsal.workbook import FILE_NAME
from tests.workbench.rehearsal.browser import get

PATH = "/pbp/CCBAC03/getExcel"


def read_sheet(body):
    workbook = openpyxl.load_workbook(io.BytesIO(body))
    return [list(row) for row in workbook.worksheets[0].iter_rows(values_only=True)]


def test_the_workbook_holds_the_whole_list_under_its_headers(site, rows):
    sheet = read_sheet(get(site, PATH).body)
    assert sheet[0] == ["순번", *(header for _, header in COLUMNS)]
    assert len(sheet) == 138
    assert [row[2] for row in sheet[1:]] == [row.reg_no for row in rows]
    assert [row[0] for row in sheet[1:4]] == [1, 2, 3]


def test_sites_are_joined_and_blanks_are_empty_and_dates_text(site, rows):
    row = read_sheet(get(site, PATH).body)[2]
    assert row[5] == "Lonza AG @Same Ltd@Same Ltd"
    assert row[7] is None
    assert row[8] == rows[1].registered_on


def test_the_workbook_follows_the_list(site, rows):
    get(site, PATH)
    site.rows = [replace(rows[0], company="새이름(주)")]
    assert [row[4] for row in read_sheet(get(site, PATH).body)[1:]] == ["새이름(주)"]


def test_the_workbook_may_be_cut_at_a_number_of_rows(site):
    site.switches = Switches(export_cap=100)
    assert len(read_sheet(get(site, PATH).body)) == 101


def test_the_file_name_comes_as_raw_utf8_encoded_or_not_at_all(site):
    raw = get(site, PATH).headers["content-disposition"]
    assert FILE_NAME in raw.encode("latin-1").decode()
    site.switches = Switches(export_file_name="encoded")
    assert "%EC%9B%90" in get(site, PATH).headers["content-disposition"]
    site.switches = Switches(export_file_name="none")
    assert "content-disposition" not in get(site, PATH).headers


def test_the_workbook_may_be_an_error_page(site):
    site.switches = Switches(export="html_error")
    got = get(site, PATH)
    assert (got.status, got.headers["content-type"]) == (200, "text/html;charset=UTF-8")


def test_the_workbook_may_be_truncated(site):
    site.switches = Switches(export="truncated")
    with pytest.raises(http.client.IncompleteRead):
        get(site, PATH)


def test_the_workbook_may_be_slow(site):
    site.switches = Switches(export_delay_s=0.03)
    get(site, PATH)
    request = site.log[-1]
    assert request.ended_at_s - request.arrived_at_s >= 0.03
