"""A document against a type: every fault, with its key, line, what stands there and what should."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from dmf_crawler.document import parse_document
from dmf_crawler.document_checks import convert_document, find_faults
from dmf_crawler.errors import ConfigError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    n: Annotated[int, Meta(ge=1, le=9)] = 1
    word: str = ""


class Outer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    ratio: Annotated[float, Meta(ge=0, le=1)] = 0.5
    above: Annotated[float, Meta(gt=0)] = 1.0
    flag: bool = False
    method: Literal["GET", "POST"] = "GET"
    colour: Colour = Colour.RED
    code: Annotated[str, Meta(pattern=r"^[a-z]+\Z")] = "a"
    day: Annotated[str, Meta(pattern=r"^\d\Z", description="날짜")] | None = None
    inner: Inner = Inner()
    items: tuple[Inner, ...] = ()
    sizes: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    table: dict[str, Inner] = {}
    texts: dict[str, str] = {}


def check(text: str, kind: type[Any] = Outer) -> Any:
    return convert_document(parse_document(text.encode("utf-8"), "config/x.yaml"), kind)


def faults(text: str, kind: type[Any] = Outer) -> tuple[str, list[str]]:
    """Return the code and the sentences of a refused text."""
    with pytest.raises(ConfigError) as caught:
        check(text, kind)
    assert caught.value.exit_code == 2
    return caught.value.code, caught.value.message.splitlines()


@pytest.mark.parametrize(
    ("line", "key", "found", "expected"),
    [
        ("ratio: 1.5", "ratio", "1.5", "숫자(최소 0, 최대 1)"),
        ("ratio: -0.1", "ratio", "-0.1", "숫자(최소 0, 최대 1)"),
        ("ratio: abc", "ratio", "'abc'", "숫자(최소 0, 최대 1)"),
        ("ratio: '0.5'", "ratio", "'0.5'", "숫자(최소 0, 최대 1)"),
        ("ratio:", "ratio", "빈 값(null)", "숫자(최소 0, 최대 1)"),
        ("above: 0", "above", "0", "숫자(초과 0)"),
        ("flag: yes", "flag", "'yes'", "true 또는 false"),
        ("flag: 1", "flag", "1", "true 또는 false"),
        ("method: get", "method", "'get'", "다음 중 하나: GET, POST"),
        ("colour: green", "colour", "'green'", "다음 중 하나: red, blue"),
        ("code: A1", "code", "'A1'", r"글자(패턴 ^[a-z]+\Z)"),
        ('code: "a\\n"', "code", r"'a\n'", r"글자(패턴 ^[a-z]+\Z)"),
        ("code: 5", "code", "5", r"글자(패턴 ^[a-z]+\Z)"),
        ("day: soon", "day", "'soon'", "날짜"),
        ("inner: 5", "inner", "5", "키와 값의 묶음"),
        ("inner: {n: 0}", "inner.n", "0", "정수(최소 1, 최대 9)"),
        ("inner: {n: 2.0}", "inner.n", "2.0", "정수(최소 1, 최대 9)"),
        ("inner: {n: true}", "inner.n", "true", "정수(최소 1, 최대 9)"),
        ("inner: {word: [a]}", "inner.word", "목록(1개)", "글자"),
        ("inner: {word: {a: 1}}", "inner.word", "키와 값의 묶음(1개)", "글자"),
        ("items: {n: 1}", "items", "키와 값의 묶음(1개)", "목록"),
        ("items: [{n: 1}, {n: 10}]", "items.1.n", "10", "정수(최소 1, 최대 9)"),
        ("items: [text]", "items.0", "'text'", "키와 값의 묶음"),
        ("sizes: [3, 0]", "sizes.1", "0", "정수(최소 1)"),
        ("sizes: 3", "sizes", "3", "목록"),
        ("table: [a]", "table", "목록(1개)", "키와 값의 묶음"),
        ("table: {k: {n: x}}", "table.k.n", "'x'", "정수(최소 1, 최대 9)"),
        ("texts: {k: no, l: 5}", "texts.l", "5", "글자"),
    ],
)
def test_wrong_value_is_named_with_line_key_found_expected_and_next_step(
    line, key, found, expected
):
    code, sentences = faults(f"name: x\n\n{line}\n")
    assert code == "invalid_value"
    start = f"config/x.yaml 3행: {key}: 찾은 값 {found}, 필요한 값 {expected}. "
    (sentence,) = sentences
    assert sentence.startswith(start)
    assert sentence.removeprefix(start).endswith("하십시오.") or "감싸십시오" in sentence


@pytest.mark.parametrize("value", ["5", "1.5", "true"])
def test_number_where_text_is_wanted_is_answered_with_quotes(value):
    _, (sentence,) = faults(f"name: {value}\n")
    assert "따옴표" in sentence


def test_unknown_key_is_named_with_the_known_ones():
    code, (sentence,) = faults("name: x\ninner:\n  m: 1\n")
    assert code == "unknown_key"
    assert sentence.startswith("config/x.yaml 3행: inner.m: ")
    assert "다음 중 하나: n, word" in sentence


def test_missing_key_is_named_at_its_section():
    code, (sentence,) = faults("flag: true\n")
    assert code == "missing_key"
    assert sentence == ("config/x.yaml 1행: name: 찾은 값 없음, 필요한 값 글자. 키를 추가하십시오.")


def test_several_faults_are_named_in_one_go_each_with_its_own_line():
    code, sentences = faults("nam: x\nratio: 7\nitems:\n  - n: 0\n  - o: 1\nmethod: PUT\n")
    assert code == "unknown_key"
    assert [sentence.split(": ")[:2] for sentence in sentences] == [
        ["config/x.yaml 1행", "nam"],
        ["config/x.yaml 1행", "name"],
        ["config/x.yaml 2행", "ratio"],
        ["config/x.yaml 6행", "method"],
        ["config/x.yaml 4행", "items.0.n"],
        ["config/x.yaml 5행", "items.1.o"],
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "word\n", "5\n"])
def test_file_that_is_no_mapping_is_named_as_a_whole(text):
    code, (sentence,) = faults(text)
    assert code == "invalid_value"
    assert "(파일 전체)" in sentence
    assert "키와 값의 묶음" in sentence


def test_absent_optional_value_is_accepted():
    assert check("name: x\nday: null\n").day is None


def test_whole_numbers_serve_as_decimal_ones():
    assert check("name: x\nratio: 1\n").ratio == 1.0


def test_long_value_is_cut_in_the_message():
    _, (sentence,) = faults(f"name: x\nmethod: {'z' * 5000}\n")
    assert len(sentence) < 300


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("http://me:secret@proxy:3128", "'http://***@proxy:3128'"),
        ("http://secret@proxy", "'http://***@proxy'"),
        ("http://me:se/cr@et@proxy:3128/", "'http://***@proxy:3128/'"),
        ("http://me:secret //@proxy", "'http://***@proxy'"),
        ("//me:secret@", "'//***@'"),
        ("me:secret@proxy:3128", "'***@proxy:3128'"),
        ("http://me:" + "secret" * 20 + "@proxy", "'http://***@proxy'"),
        ("http://proxy:3128", "'http://proxy:3128'"),
        ("someone@pharm.example", "'someone@pharm.example'"),
    ],
)
def test_a_password_in_an_address_is_not_shown(value, shown):
    """A refused value ends up in mails and logs; of one that is cut short the @ may be gone."""
    _, (sentence,) = faults(f"name: x\nmethod: '{value}'\n")

    assert f"찾은 값 {shown}, " in sentence


def test_rule_of_a_type_that_the_walk_does_not_know_is_still_refused():
    class Even(msgspec.Struct):
        n: int

        def __post_init__(self) -> None:
            if self.n % 2:
                raise ValueError("odd")

    code, (sentence,) = faults("n: 3\n", Even)
    assert code == "invalid_value"
    assert "config/x.yaml" in sentence
    assert check("n: 2\n", Even).n == 2


JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 12),
        st.floats(-1, 2),
        st.sampled_from(["GET", "red", "a", "7", "", "a\n", "x y"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["n", "word", "k", "name", "inner"]), inner, max_size=3),
    ),
    max_leaves=6,
)
FIELDS = [field.name for field in msgspec.structs.fields(Outer)]


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), JUNK, max_size=8))
def test_walk_finds_a_fault_exactly_where_msgspec_does(value):
    try:
        msgspec.convert(value, Outer)
        is_valid = True
    except msgspec.ValidationError:
        is_valid = False
    assert (list(find_faults(value, Outer)) == []) is is_valid
