"""The straight line of a whole page, as `pipeline` is that of a list.

    robots gate → throttled fetch → raw store │ region → text │ canary → movement │ diff → history
           (network; bytes on disk)           │    (pure)     │      (pure)       │ (transaction)

`run_page` = `fetch_page` + `process_page`; re-parsing is `process_page` alone, on the same bytes. A
page is compared with its last kept state, never with what noise has made of it since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from dmf_crawler.canary import prove_detector
from dmf_crawler.crawl import (
    ENDED,
    Crawled,
    CrawlOptions,
    rest_after_last_run,
    warn_of_identity,
)
from dmf_crawler.extract.watched_page import read_watched_page
from dmf_crawler.hosts import Hosts
from dmf_crawler.judge.page_change import judge_page
from dmf_crawler.judge.page_gates import judge_page_read
from dmf_crawler.judge.page_pace import tell_pace
from dmf_crawler.kept_page import (
    read_kept_page,
    read_kept_state,
    refuse_lost_fields,
    tell_return,
    to_record,
)
from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.record import Delivery, Record, Snapshot
from dmf_crawler.model.reuse import Deliveries
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.model.watched_page import (
    Calibration,
    Movement,
    PageJudgement,
    PageReading,
    PageVisitRow,
)
from dmf_crawler.page_watch import PageWatch
from dmf_crawler.persist.diff import count_changes, diff_snapshot
from dmf_crawler.persist.page_visits import (
    REVIEWED,
    PageSight,
    last_calibration,
    last_source,
    outdated_calibration,
    visits_of,
)
from dmf_crawler.persist.questions import StoredVersion
from dmf_crawler.persist.recording import Acceptance, known_records, record_accepted
from dmf_crawler.run_line import EXIT_CODES, NOT_CRAWLED, Clock, add_crawl, begin, close, refuse
from dmf_crawler.simhash import simhash, to_signed
from dmf_crawler.snapshot import read_robots_answer
from dmf_crawler.visit import KeptPages
from dmf_crawler.world import World

Purpose = Literal["record", "look", "correct"]

STILL = frozenset({Movement.NONE, Movement.NOISE})
"""Movements that leave the history as it is."""

ONLY_FILLED = "셀렉터 파일이 새로 읽는 항목을 채웠을 뿐, 전부터 읽던 값은 그대로입니다."


def run_page(watch: PageWatch, world: World, *, options: CrawlOptions) -> RunSummary:
    """Fetch one board's page, then process it.

    A dry run fetches and judges, and leaves history and reports as they are.
    """
    version, is_dry = watch.selectors.file.schema_version, options.is_dry
    run = begin(watch, world, selector_version=version, is_dry=is_dry)
    crawled = fetch_page(run, watch, world)
    if crawled.fault is None:
        folder = watch.raw_store.folder(run)
        purpose: Purpose = "look" if is_dry else "record"
        return process_page(run, watch, folder, now=world.now, crawled=crawled, purpose=purpose)
    summary = add_crawl(refuse(run, crawled.fault, is_page=True), crawled)
    return summary if is_dry else close(watch, summary, world.now)


def fetch_page(run: Run, watch: PageWatch, world: World, *, n_reads: int = 1) -> Crawled:
    """Keep robots.txt, then the page: asked for unconditionally, and followed inside its scope.

    Args:
        run: Which run.
        watch: Its board.
        world: Clock, network and dice.
        n_reads: How often the page is asked for, one read after the other.
    """
    started_s = world.monotonic()
    deadline_s = started_s + watch.home.settings.budget.run_deadline_s
    hosts = Hosts(run, watch, world, KeptPages(), deadline_s)
    rest_after_last_run(watch, world)
    fault = _ask(hosts, n_reads)
    told = (*warn_of_identity(watch), *hosts.warnings)
    hosts.end(ENDED)
    return Crawled(
        fault,
        hosts.n_requests,
        warnings=told,
        identity=watch.identity,
        duration_s=world.monotonic() - started_s,
    )


def _ask(hosts: Hosts[PageWatch], n_reads: int) -> Fault | None:
    watch = hosts.watch
    visit = hosts.enter_site(watch.base_url, watch.request())
    if isinstance(visit, Fault):
        return visit
    visit.begin_phase("page", n_reads)
    for number in range(1, n_reads + 1):
        read = visit.ask_in_turn(
            watch.request(number), lambda raw: read_watched_page(raw, watch.selectors)
        )
        if isinstance(read, Fault):
            return read
        visit.note_progress(number)
    return None


def process_page(
    run: Run,
    watch: PageWatch,
    folder: Path,
    *,
    now: Clock,
    crawled: Crawled = NOT_CRAWLED,
    purpose: Purpose = "record",
) -> RunSummary:
    """Turn the kept page of a run into history.

    Args:
        run: Which run.
        watch: Its board.
        folder: Where its page is kept.
        now: The clock.
        crawled: How it was fetched; nothing was where it is read again.
        purpose: To record what it says, to look what would become of it, or to correct what was
            recorded of it.
    """
    is_dry = purpose == "look"
    reading = read_kept_page(watch, folder)
    known = known_records(watch.store, watch.board.id)
    if not isinstance(reading, Fault):  # a blind detector cannot say what "no change" means
        reading = check_detector(watch) or refuse_lost_fields(watch, reading, known) or reading
    if isinstance(reading, Fault):
        summary = add_crawl(refuse(run, reading, is_page=True), crawled)
        return summary if is_dry else close(watch, summary, now)
    judged = judge_reading(watch, reading, known, day=run.day, corrects=purpose == "correct")
    sight = _describe(watch, judged.judgement, reading)
    told = tuple(_tell(watch, judged.judgement))
    if purpose != "correct":  # a page that is read again is no new read of it
        told += _tell_pace(run, watch, sight)
    file = watch.selectors.file
    regions = (file.region, *file.region_fallbacks)
    summary = RunSummary(
        run=run,
        status=RunStatus.OK,
        exit_code=EXIT_CODES[RunStatus.OK],
        gates=judge_page_read(reading, regions=regions, min_characters=file.min_characters),
        counts=count_changes(judged.change_set),
        n_rows=1,
        n_pages=1,
        is_baseline=not known,
        warnings=told,
        deliveries=judged.snapshot.delivered,
        movement=judged.judgement.movement,
    )
    summary = add_crawl(summary, crawled)
    if is_dry:
        return summary
    acceptance = Acceptance(
        summary,
        judged.snapshot,
        judged.change_set,
        known,
        features={},
        robots=read_robots_answer(watch, folder),
        page=sight,
    )
    record_accepted(watch.store, acceptance, now())
    return summary


# --- how far it moved ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page held against a kept state of it.

    Attributes:
        judgement: How far it moved.
        snapshot: Its one record, as it is to be recorded.
        change_set: What that means for the history: nothing where only noise moved it.
    """

    judgement: PageJudgement
    snapshot: Snapshot
    change_set: ChangeSet


def judge_reading(
    watch: PageWatch,
    reading: PageReading,
    known: Mapping[str, KnownRecord],
    *,
    day: date,
    moment: datetime | None = None,
    corrects: bool = False,
) -> JudgedPage:
    """Hold a reading against the last kept state.

    A newer selectors file that reads the kept state's page otherwise is no change of the page: a
    field that it adds is filled in, and what else differs is recorded by a correction alone.

    Args:
        watch: The board.
        reading: What the page says.
        known: The kept record, by its key; empty before the first.
        day: Day of the reading.
        moment: The kept state is that of this moment; None for the last one.
        corrects: Whether the history is to say what is read today of a page that stayed.
    """
    kept = read_kept_state(watch, moment)
    judgement = judge_page(
        None if kept is None else kept[1],
        reading,
        watch.home.settings.pages,
        calibration=_find_calibration(watch),
        kinds=watch.selectors.kinds,
        labels=watch.labels,
    )
    record = to_record(watch, reading)
    change_set = ChangeSet(())
    if judgement.movement not in STILL or (corrects and kept and _is_read_otherwise(watch, *kept)):
        change_set = diff_snapshot(
            known, _snapshot(watch, record, reading), day=day, rules=watch.diff_rules
        )
    if known and not change_set.changes:  # noise never enters the history
        kept_fields = known[record.key].fields
        has_more = record.fields.keys() - kept_fields.keys()
        record = replace(record, fields={**record.fields, **kept_fields})
        change_set = ChangeSet((), backfilled=(record.key,) if has_more else ())
        if judgement.movement not in STILL:
            judgement = replace(judgement, movement=Movement.NONE, why=ONLY_FILLED)
    if judgement.movement in REVIEWED and not corrects:
        judgement = replace(judgement, why=judgement.why + tell_return(watch, reading))
    return JudgedPage(judgement, _snapshot(watch, record, reading), change_set)


def check_detector(watch: PageWatch) -> Fault | None:
    """Say that pages with a known change are not judged rightly with what is in force here."""
    calibration = _find_calibration(watch)
    return prove_detector(
        watch.home.settings.pages,
        volatile=watch.selectors.file.volatile,
        threshold=calibration.threshold if calibration else None,
    )


def _is_read_otherwise(watch: PageWatch, stored: StoredVersion, again: PageReading) -> bool:
    """Say whether the page of the kept state says today something else than was recorded of it."""
    fields = to_record(watch, again).fields
    return any(fields.get(name, value) != value for name, value in stored.version.fields.items())


def _find_calibration(watch: PageWatch) -> Calibration | None:
    version = watch.selectors.file.schema_version
    return last_calibration(watch.store, watch.board.id, schema_version=version)


def _snapshot(watch: PageWatch, record: Record, reading: PageReading) -> Snapshot:
    delivered = _count_deliveries(watch, reading)
    return Snapshot({record.key: record}, announced_total=1, n_pages=1, delivered=delivered)


def _count_deliveries(watch: PageWatch, reading: PageReading) -> Deliveries:
    """Return which selector found the region; the primary one with 0 where another one did."""
    primary = Delivery(BODY, 0, f"css {watch.selectors.file.region}")
    if reading.position == 0:
        return {primary: 1}
    return {primary: 0, Delivery(BODY, reading.position, f"css {reading.selector}"): 1}


# --- what is told --------------------------------------------------------------------------------


def _tell(watch: PageWatch, judgement: PageJudgement) -> list[str]:
    """Return what a person should hear of a run: that the page changed, what calibration lacks."""
    told = []
    if judgement.movement in REVIEWED:
        told.append(
            f"감시 페이지 '{watch.board.name_ko}' 이 바뀌었습니다. {judgement.why} "
            "review list 로 앞뒤를 비교해 확인하십시오."
        )
    version = watch.selectors.file.schema_version
    outdated = outdated_calibration(watch.store, watch.board.id, schema_version=version)
    if outdated is not None:
        told.append(
            f"이 페이지의 보정은 셀렉터 파일의 버전 {outdated} 으로 잰 것이라 지금 버전 {version} "
            f"에는 쓰지 않습니다. calibrate {watch.board.id} 로 다시 재십시오. 그때까지는 작은 "
            "차이도 내용 변경으로 봅니다."
        )
    return told


def _tell_pace(run: Run, watch: PageWatch, sight: PageSight) -> tuple[str, ...]:
    """Return what the reads so far, this one included, say of how the page moves."""
    judgement = sight.judgement
    this = PageVisitRow(
        run_id=run.run_id,
        day=run.day,
        movement=judgement.movement,
        distance=judgement.distance,
        threshold=judgement.threshold,
        n_characters=sight.n_characters,
        is_same_bytes=sight.source == last_source(watch.store, watch.board.id),
    )
    visits = visits_of(watch.store, watch.board.id)
    return tell_pace((*visits, this), watch.home.settings.pages)


def _describe(watch: PageWatch, judgement: PageJudgement, reading: PageReading) -> PageSight:
    compared = "\n".join(reading.compared)
    return PageSight(
        judgement=judgement,
        n_characters=len(compared),
        simhash=to_signed(simhash(compared)),
        source=reading.source,
        is_terms=watch.page.is_terms,
    )
