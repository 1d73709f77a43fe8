"""G-13: does another source say the same of the list?

Some differences are known and do not count: records that the other source does not list, columns
that one of the two lacks or that nobody compares, white space, the commas by which the open API
joins several values, where the board says so their order; and whatever differed just so when a run
was accepted. What changed lately may not have reached both sources yet; it is counted apart. The
rest holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dmf_crawler.boards import CrossCheckRules
from dmf_crawler.judge.examples import MOST_EXAMPLES
from dmf_crawler.model.difference import Difference
from dmf_crawler.model.record import Fields, Record, Snapshot, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.model.verdict import Example, Gate, LimitFrom, Outcome
from dmf_crawler.text import JOINT, bare_form

GATE = "G-13"
N_SHOWN = 3
MOST_CHARS = 40

Form = str | tuple[str, ...] | None
"""A value as the comparison sees it."""


@dataclass(frozen=True)
class KnownDifferences:
    """In what two sources may differ, and nothing is wrong with that.

    Attributes:
        status_field: Field id of the status, "" where the board has none.
        withdrawn_words: Statuses that mean withdrawn.
        lists_withdrawn: Whether both sources list records with such a status.
        any_order: Whether the order of the values of one cell says nothing.
        ignored_fields: Field ids that are never compared.
        accepted: Differences that stood in the last accepted run.
        changed: Keys that this very run found changed or gone.
        recent: Keys that changed in the days before.
    """

    status_field: str
    withdrawn_words: frozenset[str]
    lists_withdrawn: bool
    any_order: bool = False
    ignored_fields: Collection[str] = ()
    accepted: Collection[Difference] = ()
    changed: Collection[str] = frozenset()
    recent: Collection[str] = frozenset()

    def leaves_out(self, fields: Fields) -> bool:
        """Say whether a record need not stand in both lists."""
        if self.lists_withdrawn:
            return False
        return bare_form(fields.get(self.status_field, "")) in self._withdrawn_forms

    @cached_property
    def _withdrawn_forms(self) -> frozenset[str]:
        return frozenset(map(bare_form, self.withdrawn_words))

    def is_same(self, here: Value, there: Value) -> bool:
        """Say whether two values say the same."""
        if here == there:
            return True
        if isinstance(here, str) and isinstance(there, str):
            return _without_blanks(here) == _without_blanks(there)
        if self.any_order:
            return _bag(here) == _bag(there)
        return bare_form(here) == bare_form(there)

    def is_accepted(self, found: Difference) -> bool:
        """Say whether a difference is still just what it was when a run was accepted."""
        return self._identify(found) in self._accepted_forms

    @cached_property
    def _accepted_forms(self) -> frozenset[tuple[str, str, Form, Form]]:
        return frozenset(map(self._identify, self.accepted))

    def _identify(self, found: Difference) -> tuple[str, str, Form, Form]:
        return (found.key, found.field, self._form(found.here), self._form(found.there))

    def _form(self, value: Value | None) -> Form:
        """Return what of a value counts: where its parts have no order, nor has the difference."""
        if isinstance(value, tuple):
            return _bag(value) if self.any_order else bare_form(value)
        return value if value is None else _without_blanks(value)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _bag(value: Value) -> tuple[str, ...]:
    text = value if isinstance(value, str) else JOINT.join(value)
    return tuple(sorted(filter(None, map(_without_blanks, text.split(JOINT)))))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a list differs from what another source says.

    Attributes:
        n_compared: Records that both have.
        new: Differences that nothing explains, ordered by key.
        known: Those that stood already when a run was accepted.
        late: Those of records that changed lately: one of the two may not have it yet.
        n_changed: Keys that this very run found changed or gone.
        n_changed_late: How many of them the other source has otherwise.
        places: Key → its record in the list, else in the other source; of new differences alone.
    """

    n_compared: int
    new: tuple[Difference, ...] = ()
    known: tuple[Difference, ...] = ()
    late: tuple[Difference, ...] = ()
    n_changed: int = 0
    n_changed_late: int = 0
    places: Mapping[str, Record] = field(default_factory=dict)

    @property
    def left_known(self) -> tuple[Difference, ...]:
        """What counts as known once the run is accepted; what is only late has to come right."""
        return (*self.known, *self.new)


Checked = Comparison | Fault | None
"""What became of a cross-check: compared, not to be had, or not asked for in this run."""


def compare_sources(here: Snapshot, there: Snapshot, known: KnownDifferences) -> Comparison:
    """Compare a list with what another source says of it: keys, and the fields that both have."""
    new, old, late = [], [], []
    for found in _find_differences(here, there, known):
        if known.is_accepted(found):
            old.append(found)
        elif found.key in known.changed or found.key in known.recent:
            late.append(found)
        else:
            new.append(found)
    keys = {found.key for found in new}
    return Comparison(
        n_compared=len(here.records.keys() & there.records.keys()),
        new=tuple(new),
        known=tuple(old),
        late=tuple(late),
        n_changed=len(known.changed),
        n_changed_late=len({found.key for found in late} & {*known.changed}),
        places={key: here.records.get(key) or there.records[key] for key in keys},
    )


def _find_differences(
    here: Snapshot, there: Snapshot, known: KnownDifferences
) -> Iterator[Difference]:
    """Yield every difference by key: a record that one of them lacks, a field that differs."""
    for key in sorted(here.records.keys() | there.records.keys()):
        record, other = here.records.get(key), there.records.get(key)
        if record is not None and other is not None:
            for name, value in record.fields.items():
                if name not in other.fields or name in known.ignored_fields:
                    continue
                if not known.is_same(value, other.fields[name]):
                    yield Difference(key, name, value, other.fields[name])
        elif record is not None and not known.leaves_out(record.fields):
            yield Difference(key, "", key, None)
        elif other is not None and not known.leaves_out(other.fields):
            yield Difference(key, "", None, key)


def judge_cross_checks(
    checks: Mapping[str, Checked], rules: CrossCheckRules, labels: Mapping[str, str]
) -> Gate:
    """Return G-13 of a run.

    Args:
        checks: Source → what became of it.
        rules: The board's.
        labels: Field id → Korean label.
    """
    if not checks:
        sentence = "다른 원천과 비교하도록 설정되어 있지 않습니다."
        return Gate(GATE, Outcome.PASS, None, None, sentence)
    compared = [check for check in checks.values() if isinstance(check, Comparison)]
    is_missing = any(isinstance(check, Fault) for check in checks.values())
    n_new = sum(len(check.new) for check in compared)
    outcome = _decide(n_new, rules, is_missing=is_missing)
    code = ""
    if outcome is Outcome.HOLD:
        code = "sources_differ" if n_new > rules.most_new else "source_missing"
    said = [_say(source, check, rules, labels) for source, check in checks.items()]
    has_number = bool(compared) or is_missing
    return Gate(
        GATE,
        outcome,
        n_new if compared else None,
        rules.most_new if has_number else None,
        " ".join([*said, *_say_what_to_do(outcome, n_new, is_missing=is_missing)]),
        code,
        LimitFrom.SETTING if has_number else None,
        tuple(_choose_examples(compared)),
    )


def _decide(n_new: int, rules: CrossCheckRules, *, is_missing: bool) -> Outcome:
    if n_new > rules.most_new or (is_missing and rules.when_missing == "hold"):
        return Outcome.HOLD
    return Outcome.WARN if n_new or is_missing else Outcome.PASS


def _say_what_to_do(outcome: Outcome, n_new: int, *, is_missing: bool) -> Iterator[str]:
    if outcome is Outcome.WARN:
        yield "기록은 이 목록을 따릅니다."
    if n_new:
        yield "어느 쪽이 맞는지 사이트에서 확인하십시오."
    if outcome is not Outcome.HOLD:
        return
    if n_new:
        yield (
            "이 목록이 맞으면 approve, 아니면 reject 명령으로 결정하십시오. 받아들인 차이는 "
            "그대로인 동안 다시 묻지 않습니다."
        )
    elif is_missing:
        yield (
            "원인을 없앤 뒤 다시 실행하거나, 비교하지 않고도 이 목록을 믿을 수 있으면 approve "
            "명령으로 받아들이십시오."
        )


def _say(source: str, check: Checked, rules: CrossCheckRules, labels: Mapping[str, str]) -> str:
    if check is None:
        return f"{source}: 이 실행에서 받은 것이 없어 비교하지 못했습니다."
    if isinstance(check, Fault):
        return f"{source}: 읽지 못해 비교하지 못했습니다([{check.code}] {check.message})."
    if not (check.new or check.known or check.late):
        return f"{source}: 함께 있는 {check.n_compared:,}건의 공통 항목이 모두 같습니다."
    return " ".join((f"{source}: {_say_new(source, check, labels)}", *_say_known(check, rules)))


def _say_new(source: str, check: Comparison, labels: Mapping[str, str]) -> str:
    if not check.new:
        return f"함께 있는 {check.n_compared:,}건을 비교했고 새로운 차이는 없습니다."
    n_here = sum(found.there is None for found in check.new)
    n_there = sum(found.here is None for found in check.new)
    shown = "; ".join(_show(found, labels) for found in _mix(check.new)[:N_SHOWN])
    return (
        f"함께 있는 {check.n_compared:,}건을 비교했고 새로운 차이가 {len(check.new):,}개 있습니다"
        f"(다른 값 {len(check.new) - n_here - n_there:,}개, 이 목록에만 {n_here:,}건, {source}에만 "
        f"{n_there:,}건). 예: {shown}."
    )


def _say_known(check: Comparison, rules: CrossCheckRules) -> Iterator[str]:
    if check.known:
        yield f"전에 받아들인 차이 {len(check.known):,}개는 그대로여서 세지 않았습니다."
    if check.late:
        of_this_run = (
            f"(이번에 바뀌거나 사라진 {check.n_changed:,}건 가운데 {check.n_changed_late:,}건)"
            if check.n_changed_late
            else ""
        )
        yield (
            f"최근 {rules.lag_days}일 안이나 이번에 바뀐 기록의 차이 {len(check.late):,}개"
            f"{of_this_run}는 한쪽에 늦게 반영된 것일 수 있어 따로 셉니다."
        )


def _show(found: Difference, labels: Mapping[str, str]) -> str:
    if found.there is None:
        return f"{found.key} 이 목록에만"
    if found.here is None:
        return f"{found.key} 다른 쪽에만"
    name = labels.get(found.field, found.field)
    return f"{found.key} {name} {_shorten(found.here)} / {_shorten(found.there)}"


def _shorten(value: Value) -> str:
    text = " ".join((value if isinstance(value, str) else " | ".join(value)).split())
    return f"'{text}'" if len(text) <= MOST_CHARS else f"'{text[:MOST_CHARS]}…'"


def _choose_examples(compared: Collection[Comparison]) -> Iterator[Example]:
    """Yield ten of the new differences: of each source and kind one before a second."""
    places = {key: place for check in compared for key, place in check.places.items()}
    mixed = [_mix(check.new) for check in compared]
    turns = [each[turn] for turn in range(MOST_EXAMPLES) for each in mixed if turn < len(each)]
    for found in turns[:MOST_EXAMPLES]:
        place = places[found.key]
        yield Example(
            found.key, found.field, found.here, found.there, place.source, place.url, place.row_no
        )


def _mix(differences: Collection[Difference]) -> list[Difference]:
    """Return ten differences, the most frequent kind first, of each kind one before a second.

    Of one kind, those that show the same two values come after others.
    """
    kinds: dict[tuple[str, bool], dict[tuple[Value | None, Value | None], list[Difference]]] = {}
    for found in differences:
        kind = kinds.setdefault((found.field, found.here is None), {})
        kind.setdefault((found.here, found.there), []).append(found)
    ordered = [
        [
            *(each[0] for each in kind.values()),
            *(more for each in kind.values() for more in each[1:]),
        ]
        for kind in kinds.values()
    ]
    ordered.sort(key=len, reverse=True)
    turns = [each[turn] for turn in range(MOST_EXAMPLES) for each in ordered if turn < len(each)]
    return turns[:MOST_EXAMPLES]
