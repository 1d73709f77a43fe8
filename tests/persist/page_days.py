"""Days of a watched page, recorded as its runs record them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from dmf_crawler.model.change import ChangeSet
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import FieldKind, Fields, Record, Snapshot
from dmf_crawler.model.run import Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.model.watched_page import Movement, PageJudgement
from dmf_crawler.persist.diff import DiffRules, count_changes, diff_snapshot
from dmf_crawler.persist.page_visits import PageSight
from dmf_crawler.persist.recording import Acceptance, known_records, record_accepted
from dmf_crawler.persist.runs import begin_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import moment

BOARD = "nedrug_terms"
PAGE_URL = "http://127.0.0.1/cmn/terms"
RULES = DiffRules(
    kinds={"effective_on": FieldKind.DATE, BODY: FieldKind.TEXT},
    status_field="",
    withdrawn_words=frozenset(),
    live_words=frozenset(),
    missing_runs=4,
)
CHANGED = frozenset({Movement.FIRST, Movement.CONTENT, Movement.FIELD})


@dataclass(frozen=True, slots=True)
class PageDiary:
    """The history of one page, one accepted read after the other."""

    store: Store
    board_id: str = BOARD

    def read(
        self,
        day: int,
        body: str,
        movement: Movement,
        *,
        on: str = "2026-01-05",
        distance: int | None = 9,
        why: str = "",
    ) -> Run:
        """Record what the run of a day saw; what merely moved by itself opens no version."""
        run = begin_run(self.store, self.board_id, moment(day), selector_version=1)
        fields: Fields = {"effective_on": on, BODY: body}
        record = Record(self.board_id, fields, {}, f"{day:02x}" * 32, PAGE_URL, 1)
        snapshot = Snapshot({self.board_id: record}, announced_total=1, n_pages=1)
        known = known_records(self.store, self.board_id)
        change_set = ChangeSet(())
        if movement in CHANGED:
            change_set = diff_snapshot(known, snapshot, day=run.day, rules=RULES)
        judgement = PageJudgement(movement, distance, 3, why=why)
        summary = RunSummary(
            run,
            RunStatus.OK,
            0,
            counts=count_changes(change_set),
            n_rows=1,
            n_pages=1,
            n_requests=2,
            is_baseline=not known,
            movement=movement,
        )
        sight = PageSight(judgement, len(body), day, record.source, is_terms=True)
        acceptance = Acceptance(summary, snapshot, change_set, known, features={}, page=sight)
        record_accepted(self.store, acceptance, run.started_at + timedelta(minutes=1))
        return run


def live_five_days(store: Store) -> None:
    """A first read, noise, a change of the text, nothing, a change of a field."""
    diary = PageDiary(store)
    diary.read(0, "제1조\n조회 1", Movement.FIRST, distance=None)
    diary.read(1, "제1조\n조회 2", Movement.NOISE, distance=1)
    diary.read(2, "제1조\n제2조\n조회 3", Movement.CONTENT, why="글이 달라졌습니다.")
    diary.read(3, "제1조\n제2조\n조회 3", Movement.NONE, distance=0)
    diary.read(4, "제1조\n제2조\n조회 4", Movement.FIELD, on="2026-12-01", distance=0)
