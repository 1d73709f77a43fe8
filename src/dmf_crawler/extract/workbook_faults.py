"""Why the site's workbook is no list that can be read: one fault per reason, worded for people."""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.extract.quoting import quote_texts, shorten
from dmf_crawler.model.run import Fault

_NEXT_LATER = "잠시 뒤 다시 받으며, 계속되면 브라우저로 엑셀을 내려받아 확인해 주십시오."
_NEXT_FILE = "보관된 파일을 엑셀로 열어 보고"
_NEXT_DEVELOPER = f"{_NEXT_FILE} 개발자에게 알려 주십시오."
_NEXT_SELECTORS = f"{_NEXT_FILE} selectors 파일을 고친 뒤 다시 실행해 주십시오."
_N_QUOTED_SHEETS = 5


def not_a_workbook(kind: str) -> Fault:
    """Name what came in place of the workbook."""
    return Fault(
        "not_a_workbook",
        f"엑셀 파일(.xlsx) 대신 다른 것이 왔습니다({kind}). 목록이 든 .xlsx 파일이 와야 합니다. "
        f"{_NEXT_LATER}",
        exit_code=6,
        is_retryable=True,
    )


def damaged_workbook(found: str) -> Fault:
    """Say that the file cannot be read to its end."""
    return Fault(
        "damaged_workbook",
        f"엑셀 파일이 중간에서 끊겼거나 손상되었습니다({found}). 끝까지 온전해야 합니다. "
        f"{_NEXT_LATER}",
        exit_code=6,
        is_retryable=True,
    )


def too_large(found: str) -> Fault:
    """Refuse a file that would take too much memory or time, or that is meant to."""
    return Fault(
        "workbook_too_large",
        f"엑셀 파일이 지나치게 크거나 복잡합니다({found}). 이 파일은 읽지 않습니다. 사이트의 "
        f"목록이 맞는지 확인하고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def capped(n_rows: int) -> Fault:
    """Say that the file has as many rows as the site writes at most."""
    return Fault(
        "workbook_capped",
        f"엑셀 파일에 꼭 {n_rows:,}행이 있습니다. 사이트가 한 파일에 쓰는 가장 많은 행과 같으므로 "
        "나머지가 잘렸을 수 있습니다. 이 파일은 쓰지 않습니다. 사이트의 전체 건수와 비교해 "
        "주십시오.",
        exit_code=4,
    )


def no_list_sheet(headers: Sequence[tuple[str, Sequence[str]]]) -> Fault:
    """Say of each sheet, by its name and first row, why it is not the list."""
    reasons = [
        f"시트 '{shorten(name)}'의 첫 행 {quote_texts(texts) if any(texts) else '비어 있음'}"
        for name, texts in headers[:_N_QUOTED_SHEETS]
    ]
    return Fault(
        "no_list_sheet",
        f"엑셀 파일의 시트 {len(headers)}개 가운데 목록의 머리글이 있는 시트가 없습니다"
        f"({'; '.join(reasons)}). selectors 파일의 header_aliases에 있는 머리글이 있어야 합니다. "
        f"{_NEXT_SELECTORS}",
        exit_code=4,
    )


def ambiguous_sheet(names: Sequence[str]) -> Fault:
    """Refuse to choose between two sheets that both look like the list."""
    return Fault(
        "ambiguous_sheet",
        f"목록의 머리글이 똑같이 맞는 시트가 {len(names)}개 있습니다({quote_texts(names)}). "
        f"한 개여야 합니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )


def blank_row(place: str) -> Fault:
    """Name the row behind which the list may be another one."""
    return Fault(
        "blank_row",
        f"엑셀 목록의 가운데에 빈 행이 있습니다({place}). 목록은 빈 행 없이 이어져야 합니다. "
        f"{_NEXT_DEVELOPER}",
        exit_code=4,
    )


def stray_cell(place: str, text: str) -> Fault:
    """Name the text that stands under no header."""
    return Fault(
        "stray_text",
        f"엑셀 목록에서 머리글이 없는 열에 글자가 있습니다({place}, {quote_texts([text])}). 값은 "
        f"모두 머리글 아래에 있어야 합니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )


def formula_cell(place: str) -> Fault:
    """Name the cell whose value is what somebody else's program once computed."""
    return Fault(
        "formula_cell",
        f"엑셀 목록의 칸에 수식이 있습니다({place}). 칸마다 값이 그대로 있어야 하며, 수식은 "
        f"계산하지 않습니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )


def unreadable_cell(place: str, found: str) -> Fault:
    """Name the cell that holds neither text, number nor day."""
    return Fault(
        "unreadable_cell",
        f"엑셀 목록의 칸을 읽을 수 없습니다({place}: {found}). 글자, 수, 날짜 가운데 하나여야 "
        f"합니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )


def broken_text(place: str) -> Fault:
    """Name the cell that holds something that is no character."""
    return Fault(
        "mojibake",
        f"엑셀 목록에서 칸의 글자가 깨졌습니다({place}). 모든 글자가 온전해야 합니다. 이 파일은 "
        "쓰지 않습니다. 보관된 파일을 확인해 주십시오.",
        exit_code=4,
    )


def no_such_cell(row_no: int, field: str, n_rows: int) -> Fault:
    """Say that the workbook has not the cell that somebody asks for."""
    return Fault(
        "no_such_cell",
        f"엑셀 목록에 그런 칸이 없습니다({row_no}번째 행, 항목 {shorten(field)}). 목록은 "
        f"{n_rows}행입니다. 행 번호와 항목 이름을 확인해 주십시오.",
        exit_code=4,
    )


def repeated_header(row_no: int, texts: Sequence[str]) -> Fault:
    """Name the data row that is the header once more."""
    return Fault(
        "repeated_header",
        f"시트의 {row_no}번째 행에 머리글이 다시 있습니다({quote_texts(texts)}). 행마다 한 건이 "
        f"있어야 합니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )


def merged_cells(place: str, column: str, reference: str) -> Fault:
    """Name the cells that are merged."""
    return Fault(
        "merged_cells",
        f"{place}에 합쳐진 칸이 있습니다(열 {quote_texts([column])}, {shorten(reference)}). 칸마다 "
        f"한 행과 한 열만 차지해야 어느 열의 값인지 알 수 있습니다. {_NEXT_DEVELOPER}",
        exit_code=4,
    )
