from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from dmf_crawler.errors import StoredDataError
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.watched_page import Movement
from dmf_crawler.publish.page_diff import (
    MOST_CHANGED_CHARACTERS,
    POLICY,
    diff_name,
    render_diff,
    write_diff,
)
from tests.publish.page_builders import (
    CLAUSE,
    PAGE_URL,
    RUN,
    RUN_BEFORE,
    TERMS,
    a_page,
    a_review,
    changed_terms,
)

HOSTILE = (
    "<script>alert(1)</script> ]]> <!-- --> <img src=x onerror=alert(1)> &lt;b&gt; \"' </td>"
    "</table></body> \u202e뒤집힘\u2066 \u200b\x00\x1b[31m javascript:alert(1) <a href='http://evil/'>"
)


def parse(item=None, page=None):
    """Read a file as a browser does."""
    item = item or a_review()
    text = render_diff(item, page or a_page(item))
    return html.document_fromstring(text.encode("utf-8"))


def lines_of(document, side: int) -> list[str]:
    """Return all lines of one version, the folded ones too, without the marks."""
    found = []
    for row in document.xpath("//table[@class='text']/tbody/tr[count(td)=4]"):
        number, line = row.xpath("td")[2 * side : 2 * side + 2]
        if number.text_content().strip():
            found.append(line.text_content())
    return found


def test_both_texts_stand_in_it_wholly_and_in_order():
    document = parse()
    assert lines_of(document, 0) == TERMS.split("\n")
    assert lines_of(document, 1) == changed_terms().split("\n")


def test_what_is_unchanged_is_folded_but_for_a_few_lines_around_each_change():
    document = parse()
    (fold,) = document.xpath("//details")
    assert fold.xpath("summary/text()") == ["변하지 않은 5줄"]
    assert not fold.xpath("@open")
    assert fold.xpath("count(.//tr)") == 5
    assert not fold.xpath(".//ins|.//del")


def test_changes_are_marked_in_the_lines_with_signs_beside_the_colours():
    document = parse()
    assert document.xpath("//table[@class='text']//del/text()") == ["7", "허용한다", "1", "5"]
    added = ["30", "허용하지 아니한다", CLAUSE, "12", "1"]
    assert document.xpath("//table[@class='text']//ins/text()") == added
    marks = document.xpath("//table[@class='text']//span[@class='mark']/text()")
    assert (marks.count("−"), marks.count("+")) == (3, 4)
    style = document.xpath("string(//style)")
    assert "line-through" in style
    assert "underline" in style


def test_the_head_tells_which_pages_were_compared_and_what_is_to_be_done():
    text = parse().text_content()
    for told in (
        "사내용: 외부로 배포하지 마십시오.",
        "항목 변경: 의약품안전나라 이용약관 (2026-11-30)",
        "항목 변경 (거리 9, 임계값 3)",
        "항목 시행일의 값이 바뀌었고",
        *(RUN, RUN_BEFORE, "1f" * 32, "c4" * 32, "2026-11-02", "review done 3 --note", PAGE_URL),
        f"raw/2026-11-30/nedrug_terms/{RUN}/c4c4c4c4c4c4c4c4.html.gz",
        "2026-11-02부터 2026-11-29까지 그대로",
        "terms confirm --note",
    ):
        assert told in text, told
    other = parse(replace(a_review(), is_terms=False)).text_content()
    assert "terms confirm" not in other


def test_fields_stand_beside_each_other_and_the_changed_one_says_so():
    item = a_review(
        before={"effective_on": "2026-01-05", "office": "처", BODY: TERMS},
        after={"effective_on": "2026-12-01", "office": "처", BODY: TERMS},
    )
    document = parse(item)
    rows = document.xpath("//h2[.='항목']/following-sibling::table[1]/tbody/tr")
    assert [[cell.text_content() for cell in row] for row in rows] == [
        ["시행일 바뀜", "− 2026-01-05", "+ 2026-12-01"],
        ["office", "처", "처"],
    ]
    assert "글은 글자까지 같습니다." in document.text_content()


def test_what_moves_by_itself_is_shown_apart_and_folded_with_the_rest():
    forms = {"조회수 7": "", "조회수 8": ""}
    item = a_review(before={BODY: f"조회수 7\n{TERMS}"}, after={BODY: f"조회수 8\n{TERMS}"})
    document = parse(replace(item, forms=forms))
    assert document.xpath("//summary/text()") == ["변경으로 세지 않은 23줄"]
    assert document.xpath("//table[@class='text']//*[@class='mark']/text()") == ["~", "~"]
    assert not document.xpath("//table[@class='text']//*[self::del or self::ins]")
    assert "저절로 움직이는 곳만 달라졌습니다" in document.text_content()


# --- what a site may write -----------------------------------------------------------------------


def test_it_is_complete_in_itself_and_runs_nothing():
    document = parse()
    assert document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content") == [POLICY]
    assert POLICY == "default-src 'none'; style-src 'unsafe-inline'"
    assert document.xpath("//meta/@charset") == ["utf-8"]
    elements = {each.tag for each in document.iter() if isinstance(each.tag, str)}
    assert not elements & {"script", "img", "link", "iframe", "object", "form", "input", "base"}
    assert document.xpath("//@src|//@style|//@*[starts-with(name(), 'on')]") == []
    assert document.xpath("//@href") == [PAGE_URL]
    assert "url(" not in document.xpath("string(//style)")
    assert "@import" not in document.xpath("string(//style)")


def test_nothing_that_the_site_wrote_becomes_markup():
    item = a_review(
        before={"effective_on": HOSTILE, BODY: f"{HOSTILE}\n가"},
        after={"effective_on": "x", BODY: f"{HOSTILE}{HOSTILE}\n나"},
    )
    assert item.after_at is not None
    item = replace(item, why=HOSTILE, after_at=replace(item.after_at, url=f"javascript:{HOSTILE}"))
    page = replace(a_page(item), name_ko=HOSTILE, labels={"effective_on": HOSTILE})
    document = parse(item, page)
    usual = {each.tag for each in parse().iter() if isinstance(each.tag, str)}
    assert {each.tag for each in document.iter()} <= usual | {"br", "i"}
    assert document.xpath("//@href") == []
    assert set(document.xpath("//@*[starts-with(name(), 'on')]")) == set()
    shown = HOSTILE
    for char in "\u202e\u2066\u200b\x00\x1b":
        assert char not in document.text_content()
        shown = shown.replace(char, f"⟦U+{ord(char):04X}⟧")
    assert lines_of(document, 0) == [shown, "가"]
    assert lines_of(document, 1) == [shown + shown, "나"]
    assert document.text_content().count(shown) >= 7


def test_markup_alone_is_text_too():
    """Without any character that nobody sees, which goes another way."""
    item = a_review(before={BODY: "<b>가</b>"}, after={BODY: "<script>나()</script>&amp;"})
    document = parse(item)
    assert not document.xpath("//b|//script")
    assert lines_of(document, 0) == ["<b>가</b>"]
    assert lines_of(document, 1) == ["<script>나()</script>&amp;"]


def test_a_lone_surrogate_is_written_out():
    item = a_review(before={BODY: "가\ud800"}, after={BODY: "나"})
    assert "⟦U+D800⟧" in render_diff(item, a_page(item)).encode("utf-8").decode("utf-8")


def test_what_is_too_long_is_left_out_with_a_note_where_all_of_it_is():
    before = {BODY: f"처음\n{'가' * 310_000}\n끝"}
    after = {BODY: f"처음\n{'나' * 310_000}\n끝"}
    item = a_review(before=before, after=after)
    document = parse(item)
    assert len(document.text_content()) < MOST_CHANGED_CHARACTERS + 20_000
    (note,) = document.xpath("//p[@class='left-out']")
    n_left = int(re.findall(r"([0-9,]+)자는 생략", note.text_content())[0].replace(",", ""))
    n_shown = sum(len(line) for side in (0, 1) for line in lines_of(document, side))
    assert n_shown + n_left == 620_000 + len("처음끝") * 2
    assert "c4c4c4c4c4c4c4c4.html.gz" in note.text_content()
    assert document.xpath("//tr[@class='gap']")


def test_very_many_short_lines_make_no_file_that_no_browser_opens():
    item = a_review(before={BODY: "가\n" * 30_000}, after={BODY: "나\n" * 30_000})
    assert len(render_diff(item, a_page(item))) < 4_500_000


def test_a_page_without_a_kept_state_before_says_so():
    item = replace(a_review(before={}, movement=Movement.CONTENT), before={}, before_at=None)
    assert "이력에 없음" in parse(item).text_content()


# --- the file ------------------------------------------------------------------------------------


def test_its_name_is_ascii_and_of_one_change_alone():
    assert diff_name(a_review()) == "DMF_2026-11-30_20261130T060400-nedrug_terms_diff.html"


def test_it_is_written_whole_and_left_alone_while_it_is_the_same(tmp_path: Path):
    item = a_review()
    path = write_diff(item, a_page(item), tmp_path / "reports")
    assert path.read_bytes().decode("utf-8") == render_diff(item, a_page(item))
    assert list(path.parent.iterdir()) == [path]

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(13, "in use", str(target))

    assert write_diff(item, a_page(item), path.parent, replace=refuse) == path
    with pytest.raises(StoredDataError) as caught:
        write_diff(replace(item, why="다른 까닭"), a_page(item), path.parent, replace=refuse)
    assert caught.value.code == "page_diff_not_written"
    assert caught.value.exit_code == 5
    assert "report --date 2026-11-30" in caught.value.message
    assert path.read_bytes().decode("utf-8") == render_diff(item, a_page(item))
    assert list(path.parent.iterdir()) == [path]
