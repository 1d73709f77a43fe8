"""Watched pages: which text counts, in which blocks, and when there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.watched_page import restore_reading
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Column, FieldKind
from dmf_crawler.model.watched_page import PageReading
from scripts.fuzzing.readers import Case
from tests.extract.watched import (
    html_terms,
    page_selectors,
    read_page,
    read_terms,
    refuse,
    terms_mapping,
)

# --- blocks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("<p>하나</p><p>둘</p>", ["하나", "둘"]),
        ("하나<br>둘<hr>셋", ["하나", "둘", "셋"]),
        ("<ul><li>하나<li>둘</ul>", ["하나", "둘"]),
        ("<ul><li>하나<ul><li>안</li></ul>밖</li></ul>", ["하나", "안", "밖"]),
        ("<table><tr><th>가</th><td>1</td></tr><tr><td>나<td>2</table>", ["가", "1", "나", "2"]),
        ("<dl><dt>이름<dd>값</dl>", ["이름", "값"]),
        ("<p>한 <b>줄</b>의\n   글</p>", ["한 줄의 글"]),
        ("<p>앞<span>뒤</span></p>끝", ["앞뒤", "끝"]),
        ("<pre>한 줄\n두  줄</pre>", ["한 줄", "두 줄"]),
        ("<textarea>제1조\r\n제2조</textarea>", ["제1조", "제2조"]),
        ("<pre>가<b>나\n다</b>라</pre>", ["가나", "다라"]),
        (
            "<h2>제목</h2>본문<details><summary>더</summary>안</details>",
            ["제목", "본문", "더", "안"],
        ),
        ("<select><option>2025년<option selected>2026년</select>", ["2025년", "2026년"]),
        ("<p>그림 <img src=a.png alt='시행 안내'> 끝</p>", ["그림 시행 안내 끝"]),
        ("&nbsp;\u3000<p> \u00a0 </p>글", ["글"]),
        ("<p>1&lt;2 &amp;amp;</p>", ["1<2 &amp;"]),
    ],
)
def test_text_is_read_in_blocks(content, blocks):
    assert list(read_terms(content).blocks) == blocks


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>var a = '글';</script>",
        "<style>p { color: red }</style>",
        "<noscript>글</noscript>",
        "<template><p>글</p></template>",
        "<svg><text>글</text></svg>",
        "<datalist><option>글</datalist>",
        "<!-- 글 -->",
        "<p hidden>글</p>",
        "<div style='display: none'><p>글</p></div>",
        "<b style='visibility:hidden'>글</b>",
        "<nav class=drop>글</nav>",
    ],
)
def test_what_no_reader_sees_does_not_count(hidden):
    reading = read_terms(f"<p>앞 {hidden}뒤</p>", drop=[".drop"])
    assert "글" not in "".join(reading.blocks)
    assert "".join("".join(reading.blocks).split()) == "앞뒤"


def test_only_the_region_counts():
    reading = read_page(html_terms("<p>약관</p>", around="<p>배너</p>"))
    assert isinstance(reading, PageReading)
    assert reading.blocks == ("약관",)
    assert (reading.selector, reading.position) == ("#content", 0)
    assert reading.url.startswith("http://127.0.0.1")
    assert len(reading.source) == 64


_words = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=6)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["p", "li", "td", "b", "div"]), _words), max_size=6))
def test_no_character_is_lost_and_no_block_is_empty(parts):
    content = "".join(f"<{tag}>{word}</{tag}>" for tag, word in parts)
    reading = read_page(html_terms(f"시작{content}"))
    assert isinstance(reading, PageReading)
    assert "".join("".join(reading.blocks).split()) == "시작" + "".join(w for _, w in parts)
    assert all(block == " ".join(block.split()) != "" for block in reading.blocks)


# --- what has no order ---------------------------------------------------------------------------


def _list(*items: str) -> str:
    return f"<ol>{''.join(f'<li>{item}</li>' for item in items)}</ol>"


def test_children_of_an_unordered_element_are_sorted():
    one = read_terms(_list("나", "가", "다"), unordered=["ol"])
    other = read_terms(_list("다", "나", "가"), unordered=["ol"])
    assert one.blocks == other.blocks == ("가", "나", "다")
    assert read_terms(_list("나", "가")).blocks == ("나", "가")


def test_a_child_stays_whole_when_it_is_sorted():
    reading = read_terms(_list("나<p>1</p>", "가<p>2</p>"), unordered=["ol"])
    assert reading.blocks == ("가", "2", "나", "1")


def test_inline_children_of_an_unordered_element_are_blocks():
    reading = read_terms("앞<p class=tags><b>나</b> <b>가</b></p>뒤", unordered=[".tags"])
    assert reading.blocks == ("앞", "가", "나", "뒤")
    reading = read_terms("<p class=tags>글<b>나</b>사이<b>가</b>끝</p>", unordered=[".tags"])
    assert reading.blocks == ("글", "사이", "끝", "가", "나")


def test_what_moves_by_itself_does_not_move_the_order():
    one = read_terms(_list("10분 전", "5분 전", "공지"), unordered=["ol"])
    assert one.compared == ("공지",)
    first = read_terms(_list("09:15 가", "08:00 나"), unordered=["ol"])
    second = read_terms(_list("07:01 나", "06:59 가"), unordered=["ol"])
    assert first.compared == second.compared == ("가", "나")
    assert first.blocks == ("09:15 가", "08:00 나")


@settings(max_examples=40, deadline=None)
@given(st.permutations(["가", "가 1", "나<p>다</p>", "3분 전", "<b>라</b>", ""]))
def test_every_order_reads_the_same(items):
    usual = read_terms(_list("가", "가 1", "나<p>다</p>", "3분 전", "<b>라</b>"), unordered=["ol"])
    assert read_terms(_list(*items), unordered=["ol"]).blocks == usual.blocks


# --- what is compared ----------------------------------------------------------------------------


def test_the_compared_text_is_canonical_and_without_what_moves():
    reading = read_terms(
        "<p>조회 1,234</p><p>３분 전</p><p>제1조 （목적）</p>"
        "<p>09:05:33</p><p>시행일 2026. 12. 1.</p>",
        volatile=["조회 [0-9,]+"],
    )
    assert reading.compared == ("제1조(목적)", "시행일2026.12.1.")
    assert reading.blocks[0] == "조회 1,234"


def test_the_case_of_letters_counts():
    assert read_terms("<p>mg</p>").compared != read_terms("<p>Mg</p>").compared


def test_a_kept_record_is_the_reading_that_it_was_made_of():
    changes = {"unordered": ["ol"], "fields": {"day": {"label_ko": "시행일", "selector": "b"}}}
    reading = read_terms(f"<b>2026-12-01</b>{_list('나', '가 09:05')}<p>글</p>", **changes)
    kept = {**reading.fields, BODY: "\n".join(reading.blocks)}

    restored = restore_reading(kept, page_selectors(**changes), source="ab", url="http://a/")

    assert restored.blocks == reading.blocks
    assert restored.compared == reading.compared
    assert restored.fields == reading.fields
    assert (restored.source, restored.url) == ("ab", "http://a/")


def test_a_kept_record_is_compared_as_the_file_of_today_says():
    restored = restore_reading({BODY: "조회 12\n약관"}, page_selectors(volatile=["조회 [0-9]+"]))
    assert restored.compared == ("약관",)
    assert restore_reading({BODY: ""}, page_selectors()).blocks == ()


# --- fields --------------------------------------------------------------------------------------

FIELDS = {
    "effective_on": {"label_ko": "시행일", "selector": ".day", "kind": "date"},
    "file": {"label_ko": "파일", "selector": "a.file", "attr": "href", "kind": "exact"},
}


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (
            "<p class=day> 2026.\n12. 1.</p><a class=file href=' /a.pdf'>",
            ["2026. 12. 1.", "/a.pdf"],
        ),
        ("<p class=day>1</p><p class=day>2</p><a class=file>", ["", ""]),
        ("<p class=day><b>가</b><script>x</script><i hidden>y</i></p>", ["가", ""]),
        ("글", ["", ""]),
    ],
)
def test_fields_are_what_exactly_one_element_holds(content, values):
    reading = read_terms(f"약관{content}", fields=FIELDS)
    assert list(reading.fields.values()) == values
    assert list(reading.fields) == ["effective_on", "file"]
    n_found = [content.count("class=day") == 1, content.count("class=file") == 1]
    assert [field not in reading.unfound for field in reading.fields] == n_found


def test_fields_may_stand_outside_of_the_region():
    reading = read_page(html_terms("약관", around="<p class=day>1</p>"), fields=FIELDS)
    assert isinstance(reading, PageReading)
    assert reading.fields["effective_on"] == "1"


def test_columns_are_the_fields_and_then_the_text():
    selectors = page_selectors(fields=FIELDS)
    assert selectors.columns == (
        Column("effective_on", "시행일"),
        Column("file", "파일"),
        Column("body", "본문"),
    )
    assert selectors.kinds == {
        "effective_on": FieldKind.DATE,
        "file": FieldKind.EXACT,
        "body": FieldKind.TEXT,
    }


# --- pages that are not the one ------------------------------------------------------------------

LOGIN = "<form>아이디 <input name=id> <input type=password></form>"


def test_no_region_and_several_regions_are_refused():
    fault = refuse("<html><body><p>다른 글</p></body></html>", region_fallbacks=["main"])
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("no_page_region", 4, False)
    assert "#content, main" in fault.message
    assert "다른 글" in fault.message
    fault = refuse("<html><body><main>가</main><main>나</main></body></html>", region="main")
    assert (fault.code, fault.exit_code) == ("several_page_regions", 4)
    assert "2곳" in fault.message


def test_fallbacks_are_tried_in_turn():
    html = "<html><body><main>가</main><div id=b>나</div></body></html>"
    reading = read_page(html, region_fallbacks=[".x", "#b", "main"])
    assert isinstance(reading, PageReading)
    assert (reading.blocks, reading.selector, reading.position) == (("나",), "#b", 2)


def test_short_text_is_refused():
    assert read_terms("가" * 200, min_characters=200).blocks
    fault = refuse(html_terms("가" * 199), min_characters=200)
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("short_page_text", 4, False)
    assert "199자" in fault.message
    assert "200자" in fault.message
    assert refuse(html_terms(""), min_characters=0).code == "short_page_text"
    assert refuse(html_terms("<p hidden>글</p>")).code == "short_page_text"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (LOGIN, "login_page"),
        ("시스템 점검 중입니다", "maintenance_page"),
        ("페이지를 찾을 수 없습니다", "error_page"),
        ("<script>draw()</script>", "script_only_page"),
    ],
)
def test_other_pages_are_named(content, code):
    body = f"<html><body>{content}</body></html>"
    assert refuse(body).code == code
    assert refuse(body, region_fallbacks=["body"]).code == code
    assert refuse(html_terms(content), min_characters=200).code == code


def test_a_login_in_the_region_is_never_its_text():
    assert refuse(html_terms(LOGIN + "<p>회원 가입 안내</p>" * 200)).code == "login_page"
    # One beside it is the site's own, in the head of every page.
    assert isinstance(read_page(html_terms("약관", around=LOGIN)), PageReading)


def test_terms_may_speak_of_errors_and_maintenance():
    text = "<p>정기 점검 때에는 서비스를 중단할 수 있습니다. 오류가 발생하면 알립니다.</p>"
    assert read_terms(text).blocks
    long = f"<html><body><main>{text * 40}</main></body></html>"
    assert isinstance(read_page(long, region_fallbacks=["main"]), PageReading)


def test_a_long_page_without_its_region_is_no_notice_whatever_its_words():
    text = "<p>서비스의 중단, 정기 점검, 오류가 발생한 때의 책임은 다음과 같습니다.</p>"
    assert refuse(f"<html><body>{text * 40}</body></html>").code == "no_page_region"
    short = f"<html><body>{text * 40}<div id=content>새 화면</div></body></html>"
    assert refuse(short, min_characters=200).code == "short_page_text"


@pytest.mark.parametrize("fallbacks", [[], ["main"]])
def test_a_notice_inside_the_menus_of_the_site_is_named(fallbacks):
    menus = "<a href=/x>의약품 등 정보 검색</a> " * 300
    notice = "<h1>요청하신 페이지를 찾을 수 없습니다</h1>" + "<p>주소를 다시 확인하십시오.</p>" * 20
    html = f"<html><body><a name=top>{menus}<main>{notice}</main></a></body></html>"
    assert refuse(html, region_fallbacks=fallbacks, min_characters=200).code == "error_page"


@pytest.mark.parametrize(
    ("heading", "code"),
    [
        ("요청하신 페이지를 찾을 수 없습니다", "error_page"),
        ("시스템 오류가 <b>발생</b>했습니다", "error_page"),
        ("홈페이지 점검 중입니다", "maintenance_page"),
    ],
)
def test_a_notice_in_the_region_is_told_by_its_heading(heading, code):
    rest = "<p>이용에 불편을 드려 죄송합니다.</p>" * 20
    assert refuse(html_terms(f"<h2>{heading}</h2>{rest}"), min_characters=200).code == code
    titled = html_terms(rest).replace("<title>약관", f"<title>{heading}")
    titled = titled.replace("<b>", "").replace("</b>", "")
    assert refuse(titled, min_characters=200).code == code
    # Further down, and in a long page, it is what the page is about.
    assert read_terms(f"<h2>이용약관</h2><h3>{heading}</h3>{rest}", min_characters=200).blocks
    assert read_terms(f"<h2>{heading}</h2>{rest * 4}", min_characters=200).blocks


def test_what_the_menus_say_names_no_page():
    menus = "<a href=/x>시스템 점검 안내</a>" * 3
    html = f"<html><body>{menus}<main>{'약관 ' * 90}</main></body></html>"
    assert isinstance(read_page(html, region_fallbacks=["main"]), PageReading)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html><body><div id=content>\xed\x95\x9c", "truncated_page"),
        (b" ", "empty_page"),
    ],
)
def test_what_is_no_whole_page_is_refused_as_everywhere(body, code):
    assert refuse(body).code == code


def test_a_page_of_another_charset_reads_the_same():
    reading = read_page(html_terms("가나다").replace("utf-8", "euc-kr").encode("cp949"))
    assert isinstance(reading, PageReading)
    assert reading.blocks == ("가나다",)


# --- hostile pages -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<div>글" * 200 + "</div>" * 200, id="deep"),
        pytest.param("<p>글" * 25_000, id="many blocks"),
        pytest.param("글 " * 200_000, id="one long line"),
        pytest.param("1" * 400_000, id="one long number"),
        pytest.param("0a" * 150_000, id="one long hexadecimal number"),
        pytest.param("token" * 100_000 + "=" * 100_000, id="many names of tokens"),
        pytest.param("09:05~" * 50_000, id="many times"),
        pytest.param("조회 " * 60_000, id="the page's own passage, never complete"),
        pytest.param(
            "<ul class=related_sites>" * 100 + "<li>글" * 9_000, id="unordered in unordered"
        ),
        pytest.param("<pre>" * 200 + "글\n" * 50_000, id="pre in pre"),
        pytest.param("\u202e글\u2066\u200b" * 50_000, id="direction marks"),
        pytest.param("e\u0301" + "\u0301" * 100_000, id="combining marks"),
    ],
)
def test_a_hostile_page_takes_linear_time(content, worker):
    """Anything quadratic here would take minutes."""
    outcome = worker.run(Case("watched", html_terms(f"약관{'가' * 200}{content}").encode(), ""))
    assert outcome.kind == "table", outcome


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param("<p>글" * 100_000, "page_too_complex", id="blocks"),
        pytest.param("글" * 1_100_000, "page_text_too_long", id="characters"),
        pytest.param("<div>" * 300 + "글", "unparsable_page", id="too deep"),
    ],
)
def test_a_page_of_too_much_is_refused(content, code, worker):
    outcome = worker.run(Case("watched", html_terms(f"{'가' * 200}{content}").encode(), ""))
    assert outcome.kind == code, outcome


def test_the_shipped_file_reads_the_shipped_terms():
    mapping = terms_mapping()
    assert mapping["board_id"] == "nedrug_terms"
    html = html_terms(f"<p class=effective>2026-12-01</p><p>조회수: 12</p><p>{'약관 ' * 100}</p>")
    reading = read_page(html, **mapping)
    assert isinstance(reading, PageReading)
    assert reading.fields == {"effective_on": "2026-12-01"}
    assert "조회" not in "".join(reading.compared)
