import re
from dataclasses import astuple
from datetime import date

import pytest

from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow, grow_register
from dmf_crawler.workbench.rehearsal.sample import (
    load_number_examples,
    load_real_rows,
    split_sites,
)

FIRST_DAY = date(2026, 11, 30)
NUMBER = re.compile(
    r"(?:\d{8}-\d{1,3}-[A-Z]{1,2}-\d{1,4}(?:-\d{1,3})?|수?-?\d{1,5}-\d{1,3}-ND)"
    r"(?:\((?:\d{1,3}|[A-Z]{1,2})\))?"
)


@pytest.fixture(scope="module")
def register() -> list[ListRow]:
    return grow_register(12_000, 20261130, FIRST_DAY)


def test_columns_are_the_fields_of_a_row_in_the_sites_order():
    assert tuple(field for field, _ in COLUMNS) == ListRow.__slots__
    assert len(COLUMNS) == 14


def test_the_register_has_the_size_and_the_share_of_live_rows(register):
    assert len(register) == 12_000
    assert sum(row.status == "정상" for row in register) == 9_150
    assert {row.status for row in register} == {"정상", "취하", "취소"}


def test_numbers_are_unique_and_have_real_shapes(register):
    numbers = [row.reg_no for row in register]
    assert len(set(numbers)) == len(numbers)
    assert [number for number in numbers if not NUMBER.fullmatch(number)] == []


def test_every_real_row_and_every_real_shape_is_in_it(register):
    numbers = {row.reg_no for row in register}
    assert numbers >= {row.reg_no for row in load_real_rows()}
    assert numbers >= set(load_number_examples())


@pytest.mark.parametrize(
    "shape",
    [
        r"\d{8}-\d{1,3}-[A-I]-\d+-\d+",
        r"\d{8}-(209|210|211)-J-\d+",
        r"\d{8}-\d+-K-\d+-\d\d",
        r"\d{8}-01-HP-\d+-\d\d",
        r"\d+-\d+-ND",
        r"수\d+-\d+-ND",
        r".+\(\d+\)",
        r".+\([A-Z]\)",
    ],
)
def test_every_shape_of_number_occurs_many_times(register, shape):
    assert sum(bool(re.fullmatch(shape, row.reg_no)) for row in register) >= 20


def test_the_newest_registration_stands_first(register):
    days = [row.registered_on for row in register]
    assert days == sorted(days, reverse=True)
    assert days[0] < FIRST_DAY.isoformat()


@pytest.mark.parametrize(
    ("last_day", "share"),
    [
        ("2012-12-31", 0.15),
        ("2018-02-28", 0.33),
        ("2021-02-28", 0.51),
        ("2023-01-31", 0.68),
        ("2025-05-31", 0.85),
    ],
)
def test_live_rows_are_spread_over_the_years_as_in_the_open_data(register, last_day, share):
    live = [row for row in register if row.status == "정상"]
    found = sum(row.registered_on <= last_day for row in live) / len(live)
    assert found == pytest.approx(share, abs=0.02)


def test_one_row_in_ten_has_two_to_five_sites(register):
    n_sites = [len(row.maker_countries) for row in register]
    assert 0.07 < sum(n > 1 for n in n_sites) / len(n_sites) < 0.15
    assert {1, 2, 3, 4, 5} == set(n_sites)


def test_some_rows_have_unequal_numbers_of_names_addresses_and_countries(register):
    unequal = [row for row in register if len(row.maker_addresses) != len(row.maker_names)]
    assert len(unequal) > 100
    assert any(row.maker_addresses == () for row in register)


@pytest.mark.parametrize(
    "dirt", ["\r\n", "㈜", "Ⅲ", "ß", "β", "  ", "<", "&", '"', "주식회사", "’"]
)
def test_dirty_values_occur(register, dirt):
    assert any(dirt in text for row in register for text in _texts(row))


def test_at_least_one_row_in_a_hundred_is_dirty(register):
    dirty = [row for row in register if re.search(r"\r\n|㈜|Ⅲ|ß|β|  ", " ".join(_texts(row)))]
    assert len(dirty) >= 120


def test_withdrawn_rows_have_a_date_and_live_ones_have_none(register):
    for row in register:
        assert bool(row.withdrawn_on) == (row.status != "정상")
        assert not row.withdrawn_on or row.registered_on < row.withdrawn_on < "2026-11-30"


def test_changes_come_after_the_registration(register):
    changed = [row for row in register if row.changed_on]
    assert len(changed) > 4_000
    assert all(row.registered_on < row.changed_on < "2026-11-30" for row in changed)


def test_document_numbers_have_their_shape_or_are_blank(register):
    assert all(re.fullmatch(r"(v\d+\.\d+\.\d+/\d{4})?", row.document_no) for row in register)
    assert {bool(row.document_no) for row in register} == {True, False}
    assert {bool(row.linked_document_no) for row in register} == {True, False}


def test_the_youngest_rows_have_no_target_and_one_old_real_row_never_got_one(register):
    young = [row for row in register if row.registered_on > "2026-11-28"]
    assert all(row.target == "" for row in young)
    assert "20050831-2-C-57-01" in {row.reg_no for row in register if row.target == ""}


def test_the_same_arguments_grow_the_same_rows(register):
    assert grow_register(12_000, 20261130, FIRST_DAY) == register
    assert grow_register(12_000, 7, FIRST_DAY) != register


@pytest.mark.parametrize("n_rows", [1, 4, 60, 500])
@pytest.mark.parametrize("first_day", [date(2026, 11, 30), date(2014, 1, 2)])
def test_a_register_of_any_size_and_day_grows(n_rows, first_day):
    rows = grow_register(n_rows, 3, first_day)
    assert len({row.reg_no for row in rows}) == n_rows
    assert all(row.registered_on < first_day.isoformat() for row in rows)


@pytest.mark.parametrize(
    ("text", "n_sites", "sites"),
    [
        ("Lonza AG ,Pfizer Ireland", 2, ("Lonza AG ", "Pfizer Ireland")),
        ("A Co.,Ltd.,B s.r.l", 2, ("A Co.,Ltd.", "B s.r.l")),
        ("Foods, Fine Chemicals", 1, ("Foods, Fine Chemicals",)),
        ("Barcelona,Spain", 1, ("Barcelona,Spain",)),
        ("one,two,three", 2, ("one,two,three",)),  # not certain: kept as one
        ("충청남도 아산시", 2, ("충청남도 아산시",)),
    ],
)
def test_sites_are_taken_apart_only_where_it_is_certain(text, n_sites, sites):
    assert split_sites(text, n_sites) == sites


def test_the_sample_keeps_line_breaks_and_tags_inside_its_values():
    row = next(row for row in load_real_rows() if row.reg_no == "수5550-4-ND")
    assert row.maker_names == ("Siegfried Evionnaz SA\r\n", "[미분화공정] Jetpharma SA")
    assert row.maker_countries == ("스위스", "스위스")


def _texts(row: ListRow) -> list[str]:
    return [text for value in astuple(row) for text in ((value,) if type(value) is str else value)]
