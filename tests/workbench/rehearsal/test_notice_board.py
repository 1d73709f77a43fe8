"""The notice board as an HTTP client sees it; README item 12."""

from __future__ import annotations

import hashlib
import http.client
import re
from dataclasses import replace
from typing import get_args
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

import pytest

from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import (
    PageTrouble,
    Switches,
    TroublePlace,
    Validators,
)
from tests.workbench.rehearsal.browser import (
    AGENT,
    RESETS,
    get,
    read_cells,
    read_headers,
    select,
)

BOARD = "/bbs/21"
FILES = "/cmn/edms/down"
POSTS = NoticeLife(n_posts=23, seed=1).rows
WITH_FILE = next(post for post in POSTS if post.attachments)
FILE = WITH_FILE.attachments[0]


@pytest.fixture
def site():
    with RehearsalSite([], notices=POSTS) as site:
        yield site


def switch(site, **changes):
    site.switches = replace(Switches(), **changes)


def read_posts(text):
    """Return the rows of a list page by css class, each cell's value without its label."""
    rows = select(text, "//table[@class='tb_list']/tbody/tr[count(td) > 1]")
    cells = read_cells(text)
    return [(row.get("class") or "", values) for row, values in zip(rows, cells, strict=True)]


def read_links(text, xpath="//table//a"):
    return [str(link.get("href")) for link in select(text, xpath)]


def get_post(site, post, **how):
    return get(site, f"{BOARD}/{post.post_id}", **how)


def get_file(site, file=FILE, **how):
    return get(site, f"{FILES}/{file.document_id}", **how)


def read_total(text):
    (title,) = select(text, "//p[strong]/@title")
    return title


# --- the list ------------------------------------------------------------------------------------


def test_the_list_shows_posts_newest_first_with_labels_and_a_number_that_counts_down(site):
    text = get(site, BOARD, {"page": 2, "limit": 10}).text
    assert read_headers(text) == ["번호", "제목", "담당부서", "등록일", "조회수"]
    assert read_total(text) == "총 23 건"
    shown = [row for css_class, row in read_posts(text) if not css_class]
    assert [row[0] for row in shown] == [str(number) for number in range(13, 3, -1)]
    expected = [[post.title, post.department, post.posted_on] for post in POSTS[10:20]]
    assert [row[1:4] for row in shown] == expected
    labels = select(text, "//tbody/tr[last()]/td/span[@class='s-th']/text()")
    assert labels == ["제목", "담당부서", "등록일", "조회수"]


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_pinned_posts_stand_on_top_of_every_page(site, page):
    rows = read_posts(get(site, BOARD, {"page": page, "limit": 10}).text)
    pinned = [post.title for post in POSTS if post.is_pinned]
    assert len(pinned) == 2
    assert [(css_class, row[0], row[1]) for css_class, row in rows[:2]] == [
        ("notice", "공지", title) for title in pinned
    ]
    assert not any(css_class for css_class, _ in rows[2:])


@pytest.mark.parametrize(
    ("pinned_posts", "n_in_order", "total"),
    [("in_order", 23, 23), ("on_top_counted", 21, 23), ("on_top_uncounted", 21, 21)],
)
def test_pinned_posts_may_stand_in_the_order_too_and_be_counted(
    site, pinned_posts, n_in_order, total
):
    switch(site, pinned_posts=pinned_posts)
    text = get(site, BOARD, {"limit": 50}).text
    assert read_total(text) == f"총 {total} 건"
    in_order = [row for css_class, row in read_posts(text) if not css_class]
    assert len(in_order) == n_in_order
    assert in_order[0][0] == str(n_in_order)


def test_views_grow_at_every_visit(site):
    first, second = (get(site, BOARD).text for _ in range(2))
    views = [[int(str(row[4])) for _, row in read_posts(text)] for text in (first, second)]
    assert views[1] == [n_views + 1 for n_views in views[0]]


def test_a_board_without_posts_and_a_page_behind_the_last_say_so(site):
    assert "조회 결과가 없습니다" not in get(site, BOARD, {"page": 9}).text  # the pinned are there
    site.notices = [post for post in POSTS if not post.is_pinned]
    assert "조회 결과가 없습니다" in get(site, BOARD, {"page": 9}).text
    site.notices = ()
    text = get(site, BOARD).text
    assert "조회 결과가 없습니다" in text
    assert read_total(text) == "총 0 건"


@pytest.mark.parametrize("path", [BOARD, f"{BOARD}/{POSTS[0].post_id}", f"{FILES}/1"])
def test_a_site_without_a_board_answers_with_the_error_page(path):
    with RehearsalSite([]) as site:
        assert site.notices is None
        assert "해당 화면 혹은 기능을 찾을 수 없습니다" in get(site, path).text


@pytest.mark.parametrize("path", [f"{BOARD}/1", f"{BOARD}/x", f"{FILES}/unknown", "/bbs/22"])
def test_what_is_not_there_is_the_error_page(site, path):
    got = get(site, path)
    assert (got.status, "해당 화면 혹은 기능을 찾을 수 없습니다" in got.text) == (200, True)


@pytest.mark.parametrize(("page_size", "status"), [("error_page", 200), ("status_400", 400)])
def test_a_page_size_may_be_refused(site, page_size, status):
    switch(site, page_size=page_size, largest_page_size=10)
    got = get(site, BOARD, {"limit": 11})
    assert (got.status, "<table" in got.text) == (status, False)
    assert get(site, BOARD, {"limit": 10}).status == 200


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("post_links", "pattern"),
    [
        ("absolute_path", r"/bbs/21/\d+\?page=1&limit=10&searchYn="),
        ("relative", r"21/\d+\?page=1&limit=10&searchYn="),
        ("session", r"/bbs/21/\d+;jsessionid=[0-9A-F]{32}\?page=1&limit=10&searchYn="),
        ("full_url", r"HTTP://127.0.0.1:\d+/bbs/21/\d+\?page=1&limit=10&searchYn="),
        ("parameter", r"/bbs/21/view\?(?=.*\bseq=\d+)(?=.*\bpage=1)(?=.*\blimit=10).*"),
    ],
)
def test_links_to_posts_come_in_every_form_and_lead_there(site, post_links, pattern):
    switch(site, post_links=post_links)
    links = read_links(get(site, BOARD).text)
    assert len(links) == 12
    assert all(re.fullmatch(pattern, link) for link in links)
    target = urlsplit(urljoin(f"{site.base_url}{BOARD}?page=1", links[2]))
    shown = get(site, target.path, dict(parse_qsl(target.query))).text
    assert f'<h2 class="view_title">{POSTS[0].title}' in shown


def test_a_parameter_stands_at_another_place_at_every_visit(site):
    switch(site, post_links="parameter")
    first, second = (read_links(get(site, BOARD).text) for _ in range(2))
    assert not set(first) & set(second)


def test_a_script_leads_nowhere_but_says_the_number(site):
    switch(site, post_links="script")
    assert read_links(get(site, BOARD).text)[2] == f"javascript:fnView('{POSTS[0].post_id}')"


def test_a_post_without_a_number_goes_by_a_word(site):
    switch(site, unnumbered_posts=frozenset({POSTS[0].post_id}))
    links = read_links(get(site, BOARD).text)
    query = dict(parse_qsl(urlsplit(links[2]).query))
    assert not any(char.isdigit() for char in query["doc"])
    assert sum("doc=" in link for link in links) == 1
    assert POSTS[0].title in get(site, f"{BOARD}/view", {"doc": query["doc"]}).text
    assert POSTS[0].title not in get(site, f"{BOARD}/view", {"doc": "x"}).text


def test_a_session_is_another_at_every_visit(site):
    switch(site, post_links="session")
    first, second = (read_links(get(site, BOARD).text) for _ in range(2))
    assert not set(first) & set(second)


def test_links_may_come_without_the_lists_parameters(site):
    switch(site, post_link_parameters=False)
    assert read_links(get(site, BOARD).text)[2] == f"{BOARD}/{POSTS[0].post_id}"


def test_a_post_asked_for_without_parameters_may_lead_back_to_the_list(site):
    switch(site, post_without_parameters="redirect")
    got = get_post(site, POSTS[0])
    assert (got.status, got.headers["location"]) == (302, BOARD)
    assert get_post(site, POSTS[0], params={"searchYn": ""}).status == 200


# --- posts and files -----------------------------------------------------------------------------


@pytest.mark.parametrize("post", POSTS[:6], ids=lambda post: post.post_id)
def test_the_text_of_a_post_is_in_its_page_line_by_line(site, post):
    page = get_post(site, post).text
    (title,) = select(page, "//h2[@class='view_title']/text()")
    (region,) = select(page, "//div[@class='view_cont']")
    assert title == post.title
    lines = []
    for block in region.xpath("./p | ./table//tr"):
        texts = [" ".join(str(text).split()) for text in block.itertext()]
        texts = [text for text in texts if text]
        lines += texts if block.tag == "p" else [" ".join(texts)]
    assert "\n".join(lines) == post.body


def test_what_looks_like_markup_is_text(site):
    text = '<b>A & B</b> "C"'
    file = replace(FILE, name=f"{text}.pdf")
    blocks = (text, ((text, "x"), ("y", "z")))
    site.notices = [replace(WITH_FILE, title=text, blocks=blocks, attachments=(file,))]
    assert {row[1] for _, row in read_posts(get(site, BOARD).text)} == {text}
    page = get_post(site, WITH_FILE).text
    assert select(page, "//h2/text()") == [text]
    cells = select(page, "//div[@class='view_cont']/p[1]/text() | //td[1]/text()")
    assert cells == [text, text, "y"]
    assert select(page, "//div[@class='file_list']/a/text()") == [file.name]


def test_a_post_links_to_its_files_and_they_come_as_they_are(site):
    text = get_post(site, WITH_FILE).text
    links = read_links(text, "//div[@class='file_list']/a")
    assert links == [f"{FILES}/{file.document_id}" for file in WITH_FILE.attachments]
    got = get(site, links[0])
    assert got.headers["content-type"] == "application/octet-stream"
    digest = hashlib.sha256(got.body).hexdigest()
    assert WITH_FILE.files[0] == f"{FILE.name} (sha256:{digest[:16]})"


@pytest.mark.parametrize(
    ("file_name", "value"),
    [
        ("raw_utf8", f'attachment; filename="{FILE.name}"'),
        ("encoded", f'attachment; filename="{quote(FILE.name, safe="")}"'),
        ("rfc5987", f"attachment; filename*=UTF-8''{quote(FILE.name, safe='')}"),
        ("none", None),
    ],
)
def test_the_name_of_a_file_comes_in_every_form(site, file_name, value):
    switch(site, file_name=file_name)
    found = get_file(site).headers.get("content-disposition")
    assert (found.encode("latin-1").decode() if found else None) == value


@pytest.mark.parametrize("name", ["../../x.exe", "CON.pdf", "\u202egpj.exe", 'a"b\\c.pdf'])
def test_a_file_may_have_an_evil_name(site, name):
    switch(site, odd_file_name=name, file_name="rfc5987")
    assert quote(name, safe="") in get_file(site).headers["content-disposition"]
    switch(site, odd_file_name=name)
    raw = get_file(site).headers["content-disposition"].encode("latin-1").decode()
    quoted = raw.removeprefix('attachment; filename="').removesuffix('"')
    assert re.sub(r"\\(.)", r"\1", quoted) == name


def test_a_file_may_be_large(site):
    switch(site, file_padding_bytes=100_000)
    assert len(get_file(site).body) == len(FILE.content) + 100_000


def test_a_post_may_stand_twice_its_page_the_same_to_the_byte(site):
    switch(site, doubled_post=True)
    first, second = [urlsplit(link).path for link in read_links(get(site, BOARD).text)[2:4]]
    assert first != second
    assert get(site, first).body == get(site, second).body


# --- what robots should not follow ---------------------------------------------------------------


@pytest.mark.parametrize("place", ["list", "detail"])
def test_a_page_may_ask_robots_not_to_follow_its_links(site, place):
    path = BOARD if place == "list" else f"{BOARD}/{POSTS[0].post_id}"
    other = BOARD if place == "detail" else f"{BOARD}/{POSTS[0].post_id}"
    meta = '<meta name="robots" content="nofollow">'
    assert meta not in get(site, path).text
    switch(site, nofollow=frozenset({f"{place}_meta"}))
    assert (meta in get(site, path).text, meta in get(site, other).text) == (True, False)
    switch(site, nofollow=frozenset({f"{place}_header"}))
    assert get(site, path).headers["x-robots-tag"] == "nofollow"
    assert "x-robots-tag" not in get(site, other).headers


def test_links_may_ask_robots_not_to_be_followed(site):
    count = '//a[@rel="nofollow"]'
    switch(site, nofollow=frozenset({"list_links"}))
    assert len(read_links(get(site, BOARD).text, count)) == 12
    assert read_links(get_post(site, WITH_FILE).text, count) == []
    switch(site, nofollow=frozenset({"file_links"}))
    assert read_links(get(site, BOARD).text, count) == []
    assert len(read_links(get_post(site, WITH_FILE).text, count)) == len(WITH_FILE.attachments)


TRAPS = frozenset({"calendar", "growing_path", "javascript", "other_host", "login"})


def find_traps(text, xpath="//a"):
    texts = select(text, xpath)
    return {str(link.text): str(link.get("href")) for link in texts if link.text in TRAPS}


def test_traps_lie_beside_the_list_in_posts_and_among_files(site):
    assert find_traps(get(site, BOARD).text) == {}
    switch(site, traps=TRAPS)
    assert find_traps(get(site, BOARD).text).keys() == TRAPS
    post = get_post(site, WITH_FILE).text
    among_files = find_traps(post, "//div[@class='file_list']/a")
    assert among_files.keys() == TRAPS - {"calendar"}
    assert among_files["growing_path"].startswith(f"{FILES}/")
    assert among_files["javascript"].startswith("javascript:")
    assert "elsewhere.invalid" in among_files["other_host"]
    assert select(post, "//div[@class='view_cont']//a") == []


def test_a_calendar_has_other_parameters_at_every_visit(site):
    switch(site, traps=frozenset({"calendar"}))
    seen = [find_traps(get(site, BOARD).text)["calendar"]]
    for _ in range(3):
        (link,) = read_links(get(site, seen[-1]).text, "//a")
        seen.append(link)
    assert len(set(seen)) == 4
    assert {urlsplit(link).path for link in seen} == {f"{BOARD}/calendar"}


def test_a_growing_path_grows_on_every_page_that_it_leads_to(site):
    switch(site, traps=frozenset({"growing_path"}))
    path = find_traps(get(site, BOARD).text)["growing_path"]
    for _ in range(3):
        (link,) = read_links(get(site, path).text, "//a")
        longer = urlsplit(urljoin(f"{site.base_url}{path}", link)).path
        assert longer.count("/") == path.count("/") + 1
        path = longer


# --- conditional requests ------------------------------------------------------------------------


def ask_again(site, path, got, *, only=""):
    """Ask with the validators of an answer, or with one of them."""
    names = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
    fields = {
        asked: got.headers[given]
        for given, asked in names.items()
        if given in got.headers and only in ("", given)
    }
    return get(site, path, headers={**AGENT, **fields})


PLACES = [f"{BOARD}/{WITH_FILE.post_id}", f"{FILES}/{FILE.document_id}"]


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize(
    ("validators", "given"),
    [
        ("etag", {"etag"}),
        ("last_modified", {"last-modified"}),
        ("both", {"etag", "last-modified"}),
    ],
)
def test_an_unchanged_page_is_304_and_has_no_body(site, path, validators, given):
    switch(site, validators=validators)
    got = get(site, path)
    assert got.headers.keys() & {"etag", "last-modified"} == given
    again = ask_again(site, path, got)
    assert (again.status, again.body) == (304, b"")
    assert "content-length" not in again.headers
    assert all(again.headers[name] == got.headers[name] for name in given)
    assert get(site, path).status == 200


@pytest.mark.parametrize("validators", ["etag", "last_modified", "both"])
def test_a_changed_post_is_sent_anew_with_other_validators(site, validators):
    switch(site, validators=validators)
    got = get(site, PLACES[0])
    changed = replace(WITH_FILE, blocks=(*WITH_FILE.blocks, "정정"))
    site.notices = [changed if post is WITH_FILE else post for post in POSTS]
    again = ask_again(site, PLACES[0], got)
    assert (again.status, "정정" in again.text) == (200, True)
    assert ask_again(site, PLACES[0], again).status == 304


def test_the_etag_takes_precedence_and_may_be_weak_or_one_of_several(site):
    switch(site, validators="both")
    got = get(site, PLACES[0])
    modified = {"If-Modified-Since": got.headers["last-modified"]}
    tag = got.headers["etag"]
    for asked, status in ((f'"x", W/{tag}', 304), ("*", 304), ('"x"', 200)):
        headers = {**AGENT, **modified, "If-None-Match": asked}
        assert get(site, PLACES[0], headers=headers).status == status


def test_a_churning_site_gives_another_etag_at_each_fetch_and_never_304(site):
    switch(site, validators="churning")
    first = get(site, PLACES[0])
    again = ask_again(site, PLACES[0], first)
    assert again.status == 200
    assert again.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("only", ["etag", "last-modified"])
def test_a_lying_site_says_304_although_the_text_changed(site, only):
    switch(site, validators="lying")
    got = get(site, PLACES[0])
    changed = replace(WITH_FILE, blocks=("정정",))
    site.notices = [changed if post is WITH_FILE else post for post in POSTS]
    assert ask_again(site, PLACES[0], got, only=only).status == 304
    assert "정정" in get(site, PLACES[0]).text


@pytest.mark.parametrize("validators", get_args(Validators))
def test_lists_have_no_validators(site, validators):
    switch(site, validators=validators)
    got = get(site, BOARD)
    assert not got.headers.keys() & {"etag", "last-modified"}
    headers = {**AGENT, "If-None-Match": "*"}
    assert get(site, BOARD, headers=headers).status == 200


def test_a_304_stays_empty_where_bodies_are_compressed(site):
    switch(site, validators="etag", gzip=True)
    got = get(site, PLACES[0], headers={**AGENT, "Accept-Encoding": "gzip"})
    headers = {**AGENT, "Accept-Encoding": "gzip", "If-None-Match": got.headers["etag"]}
    again = get(site, PLACES[0], headers=headers)
    assert (again.status, again.body) == (304, b"")
    assert "content-encoding" not in again.headers


# --- troubles ------------------------------------------------------------------------------------


def place_of(path) -> TroublePlace:
    if path == BOARD:
        return "notice_list"
    return "detail" if path.startswith(BOARD) else "file"


@pytest.mark.parametrize(
    ("place", "path"),
    [("notice_list", BOARD), ("detail", PLACES[0]), ("file", PLACES[1])],
)
def test_trouble_comes_to_its_place_alone(site, place, path):
    switch(site, troubles=(PageTrouble("status_503", place=place, retry_after="7"),))
    paths = [BOARD, *PLACES, "/pbp/CCBAC03/getList"]
    assert {each: get(site, each).status for each in paths} == dict.fromkeys(paths, 200) | {
        path: 503
    }
    assert get(site, path).headers["retry-after"] == "7"


@pytest.mark.parametrize("place", ["detail", "file"])
def test_trouble_of_posts_and_files_is_counted_by_post(site, place):
    number = int(WITH_FILE.post_id)
    path = PLACES[place == "file"]
    switch(site, troubles=(PageTrouble("status_500", frozenset({1}), place=place),))
    assert get(site, path).status == 200
    trouble = PageTrouble("status_500", frozenset({number}), times=2, place=place)
    switch(site, troubles=(trouble,))
    assert [get(site, path).status for _ in range(3)] == [500, 500, 200]


@pytest.mark.parametrize("path", PLACES)
def test_a_redirect_inside_leads_to_the_page(site, path):
    page = get(site, path).body
    switch(site, troubles=(PageTrouble("redirect_inside", place=place_of(path)),))
    got = get(site, path)
    assert (got.status, got.headers["location"]) == (302, f"{path}?moved=1")
    assert get(site, got.headers["location"]).body == page


@pytest.mark.parametrize("path", [BOARD, *PLACES])
def test_a_redirect_elsewhere_leaves_the_site(site, path):
    switch(site, troubles=(PageTrouble("redirect_elsewhere", place=place_of(path)),))
    assert get(site, path).headers["location"] == f"http://elsewhere.invalid{path}"


@pytest.mark.parametrize("kind", ["error_page", "maintenance", "login", "empty_body"])
@pytest.mark.parametrize("place", ["detail", "file"])
def test_a_post_or_file_may_be_another_page(site, kind, place):
    path = PLACES[place == "file"]
    page = get(site, path).body
    switch(site, troubles=(PageTrouble(kind, place=place),))
    got = get(site, path)
    assert (got.status, got.body == page) == (200, False)


def test_a_post_may_be_damaged_or_without_charset_or_in_legacy_encoding(site):
    page = get(site, PLACES[0]).text
    switch(site, troubles=(PageTrouble("mojibake", place="detail"),))
    assert "\ufffd" in get(site, PLACES[0]).text
    switch(site, troubles=(PageTrouble("no_charset", place="detail"),))
    assert get(site, PLACES[0]).text == page.replace('<meta charset="utf-8">', "")
    switch(site, troubles=(PageTrouble("euc_kr", place="detail"),))
    assert WITH_FILE.title in get(site, PLACES[0]).body.decode("cp949")


def test_a_file_may_be_cut_or_reset(site):
    switch(site, troubles=(PageTrouble("truncated_length", place="file"),))
    with pytest.raises(http.client.IncompleteRead):
        get_file(site)
    switch(site, troubles=(PageTrouble("reset", place="file"),))
    with pytest.raises(RESETS):
        get_file(site)


def test_stale_pages_are_those_before_the_last_assignment(site):
    site.notices = [replace(POSTS[0], title="새 제목", blocks=("새 글",)), *POSTS[1:]]
    stale = [PageTrouble("stale", place="notice_list"), PageTrouble("stale", place="detail")]
    switch(site, troubles=tuple(stale))
    for path in (BOARD, f"{BOARD}/{POSTS[0].post_id}"):
        text = get(site, path).text
        assert ("새 제목" in text, POSTS[0].title in text) == (False, True)
    switch(site)
    assert "새 글" in get_post(site, POSTS[0]).text


def test_posts_and_switches_can_be_read_back(site):
    assert site.notices == POSTS
    site.notices = list(POSTS[:2])
    assert site.notices == POSTS[:2]
    site.notices = None
    site.notices = POSTS[:1]
    assert read_total(get(site, BOARD).text) == "총 1 건"
