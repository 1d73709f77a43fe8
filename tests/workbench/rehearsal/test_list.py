"""The list pages, seen through real requests; README items 1 to 5 and 10."""

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from dmf_crawler.workbench.rehearsal.listing import ODD_NUMBER
from dmf_crawler.workbench.rehearsal.register import COLUMNS
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.workbench.rehearsal.browser import (
    LIST,
    ask,
    find_table,
    get,
    read_cells,
    read_column,
    read_headers,
)

HEADERS = ["순번", *(header for _, header in COLUMNS)]
AT = {field: index for index, (field, _) in enumerate(COLUMNS, start=1)}


def numbers_of(text):
    return read_column(text, AT["reg_no"])


def as_cells(row):
    """Return the cells that a reader must get from a row: its values; HTML knows LF alone."""
    values = [getattr(row, field) for field, _ in COLUMNS]
    return [
        value if isinstance(value, str) else tuple(text.replace("\r\n", "\n") for text in value)
        for value in values
    ]


def test_all_pages_together_are_the_list(site, rows):
    pages = [get(site, params={"page": page, "limit": 50}).text for page in (1, 2, 3)]
    cells = [row for page in pages for row in read_cells(page)]
    assert [row[0] for row in cells] == [str(n) for n in range(1, 138)]
    assert [row[1:] for row in cells] == [as_cells(row) for row in rows]
    assert all(read_headers(page) == HEADERS for page in pages)


def test_values_come_escaped_and_line_breaks_raw(site):
    text = get(site).text
    assert 'A &amp; B &lt;5% "C"' in text
    assert b"Stra\xc3\x9fe 5,\r\n Basel\r\n" in get(site).body
    assert 'title="' in text


def test_empty_cells_keep_their_label_and_nested_tables_their_table(site):
    row = find_table(get(site).text).xpath("./tbody/tr")[1]
    cells = row.xpath("./td")
    assert cells[AT["changed_on"]].text_content() == "최종변경일자"
    assert len(cells[AT["maker_countries"]].xpath("./table/tbody")) == 1
    assert cells[AT["maker_countries"]].xpath(".//tr") == []
    assert len(cells[AT["maker_names"]].xpath("./table/tbody/tr/td")) == 3


def test_only_the_running_number_has_no_label(site):
    cells = find_table(get(site).text).xpath("./tbody/tr")[0].xpath("./td")
    labels = [cell.xpath("string(./span[@class='s-th'])") for cell in cells]
    assert labels == ["", *HEADERS[1:]]


def test_a_page_has_what_every_page_of_the_site_has(site):
    text = get(site).text
    assert 'title="총 137 건"' in text
    assert "총 <strong>137</strong> 건" in text
    assert '<div class="mpage_errwrap" style="display:none">' in text
    assert '<input type="hidden" name="totalPages" value="14">' in text
    assert '<button type="button" class="page_next">' in text
    assert '<button type="button" class="on">1</button>' in text
    assert "<!-- <td>" in text
    assert text.rstrip().endswith("</html>")
    assert get(site).headers["content-type"] == "text/html;charset=UTF-8"


def test_a_long_total_has_a_comma(site, rows):
    site.rows = [replace(rows[0], reg_no=f"{n}-1-ND") for n in range(1_234)]
    assert 'title="총 1,234 건"' in get(site, params={"limit": 1}).text


def test_the_pager_shows_the_ten_pages_around(site):
    text = get(site, params={"page": 12, "limit": 10}).text
    assert re.findall(r"<button[^>]*>(\d+)</button>", text) == ["11", "12", "13", "14"]


@pytest.mark.parametrize("path", ["/pbp/CCBAC03", LIST])
def test_without_parameters_the_first_ten_rows_come(site, rows, path):
    assert numbers_of(get(site, path).text) == [row.reg_no for row in rows[:10]]


@pytest.mark.parametrize("bad", ["", "0", "-1", "abc", "٣"])
def test_unusable_page_and_limit_mean_the_defaults(site, bad):
    text = get(site, params={"page": bad, "limit": bad}).text
    assert read_column(text, 0) == [str(n) for n in range(1, 11)]


def test_post_works_like_get(site):
    form = urlencode({"page": 2, "limit": 15}).encode()
    assert (
        ask(site, "POST", LIST, body=form).text == get(site, params={"page": 2, "limit": 15}).text
    )


def test_unknown_parameters_bring_the_unfiltered_list(site):
    text = get(site, params={"searchKeyword": "없음", "ingrName": "없음"}).text
    assert 'title="총 137 건"' in text


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("searchIngrKorName", "ingredient_name"),
        ("searchDmfPermitNo", "reg_no"),
        ("searchItem", "company"),
    ],
)
def test_a_search_finds_what_contains_the_text(site, rows, name, field):
    part = getattr(rows[0], field)[1:5]
    text = get(site, params={name: part, "limit": 200}).text
    found = [row.reg_no for row in rows if part in getattr(row, field)]
    assert numbers_of(text) == found
    assert 0 < len(found) < 137
    assert f'name="{name}" value="{part}"' in text


def test_an_english_name_finds_korean_rows(site, rows):
    site.rows = [replace(rows[0], ingredient_name="로사르탄칼륨"), *rows[1:3]]
    text = get(site, params={"searchIngrEngName": "Losartan potassium"}).text
    assert numbers_of(text) == [rows[0].reg_no]


def test_an_empty_result_is_a_sentence_in_a_row(site):
    text = get(site, params={"searchItem": "그런 회사 없음"}).text
    assert read_cells(text) == [["조회 결과가 없습니다"]]
    assert 'title="총 0 건"' in text


@pytest.mark.parametrize(
    ("past_end", "first_number"), [("empty", None), ("last_page", "101"), ("first_page", "1")]
)
def test_pages_behind_the_last_one(site, past_end, first_number):
    site.switches = Switches(past_end=past_end)
    cells = read_cells(get(site, params={"page": 9, "limit": 100}).text)
    assert cells[0][0] == (first_number or "조회 결과가 없습니다")


@pytest.mark.parametrize("limit", [10, 15, 50, 100, 100_000])
def test_any_page_size_is_honoured(site, limit):
    assert len(read_cells(get(site, params={"limit": limit}).text)) == min(limit, 137)


@pytest.mark.parametrize("largest", [10, 15, 50])
def test_a_large_page_size_may_be_capped_silently(site, largest):
    site.switches = Switches(page_size="capped", largest_page_size=largest)
    text = get(site, params={"page": 2, "limit": 100}).text
    assert read_column(text, 0) == [str(n) for n in range(largest + 1, 2 * largest + 1)]


@pytest.mark.parametrize(("page_size", "status"), [("error_page", 200), ("status_400", 400)])
def test_a_large_page_size_may_be_refused(site, page_size, status):
    site.switches = Switches(page_size=page_size, largest_page_size=50)
    got = get(site, params={"limit": 51})
    assert got.status == status
    assert "오류가 발생하였습니다" in got.text
    assert "<table" not in got.text
    assert len(read_cells(get(site, params={"limit": 50}).text)) == 50


def test_the_list_may_ask_for_parameters(site):
    site.switches = Switches(without_parameters="redirect")
    got = get(site)
    assert (got.status, got.headers["location"]) == (302, "/pbp/CCBAC03")
    assert get(site, "/pbp/CCBAC03").status == 200


def test_a_row_added_between_two_pages_shifts_the_rest(site, rows):
    new = replace(rows[0], reg_no="20261130-209-J-2400")

    def add_row(request):
        if request.params["page"] == "2":
            site.rows = [new, *rows]

    site.on_request = add_row
    first = numbers_of(get(site, params={"page": 1, "limit": 50}).text)
    second = numbers_of(get(site, params={"page": 2, "limit": 50}).text)
    assert first[-1] == second[0] == rows[49].reg_no


@pytest.mark.parametrize(
    ("total_text", "in_title", "in_text"),
    [("normal", True, True), ("title_only", True, False), ("missing", False, False)],
)
def test_the_total_may_stand_elsewhere_or_nowhere(site, total_text, in_title, in_text):
    site.switches = Switches(total_text=total_text)
    text = get(site).text
    assert ('title="총 137 건"' in text) is in_title
    assert ("총 <strong>137</strong> 건" in text) is in_text


def test_the_total_may_be_worded_differently(site):
    site.switches = Switches(total_text="reworded")
    text = get(site).text
    assert "137" in text
    assert not re.search(r"총\s*(<strong>)?[\d,]+", text)


def test_rows_may_be_missing_that_the_total_counts(site):
    site.switches = Switches(n_withheld_rows=2)
    text = get(site, params={"limit": 200}).text
    assert len(read_cells(text)) == 135
    assert 'title="총 137 건"' in text


def test_a_row_may_come_twice_on_its_page(site):
    site.switches = Switches(repeats_first_row=True)
    numbers = numbers_of(get(site).text)
    assert len(numbers) == 11
    assert numbers[0] == numbers[-1]


def test_a_number_may_stand_twice_with_two_applicants(site):
    site.switches = Switches(duplicated_number=True)
    cells = read_cells(get(site, params={"limit": 200}).text)
    numbers = [row[AT["reg_no"]] for row in cells]
    (doubled,) = {number for number in numbers if numbers.count(number) == 2}
    companies = {row[AT["company"]] for row in cells if row[AT["reg_no"]] == doubled}
    assert (len(cells), len(companies)) == (138, 2)


def test_a_number_may_have_an_odd_shape(site):
    site.switches = Switches(odd_number=True)
    assert ODD_NUMBER in numbers_of(get(site, params={"limit": 200}).text)
    site.switches = Switches()
    assert ODD_NUMBER not in numbers_of(get(site, params={"limit": 200}).text)


# --- markup ----------------------------------------------------------------------------------


def test_the_running_number_may_have_a_label(site):
    site.switches = Switches(label_in_number=True)
    assert '<td><span class="s-th">순번</span>1</td>' in get(site).text
    assert read_column(get(site).text, 0)[0] == "1"


def test_values_may_stand_in_a_second_span(site, rows):
    site.switches = Switches(value_in_span=True)
    text = get(site).text
    assert f'<span class="s-th">등록번호</span><span>{rows[0].reg_no}</span>' in text
    assert read_cells(text)[1][1:] == as_cells(rows[1])


def test_empty_cells_may_show_a_dash(site):
    site.switches = Switches(empty_mark="-")
    assert read_cells(get(site).text)[1][AT["changed_on"]] == "-"


def test_headers_may_be_the_first_row(site):
    site.switches = Switches(headers="first_row")
    table = find_table(get(site).text)
    assert table.xpath("./thead") == []
    assert [cell.text for cell in table.xpath("./tbody/tr[1]/th")] == HEADERS
    assert len(read_cells(get(site).text)) == 10


def test_nested_tables_may_lack_a_tbody(site):
    site.switches = Switches(nested_tbody=False)
    text = get(site).text
    assert "<table><tr><td>Lonza AG </td></tr>" in text
    assert read_cells(text)[1][AT["maker_names"]] == ("Lonza AG ", "Same Ltd", "Same Ltd")


def test_nested_columns_may_be_flat_text(site):
    site.switches = Switches(nested="text", empty_mark="-")
    text = get(site).text
    assert "Lonza AG <br>Same Ltd<br>Same Ltd" in text
    assert find_table(text).xpath(".//table") == []
    assert read_cells(text)[1][AT["maker_countries"]] == "-"


def test_long_values_may_be_cut_with_the_whole_in_the_title(site, rows):
    name = "미분화" * 20
    site.rows = [replace(rows[0], ingredient_name=name)]
    site.switches = Switches(truncates_long_values=True)
    text = get(site).text
    assert read_cells(text)[0][AT["ingredient_name"]] == name[:39] + "…"
    assert f'title="{name}"' in text


@pytest.mark.parametrize(
    ("columns", "headers"),
    [
        ("added", [*HEADERS[:5], "비고", *HEADERS[5:]]),
        ("renamed", [*HEADERS[:4], "업체명", *HEADERS[5:]]),
        ("reordered", [*HEADERS[:3], "신청인", "성분명", *HEADERS[5:]]),
        ("removed", [header for header in HEADERS if header != "취소/취하구분"]),
        ("moved_cells", HEADERS),
    ],
)
def test_columns_may_change(site, rows, columns, headers):
    site.switches = Switches(columns=columns)
    text = get(site).text
    assert read_headers(text) == headers
    cells = read_cells(text)[1]
    assert len(cells) == len(headers)
    row = rows[1]
    moves = columns in ("reordered", "moved_cells")
    pair = [row.company, row.ingredient_name] if moves else [row.ingredient_name, row.company]
    assert cells[3:5] == pair


def test_classes_may_be_renamed(site):
    site.switches = Switches(table_class="list_tb", label_class="th-label")
    text = get(site).text
    assert 'class="tb_list"' not in text
    assert 'span class="s-th"' not in re.sub("<!--.*?-->", "", text)
    assert find_table(text, "list_tb").xpath("count(.//span[@class='th-label'])") == 140


def test_the_table_may_become_a_grid_of_divs(site, rows):
    site.switches = Switches(list_form="div_grid")
    text = get(site).text
    assert not re.search(r"<(table|tr|td|th)\b", re.sub("<!--.*?-->", "", text))
    assert '<div class="tb_list">' in text
    assert rows[0].reg_no in text


def test_another_register_may_stand_there(site):
    site.switches = Switches(list_form="other_register")
    text = get(site).text
    assert read_headers(text)[1:4] == ["제품명", "업체명", "회수사유"]
    assert len(read_cells(text)) == 10


def test_layout_tables_may_come_first(site):
    site.switches = Switches(layout_tables=True)
    text = get(site).text
    assert text.index('<table class="layout">') < text.index('<table class="tb_list">')
    assert len(read_cells(text)) == 10


def test_each_row_may_have_a_hidden_twin_for_phones(site):
    site.switches = Switches(mobile_rows=True)
    rows = find_table(get(site).text).xpath("./tbody/tr")
    assert [row.get("class") for row in rows] == ["pc-tr", "mobile-tr"] * 10
    assert rows[0].text_content() == rows[1].text_content()
