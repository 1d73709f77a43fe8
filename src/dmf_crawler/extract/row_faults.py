"""Why a row of the list cannot be read: one fault per reason, worded for people."""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.model.run import Fault

_NEXT_SELECTORS = "보관된 페이지를 열어 보고 selectors 파일을 고친 뒤 다시 실행해 주십시오."
_NEXT_ROWS = (
    "보관된 페이지를 열어 보고, 목록의 행이 아니면 selectors 파일의 row.primary가 그 행을 고르지 "
    "않게 고친 뒤 다시 실행해 주십시오."
)


def ragged_row(row_no: int, n_cells: int, n_columns: int) -> Fault:
    """Name the row whose cells cannot be told apart by column."""
    return Fault(
        "ragged_row",
        f"목록 표의 {row_no}번째 행에 칸이 {n_cells}개 있습니다. 머리글과 같은 {n_columns}개여야 "
        f"합니다. 합쳐진 칸이나 빠진 칸이 있는지 확인해 주십시오. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def loose_text(row_no: int, text: str) -> Fault:
    """Name the row that has a text outside its cells."""
    return Fault(
        "stray_text",
        f"목록 표의 {row_no}번째 행에서 칸 밖에 글자가 있습니다({quote_texts([text])}). 값은 모두 "
        "칸 안에 있어야 합니다. 보관된 페이지를 열어 보고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def spanned_cell(row_no: int, columns: Sequence[str]) -> Fault:
    """Name the cell that is the number and another field at once."""
    return Fault(
        "spanned_cell",
        f"목록 표의 {row_no}번째 행에서 번호 칸이 다른 열과 합쳐져 있습니다(열 "
        f"{quote_texts(columns)}). 번호는 제 열에만 있어야 합니다. 보관된 페이지를 열어 보고 "
        "개발자에게 알려 주십시오.",
        exit_code=4,
    )


def hidden_row(row_no: int, texts: Sequence[str]) -> Fault:
    """Name the row that people do not see on the site."""
    return Fault(
        "hidden_row",
        f"목록 표의 {row_no}번째 행이 화면에 보이지 않는 행인데 옆의 행을 되풀이하지도 "
        f"않습니다({quote_texts(texts)}). 화면에 보이는 행만 목록이어야 합니다. {_NEXT_ROWS}",
        exit_code=4,
    )


def label_differs(row_no: int, column: str, found: Sequence[str], expected: Sequence[str]) -> Fault:
    """Name the cell whose labels are not those of its column."""
    return _label_differs(row_no, column, found, f"같은 열의 다른 칸과 같은 {_name(expected)}")


def label_of_other_column(found: Sequence[str], column: str) -> Fault:
    """Name the column whose labels are the name of another field."""
    return Fault(
        "label_of_other_column",
        f"목록 표의 열 {quote_texts([column])} 아래 칸의 이름표가 다른 항목의 이름입니다"
        f"({quote_texts(found)}). 머리글과 이름표가 같은 항목이어야 합니다. 열이 밀렸거나 머리글이 "
        "바뀌었을 수 있습니다. 보관된 페이지를 열어 보고, 사이트의 이름표가 잘못 적힌 것뿐이면 그 "
        "글자를 이 항목의 label 셀렉터 labels에도 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def unread_value(row_no: int, column: str, found: str) -> Fault:
    """Name the cell that shows something that is no text."""
    return Fault(
        "unread_value",
        f"목록 표의 {row_no}번째 행, 열 {quote_texts([column])}의 값이 글자가 아니라 그림이나 "
        f"입력란입니다({quote_texts([found])}). 값은 글자여야 합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def odd_value(row_no: int, column: str, found: str) -> Fault:
    """Name the cell that shows more, or less, than its value."""
    return Fault(
        "odd_value",
        f"목록 표의 {row_no}번째 행, 열 {quote_texts([column])}에 값이 아닌 글자가 붙어 있습니다"
        f"({quote_texts([found])}). 칸에는 값만 있어야 합니다. 보관된 페이지를 열어 보고, 값이 "
        "아닌 요소를 selectors 파일의 unseen에 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def cut_value(row_no: int, column: str, found: str) -> Fault:
    """Name the cell whose value is cut."""
    return Fault(
        "cut_value",
        f"목록 표의 {row_no}번째 행, 열 {quote_texts([column])}의 값이 잘려 있습니다"
        f"({quote_texts([found])}). 온전한 값이 칸의 title에 있고 그 항목에 title_attr: true가 "
        f"있어야 합니다. {_NEXT_SELECTORS}",
        exit_code=4,
    )


def odd_nested(row_no: int, column: str, found: str) -> Fault:
    """Name the cell whose list of values is laid out in another way."""
    return Fault(
        "odd_nested",
        f"목록 표의 {row_no}번째 행, 열 {quote_texts([column])}에서 값 여럿을 가르는 방식이 "
        f"바뀌었습니다({found}). 안쪽 표의 행마다, 또는 줄마다 값이 하나여야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def no_numbers(column: str, n_rows: int) -> Fault:
    """Say that no row of a page has a number."""
    return Fault(
        "no_numbers",
        f"{n_rows}행 모두 {quote_texts([column])}의 값이 없습니다. 행마다 하나씩 있어야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def unnumbered_row(row_no: int, found: str) -> Fault:
    """Name the row that has no running number although the others have."""
    return Fault(
        "unnumbered_row",
        f"목록 표의 {row_no}번째 행에만 순번이 없습니다({quote_texts([found])}). 위에 고정된 "
        "행이면 selectors 파일의 row.pinned가 그 행을 찾아야 합니다. 보관된 페이지를 열어 보고 "
        "고친 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def empty_row(row_no: int) -> Fault:
    """Name the row none of whose fields has a value."""
    return Fault(
        "empty_row",
        f"목록 표의 {row_no}번째 행에 값이 하나도 없습니다. 행마다 한 건이 있어야 합니다. "
        f"{_NEXT_ROWS}",
        exit_code=4,
    )


def label_kept(column: str) -> Fault:
    """Name the column whose values all hold its own name."""
    return Fault(
        "label_kept",
        f"목록 표의 열 {quote_texts([column])}에서 모든 값에 열 이름이 붙어 있습니다. 이름표는 "
        "값에서 빠져야 합니다. 보관된 페이지를 열어 보고, 칸 안의 이름표를 selectors 파일의 drop에 "
        "더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def swallowing_label(row_no: int, column: str, found: Sequence[str]) -> Fault:
    """Name the label that seems to hold a value, on a page that has no other row."""
    return _label_differs(row_no, column, found, "40자 이내이고 네 자리 넘는 숫자가 없는 이름표")


def label_over_value(row_no: int, column: str, found: Sequence[str]) -> Fault:
    """Name the label that says more than its column's name, in a column without any value."""
    return _label_differs(row_no, column, found, "열 이름만 적힌 이름표 하나")


def _label_differs(row_no: int, column: str, found: Sequence[str], expected: str) -> Fault:
    return Fault(
        "label_differs",
        f"목록 표의 {row_no}번째 행, 열 {quote_texts([column])}의 이름표는 {_name(found)}입니다. "
        f"{expected}이어야 합니다. 이름표가 값까지 감싸면 값이 사라집니다. 보관된 "
        "페이지를 열어 보고, 이름표가 바뀌었으면 selectors 파일의 drop을 고친 뒤 다시 실행해 "
        "주십시오.",
        exit_code=4,
    )


def _name(labels: Sequence[str]) -> str:
    return quote_texts(labels) if labels else "(없음)"
