"""What the sources of one list say together: what one of them lacks, and where two differ.

Read by `pipeline.process` from the run's own raw folder, so a re-parse sees what the run saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from dmf_crawler.boards import SourceName
from dmf_crawler.judge.cross_check import (
    Checked,
    Comparison,
    KnownDifferences,
    compare_sources,
    judge_cross_checks,
)
from dmf_crawler.model.change import ChangeSet, KnownRecord
from dmf_crawler.model.difference import SourceDifferences
from dmf_crawler.model.record import Snapshot
from dmf_crawler.model.run import Fault
from dmf_crawler.model.verdict import Gate
from dmf_crawler.persist.completion import complete_records
from dmf_crawler.persist.differences import accepted_differences, recently_changed
from dmf_crawler.snapshot import has_source, read_source
from dmf_crawler.watch import Watch


def find_fields(read: Snapshot, watch: Watch) -> tuple[str, ...]:
    """Return the fields that a list has, in the order of the stored record."""
    present = {name for record in read.records.values() for name in record.fields}
    return tuple(name for name in watch.selectors.kinds if name in present)


def complete_source(
    watch: Watch, source: SourceName, read: Snapshot, known: Mapping[str, KnownRecord]
) -> Snapshot:
    """Return a list with what the history knows and its source does not say."""
    if source != "openapi":
        return read
    return complete_records(read, known, watch.selectors.kinds)


def tell_lost(
    watch: Watch, source: SourceName, read: Snapshot, change_set: ChangeSet
) -> tuple[str, ...]:
    """Return what a list cannot say because of its source, in Korean sentences."""
    present = {*find_fields(read, watch)}
    lost = [each.label_ko for each in watch.selectors.columns if each.field not in present]
    told = []
    if lost and source != "html":
        told.append(
            f"이 목록의 원천({source})에는 다음 열이 없습니다: {', '.join(lost)}. 알고 있던 값을 "
            "그대로 두었고, 이 열의 변경은 알 수 없습니다."
        )
    if not watch.rules_of(source).lists_withdrawn:
        told.append(
            f"이 목록의 원천({source})에는 취하된 기록이 나오지 않습니다. 취하로 기록된 "
            f"{len(change_set.unlisted):,}건은 확인하지 않고 그대로 두었습니다."
        )
    return tuple(told)


@dataclass(frozen=True, slots=True)
class CrossChecked:
    """What the other sources of a list say of it.

    Attributes:
        gate: G-13.
        told: A Korean sentence for each source that could not be read.
        compared: Of each that was compared, what counts as known once the run is accepted.
    """

    gate: Gate
    told: tuple[str, ...]
    compared: tuple[SourceDifferences, ...]


Changes = tuple[date, Mapping[str, KnownRecord], ChangeSet]
"""The day of the read, what the history knew before it, and what it found changed."""


def check_sources(
    watch: Watch,
    folder: Path,
    primary: SourceName,
    read: Snapshot,
    faults: Mapping[SourceName, Fault],
    *,
    changes: Changes,
) -> CrossChecked:
    """Compare a list with what the other sources in its folder say.

    Args:
        watch: The board.
        folder: The run's.
        primary: The source of the list.
        read: The list.
        faults: Source → why it is not whole in the folder.
        changes: What may not have reached all sources yet.
    """
    checks: dict[str, Checked] = {}
    for source in watch.board.cross_checks:
        if source in faults:
            checks[source] = faults[source]
        elif source != primary:  # it is, in a run before another source became the primary one
            checks[source] = _compare(watch, folder, (primary, source), read, changes)
    labels = {column.field: column.label_ko for column in watch.selectors.columns}
    return CrossChecked(
        gate=judge_cross_checks(checks, watch.board.cross_check_rules, labels),
        told=tuple(
            f"교차 확인 원천 {source} 을(를) 읽지 못했습니다: [{check.code}] {check.message}"
            for source, check in checks.items()
            if isinstance(check, Fault)
        ),
        compared=tuple(
            SourceDifferences(primary, source, check.left_known)
            for source, check in checks.items()
            if isinstance(check, Comparison)
        ),
    )


def _compare(
    watch: Watch,
    folder: Path,
    sources: tuple[SourceName, SourceName],
    read: Snapshot,
    changes: Changes,
) -> Checked:
    if not has_source(watch, folder, sources[1]):
        return None
    there = read_source(watch, folder, sources[1], beside=read)
    if isinstance(there, Fault):
        return there
    return compare_sources(read, there, _find_known(watch, sources, changes))


def _find_known(
    watch: Watch, sources: tuple[SourceName, SourceName], changes: Changes
) -> KnownDifferences:
    day, known, change_set = changes
    rules = [watch.rules_of(source) for source in sources]
    own = watch.board.cross_check_rules
    changed = {change.key for change in change_set.changes} | {*change_set.missing}
    return KnownDifferences(
        status_field=rules[0].status_field,
        withdrawn_words=rules[0].withdrawn_words,
        lists_withdrawn=all(each.lists_withdrawn for each in rules),
        any_order=own.any_order,
        ignored_fields=frozenset(own.ignored_fields),
        accepted=accepted_differences(watch.store, watch.board.id, *sources),
        changed=frozenset(changed if known else ()),  # a first list is no change
        recent=recently_changed(watch.store, watch.board.id, day=day, n_days=own.lag_days),
    )
