"""The straight line, top to bottom: START READING HERE.

    robots gate → throttled fetch → raw store │ guard → parser → snapshot │ gates  │ diff → history
           (network; bytes on disk)           │         (pure)            │ (pure) │ (transaction)

`run_board` = `crawl` + `process`; re-parsing is `process` alone, on the same bytes. Stages never
import each other: they meet here, in `crawl` and in `snapshot`, in frozen values of `model`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dmf_crawler.crawl import Crawled, CrawlOptions, crawl, digest_identity
from dmf_crawler.detail_memory import Learning, learn_pages
from dmf_crawler.detail_reuse import count_detail_deliveries
from dmf_crawler.details import add_details, read_details
from dmf_crawler.judge.change_rate import estimate_change_rate
from dmf_crawler.judge.evidence import Evidence
from dmf_crawler.judge.features import add_counts, measure_columns
from dmf_crawler.judge.gates import decide, decisive_gate, judge_snapshot
from dmf_crawler.list_visit import Progress
from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.decision import Decision
from dmf_crawler.model.past import Past
from dmf_crawler.model.rate import ChangeRate
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.reuse import Deliveries
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.verdict import Gate, RunSummary
from dmf_crawler.persist.deliveries import deliveries_of, last_deliveries
from dmf_crawler.persist.diff import count_changes, diff_snapshot
from dmf_crawler.persist.pages import known_pages
from dmf_crawler.persist.past import read_past
from dmf_crawler.persist.recording import (
    Acceptance,
    known_records,
    record_accepted,
)
from dmf_crawler.persist.runs import last_accepted_run
from dmf_crawler.run_line import EXIT_CODES, NOT_CRAWLED, Clock, add_crawl, begin, close, refuse
from dmf_crawler.snapshot import find_primary, read_robots_answer, read_source
from dmf_crawler.sources import check_sources, complete_source, find_fields, tell_lost
from dmf_crawler.watch import Watch
from dmf_crawler.world import World

USUAL_OPTIONS = CrawlOptions()


@dataclass(frozen=True, slots=True)
class Intent:
    """What the pages of a run are processed for; by default to record what they say.

    Attributes:
        is_dry: Only to see what would become of it.
        approval: A gate held the run and somebody lets it pass. What a gate refuses stays refused,
            and the run as it is.
    """

    is_dry: bool = False
    approval: Decision | None = None

    @property
    def leaves_run(self) -> bool:
        """Whether the run's line stays as it is where the list is not accepted."""
        return self.is_dry or self.approval is not None


TO_RECORD = Intent()


def run_board(
    watch: Watch,
    world: World,
    *,
    on_progress: Progress,
    options: CrawlOptions = USUAL_OPTIONS,
) -> RunSummary:
    """Fetch one board's list, then process it.

    A dry run crawls and judges, and leaves history and reports as they are.
    """
    is_dry = options.is_dry
    version = watch.selectors.file.schema_version
    run = begin(watch, world, selector_version=version, is_dry=is_dry)
    crawled = crawl(run, watch, world, on_progress=on_progress, options=options)
    if crawled.fault is None:
        folder = watch.raw_store.folder(run)
        intent = Intent(is_dry=is_dry)
        return process(run, watch, folder, now=world.now, crawled=crawled, intent=intent)
    summary = add_crawl(refuse(run, crawled.fault), crawled)
    return summary if is_dry else close(watch, summary, world.now)


def process(
    run: Run,
    watch: Watch,
    folder: Path,
    *,
    now: Clock,
    crawled: Crawled = NOT_CRAWLED,
    intent: Intent = TO_RECORD,
) -> RunSummary:
    """Turn the kept pages of a run into history, unless a gate is against it."""
    source = find_primary(watch, folder)
    read = read_source(watch, folder, source)
    if isinstance(read, Fault):
        summary = add_crawl(refuse(run, read), crawled)
        return summary if intent.leaves_run else close(watch, summary, now)
    known = known_records(watch.store, watch.board.id)
    details = read_details(watch, folder, read)
    known_before = known_pages(watch.store, watch.board.id)
    read = add_details(read, details, known, watch, received=known_before)
    of_details = count_detail_deliveries(read, details, watch, day=run.day)
    read = replace(read, delivered={**read.delivered, **of_details})
    snapshot = complete_source(watch, source, read, known)
    change_set = diff_snapshot(known, snapshot, day=run.day, rules=watch.rules_of(source))
    past, looks = _read_past(run, watch, crawled), measure_columns(read, find_fields(read, watch))
    evidence = replace(
        _collect_evidence(watch, snapshot, change_set, known, find_fields(read, watch)),
        day=run.day,
        past=past,
        duration_s=crawled.duration_s,
        features=looks,
    )
    cross_check = check_sources(
        watch, folder, source, read, crawled.cross_faults, changes=(run.day, known, change_set)
    )
    judgement = judge_snapshot(evidence, watch.home.settings.gates, cross_check.gate)
    summary = add_crawl(_summarise(run, read, change_set, judgement.gates), crawled)
    told = (*tell_lost(watch, source, read, change_set), *cross_check.told)
    summary = replace(summary, warnings=tuple(dict.fromkeys((*summary.warnings, *told))))
    if intent.approval is not None:
        summary = _let_pass(summary, intent.approval, watch)
    if not known and summary.status is RunStatus.OK:
        summary = replace(summary, is_baseline=True)
    if intent.is_dry:
        return summary
    if summary.status is not RunStatus.OK:
        return summary if intent.leaves_run else close(watch, summary, now)
    learning = Learning(
        raw_dir=watch.raw_dir(folder),
        asked_by=digest_identity(crawled.identity),
        cycle_start=crawled.full_check_from or run.day,
    )
    pages = learn_pages(snapshot, details, known_before, watch, learning)
    acceptance = Acceptance(
        summary,
        snapshot,
        change_set,
        known,
        # What a first list brings is no measure of a day.
        looks if summary.is_baseline else add_counts(looks, judgement.tally.counts),
        pages,
        read_robots_answer(watch, folder),
        _estimate_rate(past, change_set, summary),
        cross_check.compared,
    )
    record_accepted(watch.store, acceptance, now())
    return summary


def _let_pass(summary: RunSummary, approval: Decision, watch: Watch) -> RunSummary:
    """Return the summary of an approved run: no hold stops it, a refusal does."""
    if summary.status is RunStatus.REJECTED:
        return summary
    return replace(
        summary,
        status=RunStatus.OK,
        exit_code=EXIT_CODES[RunStatus.OK],
        fault=None,
        approval=approval,
        selector_version=watch.selectors.file.schema_version,
    )


def _estimate_rate(past: Past, change_set: ChangeSet, summary: RunSummary) -> ChangeRate | None:
    """Return how often the list changes; the baseline has nothing that it could differ from."""
    if summary.is_baseline:
        return None
    return estimate_change_rate(past.observe(summary.run.day, change_set.n_events))


def _collect_evidence(
    watch: Watch,
    snapshot: Snapshot,
    change_set: ChangeSet,
    known: Mapping[str, KnownRecord],
    read_fields: Collection[str],
) -> Evidence:
    file = watch.selectors.file
    return Evidence(
        snapshot=snapshot,
        change_set=change_set,
        known=known,
        number_field=file.key.number,
        number_label=file.fields[file.key.number].label_ko,
        number_pattern=watch.selectors.number_pattern,
        status_field=watch.diff_rules.status_field,
        status_words=watch.status_words,
        min_rows=file.row.min_expected,
        rules=watch.value_rules,
        labels={column.field: column.label_ko for column in watch.selectors.columns},
        deliveries_before=_find_deliveries_before(watch),
        columns=watch.judged_columns(read_fields),
        country_field=file.compare_within,
    )


def _read_past(run: Run, watch: Watch, crawled: Crawled) -> Past:
    return read_past(
        watch.store,
        watch.board.id,
        before=run.day,
        n_days=watch.home.settings.gates.history_days,
        is_full_check=crawled.full_check_from == run.day,
    )


def _find_deliveries_before(watch: Watch) -> Deliveries:
    """Return what selectors found last: in the last list, and on the last detail pages received."""
    accepted = last_accepted_run(watch.store, watch.board.id)
    of_list = deliveries_of(watch.store, accepted.run.run_id) if accepted else {}
    names = watch.detail_fields
    return {
        **{used: n_rows for used, n_rows in of_list.items() if used.field not in names},
        **last_deliveries(watch.store, watch.board.id, names),
    }


def _summarise(
    run: Run, snapshot: Snapshot, change_set: ChangeSet, gates: Sequence[Gate]
) -> RunSummary:
    status = decide(gates)
    fault = None
    if status is not RunStatus.OK:
        gate = decisive_gate(gates)
        fault = Fault(gate.fault_code, gate.message, EXIT_CODES[status])
    return RunSummary(
        run=run,
        status=status,
        exit_code=EXIT_CODES[status],
        gates=tuple(gates),
        counts=count_changes(change_set),
        n_rows=len(snapshot.records),
        n_pages=snapshot.n_pages,
        missing=len(change_set.missing),
        unlisted=len(change_set.unlisted),
        fault=fault,
        deliveries=snapshot.delivered,
    )
