import msgspec
import pytest

from dmf_crawler.extract.selectors import compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.record import Column, FieldKind
from tests.extract.notices import notice_mapping, notice_selectors
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
    assert selectors.kinds["maker_names"] is FieldKind.LIST


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


# --- boards with detail pages --------------------------------------------------------------------


def test_a_board_with_details_has_two_more_columns_at_the_end():
    selectors = notice_selectors()
    listed = ["post_id", "title", "department", "posted_on"]
    assert [column.field for column in selectors.columns] == [*listed, BODY, FILES]
    assert selectors.columns[-2:] == (
        Column("body", "본문"),
        Column("files", "첨부파일", is_nested=True),
    )
    assert list(selectors.kinds) == [*listed, BODY, FILES]
    assert (selectors.kinds[BODY], selectors.kinds[FILES]) == (
        FieldKind.TEXT,
        FieldKind.ATTACHMENTS,
    )
    assert [locator.field for locator in selectors.fields] == listed


def test_the_two_columns_have_the_headers_that_the_file_gives_them():
    details = notice_mapping()["details"] | {"body_label_ko": "내용", "files_label_ko": "붙임"}
    columns = notice_selectors(details=details).columns
    assert [column.label_ko for column in columns[-2:]] == ["내용", "붙임"]


def test_a_board_without_details_has_neither_of_them():
    selectors = notice_selectors(details=None)
    assert selectors.details is None
    assert not {BODY, FILES} & {*selectors.kinds, *(column.field for column in selectors.columns)}


@pytest.mark.parametrize(("files", "has_files"), [("div a", True), ("", False)])
def test_links_to_files_are_found_only_where_the_file_says_how(files, has_files):
    details = notice_selectors(details=notice_mapping()["details"] | {"files": files}).details
    assert details is not None
    assert (details.files is not None) == has_files


def test_what_the_file_leaves_out_of_details_has_its_default():
    details = notice_selectors(details={"link": "a", "region": "div"}).file.details
    assert details is not None
    assert (details.files, details.drop) == ("", ())
    assert (details.body_label_ko, details.files_label_ko) == ("본문", "첨부파일")
