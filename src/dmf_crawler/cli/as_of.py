"""`as-of`: the whole list as it stood at the end of a day."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.known_boards import choose_known_board
from dmf_crawler.errors import UsageError
from dmf_crawler.model.listing import KnownBoard, ListOfDay
from dmf_crawler.model.record import Column
from dmf_crawler.model.report import VersionRow
from dmf_crawler.model.run import day_of, end_of_day
from dmf_crawler.persist.boards import accepted_span
from dmf_crawler.persist.questions import list_as_of
from dmf_crawler.persist.runs import last_accepted_run
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.list_files import write_list_csv
from dmf_crawler.publish.report.list_book import render_list_book
from dmf_crawler.publish.whole_file import open_new
from dmf_crawler.text import escape_unprintable
from dmf_crawler.world import real_world

HOUSE_ONLY = "사내용: 외부로 배포하지 마십시오."


def as_of(arguments: argparse.Namespace) -> Answer:
    """Show the list of a board as it stood at the end of a day, or write it to a file.

    Raises:
        UsageError: `no_history`, `no_boards`, `no_such_board`, `nothing_accepted`,
            `no_list_then`, `day_in_future`, `file_exists`.
        StoredDataError: `file_not_written`.
    """
    home = open_home(arguments.home)
    with real_world(home.settings.politeness) as world:
        now = world.now()
    with open_store(home) as store, store.reading():
        board = choose_known_board(home, store, arguments.board)
        listing = list_of_day(store, board, arguments.date, today=day_of(now))
    path = _write_file(listing, arguments, now)
    told = _tell(listing, path, is_over=listing.day != day_of(now))
    return Answer(0, _tell_json(listing, path), "\n".join(told))


def list_of_day(store: Store, board: KnownBoard, day: date, *, today: date) -> ListOfDay:
    """Return the list of a board as it stood at the end of a day.

    That is what the last accepted run whose day is not later left. Nothing is back-dated: what a
    later run or a correction found out is not in it.

    Args:
        store: The history.
        board: Which board.
        day: Which day; after the last accepted one it still stands, up to today.
        today: A day that lies behind it, and behind the last accepted one, is refused.

    Raises:
        UsageError: `nothing_accepted`, `no_list_then`, `day_in_future`.
    """
    span = accepted_span(store, board.board_id)
    if span is None:
        raise UsageError(
            "nothing_accepted",
            f"{board.name_ko}({board.board_id}) 에는 채택된 실행이 없어 보일 목록이 없습니다. "
            "먼저 run 하거나 --board 로 다른 게시판을 적으십시오.",
        )
    first, last = span
    if day > max(today, last):
        raise UsageError(
            "day_in_future",
            f"{day} 은 아직 오지 않은 날입니다. {max(today, last)} 까지의 날을 적으십시오.",
        )
    accepted = last_accepted_run(store, board.board_id, until=day)
    if accepted is None:
        raise UsageError(
            "no_list_then",
            f"{day} 에는 채택된 목록이 아직 없었습니다. {board.name_ko}({board.board_id}) 의 "
            f"이력은 {first} 에 시작합니다. 그날이나 그 뒤의 날을 적으십시오.",
        )
    records = list_as_of(store, board.board_id, end_of_day(day) - timedelta(seconds=1))
    columns = _complete_columns(board.columns, records)
    return ListOfDay(replace(board, columns=columns), day, accepted, records)


def _complete_columns(
    columns: tuple[Column, ...], records: Iterable[VersionRow]
) -> tuple[Column, ...]:
    """Return the columns of today and behind them every field that records had besides."""
    found = dict.fromkeys(name for record in records for name in record.fields)
    known = {column.field for column in columns}
    return (*columns, *(Column(name, name) for name in found if name not in known))


def _write_file(listing: ListOfDay, arguments: argparse.Namespace, now: datetime) -> Path | None:
    """Write the file that was asked for and return its path, None for none."""
    named = arguments.csv or arguments.xlsx
    if named is None:
        return None
    ending = "csv" if arguments.csv else "xlsx"
    name = f"DMF_{listing.board.board_id}_{listing.day}_사내용.{ending}"
    path: Path = named / name if named.is_dir() else named
    with open_new(path) as file:
        if arguments.csv:
            write_list_csv(file, listing)
        else:
            file.write(render_list_book(listing, written_at=now))
    return path


# --- as JSON -----------------------------------------------------------------------------------


def _tell_json(listing: ListOfDay, path: Path | None) -> dict[str, Any]:
    return {
        "date": str(listing.day),
        "board": listing.board.board_id,
        "run_id": listing.accepted.run.run_id,
        "run_date": str(listing.accepted.run.day),
        "n_rows": len(listing.records),
        "n_missing": listing.n_missing,
        "marking": "사내용",
        "file": str(path) if path else None,
        "records": [_record_json(record) for record in listing.records],
    }


def _record_json(record: VersionRow) -> dict[str, Any]:
    return {
        "key": record.key,
        "fields": dict(record.fields),
        "valid_from": record.valid_from.isoformat(),
        "missing_since": str(record.missing_since) if record.missing_since else None,
        "n_missing_reads": record.n_missing_reads,
        "is_joined": record.is_joined,
        "run_id": record.run_id,
        "detail_url": record.detail_url or None,
        "source_url": record.url,
        "source_sha256": record.source,
        "source_row": record.row_no,
    }


# --- for people --------------------------------------------------------------------------------


def _tell(listing: ListOfDay, path: Path | None, *, is_over: bool) -> list[str]:
    board, run = listing.board, listing.accepted.run
    lines = [f"{listing.day} 끝의 목록: {board.name_ko} ({board.board_id})"]
    statuses = "  ".join(
        f"{escape_unprintable(status) or '(빈 값)'} {n:,}"
        for status, n in listing.count_statuses().items()
    )
    told = f": {statuses}" if board.status_field else ""
    lines.append(f"  {len(listing.records):,}건{told}")
    if listing.n_missing:
        lines.append(
            f"  그중 확인 중 {listing.n_missing:,}건(목록에서 사라졌고 아직 취하로 기록하지 않음)"
        )
    lines.append(f"  마지막으로 채택한 실행: {run.run_id} ({run.day})")
    if run.day < listing.day:
        lines.append(f"  주의: 그 뒤로 {listing.day} 까지 채택된 실행이 없습니다.")
    if not is_over:
        lines.append("  주의: 아직 끝나지 않은 날입니다. 오늘 더 바뀔 수 있습니다.")
    if path is not None:
        return [*lines, f"  파일: {path}", f"  {HOUSE_ONLY}"]
    return [*lines, "  목록 전체는 --csv 파일, --xlsx 파일 또는 --json 을 붙이면 나옵니다."]
