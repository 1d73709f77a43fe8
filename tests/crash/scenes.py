"""What the harness runs: a command, the home in which it stands, and how a person goes on after it.

A scene more is one entry in `SCENES`; every fault of the harness then meets it.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from dmf_crawler.model.run import day_of
from dmf_crawler.persist.migrations import MIGRATIONS
from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.crash.states import read_statuses
from tests.end_to_end.homes import RehearsalHome, new_home

Words = tuple[str, ...]

N_ROWS = 60
FIRST, SECOND = "2026-11-30", "2026-12-01"
SECOND_RUN = "20261201T060000-dmf_registry"


class StillSite(RehearsalSite):
    """A site whose notice board does not count its visitors: its pages stay the same."""

    def answer_request(self, request: LoggedRequest) -> Answer:
        self._notice_board._visits = itertools.count(1)
        return super().answer_request(request)


@dataclass(frozen=True, slots=True)
class Stage:
    """A home with its site, as a scene leaves it before its command.

    Attributes:
        home: Not to be used itself: each visit works in a copy.
        site: Up as long as the scene is played.
        life: The register.
    """

    home: RehearsalHome
    site: RehearsalSite
    life: Life

    def live(self, day: str) -> None:
        """Let a day's run be accepted, then let the list change."""
        exit_code, answer = self.home.command(*run_at(day))
        assert exit_code == 0, answer
        self.life.advance()
        self.site.rows = self.life.rows


@dataclass(frozen=True, slots=True)
class Scene:
    """One command of the harness.

    Attributes:
        words: The command.
        prepare: Brings the stage to the moment before it.
        report: The workbook that is there in the end, relative to the home; "" where there is none.
        go_on: Where a second start is not the same words: those, from the statuses of the runs.
        exit_code: What the command returns.
        has_notices: Whether the notice board is watched, too, with its detail pages and files.
    """

    words: Words
    prepare: Callable[[Stage], None]
    report: str = ""
    go_on: Callable[[dict[str, str]], Words] | None = None
    exit_code: int = 0
    has_notices: bool = False

    def again(self, root: Path) -> Words:
        """Return what a person does after the command has failed in a home."""
        return self.words if self.go_on is None else self.go_on(read_statuses(root))


def run_at(day: str, *more: str) -> Words:
    """Return the words of a day's run."""
    return ("run", "--now", f"{day}T06:00:00+09:00", *more)


# --- the moments before a command ----------------------------------------------------------------


def _before_first(_stage: Stage) -> None:
    """There is nothing yet."""


def _before_second(stage: Stage) -> None:
    stage.live(FIRST)


def _before_held(stage: Stage) -> None:
    stage.live(FIRST)
    stage.site.rows = stage.life.rows[:30] + stage.life.rows[34:]


def _while_held(stage: Stage) -> None:
    _before_held(stage)
    assert stage.home.run(SECOND)["status"] == "HELD"


def _before_correction(stage: Stage) -> None:
    """A run was held for a limit that has been raised since."""
    _while_held(stage)
    stage.home.edit("config/settings.yaml", "vanished: {floor: 3", "vanished: {floor: 10")


def _before_report(stage: Stage) -> None:
    stage.live(FIRST)
    assert stage.home.run(SECOND)["status"] == "OK"


def _before_prune(stage: Stage) -> None:
    for day in OLD_DAYS:
        assert stage.home.run(str(day))["status"] == "OK"


def _before_migration(stage: Stage) -> None:
    stage.live(FIRST)
    make_old(stage.home.root / "var/dmf.sqlite3", version=1)


def _find_old_days() -> tuple[date, ...]:
    """Return three days of one month, beyond the retention of pages and logs."""
    start = day_of(datetime.now(UTC)) - timedelta(days=250)
    return tuple(start.replace(day=number) for number in (3, 4, 5))


OLD_DAYS = _find_old_days()


def make_old(path: Path, *, version: int) -> None:
    """Make a history what an older program would have made of it."""
    newer = path.with_name("newer.sqlite3")
    path.rename(newer)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        for migrate in MIGRATIONS[:version]:
            migrate(old)
        old.execute("ATTACH ? AS newer", (str(newer),))
        listing = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name <> ?"
        for (table,) in old.execute(listing, ("sqlite_sequence",)).fetchall():
            names = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
            old.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM newer.{table}")
        old.execute(f"PRAGMA user_version = {version}")
        old.execute("PRAGMA journal_mode = WAL")
    newer.unlink()


# --- how a person goes on ------------------------------------------------------------------------


def _first_again(statuses: dict[str, str]) -> Words:
    """A second accepted run of the first day would be no baseline."""
    is_accepted = "OK" in statuses.values()
    return ("report", "--date", FIRST) if is_accepted else run_at(FIRST)


def _scheduled_again(_statuses: dict[str, str]) -> Words:
    return ("run", "--scheduled", "--now", f"{SECOND}T06:30:00+09:00")


def _approve_again(statuses: dict[str, str]) -> Words:
    return APPROVE if statuses[SECOND_RUN] == "HELD" else ("report", "--date", SECOND)


def _reject_again(statuses: dict[str, str]) -> Words:
    return REJECT if statuses[SECOND_RUN] == "HELD" else ("pending",)


def _held_again(statuses: dict[str, str]) -> Words:
    return REJECT if statuses.get(SECOND_RUN) == "HELD" else run_at(SECOND)


def _correct_again(statuses: dict[str, str]) -> Words:
    return ("pending",) if statuses.get(CORRECTION) == "OK" else CORRECT


DECIDED_AT = ("--now", "2026-12-01T09:00:00+09:00")
APPROVE = ("approve", SECOND_RUN, *DECIDED_AT)
CORRECTION = "20261201T100000-dmf_registry"
CORRECT = ("reparse", "--run", SECOND_RUN, "--apply", "--now", f"{SECOND}T10:00:00+09:00")
REJECT = ("reject", SECOND_RUN, *DECIDED_AT)
SECOND_REPORT = f"reports/DMF_{SECOND}.xlsx"

SCENES: dict[str, Scene] = {
    "first_run": Scene(
        run_at(FIRST), _before_first, f"reports/DMF_{FIRST}.xlsx", go_on=_first_again
    ),
    "run": Scene(run_at(SECOND), _before_second, SECOND_REPORT),
    "scheduled_run": Scene(
        run_at(SECOND, "--scheduled"), _before_second, SECOND_REPORT, _scheduled_again
    ),
    "notices": Scene(run_at(SECOND), _before_second, SECOND_REPORT, has_notices=True),
    "held_run": Scene(run_at(SECOND), _before_held, go_on=_held_again, exit_code=3),
    "approve": Scene(APPROVE, _while_held, SECOND_REPORT, _approve_again),
    "reject": Scene(REJECT, _while_held, go_on=_reject_again),
    "reparse": Scene(CORRECT, _before_correction, go_on=_correct_again),
    "report": Scene(("report", "--date", SECOND), _before_report, SECOND_REPORT),
    "prune": Scene(("prune",), _before_prune),
    "migration": Scene(("runs",), _before_migration),
}


@contextmanager
def play(scene: Scene, folder: Path) -> Iterator[Stage]:
    """Make the stage of a scene in a folder; its site is up while inside."""
    life = Life(n_rows=N_ROWS)
    notices = NoticeLife(n_posts=4, seed=1).rows if scene.has_notices else None
    with StillSite(life.rows, notices=notices) as site:
        home = new_home(folder / "home", site.base_url, with_notices=scene.has_notices)
        home.edit("config/boards.yaml", "page_size: 100", "page_size: 50")
        stage = Stage(home, site, life)
        scene.prepare(stage)
        yield stage


def copy_home(home: Path, target: Path) -> Path:
    """Return a fresh copy of a home, in place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(home, target)
