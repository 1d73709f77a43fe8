"""Pages of a notice board: links of rows, numbers inside them, pinned rows."""

import json

import pytest

from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from tests.extract.notices import (
    NOTICE_PAGES,
    Post,
    html_list,
    list_of,
    notice_mapping,
    notice_selectors,
)
from tests.extract.pages import fallbacks_used, list_page, raw_page, some_fields, some_selectors

SELECTORS = notice_selectors()
POSTS = [Post(303), Post(302), Post(301)]
PINNED = [Post(120, "공지 하나", is_pinned=True), Post(90, "공지 둘", is_pinned=True)]


def _read(page: RawPage, **changes: object) -> PageTable:
    table = read_page(page, notice_selectors(**changes) if changes else SELECTORS)
    assert isinstance(table, PageTable), table
    return table


def _refuse(page: RawPage, **changes: object) -> Fault:
    fault = read_page(page, notice_selectors(**changes) if changes else SELECTORS)
    assert isinstance(fault, Fault), fault
    return fault


def _ids(table: PageTable) -> tuple[list[Value], list[Value]]:
    normal, pinned = (
        [row.fields["post_id"] for row in rows] for rows in (table.rows, table.pinned)
    )
    return normal, pinned


def _with_link(link: str) -> RawPage:
    return list_of([POSTS[0], Post(302, link=link), POSTS[2]])


# --- the golden page -----------------------------------------------------------------------------


def test_the_golden_list_page_reads_as_expected():
    page = raw_page((NOTICE_PAGES / "list.html").read_bytes(), content_type="text/html")
    table = _read(page)
    parts = {"rows": table.rows, "pinned": table.pinned}
    values = {
        "announced_total": table.announced_total,
        "fallbacks_used": fallbacks_used(table),
        "follows_links": table.follows_links,
        **{
            name: [
                {"row_no": row.row_no, "fields": row.fields, "shown": row.shown, "link": row.link}
                for row in rows
            ]
            for name, rows in parts.items()
        },
    }
    expected = json.loads((NOTICE_PAGES / "list.expected.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(values)) == expected


# --- pinned rows ---------------------------------------------------------------------------------


def test_pinned_rows_are_kept_apart_and_do_not_count_as_rows_of_the_page():
    table = _read(list_of([*PINNED, *POSTS]))
    assert _ids(table) == (["303", "302", "301"], ["120", "90"])
    assert [row.row_no for row in (*table.pinned, *table.rows)] == [1, 2, 3, 4, 5]
    assert table.announced_total == 3


def test_a_pinned_row_is_read_like_any_other():
    (pinned, _) = _read(list_of([*PINNED, *POSTS])).pinned
    assert dict(pinned.fields) == {
        "post_id": "120",
        "title": "공지 하나",
        "department": "의약품관리과",
        "posted_on": "2026-11-30",
    }
    assert dict(pinned.shown) == {}
    assert pinned.link == "/bbs/21/120?page=1&limit=10&searchYn="


def test_a_pinned_post_may_stand_in_the_normal_order_too():
    table = _read(list_of([Post(302, is_pinned=True), *POSTS]))
    assert _ids(table) == (["303", "302", "301"], ["302"])
    assert table.pinned[0].fields == table.rows[1].fields


@pytest.mark.parametrize(
    ("css", "n_pinned"),
    [
        ("tr.notice", 2),
        ('td:contains("공지")', 2),
        ("tr.notice > td a", 2),
        ("table.tb_list tr.notice", 2),
        ("tr", 5),
    ],
)
def test_what_pins_a_row_is_the_row_itself_or_something_in_it(css, n_pinned):
    row = notice_mapping()["row"] | {"pinned": css}
    table = _read(list_of([*PINNED, *POSTS]), row=row)
    assert (len(table.pinned), len(table.rows)) == (n_pinned, 5 - n_pinned)


@pytest.mark.parametrize("css", ["tr.pinned", "", "table, body, th"])
def test_a_row_outside_the_count_that_nothing_pins_is_refused(css):
    row = notice_mapping()["row"] | {"pinned": css}
    fault = _refuse(list_of([*PINNED, *POSTS]), row=row)
    assert (fault.code, fault.exit_code) == ("unnumbered_row", 4)
    assert "1번째 행" in fault.message
    assert "'공지'" in fault.message


def test_what_stands_in_place_of_all_numbers_is_no_matter():
    row = notice_mapping()["row"] | {"pinned": ""}
    assert len(_read(list_of(PINNED), row=row).rows) == len(PINNED)


def test_an_empty_list_may_still_have_pinned_rows_on_top():
    table = _read(list_of(PINNED, total=0, empty="조회 결과가 없습니다"))
    assert _ids(table) == ([], ["120", "90"])
    assert table.announced_total == 0


def test_pinned_rows_alone_are_no_empty_result():
    assert _ids(_read(list_of(PINNED))) == ([], ["120", "90"])


def test_an_empty_result_has_no_row_of_which_an_attribute_could_be_missing():
    table = _read(list_of([], empty="조회 결과가 없습니다."))
    assert (table.rows, table.pinned, table.announced_total) == ((), (), 0)


def test_a_broken_pinned_row_refuses_the_page_as_any_other_row():
    html = html_list([*PINNED, *POSTS]).replace("<td>공지</td>", "", 1)
    fault = _refuse(raw_page(html))
    assert fault.code == "ragged_row"
    assert "1번째 행" in fault.message


def test_a_pinned_row_without_cells_is_nothing():
    html = html_list([*PINNED, *POSTS])
    spaced = html.replace("<tbody>", '<tbody><tr class="notice"></tr>')
    assert _read(raw_page(spaced)).pinned == _read(raw_page(html)).pinned


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "post_id"),
    [
        ("/bbs/21/302", "302"),
        ("/bbs/21/302?page=1&amp;limit=10&amp;searchYn=", "302"),
        ("/bbs/21/302;jsessionid=0A1B2C?page=1", "302"),
        ("21/302?page=3", "302"),
        ("./21/302#top", "302"),
        ("302", "302"),
        ("http://127.0.0.1:8000/bbs/21/302?back=/bbs/21/7", "302"),
        (" /bbs/21/302 \n", "302"),
        ("/bbs/21/0302", "0302"),
        ("/bbs/21/view?seq=302", "302"),
        ("/bbs/21/view?page=3&amp;nttId=302&amp;limit=10", "302"),
        ("view?post=302#top", "302"),
        ("/bbs/21/302?seq=7", "302"),
        ("/bbs/21/view?seq=302&amp;nttId=7", ""),
        ("/bbs/21/view?nttId=7&amp;page=1&amp;seq=302", ""),
        ("/bbs/21/view?page=302", ""),
        ("/bbs/21/view?subseq=302", ""),
        ("/bbs/21/view?seq=302a", ""),
        ("/bbs/21/302/", ""),
        ("/bbs/21/302a", ""),
        ("/bbs/21/３０２", ""),
        ("/bbs/21/1234567890123", ""),
        ("javascript:view(302)", "302"),
        ("javascript: fnView( '302' );", "302"),
        ("javascript:fnView('21','302')", ""),
        ("javascript:void(0)", ""),
        ("#", ""),
        ("", ""),
        ("/" * 1_000 + "302", "302"),
        ("/" * 1_022 + "302", ""),
    ],
)
def test_the_number_of_a_post_stands_in_its_link(href, post_id):
    row = _read(_with_link(f'<a href="{href}">제목</a>')).rows[1]
    assert row.fields["post_id"] == post_id
    assert dict(row.shown) == {}
    assert row.link == href.replace("&amp;", "&")


@pytest.mark.parametrize("pattern", ["([0-9]+)", "/bbs/(x)?", "nothing(.)"])
def test_a_pattern_that_finds_not_one_thing_finds_nothing(pattern):
    """In no row: then the page is no list of posts any more."""
    mapping = notice_mapping()
    mapping["fields"]["post_id"]["extract"] = pattern
    fault = _refuse(_with_link('<a href="/bbs/21/302">제목</a>'), **mapping)
    assert (fault.code, fault.exit_code) == ("no_numbers", 4)
    assert "'글번호'" in fault.message


def test_a_pattern_that_finds_one_thing_finds_the_number():
    mapping = notice_mapping()
    mapping["fields"]["post_id"]["extract"] = "bbs/([0-9]+)/"
    page = _with_link('<a href="/bbs/21/302">제목</a>')
    assert _read(page, **mapping).rows[1].fields["post_id"] == "21"


@pytest.mark.parametrize("other", ["/cmn/edms/down/x", "javascript:view()", "/bbs/21/302?page=2"])
def test_other_links_of_a_row_do_not_hide_its_number(other):
    page = _with_link(f'<a href="{other}">보기</a><a href="/bbs/21/302">제목</a>')
    assert _read(page).rows[1].fields["post_id"] == "302"


def test_links_to_two_posts_are_no_number():
    page = _with_link('<a href="/bbs/21/302">제목</a><a href="/bbs/21/303">관련</a>')
    assert _refuse(page).code == "missing_column"


def test_the_first_link_of_a_row_leads_to_its_detail_page():
    mapping = notice_mapping()
    mapping["fields"]["post_id"]["selector"] = "td a.title"
    link = (
        '<a class="title" href="/bbs/21/{post_id}">{title}</a><a href="/cmn/edms/down/x">파일</a>'
    )
    table = _read(list_of([Post(2, link=link), Post(1, link=link)]), **mapping)
    assert [row.link for row in table.rows] == ["/bbs/21/2", "/bbs/21/1"]


@pytest.mark.parametrize("rel", ["nofollow", "NoFollow", "ugc  nofollow noopener"])
def test_a_link_that_is_not_to_be_followed_is_none_but_still_has_the_number(rel):
    row = _read(_with_link(f'<a rel="{rel}" href="/bbs/21/302">제목</a>')).rows[1]
    assert (row.link, row.fields["post_id"]) == ("", "302")


@pytest.mark.parametrize("rel", ["", "nofollowing", "noopener"])
def test_other_words_beside_a_link_do_not_forbid_it(rel):
    row = _read(_with_link(f'<a rel="{rel}" href="/bbs/21/302">제목</a>')).rows[1]
    assert row.link == "/bbs/21/302"


def test_a_row_has_no_link_where_the_selector_finds_none():
    details = notice_mapping()["details"] | {"link": "a.detail"}
    assert {row.link for row in _read(list_of(POSTS), details=details).rows} == {""}


def test_a_row_whose_link_is_gone_is_a_missing_column():
    fault = _refuse(_with_link("{title}"))
    assert (fault.code, fault.exit_code) == ("missing_column", 4)
    assert "글번호" in fault.message


def test_a_board_without_details_has_no_links_and_no_pinned_rows():
    table = read_page(list_page([some_fields()]), some_selectors())
    assert isinstance(table, PageTable)
    assert (table.rows[0].link, table.pinned, table.follows_links) == ("", (), True)


# --- pages that robots are not to follow ---------------------------------------------------------


@pytest.mark.parametrize(
    ("meta", "is_allowed"),
    [
        ('<meta name="robots" content="nofollow">', False),
        ('<META NAME="ROBOTS" CONTENT="NOINDEX,NOFOLLOW">', False),
        ('<meta content="none" name=" robots ">', False),
        ('<meta name="robots" content="noindex, none, x">', False),
        ('<meta name="robots" content="noindex nofollow">', False),
        ('<meta name="robots" content="index"><meta name="robots" content="nofollow">', False),
        ('<meta name="dmf-crawler" content="nofollow">', False),
        ('<meta name="DMF-Crawler" content="follow"><meta name=robots content=none>', False),
        ('<meta name="robots" content="max-image-preview: none, follow">', True),
        ('<meta name="robots" content="noindex">', True),
        ('<meta name="robots" content="all">', True),
        ('<meta name="robots" content="">', True),
        ('<meta name="robots">', True),
        ('<meta content="nofollow">', True),
        ('<meta name="googlebot" content="nofollow">', True),
        ('<meta name="description" content="none">', True),
        ('<!-- <meta name="robots" content="nofollow"> -->', True),
        ("", True),
    ],
)
def test_a_page_says_whether_its_links_may_be_followed(meta, is_allowed):
    table = _read(list_of(POSTS, head=meta))
    assert table.follows_links is is_allowed
    assert table.rows[0].link


def test_a_page_may_name_us_by_another_name():
    page = list_of(POSTS, head='<meta name="watcher" content="nofollow">')
    for token, is_allowed in (("Watcher", False), ("DMF-Crawler", True)):
        table = read_page(page, SELECTORS, product_token=token)
        assert isinstance(table, PageTable)
        assert table.follows_links is is_allowed
