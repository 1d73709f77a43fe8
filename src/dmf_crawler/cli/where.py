"""`where`: the page, the row and the element that a value of the history was read from."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import choose_key, open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.cli.wording import quote_value
from dmf_crawler.errors import UsageError
from dmf_crawler.extract.parser import SHOWN_SEPARATOR
from dmf_crawler.model.record import Column, Value
from dmf_crawler.model.run import end_of_day, kst
from dmf_crawler.page_watch import AnyWatch, PageWatch, open_board
from dmf_crawler.persist.questions import StoredVersion, version_at, versions_of_key
from dmf_crawler.persist.store import Store
from dmf_crawler.provenance import Provenance, trace_page, trace_value
from dmf_crawler.text import escape_unprintable, key_form

MAX_WHOLE_CHARS = 600


def where(arguments: argparse.Namespace) -> Answer:
    """Show where a value of a record was read from.

    Raises:
        UsageError: `no_history`, `no_such_board`, `no_such_key`, `ambiguous_key`,
            `no_such_field`, `no_version_then`.
    """
    home = open_home(arguments.home)
    if arguments.board is not None:
        choose_boards(home, [arguments.board])
    with open_store(home) as store:
        board_id, key = choose_key(store, arguments.key, arguments.board)
        (board,) = choose_boards(home, [board_id])
        watch = open_board(home, board, store)
        column = choose_field(watch.selectors.columns, arguments.field)
        stored = _choose_version(store, board_id, key, arguments.date)
        traced = (
            trace_page(watch, stored, column.field)
            if isinstance(watch, PageWatch)
            else trace_value(watch, stored, column.field)
        )
    payload = _tell_json(board_id, column, stored, traced)
    text = "\n".join(_tell(watch, column, stored, traced))
    fault = traced.fault
    if fault is None:
        return Answer(0, payload, text)
    return Answer(fault.exit_code, payload, text, error=(fault.code, fault.message))


def choose_field(columns: Sequence[Column], text: str) -> Column:
    """Return the column of a field id or a Korean label.

    Raises:
        UsageError: `no_such_field`.
    """
    by_id = [column for column in columns if column.field == text]
    by_label = [column for column in columns if key_form(column.label_ko) == key_form(text)]
    if by_id or by_label:
        return (by_id or by_label)[0]
    names = ", ".join(f"{column.label_ko}({column.field})" for column in columns)
    raise UsageError("no_such_field", f"'{text}' 이라는 항목은 없습니다. 쓸 수 있는 항목: {names}.")


def _choose_version(store: Store, board_id: str, key: str, day: date | None) -> StoredVersion:
    """Return the version at the end of a day, or the last one.

    Raises:
        UsageError: `no_version_then`.
    """
    moment = end_of_day(day) - timedelta(seconds=1) if day is not None else None
    stored = version_at(store, board_id, key, moment)
    if stored is not None:
        return stored
    versions = versions_of_key(store, board_id, key)
    spans = ", ".join(
        f"{version.valid_from:%Y-%m-%d %H:%M} ~ "
        + (f"{version.valid_to:%Y-%m-%d %H:%M}" if version.valid_to else "")
        for version in versions
    )
    raise UsageError(
        "no_version_then",
        f"{key} 는 {day} 끝에 목록에 없었습니다. 목록에 있던 기간: {spans.rstrip()}. "
        "--date 를 그 기간의 날로 적으십시오.",
    )


# --- as JSON -----------------------------------------------------------------------------------


def _tell_json(
    board_id: str, column: Column, stored: StoredVersion, traced: Provenance
) -> dict[str, Any]:
    version, origin, cell = stored.version, traced.origin, traced.cell
    fetched_at = traced.fetched_at
    return {
        "key": version.key,
        "board": board_id,
        "field": column.field,
        "value": version.fields.get(column.field),
        "shown": _shown(column.field, stored),
        "valid_from": version.valid_from.isoformat(),
        "valid_to": version.valid_to.isoformat() if version.valid_to else None,
        "run_id": version.run_id,
        "pages_of": _name_pages(traced),
        "page": traced.file,
        "sha256": origin.sha256 or None,
        "url": origin.url or None,
        "fetched_at": kst(fetched_at).isoformat() if fetched_at else None,
        "row": origin.row_no,
        "xpath": cell.xpath if cell else None,
        "line": cell.line if cell else None,
        "html": cell.html if cell else None,
        "is_same": traced.is_same(column.field, version.fields),
    }


def _shown(field: str, stored: StoredVersion) -> Value | None:
    """Return a value as its cell showed it; of a list the texts of its cells in order."""
    value = stored.version.fields.get(field)
    text = stored.shown.get(field)
    if text is None:
        return value
    return tuple(text.split(SHOWN_SEPARATOR)) if isinstance(value, tuple) else text


def _name_pages(traced: Provenance) -> str:
    """Return the run whose folder holds the page: of a correction, the one that asked for it."""
    return traced.origin.raw_dir.rpartition("/")[2]


# --- for people --------------------------------------------------------------------------------


def _tell(watch: AnyWatch, column: Column, stored: StoredVersion, traced: Provenance) -> list[str]:
    version, origin = stored.version, traced.origin
    value, shown = version.fields.get(column.field), _shown(column.field, stored)
    lines = [f"{version.key} · {column.label_ko} ({column.field}, {watch.board.id})"]
    if version.valid_to is not None:
        lines.append(f"  {version.valid_to:%Y-%m-%d %H:%M} 에 끝난 값입니다.")
    lines.append(f"  값: {_quote(value)}")
    if shown != value:
        lines.append(f"  보이던 그대로: {_quote(shown)}")
    lines.append(f"  기록한 실행: {version.run_id} ({version.valid_from:%Y-%m-%d %H:%M:%S} 시작)")
    if traced.is_later:
        lines.append(
            "  그 실행의 페이지는 정리되었습니다. 같은 값을 마지막으로 확인한 실행 "
            f"{_name_pages(traced)} 의 페이지를 보입니다."
        )
    elif _name_pages(traced) != version.run_id:
        lines.append(f"  페이지를 받은 실행: {_name_pages(traced)}")
    lines.append(f"  페이지: {traced.file or '(없음)'}")
    lines.append(f"  지문(SHA-256): {origin.sha256 or '(없음)'}")
    lines.append(f"  주소: {escape_unprintable(origin.url) or '(없음)'}")
    if traced.fetched_at is not None:
        lines.append(f"  받은 때: {kst(traced.fetched_at):%Y-%m-%d %H:%M:%S}")
    if origin.row_no is not None:
        lines.append(f"  행: {origin.row_no}번째")
    return [*lines, *_tell_cell(watch, column, stored, traced)]


def _tell_cell(
    watch: AnyWatch, column: Column, stored: StoredVersion, traced: Provenance
) -> list[str]:
    cell = traced.cell
    if cell is None:
        return []
    line = f" ({cell.line:,}번째 줄)" if cell.line else ""
    is_page = cell.xpath.startswith("/")  # else a cell of a workbook, or a piece of an answer
    return [
        f"  {'XPath' if is_page else '자리'}: {escape_unprintable(cell.xpath)}{line}",
        f"  {'HTML' if is_page else '원문'}: {cell.html}",
        f"  지금 다시 읽은 값: {_compare(watch, column, stored, traced)}",
    ]


def _compare(watch: AnyWatch, column: Column, stored: StoredVersion, traced: Provenance) -> str:
    """Say whether the page says today what is stored, and what may be the reason if not."""
    then, now = traced.run.selector_version, watch.selectors.file.schema_version
    changed = f" 그 뒤로 셀렉터 파일이 바뀌었습니다(버전 {then} → {now})." if then != now else ""
    is_same = traced.is_same(column.field, stored.version.fields)
    if is_same is None:
        if isinstance(watch, PageWatch) or column.field not in watch.detail_fields:
            told = "이 응답에는 없는 항목입니다. 값은 다른 출처에서 마지막으로 읽은 것입니다."
            return f"{told}{changed}"
        return f"이 페이지만으로는 알 수 없습니다(파일은 따로 받습니다).{changed}"
    if is_same:
        return f"기록과 같습니다.{changed}"
    if traced.is_other_record:
        return f"그 행에서 지금은 다른 기록이 읽힙니다. 위의 칸은 이 기록의 것이 아닙니다.{changed}"
    found = traced.cell.fields.get(column.field) if traced.cell else None
    return f"기록과 다릅니다: {_quote(found)}.{changed}"


def _quote(value: Value | None) -> str:
    """Return a value in quotes; of a long text the beginning, and how long it is."""
    if not isinstance(value, str) or len(value) <= MAX_WHOLE_CHARS:
        return quote_value(value)
    return f"{quote_value(value[:MAX_WHOLE_CHARS])} … [전체 {len(value):,}자]"
