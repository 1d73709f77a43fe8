"""Detail pages and files behind a notice board: what is asked for, when, and what becomes of it.

Judged by what the site was asked for and by what the history then holds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notices import Attachment, Notice
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.end_to_end.killing import run_and_kill

ROWS = Life(n_rows=20).rows
POSTS = NoticeLife(n_posts=12).rows
TUESDAY, WEDNESDAY, THURSDAY = "2026-12-01", "2026-12-02", "2026-12-03"
SATURDAY, SUNDAY, NEXT_MONDAY = "2026-12-05", "2026-12-06", "2026-12-07"


class Board:
    """The notice board on a site, with a home that watches it."""

    def __init__(self, site: RehearsalSite, home: RehearsalHome) -> None:
        self.site, self.home = site, home

    def run(self, day: str, *words: str) -> dict[str, Any]:
        """Run it once; only what this run asked for is in the site's log afterwards."""
        self.site.clear_log()
        return self.home.run(day, "--board", "mfds_notice", *words)

    def switch(self, **switches: Any) -> None:
        self.site.switches = replace(self.site.switches, **switches)

    def asked(self, kind: str) -> list[LoggedRequest]:
        """Return the requests for posts (`detail`) or files (`file`) in order."""
        start = {"detail": "/bbs/21/", "file": "/cmn/"}[kind]
        return [request for request in self.site.log if request.path.startswith(start)]

    def asked_posts(self) -> list[str]:
        return [request.path.rpartition("/")[2] for request in self.asked("detail")]

    def fields(self, post_id: str) -> dict[str, Any]:
        ((payload,),) = self.home.rows(
            "SELECT payload_json FROM dmf_record WHERE board_id = 'mfds_notice'"
            f" AND is_current = 1 AND natural_key = '{post_id}'"
        )
        fields: dict[str, Any] = json.loads(payload)
        return fields

    def warnings(self) -> str:
        rows = self.home.rows("SELECT warnings_json FROM crawl_run ORDER BY rowid DESC LIMIT 1")
        return " ".join(json.loads(rows[0][0]))


@pytest.fixture
def board(tmp_path):
    with RehearsalSite(ROWS, notices=POSTS) as site:
        yield Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


def edit_text(posts: Sequence[Notice], number: int) -> tuple[Notice, ...]:
    edited = replace(posts[number], blocks=("시행일이 2027-01-01 로 바뀌었습니다.",))
    return (*posts[:number], edited, *posts[number + 1 :])


def with_new_post(posts: Sequence[Notice]) -> tuple[Notice, ...]:
    newest = max(int(post.post_id) for post in posts)
    post = replace(posts[-1], post_id=str(newest + 1), title="새 글", attachments=())
    return (post, *posts)


def has_files(posts: Sequence[Notice]) -> int:
    """Return the place of the first post with a file."""
    return next(number for number, post in enumerate(posts) if post.attachments)


# --- what is due ---------------------------------------------------------------------------------


def test_the_first_run_asks_for_every_post_after_the_list_newest_first(board):
    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"], run["is_baseline"]) == ("OK", 12, True)
    paths = [request.path for request in board.site.log]
    assert paths.index("/bbs/21/" + board.asked_posts()[0]) > max(
        number for number, path in enumerate(paths) if path == "/bbs/21"
    )
    assert board.asked_posts() == sorted((post.post_id for post in POSTS), key=int, reverse=True)
    for post in POSTS:
        assert board.fields(post.post_id)["body"] == post.body
        assert board.fields(post.post_id)["files"] == list(post.files)


def test_nothing_is_asked_for_twice_and_a_quiet_day_asks_for_the_list_alone(board):
    board.run(TUESDAY)
    assert max(Counter(board.asked_posts()).values()) == 1
    files = Counter(request.path for request in board.asked("file"))
    assert max(files.values()) == 1

    run = board.run(WEDNESDAY)

    assert {request.path for request in board.site.log} == {"/robots.txt", "/bbs/21"}
    assert not any(run["counts"].values())


def test_a_changed_row_makes_its_post_due_alone(board):
    board.run(TUESDAY)
    renamed = replace(POSTS[4], title="다른 제목")
    board.site.notices = (*POSTS[:4], renamed, *POSTS[5:])

    run = board.run(WEDNESDAY)

    assert board.asked_posts() == [renamed.post_id]
    assert run["counts"]["MODIFIED"] == 1


def test_a_risen_total_makes_all_posts_due_conditionally_new_ones_first(board):
    board.switch(validators="both")
    board.run(TUESDAY)
    board.site.notices = with_new_post(edit_text(POSTS, 7))

    run = board.run(WEDNESDAY)

    posts = board.asked("detail")
    assert board.asked_posts()[0] == board.site.notices[0].post_id
    assert len(posts) == 13
    assert "if-none-match" not in posts[0].headers
    assert all("if-none-match" in request.headers for request in posts[1:])
    assert Counter(request.status for request in posts) == {200: 2, 304: 11}
    assert (run["counts"]["NEW"], run["counts"]["MODIFIED"]) == (1, 1)


def test_a_text_that_changes_without_its_row_is_found_on_sunday_at_the_latest(board):
    board.switch(validators="lying")
    board.run(TUESDAY)
    board.site.notices = edit_text(POSTS, 5)
    assert not any(board.run(SATURDAY)["counts"].values())

    run = board.run(SUNDAY)

    assert run["counts"]["MODIFIED"] == 1
    assert len(board.asked("detail")) == 12
    for request in board.site.log:
        assert not {"if-none-match", "if-modified-since"} & request.headers.keys()
    assert board.fields(POSTS[5].post_id)["body"].startswith("시행일이")


def test_a_missed_sunday_is_made_up_for_and_the_date_stands_in_the_history(board):
    board.run(SATURDAY)
    assert board.home.rows("SELECT full_check_from FROM crawl_run") == [(SATURDAY,)]
    board.run(NEXT_MONDAY)
    assert board.asked_posts() == []

    board.run("2026-12-12")

    assert len(board.asked("detail")) == 12
    last = board.home.rows("SELECT full_check_from, full_check_left FROM crawl_run")[-1]
    assert last == ("2026-12-12", 0)


def test_full_asks_for_everything_on_any_day(board):
    board.switch(validators="both")
    board.run(TUESDAY)

    board.run(WEDNESDAY, "--full")

    assert len(board.asked("detail")) == 12
    assert not any("if-none-match" in request.headers for request in board.site.log)


def test_what_exceeds_the_budget_is_told_and_due_next_day(board):
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 5")
    run = board.run(TUESDAY)
    first = [*board.asked_posts()]
    assert len([*board.asked("detail"), *board.asked("file")]) == 5
    assert run["status"] == "OK"
    assert "다음 실행에서" in board.warnings()

    seen = [*first]
    for day in (WEDNESDAY, THURSDAY, "2026-12-04", SATURDAY, SUNDAY, NEXT_MONDAY, "2026-12-08"):
        run = board.run(day)
        seen += board.asked_posts()
        assert not any(run["counts"].values()), "what was only filled in is no change"
    assert set(seen) == {post.post_id for post in POSTS}


def test_the_full_check_is_spread_over_days_where_the_budget_asks_for_it(board):
    board.run(SATURDAY)
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 8")

    left = []
    checked: list[str] = []
    for day in (SUNDAY, NEXT_MONDAY, "2026-12-08", "2026-12-09", "2026-12-10"):
        board.run(day)
        checked += board.asked_posts()
        left.append(board.home.rows("SELECT full_check_from, full_check_left FROM crawl_run")[-1])

    assert {start for start, _ in left} == {SUNDAY}
    assert left[0][1] > left[-1][1] == 0
    assert set(checked) == {post.post_id for post in POSTS}


def test_what_a_risen_total_makes_due_stays_due_until_the_budget_holds_it(board):
    board.run(TUESDAY)
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 4")
    board.site.notices = with_new_post(POSTS)

    seen: list[str] = []
    for day in (WEDNESDAY, THURSDAY, "2026-12-04", SATURDAY):
        board.run(day)
        seen += board.asked_posts()

    assert len(seen) == len(set(seen)) == 13


def test_all_texts_come_before_the_first_file(board):
    board.run(TUESDAY)

    paths = [request.path for request in board.site.log]
    last_post = max(n for n, path in enumerate(paths) if path.startswith("/bbs/21/"))
    assert last_post < min(n for n, path in enumerate(paths) if path.startswith("/cmn/"))


def test_files_that_the_budget_left_over_come_next_day_without_their_posts(board):
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 13")
    board.run(TUESDAY)
    n_files = sum(len(post.attachments) for post in POSTS)
    assert (len(board.asked("detail")), len(board.asked("file"))) == (12, 1)
    asked = [request.path for request in board.asked("file")]
    assert n_files > 1

    run = board.run(WEDNESDAY)

    assert board.asked_posts() == []
    asked += [request.path for request in board.asked("file")]
    assert len(asked) == len(set(asked)) == n_files
    assert not any(run["counts"].values())
    for post in POSTS:
        assert board.fields(post.post_id)["files"] == list(post.files)
    exit_code, payload = board.home.command("reparse", "--run", run["run_id"])
    assert (exit_code, any(payload["runs"][0]["counts"].values())) == (0, False)
    board.run(THURSDAY)
    assert board.asked("file") == []


def test_a_file_that_the_budget_left_over_is_a_change_when_it_comes(board):
    number = has_files(POSTS)
    board.run(TUESDAY)
    files = (Attachment("DOC-998", "가.pdf", b"%PDF 1"), Attachment("DOC-999", "나.pdf", b"%PDF 2"))
    changed = replace(POSTS[number], title="첨부를 바꾼 글", attachments=files)
    board.site.notices = (*POSTS[:number], changed, *POSTS[number + 1 :])
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 2")
    board.run(WEDNESDAY)
    assert board.fields(changed.post_id)["files"] == list(POSTS[number].files)

    run = board.run(THURSDAY)

    assert board.asked_posts() == []
    assert [request.path for request in board.asked("file")] == ["/cmn/edms/down/DOC-999"]
    assert run["counts"]["MODIFIED"] == 1
    assert board.fields(changed.post_id)["files"] == list(changed.files)


# --- validators ----------------------------------------------------------------------------------


def test_a_304_keeps_the_stored_text_in_the_new_run_s_own_folder(board):
    board.switch(validators="etag")
    board.run(TUESDAY)
    board.site.notices = with_new_post(POSTS)
    run = board.run(WEDNESDAY)
    for folder in board.home.root.glob(f"raw/{TUESDAY}/mfds_notice/*"):
        for path in [*folder.rglob("*.*")]:
            if path.is_file():
                path.unlink()

    exit_code, payload = board.home.command("reparse", "--run", run["run_id"])

    assert exit_code == 0
    assert not any(payload["runs"][0]["counts"].values())
    assert board.fields(POSTS[3].post_id)["body"] == POSTS[3].body


def test_a_validator_that_changes_at_every_fetch_is_no_longer_sent(board):
    board.switch(validators="churning")
    posts = POSTS
    sent = []
    for number in range(6):
        board.run(f"2026-12-0{number + 1}")
        sent.append(sum("if-none-match" in request.headers for request in board.asked("detail")))
        posts = with_new_post(posts)
        board.site.notices = posts

    assert sent[1] > 0
    assert sent[4] < 12, "the posts of the first days have been found out"


def test_validators_that_another_identity_received_are_not_sent(board):
    board.switch(validators="both")
    board.run(TUESDAY)
    board.home.edit("config/settings.yaml", "ko-KR,ko;q=0.9", "ko-KR")
    board.site.notices = with_new_post(POSTS)

    board.run(WEDNESDAY)

    assert not any("if-none-match" in request.headers for request in board.site.log)
    assert "요청하는 쪽의 정보" in board.warnings()


def test_a_stored_text_that_is_gone_is_asked_for_unconditionally(board):
    board.switch(validators="both")
    board.run(TUESDAY)
    for path in board.home.root.glob(f"raw/{TUESDAY}/mfds_notice/*/*.html.gz"):
        path.unlink()
    board.site.notices = with_new_post(POSTS)

    run = board.run(WEDNESDAY)

    assert run["status"] == "OK"
    assert not any("if-none-match" in request.headers for request in board.asked("detail"))


# --- files ---------------------------------------------------------------------------------------


def test_files_lie_under_a_safe_name_with_the_bytes_that_came(board):
    board.switch(odd_file_name="../../보고서|CON.exe")
    run = board.run(TUESDAY)
    files = [*board.home.root.glob(f"raw/*/mfds_notice/{run['run_id']}/files/*")]

    contents = {each.content for post in POSTS for each in post.attachments}
    assert {path.read_bytes() for path in files} == contents
    assert all(path.suffix == ".bin" and ".." not in path.name for path in files)
    assert board.home.command("verify")[0] == 0


def test_a_replaced_file_is_a_change_of_the_post(board):
    board.run(TUESDAY)
    number = has_files(POSTS)
    changed = replace(
        POSTS[number], attachments=(Attachment("DOC-999", "고친 파일.pdf", b"%PDF corrected"),)
    )
    board.site.notices = with_new_post((*POSTS[:number], changed, *POSTS[number + 1 :]))

    run = board.run(WEDNESDAY)

    assert run["counts"]["MODIFIED"] == 1
    assert board.fields(changed.post_id)["files"] == list(changed.files)


def test_a_file_that_is_too_large_is_named_and_not_asked_for_every_day(board):
    board.home.edit("config/boards.yaml", "max_file_bytes: 20000000", "max_file_bytes: 1000")
    board.switch(file_padding_bytes=2_000)
    run = board.run(TUESDAY)
    post = POSTS[has_files(POSTS)]

    assert run["status"] == "OK"
    assert all(
        value.endswith("(받지 못함: oversize)") for value in board.fields(post.post_id)["files"]
    )
    board.run(WEDNESDAY)
    assert board.asked("file") == []


def test_files_that_robots_txt_forbids_are_not_asked_for(board):
    board.switch(robots_text="User-agent: *\nDisallow: /cmn/\n")
    board.run(TUESDAY)
    post = POSTS[has_files(POSTS)]

    assert board.asked("file") == []
    assert "robots_disallowed" in board.fields(post.post_id)["files"][0]
    board.run(WEDNESDAY)
    assert board.asked_posts() == []


def test_a_file_that_fails_is_asked_for_again_next_day_without_its_post(board):
    number = has_files(POSTS)
    post = POSTS[number]
    trouble = PageTrouble("status_503", pages=frozenset({int(post.post_id)}), place="file")
    board.switch(troubles=(trouble,))
    board.run(TUESDAY)
    assert "files" not in board.fields(post.post_id)
    board.switch(troubles=())

    run = board.run(WEDNESDAY)

    assert board.asked_posts() == []
    assert len(board.asked("file")) == len(post.attachments)
    assert board.fields(post.post_id)["files"] == list(post.files)
    assert not any(run["counts"].values())


# --- what is not followed ------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["list_meta", "list_header", "list_links"])
def test_links_of_a_list_that_says_nofollow_are_not_followed(board, place):
    board.switch(nofollow=frozenset({place}))

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 12)
    assert board.asked_posts() == []
    assert "nofollow" in board.warnings()


@pytest.mark.parametrize("place", ["detail_meta", "detail_header", "file_links"])
def test_files_of_a_post_that_says_nofollow_are_not_asked_for(board, place):
    board.switch(nofollow=frozenset({place}))

    board.run(TUESDAY)

    assert len(board.asked_posts()) == 12
    assert board.asked("file") == []
    board.run(WEDNESDAY)
    assert board.asked_posts() == []


def test_traps_are_not_entered(board):
    board.switch(traps=frozenset({"calendar", "growing_path", "javascript", "other_host", "login"}))

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    allowed = {"/robots.txt", "/bbs/21"} | {f"/bbs/21/{post.post_id}" for post in POSTS}
    allowed |= {f"/cmn/edms/down/{file.document_id}" for post in POSTS for file in post.attachments}
    assert {request.path for request in board.site.log} <= allowed


@pytest.mark.parametrize("form", ["absolute_path", "relative", "session", "full_url"])
def test_a_post_has_one_address_however_the_list_writes_it(board, form):
    board.switch(post_links=form)
    board.run(TUESDAY)
    assert len(board.asked_posts()) == 12

    board.run(WEDNESDAY)

    assert board.asked_posts() == []
    urls = board.home.rows("SELECT detail_url FROM dmf_record ORDER BY natural_key")
    assert all("jsessionid" not in url and "page=" not in url for (url,) in urls)


@pytest.mark.parametrize("pinned", ["in_order", "on_top_counted", "on_top_uncounted"])
def test_pinned_posts_are_counted_once(board, pinned):
    board.switch(pinned_posts=pinned)

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 12)
    assert len(board.asked_posts()) == len(set(board.asked_posts())) == 12


def test_the_same_page_under_two_addresses_is_processed_once(board):
    board.switch(doubled_post=True)

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    files = Counter(request.path for request in board.asked("file"))
    assert not files or max(files.values()) == 1


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["status_500", "error_page", "truncated_length", "login", "mojibake"]
)
def test_a_post_that_cannot_be_read_does_not_touch_the_list(board, kind):
    post = POSTS[2]
    trouble = PageTrouble(kind, pages=frozenset({int(post.post_id)}), place="detail")
    board.switch(troubles=(trouble,))

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 12)
    assert "body" not in board.fields(post.post_id)
    assert "읽지 못한 상세 페이지" in board.warnings()
    board.switch(troubles=())
    board.run(WEDNESDAY)
    assert board.asked_posts() == [post.post_id]
    assert board.fields(post.post_id)["body"] == post.body


def test_a_site_that_fails_three_times_in_a_row_is_left_in_peace(board):
    board.switch(troubles=(PageTrouble("status_500", place="detail"),))

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    assert len(set(board.asked_posts())) == 3


def test_retry_after_behind_the_list_ends_the_following_and_holds_for_the_next_run(board):
    trouble = PageTrouble("status_503", place="detail", retry_after="3600")
    board.switch(troubles=(trouble,))

    run = board.run(TUESDAY)

    assert (run["status"], run["n_rows"]) == ("OK", 12)
    assert len(board.asked_posts()) == 1
    assert board.run(TUESDAY)["error"]["code"] == "retry_after"
    assert board.site.log == []


def test_a_killed_visit_to_the_posts_goes_on_behind_the_last_one(board):
    victim = POSTS[6].post_id
    run_and_kill(
        board.site,
        board.home,
        TUESDAY,
        lambda request: request.path == f"/bbs/21/{victim}",
        "--board",
        "mfds_notice",
    )

    run = board.home.command("run", "--now", f"{TUESDAY}T09:00:00+09:00", "--board", "mfds_notice")[
        1
    ]["runs"][0]

    assert run["status"] == "OK"
    posts = [request.path for request in board.site.log if request.path.startswith("/bbs/21/")]
    assert sorted(Counter(posts).values()) == [1] * 11 + [2], "only the one it was killed at"
    assert all(board.fields(post.post_id)["body"] == post.body for post in POSTS)


def test_one_request_at_a_time_whatever_is_asked_for(board):
    board.run(TUESDAY)

    assert all(request.n_open_at_arrival == 0 for request in board.site.log)
    assert len({request.connection_id for request in board.site.log}) == 1


def test_a_board_without_rows_behind_it_is_checked_in_full_by_every_run(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(TUESDAY)
        home.run(WEDNESDAY)

        checks = home.rows("SELECT full_check_from, full_check_left FROM crawl_run")

    assert checks == [(TUESDAY, 0), (WEDNESDAY, 0)]
