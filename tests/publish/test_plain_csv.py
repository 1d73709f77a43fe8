"""Cells that csv cannot hold by itself: taken back, each is what it was; none is a formula."""

from __future__ import annotations

import base64
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.publish.plain_csv import (
    exact_cell,
    join_values,
    split_values,
    text_cell,
    value_cell,
    write_csv,
)

TEXTS = st.text(
    st.one_of(
        st.sampled_from("=+-@'\"\\\n\r\t,;＝ n가"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)


def bare(cell: str) -> str:
    """Take away the apostrophe, as the documents tell readers to."""
    return cell[1:] if cell.startswith("'") else cell


def read_back(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+82-2", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "－1", "'=1", "'", "''"],
)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert text_cell(text) == f"'{text}"
    assert value_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "가", "1452-51-ND(A)", "(주)국전", "20-1", '"=1"', " =1"])
def test_any_other_text_stays_as_it_is(text):
    assert text_cell(text) == text


@given(TEXTS)
def test_a_text_comes_back_and_never_begins_like_a_formula(text):
    cell = text_cell(text)
    assert bare(cell) == text
    assert not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))


@given(st.lists(TEXTS, max_size=4))
def test_several_values_come_back(values):
    assert split_values(join_values(values)) == tuple(values)
    assert split_values(bare(value_cell(tuple(values)))) == tuple(values)


@given(TEXTS)
def test_a_text_in_a_column_of_several_values_is_one_of_them(text):
    assert split_values(bare(value_cell(text, is_nested=True))) == (text,)


@given(st.one_of(TEXTS, st.integers(), st.floats(allow_nan=False), st.binary(), st.none()))
def test_what_a_column_holds_can_be_told_from_its_cell_and_type(value):
    cell = exact_cell(value)
    if value is None:
        assert cell == ""
    elif isinstance(value, str):
        assert (cell != "", bare(cell)) == (True, value)
    elif isinstance(value, bytes):
        assert base64.b64decode(cell) == value
    else:
        assert type(value)(cell) == value


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_a_file_is_read_back_by_any_reader_of_csv(rows):
    file = io.BytesIO()

    assert write_csv(file, ["가", "b"], rows) == len(rows)

    content = file.getvalue()
    assert content.startswith("\ufeff가,b\r\n".encode())
    assert content.endswith(b"\r\n")
    assert read_back(content) == [["가", "b"], *map(list, rows)]
