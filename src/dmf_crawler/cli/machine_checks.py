"""What `doctor` asks of the machine: where the home lies, its folders, its disk, its lock."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dmf_crawler.cli.checks import not_looked_at
from dmf_crawler.cli.home import find_remote, hold_lock, is_network_drive
from dmf_crawler.config import Home
from dmf_crawler.errors import LockHeldError
from dmf_crawler.model.diagnosis import Diagnosis, Health

LEAST_FREE_BYTES = 1_000_000_000
"""Free at least, however little the pages of a month take."""

N_DAYS_AHEAD = 30
"""The pages of so many days have to find room."""

TRIAL_FILE = ".doctor-trial"
"""Written into each folder, and removed; no other part of the program gives a file this name."""


def count_free_bytes(folder: Path) -> int:
    """Return what is free on the disk that a folder lies on."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine tells of itself.

    Attributes:
        now: Aware.
        is_remote: Whether a folder, its links resolved, is not on a disk of this machine.
        count_free: Free bytes on the disk of a folder.
    """

    now: datetime
    is_remote: Callable[[Path], bool] = is_network_drive
    count_free: Callable[[Path], int] = count_free_bytes


def check_place(root: Path, machine: Machine) -> Diagnosis:
    """Say whether the home folder and its history lie on a disk of this machine."""
    name = "home_on_local_disk"
    remote = find_remote(root, machine.is_remote)
    if remote is not None:
        return Diagnosis(
            name,
            Health.FAIL,
            f"홈 폴더의 {remote} 가 네트워크 드라이브에 있어 이력이 손상될 수 있습니다.",
            "홈 폴더를 이 PC의 디스크로 옮기십시오. 보고서만 paths.reports_dir 로 네트워크에 둘 수 "
            "있습니다.",
        )
    unseen = "" if os.name == "nt" else " (네트워크 드라이브는 Windows에서만 알아봅니다)"
    return Diagnosis(name, Health.OK, f"홈 폴더 {root}{unseen}")


def check_folders(home: Home, *, knows_reports: bool) -> Iterator[Diagnosis]:
    """Yield for each folder that runs write into whether a file can be written there.

    Args:
        home: The home folder.
        knows_reports: Whether its configuration says where the reports go.
    """
    yield _check_folder("folder_var", home.database.parent)
    yield _check_folder("folder_raw", home.raw)
    yield _check_folder("folder_logs", home.logs)
    if knows_reports:
        yield _check_folder("folder_reports", home.reports)
    else:
        yield not_looked_at("folder_reports")


def _check_folder(name: str, folder: Path) -> Diagnosis:
    """Write and remove a file; a folder that is not there yet is not made."""
    there = folder
    try:
        there = _find_existing(folder)
        trial = there / TRIAL_FILE
        try:
            trial.write_bytes(b"doctor\n")
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        return Diagnosis(
            name,
            Health.FAIL,
            f"{there} 에 쓸 수 없습니다({error.strerror or error}).",
            "폴더 권한과 디스크 공간을 확인하고, 같은 이름의 파일이 있으면 옮기십시오.",
        )
    missing = "" if there == folder else " (아직 없습니다. 첫 실행이 만듭니다)"
    return Diagnosis(name, Health.OK, f"{folder} 에 쓸 수 있습니다{missing}.")


def _find_existing(folder: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    return next((each for each in (folder, *folder.parents) if each.exists()), folder)


def check_disk(root: Path, machine: Machine, *, day_bytes: float) -> Diagnosis:
    """Say whether the pages of the next month find room.

    Args:
        root: The home folder.
        machine: This machine.
        day_bytes: What the pages of a day take, 0 where none were kept yet.
    """
    name = "disk_free"
    needed = max(LEAST_FREE_BYTES, round(N_DAYS_AHEAD * day_bytes))
    try:
        free = machine.count_free(_find_existing(root))
    except OSError as error:
        return Diagnosis(
            name,
            Health.FAIL,
            f"{root} 의 디스크를 읽지 못했습니다({error.strerror or error}).",
            "디스크가 연결되어 있는지 확인하십시오.",
        )
    measured = f"하루 페이지 {_show(day_bytes)}" if day_bytes else "하루 페이지는 아직 모름"
    found = f"디스크 빈 공간 {_show(free)}, 필요 {_show(needed)} ({measured})"
    if free >= needed:
        return Diagnosis(name, Health.OK, f"{found}.")
    return Diagnosis(
        name,
        Health.FAIL,
        f"{found}: 모자랍니다.",
        "디스크를 비우거나, prune 으로 보존 기간이 지난 페이지를 지우십시오.",
    )


def _show(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= LEAST_FREE_BYTES else f"{n_bytes / 1e6:,.1f} MB"


def check_lock(home: Home) -> Diagnosis:
    """Say whether a run could begin; the lock is let go at once."""
    name = "lock"
    if not home.lock.exists():  # taking it would make it, and its folder
        return Diagnosis(name, Health.OK, "진행 중인 실행이 없습니다.")
    try:
        with hold_lock(home):
            pass
    except LockHeldError:
        return Diagnosis(
            name,
            Health.WARN,
            "다른 실행이 진행 중입니다.",
            "status 로 어디까지 왔는지 보고, 끝난 뒤에 doctor 를 다시 실행하십시오.",
        )
    return Diagnosis(name, Health.OK, "진행 중인 실행이 없습니다.")
