from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.judge.features import MOST_CHARACTERS, add_counts, count_filled, measure_columns
from dmf_crawler.model.record import Record, Snapshot, Value


def look_of(*values: Value) -> dict[str, float]:
    """Return what a column with these values looks like."""
    records = {str(n): Record(str(n), {"field": value}) for n, value in enumerate(values)}
    return measure_columns(Snapshot(records, len(records), 1), ["field"])["field"]


def test_a_column_is_told_by_its_cells_and_its_characters():
    look = look_of("가나 다", "A1", "A1", "", "2026")

    assert look == {
        "n_rows": 5, "n_empty": 1, "n_distinct": 4,
        "share_empty": 0.2, "share_distinct": 0.75, "mean_length": 3.0,
        "digits": 0.5, "hangul": 0.25, "latin": pytest.approx(1 / 6, abs=1e-6),
        "blanks": pytest.approx(1 / 12, abs=1e-6),
        "first_digit": 0.25, "first_hangul": 0.25, "first_latin": 0.5,
    }  # fmt: skip
    assert count_filled(look) == 4


def test_a_nested_cell_is_the_text_of_its_values():
    assert look_of(("가", "B2"), ())["mean_length"] == len("가, B2")
    assert look_of(("",), "가")["mean_length"] == 1  # a cell of nothing counts as a blank


def test_a_column_without_values_has_no_characters():
    assert look_of("", "") == {"n_rows": 2, "n_empty": 2, "n_distinct": 1, "share_empty": 1.0}
    assert look_of() == {"n_rows": 0, "n_empty": 0, "n_distinct": 0}


def test_a_record_without_the_field_has_an_empty_cell():
    records = {"a": Record("a", {"field": "x"}), "b": Record("b", {})}

    look = measure_columns(Snapshot(records, 2, 1), ["field"])["field"]

    assert (look["n_empty"], look["share_empty"]) == (1, 0.5)


def test_a_long_text_counts_by_its_beginning():
    look = look_of("가" * 100_000, "A" * MOST_CHARACTERS)

    assert (look["mean_length"], look["hangul"], look["latin"]) == (MOST_CHARACTERS, 0.5, 0.5)


@given(st.lists(st.text(), min_size=1, max_size=20))
def test_shares_are_shares_whatever_the_texts(values):
    look = look_of(*values)

    shares = {name: value for name, value in look.items() if not name.startswith(("n_", "mean"))}
    assert all(0 <= share <= 1 for share in shares.values())
    assert sum(look.get(name, 0) for name in ("digits", "hangul", "latin", "blanks")) <= 1.00001


@given(st.lists(st.text(alphabet="09AZaz가힣 ", min_size=1, max_size=60), min_size=1, max_size=9))
def test_classes_of_characters_are_counted_one_by_one(values):
    text = "".join(values)

    look = look_of(*values)

    n = len(text)
    assert look["digits"] == pytest.approx(sum(c.isdigit() for c in text) / n, abs=1e-6)
    assert look["hangul"] == pytest.approx(sum("가" <= c <= "힣" for c in text) / n, abs=1e-6)
    assert look["blanks"] == pytest.approx(text.count(" ") / n, abs=1e-6)
    first = sum(value[0].isascii() and value[0].isalpha() for value in values)
    assert look["first_latin"] == pytest.approx(first / len(values), abs=1e-6)


def test_half_a_character_is_measured_like_any_other():
    """A lone surrogate, which UTF-8 cannot hold."""
    assert look_of("\ud83d가")["mean_length"] == 2


def test_what_was_counted_stands_beside_the_looks():
    features = add_counts({"a": {"n_rows": 2}}, {"row": {"n_entered": 1}, "a": {"n_changed": 1}})

    assert features == {"row": {"n_entered": 1}, "a": {"n_rows": 2, "n_changed": 1}}
