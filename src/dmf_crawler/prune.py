"""Retention: which raw folders and log files have served their time, and their removal.

Of a board's raw folders beyond `retention.raw_days` one a month stays: the last accepted one, else
the last one. What a person still has to decide on, what is at work, what a conditional request
still needs and each state of a watched page stays, too; what the history does not know is nobody's
to remove. The history itself keeps every run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path

from dmf_crawler.acquire.raw_store import PRUNED_SUFFIX
from dmf_crawler.config import Home
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import RunStatus
from dmf_crawler.persist.page_visits import page_folders
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store

_UNRECORDED = re.compile(r"[0-9]{8}T[0-9]{6}-(?P<board>.+)-(?:dry|calibrate)(?:-[0-9]+)?")
_LOG = re.compile(r"dmf-(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})\.jsonl")


class KeepReason(StrEnum):
    """Why a folder beyond its time stays."""

    LAST_OF_MONTH = "last_of_month"
    HELD = "held"
    RUNNING = "running"
    KNOWN_PAGE = "known_page"
    KEPT_STATE = "kept_state"
    UNKNOWN_RUN = "unknown_run"
    UNKNOWN_BOARD = "unknown_board"


@dataclass(frozen=True, slots=True)
class KeptFolder:
    """A raw folder beyond its time that stays, and why."""

    path: Path
    run_id: str
    reason: KeepReason


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What is to be removed.

    Attributes:
        raw: Folders of runs, oldest first; those of an earlier prune that was cut short come first.
        logs: Log files, oldest first.
        n_bytes: How much all of them hold.
        kept: Folders beyond their time that stay, oldest first.
    """

    raw: tuple[Path, ...]
    logs: tuple[Path, ...]
    n_bytes: int
    kept: tuple[KeptFolder, ...]


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that could not be removed, and what the system says."""

    path: Path
    what: str


@dataclass(frozen=True, slots=True)
class _RawFolder:
    """One run's folder.

    Attributes:
        path: Absolute.
        day: Of the folder above.
        board_id: Of the folder between.
        rows: The runs that read it: the one that kept it, and corrections; none for a dry run.
        is_dry: Whether it is of a dry run or a calibration, which the history has no line of.
    """

    path: Path
    day: date
    board_id: str
    rows: Sequence[RunRow] = field(default=())
    is_dry: bool = False

    @property
    def is_known(self) -> bool:
        """Whether it may be removed at all."""
        return bool(self.rows) or self.is_dry

    @property
    def rank(self) -> tuple[bool, bool, str, int, str]:
        """Of a month's folders the highest stays: accepted before others, then the latest."""
        is_accepted = any(row.status is RunStatus.OK for row in self.rows)
        name = self.path.name
        return is_accepted, bool(self.rows), name[:15], len(name), name


def plan_prune(home: Home, store: Store, *, today: date) -> PrunePlan:
    """Say what is beyond its time; nothing is touched.

    Args:
        home: The home folder and its retention.
        store: Its history.
        today: The day (06:00 to 06:00 KST) that ages count up to.
    """
    retention = home.settings.retention
    oldest_raw = today - timedelta(days=retention.raw_days)
    oldest_log = today - timedelta(days=retention.log_days)
    removed, kept = _sort_folders(home, store, oldest_raw)
    leftovers = sorted(filter(Path.is_dir, home.raw.glob(f"*/*/*{PRUNED_SUFFIX}")))
    logs = [path for path, day in _list_logs(home.logs) if day < oldest_log]
    raw = (*leftovers, *removed)
    return PrunePlan(raw, tuple(logs), sum(map(_count_bytes, (*raw, *logs))), tuple(kept))


def _sort_folders(home: Home, store: Store, oldest: date) -> tuple[list[Path], list[KeptFolder]]:
    rows = find_runs(store)
    boards = {row.run.board_id for row in rows}
    folders = list(_list_folders(home, rows, boards))
    needed = {
        home.root / page.raw_dir for board in boards for page in known_pages(store, board).values()
    }
    states = {home.root / raw_dir for raw_dir in page_folders(store)}
    last = _find_last_of_months(folders)
    removed, kept = [], []
    for folder in folders:
        if folder.day >= oldest:
            continue
        reason = _find_reason(folder, boards, needed, states, last)
        if reason is None:
            removed.append(folder.path)
        else:
            kept.append(KeptFolder(folder.path, folder.path.name, reason))
    return removed, kept


def _list_folders(home: Home, rows: Sequence[RunRow], boards: set[str]) -> Iterator[_RawFolder]:
    """Yield the folders of runs, oldest first; links to elsewhere are not looked into."""
    rows_of: dict[Path, list[RunRow]] = {}
    for row in rows:
        rows_of.setdefault(home.root / row.raw_dir, []).append(row)
    for path in sorted(home.raw.glob("*/*/*")):
        day, board_id = _read_day(path.parents[1].name), path.parent.name
        is_plain = path.is_dir() and not path.is_symlink() and path.suffix != PRUNED_SUFFIX
        if day is not None and is_plain:
            dry = _UNRECORDED.fullmatch(path.name)
            is_dry = dry is not None and dry["board"] == board_id and board_id in boards
            yield _RawFolder(path, day, board_id, rows_of.get(path, ()), is_dry)


def _find_last_of_months(folders: Sequence[_RawFolder]) -> set[Path]:
    """Return the folder that stays of each board and month.

    A month is over before its first folder is old enough: `raw_days` is 31 at least.
    """
    best: dict[tuple[str, int, int], _RawFolder] = {}
    for folder in filter(lambda each: each.is_known, folders):
        month = (folder.board_id, folder.day.year, folder.day.month)
        best[month] = max(best.get(month, folder), folder, key=lambda each: each.rank)
    return {folder.path for folder in best.values()}


def _find_reason(
    folder: _RawFolder, boards: set[str], needed: set[Path], states: set[Path], last: set[Path]
) -> KeepReason | None:
    """Return why a folder stays, or None."""
    statuses = {row.status for row in folder.rows}
    reasons: Mapping[KeepReason, bool] = {
        KeepReason.UNKNOWN_BOARD: folder.board_id not in boards,
        KeepReason.UNKNOWN_RUN: not folder.is_known,
        KeepReason.RUNNING: RunStatus.RUNNING in statuses,
        KeepReason.HELD: RunStatus.HELD in statuses,
        KeepReason.KNOWN_PAGE: folder.path in needed,
        KeepReason.KEPT_STATE: folder.path in states,
        KeepReason.LAST_OF_MONTH: folder.path in last,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _list_logs(folder: Path) -> Iterator[tuple[Path, date]]:
    for path in sorted(folder.glob("dmf-*.jsonl")):
        named = _LOG.fullmatch(path.name)
        day = None if named is None else _read_day(named["day"])
        if day is not None:
            yield path, day


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _count_bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.lstat().st_size for file in files if file.is_file())


# --- removal -------------------------------------------------------------------------------------


def carry_out(plan: PrunePlan) -> tuple[Leftover, ...]:
    """Remove what a plan names, as far as it can be; return what could not.

    The caller holds the lock. A folder gets another name first, so that a process that is killed
    leaves none that looks whole; the next plan has the rest of it.
    """
    leftovers = []
    for path in plan.raw:
        try:
            _remove_folder(path)
        except OSError as error:  # somebody has it open
            leftovers.append(Leftover(path, error.strerror or str(error)))
    for path in plan.logs:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            leftovers.append(Leftover(path, error.strerror or str(error)))
    return tuple(leftovers)


def _remove_folder(path: Path) -> None:
    doomed = path
    if path.suffix != PRUNED_SUFFIX:
        doomed = path.rename(path.with_name(path.name + PRUNED_SUFFIX))
    shutil.rmtree(doomed)
    for parent in path.parents[:2]:  # board and day, where nothing else is left in them
        with suppress(OSError):
            parent.rmdir()
