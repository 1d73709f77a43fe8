"""The YAML reader: only what it says, nothing that YAML 1.1 makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.document import MAX_DEPTH, MAX_FILE_BYTES, parse_document, read_document
from dmf_crawler.errors import ConfigError


def read(text: str) -> Any:
    return parse_document(text.encode("utf-8"), "config/x.yaml").value


def refusal(text: str | bytes) -> ConfigError:
    data = text.encode("utf-8") if isinstance(text, str) else text
    with pytest.raises(ConfigError) as caught:
        parse_document(data, "config/x.yaml")
    assert caught.value.exit_code == 2
    assert caught.value.message.startswith("config/x.yaml")
    return caught.value


# --- scalars -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("no", "yes", "on", "off", "y", "n", "True", "TRUE", "False", "Null", "NULL"),
        *("012", "0x1F", "0o17", "0b1", "1_000", "10:30", "10:30:00", "+5", "1,000", "٣"),
        *("1e3", "1.5e3", ".5", "5.", ".inf", "-.inf", ".nan", "1.2.3", "--1", "0.10.0"),
        *("2026-12-01", "2026-12-01 06:00:00", "2026-12-01T06:00:00+09:00", "=", "9" * 19),
        *("9" * 5000, "9" * 400 + ".0", "0." + "1" * 18),
    ],
)
def test_unquoted_scalar_that_yaml_would_reinterpret_stays_text(text):
    assert read(f"key: {text}\n") == {"key": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("true", True), ("false", False), ("null", None), ("~", None), ("", None)),
        *(("0", 0), ("-7", -7), ("500", 500), ("9" * 18, int("9" * 18))),
        *(("2.0", 2.0), ("-0.25", -0.25), ("0.10", 0.1)),
    ],
)
def test_unquoted_scalar_with_one_meaning_is_that_value(text, value):
    found = read(f"key: {text}\n")["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["true", "null", "5", "2.0", "~", ""])
def test_quoted_scalar_and_block_are_always_text(text):
    assert read(f"a: '{text}'\nb: \"{text}\"\n") == {"a": text, "b": text}
    assert read(f"c: |-\n  {text}\n") == {"c": text}


def test_keys_are_always_text():
    assert read("1: a\nno: b\n2026-12-01: c\n~: d\n") == {
        "1": "a",
        "no": "b",
        "2026-12-01": "c",
        "~": "d",
    }


def test_hash_inside_a_value_and_comments_behind_it_are_told_apart():
    assert read("a: b#c   # d\n") == {"a": "b#c"}


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "lines"),
    [
        ("a: 1\nb: 2\na: 1\n", "a", (1, 3)),
        ("s:\n  a: 1\n  a: 2\n", "s.a", (2, 3)),
        ("s:\n  - x: 1\n  - a: 1\n    b: {c: 1, c: 2}\n", "s.1.b.c", (4, 4)),
        ("a: 1\n'a': 2\n", "a", (1, 2)),
        ("s: {t: 1}\ns: {u: 1}\n", "s", (1, 2)),
    ],
)
def test_duplicate_key_is_refused_at_any_depth_with_both_lines(text, key, lines):
    error = refusal(text)
    assert error.code == "duplicate_key"
    assert f" {key}: " in error.message
    assert f"{lines[0]}행과 {lines[1]}행" in error.message


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a: &x 1\nb: *x\n", "alias", 1),
        ("b: 1\na: &x {c: 1}\n", "alias", 2),
        ("a: &x [1]\n", "alias", 1),
        ("b: 1\na: *x\n", "alias", 2),
        ("&x a: 1\n", "alias", 1),
        ("a: 1\n*x : 2\n", "invalid_key", 2),
        ("a:\n  <<: {b: 1}\n", "alias", 2),
        ("a: !!str 012\n", "tag", 1),
        ("a: !!int '5'\n", "tag", 1),
        ("a: ! 5\n", "tag", 1),
        ("a: !!map {b: 1}\n", "tag", 1),
        ("a: !!set {b}\n", "tag", 1),
        ("a: !!binary aGVsbG8=\n", "tag", 1),
        ("b: 1\na: !!python/object/apply:os.system ['echo']\n", "tag", 2),
        ("!!omap\na: 1\n", "tag", 1),
        ("!x a: 1\n", "tag", 1),
        ("%TAG ! tag:evil,2026:\n---\na: !x 1\n", "tag", 3),
        ("? [a, b]\n: 1\n", "invalid_key", 1),
        ("{a: 1}: 2\n", "invalid_key", 1),
    ],
)
def test_alias_anchor_tag_merge_and_compound_key_are_refused_with_the_line(text, code, line):
    error = refusal(text)
    assert error.code == code
    assert error.message.startswith(f"config/x.yaml {line}행: ")


def test_quoted_merge_sign_is_an_ordinary_key():
    assert read("'<<': 1\n") == {"<<": 1}


def test_several_faults_are_named_at_once():
    message = refusal("a: 1\na: 2\nb: !x 3\nc: *y\n").message
    assert len(message.splitlines()) == 3
    assert all(word in message for word in (" a: ", "태그 !x", "별칭 *y"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: [1, 2\n", 3),
        ("a: 1\n b: 2\n", 2),
        ("a: b: c\n", 1),
        ("a: 1\n\tb: 2\n", 2),
        ("a: 'open\n", 2),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: 1\n...\n---\nb: 2\n", 3),
    ],
)
def test_text_that_is_no_yaml_is_refused_with_the_line(text, line):
    error = refusal(text)
    assert error.code == "not_yaml"
    assert f"{line}행" in error.message


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\x07"])
def test_control_character_is_refused(sign):
    assert refusal(f"a: x{sign}y\n").code == "not_yaml"


@pytest.mark.parametrize(
    "data",
    [
        "name: 원료".encode("cp949"),
        "a: 1".encode("utf-16"),
        b"a: \xff\n",
        b"a: \xed\xa0\x80\n",  # half a surrogate pair
    ],
)
def test_bytes_that_are_no_utf8_are_refused_with_what_to_do(data):
    error = refusal(data)
    assert error.code == "not_yaml"
    assert "UTF-8로 다시 저장" in error.message


def test_byte_order_mark_is_no_part_of_the_first_key():
    assert parse_document(b"\xef\xbb\xbfa: 1\n", "x").value == {"a": 1}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n"])
def test_empty_file_has_no_value(text):
    assert read(text) is None


@pytest.mark.parametrize(("text", "value"), [("- 1\n- 2\n", [1, 2]), ("text\n", "text")])
def test_top_level_that_is_no_mapping_is_left_to_the_check_of_types(text, value):
    assert read(text) == value


def test_file_that_is_too_large_is_refused_before_it_is_parsed():
    assert refusal(b"#" * (MAX_FILE_BYTES + 1)).code == "unreadable_file"
    assert read("#" * MAX_FILE_BYTES) is None


@pytest.mark.parametrize("opened", ["[", "{a: ", "- ", "? "])
def test_bottomless_nesting_is_refused_instead_of_ending_the_program(opened):
    assert refusal(opened * 1100).code == "not_yaml"  # deeper than Python calls itself


def test_nesting_is_read_to_its_limit():
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert refusal("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2)).code == "not_yaml"


# --- files -------------------------------------------------------------------------------------


def test_lines_of_every_key_are_kept(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n\nb:\n  # c\n  d:\n    - 1\n    - e: 2\n", encoding="utf-8")
    lines = read_document(path, "x.yaml").lines
    assert lines == {
        (): 1,
        ("a",): 1,
        ("b",): 3,
        ("b", "d"): 5,
        ("b", "d", 0): 6,
        ("b", "d", 1): 7,
        ("b", "d", 1, "e"): 7,
    }


def test_missing_file_is_named_with_where_it_was_looked_for(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"config/settings\.yaml") as caught:
        read_document(tmp_path / "settings.yaml", "config/settings.yaml")
    assert caught.value.code == "missing_file"
    assert str(tmp_path) in caught.value.message
    assert "--home" in caught.value.message


def test_folder_in_place_of_a_file_is_unreadable(tmp_path: Path):
    with pytest.raises(ConfigError) as caught:
        read_document(tmp_path, "config/settings.yaml")
    assert caught.value.code == "unreadable_file"


# --- properties --------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85"))
"""Without U+0085, which PyYAML writes so that it does not read it back itself."""
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.decimals(-(10**6), 10**6, places=3).map(float),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_what_pyyaml_writes_is_read_back(value, flow):
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    text = yaml.dump(
        value, Dumper=Plain, allow_unicode=True, default_flow_style=flow, sort_keys=False
    )
    assert read(text) == value


def check_read_or_refused(data: bytes) -> None:
    message = ""
    try:
        parse_document(data, "config/x.yaml")
    except ConfigError as error:
        message = error.message
    assert message == "" or message.startswith("config/x.yaml")


@given(st.text(alphabet="ab:-? #&*!|>'\"%@`{}[],\n \t~<0\ufeff\x85\u2028", max_size=60))
def test_any_text_is_read_or_refused_by_name(text):
    check_read_or_refused(text.encode("utf-8"))


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused_by_name(data):
    check_read_or_refused(data)


# --- read again ---------------------------------------------------------------------------------


def test_a_file_that_is_read_again_is_read_as_it_stands_now(tmp_path):
    path = tmp_path / "a.yaml"
    for text, value in (("a: 1\n", {"a": 1}), ("a: 2\n", {"a": 2}), ("a: 1\n", {"a": 1})):
        path.write_text(text, encoding="utf-8")
        first, again = read_document(path, "a.yaml"), read_document(path, "b.yaml")
        assert (first.value, again.value, again.path) == (value, value, "b.yaml")
        assert first.value is not again.value  # nobody changes what somebody else reads


def test_what_is_wrong_with_a_file_is_said_each_time_in_the_order_in_which_it_stands():
    text = "a: 1\n---\nb: 2\n---\n: : [\n"
    assert [refusal(text).message for _ in range(2)] == [refusal(text).message] * 2
    assert "둘 이상" in refusal(text).message  # and not the syntax behind it
