"""`selectors check`: on a home after two days of 60 rows, and on files of its own."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from tests.cli.asking import ask, at, say
from tests.cli.conftest import N_ROWS
from tests.pages import ROOT

FILE = "selectors/dmf_registry.yaml"
PAGE = ROOT / "tests/data/pages/labels_and_nested_tables.html"

# The example of the design document, its address filled in.
NOTICE_EXAMPLE = """
board_id: dmf_notice
schema_version: 3
verified_at: "2026-09-02"
source_url_template: "https://example.go.kr/board/list?page={page}"
row:
  primary: "#boardList tbody tr"
  fallbacks:
    - "table.tbl_list tbody tr"
    - "table tbody tr"
  min_expected: 10
  max_expected: 100
fields:
  reg_no:
    label_ko: "등록번호"
    strategy: header_text
    header_aliases: ["등록번호", "DMF번호", "원료의약품등록번호"]
    fallbacks:
      - {strategy: css, selector: "td.reg-no"}
    validate:
      pattern: '^[0-9]{4}-[0-9]+$'
      required: true
  ingredient_name:
    label_ko: "주성분명"
    strategy: header_text
    header_aliases: ["주성분명", "성분명", "원료명"]
    validate:
      min_length: 2
      required: true
  company:
    label_ko: "업체명"
    strategy: header_text
    header_aliases: ["업체명", "제조업체", "등록업체"]
    validate:
      required: true
  registered_on:
    label_ko: "등록일"
    strategy: header_text
    header_aliases: ["등록일", "등록일자", "공고일"]
    validate:
      date_formats: ["%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d"]
      required: true
  status:
    label_ko: "상태"
    strategy: header_text
    header_aliases: ["상태", "처리상태", "구분"]
    validate:
      enum: ["등록", "변경", "취하", "취소"]
      required: false
  detail_url:
    strategy: attr
    selector: "a"
    attr: "href"
    validate:
      required: true
"""


@pytest.fixture
def home(lived_home: Path, tmp_path: Path) -> Path:
    """A home of one's own, free to be changed."""
    own = tmp_path / "home"
    shutil.copytree(lived_home, own)
    return own


def _write(folder: Path, text: str) -> str:
    path = folder / "notice.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _edit(home: Path, old: str, new: str) -> None:
    path = home / FILE
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _enable_all(home: Path) -> None:
    path = home / "config/boards.yaml"
    text = path.read_text(encoding="utf-8")
    assert "enabled: false" in text
    path.write_text(text.replace("enabled: false", "enabled: true"), encoding="utf-8")


def test_the_example_of_the_design_document_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # no home above it
    asked = ask("selectors", "check", "--file", _write(tmp_path, NOTICE_EXAMPLE), "--json")
    (answer,) = asked.json["files"]
    assert (asked.exit_code, answer["board"], answer["refused"]) == (0, "dmf_notice", [])
    assert [" status: " in each or "detail_url" in each for each in answer["warnings"]] == [
        True
    ] * 2
    assert (answer["pages"], answer["hits"]) == (0, [])
    assert "홈 폴더가 없어" in ask("selectors", "check", "--file", "notice.yaml").out


def test_each_selector_is_tried_on_the_pages_of_the_last_run(home):
    asked = at(home, "selectors", "check")
    answer = next(each for each in asked.json["files"] if each["board"] == "dmf_registry")
    assert asked.exit_code == 0
    assert (answer["refused"], answer["warnings"], answer["faults"]) == ([], [], [])
    assert answer["n_rows"] >= N_ROWS
    hits = {(each["field"], each["position"]): each for each in answer["hits"]}
    by_header, by_label, by_data = (hits["company", position] for position in range(3))
    assert by_header["selector"].startswith("header_text 신청인")
    assert by_header["n_hits"] == by_label["n_hits"] == answer["n_rows"]
    assert by_data["n_hits"] == 0
    assert (by_header["n_pages"], by_label["n_pages"]) == (answer["pages"], 0)
    assert hits["label", 0]["n_hits"] == answer["n_rows"]


def test_people_read_a_table(home):
    asked = say(home, "selectors", "check", "--board", "dmf_registry")
    lines = asked.out.splitlines()
    assert lines[0] == f"{FILE} (schema_version 1): 쓸 수 있음, 주의 0건"
    assert "에 대 본 결과:" in lines[1]
    header = next(line for line in lines if "찾은 행" in line)
    row = next(line for line in lines if line.strip().startswith("company") and "기본" in line)
    assert row.endswith("header_text 신청인, 업체명, 등록업체")
    assert len(header[: header.index("셀렉터")].encode("cp949")) == len(
        row[: row.index("header_text")].encode("cp949")
    )


def test_a_selector_that_will_not_last_is_refused_here_and_by_a_run(home):
    _edit(home, "selector: 'td[data-field=\"company\"]'", "selector: 'td:nth-child(5)'")
    asked = at(home, "selectors", "check", "--board", "dmf_registry")
    assert (asked.exit_code, asked.error_code) == (2, "selectors_refused")
    (answer,) = asked.json["files"]
    (refused,) = answer["refused"]
    assert refused.startswith(f"{FILE} ")
    assert "fields.company.fallbacks.1.selector" in refused
    assert answer["pages"] > 0
    run = at(home, "run")
    assert run.exit_code == 2
    assert "fields.company.fallbacks.1.selector" in run.json["error"]["message"]


def test_a_wrong_file_is_named_and_not_tried(home):
    _edit(home, "[신청인, 업체명, 등록업체]", "[]")
    asked = at(home, "selectors", "check", "--board", "dmf_registry")
    assert (asked.exit_code, asked.error_code) == (2, "selectors_refused")
    (answer,) = asked.json["files"]
    assert "fields.company.header_aliases" in answer["refused"][0]
    assert answer["pages"] == 0
    told = say(home, "selectors", "check", "--board", "dmf_registry").out
    assert "고친 뒤에" in told
    assert "저장된 페이지가 없어" not in told


def test_a_class_is_refused_where_the_pages_show_a_header(tmp_path, monkeypatch):
    text = (ROOT / FILE).read_text(encoding="utf-8")
    old = "    strategy: header_text\n    header_aliases: [신청인, 업체명, 등록업체]\n"
    assert old in text
    text = text.replace(old, "    strategy: css\n    selector: td.company\n")
    better = "      - {strategy: css, selector: 'td[data-field=\"company\"]'}\n"
    assert better in text
    selectors = _write(tmp_path, text.replace(better, ""))
    html = PAGE.read_text(encoding="utf-8")
    label = '<td><span class="s-th">신청인</span>'
    assert label in html
    page = tmp_path / "page.html"
    page.write_text(
        html.replace(label, label.replace("<td", "<td class=company")), encoding="utf-8"
    )
    words = ("selectors", "check", "--file", selectors, "--json")
    asked = ask(*words, "--page", str(page))
    assert (asked.exit_code, asked.error_code) == (2, "selectors_refused")
    (refused,) = asked.json["files"][0]["refused"]
    assert "'신청인'" in refused
    monkeypatch.chdir(tmp_path)
    assert ask(*words).exit_code == 0  # nothing says that there is a header


def test_a_class_is_refused_where_the_pages_have_an_attribute_that_finds_the_same(tmp_path):
    text = (ROOT / FILE).read_text(encoding="utf-8")
    header = "    strategy: header_text\n    header_aliases: [신청인, 업체명, 등록업체]\n"
    better = "      - {strategy: css, selector: 'td[data-field=\"company\"]'}\n"
    rows = '  primary: "table tbody tr"\n'
    assert header in text
    assert better in text
    assert rows in text
    text = text.replace(header, "    strategy: css\n    selector: td.company\n").replace(better, "")
    by_role = "    - '[role=\"row\"]' "
    assert by_role in text
    text = text.replace(by_role, "    - 'table tbody tr' ")
    text = text.replace(rows, '  primary: "table.tb_list tr"\n')
    selectors = _write(tmp_path, text)
    html = PAGE.read_text(encoding="utf-8")
    label = '<td><span class="s-th">신청인</span>'
    html = html.replace(label, label.replace("<td", "<td class=company data-field=company"))
    html = html.replace('<table class="tb_list"', '<table class="tb_list" id="list{n}"')
    names = ("first.html", "second.html")
    for name in names:
        same = html.replace('id="list{n}"', 'id="boardList"')
        (tmp_path / name).write_text(same, encoding="utf-8")
    pages = [word for name in names for word in ("--page", str(tmp_path / name))]
    words = ("selectors", "check", "--file", selectors, "--json", *pages)
    asked = ask(*words)
    assert (asked.exit_code, asked.error_code) == (2, "selectors_refused")
    by_header, by_row, by_field = asked.json["files"][0]["refused"]
    assert "'신청인'" in by_header
    assert "row.primary: table.tb_list tr: " in by_row
    assert 'id="boardList" 속성' in by_row
    assert "fields.company.selector: td.company: " in by_field
    assert 'data-field="company" 속성' in by_field
    for number, name in enumerate(names):  # ids that differ by page are those of no list
        other = html.replace("{n}", str(number)).replace("=company>", f"=company{number}>")
        (tmp_path / name).write_text(other, encoding="utf-8")
    (refused,) = ask(*words).json["files"][0]["refused"]
    assert "'신청인'" in refused


def test_pages_that_cannot_be_read_with_a_file_are_told(home):
    _edit(home, "header_aliases: [신청인, 업체명, 등록업체]", "header_aliases: [업체, 회사]")
    _edit(home, "labels: [신청인]", "labels: [업체]")
    asked = at(home, "selectors", "check", "--board", "dmf_registry")
    assert (asked.exit_code, asked.error_code) == (4, "missing_column")
    (answer,) = asked.json["files"]
    assert len(answer["faults"]) == answer["pages"]
    hits = [each["n_hits"] for each in answer["hits"] if each["field"] == "company"]
    assert hits == [0, 0, 0]
    assert "제조소" not in str(answer["other_tables"])  # the tables inside its cells are the list's
    assert answer["n_other_tables"] == len(answer["other_tables"]) <= 3


def test_a_file_may_be_tried_on_page_files(tmp_path):
    packed = tmp_path / "page.html.gz"
    packed.write_bytes(gzip.compress(PAGE.read_bytes()))
    pages = ("--page", str(packed), "--page", str(PAGE))
    asked = ask("selectors", "check", "--file", str(ROOT / FILE), *pages, "--json")
    (answer,) = asked.json["files"]
    assert (asked.exit_code, answer["pages"], answer["n_rows"]) == (0, 2, 6)


@pytest.mark.parametrize("content", [None, b"\x1f\x8b half a stream"])
def test_a_page_file_that_cannot_be_read_is_named(content, tmp_path):
    page = tmp_path / "page.html.gz"
    if content is not None:
        page.write_bytes(content)
    asked = ask("selectors", "check", "--file", str(ROOT / FILE), "--page", str(page), "--json")
    assert (asked.exit_code, asked.error_code) == (5, "page_unreadable")
    assert page.name in asked.json["error"]["message"]


def test_the_pages_of_another_run_may_be_named(home):
    runs = at(home, "runs").json["runs"]
    first = [run["run_id"] for run in runs if run["board"] == "dmf_registry"][-1]
    words = ("selectors", "check", "--board", "dmf_registry", "--run", first)
    assert f"실행 {first}" in say(home, *words).out
    assert at(home, *words[:-1], "20200101T060000-x").error_code == "no_such_run"


def test_a_run_is_tried_on_the_file_of_its_own_board_alone(home):
    run = at(home, "runs").json["runs"][0]["run_id"]
    boards = [each["board"] for each in at(home, "selectors", "check").json["files"]]
    assert len(boards) == 1  # of those enabled
    _enable_all(home)
    assert len(at(home, "selectors", "check").json["files"]) > 1
    (answer,) = at(home, "selectors", "check", "--run", run).json["files"]
    assert (answer["board"], answer["faults"]) == ("dmf_registry", [])
    asked = at(home, "selectors", "check", "--run", run, "--board", "mfds_notice")
    assert (asked.exit_code, asked.error_code) == (2, "run_of_other_board")
    notice = home / "selectors/mfds_notice.yaml"
    asked = at(home, "selectors", "check", "--run", run, "--file", str(notice))
    assert (asked.exit_code, asked.error_code) == (2, "run_of_other_board")


def test_a_page_file_needs_a_board_where_there_are_several(home):
    words = ("selectors", "check", "--page", str(PAGE))
    assert at(home, *words).exit_code == 0
    _enable_all(home)
    asked = at(home, *words)
    assert (asked.exit_code, asked.error_code) == (2, "board_needed")
    assert at(home, *words, "--board", "dmf_registry").exit_code == 0


def test_a_file_is_tried_on_the_pages_of_the_home_that_other_commands_find(home, monkeypatch):
    words = ("selectors", "check", "--file", str(ROOT / FILE), "--json")
    monkeypatch.setenv("DMF_HOME", str(home))
    assert ask(*words).json["files"][0]["n_rows"] >= N_ROWS
    monkeypatch.delenv("DMF_HOME")
    monkeypatch.chdir(home / "raw")
    assert ask(*words).json["files"][0]["n_rows"] >= N_ROWS


def test_a_file_of_no_board_is_told(home, tmp_path):
    text = (ROOT / FILE).read_text(encoding="utf-8").replace("dmf_registry", "dmf_regstry", 1)
    asked = at(home, "selectors", "check", "--file", _write(tmp_path, text))
    (answer,) = asked.json["files"]
    (warning,) = answer["warnings"]
    assert "board_id: dmf_regstry" in warning
    assert "dmf_registry" in warning
    assert (asked.exit_code, answer["pages"]) == (0, 0)


def test_many_kinds_of_other_tables_are_counted_and_a_few_shown(tmp_path):
    menus = "".join(f"<table summary='메뉴 {n}'><tr><th>가</th></tr></table>" for n in range(14))
    page = tmp_path / "page.html"
    html = PAGE.read_text(encoding="utf-8")
    page.write_text(html.replace("</body>", menus * 2 + "</body>"), encoding="utf-8")
    words = ("selectors", "check", "--file", str(ROOT / FILE), "--page", str(page))
    (answer,) = ask(*words, "--json").json["files"]
    assert answer["n_other_tables"] >= 14
    assert [each["n_pages"] for each in answer["other_tables"]] == [1] * 10
    out = ask(*words).out
    assert out.count("목록이 아닌 표 '") == 10
    assert f"그 밖에 목록이 아닌 표 {answer['n_other_tables'] - 10}가지" in out


def test_a_home_without_pages_is_checked_all_the_same(home):
    shutil.rmtree(home / "raw")
    asked = say(home, "selectors", "check", "--board", "dmf_registry")
    assert asked.exit_code == 0
    assert "저장된 페이지가 없어" in asked.out


@pytest.mark.parametrize("action", ["propose", "pending", "approve", "reject"])
def test_other_actions_are_answered_plainly(action):
    asked = ask("selectors", action, "--json")
    assert (asked.exit_code, asked.error_code) == (2, "not_available")
