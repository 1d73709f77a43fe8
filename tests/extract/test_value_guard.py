"""A cell that shows something else than its value refuses the page."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from dmf_crawler.extract.parser import read_page
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from tests.extract.pages import (
    LABELS,
    html_page,
    raw_page,
    selectors_mapping,
    some_fields,
    some_selectors,
)

N_ROWS = 6
COMPANIES = tuple(f"회사{number}" for number in range(N_ROWS))
MAKERS = tuple((f"Lonza{number} AG", f"Pfizer{number}") for number in range(N_ROWS))
LABEL = '<span class="s-th">신청인</span>'
NESTED_LABEL = '<span class="s-th">제조소명</span>'


def _rows(**changes: Sequence[Value]) -> list[dict[str, Value]]:
    return [
        some_fields(number, **{name: values[number] for name, values in changes.items()})
        for number in range(N_ROWS)
    ]


def _html(shown: str, numbers: Sequence[int] = range(N_ROWS)) -> str:
    """A page on which the company of some rows is written as `shown`, `@` being the company."""
    html = html_page(_rows(company=COMPANIES))
    for number in numbers:
        old = f"{LABEL}{COMPANIES[number]}</td>"
        assert old in html
        html = html.replace(old, f"{LABEL}{shown.replace('@', COMPANIES[number])}</td>")
    return html


def _nested_html(inner: str, numbers: Sequence[int] = range(N_ROWS)) -> str:
    """A page on which the makers of some rows are written as `inner`, `@` and `#` being they."""
    html = html_page(_rows(maker_names=MAKERS))
    for number in numbers:
        first, second = MAKERS[number]
        table = f"<tbody><tr><td>{first}</td></tr><tr><td>{second}</td></tr></tbody>"
        old = f"{NESTED_LABEL}\n  <table>{table}</table>"
        assert old in html
        html = html.replace(old, NESTED_LABEL + inner.replace("@", first).replace("#", second))
    return html


def _fault(html: str, **changes: object) -> Fault:
    fault = read_page(raw_page(html), some_selectors(**changes))
    assert isinstance(fault, Fault), fault
    assert fault.exit_code == 4
    assert not fault.is_retryable
    assert fault.message.endswith("주십시오.")
    return fault


def _values(html: str, field: str, **changes: object) -> list[Value]:
    table = read_page(raw_page(html), some_selectors(**changes))
    assert isinstance(table, PageTable), table
    return [row.fields[field] for row in table.rows]


def _fields(**changes: object) -> dict[str, object]:
    """The fields of the file, the company's changed."""
    fields: dict[str, Any] = selectors_mapping()["fields"]
    return fields | {"company": fields["company"] | changes}


@pytest.mark.parametrize(
    "shown",
    [
        '@<span class="hide">상태</span>',
        '<span style="font-size:0">01</span>@',
        '<span style="display: none">01</span>@',
        '@<p class="blind">신청인</p>',
        "@<svg><title>새 창</title><path d='M0'/></svg>",
        "@ <button type='button'>보기</button>",
        "@ <button>보기</button> <button>지도</button>",
        "<button></button><button>@</button>",
        "<button><button>@</button></button>",
        "@<input type='hidden' value='7'>",
        "@<template><b>{{name}}</b></template>",
        "<div>@</div>",
        "<div><p>@</p></div>",
        "<x-name>@</x-name>",
        "<a href='#'><span>@</span></a>",
    ],
)
def test_what_nobody_sees_and_what_wraps_a_value_is_no_part_of_it(shown):
    assert _values(_html(shown), "company") == list(COMPANIES)


@pytest.mark.parametrize(
    ("shown", "numbers", "found"),
    [
        pytest.param("@<span>NEW</span>", [3], "NEW", id="a known mark in one row"),
        pytest.param("@ <em>변경</em>", [3], "변경", id="a known Korean mark in one row"),
        pytest.param("@<sup>1)</sup>", [2], "1)", id="a footnote"),
        pytest.param("@<span>공시</span>", [1, 4], "공시", id="the same mark in two rows"),
        pytest.param("<span>KR</span>@", [1, 4], "KR", id="a mark before two values"),
        pytest.param("@ <a href='#'>상세</a>", range(N_ROWS), "상세", id="a link in all rows"),
        pytest.param("<span>@</span><span>@</span>", [1], "회사1", id="said twice in a line"),
        pytest.param("<div>@</div><div>@</div>", [1], "회사1", id="said twice in blocks"),
        pytest.param("<div>@</div><div>Co.</div>", [1], "Co.", id="two blocks"),
        pytest.param("@<p>Co.</p>", [1], "Co.", id="a block beside the value"),
        pytest.param("@<div hidden>도움말</div>", [1], "도움말", id="a hidden block"),
        pytest.param("<del>옛이름</del>@", [1], "옛이름", id="struck out"),
        pytest.param("@<BV> Ltd.", [1], "<bv>", id="a value that is taken for an element"),
    ],
)
def test_more_than_the_value_is_refused(shown, numbers, found):
    fault = _fault(_html(shown, numbers))

    assert fault.code == "odd_value"
    assert f"{numbers[0] + 1}번째 행, 열 '신청인'" in fault.message
    assert found in fault.message


@pytest.mark.parametrize(
    ("shown", "numbers"),
    [
        pytest.param("@<b>(주)</b>", [3], id="emphasis in one row"),
        pytest.param("@<sub>2</sub>", [1, 2], id="an index is part of a name"),
        pytest.param("@<sup>14</sup>C", [1], id="a mass number, too"),
        pytest.param("@<br>Co.", [1], id="lines"),
    ],
)
def test_markup_of_a_value_is_part_of_it(shown, numbers):
    values = _values(_html(shown, numbers), "company")

    assert all(str(values[number]).startswith(f"회사{number}") for number in numbers)
    assert values[numbers[0]] != COMPANIES[numbers[0]]


def _marked(*marks: str) -> str:
    """A page on which a mark stands behind the company of each of the first rows."""
    html = html_page(_rows(company=COMPANIES))
    for company, mark in zip(COMPANIES, marks, strict=False):
        assert f"{LABEL}{company}</td>" in html
        html = html.replace(f"{LABEL}{company}</td>", f"{LABEL}{company} <span>{mark}</span></td>")
    return html


def test_marks_of_more_than_three_kinds_are_words_of_the_values():
    fault = _fault(_marked("가", "나", "다", "나"))

    assert (fault.code, "2번째 행" in fault.message) == ("odd_value", True)
    assert "'나'" in fault.message
    assert _values(_marked("가", "나", "다", "나", "라"), "company") == [
        *("회사0 가", "회사1 나", "회사2 다", "회사3 나", "회사4 라", "회사5")
    ]


@pytest.mark.parametrize("tag", ["b", "em", "i", "mark", "strong", "u"])
def test_the_emphasised_beginning_of_a_value_is_part_of_it(tag):
    values = _values(_html(f"<{tag}>KR</{tag}>@", [1, 4]), "company")

    assert values == ["회사0", "KR회사1", "회사2", "회사3", "KR회사4", "회사5"]
    for mark in (f"<{tag}>KR</{tag}> @", f"@<{tag}>KR</{tag}>"):
        fault = _fault(_html(mark, [1, 4]))
        assert (fault.code, "'KR'" in fault.message) == ("odd_value", True)


@pytest.mark.parametrize("tag", ["a", "font", "ins", "label", "small", "span"])
def test_another_element_before_two_values_is_a_mark_though_it_joins_them(tag):
    assert _fault(_html(f"<{tag}>KR</{tag}>@", [1, 4])).code == "odd_value"
    inside = _values(_html(f"(주)<{tag}>KR</{tag}>@", [1, 4]), "company")
    assert inside[1] == "(주)KR회사1"


@pytest.mark.parametrize("n_buttons", [1, 10_001, 10_002, 10_003, 40_000])
def test_however_many_buttons_stand_beside_a_value_none_of_them_is_part_of_it(n_buttons):
    shown = f"@{'<button>보기</button>' * n_buttons}"

    assert _values(_html(shown, [1]), "company") == list(COMPANIES)


def test_so_many_parts_of_a_list_may_wait_for_a_click_and_no_more():
    def html(n_hidden: int) -> str:
        hidden = (f"<tr hidden><td>숨은 곳 {number}</td></tr>" for number in range(n_hidden))
        return _nested_html(f"<table><tr><td>@</td></tr>{''.join(hidden)}</table>", [1])

    assert _values(html(100), "maker_names")[1] == (
        MAKERS[1][0], *(f"숨은 곳 {number}" for number in range(100))
    )  # fmt: skip
    fault = _fault(html(101))
    assert (fault.code, "'숨은 곳 0'" in fault.message) == ("odd_value", True)


def test_marks_that_the_file_calls_unseen_are_left_out():
    unseen = (".badge", ".blind")

    values = _values(_html('@<em class="badge">NEW</em>'), "company", unseen=unseen)

    assert values == list(COMPANIES)


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("<img src='a.png' alt='화이자'>", "화이자"),
        ("<input type='text' value='화이자'>", "화이자"),
        ("<select><option>가<option selected>화이자</select>", "화이자"),
    ],
)
def test_a_value_that_is_no_text_is_refused(shown, found):
    fault = _fault(_html(shown, [2]))

    assert fault.code == "unread_value"
    assert (
        f"3번째 행, 열 '신청인'의 값이 글자가 아니라 그림이나 입력란입니다('{found}')"
        in fault.message
    )


# --- cut values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "numbers", "row_no"),
    [
        pytest.param("@…", [1, 3], 4, id="two of them"),
        pytest.param("@...", [1, 3], 4, id="with full stops"),
        pytest.param("…", [2], 3, id="nothing but the ellipsis"),
        pytest.param("<span title='@제약(주)'>@…</span>", [2], 3, id="the rest in a title"),
    ],
)
def test_cut_values_are_refused_where_nobody_reads_the_rest(shown, numbers, row_no):
    fault = _fault(_html(shown, numbers), fields=_fields(title_attr=False))

    assert fault.code == "cut_value"
    assert f"{row_no}번째 행, 열 '신청인'의 값이 잘려 있습니다" in fault.message


def test_one_value_may_end_in_an_ellipsis():
    assert _values(_html("@…", [1]), "company")[1] == "회사1…"


def test_a_cut_value_is_read_from_its_title_if_the_file_says_so():
    html = _html("<span title='@제약(주)'>@…</span>")

    assert _values(html, "company", fields=_fields(title_attr=True)) == [
        f"{company}제약(주)" for company in COMPANIES
    ]


def test_cut_values_in_lists_are_refused():
    assert _fault(_nested_html("<ul><li>@...</li><li>#</li></ul>", [1, 3])).code == "cut_value"


# --- several values in a cell --------------------------------------------------------------------


@pytest.mark.parametrize(
    "inner",
    [
        "<table><tr><td>@</td></tr><tr><td>#</td></tr></table>",
        "<table><tr><td>@</td></tr><tr style='display:none'><td>#</td></tr></table>",
        "<table><thead><tr><th>제조소명</th></tr></thead><tr><td>@<tr><td>#</table>",
        "<ul><li>@</li><li>#</li></ul>",
        "<div>@</div><div>#</div>",
        "<div>@<br>#</div>",
        "@<br/>#",
    ],
)
def test_lists_of_values_are_told_apart_by_table_list_block_and_line(inner):
    assert _values(_nested_html(inner), "maker_names") == list(MAKERS)


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        ("<div><span>@</span> <span>#</span></div>", "값을 가르는 것이 없음"),
        ("<span>@</span> <span>#</span>", "값을 가르는 것이 없음"),
        ("<table><tr><th>명칭</th></tr><tr><td>@</td></tr></table>", "안쪽 표에 머리글"),
        (
            "<table><tr><td>1</td><td>@</td></tr><tr><td>2</td><td>#</td></tr></table>",
            "안쪽 표에 열이 여러 개",
        ),
        ("@ / #", "모든 칸에 값이 하나씩"),
        ("<ul><li>• @</li><li>• #</li></ul>", "값마다 '•' 표시"),
    ],
)
def test_lists_of_values_that_cannot_be_told_apart_are_refused(inner, found):
    fault = _fault(_nested_html(inner))

    assert fault.code == "odd_nested"
    assert f"열 '제조소명'에서 값 여럿을 가르는 방식이 바뀌었습니다({found}" in fault.message


@pytest.mark.parametrize(
    "inner",
    [
        "<table><tr><td>@</td></tr><tr hidden><td>@</td></tr></table>",
        "<table><tr><td>@</td></tr></table><div hidden><table><tr><td>@</td></tr></table></div>",
    ],
)
def test_values_of_a_list_that_stand_there_twice_are_refused(inner):
    assert _fault(_nested_html(inner, [2])).code == "odd_value"


@pytest.mark.parametrize("first", ["", "<table><tr><td>@</td></tr><tr><td>#</td></tr></table>"])
def test_the_head_of_an_inner_table_is_no_value_whatever_the_first_row_has(first):
    head = "<thead><tr><td>제조소명</td></tr></thead>"
    html = _nested_html(f"<table>{head}<tr><td>@</td></tr><tr><td>#</td></tr></table>")
    table = html[html.index(f"<table>{head}") :]
    table = table[: table.index("</table>") + len("</table>")]
    one, two = MAKERS[0]

    values = _values(
        html.replace(table, first.replace("@", one).replace("#", two), 1), "maker_names"
    )

    assert values == [MAKERS[0] if first else (), *MAKERS[1:]]


def test_the_row_is_named_where_cells_span_rows():
    html = _html("<del>옛</del>@", [4])
    for number in (1, 2):
        html = html.replace(f"<td>{LABEL}{COMPANIES[number]}</td>", "")
    html = html.replace(f"<td>{LABEL}회사0", f"<td rowspan=3>{LABEL}회사0")

    fault = _fault(html)

    assert fault.code == "odd_value"
    assert "5번째 행, 열 '신청인'" in fault.message


# --- labels --------------------------------------------------------------------------------------


def test_a_label_that_nobody_dropped_is_refused():
    html = html_page(_rows(company=COMPANIES)).replace(LABEL, "신청인: ")

    fault = _fault(html)

    assert fault.code == "label_kept"
    assert "열 '신청인'" in fault.message


def test_labels_of_another_column_are_refused():
    html = html_page(_rows()).replace(LABEL, LABEL.replace("신청인", "등록번호"))

    fault = _fault(html)

    assert fault.code == "label_of_other_column"
    assert "열 '신청인' 아래 칸의 이름표가 다른 항목의 이름입니다('등록번호')" in fault.message


@pytest.mark.parametrize(
    "label",
    [
        pytest.param('<span class="s-th">신청인화이자</span>', id="without its end"),
        pytest.param(f'{LABEL}<span class="s-th">화이자</span>', id="its class on the value, too"),
    ],
)
def test_a_label_that_holds_the_value_of_every_row_is_refused(label):
    html = html_page(_rows(company=[""] * N_ROWS)).replace(LABEL, label)

    fault = _fault(html)

    assert fault.code == "label_differs"
    assert "화이자" in fault.message


def test_the_label_that_holds_a_value_is_named_with_its_row():
    html = html_page(_rows(company=[""] * N_ROWS)).replace(LABEL, "")
    start, end = html.split("<td>2</td>")
    end = end.replace("<td></td>", f"<td>{LABEL.replace('인<', '인화이자<')}</td>", 1)

    fault = _fault(f"{start}<td>2</td>{end}")

    assert fault.code == "label_differs"
    assert "2번째 행, 열 '신청인'의 이름표는 '신청인화이자'입니다" in fault.message


def test_an_empty_column_may_have_labels_of_its_own():
    html = html_page(_rows(company=[""] * N_ROWS)).replace("신청인</span>", "회사</span>")

    assert _values(html, "company") == [""] * N_ROWS


# --- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attribute", ["class='hide'", "aria-hidden='true'", "hidden"])
def test_an_unseen_row_counts_unless_it_repeats_its_neighbour(attribute):
    html = html_page(_rows())
    again = html.split("<tr>\n<td>2</td>")[1].split("<tr>\n<td>3</td>")[0]
    twice = html.replace("<tr>\n<td>3</td>", f"<tr {attribute}><td>2</td>{again}<tr>\n<td>3</td>")
    hidden = html.replace("<tr>\n<td>2</td>", f"<tr {attribute}>\n<td>2</td>")

    assert len(_values(twice, "company")) == N_ROWS
    assert _fault(hidden).code == "hidden_row"


@pytest.mark.parametrize("tag", ["b", "wbr"])
def test_a_text_outside_the_cells_is_refused_whatever_holds_it(tag):
    html = html_page(_rows()).replace("<tr>\n<td>2</td>", f"<tr><{tag}>남는 값</{tag}><td>2</td>")

    assert _fault(html).code == "stray_text"


@pytest.mark.parametrize("template", ["{{ item.no }}", "${item.no}", "<%= item.no %>"])
def test_a_hidden_row_that_a_script_fills_in_is_no_record(template):
    row = f"<tr hidden><td>{template.replace('<', '&lt;')}</td>{'<td></td>' * 14}</tr>"
    html = html_page(_rows()).replace("<tr>\n<td>1</td>", f"{row}<tr>\n<td>1</td>")

    assert len(_values(html, "company")) == N_ROWS


def test_empty_cells_behind_the_last_column_are_nothing():
    html = html_page(_rows(company=COMPANIES))
    end = "연계심사문서번호</span></td></tr>"
    assert html.count(end) == N_ROWS
    longer = end.replace("</tr>", "<td> </td></tr>")

    assert _fault(html.replace(end, longer, 1)).code == "ragged_row"
    assert _values(html.replace(end, longer), "company") == list(COMPANIES)


def test_more_rows_than_a_page_can_have_are_refused():
    row = selectors_mapping()["row"]

    fault = _fault(html_page(_rows()), row=row | {"min_expected": 1, "max_expected": N_ROWS - 1})

    assert fault.code == "too_many_rows"
    assert f"{N_ROWS}" in fault.message


def _with_hidden(row: str, html: str = "") -> str:
    """The page with a hidden row behind its second one."""
    html = html or html_page(_rows(company=COMPANIES))
    assert html.count("<tr>\n<td>3</td>") == 1
    return html.replace("<tr>\n<td>3</td>", f"<tr hidden>{row}</tr><tr>\n<td>3</td>")


def _second_row(html: str) -> str:
    return html.split("<tr>\n<td>2</td>")[1].split("</tr>\n<tr>\n<td>3</td>", maxsplit=1)[0]


@pytest.mark.parametrize(("n_more", "code"), [(0, "read"), (1, "hidden_row")])
def test_so_long_a_row_is_compared_with_the_hidden_one_beside_it_and_no_longer(n_more, code):
    def html(n_chars: int) -> str:
        return html_page(_rows(target=["별표1", "가" * n_chars, *["별표1"] * 4]))

    plain = re.sub("<[^<>]*>", "", "<td>2</td>" + _second_row(html(0)))
    page = html(20_000 - len("".join(plain.split())) + n_more)
    table = read_page(
        raw_page(_with_hidden(f"<td>2</td>{_second_row(page)}", page)), some_selectors()
    )

    assert (table.code if isinstance(table, Fault) else "read") == code


def test_a_hidden_row_need_not_repeat_the_running_number():
    html = html_page(_rows(company=COMPANIES))
    hidden = _with_hidden(f"<td>더 보기</td>{_second_row(html)}", html)

    words = hidden.replace("<td>2</td>", "<td>둘째</td>").replace("<td>1</td>", "<td>첫째</td>")
    for number in "3456":
        words = words.replace(f"<td>{number}</td>", "<td>다음</td>")
    assert _values(words, "company") == list(COMPANIES)
    other = words.replace("회사1</td>", "회사</td>", 2).replace("회사</td>", "회사1</td>", 1)
    assert _fault(other).code == "hidden_row"


def test_a_hidden_row_may_say_some_values_beside_the_names_of_their_columns():
    html = html_page(_rows(company=COMPANIES)).replace('<span class="s-th">', "<i>")
    for label in LABELS.values():
        html = html.replace(f"<i>{label}</span>", "")
    some = "<td><b>신청인</b> <i>회사1</i><br><b>등록번호</b> <i>20260922-211-J-1</i></td><td></td>"

    assert _values(_with_hidden(some, html), "company") == list(COMPANIES)
    assert _fault(_with_hidden(some.replace("회사1", "회사0"), html)).code == "hidden_row"


def test_surplus_cells_that_hold_something_are_no_surplus():
    html = html_page(_rows(company=COMPANIES))
    end = "연계심사문서번호</span></td></tr>"
    longer = end.replace("</tr>", "<td><img src=a.png></td></tr>")

    assert _fault(html.replace(end, longer)).code == "ragged_row"


@pytest.mark.parametrize(
    ("texts", "is_refused"),
    [
        ("12공공", True),
        ("1공2공", True),
        ("12공공공", False),
        ("21공공", True),
        ("13공공", False),
        ("공공공공", False),
        ("1234", False),
    ],
)
def test_rows_outside_the_count_are_refused_where_half_of_them_are_counted(texts, is_refused):
    html = html_page([some_fields(number) for number in range(len(texts))])
    for number, text in reversed([*enumerate(texts, start=1)]):
        html = html.replace(f"<tr>\n<td>{number}</td>", f"<tr>\n<td>{text} </td>")

    table = read_page(raw_page(html), some_selectors())

    assert isinstance(table, Fault) == is_refused, table
    if isinstance(table, Fault):
        assert (table.code, "'공'" in table.message) == ("unnumbered_row", True)


@pytest.mark.parametrize(("n_rows", "is_refused"), [(2, False), (3, True)])
@pytest.mark.parametrize("text", ["신청인 {}", "{} 신청인"])
def test_a_name_in_three_values_of_a_column_is_a_label(text, n_rows, is_refused):
    rows = [some_fields(number, company=text.format(f"회사{number}")) for number in range(n_rows)]
    html = html_page(rows).replace(LABEL, "")

    table = read_page(raw_page(html), some_selectors())

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, Fault):
        assert table.code == "label_kept"
    else:
        assert [row.fields for row in table.rows] == rows


def test_a_label_outside_the_cells_of_a_row_is_no_stray_text():
    label = '<b><span class="s-th">순번</span></b>'
    html = html_page(_rows(company=COMPANIES))

    labelled = html.replace("<tr>\n<td>2</td>", f"<tr>{label}<td>2</td>")
    assert _values(labelled, "company") == list(COMPANIES)


def test_a_hidden_row_may_stand_before_the_one_that_says_it():
    html = html_page(_rows(company=COMPANIES))
    second = _second_row(html)
    before = html.replace("<tr>\n<td>2</td>", f"<tr hidden><td>2</td>{second}</tr><tr>\n<td>2</td>")

    assert _values(before, "company") == list(COMPANIES)
    assert _fault(before.replace("회사1</td>", "회사9</td>", 1)).code == "hidden_row"


@pytest.mark.parametrize(("n_rows", "is_refused"), [(4, False), (5, True)])
def test_what_stands_behind_all_values_is_a_mark_from_five_rows_on(n_rows, is_refused):
    rows = [some_fields(number, company=f"회사{number}@") for number in range(n_rows)]
    html = html_page(rows).replace("@</td>", " <span>공시</span></td>")
    makers = html_page([row | {"maker_names": ("- 가", "- 나")} for row in rows[:2]])

    table = read_page(raw_page(html), some_selectors())

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, PageTable):
        assert [row.fields["company"] for row in table.rows] == [
            f"회사{number} 공시" for number in range(n_rows)
        ]
    assert _values(makers, "maker_names") == [("- 가", "- 나")] * 2


@pytest.mark.parametrize(("values", "is_refused"), [(("• 가", "• 나"), False), (("• 가",), False),
                                                    (("• 가", "• 나", "• 다"), True)])  # fmt: skip
def test_marks_before_five_values_of_lists_are_marks(values, is_refused):
    rows = [some_fields(number, maker_names=values) for number in (1, 2)]

    table = read_page(raw_page(html_page(rows)), some_selectors())

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, Fault):
        assert (table.code, "'•'" in table.message) == ("odd_nested", True)


def test_marks_before_single_values_are_part_of_them():
    rows = [some_fields(number, maker_names=("- 가",)) for number in range(N_ROWS)]

    assert _values(html_page(rows), "maker_names") == [("- 가",)] * N_ROWS


def test_a_known_mark_before_a_value_and_a_longer_note_above_it_are_parts_of_it():
    assert _values(_html("<span>NEW</span> @", [3]), "company")[3] == "NEW 회사3"
    assert _values(_html("@<sup>1)가</sup>", [3]), "company")[3] == "회사31)가"


def test_an_ellipsis_alone_may_be_a_placeholder():
    html = _html("…", [2])

    assert _values(html, "company", fields=_fields(placeholders=["…"]))[2] == ""
    assert _fault(html, fields=_fields(placeholders=["-"])).code == "cut_value"


@pytest.mark.parametrize(
    ("inner", "is_refused"),
    [
        ("<table><tr><td>1.</td><td>@</td></tr></table>", True),
        ("<table><tr><td>12)</td><td>@</td></tr></table>", True),
        ("<table><tr><td>@</td><td>#</td></tr></table>", False),
    ],
)
def test_a_counted_row_of_an_inner_table_has_columns(inner, is_refused):
    table = read_page(raw_page(_nested_html(inner, [2])), some_selectors())

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, PageTable):
        assert table.rows[2].fields["maker_names"] == MAKERS[2]


@pytest.mark.parametrize(("tag", "is_refused"), [("x-y", False), ("x:y", False), ("xy", True)])
def test_elements_of_a_sites_own_are_known_by_their_names(tag, is_refused):
    table = read_page(raw_page(_html(f"<{tag}>@</{tag}>", [2])), some_selectors())

    assert isinstance(table, Fault) == is_refused
    if isinstance(table, PageTable):
        assert table.rows[2].fields["company"] == COMPANIES[2]
