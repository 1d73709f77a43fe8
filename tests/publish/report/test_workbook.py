from __future__ import annotations

import os
from dataclasses import replace
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from dmf_crawler.errors import StoredDataError
from dmf_crawler.model.change import EventType, Reason
from dmf_crawler.model.report import Report
from dmf_crawler.publish.report.workbook import write_report
from tests.publish.builders import (
    a_board,
    a_change,
    a_gate,
    a_missing_record,
    a_record,
    a_report,
    a_run_row,
    an_event,
    some_fields,
)
from tests.publish.report.reading import (
    cell_rows,
    link_of,
    plain_rows,
    sheet_of,
    text_rows,
    write_and_read,
)

SHEETS = ["요약", "신규", "변경", "취하", "전체현황", "이력", "실행로그"]
FORMULA = "=cmd|' /C calc'!A0"


def a_full_report() -> Report:
    """Return a report with rows in every block of every sheet."""
    events = [
        an_event(EventType.NEW, "A"),
        an_event(EventType.MODIFIED, "B", changes=[a_change()]),
        an_event(EventType.WITHDRAWN, "C", reason=Reason.STATUS),
        an_event(EventType.REAPPEARED, "D", reason=Reason.RETURNED),
    ]
    records = [*(a_record(key) for key in "DCBA"), a_missing_record("E", days=1, n_reads=1)]
    board = a_board(records=records, events=events, gates=[a_gate()])
    return a_report(board, runs=[a_run_row()])


def a_hostile_report() -> Report:
    """Return a report in which everything that the site can write is a formula."""
    fields = {
        field: (FORMULA, FORMULA) if isinstance(value, tuple) else FORMULA
        for field, value in some_fields().items()
    }
    change = a_change("company", FORMULA, FORMULA)
    events = [
        an_event(kind, FORMULA, changes=[change], fields=fields, reason=reason)
        for kind, reason in (
            (EventType.NEW, None),
            (EventType.MODIFIED, Reason.DELISTED),
            (EventType.WITHDRAWN, Reason.STATUS),
            (EventType.REAPPEARED, Reason.RETURNED),
        )
    ]
    record = replace(
        a_missing_record(FORMULA, days=1, n_reads=1), fields=fields, url=f"javascript:{FORMULA}"
    )
    board = replace(
        a_board(records=[record], events=events, gates=[a_gate(message=FORMULA)]),
        notice=FORMULA,
        warnings=(FORMULA,),
    )
    run = replace(a_run_row(), error_code=FORMULA, reject_reason=FORMULA)
    return a_report(board, runs=[run])


def test_the_sheets_stand_in_their_order(tmp_path: Path) -> None:
    assert write_and_read(a_full_report(), tmp_path).sheetnames == SHEETS


def test_several_boards_have_a_board_column_and_a_sheet_each(tmp_path: Path) -> None:
    events = [an_event(EventType.NEW, "A")]
    boards = [
        replace(a_board(records=[a_record("A")], events=events), board_id=name, name_ko=name)
        for name in ("dmf", "recalls")
    ]
    workbook = write_and_read(a_report(*boards), tmp_path)
    assert workbook.sheetnames == [*SHEETS, "전체현황_recalls"]
    for name in ("신규", "변경", "취하"):
        assert text_rows(workbook, name)[0][0] == "게시판"
    assert [row[:2] for row in text_rows(workbook, "신규")[1:]] == [["dmf", "A"], ["recalls", "A"]]
    assert [link_of(row[1]) for row in cell_rows(workbook, "신규")[1:]] == [
        "'전체현황'!A2",
        "'전체현황_recalls'!A2",
    ]
    assert text_rows(workbook, "전체현황")[0][0] == "대상의약품"


def test_links_of_several_boards_lead_to_the_row_of_the_same_number(tmp_path: Path) -> None:
    second = replace(a_full_report().boards[0], board_id="notices", name_ko="공지 '사항'")
    report = replace(a_full_report(), boards=(*a_full_report().boards, second))
    workbook = write_and_read(report, tmp_path)
    targets = set()
    for name in ("신규", "변경", "취하", "이력"):
        for cell in chain.from_iterable(cell_rows(workbook, name)):
            if target := link_of(cell):
                sheet_name, row_no = target.split("!A")
                row = cell_rows(workbook, sheet_name.strip("'"))[int(row_no) - 1]
                assert row[1].value == cell.value
                targets.add(sheet_name)
    assert targets == {"'전체현황'", f"'{workbook.sheetnames[-1]}'"}


def test_every_internal_link_leads_to_a_row_of_the_same_number(tmp_path: Path) -> None:
    workbook = write_and_read(a_full_report(), tmp_path)
    n_links = 0
    for name in ("신규", "변경", "취하", "이력"):
        for cell in chain.from_iterable(cell_rows(workbook, name)):
            if target := link_of(cell):
                sheet_name, row_no = target.split("!A")
                row = cell_rows(workbook, sheet_name.strip("'"))[int(row_no) - 1]
                assert row[1].value == cell.value
                n_links += 1
    assert n_links == 9


def test_no_cell_becomes_a_formula_or_a_foreign_link(tmp_path: Path) -> None:
    path = write_report(a_hostile_report(), tmp_path / "report.xlsx")
    n_texts = 0
    for sheet in load_workbook(path).worksheets:
        for cell in chain.from_iterable(plain_rows(sheet)):
            assert cell.data_type != "f"
            assert "javascript" not in link_of(cell)
            n_texts += FORMULA in str(cell.value)
    assert n_texts > 70
    with ZipFile(path) as archive:
        for name in archive.namelist():
            assert b"<f>" not in archive.read(name)


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_report(a_full_report(), tmp_path / "first.xlsx")
    second = write_report(a_full_report(), tmp_path / "second.xlsx")
    assert first.read_bytes() == second.read_bytes()


def test_the_properties_tell_title_purpose_and_moment(tmp_path: Path) -> None:
    properties = write_and_read(a_full_report(), tmp_path).properties
    assert properties.title == "DMF 변동 보고서 2026-11-30"
    assert properties.subject == "사내용"
    assert f"{properties.created:%Y-%m-%dT%H:%M:%S}" == "2026-11-29T21:13:12"


def test_every_sheet_is_set_up_for_printing(tmp_path: Path) -> None:
    workbook = write_and_read(a_full_report(), tmp_path)
    for sheet in workbook.worksheets:
        assert sheet.page_setup.orientation == "landscape"
        assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)
        assert sheet.sheet_properties.pageSetUpPr is not None
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert [part.center.text for part in (sheet.oddHeader, sheet.oddFooter) if part] == [
            "사내용",
            "&P / &N",
        ]


def test_every_table_has_its_header_in_view_with_filters(tmp_path: Path) -> None:
    workbook = write_and_read(a_full_report(), tmp_path)
    for name in SHEETS[1:]:
        sheet = sheet_of(workbook, name)
        assert sheet.print_title_rows == "$1:$1"
        assert str(sheet.auto_filter.ref).startswith("A1:")
        assert str(sheet.freeze_panes).endswith("2")


def test_the_folder_is_made_and_nothing_else_is_left_in_it(tmp_path: Path) -> None:
    path = tmp_path / "새 폴더" / "reports" / "DMF_2026-11-30.xlsx"
    assert write_report(a_full_report(), path) == path
    assert list(path.parent.iterdir()) == [path]


def test_a_later_report_takes_the_place_of_the_older(tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    path.write_bytes(b"older")
    write_report(a_full_report(), path)
    assert load_workbook(path).sheetnames == SHEETS


def test_a_locked_report_stays_and_the_message_says_what_to_do(tmp_path: Path) -> None:
    """Windows refuses to replace a file that Excel has open."""

    def refuse(source: Path, target: Path) -> None:
        assert source.stat().st_size > 0
        raise PermissionError(13, "in use", str(target))

    path = tmp_path / "report.xlsx"
    path.write_bytes(b"older")
    with pytest.raises(StoredDataError) as caught:
        write_report(a_full_report(), path, replace=refuse)
    assert caught.value.code == "report_not_written"
    assert caught.value.exit_code == 5
    assert str(path) in caught.value.message
    assert "파일을 닫은 뒤 report --date 2026-11-30" in caught.value.message
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "reports").write_bytes(b"a file, no folder")
    with pytest.raises(StoredDataError) as caught:
        write_report(a_full_report(), tmp_path / "reports" / "report.xlsx")
    assert caught.value.code == "report_not_written"
    assert "여유 공간" in caught.value.message


@pytest.mark.skipif(
    os.name == "nt" or not Path("/dev/full").exists(),
    reason="needs a device that is always full",
)
def test_a_full_disk_leaves_the_older_report(tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    path.write_bytes(b"older")
    (tmp_path / "report.xlsx.part").symlink_to("/dev/full")
    with pytest.raises(StoredDataError) as caught:
        write_report(a_full_report(), path)
    assert caught.value.code == "report_not_written"
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_cell_that_does_not_arrive_leaves_the_older_report(tmp_path: Path) -> None:
    """A board with more columns than Excel has: XlsxWriter would leave the rest out."""
    column = a_board().columns[1]
    columns = tuple(replace(column, field=f"f{n}", label_ko=f"열 {n}") for n in range(16_400))
    path = tmp_path / "report.xlsx"
    path.write_bytes(b"older")
    with pytest.raises(StoredDataError) as caught:
        write_report(a_report(replace(a_board(), columns=columns, key_field="f0")), path)
    assert caught.value.code == "report_not_written"
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_twelve_thousand_records_keep_their_links(tmp_path: Path) -> None:
    records = [a_record(f"2026-{n}") for n in range(12_000)]
    board = a_board(records=records, events=[an_event(EventType.NEW, "2026-11999")])
    path = write_report(a_report(board), tmp_path / "report.xlsx")
    with ZipFile(path) as archive:
        new = archive.read("xl/worksheets/sheet2.xml").decode("utf-8")
        rows = archive.read("xl/worksheets/sheet5.xml").decode("utf-8")
        relations = archive.read("xl/worksheets/_rels/sheet5.xml.rels").decode("utf-8")
    assert rows.count("<row ") == 12_001
    assert "location=\"'전체현황'!A12001\"" in new
    assert relations.count('TargetMode="External"') == 12_000
