"""Detail pages: the text of one region and the links to files, or the reason why not."""

import json

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.detail import read_detail
from dmf_crawler.model.detail import DetailPage, FileLink
from dmf_crawler.model.run import Fault
from scripts.fuzzing.readers import Case
from tests.extract.notices import (
    NOTICE_PAGES,
    html_detail,
    notice_mapping,
    notice_selectors,
    raw_detail,
)
from tests.extract.pages import some_selectors

SELECTORS = notice_selectors()


def _read(html: str | bytes, **changes: object) -> DetailPage:
    details = notice_mapping()["details"] | changes
    detail = read_detail(
        raw_detail(html), notice_selectors(details=details) if changes else SELECTORS
    )
    assert isinstance(detail, DetailPage), detail
    return detail


def _refuse(html: str | bytes) -> Fault:
    fault = read_detail(raw_detail(html), SELECTORS)
    assert isinstance(fault, Fault), fault
    assert fault.message.endswith("주십시오.")
    fault.message.encode("cp949")
    assert len(fault.message) < 700
    return fault


def test_the_golden_detail_page_reads_as_expected():
    detail = _read((NOTICE_PAGES / "detail.html").read_bytes())
    values = {
        "body": detail.body.split("\n"),
        "files": [[link.href, link.label, link.is_followed] for link in detail.files],
        "follows_links": detail.follows_links,
    }
    expected = json.loads((NOTICE_PAGES / "detail.expected.json").read_text(encoding="utf-8"))
    assert values == expected


def test_every_golden_page_of_notices_has_an_expectation():
    names = {path.name for path in NOTICE_PAGES.iterdir()}
    assert names == {"list.html", "list.expected.json", "detail.html", "detail.expected.json"}


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("안내", "안내"),
        (" \n 안내 \t 드립니다&nbsp; ", "안내 드립니다"),
        ("<p>하나</p><p>둘</p>", "하나\n둘"),
        ("하나<br>둘<br/><br>셋", "하나\n둘\n셋"),
        ("<div>하나<div>둘</div>셋</div>넷", "하나\n둘\n셋\n넷"),
        ("<b>의</b>약<i>품</i> <a href='/x'>안전</a>", "의약품 안전"),
        ("<p>한\n문\r\n단</p>", "한 문 단"),
        ("<pre>하나\n  둘\r\n셋</pre>\n넷\n다섯", "하나\n둘\n셋\n넷 다섯"),
        ("<pre>하나<b>둘\n셋</b></pre>", "하나둘\n셋"),
        ("<table><tr><th>가</th><td>나</td></tr><tr><td>다</td><td></td></tr></table>",
         "가 나\n다"),
        ("<table><tr><td>가<table><tr><td>나</td></tr></table></td><td>다</td></tr></table>",
         "가\n나\n다"),
        ("<ul><li>하나<li>둘</ul><dl><dt>셋<dd>넷</dl>", "하나\n둘\n셋\n넷"),
        ("<h1>하나</h1><h6>둘</h6><section>셋</section><article>넷</article>", "하나\n둘\n셋\n넷"),
        ("앞<blockquote>인용</blockquote>뒤<ol><li>하나</ol>", "앞\n인용\n뒤\n하나"),
        ("하나<!-- 숨은 글 -->둘<script>var x;</script>셋<style>p{}</style>넷", "하나둘셋넷"),
        ("<template>틀</template>글<script>", "글"),
        ("<p style='display:none'>보이지 않는 글</p>", "보이지 않는 글"),
        ("㈜대웅 Ⅲ 10² &amp; &lt;b&gt; &#x1F48A;", "㈜대웅 Ⅲ 10² & <b> 💊"),
        ("<p>하나<p>둘", "하나\n둘"),
        ("<span>열린", "열린"),
    ],
)  # fmt: skip
def test_the_text_is_read_line_by_line(html, body):
    assert _read(html_detail(html)).body == body


def test_what_stands_beside_the_region_is_no_text_of_it():
    html = html_detail("안내").replace("<nav>", "<nav>머리").replace("안내</div>", "안내</div>꼬리")
    assert _read(html).body == "안내"


@pytest.mark.parametrize(
    ("drop", "body"),
    [
        ([], "글\n조회 7\n하나\n둘\n끝"),
        (["p.views"], "글\n하나\n둘\n끝"),
        (["p.views", "b"], "글\n하나\n둘"),
        (["pre"], "글\n조회 7\n끝 셋"),
        (["div.view_cont > *"], "글\n셋"),
        (["h2", "p.views i"], "글\n조회\n하나\n둘\n끝"),
    ],
)
def test_what_is_to_be_dropped_is_no_text(drop, body):
    html = html_detail("글<p class=views>조회 <i>7</i></p><pre>하나\n둘</pre><b>끝</b>")
    if "셋" in body:
        html = html.replace("끝</b>", "끝</b>\n셋")
    assert _read(html, drop=drop).body == body


def test_a_page_in_cp949_is_read_as_a_list_page_is():
    html = html_detail("의약품").replace("utf-8", "euc-kr")
    assert _read(html.encode("cp949")).body == "의약품"


# --- files ---------------------------------------------------------------------------------------


def test_files_are_links_in_page_order_with_their_texts():
    files = (
        '<a href="/cmn/edms/down/b">나 <b>최종</b>.pdf</a> '
        '<a href="/cmn/edms/down/a">\n가.hwpx\n</a>'
        '<a>이름만</a><a href="">빈 주소</a><a rel="nofollow" href="/cmn/edms/down/c">다</a>'
    )
    assert _read(html_detail("글", files)).files == (
        FileLink("/cmn/edms/down/b", "나 최종.pdf"),
        FileLink("/cmn/edms/down/a", "가.hwpx"),
        FileLink("/cmn/edms/down/c", "다", is_followed=False),
    )


def test_an_address_that_stands_twice_is_one_file_with_the_first_text():
    files = (
        '<a href="/x"><img src="i"></a><a href="/y">나</a><a href="/x">가</a><a href="/x">받기</a>'
    )
    assert _read(html_detail("글", files)).files == (FileLink("/x", "가"), FileLink("/y", "나"))


def test_links_outside_the_file_list_are_no_files():
    assert _read(html_detail('<a href="/cmn/edms/down/x">파일</a>')).files == ()


def test_a_board_without_files_reads_none():
    assert _read(html_detail("글", '<a href="/x">가</a>'), files="").files == ()


def test_a_page_may_ask_not_to_follow_its_links():
    html = html_detail("글", head='<meta name="robots" content="noindex, nofollow">')
    assert not _read(html).follows_links
    assert _read(html_detail("글")).follows_links
    named = raw_detail(html.replace('"robots"', '"Watcher"'))
    detail = read_detail(named, SELECTORS, product_token="watcher")
    assert isinstance(detail, DetailPage)
    assert not detail.follows_links


# --- pages that cannot be read -------------------------------------------------------------------

GONE = html_detail("글").replace("view_cont", "view_body")


@pytest.mark.parametrize(
    ("html", "code", "exit_code", "is_retryable"),
    [
        (GONE, "no_detail_region", 6, False),
        (html_detail('<div class="view_cont">글</div>'), "several_detail_regions", 6, False),
        (html_detail(""), "empty_detail", 6, False),
        (html_detail("&nbsp;<p> </p><script>x</script>"), "empty_detail", 6, False),
        (html_detail("가" * 1_000_001), "detail_too_long", 6, False),
        (html_detail("글", "".join(f'<a href="/{n}">x</a>' for n in range(101))), "too_many_files",
         6, False),
        (GONE.replace("style=", "data-x="), "error_page", 6, True),
        (GONE.replace("글", "<form><input type=password></form>"), "login_page", 6, True),
        (GONE.replace("글", "시스템 점검 중입니다"), "maintenance_page", 6, True),
        ("<html><body><div id=app></div><script>go()</script></body></html>", "script_only_page",
         4, False),
        ("", "empty_page", 6, True),
        (html_detail("글")[:-9], "truncated_page", 6, True),
        (html_detail("글" + "<div>" * 400), "unparsable_page", 4, False),
        (html_detail("글" + "<br>" * 30_000), "page_too_complex", 4, False),
        (html_detail("글" + "<" * 90_000), "page_too_complex", 4, False),
        (html_detail("&#xD800;"), "mojibake", 4, False),
        (b"\xff</html>", "mojibake", 4, False),
    ],
)  # fmt: skip
def test_a_page_that_is_no_post_is_refused_with_its_reason(html, code, exit_code, is_retryable):
    fault = _refuse(html)
    assert (fault.code, fault.exit_code, fault.is_retryable) == (code, exit_code, is_retryable)


def test_a_fault_speaks_of_a_post_and_not_of_the_list():
    for html in (GONE, GONE.replace("style=", "data-x="), html_detail("")):
        assert "게시글" in _refuse(html).message
        assert "목록" not in _refuse(html).message.replace("'목록", "")


def test_the_limits_themselves_are_allowed():
    files = "".join(f'<a href="/{n}">x</a>' for n in range(100))
    detail = _read(html_detail("가" * 1_000_000, files))
    assert (len(detail.body), len(detail.files)) == (1_000_000, 100)


def test_a_notice_about_maintenance_or_an_error_is_a_notice():
    body = "시스템 점검 안내<p>오류가 발생하였습니다</p><input type=password>"
    assert _read(html_detail(body)).body == "시스템 점검 안내\n오류가 발생하였습니다"


def test_selectors_without_details_are_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="dmf_registry"):
        read_detail(raw_detail(html_detail("글")), some_selectors())


# --- anything at all -----------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_any_bytes_are_a_fault_and_never_an_exception(body):
    assert isinstance(read_detail(raw_detail(body), SELECTORS), Fault)


_markup = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<br>", "<td>", "</div>", "<div class=view_cont>", "<table>", "<tr>", "<a ",
         "<pre>", "</pre>", "<script>", "<!--", "-->", "<b", ">", "\n", "글", " ", "&lt;", "&#0;",
         "<div class=file_list><a href=x>", "<meta name=robots content=none>", "</body>"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def test_a_post_that_is_a_picture_or_a_file_alone_has_an_empty_text():
    picture = read_detail(raw_detail(html_detail("<p><img src=notice.png></p>")), SELECTORS)
    file = "</div><div class=file_list><a href=x>a.pdf</a>"
    attached = read_detail(raw_detail(html_detail(file)), SELECTORS)

    assert isinstance(picture, DetailPage)
    assert isinstance(attached, DetailPage)
    assert (picture.body, attached.body, len(attached.files)) == ("", "", 1)


@settings(deadline=None)
@given(_markup)
def test_any_markup_is_a_page_or_a_fault(markup):
    detail = read_detail(raw_detail(html_detail(markup)), SELECTORS)
    if isinstance(detail, DetailPage):
        assert detail.body == detail.body.strip()
        lines = detail.body.split("\n") if detail.body else []
        assert all(line == " ".join(line.split()) != "" for line in lines)


_words = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S"), exclude_characters="\ufffd"),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["p", "div", "li", "h2", "b", "i"]), _words), max_size=8))
def test_beautifulsoup_finds_the_same_characters(parts):
    soup = BeautifulSoup("", "html.parser")
    for tag, word in parts:
        element = soup.new_tag(tag)
        element.string = word
        soup.append(element)
    detail = read_detail(raw_detail(html_detail(str(soup))), SELECTORS)
    words = "".join(word for _, word in parts)
    if not words:
        assert isinstance(detail, Fault)
        return
    assert isinstance(detail, DetailPage)
    assert "".join(detail.body.split()) == words
    blocks = [tag for tag, _ in parts if tag not in {"b", "i"}]
    assert len(detail.body.split("\n")) >= len(blocks)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("<div>글" * 200 + "</div>" * 200, "글\n" * 200, id="deep"),
        pytest.param("<p>글" * 25_000, "글\n" * 25_000, id="many blocks"),
        pytest.param("글 " * 400_000, "글 " * 400_000, id="one long line"),
        pytest.param(
            "<b hidden>" * 100 + "<i hidden>글</i>" * 15_000, "글" * 15_000, id="hidden in hidden"
        ),
        pytest.param("<pre>" * 200 + "글\n" * 100_000, "글\n" * 100_000, id="pre in pre"),
        pytest.param("글" + "<!--" * 60_000, "글", id="comments without end"),
    ],
)
def test_a_hostile_text_takes_linear_time(body, text, worker):
    """Anything quadratic here would take minutes."""
    page = html_detail(body)
    other = page.replace("view_cont", "view_body")

    outcomes = [worker.run(Case("detail", each.encode(), "")) for each in (page, other)]

    assert [each.kind for each in outcomes] == ["table", "no_detail_region"], outcomes
    assert _read(page).body == text.strip()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<p>글" * 100_000, id="blocks"),
        pytest.param("<b hidden>" * 200 + "<i hidden>글</i>" * 20_000, id="hidden in hidden"),
        pytest.param("<!--" * 200_000, id="comments without end"),
    ],
)
def test_a_text_of_too_many_parts_is_refused_at_once(body, worker):
    outcome = worker.run(Case("detail", html_detail(body).encode(), ""))

    assert outcome.kind == "page_too_complex", outcome.detail


# --- fields of a detail page -------------------------------------------------------------------


def _read_fields(html: str, **fields: object) -> object:
    details = notice_mapping()["details"] | {"fields": fields}
    page = read_detail(raw_detail(html_detail(html)), notice_selectors(details=details))
    return page.fields if isinstance(page, DetailPage) else page


@pytest.mark.parametrize(
    "html",
    [
        "<dl><dt>담당자</dt><dd> 홍길동 </dd></dl>",
        "<dl><div><dt>담당자 :</dt><dd>홍길동</dd></div></dl>",
        "<table><tr><th>담 당 자</th><td>홍길동</td></tr></table>",
        "<p><label>담당자</label><span>홍길동</span></p>",
    ],
)
def test_a_label_on_a_detail_page_names_what_stands_behind_it(html):
    field = {"strategy": "label", "labels": ["작성자", "담당자"]}
    assert _read_fields(html, author=field) == {"author": "홍길동"}


@pytest.mark.parametrize(
    "field",
    [
        {"strategy": "css", "selector": "dd"},
        {"strategy": "xpath", "selector": ".//dd[@class='who']"},
        {"strategy": "attr", "selector": "dd", "attr": "title"},
        {"strategy": "between", "left": '<dd class="who" title="홍길동">', "right": "</dd>"},
        {"strategy": "json_ld", "path": "author.name"},
        {
            "strategy": "label",
            "labels": ["없음"],
            "fallbacks": [{"strategy": "css", "selector": "dd"}],
        },
    ],
)
def test_every_strategy_serves_on_a_detail_page(field):
    html = (
        '<script type="application/ld+json">{"author": {"name": "홍길동"}}</script>'
        '<dl><dt>이름</dt><dd class="who" title="홍길동">홍길동</dd></dl>'
    )
    assert _read_fields(html, author=field) == {"author": "홍길동"}


@pytest.mark.parametrize(
    "html", ["본문", "<dl><dt>담당자</dt><dd>가</dd><dt>담당자</dt><dd>나</dd></dl>"]
)
def test_what_is_not_in_exactly_one_place_is_empty_or_refused(html):
    field = {"strategy": "label", "labels": ["담당자", "작성자"]}
    several = field | {"nested": "list"}
    assert _read_fields(html, author=field, authors=several) == {"author": "", "authors": ()}
    fault = _read_fields(html, author=field | {"validate": {"required": True}})
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code, "author" in fault.message) == ("no_detail_field", 6, True)


def test_a_table_on_a_detail_page_may_be_a_list_of_values():
    html = "<dl><dt>담당자</dt><dd><ul><li>가</li><li>나</li></ul></dd></dl>"
    field = {"strategy": "label", "labels": ["담당자", "작성자"], "nested": "list"}
    assert _read_fields(html, authors=field) == {"authors": ("가", "나")}


def _read_delivered(html: str, field: object) -> list[tuple[str, int, str]]:
    details = notice_mapping()["details"] | {"fields": {"author": field}}
    page = read_detail(raw_detail(html_detail(html)), notice_selectors(details=details))
    assert isinstance(page, DetailPage), page
    return [(used.field, used.position, used.selector) for used in page.delivered]


@pytest.mark.parametrize(
    ("html", "delivered"),
    [
        ("<dl><dt>담당자</dt><dd>가</dd></dl>", [("author", 0, "label 담당자")]),
        ("<dl><dt>담당자</dt><dd></dd></dl>", [("author", 0, "label 담당자")]),
        ("<dl><dt>이름</dt><dd>가</dd></dl>", [("author", 1, "css dd")]),
        ("<p title='가'>본문</p>", [("author", 2, "attr p")]),
        ("<p>본문</p>", []),
    ],
)
def test_a_page_says_which_selector_found_each_field(html, delivered):
    field = {
        "strategy": "label",
        "labels": ["담당자"],
        "fallbacks": [
            {"strategy": "css", "selector": "dd"},
            {"strategy": "attr", "selector": "p", "attr": "title"},
        ],
    }
    assert _read_delivered(html, field) == delivered


def test_an_attribute_that_is_not_there_leaves_the_field_to_the_fallback():
    field = {
        "strategy": "attr",
        "selector": "dd",
        "attr": "data-name",
        "fallbacks": [{"strategy": "css", "selector": "dd"}],
    }
    html = "<dl><dt>담당자</dt><dd>홍길동</dd></dl>"
    assert _read_fields(html, author=field) == {"author": "홍길동"}
    assert _read_delivered(html, field) == [("author", 1, "css dd")]
