"""Posts and files that come wrong: no event, what is known stays, and the next good answer heals.

Judged by what the site was asked for and by what the history then holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notices import Attachment
from dmf_crawler.workbench.rehearsal.pages import write_login_page, write_maintenance_page
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, TroublePlace
from tests.end_to_end.homes import Board, new_home
from tests.end_to_end.killing import run_and_kill
from tests.end_to_end.spoiling import (
    Spoil,
    SpoiltSite,
    cut_by_reset,
    cut_without_length,
    in_turn,
    to,
    with_header,
    with_html,
    with_status,
    with_words,
    without_length,
)

TUESDAY, WEDNESDAY = "2026-12-01", "2026-12-02"
SATURDAY, SUNDAY, NEXT_MONDAY, NEXT_SUNDAY = "2026-12-05", "2026-12-06", "2026-12-07", "2026-12-13"
NAME = "첨부.pdf"
FILE = Attachment("DOC-900", NAME, b"%PDF-1.7 " + b"0123456789" * 40)
PLAIN = [post for post in NoticeLife(n_posts=12).rows if not post.attachments][:3]
OTHER, POST, LAST = PLAIN[0], replace(PLAIN[1], attachments=(FILE,)), PLAIN[2]
POSTS = (OTHER, POST, LAST)
PAGE_PATH, FILE_PATH = f"/bbs/21/{POST.post_id}", "/cmn/edms/down/DOC-900"
NOT_READ = "읽지 못한 상세 페이지나 첨부파일이 있습니다"


class BadSite(Board):
    """The board of three posts, the second one with a file."""

    site: SpoiltSite

    def check_known(self, run: dict[str, Any]) -> None:
        """Check that a run was accepted without an event, and that the post is known whole."""
        assert (run["status"], run["n_rows"]) == ("OK", 3)
        assert sum(run["counts"].values()) == 3 * run["is_baseline"]
        assert self.home.rows("SELECT count(*) FROM dmf_event WHERE event_type <> 'NEW'") == [(0,)]
        fields = self.fields(POST.post_id)
        assert (fields["body"], fields["files"]) == (POST.body, [FILE.value])

    def full_check(self) -> tuple[Any, ...]:
        return self.home.rows("SELECT full_check_from, full_check_left FROM crawl_run")[-1]


@pytest.fixture
def board(tmp_path):
    with SpoiltSite(Life(n_rows=10).rows, notices=POSTS) as site:
        yield BadSite(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


# --- files that come wrong -----------------------------------------------------------------------

MAINTENANCE = with_html(write_maintenance_page())
PASSING: dict[str, tuple[Sequence[Spoil], str]] = {
    "304 to no condition": ((with_status(304),), "http_status"),
    "maintenance": ((MAINTENANCE,), "not_the_file"),
    "login": ((with_html(write_login_page(), "text/html"),), "not_the_file"),
    "empty": ((with_html(""),), "empty_file"),
    "500": ((with_status(500),), "http_status"),
    "reset": ((cut_by_reset,), ""),
    "redirect, then reset": ((to(f"{FILE_PATH}/moved"),), ""),
    "cut once, whole once": ((cut_without_length, without_length), "unequal_answers"),
}
"""What comes, one answer after the other, and the code that is told ("": one or another)."""

LASTING = {"302": to("/member/login"), "403": with_status(403)}


def spoil_file(board: BadSite, way: str) -> None:
    spoils, _ = PASSING[way]
    board.site.spoilt = {FILE_PATH: in_turn(*spoils), f"{FILE_PATH}/moved": cut_by_reset}


def check_told(board: BadSite, way: str) -> None:
    _, code = PASSING[way]
    assert NOT_READ in board.warnings()
    assert f"{code} 1건" in board.warnings()


@pytest.mark.parametrize("way", PASSING)
def test_a_known_file_that_comes_wrong_stays_and_is_asked_for_next_day(board, way):
    board.run(SATURDAY)
    spoil_file(board, way)
    board.check_known(board.run(SUNDAY))
    assert board.asked("file")
    assert board.full_check() == (SUNDAY, 1)
    check_told(board, way)
    board.site.spoilt = {}

    board.check_known(board.run(NEXT_MONDAY))

    assert [request.path for request in board.asked("file")] == [FILE_PATH]
    assert board.asked_posts() == []
    assert board.full_check() == (SUNDAY, 0)


@pytest.mark.parametrize("way", ["304 to no condition", *list(PASSING)[-2:]])
def test_a_file_that_never_came_right_is_left_open(board, way):
    spoil_file(board, way)
    assert board.run(TUESDAY)["status"] == "OK"
    assert "files" not in board.fields(POST.post_id)
    check_told(board, way)
    board.site.spoilt = {}

    board.check_known(board.run(WEDNESDAY))

    assert [request.path for request in board.asked("file")] == [FILE_PATH]
    assert board.asked_posts() == []


def test_a_file_without_a_length_that_comes_the_same_twice_is_believed(board):
    board.site.spoilt = {FILE_PATH: without_length}

    board.check_known(board.run(TUESDAY))

    assert len(board.asked("file")) == 2


def test_a_cut_file_that_a_killed_run_kept_is_not_believed(board):
    """The second answer, which would have shown that it was cut, never came."""
    n_asked = 0

    def is_second_answer(request: LoggedRequest) -> bool:
        nonlocal n_asked
        n_asked += request.path == FILE_PATH
        return n_asked == 2

    board.site.spoilt = {FILE_PATH: cut_without_length}
    run_and_kill(board.site, board.home, TUESDAY, is_second_answer, "--board", "mfds_notice")
    assert n_asked == 2
    board.site.spoilt = {FILE_PATH: without_length}

    board.check_known(board.run(TUESDAY, hour=9))

    assert len(board.asked("file")) == 2


def test_a_cut_file_gives_way_to_an_answer_that_says_its_length(board):
    board.site.spoilt = {FILE_PATH: in_turn(cut_without_length, None)}

    board.check_known(board.run(TUESDAY))

    assert len(board.asked("file")) == 2


def test_a_file_that_comes_wrong_once_is_had_by_the_retry(board):
    board.site.spoilt = {FILE_PATH: in_turn(with_status(503), None)}

    board.check_known(board.run(TUESDAY))

    assert board.warnings() == ""


@pytest.mark.parametrize("way", LASTING)
def test_a_known_file_that_is_refused_stays_until_it_comes_again(board, way):
    """A refusal is an answer: nobody asks again before the next full check."""
    board.run(SATURDAY)
    board.site.spoilt = {FILE_PATH: LASTING[way]}
    board.check_known(board.run(SUNDAY))
    assert len(board.asked("file")) == 1
    assert NOT_READ in board.warnings()
    board.run(NEXT_MONDAY)
    assert board.asked("file") == []
    board.site.spoilt = {}

    board.check_known(board.run(NEXT_SUNDAY))

    assert len(board.asked("file")) == 1
    assert board.warnings() == ""


def test_a_known_file_that_is_refused_is_known_by_its_address_whatever_it_is_called(board):
    """The text of its link is not its name, and two files of a post have the same name."""
    twice = tuple(replace(FILE, document_id=f"DOC-90{n}", content=b"%%PDF %d" % n) for n in (0, 1))
    board.site.notices = (OTHER, replace(POST, attachments=twice), LAST)
    board.switch(odd_file_name="이름.pdf")
    board.run(SATURDAY)
    before = board.fields(POST.post_id)["files"]
    assert len(set(before)) == 2
    board.site.spoilt = {FILE_PATH: with_status(403)}

    run = board.run(SUNDAY)

    assert not any(run["counts"].values())
    assert board.fields(POST.post_id)["files"] == before


def test_another_file_that_is_refused_is_not_told_as_the_one_before(board):
    board.run(SATURDAY)
    other = replace(FILE, document_id="DOC-901", content=b"%PDF corrected")
    board.site.notices = (OTHER, replace(POST, attachments=(other,)), LAST)
    board.site.spoilt = {"/cmn/edms/down/DOC-901": with_status(403)}

    run = board.run(SUNDAY)

    assert run["counts"]["MODIFIED"] == 1
    assert board.fields(POST.post_id)["files"] == [f"{NAME} (http_403)"]


def test_a_known_file_that_is_refused_on_the_day_of_an_edited_text_stays(board):
    board.run(SATURDAY)
    second = replace(FILE, document_id="DOC-901", name="둘.pdf", content=b"%PDF 2")
    edited = replace(POST, blocks=("다른 글",), attachments=(second, FILE))
    board.site.notices = (OTHER, edited, LAST)
    board.site.spoilt = {FILE_PATH: with_status(403)}

    board.run(SUNDAY)

    assert board.fields(POST.post_id)["files"] == [second.value, FILE.value]


def test_links_out_of_scope_stay_what_they_are_on_a_day_of_nofollow(board):
    board.switch(traps=frozenset({"other_host"}))
    board.run(SATURDAY)
    before = board.fields(POST.post_id)["files"]
    assert before == [FILE.value, "other_host (other_host)"]
    board.switch(nofollow=frozenset({"detail_meta"}))

    run = board.run(SUNDAY)

    assert not any(run["counts"].values())
    assert board.fields(POST.post_id)["files"] == before


@pytest.mark.parametrize("way", LASTING)
def test_a_file_that_is_refused_from_the_start_is_named_with_the_refusal(board, way):
    board.site.spoilt = {FILE_PATH: LASTING[way]}
    run = board.run(TUESDAY)
    assert board.fields(POST.post_id)["files"] == [f"{NAME} (http_{way})"]
    assert run["status"] == "OK"

    board.run(WEDNESDAY)

    assert board.asked("file") == []
    board.site.spoilt = {}
    assert board.run(SUNDAY)["counts"]["MODIFIED"] == 1
    assert board.fields(POST.post_id)["files"] == [FILE.value]


# --- what is not to be followed for a day --------------------------------------------------------

NOFOLLOWS: dict[str, Mapping[str, Spoil]] = {
    "header": {PAGE_PATH: with_header("X-Robots-Tag", "noindex; nofollow")},
    "header in lower case": {PAGE_PATH: with_header("x-robots-tag", "dmf-crawler: none")},
    "meta": {PAGE_PATH: with_words("<head>", '<head><meta name="ROBOTS" content="NOINDEX|NONE">')},
    "rel": {PAGE_PATH: with_words(f'href="{FILE_PATH}"', f'rel="nofollow" href="{FILE_PATH}"')},
}


@pytest.mark.parametrize("way", NOFOLLOWS)
def test_known_files_of_a_post_that_says_nofollow_for_a_day_stay(board, way):
    board.run(SATURDAY)
    board.site.spoilt = NOFOLLOWS[way]

    board.check_known(board.run(SUNDAY))

    assert board.asked("file") == []
    assert len(board.asked_posts()) == 3


@pytest.mark.parametrize("way", ["header in lower case", "rel"])
def test_files_of_a_post_that_said_nofollow_from_the_start_are_named_so(board, way):
    board.site.spoilt = NOFOLLOWS[way]

    board.run(TUESDAY)

    assert board.asked("file") == []
    assert board.fields(POST.post_id)["files"] == [f"{NAME} (nofollow)"]


def test_known_files_that_robots_txt_forbids_on_the_day_of_the_full_check_stay(board):
    board.run(SATURDAY)
    usual = board.site.switches.robots_text
    board.switch(robots_text="User-agent: *\nDisallow: /cmn/\n")

    board.check_known(board.run(SUNDAY))

    assert board.asked("file") == []
    assert "robots_disallowed 1건" in board.warnings()
    assert board.full_check() == (SUNDAY, 1)
    raw_store = RawStore(board.home.root / "raw")
    n_counted = raw_store.n_requests(date.fromisoformat(SUNDAY), "127.0.0.1")
    assert n_counted == len(board.site.log), "what was not sent costs nothing"
    board.switch(robots_text=usual)
    board.check_known(board.run(NEXT_SUNDAY))
    assert len(board.asked("file")) == 1


def test_a_list_that_says_nofollow_on_a_sunday_does_not_count_as_full_check(board):
    board.run(SATURDAY)
    board.switch(nofollow=frozenset({"list_meta"}))
    board.check_known(board.run(SUNDAY))
    assert board.full_check() == (None, 0)
    assert "따라갈 수 있는 상세 페이지 링크가 하나도 없습니다" in board.warnings()
    board.switch(nofollow=frozenset())
    board.check_known(board.run(NEXT_MONDAY))
    assert board.full_check() == (SATURDAY, 0)

    board.check_known(board.run("2026-12-12"))

    assert len(board.asked_posts()) == 3


def test_a_row_whose_link_leads_away_for_a_day_keeps_its_post(board):
    board.run(SATURDAY)
    board.site.spoilt = {"/bbs/21": with_words(f'"{PAGE_PATH}?', f'"/other/{POST.post_id}?')}

    board.check_known(board.run(SUNDAY))

    assert POST.post_id not in board.asked_posts()
    assert all(not request.path.startswith("/other") for request in board.site.log)
    assert "목록의 1건에 따라갈 수 있는 상세 페이지 링크가 없어" in board.warnings()


# --- posts that come wrong -----------------------------------------------------------------------

BAD_PAGES: dict[str, Spoil] = {
    "a whole page with 500": with_status(500),
    "304 to no condition": with_status(304),
    "maintenance": with_html(write_maintenance_page(), "text/html;charset=UTF-8"),
    "to another post": to(f"/bbs/21/{OTHER.post_id}"),
    "to itself for ever": to(PAGE_PATH),
}


@pytest.mark.parametrize("way", BAD_PAGES)
def test_a_known_post_that_comes_wrong_stays_and_is_asked_for_next_day(board, way):
    board.run(SATURDAY)
    board.site.spoilt = {PAGE_PATH: BAD_PAGES[way]}
    board.check_known(board.run(SUNDAY))
    assert NOT_READ in board.warnings()
    assert board.full_check() == (SUNDAY, 1)
    board.site.spoilt = {}

    board.check_known(board.run(NEXT_MONDAY))

    assert board.asked_posts() == [POST.post_id]
    assert len(board.asked("file")) == 1
    assert board.full_check() == (SUNDAY, 0)


@pytest.mark.parametrize("way", ["a whole page with 500", "to another post"])
def test_the_text_of_a_bad_answer_is_never_taken_for_the_post(board, way):
    board.site.spoilt = {PAGE_PATH: BAD_PAGES[way]}

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 3)
    assert "body" not in board.fields(POST.post_id)
    assert board.fields(OTHER.post_id)["body"] == OTHER.body
    assert board.fields(LAST.post_id)["body"] == LAST.body
    if way == "to another post":
        assert "redirect_to_other_page 1건" in board.warnings()


def test_three_posts_in_a_row_that_lead_to_another_one_end_the_following(board):
    posts = [post for post in NoticeLife(n_posts=20).rows if not post.attachments][:6]
    board.site.notices = posts
    ids = sorted((post.post_id for post in posts), key=int, reverse=True)
    board.site.spoilt = {f"/bbs/21/{each}": to(f"/bbs/21/{ids[0]}") for each in ids[1:4]}

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    assert set(board.asked_posts()) == set(ids[:4])
    assert "redirect_to_other_page 3건" in board.warnings()
    assert "2건을 오늘 다 받지 못했습니다" in board.warnings()
    for post_id in ids[1:]:
        assert "body" not in board.fields(post_id)


@pytest.mark.parametrize("location", [f"{PAGE_PATH}/view", f"{PAGE_PATH}?page=7&searchYn="])
def test_a_post_that_moved_inside_the_scope_is_followed_and_read(board, location):
    """Another address that is no other post: of its own, or the same with dropped parameters."""
    whole: list[Answer] = []

    def lead(answer: Answer) -> Answer:
        whole.append(answer)
        return to(location)(answer) if len(whole) == 1 else answer

    board.site.spoilt = {PAGE_PATH: lead, f"{PAGE_PATH}/view": lambda _: whole[0]}

    board.check_known(board.run(TUESDAY))

    assert location in [request.target for request in board.site.log]


def test_a_post_that_leads_to_a_blocked_address_is_not_followed(board):
    board.home.edit("config/boards.yaml", "blocked: []", 'blocked: ["/bbs/21/*/view"]')
    board.site.spoilt = {PAGE_PATH: to(f"{PAGE_PATH}/view")}

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    assert "redirect_out_of_scope 1건" in board.warnings()
    assert f"{PAGE_PATH}/view" not in [request.path for request in board.site.log]


def test_a_post_that_robots_txt_forbids_is_told_and_leaves_the_others(board):
    board.switch(robots_text=f"User-agent: *\nDisallow: {PAGE_PATH}\n")

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 3)
    assert POST.post_id not in board.asked_posts()
    assert "robots_disallowed 1건" in board.warnings()
    assert board.fields(LAST.post_id)["body"] == LAST.body


def test_redirects_of_lists_posts_and_files_are_followed_inside_their_scopes(board):
    places: tuple[TroublePlace, ...] = ("notice_list", "detail", "file")
    board.switch(troubles=tuple(PageTrouble("redirect_inside", place=place) for place in places))

    board.check_known(board.run(TUESDAY))

    moved = [request.path for request in board.site.log if "moved" in request.query]
    assert moved.count("/bbs/21") == 2
    assert len(moved) == 2 + 3 + 1


@pytest.mark.parametrize(
    ("base", "href"),
    [("/cmn/edms/", "down/DOC-900"), ("https://elsewhere.invalid/", FILE_PATH)],
    ids=["inside", "another host"],
)
def test_links_of_a_post_are_relative_to_its_base(board, base, href):
    def rebase(answer: Answer) -> Answer:
        answer = with_words("<head>", f'<head><base href="{base}">')(answer)
        return with_words(f'href="{FILE_PATH}"', f'href="{href}"')(answer)

    board.site.spoilt = {PAGE_PATH: rebase}

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    is_inside = base.startswith("/")
    assert len(board.asked("file")) == is_inside
    told = FILE.value if is_inside else f"{NAME} (other_host)"
    assert board.fields(POST.post_id)["files"] == [told]


# --- a 304 that says little ----------------------------------------------------------------------


def bare(answer: Answer) -> Answer:
    """Return a 304 without its validators, as some servers send it."""
    return replace(answer, headers=()) if answer.status == 304 else answer


def test_a_304_without_validators_keeps_the_old_ones_and_counts_as_no_full_check(board):
    board.switch(validators="etag")
    others = [replace(LAST, post_id=str(number)) for number in range(4)]
    board.site.notices = (*POSTS, *others)
    first = board.run(TUESDAY)
    board.site.spoilt = {PAGE_PATH: bare}
    asked = []
    for number, day in enumerate((WEDNESDAY, "2026-12-03"), start=1):
        newest = int(board.site.notices[0].post_id)
        new = replace(LAST, post_id=str(newest + 1), title=f"새 글 {number}")
        board.site.notices = (new, *board.site.notices)
        run = board.run(day)
        assert (run["status"], run["counts"]["NEW"], run["counts"]["MODIFIED"]) == ("OK", 1, 0)
        asked += [request for request in board.asked("detail") if request.path == PAGE_PATH]

    assert [request.status for request in asked] == [304, 304]
    assert asked[0].headers["if-none-match"] == asked[1].headers["if-none-match"] != ""
    known = board.home.rows(
        f"SELECT full_checked_on, substr(fetched_at, 1, 10) FROM known_page"
        f" WHERE url LIKE '%{PAGE_PATH}'"
    )
    assert known == [(TUESDAY, "2026-12-03")]
    (index,) = board.home.root.glob("raw/2026-12-03/mfds_notice/*/index.jsonl")
    lines = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    (line,) = [line for line in lines if line["url"].endswith(PAGE_PATH)]
    assert line["status"] == 304
    # Each 304 stands for the body in the folder of the one before.
    assert line["taken_from"].startswith("20261202T06")
    assert first["run_id"].startswith("20261201T06")
    stored = {name.lower(): value for name, value in line["stored_headers"]}
    assert stored["content-type"] == "text/html;charset=UTF-8"
    assert f'"{stored["etag"]}"'.strip('"') in asked[1].headers["if-none-match"]
