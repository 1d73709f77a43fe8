"""What each accepted run saw of a watched page, and how far such a page moves by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, Run, RunStatus, kst
from dmf_crawler.model.watched_page import (
    Calibration,
    Movement,
    PageJudgement,
    PageReport,
    PageVisitRow,
)
from dmf_crawler.persist.runs import find_runs, last_accepted_run, warnings_of
from dmf_crawler.persist.store import Store

REVIEWED = frozenset({Movement.CONTENT, Movement.FIELD})
"""Movements that a person has to look at."""

_VISITS = (
    "SELECT * FROM (SELECT p.*, c.started_at, c.reparse_of, lag(p.source_sha256)"
    "  OVER (ORDER BY c.started_at) IS p.source_sha256 AS is_same_bytes"
    " FROM page_visit p JOIN crawl_run c USING (run_id) WHERE p.board_id = ?1)"
    " WHERE (?2 IS NULL OR day <= ?2) "
)


@dataclass(frozen=True, slots=True)
class PageSight:
    """What one run saw of a page, to be recorded when the run is accepted.

    Attributes:
        judgement: How far the page moved.
        n_characters: Of the compared text.
        simhash: Fingerprint of the compared text, signed 64 bits.
        source: SHA-256 of the page.
        is_terms: Whether the page holds a site's terms of use.
    """

    judgement: PageJudgement
    n_characters: int
    simhash: int
    source: str
    is_terms: bool


def record_page(store: Store, run: Run, sight: PageSight) -> None:
    """Write what a run saw; a changed page waits for a person. The caller holds the transaction.

    The version that the run opened, if it did, keeps the fingerprint of its text.
    """
    judgement = sight.judgement
    store.execute(
        "INSERT INTO page_visit (run_id, board_id, day, movement, distance, threshold,"
        " n_characters, simhash, source_sha256, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.run_id,
            run.board_id,
            str(run.day),
            judgement.movement,
            judgement.distance,
            judgement.threshold,
            sight.n_characters,
            sight.simhash,
            sight.source,
            judgement.why,
        ),
    )
    store.execute(
        "UPDATE dmf_record SET body_simhash = ? WHERE board_id = ? AND first_seen_run = ?",
        (sight.simhash, run.board_id, run.run_id),
    )
    if judgement.movement in REVIEWED:
        store.execute(
            "INSERT INTO page_review (board_id, run_id, is_terms) VALUES (?, ?, ?)",
            (run.board_id, run.run_id, int(sight.is_terms)),
        )


def visits_of(
    store: Store, board_id: str, *, until: date | None = None
) -> tuple[PageVisitRow, ...]:
    """Return what the accepted runs of a board saw, oldest first; corrections read nothing new."""
    rows = store.rows(
        _VISITS + "AND reparse_of IS NULL ORDER BY started_at",
        (board_id, str(until) if until else None),
    )
    return tuple(map(_read_visit, rows))


def visit_of_run(store: Store, run_id: str) -> PageVisitRow | None:
    """Return what one run saw, None where it was not accepted."""
    rows = store.rows("SELECT board_id FROM page_visit WHERE run_id = ?", (run_id,))
    if not rows:
        return None
    of_board = (rows[0]["board_id"], None, run_id)
    return _read_visit(store.rows(_VISITS + "AND run_id = ?3", of_board)[0])


def last_visit(store: Store, board_id: str, *, until: date | None = None) -> PageVisitRow | None:
    """Return what the last accepted run saw, corrections included; None before the first."""
    rows = store.rows(
        _VISITS + "ORDER BY started_at DESC LIMIT 1", (board_id, str(until) if until else None)
    )
    return _read_visit(rows[0]) if rows else None


def last_source(store: Store, board_id: str) -> str:
    """Return the SHA-256 of the page of the last accepted read, "" before the first."""
    rows = store.rows(
        "SELECT p.source_sha256 FROM page_visit p JOIN crawl_run c USING (run_id)"
        " WHERE p.board_id = ? AND c.reparse_of IS NULL ORDER BY c.started_at DESC LIMIT 1",
        (board_id,),
    )
    return rows[0]["source_sha256"] if rows else ""


def page_folders(store: Store) -> frozenset[str]:
    """Return the raw folders of the runs that found a page changed, relative to the home folder.

    A person may have to look at either state of it, and the last one is what the next is held
    against.
    """
    rows = store.rows(
        "SELECT DISTINCT c.raw_dir FROM dmf_record r JOIN crawl_run c ON c.run_id ="
        " r.first_seen_run JOIN page_visit p ON p.run_id = r.first_seen_run"
    )
    return frozenset(row["raw_dir"] for row in rows)


def count_movements(
    store: Store, board_id: str, *, until: date | None = None
) -> Mapping[Movement, int]:
    """Return how many of the accepted reads had which movement; all movements are in it."""
    visits = visits_of(store, board_id, until=until)
    return {kind: sum(visit.movement is kind for visit in visits) for kind in Movement}


def _read_visit(row: sqlite3.Row) -> PageVisitRow:
    return PageVisitRow(
        run_id=row["run_id"],
        day=date.fromisoformat(row["day"]),
        movement=Movement(row["movement"]),
        distance=row["distance"],
        threshold=row["threshold"],
        n_characters=row["n_characters"],
        is_same_bytes=bool(row["is_same_bytes"]),
        why=row["why"],
    )


# --- calibration ---------------------------------------------------------------------------------


def write_calibration(
    store: Store, board_id: str, calibration: Calibration, *, schema_version: int
) -> None:
    """Record how far a page moves by itself; from now on this measurement counts.

    Args:
        store: The history.
        board_id: Which board.
        calibration: What was measured.
        schema_version: Of the selectors file that it was measured with.
    """
    with store.atomic():
        store.execute(
            "INSERT INTO page_calibration (board_id, measured_at, n_reads, largest_distance,"
            " threshold, most_moving, schema_version) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                board_id,
                kst(calibration.measured_at).isoformat(),
                calibration.n_reads,
                calibration.largest_distance,
                calibration.threshold,
                calibration.most_moving,
                schema_version,
            ),
        )


def last_calibration(
    store: Store, board_id: str, *, schema_version: int, until: date | None = None
) -> Calibration | None:
    """Return the measurement in force; one made with another selectors file counts for nothing.

    Args:
        store: The history.
        board_id: Which board.
        schema_version: Of the board's selectors file now.
        until: Only what was measured up to the end of that day counts.
    """
    row = _last_calibration_row(store, board_id, until)
    if row is None or row["schema_version"] != schema_version:
        return None
    return Calibration(
        measured_at=datetime.fromisoformat(row["measured_at"]).astimezone(KST),
        n_reads=row["n_reads"],
        largest_distance=row["largest_distance"],
        threshold=row["threshold"],
        most_moving=row["most_moving"],
    )


def outdated_calibration(store: Store, board_id: str, *, schema_version: int) -> int | None:
    """Return the selectors file's version of a last measurement that counts no more, else None."""
    row = _last_calibration_row(store, board_id, None)
    if row is None or row["schema_version"] == schema_version:
        return None
    return int(row["schema_version"])


def _last_calibration_row(store: Store, board_id: str, until: date | None) -> sqlite3.Row | None:
    end = None
    if until is not None:
        next_day = datetime.combine(until + timedelta(days=1), time(DAY_STARTS_AT_HOUR), KST)
        end = next_day.isoformat()
    rows = store.rows(
        "SELECT * FROM page_calibration WHERE board_id = ?1 AND (?2 IS NULL OR measured_at < ?2)"
        " ORDER BY calibration_id DESC LIMIT 1",
        (board_id, end),
    )
    return rows[0] if rows else None


# --- for the report ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageReportRequest:
    """Which page board a report shows, and how people know it.

    Attributes:
        board_id: Which board.
        name_ko: Its Korean name.
        url: The page's address.
        labels: Field id → Korean name, the text's included.
        schema_version: Of the board's selectors file.
    """

    board_id: str
    name_ko: str
    url: str
    labels: Mapping[str, str]
    schema_version: int


def page_report(store: Store, request: PageReportRequest, day: date) -> PageReport:
    """Return what the report of a day says of a page board, but for what waits for a person.

    What is wrong with the page's pace was found by the run, and stands among its warnings.
    """
    board_id = request.board_id
    accepted = last_accepted_run(store, board_id, until=day)
    last_run = next(iter(find_runs(store, board_id=board_id, until=day, limit=1)), None)
    notice = ""
    if last_run is not None and last_run.status in {RunStatus.REJECTED, RunStatus.FAILED}:
        notice = (
            f"마지막 실행 {last_run.run.run_id} 은 채택되지 않았습니다: {last_run.reject_reason} "
            "아래 내용은 마지막으로 채택된 실행의 것입니다."
        )
    return PageReport(
        board_id=board_id,
        name_ko=request.name_ko,
        url=request.url,
        labels=request.labels,
        last=last_visit(store, board_id, until=day),
        rates=count_movements(store, board_id, until=day),
        calibration=last_calibration(
            store, board_id, schema_version=request.schema_version, until=day
        ),
        warnings=warnings_of(store, accepted.run.run_id) if accepted else (),
        notice=notice,
    )
