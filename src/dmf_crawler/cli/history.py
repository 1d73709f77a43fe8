"""`runs`, `history`, `report`, `verify`: questions to what is stored."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.home import hold_lock, open_home
from dmf_crawler.cli.wording import STATUS_KO, count_words, row_json
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.model import EventRow, VersionRow
from dmf_crawler.persist.questions import events_of_key, find_key, versions_of_key
from dmf_crawler.persist.runs import find_runs, get_run, last_accepted_run
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import Check, verify_history
from dmf_crawler.pipeline import publish_day
from dmf_crawler.text import key_form
from dmf_crawler.watch import open_watch
from dmf_crawler.world import real_world


def open_store(home: Home) -> Store:
    """Open a history that must be there already.

    Raises:
        UsageError: `no_history`.
    """
    if not home.database.is_file():
        raise UsageError(
            "no_history",
            f"이력 {home.database} 이 아직 없습니다. 먼저 run 또는 rehearse 를 실행하세요.",
        )
    return Store(home.database)


def list_runs(arguments: argparse.Namespace) -> Answer:
    """Show past runs, newest first."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        rows = find_runs(store, limit=arguments.limit)
    lines = [
        f"{row.run.run_id}  {STATUS_KO[row.status]}  건수 {row.n_rows or 0:,}  "
        f"요청 {row.n_requests:,}  {count_words(row.counts, row.missing)}"
        + (f"  [{row.error_code}] {row.reject_reason}" if row.error_code else "")
        for row in rows
    ]
    text = "\n".join(lines) or "실행이 없습니다."
    return Answer(0, {"runs": [row_json(row) for row in rows]}, text)


def show_history(arguments: argparse.Namespace) -> Answer:
    """Show everything that happened to one record."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        found = find_key(store, arguments.key) or find_key(store, key_form(arguments.key))
        if not found:
            raise UsageError(
                "no_such_key",
                f"'{arguments.key}' 는 이력에 없습니다. 등록번호를 접미사 (1), (A)까지 적었는지 "
                "확인하세요.",
            )
        if len(found) > 1:
            raise UsageError(
                "ambiguous_key",
                f"'{arguments.key}' 를 쓰는 기록이 {len(found)}건입니다: "
                f"{', '.join(key for _, key in found)}. 그중 하나를 적으세요.",
            )
        board_id, key = found[0]
        events = events_of_key(store, board_id, key)
        versions = versions_of_key(store, board_id, key)
    payload = {
        "key": key,
        "board": board_id,
        "events": [_event_json(event) for event in events],
        "versions": [_version_json(version) for version in versions],
    }
    return Answer(0, payload, "\n".join([f"{key} ({board_id})", *map(_event_line, events)]))


def _event_json(event: EventRow) -> dict[str, Any]:
    return {
        "run_id": event.run_id,
        "occurred_at": event.occurred_at.isoformat(),
        "event_type": str(event.event_type),
        "reason": event.reason,
        "grade": event.grade,
        "missing_since": str(event.missing_since) if event.missing_since else None,
        "changes": [asdict(change) for change in event.changes],
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


EVENTS_KO = {"NEW": "신규", "MODIFIED": "변경", "WITHDRAWN": "취하", "REAPPEARED": "재등장"}


def _event_line(event: EventRow) -> str:
    changes = "; ".join(
        f"{change.field}: {change.before!r} -> {change.after!r}" for change in event.changes
    )
    when = f"{event.occurred_at:%Y-%m-%d %H:%M}"
    reason = f" ({event.reason})" if event.reason else ""
    return f"  {when}  {EVENTS_KO[event.event_type]}{reason}  {changes}".rstrip()


def rewrite_report(arguments: argparse.Namespace) -> Answer:
    """Write the workbook of a day again from the history."""
    home = open_home(arguments.home)
    with hold_lock(home), open_store(home) as store:
        watches = [open_watch(home, board, store) for board in home.enabled_boards]
        day = arguments.date
        if arguments.run:
            day = get_run(store, arguments.run).run.day
        if day is None:
            accepted = [last_accepted_run(store, watch.board.id) for watch in watches]
            day = max((row.run.day for row in accepted if row is not None), default=None)
        if day is None:
            raise UsageError(
                "nothing_accepted", "채택된 실행이 없어 리포트를 만들 수 없습니다. 먼저 run 하세요."
            )
        with real_world(home.settings.politeness) as world:
            path = publish_day(watches, day, written_at=world.now())
    return Answer(0, {"report": str(path)}, f"리포트: {path}")


def verify(arguments: argparse.Namespace) -> Answer:
    """Prove the history and the raw store; exit code 5 with the first offender otherwise."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        checks = [*verify_history(store), _verify_raw(home)]
    broken = next((check for check in checks if not check.ok), None)
    lines = [
        f"{'이상 없음' if check.ok else '이상'}  {check.name}: {check.detail}" for check in checks
    ]
    payload = {"ok": broken is None, "checks": [asdict(check) for check in checks]}
    if broken is None:
        return Answer(0, payload, "\n".join(lines))
    message = (
        f"저장된 자료가 온전하지 않습니다({broken.name}): {broken.detail}. "
        "홈 폴더를 백업에서 되살리고, 되살릴 수 없으면 개발자에게 알려 주세요."
    )
    return Answer(5, payload, "\n".join(lines), ("not_verified", message))


def _verify_raw(home: Home) -> Check:
    problems = RawStore(home.raw).verify()
    detail = f"{problems[0].path}: {problems[0].what}" if problems else "이상 없음"
    return Check("raw_digests", not problems, detail)
