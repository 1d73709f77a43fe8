"""A record that everything happens to, lived on the rehearsal site: what the documents tell of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path

from dmf_crawler.config import load_home
from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, RunStatus
from dmf_crawler.persist.store import Store
from dmf_crawler.pipeline import run_board
from dmf_crawler.watch import open_watch
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.world import real_world
from tests.end_to_end.homes import RehearsalHome, new_home

KEY = "1452-51-ND(A)"
N_OTHERS = 30
SIX = time(DAY_STARTS_AT_HOUR)

ROW = ListRow(
    target="신물질",
    reg_no=KEY,
    ingredient_name="로사르탄칼륨",
    company="(주)국전",
    maker_names=("Hetero Labs Limited, Unit-I", "Hetero Drugs Limited"),
    maker_addresses=("Unit-I, Hyderabad, India", "Jeedimetla, Hyderabad, India"),
    maker_countries=("인도", "인도"),
    registered_on="2020-03-11",
    changed_on="",
    report_year="2025",
    status="정상",
    withdrawn_on="",
    document_no="v0.0.0/2020",
    linked_document_no="",
)
RENAMED = replace(ROW, company="국전약품(주)", changed_on="2026-12-01", document_no="v0.1.0/2026")
WITHDRAWN = replace(
    RENAMED,
    status="취하",
    withdrawn_on="2026-12-05",
    maker_names=RENAMED.maker_names[:1],
    maker_addresses=RENAMED.maker_addresses[:1],
    maker_countries=RENAMED.maker_countries[:1],
)
DAYS: Sequence[tuple[str, ListRow | None]] = (
    ("2026-11-30", ROW),
    ("2026-12-01", RENAMED),
    ("2026-12-02", None),
    ("2026-12-03", None),
    ("2026-12-04", RENAMED),
    ("2026-12-05", WITHDRAWN),
    ("2026-12-06", None),
    ("2026-12-07", None),
    ("2026-12-08", None),
    ("2026-12-09", None),
    ("2026-12-10", RENAMED),
)
"""Day → the record as the site shows it; None where it is not in the list."""


def list_of(day: str) -> list[ListRow]:
    """Return the site's list of a day: others that never change, and the record."""
    others = [row for row in Life(n_rows=N_OTHERS).rows if row.reg_no != KEY]
    row = dict(DAYS)[day]
    return [*others, row] if row is not None else others


def live(root: Path) -> RehearsalHome:
    """Crawl and record all days in a home of its own and return it; no workbook is written."""
    with RehearsalSite(list_of(DAYS[0][0])) as site:
        made = new_home(root, site.base_url)
        home = load_home(root)
        with Store(home.database) as store:
            watch = open_watch(home, home.list_boards[0], store)
            for day, _ in DAYS:
                site.rows = list_of(day)
                moment = datetime.combine(date.fromisoformat(day), SIX, KST)
                with real_world(home.settings.politeness, starts_at=moment) as world:
                    summary = run_board(watch, world, on_progress=lambda *_: None)
                assert (summary.status, summary.fault) == (RunStatus.OK, None), summary
    return made
