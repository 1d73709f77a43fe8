import msgspec
import pytest

from dmf_crawler.extract.selectors import SelectorsFile, compile_selectors
from dmf_crawler.model.record import FieldKind
from tests.extract.pages import LABELS, selectors_mapping, some_selectors

REAL_NUMBERS = [
    "20050831-1-C-1-01", "20050831-18-C-100-05", "20090626-119-G-7-1", "20100402-01-HP-22-17",
    "20180208-209-J-58", "20260922-211-J-2288", "20190718-209-J-179(A)", "20200102-2-K-50-02(5)",
    "20050831-32-C-129-08(15)", "20130329-190-I-83-01(1)", "116-1-ND", "1673-60-ND",
    "3595-1-ND(1)", "수5-1-ND", "수6580-16-ND(19)", "수469-9-ND(A)", "수-217-10-ND",
]  # fmt: skip


def test_the_shipped_file_names_the_fourteen_columns_in_order():
    selectors = some_selectors()
    assert {column.field: column.label_ko for column in selectors.columns} == LABELS
    assert list(selectors.file.fields) == list(LABELS)
    nested = [column.field for column in selectors.columns if column.is_nested]
    assert nested == ["maker_names", "maker_addresses", "maker_countries"]
    assert selectors.kinds["registered_on"] is FieldKind.DATE
    assert selectors.kinds["reg_no"] is FieldKind.KEY


def test_the_shipped_file_requires_no_column_that_may_be_empty():
    required = {name for name, f in some_selectors().file.fields.items() if f.validate.required}
    assert "reg_no" in required
    assert not required & {
        "target", "changed_on", "report_year", "withdrawn_on", "document_no", "linked_document_no",
    }  # fmt: skip


@pytest.mark.parametrize("number", REAL_NUMBERS)
def test_the_number_pattern_matches_every_shape_that_the_register_uses(number):
    pattern = some_selectors().number_pattern
    assert pattern is not None
    assert pattern.fullmatch(number)


@pytest.mark.parametrize("number", ["", "2026-1", "20260922-211-J-2288\n", "20260922-211-j-2288"])
def test_the_number_pattern_does_not_match_anything_else(number):
    pattern = some_selectors().number_pattern
    assert pattern is not None
    assert not pattern.fullmatch(number)


def test_a_file_without_number_pattern_or_status_compiles():
    mapping = selectors_mapping()
    del mapping["status"], mapping["fields"]["reg_no"]["validate"]["pattern"]
    selectors = compile_selectors(msgspec.convert(mapping, SelectorsFile))
    assert selectors.number_pattern is None
    assert selectors.file.status is None


def test_an_unknown_key_is_refused():
    mapping = selectors_mapping()
    mapping["fields"]["reg_no"]["header_alias"] = ["등록번호"]
    with pytest.raises(msgspec.ValidationError, match="header_alias"):
        msgspec.convert(mapping, SelectorsFile)
