"""`prune`: what is beyond its retention, removed, or only named with `--dry-run`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.config import Home
from dmf_crawler.model.run import day_of
from dmf_crawler.prune import KeepReason, KeptFolder, Leftover, PrunePlan, carry_out, plan_prune
from dmf_crawler.world import real_world

REASONS_KO = {
    KeepReason.LAST_OF_MONTH: "그달의 대표 실행",
    KeepReason.HELD: "보류된 실행",
    KeepReason.RUNNING: "진행 중인 실행",
    KeepReason.KNOWN_PAGE: "상세 페이지를 다시 받지 않으려면 필요함",
    KeepReason.KEPT_STATE: "감시 페이지가 바뀌기 전이나 뒤의 모습",
    KeepReason.UNKNOWN_RUN: "이력에 없는 실행이라 그대로 둠",
    KeepReason.UNKNOWN_BOARD: "이력에 없는 게시판이라 그대로 둠",
}


def prune(arguments: argparse.Namespace) -> Answer:
    """Remove raw folders and logs that are beyond their time."""
    home = open_home(arguments.home)
    with real_world(home.settings.politeness) as world:
        return prune_home(home, world.now, is_dry=arguments.dry_run)


def prune_home(home: Home, now: Callable[[], datetime], *, is_dry: bool) -> Answer:
    """Remove, or only name, what is beyond its time at a moment; exit code 5 where some stays."""
    with hold_lock(home), write_log(home.logs, now):
        with open_store(home, under_lock=True) as store:
            plan = plan_prune(home, store, today=day_of(now()))
        leftovers = () if is_dry else carry_out(plan)
        if not is_dry:
            LOG.info(
                "pruned",
                extra={
                    "raw": _shown(home, plan.raw),
                    "logs": _shown(home, plan.logs),
                    "failed": _shown(home, [leftover.path for leftover in leftovers]),
                },
            )
    return _answer(home, plan, leftovers, is_dry=is_dry)


def _answer(home: Home, plan: PrunePlan, leftovers: Sequence[Leftover], *, is_dry: bool) -> Answer:
    failed = {leftover.path for leftover in leftovers}
    raw = _shown(home, [path for path in plan.raw if path not in failed])
    logs = _shown(home, [path for path in plan.logs if path not in failed])
    payload = {
        "dry_run": is_dry,
        "raw": raw,
        "logs": logs,
        "bytes": plan.n_bytes,
        "kept": [{"run_id": kept.run_id, "reason": str(kept.reason)} for kept in plan.kept],
        "failed": [
            {"path": _shown(home, [leftover.path])[0], "error": leftover.what}
            for leftover in leftovers
        ],
    }
    text = "\n".join([*_say_removed(raw, logs, is_dry=is_dry), *_say_kept(plan.kept)])
    if not leftovers:
        return Answer(0, payload, text)
    message = (
        f"{len(leftovers):,}개를 지우지 못했습니다. 첫째: {leftovers[0].path} "
        f"({leftovers[0].what}). 그것을 연 프로그램을 닫고 쓰기 권한을 "
        "확인한 뒤 prune 을 다시 실행해 주십시오."
    )
    return Answer(5, payload, text, ("prune_incomplete", message))


def _say_removed(raw: Sequence[str], logs: Sequence[str], *, is_dry: bool) -> list[str]:
    if not raw and not logs:
        return ["보존 기간이 지나 지울 것이 없습니다."]
    end = "지울 것입니다. 아직 지우지 않았습니다" if is_dry else "지웠습니다"
    head = f"페이지 폴더 {len(raw):,}개와 로그 {len(logs):,}개를 {end}."
    return [head, *(f"  {path}" for path in (*raw, *logs))]


def _say_kept(kept: Sequence[KeptFolder]) -> list[str]:
    if not kept:
        return []
    head = f"보존 기간이 지났지만 남겨 둔 페이지 폴더 {len(kept):,}개:"
    return [head, *(f"  {each.run_id}: {REASONS_KO[each.reason]}" for each in kept)]


def _shown(home: Home, paths: Sequence[Path]) -> list[str]:
    """Return paths relative to the home, with slashes on every system."""
    return [path.relative_to(home.root).as_posix() for path in paths]
