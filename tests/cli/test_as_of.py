"""`as-of`: the list of each day of a known history, on screen, as JSON, csv and workbook."""

from __future__ import annotations

import csv
import io
import os
from datetime import date
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from dmf_crawler.cli.as_of import _tell, list_of_day
from dmf_crawler.cli.known_boards import choose_known_board
from dmf_crawler.config import load_home
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.list_files import KEY_LABEL, OWN_COLUMNS
from dmf_crawler.publish.plain_csv import split_values
from dmf_crawler.workbench.long_history import LongHistory
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.simulation import BOARD, Reader
from tests.cli.asking import at, say
from tests.cli.told import ODD, RENAMED, STAYS, VANISHES, WITHDRAWN
from tests.persist.builders import Diary, a_record, moment

needs_full_disk = pytest.mark.skipif(
    os.name == "nt" or not Path("/dev/full").exists(),
    reason="needs a device that is always full",
)


def listed(home: Path, day: str, *words: str) -> dict[str, dict[str, object]]:
    """Return the records of a day by their key."""
    answer = at(home, "as-of", day, *words).json
    assert answer["n_rows"] == len(answer["records"])
    return {record["key"]: record for record in answer["records"]}


def value(home: Path, day: str, key: str, field: str) -> object:
    fields = listed(home, day)[key]["fields"]
    assert isinstance(fields, dict)
    return fields[field]


# --- which list ---------------------------------------------------------------------------------


def test_a_day_ends_at_six_of_the_next(told):
    """What a run at 05:00 of the 2nd found belongs to the 1st."""
    assert value(told, "2026-11-30", RENAMED.key, "company") == "가나제약(주)"
    assert value(told, "2026-12-01", RENAMED.key, "company") == "국전약품(주)"
    assert listed(told, "2026-12-01")[RENAMED.key]["valid_from"] == "2026-12-02T05:00:00+09:00"


def test_a_day_without_an_accepted_run_has_the_list_before_it_and_says_so(told):
    before, then = at(told, "as-of", "2026-12-01").json, at(told, "as-of", "2026-12-02").json
    assert (then["records"], then["run_id"]) == (before["records"], before["run_id"])
    assert (then["date"], then["run_date"]) == ("2026-12-02", "2026-12-01")
    assert "그 뒤로 2026-12-02 까지 채택된 실행이 없습니다" in say(told, "as-of", "2026-12-02").out


def test_nothing_is_dated_back_not_even_a_correction(told):
    """The pages of the 3rd were read again on the 5th: its list stays as it was known."""
    assert value(told, "2026-12-03", STAYS.key, "ingredient_name") == "로사르탄칼륨"
    assert value(told, "2026-12-04", STAYS.key, "ingredient_name") == "로사르탄칼륨"
    assert value(told, "2026-12-05", STAYS.key, "ingredient_name") == "바르게 읽은 성분"


def test_what_is_withdrawn_by_status_is_in_it_and_what_is_missing_is_marked(told):
    assert value(told, "2026-12-05", WITHDRAWN.key, "status") == "취하"
    days = ("2026-12-03", "2026-12-04", "2026-12-05")
    spells = [listed(told, day)[VANISHES.key] for day in days]
    assert [spell["missing_since"] for spell in spells] == [None, "2026-12-04", "2026-12-04"]
    assert [spell["n_missing_reads"] for spell in spells][:2] == [0, 1]
    assert VANISHES.key not in listed(told, "2026-12-06")
    assert VANISHES.key not in listed(told, "2026-12-07")
    assert listed(told, "2026-12-08")[VANISHES.key]["missing_since"] is None


def test_every_record_tells_where_it_comes_from(told):
    answer = at(told, "as-of", "2026-12-05").json
    assert (answer["board"], answer["n_rows"], answer["n_missing"]) == ("dmf_registry", 5, 1)
    record = answer["records"][-1]
    assert record["key"] == STAYS.key
    assert record["run_id"] == "20261205T060000-dmf_registry"
    assert (record["source_row"], len(record["source_sha256"])) == (1, 64)
    assert record["source_url"].startswith("http://127.0.0.1/list")
    assert record["is_joined"] is False


def test_the_list_of_every_day_is_the_one_that_was_read_less_what_was_missing(tmp_path):
    """Forty days of a register that lives, against what each read had."""
    reader, read = Reader(), {}
    with Store(tmp_path / "dmf.sqlite3") as store:
        grown = LongHistory(store, Life(120, seed=5), reader=reader)
        for _ in range(40):
            grown.grow(1)
            read[grown.life.day] = reader.take_whole(grown.life.rows).records
        for day, records in read.items():
            versions = list_as_of(store, BOARD, moment((day - date(2026, 11, 30)).days, hour=29))
            there = {each.key: each.fields for each in versions if each.missing_since is None}
            assert there == {key: record.fields for key, record in records.items()}, day


# --- days and boards that there are not ---------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "told_so"),
    [
        (["2026-11-29"], "no_list_then", "2026-11-30 에 시작합니다"),
        (["2099-01-01"], "day_in_future", "까지의 날을"),
        (["2026-12-01", "--board", "mfds_notice"], "nothing_accepted", "의약품안전나라 공지"),
        (["2026-12-01", "--board", "nedrug_terms"], "nothing_accepted", "의약품안전나라 이용약관"),
        (["2026-12-01", "--board", "gone"], "no_such_board", "dmf_registry, mfds_notice"),
    ],
)
def test_what_there_is_not_is_refused(told, words, code, told_so):
    asked = at(told, "as-of", *words)
    assert (asked.exit_code, asked.error_code) == (2, code)
    assert told_so in asked.json["error"]["message"]
    assert asked.json["records"] == []


def test_a_board_that_is_switched_off_or_gone_is_answered_with_field_ids(told_home, tmp_path):
    with Store(told_home / "var/dmf.sqlite3") as store:
        Diary(store, board_id="old_board").read(a_record("X"), at=moment(3))
    path = told_home / "config/boards.yaml"
    text = path.read_text(encoding="utf-8").replace("enabled: true", "enabled: false")
    path.write_text(text, encoding="utf-8")
    assert at(told_home, "as-of", "2026-12-03").error_code == "no_boards"
    for board, n_rows in (("dmf_registry", 5), ("old_board", 1)):
        out = tmp_path / f"{board}.csv"
        words = ("2026-12-03", "--board", board)
        assert at(told_home, "as-of", *words, "--csv", str(out)).json["n_rows"] == n_rows
        assert read_csv(out)[0][1:3] == ["reg_no", "ingredient_name"]
        assert at(told_home, "as-of", *words, "--xlsx", f"{out}.xlsx").exit_code == 0
    asked = say(told_home, "as-of", "2026-12-03", "--board", "dmf_registry")
    assert "정상 4  취하 1" in asked.out


# --- for people ---------------------------------------------------------------------------------


def test_people_are_told_numbers_and_not_the_list(told):
    lines = say(told, "as-of", "2026-12-05").out.splitlines()
    assert [line for line in lines if "아직 끝나지 않은 날" not in line] == [
        "2026-12-05 끝의 목록: 원료의약품등록(DMF) 현황 (dmf_registry)",
        "  5건: 정상 4  취하 1",
        "  그중 확인 중 1건(목록에서 사라졌고 아직 취하로 기록하지 않음)",
        "  마지막으로 채택한 실행: 20261205T070000-dmf_registry (2026-12-05)",
        "  목록 전체는 --csv 파일, --xlsx 파일 또는 --json 을 붙이면 나옵니다.",
    ]


def test_people_are_told_that_today_may_still_change(told):
    home, day = load_home(told), date(2026, 12, 5)
    with Store(home.database) as store:
        listing = list_of_day(store, choose_known_board(home, store, None), day, today=day)
    assert not any("아직 끝나지 않은 날" in line for line in _tell(listing, None, is_over=True))
    assert any("아직 끝나지 않은 날" in line for line in _tell(listing, None, is_over=False))


# --- csv ----------------------------------------------------------------------------------------


def read_csv(path: Path) -> list[list[str]]:
    """Read a csv file with the standard library alone."""
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def bare(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


def test_a_csv_file_has_the_list_under_korean_headers(told, tmp_path):
    out = tmp_path / "list.csv"
    answer = at(told, "as-of", "2026-12-05", "--csv", str(out)).json
    assert (answer["file"], answer["marking"]) == (str(out), "사내용")

    header, *rows = read_csv(out)

    assert header[0] == KEY_LABEL == "키 (사내용)"
    assert header[1:5] == ["대상의약품", "등록번호", "성분명", "신청인"]
    assert header[-len(OWN_COLUMNS) :] == list(OWN_COLUMNS)
    assert [row[0] for row in rows] == [record["key"] for record in answer["records"]]
    named = [dict(zip(header, row, strict=True)) for row in rows]
    missing = named[2]
    assert (missing["확인 중 시작일"], missing["확인 횟수"]) == ("2026-12-04", "3")
    for told_row, record in zip(named, answer["records"], strict=True):
        fields = record["fields"]
        assert bare(told_row["성분명"]) == fields["ingredient_name"]
        assert bare(told_row["신청인"]) == fields["company"]
        assert split_values(bare(told_row["제조소명"])) == tuple(fields["maker_names"])
        assert told_row["유효 시작"] == record["valid_from"]
        assert told_row["기록한 실행"] == record["run_id"]
    assert out.read_bytes().count(b"\r\n") == len(rows) + 1


def test_no_cell_of_a_csv_file_is_a_formula(told, tmp_path):
    at(told, "as-of", "2026-12-05", "--csv", str(tmp_path / "list.csv"))
    cells = [cell for row in read_csv(tmp_path / "list.csv") for cell in row]
    assert "'" + str(ODD.fields["company"]) in cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


def test_a_folder_gets_a_file_whose_name_says_that_it_stays_in_the_house(told, tmp_path):
    for kind in ("csv", "xlsx"):
        file = at(told, "as-of", "2026-12-05", f"--{kind}", str(tmp_path)).json["file"]
        assert Path(file).name == f"DMF_dmf_registry_2026-12-05_사내용.{kind}"
        assert Path(file).exists()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_file_is_never_overwritten_and_never_half_written(told, tmp_path, kind):
    out = tmp_path / f"list.{kind}"
    out.write_bytes(b"mine")
    asked = at(told, "as-of", "2026-12-05", f"--{kind}", str(out))
    assert (asked.exit_code, asked.error_code) == (2, "file_exists")
    assert out.read_bytes() == b"mine"

    asked = at(told, "as-of", "2026-12-05", f"--{kind}", str(out / "below"))
    assert (asked.exit_code, asked.error_code) == (5, "file_not_written")


@needs_full_disk
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_nothing_is_left_of_a_file_that_the_disk_does_not_take(told, tmp_path, kind):
    out = tmp_path / f"list.{kind}"
    out.with_name(f"{out.name}.part").symlink_to("/dev/full")
    asked = at(told, "as-of", "2026-12-05", f"--{kind}", str(out))
    assert (asked.exit_code, asked.error_code) == (5, "file_not_written")
    assert list(tmp_path.iterdir()) == []


# --- workbook -----------------------------------------------------------------------------------


def test_a_workbook_shows_the_list_and_says_which_and_that_it_stays_in_the_house(told, tmp_path):
    out = tmp_path / "list.xlsx"
    answer = at(told, "as-of", "2026-12-05", "--xlsx", str(out)).json

    book = openpyxl.load_workbook(out)
    (sheet,) = book.worksheets

    assert sheet.title == "전체현황"
    assert str(sheet["A1"].value) == (
        "사내용 · 원료의약품등록(DMF) 현황 · 2026-12-05 끝의 목록 · 5건 (확인 중 1건) · "
        "마지막 채택 20261205T070000-dmf_registry"
    )
    assert (sheet["B2"].value, sheet["D2"].value) == ("등록번호", "신청인")
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("C3", "A2:Q7")
    numbers = [sheet.cell(row, 2).value for row in range(3, 8)]
    assert numbers == [record["fields"]["reg_no"] for record in answer["records"]]
    assert sheet["D3"].value == ODD.fields["company"]
    assert sheet["E3"].value == "@A; B\\n\n\n-C\nD"
    assert {cell.data_type for row in sheet.iter_rows(min_row=3) for cell in row} <= {"s", "n"}
    assert sheet.oddHeader is not None
    assert "사내용" in str(sheet.oddHeader.center.text)
    assert book.properties.subject == "사내용"
    with ZipFile(out) as package:
        assert b"<f>" not in package.read("xl/worksheets/sheet1.xml")
