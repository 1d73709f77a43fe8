"""What a post of a notice board is known by, and what is told when it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from dmf_crawler.text import key_form
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.notices import Attachment, Notice
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import Board, new_home

POSTS = NoticeLife(n_posts=7).rows
MONDAY, TUESDAY, WEDNESDAY, THURSDAY = "2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03"
NUMBERS = sorted(post.post_id for post in POSTS)
LINES = tuple(f"{n}번째 문단은 원료의약품 등록에 관한 안내이다" for n in range(1, 9))
WITHOUT = POSTS[5]
COMPOSITE = "|".join(map(key_form, (WITHOUT.title, WITHOUT.department, WITHOUT.posted_on)))


@pytest.fixture
def board(tmp_path):
    with RehearsalSite(Life(n_rows=1).rows, notices=POSTS) as site:
        yield Board(site, new_home(tmp_path / "home", site.base_url, with_notices=True))


def put(post: Notice) -> tuple[Notice, ...]:
    """Return the posts with one of them as it is now."""
    return tuple(post if each.post_id == post.post_id else each for each in POSTS)


def keys(board: Board) -> list[str]:
    rows = board.home.rows("SELECT natural_key FROM dmf_record WHERE is_current = 1 ORDER BY 1")
    return [key for (key,) in rows]


def changes_of(board: Board, key: str) -> list[dict[str, Any]]:
    """Return the changes of a post's last event."""
    _, answer = board.home.command("history", key)
    changes: list[dict[str, Any]] = answer["events"][-1]["changes"]
    return changes


def kinds_of(pieces: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(piece["kind"], piece["before"], piece["after"]) for piece in pieces]


def test_a_number_in_a_parameter_is_the_key_wherever_it_stands(board):
    """Page, search words and the order of the parameters are others at every visit."""
    board.switch(post_links="parameter")
    assert board.run(MONDAY)["status"] == "OK"
    assert (keys(board), len(board.asked("detail"))) == (NUMBERS, len(POSTS))

    for day, has_parameters in ((TUESDAY, True), (WEDNESDAY, False)):
        board.switch(post_link_parameters=has_parameters)
        run = board.run(day)
        assert (run["status"], set(run["counts"].values())) == ("OK", {0})
        assert board.asked("detail") == []

    board.switch(post_links="absolute_path")  # the site's links change their form altogether
    run = board.run(THURSDAY)
    assert (set(run["counts"].values()), run["missing"], keys(board)) == ({0}, 0, NUMBERS)


def test_a_number_in_a_script_is_the_key_and_what_cannot_be_read_is_told(board):
    board.switch(post_links="script")
    assert board.run(MONDAY)["status"] == "OK"
    assert keys(board) == NUMBERS
    assert "상세 페이지 링크가 하나도 없습니다" in board.warnings()

    board.site.notices = put(replace(POSTS[3], title="고친 제목"))
    assert board.run(TUESDAY)["counts"]["MODIFIED"] == 1


def test_a_post_without_a_number_has_a_composite_key_a_warning_and_a_history(board):
    board.switch(unnumbered_posts=frozenset({WITHOUT.post_id}))
    first = board.run(MONDAY)
    told = "글번호이(가) 없는 행 1건"
    assert first["status"] == "OK", first["error"]
    assert any(gate["outcome"] == "warn" and told in gate["message"] for gate in first["gates"])
    assert set(keys(board)) == {*NUMBERS, COMPOSITE} - {WITHOUT.post_id}

    board.site.notices = put(replace(WITHOUT, blocks=("시행일이 2027-01-01 로 바뀌었습니다.",)))
    second = board.run(TUESDAY, "--full")

    assert (second["counts"]["MODIFIED"], second["counts"]["NEW"], second["missing"]) == (1, 0, 0)
    assert any(told in gate["message"] for gate in second["gates"])
    assert [change["field"] for change in changes_of(board, COMPOSITE)] == ["body"]


def test_a_text_is_compared_whole_and_told_in_pieces(board):
    before = replace(POSTS[2], blocks=LINES)
    board.site.notices = put(before)
    board.run(MONDAY)
    edited = tuple(line.replace("5번째", "5번째 고친") for line in LINES)
    edited = (*edited[:6], edited[6].replace("등록", "취하"), edited[7])
    board.site.notices = put(replace(before, blocks=edited))

    assert board.run(TUESDAY, "--full")["counts"]["MODIFIED"] == 1

    (change,) = changes_of(board, before.post_id)
    assert (change["field"], change["kind"], change["grade"]) == ("body", "text", "substantive")
    assert change["before"] == "\n".join(LINES)
    assert kinds_of(change["pieces"]) == [("added", "", "고친 "), ("replaced", "등록에", "취하에")]

    board.site.notices = put(before)
    board.run(WEDNESDAY, "--full")
    (back,) = changes_of(board, before.post_id)
    assert back["changed_back"] == {"on": TUESDAY, "days_ago": 1}


def test_another_file_of_the_same_name_is_a_change_that_names_it(board):
    post = next(each for each in POSTS if each.attachments)
    board.run(MONDAY)
    file, *others = post.attachments
    corrected = Attachment("DOC-999", file.name, b"%PDF corrected")
    changed = replace(post, attachments=(corrected, *others))
    board.site.notices = put(changed)

    assert board.run(TUESDAY, "--full")["counts"]["MODIFIED"] == 1

    (change,) = changes_of(board, post.post_id)
    assert (change["field"], change["kind"], change["grade"]) == (
        "files",
        "attachments",
        "substantive",
    )
    assert kinds_of(change["pieces"]) == [("replaced", file.value, changed.files[0])]
    assert file.name in file.value


def test_posts_whose_links_cannot_be_followed_are_counted(board):
    board.home.edit("config/boards.yaml", "scope: [/bbs/21/*]", "scope: [/bbs/21/view]")
    board.switch(unnumbered_posts=frozenset({WITHOUT.post_id}))

    assert board.run(MONDAY)["status"] == "OK"

    assert len(board.asked("detail")) == 1
    assert "목록의 6건에 따라갈 수 있는 상세 페이지 링크가 없어" in board.warnings()
