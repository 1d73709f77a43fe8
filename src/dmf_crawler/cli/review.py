"""`review`: changes of watched pages that wait for a person, and that somebody has looked."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import columns_of, open_store
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.cli.wording import name_home, quote_value
from dmf_crawler.config import Home
from dmf_crawler.daily_report import tell_forms
from dmf_crawler.errors import UsageError
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Value
from dmf_crawler.model.watched_page import ReviewItem
from dmf_crawler.page_watch import read_page_selectors
from dmf_crawler.persist.reviews import all_reviews, finish_review, waiting_reviews
from dmf_crawler.publish.page_diff import diff_name
from dmf_crawler.publish.report.reviews import list_passages
from dmf_crawler.publish.report.wording import show_movement
from dmf_crawler.text import escape_unprintable
from dmf_crawler.world import real_world


@dataclass(frozen=True, slots=True)
class _ChangedField:
    """A field of a page that has another value now."""

    name: str
    label: str
    before: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class _Review:
    """A change with what a person knows it by.

    Attributes:
        diff: The file that shows both versions; None where it is not there.
        commands: What may follow, as it is to be typed.
    """

    item: ReviewItem
    board_name: str
    fields: tuple[_ChangedField, ...]
    diff: Path | None
    commands: dict[str, str]


def review(arguments: argparse.Namespace) -> Answer:
    """Show what waits, or note that one change was looked at."""
    home = open_home(arguments.home)
    return _finish(home, arguments) if arguments.action == "done" else _list(home, arguments)


def _list(home: Home, arguments: argparse.Namespace) -> Answer:
    if arguments.number is not None or arguments.note or arguments.now:
        raise UsageError(
            "usage",
            "번호와 --note, --now 는 review done 에만 적습니다. "
            '예: review list, review done 3 --note "확인한 내용".',
        )
    pages = [board.id for board in home.boards if board.kind == "page"]
    if arguments.board is not None and arguments.board not in pages:
        raise UsageError(
            "no_such_board",
            f"config/boards.yaml에 페이지 게시판 {arguments.board} 이 없습니다. "
            f"쓸 수 있는 이름: {', '.join(pages) or '없음'}.",
        )
    read = all_reviews if arguments.all else waiting_reviews
    with open_store(home) as store:
        items = read(store, arguments.board)
    found = [_look_at(item, home, arguments.home) for item in items]
    what = "감시 페이지의 변경" if arguments.all else "확인할 변경"
    text = "\n\n".join([f"{what} {len(found):,}건", *("\n".join(_tell(each)) for each in found)])
    payload = {"reviews": [_review_json(each) for each in found]}
    return Answer(0, payload, text if found else f"{what}이 없습니다.")


def _finish(home: Home, arguments: argparse.Namespace) -> Answer:
    if arguments.number is None or arguments.board or arguments.all:
        raise UsageError(
            "usage",
            "review done 에는 검토 번호 하나를 적고 --board 와 --all 은 적지 않습니다. "
            '예: review done 3 --note "확인한 내용". 번호는 review list 로 봅니다.',
        )
    with (
        hold_lock(home),
        open_store(home, under_lock=True) as store,
        real_world(home.settings.politeness, starts_at=arguments.now) as world,
        write_log(home.logs, world.now),
    ):
        item = finish_review(store, arguments.number, arguments.note, world.now())
        extra = {"review_id": item.review_id, "run_id": item.run_id, "note": item.note}
        LOG.info("review_done", extra=extra)
    done = _look_at(item, home, arguments.home)
    return Answer(0, {"reviews": [_review_json(done)]}, "\n".join(_tell(done)))


def _look_at(item: ReviewItem, home: Home, given: Path | None) -> _Review:
    names = {board.id: board.name_ko for board in home.boards}
    labels = {column.field: column.label_ko for column in columns_of(home, item.board_id)}
    board = next((each for each in home.page_boards if each.id == item.board_id), None)
    if board is not None:
        item = tell_forms(item, read_page_selectors(home, board))
    diff = home.reports / diff_name(item)
    where = name_home(given)
    commands = {
        "done": f'dmf-crawler review done {item.review_id}{where} --note "확인한 내용"',
        "report": f"dmf-crawler report{where} --date {item.day}",
    }
    if item.is_terms:
        commands["confirm"] = f'dmf-crawler terms confirm{where} --note "확인한 내용"'
    return _Review(
        item=item,
        board_name=names.get(item.board_id, item.board_id),
        fields=tuple(
            _ChangedField(name, labels.get(name, name), item.before.get(name), item.after.get(name))
            for name in {**item.after, **item.before}
            if name != BODY and item.before.get(name) != item.after.get(name)
        ),
        diff=diff if diff.is_file() else None,
        commands=commands,
    )


def _review_json(found: _Review) -> dict[str, Any]:
    item = found.item
    removed, added = list_passages(item)
    return {
        "id": item.review_id,
        "board": item.board_id,
        "board_name": found.board_name,
        "date": str(item.day),
        "run_id": item.run_id,
        "movement": str(item.movement),
        "is_terms": item.is_terms,
        "distance": item.distance,
        "threshold": item.threshold,
        "why": item.why,
        "fields": [
            {"field": each.name, "label": each.label, "before": each.before, "after": each.after}
            for each in found.fields
        ],
        "removed": list(removed),
        "added": list(added),
        "url": item.after_at.url if item.after_at else None,
        "before_run": item.before_at.run_id if item.before_at else None,
        "diff": str(found.diff) if found.diff else None,
        "done_at": item.done_at.isoformat() if item.done_at else None,
        "note": item.note,
        "commands": found.commands,
    }


def _tell(found: _Review) -> Iterator[str]:
    """Yield the lines of one change."""
    item = found.item
    moved = show_movement(item.movement, item.distance, item.threshold)
    kind = "  이용약관" if item.is_terms else ""
    yield f"{item.review_id}  {item.day}  {found.board_name} ({item.board_id})  {moved}{kind}"
    if item.why:
        yield f"  까닭: {escape_unprintable(item.why)}"
    for each in found.fields:
        yield f"  {each.label}: {quote_value(each.before)} -> {quote_value(each.after)}"
    for passages in list_passages(item):
        yield from (f"  {escape_unprintable(passage)}" for passage in passages)
    missing = f"없음. {found.commands['report']} 로 다시 만듭니다."
    yield f"  비교 파일: {found.diff or missing}"
    if item.after_at:
        yield f"  원본 페이지: {escape_unprintable(item.after_at.url)}"
    if item.done_at is None:
        yield f"  확인했으면       {found.commands['done']}"
    else:
        note = f" 메모: {item.note}" if item.note else ""
        yield f"  {item.done_at:%Y-%m-%d %H:%M}에 확인했습니다. 다음 보고서부터 빠집니다.{note}"
    if "confirm" in found.commands:
        yield f"  약관이 허용하면 {found.commands['confirm']}"
