"""`where`: on a home after two days of 60 rows, and on one with posts."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import sqlite3
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

from dmf_crawler.acquire.raw_index import decode_line
from dmf_crawler.cli.where import MAX_WHOLE_CHARS, _quote
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.cli.asking import at, say
from tests.cli.conftest import N_ROWS
from tests.end_to_end.homes import Board, new_home
from tests.persist.tampering import tamper

KEYS = (
    *("key", "field", "value", "shown", "run_id", "page", "sha256", "url", "fetched_at", "row"),
    *("xpath", "line", "html", "is_same"),
)
SELECTORS = "selectors/dmf_registry.yaml"


def query(home: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(home / "var/dmf.sqlite3")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def change(home: Path, sql: str) -> None:
    tamper(home / "var/dmf.sqlite3", sql)


def edit(home: Path, file: str, old: str, new: str) -> None:
    path = home / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def first_key(home: Path) -> str:
    ((key,),) = query(home, "SELECT natural_key FROM dmf_record ORDER BY sk LIMIT 1")
    return str(key)


def changed_key(home: Path) -> tuple[str, str]:
    """Return a key that changed on the second day, and a field that did."""
    ((key, changes),) = query(
        home,
        "SELECT natural_key, changes_json FROM dmf_event WHERE event_type = 'MODIFIED' LIMIT 1",
    )
    return str(key), str(json.loads(changes)[0]["field"])


# --- a value and its cell ---------------------------------------------------------------------


def test_a_value_is_traced_to_run_page_row_and_cell(lived):
    key = first_key(lived)

    asked = at(lived, "where", key, "company")

    told = asked.json
    assert set(KEYS) <= set(told)
    assert (asked.exit_code, told["key"], told["field"]) == (0, key, "company")
    ((run_id, raw_dir, sha256, url, row),) = query(
        lived,
        "SELECT c.run_id, c.raw_dir, r.source_sha256, r.source_url, r.source_row FROM dmf_record r"
        f" JOIN crawl_run c ON c.run_id = r.first_seen_run WHERE natural_key = '{key}'",
    )
    assert (told["run_id"], told["pages_of"]) == (run_id, run_id)
    assert (told["sha256"], told["url"], told["row"]) == (sha256, url, row)
    assert told["page"] == f"{raw_dir}/{sha256[:16]}.html.gz"
    assert (lived / told["page"]).is_file()
    assert told["fetched_at"] in {
        line.fetched_at.isoformat()
        for text in (lived / raw_dir / "index.jsonl").read_bytes().split(b"\n")
        if (line := decode_line(text)) is not None
    }
    assert told["is_same"] is True
    assert told["value"] in told["html"]


@pytest.mark.parametrize("field", ["reg_no", "company", "maker_names", "maker_countries", "status"])
def test_the_xpath_alone_leads_to_the_value_in_every_row(lived, field):
    for (key,) in query(lived, "SELECT natural_key FROM dmf_record WHERE is_current = 1 LIMIT 9"):
        told = at(lived, "where", key, field).json
        body = gzip.decompress((lived / told["page"]).read_bytes())
        assert hashlib.sha256(body).hexdigest() == told["sha256"]
        parser = lxml_html.HTMLParser(remove_comments=True)
        tree: Any = lxml_html.document_fromstring(body.decode(), parser=parser)
        (cell,) = tree.xpath(told["xpath"])
        text = "".join("".join(cell.itertext()).split())
        values = told["value"] if isinstance(told["value"], list) else [told["value"]]
        assert all("".join(value.split()) in text for value in values)
        assert told["is_same"] is True


def test_a_field_is_named_by_its_id_or_its_korean_label(lived):
    key = first_key(lived)
    by_id = at(lived, "where", key, "registered_on").json

    for name in ("최초등록일자", " 최초 등록일자 "):
        assert at(lived, "where", key, name).json == by_id


def test_what_is_told_to_people_is_one_fact_a_line(lived):
    key = first_key(lived)
    told = at(lived, "where", key, "company").json

    head, *lines = say(lived, "where", key, "company").out.splitlines()

    assert head == f"{key} · 신청인 (company, dmf_registry)"
    facts = dict(line.strip().split(": ", 1) for line in lines)
    assert facts["값"] == repr(told["value"])
    assert facts["기록한 실행"].startswith(told["run_id"])
    assert (facts["페이지"], facts["지문(SHA-256)"]) == (told["page"], told["sha256"])
    assert (facts["주소"], facts["행"]) == (told["url"], f"{told['row']}번째")
    assert facts["XPath"] == f"{told['xpath']} ({told['line']:,}번째 줄)"
    assert facts["HTML"] == told["html"]
    assert facts["지금 다시 읽은 값"] == "기록과 같습니다."
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", facts["받은 때"])


def test_a_text_that_differs_from_its_value_is_told_as_it_stood(lived_home):
    key = first_key(lived_home)
    company = at(lived_home, "where", key, "company").json["value"]
    shown = json.dumps({"company": f" {company}\r\n"})
    change(lived_home, f"UPDATE dmf_record SET shown_json = '{shown}' WHERE natural_key = '{key}'")

    told = at(lived_home, "where", key, "company").json

    assert (told["shown"], told["value"]) == (f" {company}\r\n", company)
    spoken = say(lived_home, "where", key, "company").out
    assert rf"보이던 그대로: ' {company}\r\n'" in spoken


def test_a_list_that_differs_from_its_values_is_told_as_a_list(lived):
    ((key, field, shown),) = query(
        lived,
        "SELECT natural_key, s.key, s.value FROM dmf_record, json_each(shown_json) s"
        " WHERE s.value LIKE '%' || char(31) || '%' LIMIT 1",
    )

    told = at(lived, "where", key, field).json

    assert told["shown"] == shown.split("\x1f")
    assert len(told["value"]) == len(told["shown"])


# --- which version ----------------------------------------------------------------------------


def test_the_value_of_an_earlier_day_is_traced_to_that_days_page(lived):
    key, field = changed_key(lived)
    first, second = sorted(day for (day,) in query(lived, "SELECT day FROM crawl_run"))
    now = at(lived, "where", key, field).json

    before = at(lived, "where", key, field, "--date", first).json

    assert at(lived, "where", key, field, "--date", second).json == now
    assert before["run_id"] < now["run_id"]
    assert f"raw/{first}/" in before["page"]
    assert (before["is_same"], now["is_same"]) == (True, True)
    assert before["value"] != now["value"]
    assert before["valid_to"] == now["valid_from"]
    assert "에 끝난 값입니다" in say(lived, "where", key, field, "--date", first).out


def test_a_day_without_the_record_is_answered_with_the_days_that_have_it(lived):
    key = first_key(lived)
    first = min(day for (day,) in query(lived, "SELECT day FROM crawl_run"))
    before = date.fromisoformat(first) - timedelta(days=1)

    asked = at(lived, "where", key, "company", "--date", str(before))

    assert (asked.exit_code, asked.error_code) == (2, "no_version_then")
    assert f"{first} 06:00 ~" in asked.json["error"]["message"]


def test_a_record_that_left_the_list_is_traced_by_its_last_value(lived_home):
    key = first_key(lived_home)
    change(
        lived_home,
        "UPDATE dmf_record SET is_current = 0, valid_to = '2099-01-01T06:00:00+09:00'"
        f" WHERE natural_key = '{key}' AND is_current = 1",
    )

    asked = say(lived_home, "where", key, "company")

    assert asked.exit_code == 0
    assert "2099-01-01 06:00 에 끝난 값입니다" in asked.out


# --- names that are none ----------------------------------------------------------------------


def test_an_unknown_field_names_those_that_there_are(lived):
    asked = at(lived, "where", first_key(lived), "페이지")

    assert (asked.exit_code, asked.error_code) == (2, "no_such_field")
    assert "신청인(company)" in asked.json["error"]["message"]
    assert {key: asked.json[key] for key in KEYS} == dict.fromkeys(KEYS)


def test_unknown_keys_and_boards_are_answered_plainly(lived):
    key = first_key(lived)

    assert at(lived, "where", "nothing", "company").error_code == "no_such_key"
    assert at(lived, "where", key, "company", "--board", "nobody").error_code == "no_such_board"
    board = ("--board", "dmf_registry")
    assert at(lived, "where", key, "company", *board).json["key"] == key


def test_a_key_that_two_boards_have_is_told_apart_by_the_board(lived_home):
    key = first_key(lived_home)
    change(lived_home, f"UPDATE dmf_record SET board_id = 'other' WHERE natural_key <> '{key}'")
    change(
        lived_home,
        f"UPDATE dmf_record SET reg_no = '{key}', natural_key = '{key}'"
        " WHERE sk = (SELECT max(sk) FROM dmf_record)",
    )

    asked = at(lived_home, "where", key, "company")

    assert asked.error_code == "ambiguous_key"
    assert f"{key} (dmf_registry), {key} (other)" in asked.json["error"]["message"]
    assert at(lived_home, "where", key, "company", "--board", "dmf_registry").exit_code == 0


def test_a_home_without_a_history_says_so(empty_home):
    assert at(empty_home, "where", "x", "company").error_code == "no_history"


# --- pages that are not there -----------------------------------------------------------------


def told_in_vain(home: Path, key: str, exit_code: int, code: str) -> dict[str, Any]:
    asked = at(home, "where", key, "company")
    assert (asked.exit_code, asked.error_code) == (exit_code, code)
    told = asked.json
    assert told["value"]
    assert (told["xpath"], told["html"], told["is_same"]) == (None, None, None)
    assert told["run_id"] in say(home, "where", key, "company").out
    return told


def test_of_pages_that_were_pruned_those_of_the_last_run_that_saw_the_value_serve(lived_home):
    key = first_key(lived_home)
    recorded = at(lived_home, "where", key, "company").json
    shutil.rmtree((lived_home / recorded["page"]).parent)
    newest = at(lived_home, "runs").json["runs"][0]["run_id"]

    told = at(lived_home, "where", key, "company").json

    assert (told["run_id"], told["pages_of"]) == (recorded["run_id"], newest)
    assert (told["is_same"], told["value"]) == (True, recorded["value"])
    assert told["page"].startswith(f"raw/{newest[:4]}")
    spoken = say(lived_home, "where", key, "company").out
    assert f"마지막으로 확인한 실행 {newest} 의 페이지" in spoken


def test_where_all_pages_are_pruned_what_the_history_knows_remains(lived_home):
    key = first_key(lived_home)
    recorded = at(lived_home, "where", key, "company").json
    shutil.rmtree(lived_home / "raw")

    told = told_in_vain(lived_home, key, 2, "no_kept_pages")

    assert (told["page"], told["fetched_at"]) == (None, None)
    assert (len(told["sha256"]), told["row"]) == (64, recorded["row"])


def test_a_record_that_the_later_pages_no_longer_show_is_said(lived_home):
    key = first_key(lived_home)
    recorded = at(lived_home, "where", key, "company").json
    shutil.rmtree((lived_home / recorded["page"]).parent)
    change(lived_home, f"UPDATE dmf_record SET natural_key = 'X' WHERE natural_key = '{key}'")

    asked = at(lived_home, "where", "X", "company")

    assert (asked.exit_code, asked.error_code) == (2, "no_kept_pages")
    assert "찾지 못했습니다" in asked.json["error"]["message"]


@pytest.mark.parametrize("how", ["spoilt", "gone", "not in the index"])
def test_a_page_that_is_damaged_is_named(lived_home, how):
    key = first_key(lived_home)
    page = lived_home / at(lived_home, "where", key, "company").json["page"]
    if how == "spoilt":
        page.write_bytes(b"spoilt")
    elif how == "gone":
        page.unlink()
    else:
        (page.parent / "index.jsonl").write_bytes(b"")

    told = told_in_vain(lived_home, key, 5, "raw_damaged")

    assert told["page"] is None
    assert "verify" in at(lived_home, "where", key, "company").json["error"]["message"]


def test_later_pages_that_are_damaged_are_named_too(lived_home):
    key = first_key(lived_home)
    shutil.rmtree((lived_home / at(lived_home, "where", key, "company").json["page"]).parent)
    for page in lived_home.glob("raw/*/*/*/*.html.gz"):
        page.write_bytes(b"spoilt")

    told_in_vain(lived_home, key, 5, "raw_damaged")


def test_later_pages_that_todays_selectors_cannot_read_are_their_fault(lived_home):
    key = first_key(lived_home)
    shutil.rmtree((lived_home / at(lived_home, "where", key, "company").json["page"]).parent)
    edit(lived_home, SELECTORS, 'end_marker: "</html>"', 'end_marker: "</never>"')

    told_in_vain(lived_home, key, 6, "truncated_page")


def test_a_value_of_another_source_has_no_cell(lived_home):
    key = first_key(lived_home)
    page = lived_home / at(lived_home, "where", key, "company").json["page"]
    index = page.parent / "index.jsonl"
    text = index.read_text(encoding="utf-8")
    index.write_text(re.sub('"kind":"(?:list|recheck)"', '"kind":"file"', text), encoding="utf-8")

    told = told_in_vain(lived_home, key, 2, "other_source")

    assert told["page"] is not None
    assert told["fetched_at"] is not None


# --- selectors that have changed --------------------------------------------------------------


def test_a_value_that_other_selectors_read_otherwise_differs_and_the_change_is_told(lived_home):
    key = first_key(lived_home)
    company = at(lived_home, "where", key, "company").json["value"]
    edit(lived_home, SELECTORS, 'placeholders: ["-"]', f'placeholders: ["{company}"]')
    edit(lived_home, SELECTORS, "schema_version: 1", "schema_version: 2")

    asked = at(lived_home, "where", key, "company")

    assert (asked.exit_code, asked.json["is_same"]) == (0, False)
    spoken = say(lived_home, "where", key, "company").out
    assert "다시 읽은 값: 기록과 다릅니다: ''. 그 뒤로 셀렉터 파일이 바뀌었습니다" in spoken


def test_the_same_value_read_by_a_newer_file_is_the_same_and_the_change_is_told(lived_home):
    edit(lived_home, SELECTORS, "schema_version: 1", "schema_version: 2")

    spoken = say(lived_home, "where", first_key(lived_home), "company").out

    assert "기록과 같습니다. 그 뒤로 셀렉터 파일이 바뀌었습니다(버전 1 → 2)." in spoken


def test_a_row_in_which_another_record_is_read_now_is_not_taken_for_this_one(lived_home):
    key = first_key(lived_home)
    edit(lived_home, SELECTORS, '"table tbody tr"', '"table tbody tr + tr"')

    asked = at(lived_home, "where", key, "status")

    assert asked.json["is_same"] is False
    assert "다른 기록이 읽힙니다" in say(lived_home, "where", key, "status").out


def test_a_page_that_todays_selectors_cannot_read_is_their_fault(lived_home):
    key = first_key(lived_home)
    edit(lived_home, SELECTORS, 'end_marker: "</html>"', 'end_marker: "</never>"')

    told = told_in_vain(lived_home, key, 6, "truncated_page")

    assert told["page"] is not None


def test_a_page_with_fewer_rows_than_were_recorded_is_said(lived_home):
    change(lived_home, "UPDATE dmf_record SET source_row = 999")

    told_in_vain(lived_home, first_key(lived_home), 4, "no_such_row")


# --- corrections ------------------------------------------------------------------------------


def test_what_a_correction_recorded_is_traced_to_the_pages_of_the_run_that_it_read(tmp_path):
    life = Life(n_rows=N_ROWS)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run("2026-11-30")
    n_rows = Counter(row.document_no for row in life.rows if row.document_no)
    row = min(
        (row for row in life.rows if row.document_no), key=lambda row: n_rows[row.document_no]
    )
    assert n_rows[row.document_no] <= 5  # more emptied cells wait for a person
    home.edit(SELECTORS, 'placeholders: ["-"]', f'placeholders: ["-", "{row.document_no}"]')
    words = ("--apply", "--now", "2026-11-30T09:00:00+09:00")
    _, result = home.command("reparse", "--run", run["run_id"], *words)
    (correction,) = result["runs"]
    assert correction["status"] == "OK", correction

    told = at(home.root, "where", row.reg_no, "document_no").json

    assert (told["run_id"], told["pages_of"]) == (correction["run_id"], run["run_id"])
    assert (told["is_same"], told["value"], told["shown"]) == (True, "", row.document_no)
    spoken = say(home.root, "where", row.reg_no, "document_no").out
    assert f"페이지를 받은 실행: {run['run_id']}" in spoken


# --- posts ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def posts_home(tmp_path_factory):
    """Two days of a notice board; the first post lost its text's first half on the second."""
    root = tmp_path_factory.mktemp("posts")
    posts = [post for post in NoticeLife(n_posts=12).rows if post.attachments][:2]
    with RehearsalSite(Life(n_rows=20).rows, notices=tuple(posts)) as site:
        board = Board(site, new_home(root / "home", site.base_url, with_notices=True))
        assert board.run("2026-12-05")["status"] == "OK"
        assert board.run("2026-12-06")["status"] == "OK"
    return board.home.root, posts


def test_the_text_of_a_post_is_traced_to_its_own_page(posts_home):
    root, posts = posts_home
    post_id = posts[0].post_id

    told = at(root, "where", post_id, "본문").json

    ((raw_dir, sha256, url),) = query(
        root,
        "SELECT raw_dir, sha256, url FROM known_page WHERE kind = 'detail'"
        f" AND natural_key = '{post_id}'",
    )
    assert (told["field"], told["sha256"], told["url"]) == ("body", sha256, url)
    assert told["page"] == f"{raw_dir}/{sha256[:16]}.html.gz"
    assert (told["row"], told["is_same"]) == (None, True)
    assert told["html"].startswith('<div class="view_cont">')
    assert "\n  행:" not in say(root, "where", post_id, "body").out


def test_the_files_of_a_post_are_not_judged_by_its_page_alone(posts_home):
    root, posts = posts_home

    told = at(root, "where", posts[0].post_id, "files").json

    assert told["value"]
    assert (told["is_same"], told["xpath"]) == (
        None,
        at(root, "where", posts[0].post_id, "body").json["xpath"],
    )
    assert "이 페이지만으로는 알 수 없습니다" in say(root, "where", posts[0].post_id, "files").out


def test_the_row_of_a_post_is_traced_to_the_list(posts_home):
    root, posts = posts_home

    told = at(root, "where", posts[1].post_id, "글번호").json

    assert told["xpath"].endswith("/a/@href")
    ((row,),) = query(
        root, f"SELECT source_row FROM dmf_record WHERE natural_key = '{posts[1].post_id}'"
    )
    assert (told["row"], told["is_same"]) == (row, True)


def test_a_post_whose_page_was_never_received_says_so(posts_home, tmp_path):
    root, posts = posts_home
    home = tmp_path / "copy"
    shutil.copytree(root, home)
    change(home, "DELETE FROM known_page")
    change(home, "UPDATE dmf_record SET detail_url = NULL")

    asked = at(home, "where", posts[0].post_id, "body")

    assert (asked.exit_code, asked.error_code) == (2, "no_kept_pages")
    assert asked.json["value"]


def test_the_text_before_a_later_visit_is_traced_to_the_run_that_recorded_it(posts_home, tmp_path):
    """What is known of the page is of the later visit; the run's own folder has the earlier one."""
    root, posts = posts_home
    home = tmp_path / "copy"
    shutil.copytree(root, home)
    post_id = posts[0].post_id
    recorded = at(home, "where", post_id, "body").json
    change(home, "UPDATE known_page SET fetched_at = '2098-01-01T06:00:00+09:00', sha256 = 'x'")
    change(
        home,
        "UPDATE dmf_record SET is_current = 0, valid_to = '2097-01-01T06:00:00+09:00'"
        f" WHERE natural_key = '{post_id}'",
    )

    told = at(home, "where", post_id, "body").json

    assert (told["sha256"], told["is_same"]) == (recorded["sha256"], True)
    assert told["page"].startswith("raw/2026-12-05/")


# --- words ------------------------------------------------------------------------------------


def test_a_long_text_is_cut_for_people():
    assert _quote("가" * MAX_WHOLE_CHARS) == repr("가" * MAX_WHOLE_CHARS)
    assert _quote("가" * 5_000) == f"'{'가' * MAX_WHOLE_CHARS}' … [전체 5,000자]"
    assert _quote(("가\x1b", "나")) == r"'가\x1b' / '나'"
    assert _quote(None) == "(없음)"
