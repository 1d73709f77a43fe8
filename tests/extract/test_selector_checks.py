from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dmf_crawler.extract.selector_checks import SelectorFault, check_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from tests.extract.notices import notice_mapping
from tests.extract.pages import selectors_mapping


@pytest.mark.parametrize("make_mapping", [selectors_mapping, notice_mapping])
def test_the_shipped_files_have_no_fault(make_mapping):
    assert check_selectors(msgspec.convert(make_mapping(), SelectorsFile)) == []


def _faults_after(
    change: Callable[[dict[str, Any]], object],
    make_mapping: Callable[[], dict[str, Any]] = selectors_mapping,
) -> list[SelectorFault]:
    mapping = make_mapping()
    change(mapping)
    return check_selectors(msgspec.convert(mapping, SelectorsFile))


def _field(name: str, **values: object) -> Callable[[dict[str, Any]], object]:
    return lambda mapping: mapping["fields"][name].update(values)


def _top(name: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda mapping: mapping.update({name: value})


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (_top("row", {"primary": "tr["}), ("row", "primary")),
        (_top("row", {"primary": "svg|tr"}), ("row", "primary")),
        (_top("row", {"primary": "tr", "fallbacks": ["tr", ">"]}), ("row", "fallbacks", 1)),
        (_top("row", {"primary": "tr", "pinned": "tr["}), ("row", "pinned")),
        (
            _top("row", {"primary": "tr", "min_expected": 9, "max_expected": 8}),
            ("row", "min_expected"),
        ),
        (_top("drop", ["span.s-th", "span..x"]), ("drop", 1)),
        (_top("total", {"patterns": []}), ("total", "patterns")),
        (_top("total", {"patterns": ["총 [0-9]+ 건"]}), ("total", "patterns", 0)),
        (_top("total", {"patterns": ["총 ([0-9]+ 건"]}), ("total", "patterns", 0)),
        (_top("end_marker", ""), ("end_marker",)),
        (_top("export_joint", ""), ("export_joint",)),
        (_top("export_joint", " "), ("export_joint",)),
        (_field("status", api_name="ENTP_NAME"), ("fields", "status", "api_name")),
        (_field("company", kind="list"), ("fields", "company", "kind")),
        (_field("company", kind="attachments"), ("fields", "company", "kind")),
        (_field("status", api_name="BIZRNO"), ("fields", "status", "api_name")),
        (
            _top(
                "key",
                {
                    "number": "regno",
                    "applicant": "company",
                    "first_date": "registered_on",
                    "ingredient": "ingredient_name",
                },
            ),
            ("key", "number"),
        ),
        (
            _top(
                "key",
                {
                    "number": "reg_no",
                    "applicant": "maker_names",
                    "first_date": "registered_on",
                    "ingredient": "ingredient_name",
                },
            ),
            ("key", "applicant"),
        ),
        (_top("status", {"field": "state", "withdrawn": ["취하"]}), ("status", "field")),
        (_top("status", {"field": "status", "withdrawn": []}), ("status", "withdrawn")),
        (_field("company", header_aliases=[]), ("fields", "company", "header_aliases")),
        (
            _field("company", fallbacks=[], header_aliases=["신청인", "신청 인"]),
            ("fields", "company", "fallbacks"),
        ),
        (
            _field("company", strategy="css", header_aliases=[], selector=""),
            ("fields", "company", "selector"),
        ),
        (_field("company", selector="td"), ("fields", "company", "selector")),
        (_field("company", path="a.b"), ("fields", "company", "path")),
        (
            _field("company", strategy="attr", header_aliases=[], selector="a", attr=""),
            ("fields", "company", "attr"),
        ),
        (
            _field("company", fallbacks=[{"strategy": "css", "selector": "td["}]),
            ("fields", "company", "fallbacks", 0, "selector"),
        ),
        (
            _field("company", fallbacks=[{"strategy": "header_text"}]),
            ("fields", "company", "fallbacks", 0, "header_aliases"),
        ),
        (
            _field("company", validate={"pattern": "("}),
            ("fields", "company", "validate", "pattern"),
        ),
        (
            _field("company", validate={"date_formats": ["%Y-%m-%d", "%Y-%m"]}),
            ("fields", "company", "validate", "date_formats", 1),
        ),
        (
            _field("company", validate={"date_formats": ["%Q"]}),
            ("fields", "company", "validate", "date_formats", 0),
        ),
        (
            _field("company", validate={"min_length": 3, "max_length": 2}),
            ("fields", "company", "validate", "min_length"),
        ),
        (_field("company", label_ko="성분명"), ("fields", "company", "label_ko")),
        (
            _field("company", header_aliases=["신청인", "성분 명"]),
            ("fields", "company", "header_aliases", 1),
        ),
        (
            _field("company", header_aliases=["순번"]),
            ("fields", "company", "header_aliases", 0),
        ),
        (
            _field(
                "company", fallbacks=[{"strategy": "header_text", "header_aliases": ["성분명"]}]
            ),
            ("fields", "company", "fallbacks", 0, "header_aliases", 0),
        ),
        (
            lambda mapping: mapping["fields"].update(
                {"Company": {**mapping["fields"].pop("target")}}
            ),
            ("fields", "Company"),
        ),
    ],
)
def test_a_fault_is_named_with_its_place(change, key):
    faults = _faults_after(change)
    assert [fault.key for fault in faults] == [key]
    assert faults[0].found
    assert faults[0].expected


def test_every_fault_is_found_at_once():
    def spoil(mapping: dict[str, Any]) -> None:
        mapping["drop"] = ["["]
        mapping["fields"]["reg_no"]["header_aliases"] = []
        mapping["fields"]["status"]["validate"]["pattern"] = "*"

    assert len(_faults_after(spoil)) == 3


# --- boards with detail pages --------------------------------------------------------------------


def _details(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda mapping: mapping["details"].update(values)


def _copy_field(name: str) -> Callable[[dict[str, Any]], object]:
    field = {"header_aliases": [name], "fallbacks": [{"strategy": "css", "selector": "td"}]}
    return lambda mapping: mapping["fields"].update({name: field | {"label_ko": f"다른 {name}"}})


def _fallback(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda mapping: mapping["fields"]["post_id"]["fallbacks"][0].update(values)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (_details(link=""), ("details", "link")),
        (_details(link="a["), ("details", "link")),
        (_details(region=""), ("details", "region")),
        (_details(files="a:nothing"), ("details", "files")),
        (_details(drop=["p", "p..x"]), ("details", "drop", 1)),
        (_details(body_label_ko="제목"), ("details", "body_label_ko")),
        (_details(files_label_ko="본문"), ("details", "files_label_ko")),
        (_copy_field("body"), ("fields", "body")),
        (_copy_field("files"), ("fields", "files")),
        (_field("post_id", extract="["), ("fields", "post_id", "extract")),
        (_field("post_id", extract="[0-9]+"), ("fields", "post_id", "extract")),
        (_field("post_id", extract="([0-9])([0-9])"), ("fields", "post_id", "extract")),
        (_field("title", extract="([0-9])"), ("fields", "title", "extract")),
        (_fallback(extract="("), ("fields", "post_id", "fallbacks", 0, "extract")),
    ],
)
def test_a_fault_of_a_notice_board_is_named_with_its_place(change, key):
    faults = _faults_after(change, notice_mapping)
    assert [fault.key for fault in faults] == [key]
    assert faults[0].found
    assert faults[0].expected


@pytest.mark.parametrize(
    "change", [_details(files=""), _details(drop=["p"]), _field("post_id", extract="")]
)
def test_what_may_be_left_out_is_no_fault(change):
    assert _faults_after(change, notice_mapping) == []


@pytest.mark.parametrize("name", ["body", "files"])
def test_a_board_without_details_may_name_its_fields_as_it_likes(name):
    def change(mapping: dict[str, Any]) -> None:
        mapping["details"] = None
        _copy_field(name)(mapping)

    assert _faults_after(change, notice_mapping) == []


@pytest.mark.parametrize("path", ["td[", "./td[foo()]", "./td[$x]", "./td[x:y]", "x:td"])
def test_an_xpath_that_would_fail_in_some_row_is_refused(path):
    """On a page without a row, lxml takes all but the first and the last."""
    other = {"strategy": "xpath", "selector": path}
    (fault,) = _faults_after(_field("company", fallbacks=[other]))
    assert fault.key == ("fields", "company", "fallbacks", 0, "selector")
    assert path in fault.found
