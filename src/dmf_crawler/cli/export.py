"""`export`: the whole history as plain files that outlive the program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import date, datetime

from dmf_crawler import __version__
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.as_of import HOUSE_ONLY, list_of_day
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.known_boards import known_boards
from dmf_crawler.cli.run import show_progress
from dmf_crawler.model.listing import KnownBoard, StoredCell
from dmf_crawler.persist.boards import accepted_span
from dmf_crawler.persist.plain_tables import (
    EVENT_CHANGE_COLUMNS,
    EVENT_CHANGES,
    list_tables,
    read_event_changes,
    read_table,
)
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.history_files import README, HistoryFolder, new_history_folder
from dmf_crawler.publish.history_readme import Described, write_readme
from dmf_crawler.publish.list_files import write_list_csv
from dmf_crawler.world import real_world

FIELD_COLUMNS = {"board_id": "TEXT", "field": "TEXT", "label_ko": "TEXT", "is_nested": "INTEGER"}


def export(arguments: argparse.Namespace) -> Answer:
    """Write the whole history into a folder, as one csv file a table.

    All of it is one state of the history, whatever a run commits meanwhile.

    Raises:
        UsageError: `no_history`, `folder_not_empty`.
        StoredDataError: `file_not_written`; nothing is left of the folder.
    """
    home = open_home(arguments.home)
    with real_world(home.settings.politeness) as world:
        now = world.now()
    with (
        open_store(home) as store,
        store.reading(),
        new_history_folder(arguments.folder) as folder,
        show_progress("내보내기", None if arguments.json else sys.stderr, unit="파일") as bar,
    ):
        boards = known_boards(home, store)
        _fill(folder, store, boards, now, bar.update if bar is not None else _show_nothing)
    payload = {
        "folder": str(arguments.folder),
        "digest": folder.digest,
        "marking": "사내용",
        "files": [asdict(file) for file in folder.files],
    }
    n_rows = sum(file.n_rows or 0 for file in folder.files)
    text = (
        f"{arguments.folder} 에 파일 {len(folder.files)}개({n_rows:,}행)를 썼습니다. "
        f"먼저 {README} 를 보십시오.\n이력의 지문: {folder.digest}\n{HOUSE_ONLY}"
    )
    return Answer(0, payload, text)


def _show_nothing() -> None:
    """Stand in for a progress bar where nobody watches."""


def _fill(
    folder: HistoryFolder,
    store: Store,
    boards: Sequence[KnownBoard],
    now: datetime,
    advance: Callable[[], object],
) -> None:
    described = []
    for table in list_tables(store):
        folder.write_table(table.file_name, list(table.columns), read_table(store, table))
        described.append(Described(folder.files[-1], table.name, table.columns))
        advance()
    changes, fields = read_event_changes(store), _list_fields(boards)
    folder.write_table(f"{EVENT_CHANGES}.csv", list(EVENT_CHANGE_COLUMNS), changes)
    described.append(Described(folder.files[-1], EVENT_CHANGES, EVENT_CHANGE_COLUMNS))
    folder.write_table("fields.csv", list(FIELD_COLUMNS), fields)
    described.append(Described(folder.files[-1], "fields", FIELD_COLUMNS))
    lists = {}
    for board in boards:
        span = accepted_span(store, board.board_id)
        if span is not None:
            name = f"list_{board.board_id}.csv"
            lists[name] = _write_list(folder, store, board, name, span[1])
            advance()
    readme = write_readme(
        described, lists, digest=folder.digest, version=__version__, written_at=now
    )
    folder.write_text(README, readme)
    folder.write_sums()


def _list_fields(boards: Sequence[KnownBoard]) -> Iterator[tuple[StoredCell, ...]]:
    for board in boards:
        for column in board.columns:
            yield board.board_id, column.field, column.label_ko, int(column.is_nested)


def _write_list(
    folder: HistoryFolder, store: Store, board: KnownBoard, name: str, day: date
) -> str:
    """Write a board's list of its last accepted day and return what it is."""
    listing = list_of_day(store, board, day, today=day)
    folder.write(name, lambda file: write_list_csv(file, listing))
    return (
        f"{board.name_ko}: {day} 끝의 목록 {len(listing.records):,}건, 한국어 열 이름 / "
        f"list at the end of {day}, under Korean headers"
    )
