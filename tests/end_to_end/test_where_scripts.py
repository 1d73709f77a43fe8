"""`where` for values that stand in no cell: in a script of the page, or between delimiters."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from lxml import html as lxml_html

from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from tests.end_to_end.homes import Board, RehearsalHome, new_home
from tests.end_to_end.spoiling import SpoiltSite

POSTS = NoticeLife(n_posts=6).rows
SELECTORS = "selectors/mfds_notice.yaml"
FIELDS = """\
  files_label_ko: 첨부파일
  fields:
    author:
      label_ko: 담당자
      strategy: css
      selector: "#author"
      fallbacks: [{strategy: json_ld, path: author.name}]
    office:
      label_ko: 담당과
      strategy: between
      left: "<li>담당부서 "
      right: "</li>"
      fallbacks: [{strategy: css, selector: "#office"}]
"""
ON_LIST = """\
  views:
    label_ko: 조회
    strategy: json_ld
    path: posts[*].views
    fallbacks: [{strategy: css, selector: "[data-views]"}]
  title:
"""


def add_script(answer: Answer, data: object) -> Answer:
    script = f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'
    return replace(answer, body=answer.body.replace(b"</head>", f"{script}</head>".encode()))


def add_author(answer: Answer) -> Answer:
    return add_script(answer, {"author": {"name": "홍길동"}, "text": "가" * 3_000})


def add_views(answer: Answer) -> Answer:
    n_rows = answer.body.count(b"<tr") - 1
    rows = [{"text": "가" * 900, "views": str(number)} for number in range(n_rows)]
    return add_script(answer, {"posts": rows})


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> RehearsalHome:
    """A notice board that was read once; its authors and views stand in scripts alone."""
    with SpoiltSite(Life(n_rows=20).rows, notices=POSTS) as site:
        board = Board(
            site, new_home(tmp_path_factory.mktemp("home"), site.base_url, with_notices=True)
        )
        board.home.edit(SELECTORS, "  files_label_ko: 첨부파일\n", FIELDS)
        board.home.edit(SELECTORS, "  title:\n", ON_LIST)
        site.spoilt = {f"/bbs/21/{post.post_id}": add_author for post in POSTS}
        site.spoilt = {**site.spoilt, "/bbs/21": add_views}
        run = board.run("2026-12-01")
        assert run["status"] == "OK", run
    return board.home


def check(home: RehearsalHome, post_id: str, field: str) -> dict[str, Any]:
    """Return what is told; the XPath alone leads to the element, on a tree of its own."""
    exit_code, told = home.command("where", post_id, field)
    assert (exit_code, told["is_same"]) == (0, True)
    body = gzip.decompress((home.root / told["page"]).read_bytes()).decode()
    parser = lxml_html.HTMLParser(remove_comments=True)
    tree: Any = lxml_html.document_fromstring(body, parser=parser)
    (element,) = tree.xpath(told["xpath"])
    return {**told, "tag": element.tag, "text": element.text_content()}


def test_a_field_of_a_post_that_a_script_says_is_found_there(home):
    for post in POSTS:
        told = check(home, post.post_id, "담당자")
        assert (told["tag"], told["value"]) == ("script", "홍길동")
        assert '"author": {"name": "홍길동"}' in told["html"]
        assert '"author": {"name": "홍길동"}' in told["text"]


def test_a_field_of_a_post_between_delimiters_is_found_in_the_element_that_has_both(home):
    for post in POSTS:
        told = check(home, post.post_id, "office")
        assert (told["tag"], told["value"]) == ("li", post.department)
        assert told["html"] == f"<li>담당부서 {post.department}</li>"


def test_a_field_of_the_list_that_a_script_says_is_found_there_whatever_its_length(home):
    views = set()
    for post in POSTS:
        told = check(home, post.post_id, "조회")
        assert told["tag"] == "script"
        assert f'"views": "{told["value"]}"' in told["html"]
        views.add(told["value"])
    assert len(views) == len(POSTS)
