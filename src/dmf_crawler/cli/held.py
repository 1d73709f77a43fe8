"""`pending`, `approve`, `reject`: runs that a gate held, and what a person makes of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import columns_of, open_store
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.cli.previews import remove_previews, renew_previews
from dmf_crawler.cli.run import publish_accepted
from dmf_crawler.cli.wording import (
    count_words,
    error_json,
    name_home,
    quote_value,
    row_json,
    row_text,
    summary_json,
    summary_text,
    worst_error,
)
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.held import approve_held, check_held, preview_path
from dmf_crawler.killed import end_killed_runs
from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.record import Column
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import Example, Gate, Outcome
from dmf_crawler.page_watch import open_boards
from dmf_crawler.persist.decisions import held_runs, reject_held
from dmf_crawler.persist.gate_results import gates_of
from dmf_crawler.persist.runs import get_run, last_accepted_run
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.report.wording import LIMIT_WORDS, OUTCOME_WORDS, label_of
from dmf_crawler.text import escape_unprintable
from dmf_crawler.watch import Watch
from dmf_crawler.world import World, real_world

WHOLE_RECORD = "기록 전체"


# --- pending -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """An example with what a person knows its field and its page by."""

    example: Example
    label: str
    file: str | None


@dataclass(frozen=True, slots=True)
class _Held:
    """A held run with everything that helps to decide on it."""

    row: RunRow
    board_name: str
    gates: Sequence[tuple[Gate, Sequence[_Place]]]
    preview: Path | None
    commands: dict[str, str]
    approved_since: str | None


def pending(arguments: argparse.Namespace) -> Answer:
    """Show the runs that wait for a person."""
    home = open_home(arguments.home)
    with open_store(home) as store:
        held = [_look_at(row, store, home, arguments.home) for row in held_runs(store)]
    text = "\n\n".join([f"보류된 실행 {len(held):,}건", *("\n".join(_tell(each)) for each in held)])
    return Answer(
        0,
        {"held": [_held_json(each) for each in held]},
        text if held else "보류된 실행이 없습니다.",
    )


def _look_at(row: RunRow, store: Store, home: Home, given: Path | None) -> _Held:
    names = {board.id: board.name_ko for board in home.boards}
    columns = columns_of(home, row.run.board_id)
    preview = preview_path(home, row.run)
    return _Held(
        row=row,
        board_name=names.get(row.run.board_id, row.run.board_id),
        gates=[
            (gate, [_find_place(each, row, home, columns) for each in gate.examples])
            for gate in gates_of(store, row.run.run_id)
            if gate.outcome is not Outcome.PASS
        ],
        preview=preview if preview.is_file() else None,
        commands=_name_commands(row, given),
        approved_since=_find_approved_since(row, store),
    )


def _find_approved_since(row: RunRow, store: Store) -> str | None:
    """Return the run that was approved after this one was held: its reasons are of before."""
    last = last_accepted_run(store, row.run.board_id)
    if last is None or last.decision is None or last.decision.at is None:
        return None
    return last.run.run_id if last.decision.at >= row.run.started_at else None


def _find_place(example: Example, row: RunRow, home: Home, columns: Sequence[Column]) -> _Place:
    label = label_of(example.field, columns) if example.field else WHOLE_RECORD
    return _Place(example, label, _find_file(example.source, home.root / row.raw_dir, home))


def _find_file(sha256: str, folder: Path, home: Home) -> str | None:
    """Return the kept page of a digest, relative to the home folder, None where there is none."""
    found = RawStore(home.raw).find_file(folder, sha256) if sha256 else None
    return found[0].relative_to(home.root).as_posix() if found else None


def _name_commands(row: RunRow, given: Path | None) -> dict[str, str]:
    """Return the three commands that may follow, as they are to be typed."""
    where = name_home(given)
    run_id = row.run.run_id
    return {
        "approve": f'dmf-crawler approve {run_id}{where} --note "확인한 내용"',
        "reject": f'dmf-crawler reject {run_id}{where} --note "거부하는 까닭"',
        "reparse": f"dmf-crawler reparse{where} --run {run_id}",
    }


def _held_json(held: _Held) -> dict[str, Any]:
    row = held.row
    return {
        "run_id": row.run.run_id,
        "board": row.run.board_id,
        "board_name": held.board_name,
        "date": str(row.run.day),
        "started_at": row.run.started_at.isoformat(),
        "n_rows": row.n_rows,
        "counts": asdict(row.counts),
        "missing": row.missing,
        "error": error_json(row),
        "gates": [_gate_json(gate, places) for gate, places in held.gates],
        "preview": str(held.preview) if held.preview else None,
        "commands": held.commands,
    }


def _gate_json(gate: Gate, places: Sequence[_Place]) -> dict[str, Any]:
    return {
        "code": gate.code,
        "name": gate.name_ko,
        "outcome": str(gate.outcome),
        "observed": gate.observed,
        "limit": gate.limit,
        "limit_from": str(gate.limit_from) if gate.limit_from else None,
        "message": gate.message,
        "examples": [
            {
                "key": place.example.key,
                "field": place.example.field,
                "label": place.label,
                "before": place.example.before,
                "after": place.example.after,
                "file": place.file,
                "row": place.example.row_no or None,
                "url": place.example.url or None,
            }
            for place in places
        ],
    }


def _tell(held: _Held) -> Iterator[str]:
    """Yield the lines of one held run."""
    row = held.row
    yield f"{row.run.run_id}  {row.run.day}  {held.board_name}"
    yield f"  목록 {row.n_rows or 0:,}건. 승인하면: {count_words(row.counts, row.missing)}"
    if held.approved_since:
        yield (
            f"  주의: 그 뒤에 {held.approved_since} 이 승인되었습니다. 건수와 사유는 그 전의 "
            "목록과 비교한 것이고, 미리보기는 지금의 목록과 비교한 것입니다."
        )
    for gate, places in held.gates:
        yield f"  [{OUTCOME_WORDS[gate.outcome]}] {gate.code} {gate.name_ko}: {gate.message}"
        yield f"         관측값 {_number(gate.observed)}, 기준값 {_number(gate.limit)}{_from(gate)}"
        yield from (f"         예 {number}) {_say(each)}" for number, each in enumerate(places, 1))
    yield f"  미리보기: {held.preview or '없음'}"
    yield "  다음 가운데 하나를 실행하십시오."
    yield f"    사실이면        {held.commands['approve']}"
    yield f"    사실이 아니면   {held.commands['reject']}"
    yield f"    다시 보려면     {held.commands['reparse']}"


def _number(number: float | None) -> str:
    if number is None:
        return "없음"
    return f"{number:,.0f}" if number == int(number) else f"{number:,.4g}"


def _from(gate: Gate) -> str:
    return f" ({LIMIT_WORDS[gate.limit_from]})" if gate.limit_from else ""


def _say(place: _Place) -> str:
    example = place.example
    values = f"{quote_value(example.before)} -> {quote_value(example.after)}"
    row = f" {example.row_no}행" if example.row_no else ""
    page = f"  {place.file}{row}" if place.file else ""
    return f"{escape_unprintable(example.key)}  {place.label}: {values}{page}"


# --- approve and reject --------------------------------------------------------------------------


def approve(arguments: argparse.Namespace) -> Answer:
    """Accept a held run from its kept pages; write the workbook of its day."""
    home = open_home(arguments.home)
    with _deciding(home, arguments) as (store, world, row):
        watches = open_boards(home, store)
        lists = (each for each in watches if isinstance(each, Watch))  # no page is ever held
        watch = next((each for each in lists if each.board.id == row.run.board_id), None)
        if watch is None:
            raise UsageError(
                "no_such_board",
                f"{row.run.run_id} 의 게시판이 켜져 있지 않습니다. "
                "config/boards.yaml에서 켠 뒤 다시 실행하십시오.",
            )
        summary = approve_held(row, watch, note=arguments.note, now=world.now)
        is_accepted = summary.status is RunStatus.OK
        if is_accepted:
            LOG.info("run_approved", extra={"run_id": row.run.run_id, "note": arguments.note})
            (summary,) = publish_accepted(watches, [summary], world)
            left = renew_previews(watches, world)
            summary = replace(summary, warnings=(*summary.warnings, *left))
        else:
            code = summary.fault.code if summary.fault else None
            LOG.warning("approval_refused", extra={"run_id": row.run.run_id, "code": code})
    text = summary_text(summary)
    if not is_accepted:
        text += "\n  승인하지 않았습니다. 실행은 보류된 그대로입니다."
    return Answer(
        summary.exit_code, {"runs": [summary_json(summary)]}, text, worst_error([summary])
    )


def reject(arguments: argparse.Namespace) -> Answer:
    """End a held run without recording anything; its pages stay."""
    home = open_home(arguments.home)
    with _deciding(home, arguments) as (store, world, row):
        reject_held(store, row, Decision(Decided.REJECTED, world.now(), arguments.note))
        LOG.info("run_rejected", extra={"run_id": row.run.run_id, "note": arguments.note})
        left = remove_previews(home, store)
        ended = get_run(store, row.run.run_id)
    lines = [row_text(ended), *(f"  주의: {each}" for each in left)]
    return Answer(0, {"runs": [row_json(ended)], "warnings": list(left)}, "\n".join(lines))


@contextmanager
def _deciding(home: Home, arguments: argparse.Namespace) -> Iterator[tuple[Store, World, RunRow]]:
    """Hold the lock and give the history, the clock and the held run that is decided on."""
    with (
        hold_lock(home),
        open_store(home, under_lock=True) as store,
        real_world(home.settings.politeness, starts_at=arguments.now) as world,
        write_log(home.logs, world.now),
    ):
        end_killed_runs(home, store, world.now())
        row = get_run(store, arguments.run)
        check_held(row)
        yield store, world, row
