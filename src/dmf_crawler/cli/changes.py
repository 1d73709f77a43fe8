"""`changes`: the events of some days, found by field, applicant, grade and the like."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.as_of import HOUSE_ONLY
from dmf_crawler.cli.history import change_text, choose_key, event_json, open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.known_boards import choose_known_board, known_boards
from dmf_crawler.cli.piece_words import describe_pieces
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.model.change import FieldChange
from dmf_crawler.model.listing import KnownBoard
from dmf_crawler.model.report import EventRow
from dmf_crawler.persist.boards import accepted_span
from dmf_crawler.persist.event_search import EventSearch, find_events
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.change_files import TELLING_FIELDS, write_changes_csv
from dmf_crawler.publish.report.wording import EVENT_WORDS, label_of, show_reason
from dmf_crawler.publish.whole_file import open_new
from dmf_crawler.text import escape_unprintable, key_form

USUAL_DAYS = 7
"""So many days are shown where none is named."""

TEXT_FIELDS: Mapping[str, str] = {
    "applicant": "company",
    "ingredient": "ingredient_name",
    "country": "maker_countries",
    "maker": "maker_names",
}
"""Option → id of the field in which its text must occur."""

NAMING_FIELDS = (*TELLING_FIELDS, "title")
"""What tells people on screen which record or post it is."""

MOST_PIECES = 3
"""Of one changed value, on one line."""

Found = tuple[EventRow, date]
"""An event and the day of its run."""


def changes(arguments: argparse.Namespace) -> Answer:
    """Show the events of some days that fit all that was asked for.

    Raises:
        UsageError: `no_history`, `no_such_board`, `nothing_accepted`, `usage`, `no_such_field`,
            `no_such_key`, `ambiguous_key`, `file_exists`.
        StoredDataError: `file_not_written`.
    """
    home = open_home(arguments.home)
    with open_store(home) as store, store.reading():
        boards = _choose_boards(home, store, arguments.board)
        since, until = _choose_days(store, boards, arguments)
        searches = _plan_searches(store, boards, (since, until), arguments)
        found = [each for search in searches for each in find_events(store, search)]
    found.sort(key=lambda each: each[0].occurred_at)
    by_id = {board.board_id: board for board in boards}
    path = _write_file(found, by_id, arguments.csv, (since, until))
    payload: dict[str, Any] = {
        "since": str(since),
        "until": str(until),
        "n_events": len(found),
        "marking": "사내용",
        "file": str(path) if path else None,
        "events": [],
    }
    if arguments.json:  # years of them, with their pieces, are not made to be thrown away
        payload["events"] = [_event_json(event, day, by_id) for event, day in found]
    return Answer(0, payload, "\n".join(_tell(found, by_id, (since, until), path)))


def _choose_boards(
    home: Home, store: Store, wanted: Sequence[str] | None
) -> tuple[KnownBoard, ...]:
    if not wanted:
        return known_boards(home, store)
    return tuple(choose_known_board(home, store, name) for name in dict.fromkeys(wanted))


def _choose_days(
    store: Store, boards: Sequence[KnownBoard], arguments: argparse.Namespace
) -> tuple[date, date]:
    """Return the first and the last day that are looked at.

    Raises:
        UsageError: `nothing_accepted`, `usage`.
    """
    spans = [accepted_span(store, board.board_id) for board in boards]
    last = max((span[1] for span in spans if span is not None), default=None)
    if last is None:
        raise UsageError(
            "nothing_accepted", "채택된 실행이 없어 보일 변동이 없습니다. 먼저 run 하십시오."
        )
    since, until = arguments.since, arguments.until
    until = until or max(last, since or last)
    since = since or until - timedelta(days=USUAL_DAYS - 1)
    if since > until:
        raise UsageError(
            "usage",
            f"--since({since}) 가 --until({until}) 보다 늦습니다. 두 날을 바꾸어 적으십시오.",
        )
    return since, until


def _plan_searches(
    store: Store,
    boards: Sequence[KnownBoard],
    days: tuple[date, date],
    arguments: argparse.Namespace,
) -> list[EventSearch]:
    """Return what is looked for in each board; boards without a field that is named are left out.

    Raises:
        UsageError: `no_such_field`, `no_such_key`, `ambiguous_key`.
    """
    wanted = {
        field: text
        for option, field in TEXT_FIELDS.items()
        if (text := getattr(arguments, option)) is not None
    }
    names = [column.field for board in boards for column in board.columns]
    for field in wanted:
        if field not in names:
            raise _no_such_field(field, boards)
    fields = {board.board_id: _find_field(board, arguments.field) for board in boards}
    if arguments.field and not any(fields.values()):
        raise _no_such_field(arguments.field, boards)
    key_of: tuple[str, str] | None = None
    if arguments.key is not None:
        only = boards[0].board_id if len(boards) == 1 else None
        key_of = choose_key(store, arguments.key, only)
    return [
        EventSearch(
            board.board_id,
            *days,
            key=key_of[1] if key_of else None,
            changed=fields[board.board_id],
            texts=wanted,
            types=tuple(arguments.type or ()),
            grades=tuple(arguments.grade or ()),
            has_baseline=arguments.baseline,
        )
        for board in boards
        if (not arguments.field or fields[board.board_id])
        and wanted.keys() <= {column.field for column in board.columns}
        and (key_of is None or key_of[0] == board.board_id)
    ]


def _find_field(board: KnownBoard, text: str | None) -> str:
    """Return the id of the field that is called so, by id or Korean label; "" for none."""
    if not text:
        return ""
    ids = [column.field for column in board.columns if column.field == text]
    form = key_form(text)
    labelled = [column.field for column in board.columns if key_form(column.label_ko) == form]
    return next(iter((*ids, *labelled)), "")


def _no_such_field(text: str, boards: Sequence[KnownBoard]) -> UsageError:
    names = dict.fromkeys(
        f"{column.label_ko}({column.field})" for board in boards for column in board.columns
    )
    return UsageError(
        "no_such_field", f"'{text}' 이라는 항목은 없습니다. 쓸 수 있는 항목: {', '.join(names)}."
    )


def _write_file(
    found: Sequence[Found],
    boards: Mapping[str, KnownBoard],
    named: Path | None,
    days: tuple[date, date],
) -> Path | None:
    """Write the file that was asked for and return its path, None for none."""
    if named is None:
        return None
    path = named / f"DMF_변동_{days[0]}_{days[1]}_사내용.csv" if named.is_dir() else named
    with open_new(path) as file:
        write_changes_csv(file, found, boards)
    return path


def _event_json(event: EventRow, day: date, boards: Mapping[str, KnownBoard]) -> dict[str, Any]:
    columns = boards[event.board_id].columns
    told = event_json(event)
    for change in told["changes"]:
        change["label"] = label_of(change["field"], columns)
    return {"date": str(day), "board": event.board_id, "key": event.key, **told}


def _tell(
    found: Sequence[Found],
    boards: Mapping[str, KnownBoard],
    days: tuple[date, date],
    path: Path | None,
) -> list[str]:
    head = f"{days[0]} ~ {days[1]} 의 변동 {len(found):,}건"
    if path is not None:
        return [head, f"  파일: {path}", f"  {HOUSE_ONLY}"]
    lines = [_tell_event(event, day, boards[event.board_id]) for event, day in found]
    if len({event.board_id for event, _ in found}) > 1:
        names = [boards[event.board_id].name_ko for event, _ in found]
        lines = [f"{line}  [{name}]" for line, name in zip(lines, names, strict=True)]
    return [head, *(f"  {line}" for line in lines)]


def _tell_change(change: FieldChange, board: KnownBoard) -> str:
    """Say what changed in a field: of a list, of files or of a longer text, where."""
    pieces = describe_pieces(change, most=MOST_PIECES)
    if not pieces:
        return change_text(change, board.columns)
    return f"{label_of(change.field, board.columns)} {', '.join(pieces)}"


def _tell_event(event: EventRow, day: date, board: KnownBoard) -> str:
    """Say an event on one line: day, what it was, which record, what changed."""
    reason = f" ({show_reason(event.reason)})" if event.reason else ""
    telling = [event.fields.get(name) for name in NAMING_FIELDS]
    record = " · ".join(escape_unprintable(value) for value in telling if isinstance(value, str))
    what = "; ".join(_tell_change(change, board) for change in event.changes)
    parts = [
        str(day),
        f"{EVENT_WORDS[event.event_type]}{reason}",
        escape_unprintable(event.key),
        record,
        what,
    ]
    return "  ".join(part for part in parts if part)
