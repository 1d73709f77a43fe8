"""The site's workbook: the same values as on its pages, and every file refused that is not it."""

import io
import struct
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from random import Random
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.dedup import merge_export
from dmf_crawler.extract.package import open_package
from dmf_crawler.extract.sheets import read_sheets
from dmf_crawler.extract.workbook import find_cell, read_workbook
from dmf_crawler.model.record import Delivery, PageTable, Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.text import strip_blanks
from dmf_crawler.workbench.rehearsal.pages import write_error_page
from dmf_crawler.workbench.rehearsal.register import grow_register
from dmf_crawler.workbench.rehearsal.workbook import build_workbook
from tests.extract.pages import (
    LABELS,
    URL,
    html_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)
from tests.extract.workbooks import (
    HEADER,
    a_package,
    a_workbook,
    list_row,
    list_rows,
    pack,
    relations_xml,
    shared_xml,
    sheet_xml,
    styles_xml,
    unpack,
    workbook_xml,
)

SELECTORS = some_selectors()
MOST_ROWS = 10_000
COMPANY = HEADER.index("신청인")


def _read(body: bytes, **changes: object) -> PageTable:
    selectors = some_selectors(**changes) if changes else SELECTORS
    table = read_workbook(raw_page(body, content_type=""), selectors, most_rows=MOST_ROWS)
    assert isinstance(table, PageTable), table
    return table


def _refuse(body: bytes, code: str, exit_code: int = 4, **changes: object) -> str:
    selectors = some_selectors(**changes) if changes else SELECTORS
    fault = read_workbook(raw_page(body, content_type=""), selectors, most_rows=MOST_ROWS)
    assert isinstance(fault, Fault), "read without complaint"
    is_retryable = exit_code == 6
    assert (fault.code, fault.exit_code, fault.is_retryable) == (code, exit_code, is_retryable)
    assert len(fault.message) < 900
    fault.message.encode("cp949")
    return fault.message


def _company(cell: Any) -> bytes:
    """A workbook of one record, its applicant's cell as given."""
    row = list_row(1, some_fields())
    row[COMPANY] = cell
    return a_workbook([HEADER, row])


def _xml_rows(**cells: str) -> list[list[str]]:
    """Header and one record for `sheet_xml`, some cells as given."""
    texts = [value if isinstance(value, str) else "@".join(value) for value in
             (some_fields() | cells).values()]  # fmt: skip
    return [HEADER, ["1", *texts]]


# --- a list as the site writes it --------------------------------------------------------------


DIRTY: dict[str, Value] = {
    "company": " ㈜대웅  제약 ",
    "ingredient_name": 'Ⅲ형 β-락탐 & <"ß">',
    "maker_names": ("Siegfried Evionnaz SA\r\n", "[미분화공정] Jetpharma SA", ""),
    "maker_addresses": ("Biochemiestraβe 10,\r\n6250 Kundl",),
    "maker_countries": (),
    "document_no": "-",
    "linked_document_no": "_x000D_",
}


def test_real_values_are_read_as_they_stand_with_what_was_shown_beside_them():
    table = _read(a_workbook(list_rows([some_fields(1) | DIRTY, some_fields(2)])))
    clean = {
        "company": "㈜대웅  제약",
        "maker_names": ("Siegfried Evionnaz SA", "[미분화공정] Jetpharma SA", ""),
        "document_no": "",
        "linked_document_no": "",
    }
    assert [dict(row.fields) for row in table.rows] == [
        some_fields(1) | DIRTY | clean, some_fields(2)
    ]  # fmt: skip
    assert list(table.rows[0].fields) == list(LABELS)
    assert table.rows[0].shown == {
        "company": " ㈜대웅  제약 ",
        "maker_names": "Siegfried Evionnaz SA\r\n\x1f[미분화공정] Jetpharma SA\x1f",
        "document_no": "-",
        "linked_document_no": "\r",
    }
    assert table.rows[1].shown == {}
    assert [row.row_no for row in table.rows] == [1, 2]


def test_a_table_says_where_it_came_from_and_what_delivered_its_fields():
    page = raw_page(a_workbook(list_rows([some_fields(1), some_fields(2)])), page_no=0)
    table = read_workbook(page, SELECTORS, most_rows=MOST_ROWS)
    assert isinstance(table, PageTable), table
    assert (table.page_no, table.source, table.url) == (0, page.sha256, URL)
    assert table.announced_total == 2
    assert table.delivered == tuple(
        Delivery(field, 0, f"export {label}") for field, label in LABELS.items()
    )


def test_another_writer_with_shared_texts_and_escapes_reads_the_same():
    records = [some_fields(1) | DIRTY | {"linked_document_no": ""}, some_fields(2)]
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        sheet = workbook.add_worksheet("목록")
        for number, row in enumerate(list_rows(records)):
            sheet.write_row(number, 0, row)
    assert "_x000D_" in str(unpack(buffer.getvalue())["xl/sharedStrings.xml"])
    assert _read(buffer.getvalue()).rows == _read(a_workbook(list_rows(records))).rows


@pytest.mark.parametrize("n_rows", [137, 1])
def test_the_rehearsal_sites_workbook_holds_the_rows_of_its_register(n_rows):
    register = grow_register(n_rows, 3, date(2026, 11, 30))
    table = _read(build_workbook(register))
    for row, listed in zip(table.rows, register, strict=True):
        assert row.fields == {field: _strip(getattr(listed, field)) for field in LABELS}


def _strip(value: Value) -> Value:
    if isinstance(value, str):
        return strip_blanks(value)
    values = tuple(strip_blanks(text) for text in value)
    return () if values == ("",) else values


def _joined(text: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(text, max_size=4).map(tuple)


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="@-_\ufffd\ufffe\uffff")
    | st.sampled_from("\r\n\t Ⅲβ㈜"),
    max_size=20,
).filter(lambda text: not text.startswith("="))  # openpyxl would write a formula


@given(st.lists(st.tuples(TEXTS, TEXTS, _joined(TEXTS)), min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_what_is_read(cells):
    records = [
        some_fields(number, company=company, ingredient_name=ingredient, maker_names=makers)
        for number, (company, ingredient, makers) in enumerate(cells, start=1)
    ]
    table = _read(a_workbook(list_rows(records)))
    for row, record in zip(table.rows, records, strict=True):
        assert row.fields == {field: _strip(value) for field, value in record.items()}
    read_again = openpyxl.load_workbook(io.BytesIO(a_workbook(list_rows(records))))
    for row, seen in zip(
        table.rows, read_again.worksheets[0].iter_rows(min_row=2, values_only=True), strict=True
    ):
        assert row.fields["company"] == strip_blanks(str(seen[COMPANY] or ""))


def test_nested_fields_may_be_joined_or_be_the_first_and_another_joint_may_join_them():
    mapping = selectors_mapping() | {"export_joint": " / "}
    mapping["fields"]["maker_names"]["nested"] = "join"
    mapping["fields"]["maker_countries"]["nested"] = "first"
    record = some_fields(
        maker_names="가 / 나@b", maker_addresses="x / y", maker_countries=" / 인도 / 독일"
    )
    assert _read(a_workbook(list_rows([record])), **mapping).rows[0].fields == some_fields(
        maker_names="가\n나@b", maker_addresses=("x", "y"), maker_countries="인도"
    )


# --- header and columns ------------------------------------------------------------------------


@pytest.mark.parametrize("n_above", [0, 1, 3, 19])
def test_the_header_is_found_below_title_rows(n_above):
    titles: list[list[Any]] = [
        ["원료의약품등록(DMF)현황"],
        ["출력일", date(2026, 11, 30), "등록번호"],
        [],
    ]
    above = [titles[at % 3] for at in range(n_above)]
    table = _read(a_workbook([*above, *list_rows([some_fields(7)])]))
    assert [row.fields for row in table.rows] == [some_fields(7)]
    assert table.rows[0].row_no == 1


def test_a_header_too_far_down_is_not_looked_for():
    message = _refuse(a_workbook([["제목"]] * 20 + list_rows([some_fields()])), "no_list_sheet")
    assert "'제목'" in message


def test_columns_may_stand_anywhere_and_be_called_by_any_alias():
    record = some_fields()
    header = {**LABELS, "reg_no": " DMF 번호", "company": "업체명 ▲"}
    names = ["linked_document_no", *[name for name in LABELS if name != "linked_document_no"]]
    rows = [["", *(header[name] for name in names)], ["", *list_row(1, record)[1:]]]
    rows[1] = ["", *(list_row(1, {name: record[name] for name in names})[1:])]
    assert _read(a_workbook(rows)).rows[0].fields == record


def test_a_fallbacks_header_serves_where_the_primary_ones_are_missing():
    mapping = selectors_mapping()
    fallback = {"strategy": "header_text", "header_aliases": ["등록인"]}
    mapping["fields"]["company"]["fallbacks"].append(fallback)
    body = a_workbook([[{"신청인": "등록인"}.get(text, text) for text in HEADER],
                       list_row(1, some_fields())])  # fmt: skip
    table = _read(body, **mapping)
    assert table.rows[0].fields == some_fields()
    assert [used for used in table.delivered if used.position] == [
        Delivery("company", 3, "export 등록인")
    ]
    assert "등록인" in _refuse(body, "missing_column")


def _header(**renamed: str) -> list[str]:
    return [renamed.get(text, text) for text in HEADER]


@pytest.mark.parametrize(
    ("header", "code", "named"),
    [
        (_header(등록번호="번호"), "missing_column", "등록번호"),
        ([*HEADER, "비고"], "unknown_column", "비고"),
        ([*HEADER, "업체명"], "ambiguous_column", "업체명"),
        ([*HEADER, "순번"], "", ""),
    ],
)
def test_columns_are_judged_as_on_a_page(header, code, named):
    body = a_workbook([header, [*list_row(1, some_fields()), "x"]])
    if code:
        assert named in _refuse(body, code)
    else:
        assert _read(body).rows[0].fields == some_fields()


def test_the_sheet_with_the_list_is_found_among_others():
    records = list_rows([some_fields(5)])
    other = [["등록번호", "설명"], ["가", "나"]]
    assert _read(a_workbook(other, 목록=records, 빈_시트=[])).rows[0].fields == some_fields(5)


def test_two_sheets_with_the_list_are_refused_and_none_too():
    records = list_rows([some_fields()])
    assert "'목록2'" in _refuse(a_workbook(records, 목록2=records), "ambiguous_sheet")
    message = _refuse(a_workbook([["가", "나"]], 빈_시트=[]), "no_list_sheet")
    assert "시트 'Sheet1'의 첫 행 '가', '나'" in message
    assert "비어 있음" in message


# --- cells -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (20050831, "20050831"),
        (20050831.0, "20050831"),
        (2026, "2026"),
        (0, "0"),
        (-3.5, "-3.5"),
        (0.1 + 0.2, "0.3"),
        (1.5e10, "15000000000"),
        (date(2026, 9, 22), "2026-09-22"),
        (datetime(2026, 9, 22), "2026-09-22"),  # noqa: DTZ001  (Excel knows no zone)
        (datetime(2026, 9, 22, 6, 30, 5), "2026-09-22 06:30:05"),  # noqa: DTZ001
        (date(1900, 1, 1), "1900-01-01"),
        (date(1900, 3, 1), "1900-03-01"),
        ("2026.09.22", "2026.09.22"),
        ("20050831.0", "20050831.0"),
        ("TRUE", "TRUE"),
        ("'=1+1", "'=1+1"),
        ("  ", ""),
    ],
)
def test_numbers_and_days_are_text(cell, value):
    row = _read(_company(cell)).rows[0]
    assert row.fields == some_fields(company=value)
    assert row.shown == ({"company": cell} if value == "" else {})


@pytest.mark.parametrize(
    ("number_format", "value"),
    [
        ("14", "2026-09-22"),
        ("31", "2026-09-22"),
        ("22", "2026-09-22 12:00:00"),
        ("yyyy-mm-dd", "2026-09-22"),
        ('yyyy"년" m"월" d"일"', "2026-09-22"),
        ("[$-412]yyyy. m. d;@", "2026-09-22"),
        ("yyyy-mm-dd\\ hh:mm", "2026-09-22 12:00:00"),
        ("0", "46287.5"),
        ("General", "46287.5"),
        ('#,##0.0 "day"', "46287.5"),
        ("[Red]0.0;[Blue]yyyy-mm-dd", "46287.5"),
        ("@", "46287.5"),
        ("0.00E+00", "46287.5"),
        ("_-* #,##0_-", "46287.5"),
    ],
)
def test_a_serial_number_is_a_day_where_its_format_shows_one(number_format, value):
    rows = _xml_rows(company='<c s="1"><v>46287.5</v></c>')
    body = a_package(sheet_xml(rows), {"xl/styles.xml": styles_xml(number_format)})
    assert _read(body).rows[0].fields["company"] == value


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("20050831.0", "20050831"),
        ("2.0050831E7", "20050831"),
        ("123456789012345678", "123456789012345678"),
        ("-0", "0"),
        ("0.30000000000000004", "0.3"),
        ("1.5E-5", "0.000015"),
        ("1.10", "1.1"),
        ("5.", "5"),
    ],
)
def test_a_number_is_written_as_people_write_it(number, value):
    rows = _xml_rows(company=f"<c><v>{number}</v></c>")
    assert _read(a_package(sheet_xml(rows))).rows[0].fields["company"] == value


def test_days_may_be_counted_from_1904():
    parts = {
        "xl/styles.xml": styles_xml("14"),
        "xl/workbook.xml": workbook_xml("목록", properties='<workbookPr date1904="1"/>'),
    }
    rows = _xml_rows(company='<c s="1"><v>0</v></c>', changed_on='<c s="1"><v>44825</v></c>')
    fields = _read(a_package(sheet_xml(rows), parts)).rows[0].fields
    assert (fields["company"], fields["changed_on"]) == ("1904-01-01", "2026-09-22")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-09-22", "2026-09-22"),
        ("2026-09-22T00:00:00", "2026-09-22"),
        ("2026-09-22T00:00:00.000Z", "2026-09-22"),
        ("2026-09-22T13:05:00", "2026-09-22 13:05:00"),
    ],
)
def test_a_day_may_be_written_as_iso_8601(text, value):
    rows = _xml_rows(company=f'<c t="d"><v>{text}</v></c>')
    assert _read(a_package(sheet_xml(rows))).rows[0].fields["company"] == value


@pytest.mark.parametrize(
    "cell",
    [
        '<c t="b"><v>1</v></c>',
        '<c t="e"><v>#N/A</v></c>',
        '<c t="d"><v>yesterday</v></c>',
        '<c t="x"><v>1</v></c>',
        "<c><v>1e999</v></c>",
        "<c><v>1e300</v></c>",
        "<c><v>nan</v></c>",
        "<c><v>0x10</v></c>",
        "<c><v>３</v></c>",
        f"<c><v>{'9' * 5000}</v></c>",
        '<c s="1"><v>0</v></c>',
        '<c s="1"><v>60</v></c>',
        '<c s="1"><v>-1</v></c>',
        '<c s="1"><v>2958466</v></c>',
        '<c s="1"><v>x</v></c>',
        '<c s="2"><v>0.5</v></c>',
        '<c s="3"><v>46287</v></c>',
        '<c s="4"><v>46287</v></c>',
    ],
)
def test_a_cell_that_is_neither_text_number_nor_day_is_refused_with_its_place(cell):
    styles = styles_xml("14", "hh:mm", "yyyy", "[h]:mm")
    body = a_package(sheet_xml(_xml_rows(company=cell)), {"xl/styles.xml": styles})
    assert "목록!E2" in _refuse(body, "unreadable_cell")


def test_a_time_alone_is_no_day():
    _refuse(_company(time(6, 30)), "unreadable_cell")


@pytest.mark.parametrize("formula", ["=1+1", '=HYPERLINK("http://127.0.0.1/x")'])
def test_a_formula_is_refused_and_not_evaluated(formula):
    assert "Sheet1!E2" in _refuse(_company(formula), "formula_cell")


def test_a_formula_with_a_kept_result_is_refused_as_well():
    cell = '<c t="str"><f t="shared" si="0"/><v>대웅</v></c>'
    assert "목록!E2" in _refuse(a_package(sheet_xml(_xml_rows(company=cell))), "formula_cell")
    blank = [HEADER, ["1", "<c><f>1</f></c>"], *_xml_rows()[1:]]
    assert "목록!B2" in _refuse(a_package(sheet_xml(blank)), "formula_cell")


def test_what_stands_in_a_column_that_is_not_read_or_above_the_header_does_not_matter():
    row = list_row(1, some_fields())
    row[0] = "=ROW()-1"
    table = _read(a_workbook([["=TODAY()", True], HEADER, row]))
    assert table.rows[0].fields == some_fields()


def test_shared_texts_may_be_in_pieces_and_have_a_pronunciation():
    shared = shared_xml(
        "<t>다른 글</t>",
        '<r><rPr/><t xml:space="preserve">한국 </t></r><r><t>화이자</t></r>'
        "<rPh><t>ハンコク</t></rPh><phoneticPr/>",
        "<t>대웅_x000D_&#10;_x005F_x000D_&#13;_x0000_</t>",
    )
    rows = _xml_rows(
        company='<c t="s"><v>1</v></c>', ingredient_name='<c t="s"><v>2</v></c>',
        document_no='<c t="s"/>', linked_document_no='<c t="s"><v></v></c>',
        changed_on='<c t="inlineStr"><is><r><t>2026</t></r><rPh><t>x</t></rPh></is></c>',
    )  # fmt: skip
    row = _read(a_package(sheet_xml(rows), {"xl/sharedStrings.xml": shared})).rows[0]
    assert row.fields == some_fields(
        company="한국 화이자", ingredient_name="대웅\r\n_x000D_", document_no="",
        linked_document_no="", changed_on="2026",
    )  # fmt: skip
    assert row.shown == {"ingredient_name": "대웅\r\n_x000D_\r"}


@pytest.mark.parametrize("text", ["대\ufffd웅", "대_xD800_웅", "대_xFFFD_웅"])
def test_broken_characters_are_refused(text):
    body = a_package(sheet_xml(_xml_rows(company=text)))
    assert "목록!E2" in _refuse(body, "mojibake")


def test_a_strict_workbook_reads_the_same():
    parts = unpack(a_package(sheet_xml(_xml_rows())))
    strict = {
        name: str(part, "utf-8")
        .replace("http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                 "http://purl.oclc.org/ooxml/spreadsheetml/main")
        .replace("http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                 "http://purl.oclc.org/ooxml/officeDocument/relationships")
        for name, part in parts.items() if isinstance(part, bytes)
    }  # fmt: skip
    assert "purl" in strict["xl/worksheets/sheet1.xml"]
    assert _read(pack(strict)).rows[0].fields == some_fields()


def test_parts_may_lie_elsewhere_and_be_named_from_the_root():
    parts = unpack(a_package(sheet_xml(_xml_rows())))
    parts["xl/_rels/workbook.xml.rels"] = relations_xml(worksheet="/Data/Sheet.XML")
    parts["data/sheet.xml"] = parts.pop("xl/worksheets/sheet1.xml")
    assert _read(pack(parts)).rows[0].fields == some_fields()


def test_macros_links_to_other_files_and_charts_are_left_alone():
    parts: dict[str, str | bytes | None] = {
        "xl/vbaProject.bin": b"\xff" * 100,
        "xl/externalLinks/externalLink1.xml": "<externalLink>&undefined;</externalLink>",
        "xl/workbook.xml": workbook_xml("목록").replace(
            "</sheets>", '<sheet name="그림" sheetId="2" r:id="chartsheet1"/></sheets>'
        ),
        "xl/_rels/workbook.xml.rels": relations_xml(
            worksheet="worksheets/sheet1.xml", chartsheet="chartsheets/sheet1.xml",
            vbaProject="vbaProject.bin", externalLink="externalLinks/externalLink1.xml",
        ),
    }  # fmt: skip
    assert _read(a_package(sheet_xml(_xml_rows()), parts)).rows[0].fields == some_fields()


# --- rows --------------------------------------------------------------------------------------


def test_blank_rows_at_the_end_are_no_rows():
    rows: list[list[Any]] = [*list_rows([some_fields(1), some_fields(2)]), [], [None, "  "], [""]]
    assert _read(a_workbook(rows)).announced_total == 2
    assert _read(a_workbook([HEADER, []])).rows == ()


@pytest.mark.parametrize("blank", [[], [None, " ", ""]])
def test_a_blank_row_in_the_middle_is_refused(blank):
    first, second = list_row(1, some_fields(1)), list_row(2, some_fields(2))
    message = _refuse(a_workbook([HEADER, first, blank, second]), "blank_row")
    assert "Sheet1!3행" in message
    _refuse(a_workbook([HEADER, blank, first]), "blank_row")


def test_a_row_with_its_running_number_alone_is_refused():
    rows = [HEADER, list_row(1, some_fields()), [2, None, "-"]]
    assert "Sheet1!3행" in _refuse(a_workbook(rows), "blank_row")


def test_text_under_no_header_is_refused():
    row = [*list_row(1, some_fields()), None, "비고"]
    assert "Sheet1!Q2, '비고'" in _refuse(a_workbook([HEADER, row]), "stray_text")
    row[-1] = " "
    assert _read(a_workbook([HEADER, row])).rows[0].fields == some_fields()


def test_the_header_again_among_the_rows_is_refused():
    rows = [HEADER, list_row(1, some_fields()), HEADER]
    assert "3번째 행" in _refuse(a_workbook(rows), "repeated_header")


def test_a_hidden_row_is_refused():
    body = sheet_xml(_xml_rows()).replace("<row>", '<row hidden="1">').replace(
        '<row hidden="1">', "<row>", 1
    )  # fmt: skip
    assert "2번째 행" in _refuse(a_package(body), "hidden_row")


def test_merged_cells_are_refused_in_header_and_rows_but_not_above():
    rows = [["제목"], *_xml_rows(), *_xml_rows()[1:]]
    for reference in ("E3:E4", "B2:C2", "A1:A2", "$E$3:$E$4"):
        after = f'<mergeCells count="1"><mergeCell ref="{reference}"/></mergeCells>'
        assert f"목록!{reference}" in _refuse(a_package(sheet_xml(rows, after)), "merged_cells")
    for reference in ("A1:P1", "A5:C6"):
        after = f'<mergeCells><mergeCell ref="{reference}"/></mergeCells>'
        assert len(_read(a_package(sheet_xml(rows, after))).rows) == 2


def test_as_many_rows_as_a_file_can_have_were_probably_cut_off():
    body = a_workbook(list_rows([some_fields(1), some_fields(2)]))
    fault = read_workbook(raw_page(body), SELECTORS, most_rows=2)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("workbook_capped", 4, False)
    for most_rows in (1, 3):
        assert isinstance(read_workbook(raw_page(body), SELECTORS, most_rows=most_rows), PageTable)


# --- something else ----------------------------------------------------------------------------


LOGIN = "<html><body><form><input type='password'></form></body></html>"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        pytest.param(b"", "빈 내용", id="nothing"),
        pytest.param(b" \r\n", "빈 내용", id="blanks"),
        pytest.param(LOGIN.encode(), "로그인 페이지", id="login"),
        pytest.param("<html><p>시스템 점검 중입니다</p></html>".encode(), "점검 안내", id="closed"),
        pytest.param("<!DOCTYPE html>\n<html><p>오류가 발생하였습니다</p></html>".encode("cp949"),
                     "오류 안내", id="error in cp949"),
        pytest.param(write_error_page().encode(), "오류 안내 페이지", id="the site's error page"),
        pytest.param(b"<html><script>go()</script></html>", "스크립트만", id="script"),
        pytest.param(html_page([some_fields()]).encode(), "HTML 페이지", id="the list as a page"),
        pytest.param(b"\xef\xbb\xbf<table><tr><td>1</td></tr></table>", "HTML 페이지",
                     id="a table called xls"),
        pytest.param(b"<?xml version='1.0'?><Workbook/>", "다른 XML", id="xml of 2003"),
        pytest.param(COMPOUND, "옛 엑셀(.xls)", id="xls"),
        pytest.param(b"%PDF-1.7", "PDF", id="pdf"),
        pytest.param(b"\x1f\x8b\x08", "gzip", id="gzip"),
        pytest.param(b'{"error": 1}', "JSON", id="json"),
        pytest.param(b"Forbidden", "'Forbidden'", id="a word"),
        pytest.param("순번,등록번호\r\n".encode(), "다른 내용", id="csv"),
        pytest.param(pack({"word/document.xml": "<a/>", "[Content_Types].xml": "<a/>"}),
                     "엑셀이 아닌 ZIP", id="docx"),
        pytest.param(pack({"a.txt": "x"}), "엑셀이 아닌 ZIP", id="zip"),
        pytest.param(pack({"xl/workbook.bin": b"x", "[Content_Types].xml": "<a/>"}), ".xlsb",
                     id="xlsb"),
    ],
)  # fmt: skip
def test_what_is_no_workbook_is_named(body, named):
    assert named in _refuse(body, "not_a_workbook", exit_code=6)


def test_an_encrypted_archive_is_named():
    body = bytearray(a_package(sheet_xml(_xml_rows())))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = body.find(signature)
        while at >= 0:
            body[at + offset] |= 1
            at = body.find(signature, at + 4)
    assert "암호" in _refuse(bytes(body), "not_a_workbook", exit_code=6)


def test_a_workbook_cut_anywhere_is_refused_and_never_short():
    body = a_workbook(list_rows([some_fields(number) for number in range(1, 30)]))
    for end in range(4, len(body), len(body) // 60):
        _refuse(body[:end], "damaged_workbook", exit_code=6)


def test_a_workbook_with_a_changed_byte_is_refused_or_read_right():
    seed = 20261130
    random = Random(seed)
    body = a_workbook(list_rows([some_fields(number) for number in range(1, 10)]))
    rows = _read(body).rows
    n_refused = 0
    for _ in range(300):
        changed = bytearray(body)
        at = random.randrange(len(body))
        changed[at] ^= 1 << random.randrange(8)
        table = read_workbook(raw_page(bytes(changed)), SELECTORS, most_rows=MOST_ROWS)
        n_refused += isinstance(table, Fault)
        assert isinstance(table, Fault) or table.rows == rows, (seed, at)
    assert n_refused > 100, seed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</sheetData>", ""),
        ("<sheetData>", "<sheetData>&nbsp;"),
        ("<row>", '<row r="0">'),
        ("<row>", '<row r="x">'),
        ("<row>", '<row r="1048577">'),
        ("</row><row>", '</row><row r="1">'),
        ("<c t", '<c r="B2" t'),
        ("<c t", '<c r="AAAA1" t'),
        ("<c t", '<c r="x" t'),
        ("</sheetData>", '</sheetData><mergeCells><mergeCell ref="x"/></mergeCells>'),
        ("</sheetData>", '</sheetData><mergeCells><mergeCell ref="A3:A2"/></mergeCells>'),
        ('<c t="inlineStr"><is>', '<c t="s"><v>0</v><is>'),
        ("</row></sheetData>", '<c s="7"><v>1</v></c></row></sheetData>'),
        ("</row></sheetData>", '<c r="A2"><v>1</v></c></row></sheetData>'),
    ],
)
def test_a_sheet_that_contradicts_itself_is_damaged(old, new):
    sheet = sheet_xml(_xml_rows())
    assert old in sheet
    _refuse(a_package(sheet.replace(old, new)), "damaged_workbook", exit_code=6)


def test_a_package_that_lacks_a_sheet_or_has_one_twice_is_damaged():
    sheet = sheet_xml(_xml_rows())
    _refuse(a_package(sheet, {"xl/worksheets/sheet1.xml": None}), "damaged_workbook", exit_code=6)
    _refuse(a_package(sheet, {"xl/_rels/workbook.xml.rels": None}), "damaged_workbook", 6)
    _refuse(a_package(sheet, {"_rels/.rels": "<"}), "damaged_workbook", 6)
    _refuse(a_package(sheet, {"xl/workbook.xml": None}), "not_a_workbook", 6)
    _refuse(a_package(sheet, {"XL/Worksheets/Sheet1.xml": sheet}), "damaged_workbook", 6)
    _refuse(pack(unpack(a_package(sheet)), zipfile.ZIP_LZMA), "damaged_workbook", exit_code=6)


# --- hostile files -----------------------------------------------------------------------------


def test_a_part_that_grows_a_hundredfold_is_not_unpacked():
    sheet = sheet_xml(_xml_rows(), after=" " * 4_000_000)
    message = _refuse(a_package(sheet), "workbook_too_large")
    assert "100배" in message
    unread = {"docProps/core.xml": "<a>" + " " * 4_000_000 + "</a>"}
    _refuse(a_package(sheet_xml(_xml_rows()), unread), "workbook_too_large")


def test_unpacked_bytes_are_counted_whatever_the_directory_says():
    part = "<a>" + " " * 1_048_000 + "</a>"
    parts = {f"xl/media/part{number}.xml": part for number in range(66)}
    body = bytearray(a_package(sheet_xml(_xml_rows()), parts))
    assert "바이트" in _refuse(bytes(body), "workbook_too_large")
    at = body.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<I", body, at + 24, 10)  # unpacked bytes
        at = body.find(b"PK\x01\x02", at + 4)
    _refuse(bytes(body), "damaged_workbook", exit_code=6)


def test_an_entry_without_a_name_is_no_part():
    body = a_package(sheet_xml(_xml_rows()), {"nameless": b""})
    assert body.count(b"nameless") == 2
    nameless = body.replace(b"nameless", b"\0ameless")  # a name ends at its first NUL
    assert _read(nameless).rows[0].fields == some_fields()


def test_many_entries_are_refused():
    parts: dict[str, str | bytes | None]
    parts = {f"xl/media/image{number}.png": b"" for number in range(496)}
    assert "501" in _refuse(a_package(sheet_xml(_xml_rows()), parts), "workbook_too_large")
    del parts["xl/media/image0.png"]
    assert _read(a_package(sheet_xml(_xml_rows()), parts)).rows[0].fields == some_fields()


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'
)


@pytest.mark.parametrize(
    "name", ["xl/worksheets/sheet1.xml", "docProps/core.xml", "xl/theme/theme1.xml", "_rels/.rels"]
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
def test_a_declaration_of_entities_is_refused_in_every_part(name, charset):
    body = a_package(sheet_xml(_xml_rows()), {name: BOMB.encode(charset)})
    assert "DTD" in _refuse(body, "workbook_too_large")


@pytest.mark.parametrize("charset", ["cp037", "cp949"])
def test_a_sheet_is_in_unicode_whatever_it_declares(charset):
    sheet = sheet_xml(_xml_rows()).replace("UTF-8", charset)
    body = sheet.encode(charset, "replace")
    _refuse(a_package("", {"xl/worksheets/sheet1.xml": body}), "damaged_workbook", exit_code=6)
    parts = {"xl/worksheets/sheet1.xml": sheet.replace(charset, "UTF-16").encode("utf-16")}
    assert _read(a_package("", parts)).rows[0].fields == some_fields()


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("<x>" * 65 + "</x>" * 65, id="deep"),
        pytest.param(
            "<mergeCells>" + '<mergeCell ref="Z90:Z91"/>' * 10_001 + "</mergeCells>", id="merges"
        ),
    ],
)
def test_a_sheet_of_unlikely_structure_is_refused(after):
    _refuse(a_package(sheet_xml(_xml_rows(), after)), "workbook_too_large")


def test_a_wide_row_and_a_long_text_are_refused():
    wide = [*_xml_rows(), ["x"] * 257]
    _refuse(a_package(sheet_xml(wide)), "workbook_too_large")
    far = _xml_rows(company='<c r="XFD2"><v>1</v></c>')
    _refuse(a_package(sheet_xml(far)), "workbook_too_large")
    _refuse(a_package(sheet_xml(_xml_rows(company="가" * 32_768))), "workbook_too_large")
    _refuse(a_package(sheet_xml(_xml_rows(maker_names="@" * 500))), "workbook_too_large")
    assert len(_read(a_package(sheet_xml(_xml_rows(maker_names="가@" * 499)))).rows) == 1


def test_cells_and_their_characters_are_counted_over_all_sheets():
    parts = open_package(raw_page(a_workbook([["가" * 10] * 10] * 10, 둘째=[["나"] * 5])))
    assert not isinstance(parts, Fault), parts
    for limits in ({"max_cells": 104}, {"max_chars": 1_004}, {"max_cells": 0}, {"max_chars": 9}):
        fault = read_sheets(parts, **limits)
        assert isinstance(fault, Fault), limits
        assert (fault.code, fault.exit_code) == ("workbook_too_large", 4)
    sheets = read_sheets(parts, max_cells=105, max_chars=1_005)
    assert not isinstance(sheets, Fault), sheets
    assert [len(sheet.rows) for sheet in sheets] == [10, 1]


def test_a_shared_text_counts_wherever_it_stands():
    rows = [['<c t="s"><v>0</v></c>'] * 200] * 100
    shared = shared_xml(f"<t>{'가' * 3_000}</t>")
    body = a_package(sheet_xml(rows), {"xl/sharedStrings.xml": shared})
    assert "32,000,000" in _refuse(body, "workbook_too_large")


def test_many_sheets_are_refused():
    parts = {"xl/workbook.xml": workbook_xml(*(f"시트{number}" for number in range(51)))}
    assert "51" in _refuse(a_package(sheet_xml(_xml_rows()), parts), "workbook_too_large")


# --- where a value stands ----------------------------------------------------------------------


def test_a_value_is_found_in_its_sheet():
    records = [some_fields(1), some_fields(2, company=" ㈜대웅 ")]
    page = raw_page(a_workbook([["제목"], *list_rows(records)]))
    assert find_cell(page, SELECTORS, 2, "company") == ("Sheet1", "E4", " ㈜대웅 ")
    assert find_cell(page, SELECTORS, 1, "maker_names") == (
        "Sheet1", "F3", "Lonza AG@Pfizer Ireland Pharmaceuticals"
    )  # fmt: skip
    assert find_cell(page, SELECTORS, 1, "linked_document_no") == ("Sheet1", "O3", "")


@pytest.mark.parametrize(("row_no", "field"), [(0, "company"), (2, "company"), (1, "순번")])
def test_a_cell_that_is_not_there_is_said_to_be_missing(row_no, field):
    page = raw_page(a_workbook(list_rows([some_fields()])))
    fault = find_cell(page, SELECTORS, row_no, field)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("no_such_cell", 4)
    assert field in fault.message


def test_no_cell_is_found_in_what_is_no_workbook():
    fault = find_cell(raw_page(b"%PDF"), SELECTORS, 1, "company")
    assert isinstance(fault, Fault)
    assert fault.code == "not_a_workbook"


# --- the whole list ----------------------------------------------------------------------------


def _merge(
    records: Sequence[dict[str, Value]], announced_total: int | None, **options: frozenset[str]
) -> Snapshot | Fault:
    page = raw_page(a_workbook(list_rows(records)), page_no=0)
    table = read_workbook(page, SELECTORS, most_rows=MOST_ROWS)
    assert isinstance(table, PageTable), table
    return merge_export(table, SELECTORS, announced_total=announced_total, **options)


@pytest.mark.parametrize("announced_total", [2, None])
def test_a_workbook_with_all_announced_rows_is_the_list(announced_total):
    records = [some_fields(2), some_fields(1)]
    snapshot = _merge(records, announced_total)
    assert isinstance(snapshot, Snapshot), snapshot
    assert [record.fields for record in snapshot.records.values()] == records
    assert list(snapshot.records) == ["20260922-211-J-2", "20260922-211-J-1"]
    assert (snapshot.announced_total, snapshot.n_pages) == (2, 1)
    assert snapshot.delivered[Delivery("company", 0, "export 신청인")] == 2
    first = next(iter(snapshot.records.values()))
    assert (first.row_no, first.url, len(first.source)) == (1, URL, 64)


@pytest.mark.parametrize(("announced_total", "named"), [(3, "잘린"), (1, "서로 다른 때")])
def test_another_number_of_rows_than_announced_is_refused(announced_total, named):
    fault = _merge([some_fields(2), some_fields(1)], announced_total)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("short_list", 4, False)
    assert named in fault.message
    assert "2행" in fault.message
    assert f"{announced_total}건" in fault.message


@pytest.mark.parametrize("announced_total", [0, 5, None])
def test_a_workbook_without_rows_is_an_empty_list(announced_total):
    fault = _merge([], announced_total)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("empty_list", 4)


def test_a_number_that_two_rows_share_is_joined_and_a_row_twice_is_refused():
    records = [some_fields(1), some_fields(1, company="다른 회사")]
    snapshot = _merge(records, 2)
    assert isinstance(snapshot, Snapshot), snapshot
    assert snapshot.split_numbers == ("20260922-211-J-1",)
    fault = _merge([some_fields(1), some_fields(1)], 2)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("duplicate_rows", 4)
    assert "행이 1행과 2행(20260922-211-J-1)에" in fault.message


def test_a_header_that_gave_way_to_a_fallback_is_named_with_no_rows():
    mapping = selectors_mapping()
    fallback = {"strategy": "header_text", "header_aliases": ["등록인"]}
    mapping["fields"]["company"]["fallbacks"].append(fallback)
    selectors = some_selectors(**mapping)
    table = _read(a_workbook([_header(신청인="등록인"), list_row(1, some_fields())]), **mapping)
    snapshot = merge_export(table, selectors, announced_total=1)
    assert isinstance(snapshot, Snapshot), snapshot
    of_company = {used: n for used, n in snapshot.delivered.items() if used.field == "company"}
    assert of_company == {
        Delivery("company", 0, "header_text 신청인, 업체명, 등록업체"): 0,
        Delivery("company", 3, "export 등록인"): 1,
    }


def test_a_number_that_was_split_before_stays_split():
    snapshot = _merge([some_fields(1)], 1, split_numbers=frozenset({"20260922-211-J-1"}))
    assert isinstance(snapshot, Snapshot), snapshot
    assert list(snapshot.records) == ["20260922-211-J-1|(주)한국화이자제약|2026-09-22"]


# --- where looking ends ------------------------------------------------------------------------


def test_a_header_behind_the_first_twenty_rows_is_none_though_those_are_blank():
    rows = list_rows([some_fields()])

    assert len(_read(a_workbook([*[[]] * 19, *rows])).rows) == 1
    _refuse(a_workbook([*[[]] * 20, *rows]), "no_list_sheet")


@pytest.mark.parametrize(("cells", "is_refused"), [("F2:G2", True), ("F3:G3", False)])
def test_cells_merged_in_the_last_row_are_refused_and_below_it_are_nothing(cells, is_refused):
    workbook = openpyxl.load_workbook(io.BytesIO(a_workbook(list_rows([some_fields()]))))
    workbook.worksheets[0].merge_cells(cells)
    body = io.BytesIO()
    workbook.save(body)

    if is_refused:
        _refuse(body.getvalue(), "merged_cells")
    else:
        assert len(_read(body.getvalue()).rows) == 1


def test_a_header_of_a_fallback_that_stands_there_twice_names_no_column():
    mapping = selectors_mapping()
    mapping["fields"]["company"]["fallbacks"] = [
        {"strategy": "header_text", "header_aliases": ["업체"]}
    ]
    header, row = (
        ["업체" if text == "신청인" else text for text in HEADER],
        list_row(1, some_fields()),
    )

    message = _refuse(a_workbook([[*header, "업 체"], [*row, "x"]]), "missing_column", **mapping)

    assert "'신청인'" in message


FORMULA = '<c r="{}"><f>1+1</f></c>'


def test_a_formula_without_a_value_below_the_list_is_refused_too():
    rows = [*_xml_rows(), [FORMULA.format("C3")]]

    assert "C3" in _refuse(a_package(sheet_xml(rows)), "formula_cell")


def test_a_formula_outside_the_columns_is_a_formula_and_no_stray_text():
    header, row = _xml_rows()
    with_value = '<c r="Z2"><f>1+1</f><v>2</v></c>'

    assert "Z2" in _refuse(a_package(sheet_xml([header, [*row, with_value]])), "formula_cell")
    _refuse(a_package(sheet_xml([header, [*row, "남는 값"]])), "stray_text")
