"""A home folder for the real site, which no test ever asks: for what rehearsals are spared."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from dmf_crawler.config import Home, load_home, shipped_home
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store

REAL = "https://nedrug.mfds.go.kr"
REGISTER, TERMS = "dmf_registry", "nedrug_terms"


def make_real_home(root: Path, *, with_terms: bool = False) -> Home:
    """Copy the shipped home, with contact and the day on which the terms were read filled in."""
    for folder in ("config", "selectors"):
        shutil.copytree(shipped_home() / folder, root / folder)
    edit(root, "settings", 'contact: ""', "contact: ra@example.co.kr")
    edit(root, "boards", "terms_checked_on: null", 'terms_checked_on: "2026-11-30"')
    if with_terms:
        name = f"  - id: {TERMS}\n"
        path = root / "config/boards.yaml"
        head, _, tail = path.read_text(encoding="utf-8").partition(name)
        tail = tail.replace("enabled: rehearsal", "enabled: true")
        path.write_text(head + name + tail, encoding="utf-8")
    return load_home(root)


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / f"config/{file}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text, old
    path.write_text(text.replace(old, new), encoding="utf-8")


def add_accepted(store: Store, board_id: str, started_at: datetime, movement: str = "") -> Run:
    """Add an accepted run to a history; of a page board with how far the page had moved."""
    run = begin_run(store, board_id, started_at, selector_version=1)
    with store.atomic():
        finish_run(store, RunSummary(run, RunStatus.OK, 0, n_rows=1), started_at)
        if movement:
            store.execute(
                "INSERT INTO page_visit (run_id, board_id, day, movement, n_characters, simhash,"
                " source_sha256) VALUES (?, ?, ?, ?, 1, 0, 'ab')",
                (run.run_id, board_id, str(run.day), movement),
            )
    return run
