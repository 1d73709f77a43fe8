"""The list is found by its headers, or the page is refused with the reason."""

from dataclasses import replace

import pytest

from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Fields, PageTable
from dmf_crawler.model.run import Fault
from tests.extract.pages import (
    LABELS,
    Markup,
    fallbacks_used,
    html_page,
    list_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

ROWS = [some_fields(number) for number in (1, 2, 3)]
COLUMNS = tuple(LABELS)
SEARCH_FORM = (
    "<table><tr><th>검색</th><td><input name='searchItem'></td></tr></table>"
    "<div class='wrap'><table class='tb_base'><thead><tr><th>구분</th><th>내용</th></tr></thead>"
    "<tbody><tr><td>1</td><td>안내</td></tr></tbody></table></div>"
)


def _read(page: RawPage, **changes: object) -> PageTable:
    table = read_page(page, some_selectors(**changes))
    assert isinstance(table, PageTable), table
    return table


def _refuse(page: RawPage | str, **changes: object) -> Fault:
    fault = read_page(
        page if isinstance(page, RawPage) else raw_page(page), some_selectors(**changes)
    )
    assert isinstance(fault, Fault), fault
    assert fault.message.endswith("주십시오.")
    fault.message.encode("cp949")
    return fault


def _records(table: PageTable) -> list[Fields]:
    return [row.fields for row in table.rows]


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param({}, id="as the site writes it"),
        pytest.param({"has_thead": False}, id="header in the first row of tbody"),
        pytest.param({"has_nested_tbody": False}, id="nested tables without tbody"),
        pytest.param({"has_labels": False}, id="no labels in cells"),
        pytest.param({"before": SEARCH_FORM, "after": SEARCH_FORM}, id="layout tables around"),
        pytest.param({"columns": COLUMNS[::-1]}, id="columns in another order"),
        pytest.param({"headers": {"company": "업체명"}}, id="header renamed to an alias"),
        pytest.param({"headers": {"company": "<b>신청인</b>&nbsp;"}}, id="markup in a header"),
        pytest.param(
            {"before": "<table><tr><td>", "after": "</td></tr></table>"}, id="list inside layout"
        ),
    ],
)
def test_the_list_is_found_wherever_its_headers_are(markup):
    table = _read(list_page(ROWS, 9_149, **markup))
    assert _records(table) == ROWS
    assert table.announced_total == 9_149
    assert fallbacks_used(table) == []


def test_a_list_with_one_row_is_still_the_list():
    assert _records(_read(list_page(ROWS[:1], 101))) == ROWS[:1]


def test_the_running_number_is_read_by_nobody():
    above, below = _read(list_page(ROWS)), _read(list_page([some_fields(9), *ROWS]))
    assert _records(above) == _records(below)[1:]
    assert not any("순번" in row.fields or "1" in row.fields.values() for row in above.rows)


def test_long_texts_and_many_makers_do_not_make_it_a_layout_table():
    row = some_fields(maker_addresses=("가" * 2_000, "나"), maker_names=tuple("가나다라마"))
    assert _records(_read(list_page([row, *ROWS]))) == [row, *ROWS]


@pytest.mark.parametrize(
    ("body", "code", "exit_code", "found"),
    [
        ("<form><input type='PASSWORD'></form>", "login_page", 6, "로그인"),
        ("<table><tr><td><input type=password></td></tr></table>", "login_page", 6, "로그인"),
        ("<p>시스템 점검 안내</p><script></script>", "maintenance_page", 6, "시스템 점검"),
        ("<h1>Under maintenance</h1>", "maintenance_page", 6, "maintenance"),
        ("<div class='mpage_errwrap'>오류가 발생하였습니다</div>", "error_page", 6, "오류가 발생"),
        ("<p>해당 화면 혹은 기능을 찾을 수 없습니다", "error_page", 6, "찾을 수 없습니다"),
        ("<div id='app'></div><script>go()</script>", "script_only_page", 4, "스크립트"),
        ("<noscript>" + "켜 주십시오 " * 30 + "</noscript><script></script>", "script_only_page", 4,
         "스크립트"),
        ("<p>" + "고시와 공고를 알려 드립니다. " * 9 + "</p><script>x</script>", "no_table", 4,
         "고시와"),
        ("<p>짧은 글</p>", "no_table", 4, "짧은 글"),
        (SEARCH_FORM, "layout_table", 4, "'구분', '내용'"),
        ("<table></table>", "layout_table", 4, "표 1(0/14) 머리글 없음"),
    ],
)  # fmt: skip
def test_a_page_without_the_list_is_refused_with_its_reason(body, code, exit_code, found):
    fault = _refuse(f"<html><head><title>점검 오류가 발생</title></head><body>{body}</body></html>")
    assert (fault.code, fault.exit_code) == (code, exit_code)
    assert fault.is_retryable == (exit_code == 6)
    assert found in fault.message


def test_a_missing_column_is_named_with_what_was_found():
    fault = _refuse(list_page(ROWS, columns=[name for name in COLUMNS if name != "company"]))
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("missing_column", 4, False)
    assert "'신청인'" in fault.message
    assert "'성분명'" in fault.message


def test_a_header_that_vanished_alone_is_a_missing_column_too():
    html = html_page(ROWS).replace("<th>신청인</th>", "")
    assert _refuse(html).code == "missing_column"


def test_a_renamed_header_is_refused_where_no_fallback_finds_the_cells():
    page = list_page(ROWS, headers={"company": "업체"}, has_labels=False)
    fault = _refuse(page)
    assert fault.code == "missing_column"
    assert "'신청인'" in fault.message
    assert "'업체'" in fault.message


def test_a_renamed_header_is_read_by_a_fallback_and_reported():
    table = _read(list_page(ROWS, headers={"company": "업체", "document_no": "번호"}))
    assert _records(table) == ROWS
    assert [used.partition(":")[0] for used in fallbacks_used(table)] == ["company", "document_no"]


def test_a_renamed_header_of_an_empty_list_is_a_missing_column():
    assert _refuse(list_page([], 0, headers={"company": "업체"})).code == "missing_column"


def test_a_fallback_that_misses_one_row_serves_none():
    html = html_page(ROWS, markup=Markup(headers={"company": "업체"}))
    label = '<span class="s-th">신청인</span>'
    assert html.count(label) == len(ROWS)
    assert _refuse(html.replace(label, "", 1)).code == "missing_column"


def test_a_fallback_never_reads_the_column_of_another_field():
    """With exchanged labels the fallback would take the ingredient for the applicant."""
    html = html_page(ROWS, markup=Markup(headers={"company": "업체"}))
    html = html.replace(">신청인<", ">?<").replace('s-th">성분명<', 's-th">신청인<')
    assert _refuse(html).code == "missing_column"


def test_a_header_fallback_reads_a_column_under_its_other_name():
    mapping = selectors_mapping()
    mapping["fields"]["company"]["fallbacks"] = [
        {"strategy": "header_text", "header_aliases": ["업체"]}
    ]
    table = _read(list_page(ROWS, headers={"company": "업 체"}, has_labels=False), **mapping)
    assert _records(table) == ROWS
    assert fallbacks_used(table) == ["company: header_text 업체"]


def test_a_field_may_be_found_by_css_or_in_an_attribute():
    mapping = selectors_mapping()
    mapping["fields"]["company"] |= {"strategy": "css", "selector": "td.company"}
    mapping["fields"]["detail_url"] = {
        "label_ko": "상세",
        "strategy": "attr",
        "selector": "a.detail",
        "attr": "href",
        "fallbacks": [{"strategy": "attr", "selector": "a", "attr": "data-url"}],
    }
    html = html_page(ROWS).replace(
        '<td><span class="s-th">신청인', '<td class=company><span class="s-th">신청인'
    )
    linked = html.replace("<td>1</td>", '<td><a class=detail href=" /1 ">1</a></td>')
    assert _refuse(linked, **mapping).code == "missing_column"
    for number in ("2", "3"):
        linked = linked.replace(
            f"<td>{number}</td>", f'<td><a class=detail href="/{number}">{number}</a></td>'
        )
    rows = _read(raw_page(linked), **mapping).rows
    assert [row.fields["detail_url"] for row in rows] == ["/1", "/2", "/3"]
    assert [dict(row.shown) for row in rows] == [{"detail_url": " /1 "}, {}, {}]
    other = linked.replace("class=detail href", "data-url")
    assert fallbacks_used(_read(raw_page(other), **mapping)) == ["detail_url: attr a"]
    assert _refuse(linked.replace('href="/3"', ""), **mapping).code == "missing_column"


def test_an_unknown_column_must_be_added_to_the_selectors_file():
    fault = _refuse(list_page(ROWS, extra_headers=["품목기준코드"]))
    assert (fault.code, fault.exit_code) == ("unknown_column", 4)
    assert "'품목기준코드'" in fault.message
    assert "selectors 파일" in fault.message


def test_a_column_without_header_is_unknown_too():
    assert "(빈칸)" in _refuse(list_page(ROWS, extra_headers=["&nbsp;"])).message


def test_an_added_column_may_be_ignored_by_name():
    mapping = selectors_mapping() | {"ignored_headers": ["순번", "비고"]}
    assert _records(_read(list_page(ROWS, extra_headers=["비고"]), **mapping)) == ROWS


def test_two_headers_of_one_field_are_refused():
    fault = _refuse(list_page(ROWS, extra_headers=["업체명"]))
    assert (fault.code, fault.exit_code) == ("ambiguous_column", 4)
    assert "'신청인', '업체명'" in fault.message


def _table_of(html: str) -> str:
    return html[html.index("<table") : html.rindex("</table>") + len("</table>")]


def test_two_lists_on_one_page_are_refused():
    html, other = html_page(ROWS), html_page([some_fields(number) for number in (4, 5, 6)])
    fault = _refuse(html.replace("</body>", f"{_table_of(other)}</body>"))
    assert fault.code == "ambiguous_table"


def test_a_list_that_is_there_twice_is_read_once():
    html = html_page(ROWS)
    table = _table_of(html)
    assert _records(_read(raw_page(html.replace(table, table + table)))) == ROWS


def test_a_list_in_two_tables_is_one_list_where_its_running_number_goes_on():
    html = html_page(ROWS)
    head = html[html.index("<thead>") : html.index("</thead>") + len("</thead>")]
    split = f"</tbody></table><h3>2025년</h3><table>{head}<tbody><tr>\n<td>2</td>"
    assert _records(_read(raw_page(html.replace("<tr>\n<td>2</td>", split)))) == ROWS


@pytest.mark.parametrize("cell", ["", "<td>1</td><td>2</td>"])
def test_a_row_with_another_number_of_cells_is_named(cell):
    fault = _refuse(html_page(ROWS).replace("<td>2</td>", cell))
    assert (fault.code, fault.exit_code) == ("ragged_row", 4)
    assert "2번째 행" in fault.message


@pytest.mark.parametrize(
    "row", ["<tr></tr>", "<tr><td colspan=15>&nbsp;</td></tr>", "<tr class=line><td></td></tr>"]
)
def test_a_row_that_only_keeps_others_apart_is_nothing(row):
    html = html_page(ROWS).replace("<tr>\n<td>2</td>", f"{row}<tr>\n<td>2</td>")
    assert _records(_read(raw_page(html))) == ROWS


def test_a_row_of_empty_cells_is_no_spacer():
    row = "<tr>" + "<td></td>" * 15 + "</tr>"
    html = html_page(ROWS).replace("<tr>\n<td>2</td>", f"{row}<tr>\n<td>2</td>")
    assert _refuse(html).code == "unnumbered_row"
    fault = _refuse(html.replace(f"{row}", row.replace("<td></td>", "<td>1</td>", 1)))
    assert (fault.code, fault.exit_code) == ("empty_row", 4)
    assert "2번째 행" in fault.message


def test_rows_in_dead_comments_are_nothing():
    html = html_page(ROWS).replace("<tbody><tr>", "<tbody><!-- <tr><td>old</td></tr> --><tr>", 1)
    assert _records(_read(raw_page(html))) == ROWS


def test_rows_of_several_bodies_are_all_rows():
    html = html_page(ROWS).replace("<tr>\n<td>2</td>", "</tbody><tbody><tr>\n<td>2</td>")
    assert _records(_read(raw_page(html))) == ROWS


def test_of_two_header_rows_the_one_that_names_the_fields_counts():
    html = html_page(ROWS).replace("<thead>", "<thead><tr><th colspan='15'>DMF 현황</th></tr>")
    assert _records(_read(raw_page(html))) == ROWS


def test_the_row_selector_leaves_rows_out_and_its_fallback_is_reported():
    mapping = selectors_mapping()
    mapping["row"] = {"primary": "table tr.pc-tr", "fallbacks": ["table tbody tr"]}
    html = html_page(ROWS)
    marked = html.replace("<tr>\n<td>1</td>", "<tr class=pc-tr>\n<td>1</td>")
    assert _records(_read(raw_page(marked), **mapping)) == ROWS[:1]
    table = _read(raw_page(html), **mapping)
    assert _records(table) == ROWS
    assert fallbacks_used(table) == ["row: css table tbody tr"]


@pytest.mark.parametrize("count", ["<p title='총 {total:,} 건'></p>", ""])
@pytest.mark.parametrize("text", ["조회 결과가 없습니다", "<b>조회결과가 없습니다.</b>"])
def test_an_honest_empty_result_is_a_list_without_rows(count, text):
    html = html_page([], 0, Markup(count=count))
    html = html.replace("<tbody></tbody>", f"<tbody><tr><td colspan='15'>{text}</td></tr></tbody>")
    table = _read(raw_page(html))
    assert (table.rows, table.announced_total) == ((), 0)


def test_a_page_past_the_end_keeps_the_total_that_it_states():
    html = html_page([], 9_149)
    html = html.replace(
        "<tbody></tbody>", "<tbody><tr><td colspan=15>조회 결과가 없습니다</td></tr></tbody>"
    )
    table = _read(raw_page(html))
    assert (table.rows, table.announced_total) == ((), 9_149)


def test_another_text_in_a_single_cell_is_no_empty_result():
    html = html_page([], 5)
    html = html.replace("<tbody></tbody>", "<tbody><tr><td colspan=15>로딩 중</td></tr></tbody>")
    assert _refuse(html).code == "ragged_row"


def test_a_first_page_without_rows_is_refused_where_there_should_be_some():
    fault = _refuse(list_page([], 9_149))
    assert (fault.code, fault.exit_code) == ("no_rows", 4)
    assert "9,149" in fault.message


def test_a_later_page_without_rows_is_left_to_the_caller():
    page = list_page([], 9_149)
    table = _read(replace(page, request=replace(page.request, page_no=93)))
    assert (table.rows, table.announced_total) == ((), 9_149)


def test_a_long_list_of_headers_is_shortened_in_the_message():
    fault = _refuse(list_page(ROWS, extra_headers=["가" * 5_000]))
    assert len(fault.message) < 700


# --- rows that cannot be read cell by cell -------------------------------------------------------

CELL = '<td><span class="s-th">신청인</span>'


def _change_cell(new: str, *, row_no: int = 2, old: str = CELL) -> str:
    """A page of three rows, one cell of one of them rewritten."""
    parts = html_page(ROWS).split(old)
    assert len(parts) == len(ROWS) + 1
    return old.join(parts[:row_no]) + new + old.join(parts[row_no:])


@pytest.mark.parametrize(
    ("span", "row_no", "n_cells"),
    [("colspan=2", 2, 16), ("rowspan='2'", 3, 16), ("rowspan=0", 3, 16), ("colspan=' 02 '", 2, 16)],
)
def test_a_cell_that_pushes_others_out_of_their_columns_is_refused(span, row_no, n_cells):
    fault = _refuse(_change_cell(CELL.replace("<td", f"<td {span}")))
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("ragged_row", 4, False)
    assert f"{row_no}번째 행" in fault.message
    assert f"칸이 {n_cells - ('col' in span)}개" in fault.message


@pytest.mark.parametrize("span", ["colspan=201", "colspan=1000000", "colspan=99999999999"])
def test_a_cell_that_claims_more_columns_than_any_list_has_is_refused(span):
    assert _refuse(_change_cell(CELL.replace("<td", f"<td {span}"))).code == "page_too_complex"


def test_a_cell_over_several_rows_is_the_value_of_each():
    rows = [row | {"company": "한국화이자제약(주)"} for row in ROWS]
    first, *rest = html_page(rows).split(f"{CELL}한국화이자제약(주)</td>")
    html = first + CELL.replace("<td", "<td rowspan=3") + "한국화이자제약(주)</td>" + "".join(rest)
    assert _records(_read(raw_page(html))) == rows


def test_a_cell_over_several_columns_is_the_value_of_each():
    label = '<td><span class="s-th">{}</span></td>'
    old = label.format("문서번호") + "\n" + label.format("연계심사문서번호")
    rows = [row | {"document_no": ""} for row in ROWS]
    assert html_page(rows).count(old) == len(ROWS)
    html = html_page(rows, markup=Markup(has_labels=False)).replace(
        "<td></td>\n<td></td></tr>", "<td colspan=2>-</td></tr>"
    )
    assert html.count("colspan=2") == len(ROWS)
    assert _records(_read(raw_page(html))) == rows


def test_a_number_is_the_cell_of_no_other_field():
    html = html_page(ROWS, markup=Markup(has_labels=False))
    html = html.replace("<td>20260922-211-J-2</td>\n<td>성분2</td>", "<td colspan=2>성분2</td>")
    fault = _refuse(html)
    assert (fault.code, fault.exit_code) == ("spanned_cell", 4)
    assert "'등록번호', '성분명'" in fault.message


@pytest.mark.parametrize("span", ["colspan=1", "rowspan=' 1 ' colspan", "colspan=''"])
def test_a_cell_that_covers_its_own_place_is_read(span):
    assert _records(_read(raw_page(_change_cell(CELL.replace("<td", f"<td {span}"))))) == ROWS


def test_a_header_that_covers_two_columns_of_one_name_is_refused():
    fault = _refuse(html_page(ROWS).replace("<th>신청인", "<th colspan=2>신청인"))
    assert fault.code == "ambiguous_column"


def test_two_header_rows_name_a_column_together():
    html = html_page(ROWS)
    above = (
        "".join(f"<th rowspan=2>{text}</th>" for text in ["순번", *list(LABELS.values())[:10]])
        + "<th colspan=2>취소/취하</th><th rowspan=2>문서번호</th>"
        + "<th rowspan=2>연계심사문서번호</th>"
    )
    old = html[html.index("<thead>") : html.index("</thead>")]
    new = f"<thead><tr>{above}</tr><tr><th>구분</th><th>일자</th></tr>"
    assert _records(_read(raw_page(html.replace(old, new)))) == ROWS


@pytest.mark.parametrize("number", ["순번", "No."])
def test_a_header_among_the_rows_is_no_record(number):
    texts = [number, *LABELS.values()]
    row = "".join(f"<td><b> {text}</b></td>" for text in texts)
    html = html_page(ROWS).replace("<th>순번</th>", f"<th>{number}</th>")
    html = html.replace("<tr>\n<td>2</td>", f"<tr>{row}</tr><tr>\n<td>2</td>")
    table = _read(raw_page(html), ignored_headers=["순번", "No."])
    assert _records(table) == ROWS
    assert [each.row_no for each in table.rows] == [1, 2, 3]


def test_a_record_with_some_headers_as_values_is_a_record():
    rows = [some_fields(4) | {name: LABELS[name] for name in ("company", "target")}, *ROWS]
    assert _records(_read(list_page(rows))) == rows


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<tr>\n<td>2</td>", "<tr hidden><td>2</td>"),
        ("<tr>\n<td>2</td>", "<tr hidden='until-found'><td>2</td>"),
        ("<tr>\n<td>2</td>", "<tr style='color:red; DISPLAY : none !important'><td>2</td>"),
        ("<tr>\n<td>2</td>", "</tbody><tbody hidden><tr><td>2</td>"),
    ],
)
def test_a_row_that_nobody_sees_is_refused(old, new):
    fault = _refuse(html_page(ROWS).replace(old, new))
    assert (fault.code, fault.exit_code) == ("hidden_row", 4)
    assert "2번째 행" in fault.message
    assert "'20260922-211-J-2'" in fault.message.replace("등록번호", "")


def test_a_hidden_row_that_says_that_the_list_is_empty_is_refused_too():
    html = html_page([], 0)
    row = "<tr hidden><td colspan=15>조회 결과가 없습니다</td></tr>"
    assert _refuse(html.replace("<tbody></tbody>", f"<tbody>{row}</tbody>")).code == "hidden_row"


def test_a_hidden_row_that_the_row_selector_leaves_out_is_nothing():
    html = html_page(ROWS).replace("<tr>\n<td>", "<tr class=pc-tr><td>")
    hidden = "<tr style='display:none'><td></td></tr>"
    html = html.replace("<tr class=pc-tr>", f"{hidden}<tr class=pc-tr>")
    mapping = selectors_mapping()
    mapping["row"] = {"primary": "table tr.pc-tr"}
    assert _records(_read(raw_page(html), **mapping)) == ROWS


@pytest.mark.parametrize(
    "row",
    [
        "<tr>제목<td>2</td>",
        "<tr><td>2</td>값",
        "<tr><b>값</b><td>2</td>",
    ],
)
def test_a_text_outside_the_cells_of_a_row_is_not_lost_in_silence(row):
    fault = _refuse(html_page(ROWS).replace("<tr>\n<td>2</td>", row))
    assert (fault.code, fault.exit_code) == ("stray_text", 4)
    assert "2번째 행" in fault.message


def test_a_cell_that_ends_inside_its_label_leaves_no_empty_value():
    cell = '<td><span class="s-th">신청인</td></span>'
    assert _refuse(_change_cell(cell)).code in {"stray_text", "ragged_row"}


# --- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("row_no", [1, 2, 3])
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param('<td><span class="s-th">신청인', id="without end tag"),
        pytest.param('<td><span class="s-th"><span class="s-th">신청인</span>', id="opened twice"),
        pytest.param("<td>신청인", id="missing"),
        pytest.param('<td><span class="s-th">업체</span>', id="another"),
        pytest.param(CELL + '<span class="s-th">신청인</span>', id="two"),
    ],
)
def test_a_label_that_is_not_the_one_of_its_column_is_refused(cell, row_no):
    """Without its end tag it takes the value out of the record."""
    fault = _refuse(_change_cell(cell, row_no=row_no))
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("label_differs", 4, False)
    assert f"{row_no}번째 행, 열 '신청인'" in fault.message
    assert "같은 '신청인'이어야" in fault.message


def test_a_label_that_holds_a_nested_table_is_refused():
    cell = '<td><span class="s-th">제조소명</span>\n'
    fault = _refuse(_change_cell(cell.replace("</span>", ""), old=cell))
    assert fault.code == "label_differs"
    assert "Lonza AG" in fault.message


def test_a_label_inside_a_nested_table_is_that_of_its_column_too():
    label = '<span class="s-th">이름</span>'
    page = html_page(ROWS).replace("<td>Lonza AG", f"<td>{label}Lonza AG")
    page = page.replace("<td>Pfizer", f"<td>{label}Pfizer")
    assert _records(_read(raw_page(page))) == ROWS
    fault = _refuse(page.replace(label, label.replace("</span>", ""), 1))
    assert fault.code == "label_differs"
    assert "'이름Lonza AG'" in fault.message


def test_the_labels_of_a_column_need_not_be_its_header():
    page = html_page(ROWS).replace('s-th">신청인', 's-th">업체 (신청)')
    assert _records(_read(raw_page(page))) == ROWS


def test_a_column_that_no_field_reads_may_have_labels_here_and_there():
    page = html_page(ROWS).replace("<td>2</td>", '<td><span class="s-th">순번</span>2</td>')
    assert _records(_read(raw_page(page))) == ROWS


@pytest.mark.parametrize(
    ("label", "is_refused"),
    [
        ("등록번호20260922-211-J-1", True),
        ("등록번호 ２０２６", True),
        ("가" * 41, True),
        ("가" * 40, False),
        ("등록번호(제123호)", False),
        ("업체", False),
    ],
)
def test_the_label_of_a_lone_row_must_not_look_like_a_value(label, is_refused):
    html = html_page(ROWS[:1]).replace('s-th">등록번호<', f's-th">{label}<')
    table = read_page(raw_page(html), some_selectors())
    assert isinstance(table, Fault) == is_refused
    if isinstance(table, Fault):
        assert (table.code, table.exit_code) == ("label_differs", 4)
        assert "1번째 행, 열 '등록번호'" in table.message


def test_two_rows_may_have_a_label_that_looks_like_a_value():
    html = html_page(ROWS[:2]).replace('s-th">최종연차보고년도', 's-th">2026년도')
    assert _records(_read(raw_page(html))) == ROWS[:2]


def test_what_a_site_wrote_is_shortened_in_every_message():
    long = "가" * 100_000
    pages = (
        _change_cell(f'<td><span class="s-th">{long}</span>'),
        html_page(ROWS, markup=Markup(extra_headers=[long])),
        html_page(ROWS).replace("<tr>\n<td>2</td>", f"<tr hidden><td>{long}</td>"),
        html_page(ROWS).replace("<tr>\n<td>2</td>", f"<tr>{long}<td>2</td>"),
        f"<p>{long}</p></html>",
        f"<table><tr><td>{long}</td></tr></table></html>",
    )
    for page in pages:
        fault = _refuse(page)
        assert "가" * 70 in fault.message
        assert len(fault.message) < 700, fault.code
