"""Workbooks of held runs: written when a run is held, gone when it no longer waits.

Whatever happens to a preview, the outcome of the run stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from dmf_crawler.cli.home import LOG
from dmf_crawler.config import Home
from dmf_crawler.errors import DmfCrawlerError
from dmf_crawler.held import clear_previews, preview_path, write_preview
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.page_watch import AnyWatch
from dmf_crawler.persist.decisions import held_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.world import World


def settle_previews(
    summaries: Sequence[RunSummary], watches: Sequence[AnyWatch], world: World
) -> list[RunSummary]:
    """Remove the previews of runs that no longer wait; write those of the runs held just now.

    Args:
        summaries: Of the runs that have just ended.
        watches: All boards that a workbook is of.
        world: Its clock.
    """
    remove_previews(watches[0].home, watches[0].store)
    return [
        _add_preview(summary, watches, world) if summary.status is RunStatus.HELD else summary
        for summary in summaries
    ]


def _add_preview(summary: RunSummary, watches: Sequence[AnyWatch], world: World) -> RunSummary:
    try:
        path = write_preview(summary.run, watches, now=world.now)
    except Exception as error:  # noqa: BLE001 - a run that is held stays so, with or without it
        LOG.exception("preview_not_written", extra={"run_id": summary.run.run_id})
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, DmfCrawlerError):
            why = error.message
        told = f"미리보기를 쓰지 못했습니다. 보류는 그대로입니다. {why}"
        return replace(summary, warnings=(*summary.warnings, told))
    LOG.info("preview_written", extra={"path": str(path)})
    return replace(summary, preview=str(path))


def renew_previews(watches: Sequence[AnyWatch], world: World) -> tuple[str, ...]:
    """Write the previews of all held runs anew: they are to be compared with another list now.

    Returns:
        A Korean sentence for each that could not be written; what it showed is gone.
    """
    home, store = watches[0].home, watches[0].store
    left = remove_previews(home, store)
    boards = {watch.board.id for watch in watches}
    told: list[str] = []
    for row in held_runs(store):
        with suppress(OSError):
            preview_path(home, row.run).unlink(missing_ok=True)
        if row.run.board_id in boards:
            as_summary = RunSummary(row.run, RunStatus.HELD, row.exit_code or 0)
            told += _add_preview(as_summary, watches, world).warnings
    return (*left, *told)


def remove_previews(home: Home, store: Store) -> tuple[str, ...]:
    """Remove the previews of runs that no longer wait; say in Korean which one could not be."""
    left = clear_previews(home, store)
    for path in left:
        LOG.warning("preview_not_removed", extra={"path": str(path)})
    return tuple(
        f"미리보기 {path} 를 지우지 못했습니다. 엑셀에서 닫으십시오. 다음 실행이 지웁니다."
        for path in left
    )
