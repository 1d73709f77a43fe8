"""Boards that the history can be asked about: configured, switched off, or gone."""

from __future__ import annotations

from dmf_crawler.config import Home
from dmf_crawler.document_checks import convert_document
from dmf_crawler.errors import UsageError
from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.listing import KnownBoard
from dmf_crawler.model.record import Column
from dmf_crawler.persist.boards import boards_with_runs, newest_fields
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import read_selectors

BODY_LABEL = "본문"


def known_boards(home: Home, store: Store) -> tuple[KnownBoard, ...]:
    """Return the boards of the configuration in its order, then what only the history has."""
    ids = [board.id for board in home.boards]
    ids += [name for name in boards_with_runs(store) if name not in ids]
    return tuple(_describe(home, store, board_id) for board_id in ids)


def choose_known_board(home: Home, store: Store, wanted: str | None) -> KnownBoard:
    """Return the board of that id; by default the first list board that is switched on.

    Raises:
        UsageError: `no_such_board`, `no_boards`.
    """
    if wanted is None and not home.list_boards:
        raise UsageError(
            "no_boards",
            "config/boards.yaml에 켜져 있는 목록 게시판이 없습니다. --board 로 하나를 적으십시오.",
        )
    board_id = wanted if wanted is not None else home.list_boards[0].id
    names = [board.id for board in home.boards]
    names += [name for name in boards_with_runs(store) if name not in names]
    if board_id not in names:
        raise UsageError(
            "no_such_board",
            f"{board_id} 라는 게시판은 설정에도 이력에도 없습니다. 쓸 수 있는 이름: "
            f"{', '.join(names)}.",
        )
    return _describe(home, store, board_id)


def _describe(home: Home, store: Store, board_id: str) -> KnownBoard:
    board = next((each for each in home.boards if each.id == board_id), None)
    if board is None or board_id not in home.selectors:
        columns = tuple(
            Column(name, name, isinstance(value, tuple))
            for name, value in newest_fields(store, board_id).items()
        )
        status = "status" if any(column.field == "status" for column in columns) else ""
        return KnownBoard(board_id, board.name_ko if board else board_id, columns, "", status)
    if board.kind == "page":
        file = convert_document(home.selectors[board_id], PageFile)
        fields = [Column(name, field.label_ko or name) for name, field in file.fields.items()]
        return KnownBoard(board_id, board.name_ko, (*fields, Column(BODY, BODY_LABEL)))
    selectors = read_selectors(home, board)
    status = selectors.file.status.field if selectors.file.status else ""
    return KnownBoard(board_id, board.name_ko, selectors.columns, selectors.file.key.number, status)
