"""What in an answer forbids crawling: real sentences, and every form in which they come."""

from __future__ import annotations

import hashlib
import time
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.forbidding import MOST_PASSAGES, find_forbidding
from dmf_crawler.extract.sentences import read_joined, read_sentences
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.prohibition import compile_prohibition
from dmf_crawler.settings import TermsRules
from dmf_crawler.terms_words import PLAIN
from tests.extract.pages import raw_page

RULES = TermsRules()


def search_every_sentence(page: RawPage) -> list[str]:
    """Return the passages that are found without the keyword test of the whole page."""
    prohibition = compile_prohibition(RULES)
    found = (prohibition.find_in(sentence) for sentence in read_sentences(page))
    passages = dict.fromkeys(passage for each in found for _, passage in each)
    return list(passages)[:MOST_PASSAGES]


FORBIDS = (
    *PLAIN,
    "본 사이트의 정보를 크롤링, 스크래핑 등 자동화된 수단으로 수집하는 행위를 금지합니다",
    "로봇, 스파이더 등을 이용한 무단 수집을 금합니다",
    "자동화된 프로그램을 이용하여 정보를 수집할 수 없습니다",
    "무단 크롤링 시 법적 조치를 취할 수 있습니다",
    "크롤링을 금함",
    "웹 크롤링 및 데이터 수집은 허용되지 않습니다",
    "매크로 프로그램 등을 이용한 비정상적인 접속을 금지합니다",
    "회사의 사전 동의 없이 로봇, 스크래퍼, 기타 자동화 수단을 이용하여 서비스에 접근하는 행위",
    "서비스를 크롤링하는 행위",
    "금지행위: 크롤링, 스크래핑",
    "이용자는 자동화된 수단(매크로, 로봇 등)을 통해 게시물을 수집해서는 안 됩니다",
    "이메일 주소 및 게시물을 자동화된 프로그램으로 수집하는 행위를 금지합니다",
    "이메일 주소를 무단 수집하거나 로봇으로 페이지를 수집하는 행위를 금지합니다",
    "크롤러의 접근을 불허합니다",
    "비정상적인 크롤링은 차단됩니다",
    "웹로봇의 정보수집을 금지합니다",
    "Crawling is strictly prohibited without prior written permission",
    "You may not use any robot, spider, scraper or other automated means to access the Site",
    "You agree not to crawl, scrape or cache any content",
    "No scraping",
    "Automated access to this site is not permitted",
    "Collection of data through automated means is prohibited unless you have permission",
    "Scraping this website is illegal",
    "Unauthorized use of bots is not allowed",
)
MAIL = (
    "본 웹사이트에 게시된 이메일 주소가 전자우편 수집 프로그램이나 그 밖의 기술적 장치를 이용하여 "
    "무단으로 수집되는 것을 거부하며, 이를 위반시 정보통신망법에 의해 형사처벌됨을 "
    "유념하시기 바랍니다"
)
"""Stands on nearly every Korean public site."""

MAIL_LAW = (
    "누구든지 인터넷 홈페이지 운영자 또는 관리자의 사전 동의 없이 인터넷 홈페이지에서 자동으로 "
    "전자우편주소를 수집하는 프로그램이나 그 밖의 기술적 장치를 이용하여 전자우편주소를 "
    "수집하여서는 아니 된다"
)
MAIL_SHORT = (
    "본 사이트에 게시된 이메일 주소가 자동 수집 프로그램이나 그 밖의 기술적 장치를 이용하여 "
    "무단으로 수집되는 것을 거부합니다"
)
DOES_NOT = (
    MAIL,
    MAIL_LAW,
    MAIL_SHORT,
    "이메일 무단 수집 거부",
    "이메일무단수집거부",
    "정보통신망법 제50조의2(전자우편주소의 무단 수집행위 등 금지)",
    "로봇 등 자동화된 프로그램으로 이메일 주소를 수집하는 것을 금지합니다",
    "Automated collection of e-mail addresses is prohibited",
    "개인정보 수집 금지",
    "개인정보의 수집 및 이용을 거부할 수 있습니다",
    "자동화된 방법으로 수집하는 쿠키의 저장을 거부할 권리가 있습니다",
    "검색로봇 허용",
    "검색로봇의 접근을 허용합니다",
    "크롤링을 허용합니다",
    "크롤링을 금지하지 않습니다",
    "Crawling is allowed",
    "Crawling is not prohibited",
    "Please read robots.txt before asking",
    "무단 전재 및 재배포 금지",
    "저작권자의 허락 없이 복제할 수 없습니다",
    "프로그램을 복제하는 행위를 금지합니다",
    "스크랩 금지",
    "수입 금지 원료의약품",
    "로봇을 이용한 의료행위",
    "제조공정 자동화 장치의 밸리데이션을 하여서는 아니 된다",
    "프로프라놀롤염산염, 타크로리무스수화물, 링거액",
    "The automated cell culture system is not specified",
    "Crawl-delay: 10",
    "판매가 12,000원, 반품 불가",
)


def found_in(page: RawPage) -> str | None:
    found = find_forbidding(page, RULES)
    assert [each.passage for each in found] == search_every_sentence(page)
    return found[0].passage if found else None


def answer(
    body: str | bytes, *, kind: str = "list", content_type: str = "text/html;charset=UTF-8"
) -> RawPage:
    page = raw_page(body, content_type=content_type)
    return replace(page, request=PageRequest(page.url, kind))


@pytest.mark.parametrize("sentence", FORBIDS)
def test_a_sentence_that_forbids_crawling_is_found(sentence: str):
    assert found_in(answer(f"<p>환영합니다.</p><p>{sentence}</p><p>끝</p>")) == sentence


@pytest.mark.parametrize("sentence", DOES_NOT)
def test_a_sentence_that_does_not_forbid_crawling_is_no_reason_to_stop(sentence: str):
    assert found_in(answer(f"<p>환영합니다.</p><p>{sentence}</p><p>끝</p>")) is None


SENTENCE = "무단 크롤링을 금지합니다."
OTHER = "로봇, 스파이더 등을 이용한 무단 수집을 금합니다."


@pytest.mark.parametrize(
    "html",
    [
        "무단 <b>크롤</b><i class='x'>링</i>을 금지합니다.",
        "무단\n   크롤링을\r\n\t금지합니다.",
        "무단<br>크롤링을<br/>금지합니다.",
        "무단&nbsp;크&#47204;링을 &#xAE08;지합니다.",
        "무단 크\u200b롤링을 금\u00ad지합니다.",
        "무단 크<!-- a > b -->롤링을 금지합니다.",
        "<a href='/x'>무단 크롤링을</a> <span>금지합니다.</span>",
        "<td>안내</td><td>무단 크롤링을 금지합니다.</td>",
        unicodedata.normalize("NFD", "무단 크롤링을 금지합니다."),
        "무단 크롤링을 금지합니다．",
    ],
)
def test_a_phrase_is_found_however_the_page_splits_it(html: str):
    assert found_in(answer(f"<html><body><div>{html}</div></body></html>")) == SENTENCE


@pytest.mark.parametrize(
    "html",
    [
        "<script>var x = '크롤링을 금지합니다';</script>",
        "<style>/* 크롤링을 금지합니다 */</style>",
        "<!-- 크롤링을 금지합니다 -->",
        "<img alt='크롤링을 금지합니다'>",
        "<p>크롤링</p><p>금지</p>",  # two blocks are two sentences
        "크롤링 안내입니다. 주차를 금지합니다.",
    ],
)
def test_what_nobody_reads_or_what_is_said_apart_forbids_nothing(html: str):
    assert found_in(answer(f"<html><body>{html}</body></html>")) is None


def test_latin_letters_that_python_takes_for_others_are_plain_ones():
    page = answer("<p>CRAWL\u0130NG is proh\u0131bited, ｃｒａｗｌｉｎｇ too</p>")
    assert found_in(page) == "CRAWLiNG is prohibited, crawling too"


def test_a_page_in_cp949_and_one_whose_charset_fits_nothing_are_read():
    text = f"<p>{SENTENCE}</p>"
    assert found_in(answer(text.encode("cp949"), content_type="text/html;charset=EUC-KR"))
    assert found_in(answer(text.encode() + b"\xff\xfe\xff", content_type="text/html"))


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("# 크롤링을 금지합니다.\nUser-agent: *\nAllow: /\n", "크롤링을 금지합니다."),
        (
            "# Crawling this site is\n# strictly prohibited.\n",
            "Crawling this site is strictly prohibited.",
        ),
        ("User-agent: *  # Crawling is prohibited\nDisallow: /\n", "Crawling is prohibited"),
        ("# crawling\nUser-agent: prohibited-bot\nDisallow: /\n# is prohibited\n", None),
        ("User-agent: scraper\nDisallow: /crawling/prohibited\n", None),
    ],
)
def test_of_a_robots_txt_the_comments_are_read(text: str, passage: str | None):
    assert found_in(answer(text, kind="robots", content_type="text/plain")) == passage


def test_the_page_that_comes_in_place_of_a_robots_txt_is_read_as_a_page():
    page = answer(f"<html><p>{SENTENCE}</p></html>", kind="robots", content_type="text/html")
    assert found_in(page) == SENTENCE


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (r'{"resultMsg": "\ubb34\ub2e8 \ud06c\ub864\ub9c1\uc744\n\uae08\uc9c0\ud569\ub2c8\ub2e4."}', "application/json"),  # noqa: E501
        (f"<r><m><![CDATA[{SENTENCE}]]></m></r>", "application/xml"),
        ("안내\n\n무단 크롤링을\n금지합니다.\n\n끝", "text/plain"),
    ],
)  # fmt: skip
def test_an_answer_of_the_open_api_and_a_plain_text_are_read(body: str, content_type: str):
    assert found_in(answer(body, kind="api", content_type=content_type)) == SENTENCE


@pytest.mark.parametrize(
    ("kind", "content_type", "is_found"),
    [
        ("file", "application/pdf", False),
        ("file", "application/octet-stream", False),
        ("export", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", False),
        ("file", "text/plain", True),
        ("export", "text/html;charset=UTF-8", True),
        ("detail", "application/octet-stream", True),  # asked for as a page, whatever it says
    ],
)
def test_files_that_are_no_text_are_not_looked_at(kind: str, content_type: str, is_found: bool):
    page = answer(f"<p>{SENTENCE}</p>", kind=kind, content_type=content_type)
    assert (found_in(page) is not None) is is_found


def test_a_passage_says_where_it_stands_and_is_short():
    sentence = "가" * 500 + " 크롤링을 금지합니다 " + "나" * 5_000
    page = answer(f"<p>{sentence}</p>")
    (found,) = find_forbidding(page, RULES)
    assert (found.url, found.source) == (page.url, hashlib.sha256(page.body).hexdigest())
    assert found.pattern in RULES.forbidding
    assert len(found.passage) == 300
    assert "크롤링을 금지합니다" in found.passage


def test_a_phrase_is_found_wherever_it_stands_in_a_very_long_sentence():
    for n_before in (0, 1, 500, *range(670, 720, 7), *range(980, 1_010, 3), 1_390, 1_700, 2_100):
        text = "가" * n_before + " 크롤링을 금지합니다 " + "나" * 2_000
        assert found_in(answer(f"<p>{text}</p>")) is not None, n_before


def test_all_passages_of_a_page_are_found_each_once():
    page = answer(f"<p>{SENTENCE}</p><p>{OTHER}</p><p>{SENTENCE}</p>")
    assert [found.passage for found in find_forbidding(page, RULES)] == [SENTENCE, OTHER]
    page = answer("".join(f"<p>크롤링 {n} 금지</p>" for n in range(200)))
    assert len(find_forbidding(page, RULES)) == 50


def test_what_a_person_decided_on_is_passed_and_another_is_not():
    page = answer(f"<p>{SENTENCE}</p><p>{OTHER}</p>")
    (other,) = find_forbidding(page, RULES, decided={SENTENCE})
    assert other.passage == OTHER
    assert find_forbidding(page, RULES, decided={SENTENCE, OTHER}) == ()
    changed = answer("<p>무단 크롤링을 절대 금지합니다.</p>")
    assert find_forbidding(changed, RULES, decided={SENTENCE, OTHER})


WORDS = st.sampled_from(
    ["크롤", "링", "크롤링", "을", " ", "금지", "합니다", ".", "로봇", "수집", "행위", "no", "t",
     "&", "&amp;", "&#53", "356;", "\u200b", "\u1100", "\u11a8", "not", "prohibited", "Crawl",
     "ing", "\u0130", "<b>", "</b>", "<p>", "</p>", "<br>", "<!--", "-->", "<script>", "</script>",
     "\n", "<", ">", "이메일", "<![CDATA[", "]]>", "자동화된 ", "수단"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=25), st.sampled_from(["list", "robots", "api"]))
def test_the_keyword_test_changes_no_result(words: list[str], kind: str):
    page = answer("<p>" + "".join(words) if kind == "list" else "".join(words), kind=kind)
    found = [each.passage for each in find_forbidding(page, RULES)]
    assert found == search_every_sentence(page)


@settings(max_examples=200)
@given(st.lists(WORDS, max_size=25))
def test_every_word_of_a_sentence_stands_in_the_joined_text(words: list[str]):
    page = answer("<p>" + "".join(words))
    joined = read_joined(page)
    for sentence in read_sentences(page):
        for word in sentence.split():
            assert word in joined


@pytest.mark.parametrize(
    ("unit", "n_characters"),
    [
        ("크롤링 ", 1_000_000),
        ("이메일 로봇 수집 금지하지 않고 ", 1_000_000),
        ("prohibitedx bots not e-mail addresses ", 1_000_000),
        ("로봇 수집 금지하지 않고 ", 250_000),
        ("<", 1_000_000),
        ("<!--", 1_000_000),
        ("&#", 1_000_000),
    ],
)
def test_a_page_made_to_take_long_does_not(unit: str, n_characters: int):
    page = answer(unit * (n_characters // len(unit)))
    begun_s = time.process_time()
    find_forbidding(page, RULES)
    assert time.process_time() - begun_s < 20  # seconds; usually under one
