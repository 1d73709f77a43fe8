"""G-13: does another source say the same of the list? It warns, and decides nothing.

What is known to differ is left out: a source that lists no withdrawn records, columns that one of
the two lacks, white space, and the commas by which the open API joins several values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dmf_crawler.model.record import Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.text import bare_form

GATE = "G-13"
N_EXAMPLES = 3
MOST_CHARS = 40


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a list differs from what another source says.

    Attributes:
        n_compared: Records that both have.
        only_here: Keys that the other source lacks, ordered.
        only_there: Keys that the list lacks, ordered.
        differing: Key → the fields that differ, each with both values; ordered by key.
    """

    n_compared: int
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()
    differing: Mapping[str, tuple[tuple[str, Value, Value], ...]] = field(default_factory=dict)

    @property
    def n_keys(self) -> int:
        """Keys that are not the same in both."""
        return len(self.only_here) + len(self.only_there) + len(self.differing)


Checked = Comparison | Fault | None
"""What became of a cross-check: compared, not to be had, or not asked for in this run."""


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """Records that one of two sources does not list, and nothing is wrong with that.

    Attributes:
        status_field: Field id of the status, "" where the board has none.
        withdrawn_words: Statuses that mean withdrawn.
        lists_withdrawn: Whether both sources list records with such a status.
    """

    status_field: str
    withdrawn_words: frozenset[str]
    lists_withdrawn: bool

    def leaves_out(self, fields: Mapping[str, Value]) -> bool:
        """Say whether a record need not stand in both lists."""
        status = fields.get(self.status_field, "")
        words = {bare_form(word) for word in self.withdrawn_words}
        return not self.lists_withdrawn and bare_form(status) in words


def compare_sources(here: Snapshot, there: Snapshot, known: KnownDifference) -> Comparison:
    """Compare a list with what another source says of it: keys, and the fields that both have."""
    listed = [
        {key for key, record in each.records.items() if not known.leaves_out(record.fields)}
        for each in (here, there)
    ]
    common = here.records.keys() & there.records.keys()
    differing = {
        key: found for key in sorted(common) if (found := tuple(_compare_fields(key, here, there)))
    }
    return Comparison(
        n_compared=len(common),
        only_here=tuple(sorted(listed[0] - there.records.keys())),
        only_there=tuple(sorted(listed[1] - here.records.keys())),
        differing=differing,
    )


def _compare_fields(
    key: str, here: Snapshot, there: Snapshot
) -> Iterator[tuple[str, Value, Value]]:
    fields, others = here.records[key].fields, there.records[key].fields
    for name, value in fields.items():
        if name in others and not _is_same(value, others[name]):
            yield name, value, others[name]


def _is_same(value: Value, other: Value) -> bool:
    if isinstance(value, str) and isinstance(other, str):
        return "".join(value.split()) == "".join(other.split())
    return bare_form(value) == bare_form(other)


def judge_cross_checks(checks: Mapping[str, Checked], labels: Mapping[str, str]) -> Gate:
    """Return G-13 of a run.

    Args:
        checks: Source → what became of it.
        labels: Field id → Korean label.
    """
    if not checks:
        sentence = "다른 원천과 비교하도록 설정되어 있지 않습니다."
        return Gate(GATE, Outcome.PASS, None, 0, sentence)
    compared = [check for check in checks.values() if isinstance(check, Comparison)]
    n_keys = sum(check.n_keys for check in compared)
    has_failed = any(isinstance(check, Fault) for check in checks.values())
    return Gate(
        GATE,
        Outcome.WARN if n_keys or has_failed else Outcome.PASS,
        n_keys if compared else None,
        0,
        " ".join(_say(source, check, labels) for source, check in checks.items()),
    )


def _say(source: str, check: Checked, labels: Mapping[str, str]) -> str:
    if check is None:
        return f"{source}: 이 실행에서 받은 것이 없어 비교하지 못했습니다."
    if isinstance(check, Fault):
        return f"{source}: 읽지 못해 비교하지 못했습니다([{check.code}] {check.message})"
    if not check.n_keys:
        return f"{source}: 함께 있는 {check.n_compared:,}건의 공통 항목이 모두 같습니다."
    examples = "; ".join(_list_examples(check, labels))
    return (
        f"{source}: 함께 있는 {check.n_compared:,}건 가운데 {len(check.differing):,}건의 값이 "
        f"다르고, 이 목록에만 {len(check.only_here):,}건, {source}에만 "
        f"{len(check.only_there):,}건이 있습니다. 예: {examples}. "
        "기록은 이 목록대로 했습니다. 사이트에서 확인해 주십시오."
    )


def _list_examples(check: Comparison, labels: Mapping[str, str]) -> Sequence[str]:
    """Return a few differences, of each kind one before a second."""
    kinds = (
        [
            f"{key} {labels.get(name, name)} {_shown(value)} / {_shown(other)}"
            for key, found in list(check.differing.items())[:N_EXAMPLES]
            for name, value, other in found[:1]
        ],
        [f"{key} 이 목록에만" for key in check.only_here[:N_EXAMPLES]],
        [f"{key} 다른 쪽에만" for key in check.only_there[:N_EXAMPLES]],
    )
    turns = [kind[turn] for turn in range(N_EXAMPLES) for kind in kinds if turn < len(kind)]
    return turns[:N_EXAMPLES]


def _shown(value: Value) -> str:
    text = " ".join((value if isinstance(value, str) else " | ".join(value)).split())
    return f"'{text}'" if len(text) <= MOST_CHARS else f"'{text[:MOST_CHARS]}…'"
