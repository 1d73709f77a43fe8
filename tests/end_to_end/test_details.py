"""Detail pages and files behind a notice board: what is asked for, when, and what becomes of it.

Judged by what the site was asked for and by what the history then holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notices import Attachment, Notice
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from tests.end_to_end.homes import Board, new_home
from tests.end_to_end.killing import run_and_kill

ROWS = Life(n_rows=20).rows
POSTS = NoticeLife(n_posts=12).rows
TUESDAY, WEDNESDAY, THURSDAY = "2026-12-01", "2026-12-02", "2026-12-03"
SATURDAY, SUNDAY, NEXT_MONDAY = "2026-12-05", "2026-12-06", "2026-12-07"


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


def with_files(posts: Sequence[Notice], number: int, *contents: bytes) -> tuple[Notice, ...]:
    """Return the posts with so many files at one of them, their addresses always the same."""
    files = tuple(
        Attachment(f"DOC-{900 + place}", f"첨부 {place}.pdf", content)
        for place, content in enumerate(contents)
    )
    changed = replace(posts[number], attachments=files)
    return (*posts[:number], changed, *posts[number + 1 :])


def newest_first(posts: Sequence[Notice]) -> list[str]:
    return sorted((post.post_id for post in posts), key=int, reverse=True)


def kill_at_last_post(board: Board) -> int:
    """Kill a run when all posts but the last are kept; return how many requests it sent."""
    board.site.clear_log()
    path = f"/bbs/21/{newest_first(POSTS)[-1]}"
    words = ("--board", "mfds_notice")
    run_and_kill(board.site, board.home, TUESDAY, lambda request: request.path == path, *words)
    return len(board.site.log)


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


def test_a_retitled_post_whose_files_are_known_owes_nothing(board):
    board.run(TUESDAY)
    number = has_files(POSTS)
    renamed = replace(POSTS[number], title="다른 제목")
    board.site.notices = (*POSTS[:number], renamed, *POSTS[number + 1 :])
    board.run(WEDNESDAY)
    assert (board.asked_posts(), board.asked("file")) == ([renamed.post_id], [])

    board.run(THURSDAY)

    assert (board.asked_posts(), board.asked("file")) == ([], [])
    assert board.fields(renamed.post_id)["files"] == list(renamed.files)


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


def test_full_asks_for_everything_on_a_day_that_was_already_checked(board):
    board.run(SUNDAY)

    board.run(SUNDAY, "--full", hour=9)

    assert board.asked_posts() == newest_first(POSTS)


def test_a_second_run_on_the_day_of_the_full_check_is_unconditional_too(board):
    board.switch(validators="both")
    board.run(SUNDAY)
    board.site.notices = with_new_post(POSTS)

    board.run(SUNDAY, hour=15)

    assert len(board.asked("detail")) == 13
    for request in board.site.log:
        assert not {"if-none-match", "if-modified-since"} & request.headers.keys()


def test_a_total_that_rises_within_the_day_makes_all_posts_due(board):
    board.run(TUESDAY)
    board.site.notices = with_new_post(edit_text(POSTS, 7))

    run = board.run(TUESDAY, hour=15)

    assert board.asked_posts() == newest_first(board.site.notices)
    assert (run["counts"]["NEW"], run["counts"]["MODIFIED"]) == (1, 1)
    board.run(WEDNESDAY)
    assert board.asked_posts() == []


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


def test_the_full_check_has_left_what_failed_too(board):
    post = POSTS[has_files(POSTS)]
    board.run(SATURDAY)
    trouble = PageTrouble("status_503", pages=frozenset({int(post.post_id)}), place="file")
    board.switch(troubles=(trouble,))

    board.run(SUNDAY)

    left = board.home.rows("SELECT full_check_left FROM crawl_run")[-1]
    assert left == (len(post.attachments),)


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


def test_a_file_of_an_edited_text_that_the_budget_left_over_comes_next_day(board):
    """Its address is as before, its content is not."""
    board.site.notices = with_files(POSTS, 3, b"%PDF a", b"%PDF b")
    board.run(TUESDAY)
    edited = with_files(edit_text(POSTS, 3), 3, b"%PDF a", b"%PDF b, corrected")
    retitled = replace(edited[3], title="고친 글")
    board.site.notices = (*edited[:3], retitled, *edited[4:])
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 2")
    assert board.run(WEDNESDAY)["counts"]["MODIFIED"] == 1
    assert board.fields(retitled.post_id)["body"] == retitled.body

    run = board.run(THURSDAY)

    assert board.asked_posts() == []
    assert [request.path for request in board.asked("file")] == ["/cmn/edms/down/DOC-901"]
    assert run["counts"]["MODIFIED"] == 1
    assert board.fields(retitled.post_id)["files"] == list(retitled.files)


def test_a_file_that_the_full_check_left_over_comes_next_day_without_its_post(board):
    posts = with_files([replace(post, attachments=()) for post in POSTS], 3, b"%PDF a", b"%PDF b")
    board.site.notices = posts
    board.run(SATURDAY)
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 13")
    board.site.notices = with_files(posts, 3, b"%PDF a", b"%PDF b, corrected")
    assert not any(board.run(SUNDAY)["counts"].values())
    assert board.home.rows("SELECT full_check_left FROM crawl_run")[-1] == (1,)
    assert "1건을 오늘 다 받지 못했습니다" in board.warnings()

    run = board.run(NEXT_MONDAY)

    assert board.asked_posts() == []
    assert [request.path for request in board.asked("file")] == ["/cmn/edms/down/DOC-901"]
    assert run["counts"]["MODIFIED"] == 1
    assert board.home.rows("SELECT full_check_left FROM crawl_run")[-1] == (0,)


def test_a_changed_row_whose_post_the_budget_left_over_is_due_next_day(board):
    board.run(TUESDAY)
    changed = [replace(post, title=f"고친 {post.title}") for post in POSTS[2:4]]
    board.site.notices = (*POSTS[:2], *changed, *POSTS[4:])
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 1")
    board.run(WEDNESDAY)
    first = board.asked_posts()

    board.run(THURSDAY)

    assert [*first, *board.asked_posts()] == newest_first(changed)


# --- a held run that somebody applies ------------------------------------------------------------


def hold(board: Board, day: str, posts: Sequence[Notice]) -> str:
    """Run on a day on which one post is gone, which is held; return the run's id."""
    board.home.edit("config/settings.yaml", "vanished: {floor: 3", "vanished: {floor: 0")
    board.site.notices = (*posts[:5], *posts[6:])
    run = board.run(day)
    assert run["status"] == "HELD"
    return str(run["run_id"])


def apply(board: Board, run_id: str, day: str) -> None:
    board.home.edit("config/settings.yaml", "vanished: {floor: 0", "vanished: {floor: 3")
    words = ("--run", run_id, "--apply", "--now", f"{day}T10:00:00+09:00")
    exit_code, payload = board.home.command("reparse", *words)
    assert (exit_code, payload["runs"][0]["status"]) == (0, "OK")


def test_the_full_check_of_a_held_run_counts_when_it_is_applied(board):
    board.run(SATURDAY)
    apply(board, hold(board, SUNDAY, POSTS), SUNDAY)

    board.run(NEXT_MONDAY)

    assert board.asked_posts() == []
    last = board.home.rows("SELECT full_check_from, full_check_left FROM crawl_run")[-1]
    assert last == (SUNDAY, 0)


def test_what_a_held_run_with_a_risen_total_left_over_is_due_when_it_is_applied(board):
    board.run(TUESDAY)
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 4")
    held = hold(board, WEDNESDAY, with_new_post(with_new_post(POSTS)))
    seen = board.asked_posts()
    assert len(seen) == 4
    board.home.edit("config/boards.yaml", "max_requests: 4", "max_requests: 100")
    apply(board, held, WEDNESDAY)

    board.run(THURSDAY)

    assert [*seen, *board.asked_posts()] == newest_first(board.site.notices)


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


def test_files_of_a_changed_post_are_asked_for_conditionally_and_those_of_a_new_one_are_not(board):
    board.switch(validators="both")
    posts = with_files(POSTS, 3, b"%PDF a")
    board.site.notices = posts
    board.run(TUESDAY)
    edited = with_files(edit_text(posts, 3), 3, b"%PDF a")
    new, *_ = with_new_post(edited)
    new = replace(new, attachments=(Attachment("DOC-999", "새 첨부.pdf", b"%PDF new"),))
    board.site.notices = (new, *edited)

    run = board.run(WEDNESDAY)

    asked = {
        request.path[-3:]: ("if-none-match" in request.headers, request.status)
        for request in board.asked("file")
    }
    assert asked == {"999": (False, 200), "900": (True, 304)}
    assert (run["counts"]["NEW"], run["counts"]["MODIFIED"]) == (1, 1)
    assert board.fields(new.post_id)["files"] == list(new.files)
    assert board.fields(posts[3].post_id)["files"] == list(posts[3].files)


# --- files ---------------------------------------------------------------------------------------


def test_a_file_that_its_answer_does_not_name_is_named_by_its_link(board):
    board.switch(file_name="none")

    board.run(TUESDAY)

    for post in POSTS:
        assert board.fields(post.post_id)["files"] == list(post.files)


def test_a_file_that_hangs_on_two_posts_is_asked_for_once(board):
    shared = with_files(with_files(POSTS, 3, b"%PDF"), 5, b"%PDF")
    board.site.notices = shared

    board.run(TUESDAY)

    paths = [request.path for request in board.asked("file")]
    assert paths.count("/cmn/edms/down/DOC-900") == 1
    for post in (shared[3], shared[5]):
        assert board.fields(post.post_id)["files"] == list(post.files)


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


def test_a_file_that_changed_silently_is_not_lost_when_its_neighbour_fails(board):
    board.site.notices = with_files(POSTS, 3, b"%PDF a", b"%PDF b")
    board.run(SATURDAY)
    post_id = POSTS[3].post_id
    board.site.notices = with_files(POSTS, 3, b"%PDF a, corrected", b"%PDF b")
    trouble = PageTrouble("status_503", pages=frozenset({int(post_id)}), place="file")

    def fail_second_file(request: LoggedRequest) -> None:
        if request.path.endswith("DOC-901"):
            board.switch(troubles=(trouble,))

    board.site.on_request = fail_second_file
    assert not any(board.run(SUNDAY)["counts"].values()), "not known of every file"
    board.site.on_request = None
    board.switch(troubles=())

    run = board.run(NEXT_MONDAY)

    assert run["counts"]["MODIFIED"] == 1
    assert board.fields(post_id)["files"] == list(board.site.notices[3].files)
    assert [request.path for request in board.asked("file")] == ["/cmn/edms/down/DOC-901"]


def test_a_file_that_is_too_large_is_named_and_not_asked_for_every_day(board):
    board.home.edit("config/boards.yaml", "max_file_bytes: 20000000", "max_file_bytes: 1000")
    board.switch(file_padding_bytes=2_000)
    run = board.run(TUESDAY)
    post = POSTS[has_files(POSTS)]

    assert run["status"] == "OK"
    assert all(value.endswith("(oversize)") for value in board.fields(post.post_id)["files"])
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


def test_many_files_that_robots_txt_forbids_do_not_hold_up_the_next(board):
    board.site.notices = with_files(POSTS[:4], 3, *(b"%PDF" + bytes([n]) for n in range(5)))
    forbidden = "".join(f"Disallow: /cmn/edms/down/DOC-90{n}\n" for n in range(4))
    board.switch(robots_text=f"User-agent: *\n{forbidden}")

    board.run(TUESDAY)

    assert board.asked("file")[-1].path == "/cmn/edms/down/DOC-904"
    assert "robots_disallowed 4건" in board.warnings()


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


class SiteWithRelativeFiles(RehearsalSite):
    """Its posts link to their files relative to themselves."""

    def answer_request(self, request: LoggedRequest) -> Answer:
        if "file" in request.params:
            return Answer(request.params["file"].encode(), content_type="application/octet-stream")
        answer = super().answer_request(request)
        return replace(answer, body=answer.body.replace(b'"/cmn/edms/down/', b'"?file='))


def test_the_same_page_under_two_addresses_is_whole_under_both(tmp_path):
    """Its relative links lead to the files of the first address, and nothing stays due."""
    posts = with_files(POSTS[:2], 0, b"%PDF")
    with SiteWithRelativeFiles(ROWS, notices=posts) as site:
        board = Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))
        board.home.edit("config/boards.yaml", "[/cmn/edms/down]", '["/bbs/21/*"]')
        board.switch(doubled_post=True)
        run = board.run(TUESDAY)
        double, post = str(int(posts[0].post_id) + 1), posts[0].post_id
        files = board.fields(post)["files"]
        assert run["n_rows"] == 3
        assert len(files) == 1
        assert "sha256" in files[0]
        assert board.fields(double)["files"] == files
        asked = [request.target for request in site.log if "file" in request.query]
        assert asked == [f"/bbs/21/{double}?file=DOC-900"]

        board.run(WEDNESDAY)

        assert board.asked_posts() == []


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
    assert board.home.rows("SELECT full_check_left FROM crawl_run") == [(1,)]
    board.switch(troubles=())
    board.run(WEDNESDAY)
    assert board.asked_posts() == [post.post_id]
    assert board.fields(post.post_id)["body"] == post.body


@pytest.mark.parametrize("kind", ["login", "status_500"])
def test_posts_that_are_broken_for_good_do_not_hold_up_the_others(board, kind):
    """The three newest use up the budget of the first day; the next begins with the others."""
    board.home.edit("config/boards.yaml", "max_requests: 100", "max_requests: 9")
    broken = newest_first(POSTS)[:3]
    troubles = (PageTrouble(kind, pages=frozenset(map(int, broken)), place="detail"),)
    board.switch(troubles=troubles)
    board.run(TUESDAY)
    assert set(board.asked_posts()) == set(broken)

    board.run(WEDNESDAY)

    assert board.asked_posts() == newest_first(POSTS)[3:]


def test_a_site_that_fails_three_times_in_a_row_is_left_in_peace(board):
    board.switch(troubles=(PageTrouble("status_500", place="detail"),))

    run = board.run(TUESDAY)

    assert run["status"] == "OK"
    assert len(set(board.asked_posts())) == 3


def test_a_good_answer_between_bad_ones_lets_the_crawl_go_on(board):
    ids = newest_first(POSTS)
    broken = frozenset(int(post_id) for post_id in (ids[0], ids[1], ids[3], ids[4]))
    board.switch(troubles=(PageTrouble("status_500", pages=broken, place="detail"),))

    board.run(TUESDAY)

    assert set(board.asked_posts()) == set(ids)
    assert "http_status 4건" in board.warnings()


def test_a_site_that_is_left_in_peace_owes_all_the_rest(board):
    ids = newest_first(POSTS)
    trouble = PageTrouble("status_500", pages=frozenset(map(int, ids[4:7])), place="detail")
    board.switch(troubles=(trouble,))

    board.run(TUESDAY)

    n_files = sum(len(post.attachments) for post in POSTS if post.post_id in ids[:4])
    assert f"{5 + n_files}건을 오늘 다 받지 못했습니다" in board.warnings()
    left = board.home.rows("SELECT full_check_left FROM crawl_run")
    assert left == [(3 + 5 + n_files,)]


def test_many_posts_that_are_broken_for_good_do_not_hold_up_the_others_either(board):
    broken = newest_first(POSTS)[:7]
    trouble = PageTrouble("status_500", pages=frozenset(map(int, broken)), place="detail")
    board.switch(troubles=(trouble,))

    seen: set[str] = set()
    for day in (TUESDAY, WEDNESDAY, THURSDAY, "2026-12-04"):
        board.run(day)
        seen |= set(board.asked_posts())

    assert seen == set(newest_first(POSTS))


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


def test_what_was_taken_over_is_counted_the_posts_included(board):
    """All but robots.txt, page 1 once more, and what was never answered."""
    n_sent = kill_at_last_post(board)

    board.run(TUESDAY, hour=9)

    assert board.home.rows("SELECT n_taken_over FROM crawl_run")[-1] == (n_sent - 3,)
    assert f"{n_sent - 3}쪽을 이어받아" in board.warnings()


def test_a_run_that_was_killed_at_the_posts_asks_for_page_1_once_more(board):
    """What came on top meanwhile is found without asking again for the rest."""
    kill_at_last_post(board)
    board.site.notices = with_new_post(POSTS)

    run = board.run(TUESDAY, hour=23)

    assert [request.path for request in board.site.log][:2] == ["/robots.txt", "/bbs/21"]
    assert (run["status"], run["n_rows"]) == ("OK", 13)
    ids = newest_first(board.site.notices)
    assert board.asked_posts() == [ids[0], ids[-1]]


def test_a_run_that_was_killed_at_the_posts_is_worth_nothing_where_robots_txt_forbids_the_list(
    board,
):
    kill_at_last_post(board)
    board.switch(robots_text="User-agent: *\nDisallow: /bbs\n")

    run = board.run(TUESDAY, hour=9)

    assert (run["status"], run["error"]["code"]) == ("FAILED", "robots_disallowed")
    assert [request.path for request in board.site.log] == ["/robots.txt"]
    assert board.home.rows("SELECT count(*) FROM dmf_record") == [(0,)]
    assert board.home.rows("SELECT n_taken_over FROM crawl_run")[-1] == (0,)


def test_kept_posts_are_not_taken_over_when_the_list_was_another_one(board):
    kill_at_last_post(board)
    edited = edit_text(POSTS, 7)
    board.site.notices = (*edited[:3], *edited[4:])

    run = board.run(TUESDAY, hour=9)

    assert (run["status"], run["n_rows"]) == ("OK", 11)
    assert board.asked_posts() == newest_first(board.site.notices)
    assert board.fields(POSTS[7].post_id)["body"] == edited[7].body


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
