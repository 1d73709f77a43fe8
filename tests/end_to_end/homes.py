"""A home folder for the rehearsal site, runs in it, and what a run left behind."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from dmf_crawler.cli.commands import run_command
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearse import make_home
from tests.persist.tampering import tamper

HISTORY_TABLES = (
    "page_visit",
    "page_review",
    "dmf_record",
    "dmf_event",
    "change_observation",
    "drift_baseline",
    "missing_spell",
    "split_number",
)


@dataclass(frozen=True)
class RehearsalHome:
    """A home whose board lies on the rehearsal site."""

    root: Path
    said: list[str] = field(default_factory=list)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace one piece of a configuration file; the piece must be there."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text, old
        path.write_text(text.replace(old, new), encoding="utf-8")

    def choose(self, primary: str, *cross_checks: str) -> None:
        """Read the register from a source, and compare it with others."""
        path = self.root / "config/boards.yaml"
        text, n_replaced = re.subn(
            r"primary: .*\n    cross_checks: .*",
            f"primary: {primary}\n    cross_checks: [{', '.join(cross_checks)}]",
            path.read_text(encoding="utf-8"),
            count=1,
        )
        assert n_replaced == 1
        path.write_text(text, encoding="utf-8")

    def switch(self, board_id: str, *, enabled: bool) -> None:
        """Switch one board on or off."""
        path = self.root / "config/boards.yaml"
        head, mark, tail = path.read_text(encoding="utf-8").partition(f"- id: {board_id}\n")
        assert mark, board_id
        word = "true" if enabled else "false"
        tail = re.sub(r"(?m)^    enabled: \w+", f"    enabled: {word}", tail, count=1)
        path.write_text(head + mark + tail, encoding="utf-8")

    def command(self, *words: str) -> tuple[int, dict[str, Any]]:
        """Run a command with --json in this process; `said` has all that it said."""
        out, err = io.StringIO(), io.StringIO()
        exit_code = run_command(
            [words[0], "--home", str(self.root), "--json", *words[1:]], stdout=out, stderr=err
        )
        self.said.append(out.getvalue() + err.getvalue())
        payload: dict[str, Any] = json.loads(out.getvalue())
        assert payload["exit_code"] == exit_code
        return exit_code, payload

    def run(self, day: str, *words: str, hour: int = 6) -> dict[str, Any]:
        """Run the board once as if at an hour of a day; return its run's JSON."""
        exit_code, payload = self.command("run", "--now", f"{day}T{hour:02}:00:00+09:00", *words)
        (only,) = payload["runs"]
        run: dict[str, Any] = only
        assert run["exit_code"] == exit_code
        return run

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the history's file directly."""
        connection = sqlite3.connect(self.root / "var/dmf.sqlite3")
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def execute(self, sql: str) -> None:
        """Change the history's file directly, its guards taken away meanwhile."""
        tamper(self.root / "var/dmf.sqlite3", sql)

    def break_table(self, name: str, table: str) -> None:
        """Let every insert into a table fail, until `mend_table`."""
        with closing(sqlite3.connect(self.root / "var/dmf.sqlite3")) as connection:
            connection.execute(
                f"CREATE TRIGGER {name} BEFORE INSERT ON {table}"
                " BEGIN SELECT RAISE(ABORT, 'no'); END"
            )

    def mend_table(self, name: str) -> None:
        """Undo `break_table`."""
        with closing(sqlite3.connect(self.root / "var/dmf.sqlite3")) as connection:
            connection.execute(f"DROP TRIGGER {name}")

    def history_content(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return everything that only an accepted run may change."""
        if not (self.root / "var/dmf.sqlite3").exists():
            return {table: [] for table in HISTORY_TABLES}
        return {table: self.rows(f"SELECT * FROM {table}") for table in HISTORY_TABLES}

    def sheets(self, day: str) -> Sequence[str]:
        """Return the names of the sheets in a day's workbook."""
        book = load_workbook(self.root / f"reports/DMF_{day}.xlsx", read_only=True)
        try:
            return tuple(book.sheetnames)
        finally:
            book.close()

    def kept_pages(self, run_id: str) -> Sequence[Path]:
        """Return the kept bodies of a run."""
        return sorted(self.root.glob(f"raw/*/dmf_registry/{run_id}/*.html.gz"))


class Board:
    """The notice board on a site, with a home that watches it."""

    def __init__(self, site: RehearsalSite, home: RehearsalHome) -> None:
        self.site, self.home = site, home

    def run(self, day: str, *words: str, hour: int = 6) -> dict[str, Any]:
        """Run it once; only what this run asked for is in the site's log afterwards."""
        self.site.clear_log()
        return self.home.run(day, "--board", "mfds_notice", *words, hour=hour)

    def switch(self, **switches: Any) -> None:
        self.site.switches = replace(self.site.switches, **switches)

    def asked(self, kind: str) -> list[LoggedRequest]:
        """Return the requests for posts (`detail`) or files (`file`) in order."""
        start = {"detail": "/bbs/21/", "file": "/cmn/"}[kind]
        return [request for request in self.site.log if request.path.startswith(start)]

    def asked_posts(self) -> list[str]:
        return [request.path.rpartition("/")[2] for request in self.asked("detail")]

    def fields(self, post_id: str) -> dict[str, Any]:
        ((payload,),) = self.home.rows(
            "SELECT payload_json FROM dmf_record WHERE board_id = 'mfds_notice'"
            f" AND is_current = 1 AND natural_key = '{post_id}'"
        )
        fields: dict[str, Any] = json.loads(payload)
        return fields

    def warnings(self) -> str:
        rows = self.home.rows("SELECT warnings_json FROM crawl_run ORDER BY rowid DESC LIMIT 1")
        return " ".join(json.loads(rows[0][0]))


def new_home(
    root: Path,
    base_url: str,
    *,
    with_notices: bool = False,
    with_terms: bool = False,
    api_base_url: str = "",
) -> RehearsalHome:
    """Make a home for a site on loopback; retries wait no time.

    Args:
        root: Where.
        base_url: The site's.
        with_notices: Whether the notice board is watched too.
        with_terms: Whether the terms of use are.
        api_base_url: That of the site which has the open API; "" where it is the same.
    """
    make_home(root, base_url, api_base_url=api_base_url)
    home = RehearsalHome(root)
    home.edit("config/settings.yaml", "backoff_base_s: 2.0", "backoff_base_s: 0.0")
    home.edit("config/settings.yaml", "delay_factor: 5.0", "delay_factor: 0.0")
    if not with_notices:
        home.switch("mfds_notice", enabled=False)
    if not with_terms:
        home.switch("nedrug_terms", enabled=False)
    return home
