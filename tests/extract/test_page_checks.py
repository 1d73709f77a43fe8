"""Faults of a page board's selectors file that types cannot express."""

import msgspec
import pytest

from dmf_crawler.extract.page_checks import check_page_file
from dmf_crawler.extract.page_file import PageFile
from tests.extract.watched import USUAL, a_page_file, terms_mapping

DAY = {"label_ko": "시행일", "selector": ".day"}


def test_the_shipped_file_has_no_fault():
    assert check_page_file(msgspec.convert(terms_mapping(), PageFile)) == []


def test_a_file_of_a_region_alone_has_no_fault():
    assert check_page_file(a_page_file()) == []


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"region": "#a["}, ("region",)),
        ({"region_fallbacks": ["main", "p..x"]}, ("region_fallbacks", 1)),
        ({"region_fallbacks": ["main", "main"]}, ("region_fallbacks", 1)),
        ({"region_fallbacks": ["#content"]}, ("region_fallbacks", 0)),
        ({"region_fallbacks": ["main", "body"]}, ("region_fallbacks", 1)),
        ({"region_fallbacks": ["HTML"]}, ("region_fallbacks", 0)),
        ({"drop": ["nav", ">"]}, ("drop", 1)),
        ({"unordered": ["svg|ul"]}, ("unordered", 0)),
        ({"verified_at": "2026-02-30"}, ("verified_at",)),
        ({"end_marker": ""}, ("end_marker",)),
        ({"usual_volatile": ["hex", "clock", "hex"]}, ("usual_volatile", 2)),
        ({"fields": {"body": DAY}}, ("fields", "body")),
        ({"fields": {"files": DAY}}, ("fields", "files")),
        ({"fields": {"시행일": DAY}}, ("fields", "시행일")),
        ({"fields": {"day": DAY | {"label_ko": " "}}}, ("fields", "day", "label_ko")),
        ({"fields": {"day": DAY | {"label_ko": "본문"}}}, ("fields", "day", "label_ko")),
        ({"fields": {"day": DAY | {"selector": "p["}}}, ("fields", "day", "selector")),
        ({"fields": {"day": DAY | {"kind": "key"}}}, ("fields", "day", "kind")),
        ({"fields": {"day": DAY | {"kind": "list"}}}, ("fields", "day", "kind")),
        ({"fields": {"day": DAY | {"kind": "attachments"}}}, ("fields", "day", "kind")),
        (
            {"fields": {"a": DAY, "b": DAY | {"selector": ".x"}}},
            ("fields", "b", "label_ko"),
        ),
        (
            {"fields": {"a": DAY, "b": DAY | {"label_ko": "다른 날"}}},
            ("fields", "b", "selector"),
        ),
    ],
)
def test_each_fault_is_found_at_its_key(changes, key):
    faults = check_page_file(a_page_file(**changes))
    assert [fault.key for fault in faults] == [key]
    assert faults[0].found
    assert faults[0].expected


def test_two_fields_may_read_two_attributes_of_one_element():
    fields = {"a": DAY, "b": DAY | {"label_ko": "링크", "attr": "href"}}
    assert check_page_file(a_page_file(fields=fields)) == []


@pytest.mark.parametrize(
    "pattern",
    [
        # what would eat dates, numbers or words wherever they stand
        r"\d+",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
        r"\d{4}년 \d{1,2}월 \d{1,2}일",
        r"[0-9]{4}[.년]\s?[0-9]{1,2}",
        "[0-9]{1,2}月",
        "일",
        r"\b\d{1,2}\b",
        "[가-힣]+",
        "(?i)[a-z]+",
        "금지|조회 [0-9]+",
        # what fits an empty text
        "",
        "a?",
        "조회수?|",
        "(?=a)?",
        "^",
        # what takes long, or is none
        ".*",
        "조회.*",
        "(a+)+b",
        "조회 (",
    ],
)
def test_a_volatile_passage_that_takes_too_much_is_refused(pattern):
    if not pattern:  # the type refuses it
        with pytest.raises(msgspec.ValidationError):
            a_page_file(volatile=[pattern])
        return
    [fault] = check_page_file(a_page_file(volatile=["조회 [0-9]+", pattern]))
    assert fault.key == ("volatile", 1)


@pytest.mark.parametrize(
    "pattern",
    [
        r"조회\s*수?\s*[:：]?\s*[0-9,]+",
        r"최종 갱신\s*[:：]\s*\d{4}-\d{2}-\d{2}",
        "오늘 [0-9,]+명, 전체 [0-9,]+명",
        r"(?i)visitors: [0-9,]+",
        "閲覧数 [0-9,]+",
    ],
)
def test_a_passage_told_by_its_words_is_none_too_many(pattern):
    assert check_page_file(a_page_file(volatile=[pattern])) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"region": ""},
        {"fields": {"day": {"selector": ".x"}}},
        {"fields": {"day": {"label_ko": "날", "selector": ""}}},
        {"usual_volatile": ["dates"]},
        {"volatil": []},
        {"min_characters": -1},
    ],
)
def test_types_refuse_the_rest(changes):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(USUAL | changes, PageFile)
