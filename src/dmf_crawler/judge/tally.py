"""What one read brings against the last accepted list, counted key by key and field by field.

Counts against the list's own days tell damage from news: the list is keyed, and nearly all of it is
the same tomorrow (docs/trust.md). Where one thing explains many rows (a company is renamed), it
counts once: different pairs of before and after are counted, not rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest

from dmf_crawler.judge.evidence import Evidence, JudgedColumn
from dmf_crawler.judge.examples import choose_examples, example_of, example_of_record
from dmf_crawler.judge.known_values import KnownValues, elements_of
from dmf_crawler.judge.oddity import is_odd, is_possible_day, is_repeated
from dmf_crawler.model.change import Change, EventType, FieldChange, Reason
from dmf_crawler.model.past import (
    N_BACKWARD,
    N_CHANGED,
    N_EMPTIED,
    N_ENTERED,
    N_EXCHANGED,
    N_NEW_VALUES,
    N_ODD,
    N_RESTORED,
    N_REWORDED,
    N_SCRAMBLED,
    N_UNKNOWN,
    N_VANISHED,
    N_WITHDRAWN,
)
from dmf_crawler.model.record import FieldKind, Value
from dmf_crawler.model.reuse import ROW
from dmf_crawler.model.verdict import Example
from dmf_crawler.settings import GateLimits

_USUAL_RATIO = 0.001
"""A text in more cells of a column than this is nobody's own."""

Pair = tuple[str, str, str]
"""One text before and after, "" where there is none; the key where nothing stood there before:
what fills many empty cells is not one thing that was renamed."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one read brings.

    Attributes:
        counts: Field id, or `row` → name of a count (`model.past`) → number.
        examples: The same two → at most ten places, different ones first.
        scrambled: Keys of rows of which many fields changed.
        is_forward: Fields all of whose changes bring one of a few new values, later than before.
    """

    counts: dict[str, dict[str, int]]
    examples: dict[tuple[str, str], tuple[Example, ...]]
    is_forward: frozenset[str] = frozenset()

    def count(self, name: str, of: str = ROW) -> int:
        """Return one count."""
        return self.counts.get(of, {}).get(name, 0)

    def shown(self, name: str, of: str = ROW) -> tuple[Example, ...]:
        """Return the examples of one count."""
        return self.examples.get((of, name), ())


@dataclass(slots=True)
class _Column:
    """The changes of one field, as they are gone through.

    Attributes:
        changes: One a changed row.
        pairs: Different texts before and after, of all rows.
    """

    changes: list[tuple[Change, FieldChange]] = field(default_factory=list)
    pairs: dict[Pair, tuple[Change, FieldChange]] = field(default_factory=dict)


_OF_FIELDS = (
    *(N_CHANGED, N_NEW_VALUES, N_EMPTIED, N_ODD, N_EXCHANGED, N_BACKWARD, N_UNKNOWN),
    N_REWORDED,
)


def count_day(evidence: Evidence, values: KnownValues, limits: GateLimits) -> Tally:
    """Count what a read brings.

    Args:
        evidence: The read and what was known before.
        values: Of the last accepted list.
        limits: For how many changed fields make a row scrambled, and which columns are closed.
    """
    found: dict[tuple[str, str], list[Example]] = {}
    counts: dict[str, dict[str, int]] = {ROW: {}}
    for name, examples in _sort_rows(evidence, limits).items():
        counts[ROW][name] = len(examples)
        found[ROW, name] = examples
    columns = {column.field: column for column in evidence.columns}
    changed = _gather(evidence, columns.keys())
    forward = set()
    for name, column in columns.items():
        of_field = changed.get(name, _Column())
        in_field = _count_field(column, of_field, evidence, values, limits)
        counts[name] = {what: n for what, (n, _) in in_field.items()}
        found |= {(name, what): examples for what, (_, examples) in in_field.items()}
        if _goes_forward(column, of_field, limits):
            forward.add(name)
    chosen = {place: choose_examples(shown) for place, shown in found.items() if shown}
    return Tally(counts, chosen, frozenset(forward))


# --- rows ----------------------------------------------------------------------------------------


def _sort_rows(evidence: Evidence, limits: GateLimits) -> dict[str, list[Example]]:
    """Return the rows that vanished, entered, were withdrawn or restored, or are scrambled."""
    rows: dict[str, list[Example]] = {
        name: [] for name in (N_VANISHED, N_ENTERED, N_WITHDRAWN, N_RESTORED, N_SCRAMBLED)
    }
    status = evidence.status_field
    for change in evidence.change_set.changes:
        if change.reason is Reason.STATUS or (
            change.reason is Reason.REKEYED and change.kind is EventType.WITHDRAWN
        ):
            rows[N_WITHDRAWN].append(example_of(change, status))
        elif change.reason is Reason.REKEYED:
            pass  # it goes on under another key
        elif change.after is not None and (
            change.kind is EventType.NEW or change.reason is Reason.RETURNED
        ):
            rows[N_ENTERED].append(example_of_record(change.after, evidence.number_field))
        elif change.reason is Reason.RESTORED:
            rows[N_RESTORED].append(example_of(change, status))
        if len(change.changes) >= limits.scrambled_fields and change.reason is not Reason.RETURNED:
            rows[N_SCRAMBLED] += [example_of(change, each.field) for each in change.changes[:1]]
    rows[N_VANISHED] = [
        Example(key, evidence.number_field, evidence.known[key].fields.get(evidence.number_field))
        for key in find_vanished(evidence)
    ]
    return rows


def find_vanished(evidence: Evidence) -> list[str]:
    """Return the keys that were there in the last accepted list and are not in this read."""
    return [key for key in find_absent(evidence) if evidence.known[key].missing_since is None]


def find_absent(evidence: Evidence) -> list[str]:
    """Return the keys of current records that this read lacks; one that was rekeyed is there."""
    change_set = evidence.change_set
    rekeyed = {change.key for change in change_set.changes if change.reason is Reason.REKEYED}
    closed = (change.key for change in change_set.changes if change.closes)
    return [key for key in (*change_set.missing, *closed) if key not in rekeyed]


# --- fields --------------------------------------------------------------------------------------


def _gather(evidence: Evidence, fields: Iterable[str]) -> dict[str, _Column]:
    """Return the changed cells by field."""
    columns = {name: _Column() for name in fields}
    for change in evidence.change_set.changes:
        for each in change.changes:
            column = columns.get(each.field)
            if column is not None:
                column.changes.append((change, each))
                for old, new in _pair_up(each.before, each.after):
                    pair = (old, new, "" if old else change.key)
                    column.pairs.setdefault(pair, (change, each))
    return columns


def _pair_up(before: Value | None, after: Value | None) -> Iterator[tuple[str, str]]:
    """Yield the texts that differ, each with what stood in its place."""
    for old, new in zip_longest(elements_of(before), elements_of(after), fillvalue=""):
        if old != new:
            yield old, new


def _count_field(
    column: JudgedColumn,
    found: _Column,
    evidence: Evidence,
    values: KnownValues,
    limits: GateLimits,
) -> dict[str, tuple[int, list[Example]]]:
    """Return each count of a field with its examples."""
    if not found.changes:
        return dict.fromkeys(_OF_FIELDS, (0, []))
    by_value: dict[Value | None, Example] = {}
    rows: dict[str, list[Example]] = {
        name: [] for name in (N_EMPTIED, N_BACKWARD, N_UNKNOWN, N_REWORDED)
    }
    is_vocabulary = column.has_known_words and column.field != evidence.status_field
    for change, each in found.changes:
        example = example_of(change, column.field, each)
        by_value.setdefault(each.after, example)
        if _count_filled(each.after) < _count_filled(each.before):
            rows[N_EMPTIED].append(example)
        if _is_moved(column, each):
            rows[N_BACKWARD].append(example)
        if column.has_known_words and _has_unknown_word(each, column, values):
            rows[N_UNKNOWN].append(example)
        elif is_vocabulary and each.before and each.after:  # G-5 counts what a status does
            rows[N_REWORDED].append(example)
    examples = list(by_value.values())
    counted = {name: (len(shown), shown) for name, shown in rows.items()}
    counted[N_CHANGED] = (len(found.changes), examples)
    counted[N_NEW_VALUES] = (len(examples), examples)
    is_number = column.field == evidence.number_field  # G-4 looks at numbers
    counted[N_ODD] = (0, []) if is_number else _count_odd(column, found, evidence, values, limits)
    counted[N_EXCHANGED] = _count_exchanged(column, found, values)
    return counted


def _count_odd(
    column: JudgedColumn,
    found: _Column,
    evidence: Evidence,
    values: KnownValues,
    limits: GateLimits,
) -> tuple[int, list[Example]]:
    """Count the pairs whose new text does not belong into the column."""
    shown = [
        example_of(change, column.field, each)
        for (old, new, _), (change, each) in found.pairs.items()
        if is_odd(new, column.field, values, limits, before=old)
        or is_repeated(new, each)
        or (
            column.kind is FieldKind.DATE
            and new
            and not is_possible_day(new, column, evidence.day, limits)
        )
    ]
    return len(shown), shown


def _count_filled(value: Value | None) -> int:
    """Return how many texts of a value say something."""
    return sum(map(bool, elements_of(value)))


def _count_exchanged(
    column: JudgedColumn, found: _Column, values: KnownValues
) -> tuple[int, list[Example]]:
    """Count the pairs whose new text is what another changed row had before: rows have slipped.

    Among a few words, or numbers of versions, nearly every change is such a one.
    """
    if column.kind in {FieldKind.ENUM, FieldKind.NUMBER} or column.has_known_words:
        return 0, []
    own = values.column(column.field)
    usual = _USUAL_RATIO * own.n_values if column.kind is FieldKind.EXACT else own.n_values
    before: dict[str, set[str]] = {}
    for change, each in found.changes:
        for old in elements_of(each.before):
            before.setdefault(old, set()).add(change.key)
    shown = [
        example_of(change, column.field, each)
        for (_, new, _), (change, each) in found.pairs.items()
        if new and own.values[new] <= usual and before.get(new, set()) - {change.key}
    ]
    return len(shown), shown


def _is_moved(column: JudgedColumn, change: FieldChange) -> bool:
    """Say whether a fixed value changed, or one that only grows went back."""
    if column.moves == "never":
        return True
    return column.moves == "forward" and _compare(column, change) < 0


def _goes_forward(column: JudgedColumn, found: _Column, limits: GateLimits) -> bool:
    """Say whether all changes of a field bring one of a few values, later than the one before."""
    after = {each.after for _, each in found.changes}
    return (
        column.moves == "forward"
        and 0 < len(after) <= limits.forward_values
        and all(_compare(column, each) > 0 for _, each in found.changes)
    )


def _compare(column: JudgedColumn, change: FieldChange) -> int:
    """Return which side is later: 1 the new one, -1 the old one, 0 where nobody can say.

    A value where there was none is later than nothing.
    """
    before, after = _order(column, change.before), _order(column, change.after)
    if not change.before and after is not None:
        return 1
    if before is None or after is None:
        return 0
    return (after > before) - (after < before)


def _order(column: JudgedColumn, value: Value | None) -> str | None:
    """Return a form of a date or year in which a later one is greater; None for neither."""
    if not isinstance(value, str) or not value:
        return None
    if value.isascii() and value.isdigit():
        return value.zfill(8)
    for date_format in column.date_formats or ("%Y-%m-%d",):
        try:
            return datetime.strptime(value, date_format).strftime("%Y%m%d")  # noqa: DTZ007
        except ValueError:
            continue
    return None


def _has_unknown_word(change: FieldChange, column: JudgedColumn, values: KnownValues) -> bool:
    own = values.column(column.field).values
    before = elements_of(change.before)
    return any(
        text and text not in own and text not in before for text in elements_of(change.after)
    )
