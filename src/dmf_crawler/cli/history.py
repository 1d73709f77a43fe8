"""`runs`, `history`, `report`, `verify`: questions to what is stored."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import hold_lock, open_home, write_log
from dmf_crawler.cli.piece_words import change_json, describe_pieces
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.cli.wording import quote_value, row_json, row_text
from dmf_crawler.config import Home
from dmf_crawler.daily_report import publish_day
from dmf_crawler.errors import StoreError, UsageError
from dmf_crawler.model.change import FieldChange
from dmf_crawler.model.record import Column
from dmf_crawler.model.report import EventRow, VersionRow
from dmf_crawler.model.run import day_of
from dmf_crawler.page_watch import open_boards, read_board_selectors
from dmf_crawler.persist.changed_back import mark_changed_back
from dmf_crawler.persist.contradictions import refuse_contradictions
from dmf_crawler.persist.earlier_runs import taken_over
from dmf_crawler.persist.questions import (
    Source,
    events_of_key,
    find_key,
    find_sources,
    versions_of_key,
)
from dmf_crawler.persist.runs import find_runs, get_run, last_accepted_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import Check, verify_history
from dmf_crawler.publish.report.wording import (
    EVENT_WORDS,
    label_of,
    shorten_change,
    show_changed_back,
    show_reason,
)
from dmf_crawler.text import key_form
from dmf_crawler.world import real_world

MOST_SHOWN_KEYS = 10


RESTORE_HISTORY = (
    "실행을 멈추고 홈 폴더의 var/dmf.sqlite3 을 백업에서 되살린 뒤 verify 를 다시 실행하십시오. "
    "백업이 없으면 이 줄을 개발자에게 보내 주십시오. 파일을 직접 고치지 마십시오."
)
RESTORE_PAGES = (
    "이력은 그대로 쓸 수 있습니다. 그 실행의 raw 폴더를 백업에서 되살린 뒤 verify 를 다시 "
    "실행하십시오. 되살릴 수 없으면 그 실행은 다시 읽을(reparse) 수 없습니다."
)

N_OTHER_ANSWERS = 1
"""Besides the pages of its list every crawl keeps robots.txt."""


def open_store(home: Home, *, under_lock: bool = False, is_sealed: bool = True) -> Store:
    """Open a history that must be there already; its seal is looked at unless told otherwise.

    Args:
        home: The home folder.
        under_lock: The caller holds the lock and may write. Without it the history is opened to be
            read, beside a run at work; one of an older version is first brought up to date, which
            takes the lock for that time.
        is_sealed: As in `Store`.

    Raises:
        UsageError: `no_history`.
        LockHeldError: `lock_held`: an older history, and a run at work.
    """
    if not home.database.is_file():
        raise UsageError(
            "no_history",
            f"이력 {home.database} 이 아직 없습니다. 먼저 run 또는 rehearse 를 실행하십시오.",
        )
    if not under_lock:
        try:
            return Store(home.database, for_reading=True)
        except StoreError as error:
            if error.code != "database_older":
                raise
        with hold_lock(home):
            Store(home.database).close()
    return Store(home.database, for_reading=not under_lock, is_sealed=is_sealed)


def list_runs(arguments: argparse.Namespace) -> Answer:
    """Show past runs, newest first."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        rows, n_taken_over = find_runs(store, limit=arguments.limit), taken_over(store)
    told = [(row, n_taken_over.get(row.run.run_id, 0)) for row in rows]
    text = "\n".join(row_text(row, n_pages) for row, n_pages in told) or "실행이 없습니다."
    return Answer(0, {"runs": [row_json(row, n_pages) for row, n_pages in told]}, text)


def show_history(arguments: argparse.Namespace) -> Answer:
    """Show everything that happened to one record."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        board_id, key = choose_key(store, arguments.key)
        events = _mark_changed_back(home, events_of_key(store, board_id, key))
        versions = versions_of_key(store, board_id, key)
    payload = {
        "key": key,
        "board": board_id,
        "events": [event_json(event) for event in events],
        "versions": [_version_json(version) for version in versions],
    }
    columns = columns_of(home, board_id)
    lines = [f"{key} ({board_id})"]
    for event in events:
        lines += [_event_line(event, columns), *_tell_pieces(event, columns)]
    return Answer(0, payload, "\n".join(lines))


def _mark_changed_back(home: Home, events: Iterable[EventRow]) -> list[EventRow]:
    """Return a key's events with what in them undid an earlier one, as the workbook tells it."""
    dated = ((event, day_of(event.occurred_at)) for event in events)
    n_days = home.settings.report.changed_back_days
    return [event for event, _ in mark_changed_back(dated, n_days=n_days)]


def _tell_pieces(event: EventRow, columns: Sequence[Column]) -> Iterator[str]:
    """Yield what an event changed inside its values, and which values it changed back."""
    for change in event.changes:
        label = label_of(change.field, columns)
        for line in describe_pieces(change):
            yield f"      {label} {line}"
        if back := show_changed_back(event.changed_back.get(change.field)):
            yield f"      {label} {back}"


def choose_key(store: Store, text: str, board_id: str | None = None) -> tuple[str, str]:
    """Return board and natural key of the one record that a person means by a text.

    Args:
        store: The history.
        text: Natural key or number, in any spelling.
        board_id: The only board to look in, None for all.

    Raises:
        UsageError: `no_such_key`, `ambiguous_key`.
    """
    found = [
        each
        for each in find_key(store, text) or find_key(store, key_form(text))
        if board_id in {None, each[0]}
    ]
    if not found:
        raise UsageError(
            "no_such_key",
            f"'{text}' 는 이력에 없습니다. 등록번호를 접미사 (1), (A)까지 적었는지 확인하십시오.",
        )
    if len(found) > 1:
        has_boards = len({board for board, _ in found}) > 1
        names = [f"{key} ({board})" if has_boards else key for board, key in found]
        raise UsageError(
            "ambiguous_key",
            f"'{text}' 를 쓰는 기록이 {len(found)}건입니다: {', '.join(names[:MOST_SHOWN_KEYS])}"
            f"{' 등' if len(found) > MOST_SHOWN_KEYS else ''}. 그중 하나를 적으십시오.",
        )
    return found[0]


def columns_of(home: Home, board_id: str) -> Sequence[Column]:
    """Return a board's columns for their Korean names; none for one that is switched off."""
    return next(
        (
            read_board_selectors(home, board).columns
            for board in home.enabled_boards
            if board.id == board_id
        ),
        (),
    )


def event_json(event: EventRow) -> dict[str, Any]:
    """Return an event without its key, which stands above it."""
    return {
        "run_id": event.run_id,
        "occurred_at": event.occurred_at.isoformat(),
        "event_type": str(event.event_type),
        "reason": event.reason,
        "grade": event.grade,
        "missing_since": str(event.missing_since) if event.missing_since else None,
        "changes": [
            change_json(change, event.changed_back.get(change.field)) for change in event.changes
        ],
        "record": dict(event.fields),
    }


def _version_json(version: VersionRow) -> dict[str, Any]:
    return {
        "valid_from": version.valid_from.isoformat(),
        "valid_to": version.valid_to.isoformat() if version.valid_to else None,
        "is_current": version.valid_to is None,
        "run_id": version.run_id,
        "source_url": version.url,
        "source_sha256": version.source,
        "source_row": version.row_no,
        "record": dict(version.fields),
    }


def _event_line(event: EventRow, columns: Sequence[Column]) -> str:
    when = f"{event.occurred_at:%Y-%m-%d %H:%M}"
    reason = f" ({show_reason(event.reason)})" if event.reason else ""
    changes = "; ".join(change_text(change, columns) for change in event.changes)
    return f"  {when}  {EVENT_WORDS[event.event_type]}{reason}  {changes}".rstrip()


def change_text(change: FieldChange, columns: Sequence[Column]) -> str:
    """Return a changed field on one line; of a long text only where it differs."""
    before, after = map(quote_value, shorten_change(change))
    return f"{label_of(change.field, columns)}: {before} -> {after}"


def rewrite_report(arguments: argparse.Namespace) -> Answer:
    """Write the workbook of a day again from the history."""
    home = open_home(arguments.home)
    with (
        hold_lock(home),
        real_world(home.settings.politeness) as world,
        write_log(home.logs, world.now),
        open_store(home, under_lock=True) as store,
    ):
        choose_boards(home, None)
        watches = open_boards(home, store)
        day = arguments.date
        if arguments.run:
            day = get_run(store, arguments.run).run.day
        if day is None:
            accepted = [last_accepted_run(store, watch.board.id) for watch in watches]
            day = max((row.run.day for row in accepted if row is not None), default=None)
        if day is None:
            raise UsageError(
                "nothing_accepted",
                "채택된 실행이 없어 보고서를 만들 수 없습니다. 먼저 run 하십시오.",
            )
        for watch in watches:
            refuse_contradictions(store, watch.board.id)
        path = publish_day(watches, day, written_at=world.now())
    return Answer(0, {"report": str(path)}, f"보고서: {path}")


def verify(arguments: argparse.Namespace) -> Answer:
    """Prove the history and the raw store; exit code 5 with the first offender otherwise.

    Under the lock: what a run is just writing would look broken.
    """
    home = open_home(arguments.home)
    with (
        hold_lock(home),
        real_world(home.settings.politeness) as world,
        open_store(home, under_lock=True, is_sealed=False) as store,
    ):
        sources = _verify_sources(home, find_sources(store), today=day_of(world.now()))
        checks = [*verify_history(store), _verify_raw(home), sources, _verify_seal(store)]
    broken = next((check for check in checks if not check.ok), None)
    payload = {
        "ok": broken is None,
        "checks": [{**asdict(check), "next": _tell_remedy(check)} for check in checks],
    }
    text = "\n".join(line for check in checks for line in _check_lines(check))
    if broken is None:
        return Answer(0, payload, text)
    message = (
        f"저장된 자료가 온전하지 않습니다({broken.name}): {broken.detail}. {_tell_remedy(broken)}"
    )
    return Answer(5, payload, text, ("not_verified", message))


def _tell_remedy(check: Check) -> str:
    """Return what is to be done about a check that does not hold, "" where it does."""
    if check.ok:
        return ""
    return RESTORE_PAGES if check.name.startswith("raw_") else RESTORE_HISTORY


def _check_lines(check: Check) -> list[str]:
    line = f"{'이상 없음' if check.ok else '이상'}  {check.name}: {check.detail}"
    return [line] if check.ok else [line, f"  할 일: {_tell_remedy(check)}"]


def _verify_seal(store: Store) -> Check:
    if not store.is_damaged:
        return Check("file_seal", ok=True, detail="이상 없음")
    detail = (
        f"{store.path} 의 내용이 마지막으로 닫은 뒤에 바뀌었습니다. 위의 증명이 보지 않는 값이 "
        "손상되었을 수 있습니다"
    )
    return Check("file_seal", ok=False, detail=detail)


def _verify_raw(home: Home) -> Check:
    problems = RawStore(home.raw).verify()
    detail = "이상 없음"
    if problems:
        detail = f"{problems[0].path} 이 없거나 손상되었거나 기록된 지문(SHA-256)과 다릅니다"
    return Check("raw_digests", not problems, detail)


def _verify_sources(home: Home, sources: Sequence[Source], *, today: date) -> Check:
    """Prove that the pages of every accepted run, and of every version, are still kept.

    The whole folder of a run may be gone once it is older than the retention. A rehearsed history
    may lie in the future: its age counts up to its own last day.
    """
    raw_store, raw_days = RawStore(home.raw), home.settings.retention.raw_days
    n_pruned, last = 0, max([today, *(source.day for source in sources)])
    for source in sources:
        folder = home.root / source.raw_dir
        if not folder.exists() and (last - source.day).days >= raw_days:
            n_pruned += 1
            continue
        kept = raw_store.digests(folder)
        has_pages = any(page.request.kind == "list" for page in raw_store.told_visits(folder))
        # Of a list that was read page by page also page 1 once more.
        n_least = source.n_pages + N_OTHER_ANSWERS + has_pages
        if len(kept) < n_least or source.digests - set(kept):
            detail = (
                f"{source.raw_dir} 에 보관된 페이지가 모자랍니다"
                f"(찾은 것 {len(kept)}, 최소 {n_least})"
            )
            return Check("raw_sources", ok=False, detail=detail)
    pruned = f" (보존 기간 {raw_days}일이 지나 정리된 실행 {n_pruned:,}건)" if n_pruned else ""
    return Check("raw_sources", ok=True, detail=f"이상 없음{pruned}")
