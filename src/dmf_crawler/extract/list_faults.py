"""Why the pages of one pass make no list: one fault per reason, worded for people."""

from __future__ import annotations

from dmf_crawler.model.run import Fault


def race(found: str) -> Fault:
    """Say that the list changed while it was read; reading it again may help."""
    return Fault(
        "race",
        f"목록을 읽는 동안 목록이 바뀌었습니다. {found}. 처음부터 끝까지 같은 목록이어야 합니다. "
        "처음부터 다시 읽으며, 계속되면 이 날의 목록은 쓰지 않습니다.",
        exit_code=4,
        is_retryable=True,
    )


def twins(where: str, *, is_moved: bool) -> Fault:
    """Tell a row shown twice because the list moved from two records that are the same."""
    if is_moved:
        return race(f"같은 행이 {where}에 두 번 있습니다")
    return Fault(
        "duplicate_rows",
        f"번호, 신청인, 최초 등록일이 같은 행이 {where}에 있습니다. 한 건은 한 번만 있어야 합니다. "
        "이 날의 목록은 쓰지 않습니다. 사이트에서 이 번호를 조회해 확인해 주십시오.",
        exit_code=4,
    )


def misfit(found: str, expected: str, *, is_moved: bool) -> Fault:
    """Tell a list that moved from one that has not the rows that it should have."""
    if is_moved:
        return race(f"{found}({expected}이어야 합니다)")
    return Fault(
        "short_list",
        f"목록의 행 수가 맞지 않습니다. {found}. {expected}이어야 합니다. 이 날의 목록은 쓰지 "
        "않습니다. 보관된 페이지와 사이트의 전체 건수를 확인해 주십시오.",
        exit_code=4,
    )


def cut_export(n_rows: int, total: int) -> Fault:
    """Say that the site's workbook has not the rows that the site announces."""
    found = f"엑셀 파일에 {n_rows}행이 있습니다"
    reason = (
        "파일이 중간에서 잘린" if n_rows < total else "파일과 화면의 목록이 서로 다른 때의 것인"
    )
    return Fault(
        "short_list",
        f"목록의 행 수가 맞지 않습니다. {found}. 사이트가 알린 전체 {total}건이어야 합니다. "
        f"{reason} 것으로 보이므로 이 파일은 쓰지 않습니다. 브라우저로 엑셀을 내려받아 행 수를 "
        "사이트의 전체 건수와 비교해 주십시오.",
        exit_code=4,
    )


def empty_list(total: int, n_rows: int) -> Fault:
    """Refuse a list without any row, whatever total the site announces."""
    return Fault(
        "empty_list",
        f"목록이 비어 있습니다. 사이트가 알린 전체는 {total}건이고 읽은 행은 {n_rows}개입니다. "
        "한 건 이상이어야 합니다. 이 날의 목록은 쓰지 않습니다. 브라우저로 목록을 확인해 주십시오.",
        exit_code=4,
    )


def repeated_page(page_no: int, shown_no: int) -> Fault:
    """Say that the site does not turn the page; asking for the next one is no use."""
    return Fault(
        "repeated_page",
        f"사이트가 {page_no}쪽 대신 앞 쪽을 다시 보냈습니다({shown_no}쪽과 모든 행이 같습니다). "
        "쪽마다 다른 행이 있어야 합니다. 다음 쪽은 요청하지 않았고 이 날의 목록은 쓰지 않습니다. "
        "브라우저로 2쪽을 열어 주소를 보고 config/boards.yaml의 page_param을 확인해 주십시오.",
        exit_code=4,
    )
