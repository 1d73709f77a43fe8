"""Fields of detail pages: which selectors found them, told and compared like those of the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from openpyxl import load_workbook

from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from tests.cli.asking import ask
from tests.end_to_end.homes import Board, new_home
from tests.end_to_end.spoiling import Spoil, SpoiltSite

ROWS = Life(n_rows=20).rows
POSTS = NoticeLife(n_posts=6).rows
TUESDAY, WEDNESDAY, THURSDAY = "2026-12-01", "2026-12-02", "2026-12-03"
PRIMARY, FALLBACK = "css h2", 'css [class="view_title"]'
SELECTORS = "selectors/mfds_notice.yaml"
FIELDS = """\
  files_label_ko: 첨부파일
  fields:
    heading:
      label_ko: 머리말
      strategy: css
      selector: h2
      fallbacks:
        - {strategy: css, selector: '[class="view_title"]'}
"""
N_FIELDS_OF_LIST = 5
"""Four columns, and the rows themselves."""


def to_h3(answer: Answer) -> Answer:
    """Return a post whose heading only its class tells, as after a redesign."""
    body = answer.body.replace(b"<h2", b"<h3").replace(b"</h2>", b"</h3>")
    assert body != answer.body or not answer.body
    return replace(answer, body=body)


def without_heading(answer: Answer) -> Answer:
    body = to_h3(answer).body.replace(b'class="view_title"', b'class="title"')
    return replace(answer, body=body)


class DetailBoard(Board):
    site: SpoiltSite

    def redesign(self, spoil: Spoil, posts: Sequence[Any] = POSTS) -> None:
        """Show posts in another way."""
        self.site.spoilt = {f"/bbs/21/{post.post_id}": spoil for post in posts}

    def deliveries(self, run_id: str = "") -> list[tuple[str, int, str, int]]:
        """Return what was recorded of the field, of one run or of the last."""
        run_id = run_id or self.last_run()
        return self.home.rows(
            "SELECT field, position, selector, n_rows FROM delivery"
            f" WHERE run_id = '{run_id}' AND field = 'heading' ORDER BY position"
        )

    def last_run(self) -> str:
        ((run_id,),) = self.home.rows("SELECT run_id FROM crawl_run ORDER BY rowid DESC LIMIT 1")
        return str(run_id)

    def rate(self) -> float:
        ((rate,),) = self.home.rows("SELECT reuse_rate FROM crawl_run ORDER BY rowid DESC LIMIT 1")
        return float(rate)


@pytest.fixture
def board(tmp_path) -> Iterator[DetailBoard]:
    with SpoiltSite(ROWS, notices=POSTS) as site:
        home = new_home(tmp_path / "home", site.base_url, with_notices=True)
        home.edit(SELECTORS, "  files_label_ko: 첨부파일\n", FIELDS)
        yield DetailBoard(site, home)


def gate_6(run: dict[str, Any]) -> dict[str, Any]:
    (gate,) = (gate for gate in run["gates"] if gate["code"] == "G-6")
    return dict(gate)


def test_a_field_of_detail_pages_is_recorded_with_what_found_it(board):
    run = board.run(TUESDAY)

    assert board.fields(POSTS[0].post_id)["heading"] == POSTS[0].title
    assert board.deliveries() == [("heading", 0, PRIMARY, len(POSTS))]
    assert (gate_6(run)["outcome"], board.rate()) == ("pass", 1.0)


def test_a_primary_selector_that_gave_way_warns_and_stands_in_the_run_log(board):
    board.run(TUESDAY)
    board.redesign(to_h3)

    run = board.run(WEDNESDAY, "--full")

    part = N_FIELDS_OF_LIST / (N_FIELDS_OF_LIST + 1)
    assert (run["status"], not any(run["counts"].values())) == ("OK", True)
    assert board.deliveries() == [
        ("heading", 0, PRIMARY, 0),
        ("heading", 1, FALLBACK, len(POSTS)),
    ]
    assert (gate_6(run)["outcome"], board.rate()) == ("warn", part)
    assert f"100.0%에서 {part:.1%}로 줄었습니다" in gate_6(run)["message"]
    assert f"머리말: 기본 셀렉터({PRIMARY})가 찾지 못해" in gate_6(run)["message"]
    book = load_workbook(board.home.root / f"reports/DMF_{WEDNESDAY}.xlsx", read_only=True)
    header, newest, *_ = book["실행로그"].iter_rows(values_only=True)
    book.close()
    told = dict(zip(header, newest, strict=True))
    assert told["재사용률"] == f"{part:.1%}"
    assert told["물러난 셀렉터"] == f"머리말: {PRIMARY} → {FALLBACK}"


def test_pages_that_a_run_did_not_receive_have_no_delivery(board):
    """What is not due, and what answers 304, says nothing of the site as it is today."""
    board.switch(validators="both")
    board.run(TUESDAY)
    assert not any(board.run(WEDNESDAY)["counts"].values())
    assert board.deliveries() == []
    newest = max(int(post.post_id) for post in POSTS)
    new = replace(POSTS[-1], post_id=str(newest + 1), title="새 글", attachments=())
    board.site.notices = (new, *POSTS)
    board.redesign(to_h3, [new])

    run = board.run(THURSDAY)

    assert {request.status for request in board.asked("detail")} == {200, 304}
    assert board.deliveries() == [("heading", 0, PRIMARY, 0), ("heading", 1, FALLBACK, 1)]
    assert "83.3%로 줄었습니다" in gate_6(run)["message"]


def test_a_quiet_day_neither_warns_nor_heals(board):
    board.redesign(to_h3)
    assert gate_6(board.run(TUESDAY))["outcome"] == "warn"

    quiet = board.run(WEDNESDAY)
    again = board.run(THURSDAY, "--full")

    assert (gate_6(quiet)["outcome"], gate_6(quiet)["observed"]) == ("pass", 1.0)
    assert "지난번과 같이 83.3%뿐입니다" in gate_6(again)["message"]


def test_a_history_without_deliveries_of_details_does_not_begin_to_warn(board):
    """Runs of an older version measured the list alone."""
    board.run(TUESDAY)
    board.home.execute("DELETE FROM delivery WHERE field = 'heading'")

    quiet = gate_6(board.run(WEDNESDAY))
    received = gate_6(board.run(THURSDAY, "--full"))

    assert [gate["outcome"] for gate in (quiet, received)] == ["pass", "pass"]
    assert [gate["observed"] for gate in (quiet, received)] == [1.0, 1.0]


def test_of_such_a_history_a_fall_is_not_claimed(board):
    board.run(TUESDAY)
    board.home.execute("DELETE FROM delivery WHERE field = 'heading'")
    board.redesign(to_h3)

    gate = gate_6(board.run(WEDNESDAY, "--full"))

    assert gate["outcome"] == "warn"
    assert gate["message"].startswith("기본 셀렉터로 모두 읽은 항목이 83.3%입니다.")


def test_a_field_that_no_selector_finds_any_more_warns(board):
    board.run(TUESDAY)
    board.redesign(without_heading)

    run = board.run(WEDNESDAY, "--full")

    assert board.deliveries() == [("heading", 0, PRIMARY, 0)]
    assert run["counts"]["MODIFIED"] == len(POSTS)
    assert gate_6(run)["outcome"] == "warn"
    assert f"머리말: 전에는 값이 있던 {len(POSTS)}건" in gate_6(run)["message"]


def test_a_correction_counts_what_the_run_counted(board):
    board.switch(validators="both")
    board.run(TUESDAY)
    board.site.notices = (replace(POSTS[0], title="다른 제목"), *POSTS[1:])
    board.redesign(to_h3)
    run = board.run(WEDNESDAY)
    counted = board.deliveries()
    assert counted == [("heading", 0, PRIMARY, 0), ("heading", 1, FALLBACK, 1)]

    words = ("--apply", "--now", "2026-12-05T09:00:00+09:00")
    _, result = board.home.command("reparse", "--run", run["run_id"], *words)

    (correction,) = result["runs"]
    assert (correction["status"], board.last_run()) == ("OK", correction["run_id"])
    assert board.deliveries() == counted
    everything = "SELECT field, position, selector, n_rows FROM delivery WHERE run_id = '{}'"
    assert board.home.rows(everything.format(correction["run_id"])) == board.home.rows(
        everything.format(run["run_id"])
    )


def test_files_that_come_a_day_later_count_no_page_once_more(board):
    """The page is taken over from the day before, so that its files are told with it."""
    board.home.edit("config/boards.yaml", "max_requests: ", "max_requests: 6 # ")
    board.run(TUESDAY)
    assert board.deliveries() == [("heading", 0, PRIMARY, len(POSTS))]

    board.run(WEDNESDAY)

    assert board.asked("file")
    assert board.asked("detail") == []
    assert board.deliveries() == []


@pytest.mark.parametrize(
    ("rule", "n_odd"),
    [("min_length: 500", len(POSTS)), ("pattern: '.+'", 0), ("max_length: 500", 0)],
)
def test_the_rules_of_a_field_of_detail_pages_reach_the_gate(board, rule, n_odd):
    board.home.edit(
        SELECTORS, "      selector: h2\n", f"      selector: h2\n      validate: {{{rule}}}\n"
    )

    run = board.run(TUESDAY)

    (gate,) = (gate for gate in run["gates"] if gate["code"] == "G-4")
    assert gate["outcome"] == ("hold" if n_odd else "pass")
    assert (f"머리말 값 {n_odd}건" in gate["message"]) is bool(n_odd)


def test_selectors_check_tries_what_stands_on_detail_pages_too(board):
    board.run(TUESDAY)

    (answer,) = check_selectors(board)

    assert (answer["n_details"], answer["faults"]) == (len(POSTS), [])
    found = {(each["field"], each["position"]): each for each in answer["detail_hits"]}
    n_with_files = sum(bool(post.files) for post in POSTS)
    assert {place: (each["n_hits"], each["n_pages"]) for place, each in found.items()} == {
        ("body", 0): (len(POSTS), len(POSTS)),
        ("files", 0): (n_with_files, n_with_files),
        ("heading", 0): (len(POSTS), len(POSTS)),
        ("heading", 1): (len(POSTS), 0),
    }


def test_selectors_check_names_the_detail_pages_that_a_file_cannot_read(board):
    board.run(TUESDAY)
    board.home.edit(SELECTORS, 'region: "div.view_cont"', 'region: "div.no_such"')

    (answer,) = check_selectors(board)

    assert {each["code"] for each in answer["faults"]} == {"no_detail_region"}
    assert len(answer["faults"]) == len(POSTS)
    assert next(each for each in answer["detail_hits"] if each["field"] == "body")["n_hits"] == 0


def check_selectors(board: DetailBoard) -> list[dict[str, Any]]:
    words = ("selectors", "check", "--board", "mfds_notice", "--json")
    files: list[dict[str, Any]] = ask(*words, "--home", str(board.home.root)).json["files"]
    return files
